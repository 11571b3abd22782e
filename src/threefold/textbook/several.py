"""Games that are not zero-sum: MAX^N and PARANOID.

Each leaf has a payoff for every player, `<3,1>`. Players take turns in order, starting with the
first at the root. With two payoffs, MAX and MIN alternate.
"""

from threefold.errors import ThreefoldError
from threefold.rules.contract import MIN
from threefold.textbook.minimax import stops
from threefold.textbook.trace import INFINITY, Bound, Line, Trace
from threefold.textbook.tree import Node, Number, walk
from threefold.textbook.window import narrow


def _players(root: Node) -> int:
    """How many payoffs the leaves have; all must have the same number."""
    lengths = set()
    for node in walk(root):
        if isinstance(node.value, tuple):
            lengths.add(len(node.value))
        elif node.value is not None and not node.children:
            raise ThreefoldError(f"leaf {node.name} has one number, not a payoff for each player")
    if len(lengths) != 1:
        counts = " and ".join(map(str, sorted(lengths))) or "no"
        raise ThreefoldError(f"leaves have {counts} payoffs; all need the same number, like <3,1>")
    return lengths.pop()


def _first(root: Node) -> int:
    """The player to move at the root: the second one after `min`."""
    return 1 if root.player == MIN else 0


def _player_name(mover: int, players: int) -> str | None:
    """A player's name if there are more than two, where MAX and MIN do not fit."""
    return f"player {mover + 1}" if players > 2 else None


def _payoffs(trace: Trace, node: Node) -> tuple[Number, ...]:
    value = trace.leaf(node)
    if not isinstance(value, tuple):
        raise ThreefoldError(f"node {node.name} has one number, not a payoff for each player")
    return value


def maxn(root: Node, trace: Trace, depth: int | None = None) -> tuple[tuple[Number, ...], Line]:
    """MAX^N (Luckhardt and Irani, 1986): every player maximizes their own payoff."""
    players, first = _players(root), _first(root)

    def search(node: Node, plies: int) -> tuple[tuple[Number, ...], Line]:
        mover = (first + plies) % players
        trace.enter(node, player=_player_name(mover, players))
        if stops(node, plies, depth):
            return _payoffs(trace, node), None
        best: tuple[Number, ...] = ()
        line: Line = None
        for child in trace.expand(node):
            payoffs, below = search(child, plies + 1)
            trace.child(node, child, payoffs)
            if line is None or payoffs[mover] > best[mover]:
                best, line = payoffs, (child, below)
        trace.leave(node, best, line)
        return best, line

    return search(root, 0)


def paranoid(root: Node, trace: Trace, depth: int | None = None) -> tuple[Bound, Line]:
    """PARANOID (Sturtevant and Korf, 2000): all others play against the player at the root.

    Only that player's payoff counts, so alpha-beta applies.
    """
    players, me = _players(root), _first(root)

    def search(node: Node, alpha: Bound, beta: Bound, plies: int) -> tuple[Bound, Line]:
        trace.enter(node, alpha, beta, _player_name((me + plies) % players, players))
        if stops(node, plies, depth):
            return _payoffs(trace, node)[me], None
        mine = plies % players == 0
        best: Bound = -INFINITY if mine else INFINITY
        line: Line = None
        for child in trace.expand(node):
            value, below = search(child, alpha, beta, plies + 1)
            trace.child(node, child, value)
            if line is None or (value > best if mine else value < best):
                best, line = value, (child, below)
            alpha, beta, cut = narrow(trace, node, best, alpha, beta, maximizing=mine)
            if cut:
                break
        trace.leave(node, best, line)
        return best, line

    return search(root, -INFINITY, INFINITY, 0)
