"""Serving XBoard's protocol: its commands, whole games, and whatever else a GUI may send."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import chess
import chess.engine
import processes
import pytest
from conversation import Conversation, play_by_the_clock, ready_thinker
from hypothesis import given, settings
from hypothesis import strategies as st

from threefold import game
from threefold.protocols.thinking import Thinker
from threefold.protocols.xboard import XBoardServer

#: How lines begin that show what was found at some depth; any single depth may be skipped.
DEEP = tuple(f"{depth} " for depth in range(5, 127))
MATE_IN_ONE = "6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1"


@pytest.fixture(scope="module")
def thinker() -> Thinker:
    """One for all: its search is loaded once."""
    return ready_thinker()


@pytest.fixture
def gui(thinker: Thinker) -> Iterator[Conversation]:
    thinker.use(megabytes=1, threads=1)
    with Conversation(XBoardServer, thinker) as conversation:
        conversation.say("xboard", "new", "sd 2")
        yield conversation


def move(lines: list[str]) -> str:
    assert lines[-1].startswith("move ")
    return lines[-1].removeprefix("move ")


def quiet(gui: Conversation) -> list[str]:
    """What is said up to now; nothing more comes before the next command."""
    return gui.ask("ping 77", "pong 77")[:-1]


def test_it_declares_its_features(gui: Conversation) -> None:
    lines = gui.ask("protover 2", "feature done=1")
    told = " ".join(lines)
    for feature in ("setboard=1", "ping=1", "usermove=1", "analyze=1", "memory=1", "smp=1"):
        assert feature in told
    assert 'variants="normal,fischerandom"' in told
    assert 'option="Move Overhead -spin 50 0 5000"' in told
    assert 'option="UCI_LimitStrength -check 0"' in told


def test_it_plays_black_after_new(gui: Conversation) -> None:
    board = chess.Board()
    for _ in range(3):
        ours = next(iter(board.legal_moves))
        board.push(ours)
        board.push_uci(move(gui.ask(f"usermove {ours.uci()}", "move")))


def test_it_plays_the_side_to_move_after_go(gui: Conversation) -> None:
    gui.say("force", "usermove e2e4", "usermove e7e5")
    board = chess.Board()
    board.push_uci("e2e4")
    board.push_uci("e7e5")
    board.push_uci(move(gui.ask("go", "move")))
    board.push_uci("a7a6")
    board.push_uci(move(gui.ask("a7a6", "move")))  # without usermove, as in version 1


def test_it_plays_the_other_side_after_playother(gui: Conversation) -> None:
    gui.say("force", "usermove e2e4", "playother")
    assert quiet(gui) == []
    assert move(gui.ask("usermove e7e5", "move"))


def test_it_makes_no_move_by_force(gui: Conversation) -> None:
    gui.say("force", "usermove e2e4", "usermove e7e5", "usermove g1f3")
    assert quiet(gui) == []


def test_thinking_is_abandoned_by_force(gui: Conversation) -> None:
    gui.say("new", "level 0 1000 0", "usermove e2e4", "force")
    assert quiet(gui) == []
    assert gui.server._so_far.moves == [gui.server._so_far.moves[0]]


def test_a_pong_waits_for_the_move(gui: Conversation) -> None:
    gui.say("usermove e2e4", "ping 5")
    heard = gui.hear("pong 5")
    assert [line.split()[0] for line in heard] == ["move", "pong"]


def test_nobody_else_makes_its_move(gui: Conversation) -> None:
    gui.say("sd 100", "st 1000", "usermove e2e4", "usermove e7e5")
    assert gui.hear("Error")[-1] == "Error (command not legal now): usermove"
    board = chess.Board()
    board.push_uci("e2e4")
    assert chess.Move.from_uci(move(gui.ask("?", "move"))) in board.legal_moves


@pytest.mark.parametrize(
    ("lines", "made"),
    [(["setboard " + chess.STARTING_FEN], 0), (["undo", "undo"], 1), (["remove"], 1), ([], 2)],
)
def test_a_session_counts_the_moves_of_this_game(
    gui: Conversation, lines: list[str], made: int
) -> None:
    gui.say("force", *(f"usermove {text}" for text in ("e2e4", "e7e5", "g1f3", "b8c6")))
    gui.say("level 40 5 0", *lines)
    assert quiet(gui) == []
    assert gui.server._before_session == made


def test_it_moves_now_when_told(gui: Conversation) -> None:
    gui.say("new", "level 0 10000 0", "usermove e2e4")
    assert move(gui.ask("?", "move"))
    gui.say("?")  # and ignores that where it does not think
    assert quiet(gui) == []


def test_moves_are_taken_back(gui: Conversation) -> None:
    gui.say("force", "usermove e2e4", "usermove e7e5", "undo", "usermove c7c5")
    gui.say("usermove g1f3", "remove", "usermove d7d5")
    assert quiet(gui) == []
    board = chess.Board()
    board.push_uci("e2e4")
    board.push_uci("d7d5")
    assert game("chess").format(gui.server._so_far.position).split()[0] == board.board_fen()
    gui.say("new", "force", "undo")
    assert "there is no move to take back" in gui.hear("Error")[-1]


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("usermove e2e5", "Illegal move (e2e5"),
        ("usermove nonsense", "Illegal move ("),
        ("setboard 8/8/8/8/8/8/8/8 w - - 0 1", "tellusererror Illegal position"),
        ("setboard", "tellusererror Illegal position"),
        ("nonsense", "Error (unknown command): nonsense"),
        ("level", "Error (it is written level"),
        ("level 40 five 0", "Error ('five' is not a number from 0 to a billion"),
        ("st", "Error ('' is not a number"),
        ("st never", "Error ('never' is not a number"),
        ("st nan", "Error ('nan' is not a number"),
        ("st 1e3", "Error ('1e3' is not a number"),
        ("sd", "Error ('' is not a number"),
        ("time x", "Error ('x' is not a whole number"),
        ("nps fast", "Error ('fast' is not a whole number"),
        ("memory x", "Error ('x' is not a whole number"),
        ("cores x", "Error ('x' is not a whole number"),
        ("variant crazyhouse", "Error (the variants are normal, fischerandom"),
        ("option Nonsense=1", "Error (the options are"),
        ("option UCI_Elo=9999", "Error (UCI_Elo is a whole number"),
    ],
)
def test_bad_input_is_named_and_changes_nothing(gui: Conversation, line: str, answer: str) -> None:
    gui.say("force", "usermove e2e4")
    before = gui.ask("ping 1", "pong 1") and list(gui.server._so_far.moves)
    gui.say(line)
    (heard,) = quiet(gui)
    assert heard.startswith(answer.split("(")[0])
    assert answer.split("(")[-1] in heard
    assert gui.server._so_far.moves == before


@pytest.mark.parametrize(
    ("line", "seconds", "to_go"),
    [
        ("level 40 5 0", 300, 40),
        ("level 0 2 12", 120, None),
        ("level 0 0:30 0.5", 30, None),
        ("level 20 1:30 0", 90, 20),
    ],
)
def test_every_form_of_level_is_understood(
    gui: Conversation, monkeypatch: pytest.MonkeyPatch, line: str, seconds: float, to_go: int | None
) -> None:
    asked: list[tuple[Any, ...]] = []
    plain = Thinker.pace
    monkeypatch.setattr(
        Thinker,
        "pace",
        lambda self, *given: asked.append(given) or plain(self, *given),  # type: ignore[func-returns-value]
    )
    gui.say(line, "usermove e2e4")
    move(gui.hear("move"))
    gui.say("time 1234", "otim 1000", "usermove d2d4")
    move(gui.hear("move"))
    increment = float(line.split()[-1])
    assert asked == [
        (seconds, increment, to_go),
        (12.34, increment, None if to_go is None else to_go - 1),
    ]


def test_a_time_for_each_move_is_kept(gui: Conversation, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []
    plain = Thinker.fixed_pace
    monkeypatch.setattr(
        Thinker,
        "fixed_pace",
        lambda self, each: asked.append(each) or plain(self, each),  # type: ignore[func-returns-value]
    )
    gui.say("st 0.5", "usermove e2e4")
    move(gui.hear("move"))
    gui.say("level 0 5 0", "usermove d2d4")
    move(gui.hear("move"))
    assert asked == [0.5]


def test_thinking_is_shown_when_asked_for(gui: Conversation) -> None:
    heard = gui.ask("usermove e2e4", "move")
    assert len(heard) == 1
    gui.say("post")
    heard = gui.ask("usermove d2d4", "move")
    depth, score, centiseconds, nodes, *pv = heard[-2].split()
    assert int(depth) == 2
    assert abs(int(score)) < 500
    assert int(centiseconds) >= 0
    assert int(nodes) > 0
    assert pv[0] == move(heard)
    gui.say("nopost")
    assert len(gui.ask("usermove b1c3", "move")) == 1


def test_mates_are_shown_and_the_end_is_told(gui: Conversation) -> None:
    gui.say("post", f"setboard {MATE_IN_ONE}")
    gui.say("go")
    heard = gui.hear("1-0")
    assert heard[-3].split()[1] == "100001"
    assert heard[-2] == "move d1d8"
    assert "mates" in heard[-1]
    assert gui.ask("go", "1-0")  # there is nothing to move


def test_stalemate_is_told(gui: Conversation) -> None:
    gui.say("force", "setboard 7k/8/6K1/8/8/8/8/5Q2 w - - 0 1")
    assert "Stalemate" in gui.ask("usermove f1f7", "1/2-1/2")[-1]


def test_it_ponders_and_hits(gui: Conversation) -> None:
    gui.say("sd 4", "hard", "usermove e2e4")
    board = chess.Board()
    board.push_uci("e2e4")
    board.push_uci(move(gui.hear("move")))
    expected = gui.ask("hint", "Hint:")[-1].split()[1]
    assert chess.Move.from_uci(expected) in board.legal_moves
    board.push_uci(expected)
    board.push_uci(move(gui.ask(f"usermove {expected}", "move")))
    guess = gui.ask("hint", "Hint:")[-1].split()[1]
    other = next(m for m in board.legal_moves if m.uci() != guess)
    board.push(other)
    board.push_uci(move(gui.ask(f"usermove {other.uci()}", "move")))
    gui.say("easy", "hint")
    assert quiet(gui) == []


def test_it_analyzes(gui: Conversation) -> None:
    gui.say("post", "analyze")
    gui.hear(*DEEP)
    assert gui.ask(".", "stat01:")[-1].split()[-1] == "20"
    gui.say("usermove e2e4")
    quiet(gui)
    first = gui.hear(*DEEP)[-1].split()[4]
    assert first[1] in "78"  # black's move
    gui.say("undo")
    quiet(gui)
    assert gui.hear(*DEEP)[-1].split()[4][1] in "12"
    gui.say("exit")
    gui.ask("ping 3", "pong 3")
    assert quiet(gui) == []
    assert gui.server._so_far.moves == []


def test_chess960_castles_in_letters(gui: Conversation) -> None:
    gui.say("variant fischerandom", "force", "setboard k7/8/8/8/8/8/8/1K3R2 w F - 0 1")
    gui.say("usermove O-O", "usermove a8a7")
    assert quiet(gui) == []
    assert game("chess").format(gui.server._so_far.position).startswith("8/k7/8/8/8/8/8/5RK1 w")
    gui.say("new")
    quiet(gui)
    assert not gui.server._thinker.chess960


def test_memory_and_cores_are_set(gui: Conversation) -> None:
    gui.say("memory 2", "cores 2", "option Move Overhead=10", "option UCI_LimitStrength=1")
    assert quiet(gui) == []
    thinker: Thinker = gui.server._thinker
    assert (thinker.megabytes, thinker.threads, thinker.overhead) == (2, 2, 0.01)
    assert gui.server._options.elo is not None
    thinker.overhead = 0.05


COMMANDS = st.sampled_from(
    [
        "new",
        "force",
        "go",
        "playother",
        "usermove e2e4",
        "usermove e7e5",
        "usermove d2d4",
        "e1g1",
        "usermove zz",
        "undo",
        "remove",
        "hard",
        "easy",
        "post",
        "nopost",
        "?",
        "analyze",
        "exit",
        ".",
        "hint",
        "bk",
        "draw",
        "result 1-0 {over}",
        "level 0 0:01 0",
        "level 40 0:02 0.01",
        "st 0.01",
        "sd 2",
        "sd 1",
        "nps 100",
        "nps -1",
        "time 5",
        "otim 50",
        "time -5",
        "random",
        "computer",
        f"setboard {MATE_IN_ONE}",
        "setboard nonsense",
        "variant fischerandom",
        "variant normal",
        "",
        "protover 2",
        "accepted ping",
        "memory 1",
        "ping 1",
        "name me",
        "rating 1 2",
    ]
)
GARBAGE = st.text(max_size=30).map(lambda text: " ".join(text.split()))


LINES = st.lists(COMMANDS | GARBAGE, max_size=30)


@given(LINES)
@settings(max_examples=40)
def test_it_survives_whatever_it_is_told(thinker: Thinker, lines: list[str]) -> None:
    check_game(thinker, lines)


@pytest.mark.slow
@given(LINES)
@settings(max_examples=1000)
def test_it_survives_much_more(thinker: Thinker, lines: list[str]) -> None:
    check_game(thinker, lines)


def check_game(thinker: Thinker, lines: list[str]) -> None:
    """Every ping has its pong, and the game is always a legal one."""
    thinker.use(megabytes=1, threads=1)
    lines = [line for line in lines if line.split()[:1] != ["quit"]]
    with Conversation(XBoardServer, thinker) as gui:
        gui.say("st 0.01", *lines, "force")
        heard = gui.ask("ping 4711", "pong 4711")
        so_far = gui.server._so_far
    pings = [line.split()[1] for line in lines if line.split()[:1] == ["ping"]]
    assert [line.split()[1] for line in heard if line.startswith("pong")] == [*pings, "4711"]
    chess_game = so_far.game
    board = chess.Board(chess_game.format(so_far.positions[0]), chess960=True)
    for s, a in zip(so_far.positions, so_far.moves, strict=False):
        board.push_uci(game("chess(chess960=true)").format_move(s, a))
    assert chess_game.format(so_far.position).split()[0] == board.board_fen()


# As a program.


@contextmanager
def program() -> Iterator[chess.engine.SimpleEngine]:
    command = [*processes.THREEFOLD, "xboard"]
    engine = chess.engine.SimpleEngine.popen_xboard(command, timeout=60, start_new_session=True)
    with engine, processes.guarded(engine.transport.get_pid()):
        yield engine


@pytest.mark.parametrize(
    ("board", "limit"),
    [
        (chess.Board(), chess.engine.Limit(nodes=300)),
        (chess.Board.from_chess960_pos(123), chess.engine.Limit(depth=2)),
    ],
    ids=["chess", "chess960"],
)
def test_it_plays_whole_games(board: chess.Board, limit: chess.engine.Limit) -> None:
    with program() as engine:
        while not board.is_game_over(claim_draw=True) and board.ply() < 120:
            played = engine.play(board, limit, info=chess.engine.INFO_ALL)
            assert played.move is not None
            assert played.move in board.legal_moves
            board.push(played.move)


def test_it_plays_and_ponders_by_the_clock() -> None:
    with program() as engine:
        board = play_by_the_clock(engine)
        assert engine.analyse(board, chess.engine.Limit(depth=3))["pv"]


def test_the_end_of_the_input_is_the_end() -> None:
    done = processes.run([*processes.THREEFOLD, "xboard"], input="protover 2\nanalyze\n")
    assert done.returncode == 0
    assert done.stdout.startswith("feature done=0\n"), "a GUI waits no longer than for this"
    assert "done=1" in done.stdout
    assert done.stderr == ""
