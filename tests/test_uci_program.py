"""`threefold uci` as a program: whole games, clocks, an empty cache, the end."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import chess
import chess.engine
import processes
import pytest
from conversation import play_by_the_clock


@contextmanager
def program(*options: str) -> Iterator[chess.engine.SimpleEngine]:
    command = [*processes.THREEFOLD, "uci", *options]
    engine = chess.engine.SimpleEngine.popen_uci(command, timeout=60, start_new_session=True)
    with engine, processes.guarded(engine.transport.get_pid()):
        yield engine


@pytest.mark.parametrize(
    ("board", "limit"),
    [
        (chess.Board(), chess.engine.Limit(nodes=300)),
        (chess.Board.from_chess960_pos(123), chess.engine.Limit(nodes=200)),
        (chess.Board("8/8/4k3/8/8/3QK3/8/8 w - - 0 1"), chess.engine.Limit(nodes=20_000)),
    ],
    ids=["chess", "chess960", "endgame"],
)
def test_it_plays_whole_games(board: chess.Board, limit: chess.engine.Limit) -> None:
    with program() as engine:
        engine.ping()
        while not board.is_game_over(claim_draw=True) and board.ply() < 160:
            played = engine.play(board, limit)
            assert played.move is not None
            assert played.move in board.legal_moves
            board.push(played.move)
    if not board.pawns and board.queens:
        assert board.is_checkmate()


def test_it_plays_and_ponders_by_the_clock() -> None:
    with program() as engine:
        board = play_by_the_clock(engine)
        found = engine.analyse(board, chess.engine.Limit(depth=4), multipv=3)
        assert [info["multipv"] for info in found] == [1, 2, 3]


def test_nobody_waits_for_the_compiler(tmp_path: Path) -> None:
    """With an empty cache, every clock is kept and the program ends at once."""
    process = processes.start(
        [*processes.THREEFOLD, "uci"],
        stdin=processes.PIPE,
        bufsize=1,
        env={**os.environ, "THREEFOLD_CACHE": str(tmp_path)},
    )
    process.stdin.write("isready\nposition startpos moves e2e4\ngo wtime 500 btime 500\n")
    heard = [process.stdout.readline()]
    while not heard[-1].startswith("bestmove"):
        heard.append(process.stdout.readline())
    assert heard[0] == "readyok\n"
    board = chess.Board()
    board.push_uci("e2e4")
    assert chess.Move.from_uci(heard[-1].split()[1]) in board.legal_moves
    out, err = process.communicate("go infinite\nquit\n", timeout=processes.PATIENCE)
    assert out.splitlines()[-1].startswith("bestmove")
    assert not err
    assert process.returncode == 0
    assert not list(tmp_path.rglob("*.nbi"))  # it had not finished compiling


def test_the_end_of_the_input_is_the_end() -> None:
    done = processes.run([*processes.THREEFOLD, "uci"], input="uci\ngo infinite\n")
    assert done.returncode == 0
    assert done.stdout.count("bestmove") == 1
    assert done.stderr == ""


def test_a_bad_option_is_one_line() -> None:
    done = processes.run([*processes.THREEFOLD, "uci", "--eval", "nonsense"])
    assert done.returncode == 2
    assert "nonsense" in done.stderr
    assert done.stderr.count("\n") == 1
