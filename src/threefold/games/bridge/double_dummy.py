"""How many tricks each declarer takes in each strain, with all hands open: whole deals at once."""

import threading
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Any, Final, TypeAlias

from threefold.games.bridge.cards import SEATS, SEATS_AT_A_TABLE, STRAINS
from threefold.games.bridge.position import start
from threefold.rules.bits import popcount

#: By declarer and strain, the tricks that the declarer takes.
Tricks: TypeAlias = dict[str, dict[str, int]]
Hands: TypeAlias = Sequence[int]

#: For what is remembered of one strain; most deals take a few.
_MEGABYTES: Final = 256


class DoubleDummy:
    """Solves deals, whole tables or parts of them, on several threads.

    `strains` and `declarers` are those of interest. What it compiles is kept as long as it lives.
    """

    def __init__(
        self,
        strains: Sequence[str] = STRAINS,
        declarers: Sequence[str] = tuple(SEATS),
        *,
        threads: int = 1,
    ) -> None:
        self._strains = strains
        self._declarers = declarers
        self._threads = threads
        self._mine = threading.local()
        #: How many positions were looked at.
        self.nodes = 0
        self._lock = threading.Lock()

    def table(self, hands: Hands) -> Tricks:
        """The tricks of one deal; its hands are words, North's first, of equal length."""
        return next(self.tables([hands]))

    def tables(self, deals: Iterable[Hands]) -> Iterator[Tricks]:
        """The tricks of one deal after another."""
        work = ((hands, strain) for hands in deals for strain in self._strains)
        if self._threads == 1:
            solved: Iterator[dict[str, int]] = map(self._in_strain, work)
            yield from map(self._by_declarer, _rows(solved, len(self._strains)))
            return
        with ThreadPoolExecutor(self._threads) as pool:
            rows = _rows(pool.map(self._in_strain, work), len(self._strains))
            try:
                yield from map(self._by_declarer, rows)
            finally:
                pool.shutdown(cancel_futures=True)

    def _by_declarer(self, columns: Sequence[dict[str, int]]) -> Tricks:
        return {
            declarer: {
                strain: column[declarer]
                for strain, column in zip(self._strains, columns, strict=True)
            }
            for declarer in self._declarers
        }

    def _in_strain(self, given: tuple[Hands, str]) -> dict[str, int]:
        """By declarer, the tricks in one strain; partners are solved one after the other."""
        hands, strain = given
        solver, cards = self._solver(strain), popcount(hands[0])
        tricks, guess = {}, None
        solver.forget()
        for declarer in sorted(self._declarers, key=lambda seat: SEATS.index(seat) % 2):
            leader = (SEATS.index(declarer) + 1) % SEATS_AT_A_TABLE
            s = start(hands, leader)
            sign = 1 if leader % 2 == 0 else -1
            found = solver.solve(
                s,
                detail="value",
                lines=False,
                progress=False,
                guess=None if guess is None else sign * guess,
            )
            guess = sign * int(found.value)
            declarers = -int(found.value)
            tricks[declarer] = (cards + declarers) // 2
            with self._lock:
                self.nodes += found.nodes
        return tricks

    def _solver(self, strain: str) -> Any:
        """This thread's solver of a strain."""
        from threefold.games.bridge import bridge

        solvers = vars(self._mine).setdefault("solvers", {})
        if strain not in solvers:
            solvers[strain] = bridge(strain).solver(megabytes=_MEGABYTES)  # type: ignore[arg-type]
        return solvers[strain]


def _rows(solved: Iterator[dict[str, int]], width: int) -> Iterator[Sequence[dict[str, int]]]:
    """So many at a time."""
    while row := tuple(islice(solved, width)):
        yield row
