"""The lab in a real browser: what its visitors do, with mouse and keyboard, on any screen.

Whatever the page complains of on its console fails the test that made it.
"""

import base64
import csv
import json
import re
import struct
from collections.abc import Iterator
from functools import reduce
from pathlib import Path
from xml.etree import ElementTree

import pytest

pytest.importorskip("playwright", reason="needs Playwright")
pytest.importorskip("axe_core_python", reason="needs axe-core")

from axe_core_python.sync_playwright import Axe  # type: ignore[import-untyped]
from lab_browser import (
    CHROMIUM,
    PATIENCE,
    ROOMS,
    Lab,
    Visitor,
    chromium,
    legal_places,
    middle,
    move_list,
    place,
    saved,
    touch,
)
from playwright.sync_api import Browser, Locator, Page, ViewportSize, expect

pytestmark = pytest.mark.skipif(not CHROMIUM.exists(), reason=f"needs Chromium at {CHROMIUM}")

BOTH_HUMAN = "first=human&second=human"
TREE = "((3 12 8) (2 4 6) (14 5 2))"
OWN_GAME = Path(__file__).parents[1] / "examples" / "twenty_one.py"
PHONE: ViewportSize = {"width": 360, "height": 740}

#: A game in which the second player's first move loses: only the middle answers a corner.
LOST_AT_ONCE = "a1;b1;b2;c3;a2;a3;c2"


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    with Lab() as one:
        yield one


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    expect.set_options(timeout=PATIENCE)
    with chromium() as one:
        yield one
    expect.set_options(timeout=None)


@pytest.fixture
def visitor(browser: Browser, lab: Lab) -> Iterator[Visitor]:
    one = Visitor(browser, lab)
    yield one
    one.leave()
    assert not one.wrong


def result(page: Page) -> Locator:
    """How the game ended."""
    return page.get_by_role("main").get_by_text(re.compile(r"^(.+ wins\b|A draw).*\.$"))


# Play.


@pytest.mark.parametrize(
    ("game", "moves", "ends"),
    [
        ("tic-tac-toe", "a1 b1 b2 c3 a2 a3 c2", "X wins."),
        ("mnk(m=4,n=3,k=3)", "c1 c3 b1 c2 d1", "X wins."),
        ("nim(heaps=1-2)", "2:2 2:1 1:1", "The first player wins."),
        ("connect-four(columns=4,rows=4,k=3)", "2 1 3 1 4", "The first player wins."),
        ("chess", "f2 f3 e7 e5 g2 g4 d8 h4", "Black wins."),
        ("kalah(pits=2,seeds=2)", "S2 N2 S1 N1 S2 N2 N1", "North wins by 2."),
    ],
)
def test_two_people_play_a_whole_game(visitor: Visitor, game: str, moves: str, ends: str) -> None:
    page = visitor.open(f"play/game={game}&{BOTH_HUMAN}")
    touch(page, *moves.split())
    expect(result(page)).to_have_text(ends)
    expect(legal_places(page)).to_have_count(0)


def test_a_side_without_a_move_passes(visitor: Visitor) -> None:
    page = visitor.open(f"play/game=othello(size=4)&{BOTH_HUMAN}")
    touch(page, "c4", "b4", "a1", "d2", "d4", "d3", "a2", "c1", "a4", "a3", "b1")
    page.get_by_role("group", name="Legal moves").get_by_role("button", name="pass").click()
    touch(page, "d1")
    expect(result(page)).to_have_text("Black wins by 12.")


def test_nature_rolls_by_itself(visitor: Visitor) -> None:
    page = visitor.open(f"play/game=dice-nim(stones=2)&{BOTH_HUMAN}")
    while True:
        expect(legal_places(page).or_(result(page)).first).to_be_visible()
        if result(page).count():
            break
        made = move_list(page).count()
        legal_places(page).first.click()
        expect(move_list(page).nth(made)).to_be_visible()
    expect(move_list(page).first).to_have_text(re.compile("roll-"))


def test_a_jump_over_several_pieces_from_a_pasted_position(visitor: Visitor) -> None:
    page = visitor.open(f"play/game=checkers&{BOTH_HUMAN}")
    expect(legal_places(page).first).to_be_visible()
    page.get_by_label("Position", exact=True).fill("B:W18,26:B14")
    page.get_by_role("button", name="Load", exact=True).click()
    expect(legal_places(page)).to_have_count(1)
    touch(page, "14", "23", "30")
    expect(move_list(page)).to_have_text(["14x23x30"])
    expect(result(page)).to_have_text("Black wins.")


@pytest.mark.parametrize("game", ["tic-tac-toe", "nim(heaps=1-2-3)"])
def test_a_whole_game_against_the_engine(visitor: Visitor, game: str) -> None:
    page = visitor.open(f"play/game={game}&second=1")
    while True:
        expect(legal_places(page).or_(result(page)).first).to_be_visible()
        if result(page).count():
            break
        made = move_list(page).count()
        legal_places(page).first.click()
        expect(move_list(page).nth(made + 1).or_(result(page)).first).to_be_visible()
    expect(page.get_by_role("link", name="Where was it lost?")).to_be_visible()


def test_the_engine_may_begin(visitor: Visitor) -> None:
    page = visitor.open("play/game=tic-tac-toe")
    expect(legal_places(page)).to_have_count(9)
    page.get_by_label("O", exact=True).select_option("Human")
    page.get_by_label("X", exact=True).select_option("1")
    expect(move_list(page)).to_have_count(1)
    expect(legal_places(page)).to_have_count(8)


def test_a_piece_is_dragged(visitor: Visitor) -> None:
    page = visitor.open(f"play/game=chess&{BOTH_HUMAN}")
    place(page, "e2").drag_to(place(page, "e4"))
    expect(move_list(page)).to_have_text(["e2e4"])


def test_a_pawn_becomes_what_is_chosen(visitor: Visitor) -> None:
    page = visitor.open(f"play/game=chess&start=8/P6k/8/8/8/8/8/K7 w - - 0 1&{BOTH_HUMAN}")
    touch(page, "a7", "a8")
    dialog = page.get_by_role("dialog", name="Which move?")
    expect(dialog.get_by_role("button", name="Queen")).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    touch(page, "a7", "a8")
    dialog.get_by_role("button", name="Knight").click()
    expect(move_list(page)).to_have_text(["a7a8n"])


