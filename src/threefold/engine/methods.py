"""`analyze(game, s)`: the best moves of a position, by the method that is asked for."""

from collections.abc import Callable, Iterator
from typing import Final, TypeVar

from threefold.engine.analysis import DEFAULT_MEGABYTES, Engine
from threefold.engine.limits import Limits
from threefold.engine.mcts import DEFAULT_MEGABYTES as MCTS_MEGABYTES
from threefold.engine.mcts import mcts
from threefold.engine.result import Result
from threefold.errors import ThreefoldError, argument
from threefold.rules.game import Game
from threefold.rules.text import did_you_mean

S = TypeVar("S")

METHODS: Final = ("alphabeta", "mcts")
#: Seconds where no limit is given.
DEFAULT_TIME: Final = 1.0


def analyze(
    game: Game[S],
    s: S,
    *,
    time: float | None = None,
    depth: int | None = None,
    nodes: int | None = None,
    endless: bool = False,
    multipv: int = 1,
    threads: int = 1,
    seed: int | None = None,
    exact: bool = False,
    method: str = "alphabeta",
    playouts_on: str = "cpu",
    megabytes: int | None = None,
    watch: Callable[[Result[S]], None] | None = None,
) -> Result[S]:
    """Search a position within limits; `endless` lifts that of one second where none is given."""
    if method not in METHODS:
        raise ThreefoldError(f"there is no method {method!r}: {did_you_mean(method, METHODS)}")
    limits = Limits(time, nodes, depth)
    if limits.endless and not endless:
        limits = Limits(time=DEFAULT_TIME)
    if method == "mcts":
        if threads != 1 or exact:
            options = f"{argument('threads')} and {argument('exact')}"
            raise ThreefoldError(f"mcts has one thread and no exact mode; leave out {options}")
        return mcts(
            game,
            s,
            limits,
            seed=seed or 0,
            megabytes=MCTS_MEGABYTES if megabytes is None else megabytes,
            playouts_on=playouts_on,
            multipv=multipv,
            on_progress=watch,
        )
    if playouts_on != "cpu":
        option = argument("playouts_on", repr(playouts_on))
        raise ThreefoldError(f"alpha-beta plays no games out; {option} is mcts's")
    megabytes = DEFAULT_MEGABYTES if megabytes is None else megabytes
    engine = Engine(game, megabytes=megabytes, threads=threads)
    analysis = engine.start(s, limits, multipv=multipv, exact=exact, seed=seed)
    return analysis.result(watch)


def stream(
    game: Game[S],
    s: S,
    *,
    time: float | None = None,
    depth: int | None = None,
    nodes: int | None = None,
    multipv: int = 1,
    threads: int = 1,
    megabytes: int = DEFAULT_MEGABYTES,
) -> Iterator[Result[S]]:
    """Ever better answers of alpha-beta, until a limit is reached or the caller has enough."""
    engine = Engine(game, megabytes=megabytes, threads=threads)
    with engine.start(s, Limits(time, nodes, depth), multipv=multipv) as analysis:
        yield from analysis
