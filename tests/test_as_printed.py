"""What the lectures print: their listings, their choices, and where they are wrong, worked out."""

import math
import re
from collections import Counter, deque
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_textbook import tree_texts

from threefold import ThreefoldError, game
from threefold.rules.contract import MAX
from threefold.textbook.compare import compare
from threefold.textbook.cut import CUTS, EQUAL, Cut, parse_cut
from threefold.textbook.deep_enough import exceeds, parse_policy
from threefold.textbook.exercise import Exercise, check
from threefold.textbook.experiments import experiment
from threefold.textbook.experiments.branching import POSITION
from threefold.textbook.explain import PROCEDURES, explain
from threefold.textbook.graph import Graph
from threefold.textbook.listing import listing
from threefold.textbook.ordering import uniform
from threefold.textbook.paths import bidirectional_as_printed, ida_star
from threefold.textbook.picture import draw
from threefold.textbook.presets import PRESETS
from threefold.textbook.replay import scene
from threefold.textbook.statistics import effective_branching_factor
from threefold.textbook.stepping import stepper
from threefold.textbook.tree import Node, parse_tree, walk

INF = math.inf
TIES = "A(B(D(H:3 I:1) E(J:3 K:7)) C(F(L:3 M:2) G(N:6 O:4)))"


# Where equality cuts.


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("equal", Cut(True, True)),
        ("strict", Cut(False, False)),
        ("max=equal,min=strict", Cut(True, False)),
        ("min=strict,max=equal", Cut(True, False)),
        (" max = strict , min = equal ", Cut(False, True)),
        ("min=strict", Cut(True, False)),
        ("max=strict", Cut(False, True)),
        ("max=equal", EQUAL),
    ],
)
def test_a_cut_is_read(text: str, cut: Cut) -> None:
    assert parse_cut(text) == cut
    assert parse_cut(str(cut)) == cut


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "'' is not a choice for a side"),
        ("both", "'both' is not a choice for a side; write equal, strict, or one for each side"),
        ("max", "'max' is not a choice"),
        ("max=", "'max=' is not a choice"),
        ("max=equal,", "'' is not a choice"),
        ("mid=equal", "'mid=equal' is not a choice"),
        ("max=equal,max=strict", "max is given twice"),
        ("equal,strict", "'equal' is not a choice"),
    ],
)
def test_a_cut_that_cannot_be_read(text: str, why: str) -> None:
    with pytest.raises(ThreefoldError, match=re.escape(why)):
        parse_cut(text)
    with pytest.raises(ThreefoldError, match=re.escape(why)):
        explain("alphabeta", parse_tree("(1 2)"), cut=text)


@given(st.text())
def test_any_text_is_a_cut_or_a_clear_error(text: str) -> None:
    try:
        assert parse_cut(text) in CUTS
    except ThreefoldError as error:
        assert len(str(error).splitlines()) == 1


def printed_soft(node: Node, alpha: float, beta: float, cuts: tuple[bool, bool]) -> Any:
    """The first listing, transcribed: `v > β` or `v ≥ β`, a value and the nodes looked at."""
    if not node.children:
        return node.value, [node.name]
    seen = [node.name]
    v = -INF if node.player == MAX else INF
    for child in node.children:
        value, below = printed_soft(child, alpha, beta, cuts)
        seen += below
        if node.player == MAX:
            v = max(v, value)
            if (v >= beta) if cuts[0] else (v > beta):
                return v, seen
            alpha = max(alpha, v)
        else:
            v = min(v, value)
            if (v <= alpha) if cuts[1] else (v < alpha):
                return v, seen
            beta = min(beta, v)
    return v, seen


def printed_hard(node: Node, alpha: float, beta: float, cuts: tuple[bool, bool]) -> Any:
    """The second, transcribed: `α ≥ β` returns β, and `β < α` returns α."""
    if not node.children:
        return node.value, [node.name]
    seen = [node.name]
    for child in node.children:
        value, below = printed_hard(child, alpha, beta, cuts)
        seen += below
        if node.player == MAX:
            alpha = max(alpha, value)
            if (alpha >= beta) if cuts[0] else (alpha > beta):
                return beta, seen
        else:
            beta = min(beta, value)
            if (beta <= alpha) if cuts[1] else (beta < alpha):
                return alpha, seen
    return (alpha if node.player == MAX else beta), seen


