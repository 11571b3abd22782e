"""Databases of games that declare no end-games: every reachable position, numbered by hashing."""

import random
import shutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import nim
import numpy as np
import pytest
from random_graph import State as Node
from random_graph import noise, random_graph
from shell import Shell

from threefold import Game, game
from threefold.engine.endgames.database import Database, Known
from threefold.engine.endgames.files import Damaged, TableFile, path_of
from threefold.engine.endgames.lines import best_play
from threefold.engine.endgames.reachable import (
    PositionsFile,
    positions_path,
    rules_text,
    write_positions,
)
from threefold.errors import NotCompilable, ThreefoldError
from threefold.lab.gallery import Gallery
from threefold.rules.contract import DRAWN, MIN
from threefold.solve.endgames.building import build
from threefold.solve.endgames.verifying import verify

EXAMPLES = Path(__file__).parents[1] / "examples"
CONNECT_FOUR = "connect-four(columns=4,rows=4)"


@pytest.fixture(scope="module", name="folder_of")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of a game's database, made when it is first asked for."""

    @cache
    def folder_of(spec: str) -> Path:
        folder = tmp_path_factory.mktemp("database") / "all"
        build(game(spec), None, folder)
        return folder

    return folder_of


def reached(g: Game[Any]) -> list[Any]:
    """All positions from the start on, by the rules alone."""
    start = g.timeless(g.initial())
    found = {start: None}
    waiting = [start]
    while waiting:
        s = waiting.pop()
        for a in g.moves(s):
            after = g.timeless(g.result(s, a))
            if after not in found:
                found[after] = None
                waiting.append(after)
    return list(found)


def oracle(g: Game[Any]) -> Callable[[Any], tuple[int, int]]:
    """The value for the player to move and the plies to the end; for games without circles."""

    @cache
    def value(s: Any) -> tuple[int, int]:
        sign = -1 if g.player(s) == MIN else 1
        moves = g.moves(s)
        if not moves:
            return sign * g.utility(s), 0
        found = []
        for a in moves:
            after = g.result(s, a)
            same = (g.player(after) == MIN) == (sign == -1)
            worth, plies = value(after)
            found.append((worth if same else -worth, plies + 1))
        return max(found, key=lambda each: (each[0], -each[0] * each[1]))

    return value


def known_by(value: int, plies: int) -> Known:
    return Known(value, value * plies if value and plies else None)


# Every value.


@pytest.mark.parametrize(
    ("spec", "count"), [("tic-tac-toe", 5478), ("nim", 232), ("nim(misere=true)", 232)]
)
def test_every_value_is_that_of_minimax(
    spec: str, count: int, folder_of: Callable[[str], Path]
) -> None:
    g = game(spec)
    database, right = Database(g, folder_of(spec)), oracle(g)
    positions = reached(g)
    assert len(positions) == count
    for s in positions:
        assert database.look_up(s) == known_by(*right(s)), g.show(s)
    header = database.tables[0].header
    assert (header.name, header.positions, header.pieces) == ("all", len(positions), 0)
    values = [right(s) for s in positions]
    assert header.won == sum(value > 0 for value, _ in values)
    assert header.lost == sum(value < 0 for value, _ in values)
    assert header.longest == max(plies for value, plies in values if value)


def test_values_are_those_of_solving(folder_of: Callable[[str], Path]) -> None:
    g = game(CONNECT_FOUR)
    database = Database(g, folder_of(CONNECT_FOUR))
    assert database.positions is not None
    assert len(database.positions) == 161_029
    rng, solver = random.Random(1), g.solver()
    for _ in range(40):
        s = g.initial()
        for _ in range(rng.randrange(10)):
            if not g.moves(s):
                break
            s = g.result(s, rng.choice(g.moves(s)))
        found = database.look_up(s)
        solution = solver.solve(s, detail="win_in")
        assert found is not None
        assert (found.value, found.win_in) == (solution.value, solution.win_in or None)


def signs(seed: int, **changes: Any) -> Game[Node]:
    """A random graph with circles, in which players may move twice running, won, drawn or lost."""
    return random_graph(
        initial=lambda: Node(seed, 0), utility=lambda s: noise(s, 50, 3) - 1, **changes
    )


def test_games_with_circles(tmp_path: Path) -> None:
    outcomes = set()
    for seed in range(8):
        g = signs(seed, repeats=True, finite=False)
        build(g, None, tmp_path / str(seed))
        database = Database(g, tmp_path / str(seed))
        for s in reached(g):
            found, solution = database.look_up(s), g.solve(s, method="graph", detail="value")
            assert found == Known(int(solution.value), solution.win_in or None)
            outcomes.add(found.value)
        assert all(each.is_sound for each in verify(g, tmp_path / str(seed)))
    assert outcomes == {-1, 0, 1}


