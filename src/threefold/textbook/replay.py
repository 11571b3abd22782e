"""The state of the drawing after any step, from the events alone.

A `Scene` is what is known about the tree of a run after the first k events. `scene` returns one of
them; `replay` goes through all of them, changing one scene in place, so that a whole run costs no
more than its events.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from threefold.errors import ThreefoldError
from threefold.textbook.trace import INFINITY, STEPS_A_LOOK, Event, check_time
from threefold.textbook.tree import format_number
from threefold.textbook.treeshape import GROWING, OPPOSITE, Shape, shape_of


@dataclass(slots=True)
class Spot:
    """What is known about one node at one step."""

    #: Generated, or written in the tree's text.
    known: bool = False
    #: Entered, or valued by its parent, since its parent was last expanded.
    looked: bool = False
    #: Entered and not yet left.
    open: bool = False
    #: The window (alpha, beta) now, and as it was on entering.
    window: tuple[Any, Any] | None = None
    asked: tuple[Any, Any] | None = None
    #: The value so far or backed up; `sign` says whether the true value is =, ≥ or ≤ it. In SSS*
    #: the sign is `h`: a merit, which may come from a cousin and bounds nothing here.
    value: Any = None
    sign: str = ""
    #: Proof and disproof number.
    proof: tuple[Any, Any] | None = None
    #: In simulations, where the value is a mean: how many outcomes it is the mean of; the upper
    #: confidence bound in this round's choice, or the outcome of its playout; and whether that
    #: playout went through here.
    visits: int = 0
    remark: str = ""
    played: bool = False
    choice: str | None = None
    #: The children that the last expansion generated.
    children: Sequence[str] = ()
    expanded: bool = False
    #: Whether a cutoff ended its search.
    stopped: bool = False
    #: Skipped by its parent; `cut` is the cutoff event, if there was one.
    pruned: bool = False
    cut: Event | None = None
    #: Never generated: MOVEGEN found it implausible.
    implausible: bool = False
    #: How often it was entered in the whole run.
    entries: int = 0

    @property
    def says(self) -> str:
        """The value with its sign, as `≥ 3`; a value that is exact has none."""
        if self.visits:
            return show_rounded(self.value)
        if self.proof is not None and self.sign != "=":
            return " : ".join(map(show, self.proof))
        if self.value is None or not self.sign:
            return ""
        return f"{self.sign} {show(self.value)}" if self.sign != "=" else show(self.value)

    @property
    def counts(self) -> str:
        """The window, as `[3, ∞]`, or the visits, as `n = 3`."""
        return f"n = {self.visits}" if self.visits else show_window(self.window)


class Scene:
    """The state of the drawing after the first `step` events."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self.step = 0
        self.event: Event | None = None
        self._spots: dict[str, Spot] = {}
        self._touched: set[str] = set()
        self._answer: list[str] = []
        #: The round of simulations, from 1 on, and the nodes that it has marked.
        self.round = 0
        self._marked: set[str] = set()

    @property
    def current(self) -> str | None:
        """The node of the last event."""
        return self.event.node if self.event else None

    def spot(self, node: str) -> Spot:
        """What is known about a node."""
        self._touched.add(node)
        spot = self._spots.get(node)
        if spot is None:
            spot = self._spots[node] = Spot(known=self.shape.written or node == self.shape.root)
        return spot

    def touched(self) -> set[str]:
        """The nodes that were looked up since the last call: no others can have changed."""
        touched, self._touched = self._touched, set()
        return touched

    @property
    def line(self) -> list[str]:
        """The line of best play known so far, without the root.

        While a new search has none yet, it is the previous one's.
        """
        return self._follow() or self._answer

    def skipped(self, node: str) -> list[str]:
        """The children of its last expansion that a node has not looked at."""
        spots = ((child, self.spot(child)) for child in self.spot(node).children)
        return [child for child, spot in spots if not (spot.looked or spot.implausible)]

    def is_pruned(self, node: str) -> bool:
        """Whether a node was pruned, alone or with a node above it."""
        return self._pruned_at(node) is not None

    def is_implausible(self, node: str) -> bool:
        """Whether a node was never generated, alone or with a node above it."""
        spot = self._pruned_at(node)
        return spot is not None and spot.implausible

    def _pruned_at(self, node: str) -> Spot | None:
        """The nearest node, from a node upward, that was pruned."""
        above: str | None = node
        while above is not None:
            if self.spot(above).pruned:
                return self.spot(above)
            above = self.shape.parent.get(above)
        return None

    def apply(self, event: Event) -> None:
        """Take one more step."""
        self.step += 1
        self.event = event
        change = getattr(self, "_" + event.kind.replace("-", "_") + "_event", None)
        if change is not None:
            change(event, self.spot(event.node))

    def finish(self) -> None:
        """After the last step: what was generated and never looked at has been pruned."""
        for node in [node for node, spot in self._spots.items() if spot.expanded]:
            self._prune(node, None)

    def _enter_event(self, event: Event, spot: Spot) -> None:
        spot.known = spot.looked = spot.open = True
        spot.entries += 1
        if self.shape.procedure in GROWING:
            self._marked.add(event.node)
            return
        spot.pruned, spot.cut = False, None
        spot.value, spot.sign, spot.choice = None, "", None
        spot.stopped = False
        window = (event["alpha"], event.data.get("beta")) if "alpha" in event.data else None
        spot.window = spot.asked = window

    def _expand_event(self, event: Event, spot: Spot) -> None:
        if self.shape.procedure in GROWING:
            return
        if spot.expanded:
            self._forget_below(event.node)
        spot.expanded = True
        spot.children = event.data.get("children", ())
        for child in spot.children:
            self.spot(child).known = True
        for child in event.data.get("implausible", ()):
            left_out = self.spot(child)
            left_out.pruned = left_out.implausible = True

    def _leaf_event(self, event: Event, spot: Spot) -> None:
        spot.known = spot.looked = True
        spot.open = False
        spot.value, spot.sign = event.data.get("value"), "="

    def _child_event(self, event: Event, spot: Spot) -> None:
        name, value = event.data.get("child"), event.data.get("value")
        if name is None:
            return
        child = self.spot(name)
        child.looked, child.pruned, child.cut = True, False, None
        if child.value is None:
            child.value = value
        player = self.shape.player.get(event.node)
        if player not in OPPOSITE or isinstance(value, tuple) or value is None:
            return
        sign, against = ("≥", "≤") if player == "MAX" else ("≤", "≥")
        if spot.value is None or (value > spot.value if sign == "≥" else value < spot.value):
            spot.value, spot.choice = value, name
            # A bound in the wrong direction proves nothing here.
            spot.sign = "" if child.sign in {against, ""} else sign
            if self.shape.procedure == "sss":
                spot.sign = "h"

    def _proof_event(self, event: Event, spot: Spot) -> None:
        spot.proof = (event.data.get("proof"), event.data.get("disproof"))

    def _stand_pat_event(self, event: Event, spot: Spot) -> None:
        spot.value, spot.choice = event.data.get("value"), None
        spot.sign = {"MAX": "≥", "MIN": "≤"}.get(self.shape.player.get(event.node, ""), "")

    def _bound_event(self, event: Event, spot: Spot) -> None:
        alpha, beta = spot.window or (-INFINITY, INFINITY)
        if event.data.get("which") == "alpha":
            alpha = event["value"]
        else:
            beta = event.data.get("value")
        spot.window = (alpha, beta)

    def _cutoff_event(self, event: Event, spot: Spot) -> None:
        spot.value = event.data.get("value", spot.value)
        spot.sign = "≤" if event.data.get("which") == "alpha" else "≥"
        spot.stopped = True
        self._prune(event.node, event)

    def _late_cutoff_event(self, _event: Event, spot: Spot) -> None:
        # There is no child left to prune, but the node is still sure of its bound.
        spot.stopped = True

    def _search_again_event(self, event: Event, spot: Spot) -> None:
        if "alpha" in event.data:
            spot.window = (event["alpha"], event.data.get("beta"))

    def _round_event(self, event: Event, _spot: Spot) -> None:
        self.round = event["number"]
        self._clear_marks()

    def _select_event(self, event: Event, spot: Spot) -> None:
        spot.choice = event["child"]
        for child, bound in zip(event["children"], event["bounds"], strict=True):
            self._mark(child).remark = f"u = {show_rounded(bound)}"

    def _draw_event(self, event: Event, spot: Spot) -> None:
        spot.choice = event["child"]
        self._mark(event["child"]).known = True

    def _grow_event(self, event: Event, _spot: Spot) -> None:
        if event.node in self.shape.parent:
            self.spot(self.shape.parent[event.node]).choice = event.node

    def _playout_event(self, event: Event, _spot: Spot) -> None:
        self._mark(event.node).remark = f"→ {show_rounded(event['value'])}"
        passed = event["end"]
        while passed != event.node and passed in self.shape.parent:
            self._mark(passed).played = True
            passed = self.shape.parent[passed]

    def _back_up_event(self, event: Event, spot: Spot) -> None:
        spot.visits, spot.value, spot.sign = event["visits"], event["mean"], "="
        spot.open = False

    def _mark(self, node: str) -> Spot:
        self._marked.add(node)
        return self.spot(node)

    def _clear_marks(self) -> None:
        for node in self._marked:
            spot = self.spot(node)
            spot.open = spot.played = False
            spot.choice, spot.remark = None, ""
        self._marked.clear()

    def _conclude(self, event: Event) -> None:
        """After all rounds: the most visited line."""
        self._clear_marks()
        node = event.node
        for child in event["line"]:
            self.spot(node).choice = child
            node = child

    def _leave_event(self, event: Event, spot: Spot) -> None:
        if self.shape.procedure in GROWING:
            self._conclude(event)
            return
        spot.sign = self._sign_on_leaving(event, spot)
        spot.value, spot.choice = event.data.get("value"), event.data.get("choice")
        spot.open = False
        if spot.expanded:
            self._prune(event.node, None)
        if event.node == self.shape.root:
            self._answer = self._follow()

    def _sign_on_leaving(self, event: Event, spot: Spot) -> str:
        """A value outside the window is a bound, unless every child's is exact."""
        value = event.data.get("value")
        if "sign" in event.data:
            return str(event["sign"])
        if self.shape.procedure == "sss" and event.node != self.shape.root:
            return "h"
        if spot.asked is None or isinstance(value, tuple) or value is None:
            return "="
        player = self.shape.player.get(event.node)
        children = [self.spot(child) for child in spot.children]
        exact = bool(children) and all(child.looked and child.sign == "=" for child in children)
        if exact and (player == "CHANCE" or value == spot.value):
            return "="
        alpha, beta = spot.asked
        if alpha == beta == value:
            # A test with a null window: a player who could choose, by a cutoff or in a test
            # without values, is sure of the bound; one who could not is held to it.
            chose = spot.stopped or (spot.value is None and event.data.get("choice") is not None)
            return "≥" if chose == (player == "MAX") else "≤"
        if alpha is not None and value <= alpha:
            return "≤"
        return "≥" if beta is not None and value >= beta else "="

    def _prune(self, node: str, cut: Event | None) -> None:
        for child in self.skipped(node):
            spot = self.spot(child)
            if not spot.pruned:
                spot.pruned, spot.cut = True, cut

    def _forget_below(self, node: str) -> None:
        """The node is searched again: what an earlier pass found below it no longer counts."""
        waiting = list(self.shape.children.get(node, ()))
        while waiting:
            name = waiting.pop()
            spot = self.spot(name)
            if spot.looked or spot.pruned:
                self._spots[name] = Spot(known=True, entries=spot.entries, expanded=spot.expanded)
                waiting.extend(self.shape.children.get(name, ()))

    def _follow(self) -> list[str]:
        line = []
        choice = self.spot(self.shape.root).choice
        while choice is not None:
            line.append(choice)
            choice = self.spot(choice).choice
        return line


