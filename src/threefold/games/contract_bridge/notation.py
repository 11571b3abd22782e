"""Positions as a deal in PBN, the auction and the cards played; moves as `1S`, `pass`, `SA`.

N:AKQ2.J5.T987.K83 … | 1S pass 4S                         the auction so far; - for no call
N:AKQ2.J5.T987.K83 … | 1S pass 4S pass pass pass | HK H2   and the cards played, in order
N:AKQ2.J5.T987.K83 … | 4S by N | HK H2                     a contract without its auction
N:AKQ2.J5.T987.K83 - Q53.AT62.A4.Q972 - | 1S pass 4S pass pass pass | D2
                                                          two hands are not known
N:2... 3... 4... ... | dealt 3                            nature has dealt three cards

Hands are given as they were dealt, with what they have played since.
"""

import re
from collections.abc import Callable, Sequence
from typing import Final

from threefold.games.bridge.cards import (
    CARDS,
    IN_A_SUIT,
    SEAT_NAMES,
    SEATS,
    SIDE_NAMES,
    card_name,
    card_signs,
    card_text,
    cards_of,
    ranks_text,
)
from threefold.games.bridge.notation import read_card, read_hands
from threefold.games.bridge.position import hand_of
from threefold.games.contract_bridge.calls import (
    ALL_PASS,
    FIRST_BID,
    call_signs,
    call_text,
    calls_of,
    read_call,
)
from threefold.games.contract_bridge.dealing import cards_left, deal, possible_cards
from threefold.games.contract_bridge.position import (
    State,
    bid_of,
    bid_words,
    card_at,
    contract_of,
    declarer_in,
    doubled_in,
    hidden_from,
    in_play,
    in_trick,
    lead_after,
    level_in,
    winner_of,
)
from threefold.games.contract_bridge.scoring import BOOK
from threefold.rules.bits import popcount
from threefold.rules.records import Board, RuleHooks, TextHooks, Texts
from threefold.rules.text import shorten

EXAMPLE: Final = "N:AKQ2.J5.T987.K83 … | 1S pass 4S pass pass pass | HK"
#: A hand that is not known.
BLANK: Final = "-"
_BETWEEN: Final = "|"
_DEALT: Final = re.compile(r"dealt ([0-9]{1,2})")
_CONTRACT: Final = re.compile(
    r"(?P<bid>[1-7](?:NT|[CDHSN]))(?P<doubled>X{0,2}) by (?P<seat>[NESW])"
)


# What a position says, in lists.


def hands_of(s: State) -> tuple[int, int, int, int]:
    """The cards that each hand holds, North's first."""
    return s.north, s.east, s.south, s.west


def calls_in(s: State) -> list[int]:
    """The calls of a position's auction, in order."""
    return calls_of(s.first_passes, bid_words(s))


def plays_in(s: State) -> list[tuple[int, int]]:
    """The cards played, in order: by whose hand, and which."""
    plays: list[tuple[int, int]] = []
    leader = lead_after(s.contract) if in_play(s) else 0
    for i in range(s.played):
        if i and i % 4 == 0:
            leader = winner_of(s, i - 4, leader)
        plays.append(((leader + i) & 3, card_at(s, i)))
    return plays


def trick_in(s: State) -> list[tuple[int, int]]:
    """The trick on the table, with who played what: the last one, once it is complete."""
    first = s.played - (in_trick(s) or min(s.played, 4))
    return plays_in(s)[first:]


def dealt_hands(s: State) -> list[int]:
    """The hands as they were dealt, as far as they are known."""
    hands = list(hands_of(s))
    for seat, card in plays_in(s):
        hands[seat] |= 1 << card
    return hands


def is_blank(s: State, seat: int) -> bool:
    """Whether the cards of a hand are not known."""
    if s.dealt < CARDS:
        return hand_of(s, seat) == 0 and sum(map(popcount, hands_of(s))) < s.dealt
    return popcount(hand_of(s, seat)) < cards_left(s, seat)


def as_seen(s: State, p: int) -> State:
    """The position with the hands blank that a seat does not see."""
    hands = (0 if hidden_from(s, p, seat) else hand_of(s, seat) for seat in range(4))
    return State._make((*hands, *s[4:]))


# Contracts and results, in words.


def contract_text(contract: int) -> str:
    """A contract as `4SX by S`."""
    bid = call_text(FIRST_BID + bid_of(contract))
    return f"{bid}{'X' * doubled_in(contract)} by {SEATS[declarer_in(contract)]}"


