"""Where episodes come from: the random walk, or episodes that someone writes down.

The random walk has states in a row, A to E, and starts in the middle. Each step goes left or right
with equal chance. It ends beyond A, which is worth nothing, or beyond E, which is worth 1: so V(s)
is the probability of ending at the right (Sutton, 1988).

An episode is written as its states with the reward for leaving each; a reward of 0 may be left out,
except the last one: `C D E 1`, or `A 0 B 0`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from random import Random
from string import ascii_uppercase

from threefold.errors import ThreefoldError
from threefold.rules.text import listing, shorten
from threefold.textbook.td import MAX_EPISODES, Episode, Step, Value

#: As many letters as make an odd number.
MAX_WALK = 25
#: As many states as fit into a table and a picture.
MAX_STATES = 60
#: The steps of an episode that is written down.
MAX_WRITTEN = 1_000
_NUMBER = re.compile(r"[+-]?(?:\d{1,30}(?:\.\d{1,30})?|\.\d{1,30})|[+-]?\d{1,30}/\d{1,30}")
_NAME = re.compile(r"[^\W\d]\w{0,19}'*")
_END = "end"


class BadEpisode(ThreefoldError):
    """An episode, or a list of states or values, cannot be read."""


@dataclass(frozen=True)
class Walk:
    """The random walk of n states."""

    n: int = 5

    def __post_init__(self) -> None:
        if not 1 <= self.n <= MAX_WALK or self.n % 2 == 0:
            raise ThreefoldError(
                f"a walk of {self.n} states: use an odd number from 1 to {MAX_WALK}, so that there "
                "is a middle to start from"
            )

    @property
    def name(self) -> str:
        """What it is."""
        return "walk"

    @property
    def states(self) -> tuple[str, ...]:
        """The states from left to right."""
        return tuple(ascii_uppercase[: self.n])

    @property
    def start(self) -> str:
        """The state in the middle."""
        return self.states[self.n // 2]

    @property
    def first_value(self) -> Fraction:
        """What every state is worth at first."""
        return Fraction(1, 2)

    def exact(self, gamma: Value) -> Mapping[str, Value]:
        """The true values: V(s) is half of γ times its neighbors' sum, with 1/2 more at the right.

        From the left, each value is a multiple of the next one; so the last one can be computed,
        and then the others from right to left.
        """
        half = Fraction(gamma) / 2
        multiples = [Fraction(0)]
        for _ in range(self.n - 1):
            multiples.append(half / (1 - half * multiples[-1]))
        value = Fraction(1, 2) / (1 - half * multiples[-1])
        values = [value]
        for multiple in reversed(multiples[1:]):
            value *= multiple
            values.append(value)
        return dict(zip(self.states, reversed(values), strict=True))

    def episodes(self, count: int, seed: int) -> Iterator[Episode]:
        """Random episodes."""
        check_episodes(count)
        draw = Random(seed)
        return (self._episode(draw) for _ in range(count))

    def _episode(self, draw: Random) -> Iterator[Step]:
        at = self.n // 2
        while 0 <= at < self.n:
            after = at + draw.choice((-1, 1))
            inside = 0 <= after < self.n
            yield Step(
                self.states[at], int(after == self.n), self.states[after] if inside else None
            )
            at = after

    def parse(self, text: str) -> list[Step]:
        """An episode that someone writes down; `C D E end` is `C D E 1`."""
        words = _words(text)
        if words[-1:] == [_END]:
            last = words[-2:-1]
            right = last == [self.states[-1]]
            if self.n == 1 or last not in ([self.states[0]], [self.states[-1]]):
                raise BadEpisode(
                    f"episode {shorten(text)}: write the last reward, 0 or 1, instead of {_END}"
                )
            words[-1:] = ["1" if right else "0"]
        steps = parse_episode(" ".join(words), self.states)
        for step in steps:
            self._check(text, step)
        return steps

    def _check(self, text: str, step: Step) -> None:
        at = self.states.index(step.state)
        if step.next is not None:
            if abs(at - self.states.index(step.next)) != 1:
                raise BadEpisode(
                    f"episode {shorten(text)}: {step.state} to {step.next} is not a step of the "
                    "walk; for states of your own, use --states"
                )
            if step.reward:
                raise BadEpisode(
                    f"episode {shorten(text)}: a step from {step.state} to {step.next} earns "
                    "nothing on this walk; for other rewards, use --states"
                )
            return
        ends = {Fraction(0)} if at == 0 else set()
        ends |= {Fraction(1)} if at == self.n - 1 else set()
        if not ends:
            raise BadEpisode(
                f"episode {shorten(text)}: a walk does not end at {step.state}, but beyond "
                f"{self.states[0]} with 0 or beyond {self.states[-1]} with 1"
            )
        if step.reward not in ends:
            (right,) = ends if len(ends) == 1 else ("0 or 1",)
            raise BadEpisode(
                f"episode {shorten(text)}: the end beyond {step.state} is worth {right}, not "
                f"{float(step.reward):g}"
            )


@dataclass(frozen=True)
class Written:
    """States of someone's own, of which only the episodes are known."""

    states: tuple[str, ...]
    start: str

    @property
    def name(self) -> str:
        """What it is."""
        return "states"

    @property
    def first_value(self) -> Fraction:
        """What every state is worth at first."""
        return Fraction(0)

    def exact(self, _gamma: Value) -> None:
        """Nobody knows."""
        return


