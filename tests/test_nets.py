"""Nets: the same value in every way, wherever an evaluation is asked for, and bad files told."""

import json
import random
from fractions import Fraction
from math import exp
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nim import nim
from random_nets import nets, random_net

from threefold import Game, ThreefoldError, game
from threefold.arena.lines import parse_line
from threefold.arena.players import make
from threefold.cli.main import main
from threefold.cluster.own_files import own_files
from threefold.engine.alphabeta import choose
from threefold.engine.limits import Limits
from threefold.engine.net_value import NetArrays, judge, judging
from threefold.engine.nets import ONE, BadNet, Net, feature_words, viewer
from threefold.engine.records import boxed
from threefold.engine.uncompiled import start_uncompiled
from threefold.games.sliding_puzzle import sliding_puzzle
from threefold.lab.boards import evaluate as lab_evaluate
from threefold.lab.boards import view
from threefold.lab.gallery import Gallery
from threefold.lab.requests import BadRequest, Request
from threefold.protocols.player import Budget
from threefold.protocols.scores import centipawns
from threefold.protocols.thinking import Thinker
from threefold.rules import user_files
from threefold.rules.contract import FINISHED, MAX, MAX_VALUE, MIN
from threefold.solve.ida_star import shortest_solution

TWENTY_ONE = str(Path(__file__).parents[1] / "examples" / "twenty_one.py")
#: With features of their own, without, with chance, and with words whose sign bit is set.
SPECS = ("connect-four", TWENTY_ONE, "dice-nim", "othello")


@pytest.fixture(scope="module")
def games() -> dict[str, Game[Any]]:
    return {spec: game(spec) for spec in (*SPECS, "tic-tac-toe")}


def walk(g: Game[Any], seed: int, plies: int = 60) -> list[Any]:
    """The positions of random games, one after another."""
    rng = random.Random(seed)
    found = []
    s = g.initial()
    for _ in range(plies):
        found.append(s)
        moves = g.moves(s)
        s = g.result(s, rng.choice(moves)) if moves else g.initial()
    return found


# The arithmetic.


def outputs_by_hand(net: Net[Any], s: Any) -> list[int]:
    """The outputs, added up one by one."""
    units = [int(bias) for bias in net.biases]
    for number, word in enumerate(feature_words(net.game, s, viewer(net.game, s))):
        for bit in range(64):
            if word >> bit & 1:
                row = net.first[64 * number + bit]
                units = [unit + int(weight) for unit, weight in zip(units, row, strict=True)]
    for layer in net.layers:
        clipped = [min(max(unit, 0), ONE - 1) for unit in units]
        units = [
            int(bias) + sum(int(w) * unit for w, unit in zip(row, clipped, strict=True))
            >> layer.shift
            for row, bias in zip(layer.weights, layer.biases, strict=True)
        ]
    return units


@settings(max_examples=30, deadline=None)
@given(st.data())
@pytest.mark.parametrize("spec", SPECS)
def test_outputs_are_those_added_up_by_hand(
    spec: str, games: dict[str, Game[Any]], data: st.DataObject
) -> None:
    g = games[spec]
    net = data.draw(nets(g))
    s = walk(g, data.draw(st.integers(0, 1000)), 12)[-1]
    assert net.outputs(s) == outputs_by_hand(net, s)


@settings(max_examples=30, deadline=None)
@given(st.data())
@pytest.mark.parametrize("spec", SPECS)
def test_the_compiled_value_is_the_plain_one_whatever_came_before(
    spec: str, games: dict[str, Game[Any]], data: st.DataObject
) -> None:
    g = games[spec]
    net = data.draw(nets(g))
    judged = g.judged_by(net)
    entry, words = judged.compiled().entry(judge), judged.compiled().words
    arrays = NetArrays(net)
    memory = judging(arrays)
    for s in walk(g, data.draw(st.integers(0, 1000))):
        value = int(entry(words(s), boxed(memory)))
        assert value == net.evaluate(s)
        assert abs(value) <= MAX_VALUE


