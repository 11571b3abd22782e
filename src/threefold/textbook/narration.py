"""One plain sentence for each step of a procedure, in the lecture's terms.

A step gets an empty sentence if the next one says it better (entering a leaf, or a value that
immediately changes a bound). `steps` lists the steps worth showing.
"""

from collections.abc import Callable, Sequence

from threefold.textbook.phases import concluded, told
from threefold.textbook.replay import Scene, Spot, replay, show
from threefold.textbook.trace import Event
from threefold.textbook.treeshape import GROWING, ONE_AGENT, named, short

#: Beyond this many, names are counted instead of listed.
_MAX_NAMES = 5
_OPENING_WORDS = {"after", "the", "with", "at", "now", "of", "to", "chance", "no"}
_GREEK = {"alpha": "α", "beta": "β"}


def narrate(events: Sequence[Event]) -> list[str]:
    """A sentence for every event; an empty one where there is nothing to say."""
    if not events:
        return []
    sentences = []
    for event, scene in zip(events, replay(events), strict=True):
        after = events[scene.step] if scene.step < len(events) else None
        say = _SENTENCES.get(event.kind)
        sentences.append(_capital(say(event, scene, after), event) if say else "")
    return sentences


def steps(sentences: Sequence[str]) -> list[int]:
    """The steps worth showing, each given as its number of events so far."""
    return [index for index, sentence in enumerate(sentences, 1) if sentence]


def _start(event: Event, scene: Scene, _after: Event | None) -> str:
    procedure = event.data.get("procedure", "the search")
    if procedure == "minimax-bottom-up":
        return (
            f"{procedure} generates the whole tree below {named(event.node)} first, then backs "
            "the values up layer by layer."
        )
    mover = _mover(scene, event.node)
    if procedure in GROWING:
        return (
            f"{procedure} starts at {named(event.node)}, where {mover} is to move: rounds of "
            "selection, expansion, simulation and back-up."
        )
    merged = " Symmetric moves are merged: ×2 marks one that stands for two."
    return f"{procedure} starts at {named(event.node)}, where {mover} is to move." + (
        merged if scene.shape.count else ""
    )


def _enter(event: Event, scene: Scene, after: Event | None) -> str:
    if scene.shape.procedure in GROWING:
        return ""  # the phases say more
    if after is not None and after.kind == "leaf" and after.node == event.node:
        return ""
    mover, again = _mover(scene, event.node), scene.spot(event.node).entries > 1
    sentence = f"{mover} is to move at {named(event.node)}" + (" again" if again else "")
    if "alpha" in event.data:
        sentence += f": α = {show(event['alpha'])}, β = {show(event.data.get('beta'))}"
    return sentence + "."


def _expand(event: Event, scene: Scene, _after: Event | None) -> str:
    """Worth a sentence only where the move generator leaves something out."""
    left_out = event.data.get("implausible", ())
    if not left_out:
        return ""
    kept = [name for name in event["children"] if name not in set(left_out)]
    mover, verb = _mover(scene, event.node), "is" if len(left_out) == 1 else "are"
    return (
        f"{_list(kept)} {'looks' if len(kept) == 1 else 'look'} best for {mover} at "
        f"{named(event.node)}; {_list(left_out)} {verb} not generated."
    )


def _leaf(event: Event, scene: Scene, _after: Event | None) -> str:
    value = show(event.data.get("value"))
    if event.node not in scene.shape.leaves:
        return f"the search stops at {named(event.node)}: its static value is {value}."
    return f"{named(event.node)} is worth {value}."


def _child(event: Event, scene: Scene, after: Event | None) -> str:
    if after is not None and after.kind in {"bound", "cutoff"} and after.node == event.node:
        return ""
    node, child = event.node, event.data.get("child", "")
    spot, player = scene.spot(node), scene.shape.player.get(node)
    returned = f"{named(child)} returns {_worth(event.data.get('value'), scene.spot(child))}"
    if scene.shape.procedure == "sss":
        merit = show(event.data.get("value"))
        return f"{named(child)} is solved: {named(node)} continues with merit {merit}."
    weight = scene.shape.weight.get(child)
    if player == "CHANCE":
        chance = f", with probability {show(weight)}," if weight is not None else ""
        return f"{named(child)}{chance} returns {show(event.data.get('value'))} to {named(node)}."
    if spot.value is None or spot.sign == "h" or player not in {"MAX", "MIN"}:
        return f"{returned} to {named(node)}."
    if after is not None and after.kind == "late-cutoff" and after.node == node:
        return f"{returned} to {named(node)}."
    if spot.window is not None:
        bound = f"α stays {show(spot.window[0])}" if player == "MAX" else ""
        return f"{returned} to {named(node)}: {bound or 'β stays ' + show(spot.window[1])}."
    if spot.choice == child:
        return f"{returned} to {named(node)}: the best for {_mover(scene, node)} so far."
    mover = _mover(scene, node)
    return f"{returned} to {named(node)}: {mover} keeps {show(spot.value)}{_by(scene, spot)}."