@given(tree_texts(), st.sampled_from(CUTS))
def test_the_listings_with_every_choice(text: str, cut: Cut) -> None:
    root, sides = parse_tree(text), (cut.at_max, cut.at_min)
    for procedure, printed in (("alphabeta", printed_soft), ("alphabeta-hard", printed_hard)):
        run = explain(procedure, root, cut=str(cut))
        assert (run.value, run.visited) == printed(root, -INF, INF, sides)
    assert explain("negamax", root, cut=cut).visited == explain("alphabeta", root, cut=cut).visited


def test_every_choice_skips_something_else() -> None:
    skipped = {
        str(cut): explain("alphabeta-hard", parse_tree(TIES), cut=cut).pruned for cut in CUTS
    }
    assert skipped == {
        "equal": ["K", "G"],
        "strict": ["O"],
        "max=equal,min=strict": ["K", "O"],
        "max=strict,min=equal": ["G"],
    }
    assert TIES in {preset.tree for preset in PRESETS}


def test_the_sign_of_a_cutoff_is_that_of_its_side() -> None:
    for procedure in ("alphabeta", "alphabeta-hard", "negamax"):
        events = explain(procedure, parse_tree(TIES), cut="max=equal,min=strict").events
        signs = {e["which"]: e["sign"] for e in events if e.kind.endswith("cutoff")}
        assert signs == {"beta": "≥"}
        events = explain(procedure, parse_tree("((5 6) (3 9))"), cut="min=strict").events
        assert {e["sign"] for e in events if e.kind == "cutoff"} == {"<"}


def test_compare_and_exercises_take_the_same_choice() -> None:
    rows = compare(parse_tree(TIES), ["minimax", "alphabeta"], cut="max=equal,min=strict").rows
    assert [row.nodes for row in rows] == [15, 13]
    with pytest.raises(ThreefoldError, match="none of these procedures has it"):
        compare(parse_tree(TIES), ["minimax"], cut="strict")
    lecture = Exercise(TIES, "alphabeta-hard", equality="max=equal,min=strict")
    assert "\nequality: max=equal,min=strict\n" in lecture.sheet()
    assert "cut: K O" in lecture.solution()
    assert check(lecture.solution()).right
    assert not check(lecture.solution().replace("max=equal,min=strict", "strict")).right
    with pytest.raises(ThreefoldError, match=r"line 5: .*'often'"):
        check(lecture.sheet().replace("max=equal,min=strict", "often"))
    with pytest.raises(ThreefoldError, match="minimax makes no cuts"):
        Exercise(TIES, "minimax", equality="strict")


# MINMAX(Position, Depth, Player) and DEEP_ENOUGH.


def test_exceeds_searches_one_ply_more() -> None:
    root = uniform(2, 5, seed=3)
    for limit in range(4):
        printed = explain("minmax", root, deep_enough=f"exceeds={limit}")
        for same in (f"plies={limit + 1}", exceeds(limit)):
            assert explain("minmax", root, deep_enough=same).visited == printed.visited
        assert printed.visited == explain("minmax", root, depth=limit + 1).visited
        # `--depth N` is N plies for every procedure.
        deepest = max(len(name) - 1 for name in explain("minmax", root, depth=limit).visited)
        assert deepest == limit


@given(tree_texts())
def test_value_is_the_given_players(text: str) -> None:
    """MINMAX as printed, transcribed, from −∞: VALUE is for the player to move."""

    def printed(position: Node) -> tuple[Any, list[str]]:
        if not position.children:
            return (position.value if position.player == MAX else -position.value), []  # type: ignore[operator]
        best: tuple[Any, list[str]] = (-INF, [])
        for succ in position.children:
            value, path = printed(succ)
            if -value > best[0]:
                best = -value, [succ.name, *path]
        return best

    root = parse_tree(text)
    explained = explain("minmax", root)
    value, path = printed(root)
    assert explained.path == path
    assert explained.value == (value if root.player == MAX else -value)
    assert ("for MIN, the player to move" in str(explained)) == (root.player != MAX)


