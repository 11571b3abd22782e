"""Serving UCI: the protocol to the letter, whole games, and whatever else a GUI may send."""

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import chess
import chess.engine
import processes
import pytest
from conversation import Conversation, ready_thinker
from hypothesis import given, settings
from hypothesis import strategies as st

from threefold import game
from threefold.engine.analysis import Engine
from threefold.engine.limits import Limits
from threefold.protocols.game_so_far import GameSoFar
from threefold.protocols.output import Output
from threefold.protocols.strength import RATINGS
from threefold.protocols.thinking import Thinker
from threefold.protocols.uci import UciServer

#: How lines begin that tell of a deep search; any single depth may be skipped.
DEEP = tuple(f"info depth {depth} " for depth in range(4, 127))
MATE_IN_TWO = "r1bq2r1/b4pk1/p1pp1p2/1p2pP2/1P2P1PB/3P4/1PPQ2P1/R3K2R w - - 0 1"
STALEMATE = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"
CHECKMATED = "3R2k1/5ppp/8/8/8/8/8/K7 b - - 0 1"
BARE_KINGS = "7k/8/8/8/8/8/8/K7 w - - 0 1"
MATE_IN_ONE = "6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1"
CAPTURES = "7k/8/8/3q4/4P3/8/8/K7 w - - 0 1"


@pytest.fixture(scope="module")
def thinker() -> Thinker:
    """One for all: its search is loaded once."""
    return ready_thinker()


@pytest.fixture
def gui(thinker: Thinker) -> Iterator[Conversation]:
    thinker.use(megabytes=1, threads=1)
    thinker.chess960 = False
    with Conversation(UciServer, thinker) as conversation:
        yield conversation


def best(lines: list[str]) -> str:
    assert lines[-1].startswith("bestmove ")
    return lines[-1].split()[1]


def infos(lines: list[str]) -> list[dict[str, str]]:
    """The `info` lines with a line of play, by their parameters."""
    found = []
    for line in lines:
        head, pv, moves = line.partition(" pv ")
        if head.startswith("info depth") and pv:
            words = head.replace("score ", "").split()[1:]
            if "wdl" in words:
                at = words.index("wdl")
                words[at + 1 : at + 4] = ["/".join(words[at + 1 : at + 4])]
            found.append({**dict(zip(words[::2], words[1::2], strict=True)), "pv": moves})
    return found


# Handshake and options.


def test_it_introduces_itself(gui: Conversation) -> None:
    lines = gui.ask("uci", "uciok")
    assert lines[0].startswith("id name Threefold")
    assert lines[1].startswith("id author ")
    names = {re.match(r"option name (.+) type \w+", line)[1] for line in lines[2:-1]}  # type: ignore[index]
    assert names >= {
        "Hash", "Clear Hash", "Threads", "MultiPV", "Ponder", "UCI_Chess960", "UCI_LimitStrength",
        "UCI_Elo", "UCI_ShowWDL", "EvalFile", "Move Overhead", "UCI_EngineAbout",
    }  # fmt: skip


def test_it_is_ready_also_while_it_thinks(gui: Conversation) -> None:
    gui.say("position startpos", "go infinite")
    assert gui.ask("isready", "readyok")[-1] == "readyok"
    assert best(gui.ask("stop", "bestmove"))


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("setoption name Hash value many", "Hash is a whole number from 1 to"),
        ("setoption name Hash value 0", "Hash is a whole number from 1 to"),
        ("setoption name Threads value 100000", "Threads is a whole number from 1 to 256"),
        ("setoption name UCI_Chess960 value maybe", "UCI_Chess960 is true or false"),
        ("setoption name Nonsense value 1", "there is no option 'Nonsense'"),
        ("setoption Hash 16", "setoption is written"),
        ("setoption name EvalFile value /nowhere/at/all", "cannot be read"),
        ("position", "position is written"),
        ("position fen 8/8/8/8 w - - 0 1", "8 ranks"),
        ("position startpos moves e2e5", "info string e2e5 is illegal: the pawn on e2"),
        (f"position startpos moves {'x' * 100}", "x...' is not a legal move"),
        ("position startpos moves e2e4 0000", "'0000' is not a legal move"),
    ],
)
def test_bad_input_is_reported_and_changes_nothing(
    gui: Conversation, line: str, complaint: str
) -> None:
    gui.say(f"position fen {CAPTURES}", line)
    assert complaint in gui.hear("info string")[-1]
    assert best(gui.ask("go depth 2", "bestmove")) == "e4d5"


