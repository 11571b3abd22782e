"""Known counts, other people's rules, and notations both ways."""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threefold import Game, ThreefoldError, game
from threefold.games.catalogue import HOMES

SPECS = [
    *HOMES,
    "mnk(m=4,n=3,k=3)",
    "mnk(m=8,n=7,k=5)",
    "mnk(m=1,n=5,k=5)",
    "mnk(m=26,n=2,k=26)",
    "nim(heaps=5,take=2)",
    "nim(heaps=1-2-3-4-5-6-7,misere=true)",
    "nim(heaps=0-0)",
    "dice-nim(stones=7,faces=6,loaded=true)",
    "connect-four(columns=9,rows=5,k=5)",
    "connect-four(columns=5,rows=4,k=3)",
    "connect-four(columns=31,rows=1,k=4)",
    "othello(size=4)",
    "othello(size=6)",
    "chess(chess960=true)",
]

# From the field's published tables.
COUNTS = {
    "tic-tac-toe": [9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872, 0],
    "connect-four": [7, 49, 343, 2401, 16807, 117649, 823536, 5673234, 39394572],
    "othello": [4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288, 24571056],
}


@pytest.mark.parametrize("spec", COUNTS)
def test_published_counts_compiled(spec: str) -> None:
    g = game(spec)
    assert [g.perft(depth=d) for d in range(1, len(COUNTS[spec]) + 1)] == COUNTS[spec]


@pytest.mark.parametrize(
    ("spec", "depth"), [("tic-tac-toe", 6), ("connect-four", 5), ("othello", 5)]
)
def test_published_counts_interpreted(spec: str, depth: int) -> None:
    g = game(spec)
    counted = [g.perft(depth=d, way="interpreted") for d in range(1, depth + 1)]
    assert counted == COUNTS[spec][:depth]


@pytest.mark.slow
def test_othello_perft_11() -> None:
    assert game("othello").perft(depth=11) == 212258216
    assert game("othello").perft(depth=11, finished=True) == 212258800


def test_finished_games_are_counted_when_asked_for() -> None:
    assert game("othello").perft(depth=10, finished=True) == 24571284
    assert game("tic-tac-toe").perft(depth=9, finished=True) == 255168
    assert game("tic-tac-toe").perft(depth=20, finished=True) == 255168


def test_tic_tac_toe_has_5478_positions() -> None:
    g = game("tic-tac-toe")
    seen = {g.initial()}
    waiting = [g.initial()]
    while waiting:
        s = waiting.pop()
        new = {g.result(s, a) for a in g.moves(s)} - seen
        seen |= new
        waiting += new
    assert len(seen) == 5478


@pytest.mark.parametrize("spec", SPECS)
def test_both_ways_count_the_same(spec: str) -> None:
    g = game(spec)
    for depth in range(4):
        for finished in (False, True):
            interpreted = g.perft(depth=depth, finished=finished, way="interpreted")
            assert g.perft(depth=depth, finished=finished) == interpreted


def random_positions(g: Game[Any], games: int, seed: int = 7) -> list[Any]:
    """The positions of random games, the first hundred of each."""
    rng = random.Random(seed)
    positions = []
    for _ in range(games):
        s = g.initial()
        positions.append(s)
        for _ in range(100):
            if moves := g.moves(s):
                s = g.result(s, rng.choice(moves))
                positions.append(s)
    return positions


@pytest.mark.parametrize(
    ("spec", "theirs"),
    [
        ("tic-tac-toe", "tic_tac_toe"),
        ("connect-four", "connect_four"),
        ("othello", "othello"),
        ("nim(heaps=3-4-5)", "nim(pile_sizes=3;4;5,is_misere=false)"),
        ("nim(heaps=1-3-5-7,misere=true)", "nim(pile_sizes=1;3;5;7)"),
    ],
)
def test_open_spiel_agrees_on_random_games(spec: str, theirs: str) -> None:
    """The same number of moves, the same player, and the same result in the end."""
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not to be had here")
    g, peer = game(spec), pyspiel.load_game(theirs)
    rng = random.Random(11)
    for _ in range(30):
        s, t = g.initial(), peer.new_initial_state()
        while not t.is_terminal():
            names = {_name(spec, g, s, a): a for a in g.moves(s)}
            their_names = {_their_name(spec, t, a): a for a in t.legal_actions()}
            assert set(names) == set(their_names)
            assert g.player(s) == t.current_player()
            name = rng.choice(sorted(names))
            s = g.result(s, names[name])
            t.apply_action(their_names[name])
        assert not g.moves(s)
        assert (g.utility(s) > 0) == (t.returns()[0] > 0)
        assert (g.utility(s) < 0) == (t.returns()[0] < 0)


