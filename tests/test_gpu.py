"""The GPU way: the same answers as the other ways, on the CUDA simulator or on a device.

The simulator has to be chosen before Numba is imported, so these tests run themselves again in a
process of their own. On a machine with a CUDA device, run them there by

    THREEFOLD_TEST_GPU=1 python -m pytest tests/test_gpu.py
"""

import importlib
import importlib.util
import json
import os
import random
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import processes
import pytest
from nim import State, nim
from pile_race import race_game
from random_nets import random_net

from threefold import CHANCE, Game, ThreefoldError, game
from threefold.errors import BadPosition, BrokenRules, NoGpu, NotCompilable
from threefold.games.catalogue import HOMES
from threefold.rules.bits import GOLDEN, add, lsr, mix, mul, sub
from threefold.rules.contract import FINISHED

SIMULATED = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"
ON_DEVICE = os.environ.get("THREEFOLD_TEST_GPU") == "1"

GAMES = [
    "tic-tac-toe",
    "nim",
    "nim 20",
    "dice-nim(stones=9,faces=4,loaded=true)",
    "connect-four",
    "othello(size=6)",
    "chess",
    "checkers",
    "kalah",
]
#: The simulator compares with code for the processor, which takes long to compile.
MORE_GAMES = [
    *(spec for spec in HOMES if spec not in GAMES),
    "mnk(m=4,n=3,k=3)",
    "kalah(pits=8,seeds=3)",
    "examples/capture_go.py",  # sets of cells over two words
    "examples/hex.py",
]
OUR_OWN = [
    *GAMES,
    *(pytest.param(spec, marks=[] if ON_DEVICE else [pytest.mark.slow]) for spec in MORE_GAMES),
]

