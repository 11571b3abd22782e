"""End-game slices: how a game numbers the positions that its databases hold.

A database knows the value of every position with few pieces. Its positions come in *slices*, which
belong together by their material: in checkers, the men and kings of each side. Within a slice each
position has a number, and a table of values is all that has to be kept.

A game that has an `Endgames` gets databases: `threefold database build`. Everything about them is
told from the view of the player to move, so that one slice serves both colors. A game in which the
colors cannot be exchanged makes the turn part of the slice.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from threefold.errors import BadGame

S = TypeVar("S")

#: What `slice_of` says of a position that is in no slice.
NO_SLICE: Final = -1
#: More plies than any game lasts.
UNLIMITED: Final = 1 << 30


@dataclass(frozen=True, kw_only=True)
class Slice:
    """Positions of the same material."""

    #: What `slice_of` returns for its positions: 0 or more.
    number: int
    #: What people call it, the player to move first: `KQvK`. Also the name of its file.
    name: str
    #: Its positions are numbered below this; some numbers may stand for no position.
    size: int
    #: How many pieces its positions have, or what else decides how far a database reaches.
    pieces: int
    #: The slices that a move can lead to, this one included or not, by number. Finished games that
    #: are in no slice need not be mentioned.
    leads_to: Sequence[int]


@dataclass(frozen=True, kw_only=True)
class Endgames(Generic[S]):
    """The slices of a game, and which number each position has.

    `slice_of`, `number_of` and `position` are compiled like other hooks. A number `n` stands for a
    position if `number_of(position(slice, n)) == n`; otherwise it is not in use. So where several
    positions are the same by symmetry, they share one number.
    """

    #: The rules that the values depend on, in words: databases of games with the same text are
    #: exchangeable. Parameters that change nothing about end-games are left out.
    rules: str
    #: All slices with at most this many pieces.
    slices: Callable[[int], Sequence[Slice]]
    #: The slice of a position, or `NO_SLICE`. Cheap, because searches ask it everywhere.
    slice_of: Callable[[S], int]
    #: The number of a position in its slice; asked only if it is in one.
    number_of: Callable[[S], int]
    #: The position with a number in a slice, its clocks at their start.
    position: Callable[[int, int], S]
    #: How many more plies may pass before a rule ends the game as a draw, as the fifty-move rule
    #: does in chess. Tables know no such rule, so a win that takes longer is not certain.
    plies_left: Callable[[S], int] | None = None
    #: The most pieces that `slices` and `slice_of` allow for.
    most: int
    #: Tables with up to this many pieces are small enough to be made when they are first needed.
    small: int = 0
    #: What is counted: pieces, seeds.
    unit: str = "pieces"
    #: Whether positions are worth a margin beyond what is `settled`, instead of a win, a draw or a
    #: loss. No play may then return to a position.
    margins: bool = False


def checked_endgames(name: str, endgames: object) -> Endgames[Any] | None:
    """The end-games that a game declares, if it does and they can be used."""
    if endgames is None or isinstance(endgames, Endgames):
        return endgames
    raise BadGame(f"{name}: endgames={endgames!r} is not an Endgames")


# What templates call in games that declare none.


def no_slice(s: Any) -> int:  # noqa: ARG001
    """No position is in a slice."""
    return NO_SLICE


def no_number(s: Any) -> int:  # noqa: ARG001
    """Never asked."""
    return 0


def no_limit(s: Any) -> int:  # noqa: ARG001
    """No rule limits how long a game may last."""
    return UNLIMITED


def unknown_limit(s: Any) -> int:  # noqa: ARG001
    """A rule about clocks may end the game at any time: no win is certain to come in time."""
    return -1