def _name(spec: str, g: Game[Any], s: Any, a: int) -> str:
    text = g.format_move(s, a)
    if spec == "tic-tac-toe":  # they number rows from the top
        return f"{'abc'.index(text[0])},{3 - int(text[1])}"
    return text


def _their_name(spec: str, t: Any, a: int) -> str:
    if spec == "tic-tac-toe":
        return f"{a % 3},{a // 3}"
    if spec == "connect-four":
        return str(a + 1)
    if spec.startswith("nim"):
        piles = spec.partition("=")[2].partition(",")[0].count("-") + 1
        return f"{a % piles + 1}:{a // piles + 1}"
    return str(t.action_to_string(a)).split()[0].lower().replace("pass", "pass")


@pytest.mark.parametrize("spec", SPECS)
def test_positions_and_moves_go_both_ways(spec: str) -> None:
    g = game(spec)
    for s in random_positions(g, 8):
        assert g.parse(g.format(s)) == s
        for a in g.moves(s):
            assert g.parse_move(s, g.format_move(s, a)) == a


@pytest.mark.parametrize("spec", SPECS)
@given(text=st.one_of(st.text(), st.text("XO.-/ 0123456789ab", max_size=80)))
def test_any_text_is_a_position_or_a_clear_error(spec: str, text: str) -> None:
    g = game(spec)
    try:
        s = g.parse(text)
    except ThreefoldError as error:
        assert "\n" not in str(error)
        assert g.name in str(error)
    else:
        g.moves(s)
        assert g.parse(g.format(s)) == s


@pytest.mark.parametrize("spec", ["tic-tac-toe", "nim", "othello", "dice-nim"])
@given(data=st.data())
def test_a_damaged_position_is_read_or_refused(spec: str, data: st.DataObject) -> None:
    """One character changed, dropped or doubled: never an exception of another kind."""
    g = game(spec)
    text = g.format(data.draw(st.sampled_from(random_positions(g, 2))))
    at = data.draw(st.integers(0, len(text) - 1))
    put = data.draw(st.sampled_from(["", text[at] * 2, "X", "O", "-", ".", " ", "9", "é", "\0"]))
    try:
        s = g.parse(text[:at] + put + text[at + 1 :])
    except ThreefoldError:
        return
    assert g.parse(g.format(s)) == s


@pytest.mark.parametrize(
    ("spec", "position", "word"),
    [
        ("tic-tac-toe", "", "3 rows"),
        ("tic-tac-toe", "XO./.X. X", "3 rows"),
        ("tic-tac-toe", "XO./.X./..O", "side to move"),
        ("tic-tac-toe", "XO./.X./..O Z", "side to move"),
        ("tic-tac-toe", "XO./.X./..O X X", "side to move"),
        ("tic-tac-toe", "XO./.X./..Ox X", "4 squares"),
        ("tic-tac-toe", "XO./.x./..O X", "'x'"),
        ("tic-tac-toe", "XO./.X./... X", "cannot be X's turn"),
        ("tic-tac-toe", "XX./.X./... O", "cannot be O's turn"),
        ("tic-tac-toe", "XXX/OOO/... X", "X already has 3 in line"),
        ("tic-tac-toe", "XXX/OO./O.. X", "X already has 3 in line"),
        ("mnk(m=3,n=7,k=3)", "XXX/OO./O../.../.O./.O./XXX O", "no single stone"),
        ("nim", "3-4 1", "3 heaps"),
        ("nim", "3-4-x 1", "'x'"),
        ("nim", "3-4-6 1", "heap 3"),
        ("nim", "3-4--5 1", "3 heaps"),
        ("nim", "3-4-5 3", "1 or 2"),
        ("nim", "3-4-5", "1 or 2"),
        ("nim", f"3-4-{'9' * 5000} 1", "heap 3"),
        ("connect-four", "4444444", "full"),
        ("connect-four", "48", "'8'"),
        ("connect-four", "4 4", "' '"),
        ("connect-four", "12121212", "won after move 7"),
        ("othello", "X" * 63 + " X", "63 letters"),
        ("othello", "Z" * 64 + " X", "'Z' on a1"),
        ("othello", "X" * 64, "side to move"),
        ("othello", "X" * 64 + " -", "side to move"),
        ("dice-nim", "13 1", "stones"),
        ("dice-nim", "12 3", "player"),
        ("dice-nim", "12 1 4", "die"),
        ("dice-nim", "0 1 2", "the die is not rolled"),
        ("dice-nim", "12", "expected"),
    ],
)
def test_impossible_positions_are_named(spec: str, position: str, word: str) -> None:
    with pytest.raises(ThreefoldError) as caught:
        game(spec).parse(position)
    assert word in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 250


