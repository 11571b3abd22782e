"""The files of the stepper, with which the lab, a notebook and a standalone page show a run.

The lab serves the folder. A notebook and a standalone page have no server to fetch files from, so
there all scripts are combined into one, and so are the style sheets.
"""

from functools import cache
from pathlib import Path
from typing import Final

#: Where the files are. The lab serves this folder as `stepper/`.
STEPPER: Final = Path(__file__).parent / "stepper"


@cache
def page_file(name: str) -> str:
    """The text of one of the files."""
    return (STEPPER / name).read_text("utf-8")


def script(name: str) -> str:
    """A script with all that it imports before it, as one module.

    It only handles our own files, so it may rely on their form: an import is one line and renames
    nothing, and no two files have a name in common.
    """
    return "\n".join(_lines(name, set()))


def _lines(name: str, included: set[str]) -> list[str]:
    lines = []
    for line in page_file(name).splitlines():
        if line.startswith("import "):
            imported = line.rpartition('"./')[2].partition('"')[0]
            if imported not in included:
                included.add(imported)
                lines += _lines(imported, included)
        elif line.startswith("export default"):
            lines.append(line)
        else:
            lines.append(line.removeprefix("export "))
    return lines


def style() -> str:
    """The style sheets of the stepper; rules for pictures apply only within its frame."""
    pictures = page_file("tree.css") + page_file("shapes.css")
    return f".tf-frame {{\n{pictures}}}\n{page_file('stepper.css')}"
