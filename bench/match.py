"""Matches against OpenSpiel's MCTSBot at the same time a move, on Connect Four and Othello.

threefold bench match                       100 games of each
THREEFOLD_GAMES=20 threefold bench match
python bench/match.py 20 mcts               our Monte Carlo tree search plays for us
"""

import math
import os
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from comparison import LeftOut
from duel import SEED, Player, Score, match

from threefold import Game, game
from threefold.engine.analysis import Engine
from threefold.engine.limits import Limits

SECONDS = 0.2
WANTED = 0.95
#: Our name of a game and OpenSpiel's. Both number moves alike: columns from the left, and squares
#: from the top left corner row by row with the pass after the last.
GAMES = [("connect-four", "connect_four"), ("othello", "othello")]


def alphabeta() -> Player:
    """Our search, its table kept from move to move."""
    engines: dict[str, Engine[Any]] = {}

    def move(g: Game[Any], s: Any, _: Sequence[int]) -> int:
        if g.spec not in engines:
            engines[g.spec] = Engine(g)
        best = engines[g.spec].analyze(s, Limits(time=SECONDS)).best
        assert best is not None
        return best

    return move


def monte_carlo(g: Game[Any], s: Any, _: Sequence[int]) -> int:
    """Our Monte Carlo tree search."""
    best = g.analyze(s, time=SECONDS, method="mcts").best
    assert best is not None
    return best


OURS = alphabeta()


def measure(player: Player = OURS, games: int | None = None) -> Iterator[Score | LeftOut]:
    try:
        import pyspiel
    except ImportError:
        yield LeftOut("matches against OpenSpiel", 'pip install -e ".[bench]" installs it')
        return
    if games is None:
        games = int(os.environ.get("THREEFOLD_GAMES", "100"))
    for spec, theirs in GAMES:
        bot = open_spiel_bot(pyspiel.load_game(theirs))
        what = f"{spec} against OpenSpiel's MCTSBot, {SECONDS} s a move"
        yield match(what, game(spec), player, bot, games, WANTED)


def open_spiel_bot(their_game: Any) -> Player:
    """Their search as a user would set it up, with a time limit."""
    import pyspiel

    bot = pyspiel.MCTSBot(
        their_game,
        pyspiel.RandomRolloutEvaluator(n_rollouts=1, seed=SEED),
        uct_c=math.sqrt(2),
        max_simulations=1 << 30,
        max_memory_mb=1000,
        solve=True,
        seed=SEED,
        verbose=False,
        max_wall_clock_time=SECONDS,
    )

    def move(g: Game[Any], s: Any, made: Sequence[int]) -> int:
        theirs = their_game.new_initial_state()
        for a in made:
            theirs.apply_action(a)
        assert sorted(g.moves(s)) == theirs.legal_actions(), f"{g.name}: the rules differ"
        return int(bot.step(theirs))

    return move


if __name__ == "__main__":
    arguments = dict(enumerate(sys.argv))
    chosen = monte_carlo if arguments.get(2) == "mcts" else OURS
    for score in measure(chosen, int(arguments[1]) if 1 in arguments else None):
        print(score)
