"""The first call against an opponent's bid, and the answer to partner's takeout double."""

from collections.abc import Iterator

from threefold.games.contract_bridge.auction import MAJORS, NO_TRUMPS, Auction
from threefold.games.contract_bridge.calls import DOUBLE, PASS, bid, is_bid, level_of, strain_of
from threefold.games.contract_bridge.rule import TAKEOUT, Rule
from threefold.games.contract_bridge.shows import MOST_POINTS, Range, Shows, suits

_OVERCALL: Range = (8, 16)
_OVERCALL_AT_TWO: Range = (11, 16)
_OVERCALL_AT_THREE: Range = (13, 17)
_JUMP: Range = (5, 9)
_NO_TRUMPS: Range = (15, 18)
_TAKEOUT: Range = (12, MOST_POINTS)
_TOO_STRONG: Range = (17, MOST_POINTS)
#: From this level on, doubles of the opponents' bids are no longer for takeout.
_HIGH = 4


def competing(auction: Auction) -> Iterator[Rule]:
    """The rules where only opponents have bid so far."""
    standing = auction.standing
    if level_of(standing) >= _HIGH:
        yield Rule(DOUBLE, Shows((18, MOST_POINTS)), "strong")
        yield Rule(PASS, Shows((0, 17)))
        return
    if strain_of(standing) == NO_TRUMPS:
        yield from _against_no_trumps(auction)
        return
    theirs = auction.their_suits
    stopped = auction.their_stoppers
    free = [suit for suit in (3, 2, 1, 0) if suit not in theirs]
    one = level_of(standing) == 1
    level = auction.cheapest(NO_TRUMPS)
    strength = _NO_TRUMPS if one else (16, 19)
    if level <= 3:
        shows = Shows(strength, balanced=True, stopped=stopped)
        yield Rule(bid(level, NO_TRUMPS), shows)
    yield Rule(DOUBLE, Shows(_TOO_STRONG), "strong, or takeout", forcing=True, kind=TAKEOUT)
    for suit in free:
        level = auction.cheapest(suit)
        if level <= 3:
            points = (_OVERCALL, _OVERCALL_AT_TWO, _OVERCALL_AT_THREE)[level - 1]
            longest = tuple((suit, other, 0) for other in free if other != suit)
            shows = Shows(points, lengths=suits({suit: 5 if level < 3 else 6}), longer=longest)
            yield Rule(bid(level, suit), shows)
    if one:
        for suit in free:
            level = auction.cheapest(suit) + 1
            length = 6 if level == 2 else 7
            yield Rule(bid(level, suit), Shows(_JUMP, lengths=suits({suit: length})), "weak")
    short = dict.fromkeys(theirs, (0, 2)) | dict.fromkeys(free, (3, 13))
    enough = _TAKEOUT if one else (13, MOST_POINTS)
    yield Rule(DOUBLE, Shows(enough, lengths=suits(short)), "takeout", True, TAKEOUT)
    yield Rule(PASS, Shows((0, 16)))


def _against_no_trumps(auction: Auction) -> Iterator[Rule]:
    level = level_of(auction.standing)
    if level == 1:
        yield Rule(DOUBLE, Shows((16, MOST_POINTS)), "strong")
        for suit in (3, 2, 1, 0):
            shows = Shows((9, 15), lengths=suits({suit: 6}))
            yield Rule(bid(2, suit), shows)
    yield Rule(PASS, Shows((0, 15)))


def advances(auction: Auction) -> Iterator[Rule]:
    """The answer to a takeout double."""
    theirs = auction.their_suits
    free = [suit for suit in (3, 2, 1, 0) if suit not in theirs]
    pushed = is_bid(auction.right)
    stopped = auction.their_stoppers
    majors = [suit for suit in MAJORS if suit in free]
    for suit in majors:
        shows = Shows(points=(12, MOST_POINTS), lengths=suits({suit: 4}))
        yield Rule(bid(4, suit), shows)
    yield Rule(bid(3, NO_TRUMPS), Shows((13, MOST_POINTS), stopped=stopped))
    for suit in free:
        level, longest = auction.cheapest(suit), _longest(suit, free)
        if level < 3:
            shows = Shows(points=(9, 11), lengths=suits({suit: 4}), longer=longest)
            yield Rule(bid(level + 1, suit), shows, "invites")
    if auction.cheapest(NO_TRUMPS) == 1:
        yield Rule(bid(1, NO_TRUMPS), Shows((6, 10), lengths=_short(majors), stopped=stopped))
    yield Rule(bid(2, NO_TRUMPS), Shows((11, 12), lengths=_short(majors), stopped=stopped))
    if not pushed and theirs:
        trumps = suits({theirs[-1]: 6})
        yield Rule(PASS, Shows((6, 11), lengths=trumps), "to play for a penalty")
    for suit in free:
        level, longest = auction.cheapest(suit), _longest(suit, free)
        least = 6 if pushed else 0
        if level <= 3 or not pushed:
            shows = Shows(points=(least, MOST_POINTS), lengths=suits({suit: 3}), longer=longest)
            yield Rule(bid(level, suit), shows)
    yield Rule(PASS, Shows(points=(0, 5)))


def _longest(suit: int, free: list[int]) -> tuple[tuple[int, int, int], ...]:
    return tuple((suit, other, 0) for other in free if other != suit)


def _short(majors: list[int]) -> tuple[Range, Range, Range, Range]:
    return suits(dict.fromkeys(majors, (0, 3)))
