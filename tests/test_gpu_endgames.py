"""End-game tables made on the GPU: the same as on the CPU, on the CUDA simulator or on a device.

They run themselves again with the simulator, as `test_gpu` does; on a device by

    THREEFOLD_TEST_GPU=1 python -m pytest tests/test_gpu_endgames.py
"""

import os
import random
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import processes
import pytest

from threefold import Game, ThreefoldError, game
from threefold.errors import BrokenRules, NoGpu
from threefold.rules.endgames import NO_SLICE, Endgames, Slice
from threefold.solve.endgames.building import build

SIMULATED = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"
ON_DEVICE = os.environ.get("THREEFOLD_TEST_GPU") == "1"


class State(NamedTuple):
    stones: int
    dial: int
    turn: int


#: Stones, and places of the dial, in a slice; and numbers, not all of which are in use.
STONES, PLACES, SIZE = 6, 5, 36
TAKE, UP, DOWN = 1, 2, 3


def stones_and_dial(*, margins: bool = False, leads_down: bool = True, **changes: Any) -> Game[Any]:
    """Take a stone where the dial allows it, or turn the dial; who finds no stone has lost.

    Play may go round in circles. The turn is part of the slice, so that two slices form a group.
    """

    def actions(s: State, out: Any) -> int:
        n = 0
        if s.stones > 0:
            if (s.stones + 2 * s.dial) % 3 != 2:
                out[n] = TAKE
                n += 1
            if s.dial < PLACES - 1 and (s.stones + s.dial) % 2 == 0:
                out[n] = UP
                n += 1
            if s.dial > 0 and (s.stones + s.dial + s.turn) % 5 != 0:
                out[n] = DOWN
                n += 1
            if n == 0:
                out[n] = TAKE
                n += 1
        return n

    def result(s: State, a: int) -> State:
        if a == TAKE:
            return State(s.stones - 1, s.dial, 1 - s.turn)
        return State(s.stones, s.dial + 1 if a == UP else s.dial - 1, 1 - s.turn)

    def slice_of(s: State) -> int:
        return 2 * (s.stones // STONES) + s.turn if s.stones < 3 * STONES else NO_SLICE

    def slices(pieces: int) -> list[Slice]:
        return [
            Slice(
                number=2 * heap + turn,
                name=f"heap-{heap}-{turn}",
                size=SIZE,
                pieces=heap + 1,
                leads_to=[
                    2 * lower + 1 - turn
                    for lower in ((heap - 1, heap) if leads_down else (heap,))
                    if lower >= 0
                ],
            )
            for heap in range(pieces)
            for turn in range(2)
        ]

    hooks: dict[str, Any] = {
        "initial": lambda: State(12, 0, 0),
        "actions": actions,
        "result": result,
        "utility": lambda s: 1 if s.turn == 1 else -1,
        "max_moves": 4,
        "endgames": Endgames(
            rules="stones and dial",
            slices=slices,
            slice_of=slice_of,
            number_of=lambda s: s.stones % STONES * PLACES + s.dial,
            position=lambda of_slice, n: State(
                of_slice // 2 * STONES + n // PLACES % STONES, n % PLACES, of_slice % 2
            ),
            most=3,
            margins=margins,
        ),
    }
    return Game("Stones and dial", **(hooks | changes))


if SIMULATED or ON_DEVICE:
    import numpy as np

    from threefold.engine.endgames.database import tables_in
    from threefold.engine.endgames.files import read_table
    from threefold.engine.endgames.sweeping import WRITE
    from threefold.engine.endgames.values import DECIDED, UNUSED
    from threefold.gpu import endgames as sweeps
    from threefold.rules.rebind import interpreted
    from threefold.solve.endgames.building import slices_of
    from threefold.solve.endgames.gpu_making import GpuMaker
    from threefold.solve.endgames.groups import Group, in_order
    from threefold.solve.endgames.making import Maker, Stopped, Tables

    #: More than any of these needs.
    ROOM = 1 << 30

    def groups_of(g: Game[Any], pieces: int) -> list[Group]:
        return in_order(slices_of(g, pieces), g.name)

    def made_on_cpu(g: Game[Any], pieces: int) -> list[Tables]:
        """The tables of every group."""
        maker, made = Maker(g), []
        known: dict[int, Any] = {}
        for group in groups_of(g, pieces):
            tables = Tables(group)
            for each in group.exits:
                tables.part(each)[:] = known[each.number]
            maker.make(tables, ROOM)
            known |= {each.number: tables.part(each) for each in group.slices}
            made.append(tables)
        return made

    def forgotten(tables: Tables) -> Tables:
        """The same with nothing sensible in the tables that are to be made."""
        found = Tables(tables.group)
        found.values[:] = tables.values
        found.values[: tables.group.size] = 77
        return found

    def check_all(g: Game[Any], pieces: int) -> list[Tables]:
        """Make every table in both ways; they must be the same, and be verified."""
        maker: GpuMaker[Any] = GpuMaker(g)
        tables = made_on_cpu(g, pieces)
        for expected in tables:
            found = forgotten(expected)
            maker.make(found, 0)
            assert found.values.tolist() == expected.values.tolist(), expected.group.name
            for each in expected.group.slices:
                used = int((expected.part(each) != UNUSED).sum())
                assert maker.differences(found, each, 3) == (0, -1, used)
        assert maker.nodes == 2 * sum(each.group.size for each in tables)
        return tables

    def test_tables_are_those_of_the_cpu() -> None:
        g = stones_and_dial()
        maker, tables = Maker(g), check_all(g, 3)
        counts = [maker.counts(each.values[: each.group.size]) for each in tables]
        assert [len(each.group.slices) for each in tables] == [2, 2, 2]
        assert all(each.positions == 2 * STONES * PLACES for each in counts)
        assert all(min(each.won, each.drawn, each.lost) > 9 for each in counts)
        assert [each.longest for each in counts] == [10, 19, 32]

    def test_checkers() -> None:
        check_all(game("checkers"), 3 if ON_DEVICE else 2)

    @pytest.mark.parametrize("variant", ["", ",empty_capture=true"])
    def test_margins(variant: str) -> None:
        check_all(game(f"kalah(pits=2{variant})"), 12 if ON_DEVICE else 5)

    def test_chess() -> None:
        check_all(game("chess"), 3 if ON_DEVICE else 2)

    def test_launches_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("FIRST_LAUNCH", "LEAST_LAUNCH", "MOST_LAUNCH"):
            monkeypatch.setattr(sweeps, name, 7)
        expected = made_on_cpu(stones_and_dial(), 1)[0]
        maker: GpuMaker[Any] = GpuMaker(stones_and_dial())
        found = forgotten(expected)
        maker.make(found, 0)
        assert found.values.tolist() == expected.values.tolist()
        last, gone = found.group.slices[1], list[int]()
        begin = found.begin(last)
        maker._sweeper.load(found.values, found.directory, last.name)
        swept = maker._sweeper.sweep(last.number, begin, last.size, WRITE, watch=gone.append)
        assert gone == [7, 14, 21, 28, 35, 36]
        assert (swept.changed, swept.used) == (0, STONES * PLACES)

    def test_launches_take_about_as_long_as_they_should(monkeypatch: pytest.MonkeyPatch) -> None:
        sweeper = sweeps.Sweeper(stones_and_dial())
        monkeypatch.setattr(sweeps, "LEAST_LAUNCH", 100)
        monkeypatch.setattr(sweeps, "MOST_LAUNCH", 1000)
        sweeper._launch = 200
        for numbers, seconds, following in [
            (150, 0.01, 200),  # the last of a slice says little
            (200, 0.3, 200),
            (200, 0.01, 800),
            (800, 0.01, 1000),
            (1000, 5.0, 250),
            (250, 5.0, 100),
        ]:
            sweeper._adapt(numbers, seconds)
            assert sweeper._launch == following

    def test_what_is_final_is_not_looked_at_again() -> None:
        """After k sweeps, all that is decided within k plies is what it will be."""
        tables = made_on_cpu(stones_and_dial(), 1)[0]
        found = forgotten(tables)
        found.values[: tables.group.size] = 0
        maker: GpuMaker[Any] = GpuMaker(stones_and_dial())
        sweeper, drawn = maker._sweeper, int((tables.values == 0).sum())
        sweeper.load(found.values, found.directory, "")
        open_ones = []
        for done in range(40):
            swept = [
                sweeper.sweep(each.number, found.begin(each), each.size, WRITE, done=done)
                for each in tables.group.slices
            ]
            sweeper.fetch(found.values)
            distance = DECIDED - np.abs(found.values.astype(int))
            known = (found.values != 0) & (distance <= done + 1) & (found.values != UNUSED)
            assert (found.values[known] == tables.values[known]).all()
            open_ones.append(sum(each.open for each in swept))
            assert sum(each.used for each in swept) == 2 * STONES * PLACES
            if not any(each.changed for each in swept):
                break
        assert open_ones == sorted(open_ones, reverse=True)
        assert drawn <= open_ones[-1] < open_ones[0]

    def test_threads_may_read_old_values() -> None:
        """Whatever mix of old and new values they read, and in any order, the end is the same.

        Positions are numbers; a move leads to one, or out of them to a value.
        """
        is_final = interpreted(sweeps.is_final, stones_and_dial())  # type: ignore[arg-type]

        def value(moves: list[tuple[bool, int]], read: Callable[[int], int]) -> int:
            found = [-DECIDED]
            for leads_out, there in moves:
                gained = -there if leads_out else -read(there)
                found.append(gained - int(np.sign(gained)))
            return max(found)

        for seed in range(600):
            rng = random.Random(seed)
            size = rng.randint(4, 60)
            exits = [0, *(sign * (DECIDED - n) for n in (0, 3, 30) for sign in (-1, 1))]
            moves = [
                [
                    (True, rng.choice(exits))
                    if rng.random() < 0.15
                    else (False, rng.randrange(size))
                    for _ in range(rng.choice([0, *5 * [1, 2, 3]]))
                ]
                for _ in range(size)
            ]
            ends = []
            for skips in (False, True):
                values, done, changed = [0] * size, 0, True
                while changed:
                    before, changed, stale = list(values), False, rng.choice([0, 0.5, 1])
                    for i in rng.sample(range(size), size):
                        if skips and is_final(values[i], done):
                            continue
                        sees = partial(_either, rng, stale, before, values)
                        new = value(moves[i], sees)
                        changed |= new != values[i]
                        values[i] = new
                    done += 1
                ends.append(values)
            assert ends[0] == ends[1]

    def _either(rng: random.Random, stale: float, old: list[int], new: list[int], i: int) -> int:
        return (old if rng.random() < stale else new)[i]

    def test_differences_are_found() -> None:
        g = stones_and_dial()
        tables = made_on_cpu(g, 2)[1]
        makers = Maker(g), GpuMaker(g)
        of = tables.group.slices[0]
        part, right = tables.part(of), tables.part(of).copy()
        used = np.flatnonzero(right != UNUSED).tolist()
        won = np.flatnonzero(right > 0).tolist()
        for number, value in [
            (used[3], int(right[used[3]]) + 1),
            (won[-1], int(right[won[-1]]) - 2),
            (won[0], -5),
        ]:
            part[number] = value
            for outcomes in (False, True):
                for each in tables.group.slices:
                    found = [maker.differences(tables, each, outcomes=outcomes) for maker in makers]
                    assert found[0] == found[1]
            assert makers[1].differences(tables, of)[0] > 0
            part[number] = right[number]
        part[won[0]] += 1  # another distance, the same outcome
        assert makers[1].differences(tables, of)[:2] == (1, won[0])
        assert makers[1].differences(tables, of, outcomes=True)[:2] == (0, -1)

    def test_broken_rules_are_told() -> None:
        def too_many(s: Any, out: Any) -> int:
            out[0] = TAKE
            return 9 if s.stones > 2 else 0

        broken: list[tuple[dict[str, Any], str]] = [
            ({"actions": too_many}, r"actions returned 9 for some position, not a count from 0"),
            ({"utility": lambda s: 7 + s.turn}, r"utility returned [78] for some position"),
        ]
        for changes, message in broken:
            g = stones_and_dial(**changes)
            maker: GpuMaker[Any] = GpuMaker(g)
            with pytest.raises(BrokenRules, match=message):
                maker.make(Tables(groups_of(g, 1)[0]), 0)

    def test_undeclared_slices_are_told() -> None:
        g = stones_and_dial(leads_down=False)
        maker: GpuMaker[Any] = GpuMaker(g)
        with pytest.raises(BrokenRules, match=r"slice [01], which leads_to"):
            maker.make(Tables(groups_of(g, 2)[1]), 0)

    def test_a_number_that_is_not_in_use_is_told() -> None:
        g = stones_and_dial()
        tables = made_on_cpu(g, 1)[0]
        tables.values[tables.values != 0] = UNUSED
        with pytest.raises(BrokenRules, match="a number that is not in use"):
            GpuMaker(g).differences(tables, tables.group.slices[0])

    def test_margins_of_endless_play_are_told() -> None:
        g = stones_and_dial(margins=True)
        tables = Tables(groups_of(g, 1)[0])
        with pytest.raises(BrokenRules, match="play can return to a position of heap-0-0"):
            GpuMaker(g).make(tables, 0)

    def test_tables_that_do_not_fit_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sweeps, "free_memory", lambda: 100)
        g = stones_and_dial()
        with pytest.raises(NoGpu, match=r"heap-0-0, heap-0-1 and the tables .* on the CPU"):
            GpuMaker(g).make(Tables(groups_of(g, 1)[0]), 0)

    def test_it_can_be_stopped() -> None:
        g = stones_and_dial()
        maker: GpuMaker[Any] = GpuMaker(g)
        tables = Tables(groups_of(g, 1)[0])
        maker.stop()
        with pytest.raises(Stopped):
            maker.make(tables, 0)
        with pytest.raises(Stopped):
            maker.differences(tables, tables.group.slices[0])

    @pytest.mark.parametrize(
        ("spec", "pieces"), [("", 3), ("kalah(pits=2)", 4)], ids=["stones", "kalah"]
    )
    def test_a_database_is_the_same(spec: str, pieces: int, tmp_path: Path) -> None:
        g = game(spec) if spec else stones_and_dial()
        built = [
            build(g, pieces, tmp_path / device, device=device, threads=2)
            for device in ("cpu", "gpu")
        ]
        assert built[0].made == built[1].made > 3
        coder = Maker(g).coder
        here, there = (tables_in(tmp_path / device) for device in ("cpu", "gpu"))
        assert here.keys() == there.keys()
        for number, table in here.items():
            values = np.empty((2, table.header.size), np.int16)
            read_table(table, values[0], coder)
            read_table(there[number], values[1], coder)
            assert values[0].tolist() == values[1].tolist()
        again = build(g, pieces, tmp_path / "gpu", device="gpu")
        assert (again.made, again.kept) == (0, built[1].made)


