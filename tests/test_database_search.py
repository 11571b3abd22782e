"""Every search with a database of end-games: what it says is what the database says, or agrees."""

import random
import re
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from databases import (
    PIECES,
    WIN,
    best_known,
    damaged,
    database,
    endgames_of,
    knowing,
    known,
    moves_known,
    positions,
    tables_of,
)
from random_nets import random_net

from threefold import Game, ThreefoldError, game
from threefold.arena.lines import parse_line
from threefold.arena.players import make
from threefold.engine.analysis import Engine
from threefold.engine.endgames import database as database_module
from threefold.engine.endgames.database import Database
from threefold.engine.limits import Limits
from threefold.engine.mcts import MonteCarlo, mcts
from threefold.engine.result import Line, Result
from threefold.protocols.player import Budget, Turn
from threefold.rules.contract import DRAWN, MAX
from threefold.solve.solve import METHODS, solve

#: Games of wins and losses, whose values have distances.
SPECS = ("checkers", "chess")
#: Lost in ten plies, by a forced line.
LOST = "B:WK6,K28:BK4"
#: Won in 21 plies.
ROOK = "8/8/8/3k4/8/3KR3/8/8 w - - 0 1"
#: In Kalah, positions of this many seeds are two moves or more away from the database.
SEEDS = (9, 13)


@cache
def engine(of: Game[Any], threads: int = 1) -> Engine[Any]:
    return Engine(of, megabytes=2, threads=threads)


def analyze(of: Game[Any], s: Any, **options: Any) -> Result[Any]:
    """A search from an empty table, with limits and options by their names."""
    limits = {name: options.pop(name) for name in ("depth", "nodes") if name in options}
    one = engine(of, options.pop("threads", 1))
    one.clear()
    return one.analyze(s, Limits(**limits), **options)


def outcome(value: float) -> int:
    return (value > 0) - (value < 0)


def follow(of: Game[Any], s: Any, moves: tuple[int, ...]) -> Any:
    """The position after some moves, all of which must be legal."""
    for a in moves:
        assert a in of.moves(s), f"{of.format(s)} has no move {a}"
        s = of.result(s, a)
    return s


def is_played_to_the_end(of: Game[Any], s: Any, line: Line | Result[Any]) -> bool:
    """Whether a line of play ends with the game, won or lost, when it says."""
    end = follow(of, s, line.pv)
    assert line.win_in is not None
    if of.moves(end) or len(line.pv) != abs(line.win_in):
        return False
    return of.utility(end) * (1 if of.player(s) == MAX else -1) == outcome(line.win_in)


def with_a_draw_by_rule(of: Game[Any], s: Any) -> bool:
    """Whether a move leads to a draw by rule, as bare kings are."""
    return any(of.drawn(of.result(s, a)) == DRAWN for a in of.moves(s))


# Alpha-beta, in the database.


@pytest.mark.parametrize("depth", [1, 2, 6])
@pytest.mark.parametrize("spec", SPECS)
def test_alpha_beta_says_what_the_database_says(spec: str, depth: int) -> None:
    knows = knowing(spec)
    for s in positions(knows, 25 if spec == "chess" else 60, seed=depth):
        said, found = known(knows, s), analyze(knows, s, depth=depth)
        assert (found.value, found.win_in) == (said.value * WIN, said.win_in), knows.format(s)
        assert found.best in best_known(knows, s)
        assert found.pv[0] == found.best
        follow(knows, s, found.pv)
        if said.win_in is not None:
            assert is_played_to_the_end(knows, s, found)
        if not with_a_draw_by_rule(knows, s):
            assert found.exact, knows.format(s)
            assert found.depth == 1, "there is nothing to look for"
        assert found.is_in_database


