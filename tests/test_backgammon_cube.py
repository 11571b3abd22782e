"""Backgammon's evaluations with the cube, against Janowski's model, rules for races, and bgsage.

Janowski's model is written here as its author does, by take points and cash points.
"""

import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from backgammon_positions import from_games, rolled, sage_board, sides, state
from random_nets import random_net

from threefold import CHANCE, Game, ThreefoldError, game
from threefold.engine.nets import Net
from threefold.games.backgammon.cube import UNIT, cubeful, without_cube
from threefold.games.backgammon.racing import lead_worth
from threefold.games.backgammon.rules import DECIDING, DOUBLED, PLAYING, State
from threefold.games.backgammon.stakes import counted, doubles_of, owner_of, stakes_of
from threefold.rules.contract import MAX, MIN

G: Game[State] = game("backgammon(cube=true)", own_net=False)
PLAIN: Game[State] = game("backgammon", own_net=False)
START = PLAIN.initial()
EFFICIENCY = Fraction(3, 4)


def line(x: Fraction, *points: tuple[Fraction, Fraction]) -> Fraction:
    """What lies at x on the line through points from left to right."""
    for (x0, y0), (x1, y1) in pairwise(points):
        if x <= x1:
            return y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    raise ValueError(x)


def janowski(c: Fraction, owner: int) -> Fraction:
    """What a cube of 1 makes of chances c to win, all wins being single."""
    take, cash = Fraction(1, 5), Fraction(4, 5)
    lost, won = (Fraction(0), Fraction(-1)), (Fraction(1), Fraction(1))
    live = {
        0: (lost, (take, Fraction(-1)), (cash, Fraction(1)), won),
        1: (lost, (cash, Fraction(1)), won),
        2: (lost, (take, Fraction(-1)), won),
    }[owner]
    return (1 - EFFICIENCY) * (2 * c - 1) + EFFICIENCY * line(c, *live)


@pytest.mark.parametrize("owner", [0, 1, 2])
@pytest.mark.parametrize("doubles", [0, 1, 4])
def test_playing_on_is_worth_what_janowski_says(owner: int, doubles: int) -> None:
    if doubles and not owner:
        doubles = 0
    s = START._replace(phase=PLAYING, stakes=stakes_of(doubles, owner))
    for equity in range(-UNIT, UNIT + 1, 20):
        chances = Fraction(UNIT + equity, 2 * UNIT)
        expected = janowski(chances, owner) * UNIT * 2**doubles
        assert abs(cubeful(s, equity, UNIT) - expected) < 2**doubles


@pytest.mark.parametrize(
    ("owner", "doubles_from", "passes_from"),
    [(0, 0.714, 0.789), (1, 0.737, 0.789)],
)
def test_the_doubling_window(owner: int, doubles_from: float, passes_from: float) -> None:
    """Where the lines of Janowski's model for an efficiency of 3/4 meet."""

    def value(equity: int, phase: int, turn: int, stakes: int) -> int:
        return cubeful(START._replace(phase=phase, turn=turn, stakes=stakes), equity, UNIT)

    stakes = stakes_of(1 if owner else 0, owner)
    for equity in range(-990, 1000, 10):
        chances = (UNIT + equity) / (2 * UNIT)
        if min(abs(chances - doubles_from), abs(chances - passes_from)) < 0.005:
            continue
        rolled = value(equity, PLAYING, MAX, stakes)
        doubled = value(equity, DOUBLED, MIN, stakes)
        assert (doubled > rolled) == (chances > doubles_from)
        assert (doubled == counted(stakes, 1, MAX) * UNIT) == (chances > passes_from)
        assert value(equity, DECIDING, MAX, stakes) == max(rolled, doubled)


def test_a_position_too_good_to_double_is_played_on() -> None:
    stakes = stakes_of()
    s = START._replace(phase=PLAYING)
    assert cubeful(s, 1400, UNIT) == 1400 > cubeful(s._replace(phase=DOUBLED, turn=MIN), 1400, UNIT)
    # Unless gammons do not count before a double.
    assert cubeful(s._replace(stakes=stakes | stakes_of(rule=1)), 1400, UNIT) == 1000


