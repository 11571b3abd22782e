"""Local search as pictures and as text: queens on their board, a salesman's tour, and the curves.

On the board, a square says how many pairs would attack each other if the queen of its column moved
there; the best moves are framed. In a tour, the roads that the proposal gives up are dashed, and
those that it takes instead are thick.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from threefold.textbook.curve import CURVE_HEIGHT, CURVE_WIDTH, curve
from threefold.textbook.local import (
    Annealing,
    Board,
    HillClimbing,
    Point,
    SimulatedAnnealing,
    Tour,
    conflicts,
    queen_moves,
    render_queens,
)
from threefold.textbook.shapes import Box, Circle, Drawing, Line, Shape, Text
from threefold.textbook.slides import Slides

#: The size of a board or a map, and of a square; a smaller square has no number in it.
_SIDE, _SQUARE, _NUMBERED = 400.0, 48.0, 22.0
_MARGIN, _HEAD, _FOOT = 30.0, 40.0, 34.0
#: Between it and the curves beside it.
_BETWEEN = 60.0
#: More lines between queens that attack each other would cover the board.
_MAX_LINES = 40


@dataclass(frozen=True)
class QueenScene:
    """A board on the way up."""

    step: int
    #: Which of the run's boards it is, from 0.
    climb: int
    board: Board
    over: bool


class QueenSlides(Slides[QueenScene]):
    """The steps of hill climbing on the n queens."""

    procedure = "hill-climbing"
    legend = (
        "A number: the attacking pairs after moving the column's queen there. Framed: the best "
        "moves. A line joins two queens that attack each other, and such queens have a ring."
    )

    def __init__(self, run: HillClimbing) -> None:
        self.run = run
        self.sentences = run.narrate()

    def scenes(self, steps: Iterable[int]) -> Iterator[QueenScene]:
        """The board at each of these steps; the last step only says how it ended."""
        last = len(self.run.steps)
        for step in steps:
            climb = min(step, last) - 1
            yield QueenScene(step, climb, self.run.steps[climb].board, step > last)

    def listed(self, _steps: Sequence[int]) -> dict[str, Any]:
        """No listing: what moves is the board, not a line of the procedure."""
        return {}

    def draw(self, scene: QueenScene) -> Drawing:
        """The board with the cost of every move, and the attacking pairs so far."""
        n, board = self.run.n, scene.board
        square = min(_SQUARE, _SIDE / n)
        side = n * square
        shapes: list[Shape] = [
            Text(_MARGIN, 20, self._title(scene), "fill-ink strong", 14, "start"),
            *_squares(n, square),
            *(_moves(board, square) if square >= _NUMBERED else ()),
            *_best_moves(board, square),
            *_attacks(board, square),
        ]
        attacked = {column for pair in _attacking(board) for column in pair}
        for column, row in enumerate(board):
            x, y = _middle(column, row, square)
            shapes.append(Circle(x, y, square * 0.33, "fill-ink line-ink"))
            if column in attacked:
                shapes.append(Circle(x, y, square * 0.42, "line-max"))
            if square >= 16:
                shapes.append(Text(x, y, "Q", "fill-paper strong", square * 0.36))
        counts = [float(climb.conflicts) for climb in self.run.steps]
        left = _MARGIN + side + _BETWEEN
        shapes += curve(left, "attacking pairs", counts, scene.climb, "line-min")
        width = left + CURVE_WIDTH + _MARGIN
        height = max(_HEAD + side + _FOOT, _HEAD + CURVE_HEIGHT + 60)
        about = f"{n} queens, rows from the left: {' '.join(str(row + 1) for row in board)}. "
        about += f"{conflicts(board)} attacking pairs."
        return Drawing(width, height, f"hill-climbing: step {scene.step}", about, shapes)

    def _title(self, scene: QueenScene) -> str:
        climb = self.run.steps[scene.climb]
        best = f"the best move leaves {climb.best_neighbor}"
        if scene.over:
            best = "solved" if self.run.solved else f"stuck: {best}"
        return f"Attacking pairs: {climb.conflicts}; {best}"

    def text(self, scene: QueenScene, width: int) -> str:
        """The board, and the best moves."""
        moves = queen_moves(scene.board)
        least = min(moves, default=(0, 0, 0))[0]
        best = [f"column {c + 1} to row {r + 1}" for pairs, c, r in moves if pairs == least]
        lines = [self._title(scene), "", *render_queens(scene.board).splitlines(), ""]
        lines.append(f"Best moves, to {least}: {', '.join(best) or 'none'}")
        return "\n".join(line[:width] for line in lines)


def _middle(column: int, row: int, square: float) -> Point:
    return _MARGIN + (column + 0.5) * square, _HEAD + (row + 0.5) * square


def _squares(n: int, square: float) -> Iterator[Shape]:
    yield Box(_MARGIN, _HEAD, n * square, n * square, "fill-paper line-line")
    for row in range(n):
        for column in range(n):
            if (row + column) % 2:
                x, y = _MARGIN + column * square, _HEAD + row * square
                yield Box(x, y, square, square, "fill-board")


def _moves(board: Board, square: float) -> Iterator[Shape]:
    for pairs, column, row in queen_moves(board):
        x, y = _middle(column, row, square)
        yield Text(x, y, str(pairs), "fill-ink", min(14.0, square * 0.4))


def _best_moves(board: Board, square: float) -> Iterator[Shape]:
    moves = queen_moves(board)
    least = min((pairs for pairs, _, _ in moves), default=0)
    if least >= conflicts(board):
        return  # no move makes it better
    for pairs, column, row in moves:
        if pairs == least:
            x, y = _MARGIN + column * square, _HEAD + row * square
            yield Box(x + 2, y + 2, square - 4, square - 4, "line-min", 4)


def _attacking(board: Board) -> list[tuple[int, int]]:
    """The columns of every pair of queens on one row or diagonal."""
    return [
        (i, j)
        for i, j in combinations(range(len(board)), 2)
        if board[i] == board[j] or abs(board[i] - board[j]) == j - i
    ]


def _attacks(board: Board, square: float) -> Iterator[Shape]:
    for i, j in _attacking(board)[:_MAX_LINES]:
        yield Line((_middle(i, board[i], square), _middle(j, board[j], square)), "line-max dashed")


@dataclass(frozen=True)
class TourScene:
    """A tour, and the proposal that is weighed at this step."""

    step: int
    #: The tour before the proposal; at the end, the best one found.
    tour: Tour
    proposal: Annealing | None
    #: How many proposals came before.
    index: int


class TourSlides(Slides[TourScene]):
    """The steps of simulated annealing on a salesman's tour."""

    procedure = "simulated-annealing"
    legend = (
        "Dashed: the roads that the proposal gives up. Thick: those that it takes instead. The "
        "curves show the length of the tour and the temperature; the mark is this step."
    )

    def __init__(self, run: SimulatedAnnealing) -> None:
        self.run = run
        self.sentences = run.narrate()
        lengths = [run.start_length]
        for step in run.steps:
            lengths.append(step.length if step.accepted else lengths[-1])
        self._lengths = lengths

    def scenes(self, steps: Iterable[int]) -> Iterator[TourScene]:
        """The tour at each of these steps: the start, a proposal for each, and the best tour."""
        tour, index = self.run.start, 0
        for step in steps:
            while index < min(step - 2, len(self.run.steps)):
                if self.run.steps[index].accepted:
                    tour = self.run.steps[index].proposal
                index += 1
            if step == self.steps:
                yield TourScene(step, self.run.tour, None, len(self.run.steps))
            else:
                yield TourScene(step, tour, self.run.steps[index] if step > 1 else None, index)

    def listed(self, _steps: Sequence[int]) -> dict[str, Any]:
        """No listing: what moves is the tour, not a line of the procedure."""
        return {}

    def draw(self, scene: TourScene) -> Drawing:
        """The map, and the curves of length and temperature."""
        places = _fitted(self.run.cities)
        now, later = _roads(scene.tour), set[tuple[int, int]]()
        if scene.proposal is not None:
            later = _roads(scene.proposal.proposal)
        shapes: list[Shape] = [
            Text(_MARGIN, 20, self._title(scene), "fill-ink strong", 14, "start")
        ]
        for one, other in sorted(now):
            gone = scene.proposal is not None and (one, other) not in later
            css = "line-line dashed" if gone else "line-ink"
            shapes.append(Line((places[one], places[other]), css))
        for one, other in sorted(later - now):
            shapes.append(Line((places[one], places[other]), "line-max bold"))
        for number, (x, y) in enumerate(places):
            shapes.append(Circle(x, y, 10, "fill-board line-ink thin"))
            shapes.append(Text(x, y, str(number), "fill-ink", 10))
        left = _MARGIN + _SIDE + _BETWEEN
        at = scene.step - 1 if scene.step < self.steps else len(self._lengths) - 1
        shapes += curve(left, "length of the tour", self._lengths, at, "line-min")
        heats = [step.temperature for step in self.run.steps]
        low = _HEAD + CURVE_HEIGHT + 80
        shapes += curve(
            left, "temperature", heats, min(scene.index, len(heats) - 1), "line-max", low
        )
        about = f"The tour {' '.join(map(str, scene.tour))}."
        height = _HEAD + _SIDE + _FOOT
        title = f"simulated-annealing: step {scene.step}"
        return Drawing(left + CURVE_WIDTH + _MARGIN, height, title, about, shapes)

    def _title(self, scene: TourScene) -> str:
        if scene.step == self.steps:
            return f"The best tour found: {self.run.length:.4g}"
        length = self._lengths[scene.index]
        if scene.proposal is None:
            return f"Tour {length:.4g}"
        said = "accepted" if scene.proposal.accepted else "rejected"
        return (
            f"Tour {length:.4g}, proposal {scene.proposal.length:.4g} at temperature "
            f"{scene.proposal.temperature:.3g}: {said}"
        )

    def text(self, scene: TourScene, width: int) -> str:
        """The tour, and what the proposal exchanges."""
        lines = [self._title(scene), f"Tour: {' '.join(map(str, scene.tour))}"]
        if scene.proposal is not None:
            now, later = _roads(scene.tour), _roads(scene.proposal.proposal)
            lines.append(f"Proposal: {' '.join(map(str, scene.proposal.proposal))}")
            for name, roads in (("Gives up", now - later), ("Takes", later - now)):
                shown = ", ".join(f"{one}-{other}" for one, other in sorted(roads))
                lines.append(f"{name}: {shown or 'nothing'}")
        return "\n".join(line[:width] for line in lines)


def _roads(tour: Tour) -> set[tuple[int, int]]:
    """The roads of a tour, each with its smaller city first."""
    pairs = zip(tour, (*tour[1:], tour[0]), strict=True)
    return {(min(pair), max(pair)) for pair in pairs}


def _fitted(cities: Sequence[Point]) -> list[Point]:
    """The cities on the sheet: as large as fits, the same scale both ways, north at the top."""
    xs, ys = zip(*cities, strict=True)
    span = max(max(xs) - min(xs), max(ys) - min(ys)) or 1.0
    room = _SIDE - 24
    return [
        (
            _MARGIN + 12 + (x - min(xs)) / span * room,
            _HEAD + 12 + (max(ys) - y) / span * room,
        )
        for x, y in cities
    ]
