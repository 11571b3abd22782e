"""Backgammon as text: XGID and GNU's IDs both ways, plays as people write them, and bad text."""

import random

import pytest
from backgammon_positions import from_games, scattered
from hypothesis import given
from hypothesis import strategies as st

from threefold import CHANCE, Game, ThreefoldError, game
from threefold.games.backgammon.gnu import gnu_id
from threefold.games.backgammon.rules import State

PLAIN: Game[State] = game("backgammon")
CUBEFUL: Game[State] = game("backgammon(cube=true)")
START = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10"


def xgid(
    board: str, dice: str = "00", cube: str = "0:0", turn: int = 1, rest: str = "0:0:0:0:10"
) -> str:
    return f"XGID={board}:{cube}:{turn}:{dice}:{rest}"


# Positions.


@pytest.mark.parametrize(
    ("gnu", "text"),
    [
        ("4HPwATDgc/ABMA:cIkFAAAAAAAA", xgid("-b----E-C---eE---c-e----B-", "31")),
        # From GNU's own conversions: the Crawford game of a match to 3, X 1 and O 2 points.
        (
            "4HPwATDgc/ABMA:8IluACAACAAA",
            xgid("-b----E-C---eE---c-e----B-", "53", rest="1:2:1:3:10"),
        ),
        # X has made the 5-point, and O is on roll.
        ("sGfwATDgc/ABMA:MAEAAAAAAAAA", xgid("-b---BD-B---eE---c-e----B-", turn=-1)),
    ],
)
def test_gnu_ids_both_ways(gnu: str, text: str) -> None:
    for g in (PLAIN, CUBEFUL):
        s = g.parse(gnu)
        assert g.format(s) == text
        assert gnu_id(s) == gnu
        assert g.parse(f"GNUbgID={gnu}") == g.parse(text) == s


@pytest.mark.parametrize(
    ("gnu", "jacoby"),
    [
        ("sHPiATDMzuABGA:cAkAAAAAAAAA", True),
        # As GNU Backgammon 1.07 writes a session without Jacoby's rule.
        ("sHPiATDMzuABGA:cAkAAAAAAAAE", False),
    ],
)
def test_a_gnu_id_may_say_that_jacobys_rule_is_off(gnu: str, jacoby: bool) -> None:
    for rule in (True, False):
        g = game(f"backgammon(cube=true,jacoby={rule})".lower())
        said = g.format(g.parse(gnu)).split(":")[7]
        assert said == str(int(rule and jacoby))


def test_a_position_id_alone_is_x_to_roll() -> None:
    assert PLAIN.parse("4HPwATDgc/ABMA") == PLAIN.initial()
    s = PLAIN.parse("sGfwATDgc/ABMA")
    assert PLAIN.format(s) == xgid("-b----E-C---eE---b-db---B-")


def test_a_double_belongs_to_who_made_it() -> None:
    """XGID and GNU both keep the player who doubled on roll; the other one decides."""
    board = "-b---BD-B---eE---c-e----B-"
    s = CUBEFUL.parse(xgid(board, "D", turn=-1))
    assert CUBEFUL.player(s) == 0
    assert gnu_id(s) == "sGfwATDgc/ABMA:MBkAAAAAAAAA"
    assert CUBEFUL.parse(gnu_id(s)) == s


def test_the_prefix_may_be_missing() -> None:
    assert PLAIN.parse(START.removeprefix("XGID=")) == PLAIN.parse(f" {START} ") == PLAIN.initial()
    assert PLAIN.parse(START.removesuffix(":10")) == PLAIN.initial()


def test_what_the_cube_shows_is_kept_without_a_cube() -> None:
    text = xgid("-a-B--E-B-a-dDB--b-bcb----", "63", "1:1", -1, "1:2:0:7:10")
    assert PLAIN.format(PLAIN.parse(text)) == text
    assert PLAIN.parse(text) == PLAIN.parse(text.replace("63", "36"))


def test_no_dice_mean_what_comes_before_a_roll() -> None:
    board = "-b---BD-B---eE---c-e----B-"
    assert PLAIN.player(PLAIN.parse(xgid(board))) == CHANCE
    assert CUBEFUL.player(CUBEFUL.parse(xgid(board))) == 0
    assert CUBEFUL.player(CUBEFUL.parse(xgid(board, cube="1:-1"))) == CHANCE
    decided = CUBEFUL.parse(xgid(board, "roll"))
    assert CUBEFUL.player(decided) == CHANCE
    assert len(CUBEFUL.chances(decided)) == 21
    assert len(PLAIN.chances(PLAIN.parse(START.replace(":00:", ":roll:")))) == 21
    assert len(PLAIN.chances(PLAIN.parse(START))) == 15


