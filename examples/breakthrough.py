"""Breakthrough on 6×6: step forward, straight or diagonally; capture diagonally; reach the far row.

Each side numbers the cells from its own left corner, so both move alike. Cell c of one side is cell
35 - c of the other.

    30 31 32 33 34 35   the far row
    ...
     6  7  8  9 10 11
     0  1  2  3  4  5   the home row

A move is 3 * cell + direction: 0 to the left, 1 straight, 2 to the right, as the mover sees it.

    threefold train examples/breakthrough.py --time 300 --out breakthrough.npz
    threefold play examples/breakthrough.py --eval breakthrough.npz
"""

from typing import NamedTuple

from threefold import Game
from threefold.rules.bits import lsb, pop_lowest

SIZE = 6
LAST = SIZE * SIZE - 1
PIECES = (1 << 2 * SIZE) - 1
FAR_ROW = ((1 << SIZE) - 1) << SIZE * (SIZE - 1)


class State(NamedTuple):
    white: int
    black: int
    turn: int  # 0: white, who moves first; 1: black


def sides(s, p):
    return (s.white, s.black) if p == 0 else (s.black, s.white)


def actions(s, out):
    mine, theirs = sides(s, s.turn)
    n = 0
    left = 0 if theirs & FAR_ROW else mine
    while left:
        cell = lsb(left)
        left = pop_lowest(left)
        for direction in range(3):
            target = cell + SIZE + direction - 1
            off_board = not 0 <= cell % SIZE + direction - 1 < SIZE
            blocked = direction == 1 and theirs >> LAST - target & 1
            if not off_board and not blocked and not mine >> target & 1:
                out[n] = 3 * cell + direction
                n += 1
    return n


def result(s, a):
    mine, theirs = sides(s, s.turn)
    target = a // 3 + SIZE + a % 3 - 1
    mine = mine ^ 1 << a // 3 | 1 << target
    theirs = theirs & ~(1 << LAST - target)
    return State(mine, theirs, 1) if s.turn == 0 else State(theirs, mine, 0)


def utility(s):  # whoever has no move has lost
    return -1 if s.turn == 0 else 1


def features(s, p, out):  # what a net sees: the pieces of player p, and those of the other
    out[0], out[1] = sides(s, p)
    return 2


# How positions and moves are written.


def letter(s, cell):
    return "W" if s.white >> cell & 1 else "B" if s.black >> LAST - cell & 1 else "."


def render(s):
    rows = (
        f"{row + 1} " + " ".join(letter(s, SIZE * row + column) for column in range(SIZE))
        for row in reversed(range(SIZE))
    )
    return "\n".join([*rows, "  " + " ".join("abcdef")])


def format_move(s, a):
    cells = (a // 3, a // 3 + SIZE + a % 3 - 1)
    seen = [cell if s.turn == 0 else LAST - cell for cell in cells]
    return "-".join(f"{'abcdef'[cell % SIZE]}{cell // SIZE + 1}" for cell in seen)


breakthrough = Game(
    "Breakthrough",
    initial=lambda: State(PIECES, PIECES, 0),
    actions=actions,
    result=result,
    utility=utility,
    features=features,
    sides=("white", "black"),
    render=render,
    format_move=format_move,
    max_moves=36,
    max_ply=108,
    move_range=108,
)
