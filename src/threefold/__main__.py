"""`python -m threefold` is the `threefold` command."""

from threefold.cli.main import run

if __name__ == "__main__":
    run()
