"""Go by GTP: what referees and boards such as Sabaki ask of an engine."""

import io
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import processes
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_gtp import FirstMove, Session

from threefold import ThreefoldError, game
from threefold.engine.limits import Limits
from threefold.games.go import sgf
from threefold.protocols.gtp import GtpServer
from threefold.protocols.gtp_analysis import LEELA_ZERO, described, wish_of
from threefold.protocols.gtp_game import Refused
from threefold.protocols.move_chooser import MoveChooser
from threefold.protocols.output import Output
from threefold.rules.contract import MAX, MIN

#: A game on 2×2 after which superko keeps Black from A1.
CIRCLE = ("A1", "B1", "A2", "B2", "A1", "A2")


def board(session: Session) -> list[str]:
    return session("gogui-rules_board").replace(" ", "").splitlines()


# The game.


def test_commands_of_go_are_known_in_go_alone() -> None:
    go, tic = Session("go(size=5)"), Session("tic-tac-toe")
    for command in ("fixed_handicap", "final_status_list", "loadsgf", "get_komi"):
        assert go(f"known_command {command}") == "true"
        assert tic(f"known_command {command}") == "false"
    assert "lz-analyze" in tic("list_commands").split()


def test_komi_changes_the_score_and_nothing_else() -> None:
    session = Session("go(size=5,komi=0)")
    session("play black c3")
    assert session("final_score") == "B+25"
    session("komi 7.5")
    assert session("get_komi") == "7.5"
    assert session("final_score") == "B+17.5"
    assert session("gogui-rules_side_to_move") == "white"
    session("komi -3")
    assert session("final_score") == "B+28"
    session("komi 25")
    assert session("final_score") == "0"
    session("undo")
    assert session("final_score") == "W+25"
    for sent, komi in (("7.3", "7.5"), ("-6.25", "-6.5"), ("-0", "0"), ("25", "25")):
        session(f"komi {sent}")
        assert session("get_komi") == komi  # decides every game as the one sent
    assert session.ask("komi x") == "? syntax error\n\n"
    session("boardsize 7")
    assert session("get_komi") == "25"
    Session("othello")("komi 7.3")


def test_another_size_is_another_game_without_handicap() -> None:
    session = Session("go(size=9,handicap=3)")
    assert session("get_handicap") == "3"
    session("boardsize 5")
    assert set("".join(board(session))) == {"."}
    assert session("get_handicap") == "0"


def test_sizes() -> None:
    session = Session("go")
    for size in (2, 13, 19):
        session(f"boardsize {size}")
        assert len(board(session)) == size
    for size in (1, 20, 25):
        assert session.ask(f"boardsize {size}") == "? unacceptable size\n\n"


def test_a_color_may_play_twice() -> None:
    session = Session("go(size=5)")
    for point in ("A1", "B2", "C3"):
        session(f"play black {point}")
    session("play white D4")
    session("play white pass")
    assert session("genmove white") == "B1"
    assert board(session) == [".....", "...O.", "..X..", ".X...", "XO..."]
    for _ in range(6):
        session("undo")
    assert session.ask("undo") == "? cannot undo\n\n"
    assert board(session) == ["....."] * 5
    assert session("gogui-rules_side_to_move") == "black"
    assert session("reg_genmove white") == "A1"


def test_leaving_a_player_out_does_not_end_the_game() -> None:
    session = Session("go(size=5)")
    session("play black pass")
    session("play black pass")
    assert session("gogui-rules_legal_moves").endswith("pass")
    session("play white pass")
    assert session("gogui-rules_legal_moves") == ""


def test_play_goes_on_after_two_passes() -> None:
    session = Session("go(size=5,komi=0)")
    for line in ("black C3", "white A1", "black pass", "white pass"):
        session(f"play {line}")
    assert (
        session("gogui-rules_final_result")
        == "a draw: equal scores (area: black 1, white 1; komi 0)"
    )
    assert session("genmove black") == "pass"
    session("play white pass")
    session("play black B1")
    session("play black A2")
    assert board(session)[-2:] == ["X....", ".X..."]
    assert session("final_score") == "B+25"
    session("undo")
    session("undo")
    assert session("genmove black") == "pass"


