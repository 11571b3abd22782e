"""Checkers positions as PDN writes them, `B:W21,22,K30:B1,2,3`, and moves as `11-15`, `22x15x8`.

PDN's FEN does not say how many plies have passed without progress. A common extension, `:H12`,
does; it is left out if there are none. `:F30`, the move number, is read but not kept.
"""

import re
from collections.abc import Callable

from threefold.games.checkers.routes import (
    FIRST_STEP,
    MOST_MOVES,
    PIECES,
    ROUTES,
    SQUARES,
    STEPS,
)
from threefold.games.checkers.rules import BLACK_KINGS_ROW, WHITE_KINGS_ROW, State
from threefold.rules.contract import MAX, MIN, Row
from threefold.rules.records import Board, TextHooks, Texts
from threefold.rules.text import listing, shorten

_EXAMPLE = "B:W21,22,K30:B1,2,3"
#: By piece, its sign and its name.
_SIGNS = {
    "b": ("●", "Black man"),
    "B": ("♚", "Black king"),
    "w": ("○", "White man"),
    "W": ("♔", "White king"),
}
_PIECES = re.compile(r"(?P<king>K?)(?P<first>[0-9]{1,2})(?:-(?P<last>[0-9]{1,2}))?")
_COUNTER = re.compile(r"[HF](?P<number>[0-9]{1,4})")
_MOVE = re.compile(r"[0-9]{1,2}(?:-[0-9]{1,2}|(?:x[0-9]{1,2})+)")


def number_of(square: int) -> int:
    """The number of a square, from 1, by its bit."""
    return SQUARES.index(square) + 1


def letter_at(s: State, square: int) -> str:
    """`b` or `w` for a man, `B` or `W` for a king, empty if there is no piece."""
    letter = "b" if s.black >> square & 1 else "w" if s.white >> square & 1 else ""
    return letter.upper() if s.kings >> square & 1 else letter


def path_of(a: int) -> list[int]:
    """The numbers of the squares that a move passes through."""
    if a < FIRST_STEP:
        return list(map(number_of, ROUTES[a].path))
    square, direction = divmod(a - FIRST_STEP, len(STEPS))
    return [number_of(square), number_of(square + STEPS[direction])]


def notation(quiet_limit: int, actions: Callable[[State, Row], int]) -> TextHooks:
    """The text hooks, given the legal moves and the limit on plies without progress."""

    def format_position(s: State) -> str:
        sides = "".join(
            f":{side}{','.join(format_pieces(s, letters))}"
            for side, letters in (("W", "wW"), ("B", "bB"))
        )
        return "BW"[s.turn] + sides + (f":H{s.quiet}" if s.quiet else "")

    def parse(text: str) -> State:
        side, *fields = text.removesuffix(".").split(":")
        if side not in {"B", "W"}:
            raise ValueError(f"the side to move, B or W, must come first, not {shorten(side)}")
        squares: dict[str, tuple[int, int]] = {}
        while fields and fields[0][:1] in {"B", "W"}:
            field = fields.pop(0)
            if field[0] in squares:
                raise ValueError(f"the pieces of {field[0]} are given twice")
            squares[field[0]] = _parse_pieces(field[0], field[1:])
        if len(squares) < 2:
            found = f", not {shorten(fields[0])}" if fields else ""
            raise ValueError(f"give the pieces of both sides, as in {_EXAMPLE}{found}")
        black, black_kings = squares["B"]
        white, white_kings = squares["W"]
        if both := black & white:
            raise ValueError(f"square {_first(both)} holds a piece of each side")
        if not black | white:
            raise ValueError("there is no piece on the board")
        quiet = min(_parse_counters(fields), quiet_limit)
        return State(black, white, black_kings | white_kings, quiet, MAX if side == "B" else MIN)

    def format_move(_: State, a: int) -> str:
        return ("x" if a < FIRST_STEP else "-").join(map(str, path_of(a)))

    def parse_move(s: State, text: str) -> int:
        if not _MOVE.fullmatch(text):
            raise ValueError("a move is written 11-15, a capture 22x15x8")
        wanted = list(map(int, re.split("[-x]", text)))
        row = [0] * MOST_MOVES
        count = actions(s, row)
        legal = {a: path_of(a) for a in row[:count]}
        if any(a < FIRST_STEP for a in legal) != ("x" in text):
            raise ValueError("a capture is mandatory" if "-" in text else "there is no capture")
        fitting = [a for a, path in legal.items() if path == wanted] or [
            a for a, path in legal.items() if _is_short_for(wanted, path)
        ]
        if len(fitting) > 1:
            names = listing([format_move(s, a) for a in fitting])
            raise ValueError(f"it could be any of {names}; name more squares")
        if not fitting:
            raise ValueError
        return fitting[0]

    def places(_: State, a: int) -> tuple[str, ...]:
        return tuple(map(str, path_of(a)))

    def contents(s: State) -> dict[str, str]:
        words = {"b": "black man", "B": "black king", "w": "white man", "W": "white king"}
        return {
            str(number): words.get(letter_at(s, square), "empty")
            for number, square in enumerate(SQUARES, 1)
        }

    def put(s: State, place: str, piece: str) -> State:
        if place == "turn":
            return State(s.black, s.white, s.kings, 0, int(piece))
        square = 1 << SQUARES[int(place) - 1]
        black, white, kings = s.black & ~square, s.white & ~square, s.kings & ~square
        black |= square if piece in "bB" else 0
        white |= square if piece in "wW" else 0
        kings |= square if piece in "BW" else 0
        return State(black, white, kings, 0, s.turn)

    def render(s: State) -> str:
        """The board with white below; empty squares show their numbers."""
        lines = []
        for row in range(8):
            squares = SQUARES[4 * row : 4 * row + 4]
            cells = (f"{letter_at(s, square) or number_of(square):>2}" for square in squares)
            lines.append(("    " if row % 2 == 0 else "") + "      ".join(cells))
        return "\n".join(lines)

    def ending(s: State) -> str:
        if actions(s, [0] * MOST_MOVES):
            return f"{quiet_limit // 2} moves without a capture or a move by a man"
        blocked = s.black if s.turn == MAX else s.white
        return "no piece can move" if blocked else "all pieces are captured"

    return {
        "parse": parse,
        "format": format_position,
        "parse_move": parse_move,
        "format_move": format_move,
        "texts": Texts(ending=ending, sides=("black", "white")),
        "render": render,
        "board": Board(
            places=places, contents=contents, pieces=(*_SIGNS, "."), put=put, signs=_SIGNS
        ),
    }


