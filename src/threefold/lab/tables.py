"""The games with hidden information that people play here: what must not go into a page.

Of every other game the page holds the moves, and the lab remembers nothing. Here the moves are the
secret, so the lab keeps the game and the page gets a token, which nobody can guess. Whoever has it
sits at that table, and is shown what the people at it may see.
"""

import random
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from threefold.engine.level import Level
from threefold.engine.limits import Limits
from threefold.errors import ThreefoldError
from threefold.lab.limits import MAX_TABLES, TABLE_KEPT_SECONDS, TABLE_SECONDS
from threefold.lab.requests import BadRequest
from threefold.rules.contract import Player
from threefold.rules.seats import SeatedGame

#: How a computer plays: at a level, or for some time.
Strength = Level | Limits


class NoTable(BadRequest):
    """There is no such table: it was cleared, or never was."""


@dataclass
class Table:
    """A game that is being played, and who sits at it."""

    seated: SeatedGame[Any]
    #: The computers by their seats; people have the others.
    computers: Mapping[Player, Strength]
    #: What computers draw their seeds from.
    rng: random.Random
    #: When it was last used.
    used: float = 0.0
    #: Held while a move is made.
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def people(self) -> list[Player]:
        """The seats that people have."""
        seats = range(self.seated.game.facts.seats)
        return [seat for seat in seats if seat not in self.computers]

    @property
    def is_open(self) -> bool:
        """Whether nothing is hidden from anybody: the game is over, or no person plays."""
        return not self.people or self.seated.outcome is not None

    def viewer(self, wanted: Player | None) -> Player | None:
        """The seat that a page may look from, if it wants to look from one; None if from none.

        A person who plays alone always sees their own seat. Where several share a screen, a seat is
        shown only while it decides, and when whoever has it says so.
        """
        people = self.people
        if len(people) == 1:
            return people[0]
        return wanted if wanted in people and wanted == self.seated.seat else None

    def check_ply(self, ply: int) -> None:
        """Raise unless a page knows how many moves were made: another may have made one."""
        if ply != len(self.seated.moves):
            raise BadRequest("the game has moved on; look again")


class Tables:
    """All tables by their tokens: not more than a number, and none for too long."""

    def __init__(
        self,
        *,
        now: Callable[[], float] = time.monotonic,
        make_rng: Callable[[], random.Random] = random.SystemRandom,
    ) -> None:
        self._now = now
        #: What nature and the computers draw from: nobody can tell what comes next.
        self.make_rng = make_rng
        self._tables: dict[str, Table] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._tables)

    def add(self, table: Table) -> str:
        """A token for a new table."""
        with self._lock:
            now = table.used = self._now()
            idle = sorted((now - each.used, token) for token, each in self._tables.items())
            gone = [token for seconds, token in idle if seconds > TABLE_SECONDS]
            if len(idle) - len(gone) >= MAX_TABLES:
                seconds, longest = idle[-1]
                if seconds <= TABLE_KEPT_SECONDS:
                    raise ThreefoldError("all tables of the lab are taken; try again later")
                gone.append(longest)
            for token in gone:
                del self._tables[token]
            token = secrets.token_urlsafe(24)
            self._tables[token] = table
            return token

    def find(self, token: str) -> Table:
        """The table that a page sits at."""
        with self._lock:
            table = self._tables.get(token)
            now = self._now()
            if table is None or now - table.used > TABLE_SECONDS:
                self._tables.pop(token, None)
                raise NoTable("this game is no longer on the table; begin another")
            table.used = now
            return table

    def clear(self, token: str) -> None:
        """Forget a table."""
        with self._lock:
            self._tables.pop(token, None)
