"""Self-play for TD(λ): a small game whose two players choose by the values that they learn.

What has a value is an *afterstate*: the position that a player leaves behind, before nature rolls
or the opponent moves. Two moves that lead to the same position then share one value, and choosing
needs no look at the dice to come. Values are MAX's: MAX moves to the highest, MIN to the lowest.
Now and then a player tries another move. Nothing is learned from such a step, so that the values
are those of the best play that is known, and not of the exploring.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from graphlib import CycleError, TopologicalSorter
from random import Random
from typing import Any

from threefold.errors import ThreefoldError
from threefold.rules.contract import CHANCE, MAX, Player
from threefold.rules.game import Game
from threefold.textbook.td import Episode, Settings, Step, TDRun, Value, learn
from threefold.textbook.td_episodes import MAX_STATES, check_episodes
from threefold.textbook.trace import PLAYER_NAMES


@dataclass(frozen=True)
class Choice:
    """A move, and the afterstate that it leads to, or the game's utility at its end."""

    move: str
    after: str | None
    utility: int = 0


@dataclass(frozen=True)
class Turn:
    """What may happen after an afterstate: nature's events, and then a player chooses.

    Where nature ends the game itself, there is one choice and no player.
    """

    probability: Fraction
    events: tuple[str, ...]
    player: Player | None
    choices: tuple[Choice, ...]


class SelfPlay:
    """A game as a process whose states are afterstates."""

    first_value = Fraction(0)

    def __init__(self, game: Game[Any], position: str | None = None) -> None:
        game.require("explain td", zero_sum=True, perfect_information=True)
        self.game = game
        self.name = game.name
        first = game.position(position)
        self.start = game.format(first)
        #: What may happen at each state.
        self.turns: dict[str, tuple[Turn, ...]] = {}
        waiting = {self.start: first}
        while waiting:
            name, s = waiting.popitem()
            found: dict[str, Any] = {}
            self.turns[name] = tuple(self._turns(s, found))
            waiting |= {after: t for after, t in found.items() if after not in self.turns}
            if len(self.turns) + len(waiting) > MAX_STATES:
                raise ThreefoldError(
                    f"{game.name} has more than {MAX_STATES} positions to learn, too many for a "
                    "table; use a smaller game, such as dice-nim(stones=6), or threefold train"
                )
        if not self.turns[self.start] or self.turns[self.start][0].player is None:
            raise ThreefoldError(
                f"{game.name}: the game is over at {self.start!r}; nothing to learn"
            )
        #: The states, each after all those that it leads to.
        self._order = self._backward()
        forward = reversed(self._order)
        self.states = tuple(sorted(forward, key=self._mover))

    def _mover(self, state: str) -> int:
        player = self.turns[state][0].player
        return MAX if player is None else player

    def _turns(self, s: Any, found: dict[str, Any]) -> Iterator[Turn]:
        """What may happen at a position; the afterstates that it leads to are added to `found`."""
        game = self.game
        waiting: list[tuple[Fraction, tuple[str, ...], Any]] = [(Fraction(1), (), s)]
        while waiting:
            probability, events, at = waiting.pop(0)
            moves = game.moves(at)
            if not moves:
                yield Turn(probability, events, None, (Choice("", None, game.utility(at)),))
            elif game.player(at) == CHANCE:
                chances = game.chances(at)
                total = sum(weight for _, weight in chances)
                waiting += [
                    (
                        probability * Fraction(weight, total),
                        (*events, game.format_move(at, event)),
                        game.result(at, event),
                    )
                    for event, weight in chances
                ]
            else:
                choices = tuple(self._choice(at, a, found) for a in moves)
                yield Turn(probability, events, game.player(at), choices)

    def _choice(self, s: Any, a: int, found: dict[str, Any]) -> Choice:
        game, after = self.game, self.game.result(s, a)
        move = game.format_move(s, a)
        if not game.moves(after):
            return Choice(move, None, game.utility(after))
        name = game.format(after)
        found[name] = after
        return Choice(move, name)

    def _backward(self) -> list[str]:
        leads = {
            state: [c.after for turn in turns for c in turn.choices if c.after is not None]
            for state, turns in self.turns.items()
        }
        try:
            return list(TopologicalSorter(leads).static_order())
        except CycleError as error:
            raise ThreefoldError(
                f"{self.game.name} can return to {error.args[1][0]!r}; explain td needs a game "
                "whose positions never repeat"
            ) from None

    def exact(self, gamma: Value) -> Mapping[str, Value]:
        """The values of best play by both, by backward induction: expectiminimax."""
        values: dict[str, Value] = {}
        for state in self._order:
            values[state] = sum(
                turn.probability * self.worth(best_choices(turn, values, gamma)[0], values, gamma)
                for turn in self.turns[state]
            )
        return values

    @staticmethod
    def worth(choice: Choice, values: Mapping[str, Value], gamma: Value) -> Value:
        """What a choice promises to MAX."""
        return choice.utility if choice.after is None else gamma * values[choice.after]

    def episodes(
        self, values: Mapping[str, Value], gamma: Value, epsilon: float, count: int, seed: int
    ) -> Iterator[Episode]:
        """Games that both sides play by these values, as they are at the time of each choice."""
        check_episodes(count)
        if not 0 <= epsilon <= 1:
            raise ThreefoldError(f"epsilon {epsilon:g} is not from 0 to 1")
        draw = Random(seed)
        return (self._episode(values, gamma, epsilon, draw) for _ in range(count))

    def _episode(
        self, values: Mapping[str, Value], gamma: Value, epsilon: float, draw: Random
    ) -> Iterator[Step]:
        state: str | None = self.start
        while state is not None:
            turns = self.turns[state]
            (turn,) = draw.choices(turns, [float(turn.probability) for turn in turns])
            best = best_choices(turn, values, gamma)
            choice = draw.choice(turn.choices if draw.random() < epsilon else best)
            explored = choice not in best
            yield Step(state, choice.utility, choice.after, explored, _told(turn, choice))
            state = choice.after

    def policy(
        self, values: Mapping[str, Value], exact: Mapping[str, Value], gamma: Value
    ) -> tuple[int, int]:
        """How many choices by these values are right, of those in which a mistake is possible."""
        right = of = 0
        for turns in self.turns.values():
            for turn in turns:
                best = best_choices(turn, exact, gamma)
                if len(best) < len(turn.choices):
                    of += 1
                    right += best_choices(turn, values, gamma)[0] in best
        return right, of


