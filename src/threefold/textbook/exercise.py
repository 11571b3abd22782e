"""Exercises: a tree to work by hand, an answer sheet to fill in, and its grading.

A sheet is plain text with one line per answer:

    tree: A(B(D:3 E:5) C(F:-5 G:2))
    procedure: alphabeta
    seed: 7
    value: 3
    move: B
    values: B=3 C=-5
    cut: G

`values` are what inner nodes return to their parents. `cut` lists the nodes skipped below a visited
parent. A missed cut and an extra cut are both wrong. Every explanation in the marks is read from
the events of the procedure's run. A line `equality: max=equal,min=strict` says where equality
cuts. Without it every choice is accepted, if it is the same everywhere.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from random import Random
from typing import Any

from threefold.errors import ThreefoldError
from threefold.rules.contract import CHANCE
from threefold.rules.svg import Svg
from threefold.rules.text import did_you_mean
from threefold.textbook.answers import Answers, BadAnswer, read_seed, sheet_lines
from threefold.textbook.cut import CUTS as EQUALITIES
from threefold.textbook.cut import EQUAL, BadCut, parse_cut
from threefold.textbook.explain import Explanation, explain
from threefold.textbook.ordering import shape, uniform_text
from threefold.textbook.picture import draw
from threefold.textbook.reasons import Reasons, named
from threefold.textbook.replay import show
from threefold.textbook.trace import plain
from threefold.textbook.tree import Node, Number, format_number, parse_tree, walk
from threefold.textbook.treeshape import MAX_DRAWN

#: The procedures an exercise can use, each with whether it cuts: exact two-player procedures that
#: visit a node at most once, so that a node returns a single value.
CUTS = dict.fromkeys(("minimax", "minimax-bottom-up", "minmax"), False)
CUTS |= dict.fromkeys(("alphabeta", "alphabeta-hard", "negamax"), True)
#: How many random trees to try, and how many cut branches are enough to stop.
_TRIES = 300
_ENOUGH_CUTS = 3

#: The lines of a sheet.
KEYS = ("tree", "procedure", "seed", "equality", "value", "move", "values", "cut")


@dataclass(frozen=True)
class Exercise:
    """A tree and the procedure to work on it by hand."""

    tree: str
    procedure: str = "alphabeta"
    #: The seed that generated the tree; None if a teacher wrote it.
    seed: int | None = None
    #: Where a value equal to the bound cuts, as after `--cut`.
    equality: str = "equal"

    def __post_init__(self) -> None:
        if self.procedure not in CUTS:
            hint = did_you_mean(self.procedure, CUTS)
            raise ThreefoldError(f"there is no exercise on {self.procedure!r}: {hint}")
        if parse_cut(self.equality) != EQUAL and not CUTS[self.procedure]:
            raise BadCut(f"equality {self.equality!r}: {self.procedure} makes no cuts")
        for node in walk(self.root):
            if node.player == CHANCE or isinstance(node.value, tuple):
                what = "two players and plain numbers at its leaves"
                raise ThreefoldError(f"node {node.name}: an exercise has {what}")

    @cached_property
    def root(self) -> Node:
        """The parsed tree."""
        return parse_tree(self.tree)

    @cached_property
    def answer(self) -> Explanation:
        """The procedure's run on the tree."""
        cut: dict[str, Any] = {"cut": self.equality} if CUTS[self.procedure] else {}
        return explain(self.procedure, self.root, tree=self.tree, **cut)

    @cached_property
    def reasons(self) -> Reasons:
        """Why the answer is what it is."""
        return Reasons(self.answer.events)

    @cached_property
    def cut(self) -> dict[str, int]:
        """The nodes that the procedure prunes, each with its index among them."""
        return {node: index for index, node in enumerate(self.answer.pruned)}

    @cached_property
    def parent(self) -> dict[str, str]:
        """The parent of each node except the root."""
        return {child.name: node.name for node in walk(self.root) for child in node.children}

    @property
    def given(self) -> str:
        """What a printed exercise says besides its picture."""
        return self.tree

    @property
    def asked(self) -> dict[str, str]:
        """The questions, by the keys of a sheet."""
        return questions(self)

    def why(self) -> list[str]:
        """Why branches are cut."""
        return [f"{node} is cut: {self.reasons.why_cut(node)}." for node in self.answer.pruned]

    @property
    def move(self) -> str | None:
        """The chosen child of the root; None if the root is a leaf."""
        return self.answer.path[0] if self.answer.path else None

    @cached_property
    def values(self) -> dict[str, Number]:
        """What the inner nodes below the root return, in tree order."""
        values = self.reasons.values
        inner = (node.name for node in walk(self.root) if node.children)
        return {name: values[name] for name in inner if name in values and name != self.root.name}

    @cached_property
    def choices(self) -> "list[Exercise]":
        """This exercise, then with every other choice where equality cuts, if that matters."""
        others = EQUALITIES if CUTS[self.procedure] else ()
        choices = {parse_cut(self.equality): self}
        for cut in others:
            choices.setdefault(cut, replace(self, equality=str(cut)))
        mine = self.answers()
        return [one for one in choices.values() if one is self or one.answers() != mine]

    def sheet(self) -> str:
        """The answer file to fill in."""
        return self._file(dict.fromkeys(questions(self), ""))

    def solution(self) -> str:
        """The answer file filled in."""
        return self._file(self.answers())

    def answers(self) -> dict[str, str]:
        """The right answers by key, as written on a sheet."""
        values = " ".join(f"{name}={format_number(v)}" for name, v in self.values.items())
        return {
            "value": format_number(self.answer.value),
            "move": self.move or "none",
            "values": values,
            "cut": " ".join(self.cut) or "none",
        }

    def picture(self, solved: bool = False) -> Svg:
        """The tree as given, or with everything that the procedure finds."""
        return draw(self.answer.events, None if solved else 0)

    def to_json(self) -> dict[str, Any]:
        """The exercise as JSON types, without its solution."""
        return {
            "seed": self.seed,
            "procedure": self.procedure,
            "tree": self.tree,
            "sheet": self.sheet(),
        }

    def _file(self, answers: Mapping[str, str]) -> str:
        lines = [
            "# Write your answers after the colons. Anything after a # is ignored.",
            f"tree: {self.tree}",
            f"procedure: {self.procedure}",
            f"seed: {'' if self.seed is None else self.seed}".rstrip(),
        ]
        if parse_cut(self.equality) != EQUAL:
            lines.append(f"equality: {self.equality}")
        for key, question in questions(self).items():
            lines += ["", f"# {question}", f"{key}: {answers[key]}".rstrip()]
        return "\n".join(lines) + "\n"


