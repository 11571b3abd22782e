"""Backgammon in .mat and SGF: what others write, what is wrong in them, and GNU Backgammon."""

import random
import re
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import processes
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from threefold.errors import BadRecord
from threefold.games.backgammon import backgammon, mat, sgf
from threefold.games.backgammon.gnu import position_id
from threefold.games.backgammon.moves import NO_PLAY
from threefold.games.backgammon.record import positions, record
from threefold.games.backgammon.rules import ROLL, State
from threefold.games.records import Record
from threefold.games.records.sgf import main_lines

pytestmark = pytest.mark.timeout(120)

GNUBG = shutil.which("gnubg") or shutil.which("gnubg", path="/usr/games")

KINDS: list[dict[str, Any]] = [
    {},
    {"cube": True},
    {"cube": True, "jacoby": True},
    {"cube": True, "match": 5, "score": (3, 1)},
    {"cube": True, "match": 3, "score": (2, 0)},
    {"cube": True, "match": 3, "score": (0, 2), "crawford": False},
]
NAMES = st.text(st.characters(categories=["L", "N", "P", "Zs"]), min_size=1, max_size=20).map(
    lambda text: " ".join(text.split()) or "A"
)


def random_record(
    kind: dict[str, Any],
    seed: int,
    *,
    most: int = 10_000,
    start: State | None = None,
    tags: dict[str, str] | None = None,
) -> Record:
    """A game of random moves, in which doubles and passes are rare enough for it to last."""
    game = backgammon(**kind)
    rng = random.Random(seed)
    s = start = game.initial() if start is None else start
    moves: list[int] = []
    while len(moves) < most and (legal := game.moves(s)):
        a = rng.choice(legal)
        if game.format_move(s, a) in ("double", "pass") and rng.random() < 0.8:
            a = legal[0]
        moves.append(a)
        s = game.result(s, a)
    # Nobody writes down that a player does not double; a roll without a play ends the turn.
    if game.moves(s) == [NO_PLAY]:
        moves.append(NO_PLAY)
    elif moves and moves[-1] == ROLL:
        moves.pop()
    return record(moves, start, kind.get("cube", False), tags)


def later(kind: dict[str, Any], seed: int) -> State:
    """A position from the middle of a game in which a play or a decision is due."""
    states = positions(random_record(kind, seed))
    game = backgammon(**kind)
    fitting = [s for s in states[5:] if game.moves(s) and game.player(s) >= 0 and s.phase != 3]
    return random.Random(seed).choice(fitting or states[1:2])


# There and back.


@settings(max_examples=25)
@given(
    kind=st.sampled_from(KINDS),
    seed=st.integers(0, 10**6),
    most=st.sampled_from([0, 1, 2, 7, 30, 10_000]),
    names=st.tuples(NAMES, NAMES),
)
def test_a_game_survives_both(
    kind: dict[str, Any], seed: int, most: int, names: tuple[str, str]
) -> None:
    x, o = (name.replace('"', "'") for name in names)
    given = random_record(kind, seed, most=most, tags={"X": x, "O": o})
    assert list(sgf.read(sgf.write([given]))) == [given]
    if most > 1:  # a game that has not begun does not say who is X
        assert list(mat.read(mat.write([given]))) == [given]


@pytest.mark.parametrize("room", [mat, sgf])
def test_players_change_sides(room: Any) -> None:
    sides = [{"X": "Ann", "O": "Ben"}, {"X": "Ben", "O": "Ann"}]
    games = [random_record(kind, 4, tags=tags) for kind in KINDS for tags in sides]
    text = room.write(games)
    assert list(room.read(text)) == games
    assert list(room.read(text.splitlines(keepends=True))) == games


def test_a_match_has_one_header_as_long_as_the_score_is_right() -> None:
    one = random_record({"cube": True, "match": 200}, 1, tags={"X": "Ann", "O": "Ben"})
    points = int(one.result[2:])
    score = (points, 0) if one.result[0] == "X" else (0, points)
    kind = {"cube": True, "match": 200, "score": score}
    two = random_record(kind, 2, tags={"X": "Ann", "O": "Ben"})
    text = mat.write([one, two])
    assert text.count("200 point match") == 1
    assert f" Ann : {score[0]} " in text
    assert mat.write([one, one]).count("200 point match") == 2
    assert list(mat.read(text)) == [one, two]