@pytest.mark.parametrize(
    "fen",
    [
        "8/8/8/2k5/8/3K4/3r4/8 w - - 0 1",  # the rook is taken: a draw
        "2K5/3p4/8/k7/8/8/8/8 w - - 0 1",  # the pawn is
        "1K6/6P1/8/8/8/8/8/6k1 w - - 0 1",  # won, though a knight instead of a queen would draw
    ],
)
def test_a_draw_by_bare_kings_is_no_guess(fen: str) -> None:
    knows = knowing("chess")
    s = knows.parse(fen)
    found = analyze(knows, s, depth=3)
    assert (found.value, found.win_in) == (known(knows, s).value * WIN, known(knows, s).win_in)
    assert found.exact


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("spec", SPECS)
def test_every_move_has_its_value(spec: str, threads: int) -> None:
    knows = knowing(spec)
    for s in positions(knows, 8 if spec == "chess" else 25, seed=10 + threads):
        said = moves_known(knows, s)
        found = analyze(knows, s, depth=2, multipv=len(said), threads=threads)
        assert {line.move: (outcome(line.value), line.win_in) for line in found.lines} == {
            a: (each.value, each.win_in) for a, each in said.items()
        }
        ranks = [said[line.move].rank for line in found.lines]
        assert ranks == sorted(ranks, reverse=True)
        for line in found.lines:
            assert line.win_in is None or is_played_to_the_end(knows, s, line)
            assert line.exact or with_a_draw_by_rule(knows, s)


def test_a_limit_of_nodes_or_few_moves_to_consider_change_no_value() -> None:
    knows = knowing("checkers")
    for s in positions(knows, 20, seed=20):
        moves = moves_known(knows, s)
        a = random.Random(str(s)).choice(list(moves))
        found = analyze(knows, s, depth=3, moves=[a])
        assert (found.best, found.win_in) == (a, moves[a].win_in)
        assert found.value == moves[a].value * WIN
        found = analyze(knows, s, nodes=200, seed=7)
        assert found.win_in == known(knows, s).win_in
        assert found.best in best_known(knows, s)


@pytest.mark.parametrize("first", ["net", "database"])
def test_a_net_is_not_asked_where_the_database_knows(first: str) -> None:
    plain = game("checkers")
    net = random_net(plain)
    if first == "net":
        knows = plain.judged_by(net).with_database(database("checkers"))
    else:
        knows = knowing("checkers").judged_by(net)
    assert knows.net is not None
    for s in positions(plain, 20, seed=30):
        found = analyze(knows, s, depth=3)
        assert (found.value, found.win_in) == (known(knows, s).value * WIN, known(knows, s).win_in)
        assert found.exact
    for s in positions(plain, 10, seed=31, least=6, most=6):
        assert analyze(knows, s, depth=4).best in plain.moves(s)


def test_an_evaluation_may_be_chosen_before_or_after() -> None:
    s = game("checkers").parse(LOST)
    after = knowing("checkers").using("material")
    before = game("checkers").using("material").with_database(database("checkers"))
    for knows in (after, before):
        assert knows.evaluation == "material"
        assert analyze(knows, s, depth=2).win_in == -10


def test_outcomes_without_distances_are_better_than_a_guess_but_not_proven() -> None:
    knows = knowing("checkers", distances=False)
    for s in positions(knows, 40, seed=40):
        value = known(knowing("checkers"), s).value
        assert (known(knows, s).value, known(knows, s).win_in) == (value, None)
        found = analyze(knows, s, depth=1)
        assert outcome(found.value) == value
        if value == 0:
            assert found.best in {a for a, each in moves_known(knows, s).items() if each.value == 0}
        elif abs(known(knowing("checkers"), s).win_in or 0) > 1:
            assert not found.exact
            assert found.win_in is None
            assert abs(found.value) == WIN


# Alpha-beta, outside.


def test_a_capture_away_the_value_is_proven_by_the_database() -> None:
    """Where all moves lead into the database, a search of one ply knows all."""
    plain, knows = game("checkers"), knowing("checkers")
    proven = 0
    for s in positions(plain, 1500, seed=50, least=4, most=4):
        children = [plain.result(s, a) for a in plain.moves(s)]
        outside = tables_of(knows).value(s) is None
        if outside and all(
            not plain.moves(c) or tables_of(knows).value(c) is not None for c in children
        ):
            moves = moves_known(knows, s)
            best = next(iter(moves.values()))
            found = analyze(knows, s, depth=1)
            assert found.exact
            assert (found.value, found.win_in) == (best.value * WIN, best.win_in)
            assert best.win_in is None or is_played_to_the_end(plain, s, found)
            assert not found.is_in_database
            assert "database" not in str(found)
            proven += 1
    assert proven > 100


def test_a_win_by_capture_is_announced() -> None:
    knows = knowing("chess")
    s = knows.parse("8/8/8/3k4/8/8/3r4/K2Q4 w - - 0 1")
    found = analyze(knows, s, depth=1)
    takes = knows.parse_move(s, "Qxd2+")
    after = known(knows, knows.result(s, takes))
    assert found.best == takes
    assert after.win_in is not None
    assert found.win_in == 1 - after.win_in
    assert is_played_to_the_end(knows, s, found)
    assert found.share(found) == 1.0


