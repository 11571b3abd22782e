"""Chess positions with operations."""

import random
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threefold import game
from threefold.errors import BadRecord
from threefold.games.chess import epd
from threefold.games.chess.san import format_san, legal_moves, parse_san

chess = pytest.importorskip("chess", reason="python-chess is not to be had here")

STANDARD = game("chess")
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"


def test_an_entry() -> None:
    text = '2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - bm Qg6; id "WAC.001";'
    entry = epd.parse(text)
    assert STANDARD.format(entry.position) == f"{text.split(' bm')[0]} 0 1"
    assert entry.operations == {"bm": (parse_san(entry.position, "Qg6"),), "id": "WAC.001"}
    assert epd.write(entry) == text


def test_operations_have_their_types() -> None:
    entry = epd.parse(
        f"{START} bm e4 d4; am f3; pv e4 e5 Nf3; sm c4; acd 12; ce -35; D1 20; D2 400; "
        'id "a; \\"b\\" \\\\"; c0 two words; v1 7; fmvn 5; hmvc 3; tcri 1.5; draw_offer; '
        'odd 1 x "2";'
    )
    s = entry.position
    e4 = parse_san(s, "e4")
    assert (s.halfmove, s.fullmove) == (3, 5)
    assert entry.operations["bm"] == (e4, parse_san(s, "d4"))
    assert entry.operations["am"] == (parse_san(s, "f3"),)
    assert entry.operations["pv"][0] == e4  # type: ignore[index]
    assert len(entry.operations["pv"]) == 3  # type: ignore[arg-type]
    assert {name: entry.operations[name] for name in list(entry.operations)[4:]} == {
        "acd": 12,
        "ce": -35,
        "D1": 20,
        "D2": 400,
        "id": 'a; "b" \\',
        "c0": "two words",
        "v1": "7",
        "tcri": 1.5,
        "draw_offer": None,
        "odd": (1, "x", "2"),
    }
    assert epd.write(entry) == (
        f"{START} bm e4 d4; am f3; pv e4 e5 Nf3; sm c4; acd 12; ce -35; D1 20; D2 400; "
        'id "a; \\"b\\" \\\\"; c0 "two words"; v1 "7"; tcri 1.5; draw_offer; odd 1 "x" "2"; '
        "hmvc 3; fmvn 5;"
    )
    assert epd.parse(epd.write(entry)) == entry


def test_files_have_many_entries() -> None:
    text = f"""\ufeff{START}
# a remark

{START} 4 7 ;D1 20 ;D2 400
{START} id "no semicolon"
\t{START};
"""
    plain, counts, named, empty = epd.read(text)
    assert (plain.operations, empty.operations) == ({}, {})
    assert counts.operations == {"D1": 20, "D2": 400}
    assert (counts.position.halfmove, counts.position.fullmove) == (4, 7)
    assert named.operations == {"id": "no semicolon"}
    assert plain.position == empty.position == named.position == STANDARD.initial()
    assert list(epd.read(text.splitlines())) == [plain, counts, named, empty]


def test_chess960() -> None:
    text = "4k3/8/8/8/8/8/8/1R3KR1 w GB - bm O-O-O;"
    entry = epd.parse(text, chess960=True)
    assert entry.operations["bm"] == (parse_san(entry.position, "O-O-O"),)
    assert epd.parse(epd.write(entry), chess960=True) == entry
    with pytest.raises(BadRecord):
        epd.parse(text)


