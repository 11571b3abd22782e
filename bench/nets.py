"""What nets cost.

- Alpha-beta's nodes a second with a net, and with the game's own evaluation. The net has 128 hidden
  units, and won, drawn and lost as outputs. Both search the same positions in turns, the same
  number of nodes each.
- Positions a second that a net that proposes moves judges in our compiled code, sixteen at a time
  as tree search asks for them, and in PyTorch, on one thread each.

Weights are random: the speed does not depend on them.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from comparison import Comparison, LeftOut, best_rate, say

from threefold import Game, game
from threefold.engine.analysis import Engine
from threefold.engine.limits import Limits
from threefold.engine.nets import Net, feature_words, rounded_layers
from threefold.engine.policy_nets import Shape
from threefold.engine.policy_values import PolicyValues
from threefold.rules.contract import MAX

# game, plies of a random opening
GAMES = [("connect-four", 8), ("othello", 16), ("checkers", 12)]
HIDDEN = 128
RESULTS = (-1, 0, 1)
NODES = 1_000_000
ROUNDS = 3
WANTED = 1 / 3
# game, blocks and channels of a net that proposes moves
POLICIES = [("go(size=9)", 4, 32), ("go(size=9)", 6, 64), ("connect-four", 4, 32)]
LEAVES = 16


def measure() -> Iterator[Comparison | LeftOut]:
    for spec, plies in GAMES:
        say(f"{spec} with a net")
        g = game(spec)
        s = _opening(g, plies)
        own, judged = Engine(g), Engine(g.judged_by(_net(g)))
        for engine in (own, judged):
            engine.analyze(s, Limits(depth=1))  # compiles
        ours, theirs = 0.0, 0.0
        for _ in range(ROUNDS):
            ours = max(ours, _rate(judged, s))
            theirs = max(theirs, _rate(own, s))
        what = f"{spec}, alpha-beta with a net of {HIDDEN} units"
        yield Comparison(what, ours, f"its evaluation {g.evaluation}", theirs, "nodes/s", WANTED)
    try:
        import torch
    except ImportError:
        yield LeftOut("nets that propose moves against PyTorch", "it is not installed")
        return
    torch.set_num_threads(1)
    for spec, blocks, channels in POLICIES:
        yield _policy(spec, blocks, channels)


def _policy(spec: str, blocks: int, channels: int) -> Comparison:
    """A net that proposes moves, here and in PyTorch."""
    from threefold.learn.policy_model import PolicyModel, TorchValues

    say(f"{spec} with {blocks} blocks of {channels} channels")
    g = game(spec)
    model: PolicyModel[Any] = PolicyModel(Shape.of(g, channels, blocks), 0, 0.001)
    net = model.net(g)
    words = np.random.default_rng(1).integers(0, 1 << 62, (LEAVES, net.words))

    def judging(judge: Any) -> Any:
        def some() -> int:
            for _ in range(50):
                judge(words)
            return 50 * LEAVES

        return some

    ours, theirs = judging(PolicyValues(net)), judging(TorchValues(net))
    ours()  # compiles
    what = f"{spec}, {blocks} blocks of {channels} channels"
    return Comparison(what, best_rate(ours), "PyTorch", best_rate(theirs), "positions/s", 0.5)


def _rate(engine: Engine[Any], s: Any) -> float:
    engine.clear()
    return engine.analyze(s, Limits(nodes=NODES)).rate


def _opening(g: Game[Any], plies: int) -> Any:
    """A position after some plies, the same each time."""
    s = g.initial()
    for ply in range(plies):
        moves = g.moves(s)
        s = g.result(s, moves[(7 * ply + 3) % len(moves)])
    return s


def _net(g: Game[Any]) -> Net[Any]:
    rng = np.random.default_rng(1)
    inputs = 64 * len(feature_words(g, g.initial(), MAX))
    weights = [rng.normal(0, 0.2, (inputs, HIDDEN)), rng.normal(0, 0.2, (len(RESULTS), HIDDEN))]
    biases = [rng.normal(0, 0.2, HIDDEN), rng.normal(0, 0.2, len(RESULTS))]
    return Net(g, *rounded_layers(weights, biases), RESULTS)
