"""Go on boards from 2×2 to 19×19."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from threefold.errors import BadGame
from threefold.games.go.drawing import drawing
from threefold.games.go.handicap import handicap_points
from threefold.games.go.notation import Points, notation, score_text
from threefold.games.go.rules import rules
from threefold.rules.contract import Action
from threefold.rules.facts import Typical
from threefold.rules.game import Game
from threefold.rules.records import Scales, Territory

SMALLEST, LARGEST = 2, 19
#: The net that comes with the game, and its board. It learned with a komi of 7, which it does not
#: see: with a smaller one it thinks too little of black's chances.
NET, NET_SIZE = Path(__file__).with_name("net.npz"), 9
#: No board has more points to win, so no larger komi makes sense.
_MOST_KOMI = LARGEST * LARGEST
TYPICAL = {
    9: Typical(branching=33, length=124, source="random play"),
    19: Typical(branching=250, length=150, source="Allis 1994"),
}


def go(size: int = 9, komi: float = 7.0, handicap: int = 0) -> Game[Any]:
    """Surround more of the board than your opponent; stones without a liberty are captured."""
    if not isinstance(size, int) or not SMALLEST <= size <= LARGEST:
        raise BadGame(f"go: size={size} is not from {SMALLEST} to {LARGEST}")
    if not abs(komi) <= _MOST_KOMI or komi * 2 != int(komi * 2):
        raise BadGame(
            f"go: komi={komi:g} is not a number of points or half points from "
            f"-{_MOST_KOMI} to {_MOST_KOMI}"
        )
    points = Points(size)
    stones = points.board.set_of(handicap_points(size, handicap))
    hooks = rules(size, int(komi * 2), stones)
    margin, owners = hooks["utilities"]["area"][0], hooks["assumptions"].owners
    assert owners is not None
    words = points.board.words

    def won_by(s: Any) -> str:
        """The margin of a finished game."""
        return score_text(margin(s) / 2)

    def ending(s: Any) -> str:
        """How a finished game was counted."""
        owned = owners(s)
        black, white = points.board.count(owned[:words]), points.board.count(owned[words:])
        score = won_by(s) if margin(s) else "equal scores"
        return f"{score} (area: black {black}, white {white}; komi {komi:g})"

    def estimated(lead: float) -> str:
        """What a lead of so many points of area comes to, to the nearest half point."""
        return score_text(round(2 * (lead - komi)) / 2)

    return Game(
        "Go",
        **hooks,
        **notation(points, ending),
        draw=drawing(points, won_by),
        nets={"net": NET} if size == NET_SIZE and not handicap else {},
        typical=TYPICAL.get(size),
        record=_record(size, komi),
        record_name="SGF",
        scales=Scales(units={"area": 2}),
        territory=Territory(
            places=[points.name(cell) for cell in range(points.board.cells)], score=estimated
        ),
    )


def _record(size: int, komi: float) -> Callable[[Any, Sequence[Action]], str]:
    """How a game is written down."""

    def written(start: Any, moves: Sequence[Action]) -> str:
        from threefold.games.go import sgf

        return sgf.write(sgf.record(moves, game=go(size, komi), start=start))

    return written
