"""The template of the exact search: negamax to the end of every line, as deep as the game goes.

One function for every deterministic game of two sides. Values are utility first, then distance
(`threefold.engine.values`), for the player to move, so that the sign changes only where the
turn really passes. The window is almost always null: the search only ever answers *is it worth more
than this?*, and `narrow` asks again until the answers meet.

    value <= alpha          ->  value <= returned <= alpha
    alpha < value < beta    ->  returned == value
    value >= beta           ->  beta <= returned <= value

What makes it fast is what a game says about itself: `sufficient` moves, `bounds` on the utility, a
first `order`, a cheap `key`, what is `settled` already, and how much is `remaining`. None of them
is needed.
"""

from typing import Any, Final

from threefold.engine.control import Control
from threefold.engine.endgames.knowledge import probed
from threefold.engine.endgames.probing import NOT_FOUND, DatabaseMemory
from threefold.engine.listing import list_sufficient, stop_for
from threefold.engine.prefetch import prefetch
from threefold.engine.records import Boxed
from threefold.engine.table import (
    BOUND_LOWER,
    BOUND_UPPER,
    NO_MOVE,
    Table,
    bound_kind,
    bound_of,
    is_move,
    move_of,
    packed,
    position_key,
    probe,
    shared_key,
    store,
    value_of,
)
from threefold.engine.values import (
    INFINITY,
    WON,
    above,
    finished_value,
    from_here,
    from_root,
    utility_of,
    values_between,
)
from threefold.rules.bits import mix, msb, wrap
from threefold.rules.contract import (
    HAS_BOUNDS,
    HAS_DATABASE,
    HAS_MARGINS,
    HAS_ORDER,
    HAS_SETTLED,
    HAS_SYMMETRIES,
    MIN,
    bounds,
    order,
    player,
    remaining,
    result,
    settled,
    state,
)
from threefold.solve.at_once import is_stopped
from threefold.solve.forecast import outlook, plies_ahead

#: With fewer plies left, looking a position up and sorting its moves cost more than they save.
SHALLOW: Final = 6
#: A table of this many words fits in the processor's cache, so nothing has to be prefetched.
CACHED_WORDS: Final = 1 << 17
#: This near the root, positions that are symmetric to each other share an entry.
NEAR: Final = 6

#: The fault for a line longer than the game declares.
TOO_LONG: Final = 100

#: What a driver asks for: one window, the utility, or the soonest win and the latest loss.
WINDOW: Final = 0
UTILITY: Final = 1
DISTANCE: Final = 2

#: Where something is settled, an entry's value has two halves of this many bits, for two bounds.
_GAIN_BITS: Final = 18
#: A bound as large as this says nothing.
MOST_GAIN: Final = (1 << _GAIN_BITS - 1) - 1

#: Moves are sorted as words: the score above, the move below.
_MOVE_BITS: Final = 32
MOVE_MASK: Final = (1 << _MOVE_BITS) - 1
#: The score of the table's move, and the most that any other's may be.
_FIRST: Final = 1 << 30
_MOST: Final = _FIRST - 1


def list_at(s: Any, ply: int, rows: Any, control: Control) -> int:
    """List the moves of a position just reached, unless the game exceeds its maximum length."""
    control.nodes += 1
    if ply >= len(rows) - 1:
        return stop_for(TOO_LONG, ply, control)
    return list_sufficient(s, rows[ply], control)


def key_at(s: Any, ply: int) -> int:
    """The table's key for a position, `ply` plies from the root.

    Where something is settled, this is the key to the rest, whatever was gained on the way.
    """
    if HAS_SETTLED:
        return mix(settled(s)[1])
    if HAS_SYMMETRIES and ply <= NEAR:
        return shared_key(s)
    return position_key(s)


def settled_for_mover(s: Any) -> int:
    """The settled part of the utility, for the player to move."""
    points = settled(s)[0]
    return -points if player(s) == MIN else points


def values_from(low: int, high: int, ply: int) -> tuple[int, int]:
    """The least and the greatest value of an unfinished position with a utility in that range.

    No end comes before the next ply, and none as late as `PLIES`.
    """
    low, high = values_between(low, high)
    if low < 0:
        low += ply + 1
    elif low > 0:
        low += 1
    if high > 0:
        high -= ply + 1
    elif high < 0:
        high -= 1
    return low, high


def reach_from(s: Any, ply: int) -> tuple[int, int]:
    """The least and the greatest value that the player to move in `s` can get."""
    low, high = bounds(s)
    if player(s) == MIN:
        low, high = -high, -low
    return values_from(low, high, ply)


