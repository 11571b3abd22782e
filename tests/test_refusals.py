"""What cannot be compiled is refused by hook, line and name, with what to write instead."""

import enum
import functools
import math
from typing import Any, NamedTuple

import helpers
import nim
import numba
import pytest

from threefold.errors import NotCompilable

LIST = [1, 2, 3]
DICT = {1: 2}
HUGE = 0x8000000000000000
HUGE_TABLE = (1, 0xFFFFFFFFFFFFFFFF)
FUNCTIONS = (abs, nim.utility)
double = functools.partial(pow, 2)
counter = 0


class Evaluator:
    def method(self, x: int) -> int:
        return x

    def __call__(self, s: Any) -> int:
        return 0


bound = Evaluator().method
callable_object = Evaluator()


def replaces(s: Any) -> int:
    return int(s._replace(stones=1).stones)


def counts_bits(s: Any) -> int:
    return int(s.stones.bit_count())


def generates(s: Any) -> int:
    return int(any(x == 3 for x in range(s.stones)))


def tries(s: Any) -> int:
    try:
        return int(1 // s.stones)
    except ZeroDivisionError:
        return 0


def reads_list(s: Any) -> int:
    return int(LIST[s.stones])


def reads_dict(s: Any) -> int:
    return int(DICT[s.stones])


def calls_partial(s: Any) -> int:
    return int(double(s.stones))


def calls_bound_method(s: Any) -> int:
    return bound(s.stones)


def calls_object(s: Any) -> int:
    return callable_object(s)


def calls_through_module(s: Any) -> int:
    return helpers.square(s.stones)


def has_huge_constant(s: Any) -> int:
    return int(s.stones & 0xFFFFFFFFFFFFFFFF)


def has_huge_global(s: Any) -> int:
    return int(s.stones & HUGE)


def has_huge_table(s: Any) -> int:
    return HUGE_TABLE[s.turn]


def has_function_table(s: Any) -> int:
    return int(FUNCTIONS[1](s))


def changes_global(s: Any) -> int:
    global counter
    counter += 1
    return counter


def helped(s: Any) -> int:
    return replaces(s)


@pytest.mark.parametrize(
    ("evaluate", "function", "what"),
    [
        (replaces, "replaces", "._replace; build the next position with its class"),
        (helped, "replaces", "._replace; build the next position"),
        (counts_bits, "counts_bits", ".bit_count; use popcount"),
        (generates, "generates", "a generator expression; write a loop"),
        (tries, "tries", "try or with; test for the case"),
        (reads_list, "reads_list", "LIST is a list; make it a tuple"),
        (reads_dict, "reads_dict", "DICT is a dict; make it a tuple of integers"),
        (calls_partial, "calls_partial", "double is a functools.partial; write it as a plain"),
        (calls_bound_method, "calls_bound_method", "bound is a bound method; write it as a plain"),
        (calls_object, "calls_object", "callable_object is a Evaluator; write it as a plain"),
        (calls_through_module, "calls_through_module", "import it by name: from helpers import"),
        (has_huge_constant, "has_huge_constant", "0xffffffffffffffff; it is past 64 bits signed"),
        (has_huge_global, "has_huge_global", "HUGE is 0x8000000000000000; it is past 64 bits"),
        (has_huge_table, "has_huge_table", "HUGE_TABLE holds 0xffffffffffffffff; it is past"),
        (has_function_table, "has_function_table", "FUNCTIONS is a tuple of functions"),
        (changes_global, "changes_global", "an assignment to counter"),
    ],
)
def test_known_traps(evaluate: Any, function: str, what: str) -> None:
    g = nim.nim(evaluate=evaluate)
    with pytest.raises(NotCompilable) as caught:
        g.compiled()
    message = str(caught.value)
    assert message.startswith("Nim 20: evaluate cannot be compiled: ")
    assert what in message
    assert f"{function} (test_refusals.py, line " in message
    assert "\n" not in message


def test_the_line_is_the_line() -> None:
    with pytest.raises(NotCompilable) as caught:
        nim.nim(evaluate=counts_bits).compiled()
    line = counts_bits.__code__.co_firstlineno + 1
    assert f"line {line})" in str(caught.value)


@pytest.mark.parametrize(
    ("hook", "what"),
    [
        (functools.partial(replaces), "it is a functools.partial; write it as a plain function"),
        (Evaluator().method, "it is a bound method; write it as a plain function"),
        (callable_object, "it is a Evaluator; write it as a plain function"),
        (math.floor, "it is a builtin_function_or_method; write it as a plain function"),
    ],
)
def test_hooks_that_are_no_functions(hook: Any, what: str) -> None:
    with pytest.raises(NotCompilable, match=f"evaluate cannot be compiled: {what}"):
        nim.nim(evaluate=hook).compiled()


class Methodical(NamedTuple):
    stones: int
    turn: int

    def half(self) -> int:
        return self.stones // 2

    @property
    def third(self) -> int:
        return self.stones // 3


@pytest.mark.parametrize(
    ("evaluate", "name"),
    [(lambda s: s.half(), "Methodical.half"), (lambda s: s.third, "Methodical.third")],
)
def test_methods_on_a_state(evaluate: Any, name: str) -> None:
    g = nim.nim(
        initial=lambda: Methodical(9, 0),
        result=lambda s, a: Methodical(s.stones - a, 1 - s.turn),
        evaluate=evaluate,
    )
    assert g.perft(depth=2, way="interpreted") == 9
    with pytest.raises(NotCompilable, match=f"{name}; make it a plain function of the state"):
        g.compiled()


def unknown_to_the_compiler(s: Any) -> int:
    return int(str(s.stones).zfill(3).encode()[0])


def undefined_name(s: Any) -> int:
    return nowhere + s.stones  # type: ignore[name-defined,no-any-return]  # noqa: F821


def mixed_types(s: Any) -> Any:
    if s.stones > 3:
        return (1, 2)
    return 5


@pytest.mark.parametrize(
    ("evaluate", "word"),
    [
        (undefined_name, "'nowhere' is not defined"),
        (mixed_types, "evaluation evaluate is (1, 2), not a whole number"),
    ],
)
def test_a_compiler_that_gives_up_is_answered_by_what_the_rules_do(
    evaluate: Any, word: str
) -> None:
    g = nim.nim(evaluate=evaluate)
    with pytest.raises(NotCompilable) as caught:
        g.compiled().evaluate(g.initial())
    message = str(caught.value)
    assert word in message
    assert "position: stones=20,turn=0" in message
    assert "int64" not in message
    assert "\n" not in message


@pytest.mark.parametrize(("evaluate", "word"), [(unknown_to_the_compiler, "encode")])
def test_whatever_else_the_compiler_refuses_is_traced_to_its_hook(evaluate: Any, word: str) -> None:
    g = nim.nim(evaluate=evaluate)
    with pytest.raises(NotCompilable) as caught:
        g.compiled().evaluate(g.initial())
    message = str(caught.value)
    assert "evaluate cannot be compiled" in message
    assert word in message
    assert "test_refusals.py, line" in message
    assert "\n" not in message


class Colour(enum.IntEnum):
    RED = 1


@numba.njit  # type: ignore[untyped-decorator]
def compiled_already(x: int) -> int:
    return x


def uses_enum(s: Any) -> int:
    return int(s.stones == Colour.RED)


def uses_compiled(s: Any) -> int:
    return int(compiled_already(s.stones))


@pytest.mark.parametrize(
    ("evaluate", "words"),
    [
        (uses_enum, "Colour is an enumeration; make each of its members a constant"),
        (uses_compiled, "compiled_already is compiled already; leave it a plain function"),
    ],
)
def test_more_traps(evaluate: Any, words: str) -> None:
    with pytest.raises(NotCompilable, match=words):
        nim.nim(evaluate=evaluate).compiled()
