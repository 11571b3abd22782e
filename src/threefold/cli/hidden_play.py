"""Playing a game that hides something in the terminal: nobody is shown what they may not see."""

import random
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Generic, TypeVar

from threefold.cli.keyboard import Keyboard
from threefold.cli.output import print_line, print_painted
from threefold.errors import ThreefoldError
from threefold.rules.contract import Action, Player
from threefold.rules.game import Game
from threefold.rules.seats import SeatedGame

S = TypeVar("S")

#: Seconds for a hint.
_HINT_TIME: Final = 1.0
#: Clears a terminal, with what was scrolled out of it.
_CLEAR: Final = "\x1b[2J\x1b[3J\x1b[H"


class HiddenTable(Keyboard, Generic[S]):
    """A game under way, the computers that play in it, and people at one keyboard."""

    refused = frozenset(("bar", "undo"))

    def __init__(
        self,
        game: Game[S],
        s: S,
        computers: Mapping[Player, Callable[[Any, Sequence[Any]], Action]],
        rng: random.Random,
    ) -> None:
        self._game = game
        self._seated = SeatedGame(game, s, rng)
        self._computers = computers
        self._people = [seat for seat in range(game.facts.seats) if seat not in computers]
        #: By seat, how many moves were told to whoever has it, and how many the board had then.
        self._told = dict.fromkeys(self._people, 0)
        self._shown: dict[Player, int] = {}
        #: How many were told to all who watch, if nobody plays.
        self._watched = 0
        #: Whose cards are on the screen, if several people share it.
        self._looking: Player | None = None

    def sit(self) -> None:
        """Play until there is a result, or until the input ends."""
        seated = self._seated
        if not self._people:
            self._show(None)
        while (outcome := seated.outcome) is None:
            seat = seated.seat
            assert seat is not None
            if seat in self._computers:
                seated.play(self._computers[seat](seated.now, seated.before))
                if len(self._people) < 2:
                    self._tell(self._people[0] if self._people else None)
                continue
            self._turn_to(seat)
            if not self.ask(self._game.seat_names[seat]):
                return
        self._finish(outcome.sentence(self._game.sides))

    def _finish(self, sentence: str) -> None:
        """All cards are open now."""
        self._tell(None if len(self._people) != 1 else self._people[0])
        self._show(None)
        print_painted(sentence, "strong")

    def _turn_to(self, seat: Player) -> None:
        """Show a person what has happened and what they see; once, until something happens."""
        if len(self._people) > 1 and self._looking != seat:
            self._cover()
            try:
                input(f"{self._game.seat_names[seat]}, press Enter to see what is yours: ")
            except (EOFError, OSError, RuntimeError, UnicodeDecodeError):
                print_line()
        elif self._shown.get(seat) == len(self._seated.moves):
            return
        self._looking = seat
        self._shown[seat] = len(self._seated.moves)
        self._tell(seat)
        self._show(seat)

    def _cover(self) -> None:
        """Take from the screen what another has seen on it."""
        if self._looking is not None:
            print_line(_CLEAR if _on_a_terminal() else "", styled=True)
        self._looking = None

    def _tell(self, seat: Player | None) -> None:
        """Print the moves that were not yet told to whoever has a seat, or to all who watch."""
        names = self._game.seat_names
        told = self._watched if seat is None else self._told[seat]
        for move in self._seated.listed([] if seat is None else [seat]):
            if move.ply > told:
                who = "nature" if move.seat is None else names[move.seat]
                print_painted(f"{who}: {move.text}", "strong")
        if seat is None:
            self._watched = len(self._seated.moves)
        else:
            self._told[seat] = len(self._seated.moves)

    def _show(self, seat: Player | None) -> None:
        print_line(f"\n{self._seated.text(seat)}\n")

    # What a person can ask for.

    def moves(self) -> list[str]:
        """The legal moves, as people write them."""
        return [self._seated.names(a)[1] for a in self._seated.legal]

    def hint(self) -> None:
        """Say what a computer would play that sees the same."""
        from threefold.engine.limits import Limits
        from threefold.engine.searchers import free_lines, searcher

        seated = self._seated
        try:
            engine = searcher(self._game)
            found = engine.analyze(
                seated.now,
                Limits(time=_HINT_TIME),
                multipv=free_lines(engine),
                history=seated.before,
            )
        except ThreefoldError as error:
            print_line(f"no hint: {error}")
            return
        names = [seated.names(line.move)[1] for line in found.lines]
        if not found.nodes:  # there is one move, or partners have agreed on one
            print_line(f"hint: {names[0]}")
            return
        values = [found.shown(line.value, None, line.exact) for line in found.lines]
        told = [f"{name} ({value})" for name, value in zip(names, values, strict=True)]
        print_line(f"hint, by what you see: {', '.join(told)}")

    def switch_bar(self) -> None:
        """There is no bar: its length would tell what is hidden."""
        print_line("there is no evaluation bar where something is hidden; ask for a hint")

    def undo(self) -> None:
        """What was seen meanwhile cannot be unseen."""
        print_line("no move is taken back where something is hidden")

    def resign(self) -> None:
        """Say who wins now, and open all cards."""
        seated, game = self._seated, self._game
        player = game.player(seated.now)
        self._show(None)
        print_line(f"{game.sides[player]} resigns: {game.sides[1 - player]} wins")

    def move(self, said: str) -> None:
        """Make a move; `IllegalMove` if it is none."""
        seat = self._seated.seat
        self._seated.play(self._seated.parse(said))
        if len(self._people) == 1 and seat is not None:
            self._tell(seat)


def _on_a_terminal() -> bool:
    return sys.stdout.isatty()
