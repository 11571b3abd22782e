"""Reports on recorded matches: tables, plots, the page, and what can be wrong with a file."""

import json
import re
import sqlite3
import xml.etree.ElementTree as ET
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from threefold.arena import crosstable, plots, table
from threefold.arena.match import GAUNTLET, MATCH, ROUND_ROBIN, MatchSettings
from threefold.arena.meetings import Meetings
from threefold.arena.ratings import rate
from threefold.arena.record import ABANDONED, CRASH, RULES, TIME, MatchInfo, Played, Task
from threefold.arena.report import report
from threefold.arena.sprt import Sprt
from threefold.arena.statistics import Estimate, Standing, Tally, Winnings
from threefold.arena.store import Store
from threefold.arena.summary import Summary, find
from threefold.cli.main import main
from threefold.errors import ThreefoldError
from threefold.rules.axes import tick_text, ticks

NASTY = '</pre><script>alert("x")</script>\x1b[31m & "quotes"'

#: A game's number, what it was worth to MAX, and how it ended.
Ended = tuple[float, str]


def played(task: Task, utility: float, ending: str = RULES, **more: Any) -> Played:
    moves = ["b2", "a1", "c3", "a3", "a2", "c2"]
    defaults: dict[str, Any] = {
        "values": [None] * 6,
        "seconds": [0.01] * 6,
        "ended": 1.0,
        "duration": 0.5,
    }
    return Played(
        task, ".../.../... X", moves, 0, utility, ending, "three in a row", **(defaults | more)
    )


def fill(
    path: Path,
    results: list[Ended],
    players: tuple[str, ...] = ("random", "alphabeta(depth=2)"),
    kind: str = MATCH,
    settings: dict[str, object] | None = None,
    game: str = "tic-tac-toe",
    **more: Any,
) -> MatchInfo:
    """Record a match with these results, in the order of its games."""
    plan = MatchSettings(game, players, kind=kind)
    about: list[dict[str, object]] = [{"name": name, "version": "1.0"} for name in players]
    with Store(path) as store:
        begun = json.loads(json.dumps(plan.to_json() | (settings or {})))
        info = MatchInfo(0, plan.digest, game, players, about, kind, begun, "9.9", 1e9)
        match = store.begin(info)
        store.add(
            match,
            [
                played(plan.task(number), utility, ending, **more)
                for number, (utility, ending) in enumerate(results)
            ],
        )
    return match


