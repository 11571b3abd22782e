"""Each hook on its own, as an entry: what lets Python call the compiled rules one by one."""

from threefold.rules.contract import (
    Action,
    Row,
    actions,
    bounds,
    drawn,
    evaluate,
    extend,
    image,
    initial,
    is_terminal,
    key,
    noisy,
    null_move,
    order,
    outcomes,
    player,
    remaining,
    result,
    settled,
    state,
    sufficient,
    symmetric_key,
    timeless,
    utility,
    words,
)


def call_initial() -> tuple[int, ...]:
    """The start, as words."""
    return words(initial())


def call_actions(given: tuple[int, ...], out: Row) -> int:
    """The legal moves into `out`."""
    return actions(state(given), out)


def call_result(given: tuple[int, ...], a: Action) -> tuple[int, ...]:
    """The position after a move, as words."""
    return words(result(state(given), a))


def call_utility(given: tuple[int, ...]) -> int:
    """A finished position's worth to MAX."""
    return utility(state(given))


def call_player(given: tuple[int, ...]) -> int:
    """Whose turn it is."""
    return player(state(given))


def call_is_terminal(given: tuple[int, ...]) -> bool:
    """Whether the game says that it is over."""
    return is_terminal(state(given))


def call_evaluate(given: tuple[int, ...]) -> int:
    """The static value."""
    return evaluate(state(given))


def call_noisy(given: tuple[int, ...], out: Row) -> int:
    """The moves that are not quiet into `out`."""
    return noisy(state(given), out)


def call_outcomes(given: tuple[int, ...], out: Row, weight: Row) -> int:
    """The events of nature into `out`, their weights into `weight`."""
    return outcomes(state(given), out, weight)


def call_key(given: tuple[int, ...]) -> int:
    """The key of a position."""
    return key(state(given))


def call_order(given: tuple[int, ...], a: Action) -> int:
    """A first guess at a move."""
    return order(state(given), a)


def call_null_move(given: tuple[int, ...]) -> tuple[int, ...]:
    """The position with the turn passed on, as words."""
    return words(null_move(state(given)))


def call_extend(given: tuple[int, ...]) -> int:
    """How many plies deeper to look."""
    return extend(state(given))


def call_sufficient(given: tuple[int, ...], out: Row) -> int:
    """Moves among which a best one is into `out`."""
    return sufficient(state(given), out)


def call_bounds(given: tuple[int, ...]) -> tuple[int, int]:
    """The least and the greatest utility still possible."""
    return bounds(state(given))


def call_settled(given: tuple[int, ...]) -> tuple[int, int]:
    """What is settled of the utility, and a key to the rest."""
    return settled(state(given))


def call_drawn(given: tuple[int, ...]) -> int:
    """Whether a rule makes a draw of it."""
    return drawn(state(given))


def call_remaining(given: tuple[int, ...]) -> int:
    """How many plies the game will last at most."""
    return remaining(state(given))


def call_symmetric_key(given: tuple[int, ...]) -> int:
    """The least key of a position and its images."""
    return symmetric_key(state(given))


def call_image(given: tuple[int, ...], number: int) -> tuple[int, ...]:
    """A position's image under one of the game's symmetries, as words."""
    return words(image(state(given), number))


def call_timeless(given: tuple[int, ...]) -> tuple[int, ...]:
    """The position with its clocks set back, as words."""
    return words(timeless(state(given)))
