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
    from test_self_play import afterstates, one_ply_targets

    from threefold import CHANCE, game
    from threefold.learn.learner import Plan
    from threefold.learn.on_gpu import GpuLearner, Lanes

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
        lanes = Lanes(kernels, made.model.words, len(positions), 600)
        outlook = lanes.look(columns, 0, 1, 2, made.model)
        found = lanes.targets(outlook, made.model.results).cpu().numpy()
        for s, target in zip(positions, found, strict=True):
            possible = one_ply_targets(g, net, s)
            assert min(abs(target - each).max() for each in possible) < NEAR

    def test_means_over_every_roll_are_those_of_the_rules() -> None:
        made = learner("dice-nim(stones=6,loaded=true)")
        g, net = made.game, made.net()
        positions = [s for s in afterstates(g).values() if g.player(s) == CHANCE][:8]
        columns = torch.tensor(made._kernels.columns(positions), device=DEVICE)
        words = torch.arange(len(positions), device=DEVICE)[:, None]
        found_words, means = made._mean_targets([words], [columns])
        assert len(means) > 1
        for number, mean in zip(found_words[:, 0].tolist(), means.cpu().numpy(), strict=True):
            s = positions[number]
            weights = [weight for _, weight in g.chances(s)]
            expected = np.average(one_ply_targets(g, net, s), axis=0, weights=weights)
            assert abs(mean - expected).max() < NEAR

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
