"""Learning on a page: TD(λ) on a random walk or in Nim, and regrets in games of hidden cards."""

from collections.abc import Callable
from typing import Any

from threefold.games import game
from threefold.lab.gallery import Gallery
from threefold.lab.limits import (
    MAX_EPISODE_TEXT,
    MAX_EVENTS,
    MAX_LESSON_EPISODES,
    MAX_LESSON_ITERATIONS,
    MAX_LESSON_SECONDS,
    MAX_SEED,
    MAX_STONES,
)
from threefold.lab.requests import Request
from threefold.rules.game import Game
from threefold.textbook.experiments.strategy_fusion import missing_queen
from threefold.textbook.regrets_picture import RegretSlides
from threefold.textbook.regrets_run import ITERATIONS, PROCEDURES, minimize_regret
from threefold.textbook.td import Settings, TDRun, Value, learn
from threefold.textbook.td_episodes import MAX_WALK, Walk
from threefold.textbook.td_game import SelfPlay, learn_by_self_play
from threefold.textbook.td_picture import TDSlides
from threefold.textbook.trace import at_most

#: How often a player tries another move.
_EPSILON = 0.1
_LEAST_ALPHA = 0.001
#: Games with hidden cards that are small enough to follow: what they are called, and how to get it.
_HIDDEN: dict[str, tuple[str, Callable[[], Game[Any]]]] = {
    "kuhn-poker": ("Kuhn poker", lambda: game("kuhn-poker")),
    "missing-queen": ("The missing queen", lambda: missing_queen),
}


def learning(_gallery: Gallery, _request: Request) -> dict[str, Any]:
    """How much of everything a page may ask for."""
    return {
        "walk": MAX_WALK,
        "stones": MAX_STONES,
        "episodes": MAX_LESSON_EPISODES,
        "seeds": MAX_SEED,
        "iterations": MAX_LESSON_ITERATIONS,
        "regrets": list(PROCEDURES),
        "hidden": [[name, about] for name, (about, _) in _HIDDEN.items()],
    }


def step_td(_gallery: Gallery, request: Request) -> dict[str, Any]:
    """One run of TD(λ), every step of it."""
    with at_most(MAX_EVENTS, MAX_LESSON_SECONDS):
        run = _learned(request)
        return TDSlides(run).stepper() | {"summary": f"{run}."}


def step_regrets(_gallery: Gallery, request: Request) -> dict[str, Any]:
    """One run of regret minimization, every step of it."""
    procedure = request.choice("procedure", PROCEDURES, "cfr")
    _, chosen = _HIDDEN[request.choice("cards", _HIDDEN, "kuhn-poker")]
    iterations = request.whole("iterations", 1, MAX_LESSON_ITERATIONS, ITERATIONS)
    with at_most(MAX_EVENTS, MAX_LESSON_SECONDS):
        run = minimize_regret(chosen(), procedure=procedure, iterations=iterations)
        return RegretSlides(run).stepper() | {"summary": f"{run}."}


def _learned(request: Request) -> TDRun:
    settings = Settings(
        request.number("alpha", _LEAST_ALPHA, 1, 0.1),
        request.number("lambda", 0, 1, 0),
        replacing=request.choice("traces", ("", "replacing"), "") == "replacing",
    )
    seed = request.whole("seed", 0, MAX_SEED, 0)
    count = request.whole("episodes", 1, MAX_LESSON_EPISODES, 10)
    if request.has("stones"):
        stones = request.whole("stones", 1, MAX_STONES)
        process = SelfPlay(game(f"dice-nim(stones={stones})"))
        return learn_by_self_play(process, settings, epsilon=_EPSILON, count=count, seed=seed)
    walk = Walk(request.whole("walk", 1, MAX_WALK, 5))
    written = request.text("episode", MAX_EPISODE_TEXT, "")
    episodes = [walk.parse(written)] if written.strip() else walk.episodes(count, seed)
    values: dict[str, Value] = dict.fromkeys(walk.states, float(walk.first_value))
    return learn(walk, episodes, values, settings.in_floats())
