"""Ending a game before its rules do, where the result is agreed or proven. Off by default.

| spec | the game is over when |
| --- | --- |
| `resign:VALUE,MOVES` | both see the same winner, by VALUE or more, in the last MOVES of each |
| `draw:VALUE,MOVES,FROM` | both see VALUE or less in the last MOVES of each, from move FROM on |
| `solve`, `solve:NODES` | the result with best play is proven, at each move within NODES nodes |

VALUE is in the units of each player's own evaluation. A player that gives no values never agrees.
"""

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from threefold.errors import BrokenRules, ThreefoldError, argument
from threefold.rules.contract import CHANCE, MAX, MIN, Action
from threefold.rules.game import Game
from threefold.rules.outcome import Outcome
from threefold.rules.text import shorten
from threefold.solve.solve import Solver

#: How many nodes a proof may take at each move unless that is said.
DEFAULT_NODES: Final = 100_000
#: What a solver may take in a worker, in megabytes.
_MEMORY: Final = 64

#: What a game is worth to MAX, and why.
Verdict: TypeAlias = tuple[int, str]


class Adjudicator:
    """Decides one game. Make another for the next one: what one game proved must not affect it."""

    def __init__(self, game: Game[Any], specs: Sequence[str]) -> None:
        self._judges = [_judge(game, spec) for spec in specs]

    def look(
        self, positions: Sequence[Any], moves: Sequence[Action], values: Sequence[float | None]
    ) -> Verdict | None:
        """The result of a game so far, if it can be called; the first spec that can calls it.

        `values` belong to the last moves, as many as there are: each is the `score` of a reply,
        from the view of the player who made the move, and None for nature's events.
        """
        for judge in self._judges:
            if (verdict := judge.look(positions, moves, values)) is not None:
                return verdict
        return None


class Judge(ABC):
    """One reason to end a game."""

    def __init__(self, game: Game[Any]) -> None:
        self.game = game

    @abstractmethod
    def look(
        self, positions: Sequence[Any], moves: Sequence[Action], values: Sequence[float | None]
    ) -> Verdict | None:
        """The result, if it can be called; the arguments are those of `Adjudicator.look`."""


class _Agreement(Judge):
    """Both players agree on the value, in several moves of each."""

    def __init__(self, game: Game[Any], value: float, moves: int) -> None:
        super().__init__(game)
        self._value = value
        self._moves = moves

    def _said(
        self, positions: Sequence[Any], values: Sequence[float | None]
    ) -> tuple[list[float], list[float]] | None:
        """The last values of MAX and of MIN, as MAX sees them; None if there are too few."""
        said: tuple[list[float], list[float]] = [], []
        movers = (self.game.player(s) for s in positions[-2::-1])
        for value, mover in zip(reversed(values), movers, strict=False):
            if mover == CHANCE or len(said[mover]) == self._moves:
                continue
            if value is None:
                return None
            said[mover].append(value if mover == MAX else -value)
            if len(said[MAX]) == len(said[MIN]) == self._moves:
                return said
        return None


class Resignation(_Agreement):
    """Both players agree on who wins."""

    def look(
        self, positions: Sequence[Any], moves: Sequence[Action], values: Sequence[float | None]
    ) -> Verdict | None:
        """A win by 1 if all values are beyond, on the same side."""
        del moves
        said = self._said(positions, values)
        if said is None:
            return None
        for winner, sign in ((MAX, 1), (MIN, -1)):
            if all(sign * value >= self._value for one in said for value in one):
                return sign, f"both players see {self.game.sides[winner]} winning"
        return None


class AgreedDraw(_Agreement):
    """Both players agree that nobody wins, after the first moves."""

    def __init__(self, game: Game[Any], value: float, moves: int, first: int) -> None:
        super().__init__(game, value, moves)
        self._first = first

    def look(
        self, positions: Sequence[Any], moves: Sequence[Action], values: Sequence[float | None]
    ) -> Verdict | None:
        """A draw if all values are near 0."""
        del moves
        said = self._said(positions, values)
        if said is None or any(abs(value) > self._value for one in said for value in one):
            return None
        made = sum(self.game.player(s) != CHANCE for s in positions[:-1])
        return (0, "both players see a draw") if made >= 2 * self._first else None


