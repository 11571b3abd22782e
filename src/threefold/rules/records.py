"""What a `Game` may say about itself beyond its rules, in records named for what they are.

Each field can also be given to `Game` as a keyword: `Game(…, bounds=f)` is short for
`Game(…, assumptions=Assumptions(bounds=f))`. `Flat` lists those keywords with their types.

`RuleHooks` and `TextHooks` are what `rules` and `notation` of every built-in game return.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Generic, NamedTuple, TypedDict, TypeVar

from threefold.errors import BadGame
from threefold.rules.contract import Action, Player, Row
from threefold.rules.endgames import Endgames
from threefold.rules.planes import Planes
from threefold.rules.race import RaceSides
from threefold.rules.terms import GivenTerms

S = TypeVar("S")
R = TypeVar("R")


@dataclass(frozen=True, kw_only=True)
class Assumptions(Generic[S]):
    """What a search may assume about the game; `threefold.rules.contract` explains the hooks."""

    #: Moves that are sure to include a best one.
    sufficient: Callable[[S, Any], int] | None = None
    #: The least and the greatest utility still possible.
    bounds: Callable[[S], tuple[int, int]] | None = None
    #: The utility that MAX is sure of with good play, and the one that MIN can hold MAX to.
    assured: Callable[[S], tuple[int, int]] | None = None
    #: The settled part of the utility, and a key to the rest of the game.
    settled: Callable[[S], tuple[int, int]] | None = None
    #: A key that forgets what did not matter, for partition search: what always matters, the rest,
    #: what its bits say, what matters before a move, and what is sure at a glance.
    gist: Callable[[S], int] | None = None
    details: Callable[[S, int], tuple[int, int, int]] | None = None
    matter: Callable[[S, int], int] | None = None
    mattered_before: Callable[[S, Action, int], int] | None = None
    foreseen: Callable[[S], tuple[int, int, int, int]] | None = None
    #: The utilities with which a position can still end differ by multiples of this.
    grain: int = 1
    #: How many more plies every game lasts from a position, where that depends on no move.
    #: Interpreted only.
    lasts: Callable[[S], int] | None = None
    #: How many more plies the game can last, roughly.
    remaining: Callable[[S], int] | None = None
    #: The move to make in a playout, given a random word; and before that one asked for, the move
    #: that answers the last one, if any.
    playout: Callable[[S, int], Action] | None = None
    reply: Callable[[S, Action, int], Action] | None = None
    #: Which search suits the game: `alphabeta`, or `mcts` where no evaluation is good enough.
    search: str = "alphabeta"
    #: How far tree search trusts that a move is as good now as later (RAVE): in visits of a move
    #: that tell as much. 0 where the same move means something else later.
    rave: int = 0
    #: The number of a race, -1 elsewhere; and what such numbers stand for.
    race: Callable[[S], int] | None = None
    race_sides: RaceSides[S] | None = None
    #: The slices of end-game databases, and how their positions are numbered.
    endgames: Endgames[S] | None = None
    #: How many positions can follow, roughly, for solving to refuse what is far too large at once.
    reachable: Callable[[S], int] | None = None
    #: With stakes, such as a doubling cube: the game without them, its position, and what a
    #: position is worth if that one's worth is known.
    unstaked_game: Any = None
    unstaked: Callable[[S], S] | None = None
    staked: Callable[[S, int, int], int] | None = None
    #: A position drawn from those that look the same, where some information is hidden.
    deal: Callable[[S, Player, int], S] | None = None
    #: Where a player is a side of partners who see different things: who of them decides, and how
    #: many seats there are in all.
    seat: Callable[[S], Player] | None = None
    seats: int = 0
    #: What partners have agreed to do here, given what the one who decides sees; None where they
    #: have not. Interpreted only.
    agreed: Callable[[S], Action | None] | None = None
    #: With nothing hidden: a game of perfect information, and the position in it. Its moves are the
    #: same. For games that can be solved, once all cards are open. Interpreted only.
    opened: Callable[[S], tuple[Any, Any]] | None = None
    #: What a position is worth to MAX whose opened one is worth so much; by default the same.
    #: Interpreted only.
    opened_worth: Callable[[S, int], int] | None = None
    #: How much of what others did speaks against a position that a player cannot rule out; 0 if
    #: nothing does. Sampled deals are chosen by it. Interpreted only.
    doubts: Callable[[S, Player], int] | None = None
    #: What must not come up a second time in a game, such as Go's board.
    superko: Callable[[S], tuple[int, ...]] | None = None
    #: Who owns which places of a finished game's board.
    owners: Callable[[S], tuple[int, ...]] | None = None
    #: The fields of a state that only say how long the game has lasted: positions that differ in
    #: nothing else are the same.
    clocks: Sequence[str] = ()
    #: Whether late moves may be searched less deeply at first.
    reductions: bool = False
    #: The most that a quiet move changes an evaluation by; 0 if that is unknown.
    futility: int = 0
    #: How the words of `features` are planes of cells, in a game on a grid.
    planes: Planes | None = None


@dataclass(frozen=True, kw_only=True)
class Texts(Generic[S]):
    """What players call things, and how they write a game down."""

    #: A move as players write it, where that differs from `format_move`.
    readable_move: Callable[[S, Action], str] | None = None
    #: Why the game is over, in a finished or drawn position.
    ending: Callable[[S], str] = lambda _: ""
    #: What people call the players, MAX and MIN if there are two; by default, by their number.
    sides: Sequence[str] = ()
    #: What people call the seats, if partners sit on one side: North, East, South, West.
    seat_names: Sequence[str] = ()
    #: The position as a seat sees it, with everything hidden left blank: for texts and pictures.
    as_seen: Callable[[S, Player], S] | None = None
    #: A whole game as players write it down: from a start, its moves.
    record: Callable[[S, Sequence[Action]], str] | None = None
    #: What that notation is called: PGN.
    record_name: str = "text"


@dataclass(frozen=True, kw_only=True)
class Touched:
    """A move that is being made on the board, after the places touched so far."""

    #: The places to touch next.
    next: Sequence[str]
    #: Whether a piece is picked up there; otherwise the piece last picked up is put down.
    picks: bool
    #: The board with the part of the move that has been made.
    drawing: str
    #: The move, once all of it has been made.
    move: Action | None
    #: What to do next, in words, if there are better ones than "a piece" and "where it goes".
    hint: str = ""


@dataclass(frozen=True, kw_only=True)
class Territory:
    """What the `owners` of a finished game's board own, in words."""

    #: The places, in the order of the bits of `owners`.
    places: Sequence[str]
    #: What it comes to if MAX owns so many places more than MIN, as players write it: `B+3.5`.
    score: Callable[[float], str]


