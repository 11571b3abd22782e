"""Pictures of bridge: the four hands around the table, and the trick in progress on it."""

from collections.abc import Callable, Iterator
from typing import Final

from threefold.games.bridge.card_drawing import CARD_WIDTH, hand_in_rows, suit_color
from threefold.games.bridge.cards import (
    IN_A_SUIT,
    SEAT_NAMES,
    card_signs,
    card_text,
    cards_of,
)
from threefold.games.bridge.notation import about, hands_of, trick_of
from threefold.games.bridge.position import State, hand_of, seat_to_play
from threefold.rules import svg

#: How far apart two suits are.
_ROW: Final = 25.0
_HAND: Final = 13 * CARD_WIDTH + 24
#: A name and four suits.
_HEIGHT: Final = 5 * _ROW
_EDGE: Final = 14.0
_TABLE: Final = 150.0
_WIDTH: Final = 2 * _EDGE + 2 * _HAND + _TABLE
_MIDDLE: Final = _WIDTH / 2, 2 * _EDGE + _HEIGHT + _TABLE / 2
#: Where the hands of North, East, South and West begin.
_CORNERS: Final = (
    (_MIDDLE[0] - _HAND / 2 + 40, _EDGE),
    (_MIDDLE[0] + _TABLE / 2 + _EDGE, _MIDDLE[1] - _HEIGHT / 2),
    (_MIDDLE[0] - _HAND / 2 + 40, _MIDDLE[1] + _TABLE / 2 + _EDGE),
    (_EDGE, _MIDDLE[1] - _HEIGHT / 2),
)
#: Where they play their cards, from the middle of the table.
_TOWARD: Final = ((0, -1), (1, 0), (0, 1), (-1, 0))
_PLAYED: Final = 26.0, 34.0


def drawing(strain: int) -> Callable[[State], str]:
    """The drawing of positions with that strain."""

    def hand(s: State, seat: int) -> Iterator[str]:
        x, y = _CORNERS[seat]
        to_play = seat == seat_to_play(s)
        name = SEAT_NAMES[seat] + (" to play" if to_play else "")
        yield svg.label(x, y + _ROW / 2, name, size=13, anchor="start")
        yield from hand_in_rows(x, y, hand_of(s, seat), _ROW)

    def trick(s: State) -> Iterator[str]:
        for seat, card in trick_of(s):
            dx, dy = _TOWARD[seat]
            x, y = _MIDDLE[0] + 47 * dx, _MIDDLE[1] + 47 * dy
            wide, high = _PLAYED[0] * 1.5, _PLAYED[1]
            yield svg.rect(x - wide / 2, y - high / 2, wide, high, "fill-paper", 4)
            yield svg.label(x, y, card_signs(card), suit_color(card // IN_A_SUIT), size=18)
            yield svg.place(x - wide / 2, y - high / 2, wide, high, card_text(card))

    def draw(s: State) -> str:
        left, top = _MIDDLE[0] - _TABLE / 2, _MIDDLE[1] - _TABLE / 2
        height = _CORNERS[2][1] + _HEIGHT + _ROW + _EDGE
        body = [
            svg.rect(left, top, _TABLE, _TABLE, "fill-board", 10),
            *trick(s),
            *(part for seat in range(4) for part in hand(s, seat)),
            svg.label(_EDGE, height - _EDGE, about(s, strain), size=13, anchor="start"),
        ]
        said = [
            f"{SEAT_NAMES[seat]}: "
            + (" ".join(card_text(card) for card in cards_of(held)) or "no cards")
            for seat, held in enumerate(hands_of(s))
        ]
        on_table = [f"{SEAT_NAMES[seat]} played {card_text(card)}" for seat, card in trick_of(s)]
        turn = f"{SEAT_NAMES[seat_to_play(s)]} to play"
        desc = ". ".join([*said, *on_table, turn, about(s, strain)]) + "."
        return svg.picture(_WIDTH, height, "Bridge", desc, body)

    return draw
