"""Nets: evaluations that are data, not code.

A net sees the bits of a game's `features`. Its first layer adds up a row of weights for every bit
that is set, and so can be kept up to date from one position to the next by what changed. Every
hidden unit is clipped to 0…1. The outputs are the chances of each result of the game, or a margin.

All arithmetic is in whole numbers, so that every way of computing it gives the same value to the
last bit. `Net.evaluate` here is the plain way; `net_value` is the fast one.

A net for a game without stakes serves for the same game with them, such as a doubling cube: the
game says what they make of the net's value.

A race before a roll is worth what the game's table of races says, if the game has one.

A net's file has plain arrays and nothing that runs: see `Net.save`.
"""

import json
import random
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from io import BytesIO
from math import exp
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

import numpy as np

from threefold.engine.race import is_open_race, race_worth
from threefold.engine.rounding import rounded_mean
from threefold.errors import ThreefoldError
from threefold.replacing import write_file
from threefold.rules import user_files
from threefold.rules.contract import (
    CHANCE,
    FINISHED,
    MAX,
    MAX_FEATURE_WORDS,
    MAX_VALUE,
    MIN,
    Player,
)
from threefold.rules.game import Game
from threefold.rules.net_files import NET_SUFFIX, is_archive
from threefold.rules.weights_file import is_net, read_weights

if TYPE_CHECKING:
    from threefold.engine.policy_nets import PolicyNet
    from threefold.engine.race_odds import RaceOdds

S = TypeVar("S")
AnyGame = TypeVar("AnyGame", bound=Game[Any])

FORMAT: Final = 1
#: 1.0 in the units of hidden units and of outputs.
ONE: Final = 1 << 10
#: The most units of a layer, and the most layers after the first.
MAX_UNITS: Final = 4096
MAX_LAYERS: Final = 4
MAX_RESULTS: Final = 16
#: The most that the sizes of all results add up to, so that no mean of them overflows.
MOST_RESULTS: Final = 2048
#: The largest weight, and the finest resolution of those after the first layer.
_MAX_WEIGHT: Final = (1 << 15) - 1
_MAX_SHIFT: Final = 13

# exp(-d / ONE) for 0 ≤ d < 16 · ONE, as the product of two numbers of 15 bits.
EXP_BITS: Final = 7
EXP_COARSE: Final = tuple(round(exp(-i * (1 << EXP_BITS) / ONE) * (1 << 15)) for i in range(128))
EXP_FINE: Final = tuple(round(exp(-i / ONE) * (1 << 15)) for i in range(1 << EXP_BITS))
#: The table of races of a game that has none.
NO_RACES: Final = np.zeros(0, np.int32)
#: Beyond this distance from the likeliest result, another has no chance.
EXP_END: Final = 128 << EXP_BITS


class BadNet(ThreefoldError):
    """A net that cannot be used."""


@dataclass(frozen=True)
class Layer:
    """A layer after the first: `(biases + weights @ units) >> shift`."""

    weights: Any
    biases: Any
    shift: int


