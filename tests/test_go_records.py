"""Games of Go in SGF: what other programs write, what we write, and whatever else a file holds."""

import random
from pathlib import Path
from typing import Any

import processes
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from threefold import Game, ThreefoldError, game
from threefold.errors import BadRecord
from threefold.games.go import sgf
from threefold.games.records import Record
from threefold.protocols.process import find_program

KGS = r"""(;GM[1]FF[4]CA[UTF-8]AP[CGoban:3]ST[2]
RU[Japanese]SZ[9]HA[2]KM[0.50]TM[300]OT[5x10 byo-yomi]
PW[whi\]te]PB[black]WR[4k]BR[6k]DT[2006-05-04]PC[The KGS Go Server at http://www.gokgs.com/]
AB[gc][cg]C[white [4k\]: hi
black [6k\]: hi
]RE[B+Resign]
;W[ee]WL[299.1];B[ef]BL[298]OB[5]C[good]TE[1]
(;W[df];B[tt];W[])
(;W[ff]C[a variation];B[aa]))
"""
SABAKI = "(;GM[1]FF[4]CA[UTF-8]AP[Sabaki:0.52.2]KM[7.5]SZ[13]DT[2024-01-02];B[dd];W[jj];B[];W[])"


def only(text: str) -> Record:
    (record,) = sgf.read(text)
    return record


def names(record: Record) -> list[str]:
    g, s = sgf.begin(record.tags)
    return [g.format_move(s, a) for a in record.actions]


# Reading.


def test_a_game_of_a_server() -> None:
    record = only(KGS)
    assert record.tags == {
        "Black": "black",
        "White": "whi]te",
        "Size": "9",
        "Komi": "0.50",
        "Rules": "Japanese",
        "Handicap": "2",
        "TM": "300",
        "OT": "5x10 byo-yomi",
        "WhiteRank": "4k",
        "BlackRank": "6k",
        "Date": "2006-05-04",
        "Site": "The KGS Go Server at http://www.gokgs.com/",
        "Result": "B+R",
        "FEN": "........./........./......X../........./........./........./..X....../........./"
        "......... O",
    }
    assert names(record) == ["E5", "E4", "D4", "pass", "pass"]
    assert record.line.comments == ["white [4k]: hi black [6k]: hi"]
    assert (record.line.moves[1].comments, record.line.moves[1].nags) == (["good"], [1])


def test_a_game_of_sabaki() -> None:
    record = only(SABAKI)
    assert (record.tags["Size"], record.tags["Komi"]) == ("13", "7.5")
    assert names(record) == ["D10", "K4", "pass", "pass"]
    # Nobody has said who won, but two passes have ended it: one stone each.
    assert record.result == "W+7.5"


def test_what_a_file_does_not_say() -> None:
    record = only("(;)")
    assert (record.tags["Size"], record.tags["Komi"], record.result) == ("19", "0", "*")
    assert sgf.begin(record.tags)[0].facts.max_moves == 362


@pytest.mark.parametrize(
    ("written", "result"),
    [
        ("B+3.5", "B+3.5"),
        ("w+resign", "W+R"),
        ("W+Time", "W+T"),
        ("B+Forfeit", "B+F"),
        ("B+", "B+"),
        ("0", "0"),
        ("Draw", "0"),
        ("Void", "Void"),
        ("?", "*"),
        ("who knows", "*"),
    ],
)
def test_results(written: str, result: str) -> None:
    assert only(f"(;SZ[5]RE[{written}])").result == result


def test_several_games_and_bad_ones() -> None:
    told: list[BadRecord] = []
    text = f"{SABAKI}\n(;SZ[5];B[aa];W[aa])\n(;GM[6]){KGS}(;SZ[9]"
    assert [len(record.actions) for record in sgf.read(text, report=told.append)] == [4, 5]
    assert [str(error) for error in told] == [
        "game 2: move 2: Go: 'A5' is not a legal move; legal here: A1, B1, C1, D1, E1, A2, B2, "
        "C2, D2, E2, A3, B3, …",
        "game 3: GM is 6; Go is GM[1]",
        "game 5: the last game has no end; close it with )",
    ]
    with pytest.raises(BadRecord, match="game 2: move 2"):
        list(sgf.read(text))


