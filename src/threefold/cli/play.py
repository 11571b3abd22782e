"""Play in the terminal: against the computer, or two people at one keyboard.

Type a move in the game's notation. Other things to type: moves (what is legal), undo, resign,
quit, help.
"""

import argparse
import random
import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Generic, TypeVar

from threefold.cli.output import add_game, chosen_game, print_line, whole_number
from threefold.errors import IllegalMove, ThreefoldError
from threefold.rules.contract import CHANCE, MAX, MIN, Action, Player
from threefold.rules.game import Game
from threefold.rules.text import shorten

S = TypeVar("S")

NAME = "play"
HELP = "play in the terminal"

DEFAULT_LEVEL = "4"
SIDES = {"first": MAX, "second": MIN}
_NAMES = {MAX: "first player", MIN: "second player"}
_HELP = """\
  MOVE     make a move, as it is written below by `moves`
  moves    list the legal moves
  undo     take your last move back
  resign   give the game up
  quit     stop without a result"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `threefold play`."""
    add_game(parser)
    parser.add_argument(
        "--level",
        default=DEFAULT_LEVEL,
        metavar="LEVEL",
        help="the opponent: human, random, or how many plies the computer looks ahead "
        f"(default: {DEFAULT_LEVEL})",
    )
    parser.add_argument(
        "--side",
        default="first",
        metavar="SIDE",
        help="which side you take against the computer: first (the default) or second",
    )
    parser.add_argument("--eval", metavar="NAME", help="the evaluation the computer uses")
    parser.add_argument("--seed", metavar="N", type=whole_number, help="fixes all chance")


def run(args: argparse.Namespace) -> int:
    """Play until the game is over or the player has enough."""
    game, s, _ = chosen_game(args)
    if args.eval is not None:
        game = game.using(args.eval)
    if args.side not in SIDES:
        raise ThreefoldError(f"--side {args.side!r} is neither first nor second")
    play(game, s, level=args.level, side=SIDES[args.side], seed=args.seed)
    return 0


def play(
    game: Game[S],
    s: S,
    *,
    level: str = DEFAULT_LEVEL,
    side: Player = MAX,
    seed: int | None = None,
) -> None:
    """Play a game from a position in the terminal."""
    with suppress(ImportError):
        import readline  # noqa: F401  lines can then be edited as they are typed
    rng = random.Random(seed)
    opponent = _opponent(level, rng)
    humans = {MAX, MIN} if opponent is None else {side}
    _Table(game, s, humans, opponent, rng).sit()


Opponent = Callable[[Game[Any], Any], Action]


def _opponent(level: str, rng: random.Random) -> Opponent | None:
    """Who sits opposite: nobody (a second person), chance, or a search."""
    if level == "human":
        return None
    if level == "random":
        return lambda game, s: rng.choice(game.moves(s))
    if not re.fullmatch("[1-9][0-9]?", level):
        raise ThreefoldError(
            f"level {shorten(level)} is neither human, random nor a depth from 1 to 99"
        )

    def search(game: Game[Any], s: Any) -> Action:
        from threefold.engine.alphabeta import choose

        return choose(game, s, int(level)).best

    return search


class _Table(Generic[S]):
    """A game under way: the position, how it came about, and who sits at it."""

    def __init__(
        self,
        game: Game[S],
        s: S,
        humans: set[Player],
        opponent: Opponent | None,
        rng: random.Random,
    ) -> None:
        self._game = game
        self._here = s
        self._humans = humans
        self._opponent = opponent
        self._rng = rng
        #: The positions in which a person made a move, for taking back.
        self._decisions: list[S] = []

    def sit(self) -> None:
        """Play until there is a result, or until the input ends."""
        game = self._game
        self._show()
        while game.moves(self._here):
            player = game.player(self._here)
            if player == CHANCE:
                events = game.chances(self._here)
                event = self._rng.choices(events, [weight for _, weight in events])[0][0]
                self._move(event, "nature")
            elif player in self._humans:
                if not self._ask(player):
                    return
            else:
                assert self._opponent is not None
                self._move(self._opponent(game, self._here), _NAMES[player])
        self._announce(game.utility(self._here))

    def _ask(self, player: Player) -> bool:
        """Carry out one line of a person's input; False ends the game."""
        game = self._game
        try:
            said = input(f"{_NAMES[player]}, your move (? for help): ").strip()
        except (EOFError, OSError, RuntimeError):  # the input has ended, or there never was one
            print_line()
            return False
        except UnicodeDecodeError:
            print_line("that is no text; type a move, or ? for help")
            return True
        match said.lower():
            case "":
                pass
            case "?" | "help":
                print_line(_HELP)
            case "moves":
                print_line(" ".join(game.format_move(self._here, a) for a in self._legal()))
            case "undo":
                if self._decisions:
                    self._here = self._decisions.pop()
                    self._show()
                else:
                    print_line("there is no move of yours to take back")
            case "resign":
                print_line(f"{_NAMES[player]} resigns: {_NAMES[1 - player]} wins")
                return False
            case "quit" | "exit":
                return False
            case _:
                try:
                    a = game.parse_move(self._here, said)
                except IllegalMove as error:
                    print_line(str(error))
                else:
                    self._decisions.append(self._here)
                    self._move(a, _NAMES[player])
        return True

    def _legal(self) -> list[Action]:
        return self._game.moves(self._here)

    def _move(self, a: Action, who: str) -> None:
        print_line(f"{who}: {self._game.format_move(self._here, a)}")
        self._here = self._game.result(self._here, a)
        self._show()

    def _show(self) -> None:
        print_line(f"\n{self._game.render(self._here)}\n")

    def _announce(self, utility: int) -> None:
        if utility == 0:
            print_line("a draw")
        else:
            winner = _NAMES[MAX if utility > 0 else MIN]
            by = f" by {abs(utility)}" if abs(utility) != 1 else ""
            print_line(f"{winner} wins{by}")
