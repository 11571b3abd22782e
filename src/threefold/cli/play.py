"""Play in the terminal: against the computer, or two people at one keyboard.

Levels of the computer go from 1 (beginner) over 3 (easy), 5 (medium) and 7 (hard) to 10 (full
strength); in chess there are also programs of the past: turochamp, shannon-a, shannon-b. Type a
move in the game's notation. Other things to type: moves (what is legal), hint, bar (an
evaluation bar), undo, resign, quit, help.
"""

import argparse
import random
import sys
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from threefold.cli.keyboard import Keyboard
from threefold.cli.output import (
    add_database,
    add_evaluation,
    add_game,
    chosen_game,
    print_line,
    print_painted,
    whole_number,
    with_database,
    with_evaluation,
)
from threefold.engine.color import paint_board
from threefold.errors import ThreefoldError
from threefold.rules.contract import CHANCE, MAX, MIN, Action, Player
from threefold.rules.game import Game
from threefold.rules.text import did_you_mean, shorten

if TYPE_CHECKING:
    from threefold.engine.result import Result
    from threefold.rules.outcome import Outcome

S = TypeVar("S")

NAME = "play"
HELP = "play in the terminal"

DEFAULT_LEVEL = "medium"
#: What --level takes besides a number.
LEVEL_NAMES = (
    *("human", "random", "beginner", "easy", "medium", "hard", "full"),
    *("turochamp", "shannon-a", "shannon-b"),
)
#: Seconds for a hint, and for each look of the evaluation bar.
_HINT_TIME = 1.0
_BAR_TIME = 0.2
_ORDER = ("first", "second", "third", "fourth")
#: What --side takes where only computers play.
NOBODY = "nobody"
#: How games write a turn in which nothing is moved.
_PASSES = ("-", "pass")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `threefold play`."""
    add_game(parser)
    parser.add_argument(
        "--level",
        default=DEFAULT_LEVEL,
        metavar="LEVEL",
        help="the opponent: human, random, 1 to 10, or beginner, easy, medium (the default), hard, "
        "full; in chess also turochamp, shannon-a or shannon-b, programs of 1948 to 1950",
    )
    parser.add_argument(
        "--side",
        default="first",
        metavar="SIDE",
        help="which side you take against the computer: first (the default), second, or by its "
        "name, as black; where something is hidden, one seat or several, as north,south, or nobody",
    )
    add_evaluation(parser, "the evaluation the computer uses")
    add_database(parser)
    parser.add_argument("--bar", action="store_true", help="show an evaluation bar from the start")
    parser.add_argument(
        "--seed",
        metavar="N",
        type=whole_number,
        help="random seed; the same again only with the same sides and level",
    )


def run(args: argparse.Namespace) -> int:
    """Play until the game is over or the player has enough."""
    game, s, _ = chosen_game(args)
    game.require("play", zero_sum=False, perfect_information=False)
    game = with_database(with_evaluation(game, args), args)
    if args.eval is not None or args.weights is not None:
        _check_evaluation(args.level)
    people = _people(game, args.side)
    play(game, s, level=args.level, people=people, seed=args.seed, bar=args.bar)
    return 0


def _check_evaluation(level: str) -> None:
    """Raise if a level has its own evaluation, so that another would change nothing."""
    from threefold.engine.historic import HISTORIC

    if level in HISTORIC:
        raise ThreefoldError(f"{level} has its own evaluation; leave out --eval and --weights")


def _people(game: Game[Any], given: str) -> set[Player]:
    """Whom people play for, by what they are called: one side, or some of the seats."""
    hides = not game.facts.perfect_information
    if hides and given.lower() == NOBODY:
        return set()
    return {_side(game, name.strip()) for name in (given.split(",") if hides else [given])}


def _side(game: Game[Any], given: str) -> Player:
    """The side, or the seat, that a name means."""
    for player, names in enumerate(zip(_ORDER, game.seat_names, strict=False)):
        if given.lower() in {name.lower() for name in names}:
            return player
    everyone = () if game.facts.perfect_information else (NOBODY,)
    known = dict.fromkeys((*_ORDER[: game.facts.seats], *game.seat_names, *everyone))
    raise ThreefoldError(f"there is no --side {shorten(given)}: {did_you_mean(given, known)}")


def play(
    game: Game[S],
    s: S,
    *,
    level: str = DEFAULT_LEVEL,
    people: Collection[Player] = (MAX,),
    seed: int | None = None,
    bar: bool = False,
) -> None:
    """Play a game from a position in the terminal; `people` are the sides, or seats, they have."""
    with suppress(ImportError):
        import readline  # noqa: F401  lines can then be edited as they are typed
    rng = random.Random(seed)
    if game.facts.perfect_information:
        opponent = _opponent(game, level, rng)
        humans = {MAX, MIN} if opponent is None else {*people}
        _Table(game, s, humans, opponent, rng, bar).sit()
        return
    from threefold.cli.hidden_play import HiddenTable

    if bar:
        raise ThreefoldError(f"{game.name} hides some of what an evaluation bar would show")
    seats = range(game.facts.seats)
    # Each computer is one by itself, and knows nothing of what another has thought.
    computers = {p: _opponent(game, level, rng) for p in seats if p not in people}
    HiddenTable(game, s, {p: each for p, each in computers.items() if each}, rng).sit()


#: Chooses a move in a position, given the positions before it.
Opponent = Callable[[Any, Sequence[Any]], Action]


def _opponent(game: Game[Any], level: str, rng: random.Random) -> Opponent | None:
    """Who sits opposite: nobody (a second person), chance, or a search."""
    if level == "human":
        return None
    if level == "random":
        return lambda s, history: rng.choice(game.moves(s, history))
    from threefold.engine import levels

    wanted = levels.level(level, others=("human", "random"))
    return levels.Opponent(game, wanted, seed=rng.getrandbits(32)).choose


class _Table(Keyboard, Generic[S]):
    """A game under way: the position, how it came about, and who sits at it."""

    def __init__(
        self,
        game: Game[S],
        s: S,
        humans: set[Player],
        opponent: Opponent | None,
        rng: random.Random,
        bar: bool,
    ) -> None:
        self._game = game
        #: The positions so far, the one on the board last.
        self._positions = [s]
        self._humans = humans
        self._opponent = opponent
        self._rng = rng
        self._bar = bar
        #: How many positions there were when a person made a move, for taking back.
        self._decisions: list[int] = []

    @property
    def _here(self) -> S:
        return self._positions[-1]

    def sit(self) -> None:
        """Play until there is a result, or until the input ends."""
        game = self._game
        self._show()
        while (outcome := self._outcome) is None:
            player = game.player(self._here)
            if player == CHANCE:
                events = game.chances(self._here)
                event = self._rng.choices(events, [weight for _, weight in events])[0][0]
                self._move(event, "nature")
            elif (forced := self._forced_pass()) is not None:
                print_painted(f"{game.sides[player]} cannot move", "strong")
                self._put(forced)
            elif player in self._humans:
                if not self.ask(game.sides[player]):
                    return
            else:
                assert self._opponent is not None
                self._move(self._opponent(self._here, self._positions[:-1]), game.sides[player])
        print_painted(outcome.sentence(game.sides), "strong")

    def moves(self) -> list[str]:
        """The legal moves, as people write them."""
        return [self._game.readable_move(self._here, a) for a in self._legal()]

    def hint(self) -> None:
        """Say what the computer would play."""
        found = self._look(_HINT_TIME)
        if found is not None:
            print_line(f"hint: {found.headline()}")

    def switch_bar(self) -> None:
        """Switch the evaluation bar on or off."""
        self._bar = not self._bar
        print_line("the evaluation bar is " + ("on" if self._bar else "off"))
        self._show_bar()

    def undo(self) -> None:
        """Take the last move of a person back, and what was answered."""
        if self._decisions:
            del self._positions[self._decisions.pop() :]
            self._show()
        else:
            print_line("there is no move of yours to take back")

    def resign(self) -> None:
        """Say who wins now."""
        player = self._game.player(self._here)
        print_line(f"{self._game.sides[player]} resigns: {self._game.sides[1 - player]} wins")

    def move(self, said: str) -> None:
        """Make a move; `IllegalMove` if it is none."""
        a = self._game.parse_move(self._here, said, self._positions[:-1])
        self._decisions.append(len(self._positions))
        self._move(a, self._game.sides[self._game.player(self._here)])

    def _legal(self) -> list[Action]:
        return self._game.moves(self._here, self._positions[:-1])

    def _forced_pass(self) -> Action | None:
        """The only move, if it is a pass."""
        legal = self._legal()
        if len(legal) == 1 and self._game.format_move(self._here, legal[0]) in _PASSES:
            return legal[0]
        return None

    def _move(self, a: Action, who: str) -> None:
        print_painted(f"{who}: {self._game.readable_move(self._here, a)}", "strong")
        self._put(a)

    def _put(self, a: Action) -> None:
        self._positions.append(self._game.result(self._here, a))
        self._show()

    @property
    def _outcome(self) -> "Outcome | None":
        return self._game.outcome(self._positions)

    def _show(self) -> None:
        """The board, unless nature moves next: then it is shown after that."""
        if self._game.player(self._here) == CHANCE and self._outcome is None:
            return
        game = self._game
        earlier = reversed(self._positions[:-1])
        before = next((game.render(s) for s in earlier if game.player(s) != CHANCE), None)
        board = paint_board(game.render(self._here), before, sys.stdout)
        print_line(f"\n{board}\n", styled=True)
        self._show_bar()

    def _show_bar(self) -> None:
        found = self._look(_BAR_TIME) if self._bar else None
        if found is not None:
            print_line(evaluation_bar(found) + "\n")

    def _look(self, seconds: float) -> "Result[S] | None":
        """What the engine says of the position; prints why where it cannot."""
        from threefold.engine.limits import Limits
        from threefold.engine.searchers import searcher

        history = self._positions[:-1]
        try:
            engine = searcher(self._game)
            return engine.analyze(self._here, Limits(time=seconds), history=history)
        except ThreefoldError as error:
            print_line(f"no evaluation: {error}")
            return None


def evaluation_bar(found: "Result[Any]", width: int = 30) -> str:
    """Who is ahead, by how much: MAX's share of a bar, and the value to MAX."""
    from threefold.engine.progress import bar

    sign = -1 if found.player == MIN else 1
    value = sign * found.value
    win_in = None if found.win_in is None else sign * found.win_in
    name, share = found.game.sides[MAX], found.share(found)
    return f"{name} {bar(share, width)} {found.shown(value, win_in, found.exact)}"
