"""The engine side of XBoard's protocol (CECP), version 2.

The engine knows the game and whose turn it is: it plays one side, or none in `force` mode. Commands
come in one thread and what is found in another; whoever acts has the lock. A thought that the game
has left behind is stopped, and whatever it still finds is dropped.
"""

import re
import threading
from collections.abc import Callable, Iterable
from enum import Enum
from typing import Final

import threefold
from threefold.engine.limits import MAX_DEPTH, MAX_THREADS, Limits
from threefold.engine.pacing import Pace
from threefold.errors import IllegalMove, ThreefoldError
from threefold.games.chess.moves import is_check
from threefold.games.chess.notation import is_castling
from threefold.games.chess.rules import State
from threefold.protocols.game_so_far import GameSoFar, is_move
from threefold.protocols.options import OPTIONS, Options
from threefold.protocols.output import Output
from threefold.protocols.player import MATE
from threefold.protocols.scores import centipawns, milliseconds, moves_to_mate
from threefold.protocols.thinking import Found, Order, Thinker, Thought
from threefold.rules.contract import MAX, MIN, Action, Player
from threefold.rules.text import shorten

_FEATURES: Final = (
    "ping=1 setboard=1 playother=1 usermove=1 time=1 san=0 draw=0 sigint=0 sigterm=0 reuse=1 "
    'analyze=1 colors=0 ics=0 name=0 nps=1 memory=1 smp=1 debug=1 variants="normal,fischerandom"'
)
#: The options that have no command of their own under XBoard.
_OFFERED: Final = (
    *("Move Overhead", "UCI_LimitStrength", "UCI_Elo"),
    *("EvalFile", "DatabasePath", "Clear Hash"),
)
#: What a GUI may say that changes nothing here.
_IGNORED: Final = frozenset(
    ("xboard", "accepted", "rejected", "random", "computer", "name", "rating", "draw", "bk", "ics")
)
#: The numbers of commands: seconds, minutes, moves, plies; hundredths, nodes, megabytes, threads.
_NUMBER: Final = re.compile(r"[0-9]{1,9}(?:\.[0-9]{0,9})?")
_WHOLE: Final = re.compile(r"-?[0-9]{1,18}")
_VARIANTS: Final = {"normal": False, "fischerandom": True}


class Role(Enum):
    """What a thought is for."""

    MOVE = "the move to make"
    PONDER = "the answer to the move that is expected"
    ANALYSIS = "what the user wants to know"


