"""Hex: red connects top and bottom, blue connects left and right, and one of them always succeeds.

A flood fill finds the winner. The board is a rhombus of cells, each row half a cell to the right of
the one above, with one bit per cell (here 3×3):

        a  b  c
      1  0  1  2
       2  3  4  5
        3  6  7  8

A cell touches its left and right neighbors, those above and below, and the two along the short
diagonal.

    threefold solve examples/hex.py
    threefold play "examples/hex.py:hexagons(size=5)"
"""

from typing import NamedTuple

from threefold import Game
from threefold.rules import svg
from threefold.rules.bits import lsb, pop_lowest
from threefold.rules.planes import Planes

LARGEST = 7  # 49 cells; bit 63 is never used


class State(NamedTuple):
    red: int
    blue: int
    turn: int  # 0: red, who moves first; 1: blue


def hexagons(size: int = 3) -> Game[State]:
    """Connect your two sides of the board before the other player connects theirs."""
    if not 1 <= size <= LARGEST:
        raise ValueError(f"size={size} is not from 1 to {LARGEST}")
    cells = size * size
    board = (1 << cells) - 1
    top = (1 << size) - 1
    bottom = top << cells - size
    left = sum(1 << row * size for row in range(size))
    right = left << size - 1

    def initial():
        return State(0, 0, 0)

    def neighbors(stones):
        leftward = stones & ~left
        rightward = stones & ~right
        beside = leftward >> 1 | rightward << 1
        above_and_below = stones >> size | stones << size
        diagonal = rightward >> size - 1 | leftward << size - 1
        return (beside | above_and_below | diagonal) & board

    def joined(stones, start, goal):
        """Whether stones connect one side to the other: flood from the start."""
        reached = stones & start
        while not reached & goal:
            more = neighbors(reached) & stones & ~reached
            if not more:
                return False
            reached |= more
        return True

    def winner(s):
        """1 if red connects top and bottom, -1 if blue connects left and right, else 0."""
        if joined(s.red, top, bottom):
            return 1
        if joined(s.blue, left, right):
            return -1
        return 0

    def actions(s, out):
        if winner(s):
            return 0
        n = 0
        empty = board & ~(s.red | s.blue)
        while empty:
            out[n] = lsb(empty)
            empty = pop_lowest(empty)
            n += 1
        return n

    def result(s, a):
        if s.turn == 0:
            return State(s.red | 1 << a, s.blue, 1)
        return State(s.red, s.blue | 1 << a, 0)

    def rotate(s):
        """The board rotated by 180 degrees: every side keeps its owner."""
        red = blue = 0
        for cell in range(cells):
            red |= (s.red >> cell & 1) << cells - 1 - cell
            blue |= (s.blue >> cell & 1) << cells - 1 - cell
        return State(red, blue, s.turn)

    # Text and pictures.

    def name(cell):
        return f"{'abcdefg'[cell % size]}{cell // size + 1}"

    def letter(s, cell):
        return "R" if s.red >> cell & 1 else "B" if s.blue >> cell & 1 else "."

    def render(s):
        rows = (
            f"{' ' * row}{row + 1} " + " ".join(letter(s, row * size + i) for i in range(size))
            for row in range(size)
        )
        return "\n".join(["  " + " ".join("abcdefg"[:size]), *rows])

    def draw(s):
        body = []
        for cell in range(cells):
            row, column = divmod(cell, size)
            x, y = 52 + 44 * column + 22 * row, 48 + 38 * row
            outline = f"M{x} {y - 25}l22 12.5v25l-22 12.5l-22 -12.5v-25z"
            body += [svg.path(outline, "line-line"), svg.place(x - 20, y - 17, 40, 34, name(cell))]
            if letter(s, cell) == "R":
                body.append(svg.circle(x, y, 15, "fill-max"))
            elif letter(s, cell) == "B":
                body.append(svg.circle(x, y, 13, "line-min thick"))
            else:
                body.append(svg.label(x, y, name(cell), size=11))
        width, height = 82 + 44 * size + 22 * size, 58 + 38 * size
        return svg.picture(width, height, "Hex", f"Rows from the top: {render(s)}", body)

    return Game(
        f"Hex {size}×{size}",
        initial=initial,
        actions=actions,
        result=result,
        utility=winner,
        symmetries=(rotate,),
        planes=Planes(columns=size, rows=size, count=2),  # red and blue
        sides=("red", "blue"),
        format_move=lambda _, a: name(a),
        places=lambda _, a: (name(a),),
        contents=lambda s: {
            name(cell): {"R": "red", "B": "blue", ".": "empty"}[letter(s, cell)]
            for cell in range(cells)
        },
        render=render,
        draw=draw,
        max_moves=cells,
        max_ply=cells,
        move_range=cells,
    )
