"""What `conformance` checks of the end-games that a game numbers: see `Endgames`.

A wrong number makes a wrong database, so the promises are tried out: on numbers of each slice, on
the positions that moves lead to from there, and on those that random play came to.
"""

import random
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from types import FunctionType
from typing import Any, Final, Generic, TypeAlias, TypeVar

from threefold.rules.asking import Asker, Position
from threefold.rules.contract import (
    MIN,
    Action,
    number_of,
    plies_left,
    position_of,
    slice_of,
    state,
    words,
)
from threefold.rules.endgames import NO_SLICE, Endgames, Slice
from threefold.rules.game import Game
from threefold.rules.hooks import Function
from threefold.rules.inspection import Inspector
from threefold.rules.rebind import interpreted
from threefold.rules.strict_row import Broken, is_whole_word

S = TypeVar("S")
#: A slice, and a number in it.
Place: TypeAlias = tuple[int, int]

#: Slices with more and more pieces are listed until there are so many of either.
_MANY_SLICES: Final = 60
_MANY_PIECES: Final = 64
#: How many numbers are tried in all, but at least so many of each slice.
_NUMBERS: Final = 1000
_NUMBERS_OF_A_SLICE: Final = 8
#: How many positions of random play are tried.
_SEEN: Final = 100
#: What some file system does not have in a name.
_NOT_IN_NAMES: Final = frozenset('<>:"/\\|?*')
_LONGEST_NAME: Final = 100


def check_endgames(inspector: Inspector[S], rng: random.Random) -> "EndgameChecks[S] | None":
    """Check the end-games of a game that has some and is sound otherwise; note the first defect."""
    endgames = inspector.game.endgames
    if endgames is None or inspector.defects:
        return None
    checks = EndgameChecks(inspector.game, endgames, rng)
    try:
        checks.check_slices()
        checks.check_numbers()
        checks.check_seen([here.state for here in inspector.seen.values()])
    except Broken as broken:
        inspector.note(broken.check, broken.sentence, checks.shown)
    return checks


