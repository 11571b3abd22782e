"""A run as one HTML file to step through, which needs no server and no network."""

import json
from collections.abc import Sequence
from html import escape
from typing import Any

from threefold.textbook.page_files import page_file, script, style
from threefold.textbook.stepping import stepper
from threefold.textbook.trace import Event


def page(events: Sequence[Event], title: str) -> str:
    """The whole HTML file for a run on a tree."""
    return page_of(stepper(events), title)


def page_of(steps: dict[str, Any], title: str) -> str:
    """The whole HTML file for steps in the form of the stepper."""
    data = json.dumps(steps, ensure_ascii=False, separators=(",", ":"))
    return _fill(
        page_file("page.html"),
        TITLE=escape(title),
        STYLE=style() + page_file("page.css"),
        # A "<" inside the data could end the script, so it is written as a JSON escape.
        DATA=data.replace("<", "\\u003c"),
        SCRIPT=script("page.js"),
    )


def _fill(template: str, **parts: str) -> str:
    """Put the parts in their places, whatever they contain."""
    pieces = template.split("@@")
    pieces[1::2] = [parts[name] for name in pieces[1::2]]
    return "".join(pieces)
