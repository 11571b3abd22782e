"""Exercises as a printable page, with room to write or with solutions."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Protocol

from threefold.errors import ThreefoldError
from threefold.rules.svg import LIGHT, Svg


class Printable(Protocol):
    """What a printed exercise needs."""

    @property
    def procedure(self) -> str:
        """What is worked by hand."""

    @property
    def seed(self) -> int | None:
        """The seed that generated it."""

    @property
    def given(self) -> str:
        """What it says besides its picture."""

    @property
    def asked(self) -> Mapping[str, str]:
        """The questions."""

    def answers(self) -> Mapping[str, str]:
        """The right answers."""

    def why(self) -> Sequence[str]:
        """Why they are right."""

    def picture(self, solved: bool = False) -> Svg:
        """What is drawn."""


def html(exercises: Sequence[Printable], solutions: bool = False, per_page: int = 1) -> str:
    """A printable sheet with the pictures and room to write, or with the solutions."""
    if per_page < 1:
        raise ThreefoldError(f"{per_page} exercises per page: use at least 1")
    parts = []
    for number, exercise in enumerate(exercises, 1):
        last = " last" if number % per_page == 0 or number == len(exercises) else ""
        parts.append(f'<section class="exercise{last}">{_printed(exercise, solutions)}</section>')
    title = "Exercises: solutions" if solutions else "Exercises"
    # Paper has no dark mode, so the pictures always use the light colors.
    colors = "".join(
        f"body svg .fill-{role}{{fill:{color}}}body svg .line-{role}{{stroke:{color}}}"
        for role, color in LIGHT.items()
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{_PRINT}{colors}</style></head>\n<body>\n"
        + "\n".join(parts)
        + "\n</body></html>\n"
    )


def _printed(exercise: Printable, solved: bool) -> str:
    answers = exercise.answers() if solved else dict.fromkeys(exercise.asked, "")
    rows = "".join(
        f"<li>{escape(question)}<p class='answer {key}'>{escape(answers[key])}</p></li>"
        for key, question in exercise.asked.items()
    )
    why = "".join(f"<li>{escape(reason)}</li>" for reason in (exercise.why() if solved else ()))
    seed = "" if exercise.seed is None else f" {exercise.seed}"
    return (
        f"<h1>Exercise{seed}: {exercise.procedure}</h1>"
        + ("" if solved else '<p class="name">Name:</p>')
        + f"<figure>{exercise.picture(solved)}</figure><p><code>{escape(exercise.given)}</code></p>"
        + f"<ol>{rows}</ol>"
        + (f"<h2>Why</h2><ul>{why}</ul>" if why else "")
    )


_PRINT = """
@page{size:landscape;margin:12mm}*{box-sizing:border-box}
body{font:11pt/1.4 system-ui,sans-serif;color:#000;background:#fff;max-width:70rem;margin:1rem auto;
padding:0 1rem}h1{font-size:1.2rem;margin:0 0 .5rem}h2{font-size:1rem;margin:0}code{font-size:.85em;
overflow-wrap:anywhere}figure{margin:.5rem 0}figure svg{display:block;max-width:100%;height:auto;
max-height:46vh;margin:auto}.name{border-bottom:1px solid;width:20rem;float:right;margin:0}
.answer{border-bottom:1px solid;min-height:1.7em;margin:0 0 .5rem}.exercise{margin-bottom:3rem}
.answer.values{min-height:3.2em}.answer.value,.answer.move{max-width:14rem}ul{columns:2;margin:0}
.answer.answer:not(:empty){min-height:0;border:0;font-weight:bold}
@media print{body{margin:0;padding:0;max-width:none}.exercise{margin:0 0 8mm;break-inside:avoid}
.exercise.last:not(:last-child){break-after:page}}
"""
