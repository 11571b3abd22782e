"""Fixed-depth alpha-beta, compiled: the same both ways, and minimax's value."""

import random
from dataclasses import fields
from typing import Any

import nim
import pytest
from test_compile import ALL_GAMES, _one, unpacks

from threefold import CHANCE, Game, ThreefoldError, game
from threefold.engine.alphabeta import _search_compiled, _search_interpreted, choose
from threefold.engine.rounding import rounded_mean
from threefold.engine.values import PLAIN_UTILITY


@pytest.mark.parametrize("spec", ALL_GAMES)
def test_alphabeta_is_the_same_both_ways(spec: str) -> None:
    g = game(spec)
    s = g.initial() if g.facts.deterministic else g.result(g.initial(), 2)
    for depth in range(1, 5):
        interpreted, expected = _search_interpreted(g, s, depth, True)
        compiled, found = _search_compiled(g, s, depth, True)
        assert compiled() == interpreted()
        assert all(getattr(found, f.name) == getattr(expected, f.name) for f in fields(expected))


def plain_minimax(g: Game[Any], s: Any, depth: int, ply: int = 0) -> int:
    """MAX's value, by the book."""
    moves = g.moves(s)
    if not moves:
        u = g.utility(s)
        return u * PLAIN_UTILITY - ply * (u > 0) + ply * (u < 0)
    if depth == 0:
        return g.evaluate(s)
    values = [plain_minimax(g, g.result(s, a), depth - 1, ply + 1) for a in moves]
    if g.player(s) == CHANCE:
        weights = [weight for _, weight in g.chances(s)]
        total = sum(w * v for w, v in zip(weights, values, strict=True))
        return rounded_mean(total, sum(weights))
    return min(values) if g.player(s) == 1 else max(values)


@pytest.mark.parametrize("spec", [*ALL_GAMES, "othello(size=4)"])
def test_alphabeta_is_minimax(spec: str) -> None:
    g = game(spec)
    rng = random.Random(5)
    for _ in range(20):
        s = g.initial()
        for _ in range(rng.randrange(6)):
            s = g.result(s, rng.choice(g.moves(s))) if g.moves(s) else s
        if not g.moves(s) or g.player(s) == CHANCE:
            continue
        for depth in (1, 3):
            sign = -1 if g.player(s) == 1 else 1
            assert choose(g, s, depth).value == sign * plain_minimax(g, s, depth)


def test_the_same_player_may_move_twice_running() -> None:
    """Taking one stone keeps the turn; the sign must not flip there."""

    def result(s: nim.State, a: int) -> nim.State:
        return nim.State(s.stones - a, s.turn if a == 1 else 1 - s.turn)

    g = nim.nim(result=result, initial=lambda: nim.State(8, 0), evaluate=lambda s: s.stones)
    for depth in range(1, 7):
        assert choose(g, g.initial(), depth).value == plain_minimax(g, g.initial(), depth)


def test_a_win_is_taken_at_once() -> None:
    g = game("connect-four")
    assert g.format_move(g.parse("121212"), choose(g, g.parse("121212"), 6).best) == "1"


def test_choosing_needs_a_choice() -> None:
    g, dice = game("tic-tac-toe"), game("dice-nim")
    with pytest.raises(ThreefoldError, match="the game is over"):
        choose(g, g.parse("XXX/OO./... O"), 3)
    with pytest.raises(ThreefoldError, match="nature is to move"):
        choose(dice, dice.initial(), 3)
    with pytest.raises(ThreefoldError, match="depth 0"):
        choose(g, g.initial(), 0)


def test_large_utilities_still_choose_a_legal_move() -> None:
    g = nim.nim(utility=lambda s: -(1 << 22))
    assert choose(g, g.initial(), 6).best in g.moves(g.initial())


def test_a_search_checks_the_facts_first() -> None:
    with pytest.raises(ThreefoldError, match="alpha-beta is for zero-sum games, and Nim 20 is not"):
        choose(nim.nim(zero_sum=False), nim.initial(), 3)
    with pytest.raises(ThreefoldError, match="perfect information, and Nim 20 hides some"):
        choose(nim.nim(observe=lambda s, p: s.turn), nim.initial(), 3)


def test_a_deep_search_is_interpreted_without_a_recursion_error() -> None:
    g = nim.nim(
        initial=lambda: nim.State(100_000, 0),
        actions=lambda s, out: _one(out),
        evaluate=unpacks,
    )
    assert choose(g, g.initial(), 1000).best == 1
