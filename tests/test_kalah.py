"""Kalah: seed by seed, against OpenSpiel, solved twice, and in words and pictures."""

import random
from collections.abc import Callable
from functools import cache
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threefold import Game, ThreefoldError, game
from threefold.games.kalah.rules import unpacked

Sides = tuple[list[int], list[int]]


def sow_by_hand(
    sides: Sides, side: int, pit: int, *, empty_capture: bool, rest: str
) -> tuple[Sides, int]:
    """The oracle: seed by seed, as on a real board; each side's store is its last number."""
    board = (list(sides[0]), list(sides[1]))
    store = len(board[0]) - 1
    hand, board[side][pit] = board[side][pit], 0
    where, place = side, pit
    while hand > 0:
        place += 1
        if place > store or (place == store and where != side):
            where, place = 1 - where, 0
        board[where][place] += 1
        hand -= 1
    again = where == side and place == store
    if where == side and not again and board[side][place] == 1:
        facing = store - 1 - place
        if board[1 - side][facing] > 0 or empty_capture:
            board[side][store] += 1 + board[1 - side][facing]
            board[side][place] = board[1 - side][facing] = 0
    if sum(board[0][:store]) == 0 or sum(board[1][:store]) == 0:
        for i in (0, 1):
            board[i if rest == "owner" else side][store] += sum(board[i][:store])
            board[i][:store] = [0] * store
    return board, side if again else 1 - side


def spec_of(pits: int, seeds: int, empty_capture: bool, rest: str = "owner") -> str:
    captures = str(empty_capture).lower()
    return f"kalah(pits={pits},seeds={seeds},empty_capture={captures},rest={rest})"


def check_by_hand(g: Game[Any], s: Any, pits: int, rng: random.Random, **variant: Any) -> int:
    """Play on from a position at random, comparing every move; how many were made."""
    plies = 0
    while True:
        sides = unpacked(s, pits)
        moves = g.moves(s)
        assert moves == [a for a in range(pits) if sides[s.turn][a] > 0]
        assert g.is_terminal(s) == (moves == [])
        low, high = g.bounds(s)
        assert low <= sides[0][pits] - sides[1][pits] <= high
        if not moves:
            assert low == high == g.utility(s) == sides[0][pits] - sides[1][pits]
            return plies
        a = rng.choice(moves)
        expected, turn = sow_by_hand(sides, s.turn, a, **variant)
        s = g.result(s, a)
        assert unpacked(s, pits) == expected
        assert s.turn == turn
        plies += 1


@pytest.mark.parametrize("rest", ["owner", "mover"])
@pytest.mark.parametrize("empty_capture", [False, True])
@pytest.mark.parametrize("pits", range(1, 10))
def test_every_board_and_variant_plays_as_by_hand(
    pits: int, empty_capture: bool, rest: str
) -> None:
    rng = random.Random(pits)
    variant = {"empty_capture": empty_capture, "rest": rest}
    for seeds in range(1, 11):
        g = game(spec_of(pits, seeds, empty_capture, rest))
        for _ in range(2):
            check_by_hand(g, g.initial(), pits, rng, **variant)


@pytest.mark.parametrize("pits", [1, 2, 6, 7, 9])
def test_heaps_of_many_laps_play_as_by_hand(pits: int) -> None:
    """Up to 255 seeds in one pit: whole laps, and every length of what is left of them."""
    rng = random.Random(pits)
    for empty_capture, rest in product([False, True], ["owner", "mover"]):
        g = game(spec_of(pits, 4, empty_capture, rest))
        for _ in range(60):
            board = [[0] * (pits + 1), [0] * (pits + 1)]
            board[0][rng.randrange(pits)] = board[1][rng.randrange(pits)] = 1
            heap = rng.choice([1, 5, 13, 19, 26, 100, 253])
            board[rng.randrange(2)][rng.randrange(pits)] += rng.randrange(heap)
            text = "/".join(",".join(map(str, side)) for side in board)
            s = g.parse(f"{text} {rng.choice('SN')}")
            check_by_hand(g, s, pits, rng, empty_capture=empty_capture, rest=rest)


