"""Positions in a notebook: a state at the end of a cell is shown as its game draws it.

A state is a plain tuple that does not know its game. So a game that is made inside IPython
registers how its states are drawn. If there are games of different sizes with the same state type,
a state could belong to any of them, so it is shown as text; `game.draw(s)` draws it.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, ref

if TYPE_CHECKING:
    from threefold.rules.definition import Rules

#: By type of state, the games that were made inside IPython, the latest last.
_games: WeakKeyDictionary[type, list[ref[Rules[Any]]]] = WeakKeyDictionary()


def show_positions(game: Rules[Any]) -> None:
    """Inside IPython, show the states of a game as pictures; elsewhere do nothing."""
    shell = _shell()
    # Plain numbers and strings are not only this game's.
    if shell is None or game.state_type.__module__ == "builtins":
        return
    _games.setdefault(game.state_type, []).append(ref(game))
    shell.display_formatter.formatters["image/svg+xml"].for_type(game.state_type, _drawn)


def _shell() -> Any:
    """IPython's shell, if this runs in one; IPython is not imported to find out."""
    ipython = sys.modules.get("IPython")
    get_ipython = getattr(ipython, "get_ipython", None)
    return None if get_ipython is None else get_ipython()


def _drawn(s: Any) -> str | None:
    """The picture of a state, unless different games may draw it differently."""
    games = [game for known in _games.get(type(s), ()) if (game := known()) is not None]
    if len({game.spec for game in games}) != 1:
        return None
    return str(games[-1].draw(s))
