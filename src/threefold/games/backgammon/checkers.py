"""Where a side's checkers are: counts in two words, and sets of places in one.

Each side numbers the places as it sees them: 0 is borne off, 1 to 24 are the points, 24 the
farthest from home, and 25 is the bar. A side's checkers are counted four bits a place:

    word   low                              high
    bits   48-51  …  8-11  4-7  0-3         48-51  …  8-11  4-7  0-3
    place     12  …     2    1    0            25  …    15   14   13

A set of places is one word with a bit for each: bit 25 is the bar.
"""

BAR = 25
OFF = 0
CHECKERS = 15
#: The points, without the bar and the checkers borne off.
POINTS = (1 << BAR) - 2
#: The points of the own home, 1 to 6.
HOME = (1 << 7) - 2
#: The place at which the second word begins.
_HIGH = 13
#: The lowest bit of every count in a word.
_LANES = 0x1111111111111


def count_at(low: int, high: int, place: int) -> int:
    """How many checkers are on a place."""
    if place < _HIGH:
        return low >> 4 * place & 15
    return high >> 4 * (place - _HIGH) & 15


def low_unit(place: int) -> int:
    """What one checker on a place adds to the first word."""
    return 1 << 4 * place if place < _HIGH else 0


def high_unit(place: int) -> int:
    """What one checker on a place adds to the second word."""
    return 1 << 4 * (place - _HIGH) if place >= _HIGH else 0


def _gather(lanes: int) -> int:
    """Every fourth bit of a word, side by side: the lowest bits of 13 counts as 13 places."""
    lanes = (lanes | lanes >> 3) & 0x0303030303030303
    lanes = (lanes | lanes >> 6) & 0x000F000F000F000F
    lanes = (lanes | lanes >> 12) & 0x000000FF000000FF
    return (lanes | lanes >> 24) & 0x1FFF


def _any(counts: int) -> int:
    counts |= counts >> 1
    return _gather((counts | counts >> 2) & _LANES)


def _several(counts: int) -> int:
    return _gather((counts >> 1 | counts >> 2 | counts >> 3) & _LANES)


def occupied(low: int, high: int) -> int:
    """The places, those borne off apart, with a checker or more."""
    return (_any(low) | _any(high) << _HIGH) & ~1


def held(low: int, high: int) -> int:
    """The places, those borne off apart, with two checkers or more."""
    return (_several(low) | _several(high) << _HIGH) & ~1


def turned(places: int) -> int:
    """A set of points as the other side numbers them: point p becomes 25 - p."""
    places &= POINTS
    places = places >> 1 & 0x55555555 | (places & 0x55555555) << 1
    places = places >> 2 & 0x33333333 | (places & 0x33333333) << 2
    places = places >> 4 & 0x0F0F0F0F | (places & 0x0F0F0F0F) << 4
    places = places >> 8 & 0x00FF00FF | (places & 0x00FF00FF) << 8
    return places >> 22 & 0x3FF | (places & 0xFFFF) << 10
