"""Any game as a tree whose nodes generate their children on demand.

A node is named by the moves from the root joined by `/`; the root is `.`. For human readers, moves
can be written the way players write them. A finished game is worth its utility. Any other position
where the search stops is worth its evaluation. If one search meets both, a finished game must
outweigh any guess, so it counts `FINISHED` times its utility, in the unit that people count in.

The player to move sees the whole position, so a game with hidden information has no such tree.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

from threefold.rules.contract import CHANCE, FINISHED
from threefold.rules.game import Game
from threefold.textbook.tree import Node, Number

#: The name of a game tree's root; no node of a tree written as text can have it.
GAME_ROOT = "."


class Scale:
    """Which kinds of values one tree has, and how much a finished game counts."""

    def __init__(self, factor: int = 1) -> None:
        self.factor = factor
        self.finished = False
        self.guessed = False

    @property
    def mixed(self) -> bool:
        """Whether decided games and estimates were compared with each other."""
        return self.finished and self.guessed


class GameNode(Node):
    """A position of a game as a node of its tree."""

    def __init__(
        self,
        game: Game[Any],
        state: Any,
        name: str = GAME_ROOT,
        *,
        noisy: bool = True,
        scale: Scale | None = None,
        readable: bool = False,
    ) -> None:
        if name == GAME_ROOT:  # every search of a game starts here
            game.require("a game tree", zero_sum=True, perfect_information=True)
        self.game = game
        self.state = state
        self.name = name
        self.noisy = noisy
        self.scale = scale or Scale()
        self.readable = readable
        self.player = game.player(state)

    @property
    def finished(self) -> int:
        """What a utility of 1 counts beside estimates: more than any of them, whatever its unit."""
        return FINISHED * int(self.game.units.get(self.game.evaluation or "", 1))

    @cached_property
    def _moves(self) -> list[int]:
        return self.game.moves(self.state)

    @cached_property
    def value(self) -> Number:  # type: ignore[override]
        """UTILITY of a finished game, STATIC of any other position."""
        if self._moves:
            self.scale.guessed |= bool(self.game.evaluations)
            static = self.game.evaluate(self.state)
            return static if self.game.denominator == 1 else Fraction(static, self.game.denominator)
        utility = self.game.utility(self.state)
        self.scale.finished |= utility != 0
        return utility * self.scale.factor

    @cached_property
    def quiet(self) -> bool:  # type: ignore[override]
        """Whether there is no noisy move."""
        return not self.game.noisy_moves(self.state)

    @cached_property
    def children(self) -> Sequence[Node]:  # type: ignore[override]
        """The positions after each move, in the game's order."""
        noisy = set() if self.player == CHANCE else set(self.game.noisy_moves(self.state))
        before = "" if self.name == GAME_ROOT else f"{self.name}/"
        written = self.game.readable_move if self.readable else self.game.format_move
        return [
            GameNode(
                self.game,
                self.game.result(self.state, a),
                before + written(self.state, a),
                noisy=a in noisy,
                scale=self.scale,
                readable=self.readable,
            )
            for a in self._moves
        ]

    @cached_property
    def weights(self) -> Sequence[Fraction]:  # type: ignore[override]
        """The probability of each event at a chance node."""
        if self.player != CHANCE:
            return ()
        chances = self.game.chances(self.state)
        total = sum(weight for _, weight in chances)
        return [Fraction(weight, total) for _, weight in chances]
