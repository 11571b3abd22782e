"""The compiled way, and each thing that bites on the way there."""

import json
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple

import nim
import processes
import pytest
from test_fingerprint import CELL

from threefold import CHANCE, Game, ThreefoldError, game
from threefold.engine.alphabeta import choose
from threefold.engine.compile import Compiled
from threefold.engine.negamax import negamax_from
from threefold.errors import BrokenRules, NotCompilable
from threefold.rules.bits import shl

ALL_GAMES = ["tic-tac-toe", "nim", "dice-nim(loaded=true)", "connect-four", "othello(size=6)"]


# Interpreted rules stay untouched.


def test_hooks_stay_the_authors_own_objects() -> None:
    g = nim.nim()
    before = dict(vars(nim))
    g.perft(depth=3)
    assert g.actions is nim.actions
    assert g.result is nim.result
    assert g.initial is nim.initial
    assert g.utility is nim.utility
    assert type(g.actions) is FunctionType
    assert g.actions.__globals__ is vars(nim)
    assert vars(nim) == before


def test_compiled_rules_are_called_like_the_games_own() -> None:
    for spec in ALL_GAMES:
        g = game(spec)
        compiled = g.compiled()
        s = compiled.initial()
        while moves := compiled.moves(s):
            assert type(s) is g.state_type
            assert moves == g.moves(s)
            assert compiled.player(s) == g.player(s)
            assert compiled.key(s) == g.key(s)
            assert not compiled.is_terminal(s)
            if g.player(s) == CHANCE:
                assert compiled.chances(s) == g.chances(s)
            assert compiled.evaluate(s) == g.evaluate(s)
            s = compiled.result(s, moves[-1])
        assert compiled.is_terminal(s)
        assert compiled.utility(s) == g.utility(s)


# What a state may be.


class Flagged(NamedTuple):
    stones: int
    flag: bool = False
    turn: int = 0


def flagged(result: Callable[[Flagged, int], Any]) -> Game[Flagged]:
    return Game(
        "Flagged",
        initial=lambda: Flagged(9),
        actions=nim.actions,
        result=result,
        utility=lambda s: 1 if s.turn else -1,
    )


def test_bools_keywords_and_defaults_in_a_state() -> None:
    def result(s: Flagged, a: int) -> Flagged:
        if s.stones - a > 5:
            return Flagged(s.stones - a, turn=1 - s.turn)
        return Flagged(s.stones - a, flag=a > 1, turn=1 - s.turn)

    g = flagged(result)
    assert g.perft(depth=5) == g.perft(depth=5, way="interpreted")
    s = g.compiled().result(Flagged(4, False, 0), 2)
    assert s == Flagged(2, True, 1)


def test_a_float_field_is_refused() -> None:
    g = flagged(lambda s, a: Flagged(s.stones / a, False, 1 - s.turn))  # type: ignore[arg-type]
    with pytest.raises(
        NotCompilable, match=r"result sets stones to 9.0; a field is a whole number"
    ):
        g.perft(depth=2)


class Boxed(NamedTuple):
    board: tuple[int, ...]
    turn: int


def test_a_state_of_other_things_is_interpreted_only() -> None:
    def actions(s: Boxed, out: Any) -> int:
        n = 0
        for i, stones in enumerate(s.board):
            if stones:
                out[n] = i
                n += 1
        return n

    def result(s: Boxed, a: int) -> Boxed:
        board = tuple(x - 1 if i == a else x for i, x in enumerate(s.board))
        return Boxed(board, 1 - s.turn)

    g = Game(
        "Boxed",
        initial=lambda: Boxed((1, 2), 0),
        actions=actions,
        result=result,
        utility=lambda s: s.turn,
    )
    assert g.perft(depth=3, way="interpreted") == 3
    assert g.parse(g.format(g.initial())) == g.initial()
    with pytest.raises(NotCompilable, match="`board` is a tuple; pack it into 64-bit integers"):
        g.perft(depth=3)
    assert choose(g, g.initial(), 4).best in (0, 1)


def test_a_state_that_is_no_tuple_at_all() -> None:
    g = Game(
        "Text",
        initial=lambda: "aaa",
        actions=lambda s, out: nim.actions(nim.State(len(s), 0), out),
        result=lambda s, a: s[a:],
        utility=lambda s: 1,
        player=lambda s: len(s) % 2,
    )
    assert g.perft(depth=2, way="interpreted") == 3
    with pytest.raises(NotCompilable, match="NamedTuple of integers, and this one is a str"):
        g.compiled()


def test_a_field_past_64_bits_is_an_error_not_a_surprise() -> None:
    g = nim.nim()
    with pytest.raises(BrokenRules, match="not a 64-bit integer"):
        g.compiled().moves(nim.State(1 << 70, 0))


