"""A row for moves that accepts no mistake, and the defects that it finds."""

from dataclasses import dataclass

from threefold.rules.bits import is_word
from threefold.rules.text import wrong_count


@dataclass(frozen=True)
class Defect:
    """What is wrong, in a sentence, and the position that shows it."""

    check: str
    sentence: str
    position: str

    def __str__(self) -> str:
        return f"{self.check}: {self.sentence}\n    position: {self.position}"


class Broken(Exception):
    """A defect, raised where it is found: the position needs no further check."""

    def __init__(self, check: str, sentence: str) -> None:
        super().__init__(sentence)
        self.check = check
        self.sentence = sentence


class StrictRow:
    """A row that takes only integers, only where there is room, and is never read."""

    def __init__(self, hook: str, length: int, room: str = "") -> None:
        """`room` says how much the row holds, if that is not `max_moves`."""
        self._hook = hook
        self._length = length
        self._room = room or (
            f"max_moves={length}; declare max_moves as large as the most moves of any position"
        )
        self.written: dict[int, int] = {}

    def __setitem__(self, index: int, value: int) -> None:
        if isinstance(index, slice):
            raise Broken("row", f"{self._hook} writes to a slice of out; write one move at a time")
        if not is_whole_word(index) or index < 0:
            raise Broken("row", f"{self._hook} writes to out[{index!r}]; count up from 0")
        if index >= self._length:
            raise Broken(
                "max_moves" if self._room.startswith("max_moves") else self._hook,
                f"{self._hook} writes to out[{index}], past {self._room}",
            )
        if isinstance(value, int) and not is_word(value):
            raise Broken("row", f"{self._hook} writes {value}, which does not fit into 64 bits")
        if not is_whole_word(value):
            raise Broken(
                "row",
                f"{self._hook} writes {value!r}; entries are whole numbers, of Python's own type",
            )
        self.written[index] = value

    def __getitem__(self, index: int) -> int:
        raise Broken("row", f"{self._hook} reads from out; rules only write there")

    def append(self, _: object) -> None:
        """What authors try if they take the row for a list."""
        raise Broken("row", f"{self._hook} calls out.append; write to out[n] and count n")

    def __len__(self) -> int:
        raise Broken("row", f"{self._hook} asks for the length of out; rules only write there")

    def first(self, n: object) -> list[int]:
        """The first n entries, all of which must have been written."""
        if not isinstance(n, int) or n < 0:
            raise Broken("count", wrong_count(self._hook, n))
        if n != len(self.written) or set(self.written) != set(range(n)):
            wrote = len(self.written)
            entries = "1 entry" if wrote == 1 else f"{wrote} entries"
            raise Broken("count", f"{self._hook} wrote {entries} but returned {n}")
        return [self.written[i] for i in range(n)]


def is_whole_word(value: object) -> bool:
    """Whether a value is a Python integer that fits into 64 bits."""
    return isinstance(value, int) and is_word(value)