def recalled(data: int, s: Any, ply: int) -> tuple[int, int]:
    """The least and the greatest value that a position can have, as far as the table knows."""
    if HAS_SETTLED:
        least, most = gains_of(data)
        points = settled_for_mover(s)
        low, high = values_from(points + least, points + most, ply)
        no_least, no_most = least == -MOST_GAIN, most == MOST_GAIN
    else:
        low = from_root(value_of(data), ply)
        high = low
        no_least, no_most = bound_of(data) == BOUND_UPPER, bound_of(data) == BOUND_LOWER
    return wrap(-INFINITY) if no_least else low, wrap(INFINITY) if no_most else high


def recalled_after(
    child: Any,
    hashed: int,
    ply: int,
    is_opponent: bool,
    table: Table,
    database: DatabaseMemory,
    control: Control,
) -> tuple[int, int]:
    """What is known about the position after a move, to the player who makes the move."""
    low, high = wrap(-INFINITY), wrap(INFINITY)
    if HAS_DATABASE and HAS_MARGINS:
        gain = probed(child, database, control)
        if gain != NOT_FOUND:
            utility = settled_for_mover(child) + gain
            # The game may be over there: the end can come at once.
            low, high = values_from(utility, utility, ply - 1)
            return (-high, -low) if is_opponent else (low, high)
    control.probes += 1
    data = probe(hashed, table)
    if data != 0:
        control.hits += 1
        low, high = recalled(data, child, ply)
        if is_opponent:
            low, high = -high, -low
    return low, high


def remembered(value: int, bound: int, data: int, s: Any, ply: int) -> int:
    """The value to store for a position about which the table had `data`."""
    if not HAS_SETTLED:
        return from_here(value, ply)
    least, most = gains_of(data)
    gain = min(max(utility_of(value) - settled_for_mover(s), -MOST_GAIN), MOST_GAIN)
    if bound & BOUND_LOWER:
        least = max(least, gain)
    if bound & BOUND_UPPER:
        most = min(most, gain)
    return least << _GAIN_BITS | most + MOST_GAIN


def gains_of(data: int) -> tuple[int, int]:
    """Where something is settled: the least and the greatest gain of the player to move.

    An entry then has only utilities, counted from the position on: how far away the end is depends
    on who wins, and so on what was gained before. It has both bounds, because each path to the
    position asks for a different gain.
    """
    if data == 0:
        return -MOST_GAIN, wrap(MOST_GAIN)
    value = value_of(data)
    return value >> _GAIN_BITS, (value & (1 << _GAIN_BITS) - 1) - MOST_GAIN


