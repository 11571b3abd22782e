"""What every benchmark yields: our figure beside a peer's, measured in one run."""

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

T = TypeVar("T")


@dataclass(frozen=True)
class Comparison:
    """Two rates, ours and a peer's, in the same unit; more is better."""

    what: str
    ours: float
    peer: str
    theirs: float
    unit: str
    wanted: float

    @property
    def ratio(self) -> float:
        return self.ours / self.theirs

    def __str__(self) -> str:
        verdict = "reached" if self.ratio >= self.wanted else "NOT reached"
        return (
            f"{self.what}: {_short(self.ours)} {self.unit}, {self.ratio:.3g}× {self.peer} "
            f"({_short(self.theirs)} {self.unit}); wanted {self.wanted:g}×: {verdict}"
        )

    def to_json(self) -> dict[str, Any]:
        return vars(self) | {"ratio": self.ratio}


@dataclass(frozen=True)
class Seconds:
    """A time of ours alone, for the report; less is better."""

    what: str
    seconds: float
    wanted: float

    def __str__(self) -> str:
        verdict = "reached" if self.seconds <= self.wanted else "NOT reached"
        return f"{self.what}: {self.seconds:.2f} s; wanted {self.wanted:g} s: {verdict}"

    def to_json(self) -> dict[str, Any]:
        return vars(self)


@dataclass(frozen=True)
class Points:
    """Points a game against a peer; errors are 95 %."""

    what: str
    points: float
    error: float
    games: int
    wanted: float | None = None

    def __str__(self) -> str:
        found = f"{self.what}: {self.points:+.3f} ± {self.error:.3f} points a game, {self.games:,}"
        if self.wanted is None:
            return f"{found} games"
        verdict = "reached" if self.points >= self.wanted else "NOT reached"
        return f"{found} games; wanted {self.wanted:+.2f}: {verdict}"

    def to_json(self) -> dict[str, Any]:
        return vars(self)


@dataclass(frozen=True)
class Rate:
    """A rate of ours alone, for the report; more is better."""

    what: str
    rate: float
    unit: str
    wanted: float

    def __str__(self) -> str:
        verdict = "reached" if self.rate >= self.wanted else "NOT reached"
        aim = f"; wanted {_short(self.wanted)} {self.unit}: {verdict}" if self.wanted else ""
        return f"{self.what}: {_short(self.rate)} {self.unit}{aim}"

    def to_json(self) -> dict[str, Any]:
        return vars(self)


@dataclass(frozen=True)
class AtMost:
    """A figure of ours alone; less is better."""

    what: str
    value: float
    unit: str
    wanted: float

    def __str__(self) -> str:
        verdict = "reached" if self.value <= self.wanted else "NOT reached"
        return (
            f"{self.what}: {self.value:.3g} {self.unit}; wanted at most {self.wanted:g}: {verdict}"
        )

    def to_json(self) -> dict[str, Any]:
        return vars(self)


@dataclass(frozen=True)
class LeftOut:
    """A comparison that could not be made here, and why."""

    what: str
    why: str

    def __str__(self) -> str:
        return f"{self.what}: left out, {self.why}"

    def to_json(self) -> dict[str, Any]:
        return vars(self)


def data(*path: str) -> Path | None:
    """A file or folder in the data folder (`threefold bench --data`); None if there is none."""
    folder = os.environ.get("THREEFOLD_BENCH_DATA")
    found = Path(folder, *path) if folder else None
    return found if found is not None and found.exists() else None


def time_limit(default: float) -> float:
    """How many seconds an open-ended benchmark may take: `threefold bench --time`."""
    return float(os.environ.get("THREEFOLD_BENCH_TIME", default))


def best_rate(work: Callable[[], int], repeats: int = 3) -> float:
    """The best rate of a few calls of `work`, which returns how many things it did."""
    seconds, done = quickest(work, repeats)
    return done / seconds


def quickest(
    work: Callable[[], T], repeats: int = 3, clock: Callable[[], float] = time.perf_counter
) -> tuple[float, T]:
    """The least time of a few calls of `work`, in seconds, and what it returned."""
    seconds, done = [], None
    for _ in range(repeats):
        began = clock()
        done = work()
        seconds.append(clock() - began)
    return min(seconds), cast(T, done)


def say(what: str) -> None:
    """Say on stderr what is running now."""
    sys.stderr.write(f"measuring {what}…\n")


def _short(rate: float) -> str:
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if rate >= size:
            return f"{rate / size:.3g} {letter}"
    return f"{rate:.3g} "
