"""The lab's doors: connections that say nothing, little or nonsense lock nobody out."""

import logging
import os
import signal
import socket
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import processes
import pytest

from threefold.lab import porter
from threefold.lab.log import Unrepeated
from threefold.lab.server import Server, application

#: Seconds after which a test is given up; what it waits for takes a small part of that.
PATIENCE = 60.0
HALF_A_REQUEST = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "


class Served:
    """The lab in a thread, and where."""

    def __init__(self) -> None:
        listening = socket.create_server(("127.0.0.1", 0))
        self.port = listening.getsockname()[1]
        ready = threading.Event()
        self._server = Server(application(), ready.set)
        self._thread = threading.Thread(target=self._server.run, args=([listening],))
        self._thread.start()
        assert ready.wait(PATIENCE)

    def close(self) -> None:
        self._server.should_exit = True
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)

    def get(self, path: str = "/health") -> str:
        return fetched(f"http://127.0.0.1:{self.port}{path}")


def fetched(url: str) -> str:
    with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
        return str(answer.read().decode())


def is_closed(connection: socket.socket) -> bool:
    """Wait until the other side has hung up."""
    try:
        while connection.recv(4096):
            pass
    except ConnectionError:
        pass
    return True


def go_on_sending(connection: socket.socket, data: bytes) -> None:
    for _ in range(int(PATIENCE * 20)):
        connection.sendall(data)
        time.sleep(0.05)


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    monkeypatch.setattr(porter, "_ROUND_SECONDS", 0.05)
    monkeypatch.setattr(porter, "REQUEST_SECONDS", 0.5)
    monkeypatch.setattr(porter, "EXCHANGE_SECONDS", 1.0)
    monkeypatch.setattr(porter, "CONNECTIONS_PER_ADDRESS", 20)
    one = Served()
    yield one
    one.close()


def test_whoever_says_nothing_is_cut_off(served: Served) -> None:
    with served.connect() as silent:
        assert is_closed(silent)
    assert served.get() == "ok\n"


def test_whoever_drips_is_cut_off(served: Served) -> None:
    with served.connect() as slow:
        slow.sendall(HALF_A_REQUEST)
        with pytest.raises(ConnectionError):
            go_on_sending(slow, b"x")
    assert served.get() == "ok\n"


def test_whoever_promises_a_body_and_sends_none_is_cut_off(served: Served) -> None:
    with served.connect() as slow:
        slow.sendall(b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000000\r\n\r\n")
        assert is_closed(slow)


def test_whoever_does_not_read_is_cut_off(served: Served) -> None:
    with socket.socket() as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.settimeout(PATIENCE)
        deaf.connect(("127.0.0.1", served.port))
        request = b"GET /lab.css HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        with pytest.raises(ConnectionError):
            go_on_sending(deaf, request * 200)
    assert served.get() == "ok\n"


def test_silent_connections_make_room_for_those_that_ask(served: Served) -> None:
    with ExitStack() as silent:
        for _ in range(60):
            silent.enter_context(served.connect())
            assert served.get() == "ok\n"


def test_an_address_has_so_many_connections_that_last(served: Served) -> None:
    upgrade = (
        f"GET /connect HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    ).encode()
    with ExitStack() as pages:
        for _ in range(20):
            page = pages.enter_context(served.connect())
            page.sendall(upgrade)
            assert page.recv(4096).startswith(b"HTTP/1.1 101")
        with pytest.raises((ConnectionError, urllib.error.URLError)):
            served.get()
        assert not is_closed_now(page), "who is inside stays"
    for _ in range(100):
        try:
            assert served.get() == "ok\n"
            break
        except (ConnectionError, urllib.error.URLError):
            time.sleep(0.1)
    else:
        pytest.fail("those who left still take up room")


def is_closed_now(connection: socket.socket) -> bool:
    connection.setblocking(False)
    try:
        return not connection.recv(4096)
    except BlockingIOError:
        return False


@pytest.mark.skipif(sys.platform == "win32", reason="no limit of open files")
def test_few_open_files_are_enough(tmp_path: Path) -> None:
    import resource

    def few_files() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (200, 200))

    errors = tmp_path / "errors"
    with errors.open("w") as log:
        process = processes.start(
            [*processes.THREEFOLD, "lab", "--no-browser", "--port", "0"],
            stderr=log,
            preexec_fn=few_files,
            env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
        )
    try:
        url = process.stdout.readline().strip()
        port = int(url.rpartition(":")[2].strip("/"))
        with ExitStack() as silent:
            for _ in range(220):
                one = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
                silent.enter_context(one).sendall(HALF_A_REQUEST)
            for _ in range(5):
                assert "Threefold" in fetched(url)
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
    assert len(errors.read_text().splitlines()) < 20


def test_what_is_wrong_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    log = logging.getLogger("threefold.test")
    once = Unrepeated()
    log.addFilter(once)
    for number in range(1000):
        log.warning("request %d failed", number)
        log.error("another thing")
    assert [record.getMessage() for record in caplog.records] == [
        "request 0 failed",
        "another thing",
    ]
    caplog.clear()
    once._said.clear()  # a minute later
    log.warning("request %d failed", 1000)
    assert caplog.messages == ["request 1000 failed"], "another line says it"
    log.removeFilter(once)


def test_how_often_it_was_not_said_is_told_the_next_time(caplog: pytest.LogCaptureFixture) -> None:
    log = logging.getLogger("threefold.test")
    once = Unrepeated()
    log.addFilter(once)
    for number in range(100):
        if number == 99:
            once._said.clear()  # a minute later
        log.warning("request %d failed", number)
    log.removeFilter(once)
    assert caplog.messages == ["request 0 failed", "request 99 failed (and 98 more times before)"]
