"""What a solver keeps from one position to the next: compiled searches, and what they have proven.

What a table holds was proven about a position wherever it occurs. So it is true for every later
question about the same rules. If the rules have changed, it is forgotten.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

from threefold.engine.control import Control, clear
from threefold.engine.jit.fingerprint import fingerprint
from threefold.engine.records import allocate
from threefold.errors import Unsolved
from threefold.rules.game import Game
from threefold.solve.exact import ExactSearch
from threefold.solve.growing_table import GrowingTable
from threefold.solve.partition_search import PartitionSearch
from threefold.solve.proof import ProofSearch
from threefold.solve.superko import SuperkoSearch

S = TypeVar("S")


class SearchMemory(Generic[S]):
    """The searches of one game, each with its table, made when they are first asked for."""

    def __init__(self, game: Game[S], megabytes: int) -> None:
        self.game = game
        self.megabytes = megabytes
        self.control = allocate(Control)
        self._rules = ""
        self.forget()

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """Prepare for another position, to be solved in the block."""
        clear(self.control)
        try:
            yield
        except Unsolved:
            raise
        except BaseException:
            self.forget()  # rules that fail may have left anything there
            raise

    def forget(self) -> None:
        """Release all memory."""
        self._exact: tuple[ExactSearch[S], GrowingTable] | None = None
        self._proof: tuple[ProofSearch[S], GrowingTable] | None = None
        self._superko: SuperkoSearch[S] | None = None
        self._partition: PartitionSearch[S] | None = None

    def exact(self) -> tuple[ExactSearch[S], GrowingTable]:
        """The exact search and its table."""
        self._notice_new_rules()
        if self._exact is None:
            search = ExactSearch(self.game, 0, self.control)
            self._exact = search, GrowingTable(search, self.megabytes, self.control)
        return self._exact

    def proof(self) -> tuple[ProofSearch[S], GrowingTable]:
        """Proof-number search and its table."""
        self._notice_new_rules()
        if self._proof is None:
            search = ProofSearch(self.game, 0, self.control)
            self._proof = search, GrowingTable(search, self.megabytes, self.control)
        return self._proof

    def partition(self) -> PartitionSearch[S]:
        """Partition search; its memory fills as it is used."""
        self._notice_new_rules()
        if self._partition is None:
            self._partition = PartitionSearch(self.game, self.megabytes, self.control)
        return self._partition

    def forget_positions(self) -> None:
        """Forget what partition search remembers; what is compiled and allocated is kept."""
        if self._partition is not None:
            self._partition.forget()

    def superko(self) -> SuperkoSearch[S]:
        """The search under superko; its table takes memory as it fills."""
        self._notice_new_rules()
        if self._superko is None:
            self._superko = SuperkoSearch(self.game, self.megabytes, self.control)
        return self._superko

    def _notice_new_rules(self) -> None:
        rules = fingerprint(self.game)
        if rules != self._rules:
            self.forget()
            self._rules = rules
