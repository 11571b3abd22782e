"""A training run: a learner, round after round, until its games or its time are up.

It lowers the step size as it goes, measures how strong the net has become, and every minute saves
the net and a checkpoint. Whatever ends it early, what was learned is kept: Ctrl-C, a full disk, or
numbers that leave all bounds; `kill -9` loses the last minute.
"""

import math
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

from threefold.engine.nets import BadNet, Net
from threefold.errors import ThreefoldError, argument
from threefold.learn.checkpoints import Checkpoint
from threefold.learn.interrupts import Interrupts
from threefold.learn.learner import Diverged, Goal, Learner, Plan, Round
from threefold.learn.provenance import made
from threefold.learn.strength import Score, Sparrings, Strength

#: Seconds between two checkpoints, and between two points of the curves.
SAVE_EVERY: Final = 60.0
LOOK_EVERY: Final = 1.0
#: Strength is measured again after a twentieth of the time, within these numbers of seconds.
_MEASURE_AGAIN: Final = 0.05
_SOONEST: Final = 1.0
_LATEST: Final = 15.0
#: The most seconds that a measurement may take.
_MEASURE_SECONDS: Final = 3.0
#: The share of the time that measuring may take.
_MEASURE_SHARE: Final = 0.05
#: A loss so many times the first one is a training run that has diverged.
_DIVERGED: Final = 1000.0
#: The most points of the curves that are kept; beyond, every second one is dropped.
_MOST_POINTS: Final = 2000


@dataclass(frozen=True)
class Report:
    """How far a run has come."""

    games: int
    positions: int
    seconds: float
    #: The mean loss of the last round; None before the first.
    loss: float | None
    #: What the net scored when it was last measured, and whether that was just now.
    strength: Strength | None = None
    measured: bool = False

    def to_json(self) -> dict[str, Any]:
        """A line of `--stream`."""
        return {
            "games": self.games,
            "positions": self.positions,
            "seconds": round(self.seconds, 3),
            "loss": None if self.loss is None else round(self.loss, 6),
            "strength": strength_to_json(self.strength),
        }


def strength_to_json(strength: Strength | None) -> dict[str, Any] | None:
    """What a net scored, in JSON's own types."""
    if strength is None:
        return None
    return {name: score.to_json() for name, score in strength.items()}


