"""The template that lists a game of hidden information as sequences of moves.

A *sequence* is what one player has done so far, in each case knowing what they knew: it is the
empty one, or a sequence with one more move in one *information set*, the positions that look the
same to who decides. A finished game is then a pair of sequences, MAX's and MIN's, and a weight:
its utility times how likely nature makes it (Koller, Megiddo and von Stengel, 1996). The whole tree
is walked once, depth first; what is kept of it are its information sets, its sequences and these
pairs, and nothing of the positions in between.

By information set, the columns of `sets` are who decides, the sequence by which that player came
there, and where its own sequences begin and how many there are. Sequences 0 and 1 are the empty
ones of MAX and MIN.

A player must remember: all positions of a set are reached by the same sequence of its player, and
have the same moves. Otherwise the walk ends with `trouble`.
"""

from dataclasses import dataclass
from typing import Any, Final

from threefold.engine.control import Control
from threefold.engine.information_sets import key_of
from threefold.engine.listing import checked_utility, list_actions, list_outcomes
from threefold.engine.records import Boxed, Word
from threefold.rules.bits import wrap
from threefold.rules.contract import (
    CHANCE,
    HAS_OUTCOMES,
    MAX,
    MAX_MOVES,
    MAX_VALUE,
    initial,
    observe,
    player,
    result,
    state,
    words,
)
from threefold.solve.expansion import Array

# The columns of `sets`.
OWNER, PARENT, FIRST, COUNT = range(4)
# The columns of `path`, which has a row for each position from the root to the latest one: how many
# moves there are, the next one to follow, its set, the sum of nature's weights, and the sequences
# of both that led there.
_MOVES, _NEXT, _SET, _TOTAL, _BY_MAX, _BY_MIN = range(6)
PATH_COLUMNS: Final = 6
#: In place of a set: nature moves.
BY_NATURE: Final = -1

# What can be wrong: the values of `Listed.trouble`.
FORGETS, OTHER_MOVES, TOO_LONG = 1, 2, 3
#: The depth before the root was looked at, and after all of the tree was.
BEFORE, DONE = -2, -1


@dataclass(slots=True, kw_only=True)
class Listed:
    """How far the list has gotten."""

    sets: Word = 0  # how many information sets were found,
    sequences: Word = 2  # how many sequences,
    leaves: Word = 0  # and how many finished games
    depth: Word = BEFORE  # of the position whose moves are being followed
    rehash: Word = 0  # whether the hash table is a new one, without what is known so far
    trouble: Word = 0  # what was found wrong
    where: Word = 0  # in which set


def is_seen(s: Any, p: int, i: int, sets: Array, seen: Array) -> bool:
    """Whether a position in which player `p` decides belongs to set `i`."""
    if sets[i, OWNER] != p:
        return False
    for j, word in enumerate(observe(s, p)):  # noqa: SIM110  Numba has no `all`
        if seen[i, j] != word:
            return False
    return True


def slot_of_set(s: Any, p: int, sets: Array, seen: Array, slots: Array) -> int:
    """Where the hash table holds the number of a position's set, or would."""
    last = len(slots) - 1
    at = key_of(s) & last
    while slots[at] != 0 and not is_seen(s, p, slots[at] - 1, sets, seen):
        at = (at + 1) & last
    return int(at)


def note_set(
    s: Any,
    p: int,
    by: int,
    n: int,
    row: Array,
    sets: Array,
    seen: Array,
    example: Array,
    slots: Array,
    move: Array,
    listed: Listed,
    control: Control,
) -> int:
    """The number of a position's set, to which `by` led and which has the `n` moves of the row."""
    at = slot_of_set(s, p, sets, seen, slots)
    if slots[at] == 0:
        new = listed.sets
        for j, word in enumerate(observe(s, p)):
            seen[new, j] = word
        fields = words(s)
        for k in range(len(fields)):
            example[new, k] = fields[k]
        sets[new, OWNER] = p
        sets[new, PARENT] = by
        sets[new, FIRST] = listed.sequences
        sets[new, COUNT] = n
        for k in range(n):
            move[listed.sequences + k] = row[k]
        listed.sequences += n
        listed.sets += 1
        slots[at] = listed.sets
        return new
    i = int(slots[at]) - 1
    same = sets[i, COUNT] == n
    for k in range(n):
        same = same and move[sets[i, FIRST] + k] == row[k]
    if not same:
        end_with(OTHER_MOVES, i, listed, control)
    elif sets[i, PARENT] != by:
        end_with(FORGETS, i, listed, control)
    return i