def _probe(event: Event, _scene: Scene, _after: Event | None) -> str:
    node, child = named(event.node), named(event.data.get("child", ""))
    return f"of the children of {node}, only {child} is tried for now."


def _bound(event: Event, scene: Scene, _after: Event | None) -> str:
    node, which, value = event.node, event.data.get("which", ""), show(event.data.get("value"))
    player, choice = scene.shape.player.get(node), scene.spot(node).choice
    by = f"with {named(choice)}, " if choice else ""
    now = f"{_GREEK.get(which, which)} = {value}"
    if (player, which) == ("MAX", "alpha"):
        return f"{by}MAX at {named(node)} is sure of {value} or more: {now}."
    if (player, which) == ("MIN", "beta"):
        return f"{by}MIN at {named(node)} holds it to {value} or less: {now}."
    return f"at {named(node)}, {now} from here on."


def _cutoff(event: Event, scene: Scene, _after: Event | None) -> str:
    """Why the rest does not matter: the node's value against what a player already has above."""
    node, against = event.node, event.data.get("against")
    value, bound = show(event.data.get("value")), show(event.data.get("bound"))
    by_chance = " on average" if scene.shape.player.get(node) == "CHANCE" else ""
    but = "and" if event.data.get("value") == event.data.get("bound") else "but"
    root = _mover(scene, scene.shape.root)
    wanting = "MAX" if root in {"MIN", "chance"} else root
    if event.data.get("which") == "alpha":
        can_be = f"{named(node)} can be held to {value} or less{by_chance}"
        had = f"{named(against)} already has {bound} or more" if against else ""
    else:
        can_be = f"{named(node)} is worth {value} or more to {wanting}{by_chance}"
        holder = _mover(scene, against) if against else ""
        had = f"{holder} at {named(against)} already has {bound} or less" if against else ""
    if not had and scene.spot(node).asked == (event.data.get("bound"),) * 2:
        but, had = "and", f"the only question is on which side of {bound} it is"
    elif not had:
        but, had = "and", f"with {bound} the choice above is settled, whatever happens by chance"
    return f"{can_be}, {but} {had}: {_skipped(scene, node)}."


def _late_cutoff(event: Event, _scene: Scene, _after: Event | None) -> str:
    """The cutoff test succeeds, but only after the last child."""
    value, sign, bound = show(event.data.get("value")), event["sign"], show(event.data.get("bound"))
    which = _GREEK.get(event["which"], event["which"])
    return (
        f"{value} {sign} {which} = {bound}: {named(event.node)} could be cut, but nothing is left "
        "to skip."
    )


def _skipped(scene: Scene, node: str) -> str:
    skipped = scene.skipped(node)
    never = not any(scene.spot(child).entries for child in skipped)
    verb = "is" if len(skipped) == 1 else "are"
    return f"{_list(skipped)} {verb} {'never looked at' if never else 'not looked at this time'}"


def _leave(event: Event, scene: Scene, _after: Event | None) -> str:
    node, value = event.node, event.data.get("value")
    spot = scene.spot(node)
    if scene.shape.procedure in GROWING:
        return concluded(event, scene)
    if node == scene.shape.root:
        line = ", ".join(short(scene.shape, each) for each in scene.line[:_MAX_NAMES])
        more = ", …" if len(scene.line) > _MAX_NAMES else ""
        best = f": the best line is {line}{more}" if line else ""
        return f"{named(node)} is worth {_worth(value, spot)}{best}."
    if any(scene.spot(child).cut is not None for child in spot.children):
        return ""
    if spot.sign == "h":
        return f"{named(node)} is solved with {_worth(value, spot)}{_by(scene, spot)}."
    average = " on average" if scene.shape.player.get(node) == "CHANCE" else ""
    return f"{named(node)} is worth {_worth(value, spot)}{average}{_by(scene, spot)}."


