"""Learning by temporal differences: TD(0) and TD(λ) on a random walk, or in self-play."""

import argparse

from threefold.cli.output import busy, exact_number, number, whole_number
from threefold.cli.slides import DRAWN, show
from threefold.errors import ThreefoldError
from threefold.games import game
from threefold.textbook.td import Process, Settings, TDRun, Value, learn
from threefold.textbook.td_episodes import (
    MAX_WALK,
    Walk,
    Written,
    parse_episode,
    parse_states,
    parse_values,
)
from threefold.textbook.td_game import SelfPlay, learn_by_self_play
from threefold.textbook.td_narration import narrate, table
from threefold.textbook.td_picture import TDSlides

KIND = "learning"
NAMES: tuple[str, ...] = ("td",)
_EPISODES, _EPSILON = 10, 0.1
#: A run of more steps than this is shown by its table alone.
_MAX_TOLD = 200
OPTIONS = {
    *("walk", "episodes", "episode", "states", "values", "alpha", "lambda_", "gamma"),
    *("traces", "offline", "epsilon", "game", "position", "seed"),
    *DRAWN,
}
TRACES = ("accumulating", "replacing")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of learning."""
    parser.add_argument(
        "--walk",
        metavar="N",
        type=whole_number,
        help=f"td: the states of the random walk, an odd number up to {MAX_WALK} (default: 5)",
    )
    parser.add_argument(
        "--episodes", metavar="N", type=whole_number, help=f"td: how many (default: {_EPISODES})"
    )
    parser.add_argument(
        "--episode",
        metavar="STATES",
        action="append",
        help="td: an episode of your own instead, like 'C D E 1': its states, and the reward for "
        "leaving one where it is not 0; may be repeated",
    )
    parser.add_argument(
        "--states", metavar="NAMES", help="td: states of your own instead of a walk, like 'A B'"
    )
    parser.add_argument(
        "--values", metavar="NAME=V…", help="td: the first values, like 'A=0.2 B=0.4', or 0 for all"
    )
    parser.add_argument("--alpha", metavar="A", type=exact_number, help="td: the step size (0.1)")
    parser.add_argument(
        "--lambda",
        dest="lambda_",
        metavar="L",
        type=exact_number,
        help="td: λ, from 0 (default) to 1",
    )
    parser.add_argument("--gamma", metavar="G", type=exact_number, help="td: the discount γ (1)")
    parser.add_argument(
        "--traces", metavar="KIND", help=f"td: {' (default) or '.join(TRACES)} traces"
    )
    parser.add_argument(
        "--offline", action="store_true", help="td: change values only when an episode is over"
    )
    parser.add_argument(
        "--epsilon",
        metavar="E",
        type=number,
        help=f"td with --game: how often a player tries another move ({_EPSILON})",
    )


def run(args: argparse.Namespace) -> int:
    """Explain TD(λ)."""
    with busy(args.procedure):
        found = _learned(args)
    told = narrate(found)
    if len(told) > _MAX_TOLD:
        few = f"{len(told) - 2:,} steps are too many to tell; --step and --html show them."
        told = [told[0], few, told[-1]]
    lines = [*told, "", table(found), "", str(found)]
    show(args, lambda: TDSlides(found), found.to_json, lines, str(found))
    return 0


def _learned(args: argparse.Namespace) -> TDRun:
    traces = args.traces or TRACES[0]
    if traces not in TRACES:
        raise ThreefoldError(f"--traces {traces!r}: use {' or '.join(TRACES)}")
    given = {"alpha": args.alpha, "lambda_": args.lambda_, "gamma": args.gamma}
    settings = Settings(
        **{name: value for name, value in given.items() if value is not None},
        replacing=traces == "replacing",
        offline=args.offline,
    )
    if args.game is not None:
        return _self_play(args, settings)
    for option in ("position", "epsilon"):
        if getattr(args, option) is not None:
            raise ThreefoldError(f"--{option} needs --game")
    if args.states is not None:
        return _on_states(args, settings)
    return _on_walk(args, settings)


def _self_play(args: argparse.Namespace, settings: Settings) -> TDRun:
    for option in ("walk", "episode", "states"):
        if getattr(args, option) is not None:
            raise ThreefoldError(f"--{option} does not go with --game")
    process = SelfPlay(game(args.game), args.position)
    return learn_by_self_play(
        process,
        settings,
        epsilon=_EPSILON if args.epsilon is None else args.epsilon,
        count=_EPISODES if args.episodes is None else args.episodes,
        seed=args.seed,
        values=_first(args, process),
    )


def _on_states(args: argparse.Namespace, settings: Settings) -> TDRun:
    for option in ("walk", "episodes"):
        if getattr(args, option) is not None:
            raise ThreefoldError(f"--{option} does not go with --states")
    if not args.episode:
        raise ThreefoldError("--states needs --episode, such as --episode 'A 0 B 1'")
    states = parse_states(args.states)
    episodes = [parse_episode(text, states) for text in args.episode]
    process = Written(states, episodes[0][0].state)
    return learn(process, episodes, _first(args, process), settings)


def _on_walk(args: argparse.Namespace, settings: Settings) -> TDRun:
    walk = Walk(5 if args.walk is None else args.walk)
    if args.episode:
        if args.episodes is not None:
            raise ThreefoldError("give --episodes or --episode, not both")
        written = [walk.parse(text) for text in args.episode]
        return learn(walk, written, _first(args, walk), settings)
    count = _EPISODES if args.episodes is None else args.episodes
    values: dict[str, Value] = {s: float(value) for s, value in _first(args, walk).items()}
    return learn(walk, walk.episodes(count, args.seed), values, settings.in_floats())


def _first(args: argparse.Namespace, process: Process) -> dict[str, Value]:
    """The first values, as exact fractions."""
    values: dict[str, Value] = dict.fromkeys(process.states, process.first_value)
    if args.values is not None:
        values |= parse_values(args.values, process.states)
    return values
