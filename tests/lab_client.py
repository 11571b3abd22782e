"""The lab without a browser: a page as the server sees it."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from starlette.testclient import TestClient, WebSocketTestSession

from threefold import Game
from threefold.lab.guard import Guard
from threefold.lab.server import application

HERE = "http://127.0.0.1:8333"
HEADERS = {"host": HERE.removeprefix("http://"), "origin": HERE}


class Page:
    """A page as the server sees it."""

    def __init__(self, socket: WebSocketTestSession) -> None:
        self._socket = socket
        self._last = 0
        self.news: list[dict[str, Any]] = []

    def send(self, what: str, **fields: Any) -> int:
        self._last += 1
        self._socket.send_text(json.dumps({"id": self._last, "do": what, **fields}))
        return self._last

    def receive(self, number: int) -> dict[str, Any]:
        while True:
            message = json.loads(self._socket.receive_text())
            if "news" in message:
                self.news.append(message["news"])
            elif message["id"] == number:
                return dict(message)

    def ask(self, what: str, **fields: Any) -> dict[str, Any]:
        message = self.receive(self.send(what, **fields))
        assert "error" not in message, message
        return dict(message["answer"])

    def refused(self, what: str, **fields: Any) -> str:
        return str(self.receive(self.send(what, **fields))["error"])


@contextmanager
def connected(own: Game[Any] | None = None) -> Iterator[WebSocketTestSession]:
    with opened(application(own)) as client, connect(client) as socket:
        yield socket


def opened(lab: Guard) -> TestClient:
    return TestClient(lab, base_url=HERE)


def connect(client: TestClient) -> WebSocketTestSession:
    return client.websocket_connect("/connect", headers=HEADERS)