def read_contract(text: str) -> int:
    """A contract written `4S by S`, `3NTX by W`."""
    found = _CONTRACT.fullmatch(" ".join(text.split()))
    if found is None:
        raise ValueError(f"{shorten(text)} is not a contract, like 4S by S or 3NTX by W")
    bid = read_call(found["bid"]) - FIRST_BID
    return contract_of(bid, len(found["doubled"]), SEATS.index(found["seat"]))


def contract_signs(contract: int) -> str:
    """A contract as players write it: `4♠ doubled by South`."""
    doubled = ("", " doubled", " redoubled")[doubled_in(contract)]
    bid = call_signs(FIRST_BID + bid_of(contract))
    return f"{bid}{doubled} by {SEAT_NAMES[declarer_in(contract)]}"


def result_text(contract: int, won: int) -> str:
    """How a contract ended: `made`, `made with 2 over`, `down 1`."""
    tricks = won if declarer_in(contract) & 1 == 0 else IN_A_SUIT - won
    over = tricks - BOOK - level_in(contract)
    return "made" if over == 0 else f"made with {over} over" if over > 0 else f"down {-over}"


# Reading positions.


def _read_deal(text: str) -> tuple[list[int], list[bool]]:
    """The four hands of a deal, and which of them are not known."""
    seat, colon, rest = text.partition(":")
    given = rest.split()
    blank = [hand == BLANK for hand in given]
    hands = read_hands(f"{seat}{colon}{' '.join('...' if h == BLANK else h for h in given)}")
    first = SEATS.index(seat.strip().upper())
    return list(hands), [blank[(i - first) % 4] for i in range(4)]


def _in_dealing(hands: Sequence[int], blank: Sequence[bool], dealt: int, start: State) -> State:
    """The position while nature deals: the first cards of the pack are in the hands."""
    if any(blank):
        raise ValueError("while nature deals, all hands are given")
    if sum(hands) != (1 << dealt) - 1 or dealt >= CARDS:
        raise ValueError(
            f"the hands are not the first {dealt} cards of the pack, which is dealt from the two "
            "of clubs to the ace of spades"
        )
    if any(popcount(hand) > IN_A_SUIT for hand in hands):
        raise ValueError(f"a hand has at most {IN_A_SUIT} cards")
    return State._make((*hands, dealt, *start[5:]))


