"""The stepper in a page of its own, as a browser shows it."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright", reason="needs Playwright")

from lab_browser import CHROMIUM, sentence
from playwright.sync_api import Browser, Page, expect

from threefold.textbook.explain import explain
from threefold.textbook.graph import LECTURE_GRAPH, parse_graph
from threefold.textbook.layout import Layout, lay_out
from threefold.textbook.local import hill_climbing, random_cities, simulated_annealing
from threefold.textbook.local_picture import QueenSlides, TourSlides
from threefold.textbook.matrix import parse_matrix
from threefold.textbook.matrix_picture import MatrixSlides
from threefold.textbook.mixture import solve
from threefold.textbook.narration import narrate
from threefold.textbook.page import page as html
from threefold.textbook.path_picture import PathSlides
from threefold.textbook.paths import a_star, bidirectional
from threefold.textbook.puzzle import GOAL, Puzzle
from threefold.textbook.slides import Slides
from threefold.textbook.trace import Event
from threefold.textbook.tree import parse_tree

pytestmark = pytest.mark.skipif(not CHROMIUM.exists(), reason=f"needs Chromium at {CHROMIUM}")

PLAIN = "A(B(D:3 E:5) C(F(I(K:0 L:1) Johannesburg:5) G(M:7 N:2)) P:1000000)"
CHANCE = "A(B(D:3 E:5) ~(1/3*(7 8) 2/3*-12) P:1000000)"
PLACES = """shapes => shapes.map(shape => {
    const { e, f } = shape.transform.baseVal.consolidate().matrix;
    return [e, f];
})"""


def opened(browser: Browser, tmp_path: Path, events: Any, step: int = 1) -> Page:
    """The page of a run, shown from its file."""
    return opened_page(browser, tmp_path, html(events, "A run"), step)


def opened_page(browser: Browser, tmp_path: Path, text: str, step: int = 1) -> Page:
    file = tmp_path / "run.html"
    file.write_text(text, encoding="utf-8")
    page = browser.new_page()
    page.on("request", lambda request: expect_local(request.url))
    page.goto(f"{file.as_uri()}#{step}")
    return page


def expect_local(url: str) -> None:
    assert url.startswith("file:"), f"asked elsewhere: {url}"


def run(tree: str, procedure: str = "alphabeta") -> list[Event]:
    return list(explain(procedure, parse_tree(tree), tree=tree).events)


def placed(layout: Layout) -> list[list[float]]:
    return [[round(layout.x[node], 2), round(layout.y[node], 2)] for node in layout.hidden]


def test_the_address_has_the_step(browser: Browser, tmp_path: Path) -> None:
    events = run("((3 12 8) (2 4 6) (14 5 2))")
    sentences = [said for said in narrate(events) if said]
    page = opened(browser, tmp_path, events, 14)
    expect(sentence(page)).to_have_text(sentences[13])
    expect(page.locator(".tf-code [aria-current]")).to_have_count(1)
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile("#15$"))
    page.evaluate("location.hash = '#1'")
    expect(sentence(page)).to_have_text(sentences[0])


@pytest.mark.parametrize(
    ("tree", "procedure"),
    [(PLAIN, "alphabeta"), (PLAIN, "minimax"), (CHANCE, "expectiminimax")],
)
def test_the_browser_places_nodes_where_the_picture_has_them(
    browser: Browser, tmp_path: Path, tree: str, procedure: str
) -> None:
    events = run(tree, procedure)
    page = opened(browser, tmp_path, events)
    shown = page.locator(".tree .node").evaluate_all(PLACES)
    for [x, y], [wanted_x, wanted_y] in zip(shown, placed(lay_out(events)), strict=True):
        assert abs(x - wanted_x) <= 0.02
        assert abs(y - wanted_y) <= 0.02


@pytest.mark.parametrize(
    "slides",
    [
        PathSlides(bidirectional(parse_graph(LECTURE_GRAPH), "A", "G")),
        PathSlides(a_star(Puzzle(), "013425786", GOAL)),
        QueenSlides(hill_climbing(6, 1)),
        TourSlides(simulated_annealing(random_cities(6, 0), 0, steps=20)),
        MatrixSlides(solve(parse_matrix("1 5 3; 4 2 3; 0 1 2"))),
    ],
    ids=lambda slides: slides.procedure,
)
def test_a_run_that_is_drawn_anew_at_each_step(
    browser: Browser, tmp_path: Path, slides: Slides[Any]
) -> None:
    page = opened_page(browser, tmp_path, slides.page("A run"), 2)
    expect(sentence(page)).to_have_text(slides.sentences[1])
    expect(page.get_by_role("button", name="Next cutoff")).to_have_count(0)
    page.get_by_role("tab", name="In text").click()
    for step, button in ((3, "Next step"), (2, "Previous step"), (slides.steps, "Last step")):
        page.get_by_role("button", name=button).click()
        expect(sentence(page)).to_have_text(slides.sentences[step - 1])
        scene = slides.at(step)
        expect(page.locator("pre.tf-text")).to_have_text(slides.text(scene, 72))
        drawn = ET.fromstring(slides.draw(scene).svg())
        shapes = [part for part in drawn.iter() if "class" in part.attrib]
        texts = [part.text or "" for part in shapes if part.tag.endswith("text")]
        assert page.locator(".drawn text").all_text_contents() == texts
        circles = [part for part in shapes if part.tag.endswith("circle")]
        expect(page.locator(".drawn circle")).to_have_count(len(circles))
