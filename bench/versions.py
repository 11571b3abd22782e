"""A search idea, measured: this checkout against another one, at the same time per move.

    git worktree add ../before HEAD~1
    THREEFOLD_BEFORE=../before threefold bench versions

Each plays in its own process. THREEFOLD_GAMES sets the games of each match (100 by default),
THREEFOLD_MATCHES the games that are played, such as `othello;chess`, and `--time` the seconds a
move (0.1 by default).
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from comparison import LeftOut, time_limit
from duel import Player, Score, match

from threefold import Game, game

GAMES = "connect-four;othello;checkers;chess"
SECONDS = 0.1

#: What runs in the other process: it uses nothing that an older checkout may not have.
PLAYER = """
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


def measure() -> Iterator[Score | LeftOut]:
    """A match of each game."""
    here = Path(__file__).parents[1]
    before = os.environ.get("THREEFOLD_BEFORE")
    if before is None or not Path(before, "src", "threefold").is_dir():
        yield LeftOut("this checkout against another", "THREEFOLD_BEFORE names no checkout")
        return
    seconds, games = time_limit(SECONDS), int(os.environ.get("THREEFOLD_GAMES", "100"))
    for spec in os.environ.get("THREEFOLD_MATCHES", GAMES).split(";"):
        what = f"{spec}: this checkout against {before}, {seconds:g} s a move"
        with playing(here, spec, seconds) as ours, playing(Path(before), spec, seconds) as theirs:
            yield match(what, game(spec), ours, theirs, games)


@contextmanager
def playing(checkout: Path, spec: str, seconds: float) -> Iterator[Player]:
    """A player that runs the code of a checkout."""
    process = subprocess.Popen(
        [sys.executable, "-c", PLAYER, spec],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(checkout.resolve() / "src")},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    asking, answers = process.stdin, process.stdout

    def move(_: Game[Any], __: Any, made: Sequence[int]) -> int:
        asking.write(json.dumps({"moves": list(made), "time": seconds}) + "\n")
        asking.flush()
        return int(answers.readline())

    try:
        yield move
    finally:
        asking.close()
        process.wait()
        answers.close()
