"""Checkpoints: everything that a training run needs to go on after it was ended.

A checkpoint is a file of plain arrays, and nothing in it is ever run. It says which game and which
features it is for and how the net was learning, so that a run never goes on with another's.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Final

import numpy as np

from threefold.engine.nets import BadNet, features_digest, read_arrays, write_arrays
from threefold.errors import ThreefoldError, argument
from threefold.learn.learner import Goal, Plan
from threefold.rules.game import Game

FORMAT: Final = 1
#: What comes before the names of a learner's own arrays.
_LEARNER: Final = "learner."
#: How a net's file and its checkpoint's are named: `net.npz`, `net.checkpoint.npz`.
_SUFFIX: Final = ".checkpoint.npz"

#: What a resumed run must have in common with the run before, and how the command line calls it.
_SAME: Final = {
    "method": "method",
    "hidden": "hidden",
    "outputs": "outputs",
    "terms": "terms",
    "blocks": "blocks",
    "channels": "channels",
}
#: The positions to learn from stay where they were found.
_SAME_OF_POLICIES: Final = {"device": "device"}


@dataclass(frozen=True)
class Checkpoint:
    """A training run as it was."""

    plan: Plan
    #: How far the run had come: see `training`.
    progress: Mapping[str, Any]
    #: What the learner needs to go on.
    state: Mapping[str, Any]

    @property
    def goal(self) -> Goal:
        """When the run was to end."""
        return Goal(**self.progress["goal"])

    @property
    def games(self) -> int:
        """How many games it had learned from."""
        return int(self.progress["games"])

    @property
    def seconds(self) -> float:
        """How long it had learned."""
        return float(self.progress["seconds"])

    def save(self, path: Path, game: Game[Any]) -> None:
        """Write it to a file, whole or not at all."""
        arrays: dict[str, Any] = {
            "checkpoint": np.int64(FORMAT),
            "game": np.array(game.spec),
            "features": np.array(features_digest(game)),
            "plan": np.array(json.dumps(asdict(self.plan))),
            "progress": np.array(json.dumps(dict(self.progress))),
        }
        for name, value in self.state.items():
            arrays[_LEARNER + name] = np.asarray(value)
        write_arrays(path, arrays)

    @classmethod
    def load(cls, path: Path, game: Game[Any]) -> "Checkpoint":
        """Read one for a game; one for another game is refused.

        For a net's file it is the checkpoint beside it.
        """
        arrays = read_arrays(path, "a checkpoint")
        if "checkpoint" not in arrays and "first_weights" in arrays:
            beside = beside_net(path)
            if not beside.exists():
                raise BadNet(
                    f"{path} is a net, and the checkpoint that it would go on from, {beside}, is "
                    "not there"
                )
            return cls.load(beside, game)
        try:
            if int(arrays["checkpoint"]) != FORMAT:
                raise BadNet(
                    f"{path} has format {int(arrays['checkpoint'])}; this version reads {FORMAT}"
                )
            if str(arrays["features"]) != features_digest(game):
                raise BadNet(
                    f"{path} is a checkpoint for {arrays['game']!s}, whose features are not those "
                    f"of {game.spec}"
                )
            state = {
                name.removeprefix(_LEARNER): value
                for name, value in arrays.items()
                if name.startswith(_LEARNER)
            }
            plan = _plan(json.loads(str(arrays["plan"])))
            progress = json.loads(str(arrays["progress"]))
            found = cls(plan, progress, state)
            found.goal.share(found.games, found.seconds)
        except (KeyError, ValueError, TypeError, AttributeError) as error:
            raise BadNet(f"{path} is not a checkpoint, or a damaged one: {error}") from error
        return found


def beside_net(net: Path) -> Path:
    """Where the checkpoint of a net is, unless a user says otherwise."""
    return net.with_name(net.name.removesuffix(".npz") + _SUFFIX)


def check_same(before: Plan, now: Plan, path: Path) -> None:
    """Raise unless a run can go on from another's checkpoint."""
    same = _SAME | (_SAME_OF_POLICIES if before.method == "alphazero" else {})
    for name, option in same.items():
        was, given = getattr(before, name), getattr(now, name)
        if was != given:
            raise ThreefoldError(
                f"{path} was trained with {argument(option, option_text(was))}; "
                f"it cannot go on with {option_text(given)}"
            )


def option_text(value: object) -> str:
    """The value of an option, as the command line takes it."""
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _plan(given: Mapping[str, Any]) -> Plan:
    """A plan as a file has it; what an older version did not know keeps its default."""
    known = {field.name for field in fields(Plan)}
    values = {name: value for name, value in given.items() if name in known}
    return Plan(**values | {"hidden": tuple(map(int, values["hidden"]))})
