"""Matrix games against other ways to solve them: linprog, two-by-two formulas, small supports."""

import json
import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shell import Shell

from threefold import ThreefoldError
from threefold.textbook.matrix import (
    MAX_SIDE,
    PRESETS,
    STRICT,
    MatrixGame,
    eliminate,
    parse_matrix,
    saddle_points,
)
from threefold.textbook.matrix_picture import MatrixSlides
from threefold.textbook.mixture import MatrixSolution, solve
from threefold.textbook.simplex import simplex

numbers = st.fractions(-5, 5, max_denominator=4) | st.integers(-3, 3).map(Fraction)


@st.composite
def games(draw: st.DrawFn, most: int = 5) -> MatrixGame:
    rows, columns = draw(st.integers(1, most)), draw(st.integers(1, most))
    line = st.tuples(*[numbers] * columns)
    return MatrixGame(draw(st.tuples(*[line] * rows)))


def certify(found: MatrixSolution) -> None:
    """The mixtures prove the value, whoever found them."""
    for mixture, choices in ((found.rows, found.game.rows), (found.columns, found.game.columns)):
        assert len(mixture) == len(choices)
        assert sum(mixture) == 1
        assert min(mixture) >= 0
    payoffs = found.game.payoffs
    for j in found.game.columns:
        assert sum(p * row[j] for p, row in zip(found.rows, payoffs, strict=True)) >= found.value
    for row in payoffs:
        assert sum(q * entry for q, entry in zip(found.columns, row, strict=True)) <= found.value


@settings(max_examples=200, deadline=None)
@given(games())
def test_each_side_guarantees_the_value(game: MatrixGame) -> None:
    found = solve(game)
    certify(found)
    assert found.maximin <= found.value <= found.minimax
    assert bool(found.saddles) == (found.maximin == found.minimax)
    # A player who can do without mixing is not told to play what was removed.
    assert (found.saddle is None) == (not found.saddles)
    last = found.steps[-1]
    assert all(i in last.rows for i, share in enumerate(found.rows) if share)
    assert all(j in last.columns for j, share in enumerate(found.columns) if share)


@settings(max_examples=60, deadline=None)
@given(games(most=6))
def test_the_value_is_linprogs(game: MatrixGame) -> None:
    optimize = pytest.importorskip("scipy.optimize", reason="needs SciPy as the oracle")
    rows, columns = len(game.rows), len(game.columns)
    # Variables: the rows' probabilities and the value v; every column must earn at least v.
    least = [[-float(game.payoffs[i][j]) for i in range(rows)] + [1.0] for j in range(columns)]
    answer = optimize.linprog(
        [0.0] * rows + [-1.0],
        A_ub=least,
        b_ub=[0.0] * columns,
        A_eq=[[1.0] * rows + [0.0]],
        b_eq=[1.0],
        bounds=[(0, None)] * rows + [(None, None)],
    )
    assert float(solve(game).value) == pytest.approx(-answer.fun, abs=1e-7)


def equalizing(matrix: Sequence[Sequence[Fraction]]) -> Fraction | None:
    """What mixing all rows of a square matrix evenly for every column earns; None if none does."""
    size = len(matrix)
    # p·M = v for every column and sum p = 1, by elimination.
    system = [
        [matrix[i][j] for i in range(size)] + [Fraction(-1), Fraction(0)] for j in range(size)
    ]
    system.append([Fraction(1)] * size + [Fraction(0), Fraction(1)])
    for k in range(size + 1):
        row = next((r for r in range(k, size + 1) if system[r][k]), None)
        if row is None:
            return None
        system[k], system[row] = system[row], system[k]
        system[k] = [x / system[k][k] for x in system[k]]
        for r in range(size + 1):
            if r != k:
                system[r] = [
                    x - system[r][k] * y for x, y in zip(system[r], system[k], strict=True)
                ]
    return system[size][-1] if min(line[-1] for line in system[:size]) >= 0 else None


@settings(max_examples=100, deadline=None)
@given(games(most=4))
def test_some_small_square_game_has_the_value(game: MatrixGame) -> None:
    """Shapley and Snow: the value is that of a square part in which both make the other even."""
    value = solve(game).value
    parts = (
        [[game.payoffs[i][j] for j in columns] for i in rows]
        for size in range(1, min(len(game.rows), len(game.columns)) + 1)
        for rows in combinations(game.rows, size)
        for columns in combinations(game.columns, size)
    )
    assert any(equalizing(part) == value for part in parts)


@given(st.tuples(numbers, numbers, numbers, numbers))
def test_two_by_two_by_the_formula(entries: tuple[Fraction, ...]) -> None:
    a, b, c, d = entries
    found = solve(MatrixGame(((a, b), (c, d))))
    lower, upper = max(min(a, b), min(c, d)), min(max(a, c), max(b, d))
    if lower == upper:
        assert (found.value, bool(found.saddles)) == (lower, True)
    else:
        assert found.value == (a * d - b * c) / (a + d - b - c)
        assert found.rows[0] == (d - c) / (a + d - b - c)
        assert found.columns[0] == (d - b) / (a + d - b - c)


