"""`conformance(game)`: does a game keep the rules contract, and do all its ways agree?

The game is played at random, over and over, and every position on the way is looked at: first
interpreted, with rows that refuse a stray write, then compiled with bounds checking. Each defect is
a sentence that names the hook, and the position where it showed. Only the first of a kind is
reported: one mistake shows in a thousand positions.
"""

import random
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from xml.etree import ElementTree

from threefold.errors import NotCompilable, ThreefoldError
from threefold.rules.bits import wrap
from threefold.rules.contract import CHANCE, MAX, MIN, Action
from threefold.rules.game import Game
from threefold.rules.text import is_record, shorten

if TYPE_CHECKING:
    from threefold.engine.compile import Compiled

S = TypeVar("S")

#: Random games to play, and positions to look at in them, unless told otherwise.
GAMES = 100
MAX_POSITIONS = 2_000
#: Pictures and deeper comparisons are made at every so many positions only.
SAMPLE = 16
_ENDLESS_SUSPICION = 8


@dataclass(frozen=True)
class Defect:
    """What is wrong, in a sentence, and the position that shows it."""

    check: str
    sentence: str
    position: str

    def __str__(self) -> str:
        return f"{self.check}: {self.sentence}\n    position: {self.position}"


@dataclass(frozen=True)
class Report:
    """What `conformance` found."""

    game: str
    games: int
    positions: int
    compiled: bool
    note: str
    defects: tuple[Defect, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.defects

    def __str__(self) -> str:
        ways = "interpreted and compiled" if self.compiled else "interpreted only"
        looked = f"{self.positions} positions of {self.games} random games, {ways}"
        lines = [str(defect) for defect in self.defects]
        verdict = f"{len(lines)} defect{'s' if len(lines) > 1 else ''}" if lines else "no defect"
        notes = [f"note: {self.note}"] if self.note else []
        return "\n".join([*lines, *notes, f"{self.game}: {verdict} in {looked}"])

    def to_json(self) -> dict[str, Any]:
        """The report as JSON's own types."""
        return {
            "game": self.game,
            "ok": self.ok,
            "games": self.games,
            "positions": self.positions,
            "compiled": self.compiled,
            "note": self.note or None,
            "defects": [vars(defect) for defect in self.defects],
        }


def conformance(
    game: Game[Any],
    *,
    games: int = GAMES,
    seed: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Report:
    """Check a game by random play and report every kind of defect found.

    `progress`, if given, is called with the games played so far and in all.
    """
    if games < 1:
        raise ThreefoldError(f"games={games} is not at least 1")
    inspector = _Inspector(game, random.Random(seed))
    played = 0
    for played in range(1, games + 1):
        inspector.play()
        if progress is not None:
            progress(played, games)
        if len(inspector.seen) >= MAX_POSITIONS or inspector.hopeless:
            break
    inspector.check_turns()
    inspector.check_keys()
    note, compiled = inspector.compare_ways()
    return Report(
        game.spec,
        played,
        len(inspector.seen),
        compiled,
        note,
        tuple(inspector.defects.values()),
    )


class _Broken(Exception):
    """A defect, raised where it is noticed: the position is not worth a further look."""

    def __init__(self, check: str, sentence: str) -> None:
        super().__init__(sentence)
        self.check = check
        self.sentence = sentence


class _StrictRow:
    """A row that takes nothing but integers, only where there is room, and is never read."""

    def __init__(self, hook: str, length: int) -> None:
        self._hook = hook
        self._length = length
        self.written: dict[int, int] = {}

    def __setitem__(self, index: int, value: int) -> None:
        if not _is_word(index) or index < 0:
            raise _Broken("row", f"{self._hook} writes to out[{index!r}]; count up from 0")
        if index >= self._length:
            raise _Broken(
                "max_moves",
                f"{self._hook} writes to out[{index}], past max_moves={self._length}; declare "
                "max_moves as large as the most moves of any position",
            )
        if not _is_word(value):
            raise _Broken("row", f"{self._hook} writes {value!r}, which is not an integer")
        self.written[index] = value

    def __getitem__(self, index: int) -> int:
        raise _Broken("row", f"{self._hook} reads from out; rules only write there")

    def first(self, n: object) -> list[int]:
        """The first n entries, all of which must have been written."""
        if not _is_word(n) or not isinstance(n, int) or n < 0:
            raise _Broken("count", f"{self._hook} returned {n!r}, not how many it wrote")
        if n != len(self.written) or set(self.written) != set(range(n)):
            raise _Broken(
                "count", f"{self._hook} wrote {len(self.written)} entries but returned {n}"
            )
        return [self.written[i] for i in range(n)]


@dataclass
class _Position(Generic[S]):
    """What the interpreted rules say of a position."""

    state: S
    player: int
    moves: list[Action]
    chances: list[tuple[Action, int]] = field(default_factory=list)

    @property
    def over(self) -> bool:
        return not self.moves


class _Inspector(Generic[S]):
    """Plays a game and collects its defects, the first of each kind."""

    def __init__(self, game: Game[S], rng: random.Random) -> None:
        self.game = game
        self.defects: dict[str, Defect] = {}
        self.seen: dict[Hashable, _Position[S]] = {}
        self.hopeless = False
        self._rng = rng
        self._movers: dict[int, int] = {MAX: 0, MIN: 0, CHANCE: 0}
        self._in_words = is_record(game.initial()) and all(
            isinstance(value, int)
            for value in game.initial()  # type: ignore[attr-defined]
        )

    # One random game.

    def play(self) -> None:
        """Play to the end, looking at every position that is new."""
        game = self.game
        s = game.initial()
        if game.initial() != s:
            self._note("initial", "initial() returns another position each time", s)
        visited = set()
        try:
            if self._call("player", s) == MIN:
                self._note("turn order", "MIN moves first; the first player is MAX, 0", s)
            for ply in range(game.facts.max_ply + 1):
                here = self._look(s)
                if here.over:
                    return
                if ply == game.facts.max_ply and game.facts.finite:
                    raise _Broken(
                        "max_ply",
                        f"a game goes on past max_ply={ply} plies; declare the longest game, or "
                        "finite=False",
                    )
                if s in visited and game.facts.finite and not game.repeats:
                    raise _Broken(
                        "finite",
                        "a position came up twice in one game, so the game need not end; declare "
                        "repeats=True or finite=False",
                    )
                visited.add(s)
                self._movers[here.player] += 1
                s = self._checked_state("result", self._call("result", s, self._pick(here)))
        except _Broken as broken:
            self._note(broken.check, broken.sentence, s)
            # A game broken at its first position will be broken there again.
            self.hopeless = not visited

    def _pick(self, here: _Position[S]) -> Action:
        if here.chances:
            return self._rng.choices(here.moves, [weight for _, weight in here.chances])[0]
        return self._rng.choice(here.moves)

    def _look(self, s: S) -> _Position[S]:
        """What the rules say of a position, everything that can be said checked."""
        try:
            if s in self.seen:
                return self.seen[s]
        except TypeError:
            raise _Broken(
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
            except _Broken as broken:
                self._note(broken.check, broken.sentence, s)
        if repr(s) != before:
            raise _Broken("state", "a hook changes the position it is given; build a new one")
        return here

    # What is looked at in a position.

    def _checks(self, here: _Position[S], sampled: bool) -> Iterator[Callable[[], None]]:
        game = self.game
        yield lambda: self._check_terminal(here)
        yield lambda: self._check_word("key", game.key(here.state))
        yield lambda: self._check_text(here)
        yield lambda: self._check_results(here)
        if here.player != CHANCE and not here.over:
            for name in game.evaluations:
                yield lambda name=name: self._check_evaluation(name, here)  # type: ignore[misc]
            yield lambda: self._check_hints(here)
        if sampled:
            yield lambda: self._check_drawing(here)
            yield lambda: self._check_symmetries(here)

    def _moves(self, s: S) -> _Position[S]:
        player = self._call("player", s)
        if not _is_word(player) or player not in {MAX, MIN, CHANCE}:
            raise _Broken("player", f"player returned {player!r}; it is 0 (MAX), 1 (MIN) or CHANCE")
        if player == CHANCE:
            chances = self._chances(s)
            return _Position(s, player, [event for event, _ in chances], chances)
        moves = self._row("actions", s)
        self._check_distinct("actions", moves)
        return _Position(s, player, moves)

    def _row(self, hook: str, s: S) -> list[Action]:
        """What a hook writes, the same twice over."""
        twice = []
        for _ in range(2):
            row = _StrictRow(hook, self.game.facts.max_moves)
            twice.append(row.first(self._call(hook, s, row)))
        if twice[0] != twice[1]:
            raise _Broken("reproducible", f"{hook} gives {twice[0]}, then {twice[1]}")
        return twice[0]

    def _chances(self, s: S) -> list[tuple[Action, int]]:
        if "outcomes" not in self.game.hooks:
            raise _Broken("chance", "nature is to move, but the game has no outcomes hook")
        events = _StrictRow("outcomes", self.game.facts.max_moves)
        weights = _StrictRow("outcomes", self.game.facts.max_moves)
        n = self._call("outcomes", s, events, weights)
        found = list(zip(events.first(n), weights.first(n), strict=True))
        if not found:
            raise _Broken("chance", "nature is to move, but outcomes lists no event")
        for event, weight in found:
            if weight < 1:
                raise _Broken("chance", f"event {event} has weight {weight}; weights are positive")
        self._check_distinct("outcomes", [event for event, _ in found])
        return found

    def _check_distinct(self, hook: str, moves: list[Action]) -> None:
        limit = self.game.facts.move_range
        for a in moves:
            if not 0 <= a < limit:
                raise _Broken("move_range", f"{hook} lists {a}, not in 0 ≤ a < move_range={limit}")
        if len(set(moves)) != len(moves):
            again = next(a for a in moves if moves.count(a) > 1)
            raise _Broken("distinct moves", f"{hook} lists {again} more than once")

    def _check_terminal(self, here: _Position[S]) -> None:
        game, s = self.game, here.state
        if "is_terminal" in game.hooks:
            says = self._call("is_terminal", s)
            if bool(says) and here.moves:
                raise _Broken(
                    "terminal",
                    "is_terminal says that the game is over, but there is still a move; a finished "
                    "game has none",
                )
            if not says and here.over:
                raise _Broken(
                    "terminal", "there is no move, but is_terminal says that the game goes on"
                )
        if here.over:
            worth = self._call("utility", s)
            if isinstance(worth, tuple) and game.facts.zero_sum:
                raise _Broken(
                    "zero-sum",
                    f"utility returned {worth!r}; in a zero-sum game it is one integer, MAX's",
                )
            self._check_word("utility", worth)
            if self._call("utility", s) != worth:
                raise _Broken("reproducible", "utility gives another value each time")

    def _check_results(self, here: _Position[S]) -> None:
        for a in here.moves:
            once = self._checked_state("result", self._call("result", here.state, a))
            if self._call("result", here.state, a) != once:
                raise _Broken("reproducible", f"result gives another position each time, move {a}")

    def _check_evaluation(self, name: str, here: _Position[S]) -> None:
        value = self._guarded(name, self.game.evaluations[name], here.state)
        self._check_word(f"evaluation {name}", value)
        if self._guarded(name, self.game.evaluations[name], here.state) != value:
            raise _Broken("reproducible", f"evaluation {name} gives another value each time")

    def _check_hints(self, here: _Position[S]) -> None:
        """The hooks that help a search: order, noisy, extend, null_move."""
        game, s = self.game, here.state
        for a in here.moves if "order" in game.hooks else ():
            self._check_word("order", self._call("order", s, a))
        if "noisy" in game.hooks:
            noisy = self._row("noisy", s)
            self._check_distinct("noisy", noisy)
            if stray := set(noisy) - set(here.moves):
                raise _Broken("noisy", f"noisy lists {min(stray)}, which is no legal move")
        if "extend" in game.hooks:
            plies = self._call("extend", s)
            if not _is_word(plies) or plies < 0:
                raise _Broken("extend", f"extend returned {plies!r}, not a number of plies")
        if "null_move" in game.hooks:
            passed = self._checked_state("null_move", self._call("null_move", s))
            if self._call("player", passed) != (MIN if here.player == MAX else MAX):
                raise _Broken("null_move", "null_move does not pass the turn to the other player")

    def _check_text(self, here: _Position[S]) -> None:
        game, s = self.game, here.state
        text = self._guarded("format", game.format, s)
        if not isinstance(text, str):
            raise _Broken("notation", f"format returned {text!r}, not a text")
        back = self._guarded("parse", game.parse, text)
        if back != s:
            raise _Broken(
                "notation", f"parse(format(s)) is another position: {shorten(repr(back), 200)}"
            )
        names = [self._guarded("format_move", game.format_move, s, a) for a in here.moves]
        for a, name in zip(here.moves, names, strict=True):
            if names.count(name) > 1:
                raise _Broken("notation", f"two moves are both called {name!r}")
            if self._guarded("parse_move", game.parse_move, s, name) != a:
                raise _Broken("notation", f"parse_move(format_move({a})) is another move")

    def _check_drawing(self, here: _Position[S]) -> None:
        if not isinstance(self._guarded("render", self.game.render, here.state), str):
            raise _Broken("render", "render does not return a text")
        drawing = self._guarded("draw", self.game.draw, here.state)
        try:
            parts = [child.tag.rpartition("}")[2] for child in ElementTree.fromstring(drawing)]
        except ElementTree.ParseError as error:
            raise _Broken("draw", f"draw does not return well-formed SVG: {error}") from None
        if not {"title", "desc"} <= set(parts):
            raise _Broken("draw", "the drawing lacks <title> or <desc>")

    def _check_symmetries(self, here: _Position[S]) -> None:
        for number, symmetry in enumerate(self.game.symmetries, 1):
            name = f"symmetry {number}"
            image = self._moves(
                self._checked_state(name, self._guarded(name, symmetry, here.state))
            )
            if image.player != here.player or len(image.moves) != len(here.moves):
                raise _Broken("symmetries", f"{name} changes whose turn it is or how many moves")
            if here.over and self.game.utility(image.state) != self.game.utility(here.state):
                raise _Broken("symmetries", f"{name} changes the utility")

    def _check_word(self, what: str, value: object) -> None:
        if not _is_word(value):
            raise _Broken(what, f"{what} is {value!r}, not an integer of 64 bits")

    def _checked_state(self, hook: str, s: Any) -> S:
        """A position that a hook returned, of the right type and made of words."""
        if not isinstance(s, self.game.state_type):
            wanted = self.game.state_type.__name__
            raise _Broken("state", f"{hook} returned a {type(s).__name__}, not a {wanted}")
        fields = zip(type(s)._fields, s, strict=True) if self._in_words else ()  # type: ignore[attr-defined,call-overload]
        for name, value in fields:
            if not isinstance(value, int):
                raise _Broken(
                    "state", f"{hook} sets {name} to {value!r}; a field is a whole number"
                )
            if value != wrap(value):
                raise _Broken(
                    "state",
                    f"{hook} sets {name} to {value}, past 64 bits signed; use shl and wrap of "
                    "threefold.rules.bits",
                )
        return s

    # What only shows over many positions.

    def check_turns(self) -> None:
        """Both players must come to move."""
        decisions = self._movers[MAX] + self._movers[MIN]
        for player, name in ((MAX, "MAX"), (MIN, "MIN")):
            if decisions > _ENDLESS_SUSPICION and not self._movers[player]:
                self._note(
                    "turn order",
                    f"{name} never moved in {decisions} turns; does result pass the turn on?",
                    self.game.initial(),
                )

    def check_keys(self) -> None:
        """Positions with one key must have one future."""
        by_key: dict[int, _Position[S]] = {}
        for here in self.seen.values():
            try:
                key = self.game.key(here.state)
            except Exception:
                return  # noted where it was looked at
            other = by_key.setdefault(key, here)
            if other is not here and not self._same_future(other, here):
                self._note(
                    "key",
                    "two positions with different futures have the same key; the other one is "
                    f"{self.game.show(other.state)}",
                    here.state,
                )
                return

    def _same_future(self, one: _Position[S], other: _Position[S]) -> bool:
        """Whether the same random moves lead both positions to the same end."""
        for _ in range(SAMPLE):
            a, b = one, other
            for _ in range(self.game.facts.max_ply):
                if (a.player, a.moves) != (b.player, b.moves):
                    return False
                if a.over:
                    if self.game.utility(a.state) != self.game.utility(b.state):
                        return False
                    break
                move = self._pick(a)
                a = self._moves(self.game.result(a.state, move))
                b = self._moves(self.game.result(b.state, move))
        return True

    def compare_ways(self) -> tuple[str, bool]:
        """Compare with the compiled way; a note why not, and whether it was done."""
        if not self._in_words:
            return (
                "interpreted only: the compiled way needs a state that is a NamedTuple of integers",
                False,
            )
        if self.defects:
            return "not compared with the compiled way until the defects are mended", False
        from threefold.engine.compile import Compiled

        try:
            compiled = Compiled(self.game, checked=True)
            evaluations = {
                name: Compiled(self.game.using(name), checked=True).evaluate
                for name in self.game.evaluations
            }
            for here in self.seen.values():
                for what, ours, theirs in self._both_ways(compiled, evaluations, here):
                    if ours != theirs:
                        self._note(
                            "compiled",
                            f"{what} is {ours!r} interpreted but {theirs!r} compiled",
                            here.state,
                        )
                        return "", True
        except NotCompilable as error:
            self._note("compiled", str(error), self.game.initial())
            return "", False
        except Exception as error:
            self._note(
                "compiled",
                f"the compiled rules raise {type(error).__name__}: {error}",
                here.state,
            )
        return "", True

    def _both_ways(
        self,
        compiled: "Compiled[S]",
        evaluations: Mapping[str, Callable[[S], int]],
        here: _Position[S],
    ) -> Iterator[tuple[str, Any, Any]]:
        game, s = self.game, here.state
        yield "player", here.player, compiled.player(s)
        yield "the key", game.key(s), compiled.key(s)
        if here.player == CHANCE:
            yield "outcomes", here.chances, compiled.chances(s)
        else:
            yield "the list of moves", here.moves, compiled.moves(s)
        if "is_terminal" in game.hooks:
            yield "is_terminal", bool(game.is_terminal(s)), compiled.is_terminal(s)
        if here.over:
            yield "utility", game.utility(s), compiled.utility(s)
        elif here.player != CHANCE:
            for name, evaluate in evaluations.items():
                yield f"evaluation {name}", game.evaluations[name](s), evaluate(s)
            if "noisy" in game.hooks:
                yield "noisy", game.noisy_moves(s), compiled.noisy_moves(s)
            if "extend" in game.hooks:
                yield "extend", game.extend(s), compiled.extend(s)
            if "null_move" in game.hooks:
                yield "null_move", game.null_move(s), compiled.null_move(s)
        for a in here.moves:
            name = game.format_move(s, a)
            yield f"the result of {name}", game.result(s, a), compiled.result(s, a)
            if "order" in game.hooks and here.player != CHANCE:
                yield f"the order of {name}", game.order(s, a), compiled.order(s, a)

    # Calling what may raise.

    def _call(self, hook: str, *args: Any) -> Any:
        return self._guarded(hook, getattr(self.game, hook), *args)

    def _guarded(self, name: str, function: Callable[..., Any], *args: Any) -> Any:
        try:
            return function(*args)
        except _Broken:
            raise
        except Exception as error:
            raise _Broken(name, f"{name} raises {type(error).__name__}: {error}") from error

    def _note(self, check: str, sentence: str, s: S) -> None:
        self.defects.setdefault(check, Defect(check, sentence, self.game.show(s)))


def _is_word(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value == wrap(value)
