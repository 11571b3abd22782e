"""Workers on a Ray cluster: one on every CPU, and this process to lead them.

A worker is a Ray actor. It keeps what it has made, compiled code above all, from one portion of
work to the next, and has one portion at a time: a million games to be played take no more memory
than a hundred. A worker that dies, alone or with its node, loses the portion that it had. The
others never wait for it.

Nodes may join and leave. The first worker of a node finds out whether the node can do this work,
and compiles; the others of the node start after it. A node that cannot is left out.
"""

import contextlib
import logging
import os
import pickle
import sys
import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Generic, Protocol, TypeVar

from threefold.cluster.head_node import explained, is_open, problem_at, reachable
from threefold.cluster.own_files import own_files
from threefold.cluster.version import version_of
from threefold.engine.progress import StatusLine
from threefold.engine.running import Closing
from threefold.errors import ThreefoldError
from threefold.rules.text import listing

Portion = TypeVar("Portion")
PortionIn = TypeVar("PortionIn", contravariant=True)
Answer = TypeVar("Answer")
AnswerOut = TypeVar("AnswerOut", covariant=True)
Thing = TypeVar("Thing")

#: Seconds without the head node until we give up; Ray itself would end our process.
_HEADLESS: Final = 20.0
#: Seconds between two looks at the nodes.
_INTERVAL: Final = 2.0
#: How many workers may die on a node, before one is ready there, until the node is left out.
_DEATHS: Final = 3
#: Seconds that workers have for their engines to quit.
_FAREWELL: Final = 2.0
#: Seconds until it is said that no node is ready.
_PATIENCE: Final = 30.0
#: Bytes for Ray's store of objects where we start a cluster: portions are small.
_STORE: Final = 100 << 20
#: Ray reads these when it is imported: it neither reports to its makers nor prints on stdout.
_ENVIRONMENT: Final = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_DEDUP_LOGS_SKIP_REGEX": ".*",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
}
_QUIETLY: Final[dict[str, Any]] = {"log_to_driver": False, "logging_level": logging.CRITICAL}


class Crew(Protocol[PortionIn, AnswerOut]):
    """What does the work in a process of a node; its class is named as `module:name`."""

    def get_ready(self) -> None:
        """Make and compile what is needed; raise what is missing here."""
        ...

    def play(self, portion: PortionIn, /) -> AnswerOut:
        """Do a portion of the work."""
        ...

    def close(self) -> None:
        """Close what was opened."""
        ...


@dataclass(frozen=True)
class Job:
    """What the workers of a cluster do."""

    #: Which crew does it, as `module:name`, and what to make it with.
    crew: str
    arguments: tuple[Any, ...]
    #: The rooms of ours that decide what comes out: a node must have the same.
    rooms: tuple[str, ...]
    #: What to tell somebody whose cluster is gone.
    comfort: str


class Unable(Exception):
    """What a crew raises if its process, or its node, is of no use any more: the portion is lost.

    Another worker takes its place, if the node can have one.
    """


@dataclass(frozen=True)
class Shared(Generic[Thing]):
    """Something large that portions refer to: it is sent to a node when it is first asked for.

    It is kept as long as anybody refers to it. Arrays of it are shared by all workers of a node,
    and cannot be written to.
    """

    _reference: Any

    def get(self) -> Thing:
        """The thing itself."""
        import ray

        thing: Thing = ray.get(self._reference)
        return thing


@dataclass(frozen=True)
class LostPortion(Generic[Portion]):
    """A portion whose worker died."""

    portion: Portion


@dataclass(eq=False)
class _Worker(Generic[Portion]):
    """An actor, the node it is on, and what it was sent."""

    actor: Any
    node: str
    portion: Portion | None = None


