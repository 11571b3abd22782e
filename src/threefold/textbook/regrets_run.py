"""A run of regret minimization on a game: what it found, and each step on the way."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from threefold.errors import ThreefoldError, argument
from threefold.rules.contract import CHANCE
from threefold.rules.game import Game
from threefold.rules.text import did_you_mean, shorten
from threefold.textbook.information import InformationTree, information_tree
from threefold.textbook.regrets import cfr, cfr_plus
from threefold.textbook.regrets_trace import RegretTrace
from threefold.textbook.strategy import Share, Strategy, show_share
from threefold.textbook.trace import Event, plain, pruned, visited

ITERATIONS = 10
MAX_ITERATIONS = 1_000
PROCEDURES: dict[str, Callable[[InformationTree, RegretTrace, int], Strategy]] = {
    "cfr": cfr,
    "cfr+": cfr_plus,
}


@dataclass(frozen=True, repr=False)
class RegretRun:
    """What was found, and each step on the way."""

    procedure: str
    game: str
    tree: InformationTree
    #: The average strategy.
    strategy: Strategy
    #: The most probable moves from the root; chance ends them.
    path: list[str]
    trace: RegretTrace

    @property
    def events(self) -> list[Event]:
        """Everything that was reported; of a long run, only results after the first part."""
        return self.trace.events

    @property
    def iterations(self) -> int:
        """How many iterations there were."""
        return len(self.trace.values)

    @property
    def value(self) -> Share:
        """What the average strategies are worth to MAX."""
        return self.trace.values[-1]

    @property
    def exploitability(self) -> Share:
        """What a best response to the average strategy wins on average."""
        return self.trace.exploitability[-1]

    def __str__(self) -> str:
        count = f"{self.iterations:,} iteration{'' if self.iterations == 1 else 's'}"
        return (
            f"{self.procedure}, {count}: value {show_share(self.value)}, "
            f"exploitability {show_share(self.exploitability)}"
        )

    def __repr__(self) -> str:
        return str(self)

    def _repr_mimebundle_(self, **asked: Any) -> dict[str, Any]:
        """In a notebook: the run to step through, or its last picture."""
        from threefold.textbook.regrets_picture import RegretSlides

        return RegretSlides(self).mime_bundle(str(self), **asked)

    def to_json(self) -> dict[str, Any]:
        """The run as JSON types."""
        answer: dict[str, Any] = {
            "procedure": self.procedure,
            "value": plain(self.value),
            "path": self.path,
            "visited": visited(self.events),
            "pruned": pruned(self.events),
            "game": self.game,
            "iterations": self.iterations,
            "exploitability": plain(self.exploitability),
            "strategy": [
                {
                    "player": here.player,
                    "observation": here.seen,
                    "moves": dict(zip(here.moves, plain(list(shares)), strict=True)),
                }
                for here, shares in self.strategy.items()
            ],
            "by_iteration": {
                "value": plain(self.trace.values),
                "exploitability": plain(self.trace.exploitability),
            },
            "events": [event.to_json() for event in self.events],
        }
        if self.trace.left_out:
            answer["events_left_out"] = self.trace.left_out
        return answer


def minimize_regret(
    game: Game[Any], position: Any = None, procedure: str = "cfr", iterations: int = ITERATIONS
) -> RegretRun:
    """Run CFR or CFR+ on a small game, every step recorded."""
    if procedure not in PROCEDURES:
        hint = did_you_mean(procedure, PROCEDURES)
        raise ThreefoldError(f"there is no procedure {shorten(procedure)} of regrets: {hint}")
    if not 1 <= iterations <= MAX_ITERATIONS:
        raise ThreefoldError(
            f"{argument('iterations', iterations)} is not between 1 and {MAX_ITERATIONS:,}"
        )
    tree = information_tree(game, position, procedure)
    trace = RegretTrace(tree)
    trace.start(procedure, game.name)
    strategy = PROCEDURES[procedure](tree, trace, iterations)
    path = _most_probable(tree, strategy)
    trace.end(trace.values[-1], path)
    return RegretRun(procedure, game.name, tree, strategy, path, trace)


def explain(
    game: Game[Any], position: Any, procedure: str, options: Mapping[str, Any]
) -> RegretRun:
    """The same for `Game.explain`, which hands on any options."""
    for option in options:
        if option != "iterations":
            raise ThreefoldError(f"{procedure} has no option {argument(option)}; it has iterations")
    return minimize_regret(game, position, procedure, **options)


def _most_probable(tree: InformationTree, strategy: Strategy) -> list[str]:
    """The most probable moves from the root; ties go to the first, and chance ends them."""
    moves: list[str] = []
    node = tree.root
    while node.children and node.player != CHANCE:
        here = tree.of[node.name]
        best = max(range(len(here.moves)), key=lambda a, here=here: strategy[here][a])  # type: ignore[misc]
        moves.append(here.moves[best])
        node = node.children[best]
    return moves
