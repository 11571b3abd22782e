"""Regret minimization in the textbook: against OpenSpiel, linear programming and enumeration."""

import itertools
import json
import math
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import nim
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_information import cards

from threefold import CHANCE, Game, ThreefoldError, game
from threefold.cli.main import main
from threefold.rules.contract import MAX, MIN
from threefold.textbook.best_response import best_response, exploitability
from threefold.textbook.information import InformationSet, InformationTree, information_tree
from threefold.textbook.listing import listing
from threefold.textbook.matrix import MatrixGame
from threefold.textbook.mixture import solve
from threefold.textbook.regrets import cfr, counterfactual_values, regret_matching
from threefold.textbook.regrets_narration import narrate, steps_of, table
from threefold.textbook.regrets_picture import RegretSlides
from threefold.textbook.regrets_run import PROCEDURES, RegretRun, minimize_regret
from threefold.textbook.regrets_trace import RegretTrace
from threefold.textbook.shapes import Line, Text, text_width
from threefold.textbook.strategy import (
    Share,
    Strategy,
    in_proportion,
    kept_short,
    reaches,
    show_share,
    uniform,
    values,
)
from threefold.textbook.trace import Event
from threefold.textbook.tree import Node

NO_BOUND = 10**9


@pytest.fixture(scope="module")
def kuhn() -> InformationTree:
    return information_tree(game("kuhn-poker"))


@pytest.fixture(scope="module")
def ten() -> RegretRun:
    return minimize_regret(game("kuhn-poker"))


# Truth from elsewhere.


def test_the_uniform_strategy_of_kuhn_poker(kuhn: InformationTree) -> None:
    assert exploitability(kuhn, uniform(kuhn)) == Fraction(11, 24)  # OpenSpiel: 0.458333
    assert values(kuhn, uniform(kuhn))[kuhn.root.name] == Fraction(1, 8)


@pytest.mark.parametrize("procedure", PROCEDURES)
def test_kuhn_poker_is_worth_minus_one_eighteenth(procedure: str) -> None:
    run = minimize_regret(game("kuhn-poker"), procedure=procedure, iterations=200)
    assert 0 < run.exploitability < 0.02
    # The value of a game is within reach of both best responses.
    assert abs(float(run.value) + 1 / 18) <= 2 * float(run.exploitability)
    assert run.trace.exploitability[-1] < run.trace.exploitability[0] / 20


def test_cfr_plus_learns_sooner() -> None:
    plain, plus = (
        minimize_regret(game("kuhn-poker"), procedure=procedure, iterations=100)
        for procedure in PROCEDURES
    )
    assert plus.exploitability < plain.exploitability / 5


def theirs(solver: Any, state: Any, ours: Sequence[str]) -> list[float]:
    policy = solver.average_policy().action_probabilities(state)
    assert len(policy) == len(ours)
    return [policy[a] for a in sorted(policy)]  # pass before bet, as ours: check or fold first


@pytest.mark.parametrize("procedure", PROCEDURES)
def test_openspiel_finds_the_same_averages(procedure: str) -> None:
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
    cfr_of = pytest.importorskip("open_spiel.python.algorithms.cfr")
    measure = pytest.importorskip("open_spiel.python.algorithms.exploitability")
    peer = pyspiel.load_game("kuhn_poker")
    plus = procedure == "cfr+"
    solver = cfr_of._CFRSolver(
        peer, alternating_updates=plus, linear_averaging=plus, regret_matching_plus=plus
    )
    cards_of, moves_of = "JQK", {"check": 0, "fold": 0, "bet": 1, "call": 1}
    for count in (1, 2, 3, 8):
        run = minimize_regret(game("kuhn-poker"), procedure=procedure, iterations=count)
        while solver._iteration < count:
            solver.evaluate_and_update_policy()
        for here, shares in run.strategy.items():
            first, second, *moves = here.seen.split()
            known = cards_of.index(second if first == "?" else first)
            state = peer.new_initial_state()
            other = (known + 1) % 3
            for card in (other, known) if first == "?" else (known, other):
                state.apply_action(card)
            for move in moves:
                state.apply_action(moves_of[move])
            assert [float(x) for x in shares] == pytest.approx(theirs(solver, state, here.moves))
        nash_conv = measure.nash_conv(peer, solver.average_policy())
        assert float(run.exploitability) == pytest.approx(nash_conv / 2)