@pytest.mark.parametrize(
    ("text", "visited"),
    [
        ("won", "A B D E H I C F G"),
        ("won,plies=1", "A B C"),
        ("exceeds=1", "A B D E C F G"),
        ("promising=1:8", "A B D E H I C"),
        ("promising=1:4,plies=2", "A B C"),
        ("promising=2:0", "A B D E C F G"),
        ("time=0", "A"),
        ("time=1000,plies=0", "A"),
        ("stable=1", "A B D E C"),
        ("stable=0", "A"),
        (" stable = 2 , won ", "A B D E C F G"),
    ],
)
def test_the_five_factors_as_text(text: str, visited: str) -> None:
    tree = "A:0(B:4!(D:1 E:2(H:1 I:2)) C:8(F:0 G:3))"
    assert explain("minmax", parse_tree(tree), deep_enough=text).visited == visited.split()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "'' is not a factor: one of won, plies"),
        ("deep", "'deep' is not a factor"),
        ("plys=3", "did you mean plies?"),
        ("won,won", "won is given twice"),
        ("won=1", "'won=1' should be like won"),
        ("won,plies", "'plies' should be like plies=3"),
        ("plies=-1", "'plies=-1' should be like plies=3"),
        ("plies=1.5", "should be like plies=3"),
        ("plies=²", "should be like plies=3"),
        ("exceeds=", "should be like exceeds=3"),
        ("promising=4", "should be like promising=4:8, plies and margin"),
        ("promising=4:x", "should be like promising=4:8"),
        ("promising=4:8:1", "should be like promising=4:8"),
        ("time=nan", "should be like time=0.5, in seconds"),
        ("time=-1", "should be like time=0.5"),
        ("stable", "should be like stable=2"),
    ],
)
def test_factors_that_cannot_be_read(text: str, why: str) -> None:
    with pytest.raises(ThreefoldError, match=re.escape(why)):
        parse_policy(text)


@given(st.text() | st.from_regex(r"(won|plies|exceeds|promising|time|stable)=?[0-9:.e+-]*"))
def test_any_text_is_a_policy_or_a_clear_error(text: str) -> None:
    try:
        policy = parse_policy(text)
    except ThreefoldError as error:
        assert len(str(error).splitlines()) == 1
    else:
        assert policy(Node("A", MAX, 0), 3) in {True, False}


def test_only_minmax_has_deep_enough() -> None:
    for procedure in PROCEDURES:
        if procedure != "minmax":
            with pytest.raises(ThreefoldError, match="minmax has it"):
                explain(procedure, parse_tree("(1 2)"), deep_enough="won")


def test_the_clock_starts_anew_when_a_game_is_searched_again() -> None:
    """A game whose decided and estimated values mix is searched twice; both have their time."""
    g = game("tic-tac-toe")
    run = g.explain("minmax", "XX./OO./... X", deep_enough="plies=2,time=3600")
    assert (run.value, run.path) == (1000, ["c3"])


# The plausible-move generator.


@given(tree_texts(), st.integers(1, 3))
def test_plausible_moves_are_those_that_look_best(text: str, keep: int) -> None:
    root = parse_tree(text)
    for place, node in enumerate(walk(root)):  # any static values
        if node.children:
            node.value = (place * 7) % 5 - 2

    def generated(node: Node) -> list[str]:
        sign = -1 if node.player == MAX else 1
        best = sorted(node.children, key=lambda child: sign * child.value)[:keep]  # type: ignore[operator]
        kept = [child for child in node.children if child in best]
        return [node.name, *(name for child in kept for name in generated(child))]

    run = explain("minimax", root, plausible=keep)
    assert run.visited == generated(root)
    left_out = [
        child.name
        for node in walk(root)
        for child in node.children
        if node.name in run.visited and child.name not in run.visited
    ]
    assert sorted(run.pruned) == sorted(run.implausible) == sorted(left_out)
    same = explain("alphabeta", root, plausible=keep)
    assert same.value == run.value
    assert set(same.visited) <= set(run.visited)
    assert explain("minmax", root, plausible=99).visited == explain("minmax", root).visited


def test_moves_that_are_not_generated_look_different_from_pruned_ones() -> None:
    tree = "A(B:3(D:3 E:5) C:2(F:3 G:-9) H:9(I:1 J:2))"
    run = explain("alphabeta", parse_tree(tree), plausible=2, tree=tree)
    assert (run.pruned, run.implausible) == (["C", "J"], ["C"])
    assert "pruned: J\nnot generated: C\n" in str(run)
    last = scene(run.events)
    assert [last.is_implausible(name) for name in ("C", "F", "J", "B")] == [
        True,
        True,
        False,
        False,
    ]
    picture = draw(run.events)
    assert picture.count('class="edge pruned implausible"') == 3
    assert picture.count('class="bars"') == 1
    assert "Pruned: J. Not generated: C." in picture
    data = stepper(run.events)
    assert any(
        "B and H look best for MAX at A; C is not generated." in s for s in data["sentences"]
    )


