"""Tree search with a net that proposes moves: the driver of `threefold.engine.puct`.

A `PolicyTree` is searched like a `MonteCarlo`: the same limits, answers, and handle to watch it and
stop it. A `PolicySearcher` plays a whole game with such trees, in place of an `Engine`.
"""

from collections.abc import Callable, Sequence
from dataclasses import astuple, replace
from types import FunctionType
from typing import Any, Final, TypeVar

import numpy as np

from threefold.engine.compile import Compiled
from threefold.engine.limits import MAX_THREADS, check_whole
from threefold.engine.mcts import ON_CPU, Growing, MonteCarlo
from threefold.engine.policy_nets import PolicyNet, policy_net_of
from threefold.engine.policy_values import PolicyValues, SharedValues
from threefold.engine.puct import KNOWN, Node, Search, gather, scatter
from threefold.engine.records import allocate, boxed, interpreted_record, layout
from threefold.engine.result import Result
from threefold.engine.tree_searcher import TreeSearcher
from threefold.engine.uct import ROOT
from threefold.errors import ThreefoldError, argument
from threefold.rules.contract import Action
from threefold.rules.game import Game
from threefold.rules.rebind import interpreted

S = TypeVar("S")

DEFAULT_MEGABYTES: Final = 256
#: How much the net's priors count.
EXPLORATION: Final = 1.6
#: The most leaves that are judged together, and how many simulations there are for each of them:
#: in a small tree, too many leaves at once would be too much alike.
_MOST_LEAVES: Final = 16
_TREE_PER_LEAF: Final = 8
#: As many as a 32-bit index can address, and as many as are enough for plain Python.
_MAX_NODES: Final = (1 << 31) - 1
_INTERPRETED_NODES: Final = 1 << 16

#: The hooks that such a search calls, and so the only ones that decide what is compiled.
HOOKS: Final = frozenset(
    (
        *("initial", "actions", "result", "utility", "player", "is_terminal", "drawn"),
        *("features", "sufficient", "bounds", "key", "superko"),
    )
)
#: Given rows of words: the logits of all moves, and the values to the players to move.
Judge = Callable[[Any], tuple[Any, Any]]


def check_searchable(game: Game[Any]) -> None:
    """Raise unless a net that proposes moves can play a game."""
    game.require("a net that proposes moves", zero_sum=True, perfect_information=True)
    if not game.facts.deterministic:
        raise ThreefoldError(
            f"{game.name}: a net that proposes moves is for games without chance; "
            "train --method td makes one for games with dice"
        )


