"""What is checked in every position that `conformance` visits."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Final, Generic, TypeVar
from xml.etree import ElementTree

from threefold.rules.asking import Asker, Position
from threefold.rules.contract import MAX, MIN, Action
from threefold.rules.hooks import ANY_WORD, HOOKS, WORTHS, seeded
from threefold.rules.information_checks import InformationChecks
from threefold.rules.overflow import OverflowCheck
from threefold.rules.strict_row import Broken
from threefold.rules.terms import Terms, denominator, shares
from threefold.rules.text import shorten

S = TypeVar("S")

#: Hooks that have their own check, here or in `Asker`.
_CHECKED_BY_NAME: Final = {
    *("initial", "actions", "result", "utility", "player", "is_terminal", "evaluate"),
    *("outcomes", "key", "drawn", "features"),
    *("observe", "deal", "seat"),
}


class PositionChecks(Generic[S]):
    """The checks of one position. Each raises `Broken` if it fails."""

    def __init__(self, asker: Asker[S]) -> None:
        self._asker = asker
        self._game = asker.game
        self._overflow_check = OverflowCheck(asker.game)
        self.information = InformationChecks(asker)
        #: How many words of features the first position had.
        self._feature_words: int | None = None

    def of(
        self, here: Position[S], *, drawing: bool, overflow: bool
    ) -> Iterator[Callable[[], Any]]:
        """All checks of a position; the two slow ones only if asked for."""
        game = self._game
        yield partial(self._check_terminal, here)
        yield partial(self._check_key, here)
        yield partial(self._check_text, here)
        yield partial(self._check_results, here)
        yield partial(self._check_symmetries, here)
        for hook in game.hooks:
            if hook not in _CHECKED_BY_NAME:
                yield partial(self._check_hook, hook, here)
        # Only what is compiled can overflow.
        if overflow and self._asker.in_words and game.facts.players == 2:
            yield partial(self._check_overflow, here)
        for name in game.evaluations if not here.over else ():
            yield partial(self._check_evaluation, name, here)
        if "features" in game.hooks:
            yield partial(self._check_features, here)
        if not game.facts.perfect_information:
            yield from self.information.of(here)
        if drawing:
            yield partial(self._check_drawing, here)

    # The rules.

    def _check_key(self, here: Position[S]) -> None:
        self._asker.check_word("key", self._asker.call("key", here.state))

    def _check_terminal(self, here: Position[S]) -> None:
        game, s = self._game, here.state
        if "is_terminal" in game.hooks:
            says = self._asker.call("is_terminal", s)
            if bool(says) and here.moves:
                raise Broken(
                    "terminal",
                    "is_terminal says that the game is over, but there is still a move; a finished "
                    "game has none",
                )
            if not says and here.over and not self._asker.is_drawn(s):
                raise Broken(
                    "terminal", "there is no move, but is_terminal says that the game goes on"
                )
        if here.over:
            self._check_utility(s)

    def _check_utility(self, s: S) -> None:
        facts, worth = self._game.facts, self._asker.payoffs(s)
        if len(worth) > 1 and facts.players == 2 and facts.zero_sum:
            raise Broken(
                "zero-sum",
                f"utility returned {worth!r}; in a zero-sum game it is one integer, MAX's",
            )
        for payoff in worth:
            self._asker.check_value("utility", payoff)
        if facts.players > 2 and facts.zero_sum and sum(worth):
            raise Broken(
                "zero-sum",
                f"the payoffs {', '.join(map(str, worth))} add up to {sum(worth)}, not to 0; "
                "declare zero_sum=False if they may",
            )
        if self._asker.payoffs(s) != worth:
            raise Broken("reproducible", "utility gives a different value each time")

    def _check_results(self, here: Position[S]) -> None:
        for a in here.moves:
            once = self._asker.checked_state("result", self._asker.call("result", here.state, a))
            if self._asker.call("result", here.state, a) != once:
                raise Broken(
                    "reproducible", f"result gives a different position each time, move {a}"
                )

    def _check_evaluation(self, name: str, here: Position[S]) -> None:
        players = self._game.facts.players
        for others in [(p,) for p in range(players)] if players > 2 else [()]:
            asked = (name, self._game.evaluations[name], here.state, *others)
            value = self._asker.guarded(*asked)
            # In a game that is not zero-sum an estimate may be a payoff for each player.
            each = value if isinstance(value, tuple) and not self._game.facts.zero_sum else (value,)
            for part in each:
                self._asker.check_value(f"evaluation {name}", part)
            if self._asker.guarded(*asked) != value:
                raise Broken("reproducible", f"evaluation {name} gives a different value each time")
        if terms := self._game.terms.get(name, {}):
            self._check_terms(name, terms, here)

    def _check_features(self, here: Position[S]) -> None:
        for p in range(self._game.facts.players):
            count = len(self._asker.features(here.state, p))
            if self._feature_words is None:
                self._feature_words = count
            if count != self._feature_words or count == 0:
                raise Broken(
                    "features",
                    f"features wrote {count} words for player {p}; it writes the same number for "
                    f"every position and player, at least 1; before, it was {self._feature_words}",
                )

    def _check_terms(self, name: str, terms: Terms, here: Position[S]) -> None:
        """The terms of an evaluation are whole numbers that add up to it."""
        for term, (feature, _) in terms.items():
            for p in (MAX, MIN):
                counted = self._asker.guarded(f"term {term}", feature, here.state, p)
                self._asker.check_value(f"term {term} of {name}", counted)
        value = self._game.evaluations[name](here.state)
        added = sum(each.share for each in shares(terms, here.state)) * denominator(terms)
        if added != value:
            raise Broken("terms", f"evaluation {name} is {value}, but its terms add up to {added}")

    # The hooks that help a search.

    def _check_hook(self, name: str, here: Position[S]) -> None:
        """What a hook answers, as the table of hooks has it; then what it promises."""
        row = HOOKS[name]
        if not row.asked(here.player, here.over):
            return
        if row.rows and self._asker.is_drawn(here.state):
            return  # the hook may list moves that count no more
        given: Sequence[tuple[int, ...]] = [()]
        if "a" in row.parameters:
            given = [(a,) for a in here.moves]
        elif "value" in row.parameters:
            given = WORTHS
        if not ANY_WORD.isdisjoint(row.parameters):
            given = seeded(given)
        for others in given:
            answer = self._asker.answer(name, here, *others)
            if name == "sufficient":
                self._check_sufficient(here, answer)
            elif name == "bounds":
                self._check_order(name, answer)
                here.bounds = answer
            elif name == "assured":
                self._check_order(name, answer)
            elif name == "null_move":
                self._check_null_move(here, answer)

    def _check_sufficient(self, here: Position[S], moves: list[Action]) -> None:
        if not moves and not here.over:
            raise Broken("sufficient", "sufficient lists no move, but the game goes on")
        here.sufficient = moves

    def _check_order(self, name: str, given: tuple[int, int]) -> None:
        if given[0] > given[1]:
            raise Broken(name, f"{name} returned {given}, the greater first")

    def _check_null_move(self, here: Position[S], passed: S) -> None:
        other = MIN if here.player == MAX else MAX
        if passed != here.state and self._asker.call("player", passed) != other:
            raise Broken("null_move", "null_move does not pass the turn to the other player")

    # Texts and pictures, symmetries, overflows.

    def _check_text(self, here: Position[S]) -> None:
        game, s = self._game, here.state
        text = self._asker.guarded("format", game.format, s)
        if not isinstance(text, str):
            raise Broken("notation", f"format returned {text!r}, not text")
        back = self._asker.guarded("parse", game.parse, text) if game.has_notation else s
        if back != s:
            raise Broken(
                "notation", f"parse(format(s)) is another position: {shorten(repr(back), 200)}"
            )
        for form in ("format_move", "readable_move"):
            names = [self._asker.guarded(form, getattr(game, form), s, a) for a in here.moves]
            for a, name in zip(here.moves, names, strict=True):
                if names.count(name) > 1:
                    raise Broken("notation", f"two moves are both called {name!r}")
                if self._asker.guarded("parse_move", game.parse_move, s, name) != a:
                    raise Broken("notation", f"parse_move({form}({a})) is another move")
        if here.over:
            ended = self._asker.guarded("ending", game.outcome, [s])
            if ended is not None and not isinstance(ended.reason, str):
                raise Broken("ending", f"ending returned {ended.reason!r}, not text")

    def _check_drawing(self, here: Position[S]) -> None:
        if not isinstance(self._asker.guarded("render", self._game.render, here.state), str):
            raise Broken("render", "render does not return text")
        drawing = self._asker.guarded("draw", self._game.draw, here.state)
        try:
            parts = [child.tag.rpartition("}")[2] for child in ElementTree.fromstring(drawing)]
        except ElementTree.ParseError as error:
            raise Broken("draw", f"draw does not return well-formed SVG: {error}") from None
        if not {"title", "desc"} <= set(parts):
            raise Broken("draw", "the drawing lacks <title> or <desc>")

    def _check_symmetries(self, here: Position[S]) -> None:
        for number, symmetry in enumerate(self._game.symmetries, 1):
            name = f"symmetry {number}"
            image = self._asker.position(
                self._asker.checked_state(name, self._asker.guarded(name, symmetry, here.state))
            )
            if image.player != here.player or image.over != here.over:
                raise Broken("symmetries", f"{name} changes whose turn it is or ends the game")
            if here.over and self._asker.payoffs(image.state) != self._asker.payoffs(here.state):
                raise Broken("symmetries", f"{name} changes the utility")
            ours = {self._asker.guarded(name, symmetry, t) for t in self._asker.children(here)}
            if ours != set(self._asker.children(image)):
                raise Broken("symmetries", f"{name} leads to positions that follow differently")

    def _check_overflow(self, here: Position[S]) -> None:
        for sentence in self._overflow_check.overflows(here.state, here.player, here.moves):
            raise Broken("overflow", sentence)
