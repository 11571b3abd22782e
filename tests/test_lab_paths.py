"""The lab's room for path search: in a real browser, and what its server refuses."""

import re

import pytest

pytest.importorskip("playwright", reason="needs Playwright")

from lab_browser import CHROMIUM, PHONE, Visitor, sentence
from playwright.sync_api import expect

from threefold import ThreefoldError
from threefold.lab import limits, path_lessons
from threefold.lab.gallery import Gallery
from threefold.lab.requests import Request
from threefold.textbook.graph import LECTURE_GRAPH
from threefold.textbook.local import hill_climbing
from threefold.textbook.paths import PATH_PROCEDURES

LECTURE = {"graph": LECTURE_GRAPH, "from": "A", "to": "G"}


def asked(**fields: object) -> dict[str, object]:
    return path_lessons.step_path(Gallery(None), Request(fields))


@pytest.mark.parametrize("name", PATH_PROCEDURES)
def test_every_procedure_is_stepped_through(name: str) -> None:
    answer = asked(procedure=name, **LECTURE)
    assert answer["outcome"] == "solution"
    assert answer["path"][-1] == "G"  # type: ignore[index]
    assert len(answer["frames"]) == answer["expanded"]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"procedure": "minimax"}, "procedure 'minimax' is not one of breadth-first"),
        ({"graph": "A B"}, "graph, line 1: 'A B' is not a line of a graph"),
        ({"graph": "A B 1\n" * 9_000}, "graph is 54,000 characters long; the limit is 20,000"),
        ({"to": "Z"}, "the graph has no node 'Z'"),
        ({"procedure": "depth-limited", "limit": 101}, "limit is not a whole number from 0 to 100"),
        ({"puzzle": "12345"}, "'12345' is not a position"),
        (
            {"puzzle": "867254301", "procedure": "breadth-first"},
            "breadth-first expands more than 20,000 nodes; try a smaller problem",
        ),
    ],
)
def test_too_much_is_refused(
    monkeypatch: pytest.MonkeyPatch, fields: dict[str, object], message: str
) -> None:
    assert limits.MAX_EXPANSIONS == 20_000
    monkeypatch.setattr(path_lessons, "MAX_LESSON_SECONDS", 1000.0)  # on a machine however busy
    with pytest.raises(ThreefoldError) as caught:
        asked(**{"procedure": "a-star", **LECTURE, **fields})
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"queens": 21}, "queens is not a whole number from 1 to 20"),
        ({"cities": 2}, "cities is not a whole number from 3 to 40"),
        ({"queens": 8, "seed": -1}, "seed is not a whole number from 0 to 999999"),
        ({}, "cities is not a whole number from 3 to 40"),
    ],
)
def test_local_search_has_limits(fields: dict[str, object], message: str) -> None:
    with pytest.raises(ThreefoldError) as caught:
        path_lessons.step_local(Gallery(None), Request(fields))
    assert message in str(caught.value)


def test_local_search_is_the_textbooks() -> None:
    answer = path_lessons.step_local(Gallery(None), Request({"queens": 8, "seed": 1}))
    assert answer["sentences"] == hill_climbing(8, 1).narrate()
    assert answer["summary"] == "No move makes it better: stuck at a local optimum."


# In a browser.

in_a_browser = pytest.mark.skipif(not CHROMIUM.exists(), reason=f"needs Chromium at {CHROMIUM}")


@in_a_browser
def test_the_lectures_graph_is_stepped_through(visitor: Visitor) -> None:
    page = visitor.open("paths/")
    expect(sentence(page)).to_have_text("Expand A: C enters with 7, B enters with 12.")
    expect(page.get_by_role("list", name="Lines of a-star").locator("[aria-current]")).to_have_text(
        "node = fringe.remove_best()"
    )
    page.keyboard.press("ArrowRight")
    expect(sentence(page)).to_have_text("Expand C: D enters with 8, F enters with 11.")
    page.keyboard.press("End")
    expect(sentence(page)).to_have_text("Expand G: it is the goal, and A C D E G costs 9.")
    expect(page).to_have_url(re.compile("step=5"))
    page.get_by_role("tab", name="In text").click()
    expect(page.get_by_role("tabpanel", name="In text")).to_contain_text("Path: A C D E G, cost 9")
    expect(page.locator(".drawn .line-max.bold")).to_have_count(8)
    page.get_by_role("button", name="First step").click()
    expect(page.locator(".drawn .line-max.bold")).to_have_count(0)
    expect(page.get_by_text("has 4 steps and costs 9. 5 nodes expanded.")).to_be_visible()


