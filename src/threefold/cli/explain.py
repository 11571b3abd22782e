"""Run a textbook procedure step by step, on a tree, on a game, or on a graph.

threefold explain alphabeta "((3 12 8) (2 4 6) (14 5 2))" --step
threefold explain minimax --game tic-tac-toe --depth 2 --eval lines
threefold explain a-star --graph FILE --from A --to G
threefold explain ida-star --puzzle 123456708
threefold explain hill-climbing --queens 8
"""

import argparse
import shutil
from collections.abc import Sequence

from threefold.cli.files import read_text, write_text
from threefold.cli.output import add_json, print_json, print_line, whole_number
from threefold.cli.trees import add_order, add_tree, chosen_tree
from threefold.errors import ThreefoldError
from threefold.rules.text import did_you_mean, shorten
from threefold.textbook.explain import PROCEDURES, Explanation, explain
from threefold.textbook.graph import parse_graph
from threefold.textbook.local import (
    hill_climbing,
    parse_cities,
    random_cities,
    simulated_annealing,
)
from threefold.textbook.narration import narrate, steps
from threefold.textbook.ordering import reorder
from threefold.textbook.page import page
from threefold.textbook.paths import PATH_PROCEDURES
from threefold.textbook.paths import narrate as narrate_path
from threefold.textbook.picture import draw
from threefold.textbook.puzzle import GOAL, Puzzle
from threefold.textbook.replay import scene
from threefold.textbook.terminal import draw_tree
from threefold.textbook.tikz import tikz
from threefold.textbook.trace import plain

NAME = "explain"
HELP = "run a textbook procedure step by step"

LOCAL = ("hill-climbing", "simulated-annealing")
_FOR_TREES = {
    *(
        "tree",
        "game",
        "position",
        "eval",
        "depth",
        "order",
        "cut",
        "step",
        "svg",
        "html",
        "tikz",
        "at",
    ),
}
_SPECIAL = {*_FOR_TREES, "graph", "start", "goal", "puzzle", "queens", "cities"}
_STEP_HELP = "Enter: next, b: back, c: next cutoff, e: end, q: quit > "


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `threefold explain`."""
    known = ", ".join((*PROCEDURES, *PATH_PROCEDURES, *LOCAL))
    parser.add_argument("procedure", metavar="PROCEDURE", help=f"one of {known}")
    add_tree(parser)
    add_order(parser, "given")
    parser.add_argument(
        "--cut", metavar="HOW", help="whether equality cuts: equal (the default) or strict"
    )
    parser.add_argument("--step", action="store_true", help="wait for a key at every step")
    parser.add_argument("--svg", metavar="FILE", help="write the tree as a picture")
    parser.add_argument("--html", metavar="FILE", help="write a page for stepping through it")
    parser.add_argument("--tikz", metavar="FILE", help="write TikZ for slides")
    parser.add_argument(
        "--at",
        metavar="N",
        type=whole_number,
        help="draw --svg and --tikz at this step instead of the end",
    )
    parser.add_argument("--graph", metavar="FILE", help="a graph: lines 'A B 4', estimates 'h A 8'")
    parser.add_argument("--from", dest="start", metavar="NODE", help="where a path starts")
    parser.add_argument("--to", dest="goal", metavar="NODE", help="where a path ends")
    parser.add_argument("--puzzle", metavar="TILES", help="an 8-puzzle, like 123456708")
    parser.add_argument("--queens", metavar="N", type=whole_number, help="hill climbing's board")
    parser.add_argument(
        "--cities", metavar="N|FILE", help="annealing's cities: random, or 'x y' lines"
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Explain and print."""
    if args.procedure in PATH_PROCEDURES:
        _refuse_foreign(args, "paths", {"graph", "start", "goal", "puzzle"})
        return _explain_path(args)
    if args.procedure in LOCAL:
        _refuse_foreign(args, "local search", {"queens", "cities"})
        return _explain_local(args)
    if args.procedure not in PROCEDURES:
        hint = did_you_mean(args.procedure, (*PROCEDURES, *PATH_PROCEDURES, *LOCAL))
        raise ThreefoldError(f"there is no procedure {shorten(args.procedure)}: {hint}")
    _refuse_foreign(args, "trees", _FOR_TREES)
    if args.cut not in {None, "equal", "strict"}:
        raise ThreefoldError(f"--cut {args.cut!r} is neither equal nor strict")
    root, text = chosen_tree(args)
    if args.order != "given":
        root, text = reorder(root, args.order, args.depth, args.seed), None
    options = {} if args.cut is None else {"cut": args.cut}
    explained = explain(args.procedure, root, depth=args.depth, tree=text, **options)
    _write_pictures(args, explained)
    if args.json:
        print_json(explained.to_json())
    elif args.step:
        _step_through(explained)
    else:
        _print(explained)
    return 0


