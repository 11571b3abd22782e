"""Beyond a fixed depth: quiescence, secondary search and singular extensions."""

import chess as python_chess
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_textbook import valued_trees

from threefold import game
from threefold.textbook.experiments.horizon import CHESS_HORIZON, HORIZON, chess_horizon, horizon
from threefold.textbook.explain import explain
from threefold.textbook.tree import MAX_DEPTH, Node, parse_tree, walk


def minimax(node: Node, plies: int) -> object:
    """The value to a depth, from nothing but the tree."""
    if not node.children or plies == 0:
        return node.value
    best = max if node.player == 0 else min
    return best(minimax(child, plies - 1) for child in node.children)  # type: ignore[type-var]


@given(valued_trees(), st.integers(1, 4))
def test_without_extensions_it_is_minimax(text: str, depth: int) -> None:
    root = parse_tree(text)
    assert explain("singular", root, depth=depth, extra=0).value == minimax(root, depth)
    assert explain("singular", root).value == minimax(root, MAX_DEPTH)


@given(valued_trees(), st.integers(1, 3), st.integers(0, 3), st.integers(0, 3))
def test_only_what_stands_out_is_extended(text: str, depth: int, extra: int, margin: int) -> None:
    root = parse_tree(text)
    explained = explain("singular", root, depth=depth, extra=extra, margin=margin)
    parent = {child.name: node for node in walk(root) for child in node.children}
    deep = {root.name: 0}
    for node in walk(root):
        deep.update((child.name, deep[node.name] + 1) for child in node.children)
    assert max(deep[name] for name in explained.visited) <= depth + extra
    returned: dict[str, dict[str, int]] = {}
    for event in explained.events:
        if event.kind == "enter":
            returned[event.node] = {}
        elif event.kind == "child":
            returned[event.node][event["child"]] = event["value"]
        elif event.kind == "extend":
            family = returned[parent[event.node].name]
            others = [value for name, value in family.items() if name != event.node]
            assert all(abs(family[event.node] - value) > margin for value in others)
            maximizing = parent[event.node].player == 0
            assert all((family[event.node] > value) == maximizing for value in others)


def test_an_extension_can_change_the_choice_and_is_bounded() -> None:
    root = parse_tree(HORIZON)
    assert explain("singular", root, depth=2).path[0] == "B"
    assert explain("singular", root, depth=2, extra=1).path[0] == "C", "the loss is two plies away"
    assert explain("singular", root, depth=2, margin=9).path[0] == "C", "nothing stands out so far"
    extended = [e.node for e in explain("singular", root, depth=2).events if e.kind == "extend"]
    assert extended == ["D", "F", "C", "F"]


def test_the_forced_move_of_the_example_is_a_choice() -> None:
    nodes = {node.name: node for node in walk(parse_tree(HORIZON))}
    assert [child.name for child in nodes["C"].children] == ["F", "G", "H"]
    assert all(len(node.children) != 1 for node in nodes.values())
    whole = {child.name: minimax(child, 9) for child in nodes["A"].children}
    assert whole == {"B": -5, "C": -6}


@pytest.mark.parametrize("run", [horizon, chess_horizon])
def test_the_table_has_what_was_found(run: object) -> None:
    done = run()  # type: ignore[operator]
    for row in done.figures["table"]:
        assert done.figures[row["search"]] == row["move"]
        assert any(line.startswith(row["search"]) and row["move"] in line for line in done.lines)
    values = {row["search"]: row["value"] for row in done.figures["table"]}
    cured = [value for search, value in values.items() if not search.startswith(("mini", "alpha"))]
    assert values["singular extensions, 2 plies"] == values["secondary search, 2 plies"]
    assert len(set(cured)) == 2, "quiescence search at two plies is fooled too"


def test_on_the_chess_board_the_cure_is_right() -> None:
    """Seven plies and the engine's quiescence search agree: throwing the knight away costs it."""
    assert python_chess.Board(CHESS_HORIZON).is_valid()
    deep = game("chess").using("material").analyze(CHESS_HORIZON, depth=7, multipv=8, exact=True)
    value = {move["move"]: move["value"] for move in deep.to_json()["moves"]}
    assert value["h4g3"] == max(value.values()) == -7
    assert value["h7f6"] == min(value.values()) == -10
