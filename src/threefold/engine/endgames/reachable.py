"""The positions of a database that has every position of a game, numbered by hashing.

A game that declares no `Endgames` gets one table, named `all`, of all positions that play can reach
from its start. Beside it is the file `all.positions`, which says what number each one has:

    8 bytes      the mark
    4 + 4 bytes  the length of the header, and its CRC-32
    the header   JSON: the rules, how many positions, words and slots there are, and the CRC-32 of
                 what follows; then zeros up to a multiple of 8
    slots        a hash table as long as a power of two: a number + 1, or 0, 4 bytes each
    positions    the words of each position, its clocks set back, 8 bytes each

All numbers are little-endian. A hash only says where to look. All words of a position are compared,
so one that play cannot reach is never taken for another.
"""

import json
import mmap
import zlib
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np

from threefold.engine.endgames.files import Damaged, Header
from threefold.engine.jit.fingerprint import Digest
from threefold.engine.jit.instructions import ints_at, words_at
from threefold.errors import ThreefoldError
from threefold.replacing import replacing
from threefold.rules.bits import GOLDEN, lsr, mul, wrap
from threefold.rules.contract import timeless, words
from threefold.rules.game import Game
from threefold.rules.text import shorten

Array: TypeAlias = Any

#: The name of the only table.
ALL: Final = "all"
FORMAT: Final = 1
SUFFIX: Final = ".positions"
_MARK: Final = b"3fold-ps"
#: How `rules_text` begins where all positions are numbered by hashing.
_BY_HASH: Final = "all positions "
_START: Final = len(_MARK) + 8
#: The hooks that decide which positions there are and what they are worth.
_DECISIVE: Final = frozenset({"player", "actions", "result", "utility", "is_terminal", "drawn"})


# The templates.


def hash_of(s: Any) -> int:
    """What says where a hash table has a position."""
    hashed = 0
    for word in words(s):
        hashed = mul(hashed ^ word, GOLDEN)
        hashed ^= lsr(hashed, 29)
    return hashed


def number_by_hash(s: Any, slots: int, last_slot: int, positions: int) -> int:
    """The number of a position, or -1, by the addresses of the slots and of the positions."""
    s = timeless(s)
    fields = words(s)
    at = hash_of(s) & last_slot
    while True:
        number = wrap(ints_at(slots + 4 * at, 1)[0]) - 1
        if number < 0:
            return number
        there = words_at(positions + 8 * len(fields) * number, len(fields))
        same = True
        for j in range(len(fields)):
            same = same and there[j] == fields[j]
        if same:
            return number
        at = at + 1 & last_slot


# Which game a database is for.


def rules_text(game: Game[Any]) -> str:
    """The rules that the values of a database depend on.

    Where a game declares none it is a digest, because a file keeps its name when its rules change.
    """
    if game.endgames is not None:
        return game.endgames.rules
    hooks = game.reduced_to(_DECISIVE).hooks
    start = game.timeless(game.initial())
    about = (hooks, game.state_type, tuple(start), game.timeless, game.cyclic)
    return f"{_BY_HASH}{Digest.of(about).digest}"


def other_rules(game: Game[Any], header: Header, folder: Path) -> ThreefoldError:
    """The error that a table in a folder was made for other rules than the game's."""
    where = f"the database in {shorten(str(folder), 200)}"
    found = header.game if header.rules.startswith(_BY_HASH) else header.rules
    wanted = game.spec if game.endgames is None else game.endgames.rules
    if found != wanted:
        return ThreefoldError(f"{where} is for {found}, not for {wanted}")
    return ThreefoldError(
        f"{where} was made for other rules of {found}, or by another version of Python; build it "
        "again"
    )


# The file.


def positions_path(folder: Path) -> Path:
    """The file with the positions of a database."""
    return folder / f"{ALL}{SUFFIX}"


def positions_bytes(folder: Path) -> int:
    """How large that file is; 0 if there is none."""
    path = positions_path(folder)
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
    except OSError as error:
        raise _unreadable(path, error) from None


def _unreadable(path: Path, error: OSError) -> ThreefoldError:
    why = error.strerror or error
    return ThreefoldError(f"{shorten(str(path), 200)} cannot be read: {why}")


class PositionsFile:
    """The file with all positions, mapped into memory and checked."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with open(path, "rb") as file:
                content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except FileNotFoundError:
            raise Damaged(path, "it is missing") from None
        except OSError as error:
            raise _unreadable(path, error) from None
        except ValueError:  # an empty file cannot be mapped
            raise Damaged(path, "it is empty") from None
        mapped: Array = np.frombuffer(content, "u1")
        self.bytes = len(mapped)
        described, begin = self._header(mapped)
        self.rules = str(described["rules"])
        count, width, slots = (int(described[key]) for key in ("positions", "words", "slots"))
        length = begin + 4 * slots + 8 * width * count
        if self.bytes != length:
            raise Damaged(path, f"it has {self.bytes:,} bytes instead of {length:,}")
        if zlib.crc32(mapped[begin:]) != described["content"]:
            raise Damaged(path, "its contents are wrong")
        #: Numbers + 1 by their hash.
        self.slots = mapped[begin : begin + 4 * slots].view("<i4")
        #: A row of words for each position.
        self.states = mapped[begin + 4 * slots :].view("<i8").reshape(count, width)
        self._check_slots()

    def __len__(self) -> int:
        return len(self.states)

    @property
    def fields(self) -> tuple[int, int, int]:
        """What `number_by_hash` takes: the slots, the last of them, and the positions."""
        return self.slots.ctypes.data, len(self.slots) - 1, self.states.ctypes.data

    def _header(self, mapped: Array) -> tuple[dict[str, Any], int]:
        start = mapped[:_START].tobytes()
        if len(start) < _START or start[: len(_MARK)] != _MARK:
            raise Damaged(self.path, "it is not a file of positions")
        length, crc = np.frombuffer(start[len(_MARK) :], "<u4").tolist()
        text = mapped[_START : _START + length].tobytes()
        if len(text) != length or zlib.crc32(text) != crc:
            raise Damaged(self.path, "its header is wrong")
        described: dict[str, Any] = json.loads(text)
        if described.get("format") != FORMAT:
            version = described.get("format")
            raise Damaged(self.path, f"it has format {version}, and this version reads {FORMAT}")
        return described, -(-(_START + length) // 8) * 8

    def _check_slots(self) -> None:
        """Raise unless every search through the slots stays among the positions, and ends."""
        slots, count = self.slots, len(self)
        is_power = len(slots) > 1 and len(slots) & len(slots) - 1 == 0
        if not is_power or count >= len(slots) or np.count_nonzero(slots) != count:
            raise Damaged(self.path, "its slots are wrong")
        if slots.min() < 0 or slots.max() > count:
            raise Damaged(self.path, "its slots are wrong")


def write_positions(path: Path, rules: str, slots: Array, states: Array) -> None:
    """Write all positions and their slots; the file is whole or not there at all."""
    parts: list[Array] = [np.ascontiguousarray(slots, "<i4"), np.ascontiguousarray(states, "<i8")]
    content = 0
    for part in parts:
        content = zlib.crc32(part, content)
    described = {
        "format": FORMAT,
        "rules": rules,
        "positions": len(states),
        "words": states.shape[1],
        "slots": len(slots),
        "content": content,
    }
    text = json.dumps(described).encode()
    start = _MARK + np.array([len(text), zlib.crc32(text)], "<u4").tobytes() + text
    with replacing(str(path)) as file:
        file.write(start + bytes(-len(start) % 8))
        for part in parts:
            file.write(part)
