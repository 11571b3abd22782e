"""Chess against python-chess: moves, checks, outcomes and FEN, at random and damaged."""

import random
from collections.abc import Iterator
from typing import Any

import pytest

from threefold import Game, ThreefoldError, game
from threefold.games.chess.moves import is_check
from threefold.games.chess.outcome import outcome

chess = pytest.importorskip("chess", reason="python-chess is not to be had here")

STANDARD, CHESS960 = "chess", "chess(chess960=true)"

#: What python-chess calls impossible and we play: no game leads there, but rules say what to do.
ODD_CHECKS = chess.STATUS_TOO_MANY_CHECKERS | chess.STATUS_IMPOSSIBLE_CHECK


def start(spec: str, rng: random.Random) -> Any:
    if spec == STANDARD:
        return chess.Board()
    return chess.Board.from_chess960_pos(rng.randrange(960))


def choose(board: Any, rng: random.Random) -> Any:
    """A random move; now and then one of the rarer kinds."""
    moves = list(board.legal_moves)
    special = [
        m
        for m in moves
        if m.promotion or board.is_castling(m) or board.is_en_passant(m) or board.gives_check(m)
    ]
    return rng.choice(special if special and rng.random() < 0.3 else moves)


def random_boards(spec: str, rng: random.Random, positions: int) -> Iterator[Any]:
    """The positions of random games, each cut off somewhere."""
    while True:
        board = start(spec, rng)
        for _ in range(rng.randrange(250)):
            yield board
            positions -= 1
            if positions == 0:
                return
            if board.outcome() is not None:
                break
            board.push(choose(board, rng))


def damaged(board: Any, rng: random.Random) -> Any:
    """A position with pieces moved, added, taken away, and rights that may be wrong."""
    other = board.copy(stack=False)
    for _ in range(rng.choice((1, 1, 2, 5))):
        square, piece = rng.randrange(64), None
        if rng.random() < 0.7:
            piece = chess.Piece(rng.randrange(1, 6), rng.random() < 0.5)
        if other.piece_type_at(square) != chess.KING:
            other.set_piece_at(square, piece)
        elif rng.random() < 0.5:
            king = other.remove_piece_at(square)
            other.set_piece_at(rng.randrange(64), king)
    if rng.random() < 0.5:
        other.turn = not other.turn
        other.ep_square = None
    if rng.random() < 0.3:
        other.castling_rights = rng.choice((0, chess.BB_CORNERS, chess.BB_A1, chess.BB_H8))
    if rng.random() < 0.3:
        other.ep_square = rng.choice((None, *range(16, 24), *range(40, 48)))
    return other


def compare(g: Game[Any], s: Any, board: Any, moves: list[int]) -> None:
    """Whether both sides say the same of a position."""
    assert sorted(g.format_move(s, a) for a in moves) == sorted(m.uci() for m in board.legal_moves)
    assert is_check(s) == board.is_check()
    assert g.format(s) == board.fen()
    assert g.parse(board.fen()) == s
    noisy = {g.format_move(s, a) for a in g.noisy_moves(s)}
    lesser = (chess.KNIGHT, chess.BISHOP, chess.ROOK)
    assert noisy == {
        m.uci()
        for m in board.legal_moves
        if (board.is_capture(m) or m.promotion) and m.promotion not in lesser
    }
    reason = board.outcome()
    assert g.is_terminal(s) == (reason is not None)
    if reason is not None:
        assert g.utility(s) == {True: 1, False: -1, None: 0}[reason.winner]


def check_games(spec: str, seed: int, positions: int, compiled: bool = False) -> None:
    g = game(spec)
    machine = g.compiled() if compiled else None
    previous, s = None, g.initial()
    for board in random_boards(spec, random.Random(seed), positions):
        if previous is None or not board.move_stack:
            s = g.parse(board.fen())
        else:
            a = g.parse_move(s, board.peek().uci())
            s = g.result(s, a)
        previous = board
        moves = g.all_moves(s)
        compare(g, s, board.copy(stack=False), moves)
        if machine is not None:
            assert machine.moves(s) == g.moves(s)
            assert machine.evaluate(s) == g.evaluate(s)
            for a in moves[:3]:
                assert machine.result(s, a) == g.result(s, a)


