"""Exercises: a tree to work by hand, a sheet to fill in, and the marks for it.

A sheet is plain text, a line for each answer:

    tree: A(B(D:3 E:5) C(F:-5 G:2))
    procedure: alphabeta
    seed: 7
    value: 3
    move: B
    values: B=3 C=-5
    cut: G

`values` are those that inner nodes give back to their parents, `cut` the nodes never entered whose
parent was. A cut that is missed and one too many are both wrong. All that the marks explain is
read from the events of the procedure's own run.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from random import Random
from typing import Any

from threefold.errors import ThreefoldError
from threefold.rules.contract import CHANCE
from threefold.rules.svg import Svg
from threefold.rules.text import did_you_mean, shorten
from threefold.textbook.answers import Answers, BadAnswer
from threefold.textbook.explain import Explanation, explain
from threefold.textbook.ordering import shape
from threefold.textbook.picture import draw
from threefold.textbook.reasons import Reasons, named
from threefold.textbook.replay import MAX_DRAWN, show
from threefold.textbook.trace import plain
from threefold.textbook.tree import Node, Number, format_number, parse_tree, walk

#: What can be set: the exact procedures for two players that come to a node once at most, so that
#: the value it gives back is one value; each with whether it cuts.
CUTS = dict.fromkeys(("minimax", "minimax-bottom-up", "minmax"), False)
CUTS |= dict.fromkeys(("alphabeta", "alphabeta-hard", "negamax"), True)
#: How many trees are drawn in search of a good one, and the cuts that make one good.
_DRAWS = 300
_SEVERAL = 3

#: The lines of a sheet.
KEYS = ("tree", "procedure", "seed", "value", "move", "values", "cut")
_LINE = re.compile(rf"\s*({'|'.join(sorted(KEYS, key=len, reverse=True))})\s*:(.*)", re.IGNORECASE)


@dataclass(frozen=True)
class Exercise:
    """A tree and the procedure to work on it by hand."""

    tree: str
    procedure: str = "alphabeta"
    #: Where the tree came from; None for a tree of the teacher's own.
    seed: int | None = None

    def __post_init__(self) -> None:
        if self.procedure not in CUTS:
            hint = did_you_mean(self.procedure, CUTS)
            raise ThreefoldError(f"there is no exercise on {self.procedure!r}: {hint}")
        for node in walk(self.root):
            if node.player == CHANCE or isinstance(node.value, tuple):
                what = "two players and plain numbers at its leaves"
                raise ThreefoldError(f"node {node.name}: an exercise has {what}")

    @cached_property
    def root(self) -> Node:
        """The tree itself."""
        return parse_tree(self.tree)

    @cached_property
    def answer(self) -> Explanation:
        """The procedure's own run."""
        return explain(self.procedure, self.root, tree=self.tree)

    @cached_property
    def reasons(self) -> Reasons:
        """Why the answer is what it is."""
        return Reasons(self.answer.events)

    @cached_property
    def cut(self) -> dict[str, int]:
        """The nodes that the procedure cuts off, each with its place among them."""
        return {node: place for place, node in enumerate(self.answer.pruned)}

    @cached_property
    def parent(self) -> dict[str, str]:
        """The node above each node but the root."""
        return {child.name: node.name for node in walk(self.root) for child in node.children}

    @property
    def move(self) -> str | None:
        """The child of the root that is chosen; None where the root is a leaf."""
        return self.answer.path[0] if self.answer.path else None

    @cached_property
    def values(self) -> dict[str, Number]:
        """What the inner nodes below the root give back, in tree order."""
        values = self.reasons.values
        inner = (node.name for node in walk(self.root) if node.children)
        return {name: values[name] for name in inner if name in values and name != self.root.name}

    def sheet(self) -> str:
        """The answer file to fill in."""
        return self._file(dict.fromkeys(questions(self), ""))

    def solution(self) -> str:
        """The answer file filled in."""
        return self._file(self.answers())

    def answers(self) -> dict[str, str]:
        """The right answers by their keys, as a sheet has them."""
        values = " ".join(f"{name}={format_number(v)}" for name, v in self.values.items())
        return {
            "value": format_number(self.answer.value),
            "move": self.move or "none",
            "values": values,
            "cut": " ".join(self.cut) or "none",
        }

    def picture(self, solved: bool = False) -> Svg:
        """The tree as it is set, or with everything that the procedure finds."""
        return draw(self.answer.events, None if solved else 0)

    def to_json(self) -> dict[str, Any]:
        """The exercise as JSON's own types, without its solution."""
        return {
            "seed": self.seed,
            "procedure": self.procedure,
            "tree": self.tree,
            "sheet": self.sheet(),
        }

    def _file(self, answers: Mapping[str, str]) -> str:
        lines = [
            "# Write your answers behind the colons. What stands behind a # is not read.",
            f"tree: {self.tree}",
            f"procedure: {self.procedure}",
            f"seed: {'' if self.seed is None else self.seed}".rstrip(),
        ]
        for key, question in questions(self).items():
            lines += ["", f"# {question}", f"{key}: {answers[key]}".rstrip()]
        return "\n".join(lines) + "\n"


