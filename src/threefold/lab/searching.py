"""Searches for a page: an answer to a move, an analysis as it deepens, a solution, a review.

Each is a generator that runs in its own thread: it yields news and returns the answer. When the
page leaves or cancels, its `Stop` is set, and the search ends immediately with what it has. The lab
lends it memory for as long as it runs.
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeVar

from threefold.engine.historic import HISTORIC
from threefold.engine.level import Level
from threefold.engine.levels import LEVELS, NAMED, Opponent, level
from threefold.engine.limits import Limits
from threefold.engine.ownership import PLAYOUTS, start_ownership
from threefold.engine.result import Result
from threefold.engine.running import Running
from threefold.engine.searchers import (
    SEARCHERS,
    GameSearcher,
    free_lines,
    search_of,
    searcher,
)
from threefold.errors import NotCompilable
from threefold.lab.boards import Played, played, readable_line
from threefold.lab.gallery import Gallery
from threefold.lab.limits import (
    LEAST_SOLVER_MEGABYTES,
    LEFT_TO_SEARCHES,
    MAX_LINES,
    MAX_SECONDS,
    SIMULATIONS_MEGABYTES,
    SOLVER_MEGABYTES,
    SOLVER_SECONDS,
    TABLE_MEGABYTES,
)
from threefold.lab.memory import Memory, Need
from threefold.lab.requests import BadRequest, Request
from threefold.lab.stopping import Stop
from threefold.lab.tables import Strength, Tables
from threefold.rules import definition_checks
from threefold.rules.contract import CHANCE, MIN, Action
from threefold.rules.definition_checks import ALPHA_BETA, HIDDEN_SEARCHES
from threefold.rules.game import Game
from threefold.solve.solve import Solver

Found = TypeVar("Found")
News = Generator[dict[str, Any], None, dict[str, Any]]

#: The methods that a page may ask for.
METHODS: Final = definition_checks.SEARCHES
#: Seconds between the reports of a search to its page.
_INTERVAL = 0.2
#: A move that gives away this share of the points is a blunder, a mistake, an inaccuracy.
_MARKS = ((0.30, "blunder"), (0.15, "mistake"), (0.07, "inaccuracy"))
#: How much of a move's loss may only be that simulations flatter the side to move.
_FLATTERY = 0.1
#: A tree has tried a move if it has visited it so often.
_TRIED = 10

#: What a review says of a position in which nobody decides, and of the first one.
_NOTHING: Final[dict[str, Any]] = {
    "best": None,
    "best_text": None,
    "pv": [],
    "pv_text": [],
    "mark": None,
}
_UNKNOWN: Final = _NOTHING | {
    "ply": 0,
    "value": 0.0,
    "share": 0.5,
    "simulated": True,
    "win_in": None,
}

_FOR_A_TABLE: Final = Need(TABLE_MEGABYTES)
_FOR_SIMULATIONS: Final = Need(SIMULATIONS_MEGABYTES)
_FOR_A_SOLVER: Final = Need(SOLVER_MEGABYTES, LEAST_SOLVER_MEGABYTES, LEFT_TO_SEARCHES)


@dataclass(frozen=True)
class Means:
    """What all pages share: the games, the memory for searches, the tables that people sit at."""

    gallery: Gallery
    memory: Memory
    tables: Tables = field(default_factory=Tables)


def levels() -> list[dict[str, Any]]:
    """The available opponents, and what they do by the search that suits a game."""
    names = {number: name for name, number in NAMED.items()}
    return [
        {
            "level": each.number,
            "name": names.get(each.number, ""),
            "about": {search: each.described(search) for search in (*METHODS, *HIDDEN_SEARCHES)},
        }
        for each in LEVELS
    ]


def historic() -> list[dict[str, Any]]:
    """The programs of the past, and the game that each plays."""
    return [
        {"level": name, "name": each.program.title, "about": str(each), "game": each.program.plays}
        for name, each in HISTORIC.items()
    ]


def _level(request: Request) -> Level:
    """The opponent that a request asks for: by number, or by the name of a program of the past."""
    if isinstance(request["level"], str):
        return HISTORIC[request.choice("level", HISTORIC)]
    return leveled(request.whole("level", 1, len(LEVELS)))


def leveled(number: int) -> Level:
    """The opponent of a level."""
    return level(str(number))


def strength_of(request: Request) -> Strength:
    """How well a request wants its opponent to play: at a level, or within limits."""
    return _level(request) if request.has("level") else limits_of(request)


def reply(means: Means, request: Request, stop: Stop) -> News:
    """The move of an opponent: at a level, or within limits."""
    so_far = _unfinished(means.gallery, request)
    best, found = yield from chosen(means, so_far, strength_of(request), stop)
    move = _move(so_far.game, so_far.now, best)
    return move if found is None else move | {"result": _shown(so_far, found)}


def chosen(
    means: Means, so_far: Played, strength: Strength, stop: Stop, seed: int | None = None
) -> Generator[dict[str, Any], None, tuple[Action, Result[Any] | None]]:
    """The move of an opponent, and what it found if it had to think."""
    game, s = so_far.game, so_far.now
    check_compilable(means.gallery, game)
    with (yield from means.memory.lend(need_of(game), stop)) as megabytes:
        if isinstance(strength, Limits):
            engine = engine_for(means.gallery, game, megabytes)
            running = engine.start(
                s, strength, multipv=free_lines(engine), history=so_far.before, seed=seed
            )
            found = yield from watched(running, so_far, stop)
            assert found.best is not None
            return found.best, found
        engine = engine_for(means.gallery, strength.view(game), megabytes)
        opponent = Opponent(game, strength, engine=engine, seed=seed)
        at_once = opponent.choose_at_once(s, so_far.before)
        if at_once is not None:
            return at_once, None
        found = yield from watched(opponent.start(s, so_far.before), so_far, stop)
        return opponent.pick(s, found), found


def _move(game: Game[Any], s: Any, a: Action) -> dict[str, Any]:
    return {"move": game.format_move(s, a), "text": game.readable_move(s, a)}


def analyze(means: Means, request: Request, stop: Stop) -> News:
    """Better and better answers, until a limit or until the page has enough."""
    so_far = _unfinished(means.gallery, request)
    check_compilable(means.gallery, so_far.game)
    game = so_far.game
    suits = HIDDEN_SEARCHES if not game.facts.perfect_information else METHODS
    method = request.choice("method", suits, search_of(game))
    need = _FOR_A_TABLE if method == ALPHA_BETA else _FOR_SIMULATIONS
    with (yield from means.memory.lend(need, stop)) as megabytes:
        rules = game.weighing() if method == ALPHA_BETA else game
        engine = SEARCHERS[method](
            game, megabytes=megabytes, compiled=means.gallery.compiled(rules)
        )
        running = _started(engine, so_far, request, multipv=_multipv(request))
        return _shown(so_far, (yield from watched(running, so_far, stop)))


def exact(means: Means, request: Request, stop: Stop) -> News:
    """The exact value of the position and of its moves, if the lab can find them in time."""
    so_far = _unfinished(means.gallery, request)
    seconds = request.number("time", 0.01, SOLVER_SECONDS, 20.0)
    detail = request.choice("detail", ("value", "best", "moves"), "moves")
    check_compilable(means.gallery, so_far.game)
    with (yield from means.memory.lend(_FOR_A_SOLVER, stop)) as megabytes:
        # It keeps its old table while it fills the next, larger one.
        solver = Solver(so_far.game, megabytes=megabytes * 3 // 4)
        before = so_far.positions[:-1]
        running = solver.start(
            so_far.now, before=before, time=seconds, detail=detail, progress=False
        )
        found = yield from watched(running, so_far, stop, answers=False)
        return _shown(so_far, found) | {"complete": found.complete, "method": found.method}


def review(means: Means, request: Request, stop: Stop) -> News:
    """What every position of a game is worth, and where something better was missed."""
    so_far = _played(means.gallery, request)
    seconds = request.number("time", 0.01, 30, 0.3)
    check_compilable(means.gallery, so_far.game)
    plies: list[dict[str, Any]] = []
    found: Result[Any] | None = None
    with (yield from means.memory.lend(need_of(so_far.game), stop)) as megabytes:
        engine = engine_for(means.gallery, so_far.game, megabytes)
        for number, s in enumerate(so_far.positions):
            if not so_far.game.facts.perfect_information and so_far.game.player(s) == CHANCE:
                # Nobody decides; what is hidden is not looked at to judge the position.
                plies.append(plies[-1] | {"ply": number, **_NOTHING} if plies else _UNKNOWN)
                found = None
                continue
            history = so_far.positions[:number]
            lines = 1 if engine.deepens else MAX_LINES
            running = engine.start(s, Limits(time=seconds), multipv=lines, history=history)
            before, found = found, (yield from watched(running, so_far, stop, answers=False))
            plies.append(_reviewed(so_far, number, found, before))
            yield {"ply": plies[-1], "of": len(so_far.positions)}
            if stop():
                break
    return {"plies": plies}


def territory(means: Means, request: Request, stop: Stop) -> News:
    """Who is likely to own which places at the end, and what that comes to."""
    so_far = played(means.gallery, request)
    game = so_far.game
    running = start_ownership(
        game, so_far.now, Limits(nodes=PLAYOUTS), compiled=means.gallery.compiled(game)
    )
    return (yield from watched(running, so_far, stop, answers=False)).to_json()


def _reviewed(
    so_far: Played, number: int, found: Result[Any], before: Result[Any] | None
) -> dict[str, Any]:
    """The report on a position; `before` is what was found a ply ago."""
    game, s = so_far.game, so_far.positions[number]
    sign = -1 if game.player(s) == MIN else 1
    share = found.share(found)
    mark = None
    if before is not None:
        move = so_far.moves[number - 1]
        # Where something is hidden, who moves next knows something else: only who moved may judge.
        after = share if game.facts.perfect_information else _own_share(move, before)
        mark = _mark(move, before, after)
    return {
        "ply": number,
        "value": sign * found.value,
        "share": share,
        "simulated": found.simulated,
        "win_in": found.win_in,
        "best": None if found.best is None else game.format_move(s, found.best),
        "best_text": None if found.best is None else game.readable_move(s, found.best),
        "pv": found.texts(found.pv),
        "pv_text": readable_line(game, s, found.pv),
        "mark": mark,
    }


def _own_share(move: Action, before: Result[Any]) -> float:
    """The share that MAX has after a move, by the search of the one who made it."""
    for line in before.lines:
        if line.move == move and (line.visits is None or line.visits >= _TRIED):
            return before.share(line)
    return before.share(before)


def _mark(move: Action, before: Result[Any], after: float) -> str | None:
    """The report on a move: where it was made, and the share that MAX has after it.

    Simulations flatter whoever is to move, before a move and after it. So that much is allowed
    for, and the tree that the move was in must agree if it has tried it.
    """
    sign = -1 if before.player == MIN else 1
    lost = sign * (before.share(before) - after)
    if before.simulated:
        lost -= _FLATTERY
        for line in before.lines:
            if line.move == move and (line.visits or 0) >= _TRIED:
                lost = min(lost, sign * (before.share(before) - before.share(line)))
    return next((name for least, name in _MARKS if lost >= least), None)


# What they share.


def _played(gallery: Gallery, request: Request) -> Played:
    """The game so far, with the database of end-games that the lab has for it."""
    so_far = played(gallery, request)
    return replace(so_far, game=gallery.knowing(so_far.game))


def _unfinished(gallery: Gallery, request: Request) -> Played:
    so_far = _played(gallery, request)
    if not so_far.game.moves(so_far.now, so_far.before):
        raise BadRequest("the game is over; there is nothing to look for")
    return so_far


def check_compilable(gallery: Gallery, game: Game[Any]) -> None:
    """Raise unless the search has code for a game."""
    try:
        gallery.compiled(game)
    except NotCompilable as error:
        raise BadRequest(
            f"this game runs interpreted only, so there is no engine: {error}"
        ) from None


def need_of(game: Game[Any]) -> Need:
    """The memory that the search needs which suits a game."""
    return _FOR_A_TABLE if search_of(game) == ALPHA_BETA else _FOR_SIMULATIONS


def engine_for(gallery: Gallery, game: Game[Any], megabytes: int) -> GameSearcher[Any]:
    """The search that suits a game."""
    rules = game.weighing() if search_of(game) == ALPHA_BETA else game
    return searcher(game, megabytes=megabytes, compiled=gallery.compiled(rules))


def _started(
    engine: GameSearcher[Any], so_far: Played, request: Request, multipv: int
) -> Running[Result[Any]]:
    return engine.start(so_far.now, limits_of(request), multipv=multipv, history=so_far.before)


def limits_of(request: Request) -> Limits:
    """The limits that a request sets, a second if it sets none."""
    return Limits(
        time=_seconds(request),
        depth=request.whole("depth", 1, 100) if request.has("depth") else None,
        nodes=request.whole("nodes", 1, 1 << 40) if request.has("nodes") else None,
    )


def watched(
    running: Running[Found], so_far: Played, stop: Stop, *, answers: bool = True
) -> Generator[dict[str, Any], None, Found]:
    """Wait for a search or the page's stop; the news are that it compiles, and its `answers`."""
    with running, stop.notifying(running.stop):
        while running.is_running(_INTERVAL):
            if running.is_compiling:
                yield {"compiling": so_far.game.name}
            elif answers:
                news = running.now()
                assert isinstance(news, Result)
                if news.nodes:  # it has begun
                    yield _shown(so_far, news)
        return running.result()


def _seconds(request: Request) -> float:
    return request.number("time", 0.001, MAX_SECONDS, 1.0)


def _multipv(request: Request) -> int:
    return request.whole("multipv", 1, MAX_LINES, 1)


def _shown(so_far: Played, found: Result[Any]) -> dict[str, Any]:
    game = so_far.game
    answer: dict[str, Any] = found.to_json()
    for shown, line in zip(answer["moves"], found.lines, strict=True):
        shown |= {
            "text": game.readable_move(so_far.now, line.move),
            "pv_text": readable_line(game, so_far.now, line.pv),
            "win_in": line.win_in,
            "exact": line.exact,
            "share": found.share(line),
            "visits": line.visits,
        }
    return answer | {
        "text": str(found),
        "share": found.share(found),
        "simulated": found.simulated,
        "selective_depth": found.selective_depth,
        "rate": found.rate,
        "database": found.is_looked_up(found.win_in, found.exact),
    }


#: The searches, by the names that a page uses.
SEARCHES: dict[str, Callable[[Means, Request, Stop], News]] = {
    "reply": reply,
    "analyse": analyze,
    "solve": exact,
    "review": review,
    "territory": territory,
}
