"""Tab completion, as shells do it."""

import shutil

import pytest
from processes import run
from shell import Shell


def ask(program: str, script: str) -> list[str]:
    """What a shell prints."""
    path = shutil.which(program)
    if path is None:
        pytest.skip(f"{program} is not installed")
    done = run([path, "-c", script], check=True)
    assert done.stderr == ""
    printed: list[str] = done.stdout.splitlines()
    return printed


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("an", ["analyze", "analyse"]),
        ("analyze --dep", ["--depth"]),
        ("analyze oth", ["othello", "othello(size=8)"]),
        ("perft nim --wa", ["--way"]),
        ("exercise n", ["new"]),
        ("exercise new --se", ["--seed"]),
        ("completion f", ["fish"]),
        ("--ver", ["--version"]),
        ("play chess --level tu", ["turochamp"]),
    ],
)
def test_bash_completes(shell: Shell, words: str, expected: list[str]) -> None:
    assert shell("completion", "bash") == 0
    call = "_threefold; printf '%s\\n' \"${COMPREPLY[@]}\""
    given = f"COMP_WORDS=(threefold {words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))"
    assert ask("bash", f"{shell.out}\n{given}\n{call}") == expected


def test_bash_completes_files_too(shell: Shell) -> None:
    shell("completion", "bash")
    given = "COMP_WORDS=(threefold play examples/twen); COMP_CWORD=2"
    call = "_threefold; printf '%s\\n' \"${COMPREPLY[@]}\""
    assert ask("bash", f"{shell.out}\n{given}\n{call}") == ["examples/twenty_one.py"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("an", ["analyse", "analyze"]),
        ("analyze --dep", ["--depth"]),
        ("analyze nim --mem", ["--memory"]),
        ("analyze oth", ["othello", "othello(size=8)"]),
        ("completion fi", ["fish"]),
        ("play chess --level shannon", ["shannon-a", "shannon-b"]),
    ],
)
def test_fish_completes(shell: Shell, words: str, expected: list[str]) -> None:
    assert shell("completion", "fish") == 0
    found = ask("fish", f"{shell.out}\ncomplete -C 'threefold {words}'")
    assert sorted(line.partition("\t")[0] for line in found) == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("an", {"analyze", "analyse", "--version"}),
        ("analyze --dep", {"--depth", "--threads"}),
        ("analyze oth", {"--depth", "othello", "othello(size=8)"}),
        ("exercise new --se", {"--seed"}),
        ("completion fi", {"fish", "zsh"}),
        ("play chess --level tu", {"turochamp", "human"}),
    ],
)
def test_zsh_offers_what_can_follow(shell: Shell, words: str, expected: set[str]) -> None:
    """Zsh itself picks what begins with the word at the cursor."""
    assert shell("completion", "zsh") == 0
    stubs = "compdef() { }; compadd() { shift; print -rl -- $@ }; _files() { }"
    given = f"words=(threefold {words}); CURRENT=$#words"
    assert expected <= {*ask("zsh", f"{stubs}\n{shell.out}\n{given}\n_threefold")}


def test_every_command_and_game_is_known(shell: Shell) -> None:
    from threefold.cli.main import parser
    from threefold.games.catalogue import HOMES

    for name in ("bash", "zsh", "fish"):
        assert shell("completion", name) == 0
        for action in parser()._actions:
            for command in action.choices or ():
                assert f"'{command}'" in shell.out, name
        assert all(game in shell.out for game in HOMES)


def test_another_shell_is_refused(shell: Shell) -> None:
    assert "'tcsh'" in shell.refused("completion", "tcsh")
