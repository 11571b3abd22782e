"""The lab with a net that proposes moves."""

from pathlib import Path
from typing import Any

from random_nets import random_policy_net

from threefold import game
from threefold.cli.lab import _net
from threefold.engine.policy_nets import PolicyNet
from threefold.lab import boards, searching
from threefold.lab.gallery import Gallery
from threefold.lab.memory import Memory
from threefold.lab.requests import Request
from threefold.lab.searching import Means
from threefold.lab.stopping import Stop


def answer(news: Any) -> dict[str, Any]:
    """What is answered in the end, whatever was said before."""
    while True:
        try:
            next(news)
        except StopIteration as stopped:
            assert isinstance(stopped.value, dict)
            return stopped.value


def test_playing_against_it(tmp_path: Path) -> None:
    path = tmp_path / "zero.npz"
    random_policy_net(game("connect-four")).save(path)
    net = _net(str(path), None)
    assert isinstance(net, PolicyNet)
    means = Means(Gallery(net=net), Memory())
    fields: dict[str, object] = {"game": "connect-four", "start": "121212", "moves": []}
    found = answer(searching.analyze(means, Request(fields | {"nodes": 200}), Stop()))
    assert found["best"] == "1"
    moved = answer(searching.reply(means, Request(fields | {"level": 5}), Stop()))
    assert moved["move"] == "1"
    said = boards.evaluate(means.gallery, Request(fields))
    assert said["evaluation"] == "zero.npz"
    assert 0 <= said["win"] <= 1
    assert said["draws"]
