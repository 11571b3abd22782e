"""The files of a user's that were used: games, players and nets."""

from pathlib import Path

#: Where each is, by the path it was named with. A file that was sent here from another machine is
#: found at its place.
files: dict[Path, Path] = {}
