"""Games with hidden information in a real browser: seats, covered cards, whole games."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright", reason="needs Playwright")

from high_card import NAMES
from lab_browser import (
    CHROMIUM,
    PHONE,
    Held,
    Lab,
    Visitor,
    legal_places,
    move_list,
    place,
    result,
    touch,
)
from playwright.sync_api import Locator, Page, expect

pytestmark = pytest.mark.skipif(not CHROMIUM.exists(), reason=f"needs Chromium at {CHROMIUM}")

GAME = str(Path(__file__).parent / "high_card.py")
#: A page that waits for nothing but answers.
CALM: dict[str, Any] = {"reduced_motion": "reduce"}


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    """A lab with a small game of four seats, beside the games that it has anyway."""
    with Lab(GAME) as one:
        yield one


def cards(page: Page) -> list[str]:
    """The cards on the board, by the seat; a dot is a card that is not shown."""
    return [
        each for each in page.locator(".board-frame svg text").all_text_contents() if each in NAMES
    ]


def seat(page: Page, name: str) -> Locator:
    """The strip of a seat."""
    strips = page.get_by_role("group", name="Seats", exact=True).locator("> *")
    return strips.filter(has_text=re.compile(f"^{name}"))


def i_am(page: Page, name: str) -> None:
    page.get_by_role("button", name=f"I am {name}: show my cards").click()


def answers(page: Page) -> list[dict[str, Any]]:
    """All that the page is told from now on."""
    heard: list[dict[str, Any]] = []
    page.on(
        "websocket",
        lambda socket: socket.on("framereceived", lambda text: heard.append(json.loads(text))),
    )
    return heard


def test_one_person_plays_with_three_computers_and_hears_of_no_other_card(visitor: Visitor) -> None:
    page = visitor.open("games/", **CALM)
    heard = answers(page)
    page.goto(f"{visitor.lab.url}#play/seats=1,1,human,1")
    page.reload()
    expect(legal_places(page)).to_have_count(2)
    expect(seat(page, "South")).to_have_text(re.compile("you.*to move"))
    own = cards(page)[2]
    assert cards(page) == ["·", "·", own, "·"]
    expect(move_list(page)).to_have_count(3)
    assert heard
    for each in heard:
        said = json.dumps(each, ensure_ascii=False)
        assert set(re.findall(r"card-(\w)", said)) <= {own}
        if "seats" in each.get("answer", {}):
            texts = re.findall(">(.)<", each["answer"]["svg"])
            assert [text for text in texts if text in NAMES] == ["·", "·", own, "·"]
    assert "moves=" not in page.url
    touch(page, "bet")
    expect(result(page)).to_be_visible()
    assert "·" not in cards(page)
    assert cards(page)[2] == own
    expect(move_list(page)).to_have_count(5)


def test_two_people_pass_the_screen_on(visitor: Visitor) -> None:
    page = visitor.open("play/seats=human,1,human,1", **CALM)
    expect(page.get_by_text("Pass the screen to North.")).to_be_visible()
    expect(page.locator(".board-frame svg")).to_have_count(0)
    i_am(page, "North")
    expect(legal_places(page)).to_have_count(2)
    north = cards(page)
    assert (north[0] != "·", north[1:]) == (True, ["·", "·", "·"])
    touch(page, "bet")
    expect(page.get_by_text("Pass the screen to South.")).to_be_visible()
    expect(page.locator(".board-frame svg")).to_have_count(0)
    page.reload()
    expect(page.get_by_text("Pass the screen to South.")).to_be_visible()
    i_am(page, "South")
    expect(legal_places(page)).to_have_count(2)
    south = cards(page)
    assert (south[2] != "·", south[0], south[1], south[3]) == (True, "·", "·", "·")
    expect(move_list(page)).to_have_count(3)
    touch(page, "pass")
    expect(result(page)).to_be_visible()
    assert (cards(page)[0], cards(page)[2]) == (north[0], south[2])


def test_a_reload_keeps_the_game_and_another_window_has_its_own(visitor: Visitor) -> None:
    page = visitor.open("play/seats=human,human,human,human", **CALM)
    i_am(page, "North")
    touch(page, "bet")
    i_am(page, "East")
    expect(legal_places(page)).to_have_count(2)
    expect(move_list(page)).to_have_count(2)
    page.reload()
    expect(page.get_by_text("Pass the screen to East.")).to_be_visible()
    expect(move_list(page)).to_have_count(2)
    other = page.context.new_page()
    other.goto(page.url)
    expect(other.get_by_text("Pass the screen to North.")).to_be_visible()
    expect(move_list(other)).to_have_count(1)


def test_computers_play_a_whole_game_that_can_be_gone_through(visitor: Visitor) -> None:
    page = visitor.open("play/seats=1,1,1,1", **CALM)
    expect(result(page)).to_be_visible()
    assert "·" not in cards(page)
    expect(move_list(page)).to_have_count(5)
    expect(move_list(page).nth(1)).to_have_accessible_name(re.compile("^North: (pass|bet)$"))
    end = cards(page)
    page.get_by_role("link", name="Go through it").click()
    expect(page.get_by_role("heading", name="Review", level=1)).to_be_attached()
    expect(move_list(page)).to_have_count(8)
    assert cards(page) == end


def test_a_person_looks_back_and_sees_no_more(visitor: Visitor) -> None:
    page = visitor.open("play/seats=1,1,human,1", **CALM)
    expect(legal_places(page)).to_have_count(2)
    seen = cards(page)
    page.get_by_role("button", name="First position").click()
    expect(legal_places(page)).to_have_count(0)
    expect(page.get_by_role("button", name="One move back")).to_be_disabled()
    assert cards(page) == seen
    page.get_by_role("button", name="Last position").click()
    expect(legal_places(page)).to_have_count(2)


def test_a_hint_is_about_what_one_sees(visitor: Visitor) -> None:
    page = visitor.open("play/", **CALM)
    expect(legal_places(page)).to_have_count(2)
    page.get_by_role("button", name="Hint").click()
    said = page.get_by_text(re.compile("^By what you see: (pass|bet) .*; then (pass|bet) "))
    expect(said).to_be_visible()
    touch(page, "pass")
    expect(said).to_have_count(0)


def test_another_player_for_a_seat_is_another_deal(visitor: Visitor) -> None:
    page = visitor.open("play/seats=human,human,1,1", **CALM)
    i_am(page, "North")
    touch(page, "bet")
    chooser = page.get_by_label("East", exact=True)
    chooser.select_option("1")
    dialog = page.get_by_role("dialog", name=re.compile("^Leave this game"))
    dialog.get_by_role("button", name="Keep this game").click()
    expect(chooser).to_have_value("human")
    expect(page.get_by_text("Pass the screen to East.")).to_be_visible()
    chooser.select_option("1")
    dialog.get_by_role("button", name="Leave it and start over").click()
    expect(legal_places(page)).to_have_count(2)
    expect(page).to_have_url(re.compile("seats=human,1,1,1"))
    expect(move_list(page)).to_have_count(1)


def test_a_hand_is_quicker_than_an_answer(visitor: Visitor) -> None:
    """What was moved counts before the lab has said so."""
    held = Held("act")
    page = visitor.open("play/seats=human,human,1,1", held, **CALM)
    i_am(page, "North")
    touch(page, "bet")
    page.get_by_label("West", exact=True).select_option("2")
    held.let_go("act")
    dialog = page.get_by_role("dialog", name=re.compile("^Leave this game"))
    dialog.get_by_role("button", name="Keep this game").click()
    expect(page.get_by_text("Pass the screen to East.")).to_be_visible()
    expect(page.get_by_label("West", exact=True)).to_have_value("1")
    assert len(held.asked_for("act")) == len(held.asked_for("sit")) == 1


def test_games_with_and_without_secrets_take_turns(visitor: Visitor) -> None:
    page = visitor.open("play/game=nim", **CALM)
    expect(legal_places(page).first).to_be_visible()
    chooser = page.get_by_role("combobox", name="Game", exact=True)
    chooser.select_option("Kuhn poker")
    expect(seat(page, "First player")).to_have_text(re.compile("you.*to move"))
    expect(legal_places(page)).to_have_count(2)
    page.get_by_role("combobox", name="Game", exact=True).select_option("Tic-tac-toe")
    expect(legal_places(page)).to_have_count(9)
    page.go_back()
    page.goto(f"{visitor.lab.url}#play/game=leduc-poker")
    expect(legal_places(page)).to_have_count(2)


def test_poker_to_the_showdown_and_another_deal(visitor: Visitor) -> None:
    page = visitor.open("play/game=leduc-poker&seats=human,human", **CALM)
    for name in ("first player", "second player") * 2:
        i_am(page, name)
        touch(page, "check")
    expect(result(page)).to_have_text(re.compile("showdown"))
    page.get_by_role("button", name="New deal").first.click()
    expect(page.get_by_text("Pass the screen to first player.")).to_be_visible()
    expect(result(page)).to_have_count(0)


def test_a_table_that_is_gone_is_replaced(visitor: Visitor) -> None:
    page = visitor.open("play/game=kuhn-poker", **CALM)
    expect(legal_places(page)).to_have_count(2)
    page.evaluate(
        """() => {
          const kept = JSON.parse(sessionStorage.getItem("threefold-table"));
          sessionStorage.setItem("threefold-table", JSON.stringify({...kept, key: "gone"}));
        }"""
    )
    page.reload()
    expect(legal_places(page)).to_have_count(2)


def test_cards_are_chosen_by_keyboard(visitor: Visitor) -> None:
    page = visitor.open("play/", **CALM)
    expect(legal_places(page)).to_have_count(2)
    place(page, "pass").focus()
    page.keyboard.press("ArrowRight")
    expect(place(page, "bet")).to_be_focused()
    page.keyboard.press("Enter")
    expect(result(page)).to_be_visible()
    expect(move_list(page).nth(1)).to_have_accessible_name("North: bet")


def test_a_person_and_three_computers_play_bridge_from_bidding_to_score(visitor: Visitor) -> None:
    page = visitor.open("play/game=contract-bridge&seats=1,1,human,1", **CALM)
    expect(legal_places(page).or_(result(page)).first).to_be_visible()
    if legal_places(page).count():
        assert page.get_by_role("gridcell", name=re.compile("South's")).count() == 13
        assert page.get_by_role("gridcell", name=re.compile("(North|East|West)'s")).count() == 0
    while not result(page).count():
        made = page.locator(".move").count()
        passing = page.get_by_role("gridcell", name=re.compile("^pass, legal move"))
        legal = passing if passing.count() else legal_places(page)
        legal.first.click()
        expect(page.locator(".move").nth(made).or_(result(page)).first).to_be_visible()
        expect(legal_places(page).or_(result(page)).first).to_be_visible()
    expect(result(page)).to_have_text(re.compile("wins by|all passed"))
    page.get_by_role("link", name="Go through it").click()
    expect(page.get_by_role("heading", name="Review", level=1)).to_be_attached()
    expect(move_list(page).nth(55)).to_be_attached()


@pytest.mark.parametrize("width", [1280, PHONE["width"]])
def test_nothing_is_wider_than_the_screen(visitor: Visitor, width: int) -> None:
    page = visitor.open("play/seats=human,1,1,human", viewport={"width": width, "height": 800})
    expect(page.get_by_text("Pass the screen to North.")).to_be_visible()
    i_am(page, "North")
    expect(legal_places(page)).to_have_count(2)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_small_cards_are_enlarged_and_offered_as_buttons(visitor: Visitor) -> None:
    seats = "seats=human,1,1,1"
    page = visitor.open(
        f"play/game=contract-bridge(contract=1NT,declarer=W)&{seats}", viewport=PHONE, **CALM
    )
    expect(legal_places(page)).to_have_count(13)
    offered = page.get_by_role("group", name="Moves").get_by_role("button")
    expect(offered).to_have_count(13)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    offered.first.click()
    expect(move_list(page).nth(1)).to_have_accessible_name(re.compile("^North: [♣♦♥♠]"))


def test_axe_finds_nothing_serious(visitor: Visitor) -> None:
    axe = pytest.importorskip("axe_core_python.sync_playwright", reason="needs axe").Axe()

    def check() -> None:
        found = axe.run(page)["violations"]
        assert [each["id"] for each in found if each["impact"] in ("serious", "critical")] == []

    page = visitor.open("play/seats=human,human,1,1", **CALM)
    expect(page.get_by_text("Pass the screen to North.")).to_be_visible()
    check()
    i_am(page, "North")
    expect(legal_places(page)).to_have_count(2)
    check()
    touch(page, "bet")
    i_am(page, "East")
    touch(page, "pass")
    expect(result(page)).to_be_visible()
    check()
