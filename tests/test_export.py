"""Exported games, read again by other programs, or by readers that know nothing of ours."""

import csv
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import chess.pgn
import processes
import pytest
from hypothesis import given
from hypothesis import strategies as st
from match_files import PLAYERS, begin, games_of, match_file, random_game, settings_of

from threefold import game
from threefold.arena import columns, record
from threefold.arena.columns import COLUMNS
from threefold.arena.export import export
from threefold.arena.record import Played, Task
from threefold.arena.store import Store
from threefold.errors import ThreefoldError
from threefold.games.backgammon import mat
from threefold.games.backgammon import sgf as backgammon_sgf
from threefold.games.checkers import pdn
from threefold.games.records.sgf import escaped
from threefold.protocols.player import Budget

# PGN and PDN.


def read_pgn(path: Path) -> list[chess.pgn.Game]:
    found = []
    with path.open() as file:
        while (one := chess.pgn.read_game(file)) is not None:
            assert not one.errors
            found.append(one)
    return found


@pytest.mark.parametrize(
    ("spec", "start"),
    [
        ("chess", None),
        ("chess", "8/5k2/8/8/3K4/8/3P4/8 b - - 3 40"),
        ("chess(chess960=true)", "bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w GEge - 0 1"),
    ],
)
def test_python_chess_reads_our_pgn(tmp_path: Path, spec: str, start: str | None) -> None:
    store, match = match_file(tmp_path / "m.db", spec, 4, start=start)
    path = tmp_path / "games.pgn"
    assert export(store, match, path) == 4
    played = list(store.games(match))
    for number, (ours, theirs) in enumerate(zip(played, read_pgn(path), strict=True)):
        board = theirs.board()
        assert board.fen() == ours.start or start is not None
        assert [move.uci() for move in theirs.mainline_moves()] == [
            text if spec == "chess" else board_move(theirs, ply)
            for ply, text in enumerate(ours.moves)
        ]
        assert theirs.headers["White"] == PLAYERS[number % 2]
        assert theirs.headers["Black"] == PLAYERS[1 - number % 2]
        assert theirs.headers["Round"] == f"{number // 2 + 1}.{number % 2 + 1}"
        assert theirs.headers["Date"] == "2025.06.15"
        assert theirs.headers["TimeControl"] == "1/0.2"
        assert theirs.headers["PlyCount"] == str(len(ours.moves))
        comments = [" ".join(node.comment.split()) for node in theirs.mainline()]
        for ply, comment in enumerate(comments):
            if ply < ours.opening_plies:
                assert comment == "book"
                continue
            value = ours.values[ply - ours.opening_plies]
            seconds = ours.seconds[ply - ours.opening_plies]
            shown = "" if value is None else f"{value / 100:+.2f} "
            assert comment.startswith(f"{shown}{seconds:.2f}s")
        assert comments[-1].endswith(f", {ours.reason}")


def board_move(theirs: chess.pgn.Game, ply: int) -> str:
    """A move of Chess960 as python-chess writes it: our moves are checked by the final position."""
    return list(theirs.mainline_moves())[ply].uci()


def test_the_last_position_is_the_same(tmp_path: Path) -> None:
    spec = "chess(chess960=true)"
    store, match = match_file(
        tmp_path / "m.db", spec, 2, start="bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w GEge - 0 1"
    )
    export(store, match, tmp_path / "games.pgn")
    g = game(spec)
    for ours, theirs in zip(store.games(match), read_pgn(tmp_path / "games.pgn"), strict=True):
        s = g.parse(ours.start)
        for text in ours.moves:
            s = g.result(s, g.parse_move(s, text))
        assert theirs.end().board().board_fen() == g.format(s).split()[0]


def ended(played: Played, ending: str, utility: float, reason: str = "why") -> Played:
    return replace(played, ending=ending, utility=utility, reason=reason)


ENDINGS = [
    (record.RULES, 1, "1-0", "normal"),
    (record.RULES, -1, "0-1", "normal"),
    (record.RULES, 0, "1/2-1/2", "normal"),
    (record.ADJUDICATED, 1, "1-0", "adjudication"),
    (record.TOO_LONG, 0, "1/2-1/2", "adjudication"),
    (record.TIME, -1, "0-1", "time forfeit"),
    (record.ILLEGAL, 1, "1-0", "rules infraction"),
    (record.CRASH, -1, "0-1", "abandoned"),
    (record.HANG, 1, "1-0", "abandoned"),
    (record.NONSENSE, 1, "1-0", "abandoned"),
]


