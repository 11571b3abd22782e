"""Which functions of large rules are called, rather than inlined into each of their callers.

By default the compiler inlines everything. Small rules are fastest that way, but those of chess
would become a kernel that does not fit the instruction cache and takes a minute to compile.
"""

from collections import Counter
from types import CodeType, FunctionType
from typing import Any

from threefold.rules import bits
from threefold.rules.game import Game
from threefold.rules.rebind import instructions, references

#: Rules of fewer instructions than this, with everything inlined, are inlined completely,
LARGE_RULES = 4000
#: and so is a function of fewer than this.
LARGE_FUNCTION = 180
#: The instructions of a call.
_CALL = 10
#: The hooks that kernels call.
_HOOKS = {
    "actions",
    "drawn",
    "evaluate",
    "outcomes",
    "player",
    "result",
    "utility",
}


def kept_apart(game: Game[Any]) -> frozenset[CodeType]:
    """The code of the functions not to inline: large ones that are used in several places."""
    hooks = [game.hooks[name] for name in sorted(_HOOKS & game.hooks.keys())]
    sizes: dict[FunctionType, int] = {}
    if sum(_size(hook, sizes, {}) for hook in hooks) < LARGE_RULES:
        return frozenset()
    sites: Counter[FunctionType] = Counter()
    for function in sizes:
        sites.update(_calls(function))
    apart: dict[FunctionType, int] = {}
    for function in sorted(sizes, key=lambda f: sizes[f]):
        if sites[function] > 1 and _size(function, {}, apart) >= LARGE_FUNCTION:
            apart[function] = _CALL
    return frozenset(function.__code__ for function in apart)


def _size(function: Any, known: dict[FunctionType, int], apart: dict[FunctionType, int]) -> int:
    """The instructions of a function with everything it calls inlined, except `apart`."""
    if function in apart:
        return apart[function]
    if function not in known:
        # A function that calls itself finds a number here.
        known[function] = len(instructions(function.__code__))
        calls = _calls(function).items()
        known[function] += sum(n * _size(callee, known, apart) for callee, n in calls)
    return known[function]


def _calls(function: FunctionType) -> Counter[FunctionType]:
    """How often a function calls each other function."""
    values = dict(references(function))
    named = (values.get(i.operand) for i in instructions(function.__code__) if _is_name(i.operand))
    return Counter(
        value for value in named if isinstance(value, FunctionType) and value not in bits.PRIMITIVES
    )


def _is_name(operand: object) -> bool:
    return isinstance(operand, str)
