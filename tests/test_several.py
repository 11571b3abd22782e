"""More than two players: the contract, MAX^N and PARANOID on games, and who refuses them."""

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import nim
import pytest
from hypothesis import given
from hypothesis import strategies as st

from threefold import CHANCE, Game, ThreefoldError, conformance, game
from threefold.cli.main import main
from threefold.engine.mcts import MonteCarlo
from threefold.errors import BadGame, NotCompilable
from threefold.solve import prove
from threefold.textbook.explain import PROCEDURES, WITH_PAYOFFS, explain
from threefold.textbook.narration import narrate
from threefold.textbook.picture import draw
from threefold.textbook.replay import scene
from threefold.textbook.terminal import draw_tree
from threefold.textbook.tikz import tikz
from threefold.textbook.tree import parse_tree

EXAMPLE = Path(__file__).parents[1] / "examples" / "coin_row.py"


class Stones(NamedTuple):
    stones: int
    turn: int


def result(s: Stones, a: int) -> Stones:
    return Stones(s.stones - a, (s.turn + 1) % 3)


def utility(s: Stones, p: int) -> int:  # who took the last stone has won from both others
    return 2 if p == (s.turn - 1) % 3 else -1


def stones(**changes: Any) -> Game[Any]:
    """Three take one, two or three stones in turn; the last one wins."""
    hooks: dict[str, Any] = {
        "initial": lambda: Stones(5, 0),
        "actions": nim.actions,
        "result": result,
        "utility": utility,
        "players": 3,
    }
    return Game("Three take", **(hooks | changes))


# Two plain recursions, from nothing but the rules.


def best_payoffs(of: Game[Any], s: Any) -> tuple[int, ...]:
    """MAX^N: the first of the moves that are best for whoever moves."""
    moves = of.moves(s)
    if not moves:
        return tuple(of.utility(s, p) for p in range(of.facts.players))
    return max((best_payoffs(of, of.result(s, a)) for a in moves), key=lambda v: v[of.player(s)])


def guaranteed(of: Game[Any], s: Any, me: int) -> int:
    """What `me` gets if everybody else only wants to prevent it."""
    moves = of.moves(s)
    if not moves:
        return of.utility(s, me)
    best = max if of.player(s) == me else min
    return best(guaranteed(of, of.result(s, a), me) for a in moves)


@pytest.mark.parametrize("heap", range(1, 9))
def test_a_game_of_three(heap: int) -> None:
    g, s = stones(), Stones(heap, heap % 3)
    assert g.explain("maxn", s).value == best_payoffs(g, s)
    assert g.explain("paranoid", s).value == guaranteed(g, s, s.turn)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=7))
def test_rows_of_coins(coins: list[int]) -> None:
    row = game(f"{EXAMPLE}(coins={'-'.join(map(str, coins))})")
    start = row.initial()
    assert row.explain("maxn").value == best_payoffs(row, start)
    assert row.explain("paranoid").value == guaranteed(row, start, 0)


def test_in_the_example_the_two_choose_differently() -> None:
    row = game(str(EXAMPLE))
    assert (row.explain("maxn").value, row.explain("maxn").path[0]) == ((8, 6, 3), "left")
    assert (row.explain("paranoid").value, row.explain("paranoid").path[0]) == (6, "right")
    # Neither choice is a tie.
    after = [row.result(row.initial(), a) for a in row.moves(row.initial())]
    assert [best_payoffs(row, s)[0] for s in after] == [8, 6]
    assert [guaranteed(row, s, 0) for s in after] == [5, 6]


# A written tree and a game with the same payoffs.


def written(of: Game[Any], s: Any) -> str:
    moves = of.moves(s)
    if not moves:
        return f"<{','.join(str(of.utility(s, p)) for p in range(of.facts.players))}>"
    return f"({' '.join(written(of, of.result(s, a)) for a in moves)})"


