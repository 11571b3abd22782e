"""The lab in a real browser: games reviewed, the gallery, and what a position is worth.

Whatever the page complains of on its console fails the test that made it.
"""

import re

import pytest

pytest.importorskip("playwright", reason="needs Playwright")

from lab_browser import (
    BOTH_HUMAN,
    CHROMIUM,
    LOST_AT_ONCE,
    PATIENCE,
    PHONE,
    Visitor,
    expect_marked,
    legal_places,
    move_list,
)
from playwright.sync_api import expect

from threefold.games.catalogue import catalogue

pytestmark = pytest.mark.skipif(not CHROMIUM.exists(), reason=f"needs Chromium at {CHROMIUM}")


def test_a_review_finds_the_blunder(visitor: Visitor) -> None:
    page = visitor.open(f"review/game=tic-tac-toe&moves={LOST_AT_ONCE}&pace=0.1")
    page.get_by_role("button", name="Review the game").click()
    blunder = move_list(page).nth(1)
    expect(blunder).to_have_accessible_name("b1, blunder")
    expect(page.get_by_role("button", name=re.compile("blunder"))).to_have_count(2)
    blunder.click()
    expect(page.get_by_text("Better was b2.")).to_be_visible()


def test_a_pasted_game_is_reviewed(visitor: Visitor) -> None:
    page = visitor.open("review/game=tic-tac-toe&pace=0.1")
    page.get_by_role("textbox", name="Moves").fill("1. a1 b1 2. b2 c3 3. a2 a3 4. c2")
    page.get_by_role("button", name="Load this game").click()
    expect(move_list(page)).to_have_count(7)
    expect(move_list(page).nth(1)).to_have_accessible_name("b1, blunder")


def test_the_board_shows_the_move_that_the_review_speaks_of(visitor: Visitor) -> None:
    page = visitor.open(f"review/game=tic-tac-toe&moves={LOST_AT_ONCE}&pace=0.1&run=1&at=2")
    expect(page.get_by_text("Better was b2.")).to_be_visible()
    expect(page.get_by_role("progressbar", name="Review")).to_be_hidden()
    expect_marked(page, "b2")
    page.get_by_role("button", name="Show it").click()
    expect(page.get_by_text("Best now is b2.")).to_be_visible()
    expect_marked(page, "b2")
    move_list(page).nth(3).click()
    expect(page.get_by_text("Best now is a2.")).to_be_visible()
    expect_marked(page, "a2")


@pytest.mark.parametrize(
    ("game", "first", "second"),
    [
        ("chess", "White", "Black"),
        ("kalah", "South", "North"),
        ("nim", "First player", "Second player"),
    ],
)
def test_players_have_the_names_that_their_game_gives(
    visitor: Visitor, game: str, first: str, second: str
) -> None:
    page = visitor.open(f"play/game={game}&{BOTH_HUMAN}")
    for name in (first, second):
        expect(page.get_by_role("combobox", name=name, exact=True)).to_be_visible()
    page = visitor.open(f"build/edit=position&game={game}")
    for name in (first, second):
        expect(page.get_by_role("button", name=f"{name} to move", exact=True)).to_be_visible()
    said = first if game == "kalah" else first.lower()
    good = f"good for {'the ' if game == 'nim' else ''}{said}"
    page = visitor.open(f"analyse/game={game}&engine=0")
    expect(page.get_by_text(f"Up: {good}", exact=True)).to_be_visible()
    page = visitor.open(f"review/game={game}")
    expect(page.get_by_text(re.compile(f"^Up: {good}[.]"))).to_be_visible()


def test_a_review_counts_by_the_names_of_the_players(visitor: Visitor) -> None:
    page = visitor.open(f"review/game=tic-tac-toe&moves={LOST_AT_ONCE}&pace=0.1&run=1")
    expect(page.get_by_role("rowheader")).to_have_text(["X", "O"])


# Games.


def test_every_game_of_the_gallery_is_shown_and_opens(visitor: Visitor) -> None:
    page = visitor.open("games/")
    cards = page.get_by_role("main").get_by_role("listitem").filter(has=page.get_by_role("heading"))
    expect(cards).to_have_count(len([*catalogue()]))
    for card in cards.all():
        expect(card.get_by_role("img")).to_be_visible()
    cards.filter(has_text="Kalah").get_by_role("link", name="Play").click()
    expect(page.get_by_role("group", name="Kalah board")).to_be_visible()
    expect(legal_places(page)).to_have_count(6)


