"""Later calls: both partners add up what they have and what the other one has shown.

Together 25 points make a game, 33 a small slam, 37 a grand slam, and eight cards of a suit are
enough for trumps. With a fit in a major it is played there, otherwise in no trumps.
"""

from collections.abc import Iterator

from threefold.games.contract_bridge.auction import (
    MAJORS,
    MINORS,
    NO_TRUMPS,
    Auction,
    is_game,
)
from threefold.games.contract_bridge.calls import DOUBLE, PASS, bid, is_bid, level_of, strain_of
from threefold.games.contract_bridge.rule import NO_CLUE, Rule
from threefold.games.contract_bridge.shows import MOST_POINTS, Range, Shows, suits

_GAME = 25
_MINOR_GAME = 28
_SMALL_SLAM = 33
_GRAND_SLAM = 37
#: Cards of a suit in both hands that make it trumps.
_FIT = 8
#: A wide range of partner's is taken to be this much above its least.
_MORE_THAN_LEAST = 3
#: With this many points together, and no game of ours, the opponents have bid too much.
_TOO_HIGH = 24
_PENALTY_LEVEL = 4


def judging(auction: Auction, partner: Rule | None, shown: Shows, mine: Shows) -> Iterator[Rule]:
    """The rules once partner has shown something, or nothing."""
    forced = partner is not None and partner.forcing and auction.right == PASS
    expected = _expected(shown)
    standing = auction.standing
    if auction.ours and is_game(standing) and not forced:
        yield from _slams(auction, shown, expected)
        yield Rule(PASS, Shows(points=(0, _SMALL_SLAM - expected)))
        return
    yield from _slams(auction, shown, expected)
    yield from _majors(auction, shown, expected, forced)
    yield from _no_trumps(auction, shown, expected)
    yield from _own_suit(auction, mine, expected)
    yield from _minors(shown, expected)
    yield from _compete(auction, shown)
    if not auction.ours and level_of(standing) >= _PENALTY_LEVEL and is_bid(standing):
        enough = max(_TOO_HIGH + 2 - expected, 8)
        yield Rule(DOUBLE, Shows((enough, MOST_POINTS)), "for a penalty")
    if forced:
        yield from _something(auction, shown, mine)
        return
    if auction.ours:
        yield from _preference(auction, shown)
    yield Rule(PASS, Shows(points=(0, max(_GAME - 1 - expected, 0))))