@pytest.mark.parametrize(
    ("spec", "before", "move", "after"),
    [
        # Six pits: the lap has thirteen places, so that thirteen seeds end where they began …
        ("kalah", "13,0,0,0,0,0,0/1,1,1,1,1,1,0 S", "1", "0,1,1,1,1,1,4/2,2,2,2,2,0,0 N"),
        # … and fourteen go one further, over the pit they came from, and never into North's store.
        ("kalah", "0,0,14,0,0,0,0/1,1,1,1,1,1,5 S", "3", "1,1,1,2,1,1,1/2,2,2,2,2,2,5 N"),
        # The last seed in the own store: once more.
        ("kalah", "0,0,0,3,1,0,0/1,1,1,1,1,1,0 S", "4", "0,0,0,0,2,1,1/1,1,1,1,1,1,0 S"),
        # In the other side's empty pit nothing is captured.
        ("kalah", "1,0,0,0,0,2,0/0,1,1,1,1,1,0 S", "6", "1,0,0,0,0,0,1/1,1,1,1,1,1,0 N"),
        # Captured with the last seed, unless nothing lies opposite; then only if so agreed.
        ("kalah", "1,0,0,0,0,1,0/2,0,0,0,7,0,0 S", "1", "0,0,0,0,0,1,8/2,0,0,0,0,0,0 N"),
        ("kalah", "1,0,0,0,0,1,0/0,0,0,7,0,0,0 S", "1", "0,1,0,0,0,1,0/0,0,0,7,0,0,0 N"),
        (
            "kalah(empty_capture=true)",
            "1,0,0,0,0,1,0/0,0,0,7,0,0,0 S",
            "1",
            "0,0,0,0,0,1,1/0,0,0,7,0,0,0 N",
        ),
        # The last move empties South's pits: what is left is North's, or the mover's.
        ("kalah", "0,0,0,0,0,1,20/3,0,0,0,0,4,9 S", "6", "0,0,0,0,0,0,21/0,0,0,0,0,0,16 S"),
        (
            "kalah(rest=mover)",
            "0,0,0,0,0,1,20/3,0,0,0,0,4,9 S",
            "6",
            "0,0,0,0,0,0,28/0,0,0,0,0,0,9 S",
        ),
    ],
)
def test_moves_that_books_explain(spec: str, before: str, move: str, after: str) -> None:
    g = game(spec)
    s = g.parse(before)
    assert g.format(g.result(s, g.parse_move(s, move))) == after


@pytest.mark.parametrize("pits", [1, 2, 3, 6, 9])
def test_every_move_brings_the_end_nearer(pits: int) -> None:
    """The basis of `max_ply`: every move lowers the sum of the seeds' weighted distances."""

    def weight(sides: Sides) -> int:
        return sum(
            seeds * (pits - i + pits * (pits - 1))
            for side in sides
            for i, seeds in enumerate(side[:pits])
        )

    rng = random.Random(pits)
    for _ in range(300):
        sides = ([rng.choice([0, 1, 3]) for _ in range(pits + 1)], [1] * (pits + 1))
        pit = rng.randrange(pits)
        sides[0][pit] = rng.randrange(1, 200)
        after, _ = sow_by_hand(sides, 0, pit, empty_capture=False, rest="owner")
        assert weight(after) < weight(sides)


# Somebody else's rules.


def ring(s: Any) -> list[int]:
    """All places from North's store on, as OpenSpiel shows them."""
    south, north = unpacked(s, 6)
    return [north[6], *south, *north[:6]]


