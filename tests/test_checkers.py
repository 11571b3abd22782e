"""Checkers: published counts, two other programs' rules, PDN both ways, draws, the evaluation."""

import random
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threefold import Game, ThreefoldError, game
from threefold.games.checkers.routes import FIRST_STEP, ROUTES
from threefold.games.checkers.rules import State
from threefold.rules.contract import DRAWN

START = "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12"
COUNTS = [7, 49, 302, 1469, 7361, 36768, 179740, 845931, 3963680, 18391564, 85242128]
CHECKERS: Game[State] = game("checkers")


def names(s: State | str, g: Game[State] = CHECKERS) -> list[str]:
    s = g.position(s)
    return sorted(g.format_move(s, a) for a in g.moves(s))


def after(position: str, *moves: str, g: Game[State] = CHECKERS) -> str:
    s = g.parse(position)
    for move in moves:
        s = g.result(s, g.parse_move(s, move))
    return g.format(s)


def random_games(games: int, seed: int, g: Game[State] = CHECKERS) -> Iterator[State]:
    rng = random.Random(seed)
    for _ in range(games):
        s = g.initial()
        yield s
        while moves := g.moves(s):
            s = g.result(s, rng.choice(moves))
            yield s


# The moves.


def test_published_counts() -> None:
    assert [CHECKERS.perft(depth=d) for d in range(1, 10)] == COUNTS[:9]
    assert [CHECKERS.perft(depth=d, way="interpreted") for d in range(1, 6)] == COUNTS[:5]


@pytest.mark.slow
def test_published_counts_to_the_end() -> None:
    assert [CHECKERS.perft(depth=d) for d in (10, 11)] == COUNTS[9:]


def test_the_start() -> None:
    assert CHECKERS.format(CHECKERS.initial()) == START
    assert names(START) == ["10-14", "10-15", "11-15", "11-16", "12-16", "9-13", "9-14"]


@pytest.mark.parametrize(
    ("position", "moves"),
    [
        ("B:W32:B10", ["10-14", "10-15"]),  # men go forward
        ("W:W10:B1", ["10-6", "10-7"]),
        ("B:W32:BK10", ["10-14", "10-15", "10-6", "10-7"]),  # kings both ways
        ("B:W32:B4", ["4-8"]),  # nothing goes over the edge
        ("W:W13:B4", ["13-9"]),
        ("B:W14,32:B10,12", ["10x17"]),  # a capture is mandatory
        ("B:W14,21:B10", ["10x17"]),  # a capture that ends at the edge
        ("B:W14,17:B10", ["10-15"]),  # no room behind
        ("B:W6:B10", ["10-14", "10-15"]),  # men do not capture backwards
        ("B:W6:BK10", ["10x1"]),
        ("W:W22:B18,11", ["22x15x8"]),  # and must go on
        ("B:W15,16,24,32:B11", ["11x18", "11x20x27"]),  # but not by the longest route
        ("B:W6,7,14,15:BK1", ["1x10x17", "1x10x19", "1x10x3"]),
        ("B:W26,27:B24", ["24x31"]),  # a new king stops, though it could go on
        ("B:W6,14,15,7,32:BK2", ["2x9x18x11x2", "2x11x18x9x2"]),  # round and back to the start
        ("B:W10,11,18,19:BK6", ["6x15x22", "6x15x24", "6x15x8"]),
    ],
)
def test_moves(position: str, moves: list[str]) -> None:
    assert names(position) == sorted(moves)


def test_both_routes_around_are_moves_with_the_same_result() -> None:
    position = "B:W6,14,15,7,32:BK2"
    ends = {after(position, move) for move in names(position)}
    assert ends == {"W:W32:BK2"}


def test_men_become_kings_on_the_far_row() -> None:
    assert after("B:W32:B26", "26-31") == "W:W32:BK31"
    assert after("W:W6:BK32", "6-1") == "B:WK1:BK32"
    assert after("B:W26,27:B24", "24x31") == "W:W26:BK31"


