"""What the auction tells: the system's call for a hand, and what calls say about hidden hands.

`agreed` gives the call of the system, from the own hand and the auction alone.

`doubts` says how much speaks against a deal: each call of a hidden hand that the system would not
have made with the cards of the deal, and each hand that is not as it is known to be. Sampled deals
are drawn again until nothing speaks against one, or the one against which the least speaks is
taken. So a player who leaves the system is not a riddle that stops the others. Calls that the
system never makes say nothing.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from threefold.errors import BadGame
from threefold.games.bridge.cards import CARDS, SEATS, SUITS
from threefold.games.bridge.position import hand_of
from threefold.games.contract_bridge.calls import ALL_PASS
from threefold.games.contract_bridge.hand import Hand, count
from threefold.games.contract_bridge.notation import calls_in, dealt_hands
from threefold.games.contract_bridge.position import State, hidden_from, in_play
from threefold.games.contract_bridge.rule import Rule
from threefold.games.contract_bridge.shows import ANY_POINTS, Range, Shows, suits
from threefold.games.contract_bridge.system import call_for, meaning, meaning_text, rules_after
from threefold.rules.text import shorten

#: What is known of hands, North's first.
Known = tuple[Shows, Shows, Shows, Shows]
_NOTHING: Final = Shows()
#: A hand that is not as it is known to be counts for so many calls.
_AGAINST_KNOWN: Final = 8
_ITEM: Final = re.compile(r"(?P<least>[0-9]{1,2})(?:-(?P<most>[0-9]{1,2}))?(?P<what>hcp|[CDHS])")


def agreed(s: State) -> int | None:
    """The hook: the call of the system; None where no call is made."""
    if s.dealt < CARDS or in_play(s) or s.first_passes == ALL_PASS:
        return None
    return call_for(count(hand_of(s, s.to_act)), tuple(calls_in(s)))


def doubts(dealer: int, known: Known) -> Callable[[State, int], int]:
    """The hook `doubts` for a dealer and what is known of the hands."""

    def speaks_against(s: State, p: int) -> int:
        hands: dict[int, Hand] = {
            seat: count(cards)
            for seat, cards in enumerate(dealt_hands(s))
            if hidden_from(s, p, seat)
        }
        against = sum(_AGAINST_KNOWN for seat in hands if not known[seat].fits(hands[seat]))
        for i, (rules, call) in enumerate(told_by(tuple(calls_in(s)))):
            hand = hands.get((dealer + i) & 3)
            if hand is not None and rules:
                against += next(rule.call for rule in rules if rule.shows.fits(hand)) != call
        return against

    return speaks_against


@lru_cache(maxsize=1 << 10)
def told_by(calls: tuple[int, ...]) -> tuple[tuple[tuple[Rule, ...], int], ...]:
    """By call, the rules it was chosen from; none where the system never makes it."""
    return tuple(
        (rules_after(calls[:i]) if meaning(calls[:i], call) is not None else (), call)
        for i, call in enumerate(calls)
    )


def bidding_meaning(s: State, a: int) -> str:
    """What a call shows in the bidding system, in words; empty where no call is made."""
    if s.dealt < CARDS or in_play(s):
        return ""
    return meaning_text(calls_in(s), a)


def read_known(text: str) -> Known:
    """What is known of hands, as `N:12-14hcp.5-6S/E:0-7hcp`; `none` if nothing is."""
    known = [_NOTHING] * 4
    for part in text.split("/") if text != "none" else []:
        seat, colon, items = part.strip().partition(":")
        if not colon or len(seat) != 1 or seat not in SEATS:
            raise BadGame(
                f"contract-bridge: known={shorten(text)[1:-1]}: {shorten(part)} does not begin "
                "with a seat, like N:12-14hcp.5-6S"
            )
        known[SEATS.index(seat)] = _read_hand(text, items)
    return known[0], known[1], known[2], known[3]


def _read_hand(text: str, items: str) -> Shows:
    hcp, lengths = ANY_POINTS, dict[int, Range | int]()
    for item in items.split("."):
        found = _ITEM.fullmatch(item.strip())
        if found is None:
            raise BadGame(
                f"contract-bridge: known={shorten(text)[1:-1]}: {shorten(item)} is neither a range "
                "of points, 12-14hcp, nor a length, 5-6S or 0H"
            )
        least = int(found["least"])
        most = least if found["most"] is None else int(found["most"])
        if least > most:
            raise BadGame(f"contract-bridge: known={shorten(text)[1:-1]}: {item} is no range")
        if found["what"] == "hcp":
            hcp = least, most
        else:
            lengths[SUITS.index(found["what"])] = least, most
    return Shows(hcp, lengths=suits(lengths))
