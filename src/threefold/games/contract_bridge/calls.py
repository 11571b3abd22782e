"""Calls: their numbers, their texts, and how an auction is kept in a few words.

    0 … 51    cards
    52 … 86   bids: 52 + 5 * (level - 1) + strain, with clubs 0 to no trumps 4
    87 88 89  pass, double, redouble

Bids only go up, so an auction is told by what followed each bid. Seven bits say so, nine bids to a
word:

    bit    0       1 2                    3 4                      5 6
           made    passes before the      passes before the        passes after the last of
                   double, plus 1         redouble, plus 1         bid, double and redouble

The passes before the first bid are counted by themselves.
"""

from collections.abc import Iterable
from typing import Final

from threefold.games.bridge.cards import CARDS, STRAINS
from threefold.rules.text import shorten

LEVELS: Final = 7
BIDS: Final = LEVELS * len(STRAINS)
#: The numbers of calls begin where those of cards end.
FIRST_BID: Final = CARDS
PASS: Final = FIRST_BID + BIDS
DOUBLE: Final = PASS + 1
REDOUBLE: Final = PASS + 2
#: All moves have numbers below this.
MOVES: Final = REDOUBLE + 1

BIDS_A_WORD: Final = 9
BITS_A_BID: Final = 7
#: Of the seven bits of a bid.
MADE: Final = 1
DOUBLED_AT: Final = 1
REDOUBLED_AT: Final = 3
PASSES_AT: Final = 5
TWO_BITS: Final = 3
#: Passes that end an auction: after a bid, and where nobody has bid.
LAST_PASS: Final = 3
ALL_PASS: Final = 4

_WORDS: Final = {PASS: "pass", DOUBLE: "X", REDOUBLE: "XX"}
#: What else people write.
_ALSO: Final = {
    **dict.fromkeys(("P", "PASS", "-", "NB"), PASS),
    **dict.fromkeys(("X", "D", "DBL", "DOUBLE"), DOUBLE),
    **dict.fromkeys(("XX", "R", "RDBL", "REDOUBLE"), REDOUBLE),
}
_SIGNS: Final = str.maketrans("♣♦♥♠♧♢♡♤", "CDHSCDHS")


def bid(level: int, strain: int) -> int:
    """The call that bids so many tricks over six in a strain."""
    return FIRST_BID + len(STRAINS) * (level - 1) + strain


def is_bid(call: int) -> bool:
    """Whether a call is a bid, not pass, double or redouble."""
    return FIRST_BID <= call < PASS


def level_of(call: int) -> int:
    """The level of a bid, 1 to 7."""
    return (call - FIRST_BID) // len(STRAINS) + 1


def strain_of(call: int) -> int:
    """The strain of a bid, clubs 0 to no trumps 4."""
    return (call - FIRST_BID) % len(STRAINS)


def call_text(call: int) -> str:
    """A call as `1S`, `3NT`, `pass`, `X` or `XX`."""
    if is_bid(call):
        return f"{level_of(call)}{STRAINS[strain_of(call)]}"
    return _WORDS[call]


def call_signs(call: int) -> str:
    """A call as players write it: `1♠`."""
    text = call_text(call)
    return text[0] + "♣♦♥♠"[strain_of(call)] if is_bid(call) and strain_of(call) < 4 else text


def read_call(text: str) -> int:
    """The number of a call written `1S`, `1♠`, `3NT`, `3N`, `pass`, `X` or `XX`."""
    plain = text.strip().upper().translate(_SIGNS).replace("\ufe0f", "")
    if plain in _ALSO:
        return _ALSO[plain]
    strain = "NT" if plain[1:] == "N" else plain[1:]
    if len(plain) < 2 or plain[0] not in "1234567" or strain not in STRAINS:
        raise ValueError(
            f"{shorten(text)} is not a call: a bid like 1S or 3NT, pass, X to double or XX to "
            "redouble"
        )
    return bid(int(plain[0]), STRAINS.index(strain))


def calls_of(first_passes: int, words: Iterable[int]) -> list[int]:
    """The calls of an auction, in order, from how it is kept."""
    calls = [PASS] * first_passes
    for number, word in enumerate(words):
        for i in range(BIDS_A_WORD):
            followed = word >> BITS_A_BID * i
            if not followed & MADE:
                continue
            calls.append(FIRST_BID + BIDS_A_WORD * number + i)
            for at, call in ((DOUBLED_AT, DOUBLE), (REDOUBLED_AT, REDOUBLE)):
                if before := followed >> at & TWO_BITS:
                    calls += [PASS] * (before - 1) + [call]
            calls += [PASS] * (followed >> PASSES_AT & TWO_BITS)
    return calls
