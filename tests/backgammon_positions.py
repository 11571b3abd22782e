"""Backgammon positions at random, and the plays of a roll found by trying everything."""

import random
from collections.abc import Iterator

from threefold import CHANCE, Game
from threefold.games.backgammon.checkers import count_at, high_unit, low_unit
from threefold.games.backgammon.rules import State, of_mover

#: A side's checkers by place: borne off, the points 1 to 24 as that side numbers them, the bar.
Side = tuple[int, ...]
ROLLS = [8 * large + small for large in range(1, 7) for small in range(1, large + 1)]


def counts(low: int, high: int) -> Side:
    return tuple(count_at(low, high, place) for place in range(26))


def sides(s: State) -> tuple[Side, Side]:
    """The checkers of the player whose turn it is, and the other's."""
    mine_low, mine_high, low, high = of_mover(s)
    return counts(mine_low, mine_high), counts(low, high)


def state(mine: Side, theirs: Side, dice: int, turn: int = 0) -> State:
    words = [
        sum(count * unit(place) for place, count in enumerate(side))
        for side in ((mine, theirs) if turn == 0 else (theirs, mine))
        for unit in (low_unit, high_unit)
    ]
    return State(words[0], words[1], words[2], words[3], dice, turn)


def sage_board(mine: Side, theirs: Side) -> list[int]:
    """As bgsage takes it: the other's bar, the points, the other's below zero, and the bar."""
    return [theirs[25], *(mine[p] - theirs[25 - p] for p in range(1, 25)), mine[25]]


def tried(mine: Side, theirs: Side, dice: int) -> set[tuple[Side, Side]]:
    """Every position that a roll may lead to: all orders of the dice, every checker in turn."""
    large, small = dice >> 3, dice & 7
    found: dict[tuple[int, ...], set[tuple[Side, Side]]] = {}

    def go_on(mine: Side, theirs: Side, left: tuple[int, ...], used: tuple[int, ...]) -> None:
        steps = list(one_die(mine, theirs, left[0])) if left else []
        for after in steps:
            go_on(*after, left[1:], (*used, left[0]))
        if not steps:
            found.setdefault(tuple(sorted(used)), set()).add((mine, theirs))

    orders = [(large,) * 4] if large == small else [(large, small), (small, large)]
    for order in orders:
        go_on(mine, theirs, order, ())
    most = max(map(len, found))
    if most == 1 and (large,) in found:
        return found[(large,)]
    return set().union(*(after for used, after in found.items() if len(used) == most))


def one_die(mine: Side, theirs: Side, die: int) -> Iterator[tuple[Side, Side]]:
    """Where one die may lead."""
    for place in range(25, 0, -1):
        if not mine[place] or (mine[25] and place != 25):
            continue
        to = place - die
        if to <= 0:
            if any(mine[7:]) or (to < 0 and any(mine[place + 1 :])):
                continue
            to = 0
        elif theirs[25 - to] > 1:
            continue
        own, other = list(mine), list(theirs)
        own[place] -= 1
        own[to] += 1
        if to and other[25 - to] == 1:
            other[25 - to] = 0
            other[25] += 1
        yield tuple(own), tuple(other)


def rolled(g: Game[State], s: State, rng: random.Random) -> State:
    events, weights = zip(*g.chances(s), strict=True)
    return g.result(s, rng.choices(events, weights)[0])


def from_games(g: Game[State], rng: random.Random, positions: int) -> Iterator[State]:
    """Positions of random games in which a player is to move."""
    s = g.initial()
    while positions:
        if g.player(s) == CHANCE:
            s = rolled(g, s, rng)
            continue
        moves = g.moves(s)
        if moves:
            yield s
            positions -= 1
            s = g.result(s, rng.choice(moves))
        else:
            s = g.initial()


def scattered(rng: random.Random, roll: int | None = None) -> State:
    """A position that no game may lead to: checkers anywhere, or all of them at home."""
    places = {"home": range(7), "near": range(13), "anywhere": range(26)}[
        rng.choice(("home", "near", "anywhere"))
    ]
    mine, theirs = [0] * 26, [0] * 26
    for _ in range(15):
        mine[rng.choice(places)] += 1
    if mine[0] == 15:
        mine[0], mine[1] = 14, 1
    free = [place for place in range(1, 25) if not mine[25 - place]]
    theirs[0] = rng.randrange(15)
    for _ in range(15 - theirs[0]):
        theirs[rng.choice([*free, 25])] += 1
    dice = rng.choice(ROLLS) if roll is None else roll
    return state(tuple(mine), tuple(theirs), dice, rng.randrange(2))