def tree_game(players: int, seed: int) -> Game[Any]:
    """A game on a random tree; the state is the way to a node."""
    rng = random.Random(seed)
    payoffs: dict[tuple[int, ...], tuple[int, ...]] = {}
    families: dict[tuple[int, ...], int] = {}

    def grow(way: tuple[int, ...]) -> None:
        families[way] = 0 if len(way) > 3 or (way and rng.random() < 0.2) else rng.randint(1, 3)
        if not families[way]:
            payoffs[way] = tuple(rng.randint(-3, 3) for _ in range(players))
        for a in range(families[way]):
            grow((*way, a))

    def actions(way: tuple[int, ...], out: Any) -> int:
        for a in range(families[way]):
            out[a] = a
        return families[way]

    grow(())
    return Game(
        "Tree",
        players=players,
        initial=lambda: (),
        player=lambda way: len(way) % players,
        actions=actions,
        result=lambda way, a: (*way, a),
        utility=lambda way, p: payoffs[way][p],
        zero_sum=False,
    )


@pytest.mark.parametrize("procedure", sorted(WITH_PAYOFFS))
@given(st.integers(3, 5), st.integers(0, 10_000))
def test_a_written_tree_gives_the_same_answer(procedure: str, players: int, seed: int) -> None:
    g = tree_game(players, seed)
    of_game, of_text = g.explain(procedure), explain(procedure, parse_tree(written(g, ())))
    assert of_game.value == of_text.value
    assert [e.kind for e in of_game.events] == [e.kind for e in of_text.events]
    assert len(of_game.path) == len(of_text.path)
    assert len(of_game.pruned) == len(of_text.pruned)


@pytest.mark.parametrize("spec", ["nim(heaps=2-2)", "nim(heaps=1-3,misere=true)"])
def test_two_players_with_payoffs_get_what_minimax_says(spec: str) -> None:
    g = game(spec)
    value = g.explain("minimax").value
    assert g.explain("maxn").value == (value, -value)
    assert g.explain("paranoid").value == value
    assert g.explain("paranoid").path == g.explain("alphabeta").path
    assert {e["player"] for e in g.explain("maxn").events if e.kind == "enter"} == {"MAX", "MIN"}


def test_two_players_and_a_depth_limit() -> None:
    g = game("tic-tac-toe")
    value = g.explain("minimax", depth=2).value
    assert g.explain("maxn", depth=2).value == (value, -value)
    for_o = g.explain("paranoid", "X../.../... O", depth=1)
    assert for_o.value == -g.explain("minimax", "X../.../... O", depth=1).value


def test_a_game_that_is_not_zero_sum() -> None:
    g = nim.nim(
        initial=lambda: nim.State(4, 0),
        utility=lambda s: (3, 1) if s.turn == 1 else (0, 2),
        zero_sum=False,
    )
    assert g.explain("maxn").value == (0, 2)
    assert g.explain("maxn", depth=1).value == (0, 0)
    mine = nim.nim(zero_sum=False)
    with pytest.raises(ThreefoldError, match="utility returned 1, one payoff"):
        mine.explain("maxn", "stones=1,turn=0")


def test_chance_averages_the_payoffs() -> None:
    tree = parse_tree("(~(1/4*<4,0,0> 3/4*<0,8,4>) <0,9,9>)")
    assert explain("maxn", tree).value == (1, 6, 3)
    assert explain("paranoid", tree).value == 1
    dice = game("dice-nim(stones=3,faces=2)")
    value = dice.explain("expectiminimax").value
    assert dice.explain("maxn").value == (value, -value)
    assert dice.explain("paranoid").value == value


