"""Opponents from the history of the field: the programs that the built-in games declare.

Each looks ahead in its own way, so each has its own view of the game: an evaluation, the moves
worth following, and a depth. The search that does the looking is the engine's.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from threefold.engine.level import Level
from threefold.engine.limits import Limits
from threefold.engine.result import Line, Result
from threefold.engine.running import Running
from threefold.engine.searchers import GameSearcher
from threefold.errors import ThreefoldError
from threefold.games.catalogue import programs
from threefold.rules.contract import Action
from threefold.rules.game import Game
from threefold.rules.program import Program

#: No position of a real game comes near it, but one could be set up that does.
_MOST_NODES: Final = 3_000_000


@dataclass(frozen=True)
class Historic(Level):
    """A program of the past as an opponent."""

    program: Program

    def __str__(self) -> str:
        return self.program.about

    def view(self, game: Game[Any]) -> Game[Any]:
        """The game in which it looks ahead; an error if it does not play the one given."""
        program = self.program
        if game.hooks["result"] is not program.result:
            raise ThreefoldError(f"{program.name} plays {program.plays} only, not {game.spec}")
        return program.view()

    def start(
        self,
        engine: GameSearcher[Any],
        s: Any,
        seed: int,
        history: Sequence[Any],  # noqa: ARG002
    ) -> Running[Result[Any]]:
        """Start thinking; it ignores how the game came here."""
        program = self.program
        limits = Limits(depth=self.depth, nodes=_MOST_NODES)
        every = 1 if program.prefer is None else engine.game.facts.max_moves
        return engine.start(program.seen(s), limits, seed=seed, exact=program.exact, multipv=every)

    def pick(self, s: Any, found: Result[Any], rng: random.Random) -> Action:
        """The move to make: of those with the best value, the one it prefers."""
        prefer = self.program.prefer
        if prefer is None:
            return super().pick(s, found, rng)
        best = max(map(_order, found.lines))
        worth = {line.move: prefer(s, line.move) for line in found.lines if _order(line) == best}
        most = max(worth.values())
        return rng.choice([a for a in sorted(worth) if worth[a] == most])


def _order(line: Line) -> tuple[int, float]:
    """A line's value in an order where wins are above all guesses, and losses below them."""
    if line.win_in is None:
        return 0, line.value
    return (1 if line.win_in > 0 else -1), -line.win_in


HISTORIC: Final = {each.name: Historic(each, depth=each.depth) for each in programs()}