@pytest.mark.parametrize("spec", ["backgammon", "backgammon(cube=true,match=5,score=2-3)"])
def test_positions_of_games_both_ways(spec: str) -> None:
    g = game(spec)
    for s in from_games(g, random.Random(1), 300):
        assert g.parse(g.format(s)) == s
        if g.player(s) != CHANCE:
            assert g.parse(gnu_id(s)) == s


@given(st.randoms(use_true_random=False))
def test_any_checkers_both_ways(rng: random.Random) -> None:
    s = scattered(rng)
    assert PLAIN.parse(PLAIN.format(s)) == PLAIN.parse(gnu_id(s)) == s


@pytest.mark.parametrize(
    ("position", "word"),
    [
        ("", "expected an XGID"),
        ("GNUbgID=", "expected an XGID"),
        (xgid("-b----E-C---eE---c-e----B"), "26 signs, not 25"),
        (xgid("-b----E-C---eE---c-e----C-"), "X has 16 checkers"),
        (xgid("-b----E-C---fE---c-e----B-"), "O has 16 checkers"),
        (xgid("-b----P-C---eE---c-e----B-"), "'P' among the checkers"),
        (
            xgid("Bb----E-C---eE---c-e------"),
            "'B' stands on O's bar, where only O's checkers, a to o, may be",
        ),
        (
            xgid("------E-C---eE---c-e----Bb"),
            "'b' stands on X's bar, where only X's checkers, A to O, may be",
        ),
        (xgid("-" * 26), "no checker"),
        (xgid("-b----E-C---eE---c-e----B-", "70"), "the dice are '70'"),
        (xgid("-b----E-C---eE---c-e----B-", "01"), "the dice are '01'"),
        (xgid("-b----E-C---eE---c-e----B-", "B"), "beavers"),
        (xgid("-b----E-C---eE---c-e----B-", "D"), "a double is offered, and this game has no cube"),
        (
            xgid("-b----E-C---eE---c-e----B-", "pass"),
            "a double is passed, and this game has no cube",
        ),
        (xgid("-b----E-C---eE---c-e----B-", cube="7:1"), "the cube: '7'"),
        (xgid("-b----E-C---eE---c-e----B-", cube="1:2"), "the cube's owner: '2'"),
        (xgid("-b----E-C---eE---c-e----B-", cube="0:1"), "nobody owns it"),
        (xgid("-b----E-C---eE---c-e----B-", turn=0), "the turn: '0'"),
        (xgid("-b----E-C---eE---c-e----B-", rest="3:0:0:3:10"), "match to 3 is over"),
        (xgid("-b----E-C---eE---c-e----B-", rest="0:0:2:3:10"), "Crawford or Jacoby: '2'"),
        (xgid("-b----E-C---eE---c-e----B-", rest="0:0:4:0:10"), "Crawford or Jacoby: '4'"),
        (xgid("-b----E-C---eE---c-e----B-", rest="-1:0:0:0:10"), "X's score: '-1'"),
        (xgid("-b----E-C---eE---c-e----B-", rest="0:0:0:0:x"), "the cube's limit: 'x'"),
        (xgid("-b----E-C---eE---c-e----B-", rest="0:0"), "10 fields, not 7"),
        (xgid("-b---------------c-e------", "31"), "the game is over"),
        ("4HPwATDgc/ABM", "13 characters, not 14"),
        ("4HPwATDgc/AB?A", "has '?', where only letters, digits, + and / may be"),
        ("hello", "expected an XGID"),
        ("4HPwATDgc/ABMA:cIkFAAAAAAA", "11 characters, not 12"),
        ("/////////////w", "more than 15 checkers"),
        ("AQAAQAAAAABAAA", "after the last checker"),
        ("AAAAAAAAAAAAAA", "no checker"),
        ("4HPwATDgc/ABMP", "no position ID ends in 'P'"),
        ("AQAAAAAAAgAAAA", "checkers of both sides"),
        ("4HPwATDgc/ABMA:cIkHAAAAAAAA", "dice 7 and 1"),
        ("4HPwATDgc/ABMA:cAsAAAAAAAAA", "resigns"),
        ("4HPwATDgc/ABMA:YAkAAAAAAAAA", "who owns the cube"),
        ("4HPwATDgc/ABMA:dwkAAAAAAAAA", "shows 128"),
        ("4HPwATDgc/ABMA:cA0AAAAAAAAA", "game state 5"),
        ("4HPwATDgc/ABMA:cBEAAAAAAAAA", "backgammon(cube=true)"),
    ],
)
def test_impossible_positions_are_named(position: str, word: str) -> None:
    with pytest.raises(ThreefoldError) as caught:
        PLAIN.parse(position)
    assert word in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("prefix", ["XGID=", "xgid=", "Xgid=", ""])
