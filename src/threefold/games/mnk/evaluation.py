"""What a position of the m,n,k game is worth before the end."""

from typing import TYPE_CHECKING

from threefold.games.alignment import LIMIT, at_hand, lines, occupied_lines
from threefold.rules.bits import popcount
from threefold.rules.contract import MAX, Player
from threefold.rules.records import EvaluationHooks
from threefold.rules.terms import GivenTerms, credited, remainder

if TYPE_CHECKING:
    from threefold.games.mnk.rules import State


def evaluations(m: int, n: int, k: int) -> EvaluationHooks:
    """The evaluations for `m` columns, `n` rows and `k` in line, the default first."""
    winning_lines = lines(m, n, k)

    def occupied(s: "State") -> int:
        """Lines occupied by X minus lines occupied by O."""
        return occupied_lines(s.x, winning_lines) - occupied_lines(s.o, winning_lines)

    def threats(s: "State") -> int:
        """Lines open to one side only, by the square of their stones, and immediate wins."""
        value = wins_of_x = wins_of_o = 0
        for line in winning_lines:
            x, o = popcount(s.x & line), popcount(s.o & line)
            if o == 0:
                value += x * x
                if x == k - 1:
                    wins_of_x |= line & ~s.x
            if x == 0:
                value -= o * o
                if o == k - 1:
                    wins_of_o |= line & ~s.o
        decided = at_hand(s.turn, wins_of_x, wins_of_o)
        if decided:
            return decided
        return max(-LIMIT, min(LIMIT, value))

    # The same by terms.

    def occupied_by(s: "State", p: Player) -> int:
        """The lines that a player has a stone in."""
        return occupied_lines(s.x if p == MAX else s.o, winning_lines)

    def completing(mine: int, theirs: int) -> int:
        """The squares where one more stone makes a line."""
        squares = 0
        for line in winning_lines:
            if theirs & line == 0 and popcount(mine & line) == k - 1:
                squares |= line & ~mine
        return squares

    def decided(s: "State") -> int:
        """What immediate wins are worth to MAX; nothing else counts then."""
        return at_hand(s.turn, completing(s.x, s.o), completing(s.o, s.x))

    def winning(s: "State", p: Player) -> int:
        """A win at once, or two threats of which only one can be stopped."""
        return credited(decided(s), p)

    def open_lines(s: "State", p: Player) -> int:
        """Lines open to this player only, by the square of their stones."""
        if decided(s):
            return 0
        mine, theirs = (s.x, s.o) if p == MAX else (s.o, s.x)
        value = 0
        for line in winning_lines:
            if theirs & line == 0:
                value += popcount(mine & line) ** 2
        return value

    parts: GivenTerms = {"winning": (winning, 1), "open-lines": (open_lines, 1)}
    return {
        "evaluations": {"lines": occupied, "threats": threats},
        "terms": {
            "lines": {"lines": (occupied_by, 1)},
            "threats": {**parts, "limit": (remainder(threats, parts), 1)},
        },
    }
