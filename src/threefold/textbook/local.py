"""Local search: hill climbing on the n queens, simulated annealing on a salesman's tour.

Both keep one candidate and look only at its neighbors, so they need memory for one candidate only.
Neither is sure to find the best. Hill climbing stops where no neighbor is better; annealing only
makes it unlikely to get stuck there. (Cooled slowly enough, it finds the best with a probability
that tends to 1, but slowly enough is slower than trying everything.)
"""

import math
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from threefold.errors import ThreefoldError

#: The row of each column's queen, columns from left to right, rows from the top, both from 0.
Board: TypeAlias = tuple[int, ...]
#: A city's coordinates.
Point: TypeAlias = tuple[float, float]
#: The cities' numbers in the order of the tour, starting at 0 and returning to it.
Tour: TypeAlias = tuple[int, ...]

MAX_QUEENS = 60
MAX_CITIES = 100
MAX_STEPS = 100_000
#: Beyond this, lengths would lose the digits that tell two tours apart.
MAX_COORDINATE = 1e9


@dataclass(frozen=True)
class Climb:
    """One board on the way up: its attacking pairs, and those of its best neighbor."""

    board: Board
    conflicts: int
    best_neighbor: int


@dataclass(frozen=True, repr=False)
class HillClimbing:
    """A run of hill climbing from its first board to the one where it stopped."""

    n: int
    seed: int
    steps: list[Climb]

    @property
    def solved(self) -> bool:
        """Whether no queens attack each other at the end; if some do, it got stuck."""
        return self.steps[-1].conflicts == 0

    def __str__(self) -> str:
        return "\n".join((*self.narrate(), render_queens(self.steps[-1].board)))

    def __repr__(self) -> str:
        return str(self)

    def _repr_mimebundle_(self, **asked: Any) -> dict[str, Any]:
        """In a notebook: the run to step through, or its last picture."""
        from threefold.textbook.local_picture import QueenSlides

        return QueenSlides(self).mime_bundle(str(self), **asked)

    def to_json(self) -> dict[str, Any]:
        """The run as JSON types."""
        return {
            "procedure": "hill-climbing",
            "n": self.n,
            "seed": self.seed,
            "outcome": "solution" if self.solved else "local optimum",
            "board": list(self.steps[-1].board),
            "conflicts": self.steps[-1].conflicts,
            "steps": [
                {"board": list(step.board), "conflicts": step.conflicts} for step in self.steps
            ],
        }

    def narrate(self) -> list[str]:
        """One plain sentence per step."""
        sentences = [f"Start with {_pairs(self.steps[0].conflicts)}."]
        for before, after in zip(self.steps, self.steps[1:], strict=False):
            (column,) = [c for c in range(self.n) if before.board[c] != after.board[c]]
            sentences.append(
                f"The queen in column {column + 1} moves to row {after.board[column] + 1}: "
                f"{_pairs(after.conflicts)}."
            )
        if self.solved:
            sentences.append("No queen attacks another: solved.")
        elif self.steps[-1].best_neighbor > self.steps[-1].conflicts:
            sentences.append("Every move makes it worse: stuck at a local optimum.")
        else:
            sentences.append("No move makes it better: stuck at a local optimum.")
        return sentences


def hill_climbing(n: int, seed: int, start: Sequence[int] | None = None) -> HillClimbing:
    """Steepest ascent on the n queens: always the move that leaves the fewest attacking pairs.

    Each column has one queen; a move puts it elsewhere in its column. Ties go to the leftmost
    column, then to the highest row. The first board is drawn at random from `seed`, or given as
    `start`. `hill_climbing(4, 0, start=(0, 2, 3, 1))` is stuck immediately: one pair attacks, and
    every move leaves at least one.
    """
    if not 1 <= n <= MAX_QUEENS:
        raise ThreefoldError(f"{n} queens: use 1 to {MAX_QUEENS}")
    draw = random.Random(seed)
    board = tuple(draw.randrange(n) for _ in range(n)) if start is None else tuple(start)
    if len(board) != n or not all(0 <= row < n for row in board):
        raise ThreefoldError(
            f"the board {list(board)} does not have {n} queens: give the row of each, 0 to {n - 1}"
        )
    steps: list[Climb] = []
    while True:
        current = conflicts(board)
        best, neighbor = _best_neighbor(board, current)
        steps.append(Climb(board, current, best))
        if best >= current:
            return HillClimbing(n, seed, steps)
        board = neighbor


