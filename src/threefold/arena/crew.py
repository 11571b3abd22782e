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
        #: By line, two of each: a player may have to play itself.
        self._players: dict[tuple[str, int], Player[Any]] = {}
        self._ready: set[tuple[str, int]] = set()

    def play(self, tasks: Sequence[Task]) -> list[Played]:
        """Play games and return them in their order."""
        return [self._play(task) for task in tasks]

    def _play(self, task: Task) -> Played:
        lines = [(task.lines or self._settings.players)[player] for player in task.players]
        seats = [(line, side * int(lines[0] == lines[1])) for side, line in enumerate(lines)]
        if task.lines:
            self._dismiss_all_but(seats)
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

    def _dismiss_all_but(self, seats: Sequence[tuple[str, int]]) -> None:
        """Send those home who are not needed any more: every game may bring new players."""
        for seat in [seat for seat in self._players if seat not in seats]:
            self._players.pop(seat).close()
            self._ready.discard(seat)

    def _prepared(self, seat: tuple[str, int]) -> Player[Any]:
        if seat not in self._players:
            line = parse_line(seat[0])
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
