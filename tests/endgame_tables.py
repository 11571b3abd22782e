"""End-game databases that several tests look into: each is built once by each process of tests."""

from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from threefold import Game, game
from threefold.engine.compile import Compiled
from threefold.engine.endgames.database import Database
from threefold.engine.endgames.files import Coder, TableFile, path_of, read_table
from threefold.engine.endgames.values import UNUSED
from threefold.rules.contract import number_of, position_of, slice_of
from threefold.rules.endgames import Endgames, Slice
from threefold.solve.endgames.building import build
from threefold.solve.endgames.making import Maker


def mark_used(of_slice: int, out: Any) -> None:
    """A template: which numbers of a slice stand for a position."""
    for number in range(len(out)):
        s = position_of(of_slice, number)
        out[number] = slice_of(s) == of_slice and number_of(s) == number


class Endings:
    """A game's database, and what is in its tables."""

    def __init__(self, of: Game[Any], pieces: int, folder: Path) -> None:
        assert of.endgames is not None
        self.game = of
        self.pieces = pieces
        self.folder = folder
        self.endgames: Endgames[Any] = of.endgames
        self.slices: dict[str, Slice] = {each.name: each for each in self.endgames.slices(pieces)}
        self._values: dict[str, Any] = {}

    @cached_property
    def database(self) -> Database[Any]:
        """The database, open."""
        return Database(self.game, self.folder)

    @cached_property
    def maker(self) -> Maker[Any]:
        """Who can make and read tables."""
        return Maker(self.game)

    @property
    def coder(self) -> Coder:
        """What reads and writes tables."""
        return self.maker.coder

    def file(self, name: str) -> TableFile:
        """The table of a slice."""
        return TableFile(path_of(self.folder, name))

    def values(self, name: str) -> Any:
        """All values of a slice; `UNUSED` where a number stands for no position."""
        if name not in self._values:
            values = np.zeros(self.slices[name].size, np.int16)
            read_table(self.file(name), values, self.coder)
            used = np.zeros(len(values), np.int8)
            Compiled(self.game).entry(mark_used)(self.slices[name].number, used)
            values[used == 0] = UNUSED
            self._values[name] = values
        return self._values[name].copy()

    def position(self, name: str, number: int) -> Any:
        """The position with a number in a slice."""
        return self.endgames.position(self.slices[name].number, number)


_built: dict[tuple[str, int], Endings] = {}


def endings(factory: pytest.TempPathFactory, spec: str, pieces: int) -> Endings:
    """A database of a game with up to so many pieces; nobody may change its files."""
    if (spec, pieces) not in _built:
        folder = factory.mktemp("endgames")
        build(game(spec), pieces, folder, threads=2)
        _built[spec, pieces] = Endings(game(spec), pieces, folder)
    return _built[spec, pieces]
