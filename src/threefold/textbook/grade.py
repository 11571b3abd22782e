"""Grade a student's code: minimax and alpha-beta on a tree.

The file defines one or both of

    def minimax(node): ...
    def alphabeta(node): ...             # or alphabeta(node, alpha, beta)

and each returns the value of `node` for MAX, a number. A node has

    node.is_max       whether MAX is to move there
    node.children     a tuple of nodes from left to right, empty for a leaf
    node.value        of a leaf, its value for MAX; of an inner node, None
    node.name         its name in the report

Reading a leaf's `value` counts as looking at the leaf. `minimax` must look at all leaves from left
to right, depth first or layer by layer, `alphabeta` at those that alpha-beta needs. Fail-soft or
fail-hard, and whether equality cuts at MAX nodes and at MIN nodes, is up to the student, because
lectures differ, but it must be the same everywhere; `conventions.py` says more. An `alphabeta`
that takes a window is also called with windows that do not contain the value.

The code runs in a separate process (`sandbox.py`) with limits on time, memory and processes. If the
system permits, it has no network and sees no files. It must ask for each leaf's value, and the
requests are what counts. Endless loops, exceptions, exits, printed output and forged messages all
end as a sentence in the report.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any

from threefold.errors import ThreefoldError
from threefold.rules.contract import MAX
from threefold.rules.svg import Svg
from threefold.rules.text import did_you_mean, listing, shorten
from threefold.textbook.conventions import (
    HARD,
    ORDERS,
    SOFT,
    Convention,
    Probe,
    fitting,
    only_equality_differs,
    probes,
    recognized,
)
from threefold.textbook.cut import CUTS
from threefold.textbook.explain import Explanation, explain
from threefold.textbook.picture import draw
from threefold.textbook.reasons import Reasons, named
from threefold.textbook.replay import show
from threefold.textbook.sandbox import Isolation
from threefold.textbook.student import Answer, StudentRun, run_student
from threefold.textbook.trace import INFINITY, plain
from threefold.textbook.tree import parse_tree, walk

#: The number of trees, and the limits of the student's process: total seconds, and bytes.
TREES = 100
SECONDS = 10.0
MEMORY = 512 * 2**20
#: The largest value of a leaf: many a number that is meant to be infinite is less.
_FAR = 1_000_000
#: Trees that show a mistake which few trees show: a child that is worse than the bound replaces it.
#: The last leaf is cut only by the bound that was there before, from further up or from a sibling.
_FIXED = (
    "min (3 ((7 (5 9))))",
    "(-3 ((-7 (-5 -9))))",
    "min (3 7 (5 9))",
    "(-3 -7 (-5 -9))",
)
_MAX_TREES = 10_000
_MAX_SECONDS = 3600


@dataclass(frozen=True)
class _Reference:
    """A run to compare with, every step of which can be explained."""

    procedure: str
    #: Where equality cuts; or the order of minimax's leaves.
    cut: str | None = None
    order: str = ""

    def explained(self, text: str, **options: Any) -> Explanation:
        """The run on a tree, with further options."""
        if self.cut is not None:
            options["cut"] = self.cut
        return explain(self.procedure, parse_tree(text), tree=text, **options)

    def leaves(self, explained: Explanation) -> list[str]:
        """The leaves to look at, in order."""
        if self.order:
            return ORDERS[self.order](parse_tree(str(explained.events[0]["tree"])))
        return [event.node for event in explained.events if event.kind == "leaf"]


_REFERENCES = {
    "minimax": [_Reference("minimax", order=order) for order in ORDERS],
    "alphabeta": [
        _Reference(procedure, str(cut))
        for cut in CUTS
        for procedure in ("alphabeta", "alphabeta-hard")
    ],
}
FUNCTIONS = tuple(_REFERENCES)
#: Why a program that follows no convention does not get full marks.
_MIXED = (
    "Everything cut here is cut by some convention, but none fits all trees: equality cuts at some "
    "nodes and not at others. Choose one rule for MAX and one for MIN."
)


@dataclass(frozen=True)
class Difference:
    """The first tree on which a function differs from the reference."""

    function: str
    #: The tree's number, from 1, and its text.
    number: int
    tree: str
    #: `value`, `cuts`, `order`, or `failure` if there was no answer.
    kind: str
    reference: Explanation
    #: The `repr` of what the function returned; empty if it returned nothing.
    found_value: str
    found_leaves: Sequence[str]
    explanation: str
    #: The leaves to look at, in order.
    expected_leaves: Sequence[str]
    #: The window, if it differs only when it is called with one.
    window: tuple[int, int] | None = None

    @property
    def missed_cuts(self) -> list[str]:
        """The leaves that should not have been looked at."""
        return [leaf for leaf in self.found_leaves if leaf not in self.expected_leaves]

    @property
    def wrong_cuts(self) -> list[str]:
        """The leaves that should have been looked at and were not."""
        return [leaf for leaf in self.expected_leaves if leaf not in self.found_leaves]

    def picture(self) -> Svg:
        """The tree at the end of the reference run."""
        return draw(self.reference.events)

    def to_json(self) -> dict[str, Any]:
        """The difference as JSON types."""
        return {
            "function": self.function,
            "number": self.number,
            "tree": self.tree,
            "kind": self.kind,
            "expected": {
                "value": plain(self.reference.value),
                "leaves": list(self.expected_leaves),
            },
            "found": {"value": self.found_value or None, "leaves": list(self.found_leaves)},
            "missed_cuts": self.missed_cuts,
            "wrong_cuts": self.wrong_cuts,
            "explanation": self.explanation,
        }

    def __str__(self) -> str:
        called = ""
        if self.window:
            alpha, beta = map(show, self.window)
            called = f" with alpha = {alpha} and beta = {beta}"
        return "\n".join(
            (
                f"first difference, on tree {self.number}{called}: {self.tree}",
                f"expected: {show(self.reference.value)} from {_listed(self.expected_leaves)}",
                f"found: {self.found_value or 'no value'} from {_listed(self.found_leaves)}",
                self.explanation,
            )
        )


@dataclass(frozen=True)
class FunctionGrade:
    """How one function did."""

    name: str
    right_trees: int
    trees: int
    #: Where equality cuts, as after `--cut`; None if the function makes no cuts.
    cut: str | None
    difference: Difference | None
    #: The convention that a right function follows, in words.
    recognized: str = ""

    @property
    def right(self) -> bool:
        """Whether it was right on every tree."""
        return self.difference is None

    def to_json(self) -> dict[str, Any]:
        """The grade as JSON types."""
        return {
            "function": self.name,
            "right": self.right,
            "right_trees": self.right_trees,
            "trees": self.trees,
            "cut": self.cut,
            "recognized": self.recognized or None,
            "difference": self.difference.to_json() if self.difference else None,
        }


@dataclass(frozen=True)
class Grade:
    """How a student's file did."""

    file: str
    trees: int
    seed: int
    functions: Sequence[FunctionGrade]
    #: What kept the program from the teacher's files and the network.
    isolation: Isolation
    #: Anything else to report, such as that the file prints.
    notes: Sequence[str] = ()

    @property
    def right(self) -> bool:
        """Whether every function was right on every tree."""
        return all(function.right for function in self.functions)

    @cached_property
    def difference(self) -> Difference | None:
        """The first difference of the first function that has one."""
        return next((one.difference for one in self.functions if one.difference), None)

    def to_json(self) -> dict[str, Any]:
        """The grade as JSON types."""
        return {
            "file": self.file,
            "right": self.right,
            "trees": self.trees,
            "seed": self.seed,
            "functions": [function.to_json() for function in self.functions],
            "difference": self.difference.to_json() if self.difference else None,
            "notes": list(self.notes),
            "isolation": self.isolation.to_json(),
        }

    def __str__(self) -> str:
        lines = []
        for one in self.functions:
            known = f" (recognized: {one.recognized})" if one.recognized else ""
            lines.append(f"{one.name}: right on {one.right_trees} of {one.trees} trees{known}")
            if one.difference:
                lines.append(str(one.difference))
        return "\n".join([*lines, *self.notes])


