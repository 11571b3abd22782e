"""Othello (Reversi) on 4×4, 6×6 or 8×8 squares."""

from threefold.errors import BadGame
from threefold.games.othello.drawing import drawing
from threefold.games.othello.notation import notation
from threefold.games.othello.rules import State, rules
from threefold.rules.facts import Typical
from threefold.rules.game import Game
from threefold.rules.records import Scales

SIZES = (4, 6, 8)
#: By evaluation, the lead that wins three games of four between equal players.
LEADS = {"strategy": 120, "mobility": 6, "discs": 8}
TYPICAL = Typical(branching=10, length=58, source="Allis 1994")


def othello(size: int = 8) -> Game[State]:
    """Place a disc that brackets your opponent's, which turns them over. The most discs win."""
    if size not in SIZES:
        raise BadGame(f"othello: size={size} is not one of {', '.join(map(str, SIZES))}")
    return Game(
        "Othello",
        **rules(size),
        **notation(size),
        draw=drawing(size),
        scales=Scales(leads=LEADS),
        typical=TYPICAL if size == 8 else None,
    )
