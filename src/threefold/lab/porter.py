"""Manages the lab's connections, so that silent or slow ones lock no one out.

A connection that asks for nothing costs its owner nothing, but it costs the lab one of its few open
files. So it is closed after a while, and sooner if another client needs its place. A browser that
is cut off while it is idle just connects again.
"""

import asyncio
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from threefold.lab.limits import (
    BACKLOG,
    CLOSING_SECONDS,
    CONNECTIONS_PER_ADDRESS,
    EXCHANGE_SECONDS,
    MAX_CONNECTIONS,
    OWN_FILES,
    REQUEST_SECONDS,
)

_ROUND_SECONDS: Final = 1.0


@dataclass(eq=False)
class _Visitor:
    """A connection, what it is doing, and since when."""

    transport: asyncio.Transport
    #: The HTTP protocol; None once it has become a page's own connection.
    http: H11Protocol | None
    address: str
    since: float = field(default_factory=time.monotonic)
    _seen: Any = None

    @property
    def answered(self) -> RequestResponseCycle | None:
        """The request that is being answered."""
        cycle = self.http.cycle if self.http else None
        return cycle if cycle is not None and not cycle.response_complete else None

    @property
    def waits(self) -> bool:
        """Whether it is idle: no request is being answered, and it is not a page's own."""
        return self.http is not None and self.answered is None

    def is_overdue(self, now: float) -> bool:
        """Whether it has been in the same state for too long."""
        closing = self.transport.is_closing()
        doing = closing, self.http and self.http.cycle, self.waits
        if doing != self._seen:
            self._seen, self.since = doing, now if self._seen else self.since
        if closing:
            most = CLOSING_SECONDS
        elif self.http is None:
            return False  # pings show whether a page is still there
        else:
            most = REQUEST_SECONDS if self.waits else EXCHANGE_SECONDS
        return now - self.since > most


class Porter:
    """Knows every connection; makes room for new ones, and regularly closes old ones."""

    def __init__(self) -> None:
        self._visitors: dict[asyncio.Transport, _Visitor] = {}
        files = _open_files()
        self.backlog = min(BACKLOG, files // 4)
        #: Below the limit of open files, even if a full backlog arrives at the same time.
        self.most = min(MAX_CONNECTIONS, files - OWN_FILES - self.backlog)

    def protocols(self) -> tuple[type[H11Protocol], type[WebSocketsSansIOProtocol]]:
        """The server's protocols, with this porter at the door."""
        porter = self

        class Http(H11Protocol):
            def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
                super().connection_made(transport)
                porter.welcome(transport, self)

            def connection_lost(self, exc: Exception | None) -> None:
                porter.forget(self.transport)
                super().connection_lost(exc)

        class Page(WebSocketsSansIOProtocol):
            def connection_made(self, transport: asyncio.BaseTransport) -> None:
                super().connection_made(transport)
                porter.let_stay(self.transport)

            def connection_lost(self, exc: Exception | None) -> None:
                porter.forget(self.transport)
                super().connection_lost(exc)

        return Http, Page

    def welcome(self, transport: asyncio.Transport, http: H11Protocol) -> None:
        """Admit a new connection, making room for it if possible, or turn it away."""
        address = str((transport.get_extra_info("peername") or ("",))[0])
        visitors = self._visitors.values()
        neighbors = [visitor for visitor in visitors if visitor.address == address]
        if len(neighbors) >= CONNECTIONS_PER_ADDRESS:
            room = self._make_room(neighbors)
        else:
            room = len(visitors) < self.most or self._make_room(visitors)
        if room:
            self._visitors[transport] = _Visitor(transport, http, address)
        else:
            transport.abort()

    def let_stay(self, transport: asyncio.Transport) -> None:
        """Let a page's own connection last as long as the page."""
        if transport in self._visitors:
            self._visitors[transport].http = None

    def forget(self, transport: asyncio.Transport) -> None:
        """Drop a connection that is gone."""
        self._visitors.pop(transport, None)

    def _make_room(self, among: Iterable[_Visitor]) -> bool:
        """Close the connection that has been idle longest, if any is idle."""
        waiting = [visitor for visitor in among if visitor.waits]
        if not waiting:
            return False
        self._close(min(waiting, key=lambda visitor: visitor.since))
        return True

    def _close(self, visitor: _Visitor) -> None:
        self.forget(visitor.transport)
        visitor.transport.abort()

    async def make_rounds(self) -> None:
        """Close overdue connections, once a second, until cancelled."""
        while True:
            await asyncio.sleep(_ROUND_SECONDS)
            now = time.monotonic()
            for visitor in list(self._visitors.values()):
                if visitor.is_overdue(now):
                    self._close(visitor)


def _open_files() -> int:
    """How many files this process may have open, after raising the limit if allowed."""
    wanted = MAX_CONNECTIONS + BACKLOG + OWN_FILES
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return wanted
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = resource.RLIM_INFINITY
    if soft != unlimited and soft < wanted:
        soft = wanted if hard == unlimited else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return wanted if soft == unlimited else soft