def test_a_player_may_move_twice_and_nature_between() -> None:
    def player(s: Stones) -> int:
        return CHANCE if s.stones == 3 else s.turn

    def outcomes(_: Stones, out: Any, weight: Any) -> int:
        out[0], out[1], weight[0], weight[1] = 1, 2, 1, 3
        return 2

    def keeps_the_turn(s: Stones, a: int) -> Stones:
        return Stones(s.stones - a, s.turn if a == 1 or s.stones == 3 else (s.turn + 1) % 3)

    g = stones(player=player, outcomes=outcomes, result=keeps_the_turn, zero_sum=False)
    # From 4: one stone, then nature takes one (1/4) or two (3/4) of three; or two; or all but one.
    assert g.explain("maxn", "stones=2,turn=0").path == ["2"]
    assert g.explain("maxn", "stones=3,turn=0").value == (
        # Of the last one or two stones player 0 takes two and passes, or one and stays.
        sum(w * v for w, v in ((0.25, 2), (0.75, -1))),
        *(sum(w * v for w, v in ((0.25, -1), (0.75, v2))) for v2 in (-1, 2)),
    )


# Names in the trace, the sentences and the pictures.


@pytest.mark.parametrize("procedure", sorted(WITH_PAYOFFS))
def test_players_are_called_by_their_names(procedure: str) -> None:
    explained = game(str(EXAMPLE)).explain(procedure)
    movers = {e.node: e["player"] for e in explained.events if e.kind == "enter"}
    assert [movers[node] for node in (".", "left", "left/left")] == ["Ann", "Ben", "Cid"]
    sentences = narrate(explained.events)
    assert any(sentence.startswith("Cid is to move at left/left") for sentence in sentences)
    assert not any("MAX" in sentence or "MIN" in sentence for sentence in sentences)
    outline = draw_tree(scene(explained.events))
    assert "■ . (Ann)" in outline
    assert "▲" not in outline
    assert ">Ben</text>" in draw(explained.events)
    assert "{Ben}" in tikz(explained.events)


def test_a_pruned_node_is_nobodys() -> None:
    explained = game(str(EXAMPLE)).explain("paranoid")
    assert explained.pruned
    shape = scene(explained.events).shape
    assert {shape.player[node] for node in explained.pruned} == {""}


def test_without_names_players_have_numbers() -> None:
    g = stones()
    assert g.sides == ("player 1", "player 2", "player 3")
    assert g.facts.players == 3
    assert str(g.facts).startswith("3 players")
    assert g.payoffs(Stones(0, 1)) == (2, -1, -1)
    outcome = g.outcome([Stones(0, 1)])
    assert outcome is not None
    said = "the payoffs are player 1 2, player 2 -1, player 3 -1"
    assert outcome.sentence(g.sides) == said
    assert outcome.winner is None


