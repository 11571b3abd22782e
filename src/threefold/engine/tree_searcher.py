"""Playing a whole game by tree search, as an `Engine` does by alpha-beta."""

from collections.abc import Sequence
from typing import Any, Generic, Protocol, TypeVar

from threefold.engine.compile import Compiled
from threefold.engine.limits import Limits
from threefold.engine.mcts import DEFAULT_MEGABYTES, MonteCarlo
from threefold.engine.result import Result
from threefold.engine.running import Running
from threefold.errors import ThreefoldError
from threefold.rules.contract import Action
from threefold.rules.game import Game

S = TypeVar("S")


class Tree(Protocol):
    """What is grown from one position."""

    def start(self, limits: Limits, *, multipv: int = 1) -> Running[Result[Any]]:
        """Start growing it."""


class TreeSearcher(Generic[S]):
    """Searches position after position, with a new tree for each."""

    #: A limit of depth means nothing to it.
    deepens = False
    #: A node is a simulation.
    simulations_a_node = 1

    def __init__(
        self,
        game: Game[S],
        *,
        megabytes: int = DEFAULT_MEGABYTES,
        threads: int = 1,
        compiled: Compiled[S] | None = None,
        **options: Any,
    ) -> None:
        """`options` are those of `MonteCarlo`."""
        self.game = game
        options |= {"megabytes": megabytes, "threads": threads, "compiled": compiled}
        self._options = options

    def clear(self) -> None:
        """Nothing is kept from one position to the next."""

    def analyze(
        self, position: str | S | None = None, limits: Limits | None = None, **options: Any
    ) -> Result[S]:
        """Search a position and return the answer; Ctrl-C ends the search, not the program."""
        return self.start(position, limits, **options).result()

    def start(
        self,
        position: str | S | None = None,
        limits: Limits | None = None,
        *,
        multipv: int = 1,
        exact: bool = False,
        seed: int | None = None,
        history: Sequence[S] = (),
        moves: Sequence[Action] = (),
    ) -> Running[Result[S]]:
        """Start searching a position, with those options of `Engine.start` that make sense here."""
        if exact:
            raise ThreefoldError(f"{self.game.name}: tree search has no exact mode")
        tree = self._tree(self.game.position(position), seed or 0, history=history, moves=moves)
        return tree.start(limits or Limits(), multipv=multipv)

    def _tree(self, s: S, seed: int, **root: Any) -> Tree:
        """A tree for a position; `root` is what its root has to know."""
        return MonteCarlo(self.game, s, seed=seed, **root, **self._options)
