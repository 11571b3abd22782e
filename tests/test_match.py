"""Matches: what decides a game, how failures count, and going on after the worst."""

import json
import os
import signal
import sqlite3
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from processes import THREEFOLD, path_with, run, start

import threefold
from threefold.arena.contest import Contest
from threefold.arena.crew import Crew
from threefold.arena.lines import parse_line
from threefold.arena.match import GAUNTLET, ROUND_ROBIN, MatchSettings
from threefold.arena.openings import openings
from threefold.arena.players import make
from threefold.arena.record import Played
from threefold.arena.sprt import Sprt
from threefold.arena.store import Store
from threefold.errors import ThreefoldError
from threefold.protocols.player import Budget, Turn

HERE = Path(__file__).parent
KEYS = (
    *("game", "players", "games", "wins", "draws", "losses", "points", "elo", "elo_error"),
    *("nelo", "los", "pentanomial", "crashes", "time_losses", "seconds"),
)


BROKEN_GAME = """
from typing import NamedTuple
from threefold import Game

class State(NamedTuple):
    stones: int
    turn: int

def initial():
    return State(3, 0)

def actions(s, out):
    out[0] = 1
    return min(s.stones, 1)

def result(s, a):
    return State(s.stones - a, 1 - s.turn)

def utility(s):
    return 1 // s.stones

game = Game("Broken", initial=initial, actions=actions, result=result, utility=utility)
"""


def played_here(settings: MatchSettings, games: int) -> list[Played]:
    """Games of a match, played in this process."""
    game = threefold.game(settings.game)
    with Crew(settings, openings(game, settings.openings, settings.seed)) as crew:
        return crew.play([settings.task(number) for number in range(games)])


def recorded(path: Path) -> list[Played]:
    with Store(path, create=False) as store:
        (match,) = store.matches()
        return list(store.games(match))


def wait_for_games(path: Path, games: int) -> int:
    """Wait until another process has recorded some games; how many there are."""
    seen = 0
    while seen < games:
        time.sleep(0.05)
        with suppress(ThreefoldError), Store(path, create=False) as store:
            seen = sum(1 for match in store.matches() for _ in store.results(match))
    return seen


def game_of(played: Played) -> tuple[Any, ...]:
    """A game without its times."""
    return (played.task, played.start, *played.moves, played.utility, played.ending, played.reason)


def match(*words: str, **options: Any) -> Any:
    """A match on the command line."""
    environment = os.environ | {"PYTHONPATH": path_with(HERE)} | options.pop("env", {})
    return run([*THREEFOLD, "match", *words], env=environment, **options)


# What decides a game.


def test_pairs_have_the_same_opening_with_sides_reversed() -> None:
    settings = MatchSettings("tic-tac-toe", ("random", "random"), openings="random:3")
    games = played_here(settings, 20)
    for one, other in zip(games[::2], games[1::2], strict=True):
        assert one.moves[:3] == other.moves[:3]
        assert one.opening_plies == other.opening_plies == 3
        assert one.task.players == (0, 1)
        assert other.task.players == (1, 0)
    assert len({tuple(game.moves[:3]) for game in games}) > 5


def test_both_games_of_a_pair_have_the_same_dice() -> None:
    """Nature's first events agree, as long as both games have them at the same time."""
    settings = MatchSettings("dice-nim", ("python(match_players:first)",) * 2)
    for one, other in zip(*[iter(played_here(settings, 20))] * 2, strict=True):
        assert one.moves == other.moves  # the players make no difference, and the dice none
    rolls = {tuple(game.moves) for game in played_here(settings, 20)}
    assert len(rolls) > 1


def test_a_game_depends_on_nothing_but_its_number() -> None:
    settings = MatchSettings("othello(size=4)", ("alphabeta(nodes=60)", "mcts(simulations=60)"))
    games = played_here(settings, 6)
    game = threefold.game(settings.game)
    with Crew(settings, openings(game, None, 0)) as crew:
        backwards = crew.play([settings.task(number) for number in reversed(range(6))])
    assert list(map(game_of, games)) == list(map(game_of, reversed(backwards)))


