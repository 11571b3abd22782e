"""The stepper in a cell of a notebook."""

from typing import Any

import anywidget
import traitlets

from threefold.textbook.explain import Explanation
from threefold.textbook.page_files import script, style
from threefold.textbook.slides import Slides
from threefold.textbook.stepping import explained_steps


class Stepper(anywidget.AnyWidget):
    """A run of a procedure, to step through in a notebook."""

    _esm = script("widget.js")
    _css = style()
    run = traitlets.Dict().tag(sync=True)

    def __init__(self, run: Explanation | Slides[Any]) -> None:
        steps = explained_steps(run) if isinstance(run, Explanation) else run.stepper()
        super().__init__(run=steps)

    def mime_bundle(self, **asked: Any) -> dict[str, Any]:
        """What a notebook shows of this, by type."""
        bundle = self._repr_mimebundle_(**asked)
        data: dict[str, Any] = bundle[0] if isinstance(bundle, tuple) else bundle or {}
        return dict(data)