def test_unknown_words_are_skipped(gui: Conversation) -> None:
    assert gui.ask("joho isready", "readyok") == ["readyok"]
    gui.say("debug on", "abracadabra")
    assert "there is no command 'abracadabra'" in gui.hear("info string")[-1]


# Thinking.


def test_info_lines_have_what_guis_show(gui: Conversation) -> None:
    gui.say("position startpos moves e2e4")
    lines = gui.ask("go depth 5", "bestmove")
    found = infos(lines)
    depths = [int(info["depth"]) for info in found]
    assert depths == sorted(depths)
    assert depths[-1] == 5
    last = found[-1]
    assert last.keys() == {
        "depth", "seldepth", "multipv", "cp", "nodes", "nps", "hashfull", "time", "pv",
    }  # fmt: skip
    board = chess.Board()
    board.push_uci("e2e4")
    for move in last["pv"].split():
        board.push_uci(move)
    played, word, expected = lines[-1].split()[1:]
    assert [played, word, expected] == [last["pv"].split()[0], "ponder", last["pv"].split()[1]]


def test_several_lines_are_the_best_moves_in_order(gui: Conversation) -> None:
    gui.say("setoption name MultiPV value 4", f"position fen {CAPTURES}")
    last = infos(gui.ask("go depth 4", "bestmove"))[-4:]
    assert [info["multipv"] for info in last] == ["1", "2", "3", "4"]
    assert len({info["pv"].split()[0] for info in last}) == 4
    values = [int(info["cp"]) for info in last if "cp" in info]
    assert values == sorted(values, reverse=True)


def test_only_the_moves_asked_for_are_searched(gui: Conversation) -> None:
    gui.say("position startpos")
    assert best(gui.ask("go depth 3 searchmoves a2a3", "bestmove")) == "a2a3"
    assert best(gui.ask("go searchmoves h2h4 b2b3 depth 3", "bestmove")) in {"h2h4", "b2b3"}
    lines = gui.ask("go searchmoves e2e5 depth 2", "bestmove")
    assert "searchmoves: e2e5 is illegal" in lines[0]
    assert chess.Move.from_uci(best(lines)) in chess.Board().legal_moves


def test_a_mate_is_found_and_told(gui: Conversation) -> None:
    gui.say(f"position fen {MATE_IN_TWO}")
    lines = gui.ask("go mate 2", "bestmove")
    last = infos(lines)[-1]
    assert last["mate"] == "2"
    board = chess.Board(MATE_IN_TWO)
    board.push_uci(best(lines))
    for answer in list(board.legal_moves):
        board.push(answer)
        assert any(is_mate(board, move) for move in list(board.legal_moves))
        board.pop()
    gui.say("position startpos")
    assert best(gui.ask("go mate 1", "bestmove"))  # there is none, and it says so in the end


def is_mate(board: chess.Board, move: chess.Move) -> bool:
    board.push(move)
    mate = board.is_checkmate()
    board.pop()
    return mate


def test_nodes_are_limited(gui: Conversation) -> None:
    gui.say("position startpos", "ucinewgame")
    nodes = int(infos(gui.ask("go nodes 3000", "bestmove"))[-1]["nodes"])
    assert nodes <= 3000 + 100


def test_games_with_a_node_limit_are_the_same_again(gui: Conversation) -> None:
    def line() -> dict[str, str]:
        gui.say("ucinewgame", "position startpos moves d2d4 d7d5")
        return {**infos(gui.ask("go nodes 5000", "bestmove"))[-1], "time": "", "nps": ""}

    assert line() == line()


@pytest.mark.parametrize(
    ("fen", "answer"), [(STALEMATE, "score cp 0"), (CHECKMATED, "score mate 0")]
)
def test_a_game_that_is_over_has_no_move(gui: Conversation, fen: str, answer: str) -> None:
    gui.say(f"position fen {fen}")
    lines = gui.ask("go movetime 10", "bestmove")
    assert lines == [f"info depth 0 {answer}", "bestmove (none)"]


def test_a_drawn_game_goes_on_if_the_gui_wants(gui: Conversation) -> None:
    gui.say(f"position fen {BARE_KINGS} moves a1a2 h8h7")
    board = chess.Board(BARE_KINGS)
    board.push_uci("a1a2")
    board.push_uci("h8h7")
    assert chess.Move.from_uci(best(gui.ask("go movetime 20", "bestmove"))) in board.legal_moves


