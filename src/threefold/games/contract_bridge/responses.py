"""Responses to partner's opening bid, also after an opponent's call in between."""

from collections.abc import Iterator

from threefold.games.contract_bridge.auction import MAJORS, NO_TRUMPS, Auction
from threefold.games.contract_bridge.calls import DOUBLE, PASS, REDOUBLE, bid, level_of, strain_of
from threefold.games.contract_bridge.openings import CLUBS, DIAMONDS, HEARTS, SPADES
from threefold.games.contract_bridge.rule import STAYMAN, TAKEOUT, Rule
from threefold.games.contract_bridge.shows import MOST_POINTS, Range, Shows, suits

_WEAK: Range = (0, 5)
_SLAM: Range = (20, MOST_POINTS)
_SINGLE_RAISE: Range = (6, 9)
_INVITING: Range = (10, 12)
_TO_GAME: Range = (13, 15)
#: For a new suit at the one level, and at the two level.
_NEW_SUIT: Range = (6, MOST_POINTS)
_NEW_SUIT_AT_TWO: Range = (10, MOST_POINTS)


def responses(auction: Auction, opening: int) -> Iterator[Rule]:
    """The rules for partner's opening bid."""
    level, strain = level_of(opening), strain_of(opening)
    if strain == NO_TRUMPS:
        yield from _to_no_trumps(level)
    elif level == 1:
        yield from _slams(strain)
        if auction.right == DOUBLE:
            yield from _over_double(strain)
        yield from _to_a_major(strain) if strain in MAJORS else ()
        yield from _new_suits(auction, strain)
        yield from () if strain in MAJORS else _to_a_minor(strain)
        yield from _no_trumps(auction, strain)
        if auction.their_suits:
            yield Rule(DOUBLE, Shows((11, MOST_POINTS)), "strong", forcing=True, kind=TAKEOUT)
        yield Rule(PASS, Shows((0, 10) if auction.right != PASS else _WEAK))
    elif opening == bid(2, CLUBS):
        yield from _to_two_clubs()
    else:
        yield from _to_a_weak_opening(level, strain)


def _slams(opened: int) -> Iterator[Rule]:
    if opened in MAJORS:
        yield Rule(bid(6, opened), Shows(points=_SLAM, lengths=suits({opened: 3})))
    yield Rule(bid(6, NO_TRUMPS), Shows(_SLAM, balanced=True))


def _to_a_major(major: int) -> Iterator[Rule]:
    fit = suits({major: 3})
    yield Rule(bid(4, major), Shows((3, 9), lengths=suits({major: 5})), "long support")
    yield Rule(bid(2, major), Shows(points=_SINGLE_RAISE, lengths=fit))
    yield Rule(bid(3, major), Shows(points=_INVITING, lengths=fit), "invites")
    yield Rule(bid(4, major), Shows(points=_TO_GAME, lengths=fit))


def _to_a_minor(minor: int) -> Iterator[Rule]:
    long = suits({minor: 5 if minor == CLUBS else 4})
    for level, points in ((2, _SINGLE_RAISE), (3, _INVITING), (5, (14, 16))):
        note = "invites" if level == 3 else ""
        yield Rule(bid(level, minor), Shows(points=points, lengths=long, balanced=False), note)


def _no_trumps(auction: Auction, opened: int) -> Iterator[Rule]:
    stopped = auction.their_stoppers
    yield Rule(bid(2, NO_TRUMPS), Shows((11, 12), balanced=True, stopped=stopped), "invites")
    yield Rule(bid(3, NO_TRUMPS), Shows((13, 17), balanced=True, stopped=stopped))
    yield Rule(bid(1, NO_TRUMPS), Shows((6, 10), stopped=stopped))
    if not auction.their_suits:
        # Whatever is left: hands too good to pass, and not shaped for anything else.
        yield Rule(bid(3, NO_TRUMPS), Shows((13, _SLAM[0] - 1)))
        yield Rule(bid(2, NO_TRUMPS), Shows((10, 12)), "invites")
    elif opened in MAJORS:
        yield Rule(bid(3, NO_TRUMPS), Shows((13, 17), stopped=stopped))


def _new_suits(auction: Auction, opened: int) -> Iterator[Rule]:
    """The longest suit first; of two with four cards the cheaper one."""
    suits_left = [s for s in (3, 2, 1, 0) if s != opened and s not in auction.their_suits]
    at_one = [suit for suit in suits_left if auction.cheapest(suit) == 1]
    for suit in at_one:
        longest = tuple((suit, other, 0) for other in at_one if other != suit)
        shows = Shows(points=_NEW_SUIT, lengths=suits({suit: 5}), longer=longest)
        yield Rule(bid(1, suit), shows, "forcing", forcing=True)
    for suit in reversed(at_one):
        if suit in MAJORS:
            shows = Shows(points=_NEW_SUIT, lengths=suits({suit: 4}))
            yield Rule(bid(1, suit), shows, "forcing", forcing=True)
    yield from _takeout(auction, opened)
    at_two = [suit for suit in suits_left if auction.cheapest(suit) == 2]
    for suit in at_two:
        longest = tuple((suit, other, 0) for other in at_two if other != suit)
        length = 5 if suit in MAJORS or auction.right != PASS else 4
        shows = Shows(points=_NEW_SUIT_AT_TWO, lengths=suits({suit: length}), longer=longest)
        yield Rule(bid(2, suit), shows, "forcing", forcing=True)
    for suit in at_one:
        if suit not in MAJORS:
            shows = Shows(points=_NEW_SUIT, lengths=suits({suit: 4}))
            yield Rule(bid(1, suit), shows, "forcing", forcing=True)


