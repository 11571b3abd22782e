"""Where the nodes and edges of a small graph are drawn.

The nodes stand in columns by their number of steps from the start. Within a column they are ordered
so that few edges cross (Sugiyama, Tagawa and Toda 1981, in miniature). An edge is straight unless
another node is in its way, or another edge leads back. The layout depends on nothing but the graph.
"""

import math
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from threefold.textbook.graph import Graph
from threefold.textbook.shapes import Point
from threefold.textbook.tree import Number

#: A node's radius, the distance between columns, and within one.
RADIUS, ACROSS, DOWN = 19.0, 104.0, 92.0
#: Around the graph. Below a node there is its estimate, and above it perhaps a loop.
MARGIN, ABOVE, BELOW = 34.0, 54.0, 44.0
#: How far an edge may bend aside, in the order in which it is tried.
_BENDS = (0.0, 26.0, -26.0, 52.0, -52.0, 84.0, -84.0, 120.0, -120.0)
#: Two edges in opposite directions bend apart by this much.
_APART = 15.0
#: Where along an edge its cost may be written.
_PLACES = (0.5, 0.42, 0.58, 0.34, 0.66, 0.27, 0.73)
#: A bigger graph is ordered less carefully: comparing all pairs of edges would take too long.
_CAREFULLY = 24


@dataclass(frozen=True)
class Road:
    """An edge as it is drawn: from circle to circle, with its cost at a point."""

    one: str
    other: str
    cost: Number
    ends: tuple[Point, Point]
    bends: tuple[Point, Point] | None
    label: Point
    #: Whether the same line stands for the edge back, which costs the same.
    both: bool = False


@dataclass
class GraphLayout:
    """The place of every node and edge."""

    x: dict[str, float] = field(default_factory=dict)
    y: dict[str, float] = field(default_factory=dict)
    roads: list[Road] = field(default_factory=list)
    width: float = 0
    height: float = 0


def lay_out_graph(graph: Graph, start: str) -> GraphLayout:
    """The layout of a graph with its start on the left."""
    columns = _ordered(graph, _columns(graph, start))
    layout = GraphLayout()
    tallest = max(map(len, columns))
    for i, column in enumerate(columns):
        for j, name in enumerate(column):
            layout.x[name] = MARGIN + RADIUS + i * ACROSS
            layout.y[name] = ABOVE + RADIUS + (j + (tallest - len(column)) / 2) * DOWN
    layout.width = 2 * (MARGIN + RADIUS) + (len(columns) - 1) * ACROSS
    layout.height = ABOVE + BELOW + 2 * RADIUS + (tallest - 1) * DOWN
    _draw_roads(graph, layout)
    _keep_inside(layout)
    return layout


def _columns(graph: Graph, start: str) -> list[list[str]]:
    """The nodes by their steps from the start; what cannot be reached is placed by its edges."""
    steps: dict[str, int] = {}
    backward = False
    waiting = deque([start])
    steps[start] = 0
    while len(steps) < len(graph.nodes) or waiting:
        while waiting:
            node = waiting.popleft()
            near = graph.successors(node) + (graph.predecessors(node) if backward else [])
            for other, _ in near:
                if other not in steps:
                    steps[other] = steps[node] + 1
                    waiting.append(other)
        if len(steps) < len(graph.nodes):
            # First everything joined to what has a place, then the parts that are joined to none.
            left = [name for name in graph.nodes if name not in steps]
            waiting = deque(list(steps) if not backward else left[:1])
            if backward:
                steps[left[0]] = 0
            backward = True
    columns: list[list[str]] = [[] for _ in range(max(steps.values()) + 1)]
    for name in sorted(steps):
        columns[steps[name]].append(name)
    return columns


