"""Bridge with hidden cards: rules, scores, positions, and what is dealt to whom."""

import random
import re
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import pytest

from threefold import CHANCE, Game, ThreefoldError, game
from threefold.errors import BadGame, BadPosition, IllegalMove
from threefold.games.bridge.cards import CARDS, STRAINS, cards_of
from threefold.games.bridge.notation import read_hands
from threefold.games.contract_bridge.calls import (
    DOUBLE,
    PASS,
    REDOUBLE,
    bid,
    call_signs,
    call_text,
    read_call,
)
from threefold.games.contract_bridge.dealing import choose, count_deals, possible_cards
from threefold.games.contract_bridge.notation import calls_in, dealt_hands, plays_in
from threefold.games.contract_bridge.position import State, hidden_from
from threefold.games.contract_bridge.scoring import score

#: The tables of the Laws of Duplicate Bridge, law 77: level, strain, doubled, vulnerable, tricks.
SCORES = [
    ("1C", 0, 0, 7, 70),
    ("1NT", 0, 0, 7, 90),
    ("1NT", 0, 1, 9, 150),
    ("2H", 0, 0, 8, 110),
    ("2H", 1, 0, 8, 470),
    ("2D", 1, 0, 8, 180),
    ("3NT", 0, 0, 9, 400),
    ("3NT", 0, 1, 10, 630),
    ("4S", 0, 1, 10, 620),
    ("4S", 0, 0, 11, 450),
    ("4S", 1, 1, 11, 990),
    ("5D", 0, 0, 11, 400),
    ("6H", 0, 0, 12, 980),
    ("6H", 0, 1, 12, 1430),
    ("7NT", 0, 0, 13, 1520),
    ("7NT", 0, 1, 13, 2220),
    ("7C", 2, 1, 13, 2660),
    ("1NT", 2, 0, 7, 560),
    ("4H", 0, 0, 9, -50),
    ("4H", 0, 1, 8, -200),
    ("4H", 1, 0, 9, -100),
    ("4H", 1, 0, 8, -300),
    ("4H", 1, 0, 7, -500),
    ("4H", 1, 0, 6, -800),
    ("4H", 1, 1, 9, -200),
    ("4H", 1, 1, 8, -500),
    ("4H", 2, 1, 8, -1000),
    ("7NT", 2, 1, 0, -7600),
]
DEAL = "N:AKQ2.J5.T987.K83 J9.AQT84.KJ3.A72 T8543.K62.AQ4.96 76.973.652.QJT54"


@pytest.fixture(scope="module")
def bridge() -> Game[Any]:
    return game("contract-bridge")


def played(g: Game[Any], seed: int, *, agreed: bool = False) -> Iterator[Any]:
    """The positions of a random game; with `agreed` calls, or else mostly passes and bids."""
    rng = random.Random(seed)
    s = g.initial()
    yield s
    while moves := g.moves(s):
        if g.player(s) == CHANCE:
            events, weights = zip(*g.chances(s), strict=True)
            a = rng.choices(events, weights)[0]
        elif agreed and g.agreed is not None and (call := g.agreed(s)) is not None:
            a = call
        else:
            a = PASS if PASS in moves and rng.random() < 0.6 else rng.choice(moves)
        s = g.result(s, a)
        yield s


@pytest.mark.parametrize(("text", "doubled", "vulnerable", "tricks", "worth"), SCORES)
def test_scores_are_those_of_the_laws(
    text: str, doubled: int, vulnerable: int, tricks: int, worth: int
) -> None:
    level, strain = int(text[0]), STRAINS.index(text[1:])
    assert score(level, strain, doubled, vulnerable, tricks) == worth


def test_scores_are_those_of_another_program() -> None:
    types = pytest.importorskip("endplay.types")
    denominations = [getattr(types.Denom, name) for name in ("clubs", "diamonds", "hearts")]
    denominations += [types.Denom.spades, types.Denom.nt]
    penalties = [types.Penalty.passed, types.Penalty.doubled, types.Penalty.redoubled]
    for level in range(1, 8):
        for strain, denomination in enumerate(denominations):
            for doubled, penalty in enumerate(penalties):
                for tricks in range(14):
                    contract = types.Contract(
                        level=level,
                        denom=denomination,
                        declarer=types.Player.south,
                        penalty=penalty,
                        result=tricks - level - 6,
                    )
                    for vulnerable, vul in ((0, types.Vul.none), (1, types.Vul.both)):
                        ours = score(level, strain, doubled, vulnerable, tricks)
                        assert ours == contract.score(vul), (level, strain, doubled, tricks)


