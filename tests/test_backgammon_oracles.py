"""Backgammon against other people's programs: GNU Backgammon, OpenSpiel, bgsage.

They are not needed to play, only here: `gnubg_nn` has GNU Backgammon's rules and IDs, `pyspiel` is
OpenSpiel, `bgsage` a third program.
"""

import random
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from backgammon_positions import Side, from_games, sage_board, scattered, sides, state

from threefold import Game, game
from threefold.games.backgammon.gnu import position_id
from threefold.games.backgammon.rules import State
from threefold.games.backgammon.stakes import may_double, stakes_of
from threefold.rules.contract import MAX, MIN

G: Game[State] = game("backgammon")


@pytest.fixture(scope="module")
def gnubg() -> Any:
    return pytest.importorskip("gnubg_nn", reason="gnubg-nn is not installed")


@pytest.fixture(scope="module")
def bgsage() -> Any:
    return pytest.importorskip("bgsage", reason="bgsage is not installed")


@pytest.fixture(scope="module")
def spiel() -> Any:
    return pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")


def reached(s: State) -> set[tuple[Side, Side]]:
    """The positions after each play: the mover's checkers first."""
    return {sides(G.result(s, a))[::-1] for a in G.moves(s)}


def positions(rng: random.Random, count: int) -> Iterator[State]:
    yield from from_games(G, rng, count)
    for _ in range(count):
        yield scattered(rng)


def gnu_board(mine: Side, theirs: Side) -> list[list[int]]:
    """As gnubg_nn takes it: points 1 to 24 and the bar, the mover's last."""
    return [list(theirs[1:]), list(mine[1:])]


def whole(points: Any) -> Side:
    """A side's checkers with those borne off."""
    return (15 - sum(points), *points)


def check_gnu(gnubg: Any, s: State) -> None:
    board = gnu_board(*sides(s))
    found = {
        (whole(mine), whole(theirs))
        for theirs, mine in map(
            gnubg.board_from_position_key, gnubg.moves(board, s.dice >> 3, s.dice & 7)
        )
    }
    assert reached(s) == (found or {sides(s)}), G.format(s)


def test_plays_of_gnu_backgammon(gnubg: Any) -> None:
    for s in positions(random.Random(1), 700):
        check_gnu(gnubg, s)


@pytest.mark.slow
def test_many_plays_of_gnu_backgammon(gnubg: Any) -> None:
    for s in positions(random.Random(2), 20_000):
        check_gnu(gnubg, s)


def test_position_ids_of_gnu_backgammon(gnubg: Any) -> None:
    for s in positions(random.Random(3), 200):
        text = gnubg.position_id(gnu_board(*sides(s)))
        assert position_id(s) == text
        on_roll = G.parse(text)  # X is on roll in a position ID alone
        assert sides(on_roll) == sides(s)


def sage_turns(bgsage: Any, s: State) -> set[tuple[Side, Side]]:
    """The positions after each play."""
    found = set()
    for after in bgsage.possible_moves(sage_board(*sides(s)), s.dice >> 3, s.dice & 7):
        mine = [max(after[p], 0) for p in range(1, 25)]
        theirs = [max(-after[25 - p], 0) for p in range(1, 25)]
        found.add((whole((*mine, after[25])), whole((*theirs, after[0]))))
    return found


def test_plays_of_bgsage(bgsage: Any) -> None:
    for s in positions(random.Random(4), 400):
        ours, found = reached(s), sage_turns(bgsage, s)
        if any(mine[0] == 15 for mine, _ in found):
            found &= ours  # it may bear off the last checker with one die: see below
        assert ours == (found or {sides(s)}), G.format(s)


def test_both_dice_are_used_to_bear_off_the_last_checker(gnubg: Any, bgsage: Any) -> None:
    """2/off with 6-1 uses one die where 2/1*/off uses both; bgsage offers it nevertheless."""
    s = G.parse("XGID=-aA-----------------------:0:0:1:61:0:0:0:0:10")
    assert [G.format_move(s, a) for a in G.moves(s)] == ["2/1*/off"]
    check_gnu(gnubg, s)
    assert reached(s) < sage_turns(bgsage, s)


