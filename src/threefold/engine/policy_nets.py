"""Nets that say two things of a position: how good each move is, and who will win.

Such a net is what `threefold train --method alphazero` makes. It guides the tree search of
`threefold.engine.puct`. In a game on a grid (`threefold.rules.planes`) it is a residual network of
convolutions, as AlphaZero's (Silver et al., 2018). In any other it is the same with a single cell:
fully connected layers over the bits of `features`.

    inputs    planes of cells, by a convolution of 3×3; plus a row of weights for each plain bit
    blocks    x + convolution(clipped(convolution(x))), clipped: negative numbers become 0
    moves     a number for each move: its logit
    value     three numbers: the logits of a loss, a draw and a win for the player to move

The file has real numbers of 16 bits. `threefold.engine.policy_values` computes with it, for many
positions at once, and needs no PyTorch.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Generic, TypeAlias, TypeVar

import numpy as np

from threefold.engine.nets import (
    BadNet,
    Net,
    feature_words,
    features_digest,
    made_for_another,
    net_arrays,
    viewer,
    write_arrays,
)
from threefold.errors import ThreefoldError
from threefold.rules.contract import FINISHED, MIN, Action
from threefold.rules.game import Game

S = TypeVar("S")

FORMAT: Final = 1
#: What the outputs of the value are the chances of, to the player to move.
RESULTS: Final = (-1, 0, 1)
#: The most moves that a net tells apart. In a game with more, moves whose numbers differ by a
#: multiple of a power of two have one logit in common.
MOST_MOVES: Final = 8192
#: Numbers for each cell that the moves and the value are made of, and units behind the value.
POLICY_CHANNELS: Final = 8
VALUE_CHANNELS: Final = 4
VALUE_UNITS: Final = 32
#: The most channels and blocks of a net.
MAX_CHANNELS: Final = 1024
MAX_BLOCKS: Final = 64
#: What tells the file of such a net from others.
_MARK: Final = "policy"


@dataclass(frozen=True)
class Shape:
    """How large a net is, and how it sees the words of features."""

    #: Words of features.
    words: int
    columns: int
    rows: int
    #: Planes of cells, the words of each, and the bit of each cell.
    planes: int
    plane_words: int
    bits: tuple[int, ...]
    #: How many moves are told apart, and for each cell the move that is made on it; or none.
    moves: int
    cell_moves: tuple[int, ...]
    channels: int
    blocks: int

    @classmethod
    def of(cls, game: Game[Any], channels: int, blocks: int, moves: int | None = None) -> "Shape":
        """For a game; `moves` are its `move_range`, or in one with too many a power of two."""
        words = len(feature_words(game, game.initial(), 0))
        moves = min(game.facts.move_range, MOST_MOVES) if moves is None else moves
        planes = game.planes
        if planes is None:
            return cls(words, 1, 1, 0, 1, (), moves, (), channels, blocks)
        if planes.count * planes.words > words:
            raise BadNet(f"{game.name}: planes says more words than features writes, {words}")
        bits = planes.cell_bits
        on_cells = bits if planes.moves and max(bits) < moves else ()
        return cls(
            words,
            planes.columns,
            planes.rows,
            planes.count,
            planes.words,
            bits,
            moves,
            on_cells,
            channels,
            blocks,
        )

    @property
    def cells(self) -> int:
        """How many cells there are: one if the game is not on a grid."""
        return self.columns * self.rows

    @property
    def reach(self) -> int:
        """How many cells a convolution looks at: 3×3, or one where there is only one."""
        return 9 if self.planes else 1

    @property
    def plain_bits(self) -> int:
        """How many inputs are in no plane."""
        return 64 * (self.words - self.planes * self.plane_words)

    @property
    def other_moves(self) -> tuple[int, ...]:
        """The moves that are not made on a cell."""
        on_cells = set(self.cell_moves)
        return tuple(move for move in range(self.moves) if move not in on_cells)

    def arrays(self) -> dict[str, tuple[int, ...]]:
        """The names and shapes of the weights: rows for inputs, columns for outputs."""
        c, cells = self.channels, self.cells
        found: dict[str, tuple[int, ...]] = {
            "first_weights": (self.reach * self.planes, c),
            "plain_weights": (self.plain_bits, c),
            "first_biases": (c,),
        }
        for block in range(self.blocks):
            for half in "ab":
                found[f"block_{block}{half}_weights"] = (self.reach * c, c)
                found[f"block_{block}{half}_biases"] = (c,)
        found |= {"policy_weights": (c, POLICY_CHANNELS), "policy_biases": (POLICY_CHANNELS,)}
        if self.cell_moves:
            found |= {
                "cell_weights": (POLICY_CHANNELS, 1),
                "other_weights": (c, len(self.other_moves)),
                "other_biases": (len(self.other_moves),),
            }
        else:
            found |= {
                "move_weights": (cells * POLICY_CHANNELS, self.moves),
                "move_biases": (self.moves,),
            }
        return found | {
            "value_weights": (c, VALUE_CHANNELS),
            "value_biases": (VALUE_CHANNELS,),
            "unit_weights": (cells * VALUE_CHANNELS, VALUE_UNITS),
            "unit_biases": (VALUE_UNITS,),
            "result_weights": (VALUE_UNITS, len(RESULTS)),
            "result_biases": (len(RESULTS),),
        }

    def __str__(self) -> str:
        blocks = "1 block" if self.blocks == 1 else f"{self.blocks} blocks"
        if not self.planes:
            return f"{64 * self.words:,} inputs, {blocks} of {self.channels} units"
        board = f"{self.planes} planes of {self.columns}×{self.rows}"
        return f"{board}, {blocks} of {self.channels} channels"


@dataclass(frozen=True)
class PolicyNet(Generic[S]):
    """A learned policy and value of one game's positions."""

    game: Game[S]
    shape: Shape
    #: By the names of `Shape.arrays`, of float16.
    weights: Mapping[str, Any]
    #: How it was made: the command, the seed, games, seconds, versions.
    made: Mapping[str, Any] = field(default_factory=dict)
    name: str = "net"

    #: As `Net` has it.
    results = RESULTS
    staked = False

    @property
    def words(self) -> int:
        """How many words of features it takes."""
        return self.shape.words

    # What it says about a position.

    def evaluate(self, s: S) -> int:
        """What a position seems worth to MAX, in thousandths of a utility of 1."""
        loss, _, win = self.chances(s)
        value = round(FINISHED * (win - loss))
        return -value if viewer(self.game, s) == MIN else value

    def chances(self, s: S) -> tuple[float, float, float]:
        """How likely a loss, a draw and a win are to the player to move."""
        loss, draw, win = self._outputs(s)[1][0]
        return float(loss), float(draw), float(win)

    def outlook(self, s: S) -> dict[int, float]:
        """How likely each result is, as its sign to MAX, the best for MAX first."""
        loss, draw, win = self.chances(s)
        if viewer(self.game, s) == MIN:
            loss, win = win, loss
        return {1: win, 0: draw, -1: loss}

    def win(self, s: S) -> float:
        """How likely MAX is to win, a draw counted as half."""
        likely = self.outlook(s)
        return likely[1] + likely[0] / 2

    def policy(self, s: S) -> dict[Action, float]:
        """How likely each legal move is to be the best, the likeliest first."""
        moves = self.game.moves(s)
        places = [a % self.shape.moves for a in moves]
        logits = self._outputs(s)[0][0][places].astype(float)
        likely = np.exp(logits - logits.max())
        order = np.argsort(-likely, kind="stable")
        return {moves[i]: float(likely[i] / likely.sum()) for i in order}

    def _outputs(self, s: S) -> tuple[Any, Any]:
        from threefold.engine.policy_values import PolicyValues

        words = feature_words(self.game, s, viewer(self.game, s))
        return PolicyValues(self).outputs(np.array([words], np.int64))

    # As a file.

    def save(self, path: Path) -> None:
        """Write it to a file, whole or not at all."""
        write_arrays(path, self.arrays())

    def arrays(self) -> dict[str, Any]:
        """Everything about it, as plain arrays."""
        return {
            _MARK: np.int64(FORMAT),
            "game": np.array(self.game.spec),
            "features": np.array(features_digest(self.game)),
            "blocks": np.int64(self.shape.blocks),
            "channels": np.int64(self.shape.channels),
            "moves": np.int64(self.shape.moves),
            "made": np.array(json.dumps(dict(self.made))),
            **self.weights,
        }

    @classmethod
    def load(cls, path: Path, game: Game[S], name: str | None = None) -> "PolicyNet[S]":
        """Read a net that was made for a game; one made for another is refused."""
        return cls.from_arrays(net_arrays(path), game, path, name)

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, Any], game: Game[S], path: Path, name: str | None = None
    ) -> "PolicyNet[S]":
        """What `arrays` returned, as a net again."""
        try:
            if int(arrays[_MARK]) != FORMAT:
                raise BadNet(f"{path} has format {int(arrays[_MARK])}; this version reads {FORMAT}")
            if str(arrays["features"]) != features_digest(game):
                raise BadNet(made_for_another(path, str(arrays["game"]), game.spec))
            channels, blocks = int(arrays["channels"]), int(arrays["blocks"])
            if not (0 < channels <= MAX_CHANNELS and 0 < blocks <= MAX_BLOCKS):
                raise BadNet(f"{path} has {blocks} blocks of {channels} channels")
            moves = int(arrays["moves"])
            if not fits_moves(moves, game):
                raise BadNet(f"{path} tells {moves} moves apart, which {game.spec} has not")
            shape = Shape.of(game, channels, blocks, moves)
            weights = {each: arrays[each] for each in shape.arrays()}
            net = cls(game, shape, weights, json.loads(str(arrays["made"])), name or path.name)
            net.check()
        except (KeyError, ValueError, TypeError, IndexError) as error:
            raise BadNet(f"{path} is not a net, or a damaged one: {error}") from error
        return net

    def check(self) -> None:
        """Raise unless the arrays fit together and hold numbers."""
        for each, shape in self.shape.arrays().items():
            found = self.weights[each]
            if found.shape != shape or found.dtype != np.float16:
                raise BadNet(f"{self.name}: the layers do not fit together")
            if not np.isfinite(found).all():
                raise BadNet(f"{self.name}: a weight of {each} is not a finite number")


#: A net of either kind.
AnyNet: TypeAlias = Net[Any] | PolicyNet[Any]


def fits_moves(moves: int, game: Game[Any]) -> bool:
    """Whether a net can distinguish this many moves."""
    every = game.facts.move_range
    if every <= MOST_MOVES:
        return moves == every
    return 0 < moves <= MOST_MOVES and moves & (moves - 1) == 0


def is_policy_net(arrays: Mapping[str, Any]) -> bool:
    """Whether a file's arrays are those of a net that proposes moves."""
    return _MARK in arrays


def policy_net_of(game: Game[Any]) -> PolicyNet[Any] | None:
    """The net that proposes a game's moves, if one judges it."""
    return game.net if isinstance(game.net, PolicyNet) else None


def refuse_policy(game: Game[Any], who: str) -> None:
    """Raise if a game is judged by a net that only tree search can use."""
    if policy_net_of(game) is not None:
        raise ThreefoldError(
            f"{game.evaluation} proposes moves, which {who} cannot use; use the method mcts"
        )
