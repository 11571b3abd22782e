"""The command line in this process, for tests that type many commands."""

import io
import json
import sys
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

import pytest

from threefold.cli.main import main


class Shell:
    """Runs commands in this process and keeps their output."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch
        self.out = ""
        self.err = ""

    def __call__(self, *argv: str, typing: str | None = None) -> int:
        if typing is not None:
            lines = iter(typing.splitlines())

            def read(prompt: str = "") -> str:
                sys.stdout.write(prompt)
                try:
                    return next(lines)
                except StopIteration:
                    raise EOFError from None

            self._monkeypatch.setattr("builtins.input", read)
        out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="") for _ in range(2))
        with redirect_stdout(out), redirect_stderr(err):
            try:
                code = main(argv)
            except SystemExit as exit_:
                code = int(exit_.code or 0)
        self.out, self.err = _text(out), _text(err)
        return code

    def json(self, *argv: str) -> dict[str, Any]:
        assert self(*argv, "--json") == 0, self.err
        answer = json.loads(self.out, parse_constant=pytest.fail)
        assert isinstance(answer, dict)
        assert self.out.count("\n") == 1
        return answer

    def refused(self, *argv: str) -> str:
        """The one line that a bad command gets."""
        assert self(*argv) == 2
        assert self.out == ""
        assert len(self.err.splitlines()) == 1, self.err
        assert self.err.startswith("threefold")
        return self.err


def _text(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()