@pytest.fixture
def one_match(tmp_path: Path) -> Path:
    """A won both games, then once and a draw, then lost twice; one game more, and one given up."""
    path = tmp_path / "one.db"
    results = [(1.0, RULES), (-1.0, RULES), (0.0, RULES), (-1.0, RULES)]
    results += [(-1.0, CRASH), (1.0, TIME), (1.0, RULES), (1.0, ABANDONED)]
    fill(path, results, output=NASTY)
    return path


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run `threefold report` here: exit code, output and complaints."""

    def running(*words: object) -> tuple[int, str, str]:
        code = main(["report", *map(str, words)])
        said = capsys.readouterr()
        return code, said.out, said.err

    return running


# The command.


def test_json_of_a_match(one_match: Path, run: Run) -> None:
    code, out, _ = run(one_match, "--json")
    assert code == 0
    answer = json.loads(out)
    assert list(answer) == [
        *("game", "players", "games", "wins", "draws", "losses", "points", "elo", "elo_error"),
        *("nelo", "los", "pentanomial", "crashes", "time_losses", "abandoned", "seconds"),
    ]
    assert answer["players"] == ["random", "alphabeta(depth=2)"]
    assert (answer["games"], answer["wins"], answer["draws"], answer["losses"]) == (7, 4, 1, 2)
    assert answer["points"] == 4.5
    assert answer["pentanomial"] == [1, 0, 0, 1, 1]
    assert (answer["crashes"], answer["time_losses"], answer["seconds"]) == (1, 1, 4.0)


def test_text_of_a_match(one_match: Path, run: Run) -> None:
    code, out, _ = run(one_match)
    assert code == 0
    assert "7: 4 won, 1 drawn (14.3%), 2 lost; 4.5 points (64.3%)" in out
    assert "LL 1  LD 0  WL+DD 0  WD 1  WW 1" in out
    assert "crashes 1, time losses 1" in out
    assert "Given up 1 game: its worker died" in out
    assert "Elo      +102.1 ± –, normalized" in out
    assert "There are too few games to tell who is stronger." in out
    assert "SPRT" not in out


def test_a_test_may_be_asked_for_or_recorded(tmp_path: Path, one_match: Path, run: Run) -> None:
    code, out, _ = run(one_match, "--json", "--sprt", "0,5")
    answer = json.loads(out)
    assert answer["llr"] == pytest.approx(Sprt(0, 5).llr((1, 0, 0, 1, 1)))
    assert (answer["verdict"], code) == (None, 0)
    logistic = json.loads(run(one_match, "--json", "--sprt", "0,5", "--sprt-model", "logistic")[1])
    assert logistic["llr"] == pytest.approx(Sprt(0, 5, model="logistic").llr((1, 0, 0, 1, 1)))
    assert logistic["llr"] != pytest.approx(answer["llr"])
    code, _, complaint = run(one_match, "--sprt", "0,5", "--sprt-model", "elo")
    assert (code, "no SPRT model 'elo'" in complaint) == (2, True)
    path = tmp_path / "tested.db"
    recorded = {"elo0": 0, "elo1": 100, "alpha": 0.05, "beta": 0.05, "model": "normalized"}
    fill(path, [(1, RULES), (-1, RULES), (1, RULES), (0, RULES)] * 20, settings={"sprt": recorded})
    answer = json.loads(run(path, "--json")[1])
    assert answer["verdict"] == "accepted"
    assert answer["llr"] >= answer["bounds"][1]
    # counted up to the game that decided, as in the match itself
    assert answer["games"] < 80
    assert "Accepted: A is stronger than B." in run(path)[1]


def test_several_matches(one_match: Path, run: Run) -> None:
    names = ("random", "level(1)", "level(2)")
    fill(one_match, [(1, RULES), (-1, RULES)] * 3, names, ROUND_ROBIN)
    _, out, _ = run(one_match)
    assert "has 2 matches" in out
    assert "> 2  tic-tac-toe: round robin of 3 players" in out
    assert "  1  tic-tac-toe: random – alphabeta(depth=2)" in out
    assert "4.5 points" in run(one_match, "--match", 1)[1]
    assert run(one_match, "--match", 3) == (
        2,
        "",
        f"threefold: {one_match} has no match 3; there are 1, 2\n",
    )


def test_json_of_a_tournament(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "t.db"
    # pairings in their order: 0-1, 0-2, 1-2; the second player beats everyone
    fill(
        path,
        [(-1, RULES), (1, RULES), (0, RULES), (0, RULES), (1, RULES), (-1, RULES)] * 4,
        ("random", "level(9)", "level(1)"),
        ROUND_ROBIN,
    )
    answer = json.loads(run(path, "--json")[1])
    assert list(answer) == ["game", "players", "games", "crashes", "time_losses", "seconds"]
    assert (answer["game"], answer["games"], answer["seconds"]) == ("tic-tac-toe", 24, 12.0)
    assert [one["player"] for one in answer["players"]] == ["level(9)", "random", "level(1)"]
    assert list(answer["players"][0]) == ["player", "rating", "error", "games", "points"]
    assert (answer["players"][0]["points"], answer["players"][0]["games"]) == (16, 16)
    assert sum(one["rating"] for one in answer["players"]) == pytest.approx(0)
    anchored = json.loads(run(path, "--json", "--anchor", "level( 1 )=800")[1])
    assert anchored["players"][-1]["rating"] == 800
    text = run(path)[1]
    assert re.search(r"1 +level\(9\) +× +8/8 +8/8", text)
    assert re.search(r"2 +random +0/8 +× +4/8", text)
    code, _, complaint = run(path, "--anchor", "me=5")
    assert code == 2
    assert complaint.startswith("threefold: --anchor me=5: no player 'me'; there are random, ")


def test_games_of_chance_are_rated_by_points(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "dice.db"
    times = [0.1, None, 0.1, None, 0.1, None]
    results = [(3.0, RULES), (1.0, RULES), (-1.0, RULES), (-2.0, RULES)]
    fill(path, results, ("random", "level(3)"), seconds=times)
    answer = json.loads(run(path, "--json")[1])
    assert answer["points_per_game"] == pytest.approx((3 - 1 - 1 + 2) / 4)
    assert answer["wins"] == 2
    assert "+0.750" in run(path)[1]
    fill(path, results, ("random", "level(3)"), GAUNTLET, seconds=times)
    answer = json.loads(run(path, "--json")[1])
    assert answer["players"][0]["rating"] == pytest.approx(0.75)
    assert "Points a game" in run(path)[1]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "there is no file"),
        (b"", "is empty"),
        (b"not a database at all, but long enough to be looked at" * 30, "damaged"),
    ],
    ids=["missing", "empty", "no database"],
)
def test_a_bad_file(tmp_path: Path, run: Run, content: bytes | None, said: str) -> None:
    path = tmp_path / "bad.db"
    if content is not None:
        path.write_bytes(content)
    code, out, complaint = run(path)
    assert (code, out) == (2, "")
    assert said in complaint
    assert complaint.count("\n") == 1
    assert (path.read_bytes() if path.exists() else None) == content


def test_a_damaged_file(one_match: Path, run: Run) -> None:
    with sqlite3.connect(one_match) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    content = bytearray(one_match.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    one_match.write_bytes(content)
    code, out, complaint = run(one_match)
    assert (code, out) == (2, "")
    assert "damaged" in complaint


def test_files_without_games(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "none.db"
    Store(path).close()
    assert "has no matches yet" in run(path)[2]
    fill(path, [])
    code, out, _ = run(path, "--html", tmp_path / "none.html", "--svg", tmp_path)
    assert code == 0
    assert "too few games" in out
    answer = json.loads(run(path, "--json")[1])
    assert (answer["games"], answer["elo"], answer["los"]) == (0, None, None)


def test_bad_places_to_write(one_match: Path, tmp_path: Path, run: Run) -> None:
    for words in (("--html", tmp_path / "no" / "x.html"), ("--svg", tmp_path / "no" / "x.svg")):
        code, _, complaint = run(one_match, *words)
        assert (code, "cannot be written" in complaint) == (2, True)
    code, _, complaint = run(one_match, "--svg", one_match)
    assert (code, "--svg" in complaint) == (2, True)


# The page and the plots.


class Page(HTMLParser):
    """Collects what a page consists of."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.links: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag != "meta":
            self.open.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("src", "href")]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_has_everything_and_runs_nothing(
    one_match: Path, tmp_path: Path, run: Run
) -> None:
    out = tmp_path / "report.html"
    assert run(one_match, "--html", out)[0] == 0
    page = Page(out.read_text("utf-8"))
    assert page.open == []
    assert "script" not in page.tags
    assert page.links == []
    assert page.tags.count("svg") == 4
    for text in (NASTY.replace("\x1b", ""), "three in a row", "version: 1.0", "alphabeta(depth=2)"):
        assert text in page.text.replace("\x1b", "")
    assert page.text.count("does not count") == 1


