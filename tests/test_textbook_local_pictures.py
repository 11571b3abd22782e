"""Local search drawn: boards with the cost of every move, tours with every proposal."""

import random
import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threefold.textbook.local import (
    conflicts,
    hill_climbing,
    queen_moves,
    random_cities,
    simulated_annealing,
)
from threefold.textbook.local_picture import QueenSlides, TourSlides
from threefold.textbook.shapes import Box, Circle, Line, Text
from threefold.textbook.slides import MAX_STEPS


@given(st.integers(1, 9), st.randoms(use_true_random=False))
def test_the_cost_of_every_move(n: int, draw: random.Random) -> None:
    """Counted again on the board after the move."""
    board = tuple(draw.randrange(n) for _ in range(n))
    moves = queen_moves(board)
    assert len(moves) == n * (n - 1)
    for pairs, column, row in moves:
        assert pairs == conflicts((*board[:column], row, *board[column + 1 :]))


def test_a_board_shows_costs_and_attacks() -> None:
    slides = QueenSlides(hill_climbing(8, 1))
    drawn = slides.draw(slides.at(2))
    texts = [shape.text for shape in drawn.shapes if isinstance(shape, Text)]
    assert texts[0] == "Attacking pairs: 5; the best move leaves 3"
    assert texts.count("Q") == 8
    lines = [shape for shape in drawn.shapes if isinstance(shape, Line)]
    assert sum("line-max dashed" in line.css for line in lines) == 5
    framed = [s for s in drawn.shapes if isinstance(s, Box) and s.css == "line-min"]
    board = slides.at(2).board
    assert len(framed) == sum(pairs == 3 for pairs, _, _ in queen_moves(board)) == 1


def test_a_stuck_board_frames_no_move() -> None:
    slides = QueenSlides(hill_climbing(8, 1))
    drawn = slides.draw(slides.at())
    assert not any(isinstance(s, Box) and s.css == "line-min" for s in drawn.shapes)
    assert "stuck" in slides.text(slides.at(), 80).splitlines()[0]
    solved = QueenSlides(hill_climbing(4, 0, start=(1, 3, 0, 0)))
    assert solved.text(solved.at(), 80).startswith("Attacking pairs: 0; solved")


@pytest.mark.parametrize("n", [1, 2, 8, 20, 60])
def test_boards_of_any_size_fit(n: int) -> None:
    slides = QueenSlides(hill_climbing(n, 2))
    for step in (1, slides.steps):
        drawn = slides.draw(slides.at(step))
        for shape in drawn.shapes:
            if isinstance(shape, Circle):
                assert shape.r <= shape.x <= drawn.width - shape.r
                assert shape.r <= shape.y <= drawn.height - shape.r
        ET.fromstring(slides.picture(step))
        assert slides.tikz(step).isascii()


def roads(tour: tuple[int, ...]) -> set[frozenset[int]]:
    return {frozenset(pair) for pair in zip(tour, (*tour[1:], tour[0]), strict=True)}


@given(st.integers(3, 9), st.integers(0, 5))
def test_a_tour_is_followed_through_its_proposals(n: int, seed: int) -> None:
    run = simulated_annealing(random_cities(n, seed), seed, steps=40)
    slides = TourSlides(run)
    assert slides.steps == 42
    tour = run.start
    for scene in slides.scenes(range(1, 43)):
        if scene.proposal is not None:
            assert scene.tour == tour
            assert scene.proposal is run.steps[scene.step - 2]
            gone = len(roads(tour) - roads(scene.proposal.proposal))
            drawn = slides.draw(scene)
            lines = [s for s in drawn.shapes if isinstance(s, Line)]
            assert sum(s.css == "line-line dashed" for s in lines) == gone
            assert sum(s.css == "line-max bold" for s in lines) == gone
            if scene.proposal.accepted:
                tour = scene.proposal.proposal
    assert next(slides.scenes([42])).tour == run.tour
    # Jumping to a step shows the same as walking there.
    assert slides.at(30) == list(slides.scenes(range(1, 31)))[-1]


def test_the_text_of_a_proposal() -> None:
    slides = TourSlides(simulated_annealing(random_cities(6, 0), 0))
    assert slides.text(slides.at(2), 80).splitlines() == [
        "Tour 301.7, proposal 309.9 at temperature 92.1: rejected",
        "Tour: 0 4 5 1 2 3",
        "Proposal: 0 4 5 2 1 3",
        "Gives up: 1-5, 2-3",
        "Takes: 1-3, 2-5",
    ]
    assert slides.text(slides.at(), 80).startswith("The best tour found: ")


def test_a_long_run_is_shown_in_part() -> None:
    data = TourSlides(simulated_annealing(random_cities(5, 0), 0)).stepper()
    assert len(data["frames"]) == len(data["sentences"]) == MAX_STEPS
    assert data["note"] == f"{1002 - MAX_STEPS} steps before the last one are left out."
    assert re.match(r"The best tour found has length [\d.]+\.$", data["sentences"][-1])


def test_cities_in_one_place() -> None:
    """A map needs no extent."""
    run = simulated_annealing([(1.0, 1.0)] * 3, 0, steps=2, temperature=1.0)
    ET.fromstring(TourSlides(run).picture())


def test_a_notebook_shows_a_run() -> None:
    for run in (hill_climbing(4, 0), simulated_annealing(random_cities(4, 0), 0, steps=3)):
        shown = run._repr_mimebundle_()
        assert shown["text/plain"] == str(run)
        assert shown["image/svg+xml"].startswith("<svg")
