"""Procedures that find a path: on a graph, or on the 8-puzzle."""

import argparse

from threefold.cli.explain_fifteen import explain_fifteen, is_fifteen
from threefold.cli.files import read_text
from threefold.cli.output import busy
from threefold.cli.slides import DRAWN, show
from threefold.errors import ThreefoldError
from threefold.textbook.graph import LECTURE_GRAPH, parse_graph
from threefold.textbook.path_narration import narrate
from threefold.textbook.path_picture import PathSlides
from threefold.textbook.path_trace import PathResult
from threefold.textbook.paths import PATH_PROCEDURES
from threefold.textbook.puzzle import GOAL, Puzzle

KIND = "paths"
NAMES: tuple[str, ...] = tuple(PATH_PROCEDURES)
OPTIONS = {"graph", "start", "goal", "puzzle", "depth", *DRAWN}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of paths."""
    parser.add_argument(
        "--graph",
        metavar="FILE",
        help="a graph: lines 'A B 4', estimates 'h A 8'; `lecture` is the lecture's, from A to G",
    )
    parser.add_argument("--from", dest="start", metavar="NODE", help="where a path starts")
    parser.add_argument("--to", dest="goal", metavar="NODE", help="where a path ends")
    parser.add_argument(
        "--puzzle",
        metavar="TILES",
        help="an 8-puzzle, like 123456708, or a 15-puzzle as 16 numbers (ida-star)",
    )


def run(args: argparse.Namespace) -> int:
    """Explain a procedure on a graph or a puzzle."""
    if args.puzzle is not None:
        for option, given in (("graph", args.graph), ("from", args.start), ("to", args.goal)):
            if given is not None:
                raise ThreefoldError(f"--{option} does not go with --puzzle")
    if args.puzzle is not None and is_fifteen(args.puzzle):
        return explain_fifteen(args)
    with busy(args.procedure):
        found = _found(args)
    show(args, lambda: PathSlides(found), found.to_json, narrate(found), str(found))
    return 0


def _found(args: argparse.Namespace) -> PathResult:
    procedure, options = PATH_PROCEDURES[args.procedure], {}
    if args.procedure == "depth-limited":
        if args.depth is None:
            raise ThreefoldError("depth-limited needs --depth N, the most steps that it may take")
        options = {"limit": args.depth}
    elif args.depth is not None:
        raise ThreefoldError(
            f"--depth does not go with {args.procedure}; it is the limit of depth-limited"
        )
    if args.puzzle is not None:
        return procedure(Puzzle(), args.puzzle, GOAL, **options)
    if args.graph is None:
        raise ThreefoldError(f"{args.procedure} needs --graph FILE or --puzzle TILES")
    if args.graph == "lecture":
        start, goal = args.start or "A", args.goal or "G"
        return procedure(parse_graph(LECTURE_GRAPH), start, goal, **options)
    if args.start is None or args.goal is None:
        raise ThreefoldError("a path needs --from NODE and --to NODE")
    return procedure(parse_graph(read_text(args.graph)), args.start, args.goal, **options)
