"""Narration, drawings, pages and figures, all from the events of a run."""

import json
import re
import shutil
import sys
from dataclasses import astuple
from html import unescape
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

import processes
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from threefold.errors import ThreefoldError
from threefold.textbook.explain import PROCEDURES, explain
from threefold.textbook.layout import GAP, lay_out
from threefold.textbook.narration import narrate, steps
from threefold.textbook.page import page
from threefold.textbook.page_files import script
from threefold.textbook.picture import draw, look_at
from threefold.textbook.replay import replay, scene, show
from threefold.textbook.statistics import effective_branching_factor, statistics
from threefold.textbook.stepping import MAX_STEPS
from threefold.textbook.terminal import draw_tree
from threefold.textbook.tikz import escape, tikz
from threefold.textbook.trace import INFINITY, Event
from threefold.textbook.tree import parse_tree
from threefold.textbook.treeshape import MAX_DRAWN, shape_of

SMALL = "A(B(D:3 E:5) C(F:-5 G))"
LECTURE = "A(B(D:3 E:5) C(F(I(K:0 L) J:5) G(M:7 N)))"
NINE = "((3 12 8) (2 4 6) (14 5 2))"
DEEP = "(" * 10_000 + "1" + " 2)" * 10_000
SVG = "{http://www.w3.org/2000/svg}"


def run(tree: str, procedure: str = "alphabeta", **options: Any) -> list[Event]:
    return list(explain(procedure, parse_tree(tree), tree=tree, **options).events)


def as_game(events: list[Event]) -> list[Event]:
    """The same run without the tree's text, as a game has it."""
    first = events[0]
    return [Event(first.kind, first.node, first.data | {"tree": None}), *events[1:]]


def event(kind: str, node: str, **data: Any) -> Event:
    return Event(kind, node, data)


@st.composite
def trees(draw_from: st.DrawFn) -> str:
    text = draw_from(
        st.recursive(
            st.integers(-99, 99).map(str),
            lambda below: st.lists(below, min_size=1, max_size=4).map(
                lambda family: f"({' '.join(family)})"
            ),
            max_leaves=40,
        )
    )
    return draw_from(st.sampled_from(["", "min "])) + text


# Narration.


def test_narration_of_the_small_tree() -> None:
    assert [sentence for sentence in narrate(run(SMALL)) if sentence] == [
        "alphabeta starts at A, where MAX is to move.",
        "MAX is to move at A: α = −∞, β = ∞.",
        "MIN is to move at B: α = −∞, β = ∞.",
        "D is worth 3.",
        "With D, MIN at B holds it to 3 or less: β = 3.",
        "E is worth 5.",
        "E returns 5 to B: β stays 3.",
        "B is worth 3, by D.",
        "With B, MAX at A is sure of 3 or more: α = 3.",
        "MIN is to move at C: α = 3, β = ∞.",
        "F is worth −5.",
        "C can be held to −5 or less, but A already has 3 or more: G is never looked at.",
        "C returns −5 or less to A: α stays 3.",
        "A is worth 3: the best line is B, D.",
    ]


def test_narration_of_the_lecture_tree() -> None:
    assert [sentence for sentence in narrate(run(LECTURE)) if sentence] == [
        "alphabeta starts at A, where MAX is to move.",
        "MAX is to move at A: α = −∞, β = ∞.",
        "MIN is to move at B: α = −∞, β = ∞.",
        "D is worth 3.",
        "With D, MIN at B holds it to 3 or less: β = 3.",
        "E is worth 5.",
        "E returns 5 to B: β stays 3.",
        "B is worth 3, by D.",
        "With B, MAX at A is sure of 3 or more: α = 3.",
        "MIN is to move at C: α = 3, β = ∞.",
        "MAX is to move at F: α = 3, β = ∞.",
        "MIN is to move at I: α = 3, β = ∞.",
        "K is worth 0.",
        "I can be held to 0 or less, but A already has 3 or more: L is never looked at.",
        "I returns 0 or less to F: α stays 3.",
        "J is worth 5.",
        "With J, MAX at F is sure of 5 or more: α = 5.",
        "F is worth 5, by J.",
        "With F, MIN at C holds it to 5 or less: β = 5.",
        "MAX is to move at G: α = 3, β = 5.",
        "M is worth 7.",
        "G is worth 7 or more to MAX, but MIN at C already has 5 or less: N is never looked at.",
        "G returns 7 or more to C: β stays 5.",
        "C is worth 5, by F.",
        "With C, MAX at A is sure of 5 or more: α = 5.",
        "A is worth 5: the best line is C, F, J.",
    ]


