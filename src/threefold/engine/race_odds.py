"""What the tables say about one race, for people: who wins how often, and how soon."""

from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from threefold.engine.race import HEADER, RACE_UNIT, is_open_race, is_paired, race_value
from threefold.engine.race_building import Array
from threefold.engine.race_tables import race_table
from threefold.errors import ThreefoldError
from threefold.rules.contract import MAX, MIN
from threefold.rules.game import Game
from threefold.rules.race import side_of_race, turn_of_race

S = TypeVar("S")


@dataclass(frozen=True)
class RaceOdds:
    """A race as MAX sees it."""

    #: The probability that MAX wins.
    win: float
    #: What the race is worth to MAX.
    value: float
    #: Whether this comes from the table of pairs, or the game is over; otherwise it is an estimate.
    exact: bool
    #: The most that a side can lose.
    largest_loss: float
    #: How many rolls MAX and MIN need on average if each makes them as few as possible.
    rolls: tuple[float, float]

    @property
    def results(self) -> dict[int, float]:
        """How likely each result is, as a utility to MAX; none if a loss may be worth more than 2.

        Where both sides could still lose 2, which is rare in a race, only what one of them does so
        more often than the other is counted.
        """
        if self.largest_loss == 1:
            return {1: self.win, -1: 1 - self.win}
        if self.largest_loss > 2:
            return {}
        double = self.value - (2 * self.win - 1)
        won, lost = max(double, 0.0), max(-double, 0.0)
        return {2: won, 1: self.win - won, -1: 1 - self.win - lost, -2: lost}


def race_odds(game: Game[S], s: S) -> RaceOdds:
    """Who wins a race, and how soon each side finishes."""
    number = game.race(s)
    if number < 0:
        raise ThreefoldError(
            f"{game.name}: {game.show(s)} is not a race before a roll, so there are no odds"
        )
    table = race_table(game)
    sides = [side_of_race(number, player) for player in (MAX, MIN)]
    finish = [_row(table, 0, side) for side in sides]
    rolls = _mean(finish[0]), _mean(finish[1])
    if not is_open_race(number):
        worth = game.utility(s)
        return RaceOdds(float(worth > 0), float(worth), True, abs(worth), rolls)
    value = race_value(number, table) / RACE_UNIT
    exact = is_paired(number, table)
    # A side loses most before it has rolled.
    largest_loss = max(int(_row(table, 1, side)[0]) for side in sides) / RACE_UNIT
    # Where a win is worth 1, whoever wins, its probability follows from the value.
    if exact and largest_loss == 1:
        win = (1 + value) / 2
    else:
        win = race_win_probability(*finish[:: 1 if turn_of_race(number) == MAX else -1])
        win = win if turn_of_race(number) == MAX else 1 - win
    return RaceOdds(win, value, exact, largest_loss, rolls)


def race_win_probability(mine: Array, theirs: Array) -> float:
    """How often the side to roll finishes first, if rolls are all that counts.

    Both are distributions: how likely a side finishes with its roll 0, 1, 2, …, in any unit.
    """
    mine, theirs = (np.asarray(each, float) / np.sum(each, dtype=float) for each in (mine, theirs))
    not_before = theirs[::-1].cumsum()[::-1]  # the other needs at least that many
    return float(mine @ not_before)


def _row(table: Array, part: int, side: int) -> Array:
    """A side's row: of finishing (0), or of losing (1)."""
    paired, count, width = (int(each) for each in table[:HEADER])
    begin = HEADER + paired * paired + (part * count + side) * width
    return table[begin : begin + width]


def _mean(distribution: Array) -> float:
    return float(distribution @ np.arange(len(distribution)) / RACE_UNIT)
