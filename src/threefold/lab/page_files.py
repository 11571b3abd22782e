"""Where the page's own files are."""

from importlib.resources import files
from pathlib import Path
from typing import Final

PAGE: Final = Path(str(files("threefold.lab") / "page"))
