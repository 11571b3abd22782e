"""Kalah with 1 to 9 pits a side and 1 to 10 seeds in each."""

from typing import Literal, get_args

from threefold.errors import BadGame
from threefold.games.kalah.drawing import drawing
from threefold.games.kalah.notation import notation
from threefold.games.kalah.rules import State, rules
from threefold.rules.facts import Typical
from threefold.rules.game import Game
from threefold.rules.records import Scales

MOST_PITS = 9
MOST_SEEDS_A_PIT = 10
#: By evaluation, the lead that wins three games of four between equal players.
LEADS = {"prospects": 100, "stores": 6}
Rest = Literal["owner", "mover"]
TYPICAL = Typical(branching=4.2, length=44, source="random play")


def kalah(
    pits: int = 6, seeds: int = 4, empty_capture: bool = False, rest: Rest = "owner"
) -> Game[State]:
    """Sow the seeds of a pit one by one; the player with more seeds in their store wins.

    `empty_capture`: a last seed in an empty pit of your own is banked even if nothing is opposite.
    `rest`: who banks what is left in the end, its owner or the mover who made the last move.
    """
    for name, value, most in (("pits", pits, MOST_PITS), ("seeds", seeds, MOST_SEEDS_A_PIT)):
        if not 1 <= value <= most:
            raise BadGame(f"kalah: {name}={value} is not from 1 to {most}")
    if rest not in get_args(Rest):
        raise BadGame(f"kalah: rest={rest} is not one of {', '.join(get_args(Rest))}")
    return Game(
        "Kalah",
        **rules(pits, seeds, empty_capture, rest == "owner"),
        **notation(pits),
        draw=drawing(pits),
        scales=Scales(leads=LEADS),
        typical=TYPICAL if (pits, seeds, empty_capture, rest) == (6, 4, False, "owner") else None,
    )
