"""TD(λ): learn what states are worth from the steps of episodes.

Nothing is known but what happens: a state, a reward, the next state. After each step the TD error
δ = r + γV(s') − V(s) says how much better it went than V(s) promised, and the values of the states
that led there move by a share of it. How much a state had to do with it is its eligibility e(s):
1 when it is visited, fading by γλ with every step. With λ = 0 only V(s) itself moves; with λ = 1
every state of the episode moves toward what was earned in the end (Sutton, "Learning to predict by
the methods of temporal differences", Machine Learning 3, 1988).

`td` reports what it does; narration, pictures, pages and exercises read these events:

| event | at a state |
| --- | --- |
| `start` | where episodes start, with the settings and the first values |
| `episode` | episode `number` begins there |
| `step` | it is left with a `reward` for the state `next` (none at the end): the error is `delta`,
| | and the states that had to do with it have the eligibility `e` |
| `explore` | it is left by a move made only to explore: nothing is learned, all e become 0 |
| `update` | its value changes by α·δ·`e`, from `before` to `after` |
| `end` | the episode ends there, with all `values` after it, and their error `rms` |
"""

import math
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol, TypeAlias

from threefold.errors import ThreefoldError
from threefold.textbook.trace import STEPS_A_LOOK, Event, check_time, most_events, plain

#: Exact where the inputs are fractions, otherwise a float.
Value: TypeAlias = int | Fraction | float

MAX_EPISODES = 10_000
#: More than anyone waits for.
MAX_STEPS = 500_000
#: More than anyone reads. A longer run keeps only its first events, to save memory.
MAX_EVENTS = 100_000
#: A larger TD error means that the values grow without end.
_MAX_ERROR = 1e9


@dataclass(frozen=True)
class Step:
    """One step of an episode, from a state to the next one; at the end there is none."""

    state: str
    reward: Value
    next: str | None
    #: The move was made to explore and not because it looks best.
    explored: bool = False
    #: What was rolled and moved, in a game.
    how: str = ""


Episode: TypeAlias = Iterable[Step]


@dataclass(frozen=True)
class Settings:
    """How values are learned."""

    #: The step size.
    alpha: Value = Fraction(1, 10)
    #: How slowly eligibility fades.
    lambda_: Value = 0
    #: What a reward one step later is worth.
    gamma: Value = 1
    #: Whether a second visit sets e(s) to 1 (replacing traces) or adds 1 (accumulating traces).
    replacing: bool = False
    #: Whether values change only when the episode is over.
    offline: bool = False

    def __post_init__(self) -> None:
        for name, value in (("alpha", self.alpha), ("lambda", self.lambda_), ("gamma", self.gamma)):
            if not 0 <= value <= 1:
                raise ThreefoldError(f"{name} {float(value):g} is not from 0 to 1")
        if not self.alpha:
            raise ThreefoldError("alpha 0: nothing is learned; use a step size such as 0.1")

    def in_floats(self) -> "Settings":
        """The same for a long run, in which exact fractions would grow out of hand."""
        alpha, lambda_, gamma = map(float, (self.alpha, self.lambda_, self.gamma))
        return Settings(alpha, lambda_, gamma, self.replacing, self.offline)

    def __str__(self) -> str:
        parts = [f"TD({decimal(self.lambda_)})", f"α = {decimal(self.alpha)}"]
        parts += [f"γ = {decimal(self.gamma)}"] if self.gamma != 1 else []
        parts += ["replacing traces"] if self.replacing else []
        parts += ["offline"] if self.offline else []
        return ", ".join(parts)

    def to_json(self) -> dict[str, Any]:
        """The settings as JSON types."""
        return {
            "alpha": plain(self.alpha),
            "lambda": plain(self.lambda_),
            "gamma": plain(self.gamma),
            "traces": "replacing" if self.replacing else "accumulating",
            "offline": self.offline,
        }


