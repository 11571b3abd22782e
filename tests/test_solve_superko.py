"""Solving under superko: Go on small boards, against brute force that knows every game."""

import _thread
import itertools
import random
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from brute_go import BruteForce, TooMany, boards_after, is_legal
from shell import Shell

from threefold import Game, ThreefoldError, game
from threefold.arena.adjudication import Proof
from threefold.engine.compile import Compiled
from threefold.engine.control import Control
from threefold.engine.records import allocate, interpreted_record
from threefold.errors import BrokenRules, Unsolved
from threefold.rules.contract import MAX, MIN, actions, result, state, superko
from threefold.rules.rebind import interpreted
from threefold.solve import superko as driver
from threefold.solve.endgames.building import build
from threefold.solve.exact import Stopped
from threefold.solve.solve import Solver
from threefold.solve.superko import Range, RootSuperko, SuperkoSearch
from threefold.solve.within import CREDITS, Demand, forces_from
from threefold.solve.within import Path as Plies


def board_text(board: str, size: int, mover: str) -> str:
    """A board of the brute force as a position."""
    rows = [board[i : i + size] for i in range(0, size * size, size)]
    return f"{'/'.join(rows)} {mover}"


# Values that are known.


def test_two_by_two(shell: Shell) -> None:
    found = shell.json("solve", "go(size=2,komi=0)", "--score", "area")
    assert (found["value"], found["exact"], found["win_in"]) == (1, True, None)
    assert found["position"] == "../.. X"
    assert found["player"] == 0
    assert {line["move"]: line["value"] for line in found["moves"]} == {
        **dict.fromkeys(("A1", "A2", "B1", "B2"), 1),
        "pass": -1,
    }
    assert sorted(found["all_best"]) == ["A1", "A2", "B1", "B2"]
    assert found["best"] in found["all_best"]
    assert found["pv"][0] == found["best"]


def test_three_by_three(shell: Shell) -> None:
    found = shell.json("solve", "go(size=3,komi=0)", "--score", "area")
    values = {line["move"]: line["value"] for line in found["moves"]}
    assert found["value"] == 9
    assert found["all_best"] == ["B2"]
    assert values == {
        "B2": 9,
        **dict.fromkeys(("A2", "B1", "B3", "C2"), 3),
        **dict.fromkeys(("A1", "A3", "C1", "C3", "pass"), -9),
    }


@pytest.mark.slow
def test_four_by_four() -> None:
    found = game("go(size=4,komi=0)").solve(score="area", detail="value", progress=False)
    assert (found.value, found.exact) == (2, True)


def test_without_a_score_the_value_is_the_utility() -> None:
    assert game("go(size=3,komi=0)").solve(progress=False).value == 1
    assert game("go(size=2,komi=1)").solve(progress=False).value == 0
    assert game("go(size=2,komi=1.5)").solve(progress=False).value == -1


def test_komi_is_subtracted(shell: Shell) -> None:
    for komi, value in ((0.5, 0.5), (1, 0), (-2, 3), (6.5, -5.5)):
        found = shell.json("solve", f"go(size=2,komi={komi})", "--score", "area")
        assert found["value"] == value


def test_the_text_shows_every_move(shell: Shell) -> None:
    assert shell("solve", "go(size=2,komi=0.5)", "--score", "area") == 0
    assert shell.out.count("+0.500, proven") == 4
    assert "-1.500, proven  pass" in shell.out
    assert "solved by superko" in shell.out


@pytest.mark.parametrize(
    ("position", "value"),
    [("X./XX O passes=2", -4), ("X./XX X passes=2", 4), ("../.. O passes=2", 0)],
)
def test_finished_positions(shell: Shell, position: str, value: int) -> None:
    found = shell.json("solve", "go(size=2,komi=0)", position, "--score", "area")
    assert (found["value"], found["best"], found["pv"], found["moves"]) == (value, None, [], [])


