"""Listing the moves of a position, and what happens when a hook breaks the contract.

Part of every template: a wrong count stops the search before a row is read past its end.
"""

from typing import Any, Final

from threefold.engine.control import Control
from threefold.errors import BrokenRules
from threefold.rules.bits import wrap
from threefold.rules.contract import (
    CHANCE,
    DRAWN,
    HAS_DRAWN,
    HAS_IS_TERMINAL,
    HAS_OUTCOMES,
    HAS_SUFFICIENT,
    MAX_MOVES,
    MAX_WEIGHT,
    actions,
    drawn,
    is_terminal,
    noisy,
    outcomes,
    player,
    sufficient,
    utility,
)
from threefold.rules.dealing import too_rare
from threefold.rules.game import Game

# What can go wrong: the values of `Control.fault`.
_BY_ACTIONS: Final = 1
_BY_OUTCOMES: Final = 2
_BY_NOISY: Final = 3
_BY_SUFFICIENT: Final = 4
_BY_UTILITY: Final = 5
_BY_WEIGHT: Final = 6
BY_FEATURES: Final = 7
BY_SLICES: Final = 8
BY_DATABASE: Final = 9
BY_DEAL: Final = 10
BY_OBSERVE: Final = 11
_HOOKS = {
    _BY_ACTIONS: "actions",
    _BY_OUTCOMES: "outcomes",
    _BY_NOISY: "noisy",
    _BY_SUFFICIENT: "sufficient",
}


def stop_for(fault: int, returned: int, control: Control) -> int:
    """Stop a search that went wrong; return 0, because there is nothing to go on with."""
    control.fault = fault
    control.returned = returned
    control.stop = 1
    return 0


def checked_count(n: int, least: int, fault: int, control: Control) -> int:
    """How many moves a hook wrote; 0 if that count is impossible."""
    if n < least or n > MAX_MOVES:
        return stop_for(fault, n, control)
    return n


def list_all(s: Any, row: Any, control: Control) -> int:
    """Write the moves of `s` into `row` and return how many, whether the game is drawn or not."""
    return checked_count(actions(s, row), 0, _BY_ACTIONS, control)


def list_actions(s: Any, row: Any, control: Control) -> int:
    """Write the moves of `s` into `row` and return how many; none once the game is over."""
    if HAS_DRAWN and drawn(s) == DRAWN:
        return 0
    return list_all(s, row, control)


def list_sufficient(s: Any, row: Any, control: Control) -> int:
    """Write the moves of `s` that a search has to look at into `row` and return how many."""
    if HAS_SUFFICIENT and not (HAS_DRAWN and drawn(s) == DRAWN):
        return checked_count(sufficient(s, row), 0, _BY_SUFFICIENT, control)
    return list_actions(s, row, control)


def list_noisy(s: Any, row: Any, control: Control) -> int:
    """Write the moves of `s` that are not quiet into `row` and return how many."""
    return checked_count(noisy(s, row), 0, _BY_NOISY, control)


def list_outcomes(s: Any, row: Any, weight: Any, control: Control) -> int:
    """Write the events of nature at `s` into `row`; there is at least one."""
    n = checked_count(outcomes(s, row, weight), 1, _BY_OUTCOMES, control)
    total = 0
    for i in range(n):
        if weight[i] < 1 or weight[i] > MAX_WEIGHT - total:
            return stop_for(_BY_WEIGHT, weight[i], control)
        total += weight[i]
    return n


def checked_utility(s: Any, most: int, control: Control) -> int:
    """The utility of a finished game to MAX, if it is within ± `most`."""
    value = wrap(utility(s))
    if value > most or value < -most:
        return stop_for(_BY_UTILITY, value, control)
    return value


def is_over(s: Any, row: Any, control: Control) -> bool:
    """Whether the game has ended; `row` is overwritten."""
    if HAS_OUTCOMES and player(s) == CHANCE:
        return False
    if HAS_IS_TERMINAL:
        return is_terminal(s) or (HAS_DRAWN and drawn(s) == DRAWN)
    return list_actions(s, row, control) == 0


def check_fault(game: Game[Any], control: Control) -> None:
    """Raise if a hook broke the contract."""
    fault = int(control.fault)
    if fault == _BY_UTILITY:
        raise BrokenRules(
            f"{game.name}: utility returned {control.returned} for some position, past what "
            "searches can hold; threefold conformance shows which"
        )
    if fault == _BY_WEIGHT:
        raise BrokenRules(
            f"{game.name}: outcomes wrote the weight {control.returned} for some position; weights "
            f"are positive, and their sum is at most {MAX_WEIGHT}"
        )
    if fault == BY_FEATURES:
        raise BrokenRules(
            f"{game.name}: features returned {control.returned} for some position, and another "
            "number of words for others; it is the same for every position"
        )
    if fault == BY_SLICES:
        raise BrokenRules(
            f"{game.name}: a move leads to a position of slice {control.returned}, which leads_to "
            "of endgames does not mention, or to a number that is not in use; "
            "threefold conformance shows which"
        )
    if fault == BY_DEAL:
        raise too_rare(game)
    if fault == BY_OBSERVE:
        raise BrokenRules(
            f"{game.name}: positions that look the same have {control.returned} moves, and another "
            "number of them; threefold conformance shows which"
        )
    if fault == BY_DATABASE and game.database is not None:
        raise game.database.damaged(int(control.returned))
    if fault:
        hook = _HOOKS[fault]
        least = 1 if fault == _BY_OUTCOMES else 0
        raise BrokenRules(
            f"{game.name}: {hook} returned {control.returned} for some position, not a count from "
            f"{least} to max_moves={game.facts.max_moves}; threefold conformance shows which"
        )
