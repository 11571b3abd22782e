"""Driving an engine that speaks the XBoard protocol (CECP), version 2 or the older 1.

Manners differ. What an engine can do it says in `feature` lines; one that says nothing gets the
old commands. Numbers are whole in every command, because some engines end at a decimal point: a
time per move below one second is a clock for the rest of the game, set anew before each move to
what makes engines spend about that time.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeVar, cast

from threefold.protocols.outside import (
    LONGEST_DECLARATION,
    OutsidePlayer,
    reply,
    seconds_from_now,
)
from threefold.protocols.player import MATE, Budget, Reply, Turn
from threefold.protocols.xboard_edit import edit_commands
from threefold.rules.contract import Action, Player
from threefold.rules.game import Game
from threefold.rules.text import did_you_mean, listing, shorten

S = TypeVar("S")

#: What may come between a program's start and its features,
_FIRST_FEATURE: Final = 5.0
#: how long one without features may take to show that it plays, before and after it is urged,
_FIRST_MOVE: Final = 5.0
#: and how long to wait for a move after a claim that the game is over.
_AFTER_CLAIM: Final = 1.0
#: What to tell an engine about the time where only the depth is limited.
_AMPLE_SECONDS: Final = 600
#: How many times the time for a move is shown on the clock: engines take about one part in so many,
_SHARES: Final = 20
#: and one that cannot be told to move now must not take more, even if it divides by fewer.
_SAFE_SHARES: Final = 6
#: The most moves that a mate takes; scores beyond `MATE` by more than that are something else.
_LONGEST_MATE: Final = 1000

_MOVE: Final = re.compile(r"(?:move|My move is\s*:)\s+(\S+)")
#: Protocol 1 has this form too; later engines may print it beside the other.
_OLD_MOVE: Final = re.compile(r"\d+\.\s+\.\.\.\s+(\S+)")
_RESULT: Final = re.compile(r"(?:RESULT\s+)?(1-0|0-1|1/2-1/2)(?:\s|$)")
_RESIGNS: Final = re.compile(r"(?:tellics\s+)?resign\b")
_ILLEGAL: Final = re.compile(r"(?:Illegal|Invalid) move", re.IGNORECASE)
_NO_DEPTH: Final = re.compile(r"(?:Illegal move|Error)\b.*\bsd\b", re.IGNORECASE)
_NO_HURRY: Final = re.compile(r"(?:Illegal move|Error)\b.*\?", re.IGNORECASE)
_THINKING: Final = re.compile(r"\s*(\d{1,3})\S?\s+([+-]?\d{1,9})\s+\d+\s+(\d{1,18})\b")


class XBoardPlayer(OutsidePlayer[S]):
    """An XBoard engine as a player: `xboard(fairymax)`."""

    PROTOCOL = "XBoard"

    def __init__(
        self,
        game: Game[S],
        budget: Budget,
        command: str,
        options: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(game, budget, command, options)
        #: What it says it can do.
        self._features: dict[str, str] = {}
        #: Its own options by name: their type and the rest of what is declared.
        self._declared: dict[str, str] = {}
        #: Whether it has played a game, and whose moves it makes without being asked again.
        self._begun = False
        self._playing: Player | None = None
        self._pings = 0
        #: Whether it moves when it is told to move now.
        self._heeds = True

    def begin(self, start: S, seed: int) -> None:  # noqa: ARG002
        """A new game, in a new process if the engine asks for one."""
        if self._begun and self._features.get("reuse") == "0":
            self.prepare()
        self._forget()
        self._begun = True
        program = self._running
        for command in ("new", *self._variant(), "force", "easy", "post", *self._time_control()):
            program.send(command)
        self._playing = None
        if start != self.game.initial():
            for command in self._setup(start):
                program.send(command)
        refusals = [line for line in self._synchronize() if _NO_DEPTH.match(line)]
        if refusals:  # this one knows the older word
            program.send(f"depth {self.budget.depth}")
            self._synchronize()

    def choose(self, turn: Turn[S]) -> Reply:
        """The engine's move within the budget."""
        news = self._learn(turn)
        if news is None:
            self.begin(turn.positions[0], turn.seed)
            news = self._learn(turn)
            assert news is not None
        program, player = self._running, self.game.player(turn.position)
        if any(_RESULT.match(line) for line in program.skip()):
            self._stop_playing()  # it believes that the game is over
        clocks = self._clock_commands(turn, player)
        answering = self._playing == player and len(news) == 1
        if not answering:
            self._stop_playing()
        usermove = "usermove " if self._features.get("usermove") == "1" else ""
        moves = [f"{usermove}{text}" for text in news]
        for command in (*clocks, *moves) if answering else (*moves, *clocks, "go"):
            program.send(command)
        self._playing = player
        return self._await_move(turn)

    def _introduce(self) -> None:
        program = self._running
        self._begun, self._features, self._declared = False, {}, {}
        program.send("xboard")
        program.send("protover 2")
        until = seconds_from_now(_FIRST_FEATURE)
        while self._features.get("done") != "1":
            line = program.read(until)
            if line is None:
                break
            if line.startswith("feature "):
                self._note_features(line)
                until = seconds_from_now(self.STARTING)
        if not self._features:
            self._expect_a_move()
        self._said["name"] = self._features.get("myname", program.name)
        if self.budget.nodes is not None and self._features.get("nps") != "1":
            raise self._refuse("it cannot be limited by nodes; give a time or a depth")
        list(self._variant())
        if self._features.get("smp") == "1":  # unless its line says more
            program.send("cores 1")
        for command in list(map(self._setting, self.options, self.options.values())):
            program.send(command)
        program.send("?")
        self._heeds = not any(_NO_HURRY.match(line) for line in self._synchronize())

    def _expect_a_move(self) -> None:
        """Raise unless an engine without features, of version 1 perhaps, moves when told to.

        Any of them plays chess. Another program, one that speaks UCI for example, is found out
        here and not by losing its games.
        """
        program = self._running
        program.skip()
        for command in ("new", "st 1", "sd 1", "go"):
            program.send(command)
        urged, until = False, seconds_from_now(_FIRST_MOVE)
        while True:
            line = program.read(until)
            if line is None and urged:
                raise self._hangs("protover with its features, nor go with a move")
            if line is None:
                program.send("?")
                urged, until = True, seconds_from_now(_FIRST_MOVE)
            elif self._move_in(line):
                break
        program.send("force")

    def _note_features(self, line: str) -> None:
        for name, value in _features(line[:LONGEST_DECLARATION]):
            if name == "option":
                title, _, kind = value.partition(" -")
                self._declared[title] = kind
            else:
                self._features[name] = value
            if name != "done":  # a refusal of what we never use only makes engines complain
                self._running.send(f"accepted {name}")

    def _variant(self) -> Iterator[str]:
        """What to say after `new` so that the engine plays this game."""
        variants = self._features.get("variants", "normal").split(",")
        name = {"Chess": "normal", "Chess960": "fischerandom"}.get(self.game.name)
        name = name or next(
            (v for v in variants if v in (self.game.name.lower(), self.game.spec)), None
        )
        if name is None or name not in variants:
            known = listing(variants)
            raise self._refuse(f"it does not play {self.game.name}: its variants are {known}")
        if name != "normal":
            yield f"variant {name}"

    def _setting(self, name: str, value: str) -> str:
        """The command that sets an option."""
        for feature, command in (("memory", "memory"), ("smp", "cores")):
            if name == command and self._features.get(feature) == "1":
                return f"{command} {value}"
        known = {title.lower(): title for title in self._declared}
        if name.lower() not in known:
            raise self._no_option(name, [*self._declared])
        title = known[name.lower()]
        kind, _, rest = self._declared[title].partition(" ")
        fault = _fault(kind, rest, value)
        if fault:
            raise self._refuse(f"{title}={shorten(value)[1:-1]} {fault}")
        return f"option {title}" if kind in ("button", "save") else f"option {title}={value}"

    def _time_control(self) -> Iterator[str]:
        budget = self.budget
        if budget.nodes is not None:
            yield f"nps {budget.nodes}"
            yield "st 1"
        elif budget.time is not None:
            yield f"st {int(budget.time)}" if budget.time >= 1 else _level(self._pretended, 0, 0)
        elif budget.base is not None:
            yield _level(budget.base, budget.moves or 0, budget.increment)
        else:
            yield f"st {_AMPLE_SECONDS}"
        if budget.depth is not None:
            yield f"sd {budget.depth}"

    @property
    def _pretended(self) -> float:
        """The clock that makes an engine take about the budget's time for its next move."""
        return (self.budget.time or 0.0) * (_SHARES if self._heeds else _SAFE_SHARES)

    def _clock_commands(self, turn: Turn[S], player: Player) -> list[str]:
        """Both clocks, in hundredths of a second, to an engine that wants to know."""
        budget = self.budget
        if budget.time is not None and budget.time < 1:
            clocks = (self._pretended, self._pretended)
        elif turn.clocks is not None and budget.time is None and self._features.get("time") != "0":
            clocks = (turn.clocks[player], turn.clocks[1 - player])
        else:
            return []
        mine, theirs = (max(int(clock * 100), 1) for clock in clocks)
        return [f"time {mine}", f"otim {theirs}"]

    def _setup(self, start: S) -> Iterator[str]:
        if self._features.get("setboard") == "1":
            yield f"setboard {self.game.format(start)}"
            return
        commands = edit_commands(cast(Any, start)) if self.game.name == "Chess" else None
        if commands is None:
            raise self._refuse(
                f"it has no setboard, and edit cannot set up {self.game.show(start)}; begin from "
                "the usual position, and give openings as moves"
            )
        yield from commands

    def _synchronize(self) -> list[str]:
        """Wait until it has done what it was told, if it can say so; what it said meanwhile."""
        said: list[str] = []
        if self._features.get("ping") != "1":
            return said
        program = self._running
        self._pings += 1
        program.send(f"ping {self._pings}")
        until = seconds_from_now(self.STARTING)
        while (line := program.read(until)) != f"pong {self._pings}":
            if line is None:
                raise self._hangs(f"ping in {self.STARTING:g} s")
            if line.startswith("feature "):
                self._note_features(line)
            said.append(line)
        return said

    def _stop_playing(self) -> None:
        if self._playing is not None:
            self._running.send("force")
            self._playing = None

    def _write(self, s: S, a: Action) -> str:
        if self._features.get("san") == "1":
            return self.game.readable_move(s, a)
        if self.game.name == "Chess960" and (san := self.game.readable_move(s, a)).startswith("O"):
            return san.rstrip("+#")
        return self.game.format_move(s, a)

    def _await_move(self, turn: Turn[S]) -> Reply:
        """Its move; what it says on the way is noted, and most of it is noise."""
        program, patience = self._running, self._patience(turn)
        until = seconds_from_now(patience)
        urged, claim, thinking = False, "", ""
        while True:
            line = program.read(until)
            if line is None and claim:
                raise program.failed("nonsense", f"claims {shorten(claim)}, but the game is on")
            if line is None and urged:
                raise self._hangs(f"in {patience:g} s, nor when told to move now")
            if line is None:
                program.send("?")
                urged, until = True, seconds_from_now(self.MARGIN)
            elif move := self._move_in(line):
                a = self._read_move(turn, move)
                self._know(turn.position, a)
                return _reply(a, thinking)
            elif _THINKING.match(line):
                thinking = line
            elif _RESIGNS.match(line):
                raise program.failed("resigned", "resigns")
            elif _ILLEGAL.match(line):
                raise program.failed("nonsense", f"rejects a legal move: {shorten(line)}")
            elif _RESULT.match(line):
                claim, until = line, seconds_from_now(_AFTER_CLAIM)

    def _move_in(self, line: str) -> str | None:
        """The move that a line announces."""
        found = _MOVE.match(line) or (None if self._features else _OLD_MOVE.match(line))
        return found[1] if found else None


