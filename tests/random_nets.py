"""Nets with random weights: as good as any other to test what a search makes of them."""

from typing import Any

import numpy as np

from threefold import Game
from threefold.engine.nets import Net, feature_words, rounded_layers


def random_net(g: Game[Any], seed: int, units: int = 8) -> Net[Any]:
    """A net with one hidden layer that says anything at all about the chances to win."""
    rng = np.random.default_rng(seed)
    inputs = 64 * len(feature_words(g, g.initial(), 0))
    first, sums, layers = rounded_layers(
        [rng.normal(0, 0.5, (inputs, units)), rng.normal(0, 2, (2, units))],
        [rng.normal(0, 0.5, units), rng.normal(0, 0.5, 2)],
    )
    net = Net(g, first, sums, layers, (-1, 1))
    net.check()
    return net
