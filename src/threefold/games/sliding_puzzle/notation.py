"""Positions of the sliding puzzle as their tiles row by row, 0 for the gap; a move as its tile.

After `/` comes the tile that has just moved and may not go straight back: `1 2 3 4 5 6 7 0 8 / 8`.
"""

import re

from threefold.games.sliding_puzzle.rules import NOWHERE, State, neighbors, pack, unpack
from threefold.rules.bits import lsr
from threefold.rules.records import TextHooks
from threefold.rules.text import shorten


def notation(size: int) -> TextHooks:
    """The text hooks for a square of this size."""
    places, near = size * size, neighbors(size)
    example = " ".join(map(str, [*range(1, places), 0]))

    def format_position(s: State) -> str:
        tiles = unpack(s, size)
        text = " ".join(map(str, tiles))
        return text if s.came_from == NOWHERE else f"{text} / {tiles[s.came_from]}"

    def parse(text: str) -> State:
        text, slash, last = text.partition("/")
        s = parse_tiles(text)
        if not slash:
            return s
        tiles, moved = unpack(s, size), last.strip()
        beside = {str(tiles[place]): place for place in near[s.gap]}
        if moved not in beside:
            raise ValueError(
                f"{shorten(moved)} after / is not a tile beside the gap: {', '.join(beside)}"
            )
        return s._replace(came_from=beside[moved])

    def parse_tiles(text: str) -> State:
        words = re.split(r"[\s,]+", text.strip())
        if len(words) == 1 and size == 3:
            words = list(words[0])
        numbers = [int(each) if re.fullmatch(r"[0-9]{1,2}", each) else -1 for each in words]
        if sorted(numbers) != list(range(places)):
            raise ValueError(
                f"{shorten(text)} is not a position: write each number from 0 (the gap) to "
                f"{places - 1} once, row by row, like {example}"
            )
        if not is_solvable(numbers, size):
            raise ValueError("it cannot be solved (odd parity); swap any two tiles")
        return pack(numbers, size)

    def format_move(s: State, a: int) -> str:
        return str(lsr(s.tiles, 4 * a) & 15)

    def render(s: State) -> str:
        tiles = unpack(s, size)
        cells = [f"{tile or '.':>2}" for tile in tiles]
        return "\n".join(" ".join(cells[row : row + size]) for row in range(0, places, size))

    return {
        "format": format_position,
        "parse": parse,
        "format_move": format_move,
        "render": render,
    }


def is_solvable(tiles: list[int], size: int) -> bool:
    """Whether the tiles can be brought home.

    Every move swaps the gap with a tile, and moves the gap by one place: the parity of the
    permutation and of the gap's distance from home change together.
    """
    seen: set[int] = set()
    swaps = 0
    for start in range(size * size):
        place = start
        while place not in seen:
            seen.add(place)
            place = (tiles[place] - 1) % (size * size)  # where this place's tile belongs
            swaps += place not in seen
    gap = tiles.index(0)
    steps = (size - 1 - gap // size) + (size - 1 - gap % size)
    return swaps % 2 == steps % 2