class Countdown(NamedTuple):
    left: int
    turn: int
    quiet: int


def countdown(start: int = 9, limit: int = 12) -> Game[Countdown]:
    """Take one each until nothing is left; after some plies without an end it is a draw."""

    def actions(s: Countdown, out: Any) -> int:
        out[0] = 0
        return 1 if s.left > 0 else 0

    return Game(
        "Countdown",
        initial=lambda: Countdown(start, 0, 0),
        actions=actions,
        result=lambda s, a: Countdown(s.left - 1, 1 - s.turn, s.quiet + 1),
        utility=lambda s: 0 if s.left > 0 else 1 if s.turn == 1 else -1,
        drawn=lambda s: DRAWN if s.left > 0 and s.quiet >= limit else 0,
        clocks=("quiet",),
        evaluate=lambda s: 0,
    )


def test_clocks_do_not_matter_to_the_database_but_to_a_search(tmp_path: Path) -> None:
    g = countdown()
    build(g, None, tmp_path)
    knows = g.with_database(tmp_path)
    database = Database(g, tmp_path)
    assert database.positions is not None
    assert len(database.positions) == 10
    late = Countdown(9, 0, 8)
    for s in (g.initial(), late):
        assert database.look_up(s) == Known(1, 9)
    assert g.analyze(late, depth=9).value == 0, "the clock runs out"
    for method in ("alphabeta", "mcts"):
        found = knows.analyze(late, method=method, nodes=100)
        assert not (found.exact and found.value != 0), method


# Use.


def test_searches_look_into_it(folder_of: Callable[[str], Path]) -> None:
    g = game(CONNECT_FOUR)
    knows = g.with_database(folder_of(CONNECT_FOUR))
    database = Database(g, folder_of(CONNECT_FOUR))
    s, rng = g.initial(), random.Random(4)
    while (found := database.look_up(s)) is None or found.win_in is None or abs(found.win_in) < 4:
        s = g.initial()
        for _ in range(6):
            s = g.result(s, rng.choice(g.moves(s)))
    solution = knows.solve(s)
    assert (solution.method, solution.win_in) == ("database", found.win_in)
    for options in ({"depth": 2}, {"method": "mcts", "nodes": 500}):
        result = knows.analyze(s, **options)
        assert (result.exact, result.win_in) == (True, found.win_in)
    assert len(best_play(g, database, s)) == abs(found.win_in)


def test_outcomes_alone(tmp_path: Path) -> None:
    g = game("nim")
    build(g, None, tmp_path)
    build(g, None, tmp_path, distances=False)
    assert not TableFile(path_of(tmp_path, "all")).header.distances
    right, database = oracle(g), Database(g, tmp_path)
    assert all(database.look_up(s) == Known(right(s)[0], None) for s in reached(g))
    assert all(each.is_sound for each in verify(g, tmp_path))
    build(g, None, tmp_path)
    assert Database(g, tmp_path).look_up(g.initial()) == known_by(*right(g.initial()))


def test_a_position_that_play_cannot_reach(folder_of: Callable[[str], Path], shell: Shell) -> None:
    g = game("nim")
    folder = folder_of("nim")
    database = Database(g, folder)
    strange = g.parse("3-4-5 2")
    assert database.look_up(strange) is None
    assert g.with_database(folder).solve(strange).win_in == g.solve(strange).win_in
    said = shell.refused("database", "probe", "nim", "3-4-5 2", "--dir", str(folder))
    assert "which has all positions that play can reach from the start" in said
    rng = random.Random(3)
    everything = set(reached(g))
    for _ in range(500):
        s = g.state_type(*(rng.randrange(-(1 << 63), 1 << 63) for _ in strange))
        assert s in everything or database.look_up(s) is None


def test_the_lab_takes_it_for_its_game_only(folder_of: Callable[[str], Path]) -> None:
    gallery = Gallery(databases=[str(folder_of("nim")), "auto"])
    assert isinstance(gallery.knowing(game("nim")).database, Database)
    assert gallery.knowing(game("tic-tac-toe")).database is None
    assert gallery.knowing(game("nim(misere=true)")).database is None


# The rules it was made for.


def test_the_same_rules_by_another_name(folder_of: Callable[[str], Path]) -> None:
    g = game("nim(heaps=3-4-5)")
    assert rules_text(g) == rules_text(game("nim"))
    assert Database(g, folder_of("nim")).look_up(g.initial()) is not None


@pytest.mark.parametrize("by", ["utility", "start", "moves", "repeats"])
def test_other_rules(by: str) -> None:
    changes: dict[str, Any] = {
        "utility": {"utility": lambda s: -1 if s.turn == 1 else 1},
        "start": {"initial": lambda: nim.State(19, 0)},
        "moves": {"actions": lambda s, out: 0},
        "repeats": {"repeats": True},
    }
    assert rules_text(nim.nim(**changes[by])) != rules_text(nim.nim())
    assert rules_text(nim.nim()) == rules_text(nim.nim(evaluate=lambda s: s.stones))


