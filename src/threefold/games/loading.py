"""Load a user's game from a file or a module, and report any problem in one line."""

import importlib
import importlib.util
import re
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, TypeAlias

import threefold
from threefold.errors import BadGame, ThreefoldError
from threefold.rules.game import Game
from threefold.rules.hooks import HOOKS, REQUIRED
from threefold.rules.rebind import module_attributes, references
from threefold.rules.text import did_you_mean, listing, shorten
from threefold.rules.user_files import files

#: A function that returns a game; its parameters are those of the game.
Factory: TypeAlias = Callable[..., Game[Any]]

_LIBRARY = Path(threefold.__file__).parent


def is_file(path: Path) -> bool:
    """Whether the file exists; False if the name is not a valid one."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _near_files(path: Path) -> list[str]:
    """The Python file in the same folder with the name most like a missing one, if any."""
    with suppress(OSError, ValueError):
        return get_close_matches(path.name, [file.name for file in path.parent.glob("*.py")], n=1)
    return []


def load_file(path: Path) -> ModuleType:
    """Run a Python file as a separate module."""
    path = files.setdefault(path, path)
    if not is_file(path):
        hint = "".join(f"; did you mean {path.parent / near}?" for near in _near_files(path))
        raise BadGame(f"there is no file {shorten(str(path))}{hint}")
    name = f"threefold_file_{re.sub(r'[^A-Za-z0-9_]', '_', path.stem)}"
    specification = importlib.util.spec_from_file_location(name, path)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    with _importing(path.name, base=path.parent):
        specification.loader.exec_module(module)
    return module


def load_module(name: str) -> ModuleType:
    """Import a module, also from the current folder."""
    if not re.fullmatch(r"[^\W\d]\w*(\.[^\W\d]\w*)*", name):
        raise BadGame(f"{shorten(name)} is not a module name; write module:NAME or FILE.py:NAME")
    with _importing(name, base=Path.cwd()):
        return importlib.import_module(name)


def only_game(module: ModuleType) -> Game[Any] | Factory:
    """A module's only `Game`, or its only function that returns a `Game`."""
    games = _games(module)
    if len({id(value) for value in games.values()}) == 1:
        return next(iter(games.values()))
    factories = {} if games else _factories(module)
    if len(factories) == 1:
        return next(iter(factories.values()))
    where = _file_name(module)
    if games or factories:
        what = "Games" if games else "functions that return a Game"
        names = [*games, *factories]
        raise BadGame(
            f"{where} has several {what}: {listing(names)}; name one, like {where}:{names[0]}"
        )
    raise BadGame(f"{where} has no Game; {_what_to_add(module)}")


def named_game(module: ModuleType, name: str) -> Game[Any] | Factory:
    """The `Game` with a given name, or the function that returns one."""
    value = getattr(module, name, None)
    if isinstance(value, Game) or (callable(value) and not isinstance(value, type)):
        return value
    known = [*_games(module), *_factories(module)]
    hint = did_you_mean(name, known) if known else "it has none"
    raise BadGame(f"{_file_name(module)} has no Game {shorten(name)}; {hint}")


def _games(module: ModuleType) -> dict[str, Game[Any]]:
    return {name: value for name, value in vars(module).items() if isinstance(value, Game)}


def _factories(module: ModuleType) -> dict[str, Factory]:
    """A module's functions that are annotated to return a `Game` or that call `Game`."""
    return {
        name: function
        for name, function in _own_functions(module).items()
        if "Game" in str(function.__annotations__.get("return", ""))
        or any(value is Game for _, value in references(function))
        or any(value is Game for _, _, value in module_attributes(function))
    }


def _own_functions(module: ModuleType) -> dict[str, FunctionType]:
    """The public functions that a module defines itself."""
    return {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, FunctionType)
        and value.__module__ == module.__name__
        and not name.startswith("_")
    }


def _what_to_add(module: ModuleType) -> str:
    """What to add to a module that has no game."""
    functions = _own_functions(module)
    if {"actions", "result"} <= functions.keys():
        hooks = ", ".join(f"{name}={name}" for name in REQUIRED if name in functions)
        return f'add one at the end: game = Game("{_file_name(module)[:-3]}", {hooks})'
    others = [name for name in functions if name not in HOOKS]
    if others:
        where = _file_name(module)
        named = listing([f"{where}:{name}" for name in others])
        return f"if a function returns one, name it: {named}"
    return "it should define one, like nim = Game(…)"


def _file_name(module: ModuleType) -> str:
    return Path(module.__file__ or module.__name__).name


@contextmanager
def _importing(what: str, *, base: Path) -> Iterator[None]:
    """Let a module import files from its folder, and report in one line why an import fails."""
    folder = str(base.resolve())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        yield
    except ThreefoldError:
        raise
    except (Exception, SystemExit) as error:
        raise BadGame(f"{what} cannot be loaded: {describe(error)}") from None


def describe(error: BaseException) -> str:
    """An exception in one line: its type, its message, and the line it came from."""
    said = " ".join(str(error).split())
    if isinstance(error, SyntaxError):
        return f"line {error.lineno}: {error.msg}"
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if _LIBRARY not in Path(frame.filename).parents
    ]
    where = f"{Path(frames[-1].filename).name}, line {frames[-1].lineno}: " if frames else ""
    return f"{where}{type(error).__name__}{': ' if said else ''}{said}"