def check_episodes(count: int) -> None:
    """Raise unless the number of episodes makes sense."""
    if not 1 <= count <= MAX_EPISODES:
        raise ThreefoldError(f"{count} episodes: use 1 to {MAX_EPISODES:,}")


def parse_states(text: str) -> tuple[str, ...]:
    """States, such as `A B` or `A,B`."""
    names = _words(text)
    for name in names:
        if not _NAME.fullmatch(name) or name == _END:
            raise BadEpisode(f"states: {shorten(name)} is not a name, such as A or Home")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise BadEpisode(f"states: {twice} is there twice")
    if not 1 <= len(names) <= MAX_STATES:
        raise BadEpisode(f"states: {len(names)} names; use 1 to {MAX_STATES}")
    return tuple(names)


def parse_episode(text: str, states: Sequence[str]) -> list[Step]:
    """The steps of an episode: its states, and the rewards for leaving them."""
    words = _words(text)
    if words[-1:] == [_END]:
        words.pop()
    visits: list[tuple[str, Fraction | None]] = []
    for word in words:
        if word in states:
            visits.append((word, None))
        elif _NUMBER.fullmatch(word):
            if not visits or visits[-1][1] is not None:
                raise BadEpisode(f"episode {shorten(text)}: no state stands before the {word}")
            visits[-1] = visits[-1][0], _fraction(text, word)
        else:
            raise BadEpisode(
                f"episode {shorten(text)}: {shorten(word)} is neither a state nor a reward; the "
                f"states are {listing(list(states), 30)}"
            )
    if not visits or visits[-1][1] is None:
        example = " ".join([*(state for state, _ in visits[-3:]), "1"]) if visits else "C D E 1"
        raise BadEpisode(
            f"episode {shorten(text)}: the last reward is missing; write it at the end: {example}"
        )
    if len(visits) > MAX_WRITTEN:
        raise BadEpisode(f"an episode of {len(visits):,} steps; use at most {MAX_WRITTEN:,}")
    after = [state for state, _ in islice(visits, 1, None)]
    return [
        Step(state, reward or 0, following)
        for (state, reward), following in zip(visits, [*after, None], strict=True)
    ]


def format_episode(steps: Sequence[Step]) -> str:
    """An episode as it is written."""
    words = []
    for step in steps:
        words.append(step.state)
        if step.reward or step.next is None:
            words.append(str(step.reward))
    return " ".join(words)


def parse_values(text: str, states: Sequence[str]) -> dict[str, Fraction]:
    """Values of some states, such as `A=0.2 B=1/2`, or one number for all of them."""
    words = re.sub(r"\s*[=:]\s*", "=", text.replace("−", "-").replace(",", " ")).split()
    if len(words) == 1 and _NUMBER.fullmatch(words[0]):
        return dict.fromkeys(states, _fraction(text, words[0], "values"))
    values: dict[str, Fraction] = {}
    for word in words:
        name, _, number = word.partition("=")
        if name not in states:
            raise BadEpisode(
                f"values: there is no state {shorten(name)}; the states are "
                f"{listing(list(states), 30)}"
            )
        if name in values:
            raise BadEpisode(f"values: {name} is given two values; give it one")
        if not _NUMBER.fullmatch(number):
            raise BadEpisode(f"values: {shorten(word)} is not a value; write it as {name}=0.5")
        values[name] = _fraction(text, number, "values")
    if not values:
        raise BadEpisode("values: nothing is given; write them as A=0.5 B=0.25")
    return values


def _fraction(text: str, word: str, what: str = "episode") -> Fraction:
    try:
        return Fraction(word)
    except ZeroDivisionError:
        raise BadEpisode(f"{what} {shorten(text)}: {word} divides by zero") from None


def _words(text: str) -> list[str]:
    return re.sub(r"→|->|[,;]", " ", text.replace("−", "-")).split()
