"""The bidding system: what it calls, what calls mean, and that it sees no hidden card."""

import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from threefold import Game, game
from threefold.games.bridge.cards import CARDS
from threefold.games.bridge.dealing import dealt
from threefold.games.bridge.notation import format_hands, read_hands
from threefold.games.contract_bridge.auction import Auction
from threefold.games.contract_bridge.calls import PASS, call_text, read_call
from threefold.games.contract_bridge.hand import Hand, count
from threefold.games.contract_bridge.inference import bidding_meaning
from threefold.games.contract_bridge.rule import NO_CLUE
from threefold.games.contract_bridge.shows import Shows, suits
from threefold.games.contract_bridge.system import call_for, meaning, meaning_text, rules_after
from threefold.games.contract_bridge.tables import tables

#: Hands and auctions, and the call that players of natural systems learn first.
CALLS = [
    ("AQ753.K4.A62.J84", "", "1S"),
    ("K4.AQ753.A62.J84", "", "1H"),
    ("AQ753.KJ864.A2.4", "", "1S"),
    ("AJ72.K4.Q8642.A5", "", "1D"),
    ("AJ72.K954.Q8.A52", "", "1C"),
    ("AJ72.KQ94.Q82.52", "", "1D"),
    ("KQ4.A95.KJ82.QT5", "", "1NT"),
    ("AKQ4.AQ5.KQ2.K95", "", "2C"),
    ("AKQ4.A95.KQ2.QT5", "", "2NT"),
    ("KQJ864.72.T94.85", "", "2S"),
    ("4.KQT9753.85.J92", "", "3H"),
    ("K874.Q5.J963.Q84", "", "pass"),
    ("K84.Q5.J9632.Q84", "1S pass", "2S"),
    ("KJ84.Q5.AJ963.84", "1S pass", "3S"),
    ("KJ843.5.J9632.84", "1S pass", "4S"),
    ("84.KQ53.J9632.84", "1D pass", "1H"),
    ("KQ84.KQ53.96.842", "1D pass", "1H"),
    ("84.K53.J962.KJ84", "1S pass", "1NT"),
    ("84.K53.A9.AKJ842", "1S pass", "2C"),
    ("K84.AQ3.AJ6.JT42", "1C pass", "3NT"),
    ("K84.J3.J962.T842", "1C pass", "pass"),
    ("KQ84.K3.Q962.J42", "1NT pass", "2C"),
    ("QJ8542.3.962.842", "1NT pass", "2S"),
    ("K84.Q3.KJ962.842", "1NT pass", "2NT"),
    ("K84.Q3.AJ962.Q42", "1NT pass", "3NT"),
    ("KQ8542.3.AQ2.842", "1NT pass", "4S"),
    ("842.K3.J9642.842", "2C pass", "2D"),
    ("AJ72.KQ3.4.AJ842", "1C pass 1S pass", "3S"),
    ("J72.KQ3.A94.AJ82", "1C pass 1S pass", "1NT"),
    ("2.KQ3.Q94.AJ9832", "1C pass 1S pass", "2C"),
    ("AK72.3.Q94.AJ982", "1C pass 1H pass", "1S"),
    ("AQ853.KQ3.Q94.82", "1S pass 2S pass", "pass"),
    ("AQJ853.KQ3.A94.8", "1S pass 2S pass", "4S"),
    ("KQ853.93.AJ4.842", "1D", "1S"),
    ("KQ85.A943.4.AJ82", "1D", "X"),
    ("KQ5.A94.KQ4.QJ82", "1D", "1NT"),
    ("KQ8532.94.4.J982", "1D", "2S"),
    ("K985.Q94.J4.J982", "1D X pass", "1S"),
    ("KQ985.Q94.A4.982", "1D X pass", "4S"),
    ("K8.Q943.J74.J982", "1NT pass 2C pass", "2H"),
]


def hand(text: str) -> Hand:
    """The counts of a hand, as North's of a deal."""
    return count(read_hands(f"N:{text} ... ... ...")[0])


def auction(text: str) -> tuple[int, ...]:
    """The calls that a text lists."""
    return tuple(map(read_call, text.split()))


@pytest.fixture(scope="module")
def bridge() -> Game[Any]:
    return game("contract-bridge")


def bid_out(hands: tuple[int, ...]) -> tuple[int, ...]:
    """The auction of four players who follow the system; North deals."""
    counted, calls = [count(cards) for cards in hands], tuple[int, ...]()
    while len(calls) < 4 or calls[-3:] != (PASS,) * 3:
        calls += (call_for(counted[len(calls) % 4], calls),)
    return calls


@pytest.mark.parametrize(("cards", "calls", "answer"), CALLS)
def test_the_system_calls_what_players_learn(cards: str, calls: str, answer: str) -> None:
    assert call_text(call_for(hand(cards), auction(calls))) == answer


def test_what_a_hand_counts() -> None:
    counted = hand("AKQ32.J5.T98.K83")
    assert (counted.hcp, counted.points, counted.lengths) == (13, 14, (3, 3, 2, 5))
    assert counted.balanced
    assert counted.stoppers == 0b1001
    assert not hand("AKQ32.J5.T9876.K").balanced
    assert hand("A.KQ.QJ2.JT98642").stoppers == 0b1111


def test_there_is_a_rule_for_every_hand_in_every_auction() -> None:
    rng = random.Random(1)
    for _ in range(300):
        calls: tuple[int, ...] = ()
        for _ in range(rng.randint(0, 20)):
            legal = [a for a in range(CARDS, CARDS + 38) if Auction(calls).is_legal(a)]
            calls += (rng.choice(legal) if rng.random() < 0.3 else PASS,)
            if len(calls) > 3 and calls[-3:] == (PASS,) * 3:
                break
            rules = rules_after(calls)
            assert all(Auction(calls).is_legal(rule.call) for rule in rules)
            assert rules[-1].shows == Shows()


