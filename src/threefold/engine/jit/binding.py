"""Templates and rules re-bound: a game's functions in place of the contract's."""

from functools import cache
from types import FunctionType
from typing import TYPE_CHECKING, Any

from threefold.engine.jit.dispatcher import jit
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


def suffix_of(digest: str, checked: bool, allocates: bool) -> str:
    """What tells the symbols of one piece of code from those of another of the same name."""
    return f"_{digest}{'_checked' if checked else ''}{'_nrt' if allocates else ''}"


def authors_code(compiled: "Compiled[Any]", *, allocates: bool) -> dict[int, Any]:
    """What stands for each name of the contract, compiled once for all templates.

    And once for all games of the same digest, so that their States are of one type: a template
    that meets two calls itself at two signatures, and cannot be loaded again.
    """
    digest = fingerprint(compiled.game)
    known = (digest, compiled.checked, allocates)
    if known not in _authors:
        suffix = suffix_of(digest, compiled.checked, allocates)
        state_type = compiled.game.state_type

        def handed_over(function: FunctionType) -> Any:
            return jit(function, compiled.checked, allocates)

        make, from_words, to_words = state_functions(state_type, handed_over, suffix)
        rebinder = Rebinder(
            exchange={},
            host=__name__,
            suffix=suffix,
            keep=bits.PRIMITIVES,
            convert=lambda value: make if value is state_type else table(value),
            finish=handed_over,
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
    """The compiled twin of a function of ours that depends on no game, once for all of them."""
    about = Fingerprint(keep=bits.PRIMITIVES).add(function).add(surroundings())
    return Rebinder(
        exchange={},
        host=__name__,
        suffix=suffix_of(about.hexdigest(), checked, allocates),
        keep=bits.PRIMITIVES,
        convert=table,
        finish=lambda twin: jit(twin, checked, allocates),
        elsewhere=lambda inner: (
            None if inner is function else library_twin(inner, checked, allocates)
        ),
    ).twin(function)


@cache
def is_closed(function: FunctionType) -> bool:
    """Whether a function of a template comes to use nothing that a game supplies."""
    used = (value for f in reachable(function) for _, value in references(f))
    return not any(_is_slot(value) for value in used)


def _is_slot(value: object) -> bool:
    """Whether a game supplies what stands in a template by this name."""
    is_hook = isinstance(value, FunctionType) and value.__module__ == contract.__name__
    return is_hook or isinstance(value, contract.Slot)
