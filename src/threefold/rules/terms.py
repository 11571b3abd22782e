"""An evaluation as a weighted sum: named features, and how much each of them counts.

    evaluate(s)  =  Σ weight · (feature(s, MAX) - feature(s, MIN))

A feature is a plain function of a position and a player, compiled like every hook: what that player
has of something, as a whole number. A weight is a whole number, or a fraction such as 9.5. Machine
code has whole numbers only, so an evaluation with fractions is computed in smaller units: all its
weights are multiplied by their common denominator, and its values divided by it again when they
are shown.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from math import lcm
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

from threefold.errors import BadGame, ThreefoldError
from threefold.rules.contract import MAX, MAX_TERMS, MAX_VALUE, MIN, Player
from threefold.rules.text import did_you_mean, shorten

S = TypeVar("S")
Feature: TypeAlias = Callable[[S, Player], int]
#: A weight as people give it.
Weight: TypeAlias = int | float | Fraction

#: The smallest part of one that a weight can be given in.
MAX_DENOMINATOR: Final = 1000
_NUMBER: Final = re.compile(r"[+-]?(\d{1,12}(\.\d{0,12})?|\.\d{1,12}|\d{1,12}/\d{1,12})")
#: The attribute of a feature that `remainder` made.
_REMAINDER: Final = "is_remainder"
_NAME: Final = re.compile(r"[^\s=,]+")


class Term(NamedTuple):
    """A feature and how much it counts."""

    feature: Callable[[Any, Player], int]
    weight: Fraction


#: The terms of one evaluation, by name.
Terms: TypeAlias = dict[str, Term]
#: The same as a game's author writes them: `{"queen": (queens, 9)}`.
GivenTerms: TypeAlias = Mapping[str, tuple[Callable[[Any, Player], int], Weight]]


class Share(NamedTuple):
    """What a term contributes to the value of a position, to MAX."""

    name: str
    max: int
    min: int
    weight: Fraction

    @property
    def share(self) -> Fraction:
        """How much of the value it is."""
        return self.weight * (self.max - self.min)

    def to_json(self) -> dict[str, Any]:
        """The term in JSON's own types."""
        return {
            "name": self.name,
            "max": self.max,
            "min": self.min,
            "weight": plain(self.weight),
            "share": plain(self.share),
        }


def plain(value: Fraction | int) -> int | float:
    """A value as Python's own number: whole if it is."""
    return int(value) if value == int(value) else float(value)


def shares(terms: Terms, s: Any) -> list[Share]:
    """What each term has for both sides of a position, interpreted."""
    return [
        Share(name, int(feature(s, MAX)), int(feature(s, MIN)), weight)
        for name, (feature, weight) in terms.items()
    ]


# An evaluation made of terms.


def denominator(terms: Terms) -> int:
    """How many of an evaluation's own units one unit of its weights is."""
    return lcm(*(term.weight.denominator for term in terms.values()))


def weighted_sum(terms: Terms) -> Callable[[Any], int]:
    """The evaluation that terms add up to, times their denominator: a function to compile.

    One function around another for each term that counts.
    """
    scale = denominator(terms)
    total: Callable[[Any], int] = _nothing
    for feature, weight in terms.values():
        if weight:
            total = _plus(total, feature, int(weight * scale))
    return total


def _nothing(s: Any) -> int:  # noqa: ARG001
    return 0


def _plus(
    others: Callable[[Any], int], feature: Callable[[Any, Player], int], weight: int
) -> Callable[[Any], int]:
    def weighted(s: Any) -> int:
        return others(s) + weight * (feature(s, MAX) - feature(s, MIN))

    return weighted


def weighed_sum(terms: Terms) -> Callable[[Any, Any], int]:
    """The same with weights that are given each time, in the order of the terms."""
    total: Callable[[Any, Any], int] = _nothing_weighed
    for place, (feature, _) in enumerate(terms.values()):
        total = _plus_weighed(total, feature, place)
    return total


def _nothing_weighed(s: Any, weights: Any) -> int:  # noqa: ARG001
    return 0


def _plus_weighed(
    others: Callable[[Any, Any], int], feature: Callable[[Any, Player], int], place: int
) -> Callable[[Any, Any], int]:
    def weighed(s: Any, weights: Any) -> int:
        total = others(s, weights)
        if weights[place] != 0:
            total += weights[place] * (feature(s, MAX) - feature(s, MIN))
        return total

    return weighed


# Features that a game's author may need.


def credited(lead: int, p: Player) -> int:
    """A lead of MAX, or of MIN if it is negative, as a feature: it is credited to who has it."""
    return max(lead, 0) if p == MAX else max(-lead, 0)


def remainder(evaluate: Callable[[Any], int], terms: GivenTerms) -> Callable[[Any, Player], int]:
    """A feature for what an evaluation has beyond its other terms, such as its rounding.

    That is about the game's own weights: with others, this term counts only if it is given a
    weight.
    """
    others = weighted_sum({name: Term(f, Fraction(w)) for name, (f, w) in terms.items()})

    def beyond(s: Any, p: Player) -> int:
        return credited(evaluate(s) - others(s), p)

    setattr(beyond, _REMAINDER, True)
    return beyond


