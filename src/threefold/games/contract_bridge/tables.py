"""The bidding system written out: what each call shows after some auctions, from its rules."""

from collections.abc import Iterator
from typing import Final

from threefold.games.contract_bridge.calls import call_signs, read_call
from threefold.games.contract_bridge.rule import NO_CLUE
from threefold.games.contract_bridge.system import rules_after

#: The auctions that the tables are for; the side that bids begins, the others pass unless told.
AUCTIONS: Final = (
    ("Opening", ""),
    ("After partner's 1♥", "1H pass"),
    ("After partner's 1♦", "1D pass"),
    ("After partner's 1NT", "1NT pass"),
    ("After partner's 2♣", "2C pass"),
    ("After partner's weak 2♠", "2S pass"),
    ("The opener after 1♦ – 1♥", "1D pass 1H pass"),
    ("The opener after 1♠ – 1NT", "1S pass 1NT pass"),
    ("The opener after 1♠ – 2♣", "1S pass 2C pass"),
    ("The opener after 1♠ – 2♠", "1S pass 2S pass"),
    ("The opener after 1NT – 2♣", "1NT pass 2C pass"),
    ("After an opponent's 1♦", "1D"),
    ("After an opponent's 1NT", "1NT"),
    ("After partner's takeout double of 1♥", "1H X pass"),
    ("After partner's 1♦ and an opponent's 1♠", "1D 1S"),
)


def table(auction: str) -> Iterator[str]:
    """The lines of a table for the one who calls next: the call, the hand, what it means."""
    calls = tuple(map(read_call, auction.split()))
    yield "| call | hand | |"
    yield "| --- | --- | --- |"
    for rule in rules_after(calls):
        if rule.kind != NO_CLUE:
            yield f"| {call_signs(rule.call)} | {rule.shows.describe()} | {rule.note} |"


def tables() -> str:
    """All tables as Markdown."""
    parts = ["\n".join([f"### {title}", "", *table(auction)]) for title, auction in AUCTIONS]
    return "\n\n".join(parts)
