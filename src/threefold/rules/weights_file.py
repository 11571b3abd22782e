"""Weights of an evaluation's terms from a file: lines like `mobility=1.2`, or one JSON object."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from threefold.errors import ThreefoldError
from threefold.replacing import write_file
from threefold.rules.net_files import NET_SUFFIX, is_archive
from threefold.rules.terms import Weight, as_weight, parse_weights, plain
from threefold.rules.text import shorten

#: No file of weights is longer.
_MOST_BYTES: Final = 1 << 20


def is_net(path: Path) -> bool:
    """Whether a file is a net, or should be one by its name, rather than weights."""
    try:
        return is_archive(path)
    except (OSError, ValueError):
        return path.suffix == NET_SUFFIX


def read_weights(path: Path) -> dict[str, Weight]:
    """The weights in a file; lines that begin with # are comments."""
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
        if len(data) > _MOST_BYTES:
            raise ThreefoldError(f"{path} is too long for a file of weights")
        text = data.decode("utf-8-sig")
    except OSError as error:
        raise ThreefoldError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ThreefoldError(f"{path} is not a text of weights") from None
    if text.lstrip().startswith("{"):
        return _from_json(path, text)
    lines = (line.strip().removesuffix(",") for line in text.splitlines())
    given = [line for line in lines if line and not line.startswith("#")]
    if not given:
        raise ThreefoldError(f"{path} has no weights; write lines like mobility=1.2")
    return {**parse_weights(",".join(given))}


def write_weights(path: Path, weights: Mapping[str, Weight], about: str = "") -> None:
    """Write a file of weights, whole or not at all, with a comment at its top."""
    lines = [f"# {line}" for line in about.splitlines()]
    lines += [f"{name}={plain(as_weight(name, weight))}" for name, weight in weights.items()]
    try:
        write_file(str(path), "".join(f"{line}\n" for line in lines).encode())
    except OSError as error:
        raise ThreefoldError(f"{path} cannot be written: {error.strerror or error}") from error


def _from_json(path: Path, text: str) -> dict[str, Weight]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ThreefoldError(f"{path} is not JSON: {shorten(str(error))[1:-1]}") from None
    for name, weight in found.items():
        if not isinstance(weight, int | float) or isinstance(weight, bool):
            raise ThreefoldError(
                f'{path}: {shorten(name)} has no number; weights are like {{"mobility": 1.2}}'
            )
    return {name: as_weight(name, weight) for name, weight in found.items()}
