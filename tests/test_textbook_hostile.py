"""Students' programs that mean harm: what they read, hold, print, start, signal and forge.

They run behind the best walls that this system permits, and in the slow tests behind every other
kind. All ends as a sentence in the report, and nothing is left behind.
"""

import json
import os
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import processes
import pytest
from student_programs import MINIMAX

from threefold.cli.main import main
from threefold.errors import ThreefoldError
from threefold.textbook import sandbox, student
from threefold.textbook.grade import Difference, Grade, grade
from threefold.textbook.student import StudentRun, run_student

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="walls are Linux's")

AS_ROOT = os.geteuid() == 0


def permitted(walls: str) -> bool:
    """Whether a program starts behind these walls here."""
    if sys.platform != "linux":
        return False
    job = {"file": "x.py", "text": "", "function": "minimax", "memory": 2**28}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sandbox, "walls", lambda: (walls,))
        try:
            with sandbox.student_process(job, 10, 2**28):
                return True
        except ThreefoldError:
            return False


WALLS = [walls for walls in ("namespaces", "bubblewrap") if permitted(walls)]


def one_in_daily_use(walls: list[str]) -> list[Any]:
    return [*walls[:1], *(pytest.param(one, marks=pytest.mark.slow) for one in walls[1:])]


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """Use these walls and no others."""

    def choose(walls: str) -> str:
        monkeypatch.setattr(sandbox, "walls", lambda: (walls,))
        return walls

    return choose


@pytest.fixture(params=one_in_daily_use([*WALLS, "nothing"]))
def behind(request: pytest.FixtureRequest, use: Callable[[str], str]) -> str:
    """Any walls, or none."""
    return use(request.param)


@pytest.fixture(params=one_in_daily_use(WALLS))
def isolated(request: pytest.FixtureRequest, use: Callable[[str], str]) -> str:
    """Walls that hide something."""
    return use(request.param)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    (tmp_path / "folder").mkdir()
    return tmp_path / "folder" / "student.py"


def graded(program: Path, code: str, seconds: float = 60) -> Grade:
    program.write_text(code, "utf-8")
    found = grade(program, trees=10, seconds=seconds, memory=2**28)
    assert str(found).replace("\n", "").isprintable()
    json.dumps(found.to_json(), allow_nan=False)
    return found


def wrong(program: Path, code: str, seconds: float = 60) -> Difference:
    found = graded(program, code, seconds)
    assert not found.right
    assert found.difference is not None
    assert len(found.difference.explanation) < 600
    return found.difference


def told_by(program: Path, body: str, seconds: float = 60) -> str:
    """What a program finds out, which it reports as the text of a KeyError."""
    lines = "\n".join(f"    {line}" for line in body.strip().splitlines())
    code = f"import os, sys\ndef minimax(node):\n{lines}\n"
    said = wrong(program, code, seconds).explanation
    assert "KeyError" in said, said
    return said.split(": ", 1)[1].rstrip(".")


def attempts(program: Path, *lines: str) -> list[int]:
    """Which of these lines succeed."""
    body = "done = []\n"
    for number, line in enumerate(lines):
        body += f"try:\n    {line}\n    done.append({number})\nexcept Exception: pass\n"
    found: list[int] = json.loads(told_by(program, f"{body}raise KeyError(done)"))
    return found


# What it can reach.


def test_files_network_and_privileges_are_out_of_reach(isolated: str, program: Path) -> None:
    secret = program.with_name("solution.txt")
    secret.write_text("42")
    source = str(Path(sandbox.__file__).parents[2])
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert not attempts(
            program,
            "open('/etc/passwd')",
            f"open({str(secret)!r})",
            f"os.listdir({source!r})",
            "open('/proc/self/environ')",
            "open('/dev/tty', 'w')",
            "import threefold",
            f"sys.path.append({source!r}); import threefold",
            f"sys.path.extend({sys.path!r}); import numpy",
            f"import socket; socket.create_connection(('127.0.0.1', {port}), 5)",
            "os.setuid(0)",
            "os.chroot('/usr')",
            "import ctypes; libc = ctypes.CDLL(None); 1 / (libc.unshare(0x10000000) + 1)",
            "1 / (libc.unshare(0x00020000) + 1)",
            "1 / (libc.mount(b'tmpfs', b'/usr', b'tmpfs', 0, None) + 1)",
            "1 / (os.getuid() != 0 and 0)",
        )


