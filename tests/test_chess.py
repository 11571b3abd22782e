"""Chess: known counts, FEN and its errors, draws, evaluations, pictures, and play."""

import re
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threefold import ThreefoldError, game
from threefold.games.chess.moves import is_check
from threefold.games.chess.outcome import Outcome, outcome
from threefold.games.chess.rules import State
from threefold.rules.bits import byteswap
from threefold.rules.contract import CLAIMABLE, DRAWN

CHESS, CHESS960 = game("chess"), game("chess(chess960=true)")

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
POSITIONS = {
    "start": START,
    "kiwipete": "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "rooks": "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "promotions": "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "seventh": "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "middle": "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
}

# Published counts: position, depth, nodes.
QUICK = [
    ("start", 5, 4_865_609),
    ("kiwipete", 4, 4_085_603),
    ("rooks", 6, 11_030_083),
    ("promotions", 5, 15_833_292),
    ("seventh", 4, 2_103_487),
    ("middle", 4, 3_894_594),
]
FULL = [
    ("start", 6, 119_060_324),
    ("kiwipete", 5, 193_690_690),
    ("rooks", 7, 178_633_661),
    ("promotions", 6, 706_045_033),
    ("seventh", 5, 89_941_194),
    ("middle", 5, 164_075_551),
]
INTERPRETED = [("start", 3, 8_902), ("kiwipete", 2, 2_039), ("promotions", 2, 264)]


@pytest.mark.parametrize(("name", "depth", "nodes"), QUICK)
def test_published_counts(name: str, depth: int, nodes: int) -> None:
    assert CHESS.perft(POSITIONS[name], depth=depth) == nodes


@pytest.mark.slow
@pytest.mark.parametrize(("name", "depth", "nodes"), FULL)
def test_published_counts_at_length(name: str, depth: int, nodes: int) -> None:
    assert CHESS.perft(POSITIONS[name], depth=depth) == nodes


@pytest.mark.parametrize(("name", "depth", "nodes"), INTERPRETED)
def test_published_counts_interpreted(name: str, depth: int, nodes: int) -> None:
    assert CHESS.perft(POSITIONS[name], depth=depth, way="interpreted") == nodes


def test_perft_counts_past_draws() -> None:
    bare = "8/8/4k3/8/8/4K3/8/8 w - - 149 200"
    assert CHESS.moves(CHESS.parse(bare)) == []
    assert CHESS.perft(bare, depth=3) == CHESS.perft(bare.replace("149", "0"), depth=3) > 300


# Moves.


def names(position: str, g: Any = CHESS) -> set[str]:
    s = g.parse(position)
    return {g.format_move(s, a) for a in g.moves(s)}


def after(position: str, *moves: str, g: Any = CHESS) -> Any:
    s = g.parse(position)
    for move in moves:
        s = g.result(s, g.parse_move(s, move))
    return s


def test_castling_is_written_both_ways() -> None:
    castled = "r3k2r/8/8/8/8/8/8/R4RK1 b kq - 1 1"
    position = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
    assert {"e1g1", "e1c1"} <= names(position)
    assert CHESS.format(after(position, "e1g1")) == castled
    assert CHESS.format(after(position, "e1h1")) == castled
    assert "e1h1" in names(position, CHESS960)
    assert "e1g1" not in names(position, CHESS960)
    assert CHESS960.format(after(position, "e1h1", g=CHESS960)) == castled


def test_nothing_castles_out_of_through_or_into_check() -> None:
    def castles(position: str) -> set[str]:
        return names(position) & {"e1g1", "e1c1"}

    assert castles("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1") == {"e1g1", "e1c1"}
    assert castles("4k3/8/8/8/8/8/8/R3K2R w Q - 0 1") == {"e1c1"}
    assert castles("4k3/4r3/8/8/8/8/8/R3K2R w KQ - 0 1") == set()
    assert castles("4k3/5r2/8/8/8/8/8/R3K2R w KQ - 0 1") == {"e1c1"}
    assert castles("4k3/6r1/8/8/8/8/8/R3K2R w KQ - 0 1") == {"e1c1"}
    assert castles("4k3/1r6/8/8/8/8/8/R3K2R w KQ - 0 1") == {"e1g1", "e1c1"}
    assert castles("4k3/8/8/8/8/8/8/RN2K1NR w KQ - 0 1") == set()