def test_superko() -> None:
    session = Session("go(size=2)")
    for color, point in zip("bwbwbw", CIRCLE, strict=True):
        session(f"play {color} {point}")
    assert session("gogui-rules_legal_moves") == "pass"
    assert session.ask("play b A1") == (
        "? illegal move: it would bring an earlier position back (superko)\n\n"
    )
    assert session.ask("play b B2") == "? illegal move\n\n"
    assert session("genmove b") == "pass"


def test_the_end() -> None:
    session = Session("go(size=5,komi=0.5)")
    session("play black C3")
    session("play white A1")
    assert session("final_score") == "W+0.5"
    assert session("final_status_list alive").split() == ["C3", "A1"]
    assert session("final_status_list dead") == ""
    assert session("final_status_list seki") == ""
    assert session.ask("final_status_list asleep") == "? syntax error\n\n"


# Handicap.


def test_fixed_handicap() -> None:
    session = Session("go(size=9)")
    assert set(session("fixed_handicap 3").split()) == {"C3", "G7", "C7"}
    assert session("get_handicap") == "3"
    assert session("gogui-rules_side_to_move") == "white"
    assert session.ask("fixed_handicap 2") == "? board not empty\n\n"
    session("undo")
    assert session("get_handicap") == "0"
    assert session("gogui-rules_side_to_move") == "black"
    for stones in ("1", "10", "99"):
        assert session.ask(f"fixed_handicap {stones}") == "? invalid number of stones\n\n"
    assert session.ask("fixed_handicap two") == "? syntax error\n\n"


def test_free_handicap() -> None:
    session = Session("go(size=9)")
    assert len(session("place_free_handicap 4").split()) == 4
    session("clear_board")
    assert len(session("place_free_handicap 20").split()) == 9
    session("clear_board")
    session("set_free_handicap A1 b2 C3")
    assert session("get_handicap") == "3"
    assert session.ask("set_free_handicap D4 E5") == "? board not empty\n\n"
    session("clear_board")
    for wrong in ("A1", "A1 A1", "A1 Z9", "A1 pass", ""):
        assert session.ask(f"set_free_handicap {wrong}") == "? bad vertex list\n\n"
    for wrong in ("1", "81"):
        assert session.ask(f"place_free_handicap {wrong}") == "? invalid number of stones\n\n"
    small = Session("go(size=5)")
    assert small.ask("place_free_handicap 2").startswith("? invalid number of stones")
    assert Session("go(handicap=2)").ask("fixed_handicap 2") == "? board not empty\n\n"


# Records.


def test_records(tmp_path: Path) -> None:
    session = Session("go(size=9)")
    session("komi 5.5")
    session("set_free_handicap C3 G7")
    for line in ("white E5", "white E4", "black D4"):
        session(f"play {line}")
    text = session("printsgf")
    (record,) = sgf.read(text)
    assert (record.tags["Handicap"], record.tags["Komi"]) == ("2", "5.5")
    g, s = sgf.begin(record.tags)
    assert [g.format_move(s, a) for a in record.actions] == ["E5", "pass", "E4", "D4"]
    path = tmp_path / "game.sgf"
    session(f"printsgf {path}")
    shown = session("showboard")
    other = Session("go(size=5)")
    other(f"loadsgf {path}")
    assert other("showboard") == shown
    assert (other("get_komi"), other("get_handicap")) == ("5.5", "2")
    other("undo")
    other("undo")
    other(f"loadsgf {path} 2")
    assert other("final_status_list alive").split() == ["G7", "E5", "C3"]
    assert other.ask(f"loadsgf {path} x") == "? syntax error\n\n"
    assert "cannot load file" in other.ask(f"loadsgf {tmp_path / 'none.sgf'}")
    path.write_text("")
    assert other.ask(f"loadsgf {path}") == "? cannot load file: there is no game in it\n\n"
    path.write_text("(;SZ[5];B[aa];W[aa])")
    assert "move 2" in other.ask(f"loadsgf {path}")
    assert other("get_komi") == "5.5"
    assert "cannot save file" in other.ask(f"printsgf {tmp_path / 'no' / 'game.sgf'}")


