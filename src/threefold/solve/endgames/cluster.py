"""Building a database on a Ray cluster: its workers make tables, and this process writes them.

A worker makes and verifies a group of slices, and sends back the finished files. They are checked
and written here, so a worker that dies loses only what it was making; another makes it again.
A group that is too large for one worker is made by parts: see `parts`. Nodes may join and leave.
"""

from collections import Counter, deque
from itertools import count
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar

import numpy as np

from threefold.cluster.head_node import ray_address
from threefold.cluster.nodes import Job, LostPortion, RayNodes, Shared
from threefold.engine.endgames.files import Damaged, TableFile, read_table
from threefold.engine.endgames.values import UNKNOWN
from threefold.engine.progress import StatusLine
from threefold.errors import ThreefoldError
from threefold.replacing import write_file
from threefold.rules.endgames import Slice
from threefold.rules.game import Game
from threefold.solve.endgames.building import LOOKS, Agenda, Builder, endgames_of
from threefold.solve.endgames.cluster_makers import Files, Made, Part, Swept, Whole
from threefold.solve.endgames.groups import Group
from threefold.solve.endgames.making import Maker
from threefold.solve.endgames.parts import Split

S = TypeVar("S")
Array: TypeAlias = Any

#: A group with more positions is made by parts. A part needs less memory, but takes many sweeps.
PART = 1 << 27
#: The longest and the shortest part, as shares of these positions.
_LONGEST: Final = 1 << 3
_SHORTEST: Final = 1 << 9

#: The rooms of ours that decide what a worker makes.
_ROOMS: Final = ("rules", "games", "engine", "gpu", "solve", "cluster")
_COMFORT: Final = (
    "what is finished stays, and the same command goes on when the cluster is there again"
)
#: Seconds between two looks at what came back.
_PAUSE: Final = 1.0
#: A group that was lost so often is made by parts; and how often a part may be lost.
_LOST_GROUPS: Final = 3
_LOST_PARTS: Final = 10


