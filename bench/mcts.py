"""Monte Carlo tree search: simulations a second against OpenSpiel's MCTSBot, one thread each.

Both search the start position with UCT, proven values and one random playout from a leaf, for the
same number of simulations.
"""

import math
from collections.abc import Iterator

from comparison import Comparison, LeftOut, best_rate, say

from threefold import game

# game of ours, game of theirs, simulations, wanted ratio
GAMES = [("connect-four", "connect_four", 50_000, 3.0), ("othello", "othello", 5_000, 20.0)]
ROUNDS = 5
SEED = 1


def measure() -> Iterator[Comparison | LeftOut]:
    for spec, name, simulations, wanted in GAMES:
        what = f"{spec}, {simulations:,} simulations"
        say(what)
        # Taking turns, so that a busy machine slows both.
        ours, theirs = 0.0, 0.0
        try:
            for _ in range(ROUNDS):
                ours = max(ours, _our_rate(spec, simulations))
                theirs = max(theirs, _open_spiel_rate(name, simulations))
        except ImportError:
            yield LeftOut(f"{what} against OpenSpiel", 'pip install -e ".[bench]" installs it')
        else:
            yield Comparison(what, ours, "OpenSpiel MCTSBot", theirs, "simulations/s", wanted)


def _our_rate(spec: str, simulations: int) -> float:
    g = game(spec)
    g.analyze(method="mcts", nodes=10)  # compiles

    def search() -> int:
        return g.analyze(method="mcts", nodes=simulations, seed=SEED).nodes

    return best_rate(search, repeats=1)


def _open_spiel_rate(name: str, simulations: int) -> float:
    import pyspiel

    their_game = pyspiel.load_game(name)
    bot = pyspiel.MCTSBot(
        their_game,
        pyspiel.RandomRolloutEvaluator(n_rollouts=1, seed=SEED),
        uct_c=math.sqrt(2),
        max_simulations=simulations,
        max_memory_mb=1000,
        solve=True,
        seed=SEED,
        verbose=False,
    )

    def search() -> int:
        return int(bot.mcts_search(their_game.new_initial_state()).explore_count)

    return best_rate(search, repeats=1)
