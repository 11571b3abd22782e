"""Searches for a page: an answer to a move, an analysis as it deepens, a solution, a review.

Each is a generator that runs in a thread of its own: it yields what is news and returns what is
the answer. When the page has gone or wants no more, its `Stop` is set, and the search ends at once
with what it has. Its memory is lent by the lab for as long as it takes.
"""

import math
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from typing import Any, Final

from threefold.engine.analysis import Analysis, Engine
from threefold.engine.deepening import template_for
from threefold.engine.levels import LEVELS, NAMED, Opponent, level
from threefold.engine.limits import Limits
from threefold.engine.mcts import MonteCarlo
from threefold.engine.methods import METHODS
from threefold.engine.result import Result
from threefold.errors import NotCompilable
from threefold.lab.boards import Played, played, readable_line
from threefold.lab.gallery import Gallery
from threefold.lab.limits import (
    LEAST_SOLVER_MEGABYTES,
    LEFT_TO_SEARCHES,
    MAX_SECONDS,
    SIMULATIONS_MEGABYTES,
    SOLVER_MEGABYTES,
    SOLVER_SECONDS,
    TABLE_MEGABYTES,
)
from threefold.lab.memory import Memory, Need
from threefold.lab.requests import BadRequest, Request
from threefold.lab.stopping import Stop
from threefold.rules.contract import FINISHED, MIN, Action
from threefold.rules.game import Game
from threefold.solve.solution import Solution
from threefold.solve.solve import solve

News = Generator[dict[str, Any], None, dict[str, Any]]

#: What lead wins three games of four, where a game does not tell.
_LEAD = 100.0
#: How often a page hears of a search, in seconds.
_INTERVAL = 0.2
#: A move that throws away so much of a sure win is an inaccuracy, a mistake, a blunder.
_MARKS = ((0.30, "blunder"), (0.15, "mistake"), (0.07, "inaccuracy"))


_FOR_A_TABLE: Final = Need(TABLE_MEGABYTES)
_FOR_SIMULATIONS: Final = Need(SIMULATIONS_MEGABYTES)
_FOR_A_SOLVER: Final = Need(SOLVER_MEGABYTES, LEAST_SOLVER_MEGABYTES, LEFT_TO_SEARCHES)


@dataclass(frozen=True)
class Means:
    """What the searches of all pages share: the games and the memory."""

    gallery: Gallery
    memory: Memory


def levels() -> list[dict[str, Any]]:
    """The opponents there are."""
    names = {number: name for name, number in NAMED.items()}
    return [
        {"level": each.number, "name": names.get(each.number, ""), "about": str(each)}
        for each in LEVELS
    ]


def reply(means: Means, request: Request, stop: Stop) -> News:
    """The move of an opponent: at a level, or within limits."""
    so_far = _unfinished(means.gallery, request)
    game, s = so_far.game, so_far.now
    yield from _compiled(means.gallery, game)
    with (yield from means.memory.lend(_FOR_A_TABLE, stop)) as megabytes:
        engine = _engine(means.gallery, game, megabytes)
        if request.has("level"):
            wanted = level(str(request.whole("level", 1, len(LEVELS))))
            opponent = Opponent(game, wanted, engine=engine)
            at_once = opponent.choose_at_once(s)
            if at_once is not None:
                return _move(game, s, at_once)
            analysis = opponent.start(s, so_far.before)
        else:
            analysis = _started(engine, so_far, request, multipv=1)
        found = yield from _watched(analysis, so_far, stop)
    assert found.best is not None
    return _move(game, s, found.best) | {"result": _shown(so_far, found)}


def _move(game: Game[Any], s: Any, a: Action) -> dict[str, Any]:
    return {"move": game.format_move(s, a), "text": game.readable_move(s, a)}


def analyse(means: Means, request: Request, stop: Stop) -> News:
    """Ever better answers, until a limit or until the page has enough."""
    so_far = _unfinished(means.gallery, request)
    yield from _compiled(means.gallery, so_far.game)
    if request.choice("method", METHODS, "alphabeta") == "mcts":
        return (yield from _simulated(means, so_far, request, stop))
    with (yield from means.memory.lend(_FOR_A_TABLE, stop)) as megabytes:
        engine = _engine(means.gallery, so_far.game, megabytes)
        analysis = _started(engine, so_far, request, multipv=_multipv(request))
        return _shown(so_far, (yield from _watched(analysis, so_far, stop)))


def exact(means: Means, request: Request, stop: Stop) -> News:
    """The exact value of the position and of its moves, where the lab can find them in time."""
    so_far = _unfinished(means.gallery, request)
    seconds = request.number("time", 0.01, SOLVER_SECONDS, 20.0)
    detail = request.choice("detail", ("value", "best", "moves"), "moves")
    yield from _compiled(means.gallery, so_far.game)
    with (yield from means.memory.lend(_FOR_A_SOLVER, stop)) as megabytes:
        found = solve(
            so_far.game,
            so_far.now,
            # It holds its last table while it gets the next, which is larger.
            megabytes=megabytes * 3 // 4,
            time=seconds,
            detail=detail,
            progress=False,
            stopped=stop,
        )
        return _shown(so_far, found) | {"complete": found.complete, "method": found.method}


