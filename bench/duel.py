"""A match of two programs at one game, and its error bars.

Every opening, a few plies at random, is played twice, each side once by each program, so that a
lucky opening is lucky for both. The programs take turns: neither thinks while the other does.
"""

import math
import random
import statistics
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from threefold import Game
from threefold.engine.progress import bar

OPENING_PLIES = 4
SEED = 20

#: A program: the move that it makes in a position, which these moves led to.
Player = Callable[[Game[Any], Any, Sequence[int]], int]


@dataclass(frozen=True)
class Score:
    """Our share of the points of a match; a draw is half a point to both."""

    what: str
    games: int
    wins: int
    draws: int
    points: float
    error: float
    wanted: float

    def __str__(self) -> str:
        verdict = "reached" if self.points >= self.wanted else "NOT reached"
        aim = f"; wanted {self.wanted:.0%}: {verdict}" if self.wanted else ""
        return (
            f"{self.what}: {self.points:.1%} ± {self.error:.1%} of the points, {self.wins} won, "
            f"{self.draws} drawn, {self.games - self.wins - self.draws} lost{aim}"
        )

    def to_json(self) -> dict[str, Any]:
        return vars(self)


def match(
    what: str, g: Game[Any], ours: Player, theirs: Player, games: int, wanted: float = 0.0
) -> Score:
    """Play a match and count our points, two games for each opening."""
    rng = random.Random(SEED)
    for player in (ours, theirs):
        player(g, g.initial(), [])  # compiles
    points: list[float] = []
    opening: list[int] = []
    for number in range(games):
        if number % 2 == 0:
            opening = random_opening(g, rng)
        players = (ours, theirs) if number % 2 == 0 else (theirs, ours)
        worth = play(g, opening, players) * (1 - 2 * (number % 2))
        points.append((worth > 0) + 0.5 * (worth == 0))
        share = (number + 1) / games
        done = f"{number + 1}/{games} games  {sum(points):g} points"
        sys.stderr.write(f"\r{g.spec} {bar(share)} {done}" + "\n" * (share == 1))
        sys.stderr.flush()
    pairs = [statistics.fmean(points[i : i + 2]) for i in range(0, games, 2)]
    error = statistics.stdev(pairs) / math.sqrt(len(pairs)) if len(pairs) > 1 else 0.5
    won, drawn = points.count(1.0), points.count(0.5)
    return Score(what, games, won, drawn, statistics.fmean(points), error, wanted)


def random_opening(g: Game[Any], rng: random.Random) -> list[int]:
    """A few moves at random."""
    s, moves = g.initial(), []
    for _ in range(OPENING_PLIES):
        moves.append(rng.choice(g.moves(s)))
        s = g.result(s, moves[-1])
    return moves


def play(g: Game[Any], opening: Sequence[int], players: Sequence[Player]) -> int:
    """A game's result for the player who begins; one not over by `max_ply` is a draw."""
    positions, made = [g.initial()], list[int]()
    while (outcome := g.outcome(positions)) is None:
        s = positions[-1]
        moves = g.moves(s)
        if len(made) == g.facts.max_ply:
            return 0
        if len(made) < len(opening):
            a = opening[len(made)]
        elif len(moves) == 1:
            a = moves[0]
        else:
            a = players[g.player(s)](g, s, made)
        positions.append(g.result(s, a))
        made.append(a)
    return int(outcome.utility)
