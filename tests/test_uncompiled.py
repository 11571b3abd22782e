"""The search without compiling, and the engine's root moves and table."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from threefold import ThreefoldError, game
from threefold.engine.alphabeta import choose
from threefold.engine.analysis import Engine
from threefold.engine.limits import Limits
from threefold.engine.uncompiled import start_uncompiled

CHESS = game("chess")
TIC = game("tic-tac-toe")
NIM = game("nim(heaps=1-2-3)")
MIDDLE = TIC.parse("X../.O./... X")


@given(st.integers(0, 10_000), st.integers(2, 3))
@settings(max_examples=8)
def test_it_finds_the_value_of_plain_search(seed: int, depth: int) -> None:
    rng, s = random.Random(seed), TIC.initial()
    for _ in range(rng.randrange(6)):
        s = TIC.result(s, rng.choice(TIC.moves(s)))
    if not TIC.moves(s):
        return
    found = start_uncompiled(TIC, s, Limits(depth=depth)).result()
    known = choose(TIC, s, depth)
    assert found.depth == depth
    assert found.best is not None
    after = TIC.result(s, found.best)
    others = -choose(TIC, after, depth - 1).value if TIC.moves(after) else known.value
    if abs(known.value) < 1 << 31:
        assert found.value == known.value == others
    else:
        assert found.win_in is not None
        assert (found.win_in > 0) == (known.value > 0)
        assert abs(found.win_in) == (1 << 32) - abs(known.value)


def test_one_ply_is_one_ply() -> None:
    found = start_uncompiled(CHESS, CHESS.initial(), Limits(depth=1)).result()
    assert found.depth == 1
    assert found.nodes == len(CHESS.moves(CHESS.initial()))


def test_it_sees_mates_and_the_end_of_the_game() -> None:
    mate = CHESS.parse("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1")
    found = start_uncompiled(CHESS, mate, Limits(depth=2)).result()
    assert found.texts(found.pv) == ["d1d8"]
    assert found.win_in == 1
    mated = CHESS.parse("3R2k1/5ppp/8/8/8/8/8/K7 b - - 0 1")
    over = start_uncompiled(CHESS, mated).result()
    assert over.best is None
    assert over.value == -1000


def test_it_plays_on_where_the_game_is_drawn_by_rule() -> None:
    bare = CHESS.parse("7k/8/8/8/8/8/8/K7 w - - 0 1")
    found = start_uncompiled(CHESS, bare, Limits(depth=2)).result()
    assert found.best in CHESS.all_moves(bare)
    assert found.value == 0


def test_only_the_given_moves_are_considered() -> None:
    found = start_uncompiled(CHESS, CHESS.initial(), Limits(depth=2), moves=(8 | 16 << 6,)).result()
    assert found.texts(found.pv) == ["a2a3"]


def test_a_winner_does_not_repeat_the_game() -> None:
    s = CHESS.parse("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 8 9")
    best = start_uncompiled(CHESS, s, Limits(depth=2)).result().best
    assert best is not None
    again = CHESS.result(s, best)
    other = start_uncompiled(CHESS, s, Limits(depth=2), history=[again]).result()
    assert other.best != best
    only = start_uncompiled(CHESS, s, Limits(depth=2), history=[again], moves=[best]).result()
    assert only.value == 0


# The compiled engine.


@pytest.fixture(scope="module")
def worth() -> dict[int, float]:
    """What each move of a position is worth, by solving what follows."""
    return {a: -TIC.solve(TIC.result(MIDDLE, a), progress=False).value for a in TIC.moves(MIDDLE)}


@given(chosen=st.sets(st.sampled_from(TIC.moves(MIDDLE)), min_size=1))
@settings(max_examples=8)
def test_an_engine_considers_only_the_given_moves(
    worth: dict[int, float], chosen: set[int]
) -> None:
    """Each move has its own value, whichever others are considered."""
    engine = Engine(TIC, megabytes=1)
    found = engine.analyze(MIDDLE, moves=[*chosen], multipv=9)
    assert {line.move: line.value for line in found.lines} == {a: worth[a] for a in chosen}
    # What is known of these moves is not taken for what is known of the position.
    assert engine.analyze(MIDDLE).value == max(worth.values())


def test_an_engine_refuses_moves_that_are_not_legal() -> None:
    with pytest.raises(ThreefoldError, match="not all legal"):
        Engine(NIM).analyze(moves=[10_000])


def test_a_cleared_engine_starts_over() -> None:
    engine = Engine(CHESS, megabytes=1)
    first = engine.analyze(limits=Limits(depth=5))
    second = engine.analyze(limits=Limits(depth=5))
    engine.clear()
    third = engine.analyze(limits=Limits(depth=5))
    assert (first.nodes, first.pv) == (third.nodes, third.pv)
    assert second.nodes < first.nodes
