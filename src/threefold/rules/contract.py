"""The rules contract: what each hook means, and what happens in a game that does not supply it.

A game supplies `initial`, `actions`, `result` and `utility`; every other hook has its default here.
`threefold.rules.hooks` is the table of them all. Searches are written as templates that call these
functions: to run one for a game, each is exchanged for the game's own (see `rebind`), and each
`HAS_…` for whether the game has one. A template is never run as it is.
"""

from typing import Any, Final, Protocol, TypeAlias, cast

from threefold.rules.bits import GOLDEN, add, mix

Action: TypeAlias = int
Player: TypeAlias = int

#: The player who moves first and wants a large utility.
MAX: Final = 0
#: The player who wants a small utility.
MIN: Final = 1
#: Nature: where it moves, `outcomes` lists the events and their weights.
CHANCE: Final = -1
#: What `reply` returns where it has no answer.
NO_REPLY: Final = -1

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
    """What a finished game is worth to MAX.

    With more than two players it is `utility(s, p)`, and the worth to player `p`.
    """
    raise NotImplementedError("a game supplies utility")


# What it may replace.


def player(s: Any) -> Player:
    """Whose turn it is: MAX, MIN or CHANCE. The same player may move twice in a row.

    With more than two players it is one of 0, 1, 2…, or CHANCE.
    """
    return s.turn  # type: ignore[no-any-return]


def is_terminal(s: Any) -> bool:  # noqa: ARG001
    """Whether the game is over. By default it is over when there is no move: `HAS_IS_TERMINAL`."""
    return False


def evaluate(s: Any) -> int:  # noqa: ARG001
    """STATIC: an estimate of what an unfinished position is worth to MAX.

    With more than two players it is `evaluate(s, p)`, and the worth to player `p`.
    """
    return 0


def noisy(s: Any, out: Row) -> int:  # noqa: ARG001
    """The moves after which `evaluate` cannot be trusted yet: captures, promotions."""
    return 0


