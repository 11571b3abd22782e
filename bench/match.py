"""Matches against OpenSpiel's MCTSBot at the same time a move, on Connect Four and Othello.

threefold bench match                       100 games of each
THREEFOLD_GAMES=20 threefold bench match
THREEFOLD_PLAYER=mcts threefold bench match   our Monte Carlo tree search plays for us
"""

import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path

from comparison import LeftOut
from duel import Score, game_count, match
from opponents import OPEN_SPIEL

SECONDS = 0.2
WANTED = 0.95


def measure() -> Iterator[Score | LeftOut]:
    if importlib.util.find_spec("pyspiel") is None:
        yield LeftOut("matches against OpenSpiel", 'pip install -e ".[bench]" installs it')
        return
    os.environ["THREEFOLD_SECONDS"] = str(SECONDS)
    ours = f"{os.environ.get('THREEFOLD_PLAYER', 'alphabeta')}(time={SECONDS})"
    theirs = f"python({Path(__file__).with_name('opponents.py')}:open_spiel)"
    for spec in OPEN_SPIEL:
        what = f"{spec} against OpenSpiel's MCTSBot, {SECONDS} s a move"
        yield match(what, spec, ours, theirs, game_count(100), WANTED)
