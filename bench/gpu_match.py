"""What a GPU adds to Monte Carlo tree search: matches against the same search on one core.

Both have the same time a move. Without a CUDA device nothing is played.

    threefold bench gpu_match                    40 games of each
    THREEFOLD_GAMES=100 threefold bench gpu_match
"""

import os
from collections.abc import Iterator, Sequence
from typing import Any

from comparison import LeftOut
from duel import Player, Score, match

from threefold import Game, game
from threefold.errors import NoGpu

SECONDS = 0.1
GAMES = ("othello", "connect-four", "kalah", "checkers")


def measure() -> Iterator[Score | LeftOut]:
    try:
        device = game("nim").on_gpu().device
    except NoGpu as error:
        yield LeftOut("matches of tree searches on a GPU", str(error))
        return
    games = int(os.environ.get("THREEFOLD_GAMES", "40"))
    for spec in GAMES:
        what = f"{spec}: mcts with playouts on {device} against mcts on a core, {SECONDS} s a move"
        yield match(what, game(spec), player("gpu"), player("cpu"), games)


def player(playouts_on: str) -> Player:
    """Our Monte Carlo tree search with its games played in that place."""

    def move(g: Game[Any], s: Any, _: Sequence[int]) -> int:
        best = g.analyze(s, time=SECONDS, method="mcts", playouts_on=playouts_on).best
        assert best is not None
        return best

    return move
