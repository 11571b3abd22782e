"""MINIMAX in one function for both players, in the three forms that lectures print.

MINIMAX-DECISION with MINIMAX-VALUE works on OPERATORS, TERMINAL-TEST and UTILITY. MINIMAX(N) takes
the minimum or maximum over the successors N₁ … Nₘ. The heuristic MINIMAX keeps the best value so
far in v and stops at a cutoff. All three look at every node and find the same value; `minimax` has
two functions that call each other. Values are MAX's.
"""

from collections.abc import Sequence

from threefold.rules.contract import MAX
from threefold.textbook.minimax import stops
from threefold.textbook.trace import INFINITY, Bound, Line, Trace
from threefold.textbook.tree import Node

#: A value, and the line that leads to it.
Found = tuple[Bound, Line]


def highest(values: Sequence[Found]) -> Found:
    """The first of the highest values."""
    return max(values, key=lambda found: found[0])


def lowest(values: Sequence[Found]) -> Found:
    """The first of the lowest values."""
    return min(values, key=lambda found: found[0])


def minimax_value(root: Node, trace: Trace, depth: int | None = None) -> Found:
    """MINIMAX-DECISION over OPERATORS: the value of each, by MINIMAX-VALUE, and the best one."""

    def minimax_decision(state: Node) -> Found:
        trace.enter(state)
        if stops(state, 0, depth):
            return trace.leaf(state), None
        values = []
        for successor in trace.expand(state):
            value, below = value_of(successor, 1)
            trace.child(state, successor, value)
            values.append((value, (successor, below)))
        # as printed: return the op with the highest VALUE[op], for MAX is to move
        best = highest(values) if state.player == MAX else lowest(values)
        trace.leave(state, *best)
        return best

    def value_of(state: Node, plies: int) -> Found:
        trace.enter(state)
        # as printed: if TERMINAL-TEST[game](state) then return UTILITY[game](state)
        if stops(state, plies, depth):
            return trace.leaf(state), None
        values = []
        for successor in trace.expand(state):
            value, below = value_of(successor, plies + 1)
            trace.child(state, successor, value)
            values.append((value, (successor, below)))
        if state.player == MAX:
            best = highest(values)
        else:
            best = lowest(values)
        trace.leave(state, *best)
        return best

    return minimax_decision(root)


def minimax_n(root: Node, trace: Trace, depth: int | None = None) -> Found:
    """MINIMAX(N): a leaf's score, or the minimum or maximum over N₁ … Nₘ."""

    def minimax(n: Node, plies: int) -> Found:
        trace.enter(n)
        # as printed: if N is a leaf then return the estimated score of this leaf
        if stops(n, plies, depth):
            return trace.leaf(n), None
        scores = []
        for n_i in trace.expand(n):
            score, below = minimax(n_i, plies + 1)
            trace.child(n, n_i, score)
            scores.append((score, (n_i, below)))
        if n.player != MAX:
            best = lowest(scores)
        else:
            best = highest(scores)
        trace.leave(n, *best)
        return best

    return minimax(root, 0)


def heuristic_minimax(root: Node, trace: Trace, depth: int | None = None) -> Found:
    """MINIMAX to a cutoff, with estimates there and the best value so far in v."""

    def minimax(n: Node, plies: int) -> Found:
        trace.enter(n)
        if stops(n, plies, depth):
            return trace.leaf(n), None
        line: Line = None
        if n.player == MAX:
            # as printed: v ← +∞, which no value exceeds
            v: Bound = -INFINITY
        else:
            # as printed: v ← −∞, which no value is below
            v = INFINITY
        for m in trace.expand(n):
            # as printed: MINIMAX(n) where n is a MAX node, which would never end
            value, below = minimax(m, plies + 1)
            trace.child(n, m, value)
            if (value > v) if n.player == MAX else (value < v):
                v, line = value, (m, below)
        trace.leave(n, v, line)
        return v, line

    return minimax(root, 0)
