"""The lectures' quiz: which of these are two-player zero-sum discrete finite deterministic games
of perfect information?"""

from dataclasses import dataclass

PROPERTIES = (
    "two players",
    "zero-sum",
    "discrete",
    "finite",
    "deterministic",
    "perfect information",
)


@dataclass(frozen=True)
class Question:
    """A game and the properties it lacks."""

    game: str
    lacks: tuple[str, ...]

    @property
    def is_one(self) -> bool:
        """Whether it has all the properties."""
        return not self.lacks

    def explanation(self) -> str:
        """Why, or why not."""
        if self.is_one:
            return f"Yes: {self.game} has all six properties."
        return f"No: {self.game} lacks {', '.join(self.lacks)}."


QUESTIONS = (
    Question("tic-tac-toe", ()),
    Question("chess", ()),
    Question("checkers", ()),
    Question("Nim", ()),
    Question("Othello", ()),
    Question("Connect Four", ()),
    Question("backgammon", ("deterministic",)),
    Question("poker", ("two players", "deterministic", "perfect information")),
    Question("bridge", ("two players", "deterministic", "perfect information")),
    Question("rock, paper, scissors", ("perfect information",)),
    Question("Rubik's cube", ("two players", "zero-sum")),
    Question("the prisoner's dilemma", ("zero-sum", "perfect information")),
    Question("battleships", ("perfect information",)),
    Question("snooker", ("discrete", "finite")),
    Question("snakes and ladders", ("deterministic",)),
)