@dataclass(frozen=True, kw_only=True)
class Board(Generic[S]):
    """The board that people see and touch: the drawing's places."""

    #: The places to touch, in order, to make a move; none for a pass.
    places: Callable[[S, Action], Sequence[str]] = lambda _s, _a: ()
    #: How moves are made that take several pieces one after another, if `places` in order is not
    #: enough: what the places touched so far come to, or None where every move has one place. The
    #: `places` of a move are then pairs, where a piece is picked up and where it is put down.
    touched: Callable[[S, Sequence[str]], Touched | None] | None = None
    #: What is on each place, in words, for people who cannot see the drawing.
    contents: Callable[[S], Mapping[str, str]] = lambda _: {}
    #: What a position can be set up with, and how to put it on a place.
    pieces: Sequence[str] = ()
    put: Callable[[S, str, str], S] | None = None
    #: By piece, a sign and a readable name, if the piece's own text does not serve as both.
    signs: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    #: What is owned at the end, in a game that has the hook `owners`.
    territory: Territory | None = None


class OtherUtility(NamedTuple):
    """Another way to count a finished game. Solving for it is solving another game."""

    #: What a finished game is worth to MAX.
    worth: Callable[[Any], int]
    #: How many of that make one of what people count.
    units: int
    #: What each side is sure of, in the same way of counting: see `contract.assured`.
    assured: Callable[[Any], tuple[int, int]] | None = None


@dataclass(frozen=True, kw_only=True)
class Scales(Generic[S]):
    """The units in which people read values."""

    #: Other units for exact values: functions of a position, the utility for the player to move
    #: there, and the plies to the end.
    scores: Mapping[str, Callable[[S, int, int], int]] | None = None
    #: By evaluation, the lead that wins three games of four between equal players.
    leads: Mapping[str, float] | None = None
    #: By evaluation, what people count as one: a pawn.
    units: Mapping[str, float] | None = None
    #: Other ways to count a finished game, by name.
    utilities: Mapping[str, OtherUtility] | None = None
    #: What people call a utility of 1, in games that can be worth more: points. Values are then
    #: shown in it.
    utility_unit: str = ""


