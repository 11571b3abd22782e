"""One line of a person's input after another, while a game is played in the terminal."""

from abc import ABC, abstractmethod

from threefold.cli.output import print_line
from threefold.errors import IllegalMove

_HELP = {
    "MOVE": "make a move, written as `moves` lists it",
    "moves": "list the legal moves",
    "hint": "what the computer would play, and why",
    "bar": "switch the evaluation bar on or off",
    "undo": "take your last move back",
    "resign": "give up",
    "quit": "stop without a result",
}


class Keyboard(ABC):
    """What a person can ask for when it is their turn."""

    #: What this game refuses, which the help leaves out.
    refused: frozenset[str] = frozenset()

    def ask(self, name: str) -> bool:
        """Carry out one line of a person's input; False ends the game."""
        try:
            said = input(f"{name}, your move (? for help): ").strip()
        except (EOFError, OSError, RuntimeError):  # the input has ended, or there never was one
            print_line()
            return False
        except UnicodeDecodeError:
            print_line("that is not text; type a move, or ? for help")
            return True
        match said.lower():
            case "":
                pass
            case "?" | "help":
                for word, meaning in _HELP.items():
                    if word not in self.refused:
                        print_line(f"  {word:8} {meaning}")
            case "moves":
                names = self.moves()
                print_line((", " if any(" " in name for name in names) else " ").join(names))
            case "hint":
                self.hint()
            case "bar":
                self.switch_bar()
            case "undo":
                self.undo()
            case "resign":
                self.resign()
                return False
            case "quit" | "exit":
                return False
            case _:
                try:
                    self.move(said)
                except IllegalMove as error:
                    print_line(str(error))
        return True

    @abstractmethod
    def moves(self) -> list[str]:
        """The legal moves, as people write them."""

    @abstractmethod
    def hint(self) -> None:
        """Say what the computer would play."""

    @abstractmethod
    def switch_bar(self) -> None:
        """Switch the evaluation bar on or off."""

    @abstractmethod
    def undo(self) -> None:
        """Take the last move of a person back."""

    @abstractmethod
    def resign(self) -> None:
        """Say who wins now."""

    @abstractmethod
    def move(self, said: str) -> None:
        """Make a move; `IllegalMove` if it is none."""
