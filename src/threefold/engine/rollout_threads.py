"""Rollouts on the CPU, in one thread or several."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Final, TypeVar

import numpy as np

from threefold.engine.compile import Compiled
from threefold.engine.listing import check_fault
from threefold.engine.net_value import NetArrays
from threefold.engine.nets import Net
from threefold.engine.records import allocate, boxed
from threefold.engine.rollout_games import NOTES, OUTCOME, Rollout, play_games
from threefold.engine.rollout_result import Options
from threefold.engine.worker import Worker
from threefold.rules.game import Game

S = TypeVar("S")

#: Games of a round, a multiple of the 36 rolls of two dice.
ROUND: Final = 36
#: A thread plays this many games before it takes others.
_PORTION: Final = 6
#: A roll limit that no game reaches.
ENDLESS: Final = 1 << 40


class OnThreads:
    """Games played on the CPU, in one thread or several."""

    round = ROUND

    def __init__(self, game: Game[S], starts: Sequence[S], options: Options, threads: int) -> None:
        compiled = Compiled(game.weighing())
        self._entry = compiled.entry(play_games)
        self._starts = [compiled.words(s) for s in starts]
        self.controls = [_memory(game, options) for _ in range(threads)]
        self._nets = []
        for memory in self.controls:
            if isinstance(game.net, Net):
                self._nets.append(NetArrays(game.net))  # kept as long as the memory points to it
                memory.net = self._nets[-1].fields()  # type: ignore[assignment]
        notes = np.zeros((NOTES, 1), np.int64)
        self._entry.prepare(self._starts[0], 0, 0, notes, boxed(self.controls[0]))
        self._game = game

    def play(self, starts: Sequence[int], first: int, last: int) -> Any:
        """Games from each of some positions, in portions that the threads share."""
        notes = np.zeros((len(starts), NOTES, last - first), np.int64)
        portions = iter(
            [
                (place, start, low)
                for low in range(first, last, _PORTION)
                for place, start in enumerate(starts)
            ]
        )
        done = np.zeros(len(starts), np.int64)

        def work(memory: Rollout) -> None:
            for place, start, low in portions:  # `next` of a list's iterator is atomic
                high = min(low + _PORTION, last)
                part = np.zeros((NOTES, high - low), np.int64)
                n = int(self._entry(self._starts[start], low, high, part, boxed(memory)))
                notes[place, :, low - first : low - first + n] = part[:, :n]
                completed[place][low] = n
                if memory.stop:
                    return

        completed: list[dict[int, int]] = [{} for _ in starts]
        leader, *helpers = self.controls
        workers = [Worker(partial(work, memory)) for memory in helpers]
        try:
            work(leader)
        finally:
            for worker in workers:
                worker.wait()
        for worker in workers:
            worker.outcome()
        for memory in self.controls:
            check_fault(self._game, memory)
        for place, portions_done in enumerate(completed):
            for low in range(first, last, _PORTION):
                n = portions_done.get(low, 0)
                done[place] += n
                if n < min(_PORTION, last - low):
                    break
        return notes[:, :, : int(done.min())]

    def judge(self) -> Sequence[int]:
        """What the evaluation says of each position, to MAX."""
        memory = self.controls[0]
        notes = np.zeros((NOTES, 1), np.int64)
        values = []
        turns, memory.max_turns = memory.max_turns, 0
        for words in self._starts:
            self._entry(words, 0, 1, notes, boxed(memory))
            values.append(int(notes[OUTCOME, 0]))
        memory.max_turns = turns
        memory.nodes = 0
        return values


def _memory(game: Game[Any], options: Options) -> Rollout:
    memory = allocate(Rollout, game.facts.max_moves)
    memory.seed = options.seed
    memory.max_rolls = ENDLESS if options.truncate is None else options.truncate
    memory.max_turns = game.facts.max_ply
    memory.measure_luck = int(options.reduce_variance)
    if game.weighing().weigh is not None:
        weights = game.whole_weights()
        memory.weights[: len(weights)] = weights
    return memory
