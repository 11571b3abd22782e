"""The players that search with our own engine, each in its own way."""

import random
from abc import abstractmethod
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, TypeVar

from threefold.arena.lines import BadPlayer, PlayerLine
from threefold.arena.player_options import (
    as_whole,
    check_options,
    check_words,
    number,
    truth,
    whole,
)
from threefold.engine.selectivity import SELECTIVE, selectivity
from threefold.protocols.player import Budget, Player, Reply, Turn
from threefold.rules.contract import CHANCE
from threefold.rules.definition_checks import INFORMATION_SETS, WORLDS
from threefold.rules.game import Game
from threefold.rules.terms import parse_weights

if TYPE_CHECKING:
    from threefold.engine.analysis import Engine
    from threefold.engine.limits import Limits
    from threefold.engine.result import Result
    from threefold.engine.running import Running
    from threefold.engine.searchers import GameSearcher

Tried = TypeVar("Tried", bound="GameSearcher[Any]")

#: How many positions are looked at to find one in which a search compiles all that it needs.
_LOOKED_AT: Final = 1000


class Searcher(Player[Any]):
    """A player that searches with our engine, and is timed by its own budget."""

    def choose(self, turn: Turn[Any]) -> Reply:
        """The only legal move at once; else what the search finds."""
        moves = self.game.moves(turn.position, turn.history)
        if len(moves) == 1:
            return Reply(moves[0])
        running = self._start(turn, self._limits())
        found = self._found(turn, running)
        assert found.best is not None
        return Reply(found.best, found.value, found.win_in, found.depth, found.nodes)

    @abstractmethod
    def _start(self, turn: Turn[Any], limits: "Limits") -> "Running[Result[Any]]":
        """Start searching the position within limits."""

    def _limits(self) -> "Limits":
        from threefold.engine.limits import Limits

        return Limits(time=self.budget.time, nodes=self.budget.nodes, depth=self.budget.depth)

    def _found(self, turn: Turn[Any], running: "Running[Result[Any]]") -> "Result[Any]":
        """What the search finds within its limits, or at the pace that its clock allows."""
        if turn.clocks is None or self.budget.base is None:
            return running.result()
        from threefold.engine.pacing import pace, think

        left = turn.clocks[self.game.player(turn.position)]
        return think(running, pace(left, self.budget.increment, turn.moves_to_go))


class AlphaBeta(Searcher):
    """Our alpha-beta search, with its own evaluation, weights, table and selective search."""

    def __init__(self, line: PlayerLine, game: Game[Any], budget: Budget) -> None:
        check_words(line, 0)
        options = dict(line.options)
        self._threads = whole(line, options.pop("threads", "1"))
        self._megabytes = whole(line, options.pop("memory", "16"))
        evaluation, database = options.pop("eval", None), options.pop("database", None)
        selective = {name: options.pop(name) for name in line.options if name in SELECTIVE}
        terms = [name for each in game.terms.values() for name in each]
        check_options(
            line, ("database", "eval", "memory", "threads", *SELECTIVE, *dict.fromkeys(terms))
        )
        weights = ",".join(f"{name}={value}" for name, value in options.items())
        used = game.using(evaluation, weights=parse_weights(weights) if weights else None)
        game.require("alpha-beta", zero_sum=True, perfect_information=True)
        super().__init__(with_database(used, database), budget)
        self._selective = {name: as_whole(value) for name, value in selective.items()}
        selectivity(used, self._selective)
        self._engine: Engine[Any] | None = None

    @property
    def about(self) -> dict[str, object]:
        """Its evaluation."""
        return {"evaluation": self.game.evaluation}

    def prepare(self) -> None:
        """Compile."""
        from threefold.engine.analysis import Engine

        self._engine = tried(
            Engine(
                self.game,
                megabytes=self._megabytes,
                threads=self._threads,
                selectivity=self._selective,
            )
        )

    def begin(self, start: Any, seed: int) -> None:  # noqa: ARG002
        """Forget the last game."""
        assert self._engine is not None
        self._engine.clear()

    def _start(self, turn: Turn[Any], limits: "Limits") -> "Running[Result[Any]]":
        assert self._engine is not None
        return self._engine.start(turn.position, limits, seed=turn.seed, history=turn.history)


class Mcts(Searcher):
    """Our Monte Carlo tree search, with a new tree for every move."""

    def __init__(self, line: PlayerLine, game: Game[Any], budget: Budget) -> None:
        check_words(line, 0)
        check_options(
            line,
            (
                *("database", "eval", "exploration", "memory", "playouts_on", "random_playouts"),
                *("rave", "threads"),
            ),
        )
        game = game.using(line.options.get("eval"))
        if "eval" in line.options:
            from threefold.engine.policy_nets import policy_net_of

            if policy_net_of(game) is None:
                raise BadPlayer(
                    f"player {line}: eval is for nets that propose moves, which "
                    "train --method alphazero makes; mcts plays games out instead"
                )
        game.require("Monte Carlo tree search", zero_sum=True, perfect_information=True)
        if budget.time is None and budget.base is None and budget.nodes is None:
            raise BadPlayer(f"player {line} needs time=SECONDS or simulations=N: it has no depth")
        super().__init__(with_database(game, line.options.get("database")), budget)
        self._options: dict[str, Any] = {"megabytes": whole(line, line.options.get("memory", "64"))}
        if "rave" in line.options:
            self._options["rave"] = whole(line, line.options["rave"], least=0)
        if "threads" in line.options:
            self._options["threads"] = whole(line, line.options["threads"])
        if "random_playouts" in line.options:
            self._options["random_playouts"] = truth(line, line.options["random_playouts"])
        if "exploration" in line.options:
            self._options["exploration"] = number(line, line.options["exploration"])
        self._place = line.options.get("playouts_on", "cpu")
        if self._place not in ("cpu", "gpu"):
            raise BadPlayer(f"player {line}: playouts_on is cpu or gpu")

    def prepare(self) -> None:
        """Compile."""
        from threefold.engine.searchers import tree_searcher
        from threefold.gpu.places import place_of

        self._options["playouts_on"] = place_of(self._place)
        self._trees = tried(tree_searcher(self.game, **self._options))

    def _start(self, turn: Turn[Any], limits: "Limits") -> "Running[Result[Any]]":
        return self._trees.start(turn.position, limits, seed=turn.seed, history=turn.history)


