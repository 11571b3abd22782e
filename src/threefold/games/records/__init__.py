"""Records of played games: what PGN for chess and PDN for checkers share."""

from threefold.games.records.format import FALLBACK, Format, Notation
from threefold.games.records.record import BadTag, Line, Move, Record

__all__ = ["FALLBACK", "BadTag", "Format", "Line", "Move", "Notation", "Record"]
