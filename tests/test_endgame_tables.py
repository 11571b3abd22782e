"""What end-game tables hold: published and counted numbers, other ways to solve, and the rules."""

import random
from collections.abc import Iterator
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import pytest
from endgame_tables import Endings, endings
from hypothesis import given, settings
from hypothesis import strategies as st

from threefold import Game, game
from threefold.engine.endgames.database import NEEDED, Known
from threefold.engine.endgames.files import read_table
from threefold.engine.endgames.lines import best_play, known_moves, known_of
from threefold.engine.endgames.sweeping import COMPARE, WRITE, Sweep, sweep
from threefold.engine.endgames.values import DECIDED, UNUSED
from threefold.games.kalah.rules import State as KalahState
from threefold.games.kalah.rules import packed, unpacked
from threefold.rules.contract import MIN
from threefold.rules.rebind import interpreted
from threefold.solve.endgames.groups import Group, in_order
from threefold.solve.endgames.making import Maker, Tables

#: Room for the moves of any group.
PLENTY = 1 << 33


@pytest.fixture(scope="session", name="checkers")
def checkers_with_three_pieces(tmp_path_factory: pytest.TempPathFactory) -> Endings:
    return endings(tmp_path_factory, "checkers", 3)


@pytest.fixture(scope="session", name="chess")
def chess_with_three_men(tmp_path_factory: pytest.TempPathFactory) -> Endings:
    return endings(tmp_path_factory, "chess", 3)


@pytest.fixture(scope="session", name="kalah")
def kalah_with_eight_seeds(tmp_path_factory: pytest.TempPathFactory) -> Endings:
    return endings(tmp_path_factory, "kalah", 8)


def known(of: Endings, s: Any) -> Known:
    found = of.database.look_up(s)
    assert found is not None
    return found


def sample(of: Endings, name: str, count: int, seed: int = 0) -> Iterator[tuple[int, Any]]:
    """Some numbers of a slice, and their positions."""
    rng, size = random.Random(f"{name} {seed}"), of.slices[name].size
    while count:
        number = rng.randrange(size)
        s = of.position(name, number)
        if of.endgames.slice_of(s) == of.slices[name].number and of.endgames.number_of(s) == number:
            count -= 1
            yield number, s


# Checkers: how many positions there are.


@pytest.mark.parametrize(
    ("pieces", "positions"),
    [(2, 3488), (3, 196_032), (4, 6_209_316), (5, 139_450_808), (6, 2_426_085_676)],
)
def test_positions_of_checkers(pieces: int, positions: int) -> None:
    endgames = game("checkers").endgames
    assert endgames is not None
    slices = endgames.slices(pieces)
    assert sum(each.size for each in slices if each.pieces == pieces) == positions
    assert len({each.number for each in slices}) == len({each.name for each in slices})
    assert len(slices) == comb(pieces + 4, 4) - 2 * comb(pieces + 2, 2) + 1


def placements(men: int, kings: int, their_men: int, their_kings: int) -> int:
    """In how many ways pieces can stand on the 32 squares, by trying everything but kings."""
    count = 0
    free = 32 - men - their_men
    for mine in combinations(range(28), men):  # not on the row where they become kings
        there = [square for square in range(4, 32) if square not in mine]
        count += comb(len(there), their_men)
    return count * comb(free, kings) * comb(free - kings, their_kings)


def test_each_slice_of_checkers_has_all_positions(checkers: Endings) -> None:
    for name, of in checkers.slices.items():
        mine, theirs = name.split("v")
        counts = (mine.count("M"), mine.count("K"), theirs.count("M"), theirs.count("K"))
        assert of.size == placements(*counts), name
        assert (checkers.values(name) != UNUSED).all(), "each number stands for a position"


