"""Searches whose games are played on the CPU or on a GPU, by the name of the place.

The engine knows nothing about GPUs: it is given what plays games out. Callers that name the place,
as `Game` and the command line do, come here.
"""

from collections.abc import Sequence
from typing import Any, Final, TypeVar

from threefold.engine import methods
from threefold.engine.limits import Limits
from threefold.engine.mcts import ON_CPU, Place
from threefold.engine.playing_out import Search
from threefold.engine.result import Result
from threefold.engine.rollout_result import Options
from threefold.engine.rollouts import Roller
from threefold.engine.running import Running
from threefold.engine.uct import Tree
from threefold.errors import ThreefoldError, argument
from threefold.rules.game import Game

S = TypeVar("S")


def start(
    game: Game[S],
    s: S,
    *,
    time: float | None = None,
    depth: int | None = None,
    nodes: int | None = None,
    playouts_on: str = "cpu",
    **options: Any,
) -> Running[Result[S]]:
    """Start searching a position; the other options are those of `methods.start`."""
    limits, place = Limits(time, nodes, depth), place_of(playouts_on)
    return methods.start(game, s, limits, playouts_on=place, **options)


def place_of(playouts_on: str) -> Place:
    """Where Monte Carlo tree search and rollouts play their games."""
    if playouts_on not in _PLACES:
        given = argument("playouts_on", repr(playouts_on))
        raise ThreefoldError(f"{given} is not one of {', '.join(_PLACES)}")
    return _PLACES[playouts_on]


def _on_gpu(game: Game[Any], s: Any, seed: int, tree: Tree, search: Search) -> Any:
    from threefold.gpu.on_gpu import OnGpu
    from threefold.gpu.tree_search import BatchedSimulations

    return BatchedSimulations(OnGpu(game), s, seed, tree, search)


def _roller(game: Game[Any], starts: Sequence[Any], options: Options, threads: int) -> Roller:
    from threefold.gpu.rollouts import OnDevice

    return OnDevice(game, starts, options, threads)


_PLACES: Final = {
    "cpu": ON_CPU,
    "gpu": Place("gpu", playouts=64, exploration=0.7, simulator=_on_gpu, roller=_roller),
}