def test_sgf_numbers_the_games_and_adds_up_their_points() -> None:
    sides = [{"X": "Ann", "O": "Ben"}, {"X": "Ben", "O": "Ann"}]
    games = [random_record({"cube": True}, n, tags=sides[n % 2]) for n in range(4)]
    total = dict.fromkeys(("Ann", "Ben"), 0)
    for number, (game, nodes) in enumerate(zip(games, main_lines(sgf.write(games)), strict=True)):
        score = [f"ws:{total['Ben']}", f"bs:{total['Ann']}"]
        assert nodes[0]["MI"] == ["length:0", f"game:{number}", *score]
        total[game.tags[game.result[0]]] += int(game.result[2:])
    assert min(total.values()) > 0
    other = random_record({"cube": True}, 5, tags={"X": "Ann", "O": "Cid"})
    *_, nodes = main_lines(sgf.write([*games, other]))
    assert nodes[0]["MI"] == ["length:0", "game:0", "ws:0", "bs:0"]


@pytest.mark.parametrize("room", [mat, sgf])
def test_two_players_of_one_name_have_a_seat_each(room: Any) -> None:
    """As one player against itself: in every other game the second one begins, and is X."""
    seats: list[dict[str, str]] = [{}, {"Seat": "2"}]
    named = [{"X": "A", "O": "B"}, {"X": "B", "O": "A"}]
    kind = {"cube": True}
    games = [random_record(kind, n, tags={"X": "A", "O": "A"} | seats[n % 2]) for n in range(4)]
    known = [random_record(kind, n, tags=named[n % 2]) for n in range(4)]
    text = room.write(games)
    assert list(room.read(text)) == games
    assert text == re.sub(r'(?<=P[BW]\[)B(?=\])|(?<=")B(?=")|B(?= : )', "A", room.write(known))


@settings(max_examples=15)
@given(kind=st.sampled_from(KINDS), seed=st.integers(0, 10**6))
def test_sgf_sets_up_a_position(kind: dict[str, Any], seed: int) -> None:
    given = random_record(kind, seed, start=later(kind, seed), most=20)
    (found,) = sgf.read(sgf.write([given]))
    assert positions(found) == positions(given)
    if "FEN" in given.tags:
        with pytest.raises(BadRecord, match=r"use \.sgf"):
            mat.write([given])


#: Both sides may move next, and no two places of them are alike.
UNLIKE = "XGID=-b-B-BC-B---dD-a-c-cb--B--:0:0:{}:00:0:0:0:0:10"


@pytest.mark.parametrize(("turn", "color"), [(1, "B"), (-1, "W")])
def test_whose_turn_it_is_comes_before_the_checkers_in_sgf(turn: int, color: str) -> None:
    start = backgammon(cube=True).parse(UNLIKE.format(turn))
    assert f"\n;PL[{color}]AE[a:y]AB" in sgf.write([record([], start, cube=True)])


def test_comments_stay_with_their_moves_in_sgf() -> None:
    given = random_record({}, 3, most=6)
    given.line.moves[1].comments.append("best] by far \\ [really]")
    assert list(sgf.read(sgf.write([given]))) == [given]


# What others write.

#: A match that GNU Backgammon 1.07 wrote in both formats; a branch, its remarks and an odd line
#: end were added.
MATCH = """\
; [EventDate "2026.11.16"]

 3 point match

 Game 1
 Alice : 0                      Bob : 0
  1)                             31: 8/5 6/5
  2) 64: 24/18 18/14              Doubles => 2
  3)  Takes                      66: 24/18 24/18 13/7 13/7
  4)  Doubles => 4                Drops
      Wins 2 points

 Game 2
 Alice : 2                      Bob : 0
  1) 62: 24/18 13/11             11: 8/7* 8/7 6/5 6/5
  2) 66:                         65: 24/18 18/13
  3) 21: 25/24 13/11
      Wins 1 point
"""
TREES = """\
(;FF[4]GM[6]CA[UTF-8]AP[GNU Backgammon:1.07.001]MI[length:3][game:0][ws:0][bs:0]PW[Alice]PB[Bob]
DT[2026-11-16]RU[Crawford]RE[W+2]
;B[31qtst]A[0][qtst E ver 3 0.55 0.17 0.01 0.12 0.00 0.22 0C 0 1 0.0 1]C[best\\
]
;W[64xrrn]
;B[double]
;W[take]
;B[66agaglrlr]
;W[double]
;B[drop])
(;FF[4]GM[6]MI[length:3][game:1][ws:2][bs:0]PW[Alice]PB[Bob]RU[Crawford:CrawfordGame]RE[W+1R]
;W[62xrmk](;B[11qrqrstst];W[66];B[65aggl];W[21yxmk])(;B[11lklk]))
"""


