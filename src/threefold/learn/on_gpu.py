"""Temporal differences on a GPU: rules, dice, features, net and choice all stay on the card.

A hundred thousand games are played at a time, each a move a step. What happened in some steps is
kept on the card, and the net learns from it there. The targets are those of
`threefold.learn.self_play`: with `every_roll`, the mean over every roll takes the place of the one
that came. Such targets cost so much, and are so exact, that each is learned from several times.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

import numpy as np
import torch

from threefold.engine.nets import Net, feature_words
from threefold.gpu.driver import SIMULATED
from threefold.gpu.kernels import Kernels
from threefold.gpu.self_play import REVERSE, SHARES, advance
from threefold.learn.lanes import DEVICE, Lanes, on_device
from threefold.learn.learner import Plan, Round
from threefold.learn.model import Model
from threefold.learn.self_play import LONGEST
from threefold.learn.survey import survey
from threefold.learn.td import OPENING_PLIES
from threefold.rules.contract import CHANCE, MAX
from threefold.rules.game import Game

S = TypeVar("S")

#: Games at a time, and steps from one lesson to the next.
GAMES: Final = 8 if SIMULATED else 1 << 17
STEPS: Final = 4 if SIMULATED else 16
#: Steps before the first lesson, so that games which begin together do not stay together.
_STAGGER: Final = 4 if SIMULATED else 128
#: Lanes at a time, where each game has one for every roll.
_LANES: Final = 8 if SIMULATED else 1 << 19
#: Positions in a step of Adam, and where targets are means over every roll.
_BATCH: Final = 1 << 12
_SMALL_BATCH: Final = 1 << 10
#: How many positions with such targets are remembered, and how often each is learned from.
_REMEMBERED: Final = 1 << 22
_REPEATS: Final = 8


@dataclass
class Moment:
    """A step of all games."""

    #: The positions' features.
    words: Any
    #: What the roll that came makes of the position, and how much of that was luck.
    target: Any
    luck: Any
    #: Whether both are known.
    valid: Any
    #: How the next step's target relates to this one's: the same, the reverse, or 0 for not at all.
    ahead: Any


class Recall:
    """The last positions that were learned from, on the device."""

    def __init__(self, words: int, width: int, size: int = _REMEMBERED) -> None:
        self._words = torch.zeros((size, words), dtype=torch.int64, device=DEVICE)
        self._targets = torch.zeros((size, width), dtype=torch.float32, device=DEVICE)
        self._seen = 0

    def add(self, words: Any, targets: Any) -> None:
        """Remember positions, and forget the oldest for them."""
        size = len(self._words)
        places = torch.arange(self._seen, self._seen + len(words), device=DEVICE)[-size:] % size
        self._words[places], self._targets[places] = words[-size:], targets[-size:]
        self._seen += len(words)

    def some(self, count: int, order: Any) -> tuple[Any, Any]:
        """Some of them, by chance."""
        known = min(self._seen, len(self._words))
        chosen = torch.randint(known, (count,), generator=order, device=DEVICE)
        return self._words[chosen], self._targets[chosen]


class GpuLearner(Generic[S]):
    """Learns from self-play on a GPU."""

    def __init__(self, game: Game[S], plan: Plan, games: int = GAMES) -> None:
        game.require("learning", zero_sum=True, perfect_information=True)
        self.game = game
        self.plan = plan
        self.rate = plan.rate
        self.done = 0.0
        self._kernels = Kernels(game.without_evaluation())
        first = feature_words(game, game.initial(), MAX)
        found = survey(game, plan.outputs, plan.hidden[-1])
        self.model: Model[S] = Model(len(first), found.results, plan, DEVICE, found.active)
        self._dice = not game.facts.deterministic
        self._lanes = Lanes(self._kernels, len(first), games)
        self._recall: Recall | None = None
        start = torch.tensor(tuple(game.initial()), dtype=torch.int64, device=DEVICE)  # type: ignore[arg-type]
        self._positions = start[:, None].repeat(1, games).contiguous()
        self._first_words = torch.tensor(first, dtype=torch.int64, device=DEVICE)
        self._words = self._first_words.repeat(games, 1)
        self._plies = torch.zeros(games, dtype=torch.int32, device=DEVICE)
        self._advance = self._kernels.kernel(advance)
        self._order = torch.Generator(DEVICE).manual_seed(plan.seed)
        self._longest = min(LONGEST, game.facts.max_ply)
        self._steps = 0
        self._games = 0

    def prepare(self) -> None:
        """Compile the kernels, by a round that teaches nothing, and let the games drift apart."""
        for _ in range(_STAGGER):
            self._step()
        rate, self.rate = self.rate, 0.0
        self.round()
        self.rate = rate

    @property
    def every_roll(self) -> bool:
        """Whether targets are means over every roll."""
        return self.plan.looks_at_every_roll(self.game, self.done)

    def round(self, games: int | None = None) -> Round:
        """Play some steps of all games with the net as it is, and learn from them.

        How many games end in a round is not known before, so `games` is not looked at.
        """
        del games
        if self.every_roll and self._recall is None:
            self._look_at_every_roll()
        ended = torch.zeros((), dtype=torch.int64, device=DEVICE)
        moments = []
        for _ in range(STEPS):
            moment, over = self._step()
            moments.append(moment)
            ended += over.sum()
        self._look_back(moments)
        kept = torch.cat([each.valid for each in moments])
        words = torch.cat([each.words for each in moments])[kept]
        targets = torch.cat([each.target for each in moments])[kept]
        loss = self._learn(words, targets)
        self._games += int(ended)
        return Round(int(ended), len(words), loss)

    def _look_at_every_roll(self) -> None:
        """From now on each game has a lane for every roll, and there are fewer games."""
        events = most_events(self.game)
        games = min(max(_LANES // events, 1), self._lanes.games)
        self._lanes = Lanes(self._kernels, self.model.words, games, events)
        self._positions = self._positions[:, :games].contiguous()
        self._words, self._plies = self._words[:games], self._plies[:games].contiguous()
        self._recall = Recall(self.model.words, max(len(self.model.results), 1))
        self.model.precise = True

    def _step(self) -> tuple[Moment, Any]:
        """Play a move of each game; return what was seen, and which games ended."""
        lanes = self._lanes
        outlook = lanes.look(self._positions, self.plan.seed, self._steps, self.model)
        targets = lanes.targets(outlook, self.model.results)
        mean, known = lanes.means(targets)
        came = lanes.roll(self._order)
        best, counts = lanes.best[came], lanes.counts[came]
        sampled = targets[came]
        valid = known & (best >= 0)
        seen = self._words
        explore = round(self.plan.explores(self.game, self.done) * SHARES)
        chosen = torch.zeros_like(best)
        ahead, ended = (torch.zeros_like(best, dtype=torch.int8) for _ in range(2))
        rolled = lanes.rolled[:, came].contiguous()
        self._advance(
            *(lanes.games, on_device(self._positions), lanes.games, self.plan.seed, self._steps),
            *(explore, 0 if self._dice else OPENING_PLIES, self._longest),
            *map(on_device, (rolled, lanes.first[came], counts, lanes.moves, lanes.kinds)),
            *map(on_device, (best, self._plies, chosen, ahead, ended)),
        )
        self._steps += 1
        after = lanes.words[chosen.clamp(min=0).long()]
        after = torch.where((ended == 1)[:, None], self._first_words[None, :], after)
        self._words = torch.where((counts == 0)[:, None], seen, after)
        return Moment(seen, sampled, sampled - mean, valid, ahead), ended

    def _look_back(self, moments: list[Moment]) -> None:
        """Each target takes part of the next one's, and leaves out luck."""
        later: Moment | None = None
        for moment in reversed(moments):
            if later is not None:
                turned = later.target.flip(1) if self.model.results else -later.target
                after = torch.where((moment.ahead == REVERSE)[:, None], turned, later.target)
                known = ((moment.ahead != 0) & later.valid)[:, None]
                mixed = torch.lerp(moment.target, after, self.plan.trace)
                moment.target = torch.where(known, mixed, moment.target)
            moment.target = moment.target - moment.luck
            later = moment

    def _learn(self, words: Any, targets: Any) -> float:
        """Learn from new positions, and from remembered ones with them."""
        if self._recall is None:
            return self.model.learn_from(words, targets, self.rate, self._order, _BATCH)
        self._recall.add(words, targets)
        recalled = self._recall.some((_REPEATS - 1) * len(words), self._order)
        words, targets = torch.cat([words, recalled[0]]), torch.cat([targets, recalled[1]])
        return self.model.learn_from(words, targets, self.rate, self._order, _SMALL_BATCH)

    def net(self) -> Net[S]:
        """What was learned so far."""
        return self.model.rounded(self.game)

    def state(self) -> Mapping[str, Any]:
        """The model, and how far it has come; the games in progress are not kept."""
        return {
            **self.model.state(),
            "games": np.int64(self._games),
            "steps": np.int64(self._steps),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state` returned."""
        self.model.restore(state)
        self._games, self._steps = int(state["games"]), int(state["steps"])


def most_events(game: Game[Any]) -> int:
    """The most events that nature has, in some positions of random play."""
    rng = random.Random(0)
    most = 1
    s = game.initial()
    for _ in range(200):
        if game.player(s) == CHANCE:
            most = max(most, len(game.chances(s)))
        moves = game.moves(s)
        s = game.result(s, rng.choice(moves)) if moves else game.initial()
    return most
