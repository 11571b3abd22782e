"""A match of two players as a benchmark: our share of the points, and its error bars.

Every opening, a few plies at random, is played twice with sides reversed.
"""

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from threefold.arena.contest import Contest
from threefold.arena.statistics import Tally
from threefold.engine.progress import StatusLine, bar

OPENINGS = "random:4"
SEED = 20


@dataclass(frozen=True)
class Score:
    """How a match went for us."""

    what: str
    tally: Tally
    wanted: float = 0.0

    def __str__(self) -> str:
        tally = self.tally
        score = tally.score or 0.0
        aim = f"; wanted {self.wanted:.0%}: {'' if score >= self.wanted else 'NOT '}reached"
        elo = tally.elo
        error = "" if elo.value is None else f", Elo {elo.value:+.0f} ± {elo.error or 0:.0f}"
        return (
            f"{self.what}: {score:.1%} of {tally.games} games, {tally.wins} won, {tally.draws} "
            f"drawn, {tally.losses} lost{error}{aim if self.wanted else ''}"
        )

    def to_json(self) -> dict[str, Any]:
        tally = self.tally
        return {
            "what": self.what,
            "games": tally.games,
            "wins": tally.wins,
            "draws": tally.draws,
            "losses": tally.losses,
            "elo": tally.elo.value,
            "elo_error": tally.elo.error,
            "wanted": self.wanted,
        }


def game_count(default: int) -> int:
    """How many games each match has: THREEFOLD_GAMES."""
    return int(os.environ.get("THREEFOLD_GAMES", default))


def match(
    what: str,
    spec: str,
    ours: str,
    theirs: str,
    games: int,
    wanted: float = 0.0,
    db: str | None = None,
    concurrency: int = 1,
    **settings: Any,
) -> Score:
    """Play a match, one game at a time or more; with a file, continue the one begun there."""
    given: dict[str, Any] = {"openings": OPENINGS, "seed": SEED, "margin": 1.0} | settings
    with tempfile.TemporaryDirectory() as folder:
        path = db or str(Path(folder, "games.db"))
        with Contest(spec, [ours, theirs], db=path, **given) as it:
            it.begin(games)

            def progress(_: float) -> str:
                return f"{spec} {bar(it.ledger.games / games)} {it.ledger.games}/{games} games"

            with StatusLine(progress):
                it.play(games, concurrency=concurrency)
            return Score(what, it.ledger.standing.tally, wanted)
