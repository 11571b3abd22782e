"""One random game after another through every procedure there is: all must say the same.

`Examiner` asks about a game; `python tests/examination.py --games 1000000` does so at length. What
a search calls proven must be what `oracle` finds by definition; elsewhere it may guess.
"""

import argparse
import json
import os
import random
import sys
import time
from collections import Counter
from tempfile import TemporaryDirectory
from typing import Any, Final

import hypothesis
from hypothesis import given, settings
from oracle import Node, TooManyPaths, Truth, TruthByPath, minimax
from random_games import Build, Kind, build, kinds

from threefold import CHANCE, ThreefoldError
from threefold.engine.analysis import Engine
from threefold.engine.deepening import search_entry
from threefold.engine.limits import Limits
from threefold.engine.result import Line, Result
from threefold.rules.agreement import BothWays, questions
from threefold.rules.asking import Position
from threefold.rules.contract import FINISHED
from threefold.solve.expansion import expand_all
from threefold.solve.solution import Solution

#: How many games of a kind share what was compiled for it, at length.
GAMES_PER_KIND: Final = 5_000
#: Deeper than a game that ends, and as deep as one with circles is looked at.
_BEYOND: Final = 2
_DEPTH_IN_CIRCLES: Final = 9
_SIMULATIONS: Final = 400
#: Every so many games each hook is compared at each position.
_HOOKS_EVERY: Final = 8
#: and two threads search as well.
_THREADS_EVERY: Final = 4
#: Expectations are rounded to fractions of an evaluation unit at every event of nature.
_ROUNDING: Final = 0.01 / FINISHED


class Disagreement(AssertionError):
    """Two ways to know a game say different things of it."""


