"""AlphaZero: how games are played, what they teach, and that a net learns from it."""

import math
import random
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np
import pytest
from random_nets import random_policy_net
from shell import Shell

from threefold import Game, ThreefoldError, game
from threefold.cluster.nodes import Job, LostPortion
from threefold.engine.policy_nets import PolicyNet
from threefold.engine.policy_values import PolicyValues
from threefold.engine.puct import Node
from threefold.learn import gumbel
from threefold.learn.cluster_players import Looks, PolicyPlayers
from threefold.learn.gumbel import CUT_OFF, SCALE, VISITS
from threefold.learn.learner import Plan
from threefold.learn.policy_play import (
    GameRecord,
    Lessons,
    Setup,
    Table,
    Teacher,
    Way,
    considered_visits,
    longest_opening,
)
from threefold.learn.replay import Replay
from threefold.rules.contract import MAX, MIN
from threefold.rules.rebind import interpreted

pytest.importorskip("torch", reason='needs PyTorch: pip install "threefold[learn]"')

from threefold.learn import policy_cluster
from threefold.learn.alphazero import AlphaZeroLearner
from threefold.learn.learner import Diverged
from threefold.learn.policy_cluster import PolicyClusterLearner
from threefold.learn.policy_strength import PolicySparrings

TIC_TAC_TOE = game("tic-tac-toe")
NIM = game("nim(heaps=1-2-3)")
SMALL = Plan.usual("alphazero")


def small(**changes: Any) -> Plan:
    """A plan for seconds of learning."""
    usual = replace(SMALL, threads=1, blocks=1, channels=16, parallel=32, nodes=8, window=4096)
    return replace(usual, batch=64, rate=0.01, last_rate=0.001, **changes)


# Sequential halving.


def halved(most: int, simulations: int) -> list[int]:
    """How often each move is tried, the best first, if the first ones always seem the better."""
    visits = [0] * most
    for wanted in considered_visits(most, simulations):
        visits[visits.index(wanted)] += 1
    return visits


@pytest.mark.parametrize(
    ("most", "simulations", "visits"),
    [
        (1, 5, [5]),
        (2, 8, [4, 4]),
        (4, 8, [3, 3, 1, 1]),
        (4, 16, [6, 6, 2, 2]),
        (8, 24, [5, 5, 3, 3, 2, 2, 2, 2]),
        (3, 2, [1, 1, 0]),
    ],
)
def test_sequential_halving(most: int, simulations: int, visits: list[int]) -> None:
    """Every phase shares its simulations among the moves that are left: half as many each time."""
    found = halved(most, simulations)
    assert sum(found) == simulations
    assert found == sorted(found, reverse=True)
    if most & (most - 1) == 0 and simulations % (most * max(int(math.log2(most)), 1)) == 0:
        phases = max(int(math.log2(most)), 1)
        expected = [0] * most
        for phase in range(phases):
            left = max(most >> phase, 1)
            for i in range(left):
                expected[i] += simulations // phases // left
        assert found == expected
    else:
        assert found == visits


# Targets.


def a_tree(mover: int, moves: list[tuple[float, int, float]], value: float) -> list[Node]:
    """A root with children: each has a prior, its visits and the sum of its values to MAX."""
    root = Node(first=1, children=len(moves), mover=mover, value=value)
    children = [
        Node(move=10 + i, prior=prior, visits=visits, total=total)
        for i, (prior, visits, total) in enumerate(moves)
    ]
    return [root, *children]


