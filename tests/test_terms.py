"""Evaluations as weighted sums: terms add up to the evaluation, and weights can be changed."""

import random
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nim import State as Heap
from nim import nim as own
from shell import Shell

from threefold import Game, conformance, game
from threefold.errors import BadGame, ThreefoldError
from threefold.games.catalogue import HOMES
from threefold.rules.contract import MAX, MIN
from threefold.rules.terms import MAX_DENOMINATOR, credited, parse_weights

#: Positions per game: enough to see every term at work.
MANY = 600
GAMES = [
    *("tic-tac-toe", "mnk(m=5,n=4,k=4)", "connect-four", "connect-four(columns=4,rows=7,k=3)"),
    *("othello", "othello(size=6)", "kalah", "kalah(pits=9,seeds=10)", "checkers", "chess"),
]
#: What makes up for rounding other terms: less than one for each of them.
ROUNDING = "rounding"


def random_positions(g: Game[Any], count: int, seed: int = 7) -> Iterator[Any]:
    """Positions of random games, their ends included."""
    rng = random.Random(seed)
    s = g.initial()
    for _ in range(count):
        yield s
        moves = g.moves(s)
        s = g.result(s, rng.choice(moves)) if moves else g.initial()


@pytest.mark.parametrize("spec", GAMES)
def test_terms_add_up_to_the_evaluation(spec: str) -> None:
    g = game(spec)
    assert set(g.terms) == set(g.evaluations)
    for s in random_positions(g, MANY):
        for name, evaluate in g.evaluations.items():
            shares = g.using(name).shares(s)
            assert sum(each.share for each in shares) == evaluate(s)
            assert [each.name for each in shares] == [*g.terms[name]]
            for each in shares:
                if each.name == ROUNDING:
                    assert abs(each.share) < len(shares)


@pytest.mark.parametrize("spec", GAMES)
def test_a_limit_is_only_reached_where_the_evaluation_is_large(spec: str) -> None:
    g = game(spec)
    for s in random_positions(g, MANY, seed=8):
        for name, evaluate in g.evaluations.items():
            for each in g.using(name).shares(s):
                if each.name == "limit" and each.share:
                    assert abs(evaluate(s)) >= 700


@pytest.mark.parametrize("spec", ["connect-four", "othello(size=6)", "kalah", "checkers", "chess"])
def test_terms_add_up_compiled(spec: str) -> None:
    g = game(spec)
    for name in g.evaluations:
        compiled = g.using(name).by_terms().compiled()
        for s in random_positions(g, 200, seed=9):
            assert compiled.evaluate(s) == g.evaluations[name](s)


@pytest.mark.parametrize("spec", ["othello(size=6)", "tic-tac-toe", "chess"])
def test_a_term_is_what_the_other_side_has_of_the_position_seen_from_there(spec: str) -> None:
    """With colors changed, MAX has what MIN had."""
    g = game(spec)
    for s in random_positions(g, 100):
        if spec == "chess":
            from test_chess import mirrored

            other = mirrored(s)
        else:
            other = type(s)(s[1], s[0], 1 - s[2])
        for name in g.terms:
            both = zip(g.using(name).shares(s), g.using(name).shares(other), strict=True)
            for one, two in both:
                assert (one.max, one.min) == (two.min, two.max), one.name


# Weights.


CHESS = game("chess")
#: White has a queen, black a rook and two pawns.
QUEEN_FOR_ROOK = "4k2r/pp6/8/8/8/8/8/3QK3 w - - 0 1"


def test_weights_change_the_evaluation() -> None:
    s = CHESS.parse(QUEEN_FOR_ROOK)
    assert CHESS.using("material").evaluate(s) == 9 - 5 - 2
    cheap = CHESS.using("material", weights={"queen": 4, "pawn": 2})
    assert cheap.evaluate(s) == 4 - 5 - 4
    assert cheap.evaluation == "material"
    assert cheap.weights["queen"] == 4
    assert cheap.weights["rook"] == 5
    assert cheap.compiled().evaluate(s) == -5
    # The game's own weights again.
    assert cheap.using("material").evaluate is CHESS.evaluations["material"]
    assert cheap.using("material", weights={"rook": 6}).evaluate(s) == 9 - 6 - 2


