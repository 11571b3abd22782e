"""The rules of Nim with a die.

A turn has two plies: nature rolls, then the player takes 1, 2, … stones, at most as many as the die
shows. So nature moves whenever the die has not been rolled and stones are left.

A chance event is the face that shows; a move is how many stones are taken.
"""

from typing import NamedTuple

from threefold.games.dice_nim.features import features
from threefold.rules.contract import CHANCE, MAX, MIN, Row
from threefold.rules.records import RuleHooks


class State(NamedTuple):
    """The stones left, what the die shows (0 if not rolled yet), and whose turn it is."""

    stones: int
    die: int
    turn: int


def rules(stones: int, faces: int, loaded: bool) -> RuleHooks:
    """The hooks for a number of stones and a die."""

    def initial() -> State:
        return State(stones, 0, MAX)

    def player(s: State) -> int:
        return CHANCE if s.die == 0 and s.stones > 0 else s.turn

    def outcomes(_: State, out: Row, weight: Row) -> int:
        for face in range(1, faces + 1):
            out[face - 1] = face
            weight[face - 1] = faces + 1 - face if loaded else 1
        return faces

    def actions(s: State, out: Row) -> int:
        count = min(s.die, s.stones)
        for i in range(count):
            out[i] = i + 1
        return count

    def result(s: State, a: int) -> State:
        if s.die == 0:
            return State(s.stones, a, s.turn)
        return State(s.stones - a, 0, MIN if s.turn == MAX else MAX)

    def utility(s: State) -> int:
        """Nothing is left for the player to move, so the other one took the last stone."""
        return 1 if s.turn == MIN else -1

    return {
        "initial": initial,
        "actions": actions,
        "result": result,
        "utility": utility,
        "features": features(stones, faces),
        "player": player,
        "outcomes": outcomes,
        "max_moves": faces,
        "max_ply": 2 * stones,
        "move_range": faces + 1,
    }
