"""The lectures' quiz: which of these are two-player zero-sum discrete finite deterministic games
of perfect information?

The games of the catalogue are classified by their own facts. `finite` has the lectures' meaning
for the others: only finitely many states and decisions. Backgammon is among those: a game of it
may go on forever, so its own facts say that it is not finite.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from threefold.games.catalogue import game as catalogue_game
from threefold.rules.facts import Facts

#: The properties, and how to say that a game lacks one.
_LACKING = {
    "two players": "is not for two players",
    "zero-sum": "is not zero-sum",
    "discrete": "is not discrete",
    "finite": "is not finite",
    "deterministic": "is not deterministic",
    "perfect information": "has no perfect information",
}
PROPERTIES = tuple(_LACKING)


def lacking(facts: Facts) -> tuple[str, ...]:
    """The properties that a game lacks by its facts."""
    has = {
        "two players": facts.players == 2,
        "zero-sum": facts.zero_sum,
        "discrete": facts.discrete,
        "finite": facts.finite,
        "deterministic": facts.deterministic,
        "perfect information": facts.perfect_information,
    }
    return tuple(name for name in PROPERTIES if not has[name])


@dataclass(frozen=True)
class Question:
    """A game, and why it lacks some properties."""

    game: str
    #: By property that it lacks, the reason.
    because: Mapping[str, str] = field(default_factory=dict)
    #: Its name in the catalogue, if it has one: the game then says itself what it lacks.
    name: str | None = None
    #: What might make one doubt it.
    remark: str = ""

    @property
    def lacks(self) -> tuple[str, ...]:
        """The properties that it lacks, in order."""
        if self.name is not None:
            return lacking(catalogue_game(self.name).facts)
        return tuple(name for name in PROPERTIES if name in self.because)

    @property
    def is_one(self) -> bool:
        """Whether it has all the properties."""
        return not self.lacks

    def explanation(self) -> str:
        """Why, or why not."""
        remark = f" {self.remark}" if self.remark else ""
        if self.is_one:
            return f"Yes: {self.game} has all six properties.{remark}"
        reasons = [
            f"{_LACKING[name]}" + (f" ({self.because[name]})" if name in self.because else "")
            for name in self.lacks
        ]
        listed = ", ".join(reasons[:-1]) + (" and " if reasons[1:] else "") + reasons[-1]
        return f"No: {self.game} {listed}.{remark}"


_ALONE = {"two players": "one plays alone", "zero-sum": "there is nobody to lose to"}

QUESTIONS = (
    Question("tic-tac-toe", name="tic-tac-toe"),
    Question("chess", name="chess", remark="Its rules against repetition make every game end."),
    Question("checkers", name="checkers"),
    Question("Nim", name="nim"),
    Question("Othello", name="othello"),
    Question("Connect Four", name="connect-four"),
    Question(
        "noughts and crosses", name="tic-tac-toe", remark="It is another name of tic-tac-toe."
    ),
    Question(
        "Kalah", name="kalah", remark="A player may move again, but nothing is left to chance."
    ),
    Question("Go", name="go", remark="A rule against repeating a position makes every game end."),
    Question(
        "the 8-puzzle",
        _ALONE,
        remark="It is a problem of path search: threefold explain a-star --puzzle.",
    ),
    Question("Nim with a die", {"deterministic": "a die is rolled"}, name="dice-nim"),
    Question("backgammon", {"deterministic": "dice are rolled"}),
    Question(
        "poker",
        {
            "two players": "more than two may play",
            "deterministic": "the cards are shuffled",
            "perfect information": "nobody sees the others' cards",
        },
    ),
    *(
        Question(
            f"{kind} poker",
            {
                "deterministic": "the cards are shuffled",
                "perfect information": "nobody sees the other's card",
            },
            name=f"{kind.lower()}-poker",
        )
        for kind in ("Kuhn", "Leduc")
    ),
    Question(
        "bridge",
        {
            "two players": "four play, in two partnerships",
            "deterministic": "the cards are shuffled",
            "perfect information": "nobody sees all the cards",
        },
    ),
    Question(
        "bridge with all four hands open",
        name="bridge",
        remark="Partners see everything, so they are as good as one player.",
    ),
    Question(
        "solitaire with cards",
        {
            **_ALONE,
            "deterministic": "the cards are shuffled",
            "perfect information": "some cards lie face down",
        },
    ),
    Question(
        "rock, paper, scissors",
        {"perfect information": "both choose at the same time"},
        remark="It is a matrix game.",
    ),
    Question("Rubik's cube", _ALONE),
    Question(
        "the prisoner's dilemma",
        {
            "zero-sum": "both can gain, and both can lose",
            "perfect information": "both choose at the same time",
        },
    ),
    Question("battleships", {"perfect information": "the other's ships are hidden"}),
    Question(
        "snooker",
        {
            "discrete": "a ball may be hit in any direction",
            "finite": "so there is no end of positions and strokes",
        },
    ),
    Question("snakes and ladders", {"deterministic": "a die is rolled"}),
    Question(
        "Monopoly",
        {
            "two players": "more than two may play",
            "zero-sum": "the bank pays and collects",
            "deterministic": "dice are rolled",
            "perfect information": "the cards lie face down",
        },
    ),
    Question(
        "Scrabble",
        {
            "two players": "up to four may play",
            "deterministic": "letters are drawn",
            "perfect information": "nobody sees the others' letters",
        },
    ),
)
