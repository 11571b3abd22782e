"""Dice Nim positions: `12 1` is the stones and the player to roll; `12 1 3` after a roll of 3."""

from threefold.games.dice_nim.rules import State
from threefold.rules.records import Board, TextHooks
from threefold.rules.text import shorten


def notation(stones: int, faces: int) -> TextHooks:
    """The text hooks for a game that starts with `stones` and has a die with `faces`."""

    def format_position(s: State) -> str:
        return f"{s.stones} {s.turn + 1}" + (f" {s.die}" if s.die else "")

    def parse(text: str) -> State:
        parts = text.split(" ")
        if not 2 <= len(parts) <= 3:
            raise ValueError(
                "expected the stones, the player and, after a roll, the die, like '12 1 3'"
            )
        left = _number("the stones", parts[0], 0, stones)
        turn = _number("the player", parts[1], 1, 2) - 1
        die = _number("the die", parts[2], 1, faces) if len(parts) == 3 else 0
        if die and not left:
            raise ValueError("no stones are left, so the die is not rolled")
        return State(left, die, turn)

    def _number(what: str, given: str, least: int, most: int) -> int:
        if not (given.isascii() and given.isdigit() and len(given) <= len(str(most))):
            raise ValueError(f"{what} is {shorten(given)}, not a number from {least} to {most}")
        if not least <= int(given) <= most:
            raise ValueError(f"{what} is {given}, not from {least} to {most}")
        return int(given)

    def format_move(s: State, a: int) -> str:
        return str(a) if s.die else f"roll-{a}"

    def places(s: State, a: int) -> tuple[str, ...]:
        """The first of the stones taken, which come off the end; or the die."""
        return (str(s.stones - a + 1),) if s.die else ("die",)

    def render(s: State) -> str:
        die = f"the die shows {s.die}" if s.die else "the die has not been rolled"
        return f"{'●' * min(s.stones, 60)} ({s.stones}), {die if s.stones else 'no stones left'}"

    return {
        "parse": parse,
        "format": format_position,
        "format_move": format_move,
        "render": render,
        "board": Board(places=places),
    }