def test_repetition_counts_from_the_start_of_the_game(gui: Conversation) -> None:
    """White is a rook up, and the rook has been on a2 before."""
    position = "position fen 6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"
    gui.say(position)
    ahead = infos(gui.ask("go depth 4 searchmoves a1a2", "bestmove"))
    assert int(ahead[-1]["cp"]) > 300
    gui.say(f"{position} moves a1a2 g8f8 a2a1 f8g8")
    again = infos(gui.ask("go depth 4 searchmoves a1a2", "bestmove"))
    assert again[-1]["cp"] == "0"


def test_an_answer_is_held_back_until_the_stop(gui: Conversation) -> None:
    """Although the search is over: the only move, a proof."""
    gui.say(f"position fen {MATE_IN_TWO}", "go infinite")
    gui.hear(*DEEP)
    heard = gui.ask("isready", "readyok")
    assert not any(line.startswith("bestmove") for line in heard)
    assert best(gui.ask("stop", "bestmove"))


def test_a_stop_before_the_first_depth_is_answered_sensibly(
    gui: Conversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not by whatever legal move comes first."""
    monkeypatch.setattr("threefold.engine.analysis.Searcher.deepen", lambda *_: None)
    monkeypatch.setattr("threefold.protocols.thinking._FIRST_SIGHT", 60.0)
    gui.say(f"position fen {MATE_IN_ONE}", "go infinite")
    assert best(gui.ask("stop", "bestmove")) == "d1d8"


def test_settings_take_effect_before_the_next_search(gui: Conversation, thinker: Thinker) -> None:
    """What they need is not made on the clock of a move."""
    for line in ("setoption name Hash value 3", "setoption name Threads value 2", "ucinewgame"):
        gui.say(line)
        gui.ask("isready", "readyok")
        assert thinker._engine is not None
    engine = thinker._engine
    assert isinstance(engine, Engine)
    assert (engine.megabytes, engine.threads) == (3, 2)
    gui.ask("go depth 1", "bestmove")
    assert thinker._engine is engine


def test_a_table_that_does_not_fit_changes_nothing(
    gui: Conversation, thinker: Thinker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr("threefold.engine.analysis.new_table", fail)
        assert "no memory for a table of 7 MB" in gui.ask("setoption name Hash value 7", "info")[-1]
    assert thinker.megabytes == 1
    assert best(gui.ask("go depth 1", "bestmove"))


def test_pondering_ends_with_the_hit(gui: Conversation) -> None:
    gui.say("position startpos moves e2e4 e7e5")
    gui.say("go ponder wtime 1000 btime 1000")
    gui.hear(*DEEP)
    assert best(gui.ask("ponderhit", "bestmove"))
    gui.say("go ponder wtime 1000 btime 1000")
    assert best(gui.ask("stop", "bestmove"))


def test_every_go_has_one_answer(gui: Conversation) -> None:
    gui.say("position startpos", "go infinite", "go infinite", "go ponder", "go depth 1", "stop")
    for _ in range(4):
        assert best(gui.hear("bestmove"))
    gui.say("stop", "ponderhit", "stop")
    assert gui.ask("isready", "readyok") == ["readyok"]


@pytest.mark.parametrize(
    "clock",
    [
        "wtime 1 btime 1",
        "wtime -50 btime 1000",
        "wtime 60 btime 60 winc 10 binc 10",
        "btime 60",
        "wtime 300 movestogo 1",
        "wtime 300 movestogo 0",
        "wtime 99999999999999999999999999 movetime 1",
        "movetime 0",
        "wtime movetime 5",
    ],
)
def test_strange_clocks_are_answered(gui: Conversation, clock: str) -> None:
    gui.say("position startpos")
    board = chess.Board()
    assert chess.Move.from_uci(best(gui.ask(f"go {clock}", "bestmove"))) in board.legal_moves


def test_chess960_castles_by_taking_the_rook(gui: Conversation) -> None:
    fen = "k7/8/8/8/8/8/8/4K2R w K - 0 1"
    gui.say(f"position fen {fen}")
    assert best(gui.ask("go depth 1 searchmoves e1g1", "bestmove")) == "e1g1"
    gui.say("setoption name UCI_Chess960 value true", f"position fen {fen}")
    assert best(gui.ask("go depth 1 searchmoves e1h1", "bestmove")) == "e1h1"
    gui.say("position fen k7/8/8/8/8/8/8/1K3R2 w F - 0 1 moves b1f1 a8a7")
    assert best(gui.ask("go depth 1", "bestmove"))


def test_long_games_are_read_once(gui: Conversation) -> None:
    rng, board = random.Random(7), chess.Board()
    while board.ply() < 300 and not board.is_game_over():
        board.push(rng.choice(list(board.legal_moves)))
    moves = [move.uci() for move in board.move_stack]
    server: UciServer = gui.server
    read: list[str] = []
    plain = GameSoFar.read

    def noted(so_far: GameSoFar, text: str) -> int:
        read.append(text)
        return plain(so_far, text)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(GameSoFar, "read", noted)
        for end in (-3, -2, -1):
            gui.say(f"position startpos moves {' '.join(moves[:end])}")
        gui.ask("isready", "readyok")
    assert len(read) == len(moves) - 1
    board.pop()
    assert game("chess").format(server._so_far.position).split()[0] == board.board_fen()


# Strength, evaluation, chances.


def test_a_weak_player_looks_less_far(gui: Conversation) -> None:
    gui.say("setoption name UCI_LimitStrength value true", "position startpos")
    gui.say("setoption name UCI_Elo value 1300")
    depths = {info["depth"] for info in infos(gui.ask("go movetime 1000", "bestmove"))}
    assert depths <= {"1", "2", "3"}


def test_weak_players_slip(gui: Conversation, monkeypatch: pytest.MonkeyPatch) -> None:
    gui.say("setoption name UCI_LimitStrength value true")
    gui.say(f"setoption name UCI_Elo value {RATINGS[0]}", f"position fen {CAPTURES}")
    played = {best(gui.ask("go depth 1", "bestmove")) for _ in range(40)}
    assert played > {"e4d5"}


@pytest.mark.parametrize(
    "text", ["worth=2\n# twice\n\nplacement=0\n", '{"worth": 2, "placement": 0}']
)
def test_an_evaluation_comes_from_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    loaded: list[Any] = []
    monkeypatch.setattr(Thinker, "get_ready", lambda _: None)
    monkeypatch.setattr("threefold.protocols.thinking.Loading", loaded.append)
    file = tmp_path / "with a space.txt"
    file.write_text(text)
    thinker = Thinker()
    with Conversation(UciServer, thinker) as gui:
        gui.say(f"setoption name EvalFile value {file}")
        gui.ask("isready", "readyok")
        assert thinker.game.weights["worth"] == 2
        gui.say("setoption name EvalFile value <empty>")
        gui.ask("isready", "readyok")
        assert not thinker.game.is_reweighted
    assert [loading.is_reweighted for loading in loaded] == [False, True, False]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("nonsense=1", "has no term 'nonsense'"),
        ("worth", "weights are written NAME=W"),
        ("worth=much", "is not a number"),
        ("", "has no weights"),
        ("{", "is not JSON"),
        (json.dumps({"worth": "much"}), "'worth' has no number"),
        ("\udcff", "is not a text"),
    ],
)
def test_a_bad_evaluation_file_is_named(
    gui: Conversation, tmp_path: Path, text: str, complaint: str
) -> None:
    file = tmp_path / "weights"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    assert complaint in gui.ask(f"setoption name EvalFile value {file}", "info string")[-1]
    assert not gui.server._thinker.game.is_reweighted


def test_chances_are_shown_when_asked_for(gui: Conversation) -> None:
    gui.say("setoption name UCI_ShowWDL value true", "position startpos")
    found = infos(gui.ask("go depth 3", "bestmove"))
    assert all(sum(map(int, info["wdl"].split("/"))) == 1000 for info in found)


def test_a_draw_by_rule_has_no_other_chances(gui: Conversation) -> None:
    gui.say("setoption name UCI_ShowWDL value true", f"position fen {BARE_KINGS}")
    assert infos(gui.ask("go depth 2", "bestmove"))[-1]["wdl"] == "0/1000/0"


# Whatever a GUI may send.


FENS = [chess.STARTING_FEN, MATE_IN_TWO, CAPTURES, STALEMATE, CHECKMATED, BARE_KINGS, "nonsense",
        "8/8/8/8/8/8/8/8 w - - 0 1", "k7/8/8/8/8/8/8/K6q w - - 149 90"]  # fmt: skip
MOVES = st.lists(
    st.sampled_from(["e2e4", "e7e5", "g1f3", "b8c6", "a1a2", "e4d5", "h8h7", "zz", "e1g1"])
)
POSITIONS = st.builds(
    lambda fen, moves: f"position {fen}{' moves ' if moves else ''}{' '.join(moves)}",
    st.sampled_from(["startpos", *(f"fen {fen}" for fen in FENS)]),
    MOVES,
)
GOES = st.sampled_from(
    [
        "go depth 1",
        "go nodes 50",
        "go movetime 5",
        "go wtime 20 btime 20",
        "go infinite",
        "go ponder",
        "go ponder wtime 50 btime 50",
        "go mate 1",
        "go depth 1 searchmoves e2e4 zz",
        "go depth x nodes 9",
        "go movestogo 3 wtime 60 btime 60 winc 5 binc 5",
    ]
)
OTHERS = st.sampled_from(
    [
        "uci",
        "isready",
        "stop",
        "ponderhit",
        "ucinewgame",
        "debug on",
        "debug off",
        "register later",
        "setoption name MultiPV value 2",
        "setoption name MultiPV value 1",
        "setoption name Hash value 2",
        "setoption name Clear Hash",
        "setoption name UCI_ShowWDL value true",
        "setoption",
        "",
        "   ",
        "setoption name UCI_LimitStrength value true",
        "setoption name UCI_LimitStrength value false",
        "setoption name Threads value 2",
        "joho",
        "nonsense go",
    ]
)
GARBAGE = (
    st.text(max_size=40)
    .map(lambda text: " ".join(text.split()))
    .filter(lambda text: "go" not in text and "quit" not in text and "position" not in text)
)


class Model:
    """What a GUI believes, by python-chess: the position of each `go`."""

    def __init__(self) -> None:
        self.board = chess.Board()
        self.asked: list[chess.Board] = []

    def hear(self, line: str) -> None:
        words = line.split()
        if "go" in words:
            self.asked.append(self.board.copy())
        elif words[:1] == ["ucinewgame"]:
            self.board = chess.Board()
        elif words[:1] == ["position"]:
            end = words.index("moves") if "moves" in words else len(words)
            try:
                fen = chess.STARTING_FEN if words[1] == "startpos" else " ".join(words[2:end])
                board = chess.Board(fen)
                if not board.is_valid():
                    return
                for move in words[end + 1 :]:
                    board.push_uci(move)
            except ValueError:
                return
            self.board = board


LINES = st.lists(POSITIONS | GOES | OTHERS | GARBAGE, max_size=25)


@given(LINES)
@settings(max_examples=40)
def test_it_survives_whatever_it_is_told(thinker: Thinker, lines: list[str]) -> None:
    thinker.use(megabytes=1, threads=1)
    conversation = Conversation(UciServer, thinker)
    conversation.say(*lines)
    check_answers(lines, conversation.end())


@pytest.mark.slow
@given(LINES)
@settings(max_examples=1000)
def test_it_survives_much_more(thinker: Thinker, lines: list[str]) -> None:
    thinker.use(megabytes=1, threads=1)
    conversation = Conversation(UciServer, thinker)
    conversation.say(*lines)
    check_answers(lines, conversation.end())


@given(st.lists(LINES, min_size=4, max_size=4))
@settings(max_examples=2)
def test_it_survives_as_a_program(several: list[list[str]]) -> None:
    lines = [line for some in several for line in some]
    done = processes.run([*processes.THREEFOLD, "uci"], input="\n".join([*lines, "quit", "go"]))
    assert done.returncode == 0
    assert done.stderr == ""
    check_answers(lines, done.stdout.splitlines())


def check_answers(lines: list[str], heard: list[str]) -> None:
    """Every `go` has one answer, a legal move in the position that the GUI believes in."""
    model = Model()
    for line in lines:
        model.hear(line)
    answers = [line for line in heard if line.startswith("bestmove")]
    assert len(answers) == len(model.asked)
    for answer, board in zip(answers, model.asked, strict=True):
        move = answer.split()[1]
        if move == "(none)":
            assert not any(board.legal_moves)
        else:
            assert chess.Move.from_uci(move) in board.legal_moves


def test_a_reader_that_is_gone_ends_it(thinker: Thinker) -> None:
    class Gone:
        def write(self, text: str) -> int:
            raise BrokenPipeError

        def flush(self) -> None:
            pass

    server = UciServer(thinker, Output(Gone()))  # type: ignore[arg-type]
    endless = iter(lambda: "isready", "")
    server.serve(endless)


def test_limits_are_the_engines_own(gui: Conversation) -> None:
    """The same search as everywhere else: same nodes, same line."""
    from threefold.engine.analysis import Engine

    gui.say("position startpos moves e2e4 c7c5")
    last = infos(gui.ask("go depth 6", "bestmove"))[-1]
    chess_game = game("chess")
    so_far = GameSoFar(chess_game).followed_by(["e2e4", "c7c5"])
    found = Engine(chess_game, megabytes=1).analyze(
        so_far.position, Limits(depth=6), history=so_far.history
    )
    assert last["nodes"] == str(found.nodes)
    assert last["pv"].split() == found.texts(found.pv)
