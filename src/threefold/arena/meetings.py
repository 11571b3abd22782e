"""Who met whom, and how it went: the games of an event, counted by pairs of players."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import reduce
from operator import add

from threefold.arena.record import ABANDONED, Task
from threefold.arena.statistics import Scoreboard, Tally, Winnings


class Meetings:
    """Counts the games of any number of players as they end, in any order."""

    def __init__(self, results: Iterable[tuple[Task, float, str]] = ()) -> None:
        #: For each pair of players, the lower number first, their games as that player sees them.
        self._boards: dict[tuple[int, int], Scoreboard] = {}
        #: By who was MAX and who was MIN: wins of MAX, draws, losses.
        self._sides: dict[tuple[int, int], list[int]] = defaultdict(lambda: [0, 0, 0])
        for task, utility, ending in results:
            self.add(task, utility, ending)

    def add(self, task: Task, utility: float, ending: str) -> None:
        """Count a game, unless it was abandoned: then neither it nor its pair counts."""
        if ending == ABANDONED:
            return
        low, high = sorted(task.players)
        board = self._boards.setdefault((low, high), Scoreboard(low))
        board.add(task, utility)
        self._sides[task.players][0 if utility > 0 else 2 if utility < 0 else 1] += 1

    def sides(self) -> Iterator[tuple[int, int, int, int, int]]:
        """MAX, MIN, and the wins, draws and losses of MAX, for all who met."""
        for (first, second), (wins, draws, losses) in self._sides.items():
            yield first, second, wins, draws, losses

    def between(self, player: int, other: int) -> Tally:
        """Their games, as the first of the two sees them."""
        board = self._boards.get((min(player, other), max(player, other)))
        if board is None:
            return Tally()
        return board.tally if player < other else board.tally.reversed()

    def of(self, player: int) -> Tally:
        """All games of a player."""
        return reduce(add, (self.between(player, other) for other in self._met(player)), Tally())

    def winnings(self, player: int) -> Winnings:
        """What a player won from everyone together."""
        return reduce(
            add,
            (
                board.winnings if player == low else board.winnings.reversed()
                for (low, high), board in self._boards.items()
                if player in (low, high)
            ),
            Winnings(),
        )

    def _met(self, player: int) -> Iterator[int]:
        for low, high in self._boards:
            if player in (low, high):
                yield high if player == low else low