if SIMULATED or ON_DEVICE:
    # What a test in another file may not do: import CUDA.
    from test_mcts import exact_value

    from threefold.cli.main import main
    from threefold.engine.limits import Limits
    from threefold.engine.mcts import MonteCarlo
    from threefold.gpu import playouts
    from threefold.gpu.places import place_of

    def the(spec: str) -> Game[Any]:
        if spec.startswith("examples/"):
            return game(str(Path(__file__).parents[1] / spec))
        return nim() if spec == "nim 20" else game(spec)

    def dice(weight: int = 1, events: int = 2) -> Game[Any]:
        """Nature takes the last 19 stones at once, if she may."""

        def outcomes(s: Any, out: Any, weights: Any) -> int:
            for i in range(2):
                out[i] = s.stones
                weights[i] = weight
            return events

        return nim(
            actions=one_move,
            outcomes=outcomes,
            player=lambda s: CHANCE if s.stones == 19 else s.turn,
        )

    def one_move(s: Any, out: Any) -> int:
        out[0] = 1
        return 1 if s.stones > 0 else 0

    def walk(g: Game[Any], seed: int, plies: int = 40) -> Iterator[Any]:
        """The positions of a random game."""
        choose, s = random.Random(seed), g.initial()
        for _ in range(plies):
            yield s
            moves = g.moves(s)
            if not moves:
                return
            s = g.result(s, choose.choice(moves))

    def played(g: Game[Any], s: Any, seed: int, number: int, plies: int) -> tuple[int, int, bool]:
        """What game `number` comes to, how long it is, and whether it ends."""
        state = mix(add(mix(seed), mul(number, GOLDEN)))
        for ply in range(plies + 1):
            state = add(state, GOLDEN)
            chance = lsr(mix(state), 32)
            if g.player(s) == CHANCE:
                events = g.chances(s)
                left = chance * sum(weight for _, weight in events) >> 32
                faces = [event for event, weight in events for _ in range(weight)]
                a = faces[left]
            else:
                moves = g.moves(s)
                if not moves:
                    return g.utility(s), ply, True
                a = moves[chance * len(moves) >> 32]
            if ply < plies:
                s = g.result(s, a)
        return 0, plies, False

    @pytest.mark.parametrize("spec", OUR_OWN)
    def test_playouts_are_the_games_that_the_seed_says(spec: str) -> None:
        g, n, plies = the(spec), 7, 30 if spec == "chess" else 120
        games = [played(g, g.initial(), 5, number, plies) for number in range(n)]
        found = playouts(g, n=n, seed=5, plies=plies)
        values = [value for value, _, _ in games]
        assert found.games == n
        assert (found.wins, found.losses) == (
            sum(value > 0 for value in values),
            sum(value < 0 for value in values),
        )
        assert found.draws == n - found.wins - found.losses
        assert found.unfinished == sum(not over for _, _, over in games)
        assert found.plies == sum(length for _, length, _ in games)
        mean = sum(values) / n
        assert found.mean == pytest.approx(mean)
        variance = sum((value - mean) ** 2 for value in values) / (n - 1)
        assert found.error == pytest.approx((variance / n) ** 0.5)

    def test_playouts_do_not_hang_on_the_grid(monkeypatch: pytest.MonkeyPatch) -> None:
        from threefold.gpu import kernels

        g = game("tic-tac-toe")
        one = playouts(g, n=50, seed=2)
        monkeypatch.setattr(kernels, "BLOCK", 1 if SIMULATED else 32)
        assert vars(one) | {"seconds": 0} == vars(playouts(g, n=50, seed=2)) | {"seconds": 0}
        assert one != playouts(g, n=50, seed=3)

    def test_playouts_after_each_move() -> None:
        g = game("tic-tac-toe")
        found = playouts(g, "XX./OO./... X", n=20, seed=1, by_move=True)
        by_name = {g.format_move(g.parse("XX./OO./... X"), a): part for a, part in found.moves}
        assert set(by_name) == {"c3", "c2", "a1", "b1", "c1"}
        assert by_name["c3"].wins == by_name["c3"].games == 20
        assert by_name["c3"].error == 0
        assert found.games == 100
        assert found.wins == sum(part.wins for part in by_name.values())

    def test_a_finished_game_has_its_value() -> None:
        found = playouts(game("tic-tac-toe"), "XXX/OO./... O", n=3)
        assert (found.wins, found.plies, found.mean) == (3, 0, 1.0)

    @pytest.mark.parametrize("spec", ["tic-tac-toe", "nim(heaps=1)", "nim(heaps=2-2)"])
    def test_the_longest_games_end(spec: str) -> None:
        """As long as the game declares, and not longer."""
        g = game(spec)
        found = playouts(g, n=60, seed=1)
        longest = g.facts.max_ply
        games = [played(g, g.initial(), 1, number, longest) for number in range(60)]
        assert max(length for _, length, _ in games) == longest
        assert found.unfinished == 0
        assert found.wins == sum(value > 0 for value, _, _ in games)
        cut = playouts(g, n=60, seed=1, plies=longest - 1)
        assert cut.unfinished == sum(length == longest for _, length, _ in games)

    def test_launches_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
        from threefold.gpu import random_games as module

        g, s = game("tic-tac-toe"), "XO./.../... X"
        one = playouts(g, s, n=30, seed=2, by_move=True)
        monkeypatch.setattr(module, "FIRST_LAUNCH", 7)
        monkeypatch.setattr(module, "LAUNCH_SECONDS", 0)
        many = playouts(g, s, n=30, seed=2, by_move=True)
        assert vars(one) | {"seconds": 0} == vars(many) | {"seconds": 0}

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"n": 0}, "n 0 is not a whole number from 1"),
            ({"n": 2.5}, "n 2.5 is not a whole number"),
            ({"seed": 1 << 70}, "seed"),
            ({"plies": -1}, "plies -1 is not a whole number from 0"),
        ],
    )
    def test_bad_options_are_told(options: dict[str, Any], message: str) -> None:
        with pytest.raises(ThreefoldError, match=message):
            playouts(game("nim"), **options)

    @pytest.mark.parametrize("spec", OUR_OWN)
    def test_batches_are_as_compiled(spec: str) -> None:
        g = the(spec)
        compiled, batches = g.compiled(), g.on_gpu()
        states = [s for seed in range(2) for s in walk(g, seed)]
        assert batches.evaluate(states).tolist() == [compiled.evaluate(s) for s in states]
        assert batches.utility(states).tolist() == [compiled.utility(s) for s in states]
        assert batches.player(states).tolist() == [compiled.player(s) for s in states]
        moves = [compiled.moves(s) for s in states]
        assert batches.count(states).tolist() == [len(m) for m in moves]
        going = [(s, m[len(m) // 2]) for s, m in zip(states, moves, strict=True) if m]
        after = batches.result([s for s, _ in going], [a for _, a in going])
        assert g.on_gpu().states(after) == [compiled.result(s, a) for s, a in going]

    @pytest.mark.parametrize("spec", ["connect-four", "nim 20", "dice-nim", "othello(size=6)"])
    @pytest.mark.parametrize("results", [(-1, 0, 1), (), (-3, -2, -1, 1, 2, 3)])
    def test_a_net_says_the_same(spec: str, results: tuple[int, ...]) -> None:
        g = the(spec)
        states = [s for seed in range(2) for s in walk(g, seed, 12 if SIMULATED else 200)]
        for seed, hidden in enumerate([(9,), (5, 7), (3, 2, 4)]):
            for extreme in (False, True):
                net = random_net(g, seed, hidden, results, extreme=extreme)
                found = g.judged_by(net).on_gpu().evaluate(states).tolist()
                assert found == [net.evaluate(s) for s in states]

    def test_a_net_leaves_races_to_the_table() -> None:
        judged = race_game(True).judged_by(random_net(race_game(True), 1))
        states = [s for seed in range(3) for s in walk(judged, seed, 12)]
        assert judged.on_gpu().evaluate(states).tolist() == [judged.evaluate(s) for s in states]

    def test_a_net_without_stakes_serves_with_them() -> None:
        g = game("backgammon(cube=true)", own_net=False)
        net = random_net(g.unstaked_game, 1, results=(-3, -2, -1, 1, 2, 3))
        judged = g.judged_by(replace(net, game=g, staked=True))
        states = [s for seed in range(3) for s in walk(g, seed, 12 if SIMULATED else 200)]
        assert judged.on_gpu().evaluate(states).tolist() == [judged.evaluate(s) for s in states]

    def test_more_positions_than_threads_are_judged(monkeypatch: pytest.MonkeyPatch) -> None:
        g = game("tic-tac-toe")
        net = random_net(g, 1)
        judged = g.judged_by(net).on_gpu()
        assert judged._net is not None
        monkeypatch.setattr(judged._net, "threads", 2 if SIMULATED else 128)
        states = [s for seed in range(4 if SIMULATED else 400) for s in walk(g, seed)]
        assert judged.evaluate(states).tolist() == [net.evaluate(s) for s in states]

    def test_arithmetic_wraps_where_the_compiler_knows_the_operands() -> None:
        def scattered(s: Any) -> int:
            turned = 0
            for bit in range(9):
                if s.stones >> bit & 1:
                    turned |= 1 << 8 - bit
            hashed = mix(add(mix(turned), GOLDEN) ^ mul(turned, GOLDEN))
            return lsr(sub(hashed, turned), 44)

        g = nim(evaluate=scattered)
        states = [State(stones, 0) for stones in range(1 << 9)]
        expected = [scattered(s) for s in states]
        assert g.on_gpu().evaluate(states).tolist() == expected
        assert [g.compiled().evaluate(s) for s in states] == expected

    @pytest.mark.parametrize("spec", OUR_OWN)
    def test_batches_list_moves(spec: str) -> None:
        g = the(spec)
        states = list(walk(g, 1))
        rows, counts = g.on_gpu().actions(states)
        listed = [row[:n].tolist() for row, n in zip(rows, counts, strict=True)]
        assert listed == [g.moves(s) for s in states]

    def test_an_array_of_positions_has_a_row_for_each_field() -> None:
        import numpy as np

        on_gpu = game("othello").on_gpu()
        start = np.array([game("othello").initial()], np.int64)
        assert on_gpu.count(start.T).tolist() == [4]
        with pytest.raises(BadPosition, match="3 rows, black, white, turn"):
            on_gpu.count(start)

    def test_what_is_no_array_of_positions_is_refused() -> None:
        import numpy as np

        g = game("othello")
        batches, three = g.on_gpu(), np.array([g.initial()] * 3, np.int64).T

        class Tensor:
            """An array of another library in the host's memory."""

            def __array__(self, *_: Any, **__: Any) -> Any:
                return three

            def __iter__(self) -> Iterator[Any]:
                return iter(three)

        assert batches.count(Tensor()).tolist() == [4, 4, 4]
        assert batches.count(three[:, ::2]).tolist() == [4, 4]
        assert batches.count([]).tolist() == []
        for bad, message in [
            (three + 0.5, "float64 is not a type of integers"),
            (g.initial(), "sequence of states"),
            ([game("nim").initial()], "sequence of states"),
            ([(1 << 70, 0, 0)], "not made of words"),
        ]:
            with pytest.raises(BadPosition, match=message):
                batches.count(bad)

    @pytest.mark.parametrize("moves", [[19], [19, 19, 19], 19, [[19, 19]], [19.5, 19]])
    def test_moves_are_one_for_each_position(moves: Any) -> None:
        g = game("othello")
        with pytest.raises(ThreefoldError, match="integers"):
            g.on_gpu().result([g.initial()] * 2, moves)

    @pytest.mark.parametrize("finished", [False, True])
    @pytest.mark.parametrize("spec", OUR_OWN)
    def test_perft_is_as_compiled(spec: str, finished: bool) -> None:
        g, depth = the(spec), 2 if spec == "chess" else 3
        for s in (g.initial(), [*walk(g, 4, 9)][-1]):
            for d in range(depth + 1):
                counted = g.perft(s, depth=d, finished=finished, way="gpu")
                assert counted == g.perft(s, depth=d, finished=finished)

    # Monte Carlo tree search.

    def searched(g: Game[Any], position: str | None = None, **options: Any) -> MonteCarlo[Any]:
        settings: dict[str, Any] = {"megabytes": 1, "playouts": 3, "playouts_on": place_of("gpu")}
        search = MonteCarlo(g, g.position(position), **settings | options)
        search.prepare()
        return search

    def answer(found: Any) -> Any:
        return found.lines, found.value, found.nodes, found.selective_depth

    @pytest.mark.parametrize("spec", ["tic-tac-toe", "othello(size=6)", "nim 20", "checkers"])
    def test_simulations_are_counted_and_none_stays_pending(spec: str) -> None:
        search = searched(the(spec))
        for nodes in (1, 9, 30):
            before = int(search.tree[0].visits)
            found = search.run(Limits(nodes=nodes))
            tree: Any = search.tree
            assert found.exact or found.nodes == before + nodes
            assert found.nodes == tree[0].visits
            simulations: Any = search._trees[0].grow
            assert not simulations.pending.any()
            for node in range(int(search.control.tree_size)):
                first = int(tree[node].first)
                if first:
                    children = tree[first : first + int(tree[node].children)]
                    assert int(children.visits.sum()) == tree[node].visits - (node != 0)
                    assert (children.parent == node).all()

    def test_a_seed_gives_the_same_search() -> None:
        runs = [searched(game("connect-four"), seed=seed) for seed in (4, 4, 5)]
        answers = [answer(search.run(Limits(nodes=60), multipv=3)) for search in runs]
        assert answers[0] == answers[1]
        assert answers[0] != answers[2]

    @pytest.mark.parametrize(
        ("spec", "position"),
        [
            ("nim", "1-2-3 1"),
            ("nim", "1-2-2 1"),
            ("tic-tac-toe", "XX./OO./X.. O"),
            ("tic-tac-toe", "XOX/.O./.X. O"),
            ("connect-four(columns=4,rows=4,k=3)", "2233"),
            ("dice-nim(loaded=true)", "3 2 1"),
        ],
    )
    def test_what_a_search_proves_is_true(spec: str, position: str) -> None:
        g = game(spec)
        found = searched(g, position).run(Limits(nodes=3000))
        assert found.exact
        value, _ = exact_value(g, g.parse(position))
        sign = -1 if g.player(g.parse(position)) == 1 else 1
        assert found.value == pytest.approx(sign * value * (FINISHED if g.evaluations else 1))

    def test_a_leaf_is_worth_what_its_games_come_to() -> None:
        g = game("tic-tac-toe")
        s = g.parse("XO./.../... X")

        def expectation(s: Any) -> float:
            below = [expectation(g.result(s, a)) for a in g.moves(s)]
            return sum(below) / len(below) if below else float(g.utility(s))

        found = searched(g, g.show(s), playouts=300).run(Limits(nodes=7), multipv=7)
        assert len(found.lines) == 7
        for line in found.lines:
            expected = FINISHED * expectation(g.result(s, line.move))
            assert line.value == pytest.approx(expected, abs=4 * FINISHED / 300**0.5)

    def test_broken_rules_end_the_search() -> None:
        g = nim(utility=lambda s: 1 << 40)
        with pytest.raises(BrokenRules, match=r"utility returned"):
            searched(g).run(Limits(nodes=20))

    def test_a_full_tree_goes_on() -> None:
        search = searched(game("connect-four"))
        growing = search._trees[0]
        growing.tree = growing.tree[:40]
        simulations: Any = growing.grow
        simulations._tree = growing.tree
        assert search.run(Limits(nodes=120)).nodes == 120
        assert search.control.tree_size <= 40

    def test_the_command_line_searches_on_the_gpu(capsys: pytest.CaptureFixture[str]) -> None:
        position = ["analyze", "tic-tac-toe", "XX./OO./... X", "--json", "--method", "mcts"]
        assert main([*position, "--playouts-on", "gpu", "--nodes", "20"]) == 0
        assert json.loads(capsys.readouterr().out)["best"] == "c3"

    def test_the_examples_of_the_docs_run() -> None:
        page = (Path(__file__).parents[1] / "docs" / "gpu.md").read_text("utf-8")
        blocks = re.findall(r"^```py\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
        namespace: dict[str, Any] = {}
        for block in blocks:
            exec(block.replace("100_000_000", "20"), namespace)
        assert namespace["played"].games == 20
        assert namespace["after"].shape == (3, 3)

    def test_too_many_moves_are_told() -> None:
        def actions(s: Any, out: Any) -> int:
            out[0] = 1
            return 9 if s.stones < 18 else 1

        with pytest.raises(BrokenRules, match="max_moves=4"):
            playouts(nim(actions=actions, max_moves=4), n=2)
        with pytest.raises(BrokenRules, match="max_moves=4"):
            nim(actions=actions, max_moves=4).perft(depth=5, way="gpu")
        batches = nim(actions=actions, max_moves=4).on_gpu()
        for ask in (batches.count, batches.actions):
            with pytest.raises(BrokenRules, match="max_moves=4"):
                ask([nim().initial()._replace(stones=3)])

    @pytest.mark.parametrize("weight", [0, -5, 1 << 30])
    def test_bad_weights_are_told(weight: int) -> None:
        with pytest.raises(BrokenRules, match="weights"):
            playouts(dice(weight=weight), n=3)

    def test_no_event_is_told() -> None:
        with pytest.raises(BrokenRules, match="actions or outcomes returned no count"):
            playouts(dice(events=0), n=3)
        with pytest.raises(BrokenRules, match="actions or outcomes returned no count"):
            dice(events=0).perft(depth=3, way="gpu")

    def test_recursive_rules_are_refused() -> None:
        def last(stones: int) -> int:
            return last(stones - 1) if stones > 0 else 1

        with pytest.raises(NotCompilable, match="utility is recursive"):
            nim(utility=lambda s: last(s.stones)).on_gpu()

    def test_a_long_way_down_is_counted() -> None:
        g = nim(
            initial=lambda: State(3000, 0),
            actions=one_move,
            max_ply=3000,
        )
        assert g.perft(depth=1200, way="gpu") == 1


if ON_DEVICE:
    # Arrays that lie on the device, which the simulator has not.

    @pytest.mark.parametrize("library", ["torch", "cupy", "jax"])
    def test_arrays_of_other_libraries_stay_where_they_are(library: str) -> None:
        import numpy as np

        g, module = game("othello"), pytest.importorskip(library)
        states = list(walk(g, 3))
        here = np.array(states, np.int64).T.copy()
        if library == "torch":
            there = module.as_tensor(here, device="cuda")
        elif library == "cupy":
            there = module.asarray(here)
        else:
            module.config.update("jax_enable_x64", True)
            there = module.device_put(here)
        batches, pointer = g.on_gpu(), there.__cuda_array_interface__["data"][0]
        assert g.on_gpu().positions(there).device_ctypes_pointer.value == pointer
        rows, counts = batches.actions(there)
        after = batches.result(there, rows[:, 0])
        assert type(rows) is type(counts) is type(after) is type(there)
        assert counts.tolist() == [len(g.moves(s)) for s in states]
        going = [(s, g.moves(s)[0]) for s in states if g.moves(s)]
        assert g.on_gpu().states(after)[: len(going)] == [g.result(s, a) for s, a in going]


if not SIMULATED and not ON_DEVICE:

    @pytest.mark.parametrize("which", ["not slow", pytest.param("slow", marks=pytest.mark.slow)])
    def test_on_the_simulator(which: str) -> None:
        environment = os.environ | {"NUMBA_ENABLE_CUDASIM": "1"}
        command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-m", which, __file__]
        ran = processes.run(command, env=environment)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        assert " passed" in ran.stdout

    def test_no_device_is_said_plainly() -> None:
        # Threads of the tests share nothing with a process that never saw a device.
        environment = os.environ | {"CUDA_VISIBLE_DEVICES": "-1"}
        command = [*processes.THREEFOLD, "perft", "nim", "--depth", "2"]
        ran = processes.run([*command, "--way", "gpu"], env=environment)
        assert ran.returncode == 2
        assert "there is no CUDA device" in ran.stderr
        assert len(ran.stderr.splitlines()) == 1

    def test_missing_numba_cuda_is_said_plainly(monkeypatch: pytest.MonkeyPatch) -> None:
        for module in [name for name in sys.modules if name.startswith("threefold.gpu")]:
            monkeypatch.delitem(sys.modules, module)
        monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
        with pytest.raises(NoGpu, match=r"threefold\[gpu\]"):
            nim().on_gpu()

    def test_another_numba_cuda_is_said_plainly(monkeypatch: pytest.MonkeyPatch) -> None:
        from threefold.gpu import driver

        assert driver.cuda is not None
        for name in ("threefold.gpu.kernels", "threefold.gpu.instructions"):
            monkeypatch.delitem(sys.modules, name, raising=False)
            monkeypatch.delattr(sys.modules["threefold.gpu"], name.split(".")[-1], raising=False)
        monkeypatch.delattr("numba.cuda.cudadrv.error.NvrtcError")
        with pytest.raises(NoGpu, match=r"this numba-cuda cannot be used: .*NvrtcError"):
            importlib.import_module("threefold.gpu.kernels")

    def test_nothing_else_imports_cuda() -> None:
        check = (
            "import sys; from threefold import game; g = game('nim'); g.solve(); g.perft(depth=2);"
            "cuda = ('numba.cuda', 'threefold.gpu.driver');"
            "assert not any(m.startswith(cuda) for m in sys.modules)"
        )
        processes.run([sys.executable, "-c", check], check=True)
