"""Strategy fusion: how judging sampled deals open goes wrong (Frank and Basin, 1998).

The game is a bridge player's problem in miniature. A queen is missing, and either opponent may hold
it. MAX can claim, which is worth 1 for sure; or wait, and must later finesse one of them: the right
one for 2, the wrong one for −2.

    State    queen: 0 before the deal, 1 left, 2 right, 3 face down (in texts only)
             after: 0 at the start, 1 claimed, 2 waited, 3 finessed left, 4 finessed right
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from threefold.rules.contract import CHANCE, MAX
from threefold.rules.game import Game
from threefold.rules.text import shorten
from threefold.textbook.experiments.experiment import Experiment
from threefold.textbook.explain import explain
from threefold.textbook.gametree import GameNode
from threefold.textbook.regrets_run import minimize_regret
from threefold.textbook.strategy import show_share
from threefold.textbook.td_narration import aligned
from threefold.textbook.tree import Number

_HIDDEN = 3
CLAIM, WAIT, LEFT, RIGHT = 1, 2, 3, 4
_QUEENS = ("-", "left", "right", "?")
_MOVES = ("", "claim", "wait", "left", "right")
_ITERATIONS = 100


class Holding(NamedTuple):
    """Where the queen is, what was done last, and whose turn it is."""

    queen: int
    after: int
    turn: int


def _initial() -> Holding:
    return Holding(0, 0, CHANCE)


def _actions(s: Holding, out: Any) -> int:
    if s.after not in (0, WAIT):
        return 0
    out[0], out[1] = (CLAIM, WAIT) if s.after == 0 else (LEFT, RIGHT)
    return 2


def _outcomes(_s: Holding, out: Any, weight: Any) -> int:
    out[0], out[1] = 1, 2
    weight[0] = weight[1] = 1
    return 2


def _result(s: Holding, a: int) -> Holding:
    return Holding(a, 0, MAX) if s.turn == CHANCE else Holding(s.queen, a, MAX)


def _utility(s: Holding) -> int:
    if s.after == CLAIM:
        return 1
    return 2 if s.after - WAIT == s.queen else -2


def _format(s: Holding) -> str:
    return f"{_QUEENS[s.queen]} {_MOVES[s.after]}".rstrip()


def _parse(text: str) -> Holding:
    for queen in (0, 1, 2):
        for after in range(len(_MOVES) if queen else 1):
            s = Holding(queen, after, MAX if queen else CHANCE)
            if _format(s) == text:
                return s
    raise ValueError(f"{shorten(text)} is not a deal and the last move, such as 'left wait'")


def _format_move(s: Holding, a: int) -> str:
    return _QUEENS[a] if s.turn == CHANCE else _MOVES[a]


missing_queen: Game[Holding] = Game(
    "The missing queen",
    initial=_initial,
    actions=_actions,
    result=_result,
    utility=_utility,
    outcomes=_outcomes,
    observe=lambda s, _p: (s.after, s.turn),
    as_seen=lambda s, _p: s._replace(queen=_HIDDEN) if s.queen else s,
    format=_format,
    parse=_parse,
    format_move=_format_move,
    max_moves=2,
    max_ply=3,
)


def strategy_fusion() -> Experiment:
    """Deals judged open promise a choice that nobody has: waiting looks best and is not."""
    game = missing_queen
    deals = [(game.result(game.initial(), a), a) for a, _ in game.chances(game.initial())]
    opened = {_QUEENS[a]: _judged_open(s) for s, a in deals}
    finesses = {
        move: [game.utility(game.result(game.result(s, WAIT), a)) for s, _ in deals]
        for move, a in (("left", LEFT), ("right", RIGHT))
    }
    mean = {move: _mean([worths[move] for worths in opened.values()]) for move in ("claim", "wait")}
    known = {move: _mean(worths) for move, worths in finesses.items()}
    truth = {"claim": mean["claim"], "wait": max(known.values())}
    run = minimize_regret(game, procedure="cfr+", iterations=_ITERATIONS)
    played = next(
        dict(zip(here.moves, shares, strict=True)) for here, shares in run.strategy.items()
    )
    rows = [["the queen is", "claim", "wait", "left", "right"]]
    for k, (queen, worths) in enumerate(opened.items()):
        cells = [worths["claim"], worths["wait"], *(each[k] for each in finesses.values())]
        rows.append([queen, *map(show_share, cells)])
    rows.append(["mean", *map(show_share, (*mean.values(), *known.values()))])
    lines = [
        "A queen is missing; it is as likely on the left as on the right. MAX may claim, which is",
        "worth 1, or wait, and then finesse left or right: 2 if the queen is there, −2 if not.",
        "",
        "Each deal judged open, by expectiminimax, and what each finesse is worth in it:",
        "",
        *aligned(rows).splitlines(),
        "",
        f"Judged open, waiting is worth 2 in every deal, so {show_share(mean['wait'])} on average. "
        "Sampled deals wait,",
        "and more of them change nothing. But a left finesse wins in one deal, a right one in the",
        "other, and MAX, who sees no card, must do the same in both. Whatever MAX does then,",
        f"waiting is worth {show_share(truth['wait'])}, and claiming {show_share(truth['claim'])}. "
        "The strategies of the two deals were fused",
        "into one that nobody can play.",
        "",
        f"cfr+, {run.iterations} iterations: claim {show_share(played['claim'])}, "
        f"wait {show_share(played['wait'])}; value {show_share(run.value)}, "
        f"exploitability {show_share(run.exploitability)}.",
        "Its strategy belongs to what MAX sees, not to a deal, so nothing is fused.",
        "",
        "The other error of sampled deals is non-locality: how likely a deal is at a node depends",
        "on what the opponent would have done elsewhere, which no search below the node sees.",
    ]
    figures = {
        "deals": opened,
        "mean": mean,
        "truth": truth,
        "sampled_deals": max(mean, key=lambda move: mean[move]),
        "best": max(truth, key=lambda move: truth[move]),
        "cfr+": {"claim": float(played["claim"]), "value": float(run.value)},
    }
    title = "Strategy fusion: where sampled deals go wrong"
    return Experiment("strategy-fusion", title, lines, figures)


def _judged_open(s: Holding) -> dict[str, Number]:
    """What each move is worth if nothing is hidden."""
    opened = missing_queen.with_nothing_hidden()
    return {
        _MOVES[a]: explain("expectiminimax", GameNode(opened, opened.result(s, a))).value
        for a in opened.moves(s)
    }


def _mean(values: Sequence[Number]) -> Number:
    return Fraction(sum(values)) / len(values)
