"""One HTML file that needs no server and no network, in light and in dark: its frame, its tables.

Every text that is given is escaped.
"""

from collections.abc import Iterable, Sequence
from html import escape
from typing import Final

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


def html_page(title: str, parts: Iterable[str]) -> str:
    """The whole file around the parts of its body, which are HTML already."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(parts)
        + "\n</body>\n</html>\n"
    )


def html_table(
    head: Sequence[str],
    rows: Iterable[Sequence[str]],
    numbers: Iterable[int] = (),
    preformatted: Iterable[int] = (),
) -> str:
    """A table; the columns in `numbers` are set to the right, those in `preformatted` as given."""
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
