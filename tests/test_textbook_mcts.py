"""Monte Carlo tree search, step by step: its arithmetic, its phases, and how they are shown."""

import math
import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree

import nim
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shell import Shell
from test_textbook import WORKED, tree_texts

from threefold import ThreefoldError, game
from threefold.textbook import trace as tracing
from threefold.textbook.compare import compare
from threefold.textbook.explain import Explanation, explain
from threefold.textbook.mcts import MAX_SIMULATIONS
from threefold.textbook.narration import narrate, steps
from threefold.textbook.page import page
from threefold.textbook.picture import draw
from threefold.textbook.replay import scene, show_rounded
from threefold.textbook.stepping import stepper
from threefold.textbook.terminal import draw_tree
from threefold.textbook.tikz import tikz
from threefold.textbook.tree import Node, parse_tree, walk

NINE = "((3 12 8) (2 4 6) (14 5 2))"
DICE = "(~(1/2*3 1/2*8) ~(1/10*0 9/10*20) 4)"


def run(text: str, **options: Any) -> Explanation:
    return explain("mcts", parse_tree(text), tree=text, **options)


def found(explained: Explanation) -> dict[str, tuple[int, Any]]:
    """The visits and the mean of every node of the tree."""
    backed = (event for event in explained.events if event.kind == "back-up")
    return {event.node: (event["visits"], event["mean"]) for event in backed}


# Another UCT, which shares nothing with ours but the tree and the random numbers.


@dataclass
class Told:
    """What is known of a node."""

    outcomes: list[Fraction] = field(default_factory=list)

    @property
    def visits(self) -> int:
        return len(self.outcomes)

    @property
    def mean(self) -> Fraction:
        return sum(self.outcomes, Fraction(0)) / len(self.outcomes)


def at_random(node: Node, rng: Random) -> Node:
    chances = [Fraction(weight) for weight in node.weights] or [Fraction(1)] * len(node.children)
    sums = list(accumulate(chances))
    return node.children[bisect_right(sums, rng.random() * float(sums[-1]))]


def plain_uct(root: Node, rounds: int, c: float, seed: int) -> dict[str, Told]:
    """UCT as the survey has it (Browne et al., 2012), with every outcome kept."""
    rng = Random(seed)
    told = {node.name: Told() for node in walk(root)}

    def ucb(child: Node, parent: Node) -> float:
        sign = 1 if parent.player == 0 else -1
        share = math.log(told[parent.name].visits) / told[child.name].visits
        return float(sign * told[child.name].mean) + c * math.sqrt(share)

    for _ in range(rounds):
        path = [root]
        while path[-1].children:
            node = path[-1]
            if node.weights:
                path.append(at_random(node, rng))
                if not told[path[-1].name].visits:
                    break
                continue
            new = [child for child in node.children if not told[child.name].visits]
            if new:
                path.append(new[0])
                break
            best = max(ucb(child, node) for child in node.children)
            path.append(next(child for child in node.children if ucb(child, node) == best))
        end = path[-1]
        while end.children:
            end = at_random(end, rng)
        assert isinstance(end.value, int | Fraction)
        for node in path:
            told[node.name].outcomes.append(Fraction(end.value))
    return {name: one for name, one in told.items() if one.visits}


@settings(max_examples=150)
@given(
    tree_texts(chance=True), st.integers(1, 60), st.integers(0, 99), st.sampled_from([0, 0.5, 3])
)
def test_another_uct_with_the_same_random_numbers(
    text: str, rounds: int, seed: int, c: float
) -> None:
    root = parse_tree(text)
    ours = explain("mcts", root, simulations=rounds, exploration=c, seed=seed)
    theirs = plain_uct(root, rounds, c, seed)
    assert found(ours) == {name: (one.visits, one.mean) for name, one in theirs.items()}
    assert ours.value == theirs[root.name].mean


@given(tree_texts(chance=True), st.integers(0, 9))
def test_every_selection_is_by_the_highest_bound(text: str, seed: int) -> None:
    visits: dict[str, int] = {}
    means: dict[str, Any] = {}
    for event in run(text, simulations=30, seed=seed).events:
        if event.kind == "back-up":
            visits[event.node], means[event.node] = event["visits"], event["mean"]
        elif event.kind == "select":
            mover = {node.name: node.player for node in walk(parse_tree(text))}[event.node]
            bounds = [
                float(means[child] if mover == 0 else -means[child])
                + event["exploration"] * math.sqrt(math.log(visits[event.node]) / visits[child])
                for child in event["children"]
            ]
            assert event["bounds"] == bounds
            assert event["child"] == event["children"][bounds.index(max(bounds))]
            assert event["counts"] == [visits[child] for child in event["children"]]


