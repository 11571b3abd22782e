"""Serving GTP, version 2: our engine for a program that referees or shows board games.

Beside the protocol's own commands there are those by which GoGui learns the rules of a game that is
not Go, and `set_game`. A player who must pass may be skipped: whoever plays out of turn then passes
for the other first.
"""

import inspect
import re
import time
from collections.abc import Callable, Iterable
from typing import Any, Final

import threefold
from threefold.errors import ThreefoldError
from threefold.protocols.gtp_clock import GtpClocks
from threefold.protocols.move_chooser import MoveChooser
from threefold.protocols.output import Output
from threefold.protocols.points import (
    COLOR_NAMES,
    COLORS,
    LARGEST,
    PASS,
    board_rows,
    board_size,
    find_move,
    games_of_points,
    is_pass,
    require_points,
    resized,
)
from threefold.rules.contract import MAX, Action, Player
from threefold.rules.game import Game
from threefold.rules.outcome import Outcome

_CONTROL: Final = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_COMMAND: Final = re.compile(r"(?:([0-9]+)(?:\s+|$))?(.*)")
#: What a number of seconds, a board size and a number of moves look like.
_NUMBER: Final = re.compile(r"-?[0-9]{1,9}(?:\.[0-9]{1,9})?")
_WHOLE: Final = re.compile(r"[0-9]{1,9}")
#: Seconds that a new game may wait for the compiler; no clock runs then.
_COMPILING: Final = 25.0


class _Refused(Exception):
    """A command is not obeyed; the message is the answer."""


