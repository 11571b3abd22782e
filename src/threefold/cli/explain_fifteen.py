"""The 15-puzzle: IDA* over compiled rules, where the textbook's own would take hours."""

import argparse
import re

from threefold.cli.output import print_json, print_line
from threefold.cli.slides import DRAWN
from threefold.errors import ThreefoldError
from threefold.games.sliding_puzzle import sliding_puzzle
from threefold.games.sliding_puzzle.rules import unpack

SIZE = 4


def is_fifteen(puzzle: str) -> bool:
    """Whether a puzzle's text has as many tiles as the 15-puzzle, the gap included."""
    return len(re.split(r"[\s,]+", puzzle.strip())) == SIZE * SIZE


def explain_fifteen(args: argparse.Namespace) -> int:
    """Solve `--puzzle` in the fewest moves."""
    from threefold.solve.ida_star import shortest_solution

    if args.procedure != "ida-star":
        raise ThreefoldError(
            f"{args.procedure} keeps every node it meets, too many for 15 tiles; use ida-star"
        )
    for option in sorted((*DRAWN, "depth")):
        if getattr(args, option) not in (None, False):
            raise ThreefoldError(f"--{option} does not go with a 15-puzzle: too much to draw")
    game = sliding_puzzle(SIZE)
    s = game.parse(args.puzzle)
    found = shortest_solution(game, s)
    tiles, path = [], [s]
    for a in found.moves:
        tiles.append(int(game.format_move(path[-1], a)))
        path.append(game.result(path[-1], a))
    if args.json:
        answer = {
            "procedure": args.procedure,
            "path": [" ".join(map(str, unpack(each, SIZE))) for each in path],
            "cost": found.length,
            "moves": tiles,
            "nodes": found.expanded,
            "bounds": found.bounds,
        }
        print_json(answer)
        return 0
    print_line(game.render(s))
    print_line()
    for number, bound in enumerate(found.bounds[:-1], 1):
        print_line(f"Contour {number}, up to {bound} moves: no solution.")
    bound, number = found.bounds[-1], len(found.bounds)
    print_line(f"Contour {number}, up to {bound} moves: solved in {found.length}, the fewest.")
    print_line(f"Tiles to slide: {' '.join(map(str, tiles)) or 'none'}")
    print_line(f"{found.expanded:,} nodes were expanded.")
    return 0
