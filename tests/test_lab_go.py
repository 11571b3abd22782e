"""Go in the lab: stones, passes and superko, an estimate of territory, and a tree that grows."""

import re
from typing import Any

import pytest
from lab_client import Page as Client
from lab_client import connected

from threefold import game
from threefold.engine.levels import LEVELS
from threefold.lab.searching import levels

pytest.importorskip("playwright", reason="needs Playwright")

from lab_browser import (
    BOTH_HUMAN,
    CHROMIUM,
    PHONE,
    Visitor,
    legal_places,
    lines,
    middle,
    move_list,
    place,
    result,
    touch,
)
from playwright.sync_api import Locator, Page, expect

pytestmark = pytest.mark.timeout(600)
in_a_browser = pytest.mark.skipif(not CHROMIUM.exists(), reason=f"needs Chromium at {CHROMIUM}")

#: After these moves on 2×2, black's A1 would bring the board after the fifth of them back.
SUPERKO = ["A1", "B1", "A2", "B2", "A1", "A2"]
#: Black has taken a stone on C5, and white may not take back at once.
KO = "C4;D4;B5;E5;C6;D6;J1;C5;D5"
#: Whoever moves captures four stones; white, who is to move, loses everything by A1.
RACE = "XXXX./OOOO./XXXX./...../..... O"
#: Two walls: black has 45 points, white 27, and nobody the column between them.
WALLS = ";".join(f"E{row};C{row}" for row in range(1, 10))


def choose(page: Page, name: str) -> None:
    """Make a move that has no place on the board."""
    page.get_by_role("button", name=name, exact=True).click()


def owners(page: Page, side: str) -> Locator:
    """The marks of what is likely to be owned by the first or the second player."""
    return page.locator(f".board .owner.{side}")


# The server.


def ask(what: str, **fields: Any) -> dict[str, Any]:
    with connected() as socket:
        return Client(socket).ask(what, **fields)


def refused(what: str, **fields: Any) -> str:
    with connected() as socket:
        return Client(socket).refused(what, **fields)


def test_superko_is_not_offered_and_is_refused() -> None:
    here = {"game": "go(size=2)", "start": "", "moves": SUPERKO}
    view = ask("view", **here)
    assert [move["move"] for move in view["moves"]] == ["pass"]
    assert view["barred"] == ["A1"]
    # A position by itself knows no earlier one.
    alone = ask("view", game="go(size=2)", start=view["position"], moves=[])
    assert "A1" in [move["move"] for move in alone["moves"]]
    assert alone["barred"] == []
    said = refused("view", **here | {"moves": [*SUPERKO, "A1"]})
    assert "it would bring an earlier position back" in said
    assert "superko" in said
    assert "the game is over before it" in refused(
        "view", game="go(size=2)", start="", moves=["pass", "pass", "A1"]
    )
    assert ask("reply", **here, level=5)["move"] == "pass"


def test_what_is_exact_depends_on_the_game_so_far() -> None:
    small, moves = "go(size=2,komi=0)", ["A1", "B1", "A2", "B2", "A1", "A2"]
    after_moves = ask("solve", game=small, start="", moves=moves, time=60)
    assert after_moves["exact"]
    assert [each["move"] for each in after_moves["moves"]] == ["pass"]
    by_itself = ask("solve", game=small, start=after_moves["position"], moves=[], time=60)
    assert by_itself["exact"]
    assert {each["move"] for each in by_itself["moves"]} == {"A1", "pass"}


def test_territory_is_estimated() -> None:
    here = {"game": "go", "start": "", "moves": WALLS.split(";")}
    estimate = ask("territory", **here)
    assert len(estimate["balance"]) == 81
    assert estimate["balance"]["J9"] > 0.4
    assert estimate["balance"]["A1"] < -0.4
    assert re.fullmatch(r"[BW]\+[\d.]+|0", estimate["score"])
    finished = ask("territory", **here | {"moves": [*here["moves"], "pass", "pass"]})
    assert finished["score"] == "B+11"
    assert finished["balance"]["D5"] == 0
    assert set(finished["balance"].values()) == {-1, 0, 1}
    assert "no territory to estimate" in refused("territory", game="nim", start="", moves=[])


def test_a_search_tells_visits_and_shares() -> None:
    found = ask("analyse", game="go(size=5)", start="", moves=[], nodes=2000, time=60, multipv=3)
    assert found["simulated"]
    assert found["nodes"] == 2000
    visits = [move["visits"] for move in found["moves"]]
    assert visits == sorted(visits, reverse=True)
    assert sum(visits) <= 2000
    assert all(0 <= move["share"] <= 1 for move in found["moves"])
    asked = {"game": "go(size=5)", "start": "", "moves": [], "time": 60}
    deepened = ask("analyse", **asked, method="alphabeta", depth=1)
    assert not deepened["simulated"]
    assert deepened["moves"][0]["visits"] is None
    assert len(ask("reply", **asked, nodes=500)["result"]["moves"]) == 8