class PolicyTree(MonteCarlo[S]):
    """A tree that a net grows from one position."""

    def __init__(
        self,
        game: Game[S],
        s: S,
        *,
        megabytes: int = DEFAULT_MEGABYTES,
        threads: int = 1,
        exploration: float | None = None,
        history: Sequence[S] = (),
        moves: Sequence[Action] = (),
        compiled: Compiled[S] | None = None,
        judge: Judge | None = None,
    ) -> None:
        """`judge` takes the place of the net's own arithmetic; `compiled` is of `to_compile`.

        There is one tree: several `threads` judge its leaves, and the answer is the same.
        """
        check_searchable(game)
        net = policy_net_of(game)
        assert net is not None
        super().__init__(
            game,
            s,
            megabytes=megabytes,
            exploration=EXPLORATION if exploration is None else exploration,
            rave=0,
            history=history,
            moves=moves,
            compiled=compiled,
        )
        self._net: PolicyNet[S] = net
        check_whole("threads", threads, 1, MAX_THREADS)
        values = PolicyValues(net) if threads == 1 else SharedValues(net, threads)
        self._judge: Judge = judge or values

    def result(self, multipv: int = 1) -> Result[S]:
        """The answer so far.

        What the tree proves is who wins. A draw is exact then; a win is if no game can be worth
        more than 1.
        """
        found = super().result(multipv)
        if self.over or _is_decided_by_winning(self.game, self.position):
            return found
        lines = tuple(replace(line, exact=line.exact and line.value == 0) for line in found.lines)
        return replace(found, lines=lines, exact=found.exact and found.value == 0)

    def _first_guess(self) -> tuple[Action, float]:
        tree: Any = self.tree
        if len(tree) == 0 or tree[ROOT].stage != KNOWN:
            return super()._first_guess()
        first = int(tree[ROOT].first)
        children = range(first, first + int(tree[ROOT].children))
        likeliest = max(children, key=lambda child: float(tree[child].prior))
        return int(tree[likeliest].move), float(tree[ROOT].value)

    # How it runs.

    def _capacity(self) -> int:
        nodes = (self.megabytes << 20) // layout(Node).itemsize
        return int(max(min(nodes, _MAX_NODES), 1 + self.game.facts.max_moves))

    def _prepared(self, number: int) -> Growing:  # noqa: ARG002  there is one tree
        compiled = self._compiled or Compiled(to_compile(self.game))
        nodes: Any = np.zeros(self._capacity(), layout(Node))
        nodes[ROOT] = astuple(Node())
        tree, search = nodes.view(np.recarray), self._begun(allocate)
        rows, leaves = self._room()
        gathering, scattering = compiled.entry(gather), compiled.entry(scatter)
        words, box = compiled.words(self.position), boxed(search)
        gathering.prepare(words, rows, leaves, tree, box)
        scattering.prepare(1, leaves, *self._judge(rows[:1]), tree, box)
        return self._growing(gathering, scattering, words, tree, box, search)

    def _prepared_interpreted(self, number: int) -> Growing:  # noqa: ARG002
        """The same in plain Python."""
        assert isinstance(gather, FunctionType)
        assert isinstance(scatter, FunctionType)
        tree = [Node() for _ in range(min(self._capacity(), _INTERPRETED_NODES))]
        search, game = self._begun(interpreted_record), to_compile(self.game)
        gathering, scattering = interpreted(gather, game), interpreted(scatter, game)
        return self._growing(gathering, scattering, self.position, tree, [search], search)

    def _begun(self, make: Callable[..., Any]) -> Any:
        """The rest of a search, which begins with the moves of the root."""
        search = make(Search, self.game.facts.max_moves)
        _, search.exploration, _ = self._options
        search.max_plies = self.game.facts.max_ply
        search.root_moves = len(self.moves)
        for i, a in enumerate(self.moves):
            search.moves[i] = a
        return search

    def _room(self) -> tuple[Any, Any]:
        """Room for what the net sees of leaves, and for which leaves they are."""
        rows = np.zeros((_MOST_LEAVES, self._net.shape.words), np.int64)
        return rows, np.zeros(_MOST_LEAVES, np.int64)

    def _growing(
        self,
        gathering: Callable[..., Any],
        scattering: Callable[..., Any],
        words: Any,
        tree: Any,
        box: Any,
        search: Any,
    ) -> Growing:
        """A tree that grows by asking the net about a few leaves at a time."""
        rows, leaves = self._room()

        def grow() -> None:
            while True:
                some = min(max(int(search.nodes) // _TREE_PER_LEAF, 1), _MOST_LEAVES)
                count = int(gathering(words, rows[:some], leaves, tree, box))
                if count == 0:
                    return
                scattering(count, leaves, *self._judge(rows[:count]), tree, box)

        return Growing(tree, search, grow)


def to_compile(game: Game[S]) -> Game[S]:
    """The game to compile for a search with a net that proposes moves."""
    return game.reduced_to(HOOKS)


def _is_decided_by_winning(game: Game[S], s: S) -> bool:
    """Whether no play from here is worth more than 1, or less than -1, as far as is known."""
    low, high = game.bounds(s)
    return low >= -1 and high <= 1


class PolicySearcher(TreeSearcher[S]):
    """Searches position after position with a net that proposes moves."""

    def __init__(
        self,
        game: Game[S],
        *,
        megabytes: int = DEFAULT_MEGABYTES,
        threads: int = 1,
        exploration: float | None = None,
        compiled: Compiled[S] | None = None,
        **others: Any,
    ) -> None:
        """Pass `compiled`, of `to_compile`, if the rules are known not to have changed.

        Other options of `MonteCarlo` are refused: no games are played out.
        """
        check_searchable(game)
        for name, value in others.items():
            if value is not None and value is not ON_CPU:
                raise ThreefoldError(
                    f"{game.evaluation} proposes moves, so that {argument(name)} means nothing: "
                    "no games are played out"
                )
        super().__init__(game)
        self._options = {
            "megabytes": megabytes,
            "threads": threads,
            "exploration": exploration,
            "compiled": compiled or Compiled(to_compile(game)),
        }

    def _tree(self, s: S, seed: int, **root: Any) -> PolicyTree[S]:  # noqa: ARG002  none is random
        return PolicyTree(self.game, s, **root, **self._options)
