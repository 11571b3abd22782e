"""How fast nets learn: games a second of `threefold train`, with measuring their strength.

threefold bench train
threefold bench train --time 5

The net for backgammon sees what TD-Gammon's first version saw, with 80 hidden units. A CPU
learns for 20 seconds, or --time, with two threads; a GPU from as many games as TD-Gammon 2.1.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path

from comparison import LeftOut, Rate, say, time_limit

import threefold
from threefold.errors import ThreefoldError
from threefold.learn import methods
from threefold.learn.learner import Goal, Plan
from threefold.learn.training import Training

# game, hidden units
GAMES = [("connect-four", 128), ("backgammon(inputs=tesauro)", 80)]
CPU_SECONDS = 20.0
GPU_GAMES = 1_500_000
GPU_WANTED = 50_000.0


def measure() -> Iterator[LeftOut | Rate]:
    for spec, hidden in GAMES:
        plan = Plan(hidden=(hidden,))
        yield _trained(spec, plan, Goal(seconds=time_limit(CPU_SECONDS)), wanted=0)
    spec, hidden = GAMES[-1]
    # Every game is learned from as it came: means over every roll play fewer games in the time.
    plan = Plan(hidden=(hidden,), device="gpu", every_roll=0.0)
    yield _trained(spec, plan, Goal(games=GPU_GAMES), wanted=GPU_WANTED)


def _trained(spec: str, plan: Plan, goal: Goal, wanted: float) -> LeftOut | Rate:
    """Train a net, and forget it."""
    what = f"{spec}, {plan.hidden[0]} hidden units, {plan.device}"
    say(what)
    game = threefold.game(spec)
    try:
        learner = methods.learner(game, plan)
    except ThreefoldError as error:  # no PyTorch, or no GPU
        return LeftOut(what, str(error))
    with tempfile.TemporaryDirectory() as folder, methods.closing(learner):
        training = Training(
            learner,
            plan,
            goal,
            Path(folder) / "net.npz",
            Path(folder) / "net.checkpoint.npz",
            sparrings=methods.sparrings(game, plan),
        )
        training.prepare()
        report = training.run()
    return Rate(what, report.games / report.seconds, "games/s", wanted)