def test_with_and_without_never_contradict_each_other() -> None:
    """Nor the truth, for alpha-beta and Monte Carlo tree search."""
    plain, knows, more = game("checkers"), knowing("checkers"), knowing("checkers", 4)
    proven = [0, 0, 0]
    for s in positions(plain, 100, seed=60, least=4, most=4):
        moves = moves_known(more, s)
        without, with_it = analyze(plain, s, nodes=2000), analyze(knows, s, nodes=2000)
        tree = mcts(knows, s, Limits(nodes=1000), multipv=len(moves), megabytes=1)
        for number, found in enumerate((without, with_it, tree)):
            truth = known(more, s)
            if found.exact:
                proven[number] += 1
                assert found.value == truth.value * WIN
                assert found.win_in == truth.win_in or found is tree, "it knows of a win, not which"
            if found.win_in is not None:
                assert outcome(found.win_in) == truth.value
            for line in found.lines:
                follow(plain, s, line.pv)
                assert not line.exact or line.value == moves[line.move].value * WIN
                assert line.win_in is None or outcome(line.win_in) == moves[line.move].value
        assert with_it.exact or not without.exact
    assert proven[1] > 1.5 * proven[0]
    assert proven[2] > 20


def test_plain_minimax_ignores_the_database() -> None:
    plain, knows = game("checkers"), knowing("checkers")
    for most, depth in ((3, 1), (3, 5), (4, 1), (4, 4)):
        for s in positions(plain, 15, seed=70 + most + depth, most=most):
            one, other = (
                analyze(of, s, depth=depth, exact=True, multipv=3) for of in (plain, knows)
            )
            assert (one.lines, one.value, one.nodes) == (other.lines, other.value, other.nodes)
            assert (one.exact, one.win_in) == (other.exact, other.win_in)


def test_an_engine_may_look_at_many_positions_in_turn() -> None:
    """Its table of positions serves one search after another, also of positions outside."""
    knows = knowing("checkers")
    one = Engine(knows, megabytes=1)
    for s in positions(knows, 150, seed=80, most=4):
        found = one.analyze(s, Limits(nodes=300))
        if (said := tables_of(knows).look_up(s)) is not None:
            assert (found.value, found.win_in) == (said.value * WIN, said.win_in)
            assert found.exact


# Rules about the length of games.


@pytest.mark.parametrize(
    ("spec", "text", "sure", "unsure"),
    [
        # A king that can only walk: ten plies, and then there are nine left.
        ("checkers", LOST, ":H70", ":H71"),
        # The king has one move.
        ("chess", "7k/2R5/8/8/8/8/3K4/8 b - - {} 80", "82", "83"),
    ],
)
def test_a_win_is_sure_as_long_as_the_clock_allows(
    spec: str, text: str, sure: str, unsure: str
) -> None:
    knows = knowing(spec)

    def at(clock: str) -> Any:
        return knows.parse(text.format(clock) if "{}" in text else text + clock)

    s = at(sure)
    assert len(knows.moves(s)) == 1
    said = known(knows, s)
    for depth in (1, 3):
        found = analyze(knows, s, depth=depth)
        assert found.exact
        assert found.win_in == said.win_in
        assert is_played_to_the_end(knows, s, found)
    # The rules agree: the game that the line is ends with a win.
    so_far = [s]
    for a in found.pv:
        assert knows.outcome(so_far) is None
        so_far.append(knows.result(so_far[-1], a))
    end = knows.outcome(so_far)
    assert end is not None
    assert abs(end.utility) == 1
    found = analyze(knows, at(unsure), depth=2)
    assert not found.exact
    assert found.win_in is None
    assert found.value == -WIN, "it looks lost, but is not called so"


@pytest.mark.parametrize(("halfmove", "sure"), [(0, True), (70, True), (80, False), (90, False)])
def test_a_long_win_is_not_proven_late_in_the_fifty_moves(halfmove: int, sure: bool) -> None:
    knows = knowing("chess")
    s = knows.parse(ROOK)._replace(halfmove=halfmove)
    found = analyze(knows, s, depth=2)
    assert found.best in best_known(knows, s)
    assert found.exact == sure
    assert found.win_in == (21 if sure else None)
    searched = mcts(knows, s, Limits(nodes=300), megabytes=1)
    assert searched.exact == sure
    assert not searched.exact or searched.win_in == 21


