"""Checkers (English draughts) on 8×8 squares."""

from collections.abc import Sequence

from threefold.errors import BadGame
from threefold.games.checkers.drawing import draw
from threefold.games.checkers.notation import notation
from threefold.games.checkers.rules import State, rules
from threefold.rules.contract import Action
from threefold.rules.facts import Typical
from threefold.rules.game import Game
from threefold.rules.records import Scales

#: By evaluation, the lead that wins three games of four between equal players.
LEADS = {"strategy": 100, "material": 2}
TYPICAL = Typical(branching=2.8, length=70, source="Allis 1994")
#: So that a count of plies has four digits at most.
MOST_MOVES_WITHOUT_PROGRESS = 4999


def checkers(repetition: int = 3, move_limit: int = 40) -> Game[State]:
    """Jump over your opponent's pieces, as you must if you can. If you cannot move, you lose."""
    if repetition < 0 or repetition == 1:
        raise BadGame(f"checkers: repetition={repetition} is neither 0, for never, nor 2 or more")
    if not 0 <= move_limit <= MOST_MOVES_WITHOUT_PROGRESS:
        raise BadGame(
            f"checkers: move_limit={move_limit} is not from 0, for none, to "
            f"{MOST_MOVES_WITHOUT_PROGRESS}"
        )
    hooks = rules(repetition, move_limit)
    texts = notation(2 * move_limit, hooks["actions"])
    ends = repetition > 0 or move_limit > 0
    return Game(
        "Checkers",
        **hooks,
        **texts,
        draw=draw,
        finite=ends,
        record=_record,
        record_name="PDN",
        scales=Scales(leads=LEADS),
        typical=TYPICAL,
    )


def _record(start: State, moves: Sequence[Action]) -> str:
    from threefold.games.checkers import pdn

    return pdn.write(pdn.record(moves, start=start))