# Tables, closures, helpers.

LONG_TABLE = tuple(i * i for i in range(1000))
NESTED = tuple((i, -i) for i in range(300))
PAIRS = ((1, 2), (3, 4))


def test_tables_long_short_and_nested() -> None:
    def evaluate(s: nim.State) -> int:
        total = LONG_TABLE[s.stones] + NESTED[s.stones][1]
        for x, y in PAIRS:
            total += x * y
        return total + len(LONG_TABLE)

    g = nim.nim(evaluate=evaluate)
    for s in (nim.State(0, 0), nim.State(20, 1)):
        assert g.compiled().evaluate(s) == evaluate(s)


def test_closures_of_closures_and_shared_helpers() -> None:
    def make(step: int) -> Callable[[nim.State], int]:
        def scaled(x: int) -> int:
            return x * step

        def evaluate(s: nim.State) -> int:
            return scaled(s.stones) + scaled(1)

        return evaluate

    for step in (2, 5):
        g = nim.nim(evaluate=make(step))
        assert g.compiled().evaluate(nim.State(10, 0)) == 11 * step


def test_rules_that_allocate_still_compile(fresh_cache: Path) -> None:
    def evaluate(s: nim.State) -> int:
        return len([x for x in range(s.stones) if x % 2])

    g = nim.nim(evaluate=evaluate)
    assert g.compiled().evaluate(nim.State(20, 0)) == 10
    assert [p for p in fresh_cache.iterdir() if "_nrt" in p.name]


def test_evaluations_by_name() -> None:
    g = game("othello")
    s = g.parse("X" * 20 + "O" * 20 + "-" * 24 + " X")
    assert g.using("discs").compiled().evaluate(s) == g.using("discs").evaluate(s) == 0
    assert g.using("mobility").compiled().evaluate(s) == g.evaluations["mobility"](s) != 0
    with pytest.raises(
        ThreefoldError, match="no evaluation 'luck'; one of strategy, mobility, discs"
    ):
        g.using("luck")


# Bounds.


def test_more_moves_than_declared_is_an_error_not_a_crash() -> None:
    def actions(s: nim.State, out: Any) -> int:
        for i in range(3000 if s.stones < 18 else 1):
            out[i] = i
        return 3000 if s.stones < 18 else 1

    g = nim.nim(actions=actions, result=lambda s, a: nim.State(s.stones - 1, 1 - s.turn))
    with pytest.raises(BrokenRules, match=r"actions returned 3000.*max_moves=256"):
        g.perft(depth=5)
    with pytest.raises(BrokenRules, match=r"actions returned 3000.*max_moves=256"):
        choose(g, g.initial(), 5)
    with pytest.raises(BrokenRules, match="max_moves=256"):
        g.perft(depth=5, way="interpreted")


def test_a_deep_tree_fits_the_stack_both_ways() -> None:
    g = nim.nim(
        initial=lambda: nim.State(100_000, 0),
        actions=lambda s, out: 0 if s.stones < 0 else _one(out),
    )
    assert g.perft(depth=9_000) == 1
    assert g.perft(depth=9_000, way="interpreted") == 1


def _one(out: Any) -> int:
    out[0] = 1
    return 1


@pytest.mark.parametrize("depth", [-1, 10_001])
def test_bad_depths(depth: int) -> None:
    with pytest.raises(
        ThreefoldError, match=f"depth {depth} is not a whole number from 0 to 10000"
    ):
        nim.nim().perft(depth=depth)


def test_bad_way() -> None:
    with pytest.raises(ThreefoldError, match="no way 'quantum'"):
        nim.nim().perft(depth=1, way="quantum")


# In other processes.

