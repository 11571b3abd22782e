"""Which move to look at first: alpha-beta cuts best where the best move comes early.

    the table's move    what was best here before
    noisy moves         by the game's own `order`
    quiet moves         by the game's `order`; among equals first the killers, which refuted a
                        sister of this position, then the counter-move, which refuted the other
                        side's last move elsewhere, then by how well they have done so far

A game that knows something of its quiet moves knows more than their statistics do: with killers
first, Othello and Connect Four take four times as many nodes.

A quiet move's history goes up where it refutes a position and down where it was tried before the
move that did (malus), each by the square of the depth, drawn back towards zero the larger it is.
"""

from typing import Any, Final

from threefold.engine.listing import list_noisy
from threefold.engine.memory import (
    Memory,
    counter_at,
    history_at,
    is_marked,
    killers_at,
    mark,
    moves_at,
    new_mark,
)
from threefold.engine.table import is_move
from threefold.rules.contract import HAS_NOISY, HAS_ORDER, MAX_MOVES, order

_TABLE_MOVE: Final = 1 << 60
_NOISY: Final = 1 << 58
#: A game's guesses are in units of its own; each of them outweighs all statistics.
_GUESS: Final = 1 << 18
_GUESS_LIMIT: Final = 1 << 38
_KILLER: Final = 1 << 16
_COUNTER: Final = 1 << 15
#: What a move's history tends to at the most.
_HISTORY_LIMIT: Final = 1 << 14


def guessed_order(s: Any, a: int) -> int:
    """The game's guess at a move, in bounds."""
    if HAS_ORDER:
        return min(max(order(s, a), -_GUESS_LIMIT), _GUESS_LIMIT)
    return 0


def score_moves(
    s: Any, n: int, ply: int, mover: int, stored: int, last: int, guess: bool, own: Memory
) -> None:
    """Give each of the `n` moves of a ply a score; `guess` asks the game's `order`, too."""
    first = moves_at(ply)
    killers = killers_at(ply)
    if HAS_NOISY:
        new_mark(own)
        below = moves_at(ply + 1)
        for i in range(below, below + list_noisy(s, own[below:], own)):
            mark(own[i], own)
    for i in range(first, first + n):
        a = own[i]
        score = _GUESS * guessed_order(s, a) if guess else 0
        noisy = HAS_NOISY and is_marked(a, own)
        if is_move(a, stored):
            score = _TABLE_MOVE + noisy
        elif noisy:
            score += _NOISY
        elif a == own[killers]:
            score += _KILLER + 1
        elif a == own[killers + 1]:
            score += _KILLER
        elif last >= 0 and a == own[counter_at(mover, last)] - 1:
            score += _COUNTER
        else:
            score += own[history_at(mover, a)]
        own[i + MAX_MOVES] = score


def bring_best(at: int, end: int, own: Memory) -> int:
    """Put the best of the moves in `at` … `end` first and return its score."""
    best = at
    for i in range(at + 1, end):
        if own[i + MAX_MOVES] > own[best + MAX_MOVES]:
            best = i
    score = own[best + MAX_MOVES]
    if best != at:
        # The others keep their order, so that equal scores stay as the game lists them.
        a = own[best]
        for i in range(best, at, -1):
            own[i] = own[i - 1]
            own[i + MAX_MOVES] = own[i + MAX_MOVES - 1]
        own[at] = a
        own[at + MAX_MOVES] = score
    return int(score)


def is_quiet(score: int) -> bool:
    """Whether a move of that score is no noisy one."""
    return score < _NOISY >> 1 or score == _TABLE_MOVE


def learn(ply: int, depth: int, mover: int, last: int, tried: int, own: Memory) -> None:
    """The last of the moves tried at a ply refuted the position: remember it, blame the others."""
    first = moves_at(ply)
    a = own[first + tried - 1]
    if not is_quiet(own[first + tried - 1 + MAX_MOVES]):
        return
    killers = killers_at(ply)
    if own[killers] != a:
        own[killers + 1] = own[killers]
        own[killers] = a
    if last >= 0:
        own[counter_at(mover, last)] = a + 1
    bonus = min(depth * depth, 400)
    _adjust(history_at(mover, a), bonus, own)
    for i in range(first, first + tried - 1):
        if is_quiet(own[i + MAX_MOVES]):
            _adjust(history_at(mover, own[i]), -bonus, own)


def _adjust(at: int, bonus: int, own: Memory) -> None:
    own[at] += 32 * bonus - own[at] * abs(bonus) * 32 // _HISTORY_LIMIT
