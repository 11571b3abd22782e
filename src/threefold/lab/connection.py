"""One page's connection: requests come in, answers and news go out, and nothing outlives it.

A request is a JSON object with a number and the name of what is wanted; the answer has the same
number. Requests that take long send news along the way, and `stop` ends them.

    → {"id": 7, "do": "analyse", "game": "othello", "moves": ["d3"], "time": 60}
    ← {"id": 7, "news": {"value": 12, "depth": 9, …}}
    → {"id": 8, "do": "stop", "which": 7}
    ← {"id": 7, "answer": {"value": 14, "depth": 13, …}}
    ← {"id": 8, "answer": {}}
"""

import asyncio
import json
import logging
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from starlette.websockets import WebSocket, WebSocketDisconnect

from threefold.errors import BrokenRules, ThreefoldError
from threefold.lab import boards, learning_lessons, lessons, matches, path_lessons
from threefold.lab.gallery import Gallery
from threefold.lab.limits import (
    ANSWERS_AT_ONCE,
    ANSWERS_PER_CLIENT,
    MAX_ANSWER_SECONDS,
    MAX_EVENTS,
    MAX_ID,
    MAX_MESSAGE,
    REQUESTS_PER_CLIENT,
    SEARCHES_PER_CLIENT,
)
from threefold.lab.requests import BadRequest, Request
from threefold.lab.searching import SEARCHES, Means, News, historic, levels
from threefold.lab.seating import AT_TABLES, SEARCHES_AT_TABLES
from threefold.lab.stopping import Stop
from threefold.rules.text import shorten
from threefold.textbook.trace import at_most, unless

log = logging.getLogger("threefold.lab")

#: Requests that are answered immediately, besides those `AT_TABLES`.
ANSWERS: Final[dict[str, Callable[[Gallery, Request], dict[str, Any]]]] = {
    "games": lambda gallery, _: {
        "games": gallery.listed(),
        "usual": gallery.usual,
        "levels": levels(),
        "historic": historic(),
    },
    "view": boards.view,
    "evaluate": boards.evaluate,
    "roll": boards.roll,
    "touch": boards.touch,
    "put": boards.put,
    "record": boards.record,
    "procedures": lessons.procedures,
    "explain": lessons.step_through,
    "compare": lessons.side_by_side,
    "path-procedures": path_lessons.path_procedures,
    "path": path_lessons.step_path,
    "local": path_lessons.step_local,
    "learning": learning_lessons.learning,
    "td": learning_lessons.step_td,
    "regrets": learning_lessons.step_regrets,
    "tree": lessons.tree,
    "random-tree": lessons.random_tree,
    "exercise": lessons.exercise,
    "check": lessons.check,
    "matches": matches.matches,
    "match": matches.match,
    "match-games": matches.games,
    "match-game": matches.game,
}
#: What is said of a mistake in a game's rules, whose message may hold the position.
_UNTOLD: Final = (
    "the rules of this game are broken; where, would tell what is hidden: try threefold conformance"
)
#: Requests that take long.
LONG: Final = {**SEARCHES, **SEARCHES_AT_TABLES}


@dataclass(frozen=True)
class _Job:
    """A request that is being worked on."""

    what: str
    request: Request
    stop: Stop = field(default_factory=Stop)

    @property
    def is_search(self) -> bool:
        """Whether it takes long and sends news."""
        return self.what in LONG

    @property
    def is_at_table(self) -> bool:
        """Whether it is about a game of which a page must not hear everything."""
        return self.what in AT_TABLES or self.what in SEARCHES_AT_TABLES


