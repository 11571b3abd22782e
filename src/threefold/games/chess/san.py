"""Chess moves as people write them, in standard algebraic notation: `e4`, `Nbd2`, `O-O`, `e8=Q#`.

Output is as short as possible: a file or rank of origin appears only if another piece of the same
kind could legally move to the same square. Input may say more, or leave out check marks: `Ng1f3`,
`Ng1-f3`, `g1f3`, `e8Q`, `exd6 e.p.`, `0-0`.
"""

import re

from threefold.games.chess.moves import has_move, is_check, king_target
from threefold.games.chess.notation import (
    FILES,
    KINDS,
    PROMOTIONS,
    is_castling,
    piece_letter,
    square_name,
    square_number,
)
from threefold.games.chess.rules import MAX_MOVES, State, actions, result
from threefold.rules.contract import Action
from threefold.rules.text import listing, shorten

NAMES = dict(zip(KINDS.upper(), ("pawn", "knight", "bishop", "rook", "queen", "king"), strict=True))
NULL_MOVES = frozenset({"--", "Z0", "@@@@", "0000", "null", "pass"})

_MARKS = "+#!?"
_EN_PASSANT = re.compile(r" ?e\.?p\.?\Z")
_CASTLING = re.compile(r"O-O(?P<long>-O)?|0-0(?P<zeros>-0)?")
_MOVE = re.compile(
    r"(?P<piece>[PNBRQK])?(?P<file>[a-h])?(?P<rank>[1-8])?[-x:]?(?P<target>[a-h][1-8])"
    r"(?:=?(?P<promotion>[NBRQnbrq]))?"
)


def legal_moves(s: State) -> list[Action]:
    """The legal moves of a position."""
    row = [0] * MAX_MOVES
    return row[: actions(s, row)]


def format_san(s: State, a: Action) -> str:
    """A legal move in algebraic notation."""
    after = result(s, a)
    mark = "" if not is_check(after) else "+" if has_move(after) else "#"
    return _format(s, a, legal_moves(s)) + mark


def parse_san(s: State, text: str) -> Action:
    """The legal move that a text names."""
    if text in NULL_MOVES:
        raise ValueError(f"{text} is a null move, which is not legal in chess")
    legal = legal_moves(s)
    if not legal:
        over = "checkmate" if is_check(s) else "stalemate"
        raise ValueError(f"{shorten(text)[1:-1]} follows, but the game is over: {over}")
    written = _EN_PASSANT.sub("", text.rstrip(_MARKS))
    if castling := _CASTLING.fullmatch(written):
        return _castling(s, written, bool(castling["long"] or castling["zeros"]), legal)
    move = _MOVE.fullmatch(written)
    if move is None:
        raise ValueError(f"{shorten(text)} is not a move; write e4, Nf3, exd5, O-O, e8=Q")
    # Most moves go elsewhere; the others, and the king's, are checked closely.
    target = square_number(move["target"])
    near = [a for a in legal if a >> 6 & 63 == target or s.kings >> (a & 63) & 1]
    fitting = [a for a in near if _fits(s, a, move)]
    promotion = PROMOTIONS.index((move["promotion"] or " ").lower())
    chosen = [a for a in fitting if a >> 12 == promotion]
    if len(chosen) == 1:
        return chosen[0]
    raise ValueError(f"{written} {_why_not(s, move, legal, fitting, chosen)}")


def _format(s: State, a: Action, legal: list[Action]) -> str:
    """A move without check marks."""
    source, target = a & 63, a >> 6 & 63
    if is_castling(s, a):
        return "O-O" if target > source else "O-O-O"
    kind = _kind(s, a)
    takes = piece_letter(s, target) is not None
    if kind == "P":
        takes = takes or (source ^ target) & 7 != 0
        promotion = f"={PROMOTIONS[a >> 12].upper()}" if a >> 12 else ""
        origin = FILES[source & 7] if takes else ""
        return f"{origin}{'x' * takes}{square_name(target)}{promotion}"
    rivals = [
        b & 63
        for b in legal
        if b >> 6 & 63 == target and b != a and _kind(s, b) == kind and not is_castling(s, b)
    ]
    return f"{kind}{_origin(source, rivals)}{'x' * takes}{square_name(target)}"


def _origin(source: int, rivals: list[int]) -> str:
    """What tells a piece from others that can move to the same square: file, rank or both."""
    name = square_name(source)
    if not rivals:
        return ""
    if all((rival ^ source) & 7 for rival in rivals):
        return name[0]
    if all((rival ^ source) & 56 for rival in rivals):
        return name[1]
    return name


def _kind(s: State, a: Action) -> str:
    """The capital letter of the piece that moves."""
    return (piece_letter(s, a & 63) or "").upper()


def _fits(s: State, a: Action, move: re.Match[str]) -> bool:
    """Whether a legal move's squares match a text, ignoring promotion.

    A text with both squares need not name the piece. A king may then go to its castling square.
    """
    source, target = square_name(a & 63), square_name(a >> 6 & 63)
    file, rank = move["file"], move["rank"]
    both = file and rank
    kind = _kind(s, a)
    if is_castling(s, a) and not (both and move["target"] == target):
        to = king_target(a & 63, a >> 6 & 63)
        target = square_name(to) if both and abs(to - (a & 63)) > 1 else ""
    if kind != (move["piece"] or (kind if both else "P")):
        return False
    if kind == "P" and not file:
        file = target[:1]
    return target == move["target"] and file in (None, source[0]) and rank in (None, source[1])


def _castling(s: State, text: str, long: bool, legal: list[Action]) -> Action:
    """Castling on one side."""
    for a in legal:
        if is_castling(s, a) and (a >> 6 & 63 < a & 63) == long:
            return a
    raise ValueError(f"{text} is illegal: the king cannot castle on that side now")


def _why_not(
    s: State, move: re.Match[str], legal: list[Action], fitting: list[Action], chosen: list[Action]
) -> str:
    """What is wrong with a text that does not name exactly one legal move."""
    if chosen:
        return f"is ambiguous: {_either(s, chosen, legal)}?"
    if fitting and not move["promotion"]:
        return f"must say what the pawn promotes to: {_either(s, fitting, legal)}"
    if fitting:
        return f"is illegal: {_either(s, fitting, legal)} is not a promotion"
    kind, target = move["piece"] or "P", move["target"]
    check = ", because the king is in check" if is_check(s) else ""
    if move["file"] and move["rank"]:
        origin = move["file"] + move["rank"]
        found = (piece_letter(s, square_number(origin)) or "").upper()
        if found not in NAMES or found != (move["piece"] or found):
            return f"is illegal: there is no {NAMES.get(move['piece'], 'piece')} on {origin}"
        return f"is illegal: the {NAMES[found]} on {origin} cannot go to {target} now{check}"
    near = [a for a in legal if _kind(s, a) == kind and square_name(a >> 6 & 63) == target]
    near = [a for a in near if not is_castling(s, a)]
    if near:
        return f"is illegal: did you mean {_either(s, near, legal)}?"
    if kind == "K":
        return f"is illegal: the king cannot go to {target} now{check}"
    return f"is illegal: no {NAMES[kind]} can go to {target} now{check}"


def _either(s: State, some: list[Action], legal: list[Action]) -> str:
    """`Nbd2 or Nfd2`."""
    *others, last = (_format(s, a, legal) for a in some)
    return f"{listing(others)} or {last}" if others else last