# What a definition may not say, and what conformance finds.


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"players": 1}, "players=1 is not a whole number of at least 2"),
        ({"players": "3"}, "players='3' is not a whole number"),
        ({"utility": lambda s: 1}, r"utility takes \(s\); it is called with \(s, p\)"),
        ({"evaluate": lambda s: 1}, r"evaluate takes \(s\); it is called with \(s, p\)"),
        ({"bounds": lambda s: (-1, 2)}, "bounds is for games of two players"),
        ({"null_move": lambda s: s}, "null_move is for games of two players"),
        ({"sides": ("a", "b")}, "is not a name for each of 3 players"),
        ({"sides": ("a", "b", "a")}, "needs a different name for each player"),
    ],
)
def test_definitions_that_do_not_fit(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(BadGame, match=words):
        stones(**changes)


def test_two_players_have_one_utility() -> None:
    with pytest.raises(BadGame, match=r"utility takes .*; it is called with \(s\)$"):
        stones(players=2, result=nim.result)


def test_conformance_of_three() -> None:
    report = conformance(stones(evaluate=lambda s, p: p - 1), games=20)
    assert report.ok, str(report)
    assert not report.compiled
    assert "the compiled way is for two players" in report.note


@pytest.mark.parametrize(
    ("changes", "check", "words"),
    [
        ({"utility": lambda s, p: int(p == s.turn)}, "zero-sum", "1, 0, 0 add up to 1, not to 0"),
        ({"utility": lambda s, p: "one"}, "utility", "not a whole number"),
        ({"player": lambda s: s.turn + 1}, "player", "it is 0 to 2 or CHANCE"),
        ({"initial": lambda: Stones(5, 1)}, "turn order", "player 2 moves first"),
        (
            {"initial": lambda: Stones(9, 0), "result": lambda s, a: Stones(s[0] - a, 1 - s[1])},
            "turn order",
            "player 3 never moved",
        ),
        ({"evaluate": lambda s, p: p / 2}, "evaluation evaluate", "not a whole number"),
        ({"drawn": lambda s: 2 if s.stones == 1 else 0}, "drawn", "its utility is not 0"),
        (
            {"symmetries": [lambda s: Stones(s.stones, s.turn if s.stones else (s.turn + 1) % 3)]},
            "symmetries",
            "symmetry 1",
        ),
        ({"key": lambda s: s.stones}, "key", "two positions with different futures"),
    ],
)
def test_conformance_finds(changes: dict[str, Any], check: str, words: str) -> None:
    report = conformance(stones(**changes), games=20)
    found = {defect.check: defect.sentence for defect in report.defects}
    assert words in found.get(check, ""), str(report)


def test_a_position_of_a_fourth_player() -> None:
    with pytest.raises(ThreefoldError, match="it is player 3's turn; there are 0 to 2"):
        stones().parse("stones=5,turn=3")


# Everything else is for two players, and says so.

DOORS: dict[str, Callable[[Game[Any]], object]] = {
    "analyze": lambda g: g.analyze(depth=1),
    "mcts": lambda g: g.analyze(nodes=10, method="mcts"),
    "best": lambda g: g.best(depth=1),
    "solve": lambda g: g.solve(),
    "solver": lambda g: g.solver(),
    "prove": lambda g: prove(g, g.initial()),
    "play": lambda g: g.play(),
    "simulations": lambda g: MonteCarlo(g, g.initial()),
    **{
        name: lambda g, name=name: g.explain(name, depth=2)  # type: ignore[misc]
        for name in PROCEDURES
        if name not in WITH_PAYOFFS
    },
}


@pytest.mark.parametrize("door", DOORS)
def test_searches_for_two_refuse_by_name(door: str) -> None:
    with pytest.raises(ThreefoldError) as caught:
        DOORS[door](stones())
    said = str(caught.value)
    assert said.endswith(" is for two players; Three take has 3: try explain maxn")
    assert door not in PROCEDURES or said.startswith(door)


def test_the_compiled_way_refuses() -> None:
    with pytest.raises(NotCompilable, match="the compiled way is for two players"):
        stones().compiled()
    with pytest.raises(ThreefoldError, match="the compiled way is for two players"):
        stones().perft(depth=2)
    assert stones().perft(depth=2, way="interpreted") == 8


@pytest.mark.parametrize(
    "command",
    [
        ["analyze"],
        ["solve"],
        ["play"],
        ["lab"],
        ["explain", "alphabeta", "--game"],
        ["compare", "--game"],
    ],
)
def test_commands_for_two_refuse_by_name(
    command: Sequence[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command, str(EXAMPLE)]) == 2
    said = capsys.readouterr().err
    assert "is for two players; Coin row has 3: try explain maxn" in said
    assert said.count("\n") == 1


def test_another_order_of_the_moves(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "maxn", "--game", str(EXAMPLE), "--order", "random", "--json"]) == 0
    assert '"value": [8, 6, 3]' in capsys.readouterr().out
    assert main(["explain", "maxn", "--game", "nim(heaps=3)", "--order", "random"]) == 0
    assert main(["explain", "minimax", "--game", str(EXAMPLE), "--order", "random"]) == 2
    assert "minimax is for two players" in capsys.readouterr().err
    assert main(["explain", "maxn", "--game", str(EXAMPLE), "--order", "best-first"]) == 2
    assert "no single value" in capsys.readouterr().err
