"""Nets that propose moves: their arithmetic, their files, and who may use them."""

from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from random_nets import random_net, random_policy_net

from threefold import Game, ThreefoldError, game
from threefold.engine.analysis import Engine
from threefold.engine.compile import Compiled
from threefold.engine.limits import Limits
from threefold.engine.nets import BadNet, feature_words, loaded, viewer
from threefold.engine.policy_nets import MOST_MOVES, PolicyNet, Shape, fits_moves
from threefold.engine.policy_search import PolicySearcher
from threefold.engine.policy_values import PolicyValues, SharedValues
from threefold.engine.searchers import compiled_for, searcher, tree_searcher
from threefold.errors import BadGame
from threefold.gpu.on_gpu import OnGpu
from threefold.rules.planes import Planes

TIC_TAC_TOE = game("tic-tac-toe")
LIMITS = Limits(nodes=300)
GAMES = ["tic-tac-toe", "connect-four", "othello(size=6)", "go(size=5)", "nim(heaps=3-4-5)"]


def some_rows(net: PolicyNet[Any], count: int, seed: int = 0) -> Any:
    """Words of features, as they might be."""
    rng = np.random.default_rng(seed)
    return rng.integers(-(1 << 63), 1 << 63, (count, net.shape.words), np.int64, endpoint=False)


def by_the_book(net: PolicyNet[Any], words: Any) -> tuple[list[float], list[float]]:
    """The logits and the chances of one position, cell by cell."""
    shape, w = net.shape, {name: each.astype(float) for name, each in net.weights.items()}
    bits = [int(word) >> i & 1 for word in words for i in range(64)]
    cells = list(product(range(shape.rows), range(shape.columns)))
    plane = 64 * shape.plane_words

    def around(x: dict[Any, Any], row: int, column: int) -> Any:
        if not shape.planes:
            return x[0, 0]
        nothing = np.zeros_like(x[0, 0])
        places = product((row - 1, row, row + 1), (column - 1, column, column + 1))
        return np.concatenate([x.get(place, nothing) for place in places])

    plain = np.array(bits[plane * shape.planes :], float) @ w["plain_weights"] + w["first_biases"]
    x: dict[Any, Any] = dict.fromkeys(cells, np.maximum(plain, 0))
    if shape.planes:
        seen = {
            cell: np.array([bits[p * plane + bit] for p in range(shape.planes)], float)
            for cell, bit in zip(cells, shape.bits, strict=True)
        }
        x = {c: np.maximum(around(seen, *c) @ w["first_weights"] + plain, 0) for c in cells}
    for block in range(shape.blocks):
        a, b = f"block_{block}a", f"block_{block}b"
        y = {c: np.maximum(around(x, *c) @ w[f"{a}_weights"] + w[f"{a}_biases"], 0) for c in cells}
        x = {
            c: np.maximum(x[c] + around(y, *c) @ w[f"{b}_weights"] + w[f"{b}_biases"], 0)
            for c in cells
        }
    policy = [np.maximum(x[c] @ w["policy_weights"] + w["policy_biases"], 0) for c in cells]
    value = [np.maximum(x[c] @ w["value_weights"] + w["value_biases"], 0) for c in cells]
    if shape.cell_moves:
        logits = np.zeros(shape.moves)
        logits[list(shape.cell_moves)] = [float((each @ w["cell_weights"])[0]) for each in policy]
        mean = sum(x.values()) / len(cells)
        logits[list(shape.other_moves)] = mean @ w["other_weights"] + w["other_biases"]
    else:
        logits = np.concatenate(policy) @ w["move_weights"] + w["move_biases"]
    units = np.maximum(np.concatenate(value) @ w["unit_weights"] + w["unit_biases"], 0)
    results = np.exp(units @ w["result_weights"] + w["result_biases"])
    return list(logits), list(results / results.sum())


# Arithmetic.


@pytest.mark.parametrize("spec", GAMES)
def test_arithmetic(spec: str) -> None:
    """By matrix products as cell by cell, whichever positions are computed together."""
    net = random_policy_net(game(spec))
    rows = some_rows(net, 70)
    logits, chances = PolicyValues(net).outputs(rows)
    for i in (0, 1, 69):
        expected = by_the_book(net, rows[i])
        assert np.allclose(logits[i], expected[0], rtol=1e-3, atol=1e-3)
        assert np.allclose(chances[i], expected[1], rtol=1e-3, atol=1e-3)
    values = PolicyValues(net)
    again = [values(rows[i : i + 1]) for i in range(3)]  # its memory is used again
    assert np.allclose([each[0][0] for each in again], logits[:3], rtol=1e-4, atol=1e-4)
    assert np.allclose([each[1][0] for each in again], chances[:3, 2] - chances[:3, 0], atol=1e-4)