def _refuse_foreign(args: argparse.Namespace, kind: str, allowed: set[str]) -> None:
    """Refuse an option that means nothing here instead of ignoring it."""
    given = {name for name in _SPECIAL if getattr(args, name) not in (None, False, "given")}
    for name in sorted(given - allowed):
        option = {"start": "--from", "goal": "--to", "tree": "TREE"}.get(name, f"--{name}")
        raise ThreefoldError(f"{option} does not go with {args.procedure}, which is for {kind}")


def _write_pictures(args: argparse.Namespace, explained: Explanation) -> None:
    step = None
    if args.at is not None:
        numbered = steps(narrate(explained.events))
        if not 1 <= args.at <= len(numbered):
            raise ThreefoldError(f"step {args.at} is not between 1 and {len(numbered)}")
        step = numbered[args.at - 1]
    if args.svg is not None:
        write_text(args.svg, draw(explained.events, step))
    if args.html is not None:
        write_text(args.html, page(explained.events, explained.procedure))
    if args.tikz is not None:
        write_text(args.tikz, tikz(explained.events, step))


def _print(explained: Explanation) -> None:
    width = shutil.get_terminal_size().columns
    for sentence in filter(None, narrate(explained.events)):
        print_line(sentence)
    print_line()
    print_line(draw_tree(scene(explained.events, len(explained.events)), width))
    print_line()
    print_line(str(explained))


def _step_through(explained: Explanation) -> None:
    """Show one step at a time, forward and backward."""
    sentences = narrate(explained.events)
    numbered = steps(sentences)
    at = 0
    while True:
        step = numbered[at]
        print_line(draw_tree(scene(explained.events, step), shutil.get_terminal_size().columns))
        print_line(f"\n{at + 1}/{len(numbered)}  {sentences[step - 1]}")
        try:
            said = input(_STEP_HELP).strip().lower()
        except EOFError:
            break
        print_line()
        if said == "q":
            return
        at = _next_step(said, at, numbered, explained)
        if at >= len(numbered):
            break
    print_line()
    print_line(str(explained))


def _next_step(said: str, at: int, numbered: Sequence[int], explained: Explanation) -> int:
    if said == "b":
        return max(at - 1, 0)
    if said == "e":
        return len(numbered)
    if said == "c":
        later = range(at + 1, len(numbered))
        cuts = (i for i in later if explained.events[numbered[i] - 1].kind == "cutoff")
        return next(cuts, len(numbered))
    return at + 1


def _explain_path(args: argparse.Namespace) -> int:
    """A path on a graph or a puzzle."""
    procedure = PATH_PROCEDURES[args.procedure]
    if args.puzzle is not None:
        found = procedure(Puzzle(), args.puzzle, GOAL)
    elif args.graph is not None:
        if args.start is None or args.goal is None:
            raise ThreefoldError("a path needs --from NODE and --to NODE")
        found = procedure(parse_graph(read_text(args.graph)), args.start, args.goal)
    else:
        raise ThreefoldError(f"{args.procedure} needs --graph FILE or --puzzle TILES")
    if args.json:
        print_json(found.to_json())
        return 0
    for sentence in narrate_path(found):
        print_line(sentence)
    return 0


def _explain_local(args: argparse.Namespace) -> int:
    """Hill climbing or simulated annealing."""
    if args.procedure == "hill-climbing":
        found = hill_climbing(8 if args.queens is None else args.queens, args.seed)
        answer, sentences = found.to_json(), found.narrate()
    else:
        given = args.cities or "10"
        if given.isdecimal() and len(given) < 6:
            cities = random_cities(int(given), args.seed)
        else:
            cities = parse_cities(read_text(given))
        annealed = simulated_annealing(cities, args.seed)
        answer, sentences = annealed.to_json(), annealed.narrate()
    if args.json:
        print_json(plain(answer))
        return 0
    for sentence in sentences:
        print_line(sentence)
    return 0