SCRIPT = """
import json, sys
from threefold import game
from threefold.engine import calls, perft, alphabeta
from threefold.engine.jit import entries
from threefold.engine.limits import Limits
from threefold.engine.mcts import mcts
from threefold.engine.ownership import ownership
from threefold.engine import policy_values
from threefold.engine.policy_values import PolicyValues
from threefold.games.sliding_puzzle import sliding_puzzle
from threefold.learn.policy_play import Table, Way
from threefold.solve.ida_star import shortest_solution
from threefold.solve.proof import prove
from breakthrough import breakthrough
from random_nets import random_policy_net

answers = {}
for spec in sys.argv[1:]:
    g = game(spec)
    compiled = g.compiled()
    s = g.initial()
    moves = compiled.moves(s)
    answers[spec] = [
        list(map(int, compiled.initial())), moves, compiled.key(s), compiled.player(s),
        compiled.evaluate(s), compiled.noisy_moves(s), compiled.order(s, moves[0]),
        list(map(int, compiled.result(s, moves[-1]))), compiled.utility(s), compiled.extend(s),
        list(map(int, compiled.null_move(s))),
        g.perft(depth=5), g.perft(depth=5, finished=True),
    ]
    if g.player(s) == 0:
        chosen = alphabeta.choose(g, s, 5)
        answers[spec] += [chosen.best, chosen.value, chosen.nodes]
    played = s if g.player(s) == 0 else g.result(s, moves[-1])
    found = mcts(g, played, Limits(nodes=300))
    answers[spec] += [found.best, found.value, found.nodes]
    found = g.analyze(played, depth=5)
    answers[spec] += [found.best, found.value, found.nodes]
    if spec in ("tic-tac-toe", "dice-nim(loaded=true)"):
        answers[spec].append(g.solve(method="graph").value)
    if spec == "tic-tac-toe":
        answers[spec].append(prove(g, s).nodes)
        answers[spec].append(g.solve(method="null-window", detail="value").nodes)
        net = random_policy_net(g)
        answers[spec].append(g.judged_by(net).analyze(nodes=200).value)
        table = Table(g, Way(0, 4), 4)
        table.begin()
        lessons, _ = table.play(PolicyValues(net), 200)
        answers[spec].append([each.moves.tolist() for each in lessons])
# Two procedures that call themselves, one of them from the other.
answers["breakthrough"] = breakthrough().analyze(depth=6).nodes
answers["territory"] = ownership(go := game("go(size=3)"), go.initial(), playouts=100).to_json()
answers["go"] = game("go(size=2)").solve(detail="value", progress=False).nodes
answers["poker"] = [
    game("kuhn-poker").solve(method=method, iterations=50, progress=False).value
    for method in ("cfr+", "external")
]
answers["puzzle"] = shortest_solution(sliding_puzzle(3), "724506831").expanded
routines = policy_values._routines()
print(json.dumps([answers, all(e.from_cache for e in (*entries._entries.values(), *routines))]))
"""


def run_python(script: str, *args: str, **environment: str) -> Any:
    environment = {"PYTHONPATH": processes.path_with(Path(__file__).parent)} | environment
    return processes.run([sys.executable, "-c", script, *args], env=os.environ | environment)


def check_in_two_processes(*specs: str, **environment: str) -> bool:
    """Run every entry in two processes; whether the first of them had to compile any."""
    outputs = []
    for _ in range(2):
        done = run_python(SCRIPT, *specs, **environment)
        assert done.returncode == 0, done.stderr
        outputs.append(json.loads(done.stdout))
    (first, first_cached), (second, second_cached) = outputs
    assert first == second
    assert second_cached
    for spec in specs:
        g = game(spec)
        assert second[spec][11] == g.perft(depth=5, way="interpreted")
        assert second[spec][12] == g.perft(depth=5, finished=True, way="interpreted")
    return not first_cached


def test_every_cached_entry_runs_in_a_second_process() -> None:
    """A game with every procedure and a game of chance; other tests may have compiled some."""
    check_in_two_processes("tic-tac-toe", "dice-nim(loaded=true)")


@pytest.mark.slow
def test_every_cached_entry_of_more_games_runs_in_a_second_process(tmp_path: Path) -> None:
    """Many games in one process, first all compiled, then all from the cache."""
    assert check_in_two_processes(*ALL_GAMES, THREEFOLD_CACHE=str(tmp_path))


MAIN_SCRIPT = (
    CELL
    + """
from threefold.engine.tree_count import count_from
print(game.perft(depth=4), game.compiled().entry(count_from).from_cache)
"""
)


def test_a_game_in_main_compiles_and_hits_the_cache(tmp_path: Path) -> None:
    script = tmp_path / "mine.py"
    script.write_text(MAIN_SCRIPT)
    said = []
    for _ in range(2):
        done = run_python(
            f"import runpy; runpy.run_path({str(script)!r}, run_name='__main__')",
            THREEFOLD_CACHE=str(tmp_path),
        )
        assert done.returncode == 0, done.stderr
        said.append(done.stdout.split())
    assert said == [["81", "False"], ["81", "True"]]


RECURSIVE = CELL.replace(
    "def most(s):",
    """
def even(n):
    return True if n == 0 else odd(n - 1)

def odd(n):
    return False if n == 0 else even(n - 1)

def most(s):
    if even(s.stones) and s.stones == 3:
        return 0""",
)


def test_recursive_rules_are_compiled_but_not_kept(tmp_path: Path) -> None:
    """Loaded from a cache, such code crashes the process that runs it."""
    script = RECURSIVE + "\nprint(game.perft(depth=4), game.perft(depth=4, way='interpreted'))"
    for _ in range(2):
        done = run_python(script, THREEFOLD_CACHE=str(tmp_path))
        assert done.returncode == 0, done.stderr
        assert done.stdout.split() == ["81", "81"]
        assert done.stderr.count("recursive, so compiled code is not kept on disk") == 1
    assert not list(tmp_path.rglob("*.entry"))


