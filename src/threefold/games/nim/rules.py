"""The rules of Nim.

The heaps are packed into one word, `width` bits each, the first one lowest:

    heaps    … | third | second | first
    bits          2w…     w…       0…

A move is `heap * (largest + 1) + stones`.
"""

from typing import NamedTuple

from threefold.games.nim.features import features
from threefold.rules.contract import MAX, MIN, Row
from threefold.rules.records import RuleHooks

#: The sign bit stays free.
WORD_BITS = 63


class State(NamedTuple):
    """The heaps, packed, and whose turn it is."""

    heaps: int
    turn: int


def heap_width(heaps: tuple[int, ...]) -> int:
    """How many bits each heap takes."""
    return max(1, max(heaps).bit_length())


def rules(heaps: tuple[int, ...], take: int, misere: bool) -> RuleHooks:
    """The hooks for given heaps, the most stones to take at once, and misère play."""
    number = len(heaps)
    width = heap_width(heaps)
    heap_mask = (1 << width) - 1
    largest = max(heaps)
    most = take if take > 0 else largest
    start = sum(stones << heap * width for heap, stones in enumerate(heaps))

    def initial() -> State:
        return State(start, MAX)

    def actions(s: State, out: Row) -> int:
        count = 0
        for heap in range(number):
            stones = (s.heaps >> heap * width) & heap_mask
            for taken in range(1, min(stones, most) + 1):
                out[count] = heap * (largest + 1) + taken
                count += 1
        return count

    def result(s: State, a: int) -> State:
        heap, taken = a // (largest + 1), a % (largest + 1)
        return State(s.heaps - (taken << heap * width), MIN if s.turn == MAX else MAX)

    def utility(s: State) -> int:
        """Nothing is left for the player to move, so the other one took the last stone."""
        won = s.turn == MIN
        return 1 if won != misere else -1

    return {
        "initial": initial,
        "actions": actions,
        "result": result,
        "utility": utility,
        "features": features,
        "max_moves": max(1, sum(min(stones, most) for stones in heaps)),
        "max_ply": max(1, sum(heaps)),
        "move_range": number * (largest + 1),
    }
