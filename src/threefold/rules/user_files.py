"""The files of a user's: games, players and nets that were used, and where their data is kept."""

import os
from pathlib import Path
from typing import Final

#: Where each is, by the path it was named with. A file that was sent here from another machine is
#: found at its place.
files: dict[Path, Path] = {}

#: The environment variable that names the folder for what is made without saying where.
FOLDER_VARIABLE: Final = "THREEFOLD_DATA"


def data_folder() -> Path:
    """Where recorded games and databases are kept if nobody says where."""
    import platformdirs

    chosen = os.environ.get(FOLDER_VARIABLE)
    return Path(chosen) if chosen else platformdirs.user_data_path("threefold")
