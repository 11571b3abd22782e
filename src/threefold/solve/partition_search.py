"""Partition search: what positions are worth in a game that says what matters about them.

The search itself is in `threefold.solve.partition`.
"""

from functools import partial
from typing import Any, Final, Generic, TypeVar

import numpy as np

from threefold.engine.compile import Compiled
from threefold.engine.control import Control
from threefold.engine.listing import check_fault
from threefold.engine.records import boxed
from threefold.errors import ThreefoldError
from threefold.rules.contract import MAX_VALUE, Action
from threefold.rules.game import Game
from threefold.solve.at_once import run_stoppable
from threefold.solve.exact import MAX_LINE, Stopped, too_long
from threefold.solve.null_window import TOO_LONG
from threefold.solve.partition import HEADS, LINE, MOVE, MOVE_MASK, USED, Memory, best_line, within

S = TypeVar("S")

#: Chains begin in one of this many words; fewer in a small memory.
_MOST_HEADS: Final = 1 << 15
#: What so many words remember is kept for the next position, which may be related.
_KEPT_WORDS: Final = 1 << 22
#: Recursion this deep fits any stack.
_ANY_STACK: Final = 256


def new_memory(megabytes: int) -> Memory:
    """An empty memory; the system supplies its pages as they are touched."""
    words = max(megabytes << 17, 4 * LINE)
    heads = _MOST_HEADS
    while heads > LINE and heads > words // 16:
        heads //= 2
    memory = np.zeros(words, np.int64)
    memory[HEADS], memory[USED] = heads, LINE + heads
    return memory


class PartitionSearch(Generic[S]):
    """What positions of a game are worth to MAX, one after another.

    `control` is shared with other threads, as in `ExactSearch`.
    """

    def __init__(self, game: Game[S], megabytes: int, control: Control) -> None:
        _check_kind(game)
        self._game = game
        self.megabytes = megabytes
        self.control = control
        self._compiled = Compiled(game)
        self._rows = self._compiled.rows(min(game.facts.max_ply, MAX_LINE) + 2)
        self._out = np.zeros(len(self._rows), np.int64)
        self._memory = new_memory(megabytes)
        start, grain, shared = self._compiled.words(game.initial()), game.grain, boxed(control)
        self._within = self._compiled.entry(within).prepare(
            start, 0, 1, 0, grain, self._rows, self._memory, shared
        )
        self._best_line: Any = None

    def prepare_lines(self) -> None:
        """Compile what `line` needs."""
        if self._best_line is None:
            self._best_line = self._compiled.entry(best_line).prepare(
                *(self._compiled.words(self._game.initial()), 0, self._game.grain),
                *(self._rows, self._memory, self._out, boxed(self.control)),
            )

    def begin(self) -> None:
        """Prepare for a position that may have nothing to do with the last one.

        What is remembered of unrelated ones helps little, and makes chains long.
        """
        if self._memory[USED] > _KEPT_WORDS:
            self.forget()

    def forget(self) -> None:
        """Forget all positions; the memory itself is kept."""
        memory, heads = self._memory, int(self._memory[HEADS])
        memory[LINE : LINE + heads] = 0
        memory[USED] = LINE + heads

    def value(self, s: S, low: int = -MAX_VALUE, high: int = MAX_VALUE, guess: int = 0) -> int:
        """What MAX gets, if that is from `low` to `high`: utilities that are possible here."""
        low, high = self._run(
            partial(
                self._within,
                *(self._compiled.words(s), low, high, guess, self._game.grain),
                *(self._rows, self._memory, boxed(self.control)),
            )
        )
        return int(low)

    @property
    def move(self) -> int:
        """A move that is likely to be a best one where the last question began."""
        return int(self._memory[MOVE])

    def line(self, s: S, value: int) -> list[Action]:
        """How a position goes on in which MAX gets that value; see `prepare_lines`."""
        length = self._run(
            partial(
                self._best_line,
                *(self._compiled.words(s), value, self._game.grain, self._rows, self._memory),
                *(self._out, boxed(self.control)),
            )
        )
        return [int(a) for a in self._out[: int(length)]]

    def _run(self, work: Any) -> Any:
        deep = self._game.facts.max_ply > _ANY_STACK
        found, stopped = run_stoppable(work, self.control, deep=deep)
        if self.control.fault == TOO_LONG:
            raise too_long(self._game, MAX_LINE)
        check_fault(self._game, self.control)
        if stopped:
            raise Stopped
        return found


def _check_kind(game: Game[Any]) -> None:
    game.require("partition search", zero_sum=True, perfect_information=True)
    if "gist" not in game.hooks:
        raise ThreefoldError(
            f"partition search is for games that say what matters about a position (gist), and "
            f"{game.name} does not"
        )
    if not game.facts.deterministic or game.cyclic:
        raise ThreefoldError(
            f"partition search is for games without chance whose positions do not repeat, not "
            f"{game.name}"
        )
    if game.facts.move_range > MOVE_MASK:
        raise ThreefoldError(f"{game.name}: partition search knows moves by 32 bits only")
