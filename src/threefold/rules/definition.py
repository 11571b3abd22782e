"""What is looked at when a `Game` is defined: a mistake is named at once, and by its hook."""

from collections.abc import Callable, Collection
from inspect import signature
from typing import Any

from threefold.errors import BadGame
from threefold.rules import contract
from threefold.rules.text import did_you_mean


def check_names(definition: Callable[..., Any], given: Collection[str]) -> None:
    """Raise unless every hook that is given exists, and every required one is given."""
    known = [name for name in signature(definition).parameters if name != "self"]
    if unknown := [hook for hook in given if hook not in known]:
        raise BadGame(f"Game has no {unknown[0]}=: {did_you_mean(unknown[0], known)}")
    if missing := [f"{hook}=" for hook in contract.REQUIRED if hook not in given]:
        raise BadGame(f"a Game also needs {', '.join(missing)}")


def check_function(name: str, hook: str, function: object) -> None:
    """Raise unless a hook can be called with what it is called with."""
    if not callable(function):
        raise BadGame(f"{name}: {hook} is {function!r}, not a function")
    # `evaluation NAME` and `symmetry 1` are called with a position, like `evaluate`.
    called_with = signature(getattr(contract, hook, contract.evaluate)).parameters
    try:
        takes = signature(function)
    except ValueError:  # written in C, and nobody knows
        return
    try:
        takes.bind(*called_with)
    except TypeError:
        raise BadGame(
            f"{name}: {hook} takes {takes}; it is called with ({', '.join(called_with)})"
        ) from None


def check_whole(name: str, what: str, value: object, least: int) -> None:
    """Raise unless a fact is a whole number that is not too small."""
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise BadGame(f"{name}: {what}={value!r} is not a whole number of at least {least}")


def checked_sides(name: str, sides: object) -> tuple[str, str]:
    """What players call MAX and MIN: two names that can be told apart."""
    if not isinstance(sides, tuple | list) or [type(side) for side in sides] != [str, str]:
        raise BadGame(f'{name}: sides={sides!r} is not a pair of names, like ("white", "black")')
    if not all(sides) or sides[0] == sides[1]:
        raise BadGame(f"{name}: sides={sides!r} must be two different names")
    return sides[0], sides[1]
