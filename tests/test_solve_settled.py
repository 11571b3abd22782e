"""What is settled is settled: the rest of a game is known by what is left, whoever gained what."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from threefold import Game, conformance, game

EXAMPLE = Path(__file__).parent.parent / "examples" / "dots_and_boxes.py"


def dots_and_boxes(columns: int, rows: int) -> Game[Any]:
    return game(f"{EXAMPLE}:dots_and_boxes(columns={columns},rows={rows})")


def by_sets_of_edges(columns: int, rows: int) -> int:
    """What the player to move gains, by all sets of edges and nothing else."""
    dots = [(x, y) for x in range(columns + 1) for y in range(rows + 1)]
    across = [frozenset({(x, y), (x + 1, y)}) for x, y in dots if x < columns]
    down = [frozenset({(x, y), (x, y + 1)}) for x, y in dots if y < rows]
    number = {edge: i for i, edge in enumerate(across + down)}
    boxes = []
    for x, y in dots:
        if x < columns and y < rows:
            corners = ((x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1))
            around = zip(corners, (*corners[1:], corners[0]), strict=True)
            boxes.append(sum(1 << number[frozenset(edge)] for edge in around))

    @cache
    def gain(drawn: int) -> int:
        best = None
        for i in range(len(number)):
            after = drawn | 1 << i
            if after != drawn:
                taken = sum(box & after == box and box & drawn != box for box in boxes)
                value = taken + gain(after) if taken else -gain(after)
                best = value if best is None else max(best, value)
        return best or 0

    return gain(0)


@pytest.mark.parametrize(("columns", "rows"), [(1, 1), (2, 1), (2, 2), (3, 1)])
@pytest.mark.parametrize("method", ["graph", "null-window", "table"])
def test_values_by_sets_of_edges(columns: int, rows: int, method: str) -> None:
    found = dots_and_boxes(columns, rows).solve(method=method, megabytes=16)
    assert found.value == by_sets_of_edges(columns, rows)


def test_each_rest_of_a_game_is_looked_at_about_once() -> None:
    """Six boxes have seventeen edges, and so 131,072 sets of them."""
    found = dots_and_boxes(3, 2).solve(method="null-window", detail="value", megabytes=16)
    assert found.value == -2
    assert found.nodes < 1 << 17


@pytest.mark.slow
def test_nine_boxes() -> None:
    found = dots_and_boxes(3, 3).solve(detail="value")
    assert found.value == -3
    assert found.nodes < 1 << 22


def test_the_example_keeps_the_contract() -> None:
    assert not conformance(dots_and_boxes(2, 2), games=5).defects
