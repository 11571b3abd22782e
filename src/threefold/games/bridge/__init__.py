"""Bridge with all hands open: the card play of a deal."""

from typing import Literal, get_args

from threefold.errors import BadGame
from threefold.games.bridge.cards import SEATS, STRAINS
from threefold.games.bridge.dealing import DEALS, dealt
from threefold.games.bridge.drawing import drawing
from threefold.games.bridge.notation import notation, read_hands
from threefold.games.bridge.position import State
from threefold.games.bridge.rules import TRICK, rules
from threefold.rules.facts import Typical
from threefold.rules.game import Game
from threefold.rules.records import Scales

Strain = Literal["C", "D", "H", "S", "NT"]
Seat = Literal["N", "E", "S", "W"]

#: The deal numbered 0.
FIRST_DEAL = "N:AKQ2.J5.T987.K83 J9.AQT84.KJ3.A72 T8543.K62.AQ4.96 76.973.652.QJT54"
#: By evaluation, the lead that wins three games of four between equal players.
LEADS = {"honors": 1.5 * TRICK, "tricks": 1.5 * TRICK}
TYPICAL = Typical(branching=3.6, length=52, source="random play")


def bridge(strain: Strain = "NT", leader: Seat = "W", deal: int = 0) -> Game[State]:
    """Win tricks with your partner. All four hands are open: double dummy.

    `deal`: the number of the deal to start from.
    """
    if strain not in get_args(Strain):
        raise BadGame(f"bridge: strain={strain} is not one of {', '.join(STRAINS)}")
    if leader not in get_args(Seat):
        raise BadGame(f"bridge: leader={leader} is not one of {', '.join(SEATS)}")
    if not 0 <= deal < DEALS:
        raise BadGame(f"bridge: deal={deal} is not from 0 to {DEALS - 1}")
    hands = dealt(deal) if deal else read_hands(FIRST_DEAL)
    hooks = rules(STRAINS.index(strain), hands, SEATS.index(leader))
    return Game(
        "Bridge",
        **hooks,
        **notation(STRAINS.index(strain), SEATS.index(leader), hooks["actions"]),
        draw=drawing(STRAINS.index(strain)),
        scales=Scales(leads=LEADS, units={"honors": TRICK, "tricks": TRICK}, utility_unit="tricks"),
        typical=TYPICAL,
    )
