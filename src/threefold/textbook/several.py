"""Games that are not zero-sum, or have more than two players: MAX^N and PARANOID.

Each leaf has a payoff for every player, `<3,1>`. In a written tree, players take turns in order,
starting with the first at the root; with two payoffs, MAX and MIN alternate. In a game's tree, the
game says who is to move. A chance node is worth the mean of its children, and is no turn.
"""

from threefold.errors import ThreefoldError
from threefold.rules.contract import CHANCE, MIN, Player
from threefold.textbook.minimax import stops
from threefold.textbook.trace import INFINITY, Bound, Line, Trace
from threefold.textbook.tree import Node, Number, simplest, walk
from threefold.textbook.window import narrow


class _Players:
    """Who is to move at a node, and what they are called."""

    def __init__(self, root: Node) -> None:
        self._sides = root.sides
        self.count = len(root.sides) or _payoffs_in(root)

    def first(self, root: Node) -> Player:
        """The player to move at the root, or below it if chance is to move there."""
        if self._sides and root.player != CHANCE:
            return root.player
        return 1 if root.player == MIN else 0

    def mover(self, node: Node, turn: Player) -> Player:
        """Whose move it is, if in a written tree it is this player's turn."""
        if node.player == CHANCE:
            return CHANCE
        return node.player if self._sides else turn

    def after(self, mover: Player, turn: Player) -> Player:
        """Whose turn it is a ply later."""
        return turn if mover == CHANCE else (mover + 1) % self.count

    def name(self, mover: Player) -> str | None:
        """A player's name if there are more than two, where MAX and MIN do not fit."""
        if self.count <= 2 or mover == CHANCE:
            return None
        return self._sides[mover] if self._sides else f"player {mover + 1}"


def _payoffs_in(root: Node) -> int:
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


def _payoffs(trace: Trace, node: Node) -> tuple[Number, ...]:
    value = trace.leaf(node)
    if not isinstance(value, tuple):
        raise ThreefoldError(f"node {node.name} has one number, not a payoff for each player")
    return value


def maxn(root: Node, trace: Trace, depth: int | None = None) -> tuple[tuple[Number, ...], Line]:
    """MAX^N (Luckhardt and Irani, 1986): every player maximizes their own payoff."""
    players = _Players(root)

    def search(node: Node, plies: int, turn: Player) -> tuple[tuple[Number, ...], Line]:
        mover = players.mover(node, turn)
        trace.enter(node, player=players.name(mover))
        if stops(node, plies, depth):
            return _payoffs(trace, node), None
        best: tuple[Number, ...] = (0,) * players.count
        line: Line = None
        weights = iter(node.weights)
        for child in trace.expand(node):
            payoffs, below = search(child, plies + 1, players.after(mover, turn))
            trace.child(node, child, payoffs)
            if mover == CHANCE:
                weight = next(weights)
                pairs = zip(best, payoffs, strict=True)
                best = tuple(simplest(mean + weight * payoff) for mean, payoff in pairs)
            elif line is None or payoffs[mover] > best[mover]:
                best, line = payoffs, (child, below)
        trace.leave(node, best, line)
        return best, line

    return search(root, 0, players.first(root))


def paranoid(root: Node, trace: Trace, depth: int | None = None) -> tuple[Bound, Line]:
    """PARANOID (Sturtevant and Korf, 2000): all others play against the player at the root.

    Only that player's payoff counts, so alpha-beta applies. Below a chance node nothing is cut by
    what was found above it: every child's exact value is part of the mean.
    """
    players = _Players(root)
    me = players.first(root)

    def search(
        node: Node, alpha: Bound, beta: Bound, plies: int, turn: Player
    ) -> tuple[Bound, Line]:
        mover = players.mover(node, turn)
        trace.enter(node, alpha, beta, players.name(mover))
        if stops(node, plies, depth):
            return _payoffs(trace, node)[me], None
        if mover == CHANCE:
            return mean(node, plies, turn), None
        mine = mover == me
        best: Bound = -INFINITY if mine else INFINITY
        line: Line = None
        for child in trace.expand(node):
            value, below = search(child, alpha, beta, plies + 1, players.after(mover, turn))
            trace.child(node, child, value)
            if line is None or (value > best if mine else value < best):
                best, line = value, (child, below)
            alpha, beta, cut = narrow(trace, node, best, alpha, beta, maximizing=mine)
            if cut:
                break
        trace.leave(node, best, line)
        return best, line

    def mean(node: Node, plies: int, turn: Player) -> Bound:
        """The mean of a chance node's children, each with its exact value."""
        total: Number = 0
        for child, weight in zip(trace.expand(node), node.weights, strict=True):
            value, _ = search(child, -INFINITY, INFINITY, plies + 1, turn)
            trace.child(node, child, value)
            total = simplest(total + weight * value)  # type: ignore[arg-type]
        trace.leave(node, total, None)
        return total

    return search(root, -INFINITY, INFINITY, 0, me)