class XBoardServer:
    """Speaks XBoard's protocol with one GUI."""

    def __init__(self, thinker: Thinker, output: Output) -> None:
        self._thinker = thinker
        self._say = output.say
        self._output = output
        self._options = Options(thinker)
        self._lock = threading.RLock()
        self._thought: Thought | None = None
        self._role = Role.MOVE
        #: The move that is pondered on.
        self._expected: Action | None = None
        #: Those who wait until the move is made.
        self._pings: list[str] = []
        self._pondering = False
        self._posting = False
        self._analyzing = False
        # The time control: moves in a session, its seconds, and the seconds added after each move;
        # or seconds for each move. Then limits on the depth, and on the nodes of a second.
        self._level: tuple[int, float, float] = (40, 300.0, 0.0)
        self._each: float | None = None
        self._depth: int | None = None
        self._rate: int | None = None
        self._start_anew()
        self._commands: dict[str, Callable[[str], None]] = {
            "protover": self._introduce,
            "new": self._new,
            "variant": self._set_variant,
            "force": self._force,
            "go": self._go,
            "playother": self._play_other,
            "usermove": self._user_move,
            "setboard": self._set_board,
            "level": self._set_level,
            "st": self._set_time,
            "sd": self._set_depth,
            "nps": self._set_rate,
            "time": self._set_clock,
            "otim": lambda _: None,
            "?": self._move_now,
            "ping": self._ping,
            "undo": self._undo,
            "remove": self._remove,
            "hard": self._ponder,
            "easy": self._do_not_ponder,
            "post": lambda _: self._post(True),
            "nopost": lambda _: self._post(False),
            "hint": self._hint,
            "result": self._result,
            "analyze": self._analyze,
            "exit": self._exit_analysis,
            ".": self._status,
            "memory": self._set_memory,
            "cores": self._set_cores,
            "option": self._set_option,
        }

    def serve(self, lines: Iterable[str]) -> None:
        """Obey until `quit`, the end of the input, or the end of the reader."""
        try:
            for line in lines:
                command, _, rest = line.strip().partition(" ")
                if command == "quit":
                    break
                if command:
                    with self._lock:
                        self._obey(command, rest.strip())
                if self._output.is_closed:
                    break
        finally:
            with self._lock:
                thought = self._thought
                self._abandon()
            if thought is not None:
                thought.wait()

    def _obey(self, command: str, rest: str) -> None:
        if command in _IGNORED:
            return
        if command not in self._commands:
            if not is_move(command):
                self._say(f"Error (unknown command): {shorten(command)[1:-1]}")
                return
            command, rest = "usermove", command
        try:
            self._commands[command](rest)
        except IllegalMove as error:
            self._say(f"Illegal move ({_reason(error)}): {rest[:20]}")
        except (ThreefoldError, ValueError, MemoryError, OverflowError) as error:
            self._say(f"Error ({_reason(error)}): {command}")

    def _introduce(self, _: str) -> None:
        self._say(f'feature myname="Threefold {threefold.__version__}" {_FEATURES}')
        for name in _OFFERED:
            self._say(f'feature option="{OPTIONS[name.lower()].for_xboard}"')
        self._say("feature done=1")

    # The game.

    def _start_anew(self) -> None:
        self._thinker.chess960 = False
        self._so_far = GameSoFar(self._thinker.game)
        #: The side that the engine plays; None in force mode.
        self._side: Player | None = MIN
        #: The seconds on our clock, and how many moves were made before it was set.
        self._left = self._level[1]
        self._before_session = 0

    def _new(self, _: str) -> None:
        self._abandon()
        self._thinker.clear()
        self._depth = None
        self._start_anew()
        self._analyze_on()

    def _set_variant(self, rest: str) -> None:
        if rest not in _VARIANTS:
            raise ThreefoldError(f"the variants are {', '.join(_VARIANTS)}")
        self._abandon()
        self._thinker.chess960 = _VARIANTS[rest]
        self._so_far = GameSoFar(self._thinker.game)
        self._before_session = 0
        self._analyze_on()

    def _set_board(self, rest: str) -> None:
        try:
            start = self._thinker.game.parse(rest)
        except ThreefoldError as error:
            self._say(f"tellusererror Illegal position: {_reason(error)}")
            return
        self._abandon()
        self._so_far = GameSoFar(self._thinker.game, start)
        self._before_session = 0
        self._analyze_on()

    def _force(self, _: str) -> None:
        self._abandon()
        self._side, self._analyzing = None, False

    def _go(self, _: str) -> None:
        self._abandon()
        self._analyzing = False
        self._side = self._turn
        self._think()

    def _play_other(self, _: str) -> None:
        self._abandon()
        self._analyzing = False
        self._side = 1 - self._turn

    def _user_move(self, rest: str) -> None:
        if self._thought is not None and self._role is Role.MOVE:
            raise ThreefoldError("command not legal now")  # the engine is to move
        a = self._so_far.read(rest)
        hit = self._role is Role.PONDER and self._thought is not None and a == self._expected
        if not hit:
            self._abandon()
        self._so_far.make(a)
        if self._analyzing:
            self._analyze_on()
        elif self._side == self._turn:
            if hit and self._thought is not None:
                self._role = Role.MOVE
                self._thought.release(self._pace())
            else:
                self._think()
        else:
            self._announce_end()

    def _undo(self, _: str) -> None:
        self._abandon()
        if not self._so_far.moves:
            raise ThreefoldError("there is no move to take back")
        self._take_back(1)

    def _remove(self, _: str) -> None:
        self._abandon()
        if len(self._so_far.moves) < 2:
            raise ThreefoldError("there are no two moves to take back")
        self._take_back(2)

    def _take_back(self, plies: int) -> None:
        for _ in range(plies):
            self._so_far.undo()
        self._before_session = min(self._before_session, self._moves_made())
        self._analyze_on()

    def _result(self, _: str) -> None:
        self._abandon()
        self._side = None

    @property
    def _turn(self) -> Player:
        return self._so_far.position.turn

    def _has_moves(self) -> bool:
        return bool(self._so_far.game.all_moves(self._so_far.position))

    def _announce_end(self) -> None:
        """Say that the game is over, if no move is possible. Draws are for the GUI to declare."""
        if self._has_moves():
            return
        if not is_check(self._so_far.position):
            self._say("1/2-1/2 {Stalemate}")
        elif self._turn == MAX:
            self._say("0-1 {Black mates}")
        else:
            self._say("1-0 {White mates}")

    # Time.

    def _set_level(self, rest: str) -> None:
        if len(rest.split()) != 3:
            raise ThreefoldError("it is written level MOVES MINUTES:SECONDS INCREMENT")
        moves, base, increment = rest.split()
        minutes, _, seconds = base.partition(":")
        total = 60 * _number(minutes) + (_number(seconds) if seconds else 0.0)
        self._level = (int(_number(moves)), total, _number(increment))
        self._left, self._each = total, None
        self._before_session = self._moves_made()

    def _set_time(self, rest: str) -> None:
        self._each = _number(rest)

    def _set_depth(self, rest: str) -> None:
        self._depth = min(max(int(_number(rest)), 1), MAX_DEPTH)

    def _set_rate(self, rest: str) -> None:
        rate = _whole(rest)
        self._rate = rate if rate > 0 else None

    def _set_clock(self, rest: str) -> None:
        self._left = _whole(rest) / 100

    def _limits(self) -> Limits:
        nodes = None
        if self._rate is not None and self._each is not None:
            nodes = max(int(self._rate * self._each), 1)
        return Limits(depth=self._depth, nodes=nodes)

    def _pace(self) -> Pace | None:
        """What the clock allows for the next move."""
        if self._each is not None:
            return None if self._rate is not None else self._thinker.fixed_pace(self._each)
        session, _, increment = self._level
        made = self._moves_made() - self._before_session
        to_go = session - made % session if session > 0 else None
        return self._thinker.pace(self._left, increment, to_go)

    def _moves_made(self) -> int:
        """How many moves the side to move has made."""
        return len(self._so_far.moves) // 2

    # Thinking.

    def _think(self) -> None:
        """Think about our next move."""
        if not self._has_moves():
            self._announce_end()
            return
        self._start(Role.MOVE, self._so_far, held=False)

    def _ponder_on(self, found: Found) -> None:
        """Think about the answer to the move that is expected."""
        if self._pondering and len(found.pv) > 1 and self._has_moves():
            expected = found.pv[1]
            so_far = self._so_far.copy()
            so_far.make(expected)
            if so_far.game.all_moves(so_far.position):
                self._expected = expected
                self._start(Role.PONDER, so_far, held=True)

    def _analyze_on(self) -> None:
        """In analysis, think about the position that the game has come to."""
        if self._analyzing:
            self._start(Role.ANALYSIS, self._so_far, held=True)

    def _start(self, role: Role, so_far: GameSoFar, *, held: bool) -> None:
        order = Order(
            limits=Limits() if role is Role.ANALYSIS else self._limits(),
            pace=None if held else self._pace(),
            held=held,
            elo=None if role is Role.ANALYSIS else self._options.elo,
        )
        self._role = role
        token = self._token = object()
        self._thought = self._thinker.think(
            so_far,
            order,
            watch=lambda found: self._show(token, found),
            done=lambda found: self._done(token, found),
            trouble=lambda message: self._say(f"# {' '.join(message.split())}"),
        )

    def _abandon(self) -> None:
        """Stop thinking, without a move."""
        self._token = object()
        self._expected = None
        if self._thought is not None:
            self._thought.stop()
            self._thought = None
        self._answer_pings()

    def _move_now(self, _: str) -> None:
        if self._thought is not None and self._role is Role.MOVE:
            self._thought.stop()

    def _done(self, token: object, found: Found) -> None:
        with self._lock:
            if token is not self._token or self._role is not Role.MOVE or found.best is None:
                return
            self._thought = None
            written = self._shown(self._so_far.position, found.best)
            self._so_far.make(found.best)
            self._say(f"move {written}")
            self._announce_end()
            self._answer_pings()
            self._ponder_on(found)

    def _ping(self, rest: str) -> None:
        self._pings.append(f"pong {rest}".rstrip())
        if self._thought is None or self._role is not Role.MOVE:
            self._answer_pings()

    def _answer_pings(self) -> None:
        for pong in self._pings:
            self._say(pong)
        self._pings.clear()

    def _ponder(self, _: str) -> None:
        self._pondering = True

    def _do_not_ponder(self, _: str) -> None:
        self._pondering = False
        if self._role is Role.PONDER:
            self._abandon()

    # Analysis, and what the user sees.

    def _analyze(self, _: str) -> None:
        self._abandon()
        self._analyzing, self._side = True, None
        self._analyze_on()

    def _exit_analysis(self, _: str) -> None:
        if self._analyzing:
            self._analyzing = False
            self._abandon()

    def _status(self, _: str) -> None:
        if self._thought is None or self._role is not Role.ANALYSIS:
            return
        found = self._thought.latest
        moves = len(self._so_far.game.all_moves(self._so_far.position))
        self._say(f"stat01: {milliseconds(found) // 10} {found.nodes} {found.depth} 0 {moves}")

    def _post(self, posting: bool) -> None:
        self._posting = posting

    def _hint(self, _: str) -> None:
        if self._expected is not None and self._role is Role.PONDER:
            self._say(f"Hint: {self._shown(self._so_far.position, self._expected)}")

    def _shown(self, s: State, a: Action) -> str:
        """A move as XBoard writes it: castling in Chess960 as O-O."""
        if self._thinker.chess960 and is_castling(s, a):
            return "O-O" if a >> 6 & 7 > a & 7 else "O-O-O"
        return self._so_far.game.format_move(s, a)

    def _show(self, token: object, found: Found) -> None:
        with self._lock:
            wanted = self._posting or self._role is Role.ANALYSIS
            if token is not self._token or not wanted or not found.lines:
                return
            line = found.lines[0]
            if line.win_in is None:
                score = centipawns(found.game, line.value)
            else:
                moves = moves_to_mate(line.win_in)
                score = MATE + moves if moves > 0 else moves - MATE
            s, pv = found.position, []
            for a in line.pv:
                pv.append(self._shown(s, a))
                s = found.game.result(s, a)
            self._say(
                f"{found.depth} {score} {milliseconds(found) // 10} {found.nodes} {' '.join(pv)}"
            )

    # Settings.

    def _set_memory(self, rest: str) -> None:
        hash_option = OPTIONS["hash"]
        megabytes = min(max(_whole(rest), hash_option.least), hash_option.most)
        self._options.set("Hash", str(megabytes))

    def _set_cores(self, rest: str) -> None:
        self._options.set("Threads", str(min(max(_whole(rest), 1), MAX_THREADS)))

    def _set_option(self, rest: str) -> None:
        name, _, value = rest.partition("=")
        if name not in _OFFERED:
            raise ThreefoldError(f"the options are {', '.join(_OFFERED)}")
        self._options.set(name, value.strip())
        self._so_far.game = self._thinker.game


def _number(text: str) -> float:
    """A number of a command, not negative."""
    if not _NUMBER.fullmatch(text):
        raise ThreefoldError(f"{shorten(text)} is not a number from 0 to a billion")
    return float(text)


def _whole(text: str) -> int:
    """A whole number of a command."""
    if not _WHOLE.fullmatch(text):
        raise ThreefoldError(f"{shorten(text)} is not a whole number")
    return int(text)


def _reason(error: Exception) -> str:
    """What is wrong, in one line without parentheses, which end it in an error message."""
    return re.sub(r"[()\s]+", " ", str(error)).strip()[:200]
