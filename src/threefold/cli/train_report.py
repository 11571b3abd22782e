"""What `threefold train` shows while it learns, and in the end."""

import argparse
import shlex
import shutil
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from threefold.cli.files import write_text
from threefold.cli.output import print_json
from threefold.engine.color import paint
from threefold.engine.progress import bar
from threefold.errors import ThreefoldError
from threefold.rules.terms import plain

if TYPE_CHECKING:
    from threefold.learn.strength import Score
    from threefold.learn.training import Report, Training

#: Who a net is measured against, the most telling first.
_OPPONENTS: Final = ("evaluation", "random", "previous")


def say(text: str, style: str = "busy") -> None:
    """A line on stderr, in place of the line of progress if there is one."""
    erase = "\r\x1b[2K" if sys.stderr.isatty() else ""
    sys.stderr.write(f"{erase}{paint(text, style, sys.stderr)}\n")
    sys.stderr.flush()


def watcher(args: argparse.Namespace, training: "Training") -> "Callable[[Report], None]":
    """What is done after every round."""

    def watch(report: "Report") -> None:
        if args.stream:
            print_json(report.to_json())
        if report.measured:
            if sys.stderr.isatty() and not args.stream:
                say(milestone(report), style="faint")
            try:
                draw(args, training, ended=False)
            except ThreefoldError as error:
                say(f"{error}; training goes on")

    return watch


def progress(training: "Training") -> str:
    """The line that is redrawn all the time."""
    report = training.report
    if report.loss is None:
        return "playing the first games…"
    pace = report.games / report.seconds if report.seconds else 0.0
    return _fitting(
        f"{bar(training.share, 10)} {training.share:.0%}",
        f"{report.games:,} games",
        f"{pace:,.0f}/s",
        f"loss {report.loss:.4f}",
        *(f"{score.points:+.2f} {name}" for name, score in _scored(report)),
        f"{report.positions:,} positions",
    )


def _fitting(*parts: str) -> str:
    """As many of the parts, the first ones, as fit on a line of the terminal."""
    line, *more = parts
    for part in more:
        longer = f"{line}  {part}"
        if len(longer) >= shutil.get_terminal_size().columns:
            break
        line = longer
    return line


def milestone(report: "Report") -> str:
    """A line that stays, whenever the strength was measured."""
    from threefold.learn.curves import score_text

    strength = report.strength or {}
    return _fitting(
        f"{report.seconds:5.0f} s",
        f"{report.games:>9,} games",
        f"{report.loss or 0:.4f}",
        *(f"{score_text(strength, name)} {name}" for name, _ in _scored(report)),
    )


def _scored(report: "Report") -> "list[tuple[str, Score]]":
    """What the net scored, the most telling first."""
    strength = report.strength or {}
    return sorted(strength.items(), key=lambda each: _OPPONENTS.index(each[0]))


def draw(args: argparse.Namespace, training: "Training", *, ended: bool) -> None:
    """Draw the curves, where they are asked for."""
    from threefold.learn import curves

    if not training.history:
        return
    title = f"{args.game} learned by {training.plan.method}"
    if args.svg:
        write_text(args.svg, curves.curves(title, training.history))
    if args.html:
        about = [
            ("command", training.command),
            ("net", f"{args.out}, {_shape(training)}"),
            ("games", f"{training.report.games:,}"),
            ("positions", f"{training.report.positions:,}"),
            ("seconds", f"{training.report.seconds:.0f}"),
        ]
        write_text(args.html, curves.page(title, about, training.history, ended=ended))


def _shape(training: "Training") -> str:
    net: Any = training.net
    if training.plan.terms:
        return f"{len(_weights(training))} weights of {training.plan.terms}"
    if training.plan.method == "alphazero":
        return str(net.shape)
    hidden = " and ".join(map(str, net.hidden))
    return f"{len(net.first):,} inputs, {hidden} hidden units"


def _weights(training: "Training") -> dict[str, int | float]:
    """The weights that were learned in place of a net."""
    from threefold.learn.linear import Weighting

    learned: object = training.net
    assert isinstance(learned, Weighting)
    return {name: plain(weight) for name, weight in learned.weights.items()}


def answer(args: argparse.Namespace, training: "Training") -> dict[str, Any]:
    """The answer as JSON has it."""
    from threefold.learn.provenance import device_name

    net: Any = training.net
    plan = training.plan
    found = {
        "game": args.game,
        "method": plan.method,
        "file": args.out,
        "checkpoint": str(training.checkpoint),
        **training.report.to_json(),
    }
    if plan.terms:
        return found | {"evaluation": plan.terms, "weights": _weights(training)}
    if plan.method == "alphazero":
        sizes = {"blocks": net.shape.blocks, "channels": net.shape.channels}
    else:
        sizes = {"hidden": list(net.hidden)}
    return found | {
        **sizes,
        "inputs": 64 * net.words,
        "results": list(net.results),
        "device": device_name(plan.device),
    }


def lines(args: argparse.Namespace, training: "Training") -> list[str]:
    """The answer in words."""
    from threefold.learn.curves import opponent_name, score_text

    report = training.report
    loss = "" if report.loss is None else f", loss {report.loss:.4f}"
    said = [
        f"{training.learner.game.name}: {report.games:,} games, {report.positions:,} positions, "
        f"{report.seconds:.1f} s{loss}"
    ]
    width = max((len(opponent_name(name)) for name in report.strength or ()), default=0)
    for name, score in (report.strength or {}).items():
        said.append(
            f"{opponent_name(name):{width}}  {score_text(report.strength or {}, name)} points a "
            f"game: {score.wins} won, {score.draws} drawn, {score.losses} lost"
            + (f"; {score.unfinished} cut off as too long, not counted" if score.unfinished else "")
        )
    said.append(f"saved {args.out}: {_shape(training)}")
    if training.plan.terms:
        said += [f"{name}={weight}" for name, weight in _weights(training).items()]
    words = shlex.join(["threefold", "play", args.game, "--eval", args.out])
    said.append(f"play against it: {words}")
    return said
