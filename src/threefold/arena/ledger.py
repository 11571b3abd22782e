"""What is known of a match so far: which games were played, and how they ended."""

from collections import Counter
from dataclasses import dataclass

from threefold.arena.match import MatchSettings
from threefold.arena.meetings import Meetings
from threefold.arena.ratings import Ratings, points_per_game, rate
from threefold.arena.record import ABANDONED, FAILURES, TIME, Task
from threefold.arena.sprt import Sprt
from threefold.arena.statistics import Standing


@dataclass(frozen=True)
class Result:
    """How a game of a match ended."""

    task: Task
    utility: float
    ending: str


class Ledger:
    """Counts games as they end, in any order.

    A test that may end the match early looks at the games in the order of their numbers, not as
    they end: short games end first, and whether they do depends on how many are played at once.
    """

    def __init__(
        self,
        settings: MatchSettings,
        chance: bool,
        sprt: Sprt | None = None,
        anchor: tuple[int, float] | None = None,
    ) -> None:
        """`anchor` is a player and its rating, for tournaments."""
        self._settings = settings
        self._anchor = anchor
        self._chance = chance
        self._sprt = sprt
        #: The games that count, by pairs of players.
        self.meetings = Meetings()
        self._next = 0
        self._early: dict[int, Result] = {}
        #: The numbers of the games that need not be played any more.
        self.done: set[int] = set()
        #: How games ended, by word.
        self.endings: Counter[str] = Counter()

    def add(self, result: Result) -> None:
        """Enter a game."""
        if result.task.number in self.done:
            return
        self.done.add(result.task.number)
        if self._sprt is None:
            self._count(result)
            return
        self._early[result.task.number] = result
        while self._next in self._early and not self.is_decided:
            self._count(self._early.pop(self._next))
            self._next += 1

    def _count(self, result: Result) -> None:
        self.endings[result.ending] += 1
        self.meetings.add(result.task, result.utility, result.ending)

    @property
    def standing(self) -> Standing:
        """Where a match of two stands."""
        winnings = self.meetings.winnings(0) if self._chance else None
        return Standing(self.meetings.between(0, 1), self._sprt, winnings)

    @property
    def ratings(self) -> Ratings:
        """The ratings of a tournament's players."""
        players = len(self._settings.players)
        if self._chance:
            return points_per_game(self.meetings, players)
        return rate(self.meetings, players, self._anchor)

    @property
    def is_decided(self) -> bool:
        """Whether a test has decided the match."""
        return self._sprt is not None and self._next % 2 == 0 and self.standing.verdict is not None

    @property
    def counted(self) -> int:
        """How many games count."""
        return self.games - self.endings[ABANDONED]

    @property
    def games(self) -> int:
        """How many games were entered."""
        return sum(self.endings.values())

    def failures(self) -> dict[str, int]:
        """How many games were lost by crashing and the like, how many on time; and, if any, how
        many were given up because their workers died."""
        crashes = sum(self.endings[each] for each in FAILURES)
        found = {"crashes": crashes, "time_losses": self.endings[TIME]}
        if given_up := self.endings[ABANDONED]:
            found["abandoned"] = given_up
        return found