def test_nothing_is_found_and_nothing_can_be_written(isolated: str, program: Path) -> None:
    """Wherever a program looks."""
    body = """
found, written = [], []
for folder, folders, files in os.walk('/'):
    found += [name for name in folders + files if name in ('threefold', 'numpy', 'numba')]
    try:
        open(folder + '/x', 'w')
        written.append(folder)
    except OSError:
        pass
raise KeyError(found, written)
"""
    assert told_by(program, body) == "([], [])"


def test_threefold_is_not_there_even_in_the_open(program: Path, use: Callable[[str], str]) -> None:
    """Not by name, and not as a copy in the file's folder."""
    use("nothing")
    program.with_name("threefold.py").write_text("")
    assert attempts(program, "import threefold", "import numpy", "import json") == [2]


def test_modules_come_only_from_the_files_folder(program: Path) -> None:
    folder = program.parent
    (folder.parent / "above.py").write_text("x = 1")
    (folder / "link.py").symlink_to(folder.parent / "above.py")
    (folder / "away").symlink_to(folder.parent, target_is_directory=True)
    os.mkfifo(folder / "pipe.py")
    (folder / "big.py").write_bytes(b"#" * 2**21)
    (folder / "fine.py").write_text("x = 1")
    names = ("link", "away.above", "pipe", "big", "a b", "..above", "a" * 5000, "fine")
    lines = [f"import importlib; importlib.import_module({name!r})" for name in names]
    assert attempts(program, *lines) == [7]
    (folder / "tools").mkdir()
    (folder / "tools" / "__init__.py").write_text("from tools.search import minimax")
    (folder / "tools" / "search.py").write_text(MINIMAX)
    found = graded(program, "from tools import minimax")
    assert found.right, str(found)
    assert found.notes == [
        "'student.py' imports files from its folder: 'tools/__init__.py', 'tools/search.py'."
    ]


def test_a_file_that_is_a_link_or_too_long_is_refused(program: Path) -> None:
    program.with_name("solution.py").write_text(MINIMAX)
    program.symlink_to("solution.py")
    with pytest.raises(ThreefoldError, match=r"'student\.py' is a link; give the file"):
        grade(program)
    program.unlink()
    program.write_bytes(b"#" * 2**21)
    with pytest.raises(ThreefoldError, match=r"'student\.py' is longer than 1,048,576 bytes"):
        grade(program)


# What it can hold, print and start.


def test_a_gigabyte_of_noise(behind: str, program: Path) -> None:
    loud = "for _ in range(1000):\n    print('x' * 10**6)\n    os.write(1, b'y' * 10**6)\n"
    found = graded(program, f"import os\n{loud}{MINIMAX}")
    assert found.right
    assert len(str(found)) < 1000


def test_memory(behind: str, program: Path) -> None:
    hog = "def minimax(node):\n    return [bytearray(10**7) for _ in range(10**4)]\n"
    said = wrong(program, hog).explanation
    assert said == "minimax used more than 256 MB of memory at line 2."


def test_files_in_memory_are_few_and_small(isolated: str, program: Path) -> None:
    """They are not counted as memory."""
    body = """
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
files, size = [], 0
while True:
    try:
        files.append(os.memfd_create('x'))
    except OSError:
        raise KeyError(len(files), size)
    try:
        while True:
            size += os.write(files[-1], bytes(2**18))
    except OSError:
        pass
"""
    count, size = json.loads(told_by(program, body).replace("(", "[").replace(")", "]"))
    assert 0 < count < sandbox.FILES
    assert 0 < size <= count * sandbox.FILE_SIZE


#: Where the kernel counts a program's processes: not those of root.
COUNTED = pytest.mark.parametrize(
    "walls",
    one_in_daily_use([one for one in [*WALLS, "nothing"] if one == "namespaces" or not AS_ROOT]),
)


@COUNTED
def test_processes_are_few(walls: str, program: Path, use: Callable[[str], str]) -> None:
    use(walls)
    body = """
children = []
try:
    while True:
        child = os.fork()
        if not child:
            import time
            time.sleep(600)
        children.append(child)
except OSError:
    raise KeyError(len(children))
"""
    others = 100 if walls == "nothing" else 0  # as they come and go
    assert 0 < int(told_by(program, body)) < sandbox.TASKS + others


