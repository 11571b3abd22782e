"""The exact search: what positions are worth when both sides play perfectly.

The search itself is in `threefold.solve.null_window`.
"""

from functools import partial
from typing import Any, Final, Generic, TypeVar

from threefold.engine.compile import Compiled
from threefold.engine.control import Control
from threefold.engine.endgames.database import Database
from threefold.engine.endgames.probing import DatabaseMemory
from threefold.engine.listing import check_fault
from threefold.engine.records import allocate, boxed
from threefold.engine.table import NO_MOVE, Table, new_table
from threefold.engine.values import PLIES, above
from threefold.errors import ThreefoldError
from threefold.rules.contract import MAX_VALUE
from threefold.rules.game import Game
from threefold.solve.at_once import run_stoppable
from threefold.solve.null_window import (
    DISTANCE,
    MOVE_MASK,
    TOO_LONG,
    UTILITY,
    WINDOW,
    narrow,
)

S = TypeVar("S")

#: Longer lines would not fit into a value, nor onto the stack.
MAX_LINE: Final = PLIES - 4
#: Probes are so frequent here that tables as large as this should be decoded.
_DECODED_MEGABYTES: Final = 1024
#: Recursion this deep fits any stack.
_ANY_STACK: Final = 256


class TooLong(ThreefoldError):
    """A line of play is longer than the search can follow."""


def too_long(game: Game[Any], most: int) -> TooLong:
    """The error for a game in which a line was longer than `most`, or than declared."""
    if game.facts.max_ply > most:
        return TooLong(
            f"{game.name}: a line of play is longer than the {most} plies that this search can "
            "follow; solve it by its graph"
        )
    return TooLong(
        f"{game.name}: a line of play is longer than max_ply={game.facts.max_ply}; declare more, "
        "or make the game finite"
    )


class Stopped(Exception):
    """The search was stopped, or reached its limit, before it had an answer."""


class ExactSearch(Generic[S]):
    """What positions of a game are worth when both sides play perfectly.

    `control` is shared with other threads: nodes and hits are counted there, and a search
    raises `Stopped` soon after `stop` is set or `node_limit` is reached. The table is kept
    from one question to the next.
    """

    def __init__(self, game: Game[S], megabytes: int, control: Control) -> None:
        _check_kind(game)
        self._game = game
        self._compiled = Compiled(game)
        self._rows = self._compiled.rows(min(game.facts.max_ply, MAX_LINE) + 2)
        self._table = new_table(megabytes)
        #: The lowest bits of the move that the last answer depends on, as far as the table knows.
        self.move = NO_MOVE
        self.control = control
        # What the database's memory has the addresses of must be kept as long as it is.
        self._arrays = None
        if isinstance(game.database, Database):
            self._arrays = game.database.arrays(_DECODED_MEGABYTES)
        self._database = allocate(DatabaseMemory) if self._arrays is None else self._arrays.memory
        start = self._compiled.words(game.initial())
        self._narrow = self._compiled.entry(narrow).prepare(
            start, 0, 1, 0, WINDOW, self._rows, self._table, boxed(self._database), boxed(control)
        )

    def use(self, table: Table) -> None:
        """Replace the table."""
        self._table = table

    def bound(self, s: S, alpha: int, beta: int) -> int:
        """The value of `s` for the player to move, or a bound on it past alpha or beta."""
        return self._run(s, alpha, beta, 0, WINDOW)[0]

    def value(self, s: S, *, quickest: bool = True, guess: int = 0) -> int:
        """The exact value of `s` for the player to move.

        Without `quickest`, only its utility counts, not how far away the end is.
        `guess` is a utility from which to start asking.
        """
        most = above(MAX_VALUE)
        return self._run(s, -most, most, guess, DISTANCE if quickest else UTILITY)[0]

    def _run(self, s: S, low: int, high: int, guess: int, asked: int) -> tuple[int, int]:
        """Run it here if it takes only a moment, else in a thread that can be stopped."""
        control = self.control
        work = partial(
            self._narrow,
            *(self._compiled.words(s), low, high, guess, asked),
            *(self._rows, self._table, boxed(self._database), boxed(control)),
        )
        deep = self._game.facts.max_ply > _ANY_STACK
        found, stopped = run_stoppable(work, control, deep=deep)
        self._check_fault()
        if stopped:
            raise Stopped
        low, high, self.move = map(int, found)
        return low, high

    def _check_fault(self) -> None:
        if self.control.fault == TOO_LONG:
            raise too_long(self._game, MAX_LINE)
        check_fault(self._game, self.control)


def _check_kind(game: Game[Any]) -> None:
    game.require("the exact search", zero_sum=True, perfect_information=True)
    if not game.facts.deterministic:
        raise ThreefoldError(f"the exact search is for games without chance, not {game.name}")
    if game.facts.move_range > MOVE_MASK:
        raise ThreefoldError(f"{game.name}: the exact search distinguishes moves by 32 bits only")
    if game.cyclic:
        raise ThreefoldError(
            f"the exact search is for games in which no position occurs twice; in {game.name} "
            "one may"
        )