def test_a_record_of_a_game_that_went_on_after_passes() -> None:
    session = Session("go(size=5)")
    for line in ("b C3", "w pass", "b pass", "b C4", "b B2", "w B3"):
        session(f"play {line}")
    (record,) = sgf.read(session("printsgf"))
    g = game("go(size=5)")
    assert g.contents(sgf.positions(record)[-1]) == {
        **dict.fromkeys(g.contents(g.initial()), "empty"),
        **dict.fromkeys(("C3", "C4", "B2"), "black"),
        "B3": "white",
    }


# Analysis.


class Heard(io.StringIO):
    """What a server says; it is known when there is a line of analysis."""

    def __init__(self) -> None:
        super().__init__()
        self.analysis = threading.Event()

    def write(self, text: str) -> int:
        if text.startswith("info"):
            self.analysis.set()
        return super().write(text)


class Talk:
    """A conversation with the real engine."""

    def __init__(self, spec: str, limits: Limits, net: str | None = None) -> None:
        self._heard = Heard()
        self._server = GtpServer(
            spec,
            Output(self._heard),
            open_game=lambda name: game(name).using(net),
            chooser=lambda rules: MoveChooser(rules, limits),
        )

    def __call__(self, *lines: str) -> str:
        """All that is said to some lines; `...` waits for a line of analysis."""

        def said() -> Iterator[str]:
            for line in lines:
                if line == "...":
                    assert self._heard.analysis.wait(processes.PATIENCE)
                else:
                    yield f"{line}\n"

        self._heard.seek(0)
        self._heard.truncate()
        self._heard.analysis.clear()
        self._server.serve(said())
        return self._heard.getvalue()


INFO = re.compile(
    r"info move (\S+) visits (\d+) winrate (\S+) prior \S+ lcb \S+ (?:utility \S+ )?order (\d+) "
    r"pv (\S+(?: (?!info\b)\S+)*)"
)


def infos(said: str) -> list[tuple[str, ...]]:
    """What all moves of the last line of analysis are said to be worth."""
    *_, line = ["", *(each for each in said.splitlines() if each.startswith("info"))]
    found = INFO.findall(line)
    assert " ".join(match[0] for match in INFO.finditer(line)) == line
    return found


def test_a_conversation_as_sabaki_has_it() -> None:
    talk = Talk("go(size=5)", Limits(nodes=200))
    said = talk(
        *("1 name", "2 list_commands", "3 boardsize 5", "4 komi 7", "5 clear_board"),
        *("6 play B C3", "7 genmove W", "8 lz-analyze B 10", "...", "9 undo", "10 undo", "11 quit"),
    )
    answers = [part for part in said.split("\n\n") if part]
    assert [re.match(r"=\d+", part)[0] for part in answers] == [f"={n}" for n in range(1, 12)]  # type: ignore[index]
    found = infos(answers[7])
    assert found[0][0] == found[0][4].split()[0]
    assert [int(each[3]) for each in found] == list(range(len(found)))
    assert sum(int(each[1]) for each in found) > 1
    assert all(0 <= int(each[2]) <= 10_000 for each in found)


def test_a_net_says_how_likely_it_thinks_a_move() -> None:
    said = Talk("go(size=9)", Limits(nodes=50), net="net")("lz-analyze 5", "...")
    priors = [int(found) for found in re.findall(r"prior (\d+)", said)]
    assert max(priors) > 1000


def test_other_games_may_lack_the_evaluation() -> None:
    talk = Talk("go(size=9)", Limits(nodes=50), net="net")
    assert talk("set_game foo") == "? unknown game\n\n"
    assert "Othello has no evaluation 'net'" in talk("set_game Othello")