@pytest.mark.parametrize(("room", "text"), [(mat, MATCH), (sgf, TREES)])
def test_a_match_as_gnu_backgammon_writes_it(room: Any, text: str) -> None:
    one, two = room.read(text)
    assert (one.tags["X"], one.tags["O"], one.tags["Date"]) == ("Bob", "Alice", "2026.11.16")
    assert (one.tags["Length"], one.tags["Score"], one.result) == ("3", "0-0", "O+2")
    assert "Crawford" not in one.tags
    assert moves_of(one) == [
        *("31", "8/5 6/5", "roll", "64", "24/14", "double", "take", "66", "24/18(2) 13/7(2)"),
        *("double", "pass"),
    ]
    assert (two.tags["X"], two.tags["Score"], two.tags["Crawford"]) == ("Alice", "2-0", "yes")
    assert two.result == "X+1"
    # In the Crawford game nobody may double.
    assert moves_of(two) == [
        *("62", "24/18 13/11", "11", "8/7*(2) 6/5(2)", "66", "-", "65", "24/13"),
        *("21", "bar/24 13/11"),
    ]


def moves_of(given: Record) -> list[str]:
    game = backgammon(cube=True, match=3)
    states = positions(given)
    return [game.format_move(s, a) for s, a in zip(states, given.actions, strict=False)]


def test_a_player_may_resign_after_the_roll() -> None:
    text = " 0 point match\n\n Game 1\n A : 0    B : 0\n  1) 31: 8/5 6/5              62:\n"
    (found,) = mat.read(f"{text}      Wins 1 point\n")
    assert len(found.actions) == 4
    assert found.result == "X+1"
    assert list(mat.read(mat.write([found]))) == [found]


@pytest.mark.parametrize(
    ("nodes", "moves"),
    [
        (";B[31qtst];W[62]", ["31", "8/5 6/5", "roll", "62"]),
        (";B[31qtst];PL[W]DI[62]", ["31", "8/5 6/5", "roll", "62"]),
        (";B[31]", ["31"]),
        # Dice that were set again, or are written once more with the play.
        (";PL[B]DI[42];PL[B]DI[31]", ["31"]),
        (";PL[B]DI[31];B[31qtst]", ["31", "8/5 6/5"]),
        (";PL[B]DI[42];B[31qtst];PL[W]DI[43];W[62]", ["31", "8/5 6/5", "roll", "62"]),
    ],
)
def test_dice_without_a_play_in_sgf(nodes: str, moves: list[str]) -> None:
    (found,) = sgf.read(f"(;GM[6]PB[A]PW[B]RE[B+1R]{nodes})")
    assert moves_of(found) == moves
    assert found.result == "X+1"
    assert list(sgf.read(sgf.write([found]))) == [found]


@pytest.mark.parametrize(
    ("roll", "dice", "moves"),
    [
        (";PL[W]DI[43]", "43", 0),
        # Once the turn was given to the other player, or the dice were set again.
        (";PL[B]DI[42]", "00", 2),
        (";PL[W]DI[61]", "00", 2),
    ],
)
def test_dice_without_a_play_after_a_position_in_sgf(roll: str, dice: str, moves: int) -> None:
    """As GNU Backgammon writes a position with dice."""
    (found,) = sgf.read(
        f"(;GM[6]{roll};PL[{roll[4]}]AE[a:y]"
        "AW[e][e][f][f][f][h][h][h][j][m][m][m][m][x][x]"
        "AB[v][v][t][t][s][s][s][q][q][l][l][l][l][b][b];W[43])"
    )
    assert found.tags["FEN"] == UNLIKE.format(-1).replace(":00:", f":{dice}:")
    assert len(found.actions) == moves


def test_who_has_rolled_first_is_x() -> None:
    sides = [{"X": "Ann", "O": "Ben"}, {"X": "Ben", "O": "Ann"}]
    games = [random_record({}, 1, most=1, tags=tags) for tags in sides]
    assert list(sgf.read(sgf.write(games))) == games


