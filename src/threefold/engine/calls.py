"""Each hook as a template of one call, so that Python can call the compiled rules one by one."""

from functools import cache
from types import FunctionType
from typing import Any, cast

from threefold.rules.contract import state, words
from threefold.rules.hooks import Function, Hook, Kind


def call(hook: Hook) -> FunctionType:
    """The template that calls one hook; states go in and come out as words."""
    return _template(hook.default, hook.parameters, hook.returns is Kind.STATE)


@cache
def _template(default: Function, parameters: tuple[str, ...], returns_state: bool) -> FunctionType:
    """Written out as source, because Numba compiles no `*args`:

    def call_result(s, a):
        return words(result(state(s), a))
    """
    name = default.__name__
    arguments = ", ".join("state(s)" if given == "s" else given for given in parameters)
    answer = f"words({name}({arguments}))" if returns_state else f"{name}({arguments})"
    namespace: dict[str, Any] = {"__name__": __name__, "state": state, "words": words}
    namespace[name] = default
    exec(f"def call_{name}({', '.join(parameters)}):\n    return {answer}\n", namespace)
    return cast(FunctionType, namespace[f"call_{name}"])
