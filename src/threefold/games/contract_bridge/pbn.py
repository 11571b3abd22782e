"""A deal of bridge as a record in PBN (Portable Bridge Notation 2.1): deal, auction and play."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from threefold.games.bridge.cards import CARDS, IN_A_SUIT, SEATS, card_text
from threefold.games.bridge.notation import format_hands
from threefold.games.contract_bridge.calls import ALL_PASS, FIRST_BID, PASS, call_text
from threefold.games.contract_bridge.notation import calls_in, dealt_hands, plays_in
from threefold.games.contract_bridge.position import (
    State,
    bid_of,
    declarer_in,
    doubled_in,
    in_play,
    lead_after,
)

_VULNERABLE: Final = ("None", "NS", "EW", "All")
#: Where a card was not played.
_NOT_PLAYED: Final = "-"


def recorder(
    result: Callable[[State, int], State], dealer: int, vulnerable: int
) -> Callable[[State, Sequence[int]], str]:
    """The hook `record` for a dealer and the vulnerable sides."""

    def record(start: State, moves: Sequence[int]) -> str:
        s = start
        for a in moves:
            s = result(s, a)
        return "\n".join(_lines(s, dealer, vulnerable)) + "\n"

    return record


def _lines(s: State, dealer: int, vulnerable: int) -> Iterator[str]:
    yield f'[Dealer "{SEATS[dealer]}"]'
    yield f'[Vulnerable "{_VULNERABLE[vulnerable]}"]'
    yield f'[Deal "{format_hands(dealt_hands(s))}"]'
    if s.first_passes == ALL_PASS:
        yield '[Contract "Pass"]'
    if in_play(s):
        declarer = declarer_in(s.contract)
        yield f'[Declarer "{SEATS[declarer]}"]'
        bid = call_text(FIRST_BID + bid_of(s.contract))
        yield f'[Contract "{bid}{"X" * doubled_in(s.contract)}"]'
        if s.played == CARDS:
            yield f'[Result "{s.won if declarer & 1 == 0 else IN_A_SUIT - s.won}"]'
    if calls := calls_in(s):
        yield f'[Auction "{SEATS[dealer]}"]'
        words = ["Pass" if call == PASS else call_text(call) for call in calls]
        yield from (" ".join(words[i : i + 4]) for i in range(0, len(words), 4))
    if s.played:
        leader = lead_after(s.contract)
        yield f'[Play "{SEATS[leader]}"]'
        plays = plays_in(s)
        for i in range(0, len(plays), 4):
            trick = {(seat - leader) & 3: card_text(card) for seat, card in plays[i : i + 4]}
            yield " ".join(trick.get(column, _NOT_PLAYED) for column in range(4))
