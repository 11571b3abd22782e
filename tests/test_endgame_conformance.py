"""`conformance` passes good numberings of end-games, and finds and names what is wrong with others.

The game has two heaps; a move takes one, two or three stones from one of them, and who takes the
last stone wins. A slice has all positions with the same number of stones, and heaps that are
exchanged are the same position. A field counts the plies.
"""

import random
from dataclasses import replace
from typing import Any, NamedTuple

import pytest

from threefold import CHANCE, Game, conformance, game
from threefold.engine.compile import Compiled
from threefold.rules.endgame_checks import EndgameChecks, check_endgames
from threefold.rules.endgames import NO_SLICE, Endgames, Slice
from threefold.rules.inspection import Inspector
from threefold.rules.strict_row import Defect

HEAP = 9
MOST = 2 * HEAP
TAKE = 3


class Heaps(NamedTuple):
    left: int
    right: int
    turn: int
    plies: int


def actions(s: Heaps, out: Any) -> int:
    n = 0
    for a in range(1, TAKE + 1):
        if a <= s.left:
            out[n] = a
            n += 1
    for a in range(1, TAKE + 1):
        if a <= s.right:
            out[n] = a + TAKE
            n += 1
    return n


def result(s: Heaps, a: int) -> Heaps:
    if a <= TAKE:
        return Heaps(s.left - a, s.right, 1 - s.turn, s.plies + 1)
    return Heaps(s.left, s.right - (a - TAKE), 1 - s.turn, s.plies + 1)


def slice_of(s: Heaps) -> int:
    return s.left + s.right


def number_of(s: Heaps) -> int:
    """The smaller heap."""
    return min(s.left, s.right)


def position(of_slice: int, number: int) -> Heaps:
    return Heaps(number, of_slice - number, 0, 0)


def plies_left(s: Heaps) -> int:
    return 100 - s.plies


def stones(n: int) -> Slice:
    """A slice. The numbers of the larger heap are not in use."""
    return Slice(
        number=n,
        name=f"stones-{n}",
        size=n + 1,
        pieces=n,
        leads_to=range(max(n - TAKE, 0), n),
    )


def slices(most: int) -> list[Slice]:
    return [stones(n) for n in range(most + 1)]


SOUND: Endgames[Heaps] = Endgames(
    rules="heaps",
    slices=slices,
    slice_of=slice_of,
    number_of=number_of,
    position=position,
    plies_left=plies_left,
    most=MOST,
    unit="stones",
)


def heaps(endgames: Endgames[Any], **changes: Any) -> Game[Any]:
    hooks: dict[str, Any] = {
        "initial": lambda: Heaps(HEAP, HEAP, 0, 0),
        "actions": actions,
        "result": result,
        "utility": lambda s: 1 if s.turn == 1 else -1,
        "clocks": ("plies",),
    }
    return Game("Heaps", endgames=endgames, **(hooks | changes))


def with_slice(n: int, /, **changes: Any) -> Any:
    """The slices with one of them changed."""

    def changed(most: int) -> list[Slice]:
        found = slices(most)
        return [replace(each, **changes) if each.number == n else each for each in found]

    return changed


def as_first_said(s: Heaps) -> int:
    """The heaps as they are, without the exchange."""
    return s.left


def one_larger(s: Heaps) -> int:
    return number_of(s) + 1


def never_in_use(of_slice: int, number: int) -> Heaps:
    """The position of number 2 is that of number 1."""
    return position(of_slice, 1 if number == 2 else number)


def turned_wrong(s: Heaps) -> int:
    """Who is to move changes the number: with MIN to move, heaps that differ are mixed up."""
    small = min(s.left, s.right)
    if s.turn == 1 and s.left + s.right == 7:
        return 3 - small
    return small


def by_plies(s: Heaps) -> int:
    return number_of(s) if s.plies % 2 == 0 else max(s.left, s.right)


def of_one_number(s: Heaps) -> int:
    """All positions share the number of the one with equal heaps, or nearly."""
    return (s.left + s.right) // 2


def until_five(s: Heaps) -> int:
    """Positions with five stones are in no slice."""
    return NO_SLICE if s.left + s.right == 5 else slice_of(s)


def ends_outside(s: Heaps) -> int:
    return NO_SLICE if s.left + s.right == 0 else slice_of(s)


