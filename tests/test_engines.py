"""Driving other people's engines: good ones, bad ones, and those that Debian has."""

import os
import shlex
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import chess
import processes
import pytest

from threefold import ThreefoldError, game
from threefold.arena.crew import Crew
from threefold.arena.match import MatchSettings
from threefold.arena.openings import openings
from threefold.games.go import sgf
from threefold.protocols import process, xboard_engine
from threefold.protocols.gtp_engine import GtpPlayer
from threefold.protocols.outside import OutsidePlayer
from threefold.protocols.player import Budget, PlayerFailed, Turn
from threefold.protocols.process import Program, find_program
from threefold.protocols.uci_engine import UciPlayer
from threefold.protocols.xboard_edit import edit_commands
from threefold.protocols.xboard_engine import XBoardPlayer
from threefold.rules.game import Game

CLASSES: dict[str, type[OutsidePlayer[Any]]] = {
    "uci": UciPlayer,
    "xboard": XBoardPlayer,
    "gtp": GtpPlayer,
}
TIC_TAC_TOE = game("tic-tac-toe")
FAST = Budget(time=1)


def fake(protocol: str, manner: str) -> str:
    script = Path(__file__).parent / "fake_engine.py"
    return shlex.join([sys.executable, "-IS", str(script), protocol, manner])


Start = Callable[..., OutsidePlayer[Any]]


@pytest.fixture
def start() -> Iterator[Start]:
    """Makes players that are ready, and sends them home after the test."""
    made: list[OutsidePlayer[Any]] = []

    def make(
        protocol: str,
        manner: str = "well",
        budget: Budget = FAST,
        game: Game[Any] = TIC_TAC_TOE,
        command: str = "",
        **options: str,
    ) -> OutsidePlayer[Any]:
        player = CLASSES[protocol](game, budget, command or fake(protocol, manner), options)
        made.append(player)
        player.prepare()
        return player

    yield make
    for player in made:
        player.close()


def play(
    players: list[OutsidePlayer[Any]], plies: int = 100, start: str | None = None, **turn: Any
) -> tuple[list[Any], list[str]]:
    """A game between players of the same game: its positions, and its moves as text."""
    rules = players[0].game
    positions, texts = [rules.position(start)], list[str]()
    moves: list[int] = []
    for player in players:
        player.begin(positions[0], 0)
    while not rules.outcome(positions) and len(moves) < plies:
        s = positions[-1]
        a = players[rules.player(s)].choose(Turn(positions, moves, **turn)).move
        assert a in rules.moves(s)
        moves.append(a)
        texts.append(rules.format_move(s, a))
        positions.append(rules.result(s, a))
    return positions, texts


def conversation(player: OutsidePlayer[Any]) -> list[str]:
    """What the engine was told last."""
    assert player._program is not None
    return [line[2:] for line in player._program.output.splitlines() if line[0] == ">"]


# Engines that behave.


@pytest.mark.parametrize("first", CLASSES)
@pytest.mark.parametrize("second", CLASSES)
def test_whole_games(start: Start, first: str, second: str) -> None:
    players = [start(first), start(second)]
    for _ in range(2):
        positions, texts = play(players)
        # Each takes the first free square, so X has the diagonal.
        assert texts == ["a1", "b1", "c1", "a2", "b2", "c2", "a3"]
        assert TIC_TAC_TOE.utility(positions[-1]) == 1


def test_one_engine_plays_both_sides(start: Start) -> None:
    for protocol in CLASSES:
        player = start(protocol)
        assert len(play([player, player])[1]) == 7


def test_a_game_that_went_another_way_is_told_anew(start: Start) -> None:
    """The move that was played need not be the one that the engine wanted."""
    for protocol in CLASSES:
        player, s = start(protocol), TIC_TAC_TOE.initial()
        player.begin(s, 0)
        player.choose(Turn([s], []))
        moves = [TIC_TAC_TOE.parse_move(s, "c3")]
        positions = [s, TIC_TAC_TOE.result(s, moves[0])]
        moves.append(TIC_TAC_TOE.parse_move(positions[1], "a1"))
        positions.append(TIC_TAC_TOE.result(positions[1], moves[1]))
        reply = player.choose(Turn(positions, moves))
        assert TIC_TAC_TOE.format_move(positions[-1], reply.move) == "b1"


