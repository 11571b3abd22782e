"""Expectations in games of chance, even if play can lead back to a position.

The graph falls into strongly connected components: positions that can all be reached from each
other. In the order in which Tarjan's algorithm finds them, what a component leads to is known
before the component itself. A position that cannot occur again takes one step; within a larger
component, value iteration backs up values until they no longer change.

Every value has a lower and an upper bound, and both are true. One iteration begins at the least
utility and rises, the other at the greatest and falls, and bounds are widened by whatever
arithmetic may have rounded off. Together they enclose every solution of the equations. So where
they meet, it does not matter what endless play would be worth; where they cannot, the value depends
on it.

The one exception is components without chance in a game where endless play is a draw. Both
iterations begin at 0 there, as if play had been broken off, and stop changing at the value.

None of this knows any game, only the arrays of `threefold.solve.graph`.
"""

from typing import Final

from threefold.engine.control import Control
from threefold.engine.records import Boxed
from threefold.rules.contract import CHANCE, MAX
from threefold.solve.expansion import Array

#: A component is done when its bounds are hardly farther apart than those of what it leads to: by
#: no more than this, in units of the largest utility.
GROWTH: Final = 1e-12
#: Bounds farther apart than this, in the same units, are too wide to compare with.
CLOSE: Final = 1e-9
#: Twice what a single operation in floating point may be off by, relative to the result.
_ROUNDING: Final = 2.0**-52
#: A mean over n values takes n multiplications and additions, and some more operations.
_MORE_OPERATIONS: Final = 4


def find_components(
    first: Array,
    child: Array,
    order: Array,
    component: Array,
    entered: Array,
    lowest: Array,
    waiting: Array,
    left: Array,
    path: Array,
    cursor: Array,
    boxed_control: Boxed[Control],
) -> None:
    """Tarjan's algorithm: all positions in an `order` in which components are side by side.

    What a component leads to comes before it. Within a component, what a position leads to comes
    before it where cycles allow that. `component`, -1 at first, numbers the components. `entered`,
    zeros at first, counts positions as they are entered, and `lowest` is the first that can be
    returned to. `waiting` holds those whose component is not known yet, `left` all in the order in
    which they are left. `path` and `cursor` are an explicit stack, because a path can be as long as
    there are positions.
    """
    control = boxed_control[0]
    count = 0
    done = 0
    found = 0
    waits = 0
    for start in range(len(component)):
        if entered[start] != 0 or control.stop != 0:
            continue
        depth = 0
        path[0] = start
        cursor[0] = first[start]
        while depth >= 0 and control.stop == 0:
            i = path[depth]
            if entered[i] == 0:
                count += 1
                entered[i] = count
                lowest[i] = count
                waiting[waits] = i
                waits += 1
            if cursor[depth] < first[i + 1]:
                j = child[cursor[depth]]
                cursor[depth] += 1
                if entered[j] == 0:
                    depth += 1
                    path[depth] = j
                    cursor[depth] = first[j]
                elif component[j] < 0:
                    lowest[i] = min(lowest[i], entered[j])
                continue
            if lowest[i] == entered[i]:
                while component[i] < 0:
                    waits -= 1
                    component[waiting[waits]] = found
                found += 1
            left[done] = i
            done += 1
            depth -= 1
            if depth >= 0:
                lowest[path[depth]] = min(lowest[path[depth]], lowest[i])

    if control.stop != 0:
        return
    # A counting sort by component; the cursors now say where each ends, and then where it begins.
    cursor[:found] = 0
    for i in range(done):
        cursor[component[i]] += 1
    for k in range(1, found):
        cursor[k] += cursor[k - 1]
    for k in range(done - 1, -1, -1):
        i = left[k]
        cursor[component[i]] -= 1
        order[cursor[component[i]]] = i


def backed_up(
    i: int,
    mover: Array,
    first: Array,
    child: Array,
    weight: Array,
    values: Array,
    outward: float,
) -> float:
    """A position's value from its children's.

    A bound is widened by what rounding may have changed: `outward` is -1 for a lower bound, 1 for
    an upper one, and 0 for a value that is not a bound.
    """
    if mover[i] == CHANCE:
        total = 0.0
        weights = 0.0
        size = 0.0
        for edge in range(first[i], first[i + 1]):
            share = weight[edge] * values[child[edge]]
            total += share
            size += abs(share)
            weights += weight[edge]
        operations = first[i + 1] - first[i] + _MORE_OPERATIONS
        return float(total / weights + outward * _ROUNDING * operations * size / weights)
    best = values[child[first[i]]]
    for edge in range(first[i] + 1, first[i + 1]):
        other = values[child[edge]]
        best = max(best, other) if mover[i] == MAX else min(best, other)
    return float(best)


def expect(
    order: Array,
    component: Array,
    mover: Array,
    utility: Array,
    first: Array,
    child: Array,
    weight: Array,
    least: float,
    most: float,
    is_draw: bool,
    value: Array,
    low: Array,
    high: Array,
    boxed_control: Boxed[Control],
) -> None:
    """The expectation of every position, and bounds on it, one component after the other.

    Endless play is worth something from `least` to `most`, and 0 if it `is_draw`.
    """
    control = boxed_control[0]
    scale = max(most, -least)
    after = 0
    while after < len(order) and control.stop == 0:
        # Step 1. The next component, whether nature moves in it, and how far apart the bounds of
        # what it leads to are.
        begin, i = after, order[after]
        has_chance = False
        outside = 0.0
        returns = False
        while after < len(order) and component[order[after]] == component[i]:
            here = order[after]
            has_chance = has_chance or mover[here] == CHANCE
            for edge in range(first[here], first[here + 1]):
                j = child[edge]
                if component[j] == component[i]:
                    returns = True
                else:
                    outside = max(outside, high[j] - low[j])
            after += 1

        # Step 2. A position that cannot come up again.
        if not returns:
            if first[i] == first[i + 1]:
                value[i] = low[i] = high[i] = utility[i]
            else:
                value[i] = backed_up(i, mover, first, child, weight, value, 0.0)
                low[i] = backed_up(i, mover, first, child, weight, low, -1.0)
                high[i] = backed_up(i, mover, first, child, weight, high, 1.0)
                if high[i] - low[i] > CLOSE * scale:
                    value[i] = low[i] + (high[i] - low[i]) / 2
            continue

        # Step 3. Value iteration.
        drawn = is_draw and not has_chance
        for k in range(begin, after):
            low[order[k]] = 0.0 if drawn else least
            high[order[k]] = 0.0 if drawn else most
        # Without chance, or next to what is in doubt, until nothing changes.
        enough = outside + GROWTH * scale if has_chance and outside <= CLOSE * scale else -1.0
        gap = most - least
        changes = True
        while changes and gap > enough and control.stop == 0:
            changes = False
            gap = 0.0
            for k in range(begin, after):
                i = order[k]
                rising = backed_up(i, mover, first, child, weight, low, -1.0)
                falling = backed_up(i, mover, first, child, weight, high, 1.0)
                if not drawn:  # what was true of a bound stays true
                    rising = max(rising, low[i])
                    falling = min(falling, high[i])
                changes = changes or rising != low[i] or falling != high[i]
                low[i] = rising
                high[i] = falling
                gap = max(gap, falling - rising)
        for k in range(begin, after):
            i = order[k]
            value[i] = low[i] + (high[i] - low[i]) / 2