@pytest.mark.parametrize(("text", "value", "path"), [case[:3] for case in WORKED])
def test_it_converges_to_minimax(text: str, value: int, path: list[str]) -> None:
    valued = re.sub(r"\b(G|K|L|N|O)(?=[ )])", r"\1:0", text)
    explained = run(valued, simulations=3000)
    exact = explain("minimax", parse_tree(valued))
    assert explained.path[:1] == exact.path[:1]
    leaves = [float(node.value) for node in walk(parse_tree(valued)) if not node.children]  # type: ignore[arg-type]
    assert abs(explained.value - exact.value) <= 0.05 * max(max(leaves) - min(leaves), 1)


def test_it_converges_to_the_expectation() -> None:
    explained = run(DICE, simulations=5000)
    assert explained.path == ["C"]  # chance ends the line
    assert explained.value == pytest.approx(18, abs=0.5)


def test_it_finds_the_winning_moves_of_games() -> None:
    assert game("nim(heaps=5,take=2)").explain("mcts", simulations=500).path[0] == "1:2"
    assert game("nim(heaps=2-3)").explain("mcts", simulations=500).path[0] == "2:1"
    threatened = game("tic-tac-toe").explain("mcts", "XX./.O./... O", simulations=500)
    assert threatened.path[0] == "c3"


@pytest.mark.parametrize("factor", ["0.001", "7", "1000"])
def test_units_do_not_matter(factor: str) -> None:
    """Exploration is scaled by the range of the values."""
    scaled = re.sub(r"\d+", lambda number: str(float(number[0]) * float(factor)), NINE)
    before, after = run(NINE, simulations=200), run(scaled, simulations=200)
    assert before.visited == after.visited
    assert float(after.value) == pytest.approx(float(before.value) * float(factor))


def test_exploration_on_a_game_follows_the_outcomes_so_far() -> None:
    twofold = nim.nim(utility=lambda s: 10 if s.turn else -10)
    events = twofold.explain("mcts", simulations=30).events
    rounds = [event["exploration"] for event in events if event.kind == "round"]
    assert rounds[0] == 1.4
    assert rounds[-1] == 14
    assert set(rounds) == {1.4, 14}


def test_the_same_player_may_move_twice() -> None:
    g = nim.nim(
        initial=lambda: nim.State(4, 0),
        result=lambda s, a: nim.State(s.stones - a, s.turn if a == 1 else 1 - s.turn),
    )
    exact = g.explain("minimax")
    worth = {e["child"]: e["value"] for e in exact.events if e.kind == "child" and e.node == "."}
    assert set(worth.values()) == {1, -1}
    assert worth[g.explain("mcts", simulations=1500).path[0]] == exact.value == 1


def test_seeds_repeat_and_differ() -> None:
    assert run(NINE, seed=4).events == run(NINE, seed=4).events
    assert run(NINE, seed=4).events != run(NINE, seed=5).events


# What it says.


def test_the_first_rounds_in_words() -> None:
    text = "A(B(D:3 E:5) C(F:-5 G:1))"
    assert [sentence for sentence in narrate(run(text, simulations=3).events) if sentence] == [
        "mcts starts at A, where MAX is to move: rounds of selection, expansion, simulation and "
        "back-up.",
        "Round 1, selection: it stops at A, where not every move was tried.",
        "Round 1, expansion: B, the first untried move at A, joins the tree.",
        "Round 1, simulation: from B, 1 random move leads to E, worth 5.",
        "Round 1, back-up: B now has 1 visit and the mean 5.",
        "Round 1, back-up: A now has 1 visit and the mean 5.",
        "Round 2, selection: it stops at A, where not every move was tried.",
        "Round 2, expansion: C, the first untried move at A, joins the tree.",
        "Round 2, simulation: from C, 1 random move leads to G, worth 1.",
        "Round 2, back-up: C now has 1 visit and the mean 1.",
        "Round 2, back-up: A now has 2 visits and the mean 3.",
        "Round 3, selection: MAX at A takes B, the highest bound. B: 5 + 7·√(ln 2 / 1) = 10.83; "
        "C: 1 + 7·√(ln 2 / 1) = 6.83.",
        "Round 3, selection: it stops at B, where not every move was tried.",
        "Round 3, expansion: D, the first untried move at B, joins the tree.",
        "Round 3, simulation: there is nothing to play out at D, worth 3.",
        "Round 3, back-up: D now has 1 visit and the mean 3.",
        "Round 3, back-up: B now has 2 visits and the mean 4.",
        "Round 3, back-up: A now has 3 visits and the mean 3.",
        "After 3 rounds, the mean at A is 3; the most visited line is B, D.",
    ]


