"""The template of a search for what a player can force within a number of plies, under superko.

Under superko a move is illegal if it brings an earlier board back. So what a position is worth can
depend on how it came about, and an answer found on one path may be wrong on another. This is how
the table keeps only answers that hold wherever they are used:

- A player, the *prover*, wants so much of the utility. The answer is yes or no, and has a *winner*:
  the prover, or the other side. It is a strategy of the winner, tried against all that the
  *loser* may do.
- A loser's move that an earlier board bars was not tried. If that board is the position's own or
  one that came after it, it bars the move on every path to the position. Otherwise the answer
  depends on the path, and is not kept.
- The winner's moves must not be barred on another path either. With an answer the table keeps which
  bits all boards that the winner's moves lead to have in common, and which bits any of them has.
  The answer is used only if no earlier board of the path fits in between.

That a no holds on every path costs much more than that a yes does. But only a yes is needed, each
side's in turn: that MAX can force so much, and that MIN can hold MAX to it. So unless the demand is
`strict`, a no is kept and used on any path, as a guess. A yes never depends on a no: a wrong guess
can only hide a proof.

A board is a row of bits, the game's `superko` of a position. The question is asked for more and
more plies. An entry of the table is a row of words:

    key, or its complement for a no | data | bits in common … | bits in any …
    data, from the lowest bit: plies 8 | the winner's move 16 | logarithm of the nodes it took 8 |
    what the prover can force, or in vain tried to 32
"""

from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from threefold.engine.control import Control
from threefold.engine.listing import is_over, list_sufficient, stop_for
from threefold.engine.records import Boxed, Word
from threefold.engine.table import NO_MOVE, is_move, position_key, shared_key
from threefold.rules.bits import GOLDEN, add, lsr, mix, msb, wrap
from threefold.rules.contract import (
    HAS_ASSURED,
    MAX,
    MIN,
    Action,
    assured,
    player,
    result,
    state,
    superko,
    utility,
)
from threefold.solve.at_once import is_stopped

#: The most plies that an entry of the table can tell.
MOST_PLIES: Final = 250
_BYTE: Final = 255
#: How many moves `credit` tells apart, for each player.
CREDITS: Final = 1 << 12
#: In place of a utility: the game is not over.
UNFINISHED: Final = 1 << 40
#: More than any utility.
MOST_WORTH: Final = 1 << 30
#: The fault for a position without a move that leaves the board as it is.
NO_PASS: Final = 101
#: In place of a ply: an answer depends on no earlier board.
NEVER: Final = 1 << 30

#: The columns of the table; after them come the words of the two sets of bits.
KEY: Final = 0
DATA: Final = 1
BITS: Final = 2
#: How many entries there are to choose from for a position.
BUCKET: Final = 4


@dataclass(slots=True, kw_only=True)
class Demand:
    """What is to be forced."""

    prover: Word = 0  # the player who wants the utility,
    at_least: Word = 0  # and how much of it, to that player
    strict: Word = 0  # whether a no must hold on every path, or is a guess


class Path(NamedTuple):
    """The plies from the position asked about to the one that is searched, a row for each."""

    boards: Any  # their words
    hashes: Any  # of each board
    common: Any  # the bits that all boards have which the winner's moves lead to below it,
    any: Any  # and those that some of them have
    depends: Any  # the first ply whose board the answer depends on


def plies_of(data: int) -> int:
    """Within how many plies the answer holds."""
    return data & _BYTE


def move_of(data: int) -> int:
    """The lowest 16 bits of the winner's move."""
    return data >> 8 & 0xFFFF


def effort_of(data: int) -> int:
    """The logarithm of how many nodes an answer took; 0 where there is no entry."""
    return data >> 24 & _BYTE


def worth_of(data: int) -> int:
    """What the prover can force, for a yes; what the prover cannot force, for a no."""
    return data >> 32


def packed(worth: int, nodes: int, move: int, plies: int) -> int:
    """An entry's data."""
    return worth << 32 | (msb(nodes) + 1) << 24 | (move & 0xFFFF) << 8 | plies


# Boards.


def write_board(s: Any, ply: int, path: Path) -> None:
    """Note a position's board as that of a ply."""
    for i, bits in enumerate(superko(s)):
        path.boards[ply, i] = bits
    write_hash(ply, path)


def write_hash(ply: int, path: Path) -> None:
    """Note the hash of the board of a ply."""
    h = 0
    for i in range(path.boards.shape[1]):
        h = mix(add(h, GOLDEN) ^ wrap(path.boards[ply, i]))
    path.hashes[ply] = h


def same_board(one: int, other: int, path: Path) -> bool:
    """Whether two plies have the same board."""
    if path.hashes[one] != path.hashes[other]:
        return False
    same = True
    for i in range(path.boards.shape[1]):
        same = same and path.boards[one, i] == path.boards[other, i]
    return same


