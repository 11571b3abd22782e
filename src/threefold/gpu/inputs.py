"""The bits of words as a net's inputs on the device: a row of zeros and ones for each position."""

from typing import Any, Final

from threefold.gpu.driver import cuda

#: 1.0 as a bfloat16.
_ONE: Final = 0x3F80
_BLOCK: Final = 256
_BLOCKS: Final = 132 * 16


@cuda.jit  # type: ignore[untyped-decorator]
def _spread(words: Any, pairs: Any) -> None:
    """The kernel: two bits a thread, so that neighboring threads write side by side."""
    each = 32 * words.shape[1]
    for i in range(cuda.grid(1), words.shape[0] * each, cuda.gridsize(1)):
        row, pair = i // each, i % each
        two = words[row, pair >> 5] >> 2 * (pair & 31) & 3
        pairs[row, pair] = (_ONE if two & 1 else 0) | (_ONE << 16 if two & 2 else 0)


def spread(words: Any, pairs: Any) -> None:
    """Write the bits of `words` as numbers of 16 bits; `pairs` takes two of them in 32 bits."""
    if len(words):
        _spread[_BLOCKS, _BLOCK](cuda.as_cuda_array(words), cuda.as_cuda_array(pairs))
