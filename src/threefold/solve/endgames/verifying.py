"""Verifying a database: is every value what its successors say?

A table with distances is proven that way. One without distances is only consistent, because wins
could support each other in a circle; it was made from distances that were verified.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np

from threefold.engine.endgames.database import files_in
from threefold.engine.endgames.files import SUFFIX, Damaged, Header, TableFile, read_table
from threefold.engine.endgames.values import DECIDED
from threefold.engine.limits import MAX_THREADS, check_whole
from threefold.engine.progress import StatusLine, bar
from threefold.errors import ThreefoldError
from threefold.rules.endgames import Slice
from threefold.rules.game import Game
from threefold.rules.text import shorten
from threefold.solve.endgames.building import endgames_of, slices_of
from threefold.solve.endgames.groups import Group, in_order
from threefold.solve.endgames.making import Maker, Tables

S = TypeVar("S")


@dataclass(frozen=True)
class Verified:
    """What a verification found in one table."""

    name: str
    positions: int
    #: How many values are wrong, and the first position that has one.
    wrong: int
    first: str
    #: Why the table cannot be read, if it cannot.
    damage: str = ""

    def __str__(self) -> str:
        if self.damage:
            return f"{self.name}: {self.damage}"
        if self.wrong:
            return f"{self.name}: {self.wrong:,} values are wrong, the first that of {self.first}"
        return f"{self.name}: {self.positions:,} positions are right"

    @property
    def is_sound(self) -> bool:
        """Whether nothing is wrong."""
        return self.wrong == 0 and not self.damage


def verify(
    game: Game[S],
    folder: str | Path,
    *,
    threads: int = 1,
    watch: Callable[[Verified], None] = lambda _: None,
) -> list[Verified]:
    """Verify every table of a database, whether or not something is wrong with others."""
    check_whole("threads", threads, 1, MAX_THREADS)
    if game.endgames is None:
        from threefold.solve.endgames.reachable import verify_reachable

        return verify_reachable(game, Path(folder), watch)
    endgames = endgames_of(game)
    tables: dict[int, TableFile] = {}
    unreadable = []
    for path in files_in(Path(folder)):
        try:
            table = TableFile(path)
            tables[table.header.slice] = table
        except Damaged as error:
            unreadable.append(Verified(path.name.removesuffix(SUFFIX), 0, 0, "", str(error)))
    for table in tables.values():
        if table.header.rules != endgames.rules:
            raise ThreefoldError(
                f"{shorten(str(table.path), 200)} is a table of {table.header.rules}, not of "
                f"{endgames.rules}"
            )
    for each in unreadable:
        watch(each)
    if not tables:
        return unreadable
    pieces = max(table.header.pieces for table in tables.values())
    groups = in_order(slices_of(game, pieces), game.name)
    total = sum(each.size for group in groups for each in group.slices if each.number in tables)
    maker, found = Maker(game), unreadable

    def status(seconds: float) -> str:
        return f"verifying {bar(maker.nodes / max(total, 1))} {seconds:.0f} s"

    with StatusLine(status):
        for group in groups:
            for each in _verify_group(game, group, tables, maker, threads):
                found.append(each)
                watch(each)
    return found


def _verify_group(
    game: Game[S], group: Group, files: dict[int, TableFile], maker: Maker[S], threads: int
) -> list[Verified]:
    """Verify the tables of a group that are there."""
    tables = Tables(group)
    damage: dict[int, str] = {}
    for each in (*group.slices, *group.exits):
        if each.number not in files:
            damage[each.number] = f"slice {each.name} is missing"
            continue
        try:
            read_table(files[each.number], tables.part(each), maker.coder)
        except Damaged as error:
            damage[each.number] = str(error)
    # Without distances a win is as far away as any: far enough for the plies to the next capture.
    outcomes = any(
        each.number in files and not files[each.number].header.distances
        for each in (*group.slices, *group.exits)
    )
    if outcomes:
        tables.values[:] = np.sign(tables.values) * (DECIDED >> 1)
    return [
        _verify_table(game, each, files[each.number].header, tables, maker, threads, outcomes)
        if not damage
        else Verified(each.name, 0, 0, "", damage.get(each.number) or next(iter(damage.values())))
        for each in group.slices
        if each.number in files
    ]


def _verify_table(
    game: Game[S],
    of: Slice,
    header: Header,
    tables: Tables,
    maker: Maker[S],
    threads: int,
    outcomes: bool,
) -> Verified:
    wrong, first, used = maker.differences(tables, of, threads, outcomes=outcomes)
    damage = ""
    if used != header.positions:
        damage = f"{of.name} has {used:,} positions, not {header.positions:,} as its header says"
    text = game.format(endgames_of(game).position(of.number, first)) if wrong else ""
    return Verified(of.name, used, wrong, text, damage)
