"""Positions as XGID, which eXtreme Gammon made common.

    XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10

The fields are: the checkers, the cube as a power of two, its owner (1 X, -1 O, 0 nobody), whose
turn it is (1 X, -1 O), the dice, X's score, O's score, Crawford or Jacoby, the length of the match
(0 for money), and the limit of the cube, which is read but not kept: the cube stops at 64.

The first sign is O's bar, then come X's points 1 to 24 and X's bar. `A` to `O` are X's checkers,
one to fifteen, and `a` to `o` O's. The missing ones are borne off.

Dice of `00` stand for what comes before a roll: the opening roll at the start; the choice whether
to double, if there is one; else just the roll. `D` is a double that has yet to be answered; the
turn is that of the player who doubled. XGID has no word for two things: `roll` is nature's roll
where `00` would mean something else, and `pass` is a game that ended with the answer to a double.
"""

import re

from threefold.games.backgammon.checkers import BAR, CHECKERS, count_at, high_unit, low_unit
from threefold.games.backgammon.rules import (
    DOUBLED,
    OPENING,
    PASSED,
    PLAYING,
    State,
    is_over,
    is_start,
    turn_phase,
)
from threefold.games.backgammon.stakes import (
    MOST_DOUBLES,
    POINTS_LIMIT,
    doubles_of,
    length_of,
    may_double,
    owner_of,
    rule_of,
    score_of,
    stakes_of,
)
from threefold.rules.contract import MAX, MIN
from threefold.rules.text import shorten

PREFIX = "XGID="
EXAMPLE = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10"
#: What eXtreme Gammon writes for a cube without a limit.
_CUBE_LIMIT = "10"
_BEFORE_ROLL = "00"
_DOUBLED = "D"
_ROLL = "roll"
_PASSED = "pass"
_FIELDS = (
    "the checkers",
    "the cube",
    "the cube's owner",
    "the turn",
    "the dice",
    "X's score",
    "O's score",
    "Crawford or Jacoby",
    "the match length",
    "the cube's limit",
)
_SIDES = {"1": MAX, "-1": MIN}
_OWNERS = {"0": 0, "1": 1, "-1": 2}


def parse_checkers(text: str) -> tuple[int, int, int, int]:
    """The words of both sides from the 26 signs of an XGID."""
    if len(text) != BAR + 1:
        raise ValueError(f"the checkers take 26 signs, not {len(text)}: {shorten(text)}")
    words = [0, 0, 0, 0]
    counts = [0, 0]
    for place, sign in enumerate(text):
        if sign == "-":
            continue
        side = MAX if "A" <= sign <= "O" else MIN if "a" <= sign <= "o" else None
        if side is None:
            raise ValueError(f"{shorten(sign)} among the checkers is none of -, A to O, a to o")
        if place == (0 if side == MAX else BAR):
            owner, letters = ("O", "a to o") if place == 0 else ("X", "A to O")
            raise ValueError(
                f"{shorten(sign)} stands on {owner}'s bar, where only {owner}'s checkers, "
                f"{letters}, may be"
            )
        count = ord(sign.upper()) - ord("A") + 1
        own = place if side == MAX else BAR - place
        counts[side] += count
        words[2 * side] += count * low_unit(own)
        words[2 * side + 1] += count * high_unit(own)
    for side, name in enumerate("XO"):
        if counts[side] > CHECKERS:
            raise ValueError(f"{name} has {counts[side]} checkers, more than {CHECKERS}")
        words[2 * side] += CHECKERS - counts[side]
    if counts == [0, 0]:
        raise ValueError("there is no checker on the board")
    return words[0], words[1], words[2], words[3]


def format_checkers(s: State) -> str:
    """The 26 signs of an XGID."""
    signs = []
    for place in range(BAR + 1):
        x = count_at(s.x_low, s.x_high, place) if place else 0
        o = count_at(s.o_low, s.o_high, BAR - place) if place < BAR else 0
        signs.append(chr(ord("A") - 1 + x) if x else chr(ord("a") - 1 + o) if o else "-")
    return "".join(signs)


def format_xgid(s: State, cube: bool) -> str:
    """A position as XGID, in a game with or without the cube."""
    stakes = s.stakes
    turn = 1 - s.turn if s.phase in (DOUBLED, PASSED) else s.turn
    fields = (
        format_checkers(s),
        str(doubles_of(stakes)),
        ("0", "1", "-1")[owner_of(stakes)],
        "1" if turn == MAX else "-1",
        _format_dice(s, cube),
        str(score_of(stakes, MAX)),
        str(score_of(stakes, MIN)),
        str(rule_of(stakes)),
        str(length_of(stakes)),
        _CUBE_LIMIT,
    )
    return PREFIX + ":".join(fields)