class GtpServer:
    """Answers commands, one after another."""

    def __init__(
        self,
        spec: str,
        output: Output,
        *,
        open_game: Callable[[str], Game[Any]],
        chooser: Callable[[Game[Any]], MoveChooser],
    ) -> None:
        """`open_game` makes a game from its spec, and `chooser` those who play it."""
        self._output = output
        self._open_game = open_game
        self._chooser_of = chooser
        self._clocks = GtpClocks()
        self._use(spec)
        self._commands: dict[str, Callable[..., str]] = {
            "protocol_version": lambda: "2",
            "name": lambda: "Threefold",
            "version": lambda: threefold.__version__,
            "known_command": lambda name="": str(name in self._commands).lower(),
            "list_commands": lambda: "\n".join(self._commands),
            "quit": lambda: "",
            "boardsize": self._set_size,
            "clear_board": self._begin,
            "komi": self._set_komi,
            "play": self._play,
            "genmove": self._generate,
            "reg_genmove": self._suggest,
            "undo": self._undo,
            "time_settings": self._set_clocks,
            "time_left": self._correct_clock,
            "showboard": lambda: "\n" + self._game.render(self._here),
            "final_score": self._score,
            "list_games": lambda: "\n".join(games_of_points()),
            "set_game": self._set_game,
            "gogui-rules_game_id": lambda: self._game.name,
            "gogui-rules_board_size": lambda: str(self._square()),
            "gogui-rules_board": self._show_rows,
            "gogui-rules_legal_moves": lambda: " ".join(map(self._text, self._legal())),
            "gogui-rules_side_to_move": lambda: COLOR_NAMES[self._turn],
            "gogui-rules_final_result": self._result,
        }

    def serve(self, lines: Iterable[str]) -> None:
        """Answer until `quit`, the end of the input, or nobody listens."""
        for line in lines:
            text = _CONTROL.sub("", line.partition("#")[0].replace("\t", " ")).strip()
            if not text:
                continue
            found = _COMMAND.fullmatch(text)
            assert found is not None
            number, words = found[1] or "", found[2].split()
            command = words[0] if words else ""
            sign, answer = self._answer(command, words[1:])
            first, *more = f"{sign}{number} {answer}".rstrip().split("\n")
            for said in (first.rstrip(), *more, ""):
                self._output.say(said)
            if (command == "quit" and sign == "=") or self._output.is_closed:
                return

    def _answer(self, command: str, arguments: list[str]) -> tuple[str, str]:
        obey = self._commands.get(command)
        if obey is None:
            return "?", "unknown command"
        try:
            inspect.signature(obey).bind(*arguments)
        except TypeError:
            return "?", "syntax error"
        try:
            return "=", obey(*arguments)
        except _Refused as refusal:
            return "?", str(refusal)
        except ThreefoldError as error:
            return "?", " ".join(str(error).split())
        except Exception as error:  # the rules may be anybody's; the conversation goes on
            return "?", " ".join(f"{type(error).__name__}: {error}".split())

    # The game.

    def _use(self, spec: str) -> None:
        """Play another game from now on."""
        game = self._open_game(spec)
        require_points(game)
        self._game = game
        self._chooser = self._chooser_of(game)
        self._clear()

    def _clear(self) -> None:
        #: The positions of the game, and how many there were before each command that added some.
        self._positions: list[Any] = [self._game.initial()]
        self._before: list[int] = []
        self._chooser.forget()

    def _begin(self) -> str:
        """A new game, for which the engine gets ready while no clock runs."""
        self._clear()
        self._chooser.get_ready(_COMPILING)
        return ""

    @property
    def _here(self) -> Any:
        return self._positions[-1]

    @property
    def _turn(self) -> Player:
        return self._game.player(self._here)

    def _legal(self) -> list[Action]:
        return [] if self._outcome() else self._game.moves(self._here)

    def _outcome(self) -> Outcome | None:
        return self._game.outcome(self._positions)

    def _text(self, a: Action) -> str:
        return PASS if is_pass(self._game, self._here, a) else self._game.format_move(self._here, a)

    def _add(self, *moves: Action) -> None:
        self._before.append(len(self._positions))
        for a in moves:
            self._positions.append(self._game.result(self._here, a))

    def _let_pass(self, player: Player) -> list[Action]:
        """What has to happen before it is a player's turn: nothing, or the other's only pass."""
        if self._turn == player:
            return []
        moves = self._legal()
        if len(moves) == 1 and is_pass(self._game, self._here, moves[0]):
            return moves
        raise _Refused(f"illegal move: it is {COLOR_NAMES[self._turn]}'s turn")

    # Commands.

    def _set_size(self, size: str) -> str:
        number = int(_checked(_WHOLE, size))
        if number != board_size(self._game):
            try:
                if not 2 <= number <= LARGEST:
                    raise _Refused("unacceptable size")
                self._use(resized(self._game, number))
            except ThreefoldError:
                raise _Refused("unacceptable size") from None
        return self._begin()

    def _set_komi(self, komi: str) -> str:
        """None of these games has a komi; programs that referee send one all the same."""
        _checked(_NUMBER, komi)
        return ""

    def _set_game(self, *name: str) -> str:
        wanted = " ".join(name).lower()
        if wanted in (self._game.name.lower(), self._game.spec.lower()):
            return self._begin()
        for spec in games_of_points():
            if wanted in (spec, self._open_game(spec).name.lower()):
                self._use(spec)
                return self._begin()
        raise _Refused("unknown game")

    def _play(self, color: str, vertex: str) -> str:
        player = _color(color)
        if self._outcome() and vertex.lower() == PASS:
            return ""
        passes = self._let_pass(player)
        s = self._game.result(self._here, passes[0]) if passes else self._here
        a = None if self._outcome() else find_move(self._game, s, vertex)
        if a is None:
            raise _Refused("illegal move")
        self._add(*passes, a)
        return ""

    def _generate(self, color: str) -> str:
        player = _color(color)
        if self._outcome():
            return PASS
        passes = self._let_pass(player)
        positions = [*self._positions, *(self._game.result(self._here, a) for a in passes)]
        began = time.perf_counter()
        a = self._chooser.choose(positions, self._clocks.pace(player))
        self._clocks.spend(player, time.perf_counter() - began)
        self._add(*passes, a)
        s = positions[-1]
        return PASS if is_pass(self._game, s, a) else self._game.format_move(s, a)

    def _suggest(self, color: str) -> str:
        """A move that is not played, the same whenever it is asked for."""
        player = _color(color)
        if self._outcome():
            return PASS
        if self._let_pass(player):
            raise _Refused("illegal move: the other player must pass")
        return self._text(self._chooser.choose(self._positions, None, seed=0))

    def _undo(self) -> str:
        if not self._before:
            raise _Refused("cannot undo")
        del self._positions[self._before.pop() :]
        return ""

    def _set_clocks(self, main: str, period: str, moves: str) -> str:
        first, then = (float(_checked(_NUMBER, each)) for each in (main, period))
        self._clocks.set(first, then, int(_checked(_WHOLE, moves)))
        return ""

    def _correct_clock(self, color: str, left: str, moves: str) -> str:
        player, seconds = _color(color), float(_checked(_NUMBER, left))
        self._clocks.correct(player, max(seconds, 0.0), int(_checked(_WHOLE, moves)))
        return ""

    def _score(self) -> str:
        outcome = self._outcome()
        if outcome is None:
            raise _Refused("cannot score")
        if outcome.winner is None:
            return "0"
        return f"{'B' if outcome.winner == MAX else 'W'}+{abs(outcome.utility)}"

    def _result(self) -> str:
        outcome = self._outcome()
        if outcome is None:
            raise _Refused("the game is not over")
        return outcome.sentence(COLOR_NAMES)

    def _square(self) -> int:
        size = board_size(self._game)
        if size is None:
            raise _Refused("the board is not square")
        return size

    def _show_rows(self) -> str:
        self._square()
        return "\n".join(board_rows(self._game, self._here))


def _checked(form: re.Pattern[str], given: str) -> str:
    if not form.fullmatch(given):
        raise _Refused("syntax error")
    return given


def _color(given: str) -> Player:
    player = COLORS.get(given.lower())
    if player is None:
        raise _Refused("invalid color or coordinate")
    return player
