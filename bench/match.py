"""Matches against OpenSpiel's MCTSBot at the same time a move, on Connect Four and Othello.

Every opening, four plies at random, is played twice, each side once by each program, so that a
lucky opening is lucky for both. The programs take turns: neither thinks while the other does.

    threefold bench match                       100 games of each
    THREEFOLD_GAMES=20 threefold bench match
    python bench/match.py 20 mcts               our Monte Carlo tree search plays for us
"""

import math
import os
import random
import statistics
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from comparison import LeftOut

from threefold import Game, game
from threefold.engine.analysis import Engine
from threefold.engine.limits import Limits
from threefold.engine.progress import bar

SECONDS = 0.2
OPENING_PLIES = 4
SEED = 20
WANTED = 0.95
#: Our name of a game and OpenSpiel's. Both number moves alike: columns from the left, and squares
#: from the top left corner row by row with the pass after the last.
GAMES = [("connect-four", "connect_four"), ("othello", "othello")]

#: A program as this file sees it: the move that it makes in a position.
Player = Callable[[Game[Any], Any], int]


@dataclass(frozen=True)
class Score:
    """Our share of the points of a match; a draw is half a point to both."""

    what: str
    games: int
    wins: int
    draws: int
    points: float
    error: float
    wanted: float

    def __str__(self) -> str:
        verdict = "reached" if self.points >= self.wanted else "NOT reached"
        return (
            f"{self.what}: {self.points:.1%} ± {self.error:.1%} of the points, {self.wins} won, "
            f"{self.draws} drawn, {self.games - self.wins - self.draws} lost; "
            f"wanted {self.wanted:.0%}: {verdict}"
        )

    def to_json(self) -> dict[str, Any]:
        return vars(self)


def alphabeta() -> Player:
    """Our search, its table kept from move to move."""
    engines: dict[str, Engine[Any]] = {}

    def move(g: Game[Any], s: Any) -> int:
        if g.spec not in engines:
            engines[g.spec] = Engine(g)
        best = engines[g.spec].analyze(s, Limits(time=SECONDS)).best
        assert best is not None
        return best

    return move


def monte_carlo(g: Game[Any], s: Any) -> int:
    """Our Monte Carlo tree search."""
    best = g.analyze(s, time=SECONDS, method="mcts").best
    assert best is not None
    return best


OURS = alphabeta()


def measure(player: Player = OURS, games: int | None = None) -> Iterator[Score | LeftOut]:
    try:
        import pyspiel
    except ImportError:
        yield LeftOut("matches against OpenSpiel", 'pip install -e ".[bench]" installs it')
        return
    if games is None:
        games = int(os.environ.get("THREEFOLD_GAMES", "100"))
    for spec, theirs in GAMES:
        yield match(spec, pyspiel.load_game(theirs), player, games)


def match(spec: str, their_game: Any, player: Player, games: int) -> Score:
    """Play a match and count its points, two games for each opening."""
    g = game(spec)
    rng = random.Random(SEED)
    bot = open_spiel_bot(their_game)
    player(g, g.initial())  # compiles
    points: list[float] = []
    opening: list[int] = []
    for number in range(games):
        if number % 2 == 0:
            opening = random_opening(g, rng)
        points.append(play(g, their_game, opening, player, bot, our_side=number % 2))
        share = (number + 1) / games
        done = f"{number + 1}/{games} games  {sum(points):g} points"
        sys.stderr.write(f"\r{spec} {bar(share)} {done}" + "\n" * (share == 1))
        sys.stderr.flush()
    pairs = [statistics.fmean(points[i : i + 2]) for i in range(0, games, 2)]
    error = statistics.stdev(pairs) / math.sqrt(len(pairs)) if len(pairs) > 1 else 0.5
    return Score(
        f"{spec} against OpenSpiel's MCTSBot, {SECONDS} s a move",
        games,
        points.count(1.0),
        points.count(0.5),
        statistics.fmean(points),
        error,
        WANTED,
    )


def open_spiel_bot(their_game: Any) -> Any:
    """Their search as a user would set it up, with time for its limit."""
    import pyspiel

    return pyspiel.MCTSBot(
        their_game,
        pyspiel.RandomRolloutEvaluator(n_rollouts=1, seed=SEED),
        uct_c=math.sqrt(2),
        max_simulations=1 << 30,
        max_memory_mb=1000,
        solve=True,
        seed=SEED,
        verbose=False,
        max_wall_clock_time=SECONDS,
    )


def random_opening(g: Game[Any], rng: random.Random) -> list[int]:
    """A few moves at random."""
    s, moves = g.initial(), []
    for _ in range(OPENING_PLIES):
        moves.append(rng.choice(g.moves(s)))
        s = g.result(s, moves[-1])
    return moves


def play(
    g: Game[Any], their_game: Any, opening: list[int], player: Player, bot: Any, our_side: int
) -> float:
    """Our points of one game, which both programs' rules follow move by move."""
    s, theirs = g.initial(), their_game.new_initial_state()
    for ply in range(g.facts.max_ply):
        moves = g.moves(s)
        if theirs.is_terminal() or not moves:
            break
        assert sorted(moves) == theirs.legal_actions(), f"{g.name}: the rules differ"
        if ply < len(opening):
            a = opening[ply]
        elif len(moves) == 1:
            a = moves[0]
        elif g.player(s) == our_side:
            a = player(g, s)
        else:
            a = bot.step(theirs)
        s = g.result(s, a)
        theirs.apply_action(a)
    worth = theirs.returns()[our_side]
    assert (g.utility(s) > 0) == (theirs.returns()[0] > 0), f"{g.name}: the outcomes differ"
    return float((worth > 0) + 0.5 * (worth == 0))


if __name__ == "__main__":
    arguments = dict(enumerate(sys.argv))
    chosen = monte_carlo if arguments.get(2) == "mcts" else OURS
    for score in measure(chosen, int(arguments[1]) if 1 in arguments else None):
        print(score)
