"""Find a game by its text: `othello(size=6)`, `FILE.py`, `FILE.py:NAME`, `module:NAME`.

A game with parameters is a function that returns a `Game`. Its signature gives the parameters with
their types and defaults. That holds for the built-in games and for a user's.
"""

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from threefold.errors import BadGame
from threefold.games.loading import (
    Factory,
    is_file,
    load_file,
    load_module,
    named_game,
    only_game,
)
from threefold.rules.game import Game
from threefold.rules.program import Program
from threefold.rules.text import did_you_mean, listing, shorten

#: Where each game lives: its module and the function that makes it.
HOMES = {
    "tic-tac-toe": ("threefold.games.mnk", "tic_tac_toe"),
    "mnk": ("threefold.games.mnk", "mnk"),
    "nim": ("threefold.games.nim", "nim"),
    "dice-nim": ("threefold.games.dice_nim", "dice_nim"),
    "connect-four": ("threefold.games.connect_four", "connect_four"),
    "othello": ("threefold.games.othello", "othello"),
    "chess": ("threefold.games.chess", "chess"),
    "checkers": ("threefold.games.checkers", "checkers"),
    "kalah": ("threefold.games.kalah", "kalah"),
    "backgammon": ("threefold.games.backgammon", "backgammon"),
    "go": ("threefold.games.go", "go"),
    "kuhn-poker": ("threefold.games.poker", "kuhn_poker"),
    "leduc-poker": ("threefold.games.poker", "leduc_poker"),
    "bridge": ("threefold.games.bridge", "bridge"),
    "contract-bridge": ("threefold.games.contract_bridge", "contract_bridge"),
}

_CALL = re.compile(r"(?P<target>[^()]*)(?:\((?P<arguments>[^()]*)\))?", re.DOTALL)
_FILE = re.compile(r"(?P<path>.*\.py)(?::(?P<name>\w+))?(?:\((?P<arguments>[^()]*)\))?", re.DOTALL)


@dataclass(frozen=True)
class Parameter:
    """A parameter of a game, as its function declares it."""

    name: str
    default: Any
    kind: type
    #: The only texts that it may be, if it is declared as a `Literal`.
    choices: tuple[str, ...] = ()

    def parse(self, given: str) -> Any:
        """A value of the parameter's type from its text."""
        if self.kind is bool:
            if given not in {"true", "false"}:
                raise ValueError(f"{self.name}={shorten(given)[1:-1]} is neither true nor false")
            return given == "true"
        if self.kind is int:
            return _integer(self.name, given)
        if self.kind is float:
            return _decimal(self.name, given)
        if self.kind is tuple:
            if not re.fullmatch(r"[0-9]{1,18}(-[0-9]{1,18})*", given):
                raise ValueError(
                    f"{self.name}={shorten(given)[1:-1]} is not whole numbers joined by -"
                    + (
                        f", like {self.format(self.default)}"
                        if isinstance(self.default, tuple)
                        else ""
                    )
                )
            return tuple(map(int, given.split("-")))
        return given

    def format(self, value: Any) -> str:
        """The text of a value."""
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, float):
            return f"{value:g}"
        return "-".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _integer(name: str, given: str) -> int:
    if not re.fullmatch(r"-?[0-9]{1,18}", given):
        raise ValueError(f"{name}={shorten(given)[1:-1]} is not a whole number")
    return int(given)


def _decimal(name: str, given: str) -> float:
    if not re.fullmatch(r"-?[0-9]{1,9}(\.[0-9]{1,9})?", given):
        raise ValueError(f"{name}={shorten(given)[1:-1]} is not a number, like 6.5")
    return float(given)


def parameters(factory: Factory) -> list[Parameter]:
    """The parameters of a game's function, with the type of their default or annotation."""
    signature = inspect.signature(factory, eval_str=True)
    found = []
    for p in signature.parameters.values():
        if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            kind = type(p.default)
            if p.default is p.empty or p.default is None:
                kind = get_origin(p.annotation) or p.annotation
            choices = get_args(p.annotation) if get_origin(p.annotation) is Literal else ()
            found.append(Parameter(p.name, p.default, kind, choices))
    return found


