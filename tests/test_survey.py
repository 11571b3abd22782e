"""Which results a game has, as random games show."""

from typing import Any, NamedTuple

import pytest

from threefold import Game, ThreefoldError
from threefold.learn.survey import survey


class Counter(NamedTuple):
    sum: int
    left: int
    turn: int


def test_games_of_the_greatest_length_are_seen_to_their_end() -> None:
    def actions(s: Counter, out: Any) -> int:
        out[0], out[1] = 0, 1
        return 2 if s.left else 0

    def result(s: Counter, a: int) -> Counter:
        return Counter(s.sum + a, s.left - 1, 1 - s.turn)

    game = Game(
        "Adding up",
        initial=lambda: Counter(0, 2, 0),
        actions=actions,
        result=result,
        utility=lambda s: 2 * s.sum,
        max_moves=2,
        max_ply=2,
    )
    found = survey(game)
    assert found.results == (-4, -2, 0, 2, 4)
    assert found.plies == 2
    assert survey(game, "margin").results == ()
    with pytest.raises(ThreefoldError, match="a utility of 4 is too large for a net of margins"):
        survey(game, "margin", 3)


def one_move(s: Counter, out: Any) -> int:
    out[0] = 0
    return s.left


def test_results_too_large_for_a_nets_file_are_won_drawn_and_lost() -> None:
    game = Game(
        "High stakes",
        initial=lambda: Counter(0, 1, 0),
        actions=one_move,
        result=lambda s, a: Counter(s.sum, 0, 1),
        utility=lambda s: 2000,
    )
    assert survey(game).results == (-1, 0, 1)
