"""What every benchmark yields: a figure of ours beside a peer's, measured in one run."""

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
    """A time of ours alone, to be reported; less is better."""

    what: str
    seconds: float
    wanted: float

    def __str__(self) -> str:
        verdict = "reached" if self.seconds <= self.wanted else "NOT reached"
        return f"{self.what}: {self.seconds:.2f} s; wanted {self.wanted:g} s: {verdict}"

    def to_json(self) -> dict[str, Any]:
        return vars(self)


@dataclass(frozen=True)
class Rate:
    """A rate of ours alone, to be reported; more is better."""

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
class LeftOut:
    """A comparison that could not be made here, and why."""

    what: str
    why: str

    def __str__(self) -> str:
        return f"{self.what}: left out, {self.why}"

    def to_json(self) -> dict[str, Any]:
        return vars(self)


def data(*path: str) -> Path | None:
    """A file or folder of the data folder, which `threefold bench --data` names; None without."""
    folder = os.environ.get("THREEFOLD_BENCH_DATA")
    found = Path(folder, *path) if folder else None
    return found if found is not None and found.exists() else None


def time_limit(default: float) -> float:
    """How many seconds a benchmark without an end of its own may take: `threefold bench --time`."""
    return float(os.environ.get("THREEFOLD_BENCH_TIME", default))


def best_rate(work: Callable[[], int], repeats: int = 3) -> float:
    """How many things a second `work` does, which returns how many it did: the best of a few."""
    seconds, done = quickest(work, repeats)
    return done / seconds


def quickest(
    work: Callable[[], T], repeats: int = 3, clock: Callable[[], float] = time.perf_counter
) -> tuple[float, T]:
    """How many seconds `work` takes, the least of a few, and what it returned."""
    seconds, done = [], None
    for _ in range(repeats):
        began = clock()
        done = work()
        seconds.append(clock() - began)
    return min(seconds), cast(T, done)


def say(what: str) -> None:
    """A word on stderr about what takes its time now."""
    sys.stderr.write(f"measuring {what}…\n")


def _short(rate: float) -> str:
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if rate >= size:
            return f"{rate / size:.3g} {letter}"
    return f"{rate:.3g} "
