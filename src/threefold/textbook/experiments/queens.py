"""Hill climbing on the n queens, written down in two ways."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean

from threefold.textbook.experiments.experiment import Experiment
from threefold.textbook.local import Board, conflicts, hill_climbing

RUNS = 500
SIZES = (4, 6, 8)


@dataclass(frozen=True)
class Outcome:
    """How one run ended, and after how many moves."""

    solved: bool
    moves: int


def by_columns(n: int, seed: int) -> Outcome:
    """A queen in every column; a move puts one elsewhere in its column: n·(n − 1) moves."""
    run = hill_climbing(n, seed)
    return Outcome(run.solved, len(run.steps) - 1)


def by_swaps(n: int, seed: int) -> Outcome:
    """A queen in every column and every row; a move swaps two rows: n·(n − 1)/2 moves."""
    board: Board = tuple(random.Random(seed).sample(range(n), n))
    current, moves = conflicts(board), 0
    while True:
        best, neighbor = min((conflicts(other), other) for other in _swaps(board))
        if best >= current:
            return Outcome(current == 0, moves)
        board, current, moves = neighbor, best, moves + 1


def _swaps(board: Board) -> list[Board]:
    found = []
    for one, other in combinations(range(len(board)), 2):
        rows = list(board)
        rows[one], rows[other] = rows[other], rows[one]
        found.append(tuple(rows))
    return found


FORMULATIONS: dict[str, Callable[[int, int], Outcome]] = {
    "one queen per column": by_columns,
    "a permutation, swaps": by_swaps,
}


def queens() -> Experiment:
    """Hill climbing on the n queens in two formulations: how often it gets stuck."""
    rows = []
    for n in SIZES:
        for name, climb in FORMULATIONS.items():
            runs = [climb(n, seed) for seed in range(RUNS)]
            solved = [run.moves for run in runs if run.solved]
            stuck = [run.moves for run in runs if not run.solved]
            rows.append(
                {
                    "n": n,
                    "formulation": name,
                    "runs": RUNS,
                    "stuck": len(stuck) / RUNS,
                    "moves_solved": round(fmean(solved), 2) if solved else None,
                    "moves_stuck": round(fmean(stuck), 2) if stuck else None,
                }
            )
    lines = [
        f"Steepest-ascent hill climbing from {RUNS} random boards each:",
        "",
        " n   formulation            stuck   moves if solved   moves if stuck",
        *(
            f"{row['n']:>2}   {row['formulation']:<20} {row['stuck']:>7.1%} "
            f"{_shown(row['moves_solved']):>17} {_shown(row['moves_stuck']):>16}"
            for row in rows
        ),
        "",
        "It stops after a few moves, mostly at a local optimum. Swaps keep one queen per row and",
        "per column, so only diagonals are left to repair, and fewer runs get stuck. Another run",
        "costs little: starting again from other boards until one succeeds is the usual cure.",
    ]
    return Experiment("queens", "Stuck on the hill", lines, {"rows": rows})


def _shown(mean: object) -> str:
    return "–" if mean is None else f"{mean:.1f}"
