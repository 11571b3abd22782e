"""Counting trees with rules that run interpreted, compiled or on a GPU, by name.

The engine knows nothing about GPUs: it is given what counts. Callers that name the way, as `Game`
and the command line do, come here.
"""

from typing import Any, Final, TypeVar

from threefold.engine import perft as counting
from threefold.engine.control import Control
from threefold.engine.perft import Counter, MakeCounter, Perft
from threefold.engine.records import allocate
from threefold.errors import ThreefoldError
from threefold.rules.game import Game
from threefold.rules.text import did_you_mean

S = TypeVar("S")


def perft(
    game: Game[S],
    s: S,
    depth: int,
    *,
    finished: bool = False,
    divide: bool = False,
    way: str = "compiled",
) -> Perft:
    """Count the tree below a position with the rules run in that way."""
    if way not in _COUNTERS:
        hint = did_you_mean(way, _COUNTERS)
        raise ThreefoldError(f"there is no way {way!r} to run rules: {hint}")
    counter = _COUNTERS[way]
    return counting.perft(game, s, depth, finished=finished, divide=divide, counter=counter)


def _gpu_counter(game: Game[S], s: S, depth: int, finished: bool) -> tuple[Counter[S], Control]:
    from threefold.gpu.counting import Counter as CounterOnGpu
    from threefold.gpu.on_gpu import OnGpu

    control = allocate(Control)
    counter = CounterOnGpu(OnGpu(game), finished, depth, control)
    counter.prepare(s, depth)
    return counter.count, control


_COUNTERS: Final[dict[str, MakeCounter[Any]]] = {
    "interpreted": counting.interpreted_counter,
    "compiled": counting.compiled_counter,
    "gpu": _gpu_counter,
}
