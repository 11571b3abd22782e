"""What each move of a position is worth, by searching what it leads to.

The most useful comes first: the value, the moves that reach it, how soon, and then the rest.
Whenever the work is stopped, what was proven by then is kept.

A value here is composite, as in `threefold.engine.values`: a utility and how far away it is.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from threefold.engine.clock import Clock
from threefold.engine.progress import bar
from threefold.engine.result import Line
from threefold.engine.table import is_move
from threefold.engine.values import INFINITY, PLIES, WON, above, plies_of, utility_of
from threefold.errors import ThreefoldError
from threefold.rules.contract import Action
from threefold.rules.game import Game
from threefold.solve.exact import ExactSearch, Stopped
from threefold.solve.proof import ProofSearch
from threefold.solve.solution import signed_plies

S = TypeVar("S")

#: The levels of detail for which one move is enough.
ONE_MOVE: Final = ("value", "win_in")
#: Nodes for what is only nice to know, on top of as many as the rest took.
_SPARE_NODES: Final = 1_000_000


@dataclass(frozen=True)
class Known:
    """What was proven about a move."""

    utility: int
    #: Plies to the end; None for a draw, and where they are unknown.
    plies: int | None = None


class Root(ABC, Generic[S]):
    """A position's value and those of its moves, as they become known."""

    def __init__(self, game: Game[S], s: S) -> None:
        self._game = game
        self._s = s
        self.moves = game.moves(s)
        #: The best utility; None until it is proven.
        self.utility: int | None = None
        #: The utility nearest to a draw that it can still have; None until it is won or lost.
        self.bound: int | None = None
        self.known: dict[Action, Known] = {}
        self._follow: dict[Action, list[Action]] = {}
        #: Whether the values of some moves were given up as too expensive.
        self.gave_up = False

    @property
    def value(self) -> int | None:
        """The utility, or the nearest to a draw that it can have; None where nothing is known."""
        return self.bound if self.utility is None else self.utility

    @property
    def progress(self) -> str:
        """How far the work is, in a few words."""
        known, moves = len(self.known), len(self.moves)
        return f"{bar(known / moves)} {known}/{moves} moves"

    @property
    def unproven(self) -> str:
        """What is known where no value is, in a few words."""
        return "nothing is known for certain"

    @abstractmethod
    def run(self, detail: str) -> None:
        """Find out what is asked for and not known yet; `Stopped` leaves what was found."""

    def follow_lines(self) -> None:
        """Find out what follows each move, as far as that is cheap; this is optional."""

    def lines(self) -> Iterator[Line]:
        """The moves that are known."""
        for a, known in list(self.known.items()):  # more may be found in the meantime
            win_in = signed_plies(known.utility, known.plies)
            pv = (a, *self._follow.get(a, ()))
            yield Line(a, known.utility, win_in, exact=True, pv=pv)