def test_calls_are_kept_in_order(bridge: Game[Any]) -> None:
    for seed in range(30):
        calls: list[int] = []
        before = None
        for s in played(bridge, seed):
            if before is not None and before.dealt == CARDS and before.played == s.played:
                calls.append(next(a for a in bridge.moves(before) if bridge.result(before, a) == s))
            if s.dealt == CARDS:
                assert calls_in(s) == calls
            before = s


def test_the_longest_auction_is_kept(bridge: Game[Any]) -> None:
    s = bridge.parse(DEAL)
    calls = [PASS] * 3
    for level in range(1, 8):
        for strain in range(5):
            calls += [bid(level, strain), PASS, PASS, DOUBLE, PASS, PASS, REDOUBLE, PASS, PASS]
    for call in [*calls, PASS]:
        assert call in bridge.moves(s)
        s = bridge.result(s, call)
    assert calls_in(s) == [*calls, PASS]
    # North dealt, so after three passes West bids first; every bid is nine calls after the last.
    assert bridge.format(s).endswith("7NT pass pass X pass pass XX pass pass pass")
    assert "7NT redoubled by" in bridge.render(s)


@pytest.mark.parametrize(
    ("calls", "contract"),
    [
        ("1S pass 2S pass 4S pass pass pass", "4♠ by North"),
        ("pass 1H pass 2D pass 3H pass 4H pass pass pass", "4♥ by East"),
        ("1H 2H pass 3H X pass pass pass", "3♥ doubled by East"),
        ("1D pass 1S pass 2H pass 2S X XX pass pass pass", "2♠ redoubled by South"),
        ("1NT pass 2C pass 2H pass 3NT pass pass pass", "3NT by North"),
        ("pass pass pass 1C 1D pass 2D pass pass pass", "2♦ by North"),
    ],
)
def test_the_declarer_named_the_strain_first(bridge: Game[Any], calls: str, contract: str) -> None:
    assert f"Contract: {contract}\n" in bridge.render(bridge.parse(f"{DEAL} | {calls}"))


def test_legal_calls(bridge: Game[Any]) -> None:
    def others(calls: str) -> set[str]:
        s = bridge.parse(f"{DEAL} | {calls}")
        return {call_text(a) for a in bridge.moves(s) if a >= PASS}

    assert others("-") == {"pass"}
    assert others("1S") == {"pass", "X"}
    assert others("1S pass") == {"pass"}
    assert others("1S pass pass") == {"pass", "X"}
    assert others("1S X") == {"pass", "XX"}
    assert others("1S X pass") == {"pass"}
    assert others("1S X XX") == {"pass"}
    assert len(bridge.moves(bridge.parse(f"{DEAL} | 7S"))) == 3
    assert bridge.moves(bridge.parse(f"{DEAL} | pass pass pass pass")) == []


def test_declarer_plays_dummys_cards(bridge: Game[Any]) -> None:
    s = bridge.parse(f"{DEAL} | 1S pass 2S pass 4S pass pass pass")
    order = []
    for card in ("HA", "H2", "H3", "H5", "HQ", "H6"):
        order.append((bridge.seat(s), bridge.player(s)))
        s = bridge.result(s, bridge.parse_move(s, card))
    # East leads; South is dummy, so North plays for South as well.
    assert order == [(1, 1), (0, 0), (3, 1), (0, 0), (1, 1), (0, 0)]


def test_what_became_of_the_contract_is_shown(bridge: Game[Any]) -> None:
    *_, before_last, last = played(bridge, 1, agreed=True)
    assert "Result: " not in bridge.render(before_last)
    shown = re.search(r"^Contract: .*\nResult: (down \d+|made.*)$", bridge.render(last), re.M)
    assert shown is not None
    assert f">Result: {shown[1]}<" in bridge.draw(last)
    assert shown[1] in str(bridge.outcome([last]))


def test_four_passes_score_nothing(bridge: Game[Any]) -> None:
    s = bridge.parse(f"{DEAL} | pass pass pass pass")
    assert bridge.utility(s) == 0
    outcome = bridge.outcome([s])
    assert outcome is not None
    assert "all passed" in str(outcome)