def questions(exercise: Exercise) -> dict[str, str]:
    """The questions, by the keys of a sheet."""
    root = exercise.root.name
    asked = {
        "value": f"The value of the root {root}, for MAX.",
        "move": f"The child of {root} that is chosen; ties go to the first child.",
        "values": "What each visited inner node returns to its parent, such as B=3 C=-2.",
    }
    if exercise.procedure == "alphabeta-hard":
        asked["values"] += " If the value is outside a node's window, the node returns the bound."
    elif CUTS[exercise.procedure]:
        asked["values"] += " After a cut: the best found so far."
    if CUTS[exercise.procedure]:
        asked["cut"] = "The nodes skipped below a visited parent, such as G H; or none."
    return asked


def new(
    seed: int,
    branching: int = 3,
    depth: int = 3,
    procedure: str = "alphabeta",
    low: int = -9,
    high: int = 9,
) -> Exercise:
    """A random uniform tree that makes a good exercise, the same for the same arguments.

    Trees are tried until the best move is the only one with its value and, if the procedure cuts,
    several branches are cut. None may be cut by equality, because lectures differ on that.
    """
    size = f"branching {branching}, depth {depth}"
    if branching < 1 or depth < 1:
        raise ThreefoldError(f"{size}: both must be at least 1")
    if low > high:
        raise ThreefoldError(f"low {low} is greater than high {high}; swap them")
    # The first test keeps the sum from getting long.
    if depth > MAX_DRAWN or sum(branching**ply for ply in range(depth + 1)) > MAX_DRAWN:
        raise ThreefoldError(f"{size}: an exercise has at most {MAX_DRAWN} nodes")
    random = Random(f"threefold exercise {seed}")
    best, most = None, 0
    for _ in range(_TRIES):
        leaves = (random.randint(low, high) for _ in range(branching**depth))
        tree = named(parse_tree(uniform_text(branching, depth, leaves)))
        exercise = Exercise(tree, procedure, seed)
        worth = _worth(exercise)
        if worth > most:
            best, most = exercise, worth
        if worth >= _ENOUGH_CUTS or (worth and not CUTS[procedure]):
            break
    if best is None:
        what = "with a cut and one best move" if CUTS[procedure] else "with one best move"
        raise ThreefoldError(
            f"{size}, values {low} to {high}: no tree {what} was found; increase them"
        )
    return best