def test_the_tree_after_the_first_rounds() -> None:
    events = run("A(B(D:3 E:5) C(F:-5 G:1))", simulations=3).events
    assert draw_tree(scene(events)).splitlines() == [
        "▶ ▲ A = 3  n = 3",
        "  ├→ ▼ B = 4  n = 2",
        "  │  ├→ D = 3  n = 1",
        "  │  └─ E: 5",
        "  └─ ▼ C = 1  n = 1",
        "     ├─ F: −5",
        "     └─ G: 1",
    ]
    chosen = next(i for i, event in enumerate(events, 1) if event.kind == "select")
    assert "▼ C = 1  n = 1  u = 6.83" in draw_tree(scene(events, chosen))
    played = next(i for i, event in enumerate(events, 1) if event.kind == "playout")
    assert draw_tree(scene(events, played)).splitlines() == [
        "  ▲ A",
        "▶ ├→ ▼ B  → 5",
        "  │  ├─ D: 3",
        "  │  └⇢ E: 5",
        "  └─ ▼ C",
        "     ├─ F: −5",
        "     └─ G: 1",
    ]


def sentences(explained: Explanation) -> str:
    return "\n".join(filter(None, narrate(explained.events)))


def test_chance_in_words() -> None:
    said = sentences(run("~(1/2*3 1/2*8)", simulations=3))
    assert "Round 1, selection: chance at A draws C, with probability 0.5." in said
    assert "Round 1, selection: it stops at C, which was not in the tree yet." in said
    assert "Round 1, expansion: C joins the tree." in said
    assert "Round 2, selection: it stops at C, which has no moves." in said
    assert "Round 2, expansion: there is nothing to add." in said
    assert said.endswith("After 3 rounds, the mean at A is 6.33.")


def test_a_game_in_words() -> None:
    said = sentences(game("go(size=3)").explain("mcts", simulations=12))
    assert "from A1, 12 random moves lead to the end of the game, worth −1." in said
    assert "; 7 more are no higher." in said
    shallow = sentences(game("tic-tac-toe").explain("mcts", simulations=2, depth=2))
    assert re.search(r"from a1, 1 random move leads to a position, where the static value", shallow)
    assert "at the depth limit" in sentences(
        game("nim(heaps=1-1)").explain("mcts", simulations=9, depth=1)
    )


def test_a_game_that_lasts_too_long_counts_as_a_draw() -> None:
    long = nim.nim(initial=lambda: nim.State(40, 0), max_ply=5)
    explained = long.explain("mcts", simulations=2)
    assert explained.value == 0
    assert "after 4 random moves from 1 the game counts as a draw, 0." in sentences(explained)


def test_rounded_numbers_stay_readable() -> None:
    shown = [show_rounded(x) for x in (Fraction(1, 3), -2, 0.0042, -0.0, 1e7, 12.5, -0.5)]
    assert shown == ["0.33", "−2", "0.0042", "0", "1e+07", "12.5", "−0.5"]


def test_what_it_concludes(shell: Shell) -> None:
    assert shell("explain", "mcts", NINE, "--simulations", "4") == 0
    assert shell.out.endswith(
        "value 5.5, the mean of 4 simulations\n"
        "most visited: B E\n"
        "means (visits): B 5.5 (2), C 6 (1), D 5 (1)\n"
        "never visited: F G H I J K L M\n"
        "nodes in the tree: 5, visits of nodes: 9, depth: 2\n"
    )
    assert shell("explain", "mcts", "7", "--simulations", "1") == 0
    assert "value 7, the mean of 1 simulation\nnever visited: nothing\n" in shell.out
    assert shell("explain", "mcts", "--game", "go(size=5)", "--simulations", "2") == 0
    assert re.search(r"never visited: \d+ nodes\n", shell.out)


# What it shows.


def texts(drawing: str) -> list[str]:
    return [text.text or "" for text in ElementTree.fromstring(drawing).iter() if text.text]


def test_pictures_have_the_phase_the_means_the_visits_and_the_bounds() -> None:
    events = run(NINE, simulations=12).events
    for step, event in enumerate(events, 1):
        shown = texts(draw(events, step))
        in_a_phase = event.kind in {"select", "draw", "stop", "grow", "playout", "back-up"}
        assert ({"Selection", "Expansion", "Simulation", "Back-up"} <= set(shown)) == in_a_phase
        if event.kind == "select":
            assert {f"u = {show_rounded(bound)}" for bound in event["bounds"]} <= set(shown)
            assert {f"n = {count}" for count in event["counts"]} <= set(shown)
            assert {show_rounded(mean) for mean in event["means"]} <= set(shown)
        if event.kind == "playout":
            assert f"→ {event['value']}" in shown
    assert "Selection" not in texts(draw(events))  # the end belongs to no phase


