"""Backgammon."""

from collections.abc import Callable, Sequence
from pathlib import Path

from threefold.errors import BadGame
from threefold.games.backgammon.cube import cubeful, without_cube
from threefold.games.backgammon.drawing import drawing
from threefold.games.backgammon.endgames import endgames
from threefold.games.backgammon.evaluation import evaluations
from threefold.games.backgammon.features import features, tesauro, with_stakes
from threefold.games.backgammon.notation import notation
from threefold.games.backgammon.rendering import rendering
from threefold.games.backgammon.rules import State, rules
from threefold.games.backgammon.stakes import POINTS_LIMIT, stakes_of
from threefold.games.backgammon.touching import board
from threefold.rules.contract import Action
from threefold.rules.facts import Typical
from threefold.rules.game import Game
from threefold.rules.records import Scales

#: By evaluation, the lead that wins three games of four between equal players.
LEADS = {"position": 500, "pips": 500}
#: What people count as one: a point.
UNITS = {"position": 1000, "pips": 1000}
#: The net that comes with the game.
NET = Path(__file__).with_name("net.npz")
#: What a net may see of a position.
INPUTS = {"all": features, "tesauro": tesauro}
TYPICAL = Typical(branching=20, length=55, source="Tesauro 1995")


def backgammon(
    cube: bool = False,
    jacoby: bool = False,
    match: int = 0,
    score: tuple[int, ...] = (0, 0),
    crawford: bool = True,
    inputs: str = "all",
) -> Game[State]:
    """Race your checkers home and bear them off, past an opponent who hits those left alone.

    With `cube`, players may double the stakes; with `jacoby`, gammons count only once they have.
    `match` is the length of a match of which this is one game, at the given `score`; `crawford`
    makes it the Crawford game, without the cube, if a player needs just one more point. `inputs` is
    what a net sees: `all`, or only what TD-Gammon's first version saw, `tesauro`.
    """
    if inputs not in INPUTS:
        raise BadGame(f"backgammon: inputs={inputs} is not one of {', '.join(INPUTS)}")
    stakes = _stakes(cube, jacoby, match, score, crawford)
    hooks = rules(cube, stakes)
    judged = evaluations(cube)
    hooks["evaluations"], hooks["terms"] = judged["evaluations"], judged["terms"]
    texts = notation(hooks["player"], cube, jacoby)
    texts["render"] = rendering(cube)
    texts["board"] = board(hooks["player"], hooks["actions"], cube)
    hooks["features"] = with_stakes(INPUTS[inputs]) if cube else INPUTS[inputs]
    return Game(
        "Backgammon",
        **hooks,
        **texts,
        **endgames(cube),
        unstaked_game=backgammon(inputs=inputs) if cube else None,
        unstaked=without_cube if cube else None,
        staked=cubeful if cube else None,
        nets={"net": NET} if inputs == "all" else {},
        draw=drawing(cube),
        record=_record(cube),
        record_name="MAT",
        finite=False,
        scales=Scales(leads=LEADS, units=UNITS, utility_unit="points"),
        typical=TYPICAL,
    )


def _record(cube: bool) -> Callable[[State, Sequence[Action]], str]:
    """How a game is written down."""

    def written(start: State, moves: Sequence[Action]) -> str:
        from threefold.games.backgammon import mat
        from threefold.games.backgammon.record import record

        return mat.write([record(moves, start, cube)])

    return written


def _stakes(cube: bool, jacoby: bool, match: int, score: tuple[int, ...], crawford: bool) -> int:
    """What the game is played for, if that makes sense."""
    if not 0 <= match < POINTS_LIMIT:
        raise BadGame(
            f"backgammon: match={match} is not a match length, from 1 to {POINTS_LIMIT - 1}, nor "
            "0, which is for money"
        )
    if (jacoby or match) and not cube:
        what = "jacoby=true" if jacoby else f"match={match}"
        raise BadGame(f"backgammon: {what} needs the cube: backgammon(cube=true,{what})")
    if jacoby and match:
        raise BadGame("backgammon: Jacoby's rule is for money, so jacoby=true needs match=0")
    given = "-".join(map(str, score))
    if len(score) == 2 and min(score) >= 0 and any(score) and not match:
        length = max(score) + 1
        raise BadGame(
            f"backgammon: score={given} needs a match, such as "
            f"backgammon(cube=true,match={length},score={given})"
        )
    if len(score) != 2 or not all(0 <= points < max(match, 1) for points in score):
        raise BadGame(
            f"backgammon: score={given} is not X's points and O's, as in 2-0, each below "
            f"match={match}"
        )
    x, o = score
    at_match_point = (x == match - 1) != (o == match - 1)
    rule = int(crawford and at_match_point) if match else int(jacoby)
    return stakes_of(rule=rule, length=match, x=x, o=o)