@pytest.mark.parametrize("spec", ["contract-bridge", "contract-bridge(dealer=E,vulnerable=both)"])
def test_texts_are_read_back(spec: str) -> None:
    g = game(spec)
    for seed in range(4):
        for s in played(g, seed, agreed=seed % 2 == 0):
            assert g.parse(g.format(s)) == s
            for a in g.moves(s):
                assert g.parse_move(s, g.format_move(s, a)) == a
                assert g.parse_move(s, g.readable_move(s, a)) == a
            if s.dealt < CARDS or not g.moves(s):
                continue
            seen = g.as_seen(s, g.seat(s))
            assert g.parse(g.format(seen)) == seen


def test_calls_are_read_as_people_write_them() -> None:
    for text in ("3NT", "3n", " 3nt "):
        assert call_text(read_call(text)) == "3NT"
    assert read_call("1♠") == read_call("1s") == bid(1, 3)
    assert call_signs(bid(1, 3)) == "1♠"
    assert [read_call(text) for text in ("P", "dbl", "Redouble")] == [PASS, DOUBLE, REDOUBLE]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("hello", "a deal begins with the seat"),
        (f"{DEAL} | 8S", "'8S' is not a call"),
        (f"{DEAL} | 1S 1H", "East cannot call 1H there"),
        (f"{DEAL} | X", "North cannot call X there"),
        (f"{DEAL} | pass pass pass pass 1S", "the auction is over before '1S'"),
        (f"{DEAL} | 1S | HA", "cards are played once there is a contract"),
        (f"{DEAL} | 9S by N", "'9S by N' is not a contract, like 4S by S"),
        (f"{DEAL} | 4S by N | H5", "East does not hold the 5 of hearts"),
        (f"{DEAL} | 4S by N | HA C9", "South must follow suit, not play the 9 of clubs"),
        (f"{DEAL} | 4S by N | HA | H2", "a position has at most three parts"),
        (f"{DEAL} | dealt 52", "the hands are not the first 52 cards"),
        ("N:2... ... ... ... | dealt 1", "the hands are not the first 1 cards"),
        ("N:...2 - ... ... | dealt 1", "while nature deals, all hands are given"),
        ("N:...2 ... ... ... | dealt 1 | C2", "no card is played before all are dealt"),
        ("N:.2.AKQJT98765432. ... ... ... | dealt 14", "the hands are not the first 14"),
        ("N:..2.AKQJT98765432 ... ... ... | dealt 14", "a hand has at most 13 cards"),
        ("N:AKQ2.J5.T987.K8 J9.AQT84.KJ3.A72 - -", "North was dealt 12 cards, not 13"),
        ("N:- - T8543.K62.AQ4.96 -", "it is North's turn, who sees North's hand"),
        (
            "N:AKQ2.J5.T987.K83 - - - | 4S by N | HA",
            "it is North's turn, who sees South's hand",
        ),
        (
            "N:AKQ2.J5.T987.K83 - T8543.K62.AQ4.96 - | 4S by N | HA H2 C4 H5 HQ H6 H3",
            "West cannot hold the 3 of hearts",
        ),
        ("N:AKQ2.J5.T987.K83 - T8543.K62.AQ4.96 - | 4S by N | SA", "East cannot hold the ace"),
    ],
)
def test_what_is_wrong_with_a_position_is_said(bridge: Game[Any], text: str, words: str) -> None:
    with pytest.raises(BadPosition) as error:
        bridge.parse(text)
    assert words in str(error.value)


def test_moves_that_are_none_are_refused(bridge: Game[Any]) -> None:
    with pytest.raises(IllegalMove, match="nature deals the next card to N, E, S or W"):
        bridge.parse_move(bridge.initial(), "X")
    with pytest.raises(IllegalMove, match="is not a call"):
        bridge.parse_move(bridge.parse(DEAL), "SA")
    s = bridge.parse(f"{DEAL} | 4S by N")
    with pytest.raises(IllegalMove, match="is not a card"):
        bridge.parse_move(s, "1S")


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ("dealer=X", "dealer=X is not one of N, E, S, W"),
        ("vulnerable=all", "vulnerable=all is not one of none, ns, ew, both"),
        ("contract=8S", "contract=8S is not one like 4S, 3NTX or 2HXX"),
        ("contract=4S,declarer=Q", "declarer=Q is not one of"),
        ("known=12-14hcp", "'12-14hcp' does not begin with a seat"),
        ("known=N:12-14", "'12-14' is neither a range of points"),
        ("known=N:14-12hcp", "14-12hcp is no range"),
    ],
)
def test_parameters_are_checked(parameters: str, words: str) -> None:
    with pytest.raises(BadGame) as error:
        game(f"contract-bridge({parameters})")
    assert words in str(error.value)


