"""Bridge positions as a deal in PBN, the trick in progress and who is to play; moves as `SA`.

N:AKQ2.J5.T987.K83 … - W          four hands clockwise from the seat named; West leads
N:AKQ2.J5.T987.K83 … CQ,C3 E      West led the queen, North played the three: East plays third
N:KQ2.J5.T987.K83 … - N won=1-0   North-South have won a trick, and it counts

Without `won`, tricks count from the position on. The cards of the trick are not in the hands.
"""

import re
from collections.abc import Callable, Sequence
from typing import Final

from threefold.games.bridge.cards import (
    CARDS,
    IN_A_SUIT,
    NO_TRUMPS,
    RANKS,
    SEAT_NAMES,
    SEATS,
    SEATS_AT_A_TABLE,
    SIDE_NAMES,
    SUIT_NAMES,
    SUIT_SIGNS,
    SUITS,
    card_name,
    card_signs,
    card_text,
    cards_of,
    ranks_text,
)
from threefold.games.bridge.position import (
    PER_CARD,
    State,
    card_in,
    hand_of,
    played,
    seat_to_play,
    suit_of,
)
from threefold.rules.bits import popcount
from threefold.rules.contract import Row
from threefold.rules.records import Board, TextHooks, Texts
from threefold.rules.text import shorten

DEAL_EXAMPLE: Final = "N:AKQ2.J5.T987.K83 and three more hands"
_EXAMPLE: Final = "N:AKQ2.J5.T987.K83 … - W"
_WON = re.compile(r"won=([0-9]{1,2})-([0-9]{1,2})")
#: How suits may be written besides their letters.
_SIGNS: Final = dict(zip("♣♦♥♠♧♢♡♤", SUITS * 2, strict=True))
#: Between the hands of a drawing in letters.
_COLUMN: Final = 20


def read_card(text: str) -> int:
    """The number of a card written `SA`, `s10` or `♠A`."""
    plain = _plain(text)
    if len(plain) != 2 or plain[0] not in SUITS or plain[1] not in RANKS:
        raise ValueError(f"{shorten(text)} is not a card: a suit and a rank, like SA or HT")
    return SUITS.index(plain[0]) * IN_A_SUIT + RANKS.index(plain[1])


def _plain(text: str) -> str:
    """Capitals, `T` for a ten, letters for the signs of suits."""
    capitals = "".join(_SIGNS.get(sign, sign) for sign in text.upper())
    return capitals.replace("10", "T").replace("\ufe0f", "")


def read_hands(text: str) -> tuple[int, ...]:
    """The four hands of a deal, North's first: `N:` and the hands clockwise from North's."""
    seat, colon, rest = text.strip().partition(":")
    first = seat.strip().upper()
    if not colon or len(first) != 1 or first not in SEATS:
        raise ValueError(
            "a deal begins with the seat of its first hand and a colon, N:, E:, S: or W:, not "
            f"{shorten(text.strip()[:20])}; like {DEAL_EXAMPLE}"
        )
    given = rest.split()
    if len(given) != SEATS_AT_A_TABLE:
        raise ValueError(f"a deal has four hands, not {len(given)}; like {DEAL_EXAMPLE}")
    hands = [0] * SEATS_AT_A_TABLE
    holders: dict[int, int] = {}
    for i, hand in enumerate(given):
        seat_number = (SEATS.index(first) + i) % SEATS_AT_A_TABLE
        hands[seat_number] = _read_hand(hand, seat_number, holders)
    return tuple(hands)


def read_deal(text: str) -> tuple[int, ...]:
    """The four hands of a deal before a trick: all of the same length, and not empty."""
    hands = read_hands(text)
    _check_lengths(hands, 0, 0)
    if not any(hands):
        raise ValueError("there is no card in it")
    return hands


def _read_hand(text: str, seat: int, holders: dict[int, int]) -> int:
    """A hand: its ranks by suit, from spades down to clubs, with a dot between two suits."""
    name = SEAT_NAMES[seat]
    suits = _plain(text).split(".")
    if len(suits) != len(SUITS):
        raise ValueError(
            f"{name}'s hand {shorten(text)} has {len(suits)} suits, not four: spades, hearts, "
            "diamonds and clubs with a dot between two, like AKQ2.J5.T987.K83"
        )
    hand = 0
    for suit, ranks in zip(reversed(range(len(SUITS))), suits, strict=True):
        for rank in ranks:
            if rank not in RANKS:
                raise ValueError(
                    f"{shorten(rank)} in {name}'s {SUIT_NAMES[suit]} is not a rank; they are "
                    f"{RANKS[::-1]}"
                )
            card = suit * IN_A_SUIT + RANKS.index(rank)
            if card in holders:
                others = SEAT_NAMES[holders[card]]
                where = f"twice in {name}'s hand" if others == name else f"{others}'s and {name}'s"
                raise ValueError(f"the {card_name(card)} is {where}")
            holders[card] = seat
            hand |= 1 << card
    return hand


