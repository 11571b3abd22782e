"""Playing in the terminal, as people do it."""

import re

import pytest
from shell import Shell
from test_cli import EXAMPLE

#: As other tests compile it.
DICE = "dice-nim(loaded=true)"


def test_two_people_play_to_the_end(shell: Shell) -> None:
    moves = "1\n2\n1\n2\n1\n2\n1\n"
    assert shell("play", "connect-four", "--level", "human", typing=moves) == 0
    assert shell.out.splitlines()[-1] == "first player wins: 4 in line"


def test_bad_input_help_undo_and_resign(shell: Shell) -> None:
    typed = "\n".join(
        ("", "?", "moves", "undo", "z9", "\x00", "b2", "undo", "a1", "B2", "moves", "resign", "a2")
    )
    assert shell("play", "tic-tac-toe", "--level", "human", typing=typed) == 0
    assert "a1 b1 c1 a2 b2 c2 a3 b3 c3" in shell.out
    assert "no move of yours to take back" in shell.out
    assert "'z9' is not a legal move" in shell.out
    assert "list the legal moves" in shell.out
    assert shell.out.splitlines()[-1].endswith("O resigns: X wins")


@pytest.mark.parametrize("level", ["1", "3", "random"])
@pytest.mark.parametrize("side", ["first", "second"])
def test_against_the_computer_until_the_input_ends(shell: Shell, level: str, side: str) -> None:
    argv = ("play", "othello(size=4)", "--level", level, "--side", side, "--seed", "1")
    assert shell(*argv, typing="moves\n") == 0
    assert shell.err == ""


def test_undo_takes_back_the_answer_too(shell: Shell) -> None:
    assert shell("play", "nim", "--level", "2", typing="1:1\nundo\nmoves\nquit\n") == 0
    assert shell.out.count("1:1 1:2 1:3 2:1") == 1


def test_nature_rolls_the_die_reproducibly(shell: Shell) -> None:
    outputs = set()
    for _ in range(2):
        typed = "1\n" * 30
        assert shell("play", DICE, "--level", "4", "--seed", "3", typing=typed) == 0
        outputs.add(shell.out)
    assert len(outputs) == 1
    assert "nature: roll-" in shell.out
    assert shell.out.splitlines()[-1].endswith("wins")


def test_backgammon_shows_points(shell: Shell) -> None:
    race = "XGID=-BB-------------------bb--:0:0:1:00:0:0:0:0:10"
    value = shell.json("evaluate", "backgammon", race, "--eval", "race")["value"]
    assert 0 < value < 1000
    assert shell("evaluate", "backgammon", race, "--eval", "race") == 0
    assert f"{value / 1000:+.3f} points for X" in shell.out
    assert shell("solve", "backgammon", race) == 0
    assert shell.out == f"nature is to move; value for X: {value / 1000:+.3f} points, proven\n"
    value = shell.json("evaluate", "backgammon", "--eval", "position")["value"]
    assert shell("evaluate", "backgammon", "--eval", "position") == 0
    assert shell.out.startswith(f"Backgammon, position: {value / 1000:+.3f} points for X\n")
    assert "\npips: pips to go, less half a roll on the player's turn\n" in shell.out


def test_a_forced_pass_is_made_and_said(shell: Shell) -> None:
    closed = "XGID=aBBBBBB-------------b-----:0:0:-1:31:0:0:0:0:10"
    assert shell("play", "backgammon", closed, "--level", "human", typing="quit\n") == 0
    assert [line for line in shell.out.splitlines() if line.endswith("cannot move")] == [
        "O cannot move"
    ]
    assert shell.out.endswith("X, your move (? for help): ")
    assert shell.out.count("BAR") == 2, "the board of O's roll, and that of X's"
    stuck = "OOOOOOXXOXXXO-OO X"
    assert shell("play", "othello(size=4)", stuck, "--level", "human", typing="b4\n") == 0
    assert "black cannot move" in shell.out
    assert shell.out.splitlines()[-1].startswith("white wins")


def test_a_finished_game_is_announced(shell: Shell) -> None:
    assert shell("play", "tic-tac-toe", "XOX/XOO/OXX O", typing="") == 0
    assert shell.out.splitlines()[-1] == "a draw: the board is full"
    assert shell("play", "othello(size=4)", "XXXXXXXXXXXXXX-- X", typing="") == 0
    assert shell.out.splitlines()[-1] == "black wins by 16"


def test_players_and_moves_are_called_what_players_call_them(shell: Shell) -> None:
    assert shell("play", "chess", "--level", "human", typing="f3\ne7e5\ng4\nQh4\n") == 0
    assert "white: f3" in shell.out
    assert "black: Qh4#" in shell.out
    assert shell.out.splitlines()[-1] == "black wins: checkmate"
    assert shell("play", "chess", "--level", "human", typing="moves\nresign\n") == 0
    assert " Nf3 " in shell.out
    assert shell.out.splitlines()[-1].endswith("white resigns: black wins")


def test_a_draw_has_its_reason(shell: Shell) -> None:
    there_and_back = "Nf3\nNf6\nNg1\nNg8\n"
    assert shell("play", "chess", "--level", "human", typing=2 * there_and_back) == 0
    assert shell.out.splitlines()[-1] == "a draw: the position came up 3 times"
    stuck = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"
    assert shell("play", "chess", stuck, "--level", "human", typing="") == 0
    assert shell.out.splitlines()[-1] == "a draw: stalemate"


def test_a_side_is_taken_by_its_name(shell: Shell) -> None:
    assert shell("play", "othello(size=4)", "--side", "White", "--level", "1", typing="quit\n") == 0
    assert "white, your move" in shell.out
    said = shell.refused("play", "othello", "--side", "wite")
    assert "no --side 'wite': did you mean white?" in said


def test_a_users_game_is_played(shell: Shell) -> None:
    assert shell("play", EXAMPLE, "--level", "9", typing="1\n" * 20) == 0
    assert shell.out.splitlines()[-1].endswith("wins")


def test_a_game_plays_itself_from_python(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import nim

    monkeypatch.setattr("builtins.input", lambda _: "quit")
    nim.nim().play("stones=2,turn=0", level="human")
    assert "stones=2,turn=0" in capsys.readouterr().out


def test_superko(shell: Shell) -> None:
    moves = ("B1", "A2", "C2", "B2", "A1", "C1")
    typed = "\n".join((*moves, "moves", "hint", "B1", "undo", "moves", "quit"))
    assert shell("play", "go(size=3)", "--level", "human", typing=typed) == 0
    told = shell.out.partition("white: C1")[2]
    assert "black, your move (? for help): A1 A3 B3 C3 pass\n" in told
    assert re.search("hint: depth [^ ]*  [^ ]*  (A1|A3|B3|C3|pass) ", told)
    assert "'B1' is not a legal move (it would bring an earlier position back (superko))" in told
    assert "white, your move (? for help): C1 A3 B3 C3 pass\n" in told


def test_the_only_move_that_superko_leaves(shell: Shell) -> None:
    typed = "\n".join(("A1", "B1", "A2", "B2", "A1", "A2", "quit"))
    assert shell("play", "go(size=2)", "--level", "human", typing=typed) == 0
    assert "black cannot move" in shell.out
