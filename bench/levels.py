"""The ladder of levels: how much stronger each level is than the one below.

threefold bench levels                               60 games of each step, in all games
THREEFOLD_GAMES=200 THREEFOLD_MATCHES="chess;othello" threefold bench levels

Games are recorded in THREEFOLD_DB (levels.db by default), and the same command continues there.
"""

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from threefold.arena.contest import Contest
from threefold.arena.statistics import Tally
from threefold.arena.table import signed
from threefold.engine.levels import LEVELS

GAMES = "nim;tic-tac-toe;connect-four;kalah;othello;checkers;chess"
OPENINGS = {"nim": None, "tic-tac-toe": "random:1"}


@dataclass(frozen=True)
class Step:
    """A level against the one below."""

    game: str
    level: int
    tally: Tally

    def __str__(self) -> str:
        tally = self.tally
        return (
            f"{self.game}: level {self.level} against level {self.level - 1}: "
            f"{100 * (tally.score or 0):.1f} % of {tally.games} games, {signed(tally.elo, 0)} Elo"
        )

    def to_json(self) -> dict[str, Any]:
        elo = self.tally.elo
        return {
            "game": self.game,
            "level": self.level,
            "games": self.tally.games,
            "points": self.tally.points,
            "elo": elo.value,
            "elo_error": elo.error,
        }


def measure() -> Iterator[Step]:
    games = int(os.environ.get("THREEFOLD_GAMES", "60"))
    db = os.environ.get("THREEFOLD_DB", "levels.db")
    for spec in os.environ.get("THREEFOLD_MATCHES", GAMES).split(";"):
        openings = OPENINGS.get(spec, "random:4")
        for number in range(2, len(LEVELS) + 1):
            players = [f"level({number})", f"level({number - 1})"]
            with Contest(spec, players, db=db, openings=openings) as it:
                it.begin(games)

                def watch(it: Contest = it, players: list[str] = players) -> None:
                    done = f"{it.ledger.games}/{games} games"
                    sys.stderr.write(f"\r{it.settings.game}: {players[0]} {done}  ")

                it.play(games, concurrency=int(os.environ.get("THREEFOLD_CORES", "1")), watch=watch)
                sys.stderr.write("\n")
                yield Step(spec, number, it.ledger.standing.tally)


if __name__ == "__main__":
    for step in measure():
        print(step)
