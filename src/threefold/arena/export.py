"""The games of a match in files that other programs read: PGN, PDN, SGF, MAT, CSV, Parquet.

Games are read and written one after another, so that their number does not matter.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from time import gmtime, strftime
from typing import Any, BinaryIO, Final

from threefold.arena import record
from threefold.arena.columns import write_csv, write_parquet
from threefold.arena.notation import record_format, room
from threefold.arena.record import MatchInfo, Played
from threefold.arena.replay import remarks, replayed
from threefold.arena.sgf import GAME_NUMBERS, sgf_game, sgf_number
from threefold.arena.store import Store
from threefold.engine.progress import StatusLine
from threefold.errors import ThreefoldError
from threefold.games import game as game_named
from threefold.games.records import Format, Line, Move, Record
from threefold.replacing import replacing
from threefold.rules.contract import MIN
from threefold.rules.game import Game
from threefold.rules.text import shorten

#: PGN's words for how a game ended; all others are `abandoned`, in which a player failed.
TERMINATION: Final = {
    record.RULES: "normal",
    record.ADJUDICATED: "adjudication",
    record.TOO_LONG: "adjudication",
    record.TIME: "time forfeit",
    record.ILLEGAL: "rules infraction",
    record.ABANDONED: "unterminated",
}
RESULTS: Final = {1.0: "1-0", 0.0: "0-1", 0.5: "1/2-1/2"}


def export(store: Store, match: MatchInfo, path: str | Path) -> int:
    """Write the games of a match into a file, by its ending; how many there were.

    - `.pgn`: chess as everyone writes it, and any other game with its own moves;
    - `.pdn`: checkers;
    - `.mat`: backgammon;
    - `.sgf`: Go, backgammon, Othello, and boards of m × n;
    - `.csv` and `.parquet`: everything that is known of each game, one in a row.
    """
    ending = Path(path).suffix.lower()
    if ending not in ENDINGS:
        raise ThreefoldError(
            f"{shorten(Path(path).name)} has no ending that is known; use {', '.join(ENDINGS)}"
        )
    written = 0

    def games() -> Iterator[Played]:
        nonlocal written
        for played in store.games(match):
            yield played
            written += 1

    write = ENDINGS[ending]
    with StatusLine(lambda _: f"exporting: {written:,} games"):
        try:
            with replacing(str(path)) as file:
                write(match, games(), file)
        except OSError as error:
            raise ThreefoldError(
                f"{shorten(str(path))} cannot be written: {error.strerror or error}"
            ) from None
    return written


def _write_pgn(match: MatchInfo, games: Iterator[Played], file: BinaryIO) -> None:
    game = game_named(match.game)
    own = record_format(game) if game.record_name == "PGN" else None
    _write_records(match, game, games, file, own)


def _write_pdn(match: MatchInfo, games: Iterator[Played], file: BinaryIO) -> None:
    game = game_named(match.game)
    own = record_format(game) if game.record_name == "PDN" else None
    if own is None:
        raise ThreefoldError(f"PDN is for checkers; {game.name} can be exported as .pgn or .csv")
    _write_records(match, game, games, file, own)


def _write_records(
    match: MatchInfo,
    game: Game[Any],
    games: Iterator[Played],
    file: BinaryIO,
    own: Format[Any] | None,
) -> None:
    notation = plain_format(game) if own is None else own
    for played in games:
        text = notation.write(_record(match, game, played, notation, own is not None))
        file.write(f"{text}\n".encode())


def _write_sgf(match: MatchInfo, games: Iterator[Played], file: BinaryIO) -> None:
    game = game_named(match.game)
    if (own := room(game, "sgf")) is not None:
        _write_own(own, match, game, games, file)
        return
    if sgf_number(game) is None:
        known = " and ".join(GAME_NUMBERS)
        raise ThreefoldError(
            f"SGF is for go, backgammon, {known}; {game.name} can be exported as .pgn, .csv or "
            ".parquet"
        )
    for played in games:
        file.write(sgf_game(match, game, played).encode())


def _write_mat(match: MatchInfo, games: Iterator[Played], file: BinaryIO) -> None:
    game = game_named(match.game)
    own = room(game, "mat")
    if own is None:
        raise ThreefoldError(
            f".mat is for backgammon; {game.name} can be exported as .pgn, .csv or .parquet"
        )
    _write_own(own, match, game, games, file)


def _write_own(
    own: Any, match: MatchInfo, game: Game[Any], games: Iterator[Played], file: BinaryIO
) -> None:
    """Write games by a room of the game's home, whose room `record` says what is written."""
    record_room = room(game, "record")

    def records() -> Iterator[Record]:
        for played in games:
            positions, actions = replayed(game, played)
            tags = _tags(match, game, played, first_is_white=True)
            one, other = (match.players[player] for player in played.task.players)
            tags |= dict(zip(game.sides, (one, other), strict=True))
            if played.ending == record.RESIGNED:
                tags["Termination"] = "resignation"
            first, second = played.task.players
            tags |= record_room.seat(tags, int(first > second))
            won = {1.0: game.sides[0], 0.0: game.sides[1]}.get(played.points)
            tags["Result"] = won if played.counts and won else "*"
            said = list(remarks(match, game, played, positions))
            yield record_room.record_of(game, positions[0], actions, tags, said)

    for text in own.written(records()):
        file.write(text.encode())