def replay(events: Sequence[Event]) -> Iterator[Scene]:
    """The scene after each event in turn: always the same object, changed in place."""
    now = Scene(shape_of(events))
    for event in events:
        now.apply(event)
        if now.step == len(events):
            now.finish()
        if now.step % STEPS_A_LOOK == 0:
            check_time()
        yield now


def scene(events: Sequence[Event], step: int | None = None) -> Scene:
    """The scene after the first `step` events; after all of them by default."""
    now = Scene(shape_of(events))
    last = len(events) if step is None else step
    if not 0 <= last <= len(events):
        raise ThreefoldError(f"there is no step {last}: this run has steps 0 to {len(events)}")
    for event in events[:last]:
        now.apply(event)
    if last == len(events):
        now.finish()
    return now


def show(value: Any) -> str:
    """A value or bound as readable text: exact, with a real minus sign and ∞."""
    if value is None:
        return ""
    if isinstance(value, tuple | list):
        return "⟨" + ", ".join(map(show, value)) + "⟩"
    if isinstance(value, int | Fraction):
        text = format_number(value)
    elif isinstance(value, float):
        text = "∞" if value == INFINITY else "-∞" if value == -INFINITY else f"{value:.6g}"
    else:
        text = str(value)
    return text.replace("-", "−")


def show_rounded(value: Any) -> str:
    """A value to two decimals, or as many as a small one needs, for what is only an estimate."""
    x = float(value) + 0.0  # which makes −0 a plain 0
    if 0 < abs(x) < 0.01 or abs(x) >= 1e6:
        return show(float(f"{x:.3g}"))
    rounded = f"{x:.2f}".rstrip("0").rstrip(".")
    return rounded.replace("-", "−")


def show_on_edge(shape: Shape, node: str) -> str:
    """What is written on the edge above a node: its probability, and `×4` for symmetric moves."""
    weight = show(shape.weight.get(node))
    return " ".join(filter(None, (weight, f"×{shape.count[node]}" if node in shape.count else "")))


def show_window(window: tuple[Any, Any] | None) -> str:
    """A window, as `[3, ∞]`."""
    return f"[{show(window[0])}, {show(window[1])}]" if window else ""
