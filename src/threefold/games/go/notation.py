"""Go positions as rows from the top, the side to move, what is barred; moves as `D4`, `pass`.

.XO./X.XO/.XO./.... O ko=B3     white to move, but not on B3
.XO./X.XO/.XO./.... O passes=1  white to move after a pass; a second pass ends the game
"""

import re
from collections.abc import Callable
from typing import Any

from threefold.games.board import letter_rows, render_grid
from threefold.games.go.groups import Groups
from threefold.games.go.rules import LAST_PASS, NO_KO, Sets, state_type
from threefold.rules.contract import MAX
from threefold.rules.records import Board, TextHooks, Texts
from threefold.rules.text import shorten
from threefold.rules.wide import Cells, WideBoard

#: The names of the columns: Go has no I, which looks like J.
COLUMNS = "ABCDEFGHJKLMNOPQRST"
PASS = "pass"
_SIGNS = {"X": ("●", "Black stone"), "O": ("○", "White stone")}
_LAST = re.compile(r"(ko|passes)=(.*)")


def score_text(lead: float) -> str:
    """A lead of black's in points as records write it: `B+3.5`; `0` for a draw."""
    return "0" if lead == 0 else f"{'B' if lead > 0 else 'W'}+{abs(lead):g}"


class Points:
    """The names of the points of one size of board."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.board = WideBoard(size, size)
        self.sets = Sets(self.board)
        self.columns = COLUMNS[:size]
        self.numbers = [str(row) for row in range(size, 0, -1)]

    def name(self, cell: int) -> str:
        """The name of a point, `D4`; of the number after the last, `pass`."""
        if cell == self.board.cells:
            return PASS
        return f"{self.columns[cell % self.size]}{cell // self.size + 1}"

    def number(self, name: str) -> int:
        """The number of the point with this name, in capitals or not."""
        point = re.fullmatch("([A-Za-z])([1-9][0-9]?)", name)
        column = self.columns.find(point[1].upper()) if point else -1
        if point is None or column < 0 or int(point[2]) > self.size:
            raise ValueError(
                f"{shorten(name)} is not a point from A1 to {self.name(self.board.cells - 1)}"
            )
        return (int(point[2]) - 1) * self.size + column

    def rows(self, s: Any) -> list[str]:
        """The rows from the top: X black, O white, a dot where there is no stone."""
        size = self.size
        cells = (range(row * size, (row + 1) * size) for row in range(size - 1, -1, -1))
        black, white = (
            sum(1 << cell for cell in self.board.cells_of(stones))
            for stones in (self.sets.black(s), self.sets.white(s))
        )
        return letter_rows(black, white, cells)


def notation(points: Points, ending: Callable[[Any], str]) -> TextHooks:
    """The text hooks for one size of board; `ending` says how a finished game has ended."""
    size, board, sets = points.size, points.board, points.sets
    State = state_type(board.words)  # noqa: N806
    groups = Groups(board)

    def format_position(s: Any) -> str:
        ko = f" ko={points.name(s.ko)}" if s.ko != NO_KO else ""
        passes = f" passes={s.passes}" if s.passes else ""
        return f"{'/'.join(points.rows(s))} {'XO'[s.turn]}{ko}{passes}"

    def parse(text: str) -> Any:
        rows, _, last = text.partition(" ")
        side, _, last = last.partition(" ")
        black, white = stones_of(rows.split("/"))
        if side not in {"X", "O"}:
            raise ValueError(
                f"expected the side to move, X or O, after a space, not {shorten(side)}"
            )
        ko, passes = NO_KO, 0
        parts = last.split()
        for part in parts:
            given = _LAST.fullmatch(part)
            if given is None:
                raise ValueError(
                    f"{shorten(part)} after the side to move is neither ko=POINT nor passes=1"
                )
            if sum(each.startswith(f"{given[1]}=") for each in parts) > 1:
                raise ValueError(f"{given[1]} is given more than once")
            if given[1] == "ko":
                ko = points.number(given[2])
            else:
                passes = passes_of(given[2])
        return checked(State(*black, *white, ko, passes, "XO".index(side)))

    def stones_of(rows: list[str]) -> tuple[Cells, Cells]:
        if len(rows) != size:
            raise ValueError(f"expected {size} rows joined by /, not {len(rows)}")
        cells: dict[str, list[int]] = {"X": [], "O": [], ".": []}
        for number, letters in enumerate(rows):
            if len(letters) != size:
                raise ValueError(f"row {shorten(letters)} has {len(letters)} points, not {size}")
            for column, letter in enumerate(letters):
                if letter not in cells:
                    raise ValueError(f"{letter!r} in row {shorten(letters)} is not X, O or .")
                cells[letter].append((size - 1 - number) * size + column)
        return board.set_of(cells["X"]), board.set_of(cells["O"])

    def passes_of(text: str) -> int:
        if text not in {"1", "2"}:
            raise ValueError(
                f"passes={shorten(text)[1:-1]} is not 1, a pass just before, or {LAST_PASS}, "
                "the end of the game"
            )
        return int(text)

    def checked(s: Any) -> Any:
        black, white = sets.black(s), sets.white(s)
        empty = board.others(board.union(black, white))
        for stones in (black, white):
            if captured := [*board.cells_of(groups.with_few_liberties(stones, empty, 0))]:
                raise ValueError(f"the stone on {points.name(captured[0])} has no liberty")
        if s.ko != NO_KO and not board.has(empty, s.ko):
            raise ValueError(f"ko={points.name(s.ko)} is not an empty point")
        if s.ko != NO_KO and s.passes:
            raise ValueError("no point is barred by ko after a pass")
        return s

    def format_move(_: Any, a: int) -> str:
        return points.name(a)

    def parse_move(_: Any, text: str) -> int:
        return board.cells if text.lower() == PASS else points.number(text)

    def places(_: Any, a: int) -> tuple[str, ...]:
        return () if a == board.cells else (points.name(a),)

    def contents(s: Any) -> dict[str, str]:
        words = {"X": "black", "O": "white", ".": "empty"}
        return {
            f"{column}{number}": words[letter]
            for number, letters in zip(points.numbers, points.rows(s), strict=True)
            for column, letter in zip(points.columns, letters, strict=True)
        }

    def put(s: Any, place: str, piece: str) -> Any:
        """Put a stone on a point, or take it off; nothing is captured, barred or passed."""
        if place == "turn":
            return State(*sets.black(s), *sets.white(s), NO_KO, 0, int(piece))
        cell = points.number(place)
        black, white = board.take(sets.black(s), cell), board.take(sets.white(s), cell)
        if piece == "X":
            black = board.put(black, cell)
        elif piece == "O":
            white = board.put(white, cell)
        return State(*black, *white, NO_KO, 0, s.turn)

    def render(s: Any) -> str:
        grid = render_grid(points.rows(s), points.columns, points.numbers)
        ko = f", {points.name(s.ko)} is barred by ko" if s.ko != NO_KO else ""
        passed = ", after a pass" if s.passes == 1 else ""
        turn = "black (X)" if s.turn == MAX else "white (O)"
        return grid if s.passes >= LAST_PASS else f"{grid}\n{turn} to move{ko}{passed}"

    return {
        "parse": parse,
        "format": format_position,
        "parse_move": parse_move,
        "format_move": format_move,
        "render": render,
        "board": Board(
            places=places, contents=contents, pieces=(*_SIGNS, "."), put=put, signs=_SIGNS
        ),
        "texts": Texts(sides=("black", "white"), ending=ending),
    }
