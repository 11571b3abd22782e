"""Recorded matches in the lab: what the server answers, and what people see."""

import json
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import processes
import pytest
from lab_client import Page, connect, opened
from match_files import PLAYERS, begin, games_of, match_file, random_game, settings_of

from threefold import game
from threefold.arena import record
from threefold.arena.store import Store
from threefold.arena.summary import Summary
from threefold.errors import ThreefoldError
from threefold.lab import matches
from threefold.lab.limits import MAX_ROWS
from threefold.lab.matches import Archive
from threefold.lab.server import application

OWN_GAME = Path(__file__).parents[1] / "examples" / "twenty_one.py"
THREE = ("alphabeta(depth=4)", "mcts(simulations=100)", "random")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four matches: of two, of three, of chance, and one that failed."""
    path = tmp_path_factory.mktemp("matches") / "games.db"
    match_file(path, "tic-tac-toe", 120)[0].close()
    match_file(path, "nim", 30, THREE, kind="round robin")[0].close()
    match_file(path, "dice-nim", 10)[0].close()
    settings = settings_of("connect-four")
    with Store(path) as store:
        match = begin(store, settings)
        one, two, *rest = games_of(settings, 6)
        fallen = replace(
            one, ending=record.CRASH, utility=-1, reason="X: it crashed", output="<b>oh</b> no"
        )
        store.add(match, [fallen, replace(two, ending=record.ABANDONED, utility=0), *rest])
    return path


@pytest.fixture(scope="module")
def page(file: Path) -> Iterator[Page]:
    with opened(application(archive=Archive(file))) as client, connect(client) as socket:
        yield Page(socket)


# What the server answers.


def test_matches_are_listed_the_latest_first(page: Page, file: Path) -> None:
    answer = page.ask("matches")
    assert answer["file"] == "games.db"
    assert [each["match"] for each in answer["matches"]] == [4, 3, 2, 1]
    assert answer["matches"][3]["heading"].startswith("tic-tac-toe: alphabeta(depth=2) – random")
    assert str(file.parent) not in json.dumps(answer)


def test_without_a_file_there_are_none() -> None:
    with opened(application()) as client, connect(client) as socket:
        page = Page(socket)
        assert page.ask("matches") == {"file": None, "matches": []}
        assert "threefold lab FILE" in page.refused("match")
        assert "threefold lab FILE" in page.refused("match-games")
        assert "threefold lab FILE" in page.refused("match-game", number=0)


def test_a_standing_is_the_one_that_the_report_has(page: Page, file: Path) -> None:
    answer = page.ask("match", match=1)
    with Store(file) as store:
        summary = Summary(store, store.matches()[0])
        rows = summary.lines()
    told = [f"{name} {text}".split() for name, text in answer["rows"]]
    assert [row.split() for row in rows if row and row != answer["conclusion"]] == told
    assert answer["conclusion"] == rows[-1]
    assert answer["games"] == 120
    assert answer["board"] == "tic-tac-toe"


def test_a_tournament_has_ratings_and_a_table(page: Page) -> None:
    answer = page.ask("match", match=2)
    assert sum(one["games"] for one in answer["ratings"]) == 2 * 30
    for i, row in enumerate(answer["table"]):
        assert row[i] == "×"
        points = sum(float(cell.split("/")[0]) for j, cell in enumerate(row) if j != i)
        assert points == answer["ratings"][i]["points"]


def test_nothing_is_said_twice(page: Page) -> None:
    version = page.ask("match", match=1)["version"]
    assert page.ask("match", match=1, version=version) == {"match": 1, "version": version}
    assert page.ask("match", match=1, version=version + 1)["games"] == 120


def test_games_come_in_pages(page: Page, file: Path) -> None:
    numbers: list[int] = []
    while len(numbers) < 120:
        answer = page.ask("match-games", match=1, first=len(numbers))
        assert answer["total"] == 120
        assert 0 < len(answer["rows"]) <= MAX_ROWS
        numbers += [row["number"] for row in answer["rows"]]
    assert numbers == list(range(120))
    assert page.ask("match-games", match=1, first=120)["rows"] == []


@pytest.mark.parametrize("player", [-1, 0, 1])
@pytest.mark.parametrize("result", matches.RESULTS)
def test_games_are_chosen_by_player_and_result(
    page: Page, file: Path, player: int, result: str
) -> None:
    with Store(file) as store:
        played = list(store.games(store.matches()[0]))
    expected = []
    for one in played:
        mine = one.points if player != one.task.players[1] else 1 - one.points
        wanted = {"won": [1.0], "drawn": [0.5], "lost": [0.0], "failed": []}
        if player < 0:
            wanted |= {"won": [0.0, 1.0], "lost": [0.0, 1.0]}
        if result == "any" or mine in wanted[result]:
            expected.append(one.task.number)
    answer = page.ask("match-games", match=1, player=player, result=result)
    assert answer["total"] == len(expected)
    assert [row["number"] for row in answer["rows"]] == expected[:MAX_ROWS]


def test_failures_and_games_that_do_not_count(page: Page) -> None:
    answer = page.ask("match-games", match=4, result="failed")
    assert [row["number"] for row in answer["rows"]] == [0, 1]
    assert answer["rows"][0]["ending"] == "crash"
    assert answer["rows"][1]["points"] is None
    assert page.ask("match-game", match=4, number=0)["output"] == "<b>oh</b> no"


def test_a_game_has_what_its_players_thought_as_the_first_sees_it(page: Page, file: Path) -> None:
    with Store(file) as store:
        played = next(store.games(store.matches()[0], 3, 1))
    answer = page.ask("match-game", match=1, number=3)
    assert answer["moves"] == list(played.moves)
    assert answer["start"] == ""
    assert answer["names"] == [PLAYERS[1], PLAYERS[0]]
    assert (answer["previous"], answer["next"]) == (2, 4)
    assert answer["thoughts"][:2] == [None, None]
    for ply, thought in enumerate(answer["thoughts"][2:], 2):
        value, seconds = played.values[ply - 2], played.seconds[ply - 2]
        assert thought["seconds"] == seconds
        if value is None:
            assert thought["value"] is thought["share"] is None
        else:
            assert thought["value"] == (value if ply % 2 == 0 else -value)
            assert (thought["share"] > 0.5) == (thought["value"] > 0) or value == 0
    ends = [page.ask("match-game", match=1, number=n) for n in (0, 119)]
    assert [(end["previous"], end["next"]) for end in ends] == [(None, 1), (118, None)]


def test_nature_thinks_nothing(page: Page) -> None:
    answer = page.ask("match-game", match=3, number=0)
    g = game("dice-nim")
    s = g.initial()
    for ply, text in enumerate(answer["moves"]):
        if ply >= answer["opening"]:
            assert (answer["thoughts"][ply] is None) == (g.player(s) < 0)
        s = g.result(s, g.parse_move(s, text))


@pytest.mark.parametrize(
    ("what", "fields", "message"),
    [
        ("match", {"match": 9}, "games.db has no match 9; there are 1, 2, 3, 4"),
        ("match", {"match": "1"}, "match is not a whole number"),
        ("match-games", {"match": 1, "player": 2}, "player is not a whole number from -1 to 1"),
        ("match-games", {"match": 1, "result": "best"}, "is not one of any, won, drawn"),
        ("match-games", {"match": 1, "first": -1}, "first is not a whole number"),
        ("match-game", {"match": 1, "number": 120}, "match 1 has no game 121"),
        ("match-game", {"match": 1}, "number is not a whole number"),
    ],
)
def test_what_cannot_be_asked(page: Page, what: str, fields: dict[str, Any], message: str) -> None:
    assert message in page.refused(what, **fields)


def test_a_match_that_is_being_played_is_looked_at_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "games.db"
    settings = settings_of("nim")
    store = Store(path)
    match = begin(store, settings)
    store.add(match, games_of(settings, 2))
    archive = Archive(path)
    assert archive.counted(None)[1].answer["games"] == 2
    monkeypatch.setattr(matches, "_SHARE", 1e9)  # count as often as anyone asks
    archive._counted.clear()
    first = archive.counted(None)[1]
    assert archive.counted(None)[1] is first
    store.add(match, [random_game("nim", settings.task(2))])
    assert archive.counted(None)[1].answer["games"] == 3
    monkeypatch.setattr(matches, "_SHARE", 1e-9)  # from now on never again
    store.add(match, [random_game("nim", settings.task(3))])
    slow = archive.counted(None)[1]
    store.add(match, [random_game("nim", settings.task(4))])
    assert archive.counted(None)[1] is slow


def test_the_file_is_only_read(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    _, match = match_file(path, "nim", 2)
    with Store(path, read_only=True) as store:
        assert len(list(store.games(match))) == 2
        with pytest.raises(ThreefoldError, match="cannot be written to"):
            store.add(match, [random_game("nim", settings_of("nim").task(5))])


def test_a_game_that_the_lab_does_not_have_is_never_loaded(tmp_path: Path) -> None:
    trap = tmp_path / "trap.py"
    trap.write_text(f"open({str(tmp_path / 'sprung')!r}, 'w')\n")
    path = tmp_path / "games.db"
    store = Store(path)
    settings = settings_of(str(trap))
    match = begin(store, settings)
    store.add(match, [replace(random_game("nim", settings.task(0)))])
    with opened(application(archive=Archive(path))) as client, connect(client) as socket:
        page = Page(socket)
        assert page.ask("match")["board"] is None
        answer = page.ask("match-game", number=0)
    assert answer["game"] is answer["thoughts"] is None
    assert answer["moves"]
    assert not (tmp_path / "sprung").exists()


def test_the_users_own_game_is_shown_if_they_named_it(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    match_file(path, str(OWN_GAME), 2)[0].close()
    own = game(str(OWN_GAME))
    with (
        opened(application(own, archive=Archive(path))) as client,
        connect(client) as socket,
    ):
        answer = Page(socket).ask("match-game", number=0)
    assert answer["game"] == "twenty_one.py"
    assert answer["thoughts"]


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE game SET moves = 'x'",
        "UPDATE game SET moves = '5'",
        "UPDATE game SET \"values\" = '{}'",
        "UPDATE game SET max = 99",
        "UPDATE game SET start = 'nonsense'",
        "UPDATE match SET players = '[1, 2]'",
        "UPDATE match SET players = 'null'",
        "UPDATE match SET settings = '[]'",
    ],
)
def test_a_damaged_file_is_data_like_any_other(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "games.db"
    match_file(path, "nim", 3)[0].close()
    with sqlite3.connect(path) as connection:
        connection.execute(damage)
    connection.close()
    with opened(application(archive=Archive(path))) as client, connect(client) as socket:
        page = Page(socket)
        for what, fields in [
            ("matches", {}),
            ("match", {}),
            ("match-games", {}),
            ("match-game", {"number": 0}),
        ]:
            answer = page.receive(page.send(what, **fields))
            assert "answer" in answer or "went wrong" not in answer["error"], answer


def test_values_that_are_no_numbers_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    settings = settings_of("nim")
    store = Store(path)
    match = begin(store, settings)
    one = random_game("nim", settings.task(0))
    odd = [float("inf"), float("nan"), 1e308, -1e308][: len(one.values)]
    store.add(match, [replace(one, values=odd + [None] * (len(one.values) - len(odd)))])
    with opened(application(archive=Archive(path))) as client, connect(client) as socket:
        answer = Page(socket).ask("match-game", number=0)
    values = [thought["value"] for thought in answer["thoughts"][2:]]
    assert values[:2] == [None, None]


# The command.


def test_what_the_command_refuses(tmp_path: Path) -> None:
    (tmp_path / "other.db").write_bytes(b"")
    connection = sqlite3.connect(tmp_path / "foreign.db")
    connection.execute("CREATE TABLE t (x)")
    connection.close()
    for arguments, message in [
        (["missing.db"], "there is no file missing.db"),
        (["other.db"], "other.db is empty"),
        (["foreign.db"], "foreign.db is a database of another program"),
        (["other.db", "foreign.db"], "the lab shows one file of matches"),
        ([str(OWN_GAME), "nim"], "the lab shows one game"),
    ]:
        command = [*processes.THREEFOLD, "lab", *arguments, "--no-browser", "--port", "0"]
        refused = processes.run(command, cwd=tmp_path)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert message in refused.stderr
        assert refused.stderr.count("\n") == 1


# What people see.

pytest.importorskip("playwright", reason="needs Playwright")

from lab_browser import CHROMIUM, PHONE, Lab, Visitor, move_list  # noqa: E402
from playwright.sync_api import expect  # noqa: E402

in_a_browser = pytest.mark.skipif(not CHROMIUM.exists(), reason=f"needs Chromium at {CHROMIUM}")


@pytest.fixture(scope="module")
def lab(file: Path) -> Iterator[Lab]:
    with Lab(str(file)) as one:
        yield one


@in_a_browser
def test_the_room_opens_with_the_file(visitor: Visitor) -> None:
    assert visitor.lab.room == "matches/"
    page = visitor.open("matches/")
    expect(page.get_by_label("Match in games.db")).to_have_value("4")
    page.get_by_label("Match in games.db").select_option("2")
    expect(page.get_by_role("heading", name="Everyone against everyone")).to_be_visible()
    expect(page).to_have_url(re.compile("match=2"))
    page.get_by_label("Match in games.db").select_option("1")
    expect(page.get_by_text("1 to 50 of 120")).to_be_visible()
    page.get_by_role("button", name="Later games").click()
    page.get_by_role("button", name="Later games").click()
    expect(page.get_by_text("101 to 120 of 120")).to_be_visible()
    expect(page.get_by_role("button", name="Later games")).to_be_disabled()
    page.get_by_label("Result").select_option("drawn")
    expect(page.get_by_text(re.compile(r"^1 to \d+ of \d+$"))).to_be_visible()
    expect(page.locator(".games-table tbody tr").first).to_contain_text("½–½")


@in_a_browser
def test_a_game_is_replayed(visitor: Visitor, file: Path) -> None:
    with Store(file) as store:
        played = next(store.games(store.matches()[0]))
    page = visitor.open("matches/match=1")
    page.get_by_role("link", name="Replay game 1", exact=True).click()
    expect(move_list(page)).to_have_count(len(played.moves))
    slider = page.get_by_role("slider", name="Values over the game")
    expect(slider).to_have_attribute("aria-valuenow", "2")  # after the opening
    page.get_by_role("button", name="One move forward").click()
    expect(slider).to_have_attribute("aria-valuenow", "3")
    expect(page.get_by_role("img", name=re.compile("^Time in all: X .* s, O .* s"))).to_be_visible()
    page.get_by_role("button", name="Last position").click()
    expect(page.locator(".remark")).to_contain_text(played.reason)
    page.get_by_role("link", name="Next game").click()
    expect(page.get_by_text("Game 2:")).to_be_visible()
    page.get_by_role("link", name="Analyze", exact=True).last.click()
    expect(page).to_have_url(re.compile("#analyse/.*moves="))
    page.go_back()
    page.get_by_role("link", name="All games").click()
    expect(page.get_by_text("1 to 50 of 120")).to_be_visible()


@in_a_browser
def test_what_a_player_said_is_a_text(visitor: Visitor) -> None:
    page = visitor.open("matches/match=4&number=0", viewport=PHONE)
    page.get_by_text("The last that the player said").click()
    expect(page.get_by_text("<b>oh</b> no")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@in_a_browser
@pytest.mark.parametrize("shown", ["match=1", "match=2", "match=1&number=5"])
def test_it_fits_a_telephone_and_everyone_can_use_it(visitor: Visitor, shown: str) -> None:
    axe = pytest.importorskip("axe_core_python.sync_playwright", reason="needs axe").Axe()
    page = visitor.open(f"matches/{shown}", viewport=PHONE, reduced_motion="reduce")
    ready = ".times" if "number" in shown else ".games-table"
    expect(page.locator(ready)).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        serious = [
            (each["id"], node["target"], node["failureSummary"])
            for each in axe.run(page)["violations"]
            if each["impact"] in ("serious", "critical")
            for node in each["nodes"]
        ]
        assert not serious, scheme


@in_a_browser
def test_without_a_file_the_room_says_how_to_get_one(browser: Any) -> None:
    with Lab() as lab:
        visitor = Visitor(browser, lab)
        page = visitor.open("matches/")
        expect(page.get_by_text("threefold lab games.db")).to_be_visible()
        visitor.leave()
        assert not visitor.wrong


@in_a_browser
def test_a_running_match_is_watched(tmp_path: Path, browser: Any) -> None:
    path = tmp_path / "games.db"
    settings = settings_of("nim")
    store = Store(path)
    match = begin(store, settings)
    store.add(match, games_of(settings, 3))
    with Lab(str(path)) as lab:
        visitor = Visitor(browser, lab)
        page = visitor.open("matches/")
        expect(page.get_by_text("1 to 3 of 3")).to_be_visible()
        store.add(match, [random_game("nim", settings.task(n)) for n in range(3, 7)])
        expect(page.get_by_text("1 to 7 of 7")).to_be_visible()
        visitor.leave()
        assert not visitor.wrong