@COUNTED
def test_a_fork_bomb(walls: str, program: Path, use: Callable[[str], str]) -> None:
    use(walls)
    body = "while True:\n        try: os.fork()\n        except OSError: pass\n"
    bomb = f"import os\ndef minimax(node):\n    {body}"
    assert "was reached while minimax was running" in wrong(program, bomb, seconds=2).explanation
    assert graded(program, MINIMAX).right  # and there is room again


# What it leaves behind.

DAEMON = """
import os, signal, sys, time
def minimax(node):
    come, go = os.pipe()
    if not os.fork():
        os.setsid()
        if not os.fork():
            os.write(go, b'!')
            os.set_inheritable(3, True)
            os.execv(sys.executable, [sys.executable, '-c', 'import time; time.sleep(600)', SIGN])
        os._exit(0)
    os.read(come, 1)
    END
"""


def found_by(word: str) -> list[int]:
    """The processes with a word in their command line."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            arguments = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if word.encode() in arguments:
            found.append(int(folder.name))
    return found


@pytest.fixture
def sign() -> Iterator[str]:
    """A word by which a process can be found, and is ended in the end."""
    word = f"left-by-student-{os.getpid()}-{time.monotonic_ns()}"
    yield word
    for process in found_by(word):
        os.kill(process, signal.SIGKILL)


def wait_until(condition: Callable[[], bool]) -> None:
    for _ in range(600):
        if condition():
            return
        time.sleep(0.1)
    pytest.fail("it does not come about")


ENDS = ["while True: pass", "os.kill(0, signal.SIGKILL)"]


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("walls", [*one_in_daily_use(WALLS), "nothing"])
def test_daemons_are_ended(
    walls: str, end: str, program: Path, sign: str, use: Callable[[str], str]
) -> None:
    use(walls)
    wrong(program, DAEMON.replace("SIGN", repr(sign)).replace("END", end), seconds=3)
    wait_until(lambda: not found_by(sign))


def test_all_ends_with_a_grader_that_is_killed(behind: str, program: Path, sign: str) -> None:
    program.write_text(DAEMON.replace("SIGN", repr(sign)).replace("END", "while True: pass"))
    code = f"""
import sys
from threefold.textbook import grade, sandbox
sandbox.walls = lambda: ({behind!r},)
grade.grade(sys.argv[1], seconds=300)
"""
    grader = processes.start([sys.executable, "-c", code, str(program)])
    wait_until(lambda: bool(found_by(sign)))
    processes.end(grader)
    wait_until(lambda: not found_by(sign))


def test_signals_reach_no_one_else(isolated: str, program: Path) -> None:
    code = """
import os
def minimax(node):
    for target in (os.getppid(), -1, 1, os.getpid()):
        try:
            os.kill(target, 9)
        except OSError:
            pass
