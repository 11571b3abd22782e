"""The versions of all that plays a match: games of different versions are not counted together."""

import importlib.util
from pathlib import Path
from typing import Final

from threefold.arena.lines import COMMANDS, PlayerLine
from threefold.cluster.version import digest, version_of
from threefold.errors import ThreefoldError

#: The rooms of ours that decide how a game goes.
ROOMS: Final = (
    "rules",
    "games",
    "textbook",
    "engine",
    "gpu",
    "solve",
    "protocols",
    "cluster",
    "arena",
)


def version() -> str:
    """Our version, and a digest of the files that it consists of."""
    return version_of(ROOMS)


def versions(game: str, lines: list[PlayerLine], openings: str | None = None) -> tuple[str, ...]:
    """Our version, and those of the user's own files and programs."""
    found = [version()]
    if ":" in game or ".py" in game:  # the user's own, perhaps with parameters
        named = game.partition("(")[0]
        found += _of_module(named.rpartition(":")[0] or named)
    for line in lines:
        if line.kind in COMMANDS and line.words:
            program, *words = line.words[0].split()
            found += _of_program(program)
            for word in (*words, *line.options.values()):
                found += _of_file(word)
        elif line.kind == "python" and line.words:
            found += _of_module(line.words[0].rpartition(":")[0])
        else:
            found += _of_file(line.options.get("eval", ""))  # a net
    if openings is not None:
        found += _of_file(openings) or _of_file(openings.rpartition(":")[0])
    return tuple(found)


def _of_file(name: str) -> list[str]:
    """The version of a file, if there is one of that name."""
    try:
        return [f"{name} {digest(Path(name))}"] if name and Path(name).is_file() else []
    except (OSError, ValueError):  # no name of a file
        return []


def _of_module(name: str) -> list[str]:
    """The version of a Python file or module, if there is one of that name."""
    if not name.endswith(".py"):
        try:
            found = importlib.util.find_spec(name) if name.replace(".", "").isidentifier() else None
        except (ImportError, ValueError):
            found = None
        if found is None or found.origin is None:
            return []
        return _of_file(found.origin)
    return _of_file(name)


def _of_program(program: str) -> list[str]:
    """The version of a program: its size and when it was changed."""
    from threefold.protocols.process import find_program

    try:
        found = Path(find_program(program)).stat()
    except (ThreefoldError, OSError):
        return []
    return [f"{program} {found.st_size} {found.st_mtime_ns}"]
