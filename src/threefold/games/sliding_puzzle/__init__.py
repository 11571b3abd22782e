"""The sliding puzzle: the 8-puzzle and the 15-puzzle, for one agent.

It is not in the catalogue: every game there can be played, analyzed and solved as a game of two
players, and here MIN never moves. `threefold explain ida-star --puzzle` reaches it by itself.
"""

from threefold.errors import BadGame
from threefold.games.sliding_puzzle.evaluation import moves_left
from threefold.games.sliding_puzzle.notation import notation
from threefold.games.sliding_puzzle.rules import FARTHEST, State, rules
from threefold.rules.game import Game


def sliding_puzzle(size: int = 4) -> Game[State]:
    """Slide tiles into the gap until they are in order.

    `threefold.solve.ida_star` finds its shortest solutions.
    """
    if size not in FARTHEST:
        raise BadGame(f"sliding puzzle: size={size} must be 3 (8 tiles) or 4 (15 tiles)")
    return Game(
        f"Sliding puzzle of {size * size - 1}",
        **rules(size),
        **notation(size),
        evaluate=moves_left,
        finite=False,
    )