@pytest.mark.parametrize("protocol", CLASSES)
@pytest.mark.parametrize("manner", ["garbage", "is slow"])
def test_bad_manners_that_hurt_nobody(start: Start, protocol: str, manner: str) -> None:
    assert len(play([start(protocol, manner), start(protocol)])[1]) == 7


def test_scores(start: Start) -> None:
    s = TIC_TAC_TOE.initial()
    turn = Turn([s], [])
    for protocol, win_in, depth, nodes in (("uci", -4, 4, 99), ("xboard", 3, 3, 77)):
        player = start(protocol)
        player.begin(s, 0)
        reply = player.choose(turn)
        assert (reply.win_in, reply.depth, reply.nodes) == (win_in, depth, nodes)
        assert reply.value is not None
        assert (reply.value > 0) == (win_in > 0)


def test_what_an_engine_says_about_itself(start: Start) -> None:
    about = start("uci", Hash="8").about
    assert (about["name"], about["author"]) == ("Fake 1.0", "A. Nobody")
    assert (about["protocol"], about["options"]) == ("UCI", {"Hash": "8"})
    assert start("xboard").about["name"] == "Fake 1.0"
    assert start("gtp").about["version"] == "1.0"


# Options.


def test_options_reach_the_engine(start: Start) -> None:
    s = TIC_TAC_TOE.initial()
    player = start("uci", **{"square": "c3", "own book": "false"})
    player.begin(s, 0)
    assert TIC_TAC_TOE.format_move(s, player.choose(Turn([s], [])).move) == "c3"
    assert "option Style=wild" in conversation(start("xboard", Style="wild"))
    assert any(said.endswith(" level 3") for said in conversation(start("gtp", level="3")))


@pytest.mark.parametrize(
    ("protocol", "name", "value", "complaint"),
    [
        ("uci", "Hsh", "8", "it has no option 'Hsh'; did you mean Hash?"),
        ("uci", "Hash", "65", "Hash=65 is not a whole number from 1 to 64"),
        ("uci", "Hash", "8.5", "Hash=8.5 is not a whole number from 1 to 64"),
        ("uci", "Own Book", "yes", "Own Book=yes is neither true nor false"),
        ("uci", "Square", "b3", "Square=b3 is not a choice; one of a1, c3"),
        ("xboard", "Hsh", "8", "it has no option 'Hsh'; did you mean Hash?"),
        ("xboard", "Hash", "0", "Hash=0 is not a whole number from 1 to 64"),
        ("xboard", "Style", "tame", "Style=tame is not a choice; one of calm, wild"),
        ("gtp", "lvl", "8", "it has no option 'lvl'; did you mean level?"),
    ],
)
def test_wrong_options(start: Start, protocol: str, name: str, value: str, complaint: str) -> None:
    with pytest.raises(ThreefoldError) as raised:
        start(protocol, **{name: value})
    assert str(raised.value) == f"{fake(protocol, 'well')}: {complaint}"
    assert not isinstance(raised.value, PlayerFailed)


@pytest.mark.parametrize(
    ("protocol", "manner", "complaint"),
    [
        ("uci", "plays chess", "it plays chess, and its UCI_Variant does not offer Othello"),
        ("xboard", "well", "it does not play Othello: its variants are normal, tic-tac-toe"),
        ("gtp", "well", "it plays Tic-Tac-Toe, not Othello"),
    ],
)
def test_engines_for_another_game(start: Start, protocol: str, manner: str, complaint: str) -> None:
    with pytest.raises(ThreefoldError, match=complaint):
        start(protocol, manner, game=game("othello"))