@pytest.mark.parametrize("mover", [MAX, MIN])
def test_targets(mover: int) -> None:
    """The softmax of the logits plus what the search found, completed by a mixed value."""
    moves = [(0.5, 3, 1.5), (0.3, 1, -0.8), (0.2, 0, 0.0)]
    tree, sign = a_tree(mover, moves, 0.25), -1 if mover == MIN else 1
    means = [sign * total / visits for _, visits, total in moves[:2]]
    mean = (0.5 * means[0] + 0.3 * means[1]) / 0.8
    mixed = (sign * 0.25 + 4 * mean) / 5
    scale = (VISITS + 3) * SCALE
    logits = [
        math.log(prior) + scale * (worth + 1) / 2
        for (prior, _, _), worth in zip(moves, [*means, mixed], strict=True)
    ]
    total = sum(map(math.exp, logits))
    rows, shares = [0] * 3, [0.0] * 3
    write = gumbel.write_target
    assert isinstance(write, FunctionType)
    assert interpreted(write, TIC_TAC_TOE)(rows, shares, tree) == 3
    assert rows == [10, 11, 12]
    assert shares == pytest.approx([math.exp(logit) / total for logit in logits])


def test_the_move_that_is_played() -> None:
    choose = gumbel.chosen_child
    assert isinstance(choose, FunctionType)
    chosen = interpreted(choose, TIC_TAC_TOE)
    tree: Any = a_tree(MAX, [(0.5, 2, -1.0), (0.3, 2, 1.5), (0.2, 1, 1.0)], 0.0)
    assert chosen(tree) == 2  # the best of those that were tried most
    tree[1].noise = 100.0
    assert chosen(tree) == 1  # by luck
    tree[3].low = tree[0].low = 1.0
    assert chosen(tree) == 3  # surely won


# Games.


def played(spec: str, simulations: int = 8, lanes: int = 8, looks: int = 4000) -> Any:
    of = game(spec)
    table: Table[Any] = Table(of, Way(1, simulations), lanes)
    table.begin()
    games, seen = table.play(PolicyValues(random_policy_net(of)), looks)
    assert seen >= looks
    return of, table, games


def taught(table: Table[Any], games: Sequence[GameRecord], random: int = 0) -> Lessons:
    """What all positions of some games teach."""
    teacher: Teacher[Any] = Teacher(table._setup)
    parts = [teacher.of_game(each, random + i) for i, each in enumerate(games)]
    fields = Lessons.__dataclass_fields__
    return Lessons(*(np.concatenate([getattr(each, name) for each in parts]) for name in fields))


def test_what_games_teach() -> None:
    of, table, games = played("tic-tac-toe")
    joined = taught(table, games)
    assert len(games) > 10
    assert set(joined.results) <= {-1.0, 0.0, 1.0}
    assert joined.shares.astype(float).sum(axis=1) == pytest.approx(1, abs=0.01)
    behind = joined.moves < 0
    assert (joined.shares[behind] == 0).all()
    for words, moves in zip(joined.words, joined.moves, strict=True):
        mine, theirs = map(int, words)  # the features of tic-tac-toe: empty cells are the moves
        legal = {
            a for a in range(of.facts.move_range) if a % 4 < 3 and not (mine | theirs) >> a & 1
        }
        assert {int(a) for a in moves if a >= 0} == legal
    assert table.lanes == 8


def test_a_game_is_the_same_again() -> None:
    one, other = (taught(*played("tic-tac-toe", looks=500)[1:]) for _ in range(2))
    assert (one.words == other.words).all()
    assert (one.shares == other.shares).all()


def test_results_are_to_the_player_to_move() -> None:
    """The last position of a game that is won is the winner's to move."""
    _, table, games = played("tic-tac-toe")
    for record in games:
        each = taught(table, [record])
        assert each.results[-1] >= 0
        assert list(each.results[::-1]) == [
            each.results[-1] * (-1) ** i for i in range(len(each.results))
        ]


def test_superko_in_self_play() -> None:
    """No board comes up a second time, except after a pass."""
    of = game("go(size=2,komi=0)")
    table: Table[Any] = Table(of, Way(0, 4), 16)
    table.begin()
    judge = PolicyValues(random_policy_net(of))
    for _ in range(400):
        table.step(judge)
        for lane in table.finished():
            n = int(table._lanes[lane].recorded)
            boards = [of.superko(of.state_type(*map(int, s))) for s in table._states[lane, :n]]
            fresh = [b for i, b in enumerate(boards) if i == 0 or b != boards[i - 1]]
            assert len(set(fresh)) == len(fresh)
            table.start_game(lane)


