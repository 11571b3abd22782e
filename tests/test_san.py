"""Chess moves in algebraic notation, against python-chess and by hand."""

import random
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threefold import game
from threefold.games.chess.rules import State
from threefold.games.chess.san import format_san, legal_moves, parse_san

chess = pytest.importorskip("chess", reason="python-chess is not to be had here")

STANDARD, FREE = game("chess"), game("chess(chess960=true)")


def boards(count: int, seed: int, chess960: bool) -> Iterator[tuple[Any, State]]:
    """Positions of random games, as python-chess and we have them."""
    rng = random.Random(seed)
    ours = FREE if chess960 else STANDARD
    while True:
        board = chess.Board.from_chess960_pos(rng.randrange(960)) if chess960 else chess.Board()
        for _ in range(rng.randrange(150)):
            replies = list(board.legal_moves)
            if not replies:
                break
            board.push(rng.choice(replies))
            yield board, ours.parse(board.fen())
            count -= 1
            if count == 0:
                return


def compare(count: int, seed: int, chess960: bool) -> None:
    """One move of each position in many forms, and of every fifth position all moves."""
    rng = random.Random(seed)
    for number, (board, s) in enumerate(boards(count, seed, chess960)):
        replies = list(board.legal_moves)
        if number % 5 == 0:
            ours = sorted(format_san(s, a) for a in legal_moves(s))
            assert ours == sorted(map(board.san, replies)), board.fen()
        if replies:
            move = rng.choice(replies)
            name = board.san(move)
            a = parse_san(s, name)
            assert format_san(s, a) == name, board.fen()
            for text in (board.lan(move), board.uci(move), f"{name.rstrip('+#')}!?", f"{name}#"):
                assert parse_san(s, text) == a, (board.fen(), text)


@pytest.mark.parametrize("chess960", [False, True])
def test_as_python_chess_writes_and_reads(chess960: bool) -> None:
    compare(1500, 1, chess960)


@pytest.mark.slow
@pytest.mark.parametrize("chess960", [False, True])
def test_as_python_chess_on_a_hundred_thousand_positions(chess960: bool) -> None:
    compare(50_000, 2, chess960)


KNIGHTS = "k7/8/8/1N3N2/8/1N3N2/8/7K w - - 0 1"
PROMOTION = "1n5k/P7/8/8/8/8/8/K7 w - - 0 1"
CASTLING = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
PASSING = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2"


@pytest.mark.parametrize(
    ("position", "texts"),
    [
        (KNIGHTS, ["Nb3d4", "Nb3-d4", "b3d4", "Nb3d4+", "Nb3d4#!!", "Nb3:d4"]),
        (PROMOTION, ["a8=Q", "a8Q", "a7a8q", "a7-a8=Q+", "Pa8=Q", "a8=q", "a8=Q+!"]),
        (PROMOTION, ["axb8=N", "ab8N", "a7xb8=N", "a7b8n", "a:b8=N"]),
        (CASTLING, ["O-O", "0-0", "O-O+", "0-0!", "e1g1", "Ke1g1", "Ke1-g1", "e1h1"]),
        (CASTLING, ["O-O-O", "0-0-0", "e1c1", "e1a1"]),
        (PASSING, ["exd6", "exd6e.p.", "exd6 e.p.", "exd6ep", "e5xd6", "e5d6", "ed6", "exd6e.p.+"]),
    ],
)
def test_one_move_has_many_texts(position: str, texts: list[str]) -> None:
    s = STANDARD.parse(position)
    first, *others = (parse_san(s, text) for text in texts)
    assert set(others) == {first}