def test_a_captured_king_is_gone() -> None:
    s = CHECKERS.parse("B:WK14,32:B10")
    assert CHECKERS.result(s, CHECKERS.moves(s)[0]) == CHECKERS.parse("W:W32:B17")


def test_every_move_has_one_number() -> None:
    assert len(ROUTES) == len(set(ROUTES)) == FIRST_STEP == 1328
    assert max(len(route.jumped) for route in ROUTES) == 9
    steps = {(s, m) for s in range(1, 33) for m in names(f"B:W:BK{s}")}
    assert len(steps) == 98


def test_a_king_may_capture_nine() -> None:
    position = "B:WK6,K7,K8,K14,K15,K16,K22,K23,K24:BK1"
    assert len(names(position)) == 9
    assert after(position, "1x10x17x26x19x10x3x12x19x28") == "W:W:BK28"


# Other people's rules.


def open_spiel_square(name: str) -> int:
    """Their first player sits on rows 1 to 3, ours on squares 1 to 12."""
    row, column = int(name[1]) - 1, 7 - "abcdefgh".index(name[0])
    return 4 * row + column // 2 + 1


def open_spiel_moves(t: Any) -> dict[str, Any]:
    """Their moves by our names, a chain of jumps as one, and the positions after them."""
    found = {}
    waiting = [(t, "")]
    while waiting:
        before, path = waiting.pop()
        for a in before.legal_actions():
            text = before.action_to_string(a)
            start, end = open_spiel_square(text[:2]), open_spiel_square(text[2:4])
            jump = abs(int(text[1]) - int(text[3])) == 2
            longer = f"{path or start}{'x' if jump else '-'}{end}"
            child = before.child(a)
            if jump and not child.is_terminal() and child.current_player() == t.current_player():
                waiting.append((child, longer))
            else:
                found[longer] = child
    return found


def open_spiel_start() -> Any:
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not to be had here")
    return pyspiel.load_game("checkers").new_initial_state()


def open_spiel_perft(t: Any, depth: int) -> int:
    if depth == 0:
        return 1
    return sum(open_spiel_perft(u, depth - 1) for u in open_spiel_moves(t).values())


def test_open_spiel_agrees_on_random_games() -> None:
    start = open_spiel_start()
    assert open_spiel_perft(start, 4) == COUNTS[3]
    g = game("checkers(repetition=0,move_limit=0)")
    rng = random.Random(5)
    finished = 0
    for _ in range(60):
        s, t = g.initial(), start
        while not t.is_terminal():
            theirs = open_spiel_moves(t)
            assert set(names(s, g)) == set(theirs)
            assert g.player(s) == t.current_player()
            name = rng.choice(sorted(theirs))
            s, t = g.result(s, g.parse_move(s, name)), theirs[name]
        if not g.moves(s):  # theirs also ends where forty moves captured nothing
            finished += 1
            assert g.utility(s) == t.returns()[0]
    assert finished > 10


def pydraughts_board(position: str) -> Any:
    draughts = pytest.importorskip("draughts", reason="pydraughts is not to be had here")
    if not hasattr(draughts, "Board"):
        pytest.skip("another package than pydraughts installed a module `draughts`")
    return draughts.Board(variant="english", fen=position)


def pydraughts_moves(board: Any) -> list[str]:
    return sorted(
        ("x" if move.captures else "-").join(map(str, move.steps_move))
        for move in board.legal_moves()
    )


def pydraughts_perft(board: Any, depth: int) -> int:
    moves = board.legal_moves()
    if depth == 1:
        return len(moves)
    total = 0
    for move in moves:
        board.push(move)
        total += pydraughts_perft(board, depth - 1)
        board.pop()
    return total


