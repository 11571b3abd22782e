"""Temporal differences on a GPU: rules, dice, features, net and choice all stay on the card.

A hundred thousand games are played at a time, each a move a step. What happened in some steps is
kept on the card, and the net learns from it there.

Where nature rolls, a target may be the mean over every roll rather than that of the one that came:
see `threefold.learn.self_play`.
"""

import random
from collections.abc import Mapping
from typing import Any, Final, Generic, TypeVar

import numpy as np
import torch

from threefold.engine.nets import Net, feature_words
from threefold.gpu.driver import SIMULATED, cuda
from threefold.gpu.kernels import Kernels
from threefold.gpu.self_play import OVER, REVERSE, SHARES, advance, expand, pick, show
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
#: Positions that moves lead to, for each game and step: room for so many on average.
_ROOM: Final = 32
#: Positions in a step of Adam, and where targets are means over every roll.
_BATCH: Final = 1 << 12
_SMALL_BATCH: Final = 1 << 10
#: How many times a lane's worth of positions is looked at with every roll, for each step played.
_PASSES: Final = 4
#: How many positions the net judges at a time.
_JUDGED: Final = 1 << 21


class Lanes:
    """Room on the device for the moves of many positions, and the kernels that fill it."""

    def __init__(self, kernels: Kernels[Any], words: int, lanes: int, room: int) -> None:
        def empty(shape: Any, kind: Any) -> Any:
            return torch.zeros(shape, dtype=kind, device="cpu" if SIMULATED else "cuda")

        fields = len(kernels.fields)
        self.lanes = lanes
        self.rolled = empty((fields, lanes), torch.int64)
        self.weights = empty(lanes, torch.int32)
        self.first = empty(lanes, torch.int32)
        self.counts = empty(lanes, torch.int32)
        self.words = empty((room, words), torch.int64)
        self.moves = empty(room, torch.int32)
        self.owners = empty(room, torch.int32)
        self.kinds = empty(room, torch.int8)
        self.fixed = empty(room, torch.float32)
        self.values = empty(room, torch.float32)
        self.total = empty(1, torch.int32)
        self.best = empty(lanes, torch.int32)
        self.relation = empty(lanes, torch.int8)
        self.worth = empty(lanes, torch.float32)
        self._expand, self._show = kernels.kernel(expand), kernels.kernel(show)
        self._pick = kernels.kernel(pick)

    def look(self, positions: Any, events: int, seed: int, step: int, model: Model[Any]) -> Any:
        """Find the best move of every lane; return what the net says of all the places."""
        self.total.zero_()
        self.owners.fill_(-1)
        self._expand(
            *(self.lanes, _on_device(positions), self.lanes, events, seed, step),
            *map(_on_device, (self.rolled, self.weights, self.first, self.counts)),
            *map(_on_device, (self.moves, self.owners, self.total)),
        )
        self._show(
            len(self.moves),
            *map(_on_device, (self.rolled, self.moves, self.owners, self.total)),
            *map(_on_device, (self.words, self.kinds, self.fixed)),
        )
        used = min(int(self.total), len(self.words))
        outlook = torch.cat(
            [
                model.outlook(self.words[begin : min(begin + _JUDGED, used)])
                for begin in range(0, max(used, 1), _JUDGED)
            ]
        ).float()
        if model.results:
            results = torch.tensor(model.results, dtype=torch.float32, device=outlook.device)
            self.values[:used] = outlook @ results
        else:
            self.values[:used] = outlook[:, 0]
        self._pick(
            *(self.lanes, _on_device(positions), self.lanes, events),
            *map(_on_device, (self.rolled, self.first, self.counts, self.kinds, self.fixed)),
            *map(_on_device, (self.values, self.best, self.relation, self.worth)),
        )
        return outlook

    def targets(self, outlook: Any, results: tuple[int, ...]) -> Any:
        """What each lane's best move makes of its position: chances, or a margin."""
        found = outlook[self.best.clamp(min=0).long()]
        turned = -found if not results else found.flip(1)
        found = torch.where((self.relation == REVERSE)[:, None], turned, found)
        return torch.where(
            (self.relation == OVER)[:, None], finished(self.worth, results, found), found
        )


