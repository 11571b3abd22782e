"""The search: principal-variation negamax with a table, for games without chance.

`negamax` is the same idea with nothing added. The additions here keep the contract below. In exact
mode it holds for the value that minimax to that depth would find; otherwise for a value that looks
deeper where it matters and less deeply where it does not.

    value <= alpha          ->  value <= returned <= alpha
    alpha < value < beta    ->  returned == value
    value >= beta           ->  beta <= returned <= value

The sign of a value changes only where the turn passes to the other side. Once the memory's
`stop` is set, what is returned means nothing.

A value is *proven* where no evaluation affected it. The search does not track that; it counts its
guesses, and a position below which the count did not rise was searched to the end.
"""

from typing import Any, Final

from threefold.engine.endgames.knowledge import NOT_KNOWN, known_value
from threefold.engine.leaf import enter, is_drawn, leaf_value, quiesce, static_value
from threefold.engine.listing import list_actions, list_sufficient
from threefold.engine.memory import DEEPEST, Memory, extend_pv
from threefold.engine.ordering import bring_best, is_quiet, learn, score_moves
from threefold.engine.records import Boxed
from threefold.engine.selectivity import SLOPE_BITS
from threefold.engine.table import (
    BOUND_LOWER,
    BOUND_UPPER,
    NO_MOVE,
    PROVEN,
    Table,
    bound_kind,
    bound_of,
    depth_of,
    depth_to_store,
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
    finished_value,
    from_here,
    from_root,
    reach,
    to_mover,
)
from threefold.rules.bits import wrap
from threefold.rules.contract import (
    HAS_BOUNDS,
    HAS_DATABASE,
    HAS_DRAWN,
    HAS_EXTEND,
    HAS_FUTILITY,
    HAS_NET,
    HAS_NOISY,
    HAS_NULL_MOVE,
    HAS_SYMMETRIES,
    MAX_VALUE,
    MIN,
    REDUCTIONS,
    REPEATS,
    extend,
    null_move,
    player,
    result,
    state,
)

#: From this ply on, symmetric positions have separate entries: they hardly ever coincide there.
_SYMMETRIC_PLIES: Final = 6
#: The move that led to a position reached by passing.
_PASSED: Final = -2

# Depths from which a technique pays off. Those that make the search selective are data, in
# `memory.selectivity`.
_TABLE_FROM: Final = 2
_ORDER_FROM: Final = 2


def is_repeated(hashed: int, ply: int, memory: Memory) -> bool:
    """Whether a position occurred before, on the way from the root or in the game so far."""
    times = 0
    for i in range(ply):
        times += memory.path[i] == hashed
    for i in range(memory.past_length):
        times += memory.past[i] == hashed
    return times > 0


