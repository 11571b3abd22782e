"""The end-games of chess: published counts, and python-chess on which positions there are."""

import random
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest

from threefold import Game, game
from threefold.engine.compile import Compiled
from threefold.games.chess.rules import FIFTY_MOVES, State
from threefold.rules.contract import number_of, position_of, slice_of, state, words
from threefold.rules.endgames import NO_SLICE, Endgames, Slice

chess = pytest.importorskip("chess", reason="python-chess is not to be had here")

CHESS: Game[State] = game("chess")
assert CHESS.endgames is not None
ENDGAMES: Endgames[State] = CHESS.endgames
SLICES: dict[str, Slice] = {each.name: each for each in ENDGAMES.slices(5)}

#: What python-chess calls impossible and we play: no game leads there, but rules say what to do.
ODD_CHECKS = chess.STATUS_TOO_MANY_CHECKERS | chess.STATUS_IMPOSSIBLE_CHECK

#: The kinds of python-chess by letter.
KINDS = {"K": 6, "Q": 5, "R": 4, "B": 3, "N": 2, "P": 1}


# Templates.


def round_trip(of_slice: int, number: int) -> tuple[int, int]:
    s = position_of(of_slice, number)
    return slice_of(s), number_of(s)


def used(of_slice: int, first: int, end: int) -> int:
    """How many numbers from `first` up to `end` stand for positions."""
    count = 0
    for number in range(first, end):
        s = position_of(of_slice, number)
        if number_of(s) == number and slice_of(s) == of_slice:
            count += 1
    return count


def place(given: tuple[int, ...]) -> tuple[int, int]:
    s = state(given)
    return slice_of(s), number_of(s)


def at_number(of_slice: int, number: int) -> tuple[int, ...]:
    return words(position_of(of_slice, number))


@cache
def compiled(template: Callable[..., Any]) -> Callable[..., Any]:
    return Compiled(CHESS).entry(template)


# Positions of python-chess.


def is_legal(board: Any) -> bool:
    return not board.status() & ~ODD_CHECKS


def random_board(rng: random.Random, pieces: int) -> Any:
    """A legal position of so many pieces, now and then with an en passant capture."""
    while True:
        board = chess.Board(None)
        board.turn = rng.random() < 0.5
        squares = rng.sample(range(64), pieces)
        letters = ["K", "K", *(rng.choice("QRBNPP") for _ in range(pieces - 2))]
        whites = [True, False, *(rng.random() < 0.5 for _ in range(pieces - 2))]
        if pieces > 3 and rng.random() < 0.3:
            letters[2:4], whites[2:4] = "PP", (board.turn, not board.turn)
            squares[3] = rng.randrange(32, 40) if board.turn else rng.randrange(24, 32)
            squares[2] = squares[3] + rng.choice((-1, 1))
            board.ep_square = squares[3] + (8 if board.turn else -8)
        for square, letter, white in zip(squares, letters, whites, strict=True):
            board.set_piece_at(square, chess.Piece(KINDS[letter], white))
        same = len(board.piece_map()) == pieces
        if same and is_legal(board) and (board.ep_square is None or board.has_legal_en_passant()):
            return board


def random_boards(count: int, seed: int) -> Iterator[Any]:
    rng = random.Random(seed)
    for _ in range(count):
        yield random_board(rng, rng.choice((2, 3, 3, 4, 4, 4, 5, 5)))


def transformed(board: Any, change: Callable[[int], int]) -> Any:
    other = board.transform(change)
    if board.ep_square is not None:
        other.ep_square = chess.lsb(change(chess.BB_SQUARES[board.ep_square]))
    return other


def images(board: Any) -> Iterator[Any]:
    """All positions that are the same, by a symmetry or with the colors exchanged."""
    changes = [lambda squares: squares, chess.flip_horizontal]
    if not board.pawns:
        changes += [chess.flip_vertical, chess.flip_diagonal, chess.flip_anti_diagonal]
        changes += [lambda squares: chess.flip_vertical(chess.flip_horizontal(squares))]
        changes += [lambda squares: chess.flip_vertical(chess.flip_diagonal(squares))]
        changes += [lambda squares: chess.flip_horizontal(chess.flip_diagonal(squares))]
    for change in changes:
        yield transformed(board, change)
        yield transformed(board, change).mirror()


def what_it_is(board: Any) -> tuple[Any, ...]:
    """The same for positions that are the same."""
    with_white = [other for other in images(board) if other.turn]
    return min((other.board_fen(), other.ep_square or 0) for other in with_white)


def name_of(board: Any) -> str:
    def side(color: bool) -> str:
        return "".join(k * len(board.pieces(KINDS[k], color)) for k in "KQRBNP")

    return f"{side(board.turn)}v{side(not board.turn)}"


def state_of(board: Any) -> State:
    return CHESS.parse(board.fen())


def board_of(s: State) -> Any:
    return chess.Board(CHESS.format(s))


# The slices.


