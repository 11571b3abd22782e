"""Checkers with a database of end-games: matches against the same search without one.

threefold bench database_match                       200 games of each match
THREEFOLD_GAMES=40 THREEFOLD_NODES=500000 threefold bench database_match

The openings are the 100 most balanced positions after three moves, by a search of our own. Without
the database, the other side may search as many nodes, then ten times as many. THREEFOLD_DATABASE
names the folder of a database that is there already; otherwise one with up to 5 pieces is built.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from comparison import AtMost, say
from duel import Score, game_count, match

from threefold import Game, game
from threefold.solve.endgames.building import build

PIECES = 5
#: Plies of an opening, how many openings there are, and how far each is looked into.
PLIES = 3
OPENINGS = 100
DEPTH = 13
#: Nodes a move with the database; without it, as many and ten times as many.
NODES = int(os.environ.get("THREEFOLD_NODES", "50000"))
HANDICAPS = (1, 10)


def measure() -> Iterator[Score | AtMost]:
    checkers = game("checkers")
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder = os.environ.get("THREEFOLD_DATABASE")
        if folder is None:
            say(f"a database with up to {PIECES} pieces")
            folder = str(place / "database")
            build(checkers, PIECES, folder)
        say(f"openings of {PLIES} plies")
        file = place / "openings.txt"
        file.write_text("".join(f"{each}\n" for each in balanced(checkers)), encoding="utf-8")
        for handicap in HANDICAPS:
            ours = f"alphabeta(nodes={NODES},database={folder})"
            theirs = f"alphabeta(nodes={NODES * handicap})"
            what = f"checkers with a database against {handicap} times the nodes without"
            score = match(
                *(what, "checkers", ours, theirs, game_count(200)),
                concurrency=os.cpu_count() or 1,
                openings=str(file),
            )
            yield score
            yield AtMost(f"{what}: games lost", score.tally.losses, "games", 0)


def balanced(checkers: Game[Any]) -> list[str]:
    """The most balanced openings, as positions."""
    positions = {checkers.initial(): 0.0}
    for _ in range(PLIES):
        positions = {checkers.result(s, a): 0.0 for s in positions for a in checkers.moves(s)}
    for s in positions:
        positions[s] = abs(checkers.analyze(s, depth=DEPTH).value)
    return [checkers.format(s) for s in sorted(positions, key=positions.__getitem__)[:OPENINGS]]