#: By the ending of a file, what writes it.
ENDINGS: Final[dict[str, Callable[[MatchInfo, Iterator[Played], BinaryIO], None]]] = {
    ".pgn": _write_pgn,
    ".pdn": _write_pdn,
    ".sgf": _write_sgf,
    ".mat": _write_mat,
    ".csv": write_csv,
    ".parquet": write_parquet,
}


def plain_format(game: Game[Any]) -> Format[Any]:
    """PGN for a game that has no notation of its own for whole games: with its own moves."""
    usual = game.initial()
    return Format(
        begin=lambda tags: (game, game.parse(tags["FEN"]) if "FEN" in tags else usual),
        parse_move=lambda _, s, text: game.parse_move(s, text),
        format_move=lambda _, s, a: game.readable_move(s, a),
        results={word: word for word in (*RESULTS.values(), "*")},
        ply=lambda s: int(game.player(s) == MIN),
    )


def _record(
    match: MatchInfo, game: Game[Any], played: Played, notation: Format[Any], own: bool
) -> Record:
    positions, actions = replayed(game, played)
    start = positions[0]
    tags: dict[str, str] = {}
    if own:
        assert game.record is not None
        tags |= next(iter(notation.read(game.record(start, [])))).tags
    else:
        tags["Variant"] = match.game
        if start != game.initial():
            tags |= {"SetUp": "1", "FEN": game.format(start)}
    tags |= _tags(match, game, played, first_is_white=own)
    line = Line()
    for action, said in zip(actions, remarks(match, game, played, positions), strict=True):
        # Many readers end every comment at the first closing brace.
        plain = said.replace("{", "(").replace("}", ")")
        line.moves.append(Move(action, comments=[plain] if plain else []))
    return Record(tags, line)


def _tags(
    match: MatchInfo, game: Game[Any], played: Played, *, first_is_white: bool
) -> dict[str, str]:
    """What a record says beside the moves.

    In PGN and PDN the first number of a result is that of the player who moves first. Where a game
    is written in PGN only for want of its own notation, it is White's, whoever moves first.
    """
    one, other = (match.players[player] for player in played.task.players)
    white_moves_second = game.sides[0].lower() == "black"
    white, black = (other, one) if white_moves_second else (one, other)
    points = played.points
    if white_moves_second and not first_is_white:
        points = 1 - points
    pair, reversed_sides = divmod(played.task.number, 2)
    return {
        "Event": f"Threefold {match.kind} {match.id}",
        "Site": "?",
        "Date": strftime("%Y.%m.%d", gmtime(played.ended)),
        "Round": f"{pair + 1}.{reversed_sides + 1}",
        "White": white,
        "Black": black,
        "Result": RESULTS[points] if played.counts else "*",
        "Termination": TERMINATION.get(played.ending, "abandoned"),
        "TimeControl": _time_control(match.settings.get("budget")),
        "PlyCount": str(len(played.moves)),
    }


def _time_control(budget: Any) -> str:
    """PGN's text for what players might spend: `60+1`, `40/60`, `1/0.2`; `-` without a clock."""
    if not isinstance(budget, dict):
        return "?"
    if budget.get("base") is not None:
        moves = f"{budget['moves']}/" if budget.get("moves") else ""
        increment = f"+{budget['increment']:g}" if budget.get("increment") else ""
        return f"{moves}{budget['base']:g}{increment}"
    return "-" if budget.get("time") is None else f"1/{budget['time']:g}"
