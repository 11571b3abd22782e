"""Our version, down to the files: machines that work together must have the same."""

import hashlib
from functools import cache
from pathlib import Path

import threefold


@cache
def version_of(rooms: tuple[str, ...]) -> str:
    """Our version, and a digest of the files of these rooms."""
    house = Path(threefold.__file__).parent
    files = sorted(path for name in rooms for path in (house / name).rglob("*.py"))
    return f"{threefold.__version__}+{digest(*files)}"


def digest(*files: Path) -> str:
    """A short digest of files."""
    hashed = hashlib.sha256()
    for path in files:
        hashed.update(path.read_bytes())
    return hashed.hexdigest()[:12]