def test_chess960_castles_from_anywhere() -> None:
    assert "e1b1" in names("4k3/8/8/8/8/8/8/1R2K3 w B - 0 1", CHESS960)
    shielding = "4k3/8/8/8/8/8/8/rR2K3 w B - 0 1"  # the rook would leave the king in check
    assert "e1b1" not in names(shielding, CHESS960)
    in_place = after("4k3/8/8/8/8/8/8/5KR1 w G - 0 1", "f1g1", g=CHESS960)
    assert CHESS960.format(in_place) == "4k3/8/8/8/8/8/8/5RK1 b - - 1 1"


def test_en_passant_is_remembered_only_where_it_can_be_done() -> None:
    assert CHESS.format(after(START, "e2e4")).split()[3] == "-"
    taken = after("4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1", "d7d5", "e5d6")
    assert CHESS.format(taken) == "4k3/8/3P4/8/8/8/8/4K3 b - - 0 2"
    pinned = "8/3p4/8/K3P2r/8/8/8/4k3 b - - 0 1"  # both pawns would leave the rank
    assert after(pinned, "d7d5").en_passant == 0
    assert "e5d6" not in {
        CHESS.format_move(s, a) for s in [after(pinned, "d7d5")] for a in CHESS.moves(s)
    }
    assert CHESS.parse("8/8/8/K2pP2r/8/8/8/4k3 w - d6 0 2").en_passant == 0
    assert CHESS.parse("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2").en_passant == 1 << 43


def test_a_check_by_the_pawn_that_passed_may_be_met_by_taking_it() -> None:
    assert "e4d3" in names("8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1")


def test_pawns_become_four_kinds() -> None:
    assert names("8/4P3/8/8/8/k7/8/K7 w - - 0 1") >= {f"e7e8{kind}" for kind in "nbrq"}
    assert CHESS.format(after("8/4P3/8/8/8/k7/8/K7 w - - 9 1", "e7e8r")).startswith("4R3/")
    with pytest.raises(ThreefoldError, match="'e7e8' is not a legal move"):
        after("8/4P3/8/8/8/k7/8/K7 w - - 0 1", "e7e8")


@pytest.mark.parametrize("move", ["", "e5", "e2e5", "e9e4", "e2e4q", "O-O", "0000", "é2e4"])
def test_what_is_not_a_move(move: str) -> None:
    with pytest.raises(ThreefoldError, match="not a legal move"):
        CHESS.parse_move(CHESS.initial(), move)


# Ends.

MATED = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
STALEMATED = "k7/2Q5/8/8/8/8/8/1K6 b - - 0 1"


def test_mate_and_stalemate() -> None:
    mated, stalemated = CHESS.parse(MATED), CHESS.parse(STALEMATED)
    assert CHESS.moves(mated) == CHESS.moves(stalemated) == []
    assert (CHESS.utility(mated), CHESS.utility(stalemated)) == (-1, 0)
    assert outcome([mated]) == Outcome("checkmate", 1)
    assert outcome([stalemated]) == Outcome("stalemate")
    assert CHESS.perft(mated, depth=0) == 1
    assert CHESS.perft(mated, depth=2) == 0


