"""The house: dependencies point downwards, and heavy libraries stay in their rooms."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "threefold"

#: From the ground up. A room imports from the floors below it, wherever in a file the import is.
FLOORS = (
    {"errors", "replacing"},
    {"rules"},
    {"games"},
    {"textbook", "engine"},
    {"gpu", "cluster"},
    {"solve", "learn", "protocols"},
    {"arena"},
    {"lab", "cli"},
    {"__main__"},
)

#: The only steps up or across: a file, the rooms that it reaches, and why.
EXCEPTIONS = {
    "rules/game.py": (
        {"engine", "gpu", "solve", "textbook", "cli"},
        "the friendly verbs of Game fetch their room when they are called",
    ),
    "rules/agreement.py": ({"engine"}, "compares the compiled rules with the interpreted ones"),
    "cli/lab.py": ({"lab"}, "threefold lab starts the server"),
}

#: Who may import a heavy library.
HEAVY = {
    "numpy": {"engine", "gpu", "solve", "learn"},
    "torch": {"learn"},
    "starlette": {"lab"},
    "uvicorn": {"lab"},
}
#: Methods here fetch rooms above when they are called: the only steps upwards.
STEPS_UP = {"rules/game.py", "rules/agreement.py", "textbook/explain.py"}


def imports(path: Path) -> Iterator[str]:
    """Every module that a file imports, also within functions and for types alone."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def floor_of(room: str) -> int:
    return next(i for i, rooms in enumerate(FLOORS) if room in rooms)


@pytest.mark.parametrize(
    "path", sorted(SOURCE.rglob("*.py")), ids=lambda p: str(p.relative_to(SOURCE))
)
def test_dependencies_point_downwards(path: Path) -> None:
    room = room_of(path)
    if room == "__init__":
        return
    reached, _ = EXCEPTIONS.get(str(path.relative_to(SOURCE)), (set(), ""))
    for module in imports(path):
        top, *rest = module.split(".")
        if top == "threefold" and rest and not rest[0].startswith("__"):
            other = rest[0]
            below = floor_of(other) < floor_of(room)
            assert other == room or below or other in reached, f"{path} imports {module}"
        elif top in HEAVY:
            assert room in HEAVY[top], f"{path} imports {module}"


@pytest.mark.parametrize("room", ["engine", "gpu", "solve"])
def test_a_search_knows_no_game(room: str) -> None:
    for path in (SOURCE / room).rglob("*.py"):
        for module in imports(path):
            known = module.startswith("threefold.games.")
            assert not known or module.startswith("threefold.games.catalogue."), f"{path}: {module}"


def test_every_exception_is_needed() -> None:
    for name, (rooms, _) in EXCEPTIONS.items():
        used = {module.split(".")[1] for module in imports(SOURCE / name) if "threefold." in module}
        assert rooms <= used, name


@pytest.mark.parametrize("room", ["engine", "gpu", "solve"])
def test_no_room_goes_round_through_game(room: str) -> None:
    """They build what they need, rather than have `Game` fetch it from above."""
    for path in (SOURCE / room).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                verb = node.func.attr in {"compiled", "on_gpu"} and not node.args
                assert not verb, f"{path}:{node.lineno}"


def test_the_pictures_show_every_room() -> None:
    rooms = {path.name for path in SOURCE.iterdir() if (path / "__init__.py").is_file()}
    for page in ("CONTRIBUTING.md", "docs/pictures/house.svg"):
        picture = (ROOT / page).read_text("utf-8")
        for room in rooms:
            assert room in picture, f"{page} has no {room}"


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
        libraries = {module.split(".")[0] for module in imports(path)}
        assert not libraries & {"numba", "llvmlite"}, path
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and node.attr in NUMBAS_OWN:
                ours = isinstance(node.value, ast.Name) and node.value.id in {"self", "cls"}
                assert ours, f"{path}:{node.lineno} uses Numba's {node.attr}"
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                assert not node.value.startswith(("numba.", "llvmlite.")), path


def test_one_file_knows_ray() -> None:
    for path in set(SOURCE.rglob("*.py")) - {SOURCE / "cluster" / "nodes.py"}:
        assert "ray" not in {module.split(".")[0] for module in imports(path)}, path


def test_tests_start_processes_in_one_place() -> None:
    """There they have a limit on their time, hear Ctrl-C, and are ended with their test."""
    for path in (ROOT / "tests").glob("*.py"):
        if path.stem != "processes":
            starts = {"subprocess", "multiprocessing"} & {m.split(".")[0] for m in imports(path)}
            assert not starts, f"{path.name} imports {starts}; use processes.run or processes.start"


def test_every_file_is_about_one_thing() -> None:
    for path in (*SOURCE.rglob("*.py"), *SOURCE.rglob("*.js"), *SOURCE.rglob("*.css")):
        assert len(path.read_text().splitlines()) <= 600, path
        assert path.stem not in {"utils", "helpers", "common"}