def test_chances_are_those_of_the_exponentials(games: dict[str, Game[Any]]) -> None:
    g = games["connect-four"]
    for seed in range(20):
        net = random_net(g, seed, results=(-2, -1, 1, 2))
        s = walk(g, seed, 9)[-1]
        outputs = [output / ONE for output in net.outputs(s)]
        weights = [exp(output - max(outputs)) for output in outputs]
        sign = -1 if viewer(g, s) == MIN else 1
        by_hand = {sign * r: w / sum(weights) for r, w in zip(net.results, weights, strict=True)}
        assert net.outlook(s) == pytest.approx(by_hand, abs=1e-4)
        assert list(net.outlook(s)) == sorted(by_hand, reverse=True)
        expected = sum(r * p for r, p in net.outlook(s).items())
        assert net.evaluate(s) == pytest.approx(1000 * expected, abs=0.51)
        assert net.win(s) == pytest.approx(sum(p for r, p in net.outlook(s).items() if r > 0))


def test_a_drawn_game_is_half_a_win(games: dict[str, Game[Any]]) -> None:
    g = games["tic-tac-toe"]
    net = random_net(g, 3)
    s = g.initial()
    chances = net.outlook(s)
    assert net.win(s) == pytest.approx(chances[1] + chances[0] / 2)
    assert sum(chances.values()) == pytest.approx(1)


@pytest.mark.parametrize(
    "spoil",
    [
        {"results": (1000, 1000, 1000)},
        {"results": (1, 0, 1)},
        {"biases": np.full(8, (1 << 31) - 1, np.int32)},
        {"first": np.zeros((64 * 2, 8), np.int32)},
        {"first": np.zeros((65, 8), np.int16)},
        {"layers": ()},
    ],
)
def test_arrays_that_could_overflow_or_do_not_fit_are_refused(
    spoil: dict[str, Any], games: dict[str, Game[Any]]
) -> None:
    net = random_net(games["tic-tac-toe"])
    parts = {name: getattr(net, name) for name in ("game", "first", "biases", "layers", "results")}
    with pytest.raises(BadNet, match="do not fit together"):
        Net(**(parts | spoil)).check()


# In searches.


@pytest.fixture(scope="module")
def judged(games: dict[str, Game[Any]]) -> Game[Any]:
    return games["connect-four"].judged_by(random_net(games["connect-four"], 5))


@pytest.mark.parametrize("position", ["44", "4453"])
def test_every_search_uses_the_net(judged: Game[Any], position: str) -> None:
    book = judged.explain("minimax", position, depth=3)
    assert isinstance(book.value, int | Fraction)
    assert judged.player(judged.parse(position)) == MAX
    assert judged.analyze(position, depth=3, exact=True).value == book.value
    s = judged.parse(position)
    assert choose(judged, s, 3).value == book.value
    assert start_uncompiled(judged, s, Limits(depth=3)).result().value == book.value


def test_one_ply_of_a_game_of_chance_is_the_mean_by_the_net(games: dict[str, Game[Any]]) -> None:
    g = games["dice-nim"].judged_by(random_net(games["dice-nim"], 5))
    s = g.parse("9 1")
    values = [g.evaluate(g.result(s, face)) for face, _ in g.chances(s)]
    found = g.analyze(s, depth=1, exact=True).value
    assert found == pytest.approx(sum(values) / len(values), abs=1)


def test_what_does_not_evaluate_works_as_without_a_net(judged: Game[Any]) -> None:
    plain = game("connect-four")
    assert judged.perft(depth=4) == plain.perft(depth=4)
    position = "444444555555222222666666"
    assert judged.solve(position).value == plain.solve(position).value
    by_chance = judged.analyze(position, nodes=200, seed=1, method="mcts")
    assert by_chance.value == plain.analyze(position, nodes=200, seed=1, method="mcts").value


def test_shortest_paths_take_no_net() -> None:
    puzzle = sliding_puzzle(3)
    with pytest.raises(ThreefoldError, match="which no net promises"):
        shortest_solution(puzzle.judged_by(random_net(puzzle)))


def test_values_are_in_the_units_of_utilities() -> None:
    g = game(TWENTY_ONE)
    assert not g.evaluations
    judged = g.judged_by(random_net(g, 1))
    won = start_uncompiled(judged, judged.parse("stones=3,turn=0"), Limits(depth=2)).result()
    assert (won.value, won.win_in) == (1000, 1)
    found = start_uncompiled(judged, judged.initial(), Limits(depth=2)).result()
    assert abs(found.value) < 1000
    assert found.share(found) == pytest.approx(0.5 + found.value / 2000)


# As a file.


def saved(g: Game[Any], folder: Path, name: str = "net.npz", **options: Any) -> str:
    random_net(g, 1, **options).save(folder / name)
    return str(folder / name)


