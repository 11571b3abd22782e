"""Groups of stones and their liberties, and what each side surrounds."""

from threefold.rules.wide import Cells, WideBoard


class Groups:
    """The functions of one size of board; plain ones, to be called by name from rules."""

    def __init__(self, board: WideBoard) -> None:
        self.board = board
        union, common, without, others = board.union, board.common, board.without, board.others
        single, first, is_empty, count = board.single, board.first, board.is_empty, board.count
        neighbors, flood = board.neighbors, board.flood
        north, south, east, west = board.north, board.south, board.east, board.west
        none = board.empty

        def without_liberties(start: Cells, stones: Cells, empty: Cells) -> Cells:
            """The group of some stones if it has no liberty; none as soon as one is seen."""
            group = edge = start
            while not is_empty(edge):
                beside = neighbors(edge)
                if not is_empty(common(beside, empty)):
                    return none
                edge = without(common(beside, stones), group)
                group = union(group, edge)
            return group

        def at_least_two(a: Cells, b: Cells, c: Cells, d: Cells) -> Cells:
            """The cells of two or more of four sets."""
            return union(union(common(a, b), common(c, d)), common(union(a, b), union(c, d)))

        def with_two(cells: Cells) -> Cells:
            """The points beside two or more of some."""
            return at_least_two(north(cells), south(cells), east(cells), west(cells))

        def in_atari(stones: Cells, empty: Cells) -> Cells:
            """The stones whose group has one liberty, or none.

            A group with a stone that has two is safe, which one flood of all groups shows for most.
            """
            left = without(stones, flood(common(with_two(empty), stones), stones))
            found = none
            while not is_empty(left):
                group = flood(single(first(left)), left)
                left = without(left, group)
                if count(common(neighbors(group), empty)) <= 1:
                    found = union(found, group)
            return found

        def with_few_liberties(stones: Cells, empty: Cells, most: int) -> Cells:
            """The stones whose group has at most this many liberties."""
            found, left = none, stones
            while not is_empty(left):
                group = flood(single(first(left)), stones)
                left = without(left, group)
                if count(common(neighbors(group), empty)) <= most:
                    found = union(found, group)
            return found

        def surrounded(mine: Cells, theirs: Cells) -> Cells:
            """The empty points from which only my stones can be reached."""
            empty = others(union(mine, theirs))
            reached = flood(neighbors(mine), empty)
            return without(reached, flood(neighbors(theirs), empty))

        def area(mine: Cells, theirs: Cells) -> int:
            """My stones, and the empty points that only they can be reached from."""
            return count(mine) + count(surrounded(mine, theirs))

        def nearer(mine: Cells, theirs: Cells) -> Cells:
            """The empty points that my stones are nearer to than theirs, by steps over the empty.

            Both sides' stones spread one step at a time; a point goes to whoever comes first.
            """
            left = others(union(mine, theirs))
            my_edge, their_edge, found = mine, theirs, none
            while not (is_empty(my_edge) and is_empty(their_edge)):
                my_edge = common(neighbors(my_edge), left)
                their_edge = common(neighbors(their_edge), left)
                left = without(left, union(my_edge, their_edge))
                found = union(found, without(my_edge, their_edge))
            return found

        self.without_liberties = without_liberties
        self.at_least_two = at_least_two
        self.with_two = with_two
        self.in_atari = in_atari
        self.with_few_liberties = with_few_liberties
        self.surrounded = surrounded
        self.area = area
        self.nearer = nearer