def test_disabled_jit_is_said(tmp_path: Path) -> None:
    done = run_python(
        "from threefold.cli.main import main; import sys; sys.exit(main(sys.argv[1:]))",
        "perft",
        "nim",
        "--depth",
        "2",
        NUMBA_DISABLE_JIT="1",
    )
    assert done.returncode == 2
    assert "NUMBA_DISABLE_JIT is set" in done.stderr
    assert len(done.stderr.splitlines()) == 1


# Threads.


def test_threads_share_an_entry() -> None:
    g = game("connect-four")
    counted: list[int] = []
    threads = [threading.Thread(target=lambda: counted.append(g.perft(depth=6))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counted == [117649] * 4


def test_words_with_the_sign_bit_set_survive_the_trip() -> None:
    g = nim.nim(evaluate=lambda s: shl(s.stones, 63))
    assert g.compiled().evaluate(nim.State(1, 0)) == -(1 << 63)


def test_checked_code_catches_a_stray_write() -> None:
    def actions(s: nim.State, out: Any) -> int:
        out[300] = 1
        return 0

    with pytest.raises(IndexError):
        Compiled(nim.nim(actions=actions), checked=True).moves(nim.State(5, 0))


def test_search_entry_is_kept(fresh_cache: Path) -> None:
    g = nim.nim()
    choose(g, g.initial(), 2)
    assert [p for p in fresh_cache.iterdir() if negamax_from.__name__ in p.name]


# What once went wrong.


def test_a_chance_node_without_events_is_an_error() -> None:
    g = nim.nim(
        player=lambda s: CHANCE if s.stones == 15 else s.turn,
        outcomes=lambda s, out, weight: 0,
    )
    with pytest.raises(BrokenRules, match="outcomes returned 0"):
        choose(g, g.initial(), 6)
    with pytest.raises(BrokenRules, match="outcomes returned 0"):
        g.perft(depth=8)


def test_what_is_hidden_is_compiled() -> None:
    g = nim.nim(observe=lambda s, p: (s.stones, p), deal=lambda s, p, seed: s)
    compiled = g.compiled()
    assert compiled.observe(g.initial(), 1) == (20, 1)
    assert compiled.deal(g.initial(), 1, 7) == g.initial()
    assert compiled.seat(g.initial()) == 0
    with pytest.raises(NotCompilable, match=r"observe cannot be compiled: .*_replace"):
        nim.nim(observe=lambda s, p: s._replace(turn=p)).compiled()


def unpacks(s: Any) -> int:
    first, *_ = s
    return int(first)


def sorts(s: Any) -> int:
    return int(sorted((3, 1, s.stones))[0])


def test_what_fails_without_the_memory_manager_is_tried_with_it() -> None:
    g = nim.nim(evaluate=sorts)
    assert g.compiled().evaluate(g.initial()) == 1


def test_what_allocates_can_be_loaded_in_another_process(fresh_cache: Path) -> None:
    code = """
import nim
from test_compile import sorts
print(nim.nim(evaluate=sorts).analyze(depth=3).value)
"""
    first, second = run_python(code), run_python(code)
    assert (second.returncode, second.stdout) == (0, first.stdout), second.stderr


def test_every_failure_of_the_compiler_is_ours_to_tell() -> None:
    g = nim.nim(evaluate=unpacks)
    with pytest.raises(NotCompilable, match="evaluate cannot be compiled"):
        g.compiled().evaluate(g.initial())
    assert choose(g, g.initial(), 2).best in (1, 2, 3), "interpreted instead"


def test_a_huge_range_of_moves_costs_no_memory() -> None:
    assert nim.nim(move_range=1 << 40).perft(depth=2) == 9


def test_a_long_name_is_no_trouble(fresh_cache: Path) -> None:
    hooks = {"initial": nim.initial, "actions": nim.actions}
    hooks |= {"result": nim.result, "utility": nim.utility}
    assert Game("x" * 300, **hooks).perft(depth=2) == 9  # type: ignore[arg-type]


def test_a_key_may_build_on_the_default_one() -> None:
    from threefold.rules.contract import key as default_key

    g = nim.nim(key=lambda s: default_key(s) ^ 5)
    assert g.compiled().key(g.initial()) == g.key(g.initial())


@pytest.mark.parametrize("depth", [2.0, "3", None])
def test_a_depth_is_a_whole_number(depth: Any) -> None:
    with pytest.raises(ThreefoldError, match="is not a whole number"):
        nim.nim().perft(depth=depth)


def test_floats_in_a_position_are_refused() -> None:
    with pytest.raises(BrokenRules, match="not a 64-bit integer"):
        nim.nim().perft(nim.State(3.7, 0), depth=2)  # type: ignore[arg-type]
