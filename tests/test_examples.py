"""The examples follow the contract and give the known results."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from threefold import Game, ThreefoldError, conformance, game
from threefold.rules.contract import CHANCE, MAX

EXAMPLES = Path(__file__).parents[1] / "examples"


def example(spec: str) -> Game[Any]:
    return game(str(EXAMPLES / spec))


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_every_example_keeps_the_contract(path: Path) -> None:
    example = game(str(path))
    report = conformance(example, games=8)
    assert report.ok, str(report)
    assert report.compiled == (example.facts.players == 2)


def plain_minimax(of: Game[Any]) -> int:
    """A game's value, from nothing but its rules."""

    @cache
    def value(s: Any) -> int:
        moves = of.moves(s)
        if not moves:
            return of.utility(s)
        best = max if of.player(s) == MAX else min
        return best(value(of.result(s, a)) for a in moves)

    return value(of.initial())


@pytest.mark.parametrize(
    ("spec", "value"),
    [
        # Whoever begins wins Hex on every board, by stealing the other's strategy.
        ("hex.py(size=1)", 1),
        ("hex.py(size=2)", 1),
        ("hex.py", 1),
        # Domineering on squares: known for long (Berlekamp, Conway and Guy, Winning Ways).
        ("domineering.py(columns=2,rows=2)", 1),
        ("domineering.py(columns=3,rows=3)", 1),
        ("domineering.py", 1),
        ("domineering.py(columns=1,rows=4)", 1),
        ("domineering.py(columns=4,rows=1)", -1),
    ],
)
@pytest.mark.parametrize("method", ["auto", "null-window", "proof"])
def test_known_values(spec: str, value: int, method: str) -> None:
    assert example(spec).solve(method=method, detail="value").value == value


def test_in_hex_the_middle_wins_soonest() -> None:
    hexagons = example("hex.py")
    assert hexagons.solve().to_json()["best"] == "b2"


@pytest.mark.parametrize("deal", range(5))
def test_open_hands_are_played_out_right(deal: int) -> None:
    tricks = example(f"open_tricks.py(suits=2,ranks=4,deal={deal})")
    assert tricks.solve(detail="value").value == plain_minimax(tricks)


def test_open_hands_must_follow_suit() -> None:
    tricks = example("open_tricks.py(suits=2,ranks=2)")
    s = tricks.parse("south=9,north=6,led=63,tricks=0,turn=0")  # S1 H2 against S2 H1
    assert [tricks.format_move(s, a) for a in tricks.moves(s)] == ["S1", "H2"]
    led = tricks.result(s, tricks.parse_move(s, "H2"))
    assert [tricks.format_move(led, a) for a in tricks.moves(led)] == ["H1"]
    taken = tricks.result(led, tricks.parse_move(led, "H1"))
    assert (taken.tricks, taken.turn) == (1, 0)


def test_pig_is_worth_what_value_iteration_says() -> None:
    """0.4188 for the first player, of a game that is won or lost."""
    pig = example("pig.py")
    values: dict[Any, float] = {pig.initial(): 0.0}
    waiting = [pig.initial()]
    while waiting:
        here = waiting.pop()
        for s in [pig.result(here, a) for a in pig.moves(here)]:
            if s not in values:
                values[s] = 0.0
                waiting.append(s)
    for _ in range(200):
        for s in values:
            after = {a: values[pig.result(s, a)] for a in pig.moves(s)}
            if not after:
                values[s] = pig.utility(s)
            elif pig.player(s) == CHANCE:
                values[s] = sum(after.values()) / len(after)
            else:
                values[s] = (max if s.turn == MAX else min)(after.values())
    assert values[pig.initial()] == pytest.approx(0.4188, abs=5e-5)


def test_capture_go_finds_the_stone_to_take() -> None:
    capture = example("capture_go.py")
    s = capture.initial()
    for move in ("E5", "E6", "A1", "D5", "A2", "F5", "A3"):
        s = capture.result(s, capture.parse_move(s, move))
    best = capture.best(s, depth=2)
    assert best is not None
    assert capture.format_move(s, best) == "E4"
    assert capture.utility(capture.result(s, best)) == -1


def test_a_stone_without_liberties_is_lost_unless_it_takes() -> None:
    capture = example("capture_go.py")
    s = capture.initial()
    for move in ("A2", "J9", "B1", "A1"):  # white jumps into the corner and takes nothing
        s = capture.result(s, capture.parse_move(s, move))
    assert capture.is_terminal(s)
    assert capture.utility(s) == 1


@pytest.mark.parametrize(
    "spec",
    [
        "hex.py(size=8)",
        "domineering.py(columns=9,rows=9)",
        "pig.py(goal=0)",
        "open_tricks.py(ranks=14)",
        "open_tricks.py(suits=1,ranks=3)",
    ],
)
def test_parameters_that_cannot_be_are_refused(spec: str) -> None:
    with pytest.raises(ThreefoldError, match="not"):
        example(spec)
