"""Self-play on the GPU: its targets against the rules played by hand, and a net that learns.

They run themselves again with the simulator, as `test_gpu` does; on a device by

    THREEFOLD_TEST_GPU=1 python -m pytest tests/test_gpu_learning.py
"""

import os
import sys
from typing import Any

import processes
import pytest

SIMULATED = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"
ON_DEVICE = os.environ.get("THREEFOLD_TEST_GPU") == "1"

pytest.importorskip("torch", reason="PyTorch is not installed")

if SIMULATED or ON_DEVICE:
    import numpy as np
    import torch
    from test_self_play import afterstates, claimed_below_five, one_ply_targets

    from threefold import CHANCE, game
    from threefold.learn.lanes import Lanes
    from threefold.learn.learner import Plan
    from threefold.learn.on_gpu import GpuLearner, Moment, Recall

    DEVICE = "cpu" if SIMULATED else "cuda"
    #: A net's outputs on the device are near to those of its whole numbers.
    NEAR = 0.01

    def learner(spec: str, **options: Any) -> GpuLearner[Any]:
        found: GpuLearner[Any] = GpuLearner(
            game(spec), Plan(hidden=(8,), device="gpu", seed=4, **options), 8
        )
        with torch.no_grad():
            # Outputs that tell positions apart by more than rounding can.
            found.model.weights[-1].copy_(torch.randn(found.model.weights[-1].shape))
        return found

    @pytest.mark.parametrize("spec", ["tic-tac-toe", "dice-nim(stones=6,loaded=true)"])
    def test_targets_are_those_of_the_rules(spec: str) -> None:
        made = learner(spec)
        g, net = made.game, made.net()
        positions = list(afterstates(g).values())[:40:3]
        kernels = made._kernels
        columns = torch.tensor(kernels.columns(positions), device=DEVICE)
        lanes = Lanes(kernels, made.model.words, len(positions))
        outlook = lanes.look(columns, 1, 2, made.model)
        found = lanes.targets(outlook, made.model.results).cpu().numpy()
        for s, target in zip(positions, found, strict=True):
            possible = one_ply_targets(g, net, s)
            assert min(abs(target - each).max() for each in possible) < NEAR

    def test_means_over_every_roll_are_those_of_the_rules() -> None:
        made = learner("dice-nim(stones=6,loaded=true)")
        g, net = made.game, made.net()
        positions = [s for s in afterstates(g).values() if g.player(s) == CHANCE][:8]
        columns = torch.tensor(made._kernels.columns(positions), device=DEVICE)
        lanes = Lanes(made._kernels, made.model.words, len(positions), events=6)
        targets = lanes.targets(lanes.look(columns, 1, 2, made.model), made.model.results)
        means, known = lanes.means(targets)
        assert known.all()
        rolls = lanes.roll(torch.Generator(DEVICE).manual_seed(0)).tolist()
        for i, (s, mean) in enumerate(zip(positions, means.cpu().numpy(), strict=True)):
            chances = g.chances(s)
            weights = [weight for _, weight in chances]
            expected = np.average(one_ply_targets(g, net, s), axis=0, weights=weights)
            assert abs(mean - expected).max() < NEAR
            assert 0 <= rolls[i] - 6 * i < len(chances)

    def test_a_mean_that_had_no_room_is_not_known() -> None:
        made = learner("dice-nim(stones=20)")
        positions = [s for s in afterstates(made.game).values() if made.game.player(s) == CHANCE]
        columns = torch.tensor(made._kernels.columns(positions), device=DEVICE)
        lanes = Lanes(made._kernels, made.model.words, len(positions), events=3, room=1)
        outlook = lanes.look(columns, 1, 2, made.model)
        _, known = lanes.means(lanes.targets(outlook, made.model.results))
        assert not known.all()

    def test_what_follows_counts_beyond_what_was_expected_and_without_luck() -> None:
        made = learner("dice-nim(stones=6)", trace=0.5)
        one, no = torch.ones(1, dtype=torch.int8), torch.zeros(1, dtype=torch.int8)

        def moment(win: float, luck: float, ahead: Any, *, valid: bool = True) -> Moment:
            row, lucky = torch.tensor([[1 - win, win]]), torch.tensor([[-luck, luck]])
            return Moment(no, row, lucky, torch.tensor([valid]), ahead)

        # The last roll was lucky by 0.1, and the mover before it thinks the reverse of it.
        moments = [moment(0.4, 0.0, -one), moment(0.7, 0.1, no)]
        made._look_back(moments)
        assert [each.target[0, 1].item() for each in moments] == pytest.approx([0.4, 0.6])
        moments = [moment(0.5, 0.2, one), moment(0.7, 0.1, no)]
        made._look_back(moments)
        assert moments[0].target[0, 1].item() == pytest.approx(0.5 + 0.5 * (0.6 - 0.5) - 0.2)
        moments = [moment(0.5, 0.2, one), moment(0.7, 0.1, no, valid=False)]
        made._look_back(moments)
        assert moments[0].target[0, 1].item() == pytest.approx(0.3)

    def test_a_draw_that_can_be_claimed_is_claimed() -> None:
        made: GpuLearner[Any] = GpuLearner(
            claimed_below_five(), Plan(hidden=(8,), device="gpu", trace=1.0), 8
        )
        moments = [made._step()[0] for _ in range(12)]
        stones = torch.cat([each.words[:, 0] for each in moments])
        targets = torch.cat([each.target for each in moments])
        assert stones.min() == 5
        assert (targets[stones == 5] == torch.tensor([0, 1, 0], device=DEVICE)).all()

    def test_what_is_recalled_is_what_came_last() -> None:
        recall = Recall(1, 1, size=6)
        order = torch.Generator(DEVICE).manual_seed(0)
        for begin in (0, 4, 8):
            numbers = torch.arange(begin, begin + 4, device=DEVICE)[:, None]
            recall.add(numbers, numbers.float())
            words, targets = recall.some(200, order)
            expected = set(range(max(begin - 2, 0), begin + 4))
            assert set(words[:, 0].tolist()) == set(targets[:, 0].tolist()) == expected

    def test_it_learns_and_goes_on_from_what_it_saved() -> None:
        made = learner("dice-nim(stones=4)")
        rounds = [made.round() for _ in range(6)]
        made.done = 1.0
        rounds.append(made.round())
        assert sum(each.games for each in rounds) > 8
        assert all(each.positions > 0 for each in rounds)
        again = learner("dice-nim(stones=4)")
        again.restore(made.state())
        assert (again.net().first == made.net().first).all()

else:

    def test_on_the_simulator() -> None:
        environment = os.environ | {"NUMBA_ENABLE_CUDASIM": "1"}
        command = [sys.executable, "-m", "pytest", "-q", "-n", "0", __file__]
        ran = processes.run(command, env=environment)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        assert " passed" in ran.stdout
