"""The lab in a real browser: procedures stepped through, compared; trees built; exercises worked.

Whatever the page complains of on its console fails the test that made it.
"""

import re
from pathlib import Path

import pytest

pytest.importorskip("playwright", reason="needs Playwright")

from lab_browser import CHROMIUM, TREE, Visitor, legal_places, move_list, sentence, touch
from playwright.sync_api import Locator, Page, expect

pytestmark = pytest.mark.skipif(not CHROMIUM.exists(), reason=f"needs Chromium at {CHROMIUM}")


# Step through.


@pytest.mark.parametrize(
    ("example", "steps", "ends"),
    [
        ("Three times three", 26, "A is worth 3: the best line is B, E."),
        ("The smallest cut", 14, "A is worth 3: the best line is B, D."),
        ("Two plies deeper", 38, "A is worth 12: the best line is B, E, K."),
        ("Perfect order", 20, "A is worth 3: the best line is B, E."),
        ("Worst order", 31, "A is worth 3: the best line is C, J."),
        ("Scout and search again", 29, "A is worth 6: the best line is C, I."),
        ("Dice", 17, "A is worth 6.5: the best line is C."),
        ("Not quiet yet", 12, "A is worth 3: the best line is C."),
        ("Payoffs for each", 12, "A is worth ⟨3, 1⟩: the best line is B."),
        (
            "Rounds of simulations",
            150,
            "After 20 rounds, the mean at A is 4.55; the most visited line is C, G.",
        ),
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


def test_the_side_where_equality_cuts_is_chosen(visitor: Visitor) -> None:
    page = visitor.open("step/tree=(1 2)")
    page.get_by_label("Example").select_option("Ties at both sides")
    page.get_by_text("Options", exact=True).click()
    page.get_by_label("A value equal to the bound").select_option("cuts at MAX only (≥ and <)")
    expect(page).to_have_url(re.compile("cut=max"))
    page.get_by_role("button", name="Last step").click()
    expect(page.locator(".tree .edge.cut")).to_have_count(2)  # K and O
    expect(page.locator(".tf-printed").first).to_contain_text("as printed: if α ≥ β")
    page.get_by_label("Procedure", exact=True).select_option("scout")  # which has no such choice
    expect(page.get_by_label("A value equal to the bound")).to_have_count(0)
    expect(page.get_by_role("list", name="Lines of scout")).to_be_visible()


def test_the_phases_of_simulations_are_shown(visitor: Visitor) -> None:
    page = visitor.open(f"step/tree={TREE}&procedure=mcts&step=2")
    phases = page.get_by_role("list", name="Phases of a round")
    current = phases.locator("[data-current]")
    expect(current).to_have_text("Selection")
    for name in ("Expansion", "Simulation", "Back-up"):
        page.keyboard.press("ArrowRight")
        expect(current).to_have_text(name)
    expect(page).to_have_url(re.compile("&step=5"))  # it is written a little later
    page.get_by_text("Options", exact=True).click()
    page.get_by_label("Simulations").fill("4")
    page.get_by_label("Simulations").press("Enter")
    expect(page).to_have_url(re.compile("simulations=4"))
    page.get_by_role("button", name="Last step").click()
    expect(sentence(page)).to_contain_text("After 4 rounds")
    expect(current).to_have_count(0)
    expect(page).to_have_url(re.compile(r"&step=\d"))
    page.get_by_label("Exploration c").fill("0")
    page.get_by_label("Exploration c").press("Enter")
    expect(page).to_have_url(re.compile("exploration=0"))
    expect(page.get_by_label("Go to step")).to_have_value("1")
    page.get_by_role("tab", name="Steps").click()
    bound = re.compile(r"8 \+ 0·√\(ln\s3\s/\s1\)\s=\s8")
    expect(page.get_by_role("tabpanel", name="Steps")).to_have_text(bound)
    page.get_by_label("Procedure", exact=True).select_option("alphabeta")
    expect(phases).to_have_count(0)
    expect(page.get_by_label("Simulations")).to_have_count(0)


def test_simulations_of_a_game_need_no_depth(visitor: Visitor) -> None:
    page = visitor.open("step/on=game&game=tic-tac-toe&procedure=mcts&order=best-first")
    expect(sentence(page)).to_contain_text("mcts starts at the root")
    plies = page.get_by_role("spinbutton", name="Plies")
    expect(plies).to_have_count(0)
    expect(page.get_by_label("Evaluation")).to_have_count(0)
    expect(page.get_by_label("Order of the children")).to_have_count(0)
    page.get_by_label("Procedure", exact=True).select_option("alphabeta")
    expect(plies).to_be_visible()
    expect(sentence(page)).to_contain_text("alphabeta starts at the root")


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
        ("End", "26"),
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
    expect(move_list(page)).to_have_count(6)  # the engine has moved
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


def test_the_first_screen_leads_to_a_cut(visitor: Visitor) -> None:
    page = visitor.open("")
    expect(legal_places(page).first).to_be_visible()
    page.get_by_role("link", name="See a search prune a tree").click()
    expect(page.get_by_label("Example")).to_have_value("0")
    expect(sentence(page)).to_contain_text("never looked at")
    expect(page.locator(".step-place .edge.cut")).to_have_count(2)
    page.get_by_role("button", name="First step").click()
    expect(page).not_to_have_url(re.compile("step="))
    page.reload()
    expect(page.get_by_label("Go to step")).to_have_value("1")


@pytest.mark.parametrize("room", ["Step through", "Compare"])
def test_rooms_for_trees_open_on_one_with_a_cut_to_see(visitor: Visitor, room: str) -> None:
    page = visitor.open("play/game=connect-four&moves=4;4")
    expect(legal_places(page).first).to_be_visible()
    page.get_by_role("navigation", name="Rooms").get_by_role("link", name=room).click()
    expect(page.get_by_role("button", name="A tree", exact=True)).to_have_attribute(
        "aria-pressed", "true"
    )
    expect(page.get_by_role("textbox", name="Tree")).to_have_value(TREE)
    expect(page.locator(".edge.cut").first).to_be_in_viewport()


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
    for run, steps in (("minimax", 30), ("alphabeta", 26)):
        expect(runs.filter(has=page.get_by_role("heading", name=run))).to_contain_text(
            f"Step {steps} of {steps}: done"
        )
    page.get_by_role("slider", name="Step of all runs").press("Home")
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


def test_a_tree_is_built_on_its_picture(visitor: Visitor) -> None:
    page = visitor.open(f"build/tree={TREE}")
    nodes = page.get_by_role("region", name="Picture of the tree").locator(".node")
    expect(nodes).to_have_count(13)
    nodes.nth(2).click()
    page.keyboard.press("9")
    page.keyboard.press("Enter")
    expect(tree_text(page)).to_have_value("((9 12 8) (2 4 6) (14 5 2))")
    page.keyboard.press("ArrowRight")
    page.keyboard.type("-4")
    page.keyboard.press("Tab")  # on to the next leaf
    page.keyboard.type("7")
    page.keyboard.press("Escape")  # as it was
    expect(tree_text(page)).to_have_value("((9 -4 8) (2 4 6) (14 5 2))")
    nodes.nth(6).dblclick()
    page.keyboard.type("Z:5")
    page.keyboard.press("Enter")
    expect(tree_text(page)).to_have_value("((9 -4 8) (Z:5 4 6) (14 5 2))")
    nodes.nth(7).click()
    page.keyboard.press("Delete")
    expect(tree_text(page)).to_have_value("((9 -4 8) (Z:5 6) (14 5 2))")
    page.keyboard.press("Control+z")
    expect(tree_text(page)).to_have_value("((9 -4 8) (Z:5 4 6) (14 5 2))")


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


def test_marking_forgives_form(visitor: Visitor) -> None:
    page = visitor.open(f"exercises/own=1&procedure=alphabeta&tree={TREE}")
    page.get_by_label("Value of the root A", exact=True).fill(" 3 ")
    page.get_by_label(re.compile("^2\\.")).select_option("B")
    for node, value in [("B", "= 3"), ("C", "<=2"), ("D", "≤ 2")]:
        page.get_by_role("textbox", name=f"Value of {node}", exact=True).first.fill(value)
    page.get_by_label(re.compile("^4\\.")).fill("i, j")
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page.get_by_text(re.compile("All right!"))).to_be_visible()


def test_an_answer_that_cannot_be_read_is_told_at_its_field(visitor: Visitor) -> None:
    page = visitor.open(f"exercises/own=1&procedure=alphabeta&tree={TREE}")
    field = page.get_by_role("textbox", name="Value of C", exact=True).first
    field.fill("x")
    page.get_by_role("button", name="Check", exact=True).click()
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_be_focused()
    said = page.locator(".exercise-field", has=field).get_by_role("alert")
    expect(said).to_have_text("'x' is not a number; write it as C=3")
    expect(page.get_by_text(re.compile("line \\d"))).to_have_count(0)
    field.fill("-9")
    expect(field).not_to_have_attribute("aria-invalid", "true")
    expect(said).to_have_count(0)
    cuts = page.get_by_label(re.compile("^4\\."))
    cuts.fill("Q")
    page.get_by_role("button", name="Check", exact=True).click()
    expect(cuts).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_text("the tree has no node 'Q'").first).to_be_visible()


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
