"""Boards over several words: interpreted and compiled, they do what sets of cells do."""

import random
from collections.abc import Callable
from functools import cache
from typing import Any

import numba
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from threefold.engine.jit import instructions  # noqa: F401  teaches Numba the primitives
from threefold.engine.jit.binding import library_twin
from threefold.errors import BadGame
from threefold.rules.wide import Cells, WideBoard

SIZES = [(3, 3), (8, 8), (9, 9), (13, 13), (19, 19), (1, 70), (100, 1), (7, 20)]
TWO_SETS = ("union", "common", "without", "flood")
ONE_SET = ("others", "is_empty", "count", "first", "rest", "north", "south", "east", "west")
WITH_A_CELL = ("has", "put", "take")


@cache
def board_of(columns: int, rows: int) -> WideBoard:
    return WideBoard(columns, rows)


def as_integer(cells: Cells) -> int:
    """The same cells as the bits of one integer."""
    return sum((word & (1 << 64) - 1) << 64 * i for i, word in enumerate(cells))


def neighbors_of(board: WideBoard, cells: set[int]) -> set[int]:
    steps = ((1, 0), (-1, 0), (0, 1), (0, -1))
    return set().union(*(moved(board, cells, *step) for step in steps))


def moved(board: WideBoard, cells: set[int], columns: int, rows: int) -> set[int]:
    """Every cell by its column and row: nothing but the definition."""
    places = ((cell % board.columns + columns, cell // board.columns + rows) for cell in cells)
    return {
        y * board.columns + x for x, y in places if 0 <= x < board.columns and 0 <= y < board.rows
    }


def flooded(board: WideBoard, start: set[int], within: set[int]) -> set[int]:
    reached = start & within
    while more := (neighbors_of(board, reached) & within) - reached:
        reached |= more
    return reached


BY_DEFINITION: dict[str, Callable[..., Any]] = {
    "union": lambda _, a, b: a | b,
    "common": lambda _, a, b: a & b,
    "without": lambda _, a, b: a - b,
    "flood": flooded,
    "others": lambda board, a: {*range(board.cells)} - a,
    "is_empty": lambda _, a: not a,
    "count": lambda _, a: len(a),
    "first": lambda board, a: min(a, default=64 * board.words),
    "rest": lambda _, a: a - {min(a, default=-1)},
    "north": lambda board, a: moved(board, a, 0, 1),
    "south": lambda board, a: moved(board, a, 0, -1),
    "east": lambda board, a: moved(board, a, 1, 0),
    "west": lambda board, a: moved(board, a, -1, 0),
    "neighbors": neighbors_of,
    "has": lambda _, a, cell: cell in a,
    "put": lambda _, a, cell: a | {cell},
    "take": lambda _, a, cell: a - {cell},
}


def agrees(board: WideBoard, run: Callable[..., Any], name: str, *given: Any) -> None:
    """What a function says of sets is what the definition says of the same sets."""
    words = [board.set_of(each) if isinstance(each, set) else each for each in given]
    found = run(*words)
    expected = BY_DEFINITION[name](board, *given)
    if isinstance(expected, set):
        assert as_integer(found) == sum(1 << cell for cell in expected), name
        assert {*board.cells_of(tuple(found))} == expected
    else:
        assert found == expected, name


def check(board: WideBoard, way: Callable[[Any], Any], a: set[int], b: set[int], cell: int) -> None:
    for name in TWO_SETS:
        agrees(board, way(getattr(board, name)), name, a, b)
    for name in (*ONE_SET, "neighbors"):
        agrees(board, way(getattr(board, name)), name, a)
    for name in WITH_A_CELL:
        agrees(board, way(getattr(board, name)), name, a, cell)
    assert as_integer(way(board.single)(cell)) == 1 << cell


def sets_on(board: WideBoard) -> st.SearchStrategy[set[int]]:
    """Sparse ones, full ones, and every other."""
    bits = st.one_of(
        st.integers(0, (1 << board.cells) - 1),
        st.sampled_from([0, (1 << board.cells) - 1]),
        st.lists(st.integers(0, board.cells - 1), max_size=5).map(
            lambda cells: sum(1 << cell for cell in {*cells})
        ),
    )
    return bits.map(lambda n: {cell for cell in range(board.cells) if n >> cell & 1})


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_interpreted_functions_do_what_they_say(size: tuple[int, int]) -> None:
    board = board_of(*size)

    @given(sets_on(board), sets_on(board), st.integers(0, board.cells - 1))
    @settings(max_examples=60)
    def as_defined(a: set[int], b: set[int], cell: int) -> None:
        check(board, lambda function: function, a, b, cell)

    as_defined()


@pytest.mark.parametrize("size", [(8, 8), (9, 9), (19, 19)], ids=str)
def test_compiled_functions_do_the_same(size: tuple[int, int]) -> None:
    board = board_of(*size)

    @given(sets_on(board), sets_on(board), st.integers(0, board.cells - 1))
    @settings(max_examples=60)
    def as_defined(a: set[int], b: set[int], cell: int) -> None:
        check(board, compiled, a, b, cell)

    as_defined()


@cache
def compiled(function: Any) -> Any:
    """As rules compile it, and so that Python can call it."""
    twin = library_twin(function, False, False)
    return numba.njit(lambda *given: twin(*given))


@pytest.mark.parametrize("step", [(1, 2), (-2, 1), (0, 0), (2, -3), (-8, 8), (9, 0), (0, -20)])
def test_steps_of_any_length_stay_on_the_board(step: tuple[int, int]) -> None:
    board = board_of(9, 9)
    move, draw = board.step(*step), random.Random(7)
    for _ in range(20):
        cells = {cell for cell in range(board.cells) if draw.random() < 0.5}
        expected = moved(board, cells, *step)
        assert move(board.set_of(cells)) == board.set_of(expected)
        assert compiled(move)(board.set_of(cells)) == board.set_of(expected)


def test_functions_of_different_boards_have_different_names() -> None:
    """Machine code finds a function by its name."""
    small, large = board_of(9, 9), board_of(19, 19)
    names = [
        getattr(board, name).__name__
        for board in (small, large)
        for name in (*TWO_SETS, *ONE_SET, *WITH_A_CELL, "neighbors", "single")
    ]
    assert len({*names}) == len(names)
    assert small.step(1, -1).__name__ != small.step(-1, 1).__name__


@pytest.mark.parametrize(("columns", "rows"), [(0, 5), (5, 0), (-3, -3), (33, 33)])
def test_a_board_that_cannot_be_is_refused(columns: int, rows: int) -> None:
    with pytest.raises(BadGame, match=r"both at least 1, and at most 1024 cells"):
        WideBoard(columns, rows)
