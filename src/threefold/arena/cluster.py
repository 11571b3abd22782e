"""Matches on a Ray cluster: its workers play portions of the games."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from threefold.arena.lines import parse_line
from threefold.arena.match import MatchSettings
from threefold.arena.players import load_function
from threefold.arena.record import Played, Task
from threefold.arena.versions import ROOMS
from threefold.arena.workers import Lost, Workers
from threefold.cluster.nodes import Job, LostPortion, RayNodes

if TYPE_CHECKING:
    from threefold.arena.openings import Openings

_COMFORT: Final = (
    "what was played is recorded, and the same command goes on when the cluster is there again"
)


class RayWorkers(Workers):
    """Workers on the nodes of a cluster: see `RayNodes`."""

    def __init__(
        self,
        settings: MatchSettings,
        openings: "Openings",
        address: str | None = None,
        *,
        most: int | None = None,
        say: Callable[[str], None] | None = None,
    ) -> None:
        for line in map(parse_line, settings.players):
            if line.kind == "python":
                load_function(line.words[0])  # so that its file is sent along
        job = Job("threefold.arena.crew:Crew", (settings, openings), ROOMS, _COMFORT)
        self._nodes: RayNodes[Sequence[Task], list[Played]] = RayNodes(
            job, address, most=most, say=say
        )

    @property
    def capacity(self) -> int:
        """See `RayNodes.capacity`."""
        return self._nodes.capacity

    def send(self, portion: Sequence[Task]) -> None:
        """Give it to a worker that is idle, or to the next one that will be."""
        self._nodes.send(portion)

    def receive(self, seconds: float) -> list[list[Played] | Lost]:
        """What came back; what went wrong is raised after it."""
        return [
            Lost(each.portion) if isinstance(each, LostPortion) else each
            for each in self._nodes.receive(seconds)
        ]

    def close(self) -> None:
        """Leave the cluster, which ends all workers."""
        self._nodes.close()