def test_starts_that_a_protocol_cannot_tell(start: Start) -> None:
    later = TIC_TAC_TOE.parse("X../.O./... X")
    with pytest.raises(ThreefoldError, match="begins from the usual start"):
        start("gtp").begin(later, 0)
    with pytest.raises(ThreefoldError, match="it has no setboard"):
        start("xboard").begin(later, 0)
    with pytest.raises(ThreefoldError, match="it cannot be limited by nodes"):
        start("xboard", budget=Budget(nodes=10))


# Engines that fail.


FAILURES = [
    ("crashes", "crash", "ended with exit code 3"),
    ("is killed", "crash", "crashed: Segmentation fault"),
    ("closes its output", "crash", "closed its output"),
    ("hangs", "hang", "does not answer"),
    ("floods", "hang", "does not answer"),
    ("illegal", "illegal move", "which is not legal"),
    ("nonsense", "nonsense", ""),
    ("resigns", "resigned", "resigns"),
]


@pytest.mark.parametrize(
    ("protocol", "manner", "kind", "message"),
    [
        (protocol, *failure)
        for protocol in CLASSES
        for failure in FAILURES
        if (protocol, failure[0]) != ("uci", "resigns")  # UCI has no word for it
    ],
)
def test_failures(
    monkeypatch: pytest.MonkeyPatch,
    start: Start,
    protocol: str,
    manner: str,
    kind: str,
    message: str,
) -> None:
    """The engine's turn ends with a failure of the right kind, and the engine can start again."""
    monkeypatch.setattr(OutsidePlayer, "MARGIN", 0.3)
    budget = Budget(time=30 if kind != "hang" else 1 if protocol == "gtp" else 0.3)
    player = start(protocol, manner, budget)
    with pytest.raises(PlayerFailed) as raised:
        play([player, player])
    assert raised.value.kind == kind
    assert message in str(raised.value)
    if manner == "crashes":
        assert "! Segmentation fault, nearly" in raised.value.output
    assert len(raised.value.output) < 10_000
    player.close()
    player.prepare()
    assert player.about["name"]


@pytest.mark.parametrize("protocol", CLASSES)
def test_a_match_goes_on_with_an_engine_that_crashes(protocol: str) -> None:
    lines = (f"{protocol}({fake(protocol, 'crashes')})", "random")
    match = MatchSettings("tic-tac-toe", lines, Budget(time=30))
    with Crew(match, openings(TIC_TAC_TOE, None, 0)) as crew:
        played = crew.play([match.task(number) for number in range(4)])
    for one in played:
        assert (one.ending, one.points) == ("crash", 0.0 if one.task.players[0] == 0 else 1.0)
        assert "! Segmentation fault, nearly" in one.output


@pytest.mark.parametrize("protocol", CLASSES)
def test_requests_without_a_time_have_a_limit_too(
    monkeypatch: pytest.MonkeyPatch, start: Start, protocol: str
) -> None:
    monkeypatch.setattr(OutsidePlayer, "MARGIN", 0.2)
    monkeypatch.setattr(OutsidePlayer, "LONGEST", 0.2)
    player = start(protocol, "hangs", Budget(depth=3))
    with pytest.raises(PlayerFailed, match="does not answer"):
        play([player, player])


@pytest.mark.parametrize("protocol", CLASSES)
@pytest.mark.parametrize(("manner", "kind"), [("dies at once", "crash"), ("says nothing", "hang")])
def test_engines_that_do_not_even_start(
    monkeypatch: pytest.MonkeyPatch, start: Start, protocol: str, manner: str, kind: str
) -> None:
    monkeypatch.setattr(OutsidePlayer, "FIRST_ANSWER", 0.5)
    monkeypatch.setattr(xboard_engine, "_FIRST_FEATURE", 0.3)
    monkeypatch.setattr(xboard_engine, "_FIRST_MOVE", 0.3)
    with pytest.raises(PlayerFailed, match=f"does .* speak {CLASSES[protocol].PROTOCOL}") as raised:
        start(protocol, manner)
    assert raised.value.kind == kind
    if manner == "dies at once":
        assert "exit code 1: no license; does" in str(raised.value)
        assert "! no license" in raised.value.output