def test_regrets_stay_within_the_bound_of_the_paper(kuhn: InformationTree) -> None:
    """Zinkevich et al. 2007, theorem 4: the mean regret is at most Δ·|I|·√|A| / √T."""
    run = minimize_regret(game("kuhn-poker"), iterations=60)
    for t, found in enumerate(run.trace.exploitability, 1):
        bound = sum(4 * 6 * math.sqrt(2) / math.sqrt(t) for _ in (MAX, MIN)) / 2
        assert float(found) <= bound


# Random small games, compared with their normal form.


@st.composite
def small_games(draw: st.DrawFn, most_deals: int = 3) -> InformationTree:
    """Chance deals, MAX moves, MIN moves, and sometimes MAX once more; each sees what is drawn."""
    deals = draw(st.integers(1, most_deals))
    weights = draw(st.lists(st.integers(1, 4), min_size=deals, max_size=deals))
    sees_deal = {player: draw(st.booleans()) for player in (MAX, MIN)}
    sees_move = draw(st.booleans())
    again = draw(st.booleans())
    worth = st.integers(-4, 4)
    sets: dict[tuple[object, ...], InformationSet] = {}

    def decide(name: str, player: int, seen: tuple[object, ...], below: Any) -> Node:
        node = Node(name, player, children=[below(k, f"{name}/{k}") for k in range(2)])
        known = (player, *seen)
        if known not in sets:
            sets[known] = InformationSet(" ".join(map(str, seen)), player, ("0", "1"))
        sets[known].nodes.append(node)
        return node

    def leaf(_k: int, name: str) -> Node:
        return Node(name, MAX, draw(worth))

    def deal(d: int) -> Node:
        mine = (d,) if sees_deal[MAX] else ()
        others = (d,) if sees_deal[MIN] else ()

        def reply(a: int, name: str) -> Node:
            seen = (*others, "after", a) if sees_move else (*others, "after")

            def last(b: int, name: str) -> Node:
                if again and b == 1:
                    return decide(name, MAX, (*mine, "again", a), leaf)
                return leaf(b, name)

            return decide(name, MIN, seen, last)

        return decide(f"d{d}", MAX, (*mine, "first"), reply)

    shares = [Fraction(weight, sum(weights)) for weight in weights]
    root = Node("root", CHANCE, children=[deal(d) for d in range(deals)], weights=shares)
    return InformationTree(root, list(sets.values()))


def pure(tree: InformationTree, player: int) -> list[dict[InformationSet, list[Share]]]:
    """Every pure strategy of a player."""
    own = [each for each in tree.sets if each.player == player]
    choices = itertools.product(*(range(len(each.moves)) for each in own))
    return [
        {
            each: [int(a == k) for k in range(len(each.moves))]
            for each, a in zip(own, c, strict=True)
        }
        for c in choices
    ]


def expected(tree: InformationTree, strategy: Strategy, node: Node | None = None) -> Share:
    """The expected value by going through all ends, each with its own probability."""
    node = node or tree.root
    if not node.children:
        assert isinstance(node.value, int)
        return node.value
    shares = node.weights or strategy[tree.of[node.name]]
    below = [expected(tree, strategy, child) for child in node.children]
    return sum(p * v for p, v in zip(shares, below, strict=True))


@settings(max_examples=40, deadline=None)
@given(small_games(), st.data())
def test_values_and_best_responses_are_those_of_enumeration(
    tree: InformationTree, data: st.DataObject
) -> None:
    weights = st.lists(st.integers(0, 3), min_size=2, max_size=2)
    strategy = {here: in_proportion(data.draw(weights)) for here in tree.sets}
    assert values(tree, strategy)["root"] == expected(tree, strategy)
    for player, sign in ((MAX, 1), (MIN, -1)):
        best = max(sign * expected(tree, {**strategy, **own}) for own in pure(tree, player))
        found = best_response(tree, strategy, player)
        assert found.value == best
        chosen = {
            here: [int(k == a) for k in range(len(here.moves))] for here, a in found.moves.items()
        }
        assert sign * expected(tree, {**strategy, **chosen}) == best