def _expected(shown: Shows) -> int:
    """The points that partner is taken to have."""
    least, most = shown.expected
    return min((least + most + 1) // 2, least + _MORE_THAN_LEAST)


def _need(shown: Shows, suit: int) -> int:
    """How many cards of a suit make a fit with partner's."""
    return max(_FIT - shown.length(suit)[0], 1)


def _fits(shown: Shows, among: tuple[int, ...]) -> list[int]:
    """Suits that partner has some of, the longest first."""
    some = [suit for suit in among if shown.length(suit)[0] >= 2]
    return sorted(some, key=lambda suit: -shown.length(suit)[0])


def _least(together: int, expected: int) -> Range:
    return max(together - expected, 0), MOST_POINTS


def _slams(auction: Auction, shown: Shows, expected: int) -> Iterator[Rule]:
    least = shown.expected[0]
    for together, level in ((_GRAND_SLAM, 7), (_SMALL_SLAM, 6)):
        points = _least(together, min(expected, least + 1))
        for suit in _fits(shown, MAJORS):
            shows = Shows(points=points, lengths=suits({suit: _need(shown, suit)}))
            yield Rule(bid(level, suit), shows)
        yield Rule(bid(level, NO_TRUMPS), Shows(points, stopped=auction.their_stoppers))


def _majors(auction: Auction, shown: Shows, expected: int, forced: bool) -> Iterator[Rule]:
    most = shown.expected[1]
    for suit in _fits(shown, MAJORS):
        fit = suits({suit: _need(shown, suit)})
        yield Rule(bid(4, suit), Shows(points=_least(_GAME, expected), lengths=fit))
        agreed = auction.standing == bid(2, suit) and auction.ours
        inviting = _inviting(expected, most)
        cheapest = auction.cheapest(suit)
        if inviting is not None and cheapest <= 3:
            yield Rule(bid(3, suit), Shows(points=inviting, lengths=fit), "invites")
        if forced and not agreed and cheapest <= 3:
            yield Rule(bid(cheapest, suit), Shows(lengths=fit))


def _inviting(expected: int, most: int) -> Range | None:
    """The points with which a game depends on partner's; none if partner has told all."""
    least = max(_GAME - most, _GAME - expected - 2, 0)
    return (least, _GAME - expected - 1) if least < _GAME - expected else None


def _no_trumps(auction: Auction, shown: Shows, expected: int) -> Iterator[Rule]:
    stopped = auction.their_stoppers
    points = max(_GAME - expected, 0), MOST_POINTS
    yield Rule(bid(3, NO_TRUMPS), Shows(points, stopped=stopped))
    inviting = _inviting(expected, shown.expected[1])
    if inviting is not None:
        shows = Shows(inviting, stopped=stopped)
        yield Rule(bid(2, NO_TRUMPS), shows, "invites")


def _own_suit(auction: Auction, mine: Shows, expected: int) -> Iterator[Rule]:
    """A suit that was bid before, with six cards."""
    for suit in MAJORS:
        if mine.length(suit)[0] < 4:
            continue
        six = suits({suit: 6})
        yield Rule(bid(4, suit), Shows(points=_least(_GAME, expected), lengths=six))
        cheapest = auction.cheapest(suit)
        if cheapest == 2:
            game = max(_GAME - expected, 0)
            yield Rule(bid(3, suit), Shows(points=(game - 2, game - 1), lengths=six), "invites")
            yield Rule(bid(2, suit), Shows(points=(0, game - 3), lengths=six))


def _minors(shown: Shows, expected: int) -> Iterator[Rule]:
    for suit in _fits(shown, MINORS):
        if shown.length(suit)[0] < 3:
            continue
        fit = suits({suit: _need(shown, suit)})
        points = _least(_MINOR_GAME, expected)
        yield Rule(bid(5, suit), Shows(points=points, lengths=fit, balanced=False))


def _compete(auction: Auction, shown: Shows) -> Iterator[Rule]:
    """Bid as high as we have trumps against an opponent's contract: nine for three."""
    if auction.ours or auction.standing == PASS:
        return
    for suit in (*MAJORS, *MINORS):
        level = auction.cheapest(suit)
        if level <= 3 and shown.length(suit)[0] >= 4:
            need = max(level + 6 - shown.length(suit)[0], 3)
            least = 5 if level < 3 else 7
            shows = Shows(points=(least, MOST_POINTS), lengths=suits({suit: need}))
            yield Rule(bid(level, suit), shows)


def _preference(auction: Auction, shown: Shows) -> Iterator[Rule]:
    """Back to the longer of partner's suits, where the bid that stands is the other one."""
    now = strain_of(auction.standing)
    if auction.standing != auction.partners[-1] or now == NO_TRUMPS:
        return
    for suit in _fits(shown, (3, 2, 1, 0)):
        known = shown.length(suit)[0] - shown.length(now)[0]
        if suit != now and auction.cheapest(suit) <= 2 and shown.length(suit)[0] >= 4:
            shows = Shows(lengths=suits({suit: 2}), longer=((suit, now, -known),))
            yield Rule(bid(auction.cheapest(suit), suit), shows, "prefers this suit")


def _something(auction: Auction, shown: Shows, mine: Shows) -> Iterator[Rule]:
    """What to call with nothing to say, when partner must not be passed."""
    for suit in _fits(shown, (3, 2, 1, 0)):
        level = auction.cheapest(suit)
        if level <= 3 and shown.length(suit)[0] >= 3:
            yield Rule(bid(level, suit), Shows(lengths=suits({suit: 3})))
    for suit in (3, 2, 1, 0):
        level = auction.cheapest(suit)
        if level <= 3 and mine.length(suit)[0] >= 3:
            yield Rule(bid(level, suit), Shows(lengths=suits({suit: 5})))
    if auction.cheapest(NO_TRUMPS) <= 3:
        yield Rule(bid(auction.cheapest(NO_TRUMPS), NO_TRUMPS), Shows(), kind=NO_CLUE)
    best = max(range(4), key=lambda suit: shown.length(suit)[0])
    yield Rule(bid(min(auction.cheapest(best), 7), best), Shows(), kind=NO_CLUE)
