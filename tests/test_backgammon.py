"""Backgammon's rules: plays against trying everything, the cube, matches, what a game is worth."""

import random

import pytest
from backgammon_positions import from_games, rolled, scattered, sides, state, tried

from threefold import CHANCE, Game, ThreefoldError, game
from threefold.games.backgammon.rules import MOST_PLAYS, State
from threefold.textbook.narration import narrate

START = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10"
#: By opening roll, how many different plays there are.
OPENING_PLAYS = dict(
    zip(
        ["21", "31", "41", "51", "61", "32", "42", "52", "62", "43", "53", "63", "54", "64", "65"],
        [15, 16, 14, 8, 10, 17, 18, 8, 14, 17, 9, 14, 9, 14, 7],
        strict=True,
    )
)


@pytest.fixture(scope="module")
def plain() -> Game[State]:
    return game("backgammon")


@pytest.fixture(scope="module")
def cubeful() -> Game[State]:
    return game("backgammon(cube=true)")


def texts(g: Game[State], position: str) -> set[str]:
    s = g.parse(position)
    return {g.format_move(s, a) for a in g.moves(s)}


def play(g: Game[State], s: State, *moves: str) -> State:
    for text in moves:
        s = g.result(s, g.parse_move(s, text))
    return s


def test_the_opening_roll_is_never_a_double(plain: Game[State]) -> None:
    s = plain.initial()
    assert plain.format(s) == START
    assert plain.player(s) == CHANCE
    assert {
        plain.format_move(s, roll): weight for roll, weight in plain.chances(s)
    } == dict.fromkeys(OPENING_PLAYS, 1)
    assert plain.player(plain.result(s, plain.parse_move(s, "31"))) == 0


def test_opening_plays(plain: Game[State]) -> None:
    s = plain.initial()
    assert {roll: len(plain.moves(play(plain, s, roll))) for roll in OPENING_PLAYS} == OPENING_PLAYS


def test_later_rolls_have_their_weights(plain: Game[State]) -> None:
    s = play(plain, plain.initial(), "31", "8/5 6/5")
    weights = {plain.format_move(s, roll): weight for roll, weight in plain.chances(s)}
    assert len(weights) == 21
    assert sum(weights.values()) == 36
    assert all(weight == (1 if roll[0] == roll[1] else 2) for roll, weight in weights.items())


def check_plays(g: Game[State], s: State) -> None:
    """The moves lead to the positions that trying everything finds, each just once."""
    reached = []
    for a in g.moves(s):
        theirs, mine = sides(g.result(s, a))
        reached.append((mine, theirs))
    assert len(reached) == len(set(reached)), g.format(s)
    assert set(reached) == tried(*sides(s), s.dice), g.format(s)


def test_plays_of_random_games(plain: Game[State]) -> None:
    for s in from_games(plain, random.Random(1), 600):
        check_plays(plain, s)


def test_plays_of_scattered_checkers(plain: Game[State]) -> None:
    rng = random.Random(2)
    for _ in range(800):
        s = scattered(rng, roll=rng.choice([None, None, 8 * 6 + 5]))
        if sum(sides(s)[0][1:]) < 9 or s.dice % 9:  # doubles of many checkers take long to try
            check_plays(plain, s)


@pytest.mark.slow
def test_plays_of_many_positions(plain: Game[State]) -> None:
    rng = random.Random(3)
    for s in from_games(plain, rng, 10_000):
        check_plays(plain, s)
    for _ in range(10_000):
        check_plays(plain, scattered(rng))


def test_the_most_plays(plain: Game[State]) -> None:
    """Each of 15 checkers may take each of four steps, so there are C(18, 4) plays at most."""
    spread = tuple(
        int(place in {3, 4, 6, 8, 10, 11, *range(13, 16), 17, 18, 20, 21, 23, 24})
        for place in range(26)
    )
    alone = (14, 1, *[0] * 24)
    assert 2000 < len(plain.moves(state(spread, alone, 9))) <= MOST_PLAYS == 3060


