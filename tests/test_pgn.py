"""Games of chess in PGN: files that others wrote, and python-chess on both sides."""

import io
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threefold import game
from threefold.errors import BadRecord
from threefold.games.chess import pgn
from threefold.games.chess.rules import State
from threefold.games.chess.san import format_san
from threefold.games.records import Line, Record

chess = pytest.importorskip("chess", reason="python-chess is not to be had here")
pytest.importorskip("chess.pgn", reason="python-chess is not to be had here")

FILES = Path(__file__).parent / "records"
STANDARD = game("chess")


def same_line(line: Line, s: State, nodes: list[Any], said: bool) -> None:
    """Compare a line of ours with python-chess's nodes, variations and all."""
    assert len(line.moves) == len(nodes)
    for number, (move, node) in enumerate(zip(line.moves, nodes, strict=True)):
        assert format_san(s, move.action) == node.san()
        assert sorted(move.nags) == sorted(node.nags)
        assert not said or squeezed(" ".join(move.comments)) == squeezed(node.comment)
        main = number > 0 or node.parent.variations[0] is node
        others = node.parent.variations[1:] if main else []
        assert len(move.variations) == len(others)
        for variation, other in zip(move.variations, others, strict=True):
            assert squeezed(" ".join(variation.comments)) == squeezed(other.starting_comment)
            same_line(variation, s, [other, *other.mainline()], said)
        s = STANDARD.result(s, move.action)


def squeezed(text: str) -> str:
    return " ".join(text.split())


def same_game(record: Record, theirs: Any, said: bool = True) -> None:
    """Compare whole games, with what is said of the moves or without."""
    assert not theirs.errors
    assert squeezed(" ".join(record.line.comments)) == squeezed(theirs.comment)
    same_line(record.line, pgn.positions(record)[0], list(theirs.mainline()), said)


def their_games(text: str) -> list[Any]:
    file = io.StringIO(text)
    return list(iter(lambda: chess.pgn.read_game(file), None))


@pytest.mark.parametrize("name", ["famous.pgn", "awkward.pgn", "chess960.pgn"])
def test_files_of_others(name: str) -> None:
    """Read as python-chess reads them, and again after writing, by both."""
    text = (FILES / name).read_text("utf-8")
    records = list(pgn.load(FILES / name))
    theirs = their_games(text)
    assert len(records) == len(theirs) == {"f": 4, "a": 6, "c": 1}[name[0]]
    for record, other in zip(records, theirs, strict=True):
        # python-chess drops comments to the line's end, and those behind the result.
        same_game(record, other, said=name == "chess960.pgn")
        assert format_board(record) == other.end().board().fen(en_passant="legal")
    written = "\n".join(map(pgn.write, records))
    assert list(pgn.read(written)) == records
    for record, other in zip(records, their_games(written), strict=True):
        same_game(record, other)
        assert record.result == other.headers["Result"]


def format_board(record: Record) -> str:
    return STANDARD.format(pgn.positions(record)[-1])


def test_famous_games() -> None:
    opera, immortal, fischer, deep_blue = pgn.load(FILES / "famous.pgn")
    assert format_board(opera) == "1n1Rkb1r/p4ppp/4q3/4p1B1/4P3/8/PPP2PPP/2K5 b k - 1 17"
    assert STANDARD.utility(pgn.positions(immortal)[-1]) == 1
    assert [len(record.actions) for record in (opera, immortal, fischer, deep_blue)] == [
        *(33, 45, 81, 37)
    ]
    assert list(opera.tags)[:7] == [
        *("Event", "Site", "Date", "EventDate", "Round", "Result", "White")
    ]
    assert opera.tags["PlyCount"] == "33"
    assert deep_blue.line.moves[0].comments == ["[%eval 0.3] [%clk 1:59:58]"]
    assert deep_blue.line.moves[13].comments == ["(0.20 → 0.95) Mistake.", "[%eval 0.95]"]
    assert immortal.line.moves[21].comments == ["a piece is gone, but not for nothing"]
    assert immortal.line.moves[34].variations[0].comments == ["Simpler is"]
    assert [number for number, move in enumerate(immortal.line.moves) if move.nags] == [
        *(7, 18, 20, 42)
    ]


def test_awkward_games() -> None:
    trap, passing, squares, empty, unfinished, late = pgn.load(FILES / "awkward.pgn")
    assert trap.tags == {
        "Event": "Old-fashioned marks",
        "Site": "nowhere",
        "White": "Lasker trap",
        "Result": "0-1",
    }
    assert "7. Ke2\nfxg1=N+ $1 8. Ke1" in pgn.write(trap)
    assert trap.line.moves[-1].comments == ["White gives up"]
    assert (
        pgn.write(passing).split("\n\n")[1]
        == """\
1. e4 Nf6 2. e5 d5 3. exd6 cxd6 (3... Qxd6 4. d4 (4. Nc3 {not yet} 4... Qe5+ $5
5. Be2) 4... Bf5) 4. d4 g6 5. Nf3 Bg7 6. Be2 O-O 7. O-O *
"""
    )
    assert squares.result == "1/2-1/2"
    assert pgn.write(squares).endswith("8. f3\nO-O 9. Qd2 Nc6 10. O-O-O 1/2-1/2\n")
    assert empty.tags["White"] == 'A "quoted" name'
    assert empty.tags["Black"] == "C:\\games\\"
    assert (empty.actions, empty.result) == ([], "1-0")
    assert "Result" not in unfinished.tags
    assert unfinished.line.moves[-1].nags == [146]
    assert len(unfinished.line.moves[3].variations) == 2
    assert pgn.write(late).split("\n\n")[1].startswith("60. exd6 Kg7 61. a8=Q Kf6")


