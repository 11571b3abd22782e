"""Opening a database: the one in a folder, or a small one that is made when it is first needed."""

import re
from pathlib import Path
from typing import Final, TypeVar

from threefold.engine.endgames.database import Database
from threefold.engine.endgames.files import path_of
from threefold.errors import ThreefoldError
from threefold.rules.game import Game
from threefold.rules.user_files import data_folder
from threefold.solve.endgames.building import build, endgames_of, slices_of

S = TypeVar("S")

#: Stands for the folder of the user's own.
AUTO: Final = "auto"


def own_folder(game: Game[S]) -> Path:
    """Where a user's own database of a game is."""
    return data_folder() / "endgames" / re.sub("[^a-z0-9]+", "-", endgames_of(game).rules.lower())


def open_database(game: Game[S], folder: str | Path) -> Database[S]:
    """The database in a folder; "auto" is the user's own, whose small tables are made if needed."""
    if str(folder) != AUTO:
        return Database(game, folder)
    if game.endgames is None:
        raise ThreefoldError(
            f"{game.name} has no database of its own; threefold database build makes one with all "
            "its positions, in a folder to be named here"
        )
    place, small = own_folder(game), endgames_of(game).small
    if not all(path_of(place, each.name).exists() for each in slices_of(game, small)):
        build(game, small, place)
    return Database(game, place)
