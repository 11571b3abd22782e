"""Driving an engine that speaks GTP, version 2.

Black is MAX. Points are written as the game writes them. GTP was made for Go; an engine for another
game says so by `gogui-rules_game_id`, or is told by `set_game`. It can only begin from the usual
start. It knows no nodes or depth; set its limits in its command. In Go it is told the komi and the
handicap.
"""

import re
from collections.abc import Mapping
from typing import Final, TypeVar

from threefold.errors import ThreefoldError
from threefold.games.go.record import tags_of
from threefold.protocols.gtp_go import is_go
from threefold.protocols.outside import OutsidePlayer, seconds_from_now
from threefold.protocols.player import Budget, PlayerFailed, Reply, Turn
from threefold.protocols.points import COLOR_NAMES, board_size, find_move
from threefold.rules.contract import Action
from threefold.rules.game import Game
from threefold.rules.text import shorten

S = TypeVar("S")

_GAME_ID: Final = "gogui-rules_game_id"
_SET_GAME: Final = "set_game"


class GtpPlayer(OutsidePlayer[S]):
    """A GTP engine as a player: `gtp(gnugo --mode gtp --level 10)`.

    Its options are commands of one number or word: `level=10` is the command `level 10`.
    """

    PROTOCOL = "GTP"

    def __init__(
        self,
        game: Game[S],
        budget: Budget,
        command: str,
        options: Mapping[str, str] | None = None,
    ) -> None:
        if budget.time is not None and budget.time < 1:
            raise ThreefoldError(
                f"{command} cannot play at {budget.time:g} s a move: GTP knows whole seconds; "
                "give --time 1 or more (without --time, a match gives 0.1 s)"
            )
        super().__init__(game, budget, command, options)

    def begin(self, start: S, seed: int) -> None:  # noqa: ARG002
        """A new game, from the usual start."""
        if start != self.game.initial():
            raise self._refuse(
                "by GTP a game begins from the usual start; give openings as moves, not positions"
            )
        self._forget()
        size = board_size(self.game)
        if size is not None:
            self._ask(f"boardsize {size}")
        self._ask("clear_board")
        if is_go(self.game):
            self._agree_on_go(start)
        if "time_settings" in self._commands and (settings := self._time_settings()):
            self._ask(settings)

    def _agree_on_go(self, start: S) -> None:
        """Tell it the komi, and which handicap stones are on the board."""
        self._ask(f"komi {tags_of(self.game, start)['Komi']}")
        stones = [point for point, what in self.game.contents(start).items() if what == "black"]
        if stones:
            self._ask(f"set_free_handicap {' '.join(stones)}")

    def choose(self, turn: Turn[S]) -> Reply:
        """The engine's move within the budget."""
        known = len(self._moves)
        news = self._learn(turn)
        if news is None:
            self.begin(turn.positions[0], turn.seed)
            known, news = 0, self._learn(turn)
            assert news is not None
        for s, text in zip(turn.positions[known:], news, strict=False):
            self._ask(f"play {COLOR_NAMES[self.game.player(s)]} {text}")
        s = turn.position
        player = self.game.player(s)
        if turn.clocks is not None and "time_left" in self._commands:
            left = self._time_left(turn.clocks[player], turn.moves_to_go)
            self._ask(f"time_left {COLOR_NAMES[player]} {left}")
        answer = self._ask(f"genmove {COLOR_NAMES[player]}", self._patience(turn) + self.MARGIN)
        a = self._read_move(turn, answer)
        self._know(s, a)
        return Reply(a)

    def _introduce(self) -> None:
        self._number = 0
        if self._ask("protocol_version", self.FIRST_ANSWER) != "2":
            raise self._running.failed("nonsense", "speaks another version of GTP than 2")
        for name in ("name", "version"):
            self._said[name] = self._ask(name)
        self._commands = self._ask("list_commands").split()
        self._check_game()
        for name, value in self.options.items():
            if name not in self._commands:
                raise self._no_option(name, self._commands)
            self._ask(f"{name} {value}")

    def _check_game(self) -> None:
        """Raise unless it plays our game."""
        game = "Go" if _GAME_ID not in self._commands else self._ask(_GAME_ID)
        if game.lower() == self.game.name.lower():
            return
        if _SET_GAME not in self._commands:
            raise self._refuse(f"it plays {shorten(game)[1:-1]}, not {self.game.name}")
        try:
            self._ask(f"{_SET_GAME} {self.game.name}")
        except PlayerFailed:
            raise self._refuse(f"it does not play {self.game.name}") from None

    def _time_settings(self) -> str | None:
        """The budget in whole seconds: the main time, then a time for some more moves.

        GTP has no increments. A period of one move comes close: it is there from the start, so it
        is not part of the main time. An increment below a second is left out; `time_left` tells of
        it after every move.
        """
        budget = self.budget
        if budget.time is not None:
            return f"time_settings 0 {int(budget.time)} 1"
        if budget.base is None:
            return None
        base, period = max(int(budget.base), 1), int(budget.increment)
        if budget.moves:
            return f"time_settings 0 {base} {budget.moves}"
        return f"time_settings {max(base - period, 0)} {period} {int(period > 0)}"

    def _time_left(self, clock: float, moves_to_go: int | None) -> str:
        """What is left in whole seconds, and for how many moves: 0 in the main time."""
        left, period = max(int(clock), 0), int(self.budget.increment)
        if moves_to_go is not None:
            return f"{left} {moves_to_go}"
        return f"{left - period} 0" if left >= period else f"{left} 1"

    def _ask(self, command: str, seconds: float | None = None) -> str:
        """Its answer to a command."""
        program, seconds = self._running, self.STARTING if seconds is None else seconds
        self._number += 1
        number = str(self._number)
        program.skip()
        program.send(f"{number} {command}")
        until = seconds_from_now(seconds)
        answer: list[str] = []
        while (line := program.read(until)) is not None:
            if answer and not line:
                break
            if answer or re.match(rf"[=?]{number}(?!\d)", line):
                answer.append(line)
        else:
            raise self._hangs(f"{shorten(command)[1:-1]} in {seconds:g} s")
        text = "\n".join(answer)
        said = text[1 + len(number) :].strip()
        if text[0] == "?":
            raise program.failed("nonsense", f"answers {shorten(command)} with {shorten(said)}")
        return said

    def _read_move(self, turn: Turn[S], given: str) -> Action:
        if given.lower() == "resign":
            raise self._running.failed("resigned", "resigns")
        found = find_move(self.game, turn.positions, given)
        if found is None:
            raise self._running.failed(
                "illegal move", f"played {shorten(given)}, which is not legal"
            )
        return found
