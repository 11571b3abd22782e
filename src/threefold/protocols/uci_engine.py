"""Driving an engine that speaks UCI.

Positions are sent as a start and the moves since, scores are in centipawns for the player to move.
The protocol belongs to chess. An engine for another game names it in its option `UCI_Variant`, and
moves are then written in that game's own notation.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypeVar

from threefold.protocols.outside import (
    LONGEST_DECLARATION,
    OutsidePlayer,
    reply,
    seconds_from_now,
)
from threefold.protocols.player import Reply, Turn
from threefold.rules.contract import Action
from threefold.rules.text import did_you_mean, shorten

S = TypeVar("S")

_WHOLE: Final = re.compile(r"-?\d{1,18}")
_MULTIPV: Final = re.compile(r"\bmultipv\s+(?!1\b)")
_SCORE: Final = re.compile(r"\bscore\s+(cp|mate)\s+(-?\d{1,9})\b")
_DEPTH: Final = re.compile(r"\bdepth\s+(\d{1,9})\b")
_NODES: Final = re.compile(r"\bnodes\s+(\d{1,18})\b")


@dataclass(frozen=True)
class _Option:
    """An option as the engine declares it."""

    name: str
    type: str
    bounds: Mapping[str, int] = field(default_factory=dict)
    choices: tuple[str, ...] = ()

    def fault(self, given: str) -> str | None:
        """What is wrong with a value, if anything."""
        least, most = self.bounds.get("min"), self.bounds.get("max")
        if self.type == "check" and given not in ("true", "false"):
            return "is neither true nor false"
        if self.type == "combo" and given.lower() not in map(str.lower, self.choices):
            return f"is not a choice; {did_you_mean(given, self.choices)}"
        if self.type == "spin":
            number = int(given) if _WHOLE.fullmatch(given) else None
            if (
                number is None
                or (least is not None and number < least)
                or (most is not None and number > most)
            ):
                return f"is not a whole number from {least} to {most}"
        return None


class UciPlayer(OutsidePlayer[S]):
    """A UCI engine as a player: `uci(stockfish,Skill Level=5)`."""

    PROTOCOL = "UCI"

    def begin(self, start: S, seed: int) -> None:  # noqa: ARG002
        """A new game: the engine clears its memory."""
        self._forget()
        self._start = self._setup(start)
        self._running.send("ucinewgame")
        self._synchronize()

    def choose(self, turn: Turn[S]) -> Reply:
        """The engine's move within the budget."""
        if self._learn(turn) is None:
            self.begin(turn.positions[0], turn.seed)
            self._learn(turn)
        program = self._running
        moves = f" moves {' '.join(self._texts)}" if self._texts else ""
        program.skip()
        program.send(f"position {self._start}{moves}")
        program.send(self._go(turn))
        patience = self._patience(turn)
        informed = _Informed()
        answer = self._await_move(informed, patience)
        if answer is None:
            program.send("stop")
            answer = self._await_move(informed, self.MARGIN)
        if answer is None:
            raise self._hangs(f"go in {patience:g} s, nor stop")
        words = answer.split()
        if len(words) < 2:
            raise program.failed("nonsense", "answers bestmove without a move")
        return informed.reply(self._read_move(turn, words[1]))

    def _introduce(self) -> None:
        program = self._running
        declared: dict[str, _Option] = {}
        program.send("uci")
        until = seconds_from_now(self.FIRST_ANSWER)
        while (line := program.read(until)) != "uciok":
            if line is None:
                raise self._hangs(f"uci in {self.FIRST_ANSWER:g} s")
            line = line[:LONGEST_DECLARATION]
            words = line.split(maxsplit=2)
            if len(words) == 3 and words[0] == "id" and words[1] in ("name", "author"):
                self._said[words[1]] = words[2]
            elif option := _declared(line):
                declared[option.name.lower()] = option
        settings = self._options_of_the_game(declared)
        if "threads" in declared:  # a match gives each player one core, unless its line says more
            settings["threads"] = "1"
        settings |= {name.lower(): value for name, value in self.options.items()}
        for name, value in settings.items():
            self._set(declared, name, value)
        self._synchronize()

    def _options_of_the_game(self, declared: Mapping[str, _Option]) -> dict[str, str]:
        """What to set so that the engine plays this game."""
        if self.game.name == "Chess":
            return {}
        if self.game.name == "Chess960":
            if "uci_chess960" not in declared:
                raise self._refuse("it does not play Chess960: it has no option UCI_Chess960")
            return {"uci_chess960": "true"}
        variants = declared["uci_variant"].choices if "uci_variant" in declared else ()
        for variant in variants:
            if variant.lower() in (self.game.name.lower(), self.game.spec.lower()):
                return {"uci_variant": variant}
        raise self._refuse(f"it plays chess, and its UCI_Variant does not offer {self.game.name}")

    def _set(self, declared: Mapping[str, _Option], name: str, value: str) -> None:
        option = declared.get(name)
        if option is None:
            given = next(given for given in self.options if given.lower() == name)
            raise self._no_option(given, [each.name for each in declared.values()])
        if fault := option.fault(value):
            raise self._refuse(f"{option.name}={shorten(value)[1:-1]} {fault}")
        setting = "" if option.type == "button" else f" value {value}"
        self._running.send(f"setoption name {option.name}{setting}")

    def _synchronize(self) -> None:
        """Wait until it has done what it was told."""
        program = self._running
        program.send("isready")
        until = seconds_from_now(self.STARTING)
        while (line := program.read(until)) != "readyok":
            if line is None:
                raise self._hangs(f"isready in {self.STARTING:g} s")

    def _setup(self, start: S) -> str:
        """A start for `position`."""
        usual = start == self.game.initial()
        return "startpos" if usual else f"fen {self.game.format(start)}"

    def _go(self, turn: Turn[S]) -> str:
        budget, words = self.budget, ["go"]
        if turn.clocks is not None and budget.time is None:
            increment = _milliseconds(budget.increment)
            white, black = (max(_milliseconds(clock), 1) for clock in turn.clocks)
            words.append(f"wtime {white} btime {black} winc {increment} binc {increment}")
            if turn.moves_to_go is not None:
                words.append(f"movestogo {turn.moves_to_go}")
        if budget.time is not None:
            words.append(f"movetime {max(_milliseconds(budget.time), 1)}")
        if budget.nodes is not None:
            words.append(f"nodes {budget.nodes}")
        if budget.depth is not None:
            words.append(f"depth {budget.depth}")
        return " ".join(words)

    def _await_move(self, informed: "_Informed", seconds: float) -> str | None:
        """The line `bestmove …`, if it comes in time; what is said on the way is noted."""
        until = seconds_from_now(seconds)
        while (line := self._running.read(until)) is not None:
            if line.startswith("info "):
                informed.note(line)
            elif line.startswith("bestmove"):
                return line
        return None


