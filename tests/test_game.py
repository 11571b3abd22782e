"""`Game`: hooks, defaults, facts, texts and pictures."""

from typing import Any
from xml.etree import ElementTree

import nim
import pytest
from nim import State

from threefold import CHANCE, Game, ThreefoldError, game
from threefold.games.catalogue import HOMES
from threefold.rules import contract
from threefold.rules.svg import Svg

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize(
    "sides", ["XO", ("white",), ("a", "b", "c"), (1, 2), ("x", "x"), ("", "x")]
)
def test_sides_are_two_names(sides: Any) -> None:
    with pytest.raises(ThreefoldError, match="sides="):
        nim.nim(sides=sides)


def test_a_misspelled_or_missing_hook_is_named() -> None:
    hooks = {"initial": None, "actions": None, "result": None, "utility": None}
    with pytest.raises(ThreefoldError, match=r"Game has no evalute=: did you mean evaluate\?"):
        Game("Nim", **hooks, evalute=None)  # type: ignore[call-arg,arg-type]
    with pytest.raises(ThreefoldError, match=r"a Game also needs result=, utility="):
        Game("Nim", initial=None, actions=None)  # type: ignore[call-arg,arg-type]
    with pytest.raises(ThreefoldError, match=r"a Game also needs initial=, actions="):
        Game("Nim")  # type: ignore[call-arg]


def test_four_functions_are_enough() -> None:
    g = nim.nim()
    s = g.initial()
    assert g.moves(s) == [1, 2, 3]
    assert g.player(s) == 0
    assert g.evaluate(s) == 0
    assert g.noisy_moves(s) == []
    assert g.order(s, 1) == 0
    assert g.observe(s, 1) == s
    assert g.extend(s) == 0
    assert g.null_move(s) == s
    assert not g.is_terminal(s)
    assert g.is_terminal(State(0, 1))
    assert g.key(s) != g.key(State(20, 1))
    assert str(g.facts) == (
        "2 players, zero-sum, deterministic, perfect information, discrete, finite"
    )


def test_facts_follow_from_the_hooks() -> None:
    g = nim.nim(
        outcomes=lambda s, out, weight: 0,
        observe=lambda s, p: s.turn,
        zero_sum=False,
        finite=False,
        max_moves=7,
    )
    assert str(g.facts) == (
        "2 players, not zero-sum, chance, hidden information, discrete, not finite"
    )
    assert g.facts.max_moves == 7
    assert "not finite" in repr(g)


def test_a_replaced_hook_is_the_games() -> None:
    def is_terminal(s: State) -> bool:
        return s.stones == 0

    g = nim.nim(is_terminal=is_terminal)
    assert g.is_terminal is is_terminal
    assert set(g.hooks) == {"initial", "actions", "result", "utility", "is_terminal"}


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"actions": 5}, "actions is 5, not a function"),
        ({"player": "first"}, "player is 'first', not a function"),
        ({"max_moves": 0}, "max_moves=0 is not a whole number of at least 1"),
        ({"max_ply": 1.5}, "max_ply=1.5"),
        ({"move_range": True}, "move_range=True"),
        ({"evaluate": len, "evaluations": {"a": len}}, "evaluate or evaluations, not both"),
        ({"initial": lambda: 5}, "no field `turn`"),
    ],
)
def test_bad_definitions_are_named(changes: dict[str, Any], word: str) -> None:
    with pytest.raises(ThreefoldError) as caught:
        nim.nim(**changes)
    assert word in str(caught.value)


def test_generic_notation() -> None:
    g = nim.nim()
    assert g.format(g.initial()) == "stones=20,turn=0"
    for text in (
        "stones=7,turn=1",
        "7,1",
        " stones = 7 , turn = 1 ",
        "turn=1,stones=7",
        "7,turn=1",
    ):
        assert g.parse(text) == State(7, 1)
    assert g.render(State(7, 1)) == "stones=7,turn=1"
    assert g.parse_move(State(7, 1), "3") == 3
    assert g.format(State(True, False)) == "stones=1,turn=0"


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "2 fields are wanted"),
        ("7", "2 fields are wanted"),
        ("7,1,2", "the fields are stones, turn"),
        ("heap=7,turn=1", "no field 'heap'"),
        ("stones=7,stones=7", "given twice"),
        ("7,stones=7", "given twice"),
        ("stones=x,turn=1", "'x' is not a value"),
        ("stones=1.5,turn=1", "1.5, not a whole number"),
        ("stones='7',turn=1", "not a whole number"),
        ("stones=__import__('os'),turn=1", "is not a value"),
        ("7,1) or (1", "the fields are"),
        ("stones=9223372036854775808,turn=0", "64 bits"),
        ("((((((", "name=value"),
        ("\0", "name=value"),
        ("1,**x", "no field"),
        ("*x,1", "not a value"),
    ],
)
def test_generic_notation_refuses(text: str, word: str) -> None:
    with pytest.raises(ThreefoldError) as caught:
        nim.nim().parse(text)
    assert word in str(caught.value)
    assert "\n" not in str(caught.value)