def test_open_spiel_agrees_on_random_games() -> None:
    """The same board, moves and player after every move, and the same winner."""
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not to be had here")
    g, peer = game("kalah"), pyspiel.load_game("mancala")
    rng = random.Random(11)
    for _ in range(100):
        s, t = g.initial(), peer.new_initial_state()
        while not t.is_terminal():
            assert ring(s) == [int(n) for n in t.observation_tensor(0)[:14]]
            assert g.player(s) == t.current_player()
            first = 1 if g.player(s) == 0 else 8
            assert [first + a for a in g.moves(s)] == t.legal_actions()
            a = rng.choice(g.moves(s))
            s = g.result(s, a)
            t.apply_action(first + a)
        assert not g.moves(s)
        u = g.utility(s)
        assert t.returns()[0] == (u > 0) - (u < 0)


# From OpenSpiel's mancala, every leaf made, up to depth 9; deeper by these rules alone.
COUNTS = [6, 35, 185, 942, 4690, 23233, 114430, 563055, 2763490, 13519607]


def test_counts() -> None:
    g = game("kalah")
    assert [g.perft(depth=d) for d in range(1, len(COUNTS) + 1)] == COUNTS
    assert [g.perft(depth=d, way="interpreted") for d in range(1, 6)] == COUNTS[:5]


def test_open_spiel_counts_the_same() -> None:
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not to be had here")

    def count(t: Any, depth: int) -> int:
        if t.is_terminal():
            return 0
        moves = t.legal_actions()
        return len(moves) if depth == 1 else sum(count(t.child(a), depth - 1) for a in moves)

    start = pyspiel.load_game("mancala").new_initial_state()
    assert [count(start, depth) for depth in range(1, 7)] == COUNTS[:6]


@pytest.mark.slow
def test_perft_12() -> None:
    assert game("kalah").perft(depth=12) == 318739550


# Both ways to run the rules.


@pytest.mark.parametrize("pits", [6, 9])
def test_compiled_plays_many_laps_as_interpreted(pits: int) -> None:
    g = game(f"kalah(pits={pits})")
    compiled = g.compiled()
    for heap in (1, 12, 13, 14, 18, 19, 20, 26, 38, 200, 200 + pits):
        for pit in range(pits):
            places = [str(heap if i == pit else i % 2) for i in range(pits)]
            s = g.parse(f"{','.join(places)},0/{','.join(['1'] * pits)},7 S")
            assert compiled.result(s, pit) == g.result(s, pit)


def test_no_two_positions_share_a_key() -> None:
    for spec in ("kalah(pits=3,seeds=3)", "kalah(pits=8,seeds=2)"):
        g = game(spec)
        rng = random.Random(2)
        seen: dict[int, Any] = {}
        for _ in range(200):
            s = g.initial()
            while moves := g.moves(s):
                assert seen.setdefault(g.key(s), s) == s
                assert g.key(s._replace(turn=1 - s.turn)) != g.key(s)
                s = g.result(s, rng.choice(moves))


# Evaluations.


def swapped(g: Game[Any], s: Any) -> Any:
    """The same position with the sides exchanged."""
    board, mover = g.format(s).split()
    south, north = board.split("/")
    return g.parse(f"{north}/{south} {'N' if mover == 'S' else 'S'}")


@pytest.mark.parametrize("spec", ["kalah", "kalah(pits=9,seeds=3,empty_capture=true)"])
def test_the_other_side_has_the_opposite_value(spec: str) -> None:
    g = game(spec)
    rng = random.Random(4)
    for _ in range(20):
        s = g.initial()
        while moves := g.moves(s):
            t = swapped(g, s)
            for evaluate in g.evaluations.values():
                assert evaluate(t) == -evaluate(s)
                assert abs(evaluate(s)) < 1000
            assert g.bounds(t) == tuple(-bound for bound in reversed(g.bounds(s)))
            assert [g.order(t, a) for a in moves] == [g.order(s, a) for a in moves]
            assert g.noisy_moves(t) == g.noisy_moves(s)
            s = g.result(s, rng.choice(moves))