@pytest.mark.parametrize(
    ("rest", "message"),
    [
        ("bm e5;", "column 57: e5 is illegal: no pawn can go to e5 now"),
        ("am --;", "column 57: -- is a null move"),
        ("pv e4 e4;", "column 60: e4 is illegal"),
        ("sm e4 d4;", "column 54: sm has one operand, not 2"),
        ("acd;", "column 54: acd has one operand, not 0"),
        ("ce 1.5;", "column 57: ce is a whole number, not '1.5'"),
        ("D1 many;", "column 57: D1 is a whole number, not 'many'"),
        ('id "x', 'column 57: this text has no end; close it with "'),
        ('"id" 3;', "column 54: an operation starts with its name, like bm, not 'id'"),
        ("5 e4;", "column 54: an operation starts with its name, like bm, not '5'"),
        ("ce 1; ce 2;", "column 60: operation ce is given twice"),
        ("hmvc -1;", "column 54: a counter is a number from 0 to 9999, not '-1'"),
    ],
)
def test_mistakes_have_their_place(rest: str, message: str) -> None:
    text = f"{START} {rest}"
    with pytest.raises(BadRecord) as caught:
        epd.parse(text)
    assert str(caught.value).startswith(message)
    with pytest.raises(BadRecord) as caught:
        list(epd.read(f"{START}\n{text}"))
    assert str(caught.value).startswith(f"line 2, {message}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "column 1: an entry starts with four fields: board, side, castling, en passant"),
        ("8/8 w -", "column 1: an entry starts with four fields"),
        ("  8/8 w - -", "column 3: a board has 8 ranks with / between them, not 2"),
    ],
)
def test_bad_positions(text: str, message: str) -> None:
    with pytest.raises(BadRecord) as caught:
        epd.parse(text)
    assert str(caught.value).startswith(message)


def test_names_that_cannot_be_written() -> None:
    with pytest.raises(BadRecord, match="'a b' is not a name for an operation"):
        epd.write(epd.Entry(STANDARD.initial(), {"a b": 1}))


def test_as_python_chess_writes_and_reads() -> None:
    rng = random.Random(4)
    board = chess.Board()
    for _ in range(200):
        replies = list(board.legal_moves)
        if not replies:
            board = chess.Board()
            continue
        said = {
            "bm": rng.sample(replies, min(3, len(replies))),
            "id": 'a "b" \\ c',
            "pv": [replies[0]],
            "ce": rng.randrange(-900, 900),
            "hmvc": board.halfmove_clock,
            "fmvn": board.fullmove_number,
        }
        entry = epd.parse(board.epd(en_passant="fen", **said))
        assert STANDARD.format(entry.position) == board.fen(en_passant="legal")
        assert entry.operations["id"] == said["id"]
        assert entry.operations["ce"] == said["ce"]
        moves = entry.operations["bm"]
        assert isinstance(moves, tuple)
        assert sorted(format_san(entry.position, int(a)) for a in moves) == sorted(
            map(board.san, said["bm"])
        )
        back = chess.Board()
        read = back.set_epd(epd.write(entry))
        assert back.fen() == board.fen(en_passant="legal")
        assert set(read["bm"]) == set(said["bm"])
        assert [read[name] for name in ("id", "pv", "ce")] == [
            said[name] for name in ("id", "pv", "ce")
        ]
        board.push(rng.choice(replies))


TEXTS = st.text(st.characters(exclude_categories=["Cs"])).map(
    lambda text: re.sub("[\r\n]", " ", text)
)
OPERANDS = st.integers(-(10**17), 10**17) | TEXTS | st.floats(-1e9, 1e9).map(lambda x: round(x, 6))


@given(st.data())
def test_what_is_written_is_read(data: st.DataObject) -> None:
    s = STANDARD.parse(data.draw(st.sampled_from([f"{START} 0 1", f"{START} 7 30"])))
    moves = st.lists(st.sampled_from(legal_moves(s)), max_size=3).map(tuple)
    operations: dict[str, Any] = data.draw(
        st.fixed_dictionaries(
            {},
            optional={
                "bm": moves,
                "am": moves,
                "sm": st.sampled_from(legal_moves(s)),
                "ce": st.integers(-999, 999),
                "id": TEXTS,
                "flag": st.none(),
                "x1": OPERANDS.filter(lambda x: "e" not in repr(x) or isinstance(x, str)),
                "x2": st.tuples(TEXTS, st.integers(0, 9)),
            },
        )
    )
    entry = epd.Entry(s, operations)
    assert epd.parse(epd.write(entry)) == entry


@given(st.text(max_size=40) | st.text('bmidce e4;"\\ 0123-', max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    for given_text in (text, f"{START} {text}"):
        try:
            entry = epd.parse(given_text)
        except BadRecord as error:
            assert "\n" not in str(error)
        else:
            assert epd.parse(epd.write(entry)) == entry