@in_a_browser
def test_a_procedure_is_chosen_and_linked(visitor: Visitor) -> None:
    page = visitor.open("paths/")
    page.get_by_label("Procedure", exact=True).select_option("depth-limited")
    page.get_by_label("Limit", exact=True).fill("2")
    page.get_by_label("Limit", exact=True).press("Enter")
    expect(page.get_by_text("No path within the limit; something lies beyond it.")).to_be_visible()
    expect(page).to_have_url(re.compile("search=depth-limited&limit=2"))
    page.reload()
    expect(page.get_by_label("Limit", exact=True)).to_have_value("2")


@in_a_browser
def test_a_graph_is_written(visitor: Visitor) -> None:
    page = visitor.open("paths/")
    expect(sentence(page)).to_contain_text("Expand A")
    graph = page.get_by_role("textbox", name="Graph")
    graph.fill("A B")
    expect(page.get_by_role("alert")).to_have_text(re.compile("'A B' is not a line of a graph"))
    graph.fill("A B 2\nB G 3\nA G 9")
    expect(sentence(page)).to_have_text("Expand A: B enters with 2, G enters with 9.")
    expect(page.get_by_role("alert")).to_be_hidden()
    page.get_by_label("To", exact=True).fill("Q")
    page.get_by_label("To", exact=True).press("Enter")
    expect(page.get_by_role("alert")).to_have_text("the graph has no node 'Q'; it has A, B, G")


@in_a_browser
def test_a_puzzle_is_stepped_through(visitor: Visitor) -> None:
    page = visitor.open("paths/")
    page.get_by_role("button", name="The 8-puzzle").click()
    expect(sentence(page)).to_contain_text("Expand 013425786")
    page.get_by_label("Tiles, 0 for the blank").fill("123456708")
    page.get_by_label("Tiles, 0 for the blank").press("Enter")
    expect(sentence(page)).to_contain_text("Expand 123456708")
    page.get_by_role("button", name="Last step").click()
    expect(sentence(page)).to_have_text(re.compile("123456708 123456780 costs 1"))


@in_a_browser
def test_what_to_search_fits_on_a_phone(visitor: Visitor) -> None:
    page = visitor.open("paths/", viewport=PHONE)
    buttons = page.get_by_role("group", name="What to search").get_by_role("button")
    expect(buttons).to_have_count(4)
    for button in buttons.all():
        assert button.evaluate("button => button.scrollWidth <= button.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


@in_a_browser
def test_queens_climb_and_a_tour_cools(visitor: Visitor) -> None:
    page = visitor.open("paths/")
    page.get_by_role("button", name="Queens").click()
    expect(sentence(page)).to_have_text("Start with 9 attacking pairs.")
    page.get_by_label("Seed", exact=True).fill("4")
    page.get_by_label("Seed", exact=True).press("Enter")
    # Another sentence than before: while a run is on its way, keys do nothing.
    expect(sentence(page)).to_have_text("Start with 11 attacking pairs.")
    expect(page).to_have_url(re.compile("on=queens&seed=4"))
    page.keyboard.press("End")
    expect(sentence(page)).to_have_text("No move makes it better: stuck at a local optimum.")
    page.get_by_role("button", name="A tour").click()
    page.get_by_label("Cities", exact=True).fill("12")
    page.get_by_label("Cities", exact=True).press("Enter")
    page.get_by_role("button", name="Last step").click()
    expect(sentence(page)).to_have_text(re.compile("The best tour found has length"))
