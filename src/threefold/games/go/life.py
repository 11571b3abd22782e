"""Stones that can never be captured, even if their side only passes (Benson, 1976).

A *chain* is a group of my stones, a *region* a connected set of points without my stones. A region
is vital to a chain if all its empty points are liberties of that chain. Chains live if each has two
vital regions whose surrounding chains all live: to capture one, the other side would have to
fill both regions at once.
"""

from collections.abc import Callable

from threefold.rules.wide import Cells, WideBoard


def secure_points(board: WideBoard) -> Callable[[Cells, Cells], Cells]:
    """A function of my stones and theirs: the points that are surely mine at the end of the game.

    They are my stones that live in this sense, and their eyes of one point.
    """
    union, common, without, others = board.union, board.common, board.without, board.others
    single, first, rest, is_empty = board.single, board.first, board.rest, board.is_empty
    neighbors, flood = board.neighbors, board.flood

    def vital_regions(chain: Cells, alive: Cells, mine: Cells, empty: Cells) -> int:
        """How many regions are vital to a chain, among those that living chains alone surround."""
        liberties = neighbors(chain)
        left, dead, vital = others(mine), without(mine, alive), 0
        while not is_empty(left):
            region = flood(single(first(left)), left)
            left = without(left, region)
            is_vital = is_empty(without(common(region, empty), liberties))
            is_an_eye = is_vital and not is_empty(common(region, empty))
            if is_an_eye and is_empty(common(neighbors(region), dead)):
                vital += 1
        return vital

    def living(mine: Cells, theirs: Cells) -> Cells:
        empty = others(union(mine, theirs))
        alive, left = mine, mine
        while not is_empty(left):
            chain = flood(single(first(left)), mine)
            left = without(left, chain)
            if vital_regions(chain, alive, mine, empty) < 2:
                alive = without(alive, chain)
                left = alive  # what it helped to surround is no longer safe
        return alive

    def secure(mine: Cells, theirs: Cells) -> Cells:
        alive = living(mine, theirs)
        found, left = alive, common(others(union(mine, theirs)), neighbors(alive))
        while not is_empty(left):
            point = single(first(left))
            left = rest(left)
            if is_empty(without(neighbors(point), alive)):
                found = union(found, point)
        return found

    return secure