def test_a_prefix_in_any_case(prefix: str) -> None:
    given = xgid("-b----E-C---eE---c-e----B-", "31").removeprefix("XGID=")
    s = PLAIN.parse(prefix + given)
    assert s == PLAIN.parse("gnubgid=4HPwATDgc/ABMA:cIkFAAAAAAAA")
    assert s == PLAIN.parse("GNUbgID=4HPwATDgc/ABMA:cIkFAAAAAAAA")


def test_who_cannot_double_has_not_doubled() -> None:
    with pytest.raises(ThreefoldError, match="O cannot double here"):
        CUBEFUL.parse(xgid("-b---BD-B---eE---c-e----B-", "D", "1:1", -1))
    with pytest.raises(ThreefoldError, match="the game is over"):
        CUBEFUL.parse(xgid("-b---------------c-e------", "D"))


SIGNS = st.text("-abcoABCO:0123456789DrolXGID=+/ \n", max_size=70)


@given(SIGNS | st.text(max_size=40), st.booleans())
def test_any_text_is_a_position_or_a_clear_error(text: str, cube: bool) -> None:
    g = CUBEFUL if cube else PLAIN
    try:
        s = g.parse(text)
    except ThreefoldError as error:
        assert "\n" not in str(error)
    else:
        assert g.parse(g.format(s)) == s


@given(st.integers(0, len(START) - 1), st.sampled_from("-aoAOpP:019D="), st.booleans())
def test_a_damaged_position_is_another_or_a_clear_error(at: int, sign: str, cube: bool) -> None:
    test_any_text_is_a_position_or_a_clear_error.hypothesis.inner_test(  # type: ignore[attr-defined]
        START[:at] + sign + START[at + 1 :], cube
    )


@given(st.binary(min_size=10, max_size=10), st.binary(min_size=9, max_size=9))
def test_any_gnu_id_is_a_position_or_a_clear_error(position: bytes, match: bytes) -> None:
    from base64 import b64encode

    text = f"{b64encode(position).decode()[:14]}:{b64encode(match).decode()}"
    try:
        s = CUBEFUL.parse(text)
    except ThreefoldError as error:
        assert "\n" not in str(error)
    else:
        assert CUBEFUL.parse(CUBEFUL.format(s)) == s


# Plays.


@pytest.mark.parametrize(
    ("position", "typed", "written"),
    [
        (xgid("-b----E-C---eE---c-e----B-", "65"), "24/18 18/13", "24/13"),
        (xgid("-b----E-C---eE---c-e----B-", "65"), "24/18/13", "24/13"),
        (xgid("-b----E-C---eE---c-e----B-", "62"), "13/11 24/18", "24/18 13/11"),
        (xgid("-b----E-C---eE---c-e----B-", "62"), "13/11,24/18", "24/18 13/11"),
        (xgid("-b----E-C---eE---c-e----B-", "31"), "6/5 8/5", "8/5 6/5"),
        (xgid("-b----E-C---eE---c-e----B-", "66"), "13/7(2) 24/18(2)", "24/18(2) 13/7(2)"),
        (xgid("-b----E-C---eE---c-e----B-", "66"), "24/18 24/18 13/7 13/7", "24/18(2) 13/7(2)"),
        (xgid("-b----E-C---eE---c-e----B-", "22"), "13/9(2)", "13/9(2)"),
        (xgid("-b----E-C---eE---c-e----B-", "22"), "13/11(2) 6/4(2)", "13/11(2) 6/4(2)"),
        # Hits, which may be left out where there is no choice.
        (xgid("------E-C---eE---c-ea---AA", "51"), "bar/20 6/5", "bar/20* 6/5"),
        (xgid("------E-C---eD---c-e-a--BA", "41"), "BAR/21* 24/23", "bar/21* 24/23"),
        (xgid("------E-C---eD---c-e-a--BA", "41"), "25/21 24/23", "bar/21* 24/23"),
        # A checker that hits on its way, by either die or by none.
        (xgid("-----a-a----dE---c-e------", "62"), "13/7*/5*", "13/7*/5*"),
        (xgid("-----a-a----dE---c-e------", "62"), "13/7/5", "13/7*/5*"),
        (xgid("-----a-a----dE---c-e------", "62"), "13/5", "13/5*"),
        (xgid("-----a-a----dE---c-e------", "62"), "13/11/5", "13/5*"),
        # Step by step: a place where one step ends and another begins is a place between.
        (xgid("-----a-a----dE---c-e------", "62"), "13/7 7/5", "13/7*/5*"),
        (xgid("-----a-a----dE---c-e------", "62"), "7/5 13/7", "13/7*/5*"),
        (xgid("-----a-a----dE---c-e------", "62"), "13/7 7/5*", "13/7*/5*"),
        (xgid("-----a-a----dE---c-e------", "62"), "13/7* 7/5", "13/7*/5*"),
        (xgid("-----a-a----dE---c-e------", "62"), "13/11 11/5", "13/5*"),
        (xgid("-------a---a-A------------", "62"), "13/11 11/5", "13/11*/5"),
        # The same position by other checkers.
        (xgid("-b----E-C---eE---c-e----B-", "31"), "6/3 6/5", "6/5 6/3"),
        (xgid("a-----A-AA----------------", "21"), "9/8 8/6", "9/6"),
        # Bearing off.
        (xgid("a-----B-------------------", "66"), "6/off(2)", "6/off(2)"),
        (xgid("a----AA-------------------", "65"), "6/off 5/off", "6/off 5/off"),
        (xgid("a----AA-------------------", "65"), "5/0 6/0", "6/off 5/off"),
        (xgid("-aA-----------------------", "61"), "2/off", "2/1*/off"),
        # O numbers the points from its own side.
        (xgid("-b----E-C---eE---c-e----B-", "31", turn=-1), "8/5 6/5", "8/5 6/5"),
    ],
)
def test_plays_as_people_write_them(position: str, typed: str, written: str) -> None:
    s = PLAIN.parse(position)
    assert PLAIN.format_move(s, PLAIN.parse_move(s, typed)) == written


