"""Chess, and Chess960."""

from collections.abc import Sequence
from functools import partial

from threefold.games.chess.drawing import draw
from threefold.games.chess.notation import notation
from threefold.games.chess.outcome import ending
from threefold.games.chess.rules import State, rules
from threefold.games.chess.san import format_san, parse_san
from threefold.rules.contract import Action
from threefold.rules.facts import Typical
from threefold.rules.game import Game
from threefold.rules.records import Scales

TYPICAL = Typical(branching=35, length=80, source="Allis 1994")


def chess(chess960: bool = False) -> Game[State]:
    """Checkmate the king: attack it so that it cannot escape."""
    return Game(
        "Chess960" if chess960 else "Chess",
        **rules(),
        **(notation(chess960) | {"parse_move": parse_san}),
        readable_move=format_san,
        ending=ending,
        draw=draw,
        record=partial(_record, chess960),
        record_name="PGN",
        typical=TYPICAL,
        scales=Scales(units={"positional": 100}, leads={"material": 1.5, "positional": 120}),
    )


def _record(chess960: bool, start: State, moves: Sequence[Action]) -> str:
    from threefold.games.chess import pgn

    tags = {"Variant": "Chess960"} if chess960 else {}
    return pgn.write(pgn.record(moves, start=start, tags=tags))