def finished(worth: Any, results: tuple[int, ...], like: Any) -> Any:
    """The targets of finished games: certainty of the result nearest to what each is worth."""
    if not results:
        return worth[:, None].to(like.dtype)
    known = torch.tensor(results, dtype=torch.float32, device=worth.device)
    nearest = (worth[:, None] - known[None, :]).abs().argmin(dim=1)
    return torch.nn.functional.one_hot(nearest, len(results)).to(like.dtype)


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
        device = "cpu" if SIMULATED else "cuda"
        self.model: Model[S] = Model(len(first), found.results, plan, device, found.active)
        self._dice = not game.facts.deterministic
        self._lanes = Lanes(self._kernels, len(first), games, games * _ROOM)
        self._every: Lanes | None = None
        self._events = most_events(game)
        start = torch.tensor(tuple(game.initial()), dtype=torch.int64, device=device)  # type: ignore[arg-type]
        self._positions = start[:, None].repeat(1, games).contiguous()
        self._first_words = torch.tensor(first, dtype=torch.int64, device=device)
        self._words = self._first_words.repeat(games, 1)
        self._plies = torch.zeros(games, dtype=torch.int32, device=device)
        self._chosen = torch.zeros(games, dtype=torch.int32, device=device)
        self._ahead = torch.zeros(games, dtype=torch.int8, device=device)
        self._ended = torch.zeros(games, dtype=torch.int8, device=device)
        self._advance = self._kernels.kernel(advance)
        self._order = torch.Generator(device).manual_seed(plan.seed)
        self._longest = min(LONGEST, game.facts.max_ply)
        self._steps = 0
        self._games = 0

    def prepare(self) -> None:
        """Compile the kernels, by a round that teaches nothing."""
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
        words, targets, ahead, valid = [], [], [], []
        positions = []
        ended = torch.zeros((), dtype=torch.int64, device=self._words.device)
        for _ in range(STEPS):
            outlook = self._lanes.look(self._positions, 0, self.plan.seed, self._steps, self.model)
            words.append(self._words)
            if self.every_roll:
                positions.append(self._positions.clone())
            targets.append(self._lanes.targets(outlook, self.model.results))
            valid.append(self._lanes.best >= 0)
            self._play()
            ahead.append(self._ahead.clone())
            ended += self._ended.sum()
        if self.every_roll:
            found_words, found_targets = self._mean_targets(words, positions)
        else:
            self._look_back(targets, ahead, valid)
            kept = torch.cat(valid)
            found_words, found_targets = torch.cat(words)[kept], torch.cat(targets)[kept]
        batch = _SMALL_BATCH if self.every_roll else _BATCH
        loss = self.model.learn_from(found_words, found_targets, self.rate, self._order, batch)
        self._games += int(ended)
        return Round(int(ended), len(found_words), loss)

    def _play(self) -> None:
        """Play the moves found, and note the features of the positions after them."""
        lanes = self._lanes
        explore = round(self.plan.explores(self.game, self.done) * SHARES)
        self._advance(
            *(lanes.lanes, _on_device(self._positions), lanes.lanes, self.plan.seed, self._steps),
            *(explore, 0 if self._dice else OPENING_PLIES, self._longest),
            *map(_on_device, (lanes.rolled, lanes.first, lanes.counts, lanes.moves, lanes.kinds)),
            *map(_on_device, (lanes.best, self._plies, self._chosen, self._ahead, self._ended)),
        )
        self._steps += 1
        after = lanes.words[self._chosen.clamp(min=0).long()]
        after = torch.where((self._ended == 1)[:, None], self._first_words[None, :], after)
        waited = (lanes.counts == 0)[:, None]
        self._words = torch.where(waited, self._words, after)

    def _look_back(self, targets: list[Any], ahead: list[Any], valid: list[Any]) -> None:
        """Each target takes part of the next one's."""
        for t in range(len(targets) - 2, -1, -1):
            after = targets[t + 1]
            turned = after.flip(1) if self.model.results else -after
            after = torch.where((ahead[t] == REVERSE)[:, None], turned, after)
            known = ((ahead[t] != 0) & valid[t + 1])[:, None]
            mixed = torch.lerp(targets[t], after, self.plan.trace)
            targets[t] = torch.where(known, mixed, targets[t])

    def _mean_targets(self, words: list[Any], positions: list[Any]) -> tuple[Any, Any]:
        """For some of the positions: the mean over every roll of what the best move makes of it."""
        events = self._events
        share = max(len(self._words) // events, 1)
        lanes = self._every
        if lanes is None:
            count = share * events
            lanes = self._every = Lanes(self._kernels, self.model.words, count, count * _ROOM)
        found_words, found_targets = [], []
        for place, (row, given) in enumerate(zip(words, positions, strict=True)):
            order = torch.randperm(len(row), generator=self._order, device=row.device)
            step = self._steps + place
            for begin in range(0, share * min(_PASSES, events), share):
                part = order[begin : begin + share]
                some = given[:, part].contiguous()
                outlook = lanes.look(some, events, self.plan.seed, step, self.model)
                each = lanes.targets(outlook, self.model.results).reshape(share, events, -1)
                weights = lanes.weights.float().reshape(share, events)
                # An event that has a weight but no move was left out for want of room.
                known = (lanes.best >= 0) | (lanes.weights == 0)
                whole = known.reshape(share, events).all(dim=1)
                mean = (each * weights[:, :, None]).sum(dim=1) / weights.sum(dim=1, keepdim=True)
                found_targets.append(mean[whole])
                found_words.append(row[part][whole])
        return torch.cat(found_words), torch.cat(found_targets)

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


def _on_device(tensor: Any) -> Any:
    """A tensor as the kernels take it."""
    return tensor.numpy() if SIMULATED else cuda.as_cuda_array(tensor)