def test_errors_quote_only_the_start_of_a_long_text() -> None:
    with pytest.raises(ThreefoldError) as caught:
        nim.nim().parse("x" * 100_000)
    assert len(str(caught.value)) < 100_300
    with pytest.raises(ThreefoldError) as caught:
        game("othello").parse("x" * 100_000)
    assert len(str(caught.value)) < 250


def test_a_position_is_a_text_a_state_or_the_start() -> None:
    g = nim.nim()
    assert g.perft("stones=1,turn=0", depth=1) == 1
    assert g.perft(State(2, 0), depth=1) == 2
    assert g.perft(depth=1) == 3


def test_chance_without_outcomes_is_said() -> None:
    g = nim.nim(player=lambda s: CHANCE)
    with pytest.raises(ThreefoldError, match="no outcomes hook"):
        g.moves(g.initial())


@pytest.mark.parametrize("n", [-1, 300])
def test_a_wrong_count_is_said(n: int) -> None:
    g = nim.nim(actions=lambda s, out: n)
    with pytest.raises(ThreefoldError, match=f"returned {n}, not a count from 0 to max_moves=256"):
        g.moves(g.initial())


@pytest.mark.parametrize("spec", HOMES)
def test_drawings_are_svg_for_eyes_and_ears_and_both_themes(spec: str) -> None:
    g = game(spec)
    drawing = g.draw(g.initial())
    assert isinstance(drawing, Svg)
    assert drawing._repr_svg_() == drawing == g._repr_svg_()
    root = ElementTree.fromstring(drawing)
    assert root.tag == f"{SVG}svg"
    assert root.get("role") == "img"
    assert root.findtext(f"{SVG}title")
    assert root.findtext(f"{SVG}desc")
    assert "prefers-color-scheme:dark" in (root.findtext(f"{SVG}style") or "")


def test_a_game_without_a_drawing_gets_its_text_drawn() -> None:
    g = nim.nim(render=lambda s: f"<{s.stones}> & {s.turn}")
    root = ElementTree.fromstring(g.draw(g.initial()))
    assert root.findtext(f"{SVG}desc") == "<20> & 0"


def test_slots_have_no_value_of_their_own() -> None:
    with pytest.raises(TypeError, match="HAS_OUTCOMES has no value"):
        bool(contract.HAS_OUTCOMES)
    assert repr(contract.MAX_MOVES) == "<slot MAX_MOVES>"
    for function, arguments in (
        (contract.initial, ()),
        (contract.actions, (None, [])),
        (contract.result, (None, 0)),
        (contract.utility, (None,)),
        (contract.state, ((),)),
        (contract.words, (None,)),
    ):
        with pytest.raises(NotImplementedError):
            function(*arguments)


def test_names_of_the_package() -> None:
    import threefold

    assert set(threefold.__all__) == {"CHANCE", "Game", "ThreefoldError", "conformance", "game"}
    assert isinstance(threefold.game("othello(size=6)"), Game)


@pytest.mark.parametrize(
    ("changes", "text", "words"),
    [
        ({"parse": lambda t: {}[t]}, "x", "parse raises KeyError"),
        ({"parse": lambda t: None}, "x", "parse returned None, not a State"),
        ({}, "stones=5,turn=7", "it is player 7's turn"),
    ],
)
def test_what_parse_gets_wrong_is_one_error(changes: dict[str, Any], text: str, words: str) -> None:
    with pytest.raises(ThreefoldError, match=words):
        nim.nim(**changes).parse(text)


def test_a_game_is_named_by_a_text() -> None:
    with pytest.raises(ThreefoldError, match="not 5"):
        game(5)  # type: ignore[arg-type]


def test_finding_a_game_leaves_the_authors_alone() -> None:
    import helpers_game

    found = game("helpers_game:pile")
    assert found.spec == "helpers_game:pile"
    assert helpers_game.pile.spec == "Nim 20"