def search(
    s: Any,
    depth: int,
    ply: int,
    alpha: int,
    beta: int,
    last: int,
    skip: int,
    memory: Memory,
    table: Table,
) -> int:
    """The value of `s` for the player to move, `depth` plies ahead, within (alpha, beta).

    `last` is the move that led here; `skip` is a move to leave out. At the root (`ply` 0) the moves
    are already listed, each with a rank that breaks ties.
    """
    # Step 1. Count, and return when asked to.
    if not enter(ply, memory):
        return 0
    here = memory.plies[ply]
    here.pv_length = 0
    selective = memory.selectivity
    exact = memory.exact != 0
    guesses = memory.guesses
    mover = player(s)
    is_pv = beta - alpha > 1
    if ply >= DEEPEST - 2:
        return leaf_value(s, ply, memory)

    # Step 2. What a database of end-games knows. A draw is one whatever led here.
    in_database = wrap(NOT_KNOWN)
    if HAS_DATABASE and ply > 0 and not exact and skip == NO_MOVE:
        in_database = known_value(s, ply, memory)
        if in_database == 0:
            return 0

    # Step 3. A draw by rule or by repetition, which depends on the path: it proves nothing about
    # the position.
    if HAS_DRAWN and ply > 0 and is_drawn(s, memory):
        return 0
    if REPEATS:
        memory.path[ply] = position_key(s)
        if ply > 0 and skip == NO_MOVE and is_repeated(memory.path[ply], ply, memory):
            memory.guesses += 1
            return 0

    if HAS_DATABASE and in_database != NOT_KNOWN:
        return in_database

    # Step 4. What the rules say about any play from here. Minimax to a depth does not know that,
    # so in exact mode the value may be any guess.
    if HAS_BOUNDS and ply > 0:
        low, high = reach(s)
        if mover == MIN:
            low, high = -high, -low
        low, high = from_root(low, ply), from_root(high, ply)
        if exact:
            low, high = min(low, -MAX_VALUE), max(high, MAX_VALUE)
        if low >= beta or low == high:
            return low
        if high <= alpha:
            return high

    # Step 5. The table, unless a look-up costs as much as a look ahead.
    hashed = wrap(0)
    data = wrap(0)
    if depth >= _TABLE_FROM and skip == NO_MOVE:
        # A net may judge symmetric positions differently, which minimax itself has to tell.
        if HAS_SYMMETRIES and ply < _SYMMETRIC_PLIES and not (HAS_NET and exact):
            hashed = shared_key(s)
        else:
            hashed = position_key(s)
        memory.probes += 1
        data = probe(hashed, table)
    bound = bound_of(data)
    found = from_root(value_of(data), ply)
    known = depth_of(data)
    stored = NO_MOVE
    if bound != 0:
        memory.hits += 1
        stored = move_of(data)
        proven = known >= PROVEN
        if exact:  # minimax to this very depth, which a deeper proof may contradict
            enough = known == depth or (proven and known - PROVEN <= depth)
        else:
            enough = known >= depth
        if enough and ply > 0 and not is_pv:
            above = found >= beta and bound & BOUND_LOWER
            below = found <= alpha and bound & BOUND_UPPER
            if above or below:
                # A win that was proven elsewhere may lead through a position of the game so far,
                # where it is a draw by repetition.
                if not proven or (REPEATS and memory.past_length > 0 and found != 0):
                    memory.guesses += 1
                return found

    # Step 6. Where the other side could pass and still be beaten, this is good enough; likewise
    # where the evaluation is so good that no quiet move will spoil it.
    static = 0
    trusted = not HAS_EXTEND  # where a search must look deeper, as in check, no guess is trusted
    futile = HAS_FUTILITY and depth <= selective.futility_depth
    enough_lead = HAS_FUTILITY and depth <= selective.reverse_futility_depth
    guessing = not exact and not is_pv and skip == NO_MOVE
    if guessing and (HAS_NULL_MOVE or futile or enough_lead):
        static = static_value(s, memory)
        if HAS_EXTEND and (futile or enough_lead):
            trusted = extend(s) == 0
        if ply > 0 and -WON < beta < WON and static >= beta:
            lead = static - selective.reverse_futility * depth
            if enough_lead and trusted and lead >= beta:
                memory.guesses += 1
                return static
            if HAS_NULL_MOVE and depth >= selective.null_depth and last != _PASSED:
                passed = null_move(s)
                if player(passed) != mover:
                    less = depth - selective.null_reduction
                    less = max(less - (depth * selective.null_slope >> SLOPE_BITS), wrap(1))
                    value = -search(
                        passed, less, ply + 1, -beta, 1 - beta, wrap(_PASSED), skip, memory, table
                    )
                    if memory.stop != 0:
                        return 0
                    if value >= beta:
                        memory.guesses += 1
                        return min(value, MAX_VALUE)

    # Step 7. If the table's move is far better than all others, look deeper after it.
    singular = 0
    known_well = bound & BOUND_LOWER and known & PROVEN - 1 >= depth - 3 and -WON < found < WON
    may_extend = REDUCTIONS and not exact and ply > 0 and skip == NO_MOVE
    if may_extend and known_well and depth >= selective.singular_depth:
        target = found - depth * selective.singular_margin
        rival = search(s, depth // 2, ply, target - 1, target, last, stored, memory, table)
        if memory.stop != 0:
            return 0
        singular = 1 if rival < target else 0

    # Step 8. The moves, or the end of the game.
    first = wrap(0)
    if ply == 0:
        first = memory.root_from
        n = memory.root_count
    else:
        if exact:
            n = list_actions(s, here.moves, memory)
        else:
            n = list_sufficient(s, here.moves, memory)
        if n == 0:
            return to_mover(s, finished_value(s, ply, memory))
        score_moves(s, n, ply, mover, stored, last, depth >= _ORDER_FROM, memory)

    # Step 9. Each move: the first with the whole window, the others only to see whether they are
    # better, and late quiet ones less deeply at first; then again where that was not enough.
    best = -INFINITY
    best_move = NO_MOVE
    best_rank = 0
    start = alpha
    for i in range(first, n):
        quiet = True
        if ply > 0:
            quiet = is_quiet(bring_best(i, n, here))
        a = here.moves[i]
        if skip != NO_MOVE and is_move(a, skip):
            continue
        low = max(start, best)
        if ply == 0 and best > start and memory.root_ranks[i] < best_rank:
            low = best - 1  # ties go to the move of the lower rank
        tried = i - first
        child = result(s, a)
        if futile and not exact and not is_pv and best > -WON and quiet and tried > 0:
            optimistic = static + selective.futility * (depth + 1)
            hopeless = optimistic <= low < WON and trusted
            spared = HAS_EXTEND and selective.spare_checks != 0
            if hopeless and (not spared or extend(child) == 0):
                memory.guesses += 1
                best = max(best, optimistic)
                continue
        same_side = (player(child) == MIN) == (mover == MIN)
        sign = 1 if same_side else -1
        ahead = depth - 1
        if not exact:
            if HAS_EXTEND and ply < 2 * memory.root_depth:
                ahead += extend(child)
            if REDUCTIONS and singular and is_move(a, stored):
                ahead += singular
        reduction = 0
        late = depth >= selective.reduction_depth and tried >= selective.full_moves
        if REDUCTIONS and not exact and quiet and late:
            reduction = selective.reduction + (tried >= selective.late_moves)
            reduction += depth * selective.reduction_slope >> SLOPE_BITS
            reduction = max(min(reduction, ahead - 1), 0)
        narrow = best != -INFINITY and beta - low > 1
        while True:
            high = low + 1 if narrow else beta
            if ahead - reduction <= 0:
                memory.plies[ply + 1].pv_length = 0
                if HAS_NOISY:
                    value = sign * quiesce(
                        child,
                        ply + 1,
                        low if same_side else -high,
                        high if same_side else -low,
                        memory,
                    )
                else:
                    enter(ply + 1, memory)
                    value = sign * leaf_value(child, ply + 1, memory)
            else:
                value = sign * search(
                    child,
                    ahead - reduction,
                    ply + 1,
                    low if same_side else -high,
                    high if same_side else -low,
                    a,
                    wrap(NO_MOVE),
                    memory,
                    table,
                )
            if memory.stop != 0:
                return best
            if value <= low:
                break
            if reduction > 0:
                reduction = 0
            elif narrow and value < beta:
                narrow = False
            else:
                break
        if value > min(low, best):
            best = value
            if best > start:
                best_move = a
                if is_pv:
                    extend_pv(ply, a, memory)
                if ply == 0:
                    memory.best = a
                    memory.best_value = best
                    best_rank = memory.root_ranks[i]
            if best >= beta:
                if ply > 0:
                    learn(ply, depth, mover, last, tried + 1, memory)
                break

    # Step 10. Store it in the table.
    if depth < _TABLE_FROM or skip != NO_MOVE or (ply == 0 and memory.root_from > 0):
        return best
    data = packed(
        from_here(best, ply),
        best_move if best_move != NO_MOVE else stored,
        depth_to_store(depth, memory.guesses == guesses),
        memory.generation,
        bound_kind(best, start, beta),
    )
    store(hashed, data, table)
    return best


def search_from(
    words: tuple[int, ...], depth: int, alpha: int, beta: int, memory: Boxed[Memory], table: Table
) -> int:
    """The entry: the root, given as words."""
    none = wrap(NO_MOVE)
    return search(state(words), depth, wrap(0), alpha, beta, none, none, memory[0], table)
