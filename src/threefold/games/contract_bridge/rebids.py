"""The opener's second call, once partner has answered."""

from collections.abc import Iterator

from threefold.games.contract_bridge.auction import MAJORS, NO_TRUMPS, Auction
from threefold.games.contract_bridge.calls import DOUBLE, PASS, bid, is_bid, level_of, strain_of
from threefold.games.contract_bridge.openings import CLUBS, DIAMONDS, HEARTS, SPADES
from threefold.games.contract_bridge.rule import STAYMAN, TAKEOUT, Rule
from threefold.games.contract_bridge.shows import MOST_POINTS, Range, Shows, suits

_MINIMUM: Range = (12, 15)
_MIDDLE: Range = (16, 18)
_STRONG: Range = (19, 24)
_NO_REVERSE: Range = (12, 18)
_REVERSE: Range = (17, 24)
#: Balanced hands that were too weak, or too strong, for one no trump.
_WEAK_BALANCED: Range = (11, 14)
_STRONG_BALANCED: Range = (18, 19)


def rebids(auction: Auction, opening: int, answer: int, partner: Rule | None) -> Iterator[Rule]:
    """The rules for the opener; `partner` is the rule of the answer, if it has one."""
    opened = strain_of(opening)
    if opened == NO_TRUMPS:
        if partner is not None and partner.kind == STAYMAN:
            yield from _stayman(level_of(opening))
    elif opening == bid(2, CLUBS):
        yield from _strong(auction, answer)
    elif level_of(opening) > 1:
        # A weak opening has told all, unless partner forces.
        if partner is None or not partner.forcing:
            yield Rule(PASS, Shows())
    elif answer == PASS and not auction.ours:
        yield from _reopening(auction, opened)
    elif not is_bid(answer) or auction.right != PASS:
        return
    elif strain_of(answer) == NO_TRUMPS and level_of(answer) == 1:
        yield from _after_one_no_trump(auction, opened)
    elif strain_of(answer) not in {opened, NO_TRUMPS}:
        if level_of(answer) == 1:
            yield from _after_a_suit(auction, opened, strain_of(answer))
        else:
            yield from _after_two_over_one(auction, opened, strain_of(answer))


def _stayman(level: int) -> Iterator[Rule]:
    for major in (HEARTS, SPADES):
        yield Rule(bid(level + 1, major), Shows(lengths=suits({major: 4})))
    no_major = suits({HEARTS: (2, 3), SPADES: (2, 3)})
    yield Rule(bid(level + 1, DIAMONDS), Shows(lengths=no_major), "no major")


def _strong(auction: Auction, answer: int) -> Iterator[Rule]:
    """After two clubs and an answer."""
    waiting = answer == bid(2, DIAMONDS)
    if waiting:
        yield Rule(bid(2, NO_TRUMPS), Shows((22, 24), balanced=True))
        yield Rule(bid(3, NO_TRUMPS), Shows((25, 27), balanced=True))
    elif strain_of(answer) in MAJORS:
        raised = bid(level_of(answer) + 1, strain_of(answer))
        yield Rule(raised, Shows(lengths=suits({strain_of(answer): 3})), "forcing", forcing=True)
    for suit in (SPADES, HEARTS, DIAMONDS, CLUBS):
        longest = tuple((suit, other, 0) for other in range(4) if other != suit)
        shows = Shows(lengths=suits({suit: 5}), longer=longest)
        yield Rule(bid(auction.cheapest(suit), suit), shows, "forcing", forcing=True)
    yield Rule(bid(auction.cheapest(NO_TRUMPS), NO_TRUMPS), Shows(), "no long suit")


def _after_a_suit(auction: Auction, opened: int, answered: int) -> Iterator[Rule]:
    """After a new suit at the one level."""
    if answered in MAJORS:
        four = suits({answered: 4})
        yield Rule(bid(4, answered), Shows(points=_STRONG, lengths=four))
        yield Rule(bid(3, answered), Shows(points=_MIDDLE, lengths=four), "invites")
        yield Rule(bid(2, answered), Shows(points=_MINIMUM, lengths=four))
    yield from _jumps(auction, opened, answered)
    for suit in MAJORS[::-1]:
        if suit > answered and suit != opened and auction.cheapest(suit) == 1:
            yield Rule(bid(1, suit), Shows(points=_NO_REVERSE, lengths=suits({suit: 4})))
    yield Rule(bid(2, NO_TRUMPS), Shows(_STRONG_BALANCED, balanced=True))
    yield Rule(bid(1, NO_TRUMPS), Shows(_WEAK_BALANCED, balanced=True))
    yield from _second_suit(auction, opened, answered)
    yield from _own_suit(opened)
    yield Rule(bid(1, NO_TRUMPS), Shows(points=_MINIMUM))
    yield Rule(bid(2, NO_TRUMPS), Shows(points=(16, 24)), "nothing better")


