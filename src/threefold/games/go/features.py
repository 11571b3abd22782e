"""What a net sees of Go: planes of points, as many words each as a set of points takes."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from threefold.games.go.groups import Groups
from threefold.rules.contract import MAX, Player, Row
from threefold.rules.wide import Cells

if TYPE_CHECKING:
    from threefold.games.go.rules import Sets


def features(groups: Groups, sets: "Sets") -> Callable[[Any, Player, Row], int]:
    """The hook: stones, those of groups in danger, ko; whole planes for the color and a pass."""
    board = groups.board
    union, others, single, none, full = (
        *(board.union, board.others),
        *(board.single, board.empty, board.full),
    )
    few, black, white, words = groups.with_few_liberties, sets.black, sets.white, board.words

    def write(cells: Cells, plane: int, out: Row) -> None:
        for i in range(words):
            out[plane * words + i] = cells[i]

    def seen(s: Any, p: Player, out: Row) -> int:
        if p == MAX:
            mine, theirs = black(s), white(s)
        else:
            mine, theirs = white(s), black(s)
        empty = others(union(mine, theirs))
        write(mine, 0, out)
        write(theirs, 1, out)
        write(few(mine, empty, 1), 2, out)
        write(few(mine, empty, 2), 3, out)
        write(few(theirs, empty, 1), 4, out)
        write(few(theirs, empty, 2), 5, out)
        write(single(s.ko) if s.ko >= 0 else none, 6, out)
        write(full if p == MAX else none, 7, out)  # komi favors one color
        write(full if s.passes > 0 else none, 8, out)  # a second pass ends the game
        return 9 * words

    return seen
