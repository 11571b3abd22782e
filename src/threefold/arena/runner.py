"""Playing a match: games are handed out in portions, and recorded as they come back."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Final

from threefold.arena import record
from threefold.arena.interrupts import held_back
from threefold.arena.ledger import Ledger, Result
from threefold.arena.match import MatchSettings
from threefold.arena.record import MatchInfo, Played, Task
from threefold.arena.store import Store
from threefold.arena.workers import Lost, Workers

#: A portion should take this many seconds: long enough that handing it out costs next to nothing,
#: short enough that little is lost with its worker.
_PORTION: Final = 0.2
#: Seconds by which it grows with each portion that is out: with a thousand workers on a cluster,
#: handing out short ones would be all that this process does.
_GROWTH: Final = 0.001
_LARGEST: Final = 2000
#: Seconds between two looks at what came back.
_INTERVAL: Final = 0.2
#: How often a game is begun whose workers die.
_ATTEMPTS: Final = 2


class Runner:
    """Plays the games of a match that are not in its file yet."""

    def __init__(
        self, settings: MatchSettings, store: Store, match: MatchInfo, ledger: Ledger
    ) -> None:
        self._settings = settings
        self._store = store
        self._match = match
        self.ledger = ledger
        self._attempts: Counter[int] = Counter()
        self._again: list[Task] = []
        #: Games that are out, and portions.
        self._out = 0
        self._portions = 0
        #: Seconds of a game on average, once that is known.
        self._mean: float | None = None

    def run(
        self,
        games: int,
        workers: Workers,
        watch: Callable[[], object] = lambda: None,
        tasks: Iterable[Task] | None = None,
    ) -> None:
        """Play until this many games are played, or a test has decided; `watch` is called often.

        `tasks` are the games that are left to play, if the settings do not decide that.
        """
        fresh = self._fresh(games) if tasks is None else iter(tasks)
        left = games - len(self.ledger.done)
        while not self.ledger.is_decided:
            while self._portions < workers.capacity:
                if self._again:  # alone: a game that kills its worker takes no other with it
                    portion = [self._again.pop(0)]
                else:
                    size = self._size(left - self._out, workers.capacity)
                    portion = list(islice(fresh, size))
                if not portion:
                    break
                workers.send(portion)
                self._portions += 1
                self._out += len(portion)
            if not self._portions and not self._again:
                break
            played: list[Played] = []
            for done in workers.receive(_INTERVAL):
                self._portions -= 1
                self._out -= len(done.tasks) if isinstance(done, Lost) else len(done)
                played += self._lost(done) if isinstance(done, Lost) else done
            left -= len(played)
            self._record(played)
            watch()

    def _fresh(self, games: int) -> Iterator[Task]:
        """The games that were never begun."""
        done = frozenset(self.ledger.done)
        return (self._settings.task(number) for number in range(games) if number not in done)

    def _size(self, left: int, capacity: int) -> int:
        """How many games to hand out at once; at the end, everyone gets some."""
        if self._mean is None:
            return 1
        fair = left // (2 * capacity)
        seconds = max(_PORTION, capacity * _GROWTH)
        return max(1, min(int(seconds / max(self._mean, 1e-6)), fair, _LARGEST))

    def _record(self, played: list[Played]) -> None:
        """Write games to the file, then count them."""
        if not played:
            return
        with held_back():
            self._store.add(self._match, played)
            for each in played:
                self.ledger.add(Result(each.task, each.utility, each.ending))
        mean = sum(each.duration for each in played) / len(played)
        self._mean = mean if self._mean is None else 0.8 * self._mean + 0.2 * mean

    def _lost(self, lost: Lost) -> list[Played]:
        """Have lost games played again, once; give up those that were lost again."""
        given_up = []
        for task in lost.tasks:
            self._attempts[task.number] += 1
            if self._attempts[task.number] < _ATTEMPTS:
                self._again.append(task)
            else:
                given_up.append(_abandoned(task))
        return given_up


def _abandoned(task: Task) -> Played:
    return Played(task, "", (), 0, 0, record.ABANDONED, "its worker died twice", ended=time.time())
