"""The template that makes and verifies tables of end-games by going through their positions.

`values` holds tables one after another: first those of the slices that are being made, then those
that are known and that a capture, say, leads to. `directory` says where each begins:

    a table of pairs, as long as a power of two; a slice is at or after its hash, modulo the length
        the slice's number + 1, or 0 for an empty pair
        where its values begin

What a position is worth follows from its successors. To *make* tables, set each position to what
its successors say, again and again until nothing changes. Where there are no margins that finds the
true values: whatever was set after n sweeps to a win or a loss within n plies never changes again.
To *verify* tables, see whether anything would change. That proves them: a win in n plies has a
successor that is lost in n - 1, and so on to the end; and the player of a drawn position can always
go to one that is not lost.
"""

from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from threefold.engine.control import Control
from threefold.engine.endgames.values import (
    NOTHING,
    UNKNOWN,
    UNUSED,
    a_ply_later,
    finished_value,
    outcome,
    settled_to_mover,
)
from threefold.engine.listing import BY_SLICES, is_over, list_actions, stop_for
from threefold.engine.records import Boxed, Word
from threefold.rules.bits import mix, wrap
from threefold.rules.contract import (
    HAS_MARGINS,
    MIN,
    number_of,
    player,
    position_of,
    result,
    slice_of,
)

Array: TypeAlias = Any  # of NumPy, or of compiled code

#: What a sweep does.
COMPARE: Final = 0
WRITE: Final = 1
COMPARE_OUTCOMES: Final = 2

#: Words of a pair in the directory.
_PAIR: Final = 2


@dataclass(slots=True, kw_only=True)
class Sweep(Control):
    """How far a sweep has gotten, and what it found."""

    next: Word = 0  # the next number to look at
    used: Word = 0  # numbers that stand for a position
    changed: Word = 0  # positions whose value is not what their successors say
    first_changed: Word = -1  # the first of them


def place_of(s: Any, directory: Array) -> int:
    """Where the value of a position is in `values`; -1 if it is in none of the slices."""
    begin = begin_of(slice_of(s), directory)
    return begin if begin < 0 else begin + number_of(s)


def begin_of(of_slice: int, directory: Array) -> int:
    """Where the values of a slice begin; -1 if the directory does not have it."""
    if of_slice < 0:
        return wrap(-1)
    last = len(directory) // _PAIR - 1
    i = mix(of_slice) & last
    while directory[_PAIR * i] != of_slice + 1:
        if directory[_PAIR * i] == 0:
            return wrap(-1)
        i = i + 1 & last
    return wrap(directory[_PAIR * i + 1])


def is_used(s: Any, of_slice: int, number: int) -> bool:
    """Whether a number stands for a position, which is `s`."""
    return slice_of(s) == of_slice and number_of(s) == number


def value_of_move(
    s: Any, child: Any, values: Array, directory: Array, spare: Any, control: Control
) -> int:
    """What the move from `s` to `child` is worth to the player who makes it."""
    place = place_of(child, directory)
    if place >= 0:
        value = wrap(values[place])
    elif is_over(child, spare, control):
        value = finished_value(child, control)
    else:
        return stop_for(BY_SLICES, slice_of(child), control)
    if value == UNUSED:
        return stop_for(BY_SLICES, slice_of(child), control)
    if HAS_MARGINS and value == UNKNOWN:
        return value
    gained = settled_to_mover(child) + value
    if (player(child) == MIN) != (player(s) == MIN):
        gained = -gained
    return a_ply_later(gained - settled_to_mover(s))


def implied_value(
    s: Any, values: Array, directory: Array, moves: Any, spare: Any, control: Control
) -> int:
    """What a position is worth by the values of its successors; both rows are overwritten."""
    n = list_actions(s, moves, control)
    if n == 0:
        return finished_value(s, control)
    best = wrap(NOTHING)
    for i in range(n):
        child = result(s, int(moves[i]))
        value = value_of_move(s, child, values, directory, spare, control)
        if HAS_MARGINS and value == UNKNOWN:
            return value
        best = max(best, value)
    return best


def sweep(
    of_slice: int,
    begin: int,
    end: int,
    task: int,
    values: Array,
    directory: Array,
    rows: Any,
    boxed_sweep: Boxed[Sweep],
) -> None:
    """The entry: go through the numbers of a slice from `sweep.next` to `end`.

    The slice's values begin at `begin`. What to do with a value that is not what its successors
    say: `WRITE` the right one, or only `COMPARE`; or compare whether it is a win, a draw or a loss.
    """
    control = boxed_sweep[0]
    while control.next < end and control.stop == 0:
        number = control.next
        s = position_of(of_slice, number)
        if is_used(s, of_slice, number):
            control.used += 1
            value = implied_value(s, values, directory, rows[0], rows[1], control)
            differs = values[begin + number] != value
            if task == COMPARE_OUTCOMES:
                differs = outcome(value) != outcome(wrap(values[begin + number]))
            if differs:
                if control.changed == 0:
                    control.first_changed = number
                control.changed += 1
                if task == WRITE:
                    values[begin + number] = value
        elif task == WRITE:
            values[begin + number] = UNUSED
        control.next += 1
        control.nodes += 1
