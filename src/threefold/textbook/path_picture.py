"""A path search as pictures and as text: the state space, the search tree and the fringe.

An expanded node is filled, a waiting one has a thick outline, one that was given up is dashed and
says why. The current node has a ring around it, and the path found is thick. The number beside an
expanded node says when it was expanded. A state of a puzzle is drawn as a board, and then the tree
is the explored part of the state space.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from threefold.textbook.graph import Graph
from threefold.textbook.graph_layout import RADIUS as GRAPH_RADIUS
from threefold.textbook.graph_layout import GraphLayout, lay_out_graph
from threefold.textbook.listing import listing
from threefold.textbook.path_layout import (
    LABEL_ROOM,
    LABEL_SIZE,
    NAME_SIZE,
    RADIUS,
    SMALL,
    TILE,
    TreeLayout,
    below_node,
    fitted,
    half_height,
    half_node,
    lay_out_tree,
    shown_priority,
)
from threefold.textbook.path_narration import narrate
from threefold.textbook.path_scene import QUEUES, STACKS, WHY, PathScene, TreeNode, replay
from threefold.textbook.path_trace import BACKWARD, PathResult, steps_of
from threefold.textbook.shapes import Box, Circle, Drawing, Line, Shape, Text, Tiles, text_width
from threefold.textbook.slides import Slides
from threefold.textbook.tree import format_number

#: More nodes than these are not drawn: of a graph, of a tree, of a tree in text.
MAX_GRAPH, MAX_TREE, MAX_LINES = 40, 150, 60
MAX_TREE_OF_BOARDS = 90
#: The entries of a fringe that are drawn.
MAX_ENTRIES, MAX_BOARDS = 24, 8
#: The entries of a fringe, and the expanded nodes, that are listed.
_MAX_LISTED = 24
_HEAD, _ROW = 30.0, 32.0
_LEFT = 20.0
_BY = {"uniform-cost": "g", "greedy": "h", "a-star": "f = g + h", "ida-star": "f = g + h"}
_LEGEND = (
    "Filled: expanded, with its number in the order of expansion. Thick outline: waiting in the "
    "fringe, with its priority. Dashed: given up, and why. Ring: the current node. Thick lines: "
    "the path."
)


class PathSlides(Slides[PathScene]):
    """The steps of a path search."""

    legend = _LEGEND

    def __init__(self, result: PathResult) -> None:
        steps = steps_of(result.events)
        self.result = result
        self.procedure = result.procedure
        said = narrate(result)
        if len(steps) < len(said):
            steps.pop()  # the events end in the middle of it
        self._steps = steps
        self.sentences = said[: len(steps)]
        self._unseen = len(said) - len(steps)
        self._trees: dict[int, TreeLayout] = {}
        most = MAX_TREE_OF_BOARDS if _board(result, result.expanded[0]) else MAX_TREE
        for scene in self.scenes(range(1, len(steps) + 1)):
            if scene.step == len(steps) or steps[scene.step][0].kind == "iterate":
                self._trees[scene.iteration] = lay_out_tree(scene, most)
        problem = result.problem
        self._graph: GraphLayout | None = None
        self._notes: list[str] = []
        if isinstance(problem, Graph):
            if len(problem.nodes) <= MAX_GRAPH:
                self._graph = lay_out_graph(problem, result.expanded[0])
            else:
                self._notes.append(
                    f"The graph has {len(problem.nodes):,} nodes: only the search tree is drawn."
                )
        if self._unseen:
            self._notes.append(f"{self._unseen:,} later steps of this long run are not drawn.")

    def scenes(self, steps: Iterable[int]) -> Iterator[PathScene]:
        """The scene at each of these steps: always the same object, changed in place."""
        wanted = set(steps)
        if not wanted:
            return
        last = max(wanted)
        for now in replay(self.result):
            if now.step in wanted:
                yield now
            if now.step == last:
                return

    def listed(self, steps: Sequence[int]) -> dict[str, Any]:
        """The procedure's listing, and the line of it that belongs to each of these steps."""
        if self.result.code is None:
            return {}
        code = listing(self.result.code)
        lines = []
        for step in steps:
            events = self._steps[step - 1]
            ends = [event for event in events if event.kind in {"goal", "meet", "fail"}]
            told = ends or [event for event in events if event.kind == "expand"]
            lines.append(code.place(told[0].line) if told else None)
        return {"listing": list(code.lines), "lines": lines}

    def draw(self, scene: PathScene) -> Drawing:
        """The graph on the left, the tree on the right, the fringe below."""
        graph, tree = self._graph, self._trees[scene.iteration]
        shapes: list[Shape] = []
        left = graph.width if graph else 0.0
        tall = max((each.height for each in self._trees.values()), default=0.0)
        tall = max(tall, graph.height if graph else 0.0)
        width = left + max(each.width for each in self._trees.values())
        # A small tree of boards is narrower than the fringe below it.
        aside = left + max(420.0 - width, 0.0) / 2
        width = max(width, 420.0)
        path = scene.path_nodes
        if graph:
            shapes.append(Text(_LEFT, 16, "State space", "fill-ink strong", 13, "start"))
            shapes += _graph_shapes(scene, graph, _HEAD + (tall - graph.height) / 2)
        shapes.append(
            Text(left + _LEFT, 16, self._tree_title(scene), "fill-ink strong", 13, "start")
        )
        shapes += _tree_shapes(scene, tree, aside, _HEAD, path)
        bottom, more = _rows(scene, width, _HEAD + tall)
        shapes += more
        notes = list(self._notes)
        if tree.left_out:
            notes.append(f"{tree.left_out:,} more nodes of the search tree are not drawn.")
        title = f"{self.procedure}: step {scene.step}"
        focus = None
        if scene.current in tree.x:
            focus = aside + tree.x[scene.current], _HEAD + tree.y[scene.current]
        return Drawing(width, bottom, title, _in_words(scene), shapes, notes, focus)

    def _tree_title(self, scene: PathScene) -> str:
        if scene.bound is None:
            return "Search tree"
        bound = format_number(scene.bound)
        kind = f"limit {bound}" if self.result.limits else f"f at most {bound}"
        return f"Search tree, {kind}"

    def text(self, scene: PathScene, width: int) -> str:
        """The fringe, the expanded nodes and the tree, in lines."""
        lines = [f"{name}: {', '.join(entries) or 'empty'}" for name, entries in _fringes(scene)]
        lines.append(f"Expanded: {_expanded(scene)}")
        lines += ["", *_outline(scene, MAX_LINES)]
        if scene.path:
            assert self.result.cost is not None
            found = " ".join(scene.path)
            lines += ["", f"Path: {found}, cost {format_number(self.result.cost)}"]
        return "\n".join(_cut(line, width) for line in lines)


