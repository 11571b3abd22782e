"""The evaluations of chess as weighted sums: what each side has of what they count.

`material` counts pieces. The terms of `positional` are in hundredths of a pawn, interpolated
between a full and an empty board and each rounded down, so that their weights are all 1. What the
evaluation itself rounds in another place is the term `rounding`.
"""

from typing import TYPE_CHECKING, Final

from threefold.games.chess import evaluation
from threefold.games.chess.attacks import KING, KNIGHT, bishop_attacks, rook_attacks
from threefold.games.chess.evaluation import (
    FULL,
    PLACES,
    TEMPO,
    WORTH,
    file_value,
    free_squares,
    interpolated,
    passed_value,
    positional,
    shield_value,
    stage,
    structure_value,
)
from threefold.games.chess.moves import occupied_squares
from threefold.rules.bits import byteswap, lsb, pop_lowest, popcount
from threefold.rules.contract import MAX, Player
from threefold.rules.terms import GivenTerms, remainder

if TYPE_CHECKING:
    from threefold.games.chess.rules import State

#: By kind, from knight to queen, for each attacked square anywhere and for one next to the king.
MOBILITY: Final = (
    evaluation.KNIGHT_MOBILITY,
    evaluation.BISHOP_MOBILITY,
    evaluation.ROOK_MOBILITY,
    evaluation.QUEEN_MOBILITY,
)
NEAR_KING: Final = evaluation.NEAR_KING
BISHOP_PAIR: Final = evaluation.BISHOP_PAIR


def side(s: "State", p: Player) -> int:
    """The squares of a player's pieces."""
    return s.white if p == MAX else occupied_squares(s) ^ s.white


def upward(squares: int, p: Player) -> int:
    """Squares as a player sees them, who plays up the board."""
    return squares if p == MAX else byteswap(squares)


def at_stage(s: "State", value: int) -> int:
    """What a pair is worth in a position, rounded down."""
    return interpolated(value, stage(s)) // FULL


# Material.


def pawns(s: "State", p: Player) -> int:
    """How many pawns a player has."""
    return popcount(s.pawns & side(s, p))


def knights(s: "State", p: Player) -> int:
    """How many knights a player has."""
    return popcount(s.knights & side(s, p))


def bishops(s: "State", p: Player) -> int:
    """How many bishops a player has."""
    return popcount(s.bishops & side(s, p))


def rooks(s: "State", p: Player) -> int:
    """How many rooks a player has."""
    return popcount(s.rooks & side(s, p))


def queens(s: "State", p: Player) -> int:
    """How many queens a player has."""
    return popcount(s.queens & side(s, p))


# Positional.


def worth(s: "State", p: Player) -> int:
    """What the pieces are worth wherever they are."""
    value = WORTH[0] * pawns(s, p) + WORTH[1] * knights(s, p) + WORTH[2] * bishops(s, p)
    return at_stage(s, value + WORTH[3] * rooks(s, p) + WORTH[4] * queens(s, p))


def placement(s: "State", p: Player) -> int:
    """What their squares add to that."""
    mine = side(s, p)
    value = places_value(upward(s.pawns & mine, p), 0) + places_value(
        upward(s.knights & mine, p), 1
    )
    value += places_value(upward(s.bishops & mine, p), 2)
    value += places_value(upward(s.rooks & mine, p), 3)
    value += places_value(upward(s.queens & mine, p), 4)
    return at_stage(s, value + places_value(upward(s.kings & mine, p), 5))


def places_value(pieces: int, kind: int) -> int:
    """What the squares of pieces of one kind add, as a pair."""
    value = 0
    while pieces:
        value += PLACES[kind << 6 | lsb(pieces)]
        pieces = pop_lowest(pieces)
    return value


def mobility(s: "State", p: Player) -> int:
    """The squares that the pieces attack, but not those that the other side's pawns guard."""
    value = MOBILITY[0] * seen_by(s, p, s.knights, 0, -1)
    value += MOBILITY[1] * seen_by(s, p, s.bishops, 1, -1)
    value += MOBILITY[2] * seen_by(s, p, s.rooks, 2, -1)
    return at_stage(s, value + MOBILITY[3] * seen_by(s, p, s.queens, 3, -1))


