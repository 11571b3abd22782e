"""Whatever text is given, the error is one short line, and nothing else happens."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import nim
import pytest

import threefold
from threefold.cli.main import main
from threefold.cli.output import print_json, print_line
from threefold.errors import LONGEST_MESSAGE, BadPosition, ThreefoldError, without_middle
from threefold.games.catalogue import HOMES
from threefold.rules.game import Game
from threefold.rules.text import printable
from threefold.textbook.exercise import Exercise, check
from threefold.textbook.explain import explain
from threefold.textbook.tree import parse_tree

MANY = 80_000
TEXTS = [
    *(sign * MANY for sign in "x1-=(['\"\\\0\x1b/,: é{#~"),
    *(
        part * (MANY // len(part))
        for part in ("1,", "a=1,", "a=", "-1", "x/", "3-", "((", "**a,", "1 ")
    ),
    "stones=" + "9" * MANY,
    "stones=" + "x" * MANY,
    f"stones={'x' * MANY!r},turn=0",
    f"stones=1,turn={'-' * MANY}1",
    f"{'x' * MANY}=1,turn=0",
    f"1.{'0' * MANY}1,turn=0",
    "9" * MANY + " X",
    "." * MANY + "/" + "." * MANY + " " + "X" * MANY,
    "4,4,4,4,4,4,0/4,4,4,4,4,4,0 " + "S" * MANY,
    "4,4,4,4,4,4,0/4,4,4,4,4," + "4" * MANY + ",0 S",
    "3-4-5 " + "1" * MANY,
    "3-4-" + "5" * MANY + " 1",
    "B:W" + "21," * (MANY // 3) + ":B1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR " + "w" * MANY + " KQkq - 0 1",
]


class Pair(NamedTuple):
    """A state that contains text, which only the interpreted way supports."""

    word: str
    turn: int


def _of_its_own(initial: Callable[[], Any]) -> Game[Any]:
    def actions(s: Any, out: Any) -> int:
        return 0

    return Game(
        "own",
        initial=initial,
        actions=actions,
        result=lambda s, a: s,
        utility=lambda s: 0,
        player=lambda s: 0,
    )


def of_pairs() -> Game[Any]:
    return _of_its_own(lambda: Pair("a", 0))


def complaint_about(read: Callable[[str], object], text: str) -> str:
    """The error message; empty if the text is valid."""
    try:
        read(text)
    except ThreefoldError as error:
        said = str(error)
        assert said
        assert len(said) <= LONGEST_MESSAGE
        return said
    return ""


@pytest.mark.parametrize("name", [*HOMES, "own", "pairs"])
def test_positions_and_moves(name: str) -> None:
    game = {"own": nim.nim, "pairs": of_pairs}[name]() if name in ("own", "pairs") else None
    game = game or threefold.game(name)
    s = game.initial()
    for text in TEXTS:
        complaint_about(game.parse, text)
        complaint_about(lambda given: game.parse_move(s, given), text)


@pytest.mark.parametrize(
    "read",
    [
        threefold.game,
        parse_tree,
        check,
        lambda text: threefold.game(f"nim(heaps={text})"),
        lambda text: threefold.game(f"othello({text}=8)"),
        lambda text: threefold.game(f"{text}:x"),
        lambda text: explain(text, parse_tree("(1 2)")),
        lambda text: explain("alphabeta", parse_tree("(1 2)"), order=text),
        lambda text: Exercise("(1 2)", text),
    ],
    ids=["game", "tree", "sheet", "heaps", "parameter", "module", "procedure", "order", "exercise"],
)
def test_other_texts(read: Callable[[str], object]) -> None:
    for text in TEXTS:
        complaint_about(read, text)


def test_an_own_game_quotes_little() -> None:
    said = complaint_about(nim.nim().parse, "x" * MANY)
    assert len(said) < 250
    assert "…" in said
    with pytest.raises(BadPosition) as caught:
        Game(
            "loud",
            initial=lambda: nim.State(1, 0),
            actions=nim.actions,
            result=nim.result,
            utility=nim.utility,
            parse=_loud,
            format=str,
        ).parse("x" * MANY)
    assert len(str(caught.value)) <= LONGEST_MESSAGE
    assert str(caught.value).endswith("write a number")


def _loud(text: str) -> Any:
    raise ValueError(f"what is {text}? write a number")


#: What Python reads, but warns of.
WARNED_OF = [
    "word='\\d',turn=0",
    "word='a',turn=0if 1else 1",
    "0x1for x in y",
    "'\\400',0",
    "1or 2,0",
]


@pytest.mark.parametrize("text", WARNED_OF)
def test_no_warning_leaks(text: str, recwarn: pytest.WarningsRecorder) -> None:
    """Warnings are errors in these tests; to be sure, none is recorded either."""
    complaint_about(of_pairs().parse, text)
    complaint_about(nim.nim().parse, text)
    complaint_about(_of_its_own(lambda: "text").parse, text)
    assert not recwarn.list


def test_what_is_good_is_read_as_before() -> None:
    assert of_pairs().parse("word='a\\n',turn=1") == Pair("a\n", 1)
    assert of_pairs().parse(" 'b' , 1 ") == Pair("b", 1)
    assert _of_its_own(lambda: "text").parse(" 'x' ") == "x"


def test_without_middle() -> None:
    assert without_middle("abc", 3) == "abc"
    assert without_middle("a" * 50 + "b" * 50, 13) == "aaaaa … bbbbb"


def test_printable() -> None:
    assert printable("a \x1b[31m\x9b\u202e\n\ud800é—") == "a \\x1b[31m\\x9b\\u202e\\n\\ud800é—"
    assert printable("a\nb\x07", keep="\n") == "a\nb\\x07"
    assert printable("abcdef", 3) == "ab…"
    assert printable("\N{NO-BREAK SPACE}x") == "\N{NO-BREAK SPACE}x"


ESCAPE = "\x1b]0;owned\x07\x9b2J\u202e"


@pytest.mark.parametrize(
    "argv",
    [
        ["solve", ESCAPE],
        ["solve", "nim", ESCAPE],
        ["solve", f"{ESCAPE}.py"],
        ["perft", "nim", "--depth", ESCAPE],
        ["perft", "nim", "--depth", "9" * 5000],
        ["explain", ESCAPE, "(1 2)"],
        ["explain", "minimax", ESCAPE],
        [ESCAPE],
        ["solve", "nim", "--" + ESCAPE],
        ["x" * MANY],
        ["solve", "x" * MANY],
        ["grade", ESCAPE],
    ],
    ids=lambda argv: ascii(" ".join(argv))[:40],
)
def test_complaints_are_fit_for_a_terminal(
    argv: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code = main(argv)
    except SystemExit as stopped:
        code = int(stopped.code or 0)
    assert code == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.rstrip("\n").isprintable()
    assert len(told.err) <= LONGEST_MESSAGE + 100


def test_answers_are_fit_for_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever wrote what they quote; our own escape sequences pass."""
    print_line(f"one\n\ttwo {ESCAPE}")
    assert capsys.readouterr().out == "one\n\ttwo \\x1b]0;owned\\x07\\x9b2J\\u202e\n"
    print_json({"text": f"{ESCAPE}\ud800é"})
    told = capsys.readouterr().out
    assert told.rstrip("\n").isprintable()
    assert json.loads(told) == {"text": f"{ESCAPE}\ud800é"}
    print_line("\x1b[1mbold\x1b[0m", styled=True)
    assert capsys.readouterr().out == "\x1b[1mbold\x1b[0m\n"
