"""Liar's dice: each player has one die that only they see, and bids what both show together.

A game with hidden information: `observe` says what a player knows, and `deal` draws a position that
they cannot rule out. A bid says how many dice show a face at least; it must be higher than the last
one: more dice, or as many with a higher face. The highest face counts as any. Whoever does not
believe the last bid says "liar": if it was true, the bidder wins.

Bids only ever rise, so a set of them tells their order (here 3 faces):

    bit      5   4   3 |  2   1   0
    bid     2x3 2x2 2x1| 1x3 1x2 1x1

    threefold solve "examples/liars_dice.py(faces=3)"
    threefold play examples/liars_dice.py
"""

from typing import NamedTuple

from threefold import CHANCE, Game
from threefold.rules.bits import lsr, mix

NOT_ROLLED = 0
NO_BID = -1


class State(NamedTuple):
    first: int  # the players' dice; 0 before a die is rolled, and where it is not seen
    second: int
    bids: int
    called: int  # 1 once somebody has said "liar"
    turn: int


def liars_dice(faces: int = 4) -> Game[State]:
    """Bid how many of two hidden dice show a face, or call the last bid a lie."""
    if not 2 <= faces <= 20:
        raise ValueError(f"faces={faces} is not from 2 to 20")
    all_bids = 2 * faces
    liar = all_bids

    def initial():
        return State(NOT_ROLLED, NOT_ROLLED, 0, 0, CHANCE)

    def outcomes(_, out, weight):
        for face in range(1, faces + 1):
            out[face - 1] = face
            weight[face - 1] = 1
        return faces

    def last_bid(bids):
        bid = NO_BID
        while bids:
            bids >>= 1
            bid += 1
        return bid

    def actions(s, out):
        if s.called:
            return 0
        n = 0
        for bid in range(last_bid(s.bids) + 1, all_bids):
            out[n] = bid
            n += 1
        if s.bids:
            out[n] = liar
            n += 1
        return n

    def result(s, a):
        if s.first == NOT_ROLLED:
            return State(a, NOT_ROLLED, 0, 0, CHANCE)
        if s.second == NOT_ROLLED:
            return State(s.first, a, 0, 0, 0)
        if a == liar:
            return State(s.first, s.second, s.bids, 1, 1 - s.turn)
        return State(s.first, s.second, s.bids | 1 << a, 0, 1 - s.turn)

    def utility(s):
        """It is the bidder's turn again, who wins if the bid was true."""
        bid = last_bid(s.bids)
        wanted, face = bid // faces + 1, bid % faces + 1
        shown = (s.first in (face, faces)) + (s.second in (face, faces))
        return 1 if (shown >= wanted) == (s.turn == 0) else -1

    # What is hidden.

    def observe(s, p):
        own = s.first if p == 0 else s.second
        return own, s.bids, s.called, s.turn

    def deal(s, p, seed):
        """The other die may show anything; the bids said so far prove nothing."""
        if s.second == NOT_ROLLED:
            return s
        face = 1 + lsr(mix(seed), 1) % faces
        if p == 0:
            return State(s.first, face, s.bids, s.called, s.turn)
        return State(face, s.second, s.bids, s.called, s.turn)

    def as_seen(s, p):
        return s._replace(second=NOT_ROLLED) if p == 0 else s._replace(first=NOT_ROLLED)

    # Text: `3 2 1x1 2x3 liar` is both dice, then what was said.

    def move_text(a):
        return "liar" if a == liar else f"{a // faces + 1}x{a % faces + 1}"

    def format_move(s, a):
        return f"die-{a}" if s.turn == CHANCE else move_text(a)

    def said(s):
        bids = [move_text(bid) for bid in range(all_bids) if s.bids >> bid & 1]
        return [*bids, "liar"] if s.called else bids

    def format_position(s):
        return " ".join([*(str(die) if die else "?" for die in (s.first, s.second)), *said(s)])

    def parse(text):
        s = initial()
        for word in text.split():
            if word != "?":
                row = [0] * (all_bids + 1)
                count = outcomes(s, row, row[:]) if s.turn == CHANCE else actions(s, row)
                legal = {format_move(s, a).removeprefix("die-"): a for a in row[:count]}
                if word not in legal and s.turn == CHANCE and "?" in text:
                    raise ValueError("a die is hidden; a position has both: 3 2 1x1 2x3")
                if word not in legal:
                    raise ValueError(f"{word} is not one of {', '.join(legal) or 'nothing'}")
                s = result(s, legal[word])
        if format_position(s) != text:
            raise ValueError("write both dice, then what was said: 3 2 1x1 2x3")
        return s

    def render(s):
        dice = f"first player: {s.first or '?'}, second player: {s.second or '?'}"
        return f"{dice}; {', '.join(said(s)) or 'nothing was said yet'}"

    return Game(
        f"Liar's dice with {faces} faces",
        initial=initial,
        outcomes=outcomes,
        actions=actions,
        result=result,
        utility=utility,
        observe=observe,
        deal=deal,
        as_seen=as_seen,
        parse=parse,
        format=format_position,
        format_move=format_move,
        render=render,
        max_moves=all_bids + 1,
        max_ply=all_bids + 3,
        move_range=all_bids + 1,
    )