@settings(max_examples=25, deadline=None)
@given(small_games(most_deals=2))
def test_the_value_is_that_of_the_normal_form(tree: InformationTree) -> None:
    """The same game as a matrix of all pure strategies, solved by linear programming."""
    mine, others = pure(tree, MAX), pure(tree, MIN)
    payoffs = [[Fraction(expected(tree, {**row, **column})) for column in others] for row in mine]
    value = float(solve(MatrixGame(tuple(map(tuple, payoffs)))).value)
    trace = RegretTrace(tree)
    strategy = PROCEDURES["cfr+"](tree, trace, 60)
    low = -best_response(tree, strategy, MIN).value
    high = best_response(tree, strategy, MAX).value
    assert low - 1e-9 <= value <= high + 1e-9
    assert float(trace.exploitability[-1]) < 0.15


@settings(max_examples=25, deadline=None)
@given(small_games(), st.data())
def test_counterfactual_values_are_those_of_their_definition(
    tree: InformationTree, data: st.DataObject
) -> None:
    """Of all ends below a set, as if the player got there and made the move for sure."""
    weights = st.lists(st.integers(1, 3), min_size=2, max_size=2)
    strategy = {here: in_proportion(data.draw(weights)) for here in tree.sets}
    here = data.draw(st.sampled_from(tree.sets))
    found = counterfactual_values(here, reaches(tree, strategy), values(tree, strategy))
    sign = 1 if here.player == MAX else -1
    for a, v in enumerate(found):
        total: Share = 0
        for node in here.nodes:
            led: Share = 1
            for above in tree.nodes:
                for k, child in enumerate(above.children):
                    is_on_way = node.name == child.name or node.name.startswith(f"{child.name}/")
                    if is_on_way and above.player != here.player:
                        led *= (above.weights or strategy[tree.of[above.name]])[k]
            total += led * sign * expected(tree, strategy, node.children[a])
        assert v == total


# How a tree is read, and what is refused.


def test_a_game_of_ones_own_has_a_tree_with_sets() -> None:
    tree = information_tree(cards())
    assert {each.name for each in tree.sets if each.player == MAX} == {
        "MAX 1 0",
        "MAX 2 0",
        "MAX 3 0",
    }
    assert sum(len(each.nodes) for each in tree.sets) == 18
    run = minimize_regret(cards(), iterations=3)
    assert run.exploitability == 0  # nothing that they say matters
    assert run.value == 0


def test_where_all_is_open_every_node_is_a_set_of_its_own() -> None:
    tree = information_tree(game("dice-nim(stones=3)"))
    assert all(len(each.nodes) == 1 for each in tree.sets)
    run = minimize_regret(game("nim(heaps=1-2)"), procedure="cfr+", iterations=50)
    assert run.value == pytest.approx(1, abs=0.05)
    assert run.path == ["2:1", "1:1", "2:1"]


class Forgetful(NamedTuple):
    moves: int
    turn: int


def forgetful(**changes: Any) -> Game[Forgetful]:
    """MAX moves twice, and sees only how often."""

    def actions(s: Forgetful, out: Any) -> int:
        out[0], out[1] = 0, 1
        return 0 if s.moves >= 4 else 2

    hooks: dict[str, Any] = {
        "initial": lambda: Forgetful(1, 0),
        "actions": actions,
        "result": lambda s, a: Forgetful(2 * s.moves + a, 0),
        "utility": lambda s: s.moves - 5,
        "observe": lambda s, p: (s.moves > 1,),
        "max_moves": 2,
        "max_ply": 2,
    }
    return Game("Forgetful", **hooks | changes)


