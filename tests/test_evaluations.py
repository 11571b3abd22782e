"""Evaluations: the same for both sides and however the board lies, bounded, and plain where it is.

That they are the same interpreted and compiled, `conformance` checks.
"""

import random
from collections.abc import Callable
from inspect import getclosurevars
from typing import Any

import pytest

from threefold import Game, game
from threefold.games import mnk
from threefold.games.connect_four.rules import State
from threefold.rules.bits import popcount

OTHELLO = ["othello", "othello(size=6)", "othello(size=4)"]
CONNECT_FOUR = [
    "connect-four",
    "connect-four(columns=9,rows=5,k=5)",
    "connect-four(columns=4,rows=7,k=3)",
]
MNK = [
    "tic-tac-toe",
    "mnk(m=5,n=5,k=4)",
    "mnk(m=7,n=7,k=5)",
    "mnk(m=1,n=5,k=5)",
    "mnk(m=4,n=1,k=1)",
]

DEFAULTS = {
    "othello": "strategy",
    "connect-four": "threats",
    "tic-tac-toe": "lines",
    "mnk": "lines",
    "chess": "positional",
}


def positions(g: Game[Any], games: int = 20, seed: int = 5) -> list[Any]:
    """The unfinished positions of some random games."""
    rng = random.Random(seed)
    found = []
    for _ in range(games):
        s = g.initial()
        while moves := g.moves(s):
            found.append(s)
            s = g.result(s, rng.choice(moves))
    return found


def values(g: Game[Any], s: Any) -> dict[str, int]:
    return {name: evaluate(s) for name, evaluate in g.evaluations.items()}


@pytest.mark.parametrize("spec", DEFAULTS)
def test_the_first_evaluation_is_the_default(spec: str) -> None:
    g = game(spec)
    assert next(iter(g.evaluations)) == DEFAULTS[spec]
    assert g.evaluate is g.evaluations[DEFAULTS[spec]]


@pytest.mark.parametrize("spec", [*OTHELLO, *CONNECT_FOUR, *MNK])
def test_a_finished_game_outweighs_every_evaluation(spec: str) -> None:
    """The textbook counts a utility of 1 as 1000."""
    g = game(spec)
    for s in positions(g):
        assert all(abs(value) < 1000 for value in values(g, s).values())


@pytest.mark.parametrize("spec", OTHELLO + MNK)
def test_the_other_color_has_the_opposite_value(spec: str) -> None:
    g = game(spec)
    for s in positions(g):
        first, second, turn = s
        swapped = g.state_type(second, first, 1 - turn)
        assert values(g, swapped) == {name: -value for name, value in values(g, s).items()}


def rotated(rows: list[str]) -> list[str]:
    return ["".join(column) for column in zip(*rows[::-1], strict=True)]


def mirrored(rows: list[str]) -> list[str]:
    return [row[::-1] for row in rows]


def othello_rows(g: Game[Any], change: Callable[[list[str]], list[str]], s: Any) -> Any:
    board, side = g.format(s).split()
    size = int(len(board) ** 0.5)
    rows = [board[i : i + size] for i in range(0, len(board), size)]
    return g.parse(f"{''.join(change(rows))} {side}")


def mnk_rows(g: Game[Any], change: Callable[[list[str]], list[str]], s: Any) -> Any:
    board, side = g.format(s).split()
    return g.parse(f"{'/'.join(change(board.split('/')))} {side}")


@pytest.mark.parametrize("change", [rotated, mirrored])
@pytest.mark.parametrize("spec", [*OTHELLO, "tic-tac-toe", "mnk(m=5,n=5,k=4)"])
def test_it_does_not_matter_how_the_board_lies(
    spec: str, change: Callable[[list[str]], list[str]]
) -> None:
    g = game(spec)
    turn_board = othello_rows if "othello" in spec else mnk_rows
    for s in positions(g, 10):
        assert values(g, turn_board(g, change, s)) == values(g, s)


@pytest.mark.parametrize("spec", CONNECT_FOUR)
def test_left_and_right_are_the_same_in_connect_four(spec: str) -> None:
    g = game(spec)
    names = g.render(g.initial()).splitlines()[-1].split()
    for s in positions(g):
        other = "".join(names[-1 - names.index(name)] for name in g.format(s))
        assert values(g, g.parse(other)) == values(g, s)


# Othello.