def _jumps(auction: Auction, opened: int, answered: int) -> Iterator[Rule]:
    """With a long suit and more than a minimum; with a second suit and far more."""
    six = suits({opened: 6})
    if opened in MAJORS:
        yield Rule(bid(4, opened), Shows(points=_STRONG, lengths=six))
    yield Rule(bid(3, opened), Shows(points=_MIDDLE, lengths=six), "invites")
    for suit in (3, 2, 1, 0):
        if suit not in {opened, answered} and auction.cheapest(suit) <= 2:
            level = auction.cheapest(suit) + 1
            shows = Shows(points=_STRONG, lengths=suits({suit: 4}), balanced=False)
            if level <= 3 and bid(level, suit) < bid(3, NO_TRUMPS):
                yield Rule(bid(level, suit), shows, "forcing to game", forcing=True)


def _second_suit(auction: Auction, opened: int, answered: int) -> Iterator[Rule]:
    for suit in (3, 2, 1, 0):
        if suit in {opened, answered} or auction.cheapest(suit) != 2:
            continue
        if suit > opened:
            lengths = suits({suit: 4, opened: 5})
            yield Rule(bid(2, suit), Shows(points=_REVERSE, lengths=lengths), "forcing", True)
        else:
            yield Rule(bid(2, suit), Shows(points=_NO_REVERSE, lengths=suits({suit: 4})))


def _own_suit(opened: int) -> Iterator[Rule]:
    yield Rule(bid(2, opened), Shows(points=_MINIMUM, lengths=suits({opened: 6})))
    yield Rule(bid(2, opened), Shows(points=_MINIMUM, lengths=suits({opened: 5}), balanced=False))


def _reopening(auction: Auction, opened: int) -> Iterator[Rule]:
    """Partner has passed an opponent's bid."""
    stopped = auction.their_stoppers
    yield Rule(
        bid(auction.cheapest(NO_TRUMPS), NO_TRUMPS),
        Shows(_STRONG_BALANCED, balanced=True, stopped=stopped),
    )
    if auction.standing < bid(3, CLUBS):
        six = suits({opened: 6})
        level = auction.cheapest(opened)
        yield Rule(bid(level + 1, opened), Shows(points=_STRONG, lengths=six), "invites")
        yield Rule(DOUBLE, Shows((17, MOST_POINTS)), "takeout", forcing=True, kind=TAKEOUT)
        yield Rule(bid(level, opened), Shows(points=(13, 18), lengths=six))
    yield Rule(PASS, Shows((0, 17)))


def _after_one_no_trump(auction: Auction, opened: int) -> Iterator[Rule]:
    yield from _jumps(auction, opened, NO_TRUMPS)
    yield Rule(bid(3, NO_TRUMPS), Shows(_STRONG_BALANCED, balanced=True))
    yield Rule(bid(2, NO_TRUMPS), Shows((17, 17), balanced=True), "invites")
    yield Rule(PASS, Shows((11, 16), balanced=True))
    yield from _second_suit(auction, opened, NO_TRUMPS)
    yield from _own_suit(opened)
    yield Rule(bid(2, opened), Shows(points=_MINIMUM, lengths=suits({opened: 5})))
    yield Rule(bid(2, NO_TRUMPS), Shows(points=(16, 24)))


def _after_two_over_one(auction: Auction, opened: int, answered: int) -> Iterator[Rule]:
    """Partner has ten points or more, and a suit."""
    support = 3 if answered in MAJORS else 4
    fit = suits({answered: support})
    if answered in MAJORS:
        yield Rule(bid(4, answered), Shows(points=(15, 24), lengths=fit))
        yield Rule(bid(3, answered), Shows(points=(12, 14), lengths=fit))
    six = suits({opened: 6})
    yield Rule(bid(3, opened), Shows(points=(16, 24), lengths=six), "forcing", forcing=True)
    yield Rule(bid(3, NO_TRUMPS), Shows((15, 19), balanced=True))
    yield Rule(bid(2, NO_TRUMPS), Shows((11, 14), balanced=True))
    yield Rule(bid(2, opened), Shows(points=_MINIMUM, lengths=six))
    for suit in (3, 2, 1, 0):
        if suit not in {opened, answered} and auction.cheapest(suit) == 2:
            points = _REVERSE if suit > opened else (12, MOST_POINTS)
            shows = Shows(points=points, lengths=suits({suit: 4}))
            yield Rule(bid(2, suit), shows, "forcing", forcing=True)
    yield Rule(bid(3, answered), Shows(points=(12, MOST_POINTS), lengths=fit), "", forcing=True)
    for suit in (1, 0):
        if suit not in {opened, answered} and auction.cheapest(suit) == 3:
            shows = Shows(points=(15, MOST_POINTS), lengths=suits({suit: 4}))
            yield Rule(bid(3, suit), shows, "forcing", forcing=True)
    yield Rule(bid(2, opened), Shows(points=_MINIMUM, lengths=suits({opened: 5})))
    yield Rule(bid(3, opened), Shows(points=(16, 24), lengths=suits({opened: 5})), "", True)
    yield Rule(bid(2, NO_TRUMPS), Shows(points=(12, 14)))
    yield Rule(bid(3, NO_TRUMPS), Shows(points=(15, 24)))
