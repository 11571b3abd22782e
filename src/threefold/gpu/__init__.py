"""The GPU way: the same rules as CUDA device functions, one thread per game.

`playouts(game, …)` plays random games; `OnGpu(game)`, which is `game.on_gpu()`, answers for arrays
of positions. Both need numba-cuda and a device, and are loaded when they are asked for.
"""

from importlib import import_module
from typing import Any

_HOMES = {"playouts": "random_games", "OnGpu": "on_gpu"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
