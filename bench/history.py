"""The chess programs of 1948–1950 and level 5 against each other: every pair plays a match.

threefold bench history                        20 games of each pair
THREEFOLD_GAMES=100 threefold bench history
"""

import os
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

from duel import SEED, Player, Score, match

from threefold import Game, game
from threefold.engine.levels import Opponent, level

NAMES = ("turochamp", "shannon-a", "shannon-b", "5")


def player(g: Game[Any], name: str) -> Player:
    """An opponent of `threefold play` as a program for a match."""
    opponent = Opponent(g, level(name), seed=SEED)

    def move(g: Game[Any], s: Any, made: Sequence[int]) -> int:
        history = [g.initial()]
        for a in made:
            history.append(g.result(history[-1], a))
        return opponent.choose(s, history[:-1])

    return move


def measure() -> Iterator[Score]:
    games = int(os.environ.get("THREEFOLD_GAMES", "20"))
    g = game("chess").using("positional")
    players = {name: player(g, name) for name in NAMES}
    for one, other in combinations(NAMES, 2):
        what = f"{shown(one)} against {shown(other)}"
        yield match(what, g, players[one], players[other], games)


def shown(name: str) -> str:
    """A level as readers know it."""
    return f"level {name}" if name.isdigit() else name


if __name__ == "__main__":
    for score in measure():
        print(score)
