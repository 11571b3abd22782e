"""The textbook for a page: procedures to step through and to compare, trees, exercises."""

import inspect
import math
import random
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from threefold.errors import ThreefoldError
from threefold.lab.gallery import Gallery
from threefold.lab.limits import (
    MAX_EVENTS,
    MAX_EXPLORATION,
    MAX_LESSON_SECONDS,
    MAX_LESSON_SIMULATIONS,
    MAX_NODES,
    MAX_POSITION,
    MAX_TREE_TEXT,
)
from threefold.lab.requests import BadRequest, Request
from threefold.textbook import exercise as exercises
from threefold.textbook.answers import BadAnswer
from threefold.textbook.chart import chart
from threefold.textbook.compare import USUAL, Comparison, Theory, compare
from threefold.textbook.cut import CUTS
from threefold.textbook.explain import PROCEDURES, Explanation, explain, takes
from threefold.textbook.gametree import GameNode
from threefold.textbook.layout import lay_out
from threefold.textbook.listing import listing
from threefold.textbook.mcts import SIMULATIONS
from threefold.textbook.ordering import ORDERS, reorder, uniform, uniform_text
from threefold.textbook.picture import draw
from threefold.textbook.presets import PRESETS
from threefold.textbook.replay import scene
from threefold.textbook.sheet import html
from threefold.textbook.stepping import drawing, explained_steps
from threefold.textbook.trace import Event, at_most, plain
from threefold.textbook.tree import Node, format_number, parse_tree, walk
from threefold.textbook.treeshape import MAX_DRAWN

T = TypeVar("T")

#: As deep as a reader can follow on a page.
_MAX_DEPTH = 12
#: Leaves of the trees that a chart is made of.
_MOST_LEAVES = 800
#: Procedures that are stepped through side by side.
_MAX_RUNS = 4


def procedures(_gallery: Gallery, _request: Request) -> dict[str, Any]:
    """What can be explained, in which orders, and the worked examples."""
    return {
        "procedures": [
            {
                "name": name,
                "about": inspect.getdoc(procedure) or "",
                "listing": listing(procedure).lines,
                "cut": takes(name, "cut"),
                "simulations": takes(name, "simulations"),
            }
            for name, procedure in PROCEDURES.items()
        ],
        "orders": list(ORDERS),
        "presets": [vars(preset) for preset in PRESETS],
        "exercises": list(exercises.CUTS),
        "simulations": {"first": SIMULATIONS, "most": MAX_LESSON_SIMULATIONS},
    }


def step_through(gallery: Gallery, request: Request) -> dict[str, Any]:
    """One run of a procedure, every step of it."""
    name = request.choice("procedure", PROCEDURES)
    return _steps(_explained(gallery, request, name, request.choice("order", ORDERS, "given")))


def side_by_side(gallery: Gallery, request: Request) -> dict[str, Any]:
    """Several procedures or orders on one tree: what each costs, and the runs to step through."""
    chosen = request.texts("procedures", len(PROCEDURES)) or list(USUAL)
    orders = request.texts("orders", len(ORDERS)) or ["given"]
    root, depth = _root(gallery, request), _depth(request)
    compared = _within_reason(
        compare, root, chosen, orders, depth, request.whole("seed", 0, 1 << 31, 0)
    )
    runs = [(name, order) for order in orders for name in chosen]
    return compared.to_json() | {
        "runs": [
            _steps(_explained(gallery, request, name, order)) | {"order": order}
            for name, order in runs[:_MAX_RUNS]
        ],
        **_charted(root, chosen, depth, compared.theory),
    }


def _charted(
    root: Node, chosen: list[str], depth: int | None, theory: Theory | None
) -> dict[str, Any]:
    """Nodes against depth, for the tree itself or for random trees.

    The random trees branch like it; they are used if it has values only at its leaves.
    """
    branching = theory.branching if theory else None
    results = _by_depth(lambda _: root, chosen, depth or _height(root))
    of = "this tree, cut off at each depth"
    if len(results) < 2 and branching is not None and branching > 1:
        deepest = int(math.log(_MOST_LEAVES, branching))
        results = _by_depth(lambda d: uniform(branching, d, seed=d), chosen, deepest)
        of = f"random trees with {branching} children a node"
    if len(results) < 2:
        return {"chart": None, "chart_of": ""}
    return {"chart": chart(results, branching).unstyled, "chart_of": of}


def _by_depth(
    tree: Callable[[int], Node], chosen: list[str], deepest: int
) -> dict[int, Comparison]:
    results: dict[int, Comparison] = {}
    for d in range(1, min(deepest, _MAX_DEPTH) + 1):
        with suppress(ThreefoldError):  # no static values inside the tree, or too many steps
            results[d] = _within_reason(compare, tree(d), chosen, ("given",), d)
    return results


def _height(root: Node) -> int:
    if isinstance(root, GameNode):
        return 1
    height, layer = 0, [root]
    while layer := [child for node in layer for child in node.children]:
        height += 1
    return height


