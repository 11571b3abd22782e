"""Scores and ratings as chess programs show them."""

import random

from hypothesis import given
from hypothesis import strategies as st

from threefold import game
from threefold.engine.result import Line
from threefold.protocols.scores import chances, moves_to_mate
from threefold.protocols.strength import RATINGS, level_for


def test_every_rating_has_a_level() -> None:
    assert list(RATINGS) == sorted(set(RATINGS))
    for number, rating in enumerate(RATINGS, 1):
        assert level_for(rating, random.Random(1)).number == number
    between = (RATINGS[3] + RATINGS[4]) // 2
    rng = random.Random(1)
    assert {level_for(between, rng).number for _ in range(50)} == {4, 5}
    assert level_for(-1000, rng).number == 1
    assert level_for(9000, rng).number == len(RATINGS)


@given(st.integers(-20_000, 20_000), st.integers(-20_000, 20_000))
def test_chances_grow_with_the_lead(one: int, other: int) -> None:
    position = game("chess")
    less, more = sorted((one, other))
    of_less, of_more = (
        chances(position, position.initial(), Line(0, lead, None, False, ()))
        for lead in (less, more)
    )
    assert all(0 <= share <= 1000 for share in (*of_less, *of_more))
    assert of_less[0] <= of_more[0]
    assert of_less[2] >= of_more[2]
    back = chances(position, position.initial(), Line(0, -less, None, False, ()))
    assert back == of_less[::-1]


def test_a_mate_counts_full_moves() -> None:
    assert [moves_to_mate(plies) for plies in (1, 2, 3, 5)] == [1, 1, 2, 3]
    assert [moves_to_mate(-plies) for plies in (2, 4, 6)] == [-1, -2, -3]
