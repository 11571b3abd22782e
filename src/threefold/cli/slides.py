"""What the commands that explain share: pictures, pages and stepping."""

import argparse
import shutil
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from threefold.cli.files import write_text
from threefold.cli.output import busy, print_json, print_line
from threefold.errors import ThreefoldError
from threefold.textbook.slides import Slides

#: The options for what is drawn, as attributes of the parsed arguments.
DRAWN = {"step", "svg", "html", "tikz", "at"}


def show(
    args: argparse.Namespace,
    slides: Callable[[], Slides[Any]],
    as_json: Callable[[], dict[str, Any]],
    lines: Iterable[str],
    answer: str,
) -> None:
    """Write the pictures that are asked for; then print JSON, step by step, or all lines.

    The answer is what stepping ends with.
    """
    if any((args.svg, args.html, args.tikz)) or args.at is not None:
        with busy(args.procedure):
            _write_pictures(args, slides())
    if args.json:
        print_json(as_json())
    elif args.step:
        shown = slides()
        step_through(shown.steps, lambda step: _screen(shown, step), answer)
    else:
        for line in lines:
            print_line(line)


def _write_pictures(args: argparse.Namespace, slides: Slides[Any]) -> None:
    if args.at is not None and not 1 <= args.at <= slides.steps:
        raise ThreefoldError(f"step {args.at} is not between 1 and {slides.steps}")
    if args.svg is not None:
        write_text(args.svg, slides.picture(args.at))
    if args.html is not None:
        write_text(args.html, slides.page(slides.procedure))
    if args.tikz is not None:
        write_text(args.tikz, slides.tikz(args.at))


def _screen(slides: Slides[Any], step: int) -> str:
    text = slides.text(slides.at(step), shutil.get_terminal_size().columns)
    return f"{text}\n\n{step}/{slides.steps}  {slides.sentences[step - 1]}"


def step_through(
    count: int, screen: Callable[[int], str], answer: str, cutoffs: Sequence[int] = ()
) -> None:
    """Show one step at a time, forward and backward, and the answer after the last one.

    Steps are counted from 1. `cutoffs` are those that a key of their own goes to.
    """
    keys = ["Enter: next", "b: back", "a number: that step", "e: end", "q: quit"]
    if cutoffs:
        keys.insert(3, "c: next cutoff")
    at = 1
    while at <= count:
        print_line(screen(at))
        try:
            said = input(f"{', '.join(keys)} > ").strip().lower()
        except EOFError:
            said = "e"
        print_line()
        if said == "q":
            return
        if said == "b":
            at = max(at - 1, 1)
        elif said == "e":
            break
        elif said == "c" and cutoffs:
            at = next((step for step in cutoffs if step > at), count + 1)
        elif said.isdecimal() and said.isascii():
            at = min(max(int(said[:9]), 1), count)
        else:
            at += 1
    print_line(answer)