@pytest.mark.parametrize("spec", SPECS)
def test_draws_are_proven_whatever_the_clock_says(spec: str) -> None:
    knows, clock = knowing(spec), {"chess": ("halfmove", 94), "checkers": ("quiet", 74)}[spec]
    drawn = 0
    for s in positions(knows, 200, seed=90):
        moves = moves_known(knows, s)
        if all(each.value == 0 for each in moves.values()) and not with_a_draw_by_rule(knows, s):
            late = s._replace(**{clock[0]: clock[1]})
            for one in (s, late):
                found = analyze(knows, one, depth=2)
                assert (found.value, found.exact, found.win_in) == (0, True, None)
            drawn += 1
    assert drawn > 5


@pytest.mark.parametrize("spec", SPECS)
def test_nothing_is_proven_that_the_game_so_far_could_spoil(spec: str) -> None:
    knows = knowing(spec)
    rng = random.Random(100)
    decided = 0
    for s in positions(knows, 80, seed=100):
        before = []
        for _ in range(3):
            child = knows.result(s, rng.choice(knows.moves(s)))
            if not knows.moves(child):
                break
            before.append(s)
            s = child
        said = known(knows, s)
        found = analyze(knows, s, depth=3, history=before)
        if before and abs(said.win_in or 0) > 1 and not with_a_draw_by_rule(knows, s):
            decided += 1
            assert not found.exact
            assert found.win_in is None or outcome(found.win_in) == said.value
        elif said.value == 0:
            assert found.value == 0
    assert decided > 20


def test_a_win_through_a_repeated_position_is_none() -> None:
    plain, knows = game("checkers"), knowing("checkers")
    tried = 0
    for s in positions(knows, 1000, seed=110):
        moves = moves_known(knows, s)
        won = [a for a, each in moves.items() if each.value > 0]
        if len(won) == 1 and len(moves) > 1 and (moves[won[0]].win_in or 0) > 1:
            child = plain.result(s, won[0])
            found = analyze(knows, s, depth=2, history=[child, child])
            assert found.value <= 0
            assert found.best == won[0] or moves[found.best or 0].value == 0
            assert not found.exact
            assert analyze(knows, s, depth=2).win_in == moves[won[0]].win_in
            tried += 1
    assert tried > 10


# Monte Carlo tree search.


@pytest.mark.parametrize("spec", [*SPECS, "kalah"])
def test_tree_search_proves_the_value_at_once(spec: str) -> None:
    knows = knowing(spec)
    for s in positions(knows, 30, seed=120):
        said, moves = known(knows, s), moves_known(knows, s)
        found = mcts(knows, s, Limits(nodes=10_000), multipv=len(moves), megabytes=1)
        assert found.exact
        assert found.nodes <= len(moves)
        assert (found.value, found.win_in) == (said.value * WIN, said.win_in)
        assert found.best in best_known(knows, s)
        for line in found.lines:
            assert not line.exact or (line.value, line.win_in) == (
                moves[line.move].value * WIN,
                moves[line.move].win_in,
            )
            assert line.exact or spec == "kalah", "bounds may be enough"


@pytest.mark.parametrize("spec", ["checkers", "kalah"])
def test_random_games_end_in_the_database(spec: str) -> None:
    plain, knows = game(spec), knowing(spec)
    s = plain.initial() if spec == "kalah" else positions(plain, 1, seed=140, least=8, most=8)[0]
    one = MonteCarlo(knows, s, megabytes=1, seed=1)
    found = one.run(Limits(nodes=400))
    assert found.best in plain.moves(s)
    assert one.control.database.probes > 100
    again = MonteCarlo(knows, s, megabytes=1, seed=1).run(Limits(nodes=400))
    assert (again.lines, again.value) == (found.lines, found.value)


# Solving.


