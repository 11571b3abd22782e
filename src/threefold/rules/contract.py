"""The rules contract: who moves, what a game must supply, and what every missing hook means.

A game supplies `initial`, `actions`, `result` and `utility`; each other function here is the
default that stands until a game replaces it. Searches are written against these names as
templates: to run one for a game, the functions below are exchanged for the game's own (see
`rebind`), and each `HAS_…` for whether the game replaced the default. Nobody runs a template as
it stands.
"""

from collections.abc import Callable
from typing import Any, Final, Protocol, TypeAlias, TypedDict, cast

from threefold.rules.bits import GOLDEN, add, mix

Action: TypeAlias = int
Player: TypeAlias = int

#: The player who moves first and wants a large utility.
MAX: Final = 0
#: The player who wants a small utility.
MIN: Final = 1
#: Nature: where she moves, `outcomes` lists the events and their weights.
CHANCE: Final = -1

#: What `drawn` says: the player to move may end the game as a draw, or it has ended as one.
CLAIMABLE: Final = 1
DRAWN: Final = 2


class Row(Protocol):
    """Where `actions`, `noisy` and `outcomes` write: rules only ever assign `out[n] = integer`."""

    def __setitem__(self, index: int, value: int, /) -> None: ...


class Slot:
    """A constant that a template is given when it is bound to a game."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<slot {self.name}>"

    def __bool__(self) -> bool:
        raise TypeError(f"{self.name} has no value until its template is bound to a game")


# What a game must supply.


def initial() -> Any:
    """The position the game starts from."""
    raise NotImplementedError("a game supplies initial")


def actions(s: Any, out: Row) -> int:
    """Write the legal moves of `s` into `out` and return how many; none once the game is over."""
    raise NotImplementedError("a game supplies actions")


def result(s: Any, a: Action) -> Any:
    """The position after move, or event of nature, `a`."""
    raise NotImplementedError("a game supplies result")


def utility(s: Any) -> int:
    """What a finished game is worth to MAX."""
    raise NotImplementedError("a game supplies utility")


# What it may replace.


def player(s: Any) -> Player:
    """Whose turn it is: MAX, MIN or CHANCE. The same player may move twice running."""
    return s.turn  # type: ignore[no-any-return]


def is_terminal(s: Any) -> bool:  # noqa: ARG001
    """Whether the game is over. By default it is where there is no move: see `HAS_IS_TERMINAL`."""
    return False


def evaluate(s: Any) -> int:  # noqa: ARG001
    """STATIC: what an unfinished position seems worth to MAX."""
    return 0


def noisy(s: Any, out: Row) -> int:  # noqa: ARG001
    """The moves after which `evaluate` cannot be trusted yet: captures, promotions."""
    return 0


def outcomes(s: Any, out: Row, weight: Row) -> int:  # noqa: ARG001
    """Where nature moves: write the events and their positive integer weights, return how many.

    The weights sum up to `MAX_WEIGHT` at most.
    """
    return 0


def key(s: Any) -> int:
    """What a transposition table indexes; equal only for positions with the same future."""
    h = 0
    for word in s:
        h = mix(add(h, GOLDEN) ^ word)
    return h


def order(s: Any, a: Action) -> int:  # noqa: ARG001
    """A first guess at how good a move is for the player who makes it."""
    return 0


def observe(s: Any, p: Player) -> Any:  # noqa: ARG001
    """What player `p` may see of a position."""
    return s


def null_move(s: Any) -> Any:
    """The same position with the turn passed on, where passing is never a help."""
    return s


def extend(s: Any) -> int:  # noqa: ARG001
    """How many plies deeper than planned a search should look here, as when in check."""
    return 0


def sufficient(s: Any, out: Row) -> int:
    """Moves among which a best one is sure to be, the soonest win or latest loss included.

    Fewer than all where the rules tell at a glance that the rest cannot be better: a win at hand,
    the one reply to a threat. None only where the game is over. By default all: see
    `HAS_SUFFICIENT`.
    """
    return actions(s, out)


def bounds(s: Any) -> tuple[int, int]:  # noqa: ARG001
    """The least and the greatest utility that play from here can still come to."""
    return -MAX_VALUE, MAX_VALUE


def settled(s: Any) -> tuple[int, int]:
    """What is settled of the utility, to MAX, and a key to the rest of the game.

    Positions with one such key have the same moves, and by the same moves the player to move gains
    the same beyond what is settled. So the key leaves out what was gained so far, and may leave out
    which side is which.
    """
    return 0, key(s)


def remaining(s: Any) -> int:  # noqa: ARG001
    """How many plies the game will last at most, or nearly: where it is small, a plain search pays.

    Only ever a hint.
    """
    return 1 << 20


def drawn(s: Any) -> int:  # noqa: ARG001
    """Whether a rule makes a draw of a position in which there are moves: 0, CLAIMABLE or DRAWN.

    As when nothing was captured for long, or nobody has enough left to win. The utility of what is
    DRAWN is 0. It is asked where a player moves, never where nature does. Perft knows nothing of
    draws and counts on.
    """
    return 0


# What the library gives each template.


def state(words: tuple[int, ...]) -> Any:
    """The game's State from its fields as words."""
    raise NotImplementedError("the library supplies state")


