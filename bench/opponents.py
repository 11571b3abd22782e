"""Players from elsewhere, for the lines of matches: `python(bench/opponents.py:open_spiel)`."""

import json
import math
import os
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from threefold import Game

SEED = 20
#: Our name of a game and OpenSpiel's. Both number moves alike: columns from the left, and squares
#: from the top left corner row by row with the pass after the last.
OPEN_SPIEL = {"connect-four": "connect_four", "othello": "othello"}


def open_spiel(game: Game[Any], s: Any, made: Sequence[int]) -> int:
    """OpenSpiel's tree search as a user would set it up, with a time limit."""
    bot, theirs = _open_spiel_bot(OPEN_SPIEL[game.spec], _seconds())
    state = theirs.new_initial_state()
    for a in made:
        state.apply_action(a)
    assert sorted(game.moves(s)) == state.legal_actions(), f"{game.name}: the rules differ"
    return int(bot.step(state))


@cache
def _open_spiel_bot(name: str, seconds: float) -> tuple[Any, Any]:
    import pyspiel

    theirs = pyspiel.load_game(name)
    bot = pyspiel.MCTSBot(
        theirs,
        pyspiel.RandomRolloutEvaluator(n_rollouts=1, seed=SEED),
        uct_c=math.sqrt(2),
        max_simulations=1 << 30,
        max_memory_mb=1000,
        solve=True,
        seed=SEED,
        verbose=False,
        max_wall_clock_time=seconds,
    )
    return bot, theirs


#: What runs in the other process: it uses nothing that an older checkout may not have.
_PLAYER = """
import json, sys
from threefold import game
g = game(sys.argv[1])
for line in sys.stdin:
    asked = json.loads(line)
    s = g.initial()
    for a in asked["moves"]:
        s = g.result(s, a)
    print(g.best(s, time=asked["time"]), flush=True)
"""


def before(game: Game[Any], _: Any, made: Sequence[int]) -> int:
    """The checkout that THREEFOLD_BEFORE names, in a process of its own."""
    return _ask(os.environ["THREEFOLD_BEFORE"], game, made)


def after(game: Game[Any], _: Any, made: Sequence[int]) -> int:
    """This checkout, asked in the same way."""
    return _ask(str(Path(__file__).parents[1]), game, made)


def _ask(checkout: str, game: Game[Any], made: Sequence[int]) -> int:
    process = _started(checkout, game.spec)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps({"moves": list(made), "time": _seconds()}) + "\n")
    process.stdin.flush()
    return int(process.stdout.readline())


@cache
def _started(checkout: str, spec: str) -> "subprocess.Popen[str]":
    """A process with the code of a checkout; it ends with this one."""
    return subprocess.Popen(
        [sys.executable, "-c", _PLAYER, spec],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(Path(checkout).resolve() / "src")},
    )


def _seconds() -> float:
    """How long each of them thinks about a move."""
    return float(os.environ["THREEFOLD_SECONDS"])
