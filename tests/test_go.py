"""Go: its rules by known positions, and against OpenSpiel and GNU Go."""

import random
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import processes
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from threefold import Game, ThreefoldError, conformance, game
from threefold.errors import BadPosition, IllegalMove
from threefold.games.go.handicap import handicap_points, most_stones
from threefold.games.go.notation import Points
from threefold.protocols.process import find_program

#: Moves on 2×2 after which Black may not play A1: that board was there after the first move.
CIRCLE = ("A1", "B1", "A2", "B2", "A1", "A2")


COLORS = ("black", "white")


def after(g: Game[Any], *moves: str, start: str | None = None) -> list[Any]:
    """The positions of a game."""
    positions = [g.position(start)]
    for move in moves:
        a = g.parse_move(positions[-1], move, positions[:-1])
        positions.append(g.result(positions[-1], a))
    return positions


def random_game(
    g: Game[Any], rng: random.Random, plies: int
) -> Iterator[tuple[int | None, list[Any]]]:
    """A game of random moves by superko, then two passes: each move and the positions so far."""
    positions = [g.initial()]
    yield None, positions
    pass_move = g.facts.max_moves - 1
    while not g.is_terminal(positions[-1]):
        s = positions[-1]
        moves = g.moves(s, positions[:-1])
        ends = len(positions) > plies or len(moves) == 1 or rng.random() < 0.02
        a = pass_move if ends else rng.choice(moves[:-1])
        positions.append(g.result(s, a))
        yield a, positions


# Known positions.


def test_captures_of_several_groups_at_once() -> None:
    g = game("go(size=5)")
    # White's single stones on B4, C3 and D4 share their last liberty, C4.
    start = ".XXX./XO.OX/.XOX./..X../..... X"
    (_, s) = after(g, "C4", start=start)
    assert g.format(s) == ".XXX./X.X.X/.X.X./..X../..... O"


def test_suicide_is_illegal() -> None:
    g = game("go(size=3)")
    with pytest.raises(IllegalMove, match="'A1' is not a legal move; legal here: "):
        after(g, "A1", start=".../X../.X. O")
    # Nor may a whole group take its own last liberty.
    with pytest.raises(IllegalMove, match="'B1' is not a legal move"):
        after(g, "B1", start=".../XX./O.X O")
    # But where it captures, it lives.
    (_, s) = after(g, "A1", start="O../XO./.XO O")
    assert g.format(s) == "O../.O./O.O X"


def test_ko() -> None:
    g = game("go(size=4)")
    start = ".XO./XO.O/.XO./.... X"
    (_, s) = after(g, "C3", start=start)
    assert g.format(s) == ".XO./X.XO/.XO./.... O ko=B3"
    with pytest.raises(IllegalMove, match="'B3' is not a legal move"):
        g.parse_move(s, "B3")
    # After a move of each elsewhere the ko may be taken back.
    positions = after(g, "C3", "D1", "A1", "B3", start=start)
    assert g.format(positions[-1]) == ".XO./XO.O/.XO./X..O X ko=C3"
    # A pass also lifts the ko, but superko does not let the same board come up again.
    passed = after(g, "C3", "pass", "pass", start=start)
    assert g.is_terminal(passed[-1])


def test_snapback() -> None:
    """A stone that captures one is no ko if it belongs to a group: that is captured at once."""
    g = game("go(size=4)")
    *_, taken, taken_back = after(g, "A1", "B1", "A1", start="..../XX../OOX./..X. X")
    assert g.format(taken) == "..../XX../OOX./.OX. X"
    assert g.format(taken_back) == "..../XX../..X./X.X. O"


def test_two_passes_end_the_game() -> None:
    g = game("go(size=5,komi=0)")
    s = after(g, "C3", "pass", "pass")[-1]
    outcome = g.outcome([s])
    assert outcome is not None
    assert (outcome.utility, outcome.reason) == (1, "B+25 (area: black 25, white 0; komi 0)")
    assert g.moves(s) == []
    assert g.format(s).endswith(" X passes=2") or g.format(s).endswith(" O passes=2")


