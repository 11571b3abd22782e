"""Monte Carlo tree search in words: its four phases, the bounds, and what it concludes."""

from collections.abc import Callable, Sequence

from threefold.textbook.replay import Scene, show, show_rounded
from threefold.textbook.statistics import statistics
from threefold.textbook.trace import Event, pruned, visited
from threefold.textbook.treeshape import named, short

PHASES = ("Selection", "Expansion", "Simulation", "Back-up")
_OF_EVENT = {"select": 0, "draw": 0, "stop": 0, "grow": 1, "playout": 2, "back-up": 3}
#: The symbols of the picture.
LEGEND = (
    "▲ MAX, ▼ MIN, ● chance, ■ leaf. Beside a node: the mean outcome for MAX, its visits n, and u, "
    "the upper confidence bound at the last choice: mean + c·√(ln N / n), where N is the parent's "
    "n, and for MIN the mean is negated. → is the outcome of the round's playout. Thick: the "
    "round's path, and in the end the most visited line. Dashes and dots: the playout."
)
#: Beyond this many children, only the highest bounds are told.
_MAX_TOLD = 4
#: Of more nodes that were never visited, only the number is told.
_MAX_LISTED = 20
#: Why the selection goes no further.
_WHY = {
    "over": "which has no moves",
    "deep enough": "at the depth limit",
    "new": "which was not in the tree yet",
    "untried": "where not every move was tried",
}


def phase(event: Event) -> int | None:
    """The phase that an event belongs to, as an index of `PHASES`."""
    return _OF_EVENT.get(event.kind)


def estimate(events: Sequence[Event], path: Sequence[str]) -> str:
    """What the simulations found: the mean, the moves at the root, and how large the tree is."""
    root, last = events[0].node, {event.node: event for event in events if event.kind == "back-up"}
    expanded = [event for event in events if event.kind == "expand" and event.node == root]
    moves = [
        f"{move.removeprefix(f'{root}/')} {show_rounded(last[move]['mean'])} "
        f"({last[move]['visits']:,})"
        for event in expanded
        for move in event["children"]
        if move in last
    ]
    never, entered = pruned(events), visited(events)
    listed = " ".join(never) if len(never) <= _MAX_LISTED else f"{len(never):,} nodes"
    return "\n".join(
        (
            f"value {show_rounded(events[-1]['value'])}, the mean of {_rounds(events)}",
            *([f"most visited: {' '.join(path)}"] if path else ()),
            *([f"means (visits): {', '.join(moves)}"] if moves else ()),
            f"never visited: {listed or 'nothing'}",
            f"nodes in the tree: {len(last):,}, visits of nodes: {len(entered):,}, "
            f"depth: {statistics(events).depth}",
        )
    )


def _rounds(events: Sequence[Event]) -> str:
    number = sum(event.kind == "round" for event in events)
    return f"{number:,} {'simulation' if number == 1 else 'simulations'}"


def told(event: Event, scene: Scene, _after: Event | None) -> str:
    """The sentence of a step of a phase."""
    name = PHASES[_OF_EVENT[event.kind]].lower()
    return f"Round {scene.round}, {name}: {_TELLING[event.kind](event, scene)}"


def _select(event: Event, scene: Scene) -> str:
    mover, chosen = scene.shape.player.get(event.node), short(scene.shape, event["child"])
    rows = list(
        zip(event["children"], event["counts"], event["means"], event["bounds"], strict=True)
    )
    shown = rows
    if len(rows) > _MAX_TOLD:
        shown = sorted(rows, key=lambda row: -row[3])[: _MAX_TOLD - 1]
    sign = -1 if mover == "MIN" else 1
    c, visits = show_rounded(event["exploration"]), event["visits"]
    bounds = [
        f"{short(scene.shape, child)}: {show_rounded(sign * mean)} + {c}·√(ln {visits} / {n}) = "
        f"{show_rounded(bound)}"
        for child, n, mean, bound in shown
    ]
    more = [f"{len(rows) - len(shown)} more are no higher"] if len(shown) < len(rows) else []
    return (
        f"{mover} at {named(event.node)} takes {chosen}, the highest bound. "
        f"{'; '.join([*bounds, *more])}."
    )


def _draw(event: Event, scene: Scene) -> str:
    weight = scene.shape.weight.get(event["child"])
    chance = f", with probability {show(weight)}" if weight is not None else ""
    node = named(event.node)
    return f"chance at {node} draws {short(scene.shape, event['child'])}{chance}."


def _stop(event: Event, _scene: Scene) -> str:
    return f"it stops at {named(event.node)}, {_WHY[event['why']]}."


def _grow(event: Event, scene: Scene) -> str:
    if not event["new"]:
        return "there is nothing to add."
    node, parent = short(scene.shape, event.node), scene.shape.parent[event.node]
    if scene.shape.player.get(parent) == "CHANCE":
        return f"{node} joins the tree."
    return f"{node}, the first untried move at {named(parent)}, joins the tree."


def _playout(event: Event, scene: Scene) -> str:
    node, value, plies = named(event.node), show(event["value"]), event["plies"]
    worth = f"worth {value}" if event["how"] == "over" else f"where the static value is {value}"
    if plies == 0:
        return f"there is nothing to play out at {node}, {worth}."
    moves = f"{plies:,} random {'move' if plies == 1 else 'moves'}"
    if event["how"] == "too long":
        return f"after {moves} from {node} the game counts as a draw, {value}."
    leads = "leads" if plies == 1 else "lead"
    if scene.shape.written:
        return f"from {node}, {moves} {leads} to {event['end']}, {worth}."
    end = "the end of the game" if event["how"] == "over" else "a position"
    return f"from {node}, {moves} {leads} to {end}, {worth}."


def _back_up(event: Event, _scene: Scene) -> str:
    visits = f"{event['visits']} {'visit' if event['visits'] == 1 else 'visits'}"
    mean = show_rounded(event["mean"])
    return f"{named(event.node)} now has {visits} and the mean {mean}."


_TELLING: dict[str, Callable[[Event, Scene], str]] = {
    "select": _select,
    "draw": _draw,
    "stop": _stop,
    "grow": _grow,
    "playout": _playout,
    "back-up": _back_up,
}


def concluded(event: Event, scene: Scene) -> str:
    """What all rounds together say."""
    rounds = f"{scene.round} {'round' if scene.round == 1 else 'rounds'}"
    mean = f"after {rounds}, the mean at {named(event.node)} is {show_rounded(event['value'])}"
    line = ", ".join(short(scene.shape, node) for node in event["line"])
    return f"{mean}; the most visited line is {line}." if line else f"{mean}."