def test_a_move_is_taken_back(visitor: Visitor) -> None:
    page = visitor.open(f"play/game=tic-tac-toe&{BOTH_HUMAN}")
    touch(page, "a1", "b2")
    expect(move_list(page)).to_have_text(["a1", "b2"])
    page.get_by_role("button", name="Take back").click()
    expect(move_list(page)).to_have_text(["a1"])
    expect(legal_places(page)).to_have_count(8)
    page.keyboard.press("Backspace")
    expect(move_list(page)).to_have_count(0)
    expect(page.get_by_role("button", name="Take back")).to_be_disabled()


def test_the_move_list_is_clicked_through(visitor: Visitor) -> None:
    page = visitor.open(f"play/game=tic-tac-toe&moves=a1;b2;c3&{BOTH_HUMAN}")
    position = page.get_by_label("Position", exact=True)
    expect(position).to_have_value("..X/.O./X.. O")
    move_list(page).first.click()
    expect(position).to_have_value(".../.../X.. O")
    expect(move_list(page)).to_have_count(3)
    expect(move_list(page).first).to_have_attribute("aria-current", "step")
    page.get_by_role("button", name="One move on").click()
    expect(position).to_have_value(".../.O./X.. X")
    page.keyboard.press("Home")
    expect(position).to_have_value(".../.../... X")
    page.keyboard.press("End")
    expect(position).to_have_value("..X/.O./X.. O")


def test_a_move_is_typed(visitor: Visitor) -> None:
    page = visitor.open(f"play/game=chess&{BOTH_HUMAN}")
    expect(legal_places(page).first).to_be_visible()
    typed = page.get_by_label("Type a move")
    typed.fill("Nf3")
    typed.press("Enter")
    expect(move_list(page)).to_have_text(["g1f3"])
    typed.fill("Nf3")
    typed.press("Enter")
    expect(page.get_by_role("alert").filter(has_text="Nf3")).to_be_visible()
    expect(move_list(page)).to_have_count(1)


def test_what_is_typed_stays_until_it_is_wanted(visitor: Visitor) -> None:
    page = visitor.open(f"play/game=tic-tac-toe&{BOTH_HUMAN}")
    position, move = page.get_by_label("Position", exact=True), page.get_by_label("Type a move")
    expect(position).to_have_value(".../.../... X")
    position.fill("XO./...")
    move.fill("c")
    touch(page, "a1")
    expect(move_list(page)).to_have_text(["a1"])
    expect(position).to_have_value("XO./...")
    expect(move).to_have_value("c")
    position.press("Escape")
    expect(position).to_have_value(".../.../X.. O")
    move.fill("b2")
    move.press("Enter")
    expect(position).to_have_value(".../.O./X.. X")
    expect(move).to_have_value("")
    position.fill("XO./.../... X")
    position.press("Enter")
    expect(move_list(page)).to_have_count(0)
    expect(position).to_have_value("XO./.../... X")
    position.fill("XO./...")
    page.get_by_role("combobox", name="Game", exact=True).select_option("Nim")
    expect(position).to_have_value("3-4-5 1")


def test_a_wrong_position_is_refused_with_the_reason(visitor: Visitor) -> None:
    page = visitor.open(f"play/game=tic-tac-toe&{BOTH_HUMAN}")
    expect(legal_places(page)).to_have_count(9)
    position = page.get_by_label("Position", exact=True)
    position.fill("XXX/XXX X")
    position.press("Enter")
    expect(page.get_by_role("alert").filter(has_text="XXX/XXX")).to_be_visible()


def test_a_game_is_chosen_with_its_parameters(visitor: Visitor) -> None:
    page = visitor.open(f"play/{BOTH_HUMAN}")
    page.get_by_role("combobox", name="Game", exact=True).select_option("Kalah")
    pits = page.get_by_label("pits", exact=True)
    pits.fill("3")
    pits.press("Enter")
    expect(legal_places(page)).to_have_count(3)
    expect(page).to_have_url(re.compile(r"game=kalah\(pits=3\)"))


def test_moves_are_read_out(visitor: Visitor) -> None:
    page = visitor.open(f"play/game=tic-tac-toe&{BOTH_HUMAN}")
    touch(page, "b2")
    news = page.get_by_role("status").filter(has_text="plays b2")
    expect(news).to_have_text("X plays b2; O to move")


# Turning the board round.


def turn_button(page: Page) -> Locator:
    return page.get_by_role("button", name="Turn board", exact=True)


@pytest.mark.parametrize(
    ("game", "here", "opposite"),
    [
        ("chess", "a1", "h8"),
        ("checkers", "4", "29"),
        ("othello", "b1", "g8"),
        ("kalah", "S1", "N1"),
    ],
)
def test_a_board_is_turned_round(visitor: Visitor, game: str, here: str, opposite: str) -> None:
    page = visitor.open(f"play/game={game}&{BOTH_HUMAN}")
    expect(turn_button(page)).to_have_attribute("aria-pressed", "false")
    before = middle(place(page, here)), middle(place(page, opposite))
    turn_button(page).click()
    expect(turn_button(page)).to_have_attribute("aria-pressed", "true")
    expect(page).to_have_url(re.compile("turned=1"))
    assert middle(place(page, opposite)) == pytest.approx(before[0], abs=1)
    assert middle(place(page, here)) == pytest.approx(before[1], abs=1)
    page.reload()
    expect(turn_button(page)).to_have_attribute("aria-pressed", "true")
    assert middle(place(page, opposite)) == pytest.approx(before[0], abs=1)
    page.keyboard.press("f")
    expect(turn_button(page)).to_have_attribute("aria-pressed", "false")
    assert middle(place(page, here)) == pytest.approx(before[0], abs=1)


def test_pieces_letters_and_players_turn_with_the_board(visitor: Visitor) -> None:
    page = visitor.open(f"play/game=chess&turned=1&{BOTH_HUMAN}")
    expect(turn_button(page)).to_have_attribute("aria-pressed", "true")
    letters = page.get_by_role("group", name="Chess board").locator("text")
    a, h, first = (letters.get_by_text(text, exact=True) for text in ("a", "h", "1"))
    assert middle(a)[0] > middle(h)[0]
    assert middle(a)[1] > middle(place(page, "a8"))[1], "below the board, as before"
    assert middle(first)[1] == pytest.approx(middle(place(page, "a1"))[1], abs=2)
    pieces = [middle(each) for each in page.locator(".board-frame > svg > g[transform]").all()]
    assert len(pieces) == 32
    for square in ("a1", "e8", "d2", "h7"):
        x, y = middle(place(page, square))
        assert any(abs(x - u) < 8 and abs(y - v) < 8 for u, v in pieces), square
    white, black = (page.get_by_text(f"{side} · human") for side in ("White", "Black"))
    assert middle(white)[1] < middle(black)[1]
    place(page, "e2").drag_to(place(page, "e4"))
    expect(move_list(page)).to_have_text(["e2e4"])
    page.keyboard.press("f")
    assert middle(white)[1] > middle(black)[1]


