"""`conformance(game)`: does a game keep the rules contract, and do all its ways agree?

The game is played at random, over and over, and every position on the way is checked: first
interpreted, with rows that refuse a stray write, then compiled with bounds checking. Each defect is
a sentence that names the hook, and a position that shows it. Only the first of each kind is
reported, because one mistake shows in a thousand positions.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from threefold.errors import ThreefoldError
from threefold.rules.agreement import compare_ways
from threefold.rules.endgame_checks import check_endgames
from threefold.rules.game import Game
from threefold.rules.inspection import Inspector
from threefold.rules.strict_row import Defect

#: How many random games to play, and how many positions to check in them, by default.
GAMES = 100
MAX_POSITIONS = 2_000


@dataclass(frozen=True)
class Report:
    """What `conformance` found."""

    game: str
    games: int
    positions: int
    compiled: bool
    note: str
    defects: tuple[Defect, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.defects

    def __str__(self) -> str:
        ways = "interpreted and compiled" if self.compiled else "interpreted only"
        looked = f"{self.positions} positions of {self.games} random games, {ways}"
        lines = [str(defect) for defect in self.defects]
        verdict = f"{len(lines)} defect{'s' if len(lines) > 1 else ''}" if lines else "no defect"
        notes = [f"note: {self.note}"] if self.note else []
        return "\n".join([*lines, *notes, f"{self.game}: {verdict} in {looked}"])

    def __repr__(self) -> str:
        return str(self)

    def to_json(self) -> dict[str, Any]:
        """The report in JSON's types."""
        return {
            "game": self.game,
            "ok": self.ok,
            "games": self.games,
            "positions": self.positions,
            "compiled": self.compiled,
            "note": self.note or None,
            "defects": [vars(defect) for defect in self.defects],
        }


def conformance(
    game: Game[Any],
    *,
    games: int = GAMES,
    seed: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Report:
    """Check a game by random play and report every kind of defect found.

    `progress`, if given, is called with the games played so far and in all.
    """
    if games < 1:
        raise ThreefoldError(f"games={games} is not at least 1")
    inspector = Inspector(game, random.Random(seed))
    played = 0
    for played in range(1, games + 1):
        inspector.play()
        if progress is not None:
            progress(played, games)
        if len(inspector.seen) >= MAX_POSITIONS or inspector.hopeless:
            break
    inspector.check_turns()
    inspector.check_keys()
    inspector.check_settled()
    inspector.check_information()
    endgames = check_endgames(inspector, random.Random(seed))
    note, compiled = compare_ways(inspector, endgames)
    return Report(
        game.spec,
        played,
        len(inspector.seen),
        compiled,
        note,
        tuple(inspector.defects.values()),
    )
