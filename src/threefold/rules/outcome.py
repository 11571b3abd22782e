"""How a finished game has ended: who won it, and why, in words that players use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from threefold.rules.contract import CHANCE, MAX, MIN, Player

if TYPE_CHECKING:
    from threefold.rules.definition import Rules

S = TypeVar("S")


@dataclass(frozen=True)
class Outcome:
    """The result of a game. The reason is empty if the game gives none."""

    #: What it is worth to MAX; the payoff of each player if there are more, or no zero sum.
    utility: Any
    reason: str = ""

    @property
    def winner(self) -> Player | None:
        """Who won: None after a draw, and if each player has a payoff."""
        if isinstance(self.utility, tuple) or self.utility == 0:
            return None
        return MAX if self.utility > 0 else MIN

    def sentence(self, sides: Sequence[str]) -> str:
        """`white wins: checkmate`, `a draw: stalemate`, `black wins by 12`."""
        reason = f": {self.reason}" if self.reason else ""
        if isinstance(self.utility, tuple):
            payoffs = ", ".join(
                f"{side} {payoff}" for side, payoff in zip(sides, self.utility, strict=False)
            )
            return f"the payoffs are {payoffs}{reason}"
        if self.winner is None:
            return f"a draw{reason}"
        margin = f" by {abs(self.utility)}" if abs(self.utility) > 1 else ""
        return f"{sides[self.winner]} wins{margin}{reason}"


def outcome_of(
    game: Rules[S], positions: Sequence[S], ending: Callable[[S], str]
) -> Outcome | None:
    """How a game with these positions, the latest last, has ended; `ending` names the reason."""
    s, players = positions[-1], game.facts.players
    nothing = 0 if players == 2 else (0,) * players
    if not game.all_moves(s):
        return Outcome(game.utility(s) if players == 2 else game.payoffs(s), ending(s))
    if game.player(s) != CHANCE and game.drawn(s):
        return Outcome(nothing, ending(s) or "by a rule of the game")
    if game.repeats:
        here = game.key(s)
        if sum(game.key(before) == here for before in positions) >= game.repeats:
            return by_repetition(game)
    return None


def by_repetition(game: Rules[Any]) -> Outcome:
    """The draw when a position has come up as often as the rules allow."""
    players = game.facts.players
    nothing = 0 if players == 2 else (0,) * players
    return Outcome(nothing, f"the position came up {game.repeats} times")