def _deepen(event: Event, scene: Scene, _after: Event | None) -> str:
    depth, value, path = (event.data.get(key) for key in ("depth", "value", "path"))
    if "without" in event.data:
        return f"no answer at depth {depth}: {named(event['without'])} has no static value."
    if value is None:
        return f"now the search goes {depth} {'ply' if depth == 1 else 'plies'} deep."
    by = f", by {', '.join(short(scene.shape, each) for each in path)}" if path else ""
    return f"at depth {depth} the value is {show(value)}{by}."


def _extend(event: Event, _scene: Scene, _after: Event | None) -> str:
    why = event.data.get("why")
    return f"{named(event.node)} is searched deeper" + (f": {why}." if why else ".")


def _stand_pat(event: Event, scene: Scene, _after: Event | None) -> str:
    value = show(event.data.get("value"))
    return f"{_mover(scene, event.node)} at {named(event.node)} may stand pat with {value}."


def _search_again(event: Event, _scene: Scene, _after: Event | None) -> str:
    alpha, beta, why = (event.data.get(key) for key in ("alpha", "beta", "why"))
    window = f" with α = {show(alpha)}, β = {show(beta)}" if alpha is not None else ""
    return f"{named(event.node)} is searched again{window}" + (f": {why}." if why else ".")


def _guess(event: Event, _scene: Scene, _after: Event | None) -> str:
    lower, upper = event.data.get("lower"), event.data.get("upper")
    known = f", between {show(lower)} and {show(upper)}" if lower is not None else ""
    return f"the guess for {named(event.node)} is now {show(event.data.get('value'))}{known}."


def _meet(event: Event, _scene: Scene, _after: Event | None) -> str:
    value = show(event.data.get("value"))
    return f"the bounds meet: {named(event.node)} is worth {value}."


def _settled(event: Event, _scene: Scene, _after: Event | None) -> str:
    child, merit = named(event.data.get("child", "")), show(event.data.get("value"))
    node = named(event.node)
    return f"no other child of {node} promises more than {child}, {merit}: the rest is discarded."


def _proof(event: Event, _scene: Scene, _after: Event | None) -> str:
    if event.data.get("proof") == 0:
        return f"{named(event.node)} is proven: MAX wins there, whatever the other nodes are worth."
    if event.data.get("disproof") == 0:
        return (
            f"{named(event.node)} is disproven: MAX cannot win there, whatever the other nodes "
            "are worth."
        )
    proof, disproof = show(event.data.get("proof")), show(event.data.get("disproof"))
    return f"{named(event.node)} has proof number {proof} and disproof number {disproof}."


_SENTENCES: dict[str, Callable[[Event, Scene, Event | None], str]] = {
    "start": _start,
    "enter": _enter,
    "expand": _expand,
    "leaf": _leaf,
    "child": _child,
    "probe": _probe,
    "bound": _bound,
    "cutoff": _cutoff,
    "late-cutoff": _late_cutoff,
    "leave": _leave,
    "deepen": _deepen,
    "extend": _extend,
    "stand-pat": _stand_pat,
    "search-again": _search_again,
    "guess": _guess,
    "meet": _meet,
    "settled": _settled,
    "proof": _proof,
    **dict.fromkeys(("select", "draw", "stop", "grow", "playout", "back-up"), told),
}


def _mover(scene: Scene, node: str) -> str:
    if scene.shape.procedure in ONE_AGENT:
        return "the agent"
    player = scene.shape.player.get(node, "")
    return "chance" if player == "CHANCE" else player


def _worth(value: object, spot: Spot) -> str:
    if spot.sign == "h":
        return f"merit {show(value)}"
    return show(value) + {"≥": " or more", "≤": " or less"}.get(spot.sign, "")


def _by(scene: Scene, spot: Spot) -> str:
    return f", by {short(scene.shape, spot.choice)}" if spot.choice else ""


def _list(nodes: Sequence[str]) -> str:
    shown = [named(node) for node in nodes[:_MAX_NAMES]]
    if len(nodes) > _MAX_NAMES:
        shown[_MAX_NAMES - 1 :] = [f"{len(nodes) - _MAX_NAMES + 1} more"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _capital(sentence: str, event: Event) -> str:
    """Capitalize the first word, unless that would change a name."""
    first = sentence.partition(" ")[0]
    if first in _OPENING_WORDS and first not in {event.node, event.data.get("child")}:
        return sentence[0].upper() + sentence[1:]
    return sentence
