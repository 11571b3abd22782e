"""Backgammon on the screen: its pictures, its text, and playing it by touching checkers."""

import random
import re
from xml.etree import ElementTree

import pytest

from threefold.errors import BadPosition, IllegalMove
from threefold.games.backgammon import backgammon
from threefold.games.backgammon.drawing import drawing
from threefold.games.backgammon.layout import counts, pips
from threefold.games.backgammon.rendering import rendering
from threefold.games.backgammon.rules import State
from threefold.rules.contract import CHANCE, MAX, MIN
from threefold.rules.records import Touched

pytestmark = pytest.mark.timeout(60)

GAME = backgammon()
OPENING = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"


def random_positions(seed: int, wanted: int) -> list[State]:
    """Positions of random games in which a roll is to be played."""
    rng = random.Random(seed)
    found: list[State] = []
    while len(found) < wanted:
        s = GAME.initial()
        while legal := GAME.moves(s):
            if GAME.player(s) != CHANCE and rng.random() < 0.2:
                found.append(s)
            s = GAME.result(s, rng.choice(legal))
    return rng.sample(found, wanted)


def half_made(s: State, *places: str) -> Touched:
    """What the places touched so far come to."""
    found = GAME.touched(s, places)
    assert found is not None
    return found


def reached(s: State) -> set[int]:
    """The moves that touching places can make, in every order."""
    done: set[int] = set()
    seen: set[tuple[str, tuple[str, ...]]] = set()

    def touch(places: tuple[str, ...]) -> None:
        half = half_made(s, *places)
        if half.move is not None:
            assert not half.next
            done.add(half.move)
            return
        assert half.next, f"stuck after {places} in {GAME.format(s)}"
        if half.picks:
            if (half.drawing, ()) in seen:
                return
            seen.add((half.drawing, ()))
        for place in half.next:
            touch((*places, place))

    touch(())
    return done


def test_touching_checkers_makes_every_legal_play_and_no_other() -> None:
    for s in random_positions(1, 15):
        legal = GAME.moves(s)
        if legal == [0]:
            assert GAME.touched(s, ()) is None
            assert GAME.places(s, 0) == ()
        elif len(legal) < 40:
            assert reached(s) == set(legal), GAME.format(s)


def test_a_play_is_made_step_by_step_and_seen_half_made() -> None:
    s = GAME.parse(OPENING)
    assert half_made(s).picks
    assert half_made(s).next == ["24", "13", "8", "6"]
    assert not half_made(s, "8").picks
    assert half_made(s, "8").next == ["7", "5", "4"]
    half = half_made(s, "8", "5")
    assert half.picks
    assert half.move is None
    after = GAME.parse("XGID=-b---AE-B---eE---c-e----B-:0:0:1:31:0:0:0:0:10")
    assert discs_of(half.drawing) == discs_of(GAME.draw(after))
    assert half.drawing.count('opacity="0.35"') == 1
    assert half_made(s, "8", "5", "6", "5").move == GAME.parse_move(s, "8/5 6/5")
    assert half_made(s, "13", "9").move == GAME.parse_move(s, "13/9")


def test_a_checker_that_may_hit_on_its_way_is_moved_die_by_die() -> None:
    # From 13, 31 may pass 10 or 12; a blot on 12 makes these different plays.
    s = GAME.parse("XGID=-b----E-C---aE---c-e----B-:0:0:1:31:0:0:0:0:10")
    assert half_made(s, "13").next == ["12", "10"]


@pytest.mark.parametrize(
    ("places", "reason"),
    [(("7",), "no checker on '7'"), (("24", "22"), "cannot go to '22'"), (("dice",), "'dice'")],
)
def test_a_wrong_touch_is_refused(places: tuple[str, ...], reason: str) -> None:
    with pytest.raises(IllegalMove, match=reason):
        GAME.touched(GAME.parse(OPENING), places)


