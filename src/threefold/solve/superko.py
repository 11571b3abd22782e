"""Exact answers under superko: what each side can force, proven with the whole game in view.

The search itself is in `threefold.solve.within`. It proves what one side can force. A value is
proven from both sides: MAX can force so much, and MIN can hold MAX to it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, Generic, TypeVar

import numpy as np

from threefold.engine.clock import Clock
from threefold.engine.compile import Compiled
from threefold.engine.control import Control
from threefold.engine.listing import check_fault
from threefold.engine.records import allocate, boxed
from threefold.engine.table import is_move
from threefold.errors import BrokenRules, Unsolved
from threefold.rules.contract import MAX, MAX_VALUE, MIN, Action, Player
from threefold.rules.game import Game
from threefold.solve.at_once import run_stoppable
from threefold.solve.exact import Stopped
from threefold.solve.root import ONE_MOVE, Known, Root
from threefold.solve.within import (
    BITS,
    BUCKET,
    CREDITS,
    MOST_PLIES,
    NO_PASS,
    Demand,
    Path,
    forces_from,
    recalled_move,
)

S = TypeVar("S")

#: A search whose noes hold on every path takes longer: it gets this fraction of the nodes.
_STRICT_COST: Final = 16
#: The most moves of a line that are looked for, and the nodes for it beyond what the rest took.
_LONGEST_LINE: Final = 60
_SPARE_NODES: Final = 1_000_000
#: The nodes for what the moves are worth, beyond as many as the value took; then it gives up.
_LESSER_NODES: Final = 50_000_000
#: The nodes to see whether a move keeps a value that is proven.
_QUICKLY: Final = 20_000


class SuperkoSearch(Generic[S]):
    """Answers what a player can force; `control` counts and stops. The table is kept."""

    def __init__(self, game: Game[S], megabytes: int, control: Control) -> None:
        self.game = game
        self.control = control
        self.megabytes = megabytes
        self._demand = allocate(Demand)
        compiled = Compiled(game)
        self._words = compiled.words
        columns = BITS + 2 * len(game.superko(game.initial()))
        buckets = max(1, (megabytes << 20) // (8 * columns * BUCKET))
        self._table = np.zeros((buckets * BUCKET, columns), np.int64)
        self._credit = np.zeros(2 * CREDITS, np.int64)
        self._compiled = compiled
        self.begin(())
        start, none = compiled.words(game.initial()), np.zeros(0, np.int64)
        self._forces = compiled.entry(forces_from)
        self._forces.prepare(start, 0, none, 0, *self._memory, boxed(control))
        self._recalled_move = compiled.entry(recalled_move)
        self._recalled_move.prepare(start, none, self._table, boxed(self._demand))

    def begin(self, before: Sequence[S]) -> None:
        """Let the game so far have had these positions."""
        boards = sorted({self.game.superko(s) for s in before})
        words = len(self.game.superko(self.game.initial()))
        plies = len(boards) + MOST_PLIES + _LONGEST_LINE + 2
        path = Path(
            boards=np.zeros((plies, words), np.int64),
            hashes=np.zeros(plies, np.int64),
            common=np.zeros((plies, words), np.int64),
            any=np.zeros((plies, words), np.int64),
            depends=np.zeros(plies, np.int64),
        )
        for ply, board in enumerate(boards):
            path.boards[ply] = board
        self._earlier = len(boards)
        rows = self._compiled.rows(plies)
        self._memory = (rows, path, self._credit, self._table, boxed(self._demand))

    def force(
        self,
        s: S,
        moves: Sequence[Action],
        prover: Player,
        at_least: int,
        plies: int,
        *,
        strict: bool,
    ) -> int | None:
        """What a player can force within a number of plies, after some moves from `s`.

        None if that is less than `at_least`; then, unless `strict`, there may be a proof
        nevertheless. Raises `Stopped` where it was stopped.
        """
        self._demand.prover = prover
        self._demand.at_least = at_least
        self._demand.strict = int(strict)
        given = np.array(moves, np.int64)
        work = partial(
            self._forces,
            *(self._words(s), self._earlier, given, plies),
            *self._memory,
            boxed(self.control),
        )
        worth, stopped = run_stoppable(work, self.control, deep=False)
        if self.control.fault == NO_PASS:
            raise BrokenRules(
                f"{self.game.name}: there is a position without a move that leaves the board as it "
                "is; solving under superko needs such a move, a pass, everywhere"
            )
        check_fault(self.game, self.control)
        if stopped:
            raise Stopped
        return int(worth) if worth >= at_least else None

    def recalled_move(self, s: S, moves: Sequence[Action], prover: Player) -> int:
        """The lowest bits of the move by which a player forces something, as the table has it."""
        self._demand.prover = prover
        given = np.array(moves, np.int64)
        return int(self._recalled_move(self._words(s), given, self._table, boxed(self._demand)))


@dataclass
class _Attempt:
    """One side's attempt to prove what it wants, with more and more plies."""

    prover: Player
    strict: bool
    plies: int = 0
    nodes: int = 0

    @property
    def cost(self) -> int:
        """The attempt that has cost least goes on."""
        return self.nodes * (_STRICT_COST if self.strict else 1)