@pytest.mark.parametrize(("ending", "utility", "result", "termination"), ENDINGS)
def test_results_and_terminations(
    tmp_path: Path, ending: str, utility: int, result: str, termination: str
) -> None:
    settings = settings_of("chess")
    store = Store(tmp_path / "m.db")
    match = begin(store, settings)
    one = random_game("chess", settings.task(0), most=6)
    # Someone who failed or lost on time had thought about a move that was never made.
    late = replace(one, values=[*one.values, None], seconds=[*one.seconds, 9.5])
    store.add(match, [ended(late, ending, utility, "black: {time} is up")])
    export(store, match, tmp_path / "games.pgn")
    (theirs,) = read_pgn(tmp_path / "games.pgn")
    assert theirs.headers["Result"] == result
    assert theirs.headers["Termination"] == termination
    assert " ".join(theirs.end().comment.split()).endswith(", black: (time) is up")


def test_a_game_that_was_given_up_has_no_result(tmp_path: Path) -> None:
    store = Store(tmp_path / "m.db")
    settings = settings_of("chess", budget=Budget(base=60, increment=0.5, moves=40))
    match = begin(store, settings)
    store.add(match, [Played(Task(0, (0, 1), 0), "", (), 0, 0, record.ABANDONED, "lost twice")])
    export(store, match, tmp_path / "games.pgn")
    (theirs,) = read_pgn(tmp_path / "games.pgn")
    assert theirs.headers["Result"] == "*"
    assert theirs.headers["Termination"] == "unterminated"
    assert theirs.headers["TimeControl"] == "40/60+0.5"
    export(store, match, tmp_path / "games.csv")
    (row,) = csv.DictReader((tmp_path / "games.csv").read_text().splitlines())
    assert row["points"] == ""


def test_our_reader_reads_our_pdn(tmp_path: Path) -> None:
    store, match = match_file(tmp_path / "m.db", "checkers", 4)
    path = tmp_path / "games.pdn"
    export(store, match, path)
    g = game("checkers")
    for number, (ours, theirs) in enumerate(zip(store.games(match), pdn.load(path), strict=True)):
        positions = pdn.positions(theirs)
        texts = [g.format_move(s, a) for s, a in zip(positions, theirs.actions, strict=False)]
        assert texts == list(ours.moves)
        # Black moves first, and its number comes first.
        assert theirs.tags["Black"] == PLAYERS[number % 2]
        assert theirs.result == {1.0: "1-0", 0.0: "0-1", 0.5: "1/2-1/2"}[ours.points]


@pytest.mark.parametrize("spec", ["tic-tac-toe", "othello(size=6)", "dice-nim", "nim"])
def test_any_game_as_pgn_has_its_own_moves(tmp_path: Path, spec: str) -> None:
    store, match = match_file(tmp_path / "m.db", spec, 2)
    path = tmp_path / "games.pgn"
    export(store, match, path)
    parts = re.split(r"\n\n", path.read_text().strip())
    assert len(parts) == 4
    for played, tags, moves in zip(store.games(match), parts[::2], parts[1::2], strict=True):
        assert f'[Variant "{spec}"]' in tags
        words = re.sub(r"\{[^}]*\}", " ", moves.replace("\n", " ")).split()
        assert [w for w in words[:-1] if not re.fullmatch(r"\d+\.(\.\.)?", w)] == list(played.moves)
        black_first = game(spec).sides[0] == "black"
        white = 1 - played.points if black_first else played.points
        assert words[-1] == {1.0: "1-0", 0.0: "0-1", 0.5: "1/2-1/2"}[white]


# SGF, by a small reader that knows its grammar and nothing else.


