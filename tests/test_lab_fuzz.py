"""Whatever a page sends is answered, in a line where it cannot be done; nothing is a surprise."""

import asyncio
import json
import logging
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from lab_client import HERE, Page, connected, opened
from starlette.websockets import WebSocketDisconnect

from threefold.engine.methods import METHODS
from threefold.games.catalogue import HOMES
from threefold.lab.connection import ANSWERS, LONG, Connection, answering_threads
from threefold.lab.gallery import Gallery
from threefold.lab.guard import COOKIE
from threefold.lab.memory import Memory
from threefold.lab.requests import Request
from threefold.lab.searching import Means
from threefold.lab.seating import AT_TABLES, sit
from threefold.lab.server import application
from threefold.textbook.explain import PROCEDURES
from threefold.textbook.ordering import ORDERS

MEANS = Means(Gallery(), Memory())
ANSWERING = answering_threads()
TREE = "((3 12 8) (2 4 6) (14 5 2))"
#: Seconds after which a test is given up.
PATIENCE = 120.0


class Wire:
    """What a connection is given to talk through: some messages come, and what it says is kept."""

    def __init__(self, messages: list[str]) -> None:
        self._coming = list(messages)
        self._answered = asyncio.Event()
        self._unanswered = len(messages)
        self.said: list[dict[str, Any]] = []

    async def accept(self) -> None:
        pass

    async def receive_text(self) -> str:
        if self._coming:
            return self._coming.pop(0)
        async with asyncio.timeout(PATIENCE):
            await self._answered.wait()
        raise WebSocketDisconnect

    async def send_text(self, text: str) -> None:
        text.encode()
        message = json.loads(text)
        self.said.append(message)
        self._unanswered -= "news" not in message
        if self._unanswered == 0:
            self._answered.set()


def answers(*messages: str) -> list[dict[str, Any]]:
    """What the lab says to some messages, its news left out."""

    async def talk() -> list[dict[str, Any]]:
        wire = Wire(list(messages))
        await Connection(wire, MEANS, ANSWERING).serve()  # type: ignore[arg-type]
        return [message for message in wire.said if "news" not in message]

    return asyncio.run(talk())


def check(message: dict[str, Any]) -> None:
    assert message.keys() in ({"id", "answer"}, {"id", "error"})
    if "error" in message:
        assert message["error"].strip()
        assert "\n" not in message["error"]
        assert len(message["error"]) < 1_000
        assert "something went wrong" not in message["error"]


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(10**300, 10**400)
    | st.floats()
    | st.text(st.characters(), max_size=20)
    | st.sampled_from(["", "\ud800", "\0", "(", "A" * 200, "[", "1e400"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)
GAMES = [*HOMES, "nim(heaps=1-2)"]
#: Somebody plays here, whoever asks.
TABLE = sit(MEANS, Request({"game": "leduc-poker", "seats": ["human", "1"]}))["table"]
#: What each field may sensibly be; each may be anything else as well.
FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "game": st.sampled_from([*GAMES, "othello(size=5)", "nim(heaps=", "os:system", "../x.py"]),
    "start": st.sampled_from(["", "4453", "3-4 1", ".../.../... X", "XO./.X./..O X"]),
    "position": st.sampled_from(["", ".../.../... X", "3-4 1", "4453"]),
    "moves": st.lists(st.sampled_from(["b2", "a1", "4", "1:1", "e2e4", "d3", "11-15"]), max_size=3),
    "table": st.sampled_from([TABLE, "", "table"]),
    "seats": st.lists(st.sampled_from(["human", "1", "0.01s", "0s", "11", "x"]), max_size=4),
    "seat": st.integers(-1, 4),
    "at": st.integers(-1, 6),
    "move": st.sampled_from(["check", "bet", "call", "b2", ""]),
    "eval": st.sampled_from(["lines", "material", "none"]),
    "level": st.integers(0, 11),
    "time": st.sampled_from([0.01, 0.05, 0, -1, 1e9]),
    "depth": st.integers(-1, 5),
    "nodes": st.integers(0, 5_000),
    "multipv": st.integers(0, 5),
    "method": st.sampled_from([*METHODS, "magic"]),
    "detail": st.sampled_from(["value", "best", "moves", "all"]),
    "tree": st.sampled_from([TREE, "", "(", "~(0.5*3 1/2*8)", "A(B:1 C:2)", "<1,2>", "1"])
    | st.text("()~<>*:!'/,.0123456789AB ", max_size=30),
    "procedure": st.sampled_from([*PROCEDURES, "magic"]),
    "procedures": st.lists(st.sampled_from([*PROCEDURES, "magic"]), max_size=2),
    "orders": st.lists(st.sampled_from([*ORDERS, "magic"]), max_size=2),
    "order": st.sampled_from([*ORDERS, "magic"]),
    "cut": st.sampled_from(["equal", "strict", "none"]),
    "seed": st.integers(-1, 1 << 32),
    "branching": st.integers(0, 4),
    "least": st.integers(-1000, 1000),
    "most": st.integers(-1000, 1000),
    "place": st.sampled_from(["a1", "b2", "turn", "1", "S1", "e4", "z9"]),
    "piece": st.sampled_from(["X", "O", ".", "0", "1", "drop", "take", "K", "b", "+"]),
    "sheet": st.builds(
        "tree: {}\nprocedure: {}\n{}: {}".format,
        st.sampled_from([TREE, "(1 2)", "1"]),
        st.sampled_from(["minimax", "alphabeta", "magic"]),
        st.sampled_from(["value", "values", "cut", "move", "seed", "tree", "else"]),
        st.text("ABCDEFGHIJ=−-+0123456789/. ,;:\n\t", max_size=30),
    ),
}
REQUESTS = st.builds(
    lambda what, fields: {**fields, "do": what},
    st.sampled_from([*ANSWERS, *AT_TABLES, *LONG]),
    st.fixed_dictionaries({}, optional={name: values | JSON for name, values in FIELDS.items()}),
)


