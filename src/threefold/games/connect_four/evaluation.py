"""What a Connect Four position is worth before the end.

A *threat* is an empty square that would complete a line. If a stone can land there, the player to
move wins at once. Any other threat waits, because neither player wants to play the square below it.
Counting shows who must in the end. With an even number of rows, the odd squares of the last column
(from the bottom) go to the first player and the even ones to the second, so threats there decide
the game (Allis, 1988). In a column only the lowest threat matters, because filling stops there,
unless one player has two threats directly above each other.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from threefold.games.alignment import LIMIT, at_hand, lines, occupied_lines, open_stones
from threefold.rules.bits import popcount
from threefold.rules.contract import MAX, Player
from threefold.rules.records import EvaluationHooks
from threefold.rules.terms import GivenTerms, credited, remainder

if TYPE_CHECKING:
    from threefold.games.connect_four.rules import State

# In units such that 50 means winning odds of e : 1. Fitted by logistic regression to the results
# of 1,600 self-play games of alpha-beta at depth 8, then rounded.
#: A stone in a line where the other side has no stone, once for each such line.
OPEN_STONE = 4
#: The first player has a threat on a square that they will fill, whatever the second has;
FIRST_DECIDES = 90
#: or only the second has one.
SECOND_DECIDES = 80
#: A threat on a square that the other side will fill, stopping it.
WRONG_THREAT = 16
#: Two threats by one player directly above each other.
STACKED = 18


def evaluations(
    columns: int, rows: int, k: int, completing: Callable[[int, int, int], int]
) -> EvaluationHooks:
    """The evaluations for a board of `columns` and `rows` with `k` in line, the default first.

    `completing(stones, stride, k)` gives the squares where one more stone makes a line.
    """
    stride = rows + 1
    bottoms = sum(1 << column * stride for column in range(columns))
    board = bottoms * ((1 << rows) - 1)
    sentinels = bottoms << rows
    # The square below a threat is played when all other columns are full. If the board then has an
    # even number of stones, the first player must play it, and the second stops the threat.
    elsewhere = (columns - 1) * rows
    for_first = sum(bottoms << row for row in range(rows) if (elsewhere + row) % 2 == 0)
    winning_lines = lines(rows, columns, k)

    def lowest_in_columns(squares: int) -> int:
        """The lowest square of each column: a borrow carries up to it, at most to the sentinel."""
        marked = squares | sentinels
        return marked & ~(marked - bottoms) & board

    def lead(first: int, second: int) -> int:
        return popcount(first) - popcount(second)

    def threats(s: "State") -> int:
        """Threats, by the player who will fill them, and stones in open lines."""
        empty = board & ~(s.first | s.second)
        landings = (s.first | s.second) + bottoms & board
        first = completing(s.first, stride, k) & empty
        second = completing(s.second, stride, k) & empty

        # Step 1. What can be filled now.
        decided = at_hand(s.turn, first & landings, second & landings)
        if decided:
            return decided

        # Step 2. Threats that wait.
        decisive = lowest_in_columns((first | second) & ~landings)
        value = WRONG_THREAT * lead(first & decisive & ~for_first, second & decisive & for_first)
        value += STACKED * lead(first & first << 1, second & second << 1)
        if first & decisive & for_first:
            value += FIRST_DECIDES
        elif second & decisive & ~for_first:
            value -= SECOND_DECIDES

        # Step 3. What may still become a line.
        stones = open_stones(s.first, s.first | empty, stride, k)
        stones -= open_stones(s.second, s.second | empty, stride, k)
        return max(-LIMIT, min(LIMIT, value + OPEN_STONE * stones))

    # The same by terms.

    def stones_of(s: "State", p: Player) -> int:
        return s.first if p == MAX else s.second

    def threats_of(s: "State", p: Player) -> int:
        """The empty squares that would complete a line of a player."""
        return completing(stones_of(s, p), stride, k) & board & ~(s.first | s.second)

    def landings(s: "State") -> int:
        return (s.first | s.second) + bottoms & board

    def decided(s: "State") -> int:
        """What can be filled now, to MAX; nothing else counts then."""
        return at_hand(s.turn, threats_of(s, 0) & landings(s), threats_of(s, 1) & landings(s))

    def waiting(s: "State", p: Player) -> int:
        """A player's threats that are the lowest of their columns, unless the game is decided."""
        if decided(s):
            return 0
        both = threats_of(s, 0) | threats_of(s, 1)
        return threats_of(s, p) & lowest_in_columns(both & ~landings(s))

    def winning(s: "State", p: Player) -> int:
        """A win at once, or two threats of which only one can be stopped."""
        return credited(decided(s), p)

    def decisive(s: "State", p: Player) -> int:
        """A threat on a square that the player will fill; the first player's goes first."""
        first = waiting(s, 0) & for_first != 0
        if p == MAX:
            return FIRST_DECIDES if first else 0
        return SECOND_DECIDES if not first and waiting(s, 1) & ~for_first else 0

    def wrong(s: "State", p: Player) -> int:
        """Threats on squares that the other side will fill."""
        return popcount(waiting(s, p) & (~for_first if p == MAX else for_first))

    def stacked(s: "State", p: Player) -> int:
        """Threats directly above each other."""
        threats = threats_of(s, p)
        return 0 if decided(s) else popcount(threats & threats << 1)

    def stones_in_open_lines(s: "State", p: Player) -> int:
        """Stones in lines without any of the other side's, once for each such line."""
        empty = board & ~(s.first | s.second)
        stones = stones_of(s, p)
        return 0 if decided(s) else open_stones(stones, stones | empty, stride, k)

    def occupied_by(s: "State", p: Player) -> int:
        """The lines that a player has a stone in."""
        return occupied_lines(stones_of(s, p), winning_lines)

    parts: GivenTerms = {
        "winning": (winning, 1),
        "decisive-threat": (decisive, 1),
        "wrong-threats": (wrong, WRONG_THREAT),
        "stacked-threats": (stacked, STACKED),
        "open-stones": (stones_in_open_lines, OPEN_STONE),
    }
    return {
        "evaluations": {"threats": threats},
        "terms": {
            "threats": {**parts, "limit": (remainder(threats, parts), 1)},
            "lines": {"lines": (occupied_by, 1)},
        },
    }
