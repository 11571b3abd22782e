"""The textbook procedures: the lectures' answers, and all exact ones agreeing on any tree."""

import json
from fractions import Fraction
from typing import Any

import nim
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from threefold import ThreefoldError, game
from threefold.rules.contract import CHANCE, MAX, MIN
from threefold.textbook import ordering
from threefold.textbook import trace as tracing
from threefold.textbook.compare import Theory, compare
from threefold.textbook.deep_enough import (
    any_of,
    deeper_than,
    out_of_time,
    stable,
    unpromising,
    won,
)
from threefold.textbook.explain import PROCEDURES, explain
from threefold.textbook.gametree import GameNode
from threefold.textbook.narration import narrate
from threefold.textbook.ordering import grow, reorder, shape, uniform
from threefold.textbook.picture import draw
from threefold.textbook.statistics import statistics
from threefold.textbook.tree import Node, format_number, parse_tree, walk

EXACT = [
    "minimax",
    "minimax-value",
    "minimax-n",
    "heuristic-minimax",
    "minimax-bottom-up",
    "minmax",
    "alphabeta",
    "alphabeta-hard",
    "negamax",
    "scout",
    "pvs",
    "mtdf",
    "sss",
    "quiescence",
    "secondary",
    "singular",
    "expectiminimax",
    "star1",
    "star2",
]
WITH_CHANCE = ["expectiminimax", "star1", "star2"]
CUTTING = ["alphabeta", "alphabeta-hard", "negamax"]


# The lectures' examples.

WORKED = [
    ("A(B:8 C:3 D:-2)", 8, ["B"], []),
    ("A(B(E:9 F:-6 G:0) C(H:0 I:-2) D(J:-4 K:-3))", -2, ["C", "I"], ["K"]),
    ("A(B(D:3 E:5) C(F:-5 G))", 3, ["B", "D"], ["G"]),
    ("A(B(D:3 E:5) C(F(I(K:0 L) J:5) G(M:7 N)))", 5, ["C", "F", "J"], ["L", "N"]),
    ("((3 12 8) (2 4 6) (14 5 2))", 3, ["B", "E"], ["I", "J"]),
    ("A(B(C(-1 5) D(-2 -4)) E(F(1 -1) G(2 4)))", 1, ["E", "F", "L"], ["O"]),
    ("A(B(D(H:6 I:5) E(J:8 K)) C(F(L:2 M:1) G(N O)))", 6, ["B", "D", "H"], ["K", "G"]),
    ("A(B(D(H:6 I:5) E(K:2 J:8)) C(F(L:2 M:1) G(N O)))", 6, ["B", "D", "H"], ["G"]),
    ("((10 10) (9 100))", 10, ["B", "D"], ["G"]),
    # The last tree of the Kharagpur lecture is only described: MIN nodes of 4 and 2, the root 4.
    ("((4 7) (2 9))", 4, ["B", "D"], ["G"]),
    ("5", 5, [], []),
    ("min(3 1 2)", 1, ["C"], []),
]


@pytest.mark.parametrize(("tree", "value", "path", "pruned"), WORKED)
@pytest.mark.parametrize("procedure", CUTTING)
def test_worked_examples(
    procedure: str, tree: str, value: int, path: list[str], pruned: list[str]
) -> None:
    explained = explain(procedure, parse_tree(tree), tree=tree)
    assert explained.value == value
    assert explained.path == path
    assert explained.pruned == pruned


def test_backed_up_values_of_the_two_ply_example() -> None:
    events = explain("minimax", parse_tree(WORKED[1][0])).events
    left = {event.node: event["value"] for event in events if event.kind == "leave"}
    assert left == {"B": -6, "C": -2, "D": -4, "A": -2}


def test_which_bound_cuts() -> None:
    events = explain("alphabeta", parse_tree(WORKED[3][0])).events
    cuts = [(e.node, e["which"], e["against"]) for e in events if e.kind == "cutoff"]
    assert cuts == [("I", "alpha", "A"), ("G", "beta", "C")]


def test_strict_cuts_look_at_equal_values() -> None:
    tree = "A(B(D:3 E:5) C(F:3 G:-9))"
    assert explain("alphabeta", parse_tree(tree)).pruned == ["G"]
    assert explain("alphabeta", parse_tree(tree), cut="strict").pruned == []
    assert explain("alphabeta-hard", parse_tree(tree), cut="strict").value == 3


