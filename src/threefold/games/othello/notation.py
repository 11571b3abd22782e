"""Othello positions as letters from a1 row by row, then the side to move; moves as `d3`, `pass`."""

from threefold.games.board import LETTERS, letter_rows, render_grid
from threefold.games.othello.rules import State
from threefold.rules.bits import shl
from threefold.rules.records import Board, TextHooks, Texts
from threefold.rules.text import shorten


def board_rows(s: State, size: int) -> list[str]:
    """The rows from the top, a letter for each square."""
    squares = (range(row * size, (row + 1) * size) for row in range(size))
    return letter_rows(s.black, s.white, squares, empty="-")


def notation(size: int) -> TextHooks:
    """The text hooks for `size` × `size` squares."""
    squares = size * size

    def format_position(s: State) -> str:
        return f"{''.join(board_rows(s, size))} {'XO'[s.turn]}"

    def parse(text: str) -> State:
        board, _, side = text.partition(" ")
        if len(board) != squares:
            raise ValueError(
                f"expected {squares} letters, a space and the side to move, "
                f"not {len(board)} letters"
            )
        discs = {"X": 0, "O": 0, "-": 0}
        for square, letter in enumerate(board):
            if letter not in discs:
                name = f"{LETTERS[square % size]}{square // size + 1}"
                raise ValueError(f"{letter!r} on {name} is not X, O or -")
            discs[letter] |= shl(1, square)
        if side not in {"X", "O"}:
            raise ValueError(
                f"expected the side to move, X or O, after a space, not {shorten(side)}"
            )
        return State(discs["X"], discs["O"], "XO".index(side))

    def format_move(_: State, a: int) -> str:
        return "pass" if a == squares else f"{LETTERS[a % size]}{a // size + 1}"

    def places(s: State, a: int) -> tuple[str, ...]:
        return () if a == squares else (format_move(s, a),)

    def contents(s: State) -> dict[str, str]:
        words = {"X": "black", "O": "white", "-": "empty"}
        return {
            f"{LETTERS[column]}{row}": words[letter]
            for row, letters in enumerate(board_rows(s, size), 1)
            for column, letter in enumerate(letters)
        }

    def put(s: State, place: str, piece: str) -> State:
        if place == "turn":
            return State(s.black, s.white, int(piece))
        square = shl(1, LETTERS.index(place[0]) + size * (int(place[1:]) - 1))
        black = s.black & ~square | (square if piece == "X" else 0)
        white = s.white & ~square | (square if piece == "O" else 0)
        return State(black, white, s.turn)

    def render(s: State) -> str:
        numbers = [str(row) for row in range(1, size + 1)]
        return render_grid(board_rows(s, size), LETTERS[:size], numbers)

    return {
        "parse": parse,
        "format": format_position,
        "format_move": format_move,
        "render": render,
        "board": Board(places=places, contents=contents, pieces=("X", "O", "-"), put=put),
        "texts": Texts(sides=("black", "white")),
    }