def words(s: Any) -> tuple[int, ...]:
    """The fields of a State, as words."""
    raise NotImplementedError("the library supplies words")


def symmetric_key(s: Any) -> int:
    """The least key of a position and its images under the game's symmetries."""
    raise NotImplementedError("the library supplies symmetric_key")


def image(s: Any, number: int) -> Any:
    """A position's image under the game's symmetry of that number; from 1, 0 is the position."""
    raise NotImplementedError("the library supplies image")


def timeless(s: Any) -> Any:
    """The same position with its clocks set back: see `clocks` of `Game`."""
    raise NotImplementedError("the library supplies timeless")


#: How many moves a position may have: the length of a row.
MAX_MOVES: Final = cast(int, Slot("MAX_MOVES"))
HAS_IS_TERMINAL: Final = cast(bool, Slot("HAS_IS_TERMINAL"))
HAS_OUTCOMES: Final = cast(bool, Slot("HAS_OUTCOMES"))
HAS_EVALUATE: Final = cast(bool, Slot("HAS_EVALUATE"))
HAS_NOISY: Final = cast(bool, Slot("HAS_NOISY"))
HAS_ORDER: Final = cast(bool, Slot("HAS_ORDER"))
HAS_NULL_MOVE: Final = cast(bool, Slot("HAS_NULL_MOVE"))
HAS_EXTEND: Final = cast(bool, Slot("HAS_EXTEND"))
HAS_SUFFICIENT: Final = cast(bool, Slot("HAS_SUFFICIENT"))
HAS_BOUNDS: Final = cast(bool, Slot("HAS_BOUNDS"))
HAS_SETTLED: Final = cast(bool, Slot("HAS_SETTLED"))
HAS_REMAINING: Final = cast(bool, Slot("HAS_REMAINING"))
HAS_DRAWN: Final = cast(bool, Slot("HAS_DRAWN"))
HAS_CLOCKS: Final = cast(bool, Slot("HAS_CLOCKS"))
HAS_SYMMETRIES: Final = cast(bool, Slot("HAS_SYMMETRIES"))
#: What a game permits an inexact search: see `Game`.
REPEATS: Final = cast(bool, Slot("REPEATS"))
REDUCTIONS: Final = cast(bool, Slot("REDUCTIONS"))
FUTILITY: Final = cast(int, Slot("FUTILITY"))

#: The hooks that every game supplies.
REQUIRED: Final = ("initial", "actions", "result", "utility")

#: The hooks that a template may call; the others are for Python alone.
COMPILED_HOOKS: Final = frozenset(
    {
        "initial",
        "actions",
        "result",
        "utility",
        "player",
        "is_terminal",
        "evaluate",
        "noisy",
        "outcomes",
        "key",
        "order",
        "null_move",
        "extend",
        "sufficient",
        "bounds",
        "settled",
        "remaining",
        "drawn",
    }
)

#: Utilities and evaluations lie within ± this, so that searches can tell a finished game from a
#: guess and an early win from a late one, all in one word.
MAX_VALUE: Final = 1 << 22

#: The weights of nature's events sum up to so much at most, so that no expectation overflows.
MAX_WEIGHT: Final = 1 << 26

#: What a utility of 1 counts beside evaluations, in their units: a finished game outweighs a guess.
FINISHED: Final = 1000


class RuleHooks(TypedDict, total=False):
    """What the `rules` room of a game returns: its hooks and the bounds that it keeps."""

    initial: Callable[[], Any]
    actions: Callable[[Any, Row], int]
    result: Callable[[Any, Action], Any]
    utility: Callable[[Any], int]
    player: Callable[[Any], Player]
    is_terminal: Callable[[Any], bool]
    evaluations: dict[str, Callable[[Any], int]]
    noisy: Callable[[Any, Row], int]
    outcomes: Callable[[Any, Row, Row], int]
    key: Callable[[Any], int]
    order: Callable[[Any, Action], int]
    null_move: Callable[[Any], Any]
    extend: Callable[[Any], int]
    sufficient: Callable[[Any, Row], int]
    bounds: Callable[[Any], tuple[int, int]]
    settled: Callable[[Any], tuple[int, int]]
    remaining: Callable[[Any], int]
    drawn: Callable[[Any], int]
    clocks: tuple[str, ...]
    symmetries: tuple[Callable[[Any], Any], ...]
    repeats: bool | int
    reductions: bool
    futility: int
    max_moves: int
    max_ply: int
    move_range: int


class TextHooks(TypedDict, total=False):
    """What the `notation` room of a game returns: its texts, both ways."""

    parse: Callable[[str], Any]
    format: Callable[[Any], str]
    parse_move: Callable[[Any, str], Action]
    format_move: Callable[[Any, Action], str]
    readable_move: Callable[[Any, Action], str]
    ending: Callable[[Any], str]
    render: Callable[[Any], str]
    places: Callable[[Any, Action], tuple[str, ...]]
    contents: Callable[[Any], dict[str, str]]
    sides: tuple[str, str]
    pieces: tuple[str, ...]
    put: Callable[[Any, str, str], Any]
