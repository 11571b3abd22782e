"""Games of chess in PGN, the Portable Game Notation; Chess960 if the Variant tag says so."""

from collections.abc import Mapping
from functools import cache

from threefold.errors import ThreefoldError
from threefold.games.chess import chess
from threefold.games.chess.rules import State
from threefold.games.chess.san import format_san, parse_san
from threefold.games.records import BadTag, Format
from threefold.rules.game import Game
from threefold.rules.text import shorten

_game = cache(chess)

#: The values of the Variant tag, ignoring case, with whether each means Chess960.
VARIANTS = {
    **dict.fromkeys(("", "?", "chess", "standard", "normal", "from position"), False),
    **dict.fromkeys(("chess960", "chess 960", "fischerandom", "fischerrandom", "960"), True),
    **dict.fromkeys(("fischer random", "fischer random chess", "freestyle"), True),
}


def begin(tags: Mapping[str, str]) -> tuple[Game[State], State]:
    """The game and the starting position given by the tags."""
    variant = tags.get("Variant", "").lower()
    if variant not in VARIANTS:
        raise BadTag("Variant", f"{shorten(tags['Variant'])} is neither Standard nor Chess960")
    game = _game(VARIANTS[variant])
    try:
        return game, game.parse(tags["FEN"]) if "FEN" in tags else game.initial()
    except ThreefoldError as error:
        raise BadTag("FEN", error) from None


PGN = Format(
    begin=begin,
    parse_move=lambda _, s, text: parse_san(s, text),
    format_move=lambda _, s, a: format_san(s, a),
    results={result: result for result in ("1-0", "0-1", "1/2-1/2", "*")}
    | dict.fromkeys(("1/2", "½-½"), "1/2-1/2"),
    ply=lambda s: 2 * (s.fullmove - 1) + s.turn,
    noise=frozenset({"e.p.", "ep"}),
)
read, load, write = PGN.read, PGN.load, PGN.write
record, positions = PGN.record, PGN.positions
