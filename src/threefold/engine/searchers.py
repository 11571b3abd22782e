"""The search that suits a game.

It is alpha-beta, or tree search where no evaluation is good enough. Where players do not see
everything, it is one that looks at what the player to move knows and nothing else.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Protocol, TypeVar

from threefold.engine.analysis import DEFAULT_MEGABYTES, Engine
from threefold.engine.compile import Compiled
from threefold.engine.information_searcher import InformationSearcher
from threefold.engine.limits import Limits
from threefold.engine.policy_nets import policy_net_of
from threefold.engine.policy_search import PolicySearcher, to_compile
from threefold.engine.result import Result
from threefold.engine.running import Running
from threefold.engine.tree_searcher import TreeSearcher
from threefold.engine.worlds import Worlds
from threefold.rules.contract import Action
from threefold.rules.definition_checks import (
    ALPHA_BETA,
    INFORMATION_SETS,
    TREE_SEARCH,
    WORLDS,
)
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

    @property
    def simulations_a_node(self) -> int:
        """About how many simulations take as long as what it counts as a node."""

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
    return search_of(game) in (TREE_SEARCH, INFORMATION_SETS)


def search_of(game: Game[Any]) -> str:
    """The name of the search that suits a game as it is judged."""
    if not game.facts.perfect_information:
        return INFORMATION_SETS if game.opened is None else WORLDS
    return TREE_SEARCH if policy_net_of(game) is not None else game.search


def compiled_for(game: Game[S]) -> Compiled[S]:
    """The rules as the search that suits a game runs them."""
    if policy_net_of(game) is not None:
        return Compiled(to_compile(game))
    return Compiled(game.weighing() if search_of(game) == ALPHA_BETA else game)


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
    return SEARCHERS[search_of(game)](game, megabytes=megabytes, threads=threads, compiled=compiled)


#: What searches position after position, by the name of the search.
SEARCHERS: Final[Mapping[str, Callable[..., GameSearcher[Any]]]] = {
    ALPHA_BETA: Engine,
    TREE_SEARCH: tree_searcher,
    INFORMATION_SETS: InformationSearcher,
    WORLDS: Worlds,
}
