"""The bidding system: a table of rules for every auction, from which all else is derived.

It is a simple natural one: five-card majors, one no trump with 15 to 17, two clubs strong, weak
twos, Stayman, takeout doubles.

A rule says: with such a hand, make this call. `rules_after(calls)` lists the rules for the one who
calls next, the first that fits counts. It depends on the auction alone. From the rules come

- the call that the system makes with a hand (`call_for`),
- what a call shows (`meaning`), and
- the tables in the documentation.

Openings, answers to them, and the first steps against an opponent's bid are listed one by one, in
`openings`, `responses`, `rebids` and `competing`. From then on both partners add their points and
cards to what the other one has shown: see `judging`.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from threefold.games.contract_bridge.auction import Auction, first_bid
from threefold.games.contract_bridge.calls import DOUBLE, PASS, is_bid
from threefold.games.contract_bridge.competing import advances, competing
from threefold.games.contract_bridge.hand import Hand
from threefold.games.contract_bridge.judging import judging
from threefold.games.contract_bridge.openings import openings
from threefold.games.contract_bridge.rebids import rebids
from threefold.games.contract_bridge.responses import responses
from threefold.games.contract_bridge.rule import NO_CLUE, Rule
from threefold.games.contract_bridge.shows import Shows

#: How many auctions are remembered.
_REMEMBERED = 1 << 12


@lru_cache(maxsize=_REMEMBERED)
def rules_after(calls: tuple[int, ...]) -> tuple[Rule, ...]:
    """The rules for the one who calls next; the last one fits every hand."""
    auction = Auction(calls)
    legal = [rule for rule in _rules(auction) if auction.is_legal(rule.call)]
    return (*legal, Rule(PASS, Shows(), "nothing better", kind=NO_CLUE))


def _rules(auction: Auction) -> Iterable[Rule]:
    mine, partners = first_bid(auction.mine), first_bid(auction.partners)
    if mine == PASS and partners == PASS and not auction.they_bid:
        return openings()
    partner = last_rule(auction.calls[:-2], auction.calls[-2]) if len(auction.calls) > 1 else None
    shown = shown_by(auction.calls, 2)
    listed: Iterable[Rule] = ()
    if mine == PASS and DOUBLE not in auction.mine:
        if partner is not None and partner.kind == "takeout":
            listed = advances(auction)
        elif partners == PASS:
            listed = competing(auction)
        elif _opened(auction, 2) and auction.partners[-1] == partners:
            listed = responses(auction, partners)
    elif _opened(auction, 0) and sum(map(is_bid, auction.mine)) == 1:
        listed = rebids(auction, mine, auction.partners[-1], partner)
    return list(listed) or judging(auction, partner, shown, shown_by(auction.calls, 0))


def _opened(auction: Auction, ahead: int) -> bool:
    """Whether the one to call (0), or partner (2), made the first bid of all."""
    first = next(i for i, call in enumerate(auction.calls) if is_bid(call))
    return (len(auction.calls) + ahead - first) % 4 == 0


def last_rule(before: tuple[int, ...], call: int) -> Rule | None:
    """A rule that a call was made by, if the system makes it at all."""
    return next((rule for rule in rules_after(before) if rule.call == call), None)


@lru_cache(maxsize=_REMEMBERED)
def meaning(before: tuple[int, ...], call: int) -> Shows | None:
    """What a call shows; None if the system does not make it."""
    rules = [rule for rule in rules_after(before) if rule.call == call]
    telling = [rule.shows for rule in rules if rule.kind != NO_CLUE]
    if not telling:
        return None
    shows = telling[0]
    for other in telling[1:]:
        shows |= other
    return shows


def meaning_text(before: Sequence[int], call: int) -> str:
    """What a call shows, in words."""
    rules = [rule for rule in rules_after(tuple(before)) if rule.call == call]
    words = [
        "; ".join(filter(None, (rule.note, rule.shows.describe())))
        for rule in rules
        if rule.kind != NO_CLUE
    ]
    return ", or ".join(words) or (rules[0].note if rules else "no meaning in the system")


@lru_cache(maxsize=_REMEMBERED)
def shown_by(calls: tuple[int, ...], ahead: int) -> Shows:
    """What all calls of one player show together: of the one to call (0), or of partner (2)."""
    shows = Shows()
    for i in range((len(calls) + ahead) % 4, len(calls), 4):
        said = meaning(calls[:i], calls[i])
        if said is not None:
            shows &= said
    return shows


def call_for(hand: Hand, calls: tuple[int, ...]) -> int:
    """The call that the system makes with a hand."""
    return next(rule.call for rule in rules_after(calls) if rule.shows.fits(hand))