def with_database(game: Game[Any], folder: str | None) -> Game[Any]:
    """The game with a database of end-games, if a player's line names one."""
    return game if folder is None else game.with_database(folder)


class _Hidden(Searcher):
    """A search that looks at what the player to move knows, where others hide something."""

    #: The search, and what it counts.
    search: str
    counts: str

    @property
    @abstractmethod
    def known(self) -> Mapping[str, Callable[[PlayerLine, str], object]]:
        """What it can be told, by name, and what reads it."""

    def __init__(self, line: PlayerLine, game: Game[Any], budget: Budget) -> None:
        check_words(line, 0)
        check_options(line, ("eval", *self.known))
        if budget.time is None and budget.base is None and budget.nodes is None:
            raise BadPlayer(f"player {line} needs time=SECONDS or {self.counts}=N: it has no depth")
        super().__init__(game.using(line.options.get("eval")), replace(budget, depth=None))
        own = {name: text for name, text in line.options.items() if name != "eval"}
        self._options = {name: self.known[name](line, text) for name, text in own.items()}
        if "memory" in self._options:
            self._options["megabytes"] = self._options.pop("memory")

    def prepare(self) -> None:
        """Compile."""
        from threefold.engine.searchers import SEARCHERS

        self._engine = tried(SEARCHERS[self.search](self.game, **self._options))

    def _start(self, turn: Turn[Any], limits: "Limits") -> "Running[Result[Any]]":
        return self._engine.start(turn.position, limits, seed=turn.seed, history=turn.history)


class InformationSets(_Hidden):
    """Our information-set tree search, with new sets for every move."""

    search, counts = INFORMATION_SETS, "simulations"

    @property
    def known(self) -> Mapping[str, Callable[[PlayerLine, str], object]]:
        """What it can be told."""
        return {"exploration": number, "memory": whole, "threads": whole}


class SampledDeals(_Hidden):
    """Choosing by sampled deals, each judged as if nothing were hidden."""

    search, counts = WORLDS, "deals"

    @property
    def known(self) -> Mapping[str, Callable[[PlayerLine, str], object]]:
        """What it can be told."""
        return {"memory": whole, "nodes_a_deal": whole, "threads": whole}


class Rollouts(Searcher):
    """Rollouts of the moves that seem best, in games of chance."""

    def __init__(self, line: PlayerLine, game: Game[Any], budget: Budget) -> None:
        from threefold.engine.rollouts import check_game

        check_words(line, 0)
        check_options(line, ("eval", "filter", "filter_margin", "games", "threads", "truncate"))
        game = game.using(line.options.get("eval"))
        check_game(game)
        given = line.options
        limited = budget.time is not None or budget.base is not None or budget.nodes is not None
        if "games" not in given and not limited:
            raise BadPlayer(f"player {line} needs games=N or time=SECONDS")
        super().__init__(game, replace(budget, depth=None))
        self._options: dict[str, Any] = {"threads": whole(line, given.get("threads", "1"))}
        for name in ("games", "truncate"):
            if name in given:
                self._options[name] = whole(line, given[name])
        selective = {name: as_whole(value) for name, value in given.items() if name in SELECTIVE}
        selectivity(game, selective)
        self._options["selective"] = selective

    @property
    def about(self) -> dict[str, object]:
        """Its evaluation."""
        return {"evaluation": self.game.evaluation}

    def prepare(self) -> None:
        """Compile."""
        from threefold.engine.limits import Limits

        self._roll(undecided(self.game), Limits(nodes=1), 0).result()

    def _start(self, turn: Turn[Any], limits: "Limits") -> "Running[Result[Any]]":
        return self._roll(turn.position, limits, turn.seed)

    def _roll(self, s: Any, limits: "Limits", seed: int) -> "Running[Result[Any]]":
        from threefold.engine.methods import start

        return start(self.game, s, limits, method="rollout", seed=seed, **self._options)


def tried(engine: "Tried") -> "Tried":
    """An engine after a first look at a position, so that it has compiled."""
    from threefold.engine.limits import Limits

    limits = Limits(depth=1) if engine.deepens else Limits(nodes=1)
    engine.analyze(undecided(engine.game), limits)
    return engine


def undecided(game: Game[Any]) -> Any:
    """A position near the start in which a player has a choice to make, if there is one."""
    waiting = deque([game.initial()])
    for _ in range(_LOOKED_AT):
        s = waiting.popleft()
        moves = game.moves(s)
        if len(moves) > 1 and game.player(s) != CHANCE:
            return s
        waiting.extend(game.result(s, a) for a in moves)
        if not waiting:
            return game.initial()
    rng = random.Random(0)  # nature makes many moves first: any of them will do
    s = game.initial()
    while (moves := game.moves(s)) and (len(moves) == 1 or game.player(s) == CHANCE):
        s = game.result(s, rng.choice(moves))
    return s