def test_a_contract_without_an_auction() -> None:
    g = game("contract-bridge(contract=3NTX,declarer=E)")
    s = g.parse(DEAL)
    assert g.format(s).endswith("| 3NTX by E")
    assert g.parse(g.format(s)) == s
    assert g.seat(s) == 2
    assert g.moves(s) == sorted(cards_of(dealt_hands(s)[2]))
    assert g.agreed is not None
    assert g.agreed(s) is None
    with pytest.raises(BadPosition, match="the contract of this game is 3NTX by E"):
        g.parse(f"{DEAL} | 3NT by E")
    *_, last = played(g, 1)
    assert last.played == CARDS


def test_what_a_seat_sees(bridge: Game[Any]) -> None:
    s = bridge.parse(f"{DEAL} | 4S by N")
    hands = read_hands(DEAL)
    assert [bridge.observe(s, p)[0] for p in range(4)] == list(hands)
    assert all(bridge.observe(s, p)[1] == 0 for p in range(4))
    led = bridge.result(s, bridge.parse_move(s, "HA"))
    assert all(bridge.observe(led, p)[1] == hands[2] for p in range(4))
    seen = bridge.as_seen(led, 3)
    assert seen is not None
    assert (seen.north, seen.east) == (0, 0)
    assert (seen.south, seen.west) == (hands[2], hands[3])
    assert "13 cards" in bridge.render(seen)
    assert "hidden" in bridge.draw(seen)
    for secret in ("SA", "DK"):
        assert f'"{secret}"' not in bridge.draw(seen)
        assert secret not in bridge.contents(seen)


