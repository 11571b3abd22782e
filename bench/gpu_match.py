"""What a GPU adds to Monte Carlo tree search: matches against the same search on one core.

Both have the same time a move. Without a CUDA device nothing is played.

    threefold bench gpu_match                    40 games of each
    THREEFOLD_GAMES=100 threefold bench gpu_match
"""

from collections.abc import Iterator

from comparison import LeftOut
from duel import Score, game_count, match

from threefold import game
from threefold.errors import NoGpu

SECONDS = 0.1
GAMES = ("othello", "connect-four", "kalah", "checkers")


def measure() -> Iterator[Score | LeftOut]:
    try:
        device = game("nim").on_gpu().device
    except NoGpu as error:
        yield LeftOut("matches of tree searches on a GPU", str(error))
        return
    for spec in GAMES:
        what = f"{spec}: mcts with playouts on {device} against mcts on a core, {SECONDS} s a move"
        ours, theirs = (f"mcts(time={SECONDS},playouts_on={where})" for where in ("gpu", "cpu"))
        yield match(what, spec, ours, theirs, game_count(40))