def telling(s: Forgetful, out: Any) -> int:
    out[0], out[1] = (0, 1) if s.moves == 1 else (s.moves & 1, 2)
    return 0 if s.moves >= 4 else 2


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: game("leduc-poker"),
            "cfr goes through the whole tree, and that of Leduc poker has",
        ),
        (
            forgetful,
            "cfr is for players who forget nothing, and MAX True forgets what came before 1",
        ),
        (
            lambda: forgetful(actions=telling),
            "MAX sees the same at 0 and at 1, but has other moves",
        ),
        (lambda: nim.nim(zero_sum=False), "cfr is for zero-sum games, and Nim 20 is not one"),
    ],
)
def test_what_it_is_not_for_is_said(make: Any, words: str) -> None:
    with pytest.raises(ThreefoldError, match=words):
        information_tree(make())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"procedure": "cfrr"}, "there is no procedure 'cfrr' of regrets: did you mean cfr?"),
        ({"iterations": 0}, "0 is not between 1 and 1,000"),
        ({"iterations": 1001}, "1001 is not between 1 and 1,000"),
    ],
)
def test_bad_input_is_refused(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(ThreefoldError) as refused:
        minimize_regret(game("kuhn-poker"), **arguments)
    assert words in str(refused.value)


def test_game_explain_runs_it_too() -> None:
    run = game("kuhn-poker").explain("cfr+", iterations=2)
    assert run.exploitability == Fraction(19, 72)
    assert game("kuhn-poker").explain("cfr", "K Q check bet", iterations=1).iterations == 1
    for options in ({"depth": 2}, {"symmetries": True}, {"seed": 1}):
        with pytest.raises(ThreefoldError, match=f"cfr has no option {next(iter(options))}"):
            game("kuhn-poker").explain("cfr", **options)


def test_sets_with_one_text_are_numbered() -> None:
    blank = cards(deal=None)
    blank._as_seen = lambda s, _p: s._replace(mine=0, theirs=0)
    names = [each.name for each in information_tree(blank).sets]
    assert len(set(names)) == len(names)
    assert sum(name.endswith("#2") for name in names) == 3
    assert sum(name.endswith("#3") for name in names) == 3


# Numbers.


def test_regret_matching() -> None:
    assert regret_matching([Fraction(1, 8), Fraction(-1, 2), Fraction(3, 8)]) == [
        Fraction(1, 4),
        0,
        Fraction(3, 4),
    ]
    assert regret_matching([-1, 0]) == [Fraction(1, 2)] * 2
    assert regret_matching([0.5, 1.5]) == [0.25, 0.75]


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (Fraction(-1, 18), "−1/18"),
        (Fraction(1, 20), "1/20"),
        (Fraction(4567, 12345), "0.3699"),
        (0.0001234, "0.000123"),
        (-1e-9, "≈0"),
        (0.0, "0"),
        (0, "0"),
        (-2, "−2"),
        (0.25, "0.25"),
    ],
)
def test_numbers_are_shown_short(number: Share, shown: str) -> None:
    assert show_share(number) == shown


def test_long_fractions_become_floats() -> None:
    assert kept_short(Fraction(1, NO_BOUND)) == Fraction(1, NO_BOUND)
    assert isinstance(kept_short(Fraction(1, NO_BOUND + 7)), float)


# What is told and drawn.


def test_the_first_iteration_in_words(ten: RegretRun) -> None:
    told = narrate(ten, steps_of(ten, 45, 20))
    assert told[0].startswith("cfr on Kuhn poker: 58 nodes, 30 of them ends, and 12 information")
    assert told[1] == (
        "Iteration 1: no move has a positive regret, so all moves are equally likely at every "
        "information set."
    )
    assert told[2].startswith("Iteration 1, with these strategies the game is worth 1/8 to MAX.")
    assert told[3] == (
        "Iteration 1, MAX who sees “J ?”: chance and MIN lead here with probability 1/6 + 1/6 = "
        "1/3. Counterfactual values: check 1/6·(−5/4) + 1/6·(−5/4) = −5/12, bet 1/6·(−1/2) + "
        "1/6·(−1/2) = −1/6. The strategy gets 1/2·(−5/12) + 1/2·(−1/6) = −7/24. Regrets change by "
        "check −1/8, bet +1/8: now check −1/8, bet 1/8. The strategy counts 1 in the average, as "
        "often as MAX's own moves lead here: check 1/2, bet 1/2."
    )
    assert told[15] == (
        "After iteration 1, the average strategies are worth 1/8 to MAX. Against them, a best "
        "response would win 1/2 as MAX and 5/12 as MIN: exploitability 11/24."
    )
    assert told[16] == "Iteration 2 begins with regret matching."
    assert told[17] == (
        "Iteration 2, regret matching for MAX who sees “J ?”: the regrets are check −1/8, bet 1/8. "
        "Only one is positive: check 0, bet 1."
    )
    assert told[-1].startswith("After 10 iterations: the average strategies are worth")
    summed_up = [k for k, each in enumerate(told) if each.startswith("After iteration")]
    assert len(summed_up) == 10
    assert summed_up[2:] == list(range(len(told) - 9, len(told) - 1))


