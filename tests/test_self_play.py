"""Self-play: what positions of its games are said to be worth, against the rules played by hand."""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest
from random_nets import random_net

from threefold import Game, game
from threefold.engine.nets import Net, feature_words, viewer
from threefold.errors import BrokenRules
from threefold.learn.self_play import UNIT, Chooser, SelfPlay
from threefold.rules.contract import CHANCE, CLAIMABLE, MAX


class Fuse(NamedTuple):
    stones: int
    die: int
    turn: int


def fuse(**changes: Any) -> Game[Fuse]:
    """Roll a die, and take at most as many stones; who rolls a three has lost at once."""

    def player(s: Fuse) -> int:
        return CHANCE if s.die == 0 and s.stones > 0 else s.turn

    def actions(s: Fuse, out: Any) -> int:
        n = 0 if s.die == 3 else min(s.die, s.stones)
        for i in range(n):
            out[i] = i + 1
        return n

    def outcomes(s: Fuse, out: Any, weight: Any) -> int:
        out[0], weight[0] = 1, 3
        out[1], weight[1] = 2, 2
        out[2], weight[2] = 3, 1
        return 3

    def result(s: Fuse, a: int) -> Fuse:
        if s.die == 0:
            return Fuse(s.stones, a, s.turn)
        return Fuse(s.stones - a, 0, 1 - s.turn)

    rules: dict[str, Any] = {
        "initial": lambda: Fuse(9, 0, 0),
        "player": player,
        "actions": actions,
        "outcomes": outcomes,
        "result": result,
        "utility": lambda s: -1 if s.turn == 0 else 1,
    }
    return Game("Fuse", **rules | changes)


def afterstates(g: Game[Any]) -> dict[tuple[int, ...], Any]:
    """Every position that a game begins with or that follows a move, by its features."""
    found: dict[tuple[int, ...], Any] = {}
    seen, todo = set(), [(g.initial(), True)]
    while todo:
        s, after_move = todo.pop()
        if (s, after_move) in seen:
            continue
        seen.add((s, after_move))
        if after_move and g.moves(s):
            found[tuple(feature_words(g, s, viewer(g, s)))] = s
        todo += [(g.result(s, a), g.player(s) != CHANCE) for a in g.moves(s)]
    return found


def worth_of_moves(g: Game[Any], net: Net[Any], s: Any) -> list[tuple[int, Any]]:
    """The value of each move to the mover, and the position after it."""
    mover = g.player(s)
    found = []
    for a in g.moves(s):
        child = g.result(s, a)
        if not g.moves(child):
            value = g.utility(child) * UNIT * (1 if mover == MAX else -1)
        else:
            value = net.value(child, UNIT) * (1 if viewer(g, child) == mover else -1)
        found.append((value, child))
    return found


def outlook(g: Game[Any], net: Net[Any], child: Any, here: int) -> list[float]:
    """The chances of each result after a move, to the player whose eyes see the position before."""
    if not g.moves(child):
        worth = g.utility(child) * (1 if here == MAX else -1)
        return [float(np.sign(worth) == result) for result in net.results]
    chances = np.exp((np.array(net.outputs(child)) - max(net.outputs(child))) / 1024)
    chances = chances / chances.sum()
    return list(chances if viewer(g, child) == here else chances[::-1])


def one_ply_targets(g: Game[Any], net: Net[Any], s: Any) -> list[list[float]]:
    """What a position may be said to be worth: by its best move, after any roll."""
    rolled = [g.result(s, event) for event in g.moves(s)] if g.player(s) == CHANCE else [s]
    targets = []
    for each in rolled:
        if not g.moves(each):
            targets.append(outlook(g, net, each, viewer(g, s)))
            continue
        moves = worth_of_moves(g, net, each)
        best = max(value for value, _ in moves)
        child = next(child for value, child in moves if value == best)
        targets.append(outlook(g, net, child, viewer(g, s)))
    return targets


@pytest.mark.parametrize("spec", ["tic-tac-toe", "dice-nim(stones=9,loaded=true)"])
@pytest.mark.parametrize("exploration", [0.0, 0.3])
def test_without_a_trace_a_target_is_what_the_best_move_makes_of_it(
    spec: str, exploration: float
) -> None:
    g = game(spec)
    net = random_net(g, 5)
    known = afterstates(g)
    found = SelfPlay(g, 2).play(net, 60, 1, trace=0.0, exploration=exploration)
    assert found.games == 60
    for words, target in zip(found.words.tolist(), found.targets, strict=True):
        possible = one_ply_targets(g, net, known[tuple(words)])
        assert min(np.abs(np.array(each) - target).max() for each in possible) < 1e-4


