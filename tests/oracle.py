"""What positions are truly worth: by definition, in plain Python, with nothing of the engine.

The rules' own functions are called and nothing else; the game is cut off after more and more plies,
an unfinished game counting as a draw, until no value changes any more. That is the value of a game
in which endless play is a draw, with circles or without.
"""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, TypeVar

from threefold import CHANCE, Game
from threefold.rules.contract import DRAWN, MAX, MIN

S = TypeVar("S")

#: More plies than any line has.
_PLIES = 1 << 12


@dataclass(frozen=True)
class Node(Generic[S]):
    """A position: who moves, and where each move or event leads; a utility where there is none."""

    mover: int
    moves: tuple[tuple[int, int, S], ...]
    utility: int


class Truth(Generic[S]):
    """The values of all positions that can be reached, to MAX."""

    def __init__(self, game: Game[S], s: S, *, timeless: bool = False) -> None:
        self._game = game
        self._timeless = timeless
        self.start = game.timeless(s) if timeless else s
        self.nodes: dict[S, Node[S]] = {}
        waiting = [self.start]
        while waiting:
            t = waiting.pop()
            if t not in self.nodes:
                self.nodes[t] = self._node(t)
                waiting += [child for _, _, child in self.nodes[t].moves]
        self._chance = any(node.mover == CHANCE for node in self.nodes.values())
        self._values: dict[S, Any] = dict.fromkeys(self.nodes, 0)
        for t, node in self.nodes.items():
            if not node.moves:
                worth = node.utility
                self._values[t] = Fraction(worth) if self._chance else worth * _PLIES
        going = [t for t, node in self.nodes.items() if node.moves]
        while True:
            new = {t: self._backed_up(self.nodes[t]) for t in going}
            if all(self._values[t] == value for t, value in new.items()):
                break
            self._values |= new

    def _node(self, s: S) -> Node[S]:
        game = self._game
        mover = game.player(s)
        listed = []
        row, weights = [0] * game.facts.max_moves, [0] * game.facts.max_moves
        if mover == CHANCE:
            n = game.outcomes(s, row, weights)
            listed = list(zip(row[:n], weights[:n], strict=True))
        elif game.drawn(s) != DRAWN:
            n = game.actions(s, row)
            listed = [(a, 1) for a in row[:n]]
        moves = []
        for a, weight in listed:
            child = game.result(s, a)
            moves.append((a, weight, game.timeless(child) if self._timeless else child))
        return Node(mover, tuple(moves), 0 if moves else game.utility(s))

    def _backed_up(self, node: Node[S]) -> Any:
        values = [self._values[child] for _, _, child in node.moves]
        if self._chance:
            if node.mover == CHANCE:
                total = sum(weight for _, weight, _ in node.moves)
                weighted = zip(node.moves, values, strict=True)
                return sum(Fraction(move[1]) * value for move, value in weighted) / total
            return max(values) if node.mover == MAX else min(values)
        later = [value - (value > 0) + (value < 0) for value in values]
        return max(later) if node.mover == MAX else min(later)

    # What is asked.

    def value(self, s: S) -> int | Fraction:
        """What a position is worth to MAX."""
        found = self._values[s]
        return found if self._chance else _utility(found)

    def plies(self, s: S) -> int | None:
        """How soon a position that is won or lost is over when both play best."""
        found = self._values[s]
        if self._chance or found == 0:
            return None
        return abs(_utility(found)) * _PLIES - abs(int(found))

    def moves(self, s: S) -> dict[int, S]:
        """Where the moves of a position lead."""
        return {a: child for a, _, child in self.nodes[s].moves}

    def sign(self, s: S) -> int:
        """What to multiply MAX's values by, to have those of who moves; nature counts as MAX."""
        return -1 if self.nodes[s].mover == MIN else 1

    @property
    def longest(self) -> int:
        """The plies of the longest line, where none goes on forever."""
        depth: dict[S, int] = {}

        def measure(s: S) -> int:
            if s not in depth:
                below = [measure(child) for _, _, child in self.nodes[s].moves]
                depth[s] = 1 + max(below) if below else 0
            return depth[s]

        return measure(self.start)


def minimax(game: Game[S], s: S, depth: int, finished: int) -> float | Fraction:
    """To MAX and to a depth, as the books print it: a finished game counts `finished` times."""
    moves = [] if game.player(s) != CHANCE and game.drawn(s) == DRAWN else game.all_moves(s)
    if not moves:
        return finished * game.utility(s)
    if depth == 0:
        return game.evaluate(s)
    values = [minimax(game, game.result(s, a), depth - 1, finished) for a in moves]
    mover = game.player(s)
    if mover == CHANCE:
        weights = [weight for _, weight in game.chances(s)]
        weighted = zip(weights, values, strict=True)
        return sum(w * Fraction(v) for w, v in weighted) / sum(weights)
    return max(values) if mover == MAX else min(values)


class TooManyPaths(Exception):
    """More ways to get to positions than anybody wants to look at."""


class TruthByPath(Generic[S]):
    """Values where a position that stands for the nth time is a draw, counted by that very rule."""

    def __init__(self, game: Game[S], truth: Truth[S], most_paths: int = 2_000) -> None:
        self._game = game
        self._nodes = truth.nodes
        self._left = most_paths
        self._known: dict[tuple[S, frozenset[tuple[S, int]]], int] = {}

    def value(self, s: S, history: list[S]) -> int:
        """What a position is worth to MAX, once those of `history` were on the board."""
        return self._value(s, Counter(map(self._game.timeless, history)))

    def _value(self, s: S, times: Counter[S]) -> int:
        node, standing = self._nodes[s], self._game.timeless(s)
        if times[standing] + 1 >= self._game.repeats:
            return 0
        known = (s, frozenset(times.items()))
        if known not in self._known:
            self._left -= 1
            if self._left < 0:
                raise TooManyPaths
            now = times + Counter([standing])
            values = [self._value(child, now) for _, _, child in node.moves]
            best = max if node.mover == MAX else min
            self._known[known] = best(values) if values else node.utility
        return self._known[known]


def _utility(value: int) -> int:
    size = -(-abs(value) // _PLIES)
    return size if value > 0 else -size
