"""Backgammon with lookahead: how long a move takes, and what move filters save and lose.

threefold bench lookahead
THREEFOLD_NET=net.npz threefold bench lookahead

The positions come from play by the evaluation, which is a net's (THREEFOLD_NET) or the game's own.
Depth 3 looks one roll ahead: a move, a roll, a reply. A filter's loss is what the search without it
says that its choice is worth less than the best move, on average over all positions.
"""

import os
import random
from collections.abc import Iterator
from typing import Any

from comparison import AtMost, Comparison, Rate, say

import threefold
from threefold import CHANCE, Game
from threefold.engine.analysis import Engine
from threefold.engine.limits import Limits
from threefold.rules.contract import FINISHED

#: The depth, how many positions, and filters: how many moves, and the margin.
DEPTHS = [(3, 60, [(8, 160), (4, 80), (2, 40)]), (5, 6, [(8, 160), (4, 80)])]
SEED = 1


def measure() -> Iterator[AtMost | Comparison | Rate]:
    game = threefold.game("backgammon").using(os.environ.get("THREEFOLD_NET"))
    scale = float(os.environ.get("THREEFOLD_POSITIONS", "1"))
    for depth, usual, filters in DEPTHS:
        what = f"backgammon by {game.evaluation}, depth {depth}"
        say(what)
        starts = positions(game, max(round(usual * scale), 1))
        whole = Engine(game)
        best, seconds = _searched(whole, starts, depth)
        yield Rate(what, len(starts) / seconds, "moves/s", 0)
        for keep, margin in filters:
            filtered = Engine(game, selectivity={"filter": keep, "filter_margin": margin})
            chosen, filtered_seconds = _searched(filtered, starts, depth)
            lost = 0.0
            for s, one, other in zip(starts, best, chosen, strict=True):
                if one.best != other.best:
                    alone = whole.analyze(s, Limits(depth=depth), moves=[other.best])
                    lost += max(one.value - alone.value, 0.0) / FINISHED
            name = f"{what}, at most {keep} moves within {margin / FINISHED:g} points"
            rates = (len(starts) / filtered_seconds, len(starts) / seconds)
            yield Comparison(name, rates[0], "all moves", rates[1], "moves/s", 1.0)
            yield AtMost(name, lost / len(starts), "points lost a move", 0.005)


def positions(game: Game[Any], count: int) -> list[Any]:
    """Positions with a choice, from games that the evaluation plays one ply ahead."""
    choose, found = random.Random(SEED), list[Any]()
    engine = Engine(game)
    while len(found) < count:
        s = game.initial()
        for _ in range(choose.randrange(80)):
            if not game.moves(s):
                break
            if game.player(s) == CHANCE:
                events, weights = zip(*game.chances(s), strict=True)
                (a,) = choose.choices(events, weights)
            else:
                a = engine.analyze(s, Limits(depth=1)).best
            s = game.result(s, a)
        if len(game.moves(s)) > 1 and game.player(s) != CHANCE:
            found.append(s)
    return found


def _searched(engine: Engine[Any], starts: list[Any], depth: int) -> tuple[list[Any], float]:
    engine.analyze(starts[0], Limits(depth=1))  # compiles
    found = [engine.analyze(s, Limits(depth=depth)) for s in starts]
    return found, sum(each.seconds for each in found)
