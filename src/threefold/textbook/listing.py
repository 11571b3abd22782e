"""A procedure as a page prints it, and which of its lines each step of a run belongs to.

What is listed is the procedure's own code, the code that ran, without what only serves the record:
reports to the trace, annotations, documentation. So the listing cannot differ from what
the steps show. Where a lecture prints a line differently, a comment in front of the line says so,
`# as printed: v ← +∞`, and the page shows both.
"""

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

#: What a report returns, if its value is used.
_STANDS_FOR = {"expand": "children", "leaf": "value", "worth": "value"}
_AS_PRINTED = re.compile(r"\s*# as printed: (.+)")


@dataclass(frozen=True)
class Listing:
    """The lines of a procedure, and where each line of its source went."""

    lines: tuple[str, ...]
    file: str
    first: int
    last: int
    #: By line of the source: the line of the listing, from 0, that ran there.
    places: dict[int, int]
    #: By line of the listing: what a lecture prints there.
    printed: dict[int, str]

    def covers(self, file: str, line: int) -> bool:
        """Whether a line of a file belongs to the procedure."""
        return self.first <= line <= self.last and file == self.file

    def place(self, source_line: int | None) -> int | None:
        """The line of the listing that was executed at a line of the source."""
        return None if source_line is None else self.places.get(source_line)


@cache
def listing(procedure: Any) -> Listing:
    """The listing of a procedure; of one that only calls another, that one's."""
    procedure = _followed(procedure)
    source, first = inspect.getsourcelines(procedure)
    text = textwrap.dedent("".join(source))
    whole = ast.parse(text)
    plain = ast.fix_missing_locations(_without_record(ast.parse(text)))
    lines = ast.unparse(plain).splitlines()
    printed = _statements(ast.parse("\n".join(lines)))
    kept = {
        _spot(ours): theirs.lineno - 1
        for ours, theirs in zip(_statements(plain), printed, strict=True)
    }
    places: dict[int, int] = {}
    _place_block(whole.body, None, kept, places)
    return Listing(
        tuple(lines),
        inspect.getsourcefile(procedure) or "",
        first,
        first + len(source) - 1,
        {first + line - 1: place for line, place in places.items()},
        _as_printed(source, places),
    )


def _as_printed(source: Sequence[str], places: dict[int, int]) -> dict[int, str]:
    """The comments that say what a lecture prints, by the listing's line that follows."""
    found = {}
    for number, line in enumerate(source, 1):
        if comment := _AS_PRINTED.fullmatch(line.rstrip()):
            found[places[min(other for other in places if other > number)]] = comment[1]
    return found


def _spot(statement: ast.stmt) -> tuple[int, int]:
    return statement.lineno, statement.col_offset


def _place_block(
    block: Sequence[ast.stmt],
    header: ast.stmt | None,
    kept: dict[tuple[int, int], int],
    places: dict[int, int],
) -> None:
    """Place the lines of a block; `header` is the statement it belongs to."""
    shown = [i for i, each in enumerate(block) if _spot(each) in kept and _is_step(each)]
    for i, statement in enumerate(block):
        inner = _blocks(statement)
        if _spot(statement) in kept:
            last = inner[0][0].lineno - 1 if inner else statement.end_lineno or statement.lineno
            for line in range(statement.lineno, last + 1):
                places[line] = kept[_spot(statement)]
            for below in inner:
                _place_block(below, statement, kept, places)
            continue
        before = next((block[k] for k in reversed(shown) if k < i), None)
        after = next((block[k] for k in shown if k > i), None)
        for line, kind in _reports(statement):
            chosen = _nearest(kind, statement, before, after, header, block)
            places[line] = kept[_spot(chosen)]


def _nearest(
    kind: str,
    report: ast.stmt,
    before: ast.stmt | None,
    after: ast.stmt | None,
    header: ast.stmt | None,
    block: Sequence[ast.stmt],
) -> ast.stmt:
    """The statement that a report taken out of a block belongs to.

    It is one that ran just before or runs next: neighbors in a block run one after the other, and
    the first line of a compound statement always does. A node's final value is returned next.
    """
    if kind == "enter" and isinstance(header, ast.FunctionDef):
        return header
    if after is not None and (kind == "leave" or _blocks(report)):
        return after
    if before is not None and not _blocks(before):
        return before
    if before is None and header is not None and block is getattr(header, "body", None):
        return header
    chosen = after or before or header
    assert chosen is not None, f"line {report.lineno}: a procedure that does nothing but report"
    return chosen