def test_an_analysis_ends_with_the_input() -> None:
    talk = Talk("go(size=5)", Limits(nodes=200))
    said = talk("kata-analyze interval 5 maxmoves 3 ownership true")
    assert said.startswith("=\n")
    assert said.endswith("\n\n")
    found = infos(said)
    assert len(found) <= 3
    assert all(0 <= float(each[2]) <= 1 for each in found)


def test_what_may_be_played_is_what_is_analyzed() -> None:
    talk = Talk("go(size=5)", Limits(nodes=200))
    for words in ("allow w A1,b2 3", "w interval 1 allow w A1,B2 1 avoid b C3 1"):
        asked = words if words.startswith("w ") else f"w 1 {words}"
        said = talk("clear_board", f"lz-analyze {asked}", "...", "showboard")
        assert {each[0] for each in infos(said)} <= {"A1", "B2"}
    avoided = talk("lz-analyze 5 avoid b C3,pass 4", "...")
    assert not {"C3", "pass"} & {each[0] for each in infos(avoided)}
    everything = "avoid b A1,A2,B1,B2,pass"
    talk("boardsize 2")
    assert "? no move is left to analyze" in talk(f"lz-analyze {everything} 1")
    assert "? syntax error" in talk("lz-analyze allow w")
    assert "? syntax error" in talk("lz-analyze interval soon")


def test_a_move_with_its_analysis() -> None:
    talk = Talk("go(size=5)", Limits(nodes=300))
    said = talk("1 lz-genmove_analyze b 100", "2 gogui-rules_side_to_move")
    head, *lines, play, empty, second = said.splitlines()[:-1]
    assert (head, empty, second) == ("=1", "", "=2 white")
    assert lines
    assert play.startswith("play ")
    assert play.split()[1] in {each[0] for each in infos(said)}
    # Where there is nothing to think about, there is nothing to say.
    talk("boardsize 2", *(f"play {c} {p}" for c, p in zip("bwbwbw", CIRCLE, strict=True)))
    assert talk("kata-genmove_analyze b 10") == "=\nplay pass\n\n"


def test_analysis_of_other_games() -> None:
    """By alpha-beta, which visits no moves: the nodes of all of them stand for those of each."""
    said = Talk("tic-tac-toe", Limits(depth=3))("play b b2", "lz-analyze 10 maxmoves 2", "...")
    found = infos(said)
    assert len(found) == 2
    assert all(int(each[1]) > 0 for each in found)
    assert "illegal move" in Talk("tic-tac-toe", Limits(depth=3))("lz-analyze white 10")


def test_an_analysis_after_the_end_of_the_game() -> None:
    talk = Talk("go(size=5)", Limits(nodes=100))
    said = talk("play b pass", "play w pass", "lz-analyze b 10", "...", "gogui-rules_legal_moves")
    assert infos(said)
    assert said.endswith("=\n\n")


def test_win_rates_are_the_movers() -> None:
    g = game("go(size=3,komi=0)")
    chooser = MoveChooser(g, Limits(nodes=100))
    for turn in ("X", "O"):
        s = g.parse(f"XX./.XX/XX. {turn} passes=1")
        running = chooser.analyze([s], g.moves(s), 20, lambda: True)
        assert running is not None
        while running.is_running(0.01) and not running.now().nodes:
            pass
        running.stop()
        said = described(running.result(), LEELA_ZERO)
        by_move = {each[0]: int(each[2]) for each in INFO.findall(said)}
        assert by_move["pass"] == (10_000 if turn == "X" else 0)


def test_an_analysis_that_nobody_waits_for() -> None:
    class Never:
        failure = ""

        def is_over(self, _: float) -> bool:
            return False

    g = game("go(size=3)")
    chooser = MoveChooser(g, Limits(nodes=10))
    chooser._loading = Never()  # type: ignore[assignment]
    assert chooser.analyze([g.initial()], g.moves(g.initial()), 1, lambda: False) is None


def test_wishes() -> None:
    wish = wish_of(["W", "25", "minmoves", "3"], MAX)
    assert (wish.player, wish.every) == (MIN, 0.25)
    assert wish_of([], MIN).player == MIN
    assert wish_of(["0"], MAX).every == 0.01
    with pytest.raises(Refused):
        wish_of(["avoid", "B"], MAX)


