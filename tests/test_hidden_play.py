"""Choosing moves where something is hidden: a tree of what players know, and sampled deals."""

from pathlib import Path
from typing import Any

import pytest
from guessing import GO_ON, GUESS, STOP, State, guessing

from threefold import Game, ThreefoldError
from threefold import game as named_game
from threefold.arena.lines import parse_line
from threefold.arena.players import make
from threefold.engine.dealer import Dealer
from threefold.engine.ismcts import InformationSearch
from threefold.engine.levels import LEVELS, Opponent
from threefold.engine.limits import Limits
from threefold.engine.searchers import search_of, searcher
from threefold.engine.worlds import Worlds
from threefold.protocols.player import Budget
from threefold.rules.contract import CHANCE

CHOICE = State(1, 0, 0)
EXAMPLES = Path(__file__).parents[1] / "examples"


def deal(s: State, p: int, seed: int) -> State:
    return State(1 + (seed & 1), s.done, s.turn) if p == 0 else s


def swapped(s: State) -> State:
    """The same to MAX, who does not see the coin."""
    return s._replace(coin=3 - s.coin)


def opened(s: State) -> tuple[Game[Any], State]:
    return guessing().with_nothing_hidden(), s


def test_a_tree_of_what_is_known_takes_the_sure_thing() -> None:
    found = guessing().analyze(CHOICE, nodes=2000, multipv=2)
    assert found.best == STOP
    assert [line.move for line in found.lines] == [STOP, GO_ON]
    assert found.value == 1
    assert not found.exact
    assert found.lines[1].value < 0.5


@pytest.mark.parametrize("seed", range(7))
def test_bad_luck_at_first_is_not_believed_forever(seed: int) -> None:
    """To raise is to lose for sure here; to doubt loses half of the time, perhaps at first."""
    dice = named_game(str(EXAMPLES / "liars_dice.py"))
    found = dice.analyze("3 1 1x1 2x3", nodes=1000, seed=seed)
    assert found.best is not None
    assert dice.format_move(found.position, found.best) == "liar"
    assert found.value == pytest.approx(0, abs=0.2)


def test_sampled_deals_think_that_they_will_know_the_coin() -> None:
    for game in (guessing(), guessing(deal=deal), guessing(deal=deal, opened=opened)):
        found = game.analyze(CHOICE, nodes=20, method="worlds", multipv=2)
        assert {line.move: line.value for line in found.lines} == {GO_ON: 2, STOP: 1}
        assert found.nodes == 20


def test_an_open_game_is_solved_where_the_game_says_how() -> None:
    game = guessing(deal=deal, opened=opened)
    assert search_of(game) == "worlds"
    assert search_of(guessing()) == "ismcts"
    assert game.analyze(CHOICE, nodes=5).best == GO_ON


@pytest.mark.parametrize("method", ["ismcts", "worlds"])
@pytest.mark.parametrize("changes", [{}, {"deal": deal}])
def test_what_is_hidden_changes_nothing(method: str, changes: dict[str, Any]) -> None:
    game = guessing(**changes)
    for s in (CHOICE, State(1, 1 + GO_ON, 0)):
        for seed in range(5):
            one, other = (
                game.analyze(t, nodes=101, seed=seed, method=method, multipv=2)
                for t in (s, swapped(s))
            )
            assert [(x.move, x.value, x.visits) for x in one.lines] == [
                (x.move, x.value, x.visits) for x in other.lines
            ]


def test_another_seed_deals_otherwise() -> None:
    game = guessing()
    guess = State(1, 1 + GO_ON, 0)
    values = {game.analyze(guess, nodes=11, seed=seed, method="worlds").value for seed in range(8)}
    assert len(values) > 1


@pytest.mark.parametrize("changes", [{}, {"deal": deal}])
def test_interpreted_and_compiled_agree(changes: dict[str, Any]) -> None:
    game = guessing(**changes)
    for s in (CHOICE, State(2, 1 + GO_ON, 0)):
        found = []
        for interpreted in (True, False):
            search = InformationSearch(game, s, seed=3)
            search.prepare(interpreted=interpreted)
            found.append(search.run(Limits(nodes=300), multipv=2))
        assert [(x.move, x.value, x.visits) for x in found[0].lines] == [
            (x.move, x.value, x.visits) for x in found[1].lines
        ]


def test_both_sides_of_the_coin_are_dealt() -> None:
    for changes in ({}, {"deal": deal}):
        dealer = Dealer(guessing(**changes))
        assert {dealer.deal(CHOICE, seed).coin for seed in range(20)} == {1, 2}