@pytest.mark.parametrize("budget", [FAST, Budget(nodes=500)])
def test_a_program_that_does_not_speak_xboard(
    monkeypatch: pytest.MonkeyPatch, start: Start, budget: Budget
) -> None:
    monkeypatch.setattr(xboard_engine, "_FIRST_FEATURE", 0.3)
    monkeypatch.setattr(xboard_engine, "_FIRST_MOVE", 0.3)
    with pytest.raises(PlayerFailed, match="does cat speak XBoard"):
        start("xboard", command="cat", budget=budget, game=game("chess"))


def test_an_engine_of_xboards_first_version(monkeypatch: pytest.MonkeyPatch, start: Start) -> None:
    monkeypatch.setattr(xboard_engine, "_FIRST_FEATURE", 0.3)
    chess = game("chess")
    player = start("xboard", "speaks version 1", game=chess)
    assert play([player, player], plies=1)[1] == ["e2e4"]
    with pytest.raises(ThreefoldError, match="it cannot be limited by nodes"):
        start("xboard", "speaks version 1", Budget(nodes=500), chess)


@pytest.mark.parametrize("protocol", CLASSES)
def test_what_was_said_is_known_while_it_plays(
    monkeypatch: pytest.MonkeyPatch, start: Start, protocol: str
) -> None:
    """To the last character, also of a line that never ends."""
    monkeypatch.setattr(OutsidePlayer, "MARGIN", 0.1)
    player = start(protocol, "stops in the middle of a line")
    assert player.output.splitlines()[-1].startswith("<")
    with pytest.raises(PlayerFailed) as raised:
        play([player, player])
    assert raised.value.output == player.output
    assert player.output.splitlines()[-1] == "< info string I was about to"
    player.close()
    assert player.output == ""


def test_telling_a_program_that_does_not_listen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_HEARING", 0.2)
    deaf = Program(fake("uci", "says nothing"))
    with pytest.raises(PlayerFailed, match="does not read what it is told") as raised:
        deaf.send("hello " * 1_000_000)
    assert raised.value.kind == "hang"
    deaf.close("quit")
    gone = Program(fake("uci", "dies at once"))
    gone._process.wait()
    with pytest.raises(PlayerFailed, match="ended with exit code 1") as raised:
        gone.send("hello")
    assert raised.value.kind == "crash"
    assert "no license" in raised.value.output
    gone.close()


