"""Regret minimization as pictures and as text: the tree with its information sets, and a table.

The tree lies on its side. ▲ is MAX, ▼ MIN, ● chance; a dashed line joins the nodes of a set, and
above each node stands what the player sees there. An edge has its move and how likely it is, a node
what it is worth to MAX. Beside the tree are the regrets, the strategy that follows from them and
the average strategy, and below them the exploitability of the averages.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from threefold.rules.contract import CHANCE, MAX
from threefold.textbook.curve import CURVE_HEIGHT, CURVE_WIDTH, curve
from threefold.textbook.information import InformationSet
from threefold.textbook.listing import listing
from threefold.textbook.regrets_layout import (
    HALF,
    LEAF_HIGH,
    LEAF_WIDE,
    RADIUS,
    SideLayout,
    lay_out,
)
from threefold.textbook.regrets_narration import narrate, steps_of
from threefold.textbook.regrets_run import PROCEDURES, RegretRun
from threefold.textbook.shapes import Box, Circle, Drawing, Line, Shape, Text, text_width
from threefold.textbook.slides import Slides
from threefold.textbook.strategy import Share, Strategy, shares, show_share, values, worth
from threefold.textbook.td_narration import aligned
from threefold.textbook.trace import PLAYER_NAMES, Event
from threefold.textbook.tree import Node

#: Steps told one by one, and then iterations told as a whole.
_DETAILED, _SUMMED_UP = 300, 90
#: The table: the height of a line, and where its columns begin or, for numbers, end.
_LINE, _GAP = 17.0, 26.0
_MOVE, _REGRET, _STRATEGY, _AVERAGE, _TABLE = 100.0, 206.0, 268.0, 350.0, 360.0
#: A bar behind a probability of 1.
_BAR = 52.0
_SIZE = 11.0
#: A longer text is shortened.
_LONGEST, _LONGEST_MOVE = 16, 8
#: Above the table, the title and the column's names.
_TITLE = 54.0


@dataclass
class RegretScene:
    """What there is to see at a step."""

    step: int = 0
    title: str = "before the first iteration"
    #: By set, in the order of the tree's sets.
    strategy: list[Sequence[Share]] = field(default_factory=list)
    regrets: list[Sequence[Share]] = field(default_factory=list)
    average: list[Sequence[Share]] = field(default_factory=list)
    #: What nodes are worth, if that is known.
    value: Mapping[str, Share] = field(default_factory=dict)
    #: The exploitability after each iteration.
    exploitability: list[float] = field(default_factory=list)
    #: Whether the edges show the average strategy.
    is_average: bool = False
    #: The set that the step is about.
    here: int | None = None


class RegretSlides(Slides[RegretScene]):
    """The steps of CFR or CFR+."""

    legend = (
        "▲ MAX, ▼ MIN, ● chance, □ the end. Dashed: an information set, whose nodes the player "
        "cannot tell apart; above them, what that player sees. On the edges: moves and how likely "
        "they are. Below a node: what it is worth to MAX. R: the regret of a move; σ: the strategy "
        "by regret matching; the last column: the average strategy so far."
    )

    def __init__(self, run: RegretRun) -> None:
        self.run = run
        self.procedure = run.procedure
        self._steps = steps_of(run, _DETAILED, _SUMMED_UP)
        self.sentences = narrate(run, self._steps)

    @cached_property
    def _layout(self) -> SideLayout:
        return lay_out(self.run.tree)

    def scenes(self, steps: Iterable[int]) -> Iterator[RegretScene]:
        """What is known at each of these steps."""
        start: list[Sequence[Share]] = [[0] * len(each.moves) for each in self.run.tree.sets]
        now = RegretScene(regrets=start)
        for step in steps:
            while now.step < step:
                for event in self._steps[now.step].events:
                    self._apply(now, event)
                now.step += 1
            yield now

    def _apply(self, now: RegretScene, event: Event) -> None:
        now.here = None
        match event.kind:
            case "iteration":
                whose = f", {event['player']}" if "player" in event.data else ""
                now.title = f"iteration {event['number']}{whose}"
                now.is_average, now.value = False, {}
            case "match":
                self._put(now, "strategy", event["set"], event["strategy"])
                now.here = event["set"] if event["new"] else None
            case "enter":
                now.value = {}
            case "leaf" | "leave" if "line" not in event.data:
                now.value = {**now.value, event.node: event["value"]}
            case "regret":
                now.here = event["set"]
                now.regrets = [*now.regrets]
                now.regrets[now.here] = event["regrets"]
                self._put(now, "average", now.here, event["average"])
            case "average":
                now.title = f"after iteration {event['number']}: the average strategies"
                now.exploitability.append(float(event["exploitability"]))
                now.average, now.is_average = event["strategy"], True
                now.value = values(self.run.tree, self._by_set(now.average))

    def _put(self, now: RegretScene, what: str, number: int, given: Sequence[Share]) -> None:
        """One set's part of a strategy."""
        whole = [*getattr(now, what)] or [()] * len(self.run.tree.sets)
        whole[number] = given
        setattr(now, what, whole)

    def _by_set(self, strategy: Sequence[Sequence[Share]]) -> Strategy:
        return dict(zip(self.run.tree.sets, strategy, strict=True))

    def listed(self, steps: Sequence[int]) -> dict[str, Any]:
        """The procedure's listing, and the line of it that belongs to each of these steps."""
        code = listing(PROCEDURES[self.procedure])
        printed = {str(line): text for line, text in code.printed.items()}
        lines = [code.place(self._steps[step - 1].last.line) for step in steps]
        return {"listing": list(code.lines), "printed": printed, "lines": lines}

    def draw(self, scene: RegretScene) -> Drawing:
        """The tree, the table beside it, and the curve below that."""
        layout = self._layout
        left = layout.width + _GAP
        rows = sum(len(each.moves) for each in self.run.tree.sets)
        below = _TITLE + rows * _LINE + 2 * _GAP
        shapes = [
            Text(layout.width / 2, 14, scene.title, "fill-ink strong", 14),
            *self._sets(scene),
            *self._edges(scene),
            *self._nodes(scene),
            *self._table(scene, left),
        ]
        height = max(layout.height, below)
        if scene.exploitability:
            title, here = "exploitability by iteration", len(scene.exploitability) - 1
            known = scene.exploitability
            shapes += curve(left + 40, title, known, here, "line-min", below + _GAP)
        if self.run.iterations:
            height = max(height, below + CURVE_HEIGHT + 2 * _GAP)
        width = left + max(_TABLE, 40 + CURVE_WIDTH) + _GAP
        about = f"{self.run.procedure} on {self.run.game}, {scene.title}."
        return Drawing(width, height, f"{self.procedure}: step {scene.step}", about, shapes)

    def _shown(self, scene: RegretScene) -> Strategy | None:
        """The strategy on the edges."""
        strategy = scene.average if scene.is_average else scene.strategy
        return self._by_set(strategy) if strategy else None

    def _sets(self, scene: RegretScene) -> Iterator[Shape]:
        """The dashed lines."""
        layout = self._layout
        for (each, column), lane in layout.lane.items():
            is_here = scene.here is not None and self.run.tree.sets[scene.here] is each
            css = f"{_color(each.player)} dashed {'bold' if is_here else ''}".strip()
            drop = _stub(each)
            ends = [
                (layout.x[node.name] - HALF, layout.y[node.name] + drop)
                for node in each.nodes
                if layout.column[node.name] == column
            ]
            for x, y in ends:
                yield Line(((x, y), (lane, y)), css)
            yield Line(((lane, min(y for _, y in ends)), (lane, max(y for _, y in ends))), css)

    def _edges(self, scene: RegretScene) -> Iterator[Shape]:
        tree, layout, strategy = self.run.tree, self._layout, self._shown(scene)
        for node in tree.nodes:
            known = strategy is not None or node.player == CHANCE
            probable = shares(tree, strategy or {}, node) if known else ()
            for k, child in enumerate(node.children):
                share = probable[k] if probable else None
                x1, y1 = layout.x[node.name] + HALF, layout.y[node.name]
                inner = HALF if child.children else LEAF_WIDE
                x2, y2 = layout.x[child.name] - inner, layout.y[child.name]
                yield Line(((x1, y1), (x2, y2)), _edge_css(share))
                until = layout.free_until[layout.column[child.name]]
                part = (until - x1) * (0.62 if not child.children else 0.5) / (x2 - x1)
                move = _fitted(child.name.removeprefix(_before(node)), _LONGEST_MOVE)
                said = f"{move} {show_share(share)}" if share is not None else move
                x, y = x1 + part * (x2 - x1), y1 + part * (y2 - y1)
                half = text_width(said, _SIZE) / 2
                yield Box(x - half, y - 6, 2 * half, 12, "fill-paper")
                yield Text(x, y, said, "fill-ink", _SIZE)

    def _nodes(self, scene: RegretScene) -> Iterator[Shape]:
        tree, layout = self.run.tree, self._layout
        for node in tree.nodes:
            x, y = layout.x[node.name], layout.y[node.name]
            value = scene.value.get(node.name)
            if not node.children:
                yield Box(x - LEAF_WIDE, y - LEAF_HIGH, 2 * LEAF_WIDE, 2 * LEAF_HIGH, _LEAF, 4)
                yield Text(x, y, show_share(worth(node)), "fill-ink", _SIZE + 1)
                continue
            own = tree.of.get(node.name)
            is_here = scene.here is not None and own is tree.sets[scene.here]
            yield _glyph(node, x, y, is_here=is_here)
            if own is not None:
                seen = _fitted(own.seen, _LONGEST)
                css = "fill-ink halo line-paper" + (" strong" if is_here else "")
                yield Text(x, y - 22, seen, css, _SIZE)
            if value is not None:
                yield Text(x, y + 23, show_share(value), "fill-ink halo line-paper strong", 12)

    def _table(self, scene: RegretScene, left: float) -> Iterator[Shape]:
        head = _TITLE - _LINE
        yield Text(left, head, "sees", "fill-ink strong", 12, "start")
        yield Text(left + _MOVE, head, "move", "fill-ink strong", 12, "start")
        for title, at in (("R", _REGRET), ("σ", _STRATEGY), ("average", _AVERAGE)):
            yield Text(left + at, head, title, "fill-ink strong", 12, "end")
        y = _TITLE
        for number in self._ordered:
            here = self.run.tree.sets[number]
            tall = len(here.moves) * _LINE
            if number == scene.here:
                css = f"fill-board {_color(here.player)}"
                yield Box(left - 22, y - _LINE / 2, _TABLE + 28, tall, css, 5)
            yield Text(left - 11, y, "▲" if here.player == MAX else "▼", _fill(here.player), 12)
            yield Text(left, y, _fitted(here.seen, _LONGEST), "fill-ink", 12, "start")
            for a, move in enumerate(here.moves):
                yield from self._row(scene, left, y, number, a, move)
                y += _LINE
            yield Line(((left - 22, y - 8.5), (left + _TABLE + 6, y - 8.5)), "line-line thin faint")

    def _row(
        self, scene: RegretScene, left: float, y: float, number: int, a: int, move: str
    ) -> Iterator[Shape]:
        yield Text(left + _MOVE, y, _fitted(move, _LONGEST_MOVE), "fill-ink", 12, "start")
        regret = show_share(scene.regrets[number][a])
        yield Text(left + _REGRET, y, regret, "fill-ink", 12, "end")
        for given, at in ((scene.strategy, _STRATEGY), (scene.average, _AVERAGE)):
            if given and given[number]:
                share = given[number][a]
                bar = _BAR * float(share)
                css = "fill-line faint"
                yield Box(left + at - bar, y + 5.5, bar, 2.5, css)
                yield Text(left + at, y - 1, show_share(share), "fill-ink", 12, "end")

    @cached_property
    def _ordered(self) -> list[int]:
        """The sets as the table lists them: MAX's first."""
        sets = self.run.tree.sets
        return sorted(range(len(sets)), key=lambda number: sets[number].player)

    def text(self, scene: RegretScene, width: int) -> str:
        """The information sets as a table, each move with its numbers."""
        rows = [["information set", "move", "regret", "strategy", "average"]]
        for number in self._ordered:
            here = self.run.tree.sets[number]
            name = f"{PLAYER_NAMES[here.player]} {here.seen}"
            for a, move in enumerate(here.moves):
                mark = " ◂" if number == scene.here and a == 0 else ""
                shown = [
                    show_share(given[number][a]) if given and given[number] else ""
                    for given in (scene.regrets, scene.strategy, scene.average)
                ]
                rows.append([name + mark if a == 0 else "", move, *shown])
        lines = [f"{self.procedure}, {scene.title}", "", *aligned(rows).splitlines()]
        root = scene.value.get(self.run.tree.root.name)
        if root is not None:
            lines += ["", f"worth to MAX: {show_share(root)}"]
        return "\n".join(line[:width] for line in lines)


