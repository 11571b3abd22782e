"""What people write wrong in their first game: the same helpful sentence from every command."""

from pathlib import Path

import pytest
from shell import Shell
from test_cli import EXAMPLE

COMMANDS = [["conformance"], ["perft", "--depth", "2"], ["analyze", "--depth", "9"], ["solve"]]


ACTIONS = """def actions(s, out):  # take one, two or three stones
    n = min(3, s.stones)
    for i in range(n):
        out[i] = i + 1
    return n
"""
NEXT = "State(s.stones - a, 1 - s.turn)"
WORTH = "return 1 if s.turn == 1 else -1"
BOARD = "return State(stones=21, turn=0)"


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
@pytest.mark.parametrize(
    ("right", "wrong", "sentence"),
    [
        (
            ACTIONS,
            "def actions(s, out):\n    return [a for a in (1, 2, 3) if a <= s.stones]\n",
            "actions returned a list; write the moves to out[n] and return n",
        ),
        (
            ACTIONS,
            ACTIONS.replace("    return n\n", ""),
            "actions returned None; end it with return n",
        ),
        (
            ACTIONS,
            "def actions(s):\n    return [1]\n",
            "actions takes (s); it is called with (s, out)",
        ),
        (NEXT, "State(s.stone - a, 1 - s.turn)", "has no attribute 'stone'"),
        (NEXT, "State(s.stones - a)", "missing 1 required positional argument: 'turn'"),
        (WORTH, "if s.turn == 1:\n        return 1", "None, not a whole number"),
    ],
    ids=["list", "nothing", "no out", "no field", "too few fields", "no utility"],
)
def test_a_mistake_is_named(
    shell: Shell, tmp_path: Path, command: list[str], right: str, wrong: str, sentence: str
) -> None:
    text = Path(EXAMPLE).read_text()
    assert right in text
    path = tmp_path / "first.py"
    path.write_text(text.replace(right, wrong).replace(BOARD, "return State(stones=9, turn=0)"))
    code = shell(command[0], str(path), *command[1:])
    if command[0] == "perft" and sentence.startswith("None"):
        assert code == 0  # nothing is finished so early
    else:
        assert code in {1, 2}
        assert sentence in shell.out + shell.err
        assert "int64" not in shell.out + shell.err


@pytest.mark.parametrize(
    ("right", "wrong", "sentence"),
    [
        ("min(3, s.stones)", "min(3, s.stones & (1 << 80))", "the constant 0x1000"),
        ("s.stones - a", "s.stones | 1 << 70 + a", "result sets stones to"),
        (BOARD, "return State(stones=1 << 80, turn=0)", "sets stones to"),
    ],
    ids=["constant", "result", "initial"],
)
def test_a_board_past_64_bits_is_to_be_split(
    shell: Shell, tmp_path: Path, right: str, wrong: str, sentence: str
) -> None:
    path = tmp_path / "broad.py"
    path.write_text(Path(EXAMPLE).read_text().replace(right, wrong))
    assert shell("conformance", str(path)) == 1
    assert sentence in shell.out
    assert "split the board into 2 fields, as threefold.rules.wide does" in shell.out


def test_a_wide_board_is_used_by_the_names_of_its_functions(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "named.py"
    board = "from threefold.rules.wide import WideBoard\n\nboard = WideBoard(9, 9)\n\n\ndef initial"
    rules = Path(EXAMPLE).read_text().replace("def initial", board)
    path.write_text(rules.replace("min(3, s.stones)", "min(3, board.count((s.stones, 0)))"))
    assert "board is a WideBoard; name what you use of it" in shell.refused("analyze", str(path))