def is_remainder(term: Term) -> bool:
    """Whether a term is the rest of an evaluation with the game's own weights."""
    return hasattr(term.feature, _REMAINDER)


# What is given, checked.


def checked_terms(game: str, given: Mapping[str, GivenTerms]) -> dict[str, Terms]:
    """The terms of all evaluations, as a game's author gave them."""
    if not isinstance(given, Mapping):
        raise BadGame(f'{game}: terms={given!r} is not like {{"material": {{"queen": (f, 9)}}}}')
    return {name: _checked(game, name, terms) for name, terms in given.items()}


def _checked(game: str, evaluation: str, given: GivenTerms) -> Terms:
    if not isinstance(given, Mapping) or not given:
        raise BadGame(f'{game}: terms[{evaluation!r}] is not like {{"queen": (f, 9)}}')
    terms = {}
    for name, term in given.items():
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise BadGame(
                f"{game}: {name!r} is no name for a term: no spaces, commas or equals signs"
            )
        if not isinstance(term, tuple) or len(term) != 2:
            raise BadGame(f"{game}: term {name} is {term!r}, not a pair of feature and weight")
        terms[name] = Term(term[0], as_weight(name, term[1]))
    if len(terms) > MAX_TERMS:
        raise BadGame(f"{game}: {evaluation} has {len(terms)} terms; {MAX_TERMS} is the most")
    _check_fractions(game, terms)
    return terms


def _check_fractions(game: str, terms: Terms) -> None:
    """Raise unless the weights, times their common denominator, are words of a sensible size."""
    scale = denominator(terms)
    most = max(abs(term.weight) for term in terms.values())
    if scale > MAX_DENOMINATOR or most * scale > MAX_VALUE:
        raise BadGame(
            f"{game}: the fractions of these weights are too fine; use whole numbers, or decimals "
            "with a common denominator of 1000 at most, such as 9.5"
        )


def as_weight(name: str, given: object) -> Fraction:
    """A weight as a fraction; floats mean what they print as, 9.1 and not 9.0999…"""
    try:
        weight = given if isinstance(given, Fraction) else Fraction(str(given))
    except (ValueError, ZeroDivisionError):
        raise ThreefoldError(
            f"weight {name}={given!r} is not a number; write {name}=9 or {name}=9.5"
        ) from None
    if isinstance(given, bool) or abs(weight) > MAX_VALUE:
        raise ThreefoldError(f"weight {name}={given} is not between −{MAX_VALUE} and {MAX_VALUE}")
    return weight


def parse_weights(text: str) -> dict[str, Fraction]:
    """The weights that `queen=9,rook=5` names."""
    found: dict[str, Fraction] = {}
    for part in text.split(","):
        name, equals, number = (piece.strip() for piece in part.partition("="))
        if not equals or not name:
            raise ThreefoldError(
                f"weights are written NAME=W,NAME=W, like queen=9,rook=5; {shorten(part)} is not"
            )
        if name in found:
            raise ThreefoldError(f"weight {shorten(name)} is given twice")
        if not _NUMBER.fullmatch(number):
            raise ThreefoldError(
                f"weight {shorten(f'{name}={number}')} is not a number; write {name[:30]}=9 or "
                f"{name[:30]}=9.5"
            )
        found[name] = as_weight(name, number)
    return found


def reweighted(game: str, terms: Terms, weights: Mapping[str, Weight]) -> Terms:
    """Terms with other weights for some of them."""
    given = {name: as_weight(name, weight) for name, weight in weights.items()}
    if any(weight != terms[name].weight for name, weight in given.items()):
        remainders = (name for name, term in terms.items() if is_remainder(term))
        given = dict.fromkeys(remainders, Fraction(0)) | given
    changed = {name: Term(f, given.get(name, weight)) for name, (f, weight) in terms.items()}
    _check_fractions(game, changed)
    return changed


def evaluation_with(game: str, known: Mapping[str, Terms], weights: Iterable[str]) -> str:
    """The first evaluation that has terms of all these names; a clear error if there is none."""
    names = list(weights)
    for evaluation, terms in known.items():
        if terms.keys() >= set(names):
            return evaluation
    every = dict.fromkeys(name for terms in known.values() for name in terms)
    check_term_names(game, every, names)
    listed = "; ".join(f"{name} has {', '.join(terms)}" for name, terms in known.items())
    raise BadGame(f"{game}: no evaluation has all the terms {', '.join(names)}: {listed}")


def check_term_names(
    game: str, known: Iterable[str], names: Iterable[str], whose: str = ""
) -> None:
    """Raise unless there is a term of every name."""
    terms = list(known)
    if not terms:
        what = f"evaluation {whose} has no terms" if whose else "no evaluation has terms"
        raise BadGame(f"{game}: {what}, so there are no weights to set")
    for name in names:
        if name not in terms:
            of = f" in {whose}" if whose else ""
            hint = did_you_mean(name, terms)
            raise BadGame(f"{game} has no term {shorten(name)}{of}; {hint}")