@settings(max_examples=100, deadline=None)
@given(games())
def test_saddle_points_by_definition(game: MatrixGame) -> None:
    for i in game.rows:
        for j in game.columns:
            entry = game.payoffs[i][j]
            least = all(entry <= other for other in game.payoffs[i])
            greatest = all(entry >= row[j] for row in game.payoffs)
            assert ((i, j) in saddle_points(game)) == (least and greatest)


@settings(max_examples=150, deadline=None)
@given(games())
def test_elimination_removes_what_is_dominated_and_keeps_the_value(game: MatrixGame) -> None:
    rows, columns = list(game.rows), list(game.columns)
    for gone in eliminate(game):
        if gone.what == "row":
            pairs = [(game.payoffs[gone.by][j], game.payoffs[gone.number][j]) for j in columns]
            rows.remove(gone.number)
            assert gone.by in rows
        else:
            pairs = [(-game.payoffs[i][gone.by], -game.payoffs[i][gone.number]) for i in rows]
            columns.remove(gone.number)
            assert gone.by in columns
        assert all(better >= worse for better, worse in pairs)
        assert any(better > worse for better, worse in pairs)
        assert all(better > worse for better, worse in pairs) == (gone.kind == STRICT)
    left = MatrixGame(tuple(tuple(game.payoffs[i][j] for j in columns) for i in rows))
    assert not list(eliminate(left))
    # The simplex method on the whole matrix does not know of dominance.
    shift = 1 - min(map(min, game.payoffs))
    whole = simplex([[entry + shift for entry in row] for row in game.payoffs])
    assert solve(left).value == solve(game).value == 1 / whole.total - shift


def test_simplex_does_not_circle_and_prices_its_conditions() -> None:
    """Many ties for the row that leaves, where a careless rule may go in circles."""
    ones = [[Fraction(1 + (i == j)) for j in range(6)] for i in range(6)]
    best = simplex(ones)
    assert best.total == sum(best.y) == sum(best.prices) == Fraction(6, 7)
    assert len({(pivot.enters, pivot.leaves) for pivot in best.pivots}) == len(best.pivots)


KNOWN = [
    ("3 -1; -2 4", 1, ["3/5", "2/5"], ["1/2", "1/2"]),
    ("rock-paper-scissors", 0, ["1/3"] * 3, ["1/3"] * 3),
    ("matching-pennies", 0, ["1/2"] * 2, ["1/2"] * 2),
    ("1 2 3; 4 5 6", 4, ["0", "1"], ["1", "0", "0"]),
    ("1/2, .25\n0 1", Fraction(2, 5), ["4/5", "1/5"], ["3/5", "2/5"]),
    ("−7", -7, ["1"], ["1"]),
]


@pytest.mark.parametrize(("text", "value", "rows", "columns"), KNOWN)
def test_known_games(text: str, value: Fraction, rows: list[str], columns: list[str]) -> None:
    found = solve(parse_matrix(text))
    assert found.value == value
    assert list(map(str, found.rows)) == rows
    assert list(map(str, found.columns)) == columns


def test_morra_is_fair_and_never_says_its_own_number() -> None:
    found = solve(PRESETS["morra"])
    certify(found)
    assert found.value == 0
    # Every optimal mixture shows one and guesses two, or the reverse, between 4 : 3 and 3 : 2.
    assert found.rows[0] == found.rows[3] == 0
    assert Fraction(4, 7) <= found.rows[1] <= Fraction(3, 5)


def test_the_whole_way_in_sentences() -> None:
    found = solve(parse_matrix("1 5 3; 4 2 3; 0 1 2"))
    assert [step.kind for step in found.steps] == [
        *("start", "rows", "columns", "no-saddle", "dominated", "reduced"),
        *("method", "pivot", "pivot", "method"),
        *("row-mixture", "column-mixture", "row-check", "column-check", "value"),
    ]
    assert found.steps[4].sentence == (
        "Row 3 earns less than row 1 against everything still in play: it is strictly dominated "
        "and is removed."
    )
    assert (found.steps[3].rows, found.steps[4].rows) == ((0, 1, 2), (0, 1))
    weak = solve(parse_matrix("1 1; 1 0"))
    assert "never earns more, and sometimes less, than row 1: it is weakly" in str(weak.to_json())


@settings(max_examples=30, deadline=None)
@given(games(most=4))
def test_pictures_and_tables_at_every_step(game: MatrixGame) -> None:
    slides = MatrixSlides(solve(game))
    for step, scene in enumerate(slides.scenes(range(1, slides.steps + 1)), 1):
        assert ElementTree.fromstring(slides.picture(step)).tag.endswith("svg")
        assert slides.tikz(step).isascii()
        assert len(slides.table(scene).splitlines()) >= len(game.rows) + 1
        assert max(map(len, slides.text(scene, 20).splitlines())) <= 20