class EndgameChecks(Generic[S]):
    """The checks of one game's end-games. Each raises `Broken` if it fails."""

    def __init__(self, game: Game[S], endgames: Endgames[S], rng: random.Random) -> None:
        #: The position that a defect is about.
        self.shown = game.initial()
        self._game = game
        self._endgames = endgames
        self._rng = rng
        self._asker = Asker(game)
        self._slices: dict[int, Slice] = {}
        #: Whether these are all slices of the game.
        self._complete = False
        # What was tried, for comparing with the compiled way.
        self._numbers: list[Place] = []
        self._positions: list[S] = []

    # The slices.

    def check_slices(self) -> None:
        """List the slices, those of few pieces first."""
        facts, most = self._game.facts, self._endgames.most
        if facts.players != 2 or not (facts.deterministic and facts.zero_sum):
            raise Broken("endgames", "databases are for zero-sum games of two without chance")
        if not is_whole_word(most) or most < 0:
            raise Broken("endgames", f"most={most!r} is not a number of {self._endgames.unit}")
        before: list[Slice] = []
        for pieces in range(min(most, _MANY_PIECES) + 1):
            listed = self._listed(pieces)
            self._check_growth(pieces, before, listed)
            before, self._complete = listed, pieces == most
            if len(listed) > _MANY_SLICES:
                break
        self._slices = {each.number: each for each in before}
        if self._complete and not before:
            raise Broken("slices", f"slices({most}) lists no slice")

    def _listed(self, pieces: int) -> list[Slice]:
        """The slices with so many pieces, each of them sound."""
        name = f"slices({pieces})"
        listed = self._asker.guarded(name, lambda: list(self._endgames.slices(pieces)))
        for each in listed:
            _check_slice(name, pieces, each)
        # Not all file systems tell capitals from small letters.
        names, numbers = [each.name.casefold() for each in listed], [each.number for each in listed]
        for what, given in (("number", numbers), ("name", names)):
            for shared, count in Counter[object](given).items():
                if count > 1:
                    raise Broken("slices", f"{name} lists two slices with the {what} {shared}")
        for each in listed:
            for after in each.leads_to:
                if after not in numbers:
                    raise Broken(
                        "leads_to",
                        f"slice {each.name} leads to slice {after}, which {name} does not list; a "
                        "slice leads to slices with at most as many pieces",
                    )
        return list(listed)

    def _check_growth(self, pieces: int, before: list[Slice], listed: list[Slice]) -> None:
        """With one piece more allowed, there are the same slices, and others that have so many."""
        known = {each.number: each for each in before}
        fewer = {each.number: each for each in listed if each.pieces < pieces}
        for number in sorted(known.keys() | fewer.keys()):
            if fewer.get(number) != known.get(number):
                name = (known.get(number) or fewer[number]).name
                raise Broken(
                    "slices",
                    f"slice {name} is not the same in slices({pieces - 1}) and slices({pieces}), "
                    f"or in one alone; each lists all slices with at most so many "
                    f"{self._endgames.unit}",
                )

    # The numbers.

    def check_numbers(self) -> None:
        """Try numbers of each slice: all of them, if they are few."""
        share = max(_NUMBERS // max(len(self._slices), 1), _NUMBERS_OF_A_SLICE)
        for each in self._slices.values():
            numbers: Sequence[int] = range(each.size)
            if each.size > share:
                some = (self._rng.randrange(each.size) for _ in range(share - 2))
                numbers = sorted({0, each.size - 1, *some})
            for number in numbers:
                self._check_number(each, number)

    def _check_number(self, of: Slice, number: int) -> None:
        s = self._position((of.number, number))
        self.shown = s
        self._numbers.append((of.number, number))
        if self._place(s) != (of.number, number):
            return  # not in use: it may be anything
        if self._game.timeless(s) != s:
            raise Broken("position", "the clocks of a numbered position are not at their start")
        self._check_moves(self._asker.position(s), of)

    def check_seen(self, seen: Sequence[S]) -> None:
        """Try positions of random play: those in a slice."""
        inside = []
        for s in seen:
            self.shown = s
            self._positions.append(s)
            if self._place(s)[0] != NO_SLICE:
                inside.append(s)
        for s in self._rng.sample(inside, min(_SEEN, len(inside))):
            self.shown = s
            self._check_plies_left(s)
            self._check_same(s)
            here = self._asker.position(self._game.timeless(s))
            self._check_moves(here, self._slices.get(self._place(s)[0]))

    def _position(self, place: Place) -> S:
        """The position with a number."""
        given = self._asker.guarded("position", self._endgames.position, *place)
        return self._asker.checked_state("position", given)

    def _place(self, s: S) -> Place:
        """The slice and the number of a position, -1 both if it is in no slice."""
        of_slice = self._asker.guarded("slice_of", self._endgames.slice_of, s)
        self._asker.check_word("slice_of", of_slice)
        if of_slice < NO_SLICE:
            raise Broken("slice_of", f"slice_of is {of_slice}, neither a slice nor NO_SLICE")
        if of_slice == NO_SLICE:
            return NO_SLICE, -1
        number = self._asker.guarded("number_of", self._endgames.number_of, s)
        self._asker.check_word("number_of", number)
        return of_slice, number

    def _check_moves(self, here: Position[S], of: Slice | None) -> None:
        """Moves lead to slices that are declared, and to numbers in use, or end the game."""
        self.shown = here.state
        self._positions.append(here.state)
        self._check_plies_left(here.state)
        if here.over:
            self._check_worth(here.state)
        inside = []
        for a, child in zip(here.moves, self._asker.children(here), strict=True):
            place = self._place_after(here, a, child)
            if place[0] == NO_SLICE:
                self._check_worth(child)
            elif of is not None and place[0] not in of.leads_to:
                move = self._game.format_move(here.state, a)
                raise Broken(
                    "leads_to",
                    f"{move} leads to {self._named(place[0])}, which leads_to of slice {of.name} "
                    "does not mention",
                )
            else:
                self._twin(child, place)
                inside.append(child)
        if inside:
            self._check_same(self._rng.choice(inside))

    def _place_after(self, here: Position[S], a: Action, child: S) -> Place:
        """The place of the position after a move; if it is in no slice, the game must be over."""
        self.shown = here.state
        place = self._place(child)
        if place[0] == NO_SLICE and not self._asker.position(child).over:
            move = self._game.format_move(here.state, a)
            raise Broken(
                "leads_to", f"{move} leads to a position in no slice, although the game goes on"
            )
        return place

    def _check_plies_left(self, s: S) -> None:
        if self._endgames.plies_left is not None:
            given = self._asker.guarded("plies_left", self._endgames.plies_left, s)
            if not is_whole_word(given) or given < 0:
                raise Broken("plies_left", f"plies_left returned {given!r}, not a number of plies")

    def _check_worth(self, s: S) -> None:
        worth = self._asker.payoffs(s)[0]
        if not self._endgames.margins and abs(worth) > 1:
            self.shown = s
            raise Broken(
                "endgames", f"utility is {worth}; without margins it is 1, 0 or -1 in end-games"
            )

    # Positions that share a number.

    def _twin(self, s: S, place: Place) -> S:
        """The position that stands for the number of `s`, which may be another one."""
        self.shown = s
        of = self._slices.get(place[0])
        if of is None and self._complete:
            raise Broken("slice_of", f"slice_of is {place[0]}, and slices lists no such slice")
        found = f"number_of is {place[1]} in {self._named(place[0])}"
        if place[1] < 0:
            raise Broken("number_of", f"{found}; numbers are 0 or more")
        if of is not None and place[1] >= of.size:
            raise Broken("number_of", f"{found}, whose size is {of.size}")
        twin = self._position(place)
        if self._place(twin) != place:
            raise Broken(
                "number_of",
                f"{found}, but that number is not in use: position returns "
                f"{self._game.show(twin)}, which has another",
            )
        return twin

    def _check_same(self, s: S) -> None:
        """A position and the one that stands for its number must have the same future."""
        place = self._place(s)
        twin, still = self._twin(s, place), self._game.timeless(s)
        self._positions.append(s)
        if self._place(still) != place:
            raise Broken("number_of", "a position with other clocks has another number or slice")
        ours, theirs = self._asker.position(still), self._asker.position(twin)
        differ = ""
        if len(ours.moves) != len(theirs.moves):
            differ = f"with {len(ours.moves)} and {len(theirs.moves)} moves"
        elif self._future(ours) != self._future(theirs):
            differ = "of different worth" if ours.over else "whose moves lead to different ones"
        if differ:
            self.shown = s
            raise Broken(
                "number_of",
                f"two positions {differ} have the same number; the other one is "
                f"{self._game.show(twin)}",
            )

    def _future(self, here: Position[S]) -> Counter[Hashable]:
        """Where the moves lead, and what they gain the player to move; or what the end is worth."""
        s, sign = here.state, -1 if here.player == MIN else 1
        before = self._settled(s)
        if here.over:
            return Counter([sign * (self._asker.payoffs(s)[0] - before)])
        found: Counter[Hashable] = Counter()
        for a, child in zip(here.moves, self._asker.children(here), strict=True):
            place = self._place_after(here, a, child)
            if place[0] == NO_SLICE:
                found[sign * (self._asker.payoffs(child)[0] - before)] += 1
            else:
                moves_on = self._asker.call("player", child) == here.player
                found[place, moves_on, sign * (self._settled(child) - before)] += 1
        return found

    def _settled(self, s: S) -> int:
        """What is settled already, where margins count."""
        if not self._endgames.margins or "settled" not in self._game.hooks:
            return 0
        return int(self._asker.call("settled", s)[0])

    def _named(self, of_slice: int) -> str:
        of = self._slices.get(of_slice)
        return f"slice {of_slice if of is None else of.name}"

    # The compiled way.

    def differences(self, entry: Callable[[Function], Function]) -> Iterator[tuple[str, S]]:
        """What compiled code says otherwise, in sentences, each with its position.

        `entry` compiles a template.
        """
        ours, theirs = self._interpreted(numbered), entry(numbered)
        for place in self._numbers:
            our, their = ours(*place), theirs(*place)
            if our != their:
                name = f"position {place[1]} of {self._named(place[0])}"
                s = self._game.state_type(*our)
                yield f"{name} is {our} interpreted but {their} compiled", s
        ours, theirs = self._interpreted(placed), entry(placed)
        for s in self._positions:
            given = tuple(map(int, s))  # type: ignore[call-overload]
            for name, our, their in zip(_PLACED, ours(given), theirs(given), strict=True):
                if our != their:
                    yield f"{name} is {our} interpreted but {their} compiled", s

    def _interpreted(self, template: Function) -> Function:
        assert isinstance(template, FunctionType)
        return interpreted(template, self._game)


def numbered(of_slice: int, number: int) -> Any:
    """A template: the position with a number, as words."""
    return words(position_of(of_slice, number))


def placed(given: tuple[int, ...]) -> Any:
    """A template: the slice of a position, its number there, and the plies left."""
    s = state(given)
    of_slice = slice_of(s)
    if of_slice < 0:
        return of_slice, of_slice, of_slice
    return of_slice, number_of(s), plies_left(s)


#: What `placed` returns.
_PLACED: Final = ("slice_of", "number_of", "plies_left")


def _check_slice(listed_by: str, pieces: int, each: object) -> None:
    """A slice has a name that is fit for a file, a number, a size, and not too many pieces."""
    if not isinstance(each, Slice):
        raise Broken("slices", f"{listed_by} lists {each!r}, which is not a Slice")
    name: object = each.name
    if not isinstance(name, str) or not _is_file_name(name):
        raise Broken("slices", f"{listed_by} lists a slice named {name!r}, unfit for a file name")
    for what, least in (("number", 0), ("size", 1), ("pieces", 0)):
        given = getattr(each, what)
        if not is_whole_word(given) or given < least:
            raise Broken("slices", f"slice {name} has {what}={given!r}, not a number from {least}")
    if each.pieces > pieces:
        raise Broken("slices", f"{listed_by} lists slice {name}, which has pieces={each.pieces}")


def _is_file_name(name: str) -> bool:
    """Whether every file system can have it; a file that begins with a dot is no table yet."""
    fits = 0 < len(name) <= _LONGEST_NAME and name.isprintable() and name == name.strip()
    return fits and not name.startswith(".") and not _NOT_IN_NAMES.intersection(name)
