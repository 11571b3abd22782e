"""Chess positions as FEN, and moves as UCI writes them.

`rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1`: the ranks from the eighth down, the
side to move, castling rights, the square where a pawn may be taken en passant, plies since a
capture or a pawn move, and the move number. The two counters may be left out together.

A move is its two squares, `e2e4`, and what a pawn promotes to, `e7e8q`. Castling is written as the
king's move to its new square, `e1g1`, and in Chess960 to its rook's square, `e1h1`.
"""

import re

from threefold.games.board import LETTERS, render_grid
from threefold.games.chess.moves import (
    en_passant_takers,
    is_check,
    king_target,
    occupied_squares,
    own_pieces,
)
from threefold.games.chess.rules import State
from threefold.rules.bits import lsb, msb, pop_lowest, popcount, shl
from threefold.rules.contract import MAX, MIN
from threefold.rules.records import Board, TextHooks, Texts
from threefold.rules.text import shorten

#: The letters of the kinds, in the order of State's fields.
KINDS = "pnbrqk"
#: The letters of promotions, by their code in a move.
PROMOTIONS = " nbrq"
FILES = LETTERS[:8]
_SIDES = ("white", "black")
_NAMES = {"p": "pawn", "n": "knight", "b": "bishop", "r": "rook", "q": "queen", "k": "king"}
#: By piece, its sign and its name.
_SIGNS = {
    letter: (sign, f"{side} {_NAMES[letter.lower()]}")
    for side, letters, signs in (("White", "KQRBNP", "♔♕♖♗♘♙"), ("Black", "kqrbnp", "♚♛♜♝♞♟"))
    for letter, sign in zip(letters, signs, strict=True)
}
_SQUARE = re.compile(r"[a-h][1-8]")
_COUNTER = re.compile(r"[0-9]{1,4}")


def square_name(square: int) -> str:
    """The name of a square: 0 is a1, 63 is h8."""
    return f"{FILES[square & 7]}{(square >> 3) + 1}"


def square_number(name: str) -> int:
    """The number of a square by its name."""
    return FILES.index(name[0]) + 8 * (int(name[1]) - 1)


def piece_letter(s: State, square: int) -> str | None:
    """The piece on a square: `P`, `N`… white, `p`, `n`… black, None if it is empty."""
    for letter, pieces in zip(KINDS, s[:6], strict=True):
        if pieces >> square & 1:
            return letter.upper() if s.white >> square & 1 else letter
    return None


def board_rows(s: State) -> list[str]:
    """The ranks from the eighth down, a letter for each square, a dot for an empty one."""
    return [
        "".join(piece_letter(s, 8 * rank + file) or "." for file in range(8))
        for rank in range(7, -1, -1)
    ]


def side_pieces(s: State, side: int) -> int:
    """All pieces of a side, 0 for white and 1 for black."""
    return s.white if side == MAX else occupied_squares(s) & ~s.white


def is_castling(s: State, a: int) -> bool:
    """Whether a move castles: the king takes its own rook."""
    return side_pieces(s, s.turn) >> (a >> 6 & 63) & 1 == 1


def format_board(s: State) -> str:
    """The first field of a FEN."""
    return "/".join(re.sub(r"\.+", lambda gap: str(len(gap[0])), row) for row in board_rows(s))


def format_castling(s: State) -> str:
    """The third field of a FEN: K or Q for the outermost rook, otherwise its file letter."""
    letters = ""
    for side in (MAX, MIN):
        own = side_pieces(s, side)
        king = lsb(s.kings & own)
        rank = shl(0xFF, king & 56)
        rest = s.castling & own
        while rest:
            rook = msb(rest)
            if rook > king:
                outermost = rook == msb(s.rooks & own & rank)
                letter = "k" if outermost else FILES[rook & 7]
            else:
                outermost = rook == lsb(s.rooks & own & rank)
                letter = "q" if outermost else FILES[rook & 7]
            letters += letter.upper() if side == MAX else letter
            rest ^= shl(1, rook)
    return letters or "-"


def format_fen(s: State) -> str:
    """A position as FEN."""
    passed = square_name(lsb(s.en_passant)) if s.en_passant else "-"
    fields = (format_board(s), "wb"[s.turn], format_castling(s), passed, s.halfmove, s.fullmove)
    return " ".join(map(str, fields))