def test_slices() -> None:
    assert [len(ENDGAMES.slices(pieces)) for pieces in range(1, 6)] == [0, 1, 11, 66, 286]
    assert " ".join(each.name for each in ENDGAMES.slices(3)) == (
        "KvK KQvK KRvK KBvK KNvK KPvK KvKQ KvKR KvKB KvKN KvKP"
    )
    assert len({each.number for each in SLICES.values()}) == len(SLICES) == 286
    assert SLICES["KvK"].size == 462
    assert SLICES["KRRvKB"].size == 462 * (62 * 61 // 2) * 60
    assert SLICES["KPPvK"].size == 1806 * (48 * 47 // 2)
    assert SLICES["KPvKP"].size == 1806 * (48 * 47 + 14)
    assert all(each.pieces == len(each.name) - 1 for each in SLICES.values())


@pytest.mark.parametrize(
    ("name", "after"),
    [
        ("KvK", "KvK"),
        ("KQvKR", "KRvKQ KvKQ"),
        ("KRvKRR", "KRRvKR KRvKR"),
        ("KPvK", "KvKP KvKQ KvKR KvKB KvKN"),
        ("KvKP", "KPvK KvK"),
        ("KPvKP", "KPvKP KvKP KPvKQ KPvKR KPvKB KPvKN"),
        (
            "KPvKQ",
            "KQvKP KvKP KQvKQ KQvKR KQvKB KQvKN KvKQ KvKR KvKB KvKN",
        ),
    ],
)
def test_moves_lead_to(name: str, after: str) -> None:
    numbers = [SLICES[each].number for each in after.split()]
    assert sorted(SLICES[name].leads_to) == sorted(numbers)


@pytest.mark.parametrize("pieces", [2, 3, 4, 5])
def test_moves_lead_to_slices_with_no_more_pieces(pieces: int) -> None:
    known = {each.number: each for each in ENDGAMES.slices(pieces)}
    for each in known.values():
        assert len(set(each.leads_to)) == len(each.leads_to)
        assert all(known[other].pieces in (each.pieces, each.pieces - 1) for other in each.leads_to)


def test_every_move_leads_where_its_slice_says() -> None:
    by_number = {each.number: each for each in SLICES.values()}
    for board in random_boards(2500, seed=1):
        s = state_of(board)
        after = {ENDGAMES.slice_of(CHESS.result(s, a)) for a in CHESS.all_moves(s)}
        assert after <= set(by_number[ENDGAMES.slice_of(s)].leads_to), board.fen()


def test_what_is_in_no_slice() -> None:
    assert ENDGAMES.slice_of(CHESS.initial()) == NO_SLICE
    for fen in ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "7k/8/8/8/8/8/2PPPP2/K7 w - - 0 1"):
        s = CHESS.parse(fen)
        assert ENDGAMES.slice_of(s) == compiled(place)(tuple(s))[0] == NO_SLICE
    s = CHESS.parse("4k3/8/8/8/8/8/8/4K2R w - - 0 1")
    assert ENDGAMES.slice_of(s) == SLICES["KRvK"].number


def test_chess960_has_the_same() -> None:
    other = game("chess(chess960=true)").endgames
    assert other is not None
    assert other.rules == ENDGAMES.rules == "chess"
    assert other.slices(4) == ENDGAMES.slices(4)
    assert (other.slice_of, other.number_of) == (ENDGAMES.slice_of, ENDGAMES.number_of)


def test_plies_left() -> None:
    assert ENDGAMES.plies_left is not None
    s = CHESS.parse("4k3/8/8/8/8/8/8/4K2R w - - 37 60")
    assert ENDGAMES.plies_left(s) == FIFTY_MOVES - 37


# The numbers.


@pytest.mark.parametrize(
    ("name", "positions"),
    [
        ("KvK", 462),
        ("KQvK", 18_081),
        ("KRvK", 21_959),
        ("KPvK", 81_664),
        ("KvKR", 28_056),
        ("KvKQ", 28_056),
    ],
)
def test_published_counts(name: str, positions: int) -> None:
    each = SLICES[name]
    assert compiled(used)(each.number, 0, each.size) == positions


@pytest.mark.parametrize(
    ("name", "positions"),
    [("KRRvK", 520_702), ("KvKNN", 854_238), ("KQvKQ", 1_119_216), ("KPPvK", 1_806_671)],
)
def test_counts_of_four_pieces(name: str, positions: int) -> None:
    """All legal positions were counted, and those that the diagonal mirrors: Burnside's lemma."""
    each = SLICES[name]
    assert compiled(used)(each.number, 0, each.size) == positions


def test_every_position_has_a_number_that_it_shares_with_its_images_alone() -> None:
    known: dict[tuple[int, int], tuple[Any, ...]] = {}
    with_en_passant = 0
    for board in random_boards(2500, seed=2):
        s = state_of(board)
        each = SLICES[name_of(board)]
        number = ENDGAMES.number_of(s)
        assert ENDGAMES.slice_of(s) == each.number
        assert compiled(place)(tuple(s)) == (each.number, number)
        assert 0 <= number < each.size
        what = what_it_is(board)
        assert known.setdefault((each.number, number), what) == what
        with_en_passant += s.en_passant != 0

        again = ENDGAMES.position(each.number, number)
        assert again.turn == again.halfmove == again.castling == 0
        assert again.fullmove == 1
        assert what_it_is(board_of(again)) == what
        assert ENDGAMES.number_of(again) == number
        assert compiled(at_number)(each.number, number) == tuple(again)
        other = random.Random(number).choice(list(images(board)))
        assert ENDGAMES.number_of(state_of(other)) == number, board.fen()
    assert with_en_passant > 200


def test_kings_on_the_diagonal() -> None:
    """Where the other pieces decide which of two images counts."""
    rng = random.Random(3)
    for _ in range(200):
        board = chess.Board(None)
        squares = rng.sample(range(0, 64, 9), 2) + rng.sample(range(64), 3)
        for square, letter, white in zip(squares, "KKRRN", (1, 0, 1, 1, 0), strict=True):
            board.set_piece_at(square, chess.Piece(KINDS[letter], bool(white)))
        if is_legal(board) and len(board.piece_map()) == 5:
            numbers = {compiled(place)(tuple(state_of(other)))[1] for other in images(board)}
            assert len(numbers) == 1
            again = ENDGAMES.position(SLICES["KRRvKN"].number, numbers.pop())
            assert what_it_is(board_of(again)) == what_it_is(board)


def test_numbers_in_use_are_legal_positions_of_their_slices() -> None:
    rng = random.Random(4)
    for name, each in SLICES.items():
        in_use = 0
        for number in (0, each.size - 1, *(rng.randrange(each.size) for _ in range(40))):
            if compiled(round_trip)(each.number, number) == (each.number, number):
                board = board_of(State(*compiled(at_number)(each.number, number)))
                assert is_legal(board), board.fen()
                assert name_of(board) == name
                in_use += 1
        assert in_use > 0


def test_numbers_that_are_not_in_use_give_no_position() -> None:
    each = SLICES["KPvKP"]
    for number in random.Random(5).sample(range(each.size), 300):
        s = ENDGAMES.position(each.number, number)
        if ENDGAMES.number_of(s) != number:
            assert s == CHESS.initial()
            assert ENDGAMES.slice_of(s) == NO_SLICE
            assert ENDGAMES.number_of(s) == compiled(round_trip)(each.number, number)[1] == -1


# En passant.


@pytest.mark.parametrize(
    ("fen", "name"),
    [
        ("7k/8/8/3pP3/8/8/8/K7 w - d6 0 1", "KPvKP"),
        ("7k/8/8/Pp6/8/8/8/K7 w - b6 0 1", "KPvKP"),
        ("7k/8/8/6pP/8/8/8/K7 w - g6 0 1", "KPvKP"),
        ("7k/8/8/2PpP3/8/8/8/K7 w - d6 0 1", "KPPvKP"),  # taken from both sides
        ("7k/8/8/8/2pPp3/8/8/K7 b - d3 0 1", "KPPvKP"),
        ("k7/8/8/2ppP3/8/8/8/7K w - d6 0 1", "KPvKPP"),
        ("7k/8/8/3pP3/8/8/8/B3K3 w - d6 0 1", "KBPvKP"),
    ],
)
def test_en_passant_positions_have_their_own_numbers(fen: str, name: str) -> None:
    s = CHESS.parse(fen)
    each = SLICES[name]
    numbers = set()
    for one in (s, s._replace(en_passant=0)):
        number = ENDGAMES.number_of(one)
        again = ENDGAMES.position(each.number, number)
        assert what_it_is(board_of(again)) == what_it_is(chess.Board(CHESS.format(one)))
        assert compiled(place)(tuple(one)) == (ENDGAMES.slice_of(one), number)
        assert ENDGAMES.slice_of(one) == each.number
        numbers.add(number)
    assert len(numbers) == 2


def en_passant_boards() -> Iterator[Any]:
    """Each position of two kings and two pawns with en passant, up to exchanging left and right."""
    for taken in range(32, 40):
        for taker in {taken - 1, taken + 1} & set(range(32, 40)):
            for king in range(64):
                board = chess.Board(None)
                board.ep_square = taken + 8
                board.set_piece_at(taken, chess.Piece(chess.PAWN, False))
                board.set_piece_at(taker, chess.Piece(chess.PAWN, True))
                if king & 7 < 4 and king not in (taken, taker, taken + 8, taken + 16):
                    board.set_piece_at(king, chess.Piece(chess.KING, True))
                    yield from with_other_king(board)


def with_other_king(board: Any) -> Iterator[Any]:
    for other in range(64):
        if board.piece_at(other) is None:
            board.set_piece_at(other, chess.Piece(chess.KING, False))
            if is_legal(board) and board.has_legal_en_passant():
                yield board
            board.remove_piece_at(other)


def test_all_en_passant_positions_of_two_pawns() -> None:
    each = SLICES["KPvKP"]
    first = 1806 * 48 * 47
    boards = sum(1 for _ in en_passant_boards())
    assert compiled(used)(each.number, first, each.size) == boards > 20_000