def test_symmetric_images_keep_their_moves() -> None:
    """A move's image leads to the image of where it leads."""
    of = game("go(size=3)")
    rng = random.Random(0)
    turn_moves = gumbel.turn_moves
    assert isinstance(turn_moves, FunctionType)
    twin = interpreted(turn_moves, of)
    play = gumbel.SelfPlay(max_plies=9, exploration=1.0, root_moves=0, moves=[0] * 99, shown=[])
    for _ in range(30):
        s = of.initial()
        for _ in range(rng.randrange(8)):
            s = of.result(s, rng.choice(of.moves(s)[:-1]))  # no pass
        moves = of.moves(s)
        number = rng.randrange(1, len(of.symmetries) + 1)
        row, keys = list(moves), [0] * 99
        assert twin(s, number, len(moves), row, keys, play)
        image = of.symmetries[number - 1](s)
        for a, b in zip(moves, row, strict=True):
            after = of.symmetries[number - 1](of.result(s, a))
            assert of.key(after) == of.key(of.result(image, b))


def test_who_owns_what_in_the_end() -> None:
    """As the game's hook says of the last position, turned as each position is."""
    of = game("go(size=3,komi=0)")
    table: Table[Any] = Table(of, Way(1, 4), 8)
    table.begin()
    judge, seen = PolicyValues(random_policy_net(of)), 0
    while seen < 20:
        table.step(judge)
        for lane in table.finished():
            n = int(table._lanes[lane].recorded)
            last = of.state_type(*map(int, table._positions[lane]))
            movers = [of.player(of.state_type(*map(int, s))) for s in table._states[lane, :n]]
            worth = table.worth(lane)
            lessons = taught(table, [table.record(lane)], seen)
            for mover, (mine, theirs) in zip(movers, lessons.owned.tolist(), strict=True):
                if worth == CUT_OFF:
                    assert mine == theirs == -1
                    continue
                assert of.is_terminal(last)
                owned = (theirs, mine) if mover == MIN else (mine, theirs)
                assert owned in {of.owners(turn(last)) for turn in (lambda s: s, *of.symmetries)}
            seen += 1
            table.start_game(lane)


def test_a_net_learns_who_will_own_what() -> None:
    """Here who has a stone keeps its place. The net's file says nothing of owners."""
    import torch

    of = game("go(size=3,komi=0)")
    learner = learned(of, small(), 8)
    seen = learner._replay.sample(256, np.random.default_rng(0))
    stones = seen.words[:, :2]
    kept = replace(seen, owned=np.ascontiguousarray(stones))
    for _ in range(150):
        learner.model.learn(kept, 0.01)
    network = learner.model.network
    network.eval()
    with torch.no_grad():
        guesses = network(*learner.model._inputs(seen.words))[2].numpy()
    mine, theirs = ((stones[:, i, None] >> np.arange(9) & 1).astype(bool) for i in range(2))
    assert mine.any()
    assert theirs.any()
    assert (guesses[mine] > 0).mean() > 0.95
    assert (guesses[theirs] < 0).mean() > 0.95
    assert not any("owner" in name for name in learner.net().weights)
    assert AlphaZeroLearner(TIC_TAC_TOE, small()).model.network.owner is None


def test_unknown_owners_teach_nothing() -> None:
    import torch

    from threefold.learn.policy_model import _loss_of_owners

    guesses = torch.tensor([[2.0, -1.0, 0.5, 0.0]])
    known = _loss_of_owners(guesses, torch.tensor([[0b0001, 0b0010]]))
    half = _loss_of_owners(guesses, torch.tensor([[0b1101, 0b1110]]))
    losses = [math.log1p(math.exp(-2.0)), math.log1p(math.exp(-1.0))]
    rest = [math.log1p(math.exp(0.5)) - 0.25, math.log(2)]
    assert float(known) == pytest.approx(sum(losses + rest) / 4, abs=1e-6)
    assert float(half) == pytest.approx(sum(losses) / 2, abs=1e-6)
    assert float(_loss_of_owners(guesses, torch.tensor([[-1, -1]]))) == 0.0


