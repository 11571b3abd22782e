"""The rules of bridge as people play it: nature deals, then an auction, then thirteen tricks.

North-South is MAX. Nature deals the pack from the two of clubs to the ace of spades: an event is
the seat that gets the next card, and its weight how many cards the seat still lacks. So all deals
are equally likely.

The declarer plays dummy's cards: `to_act` is the hand that a card comes from, `seat` who decides.
"""

from collections.abc import Callable

from threefold.games.bridge.cards import CARDS, IN_A_SUIT, SEATS, SUIT
from threefold.games.bridge.position import hand_of, suit_of
from threefold.games.contract_bridge.calls import (
    ALL_PASS,
    BIDS,
    BIDS_A_WORD,
    BITS_A_BID,
    DOUBLE,
    DOUBLED_AT,
    FIRST_BID,
    LAST_PASS,
    MADE,
    MOVES,
    PASS,
    PASSES_AT,
    REDOUBLE,
    REDOUBLED_AT,
    TWO_BITS,
)
from threefold.games.contract_bridge.dealing import deal
from threefold.games.contract_bridge.position import (
    BITS_A_CARD,
    CARDS_A_TRICK,
    CARDS_A_WORD,
    DECLARER_BIT,
    DOUBLED_BIT,
    LONGEST_AUCTION,
    State,
    after_bid,
    bid_of,
    bid_words,
    card_at,
    contract_of,
    declarer_in,
    declarer_of,
    doubled_in,
    dummy_in,
    in_play,
    in_trick,
    lead_after,
    level_in,
    play_words,
    strain_in,
    winner_of,
)
from threefold.games.contract_bridge.scoring import DOUBLED, REDOUBLED, score
from threefold.rules.bits import lsb, pop_lowest, popcount
from threefold.rules.contract import CHANCE, Row
from threefold.rules.records import Assumptions, RuleHooks


def vulnerable_side(sides: int, seat: int) -> int:
    """Whether the side of a seat is among the vulnerable ones: bit 0 North-South, 1 East-West."""
    return sides >> (seat & 1) & 1


def scorer(vulnerable: int) -> Callable[[int, int], int]:
    """What North-South score in a contract for so many tricks of theirs."""

    def score_of(contract: int, won: int) -> int:
        declarer = declarer_in(contract)
        tricks = won if declarer & 1 == 0 else IN_A_SUIT - won
        points = score(
            level_in(contract),
            strain_in(contract),
            doubled_in(contract),
            vulnerable_side(vulnerable, declarer),
            tricks,
        )
        return points if declarer & 1 == 0 else -points

    return score_of


