"""A game under way in which something is hidden: what each seat may be shown of it.

Whoever shows such a game to people, on a page or in a terminal, asks a `SeatedGame` and not the
game itself. What a seat is shown is computed from what it sees, not cut out of the whole.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, Generic, TypeVar

from threefold.errors import IllegalMove, ThreefoldError
from threefold.rules.contract import CHANCE, Action, Player
from threefold.rules.game import Game
from threefold.rules.outcome import Outcome
from threefold.rules.svg import Svg, text_block
from threefold.rules.text import did_you_mean

S = TypeVar("S")

#: What a move, or an event of nature, is called for those who do not see which it is.
HIDDEN_MOVE: Final = "hidden"
DEALT: Final = "dealt"
#: More events of nature in a row than this are one deal, whose parts nobody wants listed.
_FEW_EVENTS: Final = 4
#: So many positions that a seat cannot rule out are looked at before a move counts as seen.
_DEALS: Final = 4


@dataclass(frozen=True)
class MoveSeen:
    """A move, or a deal of nature, as it is listed for one seat."""

    #: How many moves and events the game had when it was made, with it.
    ply: int
    player: Player
    #: Who decided; None for nature.
    seat: Player | None
    text: str
    #: Where it is in the picture; nowhere if it is hidden.
    places: Sequence[str] = ()


class SeatedGame(Generic[S]):
    """A game so far, and who has seen what of it. Nature's events are drawn here."""

    def __init__(self, game: Game[S], s: S, rng: random.Random) -> None:
        self.game = game
        self.positions = [s]
        self.moves: list[Action] = []
        self._rng = rng
        #: By move, the seats that know which it was.
        self._seen_by: list[frozenset[Player]] = []
        self._let_nature_move()

    @property
    def now(self) -> S:
        """The position on the table."""
        return self.positions[-1]

    @property
    def before(self) -> Sequence[S]:
        """The positions that came before it."""
        return self.positions[:-1]

    @property
    def outcome(self) -> Outcome | None:
        """How the game has ended; None while it is on."""
        return self.game.outcome(self.positions)

    @property
    def seat(self) -> Player | None:
        """Who decides now; None once the game is over."""
        return None if self.outcome is not None else self.game.seat(self.now)

    def play(self, a: Action) -> None:
        """Make a move of the seat that decides, and let nature move if it is her turn."""
        self._add(a, self.game.seat(self.now))
        self._let_nature_move()

    def _let_nature_move(self) -> None:
        while self.outcome is None and self.game.player(self.now) == CHANCE:
            events = self.game.chances(self.now)
            self._add(self._rng.choices(*zip(*events, strict=True))[0], None)

    def _add(self, a: Action, mover: Player | None) -> None:
        s = self.now
        seats = range(self.game.facts.seats)
        self._seen_by.append(frozenset(p for p in seats if p == mover or self._sees(s, a, p)))
        self.moves.append(a)
        self.positions.append(self.game.result(s, a))

    def _sees(self, s: S, a: Action, p: Player) -> bool:
        """Whether seat `p` knows which move this is, whatever is true of what it does not see."""
        if not self.game.sees_move(s, a, p):
            return False
        if self.game.player(s) == CHANCE:  # the only event tells what nature could not choose
            return len(self.game.chances(s)) > 1
        # It may be the only such move here, and one of several in a position that looks the same.
        seen = self.game.observe(self.game.result(s, a), p)
        try:
            deals = {self.game.deal(s, p, seed) for seed in range(_DEALS)}
        except ThreefoldError:  # nobody can say what it might be
            return False
        return not any(
            self.game.observe(self.game.result(t, b), p) == seen
            for t in deals
            for b in self.game.all_moves(t)
            if b != a
        )

    # What is shown. A seat of None sees everything.

    def picture(self, seat: Player | None, at: int | None = None) -> Svg:
        """The position after `at` moves, by default all, as a seat sees it."""
        s = self._at(at)
        shown = self._as_seen(s, seat)
        if shown is None:
            assert seat is not None
            return Svg(text_block(self.game.name, self._observed(s, seat)))
        return self.game.draw(shown)

    def text(self, seat: Player | None, at: int | None = None) -> str:
        """The same for a terminal."""
        s = self._at(at)
        shown = self._as_seen(s, seat)
        if shown is None:
            assert seat is not None
            return self._observed(s, seat)
        return self.game.render(shown)

    def shown(self, seat: Player | None, at: int | None = None) -> S | None:
        """The position to show to a seat; None if the game does not say what it looks like."""
        return self._as_seen(self._at(at), seat)

    def listed(self, seats: Sequence[Player]) -> list[MoveSeen]:
        """The moves as all of some seats know them; of nobody in particular, everything."""
        entries = [self._entry(number, seats) for number in range(len(self.moves))]
        listed: list[MoveSeen] = []
        for player, run in groupby(entries, lambda entry: entry.player):
            together = list(run)
            if player != CHANCE:
                listed += together
                continue
            told = [entry.text for entry in together if entry.text != DEALT]
            few = told and len(together) <= _FEW_EVENTS
            text = " ".join(told) if few else DEALT
            listed.append(MoveSeen(together[-1].ply, CHANCE, None, text))
        return listed

    def _entry(self, number: int, seats: Sequence[Player]) -> MoveSeen:
        s, a = self.positions[number], self.moves[number]
        player = self.game.player(s)
        decided = None if player == CHANCE else self.game.seat(s)
        if not all(seat in self._seen_by[number] for seat in seats):
            return MoveSeen(number + 1, player, decided, DEALT if decided is None else HIDDEN_MOVE)
        seat = seats[0] if seats else None
        shown = self._named_in(s, seat)
        text, places = self.game.readable_move(shown, a), self.game.places(shown, a)
        return MoveSeen(number + 1, player, decided, text, places)

    # What the one who decides may choose from.

    @property
    def legal(self) -> list[Action]:
        """The legal moves; none once the game is over."""
        return self.game.moves(self.now, self.before)

    def names(self, a: Action) -> tuple[str, str, Sequence[str]]:
        """A legal move for the one who decides: its name, its readable form, and its places."""
        shown = self._named_in(self.now, self.game.seat(self.now))
        game = self.game
        return game.format_move(shown, a), game.readable_move(shown, a), game.places(shown, a)

    def parse(self, given: str) -> Action:
        """The legal move that a text names, in a form that `names` has or that the game reads."""
        legal = self.legal
        names = {text.lower(): a for a in reversed(legal) for text in self.names(a)[:2]}
        wanted = given.strip().lower()
        if wanted in names:
            return names[wanted]
        seat = self.game.seat(self.now)
        if (shown := self._as_seen(self.now, seat)) is not None:
            a = self.game.parse_move(shown, given)
            if a in legal:
                return a
        hint = did_you_mean(wanted, names)
        raise IllegalMove(f"{self.game.name}: {given[:40]!r} is not a legal move: {hint}")

    def _at(self, at: int | None) -> S:
        return self.now if at is None else self.positions[at]

    def _as_seen(self, s: S, seat: Player | None) -> S | None:
        return s if seat is None else self.game.as_seen(s, seat)

    def _named_in(self, s: S, seat: Player | None) -> S:
        """A position in which moves may be named for a seat: one that it cannot rule out."""
        shown = self._as_seen(s, seat)
        if shown is None:
            assert seat is not None
            return self.game.deal(s, seat, self._rng.getrandbits(32))
        return shown

    def _observed(self, s: S, seat: Player) -> str:
        return f"{self.game.seat_names[seat]} sees {self.game.observe(s, seat)}"
