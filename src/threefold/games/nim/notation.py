"""Nim positions as `3-4-5 1`: the heaps, then the player to move; moves as `heap:stones`."""

from threefold.games.nim.rules import State, heap_width
from threefold.rules.records import Board, TextHooks
from threefold.rules.text import shorten


def unpack(s: State, number: int, width: int) -> list[int]:
    """The stones of each heap."""
    return [s.heaps >> heap * width & (1 << width) - 1 for heap in range(number)]


def notation(heaps: tuple[int, ...]) -> TextHooks:
    """The text hooks for a game that starts from `heaps`."""
    number, width, largest = len(heaps), heap_width(heaps), max(heaps)

    def format_position(s: State) -> str:
        return f"{'-'.join(map(str, unpack(s, number, width)))} {s.turn + 1}"

    def parse(text: str) -> State:
        left, _, side = text.partition(" ")
        given = left.split("-")
        if len(given) != number:
            raise ValueError(f"expected {number} heaps joined by -, not {len(given)}")
        packed = 0
        for heap, (stones, most) in enumerate(zip(given, heaps, strict=True)):
            if not (stones.isascii() and stones.isdigit()):
                raise ValueError(f"heap {heap + 1} is {shorten(stones)}, not a number of stones")
            # Checked as text first: a number of a million digits should not be converted.
            if len(stones.lstrip("0")) > len(str(most)) or int(stones) > most:
                raise ValueError(
                    f"heap {heap + 1} cannot hold more than the {most} it starts with; "
                    "give larger heaps as the game's parameter, nim(heaps=…)"
                )
            packed |= int(stones) << heap * width
        if side not in {"1", "2"}:
            raise ValueError(
                f"expected the player to move, 1 or 2, after a space, not {shorten(side)}"
            )
        return State(packed, int(side) - 1)

    def format_move(_: State, a: int) -> str:
        return f"{a // (largest + 1) + 1}:{a % (largest + 1)}"

    def places(s: State, a: int) -> tuple[str, ...]:
        """The first of the stones taken, which come off the end of their heap."""
        heap, taken = divmod(a, largest + 1)
        return (f"{heap + 1}:{unpack(s, number, width)[heap] - taken + 1}",)

    def put(s: State, place: str, piece: str) -> State:
        if place == "turn":
            return State(s.heaps, int(piece))
        heap = int(place.partition(":")[0]) - 1
        piles = unpack(s, number, width)
        piles[heap] += 1 if piece == "+" else -1
        shown = "-".join(map(str, piles))
        return parse(f"{shown} {s.turn + 1}")

    def render(s: State) -> str:
        stones = unpack(s, number, width)
        return "\n".join(
            f"heap {heap}: {'●' * min(n, 60)}{'…' if n > 60 else ''} ({n})"
            for heap, n in enumerate(stones, 1)
        )

    return {
        "parse": parse,
        "format": format_position,
        "format_move": format_move,
        "render": render,
        "board": Board(places=places, pieces=("+", "−"), put=put),
    }