def _ordered(graph: Graph, columns: list[list[str]]) -> list[list[str]]:
    """The columns reordered: by the average place of each node's neighbors, then by swaps."""
    edges = [
        (one, other) for one in graph.nodes for other, _ in graph.successors(one) if one != other
    ]
    near: dict[str, set[str]] = {name: set() for name in graph.nodes}
    for one, other in edges:
        near[one].add(other)
        near[other].add(one)
    best, least = columns, _tangle(columns, edges)
    for _ in range(4):
        for order in (columns, columns[::-1]):
            place = _places(columns)
            for column in order:
                average = {
                    name: sum(place[each][1] for each in near[name]) / max(len(near[name]), 1)
                    for name in column
                }
                column.sort(key=lambda name: (average[name], name))
                place |= {
                    name: (place[name][0], _height(column, j)) for j, name in enumerate(column)
                }
            tangle = _tangle(columns, edges)
            if tangle < least:
                best, least = [list(column) for column in columns], tangle
    return _swapped(best, edges) if len(graph.nodes) <= _CAREFULLY else best


def _swapped(columns: list[list[str]], edges: Sequence[tuple[str, str]]) -> list[list[str]]:
    """Swap two nodes of a column as long as that makes the picture simpler."""
    least, improved = _tangle(columns, edges), True
    while improved:
        improved = False
        for column in columns:
            for i, j in combinations(range(len(column)), 2):
                column[i], column[j] = column[j], column[i]
                tangle = _tangle(columns, edges)
                if tangle < least:
                    least, improved = tangle, True
                else:
                    column[i], column[j] = column[j], column[i]
    return columns


def _places(columns: Sequence[Sequence[str]]) -> dict[str, tuple[int, float]]:
    return {
        name: (i, _height(column, j))
        for i, column in enumerate(columns)
        for j, name in enumerate(column)
    }


def _height(column: Sequence[str], j: int) -> float:
    return j - (len(column) - 1) / 2


def _tangle(columns: Sequence[Sequence[str]], edges: Sequence[tuple[str, str]]) -> float:
    """How hard the picture is to read: crossings, long edges, nodes in the way."""
    place = _places(columns)
    cost = 0.0
    for one, other in edges:
        (x1, y1), (x2, y2) = place[one], place[other]
        cost += abs(y1 - y2) * 0.3
        if x1 == x2:
            cost += (abs(y1 - y2) - 1) * 3
    if sum(map(len, columns)) <= _CAREFULLY:
        lines = [(place[one], place[other]) for one, other in edges]
        cost += 2 * sum(_cross(a, b) for a, b in combinations(lines, 2))
    return cost


def _cross(a: tuple[Point, Point], b: tuple[Point, Point]) -> bool:
    """Whether two lines cross between their ends."""
    (p, q), (r, s) = a, b
    if {p, q} & {r, s}:
        return False
    return _turn(p, q, r) * _turn(p, q, s) < 0 and _turn(r, s, p) * _turn(r, s, q) < 0


def _turn(p: Point, q: Point, r: Point) -> float:
    return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])


def _draw_roads(graph: Graph, layout: GraphLayout) -> None:
    labels: list[Point] = []
    drawn: list[list[Point]] = []
    for one in graph.nodes:
        for other, cost in graph.successors(one):
            back = dict(graph.successors(other)).get(one)
            if one == other:
                road = _loop(layout, one, cost)
            elif back == cost and other < one:
                continue  # drawn together with the edge back
            else:
                bend = _bend(layout, one, other, back is not None and back != cost)
                road = _road(layout, one, other, cost, bend, labels, drawn)
                if back == cost:
                    road = Road(one, other, cost, road.ends, road.bends, road.label, both=True)
            labels.append(road.label)
            drawn.append(_samples(road.ends, road.bends))
            layout.roads.append(road)


def _loop(layout: GraphLayout, name: str, cost: Number) -> Road:
    """An edge from a node to itself, above it."""
    x, y = layout.x[name], layout.y[name]
    side = RADIUS * 0.62
    top = y - math.sqrt(RADIUS**2 - side**2)
    bends = ((x - 2.1 * side, top - 34), (x + 2.1 * side, top - 34))
    return Road(name, name, cost, ((x - side, top), (x + side, top)), bends, (x, top - 33))


def _bend(layout: GraphLayout, one: str, other: str, apart: bool) -> float:
    """How far an edge bends to its left, so as not to run through other nodes."""
    start, end = (layout.x[one], layout.y[one]), (layout.x[other], layout.y[other])
    others = [(layout.x[name], layout.y[name]) for name in layout.x if name not in {one, other}]
    for bend in (_APART, *_BENDS[1::2]) if apart else _BENDS:
        bends = _control(start, end, bend)
        nearest = min(
            (math.dist(p, q) for p in _samples((start, end), bends) for q in others),
            default=math.inf,
        )
        if nearest > RADIUS + 9:
            return bend
    return _APART if apart else 0.0


