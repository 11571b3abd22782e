"""A program of somebody else's, spoken to in lines: it may crash, hang, flood us or talk nonsense.

Nothing here waits without a limit, and nothing that the program says can fill our memory: its
output is read only while we wait for it, long lines are cut, and only the last ones are remembered.
"""

import os
import selectors
import shlex
import shutil
import signal
import subprocess
import time
import weakref
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from threefold.errors import ThreefoldError
from threefold.protocols.player import PlayerFailed
from threefold.rules.text import printable, shorten

#: Where Debian keeps its engines; a user's PATH need not have it.
_GAMES_FOLDER: Final = "/usr/games"
#: The longest line that is kept whole, in bytes.
_LONGEST_LINE: Final = 1 << 16
#: How many lines of the conversation are remembered for the record, and how much of each.
_REMEMBERED: Final = 40
_REMEMBERED_WIDTH: Final = 200
#: How much of its last complaint is told with a crash.
_COMPLAINT_WIDTH: Final = 100
#: How many pieces of output are read of one that is gone.
_LAST_WORDS: Final = 8
#: Seconds to take in what it is told,
_HEARING: Final = 5.0
#: to leave after `quit`, and to leave after a signal.
_LEAVING: Final = 0.5


def words_of(command: str) -> list[str]:
    """The words of a command line, the program first."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ThreefoldError(f"the command {shorten(command)} cannot be read: {error}") from None
    if not words:
        raise ThreefoldError("there is no command to start an engine with; name one, as stockfish")
    return words


def find_program(program: str) -> str:
    """Where a program is: on PATH, or in Debian's folder for games."""
    path = os.pathsep.join((os.environ.get("PATH", os.defpath), _GAMES_FOLDER))
    with suppress(ValueError):  # a name with a zero byte
        if found := shutil.which(os.path.expanduser(program), path=path):
            return found
    if os.sep in program and Path(program).expanduser().is_file():
        raise ThreefoldError(f"{shorten(program)[1:-1]} is not a program; make it executable")
    raise ThreefoldError(
        f"there is no program {shorten(program)[1:-1]}; install it or give its path"
    )