def was_set(exercise: Exercise, seed: int) -> bool:
    """Whether an exercise is the one that a seed generates, not an easier substitute."""
    uniform = shape(exercise.root)
    return uniform is not None and new(seed, *uniform, exercise.procedure).tree == exercise.tree


def _worth(exercise: Exercise) -> int:
    """How many branches there are to cut; 0 for a tree that makes a poor exercise."""
    whole = Reasons(explain("minimax", exercise.root).events)
    values = [value for _, value in whole.returned[exercise.root.name]]
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
    """An answer and the expected one."""

    answer: Any
    expected: Any

    @property
    def mark(self) -> str:
        """`right`, `wrong` or `missing`."""
        if self.answer == self.expected:
            return "right"
        return "missing" if self.answer is None else "wrong"

    def to_json(self) -> dict[str, Any]:
        """The mark as JSON types."""
        answer, expected = plain(self.answer), plain(self.expected)
        return {"mark": self.mark, "answer": answer, "expected": expected}


@dataclass(frozen=True)
class Marks:
    """What is right, wrong or missing on a sheet, and why the first error is wrong."""

    exercise: Exercise
    value: Mark
    move: Mark
    #: By node: every visited inner node, and any other node that was given a value.
    values: Mapping[str, Mark]
    #: The nodes answered as cut; None if the line was left empty.
    cut: frozenset[str] | None
    #: The error that comes first in the run; empty if there is none.
    first_error: str = ""

    @property
    def missed(self) -> list[str]:
        """The cuts that the answer misses."""
        return [node for node in self.exercise.cut if node not in (self.cut or ())]

    @property
    def extra(self) -> list[str]:
        """The cuts in the answer that the procedure does not make, in tree order."""
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
        """Whether everything is right and nothing is missing."""
        marks = [self.value, self.move, *self.values.values()]
        return all(mark.mark == "right" for mark in marks) and self.cut_mark == "right"

    @property
    def of(self) -> int:
        """The maximum points: one each for the value, the move, every inner node and every cut."""
        return 2 + len(self.exercise.values) + len(self.exercise.cut)

    @property
    def points(self) -> int:
        """The points earned.

        An extra cut takes one point off the cuts, and a wrong value for a node that was not asked
        about takes one off the values. Neither falls below 0.
        """
        asked = self.exercise.values
        right = sum(self.values[node].mark == "right" for node in asked)
        wrong = sum(m.mark == "wrong" for node, m in self.values.items() if node not in asked)
        found = len(self.exercise.cut) - len(self.missed)
        ends = sum(mark.mark == "right" for mark in (self.value, self.move))
        return ends + max(right - wrong, 0) + max(found - len(self.extra), 0)

    def to_json(self) -> dict[str, Any]:
        """The marks as JSON types."""
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
    """Mark a completed sheet."""
    lines = sheet_lines(text, KEYS)
    for key in ("tree", "procedure"):
        if not lines[key][1]:
            raise ThreefoldError(f"the line '{key}: …' is missing; start from the original sheet")
    seed = read_seed(*lines["seed"])
    procedure = lines["procedure"][1]
    try:
        exercise = Exercise(lines["tree"][1], procedure, seed, lines["equality"][1] or "equal")
        _ = exercise.answer  # the run may find a leaf without a value
    except ThreefoldError as error:
        wrong = "equality" if isinstance(error, BadCut) else "tree"
        at = lines[wrong if procedure in CUTS else "procedure"][0]
        raise ThreefoldError(f"line {at}: {error}") from None
    answers = {key: lines[key][1] for key in ("value", "move", "values", "cut")}
    choices = [exercise] if lines["equality"][1] else exercise.choices
    try:
        marks = [mark(one, answers) for one in choices]
    except BadAnswer as error:
        raise ThreefoldError(f"line {lines[error.field][0]}: {error}") from None
    return next((one for one in marks if one.right), marks[0])