@given(st.lists(REQUESTS, min_size=1, max_size=3))
@settings(
    max_examples=100,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_every_request_is_answered(
    caplog: pytest.LogCaptureFixture, requests: list[dict[str, Any]]
) -> None:
    caplog.clear()
    messages = [json.dumps({**request, "id": number}) for number, request in enumerate(requests)]
    # A search that may go on for long is asked to stop.
    stops = [
        json.dumps({"id": 100 + number, "do": "stop", "which": number})
        for number in range(len(messages))
    ]
    said = answers(*messages, *stops)
    assert sorted(message["id"] for message in said) == sorted(
        [*range(len(messages)), *range(100, 100 + len(stops))]
    )
    for message in said:
        check(message)
    assert not [each for each in caplog.records if each.levelno >= logging.WARNING]


@given(
    st.dictionaries(
        st.sampled_from(["id", "do", "which", "game", "time"]) | st.text(max_size=3), JSON
    )
    | JSON
)
@example({"id": 1, "do": []})
@example({"id": 1, "do": {"stop": 1}})
@example({"id": 1, "do": "stop", "which": []})
@example({"id": 10**400, "do": "games"})
@example({"id": 1, "do": "\ud800"})
@example({"id": 1, "do": "view", "game": "\ud800"})
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_message_is_answered(caplog: pytest.LogCaptureFixture, content: Any) -> None:
    caplog.clear()
    (message,) = answers(json.dumps(content))
    check(message)
    assert not [each for each in caplog.records if each.levelno >= logging.WARNING]


@pytest.mark.parametrize(
    "message",
    [
        '{"id":1,"do":[]}',
        '{"id":1,"do":"analyse","game":"tic-tac-toe","time":1e400}',
        '{"id":1,"do":"analyse","game":"tic-tac-toe","time":-1e400}',
        '{"id":1,"do":"analyse","game":"tic-tac-toe","time":NaN}',
        f'{{"id":1,"do":"analyse","game":"tic-tac-toe","time":1{"0" * 400}}}',
        f'{{"id":1,"do":"analyse","game":"tic-tac-toe","time":1{"0" * 5000}}}',
        f'{{"id":1,"do":"exercise","seed":1{"0" * 400}}}',
        f'{{"id":1,"do":"view","game":{"[" * 100_000}',
        '{"id":1,"do":"view","game":"tic-tac-toe","moves":["\\ud800"]}',
        '{"id":1,"do":"explain","procedure":"expectiminimax","tree":"'
        + "~(1/3*0 2/3*" * 300
        + "1"
        + ")" * 300
        + '"}',
        '{"id":1,"do":"explain","procedure":"expectiminimax","tree":"~('
        + " ".join(f"1/{10**90 + n}*1" for n in range(500))
        + ')"}',
    ],
)
def test_odd_numbers_and_texts_are_refused_in_a_line(
    caplog: pytest.LogCaptureFixture, message: str
) -> None:
    check(*answers(message))
    assert not caplog.records


def test_bytes_close_the_connection_and_nothing_else(caplog: pytest.LogCaptureFixture) -> None:
    with connected() as socket:
        socket.send_bytes(b"\0\1")
        with pytest.raises(WebSocketDisconnect):
            socket.receive_text()
    with connected() as socket:
        assert Page(socket).ask("games")["games"]
    assert not [each for each in caplog.records if each.name.startswith("threefold")]


# Headers.

HEADER = st.text(st.characters(min_codepoint=0x20, max_codepoint=0xFF, exclude_characters="\x7f"))
ODD = st.sampled_from(
    ["http://[", "http://]", "[", "[::1", "::::", "null", "//", "http://", "%", ""]
)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "host": HEADER | ODD | st.just(HERE.removeprefix("http://")),
            "origin": HEADER | ODD | st.just(HERE),
            "cookie": HEADER | st.builds(f'{COOKIE}="{{}}"'.format, HEADER),
        },
    ),
    HEADER,
    st.sampled_from([None, "secret"]),
)
@example({"origin": "http://["}, "", None)
@example({"host": "["}, "", None)
@example({"cookie": f'{COOKIE}="' + "\\" * 60_000}, "", "secret")
@settings(max_examples=200)
def test_every_header_is_read_or_refused(
    headers: dict[str, str], query: str, token: str | None
) -> None:
    client = opened(application(token=token))
    sent = {name.encode(): value.strip().encode("latin-1") for name, value in headers.items()}
    answer = client.get("/health", params={"token": query}, headers=sent)
    assert answer.status_code in (200, 403)
    assert token is None or answer.status_code == 403