def format_hands(hands: Sequence[int]) -> str:
    """A deal in PBN, North's hand first."""
    texts = (".".join(ranks_text(hand, suit) for suit in (3, 2, 1, 0)) for hand in hands)
    return f"N:{' '.join(texts)}"


def hands_of(s: State) -> tuple[int, int, int, int]:
    """The four hands, North's first."""
    return s.north, s.east, s.south, s.west


def trick_of(s: State) -> list[tuple[int, int]]:
    """The trick in progress: who played, and what."""
    return [((s.leader + i) & 3, card_in(s.trick, i)) for i in range(played(s.trick))]


def _read_trick(texts: Sequence[str]) -> list[int]:
    """The cards of a trick, with spaces, commas or nothing between them."""
    text = _plain("".join(texts)).replace(",", "").replace(";", "")
    if text in {"", "-"}:
        return []
    cards = [read_card(text[i : i + 2]) for i in range(0, len(text), 2)]
    if len(cards) > 3:
        raise ValueError(f"a trick in progress has at most three cards, not {len(cards)}")
    if twice := [card for i, card in enumerate(cards) if card in cards[:i]]:
        raise ValueError(f"the {card_name(twice[0])} is in the trick twice")
    return cards


def _read_seat(text: str) -> int:
    if len(text) != 1 or text.upper() not in SEATS:
        raise ValueError(
            f"who is to play comes last, N, E, S or W, not {shorten(text)}; like {_EXAMPLE}"
        )
    return SEATS.index(text.upper())


def _with_trick(hands: Sequence[int], trick: Sequence[int], to_play: int) -> tuple[int, ...]:
    """The hands without the cards of the trick, which may still be listed in them."""
    left = list(hands)
    first = (to_play - len(trick)) % SEATS_AT_A_TABLE
    for i, card in enumerate(trick):
        seat = (first + i) % SEATS_AT_A_TABLE
        for other, hand in enumerate(hands):
            if hand >> card & 1 and other != seat:
                raise ValueError(
                    f"{SEAT_NAMES[seat]} played the {card_name(card)} to the trick, as "
                    f"{SEAT_NAMES[to_play]} is to play, but {SEAT_NAMES[other]} holds it"
                )
        left[seat] &= ~(1 << card)
    _check_lengths(left, len(trick), first)
    for i, card in enumerate(trick[1:], 1):
        seat = (first + i) % SEATS_AT_A_TABLE
        suit = suit_of(trick[0])
        if suit_of(card) != suit and (held := ranks_text(left[seat], suit)):
            raise ValueError(
                f"{SEAT_NAMES[seat]} played the {card_name(card)} to a lead of "
                f"{SUIT_NAMES[suit]}, but still holds {SUITS[suit]}{held[0]}"
            )
    return tuple(left)


def _check_lengths(hands: Sequence[int], in_trick: int, first: int) -> None:
    """All hands are equally long, except that those who have played have a card less."""
    counts = [popcount(hand) for hand in hands]
    before = [
        count + ((seat - first) % SEATS_AT_A_TABLE < in_trick) for seat, count in enumerate(counts)
    ]
    if len({*before}) > 1:
        having = ", ".join(
            f"{name} {count}" for name, count in zip(SEAT_NAMES, counts, strict=True)
        )
        must = (
            "before a trick, all hands have the same number of cards"
            if in_trick == 0
            else "who has played to the trick has one card less than who has not"
        )
        raise ValueError(f"{must}, not {having}")
    if before[0] > IN_A_SUIT:
        raise ValueError(f"a hand has at most {IN_A_SUIT} cards, not {before[0]}")


