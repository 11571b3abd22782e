"""The ladder of levels: how much stronger each level is than the one below.

threefold bench levels                               20 games of each step, in all games
THREEFOLD_GAMES=200 THREEFOLD_MATCHES="chess;othello" threefold bench levels

Games are recorded in THREEFOLD_DB (levels.db by default), and the same command continues there.
"""

import os
from collections.abc import Iterator

from duel import Score, game_count, match

from threefold.engine.levels import LEVELS

GAMES = "nim;tic-tac-toe;connect-four;kalah;othello;checkers;chess"
#: Where four random plies would leave nothing to play for.
OPENINGS = {"nim": None, "tic-tac-toe": "random:1"}


def measure() -> Iterator[Score]:
    db = os.environ.get("THREEFOLD_DB", "levels.db")
    for spec in os.environ.get("THREEFOLD_MATCHES", GAMES).split(";"):
        openings = OPENINGS.get(spec, "random:4")
        for number in range(2, len(LEVELS) + 1):
            ours, theirs = f"level({number})", f"level({number - 1})"
            what = f"{spec}: level {number} against level {number - 1}"
            yield match(what, spec, ours, theirs, game_count(20), db=db, openings=openings)
