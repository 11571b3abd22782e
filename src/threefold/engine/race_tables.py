"""Tables of a game's races: made from its rules, kept on disk, and in memory while they last.

- `exact_values` has the value of every race of two sides near the end, for `solve`.
- `race_table` has the same with fewer digits and an estimate of all other races, for evaluation:
  `threefold.engine.race` looks a position up in it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, TypeVar

import numpy as np

from threefold.engine.compile import Compiled
from threefold.engine.control import Control
from threefold.engine.jit.fingerprint import Digest
from threefold.engine.kept_arrays import path_of, read_array, write_array
from threefold.engine.listing import check_fault
from threefold.engine.progress import StatusLine, bar
from threefold.engine.race import HEADER, RACE_UNIT
from threefold.engine.race_building import (
    EXACT_UNIT,
    ROLL_UNIT,
    Array,
    Listed,
    choose_plays,
    list_plays,
    pair_sides,
    tabulate_rolls,
)
from threefold.engine.records import allocate, boxed
from threefold.engine.worker import run_in_worker
from threefold.errors import BrokenRules, ThreefoldError
from threefold.rules.game import Game

S = TypeVar("S")

#: Weighted sums of utilities must fit 64 bits.
MOST_WEIGHT: Final = (1 << 62) // EXACT_UNIT - 1
#: Room for this many rolls and plays per side, at first.
_ROOM: Final = 64

#: The hooks that decide what the tables hold.
_NEEDED: Final = frozenset(
    {"player", "actions", "result", "utility", "is_terminal", "outcomes", "drawn", "race"}
)
#: The tables in memory, by kind and digest: games that differ in their evaluation share them.
_in_memory: dict[tuple[str, str], Array] = {}
#: A notebook that changes its rules all day does not fill memory with what it had before.
_MOST_IN_MEMORY: Final = 8


def exact_values(game: Game[S]) -> Array:
    """What each race is worth to the side to roll: `values[mine, theirs]`, in `EXACT_UNIT`s.

    Only for sides among the first `paired`. A value is off by at most half a unit for each roll
    that both sides can still need.
    """
    return _table(game, "exact", _make_exact)


def race_table(game: Game[S]) -> Array:
    """The table that `race_value` reads."""
    return _table(game, "race", _make_race_table)


def _table(game: Game[S], kind: str, make: Callable[["_Builder"], Array]) -> Array:
    """A table from memory, from disk, or made now."""
    if game.race_sides is None:
        raise ThreefoldError(f"{game.name} has no races")
    known = kind, _digest(game)
    if known not in _in_memory:
        path = path_of(f"{game.name} {kind}", known[1])
        array = read_array(path)
        if array is None:
            array = make(_Builder(game.reduced_to(_NEEDED)))
            write_array(path, array)
        array.flags.writeable = False
        _in_memory[known] = array
        if len(_in_memory) > _MOST_IN_MEMORY:
            del _in_memory[next(iter(_in_memory))]
    return _in_memory[known]


def _make_exact(builder: "_Builder") -> Array:
    sides = builder.game.race_sides
    assert sides is not None
    builder.expected_nodes = sides.paired + sides.paired**2
    return builder.pairs(builder.plays(sides.paired))


def _make_race_table(builder: "_Builder") -> Array:
    sides = builder.game.race_sides
    assert sides is not None
    exact = exact_values(builder.game)
    builder.expected_nodes = 3 * sides.count
    finish, loss = builder.rolls(builder.plays(sides.count))
    header = np.array([sides.paired, sides.count, finish.shape[1]])
    # Rounded to the nearest; halves upward.
    fewer_digits = (exact + EXACT_UNIT // RACE_UNIT // 2) // (EXACT_UNIT // RACE_UNIT)
    parts = (header, fewer_digits.ravel(), finish.ravel(), loss.ravel())
    return np.concatenate([part.astype(np.int32) for part in parts])


def _digest(game: Game[Any]) -> str:
    """Of everything that the tables depend on: the rules, and the code here."""
    sides = game.race_sides
    assert sides is not None
    templates = (list_plays, pair_sides, choose_plays, tabulate_rolls)
    units = (EXACT_UNIT, ROLL_UNIT, RACE_UNIT, HEADER)
    about = (
        game.reduced_to(_NEEDED).hooks,
        game.state_type,
        sides.count,
        sides.paired,
        sides.position,
    )
    return Digest.of(about, templates, units).digest


@dataclass
class _Plays:
    """The plays of the first sides, as `race_building` describes them."""

    first_roll: Array
    weight: Array
    first_play: Array
    play: Array
    win: Array

    @property
    def by_roll(self) -> tuple[Array, ...]:
        return self.first_roll, self.weight, self.first_play, self.play


@dataclass
class _Builder:
    """Makes the tables of one game."""

    game: Game[Any]
    #: How many sides and pairs there are to look at, for the progress bar.
    expected_nodes: int = 1
    control: Control = field(default_factory=lambda: allocate(Control))

    def plays(self, count: int) -> _Plays:
        """The plays of the first `count` sides, and what MAX wins against each."""
        game, listed = self.game, allocate(Listed)
        assert game.race_sides is not None
        compiled = Compiled(game)
        rows, position = compiled.rows(3), game.race_sides.position
        mine = np.array([compiled.words(position(side, 1)) for side in range(count)], np.int64)
        theirs = np.array([compiled.words(position(1, side)) for side in range(count)], np.int64)
        first_roll, win = np.zeros(count + 1, np.int64), np.zeros(count, np.int64)
        room = _ROOM * (count + game.facts.max_moves)
        weight, play = np.empty(room, np.int32), np.empty(room, np.int32)
        first_play = np.zeros(room + 1, np.int64)
        while listed.sides < count:
            arrays = (mine, theirs, first_roll, weight, first_play, play, win)
            self._run(compiled.entry(list_plays), *arrays, boxed(listed), rows)
            if listed.wrong >= 0:
                raise BrokenRules(
                    f"{game.name}: side {listed.wrong} of a race has a roll without a play, or a "
                    "play that does not lead to a smaller number"
                )
            weight, play = np.resize(weight, 2 * len(weight)), np.resize(play, 2 * len(play))
            first_play = np.resize(first_play, 2 * len(first_play))
        sums = np.add.reduceat(weight[: listed.rolls], first_roll[1:-1])
        if int(sums.max()) * int(np.abs(win).max()) > MOST_WEIGHT:
            raise BrokenRules(
                f"{game.name}: the weights of a race's rolls, {sums.max()} in all, times the "
                f"utility {np.abs(win).max()} are more than {MOST_WEIGHT}"
            )
        return _Plays(
            first_roll,
            weight[: listed.rolls].copy(),
            first_play[: listed.rolls + 1].copy(),
            play[: listed.plays].copy(),
            win,
        )

    def pairs(self, plays: _Plays) -> Array:
        """What each race of two of the first `paired` sides is worth."""
        assert self.game.race_sides is not None
        paired = self.game.race_sides.paired
        value = np.zeros((paired, paired), np.int64)
        self._run(Compiled(self.game).entry(pair_sides), *plays.by_roll, plays.win, value)
        return value

    def rolls(self, plays: _Plays) -> tuple[Array, Array]:
        """How likely each side finishes with which roll, and what it loses if it does not."""
        compiled, count = Compiled(self.game), len(plays.win)
        chosen, mean = np.empty(len(plays.weight), np.int32), np.zeros(count, np.int64)
        longest = np.zeros(count, np.int64)
        self._run(compiled.entry(choose_plays), *plays.by_roll, chosen, mean, longest)
        finish = np.zeros((count, int(longest.max()) + 1), np.int32)
        loss = np.zeros_like(finish)
        by_roll = (plays.first_roll, plays.weight, chosen)
        self._run(compiled.entry(tabulate_rolls), *by_roll, plays.win, RACE_UNIT, finish, loss)
        return finish, loss

    def _progress(self, seconds: float) -> str:
        """What is going on, for a status line."""
        share = self.control.nodes / self.expected_nodes
        return f"making the race tables of {self.game.name} {bar(share)} {seconds:.0f} s"

    def _run(self, entry: Any, *arguments: Any) -> None:
        arguments = (*arguments, boxed(self.control))
        entry.prepare(*arguments)
        with StatusLine(self._progress):
            run_in_worker(partial(entry, *arguments), self.control)
        check_fault(self.game, self.control)