@pytest.fixture(name="own")
def a_users_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copy(EXAMPLES / "twenty_one.py", tmp_path / "own.py"))


def test_a_users_file_that_changes(own: Path, shell: Shell) -> None:
    assert shell("database", "build", "own.py", "--dir", "db") == 0, shell.err
    first = shell.json("analyze", "own.py", "--database", "db")
    assert first["win_in"] == shell.json("solve", "own.py")["win_in"]
    assert shell("database", "verify", "db", "--game", "own.py") == 0, shell.err
    own.write_text(own.read_text().replace("stones=21", "stones=24"))
    for words in (
        ("analyze", "own.py", "--database", "db"),
        ("database", "probe", "own.py", "--dir", "db"),
        ("database", "verify", "db", "--game", "own.py"),
    ):
        assert "was made for other rules of own.py" in shell.refused(*words)
        assert "build it again" in shell.err
    assert shell.json("database", "build", "own.py", "--dir", "db")["made"] == 1
    again = shell.json("analyze", "own.py", "--database", "db")
    assert again["win_in"] == shell.json("solve", "own.py")["win_in"] != first["win_in"]


def test_the_examples(shell: Shell, tmp_path: Path) -> None:
    for name, count in (("hex", 5514), ("twenty_one", 42)):
        words = ("database", "build", str(EXAMPLES / f"{name}.py"), "--dir", str(tmp_path / name))
        assert shell.json(*words)["positions"] == count


# Damage.


def copied(folder: Path, to: Path) -> Path:
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(folder, to)
    return to


