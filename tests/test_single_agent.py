"""One agent's trees: the value of a state is the best outcome that can be reached from it."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shell import Shell
from test_textbook import tree_texts

from threefold import ThreefoldError, game
from threefold.textbook.explain import explain
from threefold.textbook.narration import narrate
from threefold.textbook.picture import draw
from threefold.textbook.replay import scene
from threefold.textbook.tree import Node, parse_tree, walk

SLIDE = "((8 2) (2 6 4 6))"


def leaves(root: Node) -> list[int | Fraction]:
    return [n.value for n in walk(root) if not n.children and isinstance(n.value, int | Fraction)]


@given(tree_texts())
def test_the_value_is_the_best_leaf(text: str) -> None:
    root = parse_tree(text)
    explained = explain("single-agent", root, tree=text)
    best = min if text.startswith("min") else max
    assert explained.value == best(leaves(root))
    assert explained.pruned == []
    assert sorted(explained.visited) == sorted(node.name for node in walk(root))
    node = root
    for name in explained.path:
        node = next(child for child in node.children if child.name == name)
    assert node.value == explained.value
    assert not node.children


@given(tree_texts())
def test_an_opponent_never_helps(text: str) -> None:
    root = parse_tree(text)
    alone, opposed = (explain(name, root).value for name in ("single-agent", "minimax"))
    assert alone <= opposed if text.startswith("min") else alone >= opposed


def test_every_level_takes_the_best() -> None:
    events = explain("single-agent", parse_tree(SLIDE), tree=SLIDE).events
    left = {event.node: event["value"] for event in events if event.kind == "leave"}
    assert left == {"A": 8, "B": 8, "C": 6}
    assert explain("minimax", parse_tree(SLIDE)).value == 2


@given(tree_texts(), st.integers(0, 4) | st.none())
def test_every_node_is_drawn_as_the_agents(text: str, depth: int | None) -> None:
    """Also the nodes beyond a depth limit, which the search never enters."""
    root = parse_tree(text)
    for node in walk(root):
        node.value = 0 if node.value is None else node.value
    events = explain("single-agent", root, depth=depth, tree=text).events
    mover = "MIN" if text.startswith("min") else "MAX"
    assert set(scene(events).shape.player.values()) == {mover}
    assert draw(events)


def test_it_is_told_of_an_agent() -> None:
    said = narrate(explain("single-agent", parse_tree("(3 1)"), tree="(3 1)").events)
    assert [sentence for sentence in said if sentence] == [
        "single-agent starts at A, where the agent is to move.",
        "The agent is to move at A.",
        "B is worth 3.",
        "B returns 3 to A: the best for the agent so far.",
        "C is worth 1.",
        "C returns 1 to A: the agent keeps 3, by B.",
        "A is worth 3: the best line is B.",
    ]


def test_deep_trees_games_and_what_it_refuses() -> None:
    deep = "(1 " * 3000 + "7" + ")" * 3000
    assert explain("single-agent", parse_tree(deep)).value == 7
    assert game("nim(heaps=5,take=2)").explain("single-agent").value == 1
    assert explain("single-agent", parse_tree("A(B:4(C:9) D:5)"), depth=1).value == 5
    with pytest.raises(ThreefoldError, match="B is a chance node"):
        explain("single-agent", parse_tree("(~(1/2*3 1/2*4) 3)"))
    with pytest.raises(ThreefoldError, match="B has a payoff for each player"):
        explain("single-agent", parse_tree("(<1,2> <3,3>)"))
    with pytest.raises(ThreefoldError, match="C has no value"):
        explain("single-agent", parse_tree("A(B:1 C)"))


def test_from_the_command_line(shell: Shell) -> None:
    answer = shell.json("explain", "single-agent", SLIDE)
    assert (answer["value"], answer["path"], answer["pruned"]) == (8, ["B", "D"], [])
