"""Serving GTP, version 2: our engine for a program that referees or shows board games.

Beside the protocol's own commands there are those by which GoGui learns the rules of a game that is
not Go, and `set_game`. A player who must pass may be skipped: whoever plays out of turn then passes
for the other first.
"""

import inspect
import re
import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import threefold
from threefold.errors import ThreefoldError
from threefold.games import game as named_game
from threefold.protocols.gtp_analysis import (
    KATAGO,
    LEELA_ZERO,
    Manner,
    Streaming,
    complain,
    described,
    reports,
    wanted_moves,
    wish_of,
)
from threefold.protocols.gtp_clock import GtpClocks
from threefold.protocols.gtp_game import GtpGame, Refused
from threefold.protocols.gtp_go import GoCommands, is_go
from threefold.protocols.move_chooser import MoveChooser, Watch
from threefold.protocols.output import Output
from threefold.protocols.points import (
    COLOR_NAMES,
    COLORS,
    LARGEST,
    PASS,
    WHOLE,
    board_rows,
    board_size,
    games_of_points,
    require_points,
    resized,
    vertex_of,
)
from threefold.rules.contract import MAX, Player
from threefold.rules.game import Game

if TYPE_CHECKING:
    import threading

    from threefold.engine.result import Result
    from threefold.engine.running import Running

