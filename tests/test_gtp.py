"""Serving GTP: its grammar, its rules about turns and passes, its clocks."""

import io
import random
import sys
from collections.abc import Sequence
from typing import Any

import processes
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from threefold import ThreefoldError, game
from threefold.cli.main import main
from threefold.engine.historic import HISTORIC
from threefold.engine.limits import Limits
from threefold.engine.pacing import Pace, Plan, pace
from threefold.engine.running import Running
from threefold.engine.uncompiled import start_uncompiled
from threefold.protocols import move_chooser
from threefold.protocols.gtp import GtpServer
from threefold.protocols.gtp_clock import GtpClocks
from threefold.protocols.gtp_engine import GtpPlayer
from threefold.protocols.output import Output
from threefold.protocols.player import Budget, Turn
from threefold.protocols.points import board_rows, board_size, games_of_points
from threefold.rules.contract import MAX, MIN
from threefold.rules.game import Game


class FirstMove:
    """Stands in for the engine: needs no compiling."""

    def __init__(self, game: Game[Any]) -> None:
        self.game = game

    def forget(self) -> None:
        pass

    def get_ready(self, seconds: float) -> None:
        self.waited = seconds

    def choose(
        self, positions: Sequence[Any], pace: object, seed: int | None = None, **watching: object
    ) -> int:
        del pace, seed, watching
        return self.game.moves(positions[-1], positions[:-1])[0]


class Session:
    """A conversation with a server in this process."""

    def __init__(self, spec: str) -> None:
        self._said = io.StringIO()
        self._server = GtpServer(
            spec,
            Output(self._said),
            open_game=game,
            chooser=FirstMove,  # type: ignore[arg-type]
        )

    def ask(self, *lines: str) -> str:
        """All that is answered to some lines."""
        self._said.seek(0)
        self._said.truncate()
        self._server.serve(f"{line}\n" for line in lines)
        return self._said.getvalue()

    def __call__(self, line: str) -> str:
        """The text of the answer to a line that must be obeyed."""
        answer = self.ask(line)
        assert answer.startswith("="), f"{line}: {answer}"
        assert answer.endswith("\n\n")
        return answer[1:].strip()


def test_a_transcript() -> None:
    session = Session("tic-tac-toe")
    assert session.ask(
        "1 protocol_version",
        "# a comment alone, and an empty line",
        "",
        "  2\tname  # with a comment",
        "3",
        "known_command genmove",
        "known_command fly",
        "4 fly",
        "play black b2",
        "5 genmove White",
        "play black z9",
        "play black a1",
        "play b A1",
        "play green a2",
        "genmove",
        "showboard",
        "6 undo",
        "7 quit now",
        "8 quit",
        "name",
    ) == (
        "=1 2\n\n"
        "=2 Threefold\n\n"
        "?3 unknown command\n\n"
        "= true\n\n"
        "= false\n\n"
        "?4 unknown command\n\n"
        "=\n\n"
        "=5 a1\n\n"
        "? illegal move\n\n"
        "? illegal move\n\n"
        "? illegal move\n\n"
        "? invalid color or coordinate\n\n"
        "? syntax error\n\n"
        "=\n3 . . .\n2 . X .\n1 O . .\n  a b c\n\n"
        "=6\n\n"
        "?7 syntax error\n\n"
        "=8\n\n"
    )