def grade(
    file: str | Path,
    trees: int = TREES,
    seed: int = 1,
    function: str | None = None,
    seconds: float = SECONDS,
    memory: int = MEMORY,
) -> Grade:
    """Run a student's functions, or just one, on random trees, small ones first."""
    if function is not None and function not in FUNCTIONS:
        raise ThreefoldError(f"{function!r} is not graded: {did_you_mean(function, FUNCTIONS)}")
    if not 1 <= trees <= _MAX_TREES:
        raise ThreefoldError(f"{trees} trees: give a number from 1 to {_MAX_TREES:,}")
    if not 0 < seconds <= _MAX_SECONDS:
        raise ThreefoldError(f"{seconds:g} seconds: give more than 0 and at most {_MAX_SECONDS}")
    path = Path(file)
    if not os.path.isfile(path):  # unlike Path.is_file, does not raise for an overlong name
        raise ThreefoldError(f"there is no file {shorten(str(path))}")
    texts = random_trees(trees, seed)
    grades: list[FunctionGrade] = []
    notes: dict[str, None] = {}
    isolation = Isolation("nothing")
    for name in (function,) if function else FUNCTIONS:
        asked = probes(tuple(texts)) if name == "alphabeta" else ()
        run = run_student(path, name, texts, seconds, memory, asked)
        if not grades or run.isolation.warning:  # keep the weaker one, if they ever differ
            isolation = run.isolation
        if run.refused:
            raise ThreefoldError(f"{path.name}: {run.refused}")
        if run.absent:
            continue
        grades.append(_compare(name, texts, run, asked))
        if run.printed:
            notes[f"{name} prints {shorten(run.printed)}; printed output is ignored."] = None
        if run.imported:
            files = listing([shorten(file) for file in run.imported])
            notes[f"{shorten(path.name)} imports files from its folder: {files}."] = None
        if run.load_failed:  # it would fail for the other function too
            break
    if not grades:
        wanted = f"def {function}(node)" if function else "def minimax(node) or def alphabeta(node)"
        raise ThreefoldError(f"{path.name} defines no function to grade; it should have {wanted}")
    return Grade(str(file), trees, seed, grades, isolation, list(notes))


