"""Binding: a game's functions put in place of the contract's names.

A template and everything it reaches get twins: functions with the same code in new namespaces, with
the game's hooks where the template names the contract's. Each twin is handed to Numba. The digest
is part of its `__qualname__`, because Numba derives symbols from that: without it two games loaded
from the cache would run each other's code.
"""

from dataclasses import is_dataclass
from functools import cache
from types import FunctionType
from typing import TYPE_CHECKING, Any

from threefold.engine.jit.dispatcher import Dispatcher, jit
from threefold.engine.jit.fingerprint import fingerprint, surroundings
from threefold.engine.jit.states import state_functions
from threefold.engine.jit.tables import table
from threefold.rules import bits, contract
from threefold.rules.rebind import Fingerprint, Rebinder, reachable, references, slots

if TYPE_CHECKING:
    from threefold.engine.compile import Compiled

#: A notebook that changes its rules all day does not fill memory with what it had before.
MAX_GAMES = 256

_authors: dict[tuple[str, bool, bool], dict[int, Any]] = {}


def bind(
    template: FunctionType, compiled: "Compiled[Any]", digest: str, *, allocates: bool
) -> Dispatcher:
    """A template for a game, yet to be compiled."""
    checked = compiled.checked
    suffix = _suffix(digest, checked, allocates)
    rebinder = Rebinder(
        exchange=_authors_code(compiled, allocates=allocates),
        host=__name__,
        suffix=suffix,
        keep=bits.PRIMITIVES,
        convert=table,
        finish=lambda twin: jit(
            twin, checked, allocates, outermost=twin.__name__ == template.__name__
        ),
        elsewhere=lambda function: (
            library_twin(function, checked, allocates) if _is_closed(function) else None
        ),
    )
    return Dispatcher(rebinder.twin(template), suffix[1:], allocates=allocates)


def bind_routine(function: FunctionType, digest: str) -> Dispatcher:
    """A library function that depends on no game, yet to be compiled, with what it calls."""
    suffix = _suffix(digest, checked=False, allocates=False)
    rebinder = Rebinder(
        exchange={},
        host=__name__,
        suffix=suffix,
        keep=bits.PRIMITIVES,
        convert=table,
        finish=lambda twin: jit(
            twin, False, False, outermost=twin.__name__ == function.__name__, fused=True
        ),
    )
    return Dispatcher(rebinder.twin(function), suffix[1:], allocates=False)


def _suffix(digest: str, checked: bool, allocates: bool) -> str:
    """A suffix that keeps the symbols of two pieces of code with the same name apart."""
    return f"_{digest}{'_checked' if checked else ''}{'_nrt' if allocates else ''}"


def _authors_code(compiled: "Compiled[Any]", *, allocates: bool) -> dict[int, Any]:
    """What replaces each name of the contract, compiled once for all templates.

    Games of the same digest share them, so that their States are of one type. A template given two
    types calls itself with two signatures, and cannot be loaded again.
    """
    digest = fingerprint(compiled.game)
    known = (digest, compiled.checked, allocates)
    if known not in _authors:
        suffix = _suffix(digest, compiled.checked, allocates)
        state_type = compiled.game.state_type

        def hand_over(function: FunctionType) -> Any:
            return jit(function, compiled.checked, allocates)

        make, from_words, to_words = state_functions(state_type, hand_over, suffix)
        rebinder = Rebinder(
            exchange={},
            host=__name__,
            suffix=suffix,
            keep=bits.PRIMITIVES,
            convert=lambda value: make if value is state_type else table(value),
            finish=hand_over,
        )
        _authors[known] = {
            name: rebinder.twin(value, template=False) if isinstance(value, FunctionType) else value
            for name, value in slots(compiled.game).items()
        }
        _authors[known] |= {id(contract.state): from_words, id(contract.words): to_words}
        if len(_authors) > MAX_GAMES:
            del _authors[next(iter(_authors))]
    return _authors[known]


@cache
def library_twin(function: FunctionType, checked: bool, allocates: bool) -> Any:
    """The compiled twin of a library function that depends on no game; all games share it."""
    about = Fingerprint(keep=bits.PRIMITIVES).add(function).add(surroundings())
    return Rebinder(
        exchange={},
        host=__name__,
        suffix=_suffix(about.hexdigest(), checked, allocates),
        keep=bits.PRIMITIVES,
        convert=table,
        finish=lambda twin: jit(twin, checked, allocates),
        elsewhere=lambda inner: (
            None if inner is function else library_twin(inner, checked, allocates)
        ),
    ).twin(function)


@cache
def _is_closed(function: FunctionType) -> bool:
    """Whether neither a function nor anything it calls uses what a game supplies."""
    functions = list(reachable(function))
    used = (value for f in functions for _, value in references(f))
    # Records have other fields in each game, and Numba makes symbols of their number, which is
    # different in each process: code for two of them must not be confused.
    taken = (kind for f in functions for kind in f.__annotations__.values())
    return not any(map(_is_slot, used)) and not any(map(is_dataclass, taken))


def _is_slot(value: object) -> bool:
    """Whether this is a name in a template that a game supplies the value for."""
    is_hook = isinstance(value, FunctionType) and value.__module__ == contract.__name__
    return is_hook or isinstance(value, contract.Slot)
