"""What GTP's analysis commands say of a search under way: Leela Zero's words, and KataGo's.

    info move D4 visits 123 winrate 5432 prior 0 lcb 5432 order 0 pv D4 E5

All moves that are known are on one line, best first, and a line follows every so often until the
next command. Win rates are for the player to move: `lz-` in hundredths of a percent, `kata-` from
0 to 1.
"""

import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from threefold.engine.policy_nets import policy_net_of
from threefold.engine.result import Line, Result
from threefold.protocols.gtp_game import Refused
from threefold.protocols.points import COLORS, WHOLE, vertex_of
from threefold.rules.contract import MIN, Action, Player
from threefold.rules.game import Game

if TYPE_CHECKING:
    from threefold.engine.running import Running

#: Seconds between two lines where a command does not say.
_EVERY: Final = 1.0
#: The least that it may say.
_SHORTEST: Final = 0.01
#: How many moves a line has at most, unless a command says otherwise.
_MOST_MOVES: Final = 32
#: The first words of what restricts the moves: a color, vertices and a depth follow.
_RESTRICTIONS: Final = ("allow", "avoid")


@dataclass
class Wish:
    """What an analysis command asks for."""

    player: Player
    #: Seconds between two lines.
    every: float = _EVERY
    moves: int = _MOST_MOVES
    #: The vertices to consider, if any are named, and those not to.
    allowed: list[str] = field(default_factory=list)
    avoided: list[str] = field(default_factory=list)


def wish_of(arguments: Sequence[str], to_move: Player) -> Wish:
    """What the words after an analysis command mean; those that only others know are skipped."""
    words = list(arguments)
    wish = Wish(to_move)
    if words and words[0].lower() in COLORS:
        wish.player = COLORS[words.pop(0).lower()]
    if words and WHOLE.fullmatch(words[0]):
        words.insert(0, "interval")
    while words:
        name = words.pop(0).lower()
        if name in _RESTRICTIONS:
            if len(words) < 3 or words[0].lower() not in COLORS:
                raise Refused("syntax error")
            color, vertices, _ = words[:3]
            del words[:3]
            if COLORS[color.lower()] == wish.player:
                named = wish.allowed if name == "allow" else wish.avoided
                named += vertices.lower().split(",")
            continue
        value = words.pop(0) if words else ""
        if name in ("interval", "maxmoves"):
            if not WHOLE.fullmatch(value):
                raise Refused("syntax error")
            if name == "interval":
                wish.every = max(int(value) / 100, _SHORTEST)
            else:
                wish.moves = max(int(value), 1)
    return wish


def wanted_moves(game: Game[Any], positions: Sequence[Any], wish: Wish) -> list[Action]:
    """The legal moves that a wish leaves."""
    s = positions[-1]
    names = {a: vertex_of(game, s, a) for a in game.moves(s, positions[:-1])}
    found = [
        a
        for a, name in names.items()
        if (not wish.allowed or name.lower() in wish.allowed) and name.lower() not in wish.avoided
    ]
    if not found:
        raise Refused("no move is left to analyze")
    return found


def win_rate(found: Result[Any], line: Line) -> float:
    """The share of the points that the player to move may hope for after a move."""
    share = found.share(line)
    return 1 - share if found.player == MIN else share


def described(found: Result[Any], manner: "Manner") -> str:
    """What is known of all moves, on one line."""
    parts = []
    net = policy_net_of(found.game)
    priors = {} if net is None else net.policy(found.position)
    searched = [line for line in found.lines if line.visits != 0 or line.exact] or found.lines[:1]
    for order, line in enumerate(searched):
        visits = found.nodes if line.visits is None else line.visits
        rate = manner.rates(win_rate(found, line), priors.get(line.move, 0.0))
        s, pv = found.position, []
        for a in line.pv:
            pv.append(vertex_of(found.game, s, a))
            s = found.game.result(s, a)
        parts.append(f"info move {pv[0]} visits {visits} {rate} order {order} pv {' '.join(pv)}")
    return " ".join(parts)


def complain(error: Exception | str) -> None:
    """Say what is wrong where an answer that has begun cannot say it."""
    sys.stderr.write(f"threefold: {error}\n")


class Streaming:
    """Says every so often what a search has found, in the background, until it is stopped."""

    def __init__(
        self,
        start: "Callable[[Callable[[], bool]], Running[Result[Any]] | None]",
        report: Callable[[Result[Any]], None],
        over: Callable[[], None],
        every: float,
    ) -> None:
        """`start` starts the search, if it is still wanted; `over` is called at the end."""
        self._start, self._report, self._over, self._every = start, report, over, every
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True, name="analysis")
        self._thread.start()

    def stop(self) -> None:
        """End it; what was found last is said before this returns."""
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        try:
            running = self._start(lambda: not self._stopped.is_set())
            if running is None:
                return
            with running:
                while not self._stopped.wait(self._every):
                    _report_on(running.now(), self._report)
                running.stop()
                _report_on(running.result(), self._report)
        except Exception as error:  # the rules may be anybody's
            complain(error)
        finally:
            self._over()


def _report_on(found: "Result[Any]", report: Callable[["Result[Any]"], None]) -> None:
    """Report what a search has found, if it has looked at anything."""
    if found.nodes:
        report(found)


def reports(
    running: "Running[Result[Any]]", report: Callable[[Result[Any]], None], every: float
) -> threading.Thread:
    """Report on a search every so often while it runs, and at its end.

    A search that fails is not reported on: whoever has started it is told.
    """

    def watch() -> None:
        with suppress(Exception):
            while running.is_running(every):
                _report_on(running.now(), report)
            _report_on(running.result(), report)

    thread = threading.Thread(target=watch, daemon=True, name="reports")
    thread.start()
    return thread


@dataclass(frozen=True)
class Manner:
    """How a program writes its analysis."""

    #: What its commands begin with.
    prefix: str
    #: A win rate, and how likely a net thinks the move is the best, 0 where there is none. We have
    #: no lower bound of our own.
    rates: Callable[[float, float], str]


def _in_hundredths(rate: float, prior: float) -> str:
    hundredths = round(10_000 * rate)
    return f"winrate {hundredths} prior {round(10_000 * prior)} lcb {hundredths}"


def _in_shares(rate: float, prior: float) -> str:
    return f"winrate {rate:.6f} prior {prior:.6f} lcb {rate:.6f} utility {2 * rate - 1:.6f}"


LEELA_ZERO: Final = Manner("lz", _in_hundredths)
KATAGO: Final = Manner("kata", _in_shares)
