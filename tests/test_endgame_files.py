"""The code and the files of end-game tables: all that was written is read, or an error says why."""

import base64
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
from threefold.engine.endgames import database as databases
from threefold.engine.endgames import fitting, huffman
from threefold.engine.endgames.coding import (
    BLOCK,
    MOST_CLASSES,
    MOST_KINDS,
    MOST_STRIDES,
    Code,
    cells_by_number,
    check_code,
    checksum,
    count_symbols,
    decode_all,
    decode_block,
    decoding_table,
    encode_blocks,
)
from threefold.engine.endgames.costs import bits_by_counts, costs_of_code
from threefold.engine.endgames.database import Database, tables_in
from threefold.engine.endgames.files import (
    Coder,
    Damaged,
    Header,
    TableFile,
    path_of,
    read_header,
    read_table,
    write_table,
)
from threefold.engine.endgames.huffman import (
    CODES,
    LONGEST_CODE,
    code_lengths,
    codes_of,
    symbols_by_bits,
)
from threefold.engine.endgames.layout import Layout, layouts
from threefold.engine.endgames.packing import PACKED, packed_outcomes, unpacked_outcomes
from threefold.engine.endgames.parsing import ANYTHING, ROOM, TOKEN
from threefold.engine.endgames.symbols import STEPS, digits_after, least_length, step_of
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


# Symbols.


def test_every_length_has_a_symbol() -> None:
    for length in range(1, BLOCK + 1):
        step = step_of(length)
        assert 0 <= step < STEPS
        assert least_length(step) <= length < least_length(step) + (1 << digits_after(step))
        assert least_length(step + 1) == least_length(step) + (1 << digits_after(step))


# Cells as blocks of bits.


@dataclass
class Encoded:
    """What the code makes of cells."""

    data: bytes
    ends: list[int]
    checks: list[int]
    counts: list[list[int]]


def encoded(cells: list[int], length: int, code: Code, seed: int, coder: Coder | None) -> Encoded:
    """Encode cells, by a coder's compiled functions or, without one, in plain Python.

    The cells are numbers of kinds. With these, `ANYTHING` may be in place of any.
    """
    blocks = len(cells) // length
    costs = costs_of_code(code)
    codes = np.array([codes_of(each) for each in code.lengths.tolist()], np.int32)
    room = np.empty((ROOM, 2 * BLOCK), np.int32)
    tokens = np.empty((BLOCK, TOKEN), np.int32)
    strides: Any = np.array(code.strides, np.int32)
    given_cells: Any = np.array(cells, np.int16)
    out: Any = np.zeros(4 * len(cells), np.uint8)
    ends: Any = np.zeros(blocks, np.int64)
    checks: Any = np.zeros(blocks, np.int32)
    counts = np.zeros(code.lengths.shape, np.int64)
    if coder is None:
        strides, given_cells, out = code.strides, cells, bytearray(4 * len(cells))
        ends, checks = ends.tolist(), checks.tolist()
    parsing = (given_cells, length, code.shift, strides, costs.copies, costs.kinds, room, tokens)
    (coder.count_symbols if coder else count_symbols)(*parsing, counts)
    size = (coder.encode_blocks if coder else encode_blocks)(
        *parsing, codes, code.lengths.astype(np.int32), 0, seed, out, ends, checks
    )
    assert size == (ends[-1] if blocks else 0)
    return Encoded(bytes(out)[:size], list(map(int, ends)), list(map(int, checks)), counts.tolist())


def decoded(
    found: Encoded, length: int, code: Code, seed: int, coder: Coder | None, first: int = 0
) -> list[int]:
    """The numbers of kinds again, from some block on."""
    table, room = decoding_table(code), length * (len(found.ends) - first)
    if coder is None:
        out: Any = memoryview(bytearray(2 * room)).cast("h")
        data, codes = found.data, table.tolist()
        damaged = decode_all(data, found.ends, found.checks, codes, first, seed, length, out)
        assert damaged == -1
        return list(out)
    out = np.zeros(room, np.int16)
    arrays = (
        np.frombuffer(found.data, np.uint8),
        np.array(found.ends, np.uint32),
        np.array(found.checks, np.int32),
        table,
    )
    assert coder.decode_all(*arrays, first, seed, length, out) == -1
    return [int(cell) for cell in out]


