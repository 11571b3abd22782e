"""Positions of bridge as text: the hands around the table, the trick, the auction."""

from collections.abc import Callable, Iterator
from typing import Final

from threefold.games.bridge.cards import (
    CARDS,
    SEAT_NAMES,
    SEATS,
    SIDE_NAMES,
    SUIT_SIGNS,
    card_signs,
    ranks_text,
)
from threefold.games.bridge.position import hand_of
from threefold.games.contract_bridge.calls import call_signs
from threefold.games.contract_bridge.dealing import cards_left
from threefold.games.contract_bridge.notation import (
    calls_in,
    contract_signs,
    dealt_hands,
    is_blank,
    result_text,
    trick_in,
)
from threefold.games.contract_bridge.position import State, declarer_in, dummy_in, in_play

#: Between the hands of a drawing in letters.
_COLUMN: Final = 20
#: Between the calls of an auction.
_CALL: Final = 7
#: In the middle of the table: where the cards of North, East, South and West lie.
_ON_TABLE: Final = ((0, 7), (2, 13), (4, 7), (2, 1))
VULNERABLE: Final = ("none", "North-South", "East-West", "both")


def is_over(s: State) -> bool:
    """Whether all cards are played: then the hands are shown as they were dealt."""
    return s.played == CARDS


def shown_hands(s: State) -> list[int]:
    """The hands to show: once the play is over, as they were dealt."""
    return dealt_hands(s) if is_over(s) else [hand_of(s, seat) for seat in range(4)]


def role(s: State, seat: int) -> str:
    """What a seat does now: it calls, plays, or is dummy."""
    if s.dealt < CARDS or is_over(s) or s.first_passes == len(SEATS):
        return ""
    if not in_play(s):
        return " to call" if seat == s.to_act else ""
    roles = {declarer_in(s.contract): ", declarer", dummy_in(s.contract): ", dummy"}
    return roles.get(seat, "") + (" to play" if seat == s.to_act else "")


def auction_table(s: State, dealer: int) -> list[list[str]]:
    """The calls in rows of West, North, East and South; `?` where the next one will stand."""
    cells = [""] * ((dealer + 1) & 3) + [call_signs(call) for call in calls_in(s)]
    waits = s.dealt == CARDS and not in_play(s) and s.first_passes < len(SEATS)
    cells += ["?"] * waits
    return [cells[i : i + 4] for i in range(0, len(cells), 4)]


def summary(s: State, vulnerable: int) -> Iterator[str]:
    """The contract, what became of it, the tricks and who is vulnerable, in words."""
    if in_play(s):
        lost = s.played // 4 - s.won
        yield f"Contract: {contract_signs(s.contract)}"
        if is_over(s):
            yield f"Result: {result_text(s.contract, s.won)}"
        yield f"Tricks: {SIDE_NAMES[0]} {s.won}, {SIDE_NAMES[1]} {lost}"
    elif s.first_passes == len(SEATS):
        yield "All passed"
    elif s.dealt < CARDS:
        yield f"{s.dealt} of {CARDS} cards are dealt"
    yield f"Vulnerable: {VULNERABLE[vulnerable]}"


def rendering(dealer: int, vulnerable: int) -> Callable[[State], str]:
    """The text hook for a dealer and the vulnerable sides."""

    def hand(s: State, seat: int, cards: int) -> list[str]:
        name = f"{SEAT_NAMES[seat]}{role(s, seat)}"
        if is_blank(s, seat):
            known = f"{cards_left(s, seat)} cards" if s.dealt == CARDS else "hidden"
            return [name, known, "", "", ""]
        return [
            name,
            *(f"{SUIT_SIGNS[suit]} {ranks_text(cards, suit) or '-'}" for suit in (3, 2, 1, 0)),
        ]

    def table(s: State) -> list[str]:
        lines = [" " * _COLUMN] * 5
        for seat, card in [] if is_over(s) else trick_in(s):
            row, column = _ON_TABLE[seat]
            shown = card_signs(card)
            old = lines[row]
            lines[row] = old[:column] + shown + old[column + len(shown) :]
        return lines

    def auction(s: State) -> Iterator[str]:
        order = (3, 0, 1, 2)
        yield "".join(f"{SEAT_NAMES[seat]:<{_CALL}}" for seat in order).rstrip()
        for row in auction_table(s, dealer):
            yield "".join(f"{call:<{_CALL}}" for call in row).rstrip()

    def render(s: State) -> str:
        hands = shown_hands(s)
        north, east, south, west = (hand(s, seat, hands[seat]) for seat in range(4))
        margin = " " * _COLUMN
        sides = (
            f"{left:<{_COLUMN}}{between}{right}"
            for left, between, right in zip(west, table(s), east, strict=True)
        )
        called = list(auction(s)) if calls_in(s) or not in_play(s) else []
        lines = [
            *(margin + line for line in north),
            *sides,
            *(margin + line for line in south),
            *called,
            *summary(s, vulnerable),
        ]
        return "\n".join(line.rstrip() for line in lines)

    return render
