"""Games with hidden information in the lab: who is shown what, and that nobody is shown more."""

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
from high_card import NAMES, State, high_card
from lab_client import Page, connect, opened

from threefold import Game, game
from threefold.errors import IllegalMove
from threefold.lab import limits
from threefold.lab.server import application
from threefold.lab.tables import NoTable, Table, Tables
from threefold.rules.seats import SeatedGame

FOUR = ["human", "1", "1", "1"]


class Lab:
    """A lab in which nature deals what a test has drawn lots for."""

    def __init__(self, own: Game[Any], seed: int = 1) -> None:
        self.tables = Tables(make_rng=lambda: random.Random(seed))
        self.application = application(own, tables=self.tables)
        self.own = own

    def table(self, token: str) -> Table:
        return self.tables.find(token)


@pytest.fixture
def four() -> Lab:
    return Lab(high_card())


@pytest.fixture
def page(four: Lab) -> Iterator[Page]:
    with opened(four.application) as client, connect(client) as socket:
        yield Page(socket)


def sit(page: Page, *seats: str, **fields: Any) -> str:
    return str(page.ask("sit", game="High card", seats=list(seats or FOUR), **fields)["table"])


def card_of(s: State, seat: int) -> str:
    return NAMES[s.cards >> 4 * seat & 15]


def cards_in(svg: str) -> list[str]:
    """The cards of a picture, by the seat."""
    texts = [part.partition("<")[0] for part in svg.split(">")]
    return [text for text in texts if len(text) == 1 and text in NAMES]


# What is shown.


def test_a_person_sees_their_own_card_and_no_other(four: Lab, page: Page) -> None:
    token = sit(page, "1", "human", "1", "1")
    s = four.table(token).seated.now
    view = page.ask("seen", table=token)
    assert cards_in(view["svg"]) == ["·", card_of(s, 1), "·", "·"]
    assert view["seat"] == 1
    assert view["moves"] == [], "it is North's turn"
    page.ask("proceed", table=token, at=4)
    view = page.ask("seen", table=token)
    assert [each["move"] for each in view["moves"]] == ["pass", "bet"]


def test_no_seat_is_seen_for_the_asking(page: Page) -> None:
    token = sit(page, "human", "1", "1", "1")
    own = page.ask("seen", table=token)
    for seat in range(4):
        assert page.ask("seen", table=token, seat=seat) == own
    assert "not a whole number" in page.refused("seen", table=token, seat=4)


def test_several_at_a_screen_see_nothing_until_they_say_who_they_are(page: Page) -> None:
    token = sit(page, "human", "1", "human", "1")
    covered = page.ask("seen", table=token)
    assert covered["covered"]
    assert "svg" not in covered
    assert covered["moves"] == []
    assert page.ask("seen", table=token, seat=2) == covered, "it is not South's turn"
    assert page.ask("seen", table=token, seat=1) == covered, "East is a computer"
    north = page.ask("seen", table=token, seat=0)
    assert sum(card != "·" for card in cards_in(north["svg"])) == 1
    page.ask("act", table=token, seat=0, at=4, move="bet")
    assert page.ask("seen", table=token, seat=0)["covered"], "another's turn"


def test_in_the_end_all_is_shown_and_can_be_gone_through(page: Page) -> None:
    token = sit(page, "human", "human", "human", "human")
    for seat in range(4):
        assert "whole" not in page.ask("seen", table=token, seat=seat)
        page.ask("act", table=token, seat=seat, at=4 + seat, move="pass")
    view = page.ask("seen", table=token)
    assert view["over"]
    assert "·" not in cards_in(view["svg"])
    assert view["result"]["winner"] in (0, 1)
    whole = page.ask("view", game="High card", moves=view["whole"]["moves"])
    assert whole["over"]
    assert whole["svg"] == view["svg"]


def test_computers_among_themselves_are_watched_with_open_cards(page: Page) -> None:
    token = sit(page, "1", "1", "1", "1")
    view = page.ask("seen", table=token)
    assert "·" not in cards_in(view["svg"])
    for ply in range(4, 8):
        page.ask("proceed", table=token, at=ply)
    assert page.ask("seen", table=token)["over"]


