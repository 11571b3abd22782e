"""Capture Go on 9×9: whoever captures a stone first wins.

Eighty-one cells do not fit into a 64-bit word. `WideBoard` builds sets of cells from two words, and
the state has two fields for each player.

    threefold play examples/capture_go.py
"""

from typing import NamedTuple

from threefold import Game
from threefold.games.board import CELL, board_picture, centre, render_grid
from threefold.rules import svg
from threefold.rules.wide import WideBoard

SIZE = 9
COLUMNS = "ABCDEFGHJ"  # no I, by Go convention
NUMBERS = [str(row) for row in range(SIZE, 0, -1)]

# Rules call the board's functions by plain names.
board = WideBoard(SIZE, SIZE)
union, common, without, others = board.union, board.common, board.without, board.others
put, first, rest, is_empty = board.put, board.first, board.rest, board.is_empty
neighbors, flood = board.neighbors, board.flood


class State(NamedTuple):
    black0: int = 0
    black1: int = 0
    white0: int = 0
    white1: int = 0
    turn: int = 0  # 0: black, who moves first; 1: white


def black(s):
    return s.black0, s.black1


def white(s):
    return s.white0, s.white1


def empty_cells(s):
    return others(union(black(s), white(s)))


def captured(stones, empty):
    """Whether a group has no liberty left: flood from the stones that have one."""
    alive = flood(common(stones, neighbors(empty)), stones)
    return not is_empty(without(stones, alive))


def winner(s):
    """The player who has captured a stone. A move that captures is safe for the mover's stones."""
    empty = empty_cells(s)
    black_taken, white_taken = captured(black(s), empty), captured(white(s), empty)
    black_moved_last = s.turn == 1
    if white_taken and (black_moved_last or not black_taken):
        return 1
    if black_taken:
        return -1
    return 0


def actions(s, out):
    if winner(s):
        return 0
    n = 0
    left = empty_cells(s)
    while not is_empty(left):
        out[n] = first(left)
        left = rest(left)
        n += 1
    return n


def result(s, a):
    if s.turn == 0:
        return State(*put(black(s), a), *white(s), 1)
    return State(*black(s), *put(white(s), a), 0)


# Text and pictures.


def name(cell):
    return f"{COLUMNS[cell % SIZE]}{cell // SIZE + 1}"


def letters(s):
    """The board's rows from the top: X for black, O for white."""
    stones = dict.fromkeys(board.cells_of(black(s)), "X")
    stones |= dict.fromkeys(board.cells_of(white(s)), "O")
    return [
        "".join(stones.get(row * SIZE + column, ".") for column in range(SIZE))
        for row in range(SIZE - 1, -1, -1)
    ]


def draw(s):
    pieces = [
        svg.circle(*centre(column, row), CELL * 0.42, f"fill-{'black' if x == 'X' else 'white'}")
        for row, line in enumerate(letters(s))
        for column, x in enumerate(line)
        if x != "."
    ]
    rows = f"Rows from the top: {', '.join(letters(s))}."
    return board_picture("Capture Go", rows, COLUMNS, NUMBERS, surface="felt", pieces=pieces)


game = Game(
    "Capture Go",
    initial=lambda: State(),
    actions=actions,
    result=result,
    utility=winner,
    sides=("black", "white"),
    format_move=lambda _, a: name(a),
    places=lambda _, a: (name(a),),
    render=lambda s: render_grid(letters(s), COLUMNS, NUMBERS),
    draw=draw,
    max_moves=board.cells,
    max_ply=board.cells,
    move_range=board.cells,
)
