"""Path search drawn: the scene at every step, its pictures, its text, and its page."""

import itertools
import math
import xml.etree.ElementTree as ET
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threefold import ThreefoldError
from threefold.textbook import path_picture, path_trace, paths
from threefold.textbook.graph import LECTURE_GRAPH, Graph, Problem, parse_graph
from threefold.textbook.graph_layout import RADIUS, lay_out_graph
from threefold.textbook.path_narration import narrate
from threefold.textbook.path_picture import PathSlides
from threefold.textbook.path_scene import replay
from threefold.textbook.path_trace import PathResult, PathTrace
from threefold.textbook.paths import PATH_PROCEDURES, a_star, uniform_cost
from threefold.textbook.puzzle import GOAL, Puzzle
from threefold.textbook.shapes import Box, Circle, Line, Text

LECTURE = parse_graph(LECTURE_GRAPH)
NAMES = "ABCDEFG"
SVG = "{http://www.w3.org/2000/svg}"


def searched(name: str, problem: Problem, start: str, goal: str) -> PathResult:
    more = {"limit": 4} if name == "depth-limited" else {}
    return PATH_PROCEDURES[name](problem, start, goal, **more)


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    pairs = draw(
        st.sets(st.sampled_from(list(itertools.product(NAMES, NAMES))), min_size=4, max_size=20)
    )
    cost = st.integers(0, 9)
    edges = [(one, other, draw(cost)) for one, other in sorted(pairs)]
    return Graph(edges, {name: draw(cost) for name in NAMES})


# The events tell everything.


@pytest.mark.parametrize("name", PATH_PROCEDURES)
@given(graph=graphs())
def test_the_fringe_is_rebuilt_from_the_events(name: str, graph: Graph) -> None:
    result = searched(name, graph, "A", "G")
    scenes = 0
    for scene in replay(result):
        scenes += 1
        if scene.expansions < scene.step:
            assert scene.step == len(result.expanded) + 1, "only the last step expands nothing"
            continue
        here = scene.tree[scene.current or 0]
        assert here.state == result.expanded[scene.step - 1]
        fringe = sorted(
            ((scene.tree[k].priority, scene.tree[k].state) for k in scene.fringe),
            key=lambda entry: (entry[0], entry[1]),
        )
        if not scene.path:
            assert [(s, p) for p, s in fringe] == result.fringes[scene.step - 1]
        if scene.step < len(result.expanded) and not result.directions:
            following = scene.waiting()
            # A new iteration begins with another tree.
            if following:
                assert scene.tree[following[0]].state == result.expanded[scene.step]
    assert scenes == len(narrate(result))


@pytest.mark.parametrize("name", PATH_PROCEDURES)
@given(graph=graphs())
def test_the_path_is_a_path_of_the_tree(name: str, graph: Graph) -> None:
    result = searched(name, graph, "A", "G")
    *_, last = replay(result)
    states = [last.tree[k].state for k in last.path_nodes]
    if result.met is None:
        assert states == result.path
    else:
        there = result.path.index(result.met) + 1
        assert states == result.path[:there] + result.path[there - 1 :][::-1]


def test_a_reopened_state_has_two_nodes_in_the_tree() -> None:
    """The old one keeps its place, and what was generated below it is replaced."""
    result = a_star(parse_graph("A B 1\nA C 3\nB C 1\nC G 7\nh B 6"), "A", "G")
    *_, last = replay(result)
    nodes = [(node.state, node.status, node.why, node.order) for node in last.tree]
    assert nodes == [
        ("A", "expanded", "", 1),
        ("B", "expanded", "", 3),
        ("C", "expanded", "", 2),
        ("G", "dropped", "replaced", 0),
        ("C", "expanded", "", 4),
        ("G", "expanded", "", 5),
    ]
    assert last.path_nodes == [0, 1, 4, 5]


# Pictures.


def inside(slides: PathSlides, step: int) -> None:
    """Every shape of a step is on the sheet."""
    drawing = slides.draw(slides.at(step))
    for shape in drawing.shapes:
        match shape:
            case Circle(x, y, r):
                box = x - r, y - r, x + r, y + r
            case Box(x, y, width, height):
                box = x, y, x + width, y + height
            case Line(points):
                xs, ys = zip(*points, strict=True)
                box = min(xs), min(ys), max(xs), max(ys)
            case _:
                box = shape.x, shape.y, shape.x, shape.y
        left, top, right, bottom = box
        assert left >= 0
        assert top >= 0
        assert right <= drawing.width, shape
        assert bottom <= drawing.height, shape


