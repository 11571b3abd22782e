"""MONTE CARLO TREE SEARCH with upper confidence bounds: UCT (Kocsis and Szepesvári, 2006).

A tree is grown one node a round. Each round has the four phases that every book names: *selection*
down the tree by the bound mean + c·√(ln N / n), *expansion* by one node, *simulation* of the rest
by random moves, and *back-up* of its outcome (Browne et al., 2012). N is how often the parent was
visited and n how often the child. Values are MAX's; MIN selects by the negated mean. Chance nodes
have no bounds: their events are drawn by their probabilities.

The value is an estimate: the mean of all outcomes. The line is the most visited one.
"""

import math
import random
from dataclasses import dataclass, field
from fractions import Fraction

from threefold.errors import ThreefoldError, argument
from threefold.rules.contract import CHANCE, MAX
from threefold.textbook.chance import leaf_values
from threefold.textbook.gametree import GAME_ROOT, GameNode
from threefold.textbook.minimax import stops
from threefold.textbook.trace import INFINITY, Line, Trace
from threefold.textbook.tree import MAX_DEPTH, Node, Number, simplest

SIMULATIONS = 20
MAX_SIMULATIONS = 100_000
#: √2, for values of ±1; for others, it is scaled by half of their range.
EXPLORATION = Fraction("1.4")


@dataclass(eq=False)
class _Grown:
    """A node of the tree grown so far, or a child of one that is not yet part of it."""

    node: Node
    plies: int = 0
    parent: "_Grown | None" = None
    visits: int = 0
    #: The sum of all outcomes, to MAX.
    total: Number = 0
    children: list["_Grown"] = field(default_factory=list)

    @property
    def is_chance(self) -> bool:
        """Whether chance decides what follows."""
        return self.node.player == CHANCE

    @property
    def is_new(self) -> bool:
        """Whether it is not yet part of the tree, which is the root alone at first."""
        return self.visits == 0 and self.parent is not None

    @property
    def mean(self) -> Number:
        """The mean outcome."""
        return simplest(Fraction(self.total) / self.visits)


def mcts(
    root: Node,
    trace: Trace,
    depth: int | None = None,
    simulations: int = SIMULATIONS,
    exploration: float | None = None,
    seed: int = 0,
) -> tuple[Number, Line]:
    """UCT: rounds of selection, expansion, simulation and back-up; the most visited move."""
    _check(simulations, exploration)
    rng, values, longest = random.Random(seed), _Range(root, depth), _longest(root)

    def bound(child: _Grown, parent: _Grown) -> float:
        mean = float(child.mean if parent.node.player == MAX else -child.mean)
        return mean + c * math.sqrt(math.log(parent.visits) / child.visits)

    def moves(node: _Grown) -> list[_Grown]:
        if stops(node.node, node.plies, depth):
            return []
        return [_Grown(child, node.plies + 1, node) for child in trace.expand(node.node)]

    def select(node: _Grown) -> _Grown:
        trace.enter(node.node)
        while node.children and (node.is_chance or all(child.visits for child in node.children)):
            if node.is_chance:
                child = rng.choices(node.children, node.node.weights)[0]
                trace.note("draw", node.node.name, child=child.node.name)
            else:
                bounds = [bound(child, node) for child in node.children]
                child = node.children[bounds.index(max(bounds))]
                _report(trace, node, child, c, bounds)
            node = child
            trace.enter(node.node)
        trace.note("stop", node.node.name, why=_why(node))
        return node

    def expand(leaf: _Grown) -> _Grown:
        untried = [child for child in leaf.children if child.is_new]
        if leaf.is_new:
            new = leaf
        elif untried:
            new = untried[0]
            trace.enter(new.node)
        else:
            trace.note("grow", leaf.node.name, new=False, ends=leaf.node.is_over)
            return leaf
        trace.note("grow", new.node.name, new=True, ends=new.node.is_over)
        new.children = moves(new)
        return new

    def simulate(new: _Grown) -> Number:
        node, plies = new.node, new.plies
        while not stops(node, plies, depth) and plies < longest:
            trace.check_time()
            node, plies = node.random_child(rng), plies + 1
        is_too_long = not stops(node, plies, depth)
        outcome: Number = 0 if is_too_long else trace.worth(node)
        _report_playout(trace, new, node, plies, outcome, is_too_long=is_too_long)
        return outcome

    def back_up(node: _Grown | None, outcome: Number) -> None:
        while node is not None:
            node.visits += 1
            node.total += outcome
            trace.note("back-up", node.node.name, visits=node.visits, mean=node.mean)
            node = node.parent

    tree = _Grown(root)
    tree.children = moves(tree)
    for number in range(1, simulations + 1):
        c = values.exploration if exploration is None else exploration
        trace.restart()
        trace.note("round", root.name, number=number, of=simulations, exploration=c)
        leaf = select(tree)
        new = expand(leaf)
        outcome = simulate(new)
        back_up(new, outcome)
        values.include(outcome)
    line = _most_visited(tree)
    trace.leave(root, tree.mean, line, whole=True)
    return tree.mean, line