@pytest.mark.parametrize(("spec", "seed"), [(STANDARD, 1), (CHESS960, 2)])
def test_random_games(spec: str, seed: int) -> None:
    check_games(spec, seed, 1200)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("spec", [STANDARD, CHESS960])
def test_random_games_at_length(spec: str, seed: int) -> None:
    check_games(spec, 100 + seed, 8000, compiled=True)


def check_damaged(spec: str, seed: int, positions: int) -> None:
    """We read whatever python-chess calls valid, and nothing else except for odd checks."""
    g = game(spec)
    rng = random.Random(seed)
    read = 0
    for board in random_boards(spec, rng, positions):
        other = damaged(board, rng)
        fen = other.fen(en_passant="fen")
        again = chess.Board(fen, chess960=spec == CHESS960)
        status = again.status()
        try:
            s = g.parse(fen)
        except ThreefoldError as error:
            assert status & ~ODD_CHECKS, f"{fen}: {error}"
            continue
        assert not status & ~ODD_CHECKS, fen
        read += 1
        compare(g, s, again, g.all_moves(s))
    assert read > positions // 10


@pytest.mark.parametrize(("spec", "seed"), [(STANDARD, 3), (CHESS960, 4)])
def test_damaged_positions(spec: str, seed: int) -> None:
    check_damaged(spec, seed, 1200)


@pytest.mark.slow
@pytest.mark.parametrize("spec", [STANDARD, CHESS960])
def test_damaged_positions_at_length(spec: str) -> None:
    check_damaged(spec, 5, 15_000)


REASONS = {
    "CHECKMATE": "checkmate",
    "STALEMATE": "stalemate",
    "INSUFFICIENT_MATERIAL": "insufficient material",
    "SEVENTYFIVE_MOVES": "seventy-five moves",
    "FIVEFOLD_REPETITION": "fivefold repetition",
    "FIFTY_MOVES": "fifty moves",
    "THREEFOLD_REPETITION": "threefold repetition",
}


def check_outcomes(seed: int, games: int) -> set[str]:
    """Games that shuffle to and fro, from positions near the end of everything."""
    g = game(STANDARD)
    rng = random.Random(seed)
    found = set()
    for _ in range(games):
        board = chess.Board(
            rng.choice(
                (
                    chess.STARTING_FEN,
                    "4k3/8/8/8/8/8/4P3/R3K2R w KQ - 92 70",
                    "8/5k2/8/8/3Q4/8/2K5/8 b - - 140 99",
                    "k7/2Q5/8/8/8/8/8/1K6 w - - 0 1",
                    "8/8/8/4k3/8/8/1pK5/2N5 b - - 0 1",
                    "7k/5Q2/6K1/8/8/8/8/8 w - - 0 1",
                )
            )
        )
        history = [g.parse(board.fen())]
        for _ in range(60):
            for claim in (False, True):
                theirs = board.outcome(claim_draw=claim)
                ours = outcome(history, claim)
                if theirs is None:
                    assert ours is None, board.fen()
                else:
                    assert ours is not None, board.fen()
                    assert ours.reason == REASONS[theirs.termination.name]
                    assert ours.winner == {True: 0, False: 1, None: None}[theirs.winner]
                    found.add(ours.reason)
            if board.outcome() is not None:
                break
            moves = list(board.legal_moves)
            move = rng.choice(moves)
            if len(board.move_stack) > 1 and rng.random() < 0.8:
                last = board.move_stack[-2]
                back = chess.Move(last.to_square, last.from_square)
                move = back if back in moves else move
            history.append(g.result(history[-1], g.parse_move(history[-1], move.uci())))
            board.push(move)
    return found


def test_outcomes() -> None:
    assert check_outcomes(7, 60) == set(REASONS.values())


@pytest.mark.slow
def test_outcomes_at_length() -> None:
    check_outcomes(8, 1000)
