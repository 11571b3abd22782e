"""Symmetric moves merged in a game's tree: fewer nodes, the same values."""

from collections.abc import Callable
from functools import cache
from typing import Any

import nim
import pytest

from threefold import ThreefoldError, game
from threefold.cli.main import main
from threefold.textbook.gametree import GameNode
from threefold.textbook.picture import draw
from threefold.textbook.replay import scene
from threefold.textbook.terminal import draw_tree
from threefold.textbook.tikz import tikz
from threefold.textbook.tree import Node


def merged(spec: str, position: str | None = None) -> GameNode:
    g = game(spec)
    return GameNode(g, g.position(position)).without_symmetric_moves()


def turned(board: str) -> str:
    return "".join(board[3 * (2 - x) + y] for y in range(3) for x in range(3))


def classes(plies: int) -> int:
    """How many tic-tac-toe positions there are after so many plies, no two of them symmetric."""
    boards = {"." * 9}
    for ply in range(plies):
        stone = "XO"[ply % 2]
        boards = {b[:i] + stone + b[i + 1 :] for b in boards for i in range(9) if b[i] == "."}
    found = set()
    for board in boards:
        looks = [board]
        for _ in range(3):
            looks.append(turned(looks[-1]))
        looks += ["".join(look[i : i + 3][::-1] for i in (0, 3, 6)) for look in looks]
        found.add(min(looks))
    return len(found)


@pytest.mark.parametrize("plies", [0, 1, 2])
def test_tic_tac_toes_first_plies(plies: int) -> None:
    layer: list[Node] = [merged("tic-tac-toe")]
    for _ in range(plies):
        layer = [child for node in layer for child in node.children]
    assert len(layer) == classes(plies) == (1, 3, 12)[plies]


def test_the_whole_tree_of_tic_tac_toe() -> None:
    """26,830 games if symmetric positions are not told apart, of 255,168 (Bottomley, 2001)."""
    g = game("tic-tac-toe")

    @cache
    def games(s: Any) -> tuple[int, int]:
        node = GameNode(g, s).without_symmetric_moves()
        if not node.children:
            return 1, 1
        below = [(child.count, *games(child.state)) for child in node.children]  # type: ignore[attr-defined]
        return sum(fewer for _, fewer, _ in below), sum(n * every for n, _, every in below)

    assert games(g.initial()) == (26_830, 255_168)


@pytest.mark.parametrize("procedure", ["minimax", "alphabeta", "negamax", "mtdf", "quiescence"])
@pytest.mark.parametrize(
    ("spec", "depth"),
    [
        ("tic-tac-toe", 1),
        ("tic-tac-toe", 3),
        ("mnk(m=4,n=3,k=3)", 2),
        ("connect-four(columns=5,rows=4,k=3)", 4),
        ("connect-four", 2),
        ("othello", 2),
        ("othello(size=4)", 5),
    ],
)
def test_the_values_stay_the_same(procedure: str, spec: str, depth: int) -> None:
    for evaluation in game(spec).evaluations:
        g = game(spec).using(evaluation)
        plain, fewer = (g.explain(procedure, depth=depth, symmetries=yes) for yes in (False, True))
        assert plain.value == fewer.value
        assert len(fewer.visited) < len(plain.visited)
        kinds = {"enter", "expand", "child", "leave"}
        assert kinds <= {event.kind for event in fewer.events}


def test_tic_tac_toe_to_the_end() -> None:
    assert game("tic-tac-toe").explain("alphabeta", "X../.O./... X", symmetries=True).value == 0


@pytest.mark.parametrize("spec", ["tic-tac-toe", "connect-four", "othello(size=6)"])
def test_every_move_is_counted_once(spec: str) -> None:
    g = game(spec)
    layer: list[Any] = [merged(spec)]
    for _ in range(3):
        for node in layer:
            assert sum(child.count for child in node.children) == len(g.moves(node.state))
        layer = [child for node in layer for child in node.children]


def test_events_of_nature_are_merged_with_their_weights() -> None:
    def outcomes(_: nim.State, out: Any, weight: Any) -> int:
        for i, each in enumerate((1, 2, 3)):
            out[i], weight[i] = i + 1, each
        return 3

    g = nim.nim(
        player=lambda s: -1 if s.stones == 20 else s.turn,
        outcomes=outcomes,
        # 19 and 17 stones are declared the same.
        symmetries=[lambda s: nim.State({19: 17, 17: 19}.get(s.stones, s.stones), s.turn)],
    )
    root = GameNode(g, g.initial()).without_symmetric_moves()
    assert [child.name for child in root.children] == ["1", "2"]
    assert [float(weight) for weight in root.weights] == [4 / 6, 2 / 6]


def test_one_turn_of_the_board_is_enough_to_declare() -> None:
    """The others follow from it."""
    squares = game("tic-tac-toe")
    squares.symmetries = squares.symmetries[4:5]
    root = GameNode(squares, squares.initial()).without_symmetric_moves()
    assert [child.count for child in root.children] == [4, 4, 1]


def test_pictures_count_the_moves(capsys: pytest.CaptureFixture[str]) -> None:
    events = game("tic-tac-toe").explain("alphabeta", depth=2, symmetries=True).events
    assert "a1 ×4" in draw_tree(scene(events))
    assert ">×4</text>" in draw(events)
    assert r"{$\times{}4$}" in tikz(events)
    words = ["explain", "minimax", "--game", "tic-tac-toe", "--depth", "1", "--symmetries"]
    assert main(words) == 0
    assert "a1 ×4 = 3" in capsys.readouterr().out
    assert main(["perft", "tic-tac-toe", "--depth", "1"]) == 0
    assert capsys.readouterr().out == "9\n"


def test_without_symmetries_there_is_nothing_to_merge(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ThreefoldError, match="Kalah declares no symmetries"):
        game("kalah").explain("minimax", depth=1, symmetries=True)
    assert main(["explain", "minimax", "(1 2)", "--symmetries"]) == 2
    assert "--symmetries needs --game" in capsys.readouterr().err
    assert main(["explain", "a-star", "--puzzle", "123456708", "--symmetries"]) == 2
    assert "--symmetries does not go with a-star" in capsys.readouterr().err


@pytest.mark.parametrize(("m", "n"), [(3, 3), (5, 5), (7, 7), (4, 3), (3, 4), (1, 4), (6, 2)])
def test_images_of_a_board(m: int, n: int) -> None:
    """Each symmetry sends every square where a turn of the board would."""
    g = game(f"mnk(m={m},n={n},k={max(m, n)})")
    ways: list[Callable[[int, int], tuple[int, int]]] = [
        lambda x, y: (m - 1 - x, y),
        lambda x, y: (x, n - 1 - y),
        lambda x, y: (m - 1 - x, n - 1 - y),
    ]
    if m == n:
        ways += [lambda x, y: (y, x), lambda x, y: (m - 1 - y, x)]
        ways += [lambda x, y: (y, n - 1 - x), lambda x, y: (m - 1 - y, n - 1 - x)]
    for symmetry, way in zip(g.symmetries, ways, strict=True):
        for x in range(m):
            for y in range(n):
                there = way(x, y)
                image = symmetry(g.result(g.initial(), y * (m + 1) + x))
                assert image == g.result(g.initial(), there[1] * (m + 1) + there[0])
