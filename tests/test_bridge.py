"""Bridge with all hands open: its rules, and its positions as text."""

import random
import string
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threefold import ThreefoldError, game
from threefold.errors import BadGame
from threefold.games.bridge import FIRST_DEAL
from threefold.games.bridge.cards import CARDS, SEATS, STRAINS, card_text
from threefold.games.bridge.dealing import dealt
from threefold.games.bridge.notation import format_hands, hands_of
from threefold.games.bridge.position import State, hand_of, seat_to_play

BRIDGE = game("bridge")
ENDING = "N:A2... K3... QJ... T9... - N"


def cards(position: Any, g: Any = BRIDGE) -> list[str]:
    return [g.format_move(position, a) for a in g.moves(position)]


def after(g: Any, position: Any, *moves: str) -> Any:
    for move in moves:
        position = g.result(position, g.parse_move(position, move))
    return position


def random_play(seed: int, *, least: int = 0) -> list[State]:
    """The positions of a random game, those with at least so many cards played."""
    rng = random.Random(seed)
    g = game(f"bridge(strain={rng.choice(STRAINS)},leader={rng.choice(SEATS)},deal={seed + 1})")
    path = [g.initial()]
    while moves := g.moves(path[-1]):
        path.append(g.result(path[-1], rng.choice(moves)))
    return path[least:]


# The rules.


def test_a_deal_is_thirteen_cards_each_and_its_number_says_which() -> None:
    for number in range(1, 30):
        hands = dealt(number)
        assert [hand.bit_count() for hand in hands] == [13] * 4
        assert sum(hands) == (1 << CARDS) - 1
    # On every machine.
    assert format_hands(dealt(1)) == (
        game("bridge(deal=1)").format(game("bridge(deal=1)").initial()).removesuffix(" - W")
    )
    assert len({dealt(number) for number in range(1, 1000)}) == 999


def test_who_holds_the_suit_led_must_follow() -> None:
    s = BRIDGE.parse("N:A.2.. K.3.. .45.. .67.. - N")
    assert cards(s) == ["H2", "SA"]
    assert cards(after(BRIDGE, s, "SA")) == ["SK"]
    assert cards(after(BRIDGE, s, "SA", "SK")) == ["H4", "H5"]


@pytest.mark.parametrize(
    ("strain", "trick", "winner"),
    [
        ("NT", "S2 S3 SA S4", "S"),
        ("NT", "S2 H3 HA D4", "N"),
        ("H", "S2 S3 SA H2", "W"),
        ("H", "S2 H3 SA H2", "E"),
        ("S", "S2 H3 HA HK", "N"),
        ("C", "D2 DA C2 C3", "W"),
        ("D", "C2 D3 CA D2", "E"),
    ],
)
def test_who_wins_a_trick(strain: str, trick: str, winner: str) -> None:
    g = game(f"bridge(strain={strain},leader=N)")
    hands = [".".join(c[1] if c[0] == suit else "" for suit in "SHDC") for c in trick.split()]
    s = after(g, g.parse(f"N:{' '.join(hands)} - N"), *trick.split())
    assert SEATS[s.leader] == winner
    assert not g.moves(s)
    assert g.utility(s) == (1 if winner in "NS" else -1)
    assert g.player(s) == (0 if winner in "NS" else 1)


def test_tricks_add_up_and_the_winner_leads() -> None:
    for seed in range(10):
        for before, s in zip(path := random_play(seed), path[1:], strict=False):
            assert seat_to_play(s) == (seat_to_play(before) + 1) % 4 or s.trick == 0
            if s.trick == 0:
                assert s.won + s.lost == before.won + before.lost + 1
                assert (s.won > before.won) == (s.leader % 2 == 0)
        assert path[-1].won + path[-1].lost == 13


