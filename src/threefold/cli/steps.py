"""Show one step at a time, forward and backward."""

from collections.abc import Sequence

from threefold.cli.output import print_line

_HELP = "Enter: next, b: back, e: end, q: quit > "


def step_through(screens: Sequence[str], answer: str) -> None:
    """Show each screen until a key asks for the next one, and the answer after the last."""
    at = 0
    while at < len(screens):
        print_line(screens[at])
        try:
            said = input(_HELP).strip().lower()
        except EOFError:
            break
        print_line()
        if said == "q":
            return
        if said == "e":
            break
        at = max(at - 1, 0) if said == "b" else at + 1
    print_line()
    print_line(answer)
