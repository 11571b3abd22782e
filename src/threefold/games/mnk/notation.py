"""m,n,k positions and moves as text: `XO./.X./..O X`, rows from the top, then the side to move."""

from threefold.games.alignment import has_line, line_ending
from threefold.games.board import LETTERS, letter_rows, render_grid
from threefold.games.mnk.rules import State
from threefold.rules.contract import MAX, MIN
from threefold.rules.records import Board, TextHooks, Texts
from threefold.rules.text import shorten


def board_rows(s: State, m: int, n: int) -> list[str]:
    """The rows from the top, a letter for each square."""
    stride = m + 1
    squares = (range(row * stride, row * stride + m) for row in range(n - 1, -1, -1))
    return letter_rows(s.x, s.o, squares)


def notation(m: int, n: int, k: int) -> TextHooks:
    """The text hooks for `m` columns, `n` rows and `k` in line."""
    stride = m + 1

    def format_position(s: State) -> str:
        return f"{'/'.join(board_rows(s, m, n))} {'XO'[s.turn]}"

    def parse(text: str) -> State:
        board, _, side = text.partition(" ")
        rows = board.split("/")
        if len(rows) != n:
            raise ValueError(f"expected {n} rows joined by /, not {len(rows)}")
        x = o = 0
        for row, letters in zip(range(n - 1, -1, -1), rows, strict=True):
            if len(letters) != m:
                raise ValueError(f"row {shorten(letters)} has {len(letters)} squares, not {m}")
            for column, letter in enumerate(letters):
                if letter not in "XO.":
                    raise ValueError(f"{letter!r} in row {shorten(letters)} is not X, O or .")
                stone = 1 << (row * stride + column)
                x |= stone if letter == "X" else 0
                o |= stone if letter == "O" else 0
        if side not in {"X", "O"}:
            raise ValueError(
                f"expected the side to move, X or O, after a space, not {shorten(side)}"
            )
        return _checked(State(x, o, "XO".index(side)))

    def _checked(s: State) -> State:
        lead = s.x.bit_count() - s.o.bit_count()
        if lead != s.turn:
            raise ValueError(
                f"with {s.x.bit_count()} X and {s.o.bit_count()} O it cannot be "
                f"{'XO'[s.turn]}'s turn, because X moves first"
            )
        if has_line(s.o if s.turn == MIN else s.x, stride, k):
            raise ValueError(f"{'XO'[s.turn]} already has {k} in line and is to move again")
        last = s.o if s.turn == MAX else s.x
        squares = [1 << square for square in range(stride * n) if last >> square & 1]
        if squares and all(has_line(last ^ stone, stride, k) for stone in squares):
            raise ValueError(f"no single stone can have completed all the lines of {'OX'[s.turn]}")
        return s

    def format_move(_: State, a: int) -> str:
        return f"{LETTERS[a % stride]}{a // stride + 1}"

    def places(s: State, a: int) -> tuple[str, ...]:
        return (format_move(s, a),)

    def contents(s: State) -> dict[str, str]:
        return {
            f"{LETTERS[column]}{n - row}": "empty" if letter == "." else letter
            for row, letters in enumerate(board_rows(s, m, n))
            for column, letter in enumerate(letters)
        }

    def put(s: State, place: str, piece: str) -> State:
        """Add or remove a stone; the side to move follows from their numbers."""
        if place == "turn":
            raise ValueError("the numbers of X and O determine whose turn it is")
        stone = 1 << LETTERS.index(place[0]) + stride * (int(place[1:]) - 1)
        x = s.x & ~stone | (stone if piece == "X" else 0)
        o = s.o & ~stone | (stone if piece == "O" else 0)
        return State(x, o, MIN if x.bit_count() > o.bit_count() else MAX)

    def render(s: State) -> str:
        numbers = [str(row) for row in range(n, 0, -1)]
        return render_grid(board_rows(s, m, n), LETTERS[:m], numbers)

    def ending(s: State) -> str:
        return line_ending(s.x, s.o, stride, k)

    return {
        "parse": parse,
        "format": format_position,
        "format_move": format_move,
        "texts": Texts(ending=ending, sides=("X", "O")),
        "render": render,
        "board": Board(places=places, contents=contents, pieces=("X", "O", "."), put=put),
    }