def barred_by(ply: int, path: Path) -> int:
    """The ply whose board bars the move to this one; NEVER if it is legal.

    A move that leaves the board as it is, a pass, is never barred.
    """
    if same_board(ply, ply - 1, path):
        return NEVER
    for before in range(ply - 2, -1, -1):
        if same_board(ply, before, path):
            return before
    return wrap(NEVER)


def clear_below(ply: int, path: Path) -> None:
    """No boards below a ply, and nothing that they depend on."""
    for i in range(path.boards.shape[1]):
        path.common[ply, i] = -1
        path.any[ply, i] = 0
    path.depends[ply] = NEVER


def include_below(ply: int, path: Path) -> None:
    """Add what is below the next ply."""
    for i in range(path.boards.shape[1]):
        path.common[ply, i] &= path.common[ply + 1, i]
        path.any[ply, i] |= path.any[ply + 1, i]
    path.depends[ply] = min(path.depends[ply], path.depends[ply + 1])


def include_board(ply: int, path: Path) -> None:
    """Add the board of the next ply, which a winner's move leads to."""
    for i in range(path.boards.shape[1]):
        path.common[ply, i] &= path.boards[ply + 1, i]
        path.any[ply, i] |= path.boards[ply + 1, i]


# The table.


def bucket_of(hashed: int, table: Any) -> int:
    """Where the entries for a position begin."""
    return (lsr(hashed, 32) * (len(table) // BUCKET) >> 32) * BUCKET


def entry_of(hashed: int, key: int, table: Any) -> int:
    """The entry with this key in the bucket of a position; -1 if there is none."""
    at = bucket_of(hashed, table)
    for i in range(at, at + BUCKET):
        if table[i, KEY] == key:
            return i
    return -1


def holds_here(entry: int, ply: int, path: Path, table: Any) -> bool:
    """Whether no earlier board can bar a winner's move of an entry."""
    words = path.boards.shape[1]
    for before in range(ply):
        fits = True
        for i in range(words):
            board = path.boards[before, i]
            common, some = table[entry, BITS + i], table[entry, BITS + words + i]
            if common & ~board != 0 or board & ~some != 0:
                fits = False
                break
        if fits and not same_board(before, ply, path):
            return False
    return True


def recall(entry: int, ply: int, path: Path, table: Any) -> None:
    """Take over which boards are below the position of an entry."""
    words = path.boards.shape[1]
    for i in range(words):
        path.common[ply, i] = table[entry, BITS + i]
        path.any[ply, i] = table[entry, BITS + words + i]


def keep(data: int, hashed: int, key: int, ply: int, path: Path, table: Any) -> None:
    """Keep an answer in place of the position's old one, or of one that took the least work."""
    place = entry_of(hashed, key, table)
    if place < 0:
        at = bucket_of(hashed, table)
        place = at
        for i in range(at + 1, at + BUCKET):
            if effort_of(table[i, DATA]) < effort_of(table[place, DATA]):
                place = i
    words = path.boards.shape[1]
    table[place, KEY] = key
    table[place, DATA] = data
    for i in range(words):
        table[place, BITS + i] = path.common[ply, i]
        table[place, BITS + words + i] = path.any[ply, i]


# The search.


def sure_of(s: Any, demand: Demand) -> tuple[int, int]:
    """What the prover is sure of by the rules alone, and the most that the prover can hope for."""
    low, high = assured(s)
    return (-high, -low) if demand.prover == MIN else (low, high)


def worth_to_prover(s: Any, demand: Demand) -> int:
    """A finished game's utility to the prover."""
    value = wrap(utility(s))
    return value if demand.prover == MAX else -value


def key_of(s: Any, demand: Demand) -> int:
    """The table's key for a position and a prover, whatever is demanded."""
    return mix(add(position_key(s), demand.prover))


def guess_key(s: Any, demand: Demand) -> int:
    """The key for a guess, which positions that are symmetric to each other share."""
    return mix(add(shared_key(s), GOLDEN ^ demand.prover))


def ends_at_once(s: Any, a: Action, row: Any, demand: Demand, control: Control) -> int:
    """What the prover gets if a move ends the game; UNFINISHED if it does not."""
    t = result(s, a)
    return worth_to_prover(t, demand) if is_over(t, row, control) else wrap(UNFINISHED)


def slot(mover: int, a: Action) -> int:
    """Where the credit of a player's move is."""
    return mover * CREDITS + (a & CREDITS - 1)


def next_move(i: int, n: int, mover: int, stored: int, row: Any, credit: Any) -> Action:
    """Bring the most promising of the moves from `i` on to the front, and return it."""
    best, most = i, wrap(-1)
    for j in range(i, n):
        a = wrap(row[j])
        worth = credit[slot(mover, a)]
        if is_move(a, stored):
            worth = 1 << 62
        if worth > most:
            best, most = j, worth
    a = wrap(row[best])
    row[best] = row[i]
    row[i] = a
    return a


def forces(
    s: Any,
    plies: int,
    ply: int,
    rows: Any,
    path: Path,
    credit: Any,
    table: Any,
    demand: Demand,
    control: Control,
) -> int:
    """What the prover can force from `s` within `plies`, if it is as much as demanded.

    Less than demanded is a no. Where the search is stopped, that says nothing.
    """
    # Step 1. Limits, and what the rules or the table say already.
    at_least = demand.at_least
    failed = at_least - 1
    control.nodes += 1
    control.longest = max(control.longest, ply)
    if is_stopped(control):
        return failed
    clear_below(ply, path)
    if HAS_ASSURED:
        low, high = sure_of(s, demand)
        if low >= at_least:
            return low
        if high < at_least:
            return failed
    row = rows[ply]
    n = list_sufficient(s, row, control)
    if n == 0:
        return min(worth_to_prover(s, demand), MOST_WORTH)
    if plies == 0:
        return failed
    mover = player(s)
    proving = mover == demand.prover
    last = ends_at_once(s, row[n - 1], rows[ply + 1], demand, control)
    if last != UNFINISHED and (last >= at_least) == proving:
        return last

    # Step 2. What the table knows.
    hashed = key_of(s, demand)
    yes, no = hashed, ~hashed
    control.probes += 1
    move = wrap(NO_MOVE)
    entry = entry_of(hashed, no, table)
    if entry >= 0:
        data = wrap(table[entry, DATA])
        move = move_of(data)
        is_answer = plies_of(data) >= plies and worth_of(data) <= at_least
        if demand.strict and is_answer and holds_here(entry, ply, path, table):
            control.hits += 1
            recall(entry, ply, path, table)
            return failed
    entry = entry_of(hashed, yes, table)
    if entry >= 0:
        data = wrap(table[entry, DATA])
        move = move_of(data)
        is_answer = plies_of(data) <= plies and worth_of(data) >= at_least
        if is_answer and holds_here(entry, ply, path, table):
            control.hits += 1
            recall(entry, ply, path, table)
            return worth_of(data)
    guessed = wrap(0)
    if demand.strict == 0:
        guessed = guess_key(s, demand)
        entry = entry_of(guessed, guessed, table)
        if entry >= 0:
            data = wrap(table[entry, DATA])
            if plies_of(data) >= plies and worth_of(data) <= at_least:
                control.hits += 1
                return failed

    # Step 3. Where the prover moves one move is enough; elsewhere every move has to do.
    nodes_before = control.nodes
    worth = failed if proving else wrap(MOST_WORTH)
    may_pass = False
    for i in range(n):
        a = next_move(i, n, mover, move, row, credit)
        t = result(s, a)
        write_board(t, ply + 1, path)
        bar = barred_by(ply + 1, path)
        if bar != NEVER:
            path.depends[ply] = min(path.depends[ply], bar)
            continue
        may_pass = may_pass or same_board(ply, ply + 1, path)
        found = forces(t, plies - 1, ply + 1, rows, path, credit, table, demand, control)
        if is_stopped(control):
            return failed
        if (found >= at_least) == proving:  # the answer depends on this move alone
            clear_below(ply, path)
            include_below(ply, path)
            include_board(ply, path)
            worth, move, may_pass = found, a, True
            credit[slot(mover, a)] += plies * plies
            break
        include_below(ply, path)
        if not proving:
            worth = min(worth, found)
    if not may_pass:
        stop_for(NO_PASS, ply, control)
        return failed

    # Step 4. Keep the answer if it holds on every path.
    if path.depends[ply] >= ply:
        path.depends[ply] = NEVER
    nodes = control.nodes - nodes_before + 1
    if worth >= at_least:
        if path.depends[ply] == NEVER:
            keep(packed(worth, nodes, move, plies), hashed, yes, ply, path, table)
    else:
        data = packed(at_least, nodes, move, plies)
        if demand.strict == 0:
            keep(data, guessed, guessed, ply, path, table)
        elif path.depends[ply] == NEVER:
            keep(data, hashed, no, ply, path, table)
    return worth


def forces_from(
    words: tuple[int, ...],
    earlier: int,
    moves: Any,
    plies: int,
    rows: Any,
    path: Path,
    credit: Any,
    table: Any,
    demand: Boxed[Demand],
    control: Boxed[Control],
) -> int:
    """The entry: `forces` after some moves from a state given as words.

    The path begins with so many boards of the game before that.
    """
    s, ply = state(words), earlier
    for before in range(earlier):
        write_hash(before, path)
    write_board(s, ply, path)
    for a in moves:
        s, ply = result(s, a), ply + 1
        write_board(s, ply, path)
    return forces(s, plies, ply, rows, path, credit, table, demand[0], control[0])


def recalled_move(words: tuple[int, ...], moves: Any, table: Any, demand: Boxed[Demand]) -> int:
    """The entry: the move that forces what is demanded after some moves, if the table has one."""
    s = state(words)
    for a in moves:
        s = result(s, a)
    hashed = key_of(s, demand[0])
    entry = entry_of(hashed, hashed, table)
    return move_of(table[entry, DATA]) if entry >= 0 else wrap(NO_MOVE)