@dataclass
class Range:
    """What is proven about the utility, to MAX, after some moves."""

    low: int
    high: int
    moves: list[Action] = field(default_factory=list)


def _identity(s: S) -> S:
    return s


class RootSuperko(Root[S]):
    """A position after the positions `before` it; with none, it is the beginning of its game."""

    def __init__(
        self,
        game: Game[S],
        s: S,
        search: SuperkoSearch[S],
        clock: Clock,
        before: Sequence[S] = (),
    ) -> None:
        super().__init__(game, s)
        self.moves = game.moves(s, before)
        self._before = before
        search.begin([each for each in before if game.superko(each) != game.superko(s)])
        self._search = search
        self._clock = clock
        self._sign = -1 if game.player(s) == MIN else 1
        self._plies = 0
        self._symmetric: list[dict[Action, Callable[[S], S]]] = []
        self.range = Range(*self._assured(s))

    def _assured(self, s: S) -> tuple[int, int]:
        low, high = self._game.assured(s)
        return max(low, -MAX_VALUE), min(high, MAX_VALUE)

    def run(self, detail: str) -> None:
        """The value, the moves that keep it, and what the others are worth."""
        self._narrow(self.range, 0)
        value = self.range.low
        self.utility = self._sign * value
        self._symmetric = self._symmetric_moves()
        try:
            with self._clock.at_most(int(self._search.control.nodes) + _LESSER_NODES):
                self._value_moves(value, detail)
        except Stopped:
            if self._clock.expired:
                raise
            self.gave_up = True

    def _value_moves(self, value: int, detail: str) -> None:
        """What the moves are worth; that can take far longer than the value itself."""
        for together in self._symmetric:
            if self.known and detail in ONE_MOVE:
                break
            first = next(iter(together))
            if first in self.known:
                continue
            after = self._range_after(first, value)
            if detail == "moves":
                self._narrow(after, value)
            else:
                self._ask_if(after, value)
            if after.low == after.high:
                for a in together:
                    self.known[a] = Known(self._sign * after.low)

    @property
    def progress(self) -> str:
        """What is proven so far, and how far the search looks."""
        return f"{super().progress}, {self._plies} plies, {self.unproven}"

    @property
    def unproven(self) -> str:
        """What the value is at least and at most, for the player to move, as people count it."""
        units = self._game.utility_units
        low, high = sorted((self._sign * self.range.low, self._sign * self.range.high))
        if low == high:
            return f"the value is {low / units:g}"
        return f"the value is from {low / units:g} to {high / units:g}"

    def _symmetric_moves(self) -> list[dict[Action, Callable[[S], S]]]:
        """The moves, those together that are the same by a symmetry of the position.

        Each has the symmetry that makes it of the first.
        """
        game, s = self._game, self._s
        same: list[Callable[[S], S]] = [_identity]
        if not self._before:
            same += [image for image in game.symmetries if image(s) == s]
        left = {game.result(s, a): a for a in self._likely_first(self.moves, [])}
        found = []
        while left:
            t = next(iter(left))
            together: dict[Action, Callable[[S], S]] = {}
            for image in same:
                if (b := left.pop(image(t), None)) is not None:
                    together[b] = image
            found.append(together)
        return found

    def _range_after(self, a: Action, value: int) -> Range:
        """What is known about a move: no move is worth more than the position."""
        low, high = self._assured(self._game.result(self._s, a))
        return Range(low, value, [a]) if self._sign > 0 else Range(value, high, [a])

    def _ask_if(self, after: Range, value: int) -> None:
        """Find out whether a move is worth as much as the position."""
        if after.low < after.high:
            self._settle(after, value if self._sign > 0 else value + 1)

    # What is proven by both sides.

    def _narrow(self, about: Range, guess: int) -> None:
        """Prove the value after some moves, from a guess on and then in growing steps."""
        step, up = 1, None
        while about.low < about.high:
            if up is None:
                threshold = min(max(guess, about.low + 1), about.high)
            elif up:
                threshold = min(about.low + step, about.high)
            else:
                threshold = max(about.high - step + 1, about.low + 1)
            now = self._settle(about, threshold)
            step = 2 * step if now == up else 1
            up = now

    def _settle(self, about: Range, threshold: int) -> bool:
        """Prove that MAX gets as much as the threshold, or that MIN prevents it."""
        attempts = [_Attempt(p, strict) for strict in (False, True) for p in (MAX, MIN)]
        wanted = {MAX: threshold, MIN: 1 - threshold}
        while attempts:
            attempt = min(attempts, key=lambda attempt: attempt.cost)
            attempt.plies += 1
            if attempt.plies > MOST_PLIES:
                attempts.remove(attempt)
                continue
            self._plies = attempt.plies
            worth = self._try(about.moves, attempt, wanted[attempt.prover])
            if worth is not None:
                if attempt.prover == MAX:
                    about.low = worth
                else:
                    about.high = -worth
                return attempt.prover == MAX
        raise Unsolved(
            f"{self._game.name}: not solved within {MOST_PLIES} plies, the most that this search "
            f"can look ahead; {self.unproven}"
        )

    def _try(self, moves: Sequence[Action], attempt: _Attempt, at_least: int) -> int | None:
        before = int(self._search.control.nodes)
        try:
            return self._search.force(
                *(self._s, moves, attempt.prover, at_least, attempt.plies), strict=attempt.strict
            )
        finally:
            attempt.nodes += int(self._search.control.nodes) - before

    # What follows a move.

    def _likely_first(self, legal: Sequence[Action], moves: Sequence[Action]) -> list[Action]:
        """The moves after some others, the one that the table has before the others."""
        s = self._s
        for a in moves:
            s = self._game.result(s, a)
        best = self._search.recalled_move(self._s, moves, self._game.player(s))
        return sorted(legal, key=lambda a: not is_move(a, best))

    def follow_lines(self) -> None:
        """Best play after each move, as far as it is cheap to find with the table warm."""
        try:
            with self._clock.at_most(int(self._search.control.nodes) + _SPARE_NODES):
                for together in self._symmetric:
                    a = next(iter(together))
                    if a in self.known:
                        line = self._best_play(a, self._sign * self.known[a].utility)
                        for b, image in together.items():
                            self._follow[b] = self._mirrored([a, *line], image)[1:]
        except Stopped:
            return

    def _mirrored(self, line: Sequence[Action], image: Callable[[S], S]) -> list[Action]:
        """The moves that lead through the images of the positions that a line leads through."""
        game, s, t = self._game, self._s, self._s
        found = []
        for a in line:
            s = game.result(s, a)
            b = next(b for b in game.moves(t) if game.result(t, b) == image(s))
            t = game.result(t, b)
            found.append(b)
        return found

    def _best_play(self, a: Action, value: int) -> list[Action]:
        """What follows a move that is worth `value` to MAX, as far as it is quickly found."""
        line, before = [a], [*self._before, self._s]
        s = self._game.result(self._s, a)
        while len(line) < _LONGEST_LINE and (legal := self._game.moves(s, before)):
            prover = self._game.player(s)
            wanted = value if prover == MAX else -value
            # The table's move; and a pass, which the rules list last, once everything is settled.
            for b in (self._likely_first(legal, line)[0], legal[-1]):
                if self._keeps([*line, b], prover, wanted):
                    break
            else:
                break
            before.append(s)
            line.append(b)
            s = self._game.result(s, b)
        return line[1:]

    def _keeps(self, moves: Sequence[Action], prover: Player, wanted: int) -> bool:
        """Whether it is quickly seen that a player can force so much after some moves."""
        try:
            with self._clock.at_most(_QUICKLY):
                worth = self._search.force(
                    *(self._s, moves, prover, wanted, MOST_PLIES), strict=False
                )
        except Stopped:
            if self._clock.expired:
                raise
            return False
        return worth is not None
