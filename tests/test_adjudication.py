"""Games that end early: only where both players agree, or where the result is proven."""

import math
import random
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_graph import State, random_graph

from threefold import Game, game
from threefold.arena.adjudication import Adjudicator
from threefold.errors import BrokenRules, ThreefoldError
from threefold.protocols.player import Reply

CHESS = game("chess")
TIC_TAC_TOE = game("tic-tac-toe")

Value = float | None


def played(g: Game[Any], *texts: str, start: str | None = None) -> tuple[list[Any], list[int]]:
    """The positions and the moves of a game."""
    positions, moves = [g.position(start)], []
    for text in texts:
        moves.append(g.parse_move(positions[-1], text))
        positions.append(g.result(positions[-1], moves[-1]))
    return positions, moves


SHUFFLE = ["g1f3", "g8f6", "f3g1", "f6g8"]


def looked(specs: Sequence[str], values: Sequence[Value], plies: int | None = None) -> Any:
    """What is said about a game of chess with these values in its last moves."""
    plies = len(values) if plies is None else plies
    positions, moves = played(CHESS, *(SHUFFLE * plies)[:plies])
    return Adjudicator(CHESS, specs).look(positions, moves, values)


@pytest.mark.parametrize(
    ("values", "utility"),
    [
        ([5, -5, 6, -7], 1),
        ([-5, 5, -6, 9], -1),
        ([0, 0, 5, -5, 5, -5], 1),
        ([math.inf, -5, 5, -math.inf], 1),
        ([4.9, -5, 5, -5], None),
        ([5, -5, 5, -4.9], None),
        ([5, -5, 5, 5], None),  # both believe to win
        ([5, None, 5, -5], None),
        ([5, -5, 5], None),
        ([None, -5, 5, -5, 5], 1),
        ([], None),
    ],
)
def test_agreed_wins(values: list[Value], utility: int | None) -> None:
    verdict = looked(["resign:5,2"], values)
    if utility is None:
        assert verdict is None
    else:
        winner = "white" if utility > 0 else "black"
        assert verdict == (utility, f"both players see {winner} winning")


@pytest.mark.parametrize(
    ("values", "plies", "drawn"),
    [
        ([0.1, -0.2, 0.0, 0.2], 8, True),
        ([0.1, -0.2, 0.0, 0.2], 7, False),  # before move 4
        ([0.1, -0.2, 0.0, 0.21], 8, False),
        ([-0.21, 0.2, 0.0, 0.2], 8, False),
        ([math.inf, 0, 0, 0], 8, False),
        ([0.1, 0, 0], 9, False),
        ([9, 9, 0, 0, 0, 0], 9, True),
    ],
)
def test_agreed_draws(values: list[Value], plies: int, drawn: bool) -> None:
    verdict = looked(["draw:0.2,2,4"], values, plies)
    assert verdict == ((0, "both players see a draw") if drawn else None)


@given(
    st.lists(st.one_of(st.none(), st.integers(-9, 9), st.just(math.inf)), max_size=12),
    st.integers(1, 9),
    st.integers(1, 3),
)
def test_what_both_agree_on_is_what_a_simple_reading_finds(
    values: list[Value], value: int, moves: int
) -> None:
    wins = looked([f"resign:{value},{moves}"], values)
    seen = [
        None if v is None else v if ply % 2 == 0 else -v for ply, v in enumerate(values)
    ]  # as white sees it
    last = seen[-2 * moves :] if len(seen) >= 2 * moves else [None]
    known = [v for v in last if v is not None]
    expected = None
    if len(known) == len(last):
        expected = 1 if min(known) >= value else -1 if max(known) <= -value else None
    assert (wins and wins[0]) == expected


def test_nature_and_a_player_who_moves_twice_are_skipped() -> None:
    dice = game("dice-nim")
    s = dice.initial()
    positions, moves, values = [s], [], []
    while len(positions) < 5:
        moves.append(dice.moves(positions[-1])[0])
        mover = dice.player(positions[-1])
        positions.append(dice.result(positions[-1], moves[-1]))
        values.append(None if mover < 0 else 3.0 if mover == 0 else -3.0)
    made = sum(value is not None for value in values)
    assert made >= 2
    assert None in values
    found = Adjudicator(dice, ["resign:3,1"]).look(positions, moves, values)
    assert found is not None
    assert found[0] == 1


def test_a_reply_as_a_score() -> None:
    assert Reply(1, value=0.5).score == 0.5
    assert Reply(1, value=0.5, win_in=3).score == math.inf
    assert Reply(1, win_in=-2).score == -math.inf
    assert Reply(1).score is None


# Proofs.


def proven(g: Game[Any], *texts: str, start: str | None = None, spec: str = "solve") -> Any:
    positions, moves = played(g, *texts, start=start)
    return Adjudicator(g, [spec]).look(positions, moves, [None] * len(moves))


@pytest.mark.parametrize("moves", [["b2"], ["b2", "b1"], ["a1", "b1", "a2"], ["b2", "a1", "a2"]])
def test_a_proof_is_what_solving_says(moves: list[str]) -> None:
    positions, _ = played(TIC_TAC_TOE, *moves)
    exact = TIC_TAC_TOE.solve(positions[-1]).value * (-1 if len(moves) % 2 else 1)
    verdict = proven(TIC_TAC_TOE, *moves)
    assert verdict is not None
    assert verdict[0] == exact
    assert verdict[1].startswith("solved: ")


def test_margins_are_kept() -> None:
    g = game("kalah(pits=2,seeds=2)")

    def minimax(s: Any) -> int:
        values = [minimax(g.result(s, a)) for a in g.moves(s)]
        best = max if g.player(s) == 0 else min
        return best(values) if values else g.utility(s)

    margin = minimax(g.initial())
    verdict = proven(g)
    assert verdict is not None
    assert verdict[0] == margin
    assert abs(margin) > 1
    assert f"wins by {abs(margin)} with best play" in verdict[1]


