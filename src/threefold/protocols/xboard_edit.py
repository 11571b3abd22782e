"""Setting up a chess position for an engine that has no `setboard`, by the older `edit`.

`edit` places pieces and nothing else: castling rights are taken to be what the kings and rooks on
their home squares allow, and nothing can be captured en passant.
"""

from threefold.games.chess.notation import board_rows, format_castling
from threefold.games.chess.rules import State
from threefold.rules.contract import MIN

_FILES = "abcdefgh"


def edit_commands(s: State) -> list[str] | None:
    """The commands that set up a position, in force mode after `new`; None if they cannot."""
    rows = board_rows(s)
    if s.en_passant or format_castling(s) != _implied_castling(rows):
        return None
    # The player to move stays the same, so that somebody has to move first.
    commands = ["a2a3"] if s.turn == MIN else []
    commands += ["edit", "#"]
    for white in (True, False):
        commands += [
            f"{letter.upper()}{_FILES[file]}{8 - row}"
            for row, letters in enumerate(rows)
            for file, letter in enumerate(letters)
            if letter != "." and letter.isupper() == white
        ]
        if white:
            commands.append("c")
    return [*commands, "."]


def _implied_castling(rows: list[str]) -> str:
    letters = ""
    for row, king, rook in ((rows[7], "K", "R"), (rows[0], "k", "r")):
        if row[4] == king:
            sides = (("k", row[7]), ("q", row[0]))
            letters += "".join(
                side.upper() if rook == "R" else side for side, corner in sides if corner == rook
            )
    return letters or "-"
