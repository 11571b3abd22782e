"""No text that anyone sends takes time out of proportion to its length.

Every reader of texts gets long ones of every shape, and one eight times as long must not take much
more than eight times the work: what is quadratic takes sixty-four times. Work is the time of this
thread alone, so that other programs do not count.
"""

import asyncio
import gc
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import product
from random import Random
from typing import Any

import pytest

from threefold import game
from threefold.errors import ThreefoldError
from threefold.games.catalogue import HOMES
from threefold.games.checkers import pdn
from threefold.games.chess import epd, pgn
from threefold.games.chess.san import parse_san
from threefold.lab.connection import ANSWERS
from threefold.lab.gallery import Gallery
from threefold.lab.guard import COOKIE, Guard
from threefold.lab.requests import Request
from threefold.rules.text import parse_fields
from threefold.textbook import exercise
from threefold.textbook.graph import parse_graph
from threefold.textbook.puzzle import GOAL, Puzzle
from threefold.textbook.tree import parse_tree, walk

SHORT = 1_500
TIMES = 8
#: Seconds below which a measurement is mostly noise.
FLOOR = 0.003
#: More than eight times as much work, and far less than sixty-four times.
MOST = 28

#: What a text may consist of: one part over and over, between a beginning and an end.
PARTS = [
    *("a", "A", "0", "1", "9", " ", "\t", "+", "-", "=", "/", ":", ";", ",", ".", "!", "'", '"'),
    *("(", ")", "[", "]", "{", "}", "<", ">", "~(", "*", "#", "$", "%", "\\", "é", "−", "…"),
    *("a ", "1 ", "1.", "1/", "0.1*", "1-", "x1", "a=", "a=1 ", "a:1 ", "() ", "(1 ", "1) "),
    *('[A "', '[A "]', '[A ""', '"" ', '\\" ', "e4 ", "e4+", "O-O", "{ ", "} ", "$1 ", "1... "),
    *("\n", " \n", "\na", "\n ", "\nA B 1", "\n[A ", "\n\n[A", "#\n", "/8", "K1,", "W1:", ".py:a"),
]
ENDS = ["", "x", " 1", '"]', ")"]


def work(read: Callable[[str], Any], text: str) -> float:
    gc.disable()  # it takes its time whenever it likes
    began = time.thread_time()
    try:
        with suppress(ThreefoldError, ValueError):
            read(text)
        return time.thread_time() - began
    finally:
        gc.enable()


