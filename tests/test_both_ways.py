"""Whatever the compiled rules could say otherwise than the interpreted ones is noticed.

Nothing is compiled here: in place of machine code are the interpreted rules of a game
that differs in one hook.
"""

from typing import Any, NamedTuple

import pytest

from threefold import CHANCE, Game
from threefold.rules import contract
from threefold.rules.agreement import BothWays, questions
from threefold.rules.asking import Position
from threefold.rules.hooks import DERIVED, HOOKS
from threefold.rules.race import RaceSides
from threefold.rules.rebind import interpreted
from threefold.rules.records import Territory


class State(NamedTuple):
    """A pile, what nature has added to it, and how long the game has lasted."""

    stones: int
    added: int
    clock: int
    turn: int


def result(s: State, a: int) -> State:
    return State(s.stones - a, s.added, s.clock + 1, 1 - s.turn)


def actions(s: State, out: Any) -> int:
    n = min(2, s.stones)
    for i in range(n):
        out[i] = i + 1
    return n


def outcomes(s: State, out: Any, weight: Any) -> int:
    out[0], weight[0] = 1, 5
    return 1


def one_move(s: State, out: Any) -> int:
    out[0] = 1
    return min(1, s.stones)


def two_words(s: State, p: int, out: Any) -> int:
    out[0], out[1] = s.stones, p
    return 2


def other_words(s: State, p: int, out: Any) -> int:
    out[0], out[1] = s.stones, 1 - p
    return 2


#: Every hook that can be compiled.
SUPPLIED: dict[str, Any] = {
    "initial": lambda: State(5, 0, 0, 0),
    "actions": actions,
    "result": result,
    "utility": lambda s: 1 - 2 * s.turn,
    "player": lambda s: CHANCE if s.stones == 3 else s.turn,
    "is_terminal": lambda s: s.stones == 0,
    "evaluate": lambda s: s.stones,
    "noisy": one_move,
    "outcomes": outcomes,
    "key": lambda s: 4 * s.stones + s.turn,
    "order": lambda s, a: a,
    "observe": lambda s, p: (s.stones, p),
    "deal": lambda s, p, seed: State(s.stones, seed & 1, s.clock, s.turn),
    "seat": lambda s: 2 * s.turn,
    "seats": 3,
    "features": two_words,
    "null_move": lambda s: State(s.stones, s.added, s.clock, 1 - s.turn),
    "extend": lambda s: s.stones & 1,
    "sufficient": one_move,
    "bounds": lambda s: (-1, 1),
    "assured": lambda s: (-1, 1),
    "settled": lambda s: (0, s.stones),
    "gist": lambda s: s.stones,
    "details": lambda s, mattered: (s.stones, s.added, mattered),
    "matter": lambda s, bits: bits | s.stones,
    "mattered_before": lambda s, a, mattered: mattered | a,
    "foreseen": lambda s: (-1, 1, s.stones, 0),
    "remaining": lambda s: s.stones,
    "playout": lambda s, seed: 1 + (seed & 1) * (s.stones > 1),
    "reply": lambda s, a, seed: a if seed & 1 else contract.NO_REPLY,
    "owners": lambda s: (s.stones, s.added),
    "territory": Territory(places=("stones",), score=str),
    "drawn": lambda s: 0,
    "superko": lambda s: (s.stones,),
    "race": lambda s: s.stones,
    "unstaked_game": "Pile without stakes",
    "unstaked": lambda s: State(s.stones, 0, s.clock, s.turn),
    "staked": lambda s, value, unit: value + s.added * unit,
    "race_sides": RaceSides(count=6, paired=2, position=lambda a, b: State(a, b, 0, 0)),
    "symmetries": (lambda s: State(s.stones, -s.added, s.clock, s.turn),),
    "clocks": ("clock",),
}


def other_weights(s: State, out: Any, weight: Any) -> int:
    out[0], weight[0] = 1, 4
    return 1