def test_five_stone_nim_is_won_by_taking_two() -> None:
    g = game("nim(heaps=5,take=2)")
    for procedure in ("minimax", "minmax", "alphabeta", "pvs", "mtdf", "sss", "proof-number"):
        explained = g.explain(procedure)
        assert explained.value == 1
        assert explained.path[0] == "1:2"


def test_tic_tac_toe_as_the_lecture_has_it() -> None:
    g = game("tic-tac-toe")
    one = g.explain("minimax", depth=1)
    values = {e["child"]: e["value"] for e in one.events if e.kind == "child" and e.node == "."}
    assert (values["b2"], values["a1"], values["b1"]) == (4, 3, 2)
    two = g.explain("minimax", depth=2)
    values = {e["child"]: e["value"] for e in two.events if e.kind == "child" and e.node == "."}
    assert (values["b2"], values["a1"], values["b1"]) == (1, -1, -2)
    assert (two.value, two.path[0]) == (1, "b2")
    assert g.explain("alphabeta").value == 0


# Any tree.


@st.composite
def tree_texts(draw: st.DrawFn, chance: bool = False) -> str:
    def node(depth: int) -> str:
        if depth == 0 or draw(st.integers(0, 4)) == 0:
            return draw(st.sampled_from(["-3", "-1", "0", "1", "2", "2.5", "4"]))
        children = [node(depth - 1) for _ in range(draw(st.integers(1, 3)))]
        if chance and draw(st.booleans()):
            return f"~({' '.join(f'1/{len(children)}*{child}' for child in children)})"
        return f"({' '.join(children)})"

    return draw(st.sampled_from(["", "min "])) + node(draw(st.integers(0, 4)))


def end_of(root: Node, path: list[str]) -> Node:
    for name in path:
        root = next(child for child in root.children if child.name == name)
    return root


@settings(max_examples=200)
@given(tree_texts())
def test_all_exact_procedures_agree(text: str) -> None:
    root = parse_tree(text)
    value = explain("minimax", root).value
    for procedure in EXACT:
        explained = explain(procedure, root)
        assert explained.value == value, procedure
        if procedure not in WITH_CHANCE:
            leaf = end_of(root, list(explained.path))
            assert not leaf.children
            assert leaf.value == value, procedure
    assert explain("proof-number", root).value == int(value > 0)


@settings(max_examples=200)
@given(tree_texts(chance=True))
def test_chance_procedures_agree(text: str) -> None:
    root = parse_tree(text)
    value = explain("expectiminimax", root).value
    assert explain("star1", root).value == value
    assert explain("star2", root).value == value


@given(tree_texts(chance=True))
def test_what_star_leaves_behind_is_a_bound(text: str) -> None:
    """At every node: below its window an upper bound, above it a lower one, inside exact."""
    root = parse_tree(text)
    truth = {
        e.node: e["value"]
        for e in explain("expectiminimax", root).events
        if e.kind in {"leave", "leaf"}
    }
    for procedure in ("star1", "star2"):
        windows: dict[str, Any] = {}
        for event in explain(procedure, root).events:
            if event.kind == "enter":
                windows[event.node] = event["alpha"], event["beta"]
            elif event.kind == "leave":
                alpha, beta = windows[event.node]
                found, true = event["value"], truth[event.node]
                if found <= alpha:
                    assert true <= found
                elif found >= beta:
                    assert true >= found
                else:
                    assert true == found


@given(tree_texts())
def test_sss_looks_at_no_leaf_that_alphabeta_skips(text: str) -> None:
    root = parse_tree(text)
    leaves = {node.name for node in walk(root) if not node.children}
    ours = set(explain("sss", root).visited) & leaves
    assert ours <= set(explain("alphabeta", root).visited)


@given(tree_texts())
def test_minimax_looks_at_everything(text: str) -> None:
    root = parse_tree(text)
    explained = explain("minimax", root)
    assert explained.visited == [node.name for node in walk(root)]
    assert explained.pruned == []
    bottom_up = explain("minimax-bottom-up", root)
    assert sorted(bottom_up.visited) == sorted(explained.visited)
    assert bottom_up.visited[-1] == root.name
    assert statistics(bottom_up.events).most_held >= statistics(explained.events).most_held


