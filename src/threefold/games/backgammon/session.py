"""Games that belong together, a match or a session for money: who sits where, and the score."""

from collections.abc import Mapping, Sequence

from threefold.games.backgammon.layout import SIDES
from threefold.games.backgammon.record import SEAT, UNKNOWN, YES, points_before
from threefold.rules.contract import MAX


def at_match_point(points: Sequence[int], length: int) -> bool:
    """Whether exactly one player needs one more point."""
    return (points[0] == length - 1) != (points[1] == length - 1)


class Session:
    """Games one after another, of which tags tell."""

    def __init__(self, tags: Mapping[str, str], left: str | None = None) -> None:
        """Begin with a game; who has the left seat is named, or is X."""
        self._tags = dict(tags)
        self.left = tags["X"] if left is None else left
        #: How many games there were.
        self.games = 0
        #: The points so far, of the left seat and of the right one.
        self.points = self.turned(tags, points_before(tags))
        self._had_crawford = False

    def side(self, tags: Mapping[str, str]) -> int:
        """The seat of X in a game: 0 is the left one."""
        if tags["X"] == tags["O"]:
            return int(tags.get(SEAT) == "2")
        return int(tags["X"] != self.left)

    def turned(self, tags: Mapping[str, str], points: list[int]) -> list[int]:
        """Points of X and O in a game as those of the seats, or the other way round."""
        return points[::-1] if self.side(tags) else points[:]

    def has(self, tags: Mapping[str, str]) -> bool:
        """Whether a game is between the same players."""
        return {tags["X"], tags["O"]} == {self._tags["X"], self._tags["O"]}

    def goes_on(self, tags: Mapping[str, str]) -> bool:
        """Whether a game may be the next one."""
        rules = ("Length", "Cube", "Jacoby")
        if not self.has(tags) or any(tags.get(rule) != self._tags.get(rule) for rule in rules):
            return False
        if "Length" not in tags:
            return True
        before = self.turned(tags, points_before(tags))
        is_crawford = not self._had_crawford and at_match_point(before, int(tags["Length"]))
        return before == self.points and (tags.get("Crawford") == YES) == is_crawford

    def won(self, tags: Mapping[str, str]) -> tuple[int, int] | None:
        """The seat that won a game, and its points, if they are known."""
        winner, _, points = tags.get("Result", UNKNOWN).partition("+")
        if not points.isdecimal():
            return None
        side = self.side(tags)
        return side if winner == SIDES[MAX] else 1 - side, int(points)

    def add(self, tags: Mapping[str, str]) -> None:
        """Count a game, and add its points to the score."""
        self.games += 1
        self._had_crawford = self._had_crawford or "Crawford" in tags
        if won := self.won(tags):
            seat, points = won
            self.points[seat] += points