def boxes(drawing: str) -> list[tuple[float, float, float, float, str]]:
    """Where each text of a drawing is, by a generous estimate of the width of letters."""
    found = []

    def visit(element: ElementTree.Element, dx: float, dy: float) -> None:
        moved = re.match(r"translate\(([-\d.]+) ([-\d.]+)\)", element.get("transform", ""))
        if moved:
            dx, dy = dx + float(moved[1]), dy + float(moved[2])
        if element.tag.endswith("text") and element.text:
            size = float(element.get("font-size", "14"))
            width, x = len(element.text) * size * 0.55, dx + float(element.get("x", "0"))
            left = x if element.get("text-anchor") == "start" else x - width / 2
            y = dy + float(element.get("y", "0"))
            found.append((left, y - size * 0.45, left + width, y + size * 0.45, element.text))
        for child in element:
            visit(child, dx, dy)

    visit(ElementTree.fromstring(drawing), 0, 0)
    return found


@pytest.mark.parametrize("text", [NINE, DICE, "min ((3 12) (2 -4) 5)", "(-1000.25 (1 2) 7)", "7"])
def test_no_text_covers_another(text: str) -> None:
    events = run(text, simulations=15).events
    for step in steps(narrate(events)):
        drawn = boxes(draw(events, step))
        for i, (left, top, right, bottom, word) in enumerate(drawn):
            for other_left, other_top, other_right, other_bottom, other in drawn[i + 1 :]:
                apart = (
                    right <= other_left
                    or other_right <= left
                    or bottom <= other_top
                    or other_bottom <= top
                )
                assert apart, (step, word, other)


def test_tikz_has_the_same() -> None:
    events = run(NINE, simulations=5).events
    chosen = next(i for i, event in enumerate(events, 1) if event.kind == "select")
    picture = tikz(events, chosen)
    assert r"\node[draw, rounded corners=4pt]" in picture
    assert "{Selection}" in picture
    assert "{$u = 16.8$}" in picture
    assert "{$n = 1$}" in picture
    played = next(i for i, event in enumerate(events, 1) if event.kind == "playout")
    assert r"\draw[not yet, playout]" in tikz(events, played)
    assert "{Selection}" not in tikz(events)


def test_the_steps_of_a_page_have_their_phases() -> None:
    events = run(NINE, simulations=5).events
    data = stepper(events)
    assert data["phases"] == ["Selection", "Expansion", "Simulation", "Back-up"]
    assert "mean + c·√(ln N / n)" in data["legend"]
    of = {"select": 0, "stop": 0, "grow": 1, "playout": 2, "back-up": 3}
    assert data["phase"] == [of.get(kind) for kind in data["kinds"]]
    assert "phases" not in stepper(explain("minimax", parse_tree(NINE), tree=NINE).events)
    assert "Selection" in page(events, "mcts")


def test_a_drawn_event_is_seen_when_it_is_drawn() -> None:
    events = game("dice-nim").explain("mcts", simulations=3).events
    drawn = next((i, event) for i, event in enumerate(events, 1) if event.kind == "draw")
    assert drawn[1]["child"] in texts(draw(events, drawn[0]))


# Deep, large, wrong.


def test_a_deep_tree_and_a_single_leaf() -> None:
    deep = parse_tree("(" * 10_000 + "1" + ")" * 10_000)
    explained = explain("mcts", deep, simulations=50)
    assert explained.value == 1
    assert len(explained.path) == 50  # one node a round
    assert run("7").value == 7
    assert run("7").path == []


