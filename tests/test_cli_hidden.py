"""Games with hidden information in the terminal: nobody is shown what they may not see."""

import re
from pathlib import Path

import pytest
from high_card import NAMES, high_card
from shell import Shell

from threefold.cli import hidden_play

GAME = str(Path(__file__).parent / "high_card.py")
#: The cards of a table of four, as its text shows them.
HANDS = re.compile(r"North:(.) East:(.) South:(.) West:(.) \|")


def hands(text: str) -> list[tuple[str, ...]]:
    return HANDS.findall(text)


@pytest.mark.parametrize(("side", "seat"), [("first", 0), ("South", 2), ("fourth", 3)])
def test_one_person_sees_one_hand_until_the_end(shell: Shell, side: str, seat: int) -> None:
    argv = ("play", GAME, "--side", side, "--level", "1", "--seed", "5")
    assert shell(*argv, typing="moves\nbet\n") == 0
    first, last = hands(shell.out)
    assert [name for at, name in enumerate(first) if at != seat] == ["·"] * 3
    assert len({*last}) == 4
    assert "·" not in last
    assert first[seat] == last[seat]
    assert "pass bet" in shell.out
    assert shell.out.count("nature: ") == 1
    for name in set(last) - {last[seat]}:
        assert f"card-{name}" not in shell.out.partition(" wins")[0]
    assert re.fullmatch(r"(North-South|East-West) wins( by \d+)?", shell.out.splitlines()[-1])


def test_every_call_is_told_as_it_is_made(shell: Shell) -> None:
    argv = ("play", GAME, "--level", "random", "--seed", "2")
    assert shell(*argv, typing="bet\n") == 0
    told = re.findall(r"^(North|East|South|West): (?:pass|bet)$", shell.out, re.MULTILINE)
    assert told[-3:] == ["East", "South", "West"]
    assert "North: bet" in shell.out


def test_several_people_say_who_they_are(shell: Shell) -> None:
    argv = ("play", GAME, "--side", "north,west", "--level", "1", "--seed", "5")
    assert shell(*argv, typing="\nbet\n\npass\n") == 0
    north, west, last = hands(shell.out)
    assert (north[0], north[1:]) == (last[0], ("·", "·", "·"))
    assert (west[3], west[:3]) == (last[3], ("·", "·", "·"))
    assert "North, press Enter to see what is yours" in shell.out
    assert "West, press Enter to see what is yours" in shell.out


def test_a_screen_is_cleared_before_another_looks(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hidden_play, "_on_a_terminal", lambda: True)
    typed = "\nbet\n\npass\n\nquit\n"
    assert shell("play", GAME, "--level", "human", "--seed", "5", typing=typed) == 0
    parts = shell.out.split("\x1b[2J\x1b[3J\x1b[H")
    assert [len(hands(part)) for part in parts] == [1, 1, 1]


def test_nobody_plays_and_everything_is_seen(shell: Shell) -> None:
    argv = ("play", GAME, "--side", "nobody", "--level", "2", "--seed", "5")
    assert shell(*argv) == 0
    first, last = hands(shell.out)
    assert first == last
    assert "·" not in first


def test_the_same_seed_deals_the_same_cards(shell: Shell) -> None:
    told = set()
    for _ in range(2):
        argv = ("play", "leduc-poker", "--level", "2", "--seed", "9")
        assert shell(*argv, typing="bet\ncall\n" * 6) == 0
        told.add(shell.out)
    assert len(told) == 1


def test_what_a_person_may_ask_for(shell: Shell) -> None:
    typed = "?\nhint\nundo\nbar\nbest\nBET\n"
    assert shell("play", GAME, "--level", "random", "--seed", "5", typing=typed) == 0
    assert re.search(r"hint, by what you see: (pass|bet) \(.*\), (pass|bet) \(.*\)\n", shell.out)
    assert "  hint     what the computer would play" in shell.out
    assert "take your last move back" not in shell.out
    assert "no move is taken back where something is hidden" in shell.out
    assert "there is no evaluation bar where something is hidden" in shell.out
    assert "'best' is not a legal move; legal here: pass, bet" in shell.out
    assert "North: bet" in shell.out


def test_a_hint_for_the_auction_is_what_partners_have_agreed(shell: Shell) -> None:
    argv = ("play", "contract-bridge", "--side", "north", "--seed", "12")
    assert shell(*argv, typing="hint\nquit\n") == 0
    assert "hint: 1♠\n" in shell.out


def test_a_call_that_was_agreed_on_is_said_to_be_so(shell: Shell) -> None:
    auction = "N:A653.K8.QJ72.A94 - - - | -"
    assert shell("analyze", "contract-bridge", auction, "--time", "1") == 0
    assert "1D" in shell.out
    assert shell.out.splitlines()[-1].startswith("This is what partners have agreed on")


def test_who_resigns_may_see_everything(shell: Shell) -> None:
    assert shell("play", GAME, "--level", "1", "--seed", "5", typing="resign\n") == 0
    assert "·" not in hands(shell.out)[-1]
    assert shell.out.endswith("North-South resigns: East-West wins\n")


def test_the_input_may_end(shell: Shell) -> None:
    assert shell("play", GAME, "--level", "human", typing="") == 0
    assert shell("play", GAME, "--level", "1", typing="quit\n") == 0


def test_kuhn_poker_to_the_showdown(shell: Shell) -> None:
    assert shell("play", "kuhn-poker", "--level", "human", typing="\nbet\n\ncall\n") == 0
    assert re.search("wins by 2: showdown, [JQK] against [JQK]$", shell.out.strip())


def test_a_game_plays_itself_from_python(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("builtins.input", lambda _: "quit")
    high_card().play()
    (seen,) = hands(capsys.readouterr().out)
    assert seen[0] in NAMES[1:]
    assert seen[1:] == ("·", "·", "·")


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        ((GAME, "--side", "souht"), "there is no --side 'souht': did you mean South?"),
        ((GAME, "--side", "north,"), "there is no --side ''"),
        ((GAME, "--side", "nobdy"), "there is no --side 'nobdy': did you mean nobody?"),
        ((GAME, "--bar"), "hides some of what an evaluation bar would show"),
        (("nim", "--side", "first,second"), "there is no --side 'first,second'"),
        (("nim", "--side", "nobody"), "there is no --side 'nobody'"),
    ],
)
def test_what_is_refused(shell: Shell, argv: tuple[str, ...], words: str) -> None:
    assert words in shell.refused("play", *argv)