@pytest.mark.parametrize(
    ("board", "komi", "margin"),
    [
        ("...../...../...../...../.....", 7, -7),
        ("..X../...../...../...../.....", 0, 25),
        (".XO../.XO../.XO../.XO../.XO..", 0.5, -5.5),
        # A point between both is nobody's.
        (".X.O./.X.O./.X.O./.X.O./.X.O.", 0, 0),
        # Stones count as alive, also where everybody sees that they are dead.
        (".XO../.XO.X/.XO../.XO../.XO..", 0, 11 - 5),
    ],
)
def test_area(board: str, komi: float, margin: float) -> None:
    g = game(f"go(size=5,komi={komi})")
    s = g.parse(f"{board} X passes=2")
    area = g.utilities["area"]
    assert area.worth(s) / area.units == margin
    assert g.utility(s) == (margin > 0) - (margin < 0)


# Superko.


def test_superko() -> None:
    g = game("go(size=2,komi=0)")
    positions = after(g, *CIRCLE)
    s, before = positions[-1], positions[:-1]
    a1 = g.parse_move(s, "A1")
    assert a1 in g.moves(s)
    assert a1 not in g.moves(s, before)
    assert [g.format_move(s, a) for a in g.moves(s, before)] == ["pass"]
    with pytest.raises(
        IllegalMove, match=r"'A1' is not a legal move \(it would bring an earlier position back"
    ):
        g.parse_move(s, "A1", before)


def test_a_pass_brings_nothing_back() -> None:
    g = game("go(size=3)")
    positions = after(g, "B2", "pass")
    assert g.parse_move(positions[-1], "pass", positions[:-1]) == 9


@given(st.integers(0, 1 << 30), st.sampled_from([2, 3, 4]))
@settings(max_examples=30)
def test_no_board_comes_up_twice(seed: int, size: int) -> None:
    g = game(f"go(size={size})")
    *_, (_, positions) = random_game(g, random.Random(seed), 40)
    boards = [g.superko(s) for s in positions]
    changed = [b for a, b in pairwise(boards) if a != b]
    assert len(set(changed)) == len(changed)
    assert g.superko(g.initial()) not in changed


# Notation.


@pytest.mark.parametrize("size", [2, 5, 9, 13, 19])
def test_texts_read_back(size: int) -> None:
    g = game(f"go(size={size})")
    for _, positions in random_game(g, random.Random(size), 60):
        s = positions[-1]
        assert g.parse(g.format(s)) == s
        for a in g.moves(s)[:5]:
            assert g.parse_move(s, g.format_move(s, a)) == a
            assert g.parse_move(s, g.format_move(s, a).lower()) == a


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "expected 5 rows joined by /, not 1"),
        ("...../...../...../...../..... X ko=B2 ko=B3", "ko is given more than once"),
        ("...../...../...../...../..... X passes=1 passes=1", "passes is given more than once"),
        ("...../...../...../.....", "expected 5 rows joined by /, not 4"),
        ("...../...../...../...../.... X", "row '....' has 4 points, not 5"),
        ("...../..x../...../...../..... X", "'x' in row '..x..' is not X, O or ."),
        ("...../...../...../...../.....", "expected the side to move, X or O, after a space"),
        ("...../...../...../...../..... Z", "expected the side to move, X or O"),
        ("...../...../...../...../..... X ko=F1", "'F1' is not a point from A1 to E5"),
        ("...../...../...../...../..... X ko=I1", "'I1' is not a point from A1 to E5"),
        ("X..../...../...../...../..... X ko=A5", "ko=A5 is not an empty point"),
        ("...../...../...../...../..... X passes=3", "passes=3 is not 1, a pass just before"),
        ("...../...../...../...../..... X what", "'what' after the side to move is neither"),
        ("...../...../...../...../..... X ko=A1 passes=1", "no point is barred by ko after a pass"),
        ("XO.../O..../...../...../..... X", "the stone on A5 has no liberty"),
    ],
)
def test_bad_positions(text: str, complaint: str) -> None:
    with pytest.raises(BadPosition) as error:
        game("go(size=5)").parse(text)
    assert complaint in str(error.value)


