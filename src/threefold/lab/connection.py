"""One page's connection: requests come in, answers and news go out, and nothing outlives it.

A request is a JSON object with a number and the name of what is wanted; the answer bears the same
number. What takes long sends news on the way, and `stop` ends it.

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
from contextlib import suppress
from typing import Any, Final

from starlette.websockets import WebSocket, WebSocketDisconnect

from threefold.errors import ThreefoldError
from threefold.lab import boards, lessons
from threefold.lab.gallery import Gallery
from threefold.lab.limits import MAX_MESSAGE, REQUESTS_PER_CLIENT, SEARCHES_PER_CLIENT
from threefold.lab.requests import BadRequest, Request
from threefold.lab.searching import SEARCHES, News, levels

log = logging.getLogger("threefold.lab")

#: What is answered at once.
ANSWERS: Final[dict[str, Callable[[Gallery, Request], dict[str, Any]]]] = {
    "games": lambda gallery, _: {"games": gallery.listed(), "levels": levels()},
    "view": boards.view,
    "roll": boards.roll,
    "put": boards.put,
    "record": boards.record,
    "procedures": lessons.procedures,
    "explain": lessons.step_through,
    "compare": lessons.side_by_side,
    "tree": lessons.tree,
    "random-tree": lessons.random_tree,
    "exercise": lessons.exercise,
    "check": lessons.check,
}


class Connection:
    """What one page asked for and has not yet been told."""

    def __init__(self, socket: WebSocket, gallery: Gallery) -> None:
        self._socket = socket
        self._gallery = gallery
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._searches: dict[int, threading.Event] = {}
        self._sending = asyncio.Lock()

    async def serve(self) -> None:
        """Answer until the page goes."""
        await self._socket.accept()
        try:
            while True:
                await self._receive(await self._socket.receive_text())
        except (WebSocketDisconnect, KeyError):  # gone, or it sent bytes
            pass
        finally:
            for stop in self._searches.values():
                stop.set()
            for task in self._tasks.values():
                task.cancel()
            await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    async def _receive(self, message: str) -> None:
        number: Any = None
        try:
            if len(message) > MAX_MESSAGE:
                raise BadRequest(f"a message of more than {MAX_MESSAGE:,} characters is not read")
            fields = _parsed(message)
            number = fields.get("id")
            if not isinstance(number, int) or isinstance(number, bool) or number in self._tasks:
                number = None
                raise BadRequest("a request has a number of its own, id")
            what = fields.get("do")
            if what == "stop":
                self._stop(fields.get("which"))
                await self._send({"id": number, "answer": {}})
                return
            if what not in ANSWERS and what not in SEARCHES:
                raise BadRequest(f"the lab does not know how to {str(what)[:40]!r}")
            if len(self._tasks) >= REQUESTS_PER_CLIENT:
                raise BadRequest("too many requests at once; wait for an answer")
            if what in SEARCHES and len(self._searches) >= SEARCHES_PER_CLIENT:
                raise BadRequest(
                    f"more than {SEARCHES_PER_CLIENT} searches at once; stop one first"
                )
        except BadRequest as error:
            await self._send({"id": number, "error": str(error)})
            return
        if what in SEARCHES:
            self._searches[number] = threading.Event()
        self._tasks[number] = asyncio.create_task(self._work(number, what, Request(fields)))

    def _stop(self, which: Any) -> None:
        if isinstance(which, int) and which in self._searches:
            self._searches[which].set()

    async def _work(self, number: int, what: str, request: Request) -> None:
        try:
            if what in SEARCHES:
                stopped = self._searches[number].is_set
                answer = await self._search(number, SEARCHES[what](self._gallery, request, stopped))
            else:
                answer = await asyncio.to_thread(ANSWERS[what], self._gallery, request)
            await self._send({"id": number, "answer": answer})
        except ThreefoldError as error:
            await self._send({"id": number, "error": " ".join(str(error).split())})
        except (RecursionError, MemoryError):
            await self._send({"id": number, "error": "that is too large for the lab"})
        except WebSocketDisconnect:
            pass
        except Exception as error:
            log.exception("%s failed", what)
            await self._send({"id": number, "error": f"something went wrong: {error!r}"})
        finally:
            self._tasks.pop(number, None)
            self._searches.pop(number, None)

    async def _search(self, number: int, search: News) -> dict[str, Any]:
        """Run a search in a thread of its own, and pass on its news; the latest, if we are slow."""
        loop = asyncio.get_running_loop()
        latest: list[dict[str, Any]] = []
        fresh = asyncio.Event()

        def tell(news: dict[str, Any]) -> None:
            latest[:] = [news]
            fresh.set()

        def run() -> dict[str, Any]:
            try:
                while True:
                    news = next(search)
                    with suppress(RuntimeError):  # the lab has closed
                        loop.call_soon_threadsafe(tell, news)
            except StopIteration as done:
                answer: dict[str, Any] = done.value
                return answer
            finally:
                search.close()

        work = _in_thread(run)
        work.add_done_callback(lambda _: fresh.set())
        while not work.done():
            await fresh.wait()
            fresh.clear()
            if latest and not work.done():
                await self._send({"id": number, "news": latest.pop()})
        return await work

    async def _send(self, message: dict[str, Any]) -> None:
        async with self._sending:
            await self._socket.send_text(json.dumps(message, ensure_ascii=False, allow_nan=False))


def _in_thread(work: Callable[[], dict[str, Any]]) -> asyncio.Future[dict[str, Any]]:
    """Run some work in a thread that nobody waits for when the lab closes."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[dict[str, Any]] = loop.create_future()

    def settle(answer: dict[str, Any] | None, failure: BaseException | None) -> None:
        if not future.done():  # nobody may be interested any more
            if failure is not None:
                future.set_exception(failure)
            else:
                future.set_result(answer or {})

    def run() -> None:
        answer, failure = None, None
        try:
            answer = work()
        except BaseException as error:
            failure = error
        with suppress(RuntimeError):  # the lab has closed
            loop.call_soon_threadsafe(settle, answer, failure)

    threading.Thread(target=run, daemon=True).start()
    return future


def _parsed(message: str) -> dict[str, Any]:
    try:
        fields = json.loads(message)
    except (ValueError, RecursionError):
        raise BadRequest("a message is a JSON object") from None
    if not isinstance(fields, dict):
        raise BadRequest("a message is a JSON object")
    return fields