def read_sgf(text: str) -> list[list[dict[str, list[str]]]]:
    """Game trees without branches: a list of nodes each, with their properties."""
    trees, place = [], 0

    def ahead() -> str:
        nonlocal place
        while text[place : place + 1].isspace():
            place += 1
        return text[place : place + 1]

    while ahead():
        assert ahead() == "("
        place += 1
        nodes: list[dict[str, list[str]]] = []
        while ahead() != ")":
            if text[place] == ";":
                nodes.append({})
                place += 1
                continue
            found = re.compile(r"[A-Z]+").match(text, place)
            assert found, text[place : place + 20]
            name, place = found[0], found.end()
            assert name not in nodes[-1]
            nodes[-1][name] = []
            while ahead() == "[":
                value = re.compile(r"\[((?:[^\]\\]|\\.)*)\]", re.DOTALL).match(text, place)
                assert value
                place = value.end()
                nodes[-1][name].append(re.sub(r"\\(.)", r"\1", value[1]))
        place += 1
        trees.append(nodes)
    return trees


def test_othello_in_sgf(tmp_path: Path) -> None:
    store, match = match_file(tmp_path / "m.db", "othello(size=6)", 4, most=80)
    export(store, match, tmp_path / "games.sgf")
    trees = read_sgf((tmp_path / "games.sgf").read_text())
    for number, (ours, (root, *nodes)) in enumerate(zip(store.games(match), trees, strict=True)):
        assert root["FF"] == ["4"]
        assert root["GM"] == ["2"]
        assert root["SZ"] == ["6"]
        # White on c3 and d4, black on d3 and c4, from the top.
        assert sorted(root["AW"]) == ["cc", "dd"]
        assert sorted(root["AB"]) == ["cd", "dc"]
        assert root["PB"] == [PLAYERS[number % 2]]
        winner = "B" if ours.utility > 0 else "W"
        margin = abs(int(ours.utility))
        assert root["RE"] == [f"{winner}+{margin}" if margin > 1 else "0"]
        moves = [(node.get("B") or node.get("W") or [""])[0] for node in nodes]
        expected = [
            "" if text == "pass" else f"{text[0]}{'abcdef'[int(text[1]) - 1]}"
            for text in ours.moves
        ]
        assert moves == expected
        assert nodes[0]["C"] == ["book"]
    assert any(
        "" in (node.get("B", []) + node.get("W", [])) for tree in trees for node in tree
    ) == (any("pass" in ours.moves for ours in store.games(match)))


def test_a_wide_board_in_sgf(tmp_path: Path) -> None:
    store, match = match_file(
        tmp_path / "m.db", "mnk(m=5,n=3,k=3)", 2, start="..X../.O.../..... X", opening_plies=0
    )
    export(store, match, tmp_path / "games.sgf")
    for ours, (root, *nodes) in zip(
        store.games(match), read_sgf((tmp_path / "games.sgf").read_text()), strict=True
    ):
        assert root["GM"] == ["4"]
        assert root["SZ"] == ["5:3"]
        assert (root["AB"], root["AW"], root["PL"]) == (["ca"], ["bb"], ["B"])
        colors = ["B", "W"] * len(nodes)
        for text, node, color in zip(ours.moves, nodes, colors, strict=False):
            assert node[color] == [f"{text[0]}{'cba'[int(text[1]) - 1]}"]


@pytest.mark.parametrize(
    ("ending", "utility", "result"),
    [
        (record.TIME, 1, "B+T"),
        (record.CRASH, -1, "W+F"),
        (record.RULES, 1, "B+"),
        (record.RULES, 0, "0"),
        (record.ADJUDICATED, -12, "W+12"),
        (record.ABANDONED, 0, "Void"),
    ],
)
def test_results_in_sgf(tmp_path: Path, ending: str, utility: int, result: str) -> None:
    settings = settings_of("tic-tac-toe")
    store = Store(tmp_path / "m.db")
    match = begin(store, settings)
    store.add(match, [ended(random_game("tic-tac-toe", settings.task(0)), ending, utility)])
    export(store, match, tmp_path / "games.sgf")
    assert read_sgf((tmp_path / "games.sgf").read_text())[0][0]["RE"] == [result]


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_survives_sgf(text: str) -> None:
    one = "".join(" " if sign.isspace() else sign for sign in text)
    for colons in (False, True):
        (((node,),)) = read_sgf(f"(;C[{escaped(text, colons=colons)}])")
        assert node["C"] == [one]


# Backgammon's own.