def test_rules_that_cannot_be_compiled_are_played_all_the_same() -> None:
    coins = {1: 1, 2: 2}
    game = guessing(
        utility=lambda s: 1 if s.done == 1 else 2 if s.done == 3 + coins[s.coin] else -2
    )
    assert game.analyze(CHOICE, nodes=300).best == STOP
    dealer = Dealer(game)
    assert {dealer.deal(CHOICE, seed).coin for seed in range(20)} == {1, 2}


def test_threads_share_the_work() -> None:
    for method in ("ismcts", "worlds"):
        found = guessing(deal=deal).analyze(CHOICE, nodes=400, threads=2, method=method)
        assert found.nodes == 400


def test_what_partners_agreed_is_done() -> None:
    game = guessing(deal=deal, agreed=lambda s: GO_ON if s.done == 0 else None)
    for method in ("ismcts", "worlds"):
        assert game.analyze(CHOICE, nodes=50, method=method).best == GO_ON
        guess = game.analyze(State(1, 1 + GO_ON, 0), nodes=50, method=method, multipv=2)
        assert {line.move for line in guess.lines} == {GUESS + 1, GUESS + 2}


def test_a_finished_game_has_its_value() -> None:
    over = State(2, 1 + GUESS + 2, 0)
    for method in ("ismcts", "worlds"):
        found = guessing().analyze(over, nodes=5, method=method)
        assert (found.best, found.value, found.exact) == (None, 2, True)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"depth": 3}, "has no depth to limit"),
        ({"depth": 3, "method": "worlds"}, "have no depth to limit"),
        ({"exact": True}, "ismcts has no exact mode; leave out exact"),
        ({"selective": {"filter": 3}}, "ismcts has no filter"),
        ({"method": "mcts"}, "Monte Carlo tree search is for games of perfect information"),
        ({"method": "alphabeta"}, "alpha-beta is for games of perfect information"),
        ({"method": "world"}, "there is no method 'world': did you mean worlds"),
    ],
)
def test_what_makes_no_sense_is_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ThreefoldError, match=words):
        guessing().analyze(CHOICE, **options)


@pytest.mark.parametrize("method", ["ismcts", "worlds"])
def test_games_that_hide_nothing_are_refused(method: str) -> None:
    open_game = guessing().with_nothing_hidden()
    with pytest.raises(ThreefoldError, match="is for games that hide something, and Guessing"):
        open_game.analyze(CHOICE, nodes=5, method=method)


@pytest.mark.parametrize("method", ["ismcts", "worlds"])
def test_nature_has_no_move_to_choose(method: str) -> None:
    with pytest.raises(ThreefoldError, match="nature is to move"):
        guessing().analyze(State(0, 0, CHANCE), nodes=5, method=method)


def test_an_observation_that_is_never_met_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    game = guessing(observe=lambda s, p: (s.coin * s.done, s.done, s.turn))
    elsewhere = State(7, 1 + GO_ON, 0)
    with pytest.raises(ThreefoldError, match="no random game came to what the player sees"):
        game.analyze(elsewhere, nodes=1, method="worlds")


def test_levels_play_both_ways() -> None:
    for changes in ({}, {"deal": deal, "opened": opened}):
        game = guessing(**changes)
        for level in (LEVELS[2], LEVELS[9]):
            moves = {Opponent(game, level, seed=seed).choose(CHOICE) for seed in range(3)}
            assert moves <= {STOP, GO_ON}


def test_levels_say_how_they_play() -> None:
    assert LEVELS[4].described("worlds") == "judges 16 deals per move"
    assert LEVELS[0].described("worlds") == "judges 1 deal per move, slips 50 % of the time"
    assert LEVELS[4].described("ismcts") == "makes 800 simulations per move"


@pytest.mark.parametrize(
    "line", ["ismcts(simulations=50)", "worlds(deals=5,threads=2)", "worlds(time=0.01)", "level(3)"]
)
def test_players_of_matches(line: str) -> None:
    game = guessing(deal=deal)
    player = make(parse_line(line), game, Budget(nodes=10))
    player.prepare()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("ismcts", "needs time=SECONDS or simulations=N"),
        ("worlds", "needs time=SECONDS or deals=N"),
        ("worlds(deals=5,exploration=1)", "has no option 'exploration'"),
        ("ismcts(simulations=9,threads=none)", "'none' is not a whole number above 0"),
    ],
)
def test_lines_that_are_wrong(line: str, words: str) -> None:
    with pytest.raises(ThreefoldError, match=words):
        make(parse_line(line), guessing(), Budget())


def test_deals_are_judged_by_searches_of_a_size() -> None:
    with pytest.raises(ThreefoldError, match="nodes_a_deal"):
        Worlds(guessing(), nodes_a_deal=0)
    few = searcher(guessing(deal=deal)).analyze(CHOICE, Limits(nodes=3))
    assert few.nodes == 3
