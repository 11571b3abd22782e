"""Playing a whole game by information-set tree search, as an `Engine` does by alpha-beta."""

from typing import Any, TypeVar

from threefold.engine.ismcts import InformationSearch, check_hides
from threefold.engine.tree_searcher import Tree, TreeSearcher
from threefold.rules.game import Game

S = TypeVar("S")


class InformationSearcher(TreeSearcher[S]):
    """Searches position after position, each as the player to move knows it."""

    def __init__(self, game: Game[S], **options: Any) -> None:
        """`options` are those of `InformationSearch`."""
        check_hides(game, "information-set tree search")
        super().__init__(game, **options)

    def _tree(self, s: S, seed: int, **root: Any) -> Tree:
        return InformationSearch(self.game, s, seed=seed, **root, **self._options)
