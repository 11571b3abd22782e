"""Openings: every number gives one, the same in every process, and never a finished game."""

import pickle
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from threefold import game
from threefold.arena import openings as module
from threefold.arena.openings import Opening, openings
from threefold.errors import ThreefoldError
from threefold.games.chess import pgn
from threefold.rules.game import Game

TIC_TAC_TOE = game("tic-tac-toe")
CHESS = game("chess")
RECORDS = Path(__file__).parent / "records"


def after(g: Game[Any], opening: Opening) -> list[Any]:
    """The positions of an opening, from its start."""
    positions = [g.parse(opening.start) if opening.start else g.initial()]
    for text in opening.moves:
        s = positions[-1]
        positions.append(g.result(s, g.parse_move(s, text)))
    return positions


def test_the_usual_start() -> None:
    found = openings(TIC_TAC_TOE, None, 1)
    assert (len(found), found[0], found[17]) == (1, Opening("", ()), Opening("", ()))


@settings(max_examples=25)
@given(seed=st.integers(0, 1 << 40), index=st.integers(0, 1 << 40), plies=st.integers(0, 8))
@pytest.mark.parametrize("spec", ["tic-tac-toe", "dice-nim", "kalah", "othello(size=4)"])
def test_a_random_opening_depends_on_seed_and_number_alone(
    spec: str, seed: int, index: int, plies: int
) -> None:
    g = game(spec)
    given = f"random:{plies}"
    found = openings(g, given, seed)
    opening = found[index]
    assert len(opening.moves) == plies
    positions = after(g, opening)
    assert all(g.outcome(positions[: n + 1]) is None for n in range(len(positions)))
    found[index + 1]
    assert opening == found[index] == pickle.loads(pickle.dumps(found))[index]
    assert opening == openings(game(spec), given, seed)[index]


def test_random_openings_differ_by_number_and_by_seed() -> None:
    one, other = (openings(CHESS, "random:6", seed) for seed in (1, 2))
    with pytest.raises(TypeError, match="never end"):
        len(one)
    assert one
    drawn = [found[k] for found in (one, other) for k in range(20)]
    assert len(set(drawn)) == 40


def test_nature_rolls_by_its_weights() -> None:
    g = game("dice-nim")
    found = openings(g, "random:1", 3)
    s = g.initial()
    weights = {g.format_move(s, event): weight for event, weight in g.chances(s)}
    rolls = [found[k].moves[0] for k in range(1200)]
    for roll, weight in weights.items():
        expected = len(rolls) * weight / sum(weights.values())
        assert abs(rolls.count(roll) - expected) < 5 * expected**0.5


# Counted by hand or known: positions of tic-tac-toe by ply without those that someone has won, and
# the 20, 400 and 5,362 distinct positions of chess.
@pytest.mark.parametrize(
    ("spec", "counts"),
    [
        ("tic-tac-toe", [1, 9, 72, 252, 756, 1260 - 120, 1520 - 148, 1140 - 444, 390 - 168]),
        ("chess", [1, 20, 400]),
        pytest.param("chess", [1, 20, 400, 5362], marks=pytest.mark.slow),
    ],
)
def test_all_openings_are_distinct_positions(spec: str, counts: list[int]) -> None:
    g = game(spec)
    for plies, count in enumerate(counts):
        found = openings(g, f"all:{plies}", 5)
        assert len(found) == count
        ends = set()
        for k in range(count):
            positions = after(g, found[k])
            assert len(positions) == plies + 1
            assert g.outcome(positions) is None
            ends.add(positions[-1])
        assert len(ends) == count
        assert found[count] == found[0]


def test_the_order_of_all_openings_comes_from_the_seed() -> None:
    one, same, other = (openings(TIC_TAC_TOE, "all:2", seed) for seed in (1, 1, 2))
    first = [[found[k] for k in range(72)] for found in (one, same, other)]
    assert first[0] == first[1] != first[2]
    assert set(first[0]) == set(first[2])
    assert [pickle.loads(pickle.dumps(one))[k] for k in range(72)] == first[0]


def test_a_file_of_lines(tmp_path: Path) -> None:
    path = tmp_path / "lines.txt"
    path.write_text("# two openings\nb2 a1  # the corner\n\n  XO./.X./..O X\n")
    found = openings(TIC_TAC_TOE, str(path), 9)
    assert len(found) == 2
    assert [found[k] for k in range(3)] == [
        Opening("", ("b2", "a1")),
        Opening("XO./.X./..O X", ()),
        Opening("", ("b2", "a1")),
    ]
    again = pickle.loads(pickle.dumps(found))
    path.unlink()  # another machine has no such file
    assert again[1] == found[1]