"""
    assert "The process was killed by SIGKILL while" in wrong(program, code).explanation


def test_a_parent_that_is_killed_in_the_open(program: Path, use: Callable[[str], str]) -> None:
    """There the program can reach its own parent, but the run still ends."""
    use("nothing")
    code = (
        "import os, time\ndef minimax(node):\n    os.kill(os.getppid(), 9)\n    time.sleep(600)\n"
    )
    assert "The process was killed by SIGKILL while" in wrong(program, code).explanation


# What it can forge.


FORGED = [
    b"hello\n",
    b"\n",
    b"\xff\xfe\n",
    b"[]\n",
    b"null\n",
    b"{}\n",
    b'{"do": []}\n',
    b'{"do": "end"}\n',
    b'{"do": "ready"}\n',
    b'{"do": "refused", "why": 7}\n',
    b'{"do": "answer"}\n',
    b'{"do": "answer", "value": "7", "number": true, "shown": "7", "type": "int"}\n',
    b'{"do": "answer", "value": [], "number": true, "shown": "7", "type": "int"}\n',
    b'{"do": "answer", "value": ' + b"9" * 5000 + b', "number": 1, "shown": "", "type": ""}\n',
    b'{"do": "error", "why": 7, "full": true}\n',
    b'{"do": "value", "leaf": "Q", "n": 1}\n',
    b'{"do": "value", "leaf": {}, "n": 1}\n',
    b'{"do": "value", "leaf": "A", "n": 1}\n',
    b'{"do": "value", "leaf": "B", "n": "1"}\n',
    b'{"do": "next", "printed": [], "n": 1}\n',
    b'{"do": "module", "name": 1, "n": 1}\n',
    b"[" * 10_000 + b"\n",
    b"x" * 2**20,
    b"x" * 2**20 + b"\n",
]
NEXT = b'{"do": "next", "printed": "", "n": 1}\n'


def after(*written: bytes, monkeypatch: pytest.MonkeyPatch, seconds: float = 60) -> StudentRun:
    """The run of a process that writes this into its channel and then is silent."""
    ours, theirs = socket.socketpair()

    class Gone:
        def wait(self, timeout: float | None = None) -> int:
            return 0

    @contextmanager
    def forger(*_: object) -> Iterator[tuple[sandbox.StudentProcess, sandbox.Isolation]]:
        process = sandbox.StudentProcess(Gone(), ours)  # type: ignore[arg-type]
        process.deadline = time.monotonic() + seconds
        yield process, sandbox.Isolation("nothing")

    def write() -> None:
        try:
            for data in written:
                theirs.sendall(data)
            theirs.shutdown(socket.SHUT_WR)
        except OSError:  # it was not heard out
            pass

    monkeypatch.setattr(student, "student_process", forger)
    writer = threading.Thread(target=write)
    with ours, theirs:
        writer.start()
        run = run_student(Path(__file__), "minimax", ["A(B:3 C:5)"], seconds, 2**28)
        ours.close()
        writer.join()
    return run


@pytest.mark.parametrize("forged", FORGED, ids=lambda data: repr(data[:70]))
@pytest.mark.parametrize("before", [b"", NEXT], ids=["loading", "working"])
def test_forged_messages(forged: bytes, before: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """They gain nothing, and end as a sentence in the report."""
    run = after(before, forged, monkeypatch=monkeypatch)
    doing = "minimax was running on this tree" if before else "the file was loading"
    assert run.load_failed == (not before)
    assert run.answers[0].error == (
        f"The program sent something that is not a message to the grader while {doing}."
    )
    assert run.answers[0].leaves == []


ANSWER = (
    b'{"do": "answer", "value": %s, "number": true, "shown": "\\u001b[2J", "type": "\\u009b"}\n'
)


@pytest.mark.parametrize(
    ("written", "is_heard"),
    [
        ((ANSWER % b"1",), False),
        ((b'{"do": "value", "leaf": "B", "n": 1}\n',), False),
        ((NEXT, b'{"do": "absent"}\n'), False),
        ((NEXT, b'{"do": "refused", "why": "I am not graded"}\n'), False),
        ((NEXT, NEXT), False),
        ((NEXT, ANSWER % b"1", ANSWER % b"1"), False),
        ((NEXT, ANSWER % b"NaN", NEXT), True),
        ((NEXT, ANSWER % b"1e999", NEXT), True),
        ((NEXT, b'{"do": "error", "why": "\\ud800\\u202e", "full": true}\n'), True),
        ((b'{"do": "module", "name": "../x", "n": 1}\n' * 20, NEXT, ANSWER % b"5", NEXT), True),
    ],
)
def test_messages_have_their_time(
    written: tuple[bytes, ...], is_heard: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = after(*written, monkeypatch=monkeypatch)
    assert ("not a message" not in run.answers[0].error) == is_heard
    assert "time limit" not in run.answers[0].error, "what it does not read must fit the channel"
    assert (run.answers[0].error + run.answers[0].shown + run.answers[0].type_name).isprintable()


def test_one_who_asks_and_does_not_listen(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = b'{"do": "value", "leaf": "B", "n": 1}\n' * 100_000
    run = after(NEXT, asked, monkeypatch=monkeypatch, seconds=2)
    assert run.answers[0].error.startswith("The time limit of 2 seconds was reached")


def test_only_what_is_asked_for_is_seen(program: Path) -> None:
    """A node has no value and no list of what was looked at; asking counts as looking."""
    peek = """
import gc
def everything(x, depth=0):
    within = [*getattr(x, '__dict__', {}).values(), *(x if isinstance(x, (list, tuple)) else ())]
    return [x] + [y for one in within if depth < 6 for y in everything(one, depth + 1)]