def test_rules_that_fail_do_not_end_the_conversation(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> int:
        raise IndexError("out of\nrange")

    session = Session("tic-tac-toe")
    monkeypatch.setattr(FirstMove, "choose", fail)
    assert session.ask("1 genmove black", "2 name") == (
        "?1 IndexError: out of range\n\n=2 Threefold\n\n"
    )


@pytest.mark.parametrize("line", ["clear_board", "boardsize 3", "set_game Tic-tac-toe"])
def test_a_new_game_waits_for_the_compiler(monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    waited: list[float] = []
    monkeypatch.setattr(FirstMove, "get_ready", lambda _, seconds: waited.append(seconds))
    session = Session("tic-tac-toe")
    session("name")
    assert not waited, "who only asks for the name does not wait"
    session(line)
    assert len(waited) == 1


def test_control_characters_count_for_nothing() -> None:
    session = Session("tic-tac-toe")
    assert session.ask("1\x00 na\x07me\r") == "=1 Threefold\n\n"


def test_a_whole_game_to_its_score() -> None:
    session = Session("tic-tac-toe")
    assert "? cannot score" in session.ask("final_score")
    for color, point in zip("bwbwb", ("a1", "b1", "a2", "b2", "a3"), strict=True):
        assert session("gogui-rules_side_to_move") == {"b": "black", "w": "white"}[color]
        assert point in session("gogui-rules_legal_moves").split()
        session(f"play {color} {point}")
    assert session("final_score") == "B+1"
    assert session("gogui-rules_final_result").startswith("black wins")
    assert session("gogui-rules_legal_moves") == ""
    # A referee that waits for two passes gets them.
    assert session("genmove white") == "pass"
    session("play black pass")
    assert session.ask("play white c3").startswith("? illegal move")
    for _ in range(3):  # both passes, and the move before them
        session("undo")
    assert session("genmove b") != "pass"


def test_out_of_turn() -> None:
    session = Session("tic-tac-toe")
    assert session.ask("genmove white") == "? illegal move: it is black's turn\n\n"
    assert session.ask("reg_genmove white") == "? illegal move: it is black's turn\n\n"
    assert session("reg_genmove black") == session("reg_genmove black")
    assert session.ask("undo") == "? cannot undo\n\n"


@pytest.mark.parametrize("tell_passes", [True, False])
def test_othello_with_and_without_passes(tell_passes: bool) -> None:
    """A referee may say that a player passes, or leave out what can be no other way."""
    rules = game("othello(size=6)")
    rng = random.Random(3)
    session = Session("othello(size=6)")
    passes = 0
    for _ in range(10):
        session("clear_board")
        s = rules.initial()
        while moves := rules.moves(s):
            a = rng.choice(moves)
            text = rules.format_move(s, a)
            passes += text == "pass"
            if text != "pass" or tell_passes:
                session(f"play {'bw'[rules.player(s)]} {text}")
            s = rules.result(s, a)
        if text != "pass" or tell_passes:  # else the last pass is still to come
            margin = rules.utility(s)
            assert session("final_score") == (
                f"{'BW'[margin < 0]}+{abs(margin)}" if margin else "0"
            )
    assert passes


def test_undo_takes_a_pass_that_was_left_out_back_with_the_move() -> None:
    rules = game("othello(size=4)")
    rng = random.Random(1)
    for _ in range(100):
        s, session = rules.initial(), Session("othello(size=4)")
        while (moves := rules.moves(s)) and rules.format_move(s, moves[0]) != "pass":
            a = rng.choice(moves)
            session(f"play {'bw'[rules.player(s)]} {rules.format_move(s, a)}")
            s = rules.result(s, a)
        if not moves:
            continue
        board = session("showboard")
        other = "bw"[1 - rules.player(s)]
        assert session(f"genmove {other}") != "pass"
        assert session("showboard") != board
        session("undo")
        assert session("showboard") == board
        assert session("gogui-rules_legal_moves") == "pass"
        return
    pytest.fail("nobody ever had to pass")


def test_boards_of_other_sizes() -> None:
    session = Session("othello")
    session("boardsize 6")
    assert session("gogui-rules_board_size") == "6"
    assert len(session("gogui-rules_board").splitlines()) == 6
    for size in ("7", "1", "26", "99999999"):
        assert session.ask(f"boardsize {size}") == "? unacceptable size\n\n"
    for size in ("x", "-8", "6 6", ""):
        assert session.ask(f"boardsize {size}") == "? syntax error\n\n"
    assert session("gogui-rules_board_size") == "6"
    mnk = Session("mnk(m=4,n=5,k=3)")
    assert mnk.ask("gogui-rules_board_size") == "? the board is not square\n\n"
    mnk("boardsize 5")
    assert mnk("gogui-rules_board_size") == "5"
    assert Session("connect-four").ask("boardsize 9") == "? unacceptable size\n\n"


def test_another_game() -> None:
    session = Session("othello")
    assert session("gogui-rules_game_id") == "Othello"
    assert tuple(session("list_games").split()) == games_of_points()
    session("set_game Connect Four")
    assert session("gogui-rules_game_id") == "Connect Four"
    assert session("genmove b") == "1"
    assert session.ask("set_game Chess") == "? unknown game\n\n"


def test_the_board_for_gogui() -> None:
    """Highest row first: in Othello's own notation row 1 is at the top, here it is last."""
    rules = game("othello(size=4)")
    assert board_rows(rules, rules.parse("XO--------------  X".replace("  ", " "))) == [
        ". . . .",
        ". . . .",
        ". . . .",
        "X O . .",
    ]
    assert (board_size(rules), board_size(game("connect-four"))) == (4, None)


@pytest.mark.parametrize("spec", ["chess", "checkers", "nim", "kalah", "dice-nim"])
def test_games_whose_moves_name_no_point(spec: str) -> None:
    with pytest.raises(ThreefoldError, match="GTP is for games whose moves name a point"):
        Session(spec)


# Clocks.


def test_clocks() -> None:
    clocks = GtpClocks()
    assert clocks.pace(MAX) is None
    clocks.set(60, 0, 0)
    assert clocks.pace(MAX) == pace(60)
    clocks.spend(MAX, 20)
    assert (clocks.pace(MAX), clocks.pace(MIN)) == (pace(40), pace(60))
    clocks.correct(MIN, 7, 0)
    assert clocks.pace(MIN) == pace(7)


def test_clocks_with_periods() -> None:
    clocks = GtpClocks()
    clocks.set(10, 30, 5)
    assert clocks.pace(MAX) == pace(16, 6)
    clocks.spend(MAX, 11)
    assert clocks.pace(MAX) == pace(30, moves_to_go=5)
    clocks.spend(MAX, 10)
    assert clocks.pace(MAX) == pace(20, moves_to_go=4)
    for _ in range(4):
        clocks.spend(MAX, 1)
    assert clocks.pace(MAX) == pace(30, moves_to_go=5)


def test_clocks_that_allow_any_time() -> None:
    clocks = GtpClocks()
    clocks.set(0, 0, 0)
    assert clocks.pace(MAX) is None
    clocks.set(60, 10, 0)
    assert clocks.pace(MAX) is None
    clocks.spend(MAX, 100)
    clocks.correct(MAX, 5, 2)
    assert clocks.pace(MAX) == pace(5, moves_to_go=2)


# Whatever is said to it.

WORDS = st.sampled_from(
    [
        *(
            "play",
            "genmove",
            "reg_genmove",
            "undo",
            "showboard",
            "boardsize",
            "clear_board",
            "komi",
        ),
        *("time_settings", "time_left", "final_score", "set_game", "list_commands", "quit", "name"),
        *("gogui-rules_board", "gogui-rules_legal_moves", "known_command", "black", "white", "b"),
        *(
            "a1",
            "B2",
            "c3",
            "pass",
            "resign",
            "0",
            "3",
            "4",
            "-1",
            "1e9",
            "6.5",
            "tic-tac-toe",
            "#",
        ),
    ]
)
LINES = st.one_of(
    st.lists(WORDS, max_size=5).map(" ".join),
    st.text(max_size=30),
    st.tuples(st.integers(0, 10**12), WORDS, WORDS).map(lambda words: " ".join(map(str, words))),
)


@settings(max_examples=100)
@given(st.lists(LINES, max_size=30))
def test_whatever_is_said_gets_one_answer_each(lines: list[str]) -> None:
    """And what is on the board is always a position of the game."""
    session = Session("tic-tac-toe")
    for line in lines:
        for part in line.splitlines() or [""]:
            said = session.ask(part)
            assert said == "" or said[0] in "=?"
            assert said == "" or said.count("\n\n") == 1
            assert said == "" or said.endswith("\n\n")
    assert session("gogui-rules_side_to_move") in ("black", "white")
    legal = session("gogui-rules_legal_moves").split()
    if legal:
        assert session(f"genmove {session('gogui-rules_side_to_move')}") in legal


# The clock of our own moves.


class Compiling:
    """A search that is not compiled before its time is up; waiting is a matter of the clock."""

    failure = ""

    def __init__(self, clock: list[float]) -> None:
        self._clock = clock

    def is_over(self, seconds: float) -> bool:
        self._clock[0] += seconds
        return False


def test_waiting_for_the_compiler_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, taken = [0.0], list[float]()

    def search(rules: Game[Any], s: Any, limits: Limits, **_: object) -> Running[Any]:
        assert limits.time is not None
        taken.append(limits.time)
        return start_uncompiled(rules, s, Limits(depth=2))

    monkeypatch.setattr("threefold.engine.pacing.time.perf_counter", lambda: clock[0])
    monkeypatch.setattr(move_chooser, "Loading", lambda _: Compiling(clock))
    monkeypatch.setattr(move_chooser, "start_uncompiled", search)
    rules = game("tic-tac-toe")
    chooser = move_chooser.MoveChooser(rules, Limits(depth=2))
    assert chooser.choose([rules.initial()], pace(10.0)) in rules.moves(rules.initial())
    assert clock[0] > 0
    assert clock[0] + taken[0] == pytest.approx(pace(10.0).optimum)


def test_a_level_keeps_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """It stops when its own time is up, or that of the move."""
    paces: list[Pace | None] = []
    think = Plan.think

    def noted(plan: Plan, *arguments: Any, **options: Any) -> Any:
        paces.append(plan._pace)
        return think(plan, *arguments, **options)

    monkeypatch.setattr(Plan, "think", noted)
    rules = game("tic-tac-toe")
    chooser = move_chooser.MoveChooser(rules, Limits(), "10")
    chooser.get_ready(300)
    chooser.choose([rules.initial()], pace(5.0), seed=0)
    assert paces == [pace(5.0)]


def test_a_program_of_the_past_plays_its_own_game_only() -> None:
    with pytest.raises(ThreefoldError, match="only, not tic-tac-toe"):
        move_chooser.MoveChooser(game("tic-tac-toe"), Limits(), next(iter(HISTORIC)))


# The program itself.


def test_one_threefold_plays_another() -> None:
    """`threefold gtp`, driven by our own client, at a level and by a clock."""
    rules = game("tic-tac-toe")
    command = f"{sys.executable} -m threefold gtp --game othello"
    level = GtpPlayer(rules, Budget(depth=1), f"{command} --level 5")
    clock = GtpPlayer(rules, Budget(base=30), command)
    try:
        positions = [rules.initial()]
        moves: list[int] = []
        for player in (level, clock):
            player.prepare()
            player.begin(positions[0], 0)
        while not rules.outcome(positions):
            player = (level, clock)[rules.player(positions[-1])]
            reply = player.choose(Turn(positions, moves, (30.0, 30.0)))
            moves.append(reply.move)
            positions.append(rules.result(positions[-1], reply.move))
        assert level.about["name"] == "Threefold"
        assert rules.utility(positions[-1]) == 0
    finally:
        level.close()
        clock.close()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--game", "chess"], "GTP is for games whose moves name a point"),
        (["--game", "bridge"], "GTP is for games whose moves name a point"),
        (["--level", "99"], "level '99' is neither a number from 1 to 10 nor"),
        (["--level", "human"], "level 'human' is neither a number from 1 to 10 nor"),
        (["--level", "eazy"], "there is no level 'eazy': did you mean easy?"),
        (["--level", "3", "--depth", "2"], "--level has its own limits"),
        (["--time", "-1"], "--time -1.0 is not a number of seconds above 0"),
        (["--eval", "magic"], "Othello has no evaluation 'magic'"),
    ],
)
def test_wrong_options(
    capsys: pytest.CaptureFixture[str], arguments: list[str], complaint: str
) -> None:
    assert main(["gtp", *arguments]) == 2
    said = capsys.readouterr()
    assert complaint in said.err
    assert said.err.count("\n") == 1
    assert said.out == ""


def test_the_end_of_the_input_ends_it() -> None:
    done = processes.run([*processes.THREEFOLD, "gtp"], input="1 name")
    assert (done.returncode, done.stdout, done.stderr) == (0, "=1 Threefold\n\n", "")
