"""A small race, to make tables of: each side has stones, a die says how many it may take."""

from typing import Any, NamedTuple

from threefold import CHANCE, Game
from threefold.rules.race import RaceSides, race_number


class State(NamedTuple):
    """The stones of both sides in piles of two sizes, the die, and whose turn it is.

    A large pile of two can be split for a roll of 1; a roll of 2 takes a large one, or two small
    ones; 3 takes anything up to three stones. So there are choices.
    """

    max_small: int
    max_large: int
    min_small: int
    min_large: int
    die: int
    turn: int


LARGEST = 4  # piles of each size


def race_game(double: bool = False, **changes: Any) -> Game[State]:
    """The game; with `double`, a win is worth 2 if the loser has four large piles."""

    def player(s: State) -> int:
        done = s.max_small + s.max_large == 0 or s.min_small + s.min_large == 0
        return CHANCE if s.die == 0 and not done else s.turn

    def outcomes(_: State, out: Any, weight: Any) -> int:
        out[0], weight[0] = 1, 3
        out[1], weight[1] = 2, 2
        out[2], weight[2] = 3, 1
        return 3

    def actions(s: State, out: Any) -> int:
        if s.die == 0:
            return 0
        small, large = (s.max_small, s.max_large) if s.turn == 0 else (s.min_small, s.min_large)
        n = 0
        if small > 0:
            out[n] = 1  # take a small pile, two with a die of 2 or more
            n += 1
        if large > 0 and s.die >= 2:
            out[n] = 2  # take a large pile
            n += 1
        if large > 0 and small < 4:
            out[n] = 3  # split a large pile: one stone is gone, one is left
            n += 1
        if n == 0:
            out[0] = 4  # with four small piles and large ones this does not occur
            n = 1
        return n

    def result(s: State, a: int) -> State:
        if s.die == 0:
            return State(s.max_small, s.max_large, s.min_small, s.min_large, a, s.turn)
        small, large = (s.max_small, s.max_large) if s.turn == 0 else (s.min_small, s.min_large)
        if a == 1:
            small -= min(small, s.die)
        elif a == 2:
            large -= 1
        elif a == 3:
            large -= 1
            small += 1
        if s.turn == 0:
            return State(small, large, s.min_small, s.min_large, 0, 1)
        return State(s.max_small, s.max_large, small, large, 0, 0)

    def utility(s: State) -> int:
        if s.max_small + s.max_large == 0:
            return 2 if double and s.min_large == 4 else 1
        return -2 if double and s.max_large == 4 else -1

    def race(s: State) -> int:
        if s.die != 0:
            return -1
        return race_number(s.turn, 5 * s.max_large + s.max_small, 5 * s.min_large + s.min_small)

    def position(of_max: int, of_min: int) -> State:
        return State(of_max % 5, of_max // 5, of_min % 5, of_min // 5, 0, 0)

    hooks: dict[str, Any] = {
        "initial": lambda: State(4, 4, 4, 4, 0, 0),
        "player": player,
        "outcomes": outcomes,
        "actions": actions,
        "result": result,
        "utility": utility,
        "race": race,
        "race_sides": RaceSides(count=25, paired=25, position=position),
        "max_moves": 4,
    }
    return Game("Pile Race", **(hooks | changes))


pile_race = race_game()
