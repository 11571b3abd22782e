"""A search that needs no compiling: shallow, but there at once.

It is for a clock that does not wait for the compiler. Every move of the root is searched two plies
deep, then three, and so on, by the same procedure that is otherwise compiled (`negamax`). Loading
this module loads neither NumPy nor Numba.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any, Final, Generic, TypeVar

from threefold.engine.clock import Clock
from threefold.engine.limits import Limits
from threefold.engine.negamax import PlainSearch, last_value, negamax
from threefold.engine.result import Line, Result
from threefold.engine.running import Report, Running
from threefold.engine.values import PLAIN_INFINITY, PLAIN_UTILITY
from threefold.rules.contract import FINISHED, MAX_VALUE, MIN, Action
from threefold.rules.game import Game
from threefold.rules.rebind import interpreted

S = TypeVar("S")

#: Plies of the first iteration, unless the limit is one: a move and its answer.
_FIRST_DEPTH: Final = 2
_LAST_DEPTH: Final = 64


@dataclass(frozen=True)
class _Found:
    """The best move so far, and how deep the search is that found it."""

    depth: int
    move: Action
    value: int


class Uncompiled(Generic[S]):
    """One search of a position, interpreted."""

    def __init__(
        self,
        game: Game[S],
        s: S,
        limits: Limits,
        history: Sequence[S] = (),
        moves: Sequence[Action] = (),
    ) -> None:
        self.clock = Clock(limits)
        self.found: _Found | None = None
        self._game = game
        self._position = s
        self._roots = sorted(moves or game.all_moves(s), key=lambda a: -game.order(s, a))
        self._plain = PlainSearch(hurry=1)
        #: The keys of positions that are not to come up again, unless to draw.
        self._past = {game.key(before) for before in history} if game.repeats else set()

    def run(self, report: Report) -> Result[S]:
        """Search ever deeper."""
        if not self._roots:
            return self.answer()
        search, evaluate = bind(self._game), bind(self._game, last_value)
        last = self.clock.limits.depth or _LAST_DEPTH
        with self.clock.enforce(self._plain), self.clock.counting():
            for ahead in range(min(_FIRST_DEPTH, last), last + 1):
                rows = [[0] * 2 * self._game.facts.max_moves for _ in range(ahead + 2)]
                best = -PLAIN_INFINITY
                for a in list(self._roots):
                    child = self._game.result(self._position, a)
                    same = self._is_min(child) == self._is_min(self._position)
                    window = (best, PLAIN_INFINITY) if same else (-PLAIN_INFINITY, -best)
                    if self._game.key(child) in self._past:
                        value = 0
                    else:
                        value = (
                            evaluate(child, 1, rows[1], self._plain)
                            if ahead == 1
                            else search(child, ahead - 1, 1, *window, rows, self._plain)
                        )
                        value = value if same else -value
                    if self.clock.expired:
                        return self.answer()
                    if value > best:
                        best = value
                        self.found = _Found(ahead, a, value)
                        report()
                # The best move first: a deeper search that is cut short then knows its true value.
                assert self.found is not None
                self._roots.remove(self.found.move)
                self._roots.insert(0, self.found.move)
        return self.answer()

    def answer(self) -> Result[S]:
        """The best answer so far: the most promising move if nothing was searched yet."""
        game, s, found = self._game, self._position, self.found
        lines: tuple[Line, ...] = ()
        value, win_in = 0.0, None
        if found is not None:
            value, win_in = self._shown(found.value)
            lines = (Line(found.move, value, win_in, False, (found.move,)),)
        elif self._roots:
            lines = (Line(self._roots[0], value, None, False, (self._roots[0],)),)
        else:
            worth = game.utility(s) * (FINISHED if game.evaluation is not None else 1)
            value = -worth if self._is_min(s) else worth
        depth = 0 if found is None else found.depth
        return Result(
            game=game,
            position=s,
            lines=lines,
            value=value,
            exact=False,
            win_in=win_in,
            depth=depth,
            selective_depth=depth,
            nodes=self._plain.nodes,
            seconds=self.clock.seconds,
        )

    def _is_min(self, s: S) -> bool:
        return self._game.player(s) == MIN

    def _shown(self, value: int) -> tuple[float, int | None]:
        """A value in readable units, and in how many plies the game is won or lost."""
        game = self._game
        if abs(value) <= MAX_VALUE:
            return value if game.denominator == 1 else value / game.denominator, None
        utility = -(-abs(value) // PLAIN_UTILITY)
        plies = utility * PLAIN_UTILITY - abs(value)
        shown = utility * (FINISHED if game.evaluation is not None else 1)
        return (shown, plies) if value > 0 else (-shown, -plies)


def bind(game: Game[Any], template: Callable[..., int] = negamax) -> Callable[..., int]:
    """The search for a game; only the first time takes more than a moment."""
    assert isinstance(template, FunctionType)
    return interpreted(template, game)


def start_uncompiled(
    game: Game[S],
    s: S,
    limits: Limits | None = None,
    *,
    history: Sequence[S] = (),
    moves: Sequence[Action] = (),
) -> Running[Result[S]]:
    """Start searching a position without compiling anything.

    `history` is the positions of the game so far; `moves`, if there are any, are the only ones to
    consider.
    """
    return Running(Uncompiled(game, s, limits or Limits(), history, moves))
