"""Listing the moves of a position, and what happens when a hook lists more than it may.

Part of every template: a wrong count stops the search before a row is read past its end.
"""

from typing import Any

from threefold.engine.control import COUNT, FAULT, STOP, Control
from threefold.errors import BrokenRules
from threefold.rules.contract import MAX_MOVES, actions, outcomes
from threefold.rules.game import Game

_HOOKS = {1: "actions", 2: "outcomes"}


def list_actions(s: Any, row: Any, control: Control) -> int:
    """Write the moves of `s` into `row` and return how many; 0 stops a search that went wrong."""
    n = actions(s, row)
    if n < 0 or n > MAX_MOVES:
        control[FAULT] = 1
        control[COUNT] = n
        control[STOP] = 1
        return 0
    return n


def list_outcomes(s: Any, row: Any, weight: Any, control: Control) -> int:
    """Write the events of nature at `s` into `row`; there is at least one."""
    n = outcomes(s, row, weight)
    if n < 1 or n > MAX_MOVES:
        control[FAULT] = 2
        control[COUNT] = n
        control[STOP] = 1
        return 0
    return n


def check_fault(game: Game[Any], control: Control) -> None:
    """Raise if a hook returned a count that it may not."""
    if control[FAULT]:
        hook = _HOOKS[int(control[FAULT])]
        least = 0 if hook == "actions" else 1
        raise BrokenRules(
            f"{game.name}: {hook} returned {control[COUNT]} for some position, not a count from "
            f"{least} to max_moves={game.facts.max_moves}; threefold conformance shows which"
        )
