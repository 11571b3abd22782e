"""What is checked when a `Game` is defined: a mistake is reported then, with the hook's name."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from threefold.errors import BadGame
from threefold.rules.hooks import FOR_TWO_PLAYERS, HOOKS, PER_PLAYER, REQUIRED
from threefold.rules.race import MAX_SIDES, RaceSides
from threefold.rules.records import Assumptions, Flat, Territory
from threefold.rules.text import did_you_mean

if TYPE_CHECKING:
    from threefold.rules.definition import Rules


#: The searches that a game may say suits it.
ALPHA_BETA: Final = "alphabeta"
TREE_SEARCH: Final = "mcts"
SEARCHES: Final = (ALPHA_BETA, TREE_SEARCH)
#: Those for games in which players do not see everything.
INFORMATION_SETS: Final = "ismcts"
WORLDS: Final = "worlds"
HIDDEN_SEARCHES: Final = (INFORMATION_SETS, WORLDS)


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
    several = game.facts.players > 2
    for name, hook in game.hooks.items():
        if several and name in FOR_TWO_PLAYERS:
            raise BadGame(
                f"{game.name}: {name} is for games of two players, and this one has "
                f"{game.facts.players}"
            )
        per_player = ("p",) if several and name in PER_PLAYER else ()
        _check_function(game.name, name, hook, HOOKS[name].parameters + per_player)
    for name, evaluation in game.evaluations.items():
        called_with = ("s", "p") if several else ("s",)
        _check_function(game.name, f"evaluation {name}", evaluation, called_with)
    for name, terms in game.terms.items():
        if several:
            raise BadGame(f"{game.name}: terms are for games of two players")
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


def checked_search(name: str, search: str) -> str:
    """The search that a game says suits it."""
    if search not in SEARCHES:
        raise BadGame(f"{name}: search={search!r} is not one of {', '.join(SEARCHES)}")
    return search


def check_whole(name: str, what: str, value: object, least: int) -> None:
    """Raise unless a fact is a whole number that is not too small."""
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise BadGame(f"{name}: {what}={value!r} is not a whole number of at least {least}")


def checked_nets(
    name: str, nets: Mapping[str, str | Path], evaluations: Collection[str]
) -> dict[str, Path]:
    """The files of nets, by the name of the evaluation that each is."""
    for each in nets:
        if each in evaluations:
            raise BadGame(f"{name}: {each} is both a net and another evaluation")
    return {each: Path(path) for each, path in nets.items()}


def checked_race_sides(name: str, assumptions: Assumptions[Any]) -> RaceSides[Any] | None:
    """What the numbers of races stand for, if the game has races."""
    sides = assumptions.race_sides
    if (sides is None) != (assumptions.race is None):
        raise BadGame(f"{name}: race and race_sides go together: give both, or neither")
    if sides is not None:
        if not isinstance(sides, RaceSides):
            raise BadGame(f"{name}: race_sides={sides!r} is not a RaceSides")
        check_whole(name, "the count of race_sides", sides.count, 2)
        check_whole(name, "paired of race_sides", sides.paired, 1)
        if not sides.paired <= sides.count <= MAX_SIDES:
            raise BadGame(
                f"{name}: race_sides pairs {sides.paired} of {sides.count} positions; it pairs at "
                f"most all, and there are at most {MAX_SIDES}"
            )
        _check_function(name, "position of race_sides", sides.position, ("of_max", "of_min"))
    return sides


def checked_unstaked(name: str, assumptions: Assumptions[Any]) -> Any:
    """The game without stakes, if this one has some."""
    given = (assumptions.unstaked_game, assumptions.unstaked, assumptions.staked)
    if any(each is None for each in given) and given != (None, None, None):
        raise BadGame(f"{name}: unstaked_game, unstaked and staked go together: give all, or none")
    return assumptions.unstaked_game


def check_assumptions(name: str, assumptions: Assumptions[Any]) -> None:
    """Raise unless numbers are in range, and a key that forgets is there as a whole, or not."""
    for number, least in (("futility", 0), ("rave", 0), ("grain", 1)):
        check_whole(name, number, getattr(assumptions, number), least)
    together = ("gist", "details", "matter", "mattered_before", "settled")
    missing = [hook for hook in together if getattr(assumptions, hook) is None]
    given = [hook for hook in together[:-1] if hook not in missing]
    if given and missing:
        raise BadGame(f"{name}: {given[0]} needs {', '.join(missing)} as well")


def checked_seats(name: str, players: int, assumptions: Assumptions[Any]) -> int:
    """How many observe the game by themselves: the players, unless they are sides of partners."""
    seats = assumptions.seats
    if (assumptions.seat is None) != (seats == 0):
        raise BadGame(f"{name}: seat and seats go together: give both, or neither")
    if seats == 0:
        return players
    check_whole(name, "seats", seats, players)
    return seats


def checked_seat_names(
    name: str, given: Sequence[str], seats: int, sides: tuple[str, ...]
) -> tuple[str, ...]:
    """What those who observe the game by themselves are called: the sides, unless they are more."""
    if not given:
        if seats == len(sides):
            return sides
        given = tuple(f"seat {number}" for number in range(1, seats + 1))
    if [type(each) for each in given] != [str] * seats or len(set(given)) < seats:
        raise BadGame(f"{name}: seat_names={given!r} needs a different name for each of {seats}")
    return tuple(given)


def checked_territory(
    name: str, territory: Territory | None, hooks: Mapping[str, Any]
) -> Territory | None:
    """What is owned at the end, if the game says who owns it."""
    if (territory is None) != ("owners" not in hooks):
        raise BadGame(f"{name}: owners and territory go together: give both, or neither")
    if territory is not None:
        if not isinstance(territory, Territory):
            raise BadGame(f"{name}: territory={territory!r} is not a Territory")
        _check_function(name, "score of territory", territory.score, ("lead",))
    return territory


def checked_sides(name: str, sides: object, players: int) -> tuple[str, ...]:
    """What the players are called: a different name for each; by default, by their number."""
    if not sides:
        sides = ("first player", "second player")
        if players > 2:
            sides = tuple(f"player {number}" for number in range(1, players + 1))
    if not isinstance(sides, tuple | list) or [type(side) for side in sides] != [str] * players:
        wanted = (
            'a pair of names, like ("white", "black")'
            if players == 2
            else f"a name for each of {players} players"
        )
        raise BadGame(f"{name}: sides={sides!r} is not {wanted}")
    if not all(sides) or len(set(sides)) < players:
        raise BadGame(f"{name}: sides={sides!r} needs a different name for each player")
    return tuple(sides)