def test_narration_without_windows_and_bottom_up() -> None:
    said = narrate(run("A(B:8 C:3)", "minimax"))
    assert "B returns 8 to A: the best for MAX so far." in said
    assert "C returns 3 to A: MAX keeps 8, by B." in said
    assert narrate(run("A(B:8 C:3)", "minimax-bottom-up"))[0] == (
        "minimax-bottom-up generates the whole tree below A first, then backs the values up layer "
        "by layer."
    )


def test_a_cutoff_may_skip_many_children_and_after_the_last_comes_too_late() -> None:
    skips_many = "((3 12) (2 0 0 0 0 0 0 0) (14 2))"
    said = [
        s for e, s in zip(run(skips_many), narrate(run(skips_many)), strict=True) if "cut" in e.kind
    ]
    assert said == [
        "C can be held to 2 or less, but A already has 3 or more: "
        "H, I, J, K and 3 more are never looked at.",
        "2 ≤ α = 3: D could be cut, but nothing is left to skip.",
    ]


def test_a_cut_by_equality_is_no_but() -> None:
    assert (
        "C can be held to 3 or less, and A already has 3 or more: G is never looked at."
    ) in narrate(run("A(B(D:3 E:5) C(F:3 G))"))


def test_the_words_of_single_procedures() -> None:
    events = [
        event("start", "A", procedure="iterative-deepening", tree=None),
        event("deepen", "A", depth=1),
        event("enter", "A", player="MAX"),
        event("expand", "A", children=["B"]),
        event("stand-pat", "A", value=4),
        event("extend", "B", why="the position is not quiet"),
        event("search-again", "B", alpha=3, beta=INFINITY, why="the test failed high"),
        event("deepen", "A", depth=2, value=-5, path=["B"]),
        event("guess", "A", value=5),
        event("proof", "B", proof=1, disproof=INFINITY),
        event("no such kind", "Z", anything=1),
    ]
    assert [sentence for sentence in narrate(events) if sentence] == [
        "iterative-deepening starts at A, where MAX is to move.",
        "Now the search goes 1 ply deep.",
        "MAX is to move at A.",
        "MAX at A may stand pat with 4.",
        "B is searched deeper: the position is not quiet.",
        "B is searched again with α = 3, β = ∞: the test failed high.",
        "At depth 2 the value is −5, by B.",
        "The guess for A is now 5.",
        "B has proof number 1 and disproof number ∞.",
    ]
    for make in (draw, tikz, lambda shown: page(shown, "x"), statistics):
        assert make(events)
    assert draw_tree(scene(events))


def test_the_root_of_a_game_is_called_the_root() -> None:
    events = [
        event("start", ".", procedure="minimax", tree=None),
        event("enter", ".", player="MAX"),
        event("expand", ".", children=["b2", "c1"]),
        event("enter", "b2", player="MIN"),
        event("leaf", "b2", value=1),
        event("child", ".", child="b2", value=1),
        event("leave", ".", value=1, choice="b2"),
    ]
    assert narrate(events)[-1] == "The root is worth 1: the best line is b2."
    assert "c1  not looked at" in draw_tree(scene(events))


def test_no_events() -> None:
    assert narrate([]) == []
    assert statistics([]).nodes == 0
    with pytest.raises(ThreefoldError, match="no events"):
        draw([])


# Scenes.


def test_a_step_that_does_not_exist() -> None:
    with pytest.raises(ThreefoldError, match="no step 99: this run has steps 0 to"):
        scene(run(SMALL), 99)


@given(trees())
@settings(max_examples=25, deadline=None)
def test_going_through_all_steps_equals_jumping_to_each(tree: str) -> None:
    events = run(tree)[:120]
    layout = lay_out(events)
    for now in replay(events):
        assert look_at(now, layout) == look_at(scene(events, now.step), layout)


@given(trees())
@settings(max_examples=60, deadline=None)
def test_the_last_scene_agrees_with_the_explanation(tree: str) -> None:
    answer = explain("alphabeta", parse_tree(tree), tree=tree)
    last = scene(answer.events)
    assert last.line == list(answer.path)
    assert last.spot(last.shape.root).says == show(answer.value)
    assert [node for node in last.shape.walk() if last.spot(node).pruned] == answer.pruned


