"""Chess perft 6 from the start, compiled: against python-chess and against Stockfish's own.

All three count the last ply without making it: python-chess with `legal_moves.count()`, Stockfish
with `go perft` on one thread. Stockfish is looked for on the path and where Debian puts it.
"""

import shutil
import subprocess
import time
from collections.abc import Iterator
from typing import IO, Any

from comparison import Comparison, LeftOut, best_rate, quickest, say

from threefold import game

DEPTH = 6
#: python-chess would take minutes for the whole depth; its rate is the same one ply less deep.
PYTHON_CHESS_DEPTH = 5
WANTED_OF_PYTHON_CHESS = 100.0
WANTED_OF_STOCKFISH = 0.4
NODES = 119_060_324


def measure() -> Iterator[Comparison | LeftOut]:
    what = f"chess perft {DEPTH}"
    say(f"{what}, ours and Stockfish's")
    program = shutil.which("stockfish") or shutil.which("/usr/games/stockfish")
    ours, stockfish = 0.0, 0.0
    # Taking turns, so that a busy machine slows both.
    for _ in range(3):
        ours = max(ours, _our_rate())
        if program is not None:
            stockfish = max(stockfish, _stockfish_rate(program))
    if program is None:
        yield LeftOut(f"{what} against Stockfish", "it is not installed (Debian: stockfish)")
    else:
        yield Comparison(
            what, ours, "Stockfish, go perft", stockfish, "leaves/s", WANTED_OF_STOCKFISH
        )
    yield from _against_python_chess(what, ours)


def _our_rate() -> float:
    g = game("chess")
    g.perft(depth=2)  # compiles
    seconds, counted = quickest(lambda: g.perft(depth=DEPTH), repeats=1)
    assert counted == NODES
    return counted / seconds


def _stockfish_rate(program: str) -> float:
    pipe = subprocess.PIPE
    with subprocess.Popen([program], stdin=pipe, stdout=pipe, text=True) as engine:
        assert engine.stdin is not None
        assert engine.stdout is not None
        _say_to(engine.stdin, "setoption name Threads value 1", "isready")
        _wait_for(engine.stdout, "readyok")
        began = time.perf_counter()
        _say_to(engine.stdin, "position startpos", f"go perft {DEPTH}")
        nodes = int(_wait_for(engine.stdout, "Nodes searched").split()[-1])
        seconds = time.perf_counter() - began
        _say_to(engine.stdin, "quit")
    assert nodes == NODES
    return nodes / seconds


def _say_to(stream: IO[str], *lines: str) -> None:
    stream.write("".join(f"{line}\n" for line in lines))
    stream.flush()


def _wait_for(stream: IO[str], word: str) -> str:
    for line in stream:
        if line.startswith(word):
            return line
    raise RuntimeError(f"Stockfish never said {word!r}")


def _against_python_chess(what: str, ours: float) -> Iterator[Comparison | LeftOut]:
    try:
        import chess
    except ImportError:
        yield LeftOut(f"{what} against python-chess", 'pip install -e ".[bench]" installs it')
        return
    say(f"python-chess, perft {PYTHON_CHESS_DEPTH}")
    theirs = best_rate(lambda: _count(chess.Board(), PYTHON_CHESS_DEPTH), repeats=1)
    yield Comparison(
        what, ours, "python-chess, last ply counted", theirs, "leaves/s", WANTED_OF_PYTHON_CHESS
    )


def _count(board: Any, depth: int) -> int:
    if depth == 1:
        return int(board.legal_moves.count())
    total = 0
    for move in board.legal_moves:
        board.push(move)
        total += _count(board, depth - 1)
        board.pop()
    return total
