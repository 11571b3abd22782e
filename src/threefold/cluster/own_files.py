"""The user's own files: of games, players and nets, which other machines do not have."""

import sys
import sysconfig
from pathlib import Path
from typing import Final

import threefold
from threefold.errors import ThreefoldError
from threefold.rules import user_files

#: The most bytes of a user's own files.
_LARGEST: Final = 16 << 20


def own_files() -> tuple[dict[str, str], dict[str, bytes]]:
    """The user's own files that are loaded: games, players, nets, and modules they import.

    The paths of those that were given by their path, with where they are among the files; and the
    files.
    """
    own = [path for path in user_files.files if not path.resolve().is_relative_to(_ours())]
    # Neighbors stay together: a game may look for its net beside itself.
    folders = {folder: i for i, folder in enumerate({path.parent: None for path in own})}
    given = {str(path): f"{folders[path.parent]}/{path.name}" for path in own}
    files = {place: Path(path).read_bytes() for path, place in given.items()}
    for name, module in sys.modules.copy().items():
        path = Path(getattr(module, "__file__", None) or "")
        # Libraries name files that are not there for modules that they make up.
        is_file = name != "__main__" and path.suffix == ".py" and path.is_file()
        if is_file and _is_own(path.resolve()):
            tail = "/__init__.py" if path.name == "__init__.py" else ".py"
            files[name.replace(".", "/") + tail] = path.read_bytes()
    if (size := sum(map(len, files.values()))) > _LARGEST:
        raise ThreefoldError(
            f"your own files have {size >> 20} MB, more than the {_LARGEST >> 20} MB that "
            "can be sent to a cluster; install them on its nodes"
        )
    return given, files


def _ours() -> str:
    """Where this package is."""
    return str(Path(threefold.__file__).parent.resolve())


def _is_own(path: Path) -> bool:
    """Whether a module's file is the user's: neither Python's, nor ours, nor installed."""
    libraries = {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")}
    libraries.add(_ours())
    installed = {"site-packages", "dist-packages"} & set(path.parts)
    return not installed and not any(path.is_relative_to(folder) for folder in libraries)
