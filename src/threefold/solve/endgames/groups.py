"""In which order slices are made: each after those that it leads to.

Slices that lead to each other are made together, as a *group*. With both sides' material the same
but the other player to move, that is the rule: a quiet move leads from one to the other.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from threefold.errors import BrokenRules
from threefold.rules.endgames import Slice


@dataclass(frozen=True)
class Group:
    """Slices that are made together, and those outside that they lead to."""

    slices: tuple[Slice, ...]
    exits: tuple[Slice, ...]

    @cached_property
    def size(self) -> int:
        """How many numbers its slices have."""
        return sum(each.size for each in self.slices)

    @property
    def name(self) -> str:
        """The names of its slices."""
        return ", ".join(each.name for each in self.slices)


def in_order(slices: Sequence[Slice], game: str) -> list[Group]:
    """All groups, each after those that it leads to; smaller ones first where that is possible."""
    by_number = {each.number: each for each in slices}
    for each in slices:
        for after in each.leads_to:
            if after not in by_number:
                raise BrokenRules(
                    f"{game}: slice {each.name} leads to slice {after}, which `slices` does not "
                    "list; a slice leads to slices with at most as many pieces"
                )
    return [_group(members, by_number) for members in _components(by_number)]


def _group(members: tuple[int, ...], by_number: dict[int, Slice]) -> Group:
    inside = sorted((by_number[each] for each in members), key=lambda each: each.number)
    exits = {after for each in inside for after in each.leads_to} - set(members)
    return Group(tuple(inside), tuple(by_number[each] for each in sorted(exits)))


def _components(by_number: dict[int, Slice]) -> Iterator[tuple[int, ...]]:
    """The strongly connected components, successors first (Tarjan 1972), without recursion."""
    index: dict[int, int] = {}
    lowest: dict[int, int] = {}
    stack: list[int] = []
    on_stack: set[int] = set()
    for root in sorted(by_number, key=lambda each: by_number[each].size):
        if root in index:
            continue
        waiting = [(root, iter(by_number[root].leads_to))]
        index[root] = lowest[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while waiting:
            here, after = waiting[-1]
            for each in after:
                if each not in index:
                    index[each] = lowest[each] = len(index)
                    stack.append(each)
                    on_stack.add(each)
                    waiting.append((each, iter(by_number[each].leads_to)))
                    break
                if each in on_stack:
                    lowest[here] = min(lowest[here], index[each])
            else:
                waiting.pop()
                if waiting:
                    above = waiting[-1][0]
                    lowest[above] = min(lowest[above], lowest[here])
                if lowest[here] == index[here]:
                    start = stack.index(here)
                    yield tuple(stack[start:])
                    on_stack.difference_update(stack[start:])
                    del stack[start:]
