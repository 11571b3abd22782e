"""The lab's server: one page, its files, and a connection for each page that is open."""

import asyncio
import secrets
import socket
import webbrowser
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request as HttpRequest
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket

from threefold.engine.policy_nets import AnyNet
from threefold.engine.worker import be_nice
from threefold.errors import ThreefoldError, argument
from threefold.lab.connection import Connection, answering_threads
from threefold.lab.gallery import Gallery
from threefold.lab.guard import Guard
from threefold.lab.limits import MAX_CLIENTS, MAX_MESSAGE
from threefold.lab.log import say_once
from threefold.lab.matches import Archive
from threefold.lab.memory import Memory
from threefold.lab.page_files import PAGE
from threefold.lab.porter import Porter
from threefold.lab.requests import BadRequest
from threefold.lab.searching import Means
from threefold.lab.sharing import LOOPBACK, Door
from threefold.lab.tables import Tables
from threefold.rules.game import Game
from threefold.textbook.page_files import STEPPER

#: Pages are answered first; searches get the remaining time.
_NICENESS = 10


@dataclass(frozen=True)
class Place:
    """Where the lab can be found."""

    host: str
    port: int
    token: str | None
    #: The room to show first; the page chooses one if there is none.
    room: str = ""

    @property
    def address(self) -> str:
        """Where this machine's browser, or the class, finds the lab."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        if self.token is None:
            return f"http://{host}:{self.port}/"
        if self.host in ("0.0.0.0", "::"):
            host = _address_in_the_network()
        return f"http://{host}:{self.port}/?token={self.token}"

    @property
    def url(self) -> str:
        """The same, with the room."""
        return f"{self.address}#{self.room}/" if self.room else self.address


def application(
    own: Game[Any] | None = None,
    token: str | None = None,
    address: str = "",
    archive: Archive | None = None,
    net: AnyNet | None = None,
    databases: Sequence[str] = (),
    tables: Tables | None = None,
) -> Guard:
    """The lab as an ASGI application; `address` is where the class can find it."""
    if own is not None:
        own.spec = Path(own.spec).name  # a page need not know its folder
    means = Means(
        Gallery(own, archive, net, databases), Memory(), Tables() if tables is None else tables
    )
    door = Door(address, token)
    answering = answering_threads()
    open_pages: set[WebSocket] = set()

    async def index(_: HttpRequest) -> Response:
        return FileResponse(PAGE / "index.html")

    async def health(_: HttpRequest) -> Response:
        return PlainTextResponse("ok\n")

    async def share(request: HttpRequest) -> Response:
        origin = f"{request.url.scheme}://{request.url.netloc}"
        try:
            return JSONResponse(door.share(origin, request.query_params.get("shown", "")))
        except BadRequest as error:
            return PlainTextResponse(f"{error}\n", 400)

    async def connect(page: WebSocket) -> None:
        if len(open_pages) >= MAX_CLIENTS:
            await page.close(1013, "the lab is full")
            return
        open_pages.add(page)
        try:
            await Connection(page, means, answering).serve()
        finally:
            open_pages.discard(page)

    return Guard(
        Starlette(
            routes=[
                Route("/", index),
                Route("/health", health),
                Route("/share", share),
                WebSocketRoute("/connect", connect),
                Mount("/stepper", StaticFiles(directory=STEPPER)),
                Mount("/", StaticFiles(directory=PAGE)),
            ]
        ),
        token=token,
    )


class Server(uvicorn.Server):
    """Serves the lab, with a porter at the door; `ready` is called once pages are answered."""

    def __init__(self, lab: Guard, ready: Callable[[], None]) -> None:
        self._ready = ready
        self._porter = Porter()
        self._rounds: asyncio.Task[None] | None = None
        http, page = self._porter.protocols()
        super().__init__(
            uvicorn.Config(
                lab,
                log_level="warning",
                access_log=False,
                http=http,
                ws=page,
                ws_max_size=MAX_MESSAGE * 4,  # bytes of a character
                backlog=self._porter.backlog,
                timeout_graceful_shutdown=1,
                server_header=False,
            )
        )
        say_once()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start listening."""
        await super().startup(sockets)
        self._rounds = asyncio.create_task(self._porter.make_rounds())
        if self.started:
            self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close all connections."""
        if self._rounds is not None:
            self._rounds.cancel()
        await super().shutdown(sockets)


def serve(
    own: Game[Any] | None,
    *,
    host: str,
    port: int,
    browser: bool,
    ready: Callable[[Place], None],
    archive: Archive | None = None,
    net: AnyNet | None = None,
    databases: Sequence[str] = (),
) -> None:
    """Serve until interrupted; `ready` gets the place once pages are answered."""
    be_nice(_NICENESS)
    token = None if host in LOOPBACK else secrets.token_urlsafe(16)
    listening = _listen(host, port)
    room = "" if archive is None else "matches"
    place = Place(host, listening.getsockname()[1], token, room)

    def announce() -> None:
        ready(place)
        if browser:
            webbrowser.open(place.url)

    with listening:
        lab = application(own, token, place.address, archive, net, databases)
        Server(lab, announce).run([listening])


def _listen(host: str, port: int) -> socket.socket:
    """Take the port, or report why it is not available."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except (OSError, OverflowError) as error:
        listening.close()
        reason = getattr(error, "strerror", None) or error
        raise ThreefoldError(
            f"the lab cannot open {host} port {port}: {reason}; {argument('port', 0)} takes any "
            "that is free"
        ) from None
    return listening


def _address_in_the_network() -> str:
    """This machine's address as other machines in its network see it, as far as is known."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # nothing is sent: this only selects a route
            return str(probe.getsockname()[0])
        except OSError:
            return socket.gethostname()
