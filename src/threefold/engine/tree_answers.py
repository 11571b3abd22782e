"""What the trees of a Monte Carlo search say: the best moves, their values and continuations.

Several trees from the same position are read as one. Where more than one of them has a node, their
visits add up, and whatever any of them has proven holds.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from threefold.engine.result import Line
from threefold.engine.uct import NOTHING, ROOT, UNKNOWN, Index, Tree
from threefold.rules import superko
from threefold.rules.contract import CHANCE, FINISHED, MAX_VALUE, MIN, Action, Player
from threefold.rules.game import Game

S = TypeVar("S")

#: The same position in each tree that has it.
Nodes: TypeAlias = Sequence[tuple[Tree, Index]]


class Seen(NamedTuple):
    """What all trees together know of a node."""

    visits: int
    total: float
    low: float
    high: float
    plies: int
    prior: float

    @property
    def is_known(self) -> bool:
        """Whether anything was found out about it."""
        return self.visits > 0 or self.is_solved

    @property
    def value(self) -> float:
        """What it is worth to MAX: the mean of the simulations, within what is proven."""
        mean = self.total / self.visits if self.visits else 0.0
        return min(max(mean, self.low), self.high)

    @property
    def is_solved(self) -> bool:
        """Whether the value is proven."""
        return self.low >= self.high

    def least_to(self, mover: Player) -> float:
        """The least value that it can have for a player."""
        return -self.high if mover == MIN else self.low


def seen(nodes: Nodes) -> Seen:
    """What all trees together know of a node."""
    visits, total, low, high, plies = 0, 0.0, float(-MAX_VALUE), float(MAX_VALUE), UNKNOWN
    prior = 0.0
    for tree, i in nodes:
        node = tree[i]
        visits += int(node.visits)
        total += float(node.total)
        low, high = max(low, float(node.low)), min(high, float(node.high))
        if node.plies != UNKNOWN and (plies == UNKNOWN or node.plies < plies):
            plies = int(node.plies)
        prior = max(prior, float(getattr(node, "prior", 0.0)))  # where a net proposes moves
    return Seen(visits, total, low, high, plies, prior)


class TreeAnswers(Generic[S]):
    """The trees of one position, read for the player to move."""

    def __init__(self, game: Game[S], s: S, trees: Sequence[Tree]) -> None:
        self._game = game
        self._position = s
        self._player = game.player(s)
        self._roots: Nodes = [(tree, ROOT) for tree in trees]
        self._root = seen(self._roots)

    @property
    def is_proven(self) -> bool:
        """Whether the value of the position is certain.

        Trees do not see superko beyond the root. So a win at once is certain, but not that no other
        move wins more.
        """
        certain = self._is_certain(self._root, plies_before=0)
        return certain and (
            not self._game.has_superko or superko.ends_at_once(self._game, self._position)
        )

    @property
    def win_in(self) -> int | None:
        """Plies until the game is won, negative where it is lost."""
        return self._win_in(self._root, plies_before=0)

    def lines(self, multipv: int) -> Iterator[Line]:
        """The best moves, each with its expected continuation."""
        for nodes in self._ranked(self._roots)[:multipv]:
            child = seen(nodes)
            yield Line(
                _move(nodes),
                self.in_units(child.value),
                self._win_in(child, plies_before=1),
                self._is_certain(child, plies_before=1),
                tuple(self._pv(nodes)),
                child.visits,
            )

    def in_units(self, utility: float) -> float:
        """What a utility to MAX is worth to the player to move, beside evaluations if any."""
        sign = -1 if self._player == MIN else 1
        value = sign * utility * (1 if self._game.evaluation is None else FINISHED)
        return int(value) if value == int(value) else value

    def _is_certain(self, node: Seen, *, plies_before: int) -> bool:
        """Whether a value is proven by the rules of the whole game.

        Trees do not see superko beyond the root: only a game that ends at once is certain then.
        """
        if not self._game.has_superko:
            return node.is_solved
        return node.is_solved and node.plies != UNKNOWN and node.plies + plies_before <= 1

    def _win_in(self, node: Seen, *, plies_before: int) -> int | None:
        """Plies from the root until the game is won at a node, negative where it is lost."""
        if node.plies == UNKNOWN or node.low <= 0 <= node.high:
            return None
        if self._game.has_superko and not self._is_certain(node, plies_before=plies_before):
            return None
        won = node.least_to(self._player) > 0
        return node.plies + plies_before if won else -node.plies - plies_before

    def _pv(self, nodes: Nodes) -> Iterator[Action]:
        """The moves from a child of the root on, as long as a player and not nature decides."""
        yield _move(nodes)
        while _mover(nodes) != CHANCE and (ranked := self._ranked(nodes)):
            nodes = ranked[0]
            if not seen(nodes).is_known:
                return
            yield _move(nodes)

    def _ranked(self, nodes: Nodes) -> list[Nodes]:
        """The children of a node, best first for the player to move.

        The most visited comes first, as is usual in UCT. But a move that is sure to bring as much
        as that one promises goes before it: the soonest win, the latest loss. Those of which
        nothing is known come last, the likeliest first.
        """
        by_move: dict[Action, list[tuple[Tree, Index]]] = {}
        for tree, i in nodes:
            first = int(tree[i].first)
            for child in range(first, first + int(tree[i].children) if first else NOTHING):
                by_move.setdefault(int(tree[child].move), []).append((tree, child))
        mover = _mover(nodes)
        sign = -1 if mover == MIN else 1
        known = {a: seen(children) for a, children in by_move.items()}

        def proof(a: Action) -> tuple[float, float]:
            sure = known[a].least_to(mover)
            plies = math.inf if known[a].plies == UNKNOWN else float(known[a].plies)
            return sure, -plies if sure > 0 else plies

        by_visits = sorted(known, key=lambda a: (-known[a].visits, -known[a].prior))
        by_proof = sorted(by_visits, key=proof, reverse=True)
        ranked: list[Nodes] = []
        while by_visits:
            proven, visited = by_proof[0], by_visits[0]
            better = proven if proof(proven)[0] >= sign * known[visited].value else visited
            ranked.append(by_move[better])
            by_proof.remove(better)
            by_visits.remove(better)
        return ranked


def _move(nodes: Nodes) -> Action:
    tree, i = nodes[0]
    return int(tree[i].move)


def _mover(nodes: Nodes) -> Player:
    """Who moves at a node: a tree knows it from the first visit on."""
    return next((int(tree[i].mover) for tree, i in nodes if tree[i].visits), 0)