@pytest.mark.parametrize("name", PATH_PROCEDURES)
def test_every_step_is_drawn(name: str) -> None:
    slides = PathSlides(searched(name, LECTURE, "A", "G"))
    assert slides.steps == len(slides.sentences)
    for step in range(1, slides.steps + 1):
        inside(slides, step)
        picture = slides.picture(step)
        tree = ET.fromstring(picture)
        said = "".join(tree.itertext())
        assert tree.find(f"{SVG}title") is not None
        assert tree.find(f"{SVG}desc") is not None
        for word in slides.sentences[step - 1].split():
            assert word in said
        assert picture == PathSlides(searched(name, LECTURE, "A", "G")).picture(step)
        tikz = slides.tikz(step)
        assert tikz.count("{") == tikz.count("}")
        assert tikz.isascii()


def test_the_picture_says_what_the_lecture_says() -> None:
    slides = PathSlides(a_star(LECTURE, "A", "G"))
    drawn = slides.draw(slides.at(3))
    texts = [shape.text for shape in drawn.shapes if isinstance(shape, Text)]
    for text in ("E 7+1=8", "F 7+4=11", "B 4+8=12", "h=8", "A C D", "Fringe by f = g + h"):
        assert text in texts
    assert "The path is" not in drawn.about
    final = slides.draw(slides.at())
    assert "The path is A C D E G." in final.about
    bold = [s for s in final.shapes if isinstance(s, Line) and s.css == "line-max bold"]
    assert len(bold) == 8, "four edges of the graph and four of the tree"


def test_the_text_of_a_step() -> None:
    slides = PathSlides(uniform_cost(LECTURE, "A", "G"))
    assert slides.text(slides.at(3), 80).splitlines() == [
        "Fringe by g: B 4, E 7, F 7",
        "Expanded: A C D",
        "",
        "  ● A 0",
        "  ├─ ○ B 4",
        "  └─ ● C 1",
        "     ├─ × C (expanded before)",
        "▶    ├─ ● D 3",
        "     │  ├─ × C (expanded before)",
        "     │  └─ ○ E 7",
        "     └─ ○ F 7",
    ]
    assert slides.text(slides.at(), 80).splitlines()[-1] == "Path: A C D E G, cost 9"
    assert all(len(line) <= 12 for line in slides.text(slides.at(), 12).splitlines())


@pytest.mark.parametrize("step", [0, -1, 8])
def test_steps_that_do_not_exist(step: int) -> None:
    with pytest.raises(ThreefoldError, match=f"step {step} is not between 1 and 7"):
        PathSlides(uniform_cost(LECTURE, "A", "G")).at(step)


# Layout of the state space.


@given(graph=graphs())
def test_nodes_keep_apart(graph: Graph) -> None:
    layout = lay_out_graph(graph, "A")
    places = {name: (layout.x[name], layout.y[name]) for name in graph.nodes}
    for one, other in itertools.combinations(places.values(), 2):
        assert math.dist(one, other) > 2 * RADIUS + 20
    drawn = {(road.one, road.other) for road in layout.roads}
    drawn |= {(road.other, road.one) for road in layout.roads if road.both}
    assert drawn == {(one, other) for one in graph.nodes for other, _ in graph.successors(one)}


def test_the_lectures_graph_is_laid_out_by_steps() -> None:
    layout = lay_out_graph(LECTURE, "A")
    columns = sorted({layout.x[name] for name in NAMES})
    assert [columns.index(layout.x[name]) for name in NAMES] == [0, 1, 1, 2, 2, 2, 3]
    (two_way,) = (road for road in layout.roads if road.both)
    assert {two_way.one, two_way.other} == {"C", "D"}
    labels = [road.label for road in layout.roads]
    assert all(math.dist(a, b) > 14 for a, b in itertools.combinations(labels, 2))


def test_parts_that_are_not_joined_are_drawn_too() -> None:
    graph = parse_graph("A B 1\nX B 2\nP Q 3\nR R 1\nA G 1")
    layout = lay_out_graph(graph, "A")
    assert set(layout.x) == set(graph.nodes)


# What is too big.


