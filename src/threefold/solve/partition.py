"""The template of partition search: an exact search whose memory forgets what did not matter.

It answers one question, *can MAX get as much as this?*, and says what about the position the answer
depends on. So a memory entry stands for all positions that agree in that: in bridge, for all deals
with the same high cards and lengths, whatever the low cards are. M. L. Ginsberg found that this
makes double-dummy bridge practical (*Partition Search*, 1996; *GIB*, 2001).

The game says what matters by the hooks `gist`, `details`, `matter` and `mattered_before`, and what
is sure at a glance by `foreseen`.

An answer is a word: what mattered, times two, plus 1 if MAX can get as much.

    memory    used | heads | move | 0 ...    then the first entry of each chain, by gist
    entry     next | gist | details, two words | bits that matter | least | most | move

`least` and `most` bound what MAX gains from there on, beyond what is settled.
"""

from typing import Any, Final, TypeAlias

from threefold.engine.control import Control
from threefold.engine.listing import checked_utility, list_sufficient, stop_for
from threefold.engine.records import Boxed
from threefold.rules.bits import mix, wrap
from threefold.rules.contract import (
    HAS_BOUNDS,
    HAS_FORESEEN,
    HAS_ORDER,
    HAS_SETTLED,
    MAX_VALUE,
    MIN,
    NO_REPLY,
    bounds,
    details,
    foreseen,
    gist,
    matter,
    mattered_before,
    order,
    player,
    result,
    settled,
    state,
)
from threefold.solve.at_once import is_stopped
from threefold.solve.null_window import TOO_LONG

Memory: TypeAlias = Any  # an array of words

#: Words before the heads, and in an entry: a line of the processor's cache.
LINE: Final = 8
#: Where the memory says how many words are in use, and how many heads there are.
USED: Final = 0
HEADS: Final = 1
#: The move that was good in the position asked about last, or in one like it; to be tried first.
MOVE: Final = 2
#: In an entry, after the next one.
_GIST: Final = 1
_FIRST: Final = 2
_SECOND: Final = 3
_BITS: Final = 4
_LEAST: Final = 5
_MOST: Final = 6
_MOVE: Final = 7

#: Moves are sorted as words: the score above, the move below.
_MOVE_BITS: Final = 32
MOVE_MASK: Final = (1 << _MOVE_BITS) - 1
#: The score of the remembered move, and the most that any other's may be.
_REMEMBERED: Final = 1 << 30
_MOST_SCORE: Final = _REMEMBERED - 1

YES: Final = 1


def first_entry(gist_of_s: int, memory: Memory) -> int:
    """Where the head of a gist's chain is."""
    return wrap(LINE + (mix(gist_of_s) & memory[HEADS] - 1))


def recalled(
    at: int, hint: int, first: int, second: int, needed: int, memory: Memory
) -> tuple[int, int]:
    """The entry of a chain that decides whether MAX gains as much as needed; 0 if none does.

    And the move that was good in a position of the same gist, `NO_REPLY` if none is known.
    """
    move = wrap(NO_REPLY)
    while at != 0:
        if memory[at + _GIST] == hint:
            differs = (memory[at + _FIRST] ^ first) | (memory[at + _SECOND] ^ second)
            if differs & memory[at + _BITS] == 0 and (
                memory[at + _LEAST] >= needed or memory[at + _MOST] < needed
            ):
                return wrap(at), move
            if move == NO_REPLY:
                move = memory[at + _MOVE]
        at = memory[at]
    return wrap(0), move


def remember(
    head: int,
    hint: int,
    first: int,
    second: int,
    bits: int,
    least: int,
    most: int,
    move: int,
    memory: Memory,
) -> None:
    """Put down what MAX gains at least and at most wherever these bits are the same."""
    first, second = first & bits, second & bits
    at = memory[head]
    while at != 0:
        if (
            memory[at + _BITS] == bits
            and memory[at + _GIST] == hint
            and memory[at + _FIRST] == first
            and memory[at + _SECOND] == second
        ):
            memory[at + _LEAST] = max(memory[at + _LEAST], least)
            memory[at + _MOST] = min(memory[at + _MOST], most)
            if move != NO_REPLY:
                memory[at + _MOVE] = move
            return
        at = memory[at]
    at = memory[USED]
    if at + LINE > len(memory):
        forget(memory)
        at = memory[USED]
    memory[USED] = at + LINE
    memory[at] = memory[head]
    memory[at + _GIST] = hint
    memory[at + _FIRST] = first
    memory[at + _SECOND] = second
    memory[at + _BITS] = bits
    memory[at + _LEAST] = least
    memory[at + _MOST] = most
    memory[at + _MOVE] = move
    memory[head] = at


def forget(memory: Memory) -> None:
    """Begin again with an empty memory."""
    heads = memory[HEADS]
    for i in range(LINE, LINE + heads):
        memory[i] = 0
    memory[USED] = LINE + heads


def settled_part(s: Any) -> int:
    """What MAX has gained for sure."""
    if HAS_SETTLED:
        points, _ = settled(s)
        return points
    return 0


