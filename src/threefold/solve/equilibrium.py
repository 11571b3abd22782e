"""What solving a game of hidden information found: a strategy for each player, and how good it is.

A strategy says for every information set how likely each move is to be made. It is an average of
many, near to an *equilibrium*, in which neither player can gain by changing theirs. How near is
known: `exploitability` is what the best answers to both strategies gain, half of their sum.
"""

import random
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Generic, TypeVar

from threefold.rules.contract import MAX, Action, Player
from threefold.rules.game import Game
from threefold.solve.solution import Solution

S = TypeVar("S")

#: How many information sets are shown as text; JSON has all.
_MOST_SHOWN: Final = 120


@dataclass(frozen=True)
class Advice(Generic[S]):
    """How to play in an information set."""

    player: Player
    #: One of its positions; what its player does not see there means nothing.
    position: S
    moves: tuple[Action, ...]
    #: How likely each of them is to be made.
    chances: tuple[float, ...]


@dataclass(frozen=True, repr=False)
class Equilibrium(Solution[S]):
    """Strategies for a whole game, and what they are worth against each other.

    - `value`: what MAX gets on average if both play by the strategies. It is never exact: the
      game's own value is within `bounds`, which are.
    - `nodes`: how many positions the tree has; or, by sampling, how many were looked at.
    """

    advice: tuple[Advice[S], ...] = ()
    #: Half of what the best answers to both strategies gain; None if the game is too large to know.
    exploitability: float | None = None
    #: What MAX can be sure of by these strategies, and what MIN can hold MAX to.
    bounds: tuple[float, float] | None = None
    iterations: int = 0

    @cached_property
    def _by_observation(self) -> dict[tuple[Player, Hashable], Advice[S]]:
        return {
            (each.player, self.game.observe(each.position, each.player)): each
            for each in self.advice
        }

    def chances(self, s: S) -> dict[Action, float]:
        """How likely each move of a position is to be made by the player who decides there.

        Where sampling never came to, all moves are as likely.
        """
        p = self.game.player(s)
        known = self._by_observation.get((p, self.game.observe(s, p)))
        if known is None:
            moves = self.game.moves(s)
            return dict.fromkeys(moves, 1 / len(moves))
        return dict(zip(known.moves, known.chances, strict=True))

    def choose(self, s: S, seed: int) -> Action:
        """A move drawn by its chances; it depends on what the player sees and on the seed alone."""
        moves, chances = zip(*self.chances(s).items(), strict=True)
        chosen: Action = random.Random(seed).choices(moves, chances)[0]
        return chosen

    def to_json(self, game: str | None = None, position: str | None = None) -> dict[str, Any]:
        """The answer as JSON's own types."""
        return {
            "game": self.game.spec if game is None else game,
            "position": self.game.format(self.position) if position is None else position,
            "value": self.value,
            "bounds": None if self.bounds is None else [*self.bounds],
            "exploitability": self.exploitability,
            "method": self.method,
            "iterations": self.iterations,
            "nodes": self.nodes,
            "seconds": round(self.seconds, 6),
            "strategy": [
                {
                    "player": each.player,
                    "observation": observation_text(self.game, each.position, each.player),
                    "moves": dict(zip(self._names(each), each.chances, strict=True)),
                }
                for each in self.advice
            ],
        }

    def headline(self) -> str:
        """The answer in one line."""
        return self._shown_work()

    def __str__(self) -> str:
        return "\n".join([*self._shown_value(), "", *self._tables(), self._shown_work()])

    def _names(self, each: Advice[S]) -> list[str]:
        return [self.game.format_move(each.position, a) for a in each.moves]

    def _shown_value(self) -> Iterator[str]:
        unit = f" {self.game.utility_unit}" if self.game.utility_unit else ""
        side = self.game.sides[MAX]
        yield f"value {self.value:+.6f}{unit} for the {side}, if both play as below"
        if self.bounds is None or self.exploitability is None:
            yield "exploitability: not known, the game is too large to list"
            return
        low, high = self.bounds
        yield f"the game's value is between {low:+.6f} and {high:+.6f}"
        yield f"exploitability {self.exploitability:.6f}{unit}"

    def _tables(self) -> Iterator[str]:
        """The strategies, a table for each player and choice of moves."""
        groups: dict[tuple[Player, tuple[str, ...]], list[Advice[S]]] = {}
        for each in self.advice[:_MOST_SHOWN]:
            groups.setdefault((each.player, tuple(self._names(each))), []).append(each)
        for p, names in sorted(groups, key=lambda group: group[0]):
            texts = [observation_text(self.game, a.position, p) for a in groups[p, names]]
            title = self.game.sides[p]
            wide = max(map(len, [title, *texts]))
            widths = [max(len(name), 6) for name in names]
            cells = (f"{name:>{width}}" for name, width in zip(names, widths, strict=True))
            yield f"{title:<{wide}}  {'  '.join(cells)}"
            for text, each in zip(texts, groups[p, names], strict=True):
                cells = (
                    f"{chance:>{width}.4f}"
                    for chance, width in zip(each.chances, widths, strict=True)
                )
                yield f"{text:<{wide}}  {'  '.join(cells)}"
            yield ""
        if len(self.advice) > _MOST_SHOWN:
            yield f"… and {len(self.advice) - _MOST_SHOWN:,} information sets more"
            yield ""

    def _shown_work(self) -> str:
        sets = f"{len(self.advice):,} information sets, {self.nodes:,} positions"
        return f"{self.method}, {self.iterations:,} iterations in {self.seconds:.2f} s; {sets}"


def observation_text(game: Game[S], s: S, p: Player) -> str:
    """What a player sees of a position, as text: with everything hidden left blank, if possible.

    A game says how by `as_seen`; otherwise it is the words of `observe`.
    """
    blank = game.as_seen(s, p)
    if blank is not None:
        return game.format(blank)
    seen = game.observe(s, p)
    return " ".join(map(str, seen)) if isinstance(seen, tuple) else str(seen)
