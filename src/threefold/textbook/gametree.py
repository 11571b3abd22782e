"""Any game as a tree whose nodes generate their children on demand.

A node is named by the moves from the root joined by `/`; the root is `.`. For human readers, moves
can be written the way players write them. A finished game is worth its utility. Any other position
where the search stops is worth its evaluation. If one search meets both, a finished game must
outweigh any guess, so it counts `FINISHED` times its utility, or more if a guess is that large.

A tree `with_payoffs` has a payoff for each player at its leaves, as MAX^N needs them. A tree
`without_symmetric_moves` keeps one of several moves that lead to symmetric positions: the node
stands for all of them, and `count` says how many they are.

In these trees, the player to move sees the whole position. So a game with hidden information has
none, except for procedures that say how they treat what is `hidden` (see `information`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from random import Random
from typing import Any

from threefold.errors import ThreefoldError
from threefold.rules.contract import CHANCE, FINISHED, Action
from threefold.rules.game import Game
from threefold.textbook.tree import Node, Number, Value

#: The name of a game tree's root; no node of a tree written as text can have it.
GAME_ROOT = "."


class Scale:
    """Which kinds of values one tree has, and how much a finished game counts."""

    def __init__(self, factor: int = 1) -> None:
        self.factor = factor
        self.finished = False
        self.guessed = False
        #: The largest estimate, whoever it favors.
        self.largest: Number = 0

    @property
    def is_too_small(self) -> bool:
        """Whether a finished game met an estimate that it might not outweigh."""
        return self.finished and self.guessed and self.factor <= max(self.largest, 1)

    def larger(self) -> "Scale":
        """A scale on which a finished game outweighs every estimate so far."""
        return Scale(max(FINISHED, 10 ** len(str(int(self.largest)))))


@dataclass(frozen=True)
class Growth:
    """How a game's tree is grown; the same for all its nodes."""

    scale: Scale = field(default_factory=Scale)
    #: Whether moves are written the way players write them.
    readable: bool = False
    #: Whether a leaf has a payoff for each player instead of one value.
    payoffs: bool = False
    #: Whether one of several symmetric moves stands for all of them.
    merged: bool = False
    #: Whether players may know less of a position than the tree does.
    hidden: bool = False


class GameNode(Node):
    """A position of a game as a node of its tree."""

    def __init__(
        self,
        game: Game[Any],
        state: Any,
        name: str = GAME_ROOT,
        *,
        noisy: bool = True,
        count: int = 1,
        readable: bool = False,
        growth: Growth | None = None,
    ) -> None:
        open_to_all = growth is None or not growth.hidden
        if name == GAME_ROOT and open_to_all:  # every search of a game starts here
            game.require("a game tree", zero_sum=False, perfect_information=True, two_players=False)
        self.game = game
        self.state = state
        self.name = name
        self.noisy = noisy
        self.count = count
        one_value = game.facts.players == 2 and game.facts.zero_sum
        self.growth = growth or Growth(readable=readable, payoffs=not one_value)
        self.player = game.player(state)
        self.sides = game.sides

    @property
    def scale(self) -> Scale:
        """Which kinds of values the tree has."""
        return self.growth.scale

    def weighed(self) -> "GameNode":
        """The same tree with a finished game outweighing every estimate so far."""
        return self._grown(replace(self.growth, scale=self.scale.larger()))

    def with_payoffs(self) -> "GameNode":
        """The same tree with a payoff for each player at its leaves."""
        return self._grown(replace(self.growth, payoffs=True))

    def without_symmetric_moves(self) -> "GameNode":
        """The same tree with one of several symmetric moves standing for all of them."""
        if not self.game.symmetries:
            raise ThreefoldError(
                f"{self.game.name} declares no symmetries, so no moves can be merged"
            )
        return self._grown(replace(self.growth, merged=True))

    def _grown(self, growth: Growth) -> "GameNode":
        return GameNode(self.game, self.state, growth=growth)

    @cached_property
    def _moves(self) -> list[Action]:
        return self.game.moves(self.state)

    @cached_property
    def _classes(self) -> list[list[Action]]:
        """The moves, those that lead to symmetric positions together."""
        if not self.growth.merged:
            return [[a] for a in self._moves]
        classes: dict[Any, list[Action]] = {}
        for a in self._moves:
            one = _representative(self.game, self.game.result(self.state, a))
            classes.setdefault(one, []).append(a)
        return list(classes.values())

    @cached_property
    def value(self) -> Value:  # type: ignore[override]
        """UTILITY of a finished game, STATIC of any other position."""
        game, s, scale = self.game, self.state, self.scale
        if self._moves:
            scale.guessed |= game.evaluation is not None
            estimates = game.estimates(s) if self.growth.payoffs else (game.evaluate(s),)
            exact = tuple(self._in_units(estimate) for estimate in estimates)
            scale.largest = max(scale.largest, *exact, *(-estimate for estimate in exact))
            return exact if self.growth.payoffs else exact[0]
        worth = game.payoffs(s) if self.growth.payoffs else (game.utility(s),)
        scale.finished |= any(worth)
        weighed = tuple(payoff * scale.factor for payoff in worth)
        return weighed if self.growth.payoffs else weighed[0]

    def _in_units(self, estimate: int) -> Number:
        """A static value where weights may be fractions."""
        scale = self.game.denominator
        return estimate if scale == 1 else Fraction(estimate, scale)

    def order(self) -> list[Number]:
        """The game's first guess at how good each move is for the player who makes it."""
        return [self.game.order(self.state, symmetric[0]) for symmetric in self._classes]

    @cached_property
    def quiet(self) -> bool:  # type: ignore[override]
        """Whether there is no noisy move."""
        return not self.game.noisy_moves(self.state)

    @cached_property
    def children(self) -> Sequence[Node]:  # type: ignore[override]
        """The positions after each move, in the game's order."""
        noisy = set() if self.player == CHANCE else set(self.game.noisy_moves(self.state))
        return [self._child(alike, noisy=not noisy.isdisjoint(alike)) for alike in self._classes]

    def _child(self, alike: Sequence[Action], *, noisy: bool) -> "GameNode":
        """The position after one of several symmetric moves."""
        before = "" if self.name == GAME_ROOT else f"{self.name}/"
        written = self.game.readable_move if self.growth.readable else self.game.format_move
        return GameNode(
            self.game,
            self.game.result(self.state, alike[0]),
            before + written(self.state, alike[0]),
            noisy=noisy,
            count=len(alike),
            growth=self.growth,
        )

    @property
    def is_over(self) -> bool:
        """Whether there is no move: the children themselves need not be made to know."""
        return not self._moves

    def random_child(self, rng: Random) -> Node:
        """The position after a random move; no other is made."""
        weights: Sequence[Number] = self.weights or [len(alike) for alike in self._classes]
        return self._child(rng.choices(self._classes, weights)[0], noisy=True)

    @cached_property
    def weights(self) -> Sequence[Fraction]:  # type: ignore[override]
        """The probability of each event, or class of symmetric events, at a chance node."""
        if self.player != CHANCE:
            return ()
        weight = dict(self.game.chances(self.state))
        total = sum(weight.values())
        return [Fraction(sum(weight[a] for a in alike), total) for alike in self._classes]


def _representative(game: Game[Any], s: Any) -> Any:
    """The same position for all positions that are symmetric to each other."""
    found = {s}
    waiting = [s]
    while waiting:  # a game may declare one turn of the board and leave the others to follow
        one = waiting.pop()
        images = {symmetry(one) for symmetry in game.symmetries} - found
        found |= images
        waiting += images
    return min(found)