@given(trees())
@example("((1) (((1 0))))")  # a null window with a cutoff after a node's only child
@settings(max_examples=60, deadline=None)
def test_every_sign_is_true(tree: str) -> None:
    """At every step `≥ 3`, `≤ 3` or `3` at a node holds for its minimax value."""
    root = parse_tree(tree)
    true: dict[str, Any] = {}
    for said in run(tree, "minimax"):
        if said.kind in {"leaf", "leave"}:
            true[said.node] = said["value"]
    assert set(true) >= {root.name}
    for procedure in ("alphabeta", "alphabeta-hard", "negamax", "scout", "pvs", "mtdf"):
        for now in replay(run(tree, procedure)):
            for node in now.shape.walk():
                spot = now.spot(node)
                if spot.sign == "=":
                    assert true[node] == spot.value
                elif spot.sign == "≥":
                    assert true[node] >= spot.value
                elif spot.sign == "≤":
                    assert true[node] <= spot.value


@pytest.mark.parametrize("procedure", PROCEDURES)
def test_every_procedure_can_be_shown(procedure: str) -> None:
    tree = "A:0(B:1(D:1 E:-1) C:-1(F:-1 G:1))"
    if procedure in {"maxn", "paranoid"}:
        tree = "A(B(D:<1,0> E:<0,1>) C(F:<2,2> G:<0,3>))"
    answer = explain(procedure, parse_tree(tree), tree=tree)
    events = list(answer.events)
    assert len(narrate(events)) == len(events)
    for some in (events, as_game(events)):
        assert ElementTree.fromstring(draw(some)).tag == SVG + "svg"
        assert tikz(some)
        assert page(some, procedure)
        assert draw_tree(scene(some))
    assert statistics(events).nodes == len(answer.visited)


def test_a_second_search_forgets_the_first() -> None:
    """As iterative deepening has it: the second pass cuts what the first had looked at."""
    first = run("A(B(D:3 E:5) C(F:4 G:9))", "minimax")
    events = [*first, *run("A(B(D:3 E:5) C(F:-5 G))")[1:]]
    again = scene(events, len(first) + 2)
    assert not again.spot("D").looked
    assert again.line == ["C", "F"], "until the second pass has a line, the first one's stands"
    assert scene(events).spot("G").pruned
    assert any("G is not looked at this time" in sentence for sentence in narrate(events))


def test_merits_and_proof_numbers_are_not_values() -> None:
    events = [
        event("start", "A", procedure="sss", tree="A(B(C:1 D:9) E:0)"),
        event("child", "B", child="D", value=1),
        event("leave", "B", value=1, choice="C"),
    ]
    assert scene(events).spot("B").says == "h 1"
    assert narrate(events)[1:] == [
        "D is solved: B continues with merit 1.",
        "B is solved with merit 1, by C.",
    ]
    events = [
        event("start", "A", procedure="proof-number", tree="A(B:1 C:-1)"),
        event("proof", "A", proof=1, disproof=INFINITY),
    ]
    assert draw_tree(scene(events)).splitlines()[0] == "▶ ▲ A 1 : ∞"


# The terminal.


def test_the_tree_in_a_terminal() -> None:
    events = run(LECTURE)
    at_the_cutoff = next(i for i, e in enumerate(events, 1) if e.kind == "cutoff")
    assert draw_tree(scene(events, at_the_cutoff)).splitlines() == [
        "  ▲ A ≥ 3  [3, ∞]",
        "  ├→ ▼ B = 3  [−∞, 3]",
        "  │  ├→ D = 3",
        "  │  └─ E = 5",
        "  └─ ▼ C  [3, ∞]",
        "     ├─ ▲ F  [3, ∞]",
        "▶    │  ├─ ▼ I ≤ 0  [3, ∞]",
        "     │  │  ├─ K = 0",
        "     │  │  └✂ L  cut by α",
        "     │  └─ J: 5",
        "     └─ ▲ G",
        "        ├─ M: 7",
        "        └─ N",
    ]
    assert draw_tree(scene(events)).splitlines() == [
        "▶ ▲ A = 5  [5, ∞]",
        "  ├─ ▼ B = 3  [−∞, 3]",
        "  │  ├─ D = 3",
        "  │  └─ E = 5",
        "  └→ ▼ C = 5  [3, 5]",
        "     ├→ ▲ F = 5  [5, ∞]",
        "     │  ├─ ▼ I ≤ 0  [3, ∞]",
        "     │  │  ├─ K = 0",
        "     │  │  └✂ L  cut by α",
        "     │  └→ J = 5",
        "     └─ ▲ G ≥ 7  [3, 5]",
        "        ├─ M = 7",
        "        └✂ N  cut by β",
    ]


