"""Go: random games against OpenSpiel's rules, simulations against its tree search, GNU Go on 9×9.

threefold bench go                          100 games against each level of GNU Go
THREEFOLD_GAMES=20 THREEFOLD_SECONDS=1 threefold bench go
THREEFOLD_NET=net threefold bench go    the game's net plays, or one of a file

Random games are of legal moves, passes among them, until two passes or a limit of plies. Ours are
played by compiled code, as searches play them; OpenSpiel's by its C++ rules driven from Python, and
by its C++ tree search. GNU Go captures all dead stones before it passes, since finished games are
counted by our rules, every stone on the board alive.
"""

import os
import random
import shutil
from collections.abc import Iterator
from typing import Any

from comparison import Comparison, LeftOut, best_rate, say
from duel import Score, game_count, match
from gpu import play_many

from threefold import game
from threefold.protocols.player import Budget

SIZES = (9, 19)
#: Ratios to reach against OpenSpiel: random games, and simulations of tree search, of which ours
#: play games with a sense of shape.
RANDOM_GAMES, SIMULATIONS = 20.0, 1.0
#: Levels of GNU Go, seconds a move and threads.
LEVELS = (1, 10)
SECONDS = float(os.environ.get("THREEFOLD_SECONDS", "5"))
THREADS = os.cpu_count() or 1
GNU_GO = "gnugo --mode gtp --level {} --chinese-rules --positional-superko --capture-all-dead"
SPEC = "go(size=9,komi=7.5)"
SEED = 1


def measure() -> Iterator[Comparison | LeftOut | Score]:
    try:
        import pyspiel  # noqa: F401
    except ImportError:
        yield LeftOut("Go against OpenSpiel", 'pip install -e ".[bench]" installs it')
    else:
        for size in SIZES:
            yield _random_games(size)
            yield _tree_search(size)
    if shutil.which("gnugo", path=f"{os.environ.get('PATH', '')}:/usr/games") is None:
        yield LeftOut("Go against GNU Go", "Debian's package gnugo has it")
        return
    net = os.environ.get("THREEFOLD_NET")
    ours = f"mcts(time={SECONDS},threads={THREADS},memory=1024)"
    if net:
        ours = f"mcts(time={SECONDS},eval={net})"
    for level in LEVELS:
        what = f"9×9 against GNU Go level {level}, {SECONDS:g} s a move"
        theirs = f"gtp({GNU_GO.format(level)})"
        settings: dict[str, Any] = {
            "openings": None,
            "budget": Budget(time=SECONDS),
            "margin": 20.0,
        }
        yield match(what, SPEC, ours, theirs, game_count(100), **settings)


def _random_games(size: int) -> Comparison:
    """Whole games of random legal moves, as many plies at most as OpenSpiel allows."""
    say(f"random games, {size}×{size}")
    plies = 2 * size * size
    g = game(f"go(size={size})")
    compiled = g.compiled()
    entry, words = compiled.entry(play_many), compiled.words(g.initial())
    row = compiled.rows(1)[0]
    entry(words, 1, SEED, plies, row)  # compiles

    def ours() -> int:
        return int(entry(words, 20_000 // size, SEED, plies, row))

    def theirs() -> int:
        rng, moves = random.Random(SEED), 0
        for _ in range(200 // size):
            state = _open_spiel(size).new_initial_state()
            while not state.is_terminal():
                state.apply_action(rng.choice(state.legal_actions()))
                moves += 1
        return moves

    return Comparison(
        f"random games, {size}×{size}",
        best_rate(ours),
        "OpenSpiel driven from Python",
        best_rate(theirs),
        "moves/s",
        RANDOM_GAMES,
    )


def _tree_search(size: int) -> Comparison:
    """Simulations from the start: our playouts have a sense of shape, theirs are random."""
    import pyspiel

    say(f"tree search, {size}×{size}")
    g, their_game = game(f"go(size={size})"), _open_spiel(size)
    simulations = 200_000 // (size * size)
    bot = pyspiel.MCTSBot(
        their_game,
        pyspiel.RandomRolloutEvaluator(n_rollouts=1, seed=SEED),
        uct_c=1.4,
        max_simulations=simulations,
        max_memory_mb=1000,
        solve=False,
        seed=SEED,
        verbose=False,
    )
    g.analyze(nodes=10)  # compiles

    def theirs() -> int:
        return int(bot.mcts_search(their_game.new_initial_state()).explore_count)

    return Comparison(
        f"tree search, {size}×{size}",
        best_rate(lambda: g.analyze(nodes=10 * simulations, seed=SEED).nodes),
        "OpenSpiel MCTSBot",
        best_rate(theirs),
        "simulations/s",
        SIMULATIONS,
    )


def _open_spiel(size: int) -> Any:
    import pyspiel

    return pyspiel.load_game("go", {"board_size": size})