def minimax(node):
    held = [x for x in everything(node) if type(x) in (int, list)]
    channel = next(x for x in gc.get_objects() if type(x).__name__ == 'Channel')
    values = [channel.ask(do='value', leaf=leaf)['value'] for leaf in 'CB']
    raise KeyError(held, len(values))
"""
    found = wrong(program, peek)
    assert "KeyError at line 10: ([], 2)" in found.explanation
    assert found.found_leaves == ["C", "B"]
    forged = "    node._Node__looked_at = ['B', 'C']\n    if not"
    code = MINIMAX.replace("    if not", forged, 1).replace("children]", "children[::-1]]")
    assert wrong(program, code).kind == "order"


# What it does to the channel, and to the screen.


@pytest.mark.parametrize(
    "body",
    [
        "[os.write(n, b'{garbage') for n in range(20) if there(n)]",
        "os.close(3); import time; time.sleep(600)",
        "while True: os.write(3, b'x')",
        "sys.stdout.heard = 7",
        "sys.stdout = None; sys.meta_path.clear(); sys.modules.clear()",
    ],
)
def test_a_broken_channel(behind: str, program: Path, body: str) -> None:
    there = "def there(n):\n    try: return os.fstat(n)\n    except OSError: return False\n"
    code = f"import os, sys\n{there}def minimax(node):\n    {body}\n    return 99\n"
    assert wrong(program, code, seconds=4).explanation


ESCAPES = """
ESCAPES = '\\x1b[2J\\x1b]0;owned\\x07\\x9b31m\\u202e\\u2028\\r'
class Value:
    def __repr__(self):
        return ESCAPES
Value.__name__ = ESCAPES
def minimax(node):
    print(ESCAPES)
    return Value()
def alphabeta(node):
    raise type(ESCAPES, (Exception,), {})(ESCAPES)
"""


def test_escapes_do_not_reach_the_screen(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program.write_text(ESCAPES, "utf-8")
    for options in ([], ["--json"]):
        assert main(["grade", str(program), "--trees", "3", *options]) == 1
        told = capsys.readouterr()
        assert "owned" in told.out
        assert (told.out + told.err).replace("\n", "").isprintable()
    odd = program.with_name("\x1b[2J\x9b.py")
    odd.write_text("x = 1")
    assert main(["grade", str(odd)]) == 2
    assert capsys.readouterr().err.rstrip("\n").isprintable()


# A run that cannot be is no wrong answer.


def test_what_cannot_be_run_is_exit_code_2(
    program: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program.write_text(MINIMAX)

    def complaint() -> str:
        assert main(["grade", str(program)]) == 2
        told = capsys.readouterr()
        assert told.out == ""
        assert len(told.err.splitlines()) == 1
        assert "cannot start a process for the student's program (" in told.err
        return told.err

    with monkeypatch.context() as patch:
        patch.setattr(sandbox, "_script", lambda name: "import sys; sys.exit(3)")
        assert "nothing: Python does not start (exit code 3)" in complaint()
    with monkeypatch.context() as patch:
        patch.setattr(sys, "_base_executable", "/nowhere/python", raising=False)
        assert "nothing: No such file or directory" in complaint()
    with monkeypatch.context() as patch:
        patch.setattr(tempfile, "tempdir", "/nowhere")
        assert "nothing: No such file or directory" in complaint()


def test_without_walls_the_report_says_so(
    program: Path, use: Callable[[str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    use("nothing")
    program.write_text(MINIMAX)
    assert main(["grade", str(program), "--trees", "5"]) == 0
    right, warning = capsys.readouterr().out.splitlines()
    assert right == "minimax: right on 5 of 5 trees (recognized: depth first)"
    assert warning.startswith("not isolated: the program could ")
    assert main(["grade", str(program), "--trees", "5", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["isolation"]
    assert told == {"by": "nothing", "warning": warning}


def test_several_at_once(program: Path) -> None:
    """As a class is graded, each student in a separate process."""
    program.write_text(MINIMAX)
    runs: list[StudentRun] = []
    trees = ["A(B:3 C:5)"] * 20

    def one() -> None:
        runs.append(run_student(program, "minimax", trees, 60, 2**28))

    threads = [threading.Thread(target=one) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [len(run.answers) for run in runs] == [20] * 4
    assert all(answer.value == 5 for run in runs for answer in run.answers.values())
