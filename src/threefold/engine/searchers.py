"""The search that suits a game: alpha-beta, or tree search where no evaluation is good enough."""

from collections.abc import Sequence
from typing import Any, Final, Protocol, TypeVar

from threefold.engine.analysis import DEFAULT_MEGABYTES, Engine
from threefold.engine.compile import Compiled
from threefold.engine.limits import Limits
from threefold.engine.policy_nets import policy_net_of
from threefold.engine.policy_search import PolicySearcher, to_compile
from threefold.engine.result import Result
from threefold.engine.running import Running
from threefold.engine.tree_searcher import TreeSearcher
from threefold.rules.contract import Action
from threefold.rules.definition_checks import TREE_SEARCH
from threefold.rules.game import Game

S = TypeVar("S")

#: A tree has values of all moves, and is read for so many.
_LINES_OF_A_TREE: Final = 8


class GameSearcher(Protocol[S]):
    """What searches position after position of a game: an `Engine`, or one that grows trees."""

    game: Game[S]

    @property
    def deepens(self) -> bool:
        """Whether it searches ever deeper, so that a limit of depth means something."""

    def clear(self) -> None:
        """Forget all that was found."""

    def analyze(
        self, position: str | S | None = None, limits: Limits | None = None, **options: Any
    ) -> Result[S]:
        """Search a position and return the answer."""

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
        """Start searching a position."""


def free_lines(engine: GameSearcher[Any]) -> int:
    """How many lines a search can give in the time that it takes for one."""
    return 1 if engine.deepens else _LINES_OF_A_TREE


def is_for_trees(game: Game[Any]) -> bool:
    """Whether tree search suits a game as it is judged."""
    return game.search == TREE_SEARCH or policy_net_of(game) is not None


def compiled_for(game: Game[S]) -> Compiled[S]:
    """The rules as the search that suits a game runs them."""
    if policy_net_of(game) is not None:
        return Compiled(to_compile(game))
    return Compiled(game if is_for_trees(game) else game.weighing())


def tree_searcher(game: Game[S], **options: Any) -> GameSearcher[S]:
    """Tree search: by a net that proposes moves if one judges the game, else by playing it out.

    The options are those of `PolicySearcher` or `TreeSearcher`.
    """
    if policy_net_of(game) is not None:
        return PolicySearcher(game, **options)
    return TreeSearcher(game, **options)


def searcher(
    game: Game[S],
    *,
    megabytes: int = DEFAULT_MEGABYTES,
    threads: int = 1,
    compiled: Compiled[S] | None = None,
) -> GameSearcher[S]:
    """The search that suits a game.

    Pass `compiled`, from `compiled_for`, if the rules are known not to have changed.
    """
    kind = tree_searcher if is_for_trees(game) else Engine
    return kind(game, megabytes=megabytes, threads=threads, compiled=compiled)
