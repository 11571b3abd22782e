"""Depth-first proof-number search against retrograde analysis."""

import random
from typing import Any

import nim
import pytest
from random_graph import State, random_graph

from threefold import Game, ThreefoldError, game
from threefold.engine.control import Control
from threefold.engine.records import allocate
from threefold.engine.table import new_table, probe
from threefold.errors import BrokenRules, NotCompilable
from threefold.solve.dfpn import INFINITE, disproof_of, keep, numbers, proof_of
from threefold.solve.graph import Enumeration, Graph, InterpretedEnumeration, enumeration
from threefold.solve.proof import ProofSearch, prove
from threefold.solve.retrograde import Analysis, analyze


def control() -> Control:
    return allocate(Control)


def solved(positions: Enumeration[Any]) -> tuple[Graph[Any], Analysis]:
    assert positions.run()
    graph = positions.graph()
    analysis = analyze(graph, control())
    assert analysis is not None
    return graph, analysis


def asker(g: Game[Any]) -> ProofSearch[Any]:
    words = control()
    return ProofSearch(g, 1, words)


@pytest.mark.parametrize(
    ("spec", "thresholds"),
    [
        ("tic-tac-toe", (0, 1)),
        pytest.param("connect-four(columns=4,rows=4)", (0, 1), marks=pytest.mark.slow),
        pytest.param("othello(size=4)", (-10, -9, 0, 1, 4, 10), marks=pytest.mark.slow),
    ],
)
def test_the_answers_are_those_of_the_whole_graph(spec: str, thresholds: tuple[int, ...]) -> None:
    g = game(spec)
    graph, analysis = solved(enumeration(g, g.initial(), 64, control()))
    search = asker(g)
    picked = random.Random(5).sample(range(len(graph)), 60)
    for i in [0, *picked]:
        for attacker in (0, 1):
            worth = int(analysis.value[i]) * (1, -1)[attacker]
            for at_least in thresholds:
                assert search.ask(graph.state(i), at_least, attacker) == (worth >= at_least)


def test_a_side_may_move_twice_running() -> None:
    """On random graphs that go forwards, with a table so small that it forgets most."""
    g = random_graph(forwards=True)
    search = asker(g)
    for seed in range(150):
        _, analysis = solved(InterpretedEnumeration(g, State(seed, 0), control()))
        for at_least in (-1, 0, 1, 2):
            answer = search.ask(State(seed, 0), at_least, 0)
            assert answer == (analysis.value[0] >= at_least), seed


def test_symmetries_bounds_and_sufficient_moves_change_no_answer() -> None:
    def swapped(s: nim.State) -> nim.State:
        return s

    def bounds(s: nim.State) -> tuple[int, int]:
        return (1, 1) if s.stones in (1, 5) and s.turn == 0 else (-1, 1)

    g = nim.nim(symmetries=(swapped,), bounds=bounds, sufficient=nim.actions)
    for stones in range(1, 12):
        assert prove(g, nim.State(stones, 1)).answer == (stones % 4 != 0)


def test_a_proof_says_what_it_cost() -> None:
    g = game("connect-four(columns=4,rows=4)")
    proof = prove(g, g.initial(), megabytes=1)
    assert proof.answer is False
    assert proof.nodes > 100
    assert proof.seconds > 0


def test_a_limit_leaves_it_open() -> None:
    g = game("othello(size=4)")
    proof = prove(g, g.initial(), nodes=100)
    assert proof.answer is None
    assert 100 <= proof.nodes <= 150


def test_a_finished_game_needs_no_search() -> None:
    g = game("tic-tac-toe")
    s = g.parse("XXX/OO./... O")
    assert prove(g, s).answer is False
    assert prove(g, s, at_least=-1).answer is True
    assert prove(g, s).nodes == 1


def test_what_it_is_not_for() -> None:
    dice = game("dice-nim")
    with pytest.raises(ThreefoldError, match="for games without chance, and Dice Nim has some"):
        prove(dice, dice.initial())
    for changes in ({"repeats": True}, {"finite": False}):
        g = nim.nim(**changes)
        with pytest.raises(ThreefoldError, match=r"positions do not repeat.*solve it by its graph"):
            prove(g, g.initial())
    with pytest.raises(ThreefoldError, match="zero-sum"):
        prove(nim.nim(zero_sum=False), nim.initial())
    with pytest.raises(ThreefoldError, match="at_least 'win' is not a whole number"):
        prove(nim.nim(), nim.initial(), at_least="win")  # type: ignore[arg-type]
    with pytest.raises(NotCompilable):
        prove(nim.nim(utility=lambda s: sum(x for x in s)), nim.initial())


def test_play_that_does_not_end_is_noticed() -> None:
    def actions(s: nim.State, out: Any) -> int:
        out[0] = 1
        return 1

    g = nim.nim(actions=actions, result=lambda s, a: nim.State(s.stones, 1 - s.turn))
    with pytest.raises(BrokenRules, match="longer than max_ply=1024; can play go on forever"):
        prove(g, g.initial())


def test_numbers_in_a_word() -> None:
    for proof, disproof in ((0, INFINITE), (INFINITE, 0), (1, 1), (12345, INFINITE - 1)):
        data = numbers(proof, disproof, 77)
        assert (proof_of(data), disproof_of(data)) == (proof, disproof)
        assert data == numbers(proof, disproof, 64) != numbers(proof, disproof, 128)


def test_the_dearest_numbers_stay_in_the_table() -> None:
    table = new_table(1)[:8]
    for hashed in range(1, 6):
        keep(hashed, numbers(hashed, 1, 1 << hashed), table)
    assert probe(1, table) == 0
    assert [proof_of(probe(hashed, table)) for hashed in range(2, 6)] == [2, 3, 4, 5]
    keep(3, numbers(9, 1, 1), table)
    assert proof_of(probe(3, table)) == 9
