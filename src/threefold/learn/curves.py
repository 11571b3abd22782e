"""The curves of a training run: its loss and its strength, as SVG and as a page."""

from collections.abc import Callable, Sequence
from html import escape
from typing import Final

from threefold.learn.strength import EVALUATION, PREVIOUS, RANDOM, Strength
from threefold.learn.training import Report
from threefold.rules import svg
from threefold.rules.axes import Axes, Point
from threefold.rules.html_page import html_page, html_table
from threefold.rules.svg import Svg

_WIDTH: Final = 640.0
_HEIGHT: Final = 300.0
#: The most points of a curve: more than a picture can show.
_POINTS: Final = 400
#: How an opponent's curve is drawn, told apart by more than color.
_LINES: Final = {
    EVALUATION: ("line-min", ""),
    RANDOM: ("line-max", "6 4"),
    PREVIOUS: ("line-line", "2 3"),
}
_NAMES: Final = {
    EVALUATION: "against the game's own evaluation",
    RANDOM: "against random play",
    PREVIOUS: "against the net before",
}
#: Seconds after which the page of a run that goes on loads itself again.
_REFRESH: Final = 10

Abscissa = Callable[[Report], float]


def opponent_name(opponent: str) -> str:
    """Who a score is against, in words."""
    return _NAMES[opponent]


def curves(title: str, history: Sequence[Report]) -> Svg:
    """The loss and the strength over the games."""
    plots = [_loss(history, *_BY_GAMES), _strength(history, *_BY_GAMES)]
    body = [
        f'<g transform="translate(0 {svg.number(_HEIGHT * i)})">{plot}</g>'
        for i, plot in enumerate(plots)
    ]
    told = f"{_told_loss(history)}; {_told_strength(history)}"
    return svg.picture(_WIDTH, _HEIGHT * len(plots), title, told, body)


def page(
    title: str, about: Sequence[tuple[str, str]], history: Sequence[Report], *, ended: bool
) -> str:
    """The curves over games and over time as one HTML file; it reloads until the run has ended."""
    plots = [
        draw(history, *axis) for draw in (_strength, _loss) for axis in (_BY_GAMES, _BY_SECONDS)
    ]
    refresh = [] if ended else [f'<meta http-equiv="refresh" content="{_REFRESH}">']
    measured = [each for each in history if each.measured and each.strength]
    parts = [
        *refresh,
        f"<h1>{escape(title)}</h1>",
        html_table([], list(about)),
        '<div class="plots">',
        *plots,
        "</div>",
        "<h2>Strength</h2>",
        html_table(
            ["Games", "Seconds", "Loss", *(_NAMES[name] for name in _LINES)],
            [_row(each) for each in measured],
            numbers=range(6),
        ),
    ]
    return html_page(title, parts)


def score_text(strength: Strength, opponent: str) -> str:
    """`+0.42 ± 0.05`, points a game."""
    score = strength[opponent]
    error = "" if score.error is None else f" ± {score.error:.2f}"
    return f"{score.points:+.2f}{error}"


def _row(report: Report) -> list[str]:
    strength = report.strength or {}
    return [
        f"{report.games:,}",
        f"{report.seconds:.0f}",
        "" if report.loss is None else f"{report.loss:.4f}",
        *(score_text(strength, name) if name in strength else "" for name in _LINES),
    ]


def _loss(history: Sequence[Report], label: str, x: Abscissa) -> Svg:
    points = [(x(each), each.loss) for each in history if each.loss is not None]
    shown = points[:: max(1, len(points) // _POINTS)]
    losses = [loss for _, loss in points] or [0.0]
    axes = Axes(
        "Loss",
        (label, (0.0, max((at for at, _ in points), default=1.0))),
        ("mean loss of a round", (min(losses), max(losses))),
        size=(_WIDTH, _HEIGHT),
    )
    axes.line([*shown, *points[-1:]])
    return axes.svg(_told_loss(history))


def _strength(history: Sequence[Report], label: str, x: Abscissa) -> Svg:
    measured = [each for each in history if each.measured and each.strength]
    scores = {
        name: [(x(each), each.strength[name]) for each in measured if name in (each.strength or {})]  # type: ignore[index]
        for name in _LINES
    }
    ends = [
        score.points + sign * (score.error or 0.0)
        for curve in scores.values()
        for _, score in curve
        for sign in (-1, 1)
    ]
    axes = Axes(
        "Strength",
        (label, (0.0, max((x(each) for each in history), default=1.0))),
        ("points a game, each looking one ply ahead", (min([0.0, *ends]), max([0.0, *ends]))),
        size=(_WIDTH, _HEIGHT),
    )
    for curve in scores.values():
        bounds: list[list[Point]] = [
            [(at, score.points + sign * (score.error or 0.0)) for at, score in curve]
            for sign in (-1, 1)
        ]
        axes.band(bounds[0], bounds[1])
    axes.level(0.0, "")
    for name, curve in scores.items():
        css, dash = _LINES[name]
        axes.line([(at, score.points) for at, score in curve], css, dash)
        if curve:
            axes.note((curve[-1][0], curve[-1][1].points), _NAMES[name])
    return axes.svg(_told_strength(history))


def _told_loss(history: Sequence[Report]) -> str:
    losses = [each.loss for each in history if each.loss is not None]
    if not losses:
        return "nothing learned yet"
    return f"the loss went from {losses[0]:.4f} to {losses[-1]:.4f} in {history[-1].games:,} games"


def _told_strength(history: Sequence[Report]) -> str:
    last = next((each.strength for each in reversed(history) if each.strength), None)
    if last is None:
        return "strength was not measured"
    scores = (f"{score_text(last, name)} {_NAMES[name]}" for name in _LINES if name in last)
    return f"points a game at the end: {', '.join(scores)}"


_BY_GAMES: Final[tuple[str, Abscissa]] = ("games", lambda report: float(report.games))
_BY_SECONDS: Final[tuple[str, Abscissa]] = ("seconds", lambda report: report.seconds)
