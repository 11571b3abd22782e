"""The players that a line can name, and how each is made.

Making a player checks its line and costs little: nothing is compiled or started before `prepare`.
"""

import importlib
import inspect
import operator
import random
import traceback
from abc import abstractmethod
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from threefold.arena.line_options import (
    EXAMPLES,
    as_whole,
    check_options,
    check_words,
    read_number,
    read_truth,
    read_whole,
)
from threefold.arena.lines import COMMANDS, LIMITS, BadPlayer, PlayerLine
from threefold.arena.strategies import Regrets
from threefold.engine.selectivity import SELECTIVE, selectivity
from threefold.engine.worker import Worker
from threefold.errors import NotCompilable, ThreefoldError
from threefold.protocols.player import Budget, Player, PlayerFailed, Reply, Turn
from threefold.rules.contract import CHANCE
from threefold.rules.definition_checks import INFORMATION_SETS, WORLDS
from threefold.rules.game import Game
from threefold.rules.terms import parse_weights
from threefold.rules.text import did_you_mean, shorten

if TYPE_CHECKING:
    from threefold.engine.analysis import Engine
    from threefold.engine.limits import Limits
    from threefold.engine.result import Result
    from threefold.engine.running import Running
    from threefold.engine.searchers import GameSearcher

Tried = TypeVar("Tried", bound="GameSearcher[Any]")

#: Seconds over its time after which a function hangs; and those for one that has no limit.
_GRACE: Final = 10.0
_ENDLESS: Final = 600.0
#: How many positions are looked at to find one in which a search compiles all that it needs.
_LOOKED_AT: Final = 1000


def make(line: PlayerLine, game: Game[Any], default: Budget) -> Player[Any]:
    """The player that a line names, with a default for what it may spend on a move."""
    if line.kind not in KINDS:
        hint = did_you_mean(line.kind, KINDS)
        raise BadPlayer(f"there is no player {shorten(line.kind)}: {hint}")
    _check_limits(line)
    rest, budget = line.budget(default)
    return KINDS[line.kind](rest, game, budget)


class Random(Player[Any]):
    """Any legal move, all equally likely."""

    def __init__(self, line: PlayerLine, game: Game[Any], _: Budget) -> None:
        check_words(line, 0)
        check_options(line, ())
        super().__init__(game, Budget())

    def choose(self, turn: Turn[Any]) -> Reply:
        """A move at random."""
        return Reply(random.Random(turn.seed).choice(self.game.moves(turn.position, turn.history)))


class _Searcher(Player[Any]):
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


