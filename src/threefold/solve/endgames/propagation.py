"""The templates that make tables of end-games from the end backwards.

Sweeping through all positions again and again takes as many sweeps as the longest win has plies.
It is faster to list the successors of each position once, turn the list around, and go from each
position whose value is known to its predecessors: each of them is then looked at only when
something about it has changed. No game has to supply predecessors for that.

Positions are numbered through all the slices that are made together. A move out of them leads to a
known value: of all those, only the best one counts, the position's *exit*. All other moves are
*edges*:

    edges       by edge                the successor's number; ~number if the same player moves on
    counts      by position            how many of them there are
    exits       by position            the value of the best exit, NOTHING if there is none
    starts      by position, and one   where its predecessors begin in
    sources     by edge, turned round  the predecessor's number; ~number if the same player moves on
"""

from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from threefold.engine.control import Control
from threefold.engine.endgames.sweeping import is_used, place_of, value_of_move
from threefold.engine.endgames.values import (
    DECIDED,
    NOTHING,
    UNUSED,
    finished_value,
    plies_to_end,
)
from threefold.engine.listing import list_actions
from threefold.engine.records import Boxed, Word
from threefold.rules.contract import MAX_MOVES, MIN, player, position_of, result

Array: TypeAlias = Any  # of NumPy, or of compiled code

#: More moves than a position has: such a position is never lost.
_NEVER: Final = (1 << 15) - 1


@dataclass(slots=True, kw_only=True)
class Listing(Control):
    """How far the listing of successors has gotten."""

    next: Word = 0  # the next number of the slice
    used: Word = 0  # numbers that stand for a position
    edges: Word = 0  # edges listed in the current part


def list_edges(
    of_slice: int,
    begin: int,
    end: int,
    group_size: int,
    values: Array,
    directory: Array,
    exits: Array,
    counts: Array,
    edges: Array,
    rows: Any,
    boxed_listing: Boxed[Listing],
) -> None:
    """The entry: list the successors of a slice's positions until `end`, or until room runs out.

    The slice's positions begin at `begin` among those of the group.
    """
    control = boxed_listing[0]
    moves, spare = rows[0], rows[1]
    while control.next < end and control.stop == 0 and control.edges + MAX_MOVES <= len(edges):
        place = begin + control.next
        s = position_of(of_slice, control.next)
        counts[place] = 0
        exits[place] = NOTHING
        values[place] = UNUSED
        if is_used(s, of_slice, control.next):
            control.used += 1
            values[place] = 0
            n = list_actions(s, moves, control)
            if n == 0:
                exits[place] = finished_value(s, control)
            for i in range(n):
                child = result(s, moves[i])
                after = place_of(child, directory)
                if 0 <= after < group_size:
                    same_side = (player(child) == MIN) == (player(s) == MIN)
                    edges[control.edges] = ~after if same_side else after
                    control.edges += 1
                    counts[place] += 1
                else:
                    value = value_of_move(s, child, values, directory, spare, control)
                    exits[place] = max(exits[place], value)
        control.next += 1
        control.nodes += 1


def count_predecessors(edges: Array, length: int, starts: Array) -> None:
    """Add to `starts` how often each position is a successor."""
    for i in range(length):
        after = edges[i]
        starts[after if after >= 0 else ~after] += 1


def turn_round(
    first: int, last: int, counts: Array, edges: Array, starts: Array, out: Array
) -> None:
    """Give each edge of the positions from `first` to `last` its place among the predecessors.

    `starts` has where each position's predecessors end, and in the end where they begin.
    """
    edge = 0
    for here in range(first, last):
        for _ in range(counts[here]):
            after = edges[edge]
            edge += 1
            if after >= 0:
                starts[after] -= 1
                out[starts[after]] = here
            else:
                starts[~after] -= 1
                out[starts[~after]] = ~here


def count_exits(exits: Array, counts: Array) -> int:
    """How many positions have an exit that is decided, and in `counts` how many by its distance."""
    decided = 0
    for i in range(len(exits)):
        value = int(exits[i])
        if value != 0 and value != NOTHING:
            counts[plies_to_end(value)] += 1
            decided += 1
    return decided


def sort_exits(exits: Array, counts: Array, ends: Array, seeds: Array) -> None:
    """List the positions with a decided exit by its distance, and note which are never lost.

    `ends` has where each distance ends in `seeds`, and in the end where it begins.
    """
    for i in range(len(exits)):
        value = int(exits[len(exits) - 1 - i])
        here = len(exits) - 1 - i
        if value != 0 and value != NOTHING:
            distance = plies_to_end(value)
            ends[distance] -= 1
            seeds[ends[distance]] = here
        if value >= 0:
            counts[here] = _NEVER


def propagate(
    exits: Array,
    counts: Array,
    ends: Array,
    seeds: Array,
    starts: Array,
    sources: Array,
    values: Array,
    queue: Array,
    boxed_control: Boxed[Control],
) -> None:
    """The entry: decide positions by distance, from those that end the game now to the farthest.

    `counts` has how many successors of a position are not known to be lost for its player, if the
    position can be lost at all. The queue has the positions in the order in which they are decided.
    """
    control = boxed_control[0]
    done, decided, distance = 0, 0, 0
    while control.stop == 0 and distance < DECIDED - 1:
        # Step 1. Positions that an exit decides at this distance.
        for i in range(ends[distance], ends[distance + 1]):
            here = seeds[i]
            if values[here] == 0 and (exits[here] > 0 or counts[here] == 0):
                values[here] = exits[here]
                queue[decided] = here
                decided += 1
        if done == decided and ends[distance + 1] == len(seeds):
            return

        # Step 2. Those decided at this distance, and what follows for their predecessors.
        last = decided
        while done < last and control.stop == 0:
            here = queue[done]
            done += 1
            for i in range(starts[here], starts[here + 1]):
                before = int(sources[i])
                wins = (values[here] > 0) == (before < 0)
                if before < 0:
                    before = ~before
                if values[before] == 0:
                    value = DECIDED - distance - 1
                    if not wins:
                        counts[before] -= 1
                        is_sooner = plies_to_end(exits[before]) <= distance + 1
                        if counts[before] > 0 or not (exits[before] == NOTHING or is_sooner):
                            continue
                        value = -value
                    values[before] = value
                    queue[decided] = before
                    decided += 1
        distance += 1