@pytest.mark.parametrize("spec", GAMES)
def test_pytorch_computes_the_same(spec: str) -> None:
    pytest.importorskip("torch", reason='needs PyTorch: pip install "threefold[learn]"')
    from threefold.learn.policy_model import PolicyModel, TorchValues

    of = game(spec)
    model: PolicyModel[Any] = PolicyModel(Shape.of(of, 8, 2), 0, 0.01)
    for net in (model.net(of), random_policy_net(of, 1)):
        rows = some_rows(net, 9)
        for one, other in zip(TorchValues(net)(rows), PolicyValues(net)(rows), strict=True):
            assert np.allclose(one, other, rtol=1e-3, atol=1e-3)
    # Batch normalization is folded into the weights; the file rounds them.
    import torch

    model.network.eval()
    with torch.no_grad():
        logits, results, owners = model.network(*model._inputs(rows))
    assert owners is None
    said = PolicyValues(model.net(of)).outputs(rows)
    assert np.allclose(logits, said[0], atol=0.02)
    assert np.allclose(results.softmax(dim=1), said[1], atol=0.02)


def test_what_it_says_is_to_max() -> None:
    net = random_policy_net(TIC_TAC_TOE)
    judged = TIC_TAC_TOE.judged_by(net)
    for text in ("X../.../... O", "X../.../..O X"):
        s = judged.parse(text)
        words = feature_words(TIC_TAC_TOE, s, viewer(TIC_TAC_TOE, s))
        _, chances = PolicyValues(net).outputs(np.array([words], np.int64))
        loss, draw, win = map(float, chances[0])
        if text.endswith("O"):
            loss, win = win, loss
        assert net.outlook(s) == pytest.approx({1: win, 0: draw, -1: loss})
        assert judged.evaluate(s) == round(1000 * (win - loss))
        assert net.win(s) == pytest.approx(win + draw / 2)
        assert Compiled(judged).evaluate(s) == judged.evaluate(s)


def test_policies_are_chances_of_legal_moves() -> None:
    net = random_policy_net(TIC_TAC_TOE)
    s = TIC_TAC_TOE.parse("XO./.X./..O X")
    policy = net.policy(s)
    assert sorted(policy) == TIC_TAC_TOE.moves(s)
    assert sum(policy.values()) == pytest.approx(1)
    assert list(policy.values()) == sorted(policy.values(), reverse=True)


def test_shapes() -> None:
    assert str(Shape.of(game("connect-four"), 32, 4)) == "4 planes of 7×6, 4 blocks of 32 channels"
    assert str(Shape.of(game("nim"), 32, 1)) == "64 inputs, 1 block of 32 units"


# Files.


def test_files(tmp_path: Path) -> None:
    net = random_policy_net(TIC_TAC_TOE)
    path = tmp_path / "net.npz"
    net.save(path)
    again = loaded(path, TIC_TAC_TOE)
    assert isinstance(again, PolicyNet)
    assert (again.shape, again.made, again.name) == (net.shape, net.made, "net.npz")
    assert all((again.weights[name] == each).all() for name, each in net.weights.items())
    judged = TIC_TAC_TOE.using(str(path))
    assert judged.evaluation == "net.npz"
    assert isinstance(judged.net, PolicyNet)


def changed(**changes: Any) -> dict[str, Any]:
    arrays = random_policy_net(TIC_TAC_TOE).arrays() | changes
    return {name: value for name, value in arrays.items() if value is not None}


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        (changed(policy=np.int64(2)), "has format 2; this version reads 1"),
        (changed(features=np.array("x")), "was made for another version of tic-tac-toe"),
        (changed(game=np.array("nim"), features=np.array("x")), "was made for nim, whose"),
        (changed(blocks=np.int64(0)), "has 0 blocks of 4 channels"),
        (changed(channels=np.int64(1 << 40)), "blocks of 1099511627776 channels"),
        (changed(channels=np.int64(5)), "the layers do not fit together"),
        (changed(moves=np.int64(7)), "tells 7 moves apart, which tic-tac-toe has not"),
        (changed(unit_biases=None), "is not a net, or a damaged one: 'unit_biases"),
        (changed(unit_biases=np.zeros(32)), "the layers do not fit together"),
        (
            changed(unit_biases=np.full(32, np.nan, np.float16)),
            "a weight of unit_biases is not a finite number",
        ),
        (changed(made=np.array("{")), "is not a net, or a damaged one"),
    ],
)
def test_bad_files(tmp_path: Path, arrays: dict[str, Any], message: str) -> None:
    path = tmp_path / "net.npz"
    np.savez(path, **arrays)
    with pytest.raises(BadNet, match=message):
        loaded(path, TIC_TAC_TOE)


def test_a_net_for_another_game_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "net.npz"
    random_policy_net(TIC_TAC_TOE).save(path)
    with pytest.raises(BadNet, match="was made for tic-tac-toe, whose features are not those of"):
        game("connect-four").using(str(path))
    random_net(TIC_TAC_TOE).save(path)  # of the other kind
    assert not isinstance(loaded(path, TIC_TAC_TOE), PolicyNet)
    with pytest.raises(BadNet, match="is not a net, or a damaged one"):
        PolicyNet.load(path, TIC_TAC_TOE)