def random_trees(count: int, seed: int) -> list[str]:
    """Trees of one to four plies and any shape, with MAX or MIN at the root; small ones first.

    Every second tree has a narrow range of values, so that ties occur, and every tenth a wide one.
    A quarter at most are the same for every seed.
    """
    random = Random(f"threefold grade {seed}")

    def below(plies: int, most: int, least: int = 1) -> str:
        if plies == 0 or (least == 1 and random.random() < 0.15):
            return str(random.randint(-most, most))
        family = (below(plies - 1, most) for _ in range(random.randint(least, 3)))
        return f"({' '.join(family)})"

    roots = [parse_tree(text) for text in _FIXED[: count // 4]]
    for number in range(count - len(roots)):
        first = "min " if random.random() < 0.3 else ""
        most = _FAR if number % 10 == 9 else 9 if number % 2 else 3
        text = below(1 + 4 * number // count, most, least=2)
        roots.append(parse_tree(first + text))
    roots.sort(key=lambda root: sum(1 for _ in walk(root)))
    return [("" if root.player == MAX else "min ") + named(root) for root in roots]


def _compare(
    name: str, texts: Sequence[str], run: StudentRun, asked: Sequence[Probe]
) -> FunctionGrade:
    """The convention that a function follows, or the first tree where it follows none."""
    # What is not a number equals no value of a tree.
    answers = [run.answers.get(number, Answer()) for number in range(len(texts))]
    runs = [(INFINITY if one.value is None else one.value, [*one.leaves]) for one in answers]
    if name == "alphabeta":
        if fit := fitting(texts, runs, asked, [one.value for one in run.probed]):
            cut = str(fit[0].cut)
            return FunctionGrade(name, len(texts), len(texts), cut, None, recognized(fit))
        if fit := fitting(texts, runs, (), ()):
            return _outside(name, texts, [*zip(asked, run.probed, strict=False)], fit)
    best = max((_against(name, texts, one, run) for one in _REFERENCES[name]), key=_agreement)
    if best.difference and best.difference.kind == "cuts" and only_equality_differs(texts, runs):
        why = f"{best.difference.explanation} {_MIXED}"
        best = replace(best, difference=replace(best.difference, explanation=why))
    return best


def _against(
    name: str, texts: Sequence[str], reference: _Reference, run: StudentRun
) -> FunctionGrade:
    """How a function does beside one reference."""
    found = [_difference(name, number, text, reference, run) for number, text in enumerate(texts)]
    first = next((one for one in found if one is not None), None)
    order = "" if first else reference.order
    return FunctionGrade(name, found.count(None), len(texts), reference.cut, first, order)


def _outside(
    name: str,
    texts: Sequence[str],
    probed: Sequence[tuple[Probe, Answer]],
    fit: Sequence[Convention],
) -> FunctionGrade:
    """How a function does that is right on every tree, but wrong when it is called with a window.

    `fit` are the conventions that it follows on the trees.
    """

    asked = [probe for probe, _ in probed]
    returned = {one: one.outside(asked) for one in fit}
    wrong = {
        one: [at for at, (_, answer) in enumerate(probed) if answer.value != values[at]]
        for one, values in returned.items()
    }
    whole = [one for one in fit if one.at_max == one.at_min in (SOFT, HARD)] or fit
    nearest = min(whole, key=lambda one: len(wrong[one]))
    # Best to show what is no bound at all, then what no convention returns.
    never = [at for at in wrong[nearest] if all(at in missed for missed in wrong.values())]
    invalid = [at for at in never if not probed[at][0].allows(probed[at][1].value)]
    at = (invalid or never or wrong[nearest])[0]
    probe, answer = probed[at]
    window = {"alpha": probe.alpha, "beta": probe.beta}
    procedure = "alphabeta-hard" if nearest.at_max == HARD else "alphabeta"
    beside = _Reference(procedure, str(nearest.cut))
    reference = beside.explained(probe.tree, **window)
    root, shown = reference.events[0].node, answer.shown
    call = f"{name}({root}, {show(probe.alpha)}, {show(probe.beta)})"
    kind = "failure" if answer.error else "value"
    if answer.error:
        why = f"{call}: {answer.error}"
    elif not answer.is_number:
        why = f"{call} returned {shown}, of type {answer.type_name}; it should return a number."
    elif never:
        where = "above" if probe.value > probe.beta else "below"
        rights = {show(returned[one][at]): f" ({one.returns})" for one in reversed(whole)}
        right = " or ".join(
            f"{value}{how if len(rights) > 1 else ''}" for value, how in rights.items()
        )
        why = f"{call} returned {shown}, but {root} is worth {show(probe.value)}, {where} "
        why += f"this window: right is {right}."
    else:
        why = f"{call} returned {shown}, but for other windows {name} is {nearest.returns}, which "
        why += f"returns {show(reference.value)} here. Choose one rule for MAX and one for MIN."
    right_trees = len(texts) - len({asked[one].tree for one in wrong[nearest]})
    first = Difference(
        name,
        texts.index(probe.tree) + 1,
        probe.tree,
        kind,
        reference,
        shown,
        answer.leaves,
        why,
        beside.leaves(reference),
        (probe.alpha, probe.beta),
    )
    return FunctionGrade(name, right_trees, len(texts), beside.cut, first)


def _agreement(one: FunctionGrade) -> int:
    return one.difference.number if one.difference else one.trees + 1


def _difference(
    name: str, index: int, text: str, beside: _Reference, run: StudentRun
) -> Difference | None:
    answer = run.answers.get(index) or Answer(error=f"{name} was not run on this tree.")
    reference = beside.explained(text)
    expected, found = beside.leaves(reference), answer.leaves
    shown = answer.shown
    reasons = Reasons(reference.events)
    kind, why = "", ""
    if answer.error:
        kind, why = "failure", answer.error
    elif not answer.is_number:
        kind = "value"
        why = f"{name} returned {shown}, of type {answer.type_name}; it should return a number."
    elif answer.value != reference.value:
        kind = "value"
        root = reference.events[0].node
        why = f"{name} returned {shown}, but {root} is worth {show(reference.value)}: "
        why += f"{reasons.why_value(root)}. {_cuts(text, reasons, expected, found)}"
    elif set(found) != set(expected):
        kind, why = "cuts", _cuts(text, reasons, expected, found)
    elif found != expected:
        wanted, leaf = next(pair for pair in zip(expected, found, strict=True) if len({*pair}) == 2)
        kind = "order"
        why = f"{leaf} is looked at before {wanted}; children come from left to right."
    else:
        return None
    return Difference(name, index + 1, text, kind, reference, shown, found, why.strip(), expected)


def _cuts(text: str, reasons: Reasons, expected: Sequence[str], found: Sequence[str]) -> str:
    """Why the first extra leaf is not needed, or why the first missing one is."""
    parent = {child.name: node.name for node in walk(parse_tree(text)) for child in node.children}
    for leaf in found:
        if leaf not in expected:
            above = leaf
            while above not in reasons.parent:
                above = parent[above]
            what = "it" if above == leaf else f"{above} above it"
            return f"{leaf} is looked at, but {what} is cut: {reasons.why_cut(above)}."
    for leaf in expected:
        if leaf not in found:
            above = leaf
            # A first child is visited whenever its parent is, so explain the parent's visit.
            while above in parent and reasons.returned[parent[above]][0][0] == above:
                above = parent[above]
            below = "" if above == leaf else f", below {above},"
            return f"{leaf}{below} is not looked at, but {reasons.why_entered(above)}."
    return ""


def _listed(leaves: Sequence[str]) -> str:
    return f"leaves {' '.join(leaves)}" if leaves else "no leaves"
