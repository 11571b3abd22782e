"""Do the interpreted and the compiled rules give the same answers?

Each hook that a game has, and what the library makes of hooks, is called by a small template of
`threefold.engine.calls`, which is run both ways: by Python and as machine code.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from threefold.errors import CompilerOff, NotCompilable
from threefold.rules.asking import Position
from threefold.rules.contract import MAX, MIN
from threefold.rules.endgame_checks import EndgameChecks
from threefold.rules.game import Game
from threefold.rules.hooks import ANY_WORD, DERIVED, HOOKS, WORTHS, Hook, Kind, seeded
from threefold.rules.inspection import Inspector
from threefold.rules.rebind import interpreted

if TYPE_CHECKING:
    from threefold.engine.compile import Compiled

S = TypeVar("S")


def questions(game: Game[Any]) -> list[Hook]:
    """The hooks that can be asked of a game, and what the library makes of them.

    Not `evaluate`: every evaluation is asked under its own name.
    """
    derived = {
        "image": bool(game.symmetries),
        "symmetric_key": bool(game.symmetries),
        "timeless": bool(game.clocks),
    }
    supplied = {*game.hooks, "player", "key"} - {"initial", "evaluate"}
    return [row for name, row in HOOKS.items() if name in supplied] + [
        row for name, row in DERIVED.items() if derived[name]
    ]


class BothWays(Generic[S]):
    """A game's rules by Python and as machine code, asked the same questions."""

    def __init__(self, game: Game[S], compiled: "Compiled[S]", questions: Iterable[Hook]) -> None:
        from threefold.engine.calls import call

        self._game = game
        self._compiled = compiled
        self._asked = [
            (question, interpreted(call(question), game), compiled.entry(call(question)))
            for question in questions
        ]

    def differences(self, here: Position[S]) -> Iterator[str]:
        """The answers about a position that differ, in sentences."""
        for question, by_python, by_machine in self._asked:
            for name, numbers in self._details(question, here):
                rows = self._rows(question)
                lists = [[0] * len(row) for row in rows]
                ours = self._answer(by_python, question, here.state, numbers, lists)
                theirs = self._answer(by_machine, question, here.state, numbers, rows)
                if ours != theirs:
                    what = f"{question.phrase or question.name} {name}".rstrip()
                    yield f"{what} is {ours!r} interpreted but {theirs!r} compiled"

    def _rows(self, question: Hook) -> list[Any]:
        """The rows that a hook writes to."""
        if question.returns is Kind.INPUTS:
            return list(self._compiled.feature_rows(question.rows))
        return list(self._compiled.rows(question.rows))

    def _details(self, question: Hook, here: Position[S]) -> Iterator[tuple[str, tuple[int, ...]]]:
        """What a hook is given besides the position, and its name: a move, a symmetry's number."""
        if not question.asked(here.player, here.over):
            return
        seats = range(self._game.facts.seats)
        any_word = not ANY_WORD.isdisjoint(question.parameters)
        if any_word and "p" in question.parameters:
            for p, seed in seeded([(p,) for p in seats]):
                yield f"for player {p} and seed {seed}", (p, seed)
        elif any_word:
            moves = [(a,) for a in here.moves] if "a" in question.parameters else [()]
            for *move, seed in seeded(moves):
                name = " ".join(self._game.format_move(here.state, a) for a in move)
                yield f"{name} for seed {seed}".lstrip(), (*move, seed)
        elif "a" in question.parameters:
            yield from ((self._game.format_move(here.state, a), (a,)) for a in here.moves)
        elif "number" in question.parameters:
            yield from ((str(i), (i,)) for i in range(1, len(self._game.symmetries) + 1))
        elif "value" in question.parameters:
            yield from ((f"where {value} are {unit}", (value, unit)) for value, unit in WORTHS)
        elif "p" in question.parameters:
            players = seats if question.name == "observe" else (MAX, MIN)
            yield from ((f"as player {p} sees them", (p,)) for p in players)
        else:
            yield "", ()

    def _answer(
        self,
        ask: Callable[..., Any],
        question: Hook,
        s: S,
        numbers: tuple[int, ...],
        rows: list[Any],
    ) -> Any:
        given = ask(self._compiled.words(s), *numbers, *rows)
        if rows:
            if question.returns is Kind.COUNT:
                self._game.check_count(question.name, given)
            written = [[int(entry) for entry in row[:given]] for row in rows]
            return written[0] if len(rows) == 1 else list(zip(*written, strict=True))
        return question.converter(self._game.state_type)(given)


def _every_evaluation(game: Game[S]) -> Iterator[tuple[str, Game[S]]]:
    """The game with each of its evaluations, and with the sum of its terms where it has any."""
    for name in game.evaluations:
        using = game.using(name)
        yield f"evaluation {name}", using
        if name in game.terms:
            yield f"the sum of the terms of {name}", using.by_terms()


def compare_ways(
    inspector: Inspector[Any], endgames: EndgameChecks[Any] | None
) -> tuple[str, bool]:
    """Compare with the compiled way; return a note if that failed, and whether it was done."""
    if not inspector.in_words:
        return (
            "interpreted only: the compiled way needs a state that is a NamedTuple of integers",
            False,
        )
    if inspector.game.facts.players > 2:
        return "interpreted only: the compiled way is for two players", False
    if inspector.defects:
        return "not compared with the compiled way until the defects are fixed", False
    from threefold.engine.compile import Compiled

    game = inspector.game
    here = Position(game.initial(), MAX, [])
    try:
        compiled = Compiled(game, checked=True)
        if compiled.initial() != here.state:
            inspector.note("compiled", f"initial is {compiled.initial()} compiled", here.state)
        ways = [BothWays(game, compiled, questions(game))]
        for phrase, using in _every_evaluation(game):
            question = replace(HOOKS["evaluate"], phrase=phrase)
            ways.append(BothWays(using, Compiled(using, checked=True), [question]))
        for here in inspector.seen.values():
            for difference in (difference for way in ways for difference in way.differences(here)):
                inspector.note("compiled", difference, here.state)
                return "", True
        for difference, s in endgames.differences(compiled.entry) if endgames else ():
            inspector.note("compiled", difference, s)
            return "", True
    except CompilerOff as error:
        return f"interpreted only: {error}", False
    except NotCompilable as error:
        inspector.note("compiled", str(error), here.state)
        return "", False
    except Exception as error:
        inspector.note(
            "compiled",
            f"the compiled rules raise {type(error).__name__}: {error}",
            here.state,
        )
    return "", True