def test_plausible_moves_by_the_games_own_order() -> None:
    g = game("othello(size=4)")
    run = g.explain("minimax", depth=2, plausible=1, plausible_by="order")
    s = g.initial()
    first = max(g.moves(s), key=lambda a: g.order(s, a))
    assert run.path[0] == g.format_move(s, first)
    with pytest.raises(ThreefoldError, match="has no first guess at how good a move is"):
        game("tic-tac-toe").explain("minimax", depth=1, plausible=1, plausible_by="order")
    for bad, why in (
        ({"plausible": 0}, "keep at least one"),
        ({"plausible": 1, "plausible_by": "luck"}, "neither eval nor order"),
        ({"plausible": 1, "plausible_by": "order"}, "needs a game's own tree"),
        ({"plausible": 1}, "node B has no static value"),
    ):
        with pytest.raises(ThreefoldError, match=why):
            explain("minimax", parse_tree("((1 2) (3 4))"), **bad)


def test_the_sacrifice_is_overlooked() -> None:
    figures = experiment("plausible").figures["chess"]
    moves = {name: row["move"] for name, row in figures.items()}
    assert moves["every move"] == "c4g8"
    assert {"c4g8"}.isdisjoint(move for name, move in moves.items() if name != "every move")


# Listings of their own, and what is printed beside them.


@pytest.mark.parametrize("procedure", ["minimax-value", "minimax-n", "heuristic-minimax"])
@given(text=tree_texts(), depth=st.none() | st.integers(0, 3))
def test_one_function_for_both_sides(procedure: str, text: str, depth: int | None) -> None:
    root = parse_tree(text)
    for node in walk(root):
        node.value = 0 if node.value is None else node.value
    ours, theirs = explain(procedure, root, depth=depth), explain("minimax", root, depth=depth)
    assert (ours.value, ours.path, ours.visited) == (theirs.value, theirs.path, theirs.visited)


def test_each_listing_is_its_own() -> None:
    texts = {name: "\n".join(listing(run).lines) for name, run in PROCEDURES.items()}
    assert "def minimax_decision(state):" in texts["minimax-value"]
    assert "lowest(scores)" in texts["minimax-n"]
    assert re.search(r"v = INFINITY\n +for m in n.children", texts["heuristic-minimax"])


def test_notes_stand_at_the_lines_they_are_about() -> None:
    code = listing(PROCEDURES["heuristic-minimax"])
    shown = {code.lines[line].strip(): text for line, text in code.printed.items()}
    assert shown["v = -INFINITY"].startswith("v ← +∞")
    assert shown["v = INFINITY"].startswith("v ← −∞")
    assert shown["value, below = minimax(m, plies + 1)"].startswith("MINIMAX(n)")
    code = listing(PROCEDURES["minmax"])
    shown = {code.lines[line].strip(): text for line, text in code.printed.items()}
    assert shown["best_score = -INFINITY"].startswith("BEST_SCORE ← the least value")
    data = stepper(explain("minmax", parse_tree("(1 2)"), tree="(1 2)").events)
    assert data["printed"] == {str(line): text for line, text in code.printed.items()}


def test_the_docs_have_every_note() -> None:
    docs = (Path(__file__).parents[1] / "docs" / "explain.md").read_text("utf-8")
    notes = [text for run in PROCEDURES.values() for text in listing(run).printed.values()]
    assert len(notes) > 10
    assert [note for note in notes if note not in docs] == []


# Misprints.


def test_the_lectures_nim_is_the_one_where_the_last_stone_loses() -> None:
    """Every value it backs up, in its order; the rule that it states gives others."""
    printed = [-1, -1, 1, 1, 1, 1, 1, 1, 1, -1, -1, 1]
    runs = {
        misere: game(f"nim(heaps=5,take=2,misere={misere})").explain("minimax")
        for misere in ("false", "true")
    }
    values = {
        misere: [e["value"] for e in run.events if e.kind == "leave"]
        for misere, run in runs.items()
    }
    assert values["true"] == printed
    assert values["false"] != printed
    assert runs["true"].path[0] == "1:1"
    assert runs["false"].path[0] == "1:2"


