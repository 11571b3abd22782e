"""A game's tree with its information sets: what the players cannot tell apart.

Nodes at which a player knows the same are one information set. The player has the same moves at all
of them, and one strategy for all of them. What a player knew before is never forgotten (perfect
recall); otherwise the sets would not be enough to say what a strategy is worth.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from threefold.errors import ThreefoldError
from threefold.rules.contract import CHANCE, Player
from threefold.rules.game import Game
from threefold.textbook.gametree import GAME_ROOT, GameNode, Growth
from threefold.textbook.trace import PLAYER_NAMES
from threefold.textbook.tree import Node, walk
from threefold.textbook.treeshape import named

#: A larger tree is too much to follow step by step, and to draw.
MAX_TREE = 300


@dataclass(eq=False)
class InformationSet:
    """The nodes that a player cannot tell apart."""

    #: What the player sees there.
    seen: str
    player: Player
    #: What the player may do, in the order of each node's children.
    moves: tuple[str, ...]
    nodes: list[Node] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Who is to move there, and what that player sees."""
        return f"{PLAYER_NAMES[self.player]} {self.seen}"

    def __repr__(self) -> str:
        return f"<InformationSet {self.name}>"


class InformationTree:
    """A whole tree, and the information set of each node where a player decides."""

    def __init__(self, root: Node, sets: Sequence[InformationSet], procedure: str = "cfr") -> None:
        self.root = root
        self.sets = sets
        self.of = {node.name: each for each in sets for node in each.nodes}
        self.nodes = list(walk(root))
        _check_recall(self, procedure)

    def __repr__(self) -> str:
        return f"<InformationTree: {len(self.nodes)} nodes, {len(self.sets)} information sets>"


def information_tree(
    game: Game[Any], position: Any = None, procedure: str = "cfr"
) -> InformationTree:
    """The whole tree of a game for two players, which must be small."""
    game.require(procedure, zero_sum=True, perfect_information=False)
    root = GameNode(game, game.position(position), growth=Growth(hidden=True))
    sets: dict[tuple[Player, Any], InformationSet] = {}
    for node in _few(root, procedure):
        if node.player == CHANCE or node.is_over:
            continue
        moves = _moves(node)
        known = (node.player, _observed(node))
        if known not in sets:
            sets[known] = InformationSet(_seen(node), node.player, moves)
        if sets[known].moves != moves:
            one = sets[known].nodes[0]
            raise ThreefoldError(
                f"{game.name}: {PLAYER_NAMES[node.player]} sees the same at {named(one.name)} and "
                f"at {named(node.name)}, but has other moves: {', '.join(sets[known].moves)} and "
                f"{', '.join(moves)}"
            )
        sets[known].nodes.append(node)
    _distinguish(list(sets.values()))
    return InformationTree(root, list(sets.values()), procedure)


def _few(root: GameNode, procedure: str) -> Iterator[GameNode]:
    """The nodes in tree order, as long as they are few enough."""
    waiting, count = [root], 0
    while waiting:
        node = waiting.pop()
        count += 1
        if count > MAX_TREE:
            raise ThreefoldError(
                f"{procedure} goes through the whole tree, and that of {root.game.name} has more "
                f"than {MAX_TREE} nodes here: too many to follow; give a later --position"
            )
        yield node
        below = [child for child in node.children if isinstance(child, GameNode)]
        waiting.extend(reversed(below))


def _moves(node: GameNode) -> tuple[str, ...]:
    before = "" if node.name == GAME_ROOT else f"{node.name}/"
    return tuple(child.name.removeprefix(before) for child in node.children)


def _observed(node: GameNode) -> Any:
    """What the player to move knows; where nothing is hidden, also how the node was reached."""
    if node.game.facts.perfect_information:
        return node.name
    return node.game.observe(node.state, node.game.seat(node.state))


def _seen(node: GameNode) -> str:
    """What the player to move sees, in the game's own words if it has some for it."""
    seen = node.game.as_seen(node.state, node.game.seat(node.state))
    if seen is not None:
        return node.game.format(seen)
    return " ".join(map(str, _observed(node)))


def _distinguish(sets: Sequence[InformationSet]) -> None:
    """Number those whose texts are equal though what is known is not."""
    taken: dict[str, int] = {}
    for each in sets:
        taken[each.name] = taken.get(each.name, 0) + 1
        if taken[each.name] > 1:
            each.seen += f" #{taken[each.name]}"


def _check_recall(tree: InformationTree, procedure: str) -> None:
    """Raise unless each player always knows what they knew and did before."""
    below: dict[str, dict[Player, tuple[object, ...]]] = {tree.root.name: {}}
    before: dict[InformationSet, tuple[object, ...]] = {}
    for node in tree.nodes:
        past, own = below[node.name], tree.of.get(node.name)
        if own is not None:
            mine = past.get(own.player, ())
            if before.setdefault(own, mine) != mine:
                raise ThreefoldError(
                    f"{procedure} is for players who forget nothing, and {own.name} forgets what "
                    f"came before {named(node.name)}"
                )
        for k, child in enumerate(node.children):
            below[child.name] = past
            if own is not None:
                below[child.name] = past | {own.player: (*past.get(own.player, ()), (own, k))}
