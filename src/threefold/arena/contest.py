"""A match or a tournament from beginning to end: check the players, find the file, play, count.

with Contest("othello", ["alphabeta(depth=4)", "mcts(simulations=1000)"], db="games.db") as it:
    it.play(100, concurrency=2)
    print(it.ledger.standing.tally.elo)
"""

import json
import math
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout, suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final

from threefold.arena.crew import adjudicator_of
from threefold.arena.ledger import Ledger, Result
from threefold.arena.lines import COMMANDS, PlayerLine, parse_line
from threefold.arena.match import GAUNTLET, MATCH, TUNE, MatchSettings
from threefold.arena.openings import openings
from threefold.arena.players import make
from threefold.arena.ratings import parse_anchor
from threefold.arena.record import MatchInfo
from threefold.arena.runner import Runner
from threefold.arena.sprt import Sprt
from threefold.arena.store import Store
from threefold.arena.versions import version, versions
from threefold.arena.workers import Workers
from threefold.cluster.head_node import ray_address
from threefold.engine.lock import Lock
from threefold.engine.running import Closing
from threefold.errors import ThreefoldError, argument
from threefold.games import game as game_named
from threefold.rules.user_files import data_folder

LOCAL: Final = "local"


def default_file() -> Path:
    """Where games are recorded if nobody says where."""
    folder = data_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        where = argument("db", "FILE")
        raise ThreefoldError(
            f"games cannot be recorded in {folder}: {error.strerror}; give {where}"
        ) from None
    return folder / "matches.db"


class Contest(Closing):
    """A match, or a tournament, that can be interrupted and continued."""

    def __init__(
        self,
        game: str,
        players: Sequence[str],
        *,
        db: str | Path | None = None,
        sprt: Sprt | None = None,
        anchor: str | None = None,
        cluster: str = LOCAL,
        **settings: Any,
    ) -> None:
        """The other settings are those of `MatchSettings`.

        What was begun in `db` is continued. Without `db`, games go to a file of the user's, where
        an unfinished match of the same settings is continued, and a finished one is played anew.
        """
        lines = [parse_line(player) for player in players]
        self.game = game_named(game)
        self.game.require("a match", zero_sum=True, perfect_information=False)
        wanted = MatchSettings(
            game,
            tuple(map(str, lines)),
            versions=versions(game, lines, settings.get("openings")),
            **settings,
        )
        _check(wanted)
        adjudicator_of(self.game, wanted)
        self._cluster = cluster
        self._address = None if cluster == LOCAL else ray_address(cluster)
        self._sprt = sprt
        self._anchor = None if anchor is None else parse_anchor(anchor, wanted.players)
        self.openings = openings(self.game, wanted.openings, wanted.seed)
        self._about = [self._introduced(line, wanted) for line in lines]
        self.is_named = db is not None
        self.store = Store(default_file() if db is None else db)
        self.settings = wanted
        self._lock: Lock | None = None

    def _introduced(self, line: PlayerLine, settings: MatchSettings) -> dict[str, object]:
        """What a player says of itself; whatever is wrong with its line shows here."""
        player = make(line, self.game, settings.budget)
        if line.kind in (*COMMANDS, "python") and self._cluster == LOCAL:
            try:
                with redirect_stdout(sys.stderr):  # whatever a user's file prints
                    player.prepare()
                return player.about
            finally:
                player.close()
        return player.about

    def begin(self, games: int) -> None:
        """Find or enter the match in its file, and count what was played before."""
        while True:
            lock = Lock(self.store.path.resolve(), self.settings.digest)
            if lock.acquire():
                self._enter(games)
                if self.is_named or self.is_unfinished(games):
                    self._lock = lock
                    return
                lock.close()
            elif self.is_named:
                raise ThreefoldError(f"{self.store.path}: another process plays this match")
            self.settings = replace(self.settings, repeat=self.settings.repeat + 1)

    def _enter(self, games: int) -> None:
        settings = self.settings
        test = {} if self._sprt is None else {"sprt": asdict(self._sprt)}
        about = MatchInfo(
            0,
            settings.digest,
            settings.game,
            settings.players,
            self._about,
            settings.kind,
            json.loads(json.dumps(settings.to_json() | test)),
            version(),
        )
        self.match = self.store.begin(about)
        self.ledger = self._new_ledger()
        self._runner = Runner(settings, self.store, self.match, self.ledger)
        for task, utility, ending in self.store.results(self.match):
            if task.number < games:
                self.ledger.add(Result(task, utility, ending))

    def _new_ledger(self) -> Ledger:
        chance = not self.game.facts.deterministic
        return Ledger(self.settings, chance, self._sprt, self._anchor)

    def is_unfinished(self, games: int) -> bool:
        """Whether there is anything left to play."""
        return len(self.ledger.done) < games and not self.ledger.is_decided

    def left(self, games: int) -> int:
        """How many games there are still to play."""
        return games - len(self.ledger.done) if self.is_unfinished(games) else 0

    def play(
        self,
        games: int,
        *,
        concurrency: int | None = None,
        watch: Callable[[], object] = lambda: None,
    ) -> None:
        """Play the games up to this number that are not recorded yet.

        `concurrency`: how many at a time; if None, one, or on a cluster one for each CPU.
        """
        if self._lock is None:
            self.begin(games)
        if self.is_unfinished(games):
            with self._workers(concurrency) as workers:
                self._runner.run(games, workers, watch)

    def _workers(self, concurrency: int | None) -> Workers:
        if self._cluster == LOCAL:
            from threefold.arena.pool import Pool

            return Pool(self.settings, self.openings, concurrency or 1)
        from threefold.arena.cluster import RayWorkers

        return RayWorkers(self.settings, self.openings, self._address, most=concurrency)

    def close(self) -> None:
        """Close the file; a match of which no game was played leaves no trace in it."""
        if self._lock is not None:
            with suppress(ThreefoldError):
                self.store.forget(self.match)
            self._lock.close()
        self.store.close()


def _check(settings: MatchSettings) -> None:
    players = len(settings.players)
    if not 0 <= settings.margin < math.inf:
        given = argument("margin", settings.margin)
        raise ThreefoldError(f"{given} is not a number of seconds, 0 or more")
    if settings.kind == MATCH and players != 2:
        raise ThreefoldError(f"a match has two players, not {players}; try threefold tournament")
    if players < 2:
        raise ThreefoldError(f"a {settings.kind} needs two players or more")
    if settings.kind in (GAUNTLET, TUNE):
        return
    twice = [one for one in settings.players if settings.players.count(one) > 1]
    if settings.kind != MATCH and twice:
        raise ThreefoldError(f"player {twice[0]} is given twice")