def test_set_up() -> None:
    record = only("(;SZ[5]AB[aa:bb]AW[ee];AE[aa]PL[W]C[to live];W[de])")
    _, s = sgf.begin(record.tags)
    g = game("go(size=5)")
    assert g.format(s) == ".X.../XX.../...../...../....O O"
    assert record.line.comments == ["to live"]
    # Without PL, whoever moves first; with a handicap and no move, White.
    assert only("(;SZ[5]AB[aa];W[ee])").tags["FEN"].endswith(" O")
    assert only("(;SZ[9]HA[2]AB[cc][gg])").tags["FEN"].endswith(" O")
    assert only("(;SZ[9]AB[cc][gg])").tags["FEN"].endswith(" X")
    assert "FEN" not in only("(;SZ[9]PL[B];B[aa])").tags


def test_a_player_may_move_twice_and_play_go_on_after_passes() -> None:
    record = only("(;SZ[5];B[aa];B[bb];W[];B[];W[cc];W[dd];B[];W[];B[])")
    assert names(record) == [
        *("A5", "pass", "B4", "pass", "pass", "C3", "pass", "D2", "pass", "pass", "pass")
    ]
    g = game("go(size=5)")
    *_, last = sgf.positions(record)
    assert g.format(last) == "X..../.X.../..O../...O./..... O passes=2"
    assert only(sgf.write(record)) == record


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("()", r"game 1: a game begins with \(;"),
        ("(;", r"game 1: the last game has no end; close it with \)"),
        ("B[aa]", r"game 1: line 1, column 1: a game begins with \("),
        ("(;SZ[9] ; B)", r"game 1: line 1, column 11: 'B' has no meaning here"),
        ("(;SZ[1])", "game 1: tag Size: go: size=1 is not from 2 to 19"),
        ("(;SZ[x])", "game 1: tag Size: 'x' is not a number of rows"),
        ("(;SZ[9:7])", "game 1: tag Size: '9:7' is not a square board"),
        ("(;KM[650])", "game 1: tag Komi: go: komi=650 is not a number of points or half points"),
        ("(;KM[seven])", "game 1: tag Komi: 'seven' is not a number of points"),
        ("(;SZ[9]AB[zz])", "game 1: AB: 'zz' is not a point from 'aa' to 'ii'"),
        ("(;SZ[9]AW[aa:z])", "game 1: AW: 'z' is not a point from 'aa' to 'ii'"),
        ("(;SZ[2]AB[aa:bb])", "the stone on A1 has no liberty"),
        ("(;SZ[9];B[jj])", "game 1: move 1: 'jj' is not a point from 'aa' to 'ii', nor empty"),
        ("(;SZ[9];B[aa][bb])", "game 1: move 1: it has 2 points, not one"),
        ("(;SZ[9];B[aa];W[])(;SZ[9];B[aa];AW[bb])", "game 2: after move 1: stones are set up in"),
        (
            "(;SZ[2];B[ab];W[bb];B[aa];W[ba];B[ab];W[aa];B[ab])",
            r"game 1: move 7: .*'A1' is not a legal move \(it would bring an earlier position back",
        ),
    ],
)
def test_what_cannot_be_read(text: str, complaint: str) -> None:
    with pytest.raises(BadRecord, match=complaint):
        list(sgf.read(text))


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "games.sgf"
    path.write_bytes(b"\xef\xbb\xbf" + KGS.replace("black", "Bj\xf6rn").encode("latin-1"))
    (record,) = sgf.load(path)
    assert record.tags["Black"] == "Björn"
    with pytest.raises(BadRecord, match=r"none\.sgf cannot be read: No such file"):
        list(sgf.load(tmp_path / "none.sgf"))
    for encoding in ("GB18030", "Shift_JIS", "EUC-KR", "utf-8", "Big5"):
        path.write_bytes(f"(;CA[{encoding}]PB[中])".encode(encoding))
        assert next(sgf.load(path)).tags["Black"] == "中"
    path.write_bytes("(;CA[rot13]PB[吴])".encode())
    assert next(sgf.load(path)).tags["Black"] == "吴"
    path.write_bytes("(;CA[GBK]PB[吴])".encode() + b"\xff")
    with pytest.raises(BadRecord, match="'ÿ'"):
        list(sgf.load(path))
    path.write_text("(;SZ[0])")
    with pytest.raises(BadRecord, match=r"games\.sgf: game 1: tag Size"):
        list(sgf.load(path))