def format_pieces(s: State, letters: str) -> list[str]:
    """The squares with one of the letters, as PDN writes them."""
    names = {letters[0]: "", letters[1]: "K"}
    found = ((letter_at(s, square), number) for number, square in enumerate(SQUARES, 1))
    return [f"{names[letter]}{number}" for letter, number in found if letter in names]


def _parse_pieces(side: str, text: str) -> tuple[int, int]:
    """The pieces and the kings of a side."""
    name = {"B": "Black", "W": "White"}[side]
    kings_row = BLACK_KINGS_ROW if side == "B" else WHITE_KINGS_ROW
    pieces, kings = 0, 0
    for part in text.split(",") if text else ():
        squares = _parse_squares(part)
        if part.startswith("K"):
            kings |= squares
        elif ahead := squares & kings_row:
            raise ValueError(
                f"{name}'s man on {_first(ahead)}, its last row, must be a king: K{_first(ahead)}"
            )
        if twice := pieces & squares:
            raise ValueError(f"{name}'s square {_first(twice)} is given twice")
        pieces |= squares
    if pieces.bit_count() > PIECES:
        raise ValueError(f"{name} has {pieces.bit_count()} pieces, more than {PIECES}")
    return pieces, kings


def _parse_squares(part: str) -> int:
    """The squares of `21`, `K30` or `21-24`."""
    found = _PIECES.fullmatch(part)
    if not found:
        raise ValueError(f"{shorten(part)} is not a square like 21 or K30 or a range like 21-24")
    first = int(found["first"])
    last = int(found["last"] or first)
    if not 1 <= first <= last <= len(SQUARES):
        raise ValueError(
            f"{shorten(part)}: squares go from 1 to {len(SQUARES)}, in ascending order"
        )
    return sum(1 << square for square in SQUARES[first - 1 : last])


def _parse_counters(fields: list[str]) -> int:
    """The plies without progress in `H12`; `F30` may follow."""
    quiet = 0
    letters = "".join(field[:1] for field in fields)
    if letters not in {"", "H", "F", "HF"}:
        raise ValueError(f"only :H and :F may follow the pieces, not :{':'.join(fields)[:40]}")
    for field in fields:
        counter = _COUNTER.fullmatch(field)
        if not counter:
            raise ValueError(f"expected a number of up to 4 digits after {field[0]}")
        if field[0] == "H":
            quiet = int(counter["number"])
    return quiet


def _first(squares: int) -> int:
    """The number of the first of the squares."""
    return next(number for number, square in enumerate(SQUARES, 1) if squares >> square & 1)


def _is_short_for(wanted: list[int], path: list[int]) -> bool:
    """Whether the squares are a path's first and last, plus any others between them in order."""
    if len(wanted) < 2 or (wanted[0], wanted[-1]) != (path[0], path[-1]):
        return False
    left = iter(path[1:-1])
    return all(square in left for square in wanted[1:-1])
