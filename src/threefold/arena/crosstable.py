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


def rating_lines(names: Sequence[str], ratings: Ratings, *, chance: bool = False) -> list[str]:
    """Rank, player, rating, games and points, best first."""
    digits, heading = (3, "Points a game") if chance else (1, "Elo")
    rows = [
        (
            str(rank),
            printable(names[one.player], _NAME),
            "–" if one.rating is None else f"{one.rating:+.{digits}f}",
            "–" if one.error is None else f"± {one.error:.{digits}f}",
            f"{one.games:,}",
            f"{one.points:,g}",
            f"{100 * one.points / one.games:.1f}%" if one.games else "–",
        )
        for rank, one in enumerate(ratings.players, 1)
    ]
    found = columns([("", "Player", heading, "", "Games", "Points", "Score"), *rows], left={1})
    if ratings.first_move.value is not None and ratings.draw_rate is not None:
        found.append(
            f"Moving first is worth {signed(ratings.first_move)} Elo; "
            f"equal players draw {100 * ratings.draw_rate:.0f}% of their games."
        )
    return found


def lines(names: Sequence[str], meetings: Meetings, ratings: Ratings) -> list[str]:
    """The cross-table: each player's points, and games, against each other one."""
    ranked = [one.player for one in ratings.players]
    shown = ranked[:_COLUMNS]
    head = ("", "Player", *(str(rank) for rank in range(1, len(shown) + 1)))
    rows = [
        (
            str(rank),
            printable(names[player], _NAME),
            *(cell(meetings, player, other) for other in shown),
        )
        for rank, player in enumerate(ranked, 1)
    ]
    found = columns([head, *rows], left={1})
    if len(shown) < len(ranked):
        found.append(f"Columns of the first {len(shown)} players of {len(ranked)}.")
    return found


def cell(meetings: Meetings, player: int, other: int) -> str:
    """`7.5/10`: points out of games; nothing for who never met."""
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