_CONTROL: Final = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_COMMAND: Final = re.compile(r"(?:([0-9]+)(?:\s+|$))?(.*)")
#: What a number of seconds, a board size and a number of moves look like.
_NUMBER: Final = re.compile(r"-?[0-9]{1,9}(?:\.[0-9]{1,9})?")
#: Seconds that a new game may wait for the compiler; no clock runs then.
_COMPILING: Final = 25.0


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
        #: The analysis under way, if there is one.
        self._streaming: Streaming | None = None
        #: How an answer that says more and more begins, until it has begun.
        self._head: str | None = None
        self._use(spec)
        self._every_game: dict[str, Callable[..., str]] = {
            "protocol_version": lambda: "2",
            "name": lambda: "Threefold",
            "version": lambda: threefold.__version__,
            "known_command": lambda name="": str(name in self._commands).lower(),
            "list_commands": lambda: "\n".join(self._commands),
            "quit": lambda: "",
            "boardsize": self._set_size,
            "clear_board": self._begin,
            "komi": self._ignore_komi,
            "play": self._play,
            "genmove": lambda color: self._generate(color),
            "reg_genmove": self._suggest,
            "undo": self._undo,
            "time_settings": self._set_clocks,
            "time_left": self._correct_clock,
            "showboard": lambda: "\n" + self._game.render(self._played.here),
            "final_score": self._score,
            "list_games": lambda: "\n".join(games_of_points()),
            "set_game": self._set_game,
            "gogui-rules_game_id": lambda: self._game.name,
            "gogui-rules_board_size": lambda: str(self._square()),
            "gogui-rules_board": self._show_rows,
            "gogui-rules_legal_moves": self._list_legal,
            "gogui-rules_side_to_move": lambda: COLOR_NAMES[self._played.turn],
            "gogui-rules_final_result": self._result,
        }
        for manner in (LEELA_ZERO, KATAGO):
            self._every_game |= {
                f"{manner.prefix}-analyze": partial(self._analyze, manner),
                f"{manner.prefix}-genmove_analyze": partial(self._generate_analyzed, manner),
            }
        self._of_go = GoCommands(lambda: self._played, self._use).commands

    @property
    def _commands(self) -> dict[str, Callable[..., str]]:
        return self._every_game | self._of_go if is_go(self._game) else self._every_game

    def serve(self, lines: Iterable[str]) -> None:
        """Answer until `quit`, the end of the input, or nobody listens."""
        try:
            for line in lines:
                self._stop_analysis()
                if not self._obey(line) or self._output.is_closed:
                    return
        finally:
            self._stop_analysis()

    def _stop_analysis(self) -> None:
        streaming, self._streaming = self._streaming, None
        if streaming is not None:
            streaming.stop()

    def _obey(self, line: str) -> bool:
        """Answer a line; False after the last."""
        text = _CONTROL.sub("", line.partition("#")[0].replace("\t", " ")).strip()
        if not text:
            return True
        found = _COMMAND.fullmatch(text)
        assert found is not None
        number, words = found[1] or "", found[2].split()
        command = words[0] if words else ""
        self._head = f"={number}"
        sign, answer = self._answer(command, words[1:])
        if self._streaming is None:
            begun = self._head is None
            if begun and sign == "?":
                complain(answer)
                lines = []
            else:
                said = answer if begun else f"{sign}{number} {answer}".rstrip()
                first, *more = said.split("\n")
                lines = [first.rstrip(), *more]
            for each in (*lines, ""):
                self._output.say(each)
        return command != "quit" or sign == "?"

    def _begin_answer(self) -> None:
        """Say that a command is obeyed, before all of the answer is known."""
        if self._head is not None:
            self._output.say(self._head)
            self._head = None

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
        except Refused as refusal:
            return "?", str(refusal)
        except ThreefoldError as error:
            return "?", " ".join(str(error).split())
        except Exception as error:  # the rules may be anybody's; the conversation goes on
            return "?", " ".join(f"{type(error).__name__}: {error}".split())

    # The game.

    def _use(self, spec: str, played: GtpGame | None = None) -> None:
        """Play another game from now on, or go on with one by other rules."""
        game = self._open_game(spec)
        require_points(game)
        self._chooser = self._chooser_of(game)
        self._played = GtpGame(game) if played is None else played
        self._played.game = game
        if played is not None:
            self._chooser.get_ready(_COMPILING)

    @property
    def _game(self) -> Game[Any]:
        return self._played.game

    def _begin(self) -> str:
        """A new game, for which the engine gets ready while no clock runs."""
        self._played = GtpGame(self._game)
        self._chooser.forget()
        self._chooser.get_ready(_COMPILING)
        return ""

    # Commands.

    def _list_legal(self) -> str:
        return " ".join(map(self._played.text, self._played.legal()))

    def _set_size(self, size: str) -> str:
        number = int(_checked(WHOLE, size))
        if number != board_size(self._game):
            try:
                if not 2 <= number <= LARGEST:
                    raise Refused("unacceptable size")
                self._use(resized(self._game, number))
            except ThreefoldError:
                raise Refused("unacceptable size") from None
        return self._begin()

    def _ignore_komi(self, komi: str) -> str:
        """Only Go has a komi; programs that referee send one all the same."""
        _checked(_NUMBER, komi)
        return ""

    def _set_game(self, *name: str) -> str:
        wanted = " ".join(name).lower()
        if wanted in (self._game.name.lower(), self._game.spec.lower()):
            return self._begin()
        for spec in games_of_points():
            if wanted in (spec, named_game(spec, own_net=False).name.lower()):
                self._use(spec)
                return self._begin()
        raise Refused("unknown game")

    def _play(self, color: str, vertex: str) -> str:
        player = _color(color)
        if self._played.outcome and vertex.lower() == PASS:
            self._played.pass_after_the_end()
            return ""
        self._played.add(player, self._played.find(player, vertex))
        return ""

    def _generate(self, color: str, watch: Watch = lambda _: None, lines: int = 1) -> str:
        player = _color(color)
        if self._played.outcome:
            self._played.pass_after_the_end()
            return PASS
        positions = self._played.seen_by(player)
        began = time.perf_counter()
        pace = self._clocks.pace(player)
        a = self._chooser.choose(positions, pace, watch=watch, lines=lines)
        self._clocks.spend(player, time.perf_counter() - began)
        return self._played.add(player, a)

    def _suggest(self, color: str) -> str:
        """A move that is not played, the same whenever it is asked for."""
        player = _color(color)
        if self._played.outcome:
            return PASS
        positions = self._played.seen_by(player)
        a = self._chooser.choose(positions, None, seed=0)
        return vertex_of(self._game, positions[-1], a)

    def _undo(self) -> str:
        self._played.undo()
        return ""

    def _set_clocks(self, main: str, period: str, moves: str) -> str:
        first, then = (float(_checked(_NUMBER, each)) for each in (main, period))
        self._clocks.set(first, then, int(_checked(WHOLE, moves)))
        return ""

    def _correct_clock(self, color: str, left: str, moves: str) -> str:
        player, seconds = _color(color), float(_checked(_NUMBER, left))
        self._clocks.correct(player, max(seconds, 0.0), int(_checked(WHOLE, moves)))
        return ""

    def _score(self) -> str:
        outcome = self._played.outcome
        if outcome is None:
            raise Refused("cannot score")
        if outcome.winner is None:
            return "0"
        return f"{'B' if outcome.winner == MAX else 'W'}+{abs(outcome.utility)}"

    def _result(self) -> str:
        outcome = self._played.outcome
        if outcome is None:
            raise Refused("the game is not over")
        return outcome.sentence(COLOR_NAMES)

    def _square(self) -> int:
        size = board_size(self._game)
        if size is None:
            raise Refused("the board is not square")
        return size

    def _show_rows(self) -> str:
        self._square()
        return "\n".join(board_rows(self._game, self._played.here))

    # Analysis.

    def _analyze(self, manner: Manner, *arguments: str) -> str:
        """Say what a search finds, until the next command."""
        wish = wish_of(arguments, self._played.turn)
        positions = self._played.seen_by(wish.player)
        moves = wanted_moves(self._game, positions, wish)
        self._begin_answer()
        self._streaming = Streaming(
            lambda is_wanted: self._chooser.analyze(positions, moves, wish.moves, is_wanted),
            lambda found: self._output.say(described(found, manner)),
            lambda: self._output.say(""),
            wish.every,
        )
        return ""

    def _generate_analyzed(self, manner: Manner, *arguments: str) -> str:
        """Say what the search for a move finds, then the move."""
        wish = wish_of(arguments, self._played.turn)
        watching: list[threading.Thread] = []

        def watch(running: "Running[Result[Any]]") -> None:
            self._begin_answer()
            watching.append(
                reports(
                    running, lambda found: self._output.say(described(found, manner)), wish.every
                )
            )

        move = self._generate(COLOR_NAMES[wish.player], watch, wish.moves)
        for thread in watching:
            thread.join()
        self._begin_answer()
        return f"play {move}"


def _checked(form: re.Pattern[str], given: str) -> str:
    if not form.fullmatch(given):
        raise Refused("syntax error")
    return given


def _color(given: str) -> Player:
    player = COLORS.get(given.lower())
    if player is None:
        raise Refused("invalid color or coordinate")
    return player
