"""Exercises on TD(λ): a random walk to learn from by hand, and the marks.

A sheet is plain text, like that of `threefold.textbook.exercise`:

    procedure: td
    walk: 5
    alpha: 0.1
    lambda: 0
    start: A=0.2 B=0.4 C=0.5 D=0.6 E=0.9
    episode: C D E 1
    seed: 7
    errors: 0.1 0.3 0.1
    values: C=0.51 D=0.63 E=0.91

`errors` are the TD errors δ, one for each step. `values` are those that the episode changed; others
may be given too. Three decimals are enough.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from random import Random
from typing import Any

from threefold.errors import ThreefoldError
from threefold.rules.svg import Svg
from threefold.rules.text import shorten
from threefold.textbook.answers import Answers, BadAnswer, read_seed, sheet_lines
from threefold.textbook.exercise import Mark
from threefold.textbook.td import Settings, Step, TDRun, Value, decimal, learn
from threefold.textbook.td_episodes import BadEpisode, Walk, format_episode, parse_values
from threefold.textbook.td_narration import narrate, steps_of
from threefold.textbook.td_picture import TDSlides
from threefold.textbook.trace import Event

#: What an answer may be off by: one in the third decimal, if someone rounds on the way.
TOLERANCE = Fraction(1, 1000)
_GIVEN = ("procedure", "walk", "alpha", "lambda", "start", "episode", "seed")
#: The questions, by the keys of a sheet.
QUESTIONS = {
    "errors": "The TD error δ of each step in order, such as 0 -0.05 0.5.",
    "values": "The values that the episode changes, to three decimals, such as D=0.525 E=0.55.",
}
KEYS = (*_GIVEN, *QUESTIONS)
_IS_TD = re.compile(r"^\s*procedure\s*:\s*td\s*(#.*)?$", re.IGNORECASE | re.MULTILINE)
_TRIES = 1000
#: The number of steps of a good exercise.
_SHORTEST, _LONGEST = 4, 6


@dataclass(frozen=True)
class CloseMark(Mark):
    """An answer that is right if it is close enough."""

    @property
    def mark(self) -> str:
        """`right`, `wrong` or `missing`."""
        if self.answer is None:
            return "missing"
        return "right" if abs(self.answer - self.expected) <= TOLERANCE else "wrong"


@dataclass(frozen=True)
class TDExercise:
    """A walk with values, and an episode to learn from."""

    walk: Walk
    settings: Settings
    start: Mapping[str, Value]
    episode: Sequence[Step]
    #: The seed that generated it; None if a teacher wrote it.
    seed: int | None = None
    procedure: str = field(default="td", init=False)

    @cached_property
    def run(self) -> TDRun:
        """The procedure's run."""
        return learn(self.walk, [self.episode], dict(self.start), self.settings)

    @cached_property
    def steps(self) -> list[list[Event]]:
        """The events of each step of the episode."""
        return steps_of(self.run.events)[1:]

    @property
    def errors(self) -> list[Value]:
        """The TD error of each step."""
        return [event["delta"] for event in self.run.events if event.kind == "step"]

    @property
    def values(self) -> dict[str, Value]:
        """The values that the episode changed."""
        return {s: value for s, value in self.run.values.items() if value != self.start[s]}

    @property
    def given(self) -> str:
        """What a printed exercise says besides its picture."""
        return "; ".join(f"{key}: {text}" for key, text in self._given().items())

    @property
    def asked(self) -> dict[str, str]:
        """The questions, by the keys of a sheet."""
        return QUESTIONS

    def _given(self) -> dict[str, str]:
        return {
            "walk": str(self.walk.n),
            "alpha": _written(self.settings.alpha),
            "lambda": _written(self.settings.lambda_),
            "start": " ".join(f"{s}={_written(value)}" for s, value in self.start.items()),
            "episode": format_episode(self.episode),
        }

    def sheet(self) -> str:
        """The answer file to fill in."""
        return self._file(dict.fromkeys(QUESTIONS, ""))

    def solution(self) -> str:
        """The answer file filled in."""
        return self._file(self.answers())

    def answers(self) -> dict[str, str]:
        """The right answers by key, as written on a sheet."""
        return {
            "errors": " ".join(map(_written, self.errors)),
            "values": " ".join(f"{s}={_written(value)}" for s, value in self.values.items()),
        }

    def why(self) -> list[str]:
        """Each step in a sentence."""
        return narrate(self.run)[1:-1]

    def picture(self, solved: bool = False) -> Svg:
        """The walk with its values, before the episode or after it."""
        slides = TDSlides(self.run)
        return slides.draw(slides.at(slides.steps if solved else 1)).svg()

    def to_json(self) -> dict[str, Any]:
        """The exercise as JSON types, without its solution."""
        given = {key: text for key, text in self._given().items() if key != "walk"}
        return {
            "seed": self.seed,
            "procedure": self.procedure,
            "walk": self.walk.n,
            **given,
            "sheet": self.sheet(),
        }

    def _file(self, answers: Mapping[str, str]) -> str:
        lines = [
            "# Write your answers after the colons. Anything after a # is ignored.",
            f"procedure: {self.procedure}",
            *(f"{key}: {text}" for key, text in self._given().items()),
            f"seed: {'' if self.seed is None else self.seed}".rstrip(),
        ]
        for key, question in QUESTIONS.items():
            lines += ["", f"# {question}", f"{key}: {answers[key]}".rstrip()]
        return "\n".join(lines) + "\n"


