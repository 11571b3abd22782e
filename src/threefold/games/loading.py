"""A user's own game, from a file or a module; whatever is wrong with it comes out as one line."""

import importlib
import importlib.util
import re
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import threefold
from threefold.errors import BadGame, ThreefoldError
from threefold.rules.game import Game
from threefold.rules.text import listing, shorten

_LIBRARY = Path(threefold.__file__).parent


def load_file(path: Path) -> ModuleType:
    """Run a Python file as a module of its own."""
    try:
        there = path.is_file()
    except OSError:
        there = False
    if not there:
        raise BadGame(f"there is no file {shorten(str(path))}")
    name = f"threefold_file_{re.sub(r'[^A-Za-z0-9_]', '_', path.stem)}"
    specification = importlib.util.spec_from_file_location(name, path)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    with _importing(path.name, beside=path.parent):
        specification.loader.exec_module(module)
    return module


def load_module(name: str) -> ModuleType:
    """Import a module, also from the current folder."""
    if not re.fullmatch(r"[^\W\d]\w*(\.[^\W\d]\w*)*", name):
        raise BadGame(f"{shorten(name)} is no module's name; write module:NAME or FILE.py:NAME")
    with _importing(name, beside=Path.cwd()):
        return importlib.import_module(name)


def only_game(module: ModuleType) -> Game[Any]:
    """The one `Game` of a module."""
    games = {name: value for name, value in vars(module).items() if isinstance(value, Game)}
    distinct = {id(value): value for value in games.values()}
    if len(distinct) == 1:
        return next(iter(distinct.values()))
    where = Path(module.__file__ or module.__name__).name
    if not games:
        raise BadGame(f"{where} has no Game; it should define one, like nim = Game(…)")
    raise BadGame(f"{where} has several Games: {listing(list(games))}; say which, {where}:NAME")


def named_game(module: ModuleType, name: str) -> Game[Any] | Callable[..., Game[Any]]:
    """The `Game`, or the function that returns one, of a given name."""
    value = getattr(module, name, None)
    if isinstance(value, Game) or (callable(value) and not isinstance(value, type)):
        return value
    where = Path(module.__file__ or module.__name__).name
    games = [name for name, value in vars(module).items() if isinstance(value, Game)]
    raise BadGame(f"{where} has no Game {shorten(name)}; it has: {listing(games) or 'none'}")


@contextmanager
def _importing(what: str, *, beside: Path) -> Iterator[None]:
    """Let a module import its neighbours, and say in one line why it cannot be imported."""
    folder = str(beside.resolve())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        yield
    except ThreefoldError:
        raise
    except (Exception, SystemExit) as error:
        raise BadGame(f"{what} cannot be loaded: {describe(error)}") from None


def describe(error: BaseException) -> str:
    """An exception in one line: its type, what it says, and the line it came from."""
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
