"""Nim with a die: a small game of chance."""

from threefold.errors import BadGame
from threefold.games.dice_nim.drawing import drawing
from threefold.games.dice_nim.notation import notation
from threefold.games.dice_nim.rules import State, rules
from threefold.rules.facts import Typical
from threefold.rules.game import Game

MAX_STONES = 1000
MAX_FACES = 100
TYPICAL = Typical(branching=1.9, length=8.3, source="random play")


def dice_nim(stones: int = 12, faces: int = 3, loaded: bool = False) -> Game[State]:
    """Roll a die, then take at least one stone and at most as many as it shows.

    The player who takes the last stone wins. A loaded die shows lower faces more often.
    """
    for name, value, most in (("stones", stones, MAX_STONES), ("faces", faces, MAX_FACES)):
        if not 1 <= value <= most:
            raise BadGame(f"dice-nim: {name}={value} is not between 1 and {most}")
    return Game(
        "Dice Nim",
        **rules(stones, faces, loaded),
        **notation(stones, faces),
        draw=drawing,
        typical=TYPICAL if (stones, faces, loaded) == (12, 3, False) else None,
    )
