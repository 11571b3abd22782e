"""A solver that is kept: memory taken as needed, remembered, and given back."""

import gc
import threading
import weakref
from typing import Any

import nim
import numpy as np
import pytest

from threefold import Game, ThreefoldError, game
from threefold.engine.control import Control
from threefold.engine.records import allocate
from threefold.engine.table import BUCKET_WORDS, new_table, packed, probe, store, value_of
from threefold.errors import BrokenRules, Unsolved
from threefold.rules.bits import mix
from threefold.solve import memory as kept
from threefold.solve.exact import ExactSearch
from threefold.solve.growing_table import spread

MEGABYTES = 16
#: Connect Four, some thousand nodes each.
POSITIONS = ("243335424257", "5512243243536", "65444437612")


def test_what_was_proven_is_remembered() -> None:
    g = game("connect-four")
    with g.solver(megabytes=MEGABYTES) as solver:
        first = [solver.solve(p, detail="best") for p in POSITIONS]
        again = [solver.solve(p, detail="best") for p in POSITIONS]
    alone = [g.solve(p, detail="best", megabytes=MEGABYTES) for p in POSITIONS]
    for one, two, three in zip(first, again, alone, strict=True):
        assert two.nodes < one.nodes
        assert (one.value, one.win_in) == (two.value, two.win_in) == (three.value, three.win_in)
        assert set(one.all_best) == set(two.all_best) == set(three.all_best)
    assert alone[0].nodes == first[0].nodes


@pytest.mark.parametrize("method", ["graph", "table", "null-window", "proof"])
def test_one_solver_for_every_method(method: str) -> None:
    g = game("tic-tac-toe")
    with g.solver(megabytes=MEGABYTES) as solver:
        for _ in range(2):
            for position, value in (("X../.O./..X O", 0), ("XX./OO./... X", 1), (None, 0)):
                assert solver.solve(position, method=method).value == value


def test_a_closed_solver_says_so() -> None:
    solver = game("nim").solver()
    assert solver.solve("3-4-5 1").value == 1
    solver.close()
    with pytest.raises(ThreefoldError, match=r"closed; game\.solver\(\) makes another"):
        solver.solve("3-4-5 1")
    with pytest.raises(ThreefoldError, match="megabytes 0 is not a whole number"):
        game("nim").solver(megabytes=0)


def test_its_memory_goes_when_it_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    searches: list[weakref.ref[Any]] = []

    class Watched(ExactSearch[Any]):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args)
            searches.append(weakref.ref(self))

    monkeypatch.setattr(kept, "ExactSearch", Watched)
    solver = game("tic-tac-toe").solver(megabytes=MEGABYTES)
    gc.disable()
    try:
        for _ in range(2):
            solver.solve(method="null-window")
        assert len(searches) == 1
        assert searches[0]() is not None
        solver.close()
        assert searches[0]() is None
    finally:
        gc.enable()


def test_another_thread_may_stop_it() -> None:
    solver = game("connect-four").solver(megabytes=MEGABYTES)
    outcomes: list[Any] = []

    def work() -> None:
        try:
            outcomes.append(solver.solve(progress=False))
        except Unsolved as error:
            outcomes.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    while thread.is_alive():  # it has no effect before the work has begun
        solver.stop()
        thread.join(0.05)
    assert len(outcomes) == 1
    assert isinstance(outcomes[0], Unsolved) or not outcomes[0].complete
    # The next position is not stopped.
    assert solver.solve(POSITIONS[0], detail="value").exact
    solver.close()


def test_other_rules_are_solved_anew() -> None:
    cells: dict[str, Any] = {"WORTH": 1}
    exec("def utility(s): return WORTH if s.turn == 1 else -WORTH", cells)
    g: Game[Any] = nim.nim(utility=cells["utility"], initial=lambda: nim.State(21, 0))
    with g.solver(megabytes=MEGABYTES) as solver:
        assert solver.solve(method="null-window").value == 1
        cells["WORTH"] = 5
        assert g.solve(method="graph").value == 5
        assert solver.solve(method="null-window").value == 5


nim_actions = nim.actions


def test_nothing_is_kept_of_rules_that_failed() -> None:
    def actions(s: nim.State, out: Any) -> int:
        return 999 if s.stones == 5 else nim_actions(s, out)

    g = nim.nim(actions=actions)
    with g.solver(megabytes=MEGABYTES) as solver:
        for _ in range(2):
            with pytest.raises(BrokenRules, match="actions returned 999"):
                solver.solve(method="null-window")
        assert solver._memory is not None
        assert solver._memory._exact is None


# How soon.


@pytest.mark.parametrize("method", ["auto", "graph", "table", "null-window"])
def test_how_soon_and_one_move(method: str) -> None:
    g = game("connect-four(columns=4,rows=4,k=3)")
    s = g.initial()
    while g.moves(s):
        whole = g.solve(s, method="graph")
        found = g.solve(s, method=method, detail="win_in", megabytes=MEGABYTES)
        assert (found.value, found.win_in) == (whole.value, whole.win_in)
        assert len(found.lines) == len(found.all_best) == 1
        values = {line.move: (line.value, line.win_in) for line in whole.lines}
        assert values[found.lines[0].move] == (whole.value, whole.win_in)
        s = g.result(s, g.moves(s)[0])


def test_how_soon_where_wins_are_graded() -> None:
    """A search gives up on distances where they are dear; a small graph knows them."""
    g = game("othello(size=4)")
    whole = g.solve(method="graph")
    for detail in ("win_in", "best", "moves"):
        found = g.solve(detail=detail, megabytes=64)
        assert (found.value, found.win_in) == (whole.value, whole.win_in)
        values = {line.move: (line.value, line.win_in) for line in whole.lines}
        assert all(values[line.move] == (line.value, line.win_in) for line in found.lines)


# Tables that grow.


@pytest.mark.parametrize(("before", "after"), [(1, 8), (1, 3), (2, 4)])
def test_a_table_that_grows_forgets_nothing(before: int, after: int) -> None:
    memory = new_table(after)
    control = allocate(Control)
    small = memory[: before << 17]
    keys = [mix(i + 1) for i in range(3000)]
    for i, hashed in enumerate(keys):
        store(hashed, packed(i, 0, 1, 0, 3), small)
    known = {hashed for hashed in keys if probe(hashed, small)}
    assert len(known) > 2900
    spread(memory, len(small), len(memory), control)
    for i, hashed in enumerate(keys):
        if hashed in known:
            assert value_of(probe(hashed, memory)) == i
    assert np.count_nonzero(memory[1::2]) == len(known)


def test_growing_can_be_stopped() -> None:
    memory = new_table(8)
    control = allocate(Control)
    control.stop = 1
    small = memory[: 1 << 17]
    hashed = mix(1 << 40)
    store(hashed, packed(7, 0, 1, 0, 3), small)
    spread(memory, len(small), len(memory), control)
    assert value_of(probe(hashed, small)) == 7, "nothing has moved"
    assert probe(hashed, memory) in (0, packed(7, 0, 1, 0, 3))


def test_a_new_table_is_aligned_and_empty() -> None:
    table = new_table(3)
    assert table.ctypes.data % (8 * BUCKET_WORDS) == 0
    assert len(table) == 3 << 17
    assert not table.any()
