"""MINMAX: one function for both sides, each value negated on its way up.

The names are the lecture's: MOVEGEN lists the successors, STATIC evaluates a position from the
standpoint of a player, DEEP_ENOUGH decides where to stop, OPPOSITE is the other player. The
result is a VALUE, which is the given player's, and a PATH. The first call is MINMAX(CURRENT, 0,
PLAYER-ONE) where MAX is to move, and MINMAX(CURRENT, 0, PLAYER-TWO) where MIN is.

Four lines differ from the printed ones; each says how. As printed, BEST_SCORE starts at the least
value STATIC can return, so a player whose every move is worth that least value gets no PATH.
"""

from threefold.rules.contract import MAX, Player
from threefold.textbook.deep_enough import Policy, any_of, deeper_than, won
from threefold.textbook.trace import INFINITY, Bound, Line, Trace
from threefold.textbook.tree import Node


def minmax(
    root: Node, trace: Trace, depth: int | None = None, deep_enough: Policy = won
) -> tuple[Bound, Line]:
    """MINMAX(Position, Depth, Player), called for the player to move at the root."""
    if depth is not None:
        deep_enough = any_of(deep_enough, deeper_than(depth))

    def static(position: Node, player: Player) -> Bound:
        value: Bound = trace.leaf(position)
        return value if player == MAX else -value

    def search(position: Node, plies: int, player: Player) -> tuple[Bound, Line]:
        trace.enter(position)
        # as printed: if Depth exceeds a constant (--deep-enough exceeds=N; --depth N stops at N)
        if deep_enough(position, plies):
            return static(position, player), None
        successors = trace.expand(position)
        if not successors:
            return static(position, player), None
        # as printed: BEST_SCORE ← the least value that STATIC can return
        best_score: Bound = -INFINITY
        best_path: Line = None
        for succ in successors:
            # as printed: RESULT_SUCC ← MINMAX(SUCC, Depth + 1, OPPOSITE(Player))
            value, path = search(succ, plies + 1, succ.player)
            # as printed: NEW_VALUE ← −VALUE(RESULT_SUCC), even where a player moves twice
            new_value = value if succ.player == player else -value
            trace.child(position, succ, new_value if player == MAX else -new_value)
            if new_value > best_score:
                best_score, best_path = new_value, (succ, path)
        trace.leave(position, best_score if player == MAX else -best_score, best_path)
        return best_score, best_path

    value, path = search(root, 0, root.player)
    return (value if root.player == MAX else -value), path
