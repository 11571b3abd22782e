"""Does a game of hidden information tell each player the same where it should, and hide the rest?

Positions that look the same to the one who decides must have the same moves: otherwise the moves
would tell what is hidden. And `deal` must draw from what the player cannot rule out, all of it and
nothing else.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import cached_property, partial
from typing import Any, Final, Generic, TypeVar

from threefold.rules.asking import Asker, Position
from threefold.rules.bits import mix
from threefold.rules.contract import CHANCE, Player
from threefold.rules.hooks import SEEDS, Kind
from threefold.rules.strict_row import Broken

S = TypeVar("S")

#: Positions that look the same are all looked for among this many deals, if `deal` draws only a few
#: different ones: a position that it draws as often as those is missed with a chance of less than
#: one in a million.
_DEALS: Final = 400
_FEW: Final = 8
#: What is dealt must come up in the game, if that has no more positions.
_LISTED: Final = 10_000
#: For this many observations.
_LOOKED_FOR: Final = 20


class InformationChecks(Generic[S]):
    """The checks of a game with `observe`. Each raises `Broken` if it fails."""

    def __init__(self, asker: Asker[S]) -> None:
        self._asker = asker
        self._game = asker.game
        #: How many words the first observation had.
        self._length: int | None = None
        #: By seat, the player for whom it decides.
        self._sides: dict[Player, Player] = {}

    def of(self, here: Position[S]) -> Iterator[Callable[[], Any]]:
        """The checks of one position."""
        for p in range(self._game.facts.seats):
            yield partial(self._check_observation, here, p)
        if here.player != CHANCE and not here.over:
            yield partial(self._check_seat, here)
            if "deal" in self._game.hooks:
                yield partial(self._check_deal, here)

    def _check_observation(self, here: Position[S], p: Player) -> None:
        seen = self._seen(here.state, p)
        if self._seen(here.state, p) != seen:
            raise Broken("reproducible", f"observe gives player {p} something else each time")
        if not self._asker.in_words:
            return
        if self._length is None:
            self._length = len(seen)
        if len(seen) != self._length:
            raise Broken(
                "observe",
                f"observe returned {len(seen)} words for player {p}; it returns the same number "
                f"for every position and player, and before, it was {self._length}",
            )

    def _check_seat(self, here: Position[S]) -> None:
        seat = self._asker.answer("seat", here)
        if self._sides.setdefault(seat, here.player) != here.player:
            raise Broken("seat", f"seat {seat} decides now for one player, now for the other")

    def _check_deal(self, here: Position[S]) -> None:
        for p in range(self._game.facts.seats):
            seen = self._seen(here.state, p)
            for seed in SEEDS:
                dealt = self._asker.answer("deal", here, p, seed)
                if self._asker.call("deal", here.state, p, seed) != dealt:
                    raise Broken("reproducible", f"deal varies for the same seed, {seed}")
                if self._seen(dealt, p) != seen:
                    raise Broken(
                        "deal",
                        f"deal for player {p} and seed {seed} is a position that looks different "
                        f"to that player: {self._game.show(dealt)}",
                    )
                if self._asker.call("player", dealt) != here.player:
                    raise Broken("deal", f"deal for player {p} and seed {seed} changes the turn")
                self._check_secrets(here.state, dealt, p)
                if self._possible and dealt not in self._possible:
                    raise Broken(
                        "deal",
                        f"deal for player {p} and seed {seed} is a position that cannot come up: "
                        f"{self._game.show(dealt)}",
                    )

    @cached_property
    def _possible(self) -> frozenset[S]:
        """All positions of the game; none if they are too many."""
        start = self._game.initial()
        found, waiting = {start}, [start]
        while waiting:
            s = waiting.pop()
            for after in self._after(s):
                if after not in found:
                    found.add(after)
                    waiting.append(after)
            if len(found) > _LISTED:
                return frozenset()
        return frozenset(found)

    def _after(self, s: S) -> list[S]:
        game = self._game
        if game.player(s) == CHANCE:
            return [game.result(s, a) for a, _ in game.chances(s)]
        return [game.result(s, a) for a in game.moves(s)]

    def _check_secrets(self, s: S, dealt: S, p: Player) -> None:
        """Two positions that look the same to a seat: whatever it is shown or does is the same."""
        game = self._game
        elsewhere = f"in a position that looks the same, {game.show(dealt)}"
        if game.as_seen(dealt, p) != game.as_seen(s, p):
            raise Broken("information", f"as_seen shows player {p} something else {elsewhere}")
        if game.seat(s) != p:
            return
        if game.moves(dealt) != game.moves(s):
            raise Broken("information", f"player {p} has other moves {elsewhere}")
        if game.agreed is not None and game.agreed(dealt) != game.agreed(s):
            raise Broken("information", f"agreed says something else {elsewhere}")
        for seed in SEEDS:
            if game.deal(dealt, p, seed) != game.deal(s, p, seed):
                raise Broken("information", f"deal for seed {seed} is another one {elsewhere}")

    def over_many(self, positions: Iterable[Position[S]]) -> Iterator[tuple[str, S]]:
        """What is wrong with positions that look the same to the one who decides, and where."""
        alike: dict[tuple[Player, Hashable], list[Position[S]]] = {}
        for here in positions:
            if here.player != CHANCE and not here.over:
                seat = self._game.seat(here.state)
                alike.setdefault((seat, self._seen(here.state, seat)), []).append(here)
        for (seat, _), group in alike.items():
            yield from self._other_moves(seat, group)
            yield from self._shown_more(seat, group)
        several = [(seat, group) for (seat, _), group in alike.items() if 2 <= len(group) <= _FEW]
        for seat, group in several[:_LOOKED_FOR] if "deal" in self._game.hooks else ():
            yield from self._never_dealt(seat, group)

    def _other_moves(self, seat: Player, group: list[Position[S]]) -> Iterator[tuple[str, S]]:
        for here in group[1:]:
            if here.moves != group[0].moves:
                sentence = (
                    f"player {seat} sees the same here as in another position, but has other "
                    f"moves; the other one is {self._game.show(group[0].state)}"
                )
                yield sentence, here.state

    def _shown_more(self, seat: Player, group: list[Position[S]]) -> Iterator[tuple[str, S]]:
        s = group[0].state
        shown = self._game.as_seen(s, seat)
        for here in group[1:]:
            if self._game.as_seen(here.state, seat) != shown:
                sentence = (
                    f"as_seen shows player {seat} something else here than in another position "
                    f"that looks the same; the other one is {self._game.show(s)}"
                )
                yield sentence, here.state

    def _never_dealt(self, seat: Player, group: list[Position[S]]) -> Iterator[tuple[str, S]]:
        s = group[0].state
        dealt = {self._game.deal(s, seat, mix(i)) for i in range(_DEALS)}
        for here in group if len(dealt) <= _FEW else ():
            if here.state not in dealt:
                sentence = (
                    f"deal never draws this position for player {seat} in {_DEALS} deals, from one "
                    f"that looks the same: {self._game.show(s)}"
                )
                yield sentence, here.state

    def _seen(self, s: S, p: Player) -> Any:
        seen = self._asker.call("observe", s, p)
        if self._asker.in_words:
            self._asker.check_kind(Kind.WORDS, "observe", seen)
        return seen
