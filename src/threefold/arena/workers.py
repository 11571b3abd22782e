"""Workers: where the games of a match are played. One machine has a pool, a cluster has another."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from threefold.arena.record import Played, Task
from threefold.engine.running import Closing


@dataclass(frozen=True)
class Lost:
    """Games whose worker died while it played them."""

    tasks: Sequence[Task]


class Workers(Closing):
    """Plays portions of games, several at a time."""

    @property
    @abstractmethod
    def capacity(self) -> int:
        """How many portions to have out at once; it may change."""

    @abstractmethod
    def send(self, portion: Sequence[Task]) -> None:
        """Have some games played, one after another, by whoever is free."""

    @abstractmethod
    def receive(self, seconds: float) -> list[list[Played] | Lost]:
        """The portions that are done or lost by now; waits for one, at most this long.

        What a player's line has wrong is raised here, by the worker that found out.
        """

    def close(self) -> None:
        """End all workers, whatever they are doing."""