def _cut(line: str, width: int) -> str:
    return line if len(line) <= width else line[: max(width - 1, 1)] + "…"


def _graph_shapes(scene: PathScene, layout: GraphLayout, top: float) -> Iterator[Shape]:
    problem = scene.result.problem
    assert isinstance(problem, Graph)
    used, path = _used(scene), set(pairwise(scene.path))
    for road in layout.roads:
        edges = {(road.one, road.other), *([(road.other, road.one)] if road.both else [])}
        css = "line-line thin"
        if edges & path:
            css = "line-max bold"
        elif edges & used:
            css = "line-ink"
        start, end = ((x, y + top) for x, y in road.ends)
        bends = None
        if road.bends:
            (a, b), (c, d) = road.bends
            bends = (a, b + top), (c, d + top)
        yield Line((start, end), css, bends, arrow=True, both=road.both)
    for road in layout.roads:
        x, y = road.label
        yield Text(x, y + top, format_number(road.cost), "fill-ink line-paper halo", 12)
    status = _statuses(scene)
    crowded = _crowded(layout)
    estimates = any(problem.estimate(name) for name in problem.nodes)
    current = None if scene.current is None else scene.tree[scene.current].state
    for name in problem.nodes:
        x, y = layout.x[name], layout.y[name] + top
        yield from _state_shapes(name, x, y, status.get(name, {}), scene)
        if name == current:
            yield Circle(x, y, GRAPH_RADIUS + 5, "line-max")
        said = [fitted(name)] if len(name) > 3 else []
        said += [f"h={format_number(problem.estimate(name))}"] if estimates else []
        for i, text in enumerate(said):
            css = "fill-ink line-paper halo"
            if name in crowded:
                yield Text(x + GRAPH_RADIUS + 1, y + 14 + 14 * i, text, css, 11, "start")
            else:
                yield Text(x, y + GRAPH_RADIUS + 11 + 14 * i, text, css, 11)


def _crowded(layout: GraphLayout) -> set[str]:
    """The nodes with an edge straight down, where their texts would be."""
    ends = ((road.one, road.other) for road in layout.roads if road.one != road.other)
    return {
        min(pair, key=lambda name: layout.y[name])
        for pair in ends
        if layout.x[pair[0]] == layout.x[pair[1]]
    }


def _state_shapes(
    name: str, x: float, y: float, status: dict[str, str], scene: PathScene
) -> Iterator[Shape]:
    """A state: what the forward search knows of it inside, the backward search around it."""
    inside = status.get(scene.directions[0])
    css, ink = _look(inside, scene.directions[0])
    yield Circle(x, y, GRAPH_RADIUS, css)
    around = status.get(BACKWARD)
    if around:
        bold = "bold" if around == "expanded" else "dashed"
        yield Circle(x, y, GRAPH_RADIUS - 4, f"line-felt {bold}")
    if len(name) <= 3:
        yield Text(x, y, name, f"{ink} strong", NAME_SIZE + 1)