@pytest.mark.parametrize("spec", ["backgammon", "backgammon(cube=true,match=3,score=2-0)"])
@pytest.mark.parametrize("room", [mat, backgammon_sgf])
def test_backgammon_is_read_back_as_it_was_played(tmp_path: Path, spec: str, room: Any) -> None:
    store, match = match_file(tmp_path / "m.db", spec, 4, most=400)
    path = tmp_path / f"games.{'mat' if room is mat else 'sgf'}"
    export(store, match, path)
    g = game(spec)
    for ours, theirs in zip(store.games(match), room.load(path), strict=True):
        s, moves = g.initial(), []
        for action in theirs.actions:
            moves.append(g.format_move(s, action))
            s = g.result(s, action)
        assert moves == list(ours.moves)
        assert [theirs.tags["X"], theirs.tags["O"]] == [PLAYERS[i] for i in ours.task.players]
        assert theirs.result[0] == ("*" if ours.utility == 0 else "X" if ours.utility > 0 else "O")


def test_a_player_against_itself_has_two_columns_in_mat(tmp_path: Path) -> None:
    """Points are added to the seat that won them, whoever was X."""
    settings = settings_of("backgammon", ("random", "random"))
    store = Store(tmp_path / "m.db")
    match = begin(store, settings)
    games = [random_game("backgammon", settings.task(n), most=2000) for n in range(4)]
    store.add(match, games)
    path = tmp_path / "games.mat"
    export(store, match, path)
    total = [0, 0]
    shown = re.findall(r"random : (\d+) +random : (\d+)", path.read_text())
    for played, points in zip(games, shown, strict=True):
        assert list(map(int, points)) == total
        winner = played.task.players[0 if played.utility > 0 else 1]
        total[winner] += int(abs(played.utility))
    assert min(total) > 0


# Rows and columns.


def rows(store: Store, match: Any) -> list[dict[str, Any]]:
    """What is expected: every column of every game."""
    return [
        {
            "match": match.id,
            "game": match.game,
            "number": played.task.number,
            "max": played.task.players[0],
            "min": played.task.players[1],
            "max_player": match.players[played.task.players[0]],
            "min_player": match.players[played.task.players[1]],
            "opening": played.task.opening,
            "start": played.start,
            "moves": list(played.moves),
            "opening_plies": played.opening_plies,
            "utility": played.utility,
            "points": played.points,
            "ending": played.ending,
            "reason": played.reason,
            "values": list(played.values),
            "seconds": list(played.seconds),
            "output": played.output,
            "ended": played.ended,
            "duration": played.duration,
        }
        for played in store.games(match)
    ]


AWKWARD = 'it said: "a, b";\r\n=cmd()\t\\ é ½ 棋'


@pytest.fixture
def awkward(tmp_path: Path) -> tuple[Store, Any]:
    """A match with a player and an output that need care."""
    settings = settings_of("dice-nim", ('uci(my "engine",Name=a]b\\,)', "random"))
    store = Store(tmp_path / "m.db")
    match = begin(store, settings)
    games = [replace(one, output=AWKWARD, reason=AWKWARD) for one in games_of(settings, 5)]
    store.add(match, games)
    return store, match


def test_csv(tmp_path: Path, awkward: tuple[Store, Any]) -> None:
    store, match = awkward
    export(store, match, tmp_path / "games.csv")
    with (tmp_path / "games.csv").open(newline="", encoding="utf-8") as file:
        table = csv.DictReader(file)
        assert table.fieldnames == list(COLUMNS)
        found = list(table)
    for theirs, ours in zip(found, rows(store, match), strict=True):
        for name, value in ours.items():
            if isinstance(value, list):
                assert json.loads(theirs[name]) == value
            elif isinstance(value, str):
                assert theirs[name] == value
            else:
                assert float(theirs[name]) == value


