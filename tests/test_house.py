"""The house: dependencies point downwards, and heavy libraries stay in their rooms."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "threefold"

#: Each room with those it may import, be it within a function.
BELOW = {
    "errors": set(),
    "replacing": set(),
    "rules": {"errors"},
    "games": {"errors", "rules"},
    "textbook": {"errors", "rules", "games"},
    "engine": {"errors", "replacing", "rules", "games"},
    "gpu": {"errors", "rules", "games", "engine"},
    "solve": {"errors", "rules", "games", "textbook", "engine", "gpu"},
    "lab": {"errors", "rules", "games", "textbook", "engine", "gpu", "solve"},
    "cli": {"errors", "replacing", "rules", "games", "textbook", "engine", "gpu", "solve", "lab"},
    "__main__": {"cli", "engine"},
}
#: Methods here fetch rooms above when they are called: the only steps upwards.
STEPS_UP = {"rules/game.py", "rules/agreement.py", "textbook/explain.py"}


def imports_at_the_top(path: Path) -> set[str]:
    """The modules that importing a file imports."""
    tree = ast.parse(path.read_text())
    found = set()
    for node in tree.body:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def imports_anywhere(path: Path) -> set[str]:
    """The names of modules that a file imports, also within functions."""
    nodes = list(ast.walk(ast.parse(path.read_text())))
    named = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return named | {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


@pytest.mark.parametrize(
    "path", sorted(SOURCE.rglob("*.py")), ids=lambda p: str(p.relative_to(SOURCE))
)
def test_dependencies_point_downwards(path: Path) -> None:
    room = room_of(path)
    if room == "__init__":
        return
    steps_up = str(path.relative_to(SOURCE)) in STEPS_UP
    for module in imports_at_the_top(path) if steps_up else imports_anywhere(path):
        if module.startswith("threefold."):
            other = module.split(".")[1]
            assert other == room or other in BELOW[room] or other.startswith("__"), module
    for module in imports_at_the_top(path):
        if module.split(".")[0] in {"numba", "llvmlite", "numpy"}:
            assert room in {"engine", "gpu"} or (
                room == "solve" and module.split(".")[0] == "numpy"
            )


def test_tests_start_processes_in_one_place() -> None:
    """There they have a limit on their time, hear Ctrl-C, and are ended with their test."""
    for path in (SOURCE.parents[1] / "tests").glob("*.py"):
        if path.stem != "processes":
            starts = {"subprocess", "multiprocessing"} & imports_anywhere(path)
            assert not starts, f"{path.name} imports {starts}; use processes.run or processes.start"


def test_every_file_is_about_one_thing() -> None:
    for path in (*SOURCE.rglob("*.py"), *SOURCE.rglob("*.js"), *SOURCE.rglob("*.css")):
        assert len(path.read_text().splitlines()) <= 600, path
        assert path.stem not in {"utils", "helpers", "common"}
