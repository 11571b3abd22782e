"""Go by brute force, written without the library: rules, superko and plain alpha-beta.

A board is a string of X, O and dots, row by row. What came before is a set of boards.
"""

from functools import cache


class TooMany(Exception):
    """The search would look at more positions than it was given."""


@cache
def around(size: int, point: int) -> tuple[int, ...]:
    """The neighbors of a point."""
    x, y = point % size, point // size
    near = ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1))
    return tuple(b * size + a for a, b in near if 0 <= a < size and 0 <= b < size)


def reached(board: str, size: int, start: int) -> tuple[set[int], set[str]]:
    """The connected points of one kind, and what borders on them."""
    found, left, border = {start}, [start], set()
    while left:
        for beside in around(size, left.pop()):
            if board[beside] != board[start]:
                border.add(board[beside])
            elif beside not in found:
                found.add(beside)
                left.append(beside)
    return found, border


@cache
def is_legal(board: str, size: int) -> bool:
    """Whether every stone has a liberty."""
    return all("." in reached(board, size, p)[1] for p in range(len(board)) if board[p] != ".")


@cache
def boards_after(board: str, size: int, mover: str) -> tuple[str, ...]:
    """The boards that a stone can lead to; suicide is illegal."""
    found, other = [], "XO"[mover == "X"]
    for point in range(len(board)):
        if board[point] != ".":
            continue
        after = board[:point] + mover + board[point + 1 :]
        for beside in around(size, point):
            if after[beside] == other:
                group, border = reached(after, size, beside)
                if "." not in border:
                    after = "".join("." if p in group else c for p, c in enumerate(after))
        if "." in reached(after, size, point)[1]:
            found.append(after)
    return tuple(found)


@cache
def margin(board: str, size: int) -> int:
    """The points by which black is ahead: stones, and what only they border on."""
    total, left = board.count("X") - board.count("O"), set(range(len(board)))
    for point in range(len(board)):
        if board[point] == "." and point in left:
            region, border = reached(board, size, point)
            left -= region
            total += len(region) * ((border == {"X"}) - (border == {"O"}))
    return total


class BruteForce:
    """Plain alpha-beta over all games from a position, each with its own history.

    Games that go on past a depth count as lost for one side and then for the other: where both
    agree, the value is exact.
    """

    def __init__(self, size: int, most_nodes: int) -> None:
        self.size, self.left = size, most_nodes

    def value(self, board: str, mover: str, passes: int = 0) -> int:
        """The margin for the player to move in a game that begins here."""
        return self.search(board, mover, {board}, passes)

    def search(self, board: str, mover: str, history: set[str], passes: int = 0) -> int:
        """The margin for the player to move in a game with that history."""
        depth, most = 1, self.size**2
        while True:
            low, high = (
                self._search(board, mover, passes, history, -most, most, depth, beyond)
                for beyond in ((-most, most) if mover == "X" else (most, -most))
            )
            if low == high:
                return low
            depth += 1

    def _search(
        self,
        board: str,
        mover: str,
        passes: int,
        history: set[str],
        alpha: int,
        beta: int,
        depth: int,
        beyond: int,
    ) -> int:
        self.left -= 1
        if self.left < 0:
            raise TooMany
        if passes == 2 or depth == 0:
            worth = margin(board, self.size) if passes == 2 else beyond
            return worth if mover == "X" else -worth
        other = "XO"[mover == "X"]
        best = -self._search(board, other, passes + 1, history, -beta, -alpha, depth - 1, beyond)
        for after in boards_after(board, self.size, mover):
            if best >= beta:
                break
            if after not in history:
                history.add(after)
                found = -self._search(
                    after, other, 0, history, -beta, -max(alpha, best), depth - 1, beyond
                )
                history.discard(after)
                best = max(best, found)
        return best
