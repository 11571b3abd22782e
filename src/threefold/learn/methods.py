"""The ways to learn by their names, and what each needs before it can begin."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, Final, cast

from threefold.engine.compile import Compiled
from threefold.engine.progress import StatusLine
from threefold.engine.running import Closing
from threefold.errors import NoGpu, ThreefoldError, argument
from threefold.learn.feature_checks import check_features
from threefold.learn.learner import Learner, Plan
from threefold.rules.game import Game

if TYPE_CHECKING:
    from threefold.learn.recorded import Recorded
    from threefold.learn.strength import Sparrings

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
    game: Game[Any],
    plan: Plan,
    *,
    games: "Iterator[Recorded] | None" = None,
    cluster: str = "local",
) -> Learner:
    """What learns a game as planned, by playing or from the games given."""
    check_method(plan.method)
    if plan.device == "gpu":
        _check_gpu()
    if cluster != "local" and (plan.method != TD or plan.device != "cpu" or plan.terms):
        td, cpu = argument("method", TD), argument("device", "cpu")
        raise ThreefoldError(f"{argument('cluster', cluster)} is for nets, {td} and {cpu}")
    if plan.terms:
        from threefold.learn.linear import LinearLearner

        # Weights are documented and saved as a net is.
        return cast(Learner, LinearLearner(game, plan, games))
    _load_torch()
    if plan.method == FIT:
        from threefold.learn.fit import FitLearner

        return FitLearner(game, plan, games)
    if cluster != "local":
        from threefold.learn.cluster import ClusterLearner

        return ClusterLearner(game, plan, cluster)
    if plan.device == "gpu":
        from threefold.learn.on_gpu import GpuLearner

        return GpuLearner(game, plan)
    from threefold.learn.td import TdLearner

    return TdLearner(game, plan)


def sparrings(game: Game[Any], plan: Plan) -> "Sparrings":
    """How to measure what is learned as planned."""
    from threefold.learn.strength import Sparrings

    if plan.terms:
        from threefold.learn.linear import Matches

        return cast(Sparrings, Matches(game, plan))
    return Sparrings(game, plan.seed)


def closing(learner: Learner) -> AbstractContextManager[Any]:
    """Lets go of what a learner holds, such as a cluster, in the end."""
    return learner if isinstance(learner, Closing) else nullcontext()


def _load_torch() -> None:
    """Load PyTorch, which takes seconds."""
    with StatusLine(lambda seconds: f"loading PyTorch, {seconds:.0f} s"):
        from threefold.learn import model  # which has a clear error where there is none

        model.use_one_thread()


def _check_gpu() -> None:
    instead = f"{argument('device', 'cpu')} learns without one"
    from threefold.gpu.driver import check_device

    check_device(instead)
    _load_torch()
    from threefold.learn.model import has_gpu

    if not has_gpu():
        raise NoGpu(f"PyTorch was installed without CUDA, so it cannot learn on the GPU; {instead}")
