"""The ways in which a right minimax or alpha-beta may differ, and which of them a program follows.

All find the same value, but they do not look at the same leaves.

- Equality may cut at MAX nodes, at MIN nodes, at both or at neither.
- After a cut, and where no move improves on the bound, a node may return the best value it has
  seen (fail-soft) or the bound (fail-hard). Some programs do one after a cut and the other
  elsewhere. A child that returns the bound itself cuts only if equality does.
- The test may compare the value with the bound (v ≥ β), or the two bounds (α ≥ β). If equality cuts
  at one side only, a window may be a single point, and there the two differ.

If equality cuts at both, what is returned changes no leaf. Then only a call with a window of its
own shows it: what comes back when the value is outside the window.

Minimax looks at every leaf, depth first or layer by layer; always from left to right.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product
from typing import TypeAlias

from threefold.rules.contract import MAX
from threefold.textbook.cut import CUTS, EQUAL, Cut
from threefold.textbook.explain import explain
from threefold.textbook.trace import INFINITY, Bound
from threefold.textbook.tree import Node, levels, parse_tree, walk

#: How far a probe's window lies from the true value, and how wide it is.
_AWAY, _WIDE = 2, 2
#: How many trees are probed: the largest ones.
_PROBED = 20

#: A value, and the leaves looked at in order.
Run: TypeAlias = tuple[Bound, list[str]]


@dataclass(frozen=True)
class Returns:
    """What a node returns: the best value it has seen, or never more than the bound."""

    soft_after_cut: bool = True
    soft_otherwise: bool = True

    def __str__(self) -> str:
        if self.soft_after_cut == self.soft_otherwise:
            return "fail-soft" if self.soft_after_cut else "fail-hard"
        after, otherwise = ("soft", "hard") if self.soft_after_cut else ("hard", "soft")
        return f"fail-{after} after a cut and fail-{otherwise} elsewhere"


SOFT, HARD = Returns(), Returns(soft_after_cut=False, soft_otherwise=False)
#: Simple ones first, because a program is told the first one that fits.
_RETURNS = (SOFT, HARD, Returns(soft_otherwise=False), Returns(soft_after_cut=False))


@dataclass(frozen=True)
class Convention:
    """One way to write alpha-beta."""

    cut: Cut = EQUAL
    at_max: Returns = SOFT
    at_min: Returns = SOFT
    #: Whether the two bounds are compared, not the value with one of them.
    compares_bounds: bool = False

    @property
    def returns(self) -> str:
        """What nodes return, in words."""
        if self.at_max == self.at_min:
            return str(self.at_max)
        return f"{self.at_max} at MAX, {self.at_min} at MIN"

    def run(self, root: Node, alpha: Bound = -INFINITY, beta: Bound = INFINITY) -> Run:
        """Alpha-beta with every choice open, for the comparison with a program.

        The procedures of `explain` are the two ways that books print. A right program may follow
        any other, so `grade` runs all of them on every tree, and records no steps. The tests
        require the same values and leaves as `alphabeta` and `alphabeta-hard`, and as a plain
        program of every convention, with and without a window.
        """
        looked_at: list[str] = []

        def value_of(node: Node, alpha: Bound, beta: Bound) -> Bound:
            if not node.children:
                looked_at.append(node.name)
                assert isinstance(node.value, int)
                return node.value
            # From the mover's point of view: `own` is what the mover has, `limit` what ends it.
            sign = 1 if node.player == MAX else -1
            own, limit = (alpha, beta) if sign == 1 else (-beta, -alpha)
            returns = self.at_max if sign == 1 else self.at_min
            best, least = -INFINITY, own
            for child in node.children:
                window = (own, limit) if sign == 1 else (-limit, -own)
                best = max(best, sign * value_of(child, *window))
                own = max(own, best)
                tested = own if self.compares_bounds else best
                if tested > limit or (tested == limit and self.cut.at(node.player)):
                    return sign * (best if returns.soft_after_cut else limit)
            return sign * (best if returns.soft_otherwise else max(best, least))

        return value_of(root, alpha, beta), looked_at

    def outside(self, probes: "Sequence[Probe]") -> list[Bound]:
        """What is returned for each probe."""
        return [self.run(probe.root, probe.alpha, probe.beta)[0] for probe in probes]


#: Every way that is right, starting with what most books print.
CONVENTIONS = tuple(
    sorted(
        (
            Convention(cut, at_max, at_min, compares_bounds)
            for cut, at_max, at_min, compares_bounds in product(
                CUTS, _RETURNS, _RETURNS, (False, True)
            )
        ),
        key=lambda one: one.at_max != one.at_min,
    )
)


def depth_first(root: Node) -> list[str]:
    """From left to right."""
    return [node.name for node in walk(root) if not node.children]


def top_down(root: Node) -> list[str]:
    """Layer by layer, starting at the root."""
    return [node.name for layer in levels(root) for node in layer if not node.children]


def bottom_up(root: Node) -> list[str]:
    """Layer by layer, starting at the deepest."""
    layers = [*levels(root)]
    return [node.name for layer in reversed(layers) for node in layer if not node.children]


#: The orders in which minimax may look at the leaves.
ORDERS: dict[str, Callable[[Node], list[str]]] = {
    "depth first": depth_first,
    "layer by layer from the bottom": bottom_up,
    "layer by layer from the top": top_down,
}


@dataclass(frozen=True)
class Probe:
    """A tree and a window that its value is not in."""

    tree: str
    alpha: int
    beta: int

    @cached_property
    def root(self) -> Node:
        """The parsed tree."""
        return parse_tree(self.tree)

    @cached_property
    def value(self) -> Bound:
        """The true value."""
        return Convention().run(self.root)[0]

    def bounded(self, value: Bound) -> Bound:
        """The value, or the bound it is beyond."""
        return max(self.alpha, min(self.beta, value))

    def allows(self, value: Bound | None) -> bool:
        """Whether a returned value is a bound that says on which side the true value lies."""
        low, high = sorted((self.value, self.bounded(self.value)))
        return value is not None and low <= value <= high


@lru_cache(maxsize=8)
def probes(texts: tuple[str, ...]) -> tuple[Probe, ...]:
    """Windows above and below the value of the last trees, which are the largest."""
    found = []
    for text in texts[-_PROBED:]:
        value = int(explain("minimax", parse_tree(text)).value)
        found.append(Probe(text, value + _AWAY, value + _AWAY + _WIDE))
        found.append(Probe(text, value - _AWAY - _WIDE, value - _AWAY))
    return tuple(found)


def fitting(
    texts: Sequence[str],
    runs: Sequence[Run],
    asked: Sequence[Probe],
    probed: Sequence[float | None],
) -> list[Convention]:
    """The conventions that agree with a program on every tree, and on the probes it answered.

    A fail-soft search may be called by a function that returns the bound: what counts is the
    search, and that the bound is right.
    """
    roots = [parse_tree(text) for text in texts]
    fit = [
        one
        for one in CONVENTIONS
        if all(one.run(root) == run for root, run in zip(roots, runs, strict=True))
    ]
    answered = asked[: len(probed)]
    returned = [(one, one.outside(answered)) for one in fit]
    bounded = [
        (one, [probe.bounded(value) for probe, value in zip(answered, values, strict=True)])
        for one, values in returned
    ]
    return [one for one, values in returned if values == [*probed]] or [
        one for one, values in bounded if values == [*probed]
    ]


def recognized(fit: Sequence[Convention]) -> str:
    """The convention in words; what a program returns is left out if nothing shows it."""
    cuts = {one.cut: None for one in fit}
    whole = {one.at_max for one in fit if one.at_max == one.at_min}
    returns = "" if {SOFT, HARD} <= whole else f"{fit[0].returns}, "
    where = fit[0].cut.where if len(cuts) == 1 else "too few ties to tell whether equality cuts"
    return f"{returns}{where}"


def only_equality_differs(texts: Sequence[str], runs: Sequence[Run]) -> bool:
    """Whether each run is right, and looks at no fewer and no more leaves than any convention."""
    for text, (value, leaves) in zip(texts, runs, strict=True):
        found = [one.run(parse_tree(text)) for one in CONVENTIONS]
        if value != found[0][0] or not (
            set.intersection(*(set(each) for _, each in found))
            <= set(leaves)
            <= set().union(*(each for _, each in found))
        ):
            return False
    return True