@dataclass(frozen=True)
class Net(Generic[S]):
    """A learned evaluation of one game's positions."""

    game: Game[S]
    #: A row for each input, of int16; and what the sums begin with, of int32.
    first: Any
    biases: Any
    layers: tuple[Layer, ...]
    #: The results that the outputs are the chances of, as utilities to the viewer; with none, the
    #: one output is a margin, a utility.
    results: tuple[int, ...]
    #: How it was made: the command, the seed, games, seconds, versions.
    made: Mapping[str, Any] = field(default_factory=dict)
    name: str = "net"
    #: Whether it was made for the game without stakes: see `staked` of the contract.
    staked: bool = False

    @property
    def words(self) -> int:
        """How many words of features it takes."""
        return len(self.first) // 64

    @property
    def hidden(self) -> tuple[int, ...]:
        """How many units each hidden layer has."""
        return (len(self.biases), *(len(layer.biases) for layer in self.layers[:-1]))

    # What it says about a position.

    def evaluate(self, s: S) -> int:
        """What a position seems worth to MAX, in thousandths of a utility of 1."""
        number = self.game.race(s)
        if is_open_race(number):
            value = race_worth(number, FINISHED, self.races)
        else:
            seen = self._seen(s)
            value = self.value(seen, FINISHED)
            value = -value if viewer(self.game, seen) == MIN else value
            value = self.game.staked(s, value, FINISHED) if self.staked else value
        return min(max(value, -MAX_VALUE), MAX_VALUE)

    def _seen(self, s: S) -> S:
        """The position that it judges in place of another."""
        return self.game.unstaked(s) if self.staked else s

    def value(self, s: S, unit: int) -> int:
        """What the net alone says a position is worth to its viewer, a utility of 1 as `unit`."""
        outputs = self.outputs(s)
        if not self.results:
            return rounded_mean(outputs[0] * unit, ONE)
        chances = self.chances(s)
        total = sum(p * r for p, r in zip(chances, self.results, strict=True))
        return rounded_mean(total * unit, sum(chances))

    def chances(self, s: S) -> list[int]:
        """How likely each result is to the viewer, as whole numbers of any scale."""
        outputs = self.outputs(s)
        far = [max(outputs) - output for output in outputs]
        return [
            EXP_COARSE[d >> EXP_BITS] * EXP_FINE[d & (1 << EXP_BITS) - 1] if d < EXP_END else 0
            for d in far
        ]

    def outlook(self, s: S) -> dict[int, float]:
        """How likely each result is, as a utility to MAX, the best for MAX first.

        A net of margins tells no results apart. Stakes do not count.
        """
        s = self._seen(s)
        if not self.results:
            return {}
        odds = self._odds_of_race(s)
        if odds is not None:
            return {r: odds.results.get(r, 0.0) for r in sorted(self.results, reverse=True)}
        sign = -1 if viewer(self.game, s) == MIN else 1
        chances = self.chances(s)
        likely = {sign * r: p / sum(chances) for r, p in zip(self.results, chances, strict=True)}
        return dict(sorted(likely.items(), reverse=True))

    def win(self, s: S) -> float | None:
        """How likely MAX is to win, a draw counted as half; None for a net of margins."""
        if not self.results:
            return None
        s = self._seen(s)
        odds = self._odds_of_race(s)
        if odds is not None:
            return odds.win
        chances = self.chances(s)
        won = sum(p * (2 if r > 0 else r == 0) for p, r in zip(chances, self.results, strict=True))
        share = won / (2 * sum(chances))
        return 1 - share if viewer(self.game, s) == MIN else share

    @cached_property
    def races(self) -> Any:
        """The game's table of races, which is made or read when it is first needed; or empty."""
        if self.game.race_sides is None:
            return NO_RACES
        # Making the table needs the compiler, which needs nets.
        from threefold.engine.race_tables import race_table

        return race_table(self.game)

    def _odds_of_race(self, s: S) -> "RaceOdds | None":
        """What the table says of an open race, if the net can say the same; None elsewhere."""
        if not is_open_race(self.game.race(s)):
            return None
        from threefold.engine.race_odds import race_odds

        odds = race_odds(self.game, s)
        return odds if odds.results and set(odds.results) <= set(self.results) else None

    def outputs(self, s: S) -> list[int]:
        """The outputs for a position, of scale `ONE`."""
        words = feature_words(self.game, s, viewer(self.game, s))
        inputs = unpacked(words[: self.words] if self.staked else words)
        if len(inputs) != len(self.first):
            raise BadNet(f"{self.name}: features gave {len(inputs)} bits, not {len(self.first)}")
        units = self.biases.astype(np.int64) + self.first[inputs].sum(axis=0, dtype=np.int64)
        for layer in self.layers:
            clipped = np.clip(units, 0, ONE - 1)
            units = (layer.weights.astype(np.int64) @ clipped + layer.biases) >> layer.shift
        return [int(unit) for unit in units]

    # As a file.

    def save(self, path: Path) -> None:
        """Write it to a file, whole or not at all."""
        write_arrays(path, self.arrays())

    def arrays(self) -> dict[str, Any]:
        """Everything about it, as plain arrays."""
        arrays: dict[str, Any] = {
            "format": np.int64(FORMAT),
            "game": np.array(self.game.spec),
            "features": np.array(
                features_digest(self.game.unstaked_game if self.staked else self.game)
            ),
            "first_weights": self.first,
            "first_biases": self.biases,
            "results": np.array(self.results, np.int64),
            "shifts": np.array([layer.shift for layer in self.layers], np.int64),
            "made": np.array(json.dumps(dict(self.made))),
        }
        for number, layer in enumerate(self.layers, 1):
            arrays[f"weights_{number}"] = layer.weights
            arrays[f"biases_{number}"] = layer.biases
        return arrays

    @classmethod
    def load(cls, path: Path, game: Game[S], name: str | None = None) -> "Net[S]":
        """Read a net that was made for a game; one made for another is refused.

        As an evaluation it is called by the file's name, unless another is given.
        """
        return cls.from_arrays(net_arrays(path), game, path, name)

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, Any], game: Game[S], path: Path, name: str | None = None
    ) -> "Net[S]":
        """What `arrays` returned, as a net again."""
        if "checkpoint" in arrays:
            raise BadNet(f"{path} is a checkpoint of a training run, not the net")
        try:
            if int(arrays["format"]) != FORMAT:
                raise BadNet(
                    f"{path} has format {int(arrays['format'])}; this version reads {FORMAT}"
                )
            features, plain = str(arrays["features"]), game.unstaked_game
            fits = features == features_digest(game)
            if not fits and (plain is None or features != features_digest(plain)):
                raise BadNet(made_for_another(path, str(arrays["game"]), game.spec))
            layers = tuple(
                Layer(arrays[f"weights_{number}"], arrays[f"biases_{number}"], int(shift))
                for number, shift in enumerate(arrays["shifts"], 1)
            )
            net = cls(
                game,
                arrays["first_weights"],
                arrays["first_biases"],
                layers,
                tuple(map(int, arrays["results"])),
                json.loads(str(arrays["made"])),
                name or path.name,
                staked=not fits,
            )
            net.check()
        except (KeyError, ValueError, TypeError, IndexError) as error:
            raise BadNet(f"{path} is not a net, or a damaged one: {error}") from error
        return net

    def check(self) -> None:
        """Raise unless the arrays fit together and no sum can overflow."""
        inputs, units = self.first.shape
        outputs = max(len(self.results), 1)
        fits = bool(
            self.first.dtype == np.int16
            and self.biases.dtype == np.int32
            and self.biases.shape == (units,)
            and inputs % 64 == 0
            and 0 < inputs <= 64 * MAX_FEATURE_WORDS
            and 0 < units <= MAX_UNITS
            and 0 < len(self.layers) <= MAX_LAYERS
            and len(self.results) <= MAX_RESULTS
            and len(set(self.results)) == len(self.results)
            and sum(map(abs, self.results)) <= MOST_RESULTS
            and (
                np.abs(self.first.astype(np.int64)).sum(axis=0)
                + np.abs(self.biases.astype(np.int64))
                < 1 << 31
            ).all()
        )
        for layer in self.layers if fits else ():
            fits = fits and (
                layer.weights.dtype == np.int16
                and layer.biases.dtype == np.int32
                and layer.weights.ndim == 2
                and layer.weights.shape[1] == units
                and layer.biases.shape == (len(layer.weights),)
                and 0 < len(layer.biases) <= MAX_UNITS
                and 0 <= layer.shift <= _MAX_SHIFT
            )
            if fits:
                sums = np.abs(layer.weights.astype(np.int64)).sum(axis=1) * (ONE - 1)
                fits = bool((sums + np.abs(layer.biases.astype(np.int64)) < 1 << 31).all())
                units = len(layer.biases)
        if not fits or units != outputs:
            raise BadNet(f"{self.name}: the layers do not fit together")