class Proof(Judge):
    """The result with best play is proven, and nothing that happened before can change it."""

    def __init__(self, game: Game[Any], nodes: int = DEFAULT_NODES) -> None:
        super().__init__(game)
        if not game.facts.deterministic:
            raise ThreefoldError(
                f"{argument('adjudicate', 'solve')} is for games without chance, and {game.name} "
                "has some: its result is not known before the last roll"
            )
        if game.has_superko:
            raise ThreefoldError(
                f"{argument('adjudicate', 'solve')} is for games whose result depends on the "
                f"position alone; in {game.name} no earlier position may come up again"
            )
        self._solver = Solver(game, megabytes=_MEMORY)
        self._nodes = nodes

    def look(
        self, positions: Sequence[Any], moves: Sequence[Action], values: Sequence[float | None]
    ) -> Verdict | None:
        """The exact result, if it is found within the node limit."""
        del moves, values
        s = positions[-1]
        try:
            found = self._solver.solve(s, detail="value", nodes=self._nodes, progress=False)
        except BrokenRules:
            raise
        except ThreefoldError:
            return None  # too large, or it depends on what endless play is worth
        worth = int(-found.value if self.game.player(s) == MIN else found.value)
        if not found.exact or (worth and not self._wins_can_be_called(positions)):
            return None
        return worth, f"solved: {Outcome(worth).sentence(self.game.sides)} with best play"

    def _wins_can_be_called(self, positions: Sequence[Any]) -> bool:
        """Whether a win that is proven from the position alone is one after this game, too.

        A solver knows no clocks, so the win may take longer than they allow. Someone who wins need
        not repeat a position, but may have to pass through one that came up before: it must not be
        for the last time. A draw stays one: what came before can only make more games drawn.
        """
        game = self.game
        if not game.cyclic:
            return True
        if game.clocks:
            return False
        here = game.key(positions[-1])
        before = Counter(key for key in map(game.key, positions) if key != here)
        return max(before.values(), default=0) <= game.repeats - 2


def _judge(game: Game[Any], spec: str) -> Judge:
    """What a spec names."""
    kind, colon, numbers = spec.strip().partition(":")
    if kind not in KINDS:
        forms = ", ".join(form for form, *_ in KINDS.values())
        raise ThreefoldError(
            f"{argument('adjudicate', spec)}: there is no adjudication by {shorten(kind)}; "
            f"write one of {forms}"
        )
    form, make, read, least = KINDS[kind]
    given = [part.strip() for part in numbers.split(",")] if colon else []
    if not least <= len(given) <= len(read):
        raise ThreefoldError(f"{argument('adjudicate', spec)}: write {form}")
    try:
        found = [parse(part) for parse, part in zip(read, given, strict=False)]
    except ValueError as error:
        raise ThreefoldError(f"{argument('adjudicate', spec)}: {error}; write {form}") from None
    return make(game, *found)


def _value(text: str) -> float:
    if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", text):
        raise ValueError(f"{text!r} is not a value, like 5 or 0.25")
    return float(text)


def _lead(text: str) -> float:
    value = _value(text)
    if not value:
        raise ValueError(f"{text!r} is nobody's lead: VALUE must be above 0")
    return value


def _count(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,12}", text) or int(text) == 0:
        raise ValueError(f"{text!r} is not a number, like 4")
    return int(text)


#: By the first word of a spec: how it is written, what it makes, how its numbers are read, and how
#: many of them there must be.
KINDS: Final[dict[str, tuple[str, Callable[..., Judge], Sequence[Callable[[str], Any]], int]]] = {
    "resign": ("resign:VALUE,MOVES", Resignation, (_lead, _count), 2),
    "draw": ("draw:VALUE,MOVES,FROM", AgreedDraw, (_value, _count, _count), 3),
    "solve": ("solve or solve:NODES", Proof, (_count,), 0),
}