@pytest.mark.parametrize(
    ("worse", "better"),
    [
        ("0,0,0,0,3,0,9/0,0,0,0,0,3,9 S", "0,0,0,0,3,0,9/0,0,0,0,0,3,8 S"),  # more is banked
        ("0,0,0,0,3,0,9/0,0,0,0,0,3,9 S", "0,0,0,3,0,0,9/0,0,0,0,0,3,9 S"),  # to move again
        ("0,2,0,0,0,0,9/0,0,0,4,0,0,9 S", "2,0,0,0,0,0,9/0,0,0,4,0,0,9 S"),  # to capture
        ("0,0,0,0,3,0,9/0,0,0,0,0,3,9 S", "0,1,1,1,0,0,9/0,0,0,0,0,3,9 S"),  # a choice
        ("0,0,0,0,3,0,9/0,0,0,0,0,3,9 S", "0,0,0,0,4,0,9/0,0,0,0,0,2,9 S"),  # seeds on one's side
    ],
)
def test_prospects(worse: str, better: str) -> None:
    g = game("kalah")
    assert g.evaluate(g.parse(worse)) < g.evaluate(g.parse(better))
    assert list(g.evaluations) == ["prospects", "stores"]


def test_stores_are_counted() -> None:
    g = game("kalah")
    assert g.using("stores").evaluate(g.parse("1,0,0,0,0,0,9/0,2,0,0,0,0,4 N")) == 5


def test_noisy_moves_are_captures_and_moves_that_move_again() -> None:
    g = game("kalah(empty_capture=true)")
    # Pit 1 takes five, pit 3 takes nothing but itself, pit 6 moves again, pit 4 does neither.
    s = g.parse("1,0,2,1,0,1,0/1,0,0,0,4,5,0 S")
    assert [g.format_move(s, a) for a in g.noisy_moves(s)] == ["1", "6"]
    assert g.noisy_moves(g.initial()) == [2]


# Exact values.


def textbook_value(g: Game[Any]) -> Callable[[Any], int]:
    """Plain minimax that remembers positions."""

    @cache
    def value(s: Any) -> int:
        moves = g.moves(s)
        if not moves:
            return g.utility(s)
        best = max if g.player(s) == 0 else min
        return best(value(g.result(s, a)) for a in moves)

    return value


def start(pits: int, seeds: int) -> str:
    """The starting position: one game serves all numbers of seeds, and is compiled once."""
    side = ",".join([str(seeds)] * pits + ["0"])
    return f"{side}/{side} S"


@pytest.mark.parametrize("method", ["graph", "null-window"])
@pytest.mark.parametrize(
    ("spec", "position"),
    [
        (spec_of(3, 1, True), start(3, 2)),
        (spec_of(2, 1, False, "mover"), start(2, 4)),
    ],
)
def test_small_boards_are_solved_as_by_minimax(spec: str, position: str, method: str) -> None:
    g = game(spec)
    value = textbook_value(g)
    rng = random.Random(1)
    s = g.parse(position)
    for _ in range(4):
        solution = g.solve(s, method=method, progress=False, megabytes=4)
        sign = 1 if g.player(s) == 0 else -1
        assert solution.value == sign * value(s)
        children = {a: sign * value(g.result(s, a)) for a in g.moves(s)}
        assert {line.move: line.value for line in solution.lines} == children
        assert set(solution.all_best) == {a for a in children if children[a] == solution.value}
        s = g.result(s, rng.choice(list(children)))


