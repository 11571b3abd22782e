"""Files of matches with games made up by chance: quick, and the same every time."""

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from threefold import game
from threefold.arena.match import MatchSettings
from threefold.arena.record import ADJUDICATED, RULES, MatchInfo, Played, Task
from threefold.arena.store import Store
from threefold.protocols.player import Budget
from threefold.rules.contract import CHANCE

PLAYERS = ("alphabeta(depth=2)", "random")
#: A moment of 2025, in seconds since 1970.
NOON = 1_750_000_000.0


def random_game(
    spec: str,
    task: Task,
    *,
    opening_plies: int = 2,
    most: int = 40,
    start: str | None = None,
    seed: int = 0,
) -> Played:
    """A game of random moves, called a draw if it takes long."""
    g = game(spec)
    rng = random.Random(f"{seed} {task.number}")
    positions: list[Any] = [g.position(start)]
    moves: list[str] = []
    values: list[float | None] = []
    seconds: list[float | None] = []
    while (outcome := g.outcome(positions)) is None and len(moves) < most:
        s = positions[-1]
        action = rng.choice(g.moves(s))
        if len(moves) >= opening_plies:
            nature = g.player(s) == CHANCE
            values.append(None if nature or rng.random() < 0.2 else rng.randint(-300, 300))
            seconds.append(None if nature else round(rng.random(), 4))
        moves.append(g.format_move(s, action))
        positions.append(g.result(s, action))
    return Played(
        task,
        g.format(positions[0]),
        moves,
        opening_plies,
        0 if outcome is None else outcome.utility,
        ADJUDICATED if outcome is None else RULES,
        "both players see a draw" if outcome is None else outcome.reason,
        values,
        seconds,
        ended=NOON + task.number,
        duration=0.5,
    )


def settings_of(
    spec: str, players: Sequence[str] = PLAYERS, *, kind: str = "match", **more: Any
) -> MatchSettings:
    return MatchSettings(spec, tuple(players), kind=kind, **more)


def begin(store: Store, settings: MatchSettings) -> MatchInfo:
    """Enter a match."""
    return store.begin(
        MatchInfo(
            0,
            settings.digest,
            settings.game,
            settings.players,
            [{"name": player} for player in settings.players],
            settings.kind,
            settings.to_json(),
            "0.1.0",
            NOON,
        )
    )


def games_of(settings: MatchSettings, count: int, **options: Any) -> Iterator[Played]:
    for number in range(count):
        yield random_game(settings.game, settings.task(number), **options)


def match_file(
    path: Path,
    spec: str,
    count: int,
    players: Sequence[str] = PLAYERS,
    *,
    kind: str = "match",
    budget: Budget | None = None,
    **options: Any,
) -> tuple[Store, MatchInfo]:
    """A file with one more match in it."""
    settings = settings_of(spec, players, kind=kind, budget=budget or Budget(time=0.2))
    store = Store(path)
    match = begin(store, settings)
    store.add(match, games_of(settings, count, **options))
    return store, match