@given(tree_texts())
def test_pruned_nodes_were_never_entered_and_their_parents_were(text: str) -> None:
    root = parse_tree(text)
    for procedure in ("alphabeta", "pvs", "mtdf", "sss", "mcts"):
        explained = explain(procedure, root)
        entered = set(explained.visited)
        expected = [
            child.name
            for node in walk(root)
            for child in node.children
            if node.name in entered and child.name not in entered
        ]
        assert sorted(explained.pruned) == sorted(expected)
        order = [node.name for node in walk(root)]
        assert explained.pruned == sorted(explained.pruned, key=order.index)


@given(tree_texts(), st.integers(0, 3))
def test_iterative_deepening_answers_at_every_depth(text: str, depth: int) -> None:
    g = game("nim(heaps=2-3)")
    explained = g.explain("iterative-deepening", depth=depth + 1)
    answers = [event for event in explained.events if event.kind == "deepen"]
    assert [event["depth"] for event in answers] == list(range(1, len(answers) + 1))
    assert answers[-1]["value"] == explained.value == g.explain("minimax", depth=depth + 1).value


@pytest.mark.parametrize("procedure", ["minimax", "alphabeta", "negamax", "scout", "pvs", "mtdf"])
def test_games_in_which_a_player_moves_twice(procedure: str) -> None:
    g = nim.nim(
        initial=lambda: nim.State(7, 0),
        result=lambda s, a: nim.State(s.stones - a, s.turn if a == 1 else 1 - s.turn),
    )
    assert g.explain(procedure).value == g.explain("minimax").value


def test_payoff_vectors() -> None:
    tree = parse_tree("((<3,1> <2,5>) (<4,0> <1,9>))")
    assert explain("maxn", tree).value == (2, 5)
    assert explain("maxn", tree).to_json()["value"] == [2, 5]
    assert explain("paranoid", tree).value == 2
    three = parse_tree("(((<1,2,9> <4,2,3>) (<5,1,1> <6,0,0>)) ((<9,9,0> <0,0,5>)))")
    assert explain("maxn", three).value == (1, 2, 9)


@pytest.mark.parametrize(
    ("tree", "word"),
    [
        ("(<1,2> <1,2,3>)", "2 and 3 payoffs"),
        ("(<1,2> 5)", "leaf C has one number"),
        ("(1 2)", "has one number"),
        ("(A B)", "no payoffs"),
    ],
)
def test_payoff_vectors_that_do_not_fit(tree: str, word: str) -> None:
    with pytest.raises(ThreefoldError, match=word):
        explain("maxn", parse_tree(tree))


def test_quiescence_stands_pat_and_extends() -> None:
    events = explain("quiescence", parse_tree("A(B:6!(D:-4 E:-2) C:1(F:1 G:2))"), depth=1).events
    assert [e.node for e in events if e.kind == "extend"] == ["B"]
    assert [(e.node, e["value"]) for e in events if e.kind == "stand-pat"] == [("B", 6)]


def test_deep_enough_has_the_five_factors() -> None:
    leaf, inner = Node("L", MAX, 5), Node("I", MAX, 9, quiet=False, children=[Node("C", MIN, 1)])
    assert won(leaf, 0)
    assert not won(inner, 0)
    assert deeper_than(2)(inner, 2)
    assert unpromising(1, 8)(inner, 1)
    assert not unpromising(1, 10)(inner, 1)
    assert out_of_time(0)(inner, 0)
    assert not out_of_time(60)(inner, 0)
    assert not stable(1)(inner, 5)
    assert stable(1)(leaf, 1)
    assert any_of(won, deeper_than(3))(inner, 3)
    tree = parse_tree("A:0(B:3(1 2) C:4!(0 9))")
    assert explain("minmax", tree, deep_enough=any_of(won, stable(1))).value == 3


def test_minmax_finds_a_path_when_every_move_loses() -> None:
    """Started at STATIC's least value, as printed, BEST_SCORE would never be exceeded."""
    explained = explain("minmax", parse_tree("(-10 -10)"))
    assert explained.value == -10
    assert explained.path == ["B"]


# Deep, large, wrong.