def outcomes(s: Any, out: Row, weight: Row) -> int:  # noqa: ARG001
    """Where nature moves: write the events and their positive integer weights, return how many.

    The sum of the weights is at most `MAX_WEIGHT`.
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
    """What player `p` knows of a position, as a tuple of words, always of the same length.

    Positions of one observation are one information set: `p` cannot tell them apart, and has the
    same moves in all of them. What `p` knew before, `p` still knows. In a game with `seats`, `p`
    is a seat.
    """
    return s


def deal(s: Any, p: Player, seed: int) -> Any:  # noqa: ARG001
    """A position drawn at random from those that player `p` cannot tell from `s`.

    Each is as likely as nature makes it, and all of them can be drawn. It depends on what `p` sees
    and on the seed, and on nothing else. By default, games are played at random until one comes to
    what `p` sees, which only small games can afford.
    """
    return s


def seat(s: Any) -> Player:
    """Who decides here: the one whose observation counts. By default it is the player to move.

    Where partners play together, as in bridge, a player is a side, and each of its `seats` knows
    its own cards.
    """
    return player(s)


def features(s: Any, p: Player, out: Row) -> int:
    """What a learned evaluation sees of a position: words whose bits are its inputs.

    They are written as player `p` sees the position; returns how many words, the same number for
    every position, at most `MAX_FEATURE_WORDS`. By default they are the state's own words, and one
    that says whether `p` is MIN.
    """
    n = 0
    for word in s:
        out[n] = word
        n += 1
    out[n] = p
    return n + 1


def null_move(s: Any) -> Any:
    """The same position with the other player to move, in games where passing never helps."""
    return s


def extend(s: Any) -> int:  # noqa: ARG001
    """How many plies deeper than planned a search should look here, as when in check."""
    return 0


def sufficient(s: Any, out: Row) -> int:
    """Moves that are sure to include a best one: the quickest win, or the slowest loss.

    Fewer than all where the rules show at a glance that the others are no better: an immediate win,
    the only reply to a threat. None only if the game is over. By default all: see `HAS_SUFFICIENT`.
    """
    return actions(s, out)


def bounds(s: Any) -> tuple[int, int]:  # noqa: ARG001
    """The least and the greatest utility with which the game can still end from here."""
    return -MAX_VALUE, MAX_VALUE


def assured(s: Any) -> tuple[int, int]:  # noqa: ARG001
    """The utility that MAX can be sure of from here, and the one that MIN can hold MAX to.

    The value is between them, as far as the rules show at a glance; the game may end outside of
    them if a side plays badly. Whoever is sure of something gets it without ever having to make a
    move that superko may forbid.
    """
    return -MAX_VALUE, MAX_VALUE


def settled(s: Any) -> tuple[int, int]:
    """The part of the utility that is settled, to MAX, and a key to the rest of the game.

    Positions with the same key have the same moves, and the same moves gain the player to move the
    same beyond what is settled. So the key leaves out what was gained so far, and may leave out
    which player is which.
    """
    return 0, key(s)


def gist(s: Any) -> int:  # noqa: ARG001
    """What always matters about a position, as a word; 0 where nothing is to be remembered.

    This and the next four hooks make a key that forgets what did not matter (partition search:
    Ginsberg, 1996). What mattered is a word of bits, in any way a game likes to put it: what two
    lines of play need is the one's bits or the other's.
    """
    return 0


def details(s: Any, mattered: int) -> tuple[int, int, int]:  # noqa: ARG001
    """The rest of a position as two words; and the bits of both that say all that `mattered`.

    Where something was proven of `s` because of what mattered, the same holds for every position
    of the same gist whose words agree in those bits: what is gained from there is as good.
    """
    return 0, 0, 0


def matter(s: Any, bits: int) -> int:  # noqa: ARG001
    """What mattered, in terms of `s`, if it is said by those bits of its `details`."""
    return 0


def mattered_before(s: Any, a: Action, mattered: int) -> int:  # noqa: ARG001
    """What matters about `s`, if what `mattered` after move `a` does; at least that.

    If `a` is `NO_REPLY`, all `sufficient` moves were tried in vain, and that is what mattered after
    all of them: then it must also be enough to say that no other move is any better.
    """
    return mattered


def foreseen(s: Any) -> tuple[int, int, int, int]:  # noqa: ARG001
    """The utility that MAX is sure of, the one that MIN can hold MAX to, and what both depend on.

    Like `assured`, with what matters about `s` for the one and for the other. Asked where there is
    a `gist`.
    """
    return -MAX_VALUE, MAX_VALUE, 0, 0


def remaining(s: Any) -> int:  # noqa: ARG001
    """About how many more plies the game can last: when it is few, a plain search pays off.

    Only a hint.
    """
    return 1 << 20


def playout(s: Any, seed: int) -> Action:  # noqa: ARG001
    """The move to make here in a playout, chosen with the help of a random word.

    Legal, and quick to find. By default any legal move, all equally likely: see `HAS_PLAYOUT`.
    """
    return 0


def reply(s: Any, a: Action, seed: int) -> Action:  # noqa: ARG001
    """The move of a playout that answers `a`, the move just made, or `NO_REPLY`.

    It goes before `playout`. It is asked about any move at all, and must be legal in `s`.
    """
    return NO_REPLY


def drawn(s: Any) -> int:  # noqa: ARG001
    """Whether a position is a draw by rule although there are moves: 0, CLAIMABLE or DRAWN.

    For example because nothing was captured for many moves, or because neither player can win. A
    DRAWN position has utility 0. The hook is asked where a player moves, never where nature does.
    Perft ignores draws.
    """
    return 0


def superko(s: Any) -> tuple[int, ...]:  # noqa: ARG001
    """What must not come up a second time in a game, such as Go's board, as words of bits.

    A move that brings an earlier one back is illegal wherever the game so far is known; a move
    that changes nothing of it, such as a pass, is not. By default nothing is forbidden.
    """
    return ()


def owners(s: Any) -> tuple[int, ...]:  # noqa: ARG001
    """Who owns which places of a finished game's board: words of bits, MAX's, then MIN's.

    As many words for one as for the other, a bit for each place of `Territory.places`. By default
    nobody owns anything.
    """
    return ()


def race(s: Any) -> int:  # noqa: ARG001
    """The number of a race, in which the sides can no longer affect each other; -1 elsewhere.

    Asked where nature moves, and once the game is over: -1 where a player has a move. See
    `threefold.rules.race`.
    """
    return -1


def unstaked(s: Any) -> Any:
    """The position in the game without stakes, if this one has some, such as a doubling cube.

    A net that was trained without stakes sees it in place of `s`.
    """
    return s


def staked(s: Any, value: int, unit: int) -> int:  # noqa: ARG001
    """What a position is worth to MAX whose `unstaked` one is worth `value`.

    Both are in units of which a utility of 1 has `unit`, an even number.
    """
    return value


# What the library supplies to every template.


def weigh(s: Any, weights: Any) -> int:  # noqa: ARG001
    """What `evaluate` is with these weights of its terms: see `HAS_WEIGHTS`.

    A search with other weights than the game's own takes them as data. So it is compiled only once,
    whatever the weights are.
    """
    return 0


def viewer(s: Any) -> Player:
    """Through whose eyes a learned evaluation sees a position: those of the player to move.

    Where nature moves, it is the player whose `turn` it is, if the state has such a field: the one
    about to roll.
    """
    raise NotImplementedError("the library supplies viewer")


def state(words: tuple[int, ...]) -> Any:
    """The game's State from its fields as words."""
    raise NotImplementedError("the library supplies state")