def questions(exercise: Exercise) -> dict[str, str]:
    """What is asked, by the keys of a sheet."""
    root = exercise.root.name
    asked = {
        "value": f"The value of the root {root}, for MAX.",
        "move": f"The child of {root} that is chosen; of equals the first.",
        "values": "What each inner node that is visited gives back to its parent, as B=3 C=-2.",
    }
    if exercise.procedure == "alphabeta-hard":
        asked["values"] += " A value outside a node's window comes back as the bound."
    elif CUTS[exercise.procedure]:
        asked["values"] += " After a cut: the best found so far."
    if CUTS[exercise.procedure]:
        asked["cut"] = "The nodes never entered though their parent is, as G H; or none."
    return asked


def new(
    seed: int,
    branching: int = 3,
    depth: int = 3,
    procedure: str = "alphabeta",
    low: int = -9,
    high: int = 9,
) -> Exercise:
    """A random uniform tree that is worth the work, the same for the same arguments.

    Trees are drawn until the best move is the only one of its value and, where the procedure cuts,
    several branches are cut and none by equality: there the lectures differ.
    """
    size = f"branching {branching}, depth {depth}"
    if branching < 1 or depth < 1:
        raise ThreefoldError(f"{size}: an exercise has at least 1 of each")
    if low > high:
        raise ThreefoldError(f"there is no number from {low} to {high}; low is at most high")
    # The first test keeps the sum short.
    if depth > MAX_DRAWN or sum(branching**ply for ply in range(depth + 1)) > MAX_DRAWN:
        raise ThreefoldError(f"{size}: an exercise has at most {MAX_DRAWN} nodes")
    random = Random(f"threefold exercise {seed}")
    best, most = None, 0
    for _ in range(_DRAWS):
        leaves = (str(random.randint(low, high)) for _ in range(branching**depth))
        tree = named(parse_tree(_uniform(leaves, branching, depth)))
        exercise = Exercise(tree, procedure, seed)
        worth = _worth(exercise)
        if worth > most:
            best, most = exercise, worth
        if worth >= _SEVERAL or (worth and not CUTS[procedure]):
            break
    if best is None:
        what = "with a cut and one best move" if CUTS[procedure] else "with one best move"
        raise ThreefoldError(f"{size}, values {low} to {high}: no tree {what}; take more of each")
    return best


def was_set(exercise: Exercise, seed: int) -> bool:
    """Whether an exercise is the one of a seed, and not an easier one put in its place."""
    uniform = shape(exercise.root)
    return uniform is not None and new(seed, *uniform, exercise.procedure).tree == exercise.tree


def _uniform(leaves: Iterator[str], branching: int, depth: int) -> str:
    if depth == 0:
        return next(leaves)
    return f"({' '.join(_uniform(leaves, branching, depth - 1) for _ in range(branching))})"


def _worth(exercise: Exercise) -> int:
    """How many cuts there are to find; 0 for a tree that should not be set."""
    whole = Reasons(explain("minimax", exercise.root).events)
    values = [value for _, value in whole.brought[exercise.root.name]]
    if values.count(whole.values[exercise.root.name]) != 1:
        return 0
    if not CUTS[exercise.procedure]:
        return 1
    cutoffs = (event for event in exercise.answer.events if event.kind == "cutoff")
    if any(event["value"] == event["bound"] for event in cutoffs):
        return 0
    return len({exercise.parent[node] for node in exercise.cut})


@dataclass(frozen=True)
class Mark:
    """One answer beside the right one."""

    answer: Any
    expected: Any

    @property
    def mark(self) -> str:
        """`right`, `wrong` or `missing`."""
        if self.answer == self.expected:
            return "right"
        return "missing" if self.answer is None else "wrong"

    def to_json(self) -> dict[str, Any]:
        """The mark as JSON's own types."""
        answer, expected = plain(self.answer), plain(self.expected)
        return {"mark": self.mark, "answer": answer, "expected": expected}