def end_with(trouble: int, where: int, listed: Listed, control: Control) -> None:
    """End the list, because the game cannot be listed."""
    listed.trouble = trouble
    listed.where = where
    control.stop = 1


def list_sequences(
    sets: Array,
    seen: Array,
    example: Array,
    slots: Array,
    move: Array,
    pairs: Array,
    weight: Array,
    path: Array,
    states: Array,
    chances: Array,
    rows: Array,
    boxed_listed: Boxed[Listed],
    boxed_control: Boxed[Control],
) -> None:
    """The entry: go on with the walk until the whole tree is listed, or room runs out."""
    listed, control = boxed_listed[0], boxed_control[0]
    if listed.rehash != 0:
        for i in range(listed.sets):
            slots[slot_of_set(state(example[i]), sets[i, OWNER], sets, seen, slots)] = i + 1
        listed.rehash = 0
    while listed.depth != DONE and control.stop == 0 and control.nodes < control.node_limit:
        # Step 1. Return when there is no room for whatever comes next.
        if listed.sets == len(sets) or 2 * listed.sets + 2 > len(slots):
            return
        if listed.sequences + MAX_MOVES > len(move) or listed.leaves == len(pairs):
            return
        # Step 2. The next position: the root, or where the next move of the latest one leads.
        up = listed.depth
        by_max, by_min, chance = wrap(0), wrap(1), 1.0
        if up == BEFORE:
            s, depth = initial(), wrap(0)
        elif path[up, _NEXT] == path[up, _MOVES]:
            listed.depth = up - 1 if up > 0 else DONE
            continue
        else:
            depth, at = up + 1, path[up, _NEXT]
            path[up, _NEXT] += 1
            s = result(state(states[up]), rows[2 * up, at])
            # Step 3. By which sequences it is reached, and how likely nature makes it.
            by_max, by_min, chance = path[up, _BY_MAX], path[up, _BY_MIN], chances[up]
            if path[up, _SET] == BY_NATURE:
                chance *= rows[2 * up + 1, at] / path[up, _TOTAL]
            else:
                own = sets[path[up, _SET], FIRST] + at
                if sets[path[up, _SET], OWNER] == MAX:
                    by_max = own
                else:
                    by_min = own
        if depth == len(path):
            end_with(TOO_LONG, 0, listed, control)
            return
        # Step 4. A finished game is a pair of sequences and a weight; else its moves come next.
        row, weights = rows[2 * depth], rows[2 * depth + 1]
        mover, of_set, total, n = wrap(player(s)), wrap(BY_NATURE), wrap(0), wrap(0)
        if HAS_OUTCOMES and mover == CHANCE:
            n = list_outcomes(s, row, weights, control)
            for k in range(n):
                total += weights[k]
        else:
            n = list_actions(s, row, control)
        control.nodes += 1
        if control.stop != 0:
            return
        if n == 0:
            pairs[listed.leaves, 0] = by_max
            pairs[listed.leaves, 1] = by_min
            weight[listed.leaves] = chance * checked_utility(s, MAX_VALUE, control)
            listed.leaves += 1
            listed.depth = DONE if up == BEFORE else up
            continue
        fields = words(s)
        for k in range(len(fields)):
            states[depth, k] = fields[k]
        if mover != CHANCE:
            by = by_max if mover == MAX else by_min
            of_set = note_set(
                s, mover, by, n, row, sets, seen, example, slots, move, listed, control
            )
        if listed.trouble != 0:
            return
        chances[depth] = chance
        path[depth, _MOVES], path[depth, _NEXT] = n, 0
        path[depth, _SET], path[depth, _TOTAL] = of_set, total
        path[depth, _BY_MAX], path[depth, _BY_MIN] = by_max, by_min
        listed.depth = depth
