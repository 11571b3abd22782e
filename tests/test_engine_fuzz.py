"""Random positions, limits and threads: no crash, no broken limit, no word against the textbook."""

import random
from fractions import Fraction
from typing import Any

import pytest
from breakthrough import breakthrough
from test_engine import random_position

from threefold import CHANCE, Game, game
from threefold.engine.analysis import Engine
from threefold.engine.limits import Limits
from threefold.engine.result import Result
from threefold.rules.contract import FINISHED

GAMES = [
    "tic-tac-toe",
    "mnk(m=4,n=3,k=3)",
    "nim(heaps=1-2-3,misere=true)",
    "dice-nim(loaded=true)",
    "connect-four",
    "othello",
    "othello(size=4)",
    "kalah(pits=3,seeds=2)",
    "checkers",
    "breakthrough",
]
#: Kept for all rounds: threads share a table that earlier searches have filled.
_threaded: dict[tuple[str, int], Engine[Any]] = {}


def check_sound(g: Game[Any], s: Any, found: Result[Any], multipv: int) -> None:
    """What must hold of any answer, however early the search was stopped."""
    legal = g.moves(s)
    if not legal:
        assert (found.best, found.pv, found.exact) == (None, (), True)
        return
    if g.player(s) == CHANCE:
        assert found.best is None
        return
    assert found.best in legal
    assert 1 <= len(found.lines) <= min(multipv, len(legal))
    assert len({line.move for line in found.lines}) == len(found.lines)
    for line in found.lines:
        assert line.pv[0] == line.move
        t = s
        for a in line.pv:
            if g.player(t) == CHANCE:
                break
            assert a in g.moves(t)
            t = g.result(t, a)
    assert found.to_json()["best"] == g.format_move(s, found.best)


def textbook_value(g: Game[Any], s: Any, depth: int) -> float:
    """MAX's value by the printed procedure, a finished game at 1000 times its utility."""
    procedure = "minimax" if g.facts.deterministic else "expectiminimax"
    explained = g.explain(procedure, s, depth=depth)
    assert isinstance(explained.value, int | float | Fraction)
    return float(explained.value)


def fuzz(seed: int, rounds: int) -> None:
    rng = random.Random(seed)
    for _ in range(rounds):
        spec = rng.choice(GAMES)
        g = breakthrough() if spec == "breakthrough" else game(spec)
        s = random_position(g, rng, 12)
        threads = rng.choice([1, 1, 2, 3])
        searches = _threaded.setdefault((spec, threads), Engine(g, megabytes=2, threads=threads))
        nodes = rng.choice([None, 1, 7, 500, 20_000])
        limits = Limits(
            time=rng.choice([None, 0.001, 0.02]) if nodes else 0.02,
            nodes=nodes,
            depth=rng.choice([None, 1, 3, 60]),
        )
        multipv = rng.choice([1, 1, 2, 50])
        found = searches.analyze(
            s, limits, multipv=multipv, seed=rng.choice([None, 3]), exact=rng.random() < 0.3
        )
        check_sound(g, s, found, multipv)
        assert nodes is None or found.nodes <= nodes

        depth = rng.choice([1, 2, 3])
        if not g.moves(s) or "noisy" in g.hooks:  # past the depth, the book knows no captures
            continue
        exact = searches.analyze(s, Limits(depth=depth), exact=True)
        sign = -1 if g.player(s) == 1 else 1
        by_the_book = sign * textbook_value(g, s, depth)
        # The book counts in utilities where it met nothing else.
        scales = (1, FINISHED) if g.evaluations else (1,)
        assert any(exact.value == pytest.approx(k * by_the_book, abs=1e-3) for k in scales), (
            f"{spec} {g.format(s)} depth {depth}: {exact.value}, by the book {by_the_book}"
        )


@pytest.mark.parametrize("seed", range(4))
def test_fuzz(seed: int) -> None:
    fuzz(seed, 25)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 140))
def test_fuzz_at_length(seed: int) -> None:
    fuzz(seed, 250)