def test_no_proof_within_the_limit() -> None:
    g = random_graph(repeats=3, finite=False)
    s = State(1, 0)
    assert Adjudicator(g, ["solve:1"]).look([s], [], []) is None
    assert Adjudicator(g, ["solve:1000"]).look([s], [], []) is not None


def best_play(g: Game[Any], positions: Sequence[Any]) -> int:
    """What a game is worth with best play, its history included: tried out in full.

    The value of a position with what came up before it, by iteration over all of them from "a draw
    in the end", which repetition makes certain.
    """

    @cache
    def value(s: Any, times: frozenset[tuple[Any, int]]) -> int:
        count = dict(times)
        count[s] = count.get(s, 0) + 1
        moves = g.moves(s)
        if not moves:
            return g.utility(s)
        if count[s] >= g.repeats:
            return 0
        now = frozenset(count.items())
        best = max if g.player(s) == 0 else min
        return best(value(g.result(s, a), now) for a in moves)

    return value(positions[-1], frozenset(Counter(positions[:-1]).items()))


@pytest.mark.parametrize("repeats", [2, 3])
def test_in_circles_a_proof_holds_whatever_came_before(repeats: int) -> None:
    g = random_graph(repeats=repeats, finite=False)
    called: Counter[bool] = Counter()
    passed_over = 0
    for seed in range(150):
        rng = random.Random(seed)
        positions = [State(seed, 0)]
        while g.outcome(positions) is None and len(positions) < 4 * repeats:
            verdict = Adjudicator(g, ["solve"]).look(positions, [], [])
            if verdict is None:
                passed_over += 1
            else:
                assert verdict[0] == best_play(g, positions)
                called[verdict[0] != 0] += 1
            s = positions[-1]
            positions.append(g.result(s, rng.choice(g.moves(s))))
    assert called[True] > 20
    assert called[False] > 20
    assert passed_over > 0


class Race(NamedTuple):
    """A token on a line. The first player wins at the one end, unless time is up before that."""

    place: int
    moved: int
    turn: int


def race(*, clocks: Sequence[str], goal: int) -> Game[Race]:
    def initial() -> Race:
        return Race(2, 0, 0)

    def actions(s: Race, out: Any) -> int:
        if s.place == goal:
            return 0
        out[0] = 0
        out[1] = 1
        return 2

    def result(s: Race, a: int) -> Race:
        place = min(s.place + 1 + a, goal) if s.turn == 0 else max(s.place - a, 0)
        return Race(place, s.moved + 1, 1 - s.turn)

    def utility(s: Race) -> int:
        return 1 if s.place == goal else 0

    def drawn(s: Race) -> int:
        return 2 if s.moved >= 3 and s.place < goal else 0

    return Game(
        "Race",
        initial=initial,
        actions=actions,
        result=result,
        utility=utility,
        drawn=drawn,
        repeats=3,
        clocks=clocks,
        finite=False,
    )


def test_a_win_that_a_clock_may_spoil_is_not_called() -> None:
    g = race(clocks=["moved"], goal=9)
    assert g.solve(detail="value", progress=False).value == 1  # but not within three moves
    assert proven(g) is None


def test_solving_is_refused_where_it_cannot_be() -> None:
    with pytest.raises(ThreefoldError, match="without chance, and Dice Nim has some"):
        Adjudicator(game("dice-nim"), ["solve"])
    with pytest.raises(ThreefoldError, match="in Go no earlier position may come"):
        Adjudicator(game("go(size=2)"), ["solve"])


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("resing:3,4", r"no adjudication by 'resing'; write one of resign:VALUE"),
        ("", r"no adjudication by ''; write one of resign:VALUE,MOVES, draw:"),
        ("resign", r"write resign:VALUE,MOVES"),
        ("resign:3", r"write resign:VALUE,MOVES"),
        ("resign:3,4,5", r"write resign:VALUE,MOVES"),
        ("resign:-3,4", r"'-3' is not a value, like 5 or 0.25"),
        ("resign:0,1", r"0' is nobody's lead: VALUE must be above 0; write resign:VALUE"),
        ("resign:0.0,1", r"VALUE must be above 0"),
        ("resign:3,0", r"'0' is not a number, like 4"),
        ("resign:nan,4", r"'nan' is not a value"),
        ("draw:0.1,5", r"write draw:VALUE,MOVES,FROM"),
        ("solve:many", r"'many' is not a number, like 4; write solve or solve:NODES"),
        ("solve:", r"'' is not a number"),
    ],
)
def test_bad_specs(spec: str, message: str) -> None:
    with pytest.raises(ThreefoldError, match=message) as refusal:
        Adjudicator(TIC_TAC_TOE, [spec])
    written = refusal.value.worded(lambda name, value: f"--{name} {value}")
    assert written.startswith(f"--adjudicate {spec}")


def test_the_first_that_can_calls_the_game() -> None:
    values: list[Value] = [9.0, -9.0]
    assert looked(["draw:1,1,1", "resign:5,1"], values) == (1, "both players see white winning")
    assert looked([], values) is None


def test_broken_rules_are_not_hidden() -> None:
    g = game("tic-tac-toe")
    positions, moves = played(g, "b2")
    judge = Adjudicator(g, ["solve"])

    def broken(s: Any, before: Any = ()) -> list[int]:
        raise BrokenRules("oh")

    g.moves = broken  # type: ignore[method-assign]
    with pytest.raises(BrokenRules):
        judge.look(positions, moves, [None])
