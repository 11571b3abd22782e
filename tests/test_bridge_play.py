"""Playing bridge by sampled deals: cards chosen by what a seat sees, from bidding to the score."""

from collections.abc import Iterator
from importlib import import_module
from itertools import count, islice
from pathlib import Path
from typing import Any

import pytest

from threefold import CHANCE, Game, game
from threefold.engine.limits import Limits
from threefold.engine.worlds import Worlds
from threefold.games.bridge.cards import CARDS, NO_TRUMPS
from threefold.games.bridge.dealing import dealt
from threefold.games.bridge.notation import format_hands
from threefold.games.contract_bridge.hand import count as count_hand
from threefold.games.contract_bridge.position import strain_in
from threefold.rules.bits import mix

#: So many cards are left in each hand where a test plays on.
LEFT = 4


@pytest.fixture(scope="module")
def bridge() -> Game[Any]:
    return game("contract-bridge")


@pytest.fixture(scope="module")
def worlds(bridge: Game[Any]) -> Worlds[Any]:
    return Worlds(bridge, threads=1)


def ending(g: Game[Any], number: int, left: int = LEFT) -> Any:
    """A deal that is bid by the system, and played at random until few cards are left."""
    s = g.parse(format_hands(dealt(number)))
    assert g.agreed is not None
    while s.played < CARDS - 4 * left and (moves := g.moves(s)):
        call = g.agreed(s)
        s = g.result(s, moves[mix(s.played + number) % len(moves)] if call is None else call)
    return s


def without_trumps(g: Game[Any], left: int = LEFT) -> Iterator[Any]:
    """Endings without trumps, so that only one game has to be compiled."""
    for number in count(1):
        s = ending(g, number, left)
        if s.contract and strain_in(s.contract) == NO_TRUMPS:
            yield s


def test_cards_do_not_depend_on_what_is_hidden(bridge: Game[Any], worlds: Worlds[Any]) -> None:
    """With the hidden cards dealt otherwise, the same seed makes the same choice, at every seat."""
    seats, other_deals = set(), 0
    for number, s in enumerate(islice(without_trumps(bridge), 6)):
        for _ in range(6):
            if len(bridge.moves(s)) < 2:
                break
            p = bridge.seat(s)
            found = worlds.analyze(s, Limits(nodes=6), multipv=13, seed=number)
            for seed in range(2):
                other = bridge.deal(s, p, seed)
                other_deals += other != s
                again = worlds.analyze(other, Limits(nodes=6), multipv=13, seed=number)
                assert [(line.move, line.value) for line in again.lines] == [
                    (line.move, line.value) for line in found.lines
                ]
            seats.add(p)
            assert found.best is not None
            s = bridge.result(s, found.best)
    assert seats == {0, 1, 2, 3}
    assert other_deals > 20


def test_who_sees_nothing_else_gets_the_same_answer(bridge: Game[Any], worlds: Worlds[Any]) -> None:
    """The position as its seat sees it, with all else blank, is enough."""
    s = next(without_trumps(bridge))
    seen = bridge.as_seen(s, bridge.seat(s))
    limits = Limits(nodes=6)
    answers = [worlds.analyze(t, limits, multipv=13, seed=1) for t in (s, seen)]
    values = [[(line.move, line.value) for line in answer.lines] for answer in answers]
    assert values[0] == values[1]


def test_the_agreed_call_is_made_at_once(bridge: Game[Any], worlds: Worlds[Any]) -> None:
    s = bridge.parse(format_hands(dealt(7)))
    assert bridge.agreed is not None
    found = worlds.analyze(s, Limits(time=60.0))
    assert found.best == bridge.agreed(s)
    assert found.nodes == 0


def test_values_are_scores(bridge: Game[Any], worlds: Worlds[Any]) -> None:
    """Once a seat knows every card, the value of a card is the score with best play."""
    assert bridge.opened is not None
    assert bridge.opened_worth is not None
    compared = 0
    for s in islice(without_trumps(bridge, left=3), 20):
        while bridge.moves(s):
            p = bridge.seat(s)
            dealt_again = {bridge.deal(s, p, seed) for seed in range(20)}
            if len(bridge.moves(s)) > 1 and dealt_again == {s}:
                open_game, t = bridge.opened(s)
                solution = open_game.solve(t, progress=False)
                sign = -1 if bridge.player(s) else 1
                expected = sign * bridge.opened_worth(s, sign * solution.value)
                assert worlds.analyze(s, Limits(nodes=3)).value == expected
                compared += 1
            s = bridge.result(s, bridge.moves(s)[0])
    assert compared > 0


def test_four_computers_play_a_deal(bridge: Game[Any], worlds: Worlds[Any]) -> None:
    """From the deal to the score; the first tricks are played at random to save time."""
    s = bridge.initial()
    number = 0
    while bridge.player(s) == CHANCE:
        events, weights = zip(*bridge.chances(s), strict=True)
        number = mix(number + 1)
        at = number % sum(weights)
        s = bridge.result(s, next(e for i, e in enumerate(events) if at < sum(weights[: i + 1])))
    while bridge.moves(s):
        moves = bridge.moves(s)
        if s.contract >= 1 << 10 and s.played < CARDS - 4 * LEFT:
            a = moves[mix(s.played) % len(moves)]
        else:
            found = worlds.analyze(s, Limits(nodes=4), seed=s.played).best
            assert found is not None
            a = found
        assert a in moves
        s = bridge.result(s, a)
    outcome = bridge.outcome([s])
    assert outcome is not None
    assert s.played == CARDS or s.contract == 0


def test_deals_fit_what_is_known_as_far_as_they_can() -> None:
    """Every deal that is judged has the hands that the game says are known, if any deal can."""
    judged = []

    class Recorder:
        def values(self, s: tuple[Game[Any], Any], seconds: float | None) -> dict[int, float]:
            open_game, position = s
            judged.append(position)
            return dict.fromkeys(open_game.moves(position), 0.0)

        def stop(self) -> None:
            """There is nothing to stop."""

    deal = "N:AKQ2.J5.T987.K83 - T8543.K62.AQ4.96 -"
    for known in ("W:9-11hcp", "E:10-40hcp.5-13H", "W:40hcp"):
        g = game(f"contract-bridge(contract=4S,declarer=S,known={known})")
        judged.clear()
        s = g.parse(f"{deal} | - | CQ")
        Worlds(g, judge=Recorder).analyze(s, Limits(nodes=15), seed=2)
        assert len(judged) == 15
        for position in judged:
            east, west = count_hand(position.east), count_hand(position.west)
            # West has led the queen of clubs.
            if known == "W:9-11hcp":
                assert 7 <= west.hcp <= 9
            elif known.startswith("E"):
                assert east.hcp >= 10
                assert east.lengths[2] >= 5


@pytest.mark.slow
def test_textbook_problems(monkeypatch: pytest.MonkeyPatch) -> None:
    """What sampled deals solve, and the three that they cannot: see the page on the game."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "bench"))
    single_dummy = import_module("single_dummy")
    verdicts = {
        problem.name.partition(":")[0]: single_dummy.answer(problem, 30).verdict
        for problem in single_dummy.PROBLEMS
        if not problem.name.startswith(("safety", "defense"))
    }
    assert {name for name, verdict in verdicts.items() if verdict != "solved"} == {
        "avoidance",
        "throw-in",
    }
