"""The ways to learn by their names, and what each needs before it can begin."""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, Final, cast

from threefold.engine.compile import Compiled
from threefold.engine.limits import check_whole
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
ALPHAZERO: Final = "alphazero"
METHODS: Final = (TD, FIT, ALPHAZERO)
DEVICES: Final = ("cpu", "gpu")


def check_method(method: str) -> None:
    """Raise unless there is such a method."""
    if method not in METHODS:
        raise ThreefoldError(f"{argument('method', method)} is not one of {', '.join(METHODS)}")


#: The options of one way to learn, with the least and the greatest; and those that it has not.
_OF_POLICIES: Final = {"blocks": (1, 64), "channels": (1, 1024), "parallel": (1, 1 << 16)}
_NOT_OF_POLICIES: Final = ("hidden", "outputs", "lambda", "mix", "every_roll", "terms")


def check_options(method: str, given: Mapping[str, Any]) -> None:
    """Raise if options are given that are another method's, or numbers that cannot be."""
    for name in (*_OF_POLICIES, "playouts"):
        if name in given and method != ALPHAZERO:
            raise ThreefoldError(f"{argument(name)} is for {argument('method', ALPHAZERO)}")
    for name, (least, most) in _OF_POLICIES.items():
        if name in given:
            check_whole(name, given[name], least, most)
    for name in _NOT_OF_POLICIES if method == ALPHAZERO else ():
        if name in given:
            raise ThreefoldError(f"{argument(name)} is not for {argument('method', ALPHAZERO)}")
    if method == ALPHAZERO and "nodes" in given:
        check_whole("nodes", given["nodes"], 2, 10_000)


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
    if cluster != "local" and (plan.method == FIT or plan.device != "cpu" or plan.terms):
        given, cpu = argument("cluster", cluster), argument("device", "cpu")
        both = f"{argument('method', TD)} and {ALPHAZERO}"
        raise ThreefoldError(f"{given} is for nets, {both}, and {cpu}")
    if plan.playouts and (plan.device != "cpu" or cluster != "local"):
        here = f"{argument('device', 'cpu')} and without {argument('cluster')}"
        raise ThreefoldError(f"{argument('playouts')} is for {here}")
    if plan.terms and plan.method == ALPHAZERO:
        raise ThreefoldError(f"{argument('terms')} is for {argument('method', TD)} and {FIT}")
    if plan.terms:
        from threefold.learn.linear import LinearLearner

        # Weights are documented and saved as a net is.
        return cast(Learner, LinearLearner(game, plan, games))
    _load_torch()
    if plan.method == ALPHAZERO and cluster != "local":
        from threefold.learn.policy_cluster import PolicyClusterLearner

        return cast(Learner, PolicyClusterLearner(game, plan, cluster))
    if plan.method == ALPHAZERO and plan.device == "gpu":
        from threefold.learn.alphazero_on_gpu import GpuAlphaZeroLearner

        return cast(Learner, GpuAlphaZeroLearner(game, plan))
    if plan.method == ALPHAZERO:
        from threefold.learn.alphazero import AlphaZeroLearner

        # Its net is documented and saved as others are.
        return cast(Learner, AlphaZeroLearner(game, plan))
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
    if plan.method == ALPHAZERO:
        from threefold.learn.policy_strength import PolicySparrings

        device = "cpu"
        if plan.device == "gpu":
            from threefold.learn.lanes import DEVICE as device  # noqa: N811
        return cast(Sparrings, PolicySparrings(game, plan.seed, device))
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