def notation(strain: int, first_leader: int, actions: Callable[[State, Row], int]) -> TextHooks:
    """The text hooks for a strain; the leader plays first where a position does not say."""

    def parse(text: str) -> State:
        fields = text.replace("\u00a0", " ").split()
        if fields and fields[0].endswith(":"):  # N: AKQ2.…
            fields[:2] = ["".join(fields[:2])]
        hands = read_hands(" ".join(fields[:SEATS_AT_A_TABLE]))
        rest, won, lost = fields[SEATS_AT_A_TABLE:], 0, 0
        if rest and rest[-1].startswith("won="):
            score = _WON.fullmatch(rest.pop())
            if score is None:
                raise ValueError("tricks won are written won=3-2, North-South's first")
            won, lost = int(score[1]), int(score[2])
        to_play, trick = first_leader, list[int]()
        if rest:
            to_play, trick = _read_seat(rest[-1]), _read_trick(rest[:-1])
        left = _with_trick(hands, trick, to_play)
        tricks = max(map(popcount, left)) + (len(trick) == 3 and not any(left))
        if won + lost + tricks > IN_A_SUIT:
            raise ValueError(
                f"{won} and {lost} tricks won and {tricks} to come are more than {IN_A_SUIT}"
            )
        words = sum(card + 1 << PER_CARD * i for i, card in enumerate(trick))
        leader = (to_play - len(trick)) % SEATS_AT_A_TABLE
        return State(left[0], left[1], left[2], left[3], words, leader, won, lost)

    def format_position(s: State) -> str:
        trick = ",".join(card_text(card) for _, card in trick_of(s)) or "-"
        won = f" won={s.won}-{s.lost}" if s.won or s.lost else ""
        return f"{format_hands(hands_of(s))} {trick} {SEATS[seat_to_play(s)]}{won}"

    def format_move(_: State, a: int) -> str:
        return card_text(a)

    def readable_move(_: State, a: int) -> str:
        return card_signs(a)

    def parse_move(s: State, text: str) -> int:
        card, seat = read_card(text), seat_to_play(s)
        name = SEAT_NAMES[seat]
        if not hand_of(s, seat) >> card & 1:
            raise ValueError(f"{name} does not hold the {card_name(card)}")
        row = [0] * CARDS
        if card not in row[: actions(s, row)] or (card == 0 and actions(s, row) == 0):
            suit = suit_of(card_in(s.trick, 0))
            raise ValueError(f"{name} must follow suit with one of the {SUIT_NAMES[suit]}")
        return card

    def places(_: State, a: int) -> tuple[str, ...]:
        return (card_text(a),)

    def contents(s: State) -> dict[str, str]:
        held = {
            card_text(card): f"{name}'s {card_name(card)}"
            for name, hand in zip(SEAT_NAMES, hands_of(s), strict=True)
            for card in cards_of(hand)
        }
        on_table = {
            card_text(card): f"{card_name(card)}, played by {SEAT_NAMES[seat]}"
            for seat, card in trick_of(s)
        }
        return held | on_table

    def render(s: State) -> str:
        """The four hands around the table, the trick between them."""
        north, east, south, west = (_in_letters(s, seat) for seat in range(SEATS_AT_A_TABLE))
        margin = " " * _COLUMN
        table = dict(trick_of(s))
        middle = [" " * _COLUMN] * 5
        for seat, line in ((0, 0), (1, 2), (2, 4), (3, 2)):
            if seat in table:
                column = {3: 2, 1: 10}.get(seat, 6)
                card = card_signs(table[seat])
                old = middle[line]
                middle[line] = old[:column] + card + old[column + len(card) :]
        sides = [
            f"{left:<{_COLUMN}}{between:<{_COLUMN}}{right}".rstrip()
            for left, between, right in zip(west, middle, east, strict=True)
        ]
        return "\n".join(
            (
                *(margin + line for line in north),
                *sides,
                *(margin + line for line in south),
                about(s, strain),
            )
        )

    def _in_letters(s: State, seat: int) -> list[str]:
        hand = hand_of(s, seat)
        return [
            SEAT_NAMES[seat] + (" to play" if seat == seat_to_play(s) else ""),
            *(f"{SUIT_SIGNS[suit]} {ranks_text(hand, suit) or '-'}" for suit in (3, 2, 1, 0)),
        ]

    return {
        "parse": parse,
        "format": format_position,
        "parse_move": parse_move,
        "format_move": format_move,
        "render": render,
        "board": Board(places=places, contents=contents),
        "texts": Texts(
            sides=SIDE_NAMES,
            readable_move=readable_move,
            ending=lambda _: "all cards are played",
        ),
    }


def about(s: State, strain: int) -> str:
    """What a diagram leaves open: trumps and the tricks won."""
    trumps = "no trumps" if strain == NO_TRUMPS else f"{SUIT_NAMES[strain]} are trumps"
    return f"{trumps}; tricks won: {SIDE_NAMES[0]} {s.won}, {SIDE_NAMES[1]} {s.lost}"
