"""Print a script that lets the Tab key complete commands, options and games.

For bash, in ~/.bashrc:                     eval "$(threefold completion bash)"
For zsh, in ~/.zshrc after compinit:        eval "$(threefold completion zsh)"
For fish, in ~/.config/fish/config.fish:    threefold completion fish | source
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

from threefold.cli.output import print_line
from threefold.cli.play import LEVEL_NAMES
from threefold.games.catalogue import HOMES, catalogue, parameters

NAME = "completion"
HELP = "Tab completion for bash, zsh or fish"
SHELLS = ("bash", "zsh", "fish")
#: By option, words that can follow it where others can too.
_SUGGESTED = {"level": LEVEL_NAMES}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `threefold completion`."""
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help=", ".join(SHELLS))


def run(args: argparse.Namespace) -> int:
    """Print the script."""
    from threefold.cli.main import parser

    commands = [*_commands(parser())]
    write = {"bash": _bash, "zsh": _zsh, "fish": _fish}[args.shell]
    print_line("\n".join(write(commands)))
    return 0


@dataclass(frozen=True)
class Command:
    """What can follow a command: its words so far, and their options and choices."""

    words: tuple[str, ...]
    about: str
    options: tuple[tuple[str, str], ...]
    #: Whether it takes a game.
    game: bool
    choices: tuple[str, ...]
    #: By option, the words that can follow it.
    values: dict[str, tuple[str, ...]]

    @property
    def name(self) -> str:
        """Its words, joined by a space."""
        return " ".join(self.words)


def _commands(parser: argparse.ArgumentParser) -> Iterator[Command]:
    """Every command that the parser knows, starting with the unnamed top level."""
    yield from _below(parser, (), "")


def _below(
    parser: argparse.ArgumentParser, words: tuple[str, ...], about: str
) -> Iterator[Command]:
    options, choices, game = [], [], False
    values: dict[str, tuple[str, ...]] = {}
    below: list[tuple[str, argparse.ArgumentParser, str]] = []
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            helps = {each.dest: each.help or "" for each in action._choices_actions}
            below += [(name, sub, helps.get(name, "")) for name, sub in action.choices.items()]
            choices += [*action.choices]
        elif action.option_strings:
            options += [(option, _sentence(action.help)) for option in action.option_strings]
            suggested = action.choices or _SUGGESTED.get(action.dest, ())
            if suggested:
                values |= dict.fromkeys(action.option_strings, tuple(map(str, suggested)))
            game = game or action.dest == "game"
        else:
            game = game or action.dest == "game"
            choices += map(str, action.choices or ())
    yield Command(words, about, tuple(options), game, tuple(choices), values)
    for name, sub, said in below:
        yield from _below(sub, (*words, name), said)


def _sentence(text: str | None) -> str:
    """A help text without characters that mean something to a shell."""
    plain = (text or "").replace("%(default)s", "").split(";")[0]
    return "".join(c for c in plain if c.isalnum() or c in " ,.-").strip()


def _games() -> list[str]:
    """Every game, and those with parameters again with their defaults in parentheses."""
    given = {
        name: ",".join(f"{p.name}={p.format(p.default)}" for p in parameters(factory))
        for name, factory in catalogue()
    }
    return [*HOMES, *(f"{name}({values})" for name, values in given.items() if values)]


def _cases(commands: list[Command]) -> Iterator[str]:
    """For each command, a line of shell code, for bash and zsh, that sets what can follow."""
    for command in commands:
        words = [*command.choices, *(option for option, _ in command.options)]
        quoted = " ".join(f"'{word}'" for word in words)
        yield f"    '{command.name}') candidates=({quoted}); game={int(command.game)} ;;"


def _after_options(commands: list[Command]) -> Iterator[str]:
    """For each option with known values, a line of shell code that sets them."""
    for command in commands:
        for option, words in command.values.items():
            quoted = " ".join(f"'{word}'" for word in words)
            yield f"    '{command.name} {option}') candidates=({quoted}); game=0 ;;"


def _bash(commands: list[Command]) -> Iterator[str]:
    games = " ".join(f"'{game}'" for game in _games())
    yield "# threefold: what Tab completes in bash"
    yield "_threefold() {"
    yield "  local current=${COMP_WORDS[COMP_CWORD]} command='' word candidates game=0 i"
    yield "  for ((i = 1; i < COMP_CWORD; i++)); do"
    yield "    word=${COMP_WORDS[i]}"
    yield '    case " $_threefold_commands " in'
    yield '      *"|$command${command:+ }$word|"*) command=$command${command:+ }$word ;;'
    yield "    esac"
    yield "  done"
    yield "  case $command in"
    yield from _cases(commands)
    yield "  esac"
    yield '  case "$command ${COMP_WORDS[COMP_CWORD - 1]}" in'
    yield from _after_options(commands)
    yield "  esac"
    yield "  COMPREPLY=()"
    yield f"  if ((game)) && [[ $current != -* ]]; then candidates+=({games}); fi"
    yield '  for word in "${candidates[@]}"; do'
    yield '    if [[ $word == "$current"* ]]; then COMPREPLY+=("$word"); fi'
    yield "  done"
    yield "  if ((${#COMPREPLY[@]} == 0)); then"
    yield '    while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$current")'
    yield "  fi"
    yield "}"
    yield f"_threefold_commands='|{'|'.join(command.name for command in commands[1:])}|'"
    yield "complete -o filenames -F _threefold threefold"


def _zsh(commands: list[Command]) -> Iterator[str]:
    games = " ".join(f"'{game}'" for game in _games())
    yield "#compdef threefold"
    yield "_threefold() {"
    yield "  local command='' word game=0; local -a given candidates"
    yield '  given=("${(@)words[2,CURRENT-1]}")'
    yield f"  local known='|{'|'.join(command.name for command in commands[1:])}|'"
    yield "  for word in $given; do"
    yield '    if [[ $known == *"|$command${command:+ }$word|"* ]]; then'
    yield "      command=$command${command:+ }$word"
    yield "    fi"
    yield "  done"
    yield "  case $command in"
    yield from _cases(commands)
    yield "  esac"
    yield '  case "$command ${words[CURRENT-1]}" in'
    yield from _after_options(commands)
    yield "  esac"
    yield "  compadd -- $candidates"
    yield f"  if ((game)); then compadd -- {games}; fi"
    yield "  _files"
    yield "}"
    yield "compdef _threefold threefold"


def _fish(commands: list[Command]) -> Iterator[str]:
    yield "# threefold: what Tab completes in fish"
    names = " ".join(commands[0].choices)
    first = f"not __fish_seen_subcommand_from {names}"
    for command in commands:
        if len(command.words) == 1:
            about = _sentence(command.about)
            yield f"complete -c threefold -f -n '{first}' -a '{command.name}' -d '{about}'"
    for command in commands[1:]:
        seen = " && ".join(f"__fish_seen_subcommand_from {word}" for word in command.words)
        for option, about in command.options:
            if option.startswith("--"):
                long = option.removeprefix("--")
                words = " ".join(command.values.get(option, ()))
                takes = f" -x -a '{words}'" if words else ""
                yield f"complete -c threefold -n '{seen}' -l '{long}' -d '{about}'{takes}"
        for choice in command.choices:
            yield f"complete -c threefold -n '{seen}' -a '{choice}'"
        if command.game:
            for game in _games():
                yield f"complete -c threefold -n '{seen}' -a '{_fish_quoted(game)}'"


def _fish_quoted(game: str) -> str:
    """A game, escaped for fish, which expands the list of candidates again."""
    return game.replace("(", "\\(").replace(")", "\\)")