def test_a_seed_makes_other_games() -> None:
    one = MatchSettings("tic-tac-toe", ("random", "random"))
    other = MatchSettings("tic-tac-toe", ("random", "random"), seed=1)
    assert list(map(game_of, played_here(one, 5))) != list(map(game_of, played_here(other, 5)))
    assert one.digest != other.digest


def test_a_round_robin_has_every_pairing_twice_a_round() -> None:
    settings = MatchSettings("nim", ("random", "a", "b"), kind=ROUND_ROBIN)
    tasks = [settings.task(number) for number in range(12)]
    assert [task.players for task in tasks[:6]] == [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)]
    assert [task.opening for task in tasks] == [0] * 6 + [1] * 6
    gauntlet = MatchSettings("nim", ("random", "a", "b"), kind=GAUNTLET)
    assert [gauntlet.task(number).players for number in range(4)] == [
        (0, 1),
        (1, 0),
        (0, 2),
        (2, 0),
    ]


def test_games_end_as_their_rules_say() -> None:
    settings = MatchSettings("tic-tac-toe", ("python(match_players:first)",) * 2)
    (game,) = played_here(settings, 1)
    # Each side takes the first free square, in rows: MAX gets a1, c1, b2 and then a diagonal.
    board = threefold.game("tic-tac-toe")
    s = board.initial()
    for text in game.moves:
        s = board.result(s, board.parse_move(s, text))
    assert board.outcome([s]) is not None
    assert game.utility == board.utility(s)
    assert game.ending == "rules"
    assert len(game.seconds) == len(game.values) == len(game.moves)


def test_a_position_that_comes_up_too_often_is_a_draw() -> None:
    settings = MatchSettings("chess", ("python(match_players:first)",) * 2)
    (game,) = played_here(settings, 1)
    chess = threefold.game("chess")
    positions = [chess.initial()]
    for text in game.moves:
        assert chess.outcome(positions) is None
        positions.append(chess.result(positions[-1], chess.parse_move(positions[-1], text)))
    outcome = chess.outcome(positions)
    assert outcome is not None
    assert (outcome.utility, outcome.reason) == (game.utility, game.reason)


# Players that fail.


@pytest.mark.parametrize(
    ("name", "ending"),
    [
        ("crashing", "crash"),
        ("cheating", "illegal move"),
        ("cheating_by_text", "illegal move"),
        ("babbling", "nonsense"),
        ("leaving", "crash"),
    ],
)
def test_a_player_that_fails_loses_and_the_match_goes_on(name: str, ending: str) -> None:
    settings = MatchSettings("tic-tac-toe", (f"python(match_players:{name})", "random"))
    one, other = played_here(settings, 2)
    assert (one.ending, one.utility) == (ending, -1)
    assert (other.ending, other.utility) == (ending, 1)
    assert len(other.moves) == 1  # the opponent had moved
    if name == "crashing":
        assert "ZeroDivisionError" in one.output


def test_a_move_that_superko_forbids_loses() -> None:
    settings = MatchSettings("go(size=2)", ("python(match_players:circling)",) * 2)
    (played,) = played_here(settings, 1)
    assert (played.ending, played.utility, len(played.moves)) == ("illegal move", -1, 6)
    assert played.reason == "black: A1 would bring an earlier position back (superko)"