def rules(dealer: int, vulnerable: int, given: int) -> RuleHooks:
    """The hooks for a dealer, the vulnerable sides, and the contract if it is given, else 0."""
    score_of = scorer(vulnerable)
    first_to_act = dealer if given == 0 else lead_after(given)

    def initial() -> State:
        return State(0, 0, 0, 0, 0, dealer, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)

    def player(s: State) -> int:
        """North and South play for MAX, East and West for MIN."""
        return CHANCE if s.dealt < CARDS else s.to_act & 1

    def seat(s: State) -> int:
        """Who decides: the declarer also for dummy."""
        if in_play(s) and s.to_act == dummy_in(s.contract):
            return declarer_in(s.contract)
        return s.to_act

    def is_terminal(s: State) -> bool:
        return s.played == CARDS or s.first_passes == ALL_PASS

    def outcomes(s: State, out: Row, weight: Row) -> int:
        n = 0
        for i in range(4):
            room = IN_A_SUIT - popcount(hand_of(s, i))
            if room > 0:
                out[n] = i
                weight[n] = room
                n += 1
        return n

    def passes(s: State) -> int:
        """How many passes there were since the last other call."""
        if s.contract == 0:
            return s.first_passes
        return after_bid(s, bid_of(s.contract)) >> PASSES_AT & TWO_BITS

    def calls(s: State, out: Row) -> int:
        out[0] = PASS
        n = 1
        doubled = doubled_in(s.contract)
        if s.contract != 0:
            theirs = (s.to_act ^ declarer_in(s.contract)) & 1
            if doubled == 0 and theirs:
                out[n] = DOUBLE
                n += 1
            if doubled == DOUBLED and not theirs:
                out[n] = REDOUBLE
                n += 1
        for bid in range(bid_of(s.contract) + 1, BIDS):
            out[n] = FIRST_BID + bid
            n += 1
        return n

    def playable(s: State) -> int:
        """The cards that may be played: of the suit led, if the hand has any."""
        hand = hand_of(s, s.to_act)
        if in_trick(s) > 0:
            led = suit_of(card_at(s, s.played - in_trick(s)))
            following = hand & SUIT << IN_A_SUIT * led
            if following != 0:
                return following
        return hand

    def actions(s: State, out: Row) -> int:
        if is_terminal(s):
            return 0
        if not in_play(s):
            return calls(s, out)
        cards = playable(s)
        n = 0
        while cards != 0:
            out[n] = lsb(cards)
            cards = pop_lowest(cards)
            n += 1
        return n

    def result(s: State, a: int) -> State:
        if s.dealt < CARDS:
            return dealt_to(s, a)
        return card_played(s, a) if in_play(s) else called(s, a)

    def dealt_to(s: State, to: int) -> State:
        """The next card of the pack goes to a seat; after the last one the auction begins."""
        card, n = 1 << s.dealt, s.dealt + 1
        return State(
            s.north | (card if to == 0 else 0),
            s.east | (card if to == 1 else 0),
            s.south | (card if to == 2 else 0),
            s.west | (card if to == 3 else 0),
            n,
            first_to_act if n == CARDS else dealer,
            0,
            0,
            0,
            0,
            0,
            given if n == CARDS else 0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
        )

    def called(s: State, a: int) -> State:
        """A call; the third pass after a bid settles the contract."""
        turn = s.to_act + 1 & 3
        if s.contract == 0 and a == PASS:
            return told(s, turn, s.first_passes + 1, 0, 0, 0)
        last = bid_of(s.contract)
        if a == PASS:
            contract = s.contract
            if passes(s) == LAST_PASS - 1:
                declarer = declarer_of(s, dealer)
                contract = contract_of(last, doubled_in(s.contract), declarer)
                turn = lead_after(contract)
            return told(s, turn, s.first_passes, contract, last, 1 << PASSES_AT)
        if a in (DOUBLE, REDOUBLE):
            # The passes since the bid, or the double, now stand before this call.
            before, at = passes(s), DOUBLED_AT if a == DOUBLE else REDOUBLED_AT
            change = (before + 1 << at) - (before << PASSES_AT)
            doubled = DOUBLED if a == DOUBLE else REDOUBLED
            rest = s.contract & ~(TWO_BITS << DOUBLED_BIT)
            return told(s, turn, s.first_passes, rest | doubled << DOUBLED_BIT, last, change)
        bid = a - FIRST_BID
        return told(s, turn, s.first_passes, s.to_act << DECLARER_BIT | bid + 1, bid, MADE)

    def told(s: State, turn: int, first: int, contract: int, bid: int, change: int) -> State:
        """The position after a call, with a change to what followed a bid."""
        word, added = bid // BIDS_A_WORD, change << bid % BIDS_A_WORD * BITS_A_BID
        return State(
            s.north,
            s.east,
            s.south,
            s.west,
            s.dealt,
            turn,
            first,
            s.bids0 + (added if word == 0 else 0),
            s.bids1 + (added if word == 1 else 0),
            s.bids2 + (added if word == 2 else 0),
            s.bids3 + (added if word == 3 else 0),
            contract,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
        )

    def card_played(s: State, card: int) -> State:
        rest = ~(1 << card)
        word, at = s.played // CARDS_A_WORD, s.played % CARDS_A_WORD * BITS_A_CARD
        added = card << at
        after = State(
            s.north & rest,
            s.east & rest,
            s.south & rest,
            s.west & rest,
            s.dealt,
            s.to_act + 1 & 3,
            s.first_passes,
            s.bids0,
            s.bids1,
            s.bids2,
            s.bids3,
            s.contract,
            s.played + 1,
            s.plays0 | (added if word == 0 else 0),
            s.plays1 | (added if word == 1 else 0),
            s.plays2 | (added if word == 2 else 0),
            s.plays3 | (added if word == 3 else 0),
            s.plays4 | (added if word == 4 else 0),
            s.plays5 | (added if word == 5 else 0),
            s.won,
        )
        if in_trick(after) > 0:
            return after
        winner = winner_of(after, after.played - CARDS_A_TRICK, after.to_act)
        return State(
            after.north,
            after.east,
            after.south,
            after.west,
            after.dealt,
            winner,
            after.first_passes,
            after.bids0,
            after.bids1,
            after.bids2,
            after.bids3,
            after.contract,
            after.played,
            after.plays0,
            after.plays1,
            after.plays2,
            after.plays3,
            after.plays4,
            after.plays5,
            after.won + 1 - (winner & 1),
        )

    def utility(s: State) -> int:
        """The score of North-South; none if all passed."""
        return 0 if s.contract == 0 else score_of(s.contract, s.won)

    def observe(s: State, p: int) -> tuple[int, ...]:
        """The own hand, dummy's once the lead is made, the auction, and the cards played."""
        dummy = 0
        if in_play(s) and s.played > 0:
            dummy = hand_of(s, dummy_in(s.contract))
        known = hand_of(s, p), dummy, s.dealt, s.first_passes, s.contract, s.played
        return known + bid_words(s) + play_words(s)

    return {
        "initial": initial,
        "actions": actions,
        "result": result,
        "utility": utility,
        "player": player,
        "is_terminal": is_terminal,
        "outcomes": outcomes,
        "observe": observe,
        "assumptions": Assumptions(deal=deal, seat=seat, seats=len(SEATS)),
        "max_moves": BIDS + 1,
        "max_ply": CARDS + LONGEST_AUCTION + CARDS,
        "move_range": MOVES,
    }
