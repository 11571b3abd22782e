"""Tricks that are sure at a glance, and the cards that make them sure."""

from collections.abc import Callable

from threefold.games.bridge.position import State, tricks_left


def sure_tricks(strain: int) -> Callable[[State], tuple[int, int, int, int]]:
    """The hook `foreseen` for a strain."""

    def foreseen(s: State) -> tuple[int, int, int, int]:
        lead, left = s.won - s.lost, tricks_left(s)
        return lead - left, lead + left, 0, 0

    return foreseen
