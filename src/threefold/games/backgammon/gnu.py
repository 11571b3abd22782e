"""GNU Backgammon's IDs: a position ID and a match ID, `4HPwATDgc/ABMA:cIkFAAAAAAAA`.

Both are bits from the lowest up, in base64 without its padding. A position ID counts in ones: for
every point of the player who is not on roll, from 1 to 24 and the bar, as many ones as there are
checkers, and a zero; then the same for the player on roll. A match ID has these bits:

    0-3    log2 of the cube        8-10   0 none, 1 playing, 2 over, 3 resigned, 4 passed
    4-5    its owner, 3 nobody     11     who decides
    6      who is on roll          12     whether a double is offered
    7      the Crawford game       13-14  what resignation is offered
    15-20  two dice                21-35  the match length
    36-50  the score of player 0   51-65  the score of player 1

Player 0 is O and player 1 is X. Bit 66, of newer versions, is set for money without Jacoby's rule.
Where it is clear the game's own parameter says, because older versions have no such bit. It is not
written: a position does not tell whether there is a cube, without which the rule means nothing.
"""

import base64
import re
from collections.abc import Callable

from threefold.games.backgammon.checkers import BAR, CHECKERS, count_at, high_unit, low_unit
from threefold.games.backgammon.rules import DOUBLED, PASSED, PLAYING, State, is_over, of_mover
from threefold.games.backgammon.stakes import (
    MOST_DOUBLES,
    doubles_of,
    length_of,
    owner_of,
    rule_of,
    score_of,
    stakes_of,
)
from threefold.games.backgammon.xgid import answering, before_roll, check_cube, check_score
from threefold.rules.contract import MAX, MIN
from threefold.rules.text import shorten

EXAMPLE = "4HPwATDgc/ABMA:cIkFAAAAAAAA"
POSITION_SIGNS = 14
_MATCH_SIGNS = 12
#: By bits of a match ID, the state of a game.
_NO_GAME, _PLAYING, _OVER, _RESIGNED, _PASSED = range(5)
#: By bits of a match ID, the owner of the cube as `stakes` counts them; and back.
_OWNERS = {0: 2, 1: 1, 3: 0}
_OWNER_BITS = {owner: bits for bits, owner in _OWNERS.items()}


def gnu_id(s: State) -> str:
    """A position as GNU Backgammon's position and match ID."""
    return f"{position_id(s)}:{match_id(s)}"


def on_roll(s: State) -> int:
    """Who rolls next or has rolled: while a double is answered, the one who doubled."""
    return 1 - s.turn if s.phase in (DOUBLED, PASSED) else s.turn


def position_id(s: State) -> str:
    """Where the checkers are, as the player on roll sees them."""
    mine_low, mine_high, low, high = of_mover(s._replace(turn=on_roll(s)))
    bits = size = 0
    for side in ((low, high), (mine_low, mine_high)):
        for place in range(1, BAR + 1):
            count = count_at(*side, place)
            bits |= ((1 << count) - 1) << size
            size += count + 1
    return _encoded(bits, POSITION_SIGNS)


def match_id(s: State) -> str:
    """Everything else: the cube, the turn, the dice, the score."""
    stakes = s.stakes
    playing = _PASSED if s.phase == PASSED else _OVER if is_over(s) else _PLAYING
    match = length_of(stakes) > 0
    bits = doubles_of(stakes)
    bits |= _OWNER_BITS[owner_of(stakes)] << 4
    bits |= (1 - on_roll(s)) << 6
    bits |= (rule_of(stakes) & 1 if match else 0) << 7
    bits |= playing << 8
    bits |= (1 - s.turn) << 11
    bits |= (s.phase == DOUBLED) << 12
    bits |= (s.dice >> 3) << 15 | (s.dice & 7) << 18
    bits |= length_of(stakes) << 21
    bits |= score_of(stakes, MIN) << 36 | score_of(stakes, MAX) << 51
    return _encoded(bits, _MATCH_SIGNS)


