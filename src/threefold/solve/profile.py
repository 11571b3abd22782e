"""A strategy for each player on a game's sequence form, and exactly how good it is."""

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from threefold.engine.control import Control
from threefold.engine.records import allocate
from threefold.rules.contract import MAX, MIN
from threefold.solve.any_game import run
from threefold.solve.equilibrium import Advice
from threefold.solve.expansion import Array
from threefold.solve.regret import plan_of, respond
from threefold.solve.sequence_form import SequenceForm

S = TypeVar("S")


@dataclass(frozen=True)
class Profile(Generic[S]):
    """How likely each move is to be made, by sequence, and how likely each sequence is then."""

    form: SequenceForm[S]
    strategy: Array
    plan: Array

    @property
    def value(self) -> float:
        """What MAX gets on average."""
        form = self.form
        own = slice(0, int(form.row[form.sequences[MIN]]))
        rows = np.repeat(np.arange(len(self.plan)), np.diff(form.row))[own]
        return float(np.sum(self.plan[rows] * form.payoff[own] * self.plan[form.column[own]]))

    def best_answer(self, p: int) -> float:
        """What player `p` gets by the best answer to the other one's strategy."""
        form = self.form
        known = (form.parent, form.first, form.count, form.sets, form.sequences)
        matrix = (form.row, form.column, form.payoff)
        worth = np.zeros(len(self.plan))
        return float(run(respond, (p, *known, *matrix, self.plan, worth), allocate(Control)))

    @property
    def bounds(self) -> tuple[float, float]:
        """What MAX can be sure of by its strategy, and what MIN can hold MAX to by its own."""
        return -self.best_answer(MIN), self.best_answer(MAX)

    def advice(self) -> list[Advice[S]]:
        """The strategies by information set."""
        form, chances = self.form, self.strategy.tolist()
        return [
            Advice(
                form.owner(i), form.example(i), tuple(form.moves(i)), tuple(chances[form.own(i)])
            )
            for i in range(len(form.first))
        ]


def uniform(form: SequenceForm[S]) -> Profile[S]:
    """All moves of a set as likely as each other."""
    return profile(form, np.zeros(len(form.move)))


def profile(form: SequenceForm[S], counts: Array) -> Profile[S]:
    """The strategies that make each move in proportion to its count; where all are 0, alike."""
    strategy = np.ones(len(form.move))
    own = _own_sequences(form)
    begins = np.cumsum(form.count) - form.count
    counted = counts[own]
    sums = np.repeat(_sums(counted, begins), form.count)
    share = np.divide(1.0, np.repeat(form.count, form.count))
    np.divide(counted, sums, out=share, where=sums > 0)
    strategy[own] = share
    plan = np.ones(len(form.move))
    known: tuple[Any, ...] = (form.parent, form.first, form.count, strategy, plan)
    run(plan_of, known, allocate(Control))
    return Profile(form, strategy, plan)


def _own_sequences(form: SequenceForm[Any]) -> Array:
    """All sequences but the empty ones, set by set."""
    total = int(form.count.sum())
    within = np.arange(total) - np.repeat(np.cumsum(form.count) - form.count, form.count)
    return np.repeat(form.first, form.count) + within


def _sums(values: Array, begins: Array) -> Array:
    return np.add.reduceat(values, begins) if len(begins) else values