@pytest.mark.parametrize(
    ("board", "enough"),
    [
        ("8/8/4k3/8/8/4K3/8/8", False),
        ("8/8/4k3/8/8/4K3/8/N7", False),
        ("8/8/4k3/8/8/4K3/8/1B6", False),
        ("8/b7/4k3/8/8/4K3/8/1B6", True),
        ("b7/8/4k3/8/8/4K3/8/1B6", False),
        ("8/8/4k3/8/8/4K3/8/NN6", True),
        ("n7/8/4k3/8/8/4K3/8/N7", True),
        ("8/8/4k3/8/8/4K3/8/NB6", True),
        ("8/8/4k3/8/8/4K3/P7/8", True),
        ("8/8/4k3/8/8/4K3/8/R7", True),
    ],
)
def test_insufficient_material(board: str, enough: bool) -> None:
    s = CHESS.parse(f"{board} w - - 0 1")
    assert (CHESS.drawn(s) == 0) == enough
    assert (outcome([s]) is None) == enough
    assert bool(CHESS.moves(s)) == enough


def test_the_clock_draws_unless_it_is_mate() -> None:
    def with_clock(n: int) -> Any:
        return CHESS.parse(f"4k3/8/8/8/8/8/8/R3K3 w Q - {n} 90")

    assert [CHESS.drawn(with_clock(n)) for n in (99, 100, 149)] == [0, CLAIMABLE, CLAIMABLE]
    assert CHESS.drawn(with_clock(150)) == DRAWN
    assert CHESS.moves(with_clock(150)) == []
    assert outcome([with_clock(150)]) == Outcome("seventy-five moves")
    assert outcome([with_clock(100)]) is None
    assert outcome([with_clock(99)], claim=True) == Outcome("fifty moves")
    mated = CHESS.parse("R3k3/8/4K3/8/8/8/8/8 b - - 150 90")
    assert CHESS.drawn(mated) == 0
    assert CHESS.utility(mated) == 1
    assert outcome([mated]) == Outcome("checkmate", 0)


def test_repetition() -> None:
    history = [CHESS.initial()]
    for move in ("g1f3", "g8f6", "f3g1", "f6g8") * 4:
        history.append(CHESS.result(history[-1], CHESS.parse_move(history[-1], move)))
    assert outcome(history) == Outcome("fivefold repetition")
    assert outcome(history[:-1]) is None
    assert outcome(history[:9], claim=True) == Outcome("threefold repetition")
    assert outcome(history[:8], claim=True) == Outcome("threefold repetition")  # by the next move
    assert outcome(history[:7], claim=True) is None


def test_keys_tell_positions_apart_and_leave_clocks_out() -> None:
    base = "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq d6 0 9"
    same = CHESS.parse(base.replace("0 9", "7 40"))
    assert CHESS.key(CHESS.parse(base)) == CHESS.key(same)
    others = [
        base.replace("KQkq", "KQk"),
        base.replace("KQkq", "-"),
        base.replace("d6", "-"),
        base.replace(" w", " b").replace("d6", "-"),
        base.replace("pP", "Pp").replace("d6", "-"),
        base.replace("R3K2R w KQkq", "R3K2Q w Qkq"),
        base.replace("R3K2R w KQkq", "R3K2B w Qkq"),
    ]
    assert len({CHESS.key(CHESS.parse(position)) for position in [base, *others]}) == 8


# FEN.


