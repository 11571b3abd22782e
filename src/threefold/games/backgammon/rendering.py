"""The board in a terminal, with X's home at the bottom right.

 13 14 15 16 17 18      19 20 21 22 23 24
+------------------+---+------------------+
| X  .  .  .  O  . |   | O  .  .  .  .  X |  O: 167 pips
"""

from collections.abc import Callable

from threefold.games.backgammon.checkers import BAR, OFF
from threefold.games.backgammon.layout import (
    SIDES,
    counts,
    cube_words,
    label,
    match_words,
    on_point,
    pips,
    whose_turn,
)
from threefold.games.backgammon.rules import State
from threefold.rules.contract import MAX, MIN

#: Rows of checkers in each half; a taller stack has its number in the last.
_ROWS = 5
_TOP = (range(13, 19), range(19, 25))
_BOTTOM = (range(12, 6, -1), range(6, 0, -1))


def rendering(cube: bool) -> Callable[[State], str]:
    """How positions look as text, with or without a cube."""

    def render(s: State) -> str:
        beside = _notes(s, cube)
        lines = [
            _labels(s, _TOP),
            _RULE,
            *(_row(s, _TOP, row, MAX) for row in range(_ROWS)),
            _MIDDLE,
            *(_row(s, _BOTTOM, row, MIN) for row in reversed(range(_ROWS))),
            _RULE,
            _labels(s, _BOTTOM),
        ]
        return "\n".join(f"{line}  {beside.get(i, '')}".rstrip() for i, line in enumerate(lines))

    return render


_RULE = f"+{'-' * 18}+---+{'-' * 18}+"
_MIDDLE = f"|{' ' * 18}|BAR|{' ' * 18}|"


def _labels(s: State, halves: tuple[range, range]) -> str:
    one, other = ("".join(f"{label(s, point):>3}" for point in half) for half in halves)
    return f" {one}     {other} "


def _row(s: State, halves: tuple[range, range], row: int, on_bar: int) -> str:
    """A row of checkers, counted from the edge of the board."""
    one, other = (
        "".join(f"{_sign(*on_point(s, point), row, '.' * (row == 0)):^3}" for point in half)
        for half in halves
    )
    bar = _sign(on_bar, counts(s, on_bar)[BAR], row)
    return f"|{one}|{bar:^3}|{other}|"


def _sign(player: int, count: int, row: int, empty: str = "") -> str:
    """What is seen of a stack in a row: a checker, how many there are, or nothing."""
    if row >= count:
        return empty
    if row == _ROWS - 1 and count > _ROWS:
        return str(count)
    return SIDES[player]


def _notes(s: State, cube: bool) -> dict[int, str]:
    """What is written beside the lines of the board."""
    notes = {2: _about(s, MIN), 12: _about(s, MAX)}
    middle = [whose_turn(s), *([cube_words(s)] if cube else ()), match_words(s)]
    return notes | {7 + i: said for i, said in enumerate(filter(None, middle))}


def _about(s: State, player: int) -> str:
    off = counts(s, player)[OFF]
    return f"{SIDES[player]}: {pips(s, player)} pips" + (f", {off} off" if off else "")