@dataclass(frozen=True)
class Marks:
    """What is right in a sheet, what is wrong or missing, and why the first error is one."""

    exercise: Exercise
    value: Mark
    move: Mark
    #: By node: the inner nodes that are visited, and whatever else was given a value.
    values: Mapping[str, Mark]
    #: The branches cut; None where the line was left empty.
    cut: frozenset[str] | None
    #: Of the errors the one that comes first in the run; empty if there is none.
    first_error: str = ""

    @property
    def missed(self) -> list[str]:
        """The cuts that the answer does not have."""
        return [node for node in self.exercise.cut if node not in (self.cut or ())]

    @property
    def extra(self) -> list[str]:
        """The cuts that the answer has and the procedure has not, in tree order."""
        extra = (self.cut or frozenset()) - self.exercise.cut.keys()
        return [node.name for node in walk(self.exercise.root) if node.name in extra]

    @property
    def cut_mark(self) -> str:
        """`right`, `wrong` or `missing`."""
        if self.cut is None:
            return "missing" if CUTS[self.exercise.procedure] else "right"
        return "wrong" if self.missed or self.extra else "right"

    @property
    def right(self) -> bool:
        """Whether everything is right and nothing missing."""
        marks = [self.value, self.move, *self.values.values()]
        return all(mark.mark == "right" for mark in marks) and self.cut_mark == "right"

    @property
    def of(self) -> int:
        """The most points: one for the value, the move, each inner node and each cut."""
        return 2 + len(self.exercise.values) + len(self.exercise.cut)

    @property
    def points(self) -> int:
        """The points reached. A cut too many takes one off the cuts, a value that a node cannot
        have one off the values; neither falls below 0."""
        asked = self.exercise.values
        right = sum(self.values[node].mark == "right" for node in asked)
        wrong = sum(m.mark == "wrong" for node, m in self.values.items() if node not in asked)
        found = len(self.exercise.cut) - len(self.missed)
        ends = sum(mark.mark == "right" for mark in (self.value, self.move))
        return ends + max(right - wrong, 0) + max(found - len(self.extra), 0)

    def to_json(self) -> dict[str, Any]:
        """The marks as JSON's own types."""
        return {
            "right": self.right,
            "points": self.points,
            "of": self.of,
            "seed": self.exercise.seed,
            "procedure": self.exercise.procedure,
            "tree": self.exercise.tree,
            "value": self.value.to_json(),
            "move": self.move.to_json(),
            "values": {node: mark.to_json() for node, mark in self.values.items()},
            "cut": {
                "mark": self.cut_mark,
                "answer": None if self.cut is None else sorted(self.cut),
                "expected": list(self.exercise.cut),
                "missed": self.missed,
                "extra": self.extra,
            },
            "first_error": self.first_error or None,
        }


def check(text: str) -> Marks:
    """Mark a sheet that was filled in."""
    lines = _lines(text)
    for key in ("tree", "procedure"):
        if not lines[key][1]:
            raise ThreefoldError(f"there is no line '{key}: …'; take the sheet as it was set")
    seed = _seed(*lines["seed"])
    procedure = lines["procedure"][1]
    try:
        exercise = Exercise(lines["tree"][1], procedure, seed)
        _ = exercise.answer  # the run itself may find a leaf without a value
    except ThreefoldError as error:
        at = lines["tree" if procedure in CUTS else "procedure"][0]
        raise ThreefoldError(f"line {at}: {error}") from None
    try:
        return mark(exercise, {key: lines[key][1] for key in ("value", "move", "values", "cut")})
    except BadAnswer as error:
        raise ThreefoldError(f"line {lines[error.field][0]}: {error}") from None


def mark(exercise: Exercise, answers: Mapping[str, str]) -> Marks:
    """Mark answers by their keys; one that cannot be read raises `BadAnswer`."""
    read = Answers([node.name for node in walk(exercise.root)])
    given = read.values(answers.get("values", ""))
    reached = exercise.reasons.values
    asked = [*exercise.values, *(node for node in given if node not in exercise.values)]
    marks = Marks(
        exercise,
        value=Mark(read.value(answers.get("value", "")), exercise.answer.value),
        # Where the root is a leaf there is no move, and `none` says so.
        move=Mark(read.move(answers.get("move", "")), exercise.move or "none"),
        values={node: Mark(given.get(node), reached.get(node)) for node in asked},
        cut=read.cut(answers.get("cut", "")),
    )
    first = min(_errors(marks), key=lambda error: error[:2], default=None)
    return replace(marks, first_error=first[2]() if first else "")


