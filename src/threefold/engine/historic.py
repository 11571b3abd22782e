"""Opponents from the history of the field: programs of 1948–1953 that were written for no computer.

Each looks ahead in its own way, so each has its own view of the game: an evaluation, the moves
worth following, and a depth. The search that does the looking is the engine's.
"""

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from threefold.engine.analysis import Engine
from threefold.engine.level import Level
from threefold.engine.limits import Limits
from threefold.engine.result import Line, Result
from threefold.engine.running import Running
from threefold.errors import ThreefoldError
from threefold.rules.contract import Action
from threefold.rules.game import Game

#: No position of a real game comes near it, but one could be set up that does.
_MOST_NODES: Final = 3_000_000


@dataclass(frozen=True)
class Program:
    """A program's own way of playing a game."""

    #: The game as it sees it.
    view: Game[Any]
    #: A position on the board as it sees it.
    seen: Callable[[Any], Any]
    #: How many plies ahead it looks at all moves, or at all that it thinks worth exploring.
    depth: int
    #: What decides between moves of equal value, if anything does but chance.
    prefer: Callable[[Any, Action], int] | None = None


@dataclass(frozen=True, kw_only=True)
class Historic(Level):
    """A program of the past as an opponent, with a name instead of a number."""

    number: int = 0
    depth: int | None = None  # its program knows
    time: float = math.inf  # its depth is limit enough
    name: str
    #: Its name and year, for people, and what it does.
    title: str
    about: str
    #: The game it plays, by the name the command line has for it.
    plays: str = "chess"
    #: Fetches the program, and its game's rules with it, when someone plays against it.
    load: Callable[[], Program]
    #: Whether it looks at every move to the same depth.
    exact: bool = False

    def __str__(self) -> str:
        return self.about

    def view(self, game: Game[Any]) -> Game[Any]:
        """The game in which it looks ahead; an error if it does not play the one given."""
        from threefold.games.chess.rules import result

        if game.hooks["result"] is not result:
            raise ThreefoldError(f"{self.name} plays {self.plays} only, not {game.spec}")
        return self.load().view

    def start(
        self,
        engine: Engine[Any],
        s: Any,
        seed: int,
        history: Sequence[Any],  # noqa: ARG002
    ) -> Running[Result[Any]]:
        """Start thinking; it ignores how the game came here."""
        program = self.load()
        limits = Limits(depth=program.depth, nodes=_MOST_NODES)
        every = 1 if program.prefer is None else engine.game.facts.max_moves
        return engine.start(program.seen(s), limits, seed=seed, exact=self.exact, multipv=every)

    def pick(self, s: Any, found: Result[Any], rng: random.Random) -> Action:
        """The move to make: of those with the best value, the one it prefers."""
        prefer = self.load().prefer
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


@cache
def _turochamp() -> Program:
    from threefold.games.chess.seen import seen
    from threefold.games.chess.turing import DEPTH, position_play, view

    return Program(view(), seen, DEPTH, position_play)


@cache
def _shannon_a() -> Program:
    from threefold.games.chess.seen import seen
    from threefold.games.chess.shannon import DEPTH, type_a

    return Program(type_a(), seen, DEPTH)


@cache
def _shannon_b() -> Program:
    from threefold.games.chess.seen import seen
    from threefold.games.chess.shannon import DEPTH, type_b

    return Program(type_b(), seen, DEPTH)


HISTORIC: Final = {
    each.name: each
    for each in (
        Historic(
            name="turochamp",
            title="Turochamp, 1948",
            about="Alan Turing and David Champernowne's paper machine: looks at every move and "
            "reply, then at considerable moves",
            load=_turochamp,
        ),
        Historic(
            name="shannon-a",
            title="Shannon's type A, 1950",
            about="Claude Shannon's type A: looks at every move, 4 plies ahead",
            load=_shannon_a,
            exact=True,
        ),
        Historic(
            name="shannon-b",
            title="Shannon's type B, 1950",
            about="Claude Shannon's type B: looks at chosen moves, until the position is stable",
            load=_shannon_b,
        ),
    )
}
