"""The line that is marked at a step is one that ran there, and the sentence agrees with it."""

import ast
import inspect
import re
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from threefold.textbook import listing as printing
from threefold.textbook.explain import PROCEDURES, Explanation, explain
from threefold.textbook.narration import narrate
from threefold.textbook.trace import Trace
from threefold.textbook.tree import parse_tree

FIRST_TREE = "((3 12 8) (2 4 6) (14 5 2))"
WITH_CHANCE = {"expectiminimax", "star1", "star2"}
WITH_PAYOFFS = {"maxn", "paranoid"}
#: Those that cut, by what the trace says, as soon as a value reaches the bound.
CUT_WHERE_EQUAL = ["alphabeta", "alphabeta-hard", "negamax", "mtdf", "star1", "star2"]

leaves = st.integers(-5, 5).map(str)


def inner(children: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    below = st.lists(children, min_size=1, max_size=3).map(" ".join)
    return st.builds(
        lambda value, loud, nodes: f":{value}{loud}({nodes})",
        st.integers(-5, 5),
        st.sampled_from(["", "", "!"]),
        below,
    )


def chance(children: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.lists(children, min_size=2, max_size=2).map(
        lambda pair: f"(~(0.25*{pair[0]} 0.75*{pair[1]}) {pair[0]})"
    )


payoffs = st.tuples(st.integers(0, 4), st.integers(0, 4)).map("<{0[0]},{0[1]}>".format)
plain_trees = st.recursive(leaves, inner, max_leaves=12)
chance_trees = st.recursive(leaves, lambda below: inner(below) | chance(below), max_leaves=10)
payoff_trees = st.recursive(
    payoffs,
    lambda below: st.lists(below, min_size=1, max_size=3).map(lambda nodes: f"({' '.join(nodes)})"),
    max_leaves=12,
)


@dataclass
class Watched:
    """What ran around each event of a run: the lines of its function before it, and after."""

    explained: Explanation
    #: By event: the function's frame and how many of its lines had run.
    moments: list[tuple[FrameType | None, int]] = field(default_factory=list)
    #: By frame: the source lines that ran, in order.
    ran: dict[FrameType, list[int]] = field(default_factory=dict)


def watch(procedure: str, tree: str, depth: int | None) -> Watched:
    """Run a procedure under Python's own line tracing, which knows nothing of the listing."""
    source = printing.listing(PROCEDURES[procedure])
    watched = Watched(explained=None)  # type: ignore[arg-type]
    note = Trace.note

    def noting(self: Trace, kind: str, node: str, **data: Any) -> None:
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and frame not in watched.ran:
            frame = frame.f_back
        watched.moments.append((frame, len(watched.ran[frame]) if frame else 0))
        note(self, kind, node, **data)

    def local(frame: FrameType, event: str, _: Any) -> Any:
        if event == "line":
            watched.ran[frame].append(frame.f_lineno)
        return local

    def called(frame: FrameType, _event: str, _: Any) -> Any:
        code = frame.f_code
        if code.co_filename == source.file and source.first <= code.co_firstlineno <= source.last:
            watched.ran[frame] = [code.co_firstlineno]
            return local
        return None

    before = sys.gettrace()
    Trace.note = noting  # type: ignore[method-assign]
    sys.settrace(called)
    try:
        watched.explained = explain(procedure, parse_tree(tree), depth=depth, tree=tree)
    finally:
        sys.settrace(before)
        Trace.note = note  # type: ignore[method-assign]
    return watched


def printed_texts(procedure: str) -> dict[int, str]:
    """By line of the source: how its statement would be printed, worked out by text alone."""
    function = printing._followed(PROCEDURES[procedure])
    lines, first = inspect.getsourcelines(function)
    found = {}
    for statement in ast.walk(ast.parse(textwrap.dedent("".join(lines)))):
        if isinstance(statement, ast.stmt):
            text = ast.unparse(statement).splitlines()[0]
            found[first + statement.lineno - 1] = without_record(text)
    return found


def without_record(text: str) -> str:
    text = re.sub(r"trace\.expand\(([\w.]+)\)", r"\1.children", text)
    text = re.sub(r"trace\.(?:leaf|worth)\(([\w.]+)\)", r"\1.value", text)
    text = re.sub(r"\btrace, ", "", text)
    text = re.sub(r"^(\w+): [^=]+ = ", r"\1 = ", text)
    if text.startswith("def "):
        return text.partition("(")[0]
    return text


def marked_text(line: str) -> str:
    text = line.strip()
    return text.partition("(")[0] if text.startswith("def ") else text.removeprefix("el")


def function_of(lines: tuple[str, ...], marked: int) -> str:
    """The name of the function that a line of a listing stands in."""
    inmost = len(lines[marked]) - len(lines[marked].lstrip()) + 1
    for line in reversed(lines[: marked + 1]):
        indent = len(line) - len(line.lstrip())
        if line.strip() and indent < inmost:
            inmost = indent
            if line.lstrip().startswith("def "):
                return line.split()[1].partition("(")[0]
    raise AssertionError(lines[marked])


def check(procedure: str, tree: str, depth: int | None = None) -> None:
    watched = watch(procedure, tree, depth)
    lines = printing.listing(PROCEDURES[procedure]).lines
    texts = printed_texts(procedure)
    shown = {marked_text(line) for line in lines if line.strip()}
    explained = watched.explained
    assert len(watched.moments) == len(explained.events)
    for event, marked, (frame, count) in zip(
        explained.events, explained.lines, watched.moments, strict=True
    ):
        if frame is None:
            assert event.kind == "start"
            assert marked is None
            continue
        assert marked is not None, (event, tree)
        ran = watched.ran[frame]
        before = [texts[line] for line in ran[:count] if texts.get(line) in shown]
        after = [texts[line] for line in ran[count:] if texts.get(line) in shown]
        neighbors = {*before[-1:], *after[:1]}
        if event.kind == "enter":
            neighbors.add(before[0])  # where the function began
        assert marked_text(lines[marked]) in neighbors, (procedure, tree, event, neighbors)
        assert function_of(lines, marked) == frame.f_code.co_name
        agree(procedure, event.kind, lines[marked].strip())


def agree(procedure: str, kind: str, line: str) -> None:
    """A step of some kind is marked at a line of that kind."""
    if kind == "bound":
        assert re.match(r"(alpha|beta)\b.* = ", line), (procedure, line)
    elif kind == "leave" and procedure not in {"minimax-bottom-up", "sss"}:
        assert line.startswith("return "), (procedure, line)
    elif kind in {"cutoff", "late-cutoff"}:
        assert re.match(r"if |break|def leave|.*\bnarrow\(", line), (procedure, line)


def cases() -> Iterator[tuple[str, st.SearchStrategy[str]]]:
    for procedure in PROCEDURES:
        if procedure in WITH_CHANCE:
            yield procedure, chance_trees
        elif procedure in WITH_PAYOFFS:
            yield procedure, payoff_trees
        else:
            yield procedure, plain_trees


@pytest.mark.parametrize(("procedure", "trees"), list(cases()), ids=list(PROCEDURES))
def test_the_marked_line_ran(procedure: str, trees: st.SearchStrategy[str]) -> None:
    depths = st.none() | st.integers(1, 3) if trees is plain_trees else st.none()

    @settings(max_examples=15, deadline=None)
    @given(trees, depths)
    def run(tree: str, depth: int | None) -> None:
        check(procedure, tree, depth)

    run()


@pytest.mark.parametrize("procedure", [name for name, trees in cases() if trees is plain_trees])
def test_the_marked_line_ran_on_the_first_example(procedure: str) -> None:
    check(procedure, FIRST_TREE)


def test_a_return_is_marked_where_a_node_is_left() -> None:
    explained = explain("alphabeta", parse_tree(FIRST_TREE), tree=FIRST_TREE)
    lines = printing.listing(PROCEDURES["alphabeta"]).lines
    left = [
        lines[marked or 0].strip()
        for event, marked in zip(explained.events, explained.lines, strict=True)
        if event.kind == "leave"
    ]
    assert left == ["return (v, line)"] * 4


def test_a_cut_that_comes_too_late_says_so() -> None:
    explained = explain("alphabeta", parse_tree(FIRST_TREE), tree=FIRST_TREE)
    said = [sentence for sentence in narrate(explained.events) if sentence]
    at = said.index("2 ≤ α = 3: D could be cut, but nothing is left to skip.")
    assert said[at - 1] == "M returns 2 to D."
    assert said[at + 1] == "D is worth 2, by M."
    assert explained.pruned == ["I", "J"]


@pytest.mark.parametrize("procedure", CUT_WHERE_EQUAL)
@settings(max_examples=25, deadline=None)
@given(tree=plain_trees)
def test_no_bound_stays_where_the_test_cuts(procedure: str, tree: str) -> None:
    explained = explain(procedure, parse_tree(tree), tree=tree)
    windows: dict[str, tuple[Any, Any]] = {}
    players: dict[str, str] = {}
    for event, sentence in zip(explained.events, narrate(explained.events), strict=True):
        if event.kind == "enter" and "alpha" in event.data:
            windows[event.node] = event["alpha"], event["beta"]
            players[event.node] = event["player"]
        alpha, beta = windows.get(event.node, (0, 0))
        if event.kind == "child" and "stays" in sentence and alpha != beta:
            cuts = (
                event["value"] >= beta if players[event.node] == "MAX" else event["value"] <= alpha
            )
            assert not cuts, (tree, event, sentence)


def test_what_only_reports_is_not_printed() -> None:
    for procedure in PROCEDURES.values():
        text = "\n".join(printing.listing(procedure).lines)
        assert not re.search(r"\btrace\b|\bsign = \(|\bwhich = |: bool\b", text), text