def test_players_sit_where_their_pieces_stand(visitor: Visitor) -> None:
    page = visitor.open(f"play/game=checkers&{BOTH_HUMAN}")
    black, white = (page.get_by_text(f"{side} · human") for side in ("Black", "White"))
    expect(place(page, "1")).to_have_accessible_name(re.compile("black man"))
    assert middle(black)[1] < middle(place(page, "1"))[1] < middle(place(page, "32"))[1]
    assert middle(place(page, "32"))[1] < middle(white)[1]


@pytest.mark.parametrize("game", ["connect-four", "nim", "dice-nim"])
def test_what_has_no_other_side_is_not_turned(visitor: Visitor, game: str) -> None:
    page = visitor.open(f"play/game={game}&{BOTH_HUMAN}")
    expect(legal_places(page).first).to_be_visible()
    expect(turn_button(page)).to_have_count(0)
    before = middle(legal_places(page).first)
    page.keyboard.press("f")
    assert "turned" not in page.url
    assert middle(legal_places(page).first) == before


def test_the_key_that_turns_the_board_can_be_typed(visitor: Visitor) -> None:
    page = visitor.open(f"play/game=chess&{BOTH_HUMAN}")
    expect(legal_places(page).first).to_be_visible()
    page.get_by_label("Type a move").press_sequentially("f3")
    expect(page.get_by_label("Type a move")).to_have_value("f3")
    expect(turn_button(page)).to_have_attribute("aria-pressed", "false")


def test_a_turned_board_keeps_what_is_marked_and_stays_turned_in_other_rooms(
    visitor: Visitor,
) -> None:
    page = visitor.open(f"review/game=tic-tac-toe&moves={LOST_AT_ONCE}&pace=0.1&run=1&at=5")
    expect(page.get_by_text("Best now is a3.")).to_be_visible()
    expect_marked(page, "a3")
    before = middle(place(page, "a3"))
    page.keyboard.press("f")
    expect(turn_button(page)).to_have_attribute("aria-pressed", "true")
    assert middle(place(page, "c1")) == pytest.approx(before, abs=1)
    expect_marked(page, "a3")
    page.get_by_role("navigation", name="Rooms").get_by_role("link", name="Analyse").click()
    expect(page.get_by_role("button", name="Hide hints")).to_be_visible()
    expect(turn_button(page)).to_have_attribute("aria-pressed", "true")


# Analyse.


def lines(page: Page) -> Locator:
    return page.get_by_role("group", name=re.compile("^Line of "))


def test_analysis_shows_depth_and_lines_that_can_be_played(visitor: Visitor) -> None:
    page = visitor.open("analyse/game=tic-tac-toe&moves=a1;b1")
    expect(page.get_by_text(re.compile(r"depth \d+"))).to_be_visible()
    expect(lines(page)).to_have_count(3)
    expect(page.get_by_role("meter", name="Evaluation")).to_have_attribute(
        "aria-valuetext", re.compile("wins")
    )
    second = lines(page).first.get_by_role("button").nth(1)
    move = second.inner_text()
    second.click()
    expect(move_list(page)).to_have_count(4)
    expect(move_list(page).last).to_have_text(move)


@pytest.mark.parametrize("viewport", [PHONE, {"width": 1280, "height": 800}])
def test_a_value_fits_into_the_bar(visitor: Visitor, viewport: ViewportSize) -> None:
    page = visitor.open("analyse/game=nim", viewport=viewport)
    text = page.locator(".eval-text")
    expect(text).to_have_text(re.compile(r"#\d\d"))
    assert text.evaluate(
        """text => {
          const range = document.createRange();
          range.selectNodeContents(text);
          const { width } = range.getBoundingClientRect();
          return range.getClientRects().length === 1 && width < text.parentElement.clientWidth;
        }"""
    )


def test_values_on_the_board_fit_into_their_frames(visitor: Visitor) -> None:
    page = visitor.open("analyse/game=tic-tac-toe&moves=a1;b1&values=1")
    labels = page.locator(".move-value")
    expect(labels).to_have_count(7)
    for label in labels.all():
        text, frame = (label.locator(part).bounding_box() for part in ("text", "rect"))
        assert text is not None
        assert frame is not None
        assert text["width"] < 0.9 * frame["width"], label.inner_text()
        square = place(page, "c3").bounding_box()
        assert square is not None
        assert frame["width"] < square["width"]


def test_hints_are_hidden(visitor: Visitor) -> None:
    page = visitor.open("analyse/game=tic-tac-toe")
    expect(lines(page).first).to_be_visible()
    page.get_by_role("button", name="Hide hints").click()
    expect(lines(page)).to_have_count(0)
    expect(page.get_by_role("meter", name="Evaluation")).to_have_attribute(
        "aria-valuetext", "hidden"
    )
    page.reload()
    expect(page.get_by_role("button", name="Hide hints", pressed=True)).to_be_visible()
    expect(lines(page)).to_have_count(0)


def test_a_position_is_solved(visitor: Visitor) -> None:
    page = visitor.open("analyse/game=tic-tac-toe&engine=0&moves=a1")
    page.get_by_role("button", name="Solve", exact=True).click()
    expect(page.get_by_text(re.compile("^solved"))).to_be_visible()
    expect(lines(page)).to_have_count(8)
    expect(lines(page).first).to_have_accessible_name("Line of b2")


# Review.


def expect_marked(page: Page, name: str) -> None:
    """The board marks this place, and no other, for the best move."""
    mark = page.locator(".board .arrow")
    expect(mark).to_have_count(1)
    assert middle(mark) == pytest.approx(middle(place(page, name)), abs=2)


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
    page.get_by_role("button", name="Take this game").click()
    expect(move_list(page)).to_have_count(7)
    expect(move_list(page).nth(1)).to_have_accessible_name("b1, blunder")