def test_a_position_or_moves_in_connect_four(tmp_path: Path) -> None:
    g = game("connect-four")
    path = tmp_path / "lines.txt"
    path.write_text("4453\n4 4 5 3\n")
    found = openings(g, str(path), 0)
    assert after(g, found[0])[-1] == after(g, found[1])[-1]


def test_epd(tmp_path: Path) -> None:
    path = tmp_path / "wac.epd"
    board = "2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - -"
    path.write_text(f'# problems\n{board} bm Qg6; id "WAC #1";\n{board} hmvc 3; fmvn 20;\n')
    found = openings(CHESS, str(path), 0)
    assert [found[k].start for k in range(2)] == [f"{board} 0 1", f"{board} 3 20"]


def test_chess960_positions_in_epd(tmp_path: Path) -> None:
    path = tmp_path / "starts.epd"
    path.write_text("bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w GEge -\n")
    g = game("chess(chess960=true)")
    found = openings(g, str(path), 0)
    assert g.parse(found[0].start).castling
    with pytest.raises(ThreefoldError, match=r"starts.epd, line 1: "):
        openings(CHESS, str(path), 0)


@pytest.mark.parametrize(("spec", "file"), [("chess", "famous.pgn"), ("checkers", "english.pdn")])
def test_records(spec: str, file: str) -> None:
    g = game(spec)
    found = openings(g, f"{RECORDS / file}:6", 0)
    assert len(found) == 4
    for k in range(4):
        assert len(found[k].moves) == 6
        assert g.outcome(after(g, found[k])) is None
    assert pickle.loads(pickle.dumps(found))[2] == found[2]


def test_a_record_from_a_set_up_position(tmp_path: Path) -> None:
    path = tmp_path / "endings.pgn"
    start = CHESS.parse("8/8/8/4k3/8/4K3/4P3/8 w - - 0 1")
    games = [pgn.record(moves, start=start) for moves in (["Kd3", "Kd5"], ["Kf3"])]
    path.write_text("\n".join(map(pgn.write, games)))
    found = openings(CHESS, str(path), 0)
    assert found[0] == Opening(CHESS.format(start), ("e3d3", "e5d5"))
    assert found[1] == Opening(CHESS.format(start), ("e3f3",))


def test_a_bad_game_of_a_record_is_placed_in_the_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "bad.pgn"
    path.write_text('[Event "A"]\n\n1. e4 e5 *\n\n[Event "B"]\n\n1. e4 *\n\n1. d4 *\n')
    with pytest.raises(ThreefoldError, match=r"bad.pgn, line 5: not one game; each begins with"):
        openings(CHESS, str(path), 0)
    path.write_text('[Event "A"]\n\n1. e4 e5 *\n\n[Event "B"]\n\n1. e4 e4 *\n')
    with pytest.raises(ThreefoldError, match=r"bad.pgn, line 7, column 7: .*e4"):
        openings(CHESS, str(path), 0)
    path.write_text('[Event "A"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n')
    with pytest.raises(ThreefoldError, match=r"line 1: the game is already over; .*bad.pgn:PLIES"):
        openings(CHESS, str(path), 0)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("random:9", r"random:9: in 1000 tries, no game of Tic-tac-toe .* give fewer"),
        ("all:9", r"all:9: no game of Tic-tac-toe lasts that long"),
        ("random:many", r"'many' is not a number of plies, like 8"),
        ("all:-1", r"'-1' is not a number of plies"),
        ("random:99999", r"'99999' is not a number of plies"),
        ("nowhere.epd", r"'nowhere.epd': there is no such file; give random:PLIES, all:PLIES"),
        ("", r"'': there is no such file"),
        ("a\0b", r"there is no such file"),
        (f"{RECORDS / 'famous.pgn'}:x", r"'x' is not a number of plies"),
        (str(RECORDS / "famous.pgn"), r"Tic-tac-toe has no PGN; give a file with one position"),
        (str(RECORDS), r"there is no such file"),
    ],
)
def test_what_cannot_be_used(given: str, message: str) -> None:
    with pytest.raises(ThreefoldError, match=message):
        openings(TIC_TAC_TOE, given, 0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("b2 b2\n", r"line 1: move 2: .*'b2' is not a legal move"),
        ("b2\n\nzz\n", r"line 3: neither moves nor a position: .*expected 3 rows"),
        ("a1 b1 a2 b2 a3\n", r"line 1: the game is already over; take only"),
        ("XXX/OO./... O\n", r"line 1: the game is already over$"),
        ("# nothing\n", r"there is none in this file"),
        ("\0\1\2", r"this is no text"),
    ],
)
def test_a_bad_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "lines.txt"
    path.write_text(text)
    with pytest.raises(ThreefoldError, match=message):
        openings(TIC_TAC_TOE, str(path), 0)