class Connection:
    """The requests of one page that are not yet answered."""

    def __init__(self, socket: WebSocket, means: Means, answering: ThreadPoolExecutor) -> None:
        self._socket = socket
        self._means = means
        self._answering = answering
        self._jobs: dict[int, _Job] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._sending = asyncio.Lock()
        #: One page must not keep all threads busy: its other requests wait.
        self._turn = asyncio.Semaphore(ANSWERS_PER_CLIENT)

    async def serve(self) -> None:
        """Answer until the page leaves."""
        await self._socket.accept()
        try:
            while True:
                await self._receive(await self._socket.receive_text())
        except WebSocketDisconnect:
            pass
        except KeyError:  # it sent bytes
            await self._socket.close(1003, "a message is a text")
        finally:
            for job in self._jobs.values():
                job.stop.set()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _receive(self, message: str) -> None:
        number: int | None = None
        try:
            fields = _parsed(message)
            number = self._number(fields.get("id"))
            if fields.get("do") == "stop":
                self._stop(fields.get("which"))
                await self._send({"id": number, "answer": {}})
                return
            what = self._possible(fields.get("do"))
        except BadRequest as error:
            await self._send({"id": number, "error": str(error)})
            return
        job = self._jobs[number] = _Job(what, Request(fields))
        task = asyncio.create_task(self._work(number, job))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _number(self, given: Any) -> int:
        """The number of a request."""
        whole = isinstance(given, int) and not isinstance(given, bool)
        if not whole or not 0 <= given <= MAX_ID or given in self._jobs:
            raise BadRequest("a request needs its own number, id")
        return int(given)

    def _possible(self, what: Any) -> str:
        """What to do, if the lab can do it now."""
        if not isinstance(what, str) or (what not in {*ANSWERS, *AT_TABLES, *LONG}):
            raise BadRequest(f"the lab does not know how to {shorten(str(what), 40)}")
        if len(self._jobs) >= REQUESTS_PER_CLIENT:
            raise BadRequest("too many requests at once; wait for an answer")
        searches = sum(job.is_search for job in self._jobs.values())
        if what in LONG and searches >= SEARCHES_PER_CLIENT:
            raise BadRequest(f"more than {SEARCHES_PER_CLIENT} searches at once; stop one first")
        return what

    def _stop(self, which: Any) -> None:
        if isinstance(which, int) and which in self._jobs:
            self._jobs[which].stop.set()

    async def _work(self, number: int, job: _Job) -> None:
        """Do what is asked for, and send the page the outcome."""
        try:
            said = await self._outcome(number, job)
        finally:
            self._jobs.pop(number, None)
        with suppress(WebSocketDisconnect):
            await self._send({"id": number, **said})

    async def _outcome(self, number: int, job: _Job) -> dict[str, Any]:
        try:
            if job.is_search:
                return {"answer": await self._search(number, job)}
            return {"answer": await self._answer(job)}
        except ThreefoldError as error:
            if isinstance(error, BrokenRules) and job.is_at_table:
                return {"error": _UNTOLD}
            return {"error": " ".join(str(error).split())}
        except (RecursionError, MemoryError):
            return {"error": "that is too large for the lab"}
        except WebSocketDisconnect:
            return {}
        except Exception as error:
            log.exception("%s failed", job.what)
            if job.is_at_table:
                return {"error": _UNTOLD}
            said = " ".join(str(error).split())
            return {"error": f"something went wrong: {type(error).__name__} {shorten(said)}"}

    async def _answer(self, job: _Job) -> dict[str, Any]:
        """An immediate answer, computed in one of the threads for those."""

        def work() -> dict[str, Any]:
            with unless(job.stop), at_most(MAX_EVENTS, MAX_ANSWER_SECONDS):
                if job.what in AT_TABLES:
                    return AT_TABLES[job.what](self._means, job.request)
                return ANSWERS[job.what](self._means.gallery, job.request)

        async with self._turn:
            return await asyncio.get_running_loop().run_in_executor(self._answering, work)

    async def _search(self, number: int, job: _Job) -> dict[str, Any]:
        """Run a search in its own thread and pass on its news, or just the latest if slow."""
        search: News = LONG[job.what](self._means, job.request, job.stop)
        loop = asyncio.get_running_loop()
        latest: list[dict[str, Any]] = []
        fresh = asyncio.Event()

        def report(news: dict[str, Any]) -> None:
            latest[:] = [news]
            fresh.set()

        def run() -> dict[str, Any]:
            try:
                while True:
                    news = next(search)
                    with suppress(RuntimeError):  # the lab has closed
                        loop.call_soon_threadsafe(report, news)
            except StopIteration as done:
                answer: dict[str, Any] = done.value
                return answer
            finally:
                search.close()
                self._means.memory.tidy_up()

        work = _in_thread(run)
        work.add_done_callback(lambda _: fresh.set())
        while not work.done():
            await fresh.wait()
            fresh.clear()
            if latest and not work.done():
                await self._send({"id": number, "news": latest.pop()})
        answer, failure = work.result()
        if failure is None:
            return answer
        try:
            raise failure
        finally:
            del failure, work  # otherwise they and this frame would keep each other alive

    async def _send(self, message: dict[str, Any]) -> None:
        text = json.dumps(message, ensure_ascii=False, allow_nan=False)
        async with self._sending:
            try:
                await self._socket.send_text(text)
            except RuntimeError:  # it was closed while this waited
                raise WebSocketDisconnect from None


def answering_threads() -> ThreadPoolExecutor:
    """Threads for immediate answers, shared by all pages."""
    return ThreadPoolExecutor(ANSWERS_AT_ONCE, "answer")


#: What a search answered, and what it raised, if it did.
_Outcome: TypeAlias = tuple[dict[str, Any], BaseException | None]


def _in_thread(work: Callable[[], dict[str, Any]]) -> asyncio.Future[_Outcome]:
    """Run some work in a thread that the lab does not wait for when it closes."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[_Outcome] = loop.create_future()

    def run() -> None:
        outcome: _Outcome
        try:
            outcome = work(), None
        except BaseException as error:
            outcome = {}, error
        with suppress(RuntimeError):  # the lab has closed
            loop.call_soon_threadsafe(future.set_result, outcome)
        # Otherwise an error and this frame would keep each other, and the search's memory, alive.
        del outcome

    threading.Thread(target=run, daemon=True).start()
    return future


def _parsed(message: str) -> dict[str, Any]:
    if len(message) > MAX_MESSAGE:
        raise BadRequest(f"a message of more than {MAX_MESSAGE:,} characters is not read")
    try:
        fields = json.loads(message)
    except (ValueError, RecursionError):
        raise BadRequest("a message is a JSON object") from None
    if not isinstance(fields, dict):
        raise BadRequest("a message is a JSON object")
    return fields