@pytest.mark.parametrize(
    ("position", "word"),
    [
        ("", "not 0"),
        ("8/8/8/8/8/8/8/8 w -", "not 3"),
        (START + " x", "not 7"),
        (START.replace("0 1", "0"), "not 5"),
        ("8/8/8/8 w - - 0 1", "8 ranks"),
        (START.replace("8/8/8/8", "8/8/8/7"), "has 7 squares"),
        (START.replace("8/8/8/8", "8/8/8/9"), "'9' in rank 3"),
        (START.replace("8/8/8/8", "8/8/8/44"), "two numbers in a row"),
        (START.replace("pppppppp", "ppppppppp"), "has 9 squares"),
        (START.replace("pppppppp", "ppppxppp"), "'x' in rank 7"),
        (START.replace("RNBQKBNR", "RNBQ1BNR"), "white has 0 kings"),
        (START.replace("RNBQKBNR", "RNBKKBNR"), "white has 2 kings"),
        (START.replace("PPPPPPPP", "PPPPPPPP").replace("RNBQ", "RNBP"), "white has 9 pawns"),
        (START.replace("/8/8/8/8/", "/8/8/8/N7/"), "white has 17 pieces"),
        ("P3k3/8/8/8/8/8/8/4K3 w - - 0 1", "pawn on a8"),
        ("4k3/8/8/8/8/8/8/p3K3 w - - 0 1", "pawn on a1"),
        (START.replace(" w ", " W "), "w or b"),
        ("4k3/8/8/8/8/8/4R3/4K3 w - - 0 1", "black is in check but not to move"),
        (START.replace("KQkq", "KQkx"), "not 'x'"),
        (START.replace("KQkq", "HAha"), "not 'H'"),
        (START.replace("KQkq", "KK"), "twice"),
        (START.replace("RNBQKBNR w", "RNBQKBN1 w"), "no rook on h1"),
        (START.replace("RNBQKBNR w", "RNBKQBNR w"), "king on d1, not on e1"),
        (START.replace("- 0", "e4 0"), "rank 6"),
        (START.replace("- 0", "e6 0"), "no pawn just moved from e7 to e5"),
        (START.replace("- 0", "z9 0"), "square like e3"),
        (START.replace("0 1", "x 1"), "'x'"),
        (START.replace("0 1", "-1 1"), "'-1'"),
        (START.replace("0 1", "0 99999"), "'99999'"),
        (START.replace("0 1", "0 ١"), "a counter is a number"),
    ],
)
def test_what_is_wrong_is_named(position: str, word: str) -> None:
    with pytest.raises(ThreefoldError) as caught:
        CHESS.parse(position)
    assert word in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize(
    ("position", "word"),
    [
        ("4k3/8/8/8/8/8/8/1R1K4 w C - 0 1", "no rook on c1"),
        ("4k3/8/8/8/8/8/8/1R1K4 w K - 0 1", "no rook there"),
        ("4k3/8/8/8/8/8/3K4/1R6 w B - 0 1", "not on rank 1"),
        ("4k3/8/8/8/8/8/8/RR1K4 w AB - 0 1", "two rooks on one side"),
        ("4k3/8/8/8/8/8/8/1R1K4 w x - 0 1", "rooks' file letters"),
    ],
)
def test_what_is_wrong_in_chess960_is_named(position: str, word: str) -> None:
    with pytest.raises(ThreefoldError, match=re.escape(word)):
        CHESS960.parse(position)


def test_chess960_rooks_have_their_files_letter_where_it_is_needed() -> None:
    for position, wanted in [
        ("1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1", "KQkq"),
        ("rr2k1rr/8/8/8/8/8/8/RR2K1RR w GBgb - 0 1", "GBgb"),
        ("rr2k1rr/8/8/8/8/8/8/RR2K1RR w KQkq - 0 1", "KQkq"),
        ("4k3/8/8/8/8/8/8/RR2K3 w A - 0 1", "Q"),
        ("4k3/8/8/8/8/8/8/RR2K3 w B - 0 1", "B"),
    ]:
        assert CHESS960.format(CHESS960.parse(position)).split()[2] == wanted


def test_counters_may_be_left_out() -> None:
    assert CHESS.parse("4k3/8/8/8/8/8/8/4K2R w K -") == CHESS.parse(
        "4k3/8/8/8/8/8/8/4K2R w K - 0 1"
    )
    assert CHESS.parse(START.replace("0 1", "0 0")) == CHESS.initial()


@given(
    fields=st.tuples(
        st.text("pnbrqkPNBRQK12345678/", min_size=15, max_size=45),
        st.sampled_from(["w", "b", "-"]),
        st.text("KQkqABHabh-", max_size=5),
        st.sampled_from(["-", "e3", "d6", "a6", "h3", "e4"]),
        st.text("0123456789x", max_size=5),
        st.text("0123456789-", max_size=5),
    )
)
def test_fields_put_together_at_random(fields: tuple[str, ...]) -> None:
    read_or_refuse(" ".join(fields))