@pytest.mark.parametrize("spec", [*SPECS, "kalah"])
def test_solving_looks_up_what_the_database_has(spec: str) -> None:
    knows = knowing(spec)
    for s in positions(knows, 10 if spec == "chess" else 40, seed=150):
        said, moves = known(knows, s), moves_known(knows, s)
        found = solve(knows, s, progress=False)
        assert (found.method, found.exact, found.complete) == ("database", True, True)
        assert (found.value, found.win_in) == (said.value, said.win_in)
        assert {line.move: (line.value, line.win_in) for line in found.lines} == {
            a: (each.value, each.win_in) for a, each in moves.items()
        }
        assert set(found.all_best) == {a for a, each in moves.items() if each.value == said.value}
        assert found.best in best_known(knows, s)
        for line in found.lines:
            assert line.exact
            follow(knows, s, line.pv)
            assert line.win_in is None or is_played_to_the_end(knows, s, line)
        assert "solved by database" in str(found)
        for detail in ("value", "win_in", "best"):
            less = solve(knows, s, detail=detail, progress=False)
            assert (less.value, less.win_in) == (said.value, said.win_in)
            assert less.best in best_known(knows, s)


def test_solving_asks_no_clock() -> None:
    """It answers as if time stood still, with a database or without."""
    knows = knowing("chess")
    assert solve(knows, knows.parse(ROOK)._replace(halfmove=90), progress=False).win_in == 21


def test_what_the_database_has_is_what_the_graph_says() -> None:
    knows = knowing("checkers")
    for s in positions(knows, 6, seed=160, most=2):
        by_graph = solve(knows, s, method="graph", progress=False)
        looked_up = solve(knows, s, progress=False)
        assert (by_graph.method, looked_up.method) == ("graph", "database")
        assert (by_graph.value, by_graph.win_in) == (looked_up.value, looked_up.win_in)
        assert {(line.move, line.value, line.win_in) for line in by_graph.lines} == {
            (line.move, line.value, line.win_in) for line in looked_up.lines
        }
        assert set(by_graph.all_best) == set(looked_up.all_best)


def test_positions_outside_are_solved_as_before() -> None:
    """A capture leads from here to two kings at most, so the graph is small."""
    plain, knows = game("checkers"), knowing("checkers", 2)
    s = plain.parse("B:W14,22:BK9")
    one, other = (solve(of, s, progress=False) for of in (plain, knows))
    assert one.method == other.method == "graph"
    assert (one.value, one.win_in, one.all_best) == (other.value, other.win_in, other.all_best)
    assert one.nodes == other.nodes


def a_kalah_position(rng: random.Random, seeds: tuple[int, int]) -> Any:
    """One by random moves from the start, with seeds left in the pits, from so many to so many."""
    plain = game("kalah")
    while True:
        s = plain.initial()
        while plain.moves(s):
            if seeds[0] <= endgames_of(plain).slice_of(s) <= seeds[1]:
                return s
            s = plain.result(s, rng.choice(plain.moves(s)))


def kalah_positions(count: int, seed: int, seeds: tuple[int, int] = SEEDS) -> list[Any]:
    rng = random.Random(seed)
    return [a_kalah_position(rng, seeds) for _ in range(count)]


@pytest.mark.parametrize("detail", ["value", "win_in", "best", "moves"])
def test_kalah_is_solved_alike_with_and_without(detail: str) -> None:
    nodes = [0, 0]
    for s in kalah_positions(30, seed=170):
        one, other = (
            solve(of, s, method="null-window", detail=detail, progress=False)
            for of in (game("kalah"), knowing("kalah"))
        )
        assert other.method == "null-window"
        assert (one.value, one.win_in) == (other.value, other.win_in), game("kalah").format(s)
        if detail == "moves":
            assert set(one.all_best) == set(other.all_best)
            assert {(line.move, line.value) for line in one.lines} == {
                (line.move, line.value) for line in other.lines
            }
        for line in other.lines:
            follow(game("kalah"), s, line.pv)
        nodes[0] += one.nodes
        nodes[1] += other.nodes
    assert nodes[1] < nodes[0]


@pytest.mark.parametrize(
    "method", [each for each in METHODS if each not in ("partition", "proof", "superko")]
)
def test_the_value_of_kalah_by_every_method(method: str) -> None:
    for s in kalah_positions(20, seed=180, seeds=(5, 11)):
        value = solve(game("kalah"), s, detail="value", progress=False).value
        found = solve(knowing("kalah"), s, method=method, detail="value", progress=False)
        assert found.value == value


@pytest.mark.parametrize("depth", [1, 4, 12])
def test_alpha_beta_knows_what_is_left_in_kalah(depth: int) -> None:
    knows = knowing("kalah")
    for s in kalah_positions(30, seed=190, seeds=(2, 8)):
        found = analyze(knows, s, depth=depth)
        assert found.value == known(knows, s).value * WIN
        assert found.best in best_known(knows, s)
        follow(knows, s, found.pv)