def test_own_weights_keep_the_hand_written_evaluation() -> None:
    same = CHESS.using("material", weights={"queen": 9, "rook": 5})
    assert same.evaluate is CHESS.evaluations["material"]
    assert same.futility == CHESS.futility > 0
    assert CHESS.using() is CHESS


def test_what_is_declared_for_the_own_weights_is_not_assumed_of_others() -> None:
    changed = CHESS.using("positional", weights={"mobility": 20})
    assert changed.futility == 0
    assert changed.using("positional").futility == CHESS.futility


def test_rounding_and_limits_belong_to_the_own_weights() -> None:
    changed = CHESS.using("positional", weights={"mobility": 2})
    assert changed.weights["rounding"] == 0
    assert changed.weights["tempo"] == 1
    assert CHESS.using("positional", weights={"mobility": 1}).weights["rounding"] == 1
    kept = CHESS.using("positional", weights={"mobility": 2, "rounding": 1})
    assert kept.weights["rounding"] == 1
    s = CHESS.parse("r1bqk2r/ppp2ppp/2n2n2/3p4/1b1P4/2N1PN2/PP3PPP/R1BQKB1R w KQkq - 0 7")
    assert changed.evaluate(s) == sum(each.share for each in changed.shares(s))


def test_the_first_evaluation_that_has_the_terms_is_meant() -> None:
    assert CHESS.evaluation == "positional"
    assert CHESS.using(weights={"queen": 9, "rook": 5}).evaluation == "material"
    assert CHESS.using(weights={"mobility": 2}).evaluation == "positional"
    assert game("othello").using(weights={"corners": 3}).evaluation == "strategy"


def test_fractions_are_exact() -> None:
    g = CHESS.using("material", weights={"queen": 9.5, "rook": Fraction(16, 3)})
    s = CHESS.parse(QUEEN_FOR_ROOK)
    exact = Fraction(19, 2) - Fraction(16, 3) - 2
    assert sum(each.share for each in g.shares(s)) == exact
    assert g.denominator == 6
    assert Fraction(g.evaluate(s), g.denominator) == exact
    assert g.compiled().evaluate(s) == exact * 6
    assert [each.to_json() for each in g.shares(s)][-1] == {
        "name": "queen",
        "max": 1,
        "min": 0,
        "weight": 9.5,
        "share": 9.5,
    }


@pytest.mark.parametrize(
    ("evaluation", "weights", "message"),
    [
        (None, {"quen": 9}, "Chess has no term 'quen'; did you mean queen?"),
        ("material", {"mobility": 9}, "Chess has no term 'mobility' in material; one of pawn"),
        (None, {"mobility": 1, "queen": 9}, "no evaluation has all the terms mobility, queen"),
        ("material", {"queen": "nine"}, "weight queen='nine' is not a number"),
        ("material", {"queen": float("nan")}, "is not a number"),
        ("material", {"queen": True}, "is not a number"),
        ("material", {"queen": 10**9}, "is not between"),
        ("material", {"queen": 1.0001}, "fractions of these weights are too fine"),
        ("luck", {"queen": 9}, "Chess has no evaluation 'luck'"),
    ],
)
def test_bad_weights_are_refused(
    evaluation: str | None, weights: dict[str, Any], message: str
) -> None:
    with pytest.raises(ThreefoldError, match=r"^") as raised:
        CHESS.using(evaluation, weights=weights)
    assert message in str(raised.value)


def test_a_game_without_terms_has_no_weights() -> None:
    with pytest.raises(ThreefoldError, match="no evaluation has terms, so there are no weights"):
        own().using(weights={"stones": 1})


# `queen=9,rook=5`.


def test_weights_as_text() -> None:
    assert parse_weights("queen=9, rook = 5.5,pawn=1/2,knight=-3,x=.5,y=1.") == {
        "queen": 9,
        "rook": Fraction(11, 2),
        "pawn": Fraction(1, 2),
        "knight": -3,
        "x": Fraction(1, 2),
        "y": 1,
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "written NAME=W"),
        ("queen", "written NAME=W"),
        ("queen=9,", "written NAME=W"),
        ("=9", "written NAME=W"),
        ("queen=9,queen=8", "'queen' is given twice"),
        ("queen=nine", "'queen=nine' is not a number"),
        ("queen=", "is not a number"),
        ("queen=1e3", "is not a number"),
        ("queen=inf", "is not a number"),
        ("queen=1/0", "is not a number"),
        ("queen=9=8", "is not a number"),
        (f"queen={'9' * 40}", "is not a number"),
    ],
)
def test_bad_texts_of_weights(text: str, message: str) -> None:
    with pytest.raises(ThreefoldError) as raised:
        parse_weights(text)
    assert message in str(raised.value)


