"""Take pictures of the lab's rooms for README and docs: python docs/screenshots.py."""

import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

FOLDER = Path(__file__).parent / "pictures"
sys.path.insert(0, str(FOLDER.parents[1] / "tests"))

from lab_browser import Lab, Visitor, chromium  # noqa: E402

SIZE = {"width": 1280, "height": 800}
LARGEST = 200_000
ITALIAN = "e2e4;e7e5;g1f3;b8c6;f1c4;g8f6;f3g5"
GAMMON = "XGID=-b----E-C---eE---c-e----B-:0:0:1:43:0:0:0:0:10"
GO = "E5;C3;G3;G7;C7;D7;D8;C6;B7;E7;B6;C5;B5;C4;F6;F7;G6;G4;F3;H3;F4;H6;H5;J5;G5;H7;J6;H8;J7;E8"
TREE = "((3 12 8) (2 4 6) (14 5 2))"

#: Each picture's address in the lab, and what must be visible first.
PICTURES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "play": (
        "play/game=chess&first=human&second=human&moves=" + ITALIAN,
        ".move[aria-current]",
        {},
    ),
    "analyse": (
        "analyse/game=connect-four&moves=4;4;5&values=1&time=10",
        ".figures:has-text('finished'), .figures:has-text('proven')",
        {},
    ),
    "backgammon": (
        "play/game=backgammon(cube=true)&first=human&second=human&start="
        + GAMMON
        + "&moves=24/20 13/10;roll;31",
        ".board .place.source",
        {},
    ),
    "go": (
        "play/game=go&first=human&second=human&territory=1&moves=" + GO,
        ".board .owner",
        {},
    ),
    "bridge": (
        "play/game=contract-bridge&seats=3,3,human,3",
        ".board .place.can",
        {},
    ),
    "seats": (
        "play/game=contract-bridge&seats=human,5,human,5",
        ".cover button",
        {},
    ),
    "step": (f"step/tree={TREE}&procedure=alphabeta&step=14", ".tf-entry[aria-current]", {}),
    "step-dark": (
        f"step/tree={TREE}&procedure=alphabeta&step=14",
        ".tf-entry[aria-current]",
        {"color_scheme": "dark"},
    ),
    "compare": (f"compare/tree={TREE}", ".compare-run svg", {}),
    "exercises": ("exercises/seed=7", ".exercise-field", {}),
    "review": (
        "review/game=tic-tac-toe&moves=a1;b1;b2;c3;a2;a3;c2&at=2&run=1",
        ".faults button",
        {},
    ),
}


def picture(page: Page, name: str, wanted: str) -> None:
    """Wait for an element, then take the picture."""
    expect(page.locator(wanted).first).to_be_visible(timeout=60_000)
    page.evaluate("document.fonts.ready")
    file = FOLDER / f"lab-{name}.png"
    page.screenshot(path=file, animations="disabled")
    size = file.stat().st_size
    print(f"{file.name}: {size:,} bytes")
    if size > LARGEST:
        raise SystemExit(f"{file.name} is larger than {LARGEST:,} bytes")


def main() -> None:
    """Take all pictures, or only the named ones."""
    chosen = sys.argv[1:] or list(PICTURES)
    with Lab() as lab, chromium() as browser:
        visitor = Visitor(browser, lab)
        for name in chosen:
            room, wanted, options = PICTURES[name]
            page = visitor.open(room, viewport=SIZE, reduced_motion="reduce", **options)
            picture(page, name, wanted)
            visitor.leave()
        if visitor.wrong:
            raise SystemExit("\n".join(visitor.wrong))


if __name__ == "__main__":
    main()