def test_a_pruned_part_hangs_together_and_a_game_shows_only_what_it_generated() -> None:
    events = run("A(B(D:3 E:5) C(F:-5 G(H:1 I:2)))")
    assert draw_tree(scene(events)).splitlines()[-3:] == [
        "     └✂ ▲ G  cut by α",
        "        ├┄ H: 1",
        "        └┄ I: 2",
    ]
    game = as_game(events)
    assert draw_tree(scene(game)).splitlines()[-1] == "     └✂ ▲ G  cut by α"
    assert draw_tree(scene(game, 3)).splitlines() == ["▶ ▲ A  [−∞, ∞]", "  ├─ ▼ B", "  └─ ▼ C"]


def test_no_line_is_too_wide_and_a_large_tree_is_cut_short() -> None:
    lines = draw_tree(scene(run(DEEP), 700), width=60).splitlines()
    assert max(map(len, lines)) <= 60
    assert len(lines) <= MAX_DRAWN + 2
    assert lines[-2] == "  19,802 more nodes are not drawn."
    assert lines[-1].startswith("▶ ")
    assert lines[-1].endswith("below what is drawn")


# Pictures.


def classes(svg: str, kind: str) -> list[set[str]]:
    found = (
        set((g.get("class") or "").split()) for g in ElementTree.fromstring(svg).iter(SVG + "g")
    )
    return [words for words in found if kind in words]


def test_the_picture_of_the_lecture_tree() -> None:
    svg = draw(run(LECTURE))
    root = ElementTree.fromstring(svg)
    assert root.findtext(SVG + "title") == "alphabeta: the tree after step 46"
    assert root.findtext(SVG + "desc") == (
        "A game tree with MAX to move at the root A. Its value: 5. Best line so far: C, F, J. "
        "Pruned: L, N."
    )
    texts = [text.text for text in root.iter(SVG + "text")]
    assert {"≤ 0", "≥ 7", "[3, ∞]", "[−∞, 3]", "α", "β"} <= set(texts)
    nodes = classes(svg, "node")
    assert len(nodes) == 13
    assert sum("pruned" in words for words in nodes) == 2
    assert sum("best" in words for words in nodes) == 4
    assert len(classes(svg, "bars")) == 2
    assert re.search(r"\.pruned \.shape\{[^}]*stroke-dasharray", svg)


def test_a_step_has_its_sentence_and_a_pointer() -> None:
    events = run(LECTURE)
    svg = draw(events, 25)
    assert "A already has 3 or more" in unescape(re.sub(r"</text>\s*<text[^>]*>", " ", svg))
    assert svg.count('class="pointer') == 1
    assert "pointer" not in draw(events, 0)


def test_chance_weights_and_payoff_vectors() -> None:
    tree = "A~(1/4*B:<3,1> 0.75*C:<-1,0>)"
    events = [
        event("start", "A", procedure="expectiminimax", tree=tree),
        event("enter", "A", player="CHANCE"),
        event("expand", "A", children=["B", "C"]),
        event("enter", "B", player="MAX"),
        event("leaf", "B", value=(3, 1)),
        event("child", "A", child="B", value=(3, 1)),
    ]
    texts = {text.text for text in ElementTree.fromstring(draw(events)).iter(SVG + "text")}
    assert {"0.25", "0.75", "⟨3, 1⟩", "⟨−1, 0⟩"} <= texts
    assert narrate(events)[-1] == "B, with probability 0.25, returns ⟨3, 1⟩ to A."
    assert draw_tree(scene(events)).splitlines() == [
        "▶ ● A",
        "  ├─ 0.25 × B = ⟨3, 1⟩",
        "  └✂ 0.75 × C: ⟨−1, 0⟩  not looked at",
    ]
    assert r"$\langle{}3, 1\rangle{}$" in tikz(events)


@given(trees())
@settings(max_examples=60, deadline=None)
def test_no_two_nodes_overlap(tree: str) -> None:
    layout = lay_out(run(tree))
    rows: dict[float, list[str]] = {}
    for node in layout.hidden:
        rows.setdefault(layout.y[node], []).append(node)
    for row in rows.values():
        for one, next_one in pairwise(row):
            free = layout.x[next_one] - layout.left[next_one] - layout.x[one] - layout.right[one]
            assert free >= GAP - 0.001
    assert min(layout.x[node] - layout.left[node] for node in layout.hidden) >= 0
    assert max(layout.x[node] + layout.right[node] for node in layout.hidden) <= layout.width


def test_a_tree_far_deeper_than_the_recursion_limit() -> None:
    assert sys.getrecursionlimit() < 10_000
    events = run(DEEP)
    svg = draw(events)
    assert len(classes(svg, "node")) <= MAX_DRAWN
    assert "more nodes are not drawn" in re.sub(r"</text>\s*<text[^>]*>", " ", svg)
    assert statistics(events).depth == 10_000
    data = page_data(page(events, "deep"))
    assert len(data["sentences"]) <= MAX_STEPS
    assert "steps of this long run are left out" in data["note"]