def test_a_settled_position_of_a_large_board_is_solved() -> None:
    # Black has two eyes and white has two; two empty points are left to play for.
    rows = [".XXXXXX..", "XXXXXX...", *["XXXXXXXXX"] * 2, ".XXXXXXX."]
    rows += ["XXXXXXXXX", "OOOOOOOOO", "O.OOOOO.O", "OOOOOOOOO"]
    found = game("go(komi=0)").solve(f"{'/'.join(rows)} X", score="area", progress=False)
    assert found.value == 2 * 54 - 81


# Against brute force.


def test_every_position_of_two_by_two_agrees_with_brute_force() -> None:
    positions = 0
    with Solver(game("go(size=2,komi=0)").counted_by("area")) as solver:
        for stones in itertools.product(".XO", repeat=4):
            board = "".join(stones)
            if not is_legal(board, 2):
                continue
            positions += 1
            for mover, passes in itertools.product("XO", (0, 1)):
                expected = BruteForce(2, 100_000).value(board, mover, passes)
                text = f"{board_text(board, 2, mover)} passes={passes}".removesuffix(" passes=0")
                found = solver.solve(text, detail="value", progress=False).in_units()
                assert (found.value, found.exact) == (expected, True), text
    assert positions == 57


def test_the_moves_of_two_by_two_agree_with_brute_force() -> None:
    brute = BruteForce(2, 1_000_000)
    g = game("go(size=2,komi=0)")
    for board in ("....", "X...", "X..O", "XO..", "XX..", ".XXX", "XX.O"):
        found = g.solve(board_text(board, 2, "X"), score="area", progress=False)
        stones = [
            -brute.search(after, "O", {board, after}) for after in boards_after(board, 2, "X")
        ]
        expected = [*stones, -brute.search(board, "O", {board}, 1)]
        assert sorted(line.value for line in found.lines) == sorted(expected), board


def test_the_game_so_far_counts() -> None:
    """Every position of random games on 2×2, with all that came before it."""
    rng = random.Random(3)
    g = game("go(size=2,komi=0)").counted_by("area")
    differs = 0
    with Solver(g) as solver:
        for _ in range(12):
            positions = [g.initial()]
            while moves := g.moves(positions[-1], positions[:-1]):
                s, before = positions[-1], positions[:-1]
                found = solver.solve(s, before=before, detail="value", progress=False)
                boards = {plain_board(g, each) for each in positions}
                mover = "XO"[s.turn]
                expected = BruteForce(2, 200_000).search(plain_board(g, s), mover, boards, s.passes)
                assert found.value == 2 * expected, (g.format(s), boards)
                differs += found.value != solver.solve(s, detail="value", progress=False).value
                positions.append(g.result(s, rng.choice(moves)))
    assert differs > 0


def plain_board(g: Game[Any], s: Any) -> str:
    """A position as the brute force writes boards."""
    return g.format(s).split()[0].replace("/", "")


def test_random_positions_of_three_by_three_agree_with_brute_force() -> None:
    rng = random.Random(7)
    checked: dict[int, int] = {}
    with Solver(game("go(size=3,komi=0)").counted_by("area")) as solver:
        for _ in range(60):
            board, mover = random_board(rng, 3)
            try:
                expected = BruteForce(3, 30_000).value(board, mover)
            except TooMany:
                continue
            text = board_text(board, 3, mover)
            found = solver.solve(text, detail="value", progress=False).in_units()
            assert found.value == expected, text
            checked[expected] = checked.get(expected, 0) + 1
    assert sum(checked.values()) >= 25
    assert len(checked) >= 2


def random_board(rng: random.Random, size: int) -> tuple[str, str]:
    """A board from a random game, and who is to move."""
    board, mover = "." * size**2, "X"
    before = {board}
    for _ in range(rng.randint(size**2, 3 * size**2)):
        after = [each for each in boards_after(board, size, mover) if each not in before]
        if after:
            board = rng.choice(after)
            before.add(board)
        mover = "XO"[mover == "X"]
    return board, mover


