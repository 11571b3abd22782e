"""Run the commands that the docs show: python docs/commands.py [PAGE…].

A command is a line `$ threefold …` in a `console` block, with what it prints below it; `...` stands
for anything on a line, or for any lines. Output that is no longer right is replaced. A picture that
a command writes, `--svg two-ply.svg`, belongs to its page: docs/pictures/PAGE/two-ply.svg. With
--check, list what is outdated and change nothing. Where PyTorch is not installed, what trains a net
is left as it is.
"""

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from threefold.cli.main import main

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SHOWN = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
#: What is said in place of a progress line where nobody watches, which is no part of an answer.
_FOR_LOGS = re.compile(r"^compiling, which may take .*\n", re.MULTILINE)


def commands(page: Path) -> list[tuple[str, str]]:
    """Each command of a page, and what it is shown to print."""
    text = page.read_text("utf-8")
    return [shown for block in _BLOCK.findall(text) for shown in _SHOWN.findall(block)]


def run(command: str) -> str:
    """What a command prints, in the current folder."""
    program, *words = shlex.split(command)
    if program == "threefold" and not {"|", ">", "<", "&&"} & set(words):
        said = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
        with (
            contextlib.redirect_stdout(said),
            contextlib.redirect_stderr(said),
            contextlib.suppress(SystemExit),
        ):
            main(words)
        said.seek(0)
        return _FOR_LOGS.sub("", said.read())
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command,
        shell=True,
        env=os.environ | {"PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
        check=False,
    )
    return _FOR_LOGS.sub("", done.stdout)


def prints(shown: str, said: str) -> bool:
    """Whether what is shown is what was said."""
    expected = [
        "(?s:.*)" if line == "..." else re.escape(line).replace(re.escape("..."), ".*")
        for line in shown.rstrip().splitlines()
    ]
    return re.fullmatch("\n".join(expected), said.rstrip()) is not None


def lacks_pytorch(said: str) -> bool:
    """Whether a net could not be trained because there is no PyTorch."""
    return "needs PyTorch" in said and find_spec("torch") is None


@contextlib.contextmanager
def workplace() -> Iterator[Path]:
    """A folder for the files that commands write, with the examples at hand."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for needed in ("docs", "examples"):
            (folder / needed).symlink_to(ROOT / needed)
        before = os.environ.get("THREEFOLD_DATA")
        os.environ["THREEFOLD_DATA"] = name  # every command is the first one to play its match
        try:
            with contextlib.chdir(folder):
                yield folder
        finally:
            os.environ.pop("THREEFOLD_DATA")
            if before is not None:
                os.environ["THREEFOLD_DATA"] = before


def picture(page: Path, drawn: Path) -> Path:
    """Where a picture that one of a page's commands drew belongs."""
    return ROOT / "docs" / "pictures" / page.stem / drawn.name


def refreshed(page: Path) -> dict[Path, str]:
    """What has to be written so that a page is right: its own text, and its pictures."""
    text = page.read_text("utf-8")
    outdated = {}
    with workplace() as folder:

        def block(found: re.Match[str]) -> str:
            return _SHOWN.sub(shown, found[0])

        def shown(found: re.Match[str]) -> str:
            said = run(found[1])
            stays = prints(found[2], said) or lacks_pytorch(said)
            return found[0] if stays else f"$ {found[1]}\n{said.rstrip()}\n"

        right = _BLOCK.sub(block, text)
        if right != text:
            outdated[page] = right
        for drawn in sorted(folder.glob("*.svg")):
            kept, drawing = picture(page, drawn), drawn.read_text("utf-8")
            if not kept.is_file() or kept.read_text("utf-8") != drawing:
                outdated[kept] = drawing
    return outdated


def refresh(pages: list[Path], check: bool) -> int:
    """Write what is outdated, or only list it."""
    outdated: dict[Path, str] = {}
    for page in pages:
        outdated |= refreshed(page)
    for path, text in outdated.items():
        print(path.relative_to(ROOT))
        if not check:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, "utf-8")
    return 1 if check and outdated else 0


if __name__ == "__main__":
    os.environ["COLUMNS"] = "80"
    given = [Path(word).resolve() for word in sys.argv[1:] if word != "--check"]
    sys.exit(refresh(given or PAGES, "--check" in sys.argv))
