"""Each hook by itself as a template: what lets Python call the compiled rules one by one."""

from functools import cache
from types import FunctionType
from typing import Any, cast

from threefold.rules.contract import state, words
from threefold.rules.hooks import Hook, Kind


@cache
def call(hook: Hook) -> FunctionType:
    """The template that calls one hook; states go in and come out as words.

    Written out as source, because Numba compiles no `*args`:

        def call_result(s, a):
            return words(result(state(s), a))
    """
    name, parameters = hook.name, ", ".join(hook.parameters)
    arguments = ", ".join("state(s)" if given == "s" else given for given in hook.parameters)
    answer = f"{name}({arguments})"
    if hook.returns is Kind.STATE:
        answer = f"words({answer})"
    namespace: dict[str, Any] = {"__name__": __name__, "state": state, "words": words}
    namespace[name] = hook.default
    exec(f"def call_{name}({parameters}):\n    return {answer}\n", namespace)
    return cast(FunctionType, namespace[f"call_{name}"])