def test_best_play_is_legal_and_ends_with_the_value() -> None:
    found = game("go(size=3,komi=0)").solve(score="area", progress=False)
    ended = 0
    for line in found.lines:
        positions = [found.position]
        for a in line.pv:
            assert a in found.game.moves(positions[-1], positions[:-1])
            positions.append(found.game.result(positions[-1], a))
        if not found.game.moves(positions[-1]):
            ended += 1
            assert found.game.utility(positions[-1]) / 2 == line.value
    assert ended > 0


def test_interpreted_and_compiled_searches_agree() -> None:
    g = game("go(size=2,komi=0)").counted_by("area")
    control = allocate(Control)
    search = SuperkoSearch(g, 1, control)
    run = interpreted(forces_from, g)  # type: ignore[arg-type]
    for strict in (False, True):
        for plies, (prover, at_least) in itertools.product(range(9), ((MAX, 1), (MIN, -2))):
            compiled = search.force(g.initial(), [], prover, at_least, plies, strict=strict)
            shape = 64, 2
            path = Plies(
                np.zeros(shape, object),
                np.zeros(64, object),
                np.zeros(shape, object),
                np.zeros(shape, object),
                np.zeros(64, object),
            )
            demand = interpreted_record(Demand)
            demand.prover, demand.at_least, demand.strict = prover, at_least, int(strict)
            worth = run(
                tuple(g.initial()),
                0,
                [],
                plies,
                [[0] * 8 for _ in range(64)],
                path,
                [0] * (2 * CREDITS),
                np.zeros((1 << 14, 6), object),
                [demand],
                [interpreted_record(Control)],
            )
            assert (compiled is not None) == (worth >= at_least)


# The rules count as published: https://oeis.org/A094777.


@pytest.mark.parametrize(("size", "boards"), [(2, 57), (3, 12_675)])
def test_numbers_of_legal_boards(size: int, boards: int) -> None:
    g = game(f"go(size={size})")
    compiled = Compiled(g)
    start = g.initial()
    seen = {g.superko(start): start}
    left = [start]
    while left:
        s = left.pop()
        for turn in (MAX, MIN):
            here = s._replace(turn=turn, ko=-1, passes=0)
            for a in g.moves(here):
                t = compiled.result(here, a)
                if g.superko(t) not in seen:
                    seen[g.superko(t)] = t
                    left.append(t)
    assert len(seen) == boards


def count_boards(words: tuple[int, ...], seen: Any, stack: Any, row: Any) -> int:
    """A template: how many boards of one word for each color can be reached."""
    mine, theirs = superko(state(words))
    stack[0] = mine << 16 | theirs
    left, boards = 1, 1
    seen[0] = 1
    while left > 0:
        left -= 1
        black, white = stack[left] >> 16, stack[left] & 0xFFFF
        for turn in range(2):
            s = state((black, white, -1, 0, turn))
            for i in range(actions(s, row)):
                t = result(s, row[i])
                mine, theirs = superko(t)
                number = 0
                for cell in range(16):
                    number = 3 * number + (mine >> cell & 1) + 2 * (theirs >> cell & 1)
                if seen[number] == 0:
                    seen[number] = 1
                    stack[left] = mine << 16 | theirs
                    left += 1
                    boards += 1
    return boards


@pytest.mark.slow
def test_number_of_legal_boards_of_four_by_four() -> None:
    g = game("go(size=4)")
    compiled = Compiled(g)
    count = compiled.entry(count_boards)
    seen, stack = np.zeros(3**16, np.int8), np.zeros(3**16, np.int64)
    found = count(compiled.words(g.initial()), seen, stack, compiled.rows(1)[0])
    assert found == 24_318_165


# Limits and errors.


def test_what_is_known_when_a_limit_comes(shell: Shell) -> None:
    code = shell("solve", "go(size=4,komi=0)", "--score", "area", "--nodes", "100000")
    assert code == 1
    assert shell.out == ""
    assert "Go: not solved within the limits, and the value is from -16 to 16 after" in shell.err


def test_moves_that_are_known_when_a_limit_comes() -> None:
    g = game("go(size=3,komi=0)")
    unsolved = incomplete = 0
    for nodes in (2_000 << i for i in range(8)):
        try:
            found = g.solve(score="area", progress=False, nodes=nodes)
        except Unsolved as error:
            assert "the value is from" in str(error)
            unsolved += 1
        else:
            assert found.value == 9
            assert found.exact
            incomplete += not found.complete
    assert unsolved
    assert incomplete


