"""Players in one line: reading, writing, and what is wrong with those that cannot be used."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import threefold
from threefold.arena.lines import PlayerLine, parse_clock, parse_line
from threefold.arena.player_options import EXAMPLES
from threefold.arena.players import KINDS, make
from threefold.errors import ThreefoldError
from threefold.protocols.player import Budget

WORDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).map(str.strip).filter(bool)


def test_the_lines_of_the_manual_are_read() -> None:
    assert parse_line("random") == PlayerLine("random")
    assert parse_line("alphabeta( depth=6 , eval=material )").options == {
        "depth": "6",
        "eval": "material",
    }
    assert parse_line("uci(stockfish,Skill Level=5)") == PlayerLine(
        "uci", ("stockfish",), {"Skill Level": "5"}
    )
    assert parse_line("gtp(gnugo --mode=gtp --level 10)").words == ("gnugo --mode=gtp --level 10",)
    assert parse_line(r"uci(engine --path a\,b,Hash=16)").words == ("engine --path a,b",)
    assert parse_line("python(my(file).py:move)").words == ("my(file).py:move",)


@given(
    st.sampled_from(sorted(KINDS)),
    st.lists(WORDS.filter(lambda word: "=" not in word), min_size=1, max_size=3),
    st.dictionaries(WORDS.filter(lambda word: "=" not in word), WORDS, max_size=3),
)
def test_a_line_is_written_as_it_is_read(
    kind: str, words: list[str], options: dict[str, str]
) -> None:
    line = PlayerLine(kind, tuple(words), options)
    assert parse_line(str(line)) == line


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        assert parse_line(str(parse_line(text))) == parse_line(text)
    except ThreefoldError as error:
        assert "\n" not in str(error)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "is not written as NAME"),
        ("Alpha Beta", "is not written as NAME"),
        ("alphabeta(depth=6", "is not written as NAME"),
        ("alphabeta(depth=(6)", "parentheses"),
        ("alphabeta(depth=6,depth=7)", "given twice"),
        ("alphabeta(depth=6,7)", "is not OPTION=VALUE"),
        ("alfabeta", "did you mean alphabeta"),
        ("alphabeta(depth=0)", "depth=0 is not a whole number above 0"),
        ("alphabeta(time=soon)", "time=soon is not seconds above 0"),
        ("alphabeta(=3)", "has no option before the ="),
        ("random(word)", "is not written like random"),
        ("random(time=3)", "random has no option time"),
        ("level(5,time=3)", "level has no option time"),
        ("alphabeta(eval=\udcff)", "is not written as NAME"),
        ("alphabeta(tc=1+)", "the clock '1+' is not"),
        ("alphabeta(eval=lions)", "did you mean lines"),
        ("alphabeta(queen=9)", "queen"),
        ("alphabeta(threads=none)", "'none' is not a whole number"),
        ("random(queen=9)", "no option 'queen'"),
        ("mcts(exploration=much,time=1)", "'much' is not a number"),
        ("mcts(rave=-1,time=1)", "'-1' is not a whole number from 0 up"),
        ("mcts(random_playouts=yes,time=1)", "'yes' is neither true nor false"),
        ("level", "is not written like level(5)"),
        ("textbook(minmaxx,depth=2)", "did you mean minmax"),
        ("textbook(maxn)", "no such textbook procedure"),
        ("python", "is not written like python"),
    ],
)
def test_a_bad_line_is_explained(line: str, said: str) -> None:
    with pytest.raises(ThreefoldError, match=re.escape(said)):
        make(parse_line(line), threefold.game("tic-tac-toe"), Budget())


def test_there_is_an_example_of_every_kind() -> None:
    for kind, example in EXAMPLES.items():
        for line in example.split(" or "):
            assert parse_line(line).kind == kind


def test_clocks_are_read() -> None:
    assert parse_clock("60") == Budget(base=60.0)
    assert parse_clock("60+0.6") == Budget(base=60.0, increment=0.6)
    assert parse_clock("40/120+1") == Budget(base=120.0, increment=1.0, moves=40)
    for bad in ("", "0", "+1", "0/60", "sixty", "60+", "1e3"):
        with pytest.raises(ThreefoldError, match="the clock"):
            parse_clock(bad)


def test_a_players_own_limits_replace_those_of_the_match() -> None:
    line, own = parse_line("alphabeta(depth=6,eval=lines)").budget(Budget(time=0.1))
    assert own == Budget(depth=6)
    assert line.options == {"eval": "lines"}
    assert parse_line("mcts(simulations=9)").budget(Budget())[1] == Budget(nodes=9)
    assert parse_line("random").budget(Budget(time=0.1))[1] == Budget(time=0.1)
