"""Why a game cannot be compiled: what is refused beforehand, and what the compiler gave up on."""

from typing import TYPE_CHECKING, Any

from threefold.engine import refusals
from threefold.engine.calls import call
from threefold.engine.jit.dispatcher import ROW, WORD, is_fraction, type_of
from threefold.errors import NotCompilable
from threefold.rules.game import Game
from threefold.rules.hooks import HOOKS
from threefold.rules.inspection import first_defect
from threefold.rules.text import is_record

if TYPE_CHECKING:
    from threefold.engine.compile import Compiled


def check_state(game: Game[Any]) -> None:
    """Refuse more than two players, and a state not made of words; say what to change."""
    if game.facts.players > 2:
        raise NotCompilable(
            f"{game.name}: the compiled way is for two players, and this game has "
            f"{game.facts.players}; use the interpreted way"
        )
    start = game.initial()
    wanted = "the compiled way needs a state that is a NamedTuple of integers"
    if not is_record(start):
        raise NotCompilable(
            f"{game.name}: {wanted}, and this one is a {type(start).__name__}; boards go into "
            "64-bit integers (see threefold.rules.bits)"
        )
    if not start:
        raise NotCompilable(f"{game.name}: {wanted}, and this one has no field")
    for name, value in zip(start._fields, start, strict=True):
        if not isinstance(value, int):
            raise NotCompilable(
                f"{game.name}: {wanted}, and `{name}` is a {type(value).__name__}; pack it into "
                "64-bit integers (see threefold.rules.bits)"
            )


def check_hooks(game: Game[Any]) -> None:
    """Refuse hooks that use what cannot be compiled, giving name and line."""
    symmetries = {f"symmetry {i}": hook for i, hook in enumerate(game.symmetries, 1)}
    for name, hook in (game.hooks | symmetries).items():
        for refusal in refusals.in_hook(hook, game.state_type):
            raise NotCompilable(f"{game.name}: {name} cannot be compiled: {refusal}")


def of(compiled: "Compiled[Any]", failure: Exception) -> NotCompilable:
    """Why a game cannot be compiled: what `conformance` would say, if it finds anything."""
    game = compiled.game
    if (defect := first_defect(game)) is not None:
        return NotCompilable(f"{game.name}: {defect.sentence}; position: {defect.position}")
    reason = refusals.sentence_of(failure)
    general = NotCompilable(f"{game.name} cannot be compiled: {reason}")
    return broken_hook(compiled) or general


def broken_hook(compiled: "Compiled[Any]") -> NotCompilable | None:
    """Compile the hooks one by one to find which of them fails, and why."""
    game = compiled.game
    start = type_of(compiled.words(game.initial()))
    types = {"s": start, "out": ROW, "weight": ROW}
    for name, hook in game.hooks.items():
        row = HOOKS[name]
        entry = compiled.entry(call(row))
        try:
            returned = entry.returned_type(tuple(types.get(p, WORD) for p in row.parameters))
        except Exception as error:
            return NotCompilable(
                f"{game.name}: {name} cannot be compiled: {refusals.compiler_says(hook, error)}"
            )
        if is_fraction(returned):
            return NotCompilable(
                f"{game.name}: {name} returns a fraction, and rules deal in whole numbers"
            )
    return None
