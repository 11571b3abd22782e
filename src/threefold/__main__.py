"""The `threefold` command, also as `python -m threefold`."""

import sys
from typing import NoReturn


def run() -> NoReturn:
    """Run one command; Ctrl-C may come while it is still being loaded."""
    try:
        from threefold.cli.main import main

        code = main()
        if "threefold.engine.background" in sys.modules:
            sys.modules["threefold.engine.background"].leave(code)
        sys.exit(code)
    except KeyboardInterrupt:
        sys.stderr.write("\ninterrupted\n")
        sys.exit(130)


if __name__ == "__main__":
    run()
