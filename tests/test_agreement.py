"""Thousands of random games: all ways to run their rules, and all procedures, say the same.

    python tests/examination.py --games 1000000

does so with many more games of many more kinds.
"""

import json
import os
import random
import sys
from pathlib import Path
from typing import Any

import processes
import pytest
from examination import Examiner, answers, at_length, smallest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from oracle import Truth
from random_games import GREATEST_WORD, SMALLEST_WORD, Kind, build, kinds, layout

from threefold.rules.inspection import Inspector

#: A kind for each family of procedures: each takes seconds to compile, a game milliseconds.
KINDS = {
    "that end": Kind(
        cells=4,
        words=(0, 0, 1, 1, 1, 1),
        veils=(-1, 0x243F6A8885A308D3, 0, 0, 0, 0),
        from_above=True,
        bounds="constant",
        symmetry="reversed",
        hints=("evaluate", "order", "remaining"),
    ),
    "with circles": Kind(cells=3, circles=True, repeats=2, clock=7, drawn=6, hints=("order",)),
    "of chance": Kind(cells=3, chance=True, most=3, own_key=True, forbidden=4),
}
GAMES = 700


@pytest.mark.parametrize("family", KINDS)
def test_games(family: str) -> None:
    examiner = Examiner(build(KINDS[family]))
    found = smallest(examiner, examiner.build.seeds(0, GAMES))
    assert found is None, found
    proven = sum(n for what, n in examiner.counted.items() if what.endswith("proven"))
    assert proven > GAMES / 2, examiner.counted


def test_a_disagreement_is_told_with_the_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    """As when every procedure is wrong by a thousand; the smallest game is shown."""
    value = Truth.value
    monkeypatch.setattr(Truth, "value", lambda self, s: value(self, s) + 1000)
    examiner = Examiner(build(KINDS["with circles"]))
    seeds = examiner.build.seeds(0, 5)
    found = str(smallest(examiner, seeds))
    sizes = {
        seed: len(Truth(examiner.build.game, examiner.build.start(seed)).nodes) for seed in seeds
    }
    assert "in truth" in found
    assert examiner.build.source in found
    assert f"seed {min(seeds, key=sizes.__getitem__)}, position" in found


@pytest.mark.slow
def test_games_at_length() -> None:
    at_length(games=20_000, seed=1, per_kind=1_000)


# In other processes.


def in_another_process(code: str, **environment: str) -> Any:
    ran = processes.run(
        [sys.executable, "-c", f"import json, examination as e, random_games as r\n{code}"],
        env=os.environ | {"PYTHONPATH": processes.path_with(Path(__file__).parent)} | environment,
        check=True,
    )
    return json.loads(ran.stdout)


def test_a_second_process_says_the_same_from_the_cache() -> None:
    ours = [answers(kind, 20) for kind in KINDS.values()]
    given = ", ".join(f"r.{kind!r}" for kind in KINDS.values())
    code = f"kinds = [{given}]\nfound = [e.answers(kind, 20) for kind in kinds]\n"
    code += "print(json.dumps([found, [e.all_from_cache(kind) for kind in kinds]]))"
    theirs, from_cache = in_another_process(code)
    assert theirs == ours
    assert from_cache == [True] * len(KINDS)


def test_the_simulator_of_a_gpu_says_the_same() -> None:
    given = ", ".join(f"r.{kind!r}" for kind in KINDS.values())
    code = f"print(json.dumps([e.compare_on_gpu(kind, 10) for kind in [{given}]]))"
    positions = in_another_process(code, NUMBA_ENABLE_CUDASIM="1")
    assert all(n > 50 for n in positions)


# The generator and its oracles.


@given(kind=kinds(), number=st.integers(0, 1 << 40))
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
def test_every_kind_keeps_its_promises(kind: Kind, number: int) -> None:
    """Interpreted: what a kind promises to a search holds."""
    built = build(kind)
    inspector = Inspector(built.game, random.Random(number))
    for _ in range(3):
        inspector.play()
    if kind.circles and not kind.clock:
        inspector.defects.pop("max_ply", None)  # random play goes on where a repetition ends it
    inspector.check_keys()
    inspector.check_settled()
    assert not inspector.defects, (*inspector.defects.values(), built.source)
    seed = built.seeds(number, 1)[0]
    truth = Truth(built.game, built.start(seed))
    bits = layout(kind)["seed"].bits
    assert SMALLEST_WORD <= seed <= GREATEST_WORD
    assert bits == 64 or 0 <= seed < 1 << bits
    for s, node in truth.nodes.items():
        low, high = built.game.bounds(s)
        assert low <= truth.value(s) <= high, built.source
        if "sufficient" in built.game.hooks and node.moves:
            row = [0] * kind.cells
            chosen = row[: built.game.sufficient(s, row)]
            values = {a: truth.value(child) for a, child in truth.moves(s).items()}
            best = (max, min)[node.mover](values.values()) if node.mover >= 0 else None
            assert best is None or best in {values[a] for a in chosen}