def test_openings() -> None:
    assert [longest_opening(plies) for plies in (1, 1.8, 7.6, 22, 400)] == [0, 1, 3, 7, 8]


def test_a_few_games_are_not_the_shortest_of_many() -> None:
    """Whole games from the start, no more than are wanted."""
    learner: AlphaZeroLearner[Any] = AlphaZeroLearner(TIC_TAC_TOE, small(parallel=256))
    done = 0
    while done < 12:
        done += learner.round(12 - done).games
    assert done == 12
    assert len(learner._replay) >= 4 * 12  # of five plies at least, one may be decided


# The replay window.


def a_game(first: int, plies: int) -> GameRecord:
    """A game of a race in which each ply takes one from a heap: its positions are numbers."""
    counts = np.arange(first, first + plies)
    states = np.stack([counts, np.zeros(plies, np.int64)], axis=1)
    moves = np.zeros((plies, 1), np.int32)
    shares = np.ones((plies, 1), np.float16)
    return GameRecord(states, states[-1], moves, shares, np.ones(plies, np.int32), 1.0)


def test_replay() -> None:
    class State(NamedTuple):
        number: int
        turn: int

    of = Game(
        "Numbers",
        initial=lambda: State(0, 0),
        actions=one_move,
        result=lambda s, a: State(s.number + 1, s.turn),
        utility=lambda s: 1,
        max_moves=1,
        max_ply=99,
        move_range=1,
    )
    setup = Setup(of, Way())
    replay = Replay(setup, 10)
    replay.add([a_game(0, 4), a_game(4, 2)])
    assert len(replay) == 6
    replay.add([a_game(6, 7)])
    assert len(replay) == 10
    assert list(replay.state()["replay.states"][:, 0]) == list(range(3, 13))
    drawn = replay.sample(200, np.random.default_rng(0))
    assert set(drawn.words[:, 0]) == set(range(3, 13))
    assert (drawn.results == 1).all()
    other = Replay(setup, 10)
    other.restore(replay.state())
    assert list(other.state()["replay.states"][:, 0]) == list(range(3, 13))
    fewer = Replay(setup, 4)
    fewer.restore(replay.state())
    assert list(fewer.state()["replay.states"][:, 0]) == [9, 10, 11, 12]
    fewer.add([a_game(20, 9)])
    assert set(fewer.state()["replay.states"][:, 0]) == {25, 26, 27, 28}
    for damage in ({"worths": np.zeros(3)}, {"moves": np.zeros((10, 2))}):
        changed = {f"replay.{name}": array for name, array in damage.items()}
        with pytest.raises(ValueError, match="do not fit together"):
            other.restore(replay.state() | changed)


def one_move(s: Any, out: Any) -> int:
    out[0] = 0
    return 1


def test_each_sample_shows_another_image() -> None:
    """A position whose images differ is seen in all of them, and its moves go with it."""
    of = game("go(size=3,komi=0)")
    setup = Setup(of, Way())
    s = of.result(of.initial(), 0)
    moves = of.moves(s)
    row, shares = np.array([moves], np.int32), np.zeros((1, len(moves)), np.float16)
    shares[0, moves.index(1)] = 1  # beside the stone in the corner
    words = np.array([setup.compiled.words(s)], np.int64)
    counts = np.array([len(moves)], np.int32)
    padded = ((0, 0), (0, of.facts.max_moves - len(moves)))
    replay = Replay(setup, 8)
    record = GameRecord(words, words[0], np.pad(row, padded), np.pad(shares, padded), counts, 1)
    replay.add([record])
    seen = replay.sample(200, np.random.default_rng(0))
    pairs = {
        (int(board[1]), int(listed[share.argmax()]))
        for board, listed, share in zip(seen.words, seen.moves, seen.shares, strict=True)
    }
    corners = {0: (1, 3), 2: (1, 5), 6: (3, 7), 8: (5, 7)}
    assert pairs == {(1 << at, to) for at, beside in corners.items() for to in beside}


