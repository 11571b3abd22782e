"""The house: dependencies point downwards, and heavy libraries stay in their rooms."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "threefold"

#: Each room with those it stands on. `Game` and `conformance` may fetch the engine when called.
BELOW = {
    "errors": set(),
    "replacing": set(),
    "rules": {"errors"},
    "games": {"errors", "rules"},
    "textbook": {"errors", "rules", "games"},
    "engine": {"errors", "replacing", "rules", "games"},
    "gpu": {"errors", "rules", "games", "engine"},
    "solve": {"errors", "rules", "games", "textbook", "engine"},
    "lab": {"errors", "rules", "games", "textbook", "engine", "solve"},
    "cli": {"errors", "replacing", "rules", "games", "textbook", "engine"},
    "__main__": {"cli"},
}


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
    for module in imports_at_the_top(path):
        if module.startswith("threefold."):
            other = module.split(".")[1]
            assert other == room or other in BELOW[room] or other.startswith("__"), module
        elif module.split(".")[0] == "numpy":
            assert room in {"engine", "gpu", "solve"}


#: The files that may know Numba and LLVM, or numba-cuda.
KNOWS_NUMBA = {
    *SOURCE.glob("engine/jit/*.py"),
    *(SOURCE / "gpu" / name for name in ("driver.py", "instructions.py")),
}
#: Attributes of what Numba hands out that only those files may use.
NUMBAS_OWN = {
    *("_cache", "_reduce", "_rebuild", "_reduce_states", "_lock", "_nrt", "magic_tuple"),
    *("overloads", "nopython_signatures", "typeof_pyval", "regs_per_thread", "targetctx"),
}


def test_numba_is_known_in_one_room() -> None:
    """A new version of Numba can break these files and no others."""
    for path in set(SOURCE.rglob("*.py")) - KNOWS_NUMBA:
        libraries = {module.split(".")[0] for module in imports_anywhere(path)}
        assert not libraries & {"numba", "llvmlite"}, path
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and node.attr in NUMBAS_OWN:
                ours = isinstance(node.value, ast.Name) and node.value.id in {"self", "cls"}
                assert ours, f"{path}:{node.lineno} uses Numba's {node.attr}"
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                assert not node.value.startswith(("numba.", "llvmlite.")), path


def test_the_textbook_never_imports_the_lab() -> None:
    for path in (SOURCE / "textbook").glob("*.py"):
        assert not [name for name in imports_anywhere(path) if name.startswith("threefold.lab")]


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
