"""The clocks of a GTP game: main time, then periods of some seconds for some moves each."""

from dataclasses import dataclass

from threefold.engine.pacing import Pace, pace
from threefold.rules.contract import Player


@dataclass
class _Clock:
    """One player's: the seconds left, for how many moves; no moves in main time."""

    seconds: float
    moves: int


class GtpClocks:
    """Both players' clocks. Without a setting, or with one that allows any time, they stand."""

    def __init__(self) -> None:
        self._period = _Clock(0.0, 0)
        self._clocks: list[_Clock] | None = None

    def set(self, main: float, period: float, moves: int) -> None:
        """Set both: a period without moves means no limit."""
        self._period = _Clock(period, moves)
        unlimited = main <= 0 and moves == 0
        first = _Clock(main, 0) if main > 0 else _Clock(period, moves)
        unlimited = unlimited or (period > 0 and moves == 0)
        self._clocks = None if unlimited else [_Clock(first.seconds, first.moves) for _ in range(2)]

    def correct(self, player: Player, seconds: float, moves: int) -> None:
        """What the other side says is left."""
        if self._clocks is None:
            self._clocks = [_Clock(seconds, moves) for _ in range(2)]
        self._clocks[player] = _Clock(seconds, moves)

    def spend(self, player: Player, seconds: float) -> None:
        """Count the time of a move."""
        if self._clocks is None:
            return
        clock, period = self._clocks[player], self._period
        clock.seconds -= seconds
        in_period = clock.moves > 0
        clock.moves -= in_period
        if period.moves and ((in_period and not clock.moves) or clock.seconds <= 0):
            self._clocks[player] = _Clock(period.seconds, period.moves)

    def pace(self, player: Player) -> Pace | None:
        """How long a player may think about the next move; None for as long as it likes."""
        if self._clocks is None:
            return None
        clock, period = self._clocks[player], self._period
        if clock.moves:
            return pace(clock.seconds, moves_to_go=clock.moves)
        each = period.seconds / period.moves if period.moves else 0.0
        return pace(clock.seconds + each, each)
