"""Learn an evaluation of a game from its rules alone, by playing against itself.

The net that comes out is used by --eval FILE everywhere. Every minute it is saved, together with a
checkpoint that --resume goes on from: a killed run loses at most a minute. Ctrl-C ends the run and
saves what was learned. --games and --time count the whole run, what was done before a --resume
included.

threefold train connect-four --time 300 --out net.npz
threefold play connect-four --eval net.npz
"""

import argparse
import math
import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from threefold.cli.output import add_game, add_json, number, print_json, print_line, whole_number
from threefold.cli.train_report import answer, draw, lines, progress, say, watcher
from threefold.engine.progress import StatusLine, note_elsewhere
from threefold.errors import ThreefoldError, argument
from threefold.games import game as game_named
from threefold.rules.game import Game
from threefold.rules.net_files import NET_SUFFIX
from threefold.rules.text import shorten

if TYPE_CHECKING:
    from threefold.engine.nets import Net
    from threefold.learn.checkpoints import Checkpoint
    from threefold.learn.learner import Goal, Plan
    from threefold.learn.recorded import Recorded

NAME = "train"
HELP = "learn an evaluation by playing"
#: Seconds, where neither --games nor --time is given.
_DEFAULT_TIME: Final = 60.0
#: What an option is called in a `Plan`, where that differs.
_IN_PLAN: Final = {"lambda": "trace"}
#: The options that make a plan.
_PLANNED: Final = (
    *("method", "hidden", "seed", "device", "threads", "rate", "lambda", "exploration", "outputs"),
    "every_roll",
    *("mix", "nodes", "terms", "blocks", "channels", "parallel", "playouts"),
)
#: The options for nets that propose moves.
_OF_POLICIES: Final = {
    "blocks": ("N", "alphazero: residual blocks of the net (default: 4; on a GPU 6)"),
    "channels": ("N", "alphazero: numbers for each cell in a block (default: 32; on a GPU 64)"),
    "parallel": ("N", "alphazero: games played at once (default: 256; on a GPU 8192)"),
}
#: Options that name a file: a net's file repeats the name alone, without the folder.
_FILES: Final = ("games-from", "start", "resume", "out")
#: Options of the command line, as a net's file repeats them.
_REPEATED: Final = (
    *("method", "games", "time", "device", "hidden", "rate", "lambda", "exploration", "seed"),
    *("every-roll", "threads", "outputs", "terms", "mix", "nodes", "cluster", "playouts"),
    *_OF_POLICIES,
    *_FILES,
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `threefold train`."""
    add_game(parser, position=False)
    parser.add_argument(
        "--method",
        metavar="td|fit|alphazero",
        help="td, temporal differences over self-play (the default); fit, regression on recorded "
        "games; or alphazero, a net that proposes moves and learns from its own tree search",
    )
    parser.add_argument("--out", metavar="FILE", required=True, help="where to save the net")
    parser.add_argument("--games", metavar="N", type=whole_number, help="games to learn from")
    parser.add_argument(
        "--time",
        metavar="S",
        type=number,
        help=f"seconds to learn, compiling not counted (default: {_DEFAULT_TIME:.0f}, unless "
        "--games is given)",
    )
    parser.add_argument("--device", metavar="cpu|gpu", help="where to learn (default: cpu)")
    parser.add_argument(
        "--resume",
        metavar="FILE",
        help="go on from this checkpoint, or from the one beside this net",
    )
    parser.add_argument(
        "--start",
        metavar="NET",
        help="begin with what a net knows: a file, or the name of one that comes with the game",
    )
    parser.add_argument(
        "--checkpoint",
        metavar="FILE",
        help="where to keep the checkpoint (default: beside the net, net.checkpoint.npz)",
    )
    parser.add_argument(
        "--hidden",
        metavar="UNITS",
        help="units of the hidden layers, such as 128 (the default) or 256,32",
    )
    parser.add_argument(
        "--outputs",
        metavar="results|margin",
        help="what the net says: the chances of each result (the default), or the mean utility",
    )
    parser.add_argument(
        "--every-roll",
        metavar="P",
        type=number,
        help="with dice: in the last part of the run, a share of it, learn from the mean over "
        "every roll (default: 0.4)",
    )
    parser.add_argument(
        "--rate",
        metavar="R",
        type=number,
        help="how far a step may move a unit at first; a hundredth of it is left at the end "
        "(default: 0.05); alphazero: the step size, of which a tenth is left (default: 0.003)",
    )
    parser.add_argument(
        "--lambda",
        metavar="L",
        type=number,
        help="how far targets look ahead, from 0, the next position, to 1, the end of the game "
        "(default: 0.7)",
    )
    parser.add_argument(
        "--exploration",
        metavar="P",
        type=number,
        help="how often a move is random (default: 0.1; with dice 0, and 0.02 in the part of "
        "--every-roll); alphazero: the share of games that begin with random moves (default: 0.25)",
    )
    parser.add_argument("--seed", metavar="S", type=whole_number, help="random seed (default: 0)")
    parser.add_argument("--threads", metavar="T", type=whole_number, help="default: 2")
    parser.add_argument(
        "--games-from",
        metavar="FILE",
        help="fit: the games to learn from, a file of matches or PGN or PDN (default: games that "
        "it plays itself)",
    )
    parser.add_argument(
        "--mix",
        metavar="P",
        type=number,
        help="fit: the share of what a search thought in what is learned about a position; the "
        "rest is the game's result (default: 0.5)",
    )
    parser.add_argument(
        "--nodes",
        metavar="N",
        type=whole_number,
        help="fit, or --terms: nodes for each move of the games that it plays (default: 1000); "
        "alphazero: simulations for each move (default: 32)",
    )
    for name, (metavar, text) in _OF_POLICIES.items():
        parser.add_argument(f"--{name}", metavar=metavar, type=whole_number, help=text)
    parser.add_argument(
        "--playouts",
        metavar="P",
        type=number,
        help="alphazero: in the first part of the run, a share of it, tree search with playouts "
        "plays, which needs no net (default: 0)",
    )
    parser.add_argument(
        "--terms",
        metavar="EVALUATION",
        nargs="?",
        const="",
        help="learn the weights of an evaluation's terms, the game's first that has any, in place "
        "of a net; PyTorch is not needed, and FILE is a text of weights",
    )
    parser.add_argument(
        "--cluster",
        metavar="WHERE",
        default="local",
        help="local (the default), or ray or ray:ADDRESS, a Ray cluster whose actors play",
    )
    parser.add_argument("--svg", metavar="FILE", help="draw the curves of loss and strength")
    parser.add_argument(
        "--html", metavar="FILE", help="the same as a page, which is kept up to date all the time"
    )
    add_json(parser)
    parser.add_argument(
        "--stream", action="store_true", help="one JSON object per line as the net improves"
    )


def run(args: argparse.Namespace) -> int:
    """Train, save and report."""
    from threefold.learn import methods
    from threefold.learn.checkpoints import Checkpoint, beside_net, check_same
    from threefold.learn.training import Training

    # Step 1. Everything that can be wrong is found before the training begins.
    out = Path(args.out)
    _check_writable("out", out)
    checkpoint = beside_net(out) if args.checkpoint is None else Path(args.checkpoint)
    for option, name in (("checkpoint", checkpoint), ("svg", args.svg), ("html", args.html)):
        if name is not None:
            _check_writable(option, Path(name))
    _check_different(args, checkpoint)
    game = game_named(args.game, own_net=False)
    before = None if args.resume is None else Checkpoint.load(Path(args.resume), game)
    start = _start(args, game)
    plan = _plan(args, game, before, start)
    if args.terms is not None:
        args.terms = plan.terms
    if before is not None:
        check_same(before.plan, plan, Path(args.resume))
    methods.check_method(plan.method)
    if plan.terms and out.suffix == NET_SUFFIX:
        raise ThreefoldError(
            f"{argument('out', shorten(args.out))} would be taken for a net; weights are a text, "
            "such as weights.txt"
        )
    methods.check_game(game)
    goal = _goal(args, before)
    games = _games(args, plan, game)

    # Step 2. Train.
    learner = methods.learner(game, plan, games=games, cluster=args.cluster)
    training = Training(
        learner,
        plan,
        goal,
        out,
        checkpoint,
        command=_command(args),
        before=before,
        start=start,
        sparrings=methods.sparrings(game, plan),
        say=say,
    )
    training.watch = watcher(args, training)
    if training.share >= 1:
        say(
            f"{args.resume} has {training.report.games:,} games in {training.report.seconds:.0f} s "
            "already: nothing is left to do; give a larger --games or --time"
        )
    with methods.closing(learner):
        with note_elsewhere("compiling, which may take a minute the first time"):
            training.prepare()
        with StatusLine(lambda _: progress(training)):
            training.run()

    # Step 3. Report.
    draw(args, training, ended=True)
    if args.json:
        print_json(answer(args, training))
    elif not args.stream:
        for line in lines(args, training):
            print_line(line)
    if training.can_be_resumed:
        say(f"to go on with it: --resume {shlex.quote(str(checkpoint))}", style="faint")
    return 0


# What the options say.


def _check_different(args: argparse.Namespace, checkpoint: Path) -> None:
    """Raise if a file that will be written is also another one that the command names."""
    written = {
        "--out": args.out,
        "--checkpoint": checkpoint,
        "--svg": args.svg,
        "--html": args.html,
    }
    read = {"GAME": args.game.partition(":")[0], "--games-from": args.games_from}
    seen = {Path(name).resolve(): option for option, name in read.items() if name}
    for option, name in written.items():
        if name is None:
            continue
        place = Path(name).resolve()
        if place in seen:
            raise ThreefoldError(
                f"{argument(option.removeprefix('--'), shorten(str(name)))} is the file of "
                f"{seen[place]} as well; give another"
            )
        seen[place] = option


def _check_writable(option: str, path: Path) -> None:
    """Raise unless a file can be written, as far as that can be known before."""
    import os
    import tempfile

    given = argument(option, shorten(str(path)))
    try:
        if path.is_dir():
            raise ThreefoldError(f"{given} is a folder; give a file in it")
        if not path.parent.is_dir():
            raise ThreefoldError(f"{given}: there is no folder {shorten(str(path.parent))}")
        if path.exists() and not os.access(path, os.W_OK):
            raise ThreefoldError(f"{given} cannot be written: permission denied")
        if not path.exists():
            with tempfile.TemporaryFile(dir=path.parent):
                pass
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ThreefoldError(f"{given} cannot be written: {reason}") from None


def _start(args: argparse.Namespace, game: Game[Any]) -> "Net[Any] | None":
    """The net that the run begins with, if there is one."""
    from threefold.engine.nets import Net

    if args.start is None:
        return None
    given = argument("start", shorten(args.start))
    for option in ("resume", "terms"):
        if getattr(args, option) is not None:
            raise ThreefoldError(f"{given} does not go with {argument(option)}")
    if args.method == "alphazero":
        raise ThreefoldError(f"{given} does not go with alphazero; {argument('resume')} does")
    net = game.using(args.start).net
    if not isinstance(net, Net):
        raise ThreefoldError(f"{given} is not a net that judges positions")
    if net.staked:
        raise ThreefoldError(f"{given} was made for the game without stakes")
    return net


def _plan(
    args: argparse.Namespace,
    game: Game[Any],
    before: "Checkpoint | None",
    start: "Net[Any] | None" = None,
) -> "Plan":
    """How to learn: as before and as the options say."""
    from threefold.engine.limits import MAX_THREADS, check_whole
    from threefold.learn.checkpoints import option_text
    from threefold.learn.learner import Plan
    from threefold.learn.methods import DEVICES, check_options
    from threefold.learn.survey import OUTPUTS

    usual = Plan.usual(args.method or "td", args.device or "cpu")
    usual = usual if start is None else _shaped_as(start)
    given = {name: value for name in _PLANNED if (value := getattr(args, name, None)) is not None}
    if "hidden" in given:
        given["hidden"] = _hidden(given["hidden"])
    for name, choices in (("device", DEVICES), ("outputs", OUTPUTS)):
        if name in given and given[name] not in choices:
            raise ThreefoldError(f"{argument(name, given[name])} is not {' or '.join(choices)}")
    for name in ("lambda", "exploration", "mix", "every_roll", "playouts"):
        if name in given and not 0 <= given[name] <= 1:
            raise ThreefoldError(f"{argument(name, given[name])} is not a number from 0 to 1")
    if "every_roll" in given and game.facts.deterministic:
        raise ThreefoldError(f"{argument('every_roll')} is for games of chance")
    if "rate" in given:
        if not 0 < given["rate"] <= 1:
            raise ThreefoldError(
                f"{argument('rate', given['rate'])} is not a number above 0, at most 1"
            )
        given["last_rate"] = given["rate"] * usual.last_rate / usual.rate
    if "nodes" in given:
        check_whole("nodes", given["nodes"], 1, 10_000_000)
    check_options((before.plan if before and not args.method else usual).method, given)
    if "terms" in given:
        from threefold.learn.linear import with_terms

        given["terms"] = with_terms(game, given["terms"] or None)
    if "threads" in given:
        check_whole("threads", given["threads"], 1, MAX_THREADS)
    if "seed" in given:
        check_whole("seed", given["seed"], 0, (1 << 31) - 1)
    for name in ("hidden", "outputs") if start is not None else ():
        if name in given and given[name] != getattr(usual, name):
            shape = argument(name, option_text(getattr(usual, name)))
            raise ThreefoldError(
                f"{argument('start', shorten(args.start))} is a net of {shape}; "
                f"leave {argument(name)} out"
            )
    changes: Any = {_IN_PLAN.get(name, name): value for name, value in given.items()}
    return replace(usual if before is None else before.plan, **changes)


def _shaped_as(net: "Net[Any]") -> "Plan":
    """The usual plan for a net with the layers and outputs of another."""
    from threefold.learn.learner import Plan
    from threefold.learn.survey import MARGIN, RESULTS

    return Plan(hidden=net.hidden, outputs=RESULTS if net.results else MARGIN)


def _games(args: argparse.Namespace, plan: "Plan", game: Game[Any]) -> "Iterator[Recorded] | None":
    """The recorded games to learn from, if there are any."""
    from threefold.arena.teaching import games_to_learn
    from threefold.learn.methods import FIT

    if args.games_from is None:
        return None
    if plan.method != FIT and not plan.terms:
        fit = argument("method", FIT)
        raise ThreefoldError(f"{argument('games-from', shorten(args.games_from))} is for {fit}")
    return games_to_learn(game, Path(args.games_from), say)


def _hidden(text: str) -> tuple[int, ...]:
    from threefold.engine.nets import MAX_LAYERS, MAX_UNITS

    try:
        units = tuple(map(int, text.split(",")))
    except ValueError:
        units = ()
    if not 1 <= len(units) <= MAX_LAYERS or not all(1 <= n <= MAX_UNITS for n in units):
        raise ThreefoldError(
            f"{argument('hidden', shorten(text))} is not 1 to {MAX_LAYERS} numbers of units from "
            f"1 to {MAX_UNITS}, such as 128 or 256,32"
        )
    return units


def _goal(args: argparse.Namespace, before: "Checkpoint | None") -> "Goal":
    """When the run is over; a resumed one has the goal it had, or a minute more."""
    from threefold.engine.limits import check_whole
    from threefold.learn.learner import Goal

    if args.games is not None:
        check_whole("games", args.games, 1, 1 << 50)
    if args.time is not None and not (math.isfinite(args.time) and args.time > 0):
        raise ThreefoldError(f"{argument('time', args.time)} is not a number of seconds above 0")
    if args.games is not None or args.time is not None:
        return Goal(args.games, args.time)
    if before is None:
        return Goal(None, _DEFAULT_TIME)
    goal, games, seconds = before.goal, before.games, before.seconds
    return goal if goal.share(games, seconds) < 1 else Goal(None, seconds + _DEFAULT_TIME)


def _command(args: argparse.Namespace) -> str:
    """The command, as a net's file says it was made by."""
    words = ["threefold", "train", args.game]
    for option in _REPEATED:
        value = getattr(args, option.replace("-", "_"))
        if value is not None and (option, value) != ("cluster", "local"):
            text = f"{value:g}" if isinstance(value, float) else str(value)
            words += [f"--{option}", Path(text).name if option in _FILES else text]
    return shlex.join(words)
