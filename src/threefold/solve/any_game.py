"""Templates that know only arrays: compiled once for all games, for a game without rules."""

from functools import cache, partial
from typing import Any, Final, NamedTuple

from threefold.engine.compile import Compiled
from threefold.engine.control import Control
from threefold.engine.jit.entries import Entry
from threefold.engine.records import boxed
from threefold.engine.worker import run_in_worker
from threefold.errors import CompilerOff
from threefold.rules.game import Game
from threefold.rules.rebind import Function


class _Nothing(NamedTuple):
    turn: int


WITHOUT_RULES: Final = Game(
    "solving",
    initial=lambda: _Nothing(0),
    actions=lambda s, out: 0,  # noqa: ARG005
    result=lambda s, a: s,  # noqa: ARG005
    utility=lambda s: 0,  # noqa: ARG005
)


@cache
def entry(template: Function) -> Function:
    """The template compiled; as it is where nothing can be compiled."""
    try:
        return Compiled(WITHOUT_RULES).entry(template)
    except CompilerOff:
        return template


def run(template: Function, arguments: tuple[Any, ...], control: Control) -> Any:
    """Run a template, which takes the control last, until it is done or stopped."""
    return run_in_worker(partial(entry(template), *arguments, boxed(control)), control)


def prepare(template: Function, arguments: tuple[Any, ...]) -> None:
    """Compile for arguments like these now, so that it does not count as work."""
    if isinstance(compiled := entry(template), Entry):
        compiled.prepare(*arguments)