class RayNodes(Closing, Generic[Portion, Answer]):
    """Workers on the nodes of the Ray cluster at `address`, or of the one on this machine.

    Where none runs on this machine, one is started for the job. `most` limits the number of
    workers. `say` is told of nodes that are left out.
    """

    def __init__(
        self,
        job: Job,
        address: str | None = None,
        *,
        most: int | None = None,
        say: Callable[[str], None] | None = None,
    ) -> None:
        self._comfort = job.comfort
        self._most = most
        self._say = say or _say
        self._waiting: deque[Portion] = deque()
        #: Workers by what they will answer; and those with nothing to do.
        self._preparing: dict[Any, _Worker[Portion]] = {}
        self._playing: dict[Any, _Worker[Portion]] = {}
        self._idle: list[_Worker[Portion]] = []
        #: Nodes: their names, those with a worker that was ready, and those left out and why.
        self._names: dict[str, str] = {}
        self._good: set[str] = set()
        self._left_out: dict[str, str] = {}
        self._told: set[str] = set()
        self._deaths: Counter[str] = Counter()
        self._wrong: ThreefoldError | None = None
        self._looked = -_INTERVAL
        # Plain values: a node may have another version of Threefold, and must live to tell.
        work = (job.crew, pickle.dumps(job.arguments))
        sent = (job.rooms, version_of(job.rooms), own_files(), work)
        with StatusLine(lambda _: "connecting to the cluster"):
            self._ray = _connect(address)
        self._head = self._ray.get_runtime_context().gcs_address
        self._began = self._heard = time.monotonic()
        self._is_late = False
        self._actor = self._ray.remote(num_cpus=1, max_restarts=0)(_actor())
        self._sent_job = self._ray.put(sent)

    @property
    def capacity(self) -> int:
        """One portion for each worker that is ready, and one for each to go on with at once."""
        return max(1, 2 * (len(self._idle) + len(self._playing)))

    @property
    def is_ready(self) -> bool:
        """Whether there is or was any worker that is ready."""
        return bool(self._good)

    def share(self, thing: Thing) -> Shared[Thing]:
        """Have the workers share something, which must not change any more."""
        try:
            return Shared(self._ray.put(thing))
        except self._ray.exceptions.RayError as error:
            problem = " ".join(str(error).split())
            raise ThreefoldError(f"Ray's store has no room: {problem}; {self._comfort}") from None

    def send(self, portion: Portion) -> None:
        """Give it to a worker that is idle, or to the next one that will be."""
        self._waiting.append(portion)
        self._hand_out()

    def _hand_out(self) -> None:
        while self._waiting and self._idle:
            worker = self._idle.pop()
            worker.portion = self._waiting.popleft()
            self._playing[worker.actor.play.remote(worker.portion)] = worker

    def receive(self, seconds: float) -> list[Answer | LostPortion[Portion]]:
        """What came back; what went wrong is raised after it."""
        if self._wrong is not None:
            raise self._wrong
        self._look_around()
        done: list[Answer | LostPortion[Portion]] = []
        for answer in self._answers(min(seconds, _INTERVAL)):
            try:
                if answer in self._preparing:
                    self._welcome(answer)
                else:
                    done.append(self._take(answer))
            except ThreefoldError as error:
                self._wrong = error
        self._hand_out()
        return done

    def _answers(self, seconds: float) -> list[Any]:
        """Whatever was answered by now; waits for the first answer, at most this long."""
        expected = [*self._playing, *self._preparing]
        if not expected:
            time.sleep(seconds)
            return []
        # An answer counts when it has arrived here: getting it waits for nobody.
        answers, others = self._ray.wait(expected, timeout=seconds)
        if answers and others:
            answers += self._ray.wait(others, num_returns=len(others), timeout=0)[0]
        return list(answers)

    def _take(self, answer: Any) -> Answer | LostPortion[Portion]:
        """What became of a portion."""
        worker = self._playing.pop(answer)
        portion, worker.portion = worker.portion, None
        assert portion is not None
        try:
            said = self._get(answer)
        except _Gone:
            self._dismiss(worker)
            return LostPortion(portion)
        if isinstance(said, str):
            raise ThreefoldError(f"on node {self._names[worker.node]}: {said}")
        self._idle.append(worker)
        answer_of_crew: Answer = said[0]
        return answer_of_crew

    def _welcome(self, answer: Any) -> None:
        """A worker is ready, or says why its node cannot do it."""
        worker = self._preparing.pop(answer)
        try:
            wrong = self._get(answer)
        except _Gone:
            self._deaths[worker.node] += 1
            wrong = "its workers die as they start; Ray's logs there may say why"
            if self._deaths[worker.node] < _DEATHS:
                self._dismiss(worker)
                return
        if wrong:
            self._dismiss(worker)
            self._leave_out(worker.node, wrong)
            return
        self._idle.append(worker)
        if worker.node not in self._good:
            self._good.add(worker.node)
            self._looked = -_INTERVAL  # the others of its node start now

    def _get(self, answer: Any) -> Any:
        """What a worker answered; `_Gone` if it can answer no more."""
        try:
            return self._ray.get(answer)
        except self._ray.exceptions.RayTaskError as error:
            if isinstance(error.cause, (Unable, self._ray.exceptions.RayError)):
                raise _Gone from None
            return f"{type(error.cause).__name__}: {error.cause}"
        except self._ray.exceptions.RayError:
            raise _Gone from None

    def _dismiss(self, worker: _Worker[Portion]) -> None:
        """Make sure that a worker is gone."""
        with contextlib.suppress(self._ray.exceptions.RayError):
            self._ray.kill(worker.actor)

    def _leave_out(self, node: str, wrong: str) -> None:
        self._left_out[node] = wrong
        if self._left_out.keys() >= self._names.keys() and not self._playing:
            raise ThreefoldError(f"no node of the cluster can play: {wrong}")

    def _tell(self) -> None:
        """Say which nodes are left out, once there are others; and if none is ready for long."""
        if not (self._good or self._is_late) and time.monotonic() > self._began + _PATIENCE:
            self._is_late = True
            self._say(
                "no node is ready yet: it may be compiling, or its CPUs are busy (ray status)"
            )
        untold = self._left_out.keys() - self._told
        if not self._good or not untold:
            return
        self._told |= untold
        for wrong in sorted({self._left_out[node] for node in untold}):
            nodes = sorted(self._names[node] for node in untold if self._left_out[node] == wrong)
            self._say(f"left out node{'s' * (len(nodes) > 1)} {listing(nodes)}: {wrong}")

    def _look_around(self) -> None:
        """Start workers where there is room, and forget nodes that are gone."""
        if time.monotonic() < self._looked + _INTERVAL:
            return
        self._looked = time.monotonic()
        self._tell()
        if not self._head_answers():  # it is not asked, for it would be waited for
            return
        nodes = {node["NodeID"]: node for node in self._ray.nodes() if node["Alive"]}
        self._names |= {key: _name(node) for key, node in nodes.items()}
        self._idle = [worker for worker in self._idle if worker.node in nodes]
        everyone = (*self._idle, *self._playing.values(), *self._preparing.values())
        workers = Counter(worker.node for worker in everyone)
        for key, node in nodes.items():
            if key in self._left_out:
                continue
            room = int(node["Resources"].get("CPU", 0))
            for _ in range(workers[key], room if key in self._good else min(room, 1)):
                if self._most is None or workers.total() < self._most:
                    workers[key] += 1
                    self._start(key)

    def _head_answers(self) -> bool:
        """Whether the head node is there; workers work without it, but not forever."""
        if is_open(self._head, timeout=1.0):
            self._heard = time.monotonic()
            return True
        if time.monotonic() > self._heard + _HEADLESS:
            raise ThreefoldError(f"the cluster's head node {self._head} is gone; {self._comfort}")
        return False

    def _start(self, node: str) -> None:
        place = self._ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy
        actor = self._actor.options(scheduling_strategy=place(node, soft=False)).remote()
        self._preparing[actor.prepare.remote(self._sent_job)] = _Worker(actor, node)

    def close(self) -> None:
        """Leave the cluster, which ends all workers; those that are idle close their engines."""
        closing = [worker.actor.close.remote() for worker in self._idle]
        if closing:
            self._ray.wait(closing, num_returns=len(closing), timeout=_FAREWELL)
        for workers in (self._idle, self._playing, self._preparing):
            workers.clear()
        self._ray.shutdown()