def _look(status: str | None, direction: str) -> tuple[str, str]:
    """The look of a node and of the text in it."""
    match status, direction:
        case "expanded", "backward":
            return "fill-felt line-felt", "fill-white"
        case "expanded", _:
            return "fill-ink line-ink", "fill-paper"
        case "waiting", "backward":
            return "fill-board line-felt bold", "fill-ink"
        case "waiting", _:
            return "fill-board line-min bold", "fill-ink"
        case "dropped", _:
            return "line-line thin dashed", "fill-ink faint"
    return "fill-paper line-line", "fill-ink"


def _statuses(scene: PathScene) -> dict[str, dict[str, str]]:
    """By state and direction: whether it waits or was expanded."""
    found: dict[str, dict[str, str]] = {}
    for node in scene.tree:
        known = found.setdefault(node.state, {})
        if node.status == "waiting" or (node.status == "expanded" and node.direction not in known):
            known[node.direction] = node.status
    return found


def _used(scene: PathScene) -> set[tuple[str, str]]:
    """The edges of the graph that are edges of the tree."""
    used = set()
    for node in scene.tree:
        if node.parent is not None and node.status != "dropped":
            pair = (scene.tree[node.parent].state, node.state)
            used.add(pair if node.direction != BACKWARD else pair[::-1])
    return used


def _tree_shapes(
    scene: PathScene, layout: TreeLayout, left: float, top: float, path: Sequence[int]
) -> Iterator[Shape]:
    result, tree = scene.result, scene.tree
    shown = [k for k in range(len(tree)) if k in layout.x]
    tall = half_height(result)
    found = set(path)
    for k in shown:
        above = tree[k].parent
        if above is not None:
            start = (left + layout.x[above], top + layout.y[above] + tall + LABEL_ROOM + 3)
            end = (left + layout.x[k], top + layout.y[k] - _up(result, tree[k]))
            css = "line-max bold" if k in found and above in found else "line-line"
            yield Line((start, end), css + (" thin dashed" if tree[k].status == "dropped" else ""))
    for k in shown:
        x, y = left + layout.x[k], top + layout.y[k]
        yield from _node_shapes(result, tree[k], x, y)
        half = half_node(result, tree[k])
        if k == scene.current:
            up = _up(result, tree[k])
            yield Box(x - half - 5, y - up - 5, 2 * half + 10, 2 * up + 10, "line-max", 10)
        below = below_node(result, tree[k])
        if below:
            faint = " faint" if tree[k].status == "dropped" else ""
            yield Text(x, y + tall + 11, below, f"fill-ink line-paper halo{faint}", LABEL_SIZE)
        if tree[k].order:
            where = x - half - 7 - 3 * len(str(tree[k].order))
            yield Text(where, y - tall + 3, str(tree[k].order), "fill-ink line-paper halo", 10)


def _up(result: PathResult, node: TreeNode) -> float:
    tall = half_height(result)
    return SMALL if node.status == "dropped" and tall == RADIUS else tall


def _node_shapes(result: PathResult, node: TreeNode, x: float, y: float) -> Iterator[Shape]:
    css, ink = _look(node.status, node.direction)
    if rows := _board(result, node.state):
        yield Tiles(x, y, rows, TILE, css, ink)
        return
    half, up = half_node(result, node), _up(result, node)
    if half <= RADIUS:
        yield Circle(x, y, up, css)
    else:
        yield Box(x - half, y - up, 2 * half, 2 * up, css, up)
    size = LABEL_SIZE if node.status == "dropped" else NAME_SIZE
    yield Text(x, y, fitted(node.state), f"{ink} strong", size)


def _board(result: PathResult, state: str) -> tuple[str, ...]:
    return () if result.problem is None else tuple(result.problem.tiles(state))