def test_looking_back_shows_no_more(four: Lab, page: Page) -> None:
    token = sit(page)
    page.ask("act", table=token, seat=0, at=4, move="pass")
    for at in range(6):
        view = page.ask("seen", table=token, at=min(at, 5))
        assert cards_in(view["svg"])[1:] == ["·", "·", "·"]
        assert view["moves"] == []


def test_a_move_that_a_seat_does_not_see_is_left_out() -> None:
    """Calls are secret here: everybody sees that something was said, and their own."""

    def observe(s: State, p: int) -> tuple[int, int]:
        return s.cards >> 4 * p & 15, 4096 * s.dealt + 64 * s.called + (s.calls >> 2 * p & 3)

    lab = Lab(high_card(observe=observe, deal=None))
    with opened(lab.application) as client, connect(client) as socket:
        page = Page(socket)
        token = sit(page, "human", "human", "human", "human")
        page.ask("act", table=token, seat=0, at=4, move="bet")
        last = page.ask("seen", table=token, seat=1)["played"][-1]
        assert (last["text"], last["places"]) == ("hidden", [])
        page.ask("act", table=token, seat=1, at=5, move="pass")
        for seat in (2, 3):
            page.ask("act", table=token, seat=seat, at=4 + seat, move="pass")
        texts = [each["text"] for each in page.ask("seen", table=token)["played"][1:]]
        assert texts == ["bet", "pass", "pass", "pass"]


def test_the_only_possible_move_is_not_told_either() -> None:
    """A seat that has no choice says what it holds, to whoever may not know that."""

    def actions(s: State, out: Any) -> int:
        if s.called == 2:
            return 0
        out[0] = (s.cards >> 4 * s.called & 15) % 2
        return 1

    def observe(s: State, p: int) -> tuple[int, int]:
        return s.cards >> 4 * p & 15, 64 * s.dealt + s.called

    seated = SeatedGame(high_card(2, actions=actions, observe=observe), START, random.Random(1))
    seated.play(seated.legal[0])
    assert seated.listed([1])[-1].text == "hidden"
    assert seated.listed([0])[-1].text in ("pass", "bet")


START = State(0, 0, 0, 0, -1)


def test_without_as_seen_the_observation_is_told() -> None:
    seated = SeatedGame(high_card(2, as_seen=None), START, random.Random(1))
    own = seated.now.cards & 15
    assert seated.text(0) == f"North sees ({own}, 0, 32)"
    assert f"North sees ({own}, 0, 32)" in seated.picture(0)
    assert [seated.names(a)[0] for a in seated.legal] == ["pass", "bet"]
    assert seated.parse("BET") == 1
    with pytest.raises(IllegalMove, match="'best' is not a legal move: did you mean bet"):
        seated.parse("best")


def test_a_game_that_names_moves_by_what_is_hidden_is_asked_about_what_is_seen() -> None:
    telling = high_card(readable_move=lambda s, a: f"{a} {[card_of(s, p) for p in range(4)]}")
    seated = SeatedGame(telling, START, random.Random(1))
    own = card_of(seated.now, 0)
    assert seated.names(1)[1] == f"1 {[own, '·', '·', '·']}"
    seated.play(1)
    assert seated.listed([2])[-1].text == f"1 {['·', '·', card_of(seated.now, 2), '·']}"


# Nobody is told more.


def messages(page: Page, token: str, seat: int) -> Iterator[tuple[str, str]]:
    """Everything that a page gets to hear that asks for all it can, whoever's turn it is."""
    table = {"table": token}
    plies = page.ask("seen", **table)["plies"]
    thinking = {"at": plies, "nodes": 50, "time": 60}
    asked: list[tuple[str, dict[str, Any]]] = [
        ("seen", {}),
        *(("seen", {"seat": each}) for each in range(4)),
        *(("seen", {"at": at, "seat": each}) for at in range(plies + 1) for each in range(4)),
        *(("hint", {"seat": each, **thinking}) for each in range(4)),
        *(("act", {"seat": each, "at": plies, "move": "nonsense"}) for each in range(4)),
        *(("act", {"seat": seat, "at": plies, "move": f"secret-{card}"}) for card in NAMES),
        ("sit", {"game": "High card", "seats": FOUR, "start": "secret"}),
        *((what, {"game": token}) for what in ("view", "reply", "analyse", "review", "record")),
        *((what, {"game": "High card"}) for what in ("evaluate", "record", "solve")),
        ("match-game", {"match": token, "number": 1}),
    ]
    for what, fields in asked:
        answer = page.receive(page.send(what, **table | fields)) | {"id": 0}
        yield what, json.dumps(answer).replace(token, "TOKEN")
    yield "news", json.dumps(page.news)