def test_a_wide_tree_collapses_too() -> None:
    events = run(f"({' '.join(map(str, range(500)))})")
    svg = draw(events)
    assert len(classes(svg, "node")) == MAX_DRAWN
    assert "301 more nodes are not drawn." in svg
    assert shape_of(events).first_levels()["A"] == 301
    assert "301 more nodes" in tikz(events)


# The page.


def test_the_page_is_alone_in_the_world() -> None:
    made = page(run(LECTURE), "Alpha & <beta>")
    assert set(re.findall(r"https?://[^\"' <\\]+", made)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"\b(src|href)=", made)
    assert "<title>Alpha &amp; &lt;beta&gt;</title>" in made
    assert '"aria-live": "polite"' in made
    assert "prefers-color-scheme: dark" in made
    assert not re.search(r"^(import|export) ", made, re.MULTILINE)
    assert len(made) < 100_000


def page_data(made: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', made, re.DOTALL)
    assert found
    data: dict[str, Any] = json.loads(found[1])
    return data


def test_the_steps_of_the_page() -> None:
    events = run(LECTURE)
    data = page_data(page(events, "x"))
    wanted = steps(narrate(events))
    assert data["sentences"] == [sentence for sentence in narrate(events) if sentence]
    assert [data["sentences"][k][0] for k in data["cutoffs"]] == ["I", "G"]
    layout = lay_out(events)
    now: dict[int, int] = {}
    for step, change in zip(wanted, data["changes"], strict=True):
        now.update(zip(change[::2], change[1::2], strict=True))
        looks = look_at(scene(events, step), layout).values()
        assert [data["looks"][now[i]] for i in range(len(looks))] == [
            list(astuple(look)) for look in looks
        ]


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_script_of_the_page_parses(tmp_path: Any) -> None:
    found = re.findall(r'<script type="module">(.*?)</script>', page(run(SMALL), "x"), re.DOTALL)
    for name, text in ("page.mjs", found[0]), ("widget.mjs", script("widget.js")):
        (tmp_path / name).write_text(text, encoding="utf-8")
        processes.run(["node", "--check", str(tmp_path / name)], check=True)


# TikZ.


def test_tikz_is_balanced_and_says_what_the_picture_says() -> None:
    text = tikz(run("A_1(B'(D:3 E:5) C(F:-5 G))"))
    assert text.count("{") == text.count("}")
    assert text.count("$") % 2 == 0
    assert text.count(r"\begin{tikzpicture}") == text.count(r"\end{tikzpicture}") == 1
    assert all(line.endswith(";") for line in text.splitlines()[4:-1])
    assert r"{A\_1}" in text
    assert r"{$\le{} -5$}" in text
    assert r"\draw[cut off]" in text
    assert r"{$\alpha{}$}" in text


def test_tex_characters_are_harmless() -> None:
    assert escape(r"a_b#%&${}^~\ ") == (
        r"a\_b\#\%\&\$\{\}\textasciicircum{}\textasciitilde{}\textbackslash{} "
    )


# Statistics.


def test_statistics_of_the_worked_examples() -> None:
    assert statistics(run(NINE)).to_json() == {
        "nodes": 11,
        "leaves": 7,
        "cutoffs": 1,
        "first_move_cutoffs": 1,
        "depth": 2,
        "effective_branching_factor": 2.70156212,
        "most_held": 7,
    }
    lecture = statistics(run(LECTURE))
    assert (lecture.leaves, lecture.cutoffs, lecture.first_move_cutoffs) == (5, 2, 2)
    whole = statistics(run(NINE, "minimax"))
    assert (whole.nodes, whole.leaves, whole.cutoffs) == (13, 9, 0)
    assert whole.effective_branching_factor == 3


def test_depth_first_holds_a_path_and_bottom_up_the_whole_tree() -> None:
    assert statistics(run(NINE, "minimax")).most_held == 1 + 3 + 3
    assert statistics(run(NINE, "minimax-bottom-up")).most_held == 13


def test_effective_branching_factor() -> None:
    assert effective_branching_factor(1 + 35 + 35**2, 2) == 35
    assert effective_branching_factor(1, 0) == 0


def test_numbers_as_people_write_them() -> None:
    assert [show(value) for value in (-3, -INFINITY, 0.5, (1, -2), None)] == [
        "−3",
        "−∞",
        "0.5",
        "⟨1, −2⟩",
        "",
    ]
