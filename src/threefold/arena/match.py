"""A match: what decides its games, and how one of them is played.

A game depends on the settings and its number, and on nothing else: not on the games before it, nor
on which process plays it. With fixed nodes or depth it is therefore the same, move for move,
wherever and however often it is played.
"""

import hashlib
import json
import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from threefold.arena import record
from threefold.arena.record import Played, Task
from threefold.protocols.player import Budget, Player, PlayerFailed, Reply, Turn
from threefold.rules.contract import CHANCE, MAX, Action
from threefold.rules.game import Game
from threefold.rules.outcome import Outcome, by_repetition
from threefold.rules.reading import FORBIDDEN_BY_SUPERKO

if TYPE_CHECKING:
    from threefold.arena.adjudication import Adjudicator
    from threefold.arena.openings import Opening
    from threefold.arena.spsa import Plan

MATCH: Final = "match"
ROUND_ROBIN: Final = "round robin"
GAUNTLET: Final = "gauntlet"
TUNE: Final = "tune"
#: Seconds a move where nothing else is said.
DEFAULT_TIME: Final = 0.1
#: Seconds by which a player may overstep its time: operating systems are not precise.
DEFAULT_MARGIN: Final = 0.25


@dataclass(frozen=True)
class MatchSettings:
    """Everything that decides how the games of a match go."""

    #: The game, as the command line names it.
    game: str
    #: The players' lines; in a gauntlet the first plays all others.
    players: tuple[str, ...]
    #: What a player may spend whose line does not say it.
    budget: Budget = field(default_factory=lambda: Budget(time=DEFAULT_TIME))
    #: How the openings were asked for.
    openings: str | None = None
    adjudication: tuple[str, ...] = ()
    seed: int = 0
    #: Seconds by which a player may overstep its time.
    margin: float = DEFAULT_MARGIN
    kind: str = MATCH
    #: The versions of whatever plays: of Threefold, and of files and programs that are used.
    versions: tuple[str, ...] = ()
    #: How many matches with the same settings were played before.
    repeat: int = 0
    #: What is tuned, if this is not a match but a tuning.
    tuning: "Plan | None" = None

    def to_json(self) -> dict[str, object]:
        """The settings as plain data."""
        return asdict(self)

    @property
    def digest(self) -> str:
        """A name for the match, different whenever a game could go differently."""
        text = json.dumps(self.to_json(), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @cached_property
    def pairings(self) -> list[tuple[int, int]]:
        """Who meets whom in a round."""
        everyone = range(len(self.players))
        if self.kind == GAUNTLET:
            return [(0, other) for other in everyone[1:]]
        return [(one, other) for one in everyone for other in everyone[one + 1 :]]

    def games_of_rounds(self, each: int) -> int:
        """How many games there are in all if every pairing has this many, rounded up to pairs."""
        return 2 * ((each + 1) // 2) * len(self.pairings)

    def task(self, number: int) -> Task:
        """A game by its number: round after round, each pairing twice with sides reversed."""
        pairings = self.pairings
        pair, reversed_sides = divmod(number, 2)
        turn, pairing = divmod(pair, len(pairings))
        one, other = pairings[pairing]
        return Task(number, (other, one) if reversed_sides else (one, other), turn)

    def randomly(self, *what: object) -> random.Random:
        """Random numbers for one purpose, the same wherever the match is played."""
        return random.Random(" ".join(map(str, (self.seed, *what))))


class _Over(Exception):
    """A game has ended before its rules ended it."""

    def __init__(self, ending: str, utility: float, reason: str, output: str = "") -> None:
        super().__init__(reason)
        self.ending, self.utility, self.reason, self.output = ending, utility, reason, output


class GameInPlay:
    """One game of a match, from its opening to its end."""

    def __init__(
        self,
        game: Game[Any],
        settings: MatchSettings,
        task: Task,
        opening: "Opening",
        adjudicator: "Adjudicator | None",
    ) -> None:
        self._game = game
        self._task = task
        self._margin = settings.margin
        self._adjudicator = adjudicator
        # The same rolls for both games of a pair, and choices of their own for the players.
        self._dice = settings.randomly("dice", task.number // 2)
        self._seeds = settings.randomly("players", task.number)
        start = game.position(opening.start or None)
        self._positions = [start]
        self._moves: list[Action] = []
        self._texts: list[str] = []
        self._values: list[float | None] = []
        self._scores: list[float | None] = []
        self._seconds: list[float | None] = []
        self._seen: Counter[int] = Counter()
        self._note(start)
        for text in opening.moves:
            self._make(game.parse_move(self._positions[-1], text, self._positions[:-1]))
        self._opening_plies = len(self._moves)
        self._clocks: list[float] = []
        self._made = [0, 0]
        self._began = time.perf_counter()

    def play(self, players: Sequence[Player[Any]]) -> Played:
        """Play to the end; `players` are MAX and MIN."""
        ending, output = record.RULES, ""
        try:
            self._begin(players)
            outcome = self._play(players)
            if outcome is None:
                ending, outcome = record.TOO_LONG, Outcome(0, f"over {len(self._moves)} plies")
        except _Over as over:
            ending, output = over.ending, over.output
            outcome = Outcome(over.utility, over.reason)
        return Played(
            self._task,
            self._game.format(self._positions[0]),
            self._texts,
            self._opening_plies,
            outcome.utility,
            ending,
            outcome.reason,
            self._values,
            self._seconds,
            output,
            time.time(),
            time.perf_counter() - self._began,
        )

    def _play(self, players: Sequence[Player[Any]]) -> Outcome | None:
        while (outcome := self._outcome()) is None:
            s = self._positions[-1]
            if len(self._moves) >= self._game.facts.max_ply:
                return None
            if self._game.player(s) == CHANCE:
                self._roll(s)
                self._enter(None, None)
            else:
                self._ask(players[self._game.player(s)], s)
                self._adjudicate()
        return outcome

    def _outcome(self) -> Outcome | None:
        s = self._positions[-1]
        if self._game.repeats and self._seen[self._game.key(s)] >= self._game.repeats:
            return by_repetition(self._game)
        return self._game.outcome([s])

    def _begin(self, players: Sequence[Player[Any]]) -> None:
        for side, player in enumerate(players):
            self._clocks.append(player.budget.base or 0.0)
            with self._blaming(side):
                player.get_ready()
                player.begin(self._positions[0], self._seeds.getrandbits(32))
        self._began = time.perf_counter()

    def _ask(self, player: Player[Any], s: Any) -> None:
        side = self._game.player(s)
        turn = Turn(
            self._positions,
            self._moves,
            self._clocks_of(player),
            self._moves_to_go(player, side),
            self._seeds.getrandbits(32),
        )
        began = time.perf_counter()
        with self._blaming(side):
            reply = player.choose(turn)
        seconds = time.perf_counter() - began
        self._enter(reply, round(seconds, 4))
        if reply.move not in self._game.moves(s):
            raise self._lost(side, record.ILLEGAL, f"{reply.move} is not a legal move")
        if not self._game.is_legal(s, reply.move, self._positions[:-1]):
            text = self._game.format_move(s, reply.move)
            raise self._lost(side, record.ILLEGAL, f"{text} {FORBIDDEN_BY_SUPERKO}")
        self._keep_time(player, side, seconds)
        self._make(reply.move)

    def _enter(self, reply: Reply | None, seconds: float | None) -> None:
        """Write down what a player thought of its move; nothing for an event of nature."""
        self._values.append(None if reply is None else reply.value)
        self._scores.append(None if reply is None else reply.score)
        self._seconds.append(seconds)

    def _clocks_of(self, player: Player[Any]) -> tuple[float, float] | None:
        return None if player.budget.base is None else (self._clocks[0], self._clocks[1])

    def _moves_to_go(self, player: Player[Any], side: int) -> int | None:
        moves = player.budget.moves
        return None if moves is None else moves - self._made[side] % moves

    def _keep_time(self, player: Player[Any], side: int, seconds: float) -> None:
        """Take the time of a move from its player's clock; `_Over` if that was too long."""
        budget = player.budget
        self._made[side] += 1
        if budget.time is not None and seconds > budget.time + self._margin:
            late = f"{seconds:.2f} s for a move of {budget.time:g} s"
            raise self._lost(side, record.TIME, late, player.output)
        if budget.base is None:
            return
        self._clocks[side] -= seconds
        if self._clocks[side] < -self._margin:
            raise self._lost(side, record.TIME, "time is up", player.output)
        self._clocks[side] = max(self._clocks[side], 0.0) + budget.increment
        if budget.moves is not None and self._made[side] % budget.moves == 0:
            self._clocks[side] += budget.base

    @contextmanager
    def _blaming(self, side: int) -> Iterator[None]:
        """A block in which a player that fails loses the game."""
        try:
            yield
        except PlayerFailed as failure:
            raise self._lost(side, failure.kind, str(failure), failure.output) from None

    def _lost(self, side: int, ending: str, reason: str, output: str = "") -> _Over:
        """How a game ends that a player has lost by its own fault."""
        return _Over(
            ending, -1 if side == MAX else 1, f"{self._game.sides[side]}: {reason}", output
        )

    def _adjudicate(self) -> None:
        if self._adjudicator is None:
            return
        found = self._adjudicator.look(self._positions, self._moves, self._scores)
        if found is not None:
            raise _Over(record.ADJUDICATED, *found)

    def _roll(self, s: Any) -> None:
        """Let nature move: the same number decides the same roll of both games of a pair."""
        events, weights = zip(*self._game.chances(s), strict=True)
        self._make(self._dice.choices(events, weights)[0])

    def _make(self, a: Action) -> None:
        s = self._positions[-1]
        self._texts.append(self._game.format_move(s, a))
        self._moves.append(a)
        after = self._game.result(s, a)
        self._positions.append(after)
        self._note(after)

    def _note(self, s: Any) -> None:
        if self._game.repeats:
            self._seen[self._game.key(s)] += 1