if not SIMULATED and not ON_DEVICE:

    def test_on_the_simulator() -> None:
        environment = os.environ | {"NUMBA_ENABLE_CUDASIM": "1"}
        command = [sys.executable, "-m", "pytest", "-q", "-n", "0", __file__]
        ran = processes.run(command, env=environment)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        assert " passed" in ran.stdout

    def test_an_unknown_device_is_told(tmp_path: Path) -> None:
        with pytest.raises(ThreefoldError, match="'tpu' is not one of cpu, gpu"):
            build(game("checkers"), 2, tmp_path / "new", device="tpu")
        assert not (tmp_path / "new").exists()

    def test_no_device_is_said_plainly(tmp_path: Path) -> None:
        code = (
            "from threefold import game; from threefold.solve.endgames.building import build;"
            "from threefold.errors import NoGpu\n"
            f"try: build(game('checkers'), 2, {str(tmp_path / 'new')!r}, device='gpu')\n"
            "except NoGpu as error: print(error)"
        )
        environment = os.environ | {"CUDA_VISIBLE_DEVICES": "-1"}
        ran = processes.run([sys.executable, "-c", code], env=environment, check=True)
        assert "there is no CUDA device" in ran.stdout
        assert "tables can be made without one" in ran.stdout
        assert not (tmp_path / "new").exists()