def test_no_message_to_a_page_holds_a_hidden_card() -> None:
    """The others' cards are replaced, and everything that the page hears stays the same."""
    heard = []
    for others_change in (False, True):
        lab = Lab(high_card(format_move=secretly), seed=7)
        with opened(lab.application) as client, connect(client) as socket:
            page = Page(socket)
            token = sit(page, "1", "human", "1", "1")
            seated = lab.table(token).seated
            own = card_of(seated.now, 1)
            if others_change:
                redeal(seated)
            said: list[tuple[str, str]] = []
            for ply in range(4, 8):
                said += messages(page, token, 1)
                if ply == 5:
                    page.ask("act", table=token, seat=1, at=ply, move="bet")
                else:
                    seated.play(ply % 2)  # what the others say is heard by all
            told = "".join(text for what, text in said if what in ("seen", "hint", "news"))
            assert {name for name in NAMES[1:] if f"secret-{name}" in told} <= {own}
            heard.append(said)
            assert "·" not in cards_in(page.ask("seen", table=token)["svg"]), "the game is over"
    assert heard[0] == heard[1]


def test_broken_rules_do_not_tell_the_position() -> None:
    """An error of a game may hold the whole position; it is for its author, not for its players."""

    def too_many(s: State, out: Any) -> int:
        if s.called:
            out[99] = 0
        out[0], out[1] = 0, 1
        return 2

    def careless(s: State) -> dict[str, str]:
        raise RuntimeError(f"cannot say what is where in {s}")

    for changes, asked in (({"actions": too_many}, "act"), ({"contents": careless}, "seen")):
        lab = Lab(high_card(**changes))
        with opened(lab.application) as client, connect(client) as socket:
            page = Page(socket)
            token = sit(page)
            said = page.refused(asked, table=token, seat=0, at=4, move="bet")
            assert "try threefold conformance" in said
            assert "cards" not in said


def secretly(s: State, a: int) -> str:
    """Names of moves; those of nature occur nowhere else."""
    return ("pass", "bet")[a] if s.turn >= 0 else f"secret-{NAMES[a]}"


def redeal(seated: SeatedGame[State]) -> None:
    """Give every seat but East another card."""
    dealt = next(
        each
        for each in (seated.game.deal(seated.now, 1, seed) for seed in range(1000))
        if all(card_of(each, seat) != card_of(seated.now, seat) for seat in (0, 2, 3))
    )
    seated.moves[:] = [dealt.cards >> 4 * seat & 15 for seat in range(4)]
    for number, a in enumerate(seated.moves):
        seated.positions[number + 1] = seated.game.result(seated.positions[number], a)
    assert seated.now == dealt


@pytest.mark.parametrize("strength", ["1", "5", "0.5s"])
def test_a_computer_plays_the_same_whatever_others_hold(strength: str) -> None:
    """The others' cards are replaced, and from the same seed comes the same move."""
    choices = []
    for others_change in (False, True):
        lab = Lab(high_card(), seed=11)
        with opened(lab.application) as client, connect(client) as socket:
            page = Page(socket)
            token = sit(page, "human", strength, "human", "human")
            seated = lab.table(token).seated
            if others_change:
                redeal(seated)
            page.ask("act", table=token, seat=0, at=4, move="bet")
            page.ask("proceed", table=token, at=5)
            choices.append(seated.moves[5])
            assert all(set(news) <= {"compiling", "waiting", "nodes"} for news in page.news)
    assert choices[0] == choices[1]


