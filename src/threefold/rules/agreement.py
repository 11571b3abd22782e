"""Do the interpreted and the compiled rules say the same, wherever both can be asked?

What can be asked is the table `QUESTIONS`: each hook, and what the library makes of hooks. A small
template of `threefold.engine.calls` is run both ways, by Python itself and as machine code.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, TypeVar

from threefold.errors import CompilerOff, NotCompilable
from threefold.rules.contract import CHANCE, MAX
from threefold.rules.game import Game
from threefold.rules.inspection import Inspector, Position
from threefold.rules.rebind import interpreted

if TYPE_CHECKING:
    from threefold.engine.compile import Compiled

S = TypeVar("S")


def _anywhere(_: Position[Any]) -> bool:
    return True


def _where_nature_moves(here: Position[Any]) -> bool:
    return here.player == CHANCE


def _where_a_player_moves(here: Position[Any]) -> bool:
    return here.player != CHANCE


def _where_it_is_over(here: Position[Any]) -> bool:
    return here.over


def _where_it_goes_on(here: Position[Any]) -> bool:
    return not here.over


def _where_a_player_chooses(here: Position[Any]) -> bool:
    return here.player != CHANCE and not here.over


class Question(NamedTuple):
    """What is compared: what the template `call_…` of a hook answers, and where to ask it."""

    hook: str
    where: Callable[[Position[Any]], bool] = _anywhere
    #: How a sentence about it begins.
    said: str = ""
    #: How many rows the hook writes to, moves or events and their weights; it returns how many.
    rows: int = 0
    #: Whether it returns a position.
    state: bool = False
    #: Whether it is asked of each move of a position.
    of_moves: bool = False
    #: Whether it is asked by the number of each symmetry.
    of_symmetries: bool = False

    def is_for(self, game: Game[Any]) -> bool:
        """Whether a game has it: its own hook, or something that the library makes of its hooks."""
        made = {
            "player": True,
            "key": True,
            "symmetric_key": bool(game.symmetries),
            "image": bool(game.symmetries),
            "timeless": bool(game.clocks),
        }
        return self.hook in game.hooks or made.get(self.hook, False)


QUESTIONS: Final = (
    Question("player"),
    Question("key", said="the key"),
    Question("image", said="the image under symmetry", state=True, of_symmetries=True),
    Question("symmetric_key", said="the least key of all symmetric positions"),
    Question("timeless", said="the position with its clocks set back", state=True),
    Question("outcomes", _where_nature_moves, rows=2),
    Question("actions", _where_a_player_moves, said="the list of moves", rows=1),
    Question("drawn", _where_a_player_moves),
    Question("is_terminal"),
    Question("sufficient", _where_a_player_moves, rows=1),
    Question("bounds"),
    Question("settled"),
    Question("remaining"),
    Question("utility", _where_it_is_over),
    Question("noisy", _where_a_player_chooses, rows=1),
    Question("extend", _where_a_player_chooses),
    Question("null_move", _where_a_player_chooses, state=True),
    Question("result", said="the result of", state=True, of_moves=True),
    Question("order", _where_a_player_moves, said="the order of", of_moves=True),
)

#: One for each evaluation that a game has a name for.
EVALUATION: Final = Question("evaluate", _where_it_goes_on)


class BothWays(Generic[S]):
    """A game's rules by Python and as machine code, asked the same questions."""

    def __init__(
        self, game: Game[S], compiled: "Compiled[S]", questions: Iterable[Question]
    ) -> None:
        from threefold.engine import calls

        self._game = game
        self._compiled = compiled
        self._asked = [
            (question, interpreted(template, game), compiled.entry(template))
            for question in questions
            for template in [getattr(calls, f"call_{question.hook}")]
        ]

    def differences(self, here: Position[S]) -> Iterator[str]:
        """What is said otherwise of a position, in sentences."""
        length = self._game.facts.max_moves
        for question, by_python, by_machine in self._asked:
            for name, numbers in self._details(question, here):
                lists = [[0] * length for _ in range(question.rows)]
                ours = self._answer(by_python, question, here.state, numbers, lists)
                rows = list(self._compiled.rows(question.rows))
                theirs = self._answer(by_machine, question, here.state, numbers, rows)
                if ours != theirs:
                    what = f"{question.said or question.hook} {name}".rstrip()
                    yield f"{what} is {ours!r} interpreted but {theirs!r} compiled"

    def _details(
        self, question: Question, here: Position[S]
    ) -> Iterator[tuple[str, tuple[int, ...]]]:
        """What a hook is given beside the position, and its name: a move, a symmetry's number."""
        if not question.where(here):
            return
        if question.of_moves:
            yield from ((self._game.format_move(here.state, a), (a,)) for a in here.moves)
        elif question.of_symmetries:
            yield from ((str(i), (i,)) for i in range(1, len(self._game.symmetries) + 1))
        else:
            yield "", ()

    def _answer(
        self,
        ask: Callable[..., Any],
        question: Question,
        s: S,
        numbers: tuple[int, ...],
        rows: list[Any],
    ) -> Any:
        given = ask(self._compiled.words(s), *numbers, *rows)
        if rows:
            self._game.check_count(question.hook, given)
            written = [[int(entry) for entry in row[:given]] for row in rows]
            return written[0] if len(rows) == 1 else list(zip(*written, strict=True))
        if question.state:
            return self._game.state_type(*given)
        return tuple(map(int, given)) if isinstance(given, tuple) else int(given)


def compare_ways(inspector: Inspector[Any]) -> tuple[str, bool]:
    """Compare with the compiled way; a note why not, and whether it was done."""
    if not inspector.in_words:
        return (
            "interpreted only: the compiled way needs a state that is a NamedTuple of integers",
            False,
        )
    if inspector.defects:
        return "not compared with the compiled way until the defects are mended", False
    from threefold.engine.compile import Compiled

    game = inspector.game
    here = Position(game.initial(), MAX, [])
    try:
        compiled = Compiled(game, checked=True)
        if compiled.initial() != here.state:
            inspector.note("compiled", f"initial is {compiled.initial()} compiled", here.state)
        ways = [BothWays(game, compiled, [q for q in QUESTIONS if q.is_for(game)])]
        for name in game.evaluations:
            using = game.using(name)
            question = EVALUATION._replace(said=f"evaluation {name}")
            ways.append(BothWays(using, Compiled(using, checked=True), [question]))
        for here in inspector.seen.values():
            for difference in (difference for way in ways for difference in way.differences(here)):
                inspector.note("compiled", difference, here.state)
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
