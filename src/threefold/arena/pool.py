"""Workers on this machine: processes of their own, so that none can harm the match."""

import multiprocessing
import os
import threading
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import TYPE_CHECKING, Final

from threefold.arena.crew import Crew
from threefold.arena.interrupts import held_back
from threefold.arena.match import MatchSettings
from threefold.arena.record import Played, Task
from threefold.arena.workers import Lost, Workers
from threefold.errors import ThreefoldError
from threefold.games.loading import describe

if TYPE_CHECKING:
    from threefold.arena.openings import Openings

#: Seconds that workers have for their engines to quit.
_PATIENCE: Final = 2.0


@dataclass
class _Worker:
    """One process, what it was sent, and the line to it."""

    process: BaseProcess
    line: Connection
    portion: Sequence[Task] = ()
    #: Whether it has said that it is there.
    is_up: bool = False


class Pool(Workers):
    """Worker processes, as many as were asked for; one that dies is replaced."""

    def __init__(self, settings: MatchSettings, openings: "Openings", size: int) -> None:
        self._settings = settings
        self._openings = openings
        self._size = size
        self._workers: list[_Worker] = []
        self._waiting: deque[Sequence[Task]] = deque()

    @property
    def capacity(self) -> int:
        """One portion for each worker, and one for each to go on with at once."""
        return 2 * self._size

    def send(self, portion: Sequence[Task]) -> None:
        """Give it to a worker who is free, or to the next one who will be."""
        self._waiting.append(portion)
        self._hand_out()

    def _hand_out(self) -> None:
        while self._waiting:
            free = next((worker for worker in self._workers if not worker.portion), None)
            if free is None:
                if len(self._workers) == self._size:
                    return
                free = self._hire()
            free.portion = self._waiting.popleft()
            with suppress(OSError):  # it has died, which `receive` finds out
                free.line.send(free.portion)

    def _hire(self) -> _Worker:
        here, there = multiprocessing.Pipe()
        process = multiprocessing.get_context("spawn").Process(
            target=_work, args=(there, self._settings, self._openings), daemon=True
        )
        with held_back():
            process.start()
        there.close()
        worker = _Worker(process, here)
        self._workers.append(worker)
        return worker

    def receive(self, seconds: float) -> list[list[Played] | Lost]:
        """What came back."""
        lines = {worker.line: worker for worker in self._workers}
        done: list[list[Played] | Lost] = []
        for line in wait(list(lines), seconds):
            worker = lines[line]  # type: ignore[index]
            try:
                said = worker.line.recv()
            except (EOFError, OSError):
                said = Lost(worker.portion)
                self._dismiss(worker)
            if isinstance(said, ThreefoldError):
                raise said
            if said is None:
                worker.is_up = True
                continue
            worker.portion = ()
            done.append(said)
        self._hand_out()
        return [each for each in done if not isinstance(each, Lost) or each.tasks]

    def _dismiss(self, worker: _Worker) -> None:
        self._workers.remove(worker)
        worker.line.close()
        worker.process.join(_PATIENCE)
        if not worker.is_up and (worker.process.exitcode or 0) > 0:  # nobody killed it
            raise ThreefoldError(
                "a worker process ended as it started; does the script that plays the match begin "
                'with if __name__ == "__main__"?'
            )

    def close(self) -> None:
        """End all of them: a worker whose line is closed ends itself and its engines."""
        for worker in self._workers:
            worker.line.close()
        for worker in self._workers:
            worker.process.join(_PATIENCE)
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()
        self._workers.clear()


def _work(line: Connection, settings: MatchSettings, openings: "Openings") -> None:
    """What a worker does: play what it is sent until nobody is there to send anything."""
    os.dup2(2, 1)  # what a player prints must not end up in the answer
    line.send(None)
    inbox: deque[Sequence[Task]] = deque()
    arrived = threading.Condition()
    crew: list[Crew] = []

    def listen() -> None:
        while True:
            try:
                portion = line.recv()
            except (EOFError, OSError):
                with suppress(Exception):
                    for each in crew:
                        each.close()
                os._exit(0)
            with arrived:
                inbox.append(portion)
                arrived.notify()

    listening = threading.Thread(target=listen, daemon=True)
    listening.start()
    try:
        crew.append(Crew(settings, openings))
        while not crew[0].is_stuck:
            with arrived:
                arrived.wait_for(lambda: inbox)
            line.send(crew[0].play(inbox.popleft()))
        crew[0].close()
        os._exit(0)  # without waiting for what is stuck
    except ThreefoldError as error:
        # The same message in a class that every process knows, its arguments still to be worded.
        _report(line, ThreefoldError(*error.args))
    except OSError:
        listening.join()  # the one who leads the match is gone; it closes the engines, and ends
    except Exception as error:
        _report(line, ThreefoldError(f"{settings.game}: its rules fail: {describe(error)}"))


def _report(line: Connection, error: ThreefoldError) -> None:
    with suppress(OSError):
        line.send(error)
