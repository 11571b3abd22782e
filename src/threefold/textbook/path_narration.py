"""A path search in sentences, one for each step."""

from threefold.textbook.path_trace import PathResult, steps_of
from threefold.textbook.trace import Event
from threefold.textbook.tree import Number, format_number


def narrate(result: PathResult) -> list[str]:
    """One plain sentence per step, and one more if no path was found."""
    sentences: list[str] = []
    waiting: dict[str, Number] = {}
    iterations = 0
    for step in steps_of(result.events):
        expanded = next((event for event in step if event.kind == "expand"), None)
        if expanded is None:
            continue
        iterations += step[0].kind == "iterate"
        opening = _opening(result, step, expanded, iterations)
        change = _entering(step, waiting) or _nothing(result)
        if step[-1].kind in {"goal", "meet"}:
            change = _ending(result)
        sentences.append(f"{opening}: {change}.")
    if len(sentences) < len(result.expanded):
        # A long run keeps only its first events, and the last one kept may be in mid-step.
        sentences[-1:] = [f"Expand {node}." for node in result.expanded[len(sentences) - 1 :]]
        if result.path:
            sentences[-1] = f"Expand {result.expanded[-1]}: {_ending(result)}."
    if not result.path:
        beyond = "Nothing is left within the limit, but something lies beyond it: no path so far."
        nothing = "Nothing is left to expand: no path was found."
        sentences.append(beyond if result.cut_off else nothing)
    return sentences


def _opening(result: PathResult, step: list[Event], expanded: Event, iterations: int) -> str:
    opening = f"Expand {expanded.node}"
    if result.directions:
        opening = f"{expanded['direction'].capitalize()}, expand {expanded.node}"
    if step[0].kind == "iterate":
        bound = format_number(step[0]["bound"])
        name = f"Limit {bound}" if step[0]["steps"] else f"Contour {iterations}, up to {bound}"
        opening = f"{name}: expand {expanded.node}"
    return opening


def _nothing(result: PathResult) -> str:
    if result.limits:
        return "nothing new within the limit"
    return "nothing new within the bound" if result.bounds else "nothing new enters"


def _entering(step: list[Event], waiting: dict[str, Number]) -> str:
    """What a step changed in the fringe; `waiting` has the priorities given so far."""
    parts = []
    entered = [event for event in step if event.kind == "generate"]
    for event in sorted(entered, key=lambda event: (event["priority"], event.node)):
        name, shown = event.node, format_number(event["priority"])
        before, waiting[name] = waiting.get(name), event["priority"]
        match event["why"]:
            case "better" if before is not None and before != event["priority"]:
                parts.append(f"{name} improves from {format_number(before)} to {shown}")
            case "again":
                parts.append(f"{name} enters again with {shown}, by a cheaper path")
            case "top":
                parts.append(f"{name} moves to the top with {shown}")
            case "new":
                parts.append(f"{name} enters with {shown}")
    return ", ".join(parts)


def _ending(result: PathResult) -> str:
    assert result.cost is not None
    found = f"{' '.join(result.path)} costs {format_number(result.cost)}"
    if result.met is None:
        return f"it is the goal, and {found}"
    return f"the two searches have met at {result.met}, and {found}"
