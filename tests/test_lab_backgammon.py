"""Backgammon in the lab: plays made one checker at a time, the cube, and the dice."""

import re

import pytest
from lab_client import Page as Client
from lab_client import connected

pytest.importorskip("playwright", reason="needs Playwright")

from lab_browser import (
    BOTH_HUMAN,
    CHROMIUM,
    Visitor,
    legal_places,
    middle,
    move_list,
    place,
    touch,
)
from playwright.sync_api import Locator, Page, expect

pytestmark = pytest.mark.timeout(300)
in_a_browser = pytest.mark.skipif(not CHROMIUM.exists(), reason=f"needs Chromium at {CHROMIUM}")

#: The usual start with 31 rolled.
START = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"


def choose(page: Page, name: str) -> None:
    """Make a move that is offered below the board."""
    offered = page.get_by_role("group", name="Legal moves")
    offered.get_by_role("button", name=name, exact=True).click()


@in_a_browser
def test_a_play_is_made_checker_by_checker(visitor: Visitor) -> None:
    page = visitor.open(f"play/game=backgammon&{BOTH_HUMAN}&start={START}")
    expect(legal_places(page)).to_have_count(4)
    undo = page.get_by_role("button", name="Undo")
    expect(undo).to_be_disabled()
    expect(page.get_by_text("Click a checker, then its point.")).to_be_visible()
    touch(page, "8")
    expect(page.get_by_text("Now click its point.")).to_be_visible()
    expect(legal_places(page)).to_have_count(3)
    touch(page, "5")
    expect(page.get_by_text("X: 164 pips")).to_be_visible()
    # Put it back, pick up another, think again, and play.
    undo.click()
    expect(page.get_by_text("X: 167 pips")).to_be_visible()
    touch(page, "13")
    place(page, "24").click()
    expect(place(page, "24")).to_have_attribute("aria-selected", "true")
    place(page, "24").press("Escape")
    touch(page, "6", "5", "8", "5")
    expect(move_list(page).first).to_have_text("8/5 6/5")
    # Nature rolls for the other side, which is at the top.
    expect(page.get_by_text(re.compile("^O to play"))).to_be_visible()


@in_a_browser
def test_a_checker_is_dragged_and_runs_with_both_dice(visitor: Visitor) -> None:
    page = visitor.open(f"play/game=backgammon&{BOTH_HUMAN}&start={START}")
    expect(legal_places(page)).to_have_count(4)
    (x, y), (to_x, to_y) = middle(place(page, "24")), middle(place(page, "20"))
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(to_x, to_y, steps=4)
    page.mouse.up()
    expect(move_list(page).first).to_have_text("24/20")


@in_a_browser
def test_the_cube_is_offered_and_taken(visitor: Visitor) -> None:
    page = visitor.open(f"play/game=backgammon(cube=true)&{BOTH_HUMAN}&start={START}")
    touch(page, "8", "5", "6", "5")
    expect(page.get_by_text("Click the dice to roll, or the cube to double.")).to_be_visible()
    touch(page, "cube")
    expect(page.get_by_text("X to take or pass", exact=True)).to_be_visible()
    expect(page.get_by_text("Click the cube to take, or “pass” below.")).to_be_visible()
    choose(page, "take")
    expect(page.get_by_text(re.compile("^O to play"))).to_be_visible()
    expect(move_list(page)).to_have_text(["8/5 6/5", "double", "take", re.compile(r"\d\d$")])


@in_a_browser
def test_a_roll_that_cannot_be_played_is_passed_on(visitor: Visitor) -> None:
    shut_out = "XGID=-----------------------bbA:0:0:1:11:0:0:0:0:10"
    page = visitor.open("games/")
    page.clock.install(time=0)
    page.clock.pause_at(3600)  # what is said for a moment stays
    page.goto(f"{visitor.lab.url}#play/game=backgammon&{BOTH_HUMAN}&start={shut_out}")
    expect(page.get_by_text("X to play 11", exact=True)).to_be_visible()
    expect(page.get_by_text("cannot move and passes", exact=True)).to_be_visible()
    page.clock.resume()
    expect(move_list(page).first).to_have_text("-")
    # There is nothing that somebody chose.
    expect(page.get_by_role("button", name="Take back")).to_be_disabled()


