"""What solving a position found: a `Result` that is proven, with every best move."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from threefold.engine.result import Line, Result, share_of_utility
from threefold.errors import ThreefoldError, Unsolved, argument
from threefold.rules.contract import MIN, Action
from threefold.rules.game import Game
from threefold.rules.text import did_you_mean

S = TypeVar("S")

#: Expectations this close together are the same: they are sums in floating point.
_SAME = 1e-9


@dataclass(frozen=True, repr=False)
class Solution(Result[S]):
    """The exact answer; `value` is the utility for the player to move.

    - `value`: in games of chance the expectation, and MAX's where nature moves.
    - `win_in`: plies to the end when both play best, negative when lost; None for a draw, in games
      of chance, and where only the utility was asked for or could be found in reasonable time.
    - `lines`: the moves that were asked for, best first: larger utilities, then sooner wins and
      later losses. None where nature moves: `value` is all there is to say.
    - `depth`: the length of the best line. `nodes`: the positions looked at.
    - `exact`: False only where the work was stopped before the value was proven. In a game of
      chance a proven value is proven up to `error`.
    """

    #: Every move of the best utility, the best first; just one where only the value was asked for,
    #: and those that are known where the work was stopped.
    all_best: tuple[Action, ...] = ()
    #: How it was solved: "graph", "table", "null-window", "proof", "superko", "race table"
    #: or "database".
    method: str = ""
    #: Whether the work was completed: every move that was asked for is there, with its value.
    complete: bool = True
    #: How far the value, or that of a move, may be off at most: 0 without chance.
    error: float = 0.0

    def share(self, of: Line | Result[S]) -> float:
        """The same as a `Result`'s, for a utility."""
        return share_of_utility(-of.value if self.player == MIN else of.value)

    @property
    def utility_of_one(self) -> int:
        """A solution's values are utilities."""
        return 1

    def in_units(self) -> "Solution[S]":
        """The same with values as people count them: points, where utilities are half points."""
        units = self.game.utility_units

        def count(value: float) -> float:
            return value // units if value % units == 0 else value / units

        lines = tuple(replace(line, value=count(line.value)) for line in self.lines)
        return replace(self, value=count(self.value), lines=lines)

    def scored(self, name: str) -> "Solution[S]":
        """The same with values in another of the game's units, and the best moves by that unit."""
        unit = score_of(self.game, name)

        def score(value: float, win_in: int | None) -> int:
            return unit(self.position, int(value), abs(win_in or 0))

        if not self.game.moves(self.position):
            return replace(self, value=score(self.value, 0))
        lines = tuple(
            replace(line, value=score(line.value, line.win_in))
            for line in self.lines
            if line.exact and (line.value == 0 or line.win_in is not None)
        )
        if not self.exact or (self.value != 0 and self.win_in is None):
            if not self.complete:
                why = "it is not known yet"
            elif self.method == "proof":
                why = "a proof does not show that"
            else:
                why = f"ask for {argument('detail', 'win_in')}"
            raise Unsolved(
                f"the score {name} depends on when the game ends: {why}; what is known without "
                f"it is the value {self.value:g}"
            )
        best = lines[0].value
        return replace(self, value=best, lines=lines, all_best=best_of(lines, best))

    def to_json(self, game: str | None = None, position: str | None = None) -> dict[str, Any]:
        """The answer as JSON's own types."""
        all_best = [self.texts([a])[0] for a in self.all_best]
        answer = super().to_json(game, position) | {"all_best": all_best}
        return answer if self.game.facts.deterministic else answer | {"error": self.error}

    def __str__(self) -> str:
        if self.lines or self.complete:
            return super().__str__()
        return f"{self.shown(self.value, None, self.exact)}\n{self._shown_work()}"

    def _shown_work(self) -> str:
        stopped = "" if self.complete else "; stopped before every move was known"
        error = f"; values within {self.error:.0e}" if self.error > 0 else ""
        return (
            f"{'solved' if self.exact else 'not solved'} by {self.method}, {self.nodes:,} "
            f"positions in {self.seconds:.2f} s ({self.rate / 1e6:.2f} M/s){error}{stopped}"
        )


def score_of(game: Game[Any], name: str) -> Callable[[Any, int, int], int]:
    """A game's unit for values, by its name."""
    if name not in game.scores:
        names = [*game.scores, *game.utilities]
        raise ThreefoldError(f"{game.name} has no score {name!r}; {did_you_mean(name, names)}")
    return game.scores[name]


def ranked(lines: Iterable[Line]) -> tuple[Line, ...]:
    """Lines with the best first."""
    return tuple(sorted(lines, key=_rank, reverse=True))


def best_of(lines: Iterable[Line], value: float, error: float = 0.0) -> tuple[Action, ...]:
    """The moves that are worth the best value, as far as is known."""
    same = max(_SAME, 2 * error)
    return tuple(line.move for line in lines if abs(line.value - value) <= same)


def signed_plies(value: float, plies: int | None) -> int | None:
    """`win_in` of a position worth `value`, that many plies from the end."""
    if plies is None or value == 0:
        return None
    return plies if value > 0 else -plies


def _rank(line: Line) -> tuple[float, float]:
    # Sooner wins and later losses are better, and a distance that is not known the worst.
    if line.win_in is None:
        return line.value, -float("inf")
    return line.value, -line.win_in
