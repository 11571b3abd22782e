"""Asking a game's hooks, with a check that each answer is of the right form.

Interpreted only; `agreement` compares with the compiled way.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from threefold.rules.contract import (
    CHANCE,
    CLAIMABLE,
    DRAWN,
    MAX_FEATURE_WORDS,
    MAX_VALUE,
    MAX_WEIGHT,
    NO_REPLY,
    Action,
    Player,
)
from threefold.rules.game import Game
from threefold.rules.hooks import HOOKS, Kind
from threefold.rules.overflow import where
from threefold.rules.strict_row import Broken, StrictRow, is_whole_word
from threefold.rules.text import is_record, past_64_bits

S = TypeVar("S")


@dataclass
class Position(Generic[S]):
    """What the interpreted rules say about a position."""

    state: S
    player: int
    moves: list[Action]
    chances: list[tuple[Action, int]] = field(default_factory=list)
    #: What `sufficient` and `bounds` promise, if the game has them.
    sufficient: list[Action] | None = None
    bounds: tuple[int, int] | None = None

    @property
    def over(self) -> bool:
        """Whether the game has ended here."""
        return not self.moves


class Asker(Generic[S]):
    """Asks the hooks of one game; raises `Broken` for an answer that is not of the right form."""

    def __init__(self, game: Game[S]) -> None:
        self.game = game
        start: Any = game.initial()
        self.in_words = is_record(start) and all(isinstance(value, int) for value in start)

    def position(self, s: S) -> Position[S]:
        """Who is to move in a position, and with which moves."""
        player = self.call("player", s)
        self.check_kind(Kind.PLAYER, "player", player)
        if player == CHANCE:
            chances = self._chances(s)
            return Position(s, player, [event for event, _ in chances], chances)
        moves = self.row("actions", s)
        return Position(s, player, [] if self.is_drawn(s) else moves)

    def answer(self, hook: str, here: Position[S], *others: Any) -> Any:
        """What a hook answers about a position, by its row in the table of hooks.

        A hook that writes moves answers with the list of them, all legal.
        """
        returns = HOOKS[hook].returns
        if returns is Kind.COUNT:
            moves = self.row(hook, here.state)
            if stray := set(moves) - set(here.moves):
                raise Broken(hook, f"{hook} lists {min(stray)}, which is not a legal move")
            return moves
        given = self.call(hook, here.state, *others)
        is_none = returns is Kind.REPLY and given == NO_REPLY
        if returns in {Kind.MOVE, Kind.REPLY} and not is_none and given not in here.moves:
            raise Broken(hook, f"{hook} returned {given!r}, which is not a legal move")
        if not isinstance(returns, tuple):
            self.check_kind(returns, hook, given)
            return given
        if not isinstance(given, tuple) or len(given) != len(returns):
            raise Broken(hook, f"{hook} returned {given!r}, not two integers")
        for kind, part in zip(returns, given, strict=True):
            self.check_kind(kind, hook, part)
        return given

    def row(self, hook: str, s: S) -> list[Action]:
        """The moves that a hook writes, the same each time it is asked."""
        twice = []
        for _ in range(2):
            row = StrictRow(hook, self.game.facts.max_moves)
            twice.append(row.first(self.call(hook, s, row)))
        if twice[0] != twice[1]:
            raise Broken("reproducible", f"{hook} gives {twice[0]}, then {twice[1]}")
        self._check_distinct(hook, twice[0])
        return twice[0]

    def features(self, s: S, p: Player) -> list[int]:
        """The inputs of a learned evaluation as a player sees them, the same each time."""
        twice = []
        for _ in range(2):
            row = StrictRow("features", MAX_FEATURE_WORDS, f"the {MAX_FEATURE_WORDS} words allowed")
            twice.append(row.first(self.call("features", s, p, row)))
        if twice[0] != twice[1]:
            raise Broken("reproducible", f"features gives {twice[0]}, then {twice[1]}")
        return twice[0]

    def is_drawn(self, s: S) -> bool:
        """Whether the game has ended here as a draw by rule."""
        if "drawn" not in self.game.hooks:
            return False
        verdict = self.call("drawn", s)
        self.check_kind(Kind.VERDICT, "drawn", verdict)
        if verdict == DRAWN and any(self.payoffs(s)):
            raise Broken("drawn", "the game is drawn, but its utility is not 0")
        return bool(verdict == DRAWN)

    def payoffs(self, s: S) -> tuple[Any, ...]:
        """What a finished game is worth: to MAX, or to each player if `utility` says so."""
        players = self.game.facts.players
        if players > 2:
            return tuple(self.call("utility", s, p) for p in range(players))
        worth = self.call("utility", s)
        return worth if isinstance(worth, tuple) else (worth,)

    def children(self, here: Position[S]) -> list[S]:
        """The positions after each move."""
        return [self.call("result", here.state, a) for a in here.moves]

    def call(self, hook: str, *args: Any) -> Any:
        """What a hook returns, unchecked."""
        return self.guarded(hook, getattr(self.game, hook), *args)

    def guarded(self, name: str, function: Callable[..., Any], *args: Any) -> Any:
        """What a function of the game returns; an exception that it raises is a defect."""
        try:
            return function(*args)
        except Broken:
            raise
        except Exception as error:
            raise Broken(name, f"{name} raises {_described(error)}") from error

    # What an answer must look like.

    def check_word(self, what: str, value: object) -> None:
        """Raise unless a value is a 64-bit integer."""
        if not is_whole_word(value):
            raise Broken(what, f"{what} is {value!r}, not a whole number of 64 bits")

    def check_value(self, what: str, value: object) -> None:
        """Raise unless a value is in the range of utilities and evaluations."""
        self.check_word(what, value)
        if abs(value) > MAX_VALUE:  # type: ignore[arg-type]
            raise Broken(what, f"{what} is {value}, past the ±{MAX_VALUE} that searches can hold")

    def checked_state(self, hook: str, s: Any) -> S:
        """A position that a hook returned, of the right type and made of words."""
        if not isinstance(s, self.game.state_type):
            wanted = self.game.state_type.__name__
            raise Broken("state", f"{hook} returned a {type(s).__name__}, not a {wanted}")
        fields = zip(type(s)._fields, s, strict=True) if self.in_words else ()  # type: ignore[attr-defined,call-overload]
        for name, value in fields:
            if not isinstance(value, int):
                raise Broken("state", f"{hook} sets {name} to {value!r}; a field is a whole number")
            if not is_whole_word(value):
                raise Broken(
                    "state",
                    f"{hook} sets {name} to {value}; {past_64_bits(value)}, or keep it in 64 bits "
                    "by shl, add, sub and mul of threefold.rules.bits",
                )
        return s

    def check_kind(self, kind: Kind, hook: str, given: Any) -> None:
        """Raise unless what a hook returned is of a kind."""
        whole = is_whole_word(given)
        if kind is Kind.STATE:
            self.checked_state(hook, given)
        elif kind is Kind.VALUE:
            self.check_value(hook, given)
        elif kind is Kind.WORD:
            self.check_word(hook, given)
        elif kind is Kind.PLIES and (not whole or given < 0):
            raise Broken(hook, f"{hook} returned {given!r}, not a number of plies")
        elif kind is Kind.VERDICT and (not whole or given not in {0, CLAIMABLE, DRAWN}):
            raise Broken(hook, f"{hook} returned {given!r}, none of 0, CLAIMABLE and DRAWN")
        elif kind is Kind.TRUTH and not whole:
            raise Broken(hook, f"{hook} returned {given!r}, not True or False")
        elif kind is Kind.WORDS and not self._is_words(given):
            raise Broken(
                hook, f"{hook} returned {given!r}, not a tuple of whole numbers of 64 bits"
            )
        elif kind is Kind.SEAT and not (whole and 0 <= given < self.game.facts.seats):
            raise Broken(hook, f"{hook} returned {given!r}; it is 0 to {self.game.facts.seats - 1}")
        elif kind is Kind.PLAYER and not (whole and CHANCE <= given < self.game.facts.players):
            raise Broken(hook, f"{hook} returned {given!r}; it is {self._players()} or CHANCE")

    def _is_words(self, given: Any) -> bool:
        return isinstance(given, tuple) and all(map(is_whole_word, given))

    def _players(self) -> str:
        players = self.game.facts.players
        return "0 (MAX), 1 (MIN)" if players == 2 else f"0 to {players - 1}"

    def _chances(self, s: S) -> list[tuple[Action, int]]:
        if "outcomes" not in self.game.hooks:
            raise Broken("chance", "nature is to move, but the game has no outcomes hook")
        events = StrictRow("outcomes", self.game.facts.max_moves)
        weights = StrictRow("outcomes", self.game.facts.max_moves)
        n = self.call("outcomes", s, events, weights)
        found = list(zip(events.first(n), weights.first(n), strict=True))
        if not found:
            raise Broken("chance", "nature is to move, but outcomes lists no event")
        for event, weight in found:
            if weight < 1:
                raise Broken("chance", f"event {event} has weight {weight}; weights are positive")
        if sum(weight for _, weight in found) > MAX_WEIGHT:
            raise Broken("chance", f"the weights add up to more than {MAX_WEIGHT}")
        self._check_distinct("outcomes", [event for event, _ in found])
        return found

    def _check_distinct(self, hook: str, moves: list[Action]) -> None:
        limit = self.game.facts.move_range
        for a in moves:
            if not 0 <= a < limit:
                raise Broken("move_range", f"{hook} lists {a}, not in 0 ≤ a < move_range={limit}")
        if len(set(moves)) != len(moves):
            again = next(a for a in moves if moves.count(a) > 1)
            raise Broken("distinct moves", f"{hook} lists {again} more than once")


def _described(error: Exception) -> str:
    """An exception of the rules, with its line, and what to do about the most common one."""
    changes = isinstance(error, AttributeError) and "set attribute" in str(error)
    instead = "; a position is never changed: build the next one with its class" if changes else ""
    return f"{type(error).__name__}{where(error)}: {error}{instead}"