class Training:
    """A run of a learner."""

    def __init__(
        self,
        learner: Learner,
        plan: Plan,
        goal: Goal,
        out: Path,
        checkpoint: Path,
        *,
        command: str = "",
        before: Checkpoint | None = None,
        start: Net[Any] | None = None,
        sparrings: Sparrings | None = None,
        say: Callable[[str], object] = lambda _: None,
    ) -> None:
        """It goes on from `before`, or begins with what the net `start` knows.

        `say` is told what went wrong on the way.
        """
        self.learner, self.plan, self.goal = learner, plan, goal
        self.out, self.checkpoint = out, checkpoint
        #: The command that made the net, for its file.
        self.command = command
        self._say = say
        #: Told of every round.
        self.watch: Callable[[Report], object] = lambda _: None
        self._sparrings = sparrings
        #: The points of the curves.
        self.history: list[Report] = []
        self.report = Report(0, 0, 0.0, None)
        self._first_loss: float | None = None
        #: Whether there is a checkpoint to go on from.
        self.can_be_resumed = False
        #: How the net was made that the run began with.
        self._start: Mapping[str, Any] | None = None
        if start is not None:
            from threefold.learn.model import weights_of  # which needs PyTorch

            if learner.net().results != start.results:
                raise BadNet(f"{start.name} tells other results apart than the net to be trained")
            learner.restore({**learner.state(), **weights_of(start)})
            self._start = start.made
        if before is not None:
            try:
                learner.restore(before.state)
                self._remember(before.progress)
            except (KeyError, IndexError, TypeError, ValueError, RuntimeError) as error:
                raise BadNet(f"the checkpoint is damaged: {error}") from error
        self._seconds_before = self.report.seconds
        self._measuring = 0.0
        #: The net after the last round that went well.
        self.net: Net[Any] = learner.net()
        self._games_of_net = self.report.games
        self._measured_net = self.net
        self._measured_at = self.report.seconds
        self._began = self._saved_at = self._looked_at = time.monotonic()
        #: The rounds since the last look.
        self._lately: list[Round] = []

    @property
    def share(self) -> float:
        """How much of the run is done, from 0 to 1."""
        return self.goal.share(self.report.games, self.report.seconds)

    def prepare(self) -> None:
        """Compile what the run needs, before its clock is started."""
        if self.share < 1:
            self.learner.prepare()
            if self._sparrings is not None:
                self._sparrings.prepare()

    def run(self) -> Report:
        """Learn until the goal is reached, or somebody wants it to stop; then save."""
        whole = True
        self._began = self._saved_at = self._looked_at = time.monotonic()
        with Interrupts(self._say) as interrupts:
            try:
                self._learn(interrupts)
            except KeyboardInterrupt:  # in the middle of a round
                whole = False
            except Diverged as error:
                raise Diverged(f"{error}; {self._rescued()}") from error
            if not self._games_of_net and not whole:
                raise KeyboardInterrupt
            interrupts.ignored = True
            self._save_at_the_end(whole)
        return self.report

    def _learn(self, interrupts: Interrupts) -> None:
        if not self.history:
            self._measure()
            self._note(self.report)
        while self.share < 1 and not interrupts.wanted:
            self._round()
        if self._lately:
            self._look()
        if self.net is not self._measured_net:
            self._measure()
            self.history[-1] = self.report
            self.watch(self.report)

    # A round.

    def _round(self) -> None:
        self.learner.done = self.share
        self.learner.rate = rate_at(self.plan, self.share)
        left = None if self.goal.games is None else self.goal.games - self.report.games
        done = self.learner.round(left)
        self._check(done)
        self._lately.append(done)
        now = time.monotonic()
        positions = sum(each.positions for each in self._lately)
        self.report = Report(
            self.report.games + done.games,
            self.report.positions + done.positions,
            self._seconds_before + now - self._began,
            sum(each.positions * each.loss for each in self._lately) / max(positions, 1),
            self.report.strength,
        )
        if now - self._looked_at >= LOOK_EVERY or self.share >= 1:
            self._look()
            self._looked_at = time.monotonic()
            self._lately = []

    def _look(self) -> None:
        """See what was learned since the last look, and how strong that is."""
        try:
            self.net = self.learner.net()
        except BadNet as error:
            raise Diverged(str(error)) from error
        self._games_of_net = self.report.games
        if self._is_time_to_measure():
            self._measure()
        self._note(self.report)
        self.watch(self.history[-1])
        if time.monotonic() - self._saved_at >= SAVE_EVERY:
            self._save_on_the_way()

    def _check(self, done: Round) -> None:
        """Raise if the loss says that nothing sensible is being learned any more."""
        if self._first_loss is None:
            self._first_loss = done.loss
        limit = _DIVERGED * max(self._first_loss, 1.0)
        if not math.isfinite(done.loss) or done.loss > limit:
            raise Diverged(
                f"the training diverged after {self.report.games:,} games: the loss is "
                f"{done.loss:.4g}"
            )

    # How strong it is.

    def _is_time_to_measure(self) -> bool:
        since = self.report.seconds - self._measured_at
        spare = _MEASURE_SHARE * (self.report.seconds - self._seconds_before) - self._measuring
        pause = min(max(_MEASURE_AGAIN * self.report.seconds, _SOONEST), _LATEST)
        return since >= pause and spare > 0 and self.share < 1

    def _measure(self) -> None:
        """See how the net fares."""
        if self._sparrings is None:
            return
        began = time.monotonic()
        seconds = min(_MEASURE_SECONDS, _MEASURE_SHARE * max(self.report.seconds, 5.0))
        previous = None if self.net is self._measured_net else self._measured_net
        strength = self._sparrings.measure(self.net, previous, seconds)
        self._measuring += time.monotonic() - began
        self._measured_net, self._measured_at = self.net, self.report.seconds
        self.report = replace(self.report, strength=strength, measured=True)

    # What is remembered.

    def _note(self, report: Report) -> None:
        """Keep a point of the curves."""
        self.history.append(report)
        if len(self.history) > _MOST_POINTS:
            self.history = [
                each for i, each in enumerate(self.history) if i % 2 == 0 or each.measured
            ]
        self.report = replace(report, measured=False)

    def _progress(self) -> dict[str, Any]:
        """What a checkpoint remembers of the run."""
        return {
            "goal": asdict(self.goal),
            "games": self.report.games,
            "seconds": self.report.seconds,
            "first_loss": self._first_loss,
            "start": self._start,
            "history": [
                each.to_json() | {"seconds": each.seconds, "loss": each.loss}
                | {"strength": strength_to_json(each.strength) if each.measured else None}
                for each in self.history
            ],
        }  # fmt: skip

    def _remember(self, progress: Mapping[str, Any]) -> None:
        self._first_loss = progress["first_loss"]
        self._start = progress.get("start")
        last = None
        for point in progress["history"]:
            strength = point["strength"] and {
                name: Score.from_json(score) for name, score in point["strength"].items()
            }
            last = strength or last
            self.history.append(Report(**point | {"strength": last}, measured=strength is not None))
        if self.history:
            self.report = replace(self.history[-1], measured=False)

    # What is saved.

    def _documented(self) -> Net[Any]:
        report = self.report
        return replace(
            self.net,
            made=made(
                self.plan,
                command=self.command,
                games=self._games_of_net,
                positions=report.positions,
                seconds=report.seconds,
                loss=report.loss,
                strength=strength_to_json(report.strength),
                start=self._start,
            ),
        )

    def _save_checkpoint(self) -> None:
        now = Checkpoint(self.plan, self._progress(), self.learner.state())
        now.save(self.checkpoint, self.learner.game)
        self.can_be_resumed = True

    def _save_on_the_way(self) -> None:
        """Save; if that fails, go on and try again in a minute."""
        try:
            self._save_checkpoint()
            self._documented().save(self.out)
        except ThreefoldError as error:
            self._say(f"{error}; training goes on, and saving is tried again in a minute")
        self._saved_at = time.monotonic()

    def _save_at_the_end(self, whole: bool) -> None:
        """Save, without a checkpoint from within a round; the net elsewhere, if that fails."""
        try:
            if whole:
                self._save_checkpoint()
        except ThreefoldError as error:
            self._say(f"{error}; this run cannot be resumed")
        try:
            self._documented().save(self.out)
        except ThreefoldError as error:
            raise ThreefoldError(f"{error}; {self._saved_elsewhere()}") from error

    def _saved_elsewhere(self) -> str:
        """Save the net in a temporary folder; say where."""
        try:
            place = Path(tempfile.mkdtemp(prefix="threefold-net-")) / self.out.name
            self._documented().save(place)
        except (OSError, ThreefoldError) as error:
            return f"nor could it be saved elsewhere: {error}"
        return f"the net was saved as {place} instead"

    def _rescued(self) -> str:
        """Save the last net that was good; say so."""
        lower = f"try a lower {argument('rate')} than {self.plan.rate:g}"
        if not self._games_of_net:
            return f"nothing was saved; {lower}"
        self._documented().save(self.out)
        return f"{self.out} has the net of {self._games_of_net:,} games; {lower}"


def rate_at(plan: Plan, share: float) -> float:
    """The step size when a share of the run is done: it falls evenly."""
    return plan.rate + (plan.last_rate - plan.rate) * share
