"""The lab in a real browser, clicked while it is still fetching what the click is about.

Whatever the page complains of on its console fails the test that made it.
"""

import re

import pytest

pytest.importorskip("playwright", reason="needs Playwright")

from lab_browser import (
    BOTH_HUMAN,
    CHROMIUM,
    Held,
    Visitor,
    legal_places,
    lines,
    move_list,
    place,
    sentence,
    touch,
)
from playwright.sync_api import Locator, Page, expect

pytestmark = pytest.mark.skipif(not CHROMIUM.exists(), reason=f"needs Chromium at {CHROMIUM}")


def click(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def position(page: Page) -> Locator:
    return page.get_by_label("Position", exact=True)


def expect_games(page: Page) -> None:
    """The page knows all games."""
    expect(page.get_by_role("option", name="Backgammon")).to_have_count(1)


# Analyze.


def expect_solved(page: Page, moves: int) -> None:
    expect(page.get_by_text(re.compile("^solved"))).to_be_visible()
    expect(lines(page)).to_have_count(moves)


def test_solve_is_clicked_before_there_is_a_position(visitor: Visitor) -> None:
    held = Held("view")
    page = visitor.open("analyse/game=tic-tac-toe&engine=0&moves=a1", held)
    expect_games(page)
    click(page, "Solve")
    held.let_go("view")
    expect_solved(page, 8)


def test_solve_is_clicked_before_the_games_are_known(visitor: Visitor) -> None:
    held = Held("games", "solve")
    page = visitor.open("analyse/game=tic-tac-toe&engine=0&moves=a1", held)
    expect(legal_places(page)).to_have_count(8)
    click(page, "Solve")
    held.let_go("games")
    expect_games(page)
    held.let_go("solve")
    expect_solved(page, 8)


def test_solve_is_clicked_right_after_a_move(visitor: Visitor) -> None:
    held = Held()
    page = visitor.open("analyse/game=tic-tac-toe&engine=0&moves=a1", held)
    expect_games(page)
    expect(legal_places(page)).to_have_count(8)
    held.hold("view", "solve")
    touch(page, "b2")
    click(page, "Solve")
    held.let_go("view")
    expect(move_list(page)).to_have_count(2)
    held.let_go("solve")
    expect_solved(page, 7)


def test_analyze_is_clicked_right_after_a_move(visitor: Visitor) -> None:
    held = Held()
    page = visitor.open("analyse/game=tic-tac-toe&engine=0&moves=a1", held)
    expect_games(page)
    expect(legal_places(page)).to_have_count(8)
    held.hold("view")
    touch(page, "b2")
    click(page, "Analyze")
    held.let_go("view")
    expect(lines(page)).to_have_count(3)
    (asked,) = held.asked_for("analyse")
    assert asked["moves"] == ["a1", "b2"]


def test_moves_are_valued_by_the_evaluation_of_a_game_that_is_still_fetched(
    visitor: Visitor,
) -> None:
    held = Held("view")
    page = visitor.open("analyse/game=tic-tac-toe&engine=0&eval=threats&moves=a1;b1", held)
    expect_games(page)
    click(page, "Value every move")
    held.let_go("view")
    expect(page.get_by_role("slider", name="Values over the game")).to_have_attribute(
        "aria-valuetext", re.compile("^after 2 of 2 moves: (?!not known yet)")
    )
    (asked,) = held.asked_for("review")
    assert asked["eval"] == "threats"


def test_moves_are_valued_before_there_is_a_game(visitor: Visitor) -> None:
    held = Held("games")
    page = visitor.open("analyse/engine=0", held)
    glance = page.get_by_role("button", name="Value every move")
    glance.click()
    held.let_go("games")
    expect(glance).to_be_enabled()
    (asked,) = held.asked_for("review")
    assert asked["game"] == "connect-four"


def test_weights_are_compared_right_after_a_move(visitor: Visitor) -> None:
    held = Held()
    address = "analyse/game=othello(size=4)&eval=discs&engine=0&terms=1&weights=discs=-2"
    page = visitor.open(address, held)
    expect(legal_places(page)).to_have_count(4)
    expect(page.get_by_role("button", name="Compare best moves")).to_be_enabled()
    held.hold("view")
    touch(page, "a2")
    click(page, "Compare best moves")
    held.let_go("view")
    expect(page.get_by_role("row", name=re.compile("^Yours"))).to_be_visible()
    assert [each["moves"] for each in held.asked_for("analyse")] == [["a2"], ["a2"]]


# Play.


def test_a_move_is_taken_back_before_it_is_shown(visitor: Visitor) -> None:
    held = Held()
    page = visitor.open(f"play/game=tic-tac-toe&moves=a1;b1&{BOTH_HUMAN}", held)
    expect(legal_places(page)).to_have_count(7)
    held.hold("view")
    touch(page, "c1")
    click(page, "Take back")
    held.let_go("view")
    expect(move_list(page)).to_have_text(["a1", "b1"])
    expect(page).to_have_url(re.compile("moves=a1;b1(&|$)"))
    expect(place(page, "c1")).to_have_accessible_name(re.compile("legal move"))


def test_a_game_that_is_still_fetched_is_not_thrown_away(visitor: Visitor) -> None:
    held = Held("view")
    page = visitor.open(f"play/game=tic-tac-toe&moves=a1;b1&{BOTH_HUMAN}", held)
    click(page, "New game")
    held.let_go("view")
    dialog = page.get_by_role("dialog", name=re.compile("^Leave this game"))
    dialog.get_by_role("button", name="Keep this game").click()
    expect(move_list(page)).to_have_text(["a1", "b1"])


def test_a_new_game_is_wanted_before_there_is_one(visitor: Visitor) -> None:
    held = Held("games")
    page = visitor.open(f"play/{BOTH_HUMAN}", held)
    click(page, "New game")
    held.let_go("games")
    expect(page.get_by_role("group", name="Connect Four board")).to_be_visible()
    assert {each["game"] for each in held.asked_for("view")} == {"connect-four"}


@pytest.mark.parametrize("room", ["play", "analyse"])
def test_a_legal_move_is_made_once_by_a_double_click(visitor: Visitor, room: str) -> None:
    held = Held()
    page = visitor.open(f"{room}/game=tic-tac-toe&engine=0&{BOTH_HUMAN}", held)
    page.get_by_text("All 9 legal moves").click()
    held.hold("view")
    page.get_by_role("button", name="b2", exact=True).dblclick()
    held.let_go("view")
    expect(move_list(page)).to_have_text(["b2"])
    expect(page).to_have_url(re.compile("moves=b2(&|$)"))


def test_a_line_is_played_once_by_a_double_click(visitor: Visitor) -> None:
    held = Held()
    page = visitor.open("analyse/game=tic-tac-toe&moves=a1;b1", held)
    expect(page.get_by_text("proven")).to_be_visible()
    held.hold("view")
    lines(page).first.get_by_role("button").first.dblclick()
    held.let_go("view")
    expect(move_list(page)).to_have_count(3)
    expect(legal_places(page)).to_have_count(6)


def test_a_move_is_typed_before_the_last_one_is_shown(visitor: Visitor) -> None:
    held = Held()
    page = visitor.open(f"play/game=tic-tac-toe&{BOTH_HUMAN}", held)
    expect(legal_places(page)).to_have_count(9)
    typed = page.get_by_label("Type a move")
    held.hold("view")
    typed.fill("b2")
    typed.press("Enter")
    typed.press("Enter")
    typed.fill("a1")
    typed.press("Enter")
    held.let_go("view")
    expect(move_list(page)).to_have_text(["b2", "a1"])
    expect(typed).to_have_value("")


# Going through a game.


@pytest.mark.parametrize("room", ["play", "analyse", "review"])
def test_a_game_is_gone_through_faster_than_it_is_shown(visitor: Visitor, room: str) -> None:
    held = Held("view")
    page = visitor.open(f"{room}/game=tic-tac-toe&engine=0&moves=a1;b1;c1;a2&{BOTH_HUMAN}", held)
    click(page, "One move back")
    click(page, "One move back")
    expect(page).to_have_url(re.compile("at=2(&|$)"))
    held.let_go("view")
    expect(move_list(page).nth(1)).to_have_attribute("aria-current", "step")
    held.hold("view")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(page).to_have_url(re.compile("at=0(&|$)"))
    click(page, "Last position")
    expect(page).not_to_have_url(re.compile("at="))
    held.let_go("view")
    expect(move_list(page).nth(3)).to_have_attribute("aria-current", "step")


def test_the_graph_is_gone_through_faster_than_it_is_shown(visitor: Visitor) -> None:
    held = Held()
    page = visitor.open("analyse/game=tic-tac-toe&engine=0&moves=a1;b1;c1;a2", held)
    graph = page.get_by_role("slider", name="Values over the game")
    expect(graph).to_have_attribute("aria-valuenow", "4")
    held.hold("view")
    graph.press("ArrowLeft")
    graph.press("ArrowLeft")
    expect(page).to_have_url(re.compile("at=2(&|$)"))
    held.let_go("view")
    expect(graph).to_have_attribute("aria-valuenow", "2")
    expect(position(page)).to_have_value(".../.../XO. X")


# Build.


def test_a_position_is_used_with_the_piece_that_was_put_last(visitor: Visitor) -> None:
    held = Held()
    page = visitor.open("build/edit=position&game=tic-tac-toe", held)
    expect(legal_places(page)).to_have_count(9)
    held.hold("put")
    touch(page, "b1")
    click(page, "Analyze")
    held.let_go("put")
    expect(position(page)).to_have_value(".../.../.X. O")


def test_a_position_is_used_as_it_was_typed(visitor: Visitor) -> None:
    held = Held()
    page = visitor.open("build/edit=position&game=tic-tac-toe", held)
    expect(legal_places(page)).to_have_count(9)
    held.hold("view")
    page.get_by_label("The position as text").fill(".../.O./X.. X")
    click(page, "Analyze")
    held.let_go("view")
    expect(position(page)).to_have_value(".../.O./X.. X")


def test_a_position_is_used_before_it_is_shown(visitor: Visitor) -> None:
    held = Held("view")
    page = visitor.open("build/edit=position&game=tic-tac-toe&moves=a1", held)
    click(page, "Analyze")
    held.let_go("view")
    expect(position(page)).to_have_value(".../.../X.. O")


# Paths, and what else is stepped through.


def test_a_step_is_not_taken_in_a_run_that_is_about_to_go(visitor: Visitor) -> None:
    held = Held()
    page = visitor.open("paths/on=tour", held)
    said = sentence(page)
    expect(said).to_have_text(re.compile("^Start with"))
    first = said.text_content() or ""
    held.hold("local")
    page.get_by_label("Cities", exact=True).fill("12")
    page.get_by_label("Cities", exact=True).press("Enter")
    expect(page).to_have_url(re.compile("cities=12"))
    page.keyboard.press("End")
    page.wait_for_timeout(400)  # a step is written into the address a little later
    expect(said).to_have_text(first)
    held.let_go("local")
    expect(said).not_to_have_text(first)
    expect(said).to_have_text(re.compile("^Start with"))
    page.get_by_role("button", name="Last step").click()
    expect(said).to_have_text(re.compile("The best tour found has length"))
