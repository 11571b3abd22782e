"""Show a position's evaluation term by term: what each side has, the weight, and its share.

An evaluation is a weighted sum: each term's value for MAX minus that for MIN, times its weight.
The value is MAX's, in the evaluation's units, and is not searched: see analyze. A finished game can
be looked at too, but a search counts its utility instead.

threefold evaluate chess --weights queen=10,rook=4.5

A net, --eval FILE, has no terms. It says how likely each result is, and how it was made; its value
is 1000 for each point that MAX can expect.

In backgammon, --eval race shows the odds of a race in which both sides bear off: see solve for the
exact value of every move.
"""

import argparse
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from threefold.cli.evaluate_race import RACE, evaluate_race
from threefold.cli.files import write_text
from threefold.cli.output import (
    add_evaluation,
    add_game,
    add_json,
    chosen_game,
    print_json,
    print_line,
    print_painted,
    with_evaluation,
)
from threefold.errors import ThreefoldError
from threefold.rules.contract import CHANCE, FINISHED
from threefold.rules.game import Game
from threefold.rules.shares import draw_shares, signed, table
from threefold.rules.terms import plain

NAME = "evaluate"
HELP = "a position's evaluation, term by term"
#: How many of the moves that a net proposes are printed.
_MOVES_SHOWN = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `threefold evaluate`."""
    add_game(parser)
    add_evaluation(parser, "the evaluation to show (default: the game's first)")
    parser.add_argument("--svg", metavar="FILE", help="also draw the terms into an SVG file")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Evaluate and print."""
    game, s, position = chosen_game(args)
    if args.eval == RACE and game.race_sides is not None:
        return evaluate_race(game, s, position, args)
    plain_game = game.unstaked_game
    if args.eval == RACE and plain_game is not None and plain_game.race_sides is not None:
        raise ThreefoldError("the tables of races are for games without stakes")
    game = with_evaluation(game, args)
    game.require("an evaluation", zero_sum=True, perfect_information=False)
    shares = game.shares(s)
    over = not game.moves(s)
    if over and game.net is not None:
        value = Fraction(FINISHED * game.utility(s))
    else:
        value = Fraction(game.evaluate(s), game.denominator)
    worth = f"{_shown(game, value)} for {game.sides[0]}"
    title = f"{game.name}, {game.evaluation}: {worth}"
    if args.svg is not None:
        if not shares:
            raise ThreefoldError(f"there is nothing to draw: {_why_no_terms(game)}")
        write_text(args.svg, draw_shares(title, shares, game.sides))
    if args.json:
        print_json(
            {
                "game": args.game,
                "position": position,
                "evaluation": game.evaluation,
                "value": plain(value),
                "terms": [each.to_json() for each in shares],
            }
            | _said_by_net(game, s)
        )
    elif game.net is not None:
        print_painted(title, "strong")
        for line in _net_lines(game, s):
            print_line(line)
    elif shares:
        print_painted(title, "strong")
        for line in table(shares, game.sides):
            print_line(line)
        if game.utility_unit:
            print_line(f"{FINISHED} in weights and shares is +1.000 {game.utility_unit}")
        for line in _meanings(game):
            print_painted(line, "faint")
    else:
        print_painted(f"{game.name}: {worth}", "strong")
        print_line(_why_no_terms(game))
    if not args.json and over:
        print_line(f"The game is over: a search counts its utility, {signed(game.utility(s))}.")
    elif not args.json and game.net is not None and _is_rolled(game, s):
        print_line("A net judges positions before a roll; analyze --depth 1 looks at these moves.")
    return 0


def _is_rolled(game: Game[Any], s: Any) -> bool:
    """Whether a player has a roll to play."""
    return not game.facts.deterministic and game.player(s) != CHANCE


def _shown(game: Game[Any], value: Fraction) -> str:
    """A value in what people count, or in the evaluation's own units."""
    if game.utility_unit:
        return f"{float(value) / FINISHED:+.3f} {game.utility_unit}"
    return signed(value)


def _meanings(game: Game[Any]) -> Iterator[str]:
    """What each term counts, as far as its function says so."""
    for name, term in game.terms.get(game.evaluation or "", {}).items():
        said = (term.feature.__doc__ or "").strip().partition("\n")[0].rstrip(".")
        if said:
            yield f"{name}: {said[0].lower()}{said[1:]}"


def _said_by_net(game: Game[Any], s: Any) -> dict[str, Any]:
    """What a net says besides a value, and what it is; nothing if no net judges the game."""
    if game.net is None:
        return {}
    from threefold.engine.nets import Net
    from threefold.engine.policy_nets import PolicyNet

    net = game.net
    assert isinstance(net, Net | PolicyNet)
    if game.moves(s):
        win, results = net.win(s), net.outlook(s)
    else:
        worth = game.utility(s)
        win = (1 + (worth > 0) - (worth < 0)) / 2 if net.results else None
        nearest = min(net.results, key=lambda each: abs(each - worth), default=None)
        results = {each: float(each == nearest) for each in sorted(net.results, reverse=True)}
    said: dict[str, Any] = {
        "win": win,
        "results": {str(result): chance for result, chance in results.items()},
    }
    if isinstance(net, PolicyNet):
        likely = net.policy(s) if game.moves(s) else {}
        said["policy"] = {game.format_move(s, a): share for a, share in likely.items()}
        sizes: dict[str, Any] = {"blocks": net.shape.blocks, "channels": net.shape.channels}
    else:
        sizes = {"hidden": list(net.hidden)}
    return said | {"net": {"inputs": 64 * net.words, **sizes, "made": dict(net.made)}}


def _net_lines(game: Game[Any], s: Any) -> Iterator[str]:
    said = _said_by_net(game, s)
    if said["win"] is not None:
        half = ", a draw counted as half" if "0" in said["results"] else ""
        yield f"{game.sides[0]} wins with probability {said['win']:.3f}{half}"
        for result, chance in said["results"].items():
            yield f"  result {signed(int(result))}: {chance:.3f}"
    net = said["net"]
    policy = said.get("policy")
    if policy is not None:
        for move, share in list(policy.items())[:_MOVES_SHOWN]:
            yield f"  move {move}: {share:.3f}"
        yield f"a net of {net['inputs']} inputs and {net['blocks']} blocks of {net['channels']}"
    else:
        layers = " and ".join(map(str, net["hidden"]))
        outputs = (
            f"the chances of {len(said['results'])} results" if said["results"] else "a margin"
        )
        yield f"a net of {net['inputs']} inputs and {layers} hidden units; its output is {outputs}"
    yield from _listed(net["made"], "  ")


def _listed(made: Mapping[str, Any], indent: str) -> Iterator[str]:
    """How a net was made, a line each, with what belongs together on one line."""
    for key, value in made.items():
        if not isinstance(value, Mapping):
            yield f"{indent}{key}: {_plainly(value)}"
        elif any(isinstance(each, Mapping) for each in value.values()):
            yield f"{indent}{key}:"
            yield from _listed(value, indent + "  ")
        else:
            parts = (
                f"{name} {_plainly(each)}"
                for name, each in value.items()
                if each is not None and each != ""
            )
            yield f"{indent}{key}: {', '.join(parts)}"


def _plainly(value: object) -> str:
    if isinstance(value, list):
        return "-".join(map(_plainly, value))
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _why_no_terms(game: Game[Any]) -> str:
    if game.evaluation is None:
        return f"{game.name} has no evaluation, so every unfinished position counts 0"
    return f"{game.evaluation} has no terms, only a value"
