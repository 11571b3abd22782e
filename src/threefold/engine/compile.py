"""From a game's plain functions to machine code.

A procedure is written once as a *template*: plain functions that call `actions`, `result`,
`evaluate`… of `threefold.rules.contract`. `Compiled.entry` makes one for a game:

1. look through everything that the game's hooks reach, refuse what cannot be compiled, and take
   the fingerprint of the rest;
2. re-bind all of it into new namespaces, with the game's hooks in place of the contract's;
3. hand each function to Numba;
4. give the outermost function, the entry, a file in the cache.

An entry takes a state as a tuple of words, never as the author's class: a game from a module and
the same one typed into a notebook share a file. The fingerprint is part of every function's
`__qualname__`, because that is what Numba makes symbols of: without it two games loaded from the
cache would run each other's code.
"""

from types import FunctionType
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from threefold.engine import refusals
from threefold.engine.cache import say_once
from threefold.engine.calls import call
from threefold.engine.diagnosis import check_hooks, check_state
from threefold.engine.jit.dispatcher import is_off
from threefold.engine.jit.entries import Entry, entry_for
from threefold.engine.jit.fingerprint import fingerprint, remembered
from threefold.engine.net_value import NetArrays, judge, judging
from threefold.engine.nets import Net
from threefold.engine.records import SLACK, boxed
from threefold.errors import BrokenRules, CompilerOff
from threefold.rules import bits, contract
from threefold.rules.contract import CHANCE, Action
from threefold.rules.game import Game
from threefold.rules.hooks import HOOKS, Function, Hook, HookAttributes

S = TypeVar("S")
Words: TypeAlias = tuple[int, ...]
Rows: TypeAlias = np.ndarray[Any, np.dtype[np.int64]]


#: The digests of rules that can be compiled.
_compilable: WeakKeyDictionary[Game[Any], str] = WeakKeyDictionary()


class Compiled(HookAttributes[S], Generic[S]):
    """A game's rules as machine code, under the same names as `Game`'s, and its entries."""

    def __init__(self, game: Game[S], *, checked: bool = False) -> None:
        if is_off():
            raise CompilerOff(
                f"{game.name}: NUMBA_DISABLE_JIT is set, so nothing can be compiled; unset it or "
                "use the interpreted way"
            )
        self._net = game.net
        if game.net is not None:
            game = game.weighing()
        if _compilable.get(game) is None or _compilable[game] != remembered(game):
            check_state(game)
            check_hooks(game)
            _compilable[game] = fingerprint(game)
        self.game = game
        #: Whether indices are checked: slower, but a stray write is an error.
        self.checked = checked
        self._entries: dict[Function, Entry] = {}

    def entry(self, template: Function) -> Entry:
        """A template for this game, compiled at its first call."""
        if template not in self._entries:
            assert isinstance(template, FunctionType)
            self._entries[template] = entry_for(self, template)
        return self._entries[template]

    def is_ready(self, template: Function) -> bool:
        """Whether a template is available without compiling: from memory, or from disk."""
        return self.entry(template).is_ready

    @property
    def cachable(self) -> bool:
        """Whether machine code may be kept: recursive rules crash when they are loaded again."""
        hooks = self.game.hooks
        recursive = [name for name, hook in hooks.items() if refusals.is_recursive(hook)]
        if recursive:
            say_once(
                f"{self.game.name}: {', '.join(recursive)}: recursive, so compiled code is not "
                "kept on disk; write a loop instead to compile only once"
            )
        return not recursive

    def words(self, s: S) -> Words:
        """A state's fields as words."""
        fields: Words = tuple(s)  # type: ignore[arg-type]
        if not all(isinstance(field, int) and bits.is_word(field) for field in fields):
            raise BrokenRules(f"{self.game.name}: {s} has a field that is not a 64-bit integer")
        return tuple(map(int, fields))

    def rows(self, plies: int, width: int = 1) -> Rows:
        """A row for each ply, `width` times as long as a position may have moves.

        After the last row there is spare room for 2^16 more moves. A hook that writes more than its
        game declared then stays within this array until its count reveals the error.
        """
        facts = self.game.facts
        shape = (plies, width * facts.max_moves)
        room = np.empty(shape[0] * shape[1] + SLACK, np.int64)
        return room[: shape[0] * shape[1]].reshape(shape)

    def feature_rows(self, count: int) -> Rows:
        """Rows for the words of `features`."""
        return np.zeros((count, contract.MAX_FEATURE_WORDS), np.int64)

    # The hooks one by one, for Python.

    if not TYPE_CHECKING:  # which knows `HookAttributes`

        def __getattr__(self, name: str) -> Any:
            """A hook as a Python function, by its row in the table; kept as an attribute."""
            if name not in HOOKS:
                raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
            vars(self)[name] = self._function(HOOKS[name])
            return vars(self)[name]

    def _function(self, hook: Hook) -> Function:
        if hook.name == "is_terminal" and hook.name not in self.game.hooks:
            return lambda s: not self.moves(s)
        if hook.name == "evaluate" and isinstance(self._net, Net):
            return self._judging(self._net)
        if hook.name == "evaluate" and self._net is not None:
            return self._net.evaluate
        entry, convert = self.entry(call(hook)), hook.converter(self.game.state_type)
        if not hook.parameters:
            return lambda: convert(entry())
        return lambda s, *others: convert(entry(self.words(s), *others))

    def _judging(self, net: Net[S]) -> Function:
        """`evaluate` where a net judges positions."""
        entry = self.entry(judge)

        def evaluate(s: S) -> int:
            arrays = NetArrays(net)  # each call has its own, for threads
            return int(entry(self.words(s), boxed(judging(arrays))))

        return evaluate

    def moves(self, s: S) -> list[Action]:
        """The legal moves, or the possible events; none once the game is over."""
        if self.player(s) == CHANCE:
            return [event for event, _ in self.chances(s)]
        if "drawn" in self.game.hooks and self.drawn(s) == contract.DRAWN:
            return []
        return self._written("actions", s)

    def noisy_moves(self, s: S) -> list[Action]:
        """The moves that quiescence search must still look at."""
        return self._written("noisy", s)

    def chances(self, s: S) -> list[tuple[Action, int]]:
        """The events of a chance node, each with its weight."""
        out, weight = self.rows(1)[0], self.rows(1)[0]
        n = self.outcomes(s, out, weight)
        self.game.check_count("outcomes", n)
        return list(zip(out[:n].tolist(), weight[:n].tolist(), strict=True))

    def _written(self, hook: str, s: S) -> list[Action]:
        out = self.rows(1)[0]
        n = getattr(self, hook)(s, out)
        self.game.check_count(hook, n)
        return [int(a) for a in out[:n]]