class _Gone(Exception):
    """A worker has died."""


def _say(text: str) -> None:
    sys.stderr.write(f"threefold: {text}\n")


def _name(node: dict[str, Any]) -> str:
    address, host = node["NodeManagerAddress"], node["NodeManagerHostname"]
    return f"{address} ({host})"


def _connect(address: str | None) -> Any:
    """Ray, connected to a cluster."""
    for name, value in _ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    try:
        import ray
        import ray.util.scheduling_strategies
    except ImportError:
        raise ThreefoldError(
            "matches, training and databases on a cluster need Ray: "
            "pip install 'threefold[cluster]'"
        ) from None
    way = "auto"
    if address is not None:
        way = reachable(address, ray.util.get_node_ip_address())  # type: ignore[no-untyped-call]
    problem = problem_at(way)
    try:
        if address is None and "Could not find any running Ray instance" in problem:
            ray.init("local", include_dashboard=False, object_store_memory=_STORE, **_QUIETLY)
        elif problem:
            raise ThreefoldError(explained(address, problem))
        else:
            ray.init(way, **_QUIETLY)
    except (ray.exceptions.RayError, OSError, RuntimeError, ValueError) as error:
        raise ThreefoldError(explained(address, str(error))) from None
    return ray


def _actor() -> type:
    """The class of workers.

    A class within a function is sent to the nodes as code: they may have another version of
    Threefold or none, and must live to tell.
    """

    class Worker:
        """Works on a node."""

        def prepare(self, job: Any) -> str:
            """Get ready; says what is wrong, and nothing if all is well."""
            import importlib
            import pickle
            import signal
            import sys
            import tempfile
            from pathlib import Path

            rooms, wanted, (given, files), (crew, arguments) = job
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            try:
                from threefold.cluster.version import version_of
                from threefold.errors import ThreefoldError
                from threefold.rules import user_files
            except ImportError as error:
                return f"it has no Threefold {wanted} ({error}); install it there"
            here = version_of(rooms)
            if here != wanted:
                return f"it has Threefold {here}, and this machine {wanted}; install the same"
            self._folder = tempfile.TemporaryDirectory(prefix="threefold-")
            for name, content in files.items():
                path = Path(self._folder.name, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            sys.path.insert(0, self._folder.name)
            user_files.files |= {Path(p): Path(self._folder.name, at) for p, at in given.items()}
            try:
                module, _, name = crew.partition(":")
                self._crew = getattr(importlib.import_module(module), name)(
                    *pickle.loads(arguments)
                )
                self._crew.get_ready()
            except ThreefoldError as error:
                return str(error.args[0])
            return ""

        def play(self, portion: Any) -> Any:
            """Do a portion, in a tuple; says what is wrong if it cannot be done."""
            from threefold.errors import ThreefoldError

            try:
                return (self._crew.play(portion),)
            except ThreefoldError as error:
                return str(error.args[0])

        def close(self) -> None:
            """Close what the crew has open."""
            self._crew.close()
            self._folder.cleanup()

    return Worker