def new(seed: int, alpha: Fraction | None = None, lambda_: Fraction | None = None) -> TDExercise:
    """A walk and an episode that make a good exercise, the same for the same arguments.

    Without `alpha` or `lambda_`, the seed chooses them. The episode is short, comes back to a
    state, and changes at least three values.
    """
    random = Random(f"threefold td exercise {seed}")
    chosen = random.choice((Fraction(1, 10), Fraction(1, 5), Fraction(1, 2)))
    faded = random.choice((Fraction(0), Fraction(1, 2)))
    settings = Settings(chosen if alpha is None else alpha, faded if lambda_ is None else lambda_)
    walk = Walk(5)
    for _ in range(_TRIES):
        tenths = sorted(random.sample(range(1, 10), walk.n))
        start = {s: Fraction(n, 10) for s, n in zip(walk.states, tenths, strict=True)}
        (episode,) = (list(each) for each in walk.episodes(1, random.getrandbits(32)))
        exercise = TDExercise(walk, settings, start, episode, seed)
        visited = {step.state for step in episode}
        comes_back = len(visited) < len(episode)
        if _SHORTEST <= len(episode) <= _LONGEST and comes_back and len(exercise.values) >= 3:
            return exercise
    raise AssertionError("random walks are too long")


def was_set(exercise: TDExercise, seed: int) -> bool:
    """Whether an exercise is the one that a seed generates, not an easier substitute."""
    settings = exercise.settings
    generated = new(seed, Fraction(settings.alpha), Fraction(settings.lambda_))
    return generated.given == exercise.given


@dataclass(frozen=True)
class TDMarks:
    """What is right, wrong or missing on a sheet, and why the first error is wrong."""

    exercise: TDExercise
    #: The TD error of each step.
    errors: Sequence[Mark]
    #: By state: those that changed, and any other that was given a value.
    values: Mapping[str, Mark]
    first_error: str = ""

    @property
    def right(self) -> bool:
        """Whether everything is right and nothing is missing."""
        return all(mark.mark == "right" for mark in (*self.errors, *self.values.values()))

    @property
    def of(self) -> int:
        """The maximum points: one for each step and one for each changed value."""
        return len(self.exercise.episode) + len(self.exercise.values)

    @property
    def points(self) -> int:
        """The points earned; a wrong value of a state that did not change takes one off."""
        asked = self.exercise.values
        right = sum(mark.mark == "right" for mark in self.errors)
        found = sum(self.values[state].mark == "right" for state in asked)
        extra = sum(m.mark == "wrong" for state, m in self.values.items() if state not in asked)
        return right + max(found - extra, 0)

    def lines(self) -> list[str]:
        """The marks as text."""
        errors = [f"step {i} {m.mark}" for i, m in enumerate(self.errors, 1) if m.mark != "right"]
        values = [f"{s} {m.mark}" for s, m in self.values.items() if m.mark != "right"]
        return [
            f"errors: {', '.join(errors) or 'right'}",
            f"values: {', '.join(values) or 'right'}",
            f"points: {self.points} of {self.of}",
            *([self.first_error] if self.first_error else []),
        ]

    def to_json(self) -> dict[str, Any]:
        """The marks as JSON types."""
        given = {key: text for key, text in self.exercise.to_json().items() if key != "sheet"}
        return {
            "right": self.right,
            "points": self.points,
            "of": self.of,
            **given,
            "errors": [mark.to_json() for mark in self.errors],
            "values": {state: mark.to_json() for state, mark in self.values.items()},
            "first_error": self.first_error or None,
        }