def random_position(rng: random.Random) -> str:
    """Some pieces anywhere, half of them kings; many captures are possible."""
    pieces: dict[str, list[str]] = {"W": [], "B": []}
    for square in rng.sample(range(1, 33), rng.randrange(2, 22)):
        colour = rng.choice("WB")
        on_far_row = square < 5 if colour == "W" else square > 28
        if len(pieces[colour]) < 12:
            pieces[colour].append(f"{'K' * (on_far_row or rng.random() < 0.5)}{square}")
    return f"{rng.choice('BW')}:W{','.join(pieces['W'])}:B{','.join(pieces['B'])}"


def check_against_pydraughts(positions: int, seed: int) -> None:
    assert pydraughts_perft(pydraughts_board(START), 3) == COUNTS[2]
    rng = random.Random(seed)
    longest = 0
    for _ in range(positions):
        position = random_position(rng)
        ours = names(position)
        assert ours == pydraughts_moves(pydraughts_board(position)), position
        longest = max([longest, *(move.count("x") for move in ours)])
    assert longest >= 3


def test_pydraughts_agrees_on_random_positions() -> None:
    check_against_pydraughts(400, seed=1)


@pytest.mark.slow
def test_pydraughts_agrees_on_many_random_positions() -> None:
    check_against_pydraughts(20_000, seed=2)


@pytest.mark.parametrize("jumped", ["6,7,8,14,15,16,22,23,24", "9,10,11,17,18,19,25,26,27"])
def test_pydraughts_agrees_on_every_route(jumped: str) -> None:
    """Kings of the other side wherever they can be jumped: all routes from all squares."""
    kings = ",".join(f"K{square}" for square in jumped.split(","))
    for square in set(range(1, 33)) - set(map(int, jumped.split(","))):
        position = f"B:W{kings}:BK{square}"
        assert names(position) == pydraughts_moves(pydraughts_board(position)), position


@given(seed=st.integers(0, 1 << 32))
def test_both_ways_agree_on_any_position(seed: int) -> None:
    s = CHECKERS.parse(random_position(random.Random(seed)))
    compiled = CHECKERS.compiled()
    assert compiled.moves(s) == CHECKERS.moves(s)
    assert compiled.evaluate(s) == CHECKERS.evaluate(s)
    assert CHECKERS.is_terminal(s) == (not CHECKERS.moves(s))
    for a in CHECKERS.moves(s):
        assert compiled.result(s, a) == CHECKERS.result(s, a)


# Positions and moves as text.


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("B:B1-12:W21-32", START),
        ("B:W21-32:B1-12.", START),
        ("W:WK30,21:B03", "W:W21,K30:B3"),
        ("W:W21:BK5-7,1", "W:W21:B1,K5,K6,K7"),
        ("W:W:B1", "W:W:B1"),
        ("W:W21:B1:H0:F1", "W:W21:B1"),
        ("W:WK21:B1:H7:F30", "W:WK21:B1:H7"),
        ("W:WK21:B1:F30", "W:WK21:B1"),
        ("W:WK21:B1:H99", "W:WK21:B1:H80"),
    ],
)
def test_positions_are_read_in_all_forms_of_pdn(text: str, canonical: str) -> None:
    assert CHECKERS.format(CHECKERS.parse(text)) == canonical
    assert CHECKERS.format(CHECKERS.parse(canonical)) == canonical


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "side to move"),
        ("X:W21:B1", "not 'X'"),
        ("B", "both sides"),
        ("B:W21", "both sides"),
        ("B:W21:W22", "given twice"),
        ("B:W21:X1", "not 'X1'"),
        ("B:W:B", "no piece"),
        ("B:W21:B33", "from 1 to 32"),
        ("B:W21:B0", "from 1 to 32"),
        ("B:W24-21:B1", "'24-21'"),
        ("B:W21,,22:B1", "'' is not a square"),
        ("B:W21:B1,", "'' is not a square"),
        ("B:W21:Bk1", "'k1' is not a square"),
        ("B:W21:B٣", "is not a square"),
        ("B:W21:B1,1", "Black's square 1 is given twice"),
        ("B:W21:B21", "square 21 holds"),
        ("B:W1:B5", "White's man on 1"),
        ("B:W21:B32", "must be a king: K32"),
        ("B:W18-30:B1", "White has 13 pieces"),
        ("B:W21:B1:X3", ":X3"),
        ("B:W21:B1:H1:H2", ":H1:H2"),
        ("B:W21:B1:F1:H2", ":F1:H2"),
        ("B:W21:B1:H", "after H"),
        ("B:W21:B1:H-1", "after H"),
        ("B:W21:B1:H12345", "after H"),
        ("B:W21:B1..", "'1.' is not a square"),
    ],
)
def test_bad_positions_are_named(text: str, word: str) -> None:
    with pytest.raises(ThreefoldError) as caught:
        CHECKERS.parse(text)
    assert word in str(caught.value)
    assert "\n" not in str(caught.value)


