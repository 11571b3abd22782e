"""Bridge as people play it: hidden cards, an auction, thirteen tricks, a score."""

from dataclasses import replace
from typing import Literal, get_args

from threefold.errors import BadGame
from threefold.games.bridge.cards import SEATS
from threefold.games.contract_bridge.drawing import drawing
from threefold.games.contract_bridge.inference import agreed, doubts, read_known
from threefold.games.contract_bridge.notation import notation, read_contract
from threefold.games.contract_bridge.opening import opened, opened_worth
from threefold.games.contract_bridge.pbn import recorder
from threefold.games.contract_bridge.position import State
from threefold.games.contract_bridge.rendering import rendering
from threefold.games.contract_bridge.rules import rules, scorer
from threefold.rules.facts import Typical
from threefold.rules.game import Game
from threefold.rules.records import Scales

Seat = Literal["N", "E", "S", "W"]
Vulnerable = Literal["none", "ns", "ew", "both"]

TYPICAL = Typical(branching=4.7, length=62, source="random play")


def contract_bridge(
    dealer: Seat = "N",
    vulnerable: Vulnerable = "none",
    contract: str = "none",
    declarer: Seat = "S",
    known: str = "none",
) -> Game[State]:
    """Bid and play a deal of bridge with your partner; everybody sees their own cards.

    With a `contract`, such as 4S or 3NTX, there is no auction, and its `declarer` plays it. `known`
    says what the auction told about hands, such as W:12-14hcp.5-6S/E:0-7hcp.
    """
    for name, value, choices in (
        ("dealer", dealer, get_args(Seat)),
        ("vulnerable", vulnerable, get_args(Vulnerable)),
        ("declarer", declarer, get_args(Seat)),
    ):
        if value not in choices:
            raise BadGame(f"contract-bridge: {name}={value} is not one of {', '.join(choices)}")
    given = 0
    if contract != "none":
        try:
            given = read_contract(f"{contract} by {declarer}")
        except ValueError:
            raise BadGame(
                f"contract-bridge: contract={contract} is not one like 4S, 3NTX or 2HXX"
            ) from None
    first, sides = SEATS.index(dealer), get_args(Vulnerable).index(vulnerable)
    hooks = rules(first, sides, given)
    hooks["assumptions"] = replace(
        hooks["assumptions"],
        agreed=agreed,
        doubts=doubts(first, read_known(known)),
        opened=opened,
        opened_worth=opened_worth(scorer(sides)),
    )
    texts = notation(hooks, first, given)
    texts["render"] = rendering(first, sides)
    texts["texts"] = replace(
        texts["texts"], record=recorder(hooks["result"], first, sides), record_name="PBN"
    )
    return Game(
        "Contract bridge",
        **hooks,
        **texts,
        draw=drawing(first, sides),
        scales=Scales(utility_unit="points"),
        typical=None if given else TYPICAL,
    )