def damages(content: bytes) -> Iterator[bytes]:
    for at in range(0, len(content), max(1, len(content) // 150)):
        for bit in (0, 5):
            yield content[:at] + bytes([content[at] ^ 1 << bit]) + content[at + 1 :]
    yield from (b"", content[:7], content[:40], content[:-1], content[:-8], content + bytes(8))


@pytest.mark.parametrize("name", ["all.positions", "all.endgame"])
def test_a_damaged_file_is_an_error_and_no_wrong_value(
    name: str, folder_of: Callable[[str], Path], tmp_path: Path
) -> None:
    g, right = game("nim"), oracle(game("nim"))
    positions = random.Random(2).sample(reached(g), 20)
    folder = copied(folder_of("nim"), tmp_path / "copy")
    content = (folder / name).read_bytes()
    refused = 0
    for damaged in damages(content):
        (folder / name).unlink()
        (folder / name).write_bytes(damaged)
        try:
            database = Database(g, folder)
            for s in positions:
                assert database.look_up(s) == known_by(*right(s))
        except Damaged as error:
            assert name in str(error)
            refused += 1
    assert refused > (300 if name == "all.positions" else 100)


def test_positions_that_do_not_belong_to_the_table(
    folder_of: Callable[[str], Path], tmp_path: Path, shell: Shell
) -> None:
    folder = copied(folder_of("nim"), tmp_path / "copy")
    path = positions_path(folder)
    path.unlink()
    assert "all.positions" in shell.refused("analyze", "nim", "--database", str(folder))
    shutil.copy(positions_path(folder_of("nim(misere=true)")), path)
    with pytest.raises(Damaged, match=r"does not belong to all\.endgame"):
        Database(game("nim"), folder)
    assert shell("database", "verify", str(folder)) == 1
    path.unlink()
    assert build(game("nim"), None, folder).made == 1
    assert build(game("nim"), None, folder).kept == 1


@pytest.mark.parametrize("wrong", ["full", "outside", "negative", "odd", "twice"])
def test_slots_that_would_lead_astray(wrong: str, tmp_path: Path) -> None:
    slots = np.array([1, 2, 0, 0], np.int32)
    slots[0] = {"outside": 3, "negative": -1, "twice": 2}.get(wrong, 1)
    if wrong == "full":
        slots = slots[:2]
    elif wrong == "odd":
        slots = np.append(slots, np.zeros(2, np.int32))
    write_positions(tmp_path / "all.positions", "rules", slots, np.zeros((2, 3), np.int64))
    if wrong == "twice":  # which only a verification finds
        assert len(PositionsFile(tmp_path / "all.positions")) == 2
        return
    with pytest.raises(Damaged, match="its slots are wrong"):
        PositionsFile(tmp_path / "all.positions")


def test_verification_finds_wrong_files(folder_of: Callable[[str], Path], tmp_path: Path) -> None:
    g = game("nim")
    folder = copied(folder_of("nim"), tmp_path / "copy")
    found = PositionsFile(positions_path(folder))
    slots, states = np.array(found.slots), np.array(found.states)
    del found
    swapped = slots.copy()
    swapped[np.flatnonzero(slots)[:2]] = swapped[np.flatnonzero(slots)[1::-1]]
    moved = states.copy()
    moved[[0, 1]] = states[[1, 0]]
    for wrong in ((swapped, states), (slots, moved)):
        write_positions(positions_path(folder), rules_text(g), *wrong)
        (verdict,) = verify(g, folder)
        assert not verdict.is_sound
        assert verdict.damage
    write_positions(positions_path(folder), rules_text(g), slots, states)
    assert verify(g, folder)[0].is_sound


# The command line, and what is refused.


def test_the_commands(shell: Shell, tmp_path: Path) -> None:
    folder = str(tmp_path / "db")
    built = shell.json("database", "build", "tic-tac-toe", "--dir", folder)
    assert (built["made"], built["kept"], built["positions"], built["pieces"]) == (1, 0, 5478, 0)
    size = sum(path.stat().st_size for path in Path(folder).iterdir())
    assert sorted(path.name for path in Path(folder).iterdir()) == ["all.endgame", "all.positions"]
    told = shell.json("database", "info", folder)
    assert (told["pieces"], told["bytes"], built["bytes"]) == (0, size, size)
    (one,) = told["slices"]
    assert (one["name"], one["positions"]) == ("all", 5478)
    assert one["won"] + one["drawn"] + one["lost"] == 5478
    assert shell("database", "verify", folder) == 0
    assert shell.out == "the table is right: 5,478 positions\n"
    assert shell("database", "build", "tic-tac-toe", "--dir", folder) == 0
    assert "1 was there already" in shell.out
    probed = shell.json("database", "probe", "tic-tac-toe", "--dir", folder)
    assert (probed["value"], probed["win_in"], len(probed["moves"])) == (0, None, 9)
    for words in (("analyze",), ("solve",), ("analyze", "--method", "mcts")):
        command, *more = words
        found = shell.json(command, "tic-tac-toe", *more, "--database", folder)
        assert (found["value"], found["exact"]) == (0, True)
    said = shell.refused("database", "build", "nim", "--dir", folder)
    assert "is for tic-tac-toe, not for nim; choose another folder" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["othello(size=4)"], "a database holds only wins, draws and losses"),
        (["othello", "--memory", "0.02"], "do not fit into 0.0195 GB; a larger --memory GB"),
        (["connect-four", "--memory", "0.02"], "positions and more do not fit"),
        (["backgammon"], "games without chance, and Backgammon has some"),
        (["dice-nim"], "games without chance"),
        (["tic-tac-toe", "--pieces", "3"], "--pieces 3: Tic-tac-toe declares no end-games"),
        (["tic-tac-toe", "--device", "gpu"], "--device gpu: "),
        (["tic-tac-toe", "--cluster", "ray"], "--cluster ray: "),
        (["tic-tac-toe", "--memory", "0"], "--memory"),
        (["checkers"], "databases of Checkers need --pieces N"),
        ([str(EXAMPLES / "coin_row.py")], "for two players"),
        ([str(EXAMPLES / "pig.py")], "without chance"),
    ],
)
def test_a_game_that_cannot_have_one(
    words: list[str], said: str, shell: Shell, tmp_path: Path
) -> None:
    folder = tmp_path / "db"
    assert said in shell.refused("database", "build", *words, "--dir", str(folder))
    assert not folder.exists()


@pytest.mark.parametrize(
    "words", [("analyze", "nim", "--database", "auto"), ("database", "probe", "nim")]
)
def test_none_is_made_on_the_way(words: tuple[str, ...], shell: Shell) -> None:
    assert "Nim has no database of its own; threefold database build" in shell.refused(*words)


def test_play_that_may_not_end(tmp_path: Path) -> None:
    refused = 0
    for seed in range(12):
        try:
            build(signs(seed), None, tmp_path / str(seed))
        except ThreefoldError as error:
            assert "declare repeats=True if it is a draw" in str(error)
            refused += 1
    assert 0 < refused < 12


def test_rules_that_cannot_be_compiled(tmp_path: Path) -> None:
    g = nim.nim(utility=lambda s: sorted({s.turn: 1}, key=str)[0] or -1)
    with pytest.raises(NotCompilable, match="need rules that can be compiled"):
        build(g, None, tmp_path / "db")
    hides = nim.nim(observe=lambda s, p: s)
    with pytest.raises(ThreefoldError, match="perfect information"):
        build(hides, None, tmp_path / "db")


def test_a_win_that_takes_too_long(tmp_path: Path) -> None:
    g = countdown(start=20_000, limit=1 << 40)
    with pytest.raises(ThreefoldError, match=r"a win takes 20,000 plies.*up to 16,382"):
        build(g, None, tmp_path)