def test_too_many(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(module, "MOST", 100)
    with pytest.raises(ThreefoldError, match=r"more than 100; give fewer plies, or random:3"):
        openings(TIC_TAC_TOE, "all:3", 0)
    monkeypatch.setattr(module, "LARGEST_FILE", 3)
    path = tmp_path / "lines.txt"
    path.write_text("b2 a1\n")
    with pytest.raises(ThreefoldError, match="this file is over"):
        openings(TIC_TAC_TOE, str(path), 0)


def test_a_mistake_far_down_a_file_shows_when_it_is_reached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "CHECKED", 2)
    path = tmp_path / "lines.txt"
    path.write_text("b2\nb2 a1\nb2 b2\n")
    found = openings(TIC_TAC_TOE, str(path), 0)
    with pytest.raises(ThreefoldError, match="line 3"):
        found[2]
    with pytest.raises(IndexError):
        found[-1]
    with pytest.raises(TypeError, match="by number"):
        list(found)


@settings(max_examples=50)
@given(st.text(max_size=200))
@pytest.mark.parametrize("ending", ["pgn", "epd", "txt"])
def test_any_text_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, ending: str, text: str
) -> None:
    path = tmp_path_factory.mktemp("any") / f"any.{ending}"
    path.write_text(text, encoding="utf-8", errors="replace")
    try:
        found = openings(CHESS, str(path), 0)
    except ThreefoldError as error:
        assert "\n" not in str(error)
    else:
        assert isinstance(found[0], Opening)


def test_moves_are_drawn_evenly() -> None:
    """An oracle beside ours: each first move of tic-tac-toe comes about as often."""
    found = openings(TIC_TAC_TOE, "random:1", 11)
    counts = sorted(
        [found[k].moves[0] for k in range(1800)].count(f"{file}{rank}")
        for file in "abc"
        for rank in "123"
    )
    assert sum(counts) == 1800
    assert all(later - earlier < 60 for earlier, later in pairwise(counts))
    assert counts[0] > 140


def test_openings_obey_superko(tmp_path: Path) -> None:
    g = game("go(size=2)")
    for index in range(30):
        try:
            opening = openings(g, "random:9", index)[0]
        except ThreefoldError:
            continue
        after_by_superko(g, opening)
    for index in range(50):
        after_by_superko(g, openings(g, "all:7", 0)[index])
    path = tmp_path / "lines.txt"
    path.write_text("A1 B1 A2 B2 A1 A2 A1\n")
    with pytest.raises(ThreefoldError, match=r"move 7: .* bring an earlier position back"):
        openings(g, str(path), 0)


def after_by_superko(g: Game[Any], opening: Opening) -> None:
    positions = [g.initial()]
    for text in opening.moves:
        a = g.parse_move(positions[-1], text, positions[:-1])
        positions.append(g.result(positions[-1], a))


def test_games_of_go(tmp_path: Path) -> None:
    path = tmp_path / "games.sgf"
    path.write_text("(;SZ[5]\n;B[aa];W[bb](;B[cc])(;B[dd]))\n\n (;SZ[5]AB[ee]PL[W];W[aa];B[bb])\n")
    g = game("go(size=5)")
    one, two = (openings(g, f"{path}:2", 0)[index] for index in (0, 1))
    assert (one.start, one.moves) == ("", ("A5", "B4"))
    assert (two.start, two.moves) == ("...../...../...../...../....X O", ("A5", "B4"))
    with pytest.raises(ThreefoldError, match="line 1: a game of Go on another board than go"):
        openings(game("go"), str(path), 0)
    with pytest.raises(ThreefoldError, match="Othello has no SGF"):
        openings(game("othello"), str(path), 0)
    path.write_text("(;SZ[5];B[aa])\n(;SZ[5]\n;B[aa];W[zz])\n(;")
    with pytest.raises(ThreefoldError, match="line 2: move 2: 'zz' is not"):
        openings(g, str(path), 0)
    path.write_text("(;SZ[5];B[];W[];B[bb])\n")
    with pytest.raises(ThreefoldError, match="line 1: the game is over before move 3"):
        openings(g, str(path), 0)
    path.write_text("(;SZ[5];B[aa])\n oops")
    with pytest.raises(ThreefoldError, match="line 2, column 2: 'o' has no meaning here"):
        openings(g, str(path), 0)
