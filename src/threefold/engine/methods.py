"""`start(game, s)`: a search of a position for its best moves, by the requested method."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final, TypeVar

from threefold.engine.analysis import DEFAULT_MEGABYTES, Engine
from threefold.engine.limits import Limits
from threefold.engine.mcts import DEFAULT_MEGABYTES as MCTS_MEGABYTES
from threefold.engine.mcts import ON_CPU, Place
from threefold.engine.result import Result
from threefold.engine.rollout_result import Options
from threefold.engine.rollouts import start_rollouts
from threefold.engine.running import Running
from threefold.engine.searchers import SEARCHERS, search_of, tree_searcher
from threefold.engine.selectivity import SELECTIVE, selectivity
from threefold.errors import ThreefoldError, argument
from threefold.rules.definition_checks import (
    ALPHA_BETA,
    HIDDEN_SEARCHES,
    SEARCHES,
    TREE_SEARCH,
)
from threefold.rules.game import Game
from threefold.rules.text import did_you_mean

S = TypeVar("S")

METHODS: Final = (*SEARCHES, "rollout", *HIDDEN_SEARCHES)
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
    method: str | None = None,
    playouts_on: Place = ON_CPU,
    megabytes: int | None = None,
    selective: Mapping[str, int] | None = None,
    games: int | None = None,
    truncate: int | None = None,
) -> Running[Result[S]]:
    """Start searching a position; the search ends at a limit, at a proof, or when stopped.

    Without a method, it is the one that suits the game; depth is alpha-beta's alone.
    """
    if method is None:
        method = search_of(game)
        if method == TREE_SEARCH and (limits.depth is not None or exact or selective):
            method = ALPHA_BETA
    if method not in METHODS:
        raise ThreefoldError(f"there is no method {method!r}: {did_you_mean(method, METHODS)}")
    if method != "rollout" and (games is not None or truncate is not None):
        option = argument("games" if games is not None else "truncate")
        raise ThreefoldError(f"{option} is for {argument('method', 'rollout')}, not for {method}")
    if method == "rollout":
        if exact or megabytes is not None:
            option = argument("exact" if exact else "megabytes")
            raise ThreefoldError(f"rollouts have no {option}: they are games, and keep no table")
        return start_rollouts(
            game,
            s,
            limits,
            _options(game, selective or {}, games, truncate, 0 if seed is None else seed),
            multipv=multipv,
            threads=threads,
            roller=playouts_on.roller,
        )
    if method != ALPHA_BETA:
        if selective:
            raise ThreefoldError(f"{method} has no {argument(next(iter(selective)))}")
        if exact:
            raise ThreefoldError(f"{method} has no exact mode; leave out {argument('exact')}")
    if method == TREE_SEARCH:
        trees = tree_searcher(
            game,
            megabytes=MCTS_MEGABYTES if megabytes is None else megabytes,
            threads=threads,
            playouts_on=playouts_on,
        )
        return trees.start(s, limits, multipv=multipv, seed=seed)
    if playouts_on is not ON_CPU:
        option = argument("playouts_on", repr(playouts_on.name))
        name = "alpha-beta" if method == ALPHA_BETA else method
        raise ThreefoldError(f"{name} plays no games out there; {option} is mcts's")
    megabytes = DEFAULT_MEGABYTES if megabytes is None else megabytes
    if method in HIDDEN_SEARCHES:
        hidden = SEARCHERS[method](game, megabytes=megabytes, threads=threads)
        return hidden.start(s, limits, multipv=multipv, seed=seed)
    engine = Engine(game, megabytes=megabytes, threads=threads, selectivity=selective)
    return engine.start(s, limits, multipv=multipv, exact=exact, seed=seed)


def _options(
    game: Game[S],
    selective: Mapping[str, int],
    games: int | None,
    truncate: int | None,
    seed: int,
) -> Options:
    """How to roll out; moves are chosen by the numbers of the move filter."""
    for name in selective:
        if not name.startswith("filter"):
            raise ThreefoldError(f"rollouts have no {name}; they have filter and filter_margin")
    selectivity(game, selective)
    given = Options(games=games, truncate=truncate, seed=seed)
    return replace(
        given,
        candidates=selective.get("filter", 0) or given.candidates,
        margin=selective.get("filter_margin", SELECTIVE["filter_margin"].own(game)),
    )
