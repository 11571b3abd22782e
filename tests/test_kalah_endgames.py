"""The end-games of Kalah: every position has a number, and no two share one."""

import random
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

from threefold import Game, game
from threefold.engine.compile import Compiled
from threefold.games.kalah.rules import State, packed, unpacked
from threefold.rules.contract import MAX, number_of, position_of, slice_of, state
from threefold.rules.endgames import NO_SLICE, Endgames


def numbering(g: Game[Any]) -> Endgames[Any]:
    assert g.endgames is not None
    return g.endgames


def from_mover(s: State, pits: int) -> State:
    """The same with empty stores and the mover as South."""
    sides = unpacked(s, pits)
    mine, theirs = (sides[i][:pits] for i in (s.turn, 1 - s.turn))
    return State(*packed([*mine, 0], [*theirs, 0]), MAX)


def boards(pits: int, seeds: int) -> Iterator[State]:
    """All positions with that many seeds in the pits, by trying everything."""
    for each in product(range(seeds + 1), repeat=2 * pits):
        if sum(each) == seeds and any(each[:pits]) == any(each[pits:]):
            yield State(*packed([*each[:pits], 0], [*each[pits:], 0]), MAX)


def random_play(g: Game[Any], rng: random.Random, games: int) -> Iterator[State]:
    """The positions of random games."""
    for _ in range(games):
        s = g.initial()
        yield s
        while moves := g.moves(s):
            s = g.result(s, rng.choice(moves))
            yield s


@pytest.mark.parametrize(("pits", "most"), [(1, 20), (2, 7), (3, 5)])
def test_each_position_has_a_number_of_its_own(pits: int, most: int) -> None:
    known = numbering(game(f"kalah(pits={pits})"))
    for each in known.slices(most):
        expected = {known.number_of(s): s for s in boards(pits, each.pieces)}
        assert len(expected) == sum(1 for _ in boards(pits, each.pieces))
        assert {known.slice_of(s) for s in expected.values()} <= {each.number}
        for n in range(each.size):
            s = known.position(each.number, n)
            if n in expected:
                assert s == expected.pop(n)
            else:
                assert known.number_of(s) != n
        assert not expected, "numbers past the end"


@pytest.mark.parametrize("variant", ["", ",empty_capture=true", ",rest=mover"])
def test_moves_lead_to_declared_slices_and_to_smaller_numbers(variant: str) -> None:
    g = game(f"kalah(pits=3{variant})")
    known = numbering(g)
    stayed = 0
    for each in known.slices(5):
        for s in boards(3, each.pieces):
            for a in g.moves(s):
                after = g.result(s, a)
                assert known.slice_of(after) in each.leads_to
                if known.slice_of(after) == each.number:
                    assert known.number_of(after) < known.number_of(s)
                    stayed += 1
    assert stayed > 100


@pytest.mark.parametrize("pits", [1, 4, 6, 7, 8, 9])
def test_the_pits_as_the_mover_sees_them_are_all_that_counts(pits: int) -> None:
    g = game(f"kalah(pits={pits},seeds=3)")
    known = numbering(g)
    sizes = {each.number: each.size for each in known.slices(known.most)}
    turns, outside = set(), 0
    for s in random_play(g, random.Random(pits), 12):
        seen = from_mover(s, pits)
        seeds = sum(map(sum, unpacked(seen, pits)))
        if seeds > known.most:
            assert known.slice_of(s) == NO_SLICE
            outside += 1
            continue
        assert known.slice_of(s) == known.slice_of(seen) == seeds
        assert 0 <= known.number_of(s) < sizes[seeds]
        assert known.position(seeds, known.number_of(s)) == seen
        turns.add(s.turn)
        for a in g.moves(s):
            after = g.result(s, a)
            if known.slice_of(after) == seeds:
                assert known.number_of(after) < known.number_of(s)
    assert turns == {0, 1}
    assert (outside > 0) == (6 * pits > known.most)


def test_seeds_on_one_side_alone_are_in_no_slice() -> None:
    g = game("kalah(pits=2)")
    known = numbering(g)
    for turn in (0, 1):
        assert known.slice_of(State(*packed([1, 2, 3], [0, 0, 4]), turn)) == NO_SLICE
        assert known.slice_of(State(*packed([0, 0, 3], [0, 1, 4]), turn)) == NO_SLICE
        over = State(*packed([0, 0, 3], [0, 0, 4]), turn)
        assert (known.slice_of(over), known.number_of(over)) == (0, 0)


@pytest.mark.parametrize("pits", range(1, 10))
def test_slices_have_names_and_sizes_within_reach(pits: int) -> None:
    known = numbering(game(f"kalah(pits={pits})"))
    slices = known.slices(known.most + 5)
    assert [each.number for each in slices] == list(range(known.most + 1))
    assert [each.name for each in slices] == sorted({each.name for each in slices})
    assert all(each.size < 1 << 31 for each in slices)
    assert known.slices(3) == slices[:4]
    assert 0 < known.small <= known.most


def test_what_six_pits_have() -> None:
    known = numbering(game("kalah"))
    assert (known.most, known.small, known.unit, known.margins) == (24, 12, "seeds", True)
    assert known.slices(7)[-1].name == "seeds-07"
    assert [each.size for each in known.slices(3)] == [1, 12, 78, 364]


def test_databases_are_shared_whatever_the_seeds_at_the_start() -> None:
    rules = numbering(game("kalah(pits=6,seeds=4)")).rules
    assert rules == numbering(game("kalah(pits=6,seeds=3)")).rules
    assert rules == "kalah(pits=6,empty_capture=false,rest=owner)"
    other = numbering(game("kalah(pits=5,empty_capture=true,rest=mover)")).rules
    assert other == "kalah(pits=5,empty_capture=true,rest=mover)"


def round_trip(of_slice: int, number: int) -> Any:
    """A template: position and back."""
    s = position_of(of_slice, number)
    return s.south, s.north, s.beyond, s.turn, slice_of(s), number_of(s)


@pytest.mark.parametrize("pits", [2, 6, 8])
def test_compiled_numbers_are_the_same(pits: int) -> None:
    g = game(f"kalah(pits={pits})")
    known = numbering(g)
    entry = Compiled(g).entry(round_trip)
    rng = random.Random(pits)
    for each in known.slices(known.most):
        for n in {0, each.size - 1, *(rng.randrange(each.size) for _ in range(40))}:
            s = known.position(each.number, n)
            assert entry(each.number, n) == (*s, known.slice_of(s), known.number_of(s))
            if known.slice_of(s) != NO_SLICE:
                assert (known.slice_of(s), known.number_of(s)) == (each.number, n)


def numbers(words: tuple[int, ...]) -> Any:
    """A template: where a position is."""
    s = state(words)
    found = slice_of(s)
    return found, number_of(s) if found >= 0 else -1


@pytest.mark.parametrize("pits", [6, 8])
def test_compiled_numbers_are_the_same_in_play(pits: int) -> None:
    g = game(f"kalah(pits={pits},seeds=2)")
    known, compiled = numbering(g), Compiled(g)
    entry = compiled.entry(numbers)
    for s in random_play(g, random.Random(pits), 20):
        found = known.slice_of(s)
        number = known.number_of(s) if found != NO_SLICE else -1
        assert entry(compiled.words(s)) == (found, number)
