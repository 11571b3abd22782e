"""How selective the search is: what it skips, what it searches less deeply, and what more deeply.

These are numbers, not code. The compiled search reads them from its memory, so a search with other
numbers needs no compiling, and a tuner can try thousands of them. Each has a range and a default;
the defaults of margins are the game's own, in the units of its evaluation.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from threefold.engine.limits import MAX_DEPTH
from threefold.engine.records import Word
from threefold.errors import ThreefoldError
from threefold.rules.contract import MAX_VALUE
from threefold.rules.game import Game
from threefold.rules.text import did_you_mean

#: A depth from which no search has more: a technique that starts there is switched off.
NEVER: Final = MAX_DEPTH + 1
#: What slopes are counted in: sixteenths of a ply. A power of two, so that dividing is a shift.
SLOPE_BITS: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Selectivity:
    """The numbers as the compiled search reads them; `SELECTIVE` says what each means."""

    null_depth: Word
    null_reduction: Word
    null_slope: Word
    reverse_futility: Word
    reverse_futility_depth: Word
    futility: Word
    futility_depth: Word
    spare_checks: Word
    reduction_depth: Word
    full_moves: Word
    reduction: Word
    late_moves: Word
    reduction_slope: Word
    singular_depth: Word
    singular_margin: Word
    aspiration_depth: Word
    aspiration: Word
    filter: Word
    filter_margin: Word


@dataclass(frozen=True)
class Number:
    """One of these numbers: what it means, its range, its default, and which games it is for."""

    about: str
    low: int
    high: int
    default: int | Callable[[Game[Any]], int]
    #: What a game must have for the number to change anything, in words and as a question.
    needs: str
    serves: Callable[[Game[Any]], bool]
    #: Whether it is in the units of the evaluation's weights, which may be fractions.
    scaled: bool = False

    def own(self, game: Game[Any]) -> int:
        """The default for a game."""
        return self.default if isinstance(self.default, int) else self.default(game)


def _passes(game: Game[Any]) -> bool:
    return game.facts.deterministic and "null_move" in game.hooks


def _prunes(game: Game[Any]) -> bool:
    return game.facts.deterministic and game.has_futility


def _prunes_and_extends(game: Game[Any]) -> bool:
    return _prunes(game) and "extend" in game.hooks


def _reduces(game: Game[Any]) -> bool:
    return game.facts.deterministic and game.reductions


def _judges_chance(game: Game[Any]) -> bool:
    return not game.facts.deterministic and game.evaluation is not None


def _any(_: Game[Any]) -> bool:
    return True


def _own_futility(game: Game[Any]) -> int:
    return game.futility // game.denominator


def _own_singular_margin(game: Game[Any]) -> int:
    return 1 + _own_futility(game) // 16


_NULL: Final = ("null_move", _passes)
_FUTILE: Final = ("futility", _prunes)
_REDUCED: Final = ("reductions", _reduces)
_FILTERED: Final = ("chance and an evaluation", _judges_chance)

#: The numbers by name, as a player's line and `threefold tune` write them.
SELECTIVE: Final[Mapping[str, Number]] = MappingProxyType(
    {
        "null_depth": Number("least depth to try a null move at", 1, NEVER, 3, *_NULL),
        "null_reduction": Number("plies that a null move's search is shorter by", 1, 16, 3, *_NULL),
        "null_slope": Number("the same, in sixteenths per ply of depth", 0, 16, 4, *_NULL),
        "reverse_futility": Number(
            "lead over beta, per ply of depth, that ends the search; 0 for none",
            *(0, MAX_VALUE, _own_futility, *_FUTILE),
            scaled=True,
        ),
        "reverse_futility_depth": Number(
            "greatest depth to end the search at for that lead", 0, MAX_DEPTH, 6, *_FUTILE
        ),
        "futility": Number(
            "the most that a quiet move gains, per ply, when it is skipped; 0 skips none",
            *(0, MAX_VALUE, _own_futility, *_FUTILE),
            scaled=True,
        ),
        "futility_depth": Number("greatest depth to skip such moves at", 0, MAX_DEPTH, 6, *_FUTILE),
        "spare_checks": Number(
            "1 never skips a move that `extend` looks deeper at, such as a check; 0 may",
            *(0, 1, 1, "futility and extend", _prunes_and_extends),
        ),
        "reduction_depth": Number("least depth to reduce moves at", 1, NEVER, 3, *_REDUCED),
        "full_moves": Number("moves searched before reductions begin", 1, 1000, 3, *_REDUCED),
        "reduction": Number("plies by which later quiet moves are reduced", 0, 16, 1, *_REDUCED),
        "late_moves": Number(
            "moves searched before a reduction is one ply more", 1, 1000, 6, *_REDUCED
        ),
        "reduction_slope": Number(
            "more reduction, in sixteenths of a ply per ply of depth", 0, 16, 2, *_REDUCED
        ),
        "singular_depth": Number("least depth to look for singular moves", 4, NEVER, 7, *_REDUCED),
        "singular_margin": Number(
            "how much better than all others a singular move is, per ply of depth",
            *(0, MAX_VALUE, _own_singular_margin, *_REDUCED),
            scaled=True,
        ),
        "aspiration_depth": Number("least depth with a narrow first window", 1, NEVER, 4, "", _any),
        "aspiration": Number(
            "half the width of that window, plus an eighth of the value", 1, MAX_VALUE, 16, "", _any
        ),
        "filter": Number(
            "search only this many moves of a position, those that seem best; 0 for all",
            *(0, 1 << 16, 0, *_FILTERED),
        ),
        "filter_margin": Number(
            "and none of them that seems worse than the best by more than this",
            *(0, MAX_VALUE, 160, *_FILTERED),
        ),
    }
)


def selectivity(game: Game[Any], changes: Mapping[str, int] | None = None) -> Selectivity:
    """The numbers for a game's search: its defaults, except for what is given."""
    changes = changes or {}
    for name, value in changes.items():
        check_selective(game, name)
        number = SELECTIVE[name]
        is_whole = isinstance(value, int) and not isinstance(value, bool)
        if not is_whole or not number.low <= value <= number.high:
            raise ThreefoldError(
                f"{name}={value} is not a whole number from {number.low} to {number.high}"
            )
    # With weights that are fractions, an evaluation counts in smaller units.
    found = {
        name: changes.get(name, number.own(game)) * (game.denominator if number.scaled else 1)
        for name, number in SELECTIVE.items()
    }
    if "singular_margin" not in changes:
        found["singular_margin"] = 1 + game.futility // 16
    # No depth is so small: the search need not ask whether there is a margin.
    for margin in ("futility", "reverse_futility"):
        if found[margin] == 0:
            found[f"{margin}_depth"] = -1
    return Selectivity(**found)


def check_selective(game: Game[Any], name: str) -> None:
    """Raise unless there is such a number, and it changes something in this game."""
    if name not in SELECTIVE:
        hint = did_you_mean(name, SELECTIVE)
        raise ThreefoldError(f"the search has no number {name!r} to set; {hint}")
    if not SELECTIVE[name].serves(game):
        if SELECTIVE[name].serves is _judges_chance:
            why = "moves are filtered by an evaluation, in games of chance"
        elif not game.facts.deterministic:
            why = "games of chance are searched without it"
        else:
            why = f"the game declares no {SELECTIVE[name].needs}"
        raise ThreefoldError(f"{name} changes nothing in {game.name}: {why}")