class RootSearch(Root[S]):
    """By exact search, with null windows or the full one."""

    def __init__(
        self, game: Game[S], s: S, search: ExactSearch[S], clock: Clock, *, full_window: bool
    ) -> None:
        super().__init__(game, s)
        self._search = search
        self._control = search.control
        self._clock = clock
        self._full_window = full_window
        #: Where something is settled the table has utilities alone; distances are expensive.
        self._remembers_distances = "settled" not in game.hooks

    def run(self, detail: str) -> None:
        """The value, the moves that reach it, how soon, and the rest."""
        if self.utility is None:
            self.utility = self._best_utility()
        for a in self._likely_first(self.moves):
            if self.known and detail in ONE_MOVE:
                break
            if a not in self.known and self._keeps(self._s, a, self.utility):
                self.known[a] = Known(self.utility)
        if detail != "value":
            self._find_distances(self.utility, detail)
        if detail == "moves":
            for a in self.moves:
                if a not in self.known:
                    self.known[a] = self._lesser_value(a, self.utility)

    # What a position is worth.

    def _best_utility(self) -> int:
        """The position's utility: first whether it is won, drawn or lost, then by how much."""
        if self._full_window:
            return utility_of(self._measure(self._s, False, 0))
        value = self._search.bound(self._s, 0, 1)
        if value > 0:
            self.bound = max(utility_of(value), 1)
        elif value < 0 or (value := self._search.bound(self._s, -1, 0)) < 0:
            self.bound = min(utility_of(value), -1)
        else:
            return 0
        return utility_of(self._measure(self._s, False, self.bound))

    def _measure(self, s: S, quickest: bool, guess: int) -> int:
        """A position's value for the player to move; its distance too if `quickest`.

        `guess` is a utility.
        """
        if self._full_window:
            return self._search.bound(s, -INFINITY, INFINITY)
        return self._search.value(s, quickest=quickest, guess=guess)

    # What a move is worth.

    def _likely_first(self, moves: Sequence[Action]) -> list[Action]:
        """The moves of the position asked about last, the one that decided it before the others."""
        return sorted(moves, key=lambda a: not is_move(a, self._search.move))

    def _keeps(self, s: S, a: Action, utility: int) -> bool:
        """Whether a move gives the player who makes it at least that utility, however late."""
        return self._is_worth(s, self._game.result(s, a), above(utility - 1) + 1)

    def _reaches(self, s: S, a: Action, value: int) -> bool:
        """Whether a move gives the player who makes it at least that value."""
        return self._is_worth(s, self._game.result(s, a), one_ply_closer(value))

    def _is_worth(self, s: S, child: S, wanted: int) -> bool:
        """Whether what follows `s` is worth that much to the player to move in `s`."""
        if self._same_side(s, child):
            return self._search.bound(child, wanted - 1, wanted) >= wanted
        return self._search.bound(child, -wanted, 1 - wanted) <= -wanted

    def _value_after(self, a: Action, quickest: bool, guess: int) -> int:
        """What a move leads to, to the player who makes it; plies are counted from there."""
        child = self._game.result(self._s, a)
        sign = 1 if self._same_side(self._s, child) else -1
        return sign * self._measure(child, quickest, sign * guess)

    def _plies(self, a: Action, utility: int) -> int:
        """How soon a move of that utility, which is not 0, wins or loses."""
        return plies_of(self._value_after(a, True, utility)) + 1

    def _lesser_value(self, a: Action, best: int) -> Known:
        """A move that is not among the best: its utility and, if that is ±1, how soon."""
        utility = utility_of(self._value_after(a, False, best))
        if utility == 0 or is_graded(utility) or not self._remembers_distances:
            return Known(utility)
        return Known(utility, self._plies(a, utility))

    def _find_distances(self, utility: int, detail: str) -> None:
        """How soon the best moves win or lose.

        If games are only won, drawn or lost, that is cheap. If they are won by more or by
        less, distances add another grade below each utility, and can cost many times as much. So
        they get as many nodes as the utility took, and few where no table helps. Then they are
        given up.
        """
        if utility == 0:
            return
        budget = None
        if not self._remembers_distances:
            budget = _SPARE_NODES
        elif is_graded(utility):
            budget = int(self._control.nodes) + _SPARE_NODES
        try:
            with self._clock.at_most(budget):
                value = self._measure(self._s, True, utility)
                quickest = Known(utility, plies_of(value))
                if detail in ONE_MOVE:
                    moves = self._likely_first(self.moves)
                    self.known = {
                        next(a for a in moves if self._reaches(self._s, a, value)): quickest
                    }
                    return
                best = [a for a, known in self.known.items() if known.utility == utility]
                for a in best:
                    if self._reaches(self._s, a, value):
                        self.known[a] = quickest
                for a in best:
                    if detail == "moves" and self.known[a].plies is None:
                        self.known[a] = Known(utility, self._plies(a, utility))
        except Stopped:
            if budget is None or self._clock.expired:
                raise

    # What follows a move.

    def follow_lines(self) -> None:
        """Best play after each move, as far as it is cheap to find with the table warm."""
        try:
            with self._clock.at_most(int(self._control.nodes) + _SPARE_NODES):
                for a, known in self.known.items():
                    self._follow[a] = []
                    for b in self._best_play(a, known):
                        self._follow[a].append(b)
        except Stopped:
            return

    def _best_play(self, a: Action, known: Known) -> Iterator[Action]:
        before, s = self._s, self._game.result(self._s, a)
        utility, plies = known.utility, known.plies
        while moves := self._game.moves(s):
            if not self._same_side(before, s):
                utility = -utility
            # Ask about the position itself first: its answer says which move to try first.
            if plies is None:
                self._is_worth(s, s, above(utility - 1) + 1)
                a = next(a for a in self._likely_first(moves) if self._keeps(s, a, utility))
            else:
                plies -= 1
                value = composite(utility, plies)
                self._is_worth(s, s, value)
                a = next(a for a in self._likely_first(moves) if self._reaches(s, a, value))
            yield a
            before, s = s, self._game.result(s, a)

    def _same_side(self, s: S, t: S) -> bool:
        return self._game.player(s) == self._game.player(t)


class RootProof(Root[S]):
    """By proof-number search: whether it is won, and if not, whether it is drawn."""

    def __init__(self, game: Game[S], s: S, search: ProofSearch[S]) -> None:
        super().__init__(game, s)
        self._attacker = game.player(s)
        self._search = search

    def run(self, detail: str) -> None:
        """The value, then each move; a proof says neither how soon nor what follows."""
        if self.utility is None:
            self.utility = self._utility(self._s)
        for a in self.moves:
            child = self._game.result(self._s, a)
            if a not in self.known:
                if detail == "moves":
                    self.known[a] = Known(self._utility(child))
                elif self.utility == -1 or self._ask(child, self.utility):
                    self.known[a] = Known(self.utility)
            if a in self.known and detail in ONE_MOVE:
                break

    def _utility(self, s: S) -> int:
        if self._ask(s, 1):
            return 1
        return 0 if self._ask(s, 0) else -1

    def _ask(self, s: S, at_least: int) -> bool:
        answer = self._search.ask(s, at_least, self._attacker)
        if is_graded(self._search.largest_utility):
            raise ThreefoldError(
                f"proof-number search is for games won, drawn or lost, and {self._game.name} is "
                "won by more or by less; solve it by null windows"
            )
        if answer is None:
            raise Stopped
        return answer


def is_graded(utility: int) -> bool:
    """Whether a game of that utility is won or lost by more or by less, not just won or lost."""
    return abs(utility) > 1


def composite(utility: int, plies: int) -> int:
    """The value of a game that ends with a utility after that many plies."""
    if utility > 0:
        return WON + utility * PLIES - plies
    if utility < 0:
        return utility * PLIES - WON + plies
    return 0


def one_ply_closer(value: int) -> int:
    """What a value is one ply nearer to the end."""
    return value + (value >= WON) - (value <= -WON)
