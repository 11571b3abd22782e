"""Games of hidden information, and what no procedure for open games may be asked about them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import nim
import pytest

from threefold import Game, ThreefoldError
from threefold.cli.main import main
from threefold.engine.mcts import MonteCarlo
from threefold.solve import prove
from threefold.textbook.gametree import GameNode

HIDDEN = """
import nim

game = nim.nim(observe=lambda s, p: s.turn)
"""


def hidden() -> Game[Any]:
    return nim.nim(observe=lambda s, p: s.turn)


DOORS: dict[str, Callable[[Game[Any]], object]] = {
    "analyze": lambda g: g.analyze(depth=1, method="alphabeta"),
    "mcts": lambda g: g.analyze(nodes=10, method="mcts"),
    "stream": lambda g: next(g.stream(depth=1, method="alphabeta")),
    "best": lambda g: g.best(depth=1, method="alphabeta"),
    "solver": lambda g: g.solver(),
    "prove": lambda g: prove(g, g.initial()),
    "explain": lambda g: g.explain("alphabeta", depth=2),
    "simulations": lambda g: MonteCarlo(g, g.initial()),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({"observe": lambda s, p: s.turn}, "perfect information, and Nim 20 hides some"),
        ({"zero_sum": False}, "zero-sum games, and Nim 20 is not one"),
    ],
)
def test_every_search_refuses(door: str, changes: dict[str, Any], kind: str) -> None:
    with pytest.raises(ThreefoldError, match=f"is for (games of )?{kind}"):
        DOORS[door](nim.nim(**changes))


def test_what_is_hidden_has_no_tree() -> None:
    with pytest.raises(ThreefoldError, match="perfect information, and Nim 20 hides some"):
        GameNode(hidden(), nim.initial())


@pytest.mark.parametrize(
    "command",
    [
        ("analyze", "{}", "--depth", "1", "--method", "alphabeta"),
        ("explain", "minimax", "--game", "{}", "--depth", "1"),
        ("compare", "--game", "{}", "--depth", "1"),
    ],
)
def test_every_command_refuses(
    command: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.syspath_prepend(Path(__file__).parent)
    path = tmp_path / "hidden.py"
    path.write_text(HIDDEN)
    assert main([word.replace("{}", str(path)) for word in command]) == 2
    assert "is for games of perfect information" in capsys.readouterr().err


def test_solving_needs_players_who_remember() -> None:
    """Strategies are found for games of hidden information, but not for any."""
    remembers = nim.nim(observe=lambda s, p: (s.stones, s.turn))
    with pytest.raises(ThreefoldError, match="look the same to the first player, who came there"):
        remembers.solve(progress=False)
    with pytest.raises(ThreefoldError, match="observe returned 0, not a tuple of whole numbers"):
        hidden().solve(progress=False)


def test_what_is_no_search_still_works() -> None:
    g = hidden()
    assert g.perft(depth=2, way="interpreted") == 9
    assert not g.facts.perfect_information