def test_the_plot_marks_the_best_mixture() -> None:
    def draw(text: str) -> str:
        return str(MatrixSlides(solve(parse_matrix(text))).picture())

    drawn = draw("2 5 -1; 3 0 6")
    assert "probability of row 1" in drawn
    assert "value 2.5" in drawn
    assert "probability of column 1" in draw("2 5; -1 6; 7 -2")
    assert "probability" not in draw("rock-paper-scissors")


def test_a_notebook_shows_a_solution() -> None:
    found = solve(PRESETS["matching-pennies"])
    shown = found._repr_mimebundle_()
    assert shown["text/plain"] == str(found)
    assert shown["image/svg+xml"].startswith("<svg")


# The command.


def test_explain_matrix_as_json(shell: Shell) -> None:
    answer = shell.json("explain", "matrix", "3 -1; -2 4")
    assert list(answer)[:5] == ["procedure", "value", "rows", "columns", "saddle"]
    assert answer["procedure"] == "matrix"
    assert (answer["value"], answer["rows"], answer["columns"]) == (1, [0.6, 0.4], [0.5, 0.5])
    assert answer["saddle"] is None
    json.dumps(answer, allow_nan=False)
    answer = shell.json("explain", "matrix", "1 2 3; 4 5 6")
    assert answer["saddle"] == [1, 0]
    assert answer["dominated"][0] == {"row": 0, "by": 1, "kind": "strict"}
    assert answer["exact"]["rows"] == ["0", "1"]


def test_explain_matrix_in_words_from_a_file_and_drawn(shell: Shell, tmp_path: Path) -> None:
    assert shell("explain", "matrix", "-1 2; 3 -4") == 0
    assert "value 0.2" in shell.out
    (tmp_path / "game").write_text("0 1\n1 0\n")
    assert shell("explain", "matrix", str(tmp_path / "game"), "--svg", str(tmp_path / "p.svg")) == 0
    assert "value 0.5" in shell.out
    ElementTree.parse(tmp_path / "p.svg")
    drawn = tmp_path / "p.tex"
    assert shell("explain", "matrix", "1 2; 3 4", "--tikz", str(drawn)) == 0
    lines = drawn.read_text().splitlines()
    assert (lines[1][:20], lines[-1]) == (r"\begin{tikzpicture}[", r"\end{tikzpicture}")
    # The saddle point has a double ring, and the first row is struck out.
    assert sum("draw=black" in line and "circle[" in line for line in lines) == 2
    assert r"  \draw[draw=orange!80!black] (3.4,2) -- (6.3,2);" in lines
    assert shell("explain", "matrix", "1 2; 3 4", "--tikz", str(drawn), "--at", "1") == 0
    assert "circle[" not in drawn.read_text()
    page = tmp_path / "p.html"
    assert shell("explain", "matrix", "1 2; 3 4", "--html", str(page)) == 0
    assert "meet at a saddle point" in page.read_text()


def test_step_through_a_matrix(shell: Shell) -> None:
    assert shell("explain", "matrix", "1 2; 3 4", "--step", typing="\nb\ne\n") == 0
    assert "1/" in shell.out
    assert "2/" in shell.out
    assert shell.out.rstrip().endswith("columns: 1, 0")
    assert shell("explain", "matrix", "1 2; 3 4", "--step", typing="q\n") == 0
    assert "columns: 1, 0" not in shell.out


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("1 x; 2 3", "row 1, column 2: 'x' is not a number"),
        ("1e9 2", "'1e9' is not a number"),
        ("1 2; 3", "row 2: 1 entry, but row 1 has 2"),
        (" ; ", "the matrix is empty"),
        ("1/0 2", "1/0 divides by zero"),
        ("9" * 31, "more than 30 digits"),
        ("1 " * (MAX_SIDE + 1), "at most 30 of each"),
        ("Prisoners-Dilemma", "is not zero-sum"),
        ("rock-paper", "did you mean rock-paper-scissors?"),
    ],
)
def test_bad_matrices_are_refused(text: str, word: str) -> None:
    with pytest.raises(ThreefoldError, match=re.escape(word)):
        parse_matrix(text)


@settings(max_examples=200)
@given(st.text(alphabet="0123456789-+./;, \nx−", max_size=30))
def test_any_text_is_read_or_refused_by_us(text: str) -> None:
    try:
        game = parse_matrix(text)
    except ThreefoldError:
        return
    assert len({len(row) for row in game.payoffs}) == 1


@pytest.mark.parametrize(
    ("argv", "word"),
    [
        (["matrix"], "give a matrix"),
        (["matrix", "1 2", "--depth", "3"], "--depth does not go with matrix"),
        (["matrix", "1 2", "--at", "99"], "step 99 is not between 1 and"),
    ],
)
def test_what_does_not_fit_a_matrix(shell: Shell, argv: list[str], word: str) -> None:
    assert word in shell.refused("explain", *argv)