def test_a_blunder_is_found_by_simulations() -> None:
    here = {"game": "go(size=5,komi=9)", "start": RACE, "moves": ["A1", "E4"]}
    plies = ask("review", **here, time=0.3)["plies"]
    assert plies[0]["simulated"]
    assert plies[1]["mark"] == "blunder"


def test_levels_say_what_they_do_in_a_game_of_trees() -> None:
    about = [level["about"] for level in levels()]
    assert about[4] == {
        "alphabeta": "looks 3 plies ahead",
        "mcts": "makes 800 simulations per move",
        "ismcts": "makes 800 simulations per move",
        "worlds": "judges 16 deals per move",
    }
    assert about[0]["mcts"] == "makes 50 simulations per move, slips 50 % of the time"
    assert {*about[9].values()} == {"thinks 1 s"}
    assert str(LEVELS[4]) == "looks 3 plies ahead"


@pytest.mark.parametrize("level", range(1, 11))
def test_every_level_plays(level: int) -> None:
    here = {"game": "go(size=5)", "start": "", "moves": ["C3"]}
    answer = ask("reply", **here, level=level)
    assert answer["move"] in [move["move"] for move in ask("view", **here)["moves"]]
    most = LEVELS[level - 1].simulations
    if "result" in answer and most is not None:
        assert answer["result"]["nodes"] <= most


# The page.


@in_a_browser
def test_a_whole_game_is_played_and_counted(visitor: Visitor) -> None:
    page = visitor.open(f"play/game=go(size=3,komi=0.5)&{BOTH_HUMAN}")
    expect(legal_places(page)).to_have_count(9)
    touch(page, "B2", "A1", "B1", "C3", "A2")
    # The stone on A1 is captured.
    expect(place(page, "A1")).to_have_accessible_name("A1, empty")
    choose(page, "Pass")
    expect(page.get_by_text("played “pass”")).to_be_visible()
    expect(move_list(page).last).to_have_text("pass")
    touch(page, "B3", "C2", "C1")
    # A move that was offered in the position before is not made.
    expect(move_list(page)).to_have_count(9)
    choose(page, "Pass")
    expect(move_list(page)).to_have_count(10)
    choose(page, "Pass")
    expect(result(page)).to_have_text("Black wins: B+8.5 (area: black 9, white 0; komi 0.5).")
    expect(page.get_by_role("button", name="Pass", exact=True)).to_be_hidden()
    expect(page.get_by_role("button", name="Territory")).to_be_disabled()
    page.get_by_role("button", name="Take back").click()
    expect(page.get_by_role("button", name="Pass", exact=True)).to_be_visible()
    page.get_by_role("button", name="New game").click()
    page.get_by_role("button", name="Leave it and start over").click()
    expect(legal_places(page)).to_have_count(9)


@in_a_browser
def test_what_ko_and_superko_bar_is_marked(visitor: Visitor) -> None:
    page = visitor.open(f"play/game=go&{BOTH_HUMAN}&moves={KO}")
    expect(page.locator(".board p.aloud")).to_contain_text("C5 is barred by ko")
    expect(place(page, "C5")).to_have_accessible_name("C5, empty")
    expect(page.get_by_label("Position", exact=True)).to_have_value(re.compile("O ko=C5$"))
    page = visitor.open(f"play/game=go(size=2)&{BOTH_HUMAN}&moves={';'.join(SUPERKO)}")
    expect(place(page, "A1")).to_have_accessible_name("A1, empty, barred by superko")
    expect(page.locator(".board .barred")).to_have_count(1)
    page.get_by_label("Type a move").fill("A1")
    page.get_by_role("button", name="Play it").click()
    expect(page.get_by_role("alert").filter(has_text="superko")).to_be_visible()


@in_a_browser
def test_dots_do_not_cover_an_open_board(visitor: Visitor) -> None:
    page = visitor.open(f"play/game=go&{BOTH_HUMAN}")
    expect(legal_places(page)).to_have_count(81)
    expect(page.get_by_text("Click an empty point.", exact=True)).to_be_visible()
    expect(page.locator(".hint.dot")).to_have_count(0)
    page = visitor.open(f"play/game=othello&{BOTH_HUMAN}")
    expect(page.locator(".hint.dot")).to_have_count(4)


@in_a_browser
def test_territory_is_shown_and_follows_the_game(visitor: Visitor) -> None:
    page = visitor.open(f"play/game=go&{BOTH_HUMAN}&moves={WALLS}")
    switch = page.get_by_role("button", name="Territory")
    expect(switch).to_have_attribute("aria-pressed", "false")
    switch.click()
    expect(page.get_by_text(re.compile(r"^about ([BW]\+|even)"))).to_be_visible()
    expect(page).to_have_url(re.compile("territory=1"))
    assert owners(page, "first").count() >= 40
    assert owners(page, "second").count() >= 25
    expect(place(page, "J9")).to_have_accessible_name(re.compile(r"^J9, empty, \d+ % black, legal"))
    size = owners(page, "first").first.bounding_box()
    assert size is not None
    assert size["width"] >= 8
    # Another position has another estimate, and the board may be turned around.
    touch(page, "D5")
    expect(place(page, "D5")).to_have_accessible_name(re.compile(r"^D5, black, \d+ % black$"))
    page.get_by_role("button", name="Turn board").click()
    expect(place(page, "D5")).to_have_accessible_name(re.compile(r"^D5, black, \d+ % black$"))
    switch.click()
    expect(owners(page, "first")).to_have_count(0)
    expect(page.get_by_text(re.compile("^about"))).to_have_count(0)


