"""A small game with hidden cards, for four at a table or two: everybody gets a card, then bids.

Nature deals each seat one of the cards that are left. Then each in turn says `pass`, or `bet`,
which doubles the stake. The side of the highest card wins the stake. What has been said is open.
"""

from typing import Any, NamedTuple

from threefold import CHANCE, Game
from threefold.rules.bits import add, lsr, mix
from threefold.rules.svg import label, picture, place, rect

CARDS = 5
#: Card 0 is no card; in what a seat sees, a blank one.
NAMES = "·TJQKA"
CALLS = ("pass", "bet")
COMPASS = ("North", "East", "South", "West")


class State(NamedTuple):
    """Four bits for each seat's card; then two for each call, 1 or 2; whose turn it is."""

    cards: int
    calls: int
    dealt: int
    called: int
    turn: int


def high_card(seats: int = 4, **changes: Any) -> Game[State]:
    """High card for two or four."""

    def initial() -> State:
        return State(0, 0, 0, 0, CHANCE)

    def actions(s: State, out: Any) -> int:
        if s.called == seats:
            return 0
        out[0], out[1] = 0, 1
        return 2

    def outcomes(s: State, out: Any, weight: Any) -> int:
        n = 0
        for card in range(1, CARDS + 1):
            held = False
            for seat in range(seats):
                held = held or (s.cards >> (4 * seat)) & 15 == card
            if not held:
                out[n], weight[n] = card, 1
                n += 1
        return n

    def result(s: State, a: int) -> State:
        if s.turn == CHANCE:
            turn = 0 if s.dealt + 1 == seats else CHANCE
            return State(s.cards | a << (4 * s.dealt), 0, s.dealt + 1, 0, turn)
        calls = s.calls | (a + 1) << (2 * s.called)
        return State(s.cards, calls, s.dealt, s.called + 1, (s.called + 1) % 2)

    def utility(s: State) -> int:
        best, winner, stake = 0, 0, 1
        for seat in range(seats):
            card = (s.cards >> (4 * seat)) & 15
            if card > best:
                best, winner = card, seat
            if (s.calls >> (2 * seat)) & 3 == 2:
                stake *= 2
        return stake if winner % 2 == 0 else -stake

    def seat(s: State) -> int:
        return s.called

    def observe(s: State, p: int) -> tuple[int, int, int]:
        return (s.cards >> (4 * p)) & 15, s.calls, 16 * s.dealt + s.called

    def deal(s: State, p: int, seed: int) -> State:
        cards = s.cards & (15 << (4 * p))
        for other in range(s.dealt):
            if other == p:
                continue
            # Skip so many of the cards that nobody has yet.
            skip = lsr(mix(add(seed, other)), 32) % (CARDS - (1 if p < s.dealt else 0) - other)
            if p < other:
                skip = lsr(mix(add(seed, other)), 32) % (CARDS - other)
            for card in range(1, CARDS + 1):
                held = False
                for each in range(seats):
                    held = held or (cards >> (4 * each)) & 15 == card
                if not held:
                    if skip == 0:
                        cards |= card << (4 * other)
                        break
                    skip -= 1
        return State(cards, s.calls, s.dealt, s.called, s.turn)

    def as_seen(s: State, p: int) -> State:
        return s._replace(cards=s.cards & (15 << (4 * p)))

    def card_of(s: State, p: int) -> str:
        return NAMES[(s.cards >> (4 * p)) & 15]

    def render(s: State) -> str:
        called = [CALLS[((s.calls >> (2 * p)) & 3) - 1] for p in range(s.called)]
        hands = " ".join(f"{names[p]}:{card_of(s, p)}" for p in range(seats))
        return f"{hands} | {' '.join(called)}"

    def draw(s: State) -> str:
        body = []
        for p in range(seats):
            body += [
                rect(20 + 90 * p, 20, 70, 100, "fill-board line-ink", 8),
                label(55 + 90 * p, 78, card_of(s, p), size=30),
                label(55 + 90 * p, 140, names[p]),
            ]
        for a, call in enumerate(CALLS if s.called < s.dealt == seats else ()):
            x = 20 + 90 * a
            body += [
                rect(x, 160, 70, 30, "fill-board line-ink", 6),
                label(x + 35, 180, call),
                place(x, 160, 70, 30, call),
            ]
        return picture(20 + 90 * seats, 210, "High card", "cards and calls", body)

    names = COMPASS if seats == 4 else COMPASS[::2]
    hooks: dict[str, Any] = {
        "initial": initial,
        "actions": actions,
        "outcomes": outcomes,
        "result": result,
        "utility": utility,
        "observe": observe,
        "deal": deal,
        "as_seen": as_seen,
        "render": render,
        "draw": draw,
        "format_move": lambda s, a: CALLS[a] if s.turn != CHANCE else f"card-{NAMES[a]}",
        "places": lambda s, a: (CALLS[a],) if s.turn != CHANCE else (),
        "seat_names": names,
        "max_moves": CARDS,
        "max_ply": 2 * seats,
    }
    if seats > 2:
        hooks |= {"seat": seat, "seats": seats, "sides": ("North-South", "East-West")}
    return Game("High card", **hooks | changes)


game = high_card()
