"""What a call says about a hand: ranges of points and of lengths, and a few words more.

The same record decides whether a hand makes the call, tells what the call shows, and is written out
in the table of the bidding system. So the three cannot differ.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from threefold.games.bridge.cards import IN_A_SUIT, SUIT_NAMES
from threefold.games.contract_bridge.hand import Hand

MOST_POINTS: Final = 40
ANY_POINTS: Final = (0, MOST_POINTS)
ANY_LENGTH: Final = (0, IN_A_SUIT)
ANY_LENGTHS: Final = (ANY_LENGTH,) * 4

Range = tuple[int, int]


@dataclass(frozen=True)
class Shows:
    """A condition on a hand. Ranges include both ends; suits are clubs 0 to spades 3."""

    hcp: Range = ANY_POINTS
    #: High-card points and length points.
    points: Range = ANY_POINTS
    lengths: tuple[Range, Range, Range, Range] = ANY_LENGTHS
    balanced: bool | None = None
    #: Pairs of suits, and by how much the first is at least longer.
    longer: tuple[tuple[int, int, int], ...] = ()
    #: Suits that must be stopped, as bits.
    stopped: int = 0

    def fits(self, hand: Hand) -> bool:
        """Whether a hand is as described."""
        lengths = hand.lengths
        if not self.hcp[0] <= hand.hcp <= self.hcp[1]:
            return False
        if not self.points[0] <= hand.points <= self.points[1]:
            return False
        if self.balanced is not None and hand.balanced != self.balanced:
            return False
        if self.lengths is not ANY_LENGTHS:
            for (least, most), length in zip(self.lengths, lengths, strict=True):
                if not least <= length <= most:
                    return False
        return (
            all(lengths[a] >= lengths[b] + more for a, b, more in self.longer)
            and self.stopped & ~hand.stoppers == 0
        )

    @property
    def expected(self) -> Range:
        """The points that this makes possible, by whichever of its ranges says more."""
        over_four = sum(max(least - 4, 0) for least, _ in self._all_lengths())
        least = max(self.points[0], self.hcp[0] + over_four)
        return least, max(least, min(self.points[1], self.hcp[1] + 3))

    def _all_lengths(self) -> tuple[Range, ...]:
        if not self.balanced:
            return self.lengths
        return tuple((max(least, 2), min(most, 5)) for least, most in self.lengths)

    def length(self, suit: int) -> Range:
        """The least and the greatest length of a suit."""
        return self._all_lengths()[suit]

    def __and__(self, other: "Shows") -> "Shows":
        """What both say together; where they contradict each other, the later one."""
        return Shows(
            _common(self.hcp, other.hcp),
            _common(self.points, other.points),
            _four(map(_common, self.lengths, other.lengths)),
            self.balanced if other.balanced is None else other.balanced,
            self.longer + other.longer,
            self.stopped | other.stopped,
        )

    def __or__(self, other: "Shows") -> "Shows":
        """What either says."""
        return Shows(
            _both(self.hcp, other.hcp),
            _both(self.points, other.points),
            _four(_both(self.length(suit), other.length(suit)) for suit in range(4)),
            self.balanced if self.balanced == other.balanced else None,
        )

    def describe(self) -> str:
        """The condition in words: `12–21 points, 5+ spades`."""
        return ", ".join(self._words()) or "any hand"

    def _words(self) -> Iterator[str]:
        if self.hcp != ANY_POINTS:
            yield f"{_range(self.hcp, MOST_POINTS)} HCP"
        if self.points != ANY_POINTS:
            yield f"{_range(self.points, MOST_POINTS)} points"
        if self.balanced is not None:
            yield "balanced" if self.balanced else "not balanced"
        for suit in (3, 2, 1, 0):
            if self.lengths[suit] != ANY_LENGTH:
                yield f"{_range(self.lengths[suit], IN_A_SUIT)} {SUIT_NAMES[suit]}"
        by_suit: dict[tuple[int, int], list[int]] = {}
        for a, b, more in self.longer:
            by_suit.setdefault((a, more), []).append(b)
        for (a, more), others in by_suit.items():
            names = " and ".join(SUIT_NAMES[b] for b in others)
            how = "at least as many" if more == 0 else "more" if more == 1 else f"{more} more"
            yield f"{how} {SUIT_NAMES[a]} {'as' if more == 0 else 'than'} {names}"
        for suit in range(4):
            if self.stopped >> suit & 1:
                yield f"{SUIT_NAMES[suit]} stopped"


def suits(lengths: Mapping[int, Range | int]) -> tuple[Range, Range, Range, Range]:
    """Lengths by suit; a single number is the least."""
    given = {
        suit: (length, IN_A_SUIT) if isinstance(length, int) else length
        for suit, length in lengths.items()
    }
    return _four(given.get(suit, ANY_LENGTH) for suit in range(4))


def with_length(shows: Shows, suit: int, least: int) -> Shows:
    """The same with at least so many cards of a suit."""
    lengths = list(shows.lengths)
    lengths[suit] = max(least, lengths[suit][0]), lengths[suit][1]
    return replace(shows, lengths=_four(lengths))


def _four(ranges: Iterable[Range]) -> tuple[Range, Range, Range, Range]:
    a, b, c, d = ranges
    return a, b, c, d


def _common(x: Range, y: Range) -> Range:
    least, most = max(x[0], y[0]), min(x[1], y[1])
    return (least, most) if least <= most else y


def _both(x: Range, y: Range) -> Range:
    return min(x[0], y[0]), max(x[1], y[1])


def _range(given: Range, most: int) -> str:
    if given[0] == given[1]:
        return str(given[0])
    if given[1] >= most:
        return f"{given[0]}+"
    return f"{given[0]}–{given[1]}"