# Pits and the first player's value with 1, 2, … seeds, with empty captures and without. With them,
# won, drawn or lost as Irving, Donkers and Uiterwijk found (Solving Kalah, 2000).
VALUES = {
    1: ([0, -2, 6, -2, 2, 0], [0, -2, 6, -2, 2, 0]),
    2: ([2, -2, -2, -12, 6, 8], [2, -2, -2, -10, 6, 8]),
    3: ([0, 4, 2, 2, 6, -10], [0, 4, 2, 2, 6, -8]),
    4: ([2, 6, 8, 2, 2, 0], [2, 6, 6, 2, 4, 0]),
    5: ([0, 0, 8, 12], [0, 2, 6, 10]),
    6: ([2, 10, 2], [2, 6, 2]),
}
PUBLISHED = {1: "DLWLWD", 2: "WLLLWW", 3: "DWWWWL", 4: "WWWWWD", 5: "DDWW", 6: "WWW"}


def check_values(pits: int, empty_capture: bool, most: int) -> None:
    g = game(spec_of(pits, 1, empty_capture))
    expected = VALUES[pits][0 if empty_capture else 1][:most]
    solved = [
        g.solve(start(pits, seeds), method="null-window", detail="value", progress=False).value
        for seeds in range(1, len(expected) + 1)
    ]
    assert solved == expected


def test_the_signs_are_those_published() -> None:
    for pits, (values, _) in VALUES.items():
        signs = "".join("D" if value == 0 else "W" if value > 0 else "L" for value in values)
        assert signs == PUBLISHED[pits]


def test_values_of_three_pits() -> None:
    check_values(3, True, 6)


@pytest.mark.parametrize("empty_capture", [False, True])
def test_tiny_boards_by_plain_minimax(empty_capture: bool) -> None:
    for pits, most in ((1, 6), (2, 4), (3, 2)):
        for seeds, value in enumerate(VALUES[pits][0 if empty_capture else 1][:most], 1):
            g = game(spec_of(pits, seeds, empty_capture))
            assert textbook_value(g)(g.initial()) == value


@pytest.mark.slow
@pytest.mark.parametrize("empty_capture", [False, True])
@pytest.mark.parametrize("pits", VALUES)
def test_values_of_larger_boards(pits: int, empty_capture: bool) -> None:
    check_values(pits, empty_capture, 6)


@pytest.mark.slow
@pytest.mark.parametrize(("empty_capture", "value"), [(True, 10), (False, 8)])
def test_six_pits_with_four_seeds(empty_capture: bool, value: int) -> None:
    """Both values are published."""
    solution = game(spec_of(6, 4, empty_capture)).solve(detail="value", progress=False)
    assert (solution.value, solution.exact) == (value, True)


# Words and pictures.


@pytest.mark.parametrize("spec", ["kalah", "kalah(pits=9,seeds=10,rest=mover)", "kalah(pits=1)"])
def test_positions_and_moves_go_both_ways(spec: str) -> None:
    g = game(spec)
    rng = random.Random(8)
    for _ in range(10):
        s = g.initial()
        while True:
            assert g.parse(g.format(s)) == s
            assert [g.parse_move(s, g.format_move(s, a)) for a in g.moves(s)] == g.moves(s)
            if not g.moves(s):
                break
            s = g.result(s, rng.choice(g.moves(s)))


@given(text=st.one_of(st.text(), st.text("0123456789,/ SN-", max_size=40)))
def test_any_text_is_a_position_or_a_clear_error(text: str) -> None:
    g = game("kalah(pits=2)")
    try:
        s = g.parse(text)
    except ThreefoldError as error:
        assert "\n" not in str(error)
        assert "Kalah" in str(error)
    else:
        assert g.parse(g.format(s)) == s


@given(
    numbers=st.lists(st.integers(0, 300), min_size=5, max_size=7),
    mover=st.sampled_from(["S", "N", "s", ""]),
)
def test_any_numbers_are_a_position_or_a_clear_error(numbers: list[int], mover: str) -> None:
    g = game("kalah(pits=2)")
    text = ",".join(map(str, numbers[:3])) + "/" + ",".join(map(str, numbers[3:])) + f" {mover}"
    try:
        s = g.parse(text)
    except ThreefoldError:
        return
    assert g.format(s) == text
    assert sum(numbers) <= 255


