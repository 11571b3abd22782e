"""Sums, differences and products past 64 bits: wrapped by the primitives, refused elsewhere."""

import os
import sys
from pathlib import Path
from typing import Any, NamedTuple

import processes
import pytest

from threefold import Game, conformance
from threefold.rules.bits import mix, mul, wrap
from threefold.rules.contract import Row
from threefold.solve.solve import METHODS

GAMES = [
    "tic-tac-toe",
    "nim",
    "dice-nim",
    "connect-four",
    "othello",
    "kalah",
    "kalah(pits=8)",
    "checkers",
    "chess",
    "backgammon",
]


class Stones(NamedTuple):
    red: int
    blue: int
    turn: int


def hex_by_cells(size: int) -> Game[Stones]:
    """Hex with everything done cell by cell, so that the compiler knows each number's range.

    That is what made it compute nonsense in the default key, whose products overflow.
    """
    cells = size * size
    steps = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1))

    def around(cell: int) -> int:
        x, y = cell % size, cell // size
        near = [(x + dx, y + dy) for dx, dy in steps]
        return sum(1 << j * size + i for i, j in near if 0 <= i < size and 0 <= j < size)

    touching = tuple(around(cell) for cell in range(cells))
    top, left = (1 << size) - 1, sum(1 << row * size for row in range(size))
    bottom, right = top << cells - size, left << size - 1

    def joined(stones: int, start: int, goal: int) -> bool:
        reached = stones & start
        grown = True
        while grown:
            grown = False
            for cell in range(cells):
                if stones >> cell & 1 and not reached >> cell & 1 and touching[cell] & reached:
                    reached |= 1 << cell
                    grown = True
        return reached & goal != 0

    def initial() -> Stones:
        return Stones(0, 0, 0)

    def utility(s: Stones) -> int:
        if joined(s.red, top, bottom):
            return 1
        return -1 if joined(s.blue, left, right) else 0

    def actions(s: Stones, out: Row) -> int:
        n = 0
        for cell in range(cells if utility(s) == 0 else 0):
            if not (s.red | s.blue) >> cell & 1:
                out[n] = cell
                n += 1
        return n

    def result(s: Stones, a: int) -> Stones:
        if s.turn == 0:
            return Stones(s.red | 1 << a, s.blue, 1)
        return Stones(s.red, s.blue | 1 << a, 0)

    def rotate(s: Stones) -> Stones:
        red, blue = 0, 0
        for cell in range(cells):
            if s.red >> cell & 1:
                red |= 1 << cells - 1 - cell
            if s.blue >> cell & 1:
                blue |= 1 << cells - 1 - cell
        return Stones(red, blue, s.turn)

    return Game(
        f"Hex {size}×{size}, cell by cell",
        initial=initial,
        actions=actions,
        result=result,
        utility=utility,
        symmetries=(rotate,),
    )


@pytest.mark.parametrize("method", [m for m in METHODS if m not in ("superko", "partition")])
def test_a_symmetry_with_a_loop_gives_no_false_proof(method: str) -> None:
    solution = hex_by_cells(3).solve(method=method)
    assert (solution.value, solution.exact) == (1, True)


def test_a_symmetry_with_a_loop_keeps_its_key_compiled() -> None:
    game = hex_by_cells(3)
    assert conformance(game).ok
    compiled = game.compiled()
    for red in range(1 << 9):
        assert compiled.key(Stones(red, 0, 1)) == game.key(Stones(red, 0, 1))


# What `conformance` says of rules that overflow.


class Pile(NamedTuple):
    stones: int
    turn: int


#: About a third of all words.
LARGE = 0x5555555555555555
TABLE = (LARGE, LARGE, LARGE)


def pile(**hooks: Any) -> Game[Pile]:
    def actions(s: Pile, out: Row) -> int:
        if s.stones == 0:
            return 0
        out[0] = 1
        return 1

    rules: dict[str, Any] = {
        "initial": lambda: Pile(7, 0),
        "actions": actions,
        "result": lambda s, a: Pile(s.stones - a, 1 - s.turn),
        "utility": lambda s: 1 if s.turn else -1,
    }
    return Game("Pile", **rules | hooks)


@pytest.mark.parametrize(
    ("hooks", "instead"),
    [
        ({"key": lambda s: wrap(s.stones * LARGE) + s.turn}, "use add, sub or mul"),
        ({"key": lambda s: (s.stones * LARGE & 0xFFFF) + s.turn}, "use mul of"),
        ({"key": lambda s: (TABLE[s.turn] + TABLE[s.turn] & 0xFFFF) + s.stones}, "use add of"),
        ({"key": lambda s: (mix(s.stones) * 7 & 0xFFFF) ^ s.turn}, "use mul of"),
        ({"key": lambda s: (-LARGE - LARGE - s.stones & 0xFFFF) + s.turn}, "use sub of"),
        ({"order": lambda s, a: 1 << 62 + a & 1}, "use shl of"),
        ({"evaluations": {"odd": lambda s: abs(s.stones - 1 + ~LARGE * 3 // 2) & 3}}, "use "),
    ],
)
def test_an_overflow_is_named_with_its_line_and_cure(hooks: dict[str, Any], instead: str) -> None:
    report = conformance(pile(**hooks))
    said = str(report)
    assert not report.ok
    assert instead in said
    assert "test_overflow.py, line " in said


def test_primitives_may_overflow() -> None:
    game = pile(key=lambda s: mul(mul(s.stones + 1, LARGE), 4 * s.turn + 3))
    report = conformance(game)
    assert report.ok, str(report)


# Compiled code, with every sum, difference and product checked as it runs.


def overflowing(arguments: list[str], cache: Path) -> Any:
    script = Path(__file__).with_name("overflow.py")
    environment = os.environ | {"THREEFOLD_CACHE": str(cache)}
    return processes.run([sys.executable, str(script), *arguments], env=environment)


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_nothing_compiled_overflows(game: str, tmp_path: Path) -> None:
    run = overflowing([game], tmp_path)
    assert (run.returncode, run.stdout.strip()) == (0, ""), run.stdout + run.stderr


def test_an_overflow_would_be_seen(tmp_path: Path) -> None:
    """In a game of literals and loop counters, which are no checked words when interpreted."""
    rules = tmp_path / "rules.py"
    rules.write_text(
        "from typing import NamedTuple\n"
        "from threefold import Game\n"
        "State = NamedTuple('State', [('n', int), ('turn', int)])\n"
        "def actions(s, out):\n"
        "    for i in range(s.n):\n"
        "        out[i] = i\n"
        "    return s.n\n"
        "def order(s, a):\n"
        "    for i in range(a):\n"
        "        if i * 0x5555555555555555 == 5:\n"
        "            return 1\n"
        "    return 0\n"
        "game = Game('overflowing', initial=lambda: State(4, 0), actions=actions, order=order,\n"
        "            result=lambda s, a: State(a, 1 - s.turn), utility=lambda s: 1)\n"
    )
    run = overflowing(["--hooks", str(rules)], tmp_path / "cache")
    assert run.returncode == 1, run.stdout + run.stderr
    assert "rules.py:10" in run.stdout
