"""First lessons for a net: games by tree search with playouts."""

from itertools import pairwise
from types import FunctionType
from typing import Any

import numpy as np
import pytest
from shell import Shell

from threefold import game
from threefold.engine.amaf import MoveValue
from threefold.engine.playing_out import Search
from threefold.engine.policy_nets import PolicyNet
from threefold.engine.randomness import first_random
from threefold.engine.records import interpreted_record, layout
from threefold.engine.uct import Node
from threefold.learn import playout_games
from threefold.learn.gumbel import Lane, SelfPlay
from threefold.learn.learner import Plan
from threefold.learn.playout_play import PlayoutTable
from threefold.learn.policy_play import GameRecord, Teacher, Way
from threefold.rules.contract import MIN
from threefold.rules.rebind import interpreted

TIC_TAC_TOE = game("tic-tac-toe")
SMALL_GO = "go(size=3,komi=0)"


def games_of(spec: str, games: int, *, simulations: int = 4, seed: int = 1) -> list[GameRecord]:
    way = Way(seed, simulations, exploration=0, opening=0)
    table: PlayoutTable[Any] = PlayoutTable(game(spec), way)
    return [table.play_game() for _ in range(games)]


def test_it_plays_well_from_the_first_game_on() -> None:
    """Tic-tac-toe is a draw."""
    games = games_of("tic-tac-toe", 40, simulations=32)
    assert sum(each.worth == 0 for each in games) >= 38


def test_a_run_that_ends_leaves_its_games() -> None:
    """A whole game may take long, and nobody waits for it."""
    table: PlayoutTable[Any] = PlayoutTable(TIC_TAC_TOE, Way(1, 4, exploration=0, opening=0))
    assert len(table.play_game()) > 0
    table.stop()
    assert len(table.play_game()) == 0


def test_what_is_recorded() -> None:
    """Every position with its legal moves, and a share for each."""
    of = TIC_TAC_TOE
    for each in games_of("tic-tac-toe", 10):
        positions = [of.state_type(*map(int, s)) for s in each.states]
        assert positions[0] == of.initial()
        for s, moves, shares, n in zip(
            positions, each.moves, each.shares, each.counts, strict=True
        ):
            assert sorted(moves[:n]) == sorted(of.moves(s))
            assert shares[:n].astype(float).sum() == pytest.approx(1, abs=0.01)
        for s, after in pairwise(positions):
            assert after in [of.result(s, a) for a in of.moves(s)]
        last = of.state_type(*map(int, each.last))
        value = of.solve(last).value
        assert each.worth == (-value if of.player(last) == MIN else value)


def test_a_game_is_the_same_again() -> None:
    one, other = (games_of(SMALL_GO, 5) for _ in range(2))
    for a, b in zip(one, other, strict=True):
        assert a.states.tolist() == b.states.tolist()
        assert a.shares.tolist() == b.shares.tolist()
    different = games_of(SMALL_GO, 5, seed=2)
    assert [each.states.tolist() for each in different] != [each.states.tolist() for each in one]


def test_superko_and_owners() -> None:
    """No board comes up again, and who owns what is what the rules say of the last position."""
    of = game(SMALL_GO)
    table: PlayoutTable[Any] = PlayoutTable(of, Way(0, 4))
    teacher: Teacher[Any] = Teacher(table._setup)
    known = 0
    for number in range(30):
        record = table.play_game()
        boards = [of.superko(of.state_type(*map(int, s))) for s in record.states]
        fresh = [b for i, b in enumerate(boards) if i == 0 or b != boards[i - 1]]
        assert len(set(fresh)) == len(fresh)
        last = of.state_type(*map(int, record.last))
        lessons = teacher.of_game(record, number)
        if not of.is_terminal(last):
            assert (lessons.owned == -1).all()
            continue
        known += 1
        assert np.sign(of.utility(last)) == record.worth
        for s, (mine, theirs) in zip(record.states, lessons.owned.tolist(), strict=True):
            owned = (mine, theirs)
            if of.player(of.state_type(*map(int, s))) == MIN:
                owned = owned[::-1]
            assert owned in {of.owners(turn(last)) for turn in (lambda s: s, *of.symmetries)}
    assert known > 20


def test_a_game_is_over_once_it_is_decided() -> None:
    """A player who has lost would go on for long, in Go."""
    of = game("go(size=5,komi=0.5)")
    table: PlayoutTable[Any] = PlayoutTable(of, Way(3, 8))
    for _ in range(4):
        record = table.play_game()
        assert record.worth in (1, -1)
        assert len(record.states) < 60


