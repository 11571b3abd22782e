"""What a game is played for: the cube, and the score if it is part of a match, in one word.

    bits   0-3               4-5            6-7     8-22           23-37        38-52
           log2 of the cube  cube's owner   rule    match length   X's score    O's score

The owner is 0 while the cube is in the middle, then 1 for X or 2 for O. `rule` is as XGID writes
it: in a match, 1 in the Crawford game; for money, 1 for Jacoby, and 2 more for beavers, which are
kept but not played.
"""

#: The cube stops at 64.
MOST_DOUBLES = 6
#: A match has fewer points than this, and so does a score.
POINTS_LIMIT = 1 << 15
_POINTS = POINTS_LIMIT - 1


def stakes_of(
    doubles: int = 0, owner: int = 0, rule: int = 0, length: int = 0, x: int = 0, o: int = 0
) -> int:
    """The word, from the number of doubles so far, the cube's owner, the rule, and the match."""
    return doubles | owner << 4 | rule << 6 | length << 8 | x << 23 | o << 38


def doubles_of(stakes: int) -> int:
    """How often the cube was turned: it shows 2 to that power."""
    return stakes & 15


def owner_of(stakes: int) -> int:
    """Who may double next: 0 both, 1 X, 2 O."""
    return stakes >> 4 & 3


def rule_of(stakes: int) -> int:
    """In a match whether this is the Crawford game; for money 1 for Jacoby, 2 for beavers."""
    return stakes >> 6 & 3


def length_of(stakes: int) -> int:
    """The points that win the match; 0 for money."""
    return stakes >> 8 & _POINTS


def score_of(stakes: int, player: int) -> int:
    """The points of MAX, who is X, or MIN."""
    return stakes >> (23 + 15 * player) & _POINTS


def doubled(stakes: int, taker: int) -> int:
    """The stakes after a double that MAX or MIN has taken."""
    return stakes + 1 & ~(3 << 4) | 1 + taker << 4


def may_double(stakes: int, player: int) -> bool:
    """Whether a player may double before the roll.

    Not in the Crawford game, not if the other one owns the cube, and not if the cube shows already
    all that the player needs to win the match: from there a double can only lose more.
    """
    owner = owner_of(stakes)
    if doubles_of(stakes) == MOST_DOUBLES or owner == 2 - player:
        return False
    length = length_of(stakes)
    if length == 0:
        return True
    needed = length - score_of(stakes, player)
    return rule_of(stakes) & 1 == 0 and 1 << doubles_of(stakes) < needed


def counted(stakes: int, points: int, winner: int) -> int:
    """What a win is worth: its points, 2 for a gammon and 3 for a backgammon, times the cube.

    In a match no more than the winner still needs. With Jacoby's rule a gammon counts only if the
    cube was turned.
    """
    length = length_of(stakes)
    if length == 0:
        if rule_of(stakes) & 1 and doubles_of(stakes) == 0:
            return 1
        return points << doubles_of(stakes)
    return min(points << doubles_of(stakes), length - score_of(stakes, winner))


def most_points(stakes: int, points: int, winner: int) -> int:
    """The most that a win can be worth, however often the cube is turned."""
    length = length_of(stakes)
    if length == 0:
        return points << MOST_DOUBLES
    return min(points << MOST_DOUBLES, length - score_of(stakes, winner))
