"""The docs are true: their code runs, and their commands print what they show."""

import contextlib
import io
import os
import re
import shlex
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import processes
import pytest

import threefold.solve
from threefold.cli.main import main

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path) -> list[tuple[str, str]]:
    return BLOCK.findall(page.read_text("utf-8"))


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_python_examples_run(page: Path) -> None:
    """A page's blocks in one namespace; a text block right after shows what was printed."""
    namespace: dict[str, object] = {"__name__": "__main__"}
    printed = ""
    for language, code in blocks(page):
        if language == "python":
            said = io.StringIO()
            with contextlib.redirect_stdout(said):
                exec(compile(code, name(page), "exec"), namespace)
            printed = said.getvalue()
        elif language == "text":
            assert code == printed


def commands(page: Path) -> list[tuple[str, str]]:
    """Each `$ command` of a page, and what it is shown to print."""
    found: list[tuple[str, str]] = []
    for language, code in blocks(page):
        if language == "console":
            for part in re.split(r"^\$ ", code, flags=re.MULTILINE)[1:]:
                command, _, output = part.partition("\n")
                found.append((command, output))
    return found


def in_a_shell(command: str) -> str:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = processes.run(command, shell=True, cwd=ROOT, env=os.environ | {"PATH": path})
    return str(done.stdout + done.stderr)


def in_this_process(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """The same, without a new Python that loads the compiler."""
    with contextlib.chdir(ROOT), contextlib.suppress(SystemExit):
        main(words)
    return "".join(capsys.readouterr())


@pytest.mark.parametrize(("command", "output"), [pair for page in PAGES for pair in commands(page)])
def test_commands_print_what_is_shown(
    command: str, output: str, capsys: pytest.CaptureFixture[str]
) -> None:
    program, *words = shlex.split(command)
    plain = program == "threefold" and not {"|", ">", "<", "&&"} & set(words)
    said = in_this_process(words, capsys) if plain else in_a_shell(command)
    expected = re.escape(output.rstrip()).replace(re.escape("..."), ".*")
    assert re.fullmatch(expected, said.rstrip()), said


def test_the_readme_shows_the_example_as_it_is() -> None:
    code = (ROOT / "examples" / "twenty_one.py").read_text()
    assert f"```python\n{code}```" in (ROOT / "README.md").read_text("utf-8")


def test_pictures_are_up_to_date() -> None:
    done = processes.run(
        [sys.executable, "docs/pictures.py", "--check"],
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr


def test_every_game_has_its_page_and_picture() -> None:
    from threefold.games.catalogue import HOMES

    pages = "".join(page.read_text("utf-8") for page in (ROOT / "docs" / "games").iterdir())
    for spec in HOMES:
        assert f"`{spec}" in pages, spec
        assert (ROOT / "docs" / "pictures" / f"{spec}.svg").is_file()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The docs as a site, built without a warning."""
    pytest.importorskip("mkdocs", reason="the docs extra is not installed")
    folder = tmp_path_factory.mktemp("site")
    done = processes.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "-q", "-d", str(folder)],
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    return folder


def test_the_files_that_the_walks_name_are_there() -> None:
    page = (ROOT / "docs" / "how-it-is-built.md").read_text("utf-8")
    named = re.findall(r"`(\w+/[\w/]+(?:\.py|\.js|/))`", page)
    assert len(named) > 40
    for name in named:
        assert (ROOT / "src" / "threefold" / name).exists(), name


def test_every_page_is_in_the_navigation_and_the_index(site: Path) -> None:
    home = (site / "index.html").read_text("utf-8")
    index = (ROOT / "docs" / "index.md").read_text("utf-8")
    for page in sorted((ROOT / "docs").rglob("*.md")):
        place = page.relative_to(ROOT / "docs").with_suffix("")
        if place.name != "index":
            assert f'href="{place}/"' in home, place
            assert f"({place}.md)" in index, place


def public_names() -> Iterator[tuple[str, str]]:
    """What the docs and the examples import from Threefold, and what it exports itself."""
    pages = "".join(page.read_text("utf-8") for page in PAGES)
    code = pages + "".join(path.read_text("utf-8") for path in (ROOT / "examples").glob("*.py"))
    for module, names in re.findall(r"from (threefold[\w.]*) import (\([^)]*\)|[\w, ]+)", code):
        yield from ((module, name) for name in re.findall(r"\w+", names))
    yield from (("threefold", name) for name in threefold.__all__)
    yield from (("threefold.solve", name) for name in threefold.solve.__all__)


def test_the_reference_has_every_public_name(site: Path) -> None:
    reference = "".join(page.read_text("utf-8") for page in (site / "reference").rglob("*.html"))
    documented = set(re.findall(r'id="(threefold[\w.]*)"', reference))
    for module, name in public_names():
        room = import_module(module)
        found = getattr(room, name) if hasattr(room, name) else import_module(f"{module}.{name}")
        home = f"{getattr(found, '__module__', module)}.{getattr(found, '__qualname__', name)}"
        assert {f"{module}.{name}", home} & documented, f"from {module} import {name}"
