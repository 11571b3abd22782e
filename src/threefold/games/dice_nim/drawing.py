"""Pictures of Dice Nim: the stones in rows of twelve, and the die."""

from threefold.games.dice_nim.rules import State
from threefold.rules import svg

_STEP = 26.0
_PER_ROW = 12


def drawing(s: State) -> str:
    """The stones and the die."""
    rows = max(1, -(-s.stones // _PER_ROW))
    stones = [
        svg.circle(28 + i % _PER_ROW * _STEP, 30 + i // _PER_ROW * _STEP, 10, "fill-ink")
        for i in range(s.stones)
    ]
    x = 28 + _PER_ROW * _STEP
    die = [
        svg.rect(x, 10, 44, 44, "fill-board", 8),
        svg.label(x + 22, 32, str(s.die or "?"), size=24),
    ]
    places = [
        svg.place(15 + i % _PER_ROW * _STEP, 17 + i // _PER_ROW * _STEP, _STEP, _STEP, str(i + 1))
        for i in range(s.stones)
    ]
    places.append(svg.place(x, 10, 44, 44, "die"))
    shown = f"The die shows {s.die}" if s.die else "The die has not been rolled"
    return svg.picture(
        x + 60,
        max(64, rows * _STEP + 34),
        "Dice Nim",
        f"{s.stones} stones. {shown}. Player {s.turn + 1}'s turn.",
        [*stones, *die, *places],
    )