def test_positions_of_play_go_both_ways() -> None:
    for s in random_games(20, seed=3):
        assert CHECKERS.parse(CHECKERS.format(s)) == s


@given(st.text("BWKHF0123456789:,-. ", max_size=40))
def test_any_text_is_a_position_or_a_clear_error(text: str) -> None:
    try:
        s = CHECKERS.parse(text)
    except ThreefoldError as error:
        assert "\n" not in str(error)
    else:
        assert CHECKERS.parse(CHECKERS.format(s)) == s


@given(data=st.data())
def test_a_damaged_position_is_read_or_refused(data: st.DataObject) -> None:
    text = random_position(random.Random(data.draw(st.integers(0, 1 << 16)))) + ":H12:F30"
    at = data.draw(st.integers(0, len(text) - 1))
    put = data.draw(st.sampled_from(["", text[at] * 2, ":", ",", "-", "K", "B", "9", "é", "\0"]))
    try:
        s = CHECKERS.parse(text[:at] + put + text[at + 1 :])
    except ThreefoldError:
        return
    assert CHECKERS.parse(CHECKERS.format(s)) == s


@given(st.text("0123456789x- ", max_size=12))
def test_any_text_is_a_move_or_a_clear_error(text: str) -> None:
    s = CHECKERS.parse("B:W6,14,15,7,32:BK2")
    try:
        a = CHECKERS.parse_move(s, text)
    except ThreefoldError as error:
        assert "legal here: 2x" in str(error)
    else:
        assert a in CHECKERS.moves(s)


@pytest.mark.parametrize(
    ("position", "short", "move"),
    [
        ("W:W22:B18,11", "22x8", "22x15x8"),
        ("W:W22:B18,11", "22x15x8", "22x15x8"),
        ("B:W6,7,14,15:BK1", "1x17", "1x10x17"),
        ("B:W6,14,15,7,32:BK2", "2x9x18x2", "2x9x18x11x2"),
        ("B:W6,14,15,7,32:BK2", "2x18x11x2", "2x9x18x11x2"),
        (START, " 11-15 ", "11-15"),
    ],
)
def test_captures_may_be_shortened(position: str, short: str, move: str) -> None:
    s = CHECKERS.parse(position)
    assert CHECKERS.format_move(s, CHECKERS.parse_move(s, short)) == move


@pytest.mark.parametrize(
    ("position", "move", "word"),
    [
        ("B:W6,14,15,7,32:BK2", "2x2", "any of 2x9x18x11x2, 2x11x18x9x2"),
        ("B:W6,14,15,7,32:BK2", "2x18x2", "more squares"),
        ("W:W22:B18,11", "22x15", "not a legal move; legal here: 22x15x8"),
        ("W:W22:B18,11", "22x8x15", "not a legal move; legal here: 22x15x8"),
        ("W:W22,32:B18,11", "32-28", "a capture is mandatory"),
        (START, "11x15", "there is no capture"),
        (START, "11-15-19", "written 11-15"),
        (START, "11", "written 11-15"),
        (START, "11-17", "not a legal move"),
        (START, "e2e4", "written 11-15"),
    ],
)
def test_bad_moves_are_named(position: str, move: str, word: str) -> None:
    with pytest.raises(ThreefoldError) as caught:
        CHECKERS.parse_move(CHECKERS.parse(position), move)
    assert word in str(caught.value)


