"""The net that comes with Go on 9×9."""

import random
from typing import Any

import pytest
from shell import Shell

from threefold import ThreefoldError, game
from threefold.engine.policy_nets import PolicyNet
from threefold.games.go import NET
from threefold.rules.contract import MAX, MIN

SPEC = "go(size=9,komi=7.5)"


@pytest.mark.parametrize(
    ("spec", "there"),
    [
        ("go", True),
        (SPEC, True),
        ("go(komi=0)", True),
        ("go(handicap=2)", False),  # features are compared from the usual start
        ("go(size=7)", False),
        ("go(size=13)", False),
    ],
)
def test_where_it_is(spec: str, there: bool) -> None:
    assert ("net" in game(spec).evaluation_names) == there


def test_it_is_for_those_who_ask() -> None:
    """Tree search plays games out, alpha-beta has its evaluation, unless the net is asked for."""
    g = game(SPEC)
    assert g.net is None
    assert g.evaluation == "area"
    assert g.using("net").evaluation == "net"
    with pytest.raises(ThreefoldError, match="proposes moves"):
        g.using("net").analyze(depth=2)


def test_how_it_was_made() -> None:
    net = PolicyNet.load(NET, game(SPEC))
    assert net.made["command"].startswith("threefold train 'go(size=9)' --method alphazero")
    assert net.made["games"] > 1000


def test_it_saves_a_group() -> None:
    """White's three stones have one liberty, D7, and can be saved by white, captured by black."""
    g = game(SPEC).using("net")
    assert isinstance(g.net, PolicyNet)
    rows = ("....XX...", "..XOOOX..", "...XXX...", "..O...O..")
    board = "/".join((*["........."] * 2, *rows, *["........."] * 3))
    saved, captured = g.parse(f"{board} O"), g.parse(f"{board} X")
    policy = g.net.policy(saved)
    assert g.format_move(saved, max(policy, key=lambda a: policy[a])) == "D7"
    by_search = g.analyze(captured, nodes=400, seed=1)
    assert by_search.value > 0
    assert g.net.win(captured) > g.net.win(saved)


def test_it_beats_random_play() -> None:
    """By the move that it thinks best, without a search."""
    g = game(SPEC).using("net")
    assert isinstance(g.net, PolicyNet)
    rng = random.Random(1)
    for ours in (MAX, MIN):
        s = g.initial()
        before: list[Any] = []
        while not g.is_terminal(s) and len(before) < 120:
            moves = g.moves(s, before)
            move = rng.choice(moves)
            if g.player(s) == ours:
                policy = g.net.policy(s)
                move = max(moves, key=lambda a: policy[a])
            before.append(s)
            s = g.result(s, move)
        half_points = g.utilities["area"].worth(s)
        assert (half_points if ours == MAX else -half_points) > 40


def test_only_what_was_searched_is_told() -> None:
    """A net's tree has all moves of a position at once; most were not looked at."""
    g = game(SPEC).using("net")
    assert isinstance(g.net, PolicyNet)
    s = g.initial()
    likeliest = next(iter(g.net.policy(s)))
    assert g.analyze(nodes=1).best == likeliest
    few = g.analyze(nodes=5, multipv=12)
    assert len(few.lines) == 12
    visits = [line.visits or 0 for line in few.lines]
    assert visits == sorted(visits, reverse=True)
    assert sum(visits) == 4
    assert all(len(line.pv) == 1 for line in few.lines if not line.visits)
    found = g.analyze(nodes=60, multipv=3)
    assert all(len(line.pv) <= found.selective_depth for line in found.lines)


def test_it_plays_by_tree_search(shell: Shell) -> None:
    answer = shell.json("analyze", SPEC, "--eval", "net", "--nodes", "200")
    assert answer["best"] in {"E5", "D5", "E4", "F5", "E6", "D4", "F6", "D6", "F4"}
    assert answer["nodes"] >= 200
