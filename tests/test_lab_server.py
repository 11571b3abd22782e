"""The lab's server: who may come in, what may be asked for, and what is answered."""

import json
import re
import time
from collections.abc import Iterator
from typing import Any

import pytest
from lab_client import HERE, Page, connected
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from threefold import game
from threefold.games.catalogue import HOMES
from threefold.lab import limits
from threefold.lab.guard import COOKIE
from threefold.lab.server import application

TREE = "((3 12 8) (2 4 6) (14 5 2))"


@pytest.fixture
def page() -> Iterator[Page]:
    with connected() as socket:
        yield Page(socket)


# Who may come in.


def test_the_page_and_its_files_are_there_and_nothing_else_is() -> None:
    client = TestClient(application(), base_url=HERE)
    answer = client.get("/")
    assert answer.status_code == 200
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    assert "unsafe" not in answer.headers["content-security-policy"]
    for file in set(re.findall(r'(?:src|href)="\.?/?([\w./-]+)"', answer.text)):
        assert client.get("/" + file).status_code == 200, file
    for nothing in ("/server.py", "/../server.py", "/%2e%2e/server.py", "/rooms/../../server.py"):
        assert client.get(nothing).status_code == 404


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example:8333", "10.0.0.1:8333"])
def test_a_name_that_is_not_the_labs_is_refused(host: str) -> None:
    client = TestClient(application(), base_url=HERE)
    assert client.get("/", headers={"host": host}).status_code == 403
    with (
        pytest.raises(WebSocketDisconnect),
        client.websocket_connect("/connect", headers={"host": host}),
    ):
        pass


@pytest.mark.parametrize("origin", ["https://evil.example", "http://127.0.0.1:9999", "null"])
def test_another_page_cannot_drive_the_lab(origin: str) -> None:
    client = TestClient(application(), base_url=HERE)
    assert client.get("/", headers={"origin": origin}).status_code == 403
    with (
        pytest.raises(WebSocketDisconnect),
        client.websocket_connect("/connect", headers={"origin": origin}),
    ):
        pass


def test_a_class_needs_the_link() -> None:
    application_ = application(token="secret-token")
    stranger = TestClient(application_, base_url="http://192.168.1.7:8333")
    assert stranger.get("/").status_code == 403
    assert stranger.get("/?token=guess").status_code == 403
    with pytest.raises(WebSocketDisconnect), stranger.websocket_connect("/connect"):
        pass
    student = TestClient(application_, base_url="http://192.168.1.7:8333")
    assert student.get("/?token=secret-token").status_code == 200
    assert COOKIE in student.cookies
    assert student.get("/lab.css").status_code == 200


@pytest.mark.parametrize(
    ("game", "above"),
    [("chess", 1), ("checkers", 0), ("othello", None), ("connect-four", None), ("nim", None)],
)
def test_a_view_tells_whose_pieces_stand_above(page: Page, game: str, above: int | None) -> None:
    assert page.ask("view", game=game)["above"] == above


# What may be asked for.


