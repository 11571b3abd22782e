"""The rules of the sliding puzzle: one agent slides tiles into the gap until all are home.

Four bits for each place, row by row, the first place lowest; 0 is the gap:

    place    15 | 14 | … | 1 | 0          1  2  3  4
    bits   60–63  56–59     4–7  0–3      5  6  7  8
                                          9 10 11 12
                                         13 14 15  0   home

A move is the place that the gap goes to. A position keeps the gap, where it came from, and how far
all tiles are from home in rows and columns. The last is updated by one tile a move. The tile that
just moved may not go straight back: no shortest solution ever does that.
"""

from typing import NamedTuple

from threefold.rules.bits import lsr, shl, word
from threefold.rules.contract import MAX, Row
from threefold.rules.records import RuleHooks

TILE_BITS = 4
#: Before the first move the gap comes from nowhere.
NOWHERE = -1
#: No position is farther from home (Reinefeld, 1993; Brüngger and others, 1999).
FARTHEST = {3: 31, 4: 80}
#: Where a puzzle starts: one of the two farthest of the small ones, and an easy one of the large.
STARTS = {
    3: [8, 6, 7, 2, 5, 4, 3, 0, 1],
    4: [5, 10, 14, 4, 6, 12, 11, 1, 9, 0, 15, 7, 13, 2, 8, 3],
}


class State(NamedTuple):
    """The tiles, packed; the gap; where the gap came from; the distance of all tiles from home."""

    tiles: int
    gap: int
    came_from: int
    distance: int


def distances(size: int) -> tuple[int, ...]:
    """Rows and columns from home, by tile and then by place; the gap does not count."""
    places = range(size * size)
    return tuple(
        abs(place // size - (tile - 1) // size) + abs(place % size - (tile - 1) % size)
        if tile
        else 0
        for tile in places
        for place in places
    )


def neighbors(size: int) -> list[list[int]]:
    """The places next to each place: above, left, right, below."""
    found = []
    for place in range(size * size):
        row, column = divmod(place, size)
        near = ((row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column))
        found.append([r * size + c for r, c in near if 0 <= r < size and 0 <= c < size])
    return found


def pack(tiles: list[int], size: int) -> State:
    """A position with these tiles, row by row."""
    far, places = distances(size), size * size
    packed = sum(tile << TILE_BITS * place for place, tile in enumerate(tiles))
    total = sum(far[tile * places + place] for place, tile in enumerate(tiles))
    return State(word(packed), tiles.index(0), NOWHERE, total)


def unpack(s: State, size: int) -> list[int]:
    """The tiles, row by row."""
    return [lsr(s.tiles, TILE_BITS * place) & 15 for place in range(size * size)]


def rules(size: int) -> RuleHooks:
    """The hooks for a square of this size."""
    places = size * size
    far = distances(size)
    near = neighbors(size)
    first = tuple(sum(map(len, near[:place])) for place in range(places + 1))
    next_to = tuple(place for each in near for place in each)
    start = pack(STARTS[size], size)

    def initial() -> State:
        return start

    def player(s: State) -> int:  # noqa: ARG001
        return MAX

    def is_terminal(s: State) -> bool:
        return s.distance == 0

    def actions(s: State, out: Row) -> int:
        count = 0
        if s.distance != 0:
            for i in range(first[s.gap], first[s.gap + 1]):
                if next_to[i] != s.came_from:
                    out[count] = next_to[i]
                    count += 1
        return count

    def result(s: State, a: int) -> State:
        tile = lsr(s.tiles, TILE_BITS * a) & 15
        moved = shl(tile, TILE_BITS * a) ^ shl(tile, TILE_BITS * s.gap)
        nearer = far[tile * places + a] - far[tile * places + s.gap]
        return State(s.tiles ^ moved, a, s.gap, s.distance - nearer)

    def utility(s: State) -> int:  # noqa: ARG001
        return 0

    return {
        "initial": initial,
        "player": player,
        "is_terminal": is_terminal,
        "actions": actions,
        "result": result,
        "utility": utility,
        "max_moves": 4,
        "max_ply": FARTHEST[size],
        "move_range": places,
    }
