"""The template that finds every position of a game: expand one after another, as they are found.

The arrays are those of `threefold.solve.graph`. A hash table finds a position's number again. It
only suggests where to look: positions are the same only if all their words are, so no collision of
keys can merge two that differ.
"""

from dataclasses import dataclass
from typing import Any, TypeAlias

from threefold.engine.control import Control
from threefold.engine.endgames.reachable import hash_of
from threefold.engine.listing import checked_utility, list_actions, list_outcomes
from threefold.engine.records import Boxed, Word
from threefold.rules.contract import (
    CHANCE,
    HAS_CLOCKS,
    HAS_OUTCOMES,
    MAX_MOVES,
    MAX_VALUE,
    player,
    result,
    state,
    timeless,
    words,
)

Array: TypeAlias = Any  # of NumPy, or of compiled code


@dataclass(slots=True, kw_only=True)
class Counts:
    """How far an enumeration has gotten."""

    positions: Word = 0  # how many were found,
    expanded: Word = 0  # and how many of them were expanded
    edges: Word = 0  # the moves of those
    most: Word = 0  # how many positions there may be


def slot_of(s: Any, states: Array, slots: Array) -> int:
    """Where the hash holds a position's number, or would."""
    last = len(slots) - 1
    at = hash_of(s) & last
    while slots[at] != 0 and words(state(states[slots[at] - 1])) != words(s):
        at = (at + 1) & last
    return at


def number_of(s: Any, states: Array, slots: Array, counts: Counts) -> int:
    """A position's number, the next one if it is new."""
    at = slot_of(s, states, slots)
    if slots[at] == 0:
        fields = words(s)
        for j in range(len(fields)):
            states[counts.positions, j] = fields[j]
        counts.positions += 1
        slots[at] = counts.positions
    return int(slots[at]) - 1


def expand_all(
    states: Array,
    slots: Array,
    mover: Array,
    worth: Array,
    first: Array,
    child: Array,
    weight: Array,
    boxed_counts: Boxed[Counts],
    rows: Array,
    boxed_control: Boxed[Control],
) -> None:
    """The entry: expand positions in the order of their numbers, until all are or room runs out."""
    counts, control = boxed_counts[0], boxed_control[0]
    if slots[slot_of(state(states[0]), states, slots)] == 0:  # a new hash
        # The first position goes in last, so that a hash is new until it is complete.
        for i in range(counts.positions - 1, -1, -1):
            if control.stop != 0:
                return
            slots[slot_of(state(states[i]), states, slots)] = i + 1
    row, weights = rows[0], rows[1]
    while counts.expanded < counts.positions and control.stop == 0:
        if control.nodes >= control.node_limit:
            return
        # A row's worth of children must fit wherever they may go.
        here, edge, room = counts.expanded, counts.edges, counts.positions + MAX_MOVES
        if counts.positions > counts.most or room > len(states) or 2 * room > len(slots):
            return
        if edge + MAX_MOVES > len(child):
            return
        s = state(states[here])
        mover[here] = player(s)
        by_nature = HAS_OUTCOMES and mover[here] == CHANCE
        if by_nature:
            n = list_outcomes(s, row, weights, control)
        else:
            n = list_actions(s, row, control)
        for i in range(n):
            after = result(s, row[i])
            if HAS_CLOCKS:
                after = timeless(after)
            child[edge + i] = number_of(after, states, slots, counts)
            if HAS_OUTCOMES:
                weight[edge + i] = weights[i] if by_nature else 0
        worth[here] = checked_utility(s, MAX_VALUE, control) if n == 0 else 0
        first[here + 1] = edge + n
        counts.edges += n
        counts.expanded += 1
        control.nodes += 1
