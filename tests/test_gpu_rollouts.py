"""Rollouts on the GPU: the same games as on the CPU, on the CUDA simulator or on a device.

They run themselves again with the simulator, as `test_gpu` does; on a device by

    THREEFOLD_TEST_GPU=1 python -m pytest tests/test_gpu_rollouts.py
"""

import os
import sys
from typing import Any

import processes
import pytest
from pile_race import State, race_game
from random_nets import random_net

from threefold import Game, game

SIMULATED = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"
ON_DEVICE = os.environ.get("THREEFOLD_TEST_GPU") == "1"

if SIMULATED or ON_DEVICE:
    from threefold.cli.main import main
    from threefold.engine.limits import Limits
    from threefold.engine.rollout_result import Options, RolloutResult
    from threefold.engine.rollout_threads import OnThreads
    from threefold.engine.rollouts import start_rollouts
    from threefold.games.dice_nim.notation import notation
    from threefold.games.dice_nim.rules import rules
    from threefold.gpu.places import place_of
    from threefold.gpu.rollouts import OnDevice

    def judged() -> Game[Any]:
        g = game("dice-nim(stones=9,faces=3,loaded=true)")
        return g.judged_by(random_net(g, 1))

    def written() -> Game[Any]:
        hooks = rules(9, 3, True)
        return Game(
            "Judged dice nim",
            **hooks,
            **notation(9, 3),
            evaluate=lambda s: (s.stones % 4 * 100 - 200) * (1 - 2 * s.turn),
        )

    def racing() -> Game[Any]:
        g = race_game(True)
        return g.judged_by(random_net(g, 1))

    def starts_of(g: Game[Any]) -> list[Any]:
        if g.race_sides is not None:
            return [State(2, 2, 1, 3, 0, 0), State(2, 1, 3, 0, 2, 1), State(0, 0, 1, 0, 0, 1)]
        return [g.parse(text) for text in ("9 2", "6 1 3", "0 1")]

    @pytest.mark.parametrize("make", [judged, written, racing])
    @pytest.mark.parametrize(
        "options",
        [Options(seed=3), Options(truncate=2), Options(reduce_variance=False, seed=-5)],
        ids=["whole", "truncated", "plain"],
    )
    def test_the_games_are_those_of_the_cpu(make: Any, options: Options) -> None:
        g = make()
        starts = starts_of(g)
        there, here = OnDevice(g, starts, options, 1), OnThreads(g, starts, options, 1)
        assert there.judge() == here.judge()
        last = 40 if ON_DEVICE else 9
        found, expected = (roller.play([0, 1, 2], 2, last) for roller in (there, here))
        assert found.tolist() == expected.tolist()
        assert there.play([1], 4, 6).tolist() == expected[1:2, :, 2:4].tolist()

    def test_rollouts_on_the_gpu() -> None:
        g = judged()
        found = [
            start_rollouts(
                g, g.parse("9 1 3"), Limits(), Options(games=6), roller=place_of(where).roller
            ).result()
            for where in ("cpu", "gpu")
        ]
        assert isinstance(found[1], RolloutResult)
        assert isinstance(found[0], RolloutResult)
        assert found[0].rolled == found[1].rolled
        assert found[1].nodes > 0

else:

    def test_on_the_simulator() -> None:
        environment = os.environ | {"NUMBA_ENABLE_CUDASIM": "1"}
        command = [sys.executable, "-m", "pytest", "-q", "-n", "0", __file__]
        ran = processes.run(command, env=environment)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        assert " passed" in ran.stdout


if ON_DEVICE:  # the simulator would take minutes

    @pytest.mark.parametrize("spec", ["backgammon", "backgammon(cube=true)"])
    def test_backgammon_on_the_device(spec: str, capsys: pytest.CaptureFixture[str]) -> None:
        command = ["analyze", spec, "--method", "rollout", "--games", "720", "--json"]
        answers = []
        for where in ("cpu", "gpu"):
            assert main([*command, "--playouts-on", where]) == 0
            answers.append(capsys.readouterr().out.split('"rollouts"')[1])
        assert answers[0] == answers[1]