def mark(exercise: Exercise, answers: Mapping[str, str]) -> Marks:
    """Mark answers by key; an answer that cannot be read raises `BadAnswer`."""
    read = Answers([node.name for node in walk(exercise.root)])
    given = read.values(answers.get("values", ""))
    reached = exercise.reasons.values
    asked = [*exercise.values, *(node for node in given if node not in exercise.values)]
    marks = Marks(
        exercise,
        value=Mark(read.value(answers.get("value", "")), exercise.answer.value),
        # If the root is a leaf, there is no move and the answer is `none`.
        move=Mark(read.move(answers.get("move", "")), exercise.move or "none"),
        values={node: Mark(given.get(node), reached.get(node)) for node in asked},
        cut=read.cut(answers.get("cut", "")),
    )
    first = min(_errors(marks), key=lambda error: error[:2], default=None)
    if not first:
        return marks
    why = first[2]()
    if len(exercise.choices) > 1:
        why += f" Marked by this rule: {parse_cut(exercise.equality).where}."
    return replace(marks, first_error=why)


def _errors(marks: Marks) -> Iterator[tuple[bool, int, Callable[[], str]]]:
    """Each error: whether it is only an omission, when it happens in the run, and why it is wrong.

    The reason is a function because it takes a while to compute and only the first is reported.
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
            yield gap, when, partial(_value_of_unvisited, exercise, node, mark)
    if marks.move.mark != "right":
        said = partial(_wrong_move, exercise, marks.move.answer)
        yield marks.move.answer is None, reasons.left[root] + 1, said
    for node in marks.missed:
        yield marks.cut is None, reasons.when_cut(node), partial(_missed_cut, exercise, node)
    if marks.cut_mark == "missing" and not marks.missed:
        empty = "The line cut: is empty. Nothing is cut here, so write cut: none."
        yield True, reasons.left[root], lambda: empty
    for node in marks.extra:
        entered = node in reasons.values
        when = reasons.entered[node] if entered else reasons.when_cut(_cut_above(exercise, node))
        yield False, when, partial(_extra_cut, exercise, node)


def _wrong_value(exercise: Exercise, node: str, mark: Mark) -> str:
    instead = "" if mark.answer is None else f", not {show(mark.answer)}"
    return f"{node} is {show(mark.expected)}{instead}: {exercise.reasons.why_value(node)}."


def _value_of_unvisited(exercise: Exercise, node: str, mark: Mark) -> str:
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
    root, move, returned = exercise.root.name, exercise.move, exercise.reasons.returned
    if move is None:
        return f"There is no move: the root {root} is a leaf."
    instead = f", not {answer}" if answer not in {None, "none"} else ""
    said = f"The move at {root} is {move}{instead}: {exercise.reasons.why_value(root)}"
    if answer in dict(returned[root]) and dict(returned[root])[answer] == exercise.answer.value:
        said += ", and ties go to the first child"
    elif answer not in {None, "none", *(name for name, _ in returned[root])}:
        said += f"; {answer} is not a child of {root}"
    return said + "."


def _cut_above(exercise: Exercise, node: str) -> str:
    """The node where the branch that contains this one was cut."""
    while node not in exercise.cut:
        node = exercise.parent[node]
    return node
