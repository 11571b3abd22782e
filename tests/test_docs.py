"""The docs are true: their code runs, and their commands print what they show."""

import contextlib
import io
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import processes
import pytest

import threefold.solve

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "docs"))
commands = import_module("commands")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def skip_what_trains(said: str) -> None:
    """PyTorch is not in the test extra: without it, what trains a net cannot be run."""
    if commands.lacks_pytorch(said):
        pytest.skip('needs PyTorch: pip install "threefold[learn]"')


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
            try:
                with contextlib.redirect_stdout(said):
                    exec(compile(code, name(page), "exec"), namespace)
            except threefold.ThreefoldError as error:
                skip_what_trains(str(error))
                raise
            printed = said.getvalue()
        elif language == "text":
            assert code == printed


@pytest.mark.parametrize(
    ("page", "command", "output"),
    [(page, *shown) for page in PAGES for shown in commands.commands(page)],
    ids=lambda given: name(given) if isinstance(given, Path) else given[:60],
)
def test_commands_print_what_is_shown(page: Path, command: str, output: str) -> None:
    with commands.workplace() as folder:
        said = commands.run(command)
        skip_what_trains(said)
        assert commands.prints(output, said), said
        for drawn in folder.glob("*.svg"):
            kept = commands.picture(page, drawn)
            assert kept.read_text("utf-8") == drawn.read_text("utf-8"), kept


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


def test_the_defaults_of_training_are_right() -> None:
    from threefold.learn.learner import Plan

    page = (ROOT / "docs" / "train.md").read_text("utf-8")
    shown = dict(re.findall(r"^\| `--([\w-]+)[^|]*` \| ([\d.]+) \|", page, re.MULTILINE))
    plan, (hidden,) = Plan(), Plan().hidden
    right = {
        *(("hidden", hidden), ("rate", plan.rate), ("lambda", plan.trace)),
        *(("threads", plan.threads), ("seed", plan.seed), ("every-roll", plan.every_roll)),
    }
    assert right == {(option, float(shown[option])) for option, _ in right}


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
