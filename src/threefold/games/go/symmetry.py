"""The eight ways to turn and mirror a square board."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from threefold.rules.wide import Cells, WideBoard

if TYPE_CHECKING:
    from threefold.games.go.rules import Sets


def images(
    board: WideBoard, sets: "Sets", state: type[Any], no_ko: int
) -> tuple[Callable[[Any], Any], ...]:
    """The seven symmetries of a square board, as functions of a position."""
    size = last = board.columns
    last -= 1
    ways: tuple[Callable[[int, int], tuple[int, int]], ...] = (
        lambda x, y: (last - x, y),
        lambda x, y: (x, last - y),
        lambda x, y: (last - x, last - y),
        lambda x, y: (y, x),
        lambda x, y: (last - y, x),
        lambda x, y: (y, last - x),
        lambda x, y: (last - y, last - x),
    )

    def numbers(way: Callable[[int, int], tuple[int, int]]) -> tuple[int, ...]:
        moved = (way(cell % size, cell // size) for cell in range(board.cells))
        return tuple(y * size + x for x, y in moved)

    return tuple(_image(numbers(way), board, sets, state, no_ko) for way in ways)


def _image(
    moved_to: tuple[int, ...], board: WideBoard, sets: "Sets", state: type[Any], no_ko: int
) -> Callable[[Any], Any]:
    """The symmetry that moves each point to the one listed for it."""
    black, white = sets.black, sets.white
    first, rest, is_empty, put, none = (
        board.first,
        board.rest,
        board.is_empty,
        board.put,
        board.empty,
    )

    def moved(cells: Cells) -> Cells:
        image = none
        while not is_empty(cells):
            image = put(image, moved_to[first(cells)])
            cells = rest(cells)
        return image

    def symmetric(s: Any) -> Any:
        ko = moved_to[s.ko] if s.ko != no_ko else no_ko
        return state(*moved(black(s)), *moved(white(s)), ko, s.passes, s.turn)

    return symmetric