# Learning.


def perfect(of: Game[Any], net: PolicyNet[Any]) -> float:
    """In how many of all positions with a choice the net's own move is perfect."""
    waiting, seen, chosen = deque([of.initial()]), set(), []
    while waiting:
        s = waiting.popleft()
        if s in seen or not of.moves(s):
            continue
        seen.add(s)
        waiting.extend(of.result(s, a) for a in of.moves(s))
        best = of.solve(s, progress=False).all_best
        if len(best) < len(of.moves(s)):
            chosen.append(next(iter(net.policy(s))) in best)
    return sum(chosen) / len(chosen)


def learned(of: Game[Any], plan: Plan, games: int) -> AlphaZeroLearner[Any]:
    learner: AlphaZeroLearner[Any] = AlphaZeroLearner(of, plan)
    done = 0
    while done < games:
        learner.rate = plan.rate * (1 - 0.9 * done / games)
        done += learner.round().games
    return learner


def test_a_net_learns_a_game_perfectly() -> None:
    """A game without planes, and every position of it."""
    assert NIM.planes is None
    learner = learned(NIM, replace(small(exploration=0.5), nodes=16), 2500)
    assert perfect(NIM, learner.net()) == 1.0


def test_a_net_learns_on_a_board() -> None:
    """It never loses to random play any more."""
    learner = learned(TIC_TAC_TOE, small(channels=24), 1200)
    sparrings = PolicySparrings(TIC_TAC_TOE)
    sparrings.prepare()
    score = sparrings.score(learner.net(), None)
    assert score.games == 128
    assert score.losses < score.wins / 5
    again = sparrings.measure(learner.net(), random_policy_net(TIC_TAC_TOE), 60.0)
    assert list(again) == ["previous", "random"]
    assert again["previous"].wins > again["previous"].losses


def test_the_same_seed_makes_the_same_net() -> None:
    one, other = (learned(TIC_TAC_TOE, small(seed=3), 40).net() for _ in range(2))
    assert all((one.weights[name] == each).all() for name, each in other.weights.items())


def test_a_learner_goes_on_where_it_was() -> None:
    learner = learned(TIC_TAC_TOE, small(), 60)
    state = {name: np.array(each) for name, each in learner.state().items()}
    others: list[AlphaZeroLearner[Any]] = []
    for _ in range(2):
        other: AlphaZeroLearner[Any] = AlphaZeroLearner(TIC_TAC_TOE, learner.plan)
        other.restore(state)
        for parameter, moments in other.model._adam.state.items():  # a GPU insists on it
            assert moments["exp_avg"].stride() == parameter.stride()
            assert moments["exp_avg"].dtype == parameter.dtype
        again = other.state()
        assert set(again) == set(state)
        assert all((np.asarray(again[name]) == each).all() for name, each in state.items())
        other.round()
        others.append(other)
    one, two = (each.net().weights for each in others)
    assert all((one[name] == each).all() for name, each in two.items())
    assert any((learner.net().weights[name] != each).any() for name, each in one.items())


def test_damaged_states_are_refused() -> None:
    learner = learned(TIC_TAC_TOE, small(), 40)
    state = dict(learner.state())
    other: AlphaZeroLearner[Any] = AlphaZeroLearner(TIC_TAC_TOE, learner.plan)
    name = "network.unit.weight"
    with pytest.raises(ValueError, match="a weight that is not a finite number"):
        other.restore(state | {name: np.full_like(state[name], np.nan)})
    with pytest.raises(RuntimeError, match="size mismatch"):
        other.restore(state | {name: np.zeros((2, 2), np.float32)})
    with pytest.raises(ThreefoldError, match="Adam's moments do not fit the weights"):
        other.restore(state | {"adam.0.exp_avg": np.zeros(3, np.float32)})


