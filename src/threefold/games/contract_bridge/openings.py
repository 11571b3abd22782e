"""Opening bids: the first bid of an auction."""

from collections.abc import Iterator
from dataclasses import replace

from threefold.games.contract_bridge.auction import MAJORS, NO_TRUMPS
from threefold.games.contract_bridge.calls import PASS, bid
from threefold.games.contract_bridge.rule import Rule
from threefold.games.contract_bridge.shows import MOST_POINTS, Range, Shows, suits

CLUBS, DIAMONDS, HEARTS, SPADES = range(4)
#: What an opening of one in a suit shows.
OPENING: Range = (12, 24)
_LEAST_HCP = 10
_TWO_CLUBS = 22
_ONE_NO_TRUMP: Range = (15, 17)
_TWO_NO_TRUMPS: Range = (20, 21)
_WEAK: Range = (5, 9)


def openings() -> Iterator[Rule]:
    """The rules before anyone has bid."""
    one = Shows((_LEAST_HCP, _TWO_CLUBS - 1), OPENING)
    no_major = suits({HEARTS: (2, 4), SPADES: (2, 4)})
    yield Rule(bid(2, CLUBS), Shows((_TWO_CLUBS, MOST_POINTS)), "strong, forcing", forcing=True)
    yield Rule(bid(2, NO_TRUMPS), Shows(_TWO_NO_TRUMPS, balanced=True))
    yield Rule(bid(1, NO_TRUMPS), Shows(_ONE_NO_TRUMP, lengths=no_major, balanced=True))
    for major, other in ((SPADES, HEARTS), (HEARTS, SPADES)):
        longer = tuple((major, suit, 0) for suit in (other, DIAMONDS, CLUBS))
        yield Rule(bid(1, major), replace(one, lengths=suits({major: 5}), longer=longer))
    yield Rule(
        bid(1, DIAMONDS),
        replace(one, lengths=suits({DIAMONDS: 4}), longer=((DIAMONDS, CLUBS, 0),)),
    )
    yield Rule(
        bid(1, CLUBS), replace(one, lengths=suits({CLUBS: 3}), longer=((CLUBS, DIAMONDS, 0),))
    )
    yield Rule(bid(1, DIAMONDS), replace(one, lengths=suits({DIAMONDS: 3})))
    for suit in MAJORS:
        yield Rule(bid(4, suit), Shows(_WEAK, lengths=suits({suit: 8})), "weak")
    for suit in (SPADES, HEARTS, DIAMONDS, CLUBS):
        yield Rule(bid(3, suit), Shows(_WEAK, lengths=suits({suit: 7})), "weak")
    for suit in (SPADES, HEARTS, DIAMONDS):
        yield Rule(bid(2, suit), Shows(_WEAK, lengths=suits({suit: (6, 6)})), "weak")
    yield Rule(PASS, Shows((0, OPENING[0] - 1)))