# The evaluation, term by term.


def test_weights_are_tried_and_compared(visitor: Visitor) -> None:
    page = visitor.open("analyse/game=othello(size=4)&eval=discs&engine=0&moves=a2")
    page.get_by_text("The evaluation, term by term").click()
    terms = page.get_by_role("table", name="The terms of discs")
    expect(terms.get_by_role("row", name="discs 4 1")).to_contain_text("+3")
    compare = page.get_by_role("button", name="Compare best moves")
    expect(compare).to_be_disabled()
    terms.get_by_label("Weight of discs").fill("-2")
    terms.get_by_label("Weight of discs").press("Enter")
    expect(terms.get_by_role("row", name="discs 4 1")).to_contain_text("\u22126")
    expect(terms.get_by_role("columnheader", name="With own weights")).to_be_visible()
    compare.click()
    compared = page.get_by_role("row", name=re.compile("^Yours"))
    compared.wait_for(timeout=PATIENCE)
    expect(page.get_by_role("row", name=re.compile("^Own "))).to_be_visible()
    # The address keeps the weights, and the game's own come back.
    expect(page).to_have_url(re.compile("weights=discs=-2"))
    page.reload()
    expect(terms.get_by_label("Weight of discs")).to_have_value("-2")
    page.get_by_role("button", name="The game's own weights").click()
    expect(terms.get_by_label("Weight of discs")).to_have_value("1")


def test_a_weight_typed_back_is_the_games_own_again(visitor: Visitor) -> None:
    page = visitor.open("analyse/game=chess&engine=0&terms=1")
    terms = page.get_by_role("table", name="The terms of positional")

    def weigh(term: str, weight: str) -> None:
        terms.get_by_label(f"Weight of {term}").fill(weight)
        terms.get_by_label(f"Weight of {term}").press("Enter")

    weigh("mobility", "2.5")
    # What the game's own weights leave over does not count with others, and that is said.
    expect(terms.get_by_label("Weight of rounding")).to_have_value("0")
    expect(page.get_by_text("rounding belongs to the game's own weights")).to_be_visible()
    expect(page).to_have_url(re.compile(r"weights=mobility=2\.5(&|$)"))
    weigh("rounding", "1")
    expect(page.get_by_text("rounding belongs to the game's own weights")).to_have_count(0)
    expect(page).to_have_url(re.compile(r"weights=mobility=2\.5,rounding=1(&|$)"))
    weigh("mobility", "1")
    expect(terms.get_by_role("columnheader", name="With own weights")).to_have_count(0)
    expect(terms.get_by_label("Weight of rounding")).to_have_value("1")
    expect(terms.locator(".changed")).to_have_count(0)
    expect(page.get_by_role("button", name="Compare best moves")).to_be_disabled()
    expect(page).not_to_have_url(re.compile("weights"))


def test_a_finished_game_has_its_terms_too(visitor: Visitor) -> None:
    mate = "moves=f2f3;e7e5;g2g4;d8h4&weights=queen=8"
    page = visitor.open(f"analyse/game=chess&eval=material&engine=0&terms=1&{mate}")
    terms = page.get_by_role("table", name="The terms of material")
    expect(terms.get_by_role("row", name="queen 1 1")).to_be_visible()
    expect(page.get_by_text("a search counts its utility, \u22121.")).to_be_visible()
    expect(page.get_by_role("button", name="Compare best moves")).to_be_disabled()


def test_a_phone_shows_every_share(visitor: Visitor) -> None:
    page = visitor.open("analyse/game=chess&engine=0&terms=1&weights=mobility=2.5", viewport=PHONE)
    terms = page.get_by_role("table", name="The terms of positional")
    expect(terms.get_by_role("row", name="worth 3970 : 3970")).to_be_visible()
    place = terms.locator("..")
    assert place.evaluate("place => place.scrollWidth <= place.clientWidth")


def test_a_game_without_an_evaluation_has_no_terms(visitor: Visitor) -> None:
    page = visitor.open("analyse/game=nim&engine=0&terms=1")
    expect(page.get_by_text("This game has no evaluation.")).to_be_visible()