def spiel_sides(node: Any, mover: int) -> tuple[Side, Side]:
    """OpenSpiel's x, player 0, moves up from point 0 and o down; 100 is the bar."""
    found = []
    for player in (mover, 1 - mover):
        points = [node.board(player, 24 - p if player == 0 else p - 1) for p in range(1, 25)]
        found.append(whole((*points, node.board(player, 100))))
    return found[0], found[1]


def spiel_turns(node: Any, mover: int) -> set[tuple[Side, Side]]:
    """The positions at the end of a turn; a double is two turns of OpenSpiel's."""
    found = set()
    for a in node.legal_actions():
        after = node.child(a)
        if after.is_player_node() and after.current_player() == mover:
            found |= spiel_turns(after, mover)
        else:
            found.add(spiel_sides(after, mover))
    return found


def check_spiel_game(spiel: Any, rng: random.Random, often: float) -> int:
    """Play a game of OpenSpiel's at random and compare some of its turns, and its result."""
    node = spiel.load_game("backgammon(scoring_type=full_scoring)").new_initial_state()
    compared, previous = 0, None
    while not node.is_terminal():
        if node.is_chance_node():
            events, chances = zip(*node.chance_outcomes(), strict=True)
            node.apply_action(rng.choices(events, chances)[0])
            previous = None
            continue
        mover = node.current_player()
        if previous is None and rng.random() < often:
            low, high = sorted(int(die) for die in node.observation_tensor(0)[-2:])
            s = state(*spiel_sides(node, mover), 8 * high + low, mover)
            assert reached(s) == spiel_turns(node, mover), G.format(s)
            compared += 1
        previous = mover
        node.apply_action(rng.choice(node.legal_actions()))
    winner = 0 if node.returns()[0] > 0 else 1
    s = state(*spiel_sides(node, winner), 0, winner)
    assert G.utility(s) == node.returns()[0]
    return compared


def test_turns_of_openspiel(spiel: Any) -> None:
    rng = random.Random(5)
    assert sum(check_spiel_game(spiel, rng, 0.3) for _ in range(8)) > 50


@pytest.mark.slow
def test_many_turns_of_openspiel(spiel: Any) -> None:
    rng = random.Random(6)
    assert sum(check_spiel_game(spiel, rng, 1.0) for _ in range(60)) > 3000


def test_results_of_bgsage(bgsage: Any) -> None:
    rng = random.Random(7)
    worth = set()
    for _ in range(300):
        theirs = sides(scattered(rng))[0]
        nothing = (15, *[0] * 25)
        worth.add(points := G.utility(state(nothing, theirs, 0)))
        assert points == bgsage.check_game_over(sage_board(nothing, theirs))
    assert worth == {1, 2, 3}


@pytest.mark.parametrize(
    ("doubles", "owner", "name"),
    [(0, 0, "centered"), (1, 1, "player"), (2, 1, "player"), (2, 2, "opponent"), (3, 1, "player")],
)
def test_who_may_double_in_a_match(bgsage: Any, doubles: int, owner: int, name: str) -> None:
    for x_away, o_away in product(range(1, 10), repeat=2):
        stakes = stakes_of(doubles, owner, 0, 9, 9 - x_away, 9 - o_away)
        known = bgsage.can_double_match(x_away, o_away, 1 << doubles, name)
        assert may_double(stakes, MAX) == known
        crawford = stakes_of(doubles, owner, 1, 9, 9 - x_away, 9 - o_away)
        assert not may_double(crawford, MAX)
        turned = stakes_of(doubles, (0, 2, 1)[owner], 0, 9, 9 - o_away, 9 - x_away)
        assert may_double(turned, MIN) == known