@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        ("go(size=1)", "size=1 is not from 2 to 19"),
        ("go(size=20)", "size=20 is not from 2 to 19"),
        ("go(komi=7.3)", "komi=7.3 is not a number of points or half points"),
        ("go(komi=400)", "komi=400 is not a number"),
        ("go(handicap=1)", "handicap=1 is not 0 or from 2 to 9"),
        ("go(handicap=10)", "handicap=10 is not 0 or from 2 to 9"),
        ("go(size=8,handicap=5)", "handicap=5 is not 0 or from 2 to 4"),
        ("go(size=5,handicap=2)", "handicap=2 is not 0 on boards smaller than 7×7"),
    ],
)
def test_bad_parameters(spec: str, complaint: str) -> None:
    with pytest.raises(ThreefoldError) as error:
        game(spec)
    assert complaint in str(error.value)


def test_a_game_with_handicap_conforms() -> None:
    assert conformance(game("go(size=7,handicap=2)"), games=1).ok


def test_a_game_with_handicap_begins_with_white() -> None:
    g = game("go(size=9,handicap=3)")
    assert g.player(g.initial()) == 1
    assert list(g.contents(g.initial()).values()).count("black") == 3


# OpenSpiel.


def open_spiel(size: int, komi: float) -> Any:
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
    return pyspiel.load_game(f"go(board_size={size},komi={float(komi)})")


@pytest.mark.parametrize(
    ("size", "games", "plies"),
    [(2, 60, 7), (3, 60, 16), (5, 40, 48), (9, 15, 150), (13, 5, 250), (19, 1, 200)],
)
def test_open_spiel_agrees_on_random_games(size: int, games: int, plies: int) -> None:
    """On the moves, and on who has won.

    It ends a game as a draw where superko forbids the move, and after twice as many moves as there
    are points; both are left out here.
    """
    komi = 0.5 * (size % 4)
    peer, g = open_spiel(size, komi), game(f"go(size={size},komi={komi})")
    rng = random.Random(size)
    compared = 0
    for _ in range(games):
        t = peer.new_initial_state()
        for a, positions in random_game(g, rng, min(plies, peer.max_game_length() - 3)):
            s = positions[-1]
            if a is not None:
                t.apply_action(a)
            assert t.is_terminal() == g.is_terminal(s)
            if not t.is_terminal():
                assert t.current_player() == g.player(s)
                assert sorted(t.legal_actions()) == g.moves(s)
                compared += 1
        assert t.returns()[0] == g.utility(s)
    assert compared > 150


@pytest.mark.parametrize(("size", "depth"), [(2, 6), (3, 5), (5, 3)])
def test_open_spiel_counts_the_same(size: int, depth: int) -> None:
    """Up to this depth no board can come up again in its eyes: superko is left out."""
    g = game(f"go(size={size},komi=0)")

    def peer(t: Any, plies: int) -> int:
        if plies == 0:
            return 1
        total = 0
        for a in [] if t.is_terminal() else t.legal_actions():
            child = t.clone()
            child.apply_action(a)
            total += peer(child, plies - 1)
        return total

    theirs = open_spiel(size, 0).new_initial_state()
    for plies in range(1, depth + 1):
        assert g.perft(depth=plies, way="interpreted") == peer(theirs, plies)
    assert g.perft(depth=depth) == g.perft(depth=depth, way="interpreted")


# GNU Go.


class GnuGo:
    """GNU Go, asked by GTP."""

    def __init__(self) -> None:
        try:
            program = find_program("gnugo")
        except ThreefoldError as missing:
            pytest.skip(f"{missing} (Debian has it)")
        self._process = processes.start(
            [program, "--mode", "gtp", "--level", "1"], stdin=processes.PIPE
        )

    def __call__(self, *lines: str) -> list[str]:
        """Its answers, all of which must be no refusals."""
        self._process.stdin.write("".join(f"{line}\n" for line in lines))
        self._process.stdin.flush()
        answers = []
        for line in lines:
            said = ""
            while not said.endswith("\n\n"):
                got = self._process.stdout.readline()
                assert got, f"GNU Go ended at {line}"
                said += got
            assert said.startswith("="), f"{line}: {said}"
            answers.append(said[1:].strip())
        return answers

    def stones(self, color: str) -> set[str]:
        return set(self(f"list_stones {color}")[0].split())


