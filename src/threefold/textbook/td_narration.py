"""TD(λ) in sentences, one for each step, and its values in a table."""

from collections.abc import Iterable, Mapping, Sequence

from threefold.textbook.td import TDRun, Value, decimal
from threefold.textbook.trace import Event

#: A table has a column for the values after these episodes, in a short run and in a long one, and
#: for those after the last.
_SHOWN = (0, 1, 2, 5, 10, 20, 50)
_SHOWN_LONG = (0, 1, 10, 100, 1_000)


def steps_of(events: Iterable[Event]) -> list[list[Event]]:
    """The events by step: the start, then a step with the changes that follow."""
    steps: list[list[Event]] = []
    begun = False
    for event in events:
        if not steps or event.kind == "episode" or (begun and event.kind in {"step", "explore"}):
            steps.append([])
            begun = False
        steps[-1].append(event)
        begun = begun or event.kind in {"step", "explore"}
    return steps


def narrate(run: TDRun) -> list[str]:
    """One sentence for the start, one for each step, and one for the end."""
    told = [_told(run, step) for step in steps_of(run.events)]
    if run.trace.left_out:
        # The last step that was kept may lack some of its changes.
        told[-1:] = []
    return [*told, *_ending(run)]


def _told(run: TDRun, step: Sequence[Event]) -> str:
    first = step[0]
    if first.kind == "start":
        return _opening(run, first)
    number = f"Episode {first['number']}. " if first.kind == "episode" else ""
    move = next(event for event in step if event.kind in {"step", "explore"})
    how = f"{move['how']}: " if move["how"] else ""
    to = f"{move.node} → {move['next'] or 'end'}, reward {decimal(move['reward'])}"
    if move.kind == "explore":
        said = f"{number}{how}{to}. This move explores, so nothing is learned from it."
    else:
        said = f"{number}{how}{to}. {_error(run, move)} {_changes(run, move, step)}"
    last = step[-1]
    if last.kind == "end" and run.settings.offline:
        values = ", ".join(f"V({s}) = {decimal(v)}" for s, v in last["values"].items())
        said += f" The episode is over, and the values change: {values}."
    return said


def _opening(run: TDRun, start: Event) -> str:
    values = start["values"]
    same = len(set(values.values())) == 1
    given = f"every state is worth {decimal(next(iter(values.values())))}"
    if not same:
        given = ", ".join(f"V({s}) = {decimal(v)}" for s, v in values.items())
    return f"{run.settings}. Episodes start at {start.node}; at first {given}."


def _error(run: TDRun, move: Event) -> str:
    gamma = run.settings.gamma
    factor = "" if gamma == 1 or move["next"] is None else f"{decimal(gamma)} × "
    following = factor + _signed(move["next_value"])
    delta, value = move["delta"], move["value"]
    return f"δ = {decimal(move['reward'])} + {following} − {_signed(value)} = {decimal(delta)}."


def _signed(value: Value) -> str:
    """A term of a sum: a negative one in parentheses."""
    text = decimal(value)
    return f"({text})" if text.startswith("−") else text


def _changes(run: TDRun, move: Event, step: Sequence[Event]) -> str:
    updates = [event for event in step if event.kind == "update"]
    if not updates:
        return "Nothing changes."
    alpha, delta = _signed(run.settings.alpha), _signed(move["delta"])
    parts = []
    for event in updates:
        e = "" if event["e"] == 1 else f" × {decimal(event['e'])}"
        after = f"{decimal(event['before'])} + {alpha} × {delta}{e} = {decimal(event['after'])}"
        parts.append(f"V({event.node}) = {after}")
    later = "Later " if run.settings.offline else ""
    return f"{later}{', '.join(parts)}."


def _ending(run: TDRun) -> list[str]:
    if not run.episodes:
        return []
    said = f"After {run.episodes:,} episode{'' if run.episodes == 1 else 's'}, "
    values = ", ".join(f"V({s}) = {decimal(v)}" for s, v in run.values.items())
    if run.rms:
        said += f"the RMS error is {decimal(run.rms[-1])}; it was {decimal(run.rms[0])} at first."
    else:
        said += f"{values}."
    if "policy" in run.more:
        right, of = run.more["policy"]["right"], run.more["policy"]["of"]
        said += f" {right} of {of} choices by these values are the best ones."
    return [said]


def table(run: TDRun) -> str:
    """The values by state: a column for some of the episodes, and one for the true values."""
    some = _SHOWN if run.episodes <= 2 * _SHOWN[-1] else _SHOWN_LONG
    shown = [number for number in some if number < run.episodes]
    columns: list[tuple[str, Mapping[str, Value], float | None]] = [
        (str(number), run.trace.history[number], run.rms[number] if run.rms else None)
        for number in [*shown, run.episodes]
    ]
    rows = [["episodes", *(title for title, _, _ in columns)]]
    rows += [[s, *(_fixed(values[s]) for _, values, _ in columns)] for s in run.process.states]
    if run.rms:
        rows.append(["RMS error", *("" if rms is None else _fixed(rms) for *_, rms in columns)])
    if run.true_values is not None:
        exact = [_fixed(run.true_values[s]) for s in run.process.states]
        for row, cell in zip(rows, ["true", *exact, ""], strict=False):
            row.append(cell)
    return aligned(rows)


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Rows of cells as a table: the first column to the left, the others to the right."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if k == 0 else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def _fixed(value: Value) -> str:
    return f"{round(float(value), 3) + 0.0:.3f}".replace("-", "−")  # + 0.0: there is no −0
