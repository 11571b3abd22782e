"""Domineering: one player lays dominoes upright, the other flat; a player without room loses.

The board is a bitboard with one bit per cell, row by row, and a move is a few shifts (here 4×4).

    row 3   12 13 14 15
    row 2    8  9 10 11
    row 1    4  5  6  7
    row 0    0  1  2  3

    threefold solve examples/domineering.py
    threefold lab examples/domineering.py
"""

from typing import NamedTuple

from threefold import Game
from threefold.games.board import CELL, LETTERS, MARGIN, board_picture, render_grid
from threefold.rules import svg
from threefold.rules.bits import lsb, pop_lowest

MOST_CELLS = 62  # bit 63 is never used


class State(NamedTuple):
    upright: int  # the cells under each player's dominoes
    flat: int
    turn: int  # 0: upright, who moves first; 1: flat


def domineering(columns: int = 4, rows: int = 4) -> Game[State]:
    """Take turns laying dominoes, one player upright, the other flat; if you cannot, you lose."""
    if columns < 1 or rows < 1 or columns * rows > MOST_CELLS:
        raise ValueError(f"{columns}×{rows} is not from 1 to {MOST_CELLS} cells")
    cells = columns * rows
    board = (1 << cells) - 1
    last_column = sum(1 << row * columns + columns - 1 for row in range(rows))
    numbers = [str(row) for row in range(rows, 0, -1)]

    def room(s):
        """The lower or left cell of every spot for the mover's domino."""
        empty = board & ~(s.upright | s.flat)
        if s.turn == 0:
            return empty & empty >> columns
        return empty & empty >> 1 & ~last_column

    def actions(s, out):
        n = 0
        left = room(s)
        while left:
            out[n] = lsb(left)
            left = pop_lowest(left)
            n += 1
        return n

    def result(s, a):
        if s.turn == 0:
            return State(s.upright | 1 << a | 1 << a + columns, s.flat, 1)
        return State(s.upright, s.flat | 3 << a, 0)

    # Text and pictures.

    def name(cell):
        return f"{LETTERS[cell % columns]}{cell // columns + 1}"

    def letters(s):
        def letter(cell):
            return "|" if s.upright >> cell & 1 else "-" if s.flat >> cell & 1 else "."

        return [
            "".join(letter(row * columns + column) for column in range(columns))
            for row in range(rows - 1, -1, -1)
        ]

    def draw(s):
        pieces = [
            svg.rect(
                MARGIN + column * CELL + (14 if x == "|" else 0),
                MARGIN + row * CELL + (14 if x == "-" else 0),
                CELL - (28 if x == "|" else 0),
                CELL - (28 if x == "-" else 0),
                "fill-max" if x == "|" else "fill-min",
            )
            for row, line in enumerate(letters(s))
            for column, x in enumerate(line)
            if x != "."
        ]
        rows_in_words = f"Rows from the top: {', '.join(letters(s))}."
        return board_picture(
            "Domineering", rows_in_words, LETTERS[:columns], numbers, surface="board", pieces=pieces
        )

    return Game(
        f"Domineering {columns}×{rows}",
        initial=lambda: State(0, 0, 0),
        actions=actions,
        result=result,
        utility=lambda s: 1 if s.turn == 1 else -1,  # the player to move has no room
        sides=("upright", "flat"),
        format_move=lambda _, a: name(a),
        places=lambda _, a: (name(a),),
        render=lambda s: render_grid(letters(s), LETTERS[:columns], numbers),
        draw=draw,
        max_moves=cells,
        max_ply=max(1, cells // 2),
        move_range=cells,
    )
