"""Which move to look at first: alpha-beta cuts best where the best move comes early.

    the table's move    what was best here before
    noisy moves         by the game's own `order`
    quiet moves         by the game's `order`; ties are broken by the killers first, which refuted a
                        sister of this position, then the counter-move, which refuted the other
                        side's last move elsewhere, then by how well they have done so far

A game's own order of quiet moves knows more than their statistics do: with killers first, Othello
and Connect Four take four times as many nodes.

A quiet move's history goes up where it refutes a position and down where it was tried before the
move that did (malus), each by the square of the depth, pulled back toward zero the larger it is.
"""

from typing import Any, Final

from threefold.engine.listing import list_noisy
from threefold.engine.memory import Memory, Ply, clear_marks, is_marked, mark, move_slot
from threefold.engine.table import is_move
from threefold.rules.contract import HAS_NOISY, HAS_ORDER, Player, order

_TABLE_MOVE: Final = 1 << 60
_NOISY: Final = 1 << 58
#: A game's guesses are in its own units; each of them outweighs all statistics.
_GUESS: Final = 1 << 18
_GUESS_LIMIT: Final = 1 << 38
_KILLER: Final = 1 << 16
_COUNTER: Final = 1 << 15
#: A move's history stays within about ± this.
_HISTORY_LIMIT: Final = 1 << 14


def guessed_order(s: Any, a: int) -> int:
    """The game's guess at a move, clamped."""
    if HAS_ORDER:
        return min(max(order(s, a), -_GUESS_LIMIT), _GUESS_LIMIT)
    return 0


def score_moves(
    s: Any, n: int, ply: int, mover: Player, stored: int, last: int, guess: bool, memory: Memory
) -> None:
    """Give each of the `n` moves of a ply a score; with `guess`, also ask the game's `order`."""
    here = memory.plies[ply]
    if HAS_NOISY:
        clear_marks(memory)
        noisy_moves = memory.plies[ply + 1].moves
        for i in range(list_noisy(s, noisy_moves, memory)):
            mark(noisy_moves[i], memory)
    for i in range(n):
        a = here.moves[i]
        score = _GUESS * guessed_order(s, a) if guess else 0
        noisy = HAS_NOISY and is_marked(a, memory)
        if is_move(a, stored):
            score = _TABLE_MOVE + noisy
        elif noisy:
            score += _NOISY
        elif a + 1 == here.killers[0]:
            score += _KILLER + 1
        elif a + 1 == here.killers[1]:
            score += _KILLER
        elif last >= 0 and a + 1 == memory.answers[mover][move_slot(last)]:
            score += _COUNTER
        else:
            score += memory.history[mover][move_slot(a)]
        here.scores[i] = score


def bring_best(at: int, end: int, here: Ply) -> int:
    """Put the best of the moves in `at` … `end` first and return its score."""
    best = at
    for i in range(at + 1, end):
        if here.scores[i] > here.scores[best]:
            best = i
    score = here.scores[best]
    if best != at:
        # The others keep their order, so that equal scores stay as the game lists them.
        a = here.moves[best]
        for i in range(best, at, -1):
            here.moves[i] = here.moves[i - 1]
            here.scores[i] = here.scores[i - 1]
        here.moves[at] = a
        here.scores[at] = score
    return score


def is_quiet(score: int) -> bool:
    """Whether a move with that score is quiet."""
    return score < _NOISY >> 1 or score == _TABLE_MOVE


def learn(ply: int, depth: int, mover: Player, last: int, tried: int, memory: Memory) -> None:
    """Reward the last move tried at a ply, which refuted the position; penalize the others."""
    here = memory.plies[ply]
    a = here.moves[tried - 1]
    if not is_quiet(here.scores[tried - 1]):
        return
    if here.killers[0] != a + 1:
        here.killers[1] = here.killers[0]
        here.killers[0] = a + 1
    if last >= 0:
        memory.answers[mover][move_slot(last)] = a + 1
    bonus = min(depth * depth, 400)
    _adjust(mover, a, bonus, memory)
    for i in range(tried - 1):
        if is_quiet(here.scores[i]):
            _adjust(mover, here.moves[i], -bonus, memory)


def _adjust(mover: Player, a: int, bonus: int, memory: Memory) -> None:
    before = memory.history[mover][move_slot(a)]
    change = 32 * bonus - before * abs(bonus) * 32 // _HISTORY_LIMIT
    memory.history[mover][move_slot(a)] = before + change
