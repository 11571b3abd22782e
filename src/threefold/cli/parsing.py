"""Parse the command line, and report mistakes in one line with a suggestion."""

import argparse
import re
import sys
from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

from threefold.errors import without_middle
from threefold.rules.text import did_you_mean, printable, shorten

BAD_INPUT = 2

#: What looks like an option: not a negative number, nor a position that starts with a dash.
_OPTION = re.compile(r"(--?[A-Za-z][\w-]*)(=.*)?", re.DOTALL)


class OneLineParser(argparse.ArgumentParser):
    """A parser whose error messages are one line each."""

    _mixing = False

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Allow options before, between and after the positional arguments."""
        args = sys.argv[1:] if args is None else args
        if self._mixing:
            return super().parse_known_args(args, namespace)
        self._refuse_unknown_options(args)
        if self._commands() is not None:
            return super().parse_known_args(args, namespace)
        self._mixing = True
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self._mixing = False

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and where to find help."""
        self.exit(BAD_INPUT, f"{self.prog}: {one_line(message)} (see {self.prog} --help)\n")

    def _parse_optional(self, arg_string: str) -> Any:
        """What does not look like an option is none, even if it begins with a dash: `-1,2;3,4`."""
        return super()._parse_optional(arg_string) if _OPTION.fullmatch(arg_string) else None

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if isinstance(action, argparse._SubParsersAction) and value not in action.choices:
            hint = did_you_mean(value, action.choices)
            self.error(f"there is no command {shorten(str(value))}: {hint}")
        super()._check_value(action, value)

    def _refuse_unknown_options(self, args: Iterable[str]) -> None:
        """Name an option that does not exist before its value is taken for something else."""
        for option in self._options(args):
            if option not in self._option_string_actions:
                known = [name for name in self._option_string_actions if name.startswith("--")]
                # -depth should match --depth, whatever the number of dashes.
                meant = did_you_mean(f"--{option.lstrip('-')}", known)
                self.error(f"there is no option {shorten(option)}: {meant}")

    def _options(self, args: Iterable[str]) -> Iterator[str]:
        """What looks like an option of this parser, not of a command after it."""
        for given in args:
            if given == "--" or (self._commands() is not None and not given.startswith("-")):
                return
            if found := _OPTION.fullmatch(given):
                yield found[1]

    def _commands(self) -> argparse.Action | None:
        """The action that holds this parser's subcommands, if there are any."""
        kind = argparse._SubParsersAction
        return next((action for action in self._actions if isinstance(action, kind)), None)


def one_line(message: str) -> str:
    """A message that is safe to show on a terminal, whatever it quotes."""
    return printable(without_middle(" ".join(message.split())))