def test_castling_in_chess960() -> None:
    (record,) = pgn.load(FILES / "chess960.pgn")
    assert "9. h4 O-O " in pgn.write(record)
    assert "21. O-O-O Nf4" in pgn.write(record)
    start = pgn.positions(record)[0]
    tags = {"Variant": "Chess960"}
    again = pgn.record(record.actions, start=start, tags=tags)
    assert again.tags["FEN"] == record.tags["FEN"]
    assert (again.actions, again.result) == (record.actions, "0-1")


def random_line(rng: random.Random, node: Any, depth: int, plies: int) -> None:
    """Play on at random in python-chess's tree, with variations, comments and glyphs."""
    for _ in range(plies):
        replies = list(node.board().legal_moves)
        if not replies:
            return
        rng.shuffle(replies)
        first = node.add_variation(replies.pop())
        while replies and depth and rng.random() < 0.15:
            said = rng.choice(["", "", "before", "a (b) $1 1-0 ; %x"])
            other = node.add_variation(replies.pop(), starting_comment=said)
            other.nags = set(rng.choices([1, 3, 14, 139], k=rng.randrange(2)))
            random_line(rng, other, depth - 1, rng.randrange(6))
        if rng.random() < 0.2:
            first.comment = rng.choice(["said", "[%clk 0:01:00]", "long " * 40, "é ü { ö"])
        first.nags = set(rng.choices(range(1, 20), k=rng.randrange(2)))
        node = first


def random_game(rng: random.Random, kind: str) -> Any:
    made = chess.pgn.Game()
    if kind == "chess960":
        made.setup(chess.Board.from_chess960_pos(rng.randrange(960)))
    elif kind == "from a position":
        board = chess.Board()
        for _ in range(rng.choice([20, 31])):
            board.push(rng.choice(list(board.legal_moves)))
        made.setup(board)
    made.headers["Annotator"] = "Müller, (2) {x}"
    made.headers["Result"] = rng.choice(["1-0", "0-1", "1/2-1/2", "*"])
    made.comment = rng.choice(["", "an introduction"])
    random_line(rng, made, 3, rng.randrange(60))
    return made


@pytest.mark.parametrize("kind", ["standard", "from a position", "chess960"])
def test_what_python_chess_writes_and_reads(kind: str) -> None:
    rng = random.Random(kind)
    for _ in range(12):
        theirs = random_game(rng, kind)
        (record,) = pgn.read(str(theirs))
        assert record.tags == dict(theirs.headers)
        same_game(record, theirs)
        written = pgn.write(record)
        assert list(pgn.read(written)) == [record]
        (back,) = their_games(written)
        same_game(record, back)
        assert dict(back.headers) == record.tags


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1. d4 d5 2. Nf3 Nf6\n 3. Nd2", "line 2, column 5: Nd2 is ambiguous: Nbd2 or Nfd2?"),
        ("1. e4 e5 2. Ke3", "line 1, column 13: Ke3 is illegal: the king cannot go to e3 now"),
        ("1. e4 --", "line 1, column 7: -- is a null move, which is not legal in chess"),
        ("1. e4 Sf6", "line 1, column 7: 'Sf6' is not a move; write e4, Nf3"),
        ("1. f3 e5 2. g4 Qh4# 3. a3", "line 1, column 24: a3 follows, but the game is over: check"),
        ('[White "A"]\n[Variant "Atomic"]', "line 2, column 1: tag Variant: 'Atomic' is neither"),
        ('[FEN "8/8/8/8/8/8/8/K7 w - - 0 1"]', "line 1, column 1: tag FEN: Chess: position "),
    ],
)
def test_mistakes_have_their_place(text: str, message: str) -> None:
    with pytest.raises(BadRecord) as caught:
        list(pgn.read(text))
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("variant", ["Chess960", "fischerandom", "Fischerrandom", "chess 960"])
def test_names_of_chess960(variant: str) -> None:
    text = f'[Variant "{variant}"]\n[FEN "4k3/8/8/8/8/8/8/1R3KR1 w GB - 0 1"]\n\n1. O-O *'
    (record,) = pgn.read(text)
    assert format_board(record) == "4k3/8/8/8/8/8/8/1R3RK1 b - - 1 1"


def test_a_game_from_its_moves() -> None:
    record = pgn.record(["e4", "e5", "Qh5", "Nc6", "Bc4", "Nf6", "Qxf7"])
    assert pgn.write(record).split("\n\n")[1] == "1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n"
    with pytest.raises(BadRecord, match="move 2: Ke2 is illegal"):
        pgn.record(["e4", "Ke2"])


def test_play_may_go_on_after_a_draw() -> None:
    text = '[FEN "8/8/8/4k3/8/8/4p3/4K3 w - - 149 90"]\n\n90. Kxe2 Ke6 91. Ke3 *'
    (record,) = pgn.read(text)
    assert len(record.actions) == 3
    assert list(pgn.read(pgn.write(record))) == [record]


SAMPLE = (FILES / "awkward.pgn").read_text("utf-8")


@given(st.data())
def test_a_damaged_file_is_read_or_refused(data: st.DataObject) -> None:
    damaged = SAMPLE
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(damaged)))
        end = start + data.draw(st.integers(0, 20))
        damaged = damaged[:start] + data.draw(st.text(max_size=3)) + damaged[end:]
    told: list[BadRecord] = []
    games = list(pgn.read(damaged, report=told.append))
    assert list(pgn.read("\n".join(map(pgn.write, games)))) == games
    assert not any("\n" in str(error) for error in told)
