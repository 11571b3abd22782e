"""What the pictures of backgammon say alike, on a page and in a terminal.

Places are named as X numbers the points, whoever moves: `1` to `24`, `X bar`, `O bar`, `X off` and
`O off`; beside them there are `dice` and `cube`. Labels are as the player whose turn it is numbers
the points, because that is how moves are written.
"""

from collections.abc import Sequence

from threefold.games.backgammon.checkers import BAR, CHECKERS, OFF, count_at, high_unit, low_unit
from threefold.games.backgammon.rules import (
    DECIDING,
    DOUBLED,
    OPENING,
    PASSED,
    PLAYING,
    State,
    is_over,
)
from threefold.games.backgammon.stakes import doubles_of, length_of, owner_of, rule_of, score_of
from threefold.rules.contract import MAX, MIN, Player

SIDES = ("X", "O")
DICE = "dice"
CUBE = "cube"
#: By phase, what a player is to do before the roll.
_DUE = {PLAYING: "roll", OPENING: "roll", DECIDING: "roll or double", DOUBLED: "take or pass"}


def counts(s: State, player: Player) -> list[int]:
    """A side's checkers on its places 0, borne off, to 25, the bar."""
    low, high = (s.x_low, s.x_high) if player == MAX else (s.o_low, s.o_high)
    return [count_at(low, high, place) for place in range(BAR + 1)]


def packed(here: Sequence[int]) -> tuple[int, int]:
    """A side's words, from its checkers on every place."""
    low = sum(count * low_unit(place) for place, count in enumerate(here))
    return low, sum(count * high_unit(place) for place, count in enumerate(here))


def pips(s: State, player: Player) -> int:
    """How many points a side's checkers have to move in all."""
    return sum(place * count for place, count in enumerate(counts(s, player)))


def on_point(s: State, point: int) -> tuple[Player, int]:
    """Whose checkers are on a point, as X numbers it, and how many."""
    x = count_at(s.x_low, s.x_high, point)
    return (MAX, x) if x else (MIN, count_at(s.o_low, s.o_high, BAR - point))


def place_name(player: Player, place: int) -> str:
    """The name of a place that a player gives a number."""
    if place == BAR:
        return f"{SIDES[player]} bar"
    if place == OFF:
        return f"{SIDES[player]} off"
    return str(place if player == MAX else BAR - place)


def label(s: State, point: int) -> str:
    """A point, as X numbers it, in the numbers of the player whose turn it is."""
    return str(point if s.turn == MAX else BAR - point)


def faces(dice: int) -> list[int]:
    """What the dice show, four times for a double."""
    if not dice:
        return []
    large, small = dice >> 3, dice & 7
    return [large] * 4 if large == small else [large, small]


def winner(s: State) -> Player:
    """Who has won a finished game."""
    if s.phase == PASSED:
        return MIN if s.turn == MAX else MAX
    return MAX if s.x_low & 15 == CHECKERS else MIN


def whose_turn(s: State) -> str:
    """What is to be done, in words."""
    if is_over(s):
        return f"{SIDES[winner(s)]} has won"
    side = SIDES[s.turn]
    if s.dice:
        return f"{side} to play {s.dice >> 3}{s.dice & 7}"
    return f"{side} to {_DUE[s.phase]}"


def cube_words(s: State) -> str:
    """The cube and who may turn it."""
    if s.phase == DOUBLED:
        return f"cube {2 << doubles_of(s.stakes)} offered"
    owner = owner_of(s.stakes)
    return f"cube {1 << doubles_of(s.stakes)}" + (f", {SIDES[owner - 1]}'s" if owner else "")


def match_words(s: State) -> str:
    """What is played for, if it is a match."""
    length = length_of(s.stakes)
    if not length:
        return ""
    crawford = ", Crawford" if rule_of(s.stakes) else ""
    score = f"X {score_of(s.stakes, MAX)}, O {score_of(s.stakes, MIN)}"
    return f"match to {length}: {score}{crawford}"
