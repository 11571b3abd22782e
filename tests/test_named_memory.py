"""Records of compiled code: the same names in Python, interpreted and compiled."""

from collections.abc import MutableSequence
from dataclasses import dataclass
from typing import Annotated

import pytest

from threefold.engine.control import Control, clear
from threefold.engine.jit.binding import _is_closed
from threefold.engine.memory import Memory, extend_pv
from threefold.engine.records import (
    WORD,
    Half,
    Real,
    Word,
    allocate,
    boxed,
    interpreted_record,
    layout,
    part,
)
from threefold.engine.table import probe
from threefold.rules.contract import MAX_MOVES


@dataclass(slots=True, kw_only=True)
class Item:
    """Part of a record."""

    rank: Half
    moves: Annotated[MutableSequence[int], WORD, MAX_MOVES]


@dataclass(slots=True, kw_only=True)
class Example(Control):
    """One with every kind of field."""

    share: Real
    first: Word = -1
    counts: Annotated[MutableSequence[MutableSequence[int]], WORD, 2, 3]
    items: Annotated[MutableSequence[Item], Item, 4]


@pytest.mark.parametrize("new", [allocate, interpreted_record])
def test_a_record_has_the_same_fields_both_ways(new: object) -> None:
    assert callable(new)
    record: Example = new(Example, 5)
    assert (record.nodes, record.share, record.first, record.items[3].rank) == (0, 0.0, -1, 0)
    record.nodes += 3
    record.share = 0.5
    record.counts[1][2] = 7
    record.items[2].moves[4] = 9
    assert (record.nodes, record.share, record.counts[1][2]) == (3, 0.5, 7)
    assert [len(record.items), len(record.items[2].moves), record.items[2].moves[4]] == [4, 5, 9]
    clear(record)
    assert (record.nodes, record.share) == (0, 0.5)


def test_an_entry_sees_what_python_wrote() -> None:
    record = allocate(Example, 5)
    record.first = 4
    part(record.items, 1).moves[0] = 8
    inside = boxed(record)[0]
    assert (inside.first, inside.items[1].moves[0]) == (4, 8)


def test_a_name_that_numpy_would_hide_is_refused() -> None:
    @dataclass
    class Bad:
        size: Word

    with pytest.raises(TypeError, match=r"Bad\.size: NumPy's records have that attribute"):
        layout(Bad)


def test_functions_that_take_a_record_are_compiled_for_each_game() -> None:
    assert extend_pv.__annotations__["memory"] is Memory
    assert not _is_closed(extend_pv)
    assert _is_closed(probe)
