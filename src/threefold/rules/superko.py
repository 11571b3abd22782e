"""Superko: moves that bring an earlier position of the game back are illegal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

from threefold.rules.contract import Action

if TYPE_CHECKING:
    from threefold.rules.definition import Rules

S = TypeVar("S")


def ends_at_once(game: Rules[S], s: S, before: Sequence[S] = ()) -> bool:
    """Whether every legal move ends the game: superko then forbids nothing more."""
    return all(not game.moves(game.result(s, a)) for a in game.moves(s, before))


def allowed(game: Rules[S], s: S, moves: list[Action], before: Sequence[S]) -> list[Action]:
    """Those of some moves that bring back nothing of the positions `before`.

    A move that changes nothing, as a pass does, is allowed.
    """
    if not game.has_superko or not before:
        return moves
    earlier = {game.superko(each) for each in before} - {game.superko(s)}
    return [a for a in moves if game.superko(game.result(s, a)) not in earlier]
