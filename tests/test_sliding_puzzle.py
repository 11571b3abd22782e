"""The sliding puzzle, and IDA* over compiled rules against searches that know no estimate."""

import random
from collections import deque
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shell import Shell

from threefold import ThreefoldError, conformance
from threefold.cli.explain_fifteen import is_fifteen
from threefold.errors import BadGame, BadPosition, BrokenRules, Unsolved
from threefold.games.sliding_puzzle import sliding_puzzle
from threefold.games.sliding_puzzle.notation import is_solvable
from threefold.games.sliding_puzzle.rules import FARTHEST, State, pack, unpack
from threefold.rules.game import Game
from threefold.solve.ida_star import (
    Search,
    compiled_contours,
    interpreted_contours,
    shortest_solution,
)
from threefold.textbook.experiments.heuristics import by_depth
from threefold.textbook.paths import a_star
from threefold.textbook.puzzle import GOAL, Puzzle

SMALL, LARGE = sliding_puzzle(3), sliding_puzzle(4)
#: A few of Korf's hundred: the number, the tiles with the gap first when solved, the fewest moves.
KORF = [
    (12, "14 1 9 6 4 8 12 5 7 2 3 0 10 11 13 15", 45),
    (42, "4 5 7 2 9 14 12 13 0 3 6 11 8 1 15 10", 42),
    (55, "13 8 14 3 9 1 0 7 15 5 4 10 12 2 6 11", 41),
    (79, "0 1 9 7 11 13 5 3 14 12 4 2 8 6 10 15", 42),
]
HARDER = [
    (1, "14 13 15 7 11 12 9 5 6 0 2 1 4 8 10 3", 57),
    (2, "13 5 4 10 9 12 8 14 2 3 7 1 0 15 11 6", 55),
    (4, "5 12 10 7 15 11 14 0 8 2 1 13 3 4 9 6", 56),
    (9, "3 14 9 11 5 4 8 2 13 12 6 7 10 1 15 0", 46),
]


def gap_last(tiles: str) -> str:
    """The same puzzle turned around and renumbered, with the gap last when solved."""
    return " ".join(str(-int(tile) % 16) for tile in reversed(tiles.split()))


def check_solution(game: Game[State], s: State, moves: list[int]) -> None:
    for a in moves:
        assert a in game.moves(s)
        s = game.result(s, a)
    assert game.is_terminal(s)
    size = 3 if game is SMALL else 4
    assert unpack(s, size) == [*range(1, size * size), 0]


def test_every_position_of_the_small_puzzle_keeps_its_length() -> None:
    """Against a breadth-first search of all 181,440."""
    layers = by_depth()
    draw = random.Random(1)
    for depth, layer in enumerate(layers):
        for text in draw.sample(layer, min(2, len(layer))):
            found = shortest_solution(SMALL, text)
            assert found.length == depth
            check_solution(SMALL, SMALL.parse(text), found.moves)
            assert found.bounds[-1] == depth
            assert all(bound % 2 == depth % 2 for bound in found.bounds), "parity never changes"