def king_attack(s: "State", p: Player) -> int:
    """Those of them that are next to the other king."""
    near = KING[lsb(upward(s.kings & side(s, 1 - p), p))]
    count = seen_by(s, p, s.knights, 0, near) + seen_by(s, p, s.bishops, 1, near)
    count += seen_by(s, p, s.rooks, 2, near) + seen_by(s, p, s.queens, 3, near)
    return at_stage(s, NEAR_KING * count)


def free_for(s: "State", p: Player) -> int:
    """The squares that count as mobility of a player, who plays up the board."""
    return free_squares(upward(side(s, p), p), upward(s.pawns & side(s, 1 - p), p))


def seen_by(s: "State", p: Player, pieces: int, kind: int, where: int) -> int:
    """How many squares of a region a player's pieces of one kind attack, each on its own."""
    free, occupied = free_for(s, p) & where, upward(occupied_squares(s), p)
    rest, count = upward(pieces & side(s, p), p), 0
    while rest:
        count += popcount(attacks(lsb(rest), kind, occupied) & free)
        rest = pop_lowest(rest)
    return count


def attacks(square: int, kind: int, occupied: int) -> int:
    """The squares that a piece attacks, by kind: from knight, 0, to queen, 3."""
    if kind == 0:
        return KNIGHT[square]
    if kind == 1:
        return bishop_attacks(square, occupied)
    straight = rook_attacks(square, occupied)
    return straight if kind == 2 else straight | bishop_attacks(square, occupied)


def bishop_pair(s: "State", p: Player) -> int:
    """Having two bishops."""
    return at_stage(s, BISHOP_PAIR) if pop_lowest(s.bishops & side(s, p)) else 0


def files(s: "State", p: Player) -> int:
    """Rooks on files without pawns of their own side, or without any."""
    my_pawns, their_pawns = s.pawns & side(s, p), s.pawns & side(s, 1 - p)
    rest, value = s.rooks & side(s, p), 0
    while rest:
        value += file_value(lsb(rest), my_pawns, their_pawns)
        rest = pop_lowest(rest)
    return at_stage(s, value)


def pawn_structure(s: "State", p: Player) -> int:
    """What isolated and doubled pawns cost."""
    return at_stage(s, structure_value(upward(s.pawns & side(s, p), p)))


def passed(s: "State", p: Player) -> int:
    """Pawns that no pawn of the other side can stop."""
    mine, theirs = s.pawns & side(s, p), s.pawns & side(s, 1 - p)
    return at_stage(s, passed_value(upward(mine, p), upward(theirs, p)))


def king_shield(s: "State", p: Player) -> int:
    """Pawns in front of the king."""
    mine = side(s, p)
    king = lsb(upward(s.kings & mine, p))
    return at_stage(s, shield_value(king, upward(s.pawns & mine, p)))


def tempo(s: "State", p: Player) -> int:
    """Having the move."""
    return TEMPO if s.turn == p else 0


_POSITIONAL: GivenTerms = {
    "worth": (worth, 1),
    "placement": (placement, 1),
    "mobility": (mobility, 1),
    "bishop-pair": (bishop_pair, 1),
    "files": (files, 1),
    "pawn-structure": (pawn_structure, 1),
    "passed": (passed, 1),
    "king-shield": (king_shield, 1),
    "king-attack": (king_attack, 1),
    "tempo": (tempo, 1),
}

#: By evaluation, its terms and their weights: the lectures' weights in `material`.
TERMS: dict[str, GivenTerms] = {
    "positional": {**_POSITIONAL, "rounding": (remainder(positional, _POSITIONAL), 1)},
    "material": {
        "pawn": (pawns, 1),
        "knight": (knights, 3),
        "bishop": (bishops, 3),
        "rook": (rooks, 5),
        "queen": (queens, 9),
    },
}