class ClusterBuilder(Builder[S]):
    """A build on a cluster, with at most so many workers."""

    def __init__(
        self,
        game: Game[S],
        slices: list[Slice],
        folder: Path,
        distances: bool,
        gigabytes: float | None,
        cluster: str,
        workers: int | None,
    ) -> None:
        super().__init__(game, slices, folder, 1, distances, gigabytes)
        self._address = ray_address(cluster)
        self._most = workers
        self._agenda = Agenda([])
        self._numbers = count()
        #: What is with the workers, by its number; what to hand out again; and how often.
        self._out: dict[int, Whole | Part] = {}
        self._again: deque[Whole | Part] = deque()
        self._losses: Counter[int] = Counter()
        #: Groups that are made by parts although they are small, by their first slice.
        self._troubled: set[int] = set()
        self._split: Split | None = None
        #: The finished files that workers share, by slice.
        self._shared: dict[int, Shared[Array]] = {}
        #: How often positions were looked at.
        self._looks = 0

    def _make_all(self, missing: list[Group]) -> None:
        """Make the groups, each once those that it leads to are done."""
        if not missing:
            return
        self._agenda = Agenda(missing)
        self._groups = {group.slices[0].number: group for group in missing}
        self._maker = Maker(self.game)
        pieces = max(each.pieces for each in self.slices)
        job = Job(
            "threefold.solve.endgames.cluster_makers:TableMakers",
            (self.game.spec, pieces, self.gigabytes),
            _ROOMS,
            _COMFORT,
        )
        self._nodes: RayNodes[Whole | Part, Made | Swept] = RayNodes(
            job, self._address, most=self._most
        )
        with self._nodes, StatusLine(self._status):
            while self._agenda.waiting or self._out or self._again or self._split:
                self._hand_out()
                for answer in self._nodes.receive(_PAUSE):
                    if isinstance(answer, LostPortion):
                        self._lose(self._out.pop(answer.portion.number))
                    elif isinstance(answer, Made):
                        self._receive(answer)
                    else:
                        self._take(answer)

    # Handing out.

    def _hand_out(self) -> None:
        """Give every worker something to do, and something to go on with."""
        while len(self._out) < self._nodes.capacity:
            task = self._next()
            if task is None:
                return
            self._out[task.number] = task
            self._nodes.send(task)

    def _next(self) -> Whole | Part | None:
        """What to do next, if there is anything."""
        if self._again:
            return self._again.popleft()
        if self._split is not None:
            part = self._split.next_part(self._length)
            if part is not None:
                return part
        for group in self._agenda.ready():
            first = group.slices[0].number
            is_large = group.size > PART or first in self._troubled
            if is_large and self._split is not None:  # one at a time
                continue
            self._agenda.waiting.remove(group)
            files = self._files_for(group)
            if not is_large:
                return Whole(number=next(self._numbers), group=first, files=files)
            start = UNKNOWN if endgames_of(self.game).margins else 0
            self._split = Split(group, files, start, self._nodes.share, self._numbers)
            return self._split.next_part(self._length)
        return None

    def _length(self, of: Slice) -> int:
        """How many numbers a part of a slice has: all workers get some, but none of them few."""
        wanted = -(-of.size // self._nodes.capacity)
        return max(min(wanted, PART // _LONGEST), PART // _SHORTEST, 1)

    def _files_for(self, group: Group) -> Files:
        """The finished files that a group needs, for all workers to share."""
        for each in group.exits:
            if each.number not in self._shared:
                table = self._finished(each)
                self._read(table, each)
                self._shared[each.number] = self._nodes.share(np.fromfile(table.path, np.uint8))
        return {each.number: self._shared[each.number] for each in group.exits}

    def _read(self, table: TableFile, of: Slice) -> None:
        """See whether a table is what it should be, and undamaged."""
        header, rules = table.header, endgames_of(self.game).rules
        if (header.rules, header.slice, header.size) != (rules, of.number, of.size):
            raise Damaged(table.path, f"it is not the table of {of.name}")
        read_table(table, np.empty(of.size, np.int16), self._maker.coder)

    # What comes back.

    def _lose(self, task: Whole | Part) -> None:
        """Have somebody else do it."""
        self._losses[task.number] += 1
        lost, group = self._losses[task.number], self._groups[task.group]
        if isinstance(task, Whole) and lost >= _LOST_GROUPS:
            self._troubled.add(task.group)
            self._agenda.waiting.insert(0, group)
        elif lost >= _LOST_PARTS:
            raise ThreefoldError(
                f"{lost} workers died while they made {group.name}: its nodes may have too little "
                "memory; what is finished stays, and the same command goes on"
            )
        else:
            self._again.append(task)

    def _receive(self, made: Made) -> None:
        """Write the files of a group, if they are sound."""
        task = self._out.pop(made.number)
        group = self._groups[task.group]
        try:
            for each in group.slices:
                path = self._unverified(each)
                write_file(str(path), made.files[each.number])
                self._read(TableFile(path), each)
        except Damaged:
            self._lose(task)
            return
        self._looks += LOOKS * group.size
        self._finish(group)

    def _take(self, swept: Swept) -> None:
        """What became of a part."""
        del self._out[swept.number]
        split = self._split
        assert split is not None
        numbers = split.take(swept)
        if split.is_verifying:
            self._looks += numbers
        if not split.is_settled:
            return
        if not split.is_verifying:
            self._maker.check_known(split.tables)
            self._write(split.tables, self._maker, split.seconds)
            self._looks += split.group.size
            split.verify(self._length)
            return
        if split.wrong:
            each = split.wrong[0].of
            wrong = [found for found in split.wrong if found.of is each]
            first = min(found.first for found in wrong)
            raise self._wrong_values(each, sum(found.values for found in wrong), first)
        self._split = None
        self._finish(split.group)

    def _finish(self, group: Group) -> None:
        """The tables of a group are verified."""
        self._accept(group)
        self._agenda.done(group)
        going_on = [self._groups[task.group] for task in self._out.values()]
        needed = {
            each.number for other in (*self._agenda.waiting, *going_on) for each in other.exits
        }
        for number in self._shared.keys() - needed:
            del self._shared[number]

    # Progress.

    def _looked(self) -> int:
        """How often positions were looked at, as far as that is known."""
        return self._looks

    def _at_work(self) -> list[str]:
        """How many workers there are, and what they make."""
        workers = self._nodes.capacity // 2
        wholes = [each for each in list(self._out.values()) if isinstance(each, Whole)]
        found = [f"{workers} worker{'s' * (workers != 1)}"]
        if (split := self._split) is not None:
            doing = f"sweep {split.steps}, {split.changed:,} changed"
            found.append(f"{split.group.name} ({'verifying' if split.is_verifying else doing})")
        return found + [self._groups[each.group].name for each in wholes]
