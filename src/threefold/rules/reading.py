"""Reading positions and moves that people write, and naming what is wrong with them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from threefold.errors import BadPosition, IllegalMove, ThreefoldError
from threefold.rules.contract import CHANCE, Action
from threefold.rules.text import listing, shorten

if TYPE_CHECKING:
    from threefold.rules.definition import Rules
    from threefold.rules.records import Touched

S = TypeVar("S")

#: What to say of a move that only the game so far makes illegal.
FORBIDDEN_BY_SUPERKO = "would bring an earlier position back (superko)"


def position(game: Rules[S], parse: Callable[[str], S], given: str) -> S:
    """The position that a text describes, by the game's own `parse`."""
    shown = f"{game.name}: position {shorten(given)}"
    try:
        s = parse(given)
    except ThreefoldError:
        raise
    except ValueError as error:
        raise BadPosition(f"{shown}: {error}") from None
    except Exception as error:
        raise BadPosition(f"{shown}: parse raises {type(error).__name__}: {error}") from error
    if not isinstance(s, game.state_type):
        raise BadPosition(f"{shown}: parse returned {s!r}, not a {game.state_type.__name__}")
    players = game.facts.players
    if game.player(s) != CHANCE and game.player(s) not in range(players):
        there_are = "0 (MAX) and 1 (MIN)" if players == 2 else f"0 to {players - 1}"
        raise BadPosition(f"{shown}: it is player {game.player(s)}'s turn; there are {there_are}")
    return s


def move(
    game: Rules[S],
    parse_move: Callable[[S, str], Action] | None,
    s: S,
    given: str,
    before: Sequence[S],
) -> Action:
    """The legal move that a text names: by the game's own `parse_move`, or among their names."""
    try:
        if parse_move is not None:
            a = parse_move(s, given)
        else:
            a = next(
                a
                for a in game.moves(s)
                if given in (game.format_move(s, a), game.readable_move(s, a))
            )
    except (ValueError, StopIteration) as error:
        reason = f" ({error})" if str(error) else ""
    else:
        if game.is_legal(s, a, before):
            return a
        reason = f" (it {FORBIDDEN_BY_SUPERKO})" if before and a in game.moves(s) else ""
    legal = game.moves(s, before)
    options = listing([game.format_move(s, a) for a in legal]) if legal else "none"
    raise IllegalMove(
        f"{game.name}: {shorten(given)} is not a legal move{reason}; legal here: {options}"
    )


def set_up(
    game: Rules[S], put: Callable[[S, str, str], S] | None, s: S, place: str, piece: str
) -> S:
    """The position with a piece on a place, by the game's own `put`."""
    if put is None:
        raise BadPosition(f"{game.name}: its board cannot be set up; write the position")
    try:
        changed = put(s, place, piece)
    except (ValueError, KeyError, IndexError) as error:
        raise BadPosition(
            f"{game.name}: {shorten(piece)} cannot be placed on {shorten(place)}: {error}"
        ) from None
    return game.parse(game.format(changed))


def touch(
    game: Rules[S],
    touched: Callable[[S, Sequence[str]], Touched | None] | None,
    s: S,
    places: Sequence[str],
) -> Touched | None:
    """What the places touched so far come to, by the game's own `touched`."""
    if touched is None:
        return None
    try:
        return touched(s, places)
    except ValueError as error:
        raise IllegalMove(f"{game.name}: {error}") from None
