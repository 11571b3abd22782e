"""What the commands for path search and for local search share: pictures, pages and stepping."""

import argparse
import shutil
from collections.abc import Callable, Iterable
from typing import Any

from threefold.cli.files import write_text
from threefold.cli.output import busy, print_json, print_line
from threefold.errors import ThreefoldError
from threefold.textbook.slides import Slides

#: The options for what is drawn, as attributes of the parsed arguments.
DRAWN = {"step", "svg", "html", "tikz", "at"}
_STEP_HELP = "Enter: next, b: back, a number: that step, e: end, q: quit > "


def show(
    args: argparse.Namespace,
    slides: Callable[[], Slides[Any]],
    answer: Callable[[], dict[str, Any]],
    sentences: Iterable[str],
) -> None:
    """Write the pictures that are asked for; then print the answer, the steps, or the sentences."""
    if any((args.svg, args.html, args.tikz)) or args.at is not None:
        with busy(args.procedure):
            _write_pictures(args, slides())
    if args.json:
        print_json(answer())
    elif args.step:
        _step_through(slides())
    else:
        for sentence in sentences:
            print_line(sentence)


def _write_pictures(args: argparse.Namespace, slides: Slides[Any]) -> None:
    if args.at is not None and not 1 <= args.at <= slides.steps:
        raise ThreefoldError(f"step {args.at} is not between 1 and {slides.steps}")
    if args.svg is not None:
        write_text(args.svg, slides.picture(args.at))
    if args.html is not None:
        write_text(args.html, slides.page(slides.procedure))
    if args.tikz is not None:
        write_text(args.tikz, slides.tikz(args.at))


def _step_through(slides: Slides[Any]) -> None:
    """Show one step at a time, forward and backward."""
    at = 1
    while at <= slides.steps:
        print_line(slides.text(slides.at(at), shutil.get_terminal_size().columns))
        print_line(f"\n{at}/{slides.steps}  {slides.sentences[at - 1]}")
        try:
            said = input(_STEP_HELP).strip().lower()
        except EOFError:
            said = "q"
        print_line()
        if said == "q":
            return
        if said == "b":
            at = max(at - 1, 1)
        elif said == "e":
            at = slides.steps if at < slides.steps else slides.steps + 1
        elif said.isdecimal() and said.isascii():
            at = min(max(int(said[:9]), 1), slides.steps)
        else:
            at += 1
