"""`start(game, s)`: a search of a position for its best moves, by the requested method."""

from typing import Final, TypeVar

from threefold.engine.analysis import DEFAULT_MEGABYTES, Engine
from threefold.engine.limits import Limits
from threefold.engine.mcts import DEFAULT_MEGABYTES as MCTS_MEGABYTES
from threefold.engine.mcts import ON_CPU, MonteCarlo, Place
from threefold.engine.result import Result
from threefold.engine.running import Running
from threefold.errors import ThreefoldError, argument
from threefold.rules.game import Game
from threefold.rules.text import did_you_mean

S = TypeVar("S")

METHODS: Final = ("alphabeta", "mcts")
#: Seconds that `analyze` takes when no limit is given.
DEFAULT_TIME: Final = 1.0


def start(
    game: Game[S],
    s: S,
    limits: Limits,
    *,
    multipv: int = 1,
    threads: int = 1,
    seed: int | None = None,
    exact: bool = False,
    method: str = "alphabeta",
    playouts_on: Place = ON_CPU,
    megabytes: int | None = None,
) -> Running[Result[S]]:
    """Start searching a position; the search ends at a limit, at a proof, or when stopped."""
    if method not in METHODS:
        raise ThreefoldError(f"there is no method {method!r}: {did_you_mean(method, METHODS)}")
    if method == "mcts":
        if threads != 1 or exact:
            options = f"{argument('threads')} and {argument('exact')}"
            raise ThreefoldError(f"mcts has one thread and no exact mode; leave out {options}")
        tree = MonteCarlo(
            game,
            s,
            seed=0 if seed is None else seed,
            megabytes=MCTS_MEGABYTES if megabytes is None else megabytes,
            playouts_on=playouts_on,
        )
        return tree.start(limits, multipv=multipv)
    if playouts_on is not ON_CPU:
        option = argument("playouts_on", repr(playouts_on.name))
        raise ThreefoldError(f"alpha-beta plays no games out; {option} is mcts's")
    megabytes = DEFAULT_MEGABYTES if megabytes is None else megabytes
    engine = Engine(game, megabytes=megabytes, threads=threads)
    return engine.start(s, limits, multipv=multipv, exact=exact, seed=seed)