@pytest.fixture(scope="module")
def gnu_go() -> GnuGo:
    return GnuGo()


def stones_of(g: Game[Any], s: Any, color: str) -> set[str]:
    return {point for point, what in g.contents(s).items() if what == color}


@pytest.mark.parametrize(("size", "plies"), [(5, 60), (9, 150), (13, 150), (19, 150)])
def test_gnu_go_agrees_on_random_games(gnu_go: GnuGo, size: int, plies: int) -> None:
    """On the legal moves, which are those without superko, and on what is captured."""
    g = game(f"go(size={size})")
    rng = random.Random(size)
    played: list[str] = []
    captures = 0
    for number in range(3):
        gnu_go(f"boardsize {size}", "clear_board")
        for a, positions in random_game(g, rng, plies):
            s = positions[-1]
            if a is not None:
                before = positions[-2]
                played.append(g.format_move(before, a))
                gnu_go(f"play {COLORS[g.player(before)]} {played[-1]}")
            if len(positions) % (5 + size // 4) == number and not g.is_terminal(s):
                legal = {g.format_move(s, a) for a in g.moves(s)} - {"pass"}
                answer = gnu_go(f"all_legal {COLORS[g.player(s)]}")[0]
                assert set(answer.split()) == legal, played
        stones = [stones_of(g, s, color) for color in COLORS]
        assert [gnu_go.stones(color) for color in COLORS] == stones
        captures += len(played) - played.count("pass") - sum(map(len, stones))
        played = []
    assert captures


@pytest.mark.parametrize("size", range(5, 20))
def test_handicap_stones_are_where_gnu_go_puts_them(gnu_go: GnuGo, size: int) -> None:
    points = Points(size)
    gnu_go(f"boardsize {size}")
    for stones in range(2, most_stones(size) + 1):
        (theirs,) = gnu_go("clear_board", f"fixed_handicap {stones}")[1:]
        ours = {points.name(cell) for cell in handicap_points(size, stones)}
        assert ours == set(theirs.split()), f"{stones} stones on {size}"


def test_gnu_go_counts_the_same_area(gnu_go: GnuGo, tmp_path: Path) -> None:
    """Where all stones live, its score by Chinese rules is ours."""
    from threefold.games.go import sgf

    g = game("go(size=7,komi=5.5)")
    board = "..XO.../..XO.../XXXO.../..XOOOO/.XXXXXX/..X.X../..X.X.. X"
    s = g.parse(board)
    path = tmp_path / "board.sgf"
    path.write_text(sgf.write(sgf.record([], game=g, start=s)))
    chinese = processes.run(
        [find_program("gnugo"), "--mode", "gtp", "--chinese-rules"],
        input=f"loadsgf {path}\nkomi 5.5\nlist_stones black\nfinal_score\nquit\n",
    )
    stones, score = chinese.stdout.split("\n\n")[2:4]
    assert set(stones[1:].split()) == stones_of(g, s, "black")
    area = g.utilities["area"]
    margin = area.worth(s) / area.units
    assert score.strip("= \n") == f"{'BW'[margin < 0]}+{abs(margin):.1f}"


def test_gnu_go_has_simple_ko_unless_told_otherwise(gnu_go: GnuGo) -> None:
    """By its usual rules it plays on where a board comes up again: hence --positional-superko."""
    gnu_go("boardsize 2", "clear_board")
    gnu_go(*(f"play {color} {move}" for color, move in zip(COLORS * 3, CIRCLE, strict=True)))
    assert "A1" in gnu_go("all_legal black")[0].split()
