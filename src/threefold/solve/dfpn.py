"""The template of depth-first proof-number search, df-pn: is a position won? (Nagai, 2002)

The numbers are those of proof-number search: how many leaves must still be proven for a proof of
the position, and disproven for a disproof. Best-first search keeps the whole tree for them. Here
they are in a table, and a depth-first search goes down to the most promising child with limits on
its numbers. It comes back when that child stops being the most promising one, or is settled.

Where the attacker moves, one proven child is enough; where the other side moves, every child has
to be. The rules say for each position who is to move, so a side may move twice in a row.

A position must mean the same wherever it occurs. In a game with `repeats` or `clocks` it does not,
since a proof may depend on a repetition that occurs on only one path to it. Nor may play go on
forever.
"""

from dataclasses import dataclass
from typing import Any, Final

from threefold.engine.control import Control
from threefold.engine.listing import list_sufficient
from threefold.engine.records import Boxed, Word
from threefold.engine.table import BUCKET_WORDS, Table, bucket_of, probe, shared_key
from threefold.rules.bits import msb, wrap
from threefold.rules.contract import (
    HAS_BOUNDS,
    MAX,
    MAX_MOVES,
    bounds,
    player,
    result,
    state,
    utility,
)

#: Settled one way or the other: no number of leaves is enough.
INFINITE: Final = (1 << 28) - 1
_NUMBER_BITS: Final = 28
_EFFORT_BITS: Final = 6


@dataclass(slots=True, kw_only=True)
class Question:
    """What is asked, and what was noticed on the way."""

    attacker: Word = 0  # the player who wants the utility,
    at_least: Word = 0  # and how much of it
    salt: Word = 0  # keeps the positions of different questions apart in the table
    largest: Word = 0  # the largest utility so far, whatever its sign


# The table: a position's numbers, and how much work they took.


def numbers(proof: int, disproof: int, effort: int) -> int:
    """Both numbers of a position in a word, with the logarithm of the nodes they cost."""
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


def salted_key(s: Any, question: Question) -> int:
    """The table's key for a position under this question."""
    return shared_key(s) ^ question.salt


def is_enough(value: int, question: Question) -> bool:
    """Whether a utility to MAX is what the attacker wants."""
    return (value if question.attacker == MAX else -value) >= question.at_least


def finished_numbers(s: Any, question: Question) -> int:
    """The numbers of a finished game."""
    value = wrap(utility(s))
    question.largest = max(question.largest, abs(value))
    return numbers(0, INFINITE, 1) if is_enough(value, question) else numbers(INFINITE, 0, 1)


def settle(
    s: Any,
    ply: int,
    proof_limit: int,
    disproof_limit: int,
    rows: Any,
    table: Table,
    question: Question,
    control: Control,
) -> int:
    """The numbers of `s`, worked on until one of them reaches its limit.

    Each row holds the moves of a ply and, after them, both numbers of what each leads to. They
    are kept there and not only in the table, where other positions may overwrite them.
    """
    # Step 1. Limits, and what is known already.
    control.nodes += 1
    began = control.nodes
    control.longest = max(control.longest, ply)
    if began > control.node_limit or ply == len(rows) - 1:
        control.stop = 1
    if control.stop != 0:
        return numbers(1, 1, 1)
    hashed = salted_key(s, question)
    data = probe(hashed, table)
    if data != 0 and (proof_of(data) >= proof_limit or disproof_of(data) >= disproof_limit):
        return data

    # Step 2. The end of the game, or bounds that settle the question.
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
    attacks = player(s) == question.attacker
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
        if least >= near_limit or shown >= far_limit or control.stop != 0:
            break

        # Step 5. Into the most promising child, until it is a quarter worse than the runner-up:
        # without that margin the search would jump back and forth between two equals.
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
        if control.stop == 0:
            nearer[best] = proof_of(data) if attacks else disproof_of(data)
            farther[best] = disproof_of(data) if attacks else proof_of(data)

    effort = control.nodes - began + 1
    if attacks:
        data = numbers(least, shown, effort)
    else:
        data = numbers(shown, least, effort)
    keep(hashed, data, table)
    return data


def settle_from(
    words: tuple[int, ...],
    rows: Any,
    table: Table,
    question: Boxed[Question],
    control: Boxed[Control],
) -> int:
    """The entry: the numbers of a state given as words, without limits."""
    full = wrap(INFINITE)
    return settle(state(words), wrap(0), full, full, rows, table, question[0], control[0])