def check_growth(read: Callable[[str], Any], begin: str, part: str, end: str) -> None:
    def text(length: int) -> str:
        return begin + part * (length // len(part)) + end

    long = work(read, text(SHORT * TIMES))
    if long > FLOOR * TIMES:  # else it is quick, however it grows
        short = work(read, text(SHORT))
        assert long < MOST * max(short, FLOOR), (begin, part, end, short, long)


def records(read: Callable[..., Any]) -> Callable[[str], Any]:
    return lambda text: list(read(text, report=lambda _: None))


def reads_moves(name: str) -> Callable[[str], Any]:
    g = game(name)
    return lambda text: g.parse_move(g.initial(), text)


def asks(what: str, field: str, **rest: Any) -> Callable[[str], Any]:
    """A request to the lab with a long text in it."""
    return lambda text: ANSWERS[what](GALLERY, Request({**rest, field: text}))


async def nothing(*_: Any) -> Any:
    """Neither receive nor send anything."""


def brings_cookie(text: str) -> None:
    headers = [(b"host", b"127.0.0.1"), (b"cookie", f"{COOKIE}={text}".encode())]
    scope = {"type": "http", "method": "GET", "path": "/", "headers": headers, "query_string": b""}
    asyncio.run(Guard(nothing, token="secret")(scope, nothing, nothing))


GALLERY = Gallery()
TWENTY_ONE = game("examples/twenty_one.py")
CHESS = game("chess")
KINGS = "4k3/8/8/8/8/8/8/4K3 w - - "
SHEET = "tree: ((1 2) (0 5))\nprocedure: alphabeta\n"
KEYS = ("values", "cut", "value", "move", "seed")
READERS: dict[str, tuple[Callable[[str], Any], list[str]]] = {
    "PGN": (records(pgn.read), ["", "1. e4", "{", '[A "', '[FEN "']),
    "PDN": (records(pdn.read), ["", "1. 11-15", "{", '[A "', '[FEN "B:W1:B']),
    "EPD": (epd.parse, ["", "8/8/8/8/8/8/8/8 ", KINGS, f'{KINGS}id "']),
    "EPD lines": (lambda text: list(epd.read(text)), ["", "#"]),
    "SAN": (lambda text: parse_san(CHESS.initial(), text), ["", "e4", "Nf3", "O-O"]),
    "tree": (parse_tree, ["", "(", "A(", "~(", "<1,", "(1 <"]),
    "graph": (parse_graph, ["", "A B ", "h A "]),
    "puzzle": (Puzzle, ["", GOAL]),
    "fields": (
        lambda text: parse_fields(TWENTY_ONE.initial(), text),
        ["", "stones=", "stones=("],
    ),
    "game": (game, ["", "nim(", "nim(heaps=", "mygame.py:", "othello(size=", "module:"]),
    "sheet": (exercise.check, ["", SHEET, "tree: ", *(f"{SHEET}{key}: A" for key in KEYS)]),
    "a tree of the lab": (asks("tree", "tree"), ["", "("]),
    "a game of the lab": (asks("view", "game"), ["", "nim("]),
    "a position of the lab": (asks("view", "start", game="nim"), ["", "3-4-5 "]),
    "a cookie": (brings_cookie, ["", '"']),
} | {
    f"{name} position": (game(name).parse, ["", game(name).format(game(name).initial())])
    for name in HOMES
}
READERS |= {f"{name} move": (reads_moves(name), [""]) for name in HOMES if name != "dice-nim"}


def shapes(name: str) -> list[tuple[str, str, str]]:
    return list(product(READERS[name][1], PARTS, ENDS))


@pytest.mark.parametrize("name", READERS)
def test_reading_takes_time_in_proportion(name: str) -> None:
    """Some texts of every kind."""
    for shape in Random(name).sample(shapes(name), 60):
        check_growth(READERS[name][0], *shape)


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
def test_reading_anything_takes_time_in_proportion(name: str) -> None:
    """All of them."""
    for shape in shapes(name):
        check_growth(READERS[name][0], *shape)


@pytest.mark.parametrize(
    ("name", "begin", "part", "end"),
    [
        ("sheet", f"{SHEET}values: A", " ", "B"),
        ("PGN", "", '[A "', ""),
        ("PGN", "", '[A "', '"'),
        ("PGN", "", '[A "', "]"),
        ("PDN", "", '[A "', ""),
        ("SAN", "", "+", "x"),
    ],
)
def test_what_once_took_long(name: str, begin: str, part: str, end: str) -> None:
    read = READERS[name][0]
    text = begin + part * (120_000 // len(part)) + end
    assert work(read, text) < 30  # minutes, where it is quadratic


def test_a_sheet_with_many_mistakes_is_marked_in_time() -> None:
    """Each of the nodes is wrong in three ways, and only the first is explained."""

    def sheet(leaves: int) -> str:
        tree = f"({' '.join('(1 2)' for _ in range(leaves // 2))})"
        names = [node.name for node in walk(parse_tree(tree))][1:]
        values = " ".join(f"{name}=99" for name in names)
        return f"tree: {tree}\nprocedure: alphabeta\nvalues: {values}\ncut: {' '.join(names)}\n"

    short, long = (work(lambda text: exercise.check(text).to_json(), sheet(n)) for n in (300, 2400))
    assert long < MOST * max(short, FLOOR)
