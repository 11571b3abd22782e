"""A procedure as a page prints it, and which of its lines each step of a run belongs to.

What is printed is the procedure's own code, the one that ran, with what is there for the record
taken out: reports to the trace, annotations, documentation. So the listing cannot differ from what
the steps show.
"""

import ast
import inspect
import textwrap
from dataclasses import dataclass
from functools import cache
from typing import Any

#: What a report gives back, where its value is used.
_STANDS_FOR = {"expand": "children", "leaf": "value"}


@dataclass(frozen=True)
class Listing:
    """The lines of a procedure, and where each line of its source went."""

    lines: tuple[str, ...]
    file: str
    first: int
    last: int
    #: By line of the source: the line of the listing, from 0.
    places: dict[int, int]

    def covers(self, file: str, line: int) -> bool:
        """Whether a line of a file is one of the procedure's."""
        return self.first <= line <= self.last and file == self.file

    def place(self, source_line: int | None) -> int | None:
        """The line of the listing that a line of the source became, or the one before it."""
        if source_line is None:
            return None
        earlier = [line for line in self.places if line <= source_line]
        return self.places[max(earlier)] if earlier else None


@cache
def listing(procedure: Any) -> Listing:
    """The listing of a procedure; of one that only calls another, that one's."""
    procedure = _followed(procedure)
    source, first = inspect.getsourcelines(procedure)
    tree = ast.parse(textwrap.dedent("".join(source)))
    printed = ast.fix_missing_locations(_Plain().visit(ast.parse(textwrap.dedent("".join(source)))))
    lines = ast.unparse(printed).splitlines()
    kept = _statements(_Plain().visit(tree))
    places = {
        first + ours.lineno - 1: theirs.lineno - 1
        for ours, theirs in zip(kept, _statements(ast.parse("\n".join(lines))), strict=True)
    }
    file = inspect.getsourcefile(procedure) or ""
    return Listing(tuple(lines), file, first, first + len(source) - 1, places)


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


class _Plain(ast.NodeTransformer):
    """Takes out what is there for the record."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """Without annotations and documentation."""
        if ast.get_docstring(node) is not None:
            node.body = node.body[1:]
        node.returns = None
        node.args.args = [one for one in node.args.args if one.arg != "trace"]
        for argument in node.args.args:
            argument.annotation = None
        self.generic_visit(node)
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        """A report on its own is left out."""
        if _reported(node.value) is not None:
            return None
        self.generic_visit(node)
        return node

    def visit_If(self, node: ast.If) -> ast.If | None:
        """What only reports under a condition is left out with it."""
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
        """A report whose value is used stands for what it reports."""
        self.generic_visit(node)
        name = _reported(node)
        if name in _STANDS_FOR:
            return ast.copy_location(
                ast.Attribute(node.args[0], _STANDS_FOR[name], ast.Load()), node
            )
        return node


def _reported(node: ast.expr) -> str | None:
    """The kind of a report to the trace."""
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "trace"
    ):
        return node.func.attr
    return None
