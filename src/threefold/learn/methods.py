"""The ways to learn by their names, and what each needs before it can begin."""

from typing import Any, Final

from threefold.engine.compile import Compiled
from threefold.engine.progress import StatusLine
from threefold.errors import NoGpu, ThreefoldError, argument
from threefold.learn.feature_checks import check_features
from threefold.learn.learner import Learner, Plan
from threefold.rules.game import Game

TD: Final = "td"
FIT: Final = "fit"
METHODS: Final = (TD, FIT)
#: Methods that users may have heard of.
_LATER: Final = ("alphazero",)
DEVICES: Final = ("cpu", "gpu")


def check_method(method: str) -> None:
    """Raise unless there is such a method."""
    if method in _LATER:
        known = " and ".join(METHODS)
        raise ThreefoldError(f"{argument('method', method)} is not there yet; there are {known}")
    if method not in METHODS:
        raise ThreefoldError(f"{argument('method', method)} is not one of {', '.join(METHODS)}")


def check_game(game: Game[Any]) -> int:
    """Raise unless a game can be learned; return how many words of features it has."""
    game.require("learning", zero_sum=True, perfect_information=True)
    Compiled(game)
    return check_features(game)


def learner(
    game: Game[Any], plan: Plan, *, games_from: str | None = None, cluster: str = "local"
) -> Learner:
    """What learns a game as planned."""
    check_method(plan.method)
    if plan.device == "gpu":
        _check_gpu()
    if games_from is not None and plan.method != FIT:
        raise ThreefoldError(
            f"{argument('games_from', games_from)} is for {argument('method', FIT)}"
        )
    if plan.method == FIT:
        raise ThreefoldError(f"{argument('method', plan.method)} is not there yet; try {TD}")
    if cluster != "local":
        raise ThreefoldError(f"{argument('cluster', cluster)} is not there yet; leave it out")
    _load_torch()
    if plan.device == "gpu":
        from threefold.learn.on_gpu import GpuLearner

        return GpuLearner(game, plan)
    from threefold.learn.td import TdLearner

    return TdLearner(game, plan)


def _load_torch() -> None:
    """Load PyTorch, which takes seconds."""
    with StatusLine(lambda seconds: f"loading PyTorch, {seconds:.0f} s"):
        from threefold.learn import model  # which has a clear error where there is none

        model.use_one_thread()


def _check_gpu() -> None:
    from threefold.gpu.driver import check_device

    check_device()
    _load_torch()
    from threefold.learn.model import has_gpu

    if not has_gpu():
        raise NoGpu("PyTorch was installed without CUDA, so it cannot learn on the GPU")