@pytest.mark.parametrize(
    "line", ["random", "level(1)", "textbook(minimax,depth=1)", "mcts(nodes=50)"]
)
@pytest.mark.parametrize(
    ("spec", "moves"),
    [("go(size=2)", "A1 B1 A2 B2 A1 A2"), ("go(size=3,komi=0)", "B1 A2 C2 B2 A1 C1")],
)
def test_our_players_obey_superko(line: str, spec: str, moves: str) -> None:
    rules = threefold.game(spec)
    positions, actions = [rules.initial()], list[int]()
    for move in moves.split():
        actions.append(rules.parse_move(positions[-1], move))
        positions.append(rules.result(positions[-1], actions[-1]))
    player = make(parse_line(line), rules, Budget())
    player.get_ready()
    player.begin(positions[0], 0)
    legal = rules.moves(positions[-1], positions[:-1])
    for seed in range(8):
        assert player.choose(Turn(positions, actions, seed=seed)).move in legal
    player.close()


@pytest.mark.parametrize("name", ["by_numpy", "with_history", "with_a_default", "last_by_text"])
def test_a_function_may_take_the_moves_and_return_any_kind_of_move(name: str) -> None:
    settings = MatchSettings("tic-tac-toe", (f"python(match_players:{name})", "random"))
    assert [game.ending for game in played_here(settings, 4)] == ["rules"] * 4


def test_a_player_that_hangs_loses_and_the_match_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("threefold.arena.players._GRACE", 0.2)
    settings = MatchSettings("tic-tac-toe", ("python(match_players:hanging)", "random"))
    game = threefold.game("tic-tac-toe")
    with Crew(settings, openings(game, None, 0)) as crew:
        one, other = crew.play([settings.task(0), settings.task(1)])
        assert crew.is_stuck
    assert (one.ending, one.utility) == ("hang", -1)
    assert (other.ending, other.utility) == ("hang", 1)


def test_what_a_player_prints_is_not_in_the_answer() -> None:
    words = ("python(match_players:talking)", "random", "--game", "tic-tac-toe", "--games", "4")
    done = match(*words, "--json", check=True)
    assert json.loads(done.stdout)["games"] == 4
    assert "I like this position" in done.stderr


