"""A search idea, measured: this checkout against another one, at the same time per move.

    git worktree add ../before HEAD~1
    THREEFOLD_BEFORE=../before threefold bench versions

Each plays in its own process. THREEFOLD_GAMES sets the games of each match (100 by default),
THREEFOLD_MATCHES the games that are played, such as `othello;chess`, and `--time` the seconds a
move (0.1 by default).
"""

import os
from collections.abc import Iterator
from pathlib import Path

from comparison import LeftOut, time_limit
from duel import Score, game_count, match

GAMES = "connect-four;othello;checkers;chess"
SECONDS = 0.1


def measure() -> Iterator[Score | LeftOut]:
    """A match of each game."""
    before = os.environ.get("THREEFOLD_BEFORE")
    if before is None or not Path(before, "src", "threefold").is_dir():
        yield LeftOut("this checkout against another", "THREEFOLD_BEFORE names no checkout")
        return
    seconds = time_limit(SECONDS)
    os.environ["THREEFOLD_SECONDS"] = str(seconds)
    opponents = Path(__file__).with_name("opponents.py")
    ours, theirs = (f"python({opponents}:{name})" for name in ("after", "before"))
    for spec in os.environ.get("THREEFOLD_MATCHES", GAMES).split(";"):
        what = f"{spec}: this checkout against {before}, {seconds:g} s a move"
        yield match(what, spec, ours, theirs, game_count(100), margin=60.0)
