"""The template of what a net that proposes moves computes for some boards.

A *page* has a row for each channel, in which the cells of all boards follow each other: each board
row by row, with an empty place behind every row and an empty row behind every board. A neighbor in
any direction is then a fixed number of places away, so that a convolution adds up products of long
rows of numbers. A processor does that with its widest instructions, several numbers at once, and
the compiler is allowed to make one instruction of a product and a sum (`Routine`). What lands in
empty places is set to 0 again.

Nothing here depends on a game. `threefold.engine.policy_values` is the driver.
"""

from typing import Any, Final

from threefold.rules.bits import WORD_BITS, lsr

#: Places that are computed together, and the channels for which they are: what is added up then
#: stays in a processor's cache.
BLOCK: Final = 128
CHANNELS: Final = 4


def judge_boards(
    words: Any,
    first_weights: Any,
    plain_weights: Any,
    first_biases: Any,
    block_weights: Any,
    block_biases: Any,
    policy_weights: Any,
    policy_biases: Any,
    value_weights: Any,
    value_biases: Any,
    bits: Any,
    cells: Any,
    inside: Any,
    width: int,
    margin: int,
    seen: Any,
    x: Any,
    y: Any,
    sums: Any,
    policy: Any,
    value: Any,
) -> None:
    """The entry: what the net sees of some boards, through all layers to the policy and value.

    `cells` are the places of each board's cells, and `inside` is 1 there and 0 elsewhere. `seen`,
    `x`, `y`, `policy` and `value` are pages, `sums` is room to add up in.
    """
    boards, size = len(words), len(inside)

    # Step 1. The first layer.
    for board in range(boards):
        write_plain(words[board], plain_weights, first_biases, cells[board], x)
    if len(seen) > 0:
        for board in range(boards):
            write_planes(words[board], bits, cells[board], seen)
        add_layer(seen, first_weights, width, margin, size, inside, sums, x)
    else:
        clip(inside, margin, x)

    # Step 2. The blocks.
    for block in range(0, len(block_weights), 2):
        begin_layer(block_biases[block], margin, size, y)
        add_layer(x, block_weights[block], width, margin, size, inside, sums, y)
        add_biases(block_biases[block + 1], margin, size, x)
        add_layer(y, block_weights[block + 1], width, margin, size, inside, sums, x)

    # Step 3. What the moves and the value are made of.
    begin_layer(policy_biases, margin, size, policy)
    add_layer(x, policy_weights, width, margin, size, inside, sums, policy)
    begin_layer(value_biases, margin, size, value)
    add_layer(x, value_weights, width, margin, size, inside, sums, value)