def parse_gnu(text: str, cube: bool, jacoby: bool) -> State:
    """A position from GNU's two IDs, or from a position ID alone, and then X is on roll."""
    position, colon, match = text.partition(":")
    bits = (
        _decoded("match ID", match, _MATCH_SIGNS) if colon else 1 << 6 | 3 << 4 | 1 << 8 | 1 << 11
    )

    def number(first: int, last: int) -> int:
        return bits >> first & (1 << last - first + 1) - 1

    roller = MAX if number(6, 6) else MIN
    checkers = _parse_position(position, roller)
    state = number(8, 10)
    if number(13, 14) or state == _RESIGNED:
        raise ValueError("the match ID says that a player resigns, which is not part of this game")
    if state > _PASSED:
        raise ValueError(f"the match ID has no game state {state}")
    stakes = _parse_stakes(number, jacoby)
    large, small = sorted((number(15, 17), number(18, 20)), reverse=True)
    if large > 6 or (large > 0) != (small > 0):
        raise ValueError(f"the match ID has the dice {large} and {small}")
    s = State(*checkers, 8 * large + small, roller, PLAYING, stakes)
    if state == _PASSED or number(12, 12):
        if s.dice:
            raise ValueError("the match ID has both dice and a double")
        return answering(s, PASSED if state == _PASSED else DOUBLED, cube)
    if s.dice:
        if is_over(s):
            raise ValueError("the game is over, so there are no dice")
        return s
    return before_roll(s, cube)


def _parse_stakes(number: Callable[[int, int], int], jacoby: bool) -> int:
    """What a match ID says about the cube and the match."""
    doubles, length = number(0, 3), number(21, 35)
    if doubles > MOST_DOUBLES:
        raise ValueError(f"the cube shows {1 << doubles}, more than {1 << MOST_DOUBLES}")
    if number(4, 5) not in _OWNERS:
        raise ValueError("the match ID does not say who owns the cube")
    owner = _OWNERS[number(4, 5)]
    check_cube(doubles, owner)
    o, x = number(36, 50), number(51, 65)
    check_score(length, x, o)
    rule = number(7, 7) if length else int(jacoby and not number(66, 66))
    return stakes_of(doubles, owner, rule, length, x, o)


def _parse_position(text: str, roller: int) -> tuple[int, int, int, int]:
    """The words of X and of O from a position ID."""
    bits = _decoded("position ID", text, POSITION_SIGNS)
    sides = []
    size = 0
    for _ in range(2):
        low = high = total = 0
        for place in range(1, BAR + 1):
            while bits >> size & 1:
                low += low_unit(place)
                high += high_unit(place)
                size += 1
                total += 1
                if total > CHECKERS:
                    raise ValueError(f"the position ID has more than {CHECKERS} checkers a side")
            size += 1
        sides.append((low + CHECKERS - total, high, total))
    if bits >> size:
        raise ValueError("the position ID goes on after the last checker")
    if sides[0][2] == sides[1][2] == 0:
        raise ValueError("there is no checker on the board")
    (low, high, _), (mine_low, mine_high, _) = sides
    words = (mine_low, mine_high, low, high)
    _check_apart(words)
    return words if roller == MAX else (low, high, mine_low, mine_high)


def _check_apart(words: tuple[int, int, int, int]) -> None:
    """Raise if checkers of both sides are on one point."""
    for place in range(1, BAR):
        if count_at(*words[:2], place) and count_at(*words[2:], BAR - place):
            raise ValueError(f"point {place} of the player on roll has checkers of both sides")


def _encoded(bits: int, signs: int) -> str:
    return base64.b64encode(bits.to_bytes(signs * 3 // 4, "little")).decode().rstrip("=")[:signs]


def _decoded(what: str, text: str, signs: int) -> int:
    if len(text) != signs:
        raise ValueError(f"the {what} {shorten(text)} has {len(text)} characters, not {signs}")
    if odd := re.search("[^A-Za-z0-9+/]", text):
        raise ValueError(
            f"the {what} {shorten(text)} has {shorten(odd[0])}, where only letters, digits, + and "
            "/ may be"
        )
    bits = int.from_bytes(base64.b64decode(text + "=" * (-signs % 4)), "little")
    if _encoded(bits, signs) != text:
        raise ValueError(f"no {what} ends in {shorten(text[-1])}, as {shorten(text)} does")
    return bits