def test_six_plies_leave_a_tree_of_four_below_the_cut() -> None:
    """G is two plies down, so it is not three plies that are skipped but four."""

    def deep(name: str, value: int, plies: int) -> str:
        below = " ".join(deep("", value, plies - 1) for _ in range(2)) if plies else ""
        return f"{name}({below})" if plies else str(value)

    tree = f"A(B({deep('D', 3, 4)} {deep('E', 5, 4)}) C({deep('F', -5, 4)} {deep('G', 0, 4)}))"
    run = explain("alphabeta", parse_tree(tree))
    assert "G" in run.pruned
    g = next(node for node in walk(parse_tree(tree)) if node.name == "G")
    height, layer = 0, list(g.children)
    while layer:
        height, layer = height + 1, [child for node in layer for child in node.children]
    assert height == 4
    assert sum(1 for node in walk(g) if not node.children) == 2**4


@pytest.mark.parametrize(("b", "n"), [(2, 7), (3, 5), (4, 4), (5, 3)])
def test_ida_star_costs_no_factor_of_b(b: int, n: int) -> None:
    """All contours together expand b/(b − 1) times the last one, less than b times for b > 2."""
    names = [""]
    edges = []
    for name in names:
        if len(name) < n:
            below = [name + chr(ord("a") + i) for i in range(b)]
            edges += [(name or "root", child, 1) for child in below]
            names += below
    goal = chr(ord("a") + b - 1) * n  # the last leaf: the whole last contour is needed
    graph = Graph(edges, dict.fromkeys((name or "root" for name in names), 0))
    found = ida_star(graph, "root", goal)
    contours = [(b ** (i + 1) - 1) // (b - 1) for i in range(n + 1)]
    assert len(found.expanded) == sum(contours)
    assert found.bounds == list(range(n + 1))
    assert sum(contours) < contours[-1] * b / (b - 1)
    assert b == 2 or sum(contours) < b * b**n


def test_when_bidirectional_search_as_printed_misses() -> None:
    """All graphs of five nodes: by the length of the shortest path, what is found."""
    found: Counter[tuple[int, str]] = Counter()
    for bits in range(1 << 10):
        roads = [pair for i, pair in enumerate(combinations("ABCDG", 2)) if bits >> i & 1]
        graph = Graph(
            [(a, b, 1) for x, y in roads for a, b in ((x, y), (y, x))], dict.fromkeys("ABCDG", 0)
        )
        steps = {"A": 0}
        waiting = deque("A")
        while waiting:
            node = waiting.popleft()
            for name, _ in graph.successors(node):
                if name not in steps:
                    steps[name] = steps[node] + 1
                    waiting.append(name)
        if "G" in steps:
            path = bidirectional_as_printed(graph, "A", "G").path
            best = len(path) - 1 == steps["G"]
            found[steps["G"], "best" if best else "longer" if path else "none"] += 1
    assert found == {
        (1, "longer"): 459,
        (1, "none"): 53,
        (2, "best"): 240,
        (2, "longer"): 24,
        (2, "none"): 32,
        (3, "best"): 18,
        (3, "longer"): 11,
        (3, "none"): 31,
        (4, "best"): 6,
    }


@pytest.mark.parametrize("length", range(1, 12))
def test_on_a_plain_road_the_parity_decides(length: int) -> None:
    names = [f"N{i:02}" for i in range(length + 1)]
    graph = Graph([(a, b, 1) for a, b in pairwise(names)], dict.fromkeys(names, 0))
    path = bidirectional_as_printed(graph, names[0], names[-1]).path
    assert path == (names if length % 2 == 0 else [])


def test_the_branching_factors_are_counted() -> None:
    figures = experiment("branching").figures
    g = game("chess")
    layers = [1]
    states = [g.parse(POSITION)]
    for _ in range(3):
        states = [g.result(s, a) for s in states for a in g.moves(s)]
        layers.append(len(states))
    minimax, generated, captures, _, deeper = figures["rows"]
    assert (minimax["nodes"], minimax["leaves"]) == (sum(layers), layers[3])
    assert minimax["branching"] == pytest.approx(effective_branching_factor(sum(layers), 3), 0.01)
    order = [row["branching"] for row in (deeper, captures, generated, minimax)]
    assert order == sorted(order)
    assert figures["moves"] == pytest.approx(layers[3] ** (1 / 3))