def test_numbers_out_of_bounds_are_a_divergence() -> None:
    import torch

    learner: AlphaZeroLearner[Any] = AlphaZeroLearner(TIC_TAC_TOE, small())
    with torch.no_grad():
        learner.model.network.unit.weight.fill_(1e6)
    with pytest.raises(Diverged, match="a weight of unit_weights is not a finite number"):
        learner.round()


def test_games_that_are_cut_off_say_nothing_about_who_wins() -> None:
    learner: AlphaZeroLearner[Any] = AlphaZeroLearner(TIC_TAC_TOE, small())
    _, table, games = played("tic-tac-toe", looks=1000)
    known = taught(table, games)
    unknown = replace(known, results=np.full(len(known), CUT_OFF, np.float32))
    assert 0 < learner.model.loss(unknown) < learner.model.loss(known)


def test_a_game_that_does_not_say_how_many_moves_it_has() -> None:
    """Its moves are numbered far apart, and a net still tells them apart, or most of them."""
    hooks = TIC_TAC_TOE.hooks
    listed, made = hooks["actions"], hooks["result"]

    def actions(s: Any, out: Any) -> int:
        n = listed(s, out)
        for i in range(n):
            out[i] = 5000 * out[i]
        return int(n)

    def result(s: Any, a: int) -> Any:
        return made(s, a // 5000)

    odd: Game[Any] = Game(
        "Odd",
        initial=hooks["initial"],
        actions=actions,
        result=result,
        utility=hooks["utility"],
        max_moves=9,
        max_ply=9,
    )
    assert odd.facts.move_range == 1 << 16
    learner = learned(odd, small(), 30)
    assert learner.shape.moves == 8192
    policy = learner.net().policy(odd.initial())
    assert sorted(policy) == odd.moves(odd.initial())


# On a cluster.


class Nodes:
    """Workers in this process; every third portion is the last of one."""

    capacity = 2
    is_ready = True

    def __init__(self, job: Job, address: str | None, *, most: int | None = None) -> None:
        assert (address, most) == ("10.0.0.1:6379", None)
        assert job.crew == f"{PolicyPlayers.__module__}:{PolicyPlayers.__name__}"
        self.job = job
        self.crew = PolicyPlayers(*job.arguments)
        self.crew.get_ready()
        self.waiting: deque[Looks] = deque()
        self.firsts: list[int] = []
        self.received = 0

    def send(self, portion: Looks) -> None:
        self.waiting.append(portion)
        self.firsts.append(portion.first)
        assert len(self.waiting) <= self.capacity

    def receive(self, seconds: float) -> list[list[GameRecord] | LostPortion[Looks]]:
        assert seconds > 0
        portion = self.waiting.popleft()
        self.received += 1
        if self.received % 3 == 0:
            self.crew = PolicyPlayers(*self.job.arguments)
            return [LostPortion(portion)]
        return [self.crew.play(portion)]

    def close(self) -> None:
        self.waiting.clear()


def test_learning_on_a_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policy_cluster, "RayNodes", Nodes)
    learner: PolicyClusterLearner[Any] = PolicyClusterLearner(
        TIC_TAC_TOE, small(), "ray:10.0.0.1:6379"
    )
    learner.prepare()
    before = learner.net()
    done = [learner.round() for _ in range(4)]
    assert all(each.games > 0 and each.positions >= each.games for each in done)
    assert any((before.weights[name] != each).any() for name, each in learner.net().weights.items())
    nodes: Any = learner._nodes
    assert len(set(nodes.firsts)) == len(nodes.firsts)
    assert nodes.received > 3  # of which some were lost
    learner.close()
    with pytest.raises(ThreefoldError, match="is not local, ray or ray:HOST:PORT"):
        PolicyClusterLearner(TIC_TAC_TOE, small(), "dask")


