"""Small databases of end-games for tests, each made when it is first needed, and what is in them.

They are kept for as long as the process runs. Workers of pytest-xdist share none, so that nobody
sees another's half-made tables.
"""

import atexit
import random
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from threefold import Game, game
from threefold.engine.endgames.database import Database, Known
from threefold.engine.endgames.files import TableFile
from threefold.engine.endgames.lines import known_moves
from threefold.rules.contract import Action
from threefold.rules.endgames import Endgames
from threefold.solve.endgames.building import build

#: How many pieces, or seeds, the tables of most tests have: they are made in a moment.
PIECES = {"checkers": 3, "chess": 3, "kalah": 8, "kalah(pits=5)": 6}
#: What a win is worth to an evaluation.
WIN = 1000


@cache
def _place() -> Path:
    folder = tempfile.mkdtemp(prefix="threefold-databases-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


@cache
def database(spec: str, pieces: int = 0, *, distances: bool = True) -> Path:
    """The folder of a database, with as many pieces as most tests have unless told."""
    pieces = pieces or PIECES[spec]
    folder = _place() / f"{spec}-{pieces}-{'distances' if distances else 'outcomes'}"
    build(game(spec), pieces, folder, threads=2, distances=distances)
    return folder


@cache
def knowing(spec: str, pieces: int = 0, *, distances: bool = True) -> Game[Any]:
    """A game with such a database."""
    return game(spec).with_database(database(spec, pieces, distances=distances))


def tables_of(knows: Game[Any]) -> Database[Any]:
    assert isinstance(knows.database, Database)
    return knows.database


def known(knows: Game[Any], s: Any) -> Known:
    """What the database says of a position that it has."""
    found = tables_of(knows).look_up(s)
    assert found is not None
    return found


def moves_known(knows: Game[Any], s: Any) -> dict[Action, Known]:
    """What the database says of each move of a position, the best first."""
    found = known_moves(knows, tables_of(knows), s)
    assert found is not None
    return found


def best_known(knows: Game[Any], s: Any) -> set[Action]:
    """The moves that the database likes best."""
    moves = moves_known(knows, s)
    most = max(each.rank for each in moves.values())
    return {a for a, each in moves.items() if each.rank == most}


def endgames_of(of: Game[Any]) -> Endgames[Any]:
    assert of.endgames is not None
    return of.endgames


def positions(of: Game[Any], count: int, seed: int, *, least: int = 1, most: int = 0) -> list[Any]:
    """Unfinished positions by chance, of slices that have so many pieces.

    In every other one, the first player has made a move already, and the second one is to move.
    """
    rng = random.Random(seed)
    endgames = endgames_of(of)
    slices = [each for each in endgames.slices(most or PIECES[of.spec]) if each.pieces >= least]
    found: list[Any] = []
    while len(found) < count:
        chosen = rng.choice(slices)
        number = rng.randrange(chosen.size)
        s = endgames.position(chosen.number, number)
        used = endgames.slice_of(s) == chosen.number and endgames.number_of(s) == number
        if used and len(found) % 2 and of.moves(s):
            s = of.result(s, rng.choice(of.moves(s)))
            used = endgames.slice_of(s) >= 0
        if used and of.moves(s):
            found.append(s)
    return found


def damaged(folder: Path, to: Path, *names: str) -> Path:
    """A copy of a database in which each block of some tables has a wrong byte."""
    shutil.copytree(folder, to)
    for name in names:
        path = to / f"{name}.endgame"
        table = TableFile(path)
        content = bytearray(path.read_bytes())
        begin = len(content) - table.header.data
        for end in table.ends.tolist():
            content[begin + end - 1] ^= 1
        path.write_bytes(content)
    return to