def learn_by_self_play(
    process: SelfPlay,
    settings: Settings,
    *,
    epsilon: float,
    count: int,
    seed: int,
    values: Mapping[str, Value] | None = None,
) -> TDRun:
    """Learn from `count` games, starting with 0 or with these values, in floats."""
    floats = settings.in_floats()
    first = dict.fromkeys(process.states, process.first_value) if values is None else values
    learned: dict[str, Value] = {state: float(value) for state, value in first.items()}
    games = process.episodes(learned, floats.gamma, epsilon, count, seed)
    run = learn(process, games, learned, floats)
    right, of = process.policy(run.values, process.exact(floats.gamma), floats.gamma)
    run.more["policy"] = {"right": right, "of": of}
    return run


def best_choices(turn: Turn, values: Mapping[str, Value], gamma: Value) -> Sequence[Choice]:
    """The choices that promise the most to the player who makes them."""
    worth = [SelfPlay.worth(choice, values, gamma) for choice in turn.choices]
    best = max(worth) if turn.player in {MAX, None} else min(worth)
    return [choice for choice, one in zip(turn.choices, worth, strict=True) if one == best]


def _told(turn: Turn, choice: Choice) -> str:
    parts = [*turn.events]
    if turn.player is not None:
        parts.append(f"{PLAYER_NAMES[turn.player]} plays {choice.move}")
    return ", ".join(parts)