def test_parquet(
    tmp_path: Path, awkward: tuple[Store, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs pyarrow, threefold[parquet]")
    monkeypatch.setattr(columns, "_GROUP", 2)
    store, match = awkward
    export(store, match, tmp_path / "games.parquet")
    table = parquet.read_table(tmp_path / "games.parquet")
    assert table.column_names == list(COLUMNS)
    assert table.to_pylist() == rows(store, match)
    about = json.loads(table.schema.metadata[b"threefold_match"])
    assert about["players"] == list(match.players)
    assert about["settings"]["seed"] == 0


def test_without_pyarrow(
    tmp_path: Path, awkward: tuple[Store, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(ThreefoldError, match=r"needs pyarrow, .* pip install 'threefold\[parquet"):
        export(*awkward, tmp_path / "games.parquet")
    assert not list(tmp_path.glob("*parquet*"))


def test_awkward_texts_in_records(tmp_path: Path) -> None:
    settings = settings_of("othello(size=4)", ('uci(my "engine",Name=a]b\\,)', "random"))
    store = Store(tmp_path / "m.db")
    match = begin(store, settings)
    store.add(match, [replace(one, reason=AWKWARD) for one in games_of(settings, 1)])
    export(store, match, tmp_path / "games.sgf")
    ((root, *nodes),) = read_sgf((tmp_path / "games.sgf").read_text())
    assert root["PB"] == [match.players[0]]
    assert nodes[-1]["C"][0].endswith(re.sub(r"\s", " ", AWKWARD))
    export(store, match, tmp_path / "games.pgn")
    tags = dict(re.findall(r'^\[(\w+) "(.*)"\]$', (tmp_path / "games.pgn").read_text(), re.M))
    assert re.sub(r"\\(.)", r"\1", tags["Black"]) == match.players[0]


# What goes wrong.


@pytest.mark.parametrize(
    ("spec", "name", "message"),
    [
        (
            "nim",
            "games.sgf",
            r"SGF is for go, backgammon, othello and mnk; Nim can be exported as .pgn, .csv",
        ),
        ("nim", "games.mat", r".mat is for backgammon; Nim can be exported as .pgn, .csv"),
        ("nim", "games.pdn", r"PDN is for checkers; Nim can be exported as .pgn or .csv"),
        ("nim", "games.doc", r"games.doc' has no ending that is known; use .pgn, .pdn, .sgf"),
        ("nim", "nowhere/games.pgn", r"cannot be written: No such file"),
    ],
)
def test_what_cannot_be_exported(tmp_path: Path, spec: str, name: str, message: str) -> None:
    store, match = match_file(tmp_path / "m.db", spec, 1)
    with pytest.raises(ThreefoldError, match=message):
        export(store, match, tmp_path / name)
    assert not (tmp_path / name).exists()


def test_a_file_is_replaced_only_by_a_whole_one(tmp_path: Path) -> None:
    settings = settings_of("nim")
    store = Store(tmp_path / "m.db")
    match = begin(store, settings)
    broken = replace(random_game("nim", settings.task(1)), moves=["1:1", "9:9"])
    store.add(match, [random_game("nim", settings.task(0)), broken])
    path = tmp_path / "games.pgn"
    path.write_text("as it was")
    with pytest.raises(ThreefoldError, match="'9:9' is not a legal move"):
        export(store, match, path)
    assert path.read_text() == "as it was"


def test_the_command(tmp_path: Path) -> None:
    match_file(tmp_path / "m.db", "nim", 3)[0].close()
    match_file(tmp_path / "m.db", "tic-tac-toe", 2)[0].close()

    def ran(*arguments: str) -> Any:
        return processes.run([*processes.THREEFOLD, "report", "m.db", *arguments], cwd=tmp_path)

    assert ran("--export", "games.csv", "--export", "games.sgf").returncode == 0
    assert len((tmp_path / "games.csv").read_text().splitlines()) == 1 + 2
    assert len(read_sgf((tmp_path / "games.sgf").read_text())) == 2
    refused = ran("--match", "1", "--export", "games.doc")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "use .pgn, .pdn" in refused.stderr
    assert refused.stderr.count("\n") == 1


def test_games_are_written_one_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many there are, only few are in memory at a time."""
    settings = settings_of("nim")
    store = Store(tmp_path / "m.db")
    match = begin(store, settings)
    one = random_game("nim", settings.task(0))
    alive = peak = 0

    class Counted(Played):
        def __del__(self) -> None:
            nonlocal alive
            alive -= 1

    def many(*_: object) -> Any:
        nonlocal alive, peak
        for number in range(2000):
            alive += 1
            peak = max(peak, alive)
            yield Counted(**(one.__dict__ | {"task": Task(number, (0, 1), 0)}))

    monkeypatch.setattr(store, "games", many)
    for name in ("games.csv", "games.pgn"):
        assert export(store, match, tmp_path / name) == 2000
    assert peak < 10