def _takeout(auction: Auction, opened: int) -> Iterator[Rule]:
    """The double of an overcall, for the majors that nobody has bid."""
    unbid = [suit for suit in MAJORS if suit not in {opened, *auction.their_suits}]
    if auction.their_suits and unbid and auction.standing < bid(3, CLUBS):
        shows = Shows((8, MOST_POINTS), lengths=suits(dict.fromkeys(unbid, 4)))
        yield Rule(DOUBLE, shows, "for the unbid majors", forcing=True, kind=TAKEOUT)


def _over_double(opened: int) -> Iterator[Rule]:
    yield Rule(REDOUBLE, Shows((10, MOST_POINTS), lengths=suits({opened: (0, 2)})), "strong")


def _to_no_trumps(level: int) -> Iterator[Rule]:
    """After one no trump with 15 to 17 points, or two with 20 or 21."""
    # By these many points, two no trumps is the stronger opening.
    more = 5 * (level - 1)
    ask = bid(level + 1, CLUBS)
    for major in MAJORS:
        six = suits({major: 6})
        yield Rule(bid(6, major), Shows(points=(18 - more, 21 - more), lengths=six))
        yield Rule(bid(4, major), Shows(points=(10 - more, 17 - more), lengths=six), "to play")
    yield Rule(bid(7, NO_TRUMPS), Shows((22 - more, MOST_POINTS)))
    yield Rule(bid(6, NO_TRUMPS), Shows((18 - more, 21 - more), balanced=True))
    for major in MAJORS:
        shows = Shows((10 - more, MOST_POINTS), lengths=suits({major: 5}))
        yield Rule(bid(3, major), shows, "forcing", forcing=True)
    for major in MAJORS:
        shows = Shows((8 - more if level == 1 else 4, MOST_POINTS), lengths=suits({major: (4, 4)}))
        yield Rule(ask, shows, "asks for a major", forcing=True, kind=STAYMAN)
    if level == 1:
        for suit in (SPADES, HEARTS, DIAMONDS):
            yield Rule(bid(2, suit), Shows((0, 7), lengths=suits({suit: 5})), "to play")
        yield Rule(bid(2, NO_TRUMPS), Shows((8, 9)), "invites")
    yield Rule(bid(3, NO_TRUMPS), Shows((10 if level == 1 else 4, 17 - more)))
    yield Rule(bid(6, NO_TRUMPS), Shows((18 - more, MOST_POINTS)))
    yield Rule(PASS, Shows((0, 7 if level == 1 else 3)))


def _to_two_clubs() -> Iterator[Rule]:
    good = (8, MOST_POINTS)
    for suit, level in ((SPADES, 2), (HEARTS, 2), (DIAMONDS, 3), (CLUBS, 3)):
        shows = Shows(good, lengths=suits({suit: 5}))
        yield Rule(bid(level, suit), shows, "forcing to game", forcing=True)
    yield Rule(bid(2, NO_TRUMPS), Shows(good, balanced=True), "forcing to game", forcing=True)
    yield Rule(bid(2, DIAMONDS), Shows(), "waiting", forcing=True)


def _to_a_weak_opening(level: int, suit: int) -> Iterator[Rule]:
    support = 9 - (level + 4)
    if suit in MAJORS:
        yield Rule(bid(4, suit), Shows((16, MOST_POINTS), lengths=suits({suit: support - 1})))
        yield Rule(bid(4, suit), Shows((8, 15), lengths=suits({suit: support + 1})), "long support")
    else:
        shows = Shows((17, MOST_POINTS), lengths=suits({HEARTS: (2, 4), SPADES: (2, 4)}))
        yield Rule(bid(3, NO_TRUMPS), shows)
    if level == 2:
        yield Rule(bid(3, suit), Shows((6, 15), lengths=suits({suit: support})), "obstructs")
        for major in MAJORS:
            if major != suit:
                shows = Shows((16, MOST_POINTS), lengths=suits({major: 5}))
                new = bid(2 if major > suit else 3, major)
                yield Rule(new, shows, "forcing", forcing=True)
        yield Rule(bid(3, NO_TRUMPS), Shows((17, MOST_POINTS), balanced=True))
    yield Rule(PASS, Shows((0, 16)))