def test_the_page_of_a_tournament(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    names = ("<b>one</b>", 'tw"o', "three & four")
    match = fill(path, [(1, RULES), (0, RULES)] * 9, names, ROUND_ROBIN)
    with Store(path) as store:
        page = Page(report(Summary(store, match)))
    assert page.open == []
    assert "b" not in page.tags
    for name in names:
        assert name in page.text
    assert "12 games" not in page.text
    assert "18 games" in page.text
    assert "Moving first is worth" in page.text
    assert "of their games." in page.text


def test_every_plot_is_a_picture(one_match: Path, tmp_path: Path, run: Run) -> None:
    folder = tmp_path / "plots" / "here"
    assert run(one_match, "--svg", folder, "--sprt", "0,5")[0] == 0
    names = {path.stem for path in folder.iterdir()}
    assert names == {"elo", "llr", "openings", "lengths", "times"}
    for path in folder.iterdir():
        drawing = ET.fromstring(path.read_text("utf-8"))
        assert drawing.findtext("{*}title")
        assert drawing.findtext("{*}desc")
        text = path.read_text("utf-8")
        assert not re.search(r"\b(nan|inf)\b", text)
    assert run(one_match, "--svg", tmp_path / "one.svg")[0] == 0
    assert "<title>Elo over the match</title>" in (tmp_path / "one.svg").read_text("utf-8")


def described(drawing: str) -> str:
    return ET.fromstring(drawing).findtext("{*}desc") or ""


def results(*utilities: float, openings: int = 1000) -> list[tuple[Task, float, str]]:
    return [
        (Task(i, (i % 2, 1 - i % 2), i // 2 % openings), utility, RULES)
        for i, utility in enumerate(utilities)
    ]


def test_what_plots_say() -> None:
    games = results(*[1, -1, 1, 0] * 30)
    tally = Meetings(games).between(0, 1)
    assert described(plots.elo_plot(games)) == f"{tally.elo.value:+.1f} after 120 games"
    assert f"{Sprt(0, 5).llr(tally.pentanomial):+.2f}" in described(
        plots.llr_plot(games, Sprt(0, 5))
    )
    few = plots.openings_plot(results(1, -1, 0, 0, -1, 1, openings=3))
    assert described(few) == "opening 1: 100%, opening 2: 50%, opening 3: 0%"
    assert described(plots.openings_plot(results(*[0] * 200))).startswith("100 openings")
    assert described(plots.lengths_plot([5, 9, 9])) == "3 games, 5 to 9, average 7.67"
    for drawing in (plots.elo_plot([]), plots.times_plot([]), plots.openings_plot([])):
        ET.fromstring(drawing)


@pytest.mark.parametrize(
    ("values", "tallest"),
    [([1, 1, 1], 3), ([1, 100], 1), (list(range(500)), 21), ([0.1, 0.1], 2), ([0.5, 2.25], 1)],
)
def test_every_value_is_in_a_bar(values: list[Any], tallest: int) -> None:
    """The tallest bar has the height of the axes, which says what one value is worth."""
    drawing = plots.lengths_plot(values) if tallest != 2 else plots.times_plot(values)
    heights = [
        float(bar.get("height", "0"))
        for bar in ET.fromstring(drawing).findall("{*}rect")
        if bar.get("class") == "fill-min"
    ]
    assert sum(heights) / max(heights) * tallest == pytest.approx(len(values), rel=0.01)


def test_ticks_are_round_and_few() -> None:
    assert ticks(0, 100, 6) == [0, 20, 40, 60, 80, 100]
    assert ticks(-3.1, 3.1, 8) == [-3, -2, -1, 0, 1, 2, 3]
    assert [tick_text(x) for x in ticks(0.1, 0.35, 6)] == [
        "0.1",
        "0.15",
        "0.2",
        "0.25",
        "0.3",
        "0.35",
    ]
    assert tick_text(12000) == "12,000"


# The tables.


def test_the_live_table() -> None:
    tally = Tally(165, 118, 297, (34, 54, 63, 64, 75))
    shown = table.lines(
        Standing(tally, Sprt(0, 5)), ("a", "b"), games=1000, played=100, seconds=50.0, left=400
    )
    assert [line.split()[0] for line in shown] == [
        "A",
        "B",
        "Games",
        "Pairs",
        "Elo",
        "SPRT",
        "Time",
    ]
    assert "580 of 1,000" in shown[2]
    assert "0:50, 2 games/s, 3:20 left" in shown[-1]
    done = table.lines(Standing(tally), ("a", "b"), games=1000, played=100, seconds=50.0)
    assert done[-1] == "Time     0:50, 2 games/s"
    assert "█" in shown[5]
    assert all(len(line) < 100 for line in shown)
    empty = table.lines(Standing(Tally(), Sprt(0, 5)), ("a", "b"), games=10, played=0, seconds=0.0)
    assert "–" in empty[4]
    saved = table.lines(Standing(tally, winnings=Winnings()), ("a", "b"))
    assert "– a game; the same dice saved – of the variance" in saved[-1]


def test_failures_and_games_given_up() -> None:
    def last(**failures: int) -> list[str]:
        return table.lines(Standing(Tally()), ("a", "b"), failures=failures)[5:]

    assert last(crashes=0, time_losses=0, abandoned=0) == []
    assert last(crashes=2, time_losses=1000) == ["Failures crashes 2, time losses 1,000"]
    assert last(crashes=0, time_losses=0, abandoned=143) == [
        "Given up 143 games: their workers died"
    ]
    assert last(crashes=1, time_losses=0, abandoned=1) == [
        "Failures crashes 1, time losses 0",
        "Given up 1 game: its worker died",
    ]


def test_nothing_is_certain_after_two_pairs() -> None:
    winnings = Winnings()
    for _ in range(2):
        winnings = winnings.plus_game(1).plus_game(-1).plus_pair(1, -1)
    even = Standing(Tally(2, 0, 2, (0, 0, 2, 0, 0)), winnings=winnings)
    shown = table.lines(even, ("a", "b"))
    assert shown[4:] == [
        "Elo      +0.0 ± –, normalized –; A is stronger: –",
        "Points   +0.000 ± – a game; the same dice saved – of the variance",
    ]
    assert even.to_json()["elo_error"] is None
    assert table.signed(Estimate(-0.04, 0.01)) == "+0.0 ± 0.0"


def test_names_cannot_write_to_the_terminal() -> None:
    shown = table.lines(Standing(Tally()), ("\x1b[2J", "b" * 500))
    assert "\x1b" not in "".join(shown)
    assert len(shown[1]) < 100
    met = Meetings(results(1, 0, -1, 1))
    rows = crosstable.lines(("\x1b[2J", "b" * 500), met, rate(met, 2))
    assert "\x1b" not in "".join(rows)


@pytest.mark.parametrize(
    ("tally", "said"),
    [
        (Tally(), "too few games"),
        (Tally(1), "too few games"),
        (Tally(1, 0, 1, (0, 0, 1, 0, 0)), "too few games"),
        (Tally(3, 1, 0, (0, 0, 0, 1, 1)), "too few games"),
        (Tally(18, 0, 0, (0, 0, 0, 0, 9)), "too few games"),
        (Tally(20, 0, 20, (0, 0, 20, 0, 0)), "Every pair of games had the same score"),
        (Tally(19, 1, 0, (0, 0, 0, 1, 9)), "A is stronger than B, by at least 445 Elo (95%"),
        (Tally(0, 1, 19, (9, 1, 0, 0, 0)), "B is stronger than A, by at least 445 Elo (95%"),
        (Tally(40, 0, 0, (0, 0, 0, 0, 20)), "A won every game"),
        (Tally(0, 0, 40, (20, 0, 0, 0, 0)), "B won every game"),
        (Tally(60, 30, 10, (0, 2, 10, 20, 18)), "A is stronger than B, by "),
        (Tally(10, 30, 60, (18, 20, 10, 2, 0)), "B is stronger than A, by "),
        (
            Tally(30, 40, 30, (10, 10, 10, 10, 10)),
            "No clear difference: A is between 69 Elo weaker",
        ),
    ],
)
def test_the_conclusion(tally: Tally, said: str) -> None:
    assert said in table.conclusion(Standing(tally))
    assert "-" not in table.conclusion(Standing(tally))


def test_the_conclusion_of_a_test() -> None:
    tally = Tally(10, 30, 60, (18, 20, 10, 2, 0))
    assert table.conclusion(Standing(tally, Sprt(0, 50))).startswith(
        "Rejected: A is not 50 normalized Elo stronger than B."
    )
    better = Standing(tally.reversed(), Sprt(5, 50, model="logistic"))
    assert table.conclusion(better).startswith(
        "Accepted: A is more than 5 Elo stronger than B. Such a test makes this mistake in at most "
        "about 5% of matches."
    )
    for sprt, claim in (
        (Sprt(0, 50), "Accepted: A is stronger than B."),
        (Sprt(-50, 0), "Accepted: A is not 50 normalized Elo weaker than B."),
    ):
        assert table.conclusion(Standing(tally.reversed(), sprt)).startswith(claim)
    for sprt, claim in (
        (Sprt(-50, 0), "Rejected: A is weaker than B."),
        (Sprt(-50, -5), "Rejected: A is more than 5 normalized Elo weaker than B."),
    ):
        assert table.conclusion(Standing(tally, sprt)).startswith(claim)


def test_a_crosstable_of_many_players() -> None:
    games = [(Task(i, (i % 20, (i + 1) % 20), 0), 1.0, RULES) for i in range(40)]
    met = Meetings(games)
    rows = crosstable.lines([f"player {i}" for i in range(20)], met, rate(met, 20))
    assert rows[-1] == "Columns of the first 12 players of 20."
    assert len(rows) == 22


def test_finding_a_match(one_match: Path) -> None:
    with Store(one_match) as store:
        assert find(store).id == find(store, 1).id == 1
        with pytest.raises(ThreefoldError, match="no match 7"):
            find(store, 7)
