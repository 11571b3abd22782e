"""Which results a game has: what a net for it should tell apart."""

from typing import Any, Final, NamedTuple

import numpy as np

from threefold.engine.compile import Compiled
from threefold.engine.listing import check_fault, list_actions
from threefold.engine.nets import MAX_UNITS, MOST_RESULTS
from threefold.engine.policy_nets import MOST_MOVES
from threefold.engine.randomness import below, first_random, next_random
from threefold.engine.records import Boxed, allocate, boxed
from threefold.errors import ThreefoldError
from threefold.learn.self_play import LONGEST, Play, roll
from threefold.rules.bits import popcount, wrap
from threefold.rules.contract import MAX_FEATURE_WORDS, features, initial, result, utility, viewer
from threefold.rules.game import Game

RESULTS: Final = "results"
MARGIN: Final = "margin"
OUTPUTS: Final = (RESULTS, MARGIN)
#: Won, drawn and lost: what a net tells apart where there are too many results for one each.
WON_DRAWN_LOST: Final = (-1, 0, 1)
#: The most results that have an output each.
_MOST: Final = 8
_GAMES: Final = 2000


def random_results(
    seed: int, games: int, memory: Boxed[Play], found: Any, plies: Any, words: Any
) -> int:
    """The entry: what games of random moves are worth, and how long they are.

    Returns how many bits of features are set in all their positions.
    """
    play = memory[0]
    bits = 0
    for game in range(games):
        play.random = first_random(seed, game)
        s = initial()
        plies[game] = play.most_plies
        for ply in range(play.most_plies):
            for i in range(features(s, viewer(s), words)):
                bits += popcount(words[i])
            s = roll(s, play)
            n = list_actions(s, play.moves, play)
            if play.stop != 0:
                return bits
            if n == 0:
                found[game] = wrap(utility(s))
                plies[game] = ply
                break
            play.random = next_random(play.random)
            s = result(s, play.moves[below(n, play.random)])
    return bits


def greatest_move(seed: int, games: int, memory: Boxed[Play]) -> int:
    """The entry: the greatest number of a move in games of random moves."""
    play = memory[0]
    greatest = wrap(0)
    for game in range(games):
        play.random = first_random(seed, game)
        s = initial()
        for _ in range(play.most_plies):
            n = list_actions(s, play.moves, play)
            if n == 0 or play.stop != 0:
                break
            for i in range(n):
                greatest = max(greatest, play.moves[i])
            play.random = next_random(play.random)
            s = result(s, play.moves[below(n, play.random)])
    return greatest


def moves_told_apart(game: Game[Any]) -> int:
    """How many moves a net that proposes them has logits for.

    All there may be; or if they are too many, since a game need not say how many it has, a power of
    two that is enough for the moves of random games, or the most there may be.
    """
    every = game.facts.move_range
    if every <= MOST_MOVES:
        return every
    play = allocate(Play, game.facts.max_moves)
    play.most_plies = min(LONGEST, game.facts.max_ply)
    entry = Compiled(game.without_evaluation()).entry(greatest_move)
    greatest = int(entry(0, _GAMES, boxed(play)))
    check_fault(game, play)
    return min(1 << greatest.bit_length(), MOST_MOVES)


class Survey(NamedTuple):
    """What random games say about a game."""

    #: The results that a net tells apart; none for a net of margins.
    results: tuple[int, ...]
    #: The mean length of the games in plies, nature's not counted.
    plies: float
    #: How many bits of a position's features are set, on average.
    active: float


def survey(game: Game[Any], outputs: str = RESULTS, units: int = MAX_UNITS) -> Survey:
    """Play random games to see which results there are.

    A net has an output for each of them where they are few, else for won, drawn and lost. In a game
    of chance with many results it has a margin, since results are averaged there. A margin is a sum
    over the `units` of the last hidden layer, and cannot be much larger than they are many.
    """
    if outputs not in OUTPUTS:
        raise ThreefoldError(f"the outputs are {' or '.join(OUTPUTS)}, not {outputs!r}")
    play = allocate(Play, game.facts.max_moves)
    play.most_plies = min(LONGEST, game.facts.max_ply) + 1  # to see a game of that length end
    found, plies = np.zeros(_GAMES, np.int64), np.zeros(_GAMES, np.int64)
    entry = Compiled(game.without_evaluation()).entry(random_results)
    words = np.zeros(MAX_FEATURE_WORDS, np.int64)
    bits = entry(0, _GAMES, boxed(play), found, plies, words)
    check_fault(game, play)
    ended = set(map(int, found[plies < play.most_plies]))
    every = tuple(sorted(ended | {-u for u in ended}))
    if outputs == MARGIN:
        every = ()
    elif set(every) <= set(WON_DRAWN_LOST):
        every = WON_DRAWN_LOST
    elif len(every) > _MOST or sum(map(abs, every)) > MOST_RESULTS:
        every = WON_DRAWN_LOST if game.facts.deterministic else ()
    largest = max(map(abs, ended), default=0)
    if not every and largest > units:
        raise ThreefoldError(
            f"{game.name}: a utility of {largest} is too large for a net of margins with {units} "
            f"units before its output; give more of them, or count in larger units"
        )
    return Survey(every, float(plies.mean()), max(int(bits) / max(int(plies.sum()), 1), 1.0))
