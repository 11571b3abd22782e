"""A game as it was played, and what it was played for."""

from collections.abc import Sequence
from dataclasses import dataclass, field

#: How a game can end, beside by its rules (`rules`): these count as lost by one player.
CRASH, HANG, ILLEGAL, NONSENSE, TIME = "crash", "hang", "illegal move", "nonsense", "time"
#: The player's own fault, but not its clock's.
FAILURES = (CRASH, HANG, ILLEGAL, NONSENSE)
RULES, ADJUDICATED, TOO_LONG, RESIGNED = "rules", "adjudicated", "too long", "resigned"
#: Never finished, through no fault of the players; it does not count.
ABANDONED = "abandoned"


@dataclass(frozen=True)
class Task:
    """A game to be played: everything that decides how it goes."""

    #: Which game of its match, from 0. Games 2k and 2k + 1 are a pair: the same opening and dice,
    #: with sides reversed.
    number: int
    #: Which of the match's players is MAX, and which is MIN.
    players: tuple[int, int]
    #: Which opening.
    opening: int
    #: The lines of the match's players in this game, where they differ from game to game.
    lines: tuple[str, ...] = ()


@dataclass(frozen=True)
class Played:
    """A game that was played, or given up."""

    task: Task
    #: The text of the position it began from.
    start: str
    #: Every move and event in the game's notation, those of the opening included.
    moves: Sequence[str]
    #: How many of them are the opening's.
    opening_plies: int
    #: What it was worth to MAX: utility, or 1, 0, -1 where it did not end by the rules.
    utility: float
    #: One of the words above,
    ending: str
    #: and a readable reason: `checkmate`, `white's time is up`.
    reason: str
    #: For each move after the opening: what its player thought, in its own units and its own view,
    values: Sequence[float | None] = ()
    #: and the seconds it took. Nature's events have None in both.
    seconds: Sequence[float | None] = ()
    #: The last words of a player who failed.
    output: str = ""
    #: When it ended, in seconds since 1970.
    ended: float = 0.0
    duration: float = 0.0

    @property
    def points(self) -> float:
        """What MAX gets: 1, 0.5 or 0."""
        return points(self.utility)

    @property
    def counts(self) -> bool:
        """Whether it counts in the result of its match."""
        return self.ending != ABANDONED


@dataclass(frozen=True)
class MatchInfo:
    """What a file knows about a match beside its games."""

    #: Its number in the file.
    id: int
    #: A name made of everything that decides how its games go.
    digest: str
    #: The game, as the command line names it.
    game: str
    #: The lines of its players,
    players: Sequence[str]
    #: and what each of them is: name, version, settings.
    about: Sequence[dict[str, object]]
    #: The kind of event: `match`, `round robin`, `gauntlet`, `tune`.
    kind: str
    #: Budget, openings, seed and the like.
    settings: dict[str, object] = field(default_factory=dict)
    #: The version of Threefold that began it.
    version: str = ""
    begun: float = 0.0


def points(utility: float) -> float:
    """The points of a game that was worth so much: 1, 0.5 or 0."""
    return 1.0 if utility > 0 else 0.0 if utility < 0 else 0.5