@pytest.mark.parametrize("procedure", sorted(set(EXACT) | {"proof-number"}))
def test_a_tree_ten_thousand_levels_deep(procedure: str) -> None:
    root = parse_tree("(" * 10_000 + "1" + ")" * 10_000)
    explained = explain(procedure, root)
    assert explained.value == 1
    assert len(explained.visited) >= 10_001


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "empty"),
        ("   ", "empty"),
        ("(1 2", "1 ')' missing"),
        ("1 2)", "'2' comes after the end"),
        ("(1 2))", "')' comes after the end"),
        (")", "expected a node, not ')'"),
        ("()", "without ( )"),
        ("A(A B)", "used twice"),
        ("A:NaN", "expected a number after ':', not 'NaN'"),
        ("(1 nan:inf)", "not 'inf'"),
        ("(1, 2)", "is not part"),
        ("A:(1)", "expected a number"),
        ("<1>", "not a payoff vector"),
        ("<1,x>", "not a payoff vector"),
        ("~(0.5*3 0.4*8)", "sum to 0.9, not to 1"),
        ("~(1/3*3 1/3*8)", "sum to 2/3"),
        ("~(3 4)", "need weights"),
        ("~(1/0*3)", "'1/0' is not a number"),
        ("~(0*3 1*4)", "greater than 0"),
        ("A:3~(1*4)", "neither a value"),
        ("0.5*3", "expected a node, not '0.5*'"),
        ("1.2.3", "is not part"),
        ("(" * 1_000_000, "deeper than 20000 levels"),
    ],
)
def test_bad_trees_get_one_line(text: str, word: str) -> None:
    with pytest.raises(ThreefoldError) as caught:
        parse_tree(text)
    assert word in str(caught.value)
    assert "\n" not in str(caught.value)


@given(st.text("AB:()~!<>,*./0123456789 -minax", max_size=40))
def test_any_text_is_a_tree_or_a_clear_error(text: str) -> None:
    try:
        root = parse_tree(text)
    except ThreefoldError as error:
        assert "\n" not in str(error)
    else:
        names = [node.name for node in walk(root)]
        assert len(set(names)) == len(names)


def test_names_players_and_weights() -> None:
    root = parse_tree("min B(~(1/3*2 2/3*A(5)) 4)")
    nodes = {node.name: node for node in walk(root)}
    assert list(nodes) == ["B", "C", "E", "A", "F", "D"]
    assert nodes["B"].player == MIN
    assert nodes["C"].player == CHANCE
    assert nodes["C"].weights == [Fraction(1, 3), Fraction(2, 3)]
    assert nodes["A"].player == MAX, "chance is no turn: below it moves the opponent of above"
    assert nodes["F"].player == MIN
    assert parse_tree("~(1*(1 2))").children[0].player == MAX
    assert parse_tree("min ~(1*(1 2))").children[0].player == MIN
    many = parse_tree(f"({' '.join(['1'] * 30)})")
    assert [child.name for child in many.children][24:28] == ["Z", "AA", "AB", "AC"]
    assert parse_tree("A:5!").quiet is False
    assert parse_tree(":7(1 2)").value == 7
    assert parse_tree("-0.25").value == Fraction(-1, 4)


def test_numbers_as_people_write_them() -> None:
    assert [format_number(x) for x in (3, Fraction(1, 2), Fraction(1, 3), Fraction(-5, 4))] == [
        "3",
        "0.5",
        "1/3",
        "-1.25",
    ]


def test_reaching_a_leaf_without_a_value_names_it() -> None:
    with pytest.raises(ThreefoldError, match="node G has no value"):
        explain("minimax", parse_tree("A(B(D:3 E:5) C(F:-5 G))"))
    with pytest.raises(ThreefoldError, match="node B has no value"):
        explain("minimax", parse_tree("A(B(1 2) C(3 4))"), depth=1)


def test_unknown_procedures_depths_and_options() -> None:
    tree = parse_tree("(1 2)")
    with pytest.raises(ThreefoldError, match="no procedure 'guess': one of minimax"):
        explain("guess", tree)
    with pytest.raises(ThreefoldError, match="depth -1 is negative"):
        explain("minimax", tree, depth=-1)
    with pytest.raises(
        ThreefoldError,
        match="minimax has no option cut=; alphabeta, alphabeta-hard, negamax have it",
    ):
        explain("minimax", tree, cut="strict")


def test_a_run_without_end_is_stopped() -> None:
    with tracing.at_most(100), pytest.raises(ThreefoldError, match="more than 100 steps"):
        game("tic-tac-toe").explain("minimax")


def test_a_run_that_takes_too_long_is_stopped() -> None:
    node = GameNode(game("tic-tac-toe"), game("tic-tac-toe").initial())
    with tracing.at_most(10**6, seconds=0.0):
        with pytest.raises(ThreefoldError, match="takes too long"):
            explain("minimax", node, depth=5)
        with pytest.raises(ThreefoldError, match="takes too long"):
            reorder(node, "best-first", 5)


