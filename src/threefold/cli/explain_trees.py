"""Procedures on game trees: minimax, alpha-beta and their relatives."""

import argparse
import shutil

from threefold.cli.files import write_text
from threefold.cli.output import busy, number, print_json, print_line, whole_number
from threefold.cli.slides import step_through
from threefold.cli.trees import add_cut, add_order, add_tree, chosen_tree
from threefold.errors import ThreefoldError
from threefold.textbook.explain import PROCEDURES, Explanation, explain, takes
from threefold.textbook.mcts import SIMULATIONS
from threefold.textbook.narration import narrate, steps
from threefold.textbook.ordering import reorder
from threefold.textbook.page import page
from threefold.textbook.picture import draw
from threefold.textbook.replay import scene
from threefold.textbook.terminal import draw_tree
from threefold.textbook.tikz import tikz

KIND = "trees"
NAMES: tuple[str, ...] = tuple(PROCEDURES)
OPTIONS = {
    *("tree", "game", "position", "eval", "weights", "depth", "seed", "order", "symmetries"),
    *("cut", "deep_enough", "plausible", "plausible_by", "simulations", "exploration"),
    *("step", "svg", "html", "tikz", "at"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of trees."""
    add_tree(parser)
    add_order(parser, "given")
    add_cut(parser)
    parser.add_argument(
        "--deep-enough",
        metavar="FACTORS",
        help="where minmax stops, any of won, plies=3, exceeds=3, promising=4:8 (from 4 plies on, "
        "where the static value is 8 or more from even), time=0.5 and stable=2, with commas",
    )
    parser.add_argument(
        "--plausible",
        metavar="K",
        type=whole_number,
        help="generate only the K moves of each position that look best",
    )
    parser.add_argument(
        "--plausible-by",
        metavar="HOW",
        help="what they look best to: eval, the static evaluation (the default), or order, the "
        "game's own first guess",
    )
    parser.add_argument(
        "--simulations",
        metavar="N",
        type=whole_number,
        help=f"mcts: how many rounds (default: {SIMULATIONS})",
    )
    parser.add_argument(
        "--exploration",
        metavar="C",
        type=number,
        help="mcts: the constant of the upper confidence bounds (default: 1.4 times half the range "
        "of the values)",
    )


def run(args: argparse.Namespace) -> int:
    """Explain a procedure on a tree."""
    if args.plausible_by is not None and args.plausible is None:
        raise ThreefoldError("--plausible-by needs --plausible K")
    root, text = chosen_tree(args)
    if args.order != "given":
        root, text = reorder(root, args.order, args.depth, args.seed), None
    given = ("cut", "deep_enough", "plausible", "plausible_by", "simulations", "exploration")
    options = {name: value for name in given if (value := getattr(args, name)) is not None}
    if takes(args.procedure, "seed"):
        options["seed"] = args.seed
    with busy(args.procedure):
        explained = explain(args.procedure, root, depth=args.depth, tree=text, **options)
        _write_pictures(args, explained)
    if args.json:
        print_json(explained.to_json())
    elif args.step:
        _step_through(explained)
    else:
        _print(explained)
    return 0


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
    sentences = narrate(explained.events)
    numbered = steps(sentences)

    def screen(step: int) -> str:
        event = numbered[step - 1]
        tree = draw_tree(scene(explained.events, event), shutil.get_terminal_size().columns)
        return f"{tree}\n\n{step}/{len(numbered)}  {sentences[event - 1]}"

    cutoffs = [
        step
        for step, event in enumerate(numbered, 1)
        if explained.events[event - 1].kind == "cutoff"
    ]
    step_through(len(numbered), screen, str(explained), cutoffs)
