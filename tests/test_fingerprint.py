"""The digest of rules: what counts and what does not, and rules that change under a notebook."""

from pathlib import Path
from typing import Any

import nim
import pytest

from threefold import Game, game
from threefold.engine.jit.fingerprint import fingerprint
from threefold.engine.tree_count import count_from


def source(text: str, name: str = "__main__") -> dict[str, Any]:
    """What a notebook cell with this text would leave behind."""
    namespace: dict[str, Any] = {"__name__": name}
    exec(compile(text, f"<cell of {name}>", "exec"), namespace)
    return namespace


CELL = """
from typing import NamedTuple
from threefold import Game

class State(NamedTuple):
    stones: int
    turn: int

LIMIT = 3

def most(s):
    return min(LIMIT, s.stones)

def initial():
    return State(12, 0)

def actions(s, out):
    for i in range(most(s)):
        out[i] = i + 1
    return most(s)

def result(s, a):
    return State(s.stones - a, 1 - s.turn)

def utility(s, won=1):
    return won if s.turn == 1 else -won

game = Game("Cell", initial=initial, actions=actions, result=result, utility=utility)
"""


def test_file_names_and_line_numbers_do_not_count() -> None:
    here = fingerprint(source(CELL)["game"])
    assert fingerprint(source("\n\n# moved down\n" + CELL, "elsewhere")["game"]) == here


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("LIMIT = 3", "LIMIT = 2"),
        ("i + 1", "i + 2"),
        ("won=1", "won=2"),
        ("min(LIMIT", "max(LIMIT"),
        ("turn: int\n", "turn: int = 0\n"),
        ("    turn: int\n", "    turn: int\n    more: int = 0\n"),
        ("utility=utility)", "utility=utility, max_moves=5)"),
        ("utility=utility)", "utility=utility, evaluate=lambda s: s.stones)"),
    ],
)
def test_everything_else_counts(old: str, new: str) -> None:
    assert old in CELL
    changed = source(CELL.replace(old, new))["game"]
    assert fingerprint(changed) != fingerprint(source(CELL)["game"])


def test_a_long_table_counts_to_its_last_entry() -> None:
    import numpy as np

    def with_table(table: Any) -> Game[Any]:
        return nim.nim(evaluate=lambda s: table[s.stones])

    one, other = np.arange(5000), np.arange(5000)
    other[2500] = 0
    assert fingerprint(with_table(one)) != fingerprint(with_table(other))


def test_a_rerun_cell_is_noticed() -> None:
    cells = source(CELL)
    g = cells["game"]
    assert g.perft(depth=2) == g.perft(depth=2, way="interpreted") == 9
    exec("LIMIT = 2", cells)
    assert g.perft(depth=2) == g.perft(depth=2, way="interpreted") == 4
    exec("def most(s):\n    return min(1, s.stones)", cells)
    assert g.perft(depth=2) == g.perft(depth=2, way="interpreted") == 1


def test_a_module_and_a_notebook_share_the_cache(fresh_cache: Path) -> None:
    from threefold.engine.jit import entries

    first = source(CELL, "a_module")["game"]
    assert first.perft(depth=4) == 81
    files = sorted(fresh_cache.iterdir())
    entries._entries.clear()
    second = source("\n" + CELL)["game"]
    assert second.perft(depth=4) == 81
    assert second.compiled().entry(count_from).from_cache
    assert sorted(fresh_cache.iterdir()) == files


def test_rules_changed_under_a_held_compiled_do_not_poison_the_cache(fresh_cache: Path) -> None:
    from threefold.engine.jit import entries

    cells = source(CELL)
    held = cells["game"].compiled()
    cells["LIMIT"] = 2
    assert held.moves(held.initial()) == [1, 2]
    entries._entries.clear()
    fresh = source(CELL)["game"]
    assert fresh.compiled().moves(fresh.initial()) == [1, 2, 3]


def test_constants_read_through_a_module_count(monkeypatch: pytest.MonkeyPatch) -> None:
    import helpers

    def actions(s: nim.State, out: Any) -> int:
        n = min(helpers.MOST, s.stones)
        for i in range(n):
            out[i] = i + 1
        return n

    g = nim.nim(actions=actions)
    assert g.perft(depth=3) == 27
    monkeypatch.setattr(helpers, "MOST", 2)
    assert g.perft(depth=3) == g.perft(depth=3, way="interpreted") == 8


WAYS_TO_CHANGE_RULES = {
    "a constant": ("LIMIT", "LIMIT = 2"),
    "a function": ("top()", "def top(): return 2"),
    "a function's code": ("top()", "top.__code__ = (lambda: 2).__code__"),
    "a default": ("least()", "least.__defaults__ = (2,)"),
    "a keyword's default": ("keyword()", "keyword.__kwdefaults__['limit'] = 2"),
    "a closure": ("inner()", "change(2)"),
    "a builtin": ("abs(3)", "def abs(x): return 2"),
    "an array": ("ARRAY[0]", "ARRAY[0] = 2"),
    "a table": ("TABLE[0]", "TABLE = (2, 2)"),
    "a list": ("helper.TABLE[0]", "helper.TABLE[0] = 2"),
    "a module's constant": ("helper.LIMIT", "helper.LIMIT = 2"),
    "a module within a module": ("helper.deeper.LIMIT", "helper.deeper.LIMIT = 2"),
}
CHANGEABLE = """
import types
import numpy as np

TABLE, ARRAY = (3, 3), np.array([3])
helper = types.ModuleType("helper")
helper.deeper = types.ModuleType("deeper")
helper.LIMIT, helper.deeper.LIMIT, helper.TABLE = 3, 3, [3]

def top(): return 3
def least(limit=3): return limit
def keyword(*, limit=3): return limit

def closed():
    limit = 3
    def inner(): return limit
    def change(to):
        nonlocal limit
        limit = to
    return inner, change

inner, change = closed()
"""


@pytest.mark.parametrize("what", WAYS_TO_CHANGE_RULES)
def test_rules_that_have_changed_are_looked_through_again(what: str) -> None:
    limit, change = WAYS_TO_CHANGE_RULES[what]
    cells = source(CHANGEABLE + CELL.replace("min(LIMIT", f"min({limit}"))
    g = cells["game"]
    before = fingerprint(g)
    assert fingerprint(g) == before
    exec(change, cells)
    assert fingerprint(g) != before


def test_rules_that_have_not_changed_are_not_looked_through_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    g = game("chess")
    before = g.compiled().entry(count_from)

    def never(*_: Any) -> None:
        raise AssertionError("looked through again")

    for name in ("compile.check_state", "compile.check_hooks", "jit.fingerprint.Digest"):
        monkeypatch.setattr(f"threefold.engine.{name}", never)
    assert g.compiled().entry(count_from) is before


def test_the_fields_of_a_named_constant_count() -> None:
    text = CELL.replace(
        "LIMIT = 3",
        "class Config(NamedTuple):\n    a: int\n    b: int\n\nCONFIG = Config(3, 2)",
    ).replace("min(LIMIT", "min(CONFIG.a")
    swapped = text.replace("a: int\n    b: int", "b: int\n    a: int")
    assert source(text)["game"].perft(depth=2) == 9
    assert source(swapped)["game"].perft(depth=2) == 4