def test_of_touching_cards_one_is_sufficient() -> None:
    def chosen(text: str) -> list[str]:
        row = [0] * 13
        position = BRIDGE.parse(text)
        return [card_text(a) for a in row[: BRIDGE.sufficient(position, row)]]

    # The king is with East; the jack was played long ago. The lowest of a sequence is given.
    assert chosen("N:AQT.2.. K98.3.. 765.4.. 432.5.. - N") == ["H2", "ST", "SA"]
    # A card of the trick in progress still separates.
    assert chosen("N:K2... AQ... 54... 7... S3 N") == ["S2", "SK"]
    assert chosen("N:QJ2... 876... 543... AK... S9 N") == ["S2", "SJ"]


@pytest.mark.parametrize(
    "spec",
    ["bridge(strain=X)", "bridge(leader=Q)", "bridge(deal=-1)", "bridge(deal=72057594037927936)"],
)
def test_parameters_are_checked(spec: str) -> None:
    with pytest.raises(BadGame, match="bridge: "):
        game(spec)


# Positions as text.


@pytest.mark.parametrize(
    "text",
    [
        f"{FIRST_DEAL} - W",
        FIRST_DEAL,  # the leader leads
        FIRST_DEAL.lower() + " - w",
        FIRST_DEAL.replace("T", "10") + "  -  W",
        f"N: {FIRST_DEAL[2:]} - W",
        "W:76.973.652.QJT54 AKQ2.J5.T987.K83 J9.AQT84.KJ3.A72 T8543.K62.AQ4.96 - W",
        "E:J9.AQT84.KJ3.A72 T8543.K62.AQ4.96 76.973.652.QJT54 AKQ2.J5.T987.K83 - W",
    ],
)
def test_a_deal_in_all_its_spellings(text: str) -> None:
    assert BRIDGE.parse(text) == BRIDGE.initial()
    assert BRIDGE.format(BRIDGE.parse(text)) == f"{FIRST_DEAL} - W"


@pytest.mark.parametrize("trick", ["SQ,S9", "SQ S9", "SQS9", "sq,s9", "♠Q ♠9", "SQ, S9"])
@pytest.mark.parametrize("listed", [True, False])
def test_the_cards_of_a_trick_in_all_their_spellings(trick: str, listed: bool) -> None:
    hands = "N:A2... K3... QJ... T9..." if listed else "N:A2... K3... J... T..."
    s = BRIDGE.parse(f"{hands} {trick} N")
    assert s == after(BRIDGE, BRIDGE.parse("N:A2... K3... QJ... T9... - S"), "SQ", "S9")
    assert BRIDGE.format(s) == "N:A2... K3... J... T... SQ,S9 N"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "begins with the seat"),
        ("A2... K3... QJ... T9... - N", "begins with the seat"),
        ("X:A2... K3... QJ... T9... - N", "begins with the seat"),
        ("N:A2... K3... QJ... - N", "4 hands|four hands|suits, not four"),
        ("N:A2... K3... QJ...", "four hands, not 3"),
        ("N:A2.. K3... QJ... T9... - N", "North's hand 'A2..' has 3 suits"),
        ("N:A2... K1... QJ... T9... - N", "'1' in East's spades is not a rank"),
        ("N:A2... AK... QJ... T9... - N", "ace of spades is North's and East's"),
        ("N:AA... K3... QJ... T9... - N", "ace of spades is twice in North's hand"),
        ("N:A2... K... QJ... T9... - N", "same number of cards, not North 2, East 1"),
        ("N:A2... K3... QJ... T9... - Q", "who is to play comes last"),
        ("N:A2... K3... QJ... T9... N -", "who is to play comes last"),
        ("N:A2... K3... QJ... T9... SX N", "'SX' is not a card"),
        ("N:A2... K3... QJ... T9... S N", "'S' is not a card"),
        ("N:A2... K3... QJ... T9... SA,SK,SQ,ST N", "at most three cards, not 4"),
        ("N:A2... K3... QJ... T9... ST,ST N", "ten of spades|10 of spades is in the trick twice"),
        ("N:A2... K3... QJ... T9... SQ N", "West played the queen of spades .* South holds it"),
        ("N:A2... K3... QJ... T9... S8 N", "has one card less than who has not"),
        ("N:A2... K3... Q.J.. T9... SQ,HJ N", "West played the jack of hearts .* South holds it"),
        ("N:A.2.. K3... QJ... T.9.. H9,SA E", "to a lead of hearts, but still holds H2"),
        (f"{ENDING} won=1", "won=3-2"),
        (f"{ENDING} won=6-6", "6 and 6 tricks won and 2 to come are more than 13"),
        ("N:AKQJT98765432.A... K3... QJ... T9... - N", "5 suits, not four"),
        ("N:AKQJT98765432.A.. .K23456789TJQ.A2. ..K3456789TJQ.A2 ...K3456789TJQ - N", "."),
    ],
)
def test_what_is_wrong_with_a_position(text: str, said: str) -> None:
    with pytest.raises(ThreefoldError, match=said):
        BRIDGE.parse(text)


