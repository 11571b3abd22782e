"""Depth-first proof-number search, df-pn: is a position won? (Nagai, 2002)

The numbers are those of proof-number search: how many leaves must still be proven for a proof of
the position, and disproven for a disproof. Best-first search keeps the whole tree for them. Here
they live in a table, and a depth-first search goes down to the most promising child with limits on
its numbers: it comes back when that child stops being the most promising one, or is settled.

Where the attacker moves, one proven child is enough; where the other side moves, every child has
to be. Who moves is asked of each position, so that a side may move twice running.

A position must mean the same wherever it comes up. In a game with `repeats` or `clocks` it does
not, since a proof may rest on a repetition that only one path to it has; nor may play go on for
ever.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Generic, TypeVar

import numpy as np

from threefold.engine.clock import Clock
from threefold.engine.control import LONGEST, NODE_LIMIT, NODES, STOP, Control, new_control
from threefold.engine.limits import MAX_MEGABYTES, Limits, check_whole
from threefold.engine.listing import check_fault, list_sufficient
from threefold.engine.table import BUCKET_WORDS, Table, bucket_of, new_table, probe, shared_key
from threefold.engine.worker import run_in_worker
from threefold.errors import BrokenRules, ThreefoldError
from threefold.rules.bits import mix, msb, wrap
from threefold.rules.contract import (
    HAS_BOUNDS,
    MAX,
    MAX_MOVES,
    MAX_VALUE,
    Player,
    bounds,
    player,
    result,
    state,
    utility,
)
from threefold.rules.game import Game

S = TypeVar("S")

#: Settled, one way or the other: no number of leaves will do.
INFINITE: Final = (1 << 28) - 1
_NUMBER_BITS: Final = 28
_EFFORT_BITS: Final = 6

# What is asked, and what was noticed on the way.
ATTACKER: Final = 0
AT_LEAST: Final = 1
#: What tells the positions of one question from those of another in the table.
SALT: Final = 2
#: The largest utility that was met, whatever its sign.
LARGEST: Final = 3
_QUESTION_WORDS: Final = 4

#: As deep as the stack of a worker allows.
_MAX_PLY: Final = 10_000


# The table: a position's numbers, and how much work they took.


def numbers(proof: int, disproof: int, effort: int) -> int:
    """Both numbers of a position in a word, beside the logarithm of the nodes they cost."""
    return (proof << _NUMBER_BITS | disproof) << _EFFORT_BITS | msb(effort) + 1


def proof_of(data: int) -> int:
    """The proof number."""
    return data >> _NUMBER_BITS + _EFFORT_BITS


def disproof_of(data: int) -> int:
    """The disproof number."""
    return data >> _EFFORT_BITS & INFINITE


def keep(hashed: int, data: int, table: Table) -> None:
    """Put numbers in place of the position's old ones, or of the cheapest in its bucket."""
    at = bucket_of(hashed, table)
    place = at
    cheapest = 1 << _EFFORT_BITS
    for i in range(at, at + BUCKET_WORDS, 2):
        old = table[i + 1]
        if table[i] ^ old == hashed:
            place = i
            break
        effort = old & (1 << _EFFORT_BITS) - 1
        if effort < cheapest:
            cheapest = effort
            place = i
    table[place] = hashed ^ data
    table[place + 1] = data


# The search.


def salted_key(s: Any, question: Any) -> int:
    """What the table knows a position by, as far as this question goes."""
    return int(shared_key(s) ^ question[SALT])


def is_enough(value: int, question: Any) -> bool:
    """Whether a utility to MAX is what the attacker wants."""
    return bool((value if question[ATTACKER] == MAX else -value) >= question[AT_LEAST])


def finished_numbers(s: Any, question: Any) -> int:
    """The numbers of a finished game."""
    value = wrap(utility(s))
    question[LARGEST] = max(question[LARGEST], abs(value))
    return numbers(0, INFINITE, 1) if is_enough(value, question) else numbers(INFINITE, 0, 1)