def test_the_board_shows_the_move_that_the_review_speaks_of(visitor: Visitor) -> None:
    page = visitor.open(f"review/game=tic-tac-toe&moves={LOST_AT_ONCE}&pace=0.1&run=1&at=2")
    expect(page.get_by_text("Better was b2.")).to_be_visible()
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
    expect(cards).to_have_count(9)
    for card in cards.all():
        expect(card.get_by_role("img")).to_be_visible()
    cards.filter(has_text="Kalah").get_by_role("link", name="Play").click()
    expect(page.get_by_role("group", name="Kalah board")).to_be_visible()
    expect(legal_places(page)).to_have_count(6)


# Step through.


def sentence(page: Page) -> Locator:
    return page.locator(".tf-sentence")


@pytest.mark.parametrize(
    ("example", "steps", "ends"),
    [
        ("Three times three", 25, "A is worth 3: the best line is B, E."),
        ("The smallest cut", 14, "A is worth 3: the best line is B, D."),
        ("Two plies deeper", 37, "A is worth 12: the best line is B, E, K."),
        ("Perfect order", 20, "A is worth 3: the best line is B, E."),
        ("Worst order", 30, "A is worth 3: the best line is C, J."),
        ("Scout and search again", 29, "A is worth 6: the best line is C, I."),
        ("Dice", 17, "A is worth 6.5: the best line is C."),
        ("Not quiet yet", 12, "A is worth 3: the best line is C."),
        ("Payoffs for each", 12, "A is worth ⟨3, 1⟩: the best line is B."),
    ],
)
def test_examples_are_stepped_through_to_the_published_answer(
    visitor: Visitor, example: str, steps: int, ends: str
) -> None:
    page = visitor.open("step/tree=(1 2)")
    page.get_by_label("Example").select_option(example)
    expect(page.get_by_role("slider", name="Step", exact=True)).to_have_attribute("max", f"{steps}")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Last step").click()
    # A line may not be broken within a window or a list: such spaces are no plain ones.
    expect(sentence(page)).to_have_text(re.compile(r"\s".join(map(re.escape, ends.split()))))
    expect(page.get_by_role("button", name="Next step")).to_be_disabled()


def test_keys_go_through_the_steps(visitor: Visitor) -> None:
    page = visitor.open(f"step/tree={TREE}")
    number = page.get_by_label("Go to step")
    expect(number).to_have_value("1")
    seen = [sentence(page).inner_text()]
    for key, step in [
        ("ArrowRight", "2"),
        ("ArrowRight", "3"),
        ("ArrowLeft", "2"),
        ("c", "14"),
        ("Home", "1"),
        ("End", "25"),
    ]:
        page.keyboard.press(key)
        expect(number).to_have_value(step)
        seen.append(sentence(page).inner_text())
    assert len(set(seen)) == 5
    page.keyboard.press("Home")
    page.keyboard.press("v")
    expect(number).not_to_have_value("1")
    expect(
        page.get_by_role("list", name="Lines of alphabeta").locator("[aria-current]")
    ).to_have_count(1)


def test_steps_are_jumped_to_and_slid_to(visitor: Visitor) -> None:
    page = visitor.open(f"step/tree={TREE}")
    number = page.get_by_label("Go to step")
    slider = page.get_by_role("slider", name="Step", exact=True)
    expect(number).to_have_value("1")
    number.fill("14")
    number.press("Enter")
    expect(slider).to_have_value("14")
    expect(sentence(page)).to_have_text(re.compile("I and J are never looked at"))
    slider.press("ArrowRight")
    expect(number).to_have_value("15")
    slider.fill("20")
    expect(number).to_have_value("20")
    expect(page).to_have_url(re.compile("step=20"))
    page.get_by_role("tab", name="Steps").click()
    page.get_by_role("tabpanel", name="Steps").get_by_role("button").nth(2).click()
    expect(number).to_have_value("3")


def test_the_tree_is_there_in_words(visitor: Visitor) -> None:
    page = visitor.open(f"step/tree={TREE}&step=25")
    page.get_by_role("tab", name="Outline").click()
    tree = page.get_by_role("tree", name="The tree in words")
    expect(tree.get_by_role("treeitem")).to_have_count(13)
    expect(tree.get_by_role("treeitem", name=re.compile(r"\bI\b.*cut"))).to_be_visible()
    first = tree.get_by_role("treeitem").first
    first.focus()
    first.press("ArrowLeft")
    expect(tree.get_by_role("treeitem")).to_have_count(1)


def test_a_position_of_a_game_is_stepped_through(visitor: Visitor) -> None:
    page = visitor.open("play/game=tic-tac-toe&moves=a1;b2;a2;a3;c1")
    page.get_by_role("link", name="Why? Step through").click()
    expect(page.get_by_role("heading", name="Step through")).to_be_visible()
    expect(page.get_by_role("combobox", name="Game", exact=True)).to_have_value("tic-tac-toe")
    page.get_by_role("button", name="Last step").click()
    expect(sentence(page)).to_have_text(re.compile("is worth"))


def test_a_tree_with_a_mistake_says_where(visitor: Visitor) -> None:
    page = visitor.open(f"step/tree={TREE}")
    expect(sentence(page)).not_to_be_empty()
    tree = page.get_by_label("Tree", exact=True)
    tree.fill("((3 12) (2")
    tree.press("Enter")
    expect(page.get_by_role("alert").filter(has_text=re.compile(r"\S"))).to_be_visible()
    tree.fill("((3 12) (2 4))")
    tree.press("Enter")
    expect(page.get_by_role("alert").filter(has_text=re.compile(r"\S"))).to_have_count(0)
    page.get_by_role("button", name="Last step").click()
    expect(sentence(page)).to_have_text(re.compile("A is worth 3"))


# Compare.


def test_procedures_are_compared_in_step(visitor: Visitor) -> None:
    page = visitor.open(f"compare/tree={TREE}")
    table = page.get_by_role("table", name="What each procedure costs")
    expect(
        table.get_by_role("row", name=re.compile("minimax")).get_by_role("cell")
    ).to_contain_text(["", "given", "3", "B E", "13", "9", "0"])
    expect(
        table.get_by_role("row", name=re.compile("alphabeta")).get_by_role("cell")
    ).to_contain_text(["", "given", "3", "B E", "11", "7", "1"])
    expect(page.get_by_text("All agree on the value 3.")).to_be_visible()
    runs = page.get_by_role("region").filter(has=page.get_by_role("heading", level=2))
    page.get_by_role("slider", name="Step of all runs").press("ArrowRight")
    for run in ("minimax", "alphabeta"):
        expect(runs.filter(has=page.get_by_role("heading", name=run))).to_contain_text("Step 2 of")
    page.get_by_role("button", name="Next cutoff").click()
    expect(page).to_have_url(re.compile("step=14"))


