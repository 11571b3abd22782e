"""A user's own Nim and tic-tac-toe in plain Python, solved from the first move to the last.

Ours are written here as a user would write them. The peers solve their own example games with
the rules the same: easyAI's `Negamax` with its transposition table to the full depth, and
OpenSpiel's `MinimaxSolver`, which values every position. Against each, ours does the same work: the
value and a best move, or the whole graph. The figures compared are calls of `game.solve` per
second, from the call to the answer. The first call, which compiles, is left out. Time is CPU time
of all threads, because a busy machine would slow the longer runs more.
"""

import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from comparison import Comparison, LeftOut, quickest, say

from threefold import Game

WANTED = 100.0
#: Each program is timed by its fastest of this many solutions.
REPEATS = 10
PILES = (5, 5, 5, 5)


class Heaps(NamedTuple):
    first: int
    second: int
    third: int
    fourth: int
    turn: int


def nim() -> Game[Heaps]:
    """Take as many as you like from one heap; the player who takes the last one wins."""

    def initial() -> Heaps:
        return Heaps(5, 5, 5, 5, 0)

    def heap_of(s: Heaps, heap: int) -> int:
        if heap < 2:
            return s.first if heap == 0 else s.second
        return s.third if heap == 2 else s.fourth

    def actions(s: Heaps, out: Any) -> int:
        n = 0
        for heap in range(4):
            for taken in range(1, heap_of(s, heap) + 1):
                out[n] = 10 * heap + taken
                n += 1
        return n

    def result(s: Heaps, a: int) -> Heaps:
        heap, taken = a // 10, a % 10
        return Heaps(
            s.first - (taken if heap == 0 else 0),
            s.second - (taken if heap == 1 else 0),
            s.third - (taken if heap == 2 else 0),
            s.fourth - (taken if heap == 3 else 0),
            1 - s.turn,
        )

    def utility(s: Heaps) -> int:
        return 1 if s.turn == 1 else -1

    return Game("my nim", initial=initial, actions=actions, result=result, utility=utility)


class Board(NamedTuple):
    x: int
    o: int
    turn: int


LINES = (0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124)


def tic_tac_toe() -> Game[Board]:
    """Nine squares, a bit each; three in line wins."""

    def wins(stones: int) -> bool:
        found = False
        for line in LINES:
            found |= stones & line == line
        return found

    def initial() -> Board:
        return Board(0, 0, 0)

    def actions(s: Board, out: Any) -> int:
        n = 0
        if wins(s.x) or wins(s.o):
            return n
        for square in range(9):
            if (s.x | s.o) >> square & 1 == 0:
                out[n] = square
                n += 1
        return n

    def result(s: Board, a: int) -> Board:
        if s.turn == 0:
            return Board(s.x | 1 << a, s.o, 1)
        return Board(s.x, s.o | 1 << a, 0)

    def utility(s: Board) -> int:
        return 1 if wins(s.x) else -1 if wins(s.o) else 0

    return Game("my tic-tac-toe", initial=initial, actions=actions, result=result, utility=utility)


def measure() -> Iterator[Comparison | LeftOut]:
    for name, game, value, easy, spiel in (
        ("Nim 5-5-5-5", nim(), -1, _easy_nim, "nim(pile_sizes=5;5;5;5,is_misere=false)"),
        ("tic-tac-toe", tic_tac_toe(), 0, _easy_tic_tac_toe, "python_tic_tac_toe"),
    ):
        what = f"a user's own {name}, solved"
        say(what)
        try:
            theirs = _rate(easy)
        except ImportError:
            yield LeftOut(f"{what}, against easyAI", 'pip install -e ".[bench]" installs it')
        else:
            ours = _our_rate(game, value, method="auto", detail="value")
            peer = "easyAI Negamax with its table"
            yield Comparison(what, ours, peer, theirs, "solutions/s", WANTED)
        try:
            theirs = _rate(lambda game=spiel: _open_spiel(game))  # type: ignore[misc]
        except ImportError:
            yield LeftOut(f"{what}, against OpenSpiel", 'pip install -e ".[bench]" installs it')
        else:
            ours = _our_rate(game, value, method="graph", detail="moves")
            peer = "OpenSpiel's MinimaxSolver"
            yield Comparison(what, ours, peer, theirs, "solutions/s", WANTED)


def _our_rate(game: Game[Any], value: int, *, method: str, detail: str) -> float:
    def solve() -> None:
        assert game.solve(method=method, detail=detail).value == value

    solve()  # compiles
    return _rate(solve)


def _rate(solve: Callable[[], None]) -> float:
    seconds, _ = quickest(solve, REPEATS, time.process_time)
    return 1 / seconds


def _easy_nim() -> None:
    from easyAI import Negamax, TranspositionTable, TwoPlayerGame

    class Nim(TwoPlayerGame):  # type: ignore[misc]
        """easyAI's own example, with our piles, where the last taker wins."""

        def __init__(self) -> None:
            self.players: list[Any] = [None, None]
            self.piles = list(PILES)
            self.current_player = 1

        def possible_moves(self) -> list[str]:
            return [
                f"{i + 1},{j}" for i in range(len(self.piles)) for j in range(1, self.piles[i] + 1)
            ]

        def make_move(self, move: str) -> None:
            pile, taken = map(int, move.split(","))
            self.piles[pile - 1] -= taken

        def unmake_move(self, move: str) -> None:
            pile, taken = map(int, move.split(","))
            self.piles[pile - 1] += taken

        def is_over(self) -> bool:
            return max(self.piles) == 0

        def scoring(self) -> int:
            return -100 if self.is_over() else 0

        def ttentry(self) -> tuple[int, ...]:
            return tuple(self.piles)

        def show(self) -> None:
            pass

    Negamax(sum(PILES), win_score=90, tt=TranspositionTable())(Nim())


def _easy_tic_tac_toe() -> None:
    from easyAI import Negamax, TranspositionTable, TwoPlayerGame

    class TicTacToe(TwoPlayerGame):  # type: ignore[misc]
        """easyAI's own example."""

        lines = (
            *((1, 2, 3), (4, 5, 6), (7, 8, 9)),
            *((1, 4, 7), (2, 5, 8), (3, 6, 9)),
            *((1, 5, 9), (3, 5, 7)),
        )

        def __init__(self) -> None:
            self.players: list[Any] = [None, None]
            self.board = [0] * 9
            self.current_player = 1

        def possible_moves(self) -> list[int]:
            return [i + 1 for i, e in enumerate(self.board) if e == 0]

        def make_move(self, move: int) -> None:
            self.board[int(move) - 1] = self.current_player

        def unmake_move(self, move: int) -> None:
            self.board[int(move) - 1] = 0

        def lose(self) -> bool:
            return any(
                all(self.board[c - 1] == self.opponent_index for c in line) for line in self.lines
            )

        def is_over(self) -> bool:
            return not self.possible_moves() or self.lose()

        def scoring(self) -> int:
            return -100 if self.lose() else 0

        def ttentry(self) -> tuple[int, ...]:
            return (*self.board, self.current_player)

        def show(self) -> None:
            pass

    Negamax(9, win_score=90, tt=TranspositionTable())(TicTacToe())


def _open_spiel(game: str) -> None:
    from open_spiel.python.algorithms.minimax_solver import MinimaxSolver
    from open_spiel.python.games import tic_tac_toe  # noqa: F401  registers it

    MinimaxSolver(game).solve()