def catalogue() -> Iterator[tuple[str, Factory]]:
    """Every built-in game: its name and the function that makes it."""
    for name in HOMES:
        yield name, _at_home(name)


def programs() -> Iterator[Program]:
    """Every program of the past: a game's home may have a room `programs` that lists some.

    Only the homes that have this room are imported.
    """
    for home in dict.fromkeys(module for module, _ in HOMES.values()):
        package = find_spec(home)
        assert package is not None
        rooms = pkgutil.iter_modules(package.submodule_search_locations)
        if any(room.name == "programs" for room in rooms):
            yield from importlib.import_module(f"{home}.programs").PROGRAMS


def _at_home(name: str) -> Factory:
    """The function that makes a built-in game; only that game's module is imported."""
    module, function = HOMES[name]
    factory: Factory = getattr(importlib.import_module(module), function)
    return factory


def game(spec: str, *, own_net: bool = True) -> Game[Any]:
    """The game that a text names: `nim(heaps=1-2-3)`, `FILE.py`, `FILE.py:NAME`, `module:NAME`.

    If the first of the game's evaluations is a net, it is used, unless `own_net` says otherwise.
    """
    if not isinstance(spec, str):
        raise BadGame(f"a game is named by a string like 'othello', not {spec!r}")
    spec = spec.strip()
    found, arguments = _find(spec)
    if isinstance(found, Game):
        if arguments:
            raise BadGame(f"{shorten(spec)}: this game takes no parameters")
        made = copy(found)
    else:
        made = _make(spec, found, arguments or "")
    made.spec = spec
    first = next(iter(made.evaluation_names), None)
    return made.using(first) if own_net and first in made.nets else made


def _find(spec: str) -> tuple[Game[Any] | Factory, str | None]:
    """What a text names, and its arguments if it has any."""
    if file := _FILE.fullmatch(spec):
        module = load_file(Path(file["path"]))
        found = named_game(module, file["name"]) if file["name"] else only_game(module)
        return found, file["arguments"]
    call = _CALL.fullmatch(spec)
    if call is None:
        raise BadGame(
            f"game {shorten(spec)}: the parentheses do not match; write name(key=value,…)"
        )
    target, arguments = call["target"].strip(), call["arguments"]
    if ":" in target:
        module_name, _, name = target.partition(":")
        return named_game(load_module(module_name), name), arguments
    if target not in HOMES:
        raise BadGame(f"there is no game {shorten(target)}; {_near(target)}")
    return _at_home(target), arguments


def _near(target: str) -> str:
    """What the user may have meant: a built-in game, or a file without its extension."""
    file = f"{target}.py"
    if is_file(Path(file)):
        return f"did you mean the file {file}?"
    hint = did_you_mean(target, HOMES)
    return hint if hint.endswith("?") else f"{hint}, or FILE.py"


def _make(spec: str, factory: Factory, arguments: str) -> Game[Any]:
    """Call a game's function with arguments given as text."""
    name = spec.removesuffix(f"({arguments})").strip()
    known = {parameter.name: parameter for parameter in parameters(factory)}
    values: dict[str, Any] = {}
    for argument in filter(None, (part.strip() for part in arguments.split(","))):
        key, equals, value = (part.strip() for part in argument.partition("="))
        if not equals:
            raise BadGame(f"{name}: {shorten(argument)} is not written as key=value")
        if key not in known:
            hint = did_you_mean(key, known)
            raise BadGame(f"{name} has no parameter {shorten(key)}; {hint}")
        if key in values:
            raise BadGame(f"{name}: {key} is given twice")
        try:
            values[key] = known[key].parse(value)
        except ValueError as error:
            raise BadGame(f"{name}: {error}") from None
    missing = [p.name for p in known.values() if p.default is inspect.Parameter.empty]
    if missing := [name for name in missing if name not in values]:
        example = ",".join(f"{parameter}=…" for parameter in missing)
        raise BadGame(f"{name}: no value for {listing(missing)}; write {name}({example})")
    try:
        made = factory(**values)
    except ValueError as error:
        raise BadGame(f"{name}: {error}") from error
    if isinstance(made, Game):
        made.about = inspect.getdoc(factory) or ""
    else:
        raise BadGame(f"{name} returns {type(made).__name__}, not a Game")
    return made