def test_another_procedure_joins_the_comparison(visitor: Visitor) -> None:
    page = visitor.open(f"compare/tree={TREE}")
    page.get_by_role("group", name="Procedures").get_by_role("checkbox", name="scout").check()
    table = page.get_by_role("table", name="What each procedure costs")
    expect(table.get_by_role("row")).to_have_count(4)


# Build.


def tree_text(page: Page) -> Locator:
    return page.get_by_label("The tree as text")


def test_a_tree_is_built_by_keyboard(visitor: Visitor) -> None:
    page = visitor.open("build/tree=(1 2)")
    outline = page.get_by_role("tree")
    expect(outline.get_by_role("treeitem")).to_have_count(3)
    outline.get_by_role("treeitem").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Insert")
    expect(tree_text(page)).to_have_value("((1) 2)")
    page.keyboard.press("Shift+Insert")
    expect(tree_text(page)).to_have_value("((1 0) 2)")
    page.keyboard.type("-7")
    page.keyboard.press("Enter")
    expect(tree_text(page)).to_have_value("((1 -7) 2)")
    page.keyboard.press("Alt+ArrowUp")
    expect(tree_text(page)).to_have_value("((-7 1) 2)")
    page.keyboard.press("Delete")
    expect(tree_text(page)).to_have_value("((1) 2)")
    page.keyboard.press("Control+z")
    expect(tree_text(page)).to_have_value("((-7 1) 2)")
    page.keyboard.press("Control+y")
    expect(tree_text(page)).to_have_value("((1) 2)")


def test_a_tree_is_built_by_clicks(visitor: Visitor) -> None:
    page = visitor.open("build/tree=(1 2)")
    outline = page.get_by_role("tree")
    outline.get_by_role("treeitem", name=re.compile("^B")).click()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Add sibling").click()
    expect(tree_text(page)).to_have_value("(1 0 2)")
    page.get_by_label("Value", exact=True).fill("9")
    page.get_by_label("Value", exact=True).press("Enter")
    expect(tree_text(page)).to_have_value("(1 9 2)")
    page.get_by_role("button", name="Delete").click()
    expect(tree_text(page)).to_have_value("(1 2)")
    page.get_by_role("button", name="Undo").click()
    expect(tree_text(page)).to_have_value("(1 9 2)")
    page.get_by_role("button", name="Step through", exact=True).click()
    expect(page.get_by_label("Tree", exact=True)).to_have_value("(1 9 2)")


def test_a_tree_is_built_from_text(visitor: Visitor) -> None:
    page = visitor.open("build/")
    expect(tree_text(page)).to_have_value(TREE)
    tree_text(page).fill("A(B:3 C~(0.5*4 0.5*6)")
    expect(page.get_by_role("alert").filter(has_text=re.compile(r"\S"))).to_be_visible()
    tree_text(page).fill("A(B:3 C~(0.5*4 0.5*6))")
    expect(page.get_by_role("treeitem")).to_have_count(5)
    expect(page.get_by_role("alert").filter(has_text=re.compile(r"\S"))).to_have_count(0)
    expect(page.get_by_role("treeitem", name=re.compile(r"^C.*chance"))).to_be_visible()


def test_a_position_is_set_up_and_played_from(visitor: Visitor) -> None:
    page = visitor.open("build/edit=position&game=othello(size=4)")
    position = page.get_by_label("The position as text")
    expect(position).to_have_value("-----OX--XO----- X")
    page.get_by_role("radio", name="O", exact=True).check()
    touch(page, "a1")
    expect(position).to_have_value("O----OX--XO----- X")
    page.get_by_role("button", name="Undo").click()
    expect(position).to_have_value("-----OX--XO----- X")
    page.get_by_role("radio", name="X", exact=True).check()
    touch(page, "b2")
    expect(position).to_have_value("-----XX--XO----- X")
    page.get_by_role("button", name="White to move").click()
    expect(position).to_have_value("-----XX--XO----- O")
    page.get_by_role("button", name="Play from here").click()
    # The address, for the engine may have moved before the board is looked at.
    expect(page).to_have_url(re.compile("#play/.*start=-----XX--XO-----%20O"))
    page.get_by_label("White", exact=True).select_option("Human")
    expect(legal_places(page).first).to_be_visible()


@pytest.mark.parametrize(
    ("game", "names"),
    [
        ("checkers", ["Black man", "Black king", "White man", "White king", "Nothing"]),
        ("tic-tac-toe", ["X", "O", "Nothing"]),
        ("kalah", ["One more", "One less"]),
    ],
)
def test_pieces_have_names(visitor: Visitor, game: str, names: list[str]) -> None:
    page = visitor.open(f"build/edit=position&game={game}")
    pieces = page.get_by_role("radiogroup", name="Piece to put").get_by_role("radio")
    expect(pieces).to_have_count(len(names))
    for piece, name in zip(pieces.all(), names, strict=True):
        expect(piece).to_have_accessible_name(name)


# Exercises.


def answer(page: Page, cuts: str) -> None:
    page.get_by_label("Value of the root A", exact=True).fill("3")
    page.get_by_label(re.compile("^2\\.")).select_option("B")
    for node, value in [("B", "3"), ("C", "2"), ("D", "2")]:
        page.get_by_role("textbox", name=f"Value of {node}", exact=True).first.fill(value)
    page.get_by_label(re.compile("^4\\.")).fill(cuts)
    page.get_by_role("button", name="Check", exact=True).click()


def test_an_exercise_is_solved_wrongly_and_rightly(visitor: Visitor) -> None:
    page = visitor.open(f"exercises/own=1&procedure=alphabeta&tree={TREE}")
    answer(page, "I")
    expect(page.get_by_text("Look here first:")).to_be_visible()
    expect(page.get_by_text(re.compile("All right!"))).to_have_count(0)
    answer(page, "I J")
    expect(page.get_by_text(re.compile("All right!"))).to_be_visible()