def test_a_file_holds_the_net(games: dict[str, Game[Any]], tmp_path: Path) -> None:
    g = games["connect-four"]
    for results in ((-1, 0, 1), ()):
        for hidden in ((4,), (4, 3)):
            net = random_net(g, 7, hidden, results)
            net.save(tmp_path / "a.npz")
            again = Net.load(tmp_path / "a.npz", g)
            assert again.results == results
            assert again.hidden == hidden
            assert again.made == {"command": "by hand", "seed": 7}
            assert again.name == "a.npz"
            for s in walk(g, 1, 12):
                assert again.evaluate(s) == net.evaluate(s)


def test_an_evaluation_is_a_name_or_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    g = game("connect-four")
    file = saved(g, tmp_path)
    assert g.using(file).net is not None
    assert g.using("lines").net is None
    assert g.using(file).using("lines").evaluate(g.initial()) == 0
    monkeypatch.chdir(tmp_path)
    Path(file).rename(tmp_path / "lines")  # a name comes before a file
    assert g.using("lines").net is None
    Path(tmp_path / "lines").rename(tmp_path / "mine")
    assert g.using("mine").evaluation == "mine"


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_damaged_file_is_told(tmp_path_factory: Any, data: st.DataObject) -> None:
    folder = tmp_path_factory.getbasetemp()
    g = game("tic-tac-toe")
    path = folder / "sound.npz"
    if not path.exists():
        random_net(g, 1).save(path)
    content = bytearray(path.read_bytes())
    if data.draw(st.booleans()):
        del content[data.draw(st.integers(0, len(content) - 1)) :]
    for place in data.draw(st.lists(st.integers(0, max(len(content) - 1, 0)), max_size=3)):
        if content:
            content[place] ^= data.draw(st.integers(1, 255))
    damaged = folder / "damaged.npz"
    damaged.write_bytes(content)
    try:
        loaded = Net.load(damaged, g)
    except BadNet as error:
        assert len(str(error).splitlines()) == 1
    else:  # what was changed means nothing, such as a date
        assert loaded.evaluate(g.initial()) == Net.load(path, g).evaluate(g.initial())


