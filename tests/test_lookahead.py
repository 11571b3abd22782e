"""Looking ahead in games of chance by a net: the values of plain expectiminimax, filters included.

The oracle is interpreted, and so are the nets that it asks.
"""

import random
from functools import cache
from typing import Any

import pytest
from random_nets import random_net
from test_engine import random_position

from threefold import CHANCE, Game, game
from threefold.engine.analysis import Engine
from threefold.engine.limits import Limits
from threefold.engine.nets import Net
from threefold.engine.rounding import rounded_mean
from threefold.engine.values import UNIT
from threefold.rules.contract import FINISHED

SPEC = "dice-nim(stones=14,faces=5,loaded=true)"


@cache
def judged(seed: int) -> Game[Any]:
    g = game(SPEC)
    return g.judged_by(random_net(g, seed))


class Oracle:
    """Expectiminimax by the book on a game that a net judges; values are MAX's, in fractions."""

    def __init__(self, g: Game[Any], exact: bool, keep: int = 0, margin: int = 0) -> None:
        self.game, self.exact, self.keep, self.margin = g, exact, keep, margin
        self.known: dict[Any, int] = {}

    def static(self, s: Any) -> int:
        """The value of a position without looking ahead."""
        if not self.game.moves(s):
            return self.game.utility(s) * FINISHED * UNIT
        assert isinstance(self.game.net, Net)
        value = self.game.net.value(s, FINISHED * UNIT)
        return -value if s.turn == 1 else value

    def value(self, s: Any, depth: int) -> int:
        """The value of a position `depth` plies ahead."""
        if (s, depth) not in self.known:
            self.known[s, depth] = self._value(s, depth)
        return self.known[s, depth]

    def _value(self, s: Any, depth: int) -> int:
        g = self.game
        if depth == 0 or not g.moves(s):
            return self.static(s)
        if g.player(s) == CHANCE:
            # A net is not asked right after a roll.
            ahead = depth - 1 if self.exact else max(depth - 1, 1)
            events = g.chances(s)
            total = sum(w * self.value(g.result(s, e), ahead) for e, w in events)
            return rounded_mean(total, sum(w for _, w in events))
        return max(self.after(s, depth), key=lambda v: v if g.player(s) == 0 else -v)

    def after(self, s: Any, depth: int) -> list[int]:
        """The values of the moves that the filter keeps."""
        g, sign = self.game, 1 if self.game.player(s) == 0 else -1
        children = [g.result(s, a) for a in g.moves(s)]
        if self.keep and depth > 1:
            seems = sorted((sign * self.static(child) for child in children), reverse=True)
            least = max(seems[: self.keep][-1], seems[0] - self.margin * UNIT)
            children = [child for child in children if sign * self.static(child) >= least]
        return [self.value(child, depth - 1) for child in children]


def positions(g: Game[Any], count: int, seed: int) -> list[Any]:
    rng = random.Random(seed)
    found = [random_position(g, rng, 12) for _ in range(3 * count)]
    return [s for s in found if g.moves(s)][:count]


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("seed", [1, 2])
def test_lookahead_by_a_net_finds_the_value_of_the_book(seed: int, exact: bool) -> None:
    g = judged(seed)
    oracle, engine = Oracle(g, exact), Engine(g, megabytes=1)
    for s in positions(g, 12, seed):
        for depth in (1, 2, 3, 4, 6):
            found = engine.analyze(s, Limits(depth=depth), exact=exact)
            sign = -1 if g.player(s) == 1 else 1
            assert found.value * UNIT == sign * oracle.value(s, min(depth, found.depth)), (s, depth)


def test_a_filter_keeps_the_moves_that_seem_best() -> None:
    g = judged(3)
    lost = set()
    for keep, margin in ((1, 3000), (2, 3000), (3, 40)):
        changes = {"filter": keep, "filter_margin": margin}
        oracle, engine = Oracle(g, False, keep, margin), Engine(g, megabytes=1, selectivity=changes)
        whole = Oracle(g, False)
        for s in positions(g, 10, keep):
            found = engine.analyze(s, Limits(depth=5))
            sign = -1 if g.player(s) == 1 else 1
            assert found.value * UNIT == sign * oracle.value(s, found.depth)
            lost.add(oracle.value(s, found.depth) != whole.value(s, found.depth))
    assert lost == {False, True}


def test_a_filter_proves_nothing_false() -> None:
    g = judged(3)
    filtered = Engine(g, megabytes=1, selectivity={"filter": 1, "filter_margin": 0})
    whole = Engine(g, megabytes=1)
    missed = 0
    for s in positions(g, 30, 11):
        found, truth = (e.analyze(s, Limits(depth=60)) for e in (filtered, whole))
        assert truth.exact
        assert not found.exact or found.value == truth.value, s
        missed += found.value != truth.value
    assert missed


def test_an_exact_search_has_no_filter() -> None:
    g = judged(3)
    filtered, whole = (Engine(g, megabytes=1, selectivity={"filter": n}) for n in (1, 0))
    for s in positions(g, 6, 5):
        values = [e.analyze(s, Limits(depth=4), exact=True).value for e in (filtered, whole)]
        assert values[0] == values[1]


def test_exact_values_do_not_meet_the_others_in_the_table() -> None:
    g = judged(1)
    shared = Engine(g, megabytes=1)
    for s in positions(g, 6, 7):
        for exact in (False, True, False):
            alone = Engine(g, megabytes=1).analyze(s, Limits(depth=2), exact=exact).value
            assert shared.analyze(s, Limits(depth=2), exact=exact).value == alone


def test_every_line_has_its_true_value_also_with_a_filter() -> None:
    g = judged(2)
    s = g.parse("14 1 5")
    for changes in ({}, {"filter": 2, "filter_margin": 3000}):
        engine = Engine(g, megabytes=1, selectivity=changes)
        found = engine.analyze(s, Limits(depth=3), multipv=5)
        oracle = Oracle(g, False, *changes.values())
        for line in found.lines:
            assert line.value * UNIT == oracle.value(g.result(s, line.move), 2)
        assert len({line.move for line in found.lines}) == 5
        assert list(found.lines) == sorted(found.lines, key=lambda line: -line.value)