def _errors(marks: Marks) -> Iterator[tuple[bool, int, Callable[[], str]]]:
    """Each error: whether it is only an omission, when it happens in the run, and why it is one.

    Why is told of the first alone, and takes a while to find out.
    """
    exercise, reasons = marks.exercise, marks.exercise.reasons
    root = exercise.root.name
    for node, mark in [*marks.values.items(), (root, marks.value)]:
        gap = mark.answer is None
        if mark.mark == "right":
            continue
        if node in reasons.values:
            yield gap, reasons.left[node], partial(_wrong_value, exercise, node, mark)
        else:
            when = reasons.when_cut(_cut_above(exercise, node))
            yield gap, when, partial(_value_of_nothing, exercise, node, mark)
    if marks.move.mark != "right":
        said = partial(_wrong_move, exercise, marks.move.answer)
        yield marks.move.answer is None, reasons.left[root] + 1, said
    for node in marks.missed:
        yield marks.cut is None, reasons.when_cut(node), partial(_missed_cut, exercise, node)
    if marks.cut_mark == "missing" and not marks.missed:
        empty = "The line cut: is empty; nothing is cut here, and that is written cut: none."
        yield True, reasons.left[root], lambda: empty
    for node in marks.extra:
        entered = node in reasons.values
        when = reasons.entered[node] if entered else reasons.when_cut(_cut_above(exercise, node))
        yield False, when, partial(_extra_cut, exercise, node)


def _wrong_value(exercise: Exercise, node: str, mark: Mark) -> str:
    instead = "" if mark.answer is None else f", not {show(mark.answer)}"
    return f"{node} is {show(mark.expected)}{instead}: {exercise.reasons.why_value(node)}."


def _value_of_nothing(exercise: Exercise, node: str, mark: Mark) -> str:
    where = _cut_above(exercise, node)
    under = "" if where == node else f"{node} is below {where}. "
    why = f"{node} is given {show(mark.answer)}, but it is never looked at. {under}"
    return why + _missed_cut(exercise, where)


def _missed_cut(exercise: Exercise, node: str) -> str:
    return f"{node} is cut: {exercise.reasons.why_cut(node)}."


def _extra_cut(exercise: Exercise, node: str) -> str:
    if node in exercise.reasons.values:
        return f"{node} is not cut: {exercise.reasons.why_entered(node)}."
    where = _cut_above(exercise, node)
    return f"{node} is below {where}, and {where} is where the branch is cut: name only it."


def _wrong_move(exercise: Exercise, answer: str | None) -> str:
    root, move, brought = exercise.root.name, exercise.move, exercise.reasons.brought
    if move is None:
        return f"There is no move: the root {root} is a leaf."
    instead = f", not {answer}" if answer not in {None, "none"} else ""
    said = f"The move at {root} is {move}{instead}: {exercise.reasons.why_value(root)}"
    if answer in dict(brought[root]) and dict(brought[root])[answer] == exercise.answer.value:
        said += ", and of equals the first is chosen"
    elif answer not in {None, "none", *(name for name, _ in brought[root])}:
        said += f"; {answer} is no child of {root}"
    return said + "."


def _cut_above(exercise: Exercise, node: str) -> str:
    """The node at which the branch that holds this one was cut."""
    while node not in exercise.cut:
        node = exercise.parent[node]
    return node


def _lines(text: str) -> dict[str, tuple[int, str]]:
    """What stands behind each key, with the number of its line; indented lines go on."""
    lines = dict.fromkeys(KEYS, 0)
    parts: dict[str, list[str]] = {key: [] for key in KEYS}
    last = ""
    for number, raw in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        line = raw.partition("#")[0].rstrip()
        if not line:
            continue
        match = _LINE.fullmatch(line)
        if match:
            last = match[1].lower()
            if lines[last]:
                raise ThreefoldError(f"line {number}: '{last}:' is in line {lines[last]} too")
            lines[last] = number
            parts[last].append(match[2].strip())
        elif last and line[0].isspace():
            parts[last].append(line.strip())
        else:
            keys = ", ".join(f"{key}:" for key in KEYS)
            raise ThreefoldError(
                f"line {number}: {shorten(line)} does not begin with one of {keys}"
            )
    return {key: (lines[key], " ".join(parts[key]).strip()) for key in KEYS}


def _seed(line: int, text: str) -> int | None:
    if text and not re.fullmatch(r"[+-]?\d{1,4000}", text):
        raise ThreefoldError(f"line {line}: {shorten(text)} is no seed; a whole number is one")
    return int(text) if text else None
