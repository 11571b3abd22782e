"""Moves as players write them, and games that say why they are over."""

import pytest

from threefold import game
from threefold.rules.outcome import Outcome

CHESS = game("chess")


@pytest.mark.parametrize(
    ("spec", "position", "utility", "reason"),
    [
        ("chess", "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", -1, "checkmate"),
        ("chess", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", 0, "stalemate"),
        ("chess", "7k/8/6K1/8/8/8/8/8 b - - 0 1", 0, "insufficient material"),
        (
            "chess",
            "7k/8/6K1/8/8/8/8/6R1 b - - 100 80",
            0,
            "fifty moves without a capture or a pawn move",
        ),
        (
            "chess",
            "7k/8/6K1/8/8/8/8/6R1 w - - 150 90",
            0,
            "seventy-five moves without a capture or a pawn move",
        ),
        # The hundredth ply mates: that comes before the counter.
        ("chess", "7k/6Q1/6K1/8/8/8/8/8 b - - 100 80", 1, "checkmate"),
        (
            "checkers",
            "B:WK29,K30:BK1,K2:H80",
            0,
            "40 moves without a capture or a move by a man",
        ),
        (
            "checkers(move_limit=5)",
            "W:WK29,K30:BK1,K2:H10",
            0,
            "5 moves without a capture or a move by a man",
        ),
        ("checkers", "B:WK1:B", -1, "all pieces are captured"),
        ("checkers", "W:W12:B3,8", 1, "no piece can move"),
        ("tic-tac-toe", "XXX/OO./... O", 1, "3 in line"),
        ("tic-tac-toe", "XOX/XOO/OXX O", 0, "the board is full"),
        ("connect-four", "1212121", 1, "4 in line"),
        ("nim", "0-0-0 2", 1, ""),
    ],
)
def test_a_finished_game_says_why(spec: str, position: str, utility: int, reason: str) -> None:
    g = game(spec)
    assert g.outcome([g.parse(position)]) == Outcome(utility, reason)


@pytest.mark.parametrize("spec", ["chess", "checkers", "tic-tac-toe", "othello", "kalah", "nim"])
def test_a_game_that_goes_on_has_no_outcome(spec: str) -> None:
    g = game(spec)
    assert g.outcome([g.initial()]) is None


def test_a_repetition_is_seen_from_the_positions_before() -> None:
    positions = [CHESS.initial()]
    for move in ["Nf3", "Nf6", "Ng1", "Ng8", "Nf3", "Nf6", "Ng1", "Ng8"]:
        assert CHESS.outcome(positions) is None
        positions.append(CHESS.result(positions[-1], CHESS.parse_move(positions[-1], move)))
    assert CHESS.outcome(positions) == Outcome(0, "the position came up 3 times")


def test_the_sentence_names_the_sides() -> None:
    assert Outcome(-1, "checkmate").sentence(("white", "black")) == "black wins: checkmate"
    assert Outcome(0, "stalemate").sentence(("white", "black")) == "a draw: stalemate"
    assert Outcome(12).sentence(("X", "O")) == "X wins by 12"
    assert Outcome((3, 1)).sentence(("X", "O")) == "the payoffs are X 3, O 1"
    assert Outcome((3, 1)).winner is None


def test_chess_moves_have_both_forms() -> None:
    s = CHESS.parse("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
    forms = {CHESS.format_move(s, a): CHESS.readable_move(s, a) for a in CHESS.moves(s)}
    assert forms["e1g1"] == "O-O"
    assert forms["a1a8"] == "Rxa8+"
    assert forms["h1g1"] == "Rg1"
    for uci, san in forms.items():
        assert CHESS.parse_move(s, uci) == CHESS.parse_move(s, san)


def test_a_game_without_another_form_reads_as_it_writes() -> None:
    g = game("othello")
    s = g.initial()
    assert [g.readable_move(s, a) for a in g.moves(s)] == [g.format_move(s, a) for a in g.moves(s)]