def test_alpha_beta_that_looks_far_enough_plays_kalah_as_well_as_without() -> None:
    """All lines end in the database or before, and whatever ends them counts by its margin."""
    plain, knows = game("kalah"), knowing("kalah")
    for s in kalah_positions(40, seed=200):
        truth = solve(plain, s, progress=False)
        best = {line.move for line in truth.lines if line.value == truth.value}
        without = analyze(plain, s, depth=40)
        assert (without.value, without.best in best) == (truth.value * WIN, True)
        found = analyze(knows, s, depth=40)
        assert (found.value, found.best in best) == (truth.value * WIN, True), plain.format(s)


def test_a_database_makes_kalah_no_less_certain() -> None:
    plain, knows = game("kalah"), knowing("kalah")
    for s in kalah_positions(20, seed=210, seeds=(2, 8)):
        if analyze(plain, s, depth=12).exact:
            assert analyze(knows, s, depth=12).exact, plain.format(s)


# Damage and other games.


def ways_to_search(of: Game[Any], s: Any) -> dict[str, Callable[[], object]]:
    return {
        "alpha-beta": lambda: Engine(of, megabytes=1).analyze(s, Limits(depth=12)),
        "threads": lambda: Engine(of, megabytes=1, threads=2).analyze(s, Limits(depth=12)),
        "several lines": lambda: Engine(of, megabytes=1).analyze(s, Limits(depth=9), multipv=9),
        "tree search": lambda: mcts(of, s, Limits(nodes=2000), megabytes=1),
        "a look": lambda: tables_of(of).look_up(s),
        "solving": lambda: solve(of, s, megabytes=1, progress=False),
        "null windows": lambda: solve(of, s, method="null-window", progress=False),
    }


