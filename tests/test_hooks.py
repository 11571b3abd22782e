"""The table of hooks, and the records of a game: one row, or one field, is enough."""

from dataclasses import fields
from inspect import signature
from types import FunctionType
from typing import Any

import nim
import pytest
from nim import State

from threefold import Game, ThreefoldError, conformance
from threefold.rules import contract
from threefold.rules.agreement import questions
from threefold.rules.hooks import HOOKS, Hook, HookAttributes, Kind
from threefold.rules.rebind import interpreted
from threefold.rules.records import Assumptions, Board, Flat, Scales, Texts


@pytest.fixture
def mood(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A new hook: its default and its flag in the contract, and its row."""
    default = FunctionType((lambda s: 0).__code__, vars(contract), "mood")
    monkeypatch.setattr(contract, "mood", default, raising=False)
    monkeypatch.setattr(contract, "HAS_MOOD", contract.Slot("HAS_MOOD"), raising=False)
    monkeypatch.setitem(HOOKS, "mood", Hook(default, Kind.WORD))
    return default


def good_mood(s: State) -> int:
    return s.stones % 3


def new(**changes: Any) -> Any:
    """Nim with rules that no other test has compiled."""
    return nim.nim(utility=lambda s: 2 if s.turn == 1 else -2, **changes)


def test_a_new_row_makes_a_keyword_and_an_attribute(mood: Any) -> None:
    g = new(mood=good_mood)
    assert g.mood is g.hooks["mood"] is good_mood
    assert new().mood is mood
    with pytest.raises(ThreefoldError, match="mood is 5, not a function"):
        new(mood=5)
    with pytest.raises(ThreefoldError, match=r"mood takes \(s, a\); it is called with \(s\)"):
        new(mood=lambda s, a: 0)
    with pytest.raises(ThreefoldError, match=r"did you mean mood\?"):
        new(moood=good_mood)


def test_a_new_row_is_compiled_and_bound_to_templates(mood: Any) -> None:
    names = {"mood": mood, "HAS_MOOD": HOOKS["mood"].flag, "state": contract.state}
    exec("def ask(given):\n    return mood(state(given)) if HAS_MOOD else -1\n", names)
    template: Any = names["ask"]
    for g, answer in ((new(mood=good_mood), 2), (new(), -1)):
        assert interpreted(template, g)((5, 0)) == answer
        assert g.compiled().entry(template)((5, 0)) == answer
    assert new(mood=good_mood).compiled().mood(State(5, 0)) == 2
    assert new().compiled().mood(State(5, 0)) == 0


def test_a_new_row_is_checked(mood: Any) -> None:
    g = new(mood=good_mood)
    assert "mood" in [row.name for row in questions(g)]
    assert conformance(g, games=2).ok
    (defect,) = conformance(new(mood=lambda s: "good"), games=2).defects
    assert defect.sentence == "mood is 'good', not a whole number of 64 bits"
    found = conformance(new(mood=lambda s: s.stones << 62), games=2).defects
    assert "overflow" in [defect.check for defect in found]
    with pytest.raises(ThreefoldError, match="mood cannot be compiled"):
        new(mood=lambda s: s._replace(stones=1).stones).compiled()
    with pytest.raises(ThreefoldError, match="mood cannot be compiled"):
        new(mood=lambda s: len(str(s.stones).encode())).compiled().mood(State(5, 0))


def test_every_hook_has_types() -> None:
    keywords = {*signature(Game.__init__).parameters, *Flat.__annotations__}
    assert set(HOOKS) == set(HookAttributes.__annotations__)
    assert set(HOOKS) <= keywords


def test_flat_keywords_are_the_fields_of_the_records() -> None:
    records = (Assumptions, Texts, Board, Scales)
    named = [(field.name, field.type) for record in records for field in fields(record)]
    assert dict(named) == Flat.__annotations__
    assert len(named) == len(Flat.__annotations__)


def test_a_record_is_the_same_as_its_flat_keywords() -> None:
    flat = new(sides=("me", "you"), remaining=good_mood, pieces=("+",), units={"evaluate": 3})
    grouped = new(
        texts=Texts(sides=("me", "you")),
        assumptions=Assumptions(remaining=good_mood),
        board=Board(pieces=("+",)),
        scales=Scales(units={"evaluate": 3}),
    )
    for name in ("sides", "remaining", "pieces", "units"):
        assert getattr(flat, name) == getattr(grouped, name)
    assert flat.hooks.keys() == grouped.hooks.keys()
    both = new(texts=Texts(ending=lambda s: "no stone is left"), sides=("me", "you"))
    assert both.sides == ("me", "you")
    assert "no stone is left" in str(both.outcome([State(0, 1)]))


def test_a_record_is_refused_with_a_clear_error() -> None:
    with pytest.raises(ThreefoldError, match="sides is given twice, by itself and in Texts"):
        new(sides=("me", "you"), texts=Texts(sides=("you", "me")))
    with pytest.raises(ThreefoldError, match=r"board=5 is not a Board"):
        new(board=5)