def rounded_layers(
    weights: Sequence[Any], biases: Sequence[Any]
) -> tuple[Any, Any, tuple[Layer, ...]]:
    """Real weights and biases as whole numbers: the first layer's rows and sums, and the layers.

    `weights[0]` has a row for each input; every other has a row for each of its units.
    """
    for array in (*weights, *biases):
        if not np.isfinite(array).all():
            raise BadNet("a weight is not a number: the training diverged; try a lower rate")
    largest = _MAX_WEIGHT
    first = np.rint(np.clip(weights[0] * ONE, -largest, largest)).astype(np.int16)
    sums = np.rint(np.clip(biases[0] * ONE, -(1 << 24), 1 << 24)).astype(np.int32)
    layers = []
    for matrix, start in zip(weights[1:], biases[1:], strict=True):
        for shift in range(_MAX_SHIFT, -1, -1):
            scale = 1 << shift
            rows = np.rint(matrix.astype(np.float64) * scale)
            begin = np.rint(start.astype(np.float64) * ONE * scale)
            most = np.abs(rows).sum(axis=1) * (ONE - 1) + np.abs(begin)
            if np.abs(rows).max() <= largest and most.max() < (1 << 31) - 1:
                break
        else:
            raise BadNet("the weights are too large: the training diverged; try a lower rate")
        layers.append(Layer(rows.astype(np.int16), begin.astype(np.int32), shift))
    return first, sums, tuple(layers)


def judged_by_own(game: AnyGame, name: str) -> AnyGame:
    """A game judged by a net that comes with it."""
    game.require("a net", zero_sum=True, perfect_information=False)
    path = game.nets[name]
    judged = game.judged_by(loaded(path, game, name))
    user_files.files[path] = path
    return judged


