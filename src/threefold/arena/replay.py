"""A recorded game, replayed: its positions, and a remark on each move."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any

from threefold.arena.lines import parse_line
from threefold.arena.record import MatchInfo, Played
from threefold.rules.contract import FINISHED, Action
from threefold.rules.game import Game


def replayed(game: Game[Any], played: Played) -> tuple[list[Any], list[Action]]:
    """The positions and the moves of a game."""
    positions: list[Any] = [game.position(played.start or None)]
    actions: list[Action] = []
    for text in played.moves:
        actions.append(game.parse_move(positions[-1], text, positions[:-1]))
        positions.append(game.result(positions[-1], actions[-1]))
    return positions, actions


def evaluation(game: Game[Any], line: str) -> str | None:
    """The evaluation that a player's values are in, by its line."""
    return parse_line(line).options.get("eval", next(iter(game.evaluation_names), None))


def unit(game: Game[Any], line: str) -> float:
    """What a player counts as one in its values: for chess a pawn, which is 100."""
    if parse_line(line).kind == "mcts":  # the mean result of simulations
        return FINISHED if game.evaluation is not None else 1
    name = evaluation(game, line)
    if name is not None and name not in game.evaluations:  # a net, whose values are utilities
        return FINISHED
    return game.units.get(name or "", 1)


def remarks(
    match: MatchInfo, game: Game[Any], played: Played, positions: Sequence[Any]
) -> Iterator[str]:
    """What to say about each move: its value and its time, `+0.35 0.21s`.

    The last remark also says how the game ended.
    """
    units = [unit(game, match.players[player]) for player in played.task.players]
    plies = len(played.moves)
    thoughts = zip_longest(played.values, played.seconds)
    for ply in range(plies):
        words = ["book"] if ply < played.opening_plies else []
        if ply >= played.opening_plies:
            value, seconds = next(thoughts, (None, None))
            words += [] if value is None else [f"{value / units[game.player(positions[ply])]:+.2f}"]
            words += [] if seconds is None else [f"{seconds:.2f}s"]
        said = " ".join(words)
        if ply == plies - 1 and played.reason:
            said = f"{said}, {played.reason}" if said else played.reason
        yield said