class Flat(TypedDict, Generic[S], total=False):
    """The fields of all records as keywords of `Game`."""

    sufficient: Callable[[S, Any], int] | None
    bounds: Callable[[S], tuple[int, int]] | None
    assured: Callable[[S], tuple[int, int]] | None
    settled: Callable[[S], tuple[int, int]] | None
    gist: Callable[[S], int] | None
    details: Callable[[S, int], tuple[int, int, int]] | None
    matter: Callable[[S, int], int] | None
    mattered_before: Callable[[S, Action, int], int] | None
    foreseen: Callable[[S], tuple[int, int, int, int]] | None
    grain: int
    lasts: Callable[[S], int] | None
    remaining: Callable[[S], int] | None
    playout: Callable[[S, int], Action] | None
    reply: Callable[[S, Action, int], Action] | None
    search: str
    rave: int
    race: Callable[[S], int] | None
    race_sides: RaceSides[S] | None
    endgames: Endgames[S] | None
    reachable: Callable[[S], int] | None
    unstaked_game: Any
    unstaked: Callable[[S], S] | None
    staked: Callable[[S, int, int], int] | None
    deal: Callable[[S, Player, int], S] | None
    seat: Callable[[S], Player] | None
    seats: int
    agreed: Callable[[S], Action | None] | None
    opened: Callable[[S], tuple[Any, Any]] | None
    opened_worth: Callable[[S, int], int] | None
    doubts: Callable[[S, Player], int] | None
    superko: Callable[[S], tuple[int, ...]] | None
    owners: Callable[[S], tuple[int, ...]] | None
    clocks: Sequence[str]
    reductions: bool
    futility: int
    planes: Planes | None
    readable_move: Callable[[S, Action], str] | None
    ending: Callable[[S], str]
    sides: Sequence[str]
    seat_names: Sequence[str]
    as_seen: Callable[[S, Player], S] | None
    record: Callable[[S, Sequence[Action]], str] | None
    record_name: str
    places: Callable[[S, Action], Sequence[str]]
    touched: Callable[[S, Sequence[str]], Touched | None] | None
    contents: Callable[[S], Mapping[str, str]]
    pieces: Sequence[str]
    put: Callable[[S, str, str], S] | None
    signs: Mapping[str, tuple[str, str]]
    territory: Territory | None
    scores: Mapping[str, Callable[[S, int, int], int]] | None
    leads: Mapping[str, float] | None
    units: Mapping[str, float] | None
    utilities: Mapping[str, OtherUtility] | None
    utility_unit: str


def with_flat(name: str, kind: type[R], record: R | None, flat: Mapping[str, Any]) -> R:
    """A record with the fields that a game was given as separate keywords.

    As for every keyword of `Game`, None stands for the default.
    """
    start = kind() if record is None else record
    if not isinstance(start, kind):
        raise BadGame(f"{name}: {kind.__name__.lower()}={record!r} is not a {kind.__name__}")
    names = [each.name for each in fields(kind)]  # type: ignore[arg-type]
    given = {each: flat[each] for each in names if flat.get(each) is not None}
    for each in given:
        if getattr(start, each) != getattr(kind(), each):
            raise BadGame(f"{name}: {each} is given twice, by itself and in {kind.__name__}")
    return replace(start, **given)  # type: ignore[type-var]


class EvaluationHooks(TypedDict):
    """What the `evaluation` file of a game returns: its evaluations, and what they add up."""

    evaluations: dict[str, Callable[[Any], int]]
    terms: dict[str, GivenTerms]


class RuleHooks(TypedDict, total=False):
    """What the `rules` file of a game returns: its hooks, and its limits."""

    initial: Callable[[], Any]
    actions: Callable[[Any, Row], int]
    result: Callable[[Any, Action], Any]
    utility: Callable[..., int]
    player: Callable[[Any], Player]
    is_terminal: Callable[[Any], bool]
    evaluations: dict[str, Callable[[Any], int]]
    terms: dict[str, GivenTerms]
    noisy: Callable[[Any, Row], int]
    outcomes: Callable[[Any, Row, Row], int]
    observe: Callable[[Any, Player], tuple[int, ...]]
    key: Callable[[Any], int]
    order: Callable[[Any, Action], int]
    features: Callable[[Any, Player, Row], int]
    drawn: Callable[[Any], int]
    repeats: bool | int
    null_move: Callable[[Any], Any]
    extend: Callable[[Any], int]
    symmetries: tuple[Callable[[Any], Any], ...]
    assumptions: Assumptions[Any]
    utilities: dict[str, OtherUtility]
    max_moves: int
    max_ply: int
    move_range: int


class TextHooks(TypedDict, total=False):
    """What the `notation` file of a game returns: its texts, both ways, and its board."""

    parse: Callable[[str], Any]
    format: Callable[[Any], str]
    parse_move: Callable[[Any, str], Action]
    format_move: Callable[[Any, Action], str]
    render: Callable[[Any], str]
    texts: Texts[Any]
    board: Board[Any]
