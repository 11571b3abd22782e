"""MINMAX: one function for both sides, each value negated on its way up.

The names are the lecture's: MOVEGEN lists the successors, STATIC evaluates a position from the
standpoint of the player to move, DEEP_ENOUGH decides where to stop, OPPOSITE is the other player.
The result is a VALUE and a PATH. As printed, BEST_SCORE starts at the least value STATIC can
return, so a player whose every move is worth that least value gets no PATH. It must start at −∞.
"""

from threefold.rules.contract import MAX
from threefold.textbook.deep_enough import Policy, any_of, deeper_than, won
from threefold.textbook.trace import INFINITY, Bound, Line, Trace
from threefold.textbook.tree import Node


def minmax(
    root: Node, trace: Trace, depth: int | None = None, deep_enough: Policy | None = None
) -> tuple[Bound, Line]:
    """MINMAX(Position, Depth, Player), from MAX's side at the root."""
    if deep_enough is None:
        deep_enough = won if depth is None else any_of(won, deeper_than(depth))

    def static(position: Node) -> Bound:
        value: Bound = trace.leaf(position)
        return value if position.player == MAX else -value

    def search(position: Node, plies: int) -> tuple[Bound, Line]:
        trace.enter(position)
        if deep_enough(position, plies):
            return static(position), None
        successors = trace.expand(position)
        if not successors:
            return static(position), None
        best_score: Bound = -INFINITY
        best_path: Line = None
        for succ in successors:
            value, path = search(succ, plies + 1)
            # "−VALUE(RESULT_SUCC)": only where the turn has passed to the other side.
            new_value = -value if succ.player != position.player else value
            trace.child(position, succ, new_value if position.player == MAX else -new_value)
            if new_value > best_score:
                best_score, best_path = new_value, (succ, path)
        trace.leave(position, best_score if position.player == MAX else -best_score, best_path)
        return best_score, best_path

    value, path = search(root, 0)
    return (value if root.player == MAX else -value), path