def matches(cells: Sequence[int], again: Sequence[int], nothing: int = UNUSED) -> bool:
    """Whether all cells are the same that stand for something."""
    return len(cells) == len(again) and all(
        cell in (nothing, other) for cell, other in zip(cells, again, strict=True)
    )


@st.composite
def codes_of_tables(draw: st.DrawFn) -> Code:
    """Any code: some symbols have no code, but kinds can always be written by their numbers."""
    strides = draw(st.lists(st.integers(1, 300), max_size=5, unique=True))
    sizes = draw(st.lists(st.integers(1, 9), min_size=1, max_size=MOST_CLASSES))
    cells = iter(range(-30, 100))
    kinds = [[next(cells) for _ in range(size)] for size in sizes]
    code = Code(strides, kinds, ())
    rng = random.Random(draw(st.integers(0, 999)))
    lengths = []
    for _ in kinds:
        counts = [rng.choice([0, 0, 1, 5, 90]) for _ in range(STEPS * len(strides) + code.numbers)]
        counts.insert(STEPS * len(strides), 1)
        lengths.append(code_lengths(counts))
    return replace(code, lengths=np.array(lengths, np.uint8))


@st.composite
def runs_of_cells(draw: st.DrawFn, cells: st.SearchStrategy[int], most: int) -> list[int]:
    """Cells in runs of all lengths, which are often repeated."""
    lengths = st.one_of(st.integers(1, 9), st.sampled_from([15, 16, 17, 63, 64, 65, 511, 512]))
    runs = draw(st.lists(st.tuples(cells, lengths), min_size=1, max_size=25))
    found = [cell for cell, length in runs for _ in range(length)]
    for stride in draw(st.lists(st.integers(1, 400), max_size=4)):
        found += found[-stride:] * draw(st.integers(1, 3))
    return found[:most]