@pytest.mark.parametrize("g", [game("dice-nim(stones=9,loaded=true)"), fuse()], ids=str)
@pytest.mark.parametrize(("trace", "exploration"), [(0.0, 0.3), (0.7, 0.0), (1.0, 0.0)])
def test_with_every_roll_there_is_no_luck_in_a_target(
    g: Game[Any], trace: float, exploration: float
) -> None:
    net = random_net(g, 5)
    known = afterstates(g)
    found = SelfPlay(g).play(net, 60, 1, trace=trace, exploration=exploration, every_roll=True)
    assert found.games == 60
    positions = [known[tuple(words)] for words in found.words.tolist()]
    surprise = np.zeros(len(net.results))
    last: Any = None
    for s, target in reversed(list(zip(positions, found.targets, strict=True))):
        if last is not None and last.stones < s.stones:  # of the same game, by the other player
            there = np.array(outlook(g, net, last, viewer(g, last)))
            surprise = trace * (surprise - there)[::-1]
        else:
            surprise = np.zeros(len(net.results))
        weights = [weight for _, weight in g.chances(s)]
        mean = np.average(one_ply_targets(g, net, s), axis=0, weights=weights)
        assert target == pytest.approx(mean + surprise, abs=1e-4)
        last, surprise = s, target


@pytest.mark.parametrize("spec", ["tic-tac-toe", "dice-nim(stones=9)", "kalah(pits=3,seeds=2)"])
def test_with_a_whole_trace_a_target_is_the_result_of_the_game(spec: str) -> None:
    g = game(spec)
    found = SelfPlay(g).play(random_net(g, 7), 40, 1, trace=1.0, exploration=0.0)
    assert set(found.targets.flat) == {0.0, 1.0}
    assert (found.targets.sum(axis=1) == 1).all()
    # All positions of a game tell of one result, seen by one player or the other.
    start = feature_words(g, g.initial(), MAX)
    begins = [i for i, words in enumerate(found.words.tolist()) if words == start]
    assert len(begins) == 40
    for begin, end in zip(begins, [*begins[1:], len(found.words)], strict=True):
        one, all_of_it = found.targets[begin], found.targets[begin:end]
        assert all((one == each).all() or (one == each[::-1]).all() for each in all_of_it)


def claimed_below_five() -> Game[Fuse]:
    """A game without dice, in which a draw can be claimed when fewer than five stones are left."""

    def claimable(s: Fuse) -> int:
        return CLAIMABLE if s.stones < 5 else 0

    return fuse(
        initial=lambda: Fuse(9, 2, 0),
        player=lambda s: s.turn,
        outcomes=None,
        result=lambda s, a: Fuse(s.stones - a, 2, 1 - s.turn),
        drawn=claimable,
    )


def test_a_draw_that_can_be_claimed_is_claimed() -> None:
    g = claimed_below_five()
    found = SelfPlay(g).play(random_net(g, 3), 20, 1, trace=1.0, exploration=0.2)
    assert found.words[:, 0].min() == 5
    ends = found.words[:, 0] == 5
    assert (found.targets[ends] == [0, 1, 0]).all()


def test_features_of_another_length_in_a_rare_position_are_noticed() -> None:
    def features(s: Fuse, p: int, out: Any) -> int:
        for i in range(64):
            out[i] = s.stones
        return 64 if s.stones == 1 else 2

    g = fuse(features=features)
    with pytest.raises(BrokenRules, match="Fuse: features returned 64 for some position"):
        SelfPlay(g).play(random_net(g, 3), 2000, 1)


def test_the_games_do_not_depend_on_the_threads() -> None:
    g = game("connect-four")
    net = random_net(g, 3)
    one, three = (SelfPlay(g, n).play(net, 50, 9, first=7, openings=8) for n in (1, 3))
    assert (one.words == three.words).all()
    assert (one.targets == three.targets).all()
    assert one.plies == three.plies == len(one.words)


def test_a_chooser_plays_the_best_move() -> None:
    g = game("dice-nim(stones=12)")
    net = random_net(g, 11)
    chooser = Chooser(net)
    for stones in range(1, 13):
        for turn in (1, 2):
            for die in (1, 2, 3):
                s = g.parse(f"{stones} {turn} {die}")
                best = max(worth_of_moves(g, net, s), key=lambda pair: pair[0])[0]
                chosen = g.result(s, chooser.choose(s))
                assert (best, chosen) in worth_of_moves(g, net, s)


def test_dice_nim_is_learned_until_its_play_is_perfect() -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    from threefold.learn.learner import Plan
    from threefold.learn.model import use_one_thread
    from threefold.learn.td import TdLearner
    from threefold.learn.training import rate_at

    use_one_thread()
    g = game("dice-nim(stones=8)")
    plan = Plan(hidden=(32,), rate=0.05, last_rate=0.0005, trace=0.0, exploration=0.2, seed=1)
    learner = TdLearner(g, plan)
    games = 80_000
    done = 0
    while done < games:
        learner.rate = rate_at(plan, done / games)
        done += learner.round(games - done).games
    chooser = Chooser(learner.net())

    @cache
    def exact(s: Any) -> float:
        if not g.moves(s):
            return g.utility(s)
        values = [exact(g.result(s, a)) for a in g.moves(s)]
        if g.player(s) == CHANCE:
            return sum(values) / len(values)
        return max(values) if s.turn == 0 else min(values)

    for stones in range(1, 9):
        for turn in (1, 2):
            for die in (1, 2, 3):
                s = g.parse(f"{stones} {turn} {die}")
                assert exact(g.result(s, chooser.choose(s))) == pytest.approx(exact(s)), g.format(s)