# Order and cost.


@pytest.mark.parametrize(("branching", "depth"), [(2, 4), (3, 3), (3, 4), (4, 3), (2, 7), (5, 2)])
def test_perfect_ordering_costs_what_the_theory_says(branching: int, depth: int) -> None:
    for seed in range(3):
        tree = uniform(branching, depth, seed)
        compared = compare(tree, ["minimax", "alphabeta"], ["best-first"])
        theory = Theory(branching, depth)
        assert compared.theory == theory
        assert compared.rows[0].leaves == theory.all_leaves == branching**depth
        assert compared.rows[1].leaves == theory.fewest_leaves
        assert compared.agree


def test_orders(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = parse_tree("((3 12 8) (2 4 6) (14 5 2))")
    best = reorder(tree, "best-first")
    assert [child.name for child in best.children] == ["B", "C", "D"]
    assert [leaf.value for leaf in best.children[2].children] == [2, 5, 14]
    worst = reorder(tree, "worst-first")
    assert [child.name for child in worst.children] == ["C", "D", "B"]
    one, same, other = (reorder(tree, "random", seed=seed) for seed in (1, 1, 4))
    assert [n.name for n in walk(one)] == [n.name for n in walk(same)]
    assert [n.name for n in walk(one)] != [n.name for n in walk(other)]
    assert shape(tree) == (3, 2)
    assert shape(parse_tree("(1 (2 3))")) is None
    assert shape(parse_tree("5")) == (0, 0)
    static = parse_tree("A:0(B:1(D:5 E:9) C:7(F:8 G:3))")
    deepened = reorder(static, "iterative-deepening")
    assert [child.name for child in deepened.children] == ["C", "B"]
    assert [n.name for n in walk(reorder(parse_tree("(1 2)"), "iterative-deepening"))] == [
        "A",
        "B",
        "C",
    ]
    with pytest.raises(ThreefoldError, match="no order 'backwards'"):
        reorder(tree, "backwards")
    with pytest.raises(ThreefoldError, match="cannot be put in order"):
        reorder(parse_tree("(1 A)"), "best-first")
    with pytest.raises(ThreefoldError, match="no tree of branching 0"):
        uniform(0, 3, 1)
    monkeypatch.setattr(ordering, "MAX_NODES", 1_000)
    with pytest.raises(ThreefoldError, match="more than 1,000 nodes"):
        grow(GameNode(game("othello"), game("othello").initial()), depth=12)


def test_compare_says_when_values_differ() -> None:
    compared = compare(
        parse_tree("A:0(B:6!(D:-4 E:-2) C:1(F:1 G:2))"), ["minimax", "quiescence"], depth=1
    )
    assert not compared.agree
    assert "do not agree" in str(compared)
    assert compared.to_json()["agree"] is False


def test_explanations_are_strict_json() -> None:
    for procedure in PROCEDURES:
        tree = "(<1,2> <3,0>)" if procedure in {"maxn", "paranoid"} else "A:0(B:1(3 0.5) C:2(2 4))"
        answer = explain(procedure, parse_tree(tree), tree=tree).to_json()
        assert list(answer) == ["procedure", "value", "path", "visited", "pruned", "events"]
        json.loads(json.dumps(answer, allow_nan=False))


# What once went wrong.


def test_a_parenthesis_belongs_to_what_it_touches() -> None:
    root = parse_tree("A(B:3 (4 5))")
    assert [(child.name, len(child.children)) for child in root.children] == [("B", 0), ("C", 2)]
    assert explain("minimax", root).path == ["C", "D"]
    beside = parse_tree("A(B:3 ~(0.5*4 0.5*5))")
    assert [child.player for child in beside.children] == [MIN, CHANCE]
    assert explain("expectiminimax", beside).value == Fraction(9, 2)
    with pytest.raises(ThreefoldError, match="comes after the end"):
        parse_tree("A (1 2)")


def test_min_may_be_a_name_and_numbers_may_be_fractions() -> None:
    assert parse_tree("min:3").name == "min"
    assert parse_tree("min:3").player == MAX
    assert parse_tree("(1/2 3)").children[0].value == Fraction(1, 2)


def test_numbers_stay_exact() -> None:
    assert format_number(Fraction("123456789012345.5")) == "123456789012345.5"
    assert format_number(Fraction("-0.05")) == "-0.05"
    assert format_number(Fraction(10**30)) == "1" + "0" * 30


def test_iterative_deepening_to_no_depth_and_over_missing_values() -> None:
    assert explain("iterative-deepening", parse_tree("A:4(B:3 C:5)"), depth=0).value == 4
    explained = explain("iterative-deepening", parse_tree("((3 12 8) (2 4 6) (14 5 2))"))
    assert explained.value == 3
    passed_over = [e for e in explained.events if e.kind == "deepen" and "without" in e.data]
    assert [event["depth"] for event in passed_over] == [1]
    with pytest.raises(ThreefoldError, match="node B has no value"):
        explain("iterative-deepening", parse_tree("((1 2) 3)"), depth=1)
    with pytest.raises(ThreefoldError, match="node C has no value"):
        explain("iterative-deepening", parse_tree("(1 C)"))


def test_the_second_player_may_move_first_with_payoffs() -> None:
    tree = parse_tree("min (<3,1> <2,4>)")
    assert explain("maxn", tree).value == (2, 4)
    assert explain("paranoid", tree).value == 4


@given(tree_texts())
def test_mtdf_says_on_which_side_each_value_lies(text: str) -> None:
    root = parse_tree(text)
    truth = {
        e.node: e["value"] for e in explain("minimax", root).events if e.kind in {"leave", "leaf"}
    }
    for event in explain("mtdf", root).events:
        if event.kind == "leave":
            found, true = event["value"], truth[event.node]
            assert {"=": true == found, "≥": true >= found, "≤": true <= found}[event["sign"]]


def test_scout_says_what_it_cuts() -> None:
    events = explain("scout", parse_tree("((3 12 8) (2 4 6) (14 5 2))")).events
    assert [e.node for e in events if e.kind == "cutoff"] == ["C"]


def test_a_win_outweighs_any_guess() -> None:
    g = game("tic-tac-toe")
    explained = g.explain("minimax", "X../.X./OO. X", depth=1)
    assert (explained.path, explained.value) == (["c1"], 1000)
    assert g.explain("minimax", "X../.X./OO. X").value == 1, "to the end it is the utility"
    assert g.explain("minimax", depth=1).value == 4, "and with no end in sight the evaluation"


def test_three_players_are_called_by_number() -> None:
    tree = parse_tree("(((<1,2,9> <4,2,3>) (<5,1,1> <6,0,0>)) ((<9,9,0> <0,0,5>)))")
    for procedure in ("maxn", "paranoid"):
        explained = explain(procedure, tree)
        players = {e.node: e["player"] for e in explained.events if e.kind == "enter"}
        assert [players[node] for node in ("A", "B", "D")] == ["player 1", "player 2", "player 3"]
        assert not any("MAX" in sentence for sentence in narrate(explained.events))
        draw(explained.events)


@st.composite
def valued_trees(draw: st.DrawFn) -> str:
    """Trees with a static value at every node."""

    def node(depth: int) -> str:
        value = draw(st.integers(-2, 2))
        if depth == 0 or draw(st.integers(0, 3)) == 0:
            return f"{value}"
        below = " ".join(node(depth - 1) for _ in range(draw(st.integers(1, 3))))
        return f":{value}({below})"

    return draw(st.sampled_from(["", "min "])) + node(4)


@settings(max_examples=300)
@given(valued_trees(), st.integers(1, 4))
def test_iterative_deepening_breaks_ties_as_the_tree_has_them(text: str, depth: int) -> None:
    root = parse_tree(text)
    deepened, plain = (explain(p, root, depth=depth) for p in ("iterative-deepening", "minimax"))
    assert (deepened.value, deepened.path) == (plain.value, plain.path)


def test_sss_and_proof_number_say_why_the_rest_does_not_matter() -> None:
    said = narrate(explain("sss", parse_tree("((3 12) (2 4))")).events)
    assert "No other child of A promises more than B, 3: the rest is discarded." in said
    assert "E is solved: B continues with merit 3." in said
    won_there = narrate(explain("proof-number", parse_tree("((1 1) (0 1))")).events)
    assert "A is proven: MAX wins there, whatever the other nodes are worth." in won_there
    lost = narrate(explain("proof-number", parse_tree("((0 1) (0 1))")).events)
    assert "A is disproven: MAX cannot win there, whatever the other nodes are worth." in lost


def test_sss_thousands_of_levels_deep_with_siblings() -> None:
    root = parse_tree("(" * 3_000 + "5" + " 3)" * 3_000)
    assert explain("sss", root).value == 3
