"""The programs of 1948–1950: their rules, the game that one of them played, and legal moves."""

import math
import random

import chess as python_chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from threefold import ThreefoldError, conformance, game
from threefold.cli.main import main
from threefold.cli.play import LEVEL_NAMES
from threefold.engine.historic import HISTORIC
from threefold.engine.levels import NAMED, Opponent, level
from threefold.games.chess import shannon, turing
from threefold.games.chess.rules import State
from threefold.games.chess.seen import result, seen
from threefold.rules.contract import MAX

CHESS = game("chess")

#: Turing's record of the game that his paper machine, White, lost to Alick Glennie in 1952.
GLENNIE = (
    "e4 e5 Nc3 Nf6 d4 Bb4 Nf3 d6 Bd2 Nc6 d5 Nd4 h4 Bg4 a4 Nxf3 gxf3 Bh5 Bb5 c6 dxc6 O-O cxb7 Rb8 "
    "Ba6 Qa5 Qe2 Nd7 Rg1 Nc5 Rg5 Bg6 Bb5 Nxb7 O-O-O Nc5 Bc6 Rfc8 Bd5 Bxc3 Bxc3 Qxa4 Kd2 Ne6 Rg4 "
    "Nd4 Qd3 Nb5 Bb3 Qa6 Bc4 Bh5 Rg3 Qa4 Bxb5 Qxb5 Qxd6 Rd8"
)
#: Where the rules, carried out to the letter, lead to another move, or to one of two equal ones.
DEVIATES = {
    1: {"e3"},
    4: {"dxe5"},
    5: {"Bg5", "Bb5"},
    15: {"Rh3"},
    17: {"h5"},
    19: {"Nd5"},
    20: {"Bb5"},
    22: {"Qe3"},
    23: {"b3"},
    25: {"b3"},
    26: {"Rdg1", "Rg5"},
}


def random_position(seed: int, plies: int) -> State:
    """A position of a random game, the last one with a move if it ends earlier."""
    rng = random.Random(seed)
    s: State = CHESS.initial()
    for _ in range(plies):
        after = CHESS.result(s, rng.choice(CHESS.moves(s)))
        if not CHESS.moves(after):
            break
        s = after
    return s


positions = st.builds(random_position, st.integers(0, 10_000), st.integers(0, 90))


def oracle(s: State) -> python_chess.Board:
    return python_chess.Board(CHESS.format(s))


# The players.


@pytest.mark.parametrize("name", HISTORIC)
def test_a_whole_game_is_legal(name: str) -> None:
    """Against a random player, with python-chess as the arbiter."""
    opponent, rng = Opponent(CHESS, level(name), seed=1), random.Random(1)
    board, history = python_chess.Board(), [CHESS.initial()]
    while CHESS.outcome(history) is None and len(history) < 100:
        s = history[-1]
        a = opponent.choose(s, history[:-1]) if len(history) % 2 else rng.choice(CHESS.moves(s))
        board.push_uci(CHESS.format_move(s, a))  # raises if it is not legal
        history.append(CHESS.result(s, a))
        assert CHESS.format(history[-1]) == board.fen(en_passant="legal")
    assert len(history) > 20


