"""A step of learning that a GPU repeats as a whole.

A step has dozens of parts, each so small that asking for it takes far longer than doing it. A
recording of it is asked for at once.
"""

from collections.abc import Callable
from typing import Any, Final

import torch

#: Steps before the recording, in which libraries set themselves up.
_WARM_UP: Final = 3


class Recording:
    """A step that takes positions and targets, always as many, and returns a loss."""

    def __init__(self, step: Callable[[Any, Any], Any], words: Any, targets: Any) -> None:
        """Take the step with these a few times, and record it."""
        self._words, self._targets = words.clone(), targets.clone()
        aside = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            for _ in range(_WARM_UP):
                step(self._words, self._targets)
        torch.cuda.current_stream().wait_stream(aside)
        self._graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self._graph):
            self._loss = step(self._words, self._targets)

    def __call__(self, words: Any, targets: Any) -> Any:
        """Take the step; the loss is overwritten by the next one."""
        self._words.copy_(words)
        self._targets.copy_(targets)
        self._graph.replay()
        return self._loss