def reaches(
    s: Any, target: int, grain: int, ply: int, rows: Any, memory: Memory, control: Control
) -> int:
    """Whether MAX can get the target, and what that depends on: see above."""
    if is_stopped(control):
        return 0
    control.nodes += 1
    if ply >= len(rows) - 1:
        return stop_for(TOO_LONG, ply, control)

    # Step 1. What must be so in any case.
    hint = gist(s)
    head, first, second, points = wrap(0), wrap(0), wrap(0), wrap(0)
    tried_first = wrap(NO_REPLY)
    if hint != 0:
        if HAS_BOUNDS:
            low, high = bounds(s)
            if low >= target:
                return wrap(YES)
            if high < target:
                return 0

        # Step 2. What is sure at a glance.
        if HAS_FORESEEN:
            low, high, why_low, why_high = foreseen(s)
            if low >= target:
                return why_low << 1 | YES
            if high < target:
                return why_high << 1

        # Step 3. What is remembered of a position that agrees in what mattered.
        first, second, _ = details(s, 0)
        points = settled_part(s)
        head = first_entry(hint, memory)
        control.probes += 1
        at, tried_first = recalled(memory[head], hint, first, second, target - points, memory)
        if at != 0:
            control.hits += 1
            reached = memory[at + _LEAST] >= target - points
            if ply == 0 and reached != (player(s) == MIN):
                memory[MOVE] = memory[at + _MOVE]
            return matter(s, memory[at + _BITS]) << 1 | wrap(reached)

    # Step 4. The moves, likely ones first.
    row = rows[ply]
    n = list_sufficient(s, row, control)
    if n == 0:
        return wrap(checked_utility(s, MAX_VALUE, control) >= target)
    if n > 1:
        for i in range(n):
            a = row[i]
            score = wrap(0)
            if a == tried_first:
                score = wrap(_REMEMBERED)
            elif HAS_ORDER:
                score = min(max(order(s, a), -_MOST_SCORE), _MOST_SCORE)
            j = i
            while j > 0 and row[j - 1] >> _MOVE_BITS < score:
                row[j] = row[j - 1]
                j -= 1
            row[j] = score << _MOVE_BITS | a

    # Step 5. One move that does it depends on what follows it; that none does, on all of them.
    minimizing = player(s) == MIN
    mattered, done, best = wrap(0), False, wrap(NO_REPLY)
    for i in range(n):
        a = row[i] & MOVE_MASK
        answer = reaches(result(s, a), target, grain, ply + 1, rows, memory, control)
        before = mattered_before(s, a, answer >> 1)
        if (answer & YES == 0) == minimizing:
            mattered, done, best = before, True, a
            break
        mattered |= before
    if is_stopped(control):
        return 0
    if not done:
        mattered = mattered_before(s, NO_REPLY, mattered)
    elif ply == 0:
        memory[MOVE] = best
    reached = done != minimizing

    # Step 6. Remember it for all positions that agree in what mattered.
    if hint != 0:
        _, _, bits = details(s, mattered)
        if reached:
            least, most = target - points, wrap(2 * MAX_VALUE)
        else:
            least, most = wrap(-2 * MAX_VALUE), target - points - grain
        remember(head, hint, first, second, bits, least, most, best, memory)
    return mattered << 1 | reached


def within(
    words: tuple[int, ...],
    low: int,
    high: int,
    guess: int,
    grain: int,
    rows: Any,
    memory: Memory,
    boxed_control: Boxed[Control],
) -> tuple[int, int]:
    """The entry: what MAX gets, from `low` to `high`, asked from a guess on until it is known.

    Both are utilities that the position can have; others differ from them by multiples of `grain`.
    """
    s, control = state(words), boxed_control[0]
    if HAS_BOUNDS:
        least, most = bounds(s)
        low, high = max(low, least), min(high, most)
    while low < high:
        target = low + max((guess - low + grain // 2) // grain, 1) * grain
        target = min(target, high)
        answer = reaches(s, target, grain, wrap(0), rows, memory, control)
        if is_stopped(control):
            break
        if answer & YES:
            low = target
            guess = target + grain
        else:
            high = target - grain
            guess = high
    return low, high


def best_line(
    words: tuple[int, ...],
    value: int,
    grain: int,
    rows: Any,
    memory: Memory,
    out: Any,
    boxed_control: Boxed[Control],
) -> int:
    """The entry: write into `out` how a position goes on if MAX gets `value`; how many moves.

    Each move keeps the value, in the order in which the game lists them.
    """
    s, control, length = state(words), boxed_control[0], wrap(0)
    while length < len(rows) - 1:
        n = list_sufficient(s, rows[0], control)
        if n == 0 or is_stopped(control):
            break
        minimizing = player(s) == MIN
        target = value + grain if minimizing else value
        chosen = wrap(NO_REPLY)
        for i in range(n):
            a = rows[0][i]
            if i == n - 1:
                chosen = a  # the others have failed
                break
            answer = reaches(result(s, a), target, grain, wrap(1), rows, memory, control)
            if (answer & YES == 0) == minimizing:
                chosen = a
                break
        out[length] = chosen
        length += 1
        s = result(s, chosen)
    return length
