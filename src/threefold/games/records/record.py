"""A game's record: tags, and moves with comments and variations."""

from __future__ import annotations

from dataclasses import dataclass, field

from threefold.errors import BadRecord
from threefold.rules.contract import Action


class BadTag(BadRecord):
    """A tag's value is impossible."""

    def __init__(self, tag: str, reason: object) -> None:
        super().__init__(f"tag {tag}: {reason}")
        self.tag = tag


@dataclass
class Move:
    """A move that was played, its comments, and variations that replace it."""

    action: Action
    #: Numeric annotation glyphs: 1 is `!`, 2 is `?`, 3 `!!`, 4 `??`, 5 `!?`, 6 `?!`.
    nags: list[int] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    variations: list[Line] = field(default_factory=list)


@dataclass
class Line:
    """A sequence of moves, and the comments before the first."""

    moves: list[Move] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)


@dataclass
class Record:
    """One game: its tags in order, and the line that was played."""

    tags: dict[str, str] = field(default_factory=dict)
    line: Line = field(default_factory=Line)

    @property
    def result(self) -> str:
        """How the game ended: `1-0`, `0-1`, `1/2-1/2`, … or `*`, unknown."""
        return self.tags.get("Result", "*")

    @property
    def actions(self) -> list[Action]:
        """The moves that were played."""
        return [move.action for move in self.line.moves]
