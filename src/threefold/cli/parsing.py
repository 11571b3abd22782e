"""Reading the command line: what is wrong with it is said in one line, with what was meant."""

import argparse
import re
import sys
from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

from threefold.errors import without_middle
from threefold.rules.text import did_you_mean, printable, shorten

BAD_INPUT = 2

#: An option by its looks. Numbers below zero are none, nor is a position that begins with a dash.
_OPTION = re.compile(r"(--?[A-Za-z][\w-]*)(=.*)?", re.DOTALL)


class OneLineParser(argparse.ArgumentParser):
    """A parser whose complaints are one line each."""

    _mixing = False

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Let options stand before, between and after what a command is about."""
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
        """Say what is wrong and where help is."""
        self.exit(BAD_INPUT, f"{self.prog}: {one_line(message)} (see {self.prog} --help)\n")

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
                # -depth is much like --depth, however many dashes they differ by.
                meant = did_you_mean(f"--{option.lstrip('-')}", known)
                self.error(f"there is no option {shorten(option)}: {meant}")

    def _options(self, args: Iterable[str]) -> Iterator[str]:
        """What looks like an option of this parser, not of a command that follows."""
        for given in args:
            if given == "--" or (self._commands() is not None and not given.startswith("-")):
                return
            if found := _OPTION.fullmatch(given):
                yield found[1]

    def _commands(self) -> argparse.Action | None:
        """Where the commands below this one are kept, if there are any."""
        kind = argparse._SubParsersAction
        return next((action for action in self._actions if isinstance(action, kind)), None)


def one_line(message: str) -> str:
    """A complaint as it may be shown on a terminal, whatever it quotes."""
    return printable(without_middle(" ".join(message.split())))