names = st.text(st.characters(exclude_characters=",=", exclude_categories=("Z", "C")), min_size=1)
weights = st.fractions(-1000, 1000, max_denominator=MAX_DENOMINATOR)


@given(st.dictionaries(names, weights, min_size=1))
def test_weights_are_read_as_they_were_written(given: dict[str, Fraction]) -> None:
    assert parse_weights(",".join(f"{name}={weight}" for name, weight in given.items())) == given


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        found = parse_weights(text)
    except ThreefoldError:
        return
    assert found


# One's own game.


def stones(s: Heap, p: int) -> int:
    """A feature for tests: the stones, to who is to move."""
    return s.stones if s.turn == p else 0


def parity(s: Heap, p: int) -> int:
    return s.stones % 2 if s.turn == p else 0


def test_a_search_shows_values_in_the_units_of_the_weights() -> None:
    g = own(terms={"counted": {"stones": (stones, 1)}}).using(weights={"stones": 1.5})
    s = Heap(20, MAX)
    found, told = g.analyze(s, depth=1), g.explain("minimax", s, depth=1)
    assert found.value == told.value == -1.5 * 17


def test_an_evaluation_by_its_terms_alone() -> None:
    g = own(terms={"counted": {"stones": (stones, 2), "odd": (parity, -3)}})
    s = Heap(5, MIN)
    assert g.evaluation == "counted"
    assert g.evaluate(s) == -(2 * 5 - 3)
    assert [tuple(each) for each in g.shares(s)] == [("stones", 0, 5, 2), ("odd", 0, 1, -3)]
    assert conformance(g, games=5).ok
    assert g.using(weights={"odd": 1}).compiled().evaluate(s) == -(2 * 5 + 1)


def test_terms_without_weight_cost_nothing() -> None:
    def broken(s: Heap, p: int) -> int:
        raise AssertionError((s, p))

    g = own(terms={"counted": {"stones": (stones, 2), "broken": (broken, 1)}})
    assert g.using("counted", weights={"broken": 0}).evaluate(Heap(5, MAX)) == 10


def test_conformance_finds_terms_that_do_not_add_up() -> None:
    g = own(
        evaluations={"counted": lambda s: 2 * s.stones if s.turn == 0 else -2 * s.stones - 1},
        terms={"counted": {"stones": (stones, 2)}},
    )
    found = conformance(g, games=3)
    assert [defect.check for defect in found.defects] == ["terms"]
    assert "but its terms add up to" in found.defects[0].sentence


@pytest.mark.parametrize(
    ("feature", "message"),
    [
        (lambda s, p: s.stones / 2, "term half of counted is"),
        (lambda s, p: 1 << 23, "past the ±4194304"),
        (lambda s, p: [][s.stones + p], "term half raises IndexError"),
    ],
)
def test_conformance_checks_features(feature: Any, message: str) -> None:
    g = own(
        evaluations={"counted": lambda s: 0 * s.stones}, terms={"counted": {"half": (feature, 0)}}
    )
    found = conformance(g, games=3)
    assert message in found.defects[0].sentence


def test_conformance_finds_a_feature_that_overflows() -> None:
    def large(s: Heap, p: int) -> int:
        return (s.stones + p + (1 << 62)) * 4 & 7

    g = own(terms={"counted": {"large": (large, 1)}})
    assert any("overflows" in defect.sentence for defect in conformance(g, games=3).defects)


