"""What rollouts are asked for, and what they found."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from threefold.engine.limits import check_whole
from threefold.engine.result import Result
from threefold.engine.selectivity import SELECTIVE
from threefold.rules.contract import MAX, Action

S = TypeVar("S")

#: More games than anybody waits for; their numbers stay far from overflow.
MAX_GAMES: Final = 1 << 30
#: How many moves are rolled out if nothing else is asked for.
DEFAULT_CANDIDATES: Final = 8


@dataclass(frozen=True)
class Options:
    """How games are rolled out, as users say it."""

    #: Games from each position; None for as many as the limits allow.
    games: int | None = None
    #: Stop a game after so many rolls, and take the evaluation; None to play to the end.
    truncate: int | None = None
    #: Whether luck is measured and subtracted.
    reduce_variance: bool = True
    #: The most moves to roll out, and how far one may seem behind the best.
    candidates: int = DEFAULT_CANDIDATES
    margin: int = 160
    seed: int = 0

    def __post_init__(self) -> None:
        if self.games is not None:
            check_whole("games", self.games, 1, MAX_GAMES)
        if self.truncate is not None:
            check_whole("truncate", self.truncate, 1, MAX_GAMES)
        check_whole("filter", self.candidates, 1, SELECTIVE["filter"].high)
        check_whole("filter_margin", self.margin, 0, SELECTIVE["filter_margin"].high)
        check_whole("seed", self.seed, -(1 << 63), (1 << 63) - 1)


@dataclass(frozen=True)
class Rolled:
    """What the games from a position came to, for the player who is to choose."""

    move: Action | None
    games: int
    #: Points a game with the luck taken out, and the standard error of that.
    mean: float
    error: float
    #: The same with the luck in it.
    plain_mean: float
    plain_error: float
    #: How many points a game less than the best move, in the games that both have, and the error.
    behind: float
    behind_error: float
    #: How many games ended with each result; those that were truncated are in none.
    results: Mapping[int, int]

    @property
    def truncated(self) -> int:
        """How many games were not played to the end."""
        return self.games - sum(self.results.values())


@dataclass(frozen=True)
class RolloutResult(Result[S]):
    """The answer of rollouts: `rolled` has the details, in the order of `lines`."""

    rolled: tuple[Rolled, ...] = ()
    options: Options = Options()

    def to_json(self, game: str | None = None, position: str | None = None) -> dict[str, Any]:
        """The answer as JSON's own types, with what the games came to."""
        moves = [
            {
                "move": None if each.move is None else self.texts([each.move])[0],
                "games": each.games,
                "mean": each.mean,
                "error": _finite(each.error),
                "plain_mean": each.plain_mean,
                "plain_error": _finite(each.plain_error),
                "behind": each.behind,
                "behind_error": _finite(each.behind_error),
                "results": {str(points): n for points, n in sorted(each.results.items())},
                "truncated": each.truncated,
            }
            for each in self.rolled
        ]
        return super().to_json(game, position) | {
            "rollouts": {
                "games": max((each.games for each in self.rolled), default=0),
                "truncate": self.options.truncate,
                "reduce_variance": self.options.reduce_variance,
                "seed": self.options.seed,
                "moves": moves,
            }
        }

    def __str__(self) -> str:
        if not self.rolled:
            return super().__str__()
        lines = []
        for each in self.rolled:
            name = self._named(each)
            behind = f"  {-each.behind:+.4f} ± {each.behind_error:.4f}" if each.behind else ""
            ends = "  ".join(
                f"{points:+d}: {n / each.games:.1%}"
                for points, n in sorted(each.results.items(), reverse=True)
            )
            left = f"  truncated: {each.truncated / each.games:.1%}" if each.truncated else ""
            lines.append((f"{each.mean:+.4f} ± {each.error:.4f}", name, behind, ends + left))
        names, gaps = (max(len(line[i]) for line in lines) for i in (1, 2))
        shown = [f"{v}  {n:{names}}{gap:{gaps}}  {ends}" for v, n, gap, ends in lines]
        return "\n".join([*shown, self._shown_work()])

    def headline(self) -> str:
        """The answer in one line, to show while games are played."""
        if not self.rolled:
            return super().headline()
        best = self.rolled[0]
        points = f"{best.mean:+.4f} ± {best.error:.4f}"
        return f"{best.games:,} games  {points}  {self._named(best)}"

    def _named(self, rolled: Rolled) -> str:
        """The move that games began with; if nature moved, whose points they are."""
        if rolled.move is None:
            return f"for {self.game.sides[MAX]}"
        return self.texts([rolled.move])[0]

    def _shown_work(self) -> str:
        games = sum(each.games for each in self.rolled)
        return (
            f"{games:,} games, {self.nodes:,} positions in {self.seconds:.2f} s "
            f"({self.rate / 1e6:.2f} M/s); points a game ± standard error"
        )


def standard_error(values: Any) -> float:
    """Of the mean of some numbers, as if they were drawn independently.

    Stratified games are more even than that, so the true error is a little smaller.
    """
    return float(values.std(ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else math.inf


def _finite(number: float) -> float | None:
    """A number as JSON has it."""
    return number if math.isfinite(number) else None