# Writing.


@pytest.mark.parametrize(
    ("written", "komi"), [("6.25", 6.5), ("3.75", 3.5), ("0", 0), ("-1.2", -1.5)]
)
def test_a_komi_between_half_points_decides_as_the_nearest_between_points(
    written: str, komi: float
) -> None:
    (record,) = sgf.read(f"(;SZ[5]KM[{written}];B[cc])")
    g, _ = sgf.begin(record.tags)
    s = sgf.positions(record)[-1]
    assert g.utilities["area"].worth(s) == 2 * (25 - komi)


def test_a_komi_of_nothing_is_no_less_than_nothing() -> None:
    g = game("go(size=5,komi=0)")
    assert g.record is not None
    assert "KM[0]" in g.record(g.initial(), [0])


def test_our_own_games() -> None:
    g = game("go(size=9,komi=6.5,handicap=3)")
    assert g.record is not None
    assert g.record(g.initial(), [40, 41]) == (
        "(;FF[4]GM[1]CA[UTF-8]AP[Threefold:0.1.0]RU[Chinese]HA[3]KM[6.5]SZ[9]AB[cc][cg][gc]PL[W]\n"
        ";W[ee]\n;B[fe])\n"
    )
    record = sgf.record(["D4", "pass", "pass"], game=game("go(size=5,komi=0)"))
    assert record.result == "B+25"
    record = sgf.record(["D4"], tags={"Size": "5", "Black": "A]\\:", "Result": "B+R"})
    assert only(sgf.write(record)) == record
    with pytest.raises(BadRecord, match="move 2: Go: 'D4' is not a legal move"):
        sgf.record(["D4", "D4"], tags={"Size": "9"})
    with pytest.raises(BadRecord, match="move 1: 99 is not a legal move"):
        sgf.record([99], tags={"Size": "9"})
    record.line.moves[0].action = 99
    with pytest.raises(BadRecord, match="move 1: 99 is illegal in"):
        sgf.write(record)


def test_a_record_of_a_position() -> None:
    g = game("go(size=5)")
    s = g.parse("X..../.O.../...../...../..... O")
    record = sgf.record(["C3"], tags={"Size": "5"}, start=s)
    assert sgf.positions(record)[0] == s
    assert only(sgf.write(record)) == record


@pytest.mark.parametrize("size", [2, 5, 9, 19])
def test_random_games_read_back(size: int) -> None:
    g: Game[Any] = game(f"go(size={size},komi=3.5)")
    rng = random.Random(size)
    for _ in range(3):
        positions, moves = [g.initial()], list[int]()
        while not g.is_terminal(positions[-1]) and len(moves) < 60:
            moves.append(rng.choice(g.moves(positions[-1], positions[:-1])))
            positions.append(g.result(positions[-1], moves[-1]))
        record = sgf.record(moves, game=g, tags={"Event": "by chance"})
        again = only(sgf.write(record))
        assert again == record
        assert sgf.positions(again) == positions


# Whatever is in a file.

