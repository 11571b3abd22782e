"""TD(λ) as pictures and as text: the values of all states at every step, and the error by episode.

Each state has a column. A bar across it is the true value, a dot the learned one, and an arrow
shows how far the dot moved in this step. Below stand the states, with an arrow for the step that
was made, and the eligibility of each.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from threefold.textbook.curve import CURVE_HEIGHT, CURVE_TOP, CURVE_WIDTH, curve
from threefold.textbook.listing import listing
from threefold.textbook.shapes import Box, Circle, Drawing, Line, Point, Shape, Text, text_width
from threefold.textbook.slides import Slides
from threefold.textbook.td import TDRun, Value, decimal, td
from threefold.textbook.td_narration import aligned, narrate, steps_of
from threefold.textbook.trace import Event

#: The plot: its left and upper edge, its height, and the least width of a column.
_LEFT, _TOP, _TALL, _COLUMN = 70.0, 50.0, 200.0, 46.0
#: The states below the plot, the arrow below them, and the bars of eligibility below that.
_BOX, _ARC, _BARS = 30.0, 44.0, 46.0
_MARGIN, _BETWEEN = 24.0, 70.0
_SIZE = 13.0
#: A shorter change has no arrowhead.
_ARROW = 14.0
#: A narrower column has no numbers in it.
_NUMBERED = 44.0


@dataclass
class TDScene:
    """What there is to see at a step."""

    step: int = 0
    episode: int = 0
    #: How many episodes are over.
    over: int = 0
    values: dict[str, Value] = field(default_factory=dict)
    #: How much each state had to do with this step.
    e: dict[str, Value] = field(default_factory=dict)
    #: The step that is made, and the values that it changes, as they were before.
    move: Event | None = None
    before: dict[str, Value] = field(default_factory=dict)
    done: bool = False


class TDSlides(Slides[TDScene]):
    """The steps of TD(λ)."""

    procedure = "td"
    legend = (
        "Dot: the value of a state. Bar across: its true value. Arrow: how the value changed in "
        "this step. Blue bars below: how much each state had to do with the step (e)."
    )

    def __init__(self, run: TDRun) -> None:
        self.run = run
        self.sentences = narrate(run)
        self._steps = steps_of(run.events)
        del self._steps[len(self.sentences) - 1 :]  # the last sentence is about the whole run
        known = [*run.trace.history, run.true_values or {}]
        seen = [float(value) for values in known for value in values.values()]
        seen += [float(each["after"]) for each in run.events if each.kind == "update"]
        seen += [float(each["reward"]) for each in run.events if each.kind == "step"]
        self._low, self._high = min([0.0, *seen]), max([0.0, *seen])
        self._high += 1.0 if self._high == self._low else 0.0
        steps = (each for each in run.events if each.kind == "step")
        self._most = max([1.0, *(float(e) for each in steps for e in each["e"].values())])
        widest = max(text_width(state, _SIZE) for state in run.process.states)
        self._column = max(_COLUMN if len(run.process.states) <= 25 else 0.0, widest + 14)

    def scenes(self, steps: Iterable[int]) -> Iterator[TDScene]:
        """The values at each of these steps; the last step only says what came of it."""
        now, rest = TDScene(), iter(self._steps)
        for step in steps:
            while now.step < min(step, len(self._steps)):
                self._apply(now, next(rest))
            if step > len(self._steps):
                self._finish(now, step)
            yield now

    def _apply(self, now: TDScene, step: Sequence[Event]) -> None:
        now.step += 1
        now.before = {}
        now.e = {}
        for event in step:
            match event.kind:
                case "start":
                    now.values = dict(event["values"])
                case "episode":
                    now.episode = event["number"]
                case "step" | "explore":
                    now.move = event
                    now.e = event.data.get("e", {})
                case "update":
                    if not self.run.settings.offline:
                        now.before[event.node] = now.values[event.node]
                        now.values[event.node] = event["after"]
                case "end":
                    now.over += 1
                    if self.run.settings.offline:
                        now.before = {
                            s: value
                            for s, value in now.values.items()
                            if value != event["values"][s]
                        }
                        now.values = dict(event["values"])

    def _finish(self, now: TDScene, step: int) -> None:
        now.step, now.done, now.move = step, True, None
        now.values, now.before, now.e = dict(self.run.values), {}, {}
        now.over = self.run.episodes

    def listed(self, steps: Sequence[int]) -> dict[str, Any]:
        """The procedure's listing, and the line of it that belongs to each of these steps."""
        code = listing(td)
        lines = []
        for step in steps:
            events = self._steps[step - 1] if step <= len(self._steps) else []
            told = [event for event in events if event.kind in {"step", "explore"}]
            lines.append(code.place(told[0].line) if told else None)
        printed = {str(line): text for line, text in code.printed.items()}
        return {"listing": list(code.lines), "printed": printed, "lines": lines}

    def draw(self, scene: TDScene) -> Drawing:
        """The values of all states, the step below them, and the error beside them."""
        states = self.run.process.states
        wide = self._column * (len(states) + 2)  # with a column at each side for the ends
        shapes: list[Shape] = [
            Text(_LEFT, 20, self._title(scene), "fill-ink strong", 14, "start"),
            *self._axis(wide),
        ]
        for state in states:
            shapes += self._values_of(scene, state)
            shapes += self._state(scene, state)
        shapes += self._ends(scene)
        shapes += self._arrow(scene)
        height = _TOP + _TALL + 16 + _BOX + _ARC + _MARGIN
        if self.run.settings.lambda_:
            shapes += self._bars(scene)
            height += _BARS + 10
        width = _LEFT + wide + _MARGIN
        if self.run.rms:
            left = width + _BETWEEN - _MARGIN
            title = "RMS error by episode"
            shapes += curve(left, title, self.run.rms, scene.over, "line-min")
            width = left + CURVE_WIDTH + _MARGIN
            height = max(height, CURVE_TOP + CURVE_HEIGHT + 40)
        about = "; ".join(f"V({s}) = {decimal(scene.values[s])}" for s in states)
        return Drawing(width, height, f"td: step {scene.step}", f"{about}.", shapes)

    def _title(self, scene: TDScene) -> str:
        if scene.done:
            return f"{self.run.settings}: after {self.run.episodes:,} episodes"
        if scene.move is None:
            return f"{self.run.settings}: before the first episode"
        if scene.move.kind == "explore":
            return f"{self.run.settings}: episode {scene.episode}, exploring"
        delta = decimal(scene.move["delta"])
        return f"{self.run.settings}: episode {scene.episode}, δ = {delta}"

    def _middle(self, state: str) -> float:
        return _LEFT + self._column * (self.run.process.states.index(state) + 1.5)

    def _height(self, value: Value) -> float:
        share = (float(value) - self._low) / (self._high - self._low)
        return _TOP + _TALL * (1 - share)

    def _axis(self, wide: float) -> Iterator[Shape]:
        bottom = _TOP + _TALL
        yield Line(((_LEFT, _TOP), (_LEFT, bottom), (_LEFT + wide, bottom)), "line-line thin")
        for value in dict.fromkeys((self._low, 0.0, (self._low + self._high) / 2, self._high)):
            y = self._height(value)
            yield Text(_LEFT - 8, y, decimal(round(value, 2)), "fill-ink", 11, "end")
            yield Line(((_LEFT - 4, y), (_LEFT, y)), "line-line thin")
        if self._low < 0:
            y = self._height(0)
            yield Line(((_LEFT, y), (_LEFT + wide, y)), "line-line thin dashed")

    def _values_of(self, scene: TDScene, state: str) -> Iterator[Shape]:
        x, value = self._middle(state), scene.values[state]
        y = self._height(value)
        if self.run.true_values is not None:
            true = self._height(self.run.true_values[state])
            half = self._column * 0.34
            yield Line(((x - half, true), (x + half, true)), "line-ink")
        before = scene.before.get(state)
        if before is not None:
            old = self._height(before)
            yield Circle(x, old, 5, "fill-paper line-max thin")
            yield Line(((x, old), (x, y)), "line-max", arrow=abs(old - y) > _ARROW)
        yield Circle(x, y, 5, "fill-max")
        if self._column >= _NUMBERED and len(self.run.process.states) <= 25:
            known = self.run.true_values or scene.values
            aside = -14 if known[state] <= value else 15  # not on the bar
            text = decimal(round(float(value), 3))
            yield Text(x, y + aside, text, "fill-ink halo line-paper", 11)

    def _state(self, scene: TDScene, state: str) -> Iterator[Shape]:
        x, top = self._middle(state), _TOP + _TALL + 16
        here = scene.move is not None and scene.move.node == state
        css = "fill-board line-max" if here else "fill-board line-line thin"
        half = self._column / 2 - 3
        yield Box(x - half, top, 2 * half, _BOX, css, 6)
        yield Text(x, top + _BOX / 2, state, "fill-ink strong" if here else "fill-ink", _SIZE)

    def _ends(self, scene: TDScene) -> Iterator[Shape]:
        for at, text in self._end_places().items():
            top = _TOP + _TALL + 16 + _BOX / 2
            yield Text(at, top, text, "fill-ink", _SIZE)
        if scene.move is not None and scene.move["next"] is None:
            x = self._target(scene.move)
            reward = decimal(scene.move["reward"])
            y = _TOP + _TALL + 16 + _BOX + _ARC - 8
            yield Text(x, y, f"r = {reward}", "fill-ink", 11)

    def _end_places(self) -> dict[float, str]:
        """Where the ends stand: at both sides of a walk, otherwise at the right."""
        states = self.run.process.states
        right = self._middle(states[-1]) + self._column
        if self.run.process.name != "walk":
            return {right: "end"}
        return {self._middle(states[0]) - self._column: "0", right: "1"}

    def _target(self, move: Event) -> float:
        """Where the arrow of a step points to."""
        if move["next"] is not None:
            return self._middle(move["next"])
        places = list(self._end_places())
        return places[-1] if move["reward"] else places[0]

    def _arrow(self, scene: TDScene) -> Iterator[Shape]:
        if scene.move is None:
            return
        start: Point = self._middle(scene.move.node), _TOP + _TALL + 16 + _BOX
        end: Point = self._target(scene.move), start[1]
        low = start[1] + _ARC * 0.7
        css = "line-line dashed" if scene.move.kind == "explore" else "line-max"
        if start == end:  # a state that leads to itself
            bends = (start[0] - 24, low), (start[0] + 24, low)
        else:
            bends = (start[0], low), (end[0], low)
        yield Line((start, end), css, bends, arrow=True)

    def _bars(self, scene: TDScene) -> Iterator[Shape]:
        bottom = _TOP + _TALL + 16 + _BOX + _ARC + _BARS
        yield Text(_LEFT - 8, bottom - 8, "e", "fill-ink", 12, "end")
        wide = self._column * (len(scene.values) + 2)
        yield Line(((_LEFT, bottom), (_LEFT + wide, bottom)), "line-line thin")
        for state, e in scene.e.items():
            tall = (_BARS - 14) * float(e) / self._most
            x, half = self._middle(state), self._column * 0.2
            yield Box(x - half, bottom - tall, 2 * half, tall, "fill-min")
            if self._column >= _NUMBERED:
                yield Text(x, bottom - tall - 8, decimal(round(float(e), 3)), "fill-ink", 10)

    def text(self, scene: TDScene, width: int) -> str:
        """A table of the states: the value before and after, the eligibility, the true value."""
        rows = [["state", "V", "e", "was", "true"]]
        for state in self.run.process.states:
            here = scene.move is not None and scene.move.node == state
            before, e = scene.before.get(state), scene.e.get(state)
            true = "" if self.run.true_values is None else decimal(self.run.true_values[state])
            rows.append(
                [
                    f"{state} ◂" if here else state,
                    decimal(scene.values[state]),
                    decimal(e) if e else "",
                    "" if before is None else decimal(before),
                    true,
                ]
            )
        lines = [self._title(scene), "", *aligned(rows).splitlines()]
        return "\n".join(line[:width] for line in lines)
