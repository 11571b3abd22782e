"""A lab that is served and a browser to visit it with, for tests and for pictures of its rooms."""

import json
import os
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import processes
import pytest
from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    Locator,
    Page,
    Request,
    ViewportSize,
    WebSocketRoute,
    expect,
    sync_playwright,
)

CHROMIUM = Path("/usr/bin/chromium")
#: Those that need no file; `test_lab_matches.py` has the other one.
ROOMS = (
    *("play", "analyse", "step", "compare", "paths", "learning", "build", "review"),
    *("exercises", "games"),
)

BOTH_HUMAN = "first=human&second=human"
TREE = "((3 12 8) (2 4 6) (14 5 2))"
OWN_GAME = Path(__file__).parents[1] / "examples" / "twenty_one.py"
PHONE: ViewportSize = {"width": 360, "height": 740}
#: A game in which the second player's first move loses: only the middle answers a corner.
LOST_AT_ONCE = "a1;b1;b2;c3;a2;a3;c2"

#: Debian's browser with one process for pages and without what they do not use: a third less work.
_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--renderer-process-limit=1",
    "--disable-extensions",
    "--disable-features=IsolateOrigins,site-per-process,Translate,MediaRouter,OptimizationHints,"
    # Its own buttons are pages as well.
    "InitialWebUI,WebUIReloadButton,WebUIToolbar,WebUIOmniboxPopup,TabSearch",
    "--disable-software-rasterizer",
)
#: Milliseconds for what takes long only on a machine that is busy with other things.
PATIENCE = 180_000


class Lab:
    """`threefold lab` as its user starts it."""

    def __init__(self, *arguments: str) -> None:
        self._arguments = arguments
        self._port = 0
        self._process: Any = None
        self.url = ""
        #: The room that it shows first, if it says one.
        self.room = ""

    @property
    def origin(self) -> str:
        """Where its files come from, whoever may fetch them."""
        return self.url.partition("?")[0]

    def start(self) -> None:
        """Serve; once it has been served, at the same place again."""
        command = [*processes.THREEFOLD, "lab", *self._arguments, "--no-browser"]
        self._process = processes.start([*command, "--port", str(self._port)], stderr=None)
        self.url, _, self.room = self._process.stdout.readline().strip().partition("#")
        found = re.fullmatch(r"http://[\w.-]+:(\d+)/(\?token=[\w-]+)?", self.url)
        if not found:
            self.stop()
            raise AssertionError(f"the lab did not say where it is: {self.url!r}")
        self._port = int(found[1])

    def stop(self) -> None:
        """Ctrl-C."""
        process = self._process
        if process is None:
            return
        self._process = None
        process.send_signal(signal.SIGINT)
        try:
            process.wait(processes.PATIENCE)
        finally:
            processes.end(process)

    def __enter__(self) -> "Lab":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


