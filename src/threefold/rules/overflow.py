"""Does a rule compute past 64 bits? Python's integers can, and compiled code goes wrong.

The compiler assumes that `+`, `-` and `*` stay within a word; where they do not, the result depends
on the code around them. So the hooks are run once more, interpreted, over words that raise when
they overflow. The primitives of `bits` wrap by definition and are not checked.
"""

import operator
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType, SimpleNamespace
from typing import Any

from threefold.rules import bits
from threefold.rules.contract import MAX, MAX_FEATURE_WORDS, Action
from threefold.rules.game import Game
from threefold.rules.hooks import ANY_WORD, DERIVED, HOOKS, SEEDS, WORTHS, Function, Kind
from threefold.rules.rebind import Rebinder
from threefold.rules.terms import weighted_sum


class CheckedWord(int):
    """A word that raises OverflowError where arithmetic leaves 64 bits, and says what to use."""


def _operation(name: str, reflected: bool = False) -> Function:
    of = getattr(operator, name)

    def compute(*operands: Any) -> Any:
        if not all(isinstance(operand, int) for operand in operands):
            return NotImplemented
        plain = of(*map(int, reversed(operands) if reflected else operands))
        if not bits.is_word(plain):
            instead = _WRAPPING.get(name, "word")
            raise OverflowError(f"{plain} is past 64 bits; use {instead} of threefold.rules.bits")
        return CheckedWord(plain)

    return compute


#: What to use instead of an operation that may overflow.
_WRAPPING = {
    "add": "add",
    "sub": "sub",
    "mul": "mul",
    "pow": "mul",
    "lshift": "shl",
    "neg": "sub(0, x)",
    "abs": "sub(0, x)",
}

for _name in (*_WRAPPING, "rshift", "and_", "or_", "xor", "mod", "floordiv", "invert"):
    _method = _name.rstrip("_")
    setattr(CheckedWord, f"__{_method}__", _operation(_name))
    setattr(CheckedWord, f"__r{_method}__", _operation(_name, reflected=True))


class OverflowCheck:
    """A game's hooks over checked words."""

    def __init__(self, game: Game[Any]) -> None:
        self._game = game
        primitives = {name: _kept(f) for name, f in vars(bits).items() if _is_primitive(f)}
        exchange: dict[int, Any] = {id(getattr(bits, name)): f for name, f in primitives.items()}
        exchange[id(bits)] = SimpleNamespace(**{**vars(bits), **primitives})
        rebinder = Rebinder(
            exchange=exchange,
            host=__name__,
            keep=tuple(primitives.values()),
            convert=_checked,
        )
        found = [(name, HOOKS[name], hook) for name, hook in game.hooks.items()]
        found += [
            (f"evaluation {name}", HOOKS["evaluate"], hook)
            for name, hook in game.evaluations.items()
        ]
        found += [
            (f"the terms of {name}", HOOKS["evaluate"], weighted_sum(terms))
            for name, terms in game.terms.items()
        ]
        found += [
            (f"symmetry {i}", DERIVED["symmetric_key"], hook)
            for i, hook in enumerate(game.symmetries, 1)
        ]
        self._hooks = [
            (name, row, rebinder.twin(hook))
            for name, row, hook in found
            if isinstance(hook, FunctionType) and row.parameters
        ]

    def overflows(self, s: Any, player: int, moves: list[Action]) -> Iterator[str]:
        """A sentence about each hook that computes past 64 bits in a position."""
        given = type(s)(*map(CheckedWord, s))
        for name, row, hook in self._hooks:
            if not row.asked(player, not moves):
                continue
            for a in moves if "a" in row.parameters else [0]:
                out, weights = [0] * self._game.facts.max_moves, [0] * self._game.facts.max_moves
                if row.returns is Kind.INPUTS:
                    out = [0] * MAX_FEATURE_WORDS
                values = {"s": given, "a": CheckedWord(a), "out": out, "weight": weights, "p": MAX}
                values["value"], values["unit"] = map(CheckedWord, WORTHS[0])
                values |= dict.fromkeys(ANY_WORD, CheckedWord(SEEDS[-1]))
                try:
                    hook(*(values[parameter] for parameter in row.parameters))
                except OverflowError as error:
                    yield f"{name} overflows{where(error)}: {error}"
                    break
                except Exception:  # the other checks report whatever else goes wrong
                    break


def where(error: BaseException) -> str:
    """The line of the rules that raised an error, in parentheses; empty if it is unknown."""
    ours = Path(__file__).parents[1]
    calls = [
        call
        for call in traceback.extract_tb(error.__traceback__)
        if ours not in Path(call.filename).parents or ours / "games" in Path(call.filename).parents
    ]
    return f" ({Path(calls[-1].filename).name}, line {calls[-1].lineno})" if calls else ""


def _is_primitive(value: object) -> bool:
    return isinstance(value, FunctionType) and (value in bits.PRIMITIVES or value is bits.mix)


def _kept(primitive: Function) -> Function:
    """A primitive over checked words: it may overflow, and what it returns is checked again."""

    def kept(*words: int) -> CheckedWord:
        return CheckedWord(primitive(*map(int, words)))

    return kept


def _checked(value: Any) -> Any:
    """Numbers and tables of them, checked; anything else as it is."""
    if type(value) is int:
        return CheckedWord(value)
    if type(value) is tuple:
        return tuple(_checked(item) for item in value)
    return value
