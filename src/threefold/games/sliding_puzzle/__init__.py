"""The sliding puzzle: the 8-puzzle and the 15-puzzle, for one agent."""

from threefold.errors import BadGame
from threefold.games.sliding_puzzle.evaluation import moves_left
from threefold.games.sliding_puzzle.notation import notation
from threefold.games.sliding_puzzle.rules import FARTHEST, State, rules
from threefold.rules.game import Game


def sliding_puzzle(size: int = 4) -> Game[State]:
    """Slide tiles into the gap until they are in order.

    It has one player, so it is not among the two-player games that commands list; `threefold.solve`
    finds its shortest solutions.
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