def notation(hooks: RuleHooks, dealer: int, given: int) -> TextHooks:
    """The text hooks for a dealer, and the contract if it is given."""
    result, actions, utility = hooks["result"], hooks["actions"], hooks["utility"]
    initial: Callable[[], State] = hooks["initial"]
    seat_of: Callable[[State], int] = hooks["assumptions"].seat  # type: ignore[assignment]

    def moves(s: State) -> list[int]:
        row = [0] * hooks["max_moves"]
        return row[: actions(s, row)]

    def parse(text: str) -> State:
        parts = [part.strip() for part in text.split(_BETWEEN)]
        if len(parts) > 3:
            raise ValueError(f"a position has at most three parts, like {EXAMPLE}")
        hands, blank = _read_deal(parts[0])
        called = parts[1] if len(parts) > 1 and parts[1] != BLANK else ""
        if found := _DEALT.fullmatch(called):
            if len(parts) > 2:
                raise ValueError("no card is played before all are dealt")
            return _in_dealing(hands, blank, int(found[1]), initial())
        for seat, hand in enumerate(hands):
            if not blank[seat] and popcount(hand) != IN_A_SUIT:
                raise ValueError(
                    f"{SEAT_NAMES[seat]} was dealt {popcount(hand)} cards, not {IN_A_SUIT}; give "
                    "hands as they were dealt, with the cards they have played"
                )
        turn = lead_after(given) if given else dealer
        s = State._make((*hands, CARDS, turn, 0, 0, 0, 0, 0, given, *(0,) * 8))
        s = _after_auction(s, called)
        played = parts[2] if len(parts) > 2 and parts[2] != BLANK else ""
        for card in played.split():
            s = _after_card(s, read_card(card), blank)
        if any(blank):
            _check_blanks(s)
        return s

    def _after_auction(s: State, text: str) -> State:
        if " by " in text:
            contract = read_contract(text)
            if given not in {0, contract}:
                raise ValueError(f"the contract of this game is {contract_text(given)}")
            return s._replace(contract=contract, to_act=lead_after(contract))
        for word in text.split():
            call = read_call(word)
            if in_play(s) or s.first_passes == ALL_PASS:
                raise ValueError(f"the auction is over before {shorten(word)}")
            if call not in moves(s):
                raise ValueError(f"{SEAT_NAMES[s.to_act]} cannot call {call_text(call)} there")
            s = result(s, call)
        return s

    def _after_card(s: State, card: int, blank: Sequence[bool]) -> State:
        name = SEAT_NAMES[s.to_act]
        if not in_play(s):
            raise ValueError("cards are played once there is a contract, 4S by S")
        if s.played == CARDS:
            raise ValueError("there are more cards played than dealt")
        if blank[s.to_act]:
            seen = sum(hands_of(s)) | sum(1 << c for c in {c for _, c in plays_in(s)})
            if seen >> card & 1 or not possible_cards(s, s.to_act) >> card & 1:
                raise ValueError(f"{name} cannot hold the {card_name(card)}")
        elif not hand_of(s, s.to_act) >> card & 1:
            raise ValueError(f"{name} does not hold the {card_name(card)}")
        elif card not in moves(s):
            raise ValueError(f"{name} must follow suit, not play the {card_name(card)}")
        return result(s, card)  # type: ignore[no-any-return]

    def _check_blanks(s: State) -> None:
        """Who decides must see enough to know the moves; and some deal must fit."""
        if s.played == CARDS or s.first_passes == ALL_PASS:
            return
        decides = seat_of(s)
        for seat in range(4):
            if is_blank(s, seat) and not hidden_from(s, decides, seat):
                raise ValueError(
                    f"it is {SEAT_NAMES[decides]}'s turn, who sees {SEAT_NAMES[seat]}'s hand; give "
                    "it as it was dealt"
                )
        if is_blank(deal(s, decides, 0), (decides + 1) & 3):
            raise ValueError("no deal fits the suits in which the hands have shown no cards")

    def format_position(s: State) -> str:
        hands = " ".join(
            BLANK if is_blank(s, seat) else _hand_text(hand)
            for seat, hand in enumerate(dealt_hands(s))
        )
        if s.dealt < CARDS:
            return f"N:{hands} {_BETWEEN} dealt {s.dealt}"
        calls = calls_in(s)
        called = " ".join(map(call_text, calls)) or BLANK
        if not calls and s.contract:
            called = contract_text(s.contract)
        parts = [f"N:{hands}", called]
        if s.played:
            parts.append(" ".join(card_text(card) for _, card in plays_in(s)))
        return f" {_BETWEEN} ".join(parts)

    def format_move(s: State, a: int) -> str:
        if s.dealt < CARDS:
            return SEATS[a]
        return card_text(a) if a < FIRST_BID else call_text(a)

    def readable_move(s: State, a: int) -> str:
        if s.dealt < CARDS:
            return SEATS[a]
        return card_signs(a) if a < FIRST_BID else call_signs(a)

    def parse_move(s: State, text: str) -> int:
        if s.dealt < CARDS:
            seat = text.strip().upper()
            if len(seat) != 1 or seat not in SEATS:
                raise ValueError("nature deals the next card to N, E, S or W")
            return SEATS.index(seat)
        return read_card(text) if in_play(s) else read_call(text)

    def places(s: State, a: int) -> tuple[str, ...]:
        return (format_move(s, a),)

    def contents(s: State) -> dict[str, str]:
        return {
            card_text(card): f"{name}'s {card_name(card)}"
            for name, hand in zip(SEAT_NAMES, hands_of(s), strict=True)
            for card in cards_of(hand)
        }

    def ending(s: State) -> str:
        if s.contract == 0:
            return "all passed"
        points = utility(s)
        to = SIDE_NAMES[0 if points > 0 else 1]
        how = result_text(s.contract, s.won)
        return f"{contract_signs(s.contract)} {how}: {abs(points)} to {to}"

    return {
        "parse": parse,
        "format": format_position,
        "parse_move": parse_move,
        "format_move": format_move,
        "board": Board(places=places, contents=contents),
        "texts": Texts(
            sides=SIDE_NAMES,
            seat_names=SEAT_NAMES,
            readable_move=readable_move,
            ending=ending,
            as_seen=as_seen,
        ),
    }


def _hand_text(hand: int) -> str:
    return ".".join(ranks_text(hand, suit) for suit in (3, 2, 1, 0))
