"""One HTML file about a match or a tournament, which needs no server and no network.

Everything that comes from players and files is escaped: an engine may call itself anything.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Final

from threefold.arena import crosstable, table
from threefold.arena.record import Played
from threefold.arena.summary import Summary, heading, when

#: How many games are listed at most, and how many failures with the last output of their engine.
_GAMES: Final = 5000
_FAILURES: Final = 200

_STYLE: Final = """
:root{color-scheme:light dark;--paper:#fff;--ink:#1d2433;--line:#d5dae3;--soft:#f4f6fa;
--faint:#5b6579}
@media(prefers-color-scheme:dark){:root{--paper:#12161f;--ink:#e6eaf2;--line:#343d4e;--soft:#1a2130;
--faint:#a3aec2}}
body{margin:0 auto;max-width:76rem;padding:1.2rem;background:var(--paper);color:var(--ink);
font:16px/1.5 system-ui,sans-serif}
h1{font-size:1.5rem;margin:0}h2{font-size:1.15rem;margin:2rem 0 .6rem}
.faint{color:var(--faint);margin:.2rem 0}.verdict{font-size:1.1rem;margin:1rem 0}
.wide{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{padding:.25rem .7rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
th{font-weight:600;background:var(--soft)}td.number,th.number{text-align:right}
pre{margin:.3rem 0;padding:.5rem .7rem;background:var(--soft);white-space:pre-wrap;
overflow-wrap:anywhere}
.plots{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,32rem),1fr));gap:1rem}
.plots svg{width:100%;height:auto}
.games{max-height:34rem;overflow:auto}.games th{position:sticky;top:0}
"""


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
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(parts)
        + "\n</body>\n</html>\n"
    )


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
    yield _table([], [(name.strip(), text) for name, text in map(_split, rows)])


def _split(row: str) -> tuple[str, str]:
    return row[: table.NAME_WIDTH], row[table.NAME_WIDTH :]


def _tournament(summary: Summary) -> Iterator[str]:
    ledger, names = summary.ledger, summary.names
    yield "<h2>Ratings</h2>"
    head, *rows = crosstable.rating_rows(names, ledger.ratings, chance=summary.has_chance)
    yield _table(head, rows, numbers={0, *range(2, len(head))})
    for line in (*crosstable.remark(ledger.ratings), *table.failure_lines(ledger.failures())):
        yield f"<p>{escape(line)}</p>"
    yield "<h2>Everyone against everyone</h2>"
    head, *rows = crosstable.rows(names, ledger.meetings, ledger.ratings)
    yield _table(head, rows, numbers={0, *range(2, len(head))})


def _players(summary: Summary) -> str:
    rows = []
    for number, name in enumerate(summary.names):
        about = summary.match.about[number] if number < len(summary.match.about) else {}
        told = "\n".join(f"{key}: {_plain(value)}" for key, value in about.items())
        side = "AB"[number] if summary.is_match else str(number + 1)
        rows.append((side, name, told))
    return _table(["", "Player", "What it says about itself"], rows, preformatted={2})


def _settings(summary: Summary) -> str:
    shown = {"kind": summary.match.kind, "begun": when(summary.match.begun)}
    rows = [*shown.items()]
    for name, value in summary.match.settings.items():
        if name not in (*shown, "players", "game") and value not in (None, [], ""):
            rows.append((name, _plain(value)))
    return _table([], rows)


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
    yield _table(
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
    yield _table(
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


def _table(
    head: Sequence[str],
    rows: Iterable[Sequence[str]],
    numbers: Iterable[int] = (),
    preformatted: Iterable[int] = (),
) -> str:
    right, kept = set(numbers), set(preformatted)

    def cells(row: Sequence[str], tag: str) -> str:
        return "".join(
            f"<{tag}{' class=number' if i in right else ''}>"
            + (f"<pre>{escape(text)}</pre>" if i in kept and tag == "td" and text else escape(text))
            + f"</{tag}>"
            for i, text in enumerate(row)
        )

    lines = [f"<tr>{cells(row, 'td')}</tr>" for row in rows]
    if head:
        lines.insert(0, f"<tr>{cells(head, 'th')}</tr>")
    return '<div class="wide"><table>' + "\n".join(lines) + "</table></div>"