def test_a_sheet_is_saved_and_loaded(visitor: Visitor, tmp_path: Path) -> None:
    page = visitor.open(f"exercises/own=1&procedure=alphabeta&tree={TREE}", accept_downloads=True)
    answer(page, "I J")
    page.get_by_label("Your name").fill("Ada")
    with page.expect_download() as downloading:
        page.get_by_role("button", name="Save my sheet").click()
    sheet = tmp_path / "sheet.txt"
    downloading.value.save_as(sheet)
    assert "values: B=3 C=2 D=2" in sheet.read_text()
    page = visitor.open("exercises/")
    with page.expect_file_chooser() as choosing:
        page.get_by_role("button", name="Load a sheet").click()
    choosing.value.set_files(sheet)
    expect(page.get_by_label(re.compile("^4\\."))).to_have_value("I J")
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page.get_by_text(re.compile("All right!"))).to_be_visible()


def test_an_exercise_of_a_seed_is_the_same_for_all(visitor: Visitor) -> None:
    first, second = (visitor.open("exercises/seed=7") for _ in range(2))
    for page in (first, second):
        expect(page.get_by_role("heading", name="Exercise 7: alphabeta")).to_be_visible()
    trees = [page.locator(".exercise-paper .mono").text_content() for page in (first, second)]
    assert trees[0] == trees[1]


# Taking something along.


def export_of(page: Page, item: str) -> Locator:
    """An item of the menu, when it is open."""
    page.get_by_text("Export", exact=True).click()
    return page.get_by_role("button", name=item, exact=True)


def test_a_picture_is_taken_along_as_svg(visitor: Visitor) -> None:
    page = visitor.open(f"play/game=chess&moves=e2e4&turned=1&{BOTH_HUMAN}", color_scheme="dark")
    expect(move_list(page)).to_have_count(1)
    name, content = saved(page, export_of(page, "Picture, SVG"))
    assert name == "chess.svg"
    picture = ElementTree.fromstring(content)
    assert picture.tag == "{http://www.w3.org/2000/svg}svg"
    shapes = list(picture.iter())
    assert len([each for each in shapes if each.tag.endswith("}g") and len(each) == 2]) == 32
    assert not [each for each in shapes if "class" in each.attrib or "style" in each.attrib]
    assert not [each for each in shapes if "data-place" in each.attrib], "nothing to touch"
    fills = {each.get("fill") for each in shapes}
    assert "rgb(233, 237, 242)" in fills, "white as it is in the dark"


def test_a_picture_is_taken_along_as_png(visitor: Visitor) -> None:
    page = visitor.open("analyse/game=tic-tac-toe&moves=b2&engine=0")
    expect(move_list(page)).to_have_count(1)
    name, content = saved(page, export_of(page, "Picture, PNG"))
    assert name == "tic-tac-toe.png"
    assert content.startswith(b"\x89PNG\r\n")
    width, height = struct.unpack(">II", content[16:24])
    assert (width, height) == (2 * 204, 2 * 204), "twice the drawing's size"
    page.evaluate(
        """async data => {
          const bytes = Uint8Array.from(atob(data), letter => letter.charCodeAt(0));
          const picture = await createImageBitmap(new Blob([bytes]));
          const canvas = new OffscreenCanvas(picture.width, picture.height);
          const context = canvas.getContext("2d");
          context.drawImage(picture, 0, 0);
          window.middle = [...context.getImageData(204, 204, 1, 1).data];
        }""",
        base64.b64encode(content).decode(),
    )
    red, green, blue, opaque = page.evaluate("window.middle")
    assert opaque == 255
    assert red > green > blue, "the cross in the middle has the first player's colour"


def test_data_are_taken_along(visitor: Visitor) -> None:
    page = visitor.open("analyse/game=tic-tac-toe&moves=a1;b1;b2&at=2")
    expect(page.get_by_text(re.compile("^(proven|finished)$"))).to_be_visible()
    name, content = saved(page, export_of(page, "Data, JSON"))
    assert name == "tic-tac-toe.json"
    data = json.loads(content)
    assert (data["game"], data["moves"], data["at"]) == ("tic-tac-toe", ["a1", "b1", "b2"], 2)
    assert data["position"] == ".../.../XO. X"
    assert data["analysis"]["win_in"] == 5


@pytest.mark.parametrize(
    ("game", "moves", "file", "words"),
    [
        ("chess", "e2e4;e7e5;g1f3", "chess.pgn", "1. e4 e5 2. Nf3"),
        ("checkers", "11-15;23-19", "checkers.pdn", "1. 11-15 23-19"),
    ],
)
def test_a_game_is_taken_along_in_its_own_notation(
    visitor: Visitor, game: str, moves: str, file: str, words: str
) -> None:
    page = visitor.open(f"play/game={game}&moves={moves}&{BOTH_HUMAN}")
    expect(move_list(page)).to_have_count(len(moves.split(";")))
    name, content = saved(page, export_of(page, f"The game, {file[-3:].upper()}"))
    assert name == file
    assert words in content.decode()


def test_a_game_without_a_notation_offers_none(visitor: Visitor) -> None:
    page = visitor.open(f"play/game=nim&{BOTH_HUMAN}")
    expect(export_of(page, "Data, JSON")).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("^The game,|record"))).to_have_count(0)
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Data, JSON")).to_have_count(0)


def test_a_run_is_taken_along(visitor: Visitor) -> None:
    page = visitor.open(f"step/tree={TREE}&step=14")
    expect(page.get_by_label("Go to step")).to_have_value("14")
    page.get_by_text("Save", exact=True).click()
    name, content = saved(page, page.get_by_role("button", name="SVG", exact=True))
    assert name == "alphabeta-step.svg"
    texts = [each.text for each in ElementTree.fromstring(content).iter() if each.text]
    assert {"12", "E", "A"} <= set(texts)
    name, content = saved(page, page.get_by_role("button", name="PNG", exact=True))
    assert (name, content[:4]) == ("alphabeta-step.png", b"\x89PNG")
    name, content = saved(page, page.get_by_role("button", name="JSON", exact=True))
    assert name == "alphabeta-step.json"
    assert json.loads(content)["value"] == 3


def test_a_comparison_is_taken_along_as_csv(visitor: Visitor) -> None:
    page = visitor.open(f"compare/tree={TREE}")
    name, content = saved(page, page.get_by_role("button", name="Save as CSV"))
    assert name == "comparison.csv"
    assert list(csv.DictReader(content.decode().splitlines())) == [
        {
            "procedure": procedure,
            "order": "given",
            "value": "3",
            "nodes": nodes,
            "leaves": leaves,
            "cutoffs": cutoffs,
        }
        for procedure, nodes, leaves, cutoffs in (
            ("minimax", "13", "9", "0"),
            ("alphabeta", "11", "7", "1"),
        )
    ]


