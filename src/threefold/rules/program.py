"""`Program`: a player from the history of a game, with its own way of looking ahead.

A game declares its programs; a search carries them out, and knows of no particular one. The room
`programs` of a built-in game's home lists them as `PROGRAMS`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from threefold.rules.contract import Action
from threefold.rules.game import Game


@dataclass(frozen=True, kw_only=True)
class Program:
    """A program's own way of playing a game."""

    name: str
    #: Its name and year, for people, and what it does.
    title: str
    about: str
    #: The game it plays, by the name the command line has for it.
    plays: str
    #: That game's `result`: the program plays every game with these rules.
    result: Callable[[Any, Action], Any]
    #: Makes the game as it sees it: an evaluation, and the moves worth following.
    view: Callable[[], Game[Any]]
    #: A position on the board as it sees it.
    seen: Callable[[Any], Any]
    #: How many plies ahead it looks at all moves, or at all that it thinks worth exploring.
    depth: int
    #: Whether it looks at every move to the same depth.
    exact: bool = False
    #: What decides between moves of equal value, if anything does but chance.
    prefer: Callable[[Any, Action], int] | None = None