def parse_fen(text: str, chess960: bool = False) -> State:
    """A position from FEN; all of its four or six fields must make sense."""
    fields = text.split()
    if len(fields) not in (4, 6):
        raise ValueError(
            "a FEN has 6 fields (board, side, castling, en passant, two counters), or 4 without "
            f"the counters, not {len(fields)}"
        )
    board, side, castling, passed = fields[:4]
    if side not in ("w", "b"):
        raise ValueError(f"the side to move is w or b, not {shorten(side)}")
    halfmove, fullmove = map(_counter, fields[4:] or ("0", "1"))
    turn = "wb".index(side)
    s = parse_board(board)._replace(halfmove=halfmove, fullmove=max(fullmove, 1), turn=turn)
    s = s._replace(castling=_parse_castling(s, castling, chess960))
    if is_check(s._replace(turn=1 - turn)):
        raise ValueError(f"{_SIDES[1 - turn]} is in check but not to move")
    return s._replace(en_passant=_parse_en_passant(s, passed))


def _counter(field: str) -> int:
    if not _COUNTER.fullmatch(field):
        raise ValueError(f"a counter is a number from 0 to 9999, not {shorten(field)}")
    return int(field)


def parse_board(text: str) -> State:
    """The position in the first field of a FEN, white to move and no castling rights."""
    rows = text.split("/")
    if len(rows) != 8:
        raise ValueError(f"a board has 8 ranks with / between them, not {len(rows)}")
    pieces = dict.fromkeys(KINDS, 0)
    white = 0
    for rank, row in zip(range(7, -1, -1), rows, strict=True):
        file, digit_before = 0, False
        for letter in row:
            if letter in "12345678":
                if digit_before:
                    raise ValueError(f"rank {rank + 1}, {shorten(row)}, has two numbers in a row")
                file += int(letter)
            elif letter.lower() not in pieces or not letter.isascii():
                raise ValueError(
                    f"{letter!r} in rank {rank + 1} is neither a piece (PNBRQK white, pnbrqk "
                    "black) nor a number of empty squares"
                )
            elif file < 8:
                bit = shl(1, 8 * rank + file)
                pieces[letter.lower()] |= bit
                white |= bit if letter.isupper() else 0
                file += 1
            else:
                file += 1
            digit_before = letter in "12345678"
        if file != 8:
            raise ValueError(f"rank {rank + 1}, {shorten(row)}, has {file} squares, not 8")
    _check_numbers(pieces, white)
    pawns, knights, bishops, rooks, queens, kings = pieces.values()
    return State(pawns, knights, bishops, rooks, queens, kings, white, 0, 0, 0, 1, MAX)


def _check_numbers(pieces: dict[str, int], white: int) -> None:
    """Raise unless each side has one king, at most 8 pawns on legal ranks and at most 16 pieces."""
    for name, color in (("white", white), ("black", ~white)):
        kings, pawns = popcount(pieces["k"] & color), popcount(pieces["p"] & color)
        everything = sum(popcount(kind & color) for kind in pieces.values())
        if kings != 1:
            raise ValueError(f"{name} has {kings} kings, not 1")
        if pawns > 8:
            raise ValueError(f"{name} has {pawns} pawns, more than 8")
        if everything > 16:
            raise ValueError(f"{name} has {everything} pieces, more than 16")
    astray = pieces["p"] & (shl(0xFF, 56) | 0xFF)
    if astray:
        name = square_name(lsb(astray))
        raise ValueError(f"there is a pawn on {name}, but pawns cannot be on rank {name[1]}")


def _parse_castling(s: State, text: str, chess960: bool) -> int:
    """The rooks that may castle."""
    if text == "-":
        return 0
    found = 0
    for letter in text:
        rook = _castling_rook(s, letter, chess960)
        if found >> rook & 1:
            raise ValueError(
                f"castling {shorten(text)} names the rook on {square_name(rook)} twice"
            )
        found |= shl(1, rook)
    for side in (MAX, MIN):
        own = side_pieces(s, side)
        king = lsb(s.kings & own)
        for part in (found & own & (shl(1, king) - 1), found & own & -shl(1, king)):
            if pop_lowest(part):
                raise ValueError(
                    f"castling {shorten(text)} gives {_SIDES[side]} two rooks on one side of the "
                    "king"
                )
    return found


