"""Games of checkers in PDN, the Portable Draughts Notation.

Black moves first, and the first number of a result is Black's, so `1-0` means that Black wins.
That is how players of English draughts write it.
"""

import re
from collections.abc import Mapping
from functools import cache

from threefold.errors import ThreefoldError
from threefold.games.checkers import checkers
from threefold.games.checkers.notation import notation
from threefold.games.checkers.rules import State
from threefold.games.records import BadTag, Format
from threefold.rules.contract import Action
from threefold.rules.game import Game
from threefold.rules.text import listing, shorten

#: PDN's GameType for English draughts.
ENGLISH = "21"

_game = cache(checkers)
# Unlike the game's parser, it also reads moves after the game is already a draw.
_parse = notation(0, _game().actions)["parse_move"]
_MOVE = re.compile(r"0?[1-9][0-9]?(?:[-x:]0?[1-9][0-9]?){1,12}")


def begin(tags: Mapping[str, str]) -> tuple[Game[State], State]:
    """Checkers, and the starting position given by the tags."""
    kind = tags.get("GameType", ENGLISH)
    if kind.partition(",")[0].strip() != ENGLISH:
        raise BadTag("GameType", f"{shorten(kind)} is not English draughts, which is {ENGLISH}")
    game = _game()
    try:
        return game, game.parse(tags["FEN"]) if "FEN" in tags else game.initial()
    except ThreefoldError as error:
        raise BadTag("FEN", error) from None


def parse_move(game: Game[State], s: State, text: str) -> Action:
    """A move in a record: captures may be written `22-15`, plain moves `11x15`, squares `09`."""
    if not _MOVE.fullmatch(text):
        raise ValueError(f"{shorten(text)} is not a move; moves are written 11-15, 22x15x8")
    legal = [game.format_move(s, a) for a in game.all_moves(s)]
    if not legal:
        raise ValueError(f"{text} follows, but the game is over")
    squares = [square.lstrip("0") for square in re.split("[-x:]", text)]
    captures = [name.split("x") for name in legal if "x" in name]
    ends = [(path[0], path[-1]) for path in captures]
    if captures and "-" in text and (squares[0], squares[-1]) not in ends:
        raise ValueError(f"{text} is illegal: a capture is mandatory, here {listing(legal)}")
    try:
        return _parse(s, ("x" if captures else "-").join(squares))
    except ValueError as error:
        reason = f": {error}" if str(error) else f"; legal here: {listing(legal)}"
        raise ValueError(f"{text} is illegal{reason}") from None


RESULTS = ("1-0", "0-1", "1/2-1/2", "0-0", "2-0", "0-2", "1-1", "*")
PDN = Format(
    begin=begin,
    parse_move=parse_move,
    format_move=lambda game, s, a: game.format_move(s, a),
    results={result: result for result in RESULTS},
    ply=lambda s: s.turn,
    tags={"GameType": ENGLISH},
)
read, load, write = PDN.read, PDN.load, PDN.write
record, positions = PDN.record, PDN.positions