def tree(_gallery: Gallery, request: Request) -> dict[str, Any]:
    """A tree from its text: every node for a page to edit, and its picture."""
    text = request.text("tree", MAX_TREE_TEXT)
    root = parse_tree(text)
    events = [Event("start", root.name, {"procedure": "minimax", "tree": text})]
    return {
        "tree": text,
        "svg": draw(events, 0).unstyled,
        "picture": drawing(scene(events, 0), lay_out(events)),
        "nodes": [
            {
                "name": node.name,
                "player": node.player,
                "value": None if node.value is None else plain(node.value),
                "quiet": node.quiet,
                "children": [child.name for child in node.children],
                "weights": [format_number(weight) for weight in node.weights],
            }
            for node in walk(root)
        ],
    }


def random_tree(_gallery: Gallery, request: Request) -> dict[str, Any]:
    """A random tree, the same for the same seed."""
    rng = random.Random(request.whole("seed", 0, 1 << 31, 1))
    branching, depth = request.whole("branching", 1, 8, 3), request.whole("depth", 1, 6, 3)
    if branching**depth > 2_000:
        raise BadRequest("a tree of at most 2,000 leaves is drawn; take fewer branches or plies")
    low, high = request.whole("least", -999, 999, -9), request.whole("most", -999, 999, 9)
    if low > high:
        raise BadRequest("the least value is above the most")

    leaves = (rng.randint(low, high) for _ in range(branching**depth))
    return {"tree": uniform_text(branching, depth, leaves)}


def exercise(_gallery: Gallery, request: Request) -> dict[str, Any]:
    """An exercise, by its seed or on the teacher's own tree."""
    name = request.choice("procedure", exercises.CUTS, "alphabeta")
    if request.has("tree"):
        one = exercises.Exercise(request.text("tree", MAX_TREE_TEXT), name)
    else:
        one = exercises.new(
            request.whole("seed", 0, 1 << 31, 1),
            request.whole("branching", 1, 5, 3),
            request.whole("depth", 1, 5, 3),
            name,
        )
    root = one.root
    nodes = sum(1 for _ in walk(root))
    if nodes > MAX_DRAWN:
        raise BadRequest(f"this tree has {nodes:,} nodes; an exercise has at most {MAX_DRAWN}")
    return one.to_json() | {
        "svg": one.picture().unstyled,
        "questions": exercises.questions(one),
        "inner": [node.name for node in walk(root) if node.children and node is not root],
        "moves": [child.name for child in root.children],
        "nodes": [node.name for node in walk(root) if node is not root],
        "page": html([one]),
    }


def check(_gallery: Gallery, request: Request) -> dict[str, Any]:
    """The marks for a completed sheet, and the solved tree if everything is right.

    The answers may come one by one instead; then one that cannot be read is reported by its field.
    """
    if request.has("sheet"):
        marks = exercises.check(request.text("sheet", MAX_TREE_TEXT))
    else:
        procedure = request.choice("procedure", exercises.CUTS)
        one = exercises.Exercise(request.text("tree", MAX_TREE_TEXT), procedure)
        answers = {key: request.text(key, MAX_TREE_TEXT, "") for key in exercises.questions(one)}
        try:
            marks = exercises.mark(one, answers)
        except BadAnswer as problem:
            where = {"field": problem.field, "node": problem.node}
            return {"problem": {**where, "text": str(problem)}}
    solved = {"svg": marks.exercise.picture(solved=True).unstyled} if marks.right else {}
    return marks.to_json() | {"right": marks.right, "points": marks.points, "of": marks.of} | solved


def _root(gallery: Gallery, request: Request) -> Node:
    if request.has("tree"):
        return parse_tree(request.text("tree", MAX_TREE_TEXT))
    game = gallery.game(request)
    position = game.position(request.text("position", MAX_POSITION, "") or None)
    return GameNode(game, position, readable=True)


def _depth(request: Request) -> int | None:
    return request.whole("depth", 0, _MAX_DEPTH) if request.has("depth") else None


def _explained(gallery: Gallery, request: Request, name: str, order: str) -> Explanation:
    root, depth = _root(gallery, request), _depth(request)
    simulates = takes(name, "simulations")
    if isinstance(root, GameNode) and depth is None and not simulates:
        raise BadRequest("on a game, say how many plies to look")
    text = request.text("tree", MAX_TREE_TEXT).strip() if request.has("tree") else None
    seed = request.whole("seed", 0, 1 << 31, 0)
    if order != "given":
        root, text = _within_reason(reorder, root, order, depth, seed), None
    options: dict[str, Any] = {}
    if request.has("cut"):
        options["cut"] = request.choice("cut", [*map(str, CUTS)])
    if simulates:
        most = MAX_LESSON_SIMULATIONS
        options |= {"seed": seed, "simulations": request.whole("simulations", 1, most, SIMULATIONS)}
        if request.has("exploration"):
            options["exploration"] = request.number("exploration", 0, MAX_EXPLORATION)
    return _within_reason(explain, name, root, depth=depth, tree=text, **options)


def _steps(explained: Explanation) -> dict[str, Any]:
    return explained_steps(explained, MAX_NODES)


def _within_reason(work: Callable[..., T], *args: Any, **options: Any) -> T:
    """Run a procedure, unless it takes more steps than a page can show."""
    with at_most(MAX_EVENTS, MAX_LESSON_SECONDS):
        return work(*args, **options)