def test_a_whole_deal_of_bridge_shows_each_seat_only_what_it_sees() -> None:
    """The others' cards are dealt again at every turn, and what a seat is shown stays the same."""
    bridge: Game[Any] = game("contract-bridge")
    seated = SeatedGame(bridge, bridge.initial(), random.Random(5))
    assert bridge.agreed is not None
    while seated.outcome is None:
        for p in range(4):
            again = bridge.as_seen(bridge.deal(seated.now, p, 1), p)
            assert bridge.draw(again) == seated.picture(p)
            assert bridge.render(again) == seated.text(p)
            assert bridge.contents(again) == bridge.contents(seated.shown(p))
        agreed = bridge.agreed(seated.now)
        seated.play(seated.legal[-1] if agreed is None else agreed)
    for p in range(4):
        dealt, *moves = [each.text for each in seated.listed([p])]
        assert dealt == "dealt"
        assert "hidden" not in moves, "calls and cards are for all to see"
    assert len(moves) > 55


# What is refused.


@pytest.mark.parametrize(
    ("what", "fields", "words"),
    [
        ("sit", {"game": "tic-tac-toe", "seats": ["human", "1"]}, "hides nothing"),
        ("sit", {"seats": ["human"]}, "say who plays each of North, East, South, West"),
        ("sit", {"seats": ["human"] * 5}, "the limit is"),
        ("sit", {"seats": ["human", "1", "1", "deep"]}, "'deep' is no player"),
        ("sit", {"seats": ["human", "1", "1", "11"]}, "level '11' is neither"),
        ("sit", {"seats": ["human", "1", "1", "-1s"]}, "'-1s' is no player"),
        ("sit", {"seats": ["human", "1", "1", "nans"]}, "'nans' is no player"),
        ("sit", {"seats": ["human", "1", "1", "xs"]}, "'xs' is no player"),
        ("sit", {"seats": FOUR, "start": "nonsense"}, "High card"),
        ("seen", {"table": "guess"}, "no longer on the table"),
        ("seen", {}, "table is not a text"),
        ("act", {"seat": 0, "at": 3, "move": "bet"}, "has moved on"),
        ("act", {"seat": 1, "at": 4, "move": "bet"}, "a computer has that seat"),
        ("act", {"seat": 2, "at": 4, "move": "bet"}, "not that seat's turn"),
        ("act", {"seat": 0, "at": 4, "move": "best"}, "legal here: pass, bet"),
        ("proceed", {"at": 4}, "no computer's turn"),
        ("proceed", {"at": 5}, "has moved on"),
        ("hint", {"seat": 2, "at": 4}, "not that seat's turn"),
    ],
)
def test_what_is_refused(page: Page, what: str, fields: dict[str, Any], words: str) -> None:
    seats = sit(page, "human", "1", "human", "1")
    table = {} if what == "sit" or fields == {} else {"table": seats}
    assert words in page.refused(what, **{"game": "High card"} | table | fields)


def test_a_table_that_was_left_is_gone(page: Page) -> None:
    token = sit(page)
    page.ask("leave", table=token)
    assert "no longer on the table" in page.refused("seen", table=token)
    page.ask("leave", table=token)


def test_tables_are_few_and_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("threefold.lab.tables.MAX_TABLES", 2)
    now = 0.0
    tables = Tables(now=lambda: now)
    seated = SeatedGame(high_card(2), START, random.Random(1))
    first, second = (tables.add(Table(seated, {}, random.Random(1))) for _ in range(2))
    with pytest.raises(Exception, match="all tables of the lab are taken; try again later"):
        tables.add(Table(seated, {}, random.Random(1)))
    now = limits.TABLE_KEPT_SECONDS + 1
    tables.find(second)
    third = tables.add(Table(seated, {}, random.Random(1)))
    assert len(tables) == 2
    with pytest.raises(NoTable):
        tables.find(first)
    now += limits.TABLE_SECONDS + 1
    with pytest.raises(NoTable):
        tables.find(third)
    assert len({first, second, third}) == 3
    assert min(map(len, (first, second, third))) >= 32
