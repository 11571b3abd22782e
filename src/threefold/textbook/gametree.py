"""Any game as a tree: nodes that generate their children when they are asked for them.

A node is named by the moves from the root joined by `/`; the root is `.`. Where people read the
names, moves may be written as players do. A finished game is worth
its utility, any other position its evaluation, where a search stops. Where one search meets both, a
finished game has to outweigh any guess: it then counts `FINISHED` times its utility.

Whoever moves sees the whole position, so a game that hides some of it has no such tree.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

from threefold.rules.contract import CHANCE
from threefold.rules.game import Game
from threefold.textbook.tree import Node, Number

#: The name of a game tree's root; no tree in a text has a node of this name.
GAME_ROOT = "."


class Scale:
    """What the values of one tree are made of, and how much a finished game counts."""

    def __init__(self, factor: int = 1) -> None:
        self.factor = factor
        self.finished = False
        self.guessed = False

    @property
    def mixed(self) -> bool:
        """Whether decided games and guesses were compared with each other."""
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
        if name == GAME_ROOT:  # whoever searches a game begins here
            game.require("a game tree", zero_sum=True, perfect_information=True)
        self.game = game
        self.state = state
        self.name = name
        self.noisy = noisy
        self.scale = scale or Scale()
        self.readable = readable
        self.player = game.player(state)

    @cached_property
    def _moves(self) -> list[int]:
        return self.game.moves(self.state)

    @cached_property
    def value(self) -> Number:  # type: ignore[override]
        """UTILITY of a finished game, STATIC of any other position."""
        if self._moves:
            self.scale.guessed |= bool(self.game.evaluations)
            return self.game.evaluate(self.state)
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
        """Of a chance node: the probability of each event."""
        if self.player != CHANCE:
            return ()
        chances = self.game.chances(self.state)
        total = sum(weight for _, weight in chances)
        return [Fraction(weight, total) for _, weight in chances]
