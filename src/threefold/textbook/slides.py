"""A run that is drawn anew at every step: as pictures, in a terminal, as a page to step through.

A run of path search, of local search or on a matrix game knows how to draw one step. What is built
from that is here, the same for all of them.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from threefold.errors import ThreefoldError
from threefold.rules.svg import Svg
from threefold.textbook.page import page_of
from threefold.textbook.shapes import Drawing

Scene = TypeVar("Scene")

#: More steps than these would be too much for a browser.
MAX_STEPS = 400
#: How wide a text is on a page.
_COLUMNS = 72


class Slides(ABC, Generic[Scene]):
    """The steps of one run, from 1."""

    #: What ran.
    procedure: str
    #: What happens at each step.
    sentences: Sequence[str]
    #: What the marks in the picture mean.
    legend: str

    @abstractmethod
    def scenes(self, steps: Iterable[int]) -> Iterator[Scene]:
        """What there is to see at each of these steps, which are in order."""

    @abstractmethod
    def draw(self, scene: Scene) -> Drawing:
        """The picture of a step."""

    @abstractmethod
    def text(self, scene: Scene, width: int) -> str:
        """The same in text, in lines no wider than `width`."""

    @abstractmethod
    def listed(self, steps: Sequence[int]) -> dict[str, Any]:
        """The procedure's `listing`, and `lines`: the line of it at each of these steps."""

    @property
    def steps(self) -> int:
        """How many steps can be drawn."""
        return len(self.sentences)

    def at(self, step: int | None = None) -> Scene:
        """What there is to see at a step; by default, at the last one."""
        wanted = self.steps if step is None else step
        if not 1 <= wanted <= self.steps:
            raise ThreefoldError(f"step {wanted} is not between 1 and {self.steps}")
        return next(self.scenes([wanted]))

    def picture(self, step: int | None = None) -> Svg:
        """A step as SVG, with its sentence below."""
        said = self.sentences[(self.steps if step is None else step) - 1]
        return self.draw(self.at(step)).svg(said)

    def tikz(self, step: int | None = None) -> str:
        """A step as TikZ."""
        return self.draw(self.at(step)).tikz()

    def stepper(self) -> dict[str, Any]:
        """Everything needed to step through the run in a browser, in JSON's own types.

        `parts` are the elements of all pictures; `frames` says for each step which of them it has.
        """
        wanted, note = self._chosen()
        parts: dict[str, int] = {}
        frames, texts, focus = [], [], []
        notes: dict[str, None] = {}
        width = height = 1.0
        about = ""
        for scene in self.scenes(wanted):
            drawn = self.draw(scene)
            width, height = max(width, drawn.width), max(height, drawn.height)
            about = drawn.about
            notes |= dict.fromkeys(drawn.notes)
            frames.append([parts.setdefault(shape.svg(), len(parts)) for shape in drawn.shapes])
            texts.append(self.text(scene, _COLUMNS))
            focus.append([round(part) for part in drawn.focus or ()])
        return {
            "procedure": self.procedure,
            "sentences": [self.sentences[step - 1] for step in wanted],
            # It has no tree whose nodes change their looks.
            "nodes": [],
            "parents": [],
            "looks": [],
            "cutoffs": [],
            "kinds": ["" for _ in wanted],
            "changes": [[] for _ in wanted],
            "width": round(width, 2),
            "height": round(height, 2),
            "about": about,
            "parts": list(parts),
            "frames": frames,
            "focus": focus,
            "texts": texts,
            "legend": self.legend,
            "note": " ".join(filter(None, (note, *notes))),
            **self.listed(wanted),
        }

    def page(self, title: str) -> str:
        """The run as one HTML file."""
        return page_of(self.stepper(), title)

    def mime_bundle(self, text: str, **asked: Any) -> dict[str, Any]:
        """What a notebook shows: a stepper if `threefold[notebook]` is installed, and a picture."""
        shown: dict[str, Any] = {"text/plain": text, "image/svg+xml": str(self.picture())}
        try:
            from threefold.textbook.notebook import Stepper
        except ImportError:
            return shown
        return Stepper(self).mime_bundle(**asked) | shown

    def _chosen(self) -> tuple[list[int], str]:
        """The steps to show: all of them or, if there are too many, the first ones and the last."""
        if self.steps <= MAX_STEPS:
            return list(range(1, self.steps + 1)), ""
        left_out = self.steps - MAX_STEPS
        shown = [*range(1, MAX_STEPS), self.steps]
        return shown, f"{left_out:,} steps before the last one are left out."
