"""Those who play the games of a match in one process: its game, and its players, made once."""

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from threefold.arena import record
from threefold.arena.lines import parse_line
from threefold.arena.match import GameInPlay, MatchSettings
from threefold.arena.players import make
from threefold.arena.record import Played, Task
from threefold.engine.running import Closing
from threefold.errors import ThreefoldError
from threefold.games import game as game_named
from threefold.protocols.player import Player
from threefold.rules.game import Game

if TYPE_CHECKING:
    from threefold.arena.adjudication import Adjudicator
    from threefold.arena.openings import Openings


class Crew(Closing):
    """Plays games of a match, one after another."""

    def __init__(self, settings: MatchSettings, openings: "Openings") -> None:
        self.game = game_named(settings.game)
        self._settings = settings
        self._openings = openings
        #: Two of each: a player may have to play itself.
        self._players: dict[tuple[int, int], Player[Any]] = {}
        self._ready: set[tuple[int, int]] = set()

    def play(self, tasks: Sequence[Task]) -> list[Played]:
        """Play games and return them in their order."""
        return [self._play(task) for task in tasks]

    def _play(self, task: Task) -> Played:
        seats = [
            (player, int(task.players[0] == task.players[1]) * side)
            for side, player in enumerate(task.players)
        ]
        players = [self._prepared(seat) for seat in seats]
        opening = self._openings[task.opening]
        adjudicator = adjudicator_of(self.game, self._settings)
        game = GameInPlay(self.game, self._settings, task, opening, adjudicator)
        played = game.play(players)
        if played.ending in record.FAILURES:
            loser = 0 if played.utility < 0 else 1
            with suppress(ThreefoldError, OSError):
                players[loser].close()
            self._ready.discard(seats[loser])
        return played

    def _prepared(self, seat: tuple[int, int]) -> Player[Any]:
        if seat not in self._players:
            line = parse_line(self._settings.players[seat[0]])
            self._players[seat] = make(line, self.game, self._settings.budget)
        player = self._players[seat]
        if seat not in self._ready:
            player.prepare()
            self._ready.add(seat)
        return player

    def close(self) -> None:
        """Send everyone home."""
        for player in self._players.values():
            player.close()
        self._players.clear()
        self._ready.clear()


def adjudicator_of(game: Game[Any], settings: MatchSettings) -> "Adjudicator | None":
    """Who may end a game of the match early, if anybody; one for every game."""
    if not settings.adjudication:
        return None
    from threefold.arena.adjudication import Adjudicator

    return Adjudicator(game, settings.adjudication)
