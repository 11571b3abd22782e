"""GTP's commands for Go alone: komi, handicap, the score, and records in SGF."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from threefold.errors import BadRecord
from threefold.games.go import handicap, sgf
from threefold.games.go.notation import Points, score_text
from threefold.games.go.record import in_half_points, lead_of, pass_of, size_of, tags_of
from threefold.protocols.gtp_game import GtpGame, Refused
from threefold.protocols.points import WHOLE, changed
from threefold.replacing import replacing
from threefold.rules.contract import MAX, MIN, Action, Player
from threefold.rules.game import Game

#: What a stone can be at the end. By area scoring all that are on the board live.
_STATUSES: Final = ("alive", "dead", "seki")


def is_go(game: Game[Any]) -> bool:
    """Whether a game is Go."""
    return game.state_type.__module__ == "threefold.games.go.rules"


class GoCommands:
    """The commands, for whichever game of Go is played now."""

    def __init__(
        self, played: Callable[[], GtpGame], use: Callable[[str, GtpGame | None], None]
    ) -> None:
        """`played` is the game now; `use` goes on with another, given its spec, and from where."""
        self._played = played
        self._use = use
        self.commands: dict[str, Callable[..., str]] = {
            "komi": self._set_komi,
            "get_komi": self._komi,
            "fixed_handicap": self._place_fixed,
            "place_free_handicap": self._place_free,
            "set_free_handicap": self._set_free,
            "get_handicap": self._handicap,
            "final_score": self._score,
            "final_status_list": self._list_status,
            "loadsgf": self._load,
            "printsgf": self._print,
        }

    def _set_komi(self, komi: str) -> str:
        """Another komi changes the score, and nothing on the board."""
        if not re.fullmatch(r"[+-]?[0-9]{1,9}(?:\.[0-9]{1,9})?", komi):
            raise Refused("syntax error")
        wanted = f"{in_half_points(float(komi)):g}"
        if wanted != self._komi():
            self._use(changed(self._played().game, {"komi": wanted}), self._played())
        return ""

    def _komi(self) -> str:
        game = self._played().game
        return tags_of(game, game.initial())["Komi"]

    # Handicap.

    def _place_fixed(self, stones: str) -> str:
        number = self._number(stones)
        size = size_of(self._played().game)
        if not 2 <= number <= handicap.most_stones(size):
            raise Refused("invalid number of stones")
        return self._place(handicap.handicap_points(size, number))

    def _place_free(self, stones: str) -> str:
        """As many as are asked for, if there are usual places for them; else fewer, as allowed."""
        number = self._number(stones)
        size = size_of(self._played().game)
        if not 2 <= number < size * size:
            raise Refused("invalid number of stones")
        most = handicap.most_stones(size)
        if most < 2:
            raise Refused("invalid number of stones: the board is too small")
        return self._place(handicap.handicap_points(size, min(number, most)))

    def _set_free(self, *vertices: str) -> str:
        points = Points(size_of(self._played().game))
        try:
            cells = [points.number(vertex) for vertex in vertices]
        except ValueError:
            raise Refused("bad vertex list") from None
        if not 2 <= len(set(cells)) == len(cells) < points.board.cells:
            raise Refused("bad vertex list")
        self._place(cells)
        return ""

    def _place(self, cells: Sequence[int]) -> str:
        """Put black stones on the empty board, after which it is White's turn; their vertices."""
        played = self._played()
        points = Points(size_of(played.game))
        if not played.is_new or "black" in played.game.contents(played.here).values():
            raise Refused("board not empty")
        s = played.here
        for cell in cells:
            s = played.game.put(s, points.name(cell), "X")
        played.set_up(played.game.put(s, "turn", str(MIN)))
        return " ".join(points.name(cell) for cell in cells)

    def _handicap(self) -> str:
        played = self._played()
        return tags_of(played.game, played.start).get("Handicap", "0")

    @staticmethod
    def _number(text: str) -> int:
        if not WHOLE.fullmatch(text):
            raise Refused("syntax error")
        return int(text)

    # The end.

    def _score(self) -> str:
        """By area, the board as it is: all stones on it count as alive."""
        played = self._played()
        return score_text(lead_of(played.game, played.here))

    def _list_status(self, status: str) -> str:
        if status.lower() not in _STATUSES:
            raise Refused("syntax error")
        played = self._played()
        stones = [
            point for point, what in played.game.contents(played.here).items() if what != "empty"
        ]
        return " ".join(stones) if status.lower() == "alive" else ""

    # Records.

    def _load(self, path: str, before: str = "") -> str:
        """Go on with a game from a file, up to before a move if its number is given."""
        last = max(self._number(before) - 1, 0) if before else None
        try:
            record = next(sgf.load(path), None)
        except BadRecord as error:
            raise Refused(f"cannot load file: {error}") from None
        if record is None:
            raise Refused("cannot load file: there is no game in it")
        game, start = sgf.begin(record.tags)
        tags = tags_of(game, start)
        loaded = GtpGame(game, [start])
        for s, a in zip(sgf.positions(record), record.actions[:last], strict=False):
            loaded.add(game.player(s), a)
        self._use(f"go(size={tags['Size']},komi={tags['Komi']})", loaded)
        return ""

    def _print(self, path: str = "") -> str:
        """The game as SGF, or into a file."""
        played = self._played()
        moves = list(in_turn(played.game, played.start, played.moves))
        text = sgf.write(sgf.record(moves, game=played.game, start=played.start))
        if not path:
            return text.rstrip()
        try:
            with replacing(str(Path(path))) as file:
                file.write(text.encode())
        except OSError as error:
            raise Refused(f"cannot save file: {error.strerror or error}") from None
        return ""


def in_turn(game: Game[Any], start: Any, moves: Sequence[tuple[Player, Action]]) -> "list[Action]":
    """Moves with the passes in between of players that were left out."""
    found, turn = [], game.player(start)
    for player, a in moves:
        if player != turn:
            found.append(pass_of(game))
        found.append(a)
        turn = MAX if player == MIN else MIN
    return found
