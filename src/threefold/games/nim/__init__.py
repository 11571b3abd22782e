"""Nim, with any heaps."""

from threefold.errors import BadGame
from threefold.games.nim.drawing import drawing
from threefold.games.nim.notation import notation
from threefold.games.nim.rules import WORD_BITS, State, rules
from threefold.rules.facts import Typical
from threefold.rules.game import Game

MAX_STONES = 4096
TYPICAL = Typical(branching=6.3, length=6.2, source="random play")


def nim(heaps: tuple[int, ...] = (3, 4, 5), take: int = 0, misere: bool = False) -> Game[State]:
    """Take turns taking stones from one heap; taking the last one wins, or loses if misère.

    `take` is the most that may be taken in one turn, 0 for no limit.
    """
    shown = "-".join(map(str, heaps))
    if not heaps or min(heaps) < 0 or sum(heaps) > MAX_STONES:
        raise BadGame(
            f"nim: heaps={shown} cannot be played: at least one heap, none negative, at most "
            f"{MAX_STONES} stones in all"
        )
    if len(heaps) * max(heaps).bit_length() > WORD_BITS:
        raise BadGame(
            f"nim: heaps={shown} do not fit into {WORD_BITS} bits: {len(heaps)} heaps may hold "
            f"up to {(1 << WORD_BITS // len(heaps)) - 1} each"
        )
    if take < 0:
        raise BadGame(f"nim: take={take} is negative; 0 means no limit")
    return Game(
        "Nim",
        **rules(heaps, take, misere),
        **notation(heaps),
        draw=drawing(heaps),
        typical=TYPICAL if (heaps, take) == ((3, 4, 5), 0) else None,
    )
