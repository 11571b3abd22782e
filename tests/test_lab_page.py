"""The lab in a real browser: what is taken along, links, lost connections, all screens, everybody.

Whatever the page complains of on its console fails the test that made it.
"""

import base64
import csv
import json
import re
import struct
from functools import reduce
from xml.etree import ElementTree

import pytest

pytest.importorskip("playwright", reason="needs Playwright")
pytest.importorskip("axe_core_python", reason="needs axe-core")

from axe_core_python.sync_playwright import Axe  # type: ignore[import-untyped]
from lab_browser import (
    BOTH_HUMAN,
    CHROMIUM,
    LOST_AT_ONCE,
    OWN_GAME,
    PHONE,
    ROOMS,
    TREE,
    Lab,
    Visitor,
    legal_places,
    lines,
    move_list,
    place,
    result,
    saved,
    sentence,
    touch,
)
from playwright.sync_api import Browser, Locator, Page, expect

pytestmark = pytest.mark.skipif(not CHROMIUM.exists(), reason=f"needs Chromium at {CHROMIUM}")


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
    groups = [each for each in shapes if each.tag.endswith("}g") and len(each) == 2]
    # The pieces, and the frames of the move's start and end.
    frames = [each for each in groups if all(part.tag.endswith("}rect") for part in each)]
    assert (len(groups) - len(frames), len(frames)) == (32, 2)
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
    dialog = page.get_by_role("dialog", name=re.compile("^Copied the link to this "))
    expect(dialog.get_by_text("It works on this machine only")).to_be_visible()
    expect(dialog.get_by_role("textbox", name="Link")).to_have_value(page.url)
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    assert room.partition("&")[0].partition("=")[0] in page.url


def test_a_link_of_a_class_lets_a_fresh_browser_in(browser: Browser) -> None:
    with Lab("--host", "0.0.0.0") as lab:
        # Not every header is for a lab without a certificate.
        teacher = Visitor(browser, lab, excused="Cross-Origin-Opener-Policy")
        page = teacher.open(f"step/tree={TREE}&step=14")
        expect(sentence(page)).to_contain_text("never looked at")
        expect(page).to_have_url(re.compile(r"\?token=[\w-]+#step/"))
        page.get_by_role("button", name="Copy link").click()
        dialog = page.get_by_role("dialog", name="Copied the link to this step")
        drawn = dialog.get_by_role("img", name="The link as a QR code").locator("svg > path").last
        expect(drawn).to_be_visible()
        box = drawn.bounding_box()
        assert box is not None
        assert box["width"] > 180, "large enough for a telephone"
        link = dialog.get_by_role("textbox", name="Link").input_value()
        assert link == page.url
        student = browser.new_context().new_page()
        refused = student.goto(f"{lab.origin}#step/tree={TREE}")
        assert refused is not None
        assert refused.status == 403
        student.goto(link)
        expect(sentence(student)).to_contain_text("never looked at")
        teacher.leave()
    assert not teacher.wrong


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
    # Once its tree is there, the room writes no more into the address.
    built = page.get_by_label("The tree as text")
    rooms.get_by_role("link", name="Build").click()
    expect(page.get_by_role("heading", name="Build")).to_be_visible()
    expect(built).to_have_value(TREE)
    rooms.get_by_role("link", name="Games").click()
    expect(page.get_by_role("heading", name="Games")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", name="Build")).to_be_visible()
    expect(built).to_have_value(TREE)
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
        lost = page.get_by_text("The lab does not answer; trying again…")
        expect(lost).to_be_visible()
        legal.first.click()
        lab.start()
        expect(lost).to_have_count(0)
        expect(move_list(page)).to_have_count(2)
        visitor.leave()
    assert not visitor.wrong


def test_a_room_waits_for_a_lab_that_was_closed(browser: Browser) -> None:
    with Lab() as lab:
        visitor = Visitor(browser, lab, excused="ERR_CONNECTION_REFUSED|dynamically imported")
        page = visitor.open("games/")
        expect(page.get_by_role("heading", name="Nim", exact=True)).to_be_visible()
        lab.stop()
        page.get_by_role("navigation", name="Rooms").get_by_role("link", name="Compare").click()
        told = page.get_by_role("alert").filter(has_text="the lab does not answer")
        expect(told).to_contain_text("start it again with “threefold lab”")
        expect(page.get_by_text("dynamically imported")).to_have_count(0)
        lab.start()
        expect(page.get_by_text("All agree on the value 3.")).to_be_visible()
        expect(told).to_have_count(0)
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
    expect(result(page)).to_have_text("X wins: 3 in line.")


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
    "analyse": ("game=tic-tac-toe&moves=a1;b1", "Analyze"),
    "step": (f"tree={TREE}&step=14", "Next step (→)"),
    "compare": (f"tree={TREE}&step=14", "Next"),
    "paths": ("step=4", "Next step (→)"),
    "learning": ("lambda=0.8&step=9", "Next step (→)"),
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
    if room == "play":
        expect(move_list(page)).to_have_count(2)
    if room == "analyse":
        expect(page.get_by_text("proven")).to_be_visible()
        expect(lines(page).first).to_be_visible()
    if room == "build":
        expect(page.locator(".build-frame .node")).to_have_count(13)
    if room == "review":
        expect(page.get_by_text("Better was b2.")).to_be_visible()
        expect(page.get_by_role("progressbar", name="Review")).to_be_hidden()
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