@pytest.mark.parametrize(
    ("room", "button"),
    [
        (f"play/game=tic-tac-toe&moves=a1;b2&{BOTH_HUMAN}", "Copy a link to this"),
        (f"step/tree={TREE}&step=9", "Copy link"),
        (f"compare/tree={TREE}&step=9", "Copy link"),
        (f"build/tree={TREE}", "Copy link"),
    ],
)
def test_a_link_is_copied(visitor: Visitor, room: str, button: str) -> None:
    page = visitor.open(room, permissions=["clipboard-read", "clipboard-write"])
    if button == "Copy link":
        page.get_by_role("button", name=button).click()
    else:
        export_of(page, button).click()
    expect(
        page.get_by_role("status").filter(has_text=re.compile("[Ll]ink.* copied"))
    ).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    assert room.partition("&")[0].partition("=")[0] in page.url


@pytest.mark.parametrize(
    ("room", "kept", "gone"),
    [
        (
            f"review/game=tic-tac-toe&moves={LOST_AT_ONCE}&pace=0.1&run=1&at=2",
            "Better was b2.",
            "Show it",
        ),
        (f"step/tree={TREE}&step=14", "C can be held to 2 or less", "Next value"),
        ("exercises/seed=7", "The value of the root A, for MAX.", "New exercise"),
    ],
)
def test_paper_gets_what_can_be_read_and_nothing_to_press(
    visitor: Visitor, room: str, kept: str, gone: str
) -> None:
    page = visitor.open(room, color_scheme="dark")
    reading, pressing = page.get_by_text(kept), page.get_by_role("button", name=gone)
    expect(reading.first).to_be_visible()
    expect(pressing).to_be_visible()
    page.emulate_media(media="print")
    expect(reading.locator("visible=true").first).to_be_visible()
    expect(pressing).not_to_be_visible()
    expect(page.get_by_role("navigation", name="Rooms")).not_to_be_visible()
    expect(page.locator(".button, .tf-button, select").locator("visible=true")).to_have_count(0)
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(29, 36, 51)", (
        "dark on white"
    )
    assert page.pdf().startswith(b"%PDF")


@pytest.mark.parametrize(
    "room",
    [
        f"play/game=tic-tac-toe&{BOTH_HUMAN}",
        f"step/tree={TREE}",
    ],
)
def test_printing_is_asked_for(visitor: Visitor, room: str) -> None:
    page = visitor.open(room)
    page.evaluate("window.print = () => { window.printed = true; }")
    if room.startswith("play"):
        export_of(page, "Print, or save as PDF").click()
    else:
        page.get_by_text("Save", exact=True).click()
        page.get_by_role("button", name="Print or PDF").click()
    assert page.evaluate("window.printed")


# Links.


def test_a_link_shows_the_same_game(visitor: Visitor) -> None:
    page = visitor.open(f"play/game=tic-tac-toe&{BOTH_HUMAN}")
    touch(page, "a1", "b2", "c3")
    expect(move_list(page)).to_have_count(3)
    page.get_by_role("button", name="One move back").click()
    position = page.get_by_label("Position", exact=True)
    expect(position).to_have_value(".../.O./X.. X")
    other = visitor.open(page.url.partition("#")[2])
    for shown in (other, page):
        shown.reload()
        expect(shown.get_by_label("Position", exact=True)).to_have_value(".../.O./X.. X")
        expect(move_list(shown)).to_have_text(["a1", "b2", "c3"])


def test_a_link_shows_the_same_step(visitor: Visitor) -> None:
    page = visitor.open("step/tree=((5 8 7) (9 6 8))&procedure=scout")
    page.get_by_label("Go to step").fill("9")
    page.get_by_label("Go to step").press("Enter")
    expect(page).to_have_url(re.compile("step=9"))
    said = sentence(page).inner_text()
    other = visitor.open(page.url.partition("#")[2])
    for shown in (other, page):
        shown.reload()
        expect(shown.get_by_label("Go to step")).to_have_value("9")
        expect(sentence(shown)).to_have_text(said)