@pytest.mark.parametrize(
    ("move", "said"),
    [
        ("S3", "North does not hold the 3 of spades"),
        ("SA", "must follow suit with one of the hearts"),
        ("ASK", "is not a card"),
        ("", "is not a card"),
    ],
)
def test_what_is_wrong_with_a_move(move: str, said: str) -> None:
    s = BRIDGE.parse("N:A.2.. K3... QJ... T... H9 N")
    with pytest.raises(ThreefoldError, match=said):
        BRIDGE.parse_move(s, move)
    assert BRIDGE.parse_move(s, "H2") == BRIDGE.parse_move(s, "♥2") == 26


def test_text_comes_back_from_every_position() -> None:
    places = BRIDGE.places
    for seed in range(12):
        for s in random_play(seed):
            text = BRIDGE.format(s)
            assert BRIDGE.parse(text) == s
            touched = [places(s, a) for a in BRIDGE.moves(s)]
            assert len({*touched}) == len(touched)


ALPHABET = "NESW:.- ,AKQJT98765432SHDCwon=10" + string.ascii_letters + "♠♥♦♣\u00a0é"


@given(st.text(ALPHABET, max_size=120))
def test_any_text_is_read_or_refused(text: str) -> None:
    for start in ("", "N:", "N:A2... K3... QJ... T9... "):
        try:
            s = BRIDGE.parse(start + text)
        except ThreefoldError as error:
            assert "\n" not in str(error)
        else:
            assert BRIDGE.parse(BRIDGE.format(s)) == s


@given(st.integers(0, 40), st.integers(0, 51), st.data())
def test_a_position_with_a_slip_is_read_or_refused(seed: int, ply: int, data: Any) -> None:
    """A character more, less or other: never a crash, and never another number of cards."""
    text = BRIDGE.format(random_play(seed)[ply])
    at = data.draw(st.integers(0, len(text) - 1))
    slip = data.draw(st.sampled_from(ALPHABET))
    for wrong in (
        text[:at] + text[at + 1 :],
        text[:at] + slip + text[at:],
        text[:at] + slip + text[at + 1 :],
    ):
        try:
            s = BRIDGE.parse(wrong)
        except ThreefoldError:
            continue
        assert BRIDGE.parse(BRIDGE.format(s)) == s
        held = [hand.bit_count() for hand in hands_of(s)]
        assert max(held) - min(held) <= 1
        assert hand_of(s, seat_to_play(s)).bit_count() == max(held)


def test_what_the_picture_and_the_diagram_say() -> None:
    s = BRIDGE.parse("N:A2.T.. K3.9.. J.8.. T.7.. SQ,S9 N won=5-4")
    shown = BRIDGE.render(s)
    assert "North to play" in shown
    assert "♠Q" in shown
    assert "♠9" in shown
    assert "North-South 5, East-West 4" in shown
    drawn = BRIDGE.draw(s)
    for card in ("SA", "S2", "HT", "SK", "SQ"):
        assert drawn.count(f'data-place="{card}"') == 1
    assert "South played SQ" in drawn
    assert BRIDGE.readable_move(s, BRIDGE.parse_move(s, "SA")) == "♠A"
