"""Playing a roll on the board, one checker at a time, and setting up a position.

A play is made of steps: a checker is picked up where it is, and put down where a die takes it, or
several dice one after another. Every step offered can be continued to a legal play, so nobody gets
stuck with a roll that must be played otherwise.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from threefold.games.backgammon.checkers import (
    BAR,
    CHECKERS,
    OFF,
    count_at,
    held,
    high_unit,
    low_unit,
    occupied,
    turned,
)
from threefold.games.backgammon.drawing import draw_half_played
from threefold.games.backgammon.layout import (
    CUBE,
    DICE,
    SIDES,
    counts,
    faces,
    on_point,
    packed,
    place_name,
)
from threefold.games.backgammon.moves import NO_PLAY, PLAYS, movable, played
from threefold.games.backgammon.notation import steps
from threefold.games.backgammon.rules import (
    MOST_PLAYS,
    PASS,
    PLAYING,
    ROLL,
    State,
    is_over,
    of_mover,
    turn_phase,
)
from threefold.games.backgammon.stakes import MOST_DOUBLES, doubles_of, owner_of, stakes_of
from threefold.rules.contract import CHANCE, MAX, MIN, Action, Row
from threefold.rules.records import Board, Touched

#: A checker of either side, or one less.
PIECES = (*SIDES, "−")
#: The checkers: first the mover's words, then the opponent's.
Words = tuple[int, int, int, int]


class _Half(NamedTuple):
    """A play under way: the checkers, and the dice that are left."""

    words: Words
    left: tuple[int, ...]


class _Step(NamedTuple):
    """A checker's move with one die."""

    die: int
    start: int
    end: int
    after: _Half


class _Roll:
    """A roll to be played: which steps lead to a legal play."""

    def __init__(self, s: State, legal: Sequence[Action]) -> None:
        words = of_mover(s)
        #: By the checkers they lead to.
        self.plays = {played(*words, s.dice, a): a for a in legal}
        #: How many steps every play has; both dice must be used if possible.
        self.length = len(steps(s, legal[0]))
        self.dice = tuple(faces(s.dice))
        self.start = _Half(words, self.dice)
        self._known: dict[_Half, bool] = {}

    def is_complete(self, half: _Half) -> bool:
        """Whether a play is finished."""
        return len(self.dice) - len(half.left) == self.length and half.words in self.plays

    def steps(self, half: _Half) -> Iterator[_Step]:
        """The steps that can be continued to a legal play."""
        if len(self.dice) - len(half.left) == self.length:
            return
        mine_low, mine_high, low, high = half.words
        blocked = turned(held(low, high))
        for die in dict.fromkeys(half.left):
            left = list(half.left)
            left.remove(die)
            places = movable(occupied(mine_low, mine_high), blocked, die)
            for start in range(BAR, 0, -1):
                if places >> start & 1:
                    after = _Half(_moved(half.words, start, die), tuple(left))
                    if self._is_good(after):
                        yield _Step(die, start, max(start - die, OFF), after)

    def _is_good(self, half: _Half) -> bool:
        known = self._known.get(half)
        if known is None:
            known = self.is_complete(half) or any(True for _ in self.steps(half))
            self._known[half] = known
        return known

    def ends(self, half: _Half, start: int) -> dict[int, _Half]:
        """Where the checker on a place may be put down, and what is then left to play.

        A place that several dice lead to is only offered where it does not matter which is first.
        """
        found: dict[int, set[_Half]] = {}
        single = set()

        def run(here: _Half, place: int, depth: int) -> None:
            for step in self.steps(here):
                if step.start == place:
                    found.setdefault(step.end, set()).add(step.after)
                    if depth == 0:
                        single.add((step.end, step.after))
                    if step.end != OFF:
                        run(step.after, step.end, depth + 1)

        run(half, start, 0)
        chosen = {}
        for end, halves in found.items():
            direct = [after for after in halves if (end, after) in single]
            if direct:  # the smaller die that bears a checker off, if both do
                chosen[end] = max(direct, key=lambda after: after.left)
            elif len({after.words for after in halves}) == 1:
                chosen[end] = max(halves)
        return chosen


def _moved(words: Words, start: int, die: int) -> Words:
    """The checkers after a step."""
    mine_low, mine_high, low, high = words
    end = max(start - die, OFF)
    mine_low += low_unit(end) - low_unit(start)
    mine_high += high_unit(end) - high_unit(start)
    if end != OFF and count_at(low, high, BAR - end) == 1:
        low += low_unit(BAR) - low_unit(BAR - end)
        high += high_unit(BAR) - high_unit(BAR - end)
    return mine_low, mine_high, low, high


def board(
    player: Callable[[State], int], actions: Callable[[State, Row], int], cube: bool
) -> Board[State]:
    """The board that people touch, given who moves and the legal moves."""

    def places(s: State, a: Action) -> tuple[str, ...]:
        """Where each checker is picked up and put down, or the dice, or the cube."""
        if player(s) == CHANCE or a == ROLL:
            return (DICE,)
        if a in (NO_PLAY, PASS):
            return ()
        if a >= PLAYS:
            return (CUBE,)
        return tuple(place_name(s.turn, place) for step in steps(s, a) for place in step)

    def touched(s: State, so_far: Sequence[str]) -> Touched | None:
        if player(s) == CHANCE or s.dice == 0 or is_over(s):
            return None
        row = [0] * MOST_PLAYS
        legal = row[: actions(s, row)]
        if NO_PLAY in legal:
            return None
        roll = _Roll(s, legal)
        half = roll.start
        names = {place_name(s.turn, place): place for place in range(BAR + 1)}
        picked: int | None = None
        for name in so_far:
            place = names.get(name, -1)
            if picked is None:
                if not any(step.start == place for step in roll.steps(half)):
                    raise ValueError(f"no checker on {name!r} can be played now")
                picked = place
            else:
                ends = roll.ends(half, picked)
                if place not in ends:
                    raise ValueError(f"the checker cannot go to {name!r}")
                half, picked = ends[place], None
        if picked is None:
            nexts = {step.start for step in roll.steps(half)}
        else:
            nexts = set(roll.ends(half, picked))
        return Touched(
            next=[place_name(s.turn, place) for place in sorted(nexts, reverse=True)],
            picks=picked is None,
            drawing=_draw(s, half, roll.dice, cube),
            move=roll.plays[half.words] if roll.is_complete(half) else None,
            hint=_hint(nexts, picks=picked is None),
        )

    def put(s: State, place: str, piece: str) -> State:
        return _put(s, place, piece, cube)

    return Board(
        places=places, contents=contents, pieces=PIECES, put=put, touched=touched, signs=_SIGNS
    )


