"""Pictures of a match or a tournament, as SVG that reads well in light and in dark."""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

from threefold.arena.ratings import Ratings
from threefold.arena.record import ABANDONED, Task, points
from threefold.arena.sprt import Sprt
from threefold.arena.statistics import Scoreboard, Tally
from threefold.rules.axes import Axes
from threefold.rules.svg import Svg
from threefold.rules.text import printable

Result = tuple[Task, float, str]

#: Points of a curve over the games of a match.
_POINTS: Final = 240
#: Elo beyond this is not drawn: the first games of a match say next to nothing.
_LARGEST_ELO: Final = 800.0
_BARS: Final = 24
#: With more openings than this, each has too few games to say anything, and no room for a bar.
_OPENINGS: Final = 40
_NAME: Final = 28


def ratings_plot(names: Sequence[str], ratings: Ratings, *, chance: bool = False) -> Svg:
    """The ratings with their errors, best on top."""
    rated = [one for one in ratings.players if one.rating is not None]
    reach = [(one.rating or 0.0, one.error or 0.0) for one in rated]
    low = min((rating - error for rating, error in reach), default=0.0)
    high = max((rating + error for rating, error in reach), default=0.0)
    margin = 0.03 * (high - low)
    unit = "points a game" if chance else "Elo"
    axes = Axes(
        "Ratings",
        (f"{unit}, with 95% intervals", (low - margin, high + margin)),
        ("", (-0.5, len(rated) - 0.5)),
        size=(640.0, 120.0 + 26 * len(rated)),
        left=230.0,
    )
    for row, one in enumerate(reversed(rated)):
        rating, error = one.rating or 0.0, one.error or 0.0
        axes.name(row, printable(names[one.player], _NAME))
        axes.interval(rating, rating - error, rating + error, row)
    told = (f"{names[one.player]} {one.rating or 0:.1f} ± {one.error or 0:.1f}" for one in rated)
    return axes.svg("; ".join(told), y_ticks=False)


def elo_plot(results: Iterable[Result]) -> Svg:
    """How the Elo difference and its interval settled down, game by game."""
    curve = [
        (games, elo.value, elo.error)
        for games, tally in _path(results)
        if (elo := tally.elo).value is not None and elo.error is not None
    ]
    middle = [(float(games), value) for games, value, _ in curve]
    lower = [(float(games), value - error) for games, value, error in curve]
    upper = [(float(games), value + error) for games, value, error in curve]
    # The axis shows the last three quarters whole; what came before may be far outside.
    settled = len(curve) // 4
    low = max(-_LARGEST_ELO, min((y for _, y in lower[settled:]), default=-1.0))
    high = min(_LARGEST_ELO, max((y for _, y in upper[settled:]), default=1.0))
    last = curve[-1][0] if curve else 1
    axes = Axes(
        "Elo over the match",
        ("games", (0.0, float(last))),
        ("Elo of A over B, with its 95% interval", (min(low, 0.0), max(high, 0.0))),
    )
    axes.band(lower, upper)
    axes.level(0.0, "")
    axes.line(middle)
    told = f"{middle[-1][1]:+z.1f} after {last} games" if middle else "too few games"
    return axes.svg(told)


def llr_plot(results: Iterable[Result], sprt: Sprt) -> Svg:
    """The path of a test between its bounds."""
    walk = [(float(games), tally.llr(sprt)) for games, tally in _path(results)]
    low, high = sprt.bounds
    heights = [y for _, y in walk]
    axes = Axes(
        "Log-likelihood ratio",
        ("games", (0.0, walk[-1][0] if walk else 1.0)),
        ("LLR", (min([low, *heights]) - 0.3, max([high, *heights]) + 0.6)),
    )
    axes.level(high, "accepted", css="line-max")
    axes.level(low, "rejected", css="line-max")
    axes.level(0.0, "", dash="2 3")
    axes.line([(0.0, 0.0), *walk])
    last = f"{heights[-1]:+.2f}" if heights else "0"
    return axes.svg(f"{last} between {low:.2f} and {high:.2f}")


def openings_plot(results: Iterable[Result]) -> Svg:
    """What A scored from each opening; with many openings, how often each score came up."""
    gained: dict[int, list[float]] = defaultdict(list)
    for task, utility, ending in results:
        if ending != ABANDONED:
            mine = utility if task.players[0] == 0 else -utility
            gained[task.opening].append(points(mine))
    scores = {opening: sum(of) / len(of) for opening, of in sorted(gained.items())}
    if len(scores) > _OPENINGS:
        return _histogram(
            "Openings by A's score", "A's score from an opening, %", "openings",
            [100 * score for score in scores.values()], (0.0, 100.0),
        )  # fmt: skip
    axes = Axes(
        "Score by opening",
        ("opening, in the order in which they are played", (-0.5, max(len(scores) - 0.5, 0.5))),
        ("A's score, %", (0.0, 100.0)),
    )
    for place, score in enumerate(scores.values()):
        axes.bar(place - 0.4, place + 0.4, 100 * score)
    axes.level(50.0, "")
    told = ", ".join(f"opening {number + 1}: {100 * x:.0f}%" for number, x in scores.items())
    return axes.svg(told, x_ticks=False)


def lengths_plot(lengths: Sequence[int]) -> Svg:
    """How long games were, in plies."""
    return _histogram("Length of games", "plies", "games", lengths)


def times_plot(seconds: Sequence[float]) -> Svg:
    """How long players took for a move."""
    return _histogram("Time per move", "seconds", "moves", seconds)


def _histogram(
    title: str,
    label: str,
    counted: str,
    values: Sequence[float],
    within: tuple[float, float] | None = None,
) -> Svg:
    """How many values there are of each size, in a given range or that of the values."""
    low, high = within or (min(values, default=0.0), max(values, default=1.0))
    if all(isinstance(value, int) for value in values):
        width = float(max(1, math.ceil((high - low + 1) / _BARS)))  # whole numbers, all as wide
        last = int((high - low) / width)
    else:
        width = (high - low) / _BARS or 1.0
        last = _BARS - 1
    bars: dict[int, int] = defaultdict(int)
    for value in values:
        bars[min(int((value - low) / width), last)] += 1
    axes = Axes(
        title,
        (label, (low, low + width * (last + 1))),
        (counted, (0.0, float(max(bars.values(), default=1)))),
    )
    for place, count in bars.items():
        axes.bar(low + place * width, low + (place + 1) * width, float(count))
    told = f"{len(values)} {counted}"
    if values:
        told += f", {min(values):g} to {max(values):g}, average {sum(values) / len(values):.3g}"
    return axes.svg(told)


def _path(results: Iterable[Result]) -> list[tuple[int, Tally]]:
    """The tally after every pair, or in a long match after every few pairs."""
    ordered = [each for each in results if each[2] != ABANDONED]
    ordered.sort(key=lambda each: each[0].number)
    every = max(1, len(ordered) // 2 // _POINTS)
    board, path = Scoreboard(), []
    for count, (task, utility, _) in enumerate(ordered, 1):
        board.add(task, utility)
        if count % (2 * every) == 0 or count == len(ordered):
            path.append((count, board.tally))
    return path