def test_long_runs_are_told_in_part() -> None:
    run = minimize_regret(game("kuhn-poker"), procedure="cfr+", iterations=300)
    steps = steps_of(run, 45, 20)
    told = narrate(run, steps)
    assert told[-1].startswith("After 300 iterations")
    assert len([each for each in told if each.startswith("After iteration")]) <= 22
    numbers = [int(each.split()[2].rstrip(",")) for each in told if each.startswith("After iter")]
    assert numbers == sorted(set(numbers))
    assert run.trace.left_out > 0
    assert len(run.trace.exploitability) == 300
    assert RegretSlides(run).at().exploitability[-1] == float(run.exploitability)


def test_every_event_is_about_a_node_of_the_tree(ten: RegretRun) -> None:
    names = {node.name for node in ten.tree.nodes}
    assert {event.node for event in ten.events} == names
    kinds = [event.kind for event in ten.events]
    assert kinds.count("iteration") == kinds.count("average") == 10
    assert kinds.count("match") == kinds.count("regret") == 120
    assert kinds.count("enter") == 10 * len(names)


def overlapping(texts: Sequence[Text]) -> list[tuple[str, str]]:
    """The pairs of texts that cover each other."""

    def box(text: Text) -> tuple[float, float, float, float]:
        wide = text_width(text.text, text.size) * 0.96
        left = {"middle": text.x - wide / 2, "start": text.x, "end": text.x - wide}[text.anchor]
        return left, left + wide, text.y - 0.36 * text.size, text.y + 0.36 * text.size

    boxes = [(text.text, *box(text)) for text in texts if text.text]
    return [
        (a[0], b[0])
        for a, b in itertools.combinations(boxes, 2)
        if a[1] < b[2] and b[1] < a[2] and a[3] < b[4] and b[3] < a[4]
    ]


@pytest.mark.parametrize("procedure", PROCEDURES)
def test_no_text_of_a_picture_covers_another(procedure: str) -> None:
    slides = RegretSlides(minimize_regret(game("kuhn-poker"), procedure=procedure, iterations=6))
    for scene in slides.scenes(range(1, slides.steps + 1)):
        drawn = slides.draw(scene)
        texts = [shape for shape in drawn.shapes if isinstance(shape, Text)]
        assert overlapping(texts) == []
        assert all(0 <= text.x <= drawn.width and 0 <= text.y <= drawn.height for text in texts)


def test_information_sets_are_drawn_dashed(ten: RegretRun) -> None:
    slides = RegretSlides(ten)
    drawn = slides.draw(slides.at(5))
    dashed = [s for s in drawn.shapes if isinstance(s, Line) and "dashed" in s.css.split()]
    # A stub for each of the two nodes of a set, and the line that joins them.
    assert len(dashed) == 3 * 12
    assert sum("bold" in line.css.split() for line in dashed) == 3
    texts = {shape.text for shape in drawn.shapes if isinstance(shape, Text)}
    assert {each.seen for each in ten.tree.sets} <= texts
    assert {"J 1/3", "Q 1/2", "check 1/2", "bet 1/2"} <= texts
    svg = str(slides.picture(5))
    assert "chance and MAX lead here" in svg


def test_the_stepper_gets_the_same_steps(ten: RegretRun) -> None:
    slides = RegretSlides(ten)
    data = slides.stepper()
    assert data["procedure"] == "cfr"
    assert len(data["frames"]) == len(data["sentences"]) == len(data["lines"]) == slides.steps
    code = listing(cfr)
    assert data["listing"] == list(code.lines)
    at = next(k for k, each in enumerate(data["sentences"]) if "Counterfactual values" in each)
    assert "for a in range" in code.lines[data["lines"][at]]
    assert "R(I, a) ← R(I, a) + v(I, a) − v(I)" in data["printed"].values()
    assert "tikzpicture" in slides.tikz(3)