def test_moves_that_are_too_hard_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "_LESSER_NODES", -1_000_000)
    found = game("go(size=3,komi=0)").solve(score="area", progress=False)
    assert (found.value, found.exact, found.complete) == (9, True, False)
    assert "stopped before every move was known" in str(found)


def test_control_c_gives_what_is_known(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    range_after = RootSuperko._range_after

    def interrupted(root: Any, a: int, value: int) -> Range:
        if root.known:
            _thread.interrupt_main()
            until = time.monotonic() + 60
            while not root._search.control.stop and time.monotonic() < until:
                time.sleep(0.01)
        return range_after(root, a, value)

    monkeypatch.setattr(RootSuperko, "_range_after", interrupted)
    code = shell("solve", "go(size=3,komi=0)", "--score", "area")
    assert code == 0
    assert "stopped before every move was known" in shell.out


def test_a_stop_is_noticed() -> None:
    g = game("go(size=4,komi=0)")
    control = allocate(Control)
    search = SuperkoSearch(g, 1, control)
    control.stop = 1
    with pytest.raises(Stopped):
        search.force(g.initial(), [], MAX, 1, 30, strict=False)


def test_progress_tells_the_range() -> None:
    g = game("go(size=3,komi=0)").counted_by("area")
    with Solver(g) as solver:
        running = solver.start(progress=False)
        assert running.result().value == 18


def test_lines_longer_than_the_search_can_look_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "MOST_PLIES", 3)
    with pytest.raises(Unsolved, match=r"not solved within 3 plies, the most .* from -4 to 4"):
        game("go(size=2,komi=0)").solve(score="area", progress=False)


def test_boards_too_large_are_refused(shell: Shell) -> None:
    assert "about 10^11 positions can follow, too many" in shell.refused("solve", "go(size=5)")
    assert "about 10^38 positions can follow" in shell.refused("solve", "go", "--score", "area")


@pytest.mark.parametrize("method", ["graph", "table", "null-window", "proof"])
def test_methods_that_do_not_see_the_game_are_refused(method: str) -> None:
    with pytest.raises(ThreefoldError, match=f"which {method} does not see; solve it by"):
        game("go(size=2)").solve(method=method)


def test_the_method_is_for_superko_alone() -> None:
    with pytest.raises(ThreefoldError, match=r"superko is for games .* Tic-tac-toe has no such"):
        game("tic-tac-toe").solve(method="superko")


def test_scores_are_checked(shell: Shell) -> None:
    assert "Go has no score 'pons'; one of area" in shell.refused(
        "solve", "go(size=2)", "--score", "pons"
    )


def test_no_database_ignores_superko(tmp_path: Path) -> None:
    with pytest.raises(ThreefoldError, match="Go can have no database: by superko"):
        build(game("go(size=2)"), None, tmp_path)


def test_no_game_is_adjudicated_by_a_solution_that_does_not_know_it() -> None:
    with pytest.raises(ThreefoldError, match="depends on the position alone; in Go no earlier"):
        Proof(game("go(size=2,komi=1)"))


class Pile(NamedTuple):
    """Counters that come and go; nobody may pass."""

    counters: int
    turn: int


def test_games_without_a_pass_are_refused() -> None:
    def list_moves(s: Pile, out: Any) -> int:
        if s.counters == 0:
            return 0
        out[0] = 0
        out[1] = 1
        return 2

    g: Game[Pile] = Game(
        "Pile",
        initial=lambda: Pile(3, 0),
        actions=list_moves,
        result=lambda s, a: Pile(s.counters - 1 if a == 0 else s.counters + 1, 1 - s.turn),
        utility=lambda s: 1 if s.turn == 1 else -1,
        superko=lambda s: (s.counters,),
        max_moves=2,
    )
    with pytest.raises(BrokenRules, match="without a move that leaves the board as it is"):
        g.solve(progress=False)