def test_short_scrambles_of_the_large_puzzle() -> None:
    """Against a breadth-first search that starts at home and knows no estimate."""
    home = pack([*range(1, 16), 0], 4)
    depth, waiting = {home.tiles: 0}, deque([unpack(home, 4)])
    scrambled: dict[int, list[list[int]]] = {}
    while waiting:
        tiles = waiting.popleft()
        moves = depth[pack(tiles, 4).tiles]
        scrambled.setdefault(moves, []).append(tiles)
        if moves == 11:
            continue
        gap = tiles.index(0)
        for step in (-4, 4, -1, 1):
            place = gap + step
            if 0 <= place < 16 and (step in (-4, 4) or place // 4 == gap // 4):
                after = tiles.copy()
                after[gap], after[place] = after[place], 0
                if pack(after, 4).tiles not in depth:
                    depth[pack(after, 4).tiles] = moves + 1
                    waiting.append(after)
    draw = random.Random(2)
    for moves, found in scrambled.items():
        for tiles in draw.sample(found, min(8, len(found))):
            s = pack(tiles, 4)
            solution = shortest_solution(LARGE, s)
            assert solution.length == moves
            check_solution(LARGE, s, solution.moves)


@pytest.mark.parametrize(("number", "tiles", "moves"), KORF)
def test_korfs_easy_instances(number: int, tiles: str, moves: int) -> None:
    found = shortest_solution(LARGE, gap_last(tiles))
    assert found.length == moves, number
    check_solution(LARGE, LARGE.parse(gap_last(tiles)), found.moves)


@pytest.mark.slow
@pytest.mark.parametrize(("number", "tiles", "moves"), HARDER)
def test_korfs_harder_instances(number: int, tiles: str, moves: int) -> None:
    assert shortest_solution(LARGE, gap_last(tiles)).length == moves, number


@pytest.mark.parametrize("text", ["724506831", "123456078", "013425786"])
def test_compiled_interpreted_and_the_textbook_agree(text: str) -> None:
    compiled = shortest_solution(SMALL, text)
    plain = shortest_solution(SMALL, text, contours=interpreted_contours)
    assert (compiled.moves, compiled.expanded, compiled.bounds) == (
        plain.moves,
        plain.expanded,
        plain.bounds,
    )
    assert compiled.length == a_star(Puzzle(), text, GOAL).cost


@pytest.mark.parametrize("game", [SMALL, LARGE], ids=["8", "15"])
def test_the_rules_run_the_same_both_ways(game: Game[State]) -> None:
    compiled, draw, s = game.compiled(), random.Random(3), game.initial()
    size = 3 if game is SMALL else 4
    for _ in range(300):
        moves = game.moves(s)
        assert compiled.moves(s) == moves
        assert s.distance == pack(unpack(s, size), size).distance, "as if counted from nothing"
        assert compiled.evaluate(s) == game.evaluate(s) == -s.distance
        assert game.parse(game.format(s)) == s
        a = draw.choice(moves)
        after = game.result(s, a)
        assert compiled.result(s, a) == after
        assert s.gap not in game.moves(after), "no tile goes straight back"
        s = after


def test_conformance_finds_only_that_nobody_else_moves() -> None:
    for game in (SMALL, LARGE):
        defects = [line for line in str(conformance(game)).splitlines() if ": " in line]
        assert "MIN never moved" in defects[0]
        assert "1 defect in" in str(conformance(game))


@settings(max_examples=300)
@given(st.permutations(range(9)))
def test_half_of_all_positions_can_be_solved(tiles: list[int]) -> None:
    inversions = sum(
        one > other > 0 for i, one in enumerate(tiles) for other in tiles[i + 1 :] if one
    )
    assert is_solvable(tiles, 3) == (inversions % 2 == 0)


def test_solved_is_an_answer_too() -> None:
    found = shortest_solution(SMALL, GOAL)
    assert (found.length, found.moves) == (0, [])
    assert max(FARTHEST) == 4
    assert SMALL.render(SMALL.parse(GOAL)).splitlines()[-1] == " 7  8  ."


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("1 2 3", "is not a position: write each number from 0"),
        ("1 2 3 4 5 6 7 8 9 10 11 12 13 15 14 0", "cannot be solved"),
        ("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 15", "is not a position"),
        ("1 2 3 4 5 6 7 8 9 10 11 12 13 14 0 15 / 3", "'3' after / is not a tile beside the gap"),
    ],
)
def test_bad_positions(text: str, word: str) -> None:
    with pytest.raises(BadPosition, match=word):
        LARGE.parse(text)


