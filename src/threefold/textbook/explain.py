"""Run a procedure by name and keep everything it reports."""

import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

from threefold.errors import ThreefoldError, argument
from threefold.rules.text import did_you_mean, shorten
from threefold.rules.text import listing as listed
from threefold.textbook.alphabeta import alphabeta, alphabeta_hard
from threefold.textbook.chance import expectiminimax, star1, star2
from threefold.textbook.cut import parse_cut
from threefold.textbook.deep_enough import parse_policy
from threefold.textbook.deepening import iterative_deepening
from threefold.textbook.gametree import GAME_ROOT, GameNode
from threefold.textbook.horizon import quiescence, secondary, singular
from threefold.textbook.listing import listing
from threefold.textbook.mcts import mcts
from threefold.textbook.minimax import minimax, minimax_bottom_up
from threefold.textbook.minmax import minmax
from threefold.textbook.mtdf import mtdf
from threefold.textbook.negamax import negamax
from threefold.textbook.one_function import heuristic_minimax, minimax_n, minimax_value
from threefold.textbook.phases import estimate
from threefold.textbook.picture import draw
from threefold.textbook.plausible import Plausible
from threefold.textbook.proof import proof_number
from threefold.textbook.scout import pvs, scout
from threefold.textbook.several import maxn, paranoid
from threefold.textbook.single_agent import single_agent
from threefold.textbook.sss import sss
from threefold.textbook.statistics import statistics
from threefold.textbook.trace import Event, Line, Trace, names, plain, pruned, visited
from threefold.textbook.tree import MAX_DEPTH, Node, format_number
from threefold.textbook.treeshape import GROWING, ONE_AGENT

Procedure: TypeAlias = Callable[..., tuple[Any, Line]]

#: Every procedure on game trees, by its command-line name.
PROCEDURES: dict[str, Procedure] = {
    "minimax": minimax,
    "minimax-value": minimax_value,
    "minimax-n": minimax_n,
    "heuristic-minimax": heuristic_minimax,
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
    "mcts": mcts,
    "single-agent": single_agent,
}

#: The options that may be given as text.
_READ: dict[str, Callable[[str], Any]] = {"cut": parse_cut, "deep_enough": parse_policy}


#: The procedures for payoffs: any number of players, zero-sum or not.
WITH_PAYOFFS = frozenset({"maxn", "paranoid"})
#: Those that are not for two players with one value.
_NOT_FOR_TWO = WITH_PAYOFFS | ONE_AGENT
#: Those that do not ask for the minimax value: each has a question of its own, or an estimate.
OTHER_QUESTIONS = _NOT_FOR_TWO | {"mcts"}


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
    def implausible(self) -> list[str]:
        """Those of the pruned nodes that were never generated, because they looked bad."""
        left_out = {name for event in self.events for name in event.data.get("implausible", ())}
        return [node for node in self.pruned if node in left_out]

    @property
    def lines(self) -> list[int | None]:
        """The line of the procedure's listing that each event belongs to."""
        places = listing(PROCEDURES[self.procedure])
        return [places.place(event.line) for event in self.events]

    def __str__(self) -> str:
        if self.procedure in GROWING:
            return estimate(self.events, self.path)
        counted = statistics(self.events)
        left_out = self.implausible
        cut = [node for node in self.pruned if node not in set(left_out)]
        return "\n".join(
            (
                f"value {_shown(self.value)}{self._movers}, path {' '.join(self.path) or 'none'}",
                f"pruned: {' '.join(cut) or 'nothing'}",
                *([f"not generated: {' '.join(left_out)}"] if left_out else ()),
                f"nodes: {counted.nodes}, leaves: {counted.leaves}, cutoffs: {counted.cutoffs} "
                f"({counted.first_move_cutoffs} after the first move), held at once: "
                f"{counted.most_held}, effective branching factor: "
                f"{counted.effective_branching_factor:.2f}",
            )
        )

    @property
    def _movers(self) -> str:
        """MINMAX's VALUE is the given player's: what it is for MIN, if MIN is at the root."""
        if self.procedure != "minmax" or self.events[1].data.get("player") != "MIN":
            return ""
        return f" ({_shown(-self.value)} for MIN, the player to move)"

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
    procedure: str,
    root: Node,
    *,
    depth: int | None = None,
    tree: str | None = None,
    plausible: int | None = None,
    plausible_by: str = "eval",
    **options: Any,
) -> Explanation:
    """Run a procedure on a tree; `tree` is its text, if it has one.

    With `plausible`, MOVEGEN lists only that many moves at each node, those that look best to the
    static evaluation (`plausible_by="eval"`) or to the game's own first guess (`"order"`).
    """
    if procedure not in PROCEDURES:
        raise ThreefoldError(
            f"there is no procedure {shorten(procedure)}: {did_you_mean(procedure, PROCEDURES)}"
        )
    if depth is not None and depth < 0:
        raise ThreefoldError(f"{argument('depth', depth)} is negative")
    for option, given in options.items():
        if not takes(procedure, option):
            those = [name for name in PROCEDURES if takes(name, option)]
            hint = f"; {listed(those)} {'have' if len(those) > 1 else 'has'} it" if those else ""
            raise ThreefoldError(f"{procedure} has no option {argument(option)}{hint}")
        if isinstance(given, str) and option in _READ:
            options[option] = _READ[option](given)
    if plausible is not None and procedure in _NOT_FOR_TWO:
        raise ThreefoldError(
            f"{argument('plausible')} is for two players with one value, and {procedure} is not"
        )
    generator = None if plausible is None else Plausible(plausible, plausible_by)
    if isinstance(root, GameNode):
        if procedure in WITH_PAYOFFS:
            root = root.with_payoffs()
        else:
            root.game.require(procedure, zero_sum=True, perfect_information=True)
    explained = _run(procedure, root, depth, tree, options, generator)
    while isinstance(root, GameNode) and root.scale.is_too_small:
        root = root.weighed()
        explained = _run(procedure, root, depth, tree, options, generator)
    return explained


def takes(procedure: str, option: str) -> bool:
    """Whether a procedure has an option."""
    known = PROCEDURES.get(procedure)
    return known is not None and option in inspect.signature(known).parameters


def _run(
    procedure: str,
    root: Node,
    depth: int | None,
    tree: str | None,
    options: dict[str, Any],
    generator: Plausible | None,
) -> Explanation:
    trace = Trace(
        procedure,
        chance=procedure in {"expectiminimax", "star1", "star2", "mcts", *WITH_PAYOFFS},
        payoffs=procedure in WITH_PAYOFFS,
        listing=listing(PROCEDURES[procedure]),
    )
    trace.note("start", root.name, procedure=procedure, tree=tree)
    with _deep_recursion():
        start = root if generator is None else generator(root)
        value, line = PROCEDURES[procedure](start, trace, depth=depth, **options)
    path = names(line)
    if root.name == GAME_ROOT:  # a node's name has all its moves; the path has one per step
        path = [
            name.removeprefix(f"{before}/")
            for before, name in zip((GAME_ROOT, *path), path, strict=False)
        ]
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