def test_a_leaf_without_a_value_matters_only_where_it_is_reached() -> None:
    text = "A(B(D:3 E:5) C(F:-5 G))"
    reached = 0
    for seed in range(8):
        try:
            run(text, simulations=2, seed=seed)
        except ThreefoldError as error:
            assert "node G has no value" in str(error)
            reached += 1
    assert 0 < reached < 8


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["(1 2)", "--simulations", "0"], "--simulations 0 is not between 1 and 100,000"),
        (["(1 2)", "--simulations", "-3"], "--simulations -3 is not between 1 and 100,000"),
        (["(1 2)", "--simulations", "100001"], "--simulations 100001 is not between"),
        (["(1 2)", "--simulations", "1.5"], "--simulations"),
        (["(1 2)", "--exploration", "-1"], "--exploration -1 is not a number from 0 on"),
        (["(1 2)", "--exploration", "nan"], "--exploration nan is not a number from 0 on"),
        (["(1 2)", "--exploration", "inf"], "--exploration inf is not a number from 0 on"),
        (["(1 2)", "--exploration", "much"], "--exploration"),
        (["(1 2)", "--cut", "strict"], "mcts has no option --cut"),
        (["(<1,2> <3,0>)"], "node B has a payoff for each player, but mcts needs one value"),
        (["(A B)"], "node A has no value"),
        (["--game", "nim", "--position", "3-4-9 1"], "3-4-9"),
        (["(1 2)", "--at", "999", "--svg", "x.svg"], "step 999 is not between"),
    ],
)
def test_one_clear_line(shell: Shell, argv: Sequence[str], said: str) -> None:
    assert said in shell.refused("explain", "mcts", *argv)


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["alphabeta", "(1 2)", "--simulations", "5"], "no option --simulations; mcts has it"),
        (["minimax", "(1 2)", "--exploration", "5"], "no option --exploration; mcts has it"),
        (["matrix", "3 -1; -2 4", "--simulations", "5"], "--simulations does not go with matrix"),
        (["a-star", "--graph", "lecture", "--exploration", "1"], "does not go with a-star"),
    ],
)
def test_other_procedures_have_no_simulations(shell: Shell, argv: Sequence[str], said: str) -> None:
    assert said in shell.refused("explain", *argv)


def test_exercises_refuse_it(shell: Shell) -> None:
    said = shell.refused("exercise", "new", "--procedure", "mcts")
    assert "there is no exercise on 'mcts': one of minimax" in said


def test_three_players_are_refused(shell: Shell) -> None:
    coins = Path(__file__).parents[1] / "examples" / "coin_row.py"
    said = shell.refused("explain", "mcts", "--game", str(coins))
    assert "mcts is for two players; Coin row has 3" in said


def test_too_many_steps_name_the_simulations() -> None:
    with tracing.at_most(100), pytest.raises(ThreefoldError, match="reduce the simulations"):
        run(NINE, simulations=MAX_SIMULATIONS)


def test_the_command_line_passes_everything_on(shell: Shell) -> None:
    argv = ("explain", "mcts", NINE, "--simulations", "7", "--exploration", "2.5", "--seed", "3")
    answer = shell.json(*argv)
    events = run(NINE, simulations=7, exploration=2.5, seed=3).to_json()
    assert answer == events
    assert list(answer) == ["procedure", "value", "path", "visited", "pruned", "events"]
    rounds = [event for event in answer["events"] if event["kind"] == "round"]
    assert [event["number"] for event in rounds] == [1, 2, 3, 4, 5, 6, 7]
    assert {event["exploration"] for event in rounds} == {2.5}


def test_a_position_of_a_game(shell: Shell) -> None:
    argv = ("--game", "go(size=3)", "--position", ".../.X./... O", "--simulations", "30")
    answer = shell.json("explain", "mcts", *argv)
    assert answer["visited"][0] == "."
    assert answer["events"][2]["kind"] in {"round", "enter"}
    assert -1 <= answer["value"] <= 1
    played = [event for event in answer["events"] if event["kind"] == "playout"]
    assert len(played) == 30
    assert all(event["value"] in {-1, 0, 1} for event in played)


def test_comparing_with_an_estimate() -> None:
    compared = compare(parse_tree(NINE), ["mcts", "alphabeta"], ["given", "random"], seed=3)
    assert compared.agree  # whatever the estimates are
    assert str(compared).endswith("all agree\nmcts gives an estimate, which need not agree")
    alone = compare(parse_tree(NINE), ["mcts"])
    assert "agree\n" not in str(alone)
    assert alone.rows[0].value == run(NINE).value
    other = compare(parse_tree(NINE), ["mcts"], seed=1)
    assert other.rows[0].value == run(NINE, seed=1).value


def test_only_plausible_moves_are_tried() -> None:
    few = game("tic-tac-toe").explain("mcts", simulations=30, plausible=2)
    tried = {event["child"] for event in few.events if event.kind == "select" and event.node == "."}
    assert len(tried) == 2
    assert len(few.implausible) >= 7


def test_symmetric_moves_are_merged() -> None:
    merged = game("tic-tac-toe").explain("mcts", simulations=30, symmetries=True)
    assert len([name for name in found(merged) if "/" not in name]) == 1 + 3
