"""The template of retrograde analysis without chance: what each side can force, and how soon.

It knows no game, only the arrays of `threefold.solve.graph`.
"""

from typing import Final

from threefold.engine.control import Control
from threefold.engine.records import Boxed
from threefold.solve.expansion import Array

#: In place of a number of plies: nothing can be forced.
NEVER: Final = -1


def reverse(
    child: Array, first: Array, parent: Array, begins: Array, boxed_control: Boxed[Control]
) -> None:
    """Reverse the graph: `parent` holds the parents of each position side by side.

    A counting sort. `begins`, zeros at first, says where the parents of each position end; and once
    each list is filled from the back, where they begin.
    """
    control = boxed_control[0]
    for edge in range(len(child)):
        if control.stop != 0:
            return
        begins[child[edge]] += 1
    for i in range(1, len(begins)):
        begins[i] += begins[i - 1]
    for i in range(len(first) - 1):
        if control.stop != 0:
            return
        for edge in range(first[i], first[i + 1]):
            begins[child[edge]] -= 1
            parent[begins[child[edge]]] = i


def force(
    side: int,
    ends: Array,
    mover: Array,
    utility: Array,
    begins: Array,
    parent: Array,
    left: Array,
    worth: Array,
    plies: Array,
    queue: Array,
    boxed_control: Boxed[Control],
) -> None:
    """What one side can force everywhere, and in how many plies.

    `ends` are the finished positions, the side's best first. Level by level of their utility, the
    positions from which the side can force its way to one of them are collected in the order of
    their distance: those where it has a move to a collected position, and those where the other
    side has nothing else `left`, since all its other moves lead to something better for this side.
    So the side wins as soon as it can and the other holds out as long as it can.

    `plies` is `NEVER` where nothing can be forced.
    """
    control = boxed_control[0]
    head = 0
    tail = 0
    next_end = 0
    while next_end < len(ends) and control.stop == 0:
        level = utility[ends[next_end]]
        while next_end < len(ends) and utility[ends[next_end]] == level:
            i = ends[next_end]
            worth[i] = level
            plies[i] = 0
            queue[tail] = i
            tail += 1
            next_end += 1
        while head < tail and control.stop == 0:
            i = queue[head]
            head += 1
            for edge in range(begins[i], begins[i + 1]):
                before = parent[edge]
                left[before] -= 1
                if plies[before] == NEVER and (mover[before] == side or left[before] == 0):
                    worth[before] = level
                    plies[before] = plies[i] + 1
                    queue[tail] = before
                    tail += 1
