"""The rules of small pokers: one hidden card each, an ante of one chip, and rounds of betting.

Nature deals a card to MAX, one to MIN and, in a game of two rounds, one to the table after the
first of them. MAX begins every round. A round is over once a bet has been called, or both have
checked; whoever folds loses what they have paid so far.

The moves of a round are packed into one word, two bits each, the first one lowest:

    betting    … | third | second | first        0 is no move, else the move plus 1
    bits          4…      2…       0…

So a check and a call are the same move, and so are a bet and a raise. A chance event is a card.
"""

from typing import NamedTuple

from threefold.games.poker.features import features
from threefold.games.poker.variant import Variant
from threefold.rules.bits import lsr, mix
from threefold.rules.contract import CHANCE, MAX, MIN, Player, Row
from threefold.rules.records import Assumptions, RuleHooks

FOLD, CALL, RAISE = range(3)
ANTE = 1
#: A card that has not been dealt, and, in a picture only, one that is face down.
NOT_DEALT, FACE_DOWN = 0, -1


class State(NamedTuple):
    """The cards, the betting of both rounds, and whose turn it is."""

    first: int  # MAX's card
    second: int  # MIN's card
    table: int
    betting: int  # of the first round
    later: int  # of the second round
    turn: int


def length(betting: int) -> int:
    """How many moves were made in a round."""
    n = 0
    while betting >> 2 * n:
        n += 1
    return n


def raises(betting: int) -> int:
    """How many of them were bets or raises."""
    n = 0
    while betting:
        if betting & 3 == RAISE + 1:
            n += 1
        betting >>= 2
    return n


def last_move(betting: int) -> int:
    """The latest move of a round; -1 if there is none."""
    n = length(betting)
    return (betting >> 2 * (n - 1)) - 1 if n > 0 else -1


def is_closed(betting: int) -> bool:
    """Whether a round is over, and nobody has folded."""
    return length(betting) > 1 and last_move(betting) == CALL


def rules(variant: Variant) -> RuleHooks:
    """The hooks of a poker."""
    cards, copies, most_raises = variant.cards, variant.copies, variant.most_raises
    small, large = variant.bets[0], variant.bets[-1]
    two_rounds = len(variant.bets) == 2

    def initial() -> State:
        return State(NOT_DEALT, NOT_DEALT, NOT_DEALT, 0, 0, CHANCE)

    def current(s: State) -> int:
        """The betting of the round that is being played."""
        return s.later if s.table != NOT_DEALT else s.betting

    def outcomes(s: State, out: Row, weight: Row) -> int:
        n = 0
        for card in range(1, cards + 1):
            if card not in (s.first, s.second):
                out[n] = card
                weight[n] = 1
                n += 1
        return n

    def is_terminal(s: State) -> bool:
        betting = current(s)
        return last_move(betting) == FOLD or (
            is_closed(betting) and (s.table != NOT_DEALT or not two_rounds)
        )

    def actions(s: State, out: Row) -> int:
        if is_terminal(s):
            return 0
        n = 0
        betting = current(s)
        if last_move(betting) == RAISE:
            out[n] = FOLD
            n += 1
        out[n] = CALL
        n += 1
        if raises(betting) < most_raises:
            out[n] = RAISE
            n += 1
        return n

    def result(s: State, a: int) -> State:
        if s.turn == CHANCE:
            if s.first == NOT_DEALT:
                return State(a, NOT_DEALT, NOT_DEALT, 0, 0, CHANCE)
            if s.second == NOT_DEALT:
                return State(s.first, a, NOT_DEALT, 0, 0, MAX)
            return State(s.first, s.second, a, s.betting, 0, MAX)
        betting = current(s)
        added = betting | a + 1 << 2 * length(betting)
        other = MIN if s.turn == MAX else MAX
        if s.table != NOT_DEALT:
            return State(s.first, s.second, s.table, s.betting, added, other)
        if two_rounds and is_closed(added):
            other = CHANCE
        return State(s.first, s.second, NOT_DEALT, added, 0, other)

    def strength(card: int, table: int) -> int:
        """A pair with the table's card beats any other card; then the higher rank wins."""
        rank = (card - 1) // copies
        pair = table != NOT_DEALT and (table - 1) // copies == rank
        return rank + cards if pair else rank

    def utility(s: State) -> int:
        """What the loser has paid, in chips."""
        stake = ANTE + small * raises(s.betting) + large * raises(s.later)
        if last_move(current(s)) == FOLD:
            # It is the other one's turn again, who wins all but the last raise.
            lost = stake - (large if s.table != NOT_DEALT else small)
            return lost if s.turn == MAX else -lost
        mine, theirs = strength(s.first, s.table), strength(s.second, s.table)
        if mine == theirs:
            return 0
        return stake if mine > theirs else -stake

    def observe(s: State, p: Player) -> tuple[int, ...]:
        """One's own card and whatever lies on the table; who has been dealt one is no secret."""
        own = s.first if p == MAX else s.second
        return own, s.table, s.betting, s.later, s.turn

    def deal(s: State, p: Player, seed: int) -> State:
        """Each card that is not in sight is as likely to be the opponent's as any other."""
        own = s.first if p == MAX else s.second
        left = cards - (1 if s.table == NOT_DEALT else 2)
        at = lsr(mix(seed), 1) % left
        hidden = 0
        for card in range(1, cards + 1):
            if card not in (own, s.table):
                if at == 0:
                    hidden = card
                at -= 1
        if NOT_DEALT in (s.first, s.second):
            return s
        if p == MAX:
            return State(own, hidden, s.table, s.betting, s.later, s.turn)
        return State(hidden, own, s.table, s.betting, s.later, s.turn)

    return {
        "initial": initial,
        "actions": actions,
        "result": result,
        "utility": utility,
        "is_terminal": is_terminal,
        "outcomes": outcomes,
        "observe": observe,
        "features": features(cards),
        "assumptions": Assumptions(deal=deal),
        "max_moves": max(cards, RAISE + 1),
        "max_ply": len(variant.bets) * (most_raises + 2) + len(variant.bets) + 1,
        "move_range": max(cards, RAISE) + 1,
    }
