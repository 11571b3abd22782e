"""Ready-made experiments: what the lectures describe, shown happening.

Each is computed on request by the procedures themselves. No answer is hard-coded.
"""

from collections.abc import Callable

from threefold.errors import ThreefoldError
from threefold.rules.text import did_you_mean, shorten
from threefold.textbook.experiments.branching import branching
from threefold.textbook.experiments.contours import contours
from threefold.textbook.experiments.cooling import cooling
from threefold.textbook.experiments.depth import budget, deeper
from threefold.textbook.experiments.experiment import Experiment
from threefold.textbook.experiments.formalisms import classification, merged
from threefold.textbook.experiments.fronts import fronts
from threefold.textbook.experiments.guarantees import coin, root_values
from threefold.textbook.experiments.heuristics import heuristics
from threefold.textbook.experiments.horizon import chess_horizon, chess_quiet, horizon, quiet
from threefold.textbook.experiments.plausible import plausible
from threefold.textbook.experiments.queens import queens
from threefold.textbook.experiments.strategy_fusion import strategy_fusion

__all__ = ["EXPERIMENTS", "Experiment", "experiment"]


EXPERIMENTS: dict[str, Callable[[], Experiment]] = {
    "horizon": horizon,
    "chess-horizon": chess_horizon,
    "quiet": quiet,
    "chess-quiet": chess_quiet,
    "deeper": deeper,
    "root-values": root_values,
    "coin": coin,
    "merged": merged,
    "budget": budget,
    "branching": branching,
    "plausible": plausible,
    "classification": classification,
    "fronts": fronts,
    "ida-star": contours,
    "heuristics": heuristics,
    "queens": queens,
    "annealing": cooling,
    "strategy-fusion": strategy_fusion,
}


def experiment(name: str) -> Experiment:
    """Run an experiment by its name."""
    if name not in EXPERIMENTS:
        hint = did_you_mean(name, EXPERIMENTS)
        raise ThreefoldError(f"there is no experiment {shorten(name)}: {hint}")
    return EXPERIMENTS[name]()
