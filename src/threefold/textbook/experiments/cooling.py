"""Simulated annealing with several cooling schedules, against the exact shortest tour."""

import math
from collections.abc import Sequence
from statistics import fmean

from threefold.textbook.experiments.experiment import Experiment
from threefold.textbook.local import Point, random_cities, simulated_annealing

CITIES, SEED = 11, 4
RUNS, STEPS = 30, 1_000
#: The factor by which the temperature falls after each step, and how it is called.
SCHEDULES = {
    "hardly cooled": 0.9995,
    "slow": 0.995,
    "faster": 0.98,
    "fast": 0.9,
    "at once (hill climbing)": 1e-9,
}
#: Lengths are sums of square roots: equal up to rounding.
_SAME = 1e-9


def shortest_tour(cities: Sequence[Point]) -> float:
    """The length of the shortest tour (Held and Karp, 1962): every set of cities, and its last."""
    distance = [[math.dist(one, other) for other in cities] for one in cities]
    others = range(1, len(cities))
    best = {(1 << city, city): distance[0][city] for city in others}
    for _ in others[1:]:
        longer: dict[tuple[int, int], float] = {}
        for (visited, last), length in best.items():
            for city in others:
                if not visited >> city & 1:
                    key = visited | 1 << city, city
                    there = length + distance[last][city]
                    longer[key] = min(there, longer.get(key, math.inf))
        best = longer
    return min(length + distance[last][0] for (_, last), length in best.items())


def cooling() -> Experiment:
    """Simulated annealing with several cooling schedules on the same cities."""
    cities = random_cities(CITIES, SEED)
    best = shortest_tour(cities)
    rows = []
    for name, factor in SCHEDULES.items():
        found = [
            simulated_annealing(cities, seed, cooling=factor, steps=STEPS).length
            for seed in range(RUNS)
        ]
        rows.append(
            {
                "schedule": name,
                "cooling": factor,
                "mean": round(fmean(found), 2),
                "worst": round(max(found), 2),
                "optimal": sum(length <= best * (1 + _SAME) for length in found) / RUNS,
            }
        )
    lines = [
        f"{CITIES} cities; the shortest tour is {best:.2f} (every set of cities tried, by dynamic "
        "programming).",
        f"{RUNS} runs of {STEPS:,} steps for each schedule; the temperature is multiplied by a "
        "factor after every step:",
        "",
        "schedule                    factor   mean length   longest   shortest found",
        *(
            f"{row['schedule']:<26} {row['cooling']:>7g} {row['mean']:>13.2f} "
            f"{row['worst']:>9.2f} {row['optimal']:>16.0%}"
            for row in rows
        ),
        "",
        "Cooled too fast, it gets stuck like hill climbing. Hardly cooled at all, it wanders about",
        "and has no time left to settle. In between it mostly finds the best. No schedule is sure",
        "to: the promise holds only for infinitely slow cooling.",
    ]
    figures = {"shortest": round(best, 2), "runs": RUNS, "steps": STEPS, "rows": rows}
    return Experiment("annealing", "How fast to cool", lines, figures)
