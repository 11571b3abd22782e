"""Boards of more than 64 cells: bitboards over several words.

A word holds 64 cells. A board of 9×9 needs two words, one of 19×19 six, and a set of cells is then
a tuple of that many words. Cells are numbered row by row, the first row lowest (here 9×9):

    row 2   18 19 20 21 22 23 24 25 26     bit 0…63 of word 0: cells 0…63
    row 1    9 10 11 12 13 14 15 16 17     bit 0…63 of word 1: cells 64…80, the rest stays 0
    row 0    0  1  2  3  4  5  6  7  8

`WideBoard(columns, rows)` makes the functions for one size. They are plain functions, written out
word by word: rules call them by name, and they run interpreted, compiled and on a GPU.

    board = WideBoard(9, 9)
    common, flood = board.common, board.flood
    neighbors, single = board.neighbors, board.single

    def liberties(stones, empty, cell):
        return common(neighbors(flood(single(cell), stones)), empty)
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

from threefold.errors import BadGame
from threefold.rules.bits import WORD_BITS, lsb, lsr, pop_lowest, popcount, shl

#: A set of cells: as many words as the board needs.
Cells: TypeAlias = tuple[int, ...]

#: The most words for each player: a larger State would be too slow.
MAX_CELLS = 1024


def _bit(cell: int, word: int) -> int:
    """What one word of a board holds of a cell."""
    return shl(1, cell) if cell >> 6 == word else 0


def _nth_bit(x: int, n: int) -> int:
    """The bit of a word that has `n` others below it, by halving the word."""
    place, width = 0, WORD_BITS >> 1
    while width:
        below = popcount(lsr(x, place) & (shl(1, width) - 1))
        if n >= below:
            n -= below
            place += width
        width >>= 1
    return place


def _list_word(x: int, base: int, out: Any, n: int) -> int:
    """Write the numbers of a word's bits, counted from `base`, behind the first `n` of a row."""
    while x:
        out[n] = base + lsb(x)
        x = pop_lowest(x)
        n += 1
    return n