def test_in_a_match_points_count_that_are_needed() -> None:
    """X needs two points and O five; the cube shows 2, is O's, and O may still double."""
    stakes = stakes_of(1, 2, 0, 7, 5, 2)
    s = START._replace(phase=PLAYING, stakes=stakes)
    assert cubeful(s, 3 * UNIT, UNIT) == 2 * UNIT
    assert cubeful(s, -3 * UNIT, UNIT) == -5 * UNIT
    # O wins 2 or, after a double, 4; X 2 in any case.
    assert cubeful(s, 0, UNIT) == -2 * 3 * UNIT // 4 // 4
    # To X, the same cube is worth nothing, and so is any in the Crawford game.
    assert cubeful(s._replace(stakes=stakes_of(1, 1, 0, 7, 5, 2)), 0, UNIT) == 0
    assert cubeful(s._replace(stakes=stakes_of(0, 0, 1, 7, 6, 2)), 500, UNIT) == 500
    assert cubeful(s._replace(stakes=stakes_of(6, 1)), 500, UNIT) == 64 * 500


# The evaluations.


def staked(rng: random.Random, count: int) -> Iterator[State]:
    """Positions of games, each with a cube and at times a match, before or after a roll."""
    for s in from_games(PLAIN, rng, count):
        doubles, length = rng.randrange(7), rng.choice([0, 0, 5, 9])
        x, o = (rng.randrange(length), rng.randrange(length)) if length else (0, 0)
        owner = rng.choice([1, 2]) if doubles else 0
        stakes = stakes_of(doubles, owner, rng.choice([0, 1]), length, x, o)
        phase = rng.choice([PLAYING, DECIDING, DOUBLED])
        yield s._replace(dice=0 if phase else s.dice, phase=phase, stakes=stakes)


def turned(s: State) -> State:
    """The same position with X and O exchanged."""
    word = s.stakes
    owner = (0, 2, 1)[owner_of(word)]
    rule, length = word >> 6 & 3, word >> 8 & 0x7FFF
    stakes = stakes_of(doubles_of(word), owner, rule, length, word >> 38, word >> 23 & 0x7FFF)
    return State(s.o_low, s.o_high, s.x_low, s.x_high, s.dice, 1 - s.turn, s.phase, stakes)


@pytest.mark.parametrize("name", ["position", "pips"])
def test_terms_add_up_whatever_the_cube_shows(name: str) -> None:
    g = G.using(name)
    for s in staked(random.Random(1), 200):
        assert sum(each.share for each in g.shares(s)) == g.evaluate(s)
        assert g.by_terms().evaluate(s) == g.evaluate(s)
        assert g.evaluate(turned(s)) == -g.evaluate(s)


def test_an_evaluation_is_within_reach() -> None:
    for s in staked(random.Random(2), 200):
        least, most = G.bounds(s)
        assert least * UNIT <= G.evaluate(s) <= most * UNIT


def test_other_weights_still_count_as_often_as_the_cube_shows() -> None:
    g = G.using(weights={"pips": -20, "cube": 0})
    for s in staked(random.Random(3), 50):
        once = PLAIN.using(weights={"pips": -20}).evaluate(s)
        if s.phase != DOUBLED:
            assert g.evaluate(s) == once << doubles_of(s.stakes)


# Races.


def test_chances_of_a_race_by_kleinman() -> None:
    """A lead of 14 pips with 206 to go: K = 14² / 202 ≈ 0.97, for which tables say 76 %."""
    assert 500 < lead_worth(14, 206) < 530
    assert lead_worth(-14, 206) == -lead_worth(14, 206)
    assert lead_worth(0, 100) == 0
    assert lead_worth(300, 320) > 990
    assert [lead_worth(n, 100) for n in range(60)] == sorted(lead_worth(n, 100) for n in range(60))


