"""The `threefold` command, also as `python -m threefold`."""

import sys
from typing import NoReturn


def run() -> NoReturn:
    """Run one command; Ctrl-C may come while it is still being loaded."""
    try:
        from threefold.cli.main import main

        sys.exit(main())
    except KeyboardInterrupt:
        sys.stderr.write("\ninterrupted\n")
        sys.exit(130)


if __name__ == "__main__":
    run()
