"""What learned evaluations see of our games: the same for both players, sides exchanged."""

import random
from collections.abc import Callable
from typing import Any

import chess
import pytest

from threefold import Game, game
from threefold.engine.nets import feature_words, features_digest
from threefold.rules.contract import MAX, MIN


def positions(of: Game[Any], games: int = 4) -> list[Any]:
    """The positions of some random games."""
    rng = random.Random(7)
    found = []
    for _ in range(games):
        s = of.initial()
        found.append(s)
        while moves := of.moves(s):
            s = of.result(s, rng.choice(moves))
            found.append(s)
    return found


def exchanged(text: str, one: str, other: str) -> str:
    return text.translate(str.maketrans(one + other, other + one))


def checkers_turned(text: str) -> str:
    """A position of checkers with the colors exchanged and the board turned round."""
    turn, *sides = text.split(":")[:3]
    numbers = {
        side[0]: [
            ("K" if square[0] == "K" else "") + str(33 - int(square.strip("K")))
            for square in side[1:].split(",")
            if square
        ]
        for side in sides
    }
    other = {"B": "W", "W": "B"}
    return f"{other[turn]}:" + ":".join(
        other[side] + ",".join(squares) for side, squares in numbers.items()
    )


def kalah_turned(text: str) -> str:
    boards, turn = text.split()
    return "/".join(reversed(boards.split("/"))) + " " + exchanged(turn, "S", "N")


TURNED: dict[str, Callable[[str], str]] = {
    "othello": lambda text: exchanged(text, "X", "O"),
    "othello(size=4)": lambda text: exchanged(text, "X", "O"),
    "kalah": kalah_turned,
    "kalah(pits=9,seeds=7)": kalah_turned,
    "checkers": checkers_turned,
    "chess": lambda text: chess.Board(text).mirror().fen(en_passant="fen"),
}


@pytest.mark.parametrize("spec", TURNED)
def test_a_player_sees_what_the_other_would_with_the_sides_exchanged(spec: str) -> None:
    ours = game(spec)
    for s in positions(ours):
        other = ours.parse(TURNED[spec](ours.format(s)))
        for p in (MAX, MIN):
            assert feature_words(ours, s, p) == feature_words(ours, other, 1 - p)


def test_stones_in_line_are_mine_or_theirs() -> None:
    ours = game("mnk(m=5,n=4,k=4)")
    for s in positions(ours):
        assert feature_words(ours, s, MAX) == [s.x, s.o]
        assert feature_words(ours, s, MIN) == [s.o, s.x]


def test_connect_four_shows_stones_and_the_squares_that_complete_a_line() -> None:
    ours = game("connect-four")
    s = ours.parse("112233")  # three in a row each, at the bottom and above them
    mine, theirs, wins, threats, second = feature_words(ours, s, MAX)
    assert mine == 1 | 1 << 7 | 1 << 14
    assert theirs == mine << 1
    assert wins == 1 << 21
    assert threats == 1 << 22
    assert second == 0
    assert feature_words(ours, s, MIN) == [theirs, mine, threats, wins, 1]


def test_a_thermometer_of_kalah_shows_how_many_seeds_each_place_has() -> None:
    ours = game("kalah")
    words = feature_words(ours, ours.parse("0,1,2,3,16,20,5/0,0,0,0,0,1,0 S"), MAX)
    assert [[(word >> 16 * i & 0xFFFF).bit_count() for i in range(4)] for word in words[:2]] == [
        [0, 1, 2, 3],
        [16, 16, 0, 0],
    ]
    assert words[2] == 0b11111
    assert words[3:] == [0, 1 << 16, 0]


@pytest.mark.parametrize("spec", ["dice-nim", "dice-nim(stones=1000,faces=100)", "nim"])
def test_positions_of_nim_look_different(spec: str) -> None:
    ours = game(spec)
    seen: dict[tuple[int, ...], set[Any]] = {}
    for s in positions(ours, 12):
        seen.setdefault(tuple(feature_words(ours, s, MAX)), set()).add(s[:-1])
    assert all(len(states) == 1 for states in seen.values())
    assert len(seen) > 8


def test_features_tell_games_of_other_sizes_apart() -> None:
    specs = ("othello", "othello(size=6)", "kalah", "kalah(seeds=3)", "nim", "dice-nim", "chess")
    assert len({features_digest(game(spec)) for spec in specs}) == len(specs)


def test_backgammon_shows_the_cube_to_its_owner() -> None:
    g = game("backgammon(cube=true)")
    board = "XGID=-b----E-C---eE---c-e----B-"
    seen = {
        name: [feature_words(g, g.parse(f"{board}:{stakes}"), p)[-1] for p in (MAX, MIN)]
        for name, stakes in {
            "middle": "0:0:1:31:0:0:0:0:10",
            "mine": "1:1:1:31:0:0:0:0:10",
            "theirs": "1:-1:1:31:0:0:0:0:10",
            "match": "0:0:1:31:3:1:0:5:10",
        }.items()
    }
    # What the owner sees of the cube is what the other player sees when it is theirs.
    assert seen["mine"] == seen["theirs"][::-1]
    assert seen["middle"][0] == seen["middle"][1]
    assert len({word for words in seen.values() for word in words}) == 5