def _features(line: str) -> Iterator[tuple[str, str]]:
    """The names and values of a line `feature NAME=VALUE NAME="VALUE WITH SPACES"`."""
    rest = line
    while "=" in rest:
        before, _, rest = rest.partition("=")
        if rest.startswith('"'):
            value, _, rest = rest[1:].partition('"')
        else:
            value, *more = rest.split(maxsplit=1) if rest[:1].strip() else ("", rest)
            rest = "".join(more)
        names = before.split()
        if names and names[-1].isidentifier():
            yield names[-1], value


def _level(base: float, moves: int, increment: float) -> str:
    minutes, seconds = divmod(max(int(base), 1), 60)
    return f"level {moves} {minutes}:{seconds:02} {int(increment)}"


def _reply(move: Action, thinking: str) -> Reply:
    """A move with the score of the last line of thinking."""
    found = _THINKING.match(thinking)
    if found is None:
        return reply(move)
    depth, score, nodes = map(int, found.groups())
    beyond = abs(score) - MATE
    mate = beyond if 0 < beyond < _LONGEST_MATE else None
    return reply(
        move,
        centipawns=float(score),
        mate_in=None if mate is None else mate if score > 0 else -mate,
        depth=depth,
        nodes=nodes,
    )


def _fault(kind: str, rest: str, value: str) -> str | None:
    """What is wrong with the value of an option, if anything."""
    words = rest.split()
    if kind == "check" and value not in ("0", "1"):
        return "is neither 0 nor 1"
    if kind in ("spin", "slider") and len(words) >= 3:
        least, most = int(words[1]), int(words[2])
        if not re.fullmatch(r"-?\d{1,18}", value) or not least <= int(value) <= most:
            return f"is not a whole number from {least} to {most}"
    if kind == "combo":
        choices = [choice.strip().lstrip("*") for choice in rest.split("///")]
        if value not in choices:
            return f"is not a choice; {did_you_mean(value, choices)}"
    return None