_LEAF = "fill-board line-line thin"


def _before(node: Node) -> str:
    return "" if node.name == "." else f"{node.name}/"


def _fitted(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _color(player: int) -> str:
    return {MAX: "line-max", CHANCE: "line-felt"}.get(player, "line-min")


def _fill(player: int) -> str:
    return _color(player).replace("line-", "fill-")


def _stub(here: InformationSet) -> float:
    """How far below a node's middle its dashed line begins: at the left corner of the triangle."""
    return 10.0 if here.player == MAX else -10.0


def _edge_css(share: Share | None) -> str:
    """The likelier, the thicker."""
    if share is None:
        return "line-line"
    if share == 0:
        return "line-line thin faint"
    return "line-ink bold" if share >= 0.75 else "line-ink" if share >= 0.25 else "line-ink thin"


def _glyph(node: Node, x: float, y: float, *, is_here: bool) -> Shape:
    """▲, ▼ or ●."""
    css = f"fill-board {_color(node.player)}" + (" bold" if is_here else "")
    if node.player == CHANCE:
        return Circle(x, y, RADIUS, css)
    up = 1 if node.player == MAX else -1
    corners = ((x, y - up * 14), (x + HALF, y + up * 10), (x - HALF, y + up * 10))
    return Line((*corners, corners[0], corners[1]), css)