def test_tree_search_has_no_depth() -> None:
    with pytest.raises(ThreefoldError, match="Go is played by tree search, which has no depth"):
        MoveChooser(game("go(size=5)"), Limits(depth=3))


def test_failures_in_the_middle_of_an_answer(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was begun is ended, and the conversation goes on."""

    def fail(self: FirstMove, positions: Any, pace: Any, watch: Any, lines: int) -> int:
        del self, positions, pace, lines

        class Search:
            def is_running(self, _: float) -> bool:
                return False

            def result(self) -> Any:
                raise ThreefoldError("no")

        watch(Search())
        raise ThreefoldError("out of luck")

    monkeypatch.setattr(FirstMove, "choose", fail)
    session = Session("go(size=5)")
    assert session.ask("1 lz-genmove_analyze b", "2 name") == "=1\n\n=2 Threefold\n\n"
    assert capsys.readouterr().err == "threefold: out of luck\n"

    def refuse(self: FirstMove, *_: Any) -> None:
        raise ThreefoldError("it does not compile")

    monkeypatch.setattr(FirstMove, "analyze", refuse, raising=False)
    assert session.ask("3 lz-analyze", "4 name") == "=3\n\n=4 Threefold\n\n"
    assert capsys.readouterr().err == "threefold: it does not compile\n"


def test_the_program_itself() -> None:
    """Through pipes: what it is told while it analyzes ends the analysis."""
    command = [*processes.THREEFOLD, "gtp", "--game", "go(size=5)", "--nodes", "100"]
    program = processes.start(command, stdin=processes.PIPE, bufsize=1)
    program.stdin.write("1 lz-analyze b 10\n")
    assert program.stdout.readline() == "=1\n"
    assert program.stdout.readline().startswith("info move ")
    program.stdin.write("2 genmove b\n")
    while (line := program.stdout.readline()) != "\n":
        assert line.startswith("info move ")
    assert re.fullmatch(r"=2 ([A-E][1-5]|pass)\n", program.stdout.readline())
    program.stdin.write("quit\n")
    assert program.stdout.read() == "\n=\n\n"
    assert (program.stderr.read(), program.wait()) == ("", 0)


# Whatever is said to it.

WORDS = st.sampled_from(
    [
        *("play", "genmove", "reg_genmove", "undo", "boardsize", "clear_board", "komi", "get_komi"),
        *("final_score", "final_status_list", "fixed_handicap", "place_free_handicap", "alive"),
        *("set_free_handicap", "get_handicap", "loadsgf", "showboard", "lz-analyze", "2", "3", "7"),
        *("gogui-rules_board", "gogui-rules_legal_moves", "black", "white", "b", "w", "A1", "B1"),
        *("A2", "b2", "C3", "J9", "pass", "-1", "6.5", "1e9", "avoid", "allow", "interval"),
    ]
)


@settings(max_examples=100)
@given(st.lists(st.lists(WORDS, max_size=4).map(" ".join), max_size=30))
def test_whatever_is_said_gets_one_answer_each(lines: list[str]) -> None:
    """And play can always go on."""
    session = Session("go(size=2)")
    for line in lines:
        said = session.ask(line)
        assert said == "" or (said[0] in "=?" and said.count("\n\n") == 1 and said[-2:] == "\n\n")
    color = session("gogui-rules_side_to_move")
    legal = session("gogui-rules_legal_moves").split()
    assert session(f"genmove {color}") in (legal or ["pass"])
    (record,) = sgf.read(session("printsgf"))
    rules, _ = sgf.begin(record.tags)
    rows, *_ = rules.format(sgf.positions(record)[-1]).split()
    assert board(session) == rows.split("/")


def test_a_pass_after_the_end_can_be_undone_alone() -> None:
    session = Session("go(size=3,komi=0)")
    for color in ("black", "white", "black"):
        session(f"play {color} pass")
    session("undo")
    assert "B[]" in session("printsgf")
    assert "W[]" in session("printsgf")
