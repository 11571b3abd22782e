"""The lab's room for learning: in a real browser, and what its server refuses."""

import re

import pytest

pytest.importorskip("playwright", reason="needs Playwright")

from lab_browser import CHROMIUM, Visitor, sentence
from playwright.sync_api import expect

from threefold import ThreefoldError, game
from threefold.lab import learning_lessons, limits
from threefold.lab.gallery import Gallery
from threefold.lab.requests import Request
from threefold.textbook.regrets_picture import RegretSlides
from threefold.textbook.regrets_run import minimize_regret
from threefold.textbook.td import Settings, learn
from threefold.textbook.td_episodes import Walk
from threefold.textbook.td_narration import narrate


def asked(**fields: object) -> dict[str, object]:
    return learning_lessons.step_td(Gallery(None), Request(fields))


def test_a_walk_is_the_textbooks() -> None:
    answer = asked(walk=5, episodes=2, seed=3)
    walk = Walk(5)
    run = learn(walk, walk.episodes(2, 3), dict.fromkeys(walk.states, 0.5), Settings(0.1, 0.0))
    assert answer["sentences"] == narrate(run)
    assert answer["summary"] == f"{run}."


def test_nim_is_played() -> None:
    answer = asked(stones=4, episodes=5, alpha=0.2)
    assert answer["sentences"][-1].endswith("are the best ones.")  # type: ignore[index]


def regrets(**fields: object) -> dict[str, object]:
    return learning_lessons.step_regrets(Gallery(None), Request(fields))


def test_regrets_are_the_textbooks() -> None:
    answer = regrets(procedure="cfr+", iterations=2)
    run = minimize_regret(game("kuhn-poker"), procedure="cfr+", iterations=2)
    assert answer["sentences"] == RegretSlides(run).sentences
    assert answer["summary"] == f"{run}."


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"procedure": "minimax"}, "procedure 'minimax' is not one of cfr, cfr+"),
        ({"cards": "chess"}, "cards 'chess' is not one of kuhn-poker, missing-queen"),
        ({"iterations": 101}, "iterations is not a whole number from 1 to 100"),
    ],
)
def test_other_regrets_are_refused(fields: dict[str, object], message: str) -> None:
    with pytest.raises(ThreefoldError) as caught:
        regrets(**fields)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"walk": 4}, "a walk of 4 states: use an odd number"),
        ({"walk": 99}, "walk is not a whole number from 1 to 25"),
        ({"stones": 21}, "stones is not a whole number from 1 to 20"),
        ({"alpha": 0}, "alpha is not a number from 0.001 to 1"),
        ({"lambda": "x"}, "lambda is not a number"),
        ({"traces": "odd"}, "traces 'odd' is not one of"),
        ({"episodes": 201}, "episodes is not a whole number from 1 to 200"),
        ({"episode": "C E 1"}, "C to E is not a step of the walk"),
        ({"episode": "C " * 501}, "episode is 1,002 characters long"),
        ({"walk": 25, "episodes": 200, "lambda": 1.0, "alpha": 1.0}, "the values diverge"),
    ],
)
def test_too_much_is_refused(fields: dict[str, object], message: str) -> None:
    assert limits.MAX_STONES == 20
    with pytest.raises(ThreefoldError) as caught:
        asked(**fields)
    assert message in str(caught.value)


@pytest.mark.skipif(not CHROMIUM.exists(), reason=f"needs Chromium at {CHROMIUM}")
def test_a_walk_is_stepped_through_and_linked(visitor: Visitor) -> None:
    page = visitor.open("learning/")
    expect(sentence(page)).to_have_text(re.compile("every state is worth 0.5"))
    page.get_by_label("λ", exact=True).select_option("0.5")
    episode = page.get_by_label("Or one episode of your own")
    episode.fill("C D E")
    episode.press("Enter")
    expect(page.get_by_role("alert")).to_have_text(re.compile("the last reward is missing"))
    episode = page.get_by_label("Or one episode of your own")
    episode.fill("C D E 1")
    episode.press("Enter")
    expect(page.get_by_role("alert")).to_be_hidden()
    expect(page).to_have_url(re.compile("lambda=0.5"))
    page.get_by_role("button", name="Last step").click()
    expect(sentence(page)).to_have_text(re.compile("After 1 episode, the RMS error is 0.2"))
    expect(page).to_have_url(re.compile("step=5"))
    page.get_by_role("button", name="Nim with a die").click()
    expect(sentence(page)).to_have_text(re.compile("Episodes start at 6 1"))
    page.get_by_label("Stones", exact=True).fill("4")
    page.get_by_label("Stones", exact=True).press("Enter")
    expect(sentence(page)).to_have_text(re.compile("Episodes start at 4 1"))
    page.reload()
    expect(page.get_by_label("Stones", exact=True)).to_have_value("4")


@pytest.mark.skipif(not CHROMIUM.exists(), reason=f"needs Chromium at {CHROMIUM}")
def test_regrets_are_stepped_through(visitor: Visitor) -> None:
    page = visitor.open("learning/on=cards&iterations=2")
    expect(sentence(page)).to_have_text(re.compile("cfr on Kuhn poker"))
    page.get_by_label("Procedure", exact=True).select_option("cfr+")
    expect(sentence(page)).to_have_text(re.compile(r"cfr\+ on Kuhn poker"))
    page.get_by_label("Game", exact=True).select_option("The missing queen")
    expect(sentence(page)).to_have_text(re.compile("cfr.* on The missing queen"))
    expect(page).to_have_url(re.compile(r"cards=missing-queen"))
    page.get_by_role("button", name="Last step").click()
    expect(sentence(page)).to_have_text(re.compile("After 2 iterations: the average"))
    page.get_by_role("tab", name="In text").click()
    expect(page.get_by_role("tabpanel", name="In text")).to_contain_text("MAX ? wait")
