"""What `conformance` says of games that hide something, and what `deal` draws by default."""

from collections import Counter
from typing import Any, NamedTuple

import pytest

from threefold import CHANCE, Game, ThreefoldError, conformance
from threefold.errors import BadGame
from threefold.rules import dealing
from threefold.rules.records import Texts

KINDS = 3


class State(NamedTuple):
    """A card for each of two players, 1 to 3, 0 before it is dealt; then one claim each."""

    mine: int
    theirs: int
    claims: int
    turn: int


def result(s: State, a: int) -> State:
    if s.turn == CHANCE:
        if s.mine == 0:
            return State(a, 0, 0, CHANCE)
        return State(s.mine, a, 0, 0)
    return State(s.mine, s.theirs, 4 * s.claims + a + 1, 1 - s.turn)


def actions(s: State, out: Any) -> int:
    if s.claims >= 4:
        return 0
    out[0], out[1] = 0, 1
    return 2


def outcomes(s: State, out: Any, weight: Any) -> int:
    n = 0
    for card in range(1, KINDS + 1):
        if card != s.mine:
            out[n], weight[n] = card, 1
            n += 1
    return n


def card_of(s: State, p: int) -> int:
    return s.mine if p == 0 else s.theirs


def observe(s: State, p: int) -> tuple[int, int]:
    return card_of(s, p), 3 * s.claims + s.turn


def deal(s: State, p: int, seed: int) -> State:
    """The other player's card is one of the two that are left."""
    own = card_of(s, p)
    other = 1 + (own - 1 + 1 + (seed & 1)) % KINDS
    return State(own, other, s.claims, s.turn) if p == 0 else State(other, own, s.claims, s.turn)


def cards(**changes: Any) -> Game[State]:
    hooks: dict[str, Any] = {
        "initial": lambda: State(0, 0, 0, CHANCE),
        "actions": actions,
        "result": result,
        "utility": lambda s: 1 if s.mine > s.theirs else -1,
        "outcomes": outcomes,
        "observe": observe,
        "deal": deal,
        "max_moves": 4,
        "max_ply": 6,
    }
    return Game("Cards", **hooks | changes)


def test_nothing_is_wrong() -> None:
    report = conformance(cards())
    assert report.ok, str(report)
    assert report.compiled


def knows_all(s: State, p: int, seed: int) -> State:
    return s


def always_the_same(s: State, p: int, seed: int) -> State:
    return deal(s, p, 0)


def peeks(s: State, p: int, seed: int) -> State:
    return deal(s, p, seed + s.mine + s.theirs)


def cheats(s: State, p: int, seed: int) -> State:
    """It changes what the player holds."""
    return State(1 + s.mine % KINDS, s.theirs, s.claims, s.turn)


def telling(s: State, out: Any) -> int:
    """A move less where the other's card is a 1."""
    if s.theirs == 1 and s.claims == 0:
        out[0] = 0
        return 1
    return actions(s, out)


@pytest.mark.parametrize(
    ("changes", "check", "words"),
    [
        ({"deal": knows_all}, "information", "deal never draws this position for player"),
        ({"deal": peeks}, "information", "deal for seed 0 is another one in a position that looks"),
        (
            {"as_seen": lambda s, p: s},
            "information",
            "as_seen shows player 0 something else in a position that looks the same",
        ),
        (
            {"agreed": lambda s: s.mine * s.theirs % 2},
            "information",
            "agreed says something else in a position that looks the same",
        ),
        ({"deal": always_the_same}, "information", "deal never draws this position for player"),
        ({"deal": cheats}, "deal", "is a position that looks different to that player"),
        ({"actions": telling}, "information", "player 0 has other moves in a position that looks"),
        (
            {"actions": telling, "deal": None},
            "information",
            "sees the same here as in another position, but has",
        ),
        ({"observe": lambda s, p: s.turn}, "observe", "observe returned -1, not a tuple of whole"),
        (
            {"observe": lambda s, p: (1,) * (1 + p)},
            "observe",
            "returned 2 words for player 1; it returns the same number",
        ),
        ({"seat": lambda s: 4, "seats": 4}, "seat", "seat returned 4; it is 0 to 3"),
        ({"seat": lambda s: 1, "seats": 2}, "seat", "seat 1 decides now for one player, now for"),
    ],
)
def test_what_is_wrong_is_found(changes: dict[str, Any], check: str, words: str) -> None:
    found = {defect.check: defect.sentence for defect in conformance(cards(**changes)).defects}
    assert words in found[check]