def _format_dice(s: State, cube: bool) -> str:
    if s.dice:
        return f"{s.dice >> 3}{s.dice & 7}"
    if s.phase in (DOUBLED, PASSED):
        return _DOUBLED if s.phase == DOUBLED else _PASSED
    return _BEFORE_ROLL if s.phase == usual_phase(s, cube) else _ROLL


def usual_phase(s: State, cube: bool) -> int:
    """What comes before a roll, as a text without further notice has it."""
    if is_start(s) and doubles_of(s.stakes) == 0:
        return OPENING
    return PLAYING if is_over(s) else turn_phase(s.stakes, s.turn, cube)


def before_roll(s: State, cube: bool) -> State:
    """A position whose dice are not rolled, with the phase that a text means."""
    return s._replace(phase=usual_phase(s, cube))


def answering(s: State, phase: int, cube: bool) -> State:
    """A position where the player on turn has doubled, and the other answers or has passed."""
    if not cube:
        said = "offered" if phase == DOUBLED else "passed"
        raise ValueError(f"a double is {said}, and this game has no cube: backgammon(cube=true)")
    if is_over(s):
        raise ValueError("the game is over, so nobody can double")
    if not may_double(s.stakes, s.turn):
        raise ValueError(f"{'XO'[s.turn]} cannot double here")
    return s._replace(turn=1 - s.turn, phase=phase)


def check_cube(doubles: int, owner: int) -> None:
    """Raise unless the cube is in the middle as long as it shows 1."""
    if owner and not doubles:
        raise ValueError("the cube shows 1, so nobody owns it")


def parse_xgid(text: str, cube: bool) -> State:
    """A position from XGID; its first five signs, `XGID=`, may be missing."""
    fields = text.removeprefix(PREFIX).split(":")
    if len(fields) not in (len(_FIELDS) - 1, len(_FIELDS)):
        raise ValueError(f"an XGID has {len(_FIELDS)} fields, not {len(fields)}, as in {EXAMPLE}")
    checkers = parse_checkers(fields[0])
    doubles = _number(fields, 1, MOST_DOUBLES)
    owner = _one_of(fields, 2, _OWNERS)
    check_cube(doubles, owner)
    turn = _one_of(fields, 3, _SIDES)
    dice = _parse_dice(fields[4])
    length = _number(fields, 8, POINTS_LIMIT - 1)
    x, o = (_number(fields, at, POINTS_LIMIT - 1) for at in (5, 6))
    check_score(length, x, o)
    rule = _number(fields, 7, 1 if length else 3)
    if len(fields) == len(_FIELDS):
        _number(fields, 9, POINTS_LIMIT - 1)
    s = State(*checkers, dice, turn, PLAYING, stakes_of(doubles, owner, rule, length, x, o))
    if dice and is_over(s):
        raise ValueError("the game is over, so the dice are 00")
    if fields[4] in (_DOUBLED, _PASSED):
        return answering(s, DOUBLED if fields[4] == _DOUBLED else PASSED, cube)
    return before_roll(s, cube) if fields[4] == _BEFORE_ROLL else s


def check_score(length: int, x: int, o: int) -> None:
    """Raise unless both players still need points to win a match."""
    if length and max(x, o) >= length:
        raise ValueError(f"the score is {x}-{o}, so the match to {length} is over")


def _parse_dice(text: str) -> int:
    if text in (_BEFORE_ROLL, _ROLL, _DOUBLED, _PASSED):
        return 0
    if text in ("B", "R"):
        raise ValueError(f"the dice are {text}, and beavers are not part of this game")
    if not re.fullmatch("[1-6]{2}", text):
        raise ValueError(
            f"the dice are {shorten(text)}, neither 00 nor two numbers from 1 to 6 nor D"
        )
    small, large = sorted(map(int, text))
    return 8 * large + small


def _number(fields: list[str], at: int, most: int) -> int:
    given = fields[at]
    if not re.fullmatch("[0-9]{1,5}", given) or int(given) > most:
        raise ValueError(f"{_FIELDS[at]}: {shorten(given)} is not a number from 0 to {most}")
    return int(given)


def _one_of(fields: list[str], at: int, known: dict[str, int]) -> int:
    if fields[at] not in known:
        choices = ", ".join(known)
        raise ValueError(f"{_FIELDS[at]}: {shorten(fields[at])} is not one of {choices}")
    return known[fields[at]]