def test_back_and_forward_go_through_the_rooms(visitor: Visitor) -> None:
    page = visitor.open(f"play/game=tic-tac-toe&moves=b2&{BOTH_HUMAN}")
    expect(move_list(page)).to_have_count(1)
    rooms = page.get_by_role("navigation", name="Rooms")
    rooms.get_by_role("link", name="Build").click()
    expect(page.get_by_role("heading", name="Build")).to_be_visible()
    rooms.get_by_role("link", name="Games").click()
    expect(page.get_by_role("heading", name="Games")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", name="Build")).to_be_visible()
    page.go_back()
    expect(move_list(page)).to_have_text(["b2"])
    page.go_forward()
    expect(rooms.get_by_role("link", name="Build")).to_have_attribute("aria-current", "page")


def test_the_wrong_room_and_a_wrong_game_are_survived(visitor: Visitor) -> None:
    page = visitor.open("cellar/game=tic-tac-toe")
    expect(legal_places(page)).to_have_count(9)
    page = visitor.open("play/game=no-such-game")
    page.get_by_role("button", name="Start another").click()
    expect(legal_places(page).first).to_be_visible()


# The connection, and a game of one's own.


def test_a_lost_connection_is_told_and_loses_nothing(browser: Browser) -> None:
    with Lab(str(OWN_GAME)) as lab:
        visitor = Visitor(browser, lab, excused="ERR_CONNECTION_REFUSED")
        page = visitor.open(f"play/{BOTH_HUMAN}")
        legal = page.get_by_role("group", name="Legal moves").get_by_role("button")
        legal.first.click()
        expect(move_list(page)).to_have_count(1)
        lab.stop()
        lost = page.get_by_text("Connection lost; trying again…")
        expect(lost).to_be_visible()
        legal.first.click()
        lab.start()
        expect(lost).to_have_count(0)
        expect(move_list(page)).to_have_count(2)
        visitor.leave()
    assert not visitor.wrong


def test_moves_of_a_game_without_places_stand_below_its_board(browser: Browser) -> None:
    with Lab(str(OWN_GAME)) as lab:
        visitor = Visitor(browser, lab)
        page = visitor.open(f"play/{BOTH_HUMAN}", viewport=PHONE, has_touch=True, is_mobile=True)
        legal = page.get_by_role("group", name="Legal moves").get_by_role("button")
        expect(legal).to_have_text(["1", "2", "3"])
        expect(legal.first).to_be_in_viewport()
        visitor.leave()
    assert not visitor.wrong


# Everybody.


def focus_by_tab(page: Page, target: Locator) -> None:
    for _ in range(60):
        page.keyboard.press("Tab")
        if target.evaluate_all("all => all.includes(document.activeElement)"):
            return
    raise AssertionError("the Tab key does not come there")


def test_a_game_by_keyboard_alone(visitor: Visitor) -> None:
    page = visitor.open(f"play/game=tic-tac-toe&{BOTH_HUMAN}")
    expect(legal_places(page)).to_have_count(9)
    focus_by_tab(page, page.get_by_role("gridcell"))
    for _ in range(2):
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowUp")
    expect(place(page, "a3")).to_be_focused()
    # The row above for the first player, the one below for the second.
    for made, keys in enumerate(
        ["", "ArrowDown", "ArrowUp ArrowRight", "ArrowDown", "ArrowUp ArrowRight"]
    ):
        for key in keys.split():
            page.keyboard.press(key)
        page.keyboard.press("Enter")
        expect(move_list(page)).to_have_count(made + 1)
    expect(move_list(page)).to_have_text(["a3", "a2", "b3", "b2", "c3"])
    expect(result(page)).to_have_text("X wins.")


def test_the_skip_link_leads_to_the_room(visitor: Visitor) -> None:
    page = visitor.open("games/")
    expect(page.get_by_role("heading", name="Games")).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the room")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()


#: A room, with something to see in it, and its main control.
WITH_SOMETHING = {
    "play": ("game=tic-tac-toe&moves=a1;b1&first=human&second=human", "New game"),
    "analyse": ("game=tic-tac-toe&moves=a1;b1", "Analyse"),
    "step": (f"tree={TREE}&step=14", "Next step (→)"),
    "compare": (f"tree={TREE}&step=14", "Next"),
    "build": (f"tree={TREE}", "Add child"),
    "review": (f"game=tic-tac-toe&moves={LOST_AT_ONCE}&pace=0.1&run=1&at=2", "Review the game"),
    "exercises": ("seed=7", "Check"),
    "games": ("", ""),
}


def enter(visitor: Visitor, room: str, **options: object) -> Page:
    """A room as it looks when all of it is there."""
    fragment, control = WITH_SOMETHING[room]
    page = visitor.open(f"{room}/{fragment}", **options)
    if control:
        expect(
            page.get_by_role("main").get_by_role("button", name=control, exact=True)
        ).to_be_visible()
    else:
        expect(page.get_by_role("main").get_by_role("img").nth(8)).to_be_visible()
    if room == "analyse":
        expect(lines(page).first).to_be_visible()
    if room == "review":
        expect(page.get_by_text("Better was b2.")).to_be_visible()
    return page


@pytest.mark.parametrize("room", ROOMS)
def test_rooms_fit_a_telephone(visitor: Visitor, room: str) -> None:
    page = enter(visitor, room, viewport=PHONE, has_touch=True, is_mobile=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert page.evaluate("visualViewport.scale") == 1
    expect(page.get_by_role("link", name="Play", exact=True).first).to_be_visible()


#: Three plies of five children, and names that no line is long enough for.
LARGE = reduce(lambda tree, _: f"({' '.join([tree] * 5)})", range(3), "7")
LONG_NAMES = f"{'Root' * 20}({'First' * 20}:123456 {'Second' * 20}(1 2))"


@pytest.mark.parametrize("room", ["step", "compare", "build"])
def test_a_large_tree_scrolls_in_its_own_box_on_a_telephone(visitor: Visitor, room: str) -> None:
    page = visitor.open(f"{room}/tree={LARGE}", viewport=PHONE, has_touch=True, is_mobile=True)
    frame = page.locator(".tf-frame").first
    expect(frame.locator(".node").nth(80)).to_be_attached()
    for _ in range(4):
        page.get_by_role("button", name="Zoom in").first.click()
    assert frame.evaluate("frame => frame.scrollWidth > 2 * frame.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    frame.evaluate("frame => frame.scrollTo(300, 0)")
    assert frame.evaluate("frame => frame.scrollLeft") == 300


@pytest.mark.parametrize("room", ["step", "compare", "build", "exercises"])
def test_long_names_are_broken_on_a_telephone(visitor: Visitor, room: str) -> None:
    page = visitor.open(
        f"{room}/own=1&procedure=alphabeta&step=5&tree={LONG_NAMES}",
        viewport=PHONE,
        has_touch=True,
        is_mobile=True,
    )
    expect(page.locator(".node").nth(4)).to_be_attached()
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]


@pytest.mark.parametrize("room", ROOMS)
def test_axe_finds_nothing_serious(visitor: Visitor, room: str) -> None:
    page = enter(visitor, room, reduced_motion="reduce")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.evaluate("Promise.allSettled(document.getAnimations().map(each => each.finished))")
        found = Axe().run(page)["violations"]
        serious = [
            (each["id"], node["target"], node["failureSummary"])
            for each in found
            if each["impact"] in ("serious", "critical")
            for node in each["nodes"]
        ]
        assert not serious, scheme


def brightness(page: Page) -> float:
    colour = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    red, green, blue = (float(part) for part in re.findall(r"[\d.]+", colour)[:3])
    return (red + green + blue) / 3


def test_dark_as_the_system_or_as_chosen(visitor: Visitor) -> None:
    page = visitor.open("games/", color_scheme="dark")
    assert brightness(page) < 60
    theme = page.get_by_role("button", name=re.compile("^Theme"))
    theme.click()
    expect(theme).to_have_accessible_name("Theme: light")
    assert brightness(page) > 200
    page.reload()
    expect(theme).to_have_accessible_name("Theme: light")
    assert brightness(page) > 200


@pytest.mark.parametrize(("motion", "moves"), [("reduce", False), ("no-preference", True)])
def test_pieces_glide_unless_motion_is_unwanted(visitor: Visitor, motion: str, moves: bool) -> None:
    page = visitor.open(f"play/game=chess&{BOTH_HUMAN}", reduced_motion=motion)
    page.evaluate(
        """() => {
          const { animate } = Element.prototype;
          window.glided = 0;
          Element.prototype.animate = function (...how) {
            window.glided++;
            return animate.apply(this, how);
          };
        }"""
    )
    touch(page, "e2", "e4")
    expect(move_list(page)).to_have_count(1)
    assert (page.evaluate("window.glided") > 0) == moves
