"""Playing a game with hidden information: sitting down, looking, moving, letting a computer move.

Every answer here is made of what the people at the table may see; `threefold.rules.seats` says
what that is. What a computer thinks is never told: it thinks of its own cards.
"""

from collections.abc import Callable, Generator
from typing import Any, Final

from threefold.engine.limits import Limits
from threefold.engine.result import Result
from threefold.lab.boards import Played, result_of
from threefold.lab.limits import MAX_PLIES, MAX_POSITION, MAX_SECONDS
from threefold.lab.requests import BadRequest, Request
from threefold.lab.searching import Means, News, chosen, leveled, limits_of
from threefold.lab.stopping import Stop
from threefold.lab.tables import Strength, Table
from threefold.rules.contract import Action, Player
from threefold.rules.seats import MoveSeen, SeatedGame

PERSON: Final = "human"


def sit(means: Means, request: Request) -> dict[str, Any]:
    """Begin a game: nature deals, and the page gets the table's token."""
    game = means.gallery.game(request)
    if game.facts.perfect_information:
        raise BadRequest(f"{game.name} hides nothing: it needs no table")
    given = request.texts("seats", game.facts.seats)
    if len(given) != game.facts.seats:
        names = ", ".join(game.seat_names)
        raise BadRequest(f"seats: say who plays each of {names}, in this order")
    computers = {seat: _strength(who) for seat, who in enumerate(given) if who != PERSON}
    start = request.text("start", MAX_POSITION, "").strip()
    rng = means.tables.make_rng()
    table = Table(SeatedGame(game, game.position(start or None), rng), computers, rng)
    return {"table": means.tables.add(table)}


def _strength(who: str) -> Strength:
    """A computer by its name in a page: a level, or seconds such as `3s`."""
    if who.endswith("s"):
        try:
            seconds = float(who[:-1])
        except ValueError:
            seconds = 0.0
        if 0 < seconds <= MAX_SECONDS:
            return Limits(time=seconds)
    elif who.isdecimal():
        return leveled(int(who))
    raise BadRequest(f"{who!r} is no player: {PERSON}, the number of a level, or seconds as 3s")


def leave(means: Means, request: Request) -> dict[str, Any]:
    """Clear a table."""
    means.tables.clear(_token(request))
    return {}


def seen(means: Means, request: Request) -> dict[str, Any]:
    """Everything that a page shows of the game."""
    table = means.tables.find(_token(request))
    with table.lock:
        return _view(table, request)


def act(means: Means, request: Request) -> dict[str, Any]:
    """Make a person's move."""
    table = means.tables.find(_token(request))
    with table.lock:
        _check_person(table, request)
        table.seated.play(table.seated.parse(request.text("move", 100)))
    return {}


# What a page is shown.


def _view(table: Table, request: Request) -> dict[str, Any]:
    seated, game = table.seated, table.seated.game
    wanted = request.whole("seat", 0, game.facts.seats - 1) if request.has("seat") else None
    plies = len(seated.moves)
    at = request.whole("at", 0, plies) if request.has("at") else plies
    seat = None if table.is_open else table.viewer(wanted)
    decides = seated.seat
    is_covered = seat is None and not table.is_open
    ended = seated.outcome
    # Before nature has dealt there is nothing to see.
    first = next(n for n, s in enumerate(seated.positions) if game.player(s) >= 0 or n == plies)
    is_now = at == plies
    can_move = is_now and decides is not None and seat == decides and not is_covered
    return {
        "game": game.spec,
        "title": game.name,
        "seats": list(game.seat_names),
        "sides": list(game.sides),
        "people": table.people,
        "decides": decides,
        "player": None if decides is None else game.player(seated.now),
        "seat": seat,
        "covered": is_covered,
        "revealed": table.is_open,
        "plies": plies,
        "at": max(at, first),
        "first": first,
        "played": _played(seated, _eyes(table, seat)),
        "over": ended is not None,
        "result": None if ended is None else result_of(ended),
        **({} if is_covered else _board(seated, seat, max(at, first))),
        "moves": [_move(seated, a) for a in seated.legal] if can_move else [],
        **({"whole": _whole(seated)} if table.is_open and ended is not None else {}),
    }