class Program:
    """A program that runs, in a process group of its own that ends with it."""

    def __init__(self, command: str) -> None:
        program, *arguments = words_of(command)
        #: What messages call it.
        self.name = Path(program).name
        try:
            process = subprocess.Popen(
                [find_program(program), *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise ThreefoldError(f"{self.name} cannot be started: {reason}") from None
        assert process.stdin
        assert process.stdout
        assert process.stderr
        self._process = process
        self._in, self._out = process.stdin.fileno(), process.stdout.fileno()
        self._selector = selectors.DefaultSelector()
        self._pieces = {self._out: _Pieces(), process.stderr.fileno(): _Pieces()}
        for stream in (self._in, *self._pieces):
            os.set_blocking(stream, False)
        for stream in self._pieces:
            self._selector.register(stream, selectors.EVENT_READ)
        self._lines: deque[str] = deque()
        self._conversation: deque[str] = deque(maxlen=_REMEMBERED)
        #: The last line of its error output.
        self._complaint = ""
        #: The limit that was past when we last looked for what had arrived by then.
        self._looked_at_limit = 0.0
        self._end = weakref.finalize(self, _end, process, os.getpid())

    @property
    def output(self) -> str:
        """The last that was said: `>` what it was told, `<` its answers, `!` its complaints.

        Lines that it has begun and not ended come last.
        """
        begun = [
            _marked(self._mark(stream), pieces.rest)
            for stream, pieces in self._pieces.items()
            if pieces.rest
        ]
        return "\n".join([*self._conversation, *begun])

    def send(self, line: str) -> None:
        """Tell it a line."""
        self._remember(">", line)
        rest = f"{line}\n".encode()
        until = time.monotonic() + _HEARING
        while rest:
            try:
                rest = rest[os.write(self._in, rest) :]
            except BlockingIOError:  # it has not read what it was told before
                if time.monotonic() > until:
                    raise self.failed("hang", "does not read what it is told") from None
                self._wait(0.05)
            except OSError:
                raise self._gone() from None

    def read(self, until: float) -> str | None:
        """Its next line, or None if there is none until a `monotonic` time."""
        while not self._lines:
            if self._out not in self._selector.get_map():
                raise self._gone()
            left = until - time.monotonic()
            if left <= 0:
                # What had arrived by then counts. Once: a flood must not keep us here.
                if self._looked_at_limit == until:
                    return None
                self._looked_at_limit = until
            self._wait(max(left, 0.0))
        return self._lines.popleft()

    def skip(self) -> list[str]:
        """What it has said that nobody has read yet, as far as it has arrived."""
        if self._out in self._selector.get_map():
            self._wait(0.0)
        skipped = list(self._lines)
        self._lines.clear()
        return skipped

    def failed(self, kind: str, what: str) -> PlayerFailed:
        """The failure to raise: `hang`, `does not answer`."""
        return PlayerFailed(kind, f"{self.name} {what}", self.output)

    def close(self, farewell: str | None = None) -> None:
        """End it and all that it started: by a last word, by a signal, by force."""
        if farewell is not None and self._process.poll() is None:
            with suppress(PlayerFailed):
                self.send(farewell)
                self._process.stdin.close()  # type: ignore[union-attr]
                self._await_end(_LEAVING)
        self._end()
        self._selector.close()

    def _wait(self, seconds: float) -> None:
        """Take in what it says, waiting at most so long for it."""
        for key, _ in self._selector.select(seconds):
            stream = key.fd
            try:
                data = os.read(stream, _LONGEST_LINE)
            except BlockingIOError:
                continue
            except OSError:
                data = b""
            if not data:
                self._selector.unregister(stream)
            for line in self._pieces[stream].lines(data):
                self._remember(self._mark(stream), line)
                if stream == self._out:
                    self._lines.append(line)
                elif line:
                    self._complaint = line

    def _mark(self, stream: int) -> str:
        return "<" if stream == self._out else "!"

    def _remember(self, mark: str, line: str) -> None:
        self._conversation.append(_marked(mark, line))

    def _await_end(self, seconds: float) -> None:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)

    def _gone(self) -> PlayerFailed:
        """What to raise where it can be spoken to no more."""
        self._await_end(_LEAVING)
        for _ in range(_LAST_WORDS):
            self._wait(0.0)
        code = self._process.poll()
        if code is None:
            what = "closed its output"
        elif code < 0:
            what = f"crashed: {signal.strsignal(-code) or f'signal {-code}'}"
        else:
            what = f"ended with exit code {code}"
        complaint = printable(self._complaint, _COMPLAINT_WIDTH)
        return self.failed("crash", f"{what}: {complaint}" if complaint else what)


def _marked(mark: str, line: str) -> str:
    return f"{mark} {printable(line, _REMEMBERED_WIDTH)}"


class _Pieces:
    """Lines put together from the pieces in which a stream arrives; too long ones are cut."""

    def __init__(self) -> None:
        self._rest = b""

    @property
    def rest(self) -> str:
        """The line that has begun and not ended."""
        return _line(self._rest)

    def lines(self, data: bytes) -> Sequence[str]:
        """The lines that are complete now; no data means that there is no more to come."""
        *complete, self._rest = (self._rest + data).split(b"\n")
        if not data and self._rest:
            complete, self._rest = [self._rest], b""
        # Of a line that never ends, the beginning is kept.
        self._rest = self._rest[:_LONGEST_LINE]
        return [_line(line) for line in complete]


def _line(data: bytes) -> str:
    return data[:_LONGEST_LINE].decode("utf-8", "replace").rstrip()


def _end(process: "subprocess.Popen[bytes]", owner: int) -> None:
    """End a process and its group for certain; not from a child that was forked off its owner."""
    if os.getpid() != owner:
        return
    if process.poll() is None:
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_LEAVING)
    with suppress(OSError):  # what it started may still be there
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            with suppress(OSError):
                stream.close()
