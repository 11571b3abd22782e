"""Tree search with a net that proposes moves: what it finds, and what it may call proven."""

import random
from typing import Any

import pytest
from random_nets import random_policy_net

from threefold import Game, ThreefoldError, game
from threefold.engine.limits import Limits
from threefold.engine.policy_nets import PolicyNet
from threefold.engine.policy_search import PolicySearcher, PolicyTree
from threefold.engine.policy_values import PolicyValues
from threefold.engine.result import Result

TIC_TAC_TOE = game("tic-tac-toe")
CONNECT_FOUR = game("connect-four")


def judged(spec: str, seed: int = 0) -> Game[Any]:
    of = game(spec)
    return of.judged_by(random_policy_net(of, seed))


def positions(of: Game[Any], count: int, seed: int = 0) -> list[Any]:
    """Positions of random games."""
    rng = random.Random(seed)
    found: list[Any] = []
    while len(found) < count:
        s = of.initial()
        while moves := of.moves(s):
            found.append(s)
            s = of.result(s, rng.choice(moves))
    return rng.sample(found, count)


def fields(found: Result[Any]) -> Any:
    return found.lines, found.value, found.exact, found.win_in, found.nodes


@pytest.mark.parametrize("spec", ["tic-tac-toe", "nim(heaps=1-2)", "connect-four", "go(size=3)"])
def test_compiled_as_interpreted(spec: str) -> None:
    of = judged(spec)
    for s in positions(of, 3):
        compiled, plain = PolicyTree(of, s), PolicyTree(of, s)
        plain.prepare(interpreted=True)
        one, other = (each.run(Limits(nodes=120), multipv=99) for each in (compiled, plain))
        assert one.value == pytest.approx(other.value)
        assert (one.exact, one.win_in, one.nodes) == (other.exact, other.win_in, other.nodes)
        known = [(line.move, line.exact, line.win_in, line.pv) for line in one.lines]
        assert known == [(line.move, line.exact, line.win_in, line.pv) for line in other.lines]


@pytest.mark.parametrize(
    ("spec", "count"), [("tic-tac-toe", 12), ("connect-four(columns=4,rows=4)", 12), ("kalah", 2)]
)
def test_what_is_proven_is_so(spec: str, count: int) -> None:
    """Whatever the net says: it is random here."""
    of = judged(spec)
    searcher = PolicySearcher(of)
    for s in positions(of, count):
        found = searcher.analyze(s, Limits(nodes=3000), multipv=99)
        if not found.exact and not any(line.exact or line.win_in for line in found.lines):
            continue
        solved = game(spec).solve(s, progress=False)
        worth = {line.move: line for line in solved.lines}
        if found.exact:
            assert found.value == 1000 * solved.value
        for line in found.lines:
            if line.exact:
                assert line.value == 1000 * worth[line.move].value
            if line.win_in is not None:
                assert line.win_in * worth[line.move].value > 0


def test_draws_are_proven() -> None:
    found = PolicySearcher(judged("tic-tac-toe")).analyze(None, Limits(nodes=100_000))
    assert (found.value, found.exact, found.win_in) == (0, True, None)
    assert found.nodes < 100_000


def test_wins_are_proven_where_nothing_is_worth_more() -> None:
    """Connect Four says in its bounds that a win is all there is; tic-tac-toe says nothing."""
    found = PolicySearcher(judged("connect-four")).analyze("121212", Limits(nodes=1000))
    assert (found.best, found.value, found.exact, found.win_in) == (0, 1000, True, 1)
    found = PolicySearcher(judged("tic-tac-toe")).analyze("XX./OO./... X", Limits(nodes=1000))
    assert (found.value, found.exact, found.win_in) == (1000, False, 1)


def test_a_win_by_more_is_not_exact() -> None:
    """The tree of Othello proves who wins, not by how much."""
    of = judged("othello(size=4)")
    searcher = PolicySearcher(of)
    won = 0
    for s in positions(of, 12, seed=1):
        found = searcher.analyze(s, Limits(nodes=3000))
        if found.exact:
            assert found.value == 1000 * game("othello(size=4)").solve(s, progress=False).value
        elif found.win_in is not None:
            won += 1
            assert abs(found.value) == 1000
    assert won


def test_superko_at_the_root() -> None:
    """A move that brings an earlier board back is not considered."""
    of = judged("go(size=3)")
    s = of.initial()
    history: list[Any] = []
    rng = random.Random(0)
    while of.moves(s, history) == of.moves(s):
        if not of.moves(s):
            s, history = of.initial(), []
        history.append(s)
        s = of.result(s, rng.choice(of.moves(s, history[:-1])))
    legal = of.moves(s, history)
    assert len(legal) < len(of.moves(s))
    found = PolicySearcher(of).analyze(s, Limits(nodes=400), multipv=99, history=history)
    assert {line.move for line in found.lines} <= set(legal)
    assert not found.exact


def test_only_some_moves() -> None:
    searcher = PolicySearcher(judged("connect-four"))
    found = searcher.analyze(None, Limits(nodes=200), multipv=9, moves=[2, 5])
    assert {line.move for line in found.lines} == {2, 5}
    with pytest.raises(ThreefoldError, match="the moves to consider are not all legal"):
        searcher.start(None, Limits(nodes=9), moves=[99])


def test_limits() -> None:
    searcher = PolicySearcher(judged("connect-four"))
    assert searcher.analyze(None, Limits(nodes=1)).nodes == 1
    assert searcher.analyze(None, Limits(nodes=333)).nodes == 333
    with pytest.raises(ThreefoldError, match="has no depth to limit"):
        searcher.start(None, Limits(depth=3))
    running = searcher.start(None, Limits())
    running.stop()
    assert running.result().best in CONNECT_FOUR.moves(CONNECT_FOUR.initial())


def test_a_finished_game() -> None:
    found = PolicySearcher(judged("tic-tac-toe")).analyze("XXX/OO./... O", Limits(nodes=10))
    assert (found.best, found.value, found.exact, found.lines) == (None, -1000, True, ())


def test_a_full_tree_goes_on() -> None:
    """As the room runs out, only leaves that are visited often get children: the net sees more."""
    of = judged("connect-four")
    assert isinstance(of.net, PolicyNet)
    net, asked = PolicyValues(of.net), []

    def judge(rows: Any) -> tuple[Any, Any]:
        asked.append(len(rows))
        return net(rows)

    tree = PolicyTree(of, of.initial(), megabytes=1, judge=judge)
    found = tree.run(Limits(nodes=30_000))
    assert found.nodes == 30_000
    assert found.best in of.moves(of.initial())
    assert sum(asked) > 2 * len(tree.tree) / 7
    # Room is left for what turns out to matter, but not for ever.
    assert found.table.full < 1
    assert tree.run(Limits(nodes=300_000)).table.full > 0.99


def test_the_same_again() -> None:
    searcher = PolicySearcher(judged("othello(size=6)"))
    one, other = (searcher.analyze(None, Limits(nodes=500), multipv=9) for _ in range(2))
    searcher.clear()
    assert fields(one) == fields(other)
