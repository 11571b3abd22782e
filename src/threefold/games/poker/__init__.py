"""Small pokers that can be solved: Kuhn's and Leduc."""

from threefold.games.poker.drawing import drawing
from threefold.games.poker.notation import notation
from threefold.games.poker.rules import State, rules
from threefold.games.poker.variant import KUHN, LEDUC, Variant
from threefold.rules.facts import Typical
from threefold.rules.game import Game
from threefold.rules.records import Scales


def kuhn_poker() -> Game[State]:
    """Three cards, one for each of two players, and one bet: check or bet, then call or fold.

    The higher card wins the pot, or whoever has not folded. Both have paid one chip; a bet is one
    more.
    """
    typical = Typical(branching=2, length=2.25, source="random play")
    return _poker("Kuhn poker", KUHN, typical)


def leduc_poker() -> Game[State]:
    """Six cards of three ranks: one for each of two players, and one on the table for both.

    Bets are 2 chips before the card on the table is shown and 4 afterwards, with one bet and one
    raise a round. A pair with the table's card wins, then the higher card.
    """
    typical = Typical(branching=2.3, length=4.06, source="random play")
    return _poker("Leduc poker", LEDUC, typical)


def _poker(name: str, variant: Variant, typical: Typical) -> Game[State]:
    return Game(
        name,
        **rules(variant),
        **notation(variant),
        draw=drawing(variant),
        scales=Scales(utility_unit="chips"),
        typical=typical,
    )
