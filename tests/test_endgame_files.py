"""The code and the files of end-game tables: all that was written is read, or an error says why."""

import heapq
import json
import os
import random
import shutil
import threading
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import accumulate, combinations, pairwise, product
from math import comb
from pathlib import Path
from typing import Any

import faults
import numpy as np
import pytest
from endgame_tables import Endings, endings
from faults import EACCES, EIO, Fault, inject
from hypothesis import given, settings
from hypothesis import strategies as st

from threefold import ThreefoldError, game
from threefold.engine.compile import Compiled
from threefold.engine.endgames import coding
from threefold.engine.endgames import database as databases
from threefold.engine.endgames.coding import (
    BLOCK,
    LONGEST_CODE,
    MOST_CELLS,
    RUN_SYMBOLS,
    checksum,
    code_lengths,
    codes_of,
    count_symbols,
    decode_all,
    decode_block,
    decoding_table,
    encode_blocks,
)
from threefold.engine.endgames.database import Database, tables_in
from threefold.engine.endgames.files import (
    PACKED,
    Coder,
    Damaged,
    Header,
    TableFile,
    path_of,
    read_header,
    read_table,
    write_table,
)
from threefold.engine.endgames.values import UNUSED
from threefold.rules.bits import popcount, word
from threefold.rules.subsets import MOST_IN_A_SET, choose, number_of_set, set_of_number

#: Values that a cell may have.
LEAST, GREATEST = UNUSED + 1, (1 << 15) - 1
#: Seeds of checksums are words.
WORDS = st.integers(-(1 << 63), (1 << 63) - 1)


@pytest.fixture(scope="session", name="checkers")
def checkers_with_three_pieces(tmp_path_factory: pytest.TempPathFactory) -> Endings:
    return endings(tmp_path_factory, "checkers", 3)


@pytest.fixture(scope="session", name="compiled_checksum")
def compiled_checksum_of_checkers() -> Callable[..., int]:
    return Compiled(game("checkers")).entry(checksum)


@pytest.fixture(scope="session", name="compiled_decode")
def compiled_decode_of_checkers() -> Callable[..., bool]:
    return Compiled(game("checkers")).entry(decode_block)


# Cells as blocks of bits.


@dataclass
class Encoded:
    """What the code makes of cells."""

    kinds: list[int]
    usual: int
    lengths: list[int]
    data: bytes
    ends: list[int]
    checks: list[int]