def settle(
    s: Any,
    ply: int,
    proof_limit: int,
    disproof_limit: int,
    rows: Any,
    table: Table,
    question: Any,
    control: Control,
) -> int:
    """The numbers of `s`, worked on until one of them reaches its limit.

    Each row holds the moves of a ply and, behind them, both numbers of what each leads to. They
    are kept there and not only in the table, where others may overwrite them.
    """
    # Step 1. Limits, and what is known already.
    control[NODES] += 1
    began = control[NODES]
    control[LONGEST] = max(control[LONGEST], ply)
    if began > control[NODE_LIMIT] or ply == len(rows) - 1:
        control[STOP] = 1
    if control[STOP] != 0:
        return numbers(1, 1, 1)
    hashed = salted_key(s, question)
    data = probe(hashed, table)
    if data != 0 and (proof_of(data) >= proof_limit or disproof_of(data) >= disproof_limit):
        return data

    # Step 2. The end of the game, or the end of all doubt.
    row = rows[ply]
    n = list_sufficient(s, row, control)
    if n == 0:
        return finished_numbers(s, question)
    if HAS_BOUNDS:
        low, high = bounds(s)
        if is_enough(low, question) and is_enough(high, question):
            return numbers(0, INFINITE, 1)
        if not is_enough(low, question) and not is_enough(high, question):
            return numbers(INFINITE, 0, 1)

    # Step 3. What the moves lead to. `nearer` is the number of which the least counts here, proof
    # for the attacker and disproof for the other side; of `farther` the sum does.
    attacks = player(s) == question[ATTACKER]
    nearer = row[MAX_MOVES:]
    farther = row[2 * MAX_MOVES :]
    for i in range(n):
        data = probe(salted_key(result(s, row[i]), question), table)
        proof, disproof = (proof_of(data), disproof_of(data)) if data != 0 else (1, 1)
        nearer[i] = proof if attacks else disproof
        farther[i] = disproof if attacks else proof
    near_limit = proof_limit if attacks else disproof_limit
    far_limit = disproof_limit if attacks else proof_limit

    while True:
        # Step 4. The least, the runner-up and the sum.
        best = 0
        least = wrap(INFINITE)
        runner_up = wrap(INFINITE)
        total = wrap(0)
        for i in range(n):
            total += farther[i]
            if nearer[i] < least:
                best, least, runner_up = i, nearer[i], least
            elif nearer[i] < runner_up:
                runner_up = nearer[i]
        # Only what is settled may look settled.
        shown = min(total, INFINITE - 1) if least != 0 else wrap(INFINITE)
        if least >= near_limit or shown >= far_limit or control[STOP] != 0:
            break

        # Step 5. Into the most promising child, until it is a quarter worse than the runner-up:
        # without that margin the search would leap to and fro between two of a kind.
        child_near = min(near_limit, runner_up + runner_up // 4 + 1)
        child_far = max(far_limit - (total - farther[best]), farther[best] + 1)
        data = settle(
            result(s, row[best]),
            ply + 1,
            child_near if attacks else child_far,
            child_far if attacks else child_near,
            rows,
            table,
            question,
            control,
        )
        if control[STOP] == 0:
            nearer[best] = proof_of(data) if attacks else disproof_of(data)
            farther[best] = disproof_of(data) if attacks else proof_of(data)

    effort = control[NODES] - began + 1
    if attacks:
        data = numbers(least, shown, effort)
    else:
        data = numbers(shown, least, effort)
    keep(hashed, data, table)
    return data


def settle_from(
    words: tuple[int, ...], rows: Any, table: Table, question: Any, control: Control
) -> int:
    """The entry: the numbers of a state given as words, without limits."""
    full = wrap(INFINITE)
    return settle(state(words), wrap(0), full, full, rows, table, question, control)


# The drivers.


class ProofSearch(Generic[S]):
    """Answers questions about a game's positions; `control` counts and stops."""

    def __init__(self, game: Game[S], megabytes: int, control: Control) -> None:
        game.require("proof-number search", zero_sum=True, perfect_information=True)
        if not game.facts.deterministic:
            raise ThreefoldError(
                f"proof-number search is for games without chance, and {game.name} has some"
            )
        if game.cyclic or not game.facts.finite:
            raise ThreefoldError(
                f"proof-number search is for games that end and whose positions do not repeat, "
                f"and {game.name} is not declared one; solve it by its graph"
            )
        self.game = game
        self._control = control
        self._question = np.zeros(_QUESTION_WORDS, np.int64)
        compiled = game.compiled()
        self._words = compiled.words
        self._rows = compiled.rows(min(game.facts.max_ply, _MAX_PLY) + 2, width=3)
        self._longest = len(self._rows) - 2
        self.use(new_table(megabytes))
        self._entry = compiled.entry(settle_from)
        self._entry.prepare(self._words(game.initial()), *self._buffers)

    def use(self, table: Table) -> None:
        """Work with another table than the one there may be."""
        self._buffers = (self._rows, table, self._question, self._control)

    @property
    def largest_utility(self) -> int:
        """The largest utility that any question met, whatever its sign."""
        return int(self._question[LARGEST])

    def ask(self, s: S, at_least: int, attacker: Player) -> bool | None:
        """Whether a player can get so much from `s`, whoever moves; None if it was stopped.

        What was found out stays in the table for when the same is asked of another position.
        """
        self._question[ATTACKER] = attacker
        self._question[AT_LEAST] = at_least
        self._question[SALT] = mix(2 * at_least + attacker)
        work = partial(self._entry, self._words(s), *self._buffers)
        data = int(run_in_worker(work, self._control))
        check_fault(self.game, self._control)
        if self._control[LONGEST] > self._longest:
            raise BrokenRules(
                f"{self.game.name}: a line of play is longer than max_ply="
                f"{self.game.facts.max_ply}; can play go on for ever?"
            )
        if proof_of(data) == 0:
            return True
        return False if disproof_of(data) == 0 else None


@dataclass(frozen=True)
class Proof:
    """The answer to a question: proven, disproven, or None where a limit came first."""

    answer: bool | None
    nodes: int
    seconds: float


def prove(
    game: Game[S],
    s: S,
    at_least: int = 1,
    *,
    nodes: int | None = None,
    time: float | None = None,
    megabytes: int = 64,
) -> Proof:
    """Whether the player to move in `s` can get a utility of `at_least`; by default, win."""
    check_whole("at_least", at_least, -MAX_VALUE, MAX_VALUE)
    check_whole("megabytes", megabytes, 1, MAX_MEGABYTES)
    limits = Limits(time=time, nodes=nodes)
    control = new_control()
    search = ProofSearch(game, megabytes, control)
    clock = Clock(limits)
    with clock.enforce(control), clock.counting():
        answer = search.ask(s, at_least, game.player(s))
    return Proof(answer, int(control[NODES]), clock.seconds)
