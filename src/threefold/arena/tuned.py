"""What a tuning has found: the tuned player, a table, a plot."""

from typing import Final

from threefold.arena.lines import PlayerLine
from threefold.arena.parameters import with_values
from threefold.arena.spsa import Spsa
from threefold.rules import svg
from threefold.rules.axes import Axes
from threefold.rules.svg import Svg

#: Points of a curve.
_POINTS: Final = 400


def line(player: PlayerLine, spsa: Spsa) -> str:
    """The line of a player with its parameters where they are now."""
    return str(with_values(player, spsa.parameters, spsa.values))


def to_json(game: str, player: PlayerLine, spsa: Spsa, games: int) -> dict[str, object]:
    """A run in JSON's own types."""
    values = spsa.values
    return {
        "game": game,
        "player": str(player),
        "tuned": line(player, spsa),
        "iterations": spsa.done,
        "games": games,
        "params": [
            {
                "name": each.name,
                "low": each.low,
                "high": each.high,
                "start": each.start,
                "step": each.step,
                "value": values[each.name],
            }
            for each in spsa.parameters
        ],
    }


def lines(spsa: Spsa, games: int) -> list[str]:
    """Where the parameters began, and where they are."""
    values = spsa.values
    width = max(len(each.name) for each in spsa.parameters)
    found = [f"{spsa.done:,} of {spsa.iterations:,} iterations, {games:,} games"]
    for each in spsa.parameters:
        start, value = each.text(each.start), each.text(values[each.name])
        ends = f"{each.text(each.low)}..{each.text(each.high)}"
        found.append(f"{each.name:{width}}  {start:>8} -> {value:<8}  in {ends}")
    return found


def plot(spsa: Spsa) -> Svg:
    """The parameters over the games, one below another."""
    width, height = 640.0, 220.0
    pairs = spsa.plan.pairs
    stride = max(1, len(spsa.path) // _POINTS)
    places = [*range(0, len(spsa.path) - 1, stride), len(spsa.path) - 1]
    pictures, told = [], []
    for number, each in enumerate(spsa.parameters):
        axes = Axes(
            each.name,
            ("games", (0.0, float(2 * pairs * spsa.iterations))),
            ("", (each.low, each.high)),
            size=(width, height),
        )
        axes.level(each.start, "start")
        axes.line((2.0 * pairs * place, spsa.path[place][number]) for place in places)
        end = each.text(each.playable(spsa.path[-1][number]))
        told.append(f"{each.name} from {each.text(each.start)} to {end}")
        inner = axes.svg(told[-1])
        pictures.append(f'<g transform="translate(0 {svg.number(height * number)})">{inner}</g>')
    return svg.picture(width, height * len(pictures), "Tuning", "; ".join(told), pictures)