@settings(max_examples=40)
@given(codes_of_tables(), WORDS, st.data())
def test_cells_are_decoded_as_they_were(
    checkers: Endings, code: Code, seed: int, draw: st.DataObject
) -> None:
    numbers = st.sampled_from([ANYTHING, *code.kind_numbers.tolist()])
    cells = draw.draw(runs_of_cells(numbers, 1500))
    length = draw.draw(st.integers(1, len(cells)))
    cells = cells[: len(cells) // length * length]
    plain, compiled = (encoded(cells, length, code, seed, each) for each in (None, checkers.coder))
    assert plain == compiled
    again = decoded(plain, length, code, seed, None)
    assert matches(cells, again, ANYTHING)
    assert decoded(plain, length, code, seed, checkers.coder) == again
    first = draw.draw(st.integers(0, len(cells) // length))
    assert decoded(plain, length, code, seed, checkers.coder, first) == again[first * length :]


def test_repeated_cells_are_copied() -> None:
    """Also with other cells in between, and over those that stand for nothing."""
    row = [3, 1, 4, 1, 5, 0, 2, 6, 5, 3, 5]
    cells = 3 * row
    cells[2 * len(row) + 4] = ANYTHING
    counts = [1] * (STEPS + 1 + 8)
    code = Code([11], [list(range(8))], np.array([code_lengths(counts)], np.uint8))
    found = encoded(cells, len(cells), code, 7, None)
    assert decoded(found, len(cells), code, 7, None) == 3 * row
    copies = {step_of(22): 1}
    assert found.counts[0][:STEPS] == [copies.get(step, 0) for step in range(STEPS)]
    assert sum(found.counts[0]) == 1 + len(row)


# Fitting.


def fitted(values: Any, outcomes: bool, coder: Coder) -> tuple[Layout, Code]:
    layout, code = fitting.fitted(values, outcomes, coder.count_symbols)
    check_code(code.strides, code.kinds)
    assert all(any(each) for each in code.lengths.tolist())
    return layout, code


@pytest.mark.parametrize("kinds", [1, 2, 3, 242, 2048, 5000])
def test_few_and_many_different_cells(checkers: Endings, kinds: int, tmp_path: Path) -> None:
    rng = random.Random(kinds)
    cells = rng.sample(range(LEAST, GREATEST + 1), kinds)
    rare = [rng.choice(cells[: 1 + kinds // 50]) for _ in range(2 * BLOCK)]
    values = np.array(rng.sample(cells + rare, kinds + len(rare)), np.int16)
    _, code = fitted(values, False, checkers.coder)
    assert sorted(code.kind_cells) == sorted(set(values.tolist()))
    write_table(tmp_path / "t", header_of(values), values, checkers.coder)
    out = np.zeros(len(values), np.int16)
    read_table(TableFile(tmp_path / "t"), out, checkers.coder)
    assert (out == values).all()


@pytest.mark.parametrize("outcomes", [False, True])
@pytest.mark.parametrize("size", [1, 2, 9, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK])
def test_cells_that_stand_for_nothing_take_next_to_nothing(
    checkers: Endings, size: int, outcomes: bool, tmp_path: Path
) -> None:
    """Tables of these, or of one other value."""
    for cell in (UNUSED, 7):
        values = np.full(size, cell, np.int16)
        header = header_of(values, distances=not outcomes)
        write_table(tmp_path / "t", header, values, checkers.coder)
        table, out = TableFile(tmp_path / "t"), np.full(size, 99, np.int16)
        assert table.header.data <= 3 * table.header.blocks
        read_table(table, out, checkers.coder)
        assert cell == UNUSED or (out == (1 if outcomes else 7)).all()


def test_what_repeats_is_found(checkers: Endings) -> None:
    """Random cells with a stride, longer than a block or not, take little more than once."""
    rng = np.random.default_rng(1)
    for stride in (300, 5000):
        once = rng.integers(-9, 9, stride).astype(np.int16)
        values = np.tile(once, 2_000_000 // stride)
        layout, code = fitted(values, False, checkers.coder)
        assert stride in (layout.row, *code.strides)
        assert layout.wide in code.strides or stride in code.strides


def test_classes_make_codes_shorter(checkers: Endings) -> None:
    """What comes next depends on the last cell alone."""
    rng = np.random.default_rng(2)
    cells = [0]
    for step in rng.integers(1, 3, 100_000).tolist():
        cells.append((5 * cells[-1] + step) % 31)
    values = np.array(cells, np.int16)
    trial = fitting.Trial(values, Layout(BLOCK, BLOCK, 1), False, checkers.coder.count_symbols)
    code = trial.code()
    assert len(code.kinds) == 3
    numbers = dict(zip(code.kind_cells.tolist(), code.kind_numbers.tolist(), strict=True))
    length = len(cells) // BLOCK * BLOCK
    found = encoded([numbers[cell] for cell in cells[:length]], BLOCK, code, 1, checkers.coder)
    with_classes = bits_by_counts(np.array(found.counts), len(code.strides))
    with_one = bits_by_counts(np.array(found.counts).sum(0, keepdims=True), len(code.strides))
    assert with_classes < 0.9 * with_one
    assert 8 * len(found.data) < 1.05 * with_classes


# Layouts.


@settings(max_examples=100)
@given(st.integers(1, 3000), st.integers(1, 200), st.integers(1, 60), st.integers(1, 30), st.data())
def test_every_position_has_a_place(
    size: int, row: int, wide: int, deep: int, draw: st.DataObject
) -> None:
    layout = Layout(row, wide, deep)
    values = np.arange(size, dtype=np.int16)
    arranged = layout.arranged(values)
    assert len(arranged) == layout.blocks(size) * layout.length
    assert sorted(arranged[arranged != UNUSED].tolist()) == values.tolist()
    number = draw.draw(st.integers(0, size - 1))
    down, right = divmod(number, row)
    block = down // deep * -(-row // wide) + right // wide
    place = down % deep * wide + right % wide
    part = layout.block(values, block)
    assert part[place] == number
    assert (part == arranged[block * layout.length : (block + 1) * layout.length]).all()
    out = np.zeros(size, np.int16)
    for first, last in layout.portions(size, draw.draw(st.integers(1, 2 * size))):
        layout.put_back(layout.arranged(values[first:last]), out[first:last])
    assert (out == values).all()


@pytest.mark.parametrize("together", [1, PACKED])
def test_layouts_fit(together: int) -> None:
    rng = np.random.default_rng(3)
    for size in (1, 7, 1000, 5000, 300_000):
        for row in (61, 300, 2928):
            values = np.resize(rng.integers(-2, 3, row).astype(np.int16), size)
            for layout in layouts(values, BLOCK * together, together):
                assert layout.length <= BLOCK * together
                assert layout.length % together == 0
                assert layout.blocks(size) * layout.length <= 1.05 * size + BLOCK * together


@given(st.lists(st.sampled_from([UNUSED, -7, -1, 0, 1, 99]), max_size=40))
def test_outcomes_are_packed(values: list[int]) -> None:
    cells = packed_outcomes(np.array(values, np.int16))
    assert len(cells) == -(-len(values) // PACKED)
    assert all(cell == UNUSED or 0 <= cell < 3**PACKED for cell in cells.tolist())
    again = unpacked_outcomes(cells).tolist()[: len(values)]
    expected = [UNUSED if value == UNUSED else int(np.sign(value)) for value in values]
    assert matches(expected, again)


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
        patch.setattr(huffman, "LONGEST_CODE", 3)
        lengths = code_lengths(counts)
    every = product(range(1, 4), repeat=len(counts))
    best = min(cost(counts, each) for each in every if kraft_sum(each, 3) <= 8)
    assert kraft_sum(lengths, 3) <= 8
    assert cost(counts, lengths) == best


def test_as_many_codes_as_there_can_be() -> None:
    lengths = code_lengths([1] * CODES)
    assert set(lengths) == {LONGEST_CODE}
    assert sorted(codes_of(lengths)) == list(range(CODES))


@given(COUNTS)
def test_bits_begin_with_a_code(counts: list[int]) -> None:
    lengths = code_lengths(counts)
    codes = codes_of(lengths)
    for bits, symbol in enumerate(symbols_by_bits(np.array(lengths)).tolist()):
        if symbol < 0:
            assert sum(1 for length in lengths if length) == 1
        else:
            assert bits & (1 << lengths[symbol]) - 1 == codes[symbol]


@pytest.mark.parametrize("lengths", [[0] * 9, [1, 1, 1], [LONGEST_CODE + 1, 1], [1, 2, 3, 3, 11]])
def test_lengths_of_no_code_are_refused(lengths: list[int]) -> None:
    with pytest.raises(ValueError, match="code"):
        symbols_by_bits(np.array(lengths))


@pytest.mark.parametrize(
    ("strides", "kinds"),
    [
        ([0], [[1]]),
        ([-1], [[1]]),
        ([BLOCK + 1], [[1]]),
        ([1] * (MOST_STRIDES + 1), [[1]]),
        ([1], []),
        ([1], [[]]),
        ([1], [[1], [], [2]]),
        ([1], [[1]] * (MOST_CLASSES + 1)),
        ([1], [[UNUSED]]),
        ([1], [[1 << 15]]),
        ([1], [[1 << 40]]),
        ([1], [[1], [2] * (MOST_KINDS // 2 + 1)]),
    ],
)
def test_codes_that_cannot_be_are_refused(strides: list[int], kinds: list[list[int]]) -> None:
    with pytest.raises(ValueError, match=r"^its \w+ are wrong|^it has too many"):
        check_code(strides, kinds)


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
@given(st.binary(max_size=60), codes_of_tables(), st.integers(0, BLOCK), st.data())
def test_bytes_that_are_no_block_are_refused(
    compiled_decode: Callable[..., bool],
    data: bytes,
    code: Code,
    length: int,
    draw: st.DataObject,
) -> None:
    """Whatever is decoded stays where it belongs, and both ways find the same."""
    table = decoding_table(code)
    begin = draw.draw(st.integers(0, len(data)))
    end = draw.draw(st.integers(begin, len(data)))
    plain = [77] * (BLOCK + 9)
    compiled = np.full(BLOCK + 9, 77, np.int16)
    made_sense = decode_block(data, begin, end, table.tolist(), plain, length)
    arrays = (np.frombuffer(data, np.uint8), begin, end, table)
    assert compiled_decode(*arrays, compiled, length) == made_sense
    assert compiled.tolist() == plain
    assert plain[length:] == [77] * (len(plain) - length)
    assert not made_sense or max(plain[:length], default=0) < len(cells_by_number(table))


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


#: What a cell may be.
CELLS = st.one_of(
    st.just(UNUSED), st.sampled_from([0, 1, -1]), st.integers(LEAST, GREATEST), st.integers(-9, 9)
)


@settings(max_examples=60)
@given(
    cells=runs_of_cells(CELLS, 3 * BLOCK),
    distances=st.booleans(),
    of_slice=st.integers(0, 1 << 16),
)
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
    said = ("row", "wide", "deep", "strides", "kinds", "lengths", "data", "index")
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


def test_more_different_values_than_numbers(checkers: Endings, tmp_path: Path) -> None:
    path = tmp_path / "many.endgame"
    values = np.arange(-MOST_KINDS // 2, MOST_KINDS // 2).astype(np.int16)
    out = np.zeros(len(values), np.int16)
    write_table(path, header_of(values), values, checkers.coder)
    read_table(TableFile(path), out, checkers.coder)
    assert (out == values).all()
    many = np.append(values, np.int16(GREATEST))
    with pytest.raises(ThreefoldError, match=r"KvK has 32,769 different values, more than 32,768"):
        write_table(path, header_of(many), many, checkers.coder)
    read_table(TableFile(path), out, checkers.coder)
    assert (out == values).all(), "the file is as it was"


LAYOUTS = [
    Layout(4000, 4000, 1),
    Layout(31, 40, 90),
    Layout(500, 60, 20),
    Layout(80, 5, 300),
    Layout(13_000, 15, 2),
    Layout(26_039, 1000, 1),
    Layout(40_000, 10, 1),
]


@pytest.mark.parametrize("distances", [True, False])
@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_any_layout_is_read(
    checkers: Endings,
    tmp_path: Path,
    layout: Layout,
    distances: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fitting, "layouts", lambda *_: [layout])
    of, values = checkers.slices["KvMK"], checkers.values("KvMK")
    header = replace(checkers.file("KvMK").header, distances=distances)
    write_table(path_of(tmp_path, "KvMK"), header, values, checkers.coder)
    table, out = TableFile(path_of(tmp_path, "KvMK")), np.zeros(of.size, np.int16)
    assert table.header.layout == layout
    read_table(table, out, checkers.coder)
    expected = values if distances else np.sign(values)
    assert (out == expected)[values != UNUSED].all()
    database = Database(checkers.game, tmp_path)
    for number in (*range(0, of.size, 171), of.size - 1):
        assert database.value(checkers.position("KvMK", number)) == expected[number]


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
        if number // table.header.row == block:
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
    ends = np.array(list(accumulate(map(len, blocks))), "<u4").tobytes()
    ends += bytes(-len(ends) % 8)
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
    assert len(blocks) == 4
    for i, j in [(0, 1), (0, 3), (2, 3)]:
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
        {"row": 0},
        {"row": 991, "wide": 991},
        {"row": 1 << 61},
        {"wide": -4},
        {"wide": 31, "deep": 32},
        {"deep": 1 << 40},
        {"deep": 1.5},
        {"strides": [0]},
        {"strides": [1] * 40},
        {"strides": []},
        {"strides": "abc"},
        {"kinds": []},
        {"kinds": [[]]},
        {"kinds": [1, 2]},
        {"kinds": [[1 << 40]]},
        {"kinds": [[5] * 40_000]},
        {"lengths": 5},
        {"lengths": ""},
        {"lengths": "?"},
        {"lengths": "AAAA"},
        {"lengths": base64.b64encode(zlib.compress(bytes(999))).decode()},
        {"lengths": base64.b64encode(zlib.compress(bytes(1 << 24))).decode()},
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