@pytest.mark.parametrize(
    ("position", "plays"),
    [
        # From the bar: both dice, one of them blocked, none.
        ("XGID=----------------------b--B:0:0:1:62:0:0:0:0:10", {"bar/23 bar/19"}),
        ("XGID=----------------------bb-A:0:0:1:32:0:0:0:0:10", {"-"}),
        ("XGID=A---------------------b--B:0:0:1:32:0:0:0:0:10", None),
        ("XGID=------------------b---b-bB:0:0:1:43:0:0:0:0:10", {"bar/21"}),
        # Both dice if possible: 6 first would end the turn.
        ("XGID=-A----------b--A----------:0:0:1:65:0:0:0:0:10", {"15/4"}),
        # Only one of them: the larger.
        ("XGID=-----b-A------------------:0:0:1:61:0:0:0:0:10", {"7/off"}),
        ("XGID=--b--b--------A-----------:0:0:1:76:0:0:0:0:10", None),
        # A larger die bears off from the highest point if none is higher.
        ("XGID=---B-A-------------------a:0:0:1:64:0:0:0:0:10", None),
        ("XGID=a---BA--------------------:0:0:1:64:0:0:0:0:10", {"5/off 4/off", "5/1 4/off"}),
        ("XGID=a----A-A------------------:0:0:1:61:0:0:0:0:10", {"7/off", "7/1 5/4"}),
        # Both dice even if the first one ends the race: there is a blot to hit on the way.
        ("XGID=-aA-----------------------:0:0:1:61:0:0:0:0:10", {"2/1*/off"}),
        ("XGID=-----------------------aBa:0:0:1:11:0:0:0:0:10", None),
    ],
)
def test_rules_of_moving(plain: Game[State], position: str, plays: set[str] | None) -> None:
    if plays is None:
        with pytest.raises(ThreefoldError):
            plain.parse(position)
    else:
        assert texts(plain, position) == plays


def test_doubles_are_played_up_to_four_times(plain: Game[State]) -> None:
    s = plain.parse("XGID=----------------b-------A-:0:0:1:22:0:0:0:0:10")
    assert [plain.format_move(s, a) for a in plain.moves(s)] == ["24/18"]
    s = plain.parse("XGID=a-----C-------------------:0:0:1:66:0:0:0:0:10")
    assert [plain.format_move(s, a) for a in plain.moves(s)] == ["6/off(3)"]


@pytest.mark.parametrize(
    ("position", "move", "points"),
    [
        ("XGID=-A------------------o-----:0:0:1:21:0:0:0:0:10", "1/off", 2),
        ("XGID=-A---------o--------------:0:0:1:21:0:0:0:0:10", "1/off", 2),
        ("XGID=-A----------------------n-:0:0:1:21:0:0:0:0:10", "1/off", 1),
        ("XGID=-A-a-----------------n----:0:0:1:21:0:0:0:0:10", "1/off", 3),
        ("XGID=aA-------------------n----:0:0:1:21:0:0:0:0:10", "1/off", 3),
        ("XGID=-A-----a-------------n----:0:0:1:21:0:0:0:0:10", "1/off", 2),
        ("XGID=----------B------------Ka-:0:0:-1:21:0:0:0:0:10", "1/off", -1),
        ("XGID=----------B------------Ma-:0:0:-1:21:0:0:0:0:10", "1/off", -3),
        ("XGID=----------BM-----------Aa-:0:0:-1:21:0:0:0:0:10", None, 0),
    ],
)
def test_what_a_game_is_worth(
    plain: Game[State], position: str, move: str | None, points: int
) -> None:
    if move is None:
        with pytest.raises(ThreefoldError, match="X has 16 checkers"):
            plain.parse(position)
        return
    s = play(plain, plain.parse(position), move)
    assert plain.moves(s) == []
    assert plain.is_terminal(s)
    assert plain.utility(s) == points
    least, most = plain.bounds(s)
    assert least <= points <= most


def test_a_side_that_bears_off_cannot_lose_a_gammon(plain: Game[State]) -> None:
    assert plain.bounds(plain.initial()) == (-3, 3)
    assert plain.bounds(plain.parse("XGID=------N------------f-i----:0:0:1:00:0:0:0:0:10")) == (
        -1,
        3,
    )


# The cube.


def test_a_double_is_taken_or_passed(cubeful: Game[State]) -> None:
    s = play(cubeful, cubeful.initial(), "31", "8/5 6/5")
    assert (cubeful.player(s), texts(cubeful, cubeful.format(s))) == (1, {"roll", "double"})
    offered = play(cubeful, s, "double")
    assert (cubeful.player(offered), texts(cubeful, cubeful.format(offered))) == (
        0,
        {"take", "pass"},
    )
    passed = play(cubeful, offered, "pass")
    assert (cubeful.is_terminal(passed), cubeful.moves(passed)) == (True, [])
    assert cubeful.utility(passed) == -1
    outcome = cubeful.outcome([passed])
    assert outcome is not None
    assert outcome.reason == "X passed"
    taken = play(cubeful, offered, "take")
    assert cubeful.player(taken) == CHANCE
    assert cubeful.format(taken).split(":")[1:5] == ["1", "1", "-1", "00"]
    later = play(cubeful, taken, "31", "8/5 6/5")
    assert texts(cubeful, cubeful.format(later)) == {"roll", "double"}  # X owns the cube
    after = play(cubeful, later, "roll", "64", "24/14")
    assert cubeful.player(after) == CHANCE  # so O may not double again


