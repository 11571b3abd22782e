"""Strategy fusion: the experiment, and what the engine's two searches make of its game."""

import itertools

import pytest

from threefold import ThreefoldError, conformance
from threefold.engine.ismcts import InformationSearch
from threefold.engine.limits import Limits
from threefold.engine.worlds import Worlds
from threefold.textbook.experiments import experiment
from threefold.textbook.experiments.strategy_fusion import missing_queen
from threefold.textbook.information import information_tree
from threefold.textbook.strategy import values


def test_the_game_keeps_the_contract() -> None:
    report = conformance(missing_queen)
    assert report.ok, str(report)


def test_the_truth_is_the_best_of_all_strategies() -> None:
    tree = information_tree(missing_queen)
    first, later = tree.sets
    worth = {
        (first.moves[a], later.moves[b]): values(tree, {first: [1 - a, a], later: [1 - b, b]})[
            tree.root.name
        ]
        for a, b in itertools.product(range(2), range(2))
    }
    figures = experiment("strategy-fusion").figures
    for move, truth in figures["truth"].items():
        assert truth == max(value for (one, _), value in worth.items() if one == move)
    assert max(worth, key=lambda played: worth[played])[0] == figures["best"] == "claim"
    assert figures["deals"] == {queen: {"claim": 1, "wait": 2} for queen in ("left", "right")}
    assert 1 - figures["cfr+"]["claim"] < 0.001


def test_sampled_deals_wait_and_a_search_of_information_sets_claims() -> None:
    for queen in ("left", "right"):
        s = missing_queen.parse(queen)
        fused = Worlds(missing_queen).analyze(s, Limits(nodes=6))
        assert (missing_queen.format_move(s, fused.best or 0), fused.value) == ("wait", 2)
        sound = InformationSearch(missing_queen, s).run(Limits(nodes=3_000))
        assert missing_queen.format_move(s, sound.best or 0) == "claim"


@pytest.mark.parametrize("text", ["", "up", "left claim wait", "- claim", "? wait"])
def test_other_positions_are_refused(text: str) -> None:
    with pytest.raises(ThreefoldError, match="not a deal and the last move, such as 'left wait'"):
        missing_queen.parse(text)


def test_positions_are_read_as_they_are_written() -> None:
    s = missing_queen.initial()
    for a in (2, 2, 3):
        s = missing_queen.result(s, a)
        assert missing_queen.parse(missing_queen.format(s)) == s
    assert missing_queen.utility(s) == -2
