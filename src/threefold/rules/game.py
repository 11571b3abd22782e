"""`Game`: the rules of one game, written once, and everything that can be done with them.

The methods here import what they need when they are called: the only step upwards from `rules`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, Self, TypeVar, overload

from threefold.errors import BadGame, ThreefoldError, argument
from threefold.rules.contract import Action
from threefold.rules.definition import Rules
from threefold.rules.net_files import names_a_file
from threefold.rules.terms import Weight

if TYPE_CHECKING:
    from threefold.engine.compile import Compiled
    from threefold.engine.result import Result
    from threefold.engine.running import Running
    from threefold.gpu.on_gpu import OnGpu
    from threefold.solve.solution import Solution
    from threefold.solve.solve import Solver
    from threefold.textbook.explain import Explanation
    from threefold.textbook.regrets_run import RegretRun

S = TypeVar("S")


class Game(Rules[S], Generic[S]):
    """A game by its rules, of two players unless `players` says otherwise.

    Four functions over an immutable state are enough:

    - `initial()` is the position the game starts from;
    - `actions(s, out)` writes the legal moves, small integers, into `out` and returns how many;
    - `result(s, a)` is the position after move `a`;
    - `utility(s)` is what a finished game is worth to MAX, the player who moves first.

    Every other argument has a default that fits a plain game. `threefold.rules.contract` says what
    each hook means; `threefold.rules.records` has the arguments that are less common, which can be
    given in a record or directly: `sides=("white", "black")`. The functions are still the caller's
    own objects: `game.actions is actions`. `moves`, `chances`, `parse`, `format`, … are friendly
    forms for use from Python.

    A state that is a NamedTuple of integers runs interpreted and compiled; any other hashable
    object runs interpreted only.
    """

    def using(
        self, evaluation: str | None = None, *, weights: Mapping[str, Weight] | None = None
    ) -> Self:
        """The same game with another of its evaluations as `evaluate`, or with other weights.

        An evaluation is given by its name, or is in a file: a net, or weights of terms. Terms that
        `weights` does not name keep the game's own weights, except `remainder`s: they then count 0.
        Without a name, this is the first evaluation that has all the terms named.
        """
        of_its_own = evaluation in self.nets
        in_a_file = evaluation not in self.evaluations and names_a_file(evaluation or "")
        if evaluation is None or not (of_its_own or in_a_file):
            return super().using(evaluation, weights=weights)
        if weights:
            raise BadGame(f"a net has no terms to weigh: give weights or {evaluation}, not both")
        from threefold.engine import nets

        if of_its_own:
            return nets.judged_by_own(self, evaluation)
        return nets.judged_by_file(self, evaluation)

    def with_database(self, folder: str | Path) -> Self:
        """The same game with a database of end-games, which every search then looks into.

        "auto" stands for a folder of the user's own. Small tables are made there if they are
        missing, which takes a few seconds.
        """
        from threefold.solve.endgames.opening import open_database

        return self.knowing(open_database(self, folder))

    def compiled(self) -> Compiled[S]:
        """The same rules, compiled. A second call only checks whether the rules have changed."""
        from threefold.engine.compile import Compiled

        return Compiled(self)

    def on_gpu(self) -> OnGpu[S]:
        """The same rules on a GPU, or a clear error that says why not."""
        from threefold.gpu.on_gpu import OnGpu

        return OnGpu(self)

    def perft(
        self,
        position: str | S | None = None,
        *,
        depth: int,
        finished: bool = False,
        way: str = "compiled",
    ) -> int:
        """How many positions there are exactly `depth` plies away.

        A game that ends earlier is not counted, unless `finished` is given. A forced pass is a
        ply, and so is an event of nature.
        """
        from threefold.gpu.ways import perft

        return perft(self, self.position(position), depth, finished=finished, way=way).nodes

    def analyze(
        self,
        position: str | S | None = None,
        *,
        time: float | None = None,
        depth: int | None = None,
        nodes: int | None = None,
        multipv: int = 1,
        threads: int = 1,
        seed: int | None = None,
        exact: bool = False,
        method: str | None = None,
        playouts_on: str = "cpu",
        megabytes: int | None = None,
        selective: Mapping[str, int] | None = None,
        games: int | None = None,
        truncate: int | None = None,
        watch: Callable[[Result[S]], None] | None = None,
    ) -> Result[S]:
        """Search a position within limits, one second if none is given, for its best moves.

        `watch` is called with every better answer. `exact` asks for plain minimax to the depth.
        `method` is the one that suits the game, alpha-beta for most. "mcts" plays games out instead
        of evaluating positions, many more of them with `playouts_on="gpu"`. "rollout" plays `games`
        from each of the best moves, in a game of chance, with the evaluation choosing; `truncate`
        ends them after so many rolls. `selective` changes numbers of the search, such as
        `{"filter": 8}`.
        """
        from threefold.engine.methods import DEFAULT_TIME

        if time is None and depth is None and nodes is None and games is None:
            time = DEFAULT_TIME
        return self.start(
            position,
            time=time,
            depth=depth,
            nodes=nodes,
            multipv=multipv,
            threads=threads,
            seed=seed,
            exact=exact,
            method=method,
            playouts_on=playouts_on,
            megabytes=megabytes,
            selective=selective,
            games=games,
            truncate=truncate,
        ).result(watch)

    def start(self, position: str | S | None = None, **options: Any) -> Running[Result[S]]:
        """Start searching a position in the background, with the options of `analyze`.

        The search ends at a limit, if any is given, at a proof, or when it is stopped.
        """
        from threefold.gpu.places import start

        return start(self, self.position(position), **options)

    def stream(self, position: str | S | None = None, **options: Any) -> Iterator[Result[S]]:
        """Better and better answers, forever unless a limit is given: leave the loop to stop."""
        with self.start(position, **options) as running:
            yield from running

    def best(self, position: str | S | None = None, **options: Any) -> Action | None:
        """The best move that `analyze` finds; None once the game is over."""
        return self.analyze(position, **options).best

    def counted_by(self, utility: str) -> Self:
        """The same game with another of its ways to count a finished one."""
        other = self.utilities[utility]
        twin = self._with_hooks_but("assured")
        twin.utility, twin.utility_units = other.worth, other.units
        twin.hooks["utility"] = other.worth
        if other.assured is not None:
            twin.assured = twin.hooks["assured"] = other.assured
        twin._weighing = {}
        return twin

    def solve(
        self,
        position: str | S | None = None,
        *,
        score: str | None = None,
        method: str = "auto",
        detail: str = "moves",
        megabytes: int = 1024,
        time: float | None = None,
        nodes: int | None = None,
        iterations: int | None = None,
        exploitability: float | None = None,
        seed: int | None = None,
        progress: bool = True,
    ) -> Solution[S]:
        """The exact value of a position, all best moves, and what the other moves are worth.

        `threefold.solve.solve` lists the methods and the levels of `detail`. Values are utilities,
        or in the game's unit that `score` names. For many positions of
        one game, `solver` remembers what it has proven.

        A game of hidden information is solved from its start. The answer is an `Equilibrium`: a
        strategy for each player, and its `exploitability`, which ends the work once it is as small
        as asked for.
        """
        from threefold.solve.solve import solve

        return solve(
            self,
            self.position(position),
            score=score,
            method=method,
            detail=detail,
            megabytes=megabytes,
            time=time,
            nodes=nodes,
            iterations=iterations,
            exploitability=exploitability,
            seed=seed,
            progress=progress,
        )

    def solver(self, *, megabytes: int = 1024) -> Solver[S]:
        """Solves one position after another, and keeps its memory until it is closed.

        `with game.solver() as solver: solver.solve(position)`, with the options of `solve`.
        """
        from threefold.solve.solve import Solver

        return Solver(self, megabytes=megabytes)

    @overload
    def explain(  # type: ignore[overload-overlap]
        self,
        procedure: Literal["cfr", "cfr+"],
        position: str | S | None = None,
        *,
        iterations: int = ...,
    ) -> RegretRun: ...

    @overload
    def explain(
        self,
        procedure: str,
        position: str | S | None = None,
        *,
        depth: int | None = None,
        symmetries: bool = False,
        **options: Any,
    ) -> Explanation: ...

    def explain(
        self,
        procedure: str,
        position: str | S | None = None,
        *,
        depth: int | None = None,
        symmetries: bool = False,
        **options: Any,
    ) -> Explanation | RegretRun:
        """Run a textbook procedure on this game's tree, every step recorded.

        With `symmetries`, one of several symmetric moves stands for all of them. `cfr` and `cfr+`
        are for games with hidden information, and have `iterations`.
        """
        from threefold.textbook import regrets_run
        from threefold.textbook.explain import explain
        from threefold.textbook.gametree import GameNode

        if procedure in regrets_run.PROCEDURES:
            given = options | ({} if depth is None else {"depth": depth})
            given |= {"symmetries": True} if symmetries else {}
            return regrets_run.explain(self, position, procedure, given)
        root = GameNode(self, self.position(position))
        if symmetries:
            root = root.without_symmetric_moves()
        return explain(procedure, root, depth=depth, **options)

    def play(self, position: str | S | None = None, *, level: str | int = "medium") -> None:
        """Play in the terminal against the computer, or against a friend with `level="human"`."""
        from threefold.cli.play import play

        self.require("play", zero_sum=False, perfect_information=False)
        play(self, self.position(position), level=str(level))

    def __repr__(self) -> str:
        return f"<Game {self.spec}: {self.facts}>"

    def _repr_svg_(self) -> str:
        return self.draw(self.initial())


def check_depth(depth: object, least: int, most: int) -> None:
    """Raise unless a depth is a whole number in range."""
    if not isinstance(depth, int) or not least <= depth <= most:
        given = argument("depth", depth)
        raise ThreefoldError(f"{given} is not a whole number from {least} to {most}")