def impossible(s: State, p: int, seed: int) -> State:
    """Now and then both players have the same card."""
    own = card_of(s, p)
    other = 1 + seed % KINDS
    return State(own, other, s.claims, s.turn) if p == 0 else State(other, own, s.claims, s.turn)


def test_a_position_that_cannot_come_up_is_not_dealt() -> None:
    found = str(conformance(cards(deal=impossible)))
    assert "is a position that cannot come up" in found


def test_what_is_shown_is_compared_without_a_deal_too() -> None:
    """A seat must be shown the same in all positions that look the same to it."""
    told = cards(deal=None, texts=Texts(as_seen=lambda s, p: s))
    assert "as_seen shows player" in str(conformance(told))
    hidden = cards(deal=None, texts=Texts(as_seen=lambda s, p: observe(s, p)))
    assert conformance(hidden).ok


def test_a_deal_of_many_positions_is_not_found_wanting() -> None:
    """Of three hundred cards, many are not among some hundred deals."""
    many = 300

    def dealt(s: State, out: Any, weight: Any) -> int:
        n = 0
        for card in range(1, many + 1):
            if card != s.mine:
                out[n], weight[n] = card, 1
                n += 1
        return n

    def another(s: State, p: int, seed: int) -> State:
        own = card_of(s, p)
        other = 1 + seed % (many - 1)
        other += other >= own
        if p == 0:
            return State(own, other, s.claims, s.turn)
        return State(other, own, s.claims, s.turn)

    assert conformance(cards(outcomes=dealt, deal=another, max_moves=many, move_range=512)).ok


def test_what_is_not_reproducible_is_found() -> None:
    count = iter(range(1 << 30))
    strange = cards(observe=lambda s, p: (next(count),), deal=None)
    assert "observe gives player 0 something else" in str(conformance(strange))
    dealt = iter(range(1 << 30))
    strange = cards(deal=lambda s, p, seed: deal(s, p, next(dealt)))
    assert "deal varies for the same seed" in str(conformance(strange))


def test_a_turn_that_a_deal_changes_is_found() -> None:
    careless = cards(
        observe=lambda s, p: (card_of(s, p), s.claims),
        deal=lambda s, p, seed: State(s.mine, s.theirs, s.claims, 1 - s.turn),
    )
    assert "changes the turn" in str(conformance(careless))


def test_a_state_of_other_objects_may_be_observed_as_any_object() -> None:
    game = Game(
        "Words",
        initial=lambda: "",
        actions=lambda s, out: 0 if len(s) > 3 else out.__setitem__(0, 1) or 1,
        result=lambda s, a: s + "x",
        utility=lambda s: 1,
        player=lambda s: len(s) % 2,
        observe=lambda s, p: f"{p}:{s}",
    )
    assert conformance(game).ok
    assert game.analyze(nodes=20).best == 1


def test_seats_are_checked_when_a_game_is_made() -> None:
    with pytest.raises(BadGame, match="seat and seats go together"):
        cards(seats=4)
    with pytest.raises(BadGame, match="seats=1 is not a whole number of at least 2"):
        cards(seat=lambda s: 0, seats=1)
    assert cards().facts.seats == 2
    assert cards(seat=lambda s: s.turn, seats=4).facts.seats == 4


def test_without_deal_random_games_are_played_to_what_is_seen() -> None:
    game = cards(deal=None)
    s = State(2, 3, 1, 1)
    drawn = Counter(game.deal(s, 1, seed) for seed in range(200))
    assert set(drawn) == {State(1, 3, 1, 1), s}
    assert 60 < drawn[s] < 140
    assert game.deal(s, 1, 5) == game.deal(s, 1, 5)


def test_what_random_games_do_not_come_to_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dealing, "MOST_PLIES", 100)
    with pytest.raises(ThreefoldError, match="no random game came to what the player sees"):
        cards(deal=None).deal(State(3, 4, 1, 1), 1, 0)