class Examiner:
    """Puts games of one kind to every procedure."""

    def __init__(self, build: Build) -> None:
        self.build = build
        self.counted: Counter[str] = Counter()
        game, compiled = build.game, build.game.compiled()
        # To look through the rules anew for each call takes longer than all the rest.
        vars(game)["compiled"] = lambda: compiled
        self._engines = [Engine(game, megabytes=1, threads=threads) for threads in (1, 2)]
        self._unit = FINISHED if game.evaluations else 1
        self._both_ways = BothWays(game, compiled, questions(game))

    def examine(self, seed: int) -> None:
        """Every procedure on the game of a seed, or `Disagreement` with the game and its rules."""
        try:
            self._examine(seed)
        except Disagreement as found:
            kind, shown = self.build.kind, self.build.game.show(self.build.start(seed))
            raise Disagreement(
                f"{found}\n{kind}\nseed {seed}, position {shown}\n\n{self.build.source}"
            ) from None
        self.counted["games"] += 1

    def _examine(self, seed: int) -> None:
        game, s = self.build.game, self.build.start(seed)
        truth = Truth(game, s)
        still = Truth(game, s, timeless=True) if game.clocks else truth
        self.counted["positions"] += len(truth.nodes)
        number = self.counted["games"]
        if number % _HOOKS_EVERY == 0:
            self._compare_hooks(truth)
        # Also somewhere in the middle, with what the table remembers from the beginning.
        later = list(truth.nodes)[seed % len(truth.nodes)]
        for t in dict.fromkeys((s, later)):
            for engine in self._engines[: 1 if number % _THREADS_EVERY else 2]:
                self._analyze(engine, truth, still, t, seed)
        if game.repeats:
            self._analyze_with_history(truth, seed)
        self._simulate(truth, later if seed % 2 else s, seed)
        self._solve(still)

    def _compare_hooks(self, truth: Truth[Any]) -> None:
        for s, node in truth.nodes.items():
            here = Position(s, node.mover, [a for a, _, _ in node.moves])
            for difference in self._both_ways.differences(here):
                raise Disagreement(f"{difference} in {self.build.game.show(s)}")

    # The search.

    def _analyze(
        self, engine: Engine[Any], truth: Truth[Any], still: Truth[Any], s: Any, seed: int
    ) -> None:
        game, kind = self.build.game, self.build.kind
        who = f"alpha-beta, {engine.threads} threads"
        depth = _DEPTH_IN_CIRCLES if kind.circles else truth.longest + _BEYOND
        found = engine.analyze(s, Limits(depth=depth), multipv=1 + seed % 2)
        # Clocks stand still in a proof, if not in the rules. And where a draw can be claimed, a
        # search counts on it and may win by another way, later.
        proof, at = (still, game.timeless(s)) if truth.nodes[s].moves else (truth, s)
        self._check_proven(who, found, proof, at, soonest="drawn" not in game.hooks)
        # What the book prints has no quiescence; and where a value depends on how a position was
        # reached, no table can have that of every path.
        if "noisy" in game.hooks or game.cyclic:
            return
        if kind.chance and kind.bounds:
            return  # a guess is held within the bounds
        shallow = 1 + seed % 3
        found = engine.analyze(s, Limits(depth=shallow), exact=True)
        by_the_book = truth.sign(s) * minimax(game, s, shallow, self._unit)
        near = self._unit * _ROUNDING if kind.chance else 0
        if abs(found.value - by_the_book) > near:
            raise Disagreement(
                f"{who}: {found.value} at depth {shallow}, by the book {float(by_the_book)}"
            )
        if not kind.circles:
            found = engine.analyze(s, Limits(depth=depth), exact=True)
            sign = truth.sign(s)
            self._check_value(f"{who}, to the end", sign * found.value, truth, s)
            self._check_proven(f"{who}, exact", found, truth, s)

    def _analyze_with_history(self, truth: Truth[Any], seed: int) -> None:
        """What came before has a say: a position that stands for the nth time is a draw."""
        history: list[Any] = []
        s = truth.start
        rng = random.Random(seed)
        while truth.nodes[s].moves and rng.random() < 0.7:
            after = rng.choice(truth.nodes[s].moves)[2]
            if [*history, s].count(after) >= self.build.game.repeats - 1:
                break  # a draw by now
            history.append(s)
            s = after
        limits = Limits(depth=_DEPTH_IN_CIRCLES)
        found = self._engines[0].analyze(s, limits, history=history)
        self.counted["alpha-beta, with history: asked"] += 1
        if not found.exact:
            return
        try:
            true = TruthByPath(self.build.game, truth).value(s, history)
        except TooManyPaths:
            return
        self.counted["alpha-beta, with history: proven"] += 1
        if found.value != truth.sign(s) * true * self._unit:
            raise Disagreement(f"after {history} {s}: {found.value} called proven, in truth {true}")

    def _simulate(self, truth: Truth[Any], s: Any, seed: int) -> None:
        game = self.build.game
        if game.player(s) == CHANCE or not truth.moves(s):
            return
        options: dict[str, Any] = {"method": "mcts", "nodes": _SIMULATIONS, "megabytes": 1}
        found = game.analyze(s, seed=seed & 0xFFFF, multipv=3, **options)
        self._check_proven("Monte Carlo", found, truth, s, soonest=False)

    def _check_proven(
        self, who: str, found: Result[Any], truth: Truth[Any], s: Any, soonest: bool = True
    ) -> None:
        """Whatever a search calls proven is true."""
        self.counted[f"{who}: asked"] += 1
        sign = truth.sign(s)
        if found.exact:
            self.counted[f"{who}: proven"] += 1
            self._check_value(who, sign * found.value, truth, s)
            self._check_plies(who, found.win_in, 0, sign, truth, s, soonest)
        for line in found.lines:
            child, said = truth.moves(s)[line.move], f"{who}, move {line.move}"
            if line.exact:
                self._check_value(said, sign * line.value, truth, child)
                self._check_plies(said, line.win_in, 1, sign, truth, child, soonest)

    def _check_value(self, who: str, value: float, truth: Truth[Any], s: Any) -> None:
        """A value to MAX, in the units of the search."""
        true = truth.value(s) * self._unit
        near = self._unit * _ROUNDING if self.build.kind.chance else 0
        if abs(value - true) > near:
            shown = self.build.game.show(s)
            raise Disagreement(f"{who}: {value} called proven, in truth {float(true)}: {shown}")

    def _check_plies(
        self,
        who: str,
        win_in: int | None,
        before: int,
        sign: int,
        truth: Truth[Any],
        s: Any,
        soonest: bool,
    ) -> None:
        """How soon a game ends; a search may promise no more than the end within some plies."""
        plies = truth.plies(s)
        if win_in is None or plies is None:
            return
        true = plies + before
        won = sign * truth.value(s) > 0
        if (win_in > 0) != won or abs(win_in) < true or (soonest and abs(win_in) > true):
            shown = self.build.game.show(s)
            raise Disagreement(f"{who}: {win_in} plies, in truth {true if won else -true}: {shown}")

    # Exact answers.

    def _solve(self, truth: Truth[Any]) -> None:
        kind, game = self.build.kind, self.build.game
        methods = ["graph", "null-window", "table"]
        if kind.most == 1 and not kind.points:
            methods.append("proof")
        for method in methods:
            try:
                solution = game.solve(truth.start, method=method, megabytes=1, progress=False)
            except ThreefoldError as refusal:
                endless = "forever" in str(refusal) and kind.circles and not game.cyclic
                other = method != "graph" and (kind.circles or kind.chance)
                if not endless and not other:
                    raise Disagreement(f"solve by {method}: {refusal}") from refusal
                self.counted[f"{method}: refused"] += 1
            else:
                self.counted[f"{method}: solved"] += 1
                self._check_solution(method, solution, truth)

    def _check_solution(self, method: str, found: Solution[Any], truth: Truth[Any]) -> None:
        s = truth.start
        if not (found.exact and found.complete):
            raise Disagreement(f"solve by {method} came to no end")
        self._check_solved(method, found.value, found.win_in, 0, truth, s)
        if truth.nodes[s].mover == CHANCE:
            return
        moves = truth.moves(s)
        if {line.move for line in found.lines} != set(moves):
            raise Disagreement(f"solve by {method}: moves {[line.move for line in found.lines]}")
        for line in found.lines:
            who, child = f"{method}, move {line.move}", moves[line.move]
            self._check_solved(who, line.value, line.win_in, 1, truth, child)
            self._check_line(method, line, truth)
        best = {a for a, t in moves.items() if truth.value(t) == truth.value(s)}
        if set(found.all_best) != best:
            raise Disagreement(f"solve by {method}: best {found.all_best}, in truth {best}")

    def _check_solved(
        self, who: str, value: float, win_in: int | None, before: int, truth: Truth[Any], s: Any
    ) -> None:
        sign = truth.sign(truth.start)
        true = sign * truth.value(s)
        if abs(value - true) > 1e-9:
            raise Disagreement(f"solve by {who}: {value} called proven, in truth {float(true)}")
        self._check_plies(f"solve by {who}", win_in, before, sign, truth, s, soonest=True)

    def _check_line(self, method: str, line: Line, truth: Truth[Any]) -> None:
        """Best play keeps the value to the end of the line."""
        s = truth.start
        for a in line.pv:
            moves = truth.moves(s)
            if a not in moves:
                raise Disagreement(f"solve by {method}: {a} of line {line.pv} is no move")
            if s != truth.start and truth.value(moves[a]) != truth.value(s):
                raise Disagreement(f"solve by {method}: {a} of line {line.pv} is not best play")
            s = moves[a]
            if truth.nodes[s].mover == CHANCE:
                break


