"""Procedures side by side on one tree: whether they agree, what each costs, and the theory."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from threefold.errors import ThreefoldError, argument
from threefold.textbook.explain import OTHER_QUESTIONS, explain, takes
from threefold.textbook.gametree import GameNode
from threefold.textbook.ordering import reorder, shape
from threefold.textbook.replay import show_rounded
from threefold.textbook.statistics import statistics
from threefold.textbook.trace import plain
from threefold.textbook.tree import Node
from threefold.textbook.treeshape import GROWING

#: Compared by default: every procedure that returns minimax's value on any tree.
USUAL = ("minimax", "alphabeta", "negamax", "scout", "pvs", "mtdf", "sss")


@dataclass(frozen=True)
class Row:
    """One procedure on one ordering."""

    procedure: str
    order: str
    value: Any
    path: Sequence[str]
    nodes: int
    leaves: int
    cutoffs: int


@dataclass(frozen=True)
class Theory:
    """Known leaf counts of uniform trees with branching factor b and depth d."""

    branching: int
    depth: int

    @property
    def all_leaves(self) -> int:
        """Minimax visits all of them: b^d."""
        return int(self.branching**self.depth)

    @property
    def fewest_leaves(self) -> int:
        """Knuth and Moore (1975): b^⌈d/2⌉ + b^⌊d/2⌋ − 1, with perfect ordering and equal cuts."""
        b, d = self.branching, self.depth
        return int(b ** ((d + 1) // 2) + b ** (d // 2) - 1)


@dataclass(frozen=True)
class Comparison:
    """All rows, and the theory where the tree is uniform."""

    rows: Sequence[Row]
    theory: Theory | None

    @property
    def agree(self) -> bool:
        """Whether all procedures that answer the same question gave the same answer.

        An estimate answers none.
        """
        answers: dict[str, set[Any]] = {}
        for row in self.rows:
            if row.procedure in GROWING:
                continue
            question = row.procedure if row.procedure in OTHER_QUESTIONS else "minimax"
            answers.setdefault(question, set()).add(row.value)
        return all(len(values) == 1 for values in answers.values())

    def to_json(self) -> dict[str, Any]:
        """The comparison as JSON types."""
        theory = None
        if self.theory is not None:
            theory = asdict(self.theory) | {
                "all_leaves": self.theory.all_leaves,
                "fewest_leaves": self.theory.fewest_leaves,
            }
        return {
            "agree": self.agree,
            "rows": [plain(asdict(row)) for row in self.rows],
            "theory": theory,
        }

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        header = ("procedure", "order", "value", "nodes", "leaves", "cutoffs")
        table = [header] + [
            (
                row.procedure,
                row.order,
                show_rounded(row.value) if row.procedure in GROWING else str(plain(row.value)),
                str(row.nodes),
                str(row.leaves),
                str(row.cutoffs),
            )
            for row in self.rows
        ]
        widths = [max(len(cells[i]) for cells in table) for i in range(len(header))]
        lines = [
            "  ".join(
                cell.ljust(width) if i < 2 else cell.rjust(width)
                for i, (cell, width) in enumerate(zip(cells, widths, strict=True))
            ).rstrip()
            for cells in table
        ]
        if self.theory is not None:
            b, d = self.theory.branching, self.theory.depth
            lines.append(
                f"theory for b={b}, d={d}: all leaves {self.theory.all_leaves}, "
                f"fewest {self.theory.fewest_leaves}"
            )
        estimates = dict.fromkeys(row.procedure for row in self.rows if row.procedure in GROWING)
        if len(estimates) < len({row.procedure for row in self.rows}):
            lines.append("all agree" if self.agree else "they do not agree")
        lines += [f"{name} gives an estimate, which need not agree" for name in estimates]
        return "\n".join(lines)


def compare(
    root: Node,
    procedures: Sequence[str] = USUAL,
    orders: Sequence[str] = ("given",),
    depth: int | None = None,
    seed: int = 0,
    cut: str | None = None,
) -> Comparison:
    """Run procedures × orderings on a tree; `cut` and `seed` are for those that have them."""
    if cut is not None and not any(takes(procedure, "cut") for procedure in procedures):
        raise ThreefoldError(f"{argument('cut', cut)}: none of these procedures has it")
    rows = []
    theory = None
    for order in orders:
        tree = reorder(root, order, depth, seed)
        # A game's tree may be infinite, so it is not scanned for its shape.
        uniform = None if isinstance(root, GameNode) else shape(tree, depth)
        theory = Theory(*uniform) if uniform else None
        for procedure in procedures:
            options: dict[str, Any] = {}
            if cut is not None and takes(procedure, "cut"):
                options["cut"] = cut
            if takes(procedure, "seed"):
                options["seed"] = seed
            explained = explain(procedure, tree, depth=depth, **options)
            counted = statistics(explained.events)
            rows.append(
                Row(
                    procedure,
                    order,
                    explained.value,
                    explained.path,
                    counted.nodes,
                    counted.leaves,
                    counted.cutoffs,
                )
            )
    return Comparison(rows, theory)
