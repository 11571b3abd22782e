"""The parameters of a tuning, as they are written: `NAME=LOW..HIGH[:START[:STEP]]`."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from threefold.arena.lines import LIMITS, BadPlayer, PlayerLine
from threefold.arena.players import make
from threefold.arena.spsa import DECIMALS, Parameter
from threefold.engine.selectivity import SELECTIVE
from threefold.errors import ThreefoldError, argument
from threefold.protocols.player import Budget
from threefold.rules.game import Game
from threefold.rules.text import shorten

#: The step where none is given: this part of the range.
_STEPS_IN_RANGE: Final = 10
#: The smallest step of a whole number. A smaller one would often try the same value twice.
_LEAST_WHOLE_STEP: Final = 0.5

_NUMBER: Final = r"[+-]?\d{1,12}(?:\.\d{1,12})?"
_PARAMETER: Final = re.compile(
    rf"\s*(\w[\w .-]{{0,79}})\s*=\s*({_NUMBER})\s*\.\.\s*({_NUMBER})"
    rf"(?:\s*:\s*({_NUMBER})?\s*(?::\s*({_NUMBER})\s*)?)?\s*"
)


def parse_parameters(
    texts: Sequence[str], line: PlayerLine, game: Game[Any]
) -> Iterator[Parameter]:
    """The parameters that texts describe, of a player that must have them."""
    if not texts:
        raise ThreefoldError(f"nothing to tune: give {argument('param', 'NAME=LOW..HIGH')}")
    written = [_read(text) for text in texts]
    names = [each.name for each in written]
    for name in names:
        if names.count(name) > 1:
            raise ThreefoldError(f"{argument('param', name)} is given twice")
        if name in LIMITS or name == "eval":
            raise ThreefoldError(
                f"{argument('param', name)} cannot be tuned: it is none of the player's own numbers"
            )
    # Both ends of all ranges must be lines that the player can be made of.
    for ends in ({each.name: each.low for each in written}, {x.name: x.high for x in written}):
        player = make(replace(line, options={**line.options, **ends}), game, Budget(nodes=1))
    for each in written:
        start = each.start or line.options.get(each.name) or _own(each.name, line, player.game)
        yield _parameter(each, start)


class _Written(NamedTuple):
    """A parameter in the parts of its text."""

    name: str
    low: str
    high: str
    start: str | None
    step: str | None

    def __str__(self) -> str:
        return argument("param", f"{self.name}={self.low}..{self.high}")


def _read(text: str) -> _Written:
    found = _PARAMETER.fullmatch(text)
    if found is None:
        raise ThreefoldError(
            f"{argument('param', shorten(text))} is not NAME=LOW..HIGH, NAME=LOW..HIGH:START or "
            "NAME=LOW..HIGH:START:STEP, such as futility=50..200:100:15"
        )
    name, *rest = found.groups()
    return _Written(name.strip(), *rest)


def _own(name: str, line: PlayerLine, game: Game[Any]) -> str:
    """The value that a player has if its line does not say it."""
    if line.kind == "alphabeta" and name in SELECTIVE:
        return str(SELECTIVE[name].own(game))
    terms = game.terms.get(game.evaluation or "", {})
    if line.kind == "alphabeta" and name in terms:
        weight = terms[name].weight
        return str(weight) if weight.denominator == 1 else f"{float(weight):.3f}"
    if line.kind == "mcts" and name == "exploration":
        from threefold.engine.mcts import ON_CPU

        return str(ON_CPU.exploration)
    given = argument("param", f"{name}=LOW..HIGH:START")
    raise BadPlayer(f"there is no value of {name} to start from; write {given}")


def _parameter(written: _Written, start: str) -> Parameter:
    name, low, high, _, step = written
    try:
        least, most, first = float(low), float(high), float(start)
    except ValueError:
        raise BadPlayer(f"{name}={shorten(start)} is not a number to tune") from None
    whole = not any("." in part for part in (low, high, start))
    if least >= most:
        raise ThreefoldError(f"{written}: {low} is not below {high}")
    if not least <= first <= most:
        raise ThreefoldError(
            f"{written}: its start {start} is not in that range; widen the range or give another "
            f"start, {name}={low}..{high}:START"
        )
    least_step = _LEAST_WHOLE_STEP if whole else 10**-DECIMALS
    usual = round(max((most - least) / _STEPS_IN_RANGE, least_step), DECIMALS)
    moved = usual if step is None else float(step)
    if not least_step <= moved <= (most - least) / 2:
        raise ThreefoldError(
            f"{written}: a step of {moved:g} is not from {least_step:g} to half of the range, "
            f"{(most - least) / 2:g}"
        )
    return Parameter(name, least, most, first, moved, whole)


def with_values(
    line: PlayerLine, parameters: Sequence[Parameter], values: Mapping[str, float]
) -> PlayerLine:
    """A player's line with values for its parameters."""
    texts = {each.name: each.text(values[each.name]) for each in parameters}
    return replace(line, options={**line.options, **texts})
