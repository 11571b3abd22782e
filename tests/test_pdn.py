"""Games of checkers in PDN: files that others wrote, and pydraughts on both sides."""

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threefold import game
from threefold.errors import BadRecord
from threefold.games.checkers import pdn

FILE = Path(__file__).parent / "records" / "english.pdn"
CHECKERS = game("checkers")


def test_real_games() -> None:
    fuller, ogrady, dyke, minotaur = pdn.load(FILE)
    assert [len(record.actions) for record in (fuller, ogrady, dyke, minotaur)] == [27, 60, 48, 48]
    assert [record.result for record in (fuller, ogrady, dyke, minotaur)] == [
        *("1-0", "0-1", "1/2-1/2", "1/2-1/2")
    ]
    ends = [
        CHECKERS.format(pdn.positions(record)[-1]) for record in (fuller, ogrady, dyke, minotaur)
    ]
    assert ends == [
        "W:W12,18,21,23,25,26,27,31:B1,2,7,9,11,14,15",
        "B:WK7,12,13,21:B14,15,K18,24:H1",
        "B:W13,17,18,21:B6,10,12,14,23,27",
        "B:W7,K8,18,32:B10,12,13,21,28",
    ]
    assert dyke.tags["Event"] == "English draughts"
    assert dyke.line.moves[4].comments == ["the Double Corner  Dyke"]
    # Plain moves had been written as captures, and captures in short.
    assert "6. 4-8 29-25" in pdn.write(fuller)
    assert "24. 7x16x23 22-18 1/2-1/2" in pdn.write(dyke)
    text = " ".join(pdn.write(minotaur).split())
    assert "9-13 23-18 $2 (8... 17-14 $7 9. 10x17 23-18 10. 15-19 27-23)" in text
    assert "10-14 17x10 (10... 18x9 $2 11. 15-18) 11. 7x14x23x30 20-16" in text
    assert "13. 30x23 27x18x11x4" in text


def test_real_games_round_trip() -> None:
    records = list(pdn.load(FILE))
    written = "\n".join(map(pdn.write, records))
    assert list(pdn.read(written)) == records
    assert written == "\n".join(map(pdn.write, pdn.read(written)))
    assert max(map(len, written.splitlines())) < 80


@pytest.mark.parametrize("result", ["1-0", "0-1", "1/2-1/2", "2-0", "0-2", "1-1", "0-0", "*"])
def test_results_are_not_moves(result: str) -> None:
    (record,) = pdn.read(f"1. 11-15 22-18 2. 15x22 25x18 {result}")
    assert (len(record.actions), record.result) == (4, result)
    assert list(pdn.read(pdn.write(record))) == [record]


def test_white_may_begin() -> None:
    text = '[SetUp "1"]\n[FEN "W:W18,K32:B9,K12."]\n\n1... 18-14 2. 9x18 32-28 *\n'
    (record,) = pdn.read(text)
    assert CHECKERS.format(pdn.positions(record)[-1]) == "B:WK28:BK12,18:H1"
    assert pdn.write(record).endswith("\n\n1... 18-14 2. 9x18 32-28 *\n")


def test_play_may_go_on_after_a_draw() -> None:
    text = '[FEN "B:WK32:BK1:H79"] 1. 1-6 32-28 2. 6-1 28-32 *'
    (record,) = pdn.read(text)
    assert len(record.actions) == 4
    assert list(pdn.read(pdn.write(record))) == [record]


def test_a_game_from_its_moves() -> None:
    record = pdn.record(["11-15", "22-18", "15-22"], tags={"Black": "me"})
    assert record.tags["GameType"] == "21"
    assert pdn.write(record).endswith("\n1. 11-15 22-18 2. 15x22 *\n")
    start = CHECKERS.parse("B:W15:B11")
    assert pdn.record(["11x18"], start=start).result == "1-0"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "1. 11-15 22-18 2. 9-13",
            "line 1, column 19: 9-13 is illegal: a capture is mandatory, here",
        ),
        ("1. 11-15\n11-16", "line 2, column 1: 11-16 is illegal; legal here: 22-17, 23-18, "),
        ("1. 11-33", "line 1, column 4: 11-33 is illegal; legal here: "),
        (
            '[FEN "B:W6,7,14,15,22,23:BK2"] 1. 2x2',
            "line 1, column 35: 2x2 is illegal: it could be any of 2x9",
        ),
        ("1. c3-d4", "line 1, column 4: 'c3-d4' is not a move; moves are written 11-15, 22x15x8"),
        ("1. 1115 2318", "line 1, column 4: '1115' is not a move"),
        ("1. -", "line 1, column 4: '-' is not a move"),
        ('[GameType "20"]', "line 1, column 1: tag GameType: '20' is not English draughts"),
        ('[FEN "W:W1"]', "line 1, column 1: tag FEN: Checkers: position 'W:W1': "),
        ('[FEN "B:W15:B11"] 1. 11x18 9-13', "line 1, column 28: 9-13 follows, but the game is"),
    ],
)
def test_mistakes_have_their_place(text: str, message: str) -> None:
    with pytest.raises(BadRecord) as caught:
        list(pdn.read(text))
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_what_pydraughts_reads_and_writes() -> None:
    draughts = pytest.importorskip("draughts", reason="pydraughts is not to be had here")
    files = pytest.importorskip("draughts.PDN")
    rng = random.Random(6)
    for _ in range(4):
        board = draughts.Board("english")
        while len(board.move_stack) < 60 and (replies := board.legal_moves()):
            board.push(rng.choice(replies))
        text = files.PDNWriter("", board=board, game_ending="1-0").pdn_text
        (record,) = pdn.read(text)
        assert (len(record.actions), record.result) == (len(board.move_stack), "1-0")
        end = CHECKERS.parse(board.fen)
        assert pdn.positions(record)[-1]._replace(quiet=0) == end
        ours = pdn.record(record.actions, tags={"Result": "0-1"})
        (theirs,) = files.PDNReader(pdn_text=pdn.write(ours)).games
        names = [
            CHECKERS.format_move(s, a)
            for s, a in zip(pdn.positions(ours), ours.actions, strict=False)
        ]
        assert theirs.moves == names
        assert (theirs.variant, theirs.game_ending) == ("english", "0-1")


SAMPLE = FILE.read_text("utf-8")


@given(st.data())
def test_a_damaged_file_is_read_or_refused(data: st.DataObject) -> None:
    damaged = SAMPLE
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(damaged)))
        end = start + data.draw(st.integers(0, 20))
        damaged = damaged[:start] + data.draw(st.text(max_size=3)) + damaged[end:]
    told: list[BadRecord] = []
    games = list(pdn.read(damaged, report=told.append))
    assert list(pdn.read("\n".join(map(pdn.write, games)))) == games
    assert not any("\n" in str(error) for error in told)