def test_the_board_in_a_terminal_shows_the_numbers_of_empty_squares() -> None:
    lines = CHECKERS.render(CHECKERS.parse("B:W22,K3:B1,K30")).splitlines()
    assert lines[0].split() == ["b", "2", "W", "4"]
    assert lines[5].split() == ["21", "w", "23", "24"]
    assert lines[7].split() == ["29", "B", "31", "32"]
    assert len(lines) == 8


def test_kings_are_drawn_with_a_crown() -> None:
    crowned = CHECKERS.draw(CHECKERS.parse("B:WK22:B1,2"))
    assert crowned.count("<path") == 1
    assert crowned.count("<circle") == 2 + 3 + 3
    assert "Black, at the top: 1, 2. White: K22. Black to move." in crowned


# The end of the game.


@pytest.mark.parametrize("way", ["interpreted", "compiled"])
@pytest.mark.parametrize(
    ("position", "utility"),
    [("B:W21:B", -1), ("W:W:B1", 1), ("B:W24,27:B20", -1), ("W:W13:B6,9", 1)],
)
def test_a_player_who_cannot_move_has_lost(position: str, utility: int, way: str) -> None:
    s = CHECKERS.parse(position)
    rules: Any = CHECKERS if way == "interpreted" else CHECKERS.compiled()
    assert rules.moves(s) == []
    assert rules.utility(s) == utility
    assert [CHECKERS.perft(s, depth=d, way=way) for d in range(3)] == [1, 0, 0]


def test_a_lost_position_is_valid_input() -> None:
    found = CHECKERS.analyze("B:W24,27:B20", depth=3)
    assert (found.best, found.pv, found.exact) == (None, (), True)
    assert found.value < 0


def test_plies_without_progress_are_counted() -> None:
    kings = "B:WK32:BK1,2"
    assert after(kings, "1-5") == "W:WK32:B2,K5:H1"
    assert after(kings, "1-5", "32-28", "5-1") == "W:WK28:BK1,2:H3"
    assert after(kings, "1-5", "32-28", "2-6") == "W:WK28:BK5,6"
    assert after("B:WK14,K32:BK10:H30", "10x17") == "W:WK32:BK17"


def test_too_many_plies_without_progress_are_a_draw() -> None:
    before, at = (CHECKERS.parse(f"B:WK32:BK1,2:H{n}") for n in (79, 80))
    assert CHECKERS.drawn(before) == 0 != len(CHECKERS.moves(before))
    assert CHECKERS.drawn(at) == DRAWN
    assert CHECKERS.moves(at) == []
    assert CHECKERS.utility(at) == 0
    assert CHECKERS.perft(at, depth=2) == CHECKERS.perft(before, depth=2) > 0
    assert CHECKERS.result(before, CHECKERS.moves(before)[0]).quiet == 80


def test_a_won_game_is_no_draw_however_long_it_took() -> None:
    s = CHECKERS.parse("B:W32:B:H80")
    assert CHECKERS.drawn(s) == 0
    assert CHECKERS.utility(s) == -1


def test_the_limits_are_parameters() -> None:
    short, none = game("checkers(move_limit=2)"), game("checkers(move_limit=0,repetition=0)")
    assert short.drawn(short.parse("B:WK32:BK1:H4")) == DRAWN
    assert none.parse("B:WK32:BK1:H4").quiet == 0
    assert none.drawn(none.parse("B:WK32:BK1:H4")) == 0
    assert after("B:WK32:BK1", "1-5", g=none) == "W:WK32:BK5"
    assert (CHECKERS.repeats, none.repeats, game("checkers(repetition=5)").repeats) == (3, 0, 5)
    assert CHECKERS.facts.finite
    assert not none.facts.finite
    assert game("checkers(move_limit=0)").facts.finite


