"""Random games, tree search and perft on a GPU: against our compiled way on one core, and pgx.

Without a CUDA device nothing is measured. pgx, which needs JAX, is imported from where Python
finds it or from the folder that THREEFOLD_PGX names. It plays random legal moves too, restarting
games that end, in the best of a few batch sizes.
"""

import os
import sys
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

from comparison import Comparison, LeftOut, Rate, Seconds, best_rate, quickest, say

from threefold import Game, game
from threefold.errors import NoGpu
from threefold.gpu.places import place_of
from threefold.rules.bits import GOLDEN, add, lsr, mix
from threefold.rules.contract import (
    DRAWN,
    HAS_DRAWN,
    actions,
    drawn,
    result,
    state,
)

# game of ours, random games at a time, wanted moves/s, game of pgx, wanted ratio against it
GAMES = [
    ("othello", 200_000_000, 18e9, "othello", 100.0),
    ("connect-four", 500_000_000, 30e9, "connect_four", 10.0),
    ("kalah", 100_000_000, 10e9, None, 0.0),
    ("checkers", 20_000_000, 3e9, None, 0.0),
    ("chess", 2_000_000, 1e9, "chess", 100.0),
    ("go", 20_000_000, 825e6, "go_9x9", 50.0),
]
OTHELLO_GAMES = 300e6
# game, depth, whether finished games count, the expected count, wanted seconds
TREES = [
    ("othello", 13, True, 18_429_641_748, 5.0),
    ("chess", 7, False, 3_195_901_860, 2.0),
]
ROUNDS = 3
CPU_SECONDS = 1.0
SEARCH_SECONDS = 1.0
PGX_BATCHES = (1 << 12, 1 << 14, 1 << 16)
PGX_STEPS = 200


def measure() -> Iterator[Comparison | LeftOut | Rate | Seconds]:
    try:
        device = game("nim").on_gpu().device
    except NoGpu as error:
        yield LeftOut("random games and perft on a GPU", str(error))
        return
    for spec, n, wanted, theirs, ratio in GAMES:
        yield from _random_games(device, spec, n, wanted, theirs, ratio)
    for spec, *_ in GAMES:
        if "playout" in game(spec).hooks:  # a core plays it out with more sense than a GPU does
            continue
        what = f"{spec}, tree search with playouts on {device}"
        say(what)
        there, here = (_search_rate(game(spec), place) for place in ("gpu", "cpu"))
        yield Comparison(what, there, "the same search on 1 core", here, "games/s", 1.0)
    for spec, depth, finished, nodes, seconds in TREES:
        what = f"{spec} perft {depth} on {device}"
        say(what)
        g = game(spec)
        count = partial(g.perft, depth=depth, finished=finished, way="gpu")
        taken, counted = quickest(count, ROUNDS)
        assert counted == nodes, "miscounted"
        yield Seconds(what, taken, seconds)


def _random_games(
    device: str, spec: str, n: int, wanted: float, theirs: str | None, ratio: float
) -> Iterator[Comparison | LeftOut | Rate]:
    from threefold.gpu import playouts

    what = f"{spec}, random games on {device}"
    say(what)
    g = game(spec)
    runs = [playouts(g, n=n, seed=seed) for seed in range(ROUNDS)]
    ours = max(run.plies / run.seconds for run in runs)
    games = max(run.games / run.seconds for run in runs)
    yield Rate(what, games, "games/s", OTHELLO_GAMES if spec == "othello" else 0.0)
    yield Rate(what, ours, "moves/s", wanted)
    yield Comparison(what, ours, "our compiled way, 1 core", _cpu_rate(g), "moves/s", 1.0)
    if theirs is not None:
        try:
            peer = _pgx_rate(theirs)
        except ImportError as error:
            yield LeftOut(f"{what} against pgx", f"it cannot be imported ({error})")
        else:
            yield Comparison(what, ours, "pgx", peer, "moves/s", ratio)


def _search_rate(g: Game[Any], playouts_on: str) -> float:
    """How many games a tree search plays out in a second."""
    search = partial(g.analyze, method="mcts", megabytes=1024, playouts_on=playouts_on)
    search(nodes=10_000)  # compiles
    began = time.perf_counter()
    done = search(time=SEARCH_SECONDS).nodes
    return done * place_of(playouts_on).playouts / (time.perf_counter() - began)


def play_many(words: tuple[int, ...], games: int, seed: int, plies: int, row: Any) -> int:
    """The template for the CPU: play that many random games; return how many moves were made."""
    random, made = seed, 0
    for _ in range(games):
        s = state(words)
        for _ in range(plies):
            n = 0 if HAS_DRAWN and drawn(s) == DRAWN else actions(s, row)
            if n == 0:
                break
            random = add(random, GOLDEN)
            s = result(s, row[(lsr(mix(random), 32) * n) >> 32])
            made += 1
    return made


def _cpu_rate(g: Game[Any]) -> float:
    compiled = g.compiled()
    entry = compiled.entry(play_many)
    row, words = compiled.rows(1)[0], compiled.words(g.initial())
    entry(words, 1, 0, g.facts.max_ply, row)
    games, made, began = 64, 0, time.perf_counter()
    while time.perf_counter() - began < CPU_SECONDS:
        made += entry(words, games, made, g.facts.max_ply, row)
    return made / (time.perf_counter() - began)


def _pgx_rate(name: str) -> float:
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    folder = os.environ.get("THREEFOLD_PGX")
    if folder and folder not in sys.path:
        sys.path.append(folder)
    import jax
    import jax.numpy as jnp
    import pgx
    from pgx.experimental import auto_reset

    env = pgx.make(name)
    step = jax.vmap(auto_reset(env.step, env.init))

    def ply(carry: Any, _: Any) -> Any:
        positions, key = carry
        key, choosing, stepping = jax.random.split(key, 3)
        legal = jnp.where(positions.legal_action_mask, 0.0, -jnp.inf)
        chosen = jax.random.categorical(choosing, legal, axis=-1)
        keys = jax.random.split(stepping, chosen.shape[0])
        return (step(positions, chosen, keys), key), None

    def play_on(positions: Any, key: Any) -> Any:
        return jax.lax.scan(ply, (positions, key), None, length=PGX_STEPS)[0]

    play = jax.jit(play_on)

    best = 0.0
    for batch in PGX_BATCHES:
        key = jax.random.key(1)
        positions = jax.jit(jax.vmap(env.init))(jax.random.split(key, batch))
        jax.block_until_ready(play(positions, key))

        def run(positions: Any = positions, key: Any = key, batch: int = batch) -> int:
            jax.block_until_ready(play(positions, key))
            return batch * PGX_STEPS

        best = max(best, best_rate(run))
    return best
