"""Threefold: write a game's rules once; it explains the game, wins at it, and scales it."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from threefold.errors import ThreefoldError
    from threefold.games import game
    from threefold.rules.conformance import conformance
    from threefold.rules.contract import CHANCE
    from threefold.rules.game import Game

__all__ = ["CHANCE", "Game", "ThreefoldError", "conformance", "game"]
__version__ = "0.1.0"

#: Where each name is from. It is loaded when it is first asked for, so that the command can catch
#: Ctrl-C from its first moment on.
_HOMES = {
    "CHANCE": "threefold.rules.contract",
    "Game": "threefold.rules.game",
    "ThreefoldError": "threefold.errors",
    "conformance": "threefold.rules.conformance",
    "game": "threefold.games",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
