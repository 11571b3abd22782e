"""Options of `solve` that are for games of one kind of information alone."""

from typing import Any

from threefold.errors import ThreefoldError, argument
from threefold.rules.game import Game


def refuse_options(kind: str, game: Game[Any], **options: object) -> None:
    """Raise if one is given: it is for games of `kind` information, and this is not one."""
    for name, given in options.items():
        if given is not None:
            raise ThreefoldError(
                f"{argument(name, given)} is for games of {kind} information, and {game.name} is "
                "not one"
            )
