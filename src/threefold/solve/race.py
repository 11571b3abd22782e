"""Solving a race by looking it up: exact values of positions near the end of a game of chance.

The table of `threefold.engine.race_tables` has every race in which both sides are near the end. So
a position is solved if it is such a race, or if each of its moves leads to one or ends the game.
"""

from dataclasses import dataclass
from typing import Any, TypeVar

from threefold.engine.race_building import EXACT_UNIT
from threefold.engine.race_tables import MOST_WEIGHT, exact_values
from threefold.engine.result import Line
from threefold.rules.contract import CHANCE, MAX, MIN
from threefold.rules.game import Game
from threefold.rules.race import side_of_race, turn_of_race

S = TypeVar("S")


@dataclass(frozen=True)
class KnownRace:
    """What the table says about a position."""

    #: To the player to move; where nature moves, to MAX.
    value: float
    #: Every move; none where nature moves.
    lines: tuple[Line, ...]
    #: How far a value may be off at most.
    error: float


def known_race(game: Game[S], s: S) -> KnownRace | None:
    """What the table of races says about a position; None if it does not have it."""
    sides = game.race_sides
    if sides is None:
        return None
    # Each of at most 2 * paired plies rounds by half a unit at most. And a float has 53 bits, which
    # is a unit or two for a utility of 1.
    error = (sides.paired + 2 * MOST_WEIGHT) / EXACT_UNIT
    if game.player(s) == CHANCE:
        value = _to_max(game, s)
        return None if value is None else KnownRace(value, (), error)
    sign = -1 if game.player(s) == MIN else 1
    lines = []
    for a in game.moves(s):
        value = _to_max(game, game.result(s, a))
        if value is None:
            return None
        lines.append(Line(a, sign * value, None, True, (a,)))
    return KnownRace(max(line.value for line in lines), tuple(lines), error)


def _to_max(game: Game[Any], s: Any) -> float | None:
    """What a race before a roll, or a finished game, is worth to MAX."""
    if game.player(s) != CHANCE:
        return None if game.moves(s) else float(game.utility(s))
    number = game.race(s)
    if number < 0:
        return None
    turn = turn_of_race(number)
    mine, theirs = side_of_race(number, turn), side_of_race(number, 1 - turn)
    assert game.race_sides is not None
    if max(mine, theirs) >= game.race_sides.paired:
        return None
    value = int(exact_values(game)[mine, theirs]) / EXACT_UNIT
    return value if turn == MAX else -value