@pytest.mark.parametrize("name", HISTORIC)
@pytest.mark.parametrize(
    "fen", ["7k/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "r3k3/8/8/8/8/8/5PPP/7K b - - 0 1"]
)
def test_mate_in_one_is_found(name: str, fen: str) -> None:
    s = CHESS.parse(fen)
    after = CHESS.result(s, Opponent(CHESS, level(name), seed=1).choose(s))
    assert oracle(after).is_checkmate()


@pytest.mark.parametrize("name", HISTORIC)
def test_the_same_seed_gives_the_same_moves(name: str) -> None:
    played = [
        [Opponent(CHESS, level(name), seed=seed).choose(random_position(n, 20)) for n in range(4)]
        for seed in (5, 5)
    ]
    assert played[0] == played[1]


@pytest.mark.parametrize("name", HISTORIC)
def test_only_chess_is_played(name: str) -> None:
    with pytest.raises(ThreefoldError, match=f"{name} plays chess only, not othello"):
        Opponent(game("othello"), level(name))
    Opponent(game("chess(chess960=true)"), level(name))


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["nim", "--level", "turochamp"], "turochamp plays chess only, not nim"),
        (["chess", "--level", "shanon-a"], "no level 'shanon-a': did you mean shannon-a?"),
        (["chess", "--level", "shannon-b", "--eval", "material"], "leave out --eval"),
    ],
)
def test_a_refusal_is_one_line(
    argv: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["play", *argv]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_the_command_line_knows_every_name() -> None:
    assert set(LEVEL_NAMES) == {"human", "random", *NAMED, *HISTORIC}


@pytest.mark.slow
@pytest.mark.parametrize("name", HISTORIC)
def test_every_view_keeps_the_contract(name: str) -> None:
    report = conformance(HISTORIC[name].view(CHESS), games=2)
    assert report.ok, report
    assert report.compiled


# Turing's paper machine.


def test_turings_game_against_glennie() -> None:
    """18 of the machine's 29 moves follow from its rules; the other 11 are known by number."""
    opponent, s = Opponent(CHESS, level("turochamp"), seed=1), CHESS.initial()
    deviates = {}
    for ply, text in enumerate(GLENNIE.split()):
        played = CHESS.parse_move(s, text)
        if ply % 2 == 0:
            ours = opponent.choose(s)
            if ours != played:
                deviates[ply // 2 + 1] = CHESS.readable_move(s, ours).rstrip("+")
        s = CHESS.result(s, played)
    assert deviates.keys() == DEVIATES.keys()
    assert all(ours in DEVIATES[number] for number, ours in deviates.items())


def considerable_by_the_book(board: python_chess.Board, move: python_chess.Move, last: int) -> bool:
    """Turing's four conditions, on python-chess."""
    worth = {1: 1, 2: 3, 3: 3.5, 4: 5, 5: 10, 6: 1000}
    if board.is_capture(move):
        taken = board.piece_type_at(move.to_square) or python_chess.PAWN
        mover = board.piece_type_at(move.from_square)
        assert mover
        after = board.copy()
        after.remove_piece_at(move.from_square)
        defended = after.is_attacked_by(not board.turn, move.to_square)
        if move.to_square == last or worth[mover] < worth[taken] or not defended:
            return True
    board.push(move)
    mate = board.is_checkmate()
    board.pop()
    return mate


@given(positions, st.randoms(use_true_random=False))
def test_considerable_moves(s: State, rng: random.Random) -> None:
    looked = result(seen(s), rng.choice(CHESS.moves(s)))
    now = State(*looked[:12])
    board = oracle(now)
    out = [0] * CHESS.facts.max_moves
    found = {CHESS.format_move(now, a) for a in out[: turing.considerable(looked, out)]}
    last = looked.captured
    expected = {board.uci(m) for m in board.legal_moves if considerable_by_the_book(board, m, last)}
    assert found == expected


@given(positions, positions)
def test_material_is_compared_by_its_ratio(one: State, other: State) -> None:
    def fraction(s: State) -> tuple[float, float]:
        worth = {1: 1.0, 2: 3.0, 3: 3.5, 4: 5.0, 5: 10.0, 6: 0.0}
        sums = [0.0, 0.0]
        for piece in oracle(s).piece_map().values():
            sums[not piece.color] += worth[piece.piece_type]
        return sums[0], sums[1]

    (w, b), (v, c) = fraction(one), fraction(other)
    ours = turing.material_ratio(one) - turing.material_ratio(other)
    assert (ours > 0) - (ours < 0) == (w * c > v * b) - (w * c < v * b)


def position_play_by_the_book(board: python_chess.Board, move: python_chess.Move) -> float:
    """Turing's nine rules, on python-chess."""
    me, castled = board.turn, board.is_castling(move)
    board = board.copy()
    board.push(move)
    check = board.is_check()
    again = board.copy()
    again.turn, again.ep_square = me, None
    moves = [
        m for m in again.pseudo_legal_moves if again.is_castling(m) or not again.is_into_check(m)
    ]
    moves = [m for m in moves if not again.is_castling(m) or again.is_legal(m)]
    moves = [m for m in moves if again.piece_type_at(m.to_square) != python_chess.KING]

    def root(mobility: int) -> float:
        return math.floor(10 * math.sqrt(mobility) + 0.5) / 10

    total = 0.0
    for square, piece in board.piece_map().items():
        if piece.color != me:
            continue
        guards = board.attackers(me, square)
        if piece.piece_type == python_chess.PAWN:
            rank = python_chess.square_rank(square)
            total += 0.2 * ((rank if me else 7 - rank) - 1)
            total += 0.3 * any(board.piece_type_at(g) != python_chess.PAWN for g in guards)
            continue
        own = [m for m in moves if m.from_square == square and not again.is_castling(m)]
        total += root(len(own) + sum(again.is_capture(m) for m in own))
        if piece.piece_type in (python_chess.KNIGHT, python_chess.BISHOP, python_chess.ROOK):
            total += 1.5 if len(guards) > 1 else 1.0 * len(guards)
        if piece.piece_type == python_chess.KING:
            queen = board.copy()
            queen.set_piece_at(square, python_chess.Piece(python_chess.QUEEN, me))
            lines = [to for to in queen.attacks(square) if queen.color_at(to) != me]
            total -= root(len(lines) + sum(queen.color_at(to) is not None for to in lines))
    if castled:
        total += 3
    elif any(map(again.is_castling, moves)):
        total += 2
    elif again.has_castling_rights(me):
        total += 1
    if check:
        return total + 0.5

    def mates(m: python_chess.Move) -> bool:
        then = again.copy()
        then.push(m)
        return then.is_checkmate()

    return total + any(map(mates, moves))


@given(positions, st.randoms(use_true_random=False))
def test_position_play(s: State, rng: random.Random) -> None:
    a = rng.choice(CHESS.moves(s))
    board = oracle(s)
    move = board.parse_uci(CHESS.format_move(s, a))
    expected = position_play_by_the_book(board, move)
    assert turing.position_play(s, a) / 10 == pytest.approx(expected, abs=1e-6)


# Shannon's programs.


def shannon_by_the_book(board: python_chess.Board) -> float:
    """The formula of Shannon's appendix, on python-chess."""
    worth = {1: 1, 2: 3, 3: 3, 4: 5, 5: 9, 6: 0}
    total = 0.0
    for side in (python_chess.WHITE, python_chess.BLACK):
        pieces = [p for p in board.piece_map().values() if p.color == side]
        value = float(sum(worth[p.piece_type] for p in pieces))
        pawns, theirs = ((board.pieces(python_chess.PAWN, c)) for c in (side, not side))
        forward = 1 if side else -1
        for square in pawns:
            file, rank = python_chess.square_file(square), python_chess.square_rank(square)
            files = {python_chess.square_file(other) for other in pawns}
            ahead = [o for o in pawns if o % 8 == file and (o // 8 - rank) * forward > 0]
            isolated = not files & {file - 1, file + 1}
            neighbors = [o for o in pawns if abs(o % 8 - file) == 1]
            support = any((o // 8 - rank) * forward <= 0 for o in neighbors)
            stop = square + 8 * forward
            stopped = any(stop in board.attacks(o) for o in theirs)
            value -= 0.5 * (bool(ahead) + isolated + (not isolated and stopped and not support))
        mobility = 0
        for square in python_chess.SQUARES:
            if board.color_at(square) != side:
                continue
            if board.piece_type_at(square) == python_chess.PAWN:
                step = square + 8 * forward
                takes = [to for to in board.attacks(square) if board.color_at(to) == (not side)]
                mobility += len(takes)
                if not board.piece_at(step):
                    home = python_chess.square_rank(square) == (1 if side else 6)
                    mobility += 1 + (home and not board.piece_at(step + 8 * forward))
            else:
                mobility += sum(board.color_at(to) != side for to in board.attacks(square))
        value += 0.1 * mobility
        total += value if side else -value
    return total


@given(positions)
def test_shannons_evaluation(s: State) -> None:
    assert shannon.shannon(s) / 10 == pytest.approx(shannon_by_the_book(oracle(s)), abs=1e-6)


def test_type_a_is_plain_minimax() -> None:
    """Four plies of every variation, by brute force in a position with few moves."""

    def minimax(s: State, depth: int) -> float:
        if not CHESS.moves(s):
            return 1e6 * (1 + depth) * CHESS.utility(s)
        if depth == 0:
            return shannon.shannon(s)
        values = [minimax(CHESS.result(s, a), depth - 1) for a in CHESS.moves(s)]
        return max(values) if s.turn == MAX else min(values)

    s = CHESS.parse("8/8/8/1k6/8/2p5/1P6/1K6 w - - 0 1")
    a = Opponent(CHESS, level("shannon-a"), seed=3).choose(s)
    values = {each: minimax(CHESS.result(s, each), 3) for each in CHESS.moves(s)}
    assert values[a] == max(values.values())
    assert len(set(values.values())) > 1


@given(positions)
def test_an_unstable_position(s: State) -> None:
    """Shannon's g(P), on python-chess."""
    board = oracle(s)
    worth = {1: 1, 2: 3, 3: 3, 4: 5, 5: 9, 6: 200}
    unstable = board.is_check()
    for square, piece in board.piece_map().items():
        if piece.piece_type != python_chess.KING:
            against = board.attackers(not piece.color, square)
            cheap = [o for o in against if worth[board.piece_type_at(o)] < worth[piece.piece_type]]  # type: ignore[index]
            unstable |= bool(cheap) or len(against) > len(board.attackers(piece.color, square))
    assert shannon.is_unstable(s) == unstable


@given(positions, st.integers(0, 25))
def test_type_b_selects_legal_moves(s: State, ahead: int) -> None:
    looked = seen(s)._replace(ahead=ahead)
    legal = set(CHESS.all_moves(s))
    out = [0] * CHESS.facts.max_moves
    explored = out[: shannon.plausible(looked, out)]
    assert explored
    assert len(set(explored)) == len(explored)
    assert set(explored) <= legal
    if ahead < 2:
        assert set(explored) == legal
    out = [0] * CHESS.facts.max_moves
    followed = set(out[: shannon.forcing(looked, out)])
    assert followed <= legal
    if ahead >= 20 or (ahead >= 4 and not shannon.is_unstable(s)):
        assert not followed