@contextmanager
def chromium() -> Iterator[Browser]:
    """Debian's browser."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=list(_ARGUMENTS),
            env={**os.environ, "DBUS_SESSION_BUS_ADDRESS": "disabled:"},
        )
        try:
            yield browser
        finally:
            browser.close()


class Held:
    """The lab's answers to a page, by what it asked for: some are held back until they are let go.

    So a test is quicker than an answer, on a machine however fast.
    """

    def __init__(self, *kinds: str) -> None:
        self._kinds = set(kinds)
        self._back: list[tuple[str, WebSocketRoute, str | bytes]] = []
        #: What the page has asked for, in order.
        self.asked: list[dict[str, Any]] = []

    def hold(self, *kinds: str) -> None:
        """Hold answers of these kinds back from now on."""
        self._kinds.update(kinds)

    def let_go(self, *kinds: str) -> None:
        """Let the page have its answers of these kinds."""
        self._kinds.difference_update(kinds)
        going = [each for each in self._back if each[0] in kinds]
        self._back = [each for each in self._back if each[0] not in kinds]
        for _, route, message in going:
            route.send(message)

    def asked_for(self, kind: str) -> list[dict[str, Any]]:
        """What the page has asked for, of one kind."""
        return [each for each in self.asked if each["do"] == kind]

    def connect(self, route: WebSocketRoute) -> None:
        """Stand between a page and the lab."""
        server = route.connect_to_server()
        kinds: dict[int, str] = {}

        def ask(message: str | bytes) -> None:
            question = json.loads(message)
            self.asked.append(question)
            kinds[question["id"]] = question["do"]
            server.send(message)

        def answer(message: str | bytes) -> None:
            kind = kinds[json.loads(message)["id"]]
            if kind in self._kinds:
                self._back.append((kind, route, message))
            else:
                route.send(message)

        route.on_message(ask)
        server.on_message(answer)


@dataclass
class Visitor:
    """Somebody who looks at the lab, and notes all that goes wrong."""

    browser: Browser
    lab: Lab
    wrong: list[str] = field(default_factory=list)
    #: What may be read on the console, as a pattern: a lost connection is told there.
    excused: str = r"(?!)"

    def open(self, room: str, held: Held | None = None, /, **options: Any) -> Page:
        """A page of its own: `open("play/game=nim")`, with options of the browser's context."""
        context = self.browser.new_context(**options)
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.on("console", self._read)
        page.on("pageerror", lambda error: self.wrong.append(f"page error: {error}"))
        page.on("request", self._follow)
        if held is not None:
            page.route_web_socket(re.compile("/connect$"), held.connect)
        page.goto(f"{self.lab.url}#{room}")
        return page

    def leave(self) -> None:
        """Close all pages."""
        for context in self.browser.contexts:
            context.close()

    def _read(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not re.search(self.excused, message.text):
            self.wrong.append(f"{message.type}: {message.text} ({message.location['url']})")

    def _follow(self, request: Request) -> None:
        if not request.url.startswith((self.lab.origin, "data:", "blob:")):
            self.wrong.append(f"asked elsewhere: {request.url}")


def middle(element: Locator) -> tuple[float, float]:
    """Where an element is seen, as soon as it is: a board may be drawn anew meanwhile."""
    for _ in range(100):
        expect(element).to_be_visible()
        box = element.bounding_box()
        if box is not None:
            break
    assert box is not None, "it is not seen"
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def saved(page: Page, button: Locator) -> tuple[str, bytes]:
    """What a button saves: the file's name, and what is in it."""
    with page.expect_download() as downloading:
        button.click()
    return downloading.value.suggested_filename, downloading.value.path().read_bytes()


def move_list(page: Page) -> Locator:
    """The moves of the game, as buttons."""
    return page.get_by_role("list", name="Moves").get_by_role("button")


def place(page: Page, name: str) -> Locator:
    """A place of the board."""
    return page.get_by_role("gridcell", name=re.compile(rf"^{re.escape(name)}(,|$)"))


def legal_places(page: Page) -> Locator:
    """The places that can be touched now."""
    return page.get_by_role("gridcell", name=re.compile(r", (legal move|can move)$"))


def touch(page: Page, *names: str) -> None:
    """Click places one after another, each as soon as it can be touched."""
    for name in names:
        pattern = rf"^{re.escape(name)},.*\b(legal move|can move)$"
        page.get_by_role("gridcell", name=re.compile(pattern)).click()


def result(page: Page) -> Locator:
    """How the game ended."""
    return page.get_by_role("main").get_by_text(re.compile(r"^(.+ wins\b|A draw).*\.$"))


def sentence(page: Page) -> Locator:
    return page.locator(".tf-sentence")


def lines(page: Page) -> Locator:
    return page.get_by_role("group", name=re.compile("^Line of "))


def expect_marked(page: Page, name: str) -> None:
    """The board marks this place, and no other, for the best move."""
    mark = page.locator(".board .arrow")
    expect(mark).to_have_count(1)
    assert middle(mark) == pytest.approx(middle(place(page, name)), abs=2)
