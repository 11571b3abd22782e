"""One number per game, which stays the same as long as the searches do what they did.

Run it before and after a change: a refactoring keeps every number, a new search idea changes
some. Each game is searched from its start and from positions after some random moves, always the
same: by alpha-beta to a fixed depth, plain and with what it adds, by Monte Carlo tree search with a
fixed seed, and late in the game by the solver. The number is a checksum of the nodes, values and
best moves of all these searches; beside it is how many nodes they had.

    threefold bench signature
"""

import random
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from comparison import say

from threefold import CHANCE, Game, game
from threefold.games.catalogue import HOMES

#: A game that equals another one unless it is given parameters.
SPECS = {"mnk": "mnk(m=5,n=4,k=4)"}
#: Searched with an evaluation that is not the game's default.
EVALUATIONS = {"chess": "material"}
#: How deep alpha-beta looks, so that every game takes a second or so.
DEPTHS = {"chess": 9, "checkers": 13, "connect-four": 13, "kalah": 10, "othello": 10}
DEFAULT_DEPTH = 8
#: How much less deep it looks without reductions, extensions and null moves.
LESS_DEEP = 4
SIMULATIONS = 2_000
#: How many random moves there are between the start and a position to search.
PLIES = (0, 4, 9, 16, 25)
#: The same for the solver's positions, if the game lasts that long.
NEAR_THE_END = 6
#: Games whose endgames take the solver too long, or whose positions repeat.
UNSOLVED = ("chess", "checkers")


@dataclass(frozen=True)
class Signature:
    """The signature of one game's searches."""

    game: str
    signature: int
    nodes: int

    def __str__(self) -> str:
        return f"{self.game}: {self.signature} ({self.nodes:,} nodes)"

    def to_json(self) -> dict[str, Any]:
        return vars(self)


def measure() -> Iterator[Signature]:
    """The signature of every game of the catalogue in which nothing is hidden."""
    for name in HOMES:
        rules = game(SPECS.get(name, name)).using(EVALUATIONS.get(name))
        if not rules.facts.perfect_information:
            continue
        say(name)
        yield signature(rules, DEPTHS.get(name, DEFAULT_DEPTH), name not in UNSOLVED)


def signature(rules: Game[Any], depth: int, solved: bool) -> Signature:
    """Search the fixed positions of a game."""
    found = []
    for seed, plies in enumerate(PLIES):
        played = random_positions(rules, seed)
        s = played[min(plies, len(played) - 1)]
        found.append(rules.analyze(s, depth=depth))
        found.append(rules.analyze(s, depth=depth - LESS_DEEP, exact=True))
        found.append(rules.analyze(s, method="mcts", nodes=SIMULATIONS, seed=seed))
        if solved:
            found.append(rules.solve(played[-min(NEAR_THE_END, len(played))], progress=False))
    answers = [(f.nodes, f.value, f.best, f.win_in, f.exact) for f in found]
    return Signature(rules.spec, zlib.crc32(repr(answers).encode()), sum(f.nodes for f in found))


def random_positions(rules: Game[Any], seed: int) -> list[Any]:
    """The positions of a random game in which a player has a move to make."""
    rng = random.Random(seed)
    s, positions = rules.initial(), []
    while moves := rules.moves(s):
        if rules.player(s) != CHANCE:
            positions.append(s)
        s = rules.result(s, rng.choice(moves))
    return positions