@pytest.mark.parametrize(
    ("terms", "message"),
    [
        ([1], "terms=[1] is not like"),
        ({"counted": {}}, "terms['counted'] is not like"),
        ({"counted": {"two words": (stones, 1)}}, "'two words' is no name for a term"),
        ({"counted": {"a=b": (stones, 1)}}, "'a=b' is no name for a term"),
        ({"counted": {"stones": stones}}, "not a pair of feature and weight"),
        ({"counted": {"stones": (stones, "many")}}, "is not a number"),
        ({"counted": {"stones": (lambda s: 0, 1)}}, "term stones of counted takes (s)"),
        ({"counted": {"stones": (3, 1)}}, "term stones of counted is 3, not a function"),
    ],
)
def test_bad_terms_are_refused(terms: Any, message: str) -> None:
    with pytest.raises(ThreefoldError) as raised:
        own(terms=terms)
    assert message in str(raised.value)


def test_weights_are_whole_in_a_game_of_chance() -> None:
    def outcomes(s: Heap, out: Any, weight: Any) -> int:
        out[0], weight[0] = 1, 1
        return 1

    hooks = {"outcomes": outcomes, "terms": {"counted": {"stones": (stones, 2)}}}
    g = own(**hooks)
    assert g.using(weights={"stones": 3}).evaluate(Heap(5, MAX)) == 15
    with pytest.raises(BadGame, match="weights are whole numbers there"):
        g.using(weights={"stones": 2.5})


def test_a_lead_is_credited_to_who_has_it() -> None:
    for lead in (-3, 0, 3):
        assert credited(lead, MAX) - credited(lead, MIN) == lead


# Commands.


def test_every_game_is_evaluated_on_the_command_line(shell: Shell) -> None:
    for name in HOMES:
        written = game(name, own_net=False).evaluation
        answer = shell.json("evaluate", name, *([] if written is None else ["--eval", written]))
        assert [*answer] == ["game", "position", "evaluation", "value", "terms"]
        assert answer["game"] == name
        for term in answer["terms"]:
            assert [*term] == ["name", "max", "min", "weight", "share"]
            assert term["share"] == term["weight"] * (term["max"] - term["min"])
        assert sum(term["share"] for term in answer["terms"]) == answer["value"]


def test_material_on_the_command_line(shell: Shell) -> None:
    answer = shell.json("evaluate", "chess", QUEEN_FOR_ROOK, "--eval", "material")
    assert answer["position"] == QUEEN_FOR_ROOK
    assert answer["evaluation"] == "material"
    assert answer["value"] == 2
    weights = {term["name"]: term["weight"] for term in answer["terms"]}
    assert weights == {"pawn": 1, "knight": 3, "bishop": 3, "rook": 5, "queen": 9}
    other = shell.json("evaluate", "chess", QUEEN_FOR_ROOK, "--weights", "queen=8.5,rook=4")
    assert (other["evaluation"], other["value"]) == ("material", 2.5)
    assert other["terms"][-1] == {
        "name": "queen",
        "max": 1,
        "min": 0,
        "weight": 8.5,
        "share": 8.5,
    }


