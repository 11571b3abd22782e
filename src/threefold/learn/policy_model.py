"""A net that proposes moves while it learns: PyTorch's modules, AdamW, and what becomes of them."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Generic, TypeVar

import numpy as np
import torch
from torch import nn
from torch.nn.functional import (
    binary_cross_entropy_with_logits,
    conv2d,
    cross_entropy,
    linear,
    relu,
)

from threefold.engine.nets import BadNet
from threefold.engine.policy_nets import (
    POLICY_CHANNELS,
    RESULTS,
    VALUE_CHANNELS,
    VALUE_UNITS,
    PolicyNet,
    Shape,
)
from threefold.errors import ThreefoldError
from threefold.learn.gumbel import CUT_OFF
from threefold.learn.learner import Diverged
from threefold.learn.policy_play import Lessons
from threefold.rules.game import Game

S = TypeVar("S")

#: How fast weights that nothing needs fade.
_DECAY: Final = 1e-4
#: The longest step that one batch may ask for.
_STEEPEST: Final = 5.0


class Inputs:
    """Rows of words, in memory or on the device, as the planes and plain bits that a net sees."""

    def __init__(self, shape: Shape, device: Any, kind: Any = torch.float32) -> None:
        self._shape, self._device, self._kind = shape, device, kind
        plane = 64 * shape.plane_words
        bits = [number * plane + bit for bit in shape.bits for number in range(shape.planes)]
        self._bits = torch.tensor(bits, dtype=torch.int64, device=device)
        self._plain = plane * shape.planes
        self._shifts = torch.arange(64, device=device)

    def __call__(self, words: Any) -> tuple[Any, Any]:
        """Planes with their channels last in memory, and plain bits."""
        shape, n = self._shape, len(words)
        if isinstance(words, torch.Tensor):
            bits = (words[:, :, None] >> self._shifts & 1).byte().flatten(1)
        else:
            octets = np.ascontiguousarray(words).view(np.uint8).reshape(n, -1)
            unpacked = np.unpackbits(octets, axis=1, bitorder="little")
            bits = torch.from_numpy(unpacked).to(self._device)
        planes = bits[:, self._bits].to(self._kind)
        planes = planes.reshape(n, shape.rows, shape.columns, shape.planes).permute(0, 3, 1, 2)
        return planes, bits[:, self._plain :].to(self._kind)


class Network(nn.Module):
    """The net of `threefold.engine.policy_nets`, with batch normalization."""

    def __init__(self, shape: Shape, *, owners: bool = False) -> None:
        """With `owners` it also says who will own each cell, which is of use in learning alone."""
        super().__init__()
        self.shape = shape
        size = 3 if shape.planes else 1
        c, cells = shape.channels, shape.cells

        def convolution(inputs: int) -> nn.Conv2d:
            return nn.Conv2d(inputs, c, size, padding=size // 2, bias=False)

        self.first = convolution(shape.planes) if shape.planes else None
        self.plain = nn.Linear(shape.plain_bits, c, bias=False) if shape.plain_bits else None
        self.norm = nn.BatchNorm2d(c)
        self.blocks = nn.ModuleList(convolution(c) for _ in range(2 * shape.blocks))
        self.norms = nn.ModuleList(nn.BatchNorm2d(c) for _ in range(2 * shape.blocks))
        self.policy = nn.Conv2d(c, POLICY_CHANNELS, 1)
        self.value = nn.Conv2d(c, VALUE_CHANNELS, 1)
        if shape.cell_moves:
            self.cell = nn.Linear(POLICY_CHANNELS, 1, bias=False)
            self.other = nn.Linear(c, len(shape.other_moves))
            order = np.argsort([*shape.cell_moves, *shape.other_moves])
            self.order: Any
            self.register_buffer("order", torch.from_numpy(order), persistent=False)
        else:
            self.move = nn.Linear(cells * POLICY_CHANNELS, shape.moves)
        self.unit = nn.Linear(cells * VALUE_CHANNELS, VALUE_UNITS)
        self.result = nn.Linear(VALUE_UNITS, len(RESULTS))
        self.owner = nn.Conv2d(c, 1, 1) if owners else None

    def forward(self, planes: Any, plain: Any) -> tuple[Any, Any, Any]:
        """The logits of the moves, of the results, and of owning each cell, if it says so."""
        seen = [] if self.first is None else [self.first(planes)]
        if self.plain is not None:
            seen.append(self.plain(plain)[:, :, None, None])
        x = relu(self.norm(sum(seen)))
        for i in range(0, len(self.blocks), 2):
            inner = relu(self.norms[i](self.blocks[i](x)))
            x = relu(x + self.norms[i + 1](self.blocks[i + 1](inner)))
        policy = _by_cells(relu(self.policy(x)))
        value = _by_cells(relu(self.value(x)))
        results = self.result(relu(self.unit(value.flatten(1))))
        owned = None if self.owner is None else self.owner(x).flatten(1)
        if not self.shape.cell_moves:
            return self.move(policy.flatten(1)), results, owned
        pooled = self.other(x.mean(dim=(2, 3)))
        both = torch.cat([self.cell(policy).flatten(1), pooled], dim=1)
        return both[:, self.order], results, owned

    def folded(self) -> dict[str, Any]:
        """The weights by the names of `Shape.arrays`, each normalization within its convolution."""
        found: dict[str, Any] = {}
        scale, shift = _normalization(self.norm)
        shape = self.shape
        nothing = torch.zeros(0, shape.channels)
        found["first_weights"] = found["plain_weights"] = nothing
        if self.first is not None:
            found["first_weights"] = _rows(self.first.weight * scale[:, None, None, None])
        if self.plain is not None:
            found["plain_weights"] = (self.plain.weight * scale[:, None]).T
        found["first_biases"] = shift
        for i, (layer, norm) in enumerate(zip(self.blocks, self.norms, strict=True)):
            scale, shift = _normalization(norm)
            name = f"block_{i // 2}{'ab'[i % 2]}"
            found[f"{name}_weights"] = _rows(layer.weight * scale[:, None, None, None])
            found[f"{name}_biases"] = shift
        for name in ("policy", "value"):
            layer = getattr(self, name)
            found[f"{name}_weights"], found[f"{name}_biases"] = _rows(layer.weight), layer.bias
        for name in ("cell", "other", "move", "unit", "result"):
            if hasattr(self, name):
                layer = getattr(self, name)
                found[f"{name}_weights"] = layer.weight.T
                if layer.bias is not None:
                    found[f"{name}_biases"] = layer.bias
        return {name: found[name].detach().cpu().numpy() for name in shape.arrays()}


def _by_cells(x: Any) -> Any:
    """The numbers of each cell together, as the file has them."""
    return x.permute(0, 2, 3, 1).flatten(1, 2)


def _rows(weight: Any) -> Any:
    """A convolution's weights with a row for each input, cell by cell."""
    return weight.permute(2, 3, 1, 0).reshape(-1, weight.shape[0])