def review(means: Means, request: Request, stop: Stop) -> News:
    """What every position of a game is worth, and where something better was missed."""
    so_far = played(means.gallery, request)
    seconds = request.number("time", 0.01, 30, 0.3)
    yield from _compiled(means.gallery, so_far.game)
    plies: list[dict[str, Any]] = []
    with (yield from means.memory.lend(_FOR_A_TABLE, stop)) as megabytes:
        engine = _engine(means.gallery, so_far.game, megabytes)
        for number, s in enumerate(so_far.positions):
            history = so_far.positions[:number]
            analysis = engine.start(s, Limits(time=seconds), history=history)
            with analysis, stop.tells(analysis.stop):
                found = analysis.result()
            before = plies[-1]["share"] if plies else None
            plies.append(_reviewed(so_far, number, found, before))
            yield {"ply": plies[-1], "of": len(so_far.positions)}
            if stop():
                break
    return {"plies": plies}


def _reviewed(so_far: Played, number: int, found: Any, before: float | None) -> dict[str, Any]:
    """What is to be said of a position; `before` is the share that MAX had a ply ago."""
    game, s = so_far.game, so_far.positions[number]
    sign = -1 if game.player(s) == MIN else 1
    share = _share(game, sign * found.value)
    return {
        "ply": number,
        "value": sign * found.value,
        "share": share,
        "win_in": found.win_in,
        "best": None if found.best is None else game.format_move(s, found.best),
        "best_text": None if found.best is None else game.readable_move(s, found.best),
        "pv": found.to_json()["pv"],
        "pv_text": readable_line(game, s, found.pv),
        "mark": None if before is None else _mark(game, so_far, number, before, share),
    }


def _mark(game: Game[Any], so_far: Played, number: int, before: float, after: float) -> str | None:
    """What is to be said of the move that led to a position."""
    mover = game.player(so_far.positions[number - 1])
    lost = before - after if mover != MIN else after - before
    return next((name for least, name in _MARKS if lost >= least), None)


def _share(game: Game[Any], value: float) -> float:
    """A value to MAX as a share of the points that he may expect, from 0 to 1."""
    if not game.evaluations:
        return 0.5 + 0.5 * max(-1.0, min(1.0, value))
    if abs(value) >= FINISHED:
        return 1.0 if value > 0 else 0.0
    # Three games of four are odds of three to one.
    lead = game.leads.get(game.evaluation or "", _LEAD)
    return 1 / (1 + math.exp(-value * math.log(3) / lead))


# What they share.


def _unfinished(gallery: Gallery, request: Request) -> Played:
    so_far = played(gallery, request)
    if not so_far.game.moves(so_far.now):
        raise BadRequest("the game is over; there is nothing to look for")
    return so_far


def _compiled(gallery: Gallery, game: Game[Any]) -> Iterator[dict[str, Any]]:
    """Say so where machine code has to be made first: it takes seconds."""
    try:
        if not gallery.compiled(game).is_ready(template_for(game)):
            yield {"compiling": game.name}
    except NotCompilable as error:
        raise BadRequest(
            f"this game runs interpreted only, so there is no engine: {error}"
        ) from None


def _engine(gallery: Gallery, game: Game[Any], megabytes: int) -> Engine[Any]:
    return Engine(game, megabytes=megabytes, compiled=gallery.compiled(game))


def _started(engine: Engine[Any], so_far: Played, request: Request, multipv: int) -> Analysis[Any]:
    limits = Limits(
        time=_seconds(request),
        depth=request.whole("depth", 1, 100) if request.has("depth") else None,
        nodes=request.whole("nodes", 1, 1 << 40) if request.has("nodes") else None,
    )
    return engine.start(so_far.now, limits, multipv=multipv, history=so_far.before)


def _watched(
    analysis: Analysis[Any], so_far: Played, stop: Stop
) -> Generator[dict[str, Any], None, Result[Any]]:
    """Pass on what an analysis has so far, up to its end; the page's stop is one."""
    with analysis, stop.tells(analysis.stop):
        while analysis.is_running(_INTERVAL):
            yield _shown(so_far, analysis.now())
        return analysis.result()


def _simulated(means: Means, so_far: Played, request: Request, stop: Stop) -> News:
    """The same by playing games out at random: a run of simulations from one news to the next."""
    left, multipv = _seconds(request), _multipv(request)
    with (yield from means.memory.lend(_FOR_SIMULATIONS, stop)) as megabytes:
        search = MonteCarlo(so_far.game, so_far.now, megabytes=megabytes)
        while True:
            limits = Limits(time=min(_INTERVAL, left))
            found = search.run(limits, multipv=multipv, stopped=stop)
            left = _seconds(request) - found.seconds
            if found.exact or stop() or left <= 0:
                return _shown(so_far, found)
            yield _shown(so_far, found)


def _seconds(request: Request) -> float:
    return request.number("time", 0.001, MAX_SECONDS, 1.0)


def _multipv(request: Request) -> int:
    return request.whole("multipv", 1, 500, 1)


def _shown(so_far: Played, found: Any) -> dict[str, Any]:
    game = so_far.game
    sign = -1 if game.player(so_far.now) == MIN else 1
    solved = isinstance(found, Solution)

    def share(value: float) -> float:
        if solved:  # a utility
            return 0.5 + 0.5 * max(-1.0, min(1.0, sign * value))
        return _share(game, sign * value)

    answer: dict[str, Any] = found.to_json()
    for shown, line in zip(answer["moves"], found.lines, strict=True):
        shown |= {
            "text": game.readable_move(so_far.now, line.move),
            "pv_text": readable_line(game, so_far.now, line.pv),
            "win_in": line.win_in,
            "exact": line.exact,
            "share": share(line.value),
        }
    return answer | {
        "text": str(found),
        "share": share(found.value),
        "selective_depth": found.selective_depth,
        "rate": found.rate,
    }


#: By the names that a page asks for them.
SEARCHES: dict[str, Callable[[Means, Request, Stop], News]] = {
    "reply": reply,
    "analyse": analyse,
    "solve": exact,
    "review": review,
}