class AlphaBeta(_Searcher):
    """Our alpha-beta search, with its own evaluation, weights, table and selective search."""

    def __init__(self, line: PlayerLine, game: Game[Any], budget: Budget) -> None:
        check_words(line, 0)
        options = dict(line.options)
        self._threads = read_whole(line, options.pop("threads", "1"))
        self._megabytes = read_whole(line, options.pop("memory", "16"))
        evaluation, database = options.pop("eval", None), options.pop("database", None)
        selective = {name: options.pop(name) for name in line.options if name in SELECTIVE}
        terms = [name for each in game.terms.values() for name in each]
        check_options(
            line, ("database", "eval", "memory", "threads", *SELECTIVE, *dict.fromkeys(terms))
        )
        weights = ",".join(f"{name}={value}" for name, value in options.items())
        used = game.using(evaluation, weights=parse_weights(weights) if weights else None)
        game.require("alpha-beta", zero_sum=True, perfect_information=True)
        super().__init__(_with_database(used, database), budget)
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

        self._engine = _tried(
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


class Mcts(_Searcher):
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
        super().__init__(_with_database(game, line.options.get("database")), budget)
        self._options: dict[str, Any] = {
            "megabytes": read_whole(line, line.options.get("memory", "64"))
        }
        if "rave" in line.options:
            self._options["rave"] = read_whole(line, line.options["rave"], least=0)
        if "threads" in line.options:
            self._options["threads"] = read_whole(line, line.options["threads"])
        if "random_playouts" in line.options:
            self._options["random_playouts"] = read_truth(line, line.options["random_playouts"])
        if "exploration" in line.options:
            self._options["exploration"] = read_number(line, line.options["exploration"])
        self._place = line.options.get("playouts_on", "cpu")
        if self._place not in ("cpu", "gpu"):
            raise BadPlayer(f"player {line}: playouts_on is cpu or gpu")

    def prepare(self) -> None:
        """Compile."""
        from threefold.engine.searchers import tree_searcher
        from threefold.gpu.places import place_of

        self._options["playouts_on"] = place_of(self._place)
        self._trees = _tried(tree_searcher(self.game, **self._options))

    def _start(self, turn: Turn[Any], limits: "Limits") -> "Running[Result[Any]]":
        return self._trees.start(turn.position, limits, seed=turn.seed, history=turn.history)


def _with_database(game: Game[Any], folder: str | None) -> Game[Any]:
    """The game with a database of end-games, if a player's line names one."""
    return game if folder is None else game.with_database(folder)


class _Hidden(_Searcher):
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

        self._engine = _tried(SEARCHERS[self.search](self.game, **self._options))

    def _start(self, turn: Turn[Any], limits: "Limits") -> "Running[Result[Any]]":
        return self._engine.start(turn.position, limits, seed=turn.seed, history=turn.history)


class InformationSets(_Hidden):
    """Our information-set tree search, with new sets for every move."""

    search, counts = INFORMATION_SETS, "simulations"

    @property
    def known(self) -> Mapping[str, Callable[[PlayerLine, str], object]]:
        """What it can be told."""
        return {"exploration": read_number, "memory": read_whole, "threads": read_whole}


class SampledDeals(_Hidden):
    """Choosing by sampled deals, each judged as if nothing were hidden."""

    search, counts = WORLDS, "deals"

    @property
    def known(self) -> Mapping[str, Callable[[PlayerLine, str], object]]:
        """What it can be told."""
        return {"memory": read_whole, "nodes_a_deal": read_whole, "threads": read_whole}


class Rollouts(_Searcher):
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
        self._options: dict[str, Any] = {"threads": read_whole(line, given.get("threads", "1"))}
        for name in ("games", "truncate"):
            if name in given:
                self._options[name] = read_whole(line, given[name])
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

        self._roll(_undecided(self.game), Limits(nodes=1), 0).result()

    def _start(self, turn: Turn[Any], limits: "Limits") -> "Running[Result[Any]]":
        return self._roll(turn.position, limits, turn.seed)

    def _roll(self, s: Any, limits: "Limits", seed: int) -> "Running[Result[Any]]":
        from threefold.engine.methods import start

        return start(self.game, s, limits, method="rollout", seed=seed, **self._options)


class AtLevel(Player[Any]):
    """One of the opponents of `threefold play`."""

    def __init__(self, line: PlayerLine, game: Game[Any], _: Budget) -> None:
        check_words(line, 1)
        check_options(line, ("database", "eval"))
        used = game.using(line.options.get("eval"))
        super().__init__(_with_database(used, line.options.get("database")), Budget())
        self._name = line.words[0]
        self._opponent: Any = None
        self._engine: GameSearcher[Any] | None = None

    def prepare(self) -> None:
        """Compile."""
        from threefold.engine.levels import level
        from threefold.engine.searchers import searcher

        self._level = level(self._name)
        with suppress(NotCompilable):  # it then looks ahead without compiling
            self._engine = _tried(searcher(self._level.view(self.game), megabytes=16))

    def begin(self, start: Any, seed: int) -> None:  # noqa: ARG002
        """Forget the last game."""
        from threefold.engine.levels import Opponent

        if self._engine is not None:
            self._engine.clear()
        self._opponent = Opponent(self.game, self._level, seed=seed, engine=self._engine)

    def choose(self, turn: Turn[Any]) -> Reply:
        """What the opponent plays."""
        return Reply(self._opponent.choose(turn.position, turn.history))


class Textbook(Player[Any]):
    """A textbook procedure, interpreted, with all its steps recorded and thrown away."""

    def __init__(self, line: PlayerLine, game: Game[Any], budget: Budget) -> None:
        from threefold.textbook.explain import OTHER_QUESTIONS, PROCEDURES

        check_words(line, 1)
        (self._procedure,) = line.words
        known = [name for name in PROCEDURES if name not in OTHER_QUESTIONS]
        if self._procedure not in known:
            hint = did_you_mean(self._procedure, known)
            raise BadPlayer(f"player {line}: no such textbook procedure; {hint}")
        check_options(line, ("eval",))
        if budget.depth is None:
            raise BadPlayer(f"player {line} needs depth=N, the plies to look ahead")
        super().__init__(game.using(line.options.get("eval")), Budget(depth=budget.depth))

    def choose(self, turn: Turn[Any]) -> Reply:
        """The first move of the path that the procedure finds.

        Procedures know nothing of the positions before: if superko forbids the move, another one
        is chosen at random.
        """
        depth = self.budget.depth
        found = self.game.explain(self._procedure, turn.position, depth=depth)
        move = self.game.parse_move(turn.position, found.path[0])
        legal = self.game.moves(turn.position, turn.history)
        if move not in legal:
            move = random.Random(turn.seed).choice(legal)
        return Reply(move, depth=depth or 0, nodes=len(found.visited))


class InPython(Player[Any]):
    """A function of the user's: given the game and the position, it returns a move or its text.

    One with a third parameter is given the moves so far as well.
    """

    def __init__(self, line: PlayerLine, game: Game[Any], budget: Budget) -> None:
        check_words(line, 1)
        check_options(line, ())
        super().__init__(game, budget)
        self._name = line.words[0]
        self._function: Callable[..., object] | None = None

    def prepare(self) -> None:
        """Load it."""
        self._function = load_function(self._name)
        self._wants_moves = _parameters(self._function) > 2

    def choose(self, turn: Turn[Any]) -> Reply:
        """What the function says; whatever it raises is its failure."""
        assert self._function is not None
        more = [list(turn.moves)] if self._wants_moves else []
        asked = Worker(partial(self._function, self.game, turn.position, *more))
        self.is_stuck = asked.is_busy(self._patience(turn))
        if self.is_stuck:
            raise PlayerFailed("hang", f"{self._name} does not answer")
        try:
            said = asked.outcome()
        except BaseException as error:
            told = "".join(traceback.format_exception(error))
            raise PlayerFailed("crash", f"{self._name}: {error!r}", told) from None
        if isinstance(said, str):
            try:
                return Reply(self.game.parse_move(turn.position, said, turn.history))
            except ThreefoldError as error:
                raise PlayerFailed("illegal move", str(error), said) from None
        try:
            return Reply(operator.index(said))
        except TypeError:
            wrong = f"{self._name} returned {said!r}, not a move"
            raise PlayerFailed("nonsense", wrong, repr(said)) from None

    def _patience(self, turn: Turn[Any]) -> float:
        """Seconds after which it hangs."""
        if self.budget.base is not None and turn.clocks is not None:
            return turn.clocks[self.game.player(turn.position)] + _GRACE
        return _ENDLESS if self.budget.time is None else self.budget.time + _GRACE


def _parameters(function: Callable[..., object]) -> int:
    """How many arguments a function must be given."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    try:
        known = inspect.signature(function).parameters.values()
    except ValueError:  # one that was not written in Python
        return 2
    return sum(each.kind in kinds and each.default is each.empty for each in known)


def load_function(name: str) -> Callable[..., object]:
    """The function that `module:name` or `FILE.py:name` means."""
    from threefold.games.loading import load_file, load_module

    module_name, colon, attribute = name.rpartition(":")
    if not colon or not module_name or not attribute:
        raise BadPlayer(f"python({name}) is not python(MODULE:NAME) or python(FILE.py:NAME)")
    is_path = module_name.endswith(".py")
    module = load_file(Path(module_name)) if is_path else load_module(module_name)
    found = getattr(module, attribute, None)
    if not callable(found):
        known = [each for each, value in vars(module).items() if callable(value)]
        raise BadPlayer(
            f"{module_name} has no function {attribute}: {did_you_mean(attribute, known)}"
        )
    return found  # type: ignore[no-any-return]


def _outside(module: str, name: str) -> Callable[[PlayerLine, Game[Any], Budget], Player[Any]]:
    """How to make a player of an outside engine, whose module is loaded when it is needed."""

    def make_it(line: PlayerLine, game: Game[Any], budget: Budget) -> Player[Any]:
        check_words(line, 1)
        kind = getattr(importlib.import_module(f"threefold.protocols.{module}"), name)
        made: Player[Any] = kind(game, budget, line.words[0], line.options)
        return made

    return make_it


KINDS: Final[Mapping[str, Callable[[PlayerLine, Game[Any], Budget], Player[Any]]]] = {
    "alphabeta": AlphaBeta,
    "mcts": Mcts,
    "cfr": Regrets,
    "rollout": Rollouts,
    INFORMATION_SETS: InformationSets,
    WORLDS: SampledDeals,
    "random": Random,
    "level": AtLevel,
    "textbook": Textbook,
    "python": InPython,
    "uci": _outside("uci_engine", "UciPlayer"),
    "xboard": _outside("xboard_engine", "XBoardPlayer"),
    "gtp": _outside("gtp_engine", "GtpPlayer"),
}
#: The kinds that can look into a database of end-games.
LOOKING_UP: Final = ("alphabeta", "mcts", "level")
assert set(COMMANDS) < set(KINDS) == set(EXAMPLES)


def _tried(engine: "Tried") -> "Tried":
    """An engine after a first look at a position, so that it has compiled."""
    from threefold.engine.limits import Limits

    limits = Limits(depth=1) if engine.deepens else Limits(nodes=1)
    engine.analyze(_undecided(engine.game), limits)
    return engine


def _undecided(game: Game[Any]) -> Any:
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


def _check_limits(line: PlayerLine) -> None:
    """Raise if a line limits a player whose limits are its own."""
    rolling = ("time", "tc", "nodes")
    own = {"random": (), "level": (), "cfr": (), "textbook": ("depth",), "rollout": rolling}
    known = own.get(line.kind, LIMITS)
    for name in line.options:
        if name in LIMITS and name not in known:
            raise BadPlayer(f"player {line}: {line.kind} has no option {name}")
