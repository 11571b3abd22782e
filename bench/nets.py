"""What a net costs: alpha-beta's nodes a second with one, and with the game's own evaluation.

The net has 128 hidden units, won, drawn and lost as outputs, and random weights: its speed does not
depend on them. Both search the same positions in turns, the same number of nodes each.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from comparison import Comparison, say

from threefold import Game, game
from threefold.engine.analysis import Engine
from threefold.engine.limits import Limits
from threefold.engine.nets import Net, feature_words, rounded_layers
from threefold.rules.contract import MAX

# game, plies of a random opening
GAMES = [("connect-four", 8), ("othello", 16), ("checkers", 12)]
HIDDEN = 128
RESULTS = (-1, 0, 1)
NODES = 1_000_000
ROUNDS = 3
WANTED = 1 / 3


def measure() -> Iterator[Comparison]:
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
