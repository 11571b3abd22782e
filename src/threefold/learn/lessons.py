"""What positions of games show: the words of their features, the terms of an evaluation, and
whether they are quiet.

An evaluation is only asked about positions where nothing violent is about to happen, so it learns
from no others: those where the quiescence search would rather capture than stand pat, and those
that the game has a search look deeper into, as when in check, are left out.
"""

from functools import partial
from typing import Any, Final, Generic, TypeVar

import numpy as np

from threefold.engine.compile import Compiled
from threefold.engine.control import NO_LIMIT
from threefold.engine.deepening import new_memory
from threefold.engine.leaf import quiesce, standing_value
from threefold.engine.listing import check_fault
from threefold.engine.memory import Memory
from threefold.engine.nets import BadNet, feature_words
from threefold.engine.records import SLACK, Boxed, boxed
from threefold.engine.selectivity import selectivity
from threefold.engine.values import INFINITY
from threefold.engine.worker import run_in_worker
from threefold.rules.bits import wrap
from threefold.rules.contract import (
    CHANCE,
    HAS_EXTEND,
    HAS_NOISY,
    HAS_OUTCOMES,
    HAS_WEIGHTS,
    MAX,
    MAX_FEATURE_WORDS,
    extend,
    features,
    player,
    state,
    viewer,
    weigh,
)
from threefold.rules.game import Game

S = TypeVar("S")

#: Nodes after which a quiescence search is given up, and the position is left out.
_NODES: Final = 10_000


def is_quiet(s: Any, memory: Memory) -> bool:
    """Whether an evaluation can be trusted in a position."""
    if HAS_OUTCOMES and player(s) == CHANCE:
        return True
    if HAS_EXTEND and extend(s) > 0:
        return False
    if not HAS_NOISY:
        return True
    memory.nodes = 0
    memory.stop = 0
    standing = standing_value(s, wrap(0), memory)
    value = quiesce(s, wrap(0), wrap(-INFINITY), wrap(INFINITY), memory)
    return value == standing and memory.stop == 0


def look_over(
    states: Any,
    words: Any,
    spare: Any,
    viewers: Any,
    quiet: Any,
    terms: Any,
    box: Boxed[Memory],
) -> int:
    """The entry: for each position its features, who sees them, whether it is quiet, and terms.

    A term is what MAX has more of it than MIN; `terms` has a column for each, or none. Returns
    another number of words than expected if the features of any position have it, else 0.
    """
    memory = box[0]
    for i in range(len(states)):
        s = state(states[i])
        p = viewer(s)
        viewers[i] = p
        if words.shape[1] > 0:
            count = features(s, p, spare)
            if count != words.shape[1]:
                return count
            for k in range(count):
                words[i, k] = spare[k]
        quiet[i] = is_quiet(s, memory)
        if HAS_WEIGHTS:
            # A term counts once, and all others nothing.
            for k in range(terms.shape[1]):
                memory.past[k] = memory.weights[k]
                memory.weights[k] = 0
            for k in range(terms.shape[1]):
                memory.weights[k] = 1
                terms[i, k] = weigh(s, memory.weights)
                memory.weights[k] = 0
            for k in range(terms.shape[1]):
                memory.weights[k] = memory.past[k]
    return 0


class Lookout(Generic[S]):
    """Looks over the positions of a game."""

    def __init__(self, game: Game[S], *, terms: int = 0) -> None:
        """For the words of features; or for `terms`, how many the game's evaluation has, whose
        weights must then be changed ones.
        """
        self.game = game
        #: How many words of features a position has, as far as they are looked at.
        self.words = 0 if terms else len(feature_words(game, game.initial(), MAX))
        self._terms = terms
        self._compiled = Compiled(game.weighing())

    def prepare(self) -> None:
        """Compile now."""
        self.look(np.array([self._compiled.words(self.game.initial())], np.int64))

    def look(self, states: Any) -> tuple[Any, Any, Any, Any]:
        """For each of the rows its words, its viewer, whether it is quiet, and its terms."""
        n = len(states)
        words = np.zeros((n, self.words), np.int64)
        spare = np.zeros(MAX_FEATURE_WORDS + SLACK, np.int64)
        viewers, quiet = np.zeros(n, np.int64), np.zeros(n, np.bool_)
        terms = np.zeros((n, self._terms), np.int64)
        memory, kept = new_memory(self._compiled, self.game, selectivity(self.game, None))
        memory.node_limit = _NODES if "noisy" in self.game.hooks else NO_LIMIT
        entry = self._compiled.entry(look_over)
        arguments = (states, words, spare, viewers, quiet, terms, boxed(memory))
        entry.prepare(*arguments)
        wrong = int(run_in_worker(partial(entry, *arguments), memory))
        check_fault(self.game, memory)
        if wrong:
            raise BadNet(
                f"{self.game.name}: features returned {wrong} words for some position and "
                f"{self.words} for the first; the number must always be the same"
            )
        del kept  # the memory points to it until here
        return words, viewers, quiet, terms
