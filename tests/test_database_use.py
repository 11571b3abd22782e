"""Databases of end-games as people use them: the command line, players, protocols and the lab."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import chess
import chess.engine
import processes
import pytest
from conversation import Conversation
from databases import WIN, best_known, damaged, database, knowing, known, positions
from lab_client import Page, connect, opened
from shell import Shell

from threefold import ThreefoldError, game
from threefold.arena.contest import Contest
from threefold.arena.lines import parse_line
from threefold.arena.players import LOOKING_UP, make
from threefold.arena.store import Store
from threefold.cli.contests import with_database
from threefold.lab.server import application
from threefold.protocols.player import MATE, Budget, Turn
from threefold.protocols.thinking import Thinker
from threefold.protocols.uci import UciServer
from threefold.protocols.xboard import XBoardServer

#: Lost in ten plies, by a forced line.
LOST = "B:WK6,K28:BK4"
#: The same with white to move, and nine plies to go.
WON = "W:WK6,K28:BK8"
#: Won in 21 plies.
ROOK = "8/8/8/3k4/8/3KR3/8/8 w - - 0 1"
#: Out of every database here.
FAR = "B:W21,22,23,24:B1,2,3,4"
#: What is said of a folder that is none, or that has no tables.
NO_TABLES = "there is no database in|cannot be read"
#: Seeds are left in a few pits only.
SEEDS = "1,1,0,0,0,0,26/1,0,0,2,0,3,14 S"


def tables(spec: str = "checkers") -> str:
    return str(database(spec))


# Analyzing and solving.


def test_analyze_says_what_the_database_says(shell: Shell) -> None:
    words = ("analyze", "checkers", LOST, "--depth", "3")
    assert shell(*words, "--database", tables()) == 0
    first = shell.out.splitlines()[0]
    assert first.startswith("-1000, lost in 10, database  4-8 ")
    assert len(first.split("  ")[1].split()) == 10
    found = shell.json(*words, "--database", tables())
    assert (found["exact"], found["win_in"], found["value"]) == (True, -10, -WIN)
    assert len(found["pv"]) == 10
    plain = shell.json(*words)
    assert list(plain) == list(found)
    assert (plain["exact"], plain["win_in"]) == (False, None)
    assert shell(*words) == 0
    assert "database" not in shell.out


def test_analyze_shows_every_move(shell: Shell) -> None:
    words = ("analyze", "chess", ROOK, "--depth", "2", "--multipv", "20", "--database")
    assert shell(*words, tables("chess")) == 0
    lines = shell.out.splitlines()[:-1]
    assert len(lines) == 14
    assert lines[0].startswith("+1000, won in 21, database  ")
    assert [line.split("  ")[-2].strip() for line in lines[-2:]] == ["+0, proven, database"] * 2
    found = shell.json(*words, tables("chess"))
    assert [each["value"] for each in found["moves"]] == [WIN] * 12 + [0] * 2


@pytest.mark.parametrize("options", [(), ("--exact",), ("--threads", "2"), ("--eval", "material")])
def test_analyze_outside_the_database(shell: Shell, options: tuple[str, ...]) -> None:
    words = ("analyze", "checkers", FAR, "--depth", "3", *options)
    found, plain = shell.json(*words, "--database", tables()), shell.json(*words)
    assert list(found) == list(plain)
    assert (found["exact"], found["win_in"]) == (False, None)
    assert found["depth"] == plain["depth"] == 3
    if options != ("--threads", "2"):
        assert (found["value"], found["pv"]) == (plain["value"], plain["pv"])


def test_analyze_by_monte_carlo(shell: Shell) -> None:
    words = ("analyze", "checkers", LOST, "--method", "mcts", "--nodes", "50")
    found = shell.json(*words, "--database", tables())
    assert (found["exact"], found["win_in"], found["nodes"]) == (True, -10, 1)


def test_solve_looks_it_up(shell: Shell) -> None:
    words = ("solve", "chess", ROOK, "--database", tables("chess"))
    assert shell(*words) == 0
    *lines, last = shell.out.splitlines()
    assert last.startswith("solved by database, 14 positions")
    assert lines[0].startswith("+1, won in 21, database  ")
    assert len(lines) == 14
    found = shell.json(*words)
    assert (found["value"], found["win_in"], found["exact"]) == (1, 21, True)
    assert len(found["all_best"]) == 12
    s = knowing("chess").parse(ROOK)
    best = {knowing("chess").format_move(s, a) for a in best_known(knowing("chess"), s)}
    assert found["best"] in best


def test_solve_gives_the_same_json(shell: Shell) -> None:
    words = ("solve", "checkers", "B:WK6:BK4")
    found, plain = shell.json(*words, "--database", tables()), shell.json(*words)
    assert list(found) == list(plain)
    for name in ("value", "win_in", "exact", "player", "position"):
        assert found[name] == plain[name]
    words = ("solve", "kalah", SEEDS)
    found, plain = shell.json(*words, "--database", tables("kalah")), shell.json(*words)
    assert list(found) == list(plain)
    assert found["value"] == plain["value"] == 10
    assert set(found["all_best"]) == set(plain["all_best"])


#: More seeds than the database has.
KALAH_OUTSIDE = "1,1,1,0,1,0,23/1,1,1,1,1,3,13 S"


def test_solve_goes_on_outside(shell: Shell) -> None:
    words = ("solve", "kalah", KALAH_OUTSIDE)
    found, plain = shell.json(*words, "--database", tables("kalah")), shell.json(*words)
    assert (found["value"], set(found["all_best"])) == (plain["value"], set(plain["all_best"]))
    assert "database" not in shell.out


# What is refused.


COMMANDS: dict[str, tuple[str, ...]] = {
    "analyze": ("checkers", "--depth", "2"),
    "play": ("checkers",),
    "solve": ("checkers",),
    "match": ("alphabeta(depth=2)", "random", "--game", "checkers", "--games", "2"),
    "tournament": ("alphabeta(depth=2)", "random", "--game", "checkers", "--games", "2"),
    "uci": (),
    "gtp": ("--game", "checkers"),
    "lab": ("--no-browser", "--port", "0"),
}


@pytest.mark.parametrize("what", ["nothing", "a file", "no tables"])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_wrong_folder_is_one_line(
    shell: Shell, tmp_path: Path, command: str, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THREEFOLD_DATA", str(tmp_path / "data"))
    folder = tmp_path / "folder"
    if what == "a file":
        folder.write_text("no table")
    elif what == "no tables":
        folder.mkdir()
    said = shell.refused(command, *COMMANDS[command], "--database", str(folder))
    assert f"'{folder}'" in said
    assert re.search(NO_TABLES, said)


def test_xboard_with_a_wrong_folder_is_one_line() -> None:
    done = processes.run([*processes.THREEFOLD, "xboard", "--database", "/nowhere"])
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "'/nowhere'" in done.stderr
    assert re.search(NO_TABLES, done.stderr)


@pytest.mark.parametrize("command", ["analyze", "solve", "play", "match", "tournament", "uci"])
def test_the_database_of_another_game_is_one_line(shell: Shell, command: str) -> None:
    words = [each.replace("checkers", "chess") for each in COMMANDS[command]]
    said = shell.refused(command, *words, "--database", tables())
    assert "is for checkers, not for chess" in said


def test_a_game_without_databases_is_one_line(shell: Shell) -> None:
    for command in ("analyze", "solve", "play"):
        said = shell.refused(command, "tic-tac-toe", "--database", tables())
        assert re.search(r"has no end-game databases|is for checkers, not for tic-tac-toe", said)
    for words in ((), ("--game", "checkers")):  # whose moves name no points
        assert shell.refused("gtp", *words, "--database", tables())


def test_how_to_make_one_is_said_with_its_option(shell: Shell, tmp_path: Path) -> None:
    said = shell.refused("analyze", "checkers", "--depth", "1", "--database", str(tmp_path))
    assert "threefold database build" in said
    assert shell("database", "build", "--help") == 0
    for option in re.findall(r"--[a-z]+", said):
        assert option in shell.out, "it is not an option of threefold database build"


@pytest.mark.parametrize("command", ["analyze", "solve"])
def test_a_damaged_table_is_one_line(shell: Shell, tmp_path: Path, command: str) -> None:
    folder = damaged(database("checkers"), tmp_path / "damaged", "KvKK", "KKvK")
    said = shell.refused(command, "checkers", LOST, "--database", str(folder))
    assert re.search(r"the end-game table '.*(KvKK|KKvK)\.endgame' cannot be used", said)


# Playing.


def test_play_knows_the_way(shell: Shell) -> None:
    """White wins, as soon as can be, against a king that walks."""
    words = ("play", "checkers", WON, "--side", "black", "--level", "full", "--seed", "1")
    assert shell(*words, "--database", tables(), typing="quit\n") == 0
    knows = knowing("checkers")
    s = knows.parse(WON)
    played = re.search(r"^white: (\S+)$", shell.out, re.MULTILINE)
    assert played
    assert knows.parse_move(s, played[1]) in best_known(knows, s)


@pytest.mark.parametrize(
    "line", ["alphabeta(database={},nodes=1000)", "mcts(database={},simulations=99)"]
)
def test_a_players_line_names_a_database(line: str) -> None:
    plain, knows = game("checkers"), knowing("checkers")
    player = make(parse_line(line.format(tables())), plain, Budget())
    assert player.game.database is not None
    player.get_ready()
    for s in positions(plain, 8, seed=1):
        player.begin(s, 0)
        reply = player.choose(Turn([s], []))
        assert reply.move in best_known(knows, s)
        if len(plain.moves(s)) > 1:
            assert (reply.value, reply.win_in) == (
                known(knows, s).value * WIN,
                known(knows, s).win_in,
            )


def test_a_level_names_a_database() -> None:
    plain = game("checkers")
    player = make(parse_line(f"level(5,database={tables()})"), plain, Budget())
    player.get_ready()
    for s in positions(plain, 8, seed=2):
        player.begin(s, 0)
        assert player.choose(Turn([s], [])).move in best_known(knowing("checkers"), s)


@pytest.mark.parametrize("line", ["random", "textbook(minimax,depth=2)"])
def test_others_have_no_database(line: str) -> None:
    assert with_database(line, tables()) == line
    name = parse_line(line)
    with pytest.raises(ThreefoldError, match="database"):
        make(
            type(name)(name.kind, name.words, {**name.options, "database": tables()}),
            game("checkers"),
            Budget(),
        )


@pytest.mark.parametrize("folder", ["d", "a,b", "a (b)", "a)b", "((a", r"a\b", "a=b", "a, (b)=\\"])
@pytest.mark.parametrize("line", ["alphabeta(depth=2)", "mcts(simulations=9)", "level(5)"])
def test_a_default_is_added_whatever_its_name(line: str, folder: str) -> None:
    assert parse_line(line).kind in LOOKING_UP
    added = parse_line(with_database(line, folder))
    assert added.options == {**parse_line(line).options, "database": folder}
    assert (added.kind, added.words) == (parse_line(line).kind, parse_line(line).words)
    assert with_database(str(added), "other") == str(added), "it has its own"
    assert with_database(line, None) == line


def test_a_match_with_a_database(shell: Shell, tmp_path: Path) -> None:
    """In a folder with a difficult name."""
    folder = tmp_path / "all, of (them"
    shutil.copytree(database("checkers"), folder)
    own = f"mcts(simulations=20,memory=1,database={tables()})"
    (tmp_path / "start.txt").write_text(f"{WON}\n")
    for number, players in enumerate((["alphabeta(nodes=99)", "random"], ["level(5)", own])):
        file = tmp_path / f"{number}.db"
        openings = ("--openings", str(tmp_path / "start.txt"), "--db", str(file))
        words = ("match", *players, "--game", "checkers", "--games", "2", *openings)
        found = shell.json(*words, "--database", str(folder))
        assert found["players"] == players, "as they were named"
        assert (found["games"], found["crashes"]) == (2, 0)
        with Store(file, create=False) as store:
            (match,) = store.matches()
            games = list(store.games(match))
        ours, other = (parse_line(each) for each in match.players)
        assert ours.options["database"] == str(folder)
        assert other.options.get("database") in (None, tables())
        knows = knowing("checkers")
        # In the first game ours has white, and wins within nine plies; in the other it has black.
        sides = {each.task.players: each for each in games}
        with_white = sides[(1, 0)]
        assert (with_white.utility, with_white.start) == (-1, knows.format(knows.parse(WON)))
        assert len(with_white.moves) <= 9


def test_a_tournament_with_a_database(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "t.db"
    (tmp_path / "start.txt").write_text(f"{WON}\n")
    players = ("alphabeta(nodes=99)", "level(2)", "random")
    words = ("tournament", *players, "--game", "checkers", "--games", "2", "--db", str(file))
    openings = ("--openings", str(tmp_path / "start.txt"))
    found = shell.json(*words, *openings, "--database", tables())
    assert {each["player"] for each in found["players"]} == set(players), "as they were named"
    assert found["crashes"] == 0
    with Store(file, create=False) as store:
        (match,) = store.matches()
    assert [parse_line(each).options.get("database") for each in match.players] == [
        tables(),
        tables(),
        None,
    ]


def test_a_player_with_a_database_can_be_the_anchor(shell: Shell, tmp_path: Path) -> None:
    words = ("tournament", "level(1)", "random", "--game", "checkers", "--games", "2")
    (tmp_path / "start.txt").write_text(f"{WON}\n")
    openings = ("--openings", str(tmp_path / "start.txt"), "--db", str(tmp_path / "a.db"))
    found = shell.json(*words, *openings, "--anchor", "level(1)=1500", "--database", tables())
    assert found["players"][0]["rating"] == 1500


def test_a_contest_from_python_checks_the_database_first(tmp_path: Path) -> None:
    file = tmp_path / "games.db"
    players = ["alphabeta(depth=1,database=/nowhere)", "random"]
    with (
        pytest.raises(ThreefoldError, match=NO_TABLES),
        Contest("checkers", players, db=str(file)) as contest,
    ):
        contest.begin(2)
    assert not file.exists()


# Protocols.


@pytest.fixture(scope="module")
def thinker() -> Thinker:
    """One for all: its search is loaded once."""
    one = Thinker(database=tables("chess"))
    assert one.is_ready(600)
    assert not one.failure
    return one


@pytest.fixture
def gui(thinker: Thinker) -> Iterator[Conversation]:
    thinker.use(megabytes=1, threads=1)
    with Conversation(UciServer, thinker) as conversation:
        yield conversation


def mate_said(lines: list[str]) -> int | None:
    found = [re.search(r" score mate (-?\d+) ", line) for line in lines]
    return next((int(each[1]) for each in reversed(found) if each), None)


def test_uci_announces_mates_of_the_database(gui: Conversation) -> None:
    gui.say(f"position fen {ROOK}")
    lines = gui.ask("go depth 3", "bestmove")
    assert mate_said(lines) == 11
    pv = next(line for line in lines if " pv " in line).partition(" pv ")[2].split()
    board = chess.Board(ROOK)
    for move in pv:
        board.push_uci(move)
    assert len(pv) == 21
    assert board.is_checkmate()
    assert lines[-1].split()[1] == pv[0]
    gui.say(f"position fen {ROOK} moves {pv[0]}")
    assert mate_said(gui.ask("go depth 3", "bestmove")) == -10


def test_uci_plays_to_mate(gui: Conversation) -> None:
    board = chess.Board(ROOK)
    while not board.is_game_over(claim_draw=True):
        moves = " ".join(move.uci() for move in board.move_stack)
        gui.say(f"position fen {ROOK} moves {moves}")
        board.push_uci(gui.ask("go nodes 500", "bestmove")[-1].split()[1])
    assert board.is_checkmate()
    assert len(board.move_stack) == 21


def test_uci_takes_and_leaves_a_database(thinker: Thinker) -> None:
    another = Thinker()
    assert another.is_ready(600)
    with Conversation(UciServer, another) as gui:
        lines = gui.ask("uci", "uciok")
        assert "option name DatabasePath type string default <empty>" in lines
        gui.say(f"position fen {ROOK}")
        assert mate_said(gui.ask("go depth 3", "bestmove")) is None
        gui.say(f"setoption name DatabasePath value {tables('chess')}")
        gui.ask("isready", "readyok")
        assert another.is_ready(600)
        assert mate_said(gui.ask("go depth 3", "bestmove")) == 11
        gui.say("setoption name UCI_Chess960 value true", f"position fen {ROOK}")
        assert mate_said(gui.ask("go depth 3", "bestmove")) == 11
        for wrong, why in (("/nowhere", "'/nowhere'"), (tables(), "is for checkers")):
            gui.say(f"setoption name DatabasePath value {wrong}")
            said = gui.hear("info string")[-1]
            assert why in said
            assert mate_said(gui.ask("go depth 3", "bestmove")) == 11, "the last one stays"
        gui.say("setoption name DatabasePath value")
        gui.ask("isready", "readyok")
        assert another.is_ready(600)
        assert mate_said(gui.ask("go depth 3", "bestmove")) is None


def test_xboard_announces_mates_of_the_database(thinker: Thinker) -> None:
    with Conversation(XBoardServer, thinker) as gui:
        gui.say("xboard", "new", "post", "sd 3", "force", f"setboard {ROOK}")
        lines = gui.ask("go", "move")
        depth, score, _, _, *pv = lines[-2].split()
        assert (int(depth), int(score), len(pv)) == (1, MATE + 11, 21)
        assert lines[-1] == f"move {pv[0]}"


def test_a_win_that_may_take_too_long_is_not_shown_as_a_mate(thinker: Thinker) -> None:
    """To XBoard, a score from a hundred thousand on is a mate in so many moves."""
    late = ROOK.replace(" 0 1", " 90 80")
    with Conversation(XBoardServer, thinker) as gui:
        gui.say("xboard", "new", "post", "sd 3", "force", f"setboard {late}")
        scores = [int(line.split()[1]) for line in gui.ask("go", "move")[:-1]]
        assert scores
        assert all(0 < score < MATE for score in scores)
    with Conversation(UciServer, thinker) as gui:
        gui.say(f"position fen {late}")
        lines = gui.ask("go depth 3", "bestmove")
        assert mate_said(lines) is None
        scores = [int(line.split(" cp ")[1].split()[0]) for line in lines if " cp " in line]
        assert all(0 < score < MATE for score in scores)


def test_the_programs_take_the_option() -> None:
    command = [*processes.THREEFOLD, "uci", "--database", tables("chess")]
    engine = chess.engine.SimpleEngine.popen_uci(command, timeout=60, start_new_session=True)
    with engine, processes.guarded(engine.transport.get_pid()):
        assert "DatabasePath" in engine.options
        board = chess.Board(ROOK)
        while True:  # until it is compiled
            found = engine.analyse(board, chess.engine.Limit(depth=3))
            if found["score"].white().mate() == 11:
                break
        assert len(found["pv"]) == 21


# The lab.


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    folders = [tables(), tables("chess"), tables("kalah")]
    with opened(application(databases=folders)) as client, connect(client) as socket:
        yield Page(socket)


def test_the_lab_looks_into_its_databases(page: Page) -> None:
    for method in ("alphabeta", "mcts"):
        found = page.ask("analyse", game="checkers", start=LOST, method=method, time=1)
        assert (found["database"], found["exact"], found["win_in"]) == (True, True, -10)
        assert "lost in 10, database" in found["text"]
    found = page.ask("solve", game="checkers", start=LOST, time=10)
    assert (found["database"], found["method"], found["value"]) == (True, "database", -1)
    assert found["complete"]
    found = page.ask("solve", game="kalah", start=SEEDS, time=10)
    assert (found["database"], found["method"], found["value"]) == (True, "database", 10)
    found = page.ask("analyse", game="chess", start=ROOK, time=1, multipv=3)
    assert (found["database"], found["win_in"]) == (True, 21)
    assert all(line["exact"] for line in found["moves"])


def test_the_lab_replies_and_reviews_by_its_databases(page: Page) -> None:
    reply = page.ask("reply", game="checkers", start=WON, time=0.5)
    knows = knowing("checkers")
    s = knows.parse(WON)
    assert knows.parse_move(s, reply["move"]) in best_known(knows, s)
    found = page.ask("review", game="checkers", start=LOST, moves=["4-8", "28-32"], time=0.1)
    assert [ply["win_in"] for ply in found["plies"]] == [-10, 9, -8]


def test_the_lab_says_where_it_had_no_database(page: Page) -> None:
    for fields in ({"game": "checkers", "start": FAR}, {"game": "tic-tac-toe"}):
        assert page.ask("analyse", **fields, time=0.2)["database"] is False
    assert page.ask("analyse", game="kalah(pits=5)", time=0.2)["database"] is False, "other rules"
    found = page.ask("analyse", game="checkers", start=LOST, moves=["4-8"], time=0.2)
    assert found["win_in"] == 9


def test_a_lab_without_databases_is_as_before() -> None:
    with opened(application()) as client, connect(client) as socket:
        page = Page(socket)
        found = page.ask("analyse", game="checkers", start=LOST, time=0.1)
        assert found["database"] is False
        assert "database" not in found["text"]
        found = page.ask("solve", game="checkers", start="B:WK6:BK4", time=30)
        assert (found["database"], found["method"]) == (False, "graph")


def test_a_damaged_table_is_told_to_the_page(tmp_path: Path) -> None:
    folder = damaged(database("checkers"), tmp_path / "damaged", "KvKK", "KKvK")
    with opened(application(databases=[str(folder)])) as client, connect(client) as socket:
        page = Page(socket)
        for what in ("analyse", "solve", "reply"):
            said = page.refused(what, game="checkers", start=LOST, time=0.5)
            assert re.search(r"(KvKK|KKvK)\.endgame' cannot be used", said), said
        assert page.ask("analyse", game="tic-tac-toe", time=0.1)["exact"], "it goes on"


def test_the_page_shows_the_database() -> None:
    pytest.importorskip("playwright", reason="needs Playwright")
    from lab_browser import CHROMIUM, PATIENCE, Lab, Visitor, chromium
    from playwright.sync_api import expect

    if not CHROMIUM.exists():
        pytest.skip(f"needs Chromium at {CHROMIUM}")
    with Lab("--database", tables()) as lab, chromium() as browser:
        visitor = Visitor(browser, lab)
        page = visitor.open(f"analyse/game=checkers&start={LOST}")
        expect(page.get_by_text(", database")).to_be_visible(timeout=PATIENCE)
        page = visitor.open("analyse/game=tic-tac-toe")
        expect(page.get_by_text(re.compile("^(proven|finished)$"))).to_be_visible(timeout=PATIENCE)
        expect(page.get_by_text("database")).to_have_count(0)
        visitor.leave()
    assert not visitor.wrong


def test_json_has_no_more_than_before(shell: Shell) -> None:
    """Whoever reads it finds the names that were there before there were databases."""
    found = shell.json("analyze", "chess", ROOK, "--depth", "2", "--database", tables("chess"))
    assert list(found) == [
        *("game", "position", "player", "best", "value", "exact", "win_in", "depth", "nodes"),
        *("seconds", "pv", "moves"),
    ]
    assert json.loads(json.dumps(found)) == found


def test_the_database_of_a_player_is_found_from_any_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(database("checkers").parent)
    line: Any = parse_line(f"alphabeta(depth=1,database={database('checkers').name})")
    assert make(line, game("checkers"), Budget()).game.database is not None
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ThreefoldError, match=NO_TABLES):
        make(line, game("checkers"), Budget())
