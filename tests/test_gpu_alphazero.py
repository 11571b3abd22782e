"""AlphaZero on the GPU: the games of its lanes against those of the CPU, and what they teach.

They run themselves again with the simulator, as `test_gpu` does; on a device by

    THREEFOLD_TEST_GPU=1 python -m pytest tests/test_gpu_alphazero.py
"""

import os
import sys
from dataclasses import replace
from typing import Any

import processes
import pytest

SIMULATED = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"
ON_DEVICE = os.environ.get("THREEFOLD_TEST_GPU") == "1"

pytest.importorskip("torch", reason="PyTorch is not installed")

if SIMULATED or ON_DEVICE:
    import numpy as np
    import torch
    from nim import nim
    from random_nets import random_policy_net

    from threefold import Game, game
    from threefold.engine.records import layout
    from threefold.errors import BrokenRules, ThreefoldError
    from threefold.gpu.kernels import Kernels
    from threefold.learn.alphazero_on_gpu import GpuAlphaZeroLearner
    from threefold.learn.device_arrays import read
    from threefold.learn.device_replay import DeviceReplay
    from threefold.learn.device_table import DeviceTable
    from threefold.learn.gumbel import CUT_OFF, Lane
    from threefold.learn.learner import Diverged, Plan
    from threefold.learn.policy_model import TorchValues
    from threefold.learn.policy_play import Setup, Table, Way, to_play
    from threefold.learn.policy_strength import PolicySparrings
    from threefold.rules.contract import MIN

    DEVICE = "cpu" if SIMULATED else "cuda"
    SPECS = ["tic-tac-toe", "go(size=3)", "connect-four(columns=4,rows=4,k=3)", "kalah(pits=2)"]
    WAY = Way(1, 6, exploration=0.5, opening=3)

    def device_table(of: Game[Any], lanes: int = 6, way: Way = WAY) -> DeviceTable[Any]:
        return DeviceTable(Kernels(to_play(of)), Setup(of, way), lanes)

    def replay_of(table: DeviceTable[Any], of: Game[Any], window: int = 512) -> DeviceReplay:
        return DeviceReplay(Kernels(to_play(of)), table._setup, window, 64, seed=3)

    def played(table: DeviceTable[Any], net: Any, steps: int) -> list[int]:
        """Play on without collecting; the lanes whose game is over."""
        judge = TorchValues(net, DEVICE)
        for _ in range(steps):
            table.step(judge)
        over = read(table._lane_words, layout(Lane), "over").cpu().numpy()
        return [int(lane) for lane in np.flatnonzero(over)]

    def state_at(of: Game[Any], row: Any) -> Any:
        return of.state_type(*map(int, row))

    @pytest.mark.parametrize("spec", SPECS)
    @pytest.mark.skipif(ON_DEVICE, reason="a device computes the net with fewer bits")
    def test_games_are_those_of_the_cpu(spec: str) -> None:
        of = game(spec)
        net = random_policy_net(of)
        table = device_table(of)
        table.begin()
        over = played(table, net, 400)
        assert over
        other: Table[Any] = Table(of, WAY, 6)
        other.begin()
        judge = TorchValues(net)
        while len(other.finished()) < 6:
            other.step(judge)
        for lane in over:
            n = int(other._lanes[lane].recorded)
            row = table._lane_words[lane : lane + 1]
            assert int(read(row, layout(Lane), "recorded")) == n
            assert float(read(row, layout(Lane), "worth")) == other.worth(lane)
            assert (table._states[lane, :n].numpy() == other._states[lane, :n]).all()
            for at in range(n):
                count = int(other._counts[lane, at])
                assert int(table._counts[lane, at]) == count
                moves, shares = (each[lane, at, :count] for each in (table._moves, table._shares))
                assert (moves.numpy() == other._moves[lane, at, :count]).all()
                assert shares.numpy() == pytest.approx(other._shares[lane, at, :count], abs=1e-4)

    @pytest.mark.parametrize("spec", SPECS)
    def test_what_is_kept_is_what_was_played(spec: str) -> None:
        of = game(spec)
        table = device_table(of)
        replay = replay_of(table, of)
        table.begin(spread=True)
        judge = TorchValues(random_policy_net(of), DEVICE)
        games = positions = 0
        while games < 5:
            for _ in range(20):
                table.step(judge)
            more, others = table.collect(replay)
            games, positions = games + more, positions + others
        assert len(replay) == replay.added == positions > 0
        states = replay._states[:positions].cpu().numpy()
        counts = replay._counts[:positions].cpu().numpy()
        moves = replay._moves[:positions].cpu().numpy()
        shares = replay._shares[:positions].float().cpu().numpy()
        worths = replay._worths[:positions].cpu().numpy()
        for row, n, listed, share, worth in zip(states, counts, moves, shares, worths, strict=True):
            legal = of.moves(state_at(of, row))
            if not of.has_superko:
                assert sorted(listed[:n]) == sorted(legal)
            assert set(listed[:n].tolist()) <= set(legal)
            assert share[:n].sum() == pytest.approx(1, abs=0.01)
            assert worth in (-1, 0, 1, CUT_OFF)

    def test_lessons_are_images_of_what_was_played() -> None:
        """What is sampled is a symmetric image; moves and results go with it."""
        of = game("tic-tac-toe")
        table = device_table(of)
        replay = replay_of(table, of)
        s = of.initial()
        for text in ("a1", "b2", "a2"):
            s = of.result(s, of.parse_move(s, text))
        legal = of.moves(s)
        best = of.parse_move(s, "a3")
        row = torch.tensor([list(s)], device=DEVICE)
        padded = legal + [0] * (of.facts.max_moves - len(legal))
        shares = [1.0 if a == best else 0.0 for a in legal] + [0.0] * (len(padded) - len(legal))
        replay.add(
            row,
            row,
            torch.tensor([padded], dtype=torch.int32, device=DEVICE),
            torch.tensor([shares], device=DEVICE),
            torch.tensor([len(legal)], dtype=torch.int32, device=DEVICE),
            torch.tensor([1.0], device=DEVICE),
        )
        lessons = replay.sample()
        assert of.player(s) == MIN
        assert (lessons.results == -1).all()
        seen = set()
        words, moves = lessons.words.cpu().numpy(), lessons.moves.cpu().numpy()
        for mine, listed, share in zip(words, moves, lessons.shares.cpu().numpy(), strict=True):
            chosen = int(listed[int(np.argmax(share))])
            seen.add((*map(int, mine), chosen))
            assert share.sum() == pytest.approx(1)
        images = [s, *(image(s) for image in of.symmetries)]
        blocks = set()
        for image in images:
            found: list[int] = [0] * 8
            n = of.features(image, MIN, found)
            after = [
                a
                for a in of.moves(image)
                if of.key(of.result(image, a))
                in {of.key(turn(of.result(s, best))) for turn in (lambda x: x, *of.symmetries)}
            ]
            blocks |= {(*found[:n], a) for a in after}
        assert seen <= blocks
        assert len(seen) > 4

    def test_owners_are_turned_with_the_board() -> None:
        """Both players' cells are those of the same image, the player to move first."""
        of = game("go(size=3,komi=0)")
        replay = replay_of(device_table(of), of)
        s, last = (of.parse(text) for text in ("X../.../... O", "X.O/X.O/XX. X passes=2"))
        most = of.facts.max_moves
        for worth in (1.0, CUT_OFF):
            replay.added = 0
            legal = of.moves(s)
            replay.add(
                torch.tensor([list(s)], device=DEVICE),
                torch.tensor([list(last)], device=DEVICE),
                torch.tensor([legal + [0] * (most - len(legal))], dtype=torch.int32, device=DEVICE),
                torch.full((1, most), 1 / len(legal), device=DEVICE),
                torch.tensor([len(legal)], dtype=torch.int32, device=DEVICE),
                torch.tensor([worth], device=DEVICE),
            )
            lessons = replay.sample()
            found = {tuple(map(int, row)) for row in lessons.owned.cpu().numpy()}
            images = [(s, last)] + [(turn(s), turn(last)) for turn in of.symmetries]
            wanted = {of.owners(end)[1:] + of.owners(end)[:1] for _, end in images}
            assert found == (wanted if worth != CUT_OFF else {(-1, -1)})
            if worth != CUT_OFF:
                pairs = zip(lessons.words.cpu().numpy(), lessons.owned.cpu().numpy(), strict=True)
                for seen, owned in pairs:
                    # The stone in the corner is the other's, and so is its place in the end.
                    assert int(seen[1]) & int(owned[1]) == int(seen[1])

    def test_the_window_keeps_what_came_last() -> None:
        of = game("tic-tac-toe")
        replay = replay_of(device_table(of), of, window=6)
        fields, most = len(of.initial()), of.facts.max_moves
        for begin, end in ((0, 4), (4, 8), (8, 20)):
            numbers = torch.arange(begin, end, device=DEVICE)
            replay.add(
                numbers[:, None].expand(-1, fields),
                numbers[:, None].expand(-1, fields),
                torch.zeros(end - begin, most, dtype=torch.int32, device=DEVICE),
                torch.zeros(end - begin, most, device=DEVICE),
                torch.zeros(end - begin, dtype=torch.int32, device=DEVICE),
                numbers.float(),
            )
            kept = set(replay._worths[: len(replay)].tolist())
            assert kept == set(range(max(end - 6, 0), end))
            assert set(replay._states[: len(replay), 0].tolist()) == kept

    def small(of: Game[Any], **changes: Any) -> GpuAlphaZeroLearner[Any]:
        plan = replace(Plan.usual("alphazero", "gpu"), blocks=1, channels=8, parallel=8, nodes=4)
        return GpuAlphaZeroLearner(of, replace(plan, window=256, batch=32, seed=2, **changes))

    def test_it_learns_and_goes_on_from_what_it_saved() -> None:
        of = game("nim(heaps=1-2)")
        made = small(of, rate=0.01)
        rounds = [made.round() for _ in range(12)]
        assert sum(each.games for each in rounds) > 20
        assert all(np.isfinite(each.loss) for each in rounds)
        assert np.mean([r.loss for r in rounds[-3:]]) < np.mean([r.loss for r in rounds[:3]])
        again = small(of)
        again.restore(made.state())
        for name, array in made.net().weights.items():
            assert (again.net().weights[name] == array).all()
        assert again.round().games >= 0

    def test_numbers_out_of_bounds_are_a_divergence() -> None:
        made = small(game("nim(heaps=1-2)"))
        with torch.no_grad():
            next(made.model.network.parameters()).fill_(float("nan"))
        with pytest.raises(Diverged):
            made.round()

    def test_a_hook_that_breaks_its_promise_is_told() -> None:
        def features(s: Any, p: int, out: Any) -> int:
            out[0] = s.stones
            out[1] = p
            return 2 if s.stones > 10 else 1

        with pytest.raises(BrokenRules, match="features returned 1 for some position"):
            small(nim(features=features, max_moves=3, move_range=4)).round()

    def test_strength_is_measured_on_the_device() -> None:
        of = game("nim(heaps=1-2)")
        sparrings = PolicySparrings(of, 0, DEVICE)
        sparrings.prepare()
        net = random_policy_net(of)
        found = sparrings.measure(net, net, 60.0)
        assert all(score.games > 0 for score in found.values())

    def test_games_of_chance_are_refused() -> None:
        with pytest.raises(ThreefoldError, match="chance"):
            small(game("dice-nim(stones=4)"))

else:

    def test_on_the_simulator() -> None:
        environment = os.environ | {"NUMBA_ENABLE_CUDASIM": "1"}
        command = [sys.executable, "-m", "pytest", "-q", "-n", "0", __file__]
        ran = processes.run(command, env=environment)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        assert " passed" in ran.stdout
