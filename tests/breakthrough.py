"""Breakthrough on a small board: a game with captures, and so with every hook that a search has.

A piece steps forward, straight or diagonally, and captures diagonally; who reaches the far row
wins. A move is `3 * square + direction`.
"""

from typing import Any, NamedTuple

from threefold import Game
from threefold.rules.bits import lsb, pop_lowest, popcount


class State(NamedTuple):
    up: int
    down: int
    turn: int


def breakthrough(columns: int = 4, rows: int = 5, **changes: Any) -> Game[State]:
    """The game with some of its hooks or facts exchanged."""
    row = (1 << columns) - 1
    last = row << columns * (rows - 1)

    def initial() -> State:
        return State(row, last, 0)

    def list_moves(s: State, out: Any, only_captures: bool) -> int:
        count = 0
        if s.up & last or s.down & row or s.up == 0 or s.down == 0:
            return count
        mine, theirs = (s.up, s.down) if s.turn == 0 else (s.down, s.up)
        left = mine
        while left:
            square = lsb(left)
            left = pop_lowest(left)
            for direction in range(3):
                column = square % columns + direction - 1
                target = square + direction - 1 + (columns if s.turn == 0 else -columns)
                if column < 0 or column >= columns or (mine >> target) & 1:
                    continue
                captures = (theirs >> target) & 1
                if captures and direction == 1:
                    continue
                if only_captures and not captures:
                    continue
                out[count] = 3 * square + direction
                count += 1
        return count

    def actions(s: State, out: Any) -> int:
        return list_moves(s, out, False)

    def noisy(s: State, out: Any) -> int:
        return list_moves(s, out, True)

    def result(s: State, a: int) -> State:
        square, direction = a // 3, a % 3
        target = square + direction - 1 + (columns if s.turn == 0 else -columns)
        if s.turn == 0:
            return State(s.up ^ (1 << square) | 1 << target, s.down & ~(1 << target), 1)
        return State(s.up & ~(1 << target), s.down ^ (1 << square) | 1 << target, 0)

    def utility(s: State) -> int:
        return 1 if s.turn == 1 else -1

    def evaluate(s: State) -> int:
        return 10 * (popcount(s.up) - popcount(s.down)) + (s.up >> 2 * columns != 0)

    def order(s: State, a: int) -> int:
        return a // 3 if s.turn == 0 else -(a // 3)

    def null_move(s: State) -> State:
        return State(s.up, s.down, 1 - s.turn)

    def extend(s: State) -> int:
        """A piece on the row before the last is about to win."""
        return 1 if s.up & last >> columns or s.down & row << columns else 0

    hooks: dict[str, Any] = {
        "initial": initial,
        "actions": actions,
        "result": result,
        "utility": utility,
        "evaluate": evaluate,
        "noisy": noisy,
        "order": order,
        "max_moves": 3 * columns,
        "max_ply": 2 * columns * rows,
        "move_range": 3 * columns * rows,
    }
    selective = {"null_move": null_move, "extend": extend, "reductions": True, "futility": 15}
    return Game(f"Breakthrough {columns}x{rows}", **(hooks | selective | changes))