def _rows(scene: PathScene, width: float, top: float) -> tuple[float, list[Shape]]:
    """The fringe and the expanded nodes below the picture; where they end."""
    shapes: list[Shape] = [Line(((_LEFT, top), (width - _LEFT, top)), "line-line thin")]
    y = top
    tall = half_height(scene.result)
    boards = tall != RADIUS
    for direction, (name, _) in zip(scene.directions, _fringes(scene), strict=True):
        row = 2 * tall + 24 if boards else _ROW
        middle = y + row / 2 + 4
        shapes.append(Text(_LEFT, middle, name, "fill-ink strong", 13, "start"))
        x = _LEFT + text_width(name, 13) + 22
        waiting = scene.waiting(direction)
        for i, k in enumerate(waiting):
            node = scene.tree[k]
            shown = shown_priority(scene.result, node.g, node.priority)
            wide = TILE * 3 if boards else text_width(f"{fitted(node.state)} {shown}", 12) + 18
            most = MAX_BOARDS if boards else MAX_ENTRIES
            if i == most or (x + wide > width - 90 and i < len(waiting) - 1):
                shapes.append(
                    Text(x, middle, f"and {len(waiting) - i} more", size=12, anchor="start")
                )
                break
            css, ink = _look("waiting", direction)
            if board := _board(scene.result, node.state):
                up = middle - 7
                shapes.append(Tiles(x + wide / 2, up, board, TILE, css, ink))
                shapes.append(Text(x + wide / 2, up + tall + 11, shown, size=LABEL_SIZE))
            else:
                shapes.append(Box(x, middle - 12, wide, 24, css, 5))
                text = f"{fitted(node.state)} {shown}"
                shapes.append(Text(x + wide / 2, middle, text, "fill-ink", 12))
            x += wide + 9
        if not waiting:
            shapes.append(Text(x, middle, "empty", "fill-ink faint", 13, "start"))
        y += row
    room = max(int((width - 2 * _LEFT) / (12 * 0.58)) - 12, 10)
    shapes.append(Text(_LEFT, y + 18, "Expanded", "fill-ink strong", 13, "start"))
    where = _LEFT + text_width("Expanded", 13) + 22
    shapes.append(Text(where, y + 18, _cut(_expanded(scene), room), "fill-ink", 12, "start"))
    return y + 40, shapes


def _fringes(scene: PathScene) -> list[tuple[str, list[str]]]:
    """Each fringe's name, and its first entries in the order in which they would be removed."""
    result = scene.result
    kind = "Fringe"
    if result.procedure in STACKS:
        kind = "Stack, top first"
    elif result.procedure in QUEUES:
        kind = "Queue, next first"
    if result.procedure in _BY:
        kind += f" by {_BY[result.procedure]}" if kind == "Fringe" else f", {_BY[result.procedure]}"
    found = []
    for direction in scene.directions:
        name = f"{direction.capitalize()} queue" if len(scene.directions) > 1 else kind
        waiting = scene.waiting(direction)
        nodes = (scene.tree[k] for k in waiting[:_MAX_LISTED])
        entries = [f"{n.state} {shown_priority(result, n.g, n.priority)}" for n in nodes]
        if len(waiting) > _MAX_LISTED:
            entries.append(f"and {len(waiting) - _MAX_LISTED:,} more")
        found.append((name, entries))
    return found


def _expanded(scene: PathScene) -> str:
    """The names of the expanded nodes, the last ones if there are many."""
    names = scene.result.expanded[: scene.expansions]
    more = "… " if len(names) > _MAX_LISTED else ""
    return more + " ".join(names[-_MAX_LISTED:])


def _in_words(scene: PathScene) -> str:
    """The picture in words, for readers who cannot see it."""
    said = [f"Expanded so far: {_expanded(scene)}."]
    for name, entries in _fringes(scene):
        said.append(f"{name}: {', '.join(entries) or 'empty'}.")
    if scene.path:
        said.append(f"The path is {' '.join(scene.path[:_MAX_LISTED])}.")
    return " ".join(said)


def _outline(scene: PathScene, most: int) -> Iterator[str]:
    """The tree as an outline: ● expanded, ○ waiting, × given up, ▶ the current node."""
    families: dict[int | None, list[int]] = {}
    for k, node in enumerate(scene.tree):
        families.setdefault(node.parent, []).append(k)
    if scene.result.procedure in STACKS:
        families = {parent: family[::-1] for parent, family in families.items()}
    path = set(scene.path_nodes)
    marks = {"expanded": "●", "waiting": "○", "dropped": "×"}
    stack = [(k, "", "") for k in reversed(families.get(None, []))]
    lines = 0
    while stack:
        k, before, branch = stack.pop()
        if lines == most:
            yield f"  {len(scene.tree) - lines:,} more nodes are not shown."
            return
        lines += 1
        node = scene.tree[k]
        label = below_node(scene.result, node)
        if node.why and node.why != "bound":
            label = f"({WHY[node.why]})"
        pointer = "▶ " if k == scene.current else "  "
        bar = branch.replace("─", "→") if k in path and branch else branch
        yield f"{pointer}{before}{bar}{marks[node.status]} {node.state} {label}".rstrip()
        below = families.get(k, [])
        inner = before + {"├─ ": "│  ", "└─ ": "   ", "": ""}[branch]
        stack += [
            (child, inner, "└─ " if child == below[-1] else "├─ ") for child in reversed(below)
        ]