def judged_by_file(game: AnyGame, given: str) -> AnyGame:
    """A game judged by the file that a user names: a net, or weights of terms."""
    # A node of a cluster has the user's files somewhere else.
    path = user_files.files.get(Path(given), Path(given))
    if path.is_file() and not is_net(path) and path.suffix != NET_SUFFIX:
        try:
            judged = game.using(weights=read_weights(path))
        except ThreefoldError as error:
            raise BadNet(f"{given} is neither a net nor weights for {game.name}: {error}") from None
    else:
        game.require("a net", zero_sum=True, perfect_information=False)
        judged = game.judged_by(loaded(path, game))
    user_files.files[Path(given)] = path
    return judged


def loaded(path: Path, game: Game[S], name: str | None = None) -> "Net[S] | PolicyNet[S]":
    """The net of a file, of either kind: one that judges positions, or one that proposes moves."""
    from threefold.engine.policy_nets import PolicyNet, is_policy_net

    arrays = net_arrays(path)
    kind = PolicyNet if is_policy_net(arrays) else Net
    return kind.from_arrays(arrays, game, path, name)


def made_for_another(path: Path, its: str, spec: str) -> str:
    """Why a net does not fit a game."""
    if its == spec:
        return f"{path} was made for another version of {spec}: its rules or features have changed"
    return f"{path} was made for {its}, whose features are not those of {spec}"


def made_for(path: Path) -> str:
    """The game that a net was made for, as it was named then."""
    try:
        return str(net_arrays(path)["game"])
    except KeyError:
        raise BadNet(f"{path} is not a net, or a damaged one") from None


# What a net sees.


def viewer(game: Game[S], s: S) -> Player:
    """Through whose eyes a net sees a position: see `contract.viewer`."""
    p = game.player(s)
    if p == CHANCE:
        return MIN if getattr(s, "turn", MAX) == MIN else MAX
    return p


def feature_words(game: Game[S], s: S, p: Player) -> list[int]:
    """The words of a game's features."""
    out = [0] * (MAX_FEATURE_WORDS + 1)
    n = game.features(s, p, out)
    if not isinstance(n, int) or not 0 < n <= MAX_FEATURE_WORDS:
        raise BadNet(
            f"{game.name}: features returned {n!r}, not a number of words from 1 to "
            f"{MAX_FEATURE_WORDS}"
        )
    return out[:n]


def unpacked(words: Sequence[int]) -> Any:
    """The bits of words, lowest first, as an array of truth values."""
    given = np.array(words, np.int64).view(np.uint8)
    return np.unpackbits(given, bitorder="little").astype(bool)


#: How many positions a digest of features looks at.
_SAMPLE: Final = 64


def features_digest(game: Game[S]) -> str:
    """A digest of what a game's features say, taken from what they say of some positions.

    So it is the same in every version of Python, and changes if the rules or the features do.
    """
    rng = random.Random(0)
    digest = blake2b(digest_size=16)
    s = game.initial()
    for _ in range(_SAMPLE):
        for p in (MAX, MIN):
            digest.update(np.array(feature_words(game, s, p), "<i8").tobytes() + b";")
        moves = sorted(game.moves(s))
        s = game.result(s, rng.choice(moves)) if moves else game.initial()
    return digest.hexdigest()


# Arrays in files.

#: What NumPy raises for files that hold something else.
_DAMAGE: Final = (
    *(ValueError, KeyError, AttributeError, EOFError, NotImplementedError),
    *(zipfile.BadZipFile, zlib.error),
)


def write_arrays(path: Path, arrays: Mapping[str, Any]) -> None:
    """Write a file of arrays, whole or not at all."""
    content = BytesIO()
    np.savez_compressed(content, allow_pickle=False, **arrays)
    try:
        write_file(str(path), content.getvalue())
    except OSError as error:
        raise ThreefoldError(f"{path} cannot be written: {error.strerror or error}") from error


def net_arrays(path: Path) -> dict[str, Any]:
    """The arrays of a net's file."""
    try:
        is_one = is_archive(path)
    except OSError as error:
        raise BadNet(f"the net {path} cannot be read: {error.strerror or error}") from None
    except ValueError:
        raise BadNet(f"the net {path!s:.60} cannot be read: no file has such a name") from None
    if not is_one:
        raise BadNet(f"{path} is not a net, which is a .npz file that threefold train writes")
    return read_arrays(path, "a net")


def read_arrays(path: Path, what: str) -> dict[str, Any]:
    """The arrays of a file; nothing in it is ever run."""
    try:
        # Opened here, because NumPy leaves a file open that it cannot read.
        with path.open("rb") as file, np.load(file, allow_pickle=False) as found:
            return {name: found[name] for name in found.files}
    except OSError as error:
        raise BadNet(f"{path} cannot be read: {error.strerror or error}") from error
    except _DAMAGE as error:
        raise BadNet(f"{path} is not {what}, or a damaged one") from error
