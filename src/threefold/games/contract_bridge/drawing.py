"""Pictures of bridge: the hands around the table, the trick, the auction and the bidding box."""

from collections.abc import Callable, Iterator
from typing import Final

from threefold.games.bridge.card_drawing import CARD_WIDTH, hand_in_rows, suit_color
from threefold.games.bridge.cards import (
    CARDS,
    IN_A_SUIT,
    SEAT_NAMES,
    SEATS,
    card_signs,
    card_text,
    cards_of,
)
from threefold.games.contract_bridge.calls import (
    BIDS,
    DOUBLE,
    FIRST_BID,
    LEVELS,
    PASS,
    REDOUBLE,
    call_signs,
    call_text,
    strain_of,
)
from threefold.games.contract_bridge.dealing import cards_left
from threefold.games.contract_bridge.notation import calls_in, is_blank, trick_in
from threefold.games.contract_bridge.position import State, in_play
from threefold.games.contract_bridge.rendering import (
    auction_table,
    is_over,
    role,
    shown_hands,
    summary,
)
from threefold.rules import svg

_EDGE: Final = 14.0
#: How far apart two suits are.
_ROW: Final = 26.0
_HAND: Final = 13 * CARD_WIDTH + 26
#: A name and four suits.
_HEIGHT: Final = 5 * _ROW
_TABLE: Final = 150.0
_FELT: Final = _HAND + _EDGE, _EDGE + _HEIGHT + _EDGE
#: Where the hands of North, East, South and West begin.
_CORNERS: Final = (
    (_FELT[0] - 30, _EDGE),
    (_FELT[0] + _TABLE + _EDGE, _FELT[1] + (_TABLE - _HEIGHT) / 2),
    (_FELT[0] - 30, _FELT[1] + _TABLE + _EDGE),
    (_EDGE, _FELT[1] + (_TABLE - _HEIGHT) / 2),
)
#: Where they play their cards, from the middle of the table.
_TOWARD: Final = ((0, -1), (1, 0), (0, 1), (-1, 0))
_PLAYED: Final = 42.0, 34.0
#: The auction and the bidding box are to the right of it all.
_RIGHT: Final = 2 * _HAND + _TABLE + 2 * _EDGE
_BID: Final = 44.0, 27.0
_LINE: Final = 21.0
_WIDTH: Final = _RIGHT + 5 * _BID[0] + _EDGE
#: The most rows of an auction that there is room for; of longer ones the end is shown.
_ROWS: Final = 7
_BOX: Final = _EDGE + (_ROWS + 1.5) * _LINE
_BOTTOM: Final = _FELT[1] + _TABLE + _EDGE + _HEIGHT + _EDGE
_BACK: Final = 16.0, 24.0


def drawing(dealer: int, vulnerable: int) -> Callable[[State], str]:
    """The drawing of positions for a dealer and the vulnerable sides."""

    def hand(s: State, seat: int, cards: int) -> Iterator[str]:
        x, y = _CORNERS[seat]
        name = SEAT_NAMES[seat] + role(s, seat)
        yield svg.label(x, y + _ROW / 2, name, size=13, anchor="start")
        if s.dealt < CARDS:
            yield svg.place(x, y, _HAND - 60, _ROW, SEATS[seat])
        if is_blank(s, seat):
            yield from _backs(x, y + _ROW, cards_left(s, seat) if s.dealt == CARDS else 0)
            return
        yield from hand_in_rows(x, y, cards, _ROW)

    def _backs(x: float, y: float, n: int) -> Iterator[str]:
        """Cards face down, and how many there are."""
        for i in range(n):
            left = x + i * (_BACK[0] - 4)
            yield svg.rect(left, y, *_BACK, "fill-line", 3)
            yield svg.rect(left + 2, y + 2, _BACK[0] - 4, _BACK[1] - 4, "fill-board", 2)
        told = f"{n} cards" if n else "hidden"
        yield svg.label(x, y + _BACK[1] + _ROW / 2, told, size=13, anchor="start")

    def trick(s: State) -> Iterator[str]:
        middle = _FELT[0] + _TABLE / 2, _FELT[1] + _TABLE / 2
        for seat, card in [] if is_over(s) else trick_in(s):
            dx, dy = _TOWARD[seat]
            x, y = middle[0] + 47 * dx, middle[1] + 47 * dy
            wide, high = _PLAYED
            yield svg.rect(x - wide / 2, y - high / 2, wide, high, "fill-paper", 4)
            yield svg.label(x, y, card_signs(card), suit_color(card // IN_A_SUIT), size=18)

    def auction(s: State) -> Iterator[str]:
        for column, seat in enumerate((3, 0, 1, 2)):
            x = _RIGHT + (column + 0.5) * _BID[0] * 1.2
            yield svg.label(x, _EDGE + _LINE / 2, SEAT_NAMES[seat], size=13)
            for row, calls in enumerate(auction_table(s, dealer)[-_ROWS:], 1):
                if column < len(calls):
                    yield svg.label(x, _EDGE + (row + 0.5) * _LINE, calls[column], size=15)

    def box(s: State) -> Iterator[str]:
        """All calls: bids by level and strain, then pass, double and redouble."""
        if s.dealt == CARDS and (in_play(s) or s.first_passes == len(SEATS)):
            return
        wide, high = _BID
        calls = [
            (FIRST_BID + bid, bid % (BIDS // LEVELS), bid // (BIDS // LEVELS), 1)
            for bid in range(BIDS)
        ]
        calls += [(PASS, 0, LEVELS, 2), (DOUBLE, 2, LEVELS, 1), (REDOUBLE, 3, LEVELS, 1)]
        for call, column, row, columns in calls:
            x, y = _RIGHT + column * wide, _BOX + row * high
            yield svg.rect(x + 1, y + 1, columns * wide - 3, high - 3, "fill-board", 5)
            css = suit_color(strain_of(call)) if call < PASS else "fill-ink"
            middle = x + columns * wide / 2 - 0.5
            yield svg.label(middle, y + high / 2 - 0.5, call_signs(call), css, size=14)
            yield svg.place(x, y, columns * wide, high, call_text(call))

    def draw(s: State) -> str:
        hands, told = shown_hands(s), list(summary(s, vulnerable))
        body = [
            svg.rect(*_FELT, _TABLE, _TABLE, "fill-board", 10),
            *trick(s),
            *(part for seat in range(4) for part in hand(s, seat, hands[seat])),
            *auction(s),
            *box(s),
        ]
        for i, line in enumerate(told):
            y = _BOTTOM - _EDGE - (len(told) - i - 0.5) * _LINE
            body.append(svg.label(_RIGHT, y, line, size=13, anchor="start"))
        return svg.picture(_WIDTH, _BOTTOM, "Contract bridge", _in_words(s, hands, told), body)

    return draw


def _in_words(s: State, hands: list[int], told: list[str]) -> str:
    """All that the picture shows, for those who cannot see it."""
    said = []
    for seat in range(4):
        held = " ".join(card_text(card) for card in cards_of(hands[seat])) or "no cards"
        said.append(f"{SEAT_NAMES[seat]}{role(s, seat)}: {'hidden' if is_blank(s, seat) else held}")
    if calls := calls_in(s):
        said.append(f"Auction: {' '.join(map(call_text, calls))}")
    on_table = [] if is_over(s) else trick_in(s)
    said += [f"{SEAT_NAMES[seat]} played {card_text(card)}" for seat, card in on_table]
    return ". ".join([*said, *told]) + "."