def _control(start: Point, end: Point, bend: float) -> tuple[Point, Point] | None:
    """The control points of a curve that bends aside by this much in its middle."""
    if not bend:
        return None
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = math.hypot(dx, dy) or 1.0
    # A cubic curve reaches three quarters of the way to its control points.
    aside_x, aside_y = dy / length * bend / 0.75, -dx / length * bend / 0.75
    return (
        (start[0] + dx * 0.3 + aside_x, start[1] + dy * 0.3 + aside_y),
        (start[0] + dx * 0.7 + aside_x, start[1] + dy * 0.7 + aside_y),
    )


def _road(
    layout: GraphLayout,
    one: str,
    other: str,
    cost: Number,
    bend: float,
    labels: Iterable[Point],
    drawn: Iterable[Sequence[Point]],
) -> Road:
    """An edge with its ends on the circles and its cost where there is room."""
    start, end = (layout.x[one], layout.y[one]), (layout.x[other], layout.y[other])
    bends = _control(start, end, bend)
    ends = (
        _toward(start, bends[0] if bends else end, RADIUS),
        _toward(end, bends[1] if bends else start, RADIUS + 1),
    )
    circles = [(layout.x[name], layout.y[name]) for name in layout.x]
    # Below a node there may be its name, and its estimate.
    texts = [(x, y + RADIUS + below) for x, y in circles for below in (11, 25)]

    def room(at: float) -> float:
        where = _along(ends, bends, at)
        far = [math.dist(where, label) - 4 for label in labels]
        far += [math.dist(where, circle) - RADIUS + 2 for circle in circles]
        far += [math.dist(where, text) - 2 for text in texts]
        far += [math.dist(where, each) for samples in drawn for each in samples]
        return min(round(min(far, default=99.0), 3), 17.0)

    place = max(_PLACES, key=room)
    return Road(one, other, cost, ends, bends, _along(ends, bends, place))


def _toward(start: Point, end: Point, by: float) -> Point:
    length = math.dist(start, end) or 1.0
    return (
        start[0] + (end[0] - start[0]) * by / length,
        start[1] + (end[1] - start[1]) * by / length,
    )


def _along(ends: tuple[Point, Point], bends: tuple[Point, Point] | None, at: float) -> Point:
    """The point at a fraction of an edge."""
    a, d = ends
    b, c = bends or (_mix(a, d, 1 / 3), _mix(a, d, 2 / 3))
    s = 1 - at
    x, y = (
        s**3 * a[i] + 3 * s * s * at * b[i] + 3 * s * at * at * c[i] + at**3 * d[i] for i in (0, 1)
    )
    return x, y


def _mix(a: Point, b: Point, at: float) -> Point:
    return a[0] + (b[0] - a[0]) * at, a[1] + (b[1] - a[1]) * at


def _samples(ends: tuple[Point, Point], bends: tuple[Point, Point] | None) -> list[Point]:
    return [_along(ends, bends, i / 16) for i in range(1, 16)]


def _keep_inside(layout: GraphLayout) -> None:
    """Make room for edges that bend beyond the outermost nodes."""
    points = [each for road in layout.roads for each in _samples(road.ends, road.bends)]
    points += [road.label for road in layout.roads]
    if not points:
        return
    left = min(0.0, min(x for x, _ in points) - 14)
    top = min(0.0, min(y for _, y in points) - 14)
    layout.width = max(layout.width, max(x for x, _ in points) + 14) - left
    layout.height = max(layout.height, max(y for _, y in points) + 14) - top
    layout.x = {name: x - left for name, x in layout.x.items()}
    layout.y = {name: y - top for name, y in layout.y.items()}

    def moved(where: Point) -> Point:
        return where[0] - left, where[1] - top

    layout.roads = [
        Road(
            road.one,
            road.other,
            road.cost,
            (moved(road.ends[0]), moved(road.ends[1])),
            (moved(road.bends[0]), moved(road.bends[1])) if road.bends else None,
            moved(road.label),
            road.both,
        )
        for road in layout.roads
    ]
