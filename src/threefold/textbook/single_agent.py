"""The value of a state when one agent makes every choice.

V(s) = max over the successors s' of V(s'); at a terminal state V(s) is known. It is the best
outcome that can be reached from s, because nobody is there to prevent it. With an opponent the same
tree is worth no more: minimax takes the least value wherever the opponent chooses. Time O(b^m),
space O(b·m).
"""

from threefold.rules.contract import CHANCE, MIN
from threefold.textbook.minimax import stops
from threefold.textbook.trace import INFINITY, PLAYER_NAMES, Bound, Line, Trace
from threefold.textbook.tree import Node


def single_agent(root: Node, trace: Trace, depth: int | None = None) -> tuple[Bound, Line]:
    """V(s), depth first. The agent is the player at the root: after `min`, one who saves costs."""
    saves = root.player == MIN

    def value_of(s: Node, plies: int) -> tuple[Bound, Line]:
        trace.enter(s, player=None if s.player == CHANCE else PLAYER_NAMES[root.player])
        if stops(s, plies, depth):
            return trace.leaf(s), None
        v: Bound = INFINITY if saves else -INFINITY
        line: Line = None
        for successor in trace.expand(s):
            value, below = value_of(successor, plies + 1)
            trace.child(s, successor, value)
            if (value < v) if saves else (value > v):
                v, line = value, (successor, below)
        trace.leave(s, v, line)
        return v, line

    return value_of(root, 0)
