"""Small pokers: the rules are OpenSpiel's, texts and pictures hide what a player cannot see."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from threefold import CHANCE, Game, ThreefoldError, game
from threefold.games.poker.rules import CALL, FOLD, RAISE, State

NAMES = ("kuhn-poker", "leduc-poker")


def positions(g: Game[State], s: State | None = None) -> Iterator[State]:
    """Every position of a game."""
    s = g.initial() if s is None else s
    yield s
    for a in g.moves(s):
        yield from positions(g, g.result(s, a))


def their_move(name: str, a: int) -> int:
    """OpenSpiel numbers Kuhn's moves 0 for check and fold, 1 for bet and call."""
    return a if name == "leduc-poker" else int(a == RAISE)


@pytest.mark.parametrize("name", NAMES)
def test_open_spiel_agrees_on_every_game(name: str) -> None:
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not to be had here")
    g, finished = game(name), 0

    def compare(s: State, t: Any) -> None:
        nonlocal finished
        if t.is_terminal():
            assert not g.moves(s)
            assert [g.utility(s), -g.utility(s)] == t.returns()
            finished += 1
            return
        if t.is_chance_node():
            assert g.player(s) == CHANCE
            assert [(a - 1, w) for a, w in g.chances(s)] == [(a, 1) for a, _ in t.chance_outcomes()]
            for a in g.moves(s):
                compare(g.result(s, a), t.child(a - 1))
            return
        assert g.player(s) == t.current_player()
        theirs = t.legal_actions()
        if name == "leduc-poker":
            assert g.moves(s) == theirs
            paired = zip(g.moves(s), theirs, strict=True)
        else:
            faced = g.format(s).endswith("bet")
            order = [FOLD, CALL] if faced else [CALL, RAISE]
            assert g.moves(s) == order
            paired = zip(order, theirs, strict=True)
        for a, b in paired:
            compare(g.result(s, a), t.child(b))

    compare(g.initial(), pyspiel.load_game(name.replace("-", "_")).new_initial_state())
    assert finished == {"kuhn-poker": 30, "leduc-poker": 5520}[name]


@pytest.mark.parametrize("name", NAMES)
def test_every_position_and_move_goes_both_ways(name: str) -> None:
    g = game(name)
    for s in positions(g):
        assert g.parse(g.format(s)) == s
        for a in g.moves(s):
            assert g.parse_move(s, g.format_move(s, a)) == a


@pytest.mark.parametrize("name", NAMES)
def test_what_is_shown_of_a_position_depends_on_what_its_player_sees_alone(name: str) -> None:
    g = game(name)
    shown: dict[Any, set[tuple[str, str, str]]] = {}
    for s in positions(g):
        for p in range(2):
            blank = g.as_seen(s, p)
            assert blank is not None
            told = g.format(blank), g.render(blank), g.draw(blank)
            shown.setdefault((p, g.observe(s, p)), set()).add(told)
            if "?" in told[0]:
                with pytest.raises(ThreefoldError, match="a card is face down"):
                    g.parse(told[0])
    for (_, seen), all_told in shown.items():
        # Before the second card is dealt nobody has anything to decide.
        assert len(all_told) == 1 or seen[-1] == CHANCE


@pytest.mark.parametrize(
    ("name", "position", "hidden"),
    [("kuhn-poker", "J Q check", "JK"), ("leduc-poker", "Js Qh bet call / Jh bet", "")],
)
def test_every_hidden_card_is_as_likely(name: str, position: str, hidden: str) -> None:
    g = game(name)
    s = g.parse(position)
    dealt = Counter(g.format(g.deal(s, 1, seed)).split()[0] for seed in range(3000))
    wanted = set(hidden) or {"Js", "Qs", "Ks", "Kh"}
    assert set(dealt) == wanted
    assert all(abs(n - 3000 / len(wanted)) < 200 for n in dealt.values())
    assert g.deal(g.initial(), 0, 7) == g.initial()


@pytest.mark.parametrize(
    ("position", "utility", "reason"),
    [
        ("J K check check", -1, "showdown, J against K"),
        ("K J bet call", 2, "showdown, K against J"),
        ("J K bet fold", 1, "the other player folded"),
        ("K J check bet fold", -1, "the other player folded"),
    ],
)
def test_what_a_game_is_worth(position: str, utility: int, reason: str) -> None:
    g = game("kuhn-poker")
    s = g.parse(position)
    assert g.utility(s) == utility
    outcome = g.outcome([s])
    assert outcome is not None
    assert outcome.reason == reason


@pytest.mark.parametrize(
    ("position", "utility"),
    [
        ("Qs Ks bet call / Qh bet raise call", 11),
        ("Qs Qh bet call / Jh bet call", 0),
        ("Js Qh check bet raise fold", 3),
        ("Js Qh check bet raise call / Ks check bet raise fold", 9),
        ("Js Qh check check / Ks check check", -1),
    ],
)
def test_what_a_game_of_two_rounds_is_worth(position: str, utility: int) -> None:
    g = game("leduc-poker")
    assert g.utility(g.parse(position)) == utility


@pytest.mark.parametrize(
    ("position", "words"),
    [
        ("", "expected the two players' cards"),
        ("J", "expected the two players' cards"),
        ("- J", "nothing follows '- -'"),
        ("J - check", "the second card has not been dealt"),
        ("J J", "the card J is there twice"),
        ("J A", "'A' is no card: one of J, Q, K"),
        ("J ? check", "a card is face down"),
        ("J Q call", "'call' is not possible there: one of check, bet"),
        ("J Q bet check", "'check' is not possible there: one of fold, call"),
        ("J Q check check check", "the game is over before 'check'"),
    ],
)
def test_impossible_positions_are_named(position: str, words: str) -> None:
    with pytest.raises(ThreefoldError, match=words.replace("?", r"\?")):
        game("kuhn-poker").parse(position)


@pytest.mark.parametrize(
    ("position", "words"),
    [
        ("Js Qh check check bet", "the first round is over: expected / and the table's card"),
        ("Js Qh check check /", "the first round is over"),
        ("Js Qh check check / Qh", "the card Qh is there twice"),
        ("Js Qh bet raise raise", "'raise' is not possible there: one of fold, call"),
    ],
)
def test_impossible_second_rounds_are_named(position: str, words: str) -> None:
    g = game("leduc-poker")
    with pytest.raises(ThreefoldError, match=words):
        g.parse(position)


def test_pictures_have_a_place_for_every_move() -> None:
    g = game("leduc-poker")
    for text in ("- -", "Js Qh check", "Js Qh check check", "Js Qh bet call / Ks bet"):
        s = g.parse(text)
        for a in g.moves(s):
            assert all(f'data-place="{place}"' in g.draw(s) for place in g.places(s, a))
