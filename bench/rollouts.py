"""Rollouts of backgammon: games a second, how much luck they lose, and a GPU against one core.

threefold bench rollouts
python bench/rollouts.py --device gpu --net net.npz --games 200000

The position is the opening roll 31, the moves are those that the evaluation likes best. Without a
net (THREEFOLD_NET, or --net) it is the game's own evaluation. What counts is not games but how soon
the error is small: measuring luck costs time, and is worth it if it takes out more variance.
"""

import argparse
import os
from collections.abc import Iterator
from typing import Any

from comparison import Comparison, LeftOut, Rate, say

import threefold
from threefold.engine.limits import Limits
from threefold.engine.rollout_result import Options, RolloutResult
from threefold.engine.rollouts import start_rollouts
from threefold.errors import NoGpu
from threefold.gpu.places import place_of

POSITION = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
CPU_GAMES, GPU_GAMES = 360, 200_000
WHOLE, TRUNCATED = None, 10


def measure(
    device: str | None = None, net: str | None = None, games: int | None = None
) -> Iterator[Comparison | LeftOut | Rate]:
    game = threefold.game("backgammon").using(net or os.environ.get("THREEFOLD_NET"))
    judged = game.evaluation
    rates = {}
    for where, usual in (("cpu", CPU_GAMES), ("gpu", GPU_GAMES)):
        if device not in (None, where):
            continue
        for truncate in (WHOLE, TRUNCATED):
            kind = "whole games" if truncate is None else f"{truncate} rolls"
            what = f"backgammon by {judged}, {kind}, {where}"
            say(what)
            try:
                fair, plain = (
                    _rolled(game, where, games or usual, truncate, luck) for luck in (True, False)
                )
            except NoGpu as error:
                yield LeftOut(what, str(error))
                continue
            rates[where, truncate] = _rate(fair)
            yield Rate(f"{what}, luck measured", _rate(fair), "games/s", 0)
            yield Rate(f"{what}, luck measured", fair.rate, "positions/s", 0)
            yield Rate(f"{what}, plain", _rate(plain), "games/s", 0)
            # How many games a second would be needed without measuring luck, for the same error.
            gain = (plain.rolled[0].plain_error / fair.rolled[0].error) ** 2
            worth = _rate(fair) * gain * fair.rolled[0].games / plain.rolled[0].games
            # Whole games are about even; what is left in them after ten rolls is mostly luck.
            wanted = 0.5 if truncate is None else 1.0
            yield Comparison(
                f"{what}, luck measured", worth, "plain", _rate(plain), "games' worth/s", wanted
            )
    for truncate in (WHOLE, TRUNCATED):
        if ("cpu", truncate) in rates and ("gpu", truncate) in rates:
            kind = "whole games" if truncate is None else f"{truncate} rolls"
            gpu, cpu = rates["gpu", truncate], rates["cpu", truncate]
            what = f"backgammon by {judged}, {kind}, luck measured, on a GPU"
            yield Comparison(what, gpu, "one core", cpu, "games/s", 20.0)


def _rolled(
    game: Any, where: str, games: int, truncate: int | None, luck: bool
) -> RolloutResult[Any]:
    options = Options(games=games, truncate=truncate, reduce_variance=luck, candidates=1)
    found = start_rollouts(
        game, game.position(POSITION), Limits(), options, roller=place_of(where).roller
    ).result()
    assert isinstance(found, RolloutResult)
    return found


def _rate(found: RolloutResult[Any]) -> float:
    return found.rolled[0].games / found.seconds


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", choices=("cpu", "gpu"))
    parser.add_argument("--net", metavar="FILE")
    parser.add_argument("--games", type=int)
    given = parser.parse_args()
    for found in measure(given.device, given.net, given.games):
        print(found, flush=True)