def exact_value(
    s: Any,
    n: int,
    hashed: int,
    ply: int,
    alpha: int,
    beta: int,
    rows: Any,
    table: Table,
    database: DatabaseMemory,
    control: Control,
) -> int:
    """The value of `s`, whose `n` moves are in `rows[ply]`; there are at least two.

    Forced moves and ends are dealt with in the parent's loop: only a choice costs a call.
    """
    if is_stopped(control):
        return 0
    row = rows[ply]
    minimizing = player(s) == MIN

    # Step 1. What can still be reached.
    low, high = wrap(-INFINITY), wrap(INFINITY)
    if HAS_BOUNDS:
        low, high = reach_from(s, ply)
        if high <= alpha:
            return high
        if low >= beta:
            return low

        # Step 2. If only an immediate win would do, nothing else is looked at.
        if high > WON and alpha == high - 1:
            best = alpha
            for i in range(n):
                child = result(s, row[i])
                if list_at(child, ply + 1, rows, control) == 0:
                    value = finished_value(child, ply + 1, control)
                    best = max(best, -value if minimizing else value)
            return best
        alpha, beta = max(alpha, low), min(beta, high)

    # Step 3. What the table knows.
    left = remaining(s)
    deep = HAS_SETTLED or left > SHALLOW
    data = wrap(0)
    if deep:
        control.probes += 1
        data = probe(hashed, table)
        first = wrap(NO_MOVE)
        if data != 0:
            control.hits += 1
            least, most = recalled(data, s, ply)
            if least >= beta or least == most:
                return least
            if most <= alpha:
                return most
            alpha, beta, low = max(alpha, least), min(beta, most), max(low, least)
            first = move_of(data)

        # Step 4. Likely moves first; meanwhile the table's entries for them are prefetched.
        ahead = plies_ahead(left)
        far = ply >= NEAR and len(table) > CACHED_WORDS
        for i in range(n):
            a = row[i]
            if far:
                prefetch(key_at(result(s, a), ply + 1), table)
            score = wrap(0)
            if is_move(a, first):
                score = wrap(_FIRST)
            elif ahead > 0:
                score = min(max(outlook(s, a, ahead, ply, rows, control), -_MOST), _MOST)
            elif HAS_ORDER:
                score = min(max(order(s, a), -_MOST), _MOST)
            j = i
            while j > 0 and row[j - 1] >> _MOVE_BITS < score:
                row[j] = row[j - 1]
                j -= 1
            row[j] = score << _MOVE_BITS | a

    # Step 5. The moves, until one is too good for the other side to allow.
    nodes_before = control.nodes
    best, best_move = low, wrap(NO_MOVE)
    floor = alpha
    for i in range(n):
        a = row[i] & MOVE_MASK
        child, below = result(s, a), ply + 1
        if HAS_SETTLED:
            # Many paths lead to the rest of a game: it may be known without listing its moves.
            is_opponent = (player(child) == MIN) != minimizing
            least, most = recalled_after(
                child, key_at(child, below), below, is_opponent, table, database, control
            )
            if least >= beta:
                best, best_move = least, a
                break
            if most <= floor:
                best = max(best, most)
                continue
        m = list_at(child, below, rows, control)
        while m == 1:
            child, below = result(child, rows[below][0]), below + 1
            m = list_at(child, below, rows, control)
        if m == 0:
            value = finished_value(child, below, control)
            value = -value if minimizing else value
        elif (player(child) == MIN) == minimizing:
            hashed_child = key_at(child, below)
            value = exact_value(
                child, m, hashed_child, below, floor, beta, rows, table, database, control
            )
        else:
            hashed_child = key_at(child, below)
            value = -exact_value(
                child, m, hashed_child, below, -beta, -floor, rows, table, database, control
            )
        if value > best:
            best, best_move = value, a
            if best >= beta:
                break
            floor = max(floor, best)
    if is_stopped(control):
        return 0

    # Step 6. Store it; what took longest to find out stays longest.
    if deep:
        bound = bound_kind(best, alpha, beta)
        effort = msb(control.nodes - nodes_before + 1)
        store(
            hashed,
            packed(remembered(best, bound, data, s, ply), best_move, effort, 0, bound),
            table,
        )
    return best


def next_test(low: int, high: int, guess: int, longest: int) -> int:
    """The value to compare with next, from `low` to below `high`.

    First the utility, from a guess on; once it is known, halves of what distances are left.
    """
    least, most = utility_of(low), utility_of(high)
    if least < most:
        return max(above(min(max(guess, least), most - 1)), low)
    if most > 0:
        low = max(low, above(most) - longest)
    else:
        high = min(high, -above(-least) + longest)
    return (low + high) // 2


def narrow(
    words: tuple[int, ...],
    low: int,
    high: int,
    guess: int,
    asked: int,
    rows: Any,
    table: Table,
    boxed_database: Boxed[DatabaseMemory],
    boxed_control: Boxed[Control],
) -> tuple[int, int, int]:
    """The entry: the least and the greatest value that the position can still have.

    Between `low` and `high`, one null window after another, until what was `asked` for is known;
    or the one window from `low` to `high`, in which case both numbers are its answer. The third is
    the move that the table has for the position, `NO_MOVE` if none.
    """
    # If there is only one move, the question is passed on to the position after it.
    s, ply, flipped, control = state(words), wrap(0), False, boxed_control[0]
    database = boxed_database[0]
    n = list_at(s, ply, rows, control)
    while n == 1:
        child = result(s, rows[ply][0])
        if (player(child) == MIN) != (player(s) == MIN):
            low, high, guess, flipped = -high, -low, -guess, not flipped
        s, ply = child, ply + 1
        n = list_at(s, ply, rows, control)
    hashed = key_at(s, ply)
    if n == 0:
        value = finished_value(s, ply, control)
        low = high = -value if player(s) == MIN else value
    elif asked == WINDOW:
        low = high = exact_value(s, n, hashed, ply, low, high, rows, table, database, control)
    while low < high and (asked == DISTANCE or utility_of(low) < utility_of(high)):
        test = next_test(low, high, guess, len(rows))
        value = exact_value(s, n, hashed, ply, test, test + 1, rows, table, database, control)
        if is_stopped(control):
            break
        if value > test:
            low, guess = value, utility_of(value)
        else:
            high, guess = value, utility_of(value) - 1
        # The moves are sorted now, each with its score.
        n = list_at(s, ply, rows, control)
    data = probe(hashed, table)
    move = move_of(data) if data != 0 else wrap(NO_MOVE)
    if flipped:
        return -high, -low, move
    return low, high, move
