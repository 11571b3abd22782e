"""Do the interpreted and the compiled rules say the same, wherever both can be asked?"""

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from threefold.errors import CompilerOff, NotCompilable
from threefold.rules.contract import CHANCE, MAX
from threefold.rules.inspection import Inspector, Position

if TYPE_CHECKING:
    from threefold.engine.compile import Compiled

S = TypeVar("S")


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

    here = Position(inspector.game.initial(), MAX, [])
    try:
        compiled = Compiled(inspector.game, checked=True)
        if compiled.initial() != here.state:
            inspector.note("compiled", f"initial is {compiled.initial()} compiled", here.state)
        evaluations = {
            name: Compiled(inspector.game.using(name), checked=True).evaluate
            for name in inspector.game.evaluations
        }
        for here in inspector.seen.values():
            for what, ours, theirs in _both_ways(inspector, compiled, evaluations, here):
                if ours != theirs:
                    inspector.note(
                        "compiled",
                        f"{what} is {ours!r} interpreted but {theirs!r} compiled",
                        here.state,
                    )
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


def _both_ways(
    inspector: Inspector[S],
    compiled: "Compiled[S]",
    evaluations: Mapping[str, Callable[[S], int]],
    here: Position[S],
) -> Iterator[tuple[str, Any, Any]]:
    game, s = inspector.game, here.state
    yield "player", here.player, compiled.player(s)
    yield "the key", game.key(s), compiled.key(s)
    if here.player == CHANCE:
        yield "outcomes", here.chances, compiled.chances(s)
    else:
        yield "the list of moves", here.moves, compiled.moves(s)
    if "drawn" in game.hooks:
        yield "drawn", game.drawn(s), compiled.drawn(s)
    if "is_terminal" in game.hooks:
        yield "is_terminal", bool(game.is_terminal(s)), compiled.is_terminal(s)
    if here.sufficient is not None:
        yield "sufficient", here.sufficient, compiled.sufficient_moves(s)
    if here.bounds is not None:
        yield "bounds", here.bounds, compiled.bounds(s)
    if "settled" in game.hooks:
        yield "settled", game.settled(s), compiled.settled(s)
    if "remaining" in game.hooks:
        yield "remaining", game.remaining(s), compiled.remaining(s)
    if here.over:
        yield "utility", game.utility(s), compiled.utility(s)
    else:
        for name, evaluate in evaluations.items():
            yield f"evaluation {name}", game.evaluations[name](s), evaluate(s)
    if here.player != CHANCE and not here.over:
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
