"""The players that a line can name, and how each is made.

Making a player checks its line and costs little: nothing is compiled or started before `prepare`.
"""

import importlib
import inspect
import operator
import random
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from threefold.arena.lines import COMMANDS, BadPlayer, PlayerLine
from threefold.arena.player_options import (
    EXAMPLES,
    check_limits,
    check_options,
    check_words,
    number,
    whole,
)
from threefold.arena.searching_players import (
    AlphaBeta,
    InformationSets,
    Mcts,
    Rollouts,
    SampledDeals,
    tried,
    with_database,
)
from threefold.engine.worker import Worker
from threefold.errors import NotCompilable, ThreefoldError
from threefold.protocols.player import Budget, Player, PlayerFailed, Reply, Turn
from threefold.rules.definition_checks import INFORMATION_SETS, WORLDS
from threefold.rules.game import Game
from threefold.rules.text import did_you_mean, shorten

if TYPE_CHECKING:
    from threefold.engine.searchers import GameSearcher

#: Seconds over its time after which a function hangs; and those for one that has no limit.
_GRACE: Final = 10.0
_ENDLESS: Final = 600.0


def make(line: PlayerLine, game: Game[Any], default: Budget) -> Player[Any]:
    """The player that a line names, with a default for what it may spend on a move."""
    if line.kind not in KINDS:
        hint = did_you_mean(line.kind, KINDS)
        raise BadPlayer(f"there is no player {shorten(line.kind)}: {hint}")
    check_limits(line)
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


class Regrets(Player[Any]):
    """A strategy for the whole of a game that hides something, found before the first move."""

    def __init__(self, line: PlayerLine, game: Game[Any], _: Budget) -> None:
        from threefold.solve.sequence_form import check_rememberable

        check_words(line, 0)
        check_options(line, ("exploitability", "iterations", "memory", "method", "seed"))
        check_rememberable(game)
        super().__init__(game, Budget())
        given = line.options
        self._options: dict[str, Any] = {"method": given.get("method", "auto")}
        for name, asked in (
            ("iterations", "iterations"),
            ("memory", "megabytes"),
            ("seed", "seed"),
        ):
            if name in given:
                self._options[asked] = whole(line, given[name], least=0 if name == "seed" else 1)
        if "exploitability" in given:
            self._options["exploitability"] = number(line, given["exploitability"])

    def prepare(self) -> None:
        """Solve the game."""
        from threefold.solve.regret_search import solved_by_regret

        self._strategy = solved_by_regret(self.game, progress=False, **self._options)

    def choose(self, turn: Turn[Any]) -> Reply:
        """A move at random, by the chances that the strategy gives to each."""
        return Reply(self._strategy.choose(turn.position, turn.seed))


class AtLevel(Player[Any]):
    """One of the opponents of `threefold play`."""

    def __init__(self, line: PlayerLine, game: Game[Any], _: Budget) -> None:
        check_words(line, 1)
        check_options(line, ("database", "eval"))
        used = game.using(line.options.get("eval"))
        super().__init__(with_database(used, line.options.get("database")), Budget())
        self._name = line.words[0]
        self._opponent: Any = None
        self._engine: GameSearcher[Any] | None = None

    def prepare(self) -> None:
        """Compile."""
        from threefold.engine.levels import level
        from threefold.engine.searchers import searcher

        self._level = level(self._name)
        with suppress(NotCompilable):  # it then looks ahead without compiling
            self._engine = tried(searcher(self._level.view(self.game), megabytes=16))

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
