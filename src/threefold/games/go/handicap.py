"""Handicap stones: where they go, in the order of the Go Text Protocol's `fixed_handicap`."""

from threefold.errors import BadGame

#: The smallest board with places for handicap stones.
SMALLEST = 7


def most_stones(size: int) -> int:
    """How many fixed handicap stones a board has places for."""
    if size < SMALLEST:
        return 0
    return 4 if size % 2 == 0 or size == SMALLEST else 9


def star_line(size: int) -> int:
    """How many lines the marked points near the edge are away from it."""
    return 2 if size < 12 else 3


def handicap_points(size: int, stones: int) -> list[int]:
    """The points of that many handicap stones, none for 0."""
    most = most_stones(size)
    if stones == 0:
        return []
    if not 2 <= stones <= most:
        right = (
            f"0 or from 2 to {most}" if most else f"0 on boards smaller than {SMALLEST}×{SMALLEST}"
        )
        raise BadGame(f"go: handicap={stones} is not {right} (size={size})")
    near = star_line(size)
    far, middle = size - 1 - near, size // 2
    corners = [(near, near), (far, far), (near, far), (far, near)]
    sides = [(near, middle), (far, middle), (middle, near), (middle, far)]
    placed = corners[: min(stones, 4)] + sides[: max(0, min(stones, 9) - 4) // 2 * 2]
    if stones in (5, 7, 9):
        placed.append((middle, middle))
    return sorted(y * size + x for x, y in placed)
