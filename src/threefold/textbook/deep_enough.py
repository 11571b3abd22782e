"""DEEP_ENOUGH: when to stop the recursion and call STATIC.

The lecture lists five things to consider. Each is a policy here, and `any_of` combines them. As
text, separated by commas, in any order, and the search stops where any of them says so:

    won                 has one side won?
    plies=3             how many plies have we already explored? Stop at three
    exceeds=3           the same as printed: stop where the depth exceeds three
    promising=4:8       how promising is the path? From four plies on, stop where the static value
                        is eight or more away from even
    time=0.5            how much time is left? Stop everywhere after half a second
    stable=2            how stable is the configuration? From two plies on, stop where it is quiet
"""

import math
import time
from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

from threefold.errors import ThreefoldError, argument
from threefold.rules.text import did_you_mean, shorten
from threefold.textbook.tree import Node

#: Whether the search should stop at a node, given its distance from the root in plies.
Policy: TypeAlias = Callable[[Node, int], bool]


def won(node: Node, plies: int) -> bool:  # noqa: ARG001
    """Has one side won? Then there is nothing left to search."""
    return not node.children


def deeper_than(limit: int) -> Policy:
    """How many plies have we already explored?"""

    def policy(_: Node, plies: int) -> bool:
        return plies >= limit

    return policy


def exceeds(limit: int) -> Policy:
    """The same as printed: true where the depth exceeds a constant, so one ply further down."""
    return deeper_than(limit + 1)


def unpromising(limit: int, margin: float) -> Policy:
    """How promising is the path? Beyond a depth, stop where the static value is far from even."""

    def policy(node: Node, plies: int) -> bool:
        known = isinstance(node.value, int | Fraction)
        return plies >= limit and known and abs(node.value) >= margin  # type: ignore[arg-type,operator]

    return policy


def out_of_time(seconds: float) -> Policy:
    """How much time is left? The clock starts when a search asks about its root."""
    end = time.monotonic() + seconds

    def policy(_: Node, plies: int) -> bool:
        nonlocal end
        if plies == 0:
            end = time.monotonic() + seconds
        return time.monotonic() >= end

    return policy


def stable(limit: int) -> Policy:
    """How stable is the configuration? Beyond a depth, stop where it is quiet."""
    return lambda node, plies: plies >= limit and node.quiet


def any_of(*policies: Policy) -> Policy:
    """Stop where any of the policies would stop."""
    return lambda node, plies: any(policy(node, plies) for policy in policies)


def parse_policy(text: str) -> Policy:
    """The policy that a text describes, such as `won,plies=3,stable=2`."""
    chosen: dict[str, Policy] = {}
    for part in text.split(","):
        name, _, value = (each.strip() for each in part.partition("="))
        if name not in _FACTORS:
            raise _bad(text, f"{shorten(name)} is not a factor: {did_you_mean(name, _FACTORS)}")
        if name in chosen:
            raise _bad(text, f"{name} is given twice")
        example, read = _FACTORS[name]
        try:
            chosen[name] = read(*value.split(":") if "=" in part else ())
        except (ValueError, TypeError):  # not a number, or not as many as it takes
            raise _bad(text, f"{shorten(part.strip())} should be like {example}") from None
    return any_of(*chosen.values())


def _bad(text: str, why: str) -> ThreefoldError:
    return ThreefoldError(f"{argument('deep_enough', shorten(text))}: {why}")


def _count(text: str) -> int:
    """A whole number of plies."""
    if not (text.isascii() and text.isdigit()):
        raise ValueError
    return int(text)


def _amount(text: str) -> float:
    """A finite number that is not negative."""
    amount = float(text)
    if not (math.isfinite(amount) and amount >= 0):
        raise ValueError
    return amount


#: By name: an example, and the policy from the parts of its value.
_FACTORS: dict[str, tuple[str, Callable[..., Policy]]] = {
    "won": ("won", lambda: won),
    "plies": ("plies=3", lambda plies: deeper_than(_count(plies))),
    "exceeds": ("exceeds=3", lambda plies: exceeds(_count(plies))),
    "promising": (
        "promising=4:8, plies and margin",
        lambda plies, margin: unpromising(_count(plies), _amount(margin)),
    ),
    "time": ("time=0.5, in seconds", lambda seconds: out_of_time(_amount(seconds))),
    "stable": ("stable=2", lambda plies: stable(_count(plies))),
}