@pytest.mark.parametrize(
    ("position", "words"),
    [
        ("", "not 1 sides"),
        ("4,4,4,4,4,4,0/4,4,4,4,4,4,0", "S or N"),
        ("4,4,4,4,4,4,0/4,4,4,4,4,4,0 X", "'X'"),
        ("4,4,4,4,4,4,0/4,4,4,4,4,4,0 S N", "'S N'"),
        ("4,4,4,4,4,4/4,4,4,4,4,4,0 S", "South has 6 pits and a store"),
        ("4,4,4,4,4,4,0/4,4,4,4,4,4,0,1 S", "North has 6 pits and a store"),
        ("4,4,4,4,4,4,0/4,4,4,4,4,4,0/ S", "not 3 sides"),
        ("4,x,4,4,4,4,0/4,4,4,4,4,4,0 S", "South's pit 2 is 'x'"),
        ("4,4,4,4,4,4,-1/4,4,4,4,4,4,0 S", "South's store is '-1'"),
        ("4,4,4,4,4,4,0/4,4,4,4,4,,0 S", "North's pit 6 is ''"),
        ("4,4,4,4,4,4,0/²,4,4,4,4,4,0 S", "North's pit 1 is '²'"),
        (f"{'9' * 5000},4,4,4,4,4,0/4,4,4,4,4,4,0 S", "up to 255"),
        ("200,4,4,4,4,4,0/4,4,4,4,4,100,0 S", "340 seeds are too many; the maximum is 255"),
        ("0,0,0,0,0,0,20/4,0,0,0,0,0,20 S", "South's pits are empty, so the game is over"),
        ("1,0,0,0,0,0,20/0,0,0,0,0,0,20 S", "South's seeds belong in a store"),
    ],
)
def test_impossible_positions_are_named(position: str, words: str) -> None:
    with pytest.raises(ThreefoldError) as caught:
        game("kalah").parse(position)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 250


def test_illegal_moves_name_the_legal_ones() -> None:
    g = game("kalah")
    s = g.parse("1,0,2,0,0,0,0/1,1,1,1,1,1,0 S")
    for text in ("2", "7", "0", "x", ""):
        with pytest.raises(ThreefoldError, match="legal here: 1, 3"):
            g.parse_move(s, text)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("kalah(pits=0)", "pits=0 is not from 1 to 9"),
        ("kalah(pits=10)", "pits=10"),
        ("kalah(seeds=0)", "seeds=0"),
        ("kalah(seeds=11)", "seeds=11 is not from 1 to 10"),
        ("kalah(rest=winner)", "rest=winner is not one of owner, mover"),
        ("kalah(empty_capture=maybe)", "neither true nor false"),
    ],
)
def test_bad_games_are_named(spec: str, words: str) -> None:
    with pytest.raises(ThreefoldError) as caught:
        game(spec)
    assert words in str(caught.value)


def test_a_finished_position_is_valid_input() -> None:
    g = game("kalah")
    s = g.parse("0,0,0,0,0,0,30/0,0,0,0,0,0,18 N")
    assert g.moves(s) == []
    assert g.utility(s) == 12
    assert g.solve(s).value == -12


def test_it_is_drawn_for_a_terminal() -> None:
    g = game("kalah(pits=3)")
    assert g.render(g.parse("1,2,13,4/5,6,7,8 S")).splitlines() == [
        "           3   2   1",
        "           7   6   5",
        "North  8               4 South",
        "           1   2  13",
        "           1   2   3",
    ]


def test_pictures_show_every_seed_up_to_sixteen() -> None:
    g = game("kalah(pits=2)")
    drawn = g.draw(g.parse("3,0,2/20,1,0 N"))
    assert drawn.count('class="fill-max"') == 5
    assert drawn.count('class="fill-min"') == 16 + 1
    assert drawn.count('class="fill-paper"') == 1 + 4 + 2
    assert "pits from its left 3, 0, its store 2." in drawn
    assert "North to move" in drawn
