"""How the files of nets are recognized, without loading what reads them."""

import os
from pathlib import Path
from typing import Final

#: How the names of nets' files end.
NET_SUFFIX: Final = ".npz"
#: How the files begin: they are archives of arrays.
_ARCHIVE: Final = b"PK\3\4"


def names_a_file(evaluation: str) -> bool:
    """Whether what is given as an evaluation is, or looks like, the name of a net's file."""
    looks = evaluation.endswith(NET_SUFFIX) or os.sep in evaluation
    return looks or os.path.isfile(evaluation)


def is_archive(path: Path) -> bool:
    """Whether a file is an archive, as every net is."""
    with path.open("rb") as file:
        return file.read(len(_ARCHIVE)) == _ARCHIVE
