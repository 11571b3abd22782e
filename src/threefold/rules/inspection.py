"""Playing a game at random and looking at every position: what `conformance` sees of it.

Interpreted only; `agreement` compares with the compiled way.
"""

import random
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar
from xml.etree import ElementTree

from threefold.rules.contract import (
    CHANCE,
    CLAIMABLE,
    DRAWN,
    MAX,
    MAX_VALUE,
    MAX_WEIGHT,
    MIN,
    Action,
)
from threefold.rules.game import Game
from threefold.rules.overflow import OverflowCheck, where
from threefold.rules.promises import SmallTrees, TooLarge
from threefold.rules.strict_row import Broken, Defect, StrictRow, is_whole_word
from threefold.rules.text import is_record, past_64_bits, shorten

S = TypeVar("S")

#: Pictures are drawn at every so many positions only, and futures compared so many times.
SAMPLE = 16
#: Positions checked for overflows before only a sample is: the check is slow.
OVERFLOWS = 100
#: A game in which one player decides this often running without the other is suspicious.
_MANY_DECISIONS = 3
#: After so many games that broke off there is nothing more to learn.
_MAX_BROKEN_GAMES = 5


@dataclass
class Position(Generic[S]):
    """What the interpreted rules say of a position."""

    state: S
    player: int
    moves: list[Action]
    chances: list[tuple[Action, int]] = field(default_factory=list)
    #: What `sufficient` and `bounds` promise, where the game has them.
    sufficient: list[Action] | None = None
    bounds: tuple[int, int] | None = None

    @property
    def over(self) -> bool:
        """Whether the game has ended here."""
        return not self.moves


