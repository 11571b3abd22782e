"""Games of nets that propose moves, thousands at once, whose trees stay on a GPU.

It is `threefold.learn.policy_play`'s table with a thread for each lane (`gumbel_kernels`). Nothing
goes through the host but, now and then, which games are over. The net looks at a position of every
lane at each step, whether that lane asked or not: nearly all do.
"""

from typing import Any, Final, Generic, TypeVar

import numpy as np
import torch

from threefold.engine.listing import check_fault
from threefold.engine.puct import Node
from threefold.engine.records import layout
from threefold.gpu.driver import SIMULATED, free_memory
from threefold.gpu.kernels import Kernels
from threefold.learn.device_arrays import read, records
from threefold.learn.device_replay import DeviceReplay
from threefold.learn.gumbel import BY_SEARCH, Lane, SelfPlay
from threefold.learn.gumbel_kernels import gather_on_device, scatter_on_device
from threefold.learn.lanes import DEVICE, on_device
from threefold.learn.policy_model import TorchValues
from threefold.learn.policy_play import FIRST_NODE, Setup

S = TypeVar("S")

#: Every so many threads one has a lane.
_APART: Final = 1 if SIMULATED else 8
#: What a lane does at most before the others go on: a move that needs no net, a proven position.
_MOST_STEPS: Final = 8
#: The share of the device's memory that lanes may take.
_MOST_MEMORY: Final = 0.5


class DeviceTable(Generic[S]):
    """Some lanes on a device, and the games that they play one after another."""

    def __init__(self, kernels: Kernels[S], setup: Setup[S], lanes: int, first: int = 0) -> None:
        """Its games are numbered from `first` on, in the order in which they begin."""
        self._setup = setup
        room = int(_MOST_MEMORY * free_memory() / setup.bytes_of_lane)
        self.lanes = lanes = max(min(lanes, room), 1)
        self._next = first
        most, rows, fields = setup.game.facts.max_moves, setup.rows, len(setup.start)

        def empty(*shape: int, kind: Any = torch.int64) -> Any:
            return torch.zeros(shape, dtype=kind, device=DEVICE)

        self._start = torch.from_numpy(setup.start).to(DEVICE)
        self._positions = empty(lanes, fields)
        self._keys = empty(lanes, setup.keys)
        self._states = empty(lanes, rows, fields)
        self._moves = empty(lanes, rows, most, kind=torch.int32)
        self._shares = empty(lanes, rows, most, kind=torch.float32)
        self._counts = empty(lanes, rows, kind=torch.int32)
        self._schedule = torch.from_numpy(setup.schedule).to(DEVICE)
        self._rows = empty(lanes, setup.words)
        self._trees, self._tree_words = records((lanes, setup.nodes), layout(Node))
        self._lanes, self._lane_words = records((lanes,), layout(Lane))
        play = setup.new_play()
        self._plays, plays = records((lanes,), layout(SelfPlay, most))
        plays[:] = torch.from_numpy(np.array(play.array.view("<i8"))).to(DEVICE)  # type: ignore[attr-defined]
        self._play_words = plays
        self._root = _as_words(FIRST_NODE, layout(Node))
        self._gather = kernels.kernel(gather_on_device)
        self._scatter = kernels.kernel(scatter_on_device)

    def begin(self, *, spread: bool = False) -> None:
        """Start a game in every lane, with `spread` at different stages, by random moves."""
        self._start_games(torch.arange(self.lanes, device=DEVICE), spread=spread)

    def step(self, judge: TorchValues) -> None:
        """Go on with every lane until it needs the net, and ask it."""
        games = (self._positions, self._keys, self._states, self._moves, self._shares)
        others = (self._counts, self._schedule, self._rows)
        trees = (self._trees, self._lanes, self._plays)
        threads = self.lanes * _APART
        self._gather(threads, _APART, _MOST_STEPS, *map(on_device, (*games, *others)), *trees)
        logits, values = judge.on_device(self._rows)
        self._scatter(threads, _APART, on_device(logits), on_device(values), *trees)

    def collect(self, replay: DeviceReplay) -> tuple[int, int]:
        """Remember what the games teach that are over, and start others: games and positions."""
        self._check()
        over = read(self._lane_words, layout(Lane), "over").nonzero().flatten()
        if not len(over):
            return 0, 0
        lanes = self._lane_words[over]
        recorded = read(lanes, layout(Lane), "recorded")
        worths = read(lanes, layout(Lane), "worth").float()
        owners = over.repeat_interleave(recorded)
        firsts = recorded.cumsum(0) - recorded
        places = torch.arange(len(owners), device=DEVICE) - firsts.repeat_interleave(recorded)
        replay.add(
            self._states[owners, places],
            self._positions[owners],
            self._moves[owners, places],
            self._shares[owners, places],
            self._counts[owners, places],
            worths.repeat_interleave(recorded),
        )
        self._start_games(over)
        return int((recorded > 0).sum()), len(owners)

    def _start_games(self, lanes: Any, *, spread: bool = False) -> None:
        plies = self._setup.way.plies if spread else 0.0
        begun = np.zeros(len(lanes), layout(Lane))
        for i in range(len(lanes)):
            begun[i] = self._setup.new_lane(self._next + i, BY_SEARCH, plies)
        self._next += len(lanes)
        self._lane_words[lanes] = torch.from_numpy(_words(begun)).to(DEVICE)
        self._positions[lanes] = self._start
        self._tree_words[lanes, 0] = self._root

    def _check(self) -> None:
        """Raise if a hook broke the contract in some lane."""
        described = layout(SelfPlay, self._setup.game.facts.max_moves)
        faulty = read(self._play_words, described, "fault").nonzero().flatten()
        if len(faulty):
            play = self._setup.new_play()
            row = self._play_words[faulty[:1]]
            play.fault = int(read(row, described, "fault"))
            play.returned = int(read(row, described, "returned"))
            check_fault(self._setup.game, play)


def _words(array: Any) -> Any:
    """Records as rows of words."""
    return np.ascontiguousarray(array).view("<i8").reshape(len(array), -1)


def _as_words(record: tuple[Any, ...], described: Any) -> Any:
    """A record as words on the device."""
    return torch.from_numpy(_words(np.array([record], described))[0]).to(DEVICE)
