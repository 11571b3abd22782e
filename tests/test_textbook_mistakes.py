"""A mistake planted in a procedure is caught: every comparison is reversed, one at a time."""

import importlib
import inspect
import re
from typing import Any

import pytest
from test_textbook import WORKED

from threefold.textbook import explain as explaining
from threefold.textbook import trace as tracing
from threefold.textbook.trace import Trace
from threefold.textbook.tree import Node, parse_tree

#: Small trees on which every turned comparison shows: in the value, the path or what is visited.
PROBES = [
    parse_tree(text)
    for text in (
        *(
            tree
            for tree, *_ in WORKED
            if "L)" not in tree and "G)" not in tree and "K)" not in tree
        ),
        "((3 5) (2 9) (4 4) (1 7))",
        "(((1 2) (3 4)) ((5 6) (7 8)))",
        "(((8 7) (6 5)) ((4 3) (2 1)))",
        "min(((8 7) (6 5)) ((4 3) (2 1)))",
        "min((1 2) (1 0) (3 3))",
        "((-1 -1) (-1 2) (0))",
    )
]
CHANCE_PROBES = [
    parse_tree(text)
    for text in (
        "(~(1/2*3 1/2*8) ~(1/2*2 1/2*(1 9)) 4)",
        "(5 ~(1/2*((0 9) (8 2)) 1/2*-9) ~(1/4*9 3/4*(1 -2)))",
        "min(~(1/2*3 1/2*(8 1)) ~(1/2*-2 1/2*-3) ~(1/2*-9 1/2*(7 7)))",
        "min(~(1/3*(1 2) 2/3*(5 6)) ~(1/3*((1 4) (2 0)) 2/3*((0 1) (3 3))) ~(1/2*5 1/2*9))",
        "(~(1/2*((3 4) (5 1)) 1/2*((6 2) (0 8))) ~(1/2*((1 1) (0 2)) 1/2*((2 2) (9 1))))",
    )
]
#: With options beside the depth, if a comparison is about one of them.
OPTIONS: dict[str, dict[str, Any]] = {"mcts": {"exploration": 2.0}}
TURNED = {" > ": " < ", " < ": " > ", " >= ": " < ", " <= ": " > "}


def fingerprint(procedure: Any, probes: list[Node]) -> list[Any]:
    """Everything a procedure does on the probes."""
    seen: list[Any] = []
    for root in probes:
        for depth in (None, 2):
            trace = Trace()
            trace.note("start", root.name)
            try:
                options = OPTIONS.get(procedure.__name__, {})
                value, line = procedure(root, trace, depth=depth, **options)
                seen.append((value, tracing.names(line)))
            except Exception as error:
                seen.append(type(error).__name__)
            seen.append(tracing.visited(trace.events))
            seen.append([(e.kind, e.node, e.data.get("value")) for e in trace.events])
    return seen


def planted() -> list[Any]:
    """Every comparison of every procedure, reversed, one at a time."""
    found = []
    for name in (
        "minimax",
        "alphabeta",
        "negamax",
        "scout",
        "mtdf",
        "sss",
        "chance",
        "minmax",
        "single_agent",
        "one_function",
        "mcts",
    ):
        module = importlib.import_module(f"threefold.textbook.{name}")
        for number, line in enumerate(inspect.getsource(module).splitlines()):
            code = line.split("#")[0]
            if '"""' in code or "trace.cutoff" in code or "MAX_SCANNED" in code:
                continue
            for match in re.finditer(r" (>=|<=|>|<) (?!None)", code):
                found.append(pytest.param(name, number, match.start(), id=f"{name}:{number + 1}"))
    return found


@pytest.mark.parametrize(("name", "number", "at"), planted())
def test_a_planted_mistake_is_caught(
    name: str, number: int, at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tracing, "MAX_EVENTS", 5_000)
    module = importlib.import_module(f"threefold.textbook.{name}")
    lines = inspect.getsource(module).splitlines()
    operator = re.match(r" (>=|<=|>|<) ", lines[number][at:])
    assert operator
    line = lines[number]
    lines[number] = line[:at] + TURNED[operator[0]] + line[at + len(operator[0]) :]
    mutant: dict[str, Any] = {"__name__": module.__name__}
    exec(compile("\n".join(lines), f"<mutant of {name}>", "exec"), mutant)
    probes = CHANCE_PROBES if name == "chance" else PROBES
    procedures = [
        function.__name__
        for function in explaining.PROCEDURES.values()
        if function.__module__ == module.__name__
    ]
    assert any(
        fingerprint(mutant[procedure], probes) != fingerprint(getattr(module, procedure), probes)
        for procedure in procedures
    ), lines[number]