def is_td(text: str) -> bool:
    """Whether a sheet is about TD(λ)."""
    return _IS_TD.search(text) is not None


def check(text: str) -> TDMarks:
    """Mark a completed sheet."""
    lines = sheet_lines(text, KEYS)
    for key in _GIVEN[:-1]:
        if not lines[key][1]:
            raise ThreefoldError(f"the line '{key}: …' is missing; start from the original sheet")
    at = "walk"
    try:
        walk = Walk(_whole(lines["walk"][1]))
        at = "alpha"
        alpha = _number(lines["alpha"][1])
        Settings(alpha)
        at = "lambda"
        settings = Settings(alpha, _number(lines["lambda"][1]))
        at = "start"
        start = parse_values(lines["start"][1], walk.states)
        missing = [state for state in walk.states if state not in start]
        if missing:
            raise BadEpisode(f"values: {missing[0]} has none; write {missing[0]}=0.5")
        at = "episode"
        episode = walk.parse(lines["episode"][1])
    except ThreefoldError as error:
        raise ThreefoldError(f"line {lines[at][0]}: {error}") from None
    seed = read_seed(*lines["seed"])
    ordered = {state: start[state] for state in walk.states}
    exercise = TDExercise(walk, settings, ordered, episode, seed)
    try:
        return mark(exercise, {key: lines[key][1] for key in QUESTIONS})
    except BadAnswer as error:
        raise ThreefoldError(f"line {lines[error.field][0]}: {error}") from None


def mark(exercise: TDExercise, answers: Mapping[str, str]) -> TDMarks:
    """Mark answers by key; an answer that cannot be read raises `BadAnswer`."""
    read = Answers(exercise.walk.states, "the walk has no state {}; it has")
    errors = read.numbers("errors", answers.get("errors", ""))
    expected = exercise.errors
    if len(errors) > len(expected):
        raise BadAnswer(
            "errors", f"{len(errors)} errors, but the episode has {len(expected)} steps"
        )
    given = read.values(answers.get("values", ""))
    asked = [*exercise.values, *(state for state in given if state not in exercise.values)]
    padded = [*errors, *[None] * (len(expected) - len(errors))]
    marks = TDMarks(
        exercise,
        [CloseMark(one, right) for one, right in zip(padded, expected, strict=True)],
        {state: CloseMark(given.get(state), exercise.run.values[state]) for state in asked},
    )
    first = next(_reasons(marks), "")
    return TDMarks(exercise, marks.errors, marks.values, first)


def _reasons(marks: TDMarks) -> Iterator[str]:
    """Why each wrong answer is wrong, in the order of the run; what is missing comes last."""
    exercise = marks.exercise
    told = exercise.why()
    for missing in (False, True):
        for i, mark_ in enumerate(marks.errors):
            if mark_.mark != "right" and (mark_.answer is None) == missing:
                yield f"Step {i + 1}: δ is {_instead(mark_)}. {told[i]}"
        for state, mark_ in marks.values.items():
            if mark_.mark != "right" and (mark_.answer is None) == missing:
                changed = [
                    f"step {i} changes it from {decimal(event['before'])} to "
                    f"{decimal(event['after'])}"
                    for i, step in enumerate(exercise.steps, 1)
                    for event in step
                    if event.kind == "update" and event.node == state
                ]
                why = ", ".join(changed) or "no step changes it"
                yield f"V({state}) is {_instead(mark_)}: {why}."


def _instead(mark_: Mark) -> str:
    right = decimal(mark_.expected)
    return right if mark_.answer is None else f"{right}, not {decimal(mark_.answer)}"


def _written(value: Value) -> str:
    """A number as it is written on a sheet: at most six decimals."""
    text = f"{float(value):.6f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _whole(text: str) -> int:
    if not re.fullmatch(r"\d{1,3}", text):
        raise ThreefoldError(f"{shorten(text)} is not a number of states, such as 5")
    return int(text)


def _number(text: str) -> Fraction:
    try:
        if len(text) > 30:
            raise ValueError
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise ThreefoldError(f"{shorten(text)} is not a number from 0 to 1") from None