PARTS = st.sampled_from(
    [
        *("(", ")", ";", "[", "]", "\\", ":", "(;", "B[aa]", "W[tt]", "B[]", "W[bb][cc]", "C[x]"),
        *("SZ[5]", "SZ[2]", "KM[0.5]", "KM[x]", "GM[1]", "AB[aa:cc]", "AW[bb]", "AE[aa]", "PL[W]"),
        *("RE[B+R]", "HA[2]", "FF[4]", ";B[ba]", ";W[ab]", ";B[cc]", ";W[]", "\n", "é", "\0"),
    ]
)


@given(st.one_of(st.text(max_size=60), st.lists(PARTS, max_size=20).map("".join)))
@settings(max_examples=300)
def test_any_text_gives_records_or_one_clear_error(text: str) -> None:
    try:
        records = list(sgf.read(text))
    except BadRecord as error:
        assert str(error).startswith("game ")
        assert "\n" not in str(error)
    else:
        for record in records:
            assert only(sgf.write(record)) == record


@given(st.lists(PARTS, max_size=12).map("".join))
@settings(max_examples=200)
def test_any_game_gives_a_record_or_one_clear_error(text: str) -> None:
    told: list[BadRecord] = []
    records = list(sgf.read(f"(;SZ[3]{text})", report=told.append))
    assert records or told


# Other programs.


def test_gnu_go_reads_what_we_write_and_we_what_it_writes(tmp_path: Path) -> None:
    try:
        program = find_program("gnugo")
    except ThreefoldError as missing:
        pytest.skip(f"{missing} (Debian has it)")
    ours, theirs = tmp_path / "ours.sgf", tmp_path / "theirs.sgf"
    g = game("go(size=9,komi=5.5,handicap=2)")
    record = sgf.record(["E5", "C4", "pass", "D5"], game=g)
    ours.write_text(sgf.write(record))
    done = processes.run(
        [program, "--mode", "gtp", "--level", "1"],
        input=f"loadsgf {ours}\nlist_stones black\nlist_stones white\nget_komi\n"
        f"genmove white\nprintsgf {theirs}\nquit\n",
    )
    _, black, white, komi, move, *_ = (part.strip("= \n") for part in done.stdout.split("\n\n"))
    assert set(black.split()) == {"C3", "G7", "C4", "D5"}
    assert (white, komi) == ("E5", "5.5")
    (back,) = sgf.load(theirs)
    assert (back.tags["Size"], back.tags["Komi"]) == ("9", "5.5")
    s = sgf.positions(back)[-1]
    if move.upper() != "PASS":
        assert g.contents(s)[move.upper()] == "white"


# In matches, and to learn from.


def test_matches_are_exported_and_learned_from(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from threefold.arena.teaching import games_to_learn
    from threefold.cli.main import main

    db, path = tmp_path / "games.db", tmp_path / "games.sgf"
    spec = "go(size=4,komi=0.5)"
    options = ["--game", spec, "--games", "4", "--seed", "3", "--db", str(db)]
    assert main(["match", "random", "random", *options]) == 0
    assert main(["report", str(db), "--export", str(path)]) == 0
    capsys.readouterr()
    records = list(sgf.load(path))
    assert len(records) == 4
    assert {record.tags["Size"] for record in records} == {"4"}
    for record in records:
        g, _ = sgf.begin(record.tags)
        last = sgf.positions(record)[-1]
        assert g.is_terminal(last)
        assert record.result[0] == ("B" if g.utility(last) > 0 else "W")
    learned = list(games_to_learn(game(spec), path))
    assert [each.plies for each in learned] == [len(record.actions) for record in records]
    assert [each.utility for each in learned] == [
        1.0 if record.result[0] == "B" else -1.0 for record in records
    ]
    with pytest.raises(ThreefoldError, match="has no game that was played to an end"):
        games_to_learn(game("go(size=5)"), path)
