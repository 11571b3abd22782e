"""What cannot be compiled, found before the compiler does, and reported so that it can be fixed.

Rules are plain functions over numbers, tuples of integers and other plain functions. Python offers
much more, and a rule that uses it runs interpreted only. Each finding names the hook, the line,
the thing, and what to write instead.
"""

import enum
import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from inspect import CO_GENERATOR
from pathlib import Path
from types import FunctionType, MethodType
from typing import Any

from threefold.rules import bits
from threefold.rules.bits import is_word, word
from threefold.rules.rebind import (
    Function,
    instructions,
    module_attributes,
    nested,
    reachable,
    references,
)
from threefold.rules.text import past_64_bits
from threefold.rules.wide import WideBoard

_REPLACEMENTS = {
    "_replace": "build the next position with its class",
    "_asdict": "name the fields",
    "_make": "build the position with its class",
    "bit_count": "use popcount of threefold.rules.bits",
    "bit_length": "use msb of threefold.rules.bits, plus 1",
    "append": "write to out[n] and count n",
}

#: What needs Python's integers of unlimited size.
_FOR_CONSTANTS = (word, is_word)


@dataclass(frozen=True)
class Refusal:
    """A thing in a function that cannot be compiled."""

    function: FunctionType
    line: int
    what: str
    instead: str

    def __str__(self) -> str:
        where = f"{self.function.__name__} ({Path(self.function.__code__.co_filename).name}"
        return f"{where}, line {self.line}): {self.what}; {self.instead}"


def in_hook(hook: Any, state_type: type) -> Iterator[Refusal | str]:
    """Everything to refuse in a hook and in the functions that it reaches."""
    if not isinstance(hook, FunctionType):
        yield f"it is {_describe(hook)}; write it as a plain function"
        return
    for function in reachable(hook):
        if function.__module__ != bits.__name__:
            yield from _in_function(function, state_type)


def is_recursive(hook: Function) -> bool:
    """Whether any function that a hook reaches can reach itself."""
    assert isinstance(hook, FunctionType)
    return any(
        function in reachable(callee)
        for function in reachable(hook)
        for _, callee in references(function)
        if isinstance(callee, FunctionType)
    )


def _in_function(function: FunctionType, state_type: type) -> Iterator[Refusal]:
    def refuse(line: int | None, what: str, instead: str) -> Refusal:
        return Refusal(function, line or function.__code__.co_firstlineno, what, instead)

    values = dict(references(function))
    where_used: dict[str, int] = {}
    if function.__code__.co_flags & CO_GENERATOR:
        yield refuse(None, "a generator", "write the moves into out and return how many")
    for code in nested(function.__code__):
        if code is not function.__code__ and code.co_flags & CO_GENERATOR:
            yield refuse(code.co_firstlineno, "a generator expression", "write a loop")
        for instruction, name, line in instructions(code):
            if instruction in {"LOAD_GLOBAL", "LOAD_DEREF", "LOAD_NAME"}:
                where_used.setdefault(name, line)
            elif instruction in {"LOAD_ATTR", "LOAD_METHOD"}:
                if name in _REPLACEMENTS:
                    yield refuse(line, f".{name}", _REPLACEMENTS[name])
                elif isinstance(vars(state_type).get(name), FunctionType | property | classmethod):
                    instead = "make it a plain function of the state"
                    yield refuse(line, f"{state_type.__name__}.{name}", instead)
            elif instruction == "STORE_ATTR":
                instead = "a position is never changed: build the next one with its class"
                yield refuse(line, f"an assignment to .{name}", instead)
            elif instruction == "PUSH_EXC_INFO":
                yield refuse(line, "try or with", "test for the case before it arises")
            elif instruction in {"STORE_GLOBAL", "STORE_DEREF"}:
                if code is function.__code__ and name in code.co_cellvars:
                    continue
                yield refuse(line, f"an assignment to {name}", "rules change nothing outside them")
            elif instruction == "LOAD_CONST" and _too_large(name):
                yield refuse(line, f"the constant {name:#x}", past_64_bits(name))
    for name, value in values.items():
        for what, instead in _in_value(name, value):
            yield refuse(where_used.get(name), what, instead)
    for name, line, value in module_attributes(function):
        module, _, attribute = name.rpartition(".")
        if isinstance(value, FunctionType) and value.__module__ != bits.__name__:
            yield refuse(line, name, f"import it by name: from {module} import {attribute}")
        for what, instead in _in_value(name, value):
            yield refuse(line, what, instead)