def test_the_table_has_every_set(ten: RegretRun) -> None:
    lines = table(ten).splitlines()
    assert len(lines) == 13
    assert lines[1].startswith("MAX J ?            check")


def test_a_notebook_shows_it(ten: RegretRun) -> None:
    shown = ten._repr_mimebundle_()
    assert shown["text/plain"] == repr(ten)
    assert shown["image/svg+xml"].startswith("<svg")


# The command.


def explained(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["explain", *words]) == 0
    return capsys.readouterr().out


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    answer = json.loads(
        explained(capsys, "cfr", "--game", "kuhn-poker", "--iterations", "2", "--json")
    )
    assert list(answer)[:5] == ["procedure", "value", "path", "visited", "pruned"]
    assert answer["value"] == -1 / 32
    assert answer["exploitability"] == 5 / 16
    assert answer["path"] == answer["pruned"] == []
    assert answer["visited"][:3] == [".", "J", "J/Q"]
    assert len(answer["visited"]) == 2 * 58
    assert answer["strategy"][0] == {
        "player": 0,
        "observation": "J ?",
        "moves": {"check": 0.25, "bet": 0.75},
    }
    assert answer["by_iteration"]["exploitability"] == [11 / 24, 5 / 16]
    assert answer["events"][0]["sets"][1]["nodes"] == ["J/Q/check", "K/Q/check"]


def test_the_command_tells_draws_and_steps(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [str(tmp_path / f"kuhn.{kind}") for kind in ("svg", "html", "tikz")]
    drawn = [
        word for pair in zip(("--svg", "--html", "--tikz"), files, strict=True) for word in pair
    ]
    said = explained(capsys, "cfr+", "--game", "kuhn-poker", "--iterations", "2", *drawn)
    assert said.splitlines()[-1] == "cfr+, 2 iterations: value −19/216, exploitability 19/72"
    assert "counts 2 times 1 in the average" in said
    assert all(Path(file).stat().st_size > 3_000 for file in files)
    answers = iter(["", "", "q"])
    monkeypatch.setattr("builtins.input", lambda _prompt: next(answers))
    said = explained(capsys, "cfr", "--game", "kuhn-poker", "--step")
    assert "information set" in said
    assert "Iteration 1, with these strategies" in said


def test_a_position_is_where_the_tree_starts(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("cfr+", "--game", "kuhn-poker", "--position", "K Q check bet", "--iterations", "9")
    said = explained(capsys, *words, "--json")
    answer = json.loads(said)
    assert answer["path"] == ["call"]
    assert answer["value"] > 1.5


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("cfr",), "cfr needs --game GAME, such as --game kuhn-poker"),
        (("cfr", "((1 2) (3 4))"), "TREE does not go with cfr, which is for games with hidden"),
        (("cfr", "--game", "kuhn-poker", "--depth", "2"), "--depth does not go with cfr"),
        (("alphabeta", "(1 2)", "--iterations", "2"), "--iterations does not go with alphabeta"),
        (("alphabeta", "--game", "kuhn-poker"), "is for games of perfect information"),
    ],
)
def test_the_command_refuses(
    words: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", *words]) == 2
    assert message in capsys.readouterr().err


def test_a_position_in_which_the_game_is_over(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--game", "kuhn-poker", "--position", "J Q bet fold")
    assert json.loads(explained(capsys, "cfr", *words, "--json"))["value"] == 1
    assert "the game is over here, and worth 1 to MAX" in explained(capsys, "cfr", *words)


def test_whoever_starts_in_the_middle_is_told_what_that_means(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["explain", "cfr", "--game", "kuhn-poker", "--position", "Q J check bet"]) == 0
    assert "both players know that it is this position" in capsys.readouterr().err


def test_events_know_the_line_that_reported_them(ten: RegretRun) -> None:
    code = listing(cfr)

    def line(event: Event) -> str:
        return code.lines[code.place(event.line) or 0]

    by_kind = {event.kind: line(event) for event in ten.events if event.kind != "start"}
    assert "regret_matching" in by_kind["match"]
    assert "reaches" in by_kind["enter"]
