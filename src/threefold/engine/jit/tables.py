"""Tables of the rules: long tuples of integers, which compile faster as arrays."""

from typing import Any

import numpy as np

from threefold.rules.text import is_record

#: A tuple of integers longer than this becomes an array, which compiles in a fraction of the time;
LONGEST_TUPLE = 16
#: a nested one only later, because the rows of an array cannot be unpacked by `for x, y in …`.
LONGEST_NESTED_TUPLE = 256


def table(value: Any) -> Any:
    """Turn a long table into an array."""
    return np.array(value, np.int64) if is_long_table(value) else value


def is_long_table(value: Any) -> bool:
    """Whether a value is a tuple of enough integers that an array is better."""
    if not isinstance(value, tuple) or is_record(value):
        return False
    if len(value) > LONGEST_TUPLE and all(type(item) is int for item in value):
        return True
    if value and all(isinstance(row, tuple) for row in value):
        items = [item for row in value for item in row]
        rectangular = len({len(row) for row in value}) == 1
        return len(items) > LONGEST_NESTED_TUPLE and rectangular and {*map(type, items)} == {int}
    return False
