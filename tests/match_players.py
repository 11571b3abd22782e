"""Players of tests, for `python(match_players:NAME)`: some play, others fail in every way."""

import os
import time
from typing import Any

from threefold import Game


def first(game: Game[Any], s: Any) -> int:
    return game.moves(s)[0]


def last_by_text(game: Game[Any], s: Any) -> str:
    return game.format_move(s, game.moves(s)[-1])


def crashing(game: Game[Any], s: Any) -> int:
    raise ZeroDivisionError("I divide by zero")


def cheating(game: Game[Any], s: Any) -> int:
    return 999


def cheating_by_text(game: Game[Any], s: Any) -> str:
    return "z9"


def babbling(game: Game[Any], s: Any) -> list[str]:
    return ["what", "?"]


def circling(game: Game[Any], s: Any, moves: list[int]) -> int:
    """In Go on 2×2: the moves of a circle, after which the next is barred by superko."""
    names = ("A1", "B1", "A2", "B2", "A1", "A2", "A1")
    return game.parse_move(s, names[len(moves)])


def leaving(game: Game[Any], s: Any) -> int:
    raise SystemExit(3)


def hanging(game: Game[Any], s: Any) -> int:
    while True:
        time.sleep(1)


def talking(game: Game[Any], s: Any) -> int:
    print("I like this position")  # noqa: T201
    return game.moves(s)[0]


def by_numpy(game: Game[Any], s: Any) -> Any:
    import numpy as np

    return np.int64(game.moves(s)[-1])


def with_history(game: Game[Any], s: Any, moves: list[int]) -> int:
    assert len(moves) == sum(sign in "XO" for sign in game.format(s).split()[0])
    return game.moves(s)[0]


def with_a_default(game: Game[Any], s: Any, depth: int = 2) -> int:
    return game.moves(s)[depth - 2]


def slow(game: Game[Any], s: Any) -> int:
    time.sleep(0.3)
    return game.moves(s)[0]


def dying(game: Game[Any], s: Any) -> int:
    """The whole process goes with it."""
    os._exit(9)


def dying_once(game: Game[Any], s: Any) -> int:
    """The process dies at the first move of all; the file remembers that it has."""
    try:
        os.close(os.open(os.environ["DIED_ONCE"], os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return game.moves(s)[0]
    os._exit(9)


def dying_in_the_corner(game: Game[Any], s: Any) -> int:
    """The process dies if the opponent has the top left corner."""
    if game.format(s).startswith("X"):
        os._exit(9)
    return game.moves(s)[0]