def first_slice_gone(most: int) -> list[Slice]:
    return [replace(each, leads_to=[n for n in each.leads_to if n]) for each in slices(most)][1:]


def past_64_bits(s: Heaps) -> int:
    """Python's integers grow; words do not."""
    return number_of(s) + (1 if (s.right << 61) < 0 else 0)


def past_64_bits_back(of_slice: int, number: int) -> Heaps:
    return Heaps(number, of_slice - number, 1 if (of_slice << 61) < 0 else 0, 0)


def shaky_plies(s: Heaps) -> int:
    return 100 - s.plies if (s.right << 61) >= 0 else 99 - s.plies


def by_name(s: Heaps) -> int:
    return int(min(s._asdict()["left"], s.right))


BROKEN: dict[str, tuple[dict[str, Any], str, str]] = {
    # name: (what is changed, the check that must fail, words of its sentence)
    "no slice at all": ({"slices": lambda n: []}, "slices", "slices(18) lists no slice"),
    "slices raises": ({"slices": lambda n: 1 // 0}, "slices(0)", "raises ZeroDivisionError"),
    "most is no number": ({"most": -1}, "endgames", "most=-1 is not a number of stones"),
    "slices of text": ({"slices": lambda n: ["KvK"]}, "slices", "'KvK', which is not a Slice"),
    "a name twice": (
        {"slices": with_slice(3, name="Stones-2")},
        "slices",
        "slices(3) lists two slices with the name stones-2",
    ),
    "a number twice": (
        {"slices": with_slice(3, number=2)},
        "slices",
        "slices(3) lists two slices with the number 2",
    ),
    "a name with a slash": (
        {"slices": with_slice(3, name="K/K")},
        "slices",
        "'K/K', unfit for a file name",
    ),
    "a hidden name": ({"slices": with_slice(3, name=".K")}, "slices", "'.K', unfit for a file"),
    "no name": ({"slices": with_slice(3, name="")}, "slices", "named '', unfit"),
    "a name of two lines": ({"slices": with_slice(3, name="K\nK")}, "slices", r"'K\nK', unfit"),
    "a name of numbers": ({"slices": with_slice(3, name=3)}, "slices", "named 3, unfit"),
    "a negative slice": ({"slices": with_slice(3, number=-3)}, "slices", "number=-3, not a number"),
    "an empty slice": ({"slices": with_slice(3, size=0)}, "slices", "size=0, not a number from 1"),
    "half a position": ({"slices": with_slice(3, size=1.5)}, "slices", "size=1.5"),
    "too many pieces": (
        {"slices": with_slice(3, pieces=4)},
        "slices",
        "slices(3) lists slice stones-3, which has pieces=4",
    ),
    "a slice too late": (
        {"slices": with_slice(3, pieces=1)},
        "slices",
        "slice stones-3 is not the same in slices(2) and slices(3), or in one alone",
    ),
    "a slice that goes": (
        {"slices": lambda n: slices(n) if n < 5 else slices(n)[5:]},
        "leads_to",
        "slice stones-5 leads to slice 2, which slices(5) does not list",
    ),
    "a slice that changes": (
        {"slices": lambda n: with_slice(2, size=3 + n // 4)(n)},
        "slices",
        "slice stones-2 is not the same in slices(3) and slices(4)",
    ),
    "leads to what is not listed": (
        {"slices": with_slice(3, leads_to=(2, 4))},
        "leads_to",
        "slice stones-3 leads to slice 4, which slices(3) does not list",
    ),
    "leads elsewhere": (
        {"slices": with_slice(6, leads_to=(4, 5))},
        "leads_to",
        "leads to slice stones-3, which leads_to of slice stones-6 does not mention",
    ),
    "leads out": (
        {"slice_of": until_five, "slices": with_slice(6, leads_to=(3, 4))},
        "leads_to",
        "leads to a position in no slice, although the game goes on",
    ),
    "a slice that is not listed": (
        {"slice_of": lambda s: slice_of(s) if s.turn == 0 else 99},
        "leads_to",
        "leads to slice 99, which leads_to of slice stones-1 does not mention",
    ),
    "a slice past the last one": (
        {"slices": lambda n: slices(min(n, MOST - 1))},
        "slice_of",
        "slice_of is 18, and slices lists no such slice",
    ),
    "a slice below none": (
        {"slice_of": lambda s: -2},
        "slice_of",
        "-2, neither a slice nor NO_SLI",
    ),
    "a slice of text": (
        {"slice_of": lambda s: "KvK"},
        "slice_of",
        "slice_of is 'KvK', not a whole",
    ),
    "slice_of raises": (
        {"slice_of": lambda s: 1 // s.left},
        "slice_of",
        "raises ZeroDivisionError",
    ),
    "numbers past the size": (
        {"slices": with_slice(6, size=2)},
        "number_of",
        "number_of is 2 in slice stones-6, whose size is 2",
    ),
    "numbers below 0": (
        {"number_of": lambda s: number_of(s) - s.turn},
        "number_of",
        "number_of is -1 in slice stones-0; numbers are 0 or more",
    ),
    "half a number": (
        {"number_of": lambda s: s.left / 2},
        "number_of",
        "number_of is 0.0, not a w",
    ),
    "number_of raises": ({"number_of": lambda s: 1 // s.left}, "number_of", "raises ZeroDivision"),
    "a number for another position": (
        {"number_of": one_larger},
        "number_of",
        "whose size is 1",
    ),
    "a number not in use": (
        {"position": never_in_use},
        "number_of",
        "but that number is not in use: position returns left=1,right=",
    ),
    "position of another type": (
        {"position": lambda of, n: (n, of - n, 0, 0)},
        "state",
        "position returned a tuple, not a Heaps",
    ),
    "position raises": ({"position": lambda of, n: 1 // n}, "position", "raises ZeroDivisionError"),
    "a clock that runs": (
        {"position": lambda of, n: Heaps(n, of - n, 0, 1)},
        "position",
        "the clocks of a numbered position are not at their start",
    ),
    "a number by the clock": (
        {"number_of": by_plies},
        "number_of",
        "is not in use",
    ),
    "a symmetry that is none": (
        {"number_of": turned_wrong},
        "number_of",
        "moves have the same number; the other one is left=",
    ),
    "all in one": (
        {
            "number_of": of_one_number,
            "position": lambda of, n: Heaps(of // 2, of - of // 2, 0, 0),
        },
        "number_of",
        "two positions with 4 and 5 moves have the same number; the other one is left=2",
    ),
    "less than no plies": ({"plies_left": lambda s: -s.plies}, "plies_left", "returned -"),
    "half a ply": ({"plies_left": lambda s: 0.5}, "plies_left", "plies_left returned 0.5, not a n"),
    "plies_left raises": ({"plies_left": lambda s: 1 // s.plies}, "plies_left", "ZeroDivisionErro"),
    "number_of overflows": (
        {"number_of": past_64_bits},
        "compiled",
        "interpreted but",
    ),
    "position overflows": (
        {"position": past_64_bits_back},
        "compiled",
        "position 0 of slice stones-4 is (0, 4, 0, 0) interpreted but (0, 4, 1, 0) compiled",
    ),
    "plies_left overflows": ({"plies_left": shaky_plies}, "compiled", "plies_left is 100 interpre"),
    "what cannot be compiled": ({"number_of": by_name}, "compiled", "cannot be compiled"),
}


def test_a_sound_numbering_conforms() -> None:
    report = conformance(heaps(SOUND))
    assert report.ok, str(report)
    assert report.compiled


@pytest.mark.parametrize("name", BROKEN)
def test_each_defect_is_found_and_named(name: str) -> None:
    changes, check, words = BROKEN[name]
    report = conformance(heaps(replace(SOUND, **changes)))
    (defect,) = report.defects
    assert defect.check == check, str(report)
    assert words in defect.sentence, str(report)
    assert "\n" not in defect.sentence
    assert defect.position.startswith("left=")


@pytest.mark.parametrize(
    "changes",
    [
        {"plies_left": None},
        {"slice_of": ends_outside, "slices": first_slice_gone},
        # Only positions with few stones are in a slice.
        {
            "most": 6,
            "slice_of": lambda s: slice_of(s) if s.left + s.right <= 6 else NO_SLICE,
        },
        # Nothing is known of how far the slices go.
        {"most": 1 << 40, "slices": lambda n: slices(min(n, MOST))},
    ],
)
def test_no_false_alarm(changes: dict[str, Any]) -> None:
    report = conformance(heaps(replace(SOUND, **changes)), games=20)
    assert report.ok, str(report)
    assert report.compiled


def test_what_a_win_is_worth() -> None:
    """Without margins it is 1; with them, what is settled already does not count."""

    def three(s: Heaps) -> int:
        return 3 if s.turn == 1 else -3

    (defect,) = conformance(heaps(SOUND, utility=three)).defects
    assert defect.sentence == "utility is -3; without margins it is 1, 0 or -1 in end-games"
    assert conformance(heaps(replace(SOUND, margins=True), utility=three), games=20).ok
    outside = replace(SOUND, slice_of=ends_outside, slices=first_slice_gone)
    (defect,) = conformance(heaps(outside, utility=three)).defects
    assert "without margins" in defect.sentence


def test_what_is_settled_counts() -> None:
    """MAX is credited with a point at the first stone of the left heap: symmetry is lost."""

    def settled(s: Heaps) -> tuple[int, int]:
        gained = 1 if s.left < 5 else 0
        return gained, s.left * 1000 + s.right * 10 + s.turn

    def utility(s: Heaps) -> int:
        return settled(s)[0]

    g = heaps(replace(SOUND, margins=True), utility=utility, settled=settled)
    (defect,) = conformance(g).defects
    assert defect.check == "number_of"
    assert "whose moves lead to different ones have the same number" in defect.sentence


def test_ends_of_different_worth_do_not_share_a_number() -> None:
    """Who is to move at the end is all that tells a win from a loss, and here MAX always wins."""
    (defect,) = conformance(heaps(SOUND, utility=lambda s: 1)).defects
    assert defect.check == "number_of"
    assert "two positions of different worth have the same number" in defect.sentence


def test_databases_are_for_games_without_chance() -> None:
    g = heaps(
        SOUND,
        player=lambda s: CHANCE if s.left == 1 else s.turn,
        outcomes=lambda s, out, weight: _take_one(out, weight),
    )
    (defect,) = conformance(g, games=20).defects
    assert defect.check == "endgames"
    assert "without chance" in defect.sentence


def _take_one(out: Any, weight: Any) -> int:
    out[0] = weight[0] = 1
    return 1


def test_other_defects_come_first() -> None:
    g = heaps(replace(SOUND, most=-1), utility=lambda s: 0.5)
    (defect,) = conformance(g, games=3).defects
    assert defect.check == "utility"


def checked(g: Game[Any], games: int = 0) -> tuple[list[Defect], EndgameChecks[Any]]:
    """The part of `conformance` that is about end-games: what is wrong, interpreted."""
    inspector = Inspector(g, random.Random(1))
    for _ in range(games):
        inspector.play()
    checks = check_endgames(inspector, random.Random(1))
    assert checks is not None
    return list(inspector.defects.values()), checks


@pytest.mark.parametrize(
    "spec", ["checkers", "chess", "kalah", "kalah(pits=2)", "checkers(repetition=0,move_limit=3)"]
)
def test_our_games_conform(spec: str) -> None:
    defects, checks = checked(game(spec), games=1)
    assert not defects, str(defects[0])
    assert not list(checks.differences(Compiled(game(spec), checked=True).entry))


def known(g: Game[Any]) -> Endgames[Any]:
    assert g.endgames is not None
    return g.endgames


def unlike(g: Game[Any], **changes: Any) -> Game[Any]:
    """One of our games with something wrong about its end-games."""
    twin = g.knowing(None)
    twin.endgames = replace(known(g), **changes)
    return twin


def test_wrong_numbers_of_our_games_are_found() -> None:
    """Mistakes that are easily made: the board is not turned, or a move is forgotten."""
    chess = game("chess")
    numbers = {g: known(g).number_of for g in (game("checkers"), chess, game("kalah"))}

    def as_max(g: Game[Any]) -> Any:
        return lambda s: numbers[g](s._replace(turn=0))

    for g in numbers:
        (defect,), _ = checked(unlike(g, number_of=as_max(g)))
        assert defect.check in {"number_of", "leads_to"}, str(defect)

    def without_promotions(pieces: int) -> list[Slice]:
        found = list(known(chess).slices(pieces))
        pawns = {each.number: each.name.count("P") for each in found}
        return [
            replace(each, leads_to=[n for n in each.leads_to if pawns[n] == pawns[each.number]])
            for each in found
        ]

    (defect,), _ = checked(unlike(chess, slices=without_promotions))
    assert defect.check == "leads_to"