class Process(Protocol):
    """Where episodes come from."""

    @property
    def name(self) -> str:
        """`walk`, `states` or the game's name."""

    @property
    def states(self) -> tuple[str, ...]:
        """All states, in the order in which they are listed."""

    @property
    def start(self) -> str:
        """Where episodes start."""

    @property
    def first_value(self) -> Fraction:
        """What every state is worth at first."""

    def exact(self, gamma: Value) -> Mapping[str, Value] | None:
        """What the states are really worth, if that is known."""


class TDTrace:
    """Records the steps of one run."""

    def __init__(self, exact: Mapping[str, Value] | None) -> None:
        self.events: list[Event] = []
        #: All values before the first episode and after each one, and their errors.
        self.history: list[dict[str, Value]] = []
        self.rms: list[float] = []
        self.left_out = 0
        self._exact = exact
        self._steps = 0
        self._path: list[str] = []
        #: The states that were left, in order, and those of the last episode.
        self.visited: list[str] = []

    @property
    def path(self) -> list[str]:
        """The states of the last episode after the first one."""
        return self._path[1:]

    def _note(self, kind: str, state: str, **data: Any) -> None:
        if len(self.events) < MAX_EVENTS:
            # The line of the procedure: this is called by a method, and that by the procedure.
            self.events.append(Event(kind, state, data, sys._getframe(2).f_lineno))
        else:
            self.left_out += 1

    def start(self, state: str, values: Mapping[str, Value], settings: Settings) -> None:
        """Where episodes start, and with which values."""
        self._remember(values)
        self._note("start", state, values=dict(values), **settings.to_json())

    def step(
        self, step: Step, value: Value, next_value: Value, delta: Value, e: Mapping[str, Value]
    ) -> None:
        """A step was made, and its TD error is known, and who had to do with it."""
        if not abs(float(delta)) <= _MAX_ERROR:  # "not … <=" also catches NaN
            raise ThreefoldError(
                f"the values diverge: the TD error at {step.state} is {float(delta):.2g}; use a "
                "smaller alpha or lambda, replacing traces, or offline changes"
            )
        self._begin(step)
        self._note(
            "step",
            step.state,
            reward=step.reward,
            next=step.next,
            value=value,
            next_value=next_value,
            delta=delta,
            e={state: share for state, share in e.items() if share},
            how=step.how,
        )

    def explore(self, step: Step) -> None:
        """A step was made that teaches nothing."""
        self._begin(step)
        self._note("explore", step.state, reward=step.reward, next=step.next, how=step.how)

    def _begin(self, step: Step) -> None:
        if self._steps >= min(MAX_STEPS, most_events()):
            raise ThreefoldError(
                f"these episodes take more than {min(MAX_STEPS, most_events()):,} steps; "
                "use fewer episodes or a smaller walk"
            )
        if self._steps % STEPS_A_LOOK == 0:
            check_time()
        self._steps += 1
        if not self._path:
            self._note("episode", step.state, number=len(self.history))
        self._path.append(step.state)
        self.visited.append(step.state)

    def update(self, state: str, e: Value, before: Value, after: Value) -> None:
        """A value has changed, or will at the end of the episode."""
        if before != after:
            self._note("update", state, e=e, before=before, after=after)

    def end(self, values: Mapping[str, Value]) -> None:
        """An episode is over."""
        self._remember(values)
        if self._path:
            rms = self.rms[-1] if self.rms else None
            self._note("end", self._path[-1], values=dict(values), rms=rms)

    def next_episode(self) -> None:
        """Another episode begins; the states of the one before are no longer needed."""
        self._path = []

    def _remember(self, values: Mapping[str, Value]) -> None:
        self.history.append(dict(values))
        if self._exact is not None:
            self.rms.append(rms_error(values, self._exact))


