"""Making the tables of one group of slices on a GPU, and verifying them there.

The device has memory for the tables and little else. So they are made by sweeps until nothing
changes, each of which leaves out the positions whose values are final.
"""

from typing import TypeVar

from threefold.engine.endgames.sweeping import COMPARE, COMPARE_OUTCOMES, WRITE
from threefold.engine.endgames.values import UNKNOWN
from threefold.gpu.endgames import Sweeper
from threefold.rules.endgames import Slice
from threefold.rules.game import Game
from threefold.solve.endgames.making import Maker, Stopped, Tables

S = TypeVar("S")


class GpuMaker(Maker[S]):
    """Makes tables of one game on the device."""

    def __init__(self, game: Game[S]) -> None:
        super().__init__(game)
        self._sweeper = Sweeper(self._game)
        #: Numbers that need no further look, of the tables that are done and of the current ones.
        self._done = 0
        self._settled = 0

    @property
    def nodes(self) -> int:
        """How many positions were made so far, and how many verified."""
        return self._done + self._settled

    def make(self, tables: Tables, room: int) -> None:  # noqa: ARG002
        """Find the values of a group; its moves take no memory here."""
        group = tables.group
        tables.values[: group.size] = UNKNOWN if self._margins else 0
        self._sweeper.load(tables.values, tables.directory, group.name)
        try:
            self._sweep_until_final(tables)
            self._sweeper.fetch(tables.values[: group.size])
        finally:
            self._sweeper.drop()
        self._count(group.size)

    def _sweep_until_final(self, tables: Tables) -> None:
        done = 0
        while True:
            swept = [
                self._sweeper.sweep(
                    *(each.number, tables.begin(each), each.size, WRITE),
                    done=done,
                    watch=lambda _: self._check_stopped(),
                )
                for each in tables.group.slices
            ]
            done += 1
            still_open = sum(each.open for each in swept)
            self._settled = tables.group.size - still_open
            if still_open == 0:
                return
            if not any(each.changed for each in swept):
                if self._margins:
                    raise self._returning(tables.group)
                return

    def differences(
        self,
        tables: Tables,
        of: Slice,
        threads: int = 1,  # noqa: ARG002
        *,
        outcomes: bool = False,
    ) -> tuple[int, int, int]:
        """How many values of a slice are not what their successors say: see `Maker`."""

        def watch(numbers: int) -> None:
            self._settled = numbers
            self._check_stopped()

        self._sweeper.load(tables.values, tables.directory, tables.group.name)
        try:
            task = COMPARE_OUTCOMES if outcomes else COMPARE
            found = self._sweeper.sweep(of.number, tables.begin(of), of.size, task, watch=watch)
        finally:
            self._sweeper.drop()
        self._count(of.size)
        return found.changed, found.first_changed, found.used

    def _count(self, numbers: int) -> None:
        """Add to what is done."""
        self._settled = 0
        self._done += numbers

    def _check_stopped(self) -> None:
        if self._stopped:
            raise Stopped
