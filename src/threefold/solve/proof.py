"""Proof-number search: whether a player can get at least a given utility from a position.

The search itself is in `threefold.solve.dfpn`.
"""

from dataclasses import dataclass
from functools import partial
from typing import Final, Generic, TypeVar

from threefold.engine.clock import Clock
from threefold.engine.compile import Compiled
from threefold.engine.control import Control
from threefold.engine.limits import MAX_MEGABYTES, Limits, check_whole
from threefold.engine.listing import check_fault
from threefold.engine.records import allocate, boxed
from threefold.engine.table import Table, new_table
from threefold.engine.worker import run_in_worker
from threefold.errors import BrokenRules, ThreefoldError
from threefold.rules.bits import mix
from threefold.rules.contract import MAX_VALUE, Player
from threefold.rules.game import Game
from threefold.solve.dfpn import Question, disproof_of, proof_of, settle_from

S = TypeVar("S")

#: As deep as the stack of a worker allows.
_MAX_PLY: Final = 10_000


class ProofSearch(Generic[S]):
    """Answers questions about a game's positions; `control` counts and stops."""

    def __init__(self, game: Game[S], megabytes: int, control: Control) -> None:
        game.require("proof-number search", zero_sum=True, perfect_information=True)
        if not game.facts.deterministic:
            raise ThreefoldError(
                f"proof-number search is for games without chance, and {game.name} has some"
            )
        if game.cyclic or not game.facts.finite:
            raise ThreefoldError(
                f"proof-number search is for games that end and whose positions do not repeat, "
                f"and {game.name} is not declared one; solve it by its graph"
            )
        self.game = game
        self._control = control
        self._question = allocate(Question)
        compiled = Compiled(game)
        self._words = compiled.words
        self._rows = compiled.rows(min(game.facts.max_ply, _MAX_PLY) + 2, width=3)
        self._longest = len(self._rows) - 2
        self.use(new_table(megabytes))
        self._entry = compiled.entry(settle_from)
        self._entry.prepare(self._words(game.initial()), *self._buffers)

    def use(self, table: Table) -> None:
        """Replace the table, if there is one."""
        self._buffers = (self._rows, table, boxed(self._question), boxed(self._control))

    @property
    def largest_utility(self) -> int:
        """The largest utility that came up in any question, whatever its sign."""
        return int(self._question.largest)

    def ask(self, s: S, at_least: int, attacker: Player) -> bool | None:
        """Whether a player can get that utility from `s`, on either turn; None if it was stopped.

        The answers stay in the table, for when the same is asked about another position.
        """
        self._question.attacker = attacker
        self._question.at_least = at_least
        self._question.salt = mix(2 * at_least + attacker)
        work = partial(self._entry, self._words(s), *self._buffers)
        data = int(run_in_worker(work, self._control))
        check_fault(self.game, self._control)
        if self._control.longest > self._longest:
            raise BrokenRules(
                f"{self.game.name}: a line of play is longer than max_ply="
                f"{self.game.facts.max_ply}; can play go on forever?"
            )
        if proof_of(data) == 0:
            return True
        return False if disproof_of(data) == 0 else None


@dataclass(frozen=True)
class Proof:
    """The answer to a question: proven, disproven, or None if a limit came first."""

    answer: bool | None
    nodes: int
    seconds: float


def prove(
    game: Game[S],
    s: S,
    at_least: int = 1,
    *,
    nodes: int | None = None,
    time: float | None = None,
    megabytes: int = 64,
) -> Proof:
    """Whether the player to move in `s` can get a utility of `at_least`; by default, win."""
    check_whole("at_least", at_least, -MAX_VALUE, MAX_VALUE)
    check_whole("megabytes", megabytes, 1, MAX_MEGABYTES)
    limits = Limits(time=time, nodes=nodes)
    control = allocate(Control)
    search = ProofSearch(game, megabytes, control)
    clock = Clock(limits)
    with clock.enforce(control), clock.counting():
        answer = search.ask(s, at_least, game.player(s))
    return Proof(answer, int(control.nodes), clock.seconds)