def test_the_table_shows_every_term(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "terms.svg"
    command = ("evaluate", "chess", QUEEN_FOR_ROOK, "--eval", "material")
    assert shell(*command, "--svg", str(file)) == 0
    lines = shell.out.splitlines()
    assert lines[0] == "Chess, material: +2 for white"
    assert lines[1].split() == ["term", "white", "black", "weight", "share"]
    assert lines[6].split()[:5] == ["queen", "1", "0", "9", "+9"]
    assert lines[7].split() == ["sum", "+2"]
    assert lines[8:] == [
        f"{piece}: how many {piece}s a player has"
        for piece in ("pawn", "knight", "bishop", "rook", "queen")
    ]
    drawn = ElementTree.fromstring(file.read_text("utf-8"))
    texts = {text.text for text in drawn.iter("{http://www.w3.org/2000/svg}text")}
    assert {"pawn", "queen × 9", "+9", "-5", "+2"} <= texts


def test_a_finished_game_can_be_looked_at(shell: Shell) -> None:
    answer = shell.json("evaluate", "tic-tac-toe", "XXX/OO./... O")
    assert answer["value"] == sum(term["share"] for term in answer["terms"]) == 1
    assert shell("evaluate", "tic-tac-toe", "XXX/OO./... O") == 0
    assert shell.out.endswith("The game is over: a search counts its utility, +1.\n")


@pytest.mark.parametrize(
    ("argv", "value", "evaluation", "sentence"),
    [
        (("nim",), 0, None, "Nim has no evaluation"),
        (("nim", "0-0-0 1"), 0, None, "a search counts its utility, -1"),
        (("FILE",), 20, "evaluate", "evaluate has no terms"),
    ],
)
def test_what_has_no_terms_still_has_a_value(
    shell: Shell,
    tmp_path: Path,
    argv: tuple[str, ...],
    value: int,
    evaluation: str | None,
    sentence: str,
) -> None:
    own_game = tmp_path / "own.py"
    own_game.write_text(
        "from nim import nim\nGAME = nim(evaluate=lambda s: s.stones)\n", encoding="utf-8"
    )
    argv = tuple(str(own_game) if each == "FILE" else each for each in argv)
    answer = shell.json("evaluate", *argv)
    assert (answer["value"], answer["evaluation"], answer["terms"]) == (value, evaluation, [])
    assert shell("evaluate", *argv) == 0
    assert sentence in shell.out
    assert "there is nothing to draw" in shell.refused("evaluate", *argv, "--svg", "x.svg")


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (("evaluate", "chess", "--weights", "quen=9"), "did you mean queen?"),
        (("evaluate", "chess", "--eval", "luck"), "has no evaluation 'luck'"),
        (("evaluate", "chess", "--weights", "queen=nine"), "is not a number"),
        (("analyze", "chess", "--weights", "queen=9,queen=8"), "is given twice"),
        (("play", "chess", "--weights", "queen"), "weights are written NAME=W"),
        (("explain", "minimax", "--game", "nim", "--weights", "a=1"), "no weights to set"),
        (("explain", "minimax", "(1 2)", "--weights", "a=1"), "--weights needs --game"),
    ],
)
def test_bad_weights_on_the_command_line(shell: Shell, argv: tuple[str, ...], message: str) -> None:
    assert message in shell.refused(*argv)


def test_analyze_with_weights(shell: Shell) -> None:
    """With a worthless ring of corners, both find the value that plain minimax has."""
    spec = "othello(size=4)"
    weights = {"moves": -2, "corners": 0}
    g = game(spec).using("mobility", weights=weights)
    command = ("analyze", spec, "--eval", "mobility", "--weights", "moves=-2,corners=0")
    found = shell.json(*command, "--depth", "3", "--exact")
    assert found["value"] == g.explain("minimax", depth=3).value
    assert found["value"] != game(spec).using("mobility").explain("minimax", depth=3).value


def test_other_weights_compile_nothing() -> None:
    from threefold.engine.deepening import search_entry

    g = game("othello(size=4)")
    one, two = ({"discs": weight} for weight in (3, 5))
    entries = [
        search_entry(g.using("discs", weights=weights).weighing().compiled())
        for weights in (one, two)
    ]
    assert entries[0] is entries[1]
    values = [
        g.using("discs", weights=weights).analyze(depth=1, exact=True).value
        for weights in (one, two)
    ]
    plain = [
        g.using("discs", weights=weights).explain("minimax", depth=1).value
        for weights in (one, two)
    ]
    assert values == plain
    assert values[0] != values[1]


def test_play_with_weights(shell: Shell) -> None:
    weights = ("--eval", "lines", "--weights", "lines=-1")
    assert shell("play", "tic-tac-toe", *weights, "--level", "5", typing="b2\nquit\n") == 0
    assert "O: " in shell.out


def test_the_textbook_prefers_mate_to_any_material() -> None:
    """Estimates in hundredths of a pawn may be above 1000."""
    s = "7k/5ppp/8/8/8/8/QQQ5/R3K3 w Q - 0 1"
    told = CHESS.explain("minimax", s, depth=1)
    assert CHESS.evaluate(CHESS.parse(s)) > 1000
    after = CHESS.result(CHESS.parse(s), CHESS.parse_move(CHESS.parse(s), told.path[0]))
    assert CHESS.moves(after) == []


def test_a_mate_outweighs_every_estimate_however_large_its_weights(shell: Shell) -> None:
    mate = ("--game", "chess", "--position", "6k1/5ppp/8/8/8/8/8/KR5Q w - - 0 1", "--depth", "1")
    for weights in ("queen=9", "queen=2000", "queen=-70000.5"):
        answer = shell.json("explain", "minimax", *mate, "--weights", weights)
        assert answer["path"] == ["h1a8"] or answer["path"] == ["b1b8"], weights
        assert answer["value"] >= 1000