@in_a_browser
def test_the_tree_of_the_opponent_grows_in_sight(visitor: Visitor) -> None:
    page = visitor.open("play/game=go&second=30s&thinking=1")
    touch(page, "E5")
    thinking = page.get_by_text(re.compile(r"^thinking: [\d.]+ [kM]? ?simulations, \w+ \d+ %…$"))
    expect(thinking).to_be_visible()
    expect(page.get_by_text("for black, by simulation", exact=True)).to_be_visible()
    seen = page.get_by_text(re.compile(r"^[\d,]+ visits?$"))
    expect(seen).to_have_count(5)
    expect(page.locator(".board .move-value")).to_have_count(8)
    expect(page.get_by_role("button", name="Pass", exact=True)).to_be_disabled()
    first = seen.first.text_content() or ""
    expect(seen.first).not_to_have_text(first)
    # A move that is taken back ends its thinking.
    page.get_by_role("button", name="Take back").click()
    expect(legal_places(page)).to_have_count(81)
    expect(page.locator(".board .move-value")).to_have_count(0)


@in_a_browser
def test_a_game_against_a_level(visitor: Visitor) -> None:
    page = visitor.open("play/game=go(size=5)&second=5")
    white = page.get_by_label("White", exact=True)
    expect(white).to_have_attribute("title", "makes 800 simulations per move")
    touch(page, "C3")
    expect(move_list(page)).to_have_count(2)
    expect(page).to_have_url(re.compile("moves=C3;"))


@in_a_browser
def test_values_are_shares_and_have_visits(visitor: Visitor) -> None:
    page = visitor.open("analyse/game=go(size=5)&time=10&moves=C3")
    expect(lines(page)).to_have_count(3)
    expect(page.get_by_text(re.compile(r"^[\d,]+ visits?$"))).to_have_count(3)
    bar = page.get_by_role("meter", name="Evaluation")
    won = re.compile(r"^\d+ % for black, by simulation$")
    expect(bar).to_have_attribute("aria-valuetext", won)
    page.get_by_role("button", name="Values on the board").click()
    label = page.locator(".board .move-value").first
    expect(label).to_have_text(re.compile(r"^\d+ %[\d.]+[kM]?$"))


@in_a_browser
def test_a_game_is_reviewed(visitor: Visitor) -> None:
    room = f"review/game=go(size=5,komi=9)&start={RACE}&moves=A1;E4&pace=0.3&run=1&at=1"
    page = visitor.open(room)
    expect(page.get_by_text(re.compile("A1.*blunder, "))).to_be_visible()
    expect(page.get_by_role("button", name="Review the game")).to_be_enabled()


@in_a_browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_full_board_can_be_played_on_a_phone(visitor: Visitor, scheme: str) -> None:
    page = visitor.open(
        f"play/game=go(size=19)&{BOTH_HUMAN}&moves=Q16;D4",
        viewport=PHONE,
        color_scheme=scheme,
        has_touch=True,
        is_mobile=True,
    )
    expect(legal_places(page)).to_have_count(359)
    expect(page.get_by_role("button", name="Pass", exact=True)).to_be_in_viewport()
    # Points are smaller than a fingertip: the first tap aims, the second plays.
    page.touchscreen.tap(*middle(place(page, "Q4")))
    aimed = page.get_by_text("Q4: tap it again to play there, or tap another point.")
    expect(aimed).to_be_visible()
    expect(move_list(page)).to_have_count(2)
    page.touchscreen.tap(*middle(place(page, "R4")))
    expect(page.get_by_text(re.compile("^R4: tap it again"))).to_be_visible()
    page.touchscreen.tap(*middle(place(page, "R4")))
    expect(move_list(page)).to_have_text(["Q16", "D4", "R4"])
    expect(page.get_by_text(re.compile("tap it again"))).to_be_hidden()


@in_a_browser
def test_axe_finds_nothing_serious(visitor: Visitor) -> None:
    axe = pytest.importorskip("axe_core_python.sync_playwright", reason="needs axe").Axe()
    page = visitor.open(f"play/game=go&{BOTH_HUMAN}&territory=1&moves={WALLS}")
    expect(page.get_by_text(re.compile("^about"))).to_be_visible()
    found = axe.run(page)["violations"]
    assert not [each["id"] for each in found if each["impact"] in ("serious", "critical")]


def test_the_picture_says_what_it_shows() -> None:
    go = game("go(size=3,komi=0)")
    assert "black to move" in go.draw(go.initial())
    over = go.position(".X./XXX/.X. O passes=2")
    assert "B+9" in go.draw(over)
    assert go.draw(over).count("<rect") == go.draw(go.initial()).count("<rect") + 4
