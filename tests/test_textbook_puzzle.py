"""The 8-puzzle: known solutions, parity, and every error."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threefold import ThreefoldError
from threefold.textbook.graph import Problem
from threefold.textbook.paths import a_star, bidirectional, greedy, ida_star, uniform_cost
from threefold.textbook.puzzle import GOAL, Puzzle

SOLUTIONS = [
    (GOAL, GOAL, 0),
    ("123456708", GOAL, 1),
    ("123406758", GOAL, 2),
    ("013425786", GOAL, 4),
    ("724506831", GOAL, 20),
    ("724506831", "012345678", 26),  # the example of Russell and Norvig
]
HARDEST = ["867254301", "647850321"]


@pytest.mark.parametrize(("start", "goal", "moves"), SOLUTIONS)
def test_known_puzzles(start: str, goal: str, moves: int) -> None:
    puzzle = Puzzle(goal)
    for search in (uniform_cost, a_star, ida_star, bidirectional):
        result = search(puzzle, start, goal)
        assert (result.cost, len(result.path)) == (moves, moves + 1)
    assert puzzle.estimate(start) <= moves
    assert greedy(puzzle, start, goal).path[-1] == goal


@pytest.mark.parametrize("start", HARDEST)
def test_the_two_hardest_puzzles_take_31_moves(start: str) -> None:
    for search in (a_star, ida_star, bidirectional):
        result = search(Puzzle(), start, GOAL)
        assert result.cost == 31


def test_a_puzzles_moves() -> None:
    puzzle: Problem = Puzzle()
    assert puzzle.successors("123456780") == [("123450786", 1), ("123456708", 1)]
    assert puzzle.predecessors("123456780") == puzzle.successors("123456780")
    assert len(puzzle.successors("123405678")) == 4
    assert puzzle.estimate("123456708") == 1
    assert puzzle.estimate(GOAL) == 0


@given(st.permutations(GOAL))
def test_half_of_all_positions_can_be_solved(tiles: list[str]) -> None:
    """Swapping two tiles turns one kind into the other."""
    start = "".join(tiles)
    swapped = start.translate(str.maketrans("12", "21"))
    solvable = []
    for text in (start, swapped):
        try:
            Puzzle().check(text, GOAL)
            solvable.append(text)
        except ThreefoldError as error:
            assert "cannot be solved" in str(error)
    assert len(solvable) == 1
    for neighbour, _ in Puzzle().successors(solvable[0]):
        Puzzle().check(neighbour, GOAL)


@pytest.mark.parametrize("text", ["", "12345678", "1234567800", "123456789", "12345678x", "1" * 99])
def test_bad_puzzles(text: str) -> None:
    with pytest.raises(
        ThreefoldError, match="is not a position: write each digit from 0"
    ) as caught:
        a_star(Puzzle(), text, GOAL)
    assert len(str(caught.value)) < 200
    with pytest.raises(ThreefoldError, match="is not a position"):
        Puzzle(text)


def test_unsolvable_puzzles_and_wrong_goals() -> None:
    with pytest.raises(ThreefoldError, match="the puzzle 123456870 cannot be solved: no moves"):
        ida_star(Puzzle(), "123456870", GOAL)
    with pytest.raises(ThreefoldError, match="this puzzle's goal is 123456780, not '012345678'"):
        greedy(Puzzle(), GOAL, "012345678")