#: Won, drawn and lost for the player to move, and the plies of the longest win or loss.
CHECKERS = {
    "KvK": (230, 654, 108, 11),
    "KvM": (331, 531, 6, 11),
    "MvK": (53, 574, 241, 12),
    "MvM": (102, 611, 47, 13),
    "KKvK": (14_846, 34, 0, 33),
    "KvKK": (412, 1_450, 13_018, 34),
    "MMvM": (9_928, 8, 0, 61),
    "KvMM": (687, 1_242, 9_411, 62),
}


def counted(values: Any) -> tuple[int, int, int, int]:
    used = values[values != UNUSED].astype(int)
    decided = used[used != 0]
    longest = int(DECIDED - np.abs(decided).min()) if len(decided) else 0
    return int((used > 0).sum()), int((used == 0).sum()), int((used < 0).sum()), longest


def said(of: Endings, name: str) -> tuple[int, int, int, int | None]:
    header = of.file(name).header
    assert header.positions == header.won + header.drawn + header.lost
    return header.won, header.drawn, header.lost, header.longest


def test_what_checkers_is_worth(checkers: Endings) -> None:
    longest = {2: 0, 3: 0}
    for name, of in checkers.slices.items():
        found = counted(checkers.values(name))
        assert said(checkers, name) == found
        assert CHECKERS.get(name, found) == found, name
        longest[of.pieces] = max(longest[of.pieces], found[3])
    assert longest == {2: 13, 3: 62}


# Checkers by another way: the graph of all positions that can follow.


@pytest.fixture(scope="session", name="oracle")
def checkers_without_a_limit() -> Any:
    return game("checkers(move_limit=0)").solver()


def assert_solved(checkers: Endings, oracle: Any, s: Any) -> int:
    """Compare a position's value with what the graph says; return the plies."""
    right = oracle.solve(checkers.game.format(s), method="graph", detail="win_in")
    if right.method == "rules":
        assert known_of(checkers.game, checkers.database, s) == Known(int(right.value), None)
        return 0
    assert right.method == "graph"
    found = known(checkers, s)
    assert (found.value, found.win_in) == (right.value, right.win_in), checkers.game.format(s)
    return right.win_in or 0


@pytest.mark.parametrize(("name", "longest"), [("KvK", 11), ("MvM", 13)])
def test_every_position_of_two_pieces(
    checkers: Endings, oracle: Any, name: str, longest: int
) -> None:
    positions = [checkers.position(name, n) for n in range(checkers.slices[name].size)]
    assert max(assert_solved(checkers, oracle, s) for s in positions) == longest


def test_positions_of_three_pieces(checkers: Endings, oracle: Any) -> None:
    plies = [
        assert_solved(checkers, oracle, s)
        for name in checkers.slices
        for _, s in sample(checkers, name, 20)
    ]
    assert {-1, 0, 1} <= {(n > 0) - (n < 0) for n in plies}
    assert max(map(abs, plies)) > 30


def captures(g: Game[Any], s: Any) -> int:
    return sum("x" in g.format_move(s, a) for a in g.moves(s))


def test_positions_with_a_capture_due(checkers: Endings, oracle: Any) -> None:
    """Also of several pieces at once, and with a choice."""
    due = [
        s
        for name in ("KvKK", "KKvK", "MvMM", "MvMK", "MKvM", "MMvK")
        for _, s in sample(checkers, name, 150, seed=1)
        if captures(checkers.game, s)
    ]
    double = [
        s for s in due if checkers.game.format_move(s, checkers.game.moves(s)[0]).count("x") > 1
    ]
    choice = [s for s in due if captures(checkers.game, s) > 1]
    assert len(double) > 1
    assert len(choice) > 3
    for s in (*double[:5], *choice[:10], *due[:15]):
        assert_solved(checkers, oracle, s)


def turned_round(text: str) -> str:
    """A position with the colors exchanged and the board turned."""
    sides = {}
    turn, *placed = text.split(":")
    for each in placed:
        squares = [square for square in each[1:].split(",") if square]
        sides["WB"[each[0] == "W"]] = ",".join(
            f"K{33 - int(square[1:])}" if square[0] == "K" else str(33 - int(square))
            for square in squares
        )
    return f"{'WB'[turn == 'W']}:W{sides['W']}:B{sides['B']}"