def test_o_touches_the_places_that_x_numbers() -> None:
    s = GAME.parse(OPENING.replace(":1:31", ":-1:31"))
    assert half_made(s).next == ["1", "12", "17", "19"]
    assert GAME.places(s, GAME.parse_move(s, "8/5 6/5")) == ("17", "20", "19", "20")


def discs_of(drawn: str) -> list[str]:
    """The checkers of a drawing."""
    return re.findall(r'<circle class="fill-[a-z]+" cx="[^"]+" cy="[^"]+" r="18"/>', drawn)


@pytest.mark.parametrize("cube", [False, True])
def test_every_checker_is_drawn_or_counted(cube: bool) -> None:
    for s in random_positions(5, 20):
        drawn = drawing(cube)(s)
        names = [part.get("data-place") for part in ElementTree.fromstring(drawn).iter()]
        assert {str(point) for point in range(1, 25)} <= set(names)
        assert ("cube" in names) == cube
        shown = len(re.findall(r'<circle class="line-(?:white|black)"[^>]* r="18"/>', drawn))
        stacks = [n for player in (MAX, MIN) for n in counts(s, player)[1:]]
        assert shown == sum(min(n, 5) for n in stacks)
        for count in (n for n in stacks if n > 5):
            assert f">{count}</text>" in drawn
        for player in (MAX, MIN):
            assert f": {pips(s, player)} pips" in drawn


def test_the_picture_says_what_it_shows() -> None:
    s = GAME.parse("XGID=aAaB-CC-----dB---cdA-b---B:1:-1:-1:66:3:2:1:7:10")
    words = ElementTree.fromstring(drawing(True)(s)).findtext("{http://www.w3.org/2000/svg}desc")
    assert words is not None
    for said in (
        "2 on the bar",
        "1 borne off",
        "135 pips",
        "160 pips",
        "Cube 2, O's",
        "match to 7",
    ):
        assert said.lower() in words.lower()


def test_the_board_as_text() -> None:
    s = GAME.parse("XGID=aAaB-CC-----dB---cdA-b---B:1:-1:-1:66:3:2:1:7:10")
    text = rendering(True)(s)
    assert (
        text
        == """\
  12 11 10  9  8  7       6  5  4  3  2  1
+------------------+---+------------------+
| X  .  .  .  O  O | X | X  .  O  .  .  . |  O: 160 pips
| X           O  O | X |       O          |
|             O  O |   |                  |
|                O |   |                  |
|                  |   |                  |
|                  |BAR|                  |  O to play 66
|                  |   |                  |  cube 2, O's
| O                |   |                  |  match to 7: X 3, O 2, Crawford
| O                |   | X  X             |
| O                |   | X  X     X       |
| O  .  .  .  .  . | O | X  X  .  X  O  X |  X: 135 pips, 1 off
+------------------+---+------------------+
  13 14 15 16 17 18      19 20 21 22 23 24"""
    )
    assert max(map(len, text.splitlines())) <= 80


def test_setting_up_a_position() -> None:
    s = GAME.parse(OPENING)
    s = GAME.put(s, "6", "−")
    s = GAME.put(s, "5", "X")
    s = GAME.put(s, "dice", "X")
    s = GAME.put(s, "turn", "1")
    assert GAME.format(s) == "XGID=-b---AD-C---eE---c-e----B-:0:0:-1:32:0:0:0:0:10"
    s = GAME.put(GAME.put(GAME.put(s, "1", "−"), "6", "O"), "dice", "−")
    assert counts(s, MAX)[6] == 0
    assert counts(s, MAX)[0] == 4
    assert counts(s, MIN)[19] == 1


@pytest.mark.parametrize(
    ("place", "piece", "reason"),
    [
        ("3", "X", "all 15 checkers of X are on the board"),
        ("3", "−", "no checker"),
        ("X bar", "O", "for X's checkers"),
        ("X off", "−", "take it from its point"),
    ],
)
def test_an_impossible_set_up_is_refused(place: str, piece: str, reason: str) -> None:
    with pytest.raises(BadPosition, match=reason):
        GAME.put(GAME.parse(OPENING), place, piece)