_SIGNS = {
    "X": ("X", "A checker of X"),
    "O": ("O", "A checker of O"),
    "−": ("−", "One checker less"),
}


def _hint(nexts: set[int], *, picks: bool) -> str:
    """What to do next, in words."""
    if picks:
        which = "the checker on the bar" if BAR in nexts else "a checker"
        return f"Click {which}, then its point."
    return "Now click its point" + (", or the tray." if OFF in nexts else ".")


def _draw(s: State, half: _Half, dice: tuple[int, ...], cube: bool) -> str:
    """The position in the middle of a play, the dice that are used up pale."""
    mine, theirs = half.words[:2], half.words[2:]
    x, o = (mine, theirs) if s.turn == MAX else (theirs, mine)
    left = list(half.left)
    shown = []
    for die in dice:
        shown.append((die, die not in left))
        if die in left:
            left.remove(die)
    return draw_half_played(State(*x, *o, *s[4:]), shown, cube)


def contents(s: State) -> dict[str, str]:
    """What is on each place, in words."""
    found = {}
    for point in range(1, BAR):
        player, count = on_point(s, point)
        if count:
            found[str(point)] = _checkers(player, count)
    for player in (MAX, MIN):
        here = counts(s, player)
        for place in (BAR, OFF):
            if here[place]:
                found[place_name(player, place)] = _checkers(player, here[place])
    return found


def _checkers(player: int, count: int) -> str:
    return f"{SIDES[player]} {count} checker{'s' * (count > 1)}"


def _put(s: State, place: str, piece: str, cube: bool) -> State:
    """Add a checker that was borne off, or bear one off; another side's checkers are replaced.

    On the dice, a side's piece gives the next roll, and `−` takes the dice away. On the cube, a
    side's piece gives it the cube, or doubles it; `−` puts it back into the middle.
    """
    if place == "turn":
        return _before_roll(s._replace(turn=int(piece)), s.dice, cube)
    if place == DICE:
        return _before_roll(s, _next_roll(s.dice) if piece in SIDES else 0, cube)
    if place == CUBE:
        return _before_roll(s._replace(stakes=_turned_cube(s.stakes, piece)), s.dice, cube)
    sides = [counts(s, player) for player in (MAX, MIN)]
    player = SIDES.index(piece) if piece in SIDES else _owner(s, place)
    if not place.isdigit() and place[:1] != SIDES[player]:
        raise ValueError(f"{place} is for {place[:1]}'s checkers")
    mine, theirs = sides[player], sides[1 - player]
    where = BAR if place.endswith("bar") else OFF
    if place.isdigit():
        where = int(place) if player == MAX else BAR - int(place)
        if piece in SIDES:
            theirs[OFF] += theirs[BAR - where]
            theirs[BAR - where] = 0
    if where == OFF:
        raise ValueError("to bear a checker off, take it from its point with −")
    change = 1 if piece in SIDES else -1
    if mine[OFF] < change:
        raise ValueError(f"all {CHECKERS} checkers of {piece} are on the board; take one off first")
    if mine[where] + change < 0:
        raise ValueError("there is no checker to take off")
    mine[where] += change
    mine[OFF] -= change
    if all(here[OFF] == CHECKERS for here in sides):
        raise ValueError("the last checker stays on the board")
    x, o = map(packed, sides)
    return _before_roll(State(*x, *o, s.dice, s.turn, PLAYING, s.stakes), s.dice, cube)


def _before_roll(s: State, dice: int, cube: bool) -> State:
    """The position with those dice; without, at the beginning of a turn."""
    s = s._replace(dice=0, phase=PLAYING)
    if dice and not is_over(s):
        return s._replace(dice=dice)
    return s if is_over(s) else s._replace(phase=turn_phase(s.stakes, s.turn, cube))


def _turned_cube(stakes: int, piece: str) -> int:
    """The stakes with the cube given to a side, or turned once more, or back in the middle."""
    doubles, owner = doubles_of(stakes), owner_of(stakes)
    rest = stakes & ~(stakes_of(15, 3))
    if piece not in SIDES:
        return rest
    taker = 1 + SIDES.index(piece)
    more = doubles + 1 if owner in (0, taker) else doubles
    if more > MOST_DOUBLES:
        raise ValueError("the cube shows 64, and goes no further")
    return rest | stakes_of(more, taker)


def _owner(s: State, place: str) -> int:
    """Whose checkers are on a place."""
    return on_point(s, int(place))[0] if place.isdigit() else SIDES.index(place[:1])


def _next_roll(dice: int) -> int:
    """The roll after another, 11, 21, 22, 31 … 66, and then 11 again."""
    large, small = dice >> 3, dice & 7
    if not dice or dice == 8 * 6 + 6:
        return 8 + 1
    return 8 * large + small + 1 if small < large else 8 * (large + 1) + 1
