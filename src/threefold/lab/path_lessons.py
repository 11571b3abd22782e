"""Search for one agent on a page: paths on a graph or the 8-puzzle, and local search."""

import inspect
from typing import Any

from threefold.lab.gallery import Gallery
from threefold.lab.limits import (
    MAX_CITIES,
    MAX_EXPANSIONS,
    MAX_GRAPH_TEXT,
    MAX_LESSON_SECONDS,
    MAX_PATH_LIMIT,
    MAX_QUEENS,
    MAX_SEED,
)
from threefold.lab.requests import Request
from threefold.textbook.graph import LECTURE_GRAPH, parse_graph
from threefold.textbook.local import hill_climbing, random_cities, simulated_annealing
from threefold.textbook.local_picture import QueenSlides, TourSlides
from threefold.textbook.path_picture import PathSlides
from threefold.textbook.path_trace import PathResult
from threefold.textbook.paths import PATH_PROCEDURES
from threefold.textbook.puzzle import GOAL, Puzzle
from threefold.textbook.slides import Slides
from threefold.textbook.trace import at_most, plain

#: Characters of a node's name and of a puzzle.
_MAX_NAME = 100
#: A puzzle that every informed search solves in a few steps.
_FIRST_PUZZLE = "013425786"


def path_procedures(_gallery: Gallery, _request: Request) -> dict[str, Any]:
    """What can be searched, and how."""
    return {
        "procedures": [
            {"name": name, "about": inspect.getdoc(procedure) or ""}
            for name, procedure in PATH_PROCEDURES.items()
        ],
        "graph": LECTURE_GRAPH,
        "from": "A",
        "to": "G",
        "puzzle": _FIRST_PUZZLE,
        "most": MAX_PATH_LIMIT,
        "queens": MAX_QUEENS,
        "cities": MAX_CITIES,
        "seeds": MAX_SEED,
    }


def step_path(_gallery: Gallery, request: Request) -> dict[str, Any]:
    """One run of a path search, every step of it."""
    with at_most(MAX_EXPANSIONS, MAX_LESSON_SECONDS):
        found = _found(request)
        return PathSlides(found).stepper() | {
            "outcome": found.outcome,
            "path": found.path,
            "cost": plain(found.cost),
            "expanded": len(found.expanded),
        }


def step_local(_gallery: Gallery, request: Request) -> dict[str, Any]:
    """One run of hill climbing on a board of queens, or of annealing on random cities."""
    seed = request.whole("seed", 0, MAX_SEED, 0)
    with at_most(MAX_EXPANSIONS, MAX_LESSON_SECONDS):
        slides: Slides[Any]
        if request.has("queens"):
            slides = QueenSlides(hill_climbing(request.whole("queens", 1, MAX_QUEENS), seed))
        else:
            cities = random_cities(request.whole("cities", 3, MAX_CITIES), seed)
            slides = TourSlides(simulated_annealing(cities, seed))
        return slides.stepper() | {"summary": slides.sentences[-1]}


def _found(request: Request) -> PathResult:
    name = request.choice("procedure", PATH_PROCEDURES)
    limit = {}
    if name == "depth-limited":
        limit = {"limit": request.whole("limit", 0, MAX_PATH_LIMIT, 3)}
    if request.has("puzzle"):
        return PATH_PROCEDURES[name](Puzzle(), request.text("puzzle", _MAX_NAME), GOAL, **limit)
    graph = parse_graph(request.text("graph", MAX_GRAPH_TEXT))
    start, goal = request.text("from", _MAX_NAME), request.text("to", _MAX_NAME)
    return PATH_PROCEDURES[name](graph, start, goal, **limit)
