"""Several searches of one position at once, each on a thread of its own (*root parallelism*)."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Protocol

from threefold.engine.clock import Clock
from threefold.engine.control import Control
from threefold.engine.listing import check_fault
from threefold.engine.worker import Worker
from threefold.rules.game import Game


class Growing(Protocol):
    """One of them: what it shares with its caller, and the function that makes it go on."""

    @property
    def search(self) -> Control:
        """Its progress, its limit and its orders."""

    @property
    def grow(self) -> Callable[[], Any]:
        """Search until a limit, a stop or a proof."""

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to find out, so that the others may end as well."""


def search_together(game: Game[Any], growing: Sequence[Growing], clock: Clock) -> None:
    """Let all of them grow until a limit or a stop; a proof or a fault in one ends the rest."""
    searches = [each.search for each in growing]

    def grow_one(mine: Growing) -> None:
        try:
            mine.grow()
        finally:
            if mine.search.fault or mine.is_done:
                for each in searches:
                    each.stop = 1

    leader, *helpers = growing
    with clock.enforce(*searches), clock.counting():
        workers = [Worker(partial(grow_one, helper)) for helper in helpers]
        try:
            grow_one(leader)
        finally:
            for worker in workers:
                worker.wait()
    for worker in workers:
        worker.outcome()
    for search in searches:
        check_fault(game, search)
