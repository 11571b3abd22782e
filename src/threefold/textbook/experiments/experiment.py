"""An experiment's result, and how runs on one position are compared."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from threefold.textbook.explain import Explanation
from threefold.textbook.trace import plain
from threefold.textbook.tree import format_number


@dataclass(frozen=True)
class Experiment:
    """The result: sentences for people, figures for programs."""

    name: str
    title: str
    lines: Sequence[str]
    figures: dict[str, Any]

    def __str__(self) -> str:
        return "\n".join([self.title, "", *self.lines])

    def __repr__(self) -> str:
        return str(self)

    def to_json(self) -> dict[str, Any]:
        """The figures as JSON types."""
        return {"experiment": self.name, "title": self.title} | {"figures": plain(self.figures)}


def by(explained: Explanation) -> str:
    """The value and the line that leads to it."""
    return f"{format_number(explained.value)} by {' '.join(explained.path)}"


def compared(
    name: str,
    title: str,
    runs: Mapping[str, Explanation],
    before: Sequence[str],
    after: Sequence[str],
) -> Experiment:
    """Runs on one position, each with its answer; the text before and after says what they show."""
    answers = [f"{run}: {by(explained)}" for run, explained in runs.items()]
    lines = [*before, "", *answers, "", *after]
    return Experiment(name, title, lines, {run: each.path[0] for run, each in runs.items()})