def _is_step(statement: ast.stmt) -> bool:
    """Whether a statement does anything when it is reached."""
    return not isinstance(statement, ast.FunctionDef | ast.Nonlocal)


def _blocks(statement: ast.stmt) -> list[list[ast.stmt]]:
    """The blocks inside a statement, in the order of the text."""
    handlers: list[ast.ExceptHandler] = getattr(statement, "handlers", [])
    found = [
        getattr(statement, "body", []),
        *(handler.body for handler in handlers),
        getattr(statement, "orelse", []),
        getattr(statement, "finalbody", []),
    ]
    return [block for block in found if block]


def _reports(statement: ast.stmt) -> Iterator[tuple[int, str]]:
    """The lines of a statement that was taken out, with what is reported there."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Call) and (kind := _reported(node)) is not None:
            for line in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                yield line, kind


def _followed(procedure: Any) -> Any:
    (function,) = ast.parse(textwrap.dedent(inspect.getsource(procedure))).body
    assert isinstance(function, ast.FunctionDef)
    match function.body[-1]:
        case ast.Return(ast.Call(ast.Name(name))) if len(function.body) == 2:
            return procedure.__globals__.get(name, procedure)
    return procedure


def _statements(tree: ast.AST) -> list[ast.stmt]:
    """Every statement, in the order of the text."""
    found: list[ast.stmt] = []

    def walk(node: ast.AST) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.stmt):
                found.append(child)
            walk(child)

    walk(tree)
    return found


def _without_record(tree: ast.AST) -> ast.AST:
    """A procedure without what only serves the record."""
    plain: ast.AST = _Plain().visit(tree)
    while unread := _unread_names(plain):
        plain = _WithoutNames(unread).visit(plain)
    return plain


def _unread_names(tree: ast.AST) -> set[str]:
    """Names assigned a value that nothing reads, because only a report did."""
    assigned = {
        statement.targets[0].id
        for statement in ast.walk(tree)
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name)
    }
    read = {
        name.id
        for name in ast.walk(tree)
        if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Load)
    }
    shared = {
        name for each in ast.walk(tree) if isinstance(each, ast.Nonlocal) for name in each.names
    }
    return assigned - read - shared


class _WithoutNames(ast.NodeTransformer):
    """Removes the assignments to some names."""

    def __init__(self, names: set[str]) -> None:
        self._names = names

    def visit_Assign(self, node: ast.Assign) -> ast.Assign | None:
        """`sign = …` where nothing reads it."""
        target = node.targets[0]
        return None if isinstance(target, ast.Name) and target.id in self._names else node

    def visit_If(self, node: ast.If) -> ast.If | None:
        """A condition with nothing left to do is removed as well."""
        self.generic_visit(node)
        return node if node.body else None


class _Plain(ast.NodeTransformer):
    """Removes what only serves the record."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """Without annotations and documentation."""
        if ast.get_docstring(node) is not None:
            node.body = node.body[1:]
        node.returns = None
        node.args.args = [one for one in node.args.args if one.arg != "trace"]
        for argument in (*node.args.args, *node.args.kwonlyargs):
            argument.annotation = None
        self.generic_visit(node)
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        """A report that is a whole statement is removed."""
        if _reported(node.value) is not None:
            return None
        self.generic_visit(node)
        return node

    def visit_If(self, node: ast.If) -> ast.If | None:
        """A condition under which there are only reports is removed with them."""
        self.generic_visit(node)
        return node if node.body else None

    def visit_For(self, node: ast.For) -> ast.For | None:
        """Likewise."""
        self.generic_visit(node)
        return node if node.body else None

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        """`v: Bound = 0` is `v = 0`."""
        self.generic_visit(node)
        if node.value is None:
            return node
        return ast.copy_location(ast.Assign([node.target], node.value), node)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """A report whose value is used is replaced by what it reports."""
        self.generic_visit(node)
        name = _reported(node)
        node.args = [each for each in node.args if not _is_trace(each)]
        if name in _STANDS_FOR:
            return ast.copy_location(
                ast.Attribute(node.args[0], _STANDS_FOR[name], ast.Load()), node
            )
        return node


def _reported(node: ast.expr) -> str | None:
    """The kind of a report to the trace: `trace.enter(…)`, or `cut(trace, …)` by a helper."""
    match node:
        case ast.Call(ast.Attribute(value, kind)) if _is_trace(value):
            return kind
        case ast.Call(ast.Name(helper), [given, *_]) if _is_trace(given):
            return helper.strip("_")
    return None


def _is_trace(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "trace"
