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
        self._is_stuck = False

    def get_ready(self) -> None:
        """Have everyone ready before the first game: what is missing here shows now."""
        for line in self._settings.players:
            self._seated((line, 0)).get_ready()

    def play(self, tasks: Sequence[Task]) -> list[Played]:
        """Play games and return them in their order."""
        return [self._play(task) for task in tasks]

    def _play(self, task: Task) -> Played:
        game = GameInPlay(
            self.game,
            self._settings,
            task,
            self._openings[task.opening],
            adjudicator_of(self.game, self._settings),
        )
        lines = [(task.lines or self._settings.players)[player] for player in task.players]
        seats = [(line, side * int(lines[0] == lines[1])) for side, line in enumerate(lines)]
        if task.lines:  # every game may bring new players
            for seat in self._players.keys() - set(seats):
                self._dismiss(seat)
        players = [self._seated(seat) for seat in seats]
        played = game.play(players)
        if played.ending in record.FAILURES:
            loser = 0 if played.utility < 0 else 1
            self._is_stuck = self._is_stuck or players[loser].is_stuck
            self._dismiss(seats[loser])
        return played

    @property
    def is_stuck(self) -> bool:
        """Whether a player hangs in this process, which is of no use any more."""
        return self._is_stuck

    def _seated(self, seat: tuple[str, int]) -> Player[Any]:
        """A player of the match, made when it is first needed."""
        if seat not in self._players:
            line = parse_line(seat[0])
            self._players[seat] = make(line, self.game, self._settings.budget)
        return self._players[seat]

    def _dismiss(self, seat: tuple[str, int]) -> None:
        """Close a player; if it is needed again, it is made anew."""
        with suppress(ThreefoldError, OSError):
            self._players.pop(seat).close()

    def close(self) -> None:
        """Close all players."""
        for player in self._players.values():
            player.close()
        self._players.clear()


def adjudicator_of(game: Game[Any], settings: MatchSettings) -> "Adjudicator | None":
    """Who may end a game of the match early, if anybody; one for every game."""
    if not settings.adjudication:
        return None
    from threefold.arena.adjudication import Adjudicator

    return Adjudicator(game, settings.adjudication)