def conflicts(board: Sequence[int]) -> int:
    """The pairs of queens on one row or diagonal, even with another queen between them."""
    lines = Counter(line for column, row in enumerate(board) for line in _lines(column, row))
    return sum(count * (count - 1) // 2 for count in lines.values())


def _lines(column: int, row: int) -> list[tuple[str, int]]:
    return [("row", row), ("falling", row - column), ("rising", row + column)]


def queen_moves(board: Board) -> list[tuple[int, int, int]]:
    """Every move: the attacking pairs after it, the queen's column, and its new row."""
    current = conflicts(board)
    lines = Counter(line for column, row in enumerate(board) for line in _lines(column, row))
    choices = []
    for column, row in enumerate(board):
        freed = sum(lines[line] - 1 for line in _lines(column, row))
        for other in range(len(board)):
            if other != row:
                # The queen is not on these lines: they cross its column only at the new square.
                met = sum(lines[line] for line in _lines(column, other))
                choices.append((current - freed + met, column, other))
    return choices


def _best_neighbor(board: Board, current: int) -> tuple[int, Board]:
    """The fewest conflicts after one move, and the board after it."""
    moves = queen_moves(board)
    if not moves:
        return current, board
    best, column, row = min(moves)
    return best, (*board[:column], row, *board[column + 1 :])


def render_queens(board: Sequence[int]) -> str:
    """A board as text: Q for a queen."""
    return "\n".join(
        " ".join("Q" if row == queen else "." for queen in board) for row in range(len(board))
    )


def _pairs(count: int) -> str:
    return f"{count} attacking pair{'' if count == 1 else 's'}"


@dataclass(frozen=True)
class Annealing:
    """One proposal: its tour and length, at which temperature, and whether it was accepted."""

    proposal: Tour
    length: float
    change: float
    temperature: float
    accepted: bool


@dataclass(frozen=True, repr=False)
class SimulatedAnnealing:
    """A run of simulated annealing, with the best tour found."""

    cities: list[Point]
    seed: int
    start: Tour
    start_length: float
    steps: list[Annealing]
    tour: Tour
    length: float

    def __str__(self) -> str:
        accepted = sum(step.accepted for step in self.steps)
        return (
            f"a tour of length {self.length:.4g} after {len(self.steps):,} proposals, "
            f"{accepted:,} of them accepted: {' '.join(map(str, self.tour))}"
        )

    def __repr__(self) -> str:
        return str(self)

    def _repr_mimebundle_(self, **asked: Any) -> dict[str, Any]:
        """In a notebook: the run to step through, or its last picture."""
        from threefold.textbook.local_picture import TourSlides

        return TourSlides(self).mime_bundle(str(self), **asked)

    def to_json(self) -> dict[str, Any]:
        """The run as JSON types."""
        return {
            "procedure": "simulated-annealing",
            "seed": self.seed,
            "cities": [list(city) for city in self.cities],
            "start": {"tour": list(self.start), "length": self.start_length},
            "tour": list(self.tour),
            "length": self.length,
            "steps": [
                {
                    "tour": list(step.proposal),
                    "length": step.length,
                    "temperature": step.temperature,
                    "accepted": step.accepted,
                }
                for step in self.steps
            ],
        }

    def narrate(self) -> list[str]:
        """One plain sentence per step."""
        sentences = [f"Start with a tour of length {self.start_length:.4g}."]
        for step in self.steps:
            change = f"{step.change:.3g} longer"
            if step.change <= 0:
                change = f"{-step.change:.3g} shorter" if step.change else "the same"
            sentences.append(
                f"At temperature {step.temperature:.3g}, a tour of {step.length:.4g} ({change}): "
                f"{'accepted' if step.accepted else 'rejected'}."
            )
        return [*sentences, f"The best tour found has length {self.length:.4g}."]


def simulated_annealing(
    cities: Sequence[Point],
    seed: int,
    *,
    temperature: float | None = None,
    cooling: float = 0.99,
    steps: int = 1000,
) -> SimulatedAnnealing:
    """A random neighbor is accepted if it is better, and with probability e^(−change/T) if not.

    A neighbor is the tour with one segment reversed (2-opt), which exchanges two roads. The
    temperature T starts at the longest distance between two cities and is multiplied by `cooling`
    after each step.
    """
    _check_cities(cities)
    _check_schedule(temperature, cooling, steps)
    distance = [[math.dist(one, other) for other in cities] for one in cities]
    heat = max(map(max, distance)) if temperature is None else temperature
    draw = random.Random(seed)
    # City 0 stays first: a tour is a cycle, so its starting point does not matter.
    current: Tour = (0, *draw.sample(range(1, len(cities)), len(cities) - 1))
    length = _length(current, distance)
    start, start_length = current, length
    best, best_length = current, length
    record: list[Annealing] = []
    for _ in range(steps):
        i, j = sorted(draw.sample(range(1, len(cities)), 2))
        proposal = current[:i] + current[i : j + 1][::-1] + current[j + 1 :]
        proposed = _length(proposal, distance)
        change = proposed - length
        # T may have fallen to exactly 0: then nothing worse is accepted.
        accepted = change <= 0 or (heat > 0 and draw.random() < math.exp(-change / heat))
        record.append(Annealing(proposal, proposed, change, heat, accepted))
        if accepted:
            current, length = proposal, proposed
        if length < best_length:
            best, best_length = current, length
        heat *= cooling
    return SimulatedAnnealing(list(cities), seed, start, start_length, record, best, best_length)


def tour_length(cities: Sequence[Point], tour: Sequence[int]) -> float:
    """The length of a tour, including the way back."""
    return math.fsum(
        math.dist(cities[one], cities[other])
        for one, other in zip(tour, [*tour[1:], tour[0]], strict=True)
    )


def _length(tour: Tour, distance: list[list[float]]) -> float:
    # fsum is exact, so a tour and its reverse are equally long.
    return math.fsum(
        distance[one][other] for one, other in zip(tour, (*tour[1:], tour[0]), strict=True)
    )


def random_cities(n: int, seed: int) -> list[Point]:
    """Cities on whole coordinates from 0 to 100."""
    if not 3 <= n <= MAX_CITIES:
        raise ThreefoldError(f"{n} cities: use 3 to {MAX_CITIES}")
    draw = random.Random(seed)
    return [(float(draw.randint(0, 100)), float(draw.randint(0, 100))) for _ in range(n)]


def parse_cities(text: str) -> list[Point]:
    """Cities from text, one line `x y` each; blank lines and # comments are skipped."""
    cities = []
    for number, line in enumerate(text.splitlines(), 1):
        fields = line.split("#", 1)[0].split()
        if not fields:
            continue
        try:
            x, y = map(float, fields)
        except ValueError:
            shown = " ".join(fields)[:40]
            raise ThreefoldError(
                f"cities, line {number}: {shown!r} is not a city; write two numbers, like 3 4.5"
            ) from None
        cities.append((x, y))
    _check_cities(cities)
    return cities


def _check_cities(cities: Sequence[Point]) -> None:
    if not 3 <= len(cities) <= MAX_CITIES:
        raise ThreefoldError(f"{len(cities)} cities: a tour needs 3 to {MAX_CITIES}")
    for number, city in enumerate(cities):
        # "not … <=" also rejects NaN.
        if not all(abs(part) <= MAX_COORDINATE for part in city):
            raise ThreefoldError(
                f"city {number} is at {city[0]}, {city[1]}; coordinates must be finite and at most "
                f"{MAX_COORDINATE:.0e}"
            )


def _check_schedule(temperature: float | None, cooling: float, steps: int) -> None:
    if temperature is not None and not 0 < temperature < math.inf:
        raise ThreefoldError(f"the temperature {temperature} must be finite and greater than 0")
    if not 0 < cooling < 1:
        raise ThreefoldError(f"the cooling factor {cooling} must be between 0 and 1, such as 0.99")
    if not 1 <= steps <= MAX_STEPS:
        raise ThreefoldError(f"{steps} steps: use 1 to {MAX_STEPS:,}")