def td(
    episodes: Iterable[Episode], values: dict[str, Value], trace: TDTrace, settings: Settings
) -> None:
    """TD(λ) with a table of values, as Sutton and Barto print it.

    The values change while the steps of an episode are drawn, so that a player who chooses by them
    plays better in the middle of a game. The end of an episode is worth 0.
    """
    alpha, lambda_, gamma = settings.alpha, settings.lambda_, settings.gamma
    for episode in episodes:
        trace.next_episode()
        # as printed: e(s) ← 0 for all s
        e: dict[str, Value] = dict.fromkeys(values, 0)
        # Offline, the changes are written to a copy, which replaces the values at the end.
        learned = dict(values) if settings.offline else values
        for step in episode:
            s, r, s1 = step.state, step.reward, step.next
            if step.explored:
                trace.explore(step)
                e = dict.fromkeys(values, 0)
                continue
            # as printed: e(s) ← e(s) + 1
            e[s] = 1 if settings.replacing else e[s] + 1
            next_value = 0 if s1 is None else values[s1]
            # as printed: δ ← r + γV(s') − V(s)
            delta = r + gamma * next_value - values[s]
            trace.step(step, values[s], next_value, delta, e)
            for x in values:
                before = learned[x]
                # as printed: V(x) ← V(x) + αδe(x)
                learned[x] += alpha * delta * e[x]
                trace.update(x, e[x], before, learned[x])
                # as printed: e(x) ← γλe(x)
                e[x] *= gamma * lambda_
        values.update(learned)
        trace.end(values)


@dataclass(frozen=True, repr=False)
class TDRun:
    """What was learned, and each step on the way."""

    process: Process
    settings: Settings
    #: The values after the last episode.
    values: dict[str, Value]
    #: What they should be; None if nobody knows.
    true_values: dict[str, Value] | None
    trace: TDTrace
    #: More to say and to write, such as how many choices are right.
    more: dict[str, Any] = field(default_factory=dict)

    @property
    def events(self) -> list[Event]:
        """Everything that was reported; a long run keeps only its first events."""
        return self.trace.events

    @property
    def episodes(self) -> int:
        """How many episodes there were."""
        return len(self.trace.history) - 1

    @property
    def rms(self) -> list[float]:
        """The error before the first episode and after each one; empty if nobody knows."""
        return self.trace.rms

    def __str__(self) -> str:
        count = f"{self.episodes:,} episode{'' if self.episodes == 1 else 's'}"
        said = f"{self.settings}, {count}: V({self.process.start}) = "
        said += decimal(self.values[self.process.start])
        if self.rms:
            said += f", RMS error {decimal(self.rms[0])} before, {decimal(self.rms[-1])} after"
        return said

    def __repr__(self) -> str:
        return str(self)

    def _repr_mimebundle_(self, **asked: Any) -> dict[str, Any]:
        """In a notebook: the run to step through, or its last picture."""
        from threefold.textbook.td_picture import TDSlides

        return TDSlides(self).mime_bundle(str(self), **asked)

    def to_json(self) -> dict[str, Any]:
        """The run as JSON types."""
        answer: dict[str, Any] = {
            "procedure": "td",
            "value": plain(self.values[self.process.start]),
            "path": self.trace.path,
            "visited": self.trace.visited,
            "pruned": [],
            "on": self.process.name,
            **self.settings.to_json(),
            "episodes": self.episodes,
            "values": plain(self.values),
            "true_values": None if self.true_values is None else plain(self.true_values),
            "rms": self.rms or None,
            **self.more,
            "events": [event.to_json() for event in self.events],
        }
        if self.trace.left_out:
            answer["events_left_out"] = self.trace.left_out
        return answer


def learn(
    process: Process,
    episodes: Iterable[Episode],
    values: dict[str, Value],
    settings: Settings,
) -> TDRun:
    """Run `td` on the episodes of a process, starting with these values, which change."""
    exact = process.exact(settings.gamma)
    trace = TDTrace(exact)
    trace.start(process.start, values, settings)
    td(episodes, values, trace, settings)
    return TDRun(process, settings, values, None if exact is None else dict(exact), trace)


def rms_error(values: Mapping[str, Value], exact: Mapping[str, Value]) -> float:
    """The root of the mean squared difference, over all states alike."""
    return math.sqrt(math.fsum(float(values[s] - exact[s]) ** 2 for s in exact) / len(exact))


def decimal(value: Value) -> str:
    """A value with at most four decimals, as the books print it."""
    text = f"{float(value):.4f}".rstrip("0").rstrip(".")
    return "0" if text in {"-0", ""} else text.replace("-", "−")
