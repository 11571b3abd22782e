"""Dots and Boxes: draw edges between dots; complete a box to take it and move again.

    threefold solve examples/dots_and_boxes.py --detail value

Edges are bits: first the horizontal ones row by row, then the vertical ones (here 2×2 boxes).
A box has an edge above it, one below, one to its left and one to its right.

    +-0-+-1-+
    6   7   8
    +-2-+-3-+
    9   10  11
    +-4-+-5-+
"""

from typing import NamedTuple

from threefold import Game
from threefold.rules.bits import popcount
from threefold.rules.contract import MAX


class State(NamedTuple):
    drawn: int
    lead: int  # MAX's boxes minus MIN's boxes
    turn: int


def dots_and_boxes(columns=3, rows=3):
    """Dots and Boxes on a board of `columns` by `rows` boxes."""
    horizontal = columns * (rows + 1)
    edges = horizontal + (columns + 1) * rows
    boxes = tuple(
        1 << row * columns + column
        | 1 << (row + 1) * columns + column
        | 1 << horizontal + row * (columns + 1) + column
        | 1 << horizontal + row * (columns + 1) + column + 1
        for row in range(rows)
        for column in range(columns)
    )
    all_edges = (1 << edges) - 1

    def initial():
        return State(0, 0, MAX)

    def actions(s, out):
        n = 0
        for edge in range(edges):
            if not s.drawn >> edge & 1:
                out[n] = edge
                n += 1
        return n

    def completed(drawn, edge):
        """How many boxes an edge completes."""
        n = 0
        for box in boxes:
            if box >> edge & 1 and drawn & box == box:
                n += 1
        return n

    def result(s, a):
        drawn = s.drawn | 1 << a
        taken = completed(drawn, a)
        if taken == 0:
            return State(drawn, s.lead, 1 - s.turn)
        return State(drawn, s.lead + (taken if s.turn == MAX else -taken), s.turn)

    def utility(s):
        return s.lead

    def settled(s):
        """The boxes taken so far; the rest is the same for either player to move."""
        return s.lead, s.drawn

    def remaining(s):
        return edges - popcount(s.drawn)

    def bounds(s):
        """All remaining boxes may go to either player."""
        left = 0
        for box in boxes:
            if s.drawn & box != box:
                left += 1
        return s.lead - left, s.lead + left

    def order(s, a):
        """Take boxes first, and draw a box's third edge last."""
        drawn, value = s.drawn | 1 << a, 0
        for box in boxes:
            if box >> a & 1:
                sides = popcount(drawn & box)
                value += 10 if sides == 4 else -5 if sides == 3 else 0
        return value

    return Game(
        f"Dots and Boxes {columns}×{rows}",
        initial=initial,
        actions=actions,
        result=result,
        is_terminal=lambda s: s.drawn == all_edges,
        utility=utility,
        settled=settled,
        remaining=remaining,
        bounds=bounds,
        order=order,
        max_moves=edges,
        max_ply=edges,
        move_range=edges,
    )


game = dots_and_boxes()