def _eyes(table: Table, seat: Player | None) -> list[Player]:
    """The seats that must all have seen a move for it to be told; nobody where all is open."""
    if table.is_open:
        return []
    return table.people if seat is None else [seat]


def _board(seated: SeatedGame[Any], seat: Player | None, at: int) -> dict[str, Any]:
    shown = seated.shown(seat, at)
    return {
        "svg": seated.picture(seat, at).unstyled,
        "contents": {} if shown is None else dict(seated.game.contents(shown)),
    }


def _played(seated: SeatedGame[Any], seats: list[Player]) -> list[dict[str, Any]]:
    def told(move: MoveSeen) -> dict[str, Any]:
        return {**vars(move), "places": list(move.places)}

    return [told(move) for move in seated.listed(seats)]


def _move(seated: SeatedGame[Any], a: Action) -> dict[str, Any]:
    name, text, places = seated.names(a)
    return {"move": name, "text": text, "places": list(places)}


def _whole(seated: SeatedGame[Any]) -> dict[str, Any]:
    """The finished game with everything that was hidden, as other rooms take it."""
    game = seated.game
    return {
        "start": "" if seated.positions[0] == game.initial() else game.format(seated.positions[0]),
        "record": None if game.record is None else game.record_name,
        "moves": [game.format_move(s, a) for s, a in zip(seated.before, seated.moves, strict=True)],
    }


# Computers.


def proceed(means: Means, request: Request, stop: Stop) -> News:
    """Let the computer whose turn it is make its move."""
    table = means.tables.find(_token(request))
    seated, ply = table.seated, request.whole("at", 0, MAX_PLIES)
    table.check_ply(ply)
    seat = seated.seat
    if seat is None or seat not in table.computers:
        raise BadRequest("it is no computer's turn")
    best, _ = yield from _thought(means, table, table.computers[seat], stop)
    with table.lock:
        table.check_ply(ply)
        if not stop():  # a page that has left does not wait for the rest
            seated.play(best)
    return {}


def hint(means: Means, request: Request, stop: Stop) -> News:
    """What a person might play, by what they see."""
    table = means.tables.find(_token(request))
    with table.lock:
        _check_person(table, request)
    seated = table.seated
    best, found = yield from _thought(means, table, limits_of(request), stop)
    with table.lock:
        _check_person(table, request)
        return _advice(seated, best, found)


def _thought(
    means: Means, table: Table, strength: Strength, stop: Stop
) -> Generator[dict[str, Any], None, tuple[Action, Result[Any] | None]]:
    """A choice for the seat that decides; the news tell only how far it is."""
    seated = table.seated
    so_far = Played(seated.game, tuple(seated.positions), tuple(seated.moves))
    thinking = chosen(means, so_far, strength, stop, table.rng.getrandbits(32))
    while True:
        try:
            news = next(thinking)
        except StopIteration as done:
            choice: tuple[Action, Result[Any] | None] = done.value
            return choice
        yield {name: news[name] for name in ("compiling", "waiting", "nodes") if name in news}


def _advice(seated: SeatedGame[Any], best: Action, found: Result[Any] | None) -> dict[str, Any]:
    lines = [] if found is None else found.lines
    return {
        "best": _move(seated, best),
        "nodes": 0 if found is None else found.nodes,
        "moves": [
            _move(seated, line.move)
            | {"value": found.shown(line.value, None, line.exact), "visits": line.visits}
            for line in lines
            if found is not None and found.nodes  # there is no value if it was agreed on before
        ],
    }


def _token(request: Request) -> str:
    return request.text("table", 100)


def _check_person(table: Table, request: Request) -> None:
    """Raise unless the person who asks is the one to move."""
    seat = request.whole("seat", 0, table.seated.game.facts.seats - 1)
    table.check_ply(request.whole("at", 0, MAX_PLIES))
    if seat not in table.people:
        raise BadRequest("a computer has that seat")
    if seat != table.seated.seat:
        raise BadRequest("it is not that seat's turn")


#: What pages may ask for at a table: answered immediately, and searches.
AT_TABLES: Final[dict[str, Callable[[Means, Request], dict[str, Any]]]] = {
    "sit": sit,
    "seen": seen,
    "act": act,
    "leave": leave,
}
SEARCHES_AT_TABLES: Final[dict[str, Callable[[Means, Request, Stop], News]]] = {
    "proceed": proceed,
    "hint": hint,
}
