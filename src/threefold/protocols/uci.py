"""The engine side of UCI, the protocol of most chess GUIs.

Commands are answered in the order they come, while the engine thinks in the background. Each `go`
is answered by exactly one `bestmove`. What a line cannot mean is skipped, as the protocol asks; a
bad position, move or option value is reported by `info string`, and nothing changes.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

import threefold
from threefold.engine.limits import MAX_DEPTH, Limits
from threefold.engine.pacing import Pace
from threefold.engine.result import Line
from threefold.errors import IllegalMove, ThreefoldError
from threefold.games.chess.moves import is_check
from threefold.protocols.game_so_far import GameSoFar
from threefold.protocols.options import OPTIONS, Options
from threefold.protocols.output import Output
from threefold.protocols.scores import centipawns, chances, milliseconds, moves_to_mate
from threefold.protocols.thinking import Found, Order, Thinker, Thought, mate_depth
from threefold.rules.contract import MAX
from threefold.rules.text import shorten

#: The parameters of `go` that take a number, and those that take none.
_NUMBERS: Final = frozenset(
    ("wtime", "btime", "winc", "binc", "movestogo", "depth", "nodes", "mate", "movetime")
)
_WORDS: Final = frozenset(("infinite", "ponder", "searchmoves"))
#: No parameter is greater.
_MOST: Final = 1 << 53
#: What to answer where there is no legal move.
_NO_MOVE: Final = "(none)"


class UciServer:
    """Speaks UCI with one GUI."""

    def __init__(self, thinker: Thinker, output: Output) -> None:
        self._thinker = thinker
        self._output = output
        self._so_far = GameSoFar(thinker.game)
        self._thought: Thought | None = None
        self._options = Options(thinker)
        self._debugging = False
        self._commands: dict[str, Callable[[list[str]], None]] = {
            "uci": self._introduce,
            "debug": self._debug,
            "isready": self._get_ready,
            "setoption": self._set_option,
            "register": lambda _: None,  # there is nothing to register
            "ucinewgame": self._new_game,
            "position": self._set_position,
            "go": self._go,
            "stop": lambda _: self._stop(),
            "ponderhit": self._ponder_hit,
        }

    def serve(self, lines: Iterable[str]) -> None:
        """Obey until `quit`, the end of the input, or the end of the reader."""
        try:
            for line in lines:
                words = line.split()
                # An unknown word is skipped, and the rest is read: "joho debug on" is "debug on".
                while words and words[0] != "quit" and words[0] not in self._commands:
                    self._say_if_debugging(f"there is no command {shorten(words.pop(0))}")
                if words and words[0] == "quit":
                    break
                if words:
                    self._obey(words[0], words[1:])
                if self._output.is_closed:
                    break
        finally:
            self._stop()
            if self._thought is not None:
                self._thought.wait()

    def _obey(self, command: str, words: list[str]) -> None:
        try:
            self._commands[command](words)
        except ThreefoldError as error:
            self._complain(str(error))
        except (MemoryError, RecursionError, ValueError) as error:
            self._complain(f"{command}: {type(error).__name__}: {error}")

    def _complain(self, message: str) -> None:
        self._output.say(f"info string {' '.join(message.split())}")

    def _say_if_debugging(self, message: str) -> None:
        if self._debugging:
            self._complain(message)

    # Who we are, and our options.

    def _introduce(self, _: list[str]) -> None:
        say = self._output.say
        say(f"id name Threefold {threefold.__version__}")
        say("id author the Threefold authors")
        for option in OPTIONS.values():
            say(option.for_uci)
        say("uciok")

    def _get_ready(self, _: list[str]) -> None:
        self._thinker.get_ready()
        self._output.say("readyok")

    def _debug(self, words: list[str]) -> None:
        self._debugging = words != ["off"]

    def _set_option(self, words: list[str]) -> None:
        if "name" not in words:
            raise ThreefoldError("setoption is written: setoption name NAME value VALUE")
        start = words.index("name") + 1
        end = words.index("value", start) if "value" in words[start:] else len(words)
        name = " ".join(words[start:end])
        self._finish()
        self._options.set(name, " ".join(words[end + 1 :]))
        self._so_far.game = self._thinker.game

    # The game.

    def _new_game(self, _: list[str]) -> None:
        self._finish()
        self._thinker.clear()
        self._so_far = GameSoFar(self._thinker.game)

    def _set_position(self, words: list[str]) -> None:
        game = self._thinker.game
        end = words.index("moves") if "moves" in words else len(words)
        if words[:1] == ["startpos"]:
            start = game.initial()
        elif words[:1] == ["fen"]:
            start = game.parse(" ".join(words[1:end]))
        else:
            raise ThreefoldError(
                "position is written: position startpos|fen FEN [moves MOVE ...]; it is unchanged"
            )
        so_far = self._so_far if self._so_far.positions[0] == start else GameSoFar(game, start)
        self._so_far = so_far.followed_by(words[end + 1 :])

    # Thinking.

    def _go(self, words: list[str]) -> None:
        self._finish()
        asked, moves = _read_go(words)
        s = self._so_far.position
        infinite = "infinite" in asked
        depth = asked.get("depth")
        mate = asked.get("mate")
        if mate is not None and depth is None:
            depth = mate_depth(max(mate, 1))
        nodes = asked.get("nodes")
        limits = Limits(
            nodes=None if nodes is None else max(nodes, 1),
            depth=None if depth is None else min(max(depth, 1), MAX_DEPTH),
        )
        if infinite:
            limits = Limits()
        order = Order(
            limits=limits,
            pace=None if infinite else self._pace(asked, white=s.turn == MAX),
            held=infinite or "ponder" in asked,
            multipv=self._options["MultiPV"],
            moves=self._only(moves),
            mate=None if mate is None else max(mate, 1),
            elo=self._options.elo,
        )
        if self._thinker.is_ready() and self._thinker.failure:
            self._complain(f"playing without compiled code: {self._thinker.failure}")
        self._thought = self._thinker.think(
            self._so_far, order, self._show, self._answer, self._complain
        )

    def _pace(self, asked: dict[str, int], *, white: bool) -> Pace | None:
        if "movetime" in asked:
            return self._thinker.fixed_pace(asked["movetime"] / 1000)
        own, others = ("wtime", "btime") if white else ("btime", "wtime")
        left = asked.get(own, asked.get(others))
        if left is None:
            return None
        increment = max(asked.get("winc" if white else "binc", 0), 0)
        to_go = asked.get("movestogo", 0)
        return self._thinker.pace(left / 1000, increment / 1000, to_go if to_go > 0 else None)

    def _only(self, written: Sequence[str]) -> tuple[int, ...]:
        """The moves of `searchmoves`, without those that are not legal."""
        moves = []
        for text in written:
            try:
                moves.append(self._so_far.read(text))
            except IllegalMove as error:
                self._complain(f"searchmoves: {error}")
        return tuple(dict.fromkeys(moves))

    def _stop(self) -> None:
        if self._thought is not None:
            self._thought.stop()

    def _finish(self) -> None:
        """End what is being thought about, its `bestmove` included."""
        self._stop()
        if self._thought is not None:
            self._thought.wait()
            self._thought = None

    def _ponder_hit(self, _: list[str]) -> None:
        if self._thought is not None:
            self._thought.release()

    # What is found.

    def _show(self, found: Found) -> None:
        for number, line in enumerate(found.lines, 1):
            self._output.say(self._info(found, line, number))

    def _info(self, found: Found, line: Line, number: int) -> str:
        game = found.game
        if line.win_in is not None:
            score = f"mate {moves_to_mate(line.win_in)}"
        else:
            score = f"cp {centipawns(game, line.value)}"
        if self._options["UCI_ShowWDL"]:
            score += " wdl {} {} {}".format(*chances(game, found.position, line))
        return (
            f"info depth {found.depth} seldepth {found.selective_depth} multipv {number} "
            f"score {score} nodes {found.nodes} nps {round(found.rate)} "
            f"hashfull {round(found.table.full * 1000)} time {milliseconds(found)} "
            f"pv {' '.join(found.texts(line.pv))}"
        )

    def _answer(self, found: Found) -> None:
        if not found.lines:
            mated = is_check(found.position)
            self._output.say(f"info depth 0 score {'mate 0' if mated else 'cp 0'}")
            self._output.say(f"bestmove {_NO_MOVE}")
            return
        best, *rest = found.texts(found.pv[:2])
        self._output.say(f"bestmove {best}" + (f" ponder {rest[0]}" if rest else ""))


def _read_go(words: Sequence[str]) -> tuple[dict[str, int], list[str]]:
    """The numbers of `go` by name, 1 for what has none, and the moves after `searchmoves`."""
    asked: dict[str, int] = {}
    moves: list[str] = []
    latest = ""
    for word in words:
        if word in _NUMBERS or word in _WORDS:
            latest = word
            if word in _WORDS:
                asked[word] = 1
        elif latest == "searchmoves":
            moves.append(word)
        elif latest in _NUMBERS and _is_number(word):
            asked[latest] = max(-_MOST, min(int(word), _MOST))
            latest = ""
    return asked, moves


def _is_number(word: str) -> bool:
    digits = word.removeprefix("-").removeprefix("+")
    return digits.isascii() and digits.isdigit() and len(digits) < 20
