"""Digests of everything that machine code depends on.

Digesting rules means looking through everything they reach, so a digest is remembered, along with
a watch that notices when one of those functions, globals or tables has changed.
"""

import platform
from functools import cache
from types import FunctionType
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import llvmlite
import numba
import numpy as np

import threefold
from threefold.engine.jit import dispatcher, instructions, states, tables
from threefold.engine.jit.private import processor
from threefold.rules import bits
from threefold.rules.game import Game
from threefold.rules.rebind import Fingerprint
from threefold.rules.watching import Watch

#: The digests of rules and of templates, as of when they were last looked through.
_digests: WeakKeyDictionary[Game[Any], "Digest"] = WeakKeyDictionary()
_template_digests: WeakKeyDictionary[FunctionType, "Digest"] = WeakKeyDictionary()


class Digest(NamedTuple):
    """What was digested, the digest, and a watch on whether it would still be the same."""

    parts: tuple[Any, ...]
    digest: str
    watch: Watch

    @classmethod
    def of(cls, *parts: Any) -> "Digest":
        """The digest of functions and constants."""
        about = Fingerprint(keep=bits.PRIMITIVES).add(parts)
        return cls(parts, about.hexdigest(), about.watch)


def fingerprint(game: Game[Any]) -> str:
    """The digest of everything that a game's machine code depends on, except the template."""
    if remembered(game) is None:
        _digests[game] = Digest.of(*_parts(game))
    return _digests[game].digest


def remembered(game: Game[Any]) -> str | None:
    """The digest of rules that have not changed since it was taken."""
    known = _digests.get(game)
    if known is None or known.parts != _parts(game) or not known.watch.is_unchanged():
        return None
    return known.digest


def _parts(game: Game[Any]) -> tuple[Any, ...]:
    return (
        *(surroundings(), game.state_type, game.facts.max_moves, game.facts.move_range),
        *(game.repeats > 0, game.reductions, game.has_futility),
        *(tuple(game.hooks.items()), game.symmetries, game.timeless),
        *(game.weigh, game.net is not None),
        *(game.database is not None, numbering(game)),
    )


def numbering(game: Game[Any]) -> tuple[Any, ...]:
    """The functions that number the positions of end-games, if there are any."""
    found = game.endgames
    if found is None:
        return ()
    return found.slice_of, found.number_of, found.position, found.plies_left, found.margins


def template_digest(template: FunctionType) -> str:
    """The digest of a template and of all that it reaches."""
    known = _template_digests.get(template)
    if known is None or not known.watch.is_unchanged():
        known = _template_digests[template] = Digest.of(template)
    return known.digest


@cache
def surroundings() -> str:
    """A digest of the versions, the processor and the code of ours that shape machine code.

    This is the code as it was loaded, not as the files have it now.
    """
    about = Fingerprint().add(
        (
            platform.python_version(),
            numba.__version__,
            llvmlite.__version__,
            np.__version__,
            threefold.__version__,
            processor(),
        )
    )
    from threefold.engine.jit import binding  # it imports this module

    modules = (bits, instructions, dispatcher, states, tables, binding)
    named = [value for module in modules for value in vars(module).values()]
    for value in (*named, *instructions.EMITTED.values()):
        if isinstance(value, FunctionType):
            about.add((value.__name__, value.__code__))
    return about.hexdigest()
