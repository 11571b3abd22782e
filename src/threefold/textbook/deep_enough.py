"""DEEP_ENOUGH: when to stop the recursion and call STATIC.

The lecture lists five things to consider. Each is a policy here, and `any_of` combines them.
"""

import time
from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

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


def unpromising(limit: int, margin: float) -> Policy:
    """How promising is the path? Beyond a depth, stop where the static value is far from even."""

    def policy(node: Node, plies: int) -> bool:
        known = isinstance(node.value, int | Fraction)
        return plies >= limit and known and abs(node.value) >= margin  # type: ignore[arg-type,operator]

    return policy


def out_of_time(seconds: float) -> Policy:
    """How much time is left?"""
    end = time.monotonic() + seconds

    def policy(_: Node, __: int) -> bool:
        return time.monotonic() >= end

    return policy


def stable(limit: int) -> Policy:
    """How stable is the configuration? Beyond a depth, stop where it is quiet."""
    return lambda node, plies: plies >= limit and node.quiet


def any_of(*policies: Policy) -> Policy:
    """Stop where any of the policies would stop."""
    return lambda node, plies: any(policy(node, plies) for policy in policies)
