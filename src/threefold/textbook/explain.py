"""Run a procedure by name and keep everything it reports."""

import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

from threefold.errors import ThreefoldError, argument
from threefold.rules.text import did_you_mean, shorten
from threefold.textbook.alphabeta import alphabeta, alphabeta_hard
from threefold.textbook.chance import expectiminimax, star1, star2
from threefold.textbook.deepening import iterative_deepening
from threefold.textbook.gametree import GAME_ROOT, GameNode, Scale
from threefold.textbook.horizon import quiescence, secondary, singular
from threefold.textbook.listing import listing
from threefold.textbook.minimax import minimax, minimax_bottom_up
from threefold.textbook.minmax import minmax
from threefold.textbook.mtdf import mtdf
from threefold.textbook.negamax import negamax
from threefold.textbook.picture import draw
from threefold.textbook.proof import proof_number
from threefold.textbook.scout import pvs, scout
from threefold.textbook.several import maxn, paranoid
from threefold.textbook.sss import sss
from threefold.textbook.statistics import statistics
from threefold.textbook.trace import Event, Line, Trace, names, plain, pruned, visited
from threefold.textbook.tree import MAX_DEPTH, Node, format_number

Procedure: TypeAlias = Callable[..., tuple[Any, Line]]

#: Every procedure on game trees, by its command-line name.
PROCEDURES: dict[str, Procedure] = {
    "minimax": minimax,
    "minimax-bottom-up": minimax_bottom_up,
    "minmax": minmax,
    "alphabeta": alphabeta,
    "alphabeta-hard": alphabeta_hard,
    "negamax": negamax,
    "scout": scout,
    "pvs": pvs,
    "mtdf": mtdf,
    "sss": sss,
    "iterative-deepening": iterative_deepening,
    "quiescence": quiescence,
    "secondary": secondary,
    "singular": singular,
    "expectiminimax": expectiminimax,
    "star1": star1,
    "star2": star2,
    "maxn": maxn,
    "paranoid": paranoid,
    "proof-number": proof_number,
}


@dataclass(frozen=True)
class Explanation:
    """A procedure's answer, and the events that led to it."""

    procedure: str
    value: Any
    path: Sequence[str]
    events: Sequence[Event]

    @property
    def visited(self) -> list[str]:
        """Every entry in order, root first, repeats included."""
        return visited(self.events)

    @property
    def pruned(self) -> list[str]:
        """The nodes skipped below a visited parent, in tree order."""
        return pruned(self.events)

    @property
    def lines(self) -> list[int | None]:
        """The line of the procedure's listing that each event belongs to."""
        places = listing(PROCEDURES[self.procedure])
        return [places.place(event.line) for event in self.events]

    def __str__(self) -> str:
        counted = statistics(self.events)
        return "\n".join(
            (
                f"value {_shown(self.value)}, path {' '.join(self.path) or 'none'}",
                f"pruned: {' '.join(self.pruned) or 'nothing'}",
                f"nodes: {counted.nodes}, leaves: {counted.leaves}, cutoffs: {counted.cutoffs} "
                f"({counted.first_move_cutoffs} after the first move), held at once: "
                f"{counted.most_held}, effective branching factor: "
                f"{counted.effective_branching_factor:.2f}",
            )
        )

    def __repr__(self) -> str:
        return str(self)

    def _repr_mimebundle_(self, **asked: Any) -> dict[str, Any]:
        """In a notebook: a stepper if `threefold[notebook]` is installed, and a picture.

        Viewers that run no code, such as GitHub and nbconvert, show the picture.
        """
        shown: dict[str, Any] = {"text/plain": str(self), "image/svg+xml": str(draw(self.events))}
        try:
            from threefold.textbook.notebook import Stepper
        except ImportError:
            return shown
        return Stepper(self).mime_bundle(**asked) | shown

    def to_json(self) -> dict[str, Any]:
        """The explanation as JSON types."""
        return {
            "procedure": self.procedure,
            "value": plain(self.value),
            "path": list(self.path),
            "visited": self.visited,
            "pruned": self.pruned,
            "events": [event.to_json() for event in self.events],
        }


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return f"<{','.join(map(_shown, value))}>"
    return format_number(value).replace("-", "−")  # type: ignore[arg-type]


def explain(
    procedure: str, root: Node, *, depth: int | None = None, tree: str | None = None, **options: Any
) -> Explanation:
    """Run a procedure on a tree; `tree` is its text, if it has one."""
    if procedure not in PROCEDURES:
        raise ThreefoldError(
            f"there is no procedure {shorten(procedure)}: {did_you_mean(procedure, PROCEDURES)}"
        )
    if depth is not None and depth < 0:
        raise ThreefoldError(f"{argument('depth', depth)} is negative")
    wanted = inspect.signature(PROCEDURES[procedure]).parameters
    for option in options:
        if option not in wanted:
            raise ThreefoldError(f"{procedure} has no option {option!r}")
    explained = _run(procedure, root, depth, tree, options)
    if isinstance(root, GameNode) and root.scale.mixed and root.scale.factor == 1:
        weighed = GameNode(
            root.game, root.state, scale=Scale(root.finished), readable=root.readable
        )
        explained = _run(procedure, weighed, depth, tree, options)
    return explained


def _run(
    procedure: str, root: Node, depth: int | None, tree: str | None, options: dict[str, Any]
) -> Explanation:
    trace = Trace(
        procedure,
        chance=procedure in {"expectiminimax", "star1", "star2"},
        payoffs=procedure in {"maxn", "paranoid"},
        listing=listing(PROCEDURES[procedure]),
    )
    trace.note("start", root.name, procedure=procedure, tree=tree)
    with _deep_recursion():
        value, line = PROCEDURES[procedure](root, trace, depth=depth, **options)
    path = names(line)
    if root.name == GAME_ROOT:  # a node's name has all its moves; the path has one per step
        path = [name.rpartition("/")[2] for name in path]
    return Explanation(procedure, value, path, trace.events)


@contextmanager
def _deep_recursion() -> Iterator[None]:
    """Let Python recurse as deep as a tree may be; Python calls take no room on the C stack."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, 4 * MAX_DEPTH))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