def test_rules_that_fail_stop_the_match(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(BROKEN_GAME)
    done = match("random", "random", "--game", "own.py", "--games", "3", cwd=tmp_path)
    assert done.returncode == 2
    assert "its rules fail" in done.stderr
    assert "ZeroDivisionError" in done.stderr


def test_time_is_kept() -> None:
    line = "python(match_players:slow)"
    by_move = MatchSettings("tic-tac-toe", (line, "random"), Budget(time=0.1), margin=0.05)
    (game,) = played_here(by_move, 1)
    assert (game.ending, game.utility, game.moves) == ("time", -1, [])
    by_clock = MatchSettings("tic-tac-toe", (line, "random"), Budget(base=0.5), margin=0)
    (game,) = played_here(by_clock, 1)
    assert (game.ending, game.utility, len(game.moves)) == ("time", -1, 2)
    patient = MatchSettings("tic-tac-toe", (line, "random"), Budget(base=0.4, increment=0.3))
    assert played_here(patient, 1)[0].ending == "rules"


def test_time_is_added_after_so_many_moves() -> None:
    line = "python(match_players:slow)"
    enough = MatchSettings("tic-tac-toe", (line, "random"), Budget(base=0.9, moves=2), margin=0)
    assert played_here(enough, 1)[0].ending == "rules"


# The file.


def test_concurrency_changes_nothing(tmp_path: Path) -> None:
    found = []
    for concurrency in (1, 3):
        path = tmp_path / f"{concurrency}.db"
        with Contest("tic-tac-toe", ["random", "textbook(minimax,depth=1)"], db=path) as it:
            it.begin(60)
            it.play(60, concurrency=concurrency)
            found.append(list(map(game_of, recorded(path))))
    assert found[0] == found[1]
    assert len(found[0]) == 60


def test_what_was_begun_is_continued(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    words = ("random", "random", "--game", "tic-tac-toe", "--db", str(path), "--json")
    assert json.loads(match(*words, "--games", "30", check=True).stdout)["games"] == 30
    first = recorded(path)
    again = match(*words, "--games", "50", check=True)
    assert "30 of 50 games were played before" in again.stderr
    assert json.loads(again.stdout)["games"] == 50
    assert recorded(path)[:30] == first
    assert json.loads(match(*words, "--games", "50", check=True).stdout)["games"] == 50


def test_killing_the_process_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    words = ("random", "random", "--game", "tic-tac-toe", "--games", "3000", "--concurrency", "2")
    one = start([*THREEFOLD, "match", *words, "--db", str(path)])
    seen = wait_for_games(path, 100)
    one.kill()
    one.wait()
    before = recorded(path)
    assert seen <= len(before) < 3000
    answer = json.loads(match(*words, "--db", str(path), "--json", check=True).stdout)
    assert answer["games"] == 3000
    after = recorded(path)
    assert [game.task.number for game in after] == list(range(3000))
    assert [game for game in after if game in before] == before
    whole = tmp_path / "whole.db"
    match(*words, "--db", str(whole), check=True)
    assert list(map(game_of, recorded(whole))) == list(map(game_of, after))


def test_a_worker_that_dies_costs_its_games_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DIED_ONCE", str(tmp_path / "died"))
    line = "python(match_players:dying_once)"
    with Contest("tic-tac-toe", [line, "random"], db=tmp_path / "games.db") as it:
        it.begin(10)
        it.play(10, concurrency=2)
        assert it.ledger.standing.tally.games == 10
    assert (tmp_path / "died").exists()
    assert all(game.ending == "rules" for game in recorded(tmp_path / "games.db"))


def test_a_game_that_kills_every_worker_is_given_up(tmp_path: Path) -> None:
    line = "python(match_players:dying)"
    with Contest("tic-tac-toe", [line, "random"], db=tmp_path / "games.db") as it:
        it.begin(3)
        it.play(3, concurrency=2)
        assert it.ledger.standing.tally.games == 0
        assert it.ledger.failures()["abandoned"] == 3
        assert not it.is_unfinished(3)
    assert [game.ending for game in recorded(tmp_path / "games.db")] == ["abandoned"] * 3


def test_a_game_that_kills_its_worker_takes_no_other_with_it(tmp_path: Path) -> None:
    line = "python(match_players:dying_in_the_corner)"
    with Contest("tic-tac-toe", ["random", line], db=tmp_path / "games.db") as it:
        it.begin(40)
        it.play(40)
    games = recorded(tmp_path / "games.db")
    assert [game.task.number for game in games] == list(range(40))
    given_up = [game for game in games if game.ending == "abandoned"]
    assert 0 < len(given_up) < 40
    assert all(game.task.players == (0, 1) for game in given_up)


def test_a_worker_that_is_killed_is_replaced(tmp_path: Path) -> None:
    words = (
        "random",
        "random",
        "--game",
        "othello(size=6)",
        "--games",
        "300",
        "--concurrency",
        "2",
    )
    one = start([*THREEFOLD, "match", *words, "--db", str(tmp_path / "games.db"), "--json"])
    workers: list[int] = []
    while not workers:
        time.sleep(0.1)
        children = Path(f"/proc/{one.pid}/task/{one.pid}/children")
        for child in map(int, children.read_text().split()):
            if "spawn_main" in Path(f"/proc/{child}/cmdline").read_text():
                workers.append(child)
    os.kill(workers[0], signal.SIGKILL)
    out, err = one.communicate(timeout=300)
    assert one.returncode == 0, err
    assert json.loads(out)["games"] == 300
    assert [game.task.number for game in recorded(tmp_path / "games.db")] == list(range(300))


def test_ctrl_c_gives_the_result_so_far(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    words = ("random", "random", "--game", "tic-tac-toe", "--games", "1000000", "--json")
    one = start([*THREEFOLD, "match", *words, "--db", str(path)])
    wait_for_games(path, 10)
    one.send_signal(signal.SIGINT)
    out, err = one.communicate(timeout=60)
    assert one.returncode == 0, err
    assert "interrupted" in err
    assert json.loads(out)["games"] == len(recorded(path))


def test_fewer_games_are_the_first_ones(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    found = []
    for games in (20, 8):
        with Contest("tic-tac-toe", ["random", "random"], db=path) as it:
            it.play(games)
            found.append(it.ledger.standing.tally)
    assert found[1].games == 8
    assert len(recorded(path)) == 20


def test_what_could_change_a_game_makes_it_another_match(tmp_path: Path) -> None:
    """A file of openings, a player's file, an engine's script: each is known by its contents."""
    path, lines = tmp_path / "games.db", tmp_path / "openings.txt"
    player = tmp_path / "mine.py"
    player.write_text("def f(game, s): return game.moves(s)[0]\n")
    for text in ("a1 b2", "c3 a2"):
        lines.write_text(text)
        with Contest(
            "tic-tac-toe", [f"python({player}:f)", "random"], db=path, openings=str(lines)
        ) as it:
            it.play(2)
    player.write_text("def f(game, s): return game.moves(s)[-1]\n")
    with Contest("tic-tac-toe", [f"python({player}:f)", "random"], db=path) as it:
        it.play(2)
        assert len(it.store.matches()) == 3


def test_a_test_that_is_added_later_is_recorded(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    for sprt in (None, Sprt(0, 10), Sprt(0, 20)):
        with Contest("tic-tac-toe", ["random", "random"], db=path, sprt=sprt) as it:
            it.play(4)
    with Store(path) as store:
        (known,) = store.matches()
    assert known.settings["sprt"]["elo1"] == 20  # type: ignore[index]


def test_a_match_without_games_leaves_no_trace(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    with Contest("tic-tac-toe", ["random", "random"], db=path) as it:
        it.begin(10)
        assert list(tmp_path.glob(".games.db.*.lock"))
    with Store(path) as store:
        assert not store.matches()
    assert not list(tmp_path.glob(".games.db.*.lock"))


def test_only_one_process_plays_a_match(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    with Contest("tic-tac-toe", ["random", "random"], db=path) as it:
        it.begin(10)
        with (
            Contest("tic-tac-toe", ["random", "random"], db=path) as other,
            pytest.raises(ThreefoldError, match="another process plays this match"),
        ):
            other.begin(10)


def test_without_a_file_a_finished_match_is_played_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THREEFOLD_DATA", str(tmp_path))

    def counts(games: int) -> list[int]:
        """Play so many games of ten; how many each match in the file has then."""
        with Contest("tic-tac-toe", ["random", "random"]) as it:
            it.begin(10)
            it.play(games)
            return [sum(1 for _ in it.store.results(each)) for each in it.store.matches()]

    assert counts(10) == [10]
    assert counts(4) == [10, 4]
    assert counts(10) == [10, 10]


def test_files_that_cannot_be_used_are_explained(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("this is no database, but a text that is long enough" * 99)
    foreign = sqlite3.connect(tmp_path / "foreign.db")
    foreign.execute("CREATE TABLE birds (name TEXT)")
    foreign.commit()
    foreign.close()
    for name, said in {
        "text.db": "damaged or is no database",
        "foreign.db": "of another program",
        "nowhere/games.db": "cannot be opened",
    }.items():
        tried = match("random", "random", "--game", "nim", "--db", str(tmp_path / name))
        assert tried.returncode == 2
        assert said in tried.stderr
        assert tried.stderr.count("\n") == 1


def test_a_locked_or_damaged_or_full_file_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("threefold.arena.store._PATIENCE", 0.1)
    path = tmp_path / "games.db"
    with Contest("tic-tac-toe", ["random", "random"], db=path) as it:
        it.begin(20)
        it.play(20)
        other = sqlite3.connect(path)
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(ThreefoldError, match="another program is writing"):
            it.play(30)
        other.close()
    with Contest("tic-tac-toe", ["random", "random"], db=path) as it:
        it.begin(10_000)
        pages = it.store._connection.execute("PRAGMA page_count").fetchone()[0]
        it.store._connection.execute(f"PRAGMA max_page_count = {pages + 20}")
        with pytest.raises(ThreefoldError, match="disk is full"):
            it.play(10_000)
    games = recorded(path)
    assert len(games) > 20
    assert [game.task.number for game in games[:20]] == list(range(20))


# Stopping early.


def test_a_test_stops_the_match_at_the_same_game_however_it_is_played(tmp_path: Path) -> None:
    found = []
    for concurrency in (1, 3):
        with Contest(
            "tic-tac-toe",
            ["textbook(minimax,depth=2)", "random"],
            db=tmp_path / f"{concurrency}.db",
            sprt=Sprt(0, 50),
        ) as it:
            it.begin(2000)
            it.play(2000, concurrency=concurrency)
            found.append(it.ledger.standing)
    assert found[0].verdict == "accepted"
    assert found[0].tally == found[1].tally
    assert found[0].tally.games < 200


# The command.


def test_the_answer_has_the_keys_of_the_manual() -> None:
    words = ("random", "random", "--game", "tic-tac-toe", "--games", "10", "--json")
    answer = json.loads(match(*words, check=True).stdout)
    assert tuple(answer) == KEYS
    assert answer["players"] == ["random", "random"]
    assert answer["wins"] + answer["draws"] + answer["losses"] == answer["games"] == 10
    tested = json.loads(match(*words, "--sprt", "0,10", check=True).stdout)
    assert set(tested) == {*KEYS, "llr", "bounds", "verdict"}
    assert tested["verdict"] is None


def test_games_that_repeat_each_other_are_pointed_out() -> None:
    words = ("python(match_players:first)", "python(match_players:last_by_text)")
    said = match(*words, "--game", "tic-tac-toe", "--games", "10", check=True).stderr
    assert "8 of the games repeat another one" in said
    varied = match(*words, "--game", "nim", "--games", "10", "--openings", "all:2", check=True)
    assert "repeat" not in varied.stderr
    dealt = match("random", "random", "--game", "kuhn-poker", "--games", "200", check=True)
    assert "repeat" not in dealt.stderr  # so they do by chance


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("randomm", "random"), "did you mean random"),
        (("random", "alphabeta(depht=3)"), "depht"),
        (("uci(no-such-engine)", "random"), "no-such-engine"),
        (("python(match_players:nobody)", "random"), "has no function nobody"),
        (("random", "random", "--games", "0"), "--games 0"),
        (("random", "random", "--concurrency", "0"), "--concurrency 0"),
        (("random", "random", "--time", "-1"), "--time"),
        (("random", "random", "--tc", "fast"), "the clock 'fast'"),
        (("random", "random", "--time", "1", "--tc", "1+1"), "not both"),
        (("random", "random", "--sprt", "5,0"), "smaller"),
        (("random", "random", "--sprt", "five"), "two numbers"),
        (("random", "random", "--openings", "random:99"), "give fewer"),
        (("random", "random", "--cluster", "slurm"), "slurm"),
        (("random", "random", "--margin", "-5"), "--margin -5"),
        (("random", "random", "--sprt-model", "foo"), "no SPRT model 'foo'"),
        (("mcts", "random", "--depth", "3"), "needs time=SECONDS or simulations=N"),
        (("textbook(minimax)", "random"), "needs depth=N"),
        (("random", "random", "--depth", "0"), "--depth 0 is not a whole number above 0"),
    ],
)
def test_bad_input_is_one_line(words: tuple[str, ...], said: str) -> None:
    tried = match(*words, "--game", "tic-tac-toe")
    assert tried.returncode == 2
    assert said in tried.stderr
    assert tried.stderr.count("\n") == 1