@pytest.mark.parametrize(
    ("position", "typed", "word"),
    [
        (xgid("-b----E-C---eE---c-e----B-", "31"), "8/4 6/5", "no legal play with 31"),
        (xgid("-b----E-C---eE---c-e----B-", "31"), "8/5", "no legal play with 31"),
        (xgid("-b----E-C---eE---c-e----B-", "31"), "8/5* 6/5", "hits nothing on 5"),
        (xgid("-b----E-C---eE---c-e----B-", "31"), "-", "there is a play"),
        (xgid("-b----E-C---eE---c-e----B-", "31"), "5/8", "does not go down"),
        (xgid("-b----E-C---eE---c-e----B-", "31"), "26/5", "26 is not a point"),
        (xgid("-b----E-C---eE---c-e----B-", "31"), "5/26", "26 is not a point"),
        (xgid("-b----E-C---eE---c-e----B-", "31"), "8/5(5)", "not a checker's move"),
        (xgid("-b----E-C---eE---c-e----B-", "31"), "8/5(4) 6/5", "more than four"),
        (xgid("-b----E-C---eE---c-e----B-", "31"), "e2e4", "not a checker's move"),
        (xgid("-b----E-C---eE---c-e----B-", "31"), "8/5 " * 50, "a play is written like"),
        (xgid("-b----E-C---eE---c-e----B-", "31"), "double", "not a checker's move"),
        (xgid("-----------------------bbA", "11"), "bar/24", "no legal play with 11; write -"),
        (xgid("-------a---a-A------------", "62"), "13/5", "13/7*/5, 13/11*/5"),
        (START, "77", "two numbers from 1 to 6"),
        (START, "33", "not a legal move"),
        (START, "roll", "two numbers from 1 to 6"),
    ],
)
def test_bad_plays_are_named(position: str, typed: str, word: str) -> None:
    with pytest.raises(ThreefoldError) as caught:
        PLAIN.parse_move(PLAIN.parse(position), typed)
    assert word in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_is_said_about_the_cube() -> None:
    s = CUBEFUL.parse(xgid("-b---BD-B---eE---c-e----B-", turn=-1))
    assert CUBEFUL.format_move(s, CUBEFUL.parse_move(s, "Double")) == "double"
    for typed in ("take", "31", "-"):
        with pytest.raises(ThreefoldError, match="say roll or double"):
            CUBEFUL.parse_move(s, typed)


def test_plays_both_ways() -> None:
    """Every play of a position has a text of its own, which is read back."""
    rng = random.Random(6)
    for s in (*from_games(PLAIN, rng, 60), *(scattered(rng) for _ in range(40))):
        moves = PLAIN.moves(s)[:25]
        texts = [PLAIN.format_move(s, a) for a in moves]
        assert len(set(texts)) == len(texts), PLAIN.format(s)
        assert [PLAIN.parse_move(s, text) for text in texts] == moves
        plain = [text.replace("*", "") for text in texts]
        for a, text in zip(moves, plain, strict=True):
            if plain.count(text) == 1:
                assert PLAIN.parse_move(s, text) == a


@given(st.text("0123456789/*() baroff-,", max_size=40) | st.text(max_size=30))
def test_any_text_is_a_play_or_a_clear_error(text: str) -> None:
    s = PLAIN.parse(xgid("------E-C---eD---c-e-a--BA", "41"))
    try:
        a = PLAIN.parse_move(s, text)
    except ThreefoldError as error:
        assert "\n" not in str(error)
    else:
        assert a in PLAIN.moves(s)