#: For each, a change that shows; and what the library makes of them.
OTHERWISE: dict[str, dict[str, Any]] = {
    "actions": {"actions": one_move},
    "result": {"result": lambda s, a: State(s.stones - a, s.added, s.clock, 1 - s.turn)},
    "utility": {"utility": lambda s: 0},
    "player": {"player": lambda s: s.turn},
    "is_terminal": {"is_terminal": lambda s: s.stones < 3},
    "evaluate": {"evaluate": lambda s: -s.stones},
    "noisy": {"noisy": lambda s, out: 0},
    "outcomes": {"outcomes": other_weights},
    "key": {"key": lambda s: 4 * s.stones},
    "order": {"order": lambda s, a: -a},
    "observe": {"observe": lambda s, p: (s.stones, p if p < 2 else 0)},
    "deal": {"deal": lambda s, p, seed: s},
    "seat": {"seat": lambda s: s.turn},
    "features": {"features": other_words},
    "null_move": {"null_move": lambda s: s},
    "extend": {"extend": lambda s: 0},
    "sufficient": {"sufficient": actions},
    "bounds": {"bounds": lambda s: (-1, 0)},
    "assured": {"assured": lambda s: (-1, 0)},
    "settled": {"settled": lambda s: (1, s.stones)},
    "gist": {"gist": lambda s: s.turn},
    "details": {"details": lambda s, mattered: (s.stones, mattered, 1)},
    "matter": {"matter": lambda s, bits: bits},
    "mattered_before": {"mattered_before": lambda s, a, mattered: a},
    "foreseen": {"foreseen": lambda s: (-1, 0, s.stones, 0)},
    "remaining": {"remaining": lambda s: 9},
    "playout": {"playout": lambda s, seed: 1},
    "reply": {"reply": lambda s, a, seed: contract.NO_REPLY},
    "owners": {"owners": lambda s: (s.added, s.added)},
    "drawn": {"drawn": lambda s: contract.CLAIMABLE},
    "superko": {"superko": lambda s: (s.added,)},
    "race": {"race": lambda s: -1},
    "unstaked": {"unstaked": lambda s: s},
    "staked": {"staked": lambda s, value, unit: value},
    "symmetric_key": {"key": lambda s: s.turn},
    "image": {"symmetries": (lambda s: State(s.stones, 1 - s.added, s.clock, s.turn),)},
    "timeless": {"clocks": ("clock", "added")},
}


class InPlaceOfCompiled:
    """The rules of another game, where the compiled ones are expected."""

    def __init__(self, game: Game[Any]) -> None:
        self._game = game

    def entry(self, template: Any) -> Any:
        return interpreted(template, self._game)

    def words(self, s: State) -> tuple[int, ...]:
        return tuple(s)

    def feature_rows(self, count: int) -> list[list[int]]:
        return [[0] * contract.MAX_FEATURE_WORDS for _ in range(count)]

    def rows(self, plies: int) -> list[list[int]]:
        return [[0] * self._game.facts.max_moves for _ in range(plies)]


def pile(**changes: Any) -> Game[State]:
    return Game("Pile", **(SUPPLIED | {"max_moves": 4} | changes))


def differences(hook: str, other: Game[State]) -> list[str]:
    game = pile()
    row = (HOOKS | DERIVED)[hook]
    ways = BothWays(game, InPlaceOfCompiled(other), [row])  # type: ignore[arg-type]
    found: list[str] = []
    for stones in range(6):
        s = State(stones, 1, 2, 1)
        found += ways.differences(Position(s, game.player(s), game.moves(s)))
    return found


def test_every_hook_is_asked_and_so_is_what_the_library_adds() -> None:
    asked = {row.name for row in questions(pile())} | {"evaluate"}
    assert asked == set(OTHERWISE)
    assert asked | {"initial"} == {*HOOKS, *DERIVED}


@pytest.mark.parametrize("hook", OTHERWISE)
def test_a_difference_is_noticed(hook: str) -> None:
    assert differences(hook, pile()) == []
    found = differences(hook, pile(**OTHERWISE[hook]))
    assert found
    assert all(" interpreted but " in sentence for sentence in found)
