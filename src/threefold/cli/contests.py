"""What `match`, `tournament` and `tune` share: their options, and playing with a table to watch."""

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from threefold.cli.live_table import LiveTable
from threefold.cli.output import GAME_HELP, add_database, add_json, number, whole_number
from threefold.errors import ThreefoldError, argument

if TYPE_CHECKING:
    from threefold.arena.contest import Contest

PLAYER_HELP = (
    "a player in one line: alphabeta(time=0.2), alphabeta(depth=6,eval=material), "
    "mcts(simulations=10000), random, level(5), textbook(minimax,depth=3), "
    "uci(stockfish,Skill Level=5), xboard(fairymax), gtp(gnugo --mode gtp), python(FILE.py:NAME)"
)
_MOST_GAMES: Final = 100_000_000
_WAITING: Final = "waiting for the first game; players may have to be compiled before it"


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
        help="seconds by which a player may overstep its time (default: 0.25)",
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
    add_database(parser)
    add_json(parser)


def contest(args: argparse.Namespace, players: Sequence[str], kind: str, **more: Any) -> "Contest":
    """The contest that the options describe."""
    from threefold.arena.contest import Contest

    lines = [with_database(each, args.database) for each in players]
    return Contest(args.game, lines, kind=kind, **contest_options(args), **more)


def with_database(player: str, folder: str | None) -> str:
    """A player's line with a database, if it is one of ours that names none itself."""
    from dataclasses import replace

    from threefold.arena.lines import parse_line
    from threefold.arena.players import LOOKING_UP

    line = parse_line(player)
    if folder is None or line.kind not in LOOKING_UP or "database" in line.options:
        return player
    return str(replace(line, options={**line.options, "database": folder}))


def anchor_with_database(anchor: str, folder: str | None) -> str:
    """The same for the player whose rating is given, `PLAYER=ELO`."""
    player, equals, elo = anchor.rpartition("=")
    return f"{with_database(player, folder)}{equals}{elo}" if equals else anchor


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
            given = with_limit(given, name, str(value), argument(name, value))
    if args.time is not None and args.tc is not None:
        raise ThreefoldError(f"give {argument('time')} or {argument('tc')}, not both")
    return Budget(time=DEFAULT_TIME) if given == Budget() else given


def play(
    it: "Contest",
    games: int,
    go_on: Callable[[Callable[[], object]], None],
    lines: Callable[[float], Sequence[str]],
) -> float:
    """Play on with a table to watch; Ctrl-C ends that early. Returns the seconds it took.

    `go_on` is given what to call again and again while it plays.
    """
    began = time.perf_counter()

    def seconds() -> float:
        return time.perf_counter() - began

    if before := it.ledger.games:
        say(f"{before:,} of {games:,} games were played before; they are in {it.store.path}")

    def shown() -> Sequence[str]:
        waiting = it.ledger.games == before and it.is_unfinished(games)
        return [*lines(seconds()), *([_WAITING] if waiting else [])]

    with LiveTable(shown) as table:
        table.draw()
        try:
            go_on(table.draw)
        except KeyboardInterrupt:
            if not it.ledger.games:
                raise
            say("interrupted; the same command goes on from here")
    return seconds()


def exit_code(it: "Contest") -> int:
    """0, or 1 if not a single game could be finished."""
    if it.ledger.counted:
        return 0
    say("no game could be finished")
    return 1


def say_where(it: "Contest") -> None:
    """Say where the games are, if the user has not said it, and whether they are worth counting."""
    facts = it.game.facts
    repeated = it.store.repeated(it.match)
    if repeated > it.ledger.games / 2 and facts.deterministic and facts.perfect_information:
        cure = "--openings random:4 makes" if it.settings.openings is None else "more openings make"
        say(
            f"{repeated:,} of the games repeat another one move for move, and say nothing new; "
            f"{cure} them different"
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