def test_a_position_is_the_same_whatever_its_count() -> None:
    one, other = CHECKERS.parse("B:WK32:BK1:H4"), CHECKERS.parse("B:WK32:BK1")
    assert CHECKERS.key(one) == CHECKERS.key(other) != CHECKERS.key(CHECKERS.parse("W:WK32:BK1"))


def test_different_positions_have_different_keys() -> None:
    positions = {CHECKERS.timeless(s) for s in random_games(100, seed=4)}
    assert len({CHECKERS.key(s) for s in positions}) == len(positions) > 5000


@pytest.mark.parametrize(
    ("spec", "word"),
    [
        ("checkers(repetition=1)", "repetition=1"),
        ("checkers(repetition=-1)", "repetition=-1"),
        ("checkers(move_limit=-1)", "move_limit=-1"),
        ("checkers(move_limit=5000)", "move_limit=5000"),
    ],
)
def test_bad_parameters_are_named(spec: str, word: str) -> None:
    with pytest.raises(ThreefoldError, match=word):
        game(spec)


# Search.


@pytest.mark.slow
def test_a_search_goes_on_with_captures() -> None:
    """14-18 gives one man for two, three plies away."""
    g = CHECKERS.using("material")
    s = g.parse("B:W22,23,28,32:B6,7,10,14")
    assert g.noisy_moves(s) == []
    assert g.analyze(s, depth=1).value == 0
    found = g.analyze(s, depth=2)
    assert (g.format_move(s, found.best or 0), found.value) == ("14-18", 2)
    offered = g.result(s, found.best or 0)
    assert g.noisy_moves(offered) == g.moves(offered)
    assert len(g.moves(offered)) == 2


def test_solving_knows_the_simple_endings() -> None:
    assert CHECKERS.solve("B:WK32:BK18,K19", progress=False).value == 1
    assert CHECKERS.solve("W:WK32:BK18,K19", progress=False).value == -1
    assert CHECKERS.solve("B:WK32:BK1", progress=False).value == 0


def test_zugzwang_is_understood() -> None:
    """The player to move must give up the man; passing would help."""
    for position in ("B:W13:B5", "W:W13:B5"):
        found = CHECKERS.analyze(position, depth=4)
        assert len(CHECKERS.moves(CHECKERS.parse(position))) == 1
        assert (found.win_in, found.exact) == (-2, True)
        assert CHECKERS.solve(position, progress=False).win_in == -2


def test_a_search_avoids_the_limit_where_it_can_win() -> None:
    """Two kings win against one, but not if ten plies are left."""
    late = CHECKERS.analyze("B:WK32:BK18,K19:H70", nodes=300_000)
    assert late.value == 0
    assert CHECKERS.solve("B:WK32:BK18,K19:H70", progress=False).value == 1


# The evaluation.


def turned(s: State) -> State:
    """The board turned around and the colors exchanged."""

    def reverse(board: int) -> int:
        return sum(1 << 34 - bit for bit in range(35) if board >> bit & 1)

    return State(reverse(s.white), reverse(s.black), reverse(s.kings), s.quiet, 1 - s.turn)


@pytest.mark.parametrize("name", ["strategy", "material"])
def test_evaluations_are_fair_and_bounded(name: str) -> None:
    """The textbook counts a utility of 1 as 1000."""
    evaluate = CHECKERS.evaluations[name]
    rng = random.Random(6)
    positions = [
        *random_games(10, seed=6),
        *(CHECKERS.parse(random_position(rng)) for _ in range(300)),
    ]
    for s in positions:
        assert abs(evaluate(s)) < 1000
        assert evaluate(turned(s)) == -evaluate(s)
    assert evaluate(CHECKERS.parse("B:WK32:BK1-12")) > evaluate(CHECKERS.parse("B:WK32:BK2-12"))


def test_material_counts_men_two_and_kings_three() -> None:
    material = CHECKERS.evaluations["material"]
    assert material(CHECKERS.parse("B:W21,22,K30:B1,2")) == -3
    assert material(CHECKERS.initial()) == 0