@pytest.mark.parametrize(
    ("line", "names", "score"),
    [
        # GNU Backgammon puts no space between a long name's score and the other name.
        (
            "alphabeta(depth=1,eval=position : 0random : 0",
            ("alphabeta(depth=1,eval=position", "random"),
            "0-0",
        ),
        ("alphabeta(depth=1,eval=position) : 12random : 3", None, "12-3"),
        ("x:3y : 1              Ben : 2", ("x:3y", "Ben"), "1-2"),
        ("Ann:1 Ben:2", ("Ann", "Ben"), "1-2"),
    ],
)
def test_names_and_scores(line: str, names: tuple[str, str] | None, score: str) -> None:
    (found,) = mat.read(f" 15 point match\n\n Game 1\n {line}\n  1) 31: 8/5 6/5\n")
    expected = names or ("alphabeta(depth=1,eval=position)", "random")
    assert (found.tags["X"], found.tags["O"]) == expected
    assert found.tags["Score"] == score


@pytest.mark.parametrize(
    "names", [("a:3", "b"), ("a : 5 b", "c : 1"), ("a", "b : 2 c"), ("a : 1", "a : 1"), ("1", "2")]
)
def test_names_with_scores_of_their_own(names: tuple[str, str]) -> None:
    kind = {"cube": True, "match": 5, "score": (3, 1)}
    given = random_record(kind, 1, tags=dict(zip("XO", names, strict=True)))
    assert list(mat.read(mat.write([given]))) == [given]


# What is wrong.

START = " 0 point match\n\n Game 1\n A : 0                        B : 0\n"


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ("  1) 31: 8/5 6/4\n", "line 5: .*'8/5 6/4' is not a legal move"),
        ("  1) 33: 8/5 6/3\n", "line 5: the opening roll is 33, but it cannot be a double"),
        ("  1) 31: 8/5 6/5\n  2) 31: 8/5 6/5\n", "line 6: it is the turn of O, who is in the"),
        ("  1) 31: 8/5 6/5        Takes\n", "line 5: nobody has doubled"),
        ("  1) 31: 8/5 6/5        Doubles => 4\n", "line 5: the cube is turned to 2, not 4"),
        ("  1) Doubles => 2\n", "line 5: X may not double here"),
        ("  1) 31: 8/5 6/5         Doubles => 2\n  2) 31: 8/5 6/5\n", "expected Takes or Drops"),
        ("  1) 31:                42: 8/4 6/4\n", "line 5: 31 can be played, but no play is given"),
        ("  1) 31: 8/5 6/5        Beavers\n", "line 5: .*Beavers' is not a legal move"),
        ("  1) knock knock\n", "line 5: 'knock knock' is neither a play like 31: 8/5 6/5"),
        ("      Wins 1 point\n  1) 31: 8/5 6/5\n", "line 6: the game is already won"),
        (
            "  1) 31: 8/5 6/5         Doubles => 2\n  2) Drops\n        "
            "                42: 8/4 6/4\n",
            "line 7: .* follows, but the game is over",
        ),
    ],
)
def test_what_mat_cannot_mean(lines: str, reason: str) -> None:
    good = " Game 2\n A : 0     B : 0\n  1) 31: 8/5 6/5\n"
    with pytest.raises(BadRecord, match=reason):
        list(mat.read(START + lines))
    errors: list[BadRecord] = []
    (found,) = mat.read(START + lines + good, report=errors.append)
    assert len(errors) == 1
    assert len(found.actions) == 2


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Dear diary\n", "line 1: 'Dear diary' is neither `7 point match` nor `Game 1`"),
        (" 3 point match\n Game 1\n A : 3    B : 0\n", "line 2: .*score=3-0"),
    ],
)
def test_what_is_no_mat(text: str, reason: str) -> None:
    with pytest.raises(BadRecord, match=reason):
        list(mat.read(text))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("(;GM[1])", "game 1: GM is 1; backgammon is GM.6."),
        ("(;GM[6];B[31qtsu])", "game 1: 31qtsu is no legal play"),
        ("(;GM[6];B[31];W[42hdfd])", "game 1: 31 is no legal play"),
        ("(;GM[6];B[33qtqtstst])", "game 1: 33 cannot be rolled"),
        ("(;GM[6];B[double])", "game 1: there is no double"),
        ("(;GM[6];B[31qtst];B[31qtst])", "is not by the player whose turn it is"),
        ("(;GM[6];B[hello])", "game 1: 'hello' is not a move; moves are written 31qtst"),
        ("(;GM[6];B[31qtst];AE[a:y])", "set up in the middle of the game"),
        ("(;GM[6];AE[a:y]AB[1])", "AB: '1' is not a place from a to z"),
        ("(;GM[6];CV[3])", "CV: '3' is not a value of the cube"),
        ("(;GM[6];AB[a])", "AB: more than 15 checkers"),
        ("(;GM[6]MI[length:x])", "tag Length: 'x' is not a number"),
        ("(;GM[6]", "the last game has no end"),
        ("(;GM[6]))", r"line 1, column 9: a game begins with \("),
        ("GM[6]", r"line 1, column 1: a game begins with \("),
        ("(GM[6])", r"a game begins with \(;"),
        ("(;[6])", "a value without the name of its property"),
        ("(;GM[6]\n 5)", "line 2, column 2: '5' has no meaning here"),
    ],
)
def test_what_sgf_cannot_mean(text: str, reason: str) -> None:
    with pytest.raises(BadRecord, match=reason):
        list(sgf.read(text))