@pytest.mark.parametrize("decoded", ["as a whole", "by blocks"])
@pytest.mark.parametrize(
    ("spec", "text", "tables", "ways"),
    [
        (
            "checkers",
            LOST,
            ("KvKK", "KKvK"),
            "alpha-beta, threads, several lines, tree search, a look, solving",
        ),
        # A man more, two plies before it is taken.
        ("checkers", "W:WK6,K28:BK4,22", ("KvKK",), "alpha-beta, threads, several lines"),
        ("checkers", "W:WK6,K28:BK4,22", ("KvKK",), "tree search"),
        ("chess", ROOK, ("KvKR",), "alpha-beta, several lines, tree search, solving"),
        (
            "kalah",
            "2,1,0,0,0,1,26/1,1,0,2,0,3,11 S",
            ("seeds-07", "seeds-08"),
            "alpha-beta, tree search, null windows",
        ),
    ],
)
def test_a_damaged_table_is_an_error_that_names_it(
    spec: str,
    text: str,
    tables: tuple[str, ...],
    ways: str,
    decoded: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if decoded == "by blocks":
        monkeypatch.setattr(Database, "_decode", lambda *_: None)
    knows = game(spec).with_database(damaged(database(spec), tmp_path / "damaged", *tables))
    for way in ways.split(", "):
        with pytest.raises(ThreefoldError, match=r"cannot be used: .*damaged") as error:
            ways_to_search(knows, knows.parse(text))[way]()
        assert any(f"{name}.endgame" in str(error.value) for name in tables)
        assert "\n" not in str(error.value)


def test_blocks_give_the_same_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in tables too large to be decoded as a whole; here no block is kept for long."""
    monkeypatch.setattr(Database, "_decode", lambda *_: None)
    monkeypatch.setattr(database_module, "_KEPT_BLOCKS", 1)
    for spec in ("checkers", "kalah"):
        knows = game(spec).with_database(database(spec))
        for s in positions(knows, 30, seed=220):
            said = known(knowing(spec), s)
            assert known(knows, s) == said
            found = analyze(knows, s, depth=1)
            assert (found.value, found.win_in) == (said.value * WIN, said.win_in)
            assert mcts(knows, s, Limits(nodes=20), megabytes=1).value == said.value * WIN


def test_several_threads_look_up_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """As they do in the lab, where all pages share a game's database."""
    monkeypatch.setattr(database_module, "_KEPT_BLOCKS", 1)
    truth = {
        s: tables_of(knowing("checkers")).value(s) for s in positions(game("checkers"), 500, 230)
    }
    shared = Database(game("checkers"), database("checkers"))
    wrong: list[Any] = []

    def look(seed: int) -> None:
        some = list(truth)
        random.Random(seed).shuffle(some)
        for s in some * 20:
            try:
                if shared.value(s) != truth[s]:
                    wrong.append(s)
            except ThreefoldError as error:
                wrong.append(error)

    threads = [threading.Thread(target=look, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize(
    ("spec", "folder", "said"),
    [
        ("checkers", "chess", "is for chess, not for checkers"),
        ("chess", "checkers", "is for checkers, not for chess"),
        ("kalah(pits=5)", "kalah", "is for kalah(pits=6,"),
        ("kalah", "kalah(pits=5)", "is for kalah(pits=5,"),
        ("kalah(empty_capture=true)", "kalah", "not for kalah(pits=6,empty_capture=true,"),
        ("tic-tac-toe", "checkers", "ic-tac-toe"),
    ],
)
def test_a_database_of_other_rules_is_refused(spec: str, folder: str, said: str) -> None:
    with pytest.raises(ThreefoldError, match=re.escape(said)) as error:
        game(spec).with_database(database(folder))
    assert "\n" not in str(error.value)


def test_parameters_that_change_no_end_game_do_not_matter() -> None:
    chess960 = game("chess(chess960=true)").with_database(database("chess"))
    assert analyze(chess960, chess960.parse(ROOK), depth=2).win_in == 21
    kalah = game("kalah(seeds=3)").with_database(database("kalah"))
    assert known(kalah, kalah_positions(1, seed=240, seeds=(5, 5))[0])


@pytest.mark.parametrize("what", ["nothing", "an empty folder", "a file"])
def test_a_folder_without_tables_is_refused(what: str, tmp_path: Path) -> None:
    folder = tmp_path / "tables"
    if what == "an empty folder":
        folder.mkdir()
    elif what == "a file":
        folder.write_text("no table")
    with pytest.raises(ThreefoldError, match=r"'.*tables'") as error:
        game("checkers").with_database(folder)
    assert "\n" not in str(error.value)


# Playing.


def play_out(knows: Game[Any], s: Any, player: Any, defense: str, seed: int) -> tuple[int, int]:
    """A game from a position of the database, against one who is not winning.

    What it is worth to the player, and how many plies it took; a long one is a draw.
    """
    rng = random.Random(seed)
    side = knows.player(s) if known(knows, s).value >= 0 else 1 - knows.player(s)
    so_far, moves = [s], list[int]()
    player.begin(s, seed)
    while (end := knows.outcome(so_far)) is None and len(moves) < 80:
        now = so_far[-1]
        if knows.player(now) == side:
            a = player.choose(Turn(so_far, moves, seed=seed)).move
        elif defense == "random":
            a = rng.choice(knows.moves(now))
        else:
            a = next(iter(moves_known(knows, now)))
        moves.append(a)
        so_far.append(knows.result(now, a))
    value = 0 if end is None else int(end.utility)
    return value if side == MAX else -value, len(moves)


@pytest.mark.parametrize("defense", ["random", "longest"])
@pytest.mark.parametrize(
    "line", ["alphabeta(nodes=400)", "level(full)", "level(5)", "mcts(simulations=60,memory=1)"]
)
@pytest.mark.parametrize("spec", SPECS)
def test_who_has_a_database_never_errs(spec: str, line: str, defense: str) -> None:
    plain, knows = game(spec), knowing(spec)
    named = parse_line(line)
    options = {**named.options, "database": str(database(spec))}
    player = make(type(named)(named.kind, named.words, options), plain, Budget())
    player.get_ready()
    for number, s in enumerate(positions(knows, 14, seed=len(line))):
        said = known(knows, s)
        value, plies = play_out(knows, s, player, defense, number)
        if said.win_in is None:
            assert value >= 0, plain.format(s)
            continue
        assert value == 1, plain.format(s)
        assert plies <= abs(said.win_in)
        assert plies == abs(said.win_in) or defense == "random"


def test_the_tables_of_these_tests_are_small() -> None:
    """Within the clocks, so that all their wins are sure."""
    for spec, most in (("checkers", 70), ("chess", 60)):
        longest = [table.header.longest or 0 for table in tables_of(knowing(spec)).tables.values()]
        assert max(longest) < most
        assert tables_of(knowing(spec)).pieces == PIECES[spec]