def _normalization(norm: Any) -> tuple[Any, Any]:
    """What a normalization multiplies by, and what it adds."""
    scale = norm.weight / torch.sqrt(norm.running_var + norm.eps)
    return scale, norm.bias - norm.running_mean * scale


class TorchValues:
    """What a net says of many positions at once, by PyTorch: the same as `PolicyValues`."""

    def __init__(self, net: PolicyNet[Any], device: Any = "cpu") -> None:
        """On a GPU it computes with the 16 bits of the file, otherwise with 32."""
        self._shape = shape = net.shape
        kind = torch.float16 if torch.device(device).type == "cuda" else torch.float32
        self._inputs = Inputs(shape, device, kind)
        self._weights: dict[str, Any] = {}
        for name, array in net.weights.items():
            given = torch.from_numpy(np.array(array)).to(device, kind)
            if name.startswith(("first_w", "block")) and name.endswith("weights") and given.numel():
                side = 3 if shape.planes else 1
                given = given.reshape(side, side, -1, shape.channels).permute(3, 2, 0, 1)
                given = given.contiguous(memory_format=torch.channels_last)
            elif name.endswith("weights"):
                given = given.T.contiguous()
            self._weights[name] = given
        order = np.argsort([*shape.cell_moves, *shape.other_moves])
        self._order = torch.from_numpy(order).to(device) if shape.cell_moves else None
        self._around = 1 if shape.planes else 0

    def __call__(self, words: Any) -> tuple[Any, Any]:
        """For rows of words: the logits of all moves, and the value to the player to move."""
        logits, values = self.on_device(words)
        return logits.cpu().numpy(), values.cpu().numpy()

    def on_device(self, words: Any) -> tuple[Any, Any]:
        """The same as tensors where the net is."""
        with torch.inference_mode():
            logits, results = self._outputs(*self._inputs(words))
            chances = results.float().softmax(dim=1)
            return logits.float(), chances[:, 2] - chances[:, 0]

    def _outputs(self, planes: Any, plain: Any) -> tuple[Any, Any]:
        w, shape = self._weights, self._shape
        x = linear(plain, w["plain_weights"], w["first_biases"])[:, :, None, None]
        if shape.planes:
            x = conv2d(planes, w["first_weights"], padding=1) + x
        x = relu(x)
        for block in range(shape.blocks):
            a, b = f"block_{block}a", f"block_{block}b"
            inner = conv2d(x, w[f"{a}_weights"], w[f"{a}_biases"], padding=self._around).relu_()
            inner = conv2d(inner, w[f"{b}_weights"], w[f"{b}_biases"], padding=self._around)
            x = x.add_(inner).relu_()
        cells = _by_cells(x)
        policy = relu(linear(cells, w["policy_weights"], w["policy_biases"]))
        value = relu(linear(cells, w["value_weights"], w["value_biases"])).flatten(1)
        units = relu(linear(value, w["unit_weights"], w["unit_biases"]))
        results = linear(units, w["result_weights"], w["result_biases"])
        if self._order is None:
            return linear(policy.flatten(1), w["move_weights"], w["move_biases"]), results
        on_cells = linear(policy, w["cell_weights"]).flatten(1)
        pooled = linear(cells.mean(dim=1), w["other_weights"], w["other_biases"])
        return torch.cat([on_cells, pooled], dim=1)[:, self._order], results