def test_limits_and_bad_parameters() -> None:
    with pytest.raises(BadGame, match="size=5 must be 3"):
        sliding_puzzle(5)
    with pytest.raises(ThreefoldError, match="is not a number of seconds above 0"):
        shortest_solution(SMALL, time_limit=0)
    # Far beyond a fraction of a second.
    distant = "0 12 9 13 15 11 10 14 3 7 2 5 4 8 6 1"
    with pytest.raises(Unsolved, match=r"within 0\.2 s: it takes at least"):
        shortest_solution(LARGE, distant, time_limit=0.2)


def test_a_puzzle_without_a_way_out() -> None:
    closed = Game(
        "Closed",
        initial=lambda: State(1, 0, 0, 1),
        actions=lambda s, out: 0,
        result=lambda s, a: s,
        utility=lambda s: 0,
        player=lambda s: 0,
        is_terminal=lambda s: s.distance == 0,
        evaluate=lambda s: -s.distance,
        max_ply=5,
    )
    with pytest.raises(Unsolved, match="no solution can be reached"):
        shortest_solution(closed, contours=interpreted_contours)


def test_a_puzzle_longer_than_it_says() -> None:
    def actions(s: State, out: list[int]) -> int:
        out[0] = 0
        return 1

    endless = Game(
        "Endless",
        initial=lambda: State(1, 0, 0, 1),
        actions=actions,
        result=lambda s, a: State(s.tiles, a, 0, s.distance + 1),
        utility=lambda s: 0,
        player=lambda s: 0,
        is_terminal=lambda s: s.distance == 0,
        evaluate=lambda s: -s.distance,
        max_ply=5,
    )
    with pytest.raises(BrokenRules, match="past max_ply=5"):
        shortest_solution(endless, contours=interpreted_contours)


def walk(estimate: Callable[[State], int], max_ply: int = 5) -> Game[State]:
    """Step by step, three times."""

    def initial() -> State:
        return State(1, 0, 0, 3)

    def actions(s: State, out: list[int]) -> int:
        out[0] = 0
        return 1

    def result(s: State, a: int) -> State:
        return State(s.tiles, s.gap, a, s.distance - 1)

    def is_terminal(s: State) -> bool:
        return s.distance == 0

    return Game(
        "Walk",
        initial=initial,
        actions=actions,
        result=result,
        utility=lambda s: 0,
        player=lambda s: 0,
        is_terminal=is_terminal,
        evaluate=lambda s: -estimate(s),
        max_ply=max_ply,
    )


@pytest.mark.parametrize("contours", [compiled_contours, interpreted_contours])
def test_estimates_that_fit_no_row(contours: Callable[..., Search]) -> None:
    """They would write past the rows of a search."""
    with pytest.raises(BrokenRules, match="takes 6 moves or more, past max_ply=5"):
        shortest_solution(walk(lambda s: 6), contours=contours)
    with pytest.raises(BrokenRules, match="evaluate is 1 at the start; it must be the estimate"):
        shortest_solution(walk(lambda s: -1), contours=contours)
    later = walk(lambda s: 0 if s.distance == 3 else -100, max_ply=1)
    with pytest.raises(BrokenRules, match="takes 2 moves or more, past max_ply=1"):
        shortest_solution(later, contours=contours)


def test_the_command(shell: Shell) -> None:
    text = "1 2 3 4 5 6 7 8 9 10 11 12 13 0 14 15"
    assert is_fifteen(text)
    assert not is_fifteen("123456708")
    command = ("explain", "ida-star", "--puzzle", text)
    answer = shell.json(*command)
    assert (answer["cost"], answer["moves"], answer["bounds"]) == (2, [14, 15], [2])
    assert answer["path"][0] == text
    assert len(answer["path"]) == 3
    assert shell(*command) == 0
    assert "Contour 1, up to 2 moves: solved in 2, the fewest." in shell.out
    assert "--svg does not go with a 15-puzzle" in shell.refused(*command, "--svg", "x.svg")
    refused = shell.refused("explain", "a-star", "--puzzle", text)
    assert "too many for 15 tiles; use ida-star" in refused