def words(s: Any) -> tuple[int, ...]:
    """The fields of a State, as words."""
    raise NotImplementedError("the library supplies words")


def symmetric_key(s: Any) -> int:
    """The smallest key among a position and its images under the game's symmetries."""
    raise NotImplementedError("the library supplies symmetric_key")


def image(s: Any, number: int) -> Any:
    """A position's image under the symmetry of that number: 1 is the first, 0 no change."""
    raise NotImplementedError("the library supplies image")


def timeless(s: Any) -> Any:
    """The same position with its clocks set back: see `clocks` of `Game`."""
    raise NotImplementedError("the library supplies timeless")


def slice_of(s: Any) -> int:
    """The end-game slice of a position, by number; -1 if it is in none: see `Endgames`."""
    raise NotImplementedError("the library supplies slice_of")


def number_of(s: Any) -> int:
    """The number of a position in its end-game slice."""
    raise NotImplementedError("the library supplies number_of")


def position_of(of_slice: int, number: int) -> Any:
    """The position with that number in an end-game slice."""
    raise NotImplementedError("the library supplies position_of")


def plies_left(s: Any) -> int:
    """How many more plies may pass before a rule ends the game as a draw."""
    raise NotImplementedError("the library supplies plies_left")


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
HAS_ASSURED: Final = cast(bool, Slot("HAS_ASSURED"))
HAS_SETTLED: Final = cast(bool, Slot("HAS_SETTLED"))
HAS_GIST: Final = cast(bool, Slot("HAS_GIST"))
HAS_FORESEEN: Final = cast(bool, Slot("HAS_FORESEEN"))
HAS_REMAINING: Final = cast(bool, Slot("HAS_REMAINING"))
HAS_PLAYOUT: Final = cast(bool, Slot("HAS_PLAYOUT"))
HAS_REPLY: Final = cast(bool, Slot("HAS_REPLY"))
HAS_DRAWN: Final = cast(bool, Slot("HAS_DRAWN"))
HAS_DEAL: Final = cast(bool, Slot("HAS_DEAL"))
HAS_SEAT: Final = cast(bool, Slot("HAS_SEAT"))
HAS_SUPERKO: Final = cast(bool, Slot("HAS_SUPERKO"))
HAS_OWNERS: Final = cast(bool, Slot("HAS_OWNERS"))
HAS_RACE: Final = cast(bool, Slot("HAS_RACE"))
HAS_STAKED: Final = cast(bool, Slot("HAS_STAKED"))
HAS_WEIGHTS: Final = cast(bool, Slot("HAS_WEIGHTS"))
#: Whether a net, given as data, judges positions in place of `evaluate`.
HAS_NET: Final = cast(bool, Slot("HAS_NET"))
#: Whether a database of end-games is at hand: see `threefold.engine.database`.
HAS_DATABASE: Final = cast(bool, Slot("HAS_DATABASE"))
#: Whether the game numbers its end-games, or else all its positions are numbered by hashing.
HAS_ENDGAMES: Final = cast(bool, Slot("HAS_ENDGAMES"))
#: Whether end-games are worth a margin, not a win, a draw or a loss.
HAS_MARGINS: Final = cast(bool, Slot("HAS_MARGINS"))
HAS_CLOCKS: Final = cast(bool, Slot("HAS_CLOCKS"))
HAS_SYMMETRIES: Final = cast(bool, Slot("HAS_SYMMETRIES"))
#: What a game permits an inexact search: see `Game` and `Assumptions`.
REPEATS: Final = cast(bool, Slot("REPEATS"))
REDUCTIONS: Final = cast(bool, Slot("REDUCTIONS"))
HAS_FUTILITY: Final = cast(bool, Slot("HAS_FUTILITY"))

#: Utilities and evaluations lie within ± this, so that one word can tell a finished game from an
#: estimate, and an early win from a late one.
MAX_VALUE: Final = 1 << 22

#: How many words of `features` a position may have: 64 inputs each.
MAX_FEATURE_WORDS: Final = 64

#: How many terms an evaluation may have.
MAX_TERMS: Final = 64

#: The largest sum of the weights of a chance node, so that no expectation overflows.
MAX_WEIGHT: Final = 1 << 26

#: A utility of 1 in units of evaluations: a finished game outweighs an estimate.
FINISHED: Final = 1000
