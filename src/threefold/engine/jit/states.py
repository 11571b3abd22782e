"""The State class in compiled code: functions that turn words into States, and back."""

from typing import Any

from threefold.engine.jit import instructions


def state_functions(state_type: type, jit: Any, suffix: str) -> tuple[Any, Any, Any]:
    """What replaces the State class, and the contract's `state` and `words`.

    The class is replaced by a function that casts every field to a word: rules may then put a
    bool where elsewhere they put an integer, and all branches still return one type.
    """
    fields: tuple[str, ...] = state_type._fields  # type: ignore[attr-defined]
    namespace = {"__name__": __name__, "_State": state_type, "_word": instructions.word}
    source = (
        f"def _make({', '.join(fields)}):\n"
        f"    return _State({', '.join(f'_word({field})' for field in fields)})\n"
        f"def _from_words(given):\n"
        f"    return _make({', '.join(f'given[{i}]' for i in range(len(fields)))})\n"
        f"def _to_words(s):\n"
        f"    return ({', '.join(f's.{field}' for field in fields)},)\n"
    )
    exec(source, namespace)
    defaults = tuple(state_type._field_defaults.values())  # type: ignore[attr-defined]
    namespace["_make"].__defaults__ = defaults
    for name in ("_make", "_from_words", "_to_words"):
        function: Any = namespace[name]
        function.__qualname__ = name + suffix
        namespace[name] = jit(function)
    return namespace["_make"], namespace["_from_words"], namespace["_to_words"]