@in_a_browser
@pytest.mark.parametrize(("turn", "sign"), [("1", "+"), ("-1", "\u2212")])
def test_values_are_points_for_x_whoever_moves(visitor: Visitor, turn: str, sign: str) -> None:
    # The same position for both sides, with a roll that makes it better for the one who has it.
    start = f"XGID=-b----E-C---eE---c-e----B-:0:0:{turn}:31:0:0:0:0:10"
    page = visitor.open(f"analyse/game=backgammon&start={start}&time=10")
    bar = page.get_by_role("meter", name="Evaluation")
    points = re.compile(rf"^{re.escape(sign)}0\.\d+ points for X$")
    expect(bar).to_have_attribute("aria-valuetext", points)


@in_a_browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_is_on_the_board_can_be_seen_on_a_phone(visitor: Visitor, scheme: str) -> None:
    page = visitor.open(
        f"play/game=backgammon&{BOTH_HUMAN}&start={START}",
        viewport={"width": 390, "height": 844},
        color_scheme=scheme,
    )
    touch(page, "8")
    dot = page.locator(".hint.dot").first
    expect(dot).to_be_visible()
    felt = page.locator(".board .fill-felt").first
    ground = color(felt, "fill")
    assert max(contrast(ground, color(dot, part)) for part in ("fill", "stroke")) >= 3
    frame = page.locator(".frame.selected > rect")
    assert max(contrast(ground, color(each, "stroke")) for each in frame.all()) >= 3
    shades = [page.locator(f".board g > path.fill-{shade}").first for shade in ("white", "black")]
    light, dark = (blended(ground, color(each, "fill"), opacity(each)) for each in shades)
    assert contrast(light, dark) >= 3
    for text in page.locator(".board text").all():
        box = text.bounding_box()
        assert box is not None
        assert box["height"] >= 10, text.text_content()


def color(element: Locator, part: str) -> list[float]:
    """A color as it is drawn, from 0 to 1."""
    found = str(element.evaluate("(element, part) => getComputedStyle(element)[part]", part))
    return [int(each) / 255 for each in re.findall(r"\d+", found)[:3]]


def opacity(element: Locator) -> float:
    """How much of what is below is hidden by the group of an element."""
    return float(element.evaluate("element => getComputedStyle(element.parentNode).opacity"))


def blended(below: list[float], above: list[float], share: float) -> list[float]:
    return [(1 - share) * b + share * a for b, a in zip(below, above, strict=True)]


def contrast(one: list[float], other: list[float]) -> float:
    """The contrast of two colors, as the Web Content Accessibility Guidelines define it."""

    def luminance(rgb: list[float]) -> float:
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    least, most = sorted((luminance(one), luminance(other)))
    return (most + 0.05) / (least + 0.05)


def test_a_half_made_move_on_the_wire() -> None:
    with connected() as socket:
        page = Client(socket)
        here = {"game": "backgammon", "start": START, "moves": []}
        view = page.ask("view", **here)
        assert view["pairs"]
        assert view["half"]["next"] == ["24", "13", "8", "6"]
        half = page.ask("touch", **here, touched=["13", "10"])
        assert half["picks"]
        assert half["move"] is None
        assert "<style" not in half["svg"]
        assert page.ask("touch", **here, touched=["13", "9"])["move"] == "13/9"
        assert "cannot go to '1'" in page.refused("touch", **here, touched=["13", "1"])
        assert "not a list of texts" in page.refused("touch", **here, touched="13")
        assert "limit is 20" in page.refused("touch", **here, touched=["13"] * 21)
        nature = {"game": "backgammon", "start": "", "moves": []}
        assert page.ask("view", **nature)["half"] is None
        assert "piece by piece" in page.refused("touch", **nature, touched=[])
        assert not page.ask("view", game="tic-tac-toe", start="", moves=[])["pairs"]