class _Informed:
    """What the engine has said about its search."""

    def __init__(self) -> None:
        self._scored = ""
        self._counted = ""

    def note(self, line: str) -> None:
        """Keep what may be the last word; nothing is parsed before the move is there."""
        if " score " in line and not _MULTIPV.search(line):
            self._scored = line
        if " nodes " in line:
            self._counted = line

    def reply(self, move: Action) -> Reply:
        """A move with the last score that was told."""
        score = _SCORE.search(self._scored)
        depth, nodes = _DEPTH.search(self._scored), _NODES.search(self._counted)
        value = int(score[2]) if score else None
        mate = score is not None and score[1] == "mate"
        return reply(
            move,
            centipawns=None if value is None else float(value),
            mate_in=value if mate else None,
            depth=int(depth[1]) if depth else 0,
            nodes=int(nodes[1]) if nodes else 0,
        )


def _declared(line: str) -> _Option | None:
    """The option that a line declares, if it declares one."""
    words = line.split()
    if words[:2] != ["option", "name"] or "type" not in words[3:-1]:
        return None
    at = words.index("type", 3)
    name, kind = " ".join(words[2:at]), words[at + 1]
    #: What follows each keyword, in their order.
    values: list[tuple[str, list[str]]] = []
    for word in words[at + 2 :]:
        if word in ("default", "min", "max", "var"):
            values.append((word, []))
        elif values:
            values[-1][1].append(word)
    texts = [(keyword, " ".join(value)) for keyword, value in values]
    bounds = {
        keyword: int(text)
        for keyword, text in texts
        if keyword in ("min", "max") and _WHOLE.fullmatch(text)
    }
    choices = tuple(text for keyword, text in texts if keyword == "var" and text)
    return _Option(name, kind, bounds, choices)


def _milliseconds(seconds: float) -> int:
    return round(seconds * 1000)
