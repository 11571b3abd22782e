"""Arrays of records on a GPU, and the same memory as PyTorch's words."""

from typing import Any

import torch

from threefold.gpu.driver import SIMULATED, cuda
from threefold.learn.lanes import DEVICE


class _Interface:
    """What PyTorch needs to know of memory on the device."""

    def __init__(self, array: Any, words: tuple[int, ...]) -> None:
        described = dict(array.__cuda_array_interface__)
        described.pop("descr", None)
        self.__cuda_array_interface__ = described | {
            "shape": words,
            "typestr": "<i8",
            "strides": None,
        }
        self._array = array


def records(shape: tuple[int, ...], layout: Any) -> tuple[Any, Any]:
    """An array of records full of zeros, and its words: a row of them for each record."""
    array = cuda.device_array(shape, dtype=layout)
    rows = (*shape, layout.itemsize // 8)
    if SIMULATED:
        words = torch.from_numpy(array._ary.view("<i8").reshape(rows))
    else:
        words = torch.as_tensor(_Interface(array, rows), device=DEVICE)
    words.zero_()
    return array, words


def word_of(layout: Any, field: str) -> tuple[int, Any]:
    """The word of a record that a field is in, and the type and place of it within the word."""
    kind, offset = layout.fields[field][:2]
    size = kind.itemsize
    return offset // 8, (kind, offset % 8 // size)


def read(words: Any, layout: Any, field: str) -> Any:
    """A field of all records, given their words."""
    at, (kind, place) = word_of(layout, field)
    types = {"i4": torch.int32, "i8": torch.int64, "f8": torch.float64}
    column = words[:, at].contiguous().view(types[kind.str[1:]])
    return column.view(len(words), -1)[:, place]