@pytest.mark.parametrize("spec", OTHELLO)
def test_othello_starts_even(spec: str) -> None:
    g = game(spec)
    assert values(g, g.initial())["mobility"] == values(g, g.initial())["discs"] == 0
    assert g.evaluate(g.initial()) in (0, -1), "the last move is white's, which counts for little"


def board(*rows: str, side: str = "X") -> str:
    """An Othello position by the rows that are not empty, from the top."""
    return "".join(row.ljust(8, "-") for row in rows).ljust(64, "-") + f" {side}"


MIDDLE = ("", "", "---XO", "---OX")


def othello_value(*rows: str) -> int:
    g = game("othello")
    return g.evaluate(g.parse(board(*rows)))


def test_a_corner_is_worth_many_discs() -> None:
    assert othello_value("X", *MIDDLE) - othello_value(*MIDDLE) > 100
    assert othello_value("O", *MIDDLE) - othello_value(*MIDDLE) < -100


def test_an_x_square_gives_the_corner_away_while_that_is_empty() -> None:
    assert othello_value("", "-X", *MIDDLE[1:]) < -100
    assert othello_value("X", "-X", *MIDDLE[1:]) > othello_value("X", *MIDDLE) - 50


def test_discs_along_an_edge_are_stable_from_the_corner_on() -> None:
    anchored = othello_value("XXXX", *MIDDLE)
    loose = othello_value("X-XXX", *MIDDLE)
    assert anchored > loose


@pytest.mark.parametrize("spec", OTHELLO)
def test_stable_discs_are_never_flipped(spec: str) -> None:
    g = game(spec)
    stable = getclosurevars(g.terms["strategy"]["stable"].feature).nonlocals["stable"]
    rng = random.Random(3)
    most = 0
    for _ in range(30):
        s, black, white = g.initial(), 0, 0
        while moves := g.moves(s):
            black, white = black | stable(s.black), white | stable(s.white)
            most = max(most, popcount(black | white))
            assert black & ~s.black == white & ~s.white == 0
            s = g.result(s, rng.choice(moves))
        assert black & ~s.black == white & ~s.white == 0
    assert most >= 8


# Connect Four.


@pytest.mark.parametrize(
    ("moves", "value"),
    [
        ("121212", 900),  # the first player has three on top of each other, and the move
        ("1212127", -900),  # he let it pass, and the second has three too
        ("33445", 800),  # three at the bottom with both ends free: one reply is not enough
        ("", 0),
    ],
)
def test_immediate_wins_in_connect_four(moves: str, value: int) -> None:
    g = game("connect-four")
    assert g.evaluate(g.parse(moves)) == value


def columns_of(*stones: str) -> Any:
    """A Connect Four position, the columns' stones from the bottom, first player to move."""
    first = second = 0
    for column, letters in enumerate(stones):
        for row, letter in enumerate(letters):
            square = 1 << 7 * column + row
            first, second = first | square * (letter == "X"), second | square * (letter == "O")
    return State(first, second, 0)


def test_odd_threats_are_the_first_players() -> None:
    evaluate = game("connect-four").evaluate
    on_row_three = columns_of("OXX", "XOX", "OXX")
    on_row_two = columns_of("XX", "OX", "XX")
    assert evaluate(on_row_three) > evaluate(on_row_two) + 50


def test_even_threats_are_the_second_players() -> None:
    evaluate = game("connect-four").evaluate
    on_row_two = columns_of("OO", "XO", "OO")
    on_row_three = columns_of("XOO", "OXO", "XOO")
    assert evaluate(on_row_two) < evaluate(on_row_three) - 30


# The m,n,k game.


@pytest.mark.parametrize(
    ("position", "value"),
    [
        ("XX./OO./... X", 900),
        ("XX./OO./X.. O", -900),
        ("X.X/.O./X.O O", 800),  # two wins at once
        ("X../.../... O", 3),  # three open lines with one stone each
        (".../.X./... O", 4),
        ("X../.O./... X", -1),  # two lines left for X, three for O
    ],
)
def test_threats_in_tic_tac_toe(position: str, value: int) -> None:
    g = game("tic-tac-toe")
    assert g.evaluations["threats"](g.parse(position)) == value


def test_more_stones_in_a_line_are_worth_more_than_their_number() -> None:
    g = mnk.mnk(7, 7, 5)
    threats = g.evaluations["threats"]
    rows = ["......."] * 7
    apart = g.parse("/".join(["X.....X", *rows[1:5], ".O...O.", "......."]) + " X")
    together = g.parse("/".join(["XX.....", *rows[1:5], ".O...O.", "......."]) + " X")
    assert threats(together) > threats(apart)