def encoded(cells: list[int], usual: int, seed: int, coder: Coder | None) -> Encoded:
    """Encode cells, by a coder's compiled functions or, without one, in plain Python."""
    kinds = sorted(set(cells) - {UNUSED})
    symbol_of = [0] * (1 << 16)
    for symbol, cell in enumerate(kinds):
        symbol_of[cell + (1 << 15)] = symbol
    blocks = -(-len(cells) // BLOCK)
    counts: Any = [0] * (len(kinds) + RUN_SYMBOLS)
    room: Any = bytearray(4 * BLOCK * max(blocks, 1))
    ends: Any = [0] * blocks
    checks: Any = [0] * blocks
    given_cells: Any = cells
    given_symbols: Any = symbol_of
    if coder is not None:
        given_cells, given_symbols = np.array(cells, np.int16), np.array(symbol_of, np.int32)
        counts, room = np.array(counts, np.int64), np.frombuffer(room, np.uint8)
        ends, checks = np.array(ends, np.int64), np.array(checks, np.int32)
    (coder.count_symbols if coder else count_symbols)(
        given_cells, usual, given_symbols, len(kinds), counts
    )
    lengths = code_lengths([int(count) for count in counts])
    codes: Any = codes_of(lengths)
    sizes: Any = lengths
    if coder is not None:
        codes, sizes = np.array(codes, np.int32), np.array(lengths, np.int32)
    after = (coder.encode_blocks if coder else encode_blocks)(
        *(0, given_cells, usual, given_symbols, len(kinds), codes, sizes),
        *(room, ends, checks, seed),
    )
    assert after == blocks
    data = bytes(room)[: int(ends[-1]) if blocks else 0]
    return Encoded(kinds, usual, lengths, data, list(map(int, ends)), list(map(int, checks)))


def decoded(code: Encoded, length: int, seed: int, coder: Coder | None) -> list[int]:
    """The cells again."""
    table = decoding_table(code.kinds, code.lengths)
    if coder is None:
        out: Any = memoryview(bytearray(2 * length)).cast("h")
        codes = table.tolist()
        first_damaged = decode_all(code.data, code.ends, code.checks, codes, code.usual, seed, out)
        assert first_damaged == -1
        return list(out)
    out = np.zeros(length, np.int16)
    arrays = (
        np.frombuffer(code.data, np.uint8),
        np.array(code.ends, np.int64),
        np.array(code.checks, np.int32),
        table,
    )
    assert coder.decode_all(*arrays, code.usual, seed, out) == -1
    return [int(cell) for cell in out]


def matches(cells: Sequence[int], again: Sequence[int]) -> bool:
    """Whether all cells are the same that stand for something."""
    return len(cells) == len(again) and all(
        cell in (UNUSED, other) for cell, other in zip(cells, again, strict=True)
    )


#: Lengths at which something may go wrong: around those of blocks, and of the digits of runs.
LENGTHS = st.one_of(
    st.integers(1, 9),
    st.sampled_from([15, 16, 17, 511, 512, 513, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK]),
)
CELLS = st.one_of(
    st.just(UNUSED), st.sampled_from([0, 1, -1]), st.integers(LEAST, GREATEST), st.integers(-9, 9)
)


@st.composite
def runs_of_cells(draw: st.DrawFn) -> list[int]:
    """Cells in runs of all lengths, a few thousand at most."""
    runs = draw(st.lists(st.tuples(CELLS, LENGTHS), min_size=1, max_size=25))
    cells = [cell for cell, length in runs for _ in range(length)][: 4 * BLOCK]
    return cells[: draw(st.integers(1, len(cells)))] if draw(st.booleans()) else cells


@settings(max_examples=60)
@given(runs_of_cells(), WORDS, st.integers())
def test_cells_are_decoded_as_they_were(
    checkers: Endings, cells: list[int], seed: int, choice: int
) -> None:
    kinds = sorted(set(cells) - {UNUSED})
    usual = kinds[choice % len(kinds)] if kinds else 0
    plain, compiled = (encoded(cells, usual, seed, coder) for coder in (None, checkers.coder))
    assert plain == compiled
    again = decoded(plain, len(cells), seed, None)
    assert matches(cells, again)
    assert decoded(plain, len(cells), seed, checkers.coder) == again


@pytest.mark.parametrize("kinds", [1, 2, 3, 242, 2048, MOST_CELLS])
def test_few_and_many_different_cells(checkers: Endings, kinds: int) -> None:
    rng = random.Random(kinds)
    values = rng.sample(range(LEAST, GREATEST + 1), kinds)
    rare = [rng.choice(values[: 1 + kinds // 50]) for _ in range(2 * BLOCK)]
    cells = rng.sample(values + rare, kinds + len(rare))
    for coder in (None, checkers.coder):
        code = encoded(cells, cells[0], 5, coder)
        assert decoded(code, len(cells), 5, coder) == cells


@pytest.mark.parametrize("length", [1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK])
def test_cells_that_stand_for_nothing_take_a_run(checkers: Endings, length: int) -> None:
    """A block of them, or of the usual cell, is a single symbol."""
    for cell in (UNUSED, 7):
        code = encoded([cell] * length, 7, 1, checkers.coder)
        runs = [min(BLOCK, length - begin) for begin in range(0, length, BLOCK)]
        sizes = [-(-run.bit_length() // 8) for run in runs]  # a bit, and all digits but the first
        assert code.ends == list(accumulate(sizes))
        assert decoded(code, length, 1, None) == [7] * length


def test_encoding_goes_on_where_room_ran_out(checkers: Endings) -> None:
    rng = random.Random(3)
    cells = [rng.randrange(9) for _ in range(5 * BLOCK + 100)]
    code = encoded(cells, 4, 11, None)
    symbol_of = np.zeros(1 << 16, np.int32)
    symbol_of[(1 << 15) : (1 << 15) + 9] = range(9)
    codes, sizes = np.array(codes_of(code.lengths), np.int32), np.array(code.lengths, np.int32)
    ends, checks = np.zeros(6, np.int64), np.zeros(6, np.int32)
    data, block = b"", 0
    while block < 6:
        room = np.zeros(4 * BLOCK + 700, np.uint8)  # for two blocks, or for one
        after = checkers.coder.encode_blocks(
            *(block, np.array(cells, np.int16), 4, symbol_of, 9, codes, sizes),
            *(room, ends, checks, 11),
        )
        assert block < after <= 6
        data += room[: ends[after - 1]].tobytes()
        block = after
    assert data == code.data
    assert checks.tolist() == code.checks


# Codes.


def huffman_lengths(counts: list[int]) -> list[int]:
    """The lengths of a plain Huffman code, however long."""
    lengths = [0] * len(counts)
    heap: list[tuple[int, tuple[int, ...]]]
    heap = [(count, (symbol,)) for symbol, count in enumerate(counts) if count]
    heapq.heapify(heap)
    while len(heap) > 1:
        (light, ours), (heavy, theirs) = heapq.heappop(heap), heapq.heappop(heap)
        for symbol in ours + theirs:
            lengths[symbol] += 1
        heapq.heappush(heap, (light + heavy, ours + theirs))
    return lengths


def cost(counts: list[int], lengths: Sequence[int]) -> int:
    return sum(count * length for count, length in zip(counts, lengths, strict=True))


def kraft_sum(lengths: Sequence[int], longest: int = LONGEST_CODE) -> int:
    """In units of the shortest share that a code can have."""
    return sum(1 << longest - length for length in lengths if length)


FIBONACCI = [1, 1]
while len(FIBONACCI) < 40:
    FIBONACCI.append(FIBONACCI[-1] + FIBONACCI[-2])

COUNTS = st.one_of(
    st.lists(st.integers(0, 1000), min_size=1, max_size=60),
    st.lists(st.sampled_from([0, 1, 1 << 10, 1 << 20, 1 << 40]), min_size=1, max_size=200),
    st.lists(st.sampled_from(FIBONACCI), min_size=1, max_size=60),
).filter(any)


@settings(max_examples=300)
@given(COUNTS)
def test_codes_are_prefix_codes_and_short(counts: list[int]) -> None:
    lengths = code_lengths(counts)
    codes = codes_of(lengths)
    assert [length > 0 for length in lengths] == [count > 0 for count in counts]
    assert max(lengths) <= LONGEST_CODE
    used = sum(1 for count in counts if count)
    assert kraft_sum(lengths) == (1 << LONGEST_CODE) >> (used == 1), "no code is wasted"
    symbols = sorted(
        filter(lambda each: lengths[each], range(len(counts))), key=lengths.__getitem__
    )
    for i, short in enumerate(symbols):
        assert 0 <= codes[short] < 1 << lengths[short]
        for long in symbols[i + 1 :]:
            assert codes[long] & (1 << lengths[short]) - 1 != codes[short], "a prefix"
    if used > 1:
        huffman = huffman_lengths(counts)
        assert cost(counts, lengths) >= cost(counts, huffman)
        if max(huffman) <= LONGEST_CODE:
            assert cost(counts, lengths) == cost(counts, huffman)


def test_codes_where_huffman_needs_longer_ones() -> None:
    counts = FIBONACCI[:40]
    assert max(huffman_lengths(counts)) == 39
    lengths = code_lengths(counts)
    assert max(lengths) == LONGEST_CODE
    assert kraft_sum(lengths) == 1 << LONGEST_CODE
    assert lengths == sorted(lengths, reverse=True)


@settings(max_examples=60)
@given(st.lists(st.integers(1, 60), min_size=2, max_size=7))
def test_codes_of_limited_length_are_the_best(counts: list[int]) -> None:
    """Against all lengths there are, with codes of three bits at most."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coding, "LONGEST_CODE", 3)
        lengths = code_lengths(counts)
    every = product(range(1, 4), repeat=len(counts))
    best = min(cost(counts, each) for each in every if kraft_sum(each, 3) <= 8)
    assert kraft_sum(lengths, 3) <= 8
    assert cost(counts, lengths) == best


def test_as_many_codes_as_there_can_be() -> None:
    lengths = code_lengths([1] * (MOST_CELLS + RUN_SYMBOLS))
    assert max(lengths) == LONGEST_CODE
    assert kraft_sum(lengths) <= 1 << LONGEST_CODE
    assert len(set(zip(codes_of(lengths), lengths, strict=True))) == len(lengths)


@pytest.mark.parametrize(
    ("cells", "lengths"),
    [
        ([0], [0] * 12),
        ([0], [1] * 11),
        ([0], [1] * 13),
        ([0], [13] + [1] * 11),
        ([0], [-1] + [1] * 11),
        ([0, 1, 2], [1, 1, 1] + [0] * 11),
    ],
)
def test_lengths_of_no_code_are_refused(cells: list[int], lengths: list[int]) -> None:
    with pytest.raises(ValueError, match="code"):
        decoding_table(cells, lengths)


# Blocks of any bytes.


@settings(max_examples=200)
@given(st.binary(max_size=60), WORDS)
def test_checksums(compiled_checksum: Callable[..., int], data: bytes, seed: int) -> None:
    found = checksum(data, 0, len(data), seed)
    assert 0 <= found < 1 << 31
    assert compiled_checksum(np.frombuffer(data, np.uint8), 0, len(data), seed) == found
    assert checksum(b"xy" + data + b"z", 2, 2 + len(data), seed) == found
    assert checksum(data, 0, len(data), word(seed ^ 1)) != found
    for bit in range(8 * len(data)):
        other = bytearray(data)
        other[bit // 8] ^= 1 << bit % 8
        assert checksum(other, 0, len(other), seed) != found


@settings(max_examples=200)
@given(
    st.binary(max_size=40),
    st.lists(st.integers(0, 30), min_size=2, max_size=20).filter(any),
    st.integers(0, BLOCK),
    st.data(),
)
def test_bytes_that_are_no_block_are_refused(
    compiled_decode: Callable[..., bool],
    data: bytes,
    counts: list[int],
    length: int,
    draw: st.DataObject,
) -> None:
    """Whatever is decoded stays where it belongs, and both ways find the same."""
    kinds = list(range(-2, len(counts) - 2))
    runs = draw.draw(st.lists(st.integers(0, 9), min_size=RUN_SYMBOLS, max_size=RUN_SYMBOLS))
    table = decoding_table(kinds, code_lengths(counts + runs))
    begin = draw.draw(st.integers(0, len(data)))
    end = draw.draw(st.integers(begin, len(data)))
    plain = [77] * (BLOCK + 9)
    compiled = np.full(BLOCK + 9, 77, np.int16)
    made_sense = decode_block(data, begin, end, table.tolist(), 5, plain, length)
    arrays = (np.frombuffer(data, np.uint8), begin, end, table)
    assert compiled_decode(*arrays, 5, compiled, length) == made_sense
    assert compiled.tolist() == plain
    assert plain[length:] == [77] * (len(plain) - length)
    assert not made_sense or set(plain[:length]) <= {5, *kinds}


# Sets of squares.


def as_word(squares: Sequence[int]) -> int:
    return word(sum(1 << square for square in squares))


SQUARES = st.sets(st.integers(0, 63), min_size=1).map(sorted)


@given(SQUARES, st.integers(0, MOST_IN_A_SET), st.data())
def test_sets_have_numbers(squares: list[int], k: int, draw: st.DataObject) -> None:
    k = min(k, len(squares))
    count = comb(len(squares), k)
    assert choose(len(squares), k) == count
    mask, number = as_word(squares), draw.draw(st.integers(0, count - 1))
    chosen = set_of_number(number, k, mask)
    assert chosen & ~mask == 0
    assert popcount(chosen) == k
    assert number_of_set(chosen, mask) == number
    other = as_word(draw.draw(st.permutations(squares))[:k])
    number = number_of_set(other, mask)
    assert 0 <= number < count
    assert set_of_number(number, k, mask) == other


@pytest.mark.parametrize("squares", [[63], [0, 63], [1, 5, 8, 9, 33, 62, 63], list(range(9))])
def test_every_set_has_one_number(squares: list[int]) -> None:
    mask = as_word(squares)
    for k in range(min(len(squares), MOST_IN_A_SET) + 1):
        every = [as_word(each) for each in combinations(squares, k)]
        assert sorted(number_of_set(each, mask) for each in every) == list(range(len(every)))
        for each in every:
            assert set_of_number(number_of_set(each, mask), k, mask) == each


# Templates.


def to_number(chosen: int, squares: int) -> int:
    return number_of_set(chosen, squares)


def to_set(number: int, k: int, squares: int) -> int:
    return set_of_number(number, k, squares)


def test_compiled_sets_are_the_same() -> None:
    entry = Compiled(game("checkers")).entry
    rng = random.Random(9)
    for _ in range(500):
        squares = rng.sample(range(64), rng.randrange(1, 65))
        chosen = as_word(squares[: rng.randrange(min(len(squares), MOST_IN_A_SET) + 1)])
        mask = as_word(squares)
        number = number_of_set(chosen, mask)
        assert entry(to_number)(chosen, mask) == number
        assert entry(to_set)(number, popcount(chosen), mask) == chosen


# Files.


def header_of(values: Any, **changes: Any) -> Header:
    described: dict[str, Any] = {
        "game": "checkers",
        "rules": "checkers",
        "slice": 257,
        "name": "KvK",
        "pieces": 2,
        "size": len(values),
        "positions": len(values),
        "won": 0,
        "drawn": len(values),
        "lost": 0,
        "longest": None,
        "margins": False,
        "distances": True,
    }
    return Header(**described | changes)


@settings(max_examples=60)
@given(cells=runs_of_cells(), distances=st.booleans(), of_slice=st.integers(0, 1 << 16))
def test_what_is_written_is_read(
    checkers: Endings,
    tmp_path_factory: pytest.TempPathFactory,
    cells: list[int],
    distances: bool,
    of_slice: int,
) -> None:
    path = tmp_path_factory.getbasetemp() / "written.endgame"
    values = np.array(cells, np.int16)
    header = header_of(values, distances=distances, slice=of_slice)
    length = write_table(path, header, values, checkers.coder)
    table = TableFile(path)
    assert (table.bytes, path.stat().st_size) == (length, length)
    said = ("cells", "usual", "lengths", "data", "index")
    assert replace(table.header, **{name: getattr(header, name) for name in said}) == header
    out = np.full(len(values), 99, np.int16)
    read_table(table, out, checkers.coder)
    if not distances:
        values = np.where(values == UNUSED, UNUSED, np.sign(values))
    assert matches(values.tolist(), out.tolist())


@pytest.mark.parametrize("size", range(1, 2 * PACKED + 2))
def test_outcomes_of_any_number_of_positions(checkers: Endings, tmp_path: Path, size: int) -> None:
    rng = random.Random(size)
    for _ in range(10):
        values = np.array([rng.choice([-5, 0, 5, UNUSED]) for _ in range(size)], np.int16)
        write_table(tmp_path / "t", header_of(values, distances=False), values, checkers.coder)
        out = np.zeros(size, np.int16)
        read_table(TableFile(tmp_path / "t"), out, checkers.coder)
        expected = [UNUSED if value == UNUSED else np.sign(value) for value in values]
        assert matches(expected, out.tolist())


def test_more_different_values_than_codes(checkers: Endings, tmp_path: Path) -> None:
    path = tmp_path / "many.endgame"
    values = np.arange(MOST_CELLS, dtype=np.int16)
    out = np.zeros(len(values), np.int16)
    write_table(path, header_of(values), values, checkers.coder)
    read_table(TableFile(path), out, checkers.coder)
    assert (out == values).all()
    many = np.arange(MOST_CELLS + 1, dtype=np.int16)
    with pytest.raises(ThreefoldError, match=r"KvK has 4,085 different values, more than 4,084"):
        write_table(path, header_of(many), many, checkers.coder)
    read_table(TableFile(path), out, checkers.coder)
    assert (out == values).all(), "the file is as it was"


def test_a_real_table_reads_back_with_outcomes_alone(checkers: Endings, tmp_path: Path) -> None:
    lengths = {}
    for name in ("KvK", "MvKK", "KvMK"):
        values, table = checkers.values(name), checkers.file(name)
        header = replace(table.header, distances=False)
        lengths[name] = write_table(path_of(tmp_path, name), header, values, checkers.coder)
    assert lengths["KvMK"] < checkers.file("KvMK").bytes / 2
    small = Database(checkers.game, tmp_path)
    for name in ("KvK", "MvKK", "KvMK"):
        for number in range(0, checkers.slices[name].size, 37):
            s = checkers.position(name, number)
            known, outcome = checkers.database.look_up(s), small.look_up(s)
            assert known is not None
            assert outcome is not None
            assert (outcome.value, outcome.win_in) == (known.value, None)


@pytest.mark.parametrize("distances", [True, False])
def test_tables_that_are_decoded_as_a_whole_say_the_same(
    checkers: Endings, tmp_path: Path, distances: bool
) -> None:
    for name, of in checkers.slices.items():
        if of.pieces == 2:
            header = replace(checkers.file(name).header, distances=distances)
            values = checkers.values(name)
            write_table(path_of(tmp_path, name), header, values, checkers.coder)
    positions = [
        checkers.position(name, number)
        for name, of in checkers.slices.items()
        for number in (*range(0, of.size, 13), of.size - 1)
        if of.pieces == 2
    ]
    database = Database(checkers.game, tmp_path)
    block_by_block = [database.value(s) for s in positions]
    database.arrays(megabytes=0)
    assert [database.value(s) for s in positions] == block_by_block
    database.arrays()
    assert [database.value(s) for s in positions] == block_by_block
    assert None not in block_by_block
    if distances:
        assert block_by_block == [checkers.database.value(s) for s in positions]


def test_several_threads_look_up_at_once(
    checkers: Endings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the pages of a lab do. With room for one block, each probe drives out the last one's."""
    monkeypatch.setattr(databases, "_KEPT_BLOCKS", 1)
    database = Database(checkers.game, checkers.folder)
    rng = random.Random(1)
    names = [name for name, of in checkers.slices.items() if of.pieces == 3]
    positions = [
        checkers.position(name, rng.randrange(checkers.slices[name].size))
        for name in names
        for _ in range(50)
    ]
    right = [database.value(s) for s in positions]
    wrong: list[int] = []

    def look_up(seed: int) -> None:
        choice = random.Random(seed).randrange
        for i in (choice(len(positions)) for _ in range(10_000)):
            if database.value(positions[i]) != right[i]:
                wrong.append(i)

    threads = [threading.Thread(target=look_up, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


# Damage.


class Copy:
    """A database whose files may be damaged: its tables with two pieces."""

    def __init__(self, checkers: Endings, folder: Path) -> None:
        self.checkers = checkers
        self.folder = folder
        for name in ("KvK", "KvM", "MvK", "MvM"):
            shutil.copy(path_of(checkers.folder, name), folder)
        self.path = path_of(folder, "KvK")
        self.whole = self.path.read_bytes()
        self.values = checkers.values("KvK").tolist()

    def read(self, path: Path | None = None) -> list[int] | None:
        """All values of KvK, or None after an error that names the file."""
        out = np.zeros(len(self.values), np.int16)
        try:
            read_table(TableFile(path or self.path), out, self.checkers.coder)
        except ThreefoldError as error:
            assert_one_line(error, path or self.path)
            return None
        return out.tolist()

    def probe(self, numbers: Sequence[int]) -> list[int | None] | None:
        """The values of some numbers, or None after an error that names the file."""
        try:
            database = Database(self.checkers.game, self.folder)
            return [database.value(self.checkers.position("KvK", n)) for n in numbers]
        except ThreefoldError as error:
            assert_one_line(error, self.path)
            return None


def assert_one_line(error: ThreefoldError, path: Path) -> None:
    assert str(path) in str(error)
    assert "\n" not in str(error)
    assert len(str(error)) < 400


@pytest.fixture(scope="session", name="copy")
def a_copy(checkers: Endings, tmp_path_factory: pytest.TempPathFactory) -> Copy:
    return Copy(checkers, tmp_path_factory.mktemp("copy"))


@pytest.fixture(autouse=True)
def repair(request: pytest.FixtureRequest) -> Iterator[None]:
    """After each test the copy is whole again."""
    yield
    if "copy" in request.fixturenames:
        one: Copy = request.getfixturevalue("copy")
        one.path.write_bytes(one.whole)


def test_no_flipped_bit_gives_a_wrong_value(copy: Copy) -> None:
    assert copy.read() == copy.values
    _, begin = read_header(copy.path)
    harmless = []
    for bit in range(8 * len(copy.whole)):
        damaged = bytearray(copy.whole)
        damaged[bit // 8] ^= 1 << bit % 8
        copy.path.write_bytes(damaged)
        found = copy.read()
        assert found in (None, copy.values), f"bit {bit}"
        if found is not None:
            harmless.append(bit // 8)
    assert all(begin - 8 < place < begin for place in harmless), "only what fills up the header"


def test_no_truncated_file_gives_a_wrong_value(copy: Copy) -> None:
    for length in range(len(copy.whole)):
        copy.path.write_bytes(copy.whole[:length])
        assert copy.read() is None, length
    for more in (b"\0", b"x", bytes(7), bytes(8), copy.whole):
        copy.path.write_bytes(copy.whole + more)
        assert copy.read() is None, more


DAMAGE = st.one_of(
    st.tuples(st.just("flip"), st.integers(0, 1 << 20), st.integers(1, 255)),
    st.tuples(st.just("truncate"), st.integers(0, 1 << 20), st.just(0)),
    st.tuples(st.just("append"), st.integers(0, 300), st.integers(0, 255)),
    st.tuples(st.just("insert"), st.integers(0, 1 << 20), st.integers(0, 255)),
    st.tuples(st.just("remove"), st.integers(0, 1 << 20), st.integers(1, 40)),
    st.tuples(st.just("zeros"), st.integers(0, 1 << 20), st.integers(1, 40)),
    st.tuples(st.just("swap"), st.integers(0, 1 << 20), st.integers(1, 255)),
)


def damaged_by(content: bytes, kind: str, place: int, by: int) -> bytes:
    at = place % (len(content) + 1)
    if kind == "truncate":
        return content[:at]
    if kind == "append":
        return content + bytes([by]) * place
    if kind == "insert":
        return content[:at] + bytes([by]) + content[at:]
    if kind == "remove":
        return content[:at] + content[at + by :]
    if kind == "zeros":
        return content[:at] + bytes(len(content[at : at + by])) + content[at + by :]
    changed = bytearray(content)
    at %= len(content)
    if kind == "flip":
        changed[at] ^= by
    else:
        other = (at + by) % len(content)
        changed[at], changed[other] = changed[other], changed[at]
    return bytes(changed)


@settings(max_examples=150)
@given(st.lists(DAMAGE, min_size=1, max_size=3), st.lists(st.integers(0, 991), max_size=20))
def test_no_damage_gives_a_wrong_value(
    copy: Copy, damage: list[tuple[str, int, int]], numbers: list[int]
) -> None:
    content = copy.whole
    for kind, place, by in damage:
        content = damaged_by(content, kind, place, by)
        if not content:
            break
    copy.path.unlink()  # what is mapped already stays as it is
    copy.path.write_bytes(content)
    assert copy.read() in (None, copy.values)
    assert copy.probe(numbers) in (None, [copy.values[n] for n in numbers])


@pytest.mark.parametrize("place", ["first", "last"])
def test_other_blocks_of_a_damaged_table_are_right(
    checkers: Endings, tmp_path: Path, place: str
) -> None:
    shutil.copy(path_of(checkers.folder, "KvKK"), tmp_path)
    path, values = path_of(tmp_path, "KvKK"), checkers.values("KvKK").tolist()
    table = TableFile(path)
    blocks, ends = table.header.blocks, [0, *map(int, table.ends)]
    block = 0 if place == "first" else blocks - 1
    content = bytearray(path.read_bytes())
    content[len(content) - table.header.data + ends[block]] ^= 4
    path.unlink()
    path.write_bytes(content)
    database = Database(checkers.game, tmp_path)
    for number in (*range(0, len(values), 61), len(values) - 1):
        s = checkers.position("KvKK", number)
        if number // BLOCK == block:
            with pytest.raises(Damaged, match=r"KvKK.endgame' cannot be used: a block of it is"):
                database.value(s)
        else:
            assert database.value(s) == values[number]
    with pytest.raises(Damaged, match=rf"block {block} of it is damaged"):
        read_table(TableFile(path), np.zeros(len(values), np.int16), checkers.coder)


def parts_of(path: Path) -> tuple[Header, list[bytes], list[int]]:
    """The header of a file, its blocks, and their checksums."""
    table = TableFile(path)
    ends = [0, *map(int, table.ends)]
    data = table.data.tobytes()
    blocks = [data[i:j] for i, j in pairwise(ends)]
    return table.header, blocks, table.checks.tolist()


def write_parts(path: Path, header: Any, blocks: list[bytes], checks: list[int]) -> None:
    """A file with all other checksums as they should be."""
    ends = np.array(list(accumulate(map(len, blocks))), "<i8").tobytes()
    index = ends + np.array(checks, "<i4").tobytes()
    index += bytes(-len(index) % 8)
    data = b"".join(blocks)
    if isinstance(header, Header):
        header = asdict(replace(header, data=len(data), index=zlib.crc32(index)))
    text = json.dumps(header).encode()
    numbers = np.array([len(text), zlib.crc32(text)], "<u4").tobytes()
    start = b"3fold-eg" + numbers + text
    path.write_bytes(start + bytes(-len(start) % 8) + index + data)


def test_the_format_is_as_described(checkers: Endings, tmp_path: Path) -> None:
    for name in checkers.slices:
        path = path_of(checkers.folder, name)
        write_parts(tmp_path / "again", *parts_of(path))
        assert (tmp_path / "again").read_bytes() == path.read_bytes()


def test_blocks_in_another_place_are_noticed(checkers: Endings, tmp_path: Path) -> None:
    """Even if everything else in the file was made to fit."""
    path = path_of(tmp_path, "KvKK")
    header, blocks, checks = parts_of(path_of(checkers.folder, "KvKK"))
    values = np.zeros(header.size, np.int16)
    for i, j in [(0, 1), (3, 9), (12, 13)]:
        order = list(range(len(blocks)))
        order[i], order[j] = j, i
        write_parts(path, header, [blocks[k] for k in order], [checks[k] for k in order])
        with pytest.raises(Damaged, match=rf"KvKK.endgame' cannot be used: block {i} of it"):
            read_table(TableFile(path), values, checkers.coder)


def test_blocks_of_another_table_are_noticed(checkers: Endings, tmp_path: Path) -> None:
    """`KvM` and `MvK` are of the same size."""
    ours, theirs = (parts_of(path_of(checkers.folder, name)) for name in ("KvM", "MvK"))
    path = path_of(tmp_path, "KvM")
    write_parts(path, ours[0], theirs[1], theirs[2])
    values = np.zeros(ours[0].size, np.int16)
    with pytest.raises(Damaged, match=r"KvM.endgame' cannot be used: block 0"):
        read_table(TableFile(path), values, checkers.coder)
    other_code = replace(theirs[0], slice=ours[0].slice, name="KvM")
    write_parts(path, other_code, theirs[1], theirs[2])
    with pytest.raises(Damaged, match=r"KvM.endgame' cannot be used: block 0"):
        read_table(TableFile(path), values, checkers.coder)


def test_files_that_were_exchanged_are_still_right(checkers: Endings, tmp_path: Path) -> None:
    """What is in a file decides, not its name."""
    for name, other in [("KvK", "MvM"), ("MvM", "KvK"), ("KvM", "MvK"), ("MvK", "KvM")]:
        shutil.copy(path_of(checkers.folder, name), path_of(tmp_path, other))
    database = Database(checkers.game, tmp_path)
    for name in ("KvK", "MvM", "KvM", "MvK"):
        values = checkers.values(name)
        for number in range(0, len(values), 11):
            assert database.value(checkers.position(name, number)) == values[number]


# What is no table.


def test_a_table_of_another_game(checkers: Endings, tmp_path: Path) -> None:
    shutil.copy(path_of(checkers.folder, "KvK"), tmp_path)
    with pytest.raises(ThreefoldError, match=r"is for checkers, not for chess$"):
        Database(game("chess"), tmp_path)
    kalah = game("kalah(pits=2)")
    with pytest.raises(ThreefoldError, match=r"not for kalah\(pits=2,"):
        Database(kalah, tmp_path)
    with pytest.raises(ThreefoldError, match=r"is for checkers, not for othello$"):
        Database(game("othello"), tmp_path)
    header, blocks, checks = parts_of(path_of(checkers.folder, "KvM"))
    write_parts(path_of(tmp_path, "KvM"), replace(header, rules="giveaway"), blocks, checks)
    with pytest.raises(ThreefoldError, match=r"is for giveaway, not for checkers$"):
        Database(checkers.game, tmp_path)


@pytest.mark.parametrize("number", [0, 2, -1, "1", None])
def test_a_table_of_another_format(checkers: Endings, tmp_path: Path, number: Any) -> None:
    header, blocks, checks = parts_of(path_of(checkers.folder, "KvK"))
    write_parts(tmp_path / "KvK.endgame", replace(header, format=number), blocks, checks)
    with pytest.raises(Damaged, match=rf"it has format {number}, and this version reads 1"):
        Database(checkers.game, tmp_path)


@pytest.mark.parametrize(
    "header",
    [[], 5, None, "text", {"format": 1}, {"format": 1, "made_by": "somebody"}],
    ids=repr,
)
def test_a_header_that_says_something_else(checkers: Endings, tmp_path: Path, header: Any) -> None:
    path = path_of(tmp_path, "KvK")
    write_parts(path, header, [b""], [0])
    with pytest.raises(ThreefoldError) as error:
        Database(checkers.game, tmp_path)
    assert_one_line(error.value, path)


@pytest.mark.parametrize(
    "change",
    [
        {"size": "many"},
        {"size": 99.5},
        {"size": -1},
        {"size": 1 << 62},
        {"size": 991, "positions": 991},
        {"data": -8},
        {"cells": [1 << 40]},
        {"cells": "abc"},
        {"lengths": [2.5] * 99},
        {"lengths": []},
        {"usual": "x"},
        {"slice": -5},
        {"slice": 1 << 70},
        {"distances": "yes"},
        {"made": []},
    ],
    ids=repr,
)
def test_a_header_with_other_contents_gives_no_wrong_value(
    checkers: Endings, tmp_path: Path, change: dict[str, Any]
) -> None:
    """All its checksums are right, so somebody has taken pains."""
    path = path_of(tmp_path, "KvK")
    header, blocks, checks = parts_of(path_of(checkers.folder, "KvK"))
    write_parts(path, asdict(header) | change, blocks, checks)
    values = checkers.values("KvK").tolist()
    try:
        database = Database(checkers.game, tmp_path)
        found = [database.value(checkers.position("KvK", n)) for n in range(0, 992, 9)]
    except ThreefoldError as error:
        assert_one_line(error, path)
    else:
        assert all(value in (None, right) for value, right in zip(found, values[::9], strict=True))


@pytest.mark.parametrize("content", [b"", b"3", b"3fold-eg", b"3fold-eg" + bytes(8), b"x" * 900])
def test_a_file_that_is_no_table(checkers: Endings, tmp_path: Path, content: bytes) -> None:
    path = path_of(tmp_path, "KvK")
    path.write_bytes(content)
    uses: list[Callable[[], object]] = [
        lambda: TableFile(path),
        lambda: tables_in(tmp_path),
        lambda: Database(checkers.game, tmp_path),
    ]
    for use in uses:
        with pytest.raises(ThreefoldError, match=r"KvK.endgame' cannot be used: it") as error:
            use()
        assert_one_line(error.value, path)


def test_a_folder_in_place_of_a_file(checkers: Endings, tmp_path: Path) -> None:
    path_of(tmp_path, "KvK").mkdir()
    with pytest.raises(ThreefoldError, match=r"KvK.endgame' cannot be read: Is a directory$"):
        Database(checkers.game, tmp_path)


def openings(checkers: Endings, folder: Path) -> list[int]:
    """Which operations open a table: for its header, and to map it."""
    done = faults.count(lambda: Database(checkers.game, folder), folder)
    found = [at for at, operation in enumerate(done) if operation.startswith("open KvK")]
    assert len(found) == 2
    return found


def test_a_file_that_may_not_be_read(checkers: Endings, tmp_path: Path) -> None:
    shutil.copy(path_of(checkers.folder, "KvK"), tmp_path)
    for at in openings(checkers, tmp_path):
        with (
            inject(Fault(tmp_path, at, EACCES)),
            pytest.raises(ThreefoldError, match=r"KvK.endgame' cannot be .*Permission denied"),
        ):
            Database(checkers.game, tmp_path)


@pytest.mark.parametrize("kind", [EACCES, EIO])
def test_a_file_that_cannot_be_read_now_is_not_to_be_removed(
    checkers: Endings, tmp_path: Path, kind: str
) -> None:
    shutil.copy(path_of(checkers.folder, "KvK"), tmp_path)
    for at in openings(checkers, tmp_path):
        with inject(Fault(tmp_path, at, kind)), pytest.raises(ThreefoldError) as error:
            Database(checkers.game, tmp_path)
        assert "remove it" not in str(error.value)


@pytest.mark.skipif(os.name == "nt", reason="links need no permission")
def test_a_link_to_nowhere(checkers: Endings, tmp_path: Path) -> None:
    path_of(tmp_path, "KvK").symlink_to(tmp_path / "nowhere")
    with pytest.raises(ThreefoldError, match=r"KvK.endgame' cannot be read: No such file"):
        Database(checkers.game, tmp_path)


def test_a_folder_without_tables(checkers: Endings, tmp_path: Path) -> None:
    with pytest.raises(ThreefoldError, match=r"^there is no database in '.*'; make one with"):
        Database(checkers.game, tmp_path)
    with pytest.raises(ThreefoldError, match=r"nowhere': it is not a folder$"):
        Database(checkers.game, tmp_path / "nowhere")
    (tmp_path / "file").write_text("text")
    with pytest.raises(ThreefoldError, match=r"file': it is not a folder$"):
        Database(checkers.game, tmp_path / "file")


def test_more_tables_than_files_may_be_open(checkers: Endings) -> None:
    """Where the system allows 256, as on macOS, chess with five men has more tables."""
    resource = pytest.importorskip("resource", reason="only Unix limits open files")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    in_use = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 100
    resource.setrlimit(resource.RLIMIT_NOFILE, (in_use + 8, before[1]))
    try:
        database = Database(checkers.game, checkers.folder)
        assert database.value(checkers.position("KvK", 0)) is not None
    except ThreefoldError as error:
        assert "remove it" not in str(error)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