class WideBoard:
    """The functions for sets of cells on a board of `columns` × `rows`.

    Those that return cells return a tuple of `words` words. None looks past the edge: a cell that
    would leave the board is gone, and never comes back at the other side.
    """

    #: Cells in one set or the other; in both; in the first alone.
    union: Callable[[Cells, Cells], Cells]
    common: Callable[[Cells, Cells], Cells]
    without: Callable[[Cells, Cells], Cells]
    #: The cells that are not in a set.
    others: Callable[[Cells], Cells]
    #: One cell by its number; whether a set holds it; a set with it, and without it.
    single: Callable[[int], Cells]
    has: Callable[[Cells, int], bool]
    put: Callable[[Cells, int], Cells]
    take: Callable[[Cells, int], Cells]
    #: Whether a set is empty, and how many cells it holds.
    is_empty: Callable[[Cells], bool]
    count: Callable[[Cells], int]
    #: The lowest cell of a set, and the set without it. Of no cells: 64 × `words`, and none.
    first: Callable[[Cells], int]
    rest: Callable[[Cells], Cells]
    #: Write the cells of a set into a row, the lowest first; return how many there are.
    write: Callable[[Cells, Any], int]
    #: The cell that has `n` others of a set below it; n is less than the set's count.
    nth: Callable[[Cells, int], int]
    #: Eight bits for the cells around one: three below it, its left and right, three above. What
    #: is off the board is one of `beyond`, and its bit says nothing.
    around: Callable[[Cells, int], int]
    #: All cells moved by one; those beside any of a set, along rows and columns.
    north: Callable[[Cells], Cells]
    south: Callable[[Cells], Cells]
    east: Callable[[Cells], Cells]
    west: Callable[[Cells], Cells]
    neighbors: Callable[[Cells], Cells]
    #: The cells of the second set that can be reached from the first by steps inside the second.
    flood: Callable[[Cells, Cells], Cells]

    def __init__(self, columns: int, rows: int) -> None:
        if columns < 1 or rows < 1 or columns * rows > MAX_CELLS:
            raise BadGame(
                f"a board of {columns}×{rows} cells cannot be made: both at least 1, and at most "
                f"{MAX_CELLS} cells"
            )
        self.columns, self.rows, self.cells = columns, rows, columns * rows
        #: How many words a set of cells takes.
        self.words = -(-self.cells // WORD_BITS)
        self._each = range(self.words)
        #: No cell, and every cell.
        self.empty: Cells = (0,) * self.words
        self.full = self.set_of(range(self.cells))

        self.union = self._function("union", "a, b", self._tuple("a[{i}] | b[{i}]"))
        self.common = self._function("common", "a, b", self._tuple("a[{i}] & b[{i}]"))
        self.without = self._function("without", "a, b", self._tuple("a[{i}] & ~b[{i}]"))
        self.others = self._function(
            "others", "a", self._tuple("full[{i}] & ~a[{i}]"), full=self.full
        )
        self.single = self._function("single", "cell", self._tuple("bit(cell, {i})"))
        self.has = self._function(
            "has", "a, cell", f"({self._any('a[{i}] & bit(cell, {i})')}) != 0"
        )
        self.put = self._function("put", "a, cell", self._tuple("a[{i}] | bit(cell, {i})"))
        self.take = self._function("take", "a, cell", self._tuple("a[{i}] & ~bit(cell, {i})"))
        self.is_empty = self._function("is_empty", "a", f"({self._any('a[{i}]')}) == 0")
        self.count = self._function(
            "count", "a", " + ".join(f"popcount(a[{i}])" for i in self._each)
        )
        self.first = self._function("first", "a", self._first())
        self.rest = self._function("rest", "a", self._rest())
        self.nth = self._function("nth", "a, n", self._nth())
        self.write = self._function("write", "a, out", self._write(), functions=(_list_word,))
        self.north, self.south = self.step(0, 1), self.step(0, -1)
        self.east, self.west = self.step(1, 0), self.step(-1, 0)
        self.neighbors = self._neighbors()
        self.around = self._around()
        self.flood = _flood(self)

    # For Python alone: tables and texts are made of these.

    def set_of(self, cells: Iterable[int]) -> Cells:
        """The set of some cells, by their numbers."""
        return self._split(sum(1 << cell for cell in {*cells}))

    def cells_of(self, a: Cells) -> Iterator[int]:
        """The numbers of the cells of a set, the lowest first."""
        while not self.is_empty(a):
            yield self.first(a)
            a = self.rest(a)

    def step(self, columns: int, rows: int) -> Callable[[Cells], Cells]:
        """A function that shifts all cells by columns and rows; what leaves the board is gone.

        `step(1, 2)` is one of the moves of a knight.
        """
        stays = self.set_of(
            row * self.columns + column
            for row in range(self.rows)
            for column in range(self.columns)
            if 0 <= row + rows < self.rows and 0 <= column + columns < self.columns
        )
        moved = self._moved(columns + rows * self.columns, "(a[{i}] & stays[{i}])")
        name = f"step_{columns}_{rows}".replace("-", "minus_")
        return self._function(name, "a", self._listed(moved), stays=stays)

    def beyond(self, cell: int) -> int:
        """Which of the eight bits of `around` are off the board."""
        row, column = divmod(cell, self.columns)
        places = [(dy, dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dy or dx]
        return sum(
            1 << i
            for i, (dy, dx) in enumerate(places)
            if not (0 <= row + dy < self.rows and 0 <= column + dx < self.columns)
        )

    # The code of the functions, word by word.

    def _neighbors(self) -> Callable[[Cells], Cells]:
        """All four steps in one: only the last rows and columns need a mask."""
        last_column = self.set_of(range(self.columns - 1, self.cells, self.columns))
        first_column = self.set_of(range(0, self.cells, self.columns))
        steps = (
            self._moved(1, "(a[{i}] & ~last[{i}])"),
            self._moved(-1, "(a[{i}] & ~first[{i}])"),
            self._moved(self.columns, "a[{i}]"),
            self._moved(-self.columns, "a[{i}]"),
        )
        words = [" | ".join(f"({word})" for word in words) for words in zip(*steps, strict=True)]
        inside = [f"({word}) & full[{i}]" for i, word in enumerate(words)]
        return self._function(
            *("neighbors", "a", self._listed(inside)),
            last=last_column,
            first=first_column,
            full=self.full,
        )

    def _around(self) -> Callable[[Cells, int], int]:
        found = "0"
        for i in reversed(self._each):
            bits = f"lsr(a[{i}], at - {WORD_BITS * i})"
            if i + 1 in self._each:
                more = f"shl(a[{i + 1}], {WORD_BITS * (i + 1)} - at)"
                bits = f"({bits} | ({more} if at > {WORD_BITS * (i + 1) - 3} else 0))"
            found = f"{bits} if at < {WORD_BITS * (i + 1)} else {found}"
        three = self._function("three", "a, at", f"(shl(a[0], 1) if at < 0 else {found}) & 7")
        above, middle = self.columns - 1, f"{three.__name__}(a, cell - 1)"
        return self._function(
            "around",
            "a, cell",
            f"{three.__name__}(a, cell - {self.columns + 1}) | ({middle} & 1) << 3 | "
            f"({middle} & 4) << 2 | {three.__name__}(a, cell + {above}) << 5",
            functions=(three,),
        )

    def _moved(self, by: int, word: str) -> list[str]:
        """The words of a set whose cells move `by` numbers up, or down if negative."""
        whole, part = divmod(abs(by), WORD_BITS)
        near, far, back = ("shl", "lsr", -1) if by >= 0 else ("lsr", "shl", 1)
        moved = []
        for i in self._each:
            source = i + back * whole
            parts = [f"{near}({word.format(i=source)}, {part})"] if source in self._each else []
            if part and source + back in self._each:
                parts.append(f"{far}({word.format(i=source + back)}, {WORD_BITS - part})")
            moved.append(" | ".join(parts) or "0")
        return moved

    def _first(self) -> str:
        found = f"{WORD_BITS * self.words}"
        for i in reversed(self._each):
            found = f"{WORD_BITS * i} + lsb(a[{i}]) if a[{i}] else {found}"
        return found

    def _rest(self) -> str:
        """The lowest word that holds a cell loses one, the others stay as they are."""
        words = [
            f"a[{i}] if {' | '.join(f'a[{j}]' for j in range(i))} else pop_lowest(a[{i}])"
            for i in self._each
            if i
        ]
        return self._listed(["pop_lowest(a[0])", *words])

    def _nth(self) -> str:
        """In the last word, or in an earlier one if the words up to it hold enough cells."""
        found = ""
        for i in reversed(self._each):
            below = "".join(f" - popcount(a[{j}])" for j in range(i))
            here = f"{WORD_BITS * i} + nth_bit(a[{i}], n{below})"
            found = f"{here} if n{below} < popcount(a[{i}]) else {found}" if found else here
        return found

    def _write(self) -> str:
        written = "0"
        for i in self._each:
            written = f"_list_word(a[{i}], {WORD_BITS * i}, out, {written})"
        return written

    def _tuple(self, word: str) -> str:
        return self._listed([word.format(i=i) for i in self._each])

    def _any(self, word: str) -> str:
        return " | ".join(f"({word.format(i=i)})" for i in self._each)

    def _listed(self, words: list[str]) -> str:
        return f"({', '.join(words)},)"

    def _split(self, bits: int) -> Cells:
        octets = bits.to_bytes(8 * self.words, "little")
        return tuple(
            int.from_bytes(octets[8 * i : 8 * i + 8], "little", signed=True) for i in self._each
        )

    def _function(
        self,
        name: str,
        arguments: str,
        returned: str,
        functions: Iterable[Callable[..., Any]] = (),
        **masks: Cells,
    ) -> Callable[..., Any]:
        """A plain function in its own namespace, in which the words of a mask are constants.

        Its name differs from those of other boards, because names become symbols of compiled code.
        """
        namespace: dict[str, Any] = {"__name__": __name__, "bit": _bit, "nth_bit": _nth_bit}
        namespace |= {f.__name__: f for f in (lsb, lsr, pop_lowest, popcount, shl, *functions)}
        for mask, words in masks.items():
            for i, word in enumerate(words):
                returned = returned.replace(f"{mask}[{i}]", f"{mask}_{i}")
                namespace[f"{mask}_{i}"] = word
        unique = f"{name}_{self.columns}x{self.rows}"
        exec(f"def {unique}({arguments}):\n    return {returned}\n", namespace)
        function: Callable[..., Any] = namespace[unique]
        return function


def _flood(board: WideBoard) -> Callable[[Cells, Cells], Cells]:
    union, common, without = board.union, board.common, board.without
    neighbors, is_empty = board.neighbors, board.is_empty

    def flood(start: Cells, within: Cells) -> Cells:
        reached = common(start, within)
        edge = reached
        while not is_empty(edge):
            edge = without(common(neighbors(edge), within), reached)
            reached = union(reached, edge)
        return reached

    flood.__name__ = f"flood_{board.columns}x{board.rows}"
    return flood