@pytest.mark.parametrize(
    ("evaluation", "message"),
    [
        ("liness", "no evaluation 'liness'; did you mean lines"),
        ("none.npz", "none.npz cannot be read: No such file"),
        ("no/such", "no/such cannot be read: No such file"),
        ("text.npz", "not a net, which is a .npz file that threefold train writes"),
        ("weights.txt", "neither a net nor weights for Connect Four"),
        ("other.npz", "was made for othello, whose features are not those of connect-four"),
        ("arrays.npz", "not a net, or a damaged one"),
        ("pickled.npz", "not a net, or a damaged one"),
        ("new.npz", "has format 99; this version reads"),
        (".", "no evaluation '.'"),
        ("./", "cannot be read: Is a directory"),
        ("a\0.npz", "no file has such a name"),
    ],
)
def test_a_bad_file_is_told_in_a_line(
    evaluation: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    saved(game("othello"), tmp_path, "other.npz")
    Path("text.npz").write_text("lines=1\n")
    Path("weights.txt").write_text('{"pawns": 1}\n')
    np.savez("arrays.npz", a=np.zeros(3))
    np.savez("pickled.npz", game=np.array([{}], object))
    np.savez("new.npz", format=np.int64(99))
    with pytest.raises(ThreefoldError) as told:
        game("connect-four").using(evaluation)
    assert message in str(told.value)
    assert len(str(told.value).splitlines()) == 1


def test_a_net_that_comes_with_a_game_is_its_evaluation(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = tmp_path / "own.py"
    own.write_text(
        "from pathlib import Path\n"
        "from nim import nim\n"
        "GAME = nim(nets={'learned': Path(__file__).with_name('own.npz')},\n"
        "           evaluations={'written': lambda s: 7 * s.stones})\n"
    )
    plain = game(str(own), own_net=False)
    assert plain.evaluation == "written"
    with pytest.raises(BadNet, match=r"own\.npz"):
        game(str(own))
    # A net that is missing, or does not fit any more, is in nobody's way who does not use it.
    assert main(["conformance", str(own), "--games", "3"]) == 0
    assert main(["perft", str(own), "--depth", "2"]) == 0
    assert main(["evaluate", str(own), "--eval", "written"]) == 0
    capsys.readouterr()
    random_net(plain, seed=4, results=(-1, 1)).save(tmp_path / "own.npz")
    judged = game(str(own))
    assert judged.evaluation == "learned"
    assert judged.evaluation_names == ["learned", "written"]
    net = Net.load(tmp_path / "own.npz", plain)
    s = judged.initial()
    assert judged.evaluate(s) == net.evaluate(s) != plain.evaluate(s)
    assert judged.using("written").evaluate(s) == plain.evaluate(s) == 140
    assert judged.using("written").using("learned").net is not None
    assert main(["evaluate", str(own), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["evaluation"] == "learned"
    assert main(["evaluate", str(own), "--eval", "lerned"]) == 2
    assert "learned" in capsys.readouterr().err
    assert main(["evaluate", str(own), "--eval", "learned", "--weights", "a=1"]) == 2
    assert "no terms" in capsys.readouterr().err


def test_a_win_counts_as_much_beside_a_net_as_beside_any_evaluation() -> None:
    only = nim()
    judged = only.judged_by(random_net(only, seed=2, results=(-1, 1)))
    one_move = judged.parse("stones=3,turn=0")
    search = judged.analyze(one_move, nodes=200, method="mcts")
    assert (search.value, search.best) == (FINISHED, 3)
    shown = judged.explain("minimax", one_move, depth=1)
    assert (shown.value, list(shown.path)) == (FINISHED, ["3"])


def test_nets_that_come_with_a_game_have_names_and_paths_of_their_own(tmp_path: Path) -> None:
    assert nim(nets={"net": "net.npz"}).nets == {"net": Path("net.npz")}
    with pytest.raises(ThreefoldError, match="both a net and another evaluation"):
        nim(nets={"net": "net.npz"}, evaluations={"net": lambda s: s.stones})


def test_a_net_has_no_weights(tmp_path: Path) -> None:
    g = game("connect-four")
    with pytest.raises(ThreefoldError, match="a net has no terms to weigh"):
        g.using(saved(g, tmp_path), weights={"lines": 2})


# Where it is used.


def test_evaluate_shows_the_chances_and_how_the_net_was_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    g = game("connect-four")
    file = saved(g, tmp_path)
    net = Net.load(Path(file), g)
    assert main(["evaluate", "connect-four", "445", "--eval", file, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    s = g.parse("445")
    assert told["value"] == net.evaluate(s)
    assert told["terms"] == []
    assert told["evaluation"] == "net.npz"
    assert told["win"] == net.win(s)
    assert list(told["results"]) == ["1", "0", "-1"]
    assert sum(told["results"].values()) == pytest.approx(1)
    assert told["net"]["hidden"] == [8]
    assert told["net"]["made"]["command"] == "by hand"
    assert main(["evaluate", "connect-four", "445", "--eval", file]) == 0
    shown = capsys.readouterr().out
    assert f"wins with probability {net.win(s):.3f}, a draw counted as half" in shown
    assert "command: by hand" in shown


def test_without_draws_none_is_mentioned(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    g = game("backgammon")
    file = saved(g, tmp_path, results=(-1, 1))
    assert main(["evaluate", "backgammon", "--eval", file]) == 0
    shown = capsys.readouterr().out
    assert "wins with probability" in shown
    assert "draw" not in shown
    value = g.using(file).evaluate(g.initial()) / 1000
    assert shown.startswith(f"Backgammon, net.npz: {value:+.3f} points for X\n")


def test_a_margin_has_no_probability(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = saved(game("kalah"), tmp_path, results=())
    assert main(["evaluate", "kalah", "--eval", file, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["win"] is None
    assert told["results"] == {}
    assert main(["evaluate", "kalah", "--eval", file]) == 0
    assert "its output is a margin" in capsys.readouterr().out


@pytest.mark.parametrize(
    "command",
    [
        ["analyze", "connect-four", "44", "--depth", "2"],
        ["explain", "minimax", "--game", "connect-four", "--depth", "1"],
        ["compare", "--game", "connect-four", "--depth", "1"],
    ],
)
def test_commands_take_a_file(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = saved(game("connect-four"), tmp_path)
    assert main([*command, "--json", "--eval", file]) == 0
    with_net = json.loads(capsys.readouterr().out)
    assert main([*command, "--json", "--eval", "lines"]) == 0
    assert with_net != json.loads(capsys.readouterr().out)
    assert main([*command, "--eval", str(tmp_path / "none.npz")]) == 2
    assert "none.npz cannot be read" in capsys.readouterr().err


def test_players_take_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    g = game("connect-four")
    saved(g, tmp_path)
    monkeypatch.chdir(tmp_path)
    for line in (
        "alphabeta(eval=net.npz)",
        "textbook(minimax,eval=net.npz)",
        "level(3,eval=net.npz)",
    ):
        player = make(parse_line(line), g, Budget(depth=2))
        assert player.game.net is not None
    with pytest.raises(ThreefoldError, match=r"none\.npz cannot be read"):
        make(parse_line("alphabeta(eval=none.npz)"), g, Budget(depth=2))


def test_a_net_is_sent_to_a_cluster_and_found_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    g = game("connect-four")
    file = Path(saved(g, tmp_path))
    line = "alphabeta(eval=here/net.npz)"
    (tmp_path / "here").mkdir()
    file.rename(tmp_path / "here" / "net.npz")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(user_files, "files", {})
    make(parse_line(line), g, Budget(depth=2))
    given, sent = own_files()
    place = given["here/net.npz"]
    assert sent[place] == Path("here/net.npz").read_bytes()
    # On another machine it is somewhere else.
    Path("here/net.npz").rename("elsewhere.npz")
    user_files.files[Path("here/net.npz")] = tmp_path / "elsewhere.npz"
    assert make(parse_line(line), g, Budget(depth=2)).game.net is not None


def test_a_match_of_nets_knows_when_one_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    g = game("tic-tac-toe")
    match = ["match", "textbook(minimax,depth=1,eval=net.npz)", "random", "--game", "tic-tac-toe"]
    match += ["--games", "2", "--db", "games.db", "--json"]
    for seed in (1, 2):
        random_net(g, seed).save(Path("net.npz"))
        assert main(match) == 0
        assert json.loads(capsys.readouterr().out)["games"] == 2
    assert main(["report", "games.db", "--json"]) == 0
    capsys.readouterr()


def test_a_gui_may_name_a_net_or_weights(tmp_path: Path) -> None:
    chess = game("chess")
    net = saved(chess, tmp_path)
    weights = tmp_path / "weights.txt"
    weights.write_text("queen=10\n")
    thinker = Thinker("material")
    thinker.evaluate_by(net)
    assert thinker.game.net is not None
    assert centipawns(thinker.game, 500) == pytest.approx(110, abs=5)
    assert centipawns(thinker.game, -1000) == -centipawns(thinker.game, 1000)
    thinker.evaluate_by(str(weights))
    assert thinker.game.net is None
    assert thinker.game.weights["queen"] == 10
    thinker.evaluate_by("")
    assert thinker.game.weights["queen"] == 9
    with pytest.raises(ThreefoldError, match=r"none\.npz cannot be read"):
        thinker.evaluate_by(str(tmp_path / "none.npz"))
    assert thinker.game.weights["queen"] == 9


def test_the_lab_has_the_net_it_was_given_and_reads_no_other(tmp_path: Path) -> None:
    g = game("connect-four")
    file = saved(g, tmp_path)
    net = Net.load(Path(file), g)
    gallery = Gallery(net=net)
    assert gallery.usual == "connect-four"
    asked = {"game": "connect-four", "moves": ["4", "4"]}
    assert view(gallery, Request(asked))["evaluations"] == ["net.npz", *g.evaluations]
    told = lab_evaluate(gallery, Request(asked))
    assert told["evaluation"] == "net.npz"
    assert told["win"] == net.win(g.parse("44"))
    assert lab_evaluate(gallery, Request(asked | {"eval": "lines"}))["win"] is None
    assert view(gallery, Request({"game": "othello"}))["evaluations"] == [
        *game("othello").evaluations
    ]
    for wrong in (file, str(tmp_path / "none.npz")):
        with pytest.raises(BadRequest, match="has no evaluation"):
            lab_evaluate(gallery, Request(asked | {"eval": wrong}))
        with pytest.raises(BadRequest, match="has no evaluation"):
            lab_evaluate(Gallery(), Request(asked | {"eval": wrong}))
    with pytest.raises(BadRequest, match="no terms to weigh"):
        lab_evaluate(gallery, Request(asked | {"weights": "lines=2"}))
