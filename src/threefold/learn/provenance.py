"""How a net was made: what its file says about it."""

import platform
from collections.abc import Mapping
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, Final

import threefold
from threefold.learn.learner import Plan

#: The libraries whose versions decide what comes out of a training run.
_LIBRARIES: Final = ("torch", "numpy", "numba", "numba-cuda")


def made(
    plan: Plan,
    *,
    command: str,
    games: int,
    positions: int,
    seconds: float,
    loss: float | None,
    strength: Mapping[str, Any] | None = None,
    start: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """How a net was made, in JSON's own types; `start` is how the one was that it began with."""
    return {
        "command": command,
        "plan": plan.used(),
        "seed": plan.seed,
        "games": games,
        "positions": positions,
        "seconds": round(seconds, 1),
        "loss": None if loss is None else round(loss, 6),
        "strength": strength,
        "device": device_name(plan.device),
        "versions": versions(),
        **({} if start is None else {"start": dict(start)}),
    }


@cache
def versions() -> dict[str, str]:
    """The versions of everything that matters, as far as it is installed."""
    found = {"python": platform.python_version(), "threefold": threefold.__version__}
    for name in _LIBRARIES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def device_name(device: str) -> str:
    """What the device is called on which a net learns."""
    if device == "gpu":
        from threefold.gpu import driver

        return driver.device_name()
    return _processor() or platform.machine() or "CPU"


@cache
def _processor() -> str:
    """The processor as Linux names it."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines()
    except OSError:
        return platform.processor()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, "")