def test_a_big_graph_is_not_drawn_but_its_tree_is() -> None:
    graph = Graph([(f"n{i:02}", f"n{i + 1:02}", 1) for i in range(60)])
    slides = PathSlides(uniform_cost(graph, "n00", "n60"))
    drawn = slides.draw(slides.at(5))
    assert drawn.notes == ["The graph has 61 nodes: only the search tree is drawn."]
    assert "State space" not in [s.text for s in drawn.shapes if isinstance(s, Text)]


def test_a_long_run_keeps_its_first_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = a_star(Puzzle(), "724506831", GOAL)
    monkeypatch.setattr(path_trace, "MAX_EVENTS", 100)
    short = a_star(Puzzle(), "724506831", GOAL)
    assert len(short.events) == 100
    assert short.to_json() == whole.to_json()
    slides = PathSlides(short)
    assert slides.sentences == narrate(whole)[: slides.steps]
    assert 10 < slides.steps < 100
    assert any("later steps" in note for note in slides.draw(slides.at()).notes)
    assert narrate(short)[-1] == narrate(whole)[-1]
    assert len(narrate(short)) == len(narrate(whole))


def test_a_big_tree_is_drawn_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(path_picture, "MAX_TREE_OF_BOARDS", 25)
    slides = PathSlides(a_star(Puzzle(), "724506831", GOAL))
    drawn = slides.draw(slides.at())
    assert any("more nodes of the search tree are not drawn" in note for note in drawn.notes)
    bold = [s for s in drawn.shapes if isinstance(s, Line) and s.css == "line-max bold"]
    assert len(bold) == 20, "the path is drawn even so"


# The data of the page.


def test_the_stepper_has_every_step() -> None:
    slides = PathSlides(a_star(LECTURE, "A", "G"))
    data: dict[str, Any] = slides.stepper()
    assert data["sentences"] == slides.sentences
    assert len(data["frames"]) == len(data["texts"]) == len(data["focus"]) == 5
    for step, frame in enumerate(data["frames"], 1):
        drawn = slides.draw(slides.at(step))
        assert [data["parts"][k] for k in frame] == [shape.svg() for shape in drawn.shapes]
    assert data["listing"][0].startswith("def best_first(problem, start, goal")
    assert "trace" not in "".join(data["listing"])
    marked = [data["listing"][line].strip() for line in data["lines"]]
    assert marked == [
        *["node = fringe.remove_best()"] * 4,
        "if problem.is_goal(node, goal):",
    ]


class Silent(paths._Front):
    """A side of a bidirectional search that reports to nobody."""

    def generate(self, node: str, trace: PathTrace | None = None) -> None:
        super().generate(node, trace or PathTrace("", 0, 0))


#: What the procedures pass on to the code that they share.
SHARED: dict[str, dict[str, Any]] = {
    "uniform-cost": {"priority": lambda _, g: g},
    "greedy": {"priority": lambda node, _: LECTURE.estimate(node)},
    "a-star": {"priority": lambda node, g: g + LECTURE.estimate(node), "reopen": True},
    "depth-limited": {"limits": [4]},
    "iterative-deepening-search": {"limits": itertools.count()},
}


@pytest.mark.parametrize("name", PATH_PROCEDURES)
def test_listings_are_what_ran(name: str) -> None:
    """They have nothing of the record, and run by themselves they find the same path."""
    result = searched(name, LECTURE, "A", "G")
    data = PathSlides(result).stepper()
    assert "trace" not in "".join(data["listing"])
    assert all(line is not None for line in data["lines"])
    rooms: dict[str, Any] = {**vars(paths), "_Front": Silent}
    exec("\n".join(data["listing"]), rooms)
    assert result.code is not None
    again = rooms[result.code.__name__]
    assert again(LECTURE, "A", "G", **SHARED.get(name, {})) == result.path


def test_fractions_are_shown_exactly() -> None:
    graph = Graph([("A", "G", Fraction(1, 10))])
    slides = PathSlides(uniform_cost(graph, "A", "G"))
    assert "○ G 0.1" in slides.text(slides.at(1), 80)


def test_a_notebook_shows_a_search() -> None:
    result = a_star(LECTURE, "A", "G")
    shown = result._repr_mimebundle_()
    assert shown["text/plain"] == str(result) == "path A C D E G, cost 9, 5 expanded"
    assert shown["image/svg+xml"] == PathSlides(result).picture()
    assert str(a_star(LECTURE, "G", "A")) == "no path (failure), 1 expanded"
