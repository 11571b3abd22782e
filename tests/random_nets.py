"""Nets with random weights, up to the largest that a file may have."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from threefold import Game
from threefold.engine.nets import Layer, Net, feature_words
from threefold.engine.policy_nets import PolicyNet, Shape
from threefold.rules.contract import MAX

#: What a net's outputs may be the chances of; with none, it is a margin.
RESULTS = [(), (-1, 1), (-1, 0, 1), (-3, -2, -1, 1, 2, 3), (1, -1), tuple(range(-8, 8))]


def random_net(
    game: Game[Any],
    seed: int = 0,
    hidden: tuple[int, ...] = (8,),
    results: tuple[int, ...] = (-1, 0, 1),
    *,
    extreme: bool = False,
    name: str = "net",
) -> Net[Any]:
    """A net whose weights are moderate, or as large as they can be."""
    rng = np.random.default_rng(seed)

    def weights(*shape: int) -> Any:
        if extreme:
            some = rng.choice([-32768, -32767, -1, 0, 1, 32767], shape)
        else:
            some = np.rint(rng.normal(0, 200, shape))
        return some.astype(np.int16)

    def biases(n: int) -> Any:
        largest = (1 << 30) if extreme else 500
        return rng.integers(-largest, largest + 1, n).astype(np.int32)

    words = len(feature_words(game, game.initial(), MAX))
    layers = []
    units = hidden[0]
    for wide in (*hidden[1:], max(len(results), 1)):
        shift = int(rng.integers(0, 14))
        layers.append(Layer(weights(wide, units), biases(wide), shift))
        units = wide
    net = Net(
        game,
        weights(64 * words, hidden[0]),
        biases(hidden[0]),
        tuple(layers),
        results,
        {"command": "by hand", "seed": seed},
        name,
    )
    net.check()
    return net


@st.composite
def nets(draw: st.DrawFn, game: Game[Any]) -> Net[Any]:
    """Nets of one to four hidden layers."""
    hidden = draw(st.lists(st.integers(1, 20), min_size=1, max_size=4))
    return random_net(
        game,
        draw(st.integers(0, 2**32 - 1)),
        tuple(hidden),
        draw(st.sampled_from(RESULTS)),
        extreme=draw(st.booleans()),
    )


def random_policy_net(
    game: Game[Any], seed: int = 0, channels: int = 4, blocks: int = 2, name: str = "net"
) -> PolicyNet[Any]:
    """A net that proposes moves, with random weights."""
    rng = np.random.default_rng(seed)
    shape = Shape.of(game, channels, blocks)
    weights = {
        each: rng.normal(0, 0.5, size).astype(np.float16) for each, size in shape.arrays().items()
    }
    net = PolicyNet(game, shape, weights, {"command": "by hand", "seed": seed}, name)
    net.check()
    return net