def write_planes(words: Any, bits: Any, cells: Any, seen: Any) -> None:
    """Write the planes of a board as numbers: `bits` has the bit of each plane and cell."""
    for plane in range(len(seen)):
        for i in range(len(cells)):
            bit = bits[plane, i]
            seen[plane, cells[i]] = lsr(int(words[bit // WORD_BITS]), bit % WORD_BITS) & 1


def write_plain(words: Any, weights: Any, biases: Any, cells: Any, x: Any) -> None:
    """Write what the bits that are in no plane add to every cell of a board, and the biases."""
    first = len(words) - len(weights) // WORD_BITS
    for channel in range(len(x)):
        x[channel, cells[0]] = biases[channel]
    for i in range(len(weights)):
        if lsr(int(words[first + i // WORD_BITS]), i % WORD_BITS) & 1:
            for channel in range(len(x)):
                x[channel, cells[0]] += weights[i, channel]
    for channel in range(len(x)):
        begin = x[channel, cells[0]]
        for i in range(1, len(cells)):
            x[channel, cells[i]] = begin


def begin_layer(biases: Any, margin: int, size: int, out: Any) -> None:
    """Begin a layer with its biases."""
    for channel in range(len(out)):
        for i in range(size):
            out[channel, margin + i] = biases[channel]


def add_biases(biases: Any, margin: int, size: int, out: Any) -> None:
    """Add the biases of a layer to what goes around it."""
    for channel in range(len(out)):
        for i in range(size):
            out[channel, margin + i] += biases[channel]


def clip(inside: Any, margin: int, out: Any) -> None:
    """Set negative numbers and empty places to 0."""
    for channel in range(len(out)):
        for i in range(len(inside)):
            keep(out[channel, margin + i], inside[i], out[channel], margin + i)


def keep(number: float, inside: float, row: Any, place: int) -> None:
    """Write a number, or 0 if it is negative or its place is empty; never hide one that is none."""
    kept = number * inside
    if kept < 0:
        row[place] = 0.0
    else:
        row[place] = kept


def add_layer(
    page: Any,
    weights: Any,
    width: int,
    margin: int,
    size: int,
    inside: Any,
    sums: Any,
    out: Any,
) -> None:
    """Add a layer of a page to another, and clip that.

    Weights are by output, input and neighbor: nine of them, or one, the cell itself. The number of
    outputs is a multiple of `CHANNELS`, and `size` one of `BLOCK`.
    """
    for begin in range(0, size, BLOCK):
        at = margin + begin
        for first in range(0, len(out), CHANNELS):
            for j in range(CHANNELS):
                row = out[first + j, at : at + BLOCK]
                for i in range(BLOCK):
                    sums[j * BLOCK + i] = row[i]
            four = weights[first : first + CHANNELS]
            if weights.shape[2] == 1:
                add_cells(page, four, at, sums)
            else:
                for step in range(3):
                    add_rows(page, four, 3 * step, at + (step - 1) * width - 1, sums)
            mask = inside[begin : begin + BLOCK]
            for j in range(CHANNELS):
                row = out[first + j, at : at + BLOCK]
                for i in range(BLOCK):
                    keep(sums[j * BLOCK + i], mask[i], row, i)


def add_rows(page: Any, weights: Any, neighbor: int, begin: int, sums: Any) -> None:
    """Add three neighbors in a row, of all inputs, to four outputs."""
    for channel in range(len(page)):
        a0, b0, c0, d0 = four_of(weights, channel, neighbor)
        a1, b1, c1, d1 = four_of(weights, channel, neighbor + 1)
        a2, b2, c2, d2 = four_of(weights, channel, neighbor + 2)
        row = page[channel, begin : begin + BLOCK + 2]
        for i in range(BLOCK):
            left, middle, right = row[i], row[i + 1], row[i + 2]
            sums[i] += a0 * left + a1 * middle + a2 * right
            sums[i + BLOCK] += b0 * left + b1 * middle + b2 * right
            sums[i + 2 * BLOCK] += c0 * left + c1 * middle + c2 * right
            sums[i + 3 * BLOCK] += d0 * left + d1 * middle + d2 * right


def add_cells(page: Any, weights: Any, begin: int, sums: Any) -> None:
    """Add the cells themselves, of all inputs, to four outputs."""
    for channel in range(len(page)):
        a, b, c, d = four_of(weights, channel, 0)
        row = page[channel, begin : begin + BLOCK]
        for i in range(BLOCK):
            cell = row[i]
            sums[i] += a * cell
            sums[i + BLOCK] += b * cell
            sums[i + 2 * BLOCK] += c * cell
            sums[i + 3 * BLOCK] += d * cell


def four_of(weights: Any, channel: int, neighbor: int) -> tuple[float, float, float, float]:
    """The weights of an input and neighbor for four outputs."""
    return (
        weights[0, channel, neighbor],
        weights[1, channel, neighbor],
        weights[2, channel, neighbor],
        weights[3, channel, neighbor],
    )


def finish_boards(
    policy: Any,
    value: Any,
    x: Any,
    cells: Any,
    cell_moves: Any,
    cell_weights: Any,
    other_moves: Any,
    other_weights: Any,
    other_biases: Any,
    move_weights: Any,
    move_biases: Any,
    unit_weights: Any,
    unit_biases: Any,
    result_weights: Any,
    result_biases: Any,
    units: Any,
    logits: Any,
    results: Any,
) -> None:
    """The entry: the logits of the moves and of the results, from the last pages."""
    for board in range(len(logits)):
        places, row = cells[board], logits[board]
        if len(cell_moves) > 0:
            for i in range(len(places)):
                total = policy[0, places[i]] * cell_weights[0, 0]
                for channel in range(1, len(cell_weights)):
                    total += policy[channel, places[i]] * cell_weights[channel, 0]
                row[cell_moves[i]] = total
            mean_moves(x, places, other_moves, other_weights, other_biases, row)
        else:
            dense(policy, places, move_weights, move_biases, row)
        dense(value, places, unit_weights, unit_biases, units)
        for j in range(len(result_biases)):
            results[board, j] = result_biases[j]
        for i in range(len(units)):
            if not units[i] <= 0:  # what is no number is not hidden
                for j in range(len(result_biases)):
                    results[board, j] += units[i] * result_weights[i, j]


def mean_moves(x: Any, places: Any, moves: Any, weights: Any, biases: Any, logits: Any) -> None:
    """The logits of moves that are not made on a cell: from the mean of all cells."""
    for j in range(len(moves)):
        logits[moves[j]] = biases[j]
    for channel in range(len(weights)):
        mean = x[channel, places[0]]
        for i in range(1, len(places)):
            mean += x[channel, places[i]]
        mean /= len(places)
        for j in range(len(moves)):
            logits[moves[j]] += mean * weights[channel, j]


def dense(page: Any, places: Any, weights: Any, biases: Any, out: Any) -> None:
    """A layer from all cells of a board: `weights` has a row for each cell and channel."""
    channels = len(weights) // len(places)
    for j in range(len(biases)):
        out[j] = biases[j]
    for i in range(len(places)):
        for channel in range(channels):
            number = page[channel, places[i]]
            if number != 0:
                row = weights[i * channels + channel]
                for j in range(len(biases)):
                    out[j] += number * row[j]