@pytest.mark.parametrize(
    ("what", "fields", "words"),
    [
        ("dance", {}, "does not know how to"),
        ("view", {}, "game is not a text"),
        ("view", {"game": "tests/nim.py"}, "no game"),
        ("view", {"game": "nim:nim"}, "no game"),
        ("view", {"game": "os:system"}, "no game"),
        ("view", {"game": "othello(size=5)"}, "size=5"),
        ("view", {"game": "tic-tac-toe", "start": "X" * 5000}, "characters long"),
        ("view", {"game": "tic-tac-toe", "moves": ["b2", "b2"]}, "not a legal move"),
        ("view", {"game": "tic-tac-toe", "moves": "b2"}, "not a list"),
        ("view", {"game": "tic-tac-toe", "moves": ["b2"] * 9999}, "the limit is"),
        ("reply", {"game": "tic-tac-toe", "level": 11}, "level is not a whole number"),
        ("reply", {"game": "tic-tac-toe", "level": "turochamp"}, "plays chess only"),
        ("reply", {"game": "chess", "level": "deep blue"}, "level 'deep blue' is not one of"),
        ("analyse", {"game": "tic-tac-toe", "time": 1e9}, "time is not a number"),
        ("analyse", {"game": "tic-tac-toe", "time": "long"}, "time is not a number"),
        ("analyse", {"game": "tic-tac-toe", "multipv": 0}, "multipv"),
        ("explain", {"procedure": "magic", "tree": TREE}, "procedure 'magic'"),
        ("explain", {"procedure": "minimax", "tree": "((3 12"}, "missing at the end"),
        ("explain", {"procedure": "minimax", "game": "tic-tac-toe"}, "how many plies"),
        ("explain", {"procedure": "negamax", "tree": TREE, "cut": "often"}, "cut 'often' is not"),
        ("explain", {"procedure": "minimax", "game": "tic-tac-toe", "depth": 8}, "steps"),
        ("explain", {"procedure": "mcts", "tree": TREE, "simulations": 0}, "simulations"),
        ("explain", {"procedure": "mcts", "tree": TREE, "simulations": 501}, "simulations"),
        ("explain", {"procedure": "mcts", "tree": TREE, "exploration": -1}, "exploration"),
        ("random-tree", {"branching": 8, "depth": 6}, "2,000 leaves"),
        ("exercise", {"procedure": "mtdf"}, "not one of"),
        ("exercise", {"tree": f"({'1 ' * 250})"}, "251 nodes"),
        (
            "put",
            {"game": "tic-tac-toe", "position": ".../.../... X", "place": "z9", "piece": "X"},
            "z9",
        ),
        ("record", {"game": "nim"}, "no notation for whole games"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(
    page: Page, what: str, fields: dict[str, Any], words: str
) -> None:
    said = page.refused(what, **fields)
    assert words in said
    assert "\n" not in said
    assert page.ask("view", game="tic-tac-toe")["moves"], "the connection goes on"


@pytest.mark.parametrize(
    "message", ["", "[", "[1]", '{"do": "view"}', '{"id": true}', "x" * 300_000]
)
def test_what_is_no_request_does_no_harm(message: str) -> None:
    with connected() as socket:
        socket.send_text(message)
        assert "error" in json.loads(socket.receive_text())
        assert Page(socket).ask("view", game="nim")["player"] == 0


def test_a_client_has_so_many_searches_at_once(page: Page) -> None:
    running = [
        page.send("analyse", game="connect-four", time=60)
        for _ in range(limits.SEARCHES_PER_CLIENT)
    ]
    assert "searches at once" in page.refused("analyse", game="connect-four", time=60)
    for number in running:
        page.ask("stop", which=number)
        assert page.receive(number)["answer"]["best"]


# What is answered.


def test_the_gallery_has_every_game(page: Page) -> None:
    answer = page.ask("games")
    assert [each["game"] for each in answer["games"]] == list(HOMES)
    assert len(answer["levels"]) == 10
    assert {each["game"] for each in answer["historic"]} <= set(HOMES)
    for each in answer["games"]:
        assert each["picture"].startswith("<svg")
        assert each["about"]


@pytest.mark.parametrize("name", HOMES)
def test_a_game_is_played_to_its_end(page: Page, name: str) -> None:
    """Every move can be made by touching places that the picture has."""
    moves: list[str] = []
    for ply in range(30):
        seen = page.ask("view", game=name, moves=moves)
        if seen["over"]:
            assert {"winner", "utility", "reason"} == set(seen["result"])
            break
        drawn = set(re.findall(r'data-place="([^"]+)"', seen["svg"]))
        for move in seen["moves"]:
            assert set(move["places"]) <= drawn
        assert len(seen["played"]) == ply
        assert not seen["contents"] or set(seen["contents"]) <= drawn
        moves.append(seen["moves"][ply * 7 % len(seen["moves"])]["move"])
    assert page.ask("view", game=name, start=seen["position"])["position"] == seen["position"]


def test_a_board_is_set_up(page: Page) -> None:
    position = ".../.../... X"
    for place, piece in (("b2", "X"), ("a1", "O"), ("c3", "X"), ("c3", ".")):
        changed = page.ask("put", game="tic-tac-toe", position=position, place=place, piece=piece)
        position = changed["position"]
    assert position == ".../.X./O.. X"
    for name in HOMES:
        seen = page.ask("view", game=name)
        if seen["pieces"]:
            place = re.findall(r'data-place="([^"]+)"', seen["svg"])[0]
            message = page.receive(
                page.send(
                    "put",
                    game=name,
                    position=seen["position"],
                    place=place,
                    piece=seen["pieces"][0],
                )
            )
            assert "something went wrong" not in str(message.get("error"))


def test_nature_moves_when_it_is_her_turn(page: Page) -> None:
    rolled = page.ask("roll", game="dice-nim")
    assert rolled["move"].startswith("roll-")
    assert "not nature's turn" in page.refused("roll", game="dice-nim", moves=[rolled["move"]])


def test_an_opponent_answers(page: Page) -> None:
    legal = {move["move"] for move in page.ask("view", game="tic-tac-toe", moves=["b2"])["moves"]}
    for level in (1, 10):
        assert page.ask("reply", game="tic-tac-toe", moves=["b2"], level=level)["move"] in legal
    legal = {move["move"] for move in page.ask("view", game="chess", moves=["e2e4"])["moves"]}
    answer = page.ask("reply", game="chess", moves=["e2e4"], level="turochamp")
    assert answer["move"] in legal
    legal = {move["move"] for move in page.ask("view", game="tic-tac-toe", moves=["b2"])["moves"]}
    answer = page.ask("reply", game="tic-tac-toe", moves=["b2"], time=0.05)
    assert answer["move"] in legal


def test_an_analysis_reports_and_can_be_stopped(page: Page) -> None:
    number = page.send("analyse", game="connect-four", moves=["4"], time=100, multipv=3)
    while len(page.news) < 3:
        page.news.append(json.loads(page._socket.receive_text()))
    page.ask("stop", which=number)
    began = time.monotonic()
    answer = page.receive(number)["answer"]
    assert time.monotonic() - began < 30
    assert len(answer["moves"]) == 3
    assert 0 <= answer["share"] <= 1


def test_a_position_is_solved(page: Page) -> None:
    answer = page.ask("solve", game="nim(heaps=1-2-3)", moves=[])
    assert (answer["value"], answer["exact"], answer["complete"]) == (-1, True, True)


def test_a_review_marks_the_blunder(page: Page) -> None:
    moves = ["b2", "a2", "a1", "c2"]  # O should have stopped a1-b2-c3
    plies = page.ask("review", game="tic-tac-toe", moves=moves, time=0.2)["plies"]
    assert len(plies) == 5
    assert plies[2]["mark"] == "blunder", "a2 loses"
    assert plies[0]["best"]


def test_the_steps_of_a_procedure(page: Page) -> None:
    run = page.ask("explain", procedure="alphabeta", tree=TREE)
    steps = len(run["sentences"])
    assert run["value"] == 3
    assert run["pruned"] == ["I", "J"]
    assert len(run["changes"]) == len(run["kinds"]) == len(run["lines"]) == steps
    assert run["nodes"][0] == "A"
    assert run["parents"][0] == -1
    assert all(0 <= line < len(run["listing"]) for line in run["lines"] if line is not None)
    for cut in run["cutoffs"]:
        assert run["listing"][run["lines"][cut]].strip().startswith("if v")
    assert not any("trace" in line for line in run["listing"])


def test_equality_may_cut_at_one_side(page: Page) -> None:
    known = {each["name"]: each["cut"] for each in page.ask("procedures")["procedures"]}
    assert [name for name, cut in known.items() if cut] == [
        "alphabeta",
        "alphabeta-hard",
        "negamax",
    ]
    tree = "A(B(D(H:3 I:1) E(J:3 K:7)) C(F(L:3 M:2) G(N:6 O:4)))"
    run = page.ask("explain", procedure="alphabeta-hard", tree=tree, cut="max=equal,min=strict")
    assert run["pruned"] == ["K", "O"]
    assert any(text.startswith("if β < α") for text in run["printed"].values())


def test_the_rounds_of_simulations(page: Page) -> None:
    known = page.ask("procedures")
    assert [each["name"] for each in known["procedures"] if each["simulations"]] == ["mcts"]
    assert known["simulations"] == {"first": 20, "most": 500}
    run = page.ask("explain", procedure="mcts", tree=TREE, simulations=5, exploration=2, seed=1)
    assert run["phases"] == ["Selection", "Expansion", "Simulation", "Back-up"]
    assert len(run["phase"]) == len(run["sentences"])
    assert run["sentences"][-1].startswith("After 5 rounds")
    assert any("2·√(ln 3" in said for said in run["sentences"])
    played = page.ask("explain", procedure="mcts", game="go(size=3)", simulations=12)
    assert "to the end of the game" in json.dumps(played["sentences"])


def test_a_tree_of_chess_is_read_as_players_write(page: Page) -> None:
    position = "6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1"
    run = page.ask("explain", procedure="alphabeta", game="chess", position=position, depth=1)
    assert run["path"] == ["Rd8#"]
    assert "Rd8#" in run["nodes"]
    assert "d1d8" not in json.dumps(run)


def test_procedures_side_by_side(page: Page) -> None:
    answer = page.ask("compare", procedures=["minimax", "alphabeta"], tree=TREE)
    assert answer["agree"]
    assert [row["leaves"] for row in answer["rows"]] == [9, 7]
    assert answer["theory"]["fewest_leaves"] == 5
    assert len(answer["runs"]) == 2


def test_the_presets_can_be_stepped_through(page: Page) -> None:
    known = page.ask("procedures")
    for preset in known["presets"]:
        page.ask("explain", procedure=preset["procedure"], tree=preset["tree"])
    for procedure in known["procedures"]:
        assert procedure["listing"]
        assert procedure["about"]


def test_an_exercise_is_set_and_marked(page: Page) -> None:
    one = page.ask("exercise", seed=4)
    assert one["inner"]
    assert "<svg" in one["svg"]
    wrong = page.ask("check", sheet=one["sheet"].replace("value:", "value: 99"))
    assert not wrong["right"]
    assert wrong["first_error"]


@pytest.mark.parametrize(
    ("field", "text", "node"),
    [("value", "two", None), ("values", "B=x", "B"), ("values", "Q=3", None), ("cut", "Q", None)],
)
def test_an_answer_that_cannot_be_read_is_named_by_its_field(
    page: Page, field: str, text: str, node: str | None
) -> None:
    problem = page.ask("check", tree=TREE, procedure="alphabeta", **{field: text})["problem"]
    assert (problem["field"], problem["node"]) == (field, node)
    assert "line" not in problem["text"]


def test_moves_come_by_name_and_as_they_are_read(page: Page) -> None:
    seen = page.ask("view", game="chess", moves=["e2e4", "e7e5"])
    assert [(each["move"], each["text"]) for each in seen["played"]] == [
        ("e2e4", "e4"),
        ("e7e5", "e5"),
    ]
    assert ("g1f3", "Nf3") in {(each["move"], each["text"]) for each in seen["moves"]}
    assert page.ask("view", game="chess", moves=["Nf3"])["played"][0]["move"] == "g1f3"
    found = page.ask("analyse", game="chess", moves=["e2e4", "e7e5"], depth=2, time=60)
    for line in found["moves"]:
        assert len(line["pv"]) == len(line["pv_text"])
        assert line["text"] == line["pv_text"][0]


@pytest.mark.parametrize(
    ("spec", "position", "reason"),
    [
        ("chess", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "stalemate"),
        ("chess", "7k/8/6K1/8/8/8/8/8 b - - 0 1", "insufficient material"),
        ("chess", "7k/8/6K1/8/8/8/8/6R1 b - - 100 80", "fifty moves without a capture"),
        ("checkers", "B:WK29,K30:BK1,K2:H80", "40 moves without a capture or a move by a man"),
    ],
)
def test_a_draw_says_why(page: Page, spec: str, position: str, reason: str) -> None:
    seen = page.ask("view", game=spec, start=position)
    assert seen["over"]
    assert seen["result"]["winner"] is None
    assert seen["result"]["reason"].startswith(reason)


def test_a_repetition_is_a_draw_and_says_so(page: Page) -> None:
    shuffle = ["g1f3", "g8f6", "f3g1", "f6g8"] * 2
    assert page.ask("view", game="chess", moves=shuffle[:-1])["result"] is None
    assert page.ask("view", game="chess", moves=shuffle)["result"] == {
        "winner": None,
        "utility": 0,
        "reason": "the position came up 3 times",
    }


# Links.


def test_a_link_works_for_whoever_is_meant_to_get_it() -> None:
    served = application(
        token="secret-token", address="http://192.168.1.7:8333/?token=secret-token"
    )
    teacher = TestClient(served, base_url=HERE)
    assert teacher.get("/share").status_code == 403
    teacher.get("/?token=secret-token")
    found = teacher.get("/share", params={"shown": "#step/tree=(1 2)"}).json()
    assert found["link"] == "http://192.168.1.7:8333/?token=secret-token#step/tree=(1 2)"
    assert found["code"].startswith("<svg")
    assert not found["local"]
    student = TestClient(served, base_url="http://lab.example:8333")
    assert student.get(
        found["link"].partition("#")[0].replace("192.168.1.7", "lab.example")
    ).is_success
    link = student.get("/share", params={"shown": "#play/"}).json()["link"]
    assert link == "http://lab.example:8333/?token=secret-token#play/", "by the name that led there"


def test_a_link_of_this_machine_says_so() -> None:
    found = (
        TestClient(application(), base_url=HERE).get("/share", params={"shown": "#play/"}).json()
    )
    assert found["local"]
    assert found["link"] == f"{HERE}/#play/"


@pytest.mark.parametrize("shown", ["https://evil.example/", "#" + "x" * 30_000])
def test_what_no_page_shows_gets_no_link(shown: str) -> None:
    client = TestClient(application(), base_url=HERE)
    assert client.get("/share", params={"shown": shown}).status_code == 400


def test_a_long_link_has_no_code() -> None:
    client = TestClient(application(), base_url=HERE)
    found = client.get("/share", params={"shown": "#play/moves=" + "e2e4;" * 800}).json()
    assert found["code"] is None
    assert found["link"].endswith("e2e4;")


def test_ones_own_game_is_there_by_the_name_it_was_given() -> None:
    own = game("examples/twenty_one.py")
    with connected(own) as socket:
        page = Page(socket)
        assert page.ask("games")["games"][0]["game"] == "twenty_one.py"
        seen = page.ask("view", game="twenty_one.py", moves=["3"])
        assert seen["position"] == "stones=18,turn=1"
        assert "no game" in page.refused("view", game="examples/../examples/twenty_one.py")


def test_a_notebook_shows_the_same_steps() -> None:
    pytest.importorskip("anywidget", reason="needs threefold[notebook]")
    from threefold.textbook import notebook

    explained = game("tic-tac-toe").explain("alphabeta", depth=1)
    stepper = notebook.Stepper(explained)
    assert len(stepper.run["sentences"]) == len(stepper.run["lines"])
    assert "mountStepper" in str(stepper._esm)
    assert not re.search(r"^import ", str(stepper._esm), re.MULTILINE)


# The evaluation, term by term.


def test_a_position_is_evaluated_term_by_term(page: Page) -> None:
    start = "4k2r/pp6/8/8/8/8/8/3QK3 w - - 0 1"
    own = page.ask("evaluate", game="chess", start=start, eval="material")
    assert (own["evaluation"], own["value"]) == ("material", 2)
    assert own["terms"][-1] == {
        "name": "queen",
        "max": 1,
        "min": 0,
        "weight": 9,
        "share": 9,
        "own": 9,
    }
    changed = page.ask(
        "evaluate", game="chess", start=start, eval="material", weights="queen=4.5,rook=6"
    )
    assert changed["value"] == 4.5 - 6 - 2
    assert [term["own"] for term in changed["terms"]] == [1, 3, 3, 5, 9]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"weights": "quen=9"}, "did you mean queen?"),
        ({"weights": "queen=nine"}, "is not a number"),
        ({"weights": "queen=9," * 1000}, "the limit is 2,000"),
        ({"weights": {"queen": 9}}, "weights is not a text"),
    ],
)
def test_weights_are_checked(page: Page, fields: dict[str, Any], message: str) -> None:
    assert message in page.refused("evaluate", game="chess", **({"eval": "material"} | fields))


def test_a_finished_game_is_evaluated_too(page: Page) -> None:
    mated = page.ask(
        "evaluate", game="chess", eval="material", moves=["f2f3", "e7e5", "g2g4", "d8h4"]
    )
    assert (mated["value"], mated["terms"][0]["max"]) == (0, 8)


def test_a_search_takes_weights(page: Page) -> None:
    """Few discs early on: with the sign of the weight, the best move's value changes too."""
    asked = {"game": "othello(size=4)", "eval": "discs", "depth": 1}
    few = page.ask("analyse", weights="discs=-1", **asked)
    many = page.ask("analyse", **asked)
    assert (few["value"], many["value"]) == (-3, 3)
