"""A net while it learns: real numbers, PyTorch, and Adam.

What is trained is what will be used, apart from rounding: the first layer, units clipped to 0…1,
and outputs that are the chances of results, or a margin. `Model.rounded` gives the net of whole
numbers.
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, Final, Generic, TypeVar

import numpy as np

from threefold.engine.nets import ONE, Net, rounded_layers
from threefold.errors import ThreefoldError
from threefold.learn.learner import Diverged, Experience, Plan
from threefold.rules.game import Game

try:
    import torch
    from torch.nn.functional import cross_entropy, linear, mse_loss

    from threefold.learn.recording import Recording
except ImportError as error:
    raise ThreefoldError(
        'training a net needs PyTorch: pip install "threefold[learn]"; '
        "playing with one does not, nor does training the weights of terms"
    ) from error

S = TypeVar("S")

#: Positions in a step of Adam.
BATCH: Final = 512
#: Positions whose inputs a GPU makes without a kernel of ours.
_FEW: Final = 1 << 14
#: How far units begin from the middle between their clips.
_SPREAD: Final = 0.3
#: The largest weight that a net's file can hold, in the first layer and after it.
_LARGEST: Final = (31.0, 3.9)


class Model(Generic[S]):
    """A net's weights, and how they learn."""

    def __init__(
        self,
        words: int,
        results: tuple[int, ...],
        plan: Plan,
        device: str | None = None,
        active: float = 32.0,
    ) -> None:
        """`active` is about how many of the inputs are on in a position."""
        self.words = words
        self.results = results
        self.device = torch.device(device or ("cuda" if plan.device == "gpu" else "cpu"))
        torch.set_float32_matmul_precision("high")
        generator = torch.Generator().manual_seed(plan.seed)
        sizes = (64 * words, *plan.hidden, max(len(results), 1))
        self.weights: list[Any] = []
        self.biases: list[Any] = []
        #: About how many inputs of each layer are on.
        self._active = [active, *(units / 2 for units in plan.hidden)]
        groups = []
        for layer, (inputs, units) in enumerate(pairwise(sizes)):
            last = layer == len(sizes) - 2
            # Units begin where they can learn, between their clips.
            spread = 0.0 if last else _SPREAD / self._active[layer] ** 0.5
            matrix = torch.randn(units, inputs, generator=generator) * spread
            start = torch.full((units,), 0.0 if last else 0.5)
            self.weights.append(matrix.to(self.device).requires_grad_())
            self.biases.append(start.to(self.device).requires_grad_())
            groups.append({"params": [self.weights[-1], self.biases[-1]]})
        on_gpu = self.device.type == "cuda"
        self._adam = torch.optim.Adam(
            groups, lr=plan.rate, betas=(0.9, 0.99), eps=1e-7, fused=True, capturable=on_gpu
        )
        if on_gpu:  # where a recorded step can read what it is now
            for group in self._adam.param_groups:
                group["lr"] = torch.tensor(plan.rate, device=self.device)
        self._recordings: dict[tuple[int, bool], Recording] = {}
        bits = (torch.arange(256)[:, None] >> torch.arange(8)[None, :]) & 1
        #: The bits of every byte, as real numbers.
        self._bits = bits.float()
        #: Whether a GPU computes as exactly as it can, rather than as fast.
        self.precise = False

    # What it says.

    def inputs(self, words: Any) -> Any:
        """Words of features as a row of zeros and ones for each position."""
        if self.device.type == "cuda":
            if len(words) <= _FEW:  # without a kernel of ours, so that it can be recorded
                bits = words[:, :, None] >> torch.arange(64, device=self.device) & 1
                kind = torch.float32 if self.precise else torch.bfloat16
                return bits.reshape(len(words), 64 * self.words).to(kind)
            from threefold.gpu.inputs import spread

            pairs = torch.empty(len(words), 32 * self.words, dtype=torch.int32, device=self.device)
            spread(words.contiguous(), pairs)
            row = pairs.view(torch.bfloat16)
            return row.float() if self.precise else row
        octets = words.contiguous().view(torch.uint8)
        return self._bits[octets.int()].reshape(len(words), 64 * self.words)

    def outputs(self, inputs: Any) -> Any:
        """The outputs for rows of inputs."""
        units = inputs
        for layer, (matrix, start) in enumerate(zip(self.weights, self.biases, strict=True)):
            if layer > 0:
                units = units.clamp(0.0, 1.0)
            if matrix is self.weights[-1]:
                units = units.float()
            units = linear(units, matrix.to(units.dtype), start.to(units.dtype))
        return units

    def outlook(self, words: Any) -> Any:
        """The chances of each result, or the margin, for words on the device."""
        with torch.no_grad():
            outputs = self.outputs(self.inputs(words))
            return outputs.softmax(dim=1) if self.results else outputs

    # How it learns.

    def learn(
        self, experience: Experience, rate: float, generator: Any = None, batch: int = BATCH
    ) -> float:
        """One pass over positions in random order; return the mean loss before each step."""
        words = torch.from_numpy(experience.words).to(self.device)
        targets = torch.from_numpy(experience.targets).to(self.device)
        return self.learn_from(words, targets, rate, generator, batch)

    def learn_from(
        self, words: Any, targets: Any, rate: float, generator: Any = None, batch: int = BATCH
    ) -> float:
        """The same from arrays on the device."""
        # All the inputs that are on move a unit together, so the more there are the less each may.
        for group, active in zip(self._adam.param_groups, self._active, strict=True):
            if isinstance(group["lr"], torch.Tensor):
                group["lr"].fill_(rate / active)
            else:
                group["lr"] = rate / active
        order = torch.randperm(len(words), generator=generator, device=words.device)
        words, targets = words[order], targets[order]
        total = torch.zeros((), device=self.device)
        for begin in range(0, len(words), batch):
            part = slice(begin, begin + batch)
            total += self._take(words[part], targets[part], batch) * len(words[part])
        mean = float(total) / max(len(words), 1)
        if not np.isfinite(mean):
            raise Diverged("the loss is not a number any more: the training diverged")
        return mean

    def _take(self, words: Any, targets: Any, batch: int) -> Any:
        """Take a step: on a GPU a recorded one, if it is as long as all but the last."""
        if self.device.type != "cuda" or len(words) < batch:
            return self._step(words, targets)
        way = (batch, self.precise)
        if way not in self._recordings:
            self._recordings[way] = Recording(self._step, words, targets)
        return self._recordings[way](words, targets)

    def _step(self, words: Any, targets: Any) -> Any:
        """Take a step of Adam; return the loss before it."""
        loss = self._loss(words, targets)
        self._adam.zero_grad(set_to_none=True)
        loss.backward()
        self._adam.step()
        self._keep_within()
        return loss.detach()

    def loss(self, experience: Experience) -> float:
        """The mean loss on positions, without learning from them."""
        words = torch.from_numpy(experience.words).to(self.device)
        targets = torch.from_numpy(experience.targets).to(self.device)
        total = 0.0
        with torch.no_grad():
            for begin in range(0, len(words), BATCH):
                part = slice(begin, begin + BATCH)
                total += float(self._loss(words[part], targets[part])) * len(words[part])
        return total / max(len(words), 1)

    def _loss(self, words: Any, targets: Any) -> Any:
        outputs = self.outputs(self.inputs(words))
        if self.results:
            return cross_entropy(outputs, targets)
        return mse_loss(outputs, targets)

    def _keep_within(self) -> None:
        """Keep the weights within what a net's file can hold."""
        with torch.no_grad():
            for layer, matrix in enumerate(self.weights):
                most = _LARGEST[layer > 0]
                matrix.clamp_(-most, most)

    # What becomes of it.

    def rounded(self, game: Game[S], made: Mapping[str, Any] | None = None) -> Net[S]:
        """The net of whole numbers."""
        weights = [matrix.detach().float().cpu().numpy() for matrix in self.weights]
        weights[0] = np.ascontiguousarray(weights[0].T)
        biases = [start.detach().float().cpu().numpy() for start in self.biases]
        first, sums, layers = rounded_layers(weights, biases)
        return Net(game, first, sums, layers, self.results, made or {})

    def state(self) -> dict[str, Any]:
        """Everything needed to go on later, as plain arrays."""
        saved = {}
        for i, part in enumerate((*self.weights, *self.biases)):
            saved[f"part_{i}"] = part.detach().cpu().numpy()
            for name, value in self._adam.state.get(part, {}).items():
                saved[f"adam_{i}_{name}"] = value.detach().cpu().numpy()
        return saved

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state` returned."""
        parts = [*self.weights, *self.biases]
        for i, part in enumerate(parts):
            given = torch.from_numpy(np.array(state[f"part_{i}"]))
            if given.shape != part.shape:
                raise ThreefoldError(
                    f"what was saved has layers of another size: {tuple(given.shape)}, not "
                    f"{tuple(part.shape)}"
                )
            with torch.no_grad():
                part.copy_(given)
            prefix = f"adam_{i}_"
            moments = {
                name.removeprefix(prefix): torch.from_numpy(np.array(value)).to(self.device)
                for name, value in state.items()
                if name.startswith(prefix)
            }
            _check_moments(moments, part)
            self._adam.state[part] = moments
        self._recordings.clear()  # they are of what was there before


def _check_moments(moments: Mapping[str, Any], part: Any) -> None:
    """Raise unless Adam can go on with what it is said to have known about a part."""
    shapes = {"step": (), "exp_avg": tuple(part.shape), "exp_avg_sq": tuple(part.shape)}
    if moments and {name: tuple(each.shape) for name, each in moments.items()} != shapes:
        raise ValueError("Adam's moments do not fit the weights")
    for each in (part, *moments.values()):
        if each.dtype != torch.float32 or not bool(torch.isfinite(each).all()):
            raise ValueError("a weight or one of Adam's moments is not a finite number")


def weights_of(net: Net[Any]) -> dict[str, Any]:
    """The weights of a net of whole numbers, as `Model.state` names them."""
    weights = [net.first.T / ONE, *(layer.weights / (1 << layer.shift) for layer in net.layers)]
    biases = [net.biases / ONE, *(each.biases / (ONE << each.shift) for each in net.layers)]
    parts = (*weights, *biases)
    return {f"part_{i}": part.astype(np.float32) for i, part in enumerate(parts)}


def use_one_thread() -> None:
    """Learn in one thread on the CPU.

    The layers are so small that threads wait for each other more than they compute, and far more so
    on a busy machine. And one thread always adds up in the same order.
    """
    torch.set_num_threads(1)


def has_gpu() -> bool:
    """Whether PyTorch can use a GPU."""
    return bool(torch.cuda.is_available())