@pytest.mark.parametrize(
    ("moves", "of", "fits"),
    [(TIC_TAC_TOE.facts.move_range, "tic-tac-toe", True), (16, "tic-tac-toe", False)]
    + [(moves, "many", fits) for moves, fits in ((1, True), (256, True), (100, False), (0, False))]
    + [(MOST_MOVES, "many", True), (2 * MOST_MOVES, "many", False)],
)
def test_how_many_moves_a_net_tells_apart(moves: int, of: str, fits: bool) -> None:
    many: Game[Any] = Game(
        "Many",
        initial=TIC_TAC_TOE.hooks["initial"],
        actions=TIC_TAC_TOE.hooks["actions"],
        result=TIC_TAC_TOE.hooks["result"],
        utility=TIC_TAC_TOE.hooks["utility"],
    )
    assert fits_moves(moves, many if of == "many" else TIC_TAC_TOE) == fits


# Who may use them.


def test_tree_search_uses_them() -> None:
    judged = TIC_TAC_TOE.judged_by(random_policy_net(TIC_TAC_TOE))
    for made in (searcher(judged), tree_searcher(judged)):
        assert isinstance(made, PolicySearcher)
    searcher(judged, compiled=compiled_for(judged)).analyze(None, None)
    assert judged.analyze(nodes=20).nodes == 20


@pytest.mark.parametrize("spec", ["go(size=5)", "nim(heaps=3-4-5)"])
def test_threads_share_the_positions(spec: str) -> None:
    """Each says the same of a position whoever computes it, and with whichever others."""
    of = game(spec)
    net = random_policy_net(of)
    rows = some_rows(net, 17)
    said = list(map(PolicyValues(net), rows[:, None]))
    alone = [np.concatenate([each[i] for each in said]) for i in range(2)]
    for threads in (2, 3, 20):
        shared = SharedValues(net, threads)
        for one, other in zip(alone, shared(rows), strict=True):
            assert (one == other).all()
    judged = of.judged_by(net)
    found = [tree_searcher(judged, threads=threads).analyze(None, LIMITS) for threads in (1, 2)]
    assert found[0].nodes == found[1].nodes
    assert found[0].to_json()["moves"] == found[1].to_json()["moves"]
    with pytest.raises(ThreefoldError, match="threads 0 is not"):
        tree_searcher(judged, threads=0).analyze(None, LIMITS)


def test_others_refuse_them() -> None:
    judged = TIC_TAC_TOE.judged_by(random_policy_net(TIC_TAC_TOE, name="zero.npz"))
    with pytest.raises(ThreefoldError, match=r"zero\.npz proposes moves, which alpha-beta cannot"):
        Engine(judged)
    with pytest.raises(ThreefoldError, match="which alpha-beta cannot use; use the method mcts"):
        judged.analyze(depth=3)
    with pytest.raises(ThreefoldError, match="which a GPU cannot use"):
        OnGpu(judged)
    with pytest.raises(ThreefoldError, match="so that rave= means nothing"):
        tree_searcher(judged, rave=100)
    with pytest.raises(ThreefoldError, match="tree search has no exact mode"):
        searcher(judged).start(None, exact=True)


def test_games_of_chance_are_refused() -> None:
    with pytest.raises(ThreefoldError, match="is for games without chance"):
        PolicySearcher(game("dice-nim"))


# Planes.


@pytest.mark.parametrize(
    ("planes", "message"),
    [
        ("8x8", "planes='8x8' is not a Planes"),
        (Planes(columns=0, rows=1, count=1), "columns=0 of planes is not a whole number from 1"),
        (Planes(columns=1, rows=99, count=1), "rows=99 of planes is not a whole number from 1"),
        (Planes(columns=3, rows=3, count=1, bits=[1]), "has 1 bits for 9 cells"),
        (Planes(columns=2, rows=1, count=1, bits=[1, 1]), "a different bit for each cell, from 0"),
        (Planes(columns=9, rows=9, count=1), "a different bit for each cell, from 0 to 63"),
    ],
)
def test_planes_that_cannot_be(planes: Any, message: str) -> None:
    names = ("initial", "actions", "result", "utility")
    hooks: dict[str, Any] = {name: TIC_TAC_TOE.hooks[name] for name in names}
    with pytest.raises(BadGame, match=message):
        Game("Odd", **hooks, planes=planes)


def test_planes_beyond_the_features_are_refused() -> None:
    names = ("initial", "actions", "result", "utility")
    hooks: dict[str, Any] = {name: TIC_TAC_TOE.hooks[name] for name in names}
    odd: Game[Any] = Game("Odd", **hooks, planes=Planes(columns=3, rows=3, count=60))
    with pytest.raises(BadNet, match="planes says more words than features writes"):
        Shape.of(odd, 8, 1)


def test_weights_that_are_too_large_are_refused() -> None:
    net = random_policy_net(TIC_TAC_TOE, name="huge.npz")
    huge = {each: np.full_like(weights, 60000) for each, weights in net.weights.items()}
    with pytest.raises(BadNet, match=r"huge\.npz: its weights are too large to compute with"):
        replace(net, weights=huge).evaluate(TIC_TAC_TOE.initial())