def _castling_rook(s: State, letter: str, chess960: bool) -> int:
    """The rook that a letter in the castling field refers to."""
    known = "KQkqABCDEFGHabcdefgh" if chess960 else "KQkq"
    if letter not in known:
        files = " or the rooks' file letters" if chess960 else ""
        raise ValueError(f"castling is - or some of KQkq{files}, not {letter!r}")
    side = MAX if letter.isupper() else MIN
    own = side_pieces(s, side)
    king, home = lsb(s.kings & own), 0 if side == MAX else 56
    rooks = s.rooks & own & shl(0xFF, home)
    where = f"castling {letter}, but {_SIDES[side]} has"
    if king & 56 != home or not (chess960 or king == home + 4):
        wanted = "rank " + str(1 + home // 8) if chess960 else square_name(home + 4)
        raise ValueError(f"{where} its king on {square_name(king)}, not on {wanted}")
    if not chess960:
        rook = home + (7 if letter in "Kk" else 0)
    elif letter in "Kk":
        rook = msb(rooks)
    elif letter in "Qq":
        rook = lsb(rooks)
    else:
        rook = home + FILES.index(letter.lower())
    on_that_side = rook > king if letter in "Kk" else rook < king if letter in "Qq" else True
    if not 0 <= rook < 64 or not rooks >> rook & 1 or not on_that_side:
        place = f"on {square_name(rook)}" if not chess960 or letter not in "KQkq" else "there"
        raise ValueError(f"{where} no rook {place}")
    return rook


def _parse_en_passant(s: State, text: str) -> int:
    """The square where a pawn may be taken en passant, 0 if no pawn can take it."""
    if text == "-":
        return 0
    if not _SQUARE.fullmatch(text):
        raise ValueError(f"en passant is - or a square like e3, not {shorten(text)}")
    rank, step = ("6", 8) if s.turn == MAX else ("3", -8)
    if text[1] != rank:
        raise ValueError(
            f"en passant is on rank {rank} when {_SIDES[s.turn]} is to move, not on {text}"
        )
    square = square_number(text)
    occupied = occupied_squares(s)
    pawn = s.pawns & side_pieces(s, 1 - s.turn) & shl(1, square - step)
    if not pawn or occupied & (shl(1, square) | shl(1, square + step)):
        raise ValueError(
            f"en passant on {text}, but no pawn just moved from {square_name(square + step)} "
            f"to {square_name(square - step)}"
        )
    own = own_pieces(s, occupied)
    return shl(1, square) if en_passant_takers(s, square, own, occupied) else 0


def _described(letter: str) -> str:
    if letter == ".":
        return "empty"
    return f"{'white' if letter.isupper() else 'black'} {_NAMES[letter.lower()]}"


def notation(chess960: bool) -> TextHooks:
    """The text hooks of chess or Chess960."""

    def parse(text: str) -> State:
        return parse_fen(text, chess960)

    def format_move(s: State, a: int) -> str:
        source, target = a & 63, a >> 6 & 63
        if not chess960 and is_castling(s, a):
            target = king_target(source, target)
        return square_name(source) + square_name(target) + PROMOTIONS[a >> 12].strip()

    def places(s: State, a: int) -> tuple[str, ...]:
        written = format_move(s, a)
        return written[:2], written[2:4]

    def contents(s: State) -> dict[str, str]:
        threatened = "Kk"[s.turn] if is_check(s) else ""
        return {
            f"{FILES[column]}{8 - row}": _described(letter)
            + (" in check" if letter == threatened else "")
            for row, letters in enumerate(board_rows(s))
            for column, letter in enumerate(letters)
        }

    def put(s: State, place: str, piece: str) -> State:
        """Put a piece on a square; a king leaves its old square, and lost rights are removed."""
        if place == "turn":
            return _settled(s._replace(turn=int(piece)))
        rows = [list(row) for row in board_rows(s)]
        if piece in "Kk":
            rows = [["." if letter == piece else letter for letter in row] for row in rows]
        square = square_number(place)
        rows[7 - (square >> 3)][square & 7] = piece
        board = "/".join(re.sub(r"\.+", lambda gap: str(len(gap[0])), "".join(row)) for row in rows)
        return _settled(parse_board(board)._replace(turn=s.turn, castling=s.castling))

    def _settled(s: State) -> State:
        """Without en passant, and without castling rights whose king or rook is gone."""
        kept = 0
        for side, home in ((MAX, 0), (MIN, 56)):
            own = side_pieces(s, side)
            if lsb(s.kings & own) >> 3 == home >> 3:
                kept |= s.castling & s.rooks & own
        return s._replace(castling=kept, en_passant=0, halfmove=0, fullmove=1)

    def render(s: State) -> str:
        return render_grid(board_rows(s), list(FILES), [str(rank) for rank in range(8, 0, -1)])

    return {
        "parse": parse,
        "format": format_fen,
        "format_move": format_move,
        "render": render,
        "board": Board(
            places=places,
            contents=contents,
            pieces=(*_SIGNS, "."),
            put=put,
            signs=_SIGNS,
        ),
        "texts": Texts(sides=("white", "black")),
    }
