"""What `threefold evaluate GAME POSITION --eval race` prints: the odds of a race, from tables."""

import argparse
from typing import Any, Final

from threefold.cli.output import print_json, print_line, print_painted
from threefold.errors import ThreefoldError
from threefold.rules.contract import FINISHED
from threefold.rules.game import Game

#: The name to ask for with --eval, in games that have races.
RACE: Final = "race"


def evaluate_race(game: Game[Any], s: Any, position: str, args: argparse.Namespace) -> int:
    """Print who wins how often, and how many rolls each side needs."""
    from threefold.engine.race_odds import race_odds

    for option in ("svg", "weights"):
        if getattr(args, option) is not None:
            raise ThreefoldError(f"--{option} needs an evaluation with terms; race has none")
    odds = race_odds(game, s)
    if args.json:
        print_json(
            {
                "game": args.game,
                "position": position,
                "evaluation": RACE,
                "value": FINISHED * odds.value,
                "terms": [],
                "win": odds.win,
                "exact": odds.exact,
                "rolls": list(odds.rolls),
            }
        )
        return 0
    first, second = game.sides
    kind = "exact" if odds.exact else "an estimate"
    worth = f"{odds.value:+.3f} {game.utility_unit}".rstrip()
    print_painted(f"{game.name}, race: {worth} for {first}, {kind}", "strong")
    print_line(f"{first} wins {100 * odds.win:.2f} %")
    for side, rolls in zip((first, second), odds.rolls, strict=True):
        print_line(f"{side} needs {rolls:.3f} rolls on average")
    return 0
