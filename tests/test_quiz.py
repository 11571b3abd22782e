"""The classification of games: the quiz, and the table of `threefold games`."""

import random

import nim
import pytest

from threefold import CHANCE, Game, game
from threefold.cli.main import main
from threefold.errors import BadGame
from threefold.games.catalogue import HOMES
from threefold.textbook.quiz import PROPERTIES, QUESTIONS, lacking

BY_GAME = {question.game: question for question in QUESTIONS}


def test_the_games_of_the_catalogue_answer_for_themselves() -> None:
    named = {question.name: question for question in QUESTIONS if question.name}
    # Tic-tac-toe is an m,n,k-game; backgammon is finite only in the lectures' sense; bridge is for
    # four in the lectures, and for two sides here.
    assert set(named) == HOMES.keys() - {"mnk", "backgammon", "contract-bridge"}
    for name, question in named.items():
        facts = game(name).facts
        assert question.is_one == (
            facts.players == 2
            and facts.zero_sum
            and facts.deterministic
            and facts.perfect_information
            and facts.finite
            and facts.discrete
        )


def test_every_reason_is_for_something_that_is_missing() -> None:
    for question in QUESTIONS:
        assert set(question.because) <= set(question.lacks)
        assert set(question.lacks) <= set(PROPERTIES)
        said = question.explanation()
        assert said.startswith("Yes: " if question.is_one else "No: ")
        assert all(reason in said for reason in question.because.values())
    assert len(BY_GAME) == len(QUESTIONS)


@pytest.mark.parametrize(
    ("changes", "missing"),
    [
        ({}, ()),
        ({"zero_sum": False}, ("zero-sum",)),
        ({"finite": False}, ("finite",)),
        ({"outcomes": lambda s, out, weight: 0}, ("deterministic",)),
        ({"observe": lambda s, p: s}, ("perfect information",)),
        ({"players": 3, "utility": lambda s, p: 0}, ("two players",)),
    ],
)
def test_each_fact_is_a_property(changes: dict[str, object], missing: tuple[str, ...]) -> None:
    assert lacking(nim.nim(**changes).facts) == missing


@pytest.mark.parametrize(
    ("asked", "lacks"),
    [
        ("Go", ()),
        ("Kalah", ()),
        ("noughts and crosses", ()),
        ("the 8-puzzle", ("two players", "zero-sum")),
        ("backgammon", ("deterministic",)),
        ("bridge", ("two players", "deterministic", "perfect information")),
        ("Nim with a die", ("deterministic",)),
    ],
)
def test_the_lectures_games(asked: str, lacks: tuple[str, ...]) -> None:
    assert BY_GAME[asked].lacks == lacks


def test_a_reason_in_words() -> None:
    assert BY_GAME["backgammon"].explanation() == (
        "No: backgammon is not deterministic (dice are rolled)."
    )


# How large games are.


def random_play(of: Game[object], games: int) -> tuple[float, float]:
    """Moves in a position and plies in a game, on average."""
    rng = random.Random(3)
    moves = plies = 0
    for _ in range(games):
        s = of.initial()
        while legal := of.moves(s):
            if of.player(s) == CHANCE:
                events = of.chances(s)
                a = rng.choices([event for event, _ in events], [weight for _, weight in events])[0]
            else:
                a = rng.choice(legal)
                moves, plies = moves + len(legal), plies + 1
            s = of.result(s, a)
    return moves / plies, plies / games


@pytest.mark.parametrize("name", HOMES)
def test_how_large_games_are(name: str) -> None:
    typical = game(name).facts.typical
    assert typical is not None
    if typical.source == "random play":
        branching, length = random_play(game(name), 600)
        assert branching == pytest.approx(typical.branching, rel=0.04)
        assert length == pytest.approx(typical.length, rel=0.04)
    else:
        assert typical.source in {"Allis 1994", "Tesauro 1995"}


@pytest.mark.parametrize(
    "spec", ["mnk(m=4,n=4,k=4)", "nim(heaps=1-2)", "othello(size=6)", "kalah(pits=3)"]
)
def test_other_parameters_have_no_published_figures(spec: str) -> None:
    assert game(spec).facts.typical is None


def test_figures_of_another_kind_are_refused() -> None:
    with pytest.raises(BadGame, match="typical=35 is not a Typical"):
        nim.nim(typical=35)


def test_the_table_of_games(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["games"]) == 0
    lines = capsys.readouterr().out.splitlines()
    header, rows = lines[0], lines[1 : lines.index("")]
    assert header.split()[:6] == [
        *("game", "players", "zero-sum", "deterministic", "information", "finite"),
    ]
    assert [row.split()[0] for row in rows] == list(HOMES)
    for row in rows:
        name, players, zero_sum, deterministic, information, finite, *typical = row.split()
        facts = game(name).facts
        assert int(players) == facts.players
        assert [zero_sum, deterministic, finite] == [
            "yes" if fact else "no" for fact in (facts.zero_sum, facts.deterministic, facts.finite)
        ]
        assert information == ("perfect" if facts.perfect_information else "hidden")
        assert facts.typical is not None
        assert [float(part) for part in typical[:2]] == [
            facts.typical.branching,
            facts.typical.length,
        ]