def test_both_colors_are_worth_the_same(checkers: Endings) -> None:
    g = checkers.game
    for name in checkers.slices:
        for _, s in sample(checkers, name, 40, seed=2):
            other = g.parse(turned_round(g.format(s)))
            assert (g.player(s) == MIN) != (g.player(other) == MIN)
            assert g.format(g.parse(turned_round(g.format(other)))) == g.format(s)
            assert checkers.database.value(other) == checkers.database.value(s)


def test_the_moves_before_do_not_matter(checkers: Endings) -> None:
    """A position in the middle of a game is looked up like any other."""
    g = checkers.game
    rng = random.Random(4)
    seen = 0
    for _ in range(20):
        s = g.parse("B:WK32,30:BK1")
        while moves := g.moves(s):
            plain = known_of(g, checkers.database, g.parse(g.format(s)))
            assert known_of(g, checkers.database, s) == plain
            s = g.result(s, rng.choice(moves))
            seen += 1
            if seen % 40 == 0:
                break
    assert seen > 100


# Whatever the game: moves, best play, and three ways to make a table.


def some_endings(of: Endings) -> list[Any]:
    """Some positions of each slice, and some where the next move wins."""
    some = [s for name in of.slices for _, s in sample(of, name, 12, seed=3)]
    for name in of.slices:
        soon = np.flatnonzero(of.values(name) == DECIDED - 1)
        some += [of.position(name, int(n)) for n in soon[:: len(soon) // 4 + 1]]
    return some


@pytest.mark.parametrize("which", ["checkers", "chess"])
def test_moves_are_ranked_and_worth_what_the_position_is(
    which: str, request: pytest.FixtureRequest
) -> None:
    of: Endings = request.getfixturevalue(which)
    mating = 0
    for s in some_endings(of):
        moves = known_moves(of.game, of.database, s)
        assert moves is not None
        assert sorted(moves) == sorted(of.game.moves(s))
        if not moves:
            continue
        ranks = [each.rank for each in moves.values()]
        assert ranks == sorted(ranks, reverse=True)
        best = next(iter(moves.values()))
        assert best == known(of, s)
        for a, each in moves.items():
            after = of.game.result(s, a)
            if each.win_in == 1:
                mating += 1
                assert not of.game.moves(after)
            elif each.win_in is not None:
                assert of.database.look_up(after) is None or (
                    known(of, after).win_in in (1 - each.win_in, -1 - each.win_in)
                )
            assert (each.win_in is None) == (each.value == 0)
            assert each.win_in is None or (each.win_in > 0) == (each.value > 0)
    assert mating > 0


@pytest.mark.parametrize("which", ["checkers", "chess"])
def test_best_play_takes_as_long_as_it_is_said(which: str, request: pytest.FixtureRequest) -> None:
    of: Endings = request.getfixturevalue(which)
    longest = 0
    for s in some_endings(of):
        if not of.game.moves(s):
            continue
        found, line = known(of, s), best_play(of.game, of.database, s)
        assert len(line) == abs(found.win_in or 0)
        sign = -1 if of.game.player(s) == MIN else 1
        for a in line:
            s = of.game.result(s, a)
        assert not line or not of.game.moves(s)
        assert not line or of.game.utility(s) == sign * found.value
        longest = max(longest, len(line))
    assert longest > 20


def test_a_finished_game_in_a_table_is_not_won(checkers: Endings) -> None:
    """Black's man is blocked, so Black has lost; the position has a number all the same."""
    s = checkers.game.parse("B:W9,14:B5")
    assert checkers.game.moves(s) == []
    assert checkers.database.value(s) == -DECIDED
    assert known_of(checkers.game, checkers.database, s) == Known(-1, None)
    assert known_moves(checkers.game, checkers.database, s) == {}
    assert best_play(checkers.game, checkers.database, s) == []
    assert known(checkers, s).value == -1
    assert "won" not in known(checkers, s).words


def loaded(of: Endings, group: Group) -> Tables:
    """A group as it is to be made: what it leads to is there."""
    tables = Tables(group)
    for each in group.exits:
        read_table(of.file(each.name), tables.part(each), of.coder)
    return tables


def groups_of(of: Endings) -> list[Group]:
    return in_order(list(of.slices.values()), of.game.name)


@pytest.mark.parametrize("which", ["checkers", "chess"])
def test_backwards_and_by_sweeps_are_the_same(
    which: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With room for all moves of a group, for half (they are then listed twice), or for none."""
    of: Endings = request.getfixturevalue(which)
    listed: list[int] = []
    list_edges = Maker._list

    def counted(self: Maker[Any], *args: Any) -> Iterator[tuple[int, int, Any]]:
        listed.append(0)
        for first, last, part in list_edges(self, *args):
            listed[-1] += len(part)
            yield first, last, part

    monkeypatch.setattr(Maker, "_list", counted)
    for group in groups_of(of):
        if "P" in group.name:
            continue  # takes a while, and those below do as well
        backwards, sweeps, twice = loaded(of, group), loaded(of, group), loaded(of, group)
        of.maker.make(backwards, PLENTY)
        edges = listed[-1]
        of.maker.make(sweeps, 0)
        assert (backwards.values == sweeps.values).all(), group.name
        listed.clear()
        of.maker.make(twice, 6 * edges)
        assert listed == [edges, edges] or edges == 0
        assert (backwards.values == twice.values).all(), group.name
        for each in group.slices:
            assert (backwards.part(each) == of.values(each.name)).all(), each.name
            assert of.maker.differences(backwards, each, threads=2)[0] == 0


def with_all(of: Endings, group: Group) -> Tables:
    tables = loaded(of, group)
    for each in group.slices:
        tables.part(each)[:] = of.values(each.name)
    return tables


@pytest.mark.parametrize(("which", "count"), [("checkers", 12), ("chess", 5), ("kalah", 12)])
def test_interpreted_rules_say_the_same(
    which: str, count: int, request: pytest.FixtureRequest
) -> None:
    of: Endings = request.getfixturevalue(which)
    g = of.game.reduced_to(NEEDED)
    run = interpreted(sweep, g)  # type: ignore[arg-type]
    rows = [[0] * g.facts.max_moves for _ in range(2)]
    for group in groups_of(of):
        tables = with_all(of, group)
        values, directory = tables.values.tolist(), tables.directory.tolist()
        for each in group.slices:
            begin = tables.begin(each)
            if each.pieces == 1:
                continue  # Kalah has no position with a single seed
            for number, _ in sample(of, each.name, count, seed=5):
                for task in (COMPARE, WRITE):
                    control, right = Sweep(next=number), values[begin + number]
                    if task == WRITE:
                        values[begin + number] = 99
                    run(each.number, begin, number + 1, task, values, directory, rows, [control])
                    assert (control.used, control.changed) == (1, int(task == WRITE))
                    assert (control.stop, control.fault) == (0, 0)
                    assert values[begin + number] == right


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(st.integers(0, 991), st.sampled_from([0, 1, -1, 5, DECIDED - 3, 4 - DECIDED])),
        min_size=1,
        max_size=5,
    )
)
def test_no_wrong_value_is_verified(checkers: Endings, changes: list[tuple[int, int]]) -> None:
    """Whatever else is wrong: that the values say the same of each other is a proof."""
    group = next(each for each in groups_of(checkers) if each.name == "KvK")
    tables = with_all(checkers, group)
    right = tables.values.copy()
    assert checkers.maker.differences(tables, group.slices[0]) == (0, -1, 992)
    for number, value in changes:
        tables.values[number] = value
    wrong, first, used = checkers.maker.differences(tables, group.slices[0], threads=3)
    assert used == 992
    changed = np.flatnonzero(tables.values != right)
    assert (wrong > 0) == (first >= 0) == (len(changed) > 0)


def test_wins_that_support_each_other_are_not_verified(checkers: Endings) -> None:
    """All draws declared won, or lost: consistent in a circle, but for the distances."""
    group = next(each for each in groups_of(checkers) if each.name == "KvK")
    for value in (100, DECIDED - 40, -100, 40 - DECIDED):
        tables = with_all(checkers, group)
        tables.values[tables.values == 0] = value
        assert checkers.maker.differences(tables, group.slices[0])[0] > 0


# Chess.


#: Won, drawn and lost for the player to move, and the plies of the longest win or loss.
CHESS = {
    "KvK": (0, 462, 0, 0),
    "KQvK": (18_081, 0, 0, 19),
    "KRvK": (21_959, 0, 0, 31),
    "KBvK": (0, 24_178, 0, 0),
    "KNvK": (0, 25_750, 0, 0),
    "KPvK": (62_480, 19_184, 0, 55),
    "KvKQ": (0, 2_896, 25_160, 20),
    "KvKR": (0, 2_796, 25_260, 32),
    "KvKP": (0, 35_210, 48_802, 56),
}


def test_what_chess_with_three_men_is_worth(chess: Endings) -> None:
    for name in chess.slices:
        found = counted(chess.values(name))
        assert said(chess, name) == found
        assert CHESS.get(name, found) == found, name


@pytest.mark.parametrize(
    ("fen", "value", "win_in"),
    [
        ("6k1/8/5QK1/8/8/8/8/8 w - - 0 1", 1, 1),  # Qg7 or Qd8 mates
        ("8/8/8/8/8/2k5/7q/K7 b - - 0 1", 1, 1),
        ("7k/8/6K1/8/8/8/8/R7 w - - 0 1", 1, 1),  # on the last rank
        ("7k/8/6K1/8/8/8/8/R7 b - - 0 1", -1, -2),
        ("7k/8/8/8/8/8/5K2/6Q1 b - - 0 1", -1, None),
        ("7k/5Q2/5K2/8/8/8/8/8 b - - 0 1", 0, None),  # stalemate
        ("k7/P7/1K6/8/8/8/8/8 b - - 0 1", 0, None),  # stalemate
        ("k7/8/1KP5/8/8/8/8/8 w - - 0 1", 1, None),
        ("8/8/8/8/4k3/8/4P3/4K3 w - - 0 1", 0, None),  # the king does not get in front
        ("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1", 1, None),  # on the sixth rank it always wins
        ("4k3/8/4K3/4P3/8/8/8/8 b - - 0 1", -1, None),
        ("8/4k3/8/4K3/4P3/8/8/8 w - - 0 1", 0, None),  # the other side has the opposition
        ("8/4k3/8/4K3/4P3/8/8/8 b - - 0 1", -1, None),
        ("7k/8/6KP/8/8/8/8/8 w - - 0 1", 0, None),  # a rook's pawn
        ("8/P7/8/8/8/8/k7/2K5 w - - 0 1", 1, None),
        ("8/8/8/8/8/1k6/8/KB6 w - - 0 1", 0, None),
        ("8/8/8/3qk3/8/8/8/K7 w - - 0 1", -1, None),
        ("8/8/8/8/8/8/1q6/K6k w - - 0 1", 0, None),  # the queen can be taken
    ],
)
def test_known_endings_of_chess(chess: Endings, fen: str, value: int, win_in: int | None) -> None:
    found = known_of(chess.game, chess.database, chess.game.parse(fen))
    assert found is not None
    assert found.value == value
    assert win_in is None or found.win_in == win_in


def mated_in(board: Any, plies: int) -> bool:
    """Whether the player to move is mated within so many plies, whatever he does."""
    if board.is_checkmate():
        return True
    if plies < 2 or not any(board.legal_moves):
        return False
    for move in list(board.legal_moves):
        board.push(move)
        escaped = not mates_in(board, plies - 1)
        board.pop()
        if escaped:
            return False
    return True


def mates_in(board: Any, plies: int) -> bool:
    """Whether the player to move mates within so many plies."""
    for move in list(board.legal_moves):
        board.push(move)
        mated = mated_in(board, plies - 1)
        board.pop()
        if mated:
            return True
    return False


@pytest.mark.parametrize("name", ["KQvK", "KRvK", "KPvK", "KvKQ", "KvKR", "KvKP"])
def test_mates_against_python_chess(chess: Endings, name: str) -> None:
    other = pytest.importorskip("chess", reason="python-chess is not to be had here")
    values, plies_found = chess.values(name), set()
    near = np.flatnonzero((values != UNUSED) & (values != 0) & (np.abs(values) >= DECIDED - 3))
    rng = random.Random(name)
    numbers = [
        *rng.sample(near.tolist(), min(len(near), 30)),
        *(n for n, _ in sample(chess, name, 60)),
    ]
    for number in numbers:
        s = chess.position(name, number)
        board = other.Board(chess.game.format(s))
        value = int(values[number])
        assert (value == -DECIDED) == board.is_checkmate()
        if board.is_stalemate() or board.is_insufficient_material():
            assert value == 0
        plies = DECIDED - abs(value)
        assert (value > 0 and plies == 1) == mates_in(board, 1)
        assert (value < 0 and plies <= 2) == mated_in(board, 2)
        if value != 0 and plies <= 3:
            plies_found.add(plies)
            assert value < 0 or mates_in(board, plies)
    assert plies_found


# Kalah.


def any_kalah(rng: random.Random, pits: int, seeds: int, most: int) -> KalahState:
    """A position with some seeds in the pits and the others in the stores."""
    sides = [[0] * (pits + 1) for _ in range(2)]
    inside = rng.randrange(2, most + 1)
    for _ in range(inside):
        sides[rng.randrange(2)][rng.randrange(pits)] += 1
    left = 2 * pits * seeds - inside
    sides[0][pits] = rng.randrange(left + 1)
    sides[1][pits] = left - sides[0][pits]
    return KalahState(*packed(*sides), rng.randrange(2))


@pytest.mark.parametrize(
    ("spec", "pits", "seeds", "most"),
    [
        ("kalah", 6, 4, 8),
        ("kalah(pits=3,seeds=2,empty_capture=true,rest=mover)", 3, 2, 8),
    ],
)
def test_kalah_against_search(
    tmp_path_factory: pytest.TempPathFactory, spec: str, pits: int, seeds: int, most: int
) -> None:
    of = endings(tmp_path_factory, spec, most)
    g, rng, turns = of.game, random.Random(spec), set()
    with g.solver() as solver:
        for _ in range(60):
            s = any_kalah(rng, pits, seeds, most)
            right = solver.solve(s)
            if all(any(side[:pits]) for side in unpacked(s, pits)):
                turns.add((g.player(s), right.value > 0))
                assert known(of, s) == Known(int(right.value), None)
            moves = known_moves(g, of.database, s)
            assert moves is not None
            if g.moves(s):
                assert {line.pv[0]: line.value for line in right.lines} == {
                    a: each.value for a, each in moves.items()
                }
                assert next(iter(moves.values())).value == right.value
    assert len(turns) == 4, "both sides to move, ahead and not"


def test_what_is_banked_counts_and_changes_nothing_else(kalah: Endings) -> None:
    g, rng = kalah.game, random.Random(6)
    for _ in range(200):
        s = any_kalah(rng, 6, 4, 8)
        sides = unpacked(s, 6)
        value = kalah.database.value(s)
        lead = sides[s.turn][6] - sides[1 - s.turn][6]
        if value is not None:
            assert known(kalah, s).value == value + lead
        gained = max(0, sides[0][6] - 3)
        sides[1][6] += sides[0][6] - gained
        sides[0][6] = gained
        assert kalah.database.value(KalahState(*packed(*sides), s.turn)) == value
        assert g.moves(KalahState(*packed(*sides), s.turn)) == g.moves(s)