def is_running(pid: int) -> bool:
    """Whether a process is there, and not only waiting to be counted as gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs Linux and its /proc")
def test_nothing_is_left_running() -> None:
    """Neither a program that ignores signals nor its child."""
    program = Program(fake("uci", "is stubborn"))
    group = program._process.pid
    members = list[int]()
    deadline = time.monotonic() + 60
    while len(members) < 2 and time.monotonic() < deadline:
        stats = (path.read_text() for path in Path("/proc").glob("[0-9]*/stat") if path.exists())
        fields = [(text.split()[0], text.rpartition(")")[2].split()[2]) for text in stats]
        members = [int(pid) for pid, its_group in fields if int(its_group) == group]
    assert len(members) == 2
    program.close("quit")
    while any(map(is_running, members)) and time.monotonic() < deadline:
        pass
    assert not any(map(is_running, members))


def test_a_forgotten_engine_ends_too() -> None:
    program = Program(fake("uci", "well"))
    pid = program._process.pid
    del program
    assert not is_running(pid)


# What they are told.


def test_uci_budgets(start: Start) -> None:
    s = TIC_TAC_TOE.initial()
    for budget, clocks, go in (
        (Budget(time=0.25), None, "go movetime 250"),
        (Budget(nodes=500, depth=7), None, "go nodes 500 depth 7"),
        (
            Budget(base=5, increment=0.1, moves=40),
            (4.5, 3.25),
            "go wtime 4500 btime 3250 winc 100 binc 100 movestogo 7",
        ),
    ):
        player = start("uci", budget=budget)
        player.begin(s, 0)
        player.choose(Turn([s], [], clocks, 7 if clocks else None))
        assert conversation(player)[-2:] == ["position startpos", go]


@pytest.mark.parametrize(
    ("budget", "clocks", "commands"),
    [
        (Budget(time=0.1), None, ["level 0 0:02 0", "time 200", "otim 200"]),
        (Budget(time=2.7), None, ["st 2"]),
        (Budget(base=90.5, increment=0.4), (7.25, 3.0), ["level 0 1:30 0", "time 725", "otim 300"]),
        (Budget(base=60, moves=40), (0.001, 3.0), ["level 40 1:00 0", "time 1", "otim 300"]),
        (Budget(depth=5), None, ["st 600", "sd 5"]),
    ],
)
def test_xboard_budgets_are_whole_numbers(
    start: Start, budget: Budget, clocks: tuple[float, float] | None, commands: list[str]
) -> None:
    player, s = start("xboard", budget=budget), TIC_TAC_TOE.initial()
    player.begin(s, 0)
    player.choose(Turn([s], [], clocks))
    told = conversation(player)
    told = told[told.index("new") :]
    assert [c for c in told if c.split()[0] in ("st", "sd", "level", "time", "otim")] == commands
    assert told[:2] == ["new", "variant tic-tac-toe"]
    assert "go" in told[-2:]  # an engine without any time left is told to hurry


@pytest.mark.parametrize(
    ("budget", "clocks", "commands"),
    [
        (Budget(time=1.9), None, ["time_settings 0 1 1"]),
        # The increment is a period that begins when the main time is over.
        (
            Budget(base=9.5, increment=2.5),
            (8.75, 1.0),
            ["time_settings 7 2 1", "time_left black 6 0"],
        ),
        (
            Budget(base=9.5, increment=2.5),
            (1.75, 1.0),
            ["time_settings 7 2 1", "time_left black 1 1"],
        ),
        (
            Budget(base=3, increment=0.1),
            (2.9, 1.0),
            ["time_settings 3 0 0", "time_left black 2 0"],
        ),
        (Budget(base=60), (3.0, 1.0), ["time_settings 60 0 0", "time_left black 3 0"]),
        (Budget(base=60, moves=5), (3.0, 1.0), ["time_settings 0 60 5", "time_left black 3 0"]),
        (Budget(depth=5), None, []),
    ],
)
def test_gtp_budgets(
    start: Start, budget: Budget, clocks: tuple[float, float] | None, commands: list[str]
) -> None:
    player, s = start("gtp", budget=budget), TIC_TAC_TOE.initial()
    player.begin(s, 0)
    player.choose(Turn([s], [], clocks))
    told = [command.partition(" ")[2] for command in conversation(player)]
    assert [command for command in told if command.startswith("time")] == commands
    assert told[-1] == "genmove black"
    assert "boardsize 3" in told


def test_gtp_knows_no_fractions_of_a_second() -> None:
    with pytest.raises(
        ThreefoldError, match=r"0\.1 s a move: GTP knows whole seconds; give --time"
    ):
        GtpPlayer(TIC_TAC_TOE, Budget(time=0.1), "gnugo")


def test_an_engine_that_plays_one_game_only_is_started_again(start: Start) -> None:
    player = start("xboard", "plays once")
    play([player, player])
    first = player._running._process.pid
    play([player, player])
    assert player._running._process.pid != first


# Setting up a position without `setboard`.


@pytest.mark.parametrize(
    ("fen", "possible"),
    [
        ("8/2k5/8/8/3Q4/8/8/3K4 w - - 0 1", True),
        ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", True),
        ("r3k2r/8/8/8/8/8/8/R3K2R b Kq - 0 1", False),
        ("rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3", False),
    ],
)
def test_edit_places_every_piece(fen: str, possible: bool) -> None:
    commands = edit_commands(game("chess").parse(fen))
    assert (commands is not None) == possible
    if commands is None:
        return
    board = chess.Board(fen)
    assert (commands[0] == "a2a3") == (board.turn == chess.BLACK)
    assert commands[-1] == "."
    placed, color = {}, chess.WHITE
    for command in commands[commands.index("#") + 1 : -1]:
        if command == "c":
            color = chess.BLACK
        else:
            kind = chess.PIECE_SYMBOLS.index(command[0].lower())
            placed[chess.parse_square(command[1:])] = chess.Piece(kind, color)
    assert placed == board.piece_map()


# Debian's engines.

ENGINES = {
    "uci(stockfish)": ("uci", "stockfish", "Stockfish"),
    "uci(glaurung)": ("uci", "glaurung", "Glaurung"),
    "uci(toga2)": ("uci", "toga2", "Toga"),
    "uci(gnuchess --uci)": ("uci", "gnuchess --uci", "GNU Chess"),
    "xboard(phalanx)": ("xboard", "phalanx", "Phalanx"),
    "xboard(sjeng)": ("xboard", "sjeng", "Sjeng"),
    "xboard(hoichess --xboard)": ("xboard", "hoichess --xboard", "HoiChess"),
    "xboard(fairymax)": ("xboard", "fairymax", "Fairy-Max"),
}


def require(command: str) -> None:
    try:
        find_program(command.split()[0])
    except ThreefoldError as missing:
        pytest.skip(f"{missing} (Debian has it)")


@pytest.mark.parametrize("line", ENGINES)
def test_debians_chess_engines(start: Start, tmp_path: Path, line: str) -> None:
    protocol, command, name = ENGINES[line]
    require(command)
    chess = game("chess")
    os.environ["HOME"], home = str(tmp_path), os.environ.get("HOME", "")
    try:
        by_depth = start(protocol, budget=Budget(depth=2), game=chess, command=command)
        by_time = start(protocol, budget=Budget(time=0.05), game=chess, command=command)
        by_clock = start(
            protocol, budget=Budget(base=2, increment=0.1), game=chess, command=command
        )
    finally:
        os.environ["HOME"] = home
    assert name in str(by_depth.about["name"])
    assert len(play([by_depth, by_time], 12)[1]) == 12
    assert len(play([by_time, by_clock], 6, clocks=(2.0, 2.0))[1]) == 6
    # A position instead of the start, black to move, and castling still possible.
    italian = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3"
    assert len(play([by_depth, by_time], 8, italian)[1]) == 8
    positions, _ = play([by_depth, by_time], 4, "7k/8/5KQ1/8/8/8/8/8 w - - 0 1")
    assert len(positions) > 1


def test_gnugo(start: Start) -> None:
    require("gnugo")
    go = game("go(size=5,komi=6.5)")
    player = start("gtp", game=go, command="gnugo --mode gtp", level="1")
    assert player.about["name"] == "GNU Go"
    _, moves = play([player, player], 4)
    assert len(set(moves)) == 4
    assert "komi 6.5" in [told.partition(" ")[2] for told in conversation(player)]
    handicapped = start(
        "gtp", game=game("go(size=9,handicap=2)"), command="gnugo --mode gtp", level="1"
    )
    positions, _ = play([handicapped, handicapped], 4)
    assert list(handicapped.game.contents(positions[-1]).values()).count("black") == 4
    with pytest.raises(ThreefoldError, match="it plays Go, not Othello"):
        start("gtp", game=game("othello"), command="gnugo --mode gtp")


def test_gnugo_captures_what_is_dead_before_it_passes(start: Start, tmp_path: Path) -> None:
    """By our rules all stones that are on the board at the end count as alive."""
    require("gnugo")
    go = game("go(size=5,komi=0)")
    options = "--never-resign --chinese-rules --positional-superko --capture-all-dead"
    player = start("gtp", game=go, command=f"gnugo --mode gtp --level 1 {options}")
    positions, moves = play([player, player], 100)
    assert moves[-2:] == ["pass", "pass"]
    path = tmp_path / "end.sgf"
    path.write_text(sgf.write(sgf.record([], game=go, start=positions[-1])))
    said = processes.run(
        [find_program("gnugo"), "--mode", "gtp", "--chinese-rules"],
        input=f"loadsgf {path}\nfinal_status_list dead\nquit\n",
    )
    assert said.stdout.split("\n\n")[1].strip("= \n") == ""