def mean_loss(losses: Sequence[Any]) -> float:
    """The mean loss of some steps; `Diverged` if it is not a number any more."""
    value = float(torch.stack(list(losses)).mean())
    if not np.isfinite(value):
        raise Diverged("the loss is not a number any more: the training diverged")
    return value


def _loss_of_owners(guesses: Any, owned: Any) -> Any:
    """The cross entropy of who owns each cell in the end, a mean over those that are known."""
    n, cells = guesses.shape
    shifts = torch.arange(64, device=owned.device)
    bits = (owned[:, :, None] >> shifts & 1).reshape(n, 2, -1)[:, :, :cells].to(guesses.dtype)
    mine, theirs = bits[:, 0], bits[:, 1]
    known = 1 - mine * theirs
    losses = binary_cross_entropy_with_logits(
        guesses, (1 + mine - theirs) / 2, weight=known, reduction="sum"
    )
    return losses / known.sum().clamp(min=1)


class PolicyModel(Generic[S]):
    """A network, and how it learns."""

    def __init__(
        self, shape: Shape, seed: int, rate: float, device: str = "cpu", *, owners: bool = False
    ) -> None:
        """`device` is PyTorch's name of it; with `owners` lessons say who owned which cells."""
        self.shape = shape
        self.device = torch.device(device)
        self._is_gpu = self.device.type == "cuda"
        if self._is_gpu:  # a run has batches of two sizes, so it pays to try which way is fastest
            torch.backends.cudnn.benchmark = True
        torch.manual_seed(seed)
        self.network = Network(shape, owners=owners).to(self.device)
        laid_out: Any = self.network.to  # whose types differ from version to version
        laid_out(memory_format=torch.channels_last)
        self._inputs = Inputs(shape, self.device)
        self._adam = torch.optim.AdamW(
            self.network.parameters(), lr=rate, weight_decay=_DECAY, fused=self._is_gpu
        )

    def learn(self, lessons: Lessons, rate: float) -> Any:
        """Take a step towards what some positions teach; the loss before it, as a tensor."""
        for group in self._adam.param_groups:
            group["lr"] = rate
        self.network.train()
        loss = self._loss(lessons)
        self._adam.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self.network.parameters(), _STEEPEST)
        self._adam.step()
        return loss.detach()

    def loss(self, lessons: Lessons) -> Any:
        """The loss on some positions, without learning from them."""
        self.network.eval()
        with torch.no_grad():
            return self._loss(lessons)

    def _loss(self, lessons: Lessons) -> Any:
        """The cross entropies of moves, results, and owners if there are any, added up."""

        def there(array: Any, kind: Any) -> Any:
            return torch.as_tensor(array).to(self.device, kind)

        with torch.autocast(self.device.type, torch.bfloat16, enabled=self._is_gpu):
            logits, results, guesses = self.network(*self._inputs(lessons.words))
        moves, shares = there(lessons.moves, torch.int64), there(lessons.shares, torch.float32)
        places = moves.clamp(min=0) % self.shape.moves
        legal = logits.float().gather(1, places).masked_fill(moves < 0, -1e9)
        of_moves = -(shares * legal.log_softmax(dim=1)).sum(dim=1).mean()
        worth = there(lessons.results, torch.float32)
        known = worth != CUT_OFF
        of_results = cross_entropy(
            results.float(), (worth + 1).long().clamp(max=len(RESULTS) - 1), reduction="none"
        )
        loss = of_moves + (of_results * known).sum() / known.sum().clamp(min=1)
        if guesses is None:
            return loss
        return loss + _loss_of_owners(guesses.float(), there(lessons.owned, torch.int64))

    def net(self, game: Game[S]) -> PolicyNet[S]:
        """What was learned so far; `Diverged` if that is out of all bounds."""
        with np.errstate(over="ignore"):
            folded = self.network.folded()
            weights = {name: each.astype(np.float16) for name, each in folded.items()}
        net = PolicyNet(game, self.shape, weights)
        try:
            net.check()
        except BadNet as error:
            raise Diverged(f"the training diverged: {error}") from error
        return net

    def judge(self, net: PolicyNet[Any]) -> TorchValues:
        """What computes a net where this one learns."""
        return TorchValues(net, self.device)

    def state(self) -> dict[str, Any]:
        """Everything needed to go on later, as plain arrays."""
        saved = {
            f"network.{name}": each.cpu().numpy()
            for name, each in self.network.state_dict().items()
        }
        for i, parameter in enumerate(self.network.parameters()):
            for name, value in self._adam.state.get(parameter, {}).items():
                saved[f"adam.{i}.{name}"] = value.detach().cpu().numpy()
        return saved

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state` returned."""
        given = {
            name.removeprefix("network."): torch.from_numpy(np.array(each))
            for name, each in state.items()
            if name.startswith("network.")
        }
        for name, each in given.items():
            if each.is_floating_point() and not bool(torch.isfinite(each).all()):
                raise ValueError(f"{name} has a weight that is not a finite number")
        self.network.load_state_dict(given)
        for i, parameter in enumerate(self.network.parameters()):
            prefix = f"adam.{i}."
            moments = {
                name.removeprefix(prefix): torch.from_numpy(np.array(each))
                for name, each in state.items()
                if name.startswith(prefix)
            }
            if any(each.shape not in ((), parameter.shape) for each in moments.values()):
                raise ThreefoldError("Adam's moments do not fit the weights")
            for name, each in moments.items():
                # Laid out in memory as the weights are.
                like = parameter if each.shape else each.to(parameter.device)
                moments[name] = torch.empty_like(like, requires_grad=False).copy_(each)
            self._adam.state[parameter] = moments