def test_workers_do_without_pytorch(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    crew = PolicyPlayers("tic-tac-toe", Way(0, 4), 4, random_policy_net(TIC_TAC_TOE).arrays())
    monkeypatch.setitem(sys.modules, "threefold.learn.policy_model", None)
    judge = crew._judge(random_policy_net(TIC_TAC_TOE).arrays())
    assert isinstance(judge, PolicyValues)


def test_a_net_is_saved_with_how_it_was_made(tmp_path: Path) -> None:
    net = learned(NIM, small(), 30).net()
    net.save(tmp_path / "net.npz")
    again = PolicyNet.load(tmp_path / "net.npz", NIM)
    s = NIM.initial()
    assert again.policy(s) == net.policy(s)
    assert again.chances(s) == net.chances(s)


# On the command line.


def test_training_resuming_and_playing(shell: Shell, tmp_path: Path) -> None:
    out, other = str(tmp_path / "net.npz"), str(tmp_path / "other.npz")
    options = ("--blocks", "1", "--channels", "8", "--parallel", "16", "--nodes", "4")
    train = ("train", "tic-tac-toe", "--method", "alphazero", "--out")
    answer = shell.json(*train, out, "--games", "40", *options)
    assert (answer["method"], answer["blocks"], answer["channels"]) == ("alphazero", 1, 8)
    assert answer["games"] >= 40
    assert set(answer["strength"]) == {"previous", "random"}

    again = shell.json("train", "tic-tac-toe", "--resume", out, "--out", other, "--games", "60")
    assert again["games"] >= 60
    assert (again["method"], again["blocks"]) == ("alphazero", 1)
    said = shell.refused("train", "tic-tac-toe", "--resume", out, "--out", other, "--blocks", "2")
    assert "was trained with --blocks 1; it cannot go on with 2" in said
    said = shell.refused("train", "tic-tac-toe", "--start", out, "--out", other)
    assert "is not a net that judges positions" in said

    found = shell.json("analyze", "tic-tac-toe", "--eval", out, "--nodes", "50")
    assert (found["nodes"], len(found["moves"])) == (50, 1)
    judged = shell.json("evaluate", "tic-tac-toe", "--eval", out)
    assert sum(judged["policy"].values()) == pytest.approx(1)
    assert sum(judged["results"].values()) == pytest.approx(1, abs=1e-6)
    assert (judged["net"]["blocks"], judged["net"]["channels"]) == (1, 8)
    assert shell("evaluate", "tic-tac-toe", "--eval", out) == 0
    assert "  move " in shell.out
    over = shell.json("evaluate", "tic-tac-toe", "XXX/OO./... O", "--eval", out)
    assert (over["win"], over["policy"]) == (1.0, {})

    db = ("--db", str(tmp_path / "games.db"))
    players = (f"mcts(eval={out},simulations=30)", "random")
    match = shell.json("match", *players, "--game", "tic-tac-toe", "--games", "2", *db)
    assert (match["games"], match["crashes"]) == (2, 0)
    players = ("mcts(eval=lines,simulations=30)", "random")
    said = shell.refused("match", *players, "--game", "tic-tac-toe", "--games", "2", *db)
    assert "eval is for nets that propose moves" in said


def test_games_of_chance_cannot_be_learned_so(shell: Shell, tmp_path: Path) -> None:
    out = str(tmp_path / "net.npz")
    said = shell.refused("train", "dice-nim", "--method", "alphazero", "--out", out)
    assert "a net that proposes moves is for games without chance" in said


def test_the_defaults_in_the_docs_are_right() -> None:
    page = (Path(__file__).parents[1] / "docs" / "train-methods.md").read_text("utf-8")
    usual, on_gpu = Plan.usual("alphazero"), Plan.usual("alphazero", "gpu")
    for row in (
        f"| `--nodes N` | {usual.nodes} |",
        f"| {usual.blocks} and {usual.channels}; on a GPU {on_gpu.blocks} and {on_gpu.channels} |",
        f"| `--parallel N` | {usual.parallel}; on a GPU {on_gpu.parallel:,} |",
        f"| `--exploration P` | {Way().exploration} |",
        f"| `--rate R` | {usual.rate} |",
    ):
        assert row in page
    assert f"out of the last {usual.window:,}" in page
    assert usual.last_rate == pytest.approx(usual.rate / 10)