@pytest.mark.parametrize(
    ("mover", "low", "high", "chosen"), [(0, 1, 1, 2), (1, -1, -1, 1), (0, -1, 1, 3)]
)
def test_the_move_that_is_played(mover: int, low: float, high: float, chosen: int) -> None:
    """A sure one if the value is proven, else the one that was tried most."""
    tree = [
        Node(first=1, children=3, mover=mover, low=low, high=high),
        Node(visits=3, low=-1, high=-1),
        Node(visits=2, low=1, high=1),
        Node(visits=9, low=-1, high=1),
    ]
    best = playout_games.best_child
    assert isinstance(best, FunctionType)
    assert interpreted(best, TIC_TAC_TOE)(tree) == chosen


@pytest.mark.parametrize("spec", ["tic-tac-toe", SMALL_GO])
def test_interpreted_and_compiled_agree(spec: str) -> None:
    """The same game, move by move, in plain Python."""
    of = game(spec)
    for number in (48, 49):
        table: PlayoutTable[Any] = PlayoutTable(of, Way(5, 2), first=number)
        compiled = table.play_game()

        other: PlayoutTable[Any] = PlayoutTable(of, Way(5, 2), first=number)
        other.start_game(0)
        facts, setup = of.facts, other._setup
        search = interpreted_record(Search, facts.max_moves)
        for name in ("playouts", "exploration", "equivalence", "max_plies"):
            setattr(search, name, getattr(other._search, name))
        search.random = first_random(setup.way.seed, number)
        play = interpreted_record(SelfPlay, facts.max_moves)
        for name in ("simulations", "exploration", "max_plies", "most_plies", "repeats"):
            setattr(play, name, getattr(other._play, name))
        names = layout(Lane).names
        lane = Lane(**dict(zip(names, setup.new_lane(number, 0, 0.0), strict=True)))
        lane.whole = 0
        nodes = 1 + facts.max_moves * (play.simulations + 1)
        amaf = [MoveValue() for _ in range(nodes)] if of.rave else None
        played = [0] * facts.move_range if of.rave else None
        tree = [Node() for _ in range(nodes)]
        rows, most = setup.rows, facts.max_moves
        position = list(map(int, setup.start))
        states = [[0] * len(position) for _ in range(rows)]
        moves = [[0] * most for _ in range(rows)]
        shares = [[0.0] * most for _ in range(rows)]
        counts = [0] * rows
        play_on = playout_games.play_on
        assert isinstance(play_on, FunctionType)
        interpreted(play_on, of)(
            *(position, [0] * setup.keys, states, moves, shares, counts, lane, play),
            *(other._setup.way.opening, amaf, played, tree, search),
        )
        n = lane.recorded
        assert n == len(compiled.states)
        assert lane.worth == compiled.worth
        assert states[:n] == compiled.states.tolist()
        assert position == compiled.last.tolist()
        assert counts[:n] == compiled.counts.tolist()
        for i in range(n):
            assert moves[i][: counts[i]] == compiled.moves[i, : counts[i]].tolist()
            assert shares[i][: counts[i]] == pytest.approx(
                compiled.shares[i, : counts[i]], abs=1e-6
            )


# Training.


def test_training_begins_with_playouts_and_goes_on_with_the_net() -> None:
    pytest.importorskip("torch", reason='needs PyTorch: pip install "threefold[learn]"')
    from dataclasses import replace

    from threefold.learn.alphazero import AlphaZeroLearner

    plan = replace(
        Plan.usual("alphazero"),
        threads=2, blocks=1, channels=16, parallel=32, nodes=4, window=4096, batch=64, playouts=0.5,
    )  # fmt: skip
    learner = AlphaZeroLearner(TIC_TAC_TOE, plan)
    learner.prepare()
    done = learner.round()
    assert done.games == plan.threads
    learned = len(learner._replay)
    assert learned == done.positions
    learner.done = 0.5
    after = learner.round()
    assert len(learner._replay) == learned + after.positions
    assert not learner._playout_tables


def test_the_command(shell: Shell, tmp_path: Any) -> None:
    pytest.importorskip("torch", reason='needs PyTorch: pip install "threefold[learn]"')
    out = str(tmp_path / "net.npz")
    small = "--method alphazero --blocks 1 --channels 8 --nodes 4 --parallel 16 --games 30"
    answer = shell.json("train", "tic-tac-toe", *small.split(), "--playouts", "0.5", "--out", out)
    assert answer["games"] >= 30
    assert "--playouts 0.5" in PolicyNet.load(tmp_path / "net.npz", TIC_TAC_TOE).made["command"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--playouts 0.5", "--playouts is for --method alphazero"),
        ("--method alphazero --playouts 2", "--playouts 2.0 is not a number from 0 to 1"),
        ("--method alphazero --playouts 0.5 --cluster ray", "--playouts is for --device cpu"),
    ],
)
def test_what_is_refused(shell: Shell, tmp_path: Any, options: str, message: str) -> None:
    out = str(tmp_path / "net.npz")
    assert message in shell.refused("train", "tic-tac-toe", *options.split(), "--out", out)
