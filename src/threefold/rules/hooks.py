"""The table of hooks: one row for each function that a game may supply.

To add a hook:

1. write its default in `contract`: the function's name, parameters and docstring are the hook's,
   and its body is what happens in games that do not supply it. Where a template must know whether
   a game does, add `HAS_NAME` there;
2. give it a row here;
3. give it types: `HookAttributes` below, and its keyword in `records` (a record and `Flat`), or in
   the signature of `Rules` if newcomers meet it early;
4. say what it means in docs/contract.md, and use it in a search.

Everything else follows from the row: `Game` takes the keyword, checks that it is a function of
those parameters, and has it as an attribute; templates are bound to it; `Compiled` has it as a
method; if it cannot be compiled, it is named; `conformance` checks what it returns, looks for
overflows in it, and compares the interpreted with the compiled answer.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import cached_property
from inspect import signature
from typing import Any, Final, Generic, TypeAlias, TypeVar

from threefold.rules import contract
from threefold.rules.bits import mix
from threefold.rules.contract import CHANCE, Action, Player, Row, Slot

S = TypeVar("S")
Function: TypeAlias = Callable[..., Any]
#: In which positions a hook is asked: given the player to move, and whether the game is over.
Where: TypeAlias = Callable[[Player, bool], bool]


#: Parameters that may be any word: a random one, or what mattered about a position.
ANY_WORD: Final = frozenset({"seed", "mattered", "bits"})


def anywhere(_player: Player, _over: bool) -> bool:
    """Every position."""
    return True


def where_nature_moves(player: Player, _over: bool) -> bool:
    """Chance nodes."""
    return player == CHANCE


def where_a_player_moves(player: Player, _over: bool) -> bool:
    """Positions of MAX and MIN, finished ones included."""
    return player != CHANCE


def where_a_player_chooses(player: Player, over: bool) -> bool:
    """Positions in which MAX or MIN has a move."""
    return player != CHANCE and not over


def unless_over(_player: Player, over: bool) -> bool:
    """Positions from which the game goes on."""
    return not over


def once_over(_player: Player, over: bool) -> bool:
    """Finished games."""
    return over


class Kind(Enum):
    """What a hook returns."""

    STATE = auto()
    #: How many moves, or events and weights, it has written to its rows.
    COUNT = auto()
    #: How many words of inputs it has written to its row.
    INPUTS = auto()
    PLAYER = auto()
    #: A legal move.
    MOVE = auto()
    #: A legal move, or NO_REPLY.
    REPLY = auto()
    #: Whether something is so.
    TRUTH = auto()
    #: A utility or an evaluation, within ±`MAX_VALUE`.
    VALUE = auto()
    #: Any 64-bit integer.
    WORD = auto()
    #: A number of plies, 0 or more.
    PLIES = auto()
    #: 0, CLAIMABLE or DRAWN.
    VERDICT = auto()
    #: A tuple of words, the same number for every position.
    WORDS = auto()
    #: Who decides: a player, or one of the `seats` of a game that has more of them.
    SEAT = auto()


@dataclass(frozen=True)
class Hook:
    """A row of the table."""

    #: The function of `contract` that has the hook's name, parameters, meaning and default.
    default: Function
    #: What it returns: one thing, or two.
    returns: Kind | tuple[Kind, Kind]
    asked: Where = anywhere
    #: How a sentence about its answer begins; the name if empty.
    phrase: str = ""
    required: bool = False

    def __post_init__(self) -> None:
        """Refuse a hook that the derived code cannot call."""
        known = {"s", "a", "p", "number", "value", "unit", "out", "weight", *ANY_WORD}
        if not known.issuperset(self.parameters):
            raise TypeError(f"{self.name}: the parameters of a hook are among {sorted(known)}")
        writes = self.returns in {Kind.COUNT, Kind.INPUTS}
        if writes != (self.rows > 0) or (writes and "a" in self.parameters):
            raise TypeError(f"{self.name}: a hook that returns a count takes s and rows to write")

    @property
    def name(self) -> str:
        """What the hook is called, everywhere."""
        return self.default.__name__

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """What it is called with: `s` a state, `a` a move, `out` and `weight` rows to write to."""
        return tuple(signature(self.default).parameters)

    @property
    def rows(self) -> int:
        """How many rows it writes to."""
        return len({"out", "weight"}.intersection(self.parameters))

    @property
    def flag(self) -> Slot | None:
        """The slot that says in a template whether the game supplies the hook."""
        return getattr(contract, f"HAS_{self.name.upper()}", None)

    def converter(self, state_type: type) -> Function:
        """What turns a compiled hook's answer into Python's own types."""
        if self.returns is Kind.STATE:
            return lambda words: state_type(*words)
        if isinstance(self.returns, tuple) or self.returns is Kind.WORDS:
            return lambda several: tuple(map(int, several))
        return bool if self.returns is Kind.TRUTH else int


def _table(*rows: Hook) -> dict[str, Hook]:
    return {row.name: row for row in rows}


_STATE, _COUNT, _VALUE, _WORD, _PLIES = Kind.STATE, Kind.COUNT, Kind.VALUE, Kind.WORD, Kind.PLIES

#: What a game supplies, by name.
HOOKS: Final = _table(
    Hook(contract.initial, _STATE, required=True),
    Hook(contract.actions, _COUNT, where_a_player_moves, "the list of moves", required=True),
    Hook(contract.result, _STATE, phrase="the result of", required=True),
    Hook(contract.utility, _VALUE, once_over, required=True),
    Hook(contract.player, Kind.PLAYER),
    Hook(contract.is_terminal, Kind.TRUTH),
    Hook(contract.evaluate, _VALUE, unless_over),
    Hook(contract.noisy, _COUNT, where_a_player_chooses),
    Hook(contract.outcomes, _COUNT, where_nature_moves),
    Hook(contract.key, _WORD, phrase="the key"),
    Hook(contract.order, _WORD, where_a_player_chooses, "the order of"),
    Hook(contract.observe, Kind.WORDS, phrase="what is seen"),
    Hook(contract.deal, _STATE, where_a_player_chooses, "the deal"),
    Hook(contract.seat, Kind.SEAT, where_a_player_chooses),
    Hook(contract.features, Kind.INPUTS, phrase="the features"),
    Hook(contract.null_move, _STATE, where_a_player_chooses),
    Hook(contract.extend, _PLIES, where_a_player_chooses),
    Hook(contract.sufficient, _COUNT, where_a_player_moves),
    Hook(contract.bounds, (_VALUE, _VALUE)),
    Hook(contract.assured, (_VALUE, _VALUE)),
    Hook(contract.settled, (_VALUE, _WORD)),
    Hook(contract.gist, _WORD),
    Hook(contract.details, Kind.WORDS, where_a_player_chooses),
    Hook(contract.matter, _WORD, where_a_player_chooses),
    Hook(contract.mattered_before, _WORD, where_a_player_chooses),
    Hook(contract.foreseen, Kind.WORDS, where_a_player_chooses),
    Hook(contract.remaining, _PLIES),
    Hook(contract.playout, Kind.MOVE, where_a_player_chooses, "the playout's move"),
    Hook(contract.reply, Kind.REPLY, where_a_player_chooses, "the playout's reply to"),
    Hook(contract.drawn, Kind.VERDICT, where_a_player_moves),
    Hook(contract.superko, Kind.WORDS),
    Hook(contract.owners, Kind.WORDS, once_over),
    Hook(contract.race, _WORD),
    Hook(contract.unstaked, _STATE),
    Hook(contract.staked, _VALUE, unless_over),
)

#: In a game of more than two players these also take the player, `utility(s, p)`.
PER_PLAYER: Final = frozenset({"utility", "evaluate"})
#: What a search assumes where two players oppose each other.
FOR_TWO_PLAYERS: Final = (
    *("null_move", "sufficient", "bounds", "assured"),
    *("settled", "race", "staked", "owners", "gist", "foreseen"),
)
#: What a check gives a hook that takes a `value` and its `unit`.
WORTHS: Final = tuple((value, 1000) for value in (-1400, -450, 0, 450, 1400))

#: What a check gives a hook that takes a random word.
SEEDS: Final = (0, -1, *(mix(i) for i in range(1, 7)))

REQUIRED: Final = tuple(hook.name for hook in HOOKS.values() if hook.required)

#: What the library makes of a game's key, symmetries and clocks; templates call it like a hook.
DERIVED: Final = _table(
    Hook(contract.image, _STATE, phrase="the image under symmetry"),
    Hook(contract.symmetric_key, _WORD, phrase="the least key of all symmetric positions"),
    Hook(contract.timeless, _STATE, phrase="the position with its clocks set back"),
)


class HookAttributes(Generic[S]):
    """The hooks as attributes, with their types: `Game` has them, and so has `Compiled`."""

    initial: Callable[[], S]
    actions: Callable[[S, Any], int]
    result: Callable[[S, Action], S]
    utility: Callable[..., int]
    player: Callable[[S], Player]
    is_terminal: Callable[[S], bool]
    evaluate: Callable[..., int]
    noisy: Callable[[S, Row], int]
    outcomes: Callable[[S, Row, Row], int]
    key: Callable[[S], int]
    order: Callable[[S, Action], int]
    observe: Callable[[S, Player], Any]
    deal: Callable[[S, Player, int], S]
    seat: Callable[[S], Player]
    features: Callable[[S, Player, Any], int]
    null_move: Callable[[S], S]
    extend: Callable[[S], int]
    sufficient: Callable[[S, Row], int]
    bounds: Callable[[S], tuple[int, int]]
    assured: Callable[[S], tuple[int, int]]
    settled: Callable[[S], tuple[int, int]]
    gist: Callable[[S], int]
    details: Callable[[S, int], tuple[int, int, int]]
    matter: Callable[[S, int], int]
    mattered_before: Callable[[S, Action, int], int]
    foreseen: Callable[[S], tuple[int, int, int, int]]
    remaining: Callable[[S], int]
    playout: Callable[[S, int], Action]
    reply: Callable[[S, Action, int], Action]
    drawn: Callable[[S], int]
    superko: Callable[[S], tuple[int, ...]]
    owners: Callable[[S], tuple[int, ...]]
    race: Callable[[S], int]
    unstaked: Callable[[S], S]
    staked: Callable[[S, int, int], int]


def seeded(given: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """What a hook is given, each time with a seed: all seeds in turn, and everything given."""
    times = max(len(given), len(SEEDS)) if given else 0
    return [(*given[i % len(given)], SEEDS[i % len(SEEDS)]) for i in range(times)]