@given(data=st.data())
def test_a_damaged_fen_is_read_or_refused(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([*POSITIONS.values(), "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2"]))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text) - 1))
        put = data.draw(
            st.sampled_from(["", "K", "k", "P", "r", "1", "8", "/", " ", "-", "w", "b", "é", "\0"])
        )
        text = text[:at] + put + text[at + 1 :] or "8"
    read_or_refuse(text)


def read_or_refuse(text: str) -> None:
    for g in (CHESS, CHESS960):
        try:
            s = g.parse(text)
        except ThreefoldError as error:
            assert "\n" not in str(error)
        else:
            assert g.parse(g.format(s)) == s
            assert g.format(g.parse(g.format(s))) == g.format(s)
            g.moves(s)


# What the search is told.


def mirrored(s: Any) -> Any:
    """The same position with the colors exchanged."""
    occupied = s.pawns | s.knights | s.bishops | s.rooks | s.queens | s.kings
    return State(
        byteswap(s.pawns),
        byteswap(s.knights),
        byteswap(s.bishops),
        byteswap(s.rooks),
        byteswap(s.queens),
        byteswap(s.kings),
        byteswap(occupied ^ s.white),
        byteswap(s.castling),
        byteswap(s.en_passant),
        s.halfmove,
        s.fullmove,
        1 - s.turn,
    )


@pytest.mark.parametrize("name", POSITIONS)
def test_evaluations_are_the_same_for_both_sides(name: str) -> None:
    s = CHESS.parse(POSITIONS[name])
    for move in [None, *CHESS.moves(s)]:
        t = s if move is None else CHESS.result(s, move)
        for evaluate in CHESS.evaluations.values():
            assert evaluate(mirrored(t)) == -evaluate(t)


def test_material_has_the_lectures_weights() -> None:
    material = CHESS.evaluations["material"]
    for letter, worth in zip("QRBNP", (9, 5, 3, 3, 1), strict=True):
        for black in (False, True):
            piece = letter.lower() if black else letter
            s = CHESS.parse(f"k7/8/8/8/8/3{piece}4/8/7K w - - 0 1")
            assert material(s) == (-worth if black else worth)
    assert material(CHESS.initial()) == 0


def test_positional_knows_what_it_says() -> None:
    value = CHESS.using("positional").evaluate

    def of(board: str) -> int:
        return value(CHESS.parse(f"{board} w - - 0 1"))

    assert of("4k3/8/8/8/3N4/8/8/4K3") > of("4k3/8/8/8/8/8/8/N3K3")
    assert of("4k3/8/3P4/8/8/8/8/4K3") > of("4k3/8/8/8/8/3P4/8/4K3") + 50
    assert of("4k3/3p4/8/8/8/3P4/8/4K3") < of("4k3/p7/8/8/8/3P4/8/4K3")
    assert of("4k3/8/8/8/8/P1P5/8/4K3") < of("4k3/8/8/8/8/PP6/8/4K3")
    assert of("4k3/8/8/8/8/P7/P7/4K3") < of("4k3/8/8/8/8/PP6/8/4K3")
    assert of("4k3/8/8/8/8/8/8/2B1KB2") > of("4k3/8/8/8/8/8/8/2B1KN2")
    queens = "q2rk3/8/8/8/8/8/{}/Q2R2K1"
    assert of(queens.format("5PPP")) > of(queens.format("PPP5"))
    assert of("4k3/p7/8/8/8/8/6P1/R3K3") > of("4k3/p7/8/8/8/8/P7/R3K3") - 10


def test_captures_come_in_order_of_what_they_take() -> None:
    s = CHESS.parse("4k3/8/2q1p3/3P1r2/4P3/8/8/2R1K3 w - - 0 1")
    ordered = sorted(CHESS.noisy_moves(s), key=lambda a: -CHESS.order(s, a))
    assert [CHESS.format_move(s, a) for a in ordered] == ["d5c6", "c1c6", "e4f5", "d5e6"]
    assert CHESS.order(s, CHESS.parse_move(s, "c1d1")) == 0
    passing = CHESS.parse("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1")
    assert CHESS.order(passing, CHESS.parse_move(passing, "e5d6")) > 0