class Inspector(Generic[S]):
    """Plays a game and collects its defects, the first of each kind."""

    def __init__(self, game: Game[S], rng: random.Random) -> None:
        self.game = game
        self.defects: dict[str, Defect] = {}
        self.seen: dict[Hashable, Position[S]] = {}
        self._rng = rng
        self._movers: dict[int, int] = {MAX: 0, MIN: 0, CHANCE: 0}
        self._longest = 0
        self._broken_games = 0
        self._small_trees = SmallTrees(game)
        self._overflow_check = OverflowCheck(game)
        self.in_words = is_record(game.initial()) and all(
            isinstance(value, int)
            for value in game.initial()  # type: ignore[attr-defined]
        )

    @property
    def hopeless(self) -> bool:
        """Whether more games would only break where others did."""
        return self._broken_games >= _MAX_BROKEN_GAMES

    # One random game.

    def play(self) -> None:
        """Play to the end, looking at every position that is new."""
        game = self.game
        s = game.initial()
        if game.initial() != s:
            self.note("initial", "initial() returns another position each time", s)
        visited = set()
        path: list[Position[S]] = []
        decisions = 0
        try:
            if self._call("player", s) == MIN:
                self.note("turn order", "MIN moves first; the first player is MAX, 0", s)
            for ply in range(game.facts.max_ply + 1):
                here = self._look(s)
                path.append(here)
                if here.over:
                    self._look_back(path)
                    return
                if ply == game.facts.max_ply and game.facts.finite:
                    raise Broken(
                        "max_ply",
                        f"a game goes on past max_ply={ply} plies; declare the longest game, or "
                        "finite=False",
                    )
                if s in visited and game.facts.finite and not game.repeats:
                    # By repetition nothing is drawn where chance brings a position up again.
                    declare = "repeats=True or " if game.facts.deterministic else ""
                    raise Broken(
                        "finite",
                        "a position came up twice in one game, so the game need not end; declare "
                        f"{declare}finite=False",
                    )
                visited.add(s)
                self._movers[here.player] += 1
                decisions += here.player != CHANCE
                self._longest = max(self._longest, decisions)
                s = self._checked_state("result", self._call("result", s, self._pick(here)))
        except Broken as broken:
            self.note(broken.check, broken.sentence, s)
            self._broken_games += 1

    def _pick(self, here: Position[S]) -> Action:
        if here.chances:
            return self._rng.choices(here.moves, [weight for _, weight in here.chances])[0]
        return self._rng.choice(here.moves)

    def _look(self, s: S) -> Position[S]:
        """What the rules say of a position, everything that can be said checked."""
        try:
            if s in self.seen:
                return self.seen[s]
        except TypeError:
            raise Broken(
                "state", f"a position is not hashable: {type(s).__name__}; use tuples"
            ) from None
        self._checked_state("initial", s)
        here = self._moves(s)
        before = repr(s)
        sampled = len(self.seen) % SAMPLE == 0
        self.seen[s] = here
        for check in self._checks(here, sampled):
            try:
                check()
            except Broken as broken:
                self.note(broken.check, broken.sentence, s)
        if repr(s) != before:
            raise Broken("state", "a hook changes the position it is given; build a new one")
        return here

    # What is looked at in a position.

    def _checks(self, here: Position[S], sampled: bool) -> Iterator[Callable[[], None]]:
        game = self.game
        yield lambda: self._check_terminal(here)
        yield lambda: self._check_word("key", self._call("key", here.state))
        yield lambda: self._check_text(here)
        yield lambda: self._check_results(here)
        yield lambda: self._check_symmetries(here)
        yield lambda: self._check_promises(here)
        if self.in_words and (sampled or len(self.seen) <= OVERFLOWS):
            yield lambda: self._check_overflow(here)
        for name in game.evaluations if not here.over else ():
            yield lambda name=name: self._check_evaluation(name, here)  # type: ignore[misc]
        if here.player != CHANCE and not here.over:
            yield lambda: self._check_hints(here)
        for player in (MAX, MIN) if "observe" in game.hooks else ():
            yield lambda player=player: self._call("observe", here.state, player)  # type: ignore[misc]
        if sampled:
            yield lambda: self._check_drawing(here)

    def _moves(self, s: S) -> Position[S]:
        player = self._call("player", s)
        if not is_whole_word(player) or player not in {MAX, MIN, CHANCE}:
            raise Broken("player", f"player returned {player!r}; it is 0 (MAX), 1 (MIN) or CHANCE")
        if player == CHANCE:
            chances = self._chances(s)
            return Position(s, player, [event for event, _ in chances], chances)
        moves = self._row("actions", s)
        self._check_distinct("actions", moves)
        if "drawn" in self.game.hooks and self._is_drawn(s):
            moves = []
        return Position(s, player, moves)

    def _is_drawn(self, s: S) -> bool:
        verdict = self._call("drawn", s)
        if not is_whole_word(verdict) or verdict not in {0, CLAIMABLE, DRAWN}:
            raise Broken("drawn", f"drawn returned {verdict!r}, none of 0, CLAIMABLE and DRAWN")
        if verdict == DRAWN and self._call("utility", s) != 0:
            raise Broken("drawn", "the game is drawn, but its utility is not 0")
        return bool(verdict == DRAWN)

    def _row(self, hook: str, s: S) -> list[Action]:
        """What a hook writes, the same twice over."""
        twice = []
        for _ in range(2):
            row = StrictRow(hook, self.game.facts.max_moves)
            twice.append(row.first(self._call(hook, s, row)))
        if twice[0] != twice[1]:
            raise Broken("reproducible", f"{hook} gives {twice[0]}, then {twice[1]}")
        return twice[0]

    def _chances(self, s: S) -> list[tuple[Action, int]]:
        if "outcomes" not in self.game.hooks:
            raise Broken("chance", "nature is to move, but the game has no outcomes hook")
        events = StrictRow("outcomes", self.game.facts.max_moves)
        weights = StrictRow("outcomes", self.game.facts.max_moves)
        n = self._call("outcomes", s, events, weights)
        found = list(zip(events.first(n), weights.first(n), strict=True))
        if not found:
            raise Broken("chance", "nature is to move, but outcomes lists no event")
        for event, weight in found:
            if weight < 1:
                raise Broken("chance", f"event {event} has weight {weight}; weights are positive")
        if sum(weight for _, weight in found) > MAX_WEIGHT:
            raise Broken("chance", f"the weights sum up to more than {MAX_WEIGHT}")
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

    def _check_terminal(self, here: Position[S]) -> None:
        game, s = self.game, here.state
        if "is_terminal" in game.hooks:
            says = self._call("is_terminal", s)
            if bool(says) and here.moves:
                raise Broken(
                    "terminal",
                    "is_terminal says that the game is over, but there is still a move; a finished "
                    "game has none",
                )
            if not says and here.over and not self._is_drawn(s):
                raise Broken(
                    "terminal", "there is no move, but is_terminal says that the game goes on"
                )
        if here.over:
            worth = self._call("utility", s)
            if isinstance(worth, tuple) and game.facts.zero_sum:
                raise Broken(
                    "zero-sum",
                    f"utility returned {worth!r}; in a zero-sum game it is one integer, MAX's",
                )
            for payoff in worth if isinstance(worth, tuple) else (worth,):
                self._check_value("utility", payoff)
            if self._call("utility", s) != worth:
                raise Broken("reproducible", "utility gives another value each time")

    def _check_results(self, here: Position[S]) -> None:
        for a in here.moves:
            once = self._checked_state("result", self._call("result", here.state, a))
            if self._call("result", here.state, a) != once:
                raise Broken("reproducible", f"result gives another position each time, move {a}")

    def _check_evaluation(self, name: str, here: Position[S]) -> None:
        value = self._guarded(name, self.game.evaluations[name], here.state)
        self._check_value(f"evaluation {name}", value)
        if self._guarded(name, self.game.evaluations[name], here.state) != value:
            raise Broken("reproducible", f"evaluation {name} gives another value each time")

    def _check_hints(self, here: Position[S]) -> None:
        """The hooks that help a search: order, noisy, extend, null_move."""
        game, s = self.game, here.state
        for a in here.moves if "order" in game.hooks else ():
            self._check_word("order", self._call("order", s, a))
        if "noisy" in game.hooks:
            noisy = self._row("noisy", s)
            self._check_distinct("noisy", noisy)
            if stray := set(noisy) - set(here.moves):
                raise Broken("noisy", f"noisy lists {min(stray)}, which is no legal move")
        if "extend" in game.hooks:
            plies = self._call("extend", s)
            if not is_whole_word(plies) or plies < 0:
                raise Broken("extend", f"extend returned {plies!r}, not a number of plies")
        if "null_move" in game.hooks:
            passed = self._checked_state("null_move", self._call("null_move", s))
            other = MIN if here.player == MAX else MAX
            if passed != s and self._call("player", passed) != other:
                raise Broken("null_move", "null_move does not pass the turn to the other player")

    def _check_promises(self, here: Position[S]) -> None:
        """The hooks that an exact search believes: sufficient, bounds, settled, remaining."""
        game, s = self.game, here.state
        by_rule = "drawn" in game.hooks and here.player != CHANCE and self._is_drawn(s)
        if "sufficient" in game.hooks and here.player != CHANCE and not by_rule:
            moves = self._row("sufficient", s)
            self._check_distinct("sufficient", moves)
            if stray := set(moves) - set(here.moves):
                raise Broken("sufficient", f"sufficient lists {min(stray)}, which is no legal move")
            if not moves and not here.over:
                raise Broken("sufficient", "sufficient lists no move, but the game goes on")
            here.sufficient = moves
        if "bounds" in game.hooks:
            given = self._call("bounds", s)
            if not isinstance(given, tuple) or len(given) != 2:
                raise Broken("bounds", f"bounds returned {given!r}, not two integers")
            for bound in given:
                self._check_value("bounds", bound)
            if given[0] > given[1]:
                raise Broken("bounds", f"bounds returned {given}, the greater first")
            here.bounds = given
        if "settled" in game.hooks:
            given = self._call("settled", s)
            if not isinstance(given, tuple) or len(given) != 2:
                raise Broken("settled", f"settled returned {given!r}, not two integers")
            self._check_value("settled", given[0])
            self._check_word("settled", given[1])
        if "remaining" in game.hooks:
            plies = self._call("remaining", s)
            if not is_whole_word(plies) or plies < 0:
                raise Broken("remaining", f"remaining returned {plies!r}, not a number of plies")

    def _check_text(self, here: Position[S]) -> None:
        game, s = self.game, here.state
        text = self._guarded("format", game.format, s)
        if not isinstance(text, str):
            raise Broken("notation", f"format returned {text!r}, not a text")
        back = self._guarded("parse", game.parse, text) if game.has_notation else s
        if back != s:
            raise Broken(
                "notation", f"parse(format(s)) is another position: {shorten(repr(back), 200)}"
            )
        for form in ("format_move", "readable_move"):
            names = [self._guarded(form, getattr(game, form), s, a) for a in here.moves]
            for a, name in zip(here.moves, names, strict=True):
                if names.count(name) > 1:
                    raise Broken("notation", f"two moves are both called {name!r}")
                if self._guarded("parse_move", game.parse_move, s, name) != a:
                    raise Broken("notation", f"parse_move({form}({a})) is another move")
        if here.over:
            ended = self._guarded("ending", game.outcome, [s])
            if ended is not None and not isinstance(ended.reason, str):
                raise Broken("ending", f"ending returned {ended.reason!r}, not a text")

    def _check_drawing(self, here: Position[S]) -> None:
        if not isinstance(self._guarded("render", self.game.render, here.state), str):
            raise Broken("render", "render does not return a text")
        drawing = self._guarded("draw", self.game.draw, here.state)
        try:
            parts = [child.tag.rpartition("}")[2] for child in ElementTree.fromstring(drawing)]
        except ElementTree.ParseError as error:
            raise Broken("draw", f"draw does not return well-formed SVG: {error}") from None
        if not {"title", "desc"} <= set(parts):
            raise Broken("draw", "the drawing lacks <title> or <desc>")

    def _check_symmetries(self, here: Position[S]) -> None:
        for number, symmetry in enumerate(self.game.symmetries, 1):
            name = f"symmetry {number}"
            image = self._moves(
                self._checked_state(name, self._guarded(name, symmetry, here.state))
            )
            if image.player != here.player or image.over != here.over:
                raise Broken("symmetries", f"{name} changes whose turn it is or ends the game")
            worth = self._call("utility", here.state) if here.over else 0
            if here.over and self._call("utility", image.state) != worth:
                raise Broken("symmetries", f"{name} changes the utility")
            ours = {self._guarded(name, symmetry, t) for t in self._children(here)}
            if ours != set(self._children(image)):
                raise Broken("symmetries", f"{name} leads to positions that follow differently")

    def _check_overflow(self, here: Position[S]) -> None:
        for sentence in self._overflow_check.overflows(here.state, here.player, here.moves):
            raise Broken("overflow", sentence)

    def _children(self, here: Position[S]) -> list[S]:
        return [self._call("result", here.state, a) for a in here.moves]

    def _check_word(self, what: str, value: object) -> None:
        if not is_whole_word(value):
            raise Broken(what, f"{what} is {value!r}, not a whole number of 64 bits")

    def _check_value(self, what: str, value: object) -> None:
        self._check_word(what, value)
        if abs(value) > MAX_VALUE:  # type: ignore[arg-type]
            raise Broken(what, f"{what} is {value}, past the ±{MAX_VALUE} that searches can hold")

    def _checked_state(self, hook: str, s: Any) -> S:
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

    # What only shows when the game is over.

    def _look_back(self, path: list[Position[S]]) -> None:
        """Whether the positions of a finished game kept what they promised."""
        if self.defects or not self.game.facts.zero_sum:
            return
        worth = self.game.utility(path[-1].state)
        for here in path:
            low, high = here.bounds or (worth, worth)
            if not low <= worth <= high:
                self.note(
                    "bounds",
                    f"bounds are {low} and {high}, but play from here came to {worth}",
                    here.state,
                )
        if self.game.facts.deterministic:
            self._look_for_better(path)

    def _look_for_better(self, path: list[Position[S]]) -> None:
        """Whether the sufficient moves suffice, back to where the tree becomes too large."""
        for here in reversed(path):
            chosen = here.sufficient or here.moves
            if len(chosen) == len(here.moves):
                continue
            try:
                better = self._small_trees.better(here.state, here.moves, chosen)
            except TooLarge:
                return
            if better is not None:
                name = self.game.format_move(here.state, better)
                self.note(
                    "sufficient", f"{name} is better than all that sufficient lists", here.state
                )

    # What only shows over many positions.

    def check_turns(self) -> None:
        """Both players must come to move."""
        if self.defects or self._longest < _MANY_DECISIONS:
            return
        decisions = self._movers[MAX] + self._movers[MIN]
        for player, name in ((MAX, "MAX"), (MIN, "MIN")):
            if not self._movers[player]:
                self.note(
                    "turn order",
                    f"{name} never moved in {decisions} turns; does result pass the turn on?",
                    self.game.initial(),
                )

    def check_keys(self) -> None:
        """Positions with one key must have one future."""
        by_key: dict[int, Position[S]] = {}
        for here in self.seen.values() if not self.defects else ():
            other = by_key.setdefault(self.game.key(here.state), here)
            if other is not here and not self._same_future(other, here):
                self.note(
                    "key",
                    "two positions with different futures have the same key; the other one is "
                    f"{self.game.show(other.state)}",
                    here.state,
                )
                return

    def check_settled(self) -> None:
        """Positions with one key to the rest of the game must have the same rest."""
        by_key: dict[int, Position[S]] = {}
        asked = "settled" in self.game.hooks and not self.defects
        for here in self.seen.values() if asked else ():
            other = by_key.setdefault(self.game.settled(here.state)[1], here)
            if other is not here and not self._same_rest(other, here):
                self.note(
                    "settled",
                    "two positions with one key to the rest bring the player to move different "
                    f"gains; the other one is {self.game.show(other.state)}",
                    here.state,
                )
                return

    def _same_future(self, one: Position[S], other: Position[S]) -> bool:
        """Whether the same random moves lead both positions to the same end, clocks aside."""
        a, b = (self._moves(self.game.timeless(here.state)) for here in (one, other))
        utility = self.game.utility
        return a.player == b.player and all(
            ends and utility(ends[0]) == utility(ends[1]) for ends in self._paired_ends(a, b)
        )

    def _same_rest(self, one: Position[S], other: Position[S]) -> bool:
        """Whether the same random moves gain the player to move the same in both positions."""
        utility = self.game.utility
        before = [self.game.settled(here.state)[0] for here in (one, other)]
        sign = 1 if one.player == other.player else -1
        return all(
            ends and utility(ends[0]) - before[0] == sign * (utility(ends[1]) - before[1])
            for ends in self._paired_ends(one, other)
        )

    def _paired_ends(self, one: Position[S], other: Position[S]) -> Iterator[tuple[S, S] | None]:
        """Where the same random moves lead both positions; None if they do not go together.

        They do as long as the moves are the same, and the turn passes in both or in neither.
        """
        swapped = one.player != other.player
        for _ in range(SAMPLE):
            a, b = one, other
            for _ in range(self.game.facts.max_ply):
                if a.moves != b.moves or (a.player != b.player) != swapped:
                    yield None
                    return
                if a.over:
                    yield a.state, b.state
                    break
                move = self._pick(a)
                a = self._moves(self.game.result(a.state, move))
                b = self._moves(self.game.result(b.state, move))

    # Calling what may raise.

    def _call(self, hook: str, *args: Any) -> Any:
        return self._guarded(hook, getattr(self.game, hook), *args)

    def _guarded(self, name: str, function: Callable[..., Any], *args: Any) -> Any:
        try:
            return function(*args)
        except Broken:
            raise
        except Exception as error:
            raise Broken(name, f"{name} raises {_described(error)}") from error

    def note(self, check: str, sentence: str, s: S) -> None:
        """Keep a defect, if it is the first of its kind."""
        said = " ".join(sentence.split())
        self.defects.setdefault(check, Defect(check, said, self.game.show(s)))


def first_defect(game: Game[Any], games: int = 3) -> Defect | None:
    """What is wrong with a game, if a few random games show it: for when its compiling failed."""
    inspector = Inspector(game, random.Random(1))
    for _ in range(games):
        inspector.play()
        if inspector.defects:
            return next(iter(inspector.defects.values()))
    return None


def _described(error: Exception) -> str:
    """An exception of the rules, with its line; and what to do about the commonest one."""
    changes = isinstance(error, AttributeError) and "set attribute" in str(error)
    instead = "; a position is never changed: build the next one with its class" if changes else ""
    return f"{type(error).__name__}{where(error)}: {error}{instead}"