def _in_value(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, list):
        yield f"{name} is a list", "make it a tuple"
    elif isinstance(value, dict | set | frozenset):
        yield f"{name} is a {type(value).__name__}", "make it a tuple of integers"
    elif isinstance(value, tuple):
        if any(map(_too_large, _leaves(value))):
            beyond = max(filter(_too_large, _leaves(value)), key=abs)
            yield f"{name} holds {beyond:#x}", past_64_bits(beyond)
        elif any(isinstance(item, FunctionType) for item in value):
            yield f"{name} is a tuple of functions", "call each function by its name"
    elif value in _FOR_CONSTANTS:
        yield f"{name} is for constants outside the rules", "compute with add, sub and mul"
    elif _too_large(value):
        yield f"{name} is {value:#x}", past_64_bits(value)
    elif isinstance(value, WideBoard):
        yield f"{name} is a WideBoard", f"name what you use of it: neighbors = {name}.neighbors"
    elif isinstance(value, enum.EnumType):
        yield f"{name} is an enumeration", "make each of its members a constant"
    elif hasattr(value, "py_func"):
        yield (
            f"{name} is compiled already",
            "leave it a plain function: it is compiled with the rest",
        )
    elif isinstance(value, functools.partial | MethodType) or (
        callable(value) and type(value).__module__ != "builtins" and _is_authored(value)
    ):
        yield f"{name} is {_describe(value)}", "write it as a plain function"


def _is_authored(value: Any) -> bool:
    """Whether a callable object is of a class written in Python, not one the compiler knows."""
    known = type(value).__module__.startswith(("numba", "numpy"))
    return not known and isinstance(type(value).__dict__.get("__call__"), FunctionType)


def _leaves(value: tuple[Any, ...]) -> Iterator[Any]:
    for item in value:
        if isinstance(item, tuple):
            yield from _leaves(item)
        else:
            yield item


def _too_large(value: Any) -> bool:
    return isinstance(value, int) and not is_word(value)


def _describe(value: Any) -> str:
    if isinstance(value, functools.partial):
        return "a functools.partial"
    if isinstance(value, MethodType):
        return "a bound method"
    return f"a {type(value).__name__}"


_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_QUOTED = re.compile(r"^\s*\w*Error: (.+)$", re.MULTILINE)
_NOISE = re.compile(r"^(Failed in |During: |File |<source|\^|There are |\s*$)")


def compiler_says(hook: Function, error: BaseException) -> str:
    """The one sentence of a Numba error that matters, with its line in the author's file."""
    assert isinstance(hook, FunctionType)
    message = _COLOURS.sub("", str(error))
    code = hook.__code__
    files = {Path(function.__code__.co_filename).name for function in reachable(hook)}
    lines = [
        f"{name}, line {line}"
        for name, line in re.findall(r'File "(?:[^"]*/)?([^"/]+)", line (\d+)', message)
        + re.findall(r"at (?:\S*/)?([^\s/]+) \((\d+)\)", message)
        if name in files
    ]
    where = lines[0] if lines else f"{Path(code.co_filename).name}, line {code.co_firstlineno}"
    return f"{hook.__name__} ({where}): {sentence_of(error)}"


def sentence_of(error: BaseException) -> str:
    """The deepest reason that a Numba error quotes, or the first line that says anything."""
    message = _COLOURS.sub("", str(error))
    quoted: list[str] = [reason for reason in _QUOTED.findall(message) if not _NOISE.match(reason)]
    spoken = [line.strip() for line in message.splitlines() if not _NOISE.match(line)]
    if quoted:
        return quoted[-1]
    # A sentence that ends in a colon continues on the next line.
    said = " ".join(spoken[: 2 if spoken and spoken[0].endswith(":") else 1])
    return said or type(error).__name__