def some_positions(g: Game[Any], seed: int) -> list[Any]:
    """A few positions of a game that is bid by the system, at all of its stages."""
    positions = [s for s in played(g, seed, agreed=True) if s.dealt == CARDS and g.moves(s)]
    return positions[:: max(len(positions) // 8, 1)]


def test_deals_look_the_same_and_keep_to_the_rules(bridge: Game[Any]) -> None:
    for seed in range(3):
        for s in some_positions(bridge, seed):
            for p in range(4):
                for i in range(3):
                    dealt = bridge.deal(s, p, i)
                    assert bridge.observe(dealt, p) == bridge.observe(s, p)
                    # What was played was legal in every deal.
                    assert bridge.parse(bridge.format(dealt)) == dealt
                    # It depends on what is seen alone.
                    assert bridge.deal(dealt, p, i) == dealt
                    assert bridge.deal(bridge.as_seen(s, p), p, i) == dealt


def possible_deals(g: Game[Any], s: Any, p: int) -> set[Any]:
    """All positions that a seat cannot rule out, by trying all."""
    hidden = [seat for seat in range(4) if hidden_from(s, p, seat)]
    fields = ("north", "east", "south", "west")
    hands = [s[seat] for seat in range(4)]
    unseen = cards_of(sum(hands[seat] for seat in hidden))
    found = set()

    def place(left: list[int], seats: list[int], given: dict[int, int]) -> None:
        if not seats:
            changed = {fields[seat]: hand for seat, hand in given.items()}
            found.add(s._replace(**changed))
            return
        size = hands[seats[0]].bit_count()
        for chosen in combinations(left, size):
            hand = sum(1 << card for card in chosen)
            if hand & ~possible_cards(s, seats[0]):
                continue
            rest = [card for card in left if card not in chosen]
            place(rest, seats[1:], {**given, seats[0]: hand})

    place(unseen, hidden, {})
    return found


def test_all_deals_are_drawn_equally_often(bridge: Game[Any]) -> None:
    checked = 0
    for seed in range(12):
        for s in played(bridge, seed, agreed=True):
            if s.played not in {39, 42, 45} or not bridge.moves(s):
                continue
            for p in range(4):
                deals = possible_deals(bridge, s, p)
                assert s in deals
                if not 2 <= len(deals) <= 60:
                    continue
                times = 60 * len(deals)
                drawn = Counter(bridge.deal(s, p, 977 * i + seed) for i in range(times))
                assert set(drawn) == deals
                # Chi squared: about 5 standard deviations over its mean.
                off = sum((n - 60) ** 2 / 60 for n in drawn.values())
                free = len(deals) - 1
                assert off < free + 5 * (2 * free) ** 0.5 + 10
                checked += 1
    assert checked > 20


def test_ways_to_place_cards_are_counted() -> None:
    assert [choose(5, k) for k in range(-1, 7)] == [0, 1, 5, 10, 10, 5, 1, 0]
    assert choose(39, 13) == 8122425444
    assert count_deals(0, 0, 0, 39, 13, 13) == 84478098072866400
    # Two cards for A or B, one for A or C, three for all; A has room for 2, B for 3, C for 1.
    holders = ["AB", "AB", "AC", "ABC", "ABC", "ABC"]
    ways = 0
    for a in combinations(range(6), 2):
        for b in combinations([i for i in range(6) if i not in a], 3):
            (c,) = (i for i in range(6) if i not in a and i not in b)
            fits = all("A" in holders[i] for i in a) and all("B" in holders[i] for i in b)
            ways += fits and "C" in holders[c]
    assert count_deals(2, 1, 0, 3, 2, 3) == ways


def test_the_open_game_is_the_same_position(bridge: Game[Any]) -> None:
    assert bridge.opened is not None
    assert bridge.opened_worth is not None
    for seed in range(3):
        for s in played(bridge, seed, agreed=True):
            if s.played == 0:
                continue
            open_game, t = bridge.opened(s)
            assert open_game.moves(t) == bridge.moves(s)
            if bridge.moves(s):
                assert open_game.player(t) == bridge.player(s)
            else:
                assert bridge.opened_worth(s, open_game.utility(t)) == bridge.utility(s)
    with pytest.raises(ThreefoldError, match="it has no contract"):
        bridge.opened(bridge.parse(DEAL))


def test_cards_are_kept_in_the_order_of_play(bridge: Game[Any]) -> None:
    s = bridge.parse(f"{DEAL} | 4S by N | HA H2 H3 H5 HQ H6 H7 HJ DK")
    assert [bridge.format_move(s, card) for _, card in plays_in(s)] == (
        ["HA", "H2", "H3", "H5", "HQ", "H6", "H7", "HJ", "DK"]
    )
    assert [seat for seat, _ in plays_in(s)] == [1, 2, 3, 0, 1, 2, 3, 0, 1]
    assert isinstance(s, State)


def test_every_place_of_a_move_is_in_the_drawing(bridge: Game[Any]) -> None:
    for s in played(bridge, 5, agreed=True):
        drawn = bridge.draw(s)
        for a in bridge.moves(s):
            assert all(f'data-place="{place}"' in drawn for place in bridge.places(s, a))


def test_a_game_is_recorded_in_pbn() -> None:
    g = game("contract-bridge(dealer=E,vulnerable=ew)")
    assert g.record is not None
    s = g.parse(DEAL)
    moves = []
    for text in [
        "1H",
        "pass",
        "2H",
        "pass",
        "pass",
        "pass",
        "D4",
        "D2",
        "D7",
        "DJ",
        "HA",
        "H2",
        "H3",
    ]:
        moves.append(g.parse_move(s, text))
        s = g.result(s, moves[-1])
    assert g.record(g.parse(DEAL), moves).splitlines() == [
        '[Dealer "E"]',
        '[Vulnerable "EW"]',
        f'[Deal "{DEAL}"]',
        '[Declarer "E"]',
        '[Contract "2H"]',
        '[Auction "E"]',
        "1H Pass 2H Pass",
        "Pass Pass",
        '[Play "S"]',
        "D4 D2 D7 DJ",
        "H2 H3 - HA",
    ]
    passed = g.record(g.parse(DEAL), [PASS] * 4)
    assert '[Contract "Pass"]' in passed
    *_, last = played(g, 2, agreed=True)
    won = last.won if (last.contract >> 8) % 2 == 0 else 13 - last.won
    assert f'[Result "{won}"]' in g.record(last, [])
