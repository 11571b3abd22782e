"""What `match`, `tournament` and `tune` share: their options, and playing with a table to watch."""

import argparse
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from threefold.cli.output import GAME_HELP, add_json, number, whole_number
from threefold.errors import ThreefoldError, argument

if TYPE_CHECKING:
    from threefold.arena.contest import Contest

PLAYER_HELP = (
    "a player in one line: alphabeta(time=0.2), alphabeta(depth=6,eval=material), "
    "mcts(simulations=10000), random, level(5), textbook(minimax,depth=3), "
    "uci(stockfish,Skill Level=5), xboard(fairymax), gtp(gnugo --mode gtp), python(FILE.py:NAME)"
)
#: Seconds between two drawings of the table.
_INTERVAL: Final = 0.2
_MOST_GAMES: Final = 100_000_000


def add_contest(parser: argparse.ArgumentParser) -> None:
    """Add the options of everything that plays games."""
    parser.add_argument("--game", metavar="GAME", required=True, help=GAME_HELP)
    parser.add_argument("--time", metavar="S", type=number, help="seconds a move (default: 0.1)")
    parser.add_argument(
        "--tc",
        metavar="S+INC",
        help="a clock for the whole game instead: seconds, and seconds added after each move; "
        "40/60+0.6 gives 60 seconds for every 40 moves",
    )
    parser.add_argument("--nodes", metavar="N", type=whole_number, help="nodes a move")
    parser.add_argument("--depth", metavar="N", type=whole_number, help="plies to look ahead")
    parser.add_argument(
        "--openings",
        metavar="FILE|random:PLIES",
        help="where games begin: random plies, all:PLIES for every short opening, or a file of "
        "positions, moves or games (EPD, PGN, PDN, text); each is played twice, sides reversed "
        "(default: the usual start)",
    )
    parser.add_argument(
        "--adjudicate",
        metavar="HOW",
        action="append",
        default=[],
        help="end a game early: resign:VALUE,MOVES or draw:VALUE,MOVES,FROM when both players "
        "agree, or solve when its result is proven; may be given several times (default: never)",
    )
    parser.add_argument(
        "--concurrency",
        metavar="C",
        type=whole_number,
        help="games at a time (default: 1, or on a cluster one for each CPU)",
    )
    parser.add_argument("--seed", metavar="S", type=whole_number, default=0, help="random seed")
    parser.add_argument(
        "--margin",
        metavar="S",
        type=number,
        default=None,
        help="seconds by which a player may overstep its time (default: 0.1)",
    )
    parser.add_argument(
        "--db",
        metavar="FILE",
        help="the file in which games are recorded; what was begun there is continued (default: a "
        "file of yours, named at the end)",
    )
    parser.add_argument(
        "--cluster",
        metavar="WHERE",
        default="local",
        help="local (the default), or ray or ray:ADDRESS, a Ray cluster",
    )
    add_json(parser)


def contest(args: argparse.Namespace, players: Sequence[str], kind: str, **more: Any) -> "Contest":
    """The contest that the options describe."""
    from threefold.arena.contest import Contest

    return Contest(args.game, players, kind=kind, **contest_options(args), **more)


def contest_options(args: argparse.Namespace) -> dict[str, Any]:
    """The options of `add_contest` as keywords of a contest."""
    if args.concurrency is not None and not 1 <= args.concurrency <= 1024:
        given = argument("concurrency", args.concurrency)
        raise ThreefoldError(f"{given} is not a whole number from 1 to 1024")
    return {
        "db": args.db,
        "cluster": args.cluster,
        "budget": budget(args),
        "openings": args.openings,
        "adjudication": tuple(args.adjudicate),
        "seed": args.seed,
    } | ({} if args.margin is None else {"margin": args.margin})


def budget(args: argparse.Namespace) -> Any:
    """What a player may spend, by the options; a short time if they say nothing."""
    from threefold.arena.lines import with_limit
    from threefold.arena.match import DEFAULT_TIME
    from threefold.protocols.player import Budget

    given = Budget()
    for name in ("time", "tc", "nodes", "depth"):
        value = getattr(args, name)
        if value is not None:
            given = with_limit(given, name, str(value))
    if args.time is not None and args.tc is not None:
        raise ThreefoldError(f"give {argument('time')} or {argument('tc')}, not both")
    return Budget(time=DEFAULT_TIME) if given == Budget() else given


class LiveTable:
    """Draws lines on a terminal's stderr again and again, in place; elsewhere it draws nothing."""

    def __init__(self, lines: Callable[[], Sequence[str]]) -> None:
        self._lines = lines
        self._height = 0
        self._next = 0.0
        self._shown = sys.stderr.isatty()

    def __enter__(self) -> "LiveTable":
        return self

    def draw(self) -> None:
        """Draw the lines if it is time to."""
        if not self._shown or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + _INTERVAL
        size = shutil.get_terminal_size()
        lines = [line[: size.columns - 1] for line in self._lines()][: size.lines - 1]
        self._erase()
        sys.stderr.write("".join(f"{line}\n" for line in lines))
        sys.stderr.flush()
        self._height = len(lines)

    def _erase(self) -> None:
        if self._height:
            sys.stderr.write(f"\x1b[{self._height}A\x1b[0J")
            self._height = 0

    def __exit__(self, *_: object) -> None:
        self._erase()
        sys.stderr.flush()


def play(
    it: "Contest",
    games: int,
    concurrency: int | None,
    lines: Callable[[float], Sequence[str]],
) -> float:
    """Play on with a table to watch; Ctrl-C ends that early. Returns the seconds it took."""
    began = time.perf_counter()

    def seconds() -> float:
        return time.perf_counter() - began

    if before := it.ledger.games:
        say(f"{before:,} of {games:,} games were played before; they are in {it.store.path}")
    with LiveTable(lambda: lines(seconds())) as table:
        table.draw()
        try:
            it.play(games, concurrency=concurrency, watch=table.draw)
        except KeyboardInterrupt:
            if not it.ledger.games:
                raise
            say("interrupted; the same command goes on from here")
    return seconds()


def say_where(it: "Contest") -> None:
    """Say where the games are, if the user has not said it, and whether they are worth counting."""
    repeated = it.store.repeated(it.match)
    if it.settings.openings is None and repeated > it.ledger.games / 2:
        say(
            f"{repeated:,} of the games repeat another one move for move, and say nothing new; "
            "--openings random:4 makes them different"
        )
    if not it.is_named:
        number = f" --match {it.match.id}" if it.match.id > 1 else ""
        say(f"the games are in {it.store.path}: threefold report {it.store.path}{number}")


def check_games(name: str, games: int) -> None:
    """Raise unless a number of games can be played."""
    if not 1 <= games <= _MOST_GAMES:
        given = argument(name, games)
        raise ThreefoldError(f"{given} is not a whole number from 1 to {_MOST_GAMES:,}")


def say(text: str) -> None:
    """Say something on stderr."""
    sys.stderr.write(f"threefold: {text}\n")
