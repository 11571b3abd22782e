"""Many games side by side on a GPU: their moves, what a net says of them, and the best of each.

Where nature rolls, a game has one lane, for the roll that comes, or a lane for every roll.
"""

from typing import Any, Final

import torch

from threefold.gpu.driver import SIMULATED, cuda
from threefold.gpu.kernels import Kernels
from threefold.gpu.self_play import OVER, REVERSE, expand, pick, show
from threefold.learn.model import Model

#: Where tensors are.
DEVICE: Final = "cpu" if SIMULATED else "cuda"
#: Positions that moves lead to, for each lane: room for so many on average.
ROOM: Final = 32
#: How many positions the net judges at a time.
_JUDGED: Final = 1 << 21


class Lanes:
    """Room on the device for the moves of many positions, and the kernels that fill it."""

    def __init__(
        self, kernels: Kernels[Any], words: int, games: int, events: int = 0, room: int = ROOM
    ) -> None:
        """With `events`, each game has so many lanes, one for each of nature's; otherwise one."""

        def empty(shape: Any, kind: Any) -> Any:
            return torch.zeros(shape, dtype=kind, device=DEVICE)

        fields = len(kernels.fields)
        self.games = games
        self.events = events
        self.lanes = lanes = games * max(events, 1)
        room *= lanes
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
        self._alone = torch.ones((games, 1), dtype=torch.int32, device=DEVICE)
        self._expand, self._show = kernels.kernel(expand), kernels.kernel(show)
        self._pick = kernels.kernel(pick)

    def look(self, positions: Any, seed: int, step: int, model: Model[Any]) -> Any:
        """Find the best move of every lane; return what the net says of all the places."""
        self.total.zero_()
        self.owners.fill_(-1)
        self._expand(
            *(self.lanes, on_device(positions), self.lanes, self.events, seed, step),
            *map(on_device, (self.rolled, self.weights, self.first, self.counts)),
            *map(on_device, (self.moves, self.owners, self.total)),
        )
        self._show(
            len(self.moves),
            *map(on_device, (self.rolled, self.moves, self.owners, self.total)),
            *map(on_device, (self.words, self.kinds, self.fixed)),
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
            *(self.lanes, on_device(positions), self.lanes, self.events),
            *map(on_device, (self.rolled, self.first, self.counts, self.kinds, self.fixed)),
            *map(on_device, (self.values, self.best, self.relation, self.worth)),
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

    def means(self, targets: Any) -> tuple[Any, Any]:
        """The means of the lanes' targets for each game, over its rolls, and whether all is known.

        An event that has a weight but no move was left out for want of room.
        """
        weights = self.weights.reshape(self.games, -1) if self.events else self._alone
        known = ((self.best >= 0).reshape(weights.shape) | (weights == 0)).all(dim=1)
        each = targets.reshape(*weights.shape, -1) * weights[:, :, None]
        return each.sum(dim=1) / weights.sum(dim=1, keepdim=True).clamp(min=1), known

    def roll(self, order: Any) -> Any:
        """The lane of each game whose roll comes."""
        first = torch.arange(0, self.lanes, max(self.events, 1), device=DEVICE)
        if not self.events:
            return first
        below = self.weights.reshape(self.games, -1).cumsum(dim=1)
        drawn = torch.rand(self.games, 1, generator=order, device=DEVICE) * below[:, -1:]
        return first + (below <= drawn).sum(dim=1).clamp(max=self.events - 1)


def finished(worth: Any, results: tuple[int, ...], like: Any) -> Any:
    """The targets of finished games: certainty of the result nearest to what each is worth."""
    if not results:
        return worth[:, None].to(like.dtype)
    known = torch.tensor(results, dtype=torch.float32, device=worth.device)
    nearest = (worth[:, None] - known[None, :]).abs().argmin(dim=1)
    return torch.nn.functional.one_hot(nearest, len(results)).to(like.dtype)


def on_device(tensor: Any) -> Any:
    """A tensor as the kernels take it."""
    return tensor.numpy() if SIMULATED else cuda.as_cuda_array(tensor)
