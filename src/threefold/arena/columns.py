"""Games in rows and columns: CSV, which everything reads, and Parquet, which is fast to search."""

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import asdict
from itertools import islice
from typing import Any, BinaryIO, Final

from threefold.arena.record import MatchInfo, Played
from threefold.errors import ThreefoldError

#: The columns, and of what kind each is in Parquet.
COLUMNS: Final = {
    "match": "int64",
    "game": "string",
    "number": "int64",
    "max": "int64",
    "min": "int64",
    "max_player": "string",
    "min_player": "string",
    "opening": "int64",
    "start": "string",
    "moves": "strings",
    "opening_plies": "int64",
    "utility": "double",
    "points": "double",
    "ending": "string",
    "reason": "string",
    "values": "doubles",
    "seconds": "doubles",
    "output": "string",
    "ended": "double",
    "duration": "double",
}
_LISTS: Final = {"strings", "doubles"}
#: Games in a group of rows of a Parquet file.
_GROUP: Final = 10_000


def _row(match: MatchInfo, played: Played) -> dict[str, Any]:
    one, other = played.task.players
    row = {
        "match": match.id,
        "game": match.game,
        "number": played.task.number,
        "max": one,
        "min": other,
        "max_player": match.players[one],
        "min_player": match.players[other],
        "opening": played.task.opening,
        "points": played.points if played.counts else None,
    }
    return {name: row[name] if name in row else getattr(played, name) for name in COLUMNS}


def write_csv(match: MatchInfo, games: Iterator[Played], file: BinaryIO) -> None:
    """A line for each game, under a line of names; moves, values and seconds are lists in JSON."""
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    table = csv.writer(text)
    table.writerow(COLUMNS)
    for played in games:
        table.writerow(
            json.dumps(list(value), ensure_ascii=False) if kind in _LISTS else value
            for kind, value in zip(COLUMNS.values(), _row(match, played).values(), strict=True)
        )
    text.detach()


def write_parquet(match: MatchInfo, games: Iterator[Played], file: BinaryIO) -> None:
    """Typed columns, with lists as lists; what is known of the match is in the file's metadata."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ThreefoldError(
            "Parquet needs pyarrow, which is not installed; pip install 'threefold[parquet]', or "
            "export to .csv"
        ) from None
    kinds = {
        "int64": pyarrow.int64(),
        "double": pyarrow.float64(),
        "string": pyarrow.string(),
        "strings": pyarrow.list_(pyarrow.string()),
        "doubles": pyarrow.list_(pyarrow.float64()),
    }
    schema = pyarrow.schema(
        [(name, kinds[kind]) for name, kind in COLUMNS.items()],
        metadata={"threefold_match": json.dumps(asdict(match))},
    )
    with pyarrow.parquet.ParquetWriter(file, schema) as writer:
        while group := [_row(match, played) for played in islice(games, _GROUP)]:
            writer.write_table(pyarrow.Table.from_pylist(group, schema=schema))
