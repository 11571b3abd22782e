"""The table of a tournament: ratings, and everyone's points against everyone, as lines of text."""

from collections.abc import Sequence
from typing import Final

from threefold.arena.meetings import Meetings
from threefold.arena.ratings import Ratings
from threefold.arena.table import signed
from threefold.rules.text import printable

#: The longest name of a player that is shown whole.
_NAME: Final = 40
#: More columns of points than these do not fit on a screen.
_COLUMNS: Final = 12


def rating_rows(
    names: Sequence[str], ratings: Ratings, *, chance: bool = False
) -> list[tuple[str, ...]]:
    """A heading, then rank, player, rating, error, games, points and score, best first."""
    digits, heading = (3, "Points a game") if chance else (1, "Elo")
    return [
        ("", "Player", heading, "", "Games", "Points", "Score"),
        *(
            (
                str(rank),
                names[one.player],
                "–" if one.rating is None else f"{one.rating:+z.{digits}f}",
                "–" if one.error is None else f"± {one.error:.{digits}f}",
                f"{one.games:,}",
                f"{one.points:,g}",
                f"{100 * one.points / one.games:.1f}%" if one.games else "–",
            )
            for rank, one in enumerate(ratings.players, 1)
        ),
    ]


def rating_lines(names: Sequence[str], ratings: Ratings, *, chance: bool = False) -> list[str]:
    """The same as lines of text, and what moving first is worth."""
    found = columns(rating_rows(_fitting(names), ratings, chance=chance), left={1})
    return [*found, *remark(ratings)]


def remark(ratings: Ratings) -> list[str]:
    """What moving first is worth and how often equals draw, in a sentence, if that is known."""
    if ratings.first_move.value is None or ratings.draw_rate is None:
        return []
    return [
        f"Moving first is worth {signed(ratings.first_move)} Elo; "
        f"equal players draw {100 * ratings.draw_rate:.0f}% of their games."
    ]


def rows(
    names: Sequence[str], meetings: Meetings, ratings: Ratings, most: int | None = None
) -> list[tuple[str, ...]]:
    """A heading, then everyone's points and games against everyone, or the best `most`."""
    ranked = [one.player for one in ratings.players]
    shown = ranked[:most]
    return [
        ("", "Player", *(str(rank) for rank in range(1, len(shown) + 1))),
        *(
            (str(rank), names[player], *(cell(meetings, player, other) for other in shown))
            for rank, player in enumerate(ranked, 1)
        ),
    ]


def lines(names: Sequence[str], meetings: Meetings, ratings: Ratings) -> list[str]:
    """The cross-table as lines of text."""
    found = columns(rows(_fitting(names), meetings, ratings, _COLUMNS), left={1})
    if len(names) > _COLUMNS:
        found.append(f"Columns of the first {_COLUMNS} players of {len(names)}.")
    return found


def _fitting(names: Sequence[str]) -> list[str]:
    return [printable(name, _NAME) for name in names]


def cell(meetings: Meetings, player: int, other: int) -> str:
    """`7.5/10`: points out of games; a dash for two who never met."""
    if player == other:
        return "×"
    tally = meetings.between(player, other)
    return f"{tally.points:g}/{tally.games}" if tally.games else "–"


def columns(rows: Sequence[Sequence[str]], left: set[int]) -> list[str]:
    """Rows of texts, aligned; numbers to the right and the columns in `left` to the left."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            f"{text:<{width}}" if i in left else f"{text:>{width}}"
            for i, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