def test_what_a_call_shows_is_true_of_the_hand_that_makes_it() -> None:
    telling = 0
    for number in range(1, 200):
        hands = dealt(number)
        calls = bid_out(hands)
        for i, call in enumerate(calls):
            said = meaning(calls[:i], call)
            counted = count(hands[i % 4])
            rules = [rule for rule in rules_after(calls[:i]) if rule.call == call]
            made_by = next(rule for rule in rules_after(calls[:i]) if rule.shows.fits(counted))
            assert made_by in rules
            if made_by.kind != NO_CLUE:
                assert said is not None
                assert said.fits(counted)
                telling += said != Shows()
    assert telling > 500


def test_auctions_end_where_they_should() -> None:
    """Sides with many points bid a game, and where nobody has them, few do."""
    levels = []
    for number in range(1, 400):
        hands = dealt(number)
        calls = bid_out(hands)
        assert len(calls) < 24
        bids = [call for call in calls if call < PASS]
        points = [count(cards).hcp for cards in hands]
        most = max(points[0] + points[2], points[1] + points[3])
        levels.append((most, (bids[-1] - CARDS) // 5 + 1 if bids else 0))
    games = [level >= 3 for most, level in levels if most >= 27]
    assert sum(games) > 0.9 * len(games)
    quiet = [level <= 3 for most, level in levels if most <= 22]
    assert sum(quiet) > 0.8 * len(quiet)


def test_the_call_depends_on_the_own_hand_and_the_auction_alone(bridge: Game[Any]) -> None:
    assert bridge.agreed is not None
    for number in range(1, 12):
        s = bridge.parse(format_hands(dealt(number)))
        seats = set()
        while s.contract < 1 << 10 and bridge.moves(s):
            p = bridge.seat(s)
            seats.add(p)
            for seed in range(3):
                other = bridge.deal(s, p, seed)
                assert other != s
                assert bridge.agreed(other) == bridge.agreed(s)
            seen = bridge.as_seen(s, p)
            assert seen is not None
            assert bridge.agreed(seen) == bridge.agreed(s)
            call = bridge.agreed(s)
            assert call is not None
            s = bridge.result(s, call)
        assert seats == {0, 1, 2, 3}


def test_nothing_speaks_against_the_deal_that_was_bid(bridge: Game[Any]) -> None:
    assert bridge.doubts is not None
    against = 0
    for number in range(1, 30):
        hands = dealt(number)
        calls = bid_out(hands)
        if all(call == PASS for call in calls):
            continue
        s = bridge.parse(f"{format_hands(hands)} | {' '.join(map(call_text, calls))}")
        for p in range(4):
            assert bridge.doubts(s, p) == 0
            against += bridge.doubts(bridge.deal(s, p, 1), p) > 0
    assert against > 50


def test_what_is_known_of_hands_speaks_against_deals() -> None:
    g = game("contract-bridge(contract=4S,declarer=S,known=W:5-8hcp.4H/E:12-14hcp)")
    assert g.doubts is not None
    s = g.parse("N:AKQ2.J5.T987.K83 J9.AQT84.KJ3.A72 T8543.K62.AQ4.96 76.973.652.QJT54")
    # East has 15 points; West 3, and three hearts.
    assert g.doubts(s, 0) == 16
    assert g.doubts(s, 1) == 8
    assert g.doubts(s, 3) == 8


def test_calls_of_no_meaning_say_nothing(bridge: Game[Any]) -> None:
    assert meaning((), read_call("5NT")) is None
    assert meaning_text((), read_call("5NT")) == "no meaning in the system"
    assert bridge.doubts is not None
    hands = format_hands(dealt(3))
    assert bridge.doubts(bridge.parse(f"{hands} | 5NT pass pass"), 3) <= 2


def test_calls_are_explained(bridge: Game[Any]) -> None:
    s = bridge.parse(f"{format_hands(dealt(3))} | -")
    assert bidding_meaning(s, read_call("1NT")) == ("15–17 HCP, balanced, 2–4 spades, 2–4 hearts")
    assert bidding_meaning(s, read_call("2C")) == "strong, forcing; 22+ HCP"
    assert bidding_meaning(bridge.initial(), 0) == ""


def test_what_is_shown_is_written_out() -> None:
    assert Shows().describe() == "any hand"
    shows = Shows((12, 14), (13, 40), suits({3: 5, 2: (0, 2)}), False, ((3, 1, 1), (3, 0, 0)), 1)
    assert shows.describe() == (
        "12–14 HCP, 13+ points, not balanced, 5+ spades, 0–2 hearts, more spades than diamonds, "
        "at least as many spades as clubs, clubs stopped"
    )


def test_what_two_calls_show_together() -> None:
    first, second = Shows((12, 21), lengths=suits({3: 5})), Shows((0, 15), lengths=suits({2: 4}))
    both = first & second
    assert (both.hcp, both.length(3), both.length(2)) == ((12, 15), (5, 13), (4, 13))
    # A player who has said two things that cannot both be true meant the second.
    assert (Shows((12, 21)) & Shows((5, 9))).hcp == (5, 9)
    either = first | second
    assert (either.hcp, either.length(3)) == ((0, 21), (0, 13))


def test_the_level_of_a_bid_only_rises() -> None:
    for number in range(400, 460):
        bids = [call for call in bid_out(dealt(number)) if call < PASS]
        assert all(a < b for a, b in pairwise(bids))


def test_the_page_has_the_rules_as_they_are() -> None:
    page = Path(__file__).parents[1] / "docs/games/contract-bridge.md"
    assert tables() in page.read_text("utf-8")