@pytest.mark.parametrize(
    ("position", "text", "message"),
    [
        (KNIGHTS, "Nd4", "Nd4 is ambiguous: Nb3d4, Nf3d4, Nb5d4 or Nf5d4?"),
        (KNIGHTS, "Nbd4", "Nbd4 is ambiguous: Nb3d4 or Nb5d4?"),
        (KNIGHTS, "Nad4", "Nad4 is illegal: did you mean Nb3d4, Nf3d4, Nb5d4 or Nf5d4?"),
        (KNIGHTS, "Ne4", "Ne4 is illegal: no knight can go to e4 now"),
        (KNIGHTS, "Qe4", "Qe4 is illegal: no queen can go to e4 now"),
        (KNIGHTS, "Kh3", "Kh3 is illegal: the king cannot go to h3 now"),
        (KNIGHTS, "b3b4", "b3b4 is illegal: the knight on b3 cannot go to b4 now"),
        (KNIGHTS, "c3c4", "c3c4 is illegal: there is no piece on c3"),
        (KNIGHTS, "Bb3c4", "Bb3c4 is illegal: there is no bishop on b3"),
        (KNIGHTS, "O-O", "O-O is illegal: the king cannot castle on that side now"),
        (CASTLING, "Kh1", "Kh1 is illegal: the king cannot go to h1 now"),
        (CASTLING, "Kg1", "Kg1 is illegal: the king cannot go to g1 now"),
        (PASSING, "e4" + "!" * 500, "e4 is illegal: no pawn can go to e4 now"),
        (PROMOTION, "a8", "a8 must say what the pawn promotes to: a8=Q, a8=R, a8=B or a8=N"),
        (PROMOTION, "Kb2=Q", "Kb2=Q is illegal: Kb2 is not a promotion"),
        (PROMOTION, "a8=K", "'a8=K' is not a move; write e4, Nf3, exd5, O-O, e8=Q"),
        (PASSING, "d6", "d6 is illegal: did you mean exd6?"),
        (PASSING, "--", "-- is a null move, which is not legal in chess"),
        (PASSING, "Z0", "Z0 is a null move, which is not legal in chess"),
        (PASSING, "nf3", "'nf3' is not a move; write"),
        (PASSING, "x" * 500, "not a move; write"),
        (PASSING, "", "'' is not a move"),
        (
            "4k3/8/8/8/8/8/4r3/4K2N w - - 0 1",
            "Ng3",
            ": no knight can go to g3 now, because the king is",
        ),
        ("k7/1Q6/1K6/8/8/8/8/8 b - - 0 1", "Ka7", "Ka7 follows, but the game is over: checkmate"),
        ("k7/2Q5/1K6/8/8/8/8/8 b - - 0 1", "Ka7", "Ka7 follows, but the game is over: stalemate"),
    ],
)
def test_what_is_wrong_is_said(position: str, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        parse_san(STANDARD.parse(position), text)
    assert len(str(caught.value)) < 150


@pytest.mark.parametrize(
    ("position", "names"),
    [
        # The knight on e2 is pinned, so the one on g1 needs no file.
        ("4r2k/8/8/8/8/8/4N3/4K1N1 w - - 0 1", {"Nf3", "Nh3"}),
        ("8/1k6/8/8/8/R6R/8/R6K w - - 0 1", {"R1a2", "R3a2", "Rad3", "Rhd3", "Rd1", "Rh2"}),
        (KNIGHTS, {"Nb3d4", "Nb5d4", "Nf3d4", "Nf5d4", "Nc1", "Nh6", "N3h4", "N5h4", "Nc7+"}),
        (PROMOTION, {"a8=Q", "a8=N", "axb8=Q+", "axb8=R+", "axb8=B", "axb8=N"}),
        (CASTLING, {"O-O", "O-O-O", "Rxa8+", "Rxh8+"}),
        (PASSING, {"exd6"}),
        ("7k/5Q2/6K1/8/8/8/8/8 w - - 0 1", {"Qg7#", "Qf8#", "Qf6+", "Qe8#"}),
    ],
)
def test_no_more_is_written_than_needed(position: str, names: set[str]) -> None:
    s = STANDARD.parse(position)
    assert names <= {format_san(s, a) for a in legal_moves(s)}


def test_a_king_beside_its_castling_square_may_step_there() -> None:
    s = FREE.parse("4k3/8/8/8/8/8/8/5K1R w H - 0 1")
    assert format_san(s, parse_san(s, "f1g1")) == "Kg1"
    assert format_san(s, parse_san(s, "Kg1")) == "Kg1"
    assert format_san(s, parse_san(s, "f1h1")) == "O-O"


@given(st.text(max_size=12) | st.text("KQRBNPabcdefgh12345678x-=+#O0!?.:", max_size=8))
def test_any_text_is_a_move_or_refused(text: str) -> None:
    for position in (KNIGHTS, CASTLING, PASSING):
        s = STANDARD.parse(position)
        try:
            a = parse_san(s, text)
        except ValueError as error:
            assert "\n" not in str(error)
        else:
            assert a in legal_moves(s)
