"""Which positions a player cannot tell apart: drawing one of them in a game without `deal`.

Games are played at random until one comes to the same observation. So each position is drawn as
often as nature makes it, and as often as players who move at random come to it.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any, Final, TypeVar

from threefold.errors import ThreefoldError
from threefold.rules.contract import CHANCE, Player

if TYPE_CHECKING:
    from threefold.rules.definition import Rules

S = TypeVar("S")

#: So many random plies are played to find a position with the same observation.
MOST_PLIES: Final = 2_000_000


def play_to_observation(game: Rules[S], s: S, p: Player, seed: int) -> S:
    """A position that player `p` cannot tell from `s`: the first one that random games come to."""
    rng = random.Random(seed)
    seen: Any = game.observe(s, p)
    plies = 0
    while plies < MOST_PLIES:
        t = game.initial()
        for _ in range(game.facts.max_ply):
            if game.observe(t, p) == seen and game.player(t) == game.player(s):
                return t
            if not (moves := game.moves(t)):
                break
            plies += 1
            if game.player(t) == CHANCE:
                events, weights = zip(*game.chances(t), strict=True)
                t = game.result(t, rng.choices(events, weights)[0])
            else:
                t = game.result(t, rng.choice(moves))
    raise too_rare(game)


def too_rare(game: Rules[Any]) -> ThreefoldError:
    """What to raise where random games do not come to an observation."""
    return ThreefoldError(
        f"{game.name}: no random game came to what the player sees within {MOST_PLIES:,} plies; "
        "give the game a hook deal(s, p, seed)"
    )
