"""What made Go programs strong, step by step: matches of each step against the one before, on 9×9.

threefold bench go_steps                    100 games a step, 1,000 simulations a move
THREEFOLD_GAMES=20 THREEFOLD_SIMULATIONS=300 threefold bench go_steps
THREEFOLD_NET=net.npz threefold bench go_steps    another net than the game's own as the last step

All steps have the same number of simulations. Playouts with a sense of shape, and a net above all,
take longer than random ones, which this does not count.
"""

import os
from collections.abc import Iterator
from itertools import pairwise

from duel import Score, game_count, match

SPEC = "go(size=9,komi=7.5)"
SIMULATIONS = int(os.environ.get("THREEFOLD_SIMULATIONS", "1000"))
#: Each step's name and the options of its tree search.
STEPS = (
    ("UCT with random playouts (2006)", "rave=0,random_playouts=true"),
    ("playouts with a sense of shape (2006)", "rave=0"),
    ("all moves as first: RAVE (2007)", ""),
    ("a net that proposes moves (2017)", f"eval={os.environ.get('THREEFOLD_NET', 'net')}"),
)


def measure() -> Iterator[Score]:
    for before, (name, options) in pairwise(STEPS):
        what = f"{name}, against the step before, {SIMULATIONS:,} simulations a move"
        yield match(what, SPEC, _player(options), _player(before[1]), game_count(100))


def _player(options: str) -> str:
    return f"mcts(simulations={SIMULATIONS}{',' if options else ''}{options})"
