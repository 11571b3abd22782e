"""One HTML file about a match or a tournament, which needs no server and no network.

Everything that comes from players and files is escaped: an engine may call itself anything.
"""

import json
from collections.abc import Iterator
from html import escape
from typing import Final

from threefold.arena import crosstable, table
from threefold.arena.record import Played
from threefold.arena.summary import Summary, heading, when
from threefold.rules.html_page import html_page, html_table

#: How many games are listed at most, and how many failures with the last output of their engine.
_GAMES: Final = 5000
_FAILURES: Final = 200


def report(summary: Summary) -> str:
    """The whole HTML file."""
    title = heading(summary.match)
    parts = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="faint">{escape(_counted(summary))}</p>',
        *_standing(summary),
        '<h2>Plots</h2><div class="plots">',
        *summary.plots().values(),
        "</div>",
        "<h2>Players</h2>",
        _players(summary),
        "<h2>Settings</h2>",
        _settings(summary),
        *_failures(summary),
        "<h2>Games</h2>",
        *_games(summary),
    ]
    return html_page(title, parts)


def _counted(summary: Summary) -> str:
    match = summary.match
    seconds = summary.store.seconds(match)
    return (
        f"{len(summary.ledger.done):,} games recorded, {table.duration(seconds)} of play; "
        f"match {match.id} of {summary.store.path.name}, Threefold {match.version or '?'}"
    )


def _standing(summary: Summary) -> Iterator[str]:
    if summary.tuning is not None:
        yield f"<pre>{escape(chr(10).join(summary.lines()))}</pre>"
    else:
        yield from _match(summary) if summary.is_match else _tournament(summary)


def _match(summary: Summary) -> Iterator[str]:
    standing = summary.ledger.standing
    yield f'<p class="verdict">{escape(table.conclusion(standing))}</p>'
    rows = table.lines(standing, summary.names, failures=summary.ledger.failures())
    yield html_table([], [(name.strip(), text) for name, text in map(_split, rows)])


def _split(row: str) -> tuple[str, str]:
    return row[: table.NAME_WIDTH], row[table.NAME_WIDTH :]


def _tournament(summary: Summary) -> Iterator[str]:
    ledger, names = summary.ledger, summary.names
    yield "<h2>Ratings</h2>"
    head, *rows = crosstable.rating_rows(names, ledger.ratings, chance=summary.has_chance)
    yield html_table(head, rows, numbers={0, *range(2, len(head))})
    for line in (*crosstable.remark(ledger.ratings), *table.failure_lines(ledger.failures())):
        yield f"<p>{escape(line)}</p>"
    yield "<h2>Everyone against everyone</h2>"
    head, *rows = crosstable.rows(names, ledger.meetings, ledger.ratings)
    yield html_table(head, rows, numbers={0, *range(2, len(head))})


def _players(summary: Summary) -> str:
    rows = []
    for number, name in enumerate(summary.names):
        about = summary.match.about[number] if number < len(summary.match.about) else {}
        told = "\n".join(f"{key}: {_plain(value)}" for key, value in about.items())
        side = "AB"[number] if summary.is_match else str(number + 1)
        rows.append((side, name, told))
    return html_table(["", "Player", "What it says about itself"], rows, preformatted={2})


def _settings(summary: Summary) -> str:
    shown = {"kind": summary.match.kind, "begun": when(summary.match.begun)}
    rows = [*shown.items()]
    for name, value in summary.match.settings.items():
        if name not in (*shown, "players", "game") and value not in (None, [], ""):
            rows.append((name, _plain(value)))
    return html_table([], rows)


def _plain(value: object) -> str:
    """A value from JSON as a person writes it."""
    if isinstance(value, dict):
        return ", ".join(f"{k} {_plain(v)}" for k, v in value.items() if v is not None)
    if isinstance(value, list):
        return ", ".join(map(_plain, value))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _failures(summary: Summary) -> Iterator[str]:
    failed = summary.failed()
    if not failed:
        return
    yield f"<h2>Games lost by failing: {len(failed):,}</h2>"
    yield html_table(
        ["Game", "Lost by", "How", "Reason", "Its last output"],
        [
            (
                str(played.task.number + 1),
                summary.names[played.task.players[0 if played.utility < 0 else 1]],
                played.ending,
                played.reason,
                played.output,
            )
            for played in failed[:_FAILURES]
        ],
        numbers={0},
        preformatted={4},
    )
    if len(failed) > _FAILURES:
        yield f"<p>The first {_FAILURES:,} of {len(failed):,}.</p>"


def _games(summary: Summary) -> Iterator[str]:
    games = len(summary.ledger.done)
    if games > _GAMES:
        yield f"<p>The first {_GAMES:,} of {games:,}; export the file for all of them.</p>"
    yield '<div class="games">'
    yield html_table(
        ["Game", "Opening", "First", "Second", "Result", "Ended by", "Reason", "Plies", "Seconds"],
        (
            (
                str(played.task.number + 1),
                str(played.task.opening + 1),
                *(summary.names[player] for player in played.task.players),
                _result(played),
                played.ending,
                played.reason,
                str(len(played.moves)),
                f"{played.duration:.2f}",
            )
            for played in summary.store.games(summary.match, most=_GAMES)
        ),
        numbers={0, 1, 7, 8},
    )
    yield "</div>"


def _result(played: Played) -> str:
    if not played.counts:
        return "does not count"
    if abs(played.utility) > 1:
        return f"{played.utility:+g}"
    return {1.0: "1–0", 0.5: "½–½", 0.0: "0–1"}[played.points]