def smallest(examiner: Examiner, seeds: list[int]) -> Disagreement | None:
    """Put the games of these seeds to the test; of those that fail, the one of fewest positions."""
    failed: list[tuple[int, Disagreement]] = []
    for seed in seeds:
        try:
            examiner.examine(seed)
        except Disagreement as found:
            positions = len(Truth(examiner.build.game, examiner.build.start(seed)).nodes)
            failed.append((positions, found))
    return min(failed, key=lambda one: one[0])[1] if failed else None


def at_length(games: int, seed: int, per_kind: int = GAMES_PER_KIND) -> Counter[str]:
    """Draw kinds, and so many games of each, until there were enough games; told on stderr."""
    total: Counter[str] = Counter()
    began = time.perf_counter()

    @hypothesis.seed(seed)
    @settings(max_examples=-(-games // per_kind), deadline=None, database=None)
    @given(kinds())
    def run(kind: Kind) -> None:
        examiner = Examiner(build(kind))
        # The same seeds for each kind, so that a failure comes again while a smaller one is sought.
        found = smallest(examiner, examiner.build.seeds(seed << 32, per_kind))
        total.update(examiner.counted)
        total["kinds"] += 1
        minutes = (time.perf_counter() - began) / 60
        print(  # noqa: T201
            f"{total['games']:,} games of {total['kinds']} kinds, {minutes:.1f} min",
            file=sys.stderr,
            flush=True,
        )
        if found is not None:
            raise found

    run()
    return total


# For other processes: what is found there is printed, to be compared with what is found here.


def answers(kind: Kind, count: int) -> list[list[Any]]:
    """What this process says of some games."""
    built = build(kind)
    game, engine = built.game, Engine(built.game, megabytes=1)
    found = []
    for seed in built.seeds(0, count):
        s = built.start(seed)
        searched = engine.analyze(s, Limits(depth=6))
        solved = game.solve(s, method="graph", megabytes=1, progress=False)
        found.append([searched.best, searched.value, solved.value, list(solved.all_best)])
    return found


def all_from_cache(kind: Kind) -> bool:
    """Whether nothing had to be compiled for `answers`."""
    compiled = build(kind).game.compiled()
    entries = (search_entry(compiled), compiled.entry(expand_all))
    return all(entry.from_cache for entry in entries)


def compare_on_gpu(kind: Kind, count: int) -> int:
    """Ask a GPU, or its simulator, what the rules say everywhere; returns of how many positions."""
    built = build(kind)
    game, on_gpu = built.game, built.game.on_gpu()
    nodes: dict[Any, Node[Any]] = {}
    for seed in built.seeds(0, count):
        nodes |= Truth(game, built.start(seed)).nodes
    states = list(nodes)
    rows, counts = on_gpu.actions(states)
    listed = [row[:n].tolist() for row, n in zip(rows, counts, strict=True)]
    over = [s for s, node in nodes.items() if not node.moves]
    moves = [(s, a, child) for s, node in nodes.items() for a, _, child in node.moves]
    after = on_gpu.result([s for s, _, _ in moves], [a for _, a, _ in moves])
    for what, by_python, by_gpu in (
        ("moves", [[a for a, _, _ in node.moves] for node in nodes.values()], listed),
        ("player", [node.mover for node in nodes.values()], on_gpu.player(states).tolist()),
        ("utility", [nodes[s].utility for s in over], on_gpu.utility(over).tolist()),
        ("evaluate", [game.evaluate(s) for s in states], on_gpu.evaluate(states).tolist()),
        ("result", [child for _, _, child in moves], on_gpu.states(after)),
    ):
        if by_python != by_gpu:
            raise Disagreement(f"{what} differs on the GPU\n{kind}\n\n{built.source}")
    return len(states)


def main() -> None:
    """Run at length, with a cache folder of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1, help="another one draws other kinds")
    parser.add_argument("--per-kind", type=int, default=GAMES_PER_KIND)
    asked = parser.parse_args()
    with TemporaryDirectory() as folder:
        os.environ["THREEFOLD_CACHE"] = folder
        total = at_length(asked.games, asked.seed, asked.per_kind)
    print(json.dumps(dict(sorted(total.items())), indent=2))  # noqa: T201


if __name__ == "__main__":
    main()