def test_the_cube_stops_at_64(cubeful: Game[State]) -> None:
    far = "XGID=-A-a-----------------n----:{}:1:1:{}:0:0:0:0:10"
    assert texts(cubeful, far.format(5, "00")) == {"roll", "double"}
    assert cubeful.player(cubeful.parse(far.format(6, "00"))) == CHANCE
    s = play(cubeful, cubeful.parse(far.format(6, "21")), "1/off")
    assert cubeful.utility(s) == 192
    assert cubeful.bounds(cubeful.initial()) == (-192, 192)


def test_jacoby_counts_gammons_only_after_a_double() -> None:
    g = game("backgammon(cube=true,jacoby=true)")
    assert g.format(g.initial()).split(":")[7] == "1"
    far = "XGID=-A-a-----------------n----:{}:{}:1:21:0:0:1:0:10"
    assert g.utility(play(g, g.parse(far.format(0, 0)), "1/off")) == 1
    assert g.utility(play(g, g.parse(far.format(1, 1)), "1/off")) == 6


def test_a_match_counts_what_is_needed() -> None:
    g = game("backgammon(cube=true,match=7,score=5-3)")
    assert g.format(g.initial()).split(":")[5:9] == ["5", "3", "0", "7"]
    s = g.parse("XGID=-A-a-----------------n----:1:1:1:21:5:3:0:7:10")
    assert g.utility(play(g, s, "1/off")) == 2
    assert g.bounds(g.initial()) == (-4, 2)


@pytest.mark.parametrize(
    ("parameters", "doubling"),
    [
        ("match=7,score=6-4", False),  # the Crawford game
        ("match=7,score=6-4,crawford=false", True),
        ("match=7,score=6-6", False),  # a cube that shows all that O needs is of no use
        ("match=7,score=5-4", True),
        ("match=1", False),
    ],
)
def test_the_crawford_game_has_no_cube(parameters: str, doubling: bool) -> None:
    g = game(f"backgammon(cube=true,{parameters})")
    s = play(g, g.initial(), "31", "8/5 6/5")
    assert (g.player(s) == 1) is doubling


@pytest.mark.parametrize(
    ("spec", "word"),
    [
        ("backgammon(match=5)", "backgammon(cube=true,match=5)"),
        ("backgammon(jacoby=true)", "backgammon(cube=true,jacoby=true)"),
        ("backgammon(cube=true,jacoby=true,match=3)", "for money"),
        ("backgammon(cube=true,match=-1)", "match=-1 is not a match length"),
        ("backgammon(match=-1)", "match=-1 is not a match length"),
        ("backgammon(score=x)", "score=x is not whole numbers joined by -, like 0-0"),
        ("backgammon(score=1-2)", "backgammon(cube=true,match=3,score=1-2)"),
        ("backgammon(cube=true,match=40000)", "match=40000"),
        ("backgammon(cube=true,match=3,score=3-0)", "score=3-0"),
        ("backgammon(cube=true,match=3,score=1)", "score=1"),
        ("backgammon(cube=true,score=1-0)", "score=1-0"),
        ("backgammon(cube=yes)", "neither true nor false"),
    ],
)
def test_bad_parameters_are_named(spec: str, word: str) -> None:
    with pytest.raises(ThreefoldError) as caught:
        game(spec)
    assert word in str(caught.value)
    assert "\n" not in str(caught.value)


# All games end well enough.


@pytest.mark.parametrize(
    "spec", ["backgammon", "backgammon(cube=true,jacoby=true)", "backgammon(cube=true,match=3)"]
)
def test_checkers_are_never_lost(spec: str) -> None:
    g = game(spec)
    rng = random.Random(4)
    s = g.initial()
    for _ in range(400):
        if g.is_terminal(s):
            s = g.initial()
        s = rolled(g, s, rng) if g.player(s) == CHANCE else g.result(s, rng.choice(g.moves(s)))
        assert [sum(side) for side in sides(s)] == [15, 15]


def test_evaluations_see_both_sides_alike(plain: Game[State]) -> None:
    for s in from_games(plain, random.Random(5), 100):
        turned = State(s.o_low, s.o_high, s.x_low, s.x_high, s.dice, 1 - s.turn, s.phase, s.stakes)
        for name in plain.evaluations:
            assert plain.using(name).evaluate(turned) == -plain.using(name).evaluate(s)


def test_moves_with_a_slash_are_told_apart_in_a_tree(plain: Game[State]) -> None:
    """A node of a game's tree is named by its moves, joined by slashes."""
    position = "XGID=--A--A--------------a--a--:0:0:1:21:0:0:0:0:10"
    explained = plain.explain("expectiminimax", position, depth=1)
    assert explained.path[0] in texts(plain, position)
    assert any(explained.path[0] in said for said in narrate(explained.events))
