"""AlphaZero on Connect Four: the share of its moves that are perfect, by the exact solver.

threefold bench alphazero
threefold bench alphazero --time 1200

A CPU learns for two minutes, or --time; a GPU for ten. The curve is of the net alone, which plays
the move that it thinks best. In the end there is also a search with it, of few simulations.

A move is perfect if it keeps what the position is worth: a win, a draw or a loss. It is the best
if no other wins sooner or loses later. The positions are of games in which half of the moves
are perfect and the rest random, from the tenth ply on. In many of them all moves are worth the
same, so that every move is perfect; the share is also given for the others alone.
"""

import random
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from comparison import LeftOut, say, time_limit

import threefold
from threefold.engine.limits import Limits
from threefold.engine.policy_nets import PolicyNet
from threefold.engine.policy_search import PolicySearcher
from threefold.errors import ThreefoldError
from threefold.learn import methods
from threefold.learn.learner import Goal, Plan
from threefold.learn.training import Report, Training
from threefold.rules.game import Game
from threefold.solve.solve import Solver

CPU_SECONDS = 120.0
GPU_SECONDS = 600.0
GPU_WANTED = 97.0
POSITIONS = 500
#: Positions before this ply take seconds to solve.
FIRST_PLY = 10
POINTS_OF_CURVE = 8
SIMULATIONS = (100, 800)
SOLVER_MEGABYTES = 512


@dataclass(frozen=True)
class Solved:
    """A position, and its moves that are perfect and best."""

    position: Any
    perfect: frozenset[int]
    best: frozenset[int]
    #: Whether there is a move that is not perfect.
    matters: bool


@dataclass(frozen=True)
class Share:
    """How many moves are perfect, in percent: of all, and where it matters; how many the best."""

    what: str
    perfect: float
    mattering: float
    best: float
    wanted: float = 0.0

    def __str__(self) -> str:
        verdict = "reached" if self.perfect >= self.wanted else "NOT reached"
        aim = f"; wanted {self.wanted:g} % perfect: {verdict}" if self.wanted else ""
        return (
            f"{self.what}: {self.perfect:.1f} % perfect, {self.mattering:.1f} % where it matters, "
            f"{self.best:.1f} % the best{aim}"
        )

    def to_json(self) -> dict[str, Any]:
        return vars(self)


def measure() -> Iterator[LeftOut | Share]:
    game = threefold.game("connect-four")
    say(f"{POSITIONS} positions, solved")
    positions = solved_positions(game, POSITIONS)
    for device, seconds, wanted in (("cpu", CPU_SECONDS, 0.0), ("gpu", GPU_SECONDS, GPU_WANTED)):
        plan = Plan.usual("alphazero", device)
        yield from _learned(game, plan, time_limit(seconds), positions, wanted)


def solved_positions(game: Game[Any], count: int, seed: int = 0) -> list[Solved]:
    """Positions of games that are half perfect, with the moves to choose."""
    rng = random.Random(seed)
    found: list[Solved] = []
    with Solver(game, megabytes=SOLVER_MEGABYTES) as solver:
        while len(found) < count:
            s, ply = game.initial(), 0
            while moves := game.moves(s):
                if ply < FIRST_PLY:
                    s = game.result(s, rng.choice(moves))
                else:
                    found.append(_solved(solver, s))
                    choices = moves if ply % 4 < 2 else sorted(found[-1].perfect)
                    s = game.result(s, rng.choice(choices))
                ply += 1
    return found[:count]


def _solved(solver: Solver[Any], s: Any) -> Solved:
    lines = solver.solve(s, detail="moves", progress=False).lines
    value, win_in = lines[0].value, lines[0].win_in
    perfect = frozenset(line.move for line in lines if line.value == value)
    best = frozenset(line.move for line in lines if line.value == value and line.win_in == win_in)
    return Solved(s, perfect, best, len(perfect) < len(lines))


def share(what: str, positions: list[Solved], choose: Callable[[Any], int]) -> Share:
    """How a player's moves are."""
    chosen = [(each, choose(each.position)) for each in positions]
    perfect = [move in each.perfect for each, move in chosen]
    mattering = [move in each.perfect for each, move in chosen if each.matters]
    best = [move in each.best for each, move in chosen]
    return Share(what, *(100 * sum(these) / len(these) for these in (perfect, mattering, best)))


def by_net(net: PolicyNet[Any]) -> Callable[[Any], int]:
    """The move that a net thinks best."""
    return lambda s: next(iter(net.policy(s)))


def by_search(net: PolicyNet[Any], simulations: int) -> Callable[[Any], int]:
    """The move that a search with the net finds."""
    searcher = PolicySearcher(net.game.judged_by(net))

    def choose(s: Any) -> int:
        best = searcher.analyze(s, Limits(nodes=simulations)).best
        assert best is not None
        return best

    return choose


def _learned(
    game: Game[Any], plan: Plan, seconds: float, positions: list[Solved], wanted: float
) -> Iterator[LeftOut | Share]:
    """Learn, and measure what was learned on the way and in the end."""
    what = f"connect-four, alphazero, {plan.device}"
    say(f"{what}, {seconds:.0f} s")
    try:
        learner = methods.learner(game, plan)
    except ThreefoldError as error:  # no PyTorch, or no GPU
        yield LeftOut(what, str(error))
        return
    kept: list[tuple[Report, PolicyNet[Any]]] = []
    with tempfile.TemporaryDirectory() as folder, methods.closing(learner):
        out, checkpoint = Path(folder) / "net.npz", Path(folder) / "net.checkpoint.npz"
        training = Training(learner, plan, Goal(seconds=seconds), out, checkpoint)

        def watch(report: Report) -> None:
            if report.seconds >= seconds * (len(kept) + 1) / POINTS_OF_CURVE:
                net: object = training.net
                assert isinstance(net, PolicyNet)
                kept.append((report, net))

        training.watch = watch
        training.prepare()
        training.run()
    for report, net in kept:
        about = f"{what} after {report.seconds:.0f} s, {report.games:,} games, "
        about += f"{report.positions:,} positions; the net alone"
        yield share(about, positions, by_net(net))
    _, net = kept[-1]
    for simulations in SIMULATIONS:
        about = f"{what}, {simulations} simulations"
        found = share(about, positions, by_search(net, simulations))
        yield replace(found, wanted=wanted) if simulations == SIMULATIONS[-1] else found
