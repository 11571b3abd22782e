"""What is checked when a `Game` is defined: a mistake is reported then, with the hook's name."""

from __future__ import annotations

from collections.abc import Callable, Collection
from inspect import signature
from typing import TYPE_CHECKING, Any

from threefold.errors import BadGame
from threefold.rules.hooks import HOOKS, REQUIRED
from threefold.rules.records import Flat
from threefold.rules.text import did_you_mean

if TYPE_CHECKING:
    from threefold.rules.definition import Rules


def check_names(definition: Callable[..., Any], given: Collection[str]) -> None:
    """Raise unless every hook that is given exists, and every required one is given."""
    known = dict.fromkeys([*signature(definition).parameters, *HOOKS, *Flat.__annotations__])
    for own in ("self", "flat"):
        del known[own]
    if unknown := [hook for hook in given if hook not in known]:
        raise BadGame(f"Game has no {unknown[0]}=: {did_you_mean(unknown[0], known)}")
    if missing := [f"{hook}=" for hook in REQUIRED if hook not in given]:
        raise BadGame(f"a Game also needs {', '.join(missing)}")


def check_hooks(game: Rules[Any]) -> None:
    """Raise unless every hook is a function that can be called with what it is called with."""
    for name, hook in game.hooks.items():
        _check_function(game.name, name, hook, HOOKS[name].parameters)
    for name, evaluation in game.evaluations.items():
        _check_function(game.name, f"evaluation {name}", evaluation, ("s",))
    for name, terms in game.terms.items():
        for term, (feature, _) in terms.items():
            _check_function(game.name, f"term {term} of {name}", feature, ("s", "p"))
    for number, symmetry in enumerate(game.symmetries, 1):
        _check_function(game.name, f"symmetry {number}", symmetry, ("s",))


def _check_function(name: str, hook: str, function: object, called_with: tuple[str, ...]) -> None:
    if not callable(function):
        raise BadGame(f"{name}: {hook} is {function!r}, not a function")
    try:
        takes = signature(function)
    except ValueError:  # written in C: its parameters are unknown
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
    """What players call MAX and MIN: two different names."""
    if not isinstance(sides, tuple | list) or [type(side) for side in sides] != [str, str]:
        raise BadGame(f'{name}: sides={sides!r} is not a pair of names, like ("white", "black")')
    if not all(sides) or sides[0] == sides[1]:
        raise BadGame(f"{name}: sides={sides!r} must be two different names")
    return sides[0], sides[1]
