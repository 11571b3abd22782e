"""Backgammon's nets against GNU Backgammon's and pubeval: points a game with duplicate dice.

threefold bench backgammon
THREEFOLD_GAMES=20000 THREEFOLD_NET=net.npz threefold bench backgammon
THREEFOLD_GAMES=0 THREEFOLD_AHEAD=4000 threefold bench backgammon

The net is the one that comes with the game, or another (THREEFOLD_NET). Games are for money without
the cube. They come in pairs with the same dice and the sides exchanged, which takes out most of the
luck. Nobody looks ahead: every side plays the move after which its evaluation likes the position
best. Only in a last match, of THREEFOLD_AHEAD games, our side looks one roll ahead. There are fewer
such games, so luck is measured and taken out of them: how much better, by the net, each roll was
than the mean of all. That is fair whatever the net thinks, and leaves a quarter of the error. Both
peers come with gnubg-nn, from PyPI.
"""

import os
import random
import statistics
from collections.abc import Callable, Iterator, Sequence

from comparison import LeftOut, Points, say

import threefold
from threefold.engine.analysis import Engine
from threefold.engine.limits import Limits
from threefold.engine.nets import Net
from threefold.engine.progress import StatusLine, bar
from threefold.games.backgammon.checkers import CHECKERS, count_at, high_unit, low_unit
from threefold.games.backgammon.rules import State, of_mover
from threefold.learn.self_play import Chooser
from threefold.rules.contract import Action

GAME = threefold.game("backgammon")
#: Fewer games than this say nothing, and are not played.
_FEWEST = 4
#: The position after the move that a player chooses.
Choice = Callable[[State], State]


def measure() -> Iterator[Points | LeftOut]:
    try:
        import gnubg_nn
    except ImportError:
        yield LeftOut("GNU Backgammon", "gnubg-nn is not installed")
        return
    games = int(os.environ.get("THREEFOLD_GAMES", "2000"))
    ahead = int(os.environ.get("THREEFOLD_AHEAD", str(games // 20)))
    given = os.environ.get("THREEFOLD_NET")
    judged = threefold.game(os.environ.get("THREEFOLD_SPEC", "backgammon")).using(given)
    assert isinstance(judged.net, Net)
    chooser = Chooser(judged.net)
    searching = Engine(judged, selectivity={"filter": 8})
    choose: dict[str, Choice] = {
        "GNU Backgammon": lambda s: after(s, gnubg_nn.best_move(board(s), s.dice >> 3, s.dice & 7)),
        "pubeval": lambda s: after(
            s, by_twos(gnubg_nn.pub_best_move(board(s), s.dice >> 3, s.dice & 7))
        ),
    }
    choose["net"] = lambda s: GAME.result(s, chooser.choose(s))
    choose["net, one roll ahead,"] = lambda s: GAME.result(s, looking_ahead(searching, s))
    for ours, theirs, count in [
        ("GNU Backgammon", "pubeval", games),
        ("net", "pubeval", games),
        ("net", "GNU Backgammon", games),
        ("net, one roll ahead,", "GNU Backgammon", ahead),
    ]:
        if count < _FEWEST:
            continue
        say(f"{ours} against {theirs}")
        judge = chooser if "ahead" in ours else None
        yield match(f"{ours} against {theirs}", choose[ours], choose[theirs], count, judge)


def looking_ahead(engine: Engine[State], s: State) -> Action:
    """The best move by a search of a move, a roll and a reply."""
    best = engine.analyze(s, Limits(depth=3)).best
    assert best is not None
    return best


def board(s: State) -> list[list[int]]:
    """A position as gnubg-nn takes it: the other side's checkers, then the mover's."""
    low, high, their_low, their_high = of_mover(s)
    return [
        [count_at(their_low, their_high, place) for place in range(1, 26)],
        [count_at(low, high, place) for place in range(1, 26)],
    ]


def by_twos(flat: list[int]) -> list[tuple[int, int]]:
    """Pubeval's steps, which number the points from 0."""
    return [(a + 1, max(b + 1, 0)) for a, b in zip(flat[::2], flat[1::2], strict=True)]


def after(s: State, steps: Sequence[tuple[int, int]]) -> State:
    """The position after the mover's checkers were moved from place to place."""
    low, high, their_low, their_high = of_mover(s)
    for place, to in steps:
        low += low_unit(to) - low_unit(place)
        high += high_unit(to) - high_unit(place)
        if to and count_at(their_low, their_high, 25 - to) == 1:
            their_low += low_unit(25) - low_unit(25 - to)
            their_high += high_unit(25) - high_unit(25 - to)
    if s.turn == 0:
        return State(low, high, their_low, their_high, 0, 1)
    return State(their_low, their_high, low, high, 0, 0)


def match(
    name: str, mine: Choice, other: Choice, games: int, judge: Chooser[State] | None
) -> Points:
    """Pairs of games with the same dice, and the mean of each pair."""
    means: list[float] = []
    with StatusLine(lambda _: f"{bar(2 * len(means) / games)} {name}"):
        for number in range(games // 2):
            seed = random.Random(number).getrandbits(64)
            first = played(seed, mine, other, judge)
            second = -played(seed, other, mine, judge)
            means.append((first + second) / 2)
    error = 1.96 * statistics.stdev(means) / len(means) ** 0.5
    return Points(name, statistics.fmean(means), error, 2 * len(means))


def luck(s: State, rolled: State, judge: Chooser[State]) -> float:
    """What a roll is worth to X beyond the mean of all rolls."""
    events, weights = zip(*GAME.chances(s), strict=True)
    worth = [judge.best(GAME.result(s, event))[1] for event in events]
    mean: float = sum(w * v for w, v in zip(weights, worth, strict=True)) / sum(weights)
    gained = judge.best(rolled)[1] - mean
    return gained if rolled.turn == 0 else -gained


def played(seed: int, x: Choice, o: Choice, judge: Chooser[State] | None) -> float:
    """Play a game; what it is worth to X, less luck if somebody judges it."""
    dice = random.Random(seed)
    s = GAME.initial()
    opening = True
    lucky = 0.0
    while s.x_low & 15 != CHECKERS and s.o_low & 15 != CHECKERS:
        one, two = dice.randint(1, 6), dice.randint(1, 6)
        while opening and one == two:
            one, two = dice.randint(1, 6), dice.randint(1, 6)
        opening = False
        rolled = GAME.result(s, 8 * max(one, two) + min(one, two))
        lucky += luck(s, rolled, judge) if judge else 0.0
        s = (x if s.turn == 0 else o)(rolled)
    return float(GAME.utility(s)) - lucky