def side(pips: int) -> tuple[int, ...]:
    """Fifteen checkers with so many pips to go, well spread."""
    places = [0] * 26
    places[6], places[5], places[4] = 4, 3, 3
    rest = pips - 51
    for left in range(5, 0, -1):
        places[rest // left] += 1
        rest -= rest // left
    return tuple(places)


def race(lead: int, stakes: int) -> State:
    """X is to double or roll with 100 pips to go, O has more."""
    return state(side(100), side(100 + lead), 0)._replace(phase=DECIDING, stakes=stakes)


@pytest.mark.parametrize(
    ("stakes", "leads"), [(stakes_of(), (4, 8, 11)), (stakes_of(1, 1), (5, 10, 11))]
)
def test_races_are_doubled_by_the_rule_of_8_9_12(stakes: int, leads: tuple[int, int, int]) -> None:
    """With 100 pips, double with a lead of 8 %, redouble with 9 %, take up to 12 %: within two."""
    none, double, take = leads
    for lead, doubles, takes in [
        (none, False, True),
        (double, True, True),
        (take - 1, True, True),
        (14, True, False),
    ]:
        s = race(lead, stakes)
        assert best(s) == ("double" if doubles else "roll"), lead
        assert best(after(s, "double")) == ("take" if takes else "pass"), lead


def best(s: State) -> str:
    """The move that leads to the best evaluation, or result."""

    def worth(a: int) -> int:
        child = G.result(s, a)
        value = UNIT * G.utility(child) if G.is_terminal(child) else G.evaluate(child)
        return value if s.turn == MAX else -value

    return G.format_move(s, max(G.moves(s), key=worth))


def played(g: Game[State], rng: random.Random) -> list[State]:
    """A game in which both sides make the move that leads to the best evaluation."""
    found = [g.initial()]
    while not g.is_terminal(s := found[-1]):
        if g.player(s) == CHANCE:
            found.append(rolled(g, s, rng))
            continue
        sign = 1 if s.turn == MAX else -1
        after = [g.result(s, a) for a in g.moves(s)]
        found.append(max(after, key=lambda child: sign * g.evaluate(child)))
    return found


def test_decisions_are_those_of_bgsage() -> None:
    """Given what it says a position is worth without the cube, where it decides clearly."""
    bgsage: Any = pytest.importorskip("bgsage", reason="bgsage is not installed")
    rng = random.Random(4)
    before = [s for _ in range(10) for s in played(PLAIN, rng) if PLAIN.player(s) == CHANCE]
    known = bgsage.batch_cube_action(
        [
            {"board": sage_board(*sides(s)), "cube_value": 1, "cube_owner": "centered"}
            for s in before
        ],
        "1ply",
        jacoby=False,
        beaver=False,
        n_threads=1,
    )
    right: dict[str, list[bool]] = {"double": [], "roll": [], "take": [], "pass": []}
    for before_roll, theirs in zip(before, known, strict=True):
        s = before_roll._replace(phase=DECIDING)
        sign = 1 if s.turn == MAX else -1
        roll, double, take = (
            sign * cubeful(child, sign * round(theirs.cubeless_equity * UNIT), UNIT)
            for child in (after(s, "roll"), after(s, "double"), after(after(s, "double"), "take"))
        )
        gain = min(theirs.equity_dt, 1.0) - theirs.equity_nd
        if abs(gain) > 0.03:
            better = "double" if gain > 0 else "roll"
            right[better].append((double > roll) == (gain > 0))
        if abs(theirs.equity_dt - 1) > 0.1:
            better = "take" if theirs.equity_dt < 1 else "pass"
            right[better].append((take < UNIT) == (better == "take"))
    for decisions in right.values():
        assert len(decisions) > 50
        assert sum(decisions) > 0.95 * len(decisions)


def after(s: State, move: str) -> State:
    return G.result(s, G.parse_move(s, move))


# Nets.


def test_a_net_without_the_cube_serves_with_it(tmp_path: Path) -> None:
    results = (-3, -2, -1, 1, 2, 3)
    net = random_net(PLAIN, 1, results=results)
    net.save(tmp_path / "plain.npz")
    judged = G.using(str(tmp_path / "plain.npz"))
    compiled = judged.compiled()
    for s in staked(random.Random(5), 60):
        seen = PLAIN.parse(PLAIN.format(without_cube(s)))
        alone = net.value(seen, UNIT) * (1 if seen.turn == MAX else -1)
        assert judged.evaluate(s) == compiled.evaluate(s) == cubeful(s, alone, UNIT)


def test_the_net_that_comes_with_the_game_sees_a_double_from_the_same_side() -> None:
    """It looks at who is about to roll, also while the other player has to answer."""
    g: Game[State] = game("backgammon(cube=true)")
    assert g.evaluation == "net"
    assert isinstance(g.net, Net)
    for s in from_games(PLAIN, random.Random(6), 10):
        deciding = s._replace(dice=0, phase=DECIDING)
        assert g.net.win(after(deciding, "double")) == g.net.win(deciding)
        assert g.net.win(after(deciding, "roll")) == g.net.win(deciding)


def test_a_net_for_other_inputs_is_refused(tmp_path: Path) -> None:
    other: Game[State] = game("backgammon(inputs=tesauro)")
    random_net(other, 1).save(tmp_path / "other.npz")
    with pytest.raises(ThreefoldError, match=r"other\.npz was made for"):
        G.using(str(tmp_path / "other.npz"))
