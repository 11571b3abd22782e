"""A run as data to step through: the stepper's picture, sentences and changes.

It holds the picture once. Each step is the list of nodes that look different after it, so that the
data stay small and a browser can go back as easily as forward. The lab, a notebook and a standalone
page get the same data.
"""

from collections.abc import Sequence
from dataclasses import astuple
from typing import Any

from threefold.textbook.explain import PROCEDURES, Explanation
from threefold.textbook.layout import Layout, lay_out
from threefold.textbook.listing import listing
from threefold.textbook.narration import narrate, steps
from threefold.textbook.phases import LEGEND, PHASES, phase
from threefold.textbook.picture import Look, Looks, edge, frame, look_at, node_shape
from threefold.textbook.replay import Scene, replay, scene
from threefold.textbook.statistics import statistics
from threefold.textbook.trace import Event, plain
from threefold.textbook.treeshape import GROWING

#: More steps or nodes than these would be too much for a browser.
MAX_STEPS = 5_000
MAX_NODES = 2_000


def explained_steps(explained: Explanation, most: int = MAX_NODES) -> dict[str, Any]:
    """The steps of a run, with its result and what it cost."""
    return {
        **stepper(explained.events, most),
        "value": plain(explained.value),
        "path": list(explained.path),
        "pruned": explained.pruned,
        "statistics": plain(vars(statistics(explained.events))),
    }


def stepper(events: Sequence[Event], most: int = MAX_NODES) -> dict[str, Any]:
    """Everything needed to step through a run, in JSON's own types.

    `svg` is the drawing before the first step. A step has its sentence, the kind of its event, the
    line of the procedure's listing, and its changes: pairs of a node, by its index in `nodes`, and
    its new look, by its index in `looks`. If a tree has more than `most` nodes, only its first
    levels are drawn.
    """
    layout = lay_out(events, most)
    sentences = narrate(events)
    wanted, note = _choose(events, steps(sentences), layout)
    looks, changes = _changes(events, wanted, layout)
    start = scene(events, 0)
    shown = [events[step - 1] for step in wanted]
    return {
        **drawing(start, layout),
        "sentences": [sentences[step - 1] for step in wanted],
        "kinds": [event.kind for event in shown],
        "cutoffs": [i for i, event in enumerate(shown) if event.kind == "cutoff"],
        **_phased(start.shape.procedure, shown),
        "looks": looks,
        "changes": changes,
        "note": note,
        **_listed(start.shape.procedure, shown),
    }


def drawing(start: Scene, layout: Layout) -> dict[str, Any]:
    """The picture before the first step, and what is needed to place its nodes again."""
    looks = look_at(start, layout)
    shape, index = start.shape, {node: i for i, node in enumerate(looks)}
    edges = [
        edge(shape, layout, node, look, changing=True)
        for node, look in looks.items()
        if node != shape.root
    ]
    nodes = [node_shape(shape, layout, node, look, changing=True) for node, look in looks.items()]
    return {
        "svg": frame(start, layout, edges + nodes, []).unstyled,
        "nodes": list(index),
        "parents": [index.get(shape.parent.get(node, ""), -1) for node in index],
        "layout": layout.to_json(shape),
    }


def _listed(procedure: str, shown: Sequence[Event]) -> dict[str, Any]:
    """The procedure's listing, and the line of it that each event belongs to."""
    if procedure not in PROCEDURES:
        return {"procedure": procedure}
    code = listing(PROCEDURES[procedure])
    return {
        "procedure": procedure,
        "listing": list(code.lines),
        "printed": {str(line): text for line, text in code.printed.items()},
        "lines": [code.place(event.line) for event in shown],
    }


def _phased(procedure: str, shown: Sequence[Event]) -> dict[str, Any]:
    """The phase of each step, if the procedure has phases."""
    if procedure not in GROWING:
        return {}
    return {"phases": list(PHASES), "phase": [phase(event) for event in shown], "legend": LEGEND}


def _choose(events: Sequence[Event], wanted: list[int], layout: Layout) -> tuple[list[int], str]:
    """The steps to show: all with a sentence or, if there are too many, those of drawn nodes."""
    if len(wanted) <= MAX_STEPS:
        return wanted, ""
    drawn = [step for step in wanted if events[step - 1].node in layout.hidden]
    kept = drawn[: MAX_STEPS - 1] + drawn[MAX_STEPS - 1 :][-1:]
    left_out = len(wanted) - len(kept)
    return kept, f"{left_out:,} steps of this long run are left out."


def _changes(
    events: Sequence[Event], wanted: Sequence[int], layout: Layout
) -> tuple[list[list[str]], list[list[int]]]:
    """The different looks, and for each step the numbers node, look, node, look…"""
    numbers: dict[Look, int] = {}
    looks = Looks(layout)
    changes = []
    showing = set(wanted)
    for now in replay(events):
        looks.watch(now)
        if now.step in showing:
            change = []
            for node, look in looks.changes(now).items():
                change += [layout.place(node), numbers.setdefault(look, len(numbers))]
            changes.append(change)
    return [list(astuple(look)) for look in numbers], changes
