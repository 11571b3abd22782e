"""Regret minimization in sentences, one for each step, and its information sets as a table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from threefold.textbook.information import InformationSet
from threefold.textbook.regrets_run import RegretRun
from threefold.textbook.strategy import Share, show_share
from threefold.textbook.td_narration import aligned
from threefold.textbook.trace import PLAYER_NAMES, Event

#: A set of more nodes than this is told by its sums alone.
_MAX_NODES = 4


@dataclass(frozen=True)
class Step:
    """Some events that are told together: the last of them is what is told."""

    events: Sequence[Event]

    @property
    def last(self) -> Event:
        """What happened."""
        return self.events[-1]


def steps_of(run: RegretRun, detailed: int, summed_up: int) -> list[Step]:
    """The steps worth telling: the first `detailed` ones or so one by one, then whole iterations.

    Of more than `summed_up` iterations, some are left out.
    """
    parts = _one_by_one(run.events)
    kept: list[list[list[Event]]] = [[]]
    for part in parts:
        kept[-1].append(part)
        if part[-1].kind in {"start", "average"}:
            kept.append([])
    steps: list[Step] = []
    rest: list[Step] = []
    count = 0
    for iteration in filter(None, kept):
        count += len(iteration)
        if count <= detailed and not rest:
            steps += [Step(part) for part in iteration]
        else:
            rest.append(Step([event for part in iteration for event in part]))
    return [*steps, *_some(rest, summed_up)]


def _some(steps: Sequence[Step], most: int) -> list[Step]:
    """About so many of these steps: the first ones, and some further and further apart.

    What is left out happens in the next one.
    """
    if len(steps) <= most:
        return list(steps)
    half = most // 2
    growth = (len(steps) / half) ** (1 / (most - half))
    kept = {round(half * growth**k) for k in range(most - half)} | {len(steps) - 1}
    some: list[Step] = []
    waiting: list[Event] = []
    for k, step in enumerate(steps):
        waiting += step.events
        if k < half or k in kept:
            some.append(Step(waiting))
            waiting = []
    return some


def _one_by_one(events: Sequence[Event]) -> list[list[Event]]:
    """The events by step: what one sentence tells."""
    parts: list[list[Event]] = [[]]
    walking = False
    for event in events:
        starts = {
            "start": True,
            "iteration": True,
            "match": event.data.get("new", False),
            "enter": not walking,
            "regret": True,
            "average": True,
            "leave": "line" in event.data,
        }.get(event.kind, False)
        walking = event.kind in {"enter", "leaf"} or (event.kind == "leave" and not starts)
        if starts and parts[-1]:
            parts.append([])
        parts[-1].append(event)
    return parts


def narrate(run: RegretRun, steps: Sequence[Step]) -> list[str]:
    """A sentence for each step."""
    told = []
    number = 0
    strategy: dict[int, Sequence[Share]] = {}
    for step in steps:
        for event in step.events:
            number = event.data.get("number", number)
            if event.kind == "match":
                strategy[event["set"]] = event["strategy"]
        told.append(_told(run, step, number, strategy))
    return told


def _told(run: RegretRun, step: Step, number: int, strategy: Mapping[int, Sequence[Share]]) -> str:
    for event in reversed(step.events):
        match event.kind:
            case "start":
                return _start(run)
            case "iteration":
                return _iteration(run, event, step)
            case "match" if event["new"]:
                return f"Iteration {number}, {_match(run, event)}"
            case "enter":
                return f"Iteration {number}, {_walk(run, step)}"
            case "regret":
                return f"Iteration {number}, {_regret(run, event, strategy[event['set']], number)}"
            case "average":
                return _average(event)
            case "leave" if "line" in event.data:
                return _end(run)
    raise AssertionError("a step of nothing")


def _start(run: RegretRun) -> str:
    tree = run.tree
    sets, leaves = len(tree.sets), sum(not node.children for node in tree.nodes)
    if run.procedure == "cfr+":
        turns = "the players learn in turn, and a regret is never less than 0"
    else:
        turns = "both players learn at once"
    return (
        f"{run.procedure} on {run.game}: {len(tree.nodes)} nodes, {leaves} of them ends, and "
        f"{sets} information set{'' if sets == 1 else 's'}. A dashed line joins the nodes of a "
        f"set, which the player to move cannot tell apart. In every iteration {turns}."
    )


def _iteration(run: RegretRun, event: Event, step: Step) -> str:
    whose = f" for {event['player']}" if "player" in event.data else ""
    same = [each for each in step.events if each.kind == "match"]
    if len(same) < len(run.tree.sets):
        return f"Iteration {event['number']}{whose} begins with regret matching."
    if all(max(each["regrets"]) <= 0 for each in same):
        return (
            f"Iteration {event['number']}{whose}: no move has a positive regret, so all moves are "
            "equally likely at every information set."
        )
    return f"Iteration {event['number']}{whose}: regret matching changes no strategy."


def _match(run: RegretRun, event: Event) -> str:
    here = _set(run, event)
    regrets, strategy = event["regrets"], event["strategy"]
    if max(regrets) <= 0:
        how = "None is positive, so all moves are equally likely:"
    elif sum(each > 0 for each in regrets) == 1:
        how = "Only one is positive:"
    else:
        how = "In proportion to the positive ones:"
    return (
        f"regret matching for {_whose(here)}: the regrets are {by_move(here, regrets)}. {how} "
        f"{by_move(here, strategy)}."
    )


def _walk(run: RegretRun, step: Step) -> str:
    name = run.tree.root.name
    root = next(e for e in step.events if e.kind in {"leave", "leaf"} and e.node == name)
    if not run.tree.root.children:
        return f"the game is over here, and worth {show_share(root['value'])} to MAX."
    return (
        f"with these strategies the game is worth {show_share(root['value'])} to MAX. The edges "
        "show how likely each move is, the nodes what they are worth."
    )


def _regret(run: RegretRun, event: Event, strategy: Sequence[Share], number: int) -> str:
    here, v, expected = _set(run, event), event["counterfactual"], event["expected"]
    mixed = " + ".join(
        f"{show_share(p)}·{signed(value)}" for p, value in zip(strategy, v, strict=True)
    )
    gained = [value - expected for value in v]
    change = "No move would have been better, so no regret changes."
    if any(gained):
        change = (
            f"Regrets change by {by_move(here, gained, plus=True)}: now "
            f"{by_move(here, event['regrets'])}."
        )
    return " ".join(
        (
            f"{_whose(here)}: {_led_there(here, event['reach'])}",
            f"Counterfactual values: {_counterfactual(here, event)}.",
            f"The strategy gets {mixed} = {show_share(expected)}.",
            change,
            _counted(run, here, event, number),
        )
    )


def _counted(run: RegretRun, here: InformationSet, event: Event, number: int) -> str:
    """How much a strategy counts in the average, and what that is now."""
    times = f"{number} times " if run.procedure == "cfr+" and number > 1 else ""
    return (
        f"The strategy counts {times}{show_share(event['own'])} in the average, as often as "
        f"{PLAYER_NAMES[here.player]}'s own moves lead here: {by_move(here, event['average'])}."
    )


def _led_there(here: InformationSet, reach: Sequence[Share]) -> str:
    others = "chance and MIN" if here.player == 0 else "chance and MAX"
    total = show_share(sum(reach))
    if len(reach) == 1 or len(reach) > _MAX_NODES:
        return f"{others} lead here with probability {total}."
    parts = " + ".join(map(show_share, reach))
    return f"{others} lead here with probability {parts} = {total}."


def _counterfactual(here: InformationSet, event: Event) -> str:
    told = []
    for a, (move, value) in enumerate(zip(here.moves, event["counterfactual"], strict=True)):
        if len(here.nodes) <= _MAX_NODES:
            terms = " + ".join(
                f"{show_share(reach)}·{signed(worths[a])}"
                for reach, worths in zip(event["reach"], event["values"], strict=True)
            )
            told.append(f"{move} {terms} = {show_share(value)}")
        else:
            told.append(f"{move} {show_share(value)}")
    return ", ".join(told)


def _average(event: Event) -> str:
    first, second = map(show_share, event["best"])
    return (
        f"After iteration {event['number']}, the average strategies are worth "
        f"{show_share(event['value'])} to MAX. Against them, a best response would win {first} as "
        f"MAX and {second} as MIN: exploitability {show_share(event['exploitability'])}."
    )


def _end(run: RegretRun) -> str:
    count = f"{run.iterations:,} iteration{'' if run.iterations == 1 else 's'}"
    return (
        f"After {count}: the average strategies are worth {show_share(run.value)} to MAX, and a "
        f"best response to them wins {show_share(run.exploitability)} on average over both seats."
    )


def _set(run: RegretRun, event: Event) -> InformationSet:
    number: int = event["set"]
    return run.tree.sets[number]


def _whose(here: InformationSet) -> str:
    return f"{PLAYER_NAMES[here.player]} who sees “{here.seen}”"


def by_move(here: InformationSet, numbers: Sequence[Share], *, plus: bool = False) -> str:
    """A number for each move, as `check 1/3, bet 2/3`."""
    return ", ".join(
        f"{move} {'+' if plus and number > 0 else ''}{show_share(number)}"
        for move, number in zip(here.moves, numbers, strict=True)
    )


def signed(number: Share) -> str:
    """A factor: a negative one in parentheses."""
    text = show_share(number)
    return f"({text})" if text.startswith("−") else text


def table(run: RegretRun) -> str:
    """The average strategy: a line for each information set, MAX's first."""
    rows = [["information set", "average strategy"]]
    for player, name in PLAYER_NAMES.items():
        rows += [
            [f"{name} {here.seen}", by_move(here, shares)]
            for here, shares in run.strategy.items()
            if here.player == player
        ]
    widest = max(len(row[1]) for row in rows)
    return aligned([[first, second.ljust(widest)] for first, second in rows])