def test_finished_positions_are_valid_input() -> None:
    g = game("tic-tac-toe")
    s = g.parse("XXX/OO./... O")
    assert g.moves(s) == []
    assert g.utility(s) == 1
    assert [g.perft(s, depth=d) for d in range(3)] == [1, 0, 0]
    assert g.perft(s, depth=2, finished=True) == 1


def test_a_double_line_by_one_stone_is_possible() -> None:
    assert game("tic-tac-toe").parse("XXX/XOO/XOO O").turn == 1


def test_illegal_moves_name_the_legal_ones() -> None:
    g = game("connect-four")
    with pytest.raises(ThreefoldError, match="'8' is not a legal move; legal here: 1, 2, 3"):
        g.parse_move(g.initial(), "8")


@pytest.mark.parametrize(
    ("spec", "word"),
    [
        ("gomoku", "there is no game 'gomoku'"),
        ("othelo", "did you mean othello"),
        ("", "there is no game"),
        ("othello(size=7)", "size=7"),
        ("othello(size=8", "parentheses"),
        ("othello)", "parentheses"),
        ("othello(sice=8)", "no parameter 'sice'"),
        ("othello(size=x)", "not a whole number"),
        ("othello(size)", "key=value"),
        ("othello(size=8,size=8)", "twice"),
        ("tic-tac-toe(m=3)", "there are none"),
        ("mnk(m=0)", "m=0"),
        ("mnk(m=9,n=9)", "does not fit"),
        ("mnk(k=4)", "k=4"),
        ("nim(heaps=)", "not whole numbers joined by -, like 3-4-5"),
        ("nim(heaps=3--4)", "not whole numbers joined by -"),
        ("nim(take=-1)", "take=-1"),
        ("nim(misere=yes)", "neither true nor false"),
        ("nim(heaps=99999)", "cannot be played"),
        ("nim(heaps=1-1-1-1-1-1-1-1-1-1-1-1-99)", "do not fit"),
        ("connect-four(columns=9,rows=6)", "does not fit"),
        ("connect-four(k=8)", "k=8"),
        ("connect-four(rows=0)", "rows=0"),
        ("dice-nim(faces=0)", "faces=0"),
    ],
)
def test_bad_games_are_named(spec: str, word: str) -> None:
    with pytest.raises(ThreefoldError) as caught:
        game(spec)
    assert word in str(caught.value)
    assert "\n" not in str(caught.value)


def test_connect_four_knows_columns_past_nine() -> None:
    g = game("connect-four(columns=12,rows=4)")
    assert g.format_move(g.initial(), 9) == "a"
    assert g.format(g.parse("1ac")) == "1ac"


@pytest.mark.parametrize("spec", ["connect-four", "connect-four(columns=8,rows=6)"])
def test_full_boards_find_their_history_again(spec: str) -> None:
    g = game(spec)
    for s in random_positions(g, 60, seed=3):
        assert g.parse(g.format(s)) == s


def test_othello_utility_gives_empty_squares_to_the_winner() -> None:
    g = game("othello(size=4)")
    assert g.utility(g.parse("XXXX------------ X")) == 16
    assert g.utility(g.parse("OOOOX----------- X")) == -14
    assert g.utility(g.parse("XO-------------- X")) == 0


def test_othello_passes_are_moves() -> None:
    g = game("othello(size=4)")
    s = g.parse("XO-------------- O")
    assert [g.format_move(s, a) for a in g.moves(s)] == ["pass"]
    assert g.result(s, g.moves(s)[0]) == g.parse("XO-------------- X")


def test_tic_tac_toe_lines_as_the_lectures_count_them() -> None:
    g = game("tic-tac-toe")
    values = [
        g.evaluate(g.parse(p))
        for p in (
            "/".join(r) + " O"
            for r in (("...", ".X.", "..."), ("X..", "...", "..."), (".X.", "...", "..."))
        )
    ]
    assert values == [4, 3, 2]
    assert g.evaluate(g.parse("O../.X./... X")) == 1


def test_chance_weights_of_the_dice() -> None:
    fair, loaded = game("dice-nim(faces=4)"), game("dice-nim(faces=4,loaded=true)")
    assert fair.chances(fair.initial()) == [(1, 1), (2, 1), (3, 1), (4, 1)]
    assert loaded.chances(loaded.initial()) == [(1, 4), (2, 3), (3, 2), (4, 1)]