@given(st.text(st.sampled_from("();[]\\BWGM6 31qt\n"), max_size=40))
def test_any_text_is_sgf_or_refused(text: str) -> None:
    for read in (main_lines, sgf.read):
        try:
            list(read(text))
        except BadRecord as error:
            assert str(error)


@given(st.lists(st.sampled_from([*MATCH.splitlines(), "", ";", " Game 2", "12: x"]), max_size=20))
def test_any_lines_are_mat_or_refused(lines: list[str]) -> None:
    try:
        list(mat.read("\n".join(lines)))
    except BadRecord as error:
        assert str(error).startswith("line ")


@pytest.mark.parametrize("room", [mat, sgf])
def test_a_file_that_is_not_there(room: Any, tmp_path: Path) -> None:
    with pytest.raises(BadRecord, match="cannot be read: No such file"):
        list(room.load(tmp_path / "none"))


# GNU Backgammon itself.


def asked(commands: Iterable[str], folder: Path) -> str:
    """What GNU Backgammon says to commands."""
    people = ("set player 0 human", "set player 1 human")
    (folder / "commands").write_text("\n".join((*people, *commands)))
    line = [GNUBG, "-t", "-q", "-c", str(folder / "commands")]
    said: str = processes.run(line, cwd=folder, env={"HOME": str(folder)}).stdout
    return said


@pytest.mark.skipif(GNUBG is None, reason="needs gnubg")
@pytest.mark.parametrize("turn", [1, -1])
def test_gnu_backgammon_reads_the_position_that_we_set_up(turn: int, tmp_path: Path) -> None:
    start = backgammon(cube=True).parse(UNLIKE.format(turn))
    (tmp_path / "ours.sgf").write_text(sgf.write([record([], start, cube=True)]))
    said = asked([f"load match {tmp_path / 'ours.sgf'}", "show board"], tmp_path)
    assert f"Position ID: {position_id(start)}" in said


@pytest.mark.skipif(GNUBG is None, reason="needs gnubg")
def test_gnu_backgammon_reads_what_we_write(tmp_path: Path) -> None:
    sides = [{"X": "Ann", "O": "Ben"}, {"X": "Ben", "O": "Ann"}]
    # What it reads from .mat is by its own rules for money, with the cube and Jacoby's.
    games = [random_record({"cube": True, "jacoby": True}, n, tags=sides[n % 2]) for n in range(4)]
    (tmp_path / "ours.mat").write_text(mat.write(games))
    (tmp_path / "ours.sgf").write_text(sgf.write(games))
    for command, name in (("import mat", "ours.mat"), ("load match", "ours.sgf")):
        commands = (
            f"{command} {tmp_path / name}",
            f"save match {tmp_path / 'theirs.sgf'}",
            f"export match mat {tmp_path / 'theirs.mat'}",
        )
        asked(commands, tmp_path)
        found = list(sgf.load(tmp_path / "theirs.sgf"))
        assert [each.actions for each in found] == [each.actions for each in games]
        for key in ("X", "O", "Result"):
            assert [each.tags[key] for each in found] == [each.tags[key] for each in games]
        # It does not say there that Jacoby's rule was in force.
        found = list(mat.load(tmp_path / "theirs.mat"))
        assert [each.actions for each in found] == [each.actions for each in games]
