"""The same time for alpha-beta and for tree search, on games that branch more and more.

For chess, Othello and Go on boards of 9×9, 13×13 and 19×19: the legal moves of a position, how deep
alpha-beta looks and how many nodes that takes, how many games tree search plays and how deep they
stay in its tree, each a mean over positions of random games; and the score of a match between the
two, every opening from both sides, with its error bars.

    threefold bench branching                             20 games of each, 1 s a move
    THREEFOLD_GAMES=100 THREEFOLD_SECONDS=0.2 threefold bench branching
    THREEFOLD_MATCHES="othello;go(size=9)" THREEFOLD_DB=branching.db threefold bench branching

With THREEFOLD_GAMES=0 there are no matches. Matches are recorded in THREEFOLD_DB, if it is given,
and the same command continues there.
"""

import os
import random
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np
from comparison import say
from duel import Score, game_count, match

from threefold import Game, game
from threefold.engine.limits import Limits
from threefold.engine.mcts import MonteCarlo

GAMES = "chess;othello;go(size=9);go(size=13);go(size=19)"
#: The plies after which a position is looked at: from the opening to the middle game.
PLIES = (4, 10, 16, 22, 28)
SEED = 20


@dataclass(frozen=True)
class Branching:
    """What two searches make of the same positions in the same time; all of it means."""

    what: str
    seconds: float
    positions: int
    moves: float
    depth: float
    nodes: float
    simulations: float
    tree_depth: float

    def __str__(self) -> str:
        return (
            f"{self.what}, {self.seconds:g} s, {self.positions} positions: {self.moves:.1f} moves; "
            f"alpha-beta {self.depth:.1f} plies, {self.nodes:,.0f} nodes; "
            f"tree search {self.simulations:,.0f} simulations, {self.tree_depth:.1f} plies"
        )

    def to_json(self) -> dict[str, Any]:
        return vars(self)


def measure() -> Iterator[Branching | Score]:
    seconds = float(os.environ.get("THREEFOLD_SECONDS", "1"))
    games = game_count(20)
    for spec in os.environ.get("THREEFOLD_MATCHES", GAMES).split(";"):
        yield _looked_at(spec, seconds)
        if games:
            say(f"{spec}, {games} games")
            what = f"{spec}: mcts against alphabeta, {seconds:g} s a move"
            ours, theirs = f"mcts(time={seconds})", f"alphabeta(time={seconds})"
            yield match(what, spec, ours, theirs, games, db=os.environ.get("THREEFOLD_DB"))


def _looked_at(spec: str, seconds: float) -> Branching:
    say(spec)
    g = game(spec)
    positions = list(_positions(g))
    g.analyze(positions[0], method="alphabeta", nodes=10)  # compiles
    MonteCarlo(g, positions[0]).run(Limits(nodes=10))
    seen = [g.analyze(s, method="alphabeta", time=seconds) for s in positions]
    grown = [_grown(g, s, seconds) for s in positions]
    return Branching(
        spec,
        seconds,
        len(positions),
        moves=fmean(len(g.moves(s)) for s in positions),
        depth=fmean(found.depth for found in seen),
        nodes=fmean(found.nodes for found in seen),
        simulations=fmean(simulations for simulations, _ in grown),
        tree_depth=fmean(depth for _, depth in grown),
    )


def _positions(g: Game[Any]) -> Iterator[Any]:
    """Positions of random games, the same ones every time; of a short game, its last unfinished."""
    rng = random.Random(SEED)
    for plies in PLIES:
        s = g.initial()
        for _ in range(plies):
            after = g.result(s, rng.choice(g.moves(s)))
            if g.is_terminal(after):
                break
            s = after
        yield s


def _grown(g: Game[Any], s: Any, seconds: float) -> tuple[int, float]:
    """How many simulations there were, and how many plies they stayed in the tree on average."""
    search = MonteCarlo(g, s, seed=SEED)
    search.run(Limits(time=seconds))
    visits = np.asarray(search.tree)["visits"][: search.control.tree_size]
    return search.simulations, float(visits[1:].sum() / visits[0])
