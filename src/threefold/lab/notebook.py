"""The lab's step-through in a cell of a notebook.

It is the same component, from the same files. A notebook fetches one script and no others, so the
few that it consists of are put into one another.
"""

import base64
import re
from typing import Any

import anywidget
import traitlets

from threefold.lab.lessons import payload
from threefold.lab.page_files import PAGE
from threefold.textbook.explain import Explanation

_IMPORT = re.compile(r'from "\./(\w+\.js)"')
_WIDGET = """
import { mountStepper } from "./stepper.js";
export default {
  render({ model, el }) {
    const stepper = mountStepper(el, model.get("run"), { announce() {} });
    return () => stepper.destroy();
  },
};
"""


def bundle(script: str) -> str:
    """A script with what it imports inside it."""

    def inside(match: re.Match[str]) -> str:
        imported = bundle((PAGE / match[1]).read_text("utf-8"))
        packed = base64.b64encode(imported.encode()).decode()
        return f'from "data:text/javascript;base64,{packed}"'

    return _IMPORT.sub(inside, script)


class Stepper(anywidget.AnyWidget):
    """A run of a procedure, to step through in a notebook."""

    _esm = bundle(_WIDGET)
    _css = (PAGE / "stepper.css").read_text("utf-8")
    run = traitlets.Dict().tag(sync=True)

    def __init__(self, explained: Explanation) -> None:
        run: dict[str, Any] = payload(explained)
        super().__init__(run=run | {"listing": list(run["listing"])})

    def mime_bundle(self, **asked: Any) -> dict[str, Any]:
        """What a notebook is told to show this."""
        bundle = self._repr_mimebundle_(**asked)
        data: dict[str, Any] = bundle[0] if isinstance(bundle, tuple) else bundle or {}
        return dict(data)
