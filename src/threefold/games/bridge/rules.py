"""The rules of bridge's card play, with all hands open: double dummy.

`cards` shows how cards are numbered, and `position` how a position is words.
"""

from threefold.games.bridge.cards import CARDS, IN_A_SUIT
from threefold.games.bridge.ordering import ordering
from threefold.games.bridge.partition import details, forgetting, gist, matter
from threefold.games.bridge.position import (
    PER_CARD,
    State,
    beats,
    best_place,
    card_in,
    in_play,
    playable,
    played,
    seat_to_play,
    start,
    tricks_left,
)
from threefold.games.bridge.sure_tricks import sure_tricks
from threefold.rules.bits import add, mix, popcount
from threefold.rules.contract import FINISHED, MAX, Row
from threefold.rules.records import Assumptions, RuleHooks

#: In the evaluation a trick is worth as much as at the end, and 40 high-card points 13 tricks.
TRICK = FINISHED
HONOR = 13 * TRICK // 40
#: What honors count for: ace 4, king 3, queen 2, jack 1.
_HONORS = tuple(
    (1 << IN_A_SUIT * suit + IN_A_SUIT - 5 + n, n) for suit in range(4) for n in (4, 3, 2, 1)
)
_HONORS_OF = {n: sum(bit for bit, points in _HONORS if points == n) for n in (4, 3, 2, 1)}
_ACES, _KINGS, _QUEENS, _JACKS = (_HONORS_OF[n] for n in (4, 3, 2, 1))


def rules(strain: int, hands: tuple[int, ...], first_leader: int) -> RuleHooks:
    """The hooks for a strain, 0 to 3 the trump suit and 4 none, from a deal."""

    def initial() -> State:
        return start(hands, first_leader)

    def actions(s: State, out: Row) -> int:
        cards = playable(s)
        n = 0
        for card in range(CARDS):
            if cards >> card & 1:
                out[n] = card
                n += 1
        return n

    def result(s: State, a: int) -> State:
        seat, rest = seat_to_play(s), ~(1 << a)
        north, east, south, west = s.north & rest, s.east & rest, s.south & rest, s.west & rest
        n = played(s.trick)
        if n < 3:
            trick = s.trick | a + 1 << PER_CARD * n
            return State(north, east, south, west, trick, s.leader, s.won, s.lost)
        place = best_place(s.trick, strain)
        won = beats(a, card_in(s.trick, place), strain)
        winner = seat if won else (s.leader + place) & 3
        lost = winner & 1
        return State(north, east, south, west, 0, winner, s.won + 1 - lost, s.lost + lost)

    def player(s: State) -> int:
        """North and South play for MAX, East and West for MIN."""
        return seat_to_play(s) & 1

    def is_terminal(s: State) -> bool:
        return s.trick == 0 and s.north == 0

    def utility(s: State) -> int:
        return s.won - s.lost

    def bounds(s: State) -> tuple[int, int]:
        """The tricks won are safe; the others may go to either side."""
        lead, left = s.won - s.lost, tricks_left(s)
        return lead - left, lead + left

    def settled(s: State) -> tuple[int, int]:
        """The tricks won, and a key to everything else."""
        h = mix(add(mix(s.north), s.east))
        h = mix(add(h, s.south))
        return s.won - s.lost, mix(add(h, s.west)) ^ mix(s.trick << 2 | s.leader)

    def key(s: State) -> int:
        rest = settled(s)[1]
        return add(rest, mix(s.won << 4 | s.lost))

    def remaining(s: State) -> int:
        """Every card is a ply."""
        return popcount(s.north) + popcount(s.east) + popcount(s.south) + popcount(s.west)

    def sufficient(s: State, out: Row) -> int:
        """One card, the lowest, of each sequence that no other card in play interrupts."""
        cards = playable(s)
        others = in_play(s) & ~cards
        n = 0
        below, suit_below = 0, -1
        for card in range(CARDS):
            if cards >> card & 1:
                between = (1 << card) - (1 << below)
                if card // IN_A_SUIT != suit_below or others & between != 0:
                    out[n] = card
                    n += 1
                below, suit_below = card, card // IN_A_SUIT
        return n

    def points(hand: int) -> int:
        """High-card points."""
        return (
            4 * popcount(hand & _ACES)
            + 3 * popcount(hand & _KINGS)
            + 2 * popcount(hand & _QUEENS)
            + popcount(hand & _JACKS)
        )

    def tricks(s: State, p: int) -> int:
        """Tricks won."""
        return s.won if p == MAX else s.lost

    def honors(s: State, p: int) -> int:
        """High-card points still held."""
        return points(s.north | s.south if p == MAX else s.east | s.west)

    return {
        "initial": initial,
        "actions": actions,
        "result": result,
        "player": player,
        "is_terminal": is_terminal,
        "utility": utility,
        "terms": {
            "honors": {"tricks": (tricks, TRICK), "honors": (honors, HONOR)},
            "tricks": {"tricks": (tricks, TRICK)},
        },
        "key": key,
        "order": ordering(strain),
        "assumptions": Assumptions(
            sufficient=sufficient,
            bounds=bounds,
            settled=settled,
            remaining=remaining,
            gist=gist,
            details=details,
            matter=matter,
            mattered_before=forgetting(strain),
            foreseen=sure_tricks(strain),
            grain=2,
            lasts=remaining,
        ),
        "max_moves": IN_A_SUIT,
        "max_ply": CARDS,
        "move_range": CARDS,
    }