def _check(simulations: int, exploration: float | None) -> None:
    if not 1 <= simulations <= MAX_SIMULATIONS:
        raise ThreefoldError(
            f"{argument('simulations', simulations)} is not between 1 and {MAX_SIMULATIONS:,}"
        )
    if exploration is not None and not 0 <= exploration < INFINITY:
        shown = argument("exploration", f"{exploration:g}")
        raise ThreefoldError(f"{shown} is not a number from 0 on")


class _Range:
    """The least and the greatest value: of a tree's leaves, or of a game's outcomes so far."""

    def __init__(self, root: Node, depth: int | None) -> None:
        is_game = root.name == GAME_ROOT  # it may be too large to be looked through
        values = [] if is_game else leaf_values(root, depth)
        self._extremes = (min(values), max(values)) if values else None

    def include(self, value: Number) -> None:
        """Widen the range to a value."""
        least, greatest = self._extremes or (value, value)
        self._extremes = (min(least, value), max(greatest, value))

    @property
    def exploration(self) -> float:
        """The constant c of the bound; while all values are equal, any would do."""
        least, greatest = self._extremes or (0, 0)
        return float(EXPLORATION * (Fraction(greatest - least) / 2 or 1))


def _longest(root: Node) -> int:
    """The number of plies after which a game is cut off, and counts as a draw."""
    return root.game.facts.max_ply if isinstance(root, GameNode) else MAX_DEPTH


def _why(node: _Grown) -> str:
    """Why the selection goes no further than a node."""
    if node.is_new:
        return "new"
    return "untried" if node.children else "over" if node.node.is_over else "deep enough"


def _report(trace: Trace, node: _Grown, child: _Grown, c: float, bounds: list[float]) -> None:
    """Everything that a reader needs to compute the bounds again."""
    trace.note(
        "select",
        node.node.name,
        child=child.node.name,
        visits=node.visits,
        exploration=c,
        children=[each.node.name for each in node.children],
        counts=[each.visits for each in node.children],
        means=[each.mean for each in node.children],
        bounds=bounds,
    )


def _report_playout(
    trace: Trace, new: _Grown, end: Node, plies: int, outcome: Number, *, is_too_long: bool
) -> None:
    """Where a playout began and ended, and whether the game was over there."""
    how = "too long" if is_too_long else "over" if end.is_over else "deep enough"
    moves = plies - new.plies
    trace.note("playout", new.node.name, end=end.name, plies=moves, value=outcome, how=how)


def _most_visited(tree: _Grown) -> Line:
    """The line of the most visited children; ties go to the first. Chance ends it."""
    played = []
    node = tree
    while not node.is_chance and any(child.visits for child in node.children):
        node = max(node.children, key=lambda child: child.visits)
        played.append(node.node)
    line: Line = None
    for each in reversed(played):
        line = (each, line)
    return line