def test_passing_is_left_out_where_it_might_help() -> None:
    for pieces in ("R5", "Q5", "NB4"):
        free = CHESS.parse(f"4k3/4p3/8/8/8/8/4P3/{pieces}K1 w - - 0 1")
        assert CHESS.null_move(free).turn == 1
        assert CHESS.extend(free) == 0
    for pieces in ("6", "N5", "B5"):
        little = CHESS.parse(f"4k3/4p3/8/8/8/8/4P3/{pieces}K1 w - - 0 1")
        assert CHESS.null_move(little) == little
    checked = CHESS.parse("4k3/4r3/8/8/8/8/8/4K1NR w - - 0 1")
    assert CHESS.null_move(checked) == checked
    assert CHESS.extend(checked) == 1
    passing = CHESS.parse("4k3/8/8/3pP3/8/8/8/4K1R1 w - d6 0 1")
    assert CHESS.null_move(passing).en_passant == 0


@pytest.mark.parametrize(
    ("position", "best", "win_in"),
    [
        ("6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1", "a1a8", 1),
        ("7k/8/5K2/6Q1/8/8/8/8 w - - 0 1", "g5g7", 1),
        ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "a1a6", 3),  # Morphy: who has to move is lost
        ("8/8/8/8/8/4k3/4p3/4K3 b - - 0 1", None, None),  # the same, and a draw: stalemate
    ],
)
def test_the_search_plays_chess(position: str, best: str | None, win_in: int | None) -> None:
    found = CHESS.analyze(position, depth=5).to_json()
    assert best in (None, found["best"])
    assert found["win_in"] == win_in


def test_a_principal_variation_is_play() -> None:
    """Nothing from an older line remains at the end of one that quiescence ends."""
    for depth in range(1, 8):
        s = CHESS.parse(POSITIONS["kiwipete"])
        for a in CHESS.analyze(s, depth=depth).pv:
            assert a in CHESS.moves(s)
            s = CHESS.result(s, a)


def test_the_search_counts_on_the_fifty_moves() -> None:
    """A rook up, but the clock runs out before anything can be done with it."""
    assert CHESS.analyze("4k3/8/8/8/8/8/8/R3K3 w Q - 99 90", depth=4).value == 0
    assert CHESS.analyze("4k3/8/8/8/8/8/8/R3K3 w Q - 0 90", depth=4).value >= 5


def test_a_choice_of_one_and_of_none() -> None:
    only = "k7/8/1K6/8/8/8/8/7R b - - 0 1"
    assert [CHESS.format_move(CHESS.parse(only), a) for a in CHESS.moves(CHESS.parse(only))] == [
        "a8b8"
    ]
    assert CHESS.analyze(only, depth=3).best == CHESS.parse_move(CHESS.parse(only), "a8b8")
    for over in (MATED, STALEMATED):
        assert CHESS.analyze(over, depth=3).best is None


# Pictures.


def test_every_piece_has_its_own_shape() -> None:
    board = "rnbqk3/p7/8/8/8/8/P7/RNBQK3 w - - 0 1"
    drawing = CHESS.draw(CHESS.parse(board))
    root = ElementTree.fromstring(drawing)
    pieces = root.findall(".//{http://www.w3.org/2000/svg}g")
    drawn = [
        [(part.get("class"), part.get("d")) for part in piece if part.get("d")] for piece in pieces
    ]
    assert len(drawn) == 12
    assert len({str(parts) for parts in drawn}) == 12
    assert len({parts[0][1] for parts in drawn}) == 6
    assert "white to move" in drawing


def test_a_check_is_seen() -> None:
    assert not is_check(CHESS.initial())
    assert is_check(CHESS.parse(MATED))
    assert CHESS.render(CHESS.initial()).splitlines()[0] == "8 r n b q k b n r"
